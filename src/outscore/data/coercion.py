"""Convert and check values of arguments and options: named values, numbers with units, objects of a type.

Scores in half and single precision are converted to the decimals they were written as (`as_written`).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from inspect import isroutine
from numbers import Real
from pathlib import PurePath
from typing import TypeAlias, TypeVar

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.data.blocks import blocks
from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.text.naming import nearest, quoted
from outscore.text.numbers import format_count

TRUE_FALSE: Mapping[str, float] = {"true": 1.0, "false": 0.0}  # words for truth values, in lower case
MOST_ITEMS = 10**7
LARGEST_NUMBER = 1e100  # of scores and arguments: squares and products of larger numbers overflow
_LARGEST_WHOLE = 2**128  # a seed may have as many bits as NumPy draws for one; a double holds its size
_LEAST_LEVEL = 1e-12
_MOST_DIGITS = 14  # a float32 of a decimal with up to three places has at least 15 digits in double precision
_EXACT_POWER = 22  # powers of ten up to this one are exact in double precision
Numbers: TypeAlias = float | str | Iterable[float | str]

_Choice = TypeVar("_Choice", bound=StrEnum)


def choice(kind: type[_Choice], value: object, argument: str) -> _Choice:
    """Return one of several named values. The error suggests the nearest one."""
    if not isinstance(value, str):
        raise wrong(argument, f"one of {', '.join(kind)}", value)
    try:
        return kind(value)
    except ValueError:
        what = f"unknown value {quoted(str(value))}"
        raise OptionError(Problem(argument, what, nearest(str(value), list(kind)), "unknown-value")) from None


def place_of(name: str, names: Sequence[str], specs: Sequence[str] = (), argument: str | None = None) -> int:
    """Return the place of the system that a user calls `name`, which may be any part that only one name has.

    The whole name is tried first, then the file (`specs`), then the name ignoring case or folders. Messages name
    `argument`, by default that of a baseline. Raise OptionError if there is no such system, or several.

    Examples
    --------
    >>> place_of("claude-3-haiku", ["openai/gpt-4o", "anthropic/claude-3-haiku-20240307"])
    1
    >>> place_of("GPT-4o", ["openai/gpt-4o-mini", "openai/gpt-4o"])
    1
    """
    argument = argument or opt("baseline")
    for candidates in (names, specs, [PurePath(spec).name for spec in specs]):
        if name in candidates:
            return list(candidates).index(name)
    wanted, folded = name.casefold(), [other.casefold() for other in names]
    for same in (
        [index for index, other in enumerate(folded) if wanted == other],
        [index for index, other in enumerate(folded) if wanted == other.rpartition("/")[2]],
        [index for index, other in enumerate(folded) if wanted.strip() and wanted in other],
    ):
        if len(same) == 1:
            return same[0]
        if same:
            what = f"{quoted(name)} matches {len(same)} systems: "
            what += ", ".join(quoted(names[index]) for index in same)
            raise OptionError(Problem(argument, what, "Use a longer part of the name.", "ambiguous-system"))
    what = f"unknown system {quoted(name)}"
    raise OptionError(Problem(argument, what, nearest(name, names), "unknown-system"))


def whole(value: int, argument: str) -> int:
    """Return a whole number of any type as an int."""
    try:
        index = operator.index(value)
    except TypeError:
        raise wrong(argument, "a whole number", value, "not-whole") from None
    if abs(index) > _LARGEST_WHOLE:
        raise OptionError(Problem(argument, "expected a whole number of at most 2^128 in size", "", "out-of-range"))
    return index


def whole_number(text: str, argument: str) -> int:
    """Return the whole number in a text such as 100000 or 1e5.

    Examples
    --------
    >>> whole_number("1e5", "n_resamples")
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


def number(value: object, argument: str, advice: str = "") -> float:
    """Return a number of any type, or a text such as 0.02 or 2%, as a float.

    Examples
    --------
    >>> number("2%", "gain") == number("0.02", "gain") == number(0.02, "gain")
    True
    """
    if isinstance(value, str):
        decimal, in_percent = _written(value, argument)
        return float(decimal / 100 if in_percent else decimal)
    if isinstance(value, bool) or not isinstance(value, Real):
        raise _no_number(value, argument, advice)
    try:
        as_float = float(value)
    except OverflowError:
        as_float = math.inf
    if not abs(as_float) <= LARGEST_NUMBER:
        what = f"expected a finite number of at most {LARGEST_NUMBER:g} in size, got {as_float:g}"
        raise OptionError(Problem(argument, what, advice, "out-of-range"))
    return as_float


def several_numbers(values: Numbers, argument: str, of_one: Callable[[object, str], float] = number) -> list[float]:
    """Return one or several numbers as a list of distinct floats; `of_one` converts each."""
    several: list[object] = [values]
    if isinstance(values, Iterable) and not isinstance(values, str | bytes):
        with suppress(TypeError):  # an array of shape () has the method of an iterable
            several = list(values)
    if not several:
        raise OptionError(Problem(argument, "expected at least one number", "", "missing"))
    return list(dict.fromkeys(of_one(value, argument) for value in several))


def sizes_of(items: int | Iterable[int]) -> list[int]:
    """Return distinct sizes of test sets, whole numbers from 2 to 10⁷."""
    sizes = several_numbers(items, opt("items"), _no_text)
    for n in sizes:
        if not (2 <= n <= MOST_ITEMS and n == int(n)):
            what = f"expected a whole number of items from 2 to {format_count(MOST_ITEMS)}, got {n:g}"
            raise OptionError(Problem(opt("items"), what, "", "out-of-range"))
    return [int(n) for n in sizes]


def score_gain(value: object, argument: str, *, metric: str, is_share: bool) -> float:
    """Return a gain, loss or margin in the unit of a metric's score.

    For proportions, such as accuracy, 1% and 0.01 are the same. A bare 1 is rejected, because it usually means 1%. For
    other metrics, such as BLEU, 1 is one point, and percentages are rejected.

    Examples
    --------
    >>> score_gain("1%", "margin", metric="accuracy", is_share=True), score_gain(1, "", metric="bleu", is_share=False)
    (0.01, 1.0)
    """
    if is_share:
        return share(value, argument, of=metric)
    gain = number(value, argument)
    if isinstance(value, str) and "%" in value:
        what = f"{metric} is not a proportion, so {quoted(str(value))} cannot be a percentage"
        advice = f"Write {gain:g} if scores go up to 1, or {100 * gain:g} if they go up to 100"
        advice += ". For scores of 0 or 1, use the metric accuracy." if metric == "mean" else "."
        raise OptionError(Problem(argument, what, advice, "no-share"))
    return gain


def check_level(alpha: float, argument: str | None = None) -> None:
    """Raise OptionError if a level is not in (0, 1), or so small that 1 − alpha rounds to 1."""
    if not _LEAST_LEVEL <= alpha < 1:
        bounds = f"of {_LEAST_LEVEL:g} or more" if 0 < alpha < 1 else "between 0 and 1"
        what = f"expected a number {bounds}, got {alpha:g}"
        raise OptionError(Problem(argument or opt("alpha"), what, "", "out-of-range"))


def share(value: object, argument: str, *, of: str) -> float:
    """Return a proportion, or a difference of two. 5% and 0.05 are the same; a bare 5 or 1 is rejected."""
    part = number(value, argument, "Write 5% or 0.05.")
    if math.isfinite(part) and abs(part) >= 1 and not (isinstance(value, str) and "%" in value):
        what = f"{of} is a proportion, so {part:g} is too large"
        advice = f"For {part:g}%, write {part:g}% or {part / 100:g}."
        raise OptionError(Problem(argument, what, advice, "not-a-share"))
    return part


def per_cent(value: object, argument: str) -> float:
    """Return the value of an option in percent: 2, "2" and "2%" are the same."""
    return float(_written(value, argument)[0]) if isinstance(value, str) else number(value, argument)


def wrong(argument: str, expected: str, got: object, slug: str = "wrong-type", advice: str = "") -> OptionError:
    """Return the error of an argument with an unexpected type or value."""
    return OptionError(Problem(argument, f"expected {expected}, got {described(got)}", advice, slug))


def described(value: object) -> str:
    """Describe a value in a message: the value if it is short, else its type and size.

    Examples
    --------
    >>> described("auto"), described(np.float64(0.5)), described(None), described(len)
    ('"auto"', '0.5', 'None', 'the function len')
    >>> described([1, 2, 3]), described(np.zeros((2, 3))), described({1})
    ('a list of 3 values', 'an array of shape (2, 3)', 'a set of 1 value')
    """
    if isinstance(value, str):
        return quoted(value)
    if value is None or isinstance(value, bool | np.bool_ | int | float):
        return str(value)
    if isinstance(value, type) or isroutine(value):
        return f"the {'class' if isinstance(value, type) else 'function'} {value.__name__}"
    name, shape = type(value).__name__, getattr(value, "shape", None)
    if isinstance(value, bytes):
        return "bytes"
    article = "an" if name[:1].lower() in "aeiou" else "a"
    called = "an array" if isinstance(value, np.ndarray) else f"{article} {name}"
    if isinstance(shape, tuple) and len(shape) == 2 and not isinstance(value, np.ndarray):
        return f"{called} of {_counted(shape[0], 'row')} and {_counted(shape[1], 'column')}"
    if isinstance(shape, tuple) and len(shape) != 1:
        return f"{called} of shape {shape}"
    if isinstance(value, Sized):
        return f"{called} of {_counted(len(value), 'value')}"
    return f"an object of type {name}"


def _counted(n: int, noun: str) -> str:
    return f"{format_count(n)} {noun}{'' if n == 1 else 's'}"


def _written(text: str, argument: str) -> tuple[Decimal, bool]:
    """Return the number in a text, and whether it is a percentage."""
    bare, sign, rest = text.strip().partition("%")
    try:
        value = Decimal(bare.strip())
    except InvalidOperation:
        value = Decimal("nan")
    if rest or not value.is_finite() or "_" in text or abs(value) > LARGEST_NUMBER:
        raise _no_number(text, argument)
    return value, bool(sign)


def _no_text(value: object, argument: str) -> float:
    if isinstance(value, str):
        raise wrong(argument, "a number", value, "not-a-number")
    return number(value, argument)


def _no_number(value: object, argument: str, advice: str = "") -> OptionError:
    what = f"expected a number, such as 0.02 or 2%, got {described(value)}"
    return OptionError(Problem(argument, what, advice, "not-a-number"))


def as_written(numbers: FloatArray) -> FloatArray:
    """Return numbers in double precision without the rounding errors of single precision.

    This is the rule for every array, frame, file and log. A column counts as single precision if

    1. all of its numbers are exact in single precision (float32), and
    2. at least one of them has 15 or more significant digits, as 0.30000001192092896 has.

    Each number of such a column becomes the shortest decimal that single precision rounds to it, here 0.3. Whole
    numbers stay as they are. Numbers in double precision do not meet the first condition, unless they are binary
    fractions. Of these, halves, sixteenths and most averages over up to 16,384 items do not meet the second one; they
    mean the same in either precision.

    Parameters
    ----------
    numbers : ndarray, shape (n,) or (n, number of columns)
        Each column is checked separately. NaN and infinities stay.

    Returns
    -------
    ndarray
        `numbers` itself where no column is in single precision.

    Examples
    --------
    >>> as_written(np.array([1.0, 0.30000001192092896, 0.5])).tolist()
    [1.0, 0.3, 0.5]
    >>> as_written(np.array([1.0, 0.30000001192092896, 0.1])).tolist()  # 0.1 is not exact in single precision
    [1.0, 0.30000001192092896, 0.1]
    """
    if numbers.ndim == 2:
        columns = list(numbers.T)
        read = [as_written(column) for column in columns]
        same = all(narrow is column for narrow, column in zip(read, columns, strict=True))
        return numbers if same else np.column_stack(read)
    return shortest_decimals(numbers.astype(np.float32)) if _are_single(numbers) else numbers


def shortest_decimals(numbers: AnyArray) -> FloatArray:
    """Return the shortest decimals that round to these numbers in their narrow type, in double precision.

    Examples
    --------
    >>> shortest_decimals(np.array([0.1, 1 / 3, 20], dtype=np.float32)).tolist()
    [0.1, 0.33333334, 20.0]
    >>> shortest_decimals(np.array([0.1, 1 / 3, 20], dtype=np.float16)).tolist()
    [0.1, 0.3333, 20.0]
    """
    decimals = numbers.astype(np.float64)
    for at in blocks(len(numbers)):
        _shorten(numbers[at], decimals[at])
    return decimals


def without_half(array: AnyArray) -> AnyArray:
    """Return an array of any type; one in half precision (float16) as its shortest decimals.

    Values alone do not show half precision: 0.3 in it is 0.300048828125, which has 12 digits.

    Examples
    --------
    >>> without_half(np.array([[0.1, 0.3]], dtype=np.float16)).tolist()
    [[0.1, 0.3]]
    """
    return shortest_decimals(array.ravel()).reshape(array.shape) if array.dtype == np.float16 else array


def half_cells(cells: Sequence[float | None]) -> list[float | None]:
    """Return the cells of a column in half precision as their shortest decimals; None is kept.

    Examples
    --------
    >>> half_cells([0.0999755859375, None])
    [0.1, None]
    """
    decimals = shortest_decimals(np.array(cells, dtype=np.float16)).tolist()
    return [None if cell is None else decimal for cell, decimal in zip(cells, decimals, strict=True)]


def _shorten(narrow: AnyArray, decimals: FloatArray) -> None:
    """Round each number to the fewest places that give the same number in the narrow type."""
    left = np.flatnonzero(np.isfinite(decimals) & (decimals != np.rint(decimals)))
    # Numbers are denser below a power of two than above it, so the nearest decimal is not always the shortest.
    binary = np.abs(np.frexp(decimals[left])[0]) == 0.5
    rest, left = left[binary], left[~binary]
    for places in range(1, _EXACT_POWER + 1):
        if not len(left):
            break
        power = 10.0**places
        rounded = np.rint(decimals[left] * power) / power  # the double nearest to the decimal
        is_exact = rounded.astype(narrow.dtype) == narrow[left]
        decimals[left[is_exact]] = rounded[is_exact]
        left = left[~is_exact]
    rest = np.concatenate([rest, left])  # powers of two, and numbers below 1e-14
    decimals[rest] = [float(str(number)) for number in narrow[rest]]


def _are_single(numbers: FloatArray) -> bool:
    """Return whether a column, shape (n,), meets both conditions of `as_written`."""
    has_many_digits = False
    for at in blocks(len(numbers)):
        some = numbers[at]
        with np.errstate(over="ignore"):
            exact = some.astype(np.float32) == some
        if not (exact | np.isnan(some)).all():
            return False
        has_many_digits = has_many_digits or _has_many_digits(some)
    return has_many_digits


def _has_many_digits(numbers: FloatArray) -> bool:
    """Return whether a number that is not whole has more than 14 significant digits."""
    parts = np.abs(numbers[np.isfinite(numbers) & (numbers != np.rint(numbers))])
    if not len(parts):
        return False
    places = np.clip(_MOST_DIGITS - 1 - np.floor(np.log10(parts)), 0, _EXACT_POWER)
    powers = 10.0 ** np.arange(_EXACT_POWER + 1)
    power = powers[places.astype(np.int64)]
    return bool((np.rint(parts * power) / power != parts).any())
