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
from outscore.gains.gain_laws import Question
from outscore.gains.pair import AnyPair, Pair
from outscore.laws.law import Probability, root
from outscore.laws.student import normal_p_value
from outscore.metrics import AnyMetric, RatioMetric
from outscore.results import Alternative, Estimator, Interval
from outscore.significance.base import Outcome, PairLaws, SignificanceTest
from outscore.words import warnings

if TYPE_CHECKING:
    from outscore.significance.simulated import SimulatedSets

# docs/calibration.md: where the level of 5% was measured to hold.
_FEWEST_UNITS = 30
_STEPS = 48  # of a bisection: the reweighting is known to 15 digits
_FEWEST_UNITS_OF_OTHERS = 100  # of gains that are neither means nor ratios of sums
_LARGEST_SHARE = 0.2  # of the range of such a score: what one unit alone may move it by


@dataclass(frozen=True, eq=False)
class _Contributions:
    """A gain Σ d / Σ ℓ as units make it, and the furthest that a unit not yet seen could lie.

    Attributes
    ----------
    d, shared : ndarray, shape (m,)
        The different ones of dᵢ and ℓᵢ; of a gain that is no mean dᵢ are its jackknife pseudo-values, and ℓᵢ 1.
    counts : ndarray, shape (m,)
        How many units have them.
    reach, reach_shared : float
        The largest |d| possible, 0 or more, and the ℓ of such a unit.
    bounded : bool
        Whether `reach` is what the metric's range allows rather than what was seen.
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
        """The largest gain that can be told from a loss of the same size."""
        return self.reach / self.reach_shared

    def statistic(self, null_gain: float) -> float | None:
        """Return z of the hypothesis that the gain is δ₀; None where no unit tells anything: all dᵢ = δ₀ℓᵢ."""
        centred = self.d - null_gain * self.shared
        if not centred.any():
            return None
        total = float(self.counts @ centred)
        sign = -1.0 if total < 0 else 1.0
        extreme = -self.reach - sign * null_gain * self.reach_shared
        variance = reweighted_variance(sign * centred, self.counts, extreme)
        return total / math.sqrt(self.n * variance) if variance > 0 else math.copysign(math.inf, total)


@dataclass(frozen=True)
class ScoreTest(SignificanceTest):
    """The score test, the variance estimated under the null hypothesis by maximum empirical likelihood.

    Null hypothesis: the mean of the gain over the population of items is at most δ₀ (or at least, or equal).
    The items and one support point at the worst possible value are reweighted so that their mean is δ₀ and their
    likelihood Π wᵢ as large as can be (Owen 1988). V is the variance of the reweighted items:

        z = (δ − δ₀) / √(V / n),  p from the normal law.

    The support point is what tells that a loss of which none was seen yet is possible: resampling the items never
    draws one. For differences of −1, 0 and 1 this is Tango's (1998) score test, with δ₀ = 0 McNemar's. Of a linear
    gain Σ d / Σ ℓ the items are dᵢ − δ₀ℓᵢ, and the worst is the loss of a heavy unit (Σ ℓ³ / Σ ℓ²). A gain that is
    no mean is linearised: its units are jackknife pseudo-values.

    The metric's range says what the worst value is (`AnyMetric.score_range`); without one it is the lowest against
    the highest score of either system, and results say that losses not yet seen are not bounded. Strata are left
    out of account, which makes the test conservative.

    It is the default of `not-worse` and `equivalent`. Measured from 30 units on; scores that are neither means nor
    ratios of sums take 100, and none that one unit alone moves by a fifth of the range.
    Cost: about 20 passes over the distinct differences, 500 with the interval; for what is no mean n scores more.
    """

    name = "score"
    title = "maximum-empirical-likelihood score test"
    intervals = MappingProxyType({"score": "score"})
    keeps_level_at_margins = True

    def obstacle(self, pair: AnyPair, question: Question) -> str | None:
        if pair.linear is None:
            obstacle = _no_law_without_a_mean(pair)
            if obstacle:
                return obstacle
        furthest = _contributions(pair).furthest
        size = abs(question.null_gain)
        if size > 0 and furthest == 0:
            return f"needs the range of the scores, because all scores are the same{_say_the_range(pair.metric)}"
        if size > 0 and size >= furthest:
            return (
                f"needs a margin below {furthest:.6g}, the largest gain or loss that the scores allow, got {size:g}"
                f"{_say_the_range(pair.metric)}"
            )
        return None

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        del laws
        z = _contributions(pair).statistic(question.null_gain)
        p = 1.0 if z is None else normal_p_value(z, question.alternative)
        return Outcome(Probability(p, error=1e-12 * p if z else 0.0), "normal distribution", statistic=z or 0.0)

    def interval(
        self, pair: AnyPair, laws: PairLaws, alpha: float, question: Question, estimator: Estimator
    ) -> Interval | None:
        del laws, estimator
        low, high = score_interval(pair, 1 - alpha, question.alternative)
        return Interval(low, high, 1 - alpha, self.name, exact=False)

    def remarks(self, pair: AnyPair) -> Sequence[str]:
        remarks = []
        if not _contributions(pair).bounded:
            remarks.append(warnings.losses_unbounded(_say_the_range(pair.metric)))
        if pair.n_units < _FEWEST_UNITS:
            remarks.append(warnings.few_for_score_test(pair.n_units, _FEWEST_UNITS))
        return remarks


def score_interval(
    pair: AnyPair, confidence_level: float, alternative: Alternative = Alternative.TWO_SIDED
) -> tuple[float, float]:
    """Return the interval of all gains δ₀ that the score test does not reject at 1 − confidence_level.

    For right and wrong answers, two-sided, it is Tango's (1998). One-sided ends are infinite.

    Parameters
    ----------
    pair : AnyPair
        Without an obstacle to `ScoreTest`.
    confidence_level : float
        In (0, 1).
    alternative : Alternative
        Of the test: `greater` rejects gains far below the observed one and bounds from below, `less` from above.
    """
    contributions = _contributions(pair)
    level = 1 - confidence_level
    critical = NormalDist().inv_cdf(1 - (level / 2 if alternative is Alternative.TWO_SIDED else level))
    low = -math.inf if alternative is Alternative.LESS else _gain_at(contributions, critical)
    high = math.inf if alternative is Alternative.GREATER else _gain_at(contributions, -critical)
    return low, high


def _gain_at(contributions: _Contributions, critical: float) -> float:
    """Return the δ₀ at which z, which falls as δ₀ rises, is critical: the nearest one possible where none is."""

    def excess(null_gain: float) -> float:
        z = contributions.statistic(null_gain)
        return min(max((0.0 if z is None else z) - critical, -1e9), 1e9)

    # At the ends themselves all weight lies on one value, and z has no variance.
    furthest = contributions.furthest
    low, high = -furthest * (1 - 1e-12), furthest * (1 - 1e-12)
    if excess(low) <= 0:
        return -furthest
    if excess(high) >= 0:
        return furthest
    return root(excess, low, high, within=1e-14 * furthest)


def reweighted_variance(values: FloatArray, counts: FloatArray, extreme: float) -> float:
    """Return the variance of values reweighted by maximum empirical likelihood so that their mean is 0.

    Weights are wᵢ = 1/(n(1 + λxᵢ)), and w₀ on a support point x₀ that nobody has: λ solves Σ wᵢxᵢ = 0, and w₀ = 0;
    where no λ up to −1/x₀ does, it is −1/x₀, and w₀ what is missing to 1 (the conditions of Karush, Kuhn and Tucker).

    Parameters
    ----------
    values : ndarray, shape (m,)
        With a mean of 0 or more.
    counts : ndarray, shape (m,)
        How often each occurs.
    extreme : float
        x₀; the lowest value takes its place where that is lower. At 0 or more no weights have a mean of 0, and the
        variance is 0.
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
    # Below this what lies at −1 outweighs all else, whose weights are 1/n at most where y is positive.
    lowest = 0.0 if at_the_worst == 0 else 0.5 * at_the_worst / (n + at_the_worst + float(counts @ np.maximum(y, 0)))
    if at_the_worst == 0 and mean(0.0) >= 0:
        w = weights(0.0)
        return size * size * (float(w @ y**2) + max(1 - float(w.sum()), 0.0))
    if mean(1.0) <= 0:  # 0 but for rounding
        return size * size * float(weights(1.0) @ y**2)
    found = root(mean, lowest, 1.0)  # it may be next to 0
    return size * size * float(weights(found) @ y**2)


def score_statistics(sets: SimulatedSets, null_gain: float, sign: float, reach: tuple[float, float]) -> FloatArray:
    """Return z of H0: δ ≤ δ₀ on each test set, shape (b,), or with sign −1 of H0: δ ≥ δ₀; 0 or less where δ is."""
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
    """Return `reweighted_variance` of many sets, shape (b,), to 15 digits of λ and without a search for each."""
    size = np.maximum(-worst, 1e-300)[:, None]
    y = np.maximum(values / size, -1.0)
    low, high = np.zeros((len(weights), 1)), np.ones((len(weights), 1))
    for _ in range(_STEPS):
        middle = (low + high) / 2
        above = (weights * y / (1 + middle * y)).sum(axis=1, keepdims=True) > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    p = weights / (1 + low * y) / weights.sum(axis=1, keepdims=True)
    at_worst = np.maximum(1 - p.sum(axis=1), 0.0)
    return np.asarray(size[:, 0] ** 2 * ((p * y**2).sum(axis=1) + at_worst))


def knows_the_range(pair: AnyPair) -> bool:
    """Say whether the scores have a known range, which bounds losses that were not seen."""
    return _width_of(pair) is not None


def _contributions(pair: AnyPair) -> _Contributions:
    """Return the units' contributions to the gain, equal ones once, and the worst one possible."""
    full = _width_of(pair)
    one, other = pair.pseudo_scores
    seen = float(max(one.max(), other.max()) - min(one.min(), other.min()))
    if pair.linear is not None:
        d, shared = pair.linear.d, pair.linear.shared
    else:
        d, shared = other - one, np.ones(len(one))
    heaviest = float(shared.mean()) if full is None else _heaviest(pair)
    reach = max(seen, float(np.abs(d).max()), 0.0 if full is None else full * heaviest)
    if pair.linear is not None and not pair.equal_weights:
        return _Contributions(d, shared, np.ones(len(d)), reach, heaviest, full is not None)
    different, counts = np.unique(d, return_counts=True)
    shared = np.full(len(different), shared[0])
    return _Contributions(different, shared, counts.astype(np.float64), reach, heaviest, full is not None)


def _heaviest(pair: AnyPair) -> float:
    return max(map(heavy, _denominators(pair) if pair.linear is None else [pair.linear.shared]))


def heavy(weights: FloatArray) -> float:
    """Return the weight that an unseen unit is given: Σ ℓ³ / Σ ℓ², the common one where all are equal.

    With the mean weight the test rejects too often where weights vary (15% for clusters of lognormal sizes), as heavy
    units are rare and decide; with the largest it hardly ever rejects at all. This one keeps 5% for all that were
    measured: lengths of sentences, sizes uniform and lognormal (docs/calibration.md).
    """
    if weights.min() == weights.max():
        return float(weights[0])
    relative = weights / weights.max()
    return float(weights.max() * (relative**3).sum() / (relative**2).sum())


def _denominators(pair: AnyPair) -> list[FloatArray]:
    """Return the units' denominators by their mean, of both systems; 1 for a gain that is of no ratios."""
    if isinstance(pair, Pair) and isinstance(pair.metric, RatioMetric):
        bottom = np.asarray(pair.metric.denominator)
        every = [rows @ bottom for rows in (pair.baseline, pair.candidate)]
        return [weights / weights.mean() if weights.any() else np.ones(1) for weights in every]
    return [np.ones(1)]


def _width_of(pair: AnyPair) -> float | None:
    """Return how far apart two scores of a unit can be, None where that has no bound."""
    if pair.score_range is None:
        return None
    width = pair.score_range[1] - pair.score_range[0]
    return width if math.isfinite(width) else None


def _no_law_without_a_mean(pair: AnyPair) -> str | None:
    """Say why a gain that is no mean is not to be linearised, or None where it was measured to do."""
    name = pair.metric.name
    if pair.n_units < _FEWEST_UNITS_OF_OTHERS and not isinstance(pair.metric, RatioMetric):
        return (
            f"needs {_FEWEST_UNITS_OF_OTHERS} units or more for a gain in {name}, which is neither a mean nor a ratio "
            f"of sums, got {pair.n_units}"
        )
    scores = pair.pseudo_scores
    if not all(np.isfinite(part).all() for part in scores):
        return f"leaves out one unit at a time, and the {name} without one of them is undefined"
    full = _width_of(pair)
    moved = max(float(np.abs(part - part.mean()).max()) for part in scores) / pair.n_units
    if full is not None and moved > _LARGEST_SHARE * full:
        return f"knows no law where one unit alone moves the {name} by {100 * moved / full:.0f}% of its range"
    return None


def _say_the_range(metric: AnyMetric) -> str:
    if "lowest" not in getattr(metric, "__dataclass_fields__", {}):
        return ""
    return f". If scores have a range, pass it: {metric.name}:lowest=0,highest=1"


def reach_of(pair: AnyPair) -> tuple[float, float]:
    """Return the worst contribution to the gain that a unit not yet seen could have, as a size, and its ℓ.

    Planning asks it of a pilot, whose units make test sets of other sizes: of what the units seen contribute it takes
    no more than a metric without a range asks for.
    """
    full = _width_of(pair)
    if full is not None:
        heaviest = _heaviest(pair)
        return full * heaviest, heaviest
    contributions = _contributions(pair)
    return contributions.reach, contributions.reach_shared
