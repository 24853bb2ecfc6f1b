"""Results of every kind as JSON and as CSV, for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from outscore.reports.csv_tables import records_to_csv
from outscore.results import ComparisonResult

__all__ = ["results_to_csv", "results_to_json"]


def results_to_json(results: Sequence[Any]) -> str:
    """Write results of one kind as JSON: one by itself, several in a list."""
    first = results[0]
    if isinstance(first, ComparisonResult):
        from outscore.reports.json_report import several_to_json, to_json

        return to_json(first) if len(results) == 1 else several_to_json(results)
    from outscore.results import PlanTable, Ranking, Scores, UnpairedResult
    from outscore.results.plans import Plan

    match first:
        case Ranking():
            from outscore.reports.rankings.json_report import ranking_to_json, rankings_to_json

            return ranking_to_json(first) if len(results) == 1 else rankings_to_json(results)
        case Scores():
            from outscore.reports.scores import scores_to_json

            return scores_to_json(first)
        case UnpairedResult():
            from outscore.reports.unpaired import unpaired_to_json

            return unpaired_to_json(first)
        case Plan() | PlanTable():
            from outscore.reports.plans.data import plan_to_json

            return plan_to_json(first)
        case _:
            from outscore.reports.studies.data import studies_to_json

            return studies_to_json(results)


def results_to_csv(results: Sequence[Any], *, pairs: bool = False) -> str:
    """Write results of one kind as one table, with all digits; what is not known is empty."""
    from outscore.results import Plan, PlanTable, Ranking, Scores, UnpairedResult

    match results[0]:
        case ComparisonResult():
            return records_to_csv([record for result in results for record in result.records()])
        case Ranking():
            from outscore.reports.rankings.csv_report import rankings_to_csv

            return rankings_to_csv(results, pairs=pairs)
        case Scores() | UnpairedResult():
            return records_to_csv(results[0].records())
        case Plan() | PlanTable():
            from outscore.reports.plans.data import plan_to_csv

            return plan_to_csv(results[0])
        case _:
            from outscore.reports.studies.data import studies_to_csv

            return studies_to_csv(results)
