"""Tables of pairwise comparisons: one row per comparison, with two systems, the outcome and the user."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from outscore._types import IntArray
from outscore.data.coercion import wrong
from outscore.data.rows import is_none
from outscore.data.verdicts import verdict_values
from outscore.errors import DataError, OptionError, Problem
from outscore.options import leave_out, opt
from outscore.readers.base import Table
from outscore.readers.boards import families_named
from outscore.readers.in_memory import labels_from, table_from
from outscore.readers.reading import Reading
from outscore.readers.registry import InputFiles
from outscore.readers.tabular.cells import in_words, mostly_numbers, text_in
from outscore.readers.tabular.columns import SIDES, VERDICTS, column_called, named_column, texts_of
from outscore.text.aliases import own_name
from outscore.text.naming import listed, printable, quoted
from outscore.wings.battles.metric import NAME, Battles

# Names of outcomes beyond doubt; the others may be further columns, such as a judge's reasons.
_OUTCOMES = ("outcome", "winner", "result", "preference")
# Names of columns, here and in published data.
_COLUMNS = {
    "system_a": SIDES[0],
    "system_b": SIDES[1],
    "outcome": (*_OUTCOMES, *VERDICTS),
}
_HEARD = frozenset({"clusters", "families", "records"})


def read_battles(systems: Sequence[object], metric: object, reading: Reading) -> Battles | None:
    """Return the pairwise comparisons in a file or data frame if the metric is bradley-terry, else None.

    Of the reading options, clusters, families and records apply; others are refused.
    """
    several = metric if isinstance(metric, list | tuple) else [metric]
    names = [name.strip() for spec in several if isinstance(spec, str) for name in spec.split(",")]
    if not any(own_name(name, [NAME], {}) == NAME for name in names):
        return None
    if len(several) > 1 or len(names) > 1:
        what = f"{NAME} ranks pairwise comparisons and cannot be combined with other metrics"
        raise OptionError(Problem(opt("metric"), what, "Pass it as the only metric.", "several-metrics"))
    for field in fields(Reading):
        value = getattr(reading, field.name)
        is_given = value != field.default and not (field.name == "strata" and is_none(value))
        if field.name not in _HEARD and is_given:
            what = f"does not apply to pairwise comparisons, which take only {opt('clusters')} and {opt('families')}"
            raise OptionError(Problem(opt(field.name), what, leave_out(), "not-for-battles"))
    if len(systems) != 1:
        what = f"expected one table of pairwise comparisons, got {len(systems)}"
        raise OptionError(Problem("systems", what, "Put all comparisons into one table.", "one-table"))
    [source], files = systems, InputFiles(reading.records)
    if isinstance(source, str | os.PathLike):
        table = files.file(os.fspath(source)).table()
    else:
        frame_table = table_from(source, "battles")
        if frame_table is None:
            raise wrong("systems", "a file or a data frame of pairwise comparisons", source)
        table = frame_table
    notes = tuple(files.notes)
    battles = battles_of(table, reading.labellings.get("clusters"))
    families = families_named(battles.systems, reading.families, [None] * len(battles.systems))
    return replace(battles, families=families, notes=notes)


def battles_of(table: Table, clusters: object = None) -> Battles:
    """Return the pairwise comparisons of a table, one per row.

    Its columns are system_a, system_b and outcome, or model_a, model_b and winner as arenas call them. Outcomes are 1
    (the first one won), 0.5 and 0, or 1 and 2; or words, as in `data.verdicts`; or the name of the system that won.
    `clusters` are the column of users, or one user per comparison; without it, comparisons are independent. Errors name
    the cell.
    """
    columns = {
        meaning: _first_column(table, names) or named_column(table, names[0]) for meaning, names in _COLUMNS.items()
    }
    outcomes = [column for name in _OUTCOMES if (column := column_called(table, name)) is not None]
    if len(outcomes) > 1 and columns["outcome"].lower() != "outcome":
        what = f"several columns could be the outcome: {listed(outcomes)}"
        raise DataError(Problem(printable(table.source), what, "Call it outcome.", "which-outcome"))
    if not len(table):
        what = "expected one pairwise comparison per row, got none"
        raise DataError(Problem(printable(table.source), what, "Check that this is the right table.", "empty"))
    sides = [
        [printable(name) for name in texts_of(table, columns[side], "a system", "missing-system")]
        for side in ("system_a", "system_b")
    ]
    problems = [
        Problem(table.place(i), f"a system is compared with itself: {quoted(a)}", "Remove this row.", "same-system")
        for i, (a, b) in enumerate(zip(*sides, strict=True))
        if a == b
    ]
    halves, unknown = _halves(table, columns["outcome"], *sides)
    if problems or unknown:
        raise DataError(*problems, *unknown)
    systems = sorted({*sides[0], *sides[1]})
    code_of = {name: index for index, name in enumerate(systems)}
    a, b = (np.array([code_of[name] for name in side], dtype=np.int64) for side in sides)
    first, second, halves = np.minimum(a, b), np.maximum(a, b), np.where(a < b, halves, 2 - halves)
    users = None if clusters is None else _users(table, clusters)
    # In an order that does not depend on that of the rows.
    keys = (halves, second, first) if users is None else (halves, second, first, users)
    order = np.lexsort(keys)
    return Battles(
        source=table.source,
        systems=tuple(systems),
        first=first[order],
        second=second[order],
        halves=halves[order],
        units=np.arange(len(order)) if users is None else users[order],
        unit="battle" if users is None else "cluster",
        columns=columns,
    )


def are_battles(table: Table) -> bool:
    """Return whether a table looks like pairwise comparisons: two columns of system names and one of outcomes."""
    columns = [_first_column(table, names) for names in _COLUMNS.values()]
    sides = [table.columns[name] for name in columns[:2] if name is not None]
    return None not in columns and not any(map(mostly_numbers, sides))


def _first_column(table: Table, names: Sequence[str]) -> str | None:
    """Return the first of these columns that exists."""
    return next(filter(None, (column_called(table, name) for name in names)), None)


def _halves(table: Table, column: str, firsts: Sequence[str], seconds: Sequence[str]) -> tuple[IntArray, list[Problem]]:
    """Return twice the points of the first system of each comparison, shape (n,), and the unknown outcomes."""
    cells = table.columns[column]
    values = verdict_values({text for cell in cells if (text := text_in(cell)) is not None})
    halves, problems = [], []
    for index, cell in enumerate(cells):
        text = text_in(cell) or ""
        meant = None if (value := values.get(text)) is None else int(2 * value)
        if isinstance(cell, str):
            named = 2 if text == firsts[index] else 0 if text == seconds[index] else None
            if None not in (meant, named) and meant != named:
                what = f"field {quoted(column)}: {quoted(text)} names a side, and is also the name of the other system"
                problems.append(Problem(table.place(index), what, "Write 1, 0.5 or 0.", "unknown-outcome"))
            meant = named if meant is None else meant
        if meant is None:
            what = f"field {quoted(column)}: expected 1, 0.5 or 0, or which side won, got {in_words(cell)}"
            advice = "Write 1 where the first system won, 0.5 for a tie, 0 where the second did."
            problems.append(Problem(table.place(index), what, advice, "unknown-outcome"))
        halves.append(meant or 0)
    return np.array(halves, dtype=np.int64), problems


def _users(table: Table, clusters: object) -> IntArray:
    """Return the unit of each comparison, from 0 in the order of the users' names, shape (n,)."""
    if isinstance(clusters, str):
        labels: Sequence[str] = texts_of(table, named_column(table, clusters), "a user", "missing-label")
    else:
        labels = labels_from(clusters, "clusters").labels
        if len(labels) != len(table):
            what = f"expected one label per comparison ({len(table)}), got {len(labels)}"
            raise DataError(Problem("clusters", what, "Give every comparison a user.", "wrong-length"))
    code_of = {name: index for index, name in enumerate(sorted(set(labels)))}
    return np.array([code_of[label] for label in labels], dtype=np.int64)
