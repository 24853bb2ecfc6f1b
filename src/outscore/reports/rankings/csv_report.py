"""Rankings as CSV, for spreadsheets: one row a system, or one row a pair."""

from __future__ import annotations

import csv
from io import StringIO

from outscore.results import Ranking, ranking_table

__all__ = ["ranking_to_csv"]


def ranking_to_csv(ranking: Ranking, *, pairs: bool = False) -> str:
    """Write the systems of a ranking, or all its pairs, as CSV with a header; floats have all their digits.

    A name that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    columns = ranking_table(ranking, pairs=pairs)
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in zip(*columns.values(), strict=True):
        writer.writerow([_cell(value) for value in row])
    return out.getvalue()


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case str():
            return f"'{value}" if value[:1] in {"=", "+", "-", "@", "\t", "\r"} else value
        case _:
            return repr(value)
