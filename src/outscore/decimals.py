"""Numbers in half and single precision, read as the decimals that they were written as."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.blocks import blocks

__all__ = ["as_written", "half_cells", "shortest_decimals", "without_half"]

_MOST_DIGITS = 14  # a float32 of a decimal with up to three places has at least 15 digits in double precision
_EXACT_POWER = 22  # powers of ten up to this one are exact in double precision


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
        same = all(one is column for one, column in zip(read, columns, strict=True))
        return numbers if same else np.column_stack(read)
    return shortest_decimals(numbers.astype(np.float32)) if _are_single(numbers) else numbers


def shortest_decimals(numbers: AnyArray) -> FloatArray:
    """Return the shortest decimals that a narrow type rounds to these numbers, in double precision.

    Parameters
    ----------
    numbers : ndarray of float16 or float32, shape (n,)

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
    """Return the cells of a column in half precision as their shortest decimals; None stays.

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
    # Below a power of two numbers are closer than above, so that the nearest decimal is not always the shortest.
    binary = np.abs(np.frexp(decimals[left])[0]) == 0.5
    rest, left = left[binary], left[~binary]
    for places in range(1, _EXACT_POWER + 1):
        if not len(left):
            break
        power = 10.0**places
        rounded = np.rint(decimals[left] * power) / power  # the double nearest to that decimal
        found = rounded.astype(narrow.dtype) == narrow[left]
        decimals[left[found]] = rounded[found]
        left = left[~found]
    rest = np.concatenate([rest, left])  # besides powers of two what is below 1e-14
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
