"""Tests of two independent samples: t, z of two proportions, and Pearson's χ², its square. Paired systems are none."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from outscore.gains.gain_laws import Question
from outscore.gains.pair import AnyPair
from outscore.laws.law import Probability
from outscore.laws.student import normal_p_value, student_p_value
from outscore.significance.base import Outcome, PairLaws, SignificanceTest


@dataclass(frozen=True)
class TwoSampleT(SignificanceTest):
    """Student's t test of two independent samples, pooled variance (Yeh 2000, section 2.1).

    It takes the two systems' scores for independent samples, which scores on the same items are not: with a
    positive correlation it misses gains that a paired test finds. It is here to be compared with.
    t = (x̄₂ − x̄₁ − δ₀) / √((s₁² + s₂²)/n) with 2n − 2 degrees of freedom.
    """

    name = "two-sample-t"
    title = "two-sample t-test"
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


class _Proportions(SignificanceTest):
    """What both tests share: two shares of trials, taken to be independent."""

    assumes_independence = True

    def obstacle(self, pair: AnyPair, question: Question) -> str | None:
        if pair.successes is None:
            return "needs a share of right answers (accuracy, precision, recall, or scores of 0 and 1)"
        if question.null_gain != 0:
            return "knows no margin"
        return None

    @staticmethod
    def z(pair: AnyPair) -> float | None:
        """Return z with the pooled variance; None where both shares are 0, or both 1."""
        assert pair.successes is not None
        (right1, trials1), (right2, trials2) = pair.successes
        pooled = (right1 + right2) / (trials1 + trials2)
        variance = pooled * (1 - pooled) * (1 / trials1 + 1 / trials2)
        if variance <= 0:
            return None
        return pair.sign * (right2 / trials2 - right1 / trials1) / math.sqrt(variance)


@dataclass(frozen=True)
class TwoProportion(_Proportions):
    """The z test of two independent proportions, pooled variance (Yeh 2000, section 2.1).

    It takes the two systems' answers for independent, which answers on the same items are not. It is here to
    be compared with.
    """

    name = "two-proportion"
    title = "two-proportion z-test"

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        del laws
        z = self.z(pair)
        p = 1.0 if z is None else normal_p_value(z, question.alternative)
        return Outcome(Probability(p, error=1e-13 * p if z else 0.0), "normal distribution", statistic=z)


@dataclass(frozen=True)
class ChiSquared(_Proportions):
    """Pearson's χ² of the 2 × 2 table of right and wrong answers, without Yates's correction (Yeh 2000, section 2.1).

    For precision the table is that of right and spurious responses. The statistic is χ² = z² of
    `TwoProportion`; one-sided alternatives use its signed root. It takes the two systems' answers for
    independent, and is here to be compared with.
    """

    name = "chi-squared"
    title = "chi-squared test"

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        del laws
        z = self.z(pair)
        p = 1.0 if z is None else normal_p_value(z, question.alternative)
        squared = None if z is None else z * z
        return Outcome(Probability(p, error=1e-13 * p if z else 0.0), "χ² distribution", statistic=squared)
