"""Reports of logs."""

from __future__ import annotations

from outscore.options import opt
from outscore.reports.documents import Document, Table, name, overview
from outscore.text.numbers import format_count, format_counted
from outscore.wings.logs.results import Inventory, InventoryEntry, shared_notes

_DIGITS = 4


def inventory_document(result: Inventory) -> Document:
    """Return the report of logs: one row per system, task and metric."""
    entries = result.entries
    systems, tasks, metrics = (
        dict.fromkeys(getattr(entry, of) for entry in entries) for of in ("system", "task", "metric")
    )
    formats = dict.fromkeys(entry.format for entry in entries)
    lead = (
        f"{format_counted(len(systems), 'system')}, {format_counted(len(tasks), 'task')} and "
        f"{format_counted(len(metrics), 'metric')} in logs of {', '.join(map(name, formats))}."
    )
    if not entries:
        lead = "No system has scores in these logs."
    columns: tuple[tuple[str, bool], ...] = (
        ("system", True),
        ("task", len(tasks) > 1),
        ("metric", True),
        ("items", True),
        ("runs", any(entry.n_runs > 1 for entry in entries)),
        ("unscored", any(entry.n_unscored for entry in entries)),
        ("errors", any(entry.n_errors for entry in entries)),
        ("score", True),
        ("harness", any(entry.harness_score is not None for entry in entries)),
        ("agrees", any(entry.agrees is not None or entry.aggregation is not None for entry in entries)),
    )
    shown = [place for place, (_, there) in enumerate(columns) if there]

    def row(entry: InventoryEntry) -> tuple[str, ...]:
        cells = (
            name(entry.system),
            name(entry.task),
            name(entry.metric),
            format_count(entry.n_items),
            format_count(entry.n_runs),
            format_count(entry.n_unscored),
            format_count(entry.n_errors),
            _number(entry.score),
            _number(entry.harness_score),
            name(entry.aggregation or "") if entry.agrees is None else "yes" if entry.agrees else "no",
        )
        return tuple(cells[place] for place in shown)

    headings = tuple(columns[place][0] for place in shown)
    numeric = frozenset(
        at for at, heading in enumerate(headings) if heading not in ("system", "task", "metric", "agrees")
    )
    # Names of metrics are not shortened, so that they can be copied.
    fitted = tuple(at for at, heading in enumerate(headings) if heading in ("system", "task"))
    order = {system: place for place, system in enumerate(systems)}
    rows = tuple(map(row, sorted(entries, key=lambda entry: order[entry.system])))
    # If the figures agree, the harness's own are redundant.
    alike = all(entry.agrees for entry in entries if entry.harness_score is not None)
    spare = tuple((at, 2) for at, heading in enumerate(headings) if heading == "harness" and alike)
    table = Table(headings, rows, numeric, fitted=fitted, spare=spare, grouped=len(systems) > 1)
    return overview(
        "Logs",
        (lead,),
        (table,),
        _notes(result),
        warnings=(*_warnings(result), *map(name, result.notes)),
        signature="",
        version=result.version,
        caption="Contents of the logs.",
    )


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
    for of_tasks, tasks in alike.items():
        main = [metric for metric, is_main in of_tasks if is_main]
        named = ", ".join(name(f"-m {metric}") for metric, _ in of_tasks)
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
        own = [name(note) for note in entry.notes]
        if entry.explanation is not None and (not own or entry.aggregation is not None):
            own.append(f"{name(entry.metric)}: {name(entry.explanation)}")
        if entry.n_duplicates:
            own.append(f"has {format_counted(entry.n_duplicates, 'record')} that repeat an item and run")
        notes += [(note, entry.path) for note in own]
    return shared_notes(notes, name)
