"""Tell whether one system really outscores another, or whether it is chance.

>>> import outscore
>>> result = outscore.compare([1, 0, 0, 1, 0, 0], [1, 1, 0, 1, 1, 1], metric="accuracy", tests="randomization")
>>> result.comparisons[0].tests[0].p_value
0.125
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from outscore._version import __version__
from outscore.api import compare
from outscore.errors import (
    DataError,
    FileAccessError,
    MissingDependencyError,
    NotApplicableError,
    OptionError,
    OutscoreError,
)
from outscore.metrics import F1, Accuracy, ColumnMetric, Mean, Metric, Precision, Ratio, RatioMetric, Recall
from outscore.metrics.base import OutputMetric, RecomputedMetric, ResponseMetric
from outscore.metrics.recomputed import Recomputed
from outscore.results import (
    Alternative,
    Claim,
    Comparison,
    ComparisonResult,
    Correction,
    Estimator,
    Interval,
    IntervalMethod,
    Method,
    RankedPair,
    RankedSystem,
    Ranking,
    TestResult,
    Ties,
    Unit,
    Verdict,
)
from outscore.rows import Labels, Rows
from outscore.significance import (
    Bootstrap,
    BootstrapUncentred,
    ChiSquared,
    McNemar,
    PairedT,
    Randomization,
    SacrebleuBootstrap,
    SacrebleuRandomization,
    Sign,
    SignificanceTest,
    TwoProportion,
    TwoSampleT,
    Wilcoxon,
)

if TYPE_CHECKING:
    from outscore.investigations import study_calibration, study_domains, study_gain, study_size, study_transfer
    from outscore.leaderboards import Leaderboard, rank
    from outscore.pilots import pilot
    from outscore.planning import Pilot, Rates, Spread, plan_gain, plan_items, plan_power, plan_table
    from outscore.studies import StudyOptions

_ELSEWHERE = {
    "investigations": ("study_calibration", "study_domains", "study_gain", "study_size", "study_transfer"),
    "leaderboards": ("Leaderboard", "rank"),
    "pilots": ("pilot",),
    "planning": ("Pilot", "Rates", "Spread", "plan_gain", "plan_items", "plan_power", "plan_table"),
    "studies": ("StudyOptions",),
}


def __getattr__(name: str) -> object:
    """Import what is not for comparing two systems when it is asked for: who compares does not wait for it."""
    for module, names in _ELSEWHERE.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "F1",
    "Accuracy",
    "Alternative",
    "Bootstrap",
    "BootstrapUncentred",
    "ChiSquared",
    "Claim",
    "ColumnMetric",
    "Comparison",
    "ComparisonResult",
    "Correction",
    "DataError",
    "Estimator",
    "FileAccessError",
    "Interval",
    "IntervalMethod",
    "Labels",
    "Leaderboard",
    "McNemar",
    "Mean",
    "Method",
    "Metric",
    "MissingDependencyError",
    "NotApplicableError",
    "OptionError",
    "OutputMetric",
    "OutscoreError",
    "PairedT",
    "Pilot",
    "Precision",
    "Randomization",
    "RankedPair",
    "RankedSystem",
    "Ranking",
    "Rates",
    "Ratio",
    "RatioMetric",
    "Recall",
    "Recomputed",
    "RecomputedMetric",
    "ResponseMetric",
    "Rows",
    "SacrebleuBootstrap",
    "SacrebleuRandomization",
    "Sign",
    "SignificanceTest",
    "Spread",
    "StudyOptions",
    "TestResult",
    "Ties",
    "TwoProportion",
    "TwoSampleT",
    "Unit",
    "Verdict",
    "Wilcoxon",
    "__version__",
    "compare",
    "pilot",
    "plan_gain",
    "plan_items",
    "plan_power",
    "plan_table",
    "rank",
    "study_calibration",
    "study_domains",
    "study_gain",
    "study_size",
    "study_transfer",
]
