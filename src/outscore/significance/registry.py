"""The tests by name."""

from __future__ import annotations

from outscore.errors import OptionError, Problem
from outscore.naming import nearest
from outscore.significance.base import SignificanceTest
from outscore.significance.bootstrap import Bootstrap
from outscore.significance.bootstrap_uncentred import BootstrapUncentred
from outscore.significance.mcnemar import McNemar
from outscore.significance.paired_t import PairedT
from outscore.significance.randomization import Randomization
from outscore.significance.sign import Sign
from outscore.significance.two_proportion import ChiSquared, TwoProportion
from outscore.significance.two_sample_t import TwoSampleT
from outscore.significance.wilcoxon import Wilcoxon

__all__ = ["TESTS", "test_named"]

TESTS: dict[str, type[SignificanceTest]] = {
    test.name: test
    for test in (
        Bootstrap,
        BootstrapUncentred,
        Randomization,
        PairedT,
        Sign,
        Wilcoxon,
        McNemar,
        TwoSampleT,
        TwoProportion,
        ChiSquared,
    )
}


def test_named(name: str) -> SignificanceTest:
    """Return the test of that name.

    Raises
    ------
    OptionError
        An unknown name; the nearest one is offered.
    """
    if name not in TESTS:
        raise OptionError(Problem("--test", f'unknown test "{name}"', nearest(name, TESTS), "unknown-test"))
    return TESTS[name]()


test_named.__test__ = False  # type: ignore[attr-defined]  # not a test, whatever pytest thinks of its name
