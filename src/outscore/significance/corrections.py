"""Corrections for several comparisons: Holm, Benjamini and Hochberg, step-down max-T; families of comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from outscore._types import FloatArray, IntArray
from outscore.results import Family, Multiplicity


def holm(p_values: Sequence[float] | FloatArray, entering: Sequence[float] | FloatArray | None = None) -> list[float]:
    """Return Holm's step-down adjusted p-values, which keep the family-wise error rate under any dependence.

    With p₍₁₎ ≤ … ≤ p₍ₘ₎ the adjusted value of p₍ᵢ₎ is max over j ≤ i of (m − j + 1) p₍ⱼ₎, at most 1 (Holm 1979). A
    single p-value is not corrected. `entering` are the p-values that are multiplied, if they are not the same: those of
    the default test with the lower threshold of skewness.

    Examples
    --------
    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values if entering is None else entering, dtype=np.float64)
    m = len(p)
    if m == 1:
        return [float(p_values[0])]
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(m)
    # Step-down: a comparison is significant only if all with smaller p-values are, so adjusted values never fall.
    adjusted[order] = np.maximum.accumulate(np.minimum(np.arange(m, 0, -1) * p[order], 1.0))
    return [float(value) for value in adjusted]


def benjamini_hochberg(p_values: Sequence[float] | FloatArray) -> list[float]:
    """Return Benjamini and Hochberg's step-up adjusted p-values, which keep the false discovery rate.

    With p₍₁₎ ≤ … ≤ p₍ₘ₎ the adjusted value of p₍ᵢ₎ is min over j ≥ i of m p₍ⱼ₎ / j, at most 1 (Benjamini & Hochberg
    1995). Of the pairs that are significant at level α, the expected proportion of false positives is at most α, for
    tests that are independent or positively dependent. This is weaker than a family-wise error rate: at 5%, five of a
    hundred significant pairs may be false positives.

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
    # Step-up: a comparison is significant if any with a larger p-value is, so the minimum runs from the largest down.
    adjusted[order] = np.minimum(np.minimum.accumulate(steps), 1.0)
    return [float(value) for value in adjusted]


def step_down_p_values(counts: IntArray, n_resamples: int) -> FloatArray:
    """Return the adjusted p-values of step-down max-T, shape (m,), given the counts for statistics in ascending order.

    A count c is the number of the r samples in which the largest of a statistic and all smaller ones reaches its
    observed value (Westfall & Young 1993, Algorithm 2.8; Romano & Wolf 2005, Algorithm 4.1). The values are
    (c + 1)/(r + 1), made monotone, so that a smaller statistic never has a smaller p-value.
    """
    return np.maximum.accumulate(((counts + 1) / (n_resamples + 1))[::-1])[::-1]


class Place(NamedTuple):
    """Where a p-value is among the comparisons of a result."""

    test: str = ""  # tests are corrected separately
    metric: int = 0  # number of the metric; so are candidate and dataset
    candidate: int = 0
    dataset: int = 0
    is_average: bool = False  # whether it is the average over datasets, which has a table of its own


_SHARED = {  # what the comparisons of a family have in common
    Family.TABLE: ("test", "metric", "is_average"),
    Family.CANDIDATES: ("test", "metric", "is_average", "dataset"),
    Family.DATASETS: ("test", "metric", "is_average", "candidate"),
    Family.ALL: ("test",),
}


def corrected(
    p_values: Sequence[float], entering: Sequence[float], places: Sequence[Place], family: Family
) -> tuple[list[float], list[Multiplicity]]:
    """Return p-values after Holm's correction within their families, and the family of each; it multiplies `entering`.

    Examples
    --------
    >>> places = [Place(candidate=0), Place(candidate=1), Place(candidate=0, dataset=1), Place(candidate=1, dataset=1)]
    >>> p = [0.01, 0.04, 0.03, 0.5]
    >>> [round(p, 3) for p in corrected(p, p, places, Family.TABLE)[0]]
    [0.04, 0.09, 0.09, 0.5]
    >>> [round(p, 3) for p in corrected(p, p, places, Family.DATASETS)[0]]
    [0.02, 0.08, 0.03, 0.5]
    """
    members: dict[tuple[object, ...], list[int]] = {}
    for at, index in enumerate(places):
        members.setdefault(tuple(getattr(index, name) for name in _SHARED[family]), []).append(at)
    adjusted, families = list(p_values), [Multiplicity(family)] * len(p_values)
    for family_members in members.values():
        if len(family_members) > 1:
            of_family = holm(*([values[at] for at in family_members] for values in (p_values, entering)))
            for at, p in zip(family_members, of_family, strict=True):
                adjusted[at], families[at] = p, Multiplicity(family, len(family_members), "holm")
    return adjusted, families
