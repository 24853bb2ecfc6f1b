"""Segments of text: one a line, or one a record of a table."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Self, TypeVar

from outscore.errors import DataError, Problem
from outscore.items import Corpus, Utterance
from outscore.naming import printable, quoted
from outscore.readers.base import Table, empty
from outscore.readers.cells import in_words
from outscore.readers.columns import column_called, id_column_of, ids_of, named_column
from outscore.readers.corpora.base import CorpusFormat
from outscore.readers.corpora.fields import table_in
from outscore.readers.jsonl import JsonLines
from outscore.readers.registry import format_named

__all__ = ["SegmentRecords", "Segments", "UtteranceRecords"]

AnyText = TypeVar("AnyText", bound=str)

FIELDS = (
    "output", "prediction", "hypothesis", "translation", "summary", "text", "response", "generated_text", "segment",
    "transcript", "transcription", "reference", "target",
)  # fmt: skip
_RECORD = re.compile(r'\s*\{\s*"')


class Segments(CorpusFormat[str]):
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
class _Records(CorpusFormat[AnyText]):
    """JSON Lines, CSV or TSV (by the file's name): one record an item, with its text in one of the fields.

    Parameters
    ----------
    field : str, optional
        The field that holds the text. By default the only field that is called like one (output, prediction,
        reference, ...), or in JSON Lines the only one beside the item's id.
    id_field : str, optional
        The field that holds the item's id. By default one that is called like it, such as "id".
    """

    name = "JSON Lines"
    extensions = (*JsonLines.extensions, ".csv", ".tsv", ".tab")

    field: str | None = None
    id_field: str | None = None

    def of_column(self, column: str) -> Self:
        return replace(self, field=column)

    def sniff(self, text: str) -> bool:
        return _RECORD.match(text) is not None

    def parse(self, text: str, source: str) -> Corpus[AnyText]:
        table = table_in(text, source, self.field) or JsonLines().parse(text.encode("utf-8", "surrogatepass"), source)
        id_field = id_column_of(table, self.id_field)
        field = self._field(table, id_field)
        problems = [
            Problem(
                table.place(index),
                f"field {quoted(field)}: expected text, got {in_words(cell)}",
                'Write "" for an empty segment.',
                "not-text",
            )
            for index, cell in enumerate(table.columns[field])
            if not isinstance(cell, str)
        ]
        if problems:
            raise DataError(*problems)
        segments = [self.item_type(cell) for cell in table.columns[field] if isinstance(cell, str)]
        ids = None if id_field in {None, field} else ids_of(table, str(id_field))
        return Corpus(source, segments, table.lines or (), ids)

    def _field(self, table: Table, id_field: str | None) -> str:
        if self.field is not None:
            return named_column(table, self.field)
        known = {column for name in FIELDS if (column := column_called(table, name)) is not None}
        choice = [name for name in table.columns if name in known and name != id_field]
        is_json = isinstance(format_named(table.source) or JsonLines(), JsonLines)
        sure = bool(choice) or is_json  # the only column of a CSV may be segments without a header
        choice = choice or [name for name in table.columns if name != id_field] or list(table.columns)
        if len(choice) == 1 and sure:
            return choice[0]
        shown = ", ".join(quoted(name) for name in choice[:3]) + (", ..." if len(choice) > 3 else "")
        raise DataError(
            Problem(
                printable(table.source),
                f"expected one field of text, got {len(choice)} ({shown})"
                if sure
                else f"expected a column of text that is called like one, such as {quoted(FIELDS[0])}, got {shown}",
                "Name it as FILE:FIELD.",
                "which-field",
            )
        )


class SegmentRecords(_Records[str]):
    r"""Segments in a field of JSON Lines, CSV or TSV.

    Examples
    --------
    >>> SegmentRecords(field="reference").parse('{"output": "a", "reference": "b"}', "a.jsonl").items
    ['b']
    """

    item_type = str


class UtteranceRecords(_Records[Utterance]):
    r"""Transcripts in a field of JSON Lines, CSV or TSV.

    Examples
    --------
    >>> UtteranceRecords().parse("id,transcript\nu1,he hoped\n", "a.csv").items
    ['he hoped']
    """

    item_type = Utterance
