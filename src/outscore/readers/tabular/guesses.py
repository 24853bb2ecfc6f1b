"""What tables say about columns that the user did not name: the ids that several tables share, and other scores."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from outscore._types import FloatArray
from outscore.errors import DataError, Problem
from outscore.metrics import ColumnMetric
from outscore.options import opt
from outscore.readers.base import Table, normal_name
from outscore.readers.tabular.cells import mostly_numbers, number_in, numbers_in, text_in
from outscore.readers.tabular.columns import (
    SURE_SCORES,
    USUAL_SCORES,
    column_called,
    columns_of_scores,
    counts_rows,
    describes_items,
    is_id,
    named_column,
)
from outscore.readers.tabular.tables import Items
from outscore.text.naming import in_a_row, listed, printable, quoted

if TYPE_CHECKING:
    from outscore.data.items import Corpus  # types of outputs, which scores do not need

Item = TypeVar("Item")

_GLANCE = 256  # cells that show whether a column is text
_LOG_RARE = math.log(200)  # of orders of scores: ids are in one of two of them with a probability of 1%


class Part(NamedTuple):
    """A table of a system or of several, its items, and the columns that have another role, such as scores."""

    table: Table
    items: Items
    taken: set[str]


def notes_on_score(table: Table, metric: ColumnMetric, column: str, id_column: str | None) -> list[str]:
    """Return a note on the column of scores, if others have numbers and its name does not decide."""
    if normal_name(column) in {normal_name(name) for name in (*metric.columns, metric.name, *SURE_SCORES)}:
        return []
    numeric, verbal = columns_of_scores(table, id_column)
    others = [name for name in (*numeric, *verbal) if name != column and not describes_items(name)]
    if not others:
        return []
    return [f"Scores are the column {quoted(column)}, not {listed(others)} (choose with {opt('score_column')})."]


def shared_ids(parts: Sequence[Part]) -> tuple[str | None, list[str]]:
    """Return the column that pairs the items of several tables although its name is not that of ids, and a note.

    The column has different values in the rows of a table, and the same values in another order in other tables. It is
    no rank of scores. It is None if ids are known, or rows are in the same order.

    Raises
    ------
    DataError
        Columns imply different pairings.
    """
    first, named = parts[0].table, [part.items.id_column for part in parts]
    if not all(name is None or _counts(part.table, name) for part, name in zip(parts, named, strict=True)):
        return None, []
    taken = {normal_name(name) for part in parts for name in part.taken}
    in_place = (tuple(range(len(first))),) * (len(parts) - 1)
    found: dict[tuple[tuple[int, ...], ...], list[str]] = {}
    has_ranks = False
    for name in first.columns:
        columns = [column_called(part.table, name) for part in parts]
        if normal_name(name) not in taken and None not in columns:
            order = _orders([part.table.columns[str(column)] for part, column in zip(parts, columns, strict=True)])
            if order is None or all(_counts(part.table, name) for part in parts):
                continue
            if _ranks(parts, name):
                has_ranks |= order != in_place
            else:
                found.setdefault(order, []).append(name)
    sure = next((name for name in named if name is not None and is_id(name) and name != first.index), None)
    if sure is not None:  # a text in another order contradicts ids that number the rows, other numbers do not
        found = {order: names for order, names in found.items() if any(_is_text(first.columns[one]) for one in names)}
        if found:
            found.setdefault(in_place, [sure])
    if len(found) > 1:
        columns_shown = in_a_row([quoted(names[0]) for names in found.values()])
        what = f"columns {columns_shown} pair the rows with those of {printable(parts[1].table.source)} differently"
        advice = f"Name the column of ids with {opt('id_column')}."
        raise DataError(Problem(printable(first.source), what, advice, "which-ids"))
    for order, names in found.items():
        name = next((one for one in names if _is_text(first.columns[one])), names[0])
        note = f"Rows are paired by the column {quoted(name)}, whose values are the same in another order."
        return (None, []) if order == in_place else (name, [note])
    free = [[cells for name, cells in part.table.columns.items() if name not in part.taken] for part in parts]
    if sure is None and (has_ranks or sum(any(map(_is_text, columns)) for columns in free) > 1):
        return None, [f"Rows are paired by their place, because no column has ids ({opt('id_column')})."]
    return None, []


def paired_by_values(outputs: Corpus[Item], references: Corpus[Any]) -> tuple[Corpus[Item], list[str]]:
    """Return outputs in a table in the order of the references' table if a column shows it, and notes.

    Raises
    ------
    DataError
        Columns imply different pairings.
    """
    tables = [(of, of.table) for of in (references, outputs) if isinstance(of.table, Table)]
    if len(tables) < 2 or references.name == outputs.name or None not in (outputs.item_ids, references.item_ids):
        return outputs, []
    name, notes = shared_ids([Part(table, Items(None, None), {str(of.column)}) for of, table in tables])
    if name is None:
        return outputs, notes
    first, second = (named_column(table, name) for _, table in tables)
    order = _orders([tables[0][1].columns[first], tables[1][1].columns[second]])
    assert order is not None  # `shared_ids` found it
    lines = [outputs.lines[place] for place in order[0]]
    return replace(outputs, items=[outputs.items[place] for place in order[0]], lines=lines), notes


def _orders(columns: Sequence[Sequence[object]]) -> tuple[tuple[int, ...], ...] | None:
    """Return the places of the first column's values in the others; None if values repeat or differ."""
    first = _places(columns[0])
    others = [None if first is None else _places(cells, first) for cells in columns[1:]]
    if first is None or None in others:
        return None
    return tuple(tuple(of[text] for text in first) for of in others if of is not None)


def _places(cells: Sequence[object], known: Mapping[str, int] | None = None) -> dict[str, int] | None:
    """Return the place of each value of a column; None if one repeats, is missing, or is not `known`."""
    places: dict[str, int] = {}
    if known is not None and len(known) != len(cells):
        return None
    for place, cell in enumerate(cells):
        text = text_in(cell)
        if text is None or text in places or (known is not None and text not in known):
            return None
        places[text] = place
    return places


def _counts(table: Table, name: str) -> bool:
    """Return whether a column only numbers the rows, so that it shows nothing but their place."""
    cells = table.columns[str(column_called(table, name))]
    if len(cells) == 0 or number_in(cells[0]) not in (0.0, 1.0):
        return False
    numbers, lacking = numbers_in(cells)
    return not lacking and counts_rows(numbers)


def _ranks(parts: Sequence[Part], name: str) -> bool:
    """Return whether a column of numbers follows the order of scores in all tables, up or down, as a rank does."""
    rarest = 0.0
    for table, _, taken in parts:
        ranks, lacking = numbers_in(table.columns[str(column_called(table, name))])
        order = np.argsort(ranks)
        scores = (numbers_in(cells)[0][order] for of, cells in table.columns.items() if _is_score(of, taken))
        known = [of[~np.isnan(of)] for of in scores]
        ranked = [of for of in known if len(of) and ((np.diff(of) >= 0).all() or (np.diff(of) <= 0).all())]
        if lacking or not ranked:
            return False
        rarest = max(rarest, *map(_log_orders, ranked))
    return rarest > _LOG_RARE


def _is_score(name: str, taken: Collection[str]) -> bool:
    return name in taken or normal_name(name) in USUAL_SCORES


def _log_orders(scores: FloatArray) -> float:
    """Return the logarithm of the number of orders that scores may have."""
    return math.lgamma(len(scores) + 1) - sum(math.lgamma(int(n) + 1) for n in np.unique(scores, return_counts=True)[1])


def _is_text(cells: Sequence[object]) -> bool:
    """Return whether a column has text."""
    return isinstance(next(iter(cells), None), str) and not mostly_numbers(cells[:_GLANCE])
