"""The interface of a factor of a design, and the units that are resampled."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.data.rows import Rows
from outscore.data.strata import merged_strata
from outscore.errors import DataError, Problem
from outscore.options import opt
from outscore.text.naming import listed, quoted


class Factor(ABC):
    """A factor of the items of a test set."""

    name: ClassVar[str]

    @property
    def signature(self) -> Mapping[str, str]:
        """The factor's part of a signature."""
        return {}

    @property
    def sampled(self) -> frozenset[str]:
        """Names of what was sampled in it, as in `SignificanceTest.samples`."""
        return frozenset()

    @property
    def not_drawn(self) -> str:
        """Why a test that does not allow for it does not apply, worded to follow "it"."""
        return f"does not support {self.name}"

    def over(self, systems: Sequence[Rows]) -> str | None:
        """Return the average that scores are because of it, such as "macro average of 8 strata"."""
        del systems
        return None

    def take(self, index: IntArray) -> Self | None:
        """Return the factor of the items at `index`, in that order; None if it is undefined for a subset."""
        del index
        return self

    def reordered(self, order: IntArray) -> Self:
        """Return the factor of the same items in another order."""
        del order
        return self


@dataclass(frozen=True, eq=False)
class LabelFactor(Factor, ABC):
    """A factor that gives each item a label, such as its cluster, stratum or test set.

    Attributes
    ----------
    codes : ndarray of int, shape (n_items,)
        Codes from 0.
    """

    codes: AnyArray

    def reordered(self, order: IntArray) -> Self:
        return replace(self, codes=self.codes[order])


@dataclass(frozen=True, eq=False)
class NamedLabels(LabelFactor, ABC):
    """A factor whose labels have names.

    Attributes
    ----------
    codes : ndarray of int, shape (n_items,)
        Codes from 0.
    names : tuple of str
        In the order of the codes.
    """

    names: tuple[str, ...] = ()


class Units:
    """The units of a test set that are resampled and swapped: items or clusters.

    Parameters
    ----------
    clusters, strata : ndarray of int, shape (n_items,), optional
        Codes from 0.
    name : str
        Name of an item.
    given : ndarray of int, shape (count,), optional
        The places of the units before they were sorted; by default their places now.

    Attributes
    ----------
    name : str
        "item", "cluster" or "task".
    given : ndarray of int, shape (count,), or None
        As the parameter.
    strata : ndarray of int, shape (count,), or None
        Codes of the units' strata; None if there is one.

    Raises
    ------
    DataError
        If there are fewer than two clusters, a cluster in more than one stratum, or a stratum of one unit.
    """

    def __init__(
        self,
        n_items: int,
        clusters: AnyArray | None = None,
        strata: AnyArray | None = None,
        name: str = "item",
        given: IntArray | None = None,
    ) -> None:
        self.clusters = clusters
        self.given = given
        self.strata = merged_strata(strata)
        self.count = n_items
        self.name = name
        if clusters is not None:
            self._join(clusters)
        if self.strata is not None:
            check_stratum_sizes(np.bincount(self.strata), self.name, ())

    def _join(self, clusters: AnyArray) -> None:
        """Make clusters the units."""
        self.name = "cluster"
        self.count = int(clusters.max()) + 1
        if self.count < 2:
            raise DataError(
                Problem(
                    opt("clusters"),
                    "expected at least 2 clusters, got 1",
                    "The variance between clusters needs 2 clusters or more.",
                    "one-cluster",
                )
            )
        if self.strata is not None:
            firsts = np.unique(clusters, return_index=True)[1]
            of_items, self.strata = self.strata, self.strata[firsts]
            if not np.array_equal(self.strata[clusters], of_items):
                raise DataError(
                    Problem(
                        opt("strata"),
                        "a cluster has items in more than one stratum",
                        "Each cluster must lie in one stratum.",
                        "cluster-across-strata",
                    )
                )

    def sums(self, rows: FloatArray) -> FloatArray:
        """Return the sums of rows per unit, shape (..., count, k), given those of items, shape (..., n_items, k)."""
        if self.clusters is None:
            return rows
        if rows.ndim > 2:
            return np.stack([self.sums(of_level) for of_level in rows])
        summed = np.zeros((self.count, rows.shape[1]))
        np.add.at(summed, self.clusters, rows)
        return summed

    def of_items(self, weights: AnyArray) -> AnyArray:
        """Return the weight of every item, shape (..., n_items), given those of units, shape (..., count)."""
        return weights if self.clusters is None else weights[..., self.clusters]


def check_stratum_sizes(sizes: IntArray, unit: str, names: Sequence[str]) -> None:
    """Raise an error for strata of one unit, whose variance cannot be estimated."""
    single = np.flatnonzero(sizes == 1)
    if len(single) and len(sizes) > 1:
        called = [names[code] if names else str(code) for code in single.tolist()]
        what = f"stratum {quoted(called[0])} has one {unit}"
        if len(single) > 1:
            what = f"{len(single)} strata have one {unit} each: {listed(called)}"
        raise DataError(
            Problem(
                opt("strata"),
                f"{what}: expected at least 2, to estimate the variance",
                f"Pass {opt('collapse_strata', True)} to merge such strata with others.",
                "one-unit-stratum",
            )
        )
