"""Rows of sufficient statistics of one system, and labels of its items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from typing import Any, TypeAlias, TypeVar

from outscore._types import FloatArray, IntArray
from outscore.data.cells import Cells
from outscore.errors import WithFormerNames
from outscore.options import opt

Item = TypeVar("Item")

Answer: TypeAlias = tuple[Any, Any]  # the output and the reference of an item


def place_in(name: str, lines: Sequence[int] | None, index: int) -> str:
    """Return the place of an item: ``scores.csv:17``, or ``baseline[16]`` without lines."""
    return f"{name}[{index}]" if lines is None else f"{name}:{lines[index]}"


class RunDesign(StrEnum):
    """The scope of conclusions about runs, templates and other factors: these levels (fixed) or new ones (random).

    Samples are runs drawn independently for each item.
    """

    SAMPLES = "samples"
    FIXED = "fixed"
    RANDOM = "random"


class Missing(Enum):
    """What happens if a system lacks an item or a score that others have: see `design.missing`."""

    ERROR = "error"
    DROP = "drop"
    ZERO = "zero"

    def __init__(self, value: str) -> None:
        # Of `outscore.read`. Errors are the default, which no argument chooses.
        self.argument = "" if value == "error" else f"{value}_missing"

    @property
    def option(self) -> str:
        """The option that chooses it, as users write it."""
        return opt(self.argument, True)


class MissingTreatment(StrEnum):
    """How to treat missing scores: as 0, by dropping their items, or by leaving them out of means."""

    ZERO = "zero"
    DROPPED = "dropped"
    AVERAGED = "averaged"


@dataclass(frozen=True)
class MissingCells:
    """The number of missing scores of a system, with one score per item and run.

    Attributes
    ----------
    count, cells : int
        Number of missing scores, and number of all.
    """

    count: int
    cells: int
    treated: MissingTreatment


@dataclass(frozen=True, eq=False)
class Reformatted:
    """The rows of a system whose outputs and references are without differences in case, punctuation or Unicode form.

    Attributes
    ----------
    values : ndarray, shape (n, k)
        One row per item.
    options : mapping of str to str or None
        The kinds of formatting that account for errors of the system, and the option of the metric that ignores each,
        if there is one.
    """

    values: FloatArray
    options: Mapping[str, str | None]


@dataclass(frozen=True, eq=False)
class Rows(WithFormerNames):
    """The sufficient statistics of one system, one row per item.

    Attributes
    ----------
    name : str
        The user's name for the system: a file name, a column, "baseline".
    values : ndarray, shape (n, k)
        One row per item; the metric defines the k columns. Floats, except for metrics that are recomputed.
    item_ids : tuple of str, optional
        One id per item, in the order of rows; None if items are identified by position.
    lines : sequence of int, optional
        Line (from 1) of the file for each row; None for rows in memory.
    source : str, optional
        The file of `lines`, if it differs from the name.
    dropped : tuple of str
        Ids of items that were left out because their score is missing.
    scored : sequence of Answer, optional
        For each item the output and the reference that its row was computed from. Only for a `ResponseMetric`.
    path : str, optional
        File or column of a system with another name, for messages.
    remarks : tuple of str
        Remarks on how the system was scored. Results report them as warnings.
    cells : Cells, optional
        The rows of each run, template, ..., with `values` as their mean.
    sampling_variance : ndarray, shape (n,), optional
        Variance of each item's score over new samples.
    missing : MissingCells, optional
        For systems with runs or samples.
    reformatted : Reformatted, optional
        For systems of texts whose case, punctuation or Unicode form differs from that of the references.
    notes : tuple of str
        Notes on how the scores were read.
    """

    name: str
    values: FloatArray
    item_ids: tuple[str, ...] | None = None
    lines: Sequence[int] | None = None
    source: str | None = None
    dropped: tuple[str, ...] = ()
    scored: Sequence[Answer] | None = None
    path: str | None = None
    remarks: tuple[str, ...] = ()
    cells: Cells | None = None
    sampling_variance: FloatArray | None = None
    missing: MissingCells | None = None
    reformatted: Reformatted | None = None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.values)

    @property
    def where(self) -> str:
        """The system in messages: its file, or its name if it has none."""
        return self.path or self.name

    def place(self, index: int) -> str:
        """Return the place of row `index`: ``scores.csv:17``, or ``baseline[16]`` for arrays."""
        return place_in(self.source or self.name, self.lines, index)

    def take(self, index: IntArray) -> Rows:
        """Return the rows at `index`, in that order."""
        other = self.reformatted
        return replace(
            self,
            values=self.values.take(index, axis=0),  # three times as fast as indexing
            reformatted=None if other is None else replace(other, values=other.values.take(index, axis=0)),
            item_ids=None if self.item_ids is None else tuple(self.item_ids[i] for i in index),
            lines=None if self.lines is None else [self.lines[i] for i in index],
            scored=None if self.scored is None else [self.scored[i] for i in index],
            cells=None if self.cells is None else self.cells.take(index),
            sampling_variance=None if self.sampling_variance is None else self.sampling_variance[index],
        )


def is_none(labels: object) -> bool:
    """Return whether a user wrote none for labels: items have no clusters or strata, whatever their files declare."""
    return isinstance(labels, str) and labels.strip().lower() == "none"


@dataclass(frozen=True, eq=False)
class Labels:
    """One label per item: its cluster or its stratum.

    Attributes
    ----------
    name : str
        Source of the labels.
    labels : tuple of str
        One label per item.
    item_ids : tuple of str, optional
        Items of the labels; None if labels are in the order of the items.
    lines : sequence of int, optional
        Line (from 1) of the file for each label; None for labels in memory.
    collapse : bool
        For strata: whether to merge those of one unit instead of raising.
    """

    name: str
    labels: tuple[str, ...]
    item_ids: tuple[str, ...] | None = None
    lines: Sequence[int] | None = None
    collapse: bool = False

    def with_ids_of(self, items: Rows) -> Labels:
        """Return labels with the ids of the items, so that they stay aligned if items are left out."""
        if self.item_ids is not None or len(self.labels) != len(items):
            return self
        return replace(self, item_ids=items.item_ids)
