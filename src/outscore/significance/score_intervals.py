"""Intervals of one system's score that use the range of the scores: near a bound the sample shows too little."""

from __future__ import annotations

import math

import numpy as np

from outscore._types import FloatArray
from outscore.laws import proportion_ends
from outscore.significance.influence import Spread, effective_units
from outscore.significance.score_test import reweighted_variance
from outscore.significance.student import student_quantile

_NEXT_TO_BOUND = 1e-12  # of the range: where the likelihood is looked at beside a bound


def proportion_interval(share: float, trials: float, alpha: float) -> tuple[float, float]:
    """Return Clopper and Pearson's (1934) interval of a proportion, which covers it in at least 1 − α of all samples.

    Parameters
    ----------
    share : float
        In [0, 1].
    trials : float
        As many binary trials as the data are worth; not a whole number where these are not independent.
    alpha : float
        In (0, 1).

    Examples
    --------
    >>> low, high = proportion_interval(1.0, 10, 0.05)
    >>> round(low, 4), high
    (0.6915, 1.0)
    """
    return proportion_ends(share * trials, (1 - share) * trials, alpha / 2)


def effective_trials(share: float, weights: FloatArray, most: float, spread: Spread, alpha: float) -> float:
    """Return how many independent binary items the units of a proportion are worth (Korn & Graubard 1998).

    share·(1 − share)/V, at most `most`, times the squared ratio of Student's quantiles of so many items and of the
    spread's degrees of freedom. Without variance, as of a flawless system, the items of a unit are taken to be all
    alike: (Σℓ)²/Σℓ² over units.

    Parameters
    ----------
    share : float
        In [0, 1].
    weights : ndarray, shape (n_units,)
        ℓ.
    most : float
        What independent items of these weights are worth: their number where all weigh the same.
    spread : Spread
        Of the share.
    alpha : float
        In (0, 1).
    """
    variance = float(spread.variance)
    if not 0 < variance < math.inf:
        return min(effective_units(weights), most)
    trials = min(share * (1 - share) / variance, most)
    known = student_quantile(alpha / 2, max(most - 1, 1.0))
    return trials * (known / student_quantile(alpha / 2, float(spread.degrees))) ** 2


def bounded_interval(
    d: FloatArray,
    shared: FloatArray,
    ends: tuple[float, float],
    degrees: float,
    alpha: float,
    of_strata: float = 1.0,
    of_runs: float = 0.0,
) -> tuple[float, float]:
    """Return the interval of Σd/Σℓ by the score test with maximum empirical likelihood (Owen 1988).

    Under each value the units, and one more at the bound against which the sample speaks, are reweighted to have it as
    their mean. The extra unit stands for scores that are possible and were not seen. Its weight is Σℓ²/Σℓ, that of the
    unit of a random item: with the mean weight the interval was measured to cover 87% where sizes are lognormal.

    Parameters
    ----------
    d, shared : ndarray, shape (n,)
        Of each unit: what it adds to the score's numerator, and its weight ℓ.
    ends : tuple of float
        The range of scores.
    degrees : float
        Of Student's distribution, whose quantile is taken for the normal one.
    alpha : float
        In (0, 1).
    of_strata : float
        The ratio of the variance within strata to that of all units together.
    of_runs : float
        The variance that new runs add to that of the units.
    """
    from scipy.optimize import brentq

    low, high = ends
    n, whole = len(d), float(shared.sum())
    mean, weight = float(d.sum() / whole), float(shared @ shared / whole)
    if shared.min() == shared.max():
        d, times = np.unique(d, return_counts=True)
        counts, shared = times.astype(np.float64), np.full(len(d), weight)
    else:
        counts = np.ones(n)
    critical = student_quantile(alpha / 2, degrees)

    def excess(value: float) -> float:
        centred = d - value * shared
        sign = 1.0 if value < mean else -1.0
        extreme = ((low if sign > 0 else -high) - sign * value) * weight
        variance = reweighted_variance(sign * centred, counts, extreme)
        return whole * abs(mean - value) - critical * math.sqrt(of_strata * n * variance + of_runs * whole**2)

    centred = d - mean * shared
    error = math.sqrt(of_strata * float(counts @ centred**2) / whole**2 + of_runs)
    first = max(1.2 * critical * error, 1e-3 * (high - low))

    def end(bound: float) -> float:
        near, step = mean, math.copysign(min(first, abs(bound - mean)), bound - mean)
        while abs(bound - near) > _NEXT_TO_BOUND * (high - low):
            far = near + step if abs(step) < abs(bound - near) else bound + (near - bound) * _NEXT_TO_BOUND
            if excess(far) > 0:
                return float(brentq(excess, near, far, xtol=1e-12 * (high - low), rtol=8.9e-16))
            near, step = far, 2 * step
        return bound

    return end(low), end(high)
