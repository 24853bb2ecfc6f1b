"""Tables as CSV, for spreadsheets and programs."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO

from outscore.naming import printable

__all__ = ["records_to_csv", "rows_to_csv"]


def rows_to_csv(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write rows with a header; floats have all their digits, and None is empty.

    A text that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(headings)
    for row in rows:
        writer.writerow([_cell(value) for value in row])
    return out.getvalue()


def records_to_csv(records: Sequence[Mapping[str, object]]) -> str:
    """Write records that have the same names, one row each, as `rows_to_csv`."""
    return rows_to_csv(list(records[0]), [list(record.values()) for record in records]) if records else ""


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case str():
            value = printable(value)
            return f"'{value}" if value[:1] in {"=", "+", "-", "@", "\t", "\r"} else value
        case _:
            return repr(value)
