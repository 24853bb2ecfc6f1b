"""What is resampled and swapped: items, or clusters of them."""

from __future__ import annotations

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.errors import DataError, Problem
from outscore.rows import check_strata
from outscore.strata import settled

__all__ = ["Units"]


class Units:
    """The units of a test set.

    Parameters
    ----------
    n_items : int
    clusters, strata : ndarray of int, shape (n_items,), optional
        Codes from 0 on.

    Attributes
    ----------
    count : int
    name : str
        "item" or "cluster".
    strata : ndarray of int, shape (count,), or None
        Codes of the units' strata; None where all lie in one.

    Raises
    ------
    DataError
        Fewer than two clusters, a cluster in more than one stratum, or a stratum of one unit.
    """

    def __init__(self, n_items: int, clusters: AnyArray | None = None, strata: AnyArray | None = None) -> None:
        self.clusters = clusters
        self.strata = settled(strata)
        self.count = n_items
        self.name = "item"
        if clusters is not None:
            self._join(clusters)
        check_strata(self.strata, self.name)

    def _join(self, clusters: AnyArray) -> None:
        """Make clusters the units."""
        self.name = "cluster"
        self.count = int(clusters.max()) + 1
        if self.count < 2:
            raise DataError(
                Problem(
                    "--cluster",
                    "expected at least 2 clusters, got 1",
                    "One cluster has no spread to resample.",
                    "one-cluster",
                )
            )
        if self.strata is not None:
            firsts = np.unique(clusters, return_index=True)[1]
            of_items, self.strata = self.strata, self.strata[firsts]
            if not np.array_equal(self.strata[clusters], of_items):
                raise DataError(
                    Problem(
                        "--stratum",
                        "a cluster has items in more than one stratum",
                        "Clusters must lie within strata.",
                        "cluster-across-strata",
                    )
                )

    def sums(self, rows: FloatArray) -> FloatArray:
        """Return the rows summed unit by unit, shape (count, k)."""
        if self.clusters is None:
            return rows
        summed = np.zeros((self.count, rows.shape[1]))
        np.add.at(summed, self.clusters, rows)
        return summed

    def of_items(self, weights: AnyArray) -> AnyArray:
        """Return the weight of every item, shape (..., n_items), given those of units, shape (..., count)."""
        return weights if self.clusters is None else weights[..., self.clusters]
