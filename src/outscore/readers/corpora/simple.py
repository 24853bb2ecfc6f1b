"""Items that are one table cell or one line each: segments, utterances, labels, numbers."""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, TypeVar

from outscore.data.items import Corpus, GoldLabel, Label, Utterance
from outscore.errors import DataError, Problem
from outscore.readers.base import Cell, ItemFormat, ReadableFile, Table, TableFormat, empty
from outscore.readers.files import lines_in
from outscore.readers.registry import format_named, format_of, table_formats
from outscore.readers.tabular.cells import in_words, is_empty, mostly_numbers, number_in, text_in
from outscore.readers.tabular.columns import column_called, id_column_of, ids_of, named_column
from outscore.text.naming import printable, quoted

Item = TypeVar("Item")


class Column(ItemFormat[Item]):
    """A table in JSON or JSON Lines, or in CSV, TSV or Parquet by its extension, with an optional column of ids."""

    # A subclass is a dataclass with an option for the column to read.
    extensions = (".json", ".jsonl", ".ndjson", ".jsonlines", ".csv", ".tsv", ".tab", ".parquet", ".pq")
    option: ClassVar[str] = "column"  # the name of that option
    names: ClassVar[Sequence[str]] = ()  # usual column names, most specific first; a single column may have any name
    items: ClassVar[str]  # what the column has, for messages: "labels"
    expected: ClassVar[str]  # "a label"
    advice: ClassVar[str] = "Every item needs one."
    slug: ClassVar[str]

    @abstractmethod
    def item(self, cell: Cell) -> Item | None:
        """Return the item in a cell, or None if it is not one."""

    def bare_table(self, text: str, source: str) -> Table:
        """Return the table of a text that is neither a table by extension nor JSON; by default one item per line."""
        return one_a_line(lines_in(text.encode("utf-8", "surrogatepass"), source), source)

    def sniff(self, text: str) -> bool:
        return bool(text.strip())

    def of_column(self, column: str) -> Self:
        named: dict[str, Any] = {self.option: column}
        return replace(self, **named)  # type: ignore[type-var]

    def parse(self, text: str, source: str) -> Corpus[Item]:
        layout = self._written_as(source, text)
        if layout is None:
            return self.of_table(self.bare_table(text, source))
        return self.of_table(layout.parse(text.encode("utf-8", "surrogatepass"), source))

    def read(self, file: ReadableFile) -> Corpus[Item]:
        layout = format_named(file.path) or self._written_as(file.path, file.text)
        return self.of_table(self.bare_table(file.text, file.path) if layout is None else file.table(layout))

    def _written_as(self, source: str, text: str) -> TableFormat | None:
        """Return the table format of a file, or None if it has one item per line.

        Items may contain commas and tabs. So a file is CSV or TSV only by its extension, or if the user named a column.
        """
        if text.lstrip().startswith("{"):
            return format_named(source) or table_formats()["JSON Lines"]
        named = getattr(self, self.option) is not None
        return format_of(source, text.encode("utf-8", "surrogatepass")) if named else format_named(source)

    def of_table(self, table: Table) -> Corpus[Item]:
        """Return the items of a table.

        Raise DataError for a column that is missing or ambiguous, a header that looks like an item, an item without an
        id, or cells that are not items.
        """
        named = getattr(self, self.option)
        id_column = self.id_column(table)
        column = self.usual_column(table, id_column) if named is None else named_column(table, named)
        ids = None if id_column in {None, column} else ids_of(table, str(id_column))
        items = [self.item(cell) for cell in table.columns[column]]
        problems = [self.problem(table, index, column) for index, item in enumerate(items) if item is None]
        if problems:
            raise DataError(*problems)
        values = [item for item in items if item is not None]
        usual = {column_called(table, name) for name in self.names} - {None, id_column}
        beside = () if table.bare else (table, column, named is None and len(usual) > 1)
        return Corpus(table.source, values, table.lines or (), ids, *beside)

    def id_column(self, table: Table) -> str | None:
        """Return the column of item ids, if there is one."""
        return id_column_of(table, None)

    def usual_column(self, table: Table, id_column: str | None) -> str:
        """Return the default column of items: one with a usual name, or the only one besides the ids."""
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
                    f"Call it {quoted(self.names[0])}, or choose one as FILE:COLUMN.",
                    "which-column",
                )
            )
        if others[0] in table.columns[others[0]]:
            raise DataError(
                Problem(
                    f"{printable(table.source)}:1",
                    f"expected column names, got what looks like an item ({quoted(others[0])})",
                    f"Write the column names on the first line, such as {quoted(self.names[0])}.",
                    "no-header",
                )
            )
        return others[0]

    def problem(self, table: Table, index: int, column: str) -> Problem:
        """Return the problem of a cell that is not an item."""
        field = "" if table.bare else f"field {quoted(column)}: "
        what = f"{field}expected {self.expected}, got {in_words(table.columns[column][index])}"
        return Problem(table.place(index), what, self.advice, self.slug)


def one_a_line(lines: Sequence[str], source: str) -> Table:
    """Return lines as a table of one column without a name."""
    return Table(source, {"": lines}, range(1, len(lines) + 1), bare=True)


AnyText = TypeVar("AnyText", bound=str)

_FIELDS = (
    "output", "prediction", "hypothesis", "translation", "summary", "text", "response", "generated_text", "segment",
    "transcript", "transcription", "reference", "target",
)  # fmt: skip
_RECORD = re.compile(r'\s*\{\s*"')

# Each side's own names come first, because files of classifiers often have both columns.
_EITHER = ("label", "labels", "class", "category", "y")
_PREDICTED = ("prediction", "predictions", "predicted", "pred", "predicted_label", "prediction_label", "pred_label",
    "y_pred", "y_hat", "output", "system", "answer", *_EITHER)  # fmt: skip
_GOLD = ("gold", "gold_label", "reference", "ref", "target", "truth", "ground_truth", "true_label", "y_true",
    "expected", "actual", "answer", *_EITHER)  # fmt: skip


class Segments(ItemFormat[str]):
    """One segment per line. An empty line is an empty segment. The format of all files that have no other."""

    name = "plain text"
    item_type = str
    extensions = (".txt",)

    def sniff(self, text: str) -> bool:
        del text
        return True

    def parse(self, text: str, source: str) -> Corpus[str]:
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()  # text after the last line feed is not a line
        if not lines:
            raise empty(source, "an empty file")
        return Corpus(source, lines, range(1, len(lines) + 1))


@dataclass(frozen=True)
class _Records(Column[AnyText]):
    """One record per item, with its text in one of the fields.

    Parameters
    ----------
    field : str, optional
        The field with the text. By default the only field with a usual name (output, prediction, reference, ...), or
        in JSON Lines and Parquet the only one besides the item's id.
    id_field : str, optional
        The field with the item's id. By default one with a usual name, such as "id".
    """

    name = "JSON Lines"
    option = "field"
    expected = "text"
    advice = 'Write "" for an empty segment.'
    slug = "not-text"

    field: str | None = None
    id_field: str | None = None

    def sniff(self, text: str) -> bool:
        return _RECORD.match(text) is not None

    def item(self, cell: Cell) -> AnyText | None:
        return self.item_type(cell) if isinstance(cell, str) else None

    def bare_table(self, text: str, source: str) -> Table:
        return table_formats()["JSON Lines"].parse(text.encode("utf-8", "surrogatepass"), source)

    def id_column(self, table: Table) -> str | None:
        return id_column_of(table, self.id_field)

    def usual_column(self, table: Table, id_column: str | None) -> str:
        known = {column for name in _FIELDS if (column := column_called(table, name)) is not None}
        choice = [name for name in table.columns if name in known and name != id_column]
        written_as = format_named(table.source)
        # A single column of CSV may be segments without a header.
        sure = bool(choice) or written_as is None or written_as.names_columns
        choice = choice or [name for name in table.columns if name != id_column] or list(table.columns)
        if len(choice) == 1 and sure:
            return choice[0]
        shown = ", ".join(quoted(name) for name in choice[:3]) + (", ..." if len(choice) > 3 else "")
        raise DataError(
            Problem(
                printable(table.source),
                f"expected one field of text, got {len(choice)} ({shown})"
                if sure
                else f"expected a column of text with a usual name, such as {quoted(_FIELDS[0])}, got {shown}",
                "Choose one as FILE:FIELD.",
                "which-field",
            )
        )


class SegmentRecords(_Records[str]):
    r"""Segments in a field of a table.

    Examples
    --------
    >>> SegmentRecords(field="reference").parse('{"output": "a", "reference": "b"}', "a.jsonl").items
    ['b']
    """

    item_type = str


class UtteranceRecords(_Records[Utterance]):
    r"""Transcripts in a field of a table.

    Examples
    --------
    >>> UtteranceRecords().parse("id,transcript\nu1,he hoped\n", "a.csv").items
    ['he hoped']
    """

    item_type = Utterance


@dataclass(frozen=True)
class _Labels(Column[AnyText]):
    """One label per line, or one per record of a table.

    Parameters
    ----------
    column : str, optional
        The column of labels; found by its name by default.
    """

    column: str | None = None

    items = "labels"
    expected = "a label"
    slug = "missing-label"

    def item(self, cell: Cell) -> AnyText | None:
        text = text_in(cell)
        return None if text is None else self.item_type(text)


@dataclass(frozen=True)
class PredictedLabels(_Labels[Label]):
    r"""The labels of a system. Null, an empty cell and a blank line mean no answer: the label "", never correct.

    Examples
    --------
    >>> PredictedLabels().parse("id,gold,pred\nq1,yes,no\nq2,no,", "a.csv").items
    ['no', '']
    """

    name = "labels"
    item_type = Label
    names = _PREDICTED

    def item(self, cell: Cell) -> Label | None:
        return super().item(cell) or (Label() if is_empty(cell) else None)


@dataclass(frozen=True)
class GoldLabels(_Labels[GoldLabel]):
    r"""The correct labels.

    Examples
    --------
    >>> GoldLabels().parse("id,gold,pred\nq1,yes,no\nq2,no,no", "a.csv").items
    ['yes', 'no']
    """

    name = "gold labels"
    item_type = GoldLabel
    names = _GOLD

    def bare_table(self, text: str, source: str) -> Table:
        return table_formats()["plain"].parse(text.encode("utf-8", "surrogatepass"), source)


@dataclass(frozen=True)
class Numbers(Column[float]):
    r"""One number per line, or one per record of a table.

    Parameters
    ----------
    column : str, optional
        The column of numbers; by default the only column of numbers.

    Examples
    --------
    >>> Numbers().parse("0.5\n-3\n", "scores.txt").items
    [0.5, -3.0]
    >>> Numbers("human").parse("id,human,bleu\na,3,10.5\nb,4,11\n", "scores.csv").items
    [3.0, 4.0]
    """

    column: str | None = None

    name = "numbers"
    item_type = float
    expected = "a finite number"

    def sniff(self, text: str) -> bool:
        return number_in(text.lstrip(" \t\n").partition("\n")[0]) is not None

    def item(self, cell: Cell) -> float | None:
        value = number_in(cell)
        return None if value is None or not math.isfinite(value) else value

    def bare_table(self, text: str, source: str) -> Table:
        cells = [line.strip(" \t") for line in text.rstrip(" \t\n").split("\n")]
        if cells == [""]:
            raise empty(source, "an empty file")
        return one_a_line(cells, source)

    def usual_column(self, table: Table, id_column: str | None) -> str:
        """Return the only column of numbers besides ids.

        Names do not help, because outputs and references are both numbers and often in one file.
        """
        if table.bare:
            return next(iter(table.columns))
        others = {name: cells for name, cells in table.columns.items() if name not in {"", id_column}}
        choice = [name for name, cells in others.items() if mostly_numbers(cells)]
        if len(choice) == 1:
            return choice[0]
        got = (
            f"{len(choice)} ({', '.join(map(quoted, choice[:3]))}{', ...' if len(choice) > 3 else ''})"
            if choice
            else "0"
        )
        what = f"expected one column of numbers, got {got}"
        raise DataError(Problem(printable(table.source), what, "Choose one as FILE:COLUMN.", "which-column"))

    def problem(self, table: Table, index: int, column: str) -> Problem:
        cell = table.columns[column][index]
        is_blank = table.bare and cell == ""
        return Problem(
            table.place(index),
            f"{'' if table.bare else f'field {quoted(column)}: '}expected {self.expected}, "
            f"got {'a blank line' if is_blank else in_words(cell)}",
            "Write one number per line." if table.bare else "Every item needs a number.",
            "blank-line" if is_blank else "not-a-number" if number_in(cell) is None else "not-finite",
        )
