"""Tests and intervals for one system's score against a constant: by the range of the scores, or exact binomial.

If scores are near a bound of their range, the sample may not show all scores that are possible.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.data.strata import members_of
from outscore.design.constant import Constant
from outscore.gains.gain_laws import GainLaws, Hypothesis
from outscore.gains.influence import Spread, combined, effective_units
from outscore.gains.pair import Pair
from outscore.gains.variance import parts_of_gain
from outscore.laws.beta import binomial_at_least
from outscore.laws.law import proportion_ends, root
from outscore.laws.student import student_p_value, student_quantile
from outscore.laws.tolerances import LEAST_P, TAIL_ERROR
from outscore.options import opt
from outscore.results import Alternative, Estimator, Interval
from outscore.significance.base import SignificanceTest, one_sided, tail_of
from outscore.significance.p_values import PValue
from outscore.significance.score_test import ScoreTest, reweighted_variance

_NEXT_TO_BOUND = 1e-12  # of the range: distance from the bound at which the likelihood is evaluated


def proportion_interval(share: float, trials: float, alpha: float) -> tuple[float, float]:
    """Return Clopper and Pearson's (1934) interval of a proportion, with a coverage of at least 1 − α.

    `trials` is the effective number of binary trials, not a whole number if trials are correlated.

    Examples
    --------
    >>> low, high = proportion_interval(1.0, 10, 0.05)
    >>> round(low, 4), high
    (0.6915, 1.0)
    """
    return proportion_ends(share * trials, (1 - share) * trials, alpha / 2)


@dataclass(frozen=True)
class GainOfProportion:
    """The difference between a proportion and a constant. Exact if counts are whole numbers of independent items."""

    right: float  # number of correct trials
    wrong: float  # number of incorrect trials
    constant: float  # in [0, 1]
    method: str = "clopper-pearson"  # of its interval

    def p_value(self, null_gain: float, alternative: Alternative) -> float:
        """Return the p-value under p₀ = constant + δ₀, with the tails that Clopper and Pearson's interval inverts.

        P(X ≥ k) is I_p₀(k, n − k + 1), where I is the regularized incomplete beta function.

        Examples
        --------
        >>> round(GainOfProportion(50, 0, 0.98).p_value(0.0, Alternative.GREATER), 4)
        0.3642
        """
        share = self.constant + null_gain
        inside = min(max(share, 0.0), 1.0)
        # Both tails by one call, each with the proportion of its own outcome: 1 − p loses digits where p is near 1.
        counts = np.array([self.right, self.wrong])
        tails = binomial_at_least(counts, counts[::-1], np.array([inside, 1 - inside]))
        at_least, at_most = float(tails[0]), float(tails[1])
        if share != inside:  # a margin beyond 0 or 1, where no proportion can be
            at_least, at_most = (0.0, 1.0) if share < 0 else (1.0, 0.0)
        if alternative is Alternative.TWO_SIDED:
            return min(2 * min(at_least, at_most), 1.0)
        return at_least if alternative is Alternative.GREATER else at_most

    def interval(self, tail: float) -> tuple[float, float]:
        """Return the ends of the interval of the gain; `tail` is the level of each side."""
        low, high = proportion_ends(self.right, self.wrong, tail)
        return low - self.constant, high - self.constant


def effective_trials(share: float, weights: FloatArray, most: float, spread: Spread, alpha: float) -> float:
    """Return the effective number of independent binary items of a proportion (Korn & Graubard 1998).

    It is share·(1 − share)/V, at most `most`, times the squared ratio of Student's quantiles for that many items and
    for the spread's degrees of freedom. If the variance is 0, as for a flawless system, the items of a unit are assumed
    to be identical: (Σℓ)²/Σℓ² over units. `weights` are ℓ, shape (n_units,), and `most` is the effective number if
    items were independent: their number if all weights are equal.
    """
    variance = float(spread.variance)
    if not 0 < variance < math.inf:
        return min(effective_units(weights), most)
    # A variance below that of independent items is taken as chance.
    trials = min(share * (1 - share) / variance, most)
    quantile = student_quantile(alpha / 2, max(most - 1, 1.0))
    return trials * (quantile / student_quantile(alpha / 2, float(spread.degrees))) ** 2


@dataclass(frozen=True, eq=False)
class BoundedMean:
    """Σd/Σℓ of units whose scores have a range, tested by maximum empirical likelihood (Owen 1988).

    For each hypothetical mean, the units and one extra unit are reweighted to have that mean. The extra unit is at the
    bound on the far side of that mean and represents scores that are possible but not in the sample. Its weight is
    Σℓ²/Σℓ, the expected weight of the unit of a random item. With the mean weight, measured coverage was only 87% for
    lognormal sizes. With strata, units are shifted to the overall mean, so that only the spread within strata and the
    extra unit count.
    """

    d: FloatArray  # each unit's contribution to the numerator, shape (n,)
    shared: FloatArray  # each unit's weight ℓ, shape (n,)
    ends: tuple[float, float]  # the range of scores
    degrees: float  # of freedom, of the t distribution that replaces the normal
    of_levels: float = 0.0  # variance that new runs, templates, ... add to that of the units

    method = ScoreTest.name

    @classmethod
    def of(cls, pair: Pair, ends: tuple[float, float], parts: Sequence[Spread]) -> BoundedMean:
        """Return the gain of a pair; `parts` are its spreads over units and levels, and `ends` bound the gain."""
        assert pair.linear is not None
        d, shared = pair.linear.d, pair.linear.shared
        if pair.strata is not None:
            d = _without_strata(d, shared, pair.strata)
        degrees = float(combined([part.plain for part in parts]).degrees)
        return cls(d, shared, ends, degrees, math.fsum(float(part.variance) for part in parts[1:]))

    @cached_property
    def mean(self) -> float:
        return float(self.d.sum() / self.shared.sum())

    @cached_property
    def _counted(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The distinct units, with their weights and counts."""
        if self.shared.min() != self.shared.max():
            return self.d, self.shared, np.ones(len(self.d))
        d, times = np.unique(self.d, return_counts=True)
        return d, np.full(len(d), self.shared[0]), times.astype(np.float64)

    def _deviation(self, value: float) -> tuple[float, float]:
        """Return |mean − value| and its standard error under that value, both times Σℓ."""
        (low, high), whole = self.ends, float(self.shared.sum())
        d, shared, counts = self._counted
        sign = 1.0 if value < self.mean else -1.0
        # Both sides are turned so that the mean to explain is below the observed one, which is what
        # `reweighted_variance` takes.
        extreme = ((low if sign > 0 else -high) - sign * value) * float(self.shared @ self.shared) / whole
        variance = reweighted_variance(sign * (d - value * shared), counts, extreme)
        return whole * abs(self.mean - value), math.sqrt(len(self.d) * variance + self.of_levels * whole**2)

    def p_value(self, value: float, alternative: Alternative) -> float:
        """Return the p-value of the null hypothesis mean = `value`: below α if the interval excludes it."""
        distance, error = self._deviation(value)
        if distance == 0:
            return 1.0 if alternative is Alternative.TWO_SIDED else 0.5
        t = math.copysign(distance / error if error > 0 else math.inf, self.mean - value)
        return student_p_value(t, self.degrees, alternative)

    def interval(self, tail: float) -> tuple[float, float]:
        """Return the ends of the interval; `tail` is the level of each side."""
        low, high = self.ends
        mean, critical = self.mean, student_quantile(tail, self.degrees)

        def excess(value: float) -> float:
            distance, error = self._deviation(value)
            return distance - critical * error

        centred = self.d - mean * self.shared
        error = math.sqrt(float(centred @ centred) / float(self.shared.sum()) ** 2 + self.of_levels)
        # The interval is usually within 1.2 times the normal one, so that one step and one root search find an end.
        first = max(1.2 * critical * error, 1e-3 * (high - low))

        def end(bound: float) -> float:
            near, step = mean, math.copysign(min(first, abs(bound - mean)), bound - mean)
            while abs(bound - near) > _NEXT_TO_BOUND * (high - low):
                # The likelihood is undefined at the bound itself, where one unit would have all the weight.
                far = near + step if abs(step) < abs(bound - near) else bound + (near - bound) * _NEXT_TO_BOUND
                if excess(far) > 0:
                    return root(excess, near, far, within=1e-12 * (high - low))
                near, step = far, 2 * step
            return bound

        return end(low), end(high)


def gain_of_alike(pair: Pair) -> GainOfProportion | BoundedMean | None:
    """Return the gain over a constant of a system with equal scores, tested as in the interval of its score.

    None without a constant, or if the range of the scores is unknown. At a bound of 0 or 1, the number of trials is
    the effective one (`effective_trials`). Of two crossed clusterings the smaller effective number counts.
    """
    if pair.against is None or pair.linear is None or pair.score_range is None:
        return None
    signed_ends = sorted(pair.sign * (end - pair.against) for end in pair.score_range)
    ends = signed_ends[0], signed_ends[1]
    if not math.isfinite(ends[1] - ends[0]):
        return None
    clustered = min(pair.in_clusters, key=lambda clustered: effective_units(clustered.sizes))
    at_bound = [abs(pair.gain - end) <= pair.tolerance for end in ends]
    if any(at_bound) and pair.score_range == (0.0, 1.0) and pair.crossing is None:
        trials = effective_units(clustered.sizes)
        return GainOfProportion(trials * at_bound[1], trials * at_bound[0], -ends[0], "korn-graubard")
    return BoundedMean.of(clustered, ends, parts_of_gain(pair))


def _without_strata(d: FloatArray, shared: FloatArray, strata: AnyArray) -> FloatArray:
    """Return d with each stratum shifted to the overall mean, and scaled by the strata's factors n/(n − 1)."""
    moved, n = np.empty_like(d), len(d)
    mean = d.sum() / shared.sum()
    for members in members_of(strata):
        m, whole = len(members), float(shared[members].sum())
        within = d[members] - (float(d[members].sum()) / whole if whole > 0 else 0.0) * shared[members]
        moved[members] = mean * shared[members] + within * math.sqrt(m / max(m - 1, 1) * (n - 1) / n)
    return moved


@dataclass(frozen=True)
class Binomial(SignificanceTest):
    """The exact binomial test (Clopper & Pearson 1934): the default of items scored 0 or 1 against a constant.

    Null hypothesis: an item scores 1 with probability p₀, the constant, or p₀ + δ₀ with a margin. The number of items
    that score 1 is then Binomial(n, p₀).

        greater: p = P(X ≥ k);  less: p = P(X ≤ k);  two-sided: p = min(1, 2 min(P(X ≥ k), P(X ≤ k))).

    Its interval is Clopper and Pearson's interval of the score minus the constant, as in `outscore.score`, so the two
    cannot contradict each other. `scipy.stats.binomtest` and R's `binom.test` have the same one-sided p-values and
    interval. Their two-sided p-value adds up all counts that are no more likely than k, and can contradict their
    interval. The statistic is k, or n − k if lower is better.
    """

    name = "binomial"
    cites = ("clopper1934",)
    title = "exact binomial test"
    intervals = MappingProxyType({"clopper-pearson": "Clopper-Pearson"})
    samples = frozenset({"item"})
    requires: ClassVar[frozenset[str]] = frozenset({Constant.name})
    keeps_level_at_margins = True

    def obstacle(self, pair: Pair, hypothesis: Hypothesis) -> str | None:
        del hypothesis
        if pair.against is None:
            return f"tests one system against a constant ({opt('against')}); for two systems use sign"
        if _is_proportion(pair):
            return None
        return "needs items scored 0 or 1 with equal weights and no strata, and a constant from 0 to 1"

    def p_value(self, pair: Pair, laws: GainLaws, hypothesis: Hypothesis) -> PValue[float]:
        del laws
        gain = _gain(pair)
        p = max(gain.p_value(hypothesis.null_gain, hypothesis.alternative), LEAST_P)
        return PValue(p, "exact: binomial", TAIL_ERROR * p if p < 1 else 0.0, statistic=gain.right)

    def interval(
        self, pair: Pair, laws: GainLaws, alpha: float, hypothesis: Hypothesis, estimator: Estimator
    ) -> Interval | None:
        del laws, estimator
        gain = _gain(pair)
        low, high = gain.interval(tail_of(alpha, hypothesis.alternative))
        return one_sided(Interval(low, high, 1 - alpha, gain.method, exact=True), hypothesis.alternative)


def _is_proportion(pair: Pair) -> bool:
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


def _gain(pair: Pair) -> GainOfProportion:
    """Return the gain of a system; the statistic counts the items that score 1, or 0 if lower is better."""
    assert pair.scores is not None
    assert pair.against is not None
    ones = float(np.count_nonzero(pair.scores[1]))
    zeros = pair.n_units - ones
    if pair.sign > 0:
        return GainOfProportion(ones, zeros, pair.against)
    return GainOfProportion(zeros, ones, 1 - pair.against)
