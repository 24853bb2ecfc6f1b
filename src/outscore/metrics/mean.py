"""The mean of per-item scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from outscore._types import FloatArray
from outscore.metrics.base import ColumnMetric, Fault, RatioMetric
from outscore.metrics.bounds import Bounded

__all__ = ["Mean"]


@dataclass(frozen=True)
class Mean(Bounded, RatioMetric, ColumnMetric):
    """The mean of one number an item, in the unit of the scores.

    A row holds (score, 1): the items are counted as well, so that clusters of several items weigh as many.

    Parameters
    ----------
    higher_is_better : bool
        Not so for losses and error rates.
    lowest, highest : float, optional
        The lowest and the highest score that an item can have: claims with a margin rest on them, as losses that
        were not seen are not bounded otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> metric = Mean()
    >>> float(metric.score(metric.rows(np.array([[1.0], [0.0], [0.5]])).sum(axis=0)))
    0.5
    """

    higher_is_better: bool = True

    name = "mean"
    columns = ("score",)
    statistics = ("score", "items")
    shared_statistics = ("items",)
    numerator = (1.0, 0.0)
    denominator = (0.0, 1.0)

    def rows(self, columns: FloatArray) -> FloatArray:
        return np.column_stack([columns[:, 0], np.ones(len(columns))])

    def faults(self, columns: FloatArray) -> Sequence[Fault]:
        return list(self.out_of_range(columns[:, 0], column=0))
