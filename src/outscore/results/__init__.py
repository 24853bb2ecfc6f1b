"""Results: frozen, typed, and free of any computation; one file a kind of question."""

from __future__ import annotations

from outscore.results.comparisons import (
    Alternative,
    Check,
    Claim,
    Comparison,
    ComparisonResult,
    Estimator,
    Histogram,
    Interval,
    IntervalMethod,
    Method,
    MetricDescription,
    TestResult,
    Ties,
    Unit,
    Verdict,
    comparison_format,
    describe_test,
    how_computed,
    write_sentence,
)
from outscore.results.items import ItemTable
from outscore.results.plans import Plan, PlanQuestion, PlanRow, PlanTable, PlanTableRow, Power, PowerCheck
from outscore.results.rankings import Correction, RankedPair, RankedSystem, Ranking, ranking_format, ranking_table

__all__ = [
    "Alternative",
    "Check",
    "Claim",
    "Comparison",
    "ComparisonResult",
    "Correction",
    "Estimator",
    "Histogram",
    "Interval",
    "IntervalMethod",
    "ItemTable",
    "Method",
    "MetricDescription",
    "Plan",
    "PlanQuestion",
    "PlanRow",
    "PlanTable",
    "PlanTableRow",
    "Power",
    "PowerCheck",
    "RankedPair",
    "RankedSystem",
    "Ranking",
    "TestResult",
    "Ties",
    "Unit",
    "Verdict",
    "comparison_format",
    "describe_test",
    "how_computed",
    "ranking_format",
    "ranking_table",
    "write_sentence",
]
