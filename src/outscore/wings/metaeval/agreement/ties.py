"""Accuracy of pairs with ties (acc-t, tau_eq; Deutsch, Foster & Freitag 2023), and its threshold ε.

For every segment all pairs of translations with human scores are compared. A metric agrees if it orders a pair as
people do, or ties a pair that people tie. A metric ties translations whose scores differ by at most ε. acc-t is the
mean over segments of the proportion of pairs on which both agree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from outscore._types import AnyArray, BoolArray, FloatArray, IntArray
from outscore.wings.metaeval.agreement.correlations import pairs_of

# Of sums of proportions, in pairs of translations. One pair changes a sum by 1 or more, and rounding by far less.
_SAME_SUM = 1e-6


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of translations of each segment, P of them."""

    sizes: FloatArray  # shape (P, n): differences of the metric's scores, without sign; NaN if a score is missing
    tied: BoolArray  # shape (P, n): whether the human scores are equal
    ordered: BoolArray  # shape (P, n): whether the human scores differ, and the metric's scores are in the same order

    @classmethod
    def of(cls, human: FloatArray, scores: FloatArray) -> Pairs:
        """Return the pairs of human and metric scores, shape (S, n)."""
        gaps, score_gaps = pairs_of(human), pairs_of(scores)
        both = np.isfinite(gaps) & np.isfinite(score_gaps)
        sizes = np.where(both, np.abs(score_gaps), np.nan)
        return cls(sizes, both & (gaps == 0), both & (np.sign(gaps) * np.sign(score_gaps) > 0))

    @property
    def complete(self) -> BoolArray:
        """Whether pairs have all scores, shape (P, n)."""
        return np.isfinite(self.sizes)

    def agreeing(self, epsilon: float) -> BoolArray:
        """Return whether the metric agrees with people, shape (P, n)."""
        with np.errstate(invalid="ignore"):
            return np.where(self.sizes <= epsilon, self.tied, self.ordered)

    def curves(self, thresholds: FloatArray) -> FloatArray:
        """Return the number of agreeing pairs of each segment at each of t thresholds, shape (n, t)."""
        return np.stack([self.agreeing(epsilon).sum(axis=0) for epsilon in thresholds], axis=1).astype(np.float64)


def best_epsilons(pairs: Pairs) -> tuple[float, float]:
    """Return the ε of the largest acc-t, among 0 and all differences of two scores: mt-metrics-eval's and the smallest.

    Often several ε reach the maximum. mt-metrics-eval takes the first maximum of a running sum in double precision, so
    that rounding decides among them. The sum here adds the same numbers in the same order.

    Notes
    -----
    One sort of all m differences, and one pass.
    """
    sizes, tied, ordered, segments = _flat(pairs)
    if not len(sizes):
        return 0.0, 0.0
    counts = pairs.complete.sum(axis=0)
    steps = np.where(sizes > 0, tied.astype(np.int64) - ordered, 0)  # what a tie adds to the agreeing pairs
    agreeing = np.bincount(segments, ordered | (tied & (sizes == 0)), len(counts)).astype(np.int64)
    order = _stable_order(sizes)
    sizes, steps, segments = sizes[order], steps[order], segments[order]
    last = np.append(sizes[1:] != sizes[:-1], True)  # all pairs with the same difference are tied together
    totals = _running(agreeing, counts, steps, segments)
    thresholds = np.concatenate([[0.0], sizes[last]])
    values = np.concatenate([totals[:1], totals[1:][last]])
    exact = _exact_means(agreeing, counts, steps, segments)
    exact = np.concatenate([exact[:1], exact[1:][last]])
    if thresholds[1] == 0.0:  # ties at 0 are no step
        thresholds, values, exact = thresholds[1:], values[1:], exact[1:]
    best = exact >= exact.max() - _SAME_SUM
    return float(thresholds[int(np.where(best, values, -np.inf).argmax())]), float(thresholds[int(best.argmax())])


def _flat(pairs: Pairs) -> tuple[FloatArray, BoolArray, BoolArray, IntArray]:
    """Return the known pairs segment by segment."""
    complete_by_segment = pairs.complete.T
    segments = np.nonzero(complete_by_segment)[0]
    return (
        pairs.sizes.T[complete_by_segment],
        pairs.tied.T[complete_by_segment],
        pairs.ordered.T[complete_by_segment],
        segments,
    )


def _stable_order(values: AnyArray) -> IntArray:
    """Return `np.argsort(values, kind="stable")`, from NumPy's sorts that are not stable but several times as fast."""
    order = np.argsort(values)
    ordered = values[order]
    runs = np.cumsum(np.append(False, ordered[1:] != ordered[:-1])) * len(values)
    return np.asarray(np.sort(runs + order) - runs)


def _exact_means(agreeing: IntArray, counts: IntArray, steps: IntArray, segments: IntArray) -> FloatArray:
    """Return the sum over segments of the agreeing proportion before and after each step, times the largest count."""
    scale = float(counts.max())
    weights = np.divide(scale, counts, out=np.zeros(len(counts)), where=counts > 0)
    return np.concatenate([[0.0], np.cumsum(steps * weights[segments])]) + float(agreeing @ weights)


def _running(agreeing: IntArray, counts: IntArray, steps: IntArray, segments: IntArray) -> FloatArray:
    """Return the sum of proportions as mt-metrics-eval adds it up: less the old one and plus the new one."""
    order = _stable_order(segments)
    starts = np.searchsorted(segments[order], np.arange(len(counts)))
    along = np.cumsum(steps[order])
    before = np.concatenate([[0], along])[starts]
    after = np.empty(len(steps), dtype=np.int64)
    after[order] = along - before[segments[order]] + agreeing[segments[order]]
    counts_here = counts[segments]
    terms = np.empty(1 + 2 * len(steps))
    rated = counts > 0
    terms[0] = np.cumsum(agreeing[rated] / counts[rated])[-1]  # one by one
    terms[1::2] = -((after - steps) / counts_here)
    terms[2::2] = after / counts_here
    return np.cumsum(terms)[::2]
