"""Corrections of p-values for many comparisons."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from outscore._types import FloatArray, IntArray


def holm(p_values: Sequence[float] | FloatArray) -> list[float]:
    """Return Holm's step-down adjusted p-values, which keep the family-wise error rate under any dependence.

    With p₍₁₎ ≤ … ≤ p₍ₘ₎ the adjusted value of p₍ᵢ₎ is max over j ≤ i of (m − j + 1) p₍ⱼ₎, at most 1
    (Holm 1979).

    Parameters
    ----------
    p_values : sequence of float
        In [0, 1], in any order.

    Examples
    --------
    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    m = len(p)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(m)
    adjusted[order] = np.maximum.accumulate(np.minimum(np.arange(m, 0, -1) * p[order], 1.0))
    return [float(value) for value in adjusted]


def benjamini_hochberg(p_values: Sequence[float] | FloatArray) -> list[float]:
    """Return Benjamini and Hochberg's step-up adjusted p-values, which keep the false discovery rate.

    With p₍₁₎ ≤ … ≤ p₍ₘ₎ the adjusted value of p₍ᵢ₎ is min over j ≥ i of m p₍ⱼ₎ / j, at most 1 (Benjamini &
    Hochberg 1995). Of the pairs called different at level α, a share of at most α is expected to be called so
    wrongly, for tests that are independent or positively dependent. That is less than a family-wise error rate:
    among a hundred pairs called different five may well not be.

    Parameters
    ----------
    p_values : sequence of float
        In [0, 1], in any order.

    Examples
    --------
    >>> [round(p, 3) for p in benjamini_hochberg([0.01, 0.04, 0.03])]
    [0.03, 0.04, 0.04]
    """
    p = np.asarray(p_values, dtype=np.float64)
    m = len(p)
    order = np.argsort(-p, kind="stable")  # the largest first
    steps = p[order] * m / np.arange(m, 0, -1)
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(np.minimum.accumulate(steps), 1.0)
    return [float(value) for value in adjusted]


def step_down_p_values(counts: IntArray, n_resamples: int) -> FloatArray:
    """Return the adjusted p-values of step-down max-T, shape (m,), given the counts for statistics in ascending order.

    A count c is in how many of r resamples the largest of a statistic and all smaller ones reaches it (Westfall & Young
    1993, Algorithm 2.8; Romano & Wolf 2005, Algorithm 4.1). The values are (c + 1)/(r + 1), made to rise as the
    statistic falls: what is less extreme is never more significant.
    """
    return np.maximum.accumulate(((counts + 1) / (n_resamples + 1))[::-1])[::-1]
