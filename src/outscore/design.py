"""How the items of a test set hang together, whatever systems are scored on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from outscore._dataclasses import dataclass
from outscore._types import AnyArray, FloatArray, IntArray
from outscore.errors import DataError, OptionError, Problem
from outscore.naming import listed, quoted
from outscore.rows import Labels, Rows, RunDesign, label_codes, sorted_codes
from outscore.strata import merged_singles, settled

__all__ = ["Design", "Units"]


@dataclass(frozen=True, eq=False)
class Design:
    """The items of a test set: what they are called, which belong together, which parts have a fixed size.

    Attributes
    ----------
    n_items : int
    ids : tuple of str, optional
        One an item; None where items are known by position only.
    clusters : ndarray of int, shape (n_items,), optional
        Codes from 0 on of items that are drawn and swapped together.
    strata : ndarray of int, shape (n_items,), optional
        Codes from 0 on of parts whose size is fixed.
    stratum_names : tuple of str
        The labels of the strata, in the order of their codes.
    weights : tuple of Fraction, optional
        The share ω_h of each stratum in the score; None where the items of all strata weigh the same.
    runs : RunDesign, optional
        What the runs of the systems are; None where they have none.
    paired_runs : bool
        Whether run r of all systems shares its draw.
    templates : RunDesign, optional
        What is claimed of templates that all systems meet; None where items have one.
    reducer : str, optional
        How the samples of an item became one score.
    test_sets : ndarray of int, shape (n_items,), optional
        Codes from 0 on of test sets that have scores of their own.
    test_set_names : tuple of str
    unit : str
        What an item is: "item", or "task".
    two_way : tuple of two ndarrays of int, shape (n_items,), optional
        Codes of two crossed clusterings, such as documents and annotators, in place of `clusters`.
    strata_are : str
        What strata are called: "test sets" where their average is asked for.
    against : float, optional
        What the first system, the baseline, scores on every item: it is a constant.
    given : ndarray of int, shape (n_units,), optional
        The places that the units had before they were sorted.
    """

    n_items: int
    ids: tuple[str, ...] | None = None
    clusters: AnyArray | None = None
    strata: AnyArray | None = None
    stratum_names: tuple[str, ...] = ()
    weights: tuple[Fraction, ...] | None = None
    runs: RunDesign | None = None
    paired_runs: bool = False
    templates: RunDesign | None = None
    reducer: str | None = None
    test_sets: AnyArray | None = None
    test_set_names: tuple[str, ...] = ()
    unit: str = "item"
    two_way: tuple[AnyArray, AnyArray] | None = None
    strata_are: str = "strata"
    against: float | None = None
    given: IntArray | None = None

    @cached_property
    def units(self) -> Units:
        """What is resampled and swapped: items, or clusters of them.

        Raises
        ------
        OptionError
            Two crossed clusterings: there is no way to draw both.
        """
        if self.two_way is not None:
            what = "items in two crossed clusterings are known to outscore compare and its two-way-t alone"
            raise OptionError(Problem("--cluster", what, "Name one clustering.", "two-way"))
        return Units(self.n_items, self.clusters, self.strata, self.unit, self.given)

    def reordered(self, order: IntArray, clusters: IntArray | None, given: IntArray) -> Design:
        """Return the design of the same items in another order, with other codes of their clusters.

        Parameters
        ----------
        order : ndarray of int, shape (n_items,)
            The place of each item so far.
        clusters : ndarray of int, shape (n_items,), optional
            Codes of the items in their new order.
        given : ndarray of int, shape (n_units,)
            The place, or the code, of each unit so far.
        """
        two_way = None
        if self.two_way is not None:
            one, other = (of[order] for of in self.two_way)
            two_way = one, other
        return replace(
            self,
            ids=None,
            clusters=clusters,
            strata=None if self.strata is None else self.strata[order],
            test_sets=None if self.test_sets is None else self.test_sets[order],
            two_way=two_way,
            given=given,
        )

    def on_items(self, index: IntArray) -> Design:
        """Return the design of some of the items, in that order."""
        codes = [
            None if of is None else np.unique(of[index], return_inverse=True) for of in (self.clusters, self.strata)
        ]
        clusters, strata = codes
        two_way = None
        if self.two_way is not None:
            one, other = (np.unique(of[index], return_inverse=True)[1] for of in self.two_way)
            two_way = one, other
        return Design(
            len(index),
            None if self.ids is None else tuple(self.ids[place] for place in index.tolist()),
            None if clusters is None else clusters[1],
            None if strata is None else strata[1],
            () if strata is None else tuple(self.stratum_names[code] for code in strata[0].tolist()),
            runs=self.runs,
            paired_runs=self.paired_runs,
            templates=self.templates,
            two_way=two_way,
            reducer=self.reducer,
            against=self.against,
        )

    @property
    def factors(self) -> tuple[str, ...]:
        """What items are crossed with, "run" or "template" or both: what is random, or else what is fixed.

        Of a fixed factor beside a random one nothing is left but averages.
        """
        declared = {"run": self.runs, "template": self.templates}
        for claim in (RunDesign.RANDOM, RunDesign.FIXED):
            names = tuple(name for name, of in declared.items() if of is claim)
            if names:
                return names if claim is RunDesign.RANDOM else names[:1]
        return ()

    @property
    def claims_other_runs(self) -> bool:
        """Whether something is claimed of other runs, or other templates, than these."""
        return RunDesign.RANDOM in (self.runs, self.templates)

    @property
    def parts(self) -> Mapping[str, str]:
        """What signatures say of the design, beside its units."""
        parts = {} if self.runs is None else {"runs": self.runs.value}
        if self.against is not None:
            parts["against"] = f"{self.against:.12g}"
        if self.templates is not None:
            parts["templates"] = self.templates.value
        if self.reducer is not None:
            parts["reduce"] = self.reducer
        if self.weights is not None:
            equal = len(set(self.weights)) == 1
            parts |= {"weights": "macro" if equal else "by-stratum", "draws": "n-1"}
        if self.two_way is not None:
            parts["clusters"] = "x".join(str(of.max() + 1) for of in self.two_way)
        return parts

    @classmethod
    def of_items(
        cls, items: Rows, clusters: Labels | None, strata: Labels | None, others: Labels | None = None
    ) -> tuple[Design, tuple[str, ...]]:
        """Return the design of some items, and what was done to their strata that a reader must know.

        Parameters
        ----------
        items : Rows
            Of any system.
        clusters, strata : Labels, optional
        others : Labels, optional
            Clusters as well, which cross the first ones.

        Raises
        ------
        OptionError
            Strata of items in two crossed clusterings.
        DataError
            Labels that do not fit the items; a stratum of one unit, unless such are to be merged.
        """
        clustered = None if clusters is None else label_codes(clusters, items)
        if others is not None and clustered is not None:
            if strata is not None:
                what = "items in two crossed clusterings have no strata"
                raise OptionError(Problem("--stratum", what, "Leave it out, or name one clustering.", "two-way"))
            return cls(len(items), items.item_ids, two_way=(clustered, label_codes(others, items))), ()
        design = cls(len(items), items.item_ids, clustered)
        if strata is None:
            return design, ()
        codes, names = sorted_codes(strata, items)
        unit = "item" if clustered is None else "cluster"
        units = codes if clustered is None else np.unique(np.column_stack([codes, clustered]), axis=0)[:, 0]
        sizes = np.bincount(units)
        if not strata.collapse:
            _check_stratum_sizes(sizes, unit, names)
            return replace(design, strata=codes, stratum_names=names), ()
        codes, names, notes = _collapsed(codes, sizes, names, unit)
        return replace(design, strata=codes, stratum_names=names), notes


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
            _check_stratum_sizes(np.bincount(self.strata), self.name, ())

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


def _check_stratum_sizes(sizes: IntArray, unit: str, names: Sequence[str]) -> None:
    """Refuse strata of one unit: nothing tells what the unit varies by."""
    single = np.flatnonzero(sizes == 1)
    if len(single) and len(sizes) > 1:
        called = [names[code] if names else str(code) for code in single.tolist()]
        what = f"stratum {quoted(called[0])} has one {unit}"
        if len(single) > 1:
            what = f"{len(single)} strata have one {unit} each: {listed(called)}"
        raise DataError(
            Problem(
                "--stratum",
                f"{what}: expected at least 2, as one does not tell what it varies by",
                "Pass --collapse-strata to merge such strata with others.",
                "one-unit-stratum",
            )
        )


def _collapsed(
    strata: AnyArray, sizes: IntArray, names: tuple[str, ...], unit: str
) -> tuple[AnyArray, tuple[str, ...], tuple[str, ...]]:
    """Return codes and names after strata of one unit were merged, and a note of it."""
    merged = merged_singles(sizes)
    single = np.flatnonzero(sizes == 1)
    if len(single) == 0 or len(sizes) == 1:
        return strata, names, ()
    joined = tuple(" + ".join(names[old] for old in np.flatnonzero(merged == new)) for new in range(merged.max() + 1))
    called = [names[code] for code in single]
    if len(single) > 1:
        note = f"{len(single)} strata of one {unit} each were merged into one: {listed(called)}."
    else:
        (other,) = (old for old in np.flatnonzero(merged == merged[single[0]]) if old != single[0])
        note = f"Stratum {quoted(called[0])} has one {unit} and was merged with {quoted(names[other])}, the smallest."
    return merged[strata], joined, (note,)
