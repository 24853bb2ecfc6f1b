"""The paired t test."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from outscore.laws import Probability
from outscore.results import Alternative, Estimator, Interval
from outscore.significance.base import Outcome, PairLaws, Question, SignificanceTest, one_sided
from outscore.significance.distributions import student_p_value, student_quantile
from outscore.significance.pair import AnyPair
from outscore.significance.signed import no_unit_scores, unit_differences

__all__ = ["PairedT"]


@dataclass(frozen=True)
class PairedT(SignificanceTest):
    """Student's t test of paired differences (Yeh 2000, section 2.2).

    Null hypothesis: the mean difference is 0 (or δ₀). t = mean(d) / (s / √n) with n − 1 degrees of freedom,
    exact for normal differences and nearly so for large n. Where all differences are 0, p = 1.
    """

    name = "paired-t"

    def obstacle(self, pair: AnyPair, question: Question) -> str | None:
        del question
        return no_unit_scores(pair)

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        del laws
        differences = unit_differences(pair, question.null_gain)
        n = len(differences)
        mean = float(differences.mean())
        if not differences.any():
            return Outcome(Probability(1.0), "t distribution", statistic=0.0)
        spread = float(differences.std(ddof=1))
        # Equal differences have no spread but for rounding: t is infinite.
        error = spread / math.sqrt(n) if spread > 1e-12 * float(np.abs(differences).max()) else 0.0
        t = mean / error if error > 0 else math.copysign(math.inf, mean)
        p = student_p_value(t, n - 1, question.alternative)
        return Outcome(Probability(p, error=1e-12 * p if abs(t) > 1e-12 else 0.0), "t distribution", statistic=t)

    def interval(
        self, pair: AnyPair, laws: PairLaws, alpha: float, question: Question, estimator: Estimator
    ) -> Interval | None:
        """Return Student's interval, or its bound, of a gain whose units weigh the same."""
        del laws, estimator
        if pair.linear is None or not pair.equal_weights:
            return None
        differences = unit_differences(pair, 0.0)
        n = len(differences)
        two_sided = question.alternative is Alternative.TWO_SIDED
        reach = student_quantile(1 - (alpha / 2 if two_sided else alpha), n - 1)
        reach *= float(differences.std(ddof=1)) / math.sqrt(n) / float(pair.linear.shared[0])
        both = Interval(pair.gain - reach, pair.gain + reach, 1 - alpha, "t", exact=False)
        return one_sided(both, question.alternative)
