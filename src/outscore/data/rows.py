"""Rows of sufficient statistics of one system, and labels of its items."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from outscore._types import FloatArray, IntArray
from outscore.data.cells import Cells
from outscore.errors import OptionError, Problem
from outscore.options import opt

Item = TypeVar("Item")


def place_in(name: str, lines: Sequence[int] | None, index: int) -> str:
    """Say where an item came from: ``scores.csv:17``, or ``baseline[16]`` where there are no lines."""
    return f"{name}[{index}]" if lines is None else f"{name}:{lines[index]}"


class RunDesign(StrEnum):
    """What is claimed of runs, templates, ...: something of these very ones, or of others like them as well.

    Samples are runs of which no two items share a draw: answers that are drawn item by item.
    """

    SAMPLES = "samples"
    FIXED = "fixed"
    RANDOM = "random"


class MissingTreatment(StrEnum):
    """What becomes of scores that a system lacks: each counts as 0, its item is left out, or means do without it."""

    ZERO = "zero"
    DROPPED = "dropped"
    AVERAGED = "averaged"


@dataclass(frozen=True)
class MissingCells:
    """How many of a system's scores, one an item and run, there are not.

    Attributes
    ----------
    count, cells : int
        How many are missing, of how many.
    treated : MissingTreatment
    """

    count: int
    cells: int
    treated: MissingTreatment


@dataclass(frozen=True, eq=False)
class Rows:
    """The sufficient statistics of one system, one row an item.

    Attributes
    ----------
    name : str
        What the user calls the system: a file name, a column, "baseline".
    values : ndarray, shape (n, k)
        One row an item; the metric says what the k columns hold. Of floats, but for metrics that are recomputed.
    item_ids : tuple of str, optional
        One id an item, in the order of the rows; None where items are known by position only.
    lines : sequence of int, optional
        The line (from 1) of the file that each row came from; None for rows that came from memory.
    source : str, optional
        The file that `lines` count in, where it is not the name.
    dropped : tuple of str
        The ids of items that were left out because they have no score (`drop_missing`).
    responses : sequence of mappings, optional
        For every item the rows of the responses that the system gave, by what they are; see `ResponseMetric`.
    path : str, optional
        The file, or column of one, of a system that goes by another name: what messages call it.
    remarks : tuple of str
        What users should know of how the system was scored; results hold it as warnings.
    cells : Cells, optional
        The rows of each run, template, ..., of which `values` are the mean.
    sampling_variance : ndarray, shape (n,), optional
        By how much each item's score would vary if its samples were drawn anew.
    missing : MissingCells, optional
        Of systems with runs or samples.
    """

    name: str
    values: FloatArray
    item_ids: tuple[str, ...] | None = None
    lines: Sequence[int] | None = None
    source: str | None = None
    dropped: tuple[str, ...] = ()
    responses: Sequence[Mapping[Hashable, Sequence[float]]] | None = None
    path: str | None = None
    remarks: tuple[str, ...] = ()
    cells: Cells | None = None
    sampling_variance: FloatArray | None = None
    missing: MissingCells | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def where(self) -> str:
        """What messages call the system: its file, or its name where it is none."""
        return self.path or self.name

    def place(self, index: int) -> str:
        """Say where row `index` came from: ``scores.csv:17``, or ``baseline[16]`` for arrays."""
        return place_in(self.source or self.name, self.lines, index)

    def take(self, index: IntArray) -> Rows:
        """Return the rows at `index`, in that order."""
        return replace(
            self,
            values=self.values.take(index, axis=0),  # three times as fast as an index
            item_ids=None if self.item_ids is None else tuple(self.item_ids[i] for i in index),
            lines=None if self.lines is None else [self.lines[i] for i in index],
            responses=None if self.responses is None else [self.responses[i] for i in index],
            cells=None if self.cells is None else self.cells.take(index),
            sampling_variance=None if self.sampling_variance is None else self.sampling_variance[index],
        )


@dataclass(frozen=True, eq=False)
class Labels:
    """One label an item: its cluster or its stratum.

    Attributes
    ----------
    name : str
        Where the labels came from.
    labels : tuple of str
        One label an item.
    item_ids : tuple of str, optional
        The items that the labels belong to; None where they are given by position.
    lines : sequence of int, optional
        The line (from 1) of the file that each label came from; None for labels that came from memory.
    collapse : bool
        Of strata: those of one unit are to be merged rather than refused.
    """

    name: str
    labels: tuple[str, ...]
    item_ids: tuple[str, ...] | None = None
    lines: Sequence[int] | None = None
    collapse: bool = False

    def with_ids_of(self, items: Rows) -> Labels:
        """Return labels by position with the ids of the items, so that they stay with them when some are left out."""
        if self.item_ids is not None or len(self.labels) != len(items):
            return self
        return replace(self, item_ids=items.item_ids)

    @staticmethod
    def collapsing(strata: Labels | None, collapse: bool) -> Labels | None:
        """Return strata of which those of one unit are to be merged, if `collapse`.

        Raises
        ------
        OptionError
            Where there are no strata to merge.
        """
        if not collapse:
            return strata
        if strata is None:
            what = "expected strata, of which those of one unit are merged, got none"
            raise OptionError(Problem(opt("collapse_strata"), what, f"Name them with {opt('strata')}.", "no-strata"))
        return replace(strata, collapse=True)
