"""JSON Lines: one JSON object a line, one line an item."""

from __future__ import annotations

import json

from outscore.errors import DataError, Problem
from outscore.naming import printable
from outscore.readers.base import Cell, Table, TableFormat, empty
from outscore.readers.cells import in_words
from outscore.readers.files import lines_in

__all__ = ["JsonLines"]

MOST_FIELDS = 10_000


class JsonLines(TableFormat):
    """One JSON object a line. A field that a line lacks is null there; blank lines are passed over.

    The standard library reads them, not msgspec: it takes the NaN that Python itself writes, which the metric then
    refuses by name, and costs nothing to import.
    """

    name = "JSON Lines"
    extensions = (".jsonl", ".ndjson", ".jsonlines")

    def sniff(self, first_line: bytes) -> bool:
        # A list is no record either, but the message should be about JSON.
        return first_line.lstrip().startswith((b"{", b"["))

    def parse(self, data: bytes, source: str) -> Table:
        records: list[dict[str, Cell]] = []
        lines: list[int] = []
        problems: list[Problem] = []
        decode = json.JSONDecoder(object_pairs_hook=_object).decode
        for number, line in enumerate(lines_in(data, source), start=1):
            if not line.strip():
                continue
            try:
                record = decode(line)
            except (ValueError, RecursionError) as error:
                problems.append(_problem(source, number, _why_not_json(error), "not-json"))
                continue
            if not isinstance(record, dict):
                problems.append(_problem(source, number, f"got {in_words(record)}", "not-an-object"))
                continue
            if isinstance(record, _Repeating):
                problems.append(_problem(source, number, "got one in which a field stands twice", "duplicate-field"))
            records.append(record)
            lines.append(number)
        if problems:
            raise DataError(*problems)
        names = dict.fromkeys(name for record in records for name in record)
        if not names:
            raise empty(source, "objects without fields")
        if len(names) > MOST_FIELDS:
            raise DataError(
                Problem(
                    printable(source),
                    f"expected the same fields on every line, got {len(names)} different ones",
                    'Write one item a line, such as {"id": "q1", "score": 0.5}.',
                    "too-many-fields",
                )
            )
        return Table(source, {name: [record.get(name) for record in records] for name in names}, lines)


class _Repeating(dict[str, Cell]):
    """An object in which a field stands twice: neither value is the right one."""


def _object(pairs: list[tuple[str, Cell]]) -> dict[str, Cell]:
    record = dict(pairs)
    return record if len(record) == len(pairs) else _Repeating(record)


def _problem(source: str, line: int, got: str, slug: str) -> Problem:
    return Problem(
        f"{printable(source)}:{line}",
        f"expected one JSON object, {got}",
        'Write one item a line, such as {"id": "q1", "score": 0.5}.',
        slug,
    )


def _why_not_json(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"got text that is not JSON ({printable(error.msg)} at character {error.colno})"
    return "got JSON that is nested too deeply or holds too long a number"
