"""The paired bootstrap, recentred."""

from __future__ import annotations

import math
from dataclasses import dataclass

from outscore.results import Alternative, Estimator, Interval
from outscore.significance.base import Outcome, PairLaws, Question, SignificanceTest, rejecting_share, tail
from outscore.significance.pair import AnyPair

__all__ = ["Bootstrap"]


@dataclass(frozen=True)
class Bootstrap(SignificanceTest):
    """The paired bootstrap, recentred (BK12, Figure 1; SLP): what the default takes from 50 units on.

    Null hypothesis: the candidate's gain over the population of items is 0 (or δ₀), one-sided at most that.
    Units are drawn with replacement; δ* is the gain of the drawn units. The bootstrap law is centred at the
    observed δ, so that a gain as surprising as δ lies at 2δ:

        greater: p = P(δ* ≥ 2δ − δ₀);  less: p = P(δ* ≤ 2δ − δ₀);  two-sided: p = P(|δ* − δ| ≥ |δ − δ₀|).

    With strict ties > replaces ≥, as BK12 print it; on small test sets that differs a lot.
    For a gain that is linear in the weights the law is exact at any size; otherwise it is sampled. With fewer
    than about 50 units it rejects too often (see docs/calibration.md): prefer `Auto` there. With a margin it
    does not see losses that happen not to be in the test set: prefer `ScoreTest`.
    """

    name = "bootstrap"
    centre = "2d"
    resamples = True

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        law = laws.bootstrap()
        probability = tail(law, question, 2 * pair.gain - question.null_gain, centre=pair.gain)
        return Outcome(probability, law.how, least=law.least)

    def interval(
        self, pair: AnyPair, laws: PairLaws, alpha: float, question: Question, estimator: Estimator
    ) -> Interval:
        """Return δ ± the 1 − α quantile of |δ* − δ| (Hall 1988: symmetric), or the bound of the basic interval."""
        law, gain = laws.bootstrap_or_sampled(), pair.gain
        share = rejecting_share(law, alpha, estimator)
        match question.alternative:
            case Alternative.TWO_SIDED:
                reach = law.reach(gain, share)
                return Interval(gain - reach, gain + reach, 1 - alpha, "symmetric", law.exact)
            case Alternative.GREATER:
                low, high = 2 * gain - law.quantile(1 - share), math.inf
            case Alternative.LESS:
                low, high = -math.inf, 2 * gain - law.quantile(share)
        return Interval(low, high, 1 - alpha, "basic", law.exact)
