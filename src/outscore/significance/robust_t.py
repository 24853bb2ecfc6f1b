"""t-tests of any gain from what each unit contributes to it: for unequal units, and for skewed ones."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from outscore.laws import Probability
from outscore.results import Alternative, Estimator, Interval
from outscore.significance.base import Outcome, PairLaws, Question, SignificanceTest, one_sided
from outscore.significance.distributions import student_p_value, student_quantile
from outscore.significance.influence import Influence, influence_of
from outscore.significance.pair import AnyPair

__all__ = ["RobustT", "SkewT"]


class _InfluenceT(SignificanceTest):
    """A test whose statistic is a function of t = (δ − δ₀)/√V with V from influences."""

    def statistic(self, t: float, influence: Influence) -> float:
        """Return the statistic, increasing in t, that has Student's law."""
        del influence
        return t

    def unstatistic(self, statistic: float, influence: Influence) -> float:
        """Return the t that has this statistic."""
        del influence
        return statistic

    def obstacle(self, pair: AnyPair, question: Question) -> str | None:
        del question
        return "needs two units with anything to score" if np.count_nonzero(pair.sizes) < 2 else None

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        del laws
        influence = influence_of(pair)
        excess = pair.gain - question.null_gain
        if influence.variance == 0 and abs(excess) <= pair.tolerance:
            return Outcome(Probability(1.0), "t distribution", statistic=0.0)
        t = excess / math.sqrt(influence.variance) if influence.variance > 0 else math.copysign(math.inf, excess)
        value = self.statistic(t, influence) if math.isfinite(t) else t
        p = student_p_value(value, influence.degrees, question.alternative)
        return Outcome(Probability(p, error=1e-12 * p), "t distribution", statistic=value)

    def interval(
        self, pair: AnyPair, laws: PairLaws, alpha: float, question: Question, estimator: Estimator
    ) -> Interval:
        del laws, estimator
        influence = influence_of(pair)
        two_sided = question.alternative is Alternative.TWO_SIDED
        reach = student_quantile(1 - (alpha / 2 if two_sided else alpha), influence.degrees)
        error = math.sqrt(influence.variance)
        low = pair.gain - error * self.unstatistic(reach, influence)
        high = pair.gain - error * self.unstatistic(-reach, influence)
        return one_sided(Interval(low, high, 1 - alpha, self.name, exact=False), question.alternative)


@dataclass(frozen=True)
class RobustT(_InfluenceT):
    """The t-test with the CR2 variance and Satterthwaite's degrees of freedom (Bell & McCaffrey 2002).

    Null hypothesis: the gain over the population of units is 0 (or δ₀). Of a mean over items of one size it is the
    paired t-test. Where units are of unequal size, as documents, sentences of a corpus metric or clusters are, a few
    large ones decide, and the degrees of freedom say so: fewer than units less one, down to about 1. Of metrics
    that are no means it takes the jackknife's influences.
    """

    name = "cr2-t"


@dataclass(frozen=True)
class SkewT(_InfluenceT):
    """The t-test corrected for skewness (Hall 1992, "On the removal of skewness by transformation", eq. 2.2).

    Null hypothesis: as of `RobustT`, whose t it transforms. With κ the skewness of the gain's law,

        g = t + κt²/3 + κ²t³/27 + κ/6,

    increasing in t, has Student's law to the next order. A sample shows less skewness than there is, the less the
    smaller it is; κ is taken (1 + 6/n)-fold, the factor that holds the level of lognormal differences from 12 units on
    (docs/calibration.md).
    """

    name = "skew-t"

    def statistic(self, t: float, influence: Influence) -> float:
        k = _amplified(influence)
        u = k * t / 3  # powers of a huge t are beyond all numbers, products of it infinite
        return t * (1 + u * (1 + u / 3)) + k / 6

    def unstatistic(self, statistic: float, influence: Influence) -> float:
        k = _amplified(influence)
        if abs(k) < 1e-9:
            return statistic
        # g − κ/6 = ((1 + κt/3)³ − 1)/κ
        return 3 / k * (math.cbrt(1 + k * (statistic - k / 6)) - 1)


def _amplified(influence: Influence) -> float:
    return influence.skewness * (1 + 6 / len(influence.values))
