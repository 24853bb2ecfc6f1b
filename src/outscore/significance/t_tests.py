"""t-tests: of paired differences, within strata where there are some; of any gain, for unequal and for skewed units."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from outscore._dataclasses import dataclass
from outscore._types import AnyArray, BoolArray, FloatArray, IntArray
from outscore.design import Units
from outscore.laws import Law, Probability
from outscore.results import Alternative, Estimator, Interval
from outscore.significance.base import (
    Outcome,
    PairLaws,
    Question,
    SignificanceTest,
    no_unit_scores,
    one_sided,
    unit_differences,
)
from outscore.significance.influence import Influence, influence_of
from outscore.significance.p_values import student_p_value, student_quantile
from outscore.significance.pair import AnyPair, Pair
from outscore.strata import members_of

if TYPE_CHECKING:
    from outscore.significance.simulated import SimulatedSets

__all__ = ["PairedT", "RobustT", "SkewT", "StudentLaw", "TwoWayT", "mean_error", "t_limits"]

_A_HAIR_LESS = 1 - 1e-12
_NO_SPREAD = 1e-12  # of the largest difference: rounding noise
_FARTHEST = 2.0**40  # times the usual distance of an end, beyond which an end is infinite


@dataclass(frozen=True)
class PairedT(SignificanceTest):
    """Student's t test of paired differences (Yeh 2000, section 2.2).

    Null hypothesis: the mean difference is 0 (or δ₀). t = mean(d) / (s / √n) with n − 1 degrees of freedom,
    exact for normal differences and nearly so for large n. Where all differences are 0, p = 1.

    With strata t = mean(d) / √V, V = Σ V_h = Σ (n_h/n)² s_h²/n_h, with Satterthwaite's degrees of freedom
    ν = V² / Σ (V_h²/(n_h − 1)) (Satterthwaite 1946; Cochran 1977, section 5.4). Where fewer than some 30 units are
    drawn in all, Σ (n_h − 1), resampling has too few points, and this test holds its level.

    Where units weigh differently, dᵢ − δ₀ℓᵢ takes the place of dᵢ (Fieller 1954).
    """

    name = "paired-t"
    title = "paired t-test"
    intervals = MappingProxyType({"t": "Student's t"})
    unsure_of_few = True

    def obstacle(self, pair: AnyPair, question: Question) -> str | None:
        del question
        return no_unit_scores(pair)

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        del laws
        differences = unit_differences(pair, question.null_gain)
        mean = float(differences.mean())
        if not differences.any():
            return Outcome(Probability(1.0), "t distribution", statistic=0.0)
        error, degrees = mean_error(differences, pair.strata)
        # Strata that differ from each other, but not within: equal means are no evidence against 0.
        if error == 0 and abs(mean) <= _NO_SPREAD * float(np.abs(differences).max()):
            return Outcome(Probability(1.0), "t distribution", statistic=0.0)
        t = mean / error if error > 0 else math.copysign(math.inf, mean)
        p = student_p_value(t, degrees, question.alternative)
        return Outcome(Probability(p, error=1e-12 * p if abs(t) > 1e-12 else 0.0), "t distribution", statistic=t)

    def interval(
        self, pair: AnyPair, laws: PairLaws, alpha: float, question: Question, estimator: Estimator
    ) -> Interval | None:
        """Return Student's interval, or its bound; where units weigh differently Fieller's."""
        del laws, estimator
        if pair.linear is None:
            return None
        return Interval(*t_limits(pair, 1 - alpha, question.alternative), 1 - alpha, "t", exact=False)

    def decides_counts(self, n: int, helped: IntArray, hurt: IntArray, alpha: float, *, two_sided: bool) -> BoolArray:
        """Return whether t = mean/(s/√n) is beyond the quantile of n − 1 degrees of freedom."""
        gained, differing = (helped - hurt).astype(float), helped + hurt
        # (n − 1) s² = m − δ²/n
        squares = np.maximum(differing - gained**2 / n, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = gained / np.sqrt(n * squares / (n - 1))
        critical = self.normal_limit(n, alpha / (2 if two_sided else 1))
        return np.asarray((t >= critical * _A_HAIR_LESS) & (gained > 0))

    def normal_limit(self, n: int, tail: float) -> float:
        return -student_quantile(tail, n - 1)

    def decides_draws(self, sets: SimulatedSets, alpha: float, *, two_sided: bool) -> BoolArray:
        from scipy.special import stdtrit

        t, degrees = _student_t(sets)
        critical = -stdtrit(degrees, alpha / (2 if two_sided else 1))
        return np.asarray((np.abs(t) if two_sided else t) >= critical)


def mean_error(values: FloatArray, strata: AnyArray | None = None) -> tuple[float, float]:
    """Return the standard error of the mean of all values, and its degrees of freedom.

    Parameters
    ----------
    values : ndarray, shape (n,)
    strata : ndarray of int, shape (n,), optional
        Codes of at least two values each.

    Returns
    -------
    tuple of (float, float)
        0 where values, or those of each stratum, are equal but for rounding; and the degrees of freedom: n − 1, with
        strata Satterthwaite's.

    Examples
    --------
    >>> error, degrees = mean_error(np.array([1.0, 1.0, -1.0, 1.0, 0.0]), np.array([0, 0, 0, 1, 1]))
    >>> round(error**2 * 25, 12), round(degrees, 12)
    (5.0, 2.777777777778)
    """
    n = len(values)
    groups = [values] if strata is None else [values[members] for members in members_of(strata)]
    negligible = _NO_SPREAD * float(np.abs(values).max())
    spreads = [float(group.std(ddof=1)) for group in groups]
    largest = max(spreads)
    if largest <= negligible:
        return 0.0, float(n - len(groups))
    # In units of the largest one: fourth powers of scores can be beyond all numbers.
    parts = np.array(
        [
            len(group) * (spread / largest) ** 2 if spread > negligible else 0.0
            for group, spread in zip(groups, spreads, strict=True)
        ]
    )
    degrees = np.array([len(group) - 1 for group in groups])
    return largest * math.sqrt(parts.sum()) / n, float(parts.sum() ** 2 / (parts**2 / degrees).sum())


def t_limits(pair: AnyPair, confidence_level: float, alternative: Alternative) -> tuple[float, float]:
    """Return the ends of the null gains that the paired t test does not reject at 1 − confidence level.

    δ ± t·se where all units weigh the same; else (Fieller 1954) by the t of dᵢ − δ₀ℓᵢ, which grows with the distance of
    δ₀ from δ. One-sided alternatives leave one end infinite, and so does a spread of the weights that no δ₀ outgrows.

    Parameters
    ----------
    pair : AnyPair
        Of a linear gain.
    confidence_level : float
        In (0, 1).
    alternative : Alternative
    """
    assert pair.linear is not None
    tail = (1 - confidence_level) / (2 if alternative is Alternative.TWO_SIDED else 1)

    def excess(null_gain: float) -> float:
        differences = unit_differences(pair, null_gain)
        error, degrees = mean_error(differences, pair.strata)
        return abs(float(differences.mean())) + error * student_quantile(tail, degrees)  # a negative one

    error, degrees = mean_error(unit_differences(pair, pair.gain), pair.strata)
    reach = -error * student_quantile(tail, degrees) / float(pair.linear.shared.mean())
    low, high = pair.gain - reach, pair.gain + reach
    if not pair.equal_weights and reach > 0:
        low, high = (_crossing(excess, pair.gain, step) for step in (-reach, reach))
    if alternative is Alternative.GREATER:
        return low, math.inf
    return (-math.inf, high) if alternative is Alternative.LESS else (low, high)


def _crossing(excess: Callable[[float], float], centre: float, step: float) -> float:
    """Return where the excess becomes positive, from a centre on, a step or more away; infinity where it never does."""
    near, far = centre, centre + step
    while excess(far) <= 0:
        near, far = far, centre + 2 * (far - centre)
        if abs(far - centre) > _FARTHEST * abs(step):
            return math.copysign(math.inf, step)
    for _ in range(60):
        middle = (near + far) / 2
        near, far = (middle, far) if excess(middle) <= 0 else (near, middle)
    return far


def _student_t(sets: SimulatedSets) -> tuple[FloatArray, FloatArray]:
    """Return t of the paired differences of each set, infinite where they are all alike, and degrees of freedom."""
    d = sets.pair.changes(0.0)[:, 0]
    largest = float((d**2).max(initial=0.0))
    total = sets.weights @ d
    variance, uncertainty, degrees = np.zeros(len(total)), np.zeros(len(total)), np.zeros(len(total))
    for members, m, _ in sets.stretches():
        weights = sets.weights[:, members]
        squares = np.maximum(weights @ d[members] ** 2 - (weights @ d[members]) ** 2 / m, 0.0)
        squares = np.where(squares <= _NO_SPREAD * m * largest, 0.0, squares)
        own = m * squares / (m - 1)
        variance, uncertainty, degrees = variance + own, uncertainty + own**2 / (m - 1), degrees + m - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(total == 0, 0.0, total / np.sqrt(variance))
        return t, np.where(uncertainty > 0, variance**2 / uncertainty, degrees)


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
    title = "t-test (CR2)"
    intervals = MappingProxyType({"cr2-t": "CR2 t"})


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
    title = "skewness-corrected t-test"
    intervals = MappingProxyType({"skew-t": "skewness-corrected t"})

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


@dataclass(frozen=True)
class StudentLaw(Law):
    """The law of a gain about which a t distribution tells: centre + scale·T.

    Attributes
    ----------
    centre, scale, degrees : float
    """

    centre: float
    scale: float
    degrees: float

    how = "t distribution"
    exact = False
    least = 5e-324

    def below(self, value: float) -> float:
        if self.scale == 0:
            return 0.5 if value == self.centre else float(value > self.centre)
        return student_p_value((value - self.centre) / self.scale, self.degrees, Alternative.LESS)

    def outside(self, low: float, high: float, *, strict: bool = False) -> Probability:
        del strict  # of a continuous law
        if low >= high:
            return Probability(1.0)
        return Probability(min(self.below(low) + 1 - self.below(high), 1.0))

    def quantile(self, level: float) -> float:
        return self.centre + self.scale * student_quantile(level, self.degrees)


@dataclass(frozen=True)
class TwoWayT(SignificanceTest):
    """The t-test of items in two crossed clusterings, such as documents and annotators.

    Null hypothesis: the gain over the populations of both kinds of clusters is 0 (or δ₀). t = (δ̂ − δ₀)/√(V₁ + V₂), each
    V the CR2 variance over the clusters of one kind (`RobustT`), with Satterthwaite's degrees of freedom. What items of
    a cell share is counted twice, and never subtracted: V₁ + V₂ − V₁₂ (Cameron, Gelbach & Miller 2011) can be negative.
    """

    name = "two-way-t"
    title = "t-test over two crossed clusterings"
    intervals = MappingProxyType({"two-way-t": "two-way clustered t"})
    two_way = True

    def obstacle(self, pair: AnyPair, question: Question) -> str | None:
        del question
        return None if pair.two_way is not None else "is of items in two crossed clusterings: see --cluster"

    def error(self, pair: AnyPair) -> tuple[float, float]:
        """Return √(V₁ + V₂) and its degrees of freedom."""
        assert isinstance(pair, Pair)
        assert pair.two_way is not None
        parts = []
        for codes in pair.two_way:
            units = Units(len(codes), codes)
            influence = influence_of(Pair(pair.metric, units.sums(pair.baseline), units.sums(pair.candidate)))
            parts.append((influence.variance, influence.degrees))
        whole = sum(variance for variance, _ in parts)
        if not 0 < whole < math.inf:
            return math.sqrt(whole), min(degrees for _, degrees in parts)
        return math.sqrt(whole), 1 / sum((variance / whole) ** 2 / degrees for variance, degrees in parts)

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        del laws
        error, degrees = self.error(pair)
        excess = pair.gain - question.null_gain
        if error == 0 and abs(excess) <= pair.tolerance:
            return Outcome(Probability(1.0), "t distribution", statistic=0.0, degrees=degrees)
        t = excess / error if error > 0 else math.copysign(math.inf, excess)
        p = student_p_value(t, degrees, question.alternative)
        return Outcome(Probability(p, error=1e-12 * p), "t distribution", statistic=t, degrees=degrees)

    def interval(
        self, pair: AnyPair, laws: PairLaws, alpha: float, question: Question, estimator: Estimator
    ) -> Interval:
        del laws, estimator
        error, degrees = self.error(pair)
        reach = -error * student_quantile(alpha / (2 if question.alternative is Alternative.TWO_SIDED else 1), degrees)
        return one_sided(
            Interval(pair.gain - reach, pair.gain + reach, 1 - alpha, self.name, exact=False), question.alternative
        )

    def gain_law(self, pair: AnyPair, laws: PairLaws) -> Law:
        del laws
        return StudentLaw(pair.gain, *self.error(pair))


def _amplified(influence: Influence) -> float:
    return influence.skewness * (1 + 6 / influence.n_units)
