"""Verdicts of a judge in both orders: tables in which each item has a row per order of the two answers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from outscore.design.options import crossed_options
from outscore.errors import OutscoreError
from outscore.options import opt
from outscore.readers.base import Table, normal_name
from outscore.readers.reading import Reading
from outscore.readers.tabular.cells import text_in
from outscore.readers.tabular.columns import ORDERS, column_called, id_column_of, is_id
from outscore.text.naming import Note, printable

if TYPE_CHECKING:
    from outscore.readers.registry import InputFiles
    from outscore.readers.sources import Source


def in_both_orders(
    sources: Sequence[Source], reading: Reading, files: InputFiles
) -> tuple[Sequence[Source], Reading, list[str]]:
    """Return systems of one table, with the verdicts on an item as a unit if it has one in each order, and notes.

    The sources are columns of the same file, or one object. The table then has a column of orders with two values, most
    items have a row of each, and no option explains the rows. `Systems.paired` refuses or leaves out items that lack an
    order.
    """
    first, nothing = sources[0], (sources, reading, list[str]())
    if crossed_options(reading) or reading.test_sets is not None:
        return nothing
    table, ordered = table_of(first, files, ORDERS), None
    with suppress(OutscoreError):  # that reading the system raises as well
        ordered = None if table is None else _with_orders(table, reading)
    if ordered is None:
        return nothing
    return [with_table(first, ordered[0], files), *sources[1:]], *ordered[1:]


def with_table(source: Source, table: Table, files: InputFiles) -> Source:
    """Return a source that is read as this table instead of its own."""
    if source.path is None:
        return replace(source, data=table)
    files.file(source.path).holds(table)
    return source


def table_of(source: Source, files: InputFiles, usual: Collection[str]) -> Table | None:
    """Return the table of a system; None for a data frame without a usual column, and for what its reader refuses."""
    with suppress(OutscoreError):  # that reading the system raises as well
        if source.path is not None:
            return None if source.parts or source.is_kept else files.file(source.path).table()
        data: Any = source.data
        names = getattr(data, "column_names", None) or getattr(data, "columns", ())  # PyArrow has both
        if isinstance(names, Iterable) and any(normal_name(str(name)) in usual for name in names):
            from outscore.readers.in_memory import table_from  # not needed by the command line

            return table_from(data, source.name or "system")
    return None


def _with_orders(table: Table, reading: Reading) -> tuple[Table, Reading, list[str]] | None:
    """Return a table with an id per verdict, how to read it, and a note; None for other tables."""
    order = None if table.bare else next(filter(None, (column_called(table, name) for name in ORDERS)), None)
    clusters = column_called(table, reading.clusters) if isinstance(reading.clusters, str) else None
    if order is None or reading.strata == order or (reading.clusters is not None and clusters is None):
        return None
    named = clusters or reading.id_column
    usual = [id_column_of(table, named, beside=[order]), *(() if named else filter(is_id, table.columns))]
    item = next((key for key in usual if key not in {None, order, table.index} and _are_both(table, key, order)), None)
    if item is None:
        return None
    if clusters is not None:
        return table, replace(reading, orders=order), []
    called = f"{item}, {order}"
    verdicts = zip(table.columns[item], table.columns[order], strict=True)
    ids = [f"{text_in(key)}: {text_in(value)}" for key, value in verdicts]
    ordered = replace(table, columns={**table.columns, called: ids})
    note = Note(f"The two orders of each {item} are one unit ({opt('clusters', printable(item))}).")
    return ordered, replace(reading, orders=order, clusters=item, id_column=called), [note]


def _are_both(table: Table, item: str, order: str) -> bool:
    """Return whether most items have one row in each of two orders, and no row repeats."""
    columns = ([*map(text_in, table.columns[name])] for name in (item, order))
    verdicts = [*zip(*columns, strict=True)]
    items, orders = ({*values} for values in zip(*verdicts, strict=True))
    return len(orders) == 2 and None not in orders | items and len({*verdicts}) >= max(len(verdicts), 1.5 * len(items))
