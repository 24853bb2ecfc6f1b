"""Tails of the normal and of Student's law, by alternative."""

from __future__ import annotations

import math

from outscore.results import Alternative

__all__ = ["normal_p_value", "student_p_value", "student_quantile"]


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
    from scipy.special import stdtr  # SciPy takes longer to import than most comparisons to compute

    match alternative:
        case Alternative.GREATER:
            return float(stdtr(degrees, -t))
        case Alternative.LESS:
            return float(stdtr(degrees, t))
        case Alternative.TWO_SIDED:
            return min(2 * float(stdtr(degrees, -abs(t))), 1.0)


def student_quantile(level: float, degrees: float) -> float:
    """Return Student's quantile."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, level))
