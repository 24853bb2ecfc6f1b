"""The z test of two independent proportions, and Pearson's χ², which is its square."""

from __future__ import annotations

import math
from dataclasses import dataclass

from outscore.laws import Probability
from outscore.significance.base import Outcome, PairLaws, Question, SignificanceTest
from outscore.significance.distributions import normal_p_value
from outscore.significance.pair import AnyPair

__all__ = ["ChiSquared", "TwoProportion"]


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

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        del laws
        z = self.z(pair)
        p = 1.0 if z is None else normal_p_value(z, question.alternative)
        squared = None if z is None else z * z
        return Outcome(Probability(p, error=1e-13 * p if z else 0.0), "χ² distribution", statistic=squared)
