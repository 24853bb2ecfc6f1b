"""The one door: systems of any kind, in files or in memory, under one metric or several."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

from outscore.data.coercion import place_of, wrong
from outscore.data.pairing import align, merged
from outscore.data.rows import Labels, Rows
from outscore.design.options import declared_factors
from outscore.design.scores import Systems
from outscore.design.settling import Declaration
from outscore.design.strata import StratumWeights
from outscore.errors import DataError, FileAccessError, OptionError, Problem
from outscore.metrics import AnyMetric, ColumnMetric, metric_named
from outscore.metrics.base import AnyOutputMetric
from outscore.options import leave_out, opt
from outscore.readers.base import Table
from outscore.readers.files import is_folder, is_readable, refuse_unreadable, split_spec
from outscore.readers.kept.files import METRIC_PLACE, in_file_name, is_kept
from outscore.readers.kept.stored import StoredSystem, is_store
from outscore.readers.reading import (
    Families,
    InMemory,
    Reading,
    Source,
    SystemFile,
    Work,
    called,
    is_log,
    is_log_object,
    listed_metrics,
    once,
    reference_files,
    split_name,
)
from outscore.readers.registry import InputFiles, format_named
from outscore.readers.tabular.cells import in_words, text_in
from outscore.readers.tabular.columns import column_called, is_id, named_column, texts_of
from outscore.readers.tabular.tables import (
    ColumnRoles,
    Items,
    entries_of_table,
    labels_beside,
    read_system,
    table_named,
)
from outscore.text.naming import listed, nearest, printable, quoted
from outscore.wings import from_wing, has_wing

if TYPE_CHECKING:
    from outscore.data.items import Corpus, Texts


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
    """Return systems of any kind, as they were read.

    Parameters
    ----------
    sources : sequence of SystemFile or InMemory
    metric : AnyMetric or str, or a list of them, optional
        As users write them, several with commas between them, too. By default that of the kept rows, where a file holds
        some, or else what a board says, or the mean of scores.
    reading : Reading
    one_table : bool
        Whether a file or frame that is named alone is a table of all systems. A board (TOML) always is.
    baseline : str, optional
        The name or the file of the system that is to be the first one; "" for the one that is.
    default_names : callable, optional
        From the number of systems to names of those in memory that have none.
    work : Work, optional

    Raises
    ------
    FileAccessError, DataError, OptionError, MissingDependencyError
        Whatever reading can raise; fewer than two systems that can be read, where others are skipped.
    """
    if not sources:
        what = "expected at least two systems, got none"
        raise DataError(Problem("leaderboard", what, "Name more systems, or a board.", "one-system"))
    for source in sources:
        if isinstance(source, SystemFile) and source.spec.endswith(".json") and is_store(source.spec):
            what = "keeps the baseline of a gate, which is no system"
            raise OptionError(Problem(printable(source.spec), what, "Name it first in outscore gate.", "gate-store"))
    if any(map(_is_log, sources)):
        stored = [source for source in sources if _is_stored(source)]
        systems = _of_logs([source for source in sources if source not in stored], metric, reading, baseline)[0]
        return _with_stored(systems, stored)
    _refuse_without_logs(reading)
    metrics, files = listed_metrics(metric), InputFiles()
    board = _board_among(sources)
    if board is not None:
        from outscore.readers.boards import board_files  # of TOML, which is in few commands

        with board_files(board, metrics, reading) as content:
            door = _Door(content.files, content.metrics, content.reading, work or Work(), files, default_names)
            return door.systems(baseline, content.families)
    table = _table_of_all(sources, reading, files) if one_table else None
    if table is not None:
        return _of_table(table, metrics, reading, files, baseline)
    return _Door(sources, metrics, reading, work or Work(), files, default_names).systems(baseline)


def read_apart(
    sources: Sequence[Source],
    metric: object,
    reading: Reading,
    *,
    default_names: Callable[[int], Sequence[str]] | None = None,
    work: Work | None = None,
) -> list[Systems]:
    """Return systems that are not to be compared: those in logs one by one, with items and tasks of their own.

    Parameters and errors are those of `read_systems`.
    """
    if any(map(_is_log, sources)):
        return _of_logs(sources, metric, reading, None, apart=True)
    return [read_systems(sources, metric, reading, one_table=False, default_names=default_names, work=work)]


def _of_logs(
    sources: Sequence[Source], metric: object, reading: Reading, baseline: str | None, *, apart: bool = False
) -> list[Systems]:
    """Return the systems in logs of evaluation harnesses, together or one by one."""
    logs_of_object, logged_systems = (
        from_wing("logs.finding:logs_of_object"),
        from_wing("logs.pairing.systems:logged_systems"),
    )

    strange = [source for source in sources if not _is_log(source)]
    if strange:
        if isinstance(strange[0], SystemFile):
            refuse_unreadable(split_spec(strange[0].spec)[0])
        what = "stands beside logs of evaluation harnesses, and is none that is known"
        raise DataError(Problem(_spec_of(strange[0]), what, "Compare logs with logs.", "mixed-logs"))
    files = [source for source in sources if isinstance(source, SystemFile)]
    objects = [
        (log, source.name) for source in sources if isinstance(source, InMemory) for log in logs_of_object(source.data)
    ]
    return [
        _as_systems(logged, reading, baseline)
        for logged in logged_systems(files, metric, reading, objects, apart=apart)
    ]


def _as_systems(logged: Any, reading: Reading, baseline: str | None) -> Systems:
    """Return what logs hold as systems, the baseline first."""
    own, names = logged.reading, [rows.name for rows in logged.rows[0]]
    if baseline == "" and logged.specs.count(logged.specs[0]) > 1:
        what = f"holds several systems, and which of them is the baseline is not said: {listed(names)}"
        raise OptionError(Problem(printable(logged.specs[0]), what, f"Name it with {opt('baseline')}.", "no-baseline"))
    if baseline is not None and len(names) < 2:
        what = f"expected a baseline and at least one candidate, got {quoted(names[0])} alone"
        raise DataError(Problem(printable(logged.specs[0]), what, "Name the logs of both.", "one-system"))
    input_files, first = InputFiles(), logged.rows[0][0].item_ids
    labels = []
    for labelling, argument in (
        (own.clusterings[0], "clusters"),
        (own.clusterings[1], "clusters"),
        (own.strata, "strata"),
        (own.test_sets, "test_sets"),
    ):
        if labelling is None or not isinstance(labelling, str):
            labels.append(None if labelling is None else _labels_in_memory(labelling, argument))
        else:
            labels.append(labels_beside(labelling, None, item_ids=first, files=input_files))
    declared = _declared(replace(own, drop_missing=reading.drop_missing), input_files)
    systems = Systems(
        logged.metrics,
        logged.rows,
        _families(names, reading.families, [None] * len(names), input_files),
        labels[0],
        Labels.collapsing(labels[2], reading.collapse_strata),
        own.drop_missing,
        logged.notes,
        declared=replace(declared, drops_missing=own.drop_missing),
        test_sets=labels[3],
        other_clusters=labels[1],
        audit=logged.audit,
        read_texts=logged.texts,
        fingerprint=logged.fingerprint,
    )
    return _with_first(systems, place_of(baseline, names, logged.specs)) if baseline else systems


def _is_stored(source: Source) -> bool:
    return isinstance(source, InMemory) and isinstance(source.data, StoredSystem)


def _with_stored(systems: Systems, stored: Sequence[Source]) -> Systems:
    """Return systems of logs with such as a baseline file keeps before them."""
    kept = [source.data for source in stored if isinstance(source, InMemory) and isinstance(source.data, StoredSystem)]
    rows = tuple(
        (*(one.rows_on(metric) for one in kept), *own)
        for metric, own in zip(systems.metrics, systems.rows, strict=True)
    )
    return replace(systems, rows=rows, families=(*(None for _ in kept), *systems.families))


def _is_log(source: Source) -> bool:
    return source.is_log if isinstance(source, SystemFile) else is_log_object(source.data)


def _refuse_without_logs(reading: Reading) -> None:
    """Refuse what is told of logs where there are none."""
    for option, value in (
        (opt("task"), reading.task),
        (opt("total"), reading.total),
        (opt("duplicates"), reading.duplicates),
    ):
        if value is not None:
            what = "is told of logs of evaluation harnesses, and these systems are none"
            raise OptionError(Problem(option, what, leave_out(), "no-logs"))


def refuse_without_baseline(systems: Sequence[object], baseline: str | None) -> None:
    """Refuse a folder or a board of which nobody says which system is the baseline.

    Raises
    ------
    OptionError
    """
    first = systems[0] if systems else None
    if baseline is None and isinstance(first, str | os.PathLike):
        spec = os.fspath(first)
        place = split_name(spec)[1]
        if (is_folder(place) and not is_log(place)) or (len(systems) == 1 and spec.lower().endswith(".toml")):
            what = "holds several systems, and which of them is the baseline is not said"
            raise OptionError(Problem(printable(spec), what, f"Name it with {opt('baseline')}.", "no-baseline"))


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
        The name or the file of one of them; the first by default.

    Raises
    ------
    OutscoreError
        Fewer than two systems, no baseline among them, and whatever reading can raise.
    """
    board = _board_among(sources)
    of_logs = bool(sources) and _is_log(sources[0])
    if len(sources) < 2 and (baseline is None or not (board or of_logs or _is_table(sources, reading))):
        got = f"{_spec_of(sources[0])} alone" if sources else "none"
        what = f"expected a baseline and at least one candidate, got {got}"
        advice = "Name both, columns of one table as FILE:COLUMN; of a table of all systems the baseline with "
        advice += f"{opt('baseline')}."
        names = _names_in_logs(sources[0]) if of_logs else []
        if len(names) > 1:
            advice = f"Name the baseline with {opt('baseline')}; the logs are of {listed(names)}."
        elif names:
            advice = f"Name the logs of another system, too: these are of {quoted(names[0])}."
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


def _names_in_logs(source: Source) -> list[str]:
    """Return what the logs in a file or folder call their systems."""
    paths = (source.runs or (source.spec,)) if isinstance(source, SystemFile) else ()
    logs = [one for path in paths for one in from_wing("logs.finding:logs_in")(path, [])]
    return list(dict.fromkeys(one.system for one in logs if one.log.metrics))


def _baseline_and_candidates(n: int) -> Sequence[str]:
    return ("baseline", "candidate") if n == 2 else ("baseline", *(f"candidate {i + 1}" for i in range(n - 1)))


def _spec_of(source: Source) -> str:
    """Return what messages call a system."""
    return printable(source.spec) if isinstance(source, SystemFile) else source.name or "one system"


def _board_among(sources: Sequence[Source]) -> str | None:
    """Return the board that is named, if one is.

    Raises
    ------
    OptionError
        A board beside other files: as a table of scores it has next to no sense.
    """
    files = [source.spec for source in sources if isinstance(source, SystemFile)]
    board = next((file for file in files if file.lower().endswith(".toml")), None)
    if board is not None and len(sources) > 1:
        what = f"expected one board, or the files of several systems, got a board as one of {len(sources)} files"
        raise OptionError(Problem(printable(board), what, "Name one board alone.", "several-boards"))
    return board


def _is_table(sources: Sequence[Source], reading: Reading) -> bool:
    """Tell whether one file or object alone is named, which can be a table of all systems."""
    if len(sources) != 1 or reading.has_references or sources[0].name is not None:
        return False
    return isinstance(sources[0], InMemory) or split_spec(sources[0].spec)[1] is None


def _table_of_all(sources: Sequence[Source], reading: Reading, files: InputFiles) -> Table | None:
    """Return the table that holds all systems, where one alone is named."""
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
    """Return the systems of one table: long (system, item, score) or wide (one column a system)."""
    if reading.input_format is not None:
        raise wrong("input_format", "none, as systems are scores", reading.input_format)
    clusters, others = reading.clusterings
    given_labels = (clusters, reading.strata, reading.test_sets)
    columns = [label if isinstance(label, str) else None for label in given_labels]
    if not table.bare and column_called(table, "system") is None:
        _refuse_battles(table)
    declared = _declared(reading, files)
    known = [_column_metric(metric, reading) for metric in metrics or ("mean",)]
    entries = [
        entries_of_table(
            table,
            metric,
            id_column=reading.id_column,
            score_column=reading.score_column,
            clusters=columns[0],
            strata=columns[1],
            test_sets=columns[2],
            other_clusters=others if isinstance(others, str) else None,
            drop_missing=reading.drop_missing or reading.zero_missing,
            roles=_roles(reading, declared),
        )
        for metric in known
    ]
    first = entries[0]
    items = first.rows[0].item_ids if first.rows else None
    labels = []
    for own, labelling, argument in (
        (first.clusters, clusters, "clusters"),
        (first.strata, reading.strata, "strata"),
        (first.test_sets, reading.test_sets, "test_sets"),
        (first.other_clusters, others, "clusters"),
    ):
        if labelling is None or isinstance(labelling, str):
            if own is None and labelling is not None:
                own = labels_beside(labelling, None, item_ids=items, files=files)
            labels.append(own)
        else:
            labels.append(_labels_in_memory(labelling, argument))
    systems = Systems(
        tuple(known),
        tuple(one.rows for one in entries),
        _families(first.names, reading.families, first.families, files),
        labels[0],
        Labels.collapsing(labels[1], reading.collapse_strata),
        reading.drop_missing,
        first.notes,
        declared=declared,
        test_sets=labels[2],
        other_clusters=labels[3],
    )
    if not baseline:
        return systems
    if len(first.names) < 2:
        what = "expected at least two systems, got one"
        advice = "A table has a column of scores a system, or one row a system and item: system,item,score."
        raise DataError(Problem(quoted(baseline), what, advice, "one-system"))
    return _with_first(systems, place_of(baseline, first.names))


def _refuse_battles(table: Table) -> None:
    """Refuse a table of pairwise comparisons, which holds no scores of systems.

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


def _column_metric(metric: AnyMetric | str, reading: Reading) -> ColumnMetric:
    """Return a metric of columns, by its name or itself."""
    if isinstance(metric, str):
        return metric_named(metric, lower_is_better=reading.lower_is_better)
    _refuse_direction(reading)
    if not isinstance(metric, ColumnMetric):
        raise wrong("metric", "a metric of columns or of outputs", metric)
    from outscore.metrics.plugins import check_declared  # of programs, which pass metrics themselves

    check_declared(metric)
    return metric


def _families(
    names: Sequence[str], families: Families, otherwise: Sequence[str | None], files: InputFiles
) -> tuple[str | None, ...]:
    if families is None:
        return tuple(otherwise)
    from outscore.readers.boards import families_named  # which few name

    return families_named(names, families, otherwise, files)


def _refuse_direction(reading: Reading) -> None:
    if reading.lower_is_better:
        what = "only mean and ratio by name are told the direction; other metrics know it"
        advice = "Leave it out, or pass outscore.Mean(higher_is_better=False)."
        raise OptionError(Problem("lower_is_better", what, advice, "wrong-direction"))


def _declared(reading: Reading, files: InputFiles) -> Declaration:
    """Return what is said of crossed factors, of what is missing, and of strata.

    Raises
    ------
    OptionError
        What contradicts itself.
    """
    crossed = declared_factors(reading)
    if reading.drop_missing and reading.zero_missing:
        what = "expected one way with what is missing, got two"
        raise OptionError(Problem(opt("drop_missing"), what, "Drop it, or score it 0.", "two-ways"))
    weights = _weights(reading.weights, files)
    return Declaration(crossed, reading.drop_missing, reading.zero_missing, weights)


def _roles(reading: Reading, declared: Declaration) -> ColumnRoles:
    """Return what the user says of the columns of tables."""
    labels: list[str | Labels] = []
    for of, argument in (
        *((clusters, "clusters") for clusters in reading.clusterings),
        (reading.strata, "strata"),
        (reading.test_sets, "test_sets"),
    ):
        if of is not None:
            labels.append(of if isinstance(of, str) else _labels_in_memory(of, argument))
    said = {factor.name: getattr(reading, factor.name) for factor in declared.crossed}
    samples = declared.samples
    return ColumnRoles(
        named={name: column for name, column in said.items() if column is not None},
        declared=declared.axes,
        beside=None if samples is None or samples.reducer is None else samples.reducer.needs,
        labels=tuple(labels),
        test_sets=reading.test_sets if isinstance(reading.test_sets, str) else None,
    )


def _weights(weights: object, files: InputFiles) -> StratumWeights | None:
    """Return weights of strata: by a name, a mapping, or a table of one row a stratum."""
    if weights is None or (isinstance(weights, str) and weights in {"macro", "size"}):
        return weights
    if isinstance(weights, Mapping):
        return {str(name): _share(share, str(name)) for name, share in weights.items()}
    if not isinstance(weights, str):
        raise wrong("weights", '"macro", "size", a table, or a mapping from strata to shares', weights)
    path, column = split_spec(weights)
    if not is_readable(path):
        what = f"expected macro, size or a table of weights, got {quoted(weights)}"
        raise OptionError(Problem(opt("weights"), what, nearest(weights, ["macro", "size"]), "unknown-weights"))
    table = files.read(path)
    share = named_column(table, column or "weight")
    strata = next((name for name in ("stratum", "strata") if column_called(table, name) is not None), None)
    names = texts_of(table, named_column(table, strata or "stratum"), "the name of a stratum", "missing-stratum")
    return {name: _share(cell, name) for name, cell in zip(names, table.columns[share], strict=True)}


def _share(cell: object, name: str) -> Fraction:
    try:
        share = Fraction(str(cell).strip())
    except (ValueError, ZeroDivisionError):
        what = f"expected a number as the weight of {quoted(name)}, got {quoted(str(cell))}"
        raise OptionError(Problem(opt("weights"), what, "Give each stratum its share.", "bad-weight")) from None
    return share


_ByMetric: TypeAlias = list[tuple[AnyMetric, list[Rows]]]
# What is wrong with a text, or a file of tags, that is read as if it were scores.
_TEXT_SLUGS = {"blank-line", "duplicate-column", "not-csv", "ragged-row", "which-column"}


class _Door:
    """Systems that stand in a file each, in a column each, or in memory."""

    def __init__(
        self,
        sources: Sequence[Source],
        metrics: Sequence[AnyMetric | str],
        reading: Reading,
        work: Work,
        files: InputFiles,
        default_names: Callable[[int], Sequence[str]] | None,
    ) -> None:
        self._metrics, self._reading, self._work, self._files = metrics, reading, work, files
        self._sources = self._under_names(sources, default_names or _usual_names)
        self._declared = _declared(reading, files)
        self._roles = _roles(reading, self._declared)
        specs = [source.spec for source in self._sources if isinstance(source, SystemFile)]
        of_outputs = any(isinstance(metric, AnyOutputMetric) for metric in metrics)
        # Outputs or kept rows, rather than scores.
        of_outputs = of_outputs or any(
            source.data.of_outputs
            for source in sources
            if isinstance(source, InMemory) and isinstance(source.data, StoredSystem)
        )
        self._are_outputs = reading.has_references or of_outputs or any(map(is_kept, specs))

    def _under_names(self, sources: Sequence[Source], default_names: Callable[[int], Sequence[str]]) -> list[Source]:
        names = self._reading.names
        if names is not None:
            if isinstance(names, str) or not all(isinstance(name, str | None) for name in names):
                raise wrong("names", "a list of texts", names)
            if len(names) != len(sources):
                what = f"expected {len(sources)} names, got {len(names)}"
                raise OptionError(Problem("names", what, "Name every system.", "names"))
            sources = [replace(source, name=name or source.name) for name, source in zip(names, sources, strict=True)]
        usual = default_names(len(sources))
        series = [
            None if isinstance(source, SystemFile) else _own_name(source.data) or name
            for source, name in zip(sources, usual, strict=True)
        ]
        own = [name for name in series if name is not None]
        if len(set(own)) < len(own):
            series = list(usual)
        return [
            replace(source, name=source.name or name) if isinstance(source, InMemory) else source
            for source, name in zip(sources, series, strict=True)
        ]

    def systems(self, baseline: str | None, families: Sequence[str | None] | None = None) -> Systems:
        """Return the systems, those that cannot be read left out where that is wanted."""
        reading, read = self._reading, self._read_outputs if self._are_outputs else self._read_columns
        if self._are_outputs:
            _refuse_for_outputs(reading)
        kept, left_out = list(self._sources), dict[int, str]()
        try:
            by_metric = read(kept)
        except (FileAccessError, DataError):
            if not reading.skip_unreadable:
                raise
            left_out = self._unreadable(read)
            kept = [source for place, source in enumerate(self._sources) if place not in left_out]
            if not left_out or not kept:
                raise  # it is nothing that is wrong with some of them
            by_metric = read(kept)
        if reading.skip_unreadable and not self._are_outputs:
            others = _unpaired(by_metric[0][1], drop_missing=reading.drop_missing)
            places = [place for place in range(len(self._sources)) if place not in left_out]
            left_out |= {places[place]: why for place, why in others.items()}
            stay = [place for place in range(len(kept)) if place not in others]
            kept = [kept[place] for place in stay]
            by_metric = [(metric, [systems[place] for place in stay]) for metric, systems in by_metric]
        if left_out and len(kept) < 2:
            what = f"expected at least two systems that can be read, got {len(kept)} of {len(self._sources)}"
            first = next(iter(left_out.values()))
            raise DataError(Problem(opt("skip_unreadable"), f"{what}; {first}", "Mend the others.", "one-system"))
        named = [_under_own_names(kept, rows) for _, rows in by_metric]
        rows = [
            tuple(_named(mine, first.name) for mine, first in zip(systems, named[0], strict=True)) for systems in named
        ]
        names = [system.name for system in rows[0]]
        places = [place for place in range(len(self._sources)) if place not in left_out]
        of_board = [None if families is None else families[place] for place in places]
        clusters, crossing = (self._labels(kept, rows[0], of, "clusters") for of in reading.clusterings)
        strata = self._labels(kept, rows[0], reading.strata, "strata")
        systems = Systems(
            tuple(metric for metric, _ in by_metric),
            tuple(rows),
            _families(names, reading.families, of_board, self._files),
            clusters,
            Labels.collapsing(strata, reading.collapse_strata),
            reading.drop_missing,
            tuple(f"Left out: {left_out[place]}." for place in left_out),
            partial(self._texts, kept, [metric for metric, _ in by_metric]) if self._are_outputs else None,
            self._declared,
            self._labels(kept, rows[0], reading.test_sets, "test_sets"),
            crossing,
        )
        if baseline is None:
            return systems
        specs = [source.spec if isinstance(source, SystemFile) else "" for source in self._sources]
        of_all = dict(zip(places, names, strict=True))
        usual = [source.name or PurePath(spec).stem for source, spec in zip(self._sources, specs, strict=True)]
        every = [of_all.get(place, name) for place, name in enumerate(usual)]
        chosen = place_of(baseline, every, specs) if baseline else 0
        if chosen in left_out:
            what = f"the baseline cannot be left out; {left_out[chosen]}"
            raise DataError(Problem(printable(specs[chosen]), what, "Mend it.", "no-baseline"))
        return _with_first(systems, places.index(chosen)) if baseline else systems

    def _read_columns(self, sources: Sequence[Source]) -> _ByMetric:
        reading = self._reading
        if reading.input_format is not None:
            raise wrong("input_format", "none, as systems are scores", reading.input_format)
        metrics = once([_column_metric(metric, reading) for metric in self._metrics or ("mean",)])
        return [(metric, [self._column_rows(source, metric) for source in sources]) for metric in metrics]

    def _column_rows(self, source: Source, metric: ColumnMetric) -> Rows:
        columns: Any = {"id_column": self._reading.id_column, "score_column": self._reading.score_column}
        drops = self._reading.drop_missing or self._reading.zero_missing
        if isinstance(source, InMemory):
            if isinstance(source.data, StoredSystem):
                return source.data.rows_on(metric)
            from outscore.readers.in_memory import system_from

            name = str(source.name)
            return system_from(source.data, metric, name=name, **columns, roles=self._roles, drop_missing=drops)
        read: Callable[..., Rows] = partial(_scores_in, **columns, drop_missing=drops, files=self._files)
        if source.runs:
            parts = [read(file, metric, roles=self._roles_of(source)) for file in source.runs]
            return self._merged(parts, source.runs, printable(source.spec))
        return read(source.spec, metric, roles=self._roles_of(source))

    def _roles_of(self, source: SystemFile) -> ColumnRoles:
        """Return what columns of a file are: where files are the runs of a system, no column of theirs is."""
        if not source.runs:
            return self._roles
        return ColumnRoles(labels=self._roles.labels, test_sets=self._roles.test_sets)

    def _read_outputs(self, sources: Sequence[Source]) -> _ByMetric:
        """Return the rows of systems of outputs; runs are scored as if they were systems."""
        alone: list[Source] = []
        for source in sources:
            files = source.runs if isinstance(source, SystemFile) else ()
            alone += [SystemFile(file) for file in files] or [source]
        if len(alone) == len(sources):
            return self._scored_outputs(sources)
        by_metric: _ByMetric = []
        for metric, rows in self._scored_outputs(alone):
            left, systems = iter(rows), []
            for source in sources:
                files = source.runs if isinstance(source, SystemFile) else ()
                parts = [next(left) for _ in files or (source,)]
                systems.append(self._merged(parts, files, parts[0].name) if files else parts[0])
            by_metric.append((metric, systems))
        return by_metric

    def _merged(self, parts: Sequence[Rows], files: Sequence[str], name: str) -> Rows:
        """Return files of one system as its runs, or as the levels of another factor where no runs are declared.

        Runs are called by their files; levels that systems share, such as paired runs, by their places.
        """
        axis = self._declared.axis_of_files
        shared = any(factor.name == axis and factor.is_shared for factor in self._declared.crossed)
        names = [str(place + 1) for place in range(len(files))] if shared else files
        return merged(parts, names, name, axis)

    def _scored_outputs(self, sources: Sequence[Source]) -> _ByMetric:
        # Dozens of metrics and formats: who compares columns does not wait for them.
        from outscore.metrics.options import spec_of
        from outscore.metrics.outputs import output_metric_named
        from outscore.metrics.plugins import check_declared
        from outscore.readers.outputs import read_outputs
        from outscore.readers.scoring import Scoring

        scoring = Scoring(self._work.jobs, self._work.progress)
        named = once([output_metric_named(metric) if isinstance(metric, str) else metric for metric in self._metrics])
        by_metric: _ByMetric = []
        for metric in named or [None]:
            if metric is not None:
                if isinstance(metric, ColumnMetric) and self._reading.has_references:
                    raise wrong(
                        "references", f"none, as {metric.name} is a metric of columns", self._reading.references
                    )
                if not isinstance(metric, AnyOutputMetric):
                    raise wrong("metric", "a metric of columns or of outputs", metric)
                check_declared(metric)
            ready = [
                source.data for source in sources if isinstance(source, InMemory) and isinstance(source.data, Rows)
            ]
            if metric is not None and not self._reading.has_references and len(ready) == len(sources):
                by_metric.append((metric, ready))
                continue
            outputs: list[Any] = []
            for source in sources:
                if isinstance(source, InMemory) and isinstance(source.data, StoredSystem):
                    outputs.append(source.data.kept_on(metric))
                elif isinstance(source, SystemFile):
                    outputs.append(_of_metric(source.spec, None if metric is None else spec_of(metric)))
                else:
                    kind = object if metric is None else metric.output_type
                    outputs.append(_corpus_in_memory(source.data, kind, str(source.name)))
            by_metric.append(
                read_outputs(
                    outputs,
                    self._references(metric),
                    metric,
                    format_name=self._reading.input_format,
                    scoring=scoring,
                    with_responses=self._work.responses,
                    files=self._files,
                )
            )
        return by_metric

    def _references(self, metric: Any) -> list[Any]:
        """Return the references, one by one: names of files, or what stands in memory."""
        references = self._reading.references
        if references is None:
            return []
        files = reference_files(references, all(isinstance(source, SystemFile) for source in self._sources))
        if files is not None:
            return list(files)
        several = (
            metric is not None
            and metric.takes_several_references
            and isinstance(references, list | tuple)
            and not any(isinstance(one, str) for one in references)
        )
        kind = object if metric is None else metric.reference_type
        return [
            os.fspath(one) if isinstance(one, os.PathLike) else _corpus_in_memory(one, kind, "references")
            for one in (references if several and isinstance(references, list | tuple) else [references])
        ]

    def _unreadable(self, read: Callable[[Sequence[Source]], _ByMetric]) -> dict[int, str]:
        """Return why systems cannot be read, by their places: of those that cannot be read by themselves."""
        reasons = {}
        for place, source in enumerate(self._sources):
            try:
                read([source])
            except (FileAccessError, DataError) as error:
                spec = source.spec if isinstance(source, SystemFile) else str(source.name)
                reasons[place] = _reason(spec, error.problems[0])
        return reasons

    def _labels(
        self, sources: Sequence[Source], systems: Sequence[Rows], labelling: object, argument: str
    ) -> Labels | None:
        """Return the clusters or the strata of the first system's items."""
        if labelling is None:
            return None
        if not isinstance(labelling, str):
            return _labels_in_memory(labelling, argument)
        table, items = self._table_and_items(sources[0])
        if table is not None and items is not None and is_id(labelling):
            for other in sources[1:]:
                _check_same_labels(labelling, table, items, *self._table_and_items(other))
        return labels_beside(labelling, table, items, item_ids=systems[0].item_ids, files=self._files)

    def _table_and_items(self, source: Source) -> tuple[Table | None, Items | None]:
        """Return the table of scores of a system, and its items; None where it is no table."""
        if self._are_outputs:
            return None, None
        if isinstance(source, SystemFile):
            table = table_named(source.runs[0] if source.runs else source.spec, self._files)[0]
            return table, Items.of(table, self._reading.id_column, self._roles_of(source))
        from outscore.readers.in_memory import items_from

        return items_from(source.data, str(source.name), self._reading.id_column, self._roles) or (None, None)

    def _texts(self, sources: Sequence[Source], metrics: Sequence[AnyMetric]) -> tuple[Texts | None, ...]:
        """Return the texts of outputs, one a metric; of metrics of columns there are none."""
        from outscore.readers.outputs import read_texts

        return tuple(
            read_texts(
                [_text_source(source, metric) for source in sources],
                self._references(metric),
                metric,
                self._files,
                format_name=self._reading.input_format,
                source=self._work.source,
            )
            if isinstance(metric, AnyOutputMetric)
            else None
            for metric in metrics
        )


def _check_same_labels(column: str, table: Table, items: Items, other: Table | None, of_other: Items | None) -> None:
    """Refuse ids that are named as labels and differ between systems, whose rows are then paired without them.

    Raises
    ------
    DataError
    """
    own, theirs = (None if of is None else column_called(of, column) for of in (table, other))
    if own is None or theirs is None or other is None or of_other is None:
        return
    keys, their_keys = items.ids or range(len(table)), of_other.ids or range(len(other))
    places = dict(zip(keys, range(len(table)), strict=True))
    for index, (key, cell) in enumerate(zip(their_keys, other.columns[theirs], strict=True)):
        place = places.get(key)
        mine, their = (None if place is None else text_in(table.columns[own][place])), text_in(cell)
        if place is not None and mine != their:
            what = f"field {quoted(theirs)}: expected {in_words(mine)} as at {table.place(place)}"
            what += f", got {in_words(their)}"
            advice = "Rows are paired in their order: give both the same items in the same order, or ids of their own."
            raise DataError(Problem(other.place(index), what, advice, "different-labels"))


def _labels_in_memory(data: Any, argument: str) -> Labels:
    from outscore.readers.in_memory import labels_from  # what programs pass, which the command line does without

    return labels_from(data, argument)


def _corpus_in_memory(data: object, kind: type, name: str) -> Corpus[Any]:
    from outscore.readers.in_memory import corpus_from

    return corpus_from(data, kind, name)


def _text_source(source: Source, metric: AnyOutputMetric[Any, Any]) -> str | Corpus[Any] | None:
    """Return where the texts of a system stand; None of rows, which have none."""
    if isinstance(source, SystemFile):
        return source.spec
    return (
        None if isinstance(source.data, Rows) else _corpus_in_memory(source.data, metric.output_type, str(source.name))
    )


def _under_own_names(sources: Sequence[Source], systems: Sequence[Rows]) -> list[Rows]:
    """Return rows under the names of their systems: short ones of files that users gave no name."""
    in_files = [(source, rows) for source, rows in zip(sources, systems, strict=True) if isinstance(source, SystemFile)]
    of_files = iter(called([source for source, _ in in_files], [rows for _, rows in in_files]))
    return [
        next(of_files) if isinstance(source, SystemFile) else _named(rows, printable(source.name or rows.name))
        for source, rows in zip(sources, systems, strict=True)
    ]


def _named(rows: Rows, name: str) -> Rows:
    return rows if rows.name == name else replace(rows, name=name)


def _usual_names(n: int) -> Sequence[str]:
    return [f"system {place + 1}" for place in range(n)]


def _own_name(data: object) -> str | None:
    """Return the name of rows or of a series; None of what has none."""
    if isinstance(data, Rows):
        return data.name
    name = getattr(data, "name", None)
    return printable(name) if isinstance(name, str) and name and hasattr(data, "to_list") else None


def _reason(spec: str, problem: Problem) -> str:
    place = problem.where if problem.where.startswith(printable(spec)) else f"{printable(spec)}: {problem.where}"
    return f"{place}: {problem.what}"


def _unpaired(systems: Sequence[Rows], *, drop_missing: bool) -> dict[int, str]:
    """Return why systems cannot be paired, by place: of those whose items are not the ones that most systems have."""
    items = [len(rows) if rows.item_ids is None else frozenset(rows.item_ids) for rows in systems]
    usual = systems[items.index(Counter(items).most_common(1)[0][0])]
    reasons = {}
    for place, rows in enumerate(systems):
        try:
            align([usual, rows], drop_missing=drop_missing)
        except DataError as error:
            own = [problem for problem in error.problems if problem.where != usual.where]
            reasons[place] = _reason(rows.where, (own or error.problems)[0])
    return reasons


def _scores_in(spec: str, metric: ColumnMetric, **options: Any) -> Rows:
    """Return the rows of a file of scores; the error of a file that looks like outputs says what these need."""
    try:
        return read_system(spec, metric, **options)
    except DataError as error:
        first, *others = error.problems
        is_text = first.slug in _TEXT_SLUGS or (first.slug == "not-a-number" and first.where.endswith(":1"))
        if not is_text or format_named(split_spec(spec)[0]) is not None:
            raise
        advice = f"{first.advice} Outputs, such as translations or tags, need {opt('metric')} and {opt('references')}."
        raise DataError(replace(first, advice=advice), *others) from None


def _of_metric(spec: str, metric: str | None) -> str:
    """Return the name of a system's file of kept rows of a metric.

    Raises
    ------
    OptionError
        No metric for a name that is to have one.
    """
    if METRIC_PLACE not in spec or Path(spec).exists():
        return spec
    if metric is None:
        what = f"expected {opt('metric')} for {METRIC_PLACE}, got none"
        raise OptionError(Problem(printable(spec), what, "Name the metrics of the rows.", "no-metric"))
    return spec.replace(METRIC_PLACE, in_file_name(metric))


def _refuse_for_outputs(reading: Reading) -> None:
    """Refuse what is told of score tables where there are none, rather than to leave it unheard."""
    for option, is_set, why in (
        (opt("lower_is_better"), reading.lower_is_better, "metrics of outputs know their direction"),
        (opt("id_column"), reading.id_column, "outputs are paired by the ids in their files, or else line by line"),
        (opt("score_column"), reading.score_column, "outputs hold no scores"),
        (opt("drop_missing"), reading.drop_missing, "every system needs an output for every reference"),
    ):
        if is_set:
            raise OptionError(Problem(option, why, leave_out(), "not-for-outputs"))
