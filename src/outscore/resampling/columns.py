"""The columns whose totals have to be computed, and how those of all others follow."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from outscore._types import AnyArray, BoolArray, FloatArray, IntArray

__all__ = ["DistinctColumns", "distinct_columns"]


@dataclass(frozen=True, eq=False)
class DistinctColumns:
    """Columns that differ, and the way from their totals to those of all columns.

    Attributes
    ----------
    columns : ndarray, shape (n, distinct)
    place : ndarray of int, shape (all,)
        Which distinct column stands for each column: it itself, or its difference from the column before it.
    differs : ndarray of bool, shape (all,)
        Whether it is the difference.
    """

    columns: AnyArray
    place: IntArray
    differs: BoolArray

    @cached_property
    def _steps(self) -> list[IntArray]:
        """The columns to be completed from the one before, in the order in which that can be done."""
        depth = np.zeros(len(self.place), dtype=np.int64)
        for column in np.flatnonzero(self.differs):
            depth[column] = depth[column - 1] + 1
        return [np.flatnonzero(depth == level) for level in range(1, int(depth.max(initial=0)) + 1)]

    def totals(self, distinct: FloatArray) -> FloatArray:
        """Return the totals of all columns, shape (all, b), from those of the distinct ones, shape (distinct, b)."""
        totals = distinct[self.place]
        for columns in self._steps:
            totals[columns] += totals[columns - 1]
        return totals


def distinct_columns(rows: FloatArray) -> DistinctColumns:
    """Return the columns of rows without what repeats, shape (n, all) to (n, distinct) at most.

    A column that another system has too is summed once: the length of a shared reference. So is a column of
    whole numbers less its neighbour, where that repeats: a segment's bigrams are one less than its words in every
    system's output. Totals of whole numbers are exact, so that nothing depends on which way they are computed.
    """
    rows = np.ascontiguousarray(rows.T) + 0.0  # which makes −0 one with 0
    keys = [row.tobytes() for row in rows]
    whole = (rows == np.rint(rows)).all(axis=1)
    steps = [
        (rows[j] - rows[j - 1]).tobytes() if j > 0 and whole[j] and whole[j - 1] else b"" for j in range(len(rows))
    ]
    times, times_of_steps = Counter(keys), Counter(steps)
    differs = np.array(
        [
            bool(step) and times[key] == 1 and (step in times or times_of_steps[step] > 1)
            for key, step in zip(keys, steps, strict=True)
        ]
    )
    places: dict[bytes, int] = {}
    place = [
        places.setdefault(step if differing else key, len(places))
        for key, step, differing in zip(keys, steps, differs, strict=True)
    ]
    distinct = np.array([np.frombuffer(key) for key in places]).reshape(len(places), rows.shape[1]).T
    return DistinctColumns(distinct, np.array(place, dtype=np.int64), differs)
