"""From the logs of several systems to their scores on the same items, and an audit of how these were paired."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import PurePath
from typing import Any

import numpy as np

from outscore._types import FloatArray
from outscore.data.cells import Axis, Cells
from outscore.data.coercion import as_written
from outscore.data.items import ItemTexts
from outscore.data.rows import Labels, Rows
from outscore.errors import DataError, OptionError, Problem
from outscore.laws.exact.missing import Lacking, refuse_unequal_shares
from outscore.logs.archives import real_path
from outscore.logs.base import Log, LogMetric, coded, metrics_called, wrong_log
from outscore.logs.checking import checked, duplicates_in
from outscore.logs.finding import NamedLog, logs_in
from outscore.logs.results import shared_notes
from outscore.metrics.base import fault_of_scale
from outscore.metrics.families.columns import NamedMean
from outscore.options import leave_out, opt
from outscore.readers.files import is_readable, lines_in, read_bytes, split_spec
from outscore.readers.reading import Reading, SystemFile
from outscore.results.audit import LogDifference, PairedLog, PairingAudit, TaskPairing
from outscore.text.naming import distinguished, listed, listed_paths, nearest, printable, quoted
from outscore.text.numbers import format_counted

_MOST_CELLS = 2**27
_MOST_NAMES = 3
_LONGEST_FACT = 40
_UNLISTED = "unlisted "
_FEW_CLUSTERS = 10  # fewer labels tell rather what strata are
_FEW_COPIES = 20  # items on which equal scores are no surprise


@dataclass(frozen=True, eq=False)
class LoggedSystems:
    """What logs hold of several systems, ready to be paired.

    Attributes
    ----------
    metrics : tuple of NamedMean
    rows : tuple of tuples of Rows
        For each metric those of every system, of items that have a score.
    reading : Reading
        What the user said, and what the logs say by themselves where the user did not.
    notes : tuple of str
    audit : PairingAudit
    specs : tuple of str
        The files or folders of the systems, as they were named.
    records : mapping from str to sequence of Records
        By what their items are called in front of their own ids: the records of all systems on one task.
    """

    metrics: tuple[NamedMean, ...]
    rows: tuple[tuple[Rows, ...], ...]
    reading: Reading
    notes: tuple[str, ...]
    audit: PairingAudit
    specs: tuple[str, ...]
    records: Mapping[str, Sequence[Records]]

    def fingerprint(self) -> str:
        """Return what tells whether other logs of these tasks have the same items: a digest of documents and targets.

        Of the first system's records; prompts are no part of it, as these are what is changed.
        """
        digest = sha256()
        for prefix, (of, *_) in sorted(self.records.items()):
            for kind in ("document", "target"):
                digest.update(f"{prefix}\n{kind}\n".encode())
                own = of.by_item(partial(_digest_of, kind=kind))
                digest.update("".join(f"{item}\t{own[item]}\n" for item in sorted(own)).encode(errors="surrogatepass"))
        return digest.hexdigest()

    def texts(self, items: Collection[str]) -> Mapping[str, Mapping[str, ItemTexts]]:
        """Return what was asked and answered in some items, by system and item, of the first run; read anew."""
        texts: dict[str, dict[str, ItemTexts]] = {}
        for prefix, of_systems in self.records.items():
            own = {item.removeprefix(prefix) for item in items if item.startswith(prefix)}
            for of in of_systems:
                known, log = of.logs[0].format, of.first
                read = {} if known is None or not log.path else known.texts(replace(log, path=real_path(log.path)), own)
                texts.setdefault(of.system, {}).update({f"{prefix}{item}": one for item, one in read.items()})
        return texts


def _digest_of(log: Log, kind: str) -> Sequence[str] | None:
    return log.digests.get(kind)


@dataclass(frozen=True, eq=False)
class Records:
    """The records of one system on one task, from all files of its runs; records that stood twice are gone.

    Attributes
    ----------
    system : str
    logs : sequence of NamedLog
    ids : sequence of str
    runs : sequence of str, optional
    places : sequence of pairs of int, optional
        Of each record: in which log, and where in it; None where they are those of one log, in their order.
    n_duplicates : int
    """

    system: str
    logs: Sequence[NamedLog]
    ids: Sequence[str]
    runs: Sequence[str] | None
    places: Sequence[tuple[int, int]] | None
    n_duplicates: int

    @property
    def first(self) -> Log:
        """The first log, which says what all do."""
        return self.logs[0].log

    def column(self, of: Callable[[Log], Any]) -> Sequence[Any]:
        """Return what logs say of each record, None where one says nothing."""
        columns = [of(one.log) for one in self.logs]
        if self.places is None:
            return [None] * len(self.ids) if columns[0] is None else columns[0]
        return [None if (own := columns[log]) is None else own[place] for log, place in self.places]

    def by_item(self, of: Callable[[Log], Any]) -> dict[str, Any]:
        """Return what logs say of each item, by its first record that something is said of."""
        said: dict[str, Any] = {}
        if all(of(one.log) is None for one in self.logs):
            return said
        for item, value in zip(self.ids, self.column(of), strict=True):
            if value is not None:
                said.setdefault(item, value)
        return said


@dataclass(frozen=True, eq=False)
class _System:
    """One system, and its logs by task."""

    name: str
    spec: str
    logs: Mapping[str, Sequence[NamedLog]]


@dataclass(frozen=True, eq=False)
class _Task:
    """One task: the records of all systems, and which metric of it is asked for at each place."""

    name: str
    prefix: str
    records: Sequence[Records]
    metrics: Sequence[str]


@dataclass(frozen=True, eq=False)
class _Cells:
    """The scores of one system on one task by one metric, shape (m, n); NaN where there is none."""

    ids: Sequence[str]
    runs: Sequence[str]
    values: FloatArray


def logged_systems(
    sources: Sequence[SystemFile],
    metric: object,
    reading: Reading,
    in_memory: Sequence[tuple[Log, str | None]] = (),
    *,
    apart: bool = False,
) -> list[LoggedSystems]:
    """Return the systems that logs hold, together or each by itself.

    Logs of one system on different tasks are one system, whatever files they stand in. Two arguments that hold the same
    system on the same task are two systems, which go by the names of their files.

    Parameters
    ----------
    sources : sequence of SystemFile
        Files and folders, as they were named.
    metric : object
        As users name metrics; the main one of each task by default.
    reading : Reading
    in_memory : sequence of (Log, str or None)
        What a program passed, and what it calls the system.
    apart : bool
        Whether systems are not to be paired, so that each keeps its own items and tasks.

    Raises
    ------
    FileAccessError, DataError, OptionError
        Logs that cannot be read or paired; a choice that is open.
    """
    _refuse_for_logs(reading)
    left_out: list[str] | None = [] if reading.skip_unreadable else None
    wanted = _names_of(metric)
    systems, notes = _systems(sources, in_memory, reading, wanted, left_out)
    notes += left_out or []
    groups = [[system] for system in systems] if apart else [systems]
    return [_paired(group, wanted, reading, notes if group is groups[0] else []) for group in groups]


def _paired(systems: Sequence[_System], wanted: Sequence[str], reading: Reading, notes: Sequence[str]) -> LoggedSystems:
    """Return what logs hold of some systems, their items those that have a score of all of them."""
    systems, of_names = _under_one_task(systems)
    systems, left_out = _with_the_tasks(systems, reading)
    systems, without_metric = _with_the_metrics(systems, wanted)
    left_out += without_metric
    names, group, of_tasks = _task_names(systems, reading)
    notes = [*notes, *of_names, *left_out, *of_tasks]
    chosen = {name: _chosen_metrics(name, [system.logs[name][0].log for system in systems], wanted) for name in names}
    if len(wanted) > 1 and not any(chosen.values()):
        chosen = _one_of_each(systems, chosen, wanted)
    without = [name for name in names if not chosen[name]]
    names = [name for name in names if chosen[name]]
    if not names:
        _refuse_lacking(systems, wanted)
        known = dict.fromkeys(one.name for name in without for one in systems[0].logs[name][0].log.metrics)
        what = f"unknown metric {listed(wanted)}" if len(wanted) == 1 else f"no task has all of {listed(wanted)}"
        raise OptionError(Problem(opt("metric"), what, nearest(wanted[0], known), "unknown-metric"))
    if not wanted:
        notes += _of_convention(
            {name: _called(systems[0].logs[name][0].log, chosen[name][0]) for name in names}, systems
        )
    if without:
        notes.append(f"Tasks without {listed(wanted)} are left out: {listed(without)}.")
    tasks = [
        _Task(
            name, f"{name}: " if len(names) > 1 else "", [_records(one, name, reading) for one in systems], chosen[name]
        )
        for name in names
    ]
    for task in tasks:
        _refuse_other_documents(task)
    places = range(len(tasks[0].metrics))
    cells = [[_filled(task, place, reading) for task in tasks] for place in places]
    metrics = tuple(_metric(tasks, place) for place in places)
    rows = tuple(
        tuple(_rows(system.name, of_tasks, at, tasks, metric) for at, system in enumerate(systems))
        for of_tasks, metric in zip(cells, metrics, strict=True)
    )
    audit = PairingAudit(
        tuple(
            _pairing(task, of_task, place)
            for place in places
            for task, of_task in zip(tasks, cells[place], strict=True)
        ),
        "zero" if reading.zero_missing else "dropped",
    )
    if not (reading.drop_missing or reading.zero_missing):
        _refuse_unequal_shares(rows[0])
    items = {task.name: of_task[0].ids for task, of_task in zip(tasks, cells[0], strict=True)}
    said, of_labels = _with_labels(reading, tasks, items, group)
    runs_are = {of.first.runs_are for task in tasks for of in task.records} - {None}
    if reading.runs is None and reading.reduce is None and any(of.cells is not None for of in rows[0]):
        said = replace(said, runs=runs_are.pop() if len(runs_are) == 1 else None)
    return LoggedSystems(
        metrics,
        rows,
        replace(said, drop_missing=not reading.zero_missing),
        (*notes, *of_labels, *_notes(audit, tasks, rows[0])),
        audit,
        tuple(system.spec for system in systems),
        {task.prefix: task.records for task in tasks},
    )


def _refuse_for_logs(reading: Reading) -> None:
    """Refuse what is told of tables and outputs, rather than to leave it unheard."""
    for option, is_set, why in (
        (opt("references"), reading.has_references, "logs hold scores, and answers are not scored again"),
        (opt("input_format"), reading.input_format is not None, "a log says itself how it is written"),
        (opt("lower_is_better"), reading.lower_is_better, "logs know the direction of their metrics"),
        (opt("id_column"), reading.id_column is not None, "logs know the ids of their items"),
        (opt("score_column"), reading.score_column is not None, f"metrics of logs are named by {opt('metric')}"),
        (opt("run"), reading.run is not None, f"logs know their runs; {opt('runs')} says what they are"),
    ):
        if is_set:
            raise OptionError(Problem(option, why, leave_out(), "not-for-logs"))


def _systems(
    sources: Sequence[SystemFile],
    in_memory: Sequence[tuple[Log, str | None]],
    reading: Reading,
    wanted: Sequence[str],
    left_out: list[str] | None,
) -> tuple[list[_System], list[str]]:
    """Return systems: of each argument one by a name that the user gave, or those that its logs name."""
    units: list[tuple[str, str, bool, list[NamedLog]]] = []  # name, argument, whether the user gave it, logs
    notes: list[str] = []
    for source in sources:
        logs = [
            one
            for path in source.runs or (source.spec,)
            for one in logs_in(
                path, left_out, by_path=reading.runs is None, tasks=_named_tasks(reading), metrics=wanted
            )
        ]
        scored = [one for one in logs if one.log.metrics]
        if not scored:
            what = (logs[0].log.notes or ["holds no scores"])[0]
            raise wrong_log(
                printable(logs[0].log.path),
                f"expected scores, got none: {what}",
                "Name a log with scores.",
                "no-scores",
            )
        notes += shared_notes((note, one.log.path) for one in logs if not one.log.metrics for note in one.log.notes)
        logs = scored
        by_path = {one.system: None for one in logs if one.distinction and one.log.named_by_path}
        if by_path and source.name is None:
            what = f"Logs of one name are taken for several systems: {listed(list(by_path))}."
            notes.append(f"{what} If they are runs, pass {opt('runs')}.")
        by_name: dict[str, list[NamedLog]] = {}
        for one in logs:
            by_name.setdefault(one.log.system if source.name is not None else one.system, []).append(one)
        if source.name is not None and len(by_name) > 1:
            what = f"expected the logs of one system to go by the name {printable(source.name)}, got {len(by_name)}"
            what += f": {listed(list(by_name))}"
            raise OptionError(Problem(printable(source.spec), what, "Name the file of one.", "several-systems"))
        units += [(source.name or name, source.spec, source.name is not None, own) for name, own in by_name.items()]
    units += [
        (name or log.system, f"log {place + 1}", name is not None, [NamedLog(log, None, f"log {place + 1}")])
        for place, (log, name) in enumerate(in_memory)
    ]
    joined: dict[str, list[int]] = {}
    for place, (name, *_) in enumerate(units):
        joined.setdefault(name, []).append(place)
    systems = []
    for place, (name, spec, _, logs) in enumerate(units):
        alike = joined[name]
        sets = [{one.log.task for one in units[other][3]} for other in alike]
        if sum(map(len, sets)) == len(set().union(*sets)):  # different tasks of one system
            if alike[0] == place:
                whole = [one for other in alike for one in units[other][3]]
                systems.append(_System(name, spec, _by_task(whole)))
            continue
        if all(units[other][2] for other in alike):
            what = f"two systems are called {quoted(name)}"
            raise DataError(Problem(printable(spec), what, "Give each its own name.", "duplicate-system"))
        paths = [PurePath(units[other][1] or f"log {other + 1}") for other in alike]
        called = distinguished([(*path.parts[:-1], path.stem if path.suffix else path.name) for path in paths])
        if len(set(called)) < len(called):
            what = f"the same logs of {quoted(name)} are named twice"
            raise DataError(Problem(printable(spec), what, "Name each once.", "duplicate-system"))
        systems.append(_System(printable(called[alike.index(place)]), spec, _by_task(logs)))
    return systems, notes


def _under_one_task(systems: Sequence[_System]) -> tuple[list[_System], list[str]]:
    """Return systems of one task each under one name of it, where their ids say that it is one: they are no numbers."""
    names = list(dict.fromkeys(task for system in systems for task in system.logs))
    if len(names) < 2 or any(len(system.logs) != 1 for system in systems):
        return list(systems), []
    ids = [{item for logs in system.logs.values() for one in logs for item in one.log.item_ids} for system in systems]
    common = set.intersection(*ids)
    if 2 * len(common) < min(map(len, ids)) or any(item.isdecimal() for item in common):
        return list(systems), []
    note = f"Logs of {listed(names)} hold the same items by their ids, and are taken for logs of one task."
    return [replace(system, logs={names[0]: next(iter(system.logs.values()))}) for system in systems], [note]


def _by_task(logs: Iterable[NamedLog]) -> Mapping[str, Sequence[NamedLog]]:
    by_task: dict[str, list[NamedLog]] = {}
    for one in logs:
        by_task.setdefault(one.log.task, []).append(one)
    return by_task


def _named_tasks(reading: Reading) -> list[str]:
    return [reading.task] if isinstance(reading.task, str) else list(reading.task or ())


def _with_the_tasks(systems: Sequence[_System], reading: Reading) -> tuple[Sequence[_System], list[str]]:
    """Return systems without those of a folder that have none of the tasks that are named, and a note of them."""
    named = set(_named_tasks(reading))
    of_spec = Counter(system.spec for system in systems)
    groups = [
        {group for logs in system.logs.values() for one in logs for group in one.log.groups} for system in systems
    ]
    out = [
        system
        for system, own in zip(systems, groups, strict=True)
        if named and of_spec[system.spec] > 1 and not named & {*system.logs, *own}
    ]
    if not out or len(out) == len(systems):
        return systems, []
    names = listed([system.name for system in out])
    return [system for system in systems if system not in out], [f"Left out, as they have no log of the task: {names}."]


def _with_the_metrics(systems: Sequence[_System], wanted: Sequence[str]) -> tuple[Sequence[_System], list[str]]:
    """Return systems without those whose logs have none of the named metrics, if two are left, and a note of them."""
    out = [system for system in systems if wanted and not any(_has_metric(system, text) for text in wanted)]
    if not out or len(systems) - len(out) < 2:
        return systems, []
    names = listed([system.name for system in out])
    note = f"Left out, as their logs have no metric {listed(wanted)}: {names}."
    return [system for system in systems if system not in out], [note]


def _refuse_lacking(systems: Sequence[_System], wanted: Sequence[str]) -> None:
    """Refuse a system whose logs have no metric of a name, if those of another system have one."""
    for text in wanted:
        has = [_has_metric(system, text) for system in systems]
        if any(has) and not all(has):
            lacking = systems[has.index(False)]
            known = {metric.name: None for logs in lacking.logs.values() for metric in logs[0].log.metrics}
            what = f"the logs of {quoted(lacking.name)} have no metric {quoted(text)}, which other systems have"
            advice = f"Name a metric of all systems; this one has {listed(list(known))}."
            raise OptionError(Problem(opt("metric"), what, advice, "unknown-metric"))


def _has_metric(system: _System, text: str) -> bool:
    """Tell whether any log of a system has a metric that is called so, or the first of several in one text."""
    metrics = [metric for logs in system.logs.values() for metric in logs[0].log.metrics]
    names = [name for metric in metrics for name in (metric.name, *metric.aliases)]
    return any(metrics_called(part, names) for part in (text, *text.split(",")))


def _task_names(systems: Sequence[_System], reading: Reading) -> tuple[list[str], str | None, list[str]]:
    """Return the tasks that are asked for, of a group how they weigh in it, and what was left out.

    Raises
    ------
    OptionError, DataError
        Unknown tasks; tasks that some system has no log of.
    """
    known = list(dict.fromkeys(task for system in systems for task in system.logs))
    groups: dict[str, str] = {}
    of_groups: dict[str, list[str]] = {}
    for task in known:
        for system in systems:
            for one in system.logs.get(task, ()):
                for name, weighs in one.log.groups.items():
                    groups.setdefault(name, weighs)
                    if task not in of_groups.setdefault(name, []):
                        of_groups[name].append(task)
    named = _named_tasks(reading)
    secondary = {task for system in systems for task, logs in system.logs.items() if logs[0].log.is_secondary}
    wanted = [] if named else [task for task in known if task not in secondary] or known
    group = None
    for name in named:
        if name not in known and name not in groups:
            what = f"unknown task {quoted(name)}"
            raise OptionError(Problem(opt("task"), what, nearest(name, [*known, *groups]), "unknown-task"))
        wanted += [name] if name in known else of_groups[name]
        group = groups.get(name) if name not in known and len(named) == 1 else None
    wanted = list(dict.fromkeys(wanted))
    lacking = {task: [system for system in systems if task not in system.logs] for task in wanted}
    shared = [task for task in wanted if not lacking[task]]
    apart = [task for task in wanted if lacking[task]]
    if not shared:
        sets = "; ".join(f"{system.name}: {listed(list(system.logs))}" for system in systems[:3])
        what = f"no task is common to all systems ({sets})"
        raise DataError(Problem(printable(systems[0].spec), what, "Compare logs of one task.", "no-shared-task"))
    if apart and not reading.drop_missing:
        what = f"has no log of {listed([task for task in apart if lacking[task][0] is lacking[apart[0]][0]])}"
        drop = opt("drop_missing", True)
        advice = f"Name tasks that all systems have with {opt('task')}, or pass {drop} to leave others out."
        raise DataError(Problem(printable(lacking[apart[0]][0].name), what, advice, "missing-task"))
    notes = [f"Tasks that not all systems have are left out: {listed(apart)}."] if apart else []
    return shared, group, notes


def _names_of(metric: object) -> list[str]:
    """Return the names of metrics as they were written; an empty list where none is named."""
    several = metric if isinstance(metric, list | tuple) else [] if metric is None else [metric]
    for one in several:
        if not isinstance(one, str):
            what = f"expected the name of a metric that the logs hold, got {type(one).__name__}"
            raise OptionError(Problem(opt("metric"), what, "outscore logs lists them.", "not-of-logs"))
    return [str(one).strip() for one in several]


def _chosen_metrics(task: str, logs: Sequence[Log], wanted: Sequence[str]) -> list[str]:
    """Return which metrics of a task are meant, that all systems have; none where it has none of that name.

    Raises
    ------
    OptionError
        None of that name, or several that could be meant.
    """
    shared = [
        metric for metric in logs[0].metrics if all(any(m.name == metric.name for m in log.metrics) for log in logs)
    ]
    names = [metric.name for metric in shared]
    if not names:
        what = f"no metric of {quoted(task)} is common to all systems"
        raise DataError(Problem(printable(logs[0].path), what, "outscore logs lists them.", "no-shared-metric"))
    if not wanted:
        main = [metric.name for metric in shared if metric.is_main]
        if len(main) == 1 or len(names) == 1:
            return [main[0] if main else names[0]]
        what = f"{quoted(task)} has {len(names)} metrics, and none of them is its harness's main one"
        raise OptionError(
            Problem(opt("metric"), what, f"Name one: {', '.join(f'-m {name}' for name in names)}.", "several-metrics")
        )
    chosen = []
    spelled = {alias for metric in shared for alias in metric.aliases}
    for text in wanted:
        parts = [text] if text in spelled or metrics_called(text, names) else text.split(",")
        for part in parts:
            matches = [part] if part in spelled else metrics_called(part, names)
            if not matches:
                return []
            if len(matches) > 1:
                what = f"{quoted(part)} could be {len(matches)} metrics of {quoted(task)}"
                advice = f"Name one: {', '.join(f'-m {name}' for name in matches)}."
                raise OptionError(Problem(opt("metric"), what, advice, "unknown-metric"))
            chosen += matches
    return list(dict.fromkeys(chosen))


def _of_convention(taken: Mapping[str, LogMetric], systems: Sequence[_System]) -> list[str]:
    """Return which metrics are taken by convention, and what else their tasks have."""
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for task, metric in taken.items():
        if metric.is_by_convention:
            others = [one.name for one in systems[0].logs[task][0].log.metrics if one is not metric]
            alike.setdefault((metric.shown, tuple(others)), []).append(task)
    return [
        f"Metric of {listed(tasks)}: {shown}, by convention. Others: {', '.join(f'-m {name}' for name in others)}."
        for (shown, others), tasks in alike.items()
    ]


def _one_of_each(
    systems: Sequence[_System], chosen: dict[str, list[str]], wanted: Sequence[str]
) -> dict[str, list[str]]:
    """Return of each task the one of several metrics that it has; nothing new where a task or metric is left over."""
    by_task = {
        name: [_chosen_metrics(name, [of.logs[name][0].log for of in systems], [text]) for text in wanted]
        for name in chosen
    }
    own = {name: [one for of in matches for one in of] for name, matches in by_task.items()}
    heard = all(any(matches[at] for matches in by_task.values()) for at in range(len(wanted)))
    return own if heard and all(len(of) == 1 for of in own.values()) else chosen


def _records(system: _System, task: str, reading: Reading) -> Records:
    """Return the records of a system on a task.

    Raises
    ------
    DataError
        Several logs of which nobody says that they are runs; records of one item and run that differ.
    """
    logs = system.logs[task]
    if len(logs) > 1 and reading.runs is None:
        paths = listed_paths([one.log.path for one in logs])
        what = f"{len(logs)} logs of {quoted(system.name)} on {quoted(task)}: {paths}"
        advice = (
            f"Name each as NAME=FILE to compare them, or say what runs they are: {opt('runs', 'fixed')} or "
            f"{opt('runs', 'random')}. Of a run that was tried again name the last log alone."
        )
        raise DataError(Problem(printable(system.spec), what, advice, "several-logs"))
    if len(logs) == 1 and duplicates_in(logs[0].log) == 0:
        return Records(system.name, logs, logs[0].log.item_ids, logs[0].log.runs, None, 0)
    ids: list[str] = []
    runs: list[str] = []
    places: list[tuple[int, int]] = []
    n_duplicates = 0
    for at, one in enumerate(logs):
        log = one.log
        own = [""] * len(log) if log.runs is None else log.runs
        in_file = f"{at + 1}" if len(logs) > 1 else ""
        kept, dropped = _once(log, own, reading)
        n_duplicates += dropped
        for place, run in kept:
            ids.append(log.item_ids[place])
            runs.append("/".join(filter(None, (in_file, run))))
            places.append((at, place))
    return Records(system.name, logs, ids, runs if any(runs) else None, places, n_duplicates)


def _once(log: Log, runs: Sequence[str], reading: Reading) -> tuple[Sequence[tuple[int, str]], int]:
    """Return the places of records with their runs, each item and run once, and how many were left out."""
    cells: dict[tuple[str, str], list[int]] = {}
    for place, cell in enumerate(zip(log.item_ids, runs, strict=True)):
        cells.setdefault(cell, []).append(place)
    kept: list[tuple[int, str]] = []
    differing = []
    numbered = log.runs is None and reading.runs is not None
    for (item, run), places in cells.items():
        if numbered:
            kept += [(place, f"{time + 1}") for time, place in enumerate(places)]
            continue
        values = {tuple(str(metric.scores[place]) for metric in log.metrics) for place in places}
        if len(values) > 1 and reading.duplicates is None:
            differing.append(item)
        kept.append((places[-1 if reading.duplicates == "last" else 0], run))
    if differing:
        what = f"{len(differing)} item(s) stand twice with different scores: {listed(differing)}"
        first, samples = opt("duplicates", "first"), opt("runs", "samples")
        advice = f"Pass {first} or last to keep one, or {samples} if they are answers of their own."
        raise DataError(Problem(printable(log.path), what, advice, "duplicate-id"))
    return kept, len(log) - len(kept)


def _called(log: Log, name: str) -> LogMetric:
    return next(metric for metric in log.metrics if name == metric.name or name in metric.aliases)


def _cells(records: Records, name: str) -> _Cells:
    """Return the scores of a system on a task."""
    scores = np.array(records.column(lambda log: _called(log, name).scores), dtype=np.float64)
    items, columns = coded(records.ids)
    if records.runs is None:
        return _Cells(items, ("1",), scores[None])
    runs = _in_order(records.runs)
    if len(runs) * len(items) > _MOST_CELLS:
        what = f"expected runs of the same items, got {len(runs):,} runs and {len(items):,} items"
        raise DataError(Problem(printable(records.first.path), what, "Check its epochs.", "too-many-runs"))
    place = {run: at for at, run in enumerate(runs)}
    values = np.full((len(runs), len(items)), np.nan)
    values[[place[run] for run in records.runs], columns] = scores
    return _Cells(items, runs, values)


def _in_order(runs: Iterable[str]) -> list[str]:
    """Return the different runs in the order of their names, numbers as numbers."""
    return sorted(set(runs), key=lambda run: (len(run), run))


def _filled(task: _Task, place: int, reading: Reading) -> list[_Cells]:
    """Return the scores of all systems on a task; items that logs count without naming them score 0.

    Raises
    ------
    OptionError, DataError
        Logs that name only items that score, and nothing that says how many others there are; that differ in it.
    """
    cells = [_cells(of, task.metrics[place]) for of in task.records]
    logs = [of.first for of in task.records]
    named = _total(reading.total)
    if named is None and not any(log.n_unlisted or log.needs_total for log in logs):
        return cells
    everything = dict.fromkeys(item for of in cells for item in of.ids)
    totals = {len(of.ids) + log.n_unlisted for of, log in zip(cells, logs, strict=True) if not log.needs_total}
    if isinstance(named, int):
        totals = {named}
    elif named is not None:
        known = set(named)
        unknown = [item for item in everything if item not in known]
        if unknown:
            what = f"{len(unknown)} item(s) of the logs are not among them: {listed(unknown)}"
            raise DataError(Problem(opt("total"), what, "Name the items of this test set.", "unknown-item"))
        everything, totals = dict.fromkeys(named), {len(named)}
    if not totals:
        what = "holds only what was resolved, and does not say of how many items"
        raise OptionError(
            Problem(
                printable(logs[0].path),
                what,
                f"Pass {opt('total')} with their number, or a file of their ids.",
                "no-total",
            )
        )
    total = max(totals)
    if isinstance(named, int) and total < len(everything):
        what = f"expected at least {len(everything):,}, which the logs name, got {named:,}"
        raise OptionError(Problem(opt("total"), what, "Pass the number of items of the test set.", "small-total"))
    if len(totals) > 1 or total < len(everything):
        got = " and ".join(f"{one:,}" for one in sorted({*totals, len(everything)}))
        what = f"expected logs of one test set, got {got} items"
        raise DataError(
            Problem(printable(logs[0].path), what, f"Pass {opt('total')} to say what it holds.", "different-totals")
        )
    ids = [*everything, *(f"{_UNLISTED}{more + 1}" for more in range(total - len(everything)))]
    filled = []
    for of, log in zip(cells, logs, strict=True):
        by_item = dict(zip(of.ids, of.values.T, strict=True))
        counts_unlisted = bool(log.n_unlisted or log.needs_total or named is not None)
        other = np.full(len(of.runs), 0.0 if counts_unlisted else np.nan)
        filled.append(_Cells(ids, of.runs, np.array([by_item.get(item, other) for item in ids]).T))
    return filled


def _total(said: int | str | None) -> int | Sequence[str] | None:
    """Return how many items a test set has, or their ids from a file of one a line."""
    if said is None or isinstance(said, int):
        return said
    if said.strip().isdecimal():
        return int(said)
    ids = [line.strip() for line in lines_in(read_bytes(said), said) if line.strip()]
    if len(set(ids)) < len(ids):
        raise DataError(Problem(printable(said), "expected each id once, got some twice", "", "duplicate-id"))
    return ids


def _metric(tasks: Sequence[_Task], place: int) -> NamedMean:
    """Return the metric at a place: of several tasks with one direction, and the range that all have."""
    of_logs = [_called(of.first, task.metrics[place]) for task in tasks for of in task.records]
    names = list(dict.fromkeys(name for task in tasks for name in [task.metrics[place]]))
    titles = list(dict.fromkeys(metric.shown for metric in of_logs))
    if len({metric.higher_is_better for metric in of_logs}) > 1:
        what = f"of {listed(titles)} more is better by some, and less by others"
        raise OptionError(
            Problem(opt("metric"), what, f"Name one with -m, or tasks with {opt('task')}.", "different-directions")
        )
    ranges = {(metric.lowest, metric.highest) for metric in of_logs}
    low, high = ranges.pop() if len(ranges) == 1 else (None, None)
    return NamedMean(
        name=_joined(names),
        title=_joined(titles),
        of_test_sets=tuple(
            (task.name, task.metrics[place], _called(task.records[0].first, task.metrics[place]).shown)
            for task in tasks
            if len(names) > 1
        ),
        higher_is_better=of_logs[0].higher_is_better,
        lowest=low,
        highest=high,
    )


def _joined(names: Sequence[str]) -> str:
    return " and ".join(names) if len(names) <= _MOST_NAMES else "each task's own metric"


def _rows(name: str, of_tasks: Sequence[Sequence[_Cells]], at: int, tasks: Sequence[_Task], metric: NamedMean) -> Rows:
    """Return the rows of one system on all tasks, of the items that have a score."""
    own = [cells[at] for cells in of_tasks]
    ids = [f"{task.prefix}{item}" for task, cells in zip(tasks, own, strict=True) for item in cells.ids]
    runs = _in_order(run for cells in own for run in cells.runs)
    if len(runs) * len(ids) > _MOST_CELLS:
        what = f"expected runs of all tasks by the same names, got {len(runs):,} runs of {len(ids):,} items"
        raise DataError(Problem(printable(name), what, "Compare one task at a time.", "too-many-runs"))
    values = np.full((len(runs), len(ids)), np.nan)
    start = 0
    for cells in own:
        written = as_written(cells.values.ravel()).reshape(cells.values.shape)
        values[[runs.index(run) for run in cells.runs], start : start + len(cells.ids)] = written
        start += len(cells.ids)
    scored = ~np.isnan(values).all(axis=0)
    if not scored.any():
        what = f"expected scores of {quoted(metric.title)}, got none that is a number"
        raise DataError(Problem(printable(name), what, "Name another metric.", "no-scores"))
    path = printable(tasks[0].records[at].first.path) or None
    endless = np.isinf(values).any(axis=0)
    if endless.any():
        n, item = np.count_nonzero(endless), ids[int(np.argmax(endless))]
        what = f"expected finite scores of {quoted(metric.title)}, got infinity of {n:,} item(s), {quoted(item)} first"
        raise DataError(Problem(path or name, what, "Name another metric, or mend the log.", "not-finite"))
    column = values[~np.isnan(values)][:, None]
    fault = fault_of_scale(column) or next(iter(metric.faults(column)), None)
    if fault is not None:
        raise DataError(Problem(path or name, fault.what, "Check the log.", fault.slug))
    kept, kept_ids = values[:, scored], tuple(item for item, there in zip(ids, scored.tolist(), strict=True) if there)
    with np.errstate(invalid="ignore"):
        means = np.nanmean(kept, axis=0)
    several = len(runs) > 1
    in_runs = np.stack([kept, np.ones_like(kept)], axis=-1) if several else None
    return Rows(
        name,
        metric.rows(means[:, None]),
        kept_ids,
        path=path,
        dropped=tuple(item for item, there in zip(ids, scored.tolist(), strict=True) if not there),
        cells=None if in_runs is None else Cells((Axis("run", tuple(runs)),), in_runs),
    )


def _pairing(task: _Task, cells: Sequence[_Cells], place: int) -> TaskPairing:
    """Return how the logs of a task pair."""
    scored = [
        {
            item
            for item, there in zip(of.ids, np.logical_not(np.isnan(of.values).all(axis=0)).tolist(), strict=True)
            if there
        }
        for of in cells
    ]
    everything = list(dict.fromkeys(item for of in cells for item in of.ids))
    common = set.intersection(*scored)
    if not common:
        examples = ", ".join(f"{of.system}: {quoted(str(of.ids[0]))}" for of in task.records[:3])
        what = f"no item of {quoted(task.name)} has a score of all systems ({examples})"
        raise DataError(Problem(printable(task.records[0].first.path), what, "Compare one test set.", "no-shared-ids"))
    systems = []
    for of, own in zip(task.records, scored, strict=True):
        n_errors = sum(one.log.n_errors for one in of.logs)
        unscored = sum(int(np.isnan(_called(one.log, task.metrics[place]).scores).sum()) for one in of.logs)
        runs = {} if of.runs is None else dict.fromkeys(of.runs)
        systems.append(
            PairedLog(
                of.system,
                tuple(printable(one.log.path) for one in of.logs),
                len(own),
                max(len(runs), 1),
                tuple(item for item in everything if item not in own),
                of.n_duplicates,
                max(unscored - n_errors, 0),
                n_errors,
            )
        )
    return TaskPairing(task.name, task.metrics[place], len(common), tuple(systems), tuple(_differences(task, place)))


def _differences(task: _Task, place: int) -> Iterable[LogDifference]:
    """Yield what differs between the logs of a task: facts, and the prompts and targets of items."""
    logs = [of.first for of in task.records]
    facts = [dict(log.facts) | _direction(_called(log, task.metrics[place])) for log in logs]
    for fact in dict.fromkeys(name for of in facts for name in of):
        values = tuple(of.get(fact) for of in facts)
        if len(set(values)) > 1:
            yield LogDifference(fact, values)
    for digest in ("prompt", "target"):
        items = _apart(task, digest)
        if items:
            yield LogDifference(digest, items=tuple(items))


def _direction(metric: LogMetric) -> dict[str, str]:
    return {"direction": "higher is better" if metric.higher_is_better else "lower is better"}


def _apart(task: _Task, digest: str) -> list[str]:
    """Return the items of which two logs have different digests."""
    first: dict[str, str] = {}
    apart: dict[str, None] = {}
    for of in task.records:
        for item, value in of.by_item(lambda log: log.digests.get(digest)).items():
            if value and first.setdefault(item, value) != value:
                apart[item] = None
    return list(apart)


def _refuse_other_documents(task: _Task) -> None:
    """Refuse logs in which an id stands for different documents: another version of the data, or another order."""
    items = _apart(task, "document")
    if items:
        paths = listed_paths([of.first.path for of in task.records])
        what = f"{len(items)} id(s) of {quoted(task.name)} stand for different documents in {paths}: {listed(items)}"
        advice = "Compare logs of the same version of the data, in the same order."
        raise DataError(Problem(printable(task.records[0].first.path), what, advice, "different-documents"))
    references = dict.fromkeys(of.first.facts.get("reference") for of in task.records)
    if len(references) > 1:
        named = listed([reference or "none" for reference in references])
        what = f"answers to {quoted(task.name)} were judged against different references: {named}"
        advice = "Compare systems that were judged against the same one."
        raise DataError(Problem(printable(task.records[0].first.path), what, advice, "different-references"))


def _refuse_unequal_shares(systems: Sequence[Rows]) -> None:
    """Refuse systems that lack significantly different shares of their items, or of the runs of those that they have.

    Runs of one item go missing together, and are not counted one by one.
    """
    items = {item for rows in systems for item in (*(rows.item_ids or ()), *rows.dropped)}
    lacking = []
    for rows in systems:
        cells = (0, 1) if rows.cells is None else (int(rows.cells.lacking.sum()), rows.cells.lacking.size)
        shares = ("items", len(items) - len(rows), len(items)), ("scores of its items", *cells)
        lacking.append(Lacking(printable(rows.name), rows.name, shares))
    refuse_unequal_shares(lacking, "compare on common items")


def _with_labels(
    reading: Reading, tasks: Sequence[_Task], items: Mapping[str, Sequence[str]], group: str | None
) -> tuple[Reading, list[str]]:
    """Return what the user said with labels of the logs in place of their names, and what to note of them."""
    labels = _labels(tasks, items)
    notes = []
    said: dict[str, object] = {}
    clusters = reading.clusters
    surely = {of.first.cluster for task in tasks for of in task.records} - {None}
    if clusters is None and len(surely) == 1 and labels.keys() & surely:
        (name,) = surely
        clusters = name
        notes.append(f"Items of one {name} hang together and are drawn whole ({opt('clusters', name)}).")
    elif clusters is None and len(tasks) == 1:
        proposed = [
            f"{opt('clusters', name)} ({len(set(of.labels)):,})"
            for name, of in labels.items()
            if _FEW_CLUSTERS <= len(set(of.labels)) <= len(of.labels) / 2
        ]
        if proposed:
            options = " or ".join(proposed[:3])
            notes.append(f"Items may hang together, and are drawn one by one: {options} draws them whole.")
    several = clusters if isinstance(clusters, tuple | list) else [clusters]
    for option, names in (
        (opt("clusters"), several),
        (opt("strata"), [reading.strata]),
        (opt("test_sets"), [reading.test_sets]),
    ):
        for of in names:
            if isinstance(of, str) and of not in labels and not is_readable(split_spec(of)[0]):
                what = f"no file is called {quoted(of)}, nor a label that all logs hold"
                raise OptionError(Problem(option, what, nearest(of, labels) if labels else "", "unknown-label"))

    def own(of: object) -> object:
        return labels.get(of, of) if isinstance(of, str) else of

    said["clusters"] = tuple(map(own, clusters)) if isinstance(clusters, tuple | list) else own(clusters)
    said["strata"], said["test_sets"] = own(reading.strata), own(reading.test_sets)
    if any(of is not None for of in said.values()):
        unlisted = sum(item.startswith(_UNLISTED) for of_task in items.values() for item in of_task)
        if unlisted:
            what = f"{unlisted:,} items are counted by the logs without being named, so that nothing labels them"
            raise OptionError(Problem(opt("total"), what, "Pass a file of the ids of all items.", "unlisted-items"))
    if len(tasks) > 1:
        of_items = {f"{task.prefix}{item}": task.name for task in tasks for of in task.records for item in of.ids}
        of_tasks = Labels("tasks", tuple(of_items.values()), tuple(of_items))
        if group is None and said["test_sets"] is None:
            said["test_sets"] = of_tasks
        elif group is not None and said["strata"] is None:
            said["strata"] = of_tasks
            said["weights"] = reading.weights or ("macro" if group == "macro" else None)
    return replace(reading, **said), notes  # type: ignore[arg-type]


def _labels(tasks: Sequence[_Task], items: Mapping[str, Sequence[str]]) -> dict[str, Labels]:
    """Return the labels that all tasks have, of the items of all systems; those that no log lists by their ids."""
    names = list(tasks[0].records[0].first.labels)
    labels = {}
    for name in names:
        of_items: dict[str, str] = {}
        for task in tasks:
            for of in task.records:
                own = of.by_item(lambda log, name=name: log.labels.get(name))  # type: ignore[misc]
                of_items = {f"{task.prefix}{item}": str(label) for item, label in own.items()} | of_items
            for label_of in {of.first.label_of for of in task.records} - {None}:
                for item in items[task.name]:
                    if label_of is None or item.startswith(_UNLISTED):
                        continue
                    if f"{task.prefix}{item}" not in of_items:
                        of_items |= {f"{task.prefix}{item}": label_of(item)[name]} if name in label_of(item) else {}
        if all(any(item.startswith(task.prefix) for item in of_items) for task in tasks):
            labels[name] = Labels(name, tuple(of_items.values()), tuple(of_items))
    return labels


def _notes(audit: PairingAudit, tasks: Sequence[_Task], systems: Sequence[Rows]) -> list[str]:
    """Return what a reader must know of the pairing, a sentence each."""
    notes: list[str] = []
    several: dict[str, dict[str, None]] = {}
    for start in range(0, len(audit.tasks), len(tasks)):  # of one metric
        of_metric = audit.tasks[start : start + len(tasks)]
        notes += _counts(of_metric, audit.treatment)
        for pairing in of_metric:
            facts = [_fact(of) for of in pairing.differences if of.values]
            differ = [f"Beside the system the logs differ in {'; '.join(facts)}."] if facts else []
            differ += [
                f"The {of.what} differs on {format_counted(len(of.items), 'item')}: {listed(of.items)}."
                for of in pairing.differences
                if of.items
            ]
            for said in differ:
                several.setdefault(said, {})[pairing.task] = None
    for said, of_tasks in several.items():
        first = next(iter(of_tasks))
        where = first if len(of_tasks) == 1 else f"{first} (and {format_counted(len(of_tasks) - 1, 'more task')})"
        notes.append(said if len(tasks) == 1 else f"{where}: {said}")
    own = [
        (note, printable(one.log.path))
        for task in tasks
        for records in task.records
        for one in records.logs
        for note in _own_notes(one.log, task.metrics)
    ]
    return list(dict.fromkeys([*notes, *shared_notes(own), *_copies(systems)]))


def _counts(pairings: Sequence[TaskPairing], treatment: str) -> Iterable[str]:
    """Yield what the systems lack on all tasks together, by one metric."""
    systems = [of.system for of in pairings[0].systems]

    def some(of: Callable[[PairedLog], int]) -> str:
        counts = [sum(of(pairing.systems[at]) for pairing in pairings) for at in range(len(systems))]
        counted = [f"{count:,} of {system}" for system, count in zip(systems, counts, strict=True) if count]
        more = f" and {format_counted(len(counted) - 3, 'more system')}" if len(counted) > 3 else ""
        return f"{', '.join(counted[:3])}{more}"

    missing = some(lambda of: len(of.missing))
    if missing:
        n = sum(pairing.n_common for pairing in pairings)
        done = "count as 0" if treatment == "zero" else "are left out"
        yield f"{n:,} items have a score of all systems; others {done}. Missing: {missing}."
    twice = some(lambda of: of.n_duplicates)
    if twice:
        yield f"Records that stood twice and were left out: {twice}."
    unscored, errors = some(lambda of: of.n_unscored), some(lambda of: of.n_errors)
    lacking = [f"Answers without a score: {unscored}."] if unscored else []
    lacking += [f"Answers that ended in an error: {errors}."] if errors else []
    if lacking:
        yield " ".join(lacking)


def _own_notes(log: Log, metrics: Sequence[str]) -> Iterable[str]:
    """Yield what a log says of itself, or else why the harness's figures are not those of its scores."""
    yield from log.notes
    for name in dict.fromkeys(metrics):
        metric = _called(log, name)
        *_, agrees, why = checked(log, metric)
        if why is not None and (agrees is None or (agrees is False and not log.notes)):
            yield f"{metric.shown}: {why}"


def _fact(difference: LogDifference) -> str:
    """Say in which values logs differ, long ones without them."""
    values = [value or "not said" for value in dict.fromkeys(difference.values)]
    if any(len(value) > _LONGEST_FACT for value in values) or len(values) > 4:
        return difference.what
    return f"{difference.what} ({', '.join(values)})"


def _copies(systems: Sequence[Rows]) -> Iterable[str]:
    """Yield a warning of systems with exactly the same scores, as of a file that was copied."""
    first: dict[tuple[object, bytes], str] = {}
    for rows in systems:
        key = rows.item_ids, rows.values.tobytes()
        varies = len(rows) >= _FEW_COPIES and len(np.unique(rows.values[:, 0])) > 1
        if key in first and varies:
            yield f"{rows.name} has exactly the scores of {first[key]}, item by item: is one a copy of the other?"
        first.setdefault(key, rows.name)
