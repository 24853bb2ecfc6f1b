"""Tables of raw cells, corpora of items, and the interfaces of their formats."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, Self, TypeAlias, TypeVar

from outscore.data.rows import place_in
from outscore.errors import DataError, Problem
from outscore.text.naming import printable

if TYPE_CHECKING:
    from outscore.data.items import Corpus

MOST_COLUMNS = 10_000

# Text, a number, a bool or None. Nested JSON and other Python objects are possible, but are neither numbers nor names.
Cell: TypeAlias = object
Item = TypeVar("Item")


class ReadableFile(Protocol):
    """A file that an item format can read."""

    path: str

    @property
    def text(self) -> str:
        """Its content, decoded from UTF-8."""

    def table(self, written_as: TableFormat | None = None) -> Table:
        """Return its table, in the given or detected format."""


@dataclass(frozen=True)
class Conventions:
    """The columns that a format defines. Options of the user override them.

    Attributes
    ----------
    clusters : str, optional
        The column of clusters, such as documents.
    strata : str, optional
        The column of strata, such as domains. Their macro average is the score.
    levels : mapping of str to str
        The columns of the levels of crossed factors, by the factor's name. Scores of an item on several levels are
        averaged unless the factor is declared.
    task : str, optional
        The column of tasks, such as language pairs. A table of several tasks needs the name of one.
    notes : tuple of str
        Notes on what was left out of the file.
    """

    clusters: str | None = None
    strata: str | None = None
    levels: Mapping[str, str] = field(default_factory=dict)
    task: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Table:
    """The raw cells of a file or a data frame.

    Attributes
    ----------
    source : str
        The user's name for it: the file name as typed, ``-``, ``baseline``.
    columns : mapping of str to sequence
        The cells of each column, one per record; all of the same length.
    lines : sequence of int or None
        The line (from 1) on which each record starts; None for a table in memory.
    bare : bool
        Whether it is one column without a name: a file with one value per line and no header.
    index : str, optional
        The column with the numbers of an unnamed pandas index. It gives item ids if no other column does, and is
        never a system or a score.
    row_names : str, optional
        The column with any pandas index that identifies items. It gives item ids if nothing else does.
    conventions : Conventions, optional
        What the format knows of the columns.
    ratings : mapping of tuple of str to sequence of float
        The scores of each system and item whose mean is in the table.
    note : str
        A sentence on which part of the file the records are; empty if they are the whole file.
    """

    source: str
    columns: Mapping[str, Sequence[Cell]]
    lines: Sequence[int] | None
    bare: bool = False
    index: str | None = None
    row_names: str | None = None
    conventions: Conventions | None = None
    ratings: Mapping[tuple[str, str], Sequence[float]] = field(default_factory=dict)
    note: str = ""

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    @cached_property
    def alike(self) -> Mapping[str, Sequence[str]]:
        """Column names, ignoring case, spaces and hyphens."""
        names: dict[str, list[str]] = {}
        for name in self.columns:
            names.setdefault(normal_name(name), []).append(name)
        return names

    def place(self, index: int) -> str:
        """Return the place of record `index`: ``scores.csv:17``, or ``baseline[16]`` in memory."""
        return place_in(printable(self.source), self.lines, index)

    def take(self, index: Iterable[int]) -> Table:
        """Return some records, which keep their line numbers."""
        index = list(index)
        columns = {name: [cells[i] for i in index] for name, cells in self.columns.items()}
        lines = None if self.lines is None else [self.lines[i] for i in index]
        return Table(self.source, columns, lines, index=self.index)


def normal_name(name: str) -> str:
    """Return a column name in normal form, ignoring case, spaces and hyphens."""
    return name.strip().lower().replace("-", "_").replace(" ", "_")


class Format(ABC):
    """A file format: of a table, or of items of one type.

    Attributes
    ----------
    name : str
        Its usual name, such as "CoNLL-U".
    extensions : tuple of str
        Extensions of this format, in lower case with the dot; ``.gz`` is removed before.
    """

    name: ClassVar[str]
    extensions: ClassVar[tuple[str, ...]] = ()


class TableFormat(Format):
    """A file format of tables.

    Attributes
    ----------
    names_columns : bool
        Whether columns always have names. Otherwise a first line may be a header or an item.
    """

    names_columns: ClassVar[bool] = True

    def within(self, path: str) -> TableFormat | None:
        """Return this format with the dotted path of the records, or None if all of a file are its records."""
        del path
        return None

    @abstractmethod
    def sniff(self, first_line: bytes) -> bool:
        """Return whether a first line looks like this format, for data whose name has no known extension."""

    @abstractmethod
    def parse(self, data: bytes, source: str) -> Table:
        """Return the table in `data`.

        Parameters
        ----------
        data : bytes
            The whole file, decompressed.
        source : str
            Its name, for messages.

        Raises
        ------
        DataError
            Data in another format, or without records.
        """


class ItemFormat(Format, Generic[Item]):
    """A file format of outputs or references.

    Attributes
    ----------
    item_type : type
        Type of the items, which a metric names as its `output_type` or `reference_type`.
    """

    item_type: ClassVar[type]

    def of_column(self, column: str) -> Self | None:
        """Return this format with the column that the user named, or None if the format has no columns."""
        del column
        return None

    @abstractmethod
    def sniff(self, text: str) -> bool:
        """Return whether a text looks like this format, for files without a known extension."""

    @abstractmethod
    def parse(self, text: str, source: str) -> Corpus[Item]:
        """Return the items of `text`, which was decoded from UTF-8 and has line feeds as line ends.

        Raises
        ------
        DataError
            All problems in one error, with source and line.
        """

    def read(self, file: ReadableFile) -> Corpus[Item]:
        """Return the items of a file, by default `parse` of its text."""
        return self.parse(file.text, file.path)


def check_width(count: int, source: str) -> None:
    """Raise DataError if a table has too many columns."""
    if count > MOST_COLUMNS:
        what = f"expected at most {MOST_COLUMNS} columns, got {count if count < 10**9 else 'more'}"
        raise DataError(Problem(printable(source), what, "Write one item per line.", "too-many-fields"))


def empty(source: str, got: str, expected: str = "one line per item") -> DataError:
    """Return the error of a file without records."""
    return DataError(
        Problem(printable(source), f"expected {expected}, got {got}", "Check that this is the right file.", "empty")
    )
