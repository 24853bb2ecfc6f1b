"""The systems of one table: long (one row per system and item) or wide (one column of scores per system)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from outscore._types import IntArray
from outscore.data.coercion import TRUE_FALSE
from outscore.data.rows import Labels, Rows
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics import ColumnMetric
from outscore.metrics.families.columns import ColumnMean
from outscore.options import opt
from outscore.readers.base import Table, normal_name
from outscore.readers.tabular.cells import are_mostly_numbers, is_missing, scores_in
from outscore.readers.tabular.columns import (
    SURE_SCORES,
    USUAL_SCORES,
    column_called,
    columns_are_systems,
    counts_rows,
    describes_items,
    score_columns_of,
    texts_of,
)
from outscore.readers.tabular.guesses import notes_on_score
from outscore.readers.tabular.labels import labels_by_item
from outscore.readers.tabular.tables import ColumnRoles, Items, no_ids, rows_in, rows_of_table, system_column_of
from outscore.text.naming import listed, printable, quoted

_USUAL = (("clusters", "cluster"), ("strata", "stratum"))  # default names of columns


class TableEntries(NamedTuple):
    """The systems in a table, in the order of their first rows, and labels of items by attribute of `Systems`."""

    rows: Sequence[Rows]
    families: Sequence[str | None]
    labels: Mapping[str, Labels]
    notes: Sequence[str]


def entries_of_table(
    table: Table,
    metric: ColumnMetric,
    labels: Mapping[str, object],
    roles: ColumnRoles,
) -> TableEntries:
    """Return the systems of a table, which is long if it has a column `system`, else wide.

    Parameters
    ----------
    table : Table
        Long: columns `system`, item ids, those of the metric, and optionally `family`, `cluster`, `stratum`. Wide: one
        column of scores per system, optionally item ids, `cluster` and `stratum`. Columns without numbers, columns
        named like properties of items, and a first column that counts rows are left out.
    metric : ColumnMetric
        For wide tables a metric of one column.
    labels : mapping
        Columns that users name as "clusters", "strata", "test_sets" and "other_clusters". Other labels are left to
        the caller.
    roles : ColumnRoles
        Wide tables have no score column.

    Raises
    ------
    DataError
        A missing column; a system with two families; an item with two clusters; any error of `read_system`.
    """
    named = {name: spec if isinstance(spec, str) else None for name, spec in labels.items()}
    called = {
        name: column_called(table, usual if (spec := named.get(name)) is None else spec) for name, usual in _USUAL
    }
    called |= {name: column_called(table, spec) for name, spec in named.items() if spec is not None}
    label_columns = {name: column for name, column in called.items() if column is not None}
    system = system_column_of(table, roles)
    if system is None:
        if roles.score_column is not None or isinstance(metric, ColumnMean):
            raise _many_columns_of_scores(table)
        return _wide(table, metric, label_columns, roles)
    items = Items.of(table, roles, system)
    if items.ids is None:
        raise no_ids(table, system)
    places = _by_value(texts_of(table, system, "the name of a system", "missing-system"))
    parts = {name: table.take(index) for name, index in places.items()}
    family = column_called(table, "family")
    families = [None if family is None else _family(parts[name], family, name) for name in places]
    rows = [
        rows_of_table(parts[name], metric, printable(name), roles, items.take(index)) for name, index in places.items()
    ]
    of_items = {name: labels_by_item(table, column, items.ids) for name, column in label_columns.items()}
    notes: list[str] = []
    scores = score_columns_of(table, metric, roles.score_column, items.id_column)
    if len(scores) == 1:
        notes = notes_on_score(table, metric, scores[0], items.id_column, chosen=roles.score_column is not None)
    return TableEntries(rows, families, of_items, notes)


def holds_systems(table: Table, metrics: Sequence[ColumnMetric], roles: ColumnRoles) -> bool:
    """Return whether a table holds several systems: in its rows, or one in each column of scores.

    Columns with the name of a metric, of scores or of raters are no systems.
    """
    system = system_column_of(table, roles)
    if system is not None:
        return len({*table.columns[system]}) > 1
    of_scores = (name for metric in metrics for name in (metric.name, *metric.columns))
    if roles.score_column is not None or any(column_called(table, name) for name in (*of_scores, *SURE_SCORES)):
        return False
    return columns_are_systems(table, Items.of(table, roles).id_column)


def _wide(table: Table, metric: ColumnMetric, label_columns: Mapping[str, str], roles: ColumnRoles) -> TableEntries:
    if len(metric.columns) > 1 or table.bare:
        what = (
            "expected a header and one column per system, got one value per line"
            if table.bare
            else f'expected a column "system", because {metric.name} reads {len(metric.columns)} columns per system'
        )
        raise DataError(
            Problem(
                printable(table.source), what, "Write one row per system and item (system,item,score).", "no-systems"
            )
        )
    items = Items.of(table, roles)
    others = {"", table.index, items.id_column, *items.levels.values(), *label_columns.values()}
    columns = [name for name in table.columns if name not in others]
    read = {name: scores_in(table.columns[name]) for name in columns if not describes_items(name)}
    first = next(iter(read.items()), None)
    counting = None if first is None or first[1].lacking or not counts_rows(first[1].numbers) else first[0]
    scored = [
        name
        for name, scores in read.items()
        if name != counting and are_mostly_numbers(table.columns[name], len(scores.lacking))
    ]
    numeric = [name for name in scored if not read[name].words or read[name].words is TRUE_FALSE]
    verbal = [name for name in scored if name not in numeric]
    # Beside systems with numbers, words such as yes and no describe items. So does a number beside systems with words.
    names = verbal if not numeric or len(numeric) == 1 < len(verbal) else numeric
    if not names:
        what = f"expected one column of scores per system, got no column of numbers among {listed(list(table.columns))}"
        advice = "Check the file, and the delimiter between its cells."
        raise DataError(Problem(printable(table.source), what, advice, "no-systems"))
    usual = [name for name in names if normal_name(name) in USUAL_SCORES]
    if usual and len(names) > 1:
        what = f"expected one column of scores per system, got {quoted(usual[0])}, which names scores"
        advice = "If columns are systems, rename it. If rows are of one system, pass it with another one, or use score."
        raise DataError(Problem(printable(table.source), what, advice, "which-column"))
    notes = [
        f"Column {quoted(name)} of {printable(table.source)} "
        f"{'numbers its rows' if name == counting else 'is no system' if name in scored else 'has no scores'} and was "
        "left out."
        for name in columns
        if name not in names
    ]
    rows = [rows_in(table, metric, printable(name), items, {name: read[name]}, roles.missing) for name in names]
    of_items = {name: labels_by_item(table, column, items.ids) for name, column in label_columns.items()}
    return TableEntries(rows, [None] * len(names), of_items, notes)


def _many_columns_of_scores(table: Table) -> OptionError:
    in_memory = table.lines is None
    return OptionError(
        Problem(
            "score_column" if in_memory else opt("score_column"),
            f'not applicable to {printable(table.source)}: without a column "system", each score column is a system',
            f"{'Pass only the columns to rank' if in_memory else 'Pass systems as FILE:COLUMN'}, or call the column "
            'that names systems "system".',
            "not-for-wide-tables",
        )
    )


def _by_value(values: Sequence[str]) -> dict[str, IntArray]:
    places: dict[str, list[int]] = {}
    for index, value in enumerate(values):
        places.setdefault(value, []).append(index)
    return {value: np.array(index, dtype=np.int64) for value, index in places.items()}


def _family(part: Table, column: str, system: str) -> str | None:
    families = {str(cell) for cell in part.columns[column] if not is_missing(cell)}
    if len(families) > 1:
        shown = " and ".join(quoted(name) for name in sorted(families)[:2])
        raise DataError(
            Problem(
                part.place(0),
                f"system {quoted(system)} has several families: {shown}",
                "Give each system one family.",
                "two-families",
            )
        )
    return next(iter(families), None)
