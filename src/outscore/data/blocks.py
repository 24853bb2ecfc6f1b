"""Process arrays of many items in blocks that fit in the processor's cache."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from outscore._types import FloatArray

ONE_BLOCK = 2**13  # longer dot products start more threads of the linear algebra library
_BITS = 39  # leading bits summed at once; the sum of 2¹³ such numbers has at most 53
_LARGEST = 1e200


def blocks(n: int) -> Iterator[slice]:
    """Yield slices that cover n items; a single one if n is small.

    Examples
    --------
    >>> [block.stop - block.start for block in blocks(2**13 + 3)]
    [8192, 3]
    """
    return (slice(start, min(start + ONE_BLOCK, n)) for start in range(0, n, ONE_BLOCK))


def exact_sum(values: FloatArray) -> float:
    """Return the sum of values, shape (n,), rounded once. Same result as `math.fsum`, but faster.

    The leading bits of a block of numbers are summed exactly, then the next bits, until none is left.

    Examples
    --------
    >>> exact_sum(np.array([1e16, 1.0, -1e16] * 50_000))
    50000.0
    """
    if len(values) <= ONE_BLOCK or not np.abs(values).max() < _LARGEST:
        return math.fsum(values)
    sums: list[float] = []
    for block in blocks(len(values)):
        left = values[block]
        while largest := max(float(left.max()), -float(left.min())):
            # All numbers are below 2^e. Adding and subtracting this constant rounds them to multiples of 2^(e − 39).
            rounder = math.ldexp(1.5, 52 + math.frexp(largest)[1] - _BITS)
            leading = (left + rounder) - rounder
            sums.append(float(leading.sum()))
            left = left - leading
    return math.fsum(sums)
