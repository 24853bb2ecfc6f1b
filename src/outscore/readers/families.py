"""Families of a leaderboard's systems, and marks of some of them: one row a system in a table of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from outscore.errors import DataError, Problem
from outscore.naming import nearest, printable, quoted
from outscore.readers.base import Table
from outscore.readers.boards import Board
from outscore.readers.cells import is_missing, text_in
from outscore.readers.files import split_spec
from outscore.readers.registry import Tables

__all__ = ["with_families"]

_NAME_COLUMNS = ("system", "name", "model", "id")


def with_families(board: Board, spec: str, tables: Tables | None = None) -> Board:
    """Return a board whose systems have the families that stand in a table, one row a system.

    Parameters
    ----------
    board : Board
    spec : str
        ``FILE:COLUMN``; or ``FILE`` for its column `family` or `group`. Systems are found in the column that holds
        their names. A family that is left empty is not known.

    Raises
    ------
    DataError
        A table that is not there, has no such column, or lacks a system; a system of two families.
    """
    path, column = split_spec(spec)
    table = (tables or Tables()).read(path)
    if column is None:
        column = next((name for name in ("family", "group") if name in table.columns), None)
    if column is None or column not in table.columns:
        what = f"expected a column {quoted(column or 'family')}, got none"
        raise DataError(
            Problem(printable(path), what, nearest(column or "family", map(str, table.columns)), "wrong-column")
        )
    names = [entry.name for entry in board.entries]
    known: dict[str, list[int]] = {}
    for candidate in (*(name for name in _NAME_COLUMNS if name in table.columns), *table.columns):
        found = {} if candidate == column else _places(table, candidate, names)
        if len(found) > len(known):
            known = found
    lacking = [name for name in names if name not in known]
    if lacking:
        shown = ", ".join(quoted(name) for name in lacking[:3]) + (" and more" if len(lacking) > 3 else "")
        what = f"lacks {len(lacking)} of the {len(names)} systems: {shown}"
        raise DataError(Problem(printable(path), what, "Add a row for each system.", "missing-system"))
    families = {name: _one(table, column, name, places) for name, places in known.items()}
    return replace(board, entries=tuple(replace(entry, family=families[entry.name]) for entry in board.entries))


def _places(table: Table, column: str, names: Sequence[str]) -> dict[str, list[int]]:
    """Return on which rows of a table each system stands, for those that stand in this column."""
    wanted = set(names)
    found: dict[str, list[int]] = {}
    for place, cell in enumerate(table.columns[column]):
        name = text_in(cell)
        if name in wanted:
            found.setdefault(str(name), []).append(place)
    return found


def _one(table: Table, column: str, system: str, places: Sequence[int]) -> str | None:
    """Return what a system's rows say, all of them the same; None where they say nothing."""
    cells = [table.columns[column][place] for place in places]
    said = [None if is_missing(cell) else str(cell).strip() for cell in cells]
    other = next((i for i, each in enumerate(said) if each != said[0]), None)
    if other is None:
        return said[0]
    here, before = ("nothing" if each is None else quoted(each) for each in (said[other], said[0]))
    what = f"system {quoted(system)}: expected one {printable(column)}, got {here}, and {before} at "
    raise DataError(
        Problem(table.place(places[other]), what + table.place(places[0]), "Leave out one of them.", "two-families")
    )
