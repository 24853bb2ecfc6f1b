"""Plans for programs: JSON (schemas "outscore/plan-…/1") and tidy CSV."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from outscore.reports.csv_tables import records_to_csv
from outscore.reports.json_report import written
from outscore.results.plans import Plan, PlanTable

__all__ = ["plan_to_csv", "plan_to_json"]

CHECK = "check_"


def plan_to_csv(plan: Plan | PlanTable) -> str:
    """Write the rows of a plan as CSV, one line each, with all digits; what is unknown is empty."""
    return records_to_csv(plan.records())


def plan_to_json(plan: Plan | PlanTable) -> str:
    """Write a plan as JSON (schemas "outscore/plan-table/1", "-power/1", "-gain/1" and "-items/1")."""
    if isinstance(plan, PlanTable):
        whole: dict[str, Any] = {
            "schema": plan.schema,
            "rows": plan.records(),
            "test": plan.test,
            "alternative": plan.alternative.value,
            "alpha": plan.alpha,
            "notes": list(plan.notes),
            "version": plan.version,
            "signature": plan.signature,
        }
    else:
        whole = {
            "schema": plan.schema,
            "rows": [_with_check(record) for record in plan.records()],
            "basis": plan.basis,
            "metric": asdict(plan.metric),
            "alternative": plan.alternative.value,
            "alpha": plan.alpha,
            "comparisons": plan.comparisons,
            "level": plan.level,
            "target": plan.target,
            "claim": plan.claim.value,
            "margin": plan.margin,
            "notes": list(plan.notes),
            "seed": plan.seed,
            "version": plan.version,
            "signature": plan.signature,
        }
    return written(whole)


def _with_check(record: dict[str, object]) -> dict[str, object]:
    """Return a record with what was checked as an object of its own."""
    found = {key: value for key, value in record.items() if not key.startswith(CHECK)}
    check = {key.removeprefix(CHECK): value for key, value in record.items() if key.startswith(CHECK)}
    return {**found, "check": None if check["n_sets"] is None else check}
