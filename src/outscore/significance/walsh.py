"""The pseudo-median of differences, from their pairwise averages (Walsh averages), and their median."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from outscore._types import FloatArray
from outscore.laws.beta import binomial_at_least
from outscore.laws.student import normal_quantile
from outscore.laws.tolerances import MOST_COUNTED_RANKS, NOISE, ROUNDING_SLACK

# At most; the loop stops at neighbouring doubles. 40 halvings lead from the largest difference to its 1e-12, below
# which values are 0 anyway, and 53 more are the bits of a double.
_HALVINGS = 100


@dataclass(frozen=True)
class PseudoMedian:
    """The pseudo-median of n differences, with its interval."""

    estimate: float  # Hodges and Lehmann's: the median of the averages (dᵢ + dⱼ)/2 with i ≤ j
    low: float  # ends of the interval; infinite if n is too small
    high: float
    exact: bool  # whether the ranks of the ends come from the exact distribution of the rank sum
    share_above: float  # the proportion of averages above 0, with averages of 0 as half


def pseudo_median(differences: FloatArray, tail: float) -> PseudoMedian:
    """Return the pseudo-median of differences, and the interval whose ends have the level `tail` each.

    With M = n(n + 1)/2 averages in ascending order, the interval is from number k + 1 to number M − k. k is the largest
    count with P(T₊ ≤ k) ≤ `tail` for the rank sum T₊ of n untied differences, from the normal distribution for n > 60
    (Hollander, Wolfe & Chicken 2014, section 3.3).

    Notes
    -----
    Cost: for each of four averages some 60 searches of n values in n sorted differences, and memory for n numbers.
    5,000 differences take .1 seconds.
    """
    ordered = np.sort(differences)
    n = len(ordered)
    m = n * (n + 1) // 2
    # Differences of decimals are not exact: without a tolerance an average that is 0 on paper would be above or below.
    tolerance = NOISE * max(abs(float(ordered[0])), abs(float(ordered[-1])))
    k = _most_below(n, tail)
    places = [(m - 1) // 2, m // 2, *([k, m - 1 - k] if k >= 0 else [])]
    averages = [
        0.0 if abs(value) <= tolerance else value for value in (_average_at(ordered, index) for index in places)
    ]
    below, upto = (_count_upto(ordered, end) for end in (math.nextafter(-tolerance, -math.inf), tolerance))
    low, high = averages[2:] or (-math.inf, math.inf)
    return PseudoMedian(
        (averages[0] + averages[1]) / 2, low, high, n <= MOST_COUNTED_RANKS, (m - (below + upto) / 2) / m
    )


def median_of(differences: FloatArray, tail: float) -> tuple[float, float, float]:
    """Return the median of n differences and the ends of its interval, with the level `tail` each.

    The interval is from the ordered difference k + 1 to n − k. k is the largest count with P(B ≤ k) ≤ `tail` for
    B ~ Binomial(n, ½). The ends are infinite if there is none.
    """
    ordered, n = np.sort(differences), len(differences)
    low, high = -1, n // 2  # P(B ≤ low) is at most the level, P(B ≤ high) is above it
    while high - low > 1:
        middle = (low + high) // 2
        below = float(binomial_at_least(np.array([n - middle]), np.array([middle]), 0.5)[0])
        low, high = (middle, high) if below <= tail * ROUNDING_SLACK else (low, middle)
    ends = (float(ordered[low]), float(ordered[n - 1 - low])) if low >= 0 else (-math.inf, math.inf)
    return float(np.median(ordered)), *ends


def _most_below(n: int, tail: float) -> int:
    """Return the largest k with P(T₊ ≤ k) ≤ tail, or −1, for the signed-rank sum of n untied differences."""
    if n > MOST_COUNTED_RANKS:
        spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return math.floor(n * (n + 1) / 4 - normal_quantile(tail) * spread - 0.5)
    # Of sign patterns, by T₊. There are 2⁶⁰ at most, so whole numbers of 64 bits are exact, which doubles are not.
    counts = np.zeros(n * (n + 1) // 2 + 1, dtype=np.int64)
    counts[0] = 1
    for rank in range(1, n + 1):
        counts[rank:] += counts[:-rank].copy()
    # A probability equal to the level up to rounding is not above it.
    return int(np.searchsorted(np.cumsum(counts), tail * 2.0**n * ROUNDING_SLACK, side="right")) - 1


def _average_at(ordered: FloatArray, index: int) -> float:
    """Return the average at one index of all averages in ascending order, by counting the averages up to a value."""
    low, high = math.nextafter(float(ordered[0]), -math.inf), float(ordered[-1])
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        # Between neighbouring doubles there is no middle: `high` then is the average to the last bit.
        if not low < middle < high:
            break
        low, high = (low, middle) if _count_upto(ordered, middle) > index else (middle, high)
    return high


def _count_upto(ordered: FloatArray, value: float) -> int:
    """Return the number of averages (dᵢ + dⱼ)/2, i ≤ j, that are at most `value`."""
    # For each dᵢ the partners dⱼ ≤ 2·value − dᵢ with j ≥ i: the n(n + 1)/2 averages are never made.
    partners = np.searchsorted(ordered, 2 * value - ordered, side="right") - np.arange(len(ordered))
    return int(np.maximum(partners, 0).sum())
