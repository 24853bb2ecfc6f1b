"""The tests by name."""

from __future__ import annotations

from outscore.aliases import TEST_ALIASES, own_name
from outscore.errors import OptionError, Problem
from outscore.naming import nearest
from outscore.significance.auto import Auto
from outscore.significance.base import SignificanceTest
from outscore.significance.bootstrap import Bootstrap
from outscore.significance.bootstrap_uncentred import BootstrapUncentred
from outscore.significance.mcnemar import McNemar
from outscore.significance.paired_t import PairedT
from outscore.significance.randomization import Randomization
from outscore.significance.robust_t import RobustT, SkewT
from outscore.significance.sacrebleu import SacrebleuBootstrap, SacrebleuRandomization
from outscore.significance.score_test import ScoreTest
from outscore.significance.sign import Sign
from outscore.significance.two_proportion import ChiSquared, TwoProportion
from outscore.significance.two_sample_t import TwoSampleT
from outscore.significance.wilcoxon import Wilcoxon

__all__ = ["EMULATIONS", "TESTS", "test_named"]

TESTS: dict[str, type[SignificanceTest]] = {
    test.name: test
    for test in (
        Auto,
        Bootstrap,
        BootstrapUncentred,
        Randomization,
        ScoreTest,
        PairedT,
        RobustT,
        SkewT,
        Sign,
        Wilcoxon,
        McNemar,
        TwoSampleT,
        TwoProportion,
        ChiSquared,
    )
}

# By name only: whoever asks for all tests asks for sound ones.
EMULATIONS: dict[str, type[SignificanceTest]] = {
    test.name: test for test in (SacrebleuBootstrap, SacrebleuRandomization)
}


def test_named(name: str) -> SignificanceTest:
    """Return the test of that name, in any letter case, or by another name that it has (`outscore.aliases`).

    Raises
    ------
    OptionError
        An unknown name; the nearest one is offered.
    """
    known = TESTS | EMULATIONS
    own = own_name(name.strip(), known, TEST_ALIASES)
    if own not in known:
        raise OptionError(Problem("--test", f'unknown test "{name}"', nearest(name, known), "unknown-test"))
    return known[own]()


test_named.__test__ = False  # type: ignore[attr-defined]  # not a test, whatever pytest thinks of its name
