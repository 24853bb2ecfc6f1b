"""The distribution of a sum of signed values on a grid, added up one by one, accurate to the last digits."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from outscore._types import FloatArray, IntArray
from outscore.laws.law import AtomicLaw, Law, Probability

# Nanoseconds: a sum of signs this cheap is always added up, because that keeps all digits.
CHEAP = 1e7


def cost_of_adding(multiples: IntArray) -> float:
    """Return the cost of adding up all signs, in nanoseconds: four for each value of each partial sum (measured)."""
    return 4 * len(multiples) * float(multiples.sum()) / 2


class SignsLaw(Law):
    """The distribution of centre + scale · Σ ±v/2 if all v are multiples of a step.

    Its table is computed on demand. Only the last four are kept: rankings have the distributions of many pairs.

    Parameters
    ----------
    multiples : ndarray of int, shape (m,)
        The |v| in steps, none of them 0.
    tie : float
        Distance from a point of the grid, in steps, within which a limit equals it.
    """

    exact = True
    how = "exact: lattice"

    def __init__(self, multiples: IntArray, step: float, *, centre: float, scale: float, tie: float) -> None:
        self.least = max(0.5 ** len(multiples), float(np.finfo(np.float64).tiny))
        self.step = scale * step
        self._key = tuple(np.sort(multiples).tolist()), centre, self.step, tie

    @property
    def _table(self) -> AtomicLaw:
        return _table(*self._key)

    def outside(self, low: float, high: float, *, strict: bool = False) -> Probability:
        return self._table.outside(low, high, strict=strict)

    def quantile(self, level: float) -> float:
        return self._table.quantile(level)

    def reach(self, centre: float, level: float) -> float:
        return self._table.reach(centre, level)

    def below(self, value: float) -> float:
        return self._table.below(value)


@lru_cache(maxsize=4)
def _table(multiples: tuple[int, ...], centre: float, step: float, tie: float) -> AtomicLaw:
    """Return the distribution of centre + step · Σ ±m/2; small values are added first, to keep most additions short."""
    law: FloatArray = np.ones(1)
    for multiple in multiples:
        # Only additions of positive numbers and halvings: the relative error of each probability grows by one rounding
        # for each value, however small the probability is. A transform has an absolute error instead.
        longer: FloatArray = np.zeros(len(law) + multiple)
        longer[: len(law)] = law
        longer[multiple:] += law
        longer *= 0.5
        law = longer
    values: FloatArray = centre + step * (np.arange(len(law), dtype=np.float64) - (len(law) - 1) / 2)
    kept = np.flatnonzero(law)
    return AtomicLaw(
        values[kept],
        law[kept],
        tolerance=tie * step,
        how=SignsLaw.how,
        least=0.5 ** min(len(multiples), 1000),
        relative_error=(len(multiples) + 16) * float(np.finfo(np.float64).eps),
    )
