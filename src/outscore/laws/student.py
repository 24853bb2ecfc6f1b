"""Student's t distribution in NumPy: tails that keep their digits however small they are, and quantiles.

SciPy has both, but takes longer to import than most comparisons take to compute. Tails are the regularised incomplete
beta function, by the continued fraction of Didonato & Morris (1992), which needs no difference of like numbers.
"""

from __future__ import annotations

import math

import numpy as np

from outscore._types import FloatArray
from outscore.results import Alternative

_CONVERGED = 1e-16
_MOST_TERMS = 500  # 60 are the most that were needed, for degrees from 1 to 1e8
_SHIFT = 20
_NORMAL = 1e14  # degrees, beyond which the distribution is normal to the last digit
_LARGEST, _LARGEST_LOG = 1e300, 300.0


def student_quantiles(tail: float, degrees: FloatArray) -> FloatArray:
    """Return the q with P(T > q) = tail, of the shape of degrees.

    By Newton's method for ln P in ln q, which is concave: from the normal quantile, below q, one step leads beyond it,
    and all others back.

    Parameters
    ----------
    tail : float
        From 0 to 1.
    degrees : ndarray
        ν > 0.

    Examples
    --------
    >>> student_quantiles(0.025, np.array([10.0, 1e9])).round(4)
    array([2.2281, 1.96  ])
    """
    degrees = np.minimum(degrees, _NORMAL)
    if tail > 0.5:
        return -student_quantiles(1 - tail, degrees)
    if tail in (0.0, 0.5):
        return np.full(degrees.shape, math.inf if tail == 0 else 0.0)
    log_q, goal = np.full(degrees.shape, math.log(normal_quantile(tail))), math.log(tail)
    front = -_log_beta(degrees / 2) - 0.5 * np.log(degrees)
    for _ in range(_MOST_TERMS):
        q = np.exp(log_q)
        log_tail = _log_tail(q, degrees)
        log_density = front - (degrees + 1) / 2 * np.log1p(q * q / degrees)
        step = (log_tail - goal) / (q * np.exp(log_density - log_tail))
        log_q = np.minimum(log_q + step, _LARGEST_LOG)
        if np.abs(step).max(initial=0.0) < 1e-9:  # the error after a step is about its square
            break
    return np.asarray(np.exp(log_q))


def student_quantile(tail: float, degrees: float) -> float:
    """Return the q with P(T > q) = tail."""
    return float(student_quantiles(tail, np.asarray(degrees)))


def normal_quantile(tail: float) -> float:
    """Return the z with P(Z > z) = tail, Z standard normal.

    Examples
    --------
    >>> round(normal_quantile(0.025), 6)
    1.959964
    """
    if tail > 0.5:
        return -normal_quantile(1 - tail)
    if tail in (0.0, 0.5):
        return math.inf if tail == 0 else 0.0
    z = math.sqrt(-2 * math.log(2 * tail))  # above it: P(Z > z) < exp(−z²/2)/2
    for _ in range(_MOST_TERMS):
        found = math.erfc(z / math.sqrt(2)) / 2
        density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        step = found * math.log(found / tail) / density if found > 0 else -0.5 / z
        z += step
        if abs(step) < 1e-9 * z:
            break
    return z


def _log_tail(t: FloatArray, degrees: FloatArray) -> FloatArray:
    """Return ln P(T > t) of t ≥ 0: ln of I_x(ν/2, ½)/2 with x = ν/(ν + t²), or of (1 − I_{1−x}(½, ν/2))/2."""
    a = degrees / 2
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        odds = np.minimum(t / degrees * t, _LARGEST)
        x, y = 1 / (1 + odds), odds / (1 + odds)
        front = 0.5 * np.log(odds) - (a + 0.5) * np.log1p(odds) - _log_beta(a)
        far = odds * a > 0.5
        half = np.full_like(a, 0.5)
        # I_x(a, b)·B(a, b) / (xᵃyᵇ) is 1/value, for x ≤ a/(a + b) (Didonato & Morris 1992, equation 9).
        a, b, x, y = (np.where(far, *sides) for sides in ((a, half), (half, a), (x, y), (y, x)))
        beyond = a * y - b * x + 1
        value = ratio = a / (a + 1) * beyond
        shrinking = np.zeros_like(value)
        for n in range(1, _MOST_TERMS):
            last = a + 2 * n - 1
            alpha = (a + n - 1) / last * ((a + b + n - 1) / last) * n * (b - n) * x * x
            beta = n + n * (b - n) * x / last + (a + n) / (a + 2 * n + 1) * (beyond + n * (1 + y))
            shrinking, ratio = 1 / (beta + alpha * shrinking), beta + alpha / ratio
            value = value * (change := shrinking * ratio)
            if np.abs(change - 1).max(initial=0.0) <= _CONVERGED:
                break
        part = front + np.log(np.asarray(1 / value))
        return np.asarray(np.where(far, part, np.log1p(-np.exp(part))) - math.log(2))


def _log_beta(a: FloatArray) -> FloatArray:
    """Return ln B(a, ½) = ln(√π·Γ(a)/Γ(a + ½)), by the asymptotic series of a + 20."""
    shifted, product = a + _SHIFT, np.ones_like(a)
    for step in range(_SHIFT):
        product = product * ((a + step) / (a + step + 0.5))
    series = 0.5 * np.log(shifted) - 1 / (8 * shifted) + 1 / (192 * shifted**3) - 1 / (640 * shifted**5)
    return np.asarray(0.5 * math.log(math.pi) - series - 17 / (14336 * shifted**7) - np.log(product))


def normal_p_value(z: float, alternative: Alternative) -> float:
    """Return the p-value of a standard normal statistic, accurate in both tails."""
    match alternative:
        case Alternative.GREATER:
            return math.erfc(z / math.sqrt(2)) / 2
        case Alternative.LESS:
            return math.erfc(-z / math.sqrt(2)) / 2
        case Alternative.TWO_SIDED:
            return math.erfc(abs(z) / math.sqrt(2))


def student_p_value(t: float, degrees: float, alternative: Alternative) -> float:
    """Return the p-value of a t statistic."""
    return float(student_p_values(t, degrees, alternative))


def student_p_values(t: float | FloatArray, degrees: float | FloatArray, alternative: Alternative) -> FloatArray:
    """Return the p-values of t statistics, of shape of t and degrees together; relative error some 1e-14.

    Parameters
    ----------
    t : float or ndarray
        May be infinite.
    degrees : float or ndarray
        ν > 0.
    alternative : Alternative

    Examples
    --------
    >>> student_p_values(np.array([0.0, 2.228]), 10.0, Alternative.GREATER).round(4)
    array([0.5  , 0.025])
    """
    t, degrees = np.broadcast_arrays(np.asarray(t, dtype=np.float64), np.minimum(degrees, _NORMAL))
    tail = np.exp(_log_tail(np.abs(t), degrees))
    match alternative:
        case Alternative.GREATER:
            return np.asarray(np.where(t < 0, 1 - tail, tail))
        case Alternative.LESS:
            return np.asarray(np.where(t > 0, 1 - tail, tail))
        case Alternative.TWO_SIDED:
            return np.asarray(np.minimum(2 * tail, 1.0))


def sd_factors(degrees: float, alpha: float) -> tuple[float, float]:
    """Return by what a standard deviation of normal values is multiplied for the ends of its interval.

    Examples
    --------
    >>> [round(factor, 2) for factor in sd_factors(4, 0.05)]
    [0.6, 2.87]
    """
    from scipy.special import chdtri

    return math.sqrt(degrees / chdtri(degrees, alpha / 2)), math.sqrt(degrees / chdtri(degrees, 1 - alpha / 2))
