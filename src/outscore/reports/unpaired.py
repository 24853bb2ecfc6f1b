"""Unpaired systems as JSON (schema "outscore/unpaired/1")."""

from __future__ import annotations

from dataclasses import asdict

from outscore.reports.json_report import written
from outscore.results.unpaired import UnpairedResult

__all__ = ["unpaired_to_json"]


def unpaired_to_json(result: UnpairedResult) -> str:
    """Write a comparison of unpaired systems as JSON (schema "outscore/unpaired/1")."""
    whole = {
        "schema": result.schema,
        "version": result.version,
        "signature": result.signature,
        "metric": asdict(result.metric),
        "comparisons": [{**asdict(one), "verdict": one.verdict.value} for one in result.comparisons],
        "alternative": result.alternative.value,
        "alpha": result.alpha,
        "seed": result.seed,
        "notes": list(result.notes),
        "warnings": list(result.warnings),
    }
    return written(whole)
