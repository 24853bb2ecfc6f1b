"""Items that are one cell each, in a column of a table of any format."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from outscore.errors import DataError, Problem
from outscore.items import Corpus
from outscore.naming import printable, quoted
from outscore.readers.base import Cell, ItemFormat, Table, TableFormat
from outscore.readers.cells import in_words
from outscore.readers.columns import column_called, id_column_of, ids_of, named_column
from outscore.readers.files import lines_in
from outscore.readers.registry import format_named, format_of, table_formats

if TYPE_CHECKING:
    from outscore.readers.registry import File

__all__ = ["Column", "one_a_line"]

Item = TypeVar("Item")


class Column(ItemFormat[Item]):
    """Tables are CSV, TSV or Parquet, by the file's name, or JSON Lines, perhaps with a column of ids."""

    # A subclass is a dataclass with the option `column` that says what a cell is.
    extensions = (".jsonl", ".ndjson", ".jsonlines", ".csv", ".tsv", ".tab", ".parquet", ".pq")
    option: ClassVar[str] = "column"  # by which users name the column
    names: ClassVar[Sequence[str]] = ()  # what it is usually called, the surest first; one alone may be called anything
    items: ClassVar[str]  # what it holds, for messages: "labels"
    expected: ClassVar[str]  # "a label"
    advice: ClassVar[str] = "Give every item one."
    slug: ClassVar[str]

    @abstractmethod
    def item(self, cell: Cell) -> Item | None:
        """Return what a cell holds, or None where that is nothing of the kind."""

    def bare_table(self, text: str, source: str) -> Table:
        """Return the table of a text that is none by name and does not look like JSON: by default a line an item."""
        return one_a_line(lines_in(text.encode("utf-8", "surrogatepass"), source), source)

    def sniff(self, text: str) -> bool:
        return bool(text.strip())

    def of_column(self, column: str) -> Self:
        named: dict[str, Any] = {self.option: column}
        return replace(self, **named)  # type: ignore[type-var]

    def parse(self, text: str, source: str) -> Corpus[Item]:
        known = self._written_as(source, text)
        if known is None:
            return self.of_table(self.bare_table(text, source))
        return self.of_table(known.parse(text.encode("utf-8", "surrogatepass"), source))

    def read(self, file: File) -> Corpus[Item]:
        known = format_named(file.path) or self._written_as(file.path, file.text)
        return self.of_table(self.bare_table(file.text, file.path) if known is None else file.table(known))

    def _written_as(self, source: str, text: str) -> TableFormat | None:
        """Return the format of the table that a file holds, or None where it holds one item a line.

        Items may hold commas and tabs, so that only the name can say that a file is CSV or TSV, or the user who names
        a column of it.
        """
        if text.lstrip().startswith("{"):
            return format_named(source) or table_formats()["JSON Lines"]
        named = getattr(self, self.option) is not None
        return format_of(source, text.encode("utf-8", "surrogatepass")) if named else format_named(source)

    def of_table(self, table: Table) -> Corpus[Item]:
        """Return the items of a table.

        Raises
        ------
        DataError
            No such column, no single one, a header that looks like an item, or an item without an id; cells that are
            no such items.
        """
        named = getattr(self, self.option)
        id_column = self.id_column(table)
        column = self.usual_column(table, id_column) if named is None else named_column(table, named)
        ids = None if id_column in {None, column} else ids_of(table, str(id_column))
        items = [self.item(cell) for cell in table.columns[column]]
        problems = [self.problem(table, index, column) for index, item in enumerate(items) if item is None]
        if problems:
            raise DataError(*problems)
        return Corpus(table.source, [item for item in items if item is not None], table.lines or (), ids)

    def id_column(self, table: Table) -> str | None:
        """Return the column of item ids, if there is one."""
        return id_column_of(table, None)

    def usual_column(self, table: Table, id_column: str | None) -> str:
        """Return the column of items where users name none: one called like it, or the only one beside the ids."""
        if table.bare:
            return next(iter(table.columns))
        for name in self.names:
            column = column_called(table, name)
            if column is not None and column != id_column:
                return column
        others = [column for column in table.columns if column not in {"", id_column}]
        if len(others) != 1:
            shown = ", ".join(quoted(column) for column in others[:3]) + (", ..." if len(others) > 3 else "")
            raise DataError(
                Problem(
                    printable(table.source),
                    f"expected one column of {self.items}, got {len(others)}{f' ({shown})' if others else ''}",
                    f"Call it {quoted(self.names[0])}, or name one as FILE:COLUMN.",
                    "which-column",
                )
            )
        if others[0] in table.columns[others[0]]:
            raise DataError(
                Problem(
                    f"{printable(table.source)}:1",
                    f"expected a header of column names, got what looks like an item ({quoted(others[0])})",
                    f"Write the columns' names on the first line, such as {quoted(self.names[0])}.",
                    "no-header",
                )
            )
        return others[0]

    def problem(self, table: Table, index: int, column: str) -> Problem:
        """Say what is wrong with a cell that is no such item."""
        field = "" if table.bare else f"field {quoted(column)}: "
        what = f"{field}expected {self.expected}, got {in_words(table.columns[column][index])}"
        return Problem(table.place(index), what, self.advice, self.slug)


def one_a_line(lines: Sequence[str], source: str) -> Table:
    """Return lines as a table of one nameless column."""
    return Table(source, {"": lines}, range(1, len(lines) + 1), bare=True)
