"""The t-test of influences corrected for skewness: its statistic, p-value and interval, all in closed form.

With t = (δ − δ₀)/√V, and κ, m and ν of `Spread`,

    λ = sign(κ)·√max(κ² − (2/3)/m², 0)·(1 + 12/m)
    s = max(−sign(t)·λ, 0)
    |g| = max(3/(2s)·ln(1 + 2s|t|/3) − s/6, 0), and |t| if s = 0

and g has a t distribution with ν degrees of freedom. The logarithm agrees with the first two terms of Hall's (1992)
correction, t + κt²/3 + κ/6, but is monotone for every κ. (2/3)/m² is the variance of κ for normal units. 1 + 12/m
corrects for skewness that a sample of few units cannot show. Skewness is used only if it is against the verdict.
docs/calibration.md has the error rates.

Every function takes numbers or arrays of one shape.
"""

from __future__ import annotations

import numpy as np

from outscore._types import FloatArray
from outscore.gains.influence import Spread

_AMPLIFICATION = 12.0
_CHANCE = 2.0 / 3.0
_SYMMETRIC = 1e-9
_ENDLESS = 1e4  # standard errors: an end this far away is set to infinity


def amplified(spread: Spread) -> FloatArray:
    """Return λ: the skewness beyond chance, scaled up for small samples."""
    beyond_chance = np.sqrt(np.maximum(np.square(spread.skewness) - _CHANCE / np.square(spread.effective), 0.0))
    return np.asarray(np.sign(spread.skewness) * beyond_chance * (1 + _AMPLIFICATION / np.asarray(spread.effective)))


def skew_statistic(t: float | FloatArray, spread: Spread) -> FloatArray:
    """Return g, increasing in t; infinite if t is."""
    t = np.asarray(t, dtype=np.float64)
    s = np.maximum(-np.sign(t) * amplified(spread), 0.0)
    some = np.where(s > _SYMMETRIC, s, 1.0)
    with np.errstate(invalid="ignore"):
        corrected = np.maximum(1.5 / some * np.log1p(2 / 3 * some * np.abs(t)) - some / 6, 0.0)
    return np.asarray(np.sign(t) * np.where((s > _SYMMETRIC) & np.isfinite(t), corrected, np.abs(t)))


def skew_reach(quantile: float | FloatArray, spread: Spread) -> tuple[FloatArray, FloatArray]:
    """Return the interval's reach below and above the estimate, in standard errors, given Student's quantile."""
    skew, reaches = amplified(spread), list[FloatArray]()
    for s in (np.maximum(-skew, 0.0), np.maximum(skew, 0.0)):
        some = np.where(s > _SYMMETRIC, s, 1.0)
        with np.errstate(over="ignore"):
            stretched = 1.5 / some * np.expm1(2 / 3 * some * (quantile + some / 6))
            stretched = np.where(stretched > _ENDLESS, np.inf, stretched)
        reaches.append(np.where(s > _SYMMETRIC, stretched, quantile))
    below, above = reaches
    return below, above
