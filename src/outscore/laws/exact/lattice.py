"""Values that lie on a grid, such as counts, decimals and fractions, and how exactly sums of values are known."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from outscore._types import FloatArray
from outscore.data.blocks import blocks

# How far from a grid point, in steps, a threshold can at most be and still count as being on it. Grids are at most
# 2²² steps wide, so that sums of thousands of values in double precision stay well inside.
TIE = 1e-5
_FINEST = 2.0**-22
# Rounding noise of scores, relative to the largest. More than that off a grid is off the grid: who rounds a
# difference of 1e-6 among whole numbers to 0 makes ties where there are none.
NOISE = 1e-12
# What arithmetic in double precision makes of sums of values that are known exactly, relative to the largest sum.
ROUNDING = 2.0**-50
_MOST_DECIMALS = 9


@dataclass(frozen=True)
class Precision:
    """How exactly the sums of differences under resampling are known.

    Attributes
    ----------
    noise : float
        Sums this close are taken to be equal.
    blur : float
        By how much rounding may have changed a sum and its threshold. Where sums are not resolved, the probability that
        they are so close to the threshold belongs to the error; 0 where they are.
    grain : float, optional
        All differences are multiples of it, and sums of them are resolved, however small the grain is beside them.
    """

    noise: float
    blur: float = 0.0
    grain: float | None = None


def find_step(offsets: FloatArray, magnitude: float = 0.0, grain: float | None = None) -> float | None:
    """Return the largest step of which all offsets are multiples, or None if there is none worth the name.

    None where all are zero, or where the step would be finer than 2⁻²² of the largest. `magnitude` is that of the
    values whose offsets they are: it says how large their rounding noise is. Of multiples of a `grain` it is less.

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
    """Find the step of decimals: integers after scaling by a power of ten, whose divisor is exact."""
    for decimals in range(_MOST_DECIMALS + 1):
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
    """Find the step of fractions: Euclid's algorithm in floating point.

    The smallest remainder that is not rounding noise is the next candidate, and it at least halves each time.
    """
    step, uncertainty = largest, noise
    while largest / step * uncertainty < step / 8:
        multiples = np.rint(offsets / step)
        remainders = np.abs(offsets - multiples * step)
        real = np.flatnonzero(remainders > noise + multiples * uncertainty)
        if len(real) == 0:
            # Least squares over all offsets: the remainder that gave the step carries its rounding error.
            step = float(offsets @ multiples / (multiples @ multiples))
            off_grid = np.abs(offsets - np.rint(offsets / step) * step).max()
            return step if off_grid <= 2 * noise else None
        smallest = real[np.argmin(remainders[real])]
        step = float(remainders[smallest])
        uncertainty = float(multiples[smallest]) * uncertainty + noise
    return None
