"""The exact binomial test of one system's proportion against a constant."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from outscore.design.constant import Constant
from outscore.gains.gain_laws import Question
from outscore.laws.law import Probability
from outscore.options import opt
from outscore.results import Alternative, Estimator, Interval
from outscore.significance.base import Outcome, PairLaws, SignificanceTest, one_sided
from outscore.significance.score_intervals import GainOfProportion

if TYPE_CHECKING:
    from outscore.gains.pair import AnyPair

_ERROR = 1e-12  # relative, of the incomplete beta function
_LEAST = 5e-324  # no p-value is 0: of a constant of 1 one wrong item leaves nothing else


@dataclass(frozen=True)
class Binomial(SignificanceTest):
    """The exact binomial test (Clopper & Pearson 1934): the default of items scored 0 or 1 against a constant.

    Null hypothesis: an item scores 1 with probability p₀, the constant, or p₀ + δ₀ with a margin. The number of items
    that score 1 is then Binomial(n, p₀).

        greater: p = P(X ≥ k);  less: p = P(X ≤ k);  two-sided: p = min(1, 2 min(P(X ≥ k), P(X ≤ k))).

    Its interval is Clopper and Pearson's of the score less the constant, as `outscore.score` has it, so the two cannot
    contradict each other. `scipy.stats.binomtest` and R's `binom.test` have the same one-sided p-values and interval.
    Their two-sided p-value adds up all counts that are no more likely than k, and need not agree with their interval.
    The statistic is k, or n − k where lower is better.
    """

    name = "binomial"
    title = "exact binomial test"
    intervals = MappingProxyType({"clopper-pearson": "Clopper-Pearson"})
    samples = frozenset({"item"})
    requires: ClassVar[frozenset[str]] = frozenset({Constant.name})
    keeps_level_at_margins = True

    def obstacle(self, pair: AnyPair, question: Question) -> str | None:
        del question
        if pair.against is None:
            return f"is of one system against a constant ({opt('against')}); of two systems see sign"
        if _is_proportion(pair):
            return None
        return "needs items scored 0 or 1 that weigh the same, without strata, and a constant from 0 to 1"

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        del laws
        gain = _gain(pair)
        p = max(gain.p_value(question.null_gain, question.alternative), _LEAST)
        probability = Probability(p, error=_ERROR * p if p < 1 else 0.0)
        return Outcome(probability, "exact: binomial", statistic=gain.right)

    def interval(
        self, pair: AnyPair, laws: PairLaws, alpha: float, question: Question, estimator: Estimator
    ) -> Interval | None:
        del laws, estimator
        gain = _gain(pair)
        low, high = gain.interval(alpha / 2 if question.alternative is Alternative.TWO_SIDED else alpha)
        return one_sided(Interval(low, high, 1 - alpha, gain.method, exact=True), question.alternative)


def _is_proportion(pair: AnyPair) -> bool:
    if pair.against is None or pair.strata is not None or pair.crossing is not None or pair.clusterings is not None:
        return False
    if pair.scores is None or pair.linear is None or pair.linear.shared[0] != 1:
        return False
    scores = pair.scores[1]
    return (
        0 <= pair.against <= 1
        and pair.score_range in (None, (0.0, 1.0))
        and bool(((scores == 0) | (scores == 1)).all())
    )


def _gain(pair: AnyPair) -> GainOfProportion:
    """Return the gain of a system; the statistic counts the items that score 1, or 0 where lower is better."""
    assert pair.scores is not None
    assert pair.against is not None
    ones = float(np.count_nonzero(pair.scores[1]))
    zeros = pair.n_units - ones
    if pair.sign > 0:
        return GainOfProportion(ones, zeros, pair.against)
    return GainOfProportion(zeros, ones, 1 - pair.against)
