"""Recognition of values that lie on a grid: counts, decimals, fractions with a common denominator."""

from __future__ import annotations

import numpy as np

from outscore._types import FloatArray

__all__ = ["TIE", "find_step"]

# How far from a grid point, in steps, a threshold still counts as being on it. Grids are at most 2²² steps
# wide, so that sums of thousands of values in double precision stay well inside.
TIE = 1e-5
_FINEST = 2.0**-22
_NOISE = 1e-12  # rounding noise of differences of scores, relative to the largest
_ON_GRID = 1e-5  # how far off a decimal grid, in its steps, rounding noise can be
_MOST_DECIMALS = 9


def find_step(offsets: FloatArray) -> float | None:
    """Return the largest step of which all offsets are multiples, or None if there is none worth the name.

    Parameters
    ----------
    offsets : ndarray, shape (n,)
        Non-negative.

    Returns
    -------
    float or None
        None where all offsets are zero, or where the step would be finer than 2⁻²² of the largest offset.

    Examples
    --------
    >>> round(find_step(np.array([0.0, 0.3, 0.1 + 0.2, 0.75])), 12)
    0.15
    >>> round(1 / find_step(np.array([0.0, 2 / 3, 5 / 7])), 9)
    21.0
    >>> find_step(np.array([0.0, 1.0, 2**0.5, 3**0.5])) is None
    True
    """
    largest = float(offsets.max(initial=0.0))
    if largest == 0:
        return None
    step = _decimal_step(offsets, largest) or _euclidean_step(offsets, largest)
    return step if step is not None and step >= _FINEST * largest else None


def _decimal_step(offsets: FloatArray, largest: float) -> float | None:
    """Find the step of decimals: integers after scaling by a power of ten, whose divisor is exact."""
    for decimals in range(_MOST_DECIMALS + 1):
        scale = 10.0**decimals
        if largest * scale * _FINEST > 1:
            break
        scaled = offsets * scale
        multiples = np.rint(scaled)
        if np.abs(scaled - multiples).max() <= _ON_GRID:
            return float(np.gcd.reduce(multiples.astype(np.int64))) / scale or None
    return None


def _euclidean_step(offsets: FloatArray, largest: float) -> float | None:
    """Find the step of fractions: Euclid's algorithm in floating point.

    The smallest remainder that is not rounding noise is the next candidate, and it at least halves each time.
    """
    step, uncertainty = largest, _NOISE * largest
    while largest / step * uncertainty < step / 8:
        multiples = np.rint(offsets / step)
        remainders = np.abs(offsets - multiples * step)
        real = np.flatnonzero(remainders > _NOISE * largest + multiples * uncertainty)
        if len(real) == 0:
            # Least squares over all offsets: the remainder that gave the step carries its rounding error.
            step = float(offsets @ multiples / (multiples @ multiples))
            off_grid = np.abs(offsets - np.rint(offsets / step) * step).max()
            return step if off_grid <= 2 * _NOISE * largest else None
        smallest = real[np.argmin(remainders[real])]
        step = float(remainders[smallest])
        uncertainty = float(multiples[smallest]) * uncertainty + _NOISE * largest
    return None
