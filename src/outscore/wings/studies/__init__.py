"""Studies of leaderboards: the analyses of BK12 for all pairs of systems of any leaderboard.

A study is a function from systems on a test set, and options, to a frozen result of `outscore.wings.studies.results`.
"""

from __future__ import annotations

from outscore.wings.studies.boards import StudyOptions
from outscore.wings.studies.calibration import calibration_study, transfer_study
from outscore.wings.studies.gains import by_stratum, domain_study, gain_study, size_study
from outscore.wings.studies.systems import StudySystems
from outscore.wings.studies.thresholds import IsotonicFit, LogisticFit, ScaledFit, ThresholdRule, WindowRule

__all__ = [
    "IsotonicFit",
    "LogisticFit",
    "ScaledFit",
    "StudyOptions",
    "StudySystems",
    "ThresholdRule",
    "WindowRule",
    "by_stratum",
    "calibration_study",
    "domain_study",
    "gain_study",
    "size_study",
    "transfer_study",
]
