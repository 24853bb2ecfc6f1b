"""What readers make of a file, a table of raw cells or a corpus of items; and what a format of either is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, Self, TypeAlias, TypeVar

from outscore.errors import DataError, Problem
from outscore.text.naming import printable

if TYPE_CHECKING:
    from outscore.data.items import Corpus

MOST_COLUMNS = 10_000

# Text, a number, a bool or None; nested JSON and odd Python objects too, which are then neither number nor name.
Cell: TypeAlias = object
Item = TypeVar("Item")


class ReadableFile(Protocol):
    """A file that a format of items reads."""

    path: str

    @property
    def text(self) -> str:
        """What it holds as text, which is UTF-8."""

    def table(self, written_as: TableFormat | None = None) -> Table:
        """Return the table in it, in a format."""


@dataclass(frozen=True)
class Conventions:
    """What a format knows of the columns of its tables. It holds for what users do not name.

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
        What was left out of the file.
    """

    clusters: str | None = None
    strata: str | None = None
    levels: Mapping[str, str] = field(default_factory=dict)
    task: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Table:
    """The cells of a file or a data frame, as they stand there.

    Attributes
    ----------
    source : str
        What the user calls it: the file name as typed, ``-``, ``baseline``.
    columns : mapping of str to sequence
        Every column's cells, one a record; all of one length.
    lines : sequence of int or None
        The line (from 1) on which each record starts; None for a table that came from memory.
    bare : bool
        Whether this is one nameless column: a file of one value a line without a header.
    conventions : Conventions, optional
        What its format knows of its columns.
    """

    source: str
    columns: Mapping[str, Sequence[Cell]]
    lines: Sequence[int] | None
    bare: bool = False
    conventions: Conventions | None = None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    @cached_property
    def alike(self) -> Mapping[str, Sequence[str]]:
        """The columns by their names, letter case, spaces and hyphens aside."""
        names: dict[str, list[str]] = {}
        for name in self.columns:
            names.setdefault(normal_name(name), []).append(name)
        return names

    def place(self, index: int) -> str:
        """Say where record `index` stands: ``scores.csv:17``, or ``baseline[16]`` in memory."""
        source = printable(self.source)
        return f"{source}[{index}]" if self.lines is None else f"{source}:{self.lines[index]}"

    def take(self, index: Iterable[int]) -> Table:
        """Return some records, whose lines are still those of the file."""
        index = list(index)
        columns = {name: [cells[i] for i in index] for name, cells in self.columns.items()}
        return Table(self.source, columns, None if self.lines is None else [self.lines[i] for i in index])


def normal_name(name: str) -> str:
    """Return the name of a column as people may write it, too."""
    return name.strip().lower().replace("-", "_").replace(" ", "_")


class Format(ABC):
    """A way to write what a file holds: a table, or items of one type.

    Attributes
    ----------
    name : str
        As people call it: "CoNLL-U".
    extensions : tuple of str
        Those that mean this format, in lower case, with their dot; ``.gz`` after them is not of concern here.
    """

    name: ClassVar[str]
    extensions: ClassVar[tuple[str, ...]] = ()


class TableFormat(Format):
    """A way to write tables in files.

    Attributes
    ----------
    names_columns : bool
        Whether columns always have names: where a first line may be a header or an item, none of its cells is sure.
    """

    names_columns: ClassVar[bool] = True

    @abstractmethod
    def sniff(self, first_line: bytes) -> bool:
        """Tell from the first line whether data whose name says nothing are of this format."""

    @abstractmethod
    def parse(self, data: bytes, source: str) -> Table:
        """Return the table that `data` hold.

        Parameters
        ----------
        data : bytes
            The whole file, decompressed.
        source : str
            Its name, for messages.

        Raises
        ------
        DataError
            Data that are not of this format, or hold no record.
        """


class ItemFormat(Format, Generic[Item]):
    """A way to write outputs or references in files.

    Attributes
    ----------
    item_type : type
        Of the items: what a metric names as its `output_type` or `reference_type`.
    """

    item_type: ClassVar[type]

    def of_column(self, column: str) -> Self | None:
        """Return this format, reading the column that the user named; None where the format has no columns."""
        del column
        return None

    @abstractmethod
    def sniff(self, text: str) -> bool:
        """Tell whether a text whose name says nothing looks like this format."""

    @abstractmethod
    def parse(self, text: str, source: str) -> Corpus[Item]:
        """Return the items that `text` holds, which was decoded from UTF-8 and whose lines end in a line feed alone.

        Raises
        ------
        DataError
            With source and line, all problems in one error.
        """

    def read(self, file: ReadableFile) -> Corpus[Item]:
        """Return the items of a file; as `parse`, of its text."""
        return self.parse(file.text, file.path)


def check_width(count: int, source: str) -> None:
    """Refuse a table of more columns than anybody has.

    Raises
    ------
    DataError
    """
    if count > MOST_COLUMNS:
        what = f"expected at most {MOST_COLUMNS} columns, got {count if count < 10**9 else 'more'}"
        raise DataError(Problem(printable(source), what, "Write one item a line.", "too-many-fields"))


def empty(source: str, got: str) -> DataError:
    """Return the error of a file in which there is no record."""
    return DataError(
        Problem(
            printable(source), f"expected one line an item, got {got}", "Check that this is the right file.", "empty"
        )
    )
