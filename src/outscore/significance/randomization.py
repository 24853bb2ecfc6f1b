"""The paired randomization test."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from outscore._types import AnyArray, BoolArray, FloatArray, IntArray
from outscore.gains.gain_laws import GainLaws, Hypothesis
from outscore.gains.pair import Pair, SharedDenominators
from outscore.laws.beta import binomial_at_least
from outscore.laws.exact import subset_share
from outscore.laws.exact.steps import StepSums, sign_tail
from outscore.laws.exact.subsets import score_ends, step_ratio_quantiles
from outscore.laws.law import first_reaching
from outscore.laws.student import normal_quantile
from outscore.laws.tolerances import CLOSED_TAIL_ERROR, NOISE, ROUNDING_SLACK, SHARE_SLACK
from outscore.results import Alternative, Estimator, Interval, Method, Ties
from outscore.significance.base import (
    SignificanceTest,
    one_sided,
    tail,
    tail_of,
)
from outscore.significance.p_values import PValue

if TYPE_CHECKING:
    from outscore.significance.simulated import SimulatedSets


@dataclass(frozen=True)
class Randomization(SignificanceTest):
    """The paired randomization test (Yeh 2000, section 3.3; Noreen 1989), stratified by unit.

    Null hypothesis: on every unit the two systems' outputs are exchangeable. Swapping their rows with probability ½
    then leaves the distribution of the gain unchanged.

        greater: p = P(δ' ≥ δ);  less: p = P(δ' ≤ δ);  two-sided: p = P(|δ'| ≥ |δ|).

    Under exchangeability it keeps its level for any number of units. If the systems are equally good but not
    exchangeable, for example with skewed differences, it needs many units (docs/calibration.md).

    With a margin (linear gains only) the signs of dᵢ − δ₀ℓᵢ are flipped instead. This keeps the level only if they are
    symmetric about 0. If losses are few and large, they are not: with 50 binary items and losses only, 27.9% of the
    systems that are worse by exactly a margin of 0.05 pass at a nominal 5%. Use `ScoreTest` in that case.

    Exact for linear gains and for ratios of two counts (F1, precision); sampled otherwise.
    """

    name = "randomization"
    cites = ("noreen1989", "yeh2000")
    title = "paired randomization test"
    intervals = MappingProxyType({"randomization": "inverted randomization"})
    centre = "0"
    resamples = True
    swaps = True

    def obstacle(self, pair: Pair, hypothesis: Hypothesis) -> str | None:
        if hypothesis.null_gain != 0 and pair.linear is None:
            return f"cannot shift the {pair.metric.name} by a margin: the two systems' denominators differ"
        if not pair.metric.swappable:
            return f"swaps items, but the {pair.metric.name} of a run needs all its items: use the bootstrap"
        return None

    def p_value(self, pair: Pair, laws: GainLaws, hypothesis: Hypothesis) -> PValue[float]:
        return tail(laws.law(hypothesis.null_gain), hypothesis, pair.gain, centre=hypothesis.null_gain)

    def interval(
        self, pair: Pair, laws: GainLaws, alpha: float, hypothesis: Hypothesis, estimator: Estimator
    ) -> Interval | None:
        """Return all null gains δ₀ that swaps of dᵢ − δ₀ℓᵢ do not reject; None if the gain is not linear.

        If all binary items that differ have the same sign, swaps cannot produce the other sign. The interval then also
        includes the gains that the score test does not reject.
        """
        del estimator
        linear = pair.linear
        if linear is None:
            return None
        # The distribution under δ₀ is symmetric: both tails are twice one.
        level = tail_of(alpha, hypothesis.alternative)
        # The empty subset of units with weight has the probability 2⁻ⁿ and is in both tails at every δ₀. If that
        # exceeds the level, nothing is rejected.
        if 0.5 ** np.count_nonzero(linear.shared) > level:
            return Interval(-math.inf, math.inf, 1 - alpha, "randomization", exact=True)
        error = _standard_error(linear, pair.gain)
        sampled = laws.resampling.method is Method.MONTE_CARLO
        one_way = _one_way_ends(linear.d, level) if pair.binary else None
        if error == 0:  # all units have the same gain
            same = Interval(pair.gain, pair.gain, 1 - alpha, "randomization", exact=not sampled)
            if one_way is not None:
                same = Interval(*one_way, 1 - alpha, "randomization", exact=False)
            return one_sided(same, hypothesis.alternative)
        # Exact by enumeration if units are few or alike, in closed form for binary scores, else quantiles of sampled
        # subsets.
        limits = None if sampled else _limits(linear, pair.gain, error, level)
        exact = limits is not None
        if limits is None and not sampled and linear.steps is not None:
            limits = _limits_of_steps(*linear.steps, pair.n_units, level)
        low, high = _sampled_limits(laws.subset_totals(), level) if limits is None else limits
        if one_way is not None:
            low, high, exact = min(low, one_way[0]), max(high, one_way[1]), False
        return one_sided(Interval(low, high, 1 - alpha, "randomization", exact), hypothesis.alternative)

    def p_values_of_table(self, steps: StepSums, hypothesis: Hypothesis) -> PValue[AnyArray]:
        return sign_p_values(steps, hypothesis)

    def decides_counts(self, n: int, helped: IntArray, hurt: IntArray, alpha: float, *, two_sided: bool) -> BoolArray:
        return sign_decisions(n, helped, hurt, alpha, two_sided=two_sided)

    def normal_limit(self, n: int, tail: float) -> float:
        """Return t with t² = z² (n − 1)/(n − z²): the variance is Σd²/n², which includes the mean."""
        z2 = normal_quantile(tail) ** 2
        return math.sqrt(z2 * (n - 1) / (n - z2)) if n > z2 else math.inf

    def decides_draws(self, sets: SimulatedSets, alpha: float, *, two_sided: bool) -> BoolArray:
        if two_sided:
            return np.asarray((2 * sets.swapped() <= alpha) & (sets.gains != 0))
        return np.asarray((sets.swapped() <= alpha) & (sets.gains > 0))


def _standard_error(linear: SharedDenominators, gain: float) -> float:
    """Return the standard error of the gain under swaps, centred at the gain itself."""
    if linear.steps is not None:
        (helped, hurt), n = linear.steps, len(linear.d)
        return math.sqrt(helped + hurt - (helped - hurt) ** 2 / n) / n
    return float(np.sqrt((linear.centred(gain) ** 2).sum())) / float(linear.shared.sum())


def _limits(linear: SharedDenominators, gain: float, error: float, level: float) -> tuple[float, float] | None:
    """Return the exact quantiles of the ratio of a random subset, or None if it has to be sampled."""
    low, high = (subset_share(side * linear.d, linear.shared) for side in (1.0, -1.0))
    if low is None or high is None:
        return None
    return _quantile(low, gain, error, level), -_quantile(high, -gain, error, level)


def _one_way_ends(d: FloatArray, level: float) -> tuple[float, float] | None:
    """Return the ends of the score interval of binary items, if all that differ have the same sign."""
    helped, hurt = np.count_nonzero(d > 0), np.count_nonzero(d < 0)
    if helped and hurt:
        return None
    low, high = score_ends(np.array([float(helped)]), np.array([float(hurt)]), len(d), normal_quantile(level))
    return float(low[0]), float(high[0])


def _limits_of_steps(helped: int, hurt: int, n: int, level: float) -> tuple[float, float]:
    """Return the limits for so many binary differences that both sampling and enumeration would be slow."""
    ups, downs = np.array([helped, hurt], dtype=np.float64), np.array([hurt, helped], dtype=np.float64)
    low, mirrored_low = step_ratio_quantiles(ups, downs, n, level)
    return float(low), -float(mirrored_low)


def _sampled_limits(totals: FloatArray, level: float) -> tuple[float, float]:
    """Return the quantiles of the ratio of random subsets, given their totals of d and ℓ.

    A limit is the smallest x with a p-value (c + 1)/(r + 1) above the level; c is the number of subsets S with
    d(S) <= x·ℓ(S).
    """
    d, shared = totals.T
    # Of subsets without weight, those without a difference count at every x, as the empty one does.
    tolerance = NOISE * float(np.abs(totals).max(initial=0.0))
    count = math.floor(level * (len(totals) + 1) * SHARE_SLACK)
    if count == 0:  # too few samples for this level
        return -math.inf, math.inf
    limits = []
    for side in (1.0, -1.0):
        # A subset with ℓ(S) = 0 meets the event at every x or at none.
        ratios = np.where(side * d <= tolerance, -math.inf, math.inf)
        np.divide(side * d, shared, out=ratios, where=shared > 0)
        limits.append(side * float(np.partition(ratios, count - 1)[count - 1]))
    return limits[0], limits[1]


def _quantile(share: Callable[[float], float], gain: float, error: float, level: float) -> float:
    """Return the smallest x with a proportion above the level, to a millionth of the standard error.

    It exists: the ratio of a subset with ℓ(S) > 0 is finite, and the proportion of the other subsets is at most the
    level.
    """
    level *= SHARE_SLACK
    return first_reaching(share, level, gain + NormalDist().inv_cdf(level) * error, error, digits=1e-6)


def sign_decisions(n: int, helped: IntArray, hurt: IntArray, alpha: float, *, two_sided: bool) -> BoolArray:
    """Return whether P(Bin(h + t, ½) ≥ h) ≤ α, twice that for two sides.

    For binary items the sign test, McNemar's, Wilcoxon's (all ranks are tied) and randomization (every difference is
    ±1) are the same test.
    """
    del n
    p = binomial_at_least(helped, hurt, 0.5)
    if two_sided:
        # With as many wins as losses both tails include the middle, and twice one exceeds 1.
        p = np.where(helped == hurt, 1.0, np.minimum(2 * p, 1.0))
    return np.asarray(p <= alpha * ROUNDING_SLACK)


def sign_p_values(steps: StepSums, hypothesis: Hypothesis) -> PValue[AnyArray]:
    """Return P(|S| ≥ D), or P(S ≥ D), for sums S of random signs, one per unit that differs."""
    helped, hurt = steps.ups, steps.downs
    differing = helped + hurt
    beyond = int(hypothesis.ties is Ties.STRICT)
    values = sign_tail(np.maximum(helped, hurt) + beyond, differing)
    if hypothesis.alternative is Alternative.TWO_SIDED:
        tied = (helped == hurt) & (hypothesis.ties is Ties.COUNT)
        values = np.where(tied, 1.0, np.minimum(2 * values, 1.0))
    # At most 1,000: 2⁻¹⁰⁰⁰ is still a normal double.
    least = np.maximum(0.5 ** np.minimum(differing, 1000), np.finfo(np.float64).tiny)
    return PValue(values, "exact: binomial", CLOSED_TAIL_ERROR * values, least=least)
