"""Many data sets of one design at once, and what the default test says of each.

The default is a closed form of influences, so that it judges thousands of data sets in one call of the functions that
`outscore.compare` takes. `problem` holds single data sets to the public call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

import outscore
from outscore import Rows
from outscore.metrics import ColumnMetric, RatioMetric
from outscore.results import Alternative
from tests.scored import scored
from tests.significance.kit import Leverage, Spread, cr2_degrees, skew_p_values, spread_of_gaps, without_rounding

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_ROUNDING = 1e-13  # influences of units that are all alike
_SLACK = 1 + 1e-12


@dataclass(frozen=True, eq=False)
class Sets:
    """Data sets of two systems on n units each.

    Attributes
    ----------
    gains : ndarray, shape (m,)
    gaps : ndarray, shape (m, n)
        The gain less that without each unit.
    sizes : ndarray, shape (n,) or (m, n)
        What each unit weighs.
    systems : callable
        The place of a data set to its two systems, as `outscore.compare` takes them.
    asked : mapping
        Keyword arguments of `outscore.compare` for them.
    strata : ndarray of int, shape (n,), optional
    counts : tuple of ndarray, shape (m,) each, optional
        Of binary items: on how many the candidate alone is right, and the baseline alone.
    """

    gains: FloatArray
    gaps: FloatArray
    sizes: FloatArray
    systems: Callable[[int], Sequence[Any]]
    asked: dict[str, Any] = field(default_factory=dict)
    strata: IntArray | None = None
    counts: tuple[IntArray, IntArray] | None = None

    def __len__(self) -> int:
        return len(self.gains)

    @cached_property
    def spread(self) -> Spread:
        """What the units tell of each gain."""
        n = self.gaps.shape[1]
        largest = np.abs(self.gaps).max(axis=1)
        tolerance = _ROUNDING * (np.abs(self.gains) / n + largest)
        if self.sizes.ndim == 1:
            return spread_of_gaps(Leverage(self.sizes, self.strata), self.gaps, tolerance[:, None])
        return _spread_of_uneven(self.sizes, self.gaps, tolerance[:, None])

    def p_values(self, alternative: Alternative = Alternative.TWO_SIDED, null: float = 0.0) -> FloatArray:
        """Return the p-values of the default test, shape (m,)."""
        if self.counts is not None and null == 0:
            return exact_p_values(*self.counts, alternative)
        excess, variance = self.gains - null, np.asarray(self.spread.variance)
        known = variance > 0
        t = np.divide(excess, np.sqrt(variance), out=np.zeros(len(self)), where=known)
        p = skew_p_values(t, self.spread, alternative)
        # Units that all show one gain: the sign test.
        alike = 0.5 ** self.gaps.shape[1]
        match alternative:
            case Alternative.TWO_SIDED:
                signs = np.where(excess == 0, 1.0, min(2 * alike, 1.0))
            case Alternative.GREATER:
                signs = np.where(excess > 0, alike, 1.0)
            case Alternative.LESS:
                signs = np.where(excess < 0, alike, 1.0)
        return np.where(known, p, signs)

    def problem(self, place: int) -> str | None:
        """Return how the public call differs on one data set, or None."""
        # The bootstrap beside the verdict, which enumerates few units, is not looked at.
        method = "auto" if self.counts is not None else "monte-carlo"
        for alternative in Alternative:
            found = outscore.compare(
                *self.systems(place), alternative=alternative, method=method, n_resamples=99, **self.asked
            ).comparisons[0]
            ours, theirs = float(self.p_values(alternative)[place]), found.tests[0].p_value
            if abs(found.gain - self.gains[place]) > 1e-9 * max(abs(found.gain), 1e-3):
                return f"gain {self.gains[place]!r}, by outscore.compare {found.gain!r}"
            if abs(ours - theirs) > 1e-7 * theirs:
                return f"{alternative}: p = {ours!r}, by outscore.compare {theirs!r} ({found.tests[0].name})"
        return None


def _spread_of_uneven(sizes: FloatArray, gaps: FloatArray, tolerance: FloatArray) -> Spread:
    """Return what `spread_of_gaps` does of data sets whose units have sizes of their own, all of shape (m, n)."""
    shares = sizes / sizes.sum(axis=1, keepdims=True)
    rest = without_rounding(shares)
    values = gaps * np.sqrt(rest)
    values = np.where(np.abs(values) <= tolerance, 0.0, values)
    largest = np.abs(values).max(axis=1)
    u = values / np.where(largest > 0, largest, 1.0)[:, None]
    second, third, fourth = ((u**power).sum(axis=1) for power in (2, 3, 4))
    return Spread.of_sums(second, third, fourth, cr2_degrees(shares, rest), largest)


def exact_p_values(wins: IntArray, losses: IntArray, alternative: Alternative) -> FloatArray:
    """Return the p-values of the randomization test of binary items: McNemar's exact test."""
    differing = wins + losses
    match alternative:
        case Alternative.GREATER:
            return np.asarray(binom.sf(wins - 1, differing, 0.5))
        case Alternative.LESS:
            return np.asarray(binom.sf(losses - 1, differing, 0.5))
        case Alternative.TWO_SIDED:
            return np.asarray(np.minimum(2 * binom.sf(np.maximum(wins, losses) - 1, differing, 0.5), 1.0))


def of_means(d: FloatArray) -> Sets:
    """Return data sets of mean differences d, shape (m, n)."""
    mean = d.mean(axis=1)
    gaps = (d - mean[:, None]) / (d.shape[1] - 1)
    return Sets(mean, gaps, np.ones(d.shape[1]), lambda place: (np.zeros(d.shape[1]), d[place]))


def of_ratios(d: FloatArray, sizes: FloatArray) -> Sets:
    """Return data sets of Σd/Σℓ, both of shape (m, n): errors per word, means over items of clusters."""
    whole = sizes.sum(axis=1, keepdims=True)
    gains = d.sum(axis=1) / whole[:, 0]
    gaps = (d - gains[:, None] * sizes) / np.maximum(whole - sizes, 1e-300)

    def systems(place: int) -> Sequence[FloatArray]:
        return [np.column_stack([of, sizes[place]]) for of in (np.zeros_like(d[place]), d[place])]

    alike = bool((sizes == sizes[:1]).all())
    return Sets(gains, gaps, sizes[0] if alike else sizes, systems, {"metric": "ratio"})


def of_binary(d: FloatArray) -> Sets:
    """Return data sets of binary items, by differences of 1, 0 and −1; where none differ both are right."""
    means = of_means(d)
    wins, losses = ((d == sign).sum(axis=1) for sign in (1, -1))
    return Sets(
        means.gains,
        means.gaps,
        means.sizes,
        lambda place: (np.where(d[place] > 0, 0.0, 1.0), np.where(d[place] < 0, 0.0, 1.0)),
        {"metric": "accuracy"},
        counts=(wins, losses),
    )


def of_strata(d: FloatArray, strata: IntArray, shares: Sequence[float] | None = None) -> Sets:
    """Return data sets of the mean over strata, of equal or given weights, of the mean differences within each."""
    own, asked = np.bincount(strata), "macro" if shares is None else {f"s{h:02}": w for h, w in enumerate(shares)}
    weights = (np.full(len(own), 1 / len(own)) if shares is None else np.array(shares))[strata] / own[strata]
    gains = d @ weights
    gaps = (d - gains[:, None]) * weights / (1 - weights)
    named = {"strata": [f"s{code:02}" for code in strata], "weights": asked}
    return Sets(gains, gaps, weights, lambda place: (np.zeros(d.shape[1]), d[place]), named, strata)


def of_binary_strata(d: FloatArray, strata: IntArray) -> Sets:
    """Return such data sets of binary items; strata of one size are a plain mean, which the exact test takes."""
    means, binary = of_strata(d, strata), of_binary(d)
    alike = bool((np.bincount(strata) == np.bincount(strata)[0]).all())
    asked = {**means.asked, **binary.asked}
    return replace(means, systems=binary.systems, asked=asked, counts=binary.counts if alike else None)


def of_rows(metric: ColumnMetric, one: FloatArray, other: FloatArray) -> Sets:
    """Return data sets of a metric of summed rows, shape (m, n, k) each."""
    sign = 1.0 if metric.higher_is_better else -1.0
    totals = [rows.sum(axis=1) for rows in (one, other)]
    low, high = (np.asarray(metric.score(total)) for total in totals)
    without = [
        np.asarray(metric.score(total[:, None] - rows)) for total, rows in zip(totals, (one, other), strict=True)
    ]
    gains = sign * (high - low)
    bottom = np.asarray(metric.denominator) if isinstance(metric, RatioMetric) else np.ones(one.shape[-1])
    sizes = (np.abs(one) @ bottom + np.abs(other) @ bottom) / 2  # as `Pair.sizes`
    return Sets(
        gains,
        gains[:, None] - sign * (without[1] - without[0]),
        sizes,
        lambda place: [scored(metric, [Rows("one", one[place]), Rows("other", other[place])])],
    )


def rejected(p: FloatArray, alpha: float) -> float:
    """Return the proportion of p-values up to alpha."""
    return float((p <= alpha * _SLACK).mean())
