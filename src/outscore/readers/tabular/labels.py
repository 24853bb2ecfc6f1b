"""Labels of items, such as clusters and strata: a column of the table of scores, of another table, or a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from outscore.data.rows import Labels
from outscore.errors import DataError, Problem
from outscore.readers.base import Table
from outscore.readers.files import is_readable, split_spec
from outscore.readers.registry import InputFiles, format_named, table_formats
from outscore.readers.tabular.cells import in_words, text_in
from outscore.readers.tabular.columns import column_called, id_column_of, ids_of, named_column, repeats
from outscore.readers.tabular.tables import Items, label_texts, table_named
from outscore.text.naming import printable, quoted


def read_labels(
    spec: str,
    baseline: str | None,
    id_column: str | None = None,
    *,
    item_ids: Sequence[str] | None = None,
    files: InputFiles | None = None,
) -> Labels:
    """Return one label an item: its cluster or its stratum.

    Parameters
    ----------
    spec : str
        The first of these that it is: a column of the baseline's own table; a file of one label a line, in the order
        of the baseline's items; ``FILE:COLUMN``, a column of another table, paired by item id where it has ids.
    baseline : str, optional
        How the baseline's scores were named to `read_system`; None where systems are no tables.
    id_column : str, optional
        The column of item ids of the baseline's table; in another table it need not be there.
    item_ids : sequence of str, optional
        The ids of the systems' items: a column of another table that holds them all holds its ids.
    files : InputFiles, optional
        The same as `read_system` was given.

    Raises
    ------
    FileAccessError, DataError, MissingDependencyError
        As in `read_system`; a `spec` that is neither column nor file; an item without a label, or with several.
    """
    files = files or InputFiles()
    if baseline is None:
        return labels_beside(spec, None, item_ids=item_ids, files=files)
    table = table_named(baseline, files)[0]
    id_name = id_column_of(table, id_column, labels=[spec], labelled=True)
    ids = None if id_name is None else ids_of(table, id_name)
    items = Items(id_name, None if ids is None or repeats(table, ids) else ids)
    return labels_beside(spec, table, items, item_ids=item_ids, files=files)


def labels_beside(
    spec: str,
    scores: Table | None,
    items: Items | None = None,
    *,
    item_ids: Sequence[str] | None = None,
    files: InputFiles,
) -> Labels:
    """Return the labels of the items of a table of scores, if there is one; see `read_labels`."""
    items = items or Items(None, None)
    own = None if scores is None else column_called(scores, spec)
    if scores is not None and own is not None:
        return replace(labels_by_item(scores, own, items.ids), name=printable(spec))
    path, column = split_spec(spec)
    if not is_readable(path):
        raise DataError(
            Problem(
                printable(spec) or '""',
                "expected a file, got none"
                if scores is None
                else f"expected a column of {printable(scores.source)} or a file, got neither",
                "Name a column of the baseline, a file of one label a line, or FILE:COLUMN.",
                "wrong-cluster",
            )
        )
    if column is None:
        # A label may hold commas and tabs: only the name can say that the file is a table.
        table = files.file(path).table(format_named(path) or table_formats()["plain"])
        label_name = _only_column(table)
    else:
        table = files.read(path)
        label_name = named_column(table, column)
    other_id = _column_holding(table, item_ids) or _id_column_like(table, items.id_column, label_name)
    if other_id is not None:
        return replace(labels_by_item(table, label_name, ids_of(table, other_id)), name=printable(spec))
    labels = label_texts(table, label_name)
    of_place = items.ids if scores is not None and len(labels) == len(scores) else None
    if of_place is not None and len(set(of_place)) == len(of_place):
        return Labels(printable(spec), labels, of_place, table.lines)  # items that are dropped later take theirs along
    return Labels(printable(spec), labels, None, table.lines)


def labels_by_item(table: Table, column: str, ids: Sequence[str] | None) -> Labels:
    """Return one label an item; an item that stands in several rows has the same in all of them."""
    column = named_column(table, column)
    labels = label_texts(table, column)
    if ids is None or len(set(ids)) == len(ids):
        return Labels(printable(column), labels, None if ids is None else tuple(ids), table.lines)
    known: dict[str, str] = {}
    problems = []
    for index, (item, label) in enumerate(zip(ids, labels, strict=True)):
        if known.setdefault(item, label) != label:
            what = f"item {quoted(item)} has {quoted(label)} here and {quoted(known[item])} before"
            problems.append(Problem(table.place(index), what, "Give an item one label.", "two-labels"))
    if problems:
        raise DataError(*problems)
    return Labels(printable(column), tuple(known.values()), tuple(known))


def _column_holding(table: Table, item_ids: Sequence[str] | None) -> str | None:
    """Return the column in which all these ids stand, if there is one."""
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
            "Name it as FILE:COLUMN.",
            "which-column",
        )
    )


def _id_column_like(table: Table, id_name: str | None, label_name: str) -> str | None:
    """Return the column of item ids of another table: the one called as in the table of scores goes first."""
    alike = None if id_name is None else column_called(table, id_name)
    column = alike or id_column_of(table, None, labels=[label_name], labelled=True)
    return None if column == label_name else column


def check_same_labels(column: str, table: Table, items: Items, other: Table | None, of_other: Items | None) -> None:
    """Refuse ids that are named as labels and differ between systems, whose rows are then paired without them.

    Raises
    ------
    DataError
    """
    own, theirs = (None if of is None else column_called(of, column) for of in (table, other))
    if own is None or theirs is None or other is None or of_other is None:
        return
    keys, their_keys = items.ids or range(len(table)), of_other.ids or range(len(other))
    places = dict(zip(keys, range(len(table)), strict=True))
    for index, (key, cell) in enumerate(zip(their_keys, other.columns[theirs], strict=True)):
        place = places.get(key)
        mine, their = (None if place is None else text_in(table.columns[own][place])), text_in(cell)
        if place is not None and mine != their:
            what = f"field {quoted(theirs)}: expected {in_words(mine)} as at {table.place(place)}"
            what += f", got {in_words(their)}"
            advice = "Rows are paired in their order: give both the same items in the same order, or ids of their own."
            raise DataError(Problem(other.place(index), what, advice, "different-labels"))
