"""Significance tests for NLP systems: find out whether one system really outscores another.

>>> import outscore
>>> result = outscore.compare([1, 0, 0, 1, 0, 0], [1, 1, 0, 1, 1, 1], metric="accuracy", tests="randomization")
>>> result.p_value
0.25

Programs may import outscore before pytest loads its plugin: PYTEST_DONT_REWRITE.
"""

from __future__ import annotations

import sys
from importlib import import_module

from outscore._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

# The public names by module. Type checkers read them in __init__.pyi.
_NAMES = {
    "api": "compare rank read score",
    "design": "Design",
    "errors": "DataError FileAccessError MissingDependencyError NotApplicableError OptionError OutscoreError",
    "exploring": "explore",
    "wings.gating": "gate gate_accept",
    "wings.human.planning": "plan_human",
    "wings.judging.asking": "judges",
    "wings.metaeval.api": "meta meta_scores",
    "wings.planning.asking": "pilot plan_runs",
    "wings.studies.investigations": "study_calibration study_domains study_gain study_size study_transfer",
    "metrics": "Accuracy ColumnMetric F1 Mean Metric Precision Ratio RatioMetric Recall",
    "metrics.base": "OutputMetric RecomputedMetric ResponseMetric",
    "metrics.recomputed": "Recomputed",
    "wings.planning": "Level Pilot Rates Spread plan_gain plan_gate plan_items plan_power plan_table",
    "results": (
        "Alternative Claim Comparison ComparisonResult ComparisonResults Correction Estimator Family Interval "
        "IntervalMethod Method RankedPair RankedSystem Ranking Rankings ScoreResult SystemScore TestResult "
        "TestedQuantity Ties UnpairedResult Verdict"
    ),
    "data.rows": "Labels Rows",
    "design.scores": "Scores",
    "significance": (
        "Bootstrap BootstrapUncentred ChiSquared McNemar PairedT Randomization SacrebleuBootstrap "
        "SacrebleuRandomization Sign SignificanceTest TwoProportion TwoSampleT Wilcoxon"
    ),
    "wings.studies": "StudyOptions",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}
__all__ = ["__version__", *_MODULES]


def __getattr__(name: str) -> object:
    """Import a public name or a module of the package on first access.

    So a comparison imports nothing else, and the command line can be interrupted early.
    """
    if name in _MODULES:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    place = f"{__name__}.{name}"
    try:
        if not name.startswith("_"):
            return import_module(place)
    except ImportError as error:
        from outscore.former import DroppedError  # rarely needed

        # Errors within the module are raised.
        if error.name != place or not isinstance(error, (ModuleNotFoundError, DroppedError)):
            raise
    return import_module("outscore.former").module_attribute(__name__, name)


def __dir__() -> list[str]:
    return sorted(__all__)


class _FormerNames:
    """Finds modules and names of earlier versions, if no other finder does."""

    @staticmethod
    def find_spec(name: str, *_: object) -> ModuleSpec | None:
        return import_module("outscore.former").spec_of(name) if name.startswith("outscore.") else None


sys.meta_path.append(_FormerNames)
