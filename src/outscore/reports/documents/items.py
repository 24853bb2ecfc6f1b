"""The document of the items of a comparison, the largest losses first."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol

from outscore.reports.documents import Document, Notes, Paragraph, name
from outscore.reports.documents.layouts import Column, names, numbers, table
from outscore.results import ItemTable
from outscore.results.comparisons import MetricDescription
from outscore.results.items import lowest
from outscore.text.numbers import UNDEFINED, ScoreFormat, format_counted, score_format


class Compared(Protocol):
    """The part of a comparison that its items need."""

    @property
    def baseline(self) -> str: ...
    @property
    def candidate(self) -> str: ...
    @property
    def metric(self) -> MetricDescription: ...


def items_document(c: Compared, items: ItemTable, most: int) -> Document:
    """Return the largest losses, at most `most` items."""
    places = worst_first(items, most)
    rest = len(items) - len(places)
    notes = [f"{format_counted(rest, 'more item')}: see .to_html() and .to_dataframe()."] if rest else []
    sentence = Paragraph(items_sentence(c, items), leading=True)
    return Document("Items", (sentence, table(places, item_columns(c, items)), Notes(tuple(notes))))


def item_columns(c: Compared, items: ItemTable) -> list[Column[int]]:
    """Return the columns of tables of items, of the places of the items: names, and the known scores."""
    form = item_format(c, items)

    def scores(heading: str, values: Sequence[float] | None, write: Callable[[float], str]) -> Column[int]:
        column = values or ()
        return numbers(
            heading,
            lambda i: write(float(column[i])) if math.isfinite(column[i]) else UNDEFINED,
            value=lambda i: column[i],
            shown=values is not None,
        )

    columns = [
        names("item", lambda i: items.item_ids[i]),
        names("dataset", (items.test_sets or ()).__getitem__, fitted=False, shown=items.test_sets is not None),
        scores("baseline", items.baseline_scores, form.score),
        scores("candidate", items.candidate_scores, form.score),
        scores("difference", items.differences, form.gain),
    ]
    return [column for column in columns if column.shown]


def items_sentence(c: Compared, table: ItemTable) -> str:
    """Return the comparison of the items, and the numbers of wins, losses and ties."""
    about = f"{name(c.candidate)} against {name(c.baseline)}, {name(c.metric.title)}"
    if table.differences is None:
        return f"{about}: {format_counted(len(table), 'item')} without scores per item."
    signs = [sign_of(difference) for difference in table.differences]
    counted = (("win", 1), ("loss", -1), ("tie", 0))
    counts = ", ".join(format_counted(signs.count(sign), what) for what, sign in counted)
    return f"{about}: {counts} on {format_counted(len(signs), 'item')}."


def worst_first(table: ItemTable, most: int | None = None) -> list[int]:
    """Return the places of all items or at most `most`, the largest losses first, and of undefined differences as of 0.

    Ties and equal losses keep the order of the test set, and so do items without scores.
    """
    places = range(len(table))[:most]
    if table.differences is None:
        return list(places)
    return lowest([0.0 if math.isnan(difference) else difference for difference in table.differences], len(places))


def item_format(c: Compared, table: ItemTable) -> ScoreFormat:
    """Return the format of item scores, with decimals from the median of the differences."""
    scores = [s for system in (table.baseline_scores, table.candidate_scores) for s in system or () if math.isfinite(s)]
    changes = [abs(d) for d in table.differences or () if math.isfinite(d) and d != 0]
    return score_format(scores, [change / 2 for change in changes], percentage=c.metric.as_percentage)


def sign_of(difference: float) -> int:
    """Return 1 for a win, -1 for a loss, else 0."""
    return (difference > 0) - (difference < 0)
