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
    "TestResult",
    "Ties",
    "Unit",
    "Verdict",
    "comparison_format",
    "describe_test",
    "how_computed",
    "write_sentence",
]
