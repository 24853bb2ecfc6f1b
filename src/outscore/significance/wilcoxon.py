"""Wilcoxon's signed-rank test."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from outscore._types import FloatArray
from outscore.exact import swap_law
from outscore.results import Alternative, Estimator, Interval
from outscore.significance.base import Outcome, PairLaws, Question, SignificanceTest, one_sided
from outscore.significance.pair import AnyPair
from outscore.significance.signed import no_median, sign_flip_outcome, unit_differences

__all__ = ["Wilcoxon"]


@dataclass(frozen=True)
class Wilcoxon(SignificanceTest):
    """Wilcoxon's signed-rank test, exact at any size.

    Null hypothesis: the differences are symmetric about 0. Zero differences are left out
    (Wilcoxon 1945), tied sizes get the mean of their ranks, and the law of the rank sum is that of these very
    ranks under random signs: exact with ties too. The statistic is the sum of the ranks of helped units.
    """

    name = "wilcoxon"

    def obstacle(self, pair: AnyPair, question: Question) -> str | None:
        return no_median(pair, question)

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        del laws
        differences = unit_differences(pair, 0.0)
        differences = differences[differences != 0]
        ranks = np.sign(differences) * _mid_ranks(np.abs(differences))
        return sign_flip_outcome(ranks, question, float(ranks[ranks > 0].sum()), "exact: signed ranks")

    def interval(
        self, pair: AnyPair, laws: PairLaws, alpha: float, question: Question, estimator: Estimator
    ) -> Interval | None:
        """Return the interval of the differences' pseudo-median (Hodges & Lehmann 1963), in the unit of the score.

        Its ends are means of two differences, counted off by the quantile of the rank sum; None for tied differences.
        """
        del laws, estimator
        if pair.linear is None or not pair.equal_weights:
            return None
        differences = pair.linear.d / pair.linear.shared
        n = len(differences)
        if len(np.unique(np.abs(differences))) < n or not differences.all():
            return None
        level = alpha / 2 if question.alternative is Alternative.TWO_SIDED else alpha
        whole = n * (n + 1) // 2
        law = swap_law(np.arange(1.0, n + 1), np.ones(n)) if 0.5**n <= level else None
        if law is None:
            return Interval(-math.inf, math.inf, 1 - alpha, "wilcoxon", exact=True)
        # So many of the n(n + 1)/2 means may lie below the lower end: P(W <= count) <= level.
        count = round((law.quantile(level) * n + whole) / 2)
        if law.outside((2 * count - whole) / n, math.inf).value > level * (1 + 1e-12):
            count -= 1
        both = Interval(
            _mean_of_two(differences, count), -_mean_of_two(-differences, count), 1 - alpha, "wilcoxon", exact=True
        )
        return one_sided(both, question.alternative)


def _mean_of_two(differences: FloatArray, count: int) -> float:
    """Return the mean of two differences that has `count` means below it, to the last few bits."""
    low, high = float(differences.min()), float(differences.max())
    ordered = np.sort(differences)
    for _ in range(60):
        middle = (low + high) / 2
        # Pairs i <= j with a mean of at most `middle`.
        partners = np.searchsorted(ordered, 2 * middle - ordered, side="right") - np.arange(len(ordered))
        low, high = (low, middle) if np.maximum(partners, 0).sum() > count else (middle, high)
    return high


def _mid_ranks(sizes: FloatArray) -> FloatArray:
    """Return ranks from 1, tied sizes sharing their mean; sizes that differ by rounding alone are tied."""
    if len(sizes) == 0:
        return sizes
    order = np.argsort(sizes, kind="stable")
    ordered = sizes[order]
    new = np.concatenate([[True], np.diff(ordered) > 1e-12 * ordered[-1]])
    tie = np.cumsum(new) - 1
    counts = np.bincount(tie)
    ends = np.cumsum(counts)
    ranks = np.empty(len(sizes))
    ranks[order] = (ends - (counts - 1) / 2)[tie]
    return ranks
