"""Read systems of any kind, from files or memory, with one or several metrics."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from outscore.data.coercion import place_of, wrong
from outscore.data.pairing import align, merged
from outscore.data.rows import Labels, Rows
from outscore.design.scores import Systems
from outscore.design.settling import Declaration
from outscore.errors import DataError, FileAccessError, OptionError, OutscoreError, Problem
from outscore.metrics import AnyMetric, ColumnMetric
from outscore.metrics.base import AnyOutputMetric
from outscore.options import leave_out, opt
from outscore.readers.base import Table, normal_name
from outscore.readers.files import is_folder, is_readable, refuse_unreadable, split_spec
from outscore.readers.kept.files import is_kept
from outscore.readers.kept.stored import StoredSystem, is_store
from outscore.readers.reading import (
    Files,
    InMemory,
    Reading,
    Source,
    SystemFile,
    Work,
    called,
    column_metrics,
    declared_of,
    is_board,
    is_log,
    listed_metrics,
    names_in_log,
    own_name,
    reason_of,
    split_name,
    tables_of_ratings,
)
from outscore.readers.registry import InputFiles, format_named
from outscore.readers.tabular.columns import VERDICTS, column_called, is_id, score_columns_of
from outscore.readers.tabular.tables import ColumnRoles, Items, read_system, table_named
from outscore.text.naming import Note, listed, printable, quoted
from outscore.wings import from_wing, has_wing

if TYPE_CHECKING:
    from outscore.readers.outputs import OutputReader
    from outscore.readers.tabular.guesses import Part

# Errors of texts or files of tags that are read as scores.
_TEXT_SLUGS = {"blank-line", "duplicate-column", "not-csv", "ragged-row", "which-column"}
# Options of score tables, and why they do not apply to outputs.
_NOT_FOR_OUTPUTS = {
    "lower_is_better": "metrics of outputs define their direction",
    "id_column": "outputs are paired by the ids in their files, or line by line",
    "score_column": "outputs have no scores",
    "drop_missing": "every system needs an output for every reference",
}


def read_systems(
    sources: Sequence[Source],
    metric: object,
    reading: Reading,
    *,
    one_table: bool,
    baseline: str | None = None,
    default_names: Callable[[int], Sequence[str]] | None = None,
    work: Work | None = None,
) -> Systems:
    """Return systems of any kind, in the order in which they were read.

    Parameters
    ----------
    metric : AnyMetric or str, or a list of them, optional
        As users write it; names may be separated by commas. The default is the metric of the cached rows if a file
        has some, else the metrics of the leaderboard file, else the mean of scores.
    one_table : bool
        Whether a single file or frame is a table of all systems. A leaderboard file (TOML) always is.
    baseline : str, optional
        Name or file of the system to put first; "" if it already is.
    default_names : callable, optional
        Maps the number of systems to names for systems in memory that have none.

    Raises
    ------
    FileAccessError, DataError, OptionError, MissingDependencyError
        Any error of reading; fewer than two readable systems if unreadable ones are skipped.
    """
    if reading.human is not None or reading.judge is not None:
        again = partial(read_systems, one_table=one_table, baseline=baseline, default_names=default_names, work=work)
        labelled: Systems = from_wing("human.labels:with_labels")(again, sources, metric, reading)
        return labelled
    if not sources:
        what = "expected at least two systems, got none"
        raise DataError(Problem("leaderboard", what, "Pass more systems, or a leaderboard file.", "one-system"))
    for source in sources:
        if isinstance(source, SystemFile) and source.spec.endswith(".json") and is_store(source.spec):
            what = "is a baseline file of a gate, not a system"
            raise OptionError(Problem(printable(source.spec), what, "Pass it first to outscore gate.", "gate-store"))
    if reading.mapping is not None:
        sources = _mapped(sources)
    if any(source.is_log for source in sources):
        stored = [source for source in sources if _is_stored(source)]
        systems = _of_logs([source for source in sources if source not in stored], metric, reading, baseline)[0]
        return _with_stored(systems, stored)
    metrics, files = listed_metrics(metric), InputFiles(reading.records)
    reading, notes = _of_ratings(sources, metrics, reading, files)
    why = "applies only to evaluation logs"
    reading.refuse(dict.fromkeys(("task", "total", "duplicates", "follow_links"), why), "no-logs")
    specs = [source.spec for source in sources if isinstance(source, SystemFile)]
    boards = [spec for spec in specs if is_board(spec)]
    if boards and len(sources) > 1:
        what = f"a leaderboard file cannot be combined with other systems, got {len(sources)} files"
        raise OptionError(Problem(printable(boards[0]), what, "Pass only the leaderboard file.", "several-boards"))
    if boards:
        from outscore.readers.boards import board_files  # few commands read TOML

        with board_files(boards[0], metrics, reading) as content:
            own, notes = _of_ratings(content.files, content.metrics, content.reading, files)
            named = _named(content.files, own, default_names)
            door = _Door(named, content.metrics, own, declared_of(own, files), work or Work(), files)
            return door.systems(baseline, content.families).noting([*files.notes, *notes])
    one_file = len(specs) == len(sources) and len({spec.rpartition(":")[0] or spec for spec in specs}) == 1
    if not reading.has_references and _may_hold_verdicts(sources, reading, files):
        from outscore.readers.tabular.verdicts import in_numbers  # of a judge

        sources, of_words = in_numbers(sources, reading, files, may_name=not one_table)
        notes += of_words
    if not one_table and (len(sources) == 1 or one_file) and not reading.has_references:
        from outscore.readers.tabular.orders import in_both_orders  # of a judge

        sources, reading, of_orders = in_both_orders(sources, reading, files)
        notes += of_orders
    table = _table_of_all(sources, reading, files) if one_table else None
    if table is not None:
        if isinstance(sources[0], InMemory) and reading.tells_of_levels:
            from outscore.readers.tabular.ratings import rated  # of frames with raters

            table, reading, notes = rated(table, reading)
        return _of_table(table, metrics, reading, files, baseline).noting([*files.notes, *notes])
    if reading.names is not None or len(specs) < len(sources):
        sources = _named(sources, reading, default_names)
    door = _Door(sources, metrics, reading, declared_of(reading, files), work or Work(), files)
    return door.systems(baseline).noting([*files.notes, *notes])


def _may_hold_verdicts(sources: Sequence[Source], reading: Reading, files: InputFiles) -> bool:
    """Return whether a system is an object, a named column, or has a column with a name of verdicts."""
    if reading.score_column is not None or any(isinstance(one, InMemory) for one in sources):
        return True
    specs = [split_spec(one.spec) for one in sources if isinstance(one, SystemFile) and not is_kept(one.spec)]
    with suppress(OutscoreError):  # that reading the system raises as well
        names = (name for path, _ in specs for name in files.file(path).table().columns)
        return any(column for _, column in specs) or any(normal_name(name) in VERDICTS for name in names)
    return False


def _of_ratings(sources: Sequence[Source], metrics: Sequence[object], reading: Reading, files: InputFiles) -> Any:
    """Return the options with what tables of ratings know of their columns, and notes."""
    if reading.has_references or any(isinstance(metric, AnyOutputMetric) for metric in metrics):
        return reading, []
    specs = (split_spec(one.spec)[0] for one in sources if isinstance(one, SystemFile))
    paths = [path for path in dict.fromkeys(specs) if not (is_kept(path) or is_board(path))]
    tables = tables_of_ratings(paths, reading, files)
    if not tables and reading.standardize is None:
        return reading, []
    from outscore.readers.tabular.ratings import settled  # which few tables hold

    return settled(tables, reading, files, paths, several=len(sources) > 1)


def read_apart(
    sources: Sequence[Source],
    metric: object,
    reading: Reading,
    *,
    default_names: Callable[[int], Sequence[str]] | None = None,
    work: Work | None = None,
) -> list[Systems]:
    """Return systems that are not compared. Each system in the logs keeps its own items and tasks.

    Parameters and errors are those of `read_systems`.
    """
    if reading.mapping is not None:
        sources = _mapped(sources)
    if any(source.is_log for source in sources):
        return _of_logs(sources, metric, reading, None, apart=True)
    return [read_systems(sources, metric, reading, one_table=False, default_names=default_names, work=work)]


def _of_logs(
    sources: Sequence[Source], metric: object, reading: Reading, baseline: str | None, *, apart: bool = False
) -> list[Systems]:
    """Return the systems in evaluation logs, together or one by one."""
    logs_of_object = from_wing("logs.finding:logs_of_object")
    logged_systems = from_wing("logs.pairing.systems:logged_systems")
    strange = [source for source in sources if not source.is_log]
    if strange:
        if isinstance(strange[0], SystemFile):
            refuse_unreadable(split_spec(strange[0].spec)[0])
        what = "unrecognized log format, although the other files are evaluation logs"
        raise DataError(Problem(_spec_of(strange[0]), what, "Compare logs only with logs.", "mixed-logs"))
    files = [source for source in sources if isinstance(source, SystemFile)]
    objects = [
        (log, source.name) for source in sources if isinstance(source, InMemory) for log in logs_of_object(source.data)
    ]
    together = []
    for logged in logged_systems(files, metric, reading, objects, apart=apart):
        own, names, input_files = logged.reading, [rows.name for rows in logged.rows[0]], InputFiles()
        if baseline == "" and logged.specs.count(logged.specs[0]) > 1:
            what = f"expected a baseline, got several systems: {listed(names)}"
            advice = f"Choose it with {opt('baseline')}."
            raise OptionError(Problem(printable(logged.specs[0]), what, advice, "no-baseline"))
        if baseline is not None and len(names) < 2:
            what = f"expected a baseline and at least one candidate, got only {quoted(names[0])}"
            raise DataError(Problem(printable(logged.specs[0]), what, "Pass the logs of both systems.", "one-system"))
        declared = declared_of(replace(own, drop_missing=reading.drop_missing), input_files)
        systems = _assembled(
            [*zip(logged.metrics, logged.rows, strict=True)],
            own,
            replace(declared, drops_missing=own.drop_missing),
            input_files,
            partial(_labels_in_file, item_ids=logged.rows[0][0].item_ids, files=input_files),
            notes=logged.notes,
            audit=logged.audit,
            read_texts=logged.texts,
            fingerprint=logged.fingerprint,
        )
        together.append(_with_first(systems, place_of(baseline, names, logged.specs)) if baseline else systems)
    return together


_ByMetric: TypeAlias = Sequence[tuple[AnyMetric, Sequence[Rows]]]


def _assembled(
    by_metric: _ByMetric,
    reading: Reading,
    declared: Declaration,
    files: InputFiles,
    labelled: Callable[[str], Labels],
    *,
    families: Sequence[str | None] | None = None,
    found: Mapping[str, Labels] | None = None,
    notes: Sequence[str] = (),
    **known: Any,
) -> Systems:
    """Return systems of any kind whose rows have been read.

    Parameters
    ----------
    labelled : callable
        Maps a column or file of labels, as users name it, to the labels.
    families : sequence of str or None, optional
        One per system, used if the user names none.
    found : mapping from str to Labels, optional
        Labels that override those in columns and files, by attribute of `Systems`.
    notes : sequence of str
        Further notes than those on the rows.
    **known
        Other attributes of `Systems`.
    """
    labels: dict[str, Any] = dict(found or {})
    for of, given in reading.labellings.items():
        if not isinstance(given, str):
            labels[of] = _labels_in_memory(given, of)
        elif of not in labels:
            labels[of] = labelled(given)
    metrics, rows = zip(*by_metric, strict=True)
    if reading.families is not None:
        from outscore.readers.boards import families_named  # rarely used

        names = [one.name for one in rows[0]]
        families = families_named(names, reading.families, families or [None] * len(names), files)
    strata = labels.pop("strata", None)
    on_rows = (note for systems in rows for system in systems for note in system.notes)
    return Systems(
        metrics,
        tuple(map(tuple, rows)),
        tuple(families or [None] * len(rows[0])),
        strata=Labels.collapsing(strata, reading.collapse_strata) if reading.collapse_strata else strata,
        drop_missing=reading.drop_missing,
        declared=declared,
        notes=tuple(dict.fromkeys((*notes, *on_rows))),
        **labels,
        **known,
    )


def _roles_of(reading: Reading, declared: Declaration) -> ColumnRoles:
    """Return what the user specified about columns of tables."""
    labels = (of if isinstance(of, str) else _labels_in_memory(of, name) for name, of in reading.labellings.items())
    test_sets = reading.test_sets if isinstance(reading.test_sets, str) else None
    roles = ColumnRoles(labels=tuple(labels), test_sets=test_sets)
    if not declared.crossed:
        return roles
    said = {factor.name: getattr(reading, factor.name) for factor in declared.crossed}
    samples = declared.samples
    return replace(
        roles,
        named={name: column for name, column in said.items() if column is not None},
        declared=declared.axes,
        beside=None if samples is None or samples.reducer is None else samples.reducer.needs,
    )


def _labels_in_memory(data: object, argument: str) -> Labels:
    """Return labels that are Python objects."""
    from outscore.readers.in_memory import labels_from  # not needed by the command line

    return labels_from(data, "clusters" if argument == "other_clusters" else argument)


def _labels_in_file(spec: str, item_ids: Sequence[str] | None, files: InputFiles) -> Labels:
    """Return the labels in a file or column."""
    from outscore.readers.tabular.labels import labels_beside  # rarely used

    return labels_beside(spec, None, item_ids=item_ids, files=files)


def _is_stored(source: Source) -> bool:
    return isinstance(source, InMemory) and isinstance(source.data, StoredSystem)


def _with_stored(systems: Systems, stored: Sequence[Source]) -> Systems:
    """Return systems of logs, preceded by those from baseline files."""
    kept = [source.data for source in stored if isinstance(source, InMemory) and isinstance(source.data, StoredSystem)]
    rows = tuple(
        (*(one.rows_on(metric) for one in kept), *own)
        for metric, own in zip(systems.metrics, systems.rows, strict=True)
    )
    return replace(systems, rows=rows, families=(*(None for _ in kept), *systems.families))


def refuse_without_baseline(systems: Sequence[object], baseline: str | None) -> None:
    """Raise if a folder, leaderboard file or data frame has several systems and no baseline is chosen.

    Raises
    ------
    OptionError
    """
    first = systems[0] if systems else None
    known = getattr(first, "columns", ())
    others = [name for one in systems[1:] for name in (one if isinstance(one, list | tuple) else (one,))]
    if others and isinstance(known, Iterable) and all(isinstance(name, str) and name in known for name in others):
        columns = list(map(quoted, others))
        what = f"expected systems, got names of columns: {', '.join(columns)}"
        how = f"compare(df[[{', '.join(columns)}]], baseline={columns[0]})"
        advice = (
            f"Write {how}." if len(columns) > 1 else "Pass the frame only, and name one of its columns as baseline."
        )
        raise OptionError(Problem("compare", what, advice, "no-baseline"))
    if baseline is None and isinstance(first, str | os.PathLike):
        spec = os.fspath(first)
        place = split_name(spec)[1]
        if (is_folder(place) and not is_log(place)) or (len(systems) == 1 and is_board(spec)):
            what = "expected a baseline, got several systems"
            raise OptionError(Problem(printable(spec), what, f"Choose it with {opt('baseline')}.", "no-baseline"))


def read_compared(
    sources: Sequence[Source],
    metric: object,
    reading: Reading,
    baseline: str | None,
    work: Work | None = None,
) -> Systems:
    """Return systems to compare, the baseline first.

    Parameters
    ----------
    sources, metric, reading, work
        As for `read_systems`.
    baseline : str, optional
        Name or file of the baseline; the first system by default.

    Raises
    ------
    OutscoreError
        Fewer than two systems, an unknown baseline, or any error of reading.
    """
    if reading.mapping is not None:
        sources = _mapped(sources)
    of_logs = bool(sources) and sources[0].is_log
    if len(sources) < 2 and (baseline is None or not (of_logs or _are_several(sources, reading))):
        got = f"only {_spec_of(sources[0])}" if sources else "no systems"
        what = f"expected a baseline and at least one candidate, got {got}"
        advice = f"Pass two systems (FILE or FILE:COLUMN), or one table and {opt('baseline', 'NAME')}."
        first = sources[0] if of_logs else None
        paths = (first.runs or (first.spec,)) if isinstance(first, SystemFile) else ()
        how = {"mapping": reading.mapping, "follow_links": reading.follow_links}
        names = list(dict.fromkeys(name for path in paths for name in names_in_log(path, **how)))
        if len(names) > 1:
            advice = f"Choose the baseline with {opt('baseline')}; the logs contain {listed(names)}."
        elif names:
            advice = f"Also pass the logs of another system; these contain only {quoted(names[0])}."
        raise OptionError(Problem("outscore compare", what, advice, "no-candidate"))
    return read_systems(
        sources,
        metric,
        reading,
        one_table=len(sources) == 1,
        baseline=baseline or "",
        default_names=_baseline_and_candidates,
        work=work,
    )


def read_each(
    sources: Sequence[Source],
    metric: object,
    reading: Reading,
    baseline: str | None,
    work: Work | None = None,
    references: Sequence[str] = (),
) -> list[Systems]:
    """Return systems to compare that were read one by one, so that labels are those of each one's items.

    Parameters are those of `read_compared`, and the files of references if each system has its own; the baseline is
    first.
    """
    usual = _baseline_and_candidates(len(sources))
    each = []
    for place, (source, name) in enumerate(zip(sources, usual, strict=True)):
        system = source if isinstance(source, SystemFile) or source.name else replace(source, name=name)
        how = replace(reading, references=Files([references[place]])) if references else reading
        each.append(read_systems([system], metric, how, one_table=False, work=work))
    names = [rows.name for rows in called(sources, [systems.rows[0][0] for systems in each])]
    each = [
        replace(systems, rows=tuple((replace(rows, name=name),) for (rows,) in systems.rows))
        for systems, name in zip(each, names, strict=True)
    ]
    specs = [source.spec if isinstance(source, SystemFile) else "" for source in sources]
    first = place_of(baseline, names, specs) if baseline else 0
    pairs = [f"{name} with {printable(file)}" for name, file in zip(names, references, strict=False)]
    note = Note(f"Each system has its own references: {', '.join(pairs)}.")
    each[first] = each[first].noting([note] if pairs else [])
    return [each[first], *each[:first], *each[first + 1 :]]


def _mapped(sources: Sequence[Source]) -> Sequence[Source]:
    """Return sources whose files are read like logs, because the user mapped their fields."""
    files = [source for source in sources if isinstance(source, SystemFile) and not is_board(source.spec)]
    if len(files) + sum(map(_is_stored, sources)) < len(sources):
        what = "applies only to files, not to objects or leaderboard files"
        raise OptionError(Problem(opt("mapping"), what, leave_out(), "not-for-map"))
    if any(path == "-" for source in files for path in source.runs or (source.spec.partition(":")[0],)):
        what = "does not apply to standard input"
        raise OptionError(Problem(opt("mapping"), what, "Write the records to a file.", "not-for-map"))
    return [_as_log(source) if isinstance(source, SystemFile) else source for source in sources]


def _as_log(source: SystemFile) -> SystemFile:
    """Return a file or folder that is read like a log: ``FILE:SYSTEM`` is one of its systems."""
    path = source.spec
    while ":" in path and not (source.runs or is_readable(path) or is_folder(path)):
        path = path.rpartition(":")[0]
    if path == source.spec or not (is_readable(path) or is_folder(path)):
        return replace(source, is_log=True)
    return replace(source, is_log=True, runs=(path,), system=source.spec[len(path) + 1 :])


def _baseline_and_candidates(n: int) -> Sequence[str]:
    return ("baseline", "candidate") if n == 2 else ("baseline", *(f"candidate {i + 1}" for i in range(n - 1)))


def _spec_of(source: Source) -> str:
    """Return the name of a system in messages."""
    return printable(source.spec) if isinstance(source, SystemFile) else source.name or "one system"


def _are_several(sources: Sequence[Source], reading: Reading) -> bool:
    """Return whether the source can hold several systems: a leaderboard file, or a table of all systems."""
    board = bool(sources) and isinstance(sources[0], SystemFile) and is_board(sources[0].spec)
    return board or _is_table(sources, reading)


def _is_table(sources: Sequence[Source], reading: Reading) -> bool:
    """Return whether a single file or object was passed that can be a table of all systems."""
    if len(sources) != 1 or reading.has_references or sources[0].name is not None:
        return False
    return isinstance(sources[0], InMemory) or split_spec(sources[0].spec)[1] is None


def _table_of_all(sources: Sequence[Source], reading: Reading, files: InputFiles) -> Table | None:
    """Return the table of all systems, if a single table was passed."""
    if not _is_table(sources, reading):
        return None
    (only,) = sources
    if isinstance(only, SystemFile):
        return files.read(only.spec)
    from outscore.readers.in_memory import table_from

    return table_from(only.data, "frame")


def _of_table(
    table: Table, metrics: Sequence[AnyMetric | str], reading: Reading, files: InputFiles, baseline: str | None
) -> Systems:
    """Return the systems of one table: long (system, item, score) or wide (one column per system)."""
    if reading.input_format is not None:
        raise wrong("input_format", "None, because the systems are scores", reading.input_format)
    if not table.bare and column_called(table, "system") is None:
        _refuse_battles(table)
    from outscore.readers.tabular.systems import entries_of_table  # only for tables of all systems

    declared, labels = declared_of(reading, files), reading.labellings
    roles, drops = _roles_of(reading, declared), reading.drop_missing or reading.zero_missing
    by_metric = []
    asked, score = column_metrics(metrics, reading, lambda: table)
    for metric in asked:
        how: Any = {"id_column": reading.id_column, "score_column": score, "drop_missing": drops}
        by_metric.append((metric, entries_of_table(table, metric, labels=labels, roles=roles, **how)))
    first = by_metric[0][1]
    notes = [note for _, entries in by_metric for note in entries.notes]
    if first.rows and "clusters" not in first.labels:
        from outscore.readers.tabular.guesses import notes_on_clusters

        notes += notes_on_clusters(table, first.rows[0].item_ids, reading)
    systems = _assembled(
        [(metric, entries.rows) for metric, entries in by_metric],
        reading,
        declared,
        files,
        partial(_labels_in_file, item_ids=first.rows[0].item_ids if first.rows else None, files=files),
        families=first.families,
        found=first.labels,
        notes=notes,
    )
    systems = replace(systems, ratings=table.ratings)
    if not baseline:
        return systems
    if len(first.names) < 2:
        what = "expected at least two systems, got one"
        advice = "Use one column of scores per system, or one row per system and item (system,item,score)."
        raise DataError(Problem(quoted(baseline), what, advice, "one-system"))
    try:
        return _with_first(systems, place_of(baseline, first.names))
    except OptionError as error:
        if not any(baseline in cells for cells in table.columns.values()):
            raise
        what = f"{quoted(baseline)} is in a row of {printable(table.source)}, and systems are columns: "
        what += listed(first.names)
        advice = "If rows are systems, transpose the table: one row per item, one column per system."
        raise OptionError(Problem(opt("baseline"), what, advice, "unknown-system")) from error


def _refuse_battles(table: Table) -> None:
    """Raise if a table holds pairwise comparisons instead of scores.

    Raises
    ------
    DataError
    """
    if has_wing("battles") and from_wing("battles.reading:are_battles")(table):
        what = "expected scores of systems, got a table of pairwise comparisons: two systems and an outcome per row"
        advice = f"Pass {opt('metric', 'bradley-terry', short=True)} to outscore rank."
        raise DataError(Problem(printable(table.source), what, advice, "battles"))


def _with_first(systems: Systems, place: int) -> Systems:
    return systems.ordered([place, *(other for other in range(len(systems.families)) if other != place)])


def _named(
    sources: Sequence[Source], reading: Reading, default_names: Callable[[int], Sequence[str]] | None
) -> Sequence[Source]:
    """Return systems with the names that users gave."""
    names = reading.names
    if names is not None:
        if (
            isinstance(names, str)
            or not isinstance(names, Iterable)
            or not all(isinstance(name, str | None) for name in names)
        ):
            raise wrong("names", "a list of strings", names)
        if len(names) != len(sources):
            what = f"expected {len(sources)} names, got {len(names)}"
            raise OptionError(Problem("names", what, "Pass one name per system.", "names"))
        sources = [replace(source, name=name or source.name) for name, source in zip(names, sources, strict=True)]
    if all(isinstance(source, SystemFile) for source in sources):
        return sources
    usual = default_names(len(sources)) if default_names else [f"system {place + 1}" for place in range(len(sources))]
    series = [
        None if isinstance(source, SystemFile) else own_name(source.data) or name
        for source, name in zip(sources, usual, strict=True)
    ]
    own = [name for name in series if name is not None]
    if len(set(own)) < len(own):
        series = list(usual)
    return [
        replace(source, name=source.name or name) if isinstance(source, InMemory) else source
        for source, name in zip(sources, series, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class _Door:
    """Systems in files, in columns, or in memory."""

    sources: Sequence[Source]
    metrics: Sequence[AnyMetric | str]
    reading: Reading
    declared: Declaration
    work: Work
    files: InputFiles

    @cached_property
    def roles(self) -> ColumnRoles:
        """The roles of columns that the user specified."""
        return _roles_of(self.reading, self.declared)

    @cached_property
    def outputs(self) -> OutputReader | None:
        """Reads outputs or cached rows; None if the systems are scores."""
        are_outputs = (
            self.reading.has_references
            or any(isinstance(metric, AnyOutputMetric) for metric in self.metrics)
            or any(
                is_kept(source.spec)
                if isinstance(source, SystemFile)
                else isinstance(source.data, StoredSystem) and source.data.of_outputs
                for source in self.sources
            )
        )
        if not are_outputs:
            return None
        # Importing dozens of metrics and formats takes time, and comparing columns does not need them.
        from outscore.readers.outputs import OutputReader

        of_files = all(isinstance(source, SystemFile) for source in self.sources)
        return OutputReader(self.metrics, self.reading, self.work, self.files, of_files)

    @cached_property
    def asked(self) -> tuple[list[ColumnMetric], str | None]:
        """The metrics of scores, and the column of scores if the user named one for all of them."""

        def table() -> Table | None:
            known = (self._readable_table(source)[0] for source in self.sources)
            return next((one for one in known if one is not None), None)

        return column_metrics(self.metrics, self.reading, table)

    @cached_property
    def items(self) -> tuple[Mapping[Source, Items], tuple[str, ...]]:
        """The items of each table, by the ids that the user named or that tables of paired systems share, and notes."""
        notes = dict[str, None]()
        found: dict[int, Part] = {}
        parts: list[Source] = []
        for source in self.sources if self.outputs is None else ():
            runs = source.runs if isinstance(source, SystemFile) else ()
            parts += [SystemFile(run, runs=(run,)) for run in runs] or [source]
        with suppress(OutscoreError):  # that reading the system raises as well
            if all(
                table_named(part.spec, self.files)[0].bare
                if isinstance(part, SystemFile)
                else isinstance(part.data, Mapping | Sequence | np.ndarray)
                for part in parts
            ):
                return {}, ()  # nothing has columns
        tables = [self._readable_table(part) for part in parts]
        known = {part: items for part, (_, items) in zip(parts, tables, strict=True) if items is not None}
        specs = [split_spec(part.spec)[1] if isinstance(part, SystemFile) else None for part in parts]
        for (table, items), spec in zip(tables, specs, strict=True):
            if table is None or items is None or table.bare:
                continue
            from outscore.readers.tabular.guesses import Part, notes_on_score  # plain files have no columns

            found.setdefault(id(table), Part(table, items, {*items.levels.values()} | self.roles.label_columns(table)))
            metrics, score = self.asked
            score = (None if spec is None else column_called(table, spec)) or score
            for metric in metrics:
                with suppress(OutscoreError):  # that reading the system raises as well
                    own = score_columns_of(table, metric, score, items.id_column)
                    found[id(table)].taken.update(own)
                    if len(own) == 1 and (score is None or len({*specs}) == 1):  # not columns named like systems
                        chosen = score is not None
                        notes |= dict.fromkeys(notes_on_score(table, metric, own[0], items.id_column, chosen=chosen))
        for one in [*found.values()][:1]:
            from outscore.readers.tabular.guesses import notes_on_clusters

            notes |= dict.fromkeys(notes_on_clusters(one.table, one.items.ids, self.reading))
        named = self.reading.id_column is not None
        if not named and not self.reading.unpaired and len(found) > 1 and None not in dict(tables):
            from outscore.readers.tabular.guesses import shared_ids

            columns, said = shared_ids([*found.values()])
            of_table = dict(zip(found, columns or (None,) * len(found), strict=True))
            for part, (table, _) in zip(parts, tables, strict=True):
                column = of_table.get(id(table))
                items = None if column is None else self._table_and_items(part, column)[1]
                known |= {} if items is None else {part: items}
            notes |= dict.fromkeys(said)
        return known, tuple(notes)

    def systems(self, baseline: str | None, families: Sequence[str | None] | None = None) -> Systems:
        """Return the systems. With `skip_unreadable`, those that cannot be read are left out."""
        reading = self.reading
        if self.outputs is not None:
            reading.refuse(_NOT_FOR_OUTPUTS, "not-for-outputs")
        left_out, by_metric = self._readable() if reading.skip_unreadable else ({}, self._read(self.sources))
        places = [place for place in range(len(self.sources)) if place not in left_out]
        kept = [self.sources[place] for place in places]
        named = [(metric, called(kept, systems)) for metric, systems in by_metric]
        first = named[0][1]
        named[1:] = [
            (metric, [replace(rows, name=mine.name) for rows, mine in zip(systems, first, strict=True)])
            for metric, systems in named[1:]
        ]
        outputs = self.outputs
        systems = _assembled(
            named,
            reading,
            self.declared,
            self.files,
            partial(self._labels, kept, first),
            families=None if families is None else [families[place] for place in places],
            notes=(*self.items[1], *(f"Left out: {why}." for why in left_out.values())),
            texts=None if outputs is None else partial(outputs.texts, kept, [metric for metric, _ in named]),
        )
        if baseline is None:
            return systems
        specs = [source.spec if isinstance(source, SystemFile) else "" for source in self.sources]
        names = [source.name or PurePath(spec).stem for source, spec in zip(self.sources, specs, strict=True)]
        for place, rows in zip(places, first, strict=True):
            names[place] = rows.name
        chosen = place_of(baseline, names, specs) if baseline else 0
        if chosen in left_out:
            what = f"the baseline cannot be left out; {left_out[chosen]}"
            raise DataError(Problem(printable(specs[chosen]), what, "Correct the file.", "no-baseline"))
        return _with_first(systems, places.index(chosen)) if baseline else systems

    def _readable(self) -> tuple[dict[int, str], _ByMetric]:
        """Return reasons why systems cannot be read or paired, by place, and the rows of the others."""
        left_out, kept = dict[int, str](), list(self.sources)
        try:
            by_metric = self._read(kept)
        except (FileAccessError, DataError):
            left_out = self._unreadable()
            kept = [source for place, source in enumerate(self.sources) if place not in left_out]
            if not left_out or not kept:
                raise  # the error is not about single systems
            by_metric = self._read(kept)
        if self.outputs is None:
            others = _unpaired(by_metric[0][1], drop_missing=self.reading.drop_missing)
            places = [place for place in range(len(self.sources)) if place not in left_out]
            left_out |= {places[place]: why for place, why in others.items()}
            stay = [place for place in range(len(kept)) if place not in others]
            by_metric = [(metric, [systems[place] for place in stay]) for metric, systems in by_metric]
        n_kept = len(self.sources) - len(left_out)
        if left_out and n_kept < 2:
            what = f"expected at least two readable systems, got {n_kept} of {len(self.sources)}"
            first = next(iter(left_out.values()))
            raise DataError(
                Problem(opt("skip_unreadable"), f"{what}; {first}", "Correct the other files.", "one-system")
            )
        return left_out, by_metric

    def _unreadable(self) -> dict[int, str]:
        """Return reasons why single systems cannot be read, by place."""
        reasons = {}
        for place, source in enumerate(self.sources):
            try:
                self._read([source])
            except (FileAccessError, DataError) as error:
                spec = source.spec if isinstance(source, SystemFile) else str(source.name)
                reasons[place] = reason_of(spec, error.problems[0])
        return reasons

    def _read(self, sources: Sequence[Source]) -> _ByMetric:
        """Return the rows of systems by metric. The files of one system are read separately, then merged."""
        read = self._scores if self.outputs is None else self.outputs.rows
        runs = [source.runs if isinstance(source, SystemFile) else () for source in sources]
        if not any(runs):
            return read(sources)
        parts: list[Source] = []
        for source, files in zip(sources, runs, strict=True):
            parts += [SystemFile(file, runs=(file,)) for file in files] or [source]
        by_metric = []
        for metric, rows in read(parts):
            left = iter(rows)
            systems = [[next(left) for _ in files or (source,)] for source, files in zip(sources, runs, strict=True)]
            merging = zip(systems, runs, strict=True)
            by_metric.append((metric, [self._merged(own, files) if files else own[0] for own, files in merging]))
        return by_metric

    def _merged(self, parts: Sequence[Rows], files: Sequence[str]) -> Rows:
        """Merge the files of one system, as its runs or as levels of another declared factor.

        Runs are named after their files. Levels that systems share, such as paired runs, are numbered.
        """
        axis = self.declared.axis_of_files
        shared = any(factor.name == axis and factor.is_shared for factor in self.declared.crossed)
        names = [str(place + 1) for place in range(len(files))] if shared else files
        return merged(parts, names, parts[0].name, axis)

    def _scores(self, sources: Sequence[Source]) -> _ByMetric:
        """Return the rows of systems of scores, by metric."""
        reading = self.reading
        if reading.input_format is not None:
            raise wrong("input_format", "None, because the systems are scores", reading.input_format)
        metrics = self.asked[0]
        return [(metric, [self._scores_of(source, metric) for source in sources]) for metric in metrics]

    def _scores_of(self, source: Source, metric: ColumnMetric) -> Rows:
        """Return the rows of a system of scores. If it looks like outputs, the error names the options needed."""
        reading = self.reading
        if isinstance(source, InMemory) and isinstance(source.data, StoredSystem):
            return source.data.rows_on(metric)
        how: Any = {"id_column": reading.id_column, "score_column": self.asked[1]}
        how |= {"drop_missing": reading.drop_missing or reading.zero_missing, "items": self.items[0].get(source)}
        if isinstance(source, InMemory):
            from outscore.readers.in_memory import system_from

            return system_from(source.data, metric, name=str(source.name), roles=self.roles, **how)
        try:
            how |= {"files": self.files, "roles": self._roles_of(source)}
            return read_system(source.spec, metric, **how)
        except DataError as error:
            first, *others = error.problems
            is_text = first.slug in _TEXT_SLUGS or (first.slug == "not-a-number" and first.where.endswith(":1"))
            if not is_text or format_named(split_spec(source.spec)[0]) is not None:
                raise
            advice = f"{first.advice} Outputs, such as translations or tags, need {opt('metric')} and "
            advice += f"{opt('references')}."
            from outscore.data.verdicts import word_value  # only for this message

            if word_value(first.what.rpartition(", got ")[2]) is not None:
                advice += " Verdicts need a table with a column verdict."
            raise DataError(replace(first, advice=advice), *others) from None

    def _roles_of(self, source: SystemFile) -> ColumnRoles:
        """Return the roles of columns. If files are the runs of a system, no column is."""
        if not source.runs:
            return self.roles
        return ColumnRoles(labels=self.roles.labels, test_sets=self.roles.test_sets)

    def _labels(self, sources: Sequence[Source], systems: Sequence[Rows], column: str) -> Labels:
        """Return the labels of the first system's items, from a column or a file."""
        from outscore.readers.tabular.labels import check_same_labels, labels_beside  # rarely used

        table, items = self._known_items(sources[0])
        if table is not None and items is not None and is_id(column):
            for other in sources[1:]:
                check_same_labels(column, table, items, *self._known_items(other))
        return labels_beside(column, table, items, item_ids=systems[0].item_ids, files=self.files)

    def _known_items(self, source: Source) -> tuple[Table | None, Items | None]:
        """Return the table of scores of a system, of its first run if there are several, and the items found in it."""
        table, items = self._table_and_items(source, self.reading.id_column)
        runs = source.runs[:1] if isinstance(source, SystemFile) else ()
        return table, self.items[0].get(SystemFile(runs[0], runs=runs) if runs else source, items)

    def _readable_table(self, source: Source) -> tuple[Table | None, Items | None]:
        """Return the same as `_table_and_items` by the ids that the user named; None if that raises an error."""
        with suppress(OutscoreError):  # that reading the system raises as well
            return self._table_and_items(source, self.reading.id_column)
        return None, None

    def _table_and_items(self, source: Source, id_column: str | None) -> tuple[Table | None, Items | None]:
        """Return the table of scores of a system, and its items; None if it is not a table."""
        if self.outputs is not None or _is_stored(source):
            return None, None
        if isinstance(source, SystemFile):
            table = table_named(source.runs[0] if source.runs else source.spec, self.files)[0]
            return table, Items.of(table, id_column, self._roles_of(source))
        from outscore.readers.in_memory import items_from

        return items_from(source.data, str(source.name), id_column, self.roles) or (None, None)


def _unpaired(systems: Sequence[Rows], *, drop_missing: bool) -> dict[int, str]:
    """Return reasons why systems cannot be paired, by place: their items differ from those of most systems."""
    items = [len(rows) if rows.item_ids is None else frozenset(rows.item_ids) for rows in systems]
    usual = systems[items.index(Counter(items).most_common(1)[0][0])]
    reasons = {}
    for place, rows in enumerate(systems):
        try:
            align([usual, rows], drop_missing=drop_missing)
        except DataError as error:
            own = [problem for problem in error.problems if problem.where != usual.where]
            reasons[place] = reason_of(rows.where, (own or error.problems)[0])
    return reasons
