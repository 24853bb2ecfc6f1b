"""Tell whether one system really outscores another, or whether it is chance.

>>> import outscore
>>> result = outscore.compare([1, 0, 0, 1, 0, 0], [1, 1, 0, 1, 1, 1], metric="accuracy", tests="randomization")
>>> result.comparisons[0].tests[0].p_value
0.125
"""

from __future__ import annotations

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
    from outscore.leaderboards import Leaderboard, rank


def __getattr__(name: str) -> object:
    """Import leaderboards when they are asked for: who compares two systems does not wait for them."""
    if name not in ("Leaderboard", "rank"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from outscore import leaderboards

    return getattr(leaderboards, name)


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
    "Precision",
    "Randomization",
    "RankedPair",
    "RankedSystem",
    "Ranking",
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
    "TestResult",
    "Ties",
    "TwoProportion",
    "TwoSampleT",
    "Unit",
    "Verdict",
    "Wilcoxon",
    "__version__",
    "compare",
    "rank",
]
