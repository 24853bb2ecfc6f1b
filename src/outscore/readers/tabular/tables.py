"""Read the rows of one system from a table: find its columns of ids, factor levels and scores."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from outscore._types import IntArray
from outscore.data.coercion import place_of
from outscore.data.pairing import folded, with_gaps
from outscore.data.rows import Labels, Missing, Rows
from outscore.design.registry import crossed_factors
from outscore.design.runs import Runs
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics import ColumnMetric
from outscore.metrics.base import advice_on_missing
from outscore.options import advice_on_nested, opt
from outscore.readers.base import Table
from outscore.readers.files import split_spec
from outscore.readers.registry import InputFiles, Place
from outscore.readers.tabular.cells import (
    Scores,
    in_words,
    is_missing,
    is_missing_score,
    mostly_numbers,
    note_on,
    number_in,
    numbers_in,
    scores_in,
    text_in,
)
from outscore.readers.tabular.columns import (
    SURE_SCORES,
    column_called,
    columns_of_scores,
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
# Columns that say which time an item was tried. If their values repeat, items do.
REPEATED = ("seed", "run", "trial", "epoch", "repeat", "attempt", "sample")
SYSTEM_COLUMNS = ("model", "model_name", "model_id", "agent", "method", "assistant", "candidate", "run")


@dataclass(frozen=True)
class ColumnRoles:
    """What the user said of the columns of tables.

    Attributes
    ----------
    id_column, score_column : str, optional
        Names of columns, ignoring case. By default columns with usual names of ids and scores, or for scores the only
        column of numbers.
    missing : Missing
        Whether items may lack a score (empty, null, NA): unless that is an error, they are left out. In files this
        needs item ids.
    named : mapping from str to str
        Columns of the levels of crossed factors, by factor name.
    declared : tuple of str
        Declared crossed factors. Each has a named column, or one with a default name.
    beside : str, optional
        "answer" or "selector", if a reducer needs that column.
    labels : tuple of str or Labels
        Clusters, strata and test sets: columns, files, or labels in memory.
    test_sets : str, optional
        Column of the names of test sets.
    """

    id_column: str | None = None
    score_column: str | None = None
    missing: Missing = Missing.ERROR
    named: Mapping[str, str] = field(default_factory=dict)
    declared: tuple[str, ...] = ()
    beside: str | None = None
    labels: tuple[str | Labels, ...] = ()
    test_sets: str | None = None

    def scored_by(self, column: str | None) -> ColumnRoles:
        """Return the same with another column of scores, if one is given."""
        return self if column is None else replace(self, score_column=column)

    def levels(self, table: Table) -> dict[str, str]:
        """Return the columns of the levels of crossed factors. Raise DataError if a column is missing."""
        columns = {}
        for factor in crossed_factors():
            column = None if factor.name not in self.named else named_column(table, self.named[factor.name])
            if column is None and factor.name in self.declared:
                column = _first_called(table, factor.columns)
            if column is not None:
                columns[factor.name] = column
        return columns

    def label_columns(self, table: Table) -> set[str]:
        """Return the columns that are named as labels, or contain the labels that are in memory."""
        named = {column_called(table, of) for of in self.labels if isinstance(of, str)}
        given = {of.labels for of in self.labels if not isinstance(of, str) and len(of.labels) == len(table)}
        if given:
            named |= {column for column, cells in table.columns.items() if tuple(map(text_in, cells)) in given}
        return {column for column in named if column is not None}


def read_system(spec: str, metric: ColumnMetric, *, files: InputFiles | None = None, **columns: Any) -> Rows:
    """Return the rows of the system in a file.

    Parameters
    ----------
    spec : str
        ``FILE``, ``FILE:COLUMN`` for a system of a wide table, or ``FILE:SYSTEM`` for a system of a long table;
        ``-`` is standard input. It becomes the name of the rows. A column overrides `score_column`.
    metric : ColumnMetric
        Defines the meaning of the columns. A metric of several columns finds them by name.
    files : InputFiles, optional
        Holds tables that were already read, so that files of many systems and standard input are read once.
    **columns
        Attributes of `ColumnRoles`, such as `id_column`.

    Returns
    -------
    Rows
        Values of shape (n, k), with item ids if the table has them, and line numbers.

    Raises
    ------
    FileAccessError
        A file that cannot be read.
    DataError
        A file that cannot be understood, a column that is missing or ambiguous, cells that are not numbers, or values
        that `metric` rejects. All such cells are in one error.
    MissingDependencyError
        Parquet without polars.
    """
    table, column = table_at(split_spec(spec), files or InputFiles())
    return rows_of_table(table, metric, printable(spec), ColumnRoles(**columns).scored_by(column))


def table_at(place: Place, files: InputFiles) -> tuple[Table, str | None]:
    """Return the table of ``FILE`` or ``FILE:SYSTEM``, or the table and column of ``FILE:COLUMN``."""
    path, column = place
    table = files.file(path).table()
    part = None if column is None else _of_system(table, column)
    return (table, column) if part is None else (part, None)


def _of_system(table: Table, name: str) -> Table | None:
    """Return the records of a system of a long table; None if the name is a column or unknown."""
    column = None if column_called(table, name) is not None else system_column_of(table, ColumnRoles())
    if column is None:
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
    table: Table, metric: ColumnMetric, name: str, roles: ColumnRoles, items: Items | None = None
) -> Rows:
    """Return the rows of the system in a table; `items` avoids finding them again. See `read_system`."""
    items = items or Items.of(table, roles)
    try:
        score_names = score_columns_of(table, metric, roles.score_column, items.id_column)
    except DataError as error:
        system = system_column_of(table, replace(roles, id_column=None, score_column=None))
        if items.id_column is None and system is not None and len({*table.columns[system]}) == len(table):
            raise no_ids(table, system) from error
        raise
    columns = {column: scores_in(table.columns[column]) for column in score_names}
    return rows_in(table, metric, name, items, columns, roles.missing)


@dataclass(frozen=True, eq=False)
class Items:
    """The ids of a table's records, and their levels of crossed factors."""

    id_column: str | None
    ids: tuple[str, ...] | None
    levels: Mapping[str, str] = field(default_factory=dict)
    beside: str | None = None

    @classmethod
    def of(cls, table: Table, roles: ColumnRoles, system: str | None = None) -> Items:
        """Return the items of a table. `system` is its column of systems, if it has one.

        This is the only rule for repeated ids. Systems, levels of crossed factors and test sets may share an item. A
        column named as clusters, strata or test sets is not the id if its values repeat. If ids repeat for another
        reason, they must be explained by a column with a usual name of runs; otherwise this raises. Without ids, a
        column of runs whose values repeat shows that items do, and the id is the column that is crossed with it. Raise
        DataError for repeated or missing ids; levels without ids; a missing column.
        """
        if table.bare and roles.id_column is None and not roles.named:
            return cls(None, None, beside=roles.beside)
        levels = roles.levels(table)
        beside = [column for column in (system, *levels.values()) if column is not None]
        labels = roles.label_columns(table)
        id_name = id_column_of(table, roles.id_column, beside=beside, labels=labels, labelled=bool(roles.labels))
        if id_name in {None, table.index}:  # an index without a name numbers the rows
            id_name = _items_of_runs(table, levels, labels, beside) or id_name or table.row_names
        for factor_name, column in levels.items() if id_name is None else ():
            what = f"the table has a column of {factor_name}s ({quoted(column)}) but no column of item ids"
            raise DataError(
                Problem(printable(table.source), what, f"Call it item, or pass {opt('id_column')}.", "no-ids")
            )
        ids = None if id_name is None else ids_of(table, id_name)
        if ids is not None and id_name is not None and repeats(table, ids, beside):
            test_set = None if roles.test_sets is None else column_called(table, roles.test_sets)
            if test_set not in {None, id_name}:  # each test set has its own items
                ids = tuple(map("{}: {}".format, label_texts(table, str(test_set)), ids))
            if Runs.name not in levels and repeats(table, ids, beside):
                run = _first_called(table, [name for name in Runs.columns if column_called(table, name) != system])
                levels |= {} if run is None else {Runs.name: run}
            if not levels and repeats(table, ids, beside):
                raise _repeated(table, id_name, ids, system)
        in_order = {factor.name: levels[factor.name] for factor in crossed_factors() if factor.name in levels}
        return cls(id_name, ids, in_order, roles.beside)

    def take(self, index: IntArray) -> Items:
        """Return the items of some records."""
        return self if self.ids is None else replace(self, ids=tuple(self.ids[place] for place in index.tolist()))


def _items_of_runs(
    table: Table, levels: Mapping[str, str], labels: Collection[str], beside: Sequence[str]
) -> str | None:
    """Return the column of the items of repeated runs, such as games played with several seeds, or None without runs.

    Raise DataError if runs repeat, and none or several columns could be their items.
    """
    run = levels.get(Runs.name)
    if run is None:
        found = (column_called(table, name) for name in REPEATED)
        run = next((c for c in found if c not in {None, *beside, *labels} and _repeats_levels(table, c, beside)), None)
        if run is None:
            return None
    taken = {run, "", table.index, *beside, *labels}
    levels_of_rows = zip(*(map(text_in, table.columns[column]) for column in {run, *beside}), strict=True)
    n_levels = len({*levels_of_rows})
    choice: dict[tuple[int, ...], str] = {}
    for name, cells in table.columns.items():
        texts = [text_in(cell) for cell in cells] if name not in taken else [None]
        # Items are mostly crossed with runs. Scores that coincide in some runs are not.
        crossed = None not in texts and 2 * len(table) > len({*texts}) * n_levels
        if crossed and not repeats(table, texts, [*{run, *beside}]):
            codes = {text: code for code, text in enumerate(dict.fromkeys(texts))}
            choice.setdefault(tuple(codes[text] for text in texts), name)
    if len(choice) == 1 or run in levels.values():
        return next(iter(choice.values()), None) if len(choice) == 1 else None
    names = list(choice.values())
    what = f"values of the column {quoted(run)} repeat, so items have several {Runs.plural}, but "
    what += f"several columns could name the items: {listed(names)}" if names else "no column names the items"
    advice = f"Name their column with {opt('id_column')}, or pass {opt('clusters', quoted(run))} if rows are items."
    raise DataError(Problem(printable(table.source), what, advice, "no-ids"))


def _repeats_levels(table: Table, column: str | None, beside: Sequence[str]) -> bool:
    """Return whether a column has several values, and one of them twice in rows that `beside` does not distinguish."""
    texts = [] if column is None else [text_in(cell) for cell in table.columns[column]]
    return len({*texts} - {None}) > 1 and repeats(table, texts, beside)


def _repeated(table: Table, column: str, ids: Sequence[str], system: str | None) -> DataError:
    """Return the error of repeated ids that no option explains, with the options that could."""
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
    if system is None:  # rows without ids are paired in order; rows of a long table have no order
        ways.insert(
            0 if is_shared_id(column) else len(of_factors), f"{opt('clusters', quoted(column))} (related items)"
        )
    advice = f"Give each item one row, or explain repeated rows with {', '.join(ways[:-1])} or {ways[-1]}."
    if named is not None:
        how = "Pass the rows of one system" if table.lines is None else "Pass one system as FILE:SYSTEM"
        advice = f"{how}, because the column {quoted(named)} names systems. {advice}"
    return DataError(Problem(table.place(second), what, advice, "duplicate-id"))


def system_column_of(table: Table, roles: ColumnRoles) -> str | None:
    """Return the column of a long table that names systems; None for other tables.

    A column with a name other than "system" must be text to name systems. Numbers are scores or runs.
    """
    taken = [name and column_called(table, name) for name in (roles.id_column, roles.score_column)]
    column = column_called(table, _SYSTEM)
    if column is not None and column not in taken:
        return column
    others = {*taken, *roles.levels(table).values(), *roles.label_columns(table)}
    for name in SYSTEM_COLUMNS:
        column = column_called(table, name)
        if column is None or column in others or mostly_numbers(table.columns[column]):
            continue
        if name != "run" or _has_one_score(table):  # in a wide table, a run of all systems
            return column
    return None


def no_ids(table: Table, system: str) -> DataError:
    """Return the error of a table with a column of systems but no item ids, which may have items as columns."""
    what = f"the table has a column of systems ({quoted(system)}) but no column of item ids"
    advice = f"Call it item, or pass {opt('id_column')}."
    columns = [name for name in columns_of_scores(table, None)[0] if name != system]
    if len(columns) > 1 and len({*table.columns[system]}) == len(table):
        what += f": each system has one row, with the columns {listed(columns)}"
        advice = "If these are items or datasets, transpose the table: one row per item, one column per system. "
        advice += f"If these are the systems, pass {opt('id_column', quoted(system))}."
    return DataError(Problem(printable(table.source), what, advice, "no-ids"))


def _has_one_score(table: Table) -> bool:
    """Return whether a table has one column of scores, rather than one per system."""
    columns = [name for name in table.columns if not describes_items(name) and mostly_numbers(table.columns[name])]
    return len(columns) == 1 or any(column_called(table, name) is not None for name in SURE_SCORES)


def rows_in(
    table: Table,
    metric: ColumnMetric,
    name: str,
    items: Items,
    columns: Mapping[str, Scores],
    missing: Missing,
) -> Rows:
    """Return the rows of a system, given the scores in its columns."""
    score_names, ids = tuple(columns), items.ids
    numbers = [scores.numbers for scores in columns.values()]
    lacking = [scores.lacking for scores in columns.values()]
    may_lack = missing is not Missing.ERROR
    if may_lack and table.lines is None:  # data frames use NaN for missing scores
        lacking = [np.flatnonzero(np.isnan(factor)).tolist() for factor in numbers]
    dropped = set()
    problems = []
    for index, column in sorted(
        (index, column) for column, places in zip(score_names, lacking, strict=True) for index in places
    ):
        cell = table.columns[column][index]
        is_empty = is_missing(cell) or (table.lines is None and is_missing_score(cell))
        if is_empty and may_lack and (ids is not None or table.lines is None):
            dropped.add(index)
        else:
            expected = columns[column].expected
            problems.append(_not_a_number(table, column, index, expected, may_drop=is_empty, by_id=ids is not None))
    if problems:
        raise DataError(*problems)
    values = np.column_stack(numbers) if len(numbers) > 1 else numbers[0][:, None]
    notes = tuple(dict.fromkeys(note_on(scores.words) for scores in columns.values() if scores.words))
    rows = Rows(name, values, ids, table.lines, None if table.lines is None else table.source, notes=notes)
    kept: Sequence[int] = range(len(values))
    if dropped:
        kept = [index for index in kept if index not in dropped]
        rows = rows.take(np.array(kept, dtype=np.int64))
    if dropped and table.lines is None and not items.levels:
        return with_gaps(metric.rows_of(rows, score_names), kept, ids, len(values))
    if ids is not None:
        rows = replace(rows, dropped=tuple(ids[index] for index in sorted(dropped)))
    rows = metric.rows_of(rows, None if table.bare else score_names)
    if not items.levels:
        return rows
    levels = {}
    for factor, column in items.levels.items():
        texts = texts_of(table, column, f"the name of a {factor}", f"missing-{factor}")
        levels[factor] = [texts[index] for index in kept]
    beside = None if items.beside is None else _beside(table, items.beside)
    return folded(rows, levels, None if beside is None else [beside[index] for index in kept])


def _first_called(table: Table, names: Sequence[str]) -> str | None:
    return next(filter(None, (column_called(table, name) for name in names)), None)


def _beside(table: Table, needed: str) -> Sequence[object]:
    """Return the column that a reducer needs besides scores: answers as text, or numbers of a selector."""
    column = named_column(table, needed)
    if needed == "answer":
        return [text_in(cell) or "" for cell in table.columns[column]]
    numbers, lacking = numbers_in(table.columns[column])
    if lacking:
        raise DataError(
            *(_not_a_number(table, column, index, "a number", may_drop=False, by_id=True) for index in lacking)
        )
    return list(numbers)


def _not_a_number(table: Table, column: str, index: int, expected: str, *, may_drop: bool, by_id: bool) -> Problem:
    field = "" if table.bare else f"field {quoted(column)}: "
    text = text_in(table.columns[column][index]) or ""
    if table.lines is None:
        advice = advice_on_missing() if may_drop else "Correct the item, or remove it from both systems."
    elif isinstance(table.columns[column][index], dict):
        advice = advice_on_nested(table.source)
    elif "," in text and number_in(text.replace(",", ".", 1)) is not None:
        advice = "Use a decimal point instead of a comma."
    elif not may_drop:
        advice = "Correct the line."
    elif by_id:
        advice = f"Correct the line, or pass {Missing.DROP.option}."
    else:
        advice = f"Correct the line, or delete it if it is empty. {Missing.DROP.option} needs a column of item ids."
    what = f"{field}expected {expected}, got {in_words(table.columns[column][index])}"
    return Problem(table.place(index), what, advice, "not-a-number")


def label_texts(table: Table, column: str) -> tuple[str, ...]:
    """Return the labels in a column, one per record."""
    return texts_of(table, column, "a label", "missing-label")
