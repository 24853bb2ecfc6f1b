"""What programs pass, as the objects that it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from outscore.data.coercion import choice, number, wrong
from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.significance import TESTS, SignificanceTest, test_named

if TYPE_CHECKING:
    from outscore.results.test_sets import Tasks

DEFAULT_SEED = 12345
DEFAULT_ALPHA = 0.05
_A_TEST = 'tests such as outscore.Randomization() or "randomization"'


def listed_tests(tests: SignificanceTest | str | Sequence[SignificanceTest | str]) -> Sequence[SignificanceTest]:
    """Return tests that may be named; "all" is every one.

    Raises
    ------
    OptionError
        An unknown name, or what is no test.
    """
    if are_all(tests):
        return [test() for test in TESTS.values()]
    several = tests.split(",") if isinstance(tests, str) else [tests] if isinstance(tests, SignificanceTest) else tests
    try:
        named = [test_named(test) if isinstance(test, str) else test for test in several]
    except TypeError:
        raise wrong("tests", _A_TEST, tests) from None
    for test in named:
        if not isinstance(test, SignificanceTest):
            raise wrong("tests", _A_TEST, test)
    return named


def are_all(tests: object) -> bool:
    """Tell whether all tests are named, by "all": those that do not apply are then left out."""
    names = tests.split(",") if isinstance(tests, str) else tests
    return isinstance(names, list | tuple) and "all" in names


def run_sd_of(value: float | str | None) -> float | Literal["borrowed"] | None:
    """Return the standard deviation of a run's score: a number of 0 or more, or "borrowed".

    Raises
    ------
    OptionError
    """
    if value is None or value == "borrowed":
        return value  # type: ignore[return-value]
    sd = number(value, opt("run_sd"), "Or borrowed, that of the other system.")
    if not 0 <= sd < float("inf"):
        raise OptionError(Problem(opt("run_sd"), f"expected 0 or more, got {sd:g}", "", "out-of-range"))
    return sd


def tasks_of(tasks: Tasks | str | None) -> Tasks:
    """Return what is claimed of test sets; on how many, where nothing is said."""
    from outscore.results.test_sets import Tasks

    return Tasks.COUNT if tasks is None else choice(Tasks, tasks, "tasks")


def refuse_tasks(tasks: object) -> None:
    """Refuse a claim of several test sets where there are none.

    Raises
    ------
    OptionError
    """
    if tasks is not None:
        what = "expected test sets to claim something of, got none"
        raise OptionError(Problem(opt("tasks"), what, f"Name them with {opt('test_sets')}.", "no-test-sets"))


def refuse_against(against: object, *, baseline: bool, unpaired: bool, responses: bool) -> None:
    """Refuse what has no sense where the baseline is a constant.

    Raises
    ------
    OptionError
    """
    options = {opt("baseline"): baseline, opt("unpaired"): unpaired, opt("unit", "response"): responses}
    for option, is_set in options.items():
        if against is not None and is_set:
            what = "the baseline is a constant, and no system"
            raise OptionError(Problem(option, what, f"Leave it out, or {opt('against')}.", "against-constant"))


def alpha_of(alpha: float | None, confidence_level: float | None) -> float:
    """Return the level of a verdict, of which the confidence level of its interval is the complement: one sets both.

    Raises
    ------
    OptionError
        Both, and they contradict each other; or a confidence level that is none.
    """
    alpha = None if alpha is None else number(alpha, "alpha")
    if confidence_level is None:
        return DEFAULT_ALPHA if alpha is None else alpha
    confidence_level = number(confidence_level, "confidence_level")
    if not 0 < confidence_level < 1:
        what = f"expected a number between 0 and 1, got {confidence_level:g}"
        raise OptionError(Problem(opt("confidence_level"), what, "", "out-of-range"))
    complement = round(1 - confidence_level, 12)
    if alpha is not None and abs(alpha - complement) > 1e-9:
        what = f"expected 1 - alpha, which is {1 - alpha:g}, got {confidence_level:g}"
        advice = "Leave one of the two out: each sets the other."
        raise OptionError(Problem(opt("confidence_level"), what, advice, "two-levels"))
    return complement
