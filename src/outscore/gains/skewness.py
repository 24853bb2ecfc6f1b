"""The t-test of influences corrected for skewness: its statistic, p-value and interval, all in closed form.

With t = (δ − δ₀)/√V, and κ, m and ν of `Spread`, skewness is *against* the verdict if t and κ differ in sign: a few
large units oppose it. With ρ = mκ², the proportion of the kurtosis that the skewness explains,

    κ₊ = √max(κ² − max(4/(m + 4)², (2/3)/m²), 0)
    s = min(κ₊·(1 + min(12/m, (12/m)²)), (3 − ρ)/2) if against, else 0
    ν = max(1, min(ν of the design, 3m/(1 − ρ) − 1)) if against, else with ρ⁵ instead of ρ
    |g| = max(3/(2s)·ln(1 + 2s|t|/3) − s/6, 0), and |t| if s = 0

and g has a t distribution with ν degrees of freedom. The logarithm agrees with the first two terms of Hall's (1992)
correction, t + κt²/3 + κ/6, but is monotone for every κ. docs/statistics/default.md derives the rule, and
docs/calibration.md has the error rates.

Every function takes numbers or arrays of one shape.
"""

from __future__ import annotations

import numpy as np

from outscore._types import BoolArray, FloatArray
from outscore.gains.influence import NORMAL_KURTOSIS, Spread
from outscore.laws.student import student_p_values, student_quantiles
from outscore.results import Alternative

# The variance of κ of normal units is (2/3)/m². Skewness of this size is chance, and no reason for a correction.
_CHANCE = 2.0 / 3.0
# Skewness below 2/(m + 4), some 2.4 standard deviations, is not corrected either: it costs power, and its levels were
# measured (docs/calibration.md). Below m = 2.76 the standard deviation is the larger threshold.
_FEW_MORE = 4.0
# A sample of few units shows only a part of the skewness of its population (41% with 3 units, 80% with 8). From m = 12
# on the raise fades as (12/m)². 12 was chosen on the populations of docs/calibration.md.
_RAISE = 12.0
# One unit with all of the variance has κ = ρ = 1. s ≤ 1 puts its end 4.7 standard errors away, as Clopper and Pearson
# do for one event (4.6). Large units that differ (ρ < 1) may hide larger ones: s ≤ 1.5.
_MOST_SKEW = NORMAL_KURTOSIS / 2
_FADING = 5  # power of ρ on the side where skewness is not against the verdict: the kurtosis counts nearly in full
_SYMMETRIC = 1e-9  # below this the logarithm is |t| to the last digit
_CLOSE = 1e-5  # the root of κ² − threshold then multiplies rounding errors of κ² by at most 160
_LAST = 1 - 1e-12  # keeps 1 − ρ positive; ν is then that of the design


def shape(spread: Spread, against: bool | BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return s and ν, given whether the null hypothesis lies on the side where t and κ differ in sign."""
    square, m = np.square(spread.skewness), np.asarray(spread.effective)
    # `Spread.plain` has κ = 0 and m = ∞, whose product is NaN.
    explained = np.minimum(np.where(square > 0, square, 0.0) * np.where(square > 0, m, 1.0), _LAST)
    usual, chance = _thresholds(spread)
    beyond_chance = np.sqrt(np.maximum(square - np.where(spread.cautious, chance, usual), 0.0))
    raised = beyond_chance * (1 + np.minimum(_RAISE / m, np.square(_RAISE / m)))
    # Skewness in favour of the verdict is not corrected: large units that agree with it would make p smaller.
    s = np.where(against, np.minimum(raised, _MOST_SKEW - explained / 2), 0.0)
    variance_degrees = NORMAL_KURTOSIS * m / (1 - explained ** np.where(against, 1, _FADING)) - 1
    return s, np.maximum(np.minimum(spread.design_degrees, variance_degrees), 1.0)


def is_on_threshold(spread: Spread) -> BoolArray:
    """Return whether κ² is so near a threshold that its last digits change κ₊ by more than 10⁻¹² of κ."""
    square = np.square(spread.skewness)
    near = [np.abs(square - limit) <= _CLOSE * square for limit in _thresholds(spread)]
    return np.asarray(np.any(near, axis=0) & (square > 0))


def _thresholds(spread: Spread) -> tuple[FloatArray, FloatArray]:
    """Return the usual threshold of κ² and the cautious one, which counts skewness that may be chance."""
    m = np.asarray(spread.effective)
    chance = _CHANCE / np.square(m)
    return np.maximum(np.square(2.0 / (m + _FEW_MORE)), chance), chance


def corrected_t(t: FloatArray, s: FloatArray) -> FloatArray:
    """Return g of t, increasing in t and infinite if t is."""
    # 1 in place of s = 0 avoids 0/0 in the branch that `np.where` does not take.
    some = np.where(s > _SYMMETRIC, s, 1.0)
    corrected = np.maximum(1.5 / some * np.log1p(2 / 3 * some * np.abs(t)) - some / 6, 0.0)
    return np.asarray(np.sign(t) * np.where((s > _SYMMETRIC) & np.isfinite(t), corrected, np.abs(t)))


def stretched(quantile: FloatArray, s: FloatArray) -> FloatArray:
    """Return the |t| at which |g| is the quantile: the reach of an interval, in standard errors."""
    some = np.where(s > _SYMMETRIC, s, 1.0)
    # The inverse of the logarithm in `corrected_t`.
    with np.errstate(over="ignore"):  # at levels near 0
        return np.where(s > _SYMMETRIC, 1.5 / some * np.expm1(2 / 3 * some * (quantile + some / 6)), quantile)


def skew_statistic(t: float | FloatArray, spread: Spread) -> tuple[FloatArray, FloatArray]:
    """Return g and its degrees of freedom ν."""
    t = np.asarray(t, dtype=np.float64)
    s, degrees = shape(spread, t * spread.skewness < 0)
    return corrected_t(t, s), degrees


def skew_p_values(t: float | FloatArray, spread: Spread, alternative: Alternative) -> FloatArray:
    """Return the p-values of t."""
    return student_p_values(*skew_statistic(t, spread), alternative)


def skew_reach(tail: float | FloatArray, spread: Spread) -> tuple[FloatArray, FloatArray]:
    """Return the interval's reach below and above the estimate, in standard errors; `tail` is the level of one side."""
    # At the lower end the null hypothesis lies below the estimate: t is positive there, so that a negative κ is against
    # the verdict. At the upper end it is the other way round.
    sides = [np.broadcast_arrays(*shape(spread, side * spread.skewness > 0)) for side in (-1, 1)]
    s, degrees = (np.array(part) for part in zip(*sides, strict=True))
    below, above = stretched(student_quantiles(tail, degrees), s)
    return below, above
