"""Corrections of p-values for many comparisons."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["holm"]


def holm(p_values: Sequence[float]) -> list[float]:
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
    m = len(p_values)
    adjusted = [0.0] * m
    running = 0.0
    for rank, index in enumerate(sorted(range(m), key=lambda i: p_values[i])):
        running = max(running, min((m - rank) * p_values[index], 1.0))
        adjusted[index] = running
    return adjusted
