"""What is asked of a study, as the objects that it stands for."""

from __future__ import annotations

from dataclasses import replace

from outscore.given import whole, wrong
from outscore.significance import SignificanceTest, test_named
from outscore.significance.gain_laws import Resampling
from outscore.studies.thresholds import ThresholdRule

__all__ = ["given_resampling", "given_rule", "given_test"]


def given_test(given: SignificanceTest | str) -> SignificanceTest:
    """Return a test, or the one of that name.

    Raises
    ------
    OptionError
        An unknown name, or what is no test.
    """
    if isinstance(given, str):
        return test_named(given)
    if not isinstance(given, SignificanceTest):
        raise wrong("--test", 'a test such as outscore.Bootstrap() or "bootstrap"', given)
    return given


def given_rule(given: ThresholdRule) -> ThresholdRule:
    """Return a rule, if it is one.

    Raises
    ------
    OptionError
    """
    if not isinstance(given, ThresholdRule):
        raise wrong("rule", "a rule such as outscore.studies.ScaledFit()", given)
    return given


def given_resampling(given: Resampling) -> Resampling:
    """Return how p-values are sampled, with whole numbers that are ints.

    Raises
    ------
    OptionError
    """
    if not isinstance(given, Resampling):
        raise wrong("resampling", "an outscore.significance.Resampling", given)
    r, seed = whole(given.n_resamples, "--n-resamples"), whole(given.seed, "--seed")
    return replace(given, n_resamples=r, seed=seed)
