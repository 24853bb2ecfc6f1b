"""Power where the differences of the items are taken to be normal, with a known standard deviation."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from outscore._types import FloatArray
from outscore.planning.levels import Level
from outscore.results.plans import Power
from outscore.significance.base import TellsNormalLimit

__all__ = ["normal_power"]

_NODES = 200
_REACH = 9.0  # standard deviations


def normal_power(test: TellsNormalLimit, n: int, gain: float, deviation: float, level: Level) -> Power:
    """Return the power of a test of the mean of n independent differences ~ Normal(gain, deviation²).

    The t statistic of the differences has Student's noncentral law with n − 1 degrees of freedom and noncentrality
    gain·√n/deviation, and all these tests are significant beyond some t. With type S, type M and
    the share of reversed orders in hand, the law is integrated over the sample's standard deviation s:

        power = E P(Z > t* s/σ − λ),   (n − 1) s²/σ² ~ χ²(n − 1),   λ = gain·√n/σ.
    """
    shift = gain * math.sqrt(n) / deviation
    critical = test.normal_limit(n, level.per_comparison / (2 if level.two_sided else 1))
    ratio, weights = _sample_deviations(n - 1)
    # Mean and its own deviation in units of σ/√n: significant where Z + λ ≥ t* s/σ.
    limit = critical * ratio
    right, gained = _beyond(limit - shift)
    wrong, lost = _beyond(limit + shift) if level.two_sided else (np.zeros(len(ratio)), np.zeros(len(ratio)))
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
    """Return values of s/σ with weights that add up to 1: Gauss and Legendre's rule on the law of √(χ²/degrees)."""
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
