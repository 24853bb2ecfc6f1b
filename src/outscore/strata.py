"""Strata: parts of the test set whose sizes are fixed, each drawn from by itself.

Drawing n_h of a stratum's n_h units leaves (n_h − 1)/n_h of its variance, and that does not average out over strata. So
n_h − 1 units of each are drawn and weigh n_h/(n_h − 1): the variance of a sum is then the unbiased one, Σ n_h s_h²
(McCarthy 1969; Rao & Wu 1988).
"""

from __future__ import annotations

import math

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray

_LARGEST_DIVISOR = 2**20  # whole numbers times multiples up to this stay whole numbers in double precision


def members_of(strata: AnyArray) -> list[IntArray]:
    """Return the places of each stratum's units, in the order of the codes."""
    order = np.argsort(strata, kind="stable")
    _, starts = np.unique(strata[order], return_index=True)
    return np.split(order, starts[1:])


def sizes_of(strata: AnyArray | None, n: int) -> list[int]:
    """Return how many units each stratum has; n where there are none."""
    return [n] if strata is None else np.unique(strata, return_counts=True)[1].tolist()


def scales(strata: AnyArray) -> tuple[FloatArray, float]:
    """Return what a drawn unit weighs, n_h/(n_h − 1), as multiples, shape (n,), over one divisor.

    Whole numbers over a common denominator where that is small, so that sums of whole numbers stay exact; else
    fractions over 1.

    Examples
    --------
    >>> scales(np.array([0, 0, 1, 1, 1]))
    (array([4., 4., 3., 3., 3.]), 2.0)
    """
    sizes, place = np.unique(strata, return_counts=True, return_inverse=True)[:0:-1]
    divisor = math.lcm(*(sizes - 1).tolist())
    if divisor > _LARGEST_DIVISOR:
        return np.asarray((sizes / (sizes - 1))[place]), 1.0
    return (sizes * (divisor // (sizes - 1)))[place].astype(np.float64), float(divisor)


def shared_out(sizes: IntArray, total: int) -> IntArray:
    """Return how many of `total` units fall to each stratum, in proportion to sizes; the largest rests get one more.

    Examples
    --------
    >>> shared_out(np.array([50, 30, 20]), 11)
    array([6, 3, 2])
    """
    shares = np.asarray(sizes) * total / np.sum(sizes)
    counts = np.floor(shares).astype(np.int64)
    counts[np.argsort(counts - shares, kind="stable")[: total - counts.sum()]] += 1
    return counts


def merged_singles(sizes: IntArray) -> IntArray:
    """Return the new code of each stratum, given their sizes, when those of one unit are merged.

    They become one stratum together; a single one joins the smallest of the others, the first of equals. (Collapsed
    strata: the variance then also counts what the merged ones differ by, and is never too small in expectation;
    Cochran 1977, section 5A.12.)

    Examples
    --------
    >>> merged_singles(np.array([5, 1, 9, 1])), merged_singles(np.array([9, 1, 5]))
    (array([0, 1, 2, 1]), array([0, 1, 1]))
    """
    codes = np.arange(len(sizes))
    single = np.flatnonzero(sizes == 1)
    if len(single) == 1 and len(sizes) > 1:
        codes[single] = np.argmin(np.where(sizes == 1, np.iinfo(np.int64).max, sizes))
    elif len(single):
        codes[single] = single[0]
    return np.asarray(np.unique(codes, return_inverse=True)[1])


def settled(strata: AnyArray | None, *, merge: bool = False) -> AnyArray | None:
    """Return codes from 0 on, or None where only one stratum is left; with `merge` those of one unit are merged."""
    if strata is None:
        return None
    codes = np.unique(strata, return_inverse=True)[1]
    if merge:
        codes = merged_singles(np.bincount(codes))[codes]
    return codes if codes.max(initial=0) > 0 else None
