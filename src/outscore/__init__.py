"""Tell whether one system really outscores another, or whether it is chance.

>>> import outscore
>>> result = outscore.compare([1, 0, 0, 1, 0, 0], [1, 1, 0, 1, 1, 1], metric="accuracy", tests="randomization")
>>> result.comparisons[0].tests[0].p_value
0.25

Programs may import it before pytest, which has a plugin of it: PYTEST_DONT_REWRITE.
"""

from __future__ import annotations

from importlib import import_module

from outscore._version import __version__

TYPE_CHECKING = False  # as typing has it, whose import could be interrupted before anybody says so
if TYPE_CHECKING:
    from outscore.api import compare, rank, read, score
    from outscore.data.rows import Labels, Rows
    from outscore.design import Design
    from outscore.design.scores import Scores
    from outscore.errors import (
        DataError,
        FileAccessError,
        MissingDependencyError,
        NotApplicableError,
        OptionError,
        OutscoreError,
    )
    from outscore.exploring import explore
    from outscore.gating import gate, gate_accept
    from outscore.metrics import F1, Accuracy, ColumnMetric, Mean, Metric, Precision, Ratio, RatioMetric, Recall
    from outscore.metrics.base import OutputMetric, Recomputed, RecomputedMetric, ResponseMetric
    from outscore.planning import Level, Pilot, Rates, Spread, plan_gain, plan_gate, plan_items, plan_power, plan_table
    from outscore.planning.asking import pilot, plan_runs
    from outscore.results import (
        Alternative,
        Claim,
        Comparison,
        ComparisonResult,
        ComparisonResults,
        Correction,
        Estimator,
        Interval,
        IntervalMethod,
        Method,
        RankedPair,
        RankedSystem,
        Ranking,
        Rankings,
        ScoreResult,
        SystemScore,
        TestResult,
        Ties,
        Unit,
        UnpairedResult,
        Verdict,
    )
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
    from outscore.studies import StudyOptions
    from outscore.studies.investigations import study_calibration, study_domains, study_gain, study_size, study_transfer

_ELSEWHERE = {
    "api": ("compare", "rank", "read", "score"),
    "design": ("Design",),
    "errors": (
        "DataError",
        "FileAccessError",
        "MissingDependencyError",
        "NotApplicableError",
        "OptionError",
        "OutscoreError",
    ),
    "gating": ("gate", "gate_accept"),
    "planning.asking": ("pilot", "plan_runs"),
    "studies.investigations": ("study_calibration", "study_domains", "study_gain", "study_size", "study_transfer"),
    "metrics": ("F1", "Accuracy", "ColumnMetric", "Mean", "Metric", "Precision", "Ratio", "RatioMetric", "Recall"),
    "metrics.base": ("OutputMetric", "Recomputed", "RecomputedMetric", "ResponseMetric"),
    "exploring": ("explore",),
    "planning": (
        "Level",
        "Pilot",
        "Rates",
        "Spread",
        "plan_gain",
        "plan_gate",
        "plan_items",
        "plan_power",
        "plan_table",
    ),
    "results": (
        "Alternative",
        "Claim",
        "Comparison",
        "ComparisonResult",
        "ComparisonResults",
        "Correction",
        "Estimator",
        "Interval",
        "IntervalMethod",
        "Method",
        "RankedPair",
        "RankedSystem",
        "Ranking",
        "Rankings",
        "ScoreResult",
        "SystemScore",
        "TestResult",
        "Ties",
        "Unit",
        "UnpairedResult",
        "Verdict",
    ),
    "data.rows": ("Labels", "Rows"),
    "design.scores": ("Scores",),
    "significance": (
        "Bootstrap",
        "BootstrapUncentred",
        "ChiSquared",
        "McNemar",
        "PairedT",
        "Randomization",
        "SacrebleuBootstrap",
        "SacrebleuRandomization",
        "Sign",
        "SignificanceTest",
        "TwoProportion",
        "TwoSampleT",
        "Wilcoxon",
    ),
    "studies": ("StudyOptions",),
}
# Modules that have always been there after "import outscore" alone.
_MODULES = ("api", "arguments", "data", "errors", "laws", "metrics", "readers", "results", "significance", "text")


def __getattr__(name: str) -> object:
    """Import what is asked for when it is asked for: who compares two systems waits for nothing else.

    The command line can be interrupted before any of it, too.
    """
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    for module, names in _ELSEWHERE.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *__all__})


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
    "ComparisonResults",
    "Correction",
    "DataError",
    "Design",
    "Estimator",
    "FileAccessError",
    "Interval",
    "IntervalMethod",
    "Labels",
    "Level",
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
    "Rankings",
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
    "ScoreResult",
    "Scores",
    "Sign",
    "SignificanceTest",
    "Spread",
    "StudyOptions",
    "SystemScore",
    "TestResult",
    "Ties",
    "TwoProportion",
    "TwoSampleT",
    "Unit",
    "UnpairedResult",
    "Verdict",
    "Wilcoxon",
    "__version__",
    "compare",
    "explore",
    "gate",
    "gate_accept",
    "pilot",
    "plan_gain",
    "plan_gate",
    "plan_items",
    "plan_power",
    "plan_runs",
    "plan_table",
    "rank",
    "read",
    "score",
    "study_calibration",
    "study_domains",
    "study_gain",
    "study_size",
    "study_transfer",
]
