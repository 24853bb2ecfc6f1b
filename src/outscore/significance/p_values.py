"""From events to p-values: estimators, brackets, and the floor under zero; tails of the normal and of Student's law."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from outscore._types import BoolArray, FloatArray
from outscore.laws.law import clopper_pearson
from outscore.results import Estimator
from outscore.significance.base import Outcome, Outcomes

_ALMOST_1 = 1 - 2.0**-53


@dataclass(frozen=True, slots=True)
class PValue:
    """A p-value in (0, 1] with its bracket.

    `is_bound` says that no resample reached the threshold, so that the value is only a bound.
    """

    value: float
    low: float
    high: float
    is_bound: bool = False


def p_value(outcome: Outcome, estimator: Estimator) -> PValue:
    """Return the p-value of an outcome, with its bracket.

    Sampled: (c + 1)/(r + 1), which keeps the level of the test (Davison & Hinkley 1997, section 4.2), or c/r;
    the bracket is Clopper and Pearson's at 95%. Tilted: the estimate with its own bracket. Exact: the probability; the
    bracket is the error bound. Never 0: an event that no resample reaches says no more than that it is rarer than the
    rarest resample, which is then the value, as a bound; c/r with c = 0 is bounded by 1/r. Never 1 where only rounding
    makes it so: then it is the largest number below 1.
    """
    probability = outcome.probability
    is_bound = False
    if probability.n_resamples is None or probability.n_exceeding is None:
        low, high = probability.value - probability.error, probability.value + probability.error
        if probability.low is not None and probability.high is not None:
            low, high = probability.low, probability.high
        is_bound = outcome.least > probability.value
        value = max(probability.value, outcome.least)
        high = max(high, value)
    else:
        c, r = probability.n_exceeding, probability.n_resamples
        value = (c + 1) / (r + 1) if estimator is Estimator.ADD_ONE else max(c, 1) / r
        is_bound = c == 0
        low, high = clopper_pearson(c, r, 0.95)
        if probability.n_surely is not None and probability.n_possibly is not None:
            low, high = (
                clopper_pearson(probability.n_surely, r, 0.95)[0],
                clopper_pearson(probability.n_possibly, r, 0.95)[1],
            )
    factor = 2 if outcome.doubled else 1
    value, low, high = (float(min(max(part * factor, 0.0), 1.0)) for part in (value, low, high))
    if value == 1 and low < 1 and probability.n_resamples is None and not outcome.doubled:
        value = _ALMOST_1
    return PValue(value, low, high, is_bound)


@dataclass(frozen=True, eq=False)
class PValues:
    """The p-values of many outcomes, as `p_value` returns them, in columns of shape (m,).

    Parameters
    ----------
    outcomes : Outcomes
    estimator : Estimator
    """

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
        rounded = (values == 1) & ~of.sampled & ~of.tilted & ~of.doubled
        return np.where(rounded & (self.brackets[0] < 1), _ALMOST_1, values) if rounded.any() else values

    @cached_property
    def brackets(self) -> tuple[FloatArray, FloatArray]:
        """The lower and the upper ends."""
        of = self.outcomes
        low = of.lows.copy()
        high = np.maximum(of.highs, np.maximum(of.values, of.least))
        places = np.flatnonzero(of.sampled)
        if len(places) and of.n_resamples is not None:
            counts, inverse = np.unique(of.n_exceeding[places], return_inverse=True)
            ends = np.array([clopper_pearson(int(c), of.n_resamples, 0.95) for c in counts])
            low[places], high[places] = ends[inverse].T
        return np.clip(low * self._factors, 0.0, 1.0), np.clip(high * self._factors, 0.0, 1.0)

    @cached_property
    def are_bounds(self) -> BoolArray:
        of = self.outcomes
        return np.where(of.sampled, of.n_exceeding == 0, of.least > of.values)
