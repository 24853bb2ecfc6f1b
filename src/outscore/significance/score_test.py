"""The score test by maximum empirical likelihood: the default of claims with a margin."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from outscore._types import FloatArray
from outscore.gains.gain_laws import GainLaws, Hypothesis
from outscore.gains.pair import Pair
from outscore.laws.law import root
from outscore.laws.student import normal_p_value
from outscore.laws.tolerances import TAIL_ERROR
from outscore.metrics import AnyMetric, RatioMetric
from outscore.results import Alternative, Estimator, Interval
from outscore.significance.base import SignificanceTest, no_unit_scores, tail_of
from outscore.significance.p_values import PValue
from outscore.words import warnings

if TYPE_CHECKING:
    from outscore.significance.simulated import SimulatedSets

# Minimum number of units for which a level of 5% was measured to hold: see docs/calibration.md.
_FEWEST_UNITS = 30
_STEPS = 48  # steps of bisection: the weights are computed to 15 digits
_FEWEST_UNITS_OF_OTHERS = 100  # for gains that are neither means nor ratios of sums
_LARGEST_SHARE = 0.2  # of the range: the most by which one unit may move such a score


@dataclass(frozen=True, eq=False)
class _Contributions:
    """The contributions of units to a gain Σ d / Σ ℓ, and the most extreme possible contribution of an unseen unit.

    Attributes
    ----------
    d, shared : ndarray, shape (m,)
        Distinct values of dᵢ and ℓᵢ. If the gain is not a mean, dᵢ are its jackknife pseudo-values and ℓᵢ is 1.
    counts : ndarray, shape (m,)
        Number of units with each.
    reach, reach_shared : float
        The largest |d| possible, 0 or more, and the ℓ of such a unit.
    bounded : bool
        Whether `reach` follows from the metric's range, not from the observed scores.
    """

    d: FloatArray
    shared: FloatArray
    counts: FloatArray
    reach: float
    reach_shared: float
    bounded: bool

    @property
    def n(self) -> float:
        return float(self.counts.sum())

    @property
    def gain(self) -> float:
        return float((self.counts @ self.d) / (self.counts @ self.shared))

    @property
    def furthest(self) -> float:
        """The upper limit of the margins that can be tested."""
        return self.reach / self.reach_shared

    def statistic(self, null_gain: float) -> float | None:
        """Return z of the hypothesis that the gain is δ₀; None if all dᵢ = δ₀ℓᵢ."""
        centred = self.d - null_gain * self.shared
        if not centred.any():
            return None
        total = float(self.counts @ centred)
        sign = -1.0 if total < 0 else 1.0
        # A unit that was not seen pulls towards the null hypothesis by as much as the range allows.
        extreme = -self.reach - sign * null_gain * self.reach_shared
        variance = reweighted_variance(sign * centred, self.counts, extreme)
        return total / math.sqrt(self.n * variance) if variance > 0 else math.copysign(math.inf, total)


@dataclass(frozen=True)
class ScoreTest(SignificanceTest):
    """The score test, the variance estimated under the null hypothesis by maximum empirical likelihood.

    Null hypothesis: the mean of the gain over the population of items is at most δ₀ (or at least, or equal).
    The items and one support point at the worst possible value are reweighted so that their mean is δ₀ and their
    likelihood Π wᵢ is maximal (Owen 1988). V is the variance of the reweighted items:

        z = (δ − δ₀) / √(V / n),  p from the normal distribution.

    The support point represents losses that are possible but not in the test set, which resampling never draws. For
    differences of −1, 0 and 1 this is Tango's (1998) score test, and with δ₀ = 0 McNemar's. For a linear gain Σ d / Σ ℓ
    the items are dᵢ − δ₀ℓᵢ, and the worst value is the loss of a heavy unit (Σ ℓ³ / Σ ℓ²). A gain that is not a mean
    is linearised by jackknife pseudo-values.

    The worst value follows from the metric's range (`AnyMetric.score_range`). If the range is unknown, the lowest and
    the highest observed score are used, and a warning says that unseen losses are not bounded. Strata are ignored,
    which makes the test conservative.

    It is the default for `not-worse` and `equivalent`. Its level was measured for 30 units or more. Scores that are
    neither means nor ratios of sums need 100 units, none of which may move the score by a fifth of its range.
    Cost: about 20 passes over the distinct differences, 500 with the interval; gains that are not means also need n
    scores.
    """

    name = "score"
    cites = ("tango1998", "owen1988")
    title = "maximum-empirical-likelihood score test"
    intervals = MappingProxyType({"score": "score"})
    keeps_level_at_margins = True

    def obstacle(self, pair: Pair, hypothesis: Hypothesis) -> str | None:
        if not pair.metric.has_unit_scores:
            return no_unit_scores(pair)
        if pair.linear is None:
            obstacle = _no_law_without_a_mean(pair)
            if obstacle:
                return obstacle
        furthest = _contributions(pair).furthest
        size = abs(hypothesis.null_gain)
        if size > 0 and furthest == 0:
            return f"needs the range of the scores, because all scores are the same{_say_the_range(pair.metric)}"
        if size > 0 and size >= furthest:
            return (
                f"needs a margin below {furthest:.6g}, the largest gain or loss that the scores allow, got {size:g}"
                f"{_say_the_range(pair.metric)}"
            )
        return None

    def p_value(self, pair: Pair, laws: GainLaws, hypothesis: Hypothesis) -> PValue[float]:
        del laws
        z = _contributions(pair).statistic(hypothesis.null_gain)
        p = 1.0 if z is None else normal_p_value(z, hypothesis.alternative)
        return PValue(p, "normal distribution", TAIL_ERROR * p if z else 0.0, statistic=z or 0.0)

    def interval(
        self, pair: Pair, laws: GainLaws, alpha: float, hypothesis: Hypothesis, estimator: Estimator
    ) -> Interval | None:
        del laws, estimator
        low, high = score_interval(pair, 1 - alpha, hypothesis.alternative)
        return Interval(low, high, 1 - alpha, self.name, exact=False)

    def remarks(self, pair: Pair) -> Sequence[str]:
        remarks = []
        if not _contributions(pair).bounded:
            remarks.append(warnings.losses_unbounded(_say_the_range(pair.metric)))
        if pair.n_units < _FEWEST_UNITS:
            remarks.append(warnings.few_for_score_test(pair.n_units, _FEWEST_UNITS))
        return remarks


def score_interval(pair: Pair, level: float, alternative: Alternative = Alternative.TWO_SIDED) -> tuple[float, float]:
    """Return the interval of all gains δ₀ that the score test does not reject at level 1 − `level`.

    For binary items the two-sided interval is Tango's (1998). One-sided intervals have an infinite end.

    Parameters
    ----------
    pair : Pair
        Must not have an obstacle to `ScoreTest`.
    level : float
        The confidence level, in (0, 1).
    alternative : Alternative
        Alternative of the test: `greater` gives a lower bound, `less` an upper bound.
    """
    contributions = _contributions(pair)
    critical = NormalDist().inv_cdf(1 - tail_of(1 - level, alternative))
    low = -math.inf if alternative is Alternative.LESS else _gain_at(contributions, critical)
    high = math.inf if alternative is Alternative.GREATER else _gain_at(contributions, -critical)
    return low, high


def _gain_at(contributions: _Contributions, critical: float) -> float:
    """Return the δ₀ at which z is critical, or the nearest possible δ₀. z falls as δ₀ rises."""

    def excess(null_gain: float) -> float:
        z = contributions.statistic(null_gain)
        # z may be infinite, and `root` interpolates between finite values.
        return min(max((0.0 if z is None else z) - critical, -1e9), 1e9)

    # At the ends all weight is on one value, and z has no variance.
    furthest = contributions.furthest
    low, high = -furthest * (1 - 1e-12), furthest * (1 - 1e-12)
    if excess(low) <= 0:
        return -furthest
    if excess(high) >= 0:
        return furthest
    return root(excess, low, high, within=1e-14 * furthest)


def reweighted_variance(values: FloatArray, counts: FloatArray, extreme: float) -> float:
    """Return the variance of values reweighted by maximum empirical likelihood so that their mean is 0.

    `counts` are the numbers of units with each value, shape (m,), and the mean of the values is 0 or more. Weights are
    wᵢ = 1/(n(1 + λxᵢ)), and w₀ on a support point x₀ that no unit has: `extreme`, or the lowest value if that is lower.
    λ solves Σ wᵢxᵢ = 0 with w₀ = 0. If no λ up to −1/x₀ does, λ is −1/x₀ and w₀ is the rest of the weight
    (Karush–Kuhn–Tucker conditions). If x₀ is 0 or more, no weights have a mean of 0, and the variance is 0.
    """
    n, size = float(counts.sum()), -min(extreme, float(values.min()))
    if size <= 0:
        return 0.0
    y = values / size  # −1 or more; λ·size = 1 − s, so that 1 + λx is s exactly where y = −1

    def weights(s: float) -> FloatArray:
        return np.asarray(counts / ((1 + y - s * y) * n))

    def mean(s: float) -> float:
        return float(weights(s) @ y)

    at_the_worst = float(counts[y == -1].sum())
    # Below this s the values at −1 outweigh all others, whose weights are at most 1/n where y is positive.
    lowest = 0.0 if at_the_worst == 0 else 0.5 * at_the_worst / (n + at_the_worst + float(counts @ np.maximum(y, 0)))
    if at_the_worst == 0 and mean(0.0) >= 0:
        w = weights(0.0)
        return size * size * (float(w @ y**2) + max(1 - float(w.sum()), 0.0))
    if mean(1.0) <= 0:  # 0, except for rounding
        return size * size * float(weights(1.0) @ y**2)
    s_at_0 = root(mean, lowest, 1.0)  # it may be next to 0
    return size * size * float(weights(s_at_0) @ y**2)


def score_statistics(sets: SimulatedSets, null_gain: float, sign: float, reach: tuple[float, float]) -> FloatArray:
    """Return z of H0: δ ≤ δ₀ for each test set, shape (b,), or with sign −1 of H0: δ ≥ δ₀; 0 or less if H0 fits."""
    pair, weights = sets.pair, sets.weights
    m = weights.sum(axis=1, keepdims=True)
    if pair.linear is not None:
        d, shared = pair.linear.d, pair.linear.shared
        values = sign * (d - null_gain * shared)[None]
    else:
        # Units' influence on the gain about each set's own totals.
        values = sign * (sets.influence * m + sets.gains[:, None] - null_gain)
    worst = -reach[0] - sign * null_gain * reach[1]
    worst = np.minimum(worst, np.where(weights > 0, values, 0.0).min(axis=1))
    total = np.einsum("bn,bn->b", weights, np.broadcast_to(values, weights.shape))
    variance = _reweighted_variances(values, weights, worst)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(total > 0, total / np.sqrt(m[:, 0] * variance), 0.0)


def _reweighted_variances(values: FloatArray, weights: FloatArray, worst: FloatArray) -> FloatArray:
    """Return `reweighted_variance` of many sets, shape (b,), to 15 digits of λ, without a search per set."""
    size = np.maximum(-worst, 1e-300)[:, None]
    y = np.maximum(values / size, -1.0)
    low, high = np.zeros((len(weights), 1)), np.ones((len(weights), 1))
    # Bisection, though slower than Newton's method for one set: all sets take the same steps, and none needs a
    # safeguard.
    for _ in range(_STEPS):
        middle = (low + high) / 2
        above = (weights * y / (1 + middle * y)).sum(axis=1, keepdims=True) > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    p = weights / (1 + low * y) / weights.sum(axis=1, keepdims=True)
    at_worst = np.maximum(1 - p.sum(axis=1), 0.0)
    return np.asarray(size[:, 0] ** 2 * ((p * y**2).sum(axis=1) + at_worst))


def knows_the_range(pair: Pair) -> bool:
    """Return whether the scores have a known range, which bounds losses that were not seen."""
    return _width_of(pair) is not None


def _contributions(pair: Pair) -> _Contributions:
    """Return the units' contributions to the gain, with equal ones merged, and the worst possible one."""
    full = _width_of(pair)
    baseline, candidate = pair.pseudo_scores
    seen = float(max(baseline.max(), candidate.max()) - min(baseline.min(), candidate.min()))
    if pair.linear is not None:
        d, shared = pair.linear.d, pair.linear.shared
    else:
        d, shared = candidate - baseline, np.ones(len(baseline))
    heaviest = float(shared.mean()) if full is None else _heaviest(pair)
    # Pseudo-values may be outside the range of scores, and a range may be stated too narrowly: what was seen is
    # possible.
    reach = max(seen, float(np.abs(d).max()), 0.0 if full is None else full * heaviest)
    # Units with weights are rarely equal. Other gains often have few distinct values, and the search takes time in
    # proportion.
    if pair.linear is not None and not pair.equal_weights:
        return _Contributions(d, shared, np.ones(len(d)), reach, heaviest, full is not None)
    different, counts = np.unique(d, return_counts=True)
    shared = np.full(len(different), shared[0])
    return _Contributions(different, shared, counts.astype(np.float64), reach, heaviest, full is not None)


def _heaviest(pair: Pair) -> float:
    return max(map(heavy, _denominators(pair) if pair.linear is None else [pair.linear.shared]))


def heavy(weights: FloatArray) -> float:
    """Return the weight of an unseen unit: Σ ℓ³ / Σ ℓ², the common weight if all are equal.

    With the mean weight the test rejects too often if weights vary (15% for clusters of lognormal sizes), because heavy
    units are rare and influential. With the largest weight it hardly ever rejects. This weight kept 5% in all
    measurements: lengths of sentences, sizes uniform and lognormal (docs/calibration.md).
    """
    if weights.min() == weights.max():
        return float(weights[0])
    relative = weights / weights.max()
    return float(weights.max() * (relative**3).sum() / (relative**2).sum())


def _denominators(pair: Pair) -> list[FloatArray]:
    """Return both systems' denominators of each unit, divided by their mean; 1 if the gain has no ratios."""
    if isinstance(pair.metric, RatioMetric):
        bottom = np.asarray(pair.metric.denominator)
        every = [rows @ bottom for rows in (pair.baseline, pair.candidate)]
        return [weights / weights.mean() if weights.any() else np.ones(1) for weights in every]
    return [np.ones(1)]


def _width_of(pair: Pair) -> float | None:
    """Return the width of the range of a unit's score, None if it is not bounded."""
    if pair.score_range is None:
        return None
    width = pair.score_range[1] - pair.score_range[0]
    return width if math.isfinite(width) else None


def _no_law_without_a_mean(pair: Pair) -> str | None:
    """Return why a gain that is not a mean cannot be linearised, or None if it can."""
    name = pair.metric.name
    if pair.n_units < _FEWEST_UNITS_OF_OTHERS and not isinstance(pair.metric, RatioMetric):
        return (
            f"needs {_FEWEST_UNITS_OF_OTHERS} units or more for {name}, which is neither a mean nor a ratio "
            f"of sums, got {pair.n_units}"
        )
    scores = pair.pseudo_scores
    if not all(np.isfinite(part).all() for part in scores):
        return f"leaves out one unit at a time, and {name} is undefined without one of them"
    full = _width_of(pair)
    moved = max(float(np.abs(part - part.mean()).max()) for part in scores) / pair.n_units
    if full is not None and moved > _LARGEST_SHARE * full:
        return f"was not validated for data in which one unit moves {name} by {100 * moved / full:.0f}% of its range"
    return None


def _say_the_range(metric: AnyMetric) -> str:
    if not metric.takes_range:
        return ""
    return f". If the scores have a range, pass it: {metric.name}:lowest=0,highest=1"


def reach_of(pair: Pair) -> tuple[float, float]:
    """Return the worst possible contribution of an unseen unit to the gain, as an absolute value, and its ℓ.

    Planning uses it for a pilot, whose units make up test sets of other sizes. From the observed units it uses only
    what is needed for a metric without a range.
    """
    full = _width_of(pair)
    if full is not None:
        heaviest = _heaviest(pair)
        return full * heaviest, heaviest
    contributions = _contributions(pair)
    return contributions.reach, contributions.reach_shared
