"""What is asked of a plan, checked: sizes, gains, tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from numbers import Real

from outscore.aliases import TEST_ALIASES, own_name
from outscore.errors import OptionError, Problem
from outscore.naming import nearest, quoted
from outscore.numbers import format_count
from outscore.significance import EMULATIONS, TESTS, SignificanceTest, test_named

__all__ = ["MOST_ITEMS", "number_of", "numbers_of", "sizes_of", "test_asked"]

MOST_ITEMS = 10**7


def numbers_of(given: float | Iterable[float], option: str) -> list[float]:
    """Return one or several numbers as a list of floats, each once.

    Raises
    ------
    OptionError
        None at all, or what is no number; it names the option.
    """
    several = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    if not several:
        raise OptionError(Problem(option, "expected at least one number", "", "missing"))
    return list(dict.fromkeys(number_of(value, option) for value in several))


def number_of(given: float, option: str, advice: str = "") -> float:
    """Return a number of any kind as a float.

    Raises
    ------
    OptionError
        What is no number, or a whole one that no float can hold.
    """
    if not isinstance(given, Real):
        raise OptionError(Problem(option, f"expected a number, got {given!r}", advice, "not-a-number"))
    try:
        return float(given)
    except OverflowError:
        raise OptionError(Problem(option, "expected a number up to 1e308", "", "out-of-range")) from None


def sizes_of(items: int | Iterable[int]) -> list[int]:
    """Return sizes of test sets, each once.

    Raises
    ------
    OptionError
        None at all, or what is no whole number from 2 to 10⁷.
    """
    sizes = numbers_of(items, "--items")
    for n in sizes:
        if not (2 <= n <= MOST_ITEMS and n == int(n)):
            what = f"expected a whole number of items from 2 to {format_count(MOST_ITEMS)}, got {n:g}"
            raise OptionError(Problem("--items", what, "", "out-of-range"))
    return [int(n) for n in sizes]


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
