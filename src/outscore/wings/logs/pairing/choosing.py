"""The choice of systems, tasks and metrics in logs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from outscore.data.coercion import described
from outscore.data.rows import Missing
from outscore.errors import DataError, OptionError, Problem
from outscore.options import opt
from outscore.readers.reading import Reading
from outscore.readers.sources import Source
from outscore.text.naming import distinguished, listed, nearest, printable, quoted
from outscore.wings.logs.base import Log, LogMetric, called, metrics_called, wrong_log
from outscore.wings.logs.finding import NamedLog, logs_in, logs_of_object
from outscore.wings.logs.results import shared_notes


@dataclass(frozen=True, eq=False)
class System:
    """One system, and its logs by task."""

    name: str
    spec: str
    logs: Mapping[str, Sequence[NamedLog]]


@dataclass(frozen=True, eq=False)
class Choice:
    """The chosen systems and metrics."""

    systems: Sequence[System]
    metrics: Mapping[str, Sequence[str]]  # the metrics of each task, by its name
    group: str | None  # the weights of tasks, if the user named a group
    notes: list[str]


def systems_in(
    sources: Sequence[Source],
    reading: Reading,
    wanted: Sequence[str],
    left_out: list[str] | None,
) -> tuple[list[System], list[str]]:
    """Return systems: one per argument with a name from the user, or those that its logs name."""
    units: list[tuple[str, str, bool, list[NamedLog]]] = []  # name, argument, whether the user gave it, logs
    notes: list[str] = []
    in_memory = [(log, source.name) for source in sources if source.path is None for log in logs_of_object(source.data)]
    for source in (source for source in sources if source.path is not None):
        logs = [
            named
            for path in source.paths
            for named in logs_in(
                path,
                left_out,
                by_path=reading.runs is None,
                tasks=_named_tasks(reading),
                metrics=wanted,
                mapping=reading.mapping,
                follow_links=reading.follow_links,
            )
        ]
        scored = [named for named in logs if named.log.metrics]
        if not scored:
            explanation = "".join(f". The log: {note}" for note in logs[0].log.notes[:1])
            raise wrong_log(
                printable(logs[0].log.path),
                f"expected scores, got none{explanation}",
                "Pass a log with scores.",
                "no-scores",
            )
        notes += shared_notes(
            (note, named.log.path) for named in logs if not named.log.metrics for note in named.log.notes
        )
        logs = [named for named in scored if source.column in (None, named.system)]
        if not logs:
            what = f"the logs have no system {quoted(source.column or '')}"
            advice = nearest(source.column or "", [named.system for named in scored])
            raise OptionError(Problem(printable(source.spec), what, advice, "unknown-system"))
        by_path = {named.system: None for named in logs if named.distinction and named.log.named_by_path}
        if by_path and source.name is None:
            what = f"Logs of the same name are treated as several systems: {listed(list(by_path))}."
            notes.append(f"{what} If they are runs, pass {opt('runs')}.")
        by_name: dict[str, list[NamedLog]] = {}
        for named in logs:
            by_name.setdefault(named.log.system if source.name is not None else named.system, []).append(named)
        if source.name is not None and len(by_name) > 1:
            what = f"expected the logs of one system for the name {printable(source.name)}, got {len(by_name)}"
            what += f": {listed(list(by_name))}"
            raise OptionError(Problem(printable(source.spec), what, "Pass the file of one system.", "several-systems"))
        units += [
            (source.name or name, source.spec, source.name is not None, named_logs)
            for name, named_logs in by_name.items()
        ]
    units += [
        (name or log.system, f"log {index + 1}", name is not None, [NamedLog(log, None, f"log {index + 1}")])
        for index, (log, name) in enumerate(in_memory)
    ]
    joined: dict[str, list[int]] = {}
    for index, (name, *_) in enumerate(units):
        joined.setdefault(name, []).append(index)
    systems = []
    for index, (name, spec, _, logs) in enumerate(units):
        alike = joined[name]
        sets = [{named.log.task for named in units[other][3]} for other in alike]
        if sum(map(len, sets)) == len(set().union(*sets)):  # different tasks of one system
            if alike[0] == index:
                whole = [named for other in alike for named in units[other][3]]
                systems.append(System(name, spec, _by_task(whole)))
            continue
        if all(units[other][2] for other in alike):
            what = f"two systems have the name {quoted(name)}"
            raise DataError(Problem(printable(spec), what, "Give each a different name.", "duplicate-system"))
        paths = [PurePath(units[other][1] or f"log {other + 1}") for other in alike]
        called = distinguished([(*path.parts[:-1], path.stem if path.suffix else path.name) for path in paths])
        if len(set(called)) < len(called):
            what = f"the same logs of {quoted(name)} are passed twice"
            raise DataError(Problem(printable(spec), what, "Pass each once.", "duplicate-system"))
        systems.append(System(printable(called[alike.index(index)]), spec, _by_task(logs)))
    return systems, notes


def chosen(systems: Sequence[System], wanted: Sequence[str], reading: Reading) -> Choice:
    """Return the requested tasks and metrics, and the systems that have them; refuse an ambiguous choice."""
    systems, notes = _under_one_task(systems)
    systems, without_task = _with_the_tasks(systems, reading)
    systems, without_metric = _with_the_metrics(systems, wanted)
    names, group, task_notes = _task_names(systems, reading)
    notes += [*without_task, *without_metric, *task_notes]
    metrics = {name: _chosen_metrics(name, [system.logs[name][0].log for system in systems], wanted) for name in names}
    if len(wanted) > 1 and not any(metrics.values()):
        metrics = _one_of_each(systems, metrics, wanted)
    without = [name for name in names if not metrics[name]]
    metrics = {name: task_metrics for name, task_metrics in metrics.items() if task_metrics}
    if not metrics:
        _refuse_lacking(systems, wanted)
        known_names = dict.fromkeys(metric.name for name in without for metric in systems[0].logs[name][0].log.metrics)
        what = f"unknown metric {listed(wanted)}" if len(wanted) == 1 else f"no task has all of {listed(wanted)}"
        raise OptionError(Problem(opt("metric"), what, nearest(wanted[0], known_names), "unknown-metric"))
    if not wanted:
        taken = {name: called(systems[0].logs[name][0].log, task_metrics[0]) for name, task_metrics in metrics.items()}
        notes += _of_convention(taken, systems)
    if without:
        notes.append(f"Tasks without {listed(wanted)} are left out: {listed(without)}.")
    return Choice(systems, metrics, group, notes)


def _under_one_task(systems: Sequence[System]) -> tuple[list[System], list[str]]:
    """Return systems of one task each under a common task name, if their ids identify it: they are not numbers."""
    names = list(dict.fromkeys(task for system in systems for task in system.logs))
    if len(names) < 2 or any(len(system.logs) != 1 for system in systems):
        return list(systems), []
    ids = [
        {item for logs in system.logs.values() for named in logs for item in named.log.item_ids} for system in systems
    ]
    common = set.intersection(*ids)
    if 2 * len(common) < min(map(len, ids)) or any(item.isdecimal() for item in common):
        return list(systems), []
    note = f"Logs of {listed(names)} have the same item ids, and are treated as logs of one task."
    return [replace(system, logs={names[0]: next(iter(system.logs.values()))}) for system in systems], [note]


def _by_task(logs: Iterable[NamedLog]) -> Mapping[str, Sequence[NamedLog]]:
    by_task: dict[str, list[NamedLog]] = {}
    for named in logs:
        by_task.setdefault(named.log.task, []).append(named)
    return by_task


def _named_tasks(reading: Reading) -> list[str]:
    return [reading.task] if isinstance(reading.task, str) else list(reading.task or ())


def _with_the_tasks(systems: Sequence[System], reading: Reading) -> tuple[Sequence[System], list[str]]:
    """Return systems without those of a folder that have none of the named tasks, and a note."""
    named = set(_named_tasks(reading))
    n_systems = Counter(system.spec for system in systems)
    groups = [
        {group for logs in system.logs.values() for named in logs for group in named.log.groups} for system in systems
    ]
    out = [
        system
        for system, system_groups in zip(systems, groups, strict=True)
        if named and n_systems[system.spec] > 1 and not named & {*system.logs, *system_groups}
    ]
    if not out or len(out) == len(systems):
        return systems, []
    names = listed([system.name for system in out])
    return [system for system in systems if system not in out], [f"Left out, as they have no log of the task: {names}."]


def _with_the_metrics(systems: Sequence[System], wanted: Sequence[str]) -> tuple[Sequence[System], list[str]]:
    """Return systems without those whose logs have none of the named metrics, if two are left, and a note."""
    out = [system for system in systems if wanted and not any(_has_metric(system, text) for text in wanted)]
    if not out or len(systems) - len(out) < 2:
        return systems, []
    names = listed([system.name for system in out])
    note = f"Left out, as their logs have no metric {listed(wanted)}: {names}."
    return [system for system in systems if system not in out], [note]


def _refuse_lacking(systems: Sequence[System], wanted: Sequence[str]) -> None:
    """Refuse a system whose logs lack a metric that another system has."""
    for text in wanted:
        has = [_has_metric(system, text) for system in systems]
        if any(has) and not all(has):
            lacking = systems[has.index(False)]
            known_names = {metric.name: None for logs in lacking.logs.values() for metric in logs[0].log.metrics}
            what = f"the logs of {quoted(lacking.name)} lack the metric {quoted(text)}, which other systems have"
            advice = f"Choose a metric of all systems; this one has {listed(list(known_names))}."
            raise OptionError(Problem(opt("metric"), what, advice, "unknown-metric"))


def _has_metric(system: System, text: str) -> bool:
    """Return whether any log of a system has a metric of this name, or the first of several names in one text."""
    metrics = [metric for logs in system.logs.values() for metric in logs[0].log.metrics]
    names = [name for metric in metrics for name in (metric.name, *metric.aliases)]
    return any(metrics_called(part, names) for part in (text, *text.split(",")))


def _task_names(systems: Sequence[System], reading: Reading) -> tuple[list[str], str | None, list[str]]:
    """Return the requested tasks, their weights if a group is requested, and notes on omitted tasks."""
    known_tasks = list(dict.fromkeys(task for system in systems for task in system.logs))
    groups: dict[str, str] = {}
    tasks_of_group: dict[str, list[str]] = {}
    for task in known_tasks:
        for system in systems:
            for named_log in system.logs.get(task, ()):
                for name, weighs in named_log.log.groups.items():
                    groups.setdefault(name, weighs)
                    if task not in tasks_of_group.setdefault(name, []):
                        tasks_of_group[name].append(task)
    named = _named_tasks(reading)
    secondary = {task for system in systems for task, logs in system.logs.items() if logs[0].log.is_secondary}
    wanted = [] if named else [task for task in known_tasks if task not in secondary] or known_tasks
    group = None
    for name in named:
        if name not in known_tasks and name not in groups:
            what = f"unknown task {quoted(name)}"
            raise OptionError(Problem(opt("task"), what, nearest(name, [*known_tasks, *groups]), "unknown-task"))
        wanted += [name] if name in known_tasks else tasks_of_group[name]
        group = groups.get(name) if name not in known_tasks and len(named) == 1 else None
    wanted = list(dict.fromkeys(wanted))
    lacking = {task: [system for system in systems if task not in system.logs] for task in wanted}
    shared = [task for task in wanted if not lacking[task]]
    apart = [task for task in wanted if lacking[task]]
    if not shared:
        sets = "; ".join(f"{system.name}: {listed(list(system.logs))}" for system in systems[:3])
        what = f"no task is common to all systems ({sets})"
        raise DataError(Problem(printable(systems[0].spec), what, "Compare logs of one task.", "no-shared-task"))
    if apart and reading.missing is not Missing.DROP:
        what = f"has no log of {listed([task for task in apart if lacking[task][0] is lacking[apart[0]][0]])}"
        advice = f"Choose tasks of all systems with {opt('task')}, or pass {Missing.DROP.option} to leave others out."
        raise DataError(Problem(printable(lacking[apart[0]][0].name), what, advice, "missing-task"))
    notes = [f"Tasks without logs of all systems are left out: {listed(apart)}."] if apart else []
    return shared, group, notes


def metric_names(metric: object) -> list[str]:
    """Return the names of metrics as written; an empty list if none is named."""
    several = metric if isinstance(metric, list | tuple) else [] if metric is None else [metric]
    for name in several:
        if not isinstance(name, str):
            what = f"expected the name of a metric in the logs, got {described(name)}"
            raise OptionError(Problem(opt("metric"), what, "Run outscore logs for a list.", "not-of-logs"))
    return [str(name).strip() for name in several]


def _chosen_metrics(task: str, logs: Sequence[Log], wanted: Sequence[str]) -> list[str]:
    """Return the requested metrics of a task that all systems have; empty if none has that name.

    An OptionError is raised if a name is ambiguous.
    """
    shared = [
        metric for metric in logs[0].metrics if all(any(m.name == metric.name for m in log.metrics) for log in logs)
    ]
    names = [metric.name for metric in shared]
    if not names:
        what = f"no metric of {quoted(task)} is common to all systems"
        raise DataError(Problem(printable(logs[0].path), what, "Run outscore logs for a list.", "no-shared-metric"))
    if not wanted:
        main = [metric.name for metric in shared if metric.is_main]
        if len(main) == 1 or len(names) == 1:
            return [main[0] if main else names[0]]
        what = f"{quoted(task)} has {len(names)} metrics, none of which is its harness's main one"
        raise OptionError(
            Problem(opt("metric"), what, f"Choose one: {', '.join(f'-m {name}' for name in names)}.", "several-metrics")
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
                what = f"{quoted(part)} is ambiguous: {len(matches)} metrics of {quoted(task)}"
                advice = f"Choose one: {', '.join(f'-m {name}' for name in matches)}."
                raise OptionError(Problem(opt("metric"), what, advice, "unknown-metric"))
            chosen += matches
    return list(dict.fromkeys(chosen))


def _of_convention(taken: Mapping[str, LogMetric], systems: Sequence[System]) -> list[str]:
    """Return the metrics chosen by convention, and the other metrics of their tasks."""
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for task, metric in taken.items():
        if metric.is_by_convention:
            others = [other.name for other in systems[0].logs[task][0].log.metrics if other is not metric]
            alike.setdefault((metric.shown, tuple(others)), []).append(task)
    return [
        f"Metric of {listed(tasks)}: {shown}, by convention. Others: {', '.join(f'-m {name}' for name in others)}."
        for (shown, others), tasks in alike.items()
    ]


def _one_of_each(
    systems: Sequence[System], chosen: dict[str, list[str]], wanted: Sequence[str]
) -> dict[str, list[str]]:
    """Return, for each task, the one of several metrics that it has; unchanged if a task or metric is left over."""
    by_task = {
        name: [_chosen_metrics(name, [system.logs[name][0].log for system in systems], [text]) for text in wanted]
        for name in chosen
    }
    single = {task: [name for names in matches for name in names] for task, matches in by_task.items()}
    heard = all(any(matches[at] for matches in by_task.values()) for at in range(len(wanted)))
    return single if heard and all(len(names) == 1 for names in single.values()) else chosen
