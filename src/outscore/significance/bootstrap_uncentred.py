"""The paired bootstrap without recentring."""

from __future__ import annotations

from dataclasses import dataclass

from outscore.results import Alternative, Estimator, Interval, Ties
from outscore.significance.base import (
    Outcome,
    PairLaws,
    Question,
    SignificanceTest,
    one_sided,
    rejecting_share,
)
from outscore.significance.pair import AnyPair

__all__ = ["BootstrapUncentred"]


@dataclass(frozen=True)
class BootstrapUncentred(SignificanceTest):
    """The paired bootstrap without recentring (Koehn 2004; Jansen): how often a resample shows no gain.

    Null hypothesis: the gain is at most 0 (or δ₀).

        greater: p = P(δ* ≤ δ₀);  less: p = P(δ* ≥ δ₀);  two-sided: twice the smaller, at most 1.

    With strict ties < replaces ≤. It inverts the percentile interval: p ≤ α where the one-sided interval
    leaves out δ₀. For symmetric laws it agrees with `Bootstrap`.
    """

    name = "bootstrap-uncentred"
    centre = "0"
    resamples = True

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        del pair
        law = laws.bootstrap()
        strict = question.ties is Ties.STRICT
        infinity = float("inf")
        at_most = law.outside(question.null_gain, infinity, strict=strict)
        at_least = law.outside(-infinity, question.null_gain, strict=strict)
        doubled = question.alternative is Alternative.TWO_SIDED
        if doubled:
            probability = min(at_most, at_least, key=lambda found: found.value)
        else:
            probability = at_most if question.alternative is Alternative.GREATER else at_least
        return Outcome(probability, law.how, least=law.least, doubled=doubled)

    def interval(
        self, pair: AnyPair, laws: PairLaws, alpha: float, question: Question, estimator: Estimator
    ) -> Interval:
        """Return the percentile interval, or its bound."""
        del pair
        law = laws.bootstrap_or_sampled()
        two_sided = question.alternative is Alternative.TWO_SIDED
        share = rejecting_share(law, alpha / 2 if two_sided else alpha, estimator)
        both = Interval(law.quantile(share), law.quantile(1 - share), 1 - alpha, "percentile", law.exact)
        return one_sided(both, question.alternative)
