"""Arguments that programs pass, checked: named values, whole numbers, and what is of another type altogether."""

from __future__ import annotations

import operator
from enum import StrEnum
from typing import TypeVar

from outscore.errors import OptionError, Problem
from outscore.naming import nearest, printable, quoted

__all__ = ["choice", "whole", "wrong"]

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


def wrong(argument: str, expected: str, got: object, slug: str = "wrong-type") -> OptionError:
    """Return the error of an argument of another type than expected."""
    # Of an array only the type: its numbers would fill the screen.
    simple = got is None or isinstance(got, str | int | float)
    shown = printable(repr(got)) if simple else f"an object of type {type(got).__name__}"
    return OptionError(Problem(argument, f"expected {expected}, got {shown}", "", slug))
