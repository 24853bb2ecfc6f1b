"""A type of item that is one cell: read from CSV, TSV, JSON Lines, Parquet, or one a line; registered by one line."""

from __future__ import annotations

from dataclasses import dataclass

from outscore.readers.base import Cell
from outscore.readers.corpora.simple import Column
from outscore.readers.tabular.cells import number_in


class Stars(int):
    """A rating of one to five stars."""


@dataclass(frozen=True)
class StarColumn(Column[Stars]):
    """One rating a line, or one a record of a table.

    Parameters
    ----------
    column : str, optional
        The column of ratings, where its name does not tell.
    """

    column: str | None = None

    name = "stars"
    item_type = Stars
    names = ("stars", "rating")
    items = "ratings"
    expected = "1, 2, 3, 4 or 5"
    slug = "no-stars"

    def item(self, cell: Cell) -> Stars | None:
        return Stars(number) if (number := number_in(cell)) in {1, 2, 3, 4, 5} else None
