"""The distribution of a sum of signed values on a grid, added up one by one, accurate to the last digits."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from outscore._types import FloatArray
from outscore.laws.law import AtomicLaw, Law, Probability

_MOST_ADDED, _MOST_ADDED_OF_FEW = 2e6, 3e7  # additions, if inversion is fast, and if it is slow
_FEW = 64  # signs: with fewer the transform does not decay


def worth_adding(sizes: FloatArray, step: float) -> bool:
    """Return whether adding up all signs costs less than inversion."""
    reach = float(sizes.sum()) / step
    return len(sizes) * reach / 2 <= (_MOST_ADDED_OF_FEW if len(sizes) <= _FEW else _MOST_ADDED)


class SignsLaw(Law):
    """The distribution of centre + scale · Σ ±v/2 if all v are multiples of a step.

    Its table is computed on demand. Only the last four are kept: rankings have the distributions of many pairs.

    Parameters
    ----------
    sizes : ndarray, shape (m,)
        The |v|, none of them 0.
    tie : float
        Distance from a point of the grid, in steps, within which a limit equals it.
    """

    exact = True
    how = "exact: lattice"

    def __init__(self, sizes: FloatArray, step: float, *, centre: float, scale: float, tie: float) -> None:
        multiples = np.sort(np.rint(sizes / step).astype(np.int64))
        self.least = max(0.5 ** len(sizes), float(np.finfo(np.float64).tiny))
        self.step = scale * step
        self._key = tuple(multiples.tolist()), centre, self.step, tie

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
