"""What is asked of a plan, checked: sizes, gains, tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeAlias

from outscore.aliases import TEST_ALIASES, own_name
from outscore.errors import OptionError, Problem
from outscore.given import number, score_gain, wrong
from outscore.naming import nearest, quoted
from outscore.numbers import format_count
from outscore.results import MetricDescription
from outscore.significance import EMULATIONS, TESTS, SignificanceTest, test_named

__all__ = ["MOST_ITEMS", "Numbers", "gains_of", "numbers_of", "sizes_of", "test_asked"]

MOST_ITEMS = 10**7
Numbers: TypeAlias = float | str | Iterable[float | str]


def numbers_of(given: Numbers, option: str, of_one: Callable[[object, str], float] = number) -> list[float]:
    """Return one or several numbers as a list of floats, each once.

    Parameters
    ----------
    given : number, str, or iterable of them
    option : str
    of_one : callable
        What makes a float of each; by default 0.02 and "2%" are the same.

    Raises
    ------
    OptionError
        None at all, or what is no number; it names the option.
    """
    several = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    if not several:
        raise OptionError(Problem(option, "expected at least one number", "", "missing"))
    return list(dict.fromkeys(of_one(value, option) for value in several))


def gains_of(given: Numbers, metric: MetricDescription) -> list[float]:
    """Return gains in the unit of a metric's score, each once.

    Raises
    ------
    OptionError
        As `numbers_of` and `score_gain`.
    """
    return numbers_of(given, "--gain", partial(score_gain, metric=metric.name, is_share=metric.as_percentage))


def sizes_of(items: int | Iterable[int]) -> list[int]:
    """Return sizes of test sets, each once.

    Raises
    ------
    OptionError
        None at all, or what is no whole number from 2 to 10⁷.
    """
    sizes = numbers_of(items, "--items", _no_text)
    for n in sizes:
        if not (2 <= n <= MOST_ITEMS and n == int(n)):
            what = f"expected a whole number of items from 2 to {format_count(MOST_ITEMS)}, got {n:g}"
            raise OptionError(Problem("--items", what, "", "out-of-range"))
    return [int(n) for n in sizes]


def _no_text(given: object, option: str) -> float:
    if isinstance(given, str):
        raise wrong(option, "a number", given, "not-a-number")
    return number(given, option)


def test_asked(given: SignificanceTest | str, applies: Callable[[SignificanceTest], bool]) -> SignificanceTest:
    """Return a test, or the one of that name.

    Raises
    ------
    OptionError
        An unknown name; the nearest one of those that apply is offered.
    """
    if isinstance(given, SignificanceTest):
        return given
    if own_name(given, TESTS | EMULATIONS, TEST_ALIASES) not in TESTS | EMULATIONS:
        names = [name for name, kind in TESTS.items() if applies(kind())]
        raise OptionError(Problem("--test", f"unknown test {quoted(given)}", nearest(given, names), "unknown-test"))
    return test_named(given)


test_asked.__test__ = False  # type: ignore[attr-defined]  # not a test, whatever pytest thinks of its name
