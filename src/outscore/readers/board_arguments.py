"""What programs say of a leaderboard's systems and items beside their scores: families and labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

from outscore.errors import OptionError, Problem
from outscore.naming import nearest, printable, quoted
from outscore.readers.boards import Board
from outscore.readers.families import with_families
from outscore.readers.frames import labels_from
from outscore.rows import Labels

__all__ = ["Families", "column_named", "with_given_families", "with_given_labels"]

# From the systems' names; or FILE:COLUMN of a table of them.
Families: TypeAlias = Mapping[str, str] | str | None


def column_named(labels: object) -> str | None:
    """Return the column that clusters or strata are the name of; None where they are the labels themselves."""
    return labels if isinstance(labels, str) else None


def with_given_labels(board: Board, clusters: object, strata: object, collapse_strata: bool = False) -> Board:
    """Return a board with the labels that are given themselves; names of columns were told to who read it.

    Raises
    ------
    DataError
        What is no sequence of labels.
    OptionError
        No strata to collapse.
    """
    if clusters is not None and not isinstance(clusters, str):
        board = replace(board, clusters=labels_from(clusters, "clusters"))
    if strata is not None and not isinstance(strata, str):
        board = replace(board, strata=labels_from(strata, "strata"))
    return replace(board, strata=Labels.collapsing(board.strata, collapse_strata))


def with_given_families(board: Board, families: Families) -> Board:
    """Return a board with the families of the systems that are named; others keep theirs.

    Raises
    ------
    OptionError
        A system that is not there, or what is no mapping.
    DataError
        As `with_families`.
    """
    if families is None:
        return board
    if isinstance(families, str):
        return with_families(board, families)
    if not isinstance(families, Mapping):
        raise _wrong(f"expected a mapping from names to families, got an object of type {type(families).__name__}")
    known = [entry.name for entry in board.entries]
    given: dict[str, str | None] = {}
    for key, family in families.items():
        name = printable(str(key))
        if name not in known:
            what = f"unknown system {quoted(name)}"
            raise OptionError(Problem("families", what, nearest(name, known), "unknown-system"))
        if not (family is None or isinstance(family, str | int)):
            kind = type(family).__name__
            raise _wrong(f"expected the family of {quoted(name)} as text, got an object of type {kind}")
        given[name] = None if family is None else str(family).strip() or None
    entries = [replace(entry, family=given.get(entry.name, entry.family)) for entry in board.entries]
    return replace(board, entries=tuple(entries))


def _wrong(what: str) -> OptionError:
    return OptionError(Problem("families", what, "", "wrong-type"))
