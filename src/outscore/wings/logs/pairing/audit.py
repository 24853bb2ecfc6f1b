"""The audit of paired logs: missing scores, differences, and notes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from outscore.data.pairing import without_items_of_others
from outscore.data.rows import Rows
from outscore.errors import DataError, Problem
from outscore.results.audit import LogDifference, PairedLog, PairingAudit, TaskPairing
from outscore.text.naming import few_named, listed, printable, quoted
from outscore.text.numbers import format_counted
from outscore.wings.logs.base import Log, called
from outscore.wings.logs.checking import checked
from outscore.wings.logs.pairing.records import Task, items_apart
from outscore.wings.logs.results import shared_notes

_LONGEST_FACT = 40
_FEW_COPIES = 20  # number of items up to which equal scores are not suspicious


def pairing_of(task: Task, metric_index: int) -> TaskPairing:
    """Return the audit of the logs of a task."""
    scored = [records.with_score(task.metrics[metric_index]) for records in task.records]
    everything = list(dict.fromkeys(item for records in task.records for item in records.ids))
    common = set.intersection(*scored)
    if not common:
        others, without = without_items_of_others([records.system for records in task.records], scored)
        shown = [task.records[at] for at in (sorted({others[0], int(others[0] == 0)}) if others else range(2))]
        examples = ", ".join(f"{records.system}: {quoted(str(records.ids[0]))}" for records in shown)
        what = f"no item of {quoted(task.name)} has a score for all systems ({examples}){without}"
        path = printable(task.records[others[0] if others else 0].first.path)
        raise DataError(Problem(path, what, "Compare logs of one test set.", "no-shared-ids"))
    systems = []
    for records, items in zip(task.records, scored, strict=True):
        n_errors = sum(named.log.n_errors for named in records.logs)
        unscored = sum(
            int(np.isnan(called(named.log, task.metrics[metric_index]).scores).sum()) for named in records.logs
        )
        runs = {} if records.runs is None else dict.fromkeys(records.runs)
        systems.append(
            PairedLog(
                records.system,
                tuple(printable(named.log.path) for named in records.logs),
                len(items),
                max(len(runs), 1),
                tuple(item for item in everything if item not in items),
                records.n_duplicates,
                max(unscored - n_errors, 0),
                n_errors,
            )
        )
    return TaskPairing(
        task.name, task.metrics[metric_index], len(common), tuple(systems), tuple(_differences(task, metric_index))
    )


def _differences(task: Task, metric_index: int) -> Iterable[LogDifference]:
    """Yield differences between the logs of a task: facts, and the prompts and targets of items."""
    logs = [records.first for records in task.records]
    sides = ["higher" if called(log, task.metrics[metric_index]).higher_is_better else "lower" for log in logs]
    facts = [{**log.facts, "direction": f"{side} is better"} for log, side in zip(logs, sides, strict=True)]
    for fact in dict.fromkeys(name for log_facts in facts for name in log_facts):
        values = tuple(log_facts.get(fact) for log_facts in facts)
        if len(set(values)) > 1:
            yield LogDifference(fact, values)
    for digest in ("prompt", "target"):
        items = items_apart(task, digest)
        if items:
            yield LogDifference(digest, items=tuple(items))


def notes_of(audit: PairingAudit, tasks: Sequence[Task], systems: Sequence[Rows]) -> list[str]:
    """Return the notes on the pairing, one sentence each."""
    notes: list[str] = []
    several: dict[str, dict[str, None]] = {}
    for start in range(0, len(audit.tasks), len(tasks)):  # of one metric
        pairings = audit.tasks[start : start + len(tasks)]
        notes += _counts(pairings, audit.treatment)
        for pairing in pairings:
            facts = [_fact(difference) for difference in pairing.differences if difference.values]
            differ = [f"Besides the system, the logs differ in {'; '.join(facts)}."] if facts else []
            differ += [
                f"The {difference.what} differs on {format_counted(len(difference.items), 'item')}: "
                f"{listed(difference.items)}."
                for difference in pairing.differences
                if difference.items
            ]
            for sentence in differ:
                several.setdefault(sentence, {})[pairing.task] = None
    for sentence, task_names in several.items():
        first = next(iter(task_names))
        where = first if len(task_names) == 1 else f"{first} (and {format_counted(len(task_names) - 1, 'more task')})"
        notes.append(sentence if len(tasks) == 1 else f"{where}: {sentence}")
    log_notes = [
        (note, printable(named.log.path))
        for task in tasks
        for records in task.records
        for named in records.logs
        for note in _notes_of_log(named.log, task.metrics)
    ]
    return list(dict.fromkeys([*notes, *shared_notes(log_notes), *_copies(systems)]))


def _counts(pairings: Sequence[TaskPairing], treatment: str) -> Iterable[str]:
    """Yield the scores that systems lack over all tasks, for one metric."""
    systems = [log.system for log in pairings[0].systems]

    def some(count_of: Callable[[PairedLog], int]) -> str:
        counts = [sum(count_of(pairing.systems[at]) for pairing in pairings) for at in range(len(systems))]
        counted = [f"{count:,} of {system}" for system, count in zip(systems, counts, strict=True) if count]
        more = f" and {format_counted(len(counted) - 3, 'more system')}" if len(counted) > 3 else ""
        return f"{', '.join(counted[:3])}{more}"

    missing = some(lambda log: len(log.missing))
    if missing:
        n = sum(pairing.n_common for pairing in pairings)
        done = "count as 0" if treatment == "zero" else "are left out"
        yield f"{n:,} items have a score for all systems; others {done}. Missing: {missing}."
    twice = some(lambda log: log.n_duplicates)
    if twice:
        yield f"Duplicate records that were left out: {twice}."
    unscored, errors = some(lambda log: log.n_unscored), some(lambda log: log.n_errors)
    lacking = [f"Answers without a score: {unscored}."] if unscored else []
    lacking += [f"Answers that ended in an error: {errors}."] if errors else []
    if lacking:
        yield " ".join(lacking)


def _notes_of_log(log: Log, metrics: Sequence[str]) -> Iterable[str]:
    """Yield the notes of a log itself, or else why the harness's figures differ from those of its scores."""
    yield from log.notes
    for name in dict.fromkeys(metrics):
        metric = called(log, name)
        *_, agrees, why = checked(log, metric)
        if why is not None and (agrees is None or (agrees is False and not log.notes)):
            yield f"{metric.shown}: {why}"


def _fact(difference: LogDifference) -> str:
    """Return the values in which logs differ, without long ones."""
    values = [value or "not given" for value in dict.fromkeys(difference.values)]
    if any(len(value) > _LONGEST_FACT for value in values) or len(values) > 4:
        return difference.what
    return f"{difference.what} ({', '.join(values)})"


def _copies(systems: Sequence[Rows]) -> Iterable[str]:
    """Yield a warning on systems with exactly equal scores, as from a copied file."""
    alike: dict[tuple[object, bytes], list[str]] = {}
    for rows in systems:
        if len(rows) >= _FEW_COPIES and len(np.unique(rows.values[:, 0])) > 1:
            alike.setdefault((rows.item_ids, rows.values.tobytes()), []).append(rows.name)
    for first, *copies in alike.values():
        if copies:
            has, files = ("has", "the file is not a copy") if len(copies) == 1 else ("have", "the files are not copies")
            yield f"{few_named(copies)} {has} exactly the same scores as {first} on all items. Check that {files}."
