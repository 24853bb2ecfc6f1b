"""Items that are one cell, or one line, each: segments, utterances, labels, numbers."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TypeVar

from outscore.errors import DataError, Problem
from outscore.items import Corpus, GoldLabel, Label, Utterance
from outscore.naming import printable, quoted
from outscore.readers.base import Cell, ItemFormat, Table, empty
from outscore.readers.cells import in_words, is_empty, mostly_numbers, number_in, text_in
from outscore.readers.columns import column_called, id_column_of
from outscore.readers.corpora.column import Column, one_a_line
from outscore.readers.registry import format_named, table_formats

__all__ = ["GoldLabels", "Numbers", "PredictedLabels", "SegmentRecords", "Segments", "UtteranceRecords"]

AnyText = TypeVar("AnyText", bound=str)

_FIELDS = (
    "output", "prediction", "hypothesis", "translation", "summary", "text", "response", "generated_text", "segment",
    "transcript", "transcription", "reference", "target",
)  # fmt: skip
_RECORD = re.compile(r'\s*\{\s*"')

# Either side's own names come first: a file may hold both, as many classifiers write them.
_EITHER = ("label", "labels", "class", "category", "y")
_PREDICTED = ("prediction", "predictions", "predicted", "pred", "predicted_label", "prediction_label", "pred_label",
    "y_pred", "y_hat", "output", "system", "answer", *_EITHER)  # fmt: skip
_GOLD = ("gold", "gold_label", "reference", "ref", "target", "truth", "ground_truth", "true_label", "y_true",
    "expected", "actual", "answer", *_EITHER)  # fmt: skip


class Segments(ItemFormat[str]):
    """One segment a line. An empty line is an empty segment, wherever it stands; whatever is nothing else is this."""

    name = "plain text"
    item_type = str
    extensions = (".txt",)

    def sniff(self, text: str) -> bool:
        del text
        return True

    def parse(self, text: str, source: str) -> Corpus[str]:
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()  # what follows the last line feed is no line
        if not lines:
            raise empty(source, "an empty file")
        return Corpus(source, lines, range(1, len(lines) + 1))


@dataclass(frozen=True)
class _Records(Column[AnyText]):
    """One record an item, its text in one of the fields.

    Parameters
    ----------
    field : str, optional
        The field that holds the text. By default the only field that is called like one (output, prediction,
        reference, ...), or in JSON Lines and Parquet the only one beside the item's id.
    id_field : str, optional
        The field that holds the item's id. By default one that is called like it, such as "id".
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
        # The only column of a CSV may be segments without a header.
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
                else f"expected a column of text that is called like one, such as {quoted(_FIELDS[0])}, got {shown}",
                "Name it as FILE:FIELD.",
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
    """One label a line, or one a record of a table.

    Parameters
    ----------
    column : str, optional
        The column of labels, where its name does not tell.
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
    r"""The labels that a system gave. Null, an empty cell and a blank line are no answer: the label "", never right.

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
    r"""The labels that are right.

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
    r"""One number a line, or one a record of a table.

    Parameters
    ----------
    column : str, optional
        The column of numbers, by default the only one of numbers.

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
        """Return the only column of numbers, ids aside.

        Names tell nothing here: outputs and references are both numbers, and often stand side by side in one file.
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
        raise DataError(Problem(printable(table.source), what, "Name it as FILE:COLUMN.", "which-column"))

    def problem(self, table: Table, index: int, column: str) -> Problem:
        cell = table.columns[column][index]
        is_blank = table.bare and cell == ""
        return Problem(
            table.place(index),
            f"{'' if table.bare else f'field {quoted(column)}: '}expected {self.expected}, "
            f"got {'a blank line' if is_blank else in_words(cell)}",
            "Write one number a line." if table.bare else "Give every item a number.",
            "blank-line" if is_blank else "not-a-number" if number_in(cell) is None else "not-finite",
        )
