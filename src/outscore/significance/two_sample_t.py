"""The t test of two independent samples."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from outscore.laws import Probability
from outscore.significance.base import Outcome, PairLaws, Question, SignificanceTest
from outscore.significance.distributions import student_p_value
from outscore.significance.pair import AnyPair

__all__ = ["TwoSampleT"]


@dataclass(frozen=True)
class TwoSampleT(SignificanceTest):
    """Student's t test of two independent samples, pooled variance (Yeh 2000, section 2.1).

    It takes the two systems' scores for independent samples, which scores on the same items are not: with a
    positive correlation it misses gains that a paired test finds. It is here to be compared with.
    t = (x̄₂ − x̄₁ − δ₀) / √((s₁² + s₂²)/n) with 2n − 2 degrees of freedom.
    """

    name = "two-sample-t"
    assumes_independence = True

    def obstacle(self, pair: AnyPair, question: Question) -> str | None:
        del question
        return None if pair.equal_weights else "needs a score for every unit, all of equal weight"

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        del laws
        assert pair.scores is not None
        baseline, candidate = pair.scores
        n = len(baseline)
        difference = pair.gain - question.null_gain
        error = math.sqrt((float(np.var(baseline, ddof=1)) + float(np.var(candidate, ddof=1))) / n)
        if abs(difference) <= pair.tolerance:
            t = 0.0
        else:
            t = difference / error if error > 0 else math.copysign(math.inf, difference)
        p = student_p_value(t, 2 * n - 2, question.alternative) if t != 0 or error > 0 else 1.0
        return Outcome(Probability(p, error=1e-12 * p if abs(t) > 1e-12 else 0.0), "t distribution", statistic=t)
