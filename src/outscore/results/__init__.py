"""Results: frozen and typed, without computation; one file per kind of result."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from outscore.results.comparisons import (
    Alternative,
    Check,
    Claim,
    Comparison,
    ComparisonResult,
    ComparisonResults,
    Estimator,
    Family,
    Histogram,
    IntervalMethod,
    LeftOut,
    Method,
    MetricDescription,
    Moments,
    Multiplicity,
    NextStep,
    RunLaw,
    TestedQuantity,
    TestResult,
    Ties,
    Verdict,
    comparison_format,
    format_adjusted_p,
    format_of_all,
    format_test_p,
)
from outscore.results.findings import (
    Finding,
    FirstPosition,
    MissingScores,
    PredictionPowered,
    RunComponents,
    RunsAnalysis,
    RunSd,
    TemplatesAnalysis,
)
from outscore.results.intervals import Interval

if TYPE_CHECKING:
    from outscore.results.items import ItemTable
    from outscore.results.rankings import (
        Correction,
        RankedPair,
        RankedSystem,
        Ranking,
        Rankings,
        format_corrected_p,
    )
    from outscore.results.scores import (
        ScoreResult,
        SystemScore,
        UnpairedComparison,
        UnpairedResult,
        UnpairedTest,
    )

_ELSEWHERE = {
    "items": ("ItemTable",),
    "rankings": (
        "Correction",
        "RankedPair",
        "RankedSystem",
        "Ranking",
        "Rankings",
        "format_corrected_p",
    ),
    "scores": ("ScoreResult", "SystemScore", "UnpairedComparison", "UnpairedResult", "UnpairedTest"),
}


def __getattr__(name: str) -> object:
    """Import plans and rankings on demand, as comparisons do not need them."""
    for module, names in _ELSEWHERE.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    return import_module("outscore.former").module_attribute(__name__, name)


__all__ = [
    "Alternative",
    "Check",
    "Claim",
    "Comparison",
    "ComparisonResult",
    "ComparisonResults",
    "Correction",
    "Estimator",
    "Family",
    "Finding",
    "FirstPosition",
    "Histogram",
    "Interval",
    "IntervalMethod",
    "ItemTable",
    "LeftOut",
    "Method",
    "MetricDescription",
    "MissingScores",
    "Moments",
    "Multiplicity",
    "NextStep",
    "PredictionPowered",
    "RankedPair",
    "RankedSystem",
    "Ranking",
    "Rankings",
    "RunComponents",
    "RunLaw",
    "RunSd",
    "RunsAnalysis",
    "ScoreResult",
    "SystemScore",
    "TemplatesAnalysis",
    "TestResult",
    "TestedQuantity",
    "Ties",
    "UnpairedComparison",
    "UnpairedResult",
    "UnpairedTest",
    "Verdict",
    "comparison_format",
    "format_adjusted_p",
    "format_corrected_p",
    "format_of_all",
    "format_test_p",
]
