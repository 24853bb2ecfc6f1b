"""Classical tests: sign, McNemar and Wilcoxon for paired units; t, z and Pearson's χ² for two independent samples.

The tests for independent samples are invalid for paired systems. They are included for comparison only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from outscore._types import AnyArray, BoolArray, FloatArray, IntArray
from outscore.gains.gain_laws import GainLaws, Hypothesis
from outscore.gains.pair import Pair
from outscore.laws.exact.steps import StepSums
from outscore.laws.law import proportion_ends
from outscore.laws.student import normal_p_value, normal_quantile, student_p_value
from outscore.laws.tolerances import CLOSED_TAIL_ERROR, NOISE, TAIL_ERROR
from outscore.results import Alternative, Estimator, Interval, TestedQuantity, Verdict
from outscore.results.comparisons import PSEUDO_MEDIAN, SHARE_OF_WINS
from outscore.significance.base import (
    SignificanceTest,
    no_unit_scores,
    one_sided,
    sides,
    sign_flip_p_value,
    unit_differences,
)
from outscore.significance.p_values import PValue
from outscore.significance.randomization import Randomization, sign_decisions, sign_p_values
from outscore.significance.walsh import median_of, pseudo_median

if TYPE_CHECKING:
    from outscore.significance.simulated import SimulatedSets


class BySigns(SignificanceTest):
    """A test that equals the sign test for binary items, where all ranks are tied and wins and losses are the gain."""

    intervals = Randomization.intervals

    def interval(
        self, pair: Pair, laws: GainLaws, alpha: float, hypothesis: Hypothesis, estimator: Estimator
    ) -> Interval | None:
        """Return the randomization interval for binary items, for which the two tests agree; otherwise None."""
        if pair.linear is None or pair.linear.steps is None:
            return None
        return Randomization().interval(pair, laws, alpha, hypothesis, estimator)

    def decides_counts(self, n: int, helped: IntArray, hurt: IntArray, alpha: float, *, two_sided: bool) -> BoolArray:
        return sign_decisions(n, helped, hurt, alpha, two_sided=two_sided)


class _Signs(BySigns):
    """Base of the sign test and McNemar's test."""

    def p_values_of_table(self, steps: StepSums, hypothesis: Hypothesis) -> PValue[AnyArray]:
        return sign_p_values(steps, hypothesis)

    def decides_draws(self, sets: SimulatedSets, alpha: float, *, two_sided: bool) -> BoolArray:
        helped, hurt = (part.astype(np.int64) for part in sets.differing)
        # There is no verdict where the mean points the other way.
        better = sign_decisions(0, helped, hurt, alpha, two_sided=two_sided) & (helped > hurt) & (sets.gains >= 0)
        if not two_sided:
            return np.asarray(better)
        worse = sign_decisions(0, hurt, helped, alpha, two_sided=two_sided) & (hurt > helped) & (sets.gains <= 0)
        return np.asarray(better | worse)


@dataclass(frozen=True)
class Sign(_Signs):
    """The exact sign test: the number of wins against the number of losses.

    Null hypothesis: among the m units that differ, wins and losses are equally likely. The number of wins is
    Binomial(m, ½); ties are left out.
    The statistic is the number of wins. Only for binary items is this a test of the gain.
    """

    name = "sign"
    cites = ("dixon1946",)
    title = "sign test"
    intervals = MappingProxyType({**Randomization.intervals, "sign": "sign-test", "clopper-pearson": "Clopper-Pearson"})
    tests = SHARE_OF_WINS

    def obstacle(self, pair: Pair, hypothesis: Hypothesis) -> str | None:
        if hypothesis.null_gain != 0:
            return "does not support a margin: the share of wins is not in the unit of the score"
        return no_unit_scores(pair)

    def p_value(self, pair: Pair, laws: GainLaws, hypothesis: Hypothesis) -> PValue[float]:
        del laws
        signs = np.sign(unit_differences(pair, 0.0))
        p = sign_flip_p_value(signs, hypothesis, float((signs > 0).sum()), "exact: binomial")
        return p if _counts_the_gain(pair, hypothesis) else replace(p, sign=int(np.sign(signs.sum())))

    def quantity(self, pair: Pair, alpha: float, hypotheses: Sequence[Hypothesis]) -> TestedQuantity | None:
        """Return the share of wins among the units that differ, with Clopper and Pearson's interval."""
        if _counts_the_gain(pair, hypotheses[0]):
            return None
        d = unit_differences(pair, 0.0)
        wins, losses = int(np.count_nonzero(d > 0)), int(np.count_nonzero(d < 0))
        tail, level = sides(alpha, hypotheses)
        low, high = proportion_ends(wins, losses, tail) if wins + losses else (0.0, 1.0)
        interval = one_sided(
            Interval(low, high, level, "clopper-pearson", exact=True, title=self.intervals["clopper-pearson"]),
            hypotheses[0].alternative,
        )
        share = wins / (wins + losses) if wins + losses else 0.5
        quantity_of_wins = TestedQuantity(
            SHARE_OF_WINS, Verdict.INCONCLUSIVE, share, 0.5, interval, "share", wins=wins, losses=losses
        )
        if not pair.equal_weights or pair.linear is None:
            return quantity_of_wins
        estimate, *ends = median_of(d / float(pair.linear.shared[0]), tail)
        of_median = Interval(ends[0], ends[1], level, self.name, exact=True, title=self.intervals[self.name])
        return replace(
            quantity_of_wins, median=estimate, median_interval=one_sided(of_median, hypotheses[0].alternative)
        )


@dataclass(frozen=True)
class McNemar(_Signs):
    """McNemar's test, exact: the sign test for binary items.

    Null hypothesis: both systems are equally often correct. Of the b + c items that exactly one system gets right,
    the number that the candidate gets right is Binomial(b + c, ½). It is the statistic.
    """

    name = "mcnemar"
    cites = ("mcnemar1947",)
    title = "McNemar test"

    def obstacle(self, pair: Pair, hypothesis: Hypothesis) -> str | None:
        if not pair.binary:
            return "needs binary items (1 correct, 0 incorrect)"
        if hypothesis.null_gain != 0:
            return "does not support a margin"
        return None

    def p_value(self, pair: Pair, laws: GainLaws, hypothesis: Hypothesis) -> PValue[float]:
        del laws
        differences = unit_differences(pair, 0.0)
        helped = float(np.count_nonzero(differences > 0))
        return sign_flip_p_value(differences, hypothesis, helped, "exact: binomial")


@dataclass(frozen=True)
class Wilcoxon(BySigns):
    """Wilcoxon's signed-rank test, exact at any size.

    Null hypothesis: the differences are symmetric about 0. Zero differences are left out (Wilcoxon 1945), and tied
    sizes get the mean of their ranks. The null distribution is that of the observed ranks with random signs, so the
    test is exact with ties as well. The statistic is the sum of the ranks of the wins. With a margin it is that of the
    differences plus the margin. Only for binary items without a margin is this a test of the gain.
    """

    name = "wilcoxon"
    cites = ("wilcoxon1945", "hodges1963")
    title = "Wilcoxon signed-rank test"
    intervals = MappingProxyType({**Randomization.intervals, "wilcoxon": "Hodges-Lehmann"})
    tests = PSEUDO_MEDIAN

    def obstacle(self, pair: Pair, hypothesis: Hypothesis) -> str | None:
        if hypothesis.null_gain != 0 and pair.linear is not None and not pair.equal_weights:
            return (
                "does not support this margin: it ranks differences of counts, which are not in the unit of the score"
            )
        return no_unit_scores(pair)

    def p_value(self, pair: Pair, laws: GainLaws, hypothesis: Hypothesis) -> PValue[float]:
        del laws
        differences = unit_differences(pair, hypothesis.null_gain)
        differences = differences[differences != 0]
        # Tables of the signed-rank sum assume untied ranks. Here the observed midranks get random signs, which is exact
        # whatever is tied.
        ranks = np.sign(differences) * _mid_ranks(np.abs(differences))
        p = sign_flip_p_value(ranks, hypothesis, float(ranks[ranks > 0].sum()), "exact: signed ranks")
        return p if _counts_the_gain(pair, hypothesis) else replace(p, sign=int(np.sign(ranks.sum())))

    def quantity(self, pair: Pair, alpha: float, hypotheses: Sequence[Hypothesis]) -> TestedQuantity | None:
        """Return the pseudo-median of the units' differences (Hodges & Lehmann 1963), with its interval."""
        if _counts_the_gain(pair, hypotheses[0]):
            return None
        assert pair.linear is not None
        scale = float(pair.linear.shared[0]) if pair.equal_weights else 1.0
        differences = unit_differences(pair, 0.0) / scale
        tail, level = sides(alpha, hypotheses)
        # Equivalence has two null values, and neither is the one of its interval.
        null = hypotheses[0].null_gain if len(hypotheses) == 1 else 0.0
        median = pseudo_median(differences, tail)
        interval = one_sided(
            Interval(median.low, median.high, level, self.name, median.exact, self.intervals[self.name]),
            Alternative.TWO_SIDED if len(hypotheses) > 1 else hypotheses[0].alternative,
        )
        unit = "score" if pair.equal_weights else "count"
        above = median.share_above if hypotheses[0].null_gain == 0 else None
        return TestedQuantity(
            PSEUDO_MEDIAN, Verdict.INCONCLUSIVE, median.estimate, null, interval, unit, pairs_above=above
        )

    def decides_draws(self, sets: SimulatedSets, alpha: float, *, two_sided: bool) -> BoolArray:
        critical = normal_quantile(alpha / (2 if two_sided else 1))
        z = _signed_ranks(sets)
        # There is no verdict where the mean points the other way.
        better, worse = (z >= critical) & (sets.gains >= 0), (-z >= critical) & (sets.gains <= 0)
        return np.asarray(better | worse if two_sided else better)


def _mid_ranks(sizes: FloatArray) -> FloatArray:
    """Return ranks from 1 with the mean rank for ties; sizes that differ only by rounding are tied."""
    if len(sizes) == 0:
        return sizes
    order = np.argsort(sizes, kind="stable")
    ordered = sizes[order]
    new = np.concatenate([[True], np.diff(ordered) > NOISE * ordered[-1]])
    tie = np.cumsum(new) - 1
    counts = np.bincount(tie)
    ends = np.cumsum(counts)
    ranks = np.empty(len(sizes))
    ranks[order] = (ends - (counts - 1) / 2)[tie]
    return ranks


def _signed_ranks(sets: SimulatedSets) -> FloatArray:
    """Return z of the Wilcoxon signed ranks of each set, with the mean rank for ties."""
    d = sets.pair.changes(0.0)[:, 0]
    sizes = np.abs(d)
    order = np.argsort(sizes, kind="stable")
    order = order[sizes[order] > 0]
    if len(order) == 0:
        return np.zeros(len(sets.weights))
    ordered = sizes[order]
    starts = np.flatnonzero(np.concatenate([[True], np.diff(ordered) > NOISE * ordered[-1]]))
    counts = np.add.reduceat(sets.weights[:, order], starts, axis=1)
    gained = np.add.reduceat(sets.weights[:, order] * np.sign(d[order]), starts, axis=1)
    ranks = np.cumsum(counts, axis=1) - (counts - 1) / 2
    spread = np.sqrt((counts * ranks**2).sum(axis=1))
    total = (gained * ranks).sum(axis=1)
    return np.asarray(np.divide(total, spread, out=np.zeros(len(total)), where=spread > 0))


def _counts_the_gain(pair: Pair, hypothesis: Hypothesis) -> bool:
    """Return whether signs and signed ranks test the gain itself: all differences are −1, 0 or 1, without a margin."""
    linear = pair.linear
    return hypothesis.null_gain == 0 and linear is not None and (linear.steps is not None or not linear.d.any())


@dataclass(frozen=True)
class TwoSampleT(SignificanceTest):
    """Student's t-test of two independent samples, pooled variance (Yeh 2000, section 2.1).

    It treats the two systems' scores as independent samples. Scores on the same items are usually positively
    correlated, and then it misses gains that a paired test finds. It is included for comparison only.
    t = (x̄₂ − x̄₁ − δ₀) / √((s₁² + s₂²)/n) with 2n − 2 degrees of freedom.
    """

    name = "two-sample-t"
    cites = ("student1908",)
    title = "two-sample t-test"
    assumes_independence = True

    def obstacle(self, pair: Pair, hypothesis: Hypothesis) -> str | None:
        del hypothesis
        one_each = pair.equal_weights and pair.metric.has_unit_scores
        return None if one_each else "needs one score for every unit, with equal weights"

    def p_value(self, pair: Pair, laws: GainLaws, hypothesis: Hypothesis) -> PValue[float]:
        del laws
        assert pair.scores is not None
        baseline, candidate = pair.scores
        n = len(baseline)
        difference = pair.gain - hypothesis.null_gain
        error = math.sqrt((float(np.var(baseline, ddof=1)) + float(np.var(candidate, ddof=1))) / n)
        # 0/0 if all scores are equal: no difference is no evidence. A difference without variance is infinitely many
        # errors.
        if abs(difference) <= pair.tolerance:
            t = 0.0
        else:
            t = difference / error if error > 0 else math.copysign(math.inf, difference)
        p = student_p_value(t, 2 * n - 2, hypothesis.alternative) if t != 0 or error > 0 else 1.0
        return PValue(p, "t distribution", TAIL_ERROR * p if abs(t) > NOISE else 0.0, statistic=t)


class _Proportions(SignificanceTest):
    """Base of the tests of two proportions, which are treated as independent."""

    assumes_independence = True

    def obstacle(self, pair: Pair, hypothesis: Hypothesis) -> str | None:
        if pair.successes is None:
            return "needs a proportion of correct answers (accuracy, precision, recall, or scores of 0 and 1)"
        if hypothesis.null_gain != 0:
            return "does not support a margin"
        return None

    @staticmethod
    def z(pair: Pair) -> float | None:
        """Return z with the pooled variance; None if both proportions are 0 or both are 1."""
        assert pair.successes is not None
        (right1, trials1), (right2, trials2) = pair.successes
        pooled = (right1 + right2) / (trials1 + trials2)
        variance = pooled * (1 - pooled) * (1 / trials1 + 1 / trials2)
        if variance <= 0:
            return None
        return pair.sign * (right2 / trials2 - right1 / trials1) / math.sqrt(variance)


@dataclass(frozen=True)
class TwoProportion(_Proportions):
    """The z-test of two independent proportions, pooled variance (Yeh 2000, section 2.1).

    It treats the two systems' answers as independent. Answers to the same items are not. It is included for
    comparison only.
    """

    name = "two-proportion"
    cites = ("pearson1900",)
    title = "two-proportion z-test"

    def p_value(self, pair: Pair, laws: GainLaws, hypothesis: Hypothesis) -> PValue[float]:
        del laws
        z = self.z(pair)
        p = 1.0 if z is None else normal_p_value(z, hypothesis.alternative)
        return PValue(p, "normal distribution", CLOSED_TAIL_ERROR * p if z else 0.0, statistic=z)


@dataclass(frozen=True)
class ChiSquared(_Proportions):
    """Pearson's χ² of the 2 × 2 table of correct and incorrect answers, without Yates's correction.

    See Yeh (2000), section 2.1. For precision the table counts correct and spurious responses. The statistic is
    χ² = z² of `TwoProportion`; one-sided alternatives use its signed root. It treats the two systems' answers as
    independent, and is included for comparison only.
    """

    name = "chi-squared"
    cites = ("pearson1900",)
    title = "chi-squared test"

    def p_value(self, pair: Pair, laws: GainLaws, hypothesis: Hypothesis) -> PValue[float]:
        del laws
        z = self.z(pair)
        p = 1.0 if z is None else normal_p_value(z, hypothesis.alternative)
        squared = None if z is None else z * z
        return PValue(p, "χ² distribution", CLOSED_TAIL_ERROR * p if z else 0.0, statistic=squared)
