"""What is said of the items of a comparison: those hurt most first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from outscore.reports.documents import Document, Notes, Paragraph, Table, name
from outscore.results import ItemTable
from outscore.results.comparisons import MetricDescription
from outscore.text.numbers import UNDEFINED, ScoreFormat, format_count, format_counted, score_format


class Compared(Protocol):
    """What is to be known of a comparison to show its items."""

    @property
    def baseline(self) -> str: ...
    @property
    def candidate(self) -> str: ...
    @property
    def metric(self) -> MetricDescription: ...


def items_document(c: Compared, table: ItemTable, most: int) -> Document:
    """Return the items hurt most, at most so many."""
    places = worst_first(table)[:most]
    columns: list[tuple[str, Sequence[str], bool]] = [("item", [name(table.item_ids[i]) for i in places], False)]
    if table.test_sets is not None:
        columns.append(("test set", [name(table.test_sets[i]) for i in places], False))
    columns += [(title, [cells[i] for i in places], True) for title, cells in written_scores(c, table)]
    rest = len(table) - len(places)
    notes = [f"{format_counted(rest, 'more item')}: see .to_html() and .to_dataframe()."] if rest else []
    sentence = Paragraph(items_sentence(c, table), leading=True)
    return Document("Items", (sentence, Table.of_columns(columns, fitted=(0,)), Notes(tuple(notes))))


def items_sentence(c: Compared, table: ItemTable) -> str:
    """Return of what comparison the items are, and how many are hurt and helped."""
    about = f"{name(c.candidate)} against {name(c.baseline)}, {name(c.metric.title)}"
    if table.differences is None:
        return f"{about}: {format_counted(len(table), 'item')}, without scores per item."
    signs = [sign_of(difference) for difference in table.differences]
    counted = (("hurt", -1), ("helped", 1), ("unchanged", 0))
    said = ", ".join(f"{format_count(signs.count(sign))} {what}" for what, sign in counted)
    return f"{about}: of {format_counted(len(signs), 'item')} {said}."


def worst_first(table: ItemTable) -> list[int]:
    """Return the places of all items, those hurt most first; of items without scores the order of the test set.

    Items that are hurt alike, and those that are not changed, keep the order of the test set.
    """
    differences = table.differences
    if differences is None:
        return list(range(len(table)))
    return sorted(range(len(table)), key=lambda i: (0.0 if math.isnan(differences[i]) else differences[i], i))


def written_scores(c: Compared, table: ItemTable) -> list[tuple[str, list[str]]]:
    """Return the columns of scores that are known, each under its heading, written to one precision."""
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
    """Return how scores of items are written: as finely as the median of the differences tells apart."""
    scores = [s for system in (table.baseline_scores, table.candidate_scores) for s in system or () if math.isfinite(s)]
    changes = [abs(d) for d in table.differences or () if math.isfinite(d) and d != 0]
    return score_format(scores, [change / 2 for change in changes], percentage=c.metric.as_percentage)


def sign_of(difference: float) -> int:
    """Return 1 where an item is helped, -1 where it is hurt, else 0."""
    return (difference > 0) - (difference < 0)
