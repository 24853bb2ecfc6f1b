"""What is asked of a study, as the objects that it stands for."""

from __future__ import annotations

import operator
from dataclasses import replace
from enum import StrEnum
from numbers import Real
from typing import TypeVar

from outscore.errors import OptionError, Problem
from outscore.naming import nearest, printable, quoted
from outscore.significance import SignificanceTest, test_named
from outscore.significance.gain_laws import Resampling
from outscore.studies.thresholds import ThresholdRule

__all__ = ["given_name", "given_number", "given_resampling", "given_rule", "given_test", "given_whole"]

_Named = TypeVar("_Named", bound=StrEnum)


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
        raise _wrong("--test", 'a test such as outscore.Bootstrap() or "bootstrap"', given)
    return given


def given_rule(given: ThresholdRule) -> ThresholdRule:
    """Return a rule, if it is one.

    Raises
    ------
    OptionError
    """
    if not isinstance(given, ThresholdRule):
        raise _wrong("rule", "a rule such as outscore.studies.ScaledFit()", given)
    return given


def given_name(kind: type[_Named], given: str, option: str) -> _Named:
    """Return one of several named values.

    Raises
    ------
    OptionError
        It offers the nearest one.
    """
    try:
        return kind(given)
    except ValueError:
        what = f"unknown value {quoted(str(given))}"
        raise OptionError(Problem(option, what, nearest(str(given), list(kind)), "unknown-value")) from None


def given_whole(given: int, option: str) -> int:
    """Return a whole number of any kind as an int.

    Raises
    ------
    OptionError
    """
    try:
        return operator.index(given)
    except TypeError:
        raise _wrong(option, "a whole number", given, "not-whole") from None


def given_number(given: float, option: str) -> float:
    """Return a number of any kind as a float.

    Raises
    ------
    OptionError
    """
    if not isinstance(given, Real):
        raise _wrong(option, "a number", given, "not-a-number")
    return float(given)


def given_resampling(given: Resampling) -> Resampling:
    """Return how p-values are sampled, with whole numbers that are ints.

    Raises
    ------
    OptionError
    """
    if not isinstance(given, Resampling):
        raise _wrong("resampling", "an outscore.significance.Resampling", given)
    r, seed = given_whole(given.n_resamples, "--n-resamples"), given_whole(given.seed, "--seed")
    return replace(given, n_resamples=r, seed=seed)


def _wrong(option: str, expected: str, got: object, slug: str = "wrong-type") -> OptionError:
    simple = got is None or isinstance(got, str | int | float)
    shown = printable(repr(got)) if simple else f"an object of type {type(got).__name__}"
    return OptionError(Problem(option, f"expected {expected}, got {shown}", "", slug))
