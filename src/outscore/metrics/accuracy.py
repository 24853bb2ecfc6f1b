"""The share of items that are right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from outscore._types import FloatArray
from outscore.metrics.base import ColumnMetric, Fault, RatioMetric

__all__ = ["Accuracy"]


@dataclass(frozen=True)
class Accuracy(RatioMetric, ColumnMetric):
    """The share of right items, a fraction of 1, from one column of 0 (wrong) and 1 (right).

    A row holds (correct, 1).

    Examples
    --------
    >>> import numpy as np
    >>> metric = Accuracy()
    >>> float(metric.score(metric.rows(np.array([[1.0], [0.0], [1.0], [1.0]])).sum(axis=0)))
    0.75
    """

    name = "accuracy"
    columns = ("correct",)
    statistics = ("correct", "items")
    shared_statistics = ("items",)
    numerator = (1.0, 0.0)
    denominator = (0.0, 1.0)
    is_proportion = True
    as_percentage = True
    score_range = (0.0, 1.0)
    higher_is_better = True

    def rows(self, columns: FloatArray) -> FloatArray:
        return np.column_stack([columns[:, 0], np.ones(len(columns))])

    def faults(self, columns: FloatArray) -> Sequence[Fault]:
        return [
            Fault(
                int(i),
                f"expected 0 or 1, got {columns[i, 0]:g}",
                "Use --metric mean for graded scores.",
                "not-binary",
                column=0,
            )
            for i in np.flatnonzero((columns[:, 0] != 0) & (columns[:, 0] != 1))
        ]
