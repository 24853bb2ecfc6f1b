"""Score the outputs of several systems, in this process or in several if that is faster."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from outscore._types import AnyArray
from outscore.data.items import Corpus
from outscore.data.rows import Rows
from outscore.errors import DataError, OptionError, Problem
from outscore.laws.resampling import Progress
from outscore.metrics.base import AnyOutputMetric, Metric, RecomputedMetric
from outscore.metrics.checked import metric_error, metric_failures
from outscore.options import opt, speak_options, speaks_options
from outscore.text.naming import printable

# Outputs from which processes save time: a process takes half a second to start, and an output of a sentence at
# most 0.1 ms with any metric of outscore.
_MANY = 40_000

# The metric and the references.
_Task = tuple[AnyOutputMetric[Any, Any], Sequence[Any]]


@dataclass(frozen=True)
class Scoring:
    """How to score systems. The rows do not depend on it.

    Attributes
    ----------
    jobs : int
        Maximum number of processes. They are started only for many outputs.
    progress : callable, optional
        Called after each system with the number of systems scored, and the total.
    """

    jobs: int = 1
    progress: Progress | None = None


def score_systems(
    metric: AnyOutputMetric[Any, Any],
    systems: Sequence[Corpus[Any]],
    references: Sequence[Any],
    *,
    scoring: Scoring | None = None,
) -> list[Rows]:
    """Return the rows of systems whose outputs are in the order of the references.

    References are in the form that the metric takes. By default outputs are scored in this process. Raise DataError for
    outputs that do not fit their references, with file and line; only those of the first such system. Raise OptionError
    if a process ended early.
    """
    scoring = scoring or Scoring()
    task = metric, references
    workers = min(scoring.jobs, len(systems))
    if workers > 1 and len(references) * len(systems) >= _MANY:
        sent = _sent(task)
        if sent is not None:
            return _in_processes(sent, systems, scoring, workers)
    scored = []
    for system in systems:
        scored.append(_rows_of(task, system))
        if scoring.progress is not None:
            scoring.progress(len(scored), len(systems))
    return scored


def _rows_of(task: _Task, system: Corpus[Any]) -> Rows:
    metric, references = task
    name = printable(system.name)
    lines = system.lines if len(system.lines) else None
    try:
        with metric_failures(metric.name, f"cannot score the {len(system)} items of {name}", "bad-rows"):
            metric.check_outputs(system.items, references)
            values = metric.rows(system.items, references)
    except DataError as error:
        raise DataError(*(_completed(problem, name, lines) for problem in error.problems)) from None
    rows, remarks = _checked(metric, values, system, name), (*system.notes, *metric.remarks_on_outputs(system.items))
    return Rows(name, rows, system.item_ids, lines, remarks=remarks)


def _checked(metric: AnyOutputMetric[Any, Any], values: AnyArray, system: Corpus[Any], name: str) -> AnyArray:
    """Return the rows of a metric after checking them: one row of finite numbers per item, or items if recomputed."""
    n, k = len(system), len(metric.statistics)
    rows = np.asarray(values)
    if isinstance(metric, RecomputedMetric):
        fits, wanted = rows.ndim == 2 and len(rows) == n, f"{n} rows, one per item"
    else:
        fits = rows.shape == (n, k) and rows.dtype.kind in "biuf"
        wanted = f"numbers of shape ({n}, {k}), one row per item and one column per statistic"
    if not fits:
        got = f"{rows.dtype} of shape {rows.shape}"
        raise metric_error(metric.name, f"expected {wanted}, for {name}, got {got}", "bad-rows")
    if isinstance(metric, RecomputedMetric):
        return rows
    numbers: AnyArray = rows.astype(np.float64, copy=False)
    if isinstance(metric, Metric):
        faults = list(metric.faults_of_rows(numbers))
        if faults:
            first = faults[0].index
            where = f"{name}:{system.lines[first]}" if len(system.lines) else f"{name}[{first}]"
            others = len({fault.index for fault in faults}) - 1
            more = f", and wrong values for {others} more" if others else ""
            what = f"returned {rows[first].tolist()} for {where}{more}: {faults[0].what}"
            raise metric_error(metric.name, what, "bad-rows")
        if n:
            metric.score_of_set(numbers)  # raises before resampling if there is no score
    return numbers


def _completed(problem: Problem, name: str, lines: Sequence[int] | None) -> Problem:
    """Replace "outputs" or the item index in a metric's error by the file, and its line."""
    where = name if problem.where == "outputs" else problem.where
    if where.startswith("[") and where.endswith("]") and where[1:-1].isdigit():
        index = int(where[1:-1])
        where = f"{name}:{lines[index]}" if lines is not None else f"{name}{where}"
    return Problem(where, problem.what, problem.advice, problem.slug)


def _sent(task: _Task) -> bytes | None:
    """Return the pickled task, or None if processes cannot start or the task cannot be pickled."""
    from multiprocessing import current_process
    from pickle import PicklingError, dumps

    if current_process().daemon:
        return None
    try:
        return dumps(task)
    except (PicklingError, TypeError, AttributeError):
        return None


def _in_processes(task: bytes, systems: Sequence[Corpus[Any]], scoring: Scoring, workers: int) -> list[Rows]:
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    rows: list[Rows] = []
    # Not fork: threads of linear algebra libraries do not survive it.
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _begin, (speaks_options(),))
    try:
        with _starting():
            futures = [pool.submit(_rows_in_process, task, system) for system in systems]
        for future in futures:  # in order, so that the error of the first system with one is raised
            rows.append(future.result())
            if scoring.progress is not None:
                scoring.progress(len(rows), len(systems))
    except BrokenProcessPool:
        what = f"the process scoring {printable(systems[len(rows)].name)} ended early"
        advice = f"It may have run out of memory. Pass {opt('jobs', '1')}."
        raise OptionError(Problem(opt("jobs"), what, advice, "process-ended")) from None
    finally:
        for process in pool._processes.values():  # before Python 3.14 no public method ends what runs
            process.terminate()
        pool.shutdown(cancel_futures=True)
    return rows


@contextmanager
def _starting() -> Iterator[None]:
    """Block Ctrl-C in processes that start, because this one ends them, and limit OpenBLAS there to one thread."""
    blocks = hasattr(signal, "pthread_sigmask")  # not on Windows
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if blocks else set()
    threads = os.environ.get("OPENBLAS_NUM_THREADS")
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    try:
        yield
    finally:
        del os.environ["OPENBLAS_NUM_THREADS"]
        if threads is not None:
            os.environ["OPENBLAS_NUM_THREADS"] = threads
        if blocks:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(speaks: bool) -> None:
    """Prepare a process, which ends when its parent does. Errors name options as in the parent."""
    from multiprocessing import parent_process
    from threading import Thread

    def end_with(parent: Any) -> None:
        parent.join()
        os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    Thread(target=end_with, args=(parent_process(),), daemon=True).start()
    speak_options(speaks=speaks)


# The task is sent with every system: as an argument of `_begin`, processes would start one after the other.
def _rows_in_process(task: bytes, system: Corpus[Any]) -> Rows:
    return _rows_of(_loaded(task), system)


@lru_cache(1)
def _loaded(task: bytes) -> Any:
    from pickle import loads

    return loads(task)
