"""Groups of units with equal rows, drawn together: totals depend only on the number of draws from each group."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.laws.resampling.schemes import (
    Scheme,
    Weights,
    poisson_counts,
    poisson_rate,
    shard_of,
    topped_up,
    uniform_picks,
)
from outscore.laws.resampling.words import WordLaws, poisson_singles

_MOST_TOGETHER = 64  # units per group: its count fits in a byte, and there are at most 64 sizes with tables
_MOST_BY_WORDS = 2**12  # groups: with more, too many words are left over
_FEWEST_UNITS = 200  # below this the overhead of NumPy calls dominates
_DEAREST = 3  # cost of a group's count, in weights of units
_WORTHWHILE = 0.8  # of the cost of weights of all units


@dataclass(frozen=True, eq=False)
class GroupScheme(Scheme):
    """Weights of groups of units, (w_g) ~ Multinomial(n; m_g/n): the sums of the groups' bootstrap weights.

    `sizes`, shape (groups,), are m_g, ascending, 64 at most.
    """

    sizes: IntArray

    key = 5

    @cached_property
    def shard(self) -> int:  # type: ignore[override]
        return shard_of(len(self.sizes))

    @cached_property
    def n_units(self) -> int:  # type: ignore[override]
        return int(self.sizes.sum())

    @cached_property
    def _rate(self) -> float:
        return poisson_rate(self.n_units, self.n_units)

    @cached_property
    def _alone(self) -> int:
        """Number of groups of one unit. Their counts are drawn four at a time."""
        return int(np.searchsorted(self.sizes, 2))

    @cached_property
    def _laws(self) -> tuple[WordLaws, AnyArray]:
        sizes, size_of = np.unique(self.sizes[self._alone :], return_inverse=True)
        return poisson_singles(self._rate, sizes), size_of.astype(np.uint16)

    @cached_property
    def _picks(self) -> Callable[[np.random.Generator, int], AnyArray]:
        """Draws groups with probabilities proportional to their sizes: by words or, if many, by their units."""
        groups = np.arange(len(self.sizes), dtype=np.uint32)
        if len(groups) <= _MOST_BY_WORDS:
            return WordLaws.of([(groups, self.sizes / self.n_units)], 16).draw
        of_unit = np.repeat(groups, self.sizes)
        return lambda stream, size: np.take(of_unit, uniform_picks(stream, self.n_units, size))

    def weights(self, stream: np.random.Generator, count: int) -> Weights:
        laws, places = self._laws

        def counts(rows: int) -> Weights:
            of_groups = np.empty((rows, len(self.sizes)), dtype=np.uint8)
            if self._alone:
                of_groups[:, : self._alone] = poisson_counts(stream, self._rate, self._alone, rows)
            of_groups[:, self._alone :] = laws.draw(stream, rows * len(places), places).reshape(rows, -1)
            return of_groups

        return topped_up(count, self.n_units, counts, partial(self._picks, stream))


def grouped(rows: FloatArray) -> tuple[GroupScheme, IntArray] | None:
    """Return a scheme for groups of equal rows and one unit of each, shape (groups,); None if it is not faster.

    Rows are one per unit. Groups are sorted by size and rows, with columns sorted by their values, so that the order of
    units and of systems has no effect. Groups of more than 64 units are split.
    """
    n = len(rows)
    most = int(_WORTHWHILE * n)
    if n < _FEWEST_UNITS:
        return None
    codes = np.zeros(n, dtype=np.int64)
    units, sizes = np.zeros(1, dtype=np.int64), np.array([n])
    for column in rows.T:
        values, of_column = np.unique(column, return_inverse=True)
        # Checked column by column: real-valued rows are refused after the first.
        if len(values) > most:
            return None
        _, units, codes, sizes = np.unique(
            codes * len(values) + of_column, return_index=True, return_inverse=True, return_counts=True
        )
        if len(units) > most:
            return None
    # The order of groups is part of the stream of draws. So it must not depend on the order of the file or of the
    # systems.
    order = np.lexsort([*_canonical(rows[units] + 0.0, sizes).T[::-1], sizes])
    units, sizes = units[order], sizes[order]
    parts = -(-sizes // _MOST_TOGETHER)
    if (parts[sizes == 1].sum() + _DEAREST * parts[sizes > 1].sum()) > most:
        return None
    # Parts of one group differ in size by at most one, so that few sizes need tables.
    group = np.repeat(np.arange(len(units)), parts)
    within = np.arange(len(group)) - np.repeat(np.cumsum(parts) - parts, parts)
    of_parts = sizes[group] // parts[group] + (within < sizes[group] % parts[group])
    order = np.argsort(of_parts, kind="stable")
    return GroupScheme(of_parts[order]), units[group[order]]


def _canonical(rows: FloatArray, sizes: IntArray) -> FloatArray:
    """Return the columns of distinct rows, sorted by their values and the count of each."""

    def key(column: int) -> bytes:
        values, codes = np.unique(rows[:, column], return_inverse=True)
        return values.tobytes() + np.bincount(codes, sizes).tobytes()

    return rows[:, sorted(range(rows.shape[1]), key=key)]
