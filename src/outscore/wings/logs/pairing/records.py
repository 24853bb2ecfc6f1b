"""The records of systems in logs, without duplicates, and their rows of items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from outscore._types import FloatArray
from outscore.data.coercion import as_written
from outscore.data.pairing import folded
from outscore.data.rows import Rows
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics.base import fault_of_scale
from outscore.metrics.families.columns import NamedMean
from outscore.options import opt
from outscore.readers.files import lines_in, read_bytes
from outscore.readers.reading import Reading
from outscore.text.naming import listed, listed_paths, printable, quoted
from outscore.wings.logs.base import Log, called
from outscore.wings.logs.checking import duplicates_in
from outscore.wings.logs.finding import NamedLog
from outscore.wings.logs.pairing.choosing import System

_MOST_CELLS = 2**27
_MOST_NAMES = 3
UNLISTED = "unlisted "  # prefix of the numbers of items that logs count without listing them


@dataclass(frozen=True, eq=False)
class Records:
    """The records of one system on one task, from all files of its runs, without duplicates."""

    system: str
    logs: Sequence[NamedLog]
    ids: Sequence[str]
    runs: Sequence[str] | None
    # The log and position of each record, None for an item that the logs do not list. None if records are those of one
    # log, in order.
    positions: Sequence[tuple[int, int] | None] | None
    n_duplicates: int
    added_score: float = np.nan  # the score of items that the logs do not list
    _scores: dict[str, FloatArray] = field(default_factory=dict)

    @property
    def items(self) -> list[str]:
        """The items, in the order of their first records."""
        return list(dict.fromkeys(self.ids))

    @property
    def first(self) -> Log:
        """The first log, for data that all share."""
        return self.logs[0].log

    def column(self, labels_of: Callable[[Log], Any]) -> Sequence[Any]:
        """Return the logs' labels of each record, None if one has none."""
        columns = [labels_of(named.log) for named in self.logs]
        if self.positions is None:
            return [None] * len(self.ids) if columns[0] is None else columns[0]
        return [
            None if position is None or (column := columns[position[0]]) is None else column[position[1]]
            for position in self.positions
        ]

    def scores(self, metric: str) -> FloatArray:
        """Return the score of each record, NaN if it has none."""
        if metric not in self._scores:
            scores = np.array(self.column(lambda log: called(log, metric).scores), dtype=np.float64)
            if self.positions is not None:
                scores[[position is None for position in self.positions]] = self.added_score
            self._scores[metric] = scores
        return self._scores[metric]

    def with_score(self, metric: str) -> set[str]:
        """Return the items with a score."""
        there = (~np.isnan(self.scores(metric))).tolist()
        return {item for item, is_there in zip(self.ids, there, strict=True) if is_there}

    def by_item(self, labels_of: Callable[[Log], Any]) -> dict[str, Any]:
        """Return the logs' labels of each item, from its first record that has one."""
        labels: dict[str, Any] = {}
        if all(labels_of(named.log) is None for named in self.logs):
            return labels
        for item, value in zip(self.ids, self.column(labels_of), strict=True):
            if value is not None:
                labels.setdefault(item, value)
        return labels


@dataclass(frozen=True, eq=False)
class Task:
    """One task: the records of all systems, and the metric at each place."""

    name: str
    prefix: str
    records: Sequence[Records]
    metrics: Sequence[str]


def records_of(system: System, task: str, reading: Reading) -> Records:
    """Return the records of a system on a task.

    Several logs must be declared as runs. Different records of one item and run are refused.
    """
    logs = system.logs[task]
    if len(logs) > 1 and reading.runs is None:
        paths = listed_paths([named.log.path for named in logs])
        what = f"{len(logs)} logs of {quoted(system.name)} on {quoted(task)}: {paths}"
        advice = (
            f"Pass each as NAME=FILE to compare them, or declare them as runs: {opt('runs', 'fixed')} or "
            f"{opt('runs', 'random')}. If a run was repeated, pass only the last log."
        )
        raise DataError(Problem(printable(system.spec), what, advice, "several-logs"))
    if len(logs) == 1 and duplicates_in(logs[0].log) == 0:
        return Records(system.name, logs, logs[0].log.item_ids, logs[0].log.runs, None, 0)
    ids: list[str] = []
    runs: list[str] = []
    positions: list[tuple[int, int]] = []
    n_duplicates = 0
    for at, named in enumerate(logs):
        log = named.log
        log_runs = [""] * len(log) if log.runs is None else log.runs
        in_file = f"{at + 1}" if len(logs) > 1 else ""
        kept, dropped = _once(log, log_runs, reading)
        n_duplicates += dropped
        for index, run in kept:
            ids.append(log.item_ids[index])
            runs.append("/".join(filter(None, (in_file, run))))
            positions.append((at, index))
    return Records(system.name, logs, ids, runs if any(runs) else None, positions, n_duplicates)


def _once(log: Log, runs: Sequence[str], reading: Reading) -> tuple[Sequence[tuple[int, str]], int]:
    """Return the indices of records with their runs, without duplicates, and the number of duplicates."""
    cells: dict[tuple[str, str], list[int]] = {}
    for index, cell in enumerate(zip(log.item_ids, runs, strict=True)):
        cells.setdefault(cell, []).append(index)
    kept: list[tuple[int, str]] = []
    differing = []
    numbered = log.runs is None and reading.runs is not None
    for (item, run), indices in cells.items():
        if numbered:
            kept += [(index, f"{time + 1}") for time, index in enumerate(indices)]
            continue
        values = {tuple(str(metric.scores[index]) for metric in log.metrics) for index in indices}
        if len(values) > 1 and reading.duplicates is None:
            differing.append(item)
        kept.append((indices[-1 if reading.duplicates == "last" else 0], run))
    if differing:
        what = f"{len(differing)} duplicate item(s) with different scores: {listed(differing)}"
        first, samples = opt("duplicates", "first"), opt("runs", "samples")
        advice = f"Pass {first} or last to keep one, or {samples} if they are separate answers."
        raise DataError(Problem(printable(log.path), what, advice, "duplicate-id"))
    return kept, len(log) - len(kept)


def with_all_items(systems: Sequence[Records], reading: Reading) -> Sequence[Records]:
    """Return the records of all systems on a task, also of items that logs do not list. These score 0.

    Logs that list only items that score need a total, and all the same one.
    """
    for records in systems:
        n_runs, n_items = len(set(records.runs or ("",))), len(records.items)
        if n_runs * n_items > _MOST_CELLS:
            what = f"expected runs of the same items, got {n_runs:,} runs and {n_items:,} items"
            raise DataError(Problem(printable(records.first.path), what, "Check its epochs.", "too-many-runs"))
    logs, named = [records.first for records in systems], _total(reading.total)
    if named is None and not any(log.n_unlisted or log.needs_total for log in logs):
        return systems
    everything = dict.fromkeys(item for records in systems for item in records.ids)
    totals = {len(records.items) + records.first.n_unlisted for records in systems if not records.first.needs_total}
    if isinstance(named, int):
        totals = {named}
    elif named is not None:
        named_items = set(named)
        unknown = [item for item in everything if item not in named_items]
        if unknown:
            what = f"{len(unknown)} item(s) of the logs are not among them: {listed(unknown)}"
            raise DataError(Problem(opt("total"), what, "Pass the items of this test set.", "unknown-item"))
        everything, totals = dict.fromkeys(named), {len(named)}
    if not totals:
        what = "lists only resolved items, without their total number"
        advice = f"Pass {opt('total')} with the number of items, or a file of their ids."
        raise OptionError(Problem(printable(logs[0].path), what, advice, "no-total"))
    total = max(totals)
    if isinstance(named, int) and total < len(everything):
        what = f"expected at least {len(everything):,}, the number of items in the logs, got {named:,}"
        raise OptionError(Problem(opt("total"), what, "Pass the number of items of the test set.", "small-total"))
    if len(totals) > 1 or total < len(everything):
        got = " and ".join(f"{count:,}" for count in sorted({*totals, len(everything)}))
        what = f"expected logs of one test set, got {got} items"
        advice = f"Pass {opt('total')} with its items."
        raise DataError(Problem(printable(logs[0].path), what, advice, "different-totals"))
    items = [*everything, *(f"{UNLISTED}{more + 1}" for more in range(total - len(everything)))]
    return [_with_items(records, items, named is not None) for records in systems]


def _with_items(records: Records, items: Sequence[str], are_named: bool) -> Records:
    """Return the records of a system on some items. Missing ones score 0, unless its logs list all of their items."""
    there, old_runs = set(records.ids), records.runs or [""] * len(records.ids)
    added = [(item, run) for item in items if item not in there for run in dict.fromkeys(old_runs)]
    cells = [*zip(records.ids, old_runs, strict=True), *added]
    old_positions = records.positions or [(0, index) for index in range(len(records.ids))]
    rank_of = dict(zip(items, range(len(items)), strict=True))
    order = sorted(range(len(cells)), key=lambda record: rank_of[cells[record][0]])
    return replace(
        records,
        ids=[cells[record][0] for record in order],
        runs=None if records.runs is None else [cells[record][1] for record in order],
        positions=[old_positions[record] if record < len(old_positions) else None for record in order],
        added_score=0.0 if records.first.n_unlisted or records.first.needs_total or are_named else np.nan,
        _scores={},
    )


def _total(value: int | str | None) -> int | Sequence[str] | None:
    """Return the number of items of a test set, or their ids from a file with one per line."""
    if value is None or isinstance(value, int):
        return value
    if value.strip().isdecimal():
        return int(value)
    ids = [line.strip() for line in lines_in(read_bytes(value), value) if line.strip()]
    if len(set(ids)) < len(ids):
        raise DataError(Problem(printable(value), "the file has duplicate ids", "", "duplicate-id"))
    return ids


def metric_of(tasks: Sequence[Task], metric_index: int) -> NamedMean:
    """Return the metric at a place: for several tasks with one direction, and the common range."""
    log_metrics = [called(records.first, task.metrics[metric_index]) for task in tasks for records in task.records]
    names = list(dict.fromkeys(name for task in tasks for name in [task.metrics[metric_index]]))
    titles = list(dict.fromkeys(metric.shown for metric in log_metrics))
    if len({metric.higher_is_better for metric in log_metrics}) > 1:
        what = f"higher is better for some of {listed(titles)}, and lower for others"
        raise OptionError(
            Problem(opt("metric"), what, f"Pass one with -m, or tasks with {opt('task')}.", "different-directions")
        )
    ranges = {(metric.lowest, metric.highest) for metric in log_metrics}
    low, high = ranges.pop() if len(ranges) == 1 else (None, None)
    return NamedMean(
        name=_joined(names),
        title=_joined(titles),
        of_test_sets=tuple(
            (task.name, task.metrics[metric_index], called(task.records[0].first, task.metrics[metric_index]).shown)
            for task in tasks
            if len(names) > 1
        ),
        higher_is_better=log_metrics[0].higher_is_better,
        lowest=low,
        highest=high,
    )


def _joined(names: Sequence[str]) -> str:
    return " and ".join(names) if len(names) <= _MOST_NAMES else "each task's own metric"


def rows_of(name: str, tasks: Sequence[Task], at: int, metric_index: int, metric: NamedMean) -> Rows:
    """Return the rows of the system at an index on all tasks by the metric at another, for items with a score.

    Refused are systems without scores, and infinite or impossible ones.
    """
    task_records = [task.records[at] for task in tasks]
    ids = [f"{task.prefix}{item}" for task, records in zip(tasks, task_records, strict=True) for item in records.ids]
    runs = [run for records in task_records for run in records.runs or ["1"] * len(records.ids)]
    n_runs, n_items = len(set(runs)), len(set(ids))
    if n_runs * n_items > _MOST_CELLS:
        what = f"expected runs of all tasks by the same names, got {n_runs:,} runs of {n_items:,} items"
        raise DataError(Problem(printable(name), what, "Compare one task at a time.", "too-many-runs"))
    scores = as_written(np.concatenate([task.records[at].scores(task.metrics[metric_index]) for task in tasks]))
    there = ~np.isnan(scores)
    if not there.any():
        what = f"no score of {quoted(metric.title)} is a number"
        raise DataError(Problem(printable(name), what, "Choose another metric.", "no-scores"))
    path = printable(tasks[0].records[at].first.path) or None
    endless = dict.fromkeys(ids[index] for index in np.flatnonzero(np.isinf(scores)))
    if endless:
        what = f"scores of {quoted(metric.title)} are infinite on {len(endless):,} item(s), "
        what += f"{quoted(next(iter(endless)))} first"
        raise DataError(Problem(path or name, what, "Choose another metric, or fix the log.", "not-finite"))
    column = scores[there][:, None]
    fault = fault_of_scale(column) or next(iter(metric.faults(column)), None)
    if fault is not None:
        raise DataError(Problem(path or name, fault.what, "Check the log.", fault.slug))
    values = np.where(there[:, None], metric.rows(scores[:, None]), np.nan)
    rows = Rows(name, values, tuple(ids), path=path)
    if n_runs > 1:
        rows = folded(rows, {"run": runs}, order=lambda run: (len(run), run), fewest=1)
        assert rows.cells is not None
        there = np.asarray(~rows.cells.lacking.all(axis=0))
    dropped = tuple((rows.item_ids or ())[index] for index in np.flatnonzero(~there))
    return replace(rows.take(np.flatnonzero(there)), dropped=dropped)


def items_apart(task: Task, digest: str) -> list[str]:
    """Return the items on which two logs have different digests."""
    first: dict[str, str] = {}
    apart: dict[str, None] = {}
    for records in task.records:
        for item, value in records.by_item(lambda log: log.digests.get(digest)).items():
            if value and first.setdefault(item, value) != value:
                apart[item] = None
    return list(apart)


def refuse_other_documents(task: Task) -> None:
    """Refuse logs in which an id belongs to different documents: another version of the data, or another order."""
    items = items_apart(task, "document")
    if items:
        paths = listed_paths([records.first.path for records in task.records])
        what = f"{len(items)} id(s) of {quoted(task.name)} refer to different documents in {paths}: {listed(items)}"
        advice = "Compare logs of the same version of the data, in the same order."
        raise DataError(Problem(printable(task.records[0].first.path), what, advice, "different-documents"))
    references = dict.fromkeys(records.first.facts.get("reference") for records in task.records)
    if len(references) > 1:
        named = listed([reference or "none" for reference in references])
        what = f"answers to {quoted(task.name)} were judged against different references: {named}"
        advice = "Compare systems with the same reference."
        raise DataError(Problem(printable(task.records[0].first.path), what, advice, "different-references"))
