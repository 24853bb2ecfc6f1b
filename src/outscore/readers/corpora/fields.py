"""Tables that hold outputs or references in one column, and perhaps item ids in another."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.errors import DataError, Problem
from outscore.naming import printable, quoted
from outscore.readers.base import Table
from outscore.readers.columns import column_called, id_column_of, ids_of, named_column
from outscore.readers.jsonl import JsonLines
from outscore.readers.registry import format_named, format_of

__all__ = ["column_of", "table_in"]


def table_in(text: str, source: str, column: str | None = None) -> Table | None:
    """Return the table that a file holds, or None where it holds one item a line.

    Labels and answers may hold commas and tabs, so that only the name can say that a file is CSV or TSV, or the user
    who names a column of it.
    """
    data = text.encode("utf-8", "surrogatepass")
    known = format_named(source)
    if known is None and text.lstrip().startswith("{"):
        known = JsonLines()
    if known is None and column is not None:
        known = format_of(source, data)
    return None if known is None else known.parse(data, source)


def column_of(
    table: Table, names: Sequence[str], expected: str, given: str | None
) -> tuple[str, tuple[str, ...] | None]:
    """Return the column that holds the items, and the item ids where there are any.

    Parameters
    ----------
    table : Table
    names : sequence of str
        What such a column is usually called, the surest name first; one that is the only one may be called anything.
    expected : str
        What the column holds, for messages.
    given : str or None
        The column that the user named.

    Raises
    ------
    DataError
        No such column, no single one, a header that looks like an item, or an item without an id.
    """
    chosen = None if given is None else named_column(table, given)
    id_column = id_column_of(table, None)
    ids = None if id_column in {None, chosen} else ids_of(table, str(id_column))
    if chosen is not None:
        return chosen, ids
    if table.bare:
        return next(iter(table.columns)), ids
    for name in names:
        column = column_called(table, name)
        if column is not None and column != id_column:
            return column, ids
    others = [column for column in table.columns if column not in {"", id_column}]
    if len(others) != 1:
        shown = ", ".join(quoted(column) for column in others[:3]) + (", ..." if len(others) > 3 else "")
        raise DataError(
            Problem(
                printable(table.source),
                f"expected one column of {expected}, got {len(others)}{f' ({shown})' if others else ''}",
                f"Call it {quoted(names[0])}, or name one as FILE:COLUMN.",
                "which-column",
            )
        )
    if others[0] in table.columns[others[0]]:
        raise DataError(
            Problem(
                f"{printable(table.source)}:1",
                f"expected a header of column names, got what looks like an item ({quoted(others[0])})",
                f"Write the columns' names on the first line, such as {quoted(names[0])}.",
                "no-header",
            )
        )
    return others[0], ids
