"""What users and programs give, checked: named values, numbers and their units, and what is of another type."""

from __future__ import annotations

import math
import operator
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from numbers import Real
from typing import TypeVar

from outscore.errors import OptionError, Problem
from outscore.naming import nearest, printable, quoted

__all__ = ["choice", "number", "per_cent", "score_gain", "share", "whole", "whole_number", "wrong"]

_Choice = TypeVar("_Choice", bound=StrEnum)


def choice(kind: type[_Choice], value: str, argument: str) -> _Choice:
    """Return one of several named values.

    Raises
    ------
    OptionError
        It offers the nearest one.
    """
    try:
        return kind(value)
    except ValueError:
        what = f"unknown value {quoted(str(value))}"
        raise OptionError(Problem(argument, what, nearest(str(value), list(kind)), "unknown-value")) from None


def whole(value: int, argument: str) -> int:
    """Return a whole number of any kind as an int.

    Raises
    ------
    OptionError
    """
    try:
        return operator.index(value)
    except TypeError:
        raise wrong(argument, "a whole number", value, "not-whole") from None


def whole_number(text: str, argument: str) -> int:
    """Return the whole number that `text` writes, as 100000 or 1e5.

    Raises
    ------
    OptionError
        No number, or not a whole one.

    Examples
    --------
    >>> whole_number("1e5", "--n-resamples")
    100000
    """
    try:
        value = Decimal(text)
        if value.is_finite() and abs(value) < 10**40 and value == int(value) and "_" not in text:
            return int(value)
    except InvalidOperation:
        pass
    what = f"expected a whole number, such as 100000 or 1e5, got {quoted(text)}"
    raise OptionError(Problem(argument, what, "", "not-whole"))


def number(given: object, argument: str, advice: str = "") -> float:
    """Return a number of any kind, or one written as 0.02 or 2%, as a float; per cent are hundredths.

    Raises
    ------
    OptionError
        What is no number; a whole one that no float can hold.

    Examples
    --------
    >>> number("2%", "--gain") == number("0.02", "--gain") == number(0.02, "gain")
    True
    """
    if isinstance(given, str):
        value, in_percent = _written(given, argument)
        return float(value / 100 if in_percent else value)
    if isinstance(given, bool) or not isinstance(given, Real):
        raise _no_number(given, argument, advice)
    try:
        return float(given)
    except OverflowError:
        raise OptionError(Problem(argument, "expected a number up to 1e308", "", "out-of-range")) from None


def score_gain(given: object, argument: str, *, metric: str, is_share: bool) -> float:
    """Return a gain, loss or margin in the unit of a metric's score.

    Of a share of 1, such as accuracy, 1% and 0.01 are the same, and a bare 1 is refused: it would be all of it, and is
    mostly meant as one per cent. Of other metrics, such as BLEU, 1 is one point, and there are no per cent.

    Parameters
    ----------
    given : number or str
    argument : str
    metric : str
        Its name.
    is_share : bool
        Whether its score is a share of 1.

    Raises
    ------
    OptionError

    Examples
    --------
    >>> score_gain("1%", "--margin", metric="accuracy", is_share=True), score_gain(1, "", metric="bleu", is_share=False)
    (0.01, 1.0)
    """
    if is_share:
        return share(given, argument, of=metric)
    value = number(given, argument)
    if isinstance(given, str) and "%" in given:
        what = f"{metric} is no share of 1, of which there could be per cent, got {quoted(str(given))}"
        advice = f"Write {100 * value:g} for {100 * value:g} in its own unit."
        raise OptionError(Problem(argument, what, advice, "no-share"))
    return value


def share(given: object, argument: str, *, of: str) -> float:
    """Return a share of 1, or a difference of two: 5% and 0.05 are the same, and a bare 5 or 1 is refused.

    Parameters
    ----------
    given : number or str
    argument : str
    of : str
        What is such a share, for the message.

    Raises
    ------
    OptionError
    """
    value = number(given, argument, "Write 5% or 0.05.")
    if math.isfinite(value) and abs(value) >= 1 and not (isinstance(given, str) and "%" in given):
        what = f"{of} is a share of 1, of which {value:g} is {'all' if abs(value) == 1 else 'more than all'}"
        advice = f"Write {value:g}% or {value / 100:g} for {value:g} in a hundred."
        raise OptionError(Problem(argument, what, advice, "not-a-share"))
    return value


def per_cent(given: object, argument: str) -> float:
    """Return what an option that is called so takes in per cent: 2, "2" and "2%" are the same.

    Raises
    ------
    OptionError
    """
    return float(_written(given, argument)[0]) if isinstance(given, str) else number(given, argument)


def _written(text: str, argument: str) -> tuple[Decimal, bool]:
    """Return the number in a text, and whether it is in per cent."""
    bare, sign, rest = text.strip().partition("%")
    try:
        value = Decimal(bare.strip())
    except InvalidOperation:
        value = Decimal("nan")
    if rest or not value.is_finite() or "_" in text or abs(value) > Decimal("1e308"):
        raise _no_number(text, argument)
    return value, bool(sign)


def _no_number(given: object, argument: str, advice: str = "") -> OptionError:
    simple = given is None or isinstance(given, str | int | float)
    got = quoted(given) if isinstance(given, str) else printable(repr(given)) if simple else _kind(given)
    what = f"expected a number, such as 0.02 or 2%, got {got}"
    return OptionError(Problem(argument, what, advice, "not-a-number"))


def wrong(argument: str, expected: str, got: object, slug: str = "wrong-type") -> OptionError:
    """Return the error of an argument of another type than expected."""
    # Of an array only the type: its numbers would fill the screen.
    simple = got is None or isinstance(got, str | int | float)
    shown = printable(repr(got)) if simple else _kind(got)
    return OptionError(Problem(argument, f"expected {expected}, got {shown}", "", slug))


def _kind(given: object) -> str:
    return f"an object of type {type(given).__name__}"
