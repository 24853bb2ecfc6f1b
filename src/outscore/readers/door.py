"""The doors through which systems of any kind are read, from files or memory, with one or several metrics."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

from outscore.data.coercion import place_of, wrong
from outscore.design.scores import Systems
from outscore.errors import DataError, OptionError, OutscoreError, Problem
from outscore.metrics import AnyMetric
from outscore.metrics.base import AnyOutputMetric
from outscore.options import leave_out, opt
from outscore.readers.base import Table, normal_name
from outscore.readers.files import STANDARD_INPUT, refuse_unreadable
from outscore.readers.kept.stored import StoredSystem
from outscore.readers.one_by_one import OneByOne, assembled, labels_in_file, roles_of, with_first
from outscore.readers.reading import Files, Reading, Work, column_metrics, declared_of, listed_metrics
from outscore.readers.registry import InputFiles
from outscore.readers.sources import Source, called, names_in_log, own_name
from outscore.readers.tabular.columns import VERDICTS, column_called
from outscore.text.naming import Note, listed, printable, quoted
from outscore.wings import from_wing, has_wing

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

        Raises
        ------
        FileAccessError, DataError, OptionError, MissingDependencyError
            Any error of reading; fewer than two readable systems if unreadable ones are skipped.
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
    table = _table_of_all(sources, reading, files) if request.one_table else None
    if table is not None:
        if sources[0].path is None and reading.tells_of_levels:
            from outscore.readers.tabular.ratings import rated  # of frames with raters

            table, reading, notes = rated(table, reading)
        systems = _of_table(table, request.metrics, reading, files, request.baseline)
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
            tables |= {path: table} if table.conventions is not None or reading.tells_of_levels else {}
    if not tables and reading.standardize is None:
        return reading, []
    from outscore.readers.tabular.ratings import settled  # which few tables hold

    return settled(tables, reading, files, paths, several=len(sources) > 1)


def _may_hold_verdicts(sources: Sequence[Source], reading: Reading, files: InputFiles) -> bool:
    """Return whether a system is an object, a named column, or has a column with a name of verdicts."""
    if reading.score_column is not None or any(source.path is None for source in sources):
        return True
    known = [source for source in sources if not source.is_kept]
    with suppress(OutscoreError):  # that reading the system raises as well
        names = (name for source in known for name in files.file(str(source.path)).table().columns)
        return any(source.column for source in known) or any(normal_name(name) in VERDICTS for name in names)
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
    kept = [one for one in stored if one is not None]
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
        (*(one.rows_on(metric) for one in stored), *own)
        for metric, own in zip(systems.metrics, systems.rows, strict=True)
    )
    return replace(systems, rows=rows, families=(*(None for _ in stored), *systems.families))


def refuse_without_baseline(systems: Sequence[object], sources: Sequence[Source], baseline: str | None) -> None:
    """Raise if a folder, leaderboard file or data frame has several systems and no baseline is chosen.

    Parameters
    ----------
    systems : sequence
        As they were passed.
    sources : sequence of Source
        The same, parsed.

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
    several = any(source.folder is not None or (len(systems) == 1 and source.is_board) for source in sources[:1])
    if baseline is None and several and isinstance(first, str | os.PathLike):
        what = "expected a baseline, got several systems"
        where = printable(os.fspath(first))
        raise OptionError(Problem(where, what, f"Choose it with {opt('baseline')}.", "no-baseline"))


def read_compared(request: Request) -> Systems:
    """Return systems to compare, the baseline first: the first system, unless it is named.

    Raises
    ------
    OutscoreError
        Fewer than two systems, an unknown baseline, or any error of reading.
    """
    sources, reading, baseline = request.sources, request.reading, request.baseline
    if reading.mapping is not None:
        sources = _mapped(sources)
    of_logs = bool(sources) and sources[0].is_log
    if len(sources) < 2 and (baseline is None or not (of_logs or _are_several(sources, reading))):
        got = f"only {sources[0].shown}" if sources else "no systems"
        what = f"expected a baseline and at least one candidate, got {got}"
        advice = f"Pass two systems (FILE or FILE:COLUMN), or one table and {opt('baseline', 'NAME')}."
        how = {"mapping": reading.mapping, "follow_links": reading.follow_links}
        paths = sources[0].paths if of_logs else ()
        names = list(dict.fromkeys(name for path in paths for name in names_in_log(path, **how)))
        if len(names) > 1:
            advice = f"Choose the baseline with {opt('baseline')}; the logs contain {listed(names)}."
        elif names:
            advice = f"Also pass the logs of another system; these contain only {quoted(names[0])}."
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
    for place, (source, name) in enumerate(zip(sources, usual, strict=True)):
        system = source if source.path is not None or source.name else replace(source, name=name)
        reading = request.reading
        how = replace(reading, references=Files([references[place]])) if references else reading
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


def _are_several(sources: Sequence[Source], reading: Reading) -> bool:
    """Return whether the source can hold several systems: a leaderboard file, or a table of all systems."""
    return any(source.is_board for source in sources[:1]) or _is_table(sources, reading)


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
        return files.read(only.path)
    from outscore.readers.in_memory import table_from

    table = table_from(only.data, "frame")
    return None if table is None else replace(table, row_names=None)


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
    roles = roles_of(reading, declared)
    asked, score = column_metrics(metrics, reading, lambda: table)
    by_metric = [(metric, entries_of_table(table, metric, labels, roles.scored_by(score))) for metric in asked]
    first = by_metric[0][1]
    notes = [note for _, entries in by_metric for note in entries.notes]
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
    if len(first.names) < 2:
        what = "expected at least two systems, got one"
        advice = "Use one column of scores per system, or one row per system and item (system,item,score)."
        raise DataError(Problem(quoted(baseline), what, advice, "one-system"))
    try:
        return with_first(systems, place_of(baseline, first.names))
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
    usual = default_names(len(sources)) if default_names else [f"system {place + 1}" for place in range(len(sources))]
    series = [
        None if source.path is not None else own_name(source.data) or name
        for source, name in zip(sources, usual, strict=True)
    ]
    own = [name for name in series if name is not None]
    if len(set(own)) < len(own):
        series = list(usual)
    return [
        replace(source, name=source.name or name) if source.path is None else source
        for source, name in zip(sources, series, strict=True)
    ]
