"""P-values of outcomes, with estimators, intervals and error bounds; corrections for multiple comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from outscore._types import BoolArray, FloatArray, IntArray
from outscore.laws.law import clopper_pearson
from outscore.laws.tolerances import ALMOST_1
from outscore.results import Estimator
from outscore.significance.base import Outcome, Outcomes


@dataclass(frozen=True, slots=True)
class PValue:
    """A p-value in (0, 1] with its error bound (exact) or confidence interval (sampled).

    If `is_bound` is true, no sample reached the threshold and the value is an upper bound.
    """

    value: float
    low: float
    high: float
    is_bound: bool = False


def p_value(outcome: Outcome, estimator: Estimator) -> PValue:
    """Return the p-value of an outcome, with its error bound or confidence interval.

    Sampled: (c + 1)/(r + 1), which keeps the level of the test (Davison & Hinkley 1997, section 4.2), or c/r, with
    Clopper and Pearson's 95% confidence interval.
    Exact: the probability with its error bound.

    The p-value is never 0. If no sample reaches the event, the value is an upper bound, the probability of the rarest
    sample; c/r with c = 0 is bounded by 1/r. A p-value that is 1 only by rounding is the largest number below 1.
    """
    probability = outcome.probability
    is_bound = False
    if probability.n_resamples is None or probability.n_exceeding is None:
        low, high = probability.value - probability.error, probability.value + probability.error
        is_bound = outcome.least > probability.value
        value = max(probability.value, outcome.least)
        high = max(high, value)
    else:
        c, r = probability.n_exceeding, probability.n_resamples
        value = (c + 1) / (r + 1) if estimator is Estimator.ADD_ONE else max(c, 1) / r
        is_bound = c == 0
        # Where rounding decides whether samples meet the event, the interval reaches from the low end for the sure ones
        # to the high end for the possible ones.
        low, high = clopper_pearson(c, r, 0.95)
        if probability.n_surely is not None and probability.n_possibly is not None:
            low, high = (
                clopper_pearson(probability.n_surely, r, 0.95)[0],
                clopper_pearson(probability.n_possibly, r, 0.95)[1],
            )
    factor = 2 if outcome.doubled else 1
    value, low, high = (float(min(max(part * factor, 0.0), 1.0)) for part in (value, low, high))
    # 1 would say that no data are less extreme.
    if value == 1 and low < 1 and probability.n_resamples is None and not outcome.doubled:
        value = ALMOST_1
    return PValue(value, low, high, is_bound)


@dataclass(frozen=True, eq=False)
class PValues:
    """The p-values of many outcomes, as from `p_value`, in columns of shape (m,)."""

    outcomes: Outcomes
    estimator: Estimator

    def __len__(self) -> int:
        return len(self.outcomes)

    @property
    def _factors(self) -> FloatArray:
        return np.where(self.outcomes.doubled, 2.0, 1.0)

    @cached_property
    def values(self) -> FloatArray:
        of, values = self.outcomes, np.maximum(self.outcomes.values, self.outcomes.least)
        if of.n_resamples is not None:
            c, r = of.n_exceeding, of.n_resamples
            drawn = (c + 1) / (r + 1) if self.estimator is Estimator.ADD_ONE else np.maximum(c, 1) / r
            values = np.where(of.sampled, drawn, values)
        values = np.clip(values * self._factors, 0.0, 1.0)
        rounded = (values == 1) & ~of.sampled & ~of.doubled
        return np.where(rounded & (self.brackets[0] < 1), ALMOST_1, values) if rounded.any() else values

    @cached_property
    def brackets(self) -> tuple[FloatArray, FloatArray]:
        """The lower and upper ends of the intervals."""
        of = self.outcomes
        low = of.lows.copy()
        high = np.maximum(of.highs, np.maximum(of.values, of.least))
        places = np.flatnonzero(of.sampled)
        if len(places) and of.n_resamples is not None:
            # Many pairs have the same count, and each interval takes two root searches.
            counts, inverse = np.unique(of.n_exceeding[places], return_inverse=True)
            ends = np.array([clopper_pearson(int(c), of.n_resamples, 0.95) for c in counts])
            low[places], high[places] = ends[inverse].T
        return np.clip(low * self._factors, 0.0, 1.0), np.clip(high * self._factors, 0.0, 1.0)

    @cached_property
    def are_bounds(self) -> BoolArray:
        of = self.outcomes
        return np.where(of.sampled, of.n_exceeding == 0, of.least > of.values)


def holm(p_values: Sequence[float] | FloatArray, entering: Sequence[float] | FloatArray | None = None) -> list[float]:
    """Return Holm's step-down adjusted p-values, which keep the family-wise error rate under any dependence.

    With p₍₁₎ ≤ … ≤ p₍ₘ₎ the adjusted value of p₍ᵢ₎ is max over j ≤ i of (m − j + 1) p₍ⱼ₎, at most 1
    (Holm 1979). A single p-value is not corrected.

    Parameters
    ----------
    p_values : sequence of float
        In [0, 1], in any order.
    entering : sequence of float, optional
        The p-values that are multiplied, if they are not the same: those of the default test with the lower threshold
        of skewness.

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
    adjusted[order] = np.maximum.accumulate(np.minimum(np.arange(m, 0, -1) * p[order], 1.0))
    return [float(value) for value in adjusted]


def benjamini_hochberg(p_values: Sequence[float] | FloatArray) -> list[float]:
    """Return Benjamini and Hochberg's step-up adjusted p-values, which keep the false discovery rate.

    With p₍₁₎ ≤ … ≤ p₍ₘ₎ the adjusted value of p₍ᵢ₎ is min over j ≥ i of m p₍ⱼ₎ / j, at most 1 (Benjamini &
    Hochberg 1995). Of the pairs that are significant at level α, the expected proportion of false positives is at
    most α, for tests that are independent or positively dependent. This is weaker than a family-wise error rate: at
    5%, five of a hundred significant pairs may be false positives.

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

    A count c is the number of the r samples in which the largest of a statistic and all smaller ones reaches its
    observed value (Westfall & Young 1993, Algorithm 2.8; Romano & Wolf 2005, Algorithm 4.1). The values are
    (c + 1)/(r + 1), made monotone, so that a smaller statistic never has a smaller p-value.
    """
    return np.maximum.accumulate(((counts + 1) / (n_resamples + 1))[::-1])[::-1]
