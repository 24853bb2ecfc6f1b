"""The skewness-corrected t for one gain, step by step, as docs/statistics/default.md describes it."""

from __future__ import annotations

import math

from scipy import stats


def plain_shape(
    kappa: float, m: float, degrees: float, *, against: bool, cautious: bool = False
) -> tuple[float, float]:
    """The skewness s and the degrees of freedom on one side of the estimate."""
    rho = min(m * kappa**2, 1 - 1e-12)
    if not against:
        return 0.0, max(1.0, min(degrees, 3 * m / (1 - rho**5) - 1))
    chance = 2 / 3 / m**2
    if not cautious:
        chance = max(chance, 4 / (m + 4) ** 2)
    s = math.sqrt(max(kappa**2 - chance, 0.0))
    s *= 1 + min(12 / m, (12 / m) ** 2)
    return min(s, (3 - rho) / 2), max(1.0, min(degrees, 3 * m / (1 - rho) - 1))


def plain_p_value(t: float, kappa: float, m: float, degrees: float, *, cautious: bool = False) -> float:
    """The two-sided p-value."""
    s, nu = plain_shape(kappa, m, degrees, against=t * kappa < 0, cautious=cautious)
    size = abs(t)
    g = size if s < 1e-9 else max(1.5 / s * math.log(1 + 2 / 3 * s * size) - s / 6, 0.0)
    return float(2 * stats.t.sf(g, nu))
