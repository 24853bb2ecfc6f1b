"""t-tests of any gain, based on the influences of units, with or without correction for skewness."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from outscore._types import AnyArray, BoolArray, FloatArray, IntArray
from outscore.gains.crossing import no_verdict_of, rough_of
from outscore.gains.gain_laws import GainLaws, Hypothesis
from outscore.gains.influence import Spread, combined, largest_share, spread_of_steps
from outscore.gains.pair import Pair
from outscore.gains.skewness import skew_p_values, skew_reach, skew_statistic
from outscore.gains.variance import parts_of_gain
from outscore.laws.law import Law, Probability
from outscore.laws.student import student_p_value, student_quantile
from outscore.laws.tolerances import LEAST_P, NOISE, ROUNDING_SLACK, TAIL_ERROR
from outscore.options import opt
from outscore.results import Alternative, Estimator, Interval, Moments
from outscore.significance.base import (
    CROSSED,
    UNITS,
    SignificanceTest,
    no_unit_scores,
    one_sided,
    sign_flip_p_value,
    tail_of,
)
from outscore.significance.p_values import PValue
from outscore.significance.score_intervals import gain_of_alike
from outscore.words import warnings

if TYPE_CHECKING:
    from outscore.gains.tables import SystemTable
    from outscore.significance.simulated import SimulatedSets

_SIGN_TEST = "exact: binomial"  # if all units have the same gain
_OF_SCORE = "interval of the score"  # the same, against a constant
_OF_ALIKE = {"sign": "sign-test", "korn-graubard": "Korn-Graubard", "score": "score"}  # names of their intervals
_TOO_MUCH = 0.9  # of all weight: above this, one unit determines the result


class InfluenceT(SignificanceTest):
    """A test of t = (δ − δ₀)/√V with V = Σuᵢ², where uᵢ are the influences of the units (`Pair.spread`).

    If all units have the same gain, V is 0 and t is undefined. The test is then the sign test, whose statistic counts
    the units above δ₀, and its only finite end is δ₀ = 0. Against a constant, if the range of the scores is known, p
    and the interval are those of the system's own score (`gain_of_alike`). If one unit has all the weight, V is
    infinite: p = 1, and the interval has no ends.
    """

    title_if = MappingProxyType({_SIGN_TEST: "sign test"})
    corrects: ClassVar[bool] = False  # for skewness, and for few units with most of the variance

    def spread(self, pair: Pair) -> Spread:
        """Return the spread of the gain over all that was sampled, as the test uses it."""
        return combined([part if self.corrects else part.plain for part in parts_of_gain(pair)])

    def withheld(self, pair: Pair) -> str | None:
        if pair.crossing is not None and (few := pair.crossing.withheld("9.8%")) is not None:
            return few
        over = pair.in_clusters
        if pair.clusterings is not None:
            fewest = min(clustered.n_units for clustered in over)
            few = no_verdict_of(fewest, "clusters", "In simulations", "up to 12.3%", warnings.ADD_CLUSTERS)
            if few is not None:
                return few
        for clustered in over:
            share = largest_share(clustered.sizes)
            # With all of the weight the variance is infinite and p = 1, which needs no warning.
            if _TOO_MUCH < share < 1:
                return warnings.one_has_all(clustered.n_units, share)
        return None

    def remarks(self, pair: Pair) -> Sequence[str]:
        if float(self.spread(pair).error) == 0 and abs(pair.gain) > pair.tolerance:
            by_signs = gain_of_alike(pair) is None
            return [warnings.alike_by_signs(self.title) if by_signs else warnings.ALIKE_BY_SCORE]
        if self.corrects and pair.strata is not None and _mostly_in_twos(pair.strata):
            return [warnings.STRATA_OF_TWO]
        if pair.clusterings is not None:
            few = min(cluster.n_units for cluster in pair.in_clusters)
            return rough_of(few, "clusters", self.title, "clusters differ", ("7.8%", "5.7%"))
        if pair.crossing is None:
            return ()
        return pair.crossing.rough(self.title, ("8.6%", "6.2%"), ("7.5%", "6.5%"))

    def p_values_of_spreads(self, table: SystemTable, spreads: Spread, hypothesis: Hypothesis) -> PValue[AnyArray]:
        """Return the p-values of all pairs of a table, given the spreads of their gains."""
        gains = table.pairs.gains - hypothesis.null_gain
        values = self._p_values(gains, spreads, hypothesis.alternative)
        # Few pairs have no variance, and each takes a test of its own.
        for index in np.flatnonzero((np.asarray(spreads.error) == 0) & (gains != 0)):
            values[index] = _signs(table.pair(int(index)), hypothesis).probability
        # A p-value of 1, from t = 0 or from no variance, is exact.
        return PValue(values, "t distribution", np.where(values < 1, TAIL_ERROR * values, 0.0))

    def _p_values(self, excess: FloatArray, spread: Spread, alternative: Alternative) -> FloatArray:
        """Return the p-values of δ − δ₀ of many gains, shape (m,): 1 if the variance is 0 or infinite."""
        spread = spread if self.corrects else spread.plain
        error = np.asarray(spread.error)
        is_finite = (error > 0) & np.isfinite(error)
        t = np.divide(excess, error, out=np.zeros(len(excess)), where=is_finite)
        return np.where(is_finite, skew_p_values(t, spread, alternative), 1.0)

    def ends(
        self, gains: FloatArray, spread: Spread, alpha: float, alternative: Alternative
    ) -> tuple[FloatArray, FloatArray]:
        """Return the ends of the intervals of gains, shape (m,), in closed form."""
        tail = tail_of(alpha, alternative)
        error = np.asarray(spread.error)
        # Equal gains other than 0 show no spread. Their only finite end is δ₀ = 0, which `intervals.agreeing` sets.
        endless = np.isinf(error) | ((error == 0) & (gains != 0))
        error = np.where(endless, 0.0, error)
        low, high = (
            gains + np.where(endless, np.inf, error * reach) * side
            for reach, side in zip(skew_reach(tail, spread), (-1, 1), strict=True)
        )
        low = np.full_like(gains, -np.inf) if alternative is Alternative.LESS else low
        high = np.full_like(gains, np.inf) if alternative is Alternative.GREATER else high
        return np.asarray(low), np.asarray(high)

    def p_value(self, pair: Pair, laws: GainLaws, hypothesis: Hypothesis) -> PValue[float]:
        del laws
        spread = self.spread(pair)
        excess, error = pair.gain - hypothesis.null_gain, float(spread.error)
        if math.isinf(error) or (error == 0 and abs(excess) <= pair.tolerance + pair.blur):
            degrees = float(skew_statistic(0.0, spread)[1])
            return PValue(1.0, "t distribution", statistic=0.0, degrees=degrees)
        if error == 0:
            score = gain_of_alike(pair)
            if score is None:
                return _signs(pair, hypothesis)
            p = score.p_value(hypothesis.null_gain, hypothesis.alternative)
            return PValue(p, _OF_SCORE, TAIL_ERROR * p if p < 1 else 0.0)

        t, alternative = excess / error, hypothesis.alternative
        statistic, degrees = (float(part) for part in skew_statistic(t, spread))
        p = student_p_value(statistic, degrees, alternative)
        off = TAIL_ERROR * p if abs(statistic) > NOISE else 0.0
        if pair.blur:  # widen the bounds by rounding errors
            ends = [
                float(skew_p_values((excess + blur) / error, spread, alternative)) for blur in (-pair.blur, pair.blur)
            ]
            p = 1.0 if abs(excess) <= pair.blur else max(ends)
            off = p - min(ends)
        moments = None
        if self.corrects:
            # Corrections for many comparisons multiply this p-value: their critical values are so far out that skewness
            # counts which may be chance.
            cautious = p if spread.cautious else float(skew_p_values(t, replace(spread, cautious=True), alternative))
            moments = Moments(
                error,
                t,
                float(spread.skewness),
                float(spread.effective),
                float(spread.design_degrees),
                bool(spread.cautious),
                cautious,
            )
        return PValue(p, "t distribution", off, statistic=statistic, degrees=degrees, moments=moments)

    def interval(
        self, pair: Pair, laws: GainLaws, alpha: float, hypothesis: Hypothesis, estimator: Estimator
    ) -> Interval | None:
        """Return all null gains that the test does not reject."""
        del laws, estimator
        spread = self.spread(pair)
        score = gain_of_alike(pair) if float(spread.error) == 0 else None
        if score is not None:
            low, high = score.interval(tail_of(alpha, hypothesis.alternative))
            return one_sided(Interval(low, high, 1 - alpha, score.method, exact=False), hypothesis.alternative)
        (low,), (high,) = self.ends(np.array([pair.gain]), spread, alpha, hypothesis.alternative)
        low, high = float(low) - pair.blur, float(high) + pair.blur
        alike = float(spread.error) == 0 and abs(pair.gain) > pair.tolerance
        method, title = ("sign", "sign-test") if alike else (next(iter(self.intervals)), "")
        return Interval(low, high, 1 - alpha, method, exact=False, title=title)


@dataclass(frozen=True)
class RobustT(InfluenceT):
    """The t-test with the CR2 variance and Satterthwaite's degrees of freedom (Bell & McCaffrey 2002).

    Null hypothesis: the gain over the population of units is 0 (or δ₀). It is `SkewT` without the correction for
    skewness, and with the design's degrees of freedom. For a mean over items of equal weight it is the paired t-test.
    If units have unequal sizes, such as documents, clusters or the sentences of a corpus metric, a few large ones
    determine the result, and the degrees of freedom are smaller. For metrics that are not means it uses jackknife
    influences.
    """

    name = "cr2-t"
    cites: ClassVar[tuple[str, ...]] = ("bell2002",)
    title = "t-test (CR2)"
    intervals = MappingProxyType({"cr2-t": "CR2 t", **_OF_ALIKE})

    def normal_limit(self, n: int, tail: float) -> float | FloatArray:
        return student_quantile(tail, n - 1)

    def decides_draws(self, sets: SimulatedSets, alpha: float, *, two_sided: bool) -> BoolArray:
        sizes = sets.weights.sum(axis=1)
        return self.rejects(sets.gains, sizes, sets.spread(), alpha, _sides(two_sided=two_sided))

    def rejects(
        self, excess: FloatArray, n: int | FloatArray, spread: Spread, alpha: float, alternative: Alternative
    ) -> BoolArray:
        """Return which of many gains are significant, given δ − δ₀, shape (b,), each of n units."""
        p = self._p_values(excess, spread, alternative)
        # If all units have the same gain, it is the sign test.
        # n equal units on one side have a p-value of 2⁻ⁿ under random signs.
        towards = {Alternative.GREATER: excess > 0, Alternative.LESS: excess < 0}.get(alternative, excess != 0)
        signs = np.where(towards, (2.0 if alternative is Alternative.TWO_SIDED else 1.0) * 0.5**n, 1.0)
        return np.asarray(np.where(np.asarray(spread.error) > 0, p, signs) <= alpha * ROUNDING_SLACK)


@dataclass(frozen=True)
class SkewT(RobustT):
    """The t-test of influences corrected for skewness and for few units: the default if scores are not binary.

    Null hypothesis: the gain over the population of units is 0 (or δ₀). g of `skew_statistic` has a t distribution with
    degrees of freedom from the design (Satterthwaite) and from the effective number of units. It rejects less often
    than the paired t-test if the differences are skewed against the verdict, and nearly as often otherwise.
    docs/calibration.md has the error rates, and the data for which no test can keep its level: rare large losses that
    the sample does not show.
    """

    name = "skew-t"
    cites = ("bell2002", "hall1992")
    title = "skewness-corrected t-test"
    intervals = MappingProxyType({"skew-t": "skewness-corrected t", **_OF_ALIKE})
    corrects = True
    samples = UNITS | CROSSED | {"crossed clusters"}

    def normal_limit(self, n: int, tail: float) -> float | FloatArray:
        return self.normal_limits(n, tail)[0]

    def normal_limits(self, n: int, tail: float) -> tuple[FloatArray, FloatArray]:
        """Return the limits of t beyond which gains and losses of n normal differences are significant, per sample."""
        from outscore.significance.simulated import normal_spreads

        spread = normal_spreads(n)
        return skew_reach(tail, spread)


@dataclass(frozen=True)
class PairedT(RobustT):
    """Student's t-test of paired differences (Yeh 2000, section 2.2).

    Null hypothesis: the mean difference is 0 (or δ₀). t = mean(d) / (s / √n) with n − 1 degrees of freedom,
    exact for normal differences and nearly so for large n. If all differences are 0, p = 1.

    With strata t = mean(d) / √V, V = Σ V_h = Σ (n_h/n)² s_h²/n_h, with Satterthwaite's degrees of freedom
    ν = V² / Σ (V_h²/(n_h − 1)) (Satterthwaite 1946; Cochran 1977, section 5.4). It is `RobustT` on the units' own
    scores; the two are the same if units differ in weight.
    """

    name = "paired-t"
    cites = ("student1908",)
    title = "paired t-test"
    intervals = MappingProxyType({"t": "Student's t", **_OF_ALIKE})
    unsure_of_few = True

    def obstacle(self, pair: Pair, hypothesis: Hypothesis) -> str | None:
        del hypothesis
        return no_unit_scores(pair)

    def decides_counts(self, n: int, helped: IntArray, hurt: IntArray, alpha: float, *, two_sided: bool) -> BoolArray:
        """Return whether the mean of steps of −1, 0 and 1 is significant."""
        spread = spread_of_steps(n, helped, hurt)
        return self.rejects((helped - hurt) / n, n, spread, alpha, _sides(two_sided=two_sided)) & (helped > hurt)


@dataclass(frozen=True)
class TwoWayT(InfluenceT):
    """The t-test of items in two crossed clusterings, such as documents and annotators.

    Null hypothesis: the gain over the populations of both kinds of clusters is 0 (or δ₀). t = (δ̂ − δ₀)/√(V₁ + V₂). Each
    V is the CR2 variance over one kind of cluster (`RobustT`), with Satterthwaite's degrees of freedom. The variance
    within cells is counted twice and not subtracted: V₁ + V₂ − V₁₂ (Cameron, Gelbach & Miller 2011) can be negative.
    """

    name = "two-way-t"
    cites = ("bell2002", "cameron2011")
    title = "t-test over two crossed clusterings"
    intervals = MappingProxyType({"two-way-t": "two-way clustered t", **_OF_ALIKE})
    samples = UNITS | {"crossed clusters"}
    requires = frozenset({"crossed clusters"})

    def obstacle(self, pair: Pair, hypothesis: Hypothesis) -> str | None:
        if pair.clusterings is None:
            return f"needs items in two crossed clusterings: see {opt('clusters')}"
        return super().obstacle(pair, hypothesis)


@dataclass(frozen=True)
class StudentLaw(Law):
    """A scaled t distribution of a gain: centre + scale·T."""

    centre: float
    scale: float
    degrees: float

    how = "t distribution"
    exact = False
    least = LEAST_P

    def below(self, value: float) -> float:
        if self.scale == 0:
            return 0.5 if value == self.centre else float(value > self.centre)
        return student_p_value((value - self.centre) / self.scale, self.degrees, Alternative.LESS)

    def outside(self, low: float, high: float, *, strict: bool = False) -> Probability:
        del strict  # the distribution is continuous
        if low >= high:
            return Probability(1.0)
        return Probability(min(self.below(low) + 1 - self.below(high), 1.0))

    def quantile(self, level: float) -> float:
        return self.centre - self.scale * student_quantile(level, self.degrees)


def _mostly_in_twos(strata: AnyArray) -> bool:
    sizes = np.bincount(strata)
    return bool(2 * sizes[sizes == 2].sum() > len(strata))


def _sides(*, two_sided: bool) -> Alternative:
    return Alternative.TWO_SIDED if two_sided else Alternative.GREATER


def _signs(pair: Pair, hypothesis: Hypothesis) -> PValue[float]:
    """Return the p-value of the sign test, for units that all have the same gain."""
    signs = np.full(pair.n_units, np.sign(pair.gain - hypothesis.null_gain))
    if pair.linear is not None:
        signs = np.sign(pair.linear.centred(hypothesis.null_gain))
    return sign_flip_p_value(signs, hypothesis, float(np.count_nonzero(signs > 0)), _SIGN_TEST)
