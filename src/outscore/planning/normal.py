"""Power where the differences of the items are taken to be normal, with a known standard deviation."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from outscore._types import FloatArray
from outscore.planning.levels import Level
from outscore.results.plans import Power
from outscore.significance import Bootstrap, BootstrapUncentred, PairedT, Randomization, SignificanceTest

__all__ = ["critical_t", "knows", "normal_power"]

_NODES = 200
_REACH = 9.0  # standard deviations


def knows(test: SignificanceTest) -> bool:
    """Say whether the power of the test for normal differences is known."""
    return type(test) in _CRITICAL


def normal_power(test: SignificanceTest, n: int, gain: float, deviation: float, level: Level) -> Power:
    """Return the power of a test of the mean of n independent differences ~ Normal(gain, deviation²).

    The t statistic of the differences has Student's noncentral law with n − 1 degrees of freedom and noncentrality
    gain·√n/deviation, and all these tests are significant beyond some t: see `critical_t`. With type S, type M and
    the share of reversed orders in hand, the law is integrated over the sample's standard deviation s:

        power = E P(Z > t* s/σ − λ),   (n − 1) s²/σ² ~ χ²(n − 1),   λ = gain·√n/σ.

    Parameters
    ----------
    test : SignificanceTest
        One that `knows` says yes to.
    n : int
        At least 2.
    gain, deviation : float
        Positive, in one unit.
    level : Level
    """
    shift = gain * math.sqrt(n) / deviation
    critical = critical_t(test, n, level)
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


def critical_t(test: SignificanceTest, n: int, level: Level) -> float:
    """Return the t = d̄√n/s from which on the test is significant; infinity where none is.

    With z the normal quantile of the level (of half of it for two sides), and the resampling law taken as normal:

    - paired-t: the quantile of Student's law with n − 1 degrees of freedom;
    - bootstrap, either: the law's variance is (n − 1)s²/n², so that t* = z √((n − 1)/n);
    - randomization: the variance is Σd²/n², which holds the mean as well: t*² = z² (n − 1)/(n − z²).
    """
    return _CRITICAL[type(test)](n, level.each / (2 if level.two_sided else 1))


def _student(n: int, tail: float) -> float:
    from scipy.special import stdtrit

    return -float(stdtrit(n - 1, tail))


def _bootstrap(n: int, tail: float) -> float:
    return _normal_quantile(tail) * math.sqrt((n - 1) / n)


def _randomization(n: int, tail: float) -> float:
    z2 = _normal_quantile(tail) ** 2
    return math.sqrt(z2 * (n - 1) / (n - z2)) if n > z2 else math.inf


def _normal_quantile(tail: float) -> float:
    from scipy.special import ndtri

    return -float(ndtri(tail))


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


_CRITICAL: dict[type[SignificanceTest], Callable[[int, float], float]] = {
    PairedT: _student,
    Bootstrap: _bootstrap,
    BootstrapUncentred: _bootstrap,
    Randomization: _randomization,
}
