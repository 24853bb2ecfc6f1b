"""A ratio of sums, such as errors over words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from outscore._types import FloatArray
from outscore.metrics.base import ColumnMetric, Fault, RatioMetric
from outscore.metrics.bounds import Bounded

__all__ = ["Ratio"]


@dataclass(frozen=True)
class Ratio(Bounded, RatioMetric, ColumnMetric):
    """The sum of numerators over the sum of denominators: word error rate, attachment score, a weighted mean.

    A row holds (numerator, denominator); denominators are positive.

    Parameters
    ----------
    higher_is_better : bool
        Not so for error rates.
    lowest, highest : float, optional
        The lowest and the highest score that an item can have: claims with a margin rest on them, as losses that
        were not seen are not bounded otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> float(Ratio().score(np.array([[3.0, 10.0], [1.0, 30.0]]).sum(axis=0)))
    0.1
    """

    higher_is_better: bool = True

    name = "ratio"
    columns = ("numerator", "denominator")
    statistics = ("numerator", "denominator")
    numerator = (1.0, 0.0)
    denominator = (0.0, 1.0)

    def faults(self, columns: FloatArray) -> Sequence[Fault]:
        faults = [
            Fault(
                int(i),
                f'field "denominator": expected a positive number, got {columns[i, 1]:g}',
                "Leave the item out of both systems.",
                "zero-denominator" if columns[i, 1] == 0 else "negative",
            )
            for i in np.flatnonzero(columns[:, 1] <= 0)
        ]
        return faults or list(self.out_of_range(columns[:, 0] / columns[:, 1]))
