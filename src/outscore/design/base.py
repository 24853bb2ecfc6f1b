"""What is known of the items of a test set, a factor at a time, and the units that are resampled."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.data.rows import Rows
from outscore.data.strata import settled
from outscore.errors import DataError, Problem
from outscore.options import opt
from outscore.text.naming import listed, quoted


class Factor(ABC):
    """One thing that is known of the items of a test set.

    Attributes
    ----------
    name : str
    """

    name: ClassVar[str]

    @property
    def signature(self) -> Mapping[str, str]:
        """What signatures say of it."""
        return {}

    @property
    def sampled(self) -> frozenset[str]:
        """What was sampled of it, as `SignificanceTest.samples` names it."""
        return frozenset()

    @property
    def not_drawn(self) -> str:
        """Why a test that does not allow for that does not apply, as the end of "it …"."""
        return "knows nothing of it"

    def over(self, systems: Sequence[Rows]) -> str | None:
        """Return of what the scores of systems are means because of it: "macro average of 8 strata"."""
        del systems
        return None

    def take(self, index: IntArray) -> Self | None:
        """Return the factor of the items at `index`, in that order; None where it has no meaning for some items."""
        del index
        return self

    def reordered(self, order: IntArray) -> Self:
        """Return the factor of the same items in another order."""
        del order
        return self


@dataclass(frozen=True, eq=False)
class LabelFactor(Factor, ABC):
    """A factor that gives each item a label: its cluster, its stratum, its test set.

    Attributes
    ----------
    codes : ndarray of int, shape (n_items,)
        From 0 on.
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
        From 0 on.
    names : tuple of str
        In the order of the codes.
    """

    names: tuple[str, ...] = ()


class Units:
    """The units of a test set that are resampled and swapped: items, or clusters of them.

    Parameters
    ----------
    n_items : int
    clusters, strata : ndarray of int, shape (n_items,), optional
        Codes from 0 on.
    name : str
        What an item is.
    given : ndarray of int, shape (count,), optional
        The places that the units had before they were sorted; by default those that they have.

    Attributes
    ----------
    count : int
    name : str
        "item", "cluster" or "task".
    given : ndarray of int, shape (count,), or None
    strata : ndarray of int, shape (count,), or None
        Codes of the units' strata; None where all lie in one.

    Raises
    ------
    DataError
        Fewer than two clusters, a cluster in more than one stratum, or a stratum of one unit.
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
        self.strata = settled(strata)
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
                    "One cluster does not show how clusters vary.",
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
                        "Clusters must lie within strata.",
                        "cluster-across-strata",
                    )
                )

    def sums(self, rows: FloatArray) -> FloatArray:
        """Return the rows summed unit by unit, shape (..., count, k), given those of items, shape (..., n_items, k)."""
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
    """Refuse strata of one unit: nothing tells what the unit varies by."""
    single = np.flatnonzero(sizes == 1)
    if len(single) and len(sizes) > 1:
        called = [names[code] if names else str(code) for code in single.tolist()]
        what = f"stratum {quoted(called[0])} has one {unit}"
        if len(single) > 1:
            what = f"{len(single)} strata have one {unit} each: {listed(called)}"
        raise DataError(
            Problem(
                opt("strata"),
                f"{what}: expected at least 2, as one does not tell what it varies by",
                f"Pass {opt('collapse_strata', True)} to merge such strata with others.",
                "one-unit-stratum",
            )
        )
