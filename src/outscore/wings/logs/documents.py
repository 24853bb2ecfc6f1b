"""Reports of logs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from outscore.options import opt
from outscore.reports.documents import Document, Table, name, overview
from outscore.reports.documents.layouts import Column, counts, names, numbers, table
from outscore.text.numbers import format_count, format_counted
from outscore.wings.logs.results import Inventory, InventoryEntry, shared_notes

_DIGITS = 4
_MOST_ROWS = 50  # of a table that lists all tasks and metrics: two screens


def inventory_document(result: Inventory) -> Document:
    """Return the report of logs: one row per system, task and metric."""
    entries = result.entries
    systems, tasks, metrics = (_distinct(entries, attribute) for attribute in ("system", "task", "metric"))
    formats = dict.fromkeys(entry.format for entry in entries)
    lead = (
        f"{format_counted(len(systems), 'system')}, {format_counted(len(tasks), 'task')} and "
        f"{format_counted(len(metrics), 'metric')} in logs of {', '.join(map(name, formats))}."
    )
    if not entries:
        lead = "No system has scores in these logs."
    shown = _table_of_systems(entries) if len(entries) > _MOST_ROWS else _table(entries)
    notes = list(_notes(result))
    if len(entries) > _MOST_ROWS:
        notes.append(
            f"{opt('task')} and {opt('metric')} choose rows with scores, and {opt('format', 'csv')} has all of them."
        )
    warnings, caption = (*_warnings(result), *map(name, result.notes)), "Contents of the logs."
    return overview(result, "Logs", (lead,), (shown,), notes, caption=caption, warnings=warnings)


def _table(entries: Sequence[InventoryEntry]) -> Table:
    """Return a row per task, metric and system; tasks and metrics are headings if systems share them."""
    systems, tasks = _distinct(entries, "system"), _distinct(entries, "task")
    pairs = list(dict.fromkeys((entry.task, entry.metric) for entry in entries))
    shared = len(systems) > 1 and 1 < len(pairs) < len(entries)
    has_figures = any(entry.agrees is not None or entry.aggregation is not None for entry in entries)
    # If the figures agree, the harness's own are redundant.
    alike = all(entry.agrees for entry in entries if entry.harness_score is not None)
    about: list[Column[InventoryEntry]] = [
        names("task", lambda entry: entry.task, shown=len(tasks) > 1),
        # Names of metrics are not shortened, so that they can be copied.
        names("metric", lambda entry: entry.metric, fitted=False),
    ]
    system: list[Column[InventoryEntry]] = [names("system", lambda entry: entry.system)]
    columns = [
        *([*about, *system] if shared else [*system, *about]),
        counts("items", lambda entry: entry.n_items),
        counts("runs", lambda entry: entry.n_runs, shown=any(entry.n_runs > 1 for entry in entries)),
        counts("unscored", lambda entry: entry.n_unscored, shown=any(entry.n_unscored for entry in entries)),
        counts("errors", lambda entry: entry.n_errors, shown=any(entry.n_errors for entry in entries)),
        numbers("score", lambda entry: _number(entry.score)),
        numbers(
            "harness",
            lambda entry: _number(entry.harness_score),
            shown=any(entry.harness_score is not None for entry in entries),
            gives_way=int(alike),
        ),
        Column("agrees", _agrees, shown=has_figures),
    ]
    rows = sorted(
        entries,
        key=lambda entry: (pairs.index((entry.task, entry.metric)) if shared else 0, systems.index(entry.system)),
    )
    return table(rows, columns, grouped=sum(column.shown for column in about) if shared else 0)


def _table_of_systems(entries: Sequence[InventoryEntry]) -> Table:
    """Return a row per system: how much its logs hold. Items of a task are counted once, whatever its metrics."""
    by_system: dict[str, list[InventoryEntry]] = {}
    for entry in entries:
        by_system.setdefault(entry.system, []).append(entry)

    def total(count: Callable[[InventoryEntry], int]) -> Callable[[list[InventoryEntry]], int]:
        def of_tasks(row: list[InventoryEntry]) -> int:
            most: dict[str, int] = {}
            for entry in row:
                most[entry.task] = max(most.get(entry.task, 0), count(entry))
            return sum(most.values())

        return of_tasks

    def agree(row: list[InventoryEntry]) -> str:
        checked = [entry.agrees for entry in row if entry.agrees is not None]
        return f"{format_count(sum(checked))} of {format_count(len(checked))}" if checked else ""

    columns: list[Column[list[InventoryEntry]]] = [
        names("system", lambda row: row[0].system),
        counts("tasks", lambda row: len(_distinct(row, "task"))),
        counts("metrics", lambda row: len(_distinct(row, "metric"))),
        counts("items", total(lambda entry: entry.n_items)),
        counts(
            "runs", lambda row: max(entry.n_runs for entry in row), shown=any(entry.n_runs > 1 for entry in entries)
        ),
        counts("unscored", total(lambda entry: entry.n_unscored), shown=any(entry.n_unscored for entry in entries)),
        counts("errors", total(lambda entry: entry.n_errors), shown=any(entry.n_errors for entry in entries)),
        numbers("scores that agree", agree, if_any=True),
    ]
    return table(by_system.values(), columns)


def _distinct(entries: Sequence[InventoryEntry], attribute: str) -> Sequence[str]:
    """Return the systems, tasks or metrics of entries, in their order."""
    return list(dict.fromkeys(getattr(entry, attribute) for entry in entries))


def _agrees(entry: InventoryEntry) -> str:
    if entry.agrees is None:
        return name(entry.aggregation or "")
    return "yes" if entry.agrees else "no"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.{_DIGITS}f}".replace("-", "−")


def _notes(result: Inventory) -> tuple[str, ...]:
    """Return the names of the metrics, the kind of runs, and the labels of possible clusters."""
    by_task: dict[str, dict[str, bool]] = {}
    for entry in result.entries:
        by_task.setdefault(entry.task, {})[entry.metric] = entry.is_main
    alike: dict[tuple[tuple[str, bool], ...], list[str]] = {}
    for task, metrics in by_task.items():
        if len(metrics) > 1:
            alike.setdefault(tuple(metrics.items()), []).append(name(task))
    notes = []
    for task_metrics, tasks in alike.items():
        main = [metric for metric, is_main in task_metrics if is_main]
        named = ", ".join(name(f"-m {metric}") for metric, _ in task_metrics)
        taken = f"{name(main[0])} by default" if len(main) == 1 else "one must be passed"
        more = f" and {format_counted(len(tasks) - 2, 'more task')}" if len(tasks) > 2 else ""
        where = "Metrics" if len(tasks) == len(by_task) else f"For {', '.join(tasks[:2])}{more}"
        notes.append(f"{where}: {named}; {taken}.")
    declared = {entry.runs_are for entry in result.entries if entry.n_runs > 1}
    if declared - {None}:
        notes.append(
            "In this format, runs of an item are samples. The score of an item is their mean, or what "
            f"{opt('reduce')} selects."
        )
    if None in declared:
        notes.append(f"The logs do not specify the kind of runs: pass {opt('runs', 'samples')}, fixed or random.")
    labels = dict.fromkeys(label for entry in result.entries for label in entry.labels)
    if labels:
        some = list(labels)[:6]
        more = f" and {len(labels) - len(some)} more" if len(labels) > len(some) else ""
        notes.append(f"{opt('clusters')} and {opt('strata')} accept {', '.join(map(name, some))}{more}.")
    return tuple(notes)


def _warnings(result: Inventory) -> list[str]:
    """Return notes on the logs."""
    notes = []
    for entry in result.entries:
        entry_notes = [name(note) for note in entry.notes]
        if entry.explanation is not None and (not entry_notes or entry.aggregation is not None):
            entry_notes.append(f"{name(entry.metric)}: {name(entry.explanation)}")
        if entry.n_duplicates:
            entry_notes.append(f"has {format_counted(entry.n_duplicates, 'record')} that repeat an item and run")
        notes += [(note, entry.path) for note in entry_notes]
    return shared_notes(notes, name)
