"""The power of tests on independent items: binary scores, and normal differences.

Claims with a margin use the score test if the range of the scores is known. It estimates the variance under the
null hypothesis (Tango 1998; by maximum empirical likelihood if differences are not all −1, 0 or 1), so it allows
for losses that are not in the test set. Otherwise they use the skewness-corrected t-test.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from statistics import NormalDist

import numpy as np

from outscore._types import BoolArray, FloatArray, IntArray
from outscore.laws.exact.subsets import score_variance
from outscore.significance.base import DecidesCounts, TellsNormalLimit
from outscore.significance.score_test import ScoreTest
from outscore.significance.t_tests import SkewT
from outscore.wings.planning.levels import Level, Margin
from outscore.wings.planning.results import Power

_KNOTS = 24  # numbers of differing items, even and odd, from which the search for limits starts
_Decide = Callable[[IntArray, IntArray], BoolArray]
_NODES = 200
_REACH = 9.0  # standard deviations
_NORMAL = NormalDist()
_ATOL = 1e-12


def exact_power(test: DecidesCounts, n: int, helped: float, hurt: float, level: Level) -> Power:
    """Return the power of a test on n independent items, with these probabilities of a win and a loss.

    The numbers of wins and losses are trinomial, (H, T) ~ Trinomial(n; a, b). Given that M = H + T items
    differ, H is Binomial(M, a/(a + b)), and every test here is significant if H ≥ c(M) for some c, so that

        power = Σ_m P(M = m) P(H ≥ c(m) | M = m),

    A two-sided test adds P(H ≤ m − c(m) | M = m), which is the type S error. Type M is
    E(|H − T| | significant) / (n (a − b)).

    Cost: √n terms with one or two p-values each; hundredths of a second for 10,000 items, tenths for a million.
    """
    from scipy.special import betainc, gammaln, xlog1py, xlogy

    m = _window(n, helped + hurt)
    # In logarithms: SciPy's own probabilities take longer for large n.
    log_mass = -gammaln(m + 1) - gammaln(n - m + 1) + xlogy(m, helped + hurt) + xlog1py(n - m, -(helped + hurt))
    mass = np.exp(log_mass - log_mass.max())
    mass /= mass.sum()
    limit = _limits(test, n, m, level)
    share = helped / (helped + hurt)

    def reaching(k: IntArray, trials: IntArray, probability: float) -> FloatArray:
        """Return P(Bin(trials, probability) ≥ k)."""
        inside = (k > 0) & (k <= trials)
        probabilities = np.where(k <= 0, 1.0, 0.0)
        probabilities[inside] = betainc(k[inside], trials[inside] - k[inside] + 1, probability)
        return probabilities

    def overshoot(probability: float) -> tuple[float, float]:
        """Return P(H ≥ c), and E (2H − M) on that event, for H the items on one side."""
        tail = reaching(limit, m, probability)
        # E H·1(H ≥ c) = m·q·P(Bin(m − 1, q) ≥ c − 1).
        mean = m * probability * reaching(limit - 1, np.maximum(m - 1, 0), probability)
        return float(mass @ tail), float(mass @ np.where(limit > m, 0.0, 2 * mean - m * tail))

    right, gained = overshoot(share)
    wrong, lost = overshoot(1 - share) if level.two_sided else (0.0, 0.0)
    power = min(right + wrong, 1.0)
    # P(2H < m) = P(T ≥ ⌊m/2⌋ + 1).
    reverse = float(mass @ reaching(m // 2 + 1, m, 1 - share))
    possible = power > 0
    return Power(
        value=power,
        low=power,
        high=power,
        type_s=wrong / power if possible else None,
        type_m=(gained + lost) / power / (n * (helped - hurt)) if possible and helped > hurt else None,
        reversed=reverse,
        computation="exact: trinomial",
    )


def _window(n: int, differing: float) -> IntArray:
    """Return the numbers of differing items with non-negligible probability."""
    mean, spread = n * differing, math.sqrt(n * differing * max(1 - differing, 0.0))
    reach = 8.5 * spread + 30
    return np.arange(max(0, math.floor(mean - reach)), min(n, math.ceil(mean + reach)) + 1)


def _limits(test: DecidesCounts, n: int, m: IntArray, level: Level) -> IntArray:
    """Return c(m), the smallest significant number of wins, or m + 1 if none is significant.

    One more win with one more loss makes no result more significant. So the surplus 2c − m never falls among the
    even m, nor among the odd m, and it grows like √m. Nothing is computed between two m with the same surplus.
    """

    def decide(helped: IntArray, hurt: IntArray) -> BoolArray:
        return test.decides_counts(n, helped, hurt, level.per_comparison, two_sided=level.two_sided)

    limit = np.empty_like(m)
    for part in (slice(0, None, 2), slice(1, None, 2)):
        limit[part] = _limits_of_one_parity(decide, m[part])
    return limit


def _limits_of_one_parity(decide: _Decide, m: IntArray) -> IntArray:
    at = np.unique(np.linspace(0, len(m) - 1, min(_KNOTS, len(m))).astype(np.int64))
    # No test finds a gain with fewer wins than losses.
    surplus = 2 * _bisected(decide, m[at], (m[at] + 1) // 2, m[at] + 1) - m[at]
    while len(gaps := np.flatnonzero((np.diff(at) > 1) & (np.diff(surplus) != 0))):
        middle = (at[gaps] + at[gaps + 1]) // 2
        low, high = ((m[middle] + surplus[gaps + side]) // 2 for side in (0, 1))
        between = 2 * _bisected(decide, m[middle], low, np.minimum(high, m[middle] + 1)) - m[middle]
        at, surplus = np.insert(at, gaps + 1, middle), np.insert(surplus, gaps + 1, between)
    every = np.searchsorted(at, np.arange(len(m)), side="right") - 1
    return np.asarray((m + surplus[every]) // 2)


def _bisected(decide: _Decide, m: IntArray, low: IntArray, high: IntArray) -> IntArray:
    """Return c(m), which is between `low` and `high`."""
    return _least(lambda helped, at: decide(helped, m[at] - helped), low, high)


def _least(holds: Callable[[IntArray, BoolArray], BoolArray], low: IntArray, high: IntArray) -> IntArray:
    """Return the smallest numbers in [low, high] from which a condition holds, evaluated at some of them."""
    while (open_ := low < high).any():
        middle = (low + high) // 2
        true = np.zeros(len(low), dtype=bool)
        true[open_] = holds(middle[open_], open_)
        high = np.where(open_ & true, middle, high)
        low = np.where(open_ & ~true, middle + 1, low)
    return low


def normal_power(test: TellsNormalLimit, n: int, gain: float, deviation: float, level: Level) -> Power:
    """Return the power of a test of the mean of n independent differences ~ Normal(gain, deviation²).

    The t statistic of the differences has a noncentral t distribution with n − 1 degrees of freedom and
    noncentrality gain·√n/deviation. All these tests are significant beyond some t*, which may depend on the shape
    of the sample; the shape is independent of its mean and standard deviation s (Basu 1955). To obtain type S, type
    M and reversals as well, the distribution is integrated over s and t*:

        power = E P(Z > t* s/σ − λ),   (n − 1) s²/σ² ~ χ²(n − 1),   λ = gain·√n/σ.
    """
    shift = gain * math.sqrt(n) / deviation
    critical = np.atleast_1d(test.normal_limit(n, level.tail))
    ratio, weights = _sample_deviations(n - 1)
    # Mean and its own deviation in units of σ/√n: significant if Z + λ ≥ t* s/σ.
    limit = critical[:, None] * ratio
    right, gained = (part.mean(axis=0) for part in _beyond(limit - shift))
    wrong, lost = np.zeros(len(ratio)), np.zeros(len(ratio))
    if level.two_sided:
        wrong, lost = (part.mean(axis=0) for part in _beyond(limit + shift))
    hits, misses = float(weights @ right), float(weights @ wrong)
    overshoot = float(weights @ (gained + shift * right + lost - shift * wrong))
    power = hits + misses
    possible = power > 0
    return Power(
        value=power,
        low=power,
        high=power,
        type_s=misses / power if possible else None,
        type_m=overshoot / power / shift if possible else None,
        reversed=float(_beyond(np.array([shift]))[0][0]),
        computation="noncentral t",
    )


def _sample_deviations(degrees: int) -> tuple[FloatArray, FloatArray]:
    """Return values of s/σ with weights that sum to 1: Gauss-Legendre quadrature of √(χ²/degrees)."""
    spread = 1 / math.sqrt(2 * degrees)
    low, high = max(1 - _REACH * spread, 0.0), 1 + _REACH * spread
    points, weights = _legendre(_NODES)
    values = (low + high) / 2 + (high - low) / 2 * points
    log_density = (degrees - 1) * np.log(values) - degrees * values**2 / 2
    weighted = weights * np.exp(log_density - log_density.max())
    return values, weighted / weighted.sum()


@cache
def _legendre(count: int) -> tuple[FloatArray, FloatArray]:
    return np.polynomial.legendre.leggauss(count)


def _beyond(limit: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return P(Z ≥ c) and E Z·1(Z ≥ c)."""
    from scipy.special import ndtr

    finite = np.where(np.isfinite(limit), limit, 0.0)
    density = np.where(np.isfinite(limit), np.exp(-(finite**2) / 2) / math.sqrt(2 * math.pi), 0.0)
    return np.asarray(ndtr(-limit)), density


def exact_margin_power(n: int, helped: float, hurt: float, margin: Margin, level: Level) -> Power:
    """Return the power of the score test on n independent items, with these probabilities of a win and a loss.

    The numbers H of wins and T of losses are trinomial. Given T = t, the claim is shown if H ≥ l(t), and for
    equivalence if H ≤ u(t) as well, so the power is Σ_t P(T = t) P(l(t) ≤ H ≤ u(t) | T = t), with H | T = t
    binomial.

    Each of the two tests is one-sided, regardless of the alternative of the level.
    """
    from scipy.special import bdtr
    from scipy.stats import binom

    spread = math.sqrt(n * hurt * (1 - hurt))
    low, high = max(0, math.floor(n * hurt - 8.5 * spread - 30)), min(n, math.ceil(n * hurt + 8.5 * spread + 30))
    t = np.arange(low, high + 1)
    mass = binom.pmf(t, n, hurt)
    critical = -_NORMAL.inv_cdf(level.per_comparison) * (1 - _ATOL)
    share = min(helped / (1 - hurt), 1.0) if hurt < 1 else 0.0

    def up_to(h: IntArray) -> FloatArray:
        """Return P(H ≤ h | T = t)."""
        return np.where(h < 0, 0.0, bdtr(np.clip(h, 0, n - t).astype(float), n - t, share))

    none, most = np.zeros_like(t), n - t
    least = _least(lambda h, at: score_statistic(h, t[at], n, margin.size) >= critical, none, most + 1)
    if margin.equivalent:
        most = _least(lambda h, at: score_statistic(t[at], h, n, margin.size) < critical, none, most + 1) - 1
    within = np.where(most >= least, up_to(most) - up_to(least - 1), 0.0)
    power = float(np.clip(mass @ within, 0.0, 1.0))
    reversed_ = float(mass @ up_to(t - 1))
    return Power(power, power, power, None, None, min(reversed_, 1.0), "exact: trinomial")


def score_statistic(helped: IntArray, hurt: IntArray, n: int, margin: float) -> FloatArray:
    """Return Tango's z of H0: δ ≤ −margin for these numbers of wins and losses, shape (m,)."""
    h, t = np.asarray(helped, dtype=float), np.asarray(hurt, dtype=float)
    variance = np.maximum(score_variance(h, t, n, -margin), n * 1e-300)
    return np.asarray((h - t + n * margin) / np.sqrt(variance))


def normal_margin_power(n: int, gain: float, deviation: float, margin: Margin, level: Level) -> Power:
    """Return the power for n independent differences ~ Normal(gain, deviation²).

    The skewness-corrected t-test is as in `normal_power`: not-worse is shown if δ̂ ≥ t* s/√n − m, equivalence if δ̂
    ≤ m − t* s/√n as well. The score test uses the normal distribution of the mean.
    """
    per = math.sqrt(n) / deviation
    if margin.test == ScoreTest.name:
        z = -_NORMAL.inv_cdf(level.per_comparison)
        power = _NORMAL.cdf((margin.size + gain) * per - z)
        if margin.equivalent:
            power = max(0.0, power + _NORMAL.cdf((margin.size - gain) * per - z) - 1)
        return Power(power, power, power, None, None, _NORMAL.cdf(-gain * per), "normal")
    from scipy.special import ndtr

    below, above = SkewT().normal_limits(n, level.per_comparison)
    ratio, weights = _sample_deviations(n - 1)
    lowest = below[:, None] * ratio - (margin.size + gain) * per
    shown = ndtr(-lowest)
    if margin.equivalent:
        highest = (margin.size - gain) * per - above[:, None] * ratio
        shown = np.maximum(ndtr(highest) - ndtr(lowest), 0.0)
    power = float(weights @ shown.mean(axis=0))
    return Power(power, power, power, None, None, _NORMAL.cdf(-gain * per), "noncentral t")
