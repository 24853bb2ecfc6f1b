"""Precision, recall and F1 of retrieved responses: spans, brackets, relations, links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from outscore._types import FloatArray
from outscore.metrics.base import ColumnMetric, Fault, RatioMetric

__all__ = ["F1", "Precision", "Recall"]


class _Retrieved(RatioMetric, ColumnMetric):
    """What precision, recall and F1 share: rows of (tp, predicted, gold), counts of responses in an item."""

    columns = ("tp", "predicted", "gold")
    statistics = ("tp", "predicted", "gold")
    as_percentage = True
    score_range = (0.0, 1.0)
    higher_is_better = True

    def faults(self, columns: FloatArray) -> Sequence[Fault]:
        faults = []
        for j, column in enumerate(self.columns):
            for i in np.flatnonzero((columns[:, j] < 0) | (columns[:, j] != np.floor(columns[:, j]))):
                slug = "negative" if columns[i, j] < 0 else "not-a-count"
                what = f'field "{column}": expected a count (0, 1, 2, ...), got {columns[i, j]:g}'
                faults.append(Fault(int(i), what, "Mend the line.", slug))
        for j in (1, 2):
            for i in np.flatnonzero(columns[:, 0] > columns[:, j]):
                what = f'field "tp": expected at most {self.columns[j]} ({columns[i, j]:g}), got {columns[i, 0]:g}'
                faults.append(Fault(int(i), what, "Check that the columns are not swapped.", "tp-too-large"))
        return sorted(faults, key=lambda fault: fault.index)


@dataclass(frozen=True)
class Precision(_Retrieved):
    """The share of predicted responses that are right, a fraction of 1: tp / predicted.

    Examples
    --------
    >>> import numpy as np
    >>> round(float(Precision().score(np.array([47.0, 95.0, 103.0]))), 3)
    0.495
    """

    name = "precision"
    numerator = (1.0, 0.0, 0.0)
    denominator = (0.0, 1.0, 0.0)
    is_proportion = True


@dataclass(frozen=True)
class Recall(_Retrieved):
    """The share of gold responses that were found, a fraction of 1: tp / gold.

    Examples
    --------
    >>> import numpy as np
    >>> round(float(Recall().score(np.array([47.0, 95.0, 103.0]))), 3)
    0.456
    """

    name = "recall"
    numerator = (1.0, 0.0, 0.0)
    denominator = (0.0, 0.0, 1.0)
    is_proportion = True


@dataclass(frozen=True)
class F1(_Retrieved):
    """The harmonic mean of precision and recall, a fraction of 1: 2 tp / (predicted + gold).

    Examples
    --------
    >>> import numpy as np
    >>> round(float(F1().score(np.array([47.0, 95.0, 103.0]))), 3)
    0.475
    """

    name = "f1"
    title = "F1"
    numerator = (2.0, 0.0, 0.0)
    denominator = (0.0, 1.0, 1.0)
