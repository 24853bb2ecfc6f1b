"""From tables to the rows of one system: which columns hold ids, levels and scores."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from outscore._types import FloatArray, IntArray
from outscore.data.coercion import place_of
from outscore.data.pairing import folded
from outscore.data.rows import Labels, Rows
from outscore.design.registry import crossed_factors
from outscore.design.runs import Runs
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics import ColumnMetric
from outscore.options import opt
from outscore.readers.base import Table
from outscore.readers.files import split_spec
from outscore.readers.registry import InputFiles
from outscore.readers.tabular.cells import in_words, is_missing, mostly_numbers, numbers_in, text_in
from outscore.readers.tabular.columns import (
    SURE_SCORES,
    column_called,
    describes_items,
    id_column_of,
    ids_of,
    is_shared_id,
    named_column,
    repeats,
    score_columns_of,
    texts_of,
)
from outscore.text.naming import listed, printable, quoted

_SYSTEM = "system"
_SYSTEM_COLUMNS = ("model", "model_name", "assistant", "candidate", "run")


@dataclass(frozen=True)
class ColumnRoles:
    """What the user says of columns other than ids and scores: crossed factors, labels, and what reducers need.

    Attributes
    ----------
    named : mapping from str to str
        The columns of the levels of crossed factors that users name, by the factor's name.
    declared : tuple of str
        The crossed factors that there are; each has the column that is named, or one that is called so.
    beside : str, optional
        "answer" or "selector": the column that a reducer needs.
    labels : tuple of str or Labels
        Clusters, strata and test sets: columns, files, or labels in memory.
    test_sets : str, optional
        Of the names of test sets.
    """

    named: Mapping[str, str] = field(default_factory=dict)
    declared: tuple[str, ...] = ()
    beside: str | None = None
    labels: tuple[str | Labels, ...] = ()
    test_sets: str | None = None

    def levels(self, table: Table) -> dict[str, str]:
        """Return the columns of the levels of crossed factors that are named, or declared and called so.

        Raises
        ------
        DataError
            A column that is not there.
        """
        columns = {}
        for factor in crossed_factors():
            column = None if factor.name not in self.named else named_column(table, self.named[factor.name])
            if column is None and factor.name in self.declared:
                column = _first_called(table, factor.columns)
            if column is not None:
                columns[factor.name] = column
        return columns

    def label_columns(self, table: Table) -> set[str]:
        """Return the columns that are named as labels of items, or hold the labels that are in memory."""
        named = {column_called(table, of) for of in self.labels if isinstance(of, str)}
        given = {of.labels for of in self.labels if not isinstance(of, str) and len(of.labels) == len(table)}
        if given:
            named |= {column for column, cells in table.columns.items() if tuple(map(text_in, cells)) in given}
        return {column for column in named if column is not None}


def read_system(
    spec: str,
    metric: ColumnMetric,
    *,
    id_column: str | None = None,
    score_column: str | None = None,
    drop_missing: bool = False,
    files: InputFiles | None = None,
    roles: ColumnRoles | None = None,
) -> Rows:
    """Return the rows of the system that stands in a file.

    Parameters
    ----------
    spec : str
        ``FILE``, or ``FILE:COLUMN`` for one system of a table of items and systems, or ``FILE:SYSTEM`` of a long one
        that has a column of systems; ``-`` is standard input. It becomes the name of the rows.
    metric : ColumnMetric
        What the columns mean. A metric of several columns finds them by name.
    id_column, score_column : str, optional
        Names of columns, letter case aside. Without them a column that is called like ids or scores is taken; for
        scores also the only column of numbers. A column in `spec` goes before `score_column`.
    drop_missing : bool
        Leave out items whose score is missing (empty, null, NA), which needs item ids.
    files : InputFiles, optional
        Where tables that were read before are kept, so that files of many systems, and standard input, are read once.
    roles : ColumnRoles, optional
        What other columns are.

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
    table, column = table_named(spec, files or InputFiles())
    return rows_of_table(
        table,
        metric,
        name=printable(spec),
        id_column=id_column,
        score_column=score_column if column is None else column,
        drop_missing=drop_missing,
        roles=roles,
    )


def table_named(spec: str, files: InputFiles) -> tuple[Table, str | None]:
    """Return the table of ``FILE`` or ``FILE:SYSTEM``, or that of ``FILE:COLUMN`` with the name of the column."""
    path, column = split_spec(spec)
    table = files.read(path)
    part = None if column is None else _of_system(table, column)
    return (table, column) if part is None else (part, None)


def _of_system(table: Table, name: str) -> Table | None:
    """Return the records of a system of a long table; None if the name is a column, or there is no such system."""
    column = system_column_of(table, ColumnRoles())
    if column is None or column_called(table, name) is not None:
        return None
    systems = [text_in(cell) or "" for cell in table.columns[column]]
    known = list(dict.fromkeys(systems))
    try:
        called = known[place_of(name, known, argument=printable(table.source))]
    except OptionError as error:
        if error.problems[0].slug == "ambiguous-system":
            raise
        return None
    return table.take(place for place, system in enumerate(systems) if system == called)


def rows_of_table(
    table: Table,
    metric: ColumnMetric,
    *,
    name: str,
    id_column: str | None = None,
    score_column: str | None = None,
    drop_missing: bool = False,
    roles: ColumnRoles | None = None,
    items: Items | None = None,
) -> Rows:
    """Return the rows of the system that stands in a table, whose items may be known; see `read_system`."""
    items = items or Items.of(table, id_column, roles)
    score_names = score_columns_of(table, metric, score_column, items.id_column)
    columns = {column: numbers_in(table.columns[column]) for column in score_names}
    return rows_in(table, metric, name, items, columns, drop_missing)


@dataclass(frozen=True, eq=False)
class Items:
    """What a table says of its records beside scores: their ids, and the columns of the levels of crossed factors."""

    id_column: str | None
    ids: tuple[str, ...] | None
    levels: Mapping[str, str] = field(default_factory=dict)
    beside: str | None = None

    @classmethod
    def of(cls, table: Table, id_column: str | None, roles: ColumnRoles | None, system: str | None = None) -> Items:
        """Return the items of a table, of which `system` is the column of systems if there is one.

        This is the one rule for ids that repeat. Systems, levels of crossed factors and test sets may share an item; a
        column that is named as clusters, strata or test sets is not the id if its values repeat. Nothing else explains
        it: where they repeat for other reasons, a column that is called like runs says that they are.

        Raises
        ------
        DataError
            Ids that repeat, or that are missing; levels without ids; a column that is not there.
        """
        roles = roles or ColumnRoles()
        if table.bare and id_column is None and not roles.named:
            return cls(None, None, beside=roles.beside)
        levels = roles.levels(table)
        beside = [column for column in (system, *levels.values()) if column is not None]
        labels = roles.label_columns(table)
        id_name = id_column_of(table, id_column, beside=beside, labels=labels, labelled=bool(roles.labels))
        for of, column in levels.items() if id_name is None else ():
            what = f"expected a column of item ids beside that of {of}s ({quoted(column)}), got none"
            raise DataError(
                Problem(printable(table.source), what, f"Name it item, or pass {opt('id_column')}.", "no-ids")
            )
        ids = None if id_name is None else ids_of(table, id_name)
        if ids is not None and id_name is not None and repeats(table, ids, beside):
            test_set = None if roles.test_sets is None else column_called(table, roles.test_sets)
            if test_set not in {None, id_name}:  # each has items of its own
                ids = tuple(map("{}: {}".format, label_texts(table, str(test_set)), ids))
            if Runs.name not in levels and repeats(table, ids, beside):
                run = _first_called(table, [name for name in Runs.columns if column_called(table, name) != system])
                levels |= {} if run is None else {Runs.name: run}
            if not levels and repeats(table, ids, beside):
                raise _repeated(table, id_name, ids, system)
        return cls(
            id_name, ids, {of.name: levels[of.name] for of in crossed_factors() if of.name in levels}, roles.beside
        )

    def take(self, index: IntArray) -> Items:
        """Return the items of some records."""
        return self if self.ids is None else replace(self, ids=tuple(self.ids[place] for place in index.tolist()))


def _repeated(table: Table, column: str, ids: Sequence[str], system: str | None) -> DataError:
    """Return the error of ids that repeat, and that no option explains, with the options that could."""
    systems = ids if system is None else list(zip(map(text_in, table.columns[system]), ids, strict=True))
    first: dict[object, int] = {}
    twice: dict[str, int] = {}
    for index, key in enumerate(systems):
        if first.setdefault(key, index) != index:
            twice.setdefault(ids[index], index)
    (item, second), *others = twice.items()
    what = (
        f"duplicate item id {quoted(item)} in column {quoted(column)} (first at {table.place(first[systems[second]])})"
    )
    if others:
        what += f"; {len(others):,} more repeat: {listed([other for other, _ in others])}"
    of_factors = [(factor, _first_called(table, factor.columns)) for factor in crossed_factors()]
    ways = [
        *(
            f"{opt(of.name, 'COLUMN' if column is None else quoted(column))} with {opt(of.plural)} ({of.known_as})"
            for of, column in of_factors
        ),
        f"{opt('test_sets', 'COLUMN')} (test sets)",
        f"{opt('id_column', 'COLUMN')} (another column of ids)",
    ]
    named = None if system is not None else system_column_of(table, ColumnRoles())
    if system is None:  # rows without ids are paired in their order, and those of a long table have none
        ways.insert(
            0 if is_shared_id(column) else len(of_factors), f"{opt('clusters', quoted(column))} (related items)"
        )
    advice = f"Give every item one row, or say what its rows are: {', '.join(ways[:-1])} or {ways[-1]}."
    if named is not None:
        how = "Pass the rows of one system" if table.lines is None else "Pass one system as FILE:SYSTEM"
        advice = f"{how}, as the column {quoted(named)} names systems. {advice}"
    return DataError(Problem(table.place(second), what, advice, "duplicate-id"))


def system_column_of(table: Table, roles: ColumnRoles, taken: Collection[str | None] = ()) -> str | None:
    """Return the column of a long table that names systems; None of other tables.

    Columns that are called otherwise than "system" hold text if they name systems: numbers are scores, or runs.

    Parameters
    ----------
    table : Table
    roles : ColumnRoles
        What other columns are.
    taken : collection of str
        Columns that the user named as ids and scores.
    """
    column = column_called(table, _SYSTEM)
    if column is not None:
        return column
    others = {*taken, *roles.levels(table).values(), *roles.label_columns(table)}
    for name in _SYSTEM_COLUMNS:
        column = column_called(table, name)
        if column is None or column in others or mostly_numbers(table.columns[column]):
            continue
        if name != "run" or _has_one_score(table):  # of a wide table it would be a run of all systems
            return column
    return None


def _has_one_score(table: Table) -> bool:
    """Tell whether a table has one column of scores, rather than one for each system."""
    columns = [name for name in table.columns if not describes_items(name) and mostly_numbers(table.columns[name])]
    return len(columns) == 1 or any(column_called(table, name) is not None for name in SURE_SCORES)


def rows_in(
    table: Table,
    metric: ColumnMetric,
    name: str,
    items: Items,
    columns: Mapping[str, tuple[FloatArray, Sequence[int]]],
    drop_missing: bool,
) -> Rows:
    """Return the rows of a system, of whose columns the numbers and the places of other cells are known."""
    score_names, ids = tuple(columns), items.ids
    numbers, lacking = zip(*columns.values(), strict=True)
    if drop_missing and table.lines is None:  # data frames write NaN where there is no score
        lacking = tuple(np.flatnonzero(np.isnan(of)).tolist() for of in numbers)
    dropped = set()
    problems = []
    for index, column in sorted(
        (index, column) for column, places in zip(score_names, lacking, strict=True) for index in places
    ):
        cell = table.columns[column][index]
        missing = is_missing(cell) or (table.lines is None and cell != cell)
        if missing and drop_missing and ids is not None:
            dropped.add(index)
        else:
            problems.append(_not_a_number(table, column, index, may_drop=missing, by_id=ids is not None))
    if problems:
        raise DataError(*problems)
    values = np.column_stack(numbers) if len(numbers) > 1 else numbers[0][:, None]
    rows = Rows(name, values, ids, table.lines, None if table.lines is None else table.source)
    kept: Sequence[int] = range(len(values))
    if dropped and ids is not None:
        kept = [index for index in kept if index not in dropped]
        rows = replace(
            rows.take(np.array(kept, dtype=np.int64)), dropped=tuple(ids[index] for index in sorted(dropped))
        )
    rows = metric.rows_of(rows, None if table.bare else score_names)
    if not items.levels:
        return rows
    levels = {}
    for of, column in items.levels.items():
        texts = texts_of(table, column, f"the name of a {of}", f"missing-{of}")
        levels[of] = [texts[index] for index in kept]
    beside = None if items.beside is None else _beside(table, items.beside)
    return folded(rows, levels, None if beside is None else [beside[index] for index in kept])


def _first_called(table: Table, names: Sequence[str]) -> str | None:
    return next(filter(None, (column_called(table, name) for name in names)), None)


def _beside(table: Table, needed: str) -> Sequence[object]:
    """Return what a reducer needs beside scores: answers as text, or the numbers of a selector."""
    column = named_column(table, needed)
    if needed == "answer":
        return [text_in(cell) or "" for cell in table.columns[column]]
    numbers, lacking = numbers_in(table.columns[column])
    if lacking:
        raise DataError(*(_not_a_number(table, column, index, may_drop=False, by_id=True) for index in lacking))
    return list(numbers)


def _not_a_number(table: Table, column: str, index: int, *, may_drop: bool, by_id: bool) -> Problem:
    field = "" if table.bare else f"field {quoted(column)}: "
    if table.lines is None:
        advice = "Mend the item, or leave it out of both systems."
    elif numbers_in([(text_in(table.columns[column][index]) or "").replace(",", ".", 1)])[1] == []:
        advice = "Write a point for the comma."
    elif not may_drop:
        advice = "Fix the line."
    elif by_id:
        advice = f"Fix the line, or pass {opt('drop_missing', True)}."
    else:
        advice = f"Fix the line, or delete it if it is empty; {opt('drop_missing', True)} needs a column of item ids."
    what = f"{field}expected a number, got {in_words(table.columns[column][index])}"
    return Problem(table.place(index), what, advice, "not-a-number")


def label_texts(table: Table, column: str) -> tuple[str, ...]:
    """Return the labels in a column, one a record."""
    return texts_of(table, column, "a label", "missing-label")
