"""Rankings as CSV, for spreadsheets: one row a system, or one row a pair."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.reports.csv_tables import rows_to_csv
from outscore.results import Ranking, ranking_table

__all__ = ["ranking_to_csv", "rankings_to_csv"]


def ranking_to_csv(ranking: Ranking, *, pairs: bool = False) -> str:
    """Write the systems of a ranking, or all its pairs, as CSV with a header; floats have all their digits.

    A name that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    return rankings_to_csv([ranking], pairs=pairs)


def rankings_to_csv(rankings: Sequence[Ranking], *, pairs: bool = False) -> str:
    """Write rankings on several metrics as one table; its column `metric` tells them apart."""
    tables = [ranking_table(ranking, pairs=pairs) for ranking in rankings]
    rows = (row for columns in tables for row in zip(*columns.values(), strict=True))
    return rows_to_csv(list(tables[0]), rows)
