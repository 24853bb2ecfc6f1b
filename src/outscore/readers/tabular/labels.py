"""Labels of items, such as clusters and strata, from a column of the scores, another table, or a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from outscore.data.rows import Labels
from outscore.errors import DataError, Problem
from outscore.readers.base import Table
from outscore.readers.files import is_readable, split_spec
from outscore.readers.registry import InputFiles, format_named, table_formats
from outscore.readers.tabular.cells import in_words, text_in
from outscore.readers.tabular.columns import column_called, id_column_of, ids_of, named_column
from outscore.readers.tabular.tables import Items, label_texts
from outscore.text.naming import printable, quoted


def labels_beside(
    spec: str,
    scores: Table | None,
    items: Items | None = None,
    *,
    item_ids: Sequence[str] | None = None,
    files: InputFiles,
) -> Labels:
    """Return one label per item: its cluster or stratum.

    Parameters
    ----------
    spec : str
        A column of the table of scores; else a file of one label per line, in the order of its items; else
        ``FILE:COLUMN``, a column of another table, paired by item id if it has ids.
    scores : Table, optional
        The table of scores; None if systems are not tables.
    items : Items, optional
        The items of that table.
    item_ids : sequence of str, optional
        Item ids of the systems. A column of another table that contains all of them is its id column.
    files : InputFiles
        The files that were already read.

    Raises
    ------
    FileAccessError, DataError, MissingDependencyError
        A `spec` that is neither a column nor a file; an item with no label or several.
    """
    items = items or Items(None, None)
    column_called_so = None if scores is None else column_called(scores, spec)
    if scores is not None and column_called_so is not None:
        return replace(labels_by_item(scores, column_called_so, items.ids), name=printable(spec))
    path, column = split_spec(spec)
    if not is_readable(path):
        raise DataError(
            Problem(
                printable(spec) or '""',
                "no such file" if scores is None else f"neither a column of {printable(scores.source)} nor a file",
                "Use a column of the baseline, a file with one label per line, or FILE:COLUMN.",
                "wrong-cluster",
            )
        )
    if column is None:
        # A label may contain commas and tabs, so only the extension shows that the file is a table.
        table = files.file(path).table(format_named(path) or table_formats()["plain"])
        label_name = _only_column(table)
    else:
        table = files.file(path).table()
        label_name = named_column(table, column)
    other_id = _column_holding(table, item_ids) or _id_column_like(table, items.id_column, label_name)
    if other_id is not None:
        return replace(labels_by_item(table, label_name, ids_of(table, other_id)), name=printable(spec))
    labels = label_texts(table, label_name)
    of_place = items.ids if scores is not None and len(labels) == len(scores) else None
    if of_place is not None and len(set(of_place)) == len(of_place):
        return Labels(printable(spec), labels, of_place, table.lines)  # dropping an item later also drops its label
    return Labels(printable(spec), labels, None, table.lines)


def labels_by_item(table: Table, column: str, ids: Sequence[str] | None) -> Labels:
    """Return one label per item. All rows of an item must have the same label."""
    column = named_column(table, column)
    labels = label_texts(table, column)
    if ids is None or len(set(ids)) == len(ids):
        return Labels(printable(column), labels, None if ids is None else tuple(ids), table.lines)
    known: dict[str, str] = {}
    problems = []
    for index, (item, label) in enumerate(zip(ids, labels, strict=True)):
        if known.setdefault(item, label) != label:
            what = f"item {quoted(item)} has the label {quoted(label)} here and {quoted(known[item])} before"
            problems.append(
                Problem(
                    table.place(index),
                    what,
                    "Give each item one label, or ids that are unique in the whole file.",
                    "two-labels",
                )
            )
    if problems:
        raise DataError(*problems)
    return Labels(printable(column), tuple(known.values()), tuple(known))


def check_labels(table: Table, column: str, ids: Sequence[str]) -> None:
    """Raise DataError if the rows of an item have no label or different ones, as where ids repeat in other clusters."""
    labels_by_item(table, column, ids)


def _column_holding(table: Table, item_ids: Sequence[str] | None) -> str | None:
    """Return a column that contains all these ids, or None."""
    wanted = set(item_ids or ())
    if not wanted or table.bare:
        return None
    return next((name for name, cells in table.columns.items() if wanted <= {text_in(cell) for cell in cells}), None)


def _only_column(table: Table) -> str:
    columns = list(table.columns)
    id_name = id_column_of(table, None) if len(columns) > 1 else None
    others = [column for column in columns if column != id_name]
    if len(others) == 1:
        return others[0]
    shown = ", ".join(quoted(column) for column in others[:3])
    raise DataError(
        Problem(
            printable(table.source),
            f"expected one column of labels, got {len(others)} ({shown}{', ...' if len(others) > 3 else ''})",
            "Choose one as FILE:COLUMN.",
            "which-column",
        )
    )


def _id_column_like(table: Table, id_name: str | None, label_name: str) -> str | None:
    """Return the id column of another table, preferably the one with the same name as in the table of scores."""
    alike = None if id_name is None else column_called(table, id_name)
    column = alike or id_column_of(table, None, labels=[label_name], labelled=True)
    return None if column == label_name else column


def check_same_labels(column: str, table: Table, items: Items, other: Table | None, of_other: Items | None) -> None:
    """Raise DataError if an item has another label in the table of another system."""
    own_column, their_column = (None if scores is None else column_called(scores, column) for scores in (table, other))
    if own_column is None or their_column is None or other is None or of_other is None:
        return
    keys, their_keys = items.ids or range(len(table)), of_other.ids or range(len(other))
    places = dict(zip(keys, range(len(table)), strict=True))
    for index, (key, cell) in enumerate(zip(their_keys, other.columns[their_column], strict=True)):
        place = places.get(key)
        mine, their = (None if place is None else text_in(table.columns[own_column][place])), text_in(cell)
        if place is not None and mine != their:
            what = f"field {quoted(their_column)}: expected {in_words(mine)}, as at {table.place(place)}"
            what += f", got {in_words(their)}"
            advice = "Rows are paired in order. Put the same items in the same order, or add a column of item ids."
            if items.ids is not None:
                advice = "Correct the labels, or keep them in one of the files."
            raise DataError(Problem(other.place(index), what, advice, "different-labels"))
