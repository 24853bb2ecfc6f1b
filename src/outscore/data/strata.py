"""Strata: parts of the test set with fixed sizes, resampled separately.

Resampling n_h of the n_h units of a stratum gives (n_h − 1)/n_h of the correct variance, and the error does not average
out over strata. So n_h − 1 units are drawn, each with weight n_h/(n_h − 1). Then the variance of a sum is unbiased,
Σ n_h s_h² (McCarthy 1969; Rao & Wu 1988).
"""

from __future__ import annotations

import math

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray

_LARGEST_DIVISOR = 2**20  # multiples up to this keep integers exact in double precision


def members_of(strata: AnyArray) -> list[IntArray]:
    """Return the places of the units of each stratum, in the order of codes."""
    order = np.argsort(strata, kind="stable")
    _, starts = np.unique(strata[order], return_index=True)
    return np.split(order, starts[1:])


def sizes_of(strata: AnyArray | None, n: int) -> list[int]:
    """Return the number of units of each stratum; [n] without strata."""
    return [n] if strata is None else np.unique(strata, return_counts=True)[1].tolist()


def scales(strata: AnyArray) -> tuple[FloatArray, float]:
    """Return the weights of drawn units, n_h/(n_h − 1), as numerators, shape (n,), and one denominator.

    Numerators are integers if the common denominator is small, so that sums of integers stay exact; else the
    denominator is 1.

    Examples
    --------
    >>> scales(np.array([0, 0, 1, 1, 1]))
    (array([4., 4., 3., 3., 3.]), 2.0)
    """
    sizes, index = np.unique(strata, return_counts=True, return_inverse=True)[:0:-1]
    divisor = math.lcm(*(sizes - 1).tolist())
    if divisor > _LARGEST_DIVISOR:
        return np.asarray((sizes / (sizes - 1))[index]), 1.0
    return (sizes * (divisor // (sizes - 1)))[index].astype(np.float64), float(divisor)


def shared_out(sizes: IntArray, total: int) -> IntArray:
    """Return how many of `total` units each stratum gets, in proportion to sizes, then by largest remainder.

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
    """Return the new code of each stratum, given its size. Strata of one unit are merged.

    They are merged into one stratum. If there is only one, it joins the smallest other stratum, or the first of
    several. The variance of such collapsed strata includes the differences between them, so it is not underestimated in
    expectation (Cochran 1977, section 5A.12).

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


def merged_strata(strata: AnyArray | None, *, merge: bool = False) -> AnyArray | None:
    """Return codes from 0, or None if only one stratum is left; with `merge`, strata of one unit are merged."""
    if strata is None:
        return None
    codes = np.unique(strata, return_inverse=True)[1]
    if merge:
        codes = merged_singles(np.bincount(codes))[codes]
    return codes if codes.max(initial=0) > 0 else None
