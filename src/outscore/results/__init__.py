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
    Verdict,
    comparison_format,
    describe_test,
    how_computed,
    write_sentence,
)
from outscore.results.plans import Plan, PlanQuestion, PlanRow, PlanTable, PlanTableRow, Power, PowerCheck

__all__ = [
    "Alternative",
    "Check",
    "Claim",
    "Comparison",
    "ComparisonResult",
    "Estimator",
    "Histogram",
    "Interval",
    "IntervalMethod",
    "Method",
    "MetricDescription",
    "Plan",
    "PlanQuestion",
    "PlanRow",
    "PlanTable",
    "PlanTableRow",
    "Power",
    "PowerCheck",
    "TestResult",
    "Ties",
    "Verdict",
    "comparison_format",
    "describe_test",
    "how_computed",
    "write_sentence",
]
