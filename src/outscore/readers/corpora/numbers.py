"""Numbers to be predicted, and predictions of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

from outscore.errors import DataError, Problem
from outscore.items import Corpus
from outscore.naming import printable, quoted
from outscore.readers.base import Table, empty
from outscore.readers.cells import in_words, mostly_numbers, number_in
from outscore.readers.columns import id_column_of
from outscore.readers.corpora.base import CorpusFormat
from outscore.readers.corpora.fields import column_of, table_in

__all__ = ["Numbers"]


@dataclass(frozen=True)
class Numbers(CorpusFormat[float]):
    r"""One number a line; or CSV, TSV (by the file's name) or JSON Lines with a column of numbers, and perhaps of ids.

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
    extensions = (".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".jsonlines")

    def of_column(self, column: str) -> Self:
        return replace(self, column=column)

    def sniff(self, text: str) -> bool:
        return number_in(text.lstrip(" \t\n").partition("\n")[0]) is not None

    def parse(self, text: str, source: str) -> Corpus[float]:
        table = table_in(text, source, self.column) or _one_a_line(text, source)
        column, ids = column_of(table, (), "numbers", self.column or _column_in(table))
        values: list[float] = []
        problems: list[Problem] = []
        for index, cell in enumerate(table.columns[column]):
            value = number_in(cell)
            if value is None or not math.isfinite(value):
                problems.append(_not_finite(table, index, column))
            else:
                values.append(value)
        if problems:
            raise DataError(*problems)
        return Corpus(source, values, table.lines or (), ids)


def _one_a_line(text: str, source: str) -> Table:
    cells = [line.strip(" \t") for line in text.rstrip(" \t\n").split("\n")]
    if cells == [""]:
        raise empty(source, "an empty file")
    return Table(source, {"": cells}, range(1, len(cells) + 1), bare=True)


def _column_in(table: Table) -> str | None:
    """Return the only column of numbers, ids aside; None if bare.

    Names tell nothing here: outputs and references are both numbers, and often stand side by side in one file.
    """
    if table.bare:
        return None
    id_column = id_column_of(table, None)
    choice = [name for name, cells in table.columns.items() if name not in {"", id_column} and mostly_numbers(cells)]
    if len(choice) == 1:
        return choice[0]
    got = f"{len(choice)} ({', '.join(map(quoted, choice[:3]))}{', ...' if len(choice) > 3 else ''})" if choice else "0"
    what = f"expected one column of numbers, got {got}"
    raise DataError(Problem(printable(table.source), what, "Name it as FILE:COLUMN.", "which-column"))


def _not_finite(table: Table, index: int, column: str) -> Problem:
    cell = table.columns[column][index]
    is_blank = table.bare and cell == ""
    value = number_in(cell)
    return Problem(
        table.place(index),
        f"{'' if table.bare else f'field {quoted(column)}: '}expected a finite number, "
        f"got {'a blank line' if is_blank else in_words(cell)}",
        "Write one number a line." if table.bare else "Give every item a number.",
        "blank-line" if is_blank else "not-a-number" if value is None else "not-finite",
    )
