"""Wilcoxon's signed-rank test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from outscore._types import FloatArray
from outscore.significance.base import Outcome, PairLaws, Question, SignificanceTest
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
