"""Student's t and the normal distribution in NumPy: quantiles, and tails with full relative accuracy.

SciPy has both, but importing it takes longer than most comparisons. Student's tails are the regularised incomplete beta
function (`laws/beta.py`). Normal tails are Student's with so many degrees of freedom that no digit differs.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from outscore._types import FloatArray
from outscore.laws.beta import log_odds, log_tails, near_normal_quantile
from outscore.results import Alternative

_NORMAL = 1e20  # degrees, beyond which the distribution is normal to the last digit
_HALF = np.array(0.5)
_NORMAL_SCORE = NormalDist().inv_cdf


def student_quantiles(tail: float | FloatArray, degrees: float | FloatArray) -> FloatArray:
    """Return the q with P(T > q) = tail, with the common shape of tail, from 0 to 1, and degrees of freedom ν > 0.

    P(T > q) is I_x(ν/2, ½)/2 with x/(1 − x) = ν/q².

    Examples
    --------
    >>> student_quantiles(0.025, np.array([10.0, 1e9])).round(4)
    array([2.2281, 1.96  ])
    """
    tail, degrees = np.broadcast_arrays(np.asarray(tail, dtype=np.float64), np.minimum(degrees, _NORMAL))
    one_sided = np.minimum(tail, 1 - tail)
    between = np.where((one_sided > 0) & (one_sided < 0.5), one_sided, 0.25)  # the others have no finite ln(x/y)
    w = near_normal_quantile(between) * (8 * degrees + 3) / (8 * degrees + 1)  # Wallace (1959)
    with np.errstate(over="ignore"):
        # q² = ν(exp(w²/ν) − 1) for a normal w, as ln(x/y) of the beta distribution.
        start = -np.log(np.expm1(w * w / degrees))
    q = np.sqrt(degrees) * np.exp(log_odds(degrees / 2, _HALF, 2 * between, 1 - 2 * between, start) / -2)
    q = np.where(one_sided == 0, np.inf, np.where(one_sided == 0.5, 0.0, q))
    return np.asarray(np.where(tail > 0.5, -q, q))


def student_quantile(tail: float, degrees: float) -> float:
    """Return the q with P(T > q) = tail."""
    return float(student_quantiles(tail, degrees))


def normal_quantiles(tails: FloatArray) -> FloatArray:
    """Return the z with P(Z > z) = tail of each tail in [0, 1], Z standard normal, shape (m,); by Wichura (1988).

    Examples
    --------
    >>> normal_quantiles(np.array([0.025, 1e-300])).round(4)
    array([ 1.96  , 37.0471])
    """
    return np.array([normal_quantile(tail) for tail in tails.tolist()])


def normal_quantile(tail: float) -> float:
    """Return the z with P(Z > z) = tail, Z standard normal.

    Examples
    --------
    >>> round(normal_quantile(0.025), 6)
    1.959964
    """
    if tail in (0.0, 1.0):
        return math.inf if tail == 0 else -math.inf
    return -_NORMAL_SCORE(tail)


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
    """Return the p-values of t statistics, with the common shape of t and degrees ν > 0; relative error about 1e-14.

    Examples
    --------
    >>> student_p_values(np.array([0.0, 2.228]), 10.0, Alternative.GREATER).round(4)
    array([0.5  , 0.025])
    """
    t, degrees = np.broadcast_arrays(np.asarray(t, dtype=np.float64), np.minimum(degrees, _NORMAL))
    with np.errstate(divide="ignore", over="ignore"):
        # t² may overflow where t²/ν does not. Both proportions are computed from the odds, since 1 − x has no digits
        # for large t.
        odds = np.abs(t) / degrees * np.abs(t)
        tail = np.exp(log_tails(degrees / 2, _HALF, 1 / (1 + odds), 1 / (1 + 1 / odds))[0] - math.log(2))
    match alternative:
        case Alternative.GREATER:
            return np.asarray(np.where(t < 0, 1 - tail, tail))
        case Alternative.LESS:
            return np.asarray(np.where(t > 0, 1 - tail, tail))
        case Alternative.TWO_SIDED:
            return np.asarray(np.minimum(2 * tail, 1.0))


def sd_factors(degrees: float, alpha: float) -> tuple[float, float]:
    """Return the factors by which a standard deviation is multiplied to get its interval for normal values.

    Examples
    --------
    >>> [round(factor, 2) for factor in sd_factors(4, 0.05)]
    [0.6, 2.87]
    """
    from scipy.special import chdtri

    return math.sqrt(degrees / chdtri(degrees, alpha / 2)), math.sqrt(degrees / chdtri(degrees, 1 - alpha / 2))
