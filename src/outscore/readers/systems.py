"""The scores of one system: from a file, or from one column of a table of systems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from outscore.errors import DataError, Problem
from outscore.metrics import ColumnMetric
from outscore.naming import printable, quoted
from outscore.readers.base import Table
from outscore.readers.cells import in_words, is_missing, numbers_in
from outscore.readers.columns import id_column_of, ids_of, score_columns_of
from outscore.readers.files import split_spec
from outscore.readers.registry import InputFiles
from outscore.rows import Rows

__all__ = ["read_system", "rows_of_table"]


def read_system(
    spec: str,
    metric: ColumnMetric,
    *,
    id_column: str | None = None,
    score_column: str | None = None,
    drop_missing: bool = False,
    files: InputFiles | None = None,
) -> Rows:
    """Return the rows of the system that stands in a file.

    Parameters
    ----------
    spec : str
        ``FILE``, or ``FILE:COLUMN`` for one system of a table of items and systems; ``-`` is standard input. It
        becomes the name of the rows.
    metric : ColumnMetric
        What the columns mean. A metric of several columns finds them by name.
    id_column, score_column : str, optional
        Names of columns, letter case aside. Without them a column that is called like ids or scores is taken; for
        scores also the only column of numbers. A column in `spec` goes before `score_column`.
    drop_missing : bool
        Leave out items whose score is missing (empty, null, NA), which needs item ids.
    files : InputFiles, optional
        Where tables that were read before are kept, so that files of many systems, and standard input, are read once.

    Returns
    -------
    Rows
        Values of shape (n, k), with item ids where the table has them, and line numbers.

    Raises
    ------
    FileAccessError
        A file that cannot be read.
    DataError
        A file that cannot be understood, a column that is not there or cannot be guessed, cells that are no numbers,
        and whatever `metric` refuses. All such cells are in one error.
    MissingDependencyError
        Parquet without polars.
    """
    path, column = split_spec(spec)
    table = (files or InputFiles()).read(path)
    return rows_of_table(
        table,
        metric,
        name=printable(spec),
        id_column=id_column,
        score_column=score_column if column is None else column,
        drop_missing=drop_missing,
    )


def rows_of_table(
    table: Table,
    metric: ColumnMetric,
    *,
    name: str,
    id_column: str | None = None,
    score_column: str | None = None,
    drop_missing: bool = False,
) -> Rows:
    """Return the rows of the system that stands in a table; see `read_system`."""
    id_name = id_column_of(table, id_column)
    score_names = score_columns_of(table, metric, score_column, id_name)
    ids = None if id_name is None else ids_of(table, id_name)
    numbers, lacking = zip(*(numbers_in(table.columns[column]) for column in score_names), strict=True)
    dropped = set()
    problems = []
    for index, column in sorted(
        (index, column) for column, places in zip(score_names, lacking, strict=True) for index in places
    ):
        missing = is_missing(table.columns[column][index])
        if missing and drop_missing and ids is not None:
            dropped.add(index)
        else:
            problems.append(_not_a_number(table, column, index, may_drop=missing, by_id=ids is not None))
    if problems:
        raise DataError(*problems)
    values = np.column_stack(numbers)
    rows = Rows(name, values, ids, table.lines, None if table.lines is None else table.source)
    if dropped and ids is not None:
        kept = np.array([index for index in range(len(values)) if index not in dropped], dtype=np.int64)
        rows = replace(rows.take(kept), dropped=tuple(ids[index] for index in sorted(dropped)))
    return metric.rows_of(rows, None if table.bare else score_names)


def _not_a_number(table: Table, column: str, index: int, *, may_drop: bool, by_id: bool) -> Problem:
    field = "" if table.bare else f"field {quoted(column)}: "
    if table.lines is None:
        advice = "Mend the item, or leave it out of both systems."
    elif not may_drop:
        advice = "Fix the line."
    elif by_id:
        advice = "Fix the line, or pass --missing drop."
    else:
        advice = "Fix the line; --missing drop takes a column of item ids."
    what = f"{field}expected a number, got {in_words(table.columns[column][index])}"
    return Problem(table.place(index), what, advice, "not-a-number")
