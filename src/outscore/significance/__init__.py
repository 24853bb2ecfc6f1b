"""Significance: tests, intervals, corrections and claims about gains."""

from __future__ import annotations

from outscore.significance.auto import Auto
from outscore.significance.base import SignificanceTest
from outscore.significance.bootstrap import Bootstrap
from outscore.significance.bootstrap_uncentred import BootstrapUncentred
from outscore.significance.comparing import Settings, compare_rows
from outscore.significance.gain_laws import Resampling
from outscore.significance.mcnemar import McNemar
from outscore.significance.paired_t import PairedT
from outscore.significance.randomization import Randomization
from outscore.significance.registry import EMULATIONS, TESTS, test_named
from outscore.significance.robust_t import RobustT, SkewT
from outscore.significance.sacrebleu import SacrebleuBootstrap, SacrebleuRandomization
from outscore.significance.score_test import ScoreTest
from outscore.significance.sign import Sign
from outscore.significance.two_proportion import ChiSquared, TwoProportion
from outscore.significance.two_sample_t import TwoSampleT
from outscore.significance.wilcoxon import Wilcoxon

__all__ = [
    "EMULATIONS",
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
    "Settings",
    "Sign",
    "SignificanceTest",
    "SkewT",
    "TwoProportion",
    "TwoSampleT",
    "Wilcoxon",
    "compare_rows",
    "test_named",
]
