"""What programs pass, as the objects that it stands for, and errors in the words of programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, wraps
from typing import TYPE_CHECKING, Literal, ParamSpec, TypeVar

from outscore.data.coercion import choice, number, wrong
from outscore.design.options import crossed_options
from outscore.design.registry import crossed_factors
from outscore.errors import OptionError, OutscoreError, Problem
from outscore.significance import TESTS, SignificanceTest, test_named

if TYPE_CHECKING:
    from outscore.results.test_sets import Tasks

DEFAULT_SEED = 12345
DEFAULT_ALPHA = 0.05
_A_TEST = 'tests such as outscore.Randomization() or "randomization"'

# An option of the command line as it is in messages, and its value if that is quoted or one word of a few. Names of
# files and systems may hold two hyphens, too: an option begins a word, and what users said is in quotes.
_OPTION = re.compile(
    r'"[^"]*"|(?<![^\s(])(?:--|-(?=m bradley-terry))'
    r"(m bradley-terry|missing drop|missing zero|metric mean|(?:claim|unit) [a-z-]+|"
    rf"(?:{'|'.join(factor.plural for factor in crossed_factors())}) (?:samples|fixed|random|sampled)|"
    r'[a-z][a-z-]* (?:"[^"]*"|COLUMN)|[a-z][a-z-]*)'
)
_ARGUMENTS = {
    "cluster": "clusters",
    "id": "id_column",
    "m": "metric",
    "missing": "drop_missing",
    "missing drop": "drop_missing=True",
    "missing zero": "zero_missing=True",
    "reference": "references",
    "score": "score_column",
    "stratum": "strata",
    "test": "tests",
    "test-set": "test_sets",
    "transfer": "others",
    "transfer-from": "stratum",
}
_FLAGS = {"collapse-strata", "double-check", "lower-is-better", "skip-unreadable", "unpaired"}
_FLAGS |= {of.name.replace("_", "-") for of in crossed_options() if of.is_flag}

_P = ParamSpec("_P")
_R = TypeVar("_R")


def in_arguments(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Make a function call options of the command line by the names of its arguments, in the errors that it raises."""

    @wraps(function)
    def called(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return function(*args, **kwargs)
        except OutscoreError as error:
            raise type(error)(*map(_in_arguments, error.problems)) from error.__cause__

    return called


def in_options(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return a function of `in_arguments` for the command line: its errors speak of options."""
    plain: Callable[_P, _R] = function.__wrapped__  # type: ignore[attr-defined]
    return plain


def _in_arguments(problem: Problem) -> Problem:
    where = _OPTION.sub(partial(_argument, flag=False), problem.where)
    what, advice = (_OPTION.sub(_argument, text) for text in (problem.what, problem.advice))
    return replace(problem, where=where, what=what, advice=advice.replace("Leave the option out.", "Leave it out."))


def _argument(match: re.Match[str], *, flag: bool = True) -> str:
    """Return the argument, with its value, that an option of the command line stands for."""
    option = match[1]
    if option is None:
        return match[0]
    if option in _ARGUMENTS:
        return _ARGUMENTS[option] if flag else _ARGUMENTS[option].partition("=")[0]
    name, _, value = option.partition(" ")
    written = _ARGUMENTS.get(name, name.replace("-", "_"))
    if value:
        return f"{written}={value}" if value.startswith('"') or value == "COLUMN" else f'{written}="{value}"'
    return f"{written}=True" if flag and name in _FLAGS else written


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
    sd = number(value, "--run-sd", "Or borrowed, that of the other system.")
    if not 0 <= sd < float("inf"):
        raise OptionError(Problem("--run-sd", f"expected 0 or more, got {sd:g}", "", "out-of-range"))
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
        raise OptionError(Problem("--tasks", what, "Name them with --test-set.", "no-test-sets"))


def refuse_against(against: object, *, baseline: bool, unpaired: bool, responses: bool) -> None:
    """Refuse what has no sense where the baseline is a constant.

    Raises
    ------
    OptionError
    """
    options = {"--baseline": baseline, "--unpaired": unpaired, "--unit response": responses}
    for option, is_set in options.items():
        if against is not None and is_set:
            what = "the baseline is a constant, and no system"
            raise OptionError(Problem(option, what, "Leave it out, or --against.", "against-constant"))


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
        raise OptionError(Problem("--confidence-level", what, "", "out-of-range"))
    complement = round(1 - confidence_level, 12)
    if alpha is not None and abs(alpha - complement) > 1e-9:
        what = f"expected 1 - alpha, which is {1 - alpha:g}, got {confidence_level:g}"
        advice = "Leave one of the two out: each sets the other."
        raise OptionError(Problem("--confidence-level", what, advice, "two-levels"))
    return complement
