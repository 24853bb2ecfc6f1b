"""Significance: tests, intervals, corrections and claims about gains."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from outscore.gains.gain_laws import Resampling
from outscore.significance.auto import Auto
from outscore.significance.base import SignificanceTest
from outscore.significance.bootstrap import Bootstrap, BootstrapUncentred
from outscore.significance.randomization import Randomization
from outscore.significance.registry import BY_NAME, TESTS, test_named
from outscore.significance.score_test import ScoreTest
from outscore.significance.t_tests import PairedT, RobustT, SkewT

if TYPE_CHECKING:
    from outscore.significance.classical import ChiSquared, McNemar, Sign, TwoProportion, TwoSampleT, Wilcoxon
    from outscore.significance.sacrebleu import SacrebleuBootstrap, SacrebleuRandomization

_ELSEWHERE = {
    "classical": ("ChiSquared", "McNemar", "Sign", "TwoProportion", "TwoSampleT", "Wilcoxon"),
    "sacrebleu": ("SacrebleuBootstrap", "SacrebleuRandomization"),
}


def __getattr__(name: str) -> object:
    """Import a less common test on first access."""
    for module, names in _ELSEWHERE.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    return import_module("outscore.former").module_attribute(__name__, name)


__all__ = [
    "BY_NAME",
    "TESTS",
    "Auto",
    "Bootstrap",
    "BootstrapUncentred",
    "ChiSquared",
    "McNemar",
    "PairedT",
    "Randomization",
    "Resampling",
    "RobustT",
    "SacrebleuBootstrap",
    "SacrebleuRandomization",
    "ScoreTest",
    "Sign",
    "SignificanceTest",
    "SkewT",
    "TwoProportion",
    "TwoSampleT",
    "Wilcoxon",
    "test_named",
]
