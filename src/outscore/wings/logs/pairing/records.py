"""The records of systems in logs, without duplicates, and their rows of items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
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
    """The records of one system on one task, from all files of its runs, without duplicates.

    Attributes
    ----------
    places : sequence of pairs of int, optional
        The log and position of each record; None if they are those of one log, in order.
    """

    system: str
    logs: Sequence[NamedLog]
    ids: Sequence[str]
    runs: Sequence[str] | None
    places: Sequence[tuple[int, int]] | None
    n_duplicates: int

    @property
    def first(self) -> Log:
        """The first log, for data that all share."""
        return self.logs[0].log

    def column(self, of: Callable[[Log], Any]) -> Sequence[Any]:
        """Return the logs' labels of each record, None if one has none."""
        columns = [of(one.log) for one in self.logs]
        if self.places is None:
            return [None] * len(self.ids) if columns[0] is None else columns[0]
        return [None if (own := columns[log]) is None else own[place] for log, place in self.places]

    def by_item(self, of: Callable[[Log], Any]) -> dict[str, Any]:
        """Return the logs' labels of each item, from its first record that has one."""
        said: dict[str, Any] = {}
        if all(of(one.log) is None for one in self.logs):
            return said
        for item, value in zip(self.ids, self.column(of), strict=True):
            if value is not None:
                said.setdefault(item, value)
        return said


@dataclass(frozen=True, eq=False)
class Task:
    """One task: the records of all systems, and the metric at each place."""

    name: str
    prefix: str
    records: Sequence[Records]
    metrics: Sequence[str]


def records_of(system: System, task: str, reading: Reading) -> Records:
    """Return the records of a system on a task.

    Raises
    ------
    DataError
        There are several logs that are not declared as runs, or different records of one item and run.
    """
    logs = system.logs[task]
    if len(logs) > 1 and reading.runs is None:
        paths = listed_paths([one.log.path for one in logs])
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
    """Return the places of records with their runs, without duplicates, and the number of duplicates."""
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
        what = f"{len(differing)} duplicate item(s) with different scores: {listed(differing)}"
        first, samples = opt("duplicates", "first"), opt("runs", "samples")
        advice = f"Pass {first} or last to keep one, or {samples} if they are separate answers."
        raise DataError(Problem(printable(log.path), what, advice, "duplicate-id"))
    return kept, len(log) - len(kept)


@dataclass(frozen=True, eq=False)
class Scored:
    """The scores of one system on one task by one metric, one per record; NaN if a record has none."""

    ids: Sequence[str]
    runs: Sequence[str]
    scores: FloatArray

    @property
    def items(self) -> list[str]:
        """The items, in the order of their first records."""
        return list(dict.fromkeys(self.ids))

    @property
    def with_score(self) -> set[str]:
        """The items with a score."""
        return {item for item, there in zip(self.ids, (~np.isnan(self.scores)).tolist(), strict=True) if there}


def _scored(records: Records, name: str) -> Scored:
    """Return the scores of a system on a task."""
    runs = ["1"] * len(records.ids) if records.runs is None else records.runs
    what = f"expected runs of the same items, got {len(set(runs)):,} runs and {len(set(records.ids)):,} items"
    if len(set(runs)) * len(set(records.ids)) > _MOST_CELLS:
        raise DataError(Problem(printable(records.first.path), what, "Check its epochs.", "too-many-runs"))
    return Scored(records.ids, runs, np.array(records.column(lambda log: called(log, name).scores), dtype=np.float64))


def scored(task: Task, place: int, reading: Reading) -> list[Scored]:
    """Return the scores of all systems on a task; unlisted items score 0.

    Raises
    ------
    OptionError, DataError
        Logs list only items that score, without a total, or with different totals.
    """
    systems = [_scored(of, task.metrics[place]) for of in task.records]
    logs = [of.first for of in task.records]
    named = _total(reading.total)
    if named is None and not any(log.n_unlisted or log.needs_total for log in logs):
        return systems
    everything = dict.fromkeys(item for of in systems for item in of.ids)
    totals = {len(of.items) + log.n_unlisted for of, log in zip(systems, logs, strict=True) if not log.needs_total}
    if isinstance(named, int):
        totals = {named}
    elif named is not None:
        known = set(named)
        unknown = [item for item in everything if item not in known]
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
        got = " and ".join(f"{one:,}" for one in sorted({*totals, len(everything)}))
        what = f"expected logs of one test set, got {got} items"
        advice = f"Pass {opt('total')} with its items."
        raise DataError(Problem(printable(logs[0].path), what, advice, "different-totals"))
    items = [*everything, *(f"{UNLISTED}{more + 1}" for more in range(total - len(everything)))]
    return [
        _with_items(of, items, 0.0 if log.n_unlisted or log.needs_total or named is not None else np.nan)
        for of, log in zip(systems, logs, strict=True)
    ]


def _with_items(of: Scored, items: Sequence[str], score: float) -> Scored:
    """Return the scores of a system on some items, in their order, with a default for missing ones."""
    there, runs = set(of.ids), dict.fromkeys(of.runs)
    added = [(item, run) for item in items if item not in there for run in runs]
    places = {item: place for place, item in enumerate(items)}
    ids = [*of.ids, *(item for item, _ in added)]
    order = sorted(range(len(ids)), key=lambda record: places[ids[record]])
    all_runs, scores = [*of.runs, *(run for _, run in added)], np.append(of.scores, np.full(len(added), score))
    return Scored([ids[record] for record in order], [all_runs[record] for record in order], scores[order])


def _total(said: int | str | None) -> int | Sequence[str] | None:
    """Return the number of items of a test set, or their ids from a file with one per line."""
    if said is None or isinstance(said, int):
        return said
    if said.strip().isdecimal():
        return int(said)
    ids = [line.strip() for line in lines_in(read_bytes(said), said) if line.strip()]
    if len(set(ids)) < len(ids):
        raise DataError(Problem(printable(said), "the file has duplicate ids", "", "duplicate-id"))
    return ids


def metric_of(tasks: Sequence[Task], place: int) -> NamedMean:
    """Return the metric at a place: for several tasks with one direction, and the common range."""
    of_logs = [called(of.first, task.metrics[place]) for task in tasks for of in task.records]
    names = list(dict.fromkeys(name for task in tasks for name in [task.metrics[place]]))
    titles = list(dict.fromkeys(metric.shown for metric in of_logs))
    if len({metric.higher_is_better for metric in of_logs}) > 1:
        what = f"higher is better for some of {listed(titles)}, and lower for others"
        raise OptionError(
            Problem(opt("metric"), what, f"Pass one with -m, or tasks with {opt('task')}.", "different-directions")
        )
    ranges = {(metric.lowest, metric.highest) for metric in of_logs}
    low, high = ranges.pop() if len(ranges) == 1 else (None, None)
    return NamedMean(
        name=_joined(names),
        title=_joined(titles),
        of_test_sets=tuple(
            (task.name, task.metrics[place], called(task.records[0].first, task.metrics[place]).shown)
            for task in tasks
            if len(names) > 1
        ),
        higher_is_better=of_logs[0].higher_is_better,
        lowest=low,
        highest=high,
    )


def _joined(names: Sequence[str]) -> str:
    return " and ".join(names) if len(names) <= _MOST_NAMES else "each task's own metric"


def rows_of(name: str, of_tasks: Sequence[Scored], tasks: Sequence[Task], at: int, metric: NamedMean) -> Rows:
    """Return the rows of the system at a place on all tasks, for items with a score.

    Raises
    ------
    DataError
        There are no scores, or infinite or impossible ones.
    """
    ids = [f"{task.prefix}{item}" for task, own in zip(tasks, of_tasks, strict=True) for item in own.ids]
    runs = list(chain.from_iterable(own.runs for own in of_tasks))
    n_runs, n_items = len(set(runs)), len(set(ids))
    if n_runs * n_items > _MOST_CELLS:
        what = f"expected runs of all tasks by the same names, got {n_runs:,} runs of {n_items:,} items"
        raise DataError(Problem(printable(name), what, "Compare one task at a time.", "too-many-runs"))
    scores = as_written(np.concatenate([own.scores for own in of_tasks]))
    there = ~np.isnan(scores)
    if not there.any():
        what = f"no score of {quoted(metric.title)} is a number"
        raise DataError(Problem(printable(name), what, "Choose another metric.", "no-scores"))
    path = printable(tasks[0].records[at].first.path) or None
    endless = dict.fromkeys(ids[place] for place in np.flatnonzero(np.isinf(scores)))
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
    dropped = tuple((rows.item_ids or ())[place] for place in np.flatnonzero(~there))
    return replace(rows.take(np.flatnonzero(there)), dropped=dropped)


def items_apart(task: Task, digest: str) -> list[str]:
    """Return the items on which two logs have different digests."""
    first: dict[str, str] = {}
    apart: dict[str, None] = {}
    for of in task.records:
        for item, value in of.by_item(lambda log: log.digests.get(digest)).items():
            if value and first.setdefault(item, value) != value:
                apart[item] = None
    return list(apart)


def refuse_other_documents(task: Task) -> None:
    """Refuse logs in which an id belongs to different documents: another version of the data, or another order."""
    items = items_apart(task, "document")
    if items:
        paths = listed_paths([of.first.path for of in task.records])
        what = f"{len(items)} id(s) of {quoted(task.name)} refer to different documents in {paths}: {listed(items)}"
        advice = "Compare logs of the same version of the data, in the same order."
        raise DataError(Problem(printable(task.records[0].first.path), what, advice, "different-documents"))
    references = dict.fromkeys(of.first.facts.get("reference") for of in task.records)
    if len(references) > 1:
        named = listed([reference or "none" for reference in references])
        what = f"answers to {quoted(task.name)} were judged against different references: {named}"
        advice = "Compare systems with the same reference."
        raise DataError(Problem(printable(task.records[0].first.path), what, advice, "different-references"))
