"""The doors through which systems of any kind are read, from files or memory, with one or several metrics."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from outscore.data.coercion import place_of, wrong
from outscore.data.pairing import align, merged
from outscore.data.rows import Labels, Missing, Rows
from outscore.design.options import crossed_options
from outscore.design.runs import Runs
from outscore.design.scores import Systems
from outscore.design.settling import Declaration
from outscore.errors import DataError, FileAccessError, OptionError, OutscoreError, Problem
from outscore.metrics import AnyMetric, ColumnMetric
from outscore.metrics.base import AnyOutputMetric
from outscore.options import leave_out, opt
from outscore.readers.base import Table, normal_name
from outscore.readers.files import STANDARD_INPUT, refuse_unreadable
from outscore.readers.reading import Files, Reading, Work, column_metrics, declared_of, listed_metrics
from outscore.readers.registry import InputFiles, format_named
from outscore.readers.sources import Source, called, names_in_log, own_name
from outscore.readers.tabular.columns import VERDICTS, column_called, score_columns_of
from outscore.readers.tabular.tables import ColumnRoles, Items, rows_of_table, system_column_of, table_at
from outscore.text.naming import Note, listed, printable, quoted
from outscore.wings import from_wing, has_wing

if TYPE_CHECKING:
    from outscore.readers.kept.stored import StoredSystem
    from outscore.readers.outputs import OutputReader
    from outscore.readers.tabular.guesses import Part

_ONLY_LOGS = "applies only to evaluation logs"


@dataclass(frozen=True, eq=False)
class Request:
    """Systems that are to be read, and how.

    Attributes
    ----------
    metric : object
        As users write it: names, which may be separated by commas, or metrics. The default is the metric of the cached
        rows if a file has some, else the metrics of the leaderboard file, else the mean of scores.
    baseline : str, optional
        Name or file of the system to put first; "" if it already is.
    one_table : bool
        Whether a single file or frame is a table of all systems. A leaderboard file (TOML) always is.
    apart : bool
        Whether systems are not compared, so that each system in logs keeps its own items and tasks.
    default_names : callable, optional
        Maps the number of systems to names for systems in memory that have none.
    families : sequence of str or None, optional
        Families of the systems in a leaderboard file.
    """

    sources: Sequence[Source]
    metric: object
    reading: Reading
    work: Work | None = None
    baseline: str | None = None
    one_table: bool = False
    apart: bool = False
    default_names: Callable[[int], Sequence[str]] | None = None
    families: Sequence[str | None] | None = None

    @cached_property
    def metrics(self) -> tuple[AnyMetric | str, ...]:
        """The metrics as a list."""
        return listed_metrics(self.metric)

    def groups(self) -> list[Systems]:
        """Return the systems together as one group, or as several if they are kept apart.

        Raise the errors of reading, and DataError for fewer than two readable systems if unreadable ones are skipped.
        """
        return next(door for door in DOORS if door.takes(self)).read(self)

    def systems(self) -> Systems:
        """Return the systems, in the order in which they were read. Raises the errors of `groups`."""
        return self.groups()[0]


class Door(NamedTuple):
    """One way to read systems: whether it takes those of a request, and how it reads them."""

    takes: Callable[[Request], bool]
    read: Callable[[Request], list[Systems]]


def _by_labels(request: Request) -> list[Systems]:
    """Return systems with human and judge labels, which are read one after the other."""

    def again(sources: Sequence[Source], metric: object, reading: Reading) -> Systems:
        return replace(request, sources=sources, metric=metric, reading=reading).systems()

    return [from_wing("human.labels:with_labels")(again, request.sources, request.metric, request.reading)]


def _refused(request: Request) -> list[Systems]:
    """Raise, because there are no systems, or a baseline file of a gate is among them."""
    if not request.sources:
        what = "expected at least two systems, got none"
        raise DataError(Problem("leaderboard", what, "Pass more systems, or a leaderboard file.", "one-system"))
    store = next(source for source in request.sources if source.is_store)
    what = "is a baseline file of a gate, not a system"
    raise OptionError(Problem(store.shown, what, "Pass it first to outscore gate.", "gate-store"))


def _of_board(request: Request) -> list[Systems]:
    """Return the systems that a leaderboard file names."""
    board = next(source for source in request.sources if source.is_board)
    if len(request.sources) > 1:
        what = f"a leaderboard file cannot be combined with other systems, got {len(request.sources)} files"
        raise OptionError(Problem(board.shown, what, "Pass only the leaderboard file.", "several-boards"))
    from outscore.readers.boards import board_files  # few commands read TOML

    with board_files(board.spec, request.metrics, request.reading) as content:
        how = {"metric": content.metrics or None, "reading": content.reading, "families": content.families}
        return replace(request, sources=content.sources, one_table=False, **how).groups()  # type: ignore[arg-type]


def _of_files(request: Request) -> list[Systems]:
    """Return the systems in tables, outputs or cached rows, or in memory."""
    files = InputFiles(request.reading.records)
    sources, reading, notes = _prepared(request, files)
    holds_all = request.one_table or (request.apart and _hold_several(sources, request.metrics, reading, files))
    table = _table_of_all(sources, reading, files) if holds_all else None
    if table is not None:
        if sources[0].path is None and crossed_options(reading):
            from outscore.readers.tabular.ratings import rated  # of frames with raters

            table, reading, notes = rated(table, reading)
        systems = _of_table(table, request, reading, files)
    else:
        if reading.names is not None or any(source.path is None for source in sources):
            sources = _named(sources, reading, request.default_names)
        declared = declared_of(reading, files)
        one_by_one = OneByOne(sources, request.metrics, reading, declared, request.work or Work(), files)
        systems = one_by_one.systems(request.baseline, request.families)
    return [systems.noting([*files.notes, *notes])]


def _prepared(request: Request, files: InputFiles) -> tuple[Sequence[Source], Reading, list[str]]:
    """Return systems whose tables hold one score per item, how to read them, and notes.

    Several ratings of an item are averaged, verdicts in words become numbers, and verdicts in both orders one unit.
    """
    sources, reading = request.sources, request.reading
    reading, notes = _of_ratings(sources, request.metrics, reading, files)
    reading.refuse(dict.fromkeys(("task", "total", "duplicates", "follow_links"), _ONLY_LOGS), "no-logs")
    if request.families is not None or reading.has_references:
        return sources, reading, notes
    if _may_hold_verdicts(sources, reading, files):
        from outscore.readers.tabular.verdicts import in_numbers  # of a judge

        sources, of_words = in_numbers(sources, reading, files, may_name=not request.one_table)
        notes += of_words
    paths = {source.path for source in sources}
    if not request.one_table and len(paths) == 1 and (len(sources) == 1 or paths != {None}):
        from outscore.readers.tabular.orders import in_both_orders  # of a judge

        sources, reading, of_orders = in_both_orders(sources, reading, files)
        notes += of_orders
    return sources, reading, notes


def _of_ratings(
    sources: Sequence[Source], metrics: Sequence[object], reading: Reading, files: InputFiles
) -> tuple[Reading, list[str]]:
    """Return the options with what tables of ratings know of their columns, and notes."""
    if reading.has_references or any(isinstance(metric, AnyOutputMetric) for metric in metrics):
        return reading, []
    paths = list(dict.fromkeys(str(source.path) for source in sources if source.path and not source.is_kept))
    tables: dict[str, Table] = {}
    for path in paths:
        with suppress(OutscoreError):  # that reading the system raises as well
            table = files.file(path).table()
            tables |= {path: table} if table.conventions is not None or crossed_options(reading) else {}
    if not tables and reading.standardize is None:
        return reading, []
    from outscore.readers.tabular.ratings import settled  # which few tables hold

    return settled(tables, reading, files, paths, several=len(sources) > 1)


def _may_hold_verdicts(sources: Sequence[Source], reading: Reading, files: InputFiles) -> bool:
    """Return whether a system is an object, a named column, or has a column with a name of verdicts."""
    if reading.score_column is not None or any(source.path is None for source in sources):
        return True
    not_kept = [source for source in sources if not source.is_kept]
    with suppress(OutscoreError):  # that reading the system raises as well
        names = (name for source in not_kept for name in files.file(str(source.path)).table().columns)
        return any(source.column for source in not_kept) or any(normal_name(name) in VERDICTS for name in names)
    return False


def _of_logs(request: Request) -> list[Systems]:
    """Return the systems in evaluation logs, together or one by one, after those from baseline files."""
    reading, baseline = request.reading, request.baseline
    sources = _mapped(request.sources) if reading.mapping is not None else request.sources
    logs, stored = [source for source in sources if source.stored is None], [source.stored for source in sources]
    strange = next((source for source in logs if not source.is_log), None)
    if strange is not None:
        if strange.path is not None:
            refuse_unreadable(strange.path)
        what = "unrecognized log format, although the other files are evaluation logs"
        raise DataError(Problem(strange.shown, what, "Compare logs only with logs.", "mixed-logs"))
    together = []
    logged_systems = from_wing("logs.pairing.systems:logged_systems")
    for systems, specs in logged_systems(logs, request.metric, reading, apart=request.apart):
        names, where = systems.names, printable(specs[0])
        if baseline == "" and specs.count(specs[0]) > 1:
            what = f"expected a baseline, got several systems: {listed(names)}"
            raise OptionError(Problem(where, what, f"Choose it with {opt('baseline')}.", "no-baseline"))
        if baseline is not None and len(names) < 2:
            what = f"expected a baseline and at least one candidate, got only {quoted(names[0])}"
            raise DataError(Problem(where, what, "Pass the logs of both systems.", "one-system"))
        together.append(with_first(systems, place_of(baseline, names, specs)) if baseline else systems)
    kept = [system for system in stored if system is not None]
    return [_with_stored(systems, kept) for systems in together] if kept else together


# The first door that takes the systems reads them. The order matters:
# - Labels read the same systems once per column, through the doors below.
# - Baseline files of gates are JSON, which tables and logs are as well.
# - A log may also be readable as a table, and other doors refuse the options of logs.
# - A leaderboard file names other files, which come through the doors again.
DOORS: Sequence[Door] = (
    Door(lambda request: not (request.reading.human is request.reading.judge is None), _by_labels),
    Door(
        lambda request: (
            not request.sources or any(source.spec.endswith(".json") and source.is_store for source in request.sources)
        ),
        _refused,
    ),
    Door(
        lambda request: request.reading.mapping is not None or any(source.is_log for source in request.sources),
        _of_logs,
    ),
    Door(lambda request: request.families is None and any(source.is_board for source in request.sources), _of_board),
    Door(lambda _: True, _of_files),
)


def _with_stored(systems: Systems, stored: Sequence[StoredSystem]) -> Systems:
    """Return systems of logs, preceded by those from baseline files."""
    rows = tuple(
        (*(system.rows_on(metric) for system in stored), *logged)
        for metric, logged in zip(systems.metrics, systems.rows, strict=True)
    )
    return replace(systems, rows=rows, families=(*(None for _ in stored), *systems.families))


def refuse_without_baseline(systems: Sequence[object], sources: Sequence[Source], baseline: str | None) -> None:
    """Raise OptionError if a folder, leaderboard file or data frame has several systems and no baseline is chosen.

    `systems` are as they were passed, and `sources` the same, parsed.
    """
    first = systems[0] if systems else None
    headers = getattr(first, "columns", ())
    others = [name for other in systems[1:] for name in (other if isinstance(other, list | tuple) else (other,))]
    if others and isinstance(headers, Iterable) and all(isinstance(name, str) and name in headers for name in others):
        columns = list(map(quoted, others))
        what = f"expected systems, got names of columns: {', '.join(columns)}"
        how = f"compare(df[[{', '.join(columns)}]], baseline={columns[0]})"
        advice = (
            f"Write {how}." if len(columns) > 1 else "Pass the frame only, and name one of its columns as baseline."
        )
        raise OptionError(Problem("compare", what, advice, "no-baseline"))
    several = any(source.folder is not None or (len(systems) == 1 and source.is_board) for source in sources[:1])
    if baseline is None and several and isinstance(first, str | os.PathLike):
        what = "expected a baseline, got several systems"
        where = printable(os.fspath(first))
        raise OptionError(Problem(where, what, f"Choose it with {opt('baseline')}.", "no-baseline"))


def read_compared(request: Request) -> Systems:
    """Return systems to compare, the baseline first: the first system, unless it is named.

    Raise OutscoreError for fewer than two systems, an unknown baseline, or any error of reading.
    """
    sources, reading, baseline = request.sources, request.reading, request.baseline
    if reading.mapping is not None:
        sources = _mapped(sources)
    of_logs = bool(sources) and sources[0].is_log
    several = len(sources) > 1 or of_logs or any(source.is_board for source in sources) or _is_table(sources, reading)
    if not several or (len(sources) < 2 and baseline is None):
        got = f"only {sources[0].shown}" if sources else "no systems"
        what = f"expected a baseline and at least one candidate, got {got}"
        advice = f"Pass two systems (FILE or FILE:COLUMN), or one table and {opt('baseline', 'NAME')}."
        how = {"mapping": reading.mapping, "follow_links": reading.follow_links}
        paths = sources[0].paths if of_logs else ()
        names = list(dict.fromkeys(name for path in paths for name in names_in_log(path, **how)))
        if len(names) > 1:
            advice = f"Choose the baseline with {opt('baseline')}; the logs contain {listed(names)}."
        elif names:
            advice = f"Also pass the logs of another system; these contain only {quoted(names[0])}. "
            advice += "To compare logs of one system, name each: A=FILE B=FILE."
        raise OptionError(Problem("outscore compare", what, advice, "no-candidate"))
    one_table, names_of = len(sources) == 1, _baseline_and_candidates
    return replace(request, baseline=baseline or "", one_table=one_table, default_names=names_of).systems()


def read_each(request: Request, references: Sequence[str] = ()) -> list[Systems]:
    """Return systems to compare that were read one by one, so that labels are those of each one's items.

    The baseline is first. Each system may have its own file of references.
    """
    sources, baseline = request.sources, request.baseline
    usual = _baseline_and_candidates(len(sources))
    each = []
    for index, (source, name) in enumerate(zip(sources, usual, strict=True)):
        system = source if source.path is not None or source.name else replace(source, name=name)
        reading = request.reading
        how = replace(reading, references=Files([references[index]])) if references else reading
        each.append(replace(request, sources=[system], reading=how, baseline=None).systems())
    names = [rows.name for rows in called(sources, [systems.rows[0][0] for systems in each])]
    each = [
        replace(systems, rows=tuple((replace(rows, name=name),) for (rows,) in systems.rows))
        for systems, name in zip(each, names, strict=True)
    ]
    first = place_of(baseline, names, [source.spec for source in sources]) if baseline else 0
    pairs = [f"{name} with {printable(file)}" for name, file in zip(names, references, strict=False)]
    note = Note(f"Each system has its own references: {', '.join(pairs)}.")
    each[first] = each[first].noting([note] if pairs else [])
    return [each[first], *each[:first], *each[first + 1 :]]


def _mapped(sources: Sequence[Source]) -> Sequence[Source]:
    """Return sources whose files are read like logs, because the user mapped their fields."""
    if any(source.is_board or (source.path is None and source.stored is None) for source in sources):
        what = "applies only to files, not to objects or leaderboard files"
        raise OptionError(Problem(opt("mapping"), what, leave_out(), "not-for-map"))
    if any(path == STANDARD_INPUT for source in sources for path in source.paths):
        what = "does not apply to standard input"
        raise OptionError(Problem(opt("mapping"), what, "Write the records to a file.", "not-for-map"))
    return [source.as_log if source.stored is None else source for source in sources]


def _baseline_and_candidates(n: int) -> Sequence[str]:
    return ("baseline", "candidate") if n == 2 else ("baseline", *(f"candidate {i + 1}" for i in range(n - 1)))


def _is_table(sources: Sequence[Source], reading: Reading) -> bool:
    """Return whether a single file or object was passed that can be a table of all systems."""
    if len(sources) != 1 or reading.has_references or sources[0].name is not None:
        return False
    return sources[0].column is None


def _table_of_all(sources: Sequence[Source], reading: Reading, files: InputFiles) -> Table | None:
    """Return the table of all systems, if a single table was passed."""
    if not _is_table(sources, reading):
        return None
    (only,) = sources
    if only.path is not None:
        return files.file(only.path).table()
    from outscore.readers.in_memory import table_from

    table = table_from(only.data, "frame")
    return None if table is None else replace(table, row_names=None)


def _hold_several(
    sources: Sequence[Source], metrics: Sequence[AnyMetric | str], reading: Reading, files: InputFiles
) -> bool:
    """Return whether a single table was passed that holds several systems, in rows or one in each column."""
    of_scores = not any(isinstance(metric, AnyOutputMetric) for metric in metrics)
    if not of_scores or any(source.is_kept or source.stored for source in sources):
        return False
    with suppress(OutscoreError):  # that reading the system raises as well
        table = _table_of_all(sources, reading, files)
        if table is not None and not table.bare:
            from outscore.readers.tabular.systems import holds_systems  # only for single tables

            return holds_systems(table, *_scored_columns(table, metrics, reading, declared_of(reading, files)))
    return False


def _scored_columns(
    table: Table, metrics: Sequence[AnyMetric | str], reading: Reading, declared: Declaration
) -> tuple[Sequence[ColumnMetric], ColumnRoles]:
    """Return the metrics of a table of scores, and the roles of its columns."""
    chosen, score = column_metrics(metrics, reading, lambda: table)
    return chosen, roles_of(reading, declared).scored_by(score)


def _of_table(table: Table, request: Request, reading: Reading, files: InputFiles) -> Systems:
    """Return the systems of one table: long (system, item, score) or wide (one column per system)."""
    if reading.input_format is not None:
        raise wrong("input_format", "None, because the systems are scores", reading.input_format)
    may_be_battles = not table.bare and column_called(table, "system") is None and has_wing("battles")
    if may_be_battles and from_wing("battles.reading:are_battles")(table):
        what = "expected scores of systems, got a table of pairwise comparisons: two systems and an outcome per row"
        advice = f"Pass {opt('metric', 'bradley-terry', short=True)} to outscore rank."
        raise DataError(Problem(printable(table.source), what, advice, "battles"))
    from outscore.readers.tabular.systems import entries_of_table  # only for tables of all systems

    declared, labels = declared_of(reading, files), reading.labellings
    chosen, roles = _scored_columns(table, request.metrics, reading, declared)
    by_metric = [(metric, entries_of_table(table, metric, labels, roles)) for metric in chosen]
    first, baseline = by_metric[0][1], request.baseline
    notes = [note for _, entries in by_metric for note in entries.notes]
    if system_column_of(table, roles) is None:
        from outscore.readers.tabular.guesses import note_on_columns, notes_on_runs

        columns = [rows.name for rows in first.rows]
        notes += [note_on_columns(columns)] if request.apart else []
        notes += [] if declared.crossed else notes_on_runs(table, columns)
    if first.rows and "clusters" not in first.labels:
        from outscore.readers.tabular.guesses import notes_on_clusters

        notes += notes_on_clusters(table, first.rows[0].item_ids, reading)
    systems = assembled(
        [(metric, entries.rows) for metric, entries in by_metric],
        reading,
        declared,
        files,
        partial(labels_in_file, item_ids=first.rows[0].item_ids if first.rows else None, files=files),
        families=first.families,
        found=first.labels,
        notes=notes,
    )
    systems = replace(systems, ratings=table.ratings)
    if not baseline:
        return systems
    if len(systems.names) < 2:
        what = "expected at least two systems, got one"
        advice = "Use one column of scores per system, or one row per system and item (system,item,score)."
        raise DataError(Problem(quoted(baseline), what, advice, "one-system"))
    try:
        return with_first(systems, place_of(baseline, systems.names))
    except OptionError as error:
        if not any(baseline in cells for cells in table.columns.values()):
            raise
        what = f"{quoted(baseline)} is in a row of {printable(table.source)}, and systems are columns: "
        what += listed(systems.names)
        advice = "If rows are systems, transpose the table: one row per item, one column per system."
        raise OptionError(Problem(opt("baseline"), what, advice, "unknown-system")) from error


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
    if all(source.path is not None for source in sources):
        return sources
    usual = default_names(len(sources)) if default_names else [f"system {index + 1}" for index in range(len(sources))]
    series = [
        None if source.path is not None else own_name(source.data) or name
        for source, name in zip(sources, usual, strict=True)
    ]
    names_of_series = [name for name in series if name is not None]
    if len(set(names_of_series)) < len(names_of_series):
        series = list(usual)
    return [
        replace(source, name=source.name or name) if source.path is None else source
        for source, name in zip(sources, series, strict=True)
    ]


# Errors of texts or files of tags that are read as scores.
_TEXT_SLUGS = {"blank-line", "duplicate-column", "not-csv", "ragged-row", "which-column"}
# Options of score tables, and why they do not apply to outputs.
_NOT_FOR_OUTPUTS = {
    "lower_is_better": "metrics of outputs define their direction",
    "id_column": "outputs are paired by the ids in their files, or line by line",
    "score_column": "outputs have no scores",
    Missing.DROP.argument: "every system needs an output for every reference",
}

_ByMetric: TypeAlias = Sequence[tuple[AnyMetric, Sequence[Rows]]]


def assembled(
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

    `labelled` maps a column or file of labels, as users name it, to the labels. Those of `found`, by attribute of
    `Systems`, override them. `families` has one per system, used if the user names none. `notes` are further notes than
    those on the rows, and `known` other attributes of `Systems`.
    """
    labels: dict[str, Any] = dict(found or {})
    for attribute, given in reading.labellings.items():
        if not isinstance(given, str):
            labels[attribute] = _labels_in_memory(given, attribute)
        elif attribute not in labels:
            labels[attribute] = labelled(given)
    metrics, rows = zip(*by_metric, strict=True)
    if reading.families is not None:
        from outscore.readers.boards import families_named  # rarely used

        names = [system.name for system in rows[0]]
        families = families_named(names, reading.families, families or [None] * len(names), files)
    if reading.collapse_strata:
        if "strata" not in labels:
            what = "needs strata, got none"
            raise OptionError(Problem(opt("collapse_strata"), what, f"Pass {opt('strata')}.", "no-strata"))
        labels["strata"] = replace(labels["strata"], collapse=True)
    on_rows = (note for systems in rows for system in systems for note in system.notes)
    return Systems(
        metrics,
        tuple(map(tuple, rows)),
        tuple(families or [None] * len(rows[0])),
        declared=declared,
        notes=tuple(dict.fromkeys((*notes, *on_rows))),
        **labels,
        **known,
    )


def roles_of(reading: Reading, declared: Declaration) -> ColumnRoles:
    """Return what the user specified about columns of tables."""
    given = reading.labellings.items()
    labels = (value if isinstance(value, str) else _labels_in_memory(value, name) for name, value in given)
    test_sets = reading.test_sets if isinstance(reading.test_sets, str) else None
    roles = ColumnRoles(reading.id_column, missing=declared.missing, labels=tuple(labels), test_sets=test_sets)
    if not declared.crossed:
        return roles
    columns = {factor.name: getattr(reading, factor.name) for factor in declared.crossed}
    samples = declared.samples
    return replace(
        roles,
        named={name: column for name, column in columns.items() if column is not None},
        declared=declared.axes,
        beside=None if samples is None or samples.reducer is None else samples.reducer.needs,
    )


def _labels_in_memory(data: object, argument: str) -> Labels:
    """Return labels that are Python objects."""
    from outscore.readers.in_memory import labels_from  # not needed by the command line

    return labels_from(data, "clusters" if argument == "other_clusters" else argument)


def labels_in_file(spec: str, item_ids: Sequence[str] | None, files: InputFiles) -> Labels:
    """Return the labels in a file or column."""
    from outscore.readers.tabular.labels import labels_beside  # rarely used

    return labels_beside(spec, None, item_ids=item_ids, files=files)


def with_first(systems: Systems, first: int) -> Systems:
    """Return systems with that at a place put first."""
    return systems.ordered([first, *(other for other in range(len(systems.families)) if other != first)])


@dataclass(frozen=True, eq=False)
class OneByOne:
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
        return roles_of(self.reading, self.declared)

    @cached_property
    def outputs(self) -> OutputReader | None:
        """Reads outputs or cached rows; None if the systems are scores."""
        are_outputs = (
            self.reading.has_references
            or any(isinstance(metric, AnyOutputMetric) for metric in self.metrics)
            or any(source.is_kept or (source.stored and source.stored.of_outputs) for source in self.sources)
        )
        if not are_outputs:
            return None
        # Importing dozens of metrics and formats takes time, and comparing columns does not need them.
        from outscore.readers.outputs import OutputReader

        of_files = all(source.path is not None for source in self.sources)
        return OutputReader(self.metrics, self.reading, self.work, self.files, of_files)

    @cached_property
    def asked(self) -> tuple[list[ColumnMetric], str | None]:
        """The metrics of scores, and the column of scores if the user named one for all of them."""

        def table() -> Table | None:
            tables = (self._readable_table(source.files[0])[0] for source in self.sources)
            return next((table_of_system for table_of_system in tables if table_of_system is not None), None)

        return column_metrics(self.metrics, self.reading, table)

    @cached_property
    def items(self) -> tuple[Mapping[Source, Items], tuple[str, ...]]:
        """The items of each table, by the ids that the user named or that tables of paired systems share, and notes."""
        notes = dict[str, None]()
        parsed: dict[int, Part] = {}
        scored = self.sources if self.outputs is None else ()
        parts = [part for source in scored for part in source.files]
        with suppress(OutscoreError):  # that reading the system raises as well
            if all(
                table_at(part.place, self.files)[0].bare
                if part.path is not None
                else isinstance(part.data, Mapping | Sequence | np.ndarray)
                for part in parts
            ):
                return {}, ()  # nothing has columns
        tables = [self._readable_table(part) for part in parts]
        known = {part: items for part, (_, items) in zip(parts, tables, strict=True) if items is not None}
        specs = [part.column for part in parts]
        for (table, items), spec in zip(tables, specs, strict=True):
            if table is None or items is None or table.bare:
                continue
            from outscore.readers.tabular.guesses import Part, notes_on_score  # plain files have no columns

            parsed.setdefault(id(table), Part(table, items, {*items.levels.values()} | self.roles.label_columns(table)))
            metrics, score = self.asked
            score = (None if spec is None else column_called(table, spec)) or score
            for metric in metrics:
                with suppress(OutscoreError):  # that reading the system raises as well
                    names = score_columns_of(table, metric, score, items.id_column)
                    parsed[id(table)].taken.update(names)
                    if len(names) == 1 and (score is None or len({*specs}) == 1):  # not columns named like systems
                        chosen = score is not None
                        notes |= dict.fromkeys(notes_on_score(table, metric, names[0], items.id_column, chosen=chosen))
        for first in [*parsed.values()][:1]:
            from outscore.readers.tabular.guesses import notes_on_clusters

            notes |= dict.fromkeys(notes_on_clusters(first.table, first.items.ids, self.reading))
        named = self.reading.id_column is not None
        if not named and not self.reading.unpaired and len(parsed) > 1 and None not in dict(tables):
            from outscore.readers.tabular.guesses import shared_ids

            columns, remarks = shared_ids([*parsed.values()])
            of_table = dict(zip(parsed, columns or (None,) * len(parsed), strict=True))
            for part, (table, _) in zip(parts, tables, strict=True):
                column = of_table.get(id(table))
                items = None if column is None else self._table_and_items(part, column)[1]
                known |= {} if items is None else {part: items}
            notes |= dict.fromkeys(remarks)
        return known, tuple(notes)

    def systems(self, baseline: str | None, families: Sequence[str | None] | None = None) -> Systems:
        """Return the systems. With `skip_unreadable`, those that cannot be read are left out."""
        reading = self.reading
        if self.outputs is not None:
            reading.refuse(_NOT_FOR_OUTPUTS, "not-for-outputs")
        left_out, by_metric = self._readable() if reading.skip_unreadable else ({}, self._read(self.sources))
        indices = [index for index in range(len(self.sources)) if index not in left_out]
        kept = [self.sources[index] for index in indices]
        named = [(metric, called(kept, systems)) for metric, systems in by_metric]
        first = named[0][1]
        named[1:] = [
            (metric, [replace(rows, name=mine.name) for rows, mine in zip(systems, first, strict=True)])
            for metric, systems in named[1:]
        ]
        outputs = self.outputs
        systems = assembled(
            named,
            reading,
            self.declared,
            self.files,
            partial(self._labels, kept, first),
            families=None if families is None else [families[index] for index in indices],
            notes=(*self.items[1], *(f"Left out: {why}." for why in left_out.values())),
            texts=None if outputs is None else partial(outputs.texts, kept, [metric for metric, _ in named]),
        )
        if baseline is None:
            return systems
        specs = [source.spec for source in self.sources]
        names = [source.name or PurePath(spec).stem for source, spec in zip(self.sources, specs, strict=True)]
        for index, rows in zip(indices, first, strict=True):
            names[index] = rows.name
        chosen = place_of(baseline, names, specs) if baseline else 0
        if chosen in left_out:
            what = f"the baseline cannot be left out; {left_out[chosen]}"
            raise DataError(Problem(printable(specs[chosen]), what, "Correct the file.", "no-baseline"))
        return with_first(systems, indices.index(chosen)) if baseline else systems

    def _readable(self) -> tuple[dict[int, str], _ByMetric]:
        """Return reasons why systems cannot be read or paired, by place, and the rows of the others."""
        left_out, kept = dict[int, str](), list(self.sources)
        try:
            by_metric = self._read(kept)
        except (FileAccessError, DataError):
            left_out = self._unreadable()
            kept = [source for index, source in enumerate(self.sources) if index not in left_out]
            if not left_out or not kept:
                raise  # the error is not about single systems
            by_metric = self._read(kept)
        if self.outputs is None:
            others = _unpaired(by_metric[0][1], self.declared.missing)
            indices = [index for index in range(len(self.sources)) if index not in left_out]
            left_out |= {indices[index]: why for index, why in others.items()}
            stay = [index for index in range(len(kept)) if index not in others]
            by_metric = [(metric, [systems[index] for index in stay]) for metric, systems in by_metric]
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
        for index, source in enumerate(self.sources):
            try:
                self._read([source])
            except (FileAccessError, DataError) as error:
                spec = str(source.name) if source.path is None else source.spec
                reasons[index] = _reason_of(spec, error.problems[0])
        return reasons

    def _read(self, sources: Sequence[Source]) -> _ByMetric:
        """Return the rows of systems by metric. The files of one system are read separately, then merged."""
        files = [part for source in sources for part in source.files]
        read: _ByMetric
        if self.outputs is not None:
            read = self.outputs.rows(files)
        elif self.reading.input_format is not None:
            raise wrong("input_format", "None, because the systems are scores", self.reading.input_format)
        else:
            read = [(metric, [self._scores_of(part, metric) for part in files]) for metric in self.asked[0]]
        if len(files) == len(sources):
            return read
        by_metric = []
        for metric, rows in read:
            left = iter(rows)
            by_part = [[next(left) for _ in source.files] for source in sources]
            systems = [
                self._merged(rows_of_parts, [part.spec for part in source.parts]) if source.parts else rows_of_parts[0]
                for source, rows_of_parts in zip(sources, by_part, strict=True)
            ]
            by_metric.append((metric, systems))
        return by_metric

    def _merged(self, parts: Sequence[Rows], files: Sequence[str]) -> Rows:
        """Merge the files of one system, as its runs or as levels of another declared factor.

        Runs are named after their files. Levels that systems share, such as paired runs, are numbered.
        """
        axis = next(iter(self.declared.axes), Runs.name)
        shared = any(factor.name == axis and factor.is_shared for factor in self.declared.crossed)
        names = [str(index + 1) for index in range(len(files))] if shared else files
        return merged(parts, names, parts[0].name, axis)

    def _scores_of(self, source: Source, metric: ColumnMetric) -> Rows:
        """Return the rows of a system of scores. If it looks like outputs, the error names the options needed."""
        if source.stored is not None:
            return source.stored.rows_on(metric)
        roles, items = self._roles_of(source).scored_by(self.asked[1]), self.items[0].get(source)
        if source.path is None:
            from outscore.readers.in_memory import system_from

            return system_from(source.data, metric, name=str(source.name), roles=roles, items=items)
        try:
            table, column = table_at(source.place, self.files)
            return rows_of_table(table, metric, source.shown, roles.scored_by(column), items)
        except DataError as error:
            first, *others = error.problems
            is_text = first.slug in _TEXT_SLUGS or (first.slug == "not-a-number" and first.where.endswith(":1"))
            if not is_text or format_named(source.path) is not None:
                raise
            advice = f"{first.advice} Outputs, such as translations or tags, need {opt('metric')} and "
            advice += f"{opt('references')}."
            from outscore.data.verdicts import word_value  # only for this message

            if word_value(first.what.rpartition(", got ")[2]) is not None:
                advice += " Verdicts need a table with a column verdict."
            raise DataError(replace(first, advice=advice), *others) from None

    def _roles_of(self, source: Source) -> ColumnRoles:
        """Return the roles of columns. If files are the runs of a system, no column is."""
        return replace(self.roles, named={}, declared=(), beside=None) if source.is_part else self.roles

    def _labels(self, sources: Sequence[Source], systems: Sequence[Rows], column: str) -> Labels:
        """Return the labels of the first system's items, from a column or a file."""
        from outscore.readers.tabular.labels import check_same_labels, labels_beside  # rarely used

        table, items = self._known_items(sources[0])
        if table is not None and items is not None:
            for other in sources[1:]:
                check_same_labels(column, table, items, *self._known_items(other))
        return labels_beside(column, table, items, item_ids=systems[0].item_ids, files=self.files)

    def _known_items(self, source: Source) -> tuple[Table | None, Items | None]:
        """Return the table of scores of a system, of its first run if there are several, and the items found in it."""
        table, items = self._table_and_items(source.files[0])
        return table, self.items[0].get(source.files[0], items)

    def _readable_table(self, source: Source) -> tuple[Table | None, Items | None]:
        """Return the same as `_table_and_items`; None if that raises an error."""
        with suppress(OutscoreError):  # that reading the system raises as well
            return self._table_and_items(source)
        return None, None

    def _table_and_items(self, source: Source, id_column: str | None = None) -> tuple[Table | None, Items | None]:
        """Return the table of scores of a system, and its items; None if it is not a table."""
        if self.outputs is not None or source.stored is not None:
            return None, None
        roles = self._roles_of(source)
        roles = replace(roles, id_column=id_column or roles.id_column)
        if source.path is not None:
            table: Table | None = table_at(source.place, self.files)[0]
        else:
            from outscore.readers.in_memory import table_from

            table = table_from(source.data, str(source.name))
        return (None, None) if table is None else (table, Items.of(table, roles))


def _unpaired(systems: Sequence[Rows], missing: Missing) -> dict[int, str]:
    """Return reasons why systems cannot be paired, by place: their items differ from those of most systems."""
    items = [len(rows) if rows.item_ids is None else frozenset(rows.item_ids) for rows in systems]
    usual = systems[items.index(Counter(items).most_common(1)[0][0])]
    reasons = {}
    for index, rows in enumerate(systems):
        try:
            align([usual, rows], missing)
        except DataError as error:
            of_system = [problem for problem in error.problems if problem.where != usual.where]
            reasons[index] = _reason_of(rows.where, (of_system or error.problems)[0])
    return reasons


def _reason_of(spec: str, problem: Problem) -> str:
    """Return why a system cannot be read, with the file."""
    where = problem.where if problem.where.startswith(printable(spec)) else f"{printable(spec)}: {problem.where}"
    return f"{where}: {problem.what}"
