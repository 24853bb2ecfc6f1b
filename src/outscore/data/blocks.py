"""Arrays of many items, gone through block by block: what is computed of a block stays in the processor's cache."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from outscore._types import FloatArray

ONE_BLOCK = 2**13  # dot products of more wake other threads of the linear algebra library
_BITS = 39  # of a block of numbers, summed up at once: of 2¹³ of them the sum has 53 at most
_LARGEST = 1e200


def blocks(n: int) -> Iterator[slice]:
    """Yield the slices that make up n items, one of all where they are few.

    Examples
    --------
    >>> [block.stop - block.start for block in blocks(2**13 + 3)]
    [8192, 3]
    """
    return (slice(start, min(start + ONE_BLOCK, n)) for start in range(0, n, ONE_BLOCK))


def exact_sum(values: FloatArray) -> float:
    """Return the sum of values, shape (n,), rounded once: `math.fsum`, many numbers at a time.

    Of each block the leading bits of all numbers are summed up, which is exact, then the next ones, until none is left.

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
            # With this added, and taken away again, numbers are rounded to multiples of 2^(e − 39), where all are
            # below 2^e.
            rounder = math.ldexp(1.5, 52 + math.frexp(largest)[1] - _BITS)
            leading = (left + rounder) - rounder
            sums.append(float(leading.sum()))
            left = left - leading
    return math.fsum(sums)
