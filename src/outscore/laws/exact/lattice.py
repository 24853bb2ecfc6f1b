"""Values on a grid, such as counts, decimals and fractions, and the precision of sums of values."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from outscore._types import FloatArray
from outscore.data.blocks import ONE_BLOCK, blocks
from outscore.laws.tolerances import MOST_DECIMALS, NOISE

# Maximum distance from a grid point, in steps, of a threshold that counts as on it. Grids are at most 2²² steps wide,
# so the error of sums of thousands of values in double precision is far smaller.
TIE = 1e-5
_FINEST = 2.0**-22


@dataclass(frozen=True)
class Precision:
    """The precision of sums of differences under resampling.

    Attributes
    ----------
    noise : float
        Sums this close count as equal.
    blur : float
        Maximum rounding error of a sum and its threshold. If it is not 0, sums are not resolved, and the probability
        of sums that close to the threshold is included in the error.
    grain : float, optional
        All differences are multiples of it, and their sums are resolved, however small the grain is.
    """

    noise: float
    blur: float = 0.0
    grain: float | None = None


def find_step(offsets: FloatArray, magnitude: float = 0.0, grain: float | None = None) -> float | None:
    """Return the largest step of which all offsets are multiples, or None if there is no useful one.

    None if all are zero, or the step would be finer than 2⁻²² of the largest. `magnitude` is that of the values that
    the offsets come from, and determines their rounding error. Multiples of a `grain` have less.

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
    noise = NOISE * max(largest, magnitude)
    if grain is not None:
        noise = min(noise, grain / 16)
    step = _decimal_step(offsets, largest, noise) or _euclidean_step(offsets, largest, noise)
    return step if step is not None and step >= _FINEST * largest else None


def _decimal_step(offsets: FloatArray, largest: float, noise: float) -> float | None:
    """Return the step of decimals: integers after scaling by a power of ten, which have an exact divisor."""
    for decimals in range(MOST_DECIMALS + 1):
        scale = 10.0**decimals
        if largest * scale * _FINEST > 1 or noise * scale > TIE:
            break
        divisor = 0
        for at in blocks(len(offsets)):
            scaled = offsets[at] * scale
            multiples = np.rint(scaled)
            if np.abs(scaled - multiples).max() > noise * scale:
                break
            if divisor != 1:
                divisor = math.gcd(divisor, int(np.gcd.reduce(multiples.astype(np.int64))))
        else:
            return divisor / scale or None
    return None


def _euclidean_step(offsets: FloatArray, largest: float, noise: float) -> float | None:
    """Return the step of fractions by Euclid's algorithm in floating point.

    The smallest remainder above the rounding error is the next candidate, and at most half of the one before.
    """
    few = offsets[:ONE_BLOCK]
    if len(few) < len(offsets) and few.any():
        # The step of all divides that of a part, so a few offsets often rule out any.
        step_of_few = _euclidean_step(few, largest, noise)
        if step_of_few is None or step_of_few < _FINEST * largest:
            return None
    step, uncertainty = largest, noise
    while largest / step * uncertainty < step / 8:
        multiples = np.rint(offsets / step)
        remainders = np.abs(offsets - multiples * step)
        real = np.flatnonzero(remainders > noise + multiples * uncertainty)
        if len(real) == 0:
            # Least squares over all offsets, because the remainder has a rounding error.
            step = float(offsets @ multiples / (multiples @ multiples))
            off_grid = np.abs(offsets - np.rint(offsets / step) * step).max()
            return step if off_grid <= 2 * noise else None
        smallest = real[np.argmin(remainders[real])]
        step = float(remainders[smallest])
        uncertainty = float(multiples[smallest]) * uncertainty + noise
    return None
