"""The document of the items of a comparison, the largest losses first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from outscore.reports.documents import Document, Notes, Paragraph, Table, name
from outscore.results import ItemTable
from outscore.results.comparisons import MetricDescription
from outscore.text.numbers import UNDEFINED, ScoreFormat, format_counted, score_format


class Compared(Protocol):
    """The part of a comparison that its items need."""

    @property
    def baseline(self) -> str: ...
    @property
    def candidate(self) -> str: ...
    @property
    def metric(self) -> MetricDescription: ...


def items_document(c: Compared, table: ItemTable, most: int) -> Document:
    """Return the largest losses, at most `most` items."""
    places = worst_first(table)[:most]
    columns: list[tuple[str, Sequence[str], bool]] = [("item", [name(table.item_ids[i]) for i in places], False)]
    if table.test_sets is not None:
        columns.append(("dataset", [name(table.test_sets[i]) for i in places], False))
    columns += [(title, [cells[i] for i in places], True) for title, cells in written_scores(c, table)]
    rest = len(table) - len(places)
    notes = [f"{format_counted(rest, 'more item')}: see .to_html() and .to_dataframe()."] if rest else []
    sentence = Paragraph(items_sentence(c, table), leading=True)
    return Document("Items", (sentence, Table.of_columns(columns, fitted=(0,)), Notes(tuple(notes))))


def items_sentence(c: Compared, table: ItemTable) -> str:
    """Return the comparison of the items, and the numbers of wins, losses and ties."""
    about = f"{name(c.candidate)} against {name(c.baseline)}, {name(c.metric.title)}"
    if table.differences is None:
        return f"{about}: {format_counted(len(table), 'item')} without scores per item."
    signs = [sign_of(difference) for difference in table.differences]
    counted = (("win", 1), ("loss", -1), ("tie", 0))
    said = ", ".join(format_counted(signs.count(sign), what) for what, sign in counted)
    return f"{about}: {said} on {format_counted(len(signs), 'item')}."


def worst_first(table: ItemTable) -> list[int]:
    """Return the places of all items, the largest losses first. Ties and equal losses keep the order of the test set.

    Without scores all items keep that order.
    """
    differences = table.differences
    if differences is None:
        return list(range(len(table)))
    return sorted(range(len(table)), key=lambda i: (0.0 if math.isnan(differences[i]) else differences[i], i))


def written_scores(c: Compared, table: ItemTable) -> list[tuple[str, list[str]]]:
    """Return the known columns of scores as text, each with its heading, all with the same decimals."""
    scores = item_format(c, table)
    return [
        (title, [write(float(score)) if math.isfinite(score) else UNDEFINED for score in column])
        for title, column, write in (
            ("baseline", table.baseline_scores, scores.score),
            ("candidate", table.candidate_scores, scores.score),
            ("difference", table.differences, scores.gain),
        )
        if column is not None
    ]


def item_format(c: Compared, table: ItemTable) -> ScoreFormat:
    """Return the format of item scores, with decimals from the median of the differences."""
    scores = [s for system in (table.baseline_scores, table.candidate_scores) for s in system or () if math.isfinite(s)]
    changes = [abs(d) for d in table.differences or () if math.isfinite(d) and d != 0]
    return score_format(scores, [change / 2 for change in changes], percentage=c.metric.as_percentage)


def sign_of(difference: float) -> int:
    """Return 1 for a win, -1 for a loss, else 0."""
    return (difference > 0) - (difference < 0)
