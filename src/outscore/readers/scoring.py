"""Score the outputs of several systems, in this process or in several if that is faster."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

_START_UP = 1.0  # seconds to start a process, import the metric and load the references
_TRIED = 25  # items scored first to estimate the total time

# Sent to each process at its start: the metric and the references.
_Task = tuple[AnyOutputMetric[Any, Any], Sequence[Any]]


@dataclass(frozen=True)
class Scoring:
    """How to score systems. The rows do not depend on it.

    Attributes
    ----------
    jobs : int
        Maximum number of processes. They are started only if scoring takes several times as long as starting them.
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

    Parameters
    ----------
    references : sequence of n references
        In the form that the metric takes.
    scoring : Scoring, optional
        In this process by default.

    Raises
    ------
    DataError
        Outputs that do not fit their references, with file and line; only those of the first such system.
    OptionError
        A process ended early.
    """
    scoring = scoring or Scoring()
    task = metric, references
    workers = min(scoring.jobs, len(systems))
    if workers > 1 and _pays(task, systems, workers):
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
            place = f"{name}:{system.lines[first]}" if len(system.lines) else f"{name}[{first}]"
            others = len({fault.index for fault in faults}) - 1
            more = f", and wrong values for {others} more" if others else ""
            what = f"returned {rows[first].tolist()} for {place}{more}: {faults[0].what}"
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


def _pays(task: _Task, systems: Sequence[Corpus[Any]], workers: int) -> bool:
    """Return whether the processes would save at least the time of starting them."""
    metric, references = task
    system = systems[0]
    n_tried = min(_TRIED, len(system))
    step = max(1, len(system) // n_tried)
    items, golds = system.items[::step], references[::step]
    try:
        metric.rows(items[:2], golds[:2])  # triggers imports
        started = time.process_time()  # more processes do not help on a busy machine
        metric.rows(items, golds)
    except (Exception, SystemExit):  # scoring all items will raise the same error
        return False
    seconds = (time.process_time() - started) / len(items) * len(system) * len(systems)
    return seconds * (1 - 1 / workers) > 2 * _START_UP


def _sent(task: _Task) -> memoryview | None:
    """Return the pickled task, or None if processes cannot start or the task cannot be pickled."""
    from multiprocessing import current_process
    from multiprocessing.reduction import ForkingPickler
    from pickle import PicklingError

    if current_process().daemon:
        return None
    try:
        return ForkingPickler.dumps(task)
    except (PicklingError, TypeError, AttributeError):
        return None


def _in_processes(task: memoryview, systems: Sequence[Corpus[Any]], scoring: Scoring, workers: int) -> list[Rows]:
    from multiprocessing.connection import Connection, wait

    results: dict[int, Rows | Exception] = {}
    with _workers(workers) as connections:
        for connection in connections.values():
            _alive(partial(connection.send_bytes, task), systems[0])
        waiting = iter(range(len(systems)))
        at_work: dict[Connection, int] = {}

        def employ(connection: Connection) -> None:
            # After an error, earlier systems are still scored: their errors would be reported first.
            failed = any(isinstance(result, Exception) for result in results.values())
            index = None if failed else next(waiting, None)
            if index is not None:
                of = systems[index]
                _alive(partial(connection.send, of), of)
                at_work[connection] = index

        for connection in connections.values():
            employ(connection)
        while at_work:
            for ready in wait(list(at_work)):
                assert isinstance(ready, Connection)
                index = at_work.pop(ready)
                results[index] = _alive(ready.recv, systems[index])
                if scoring.progress is not None:
                    scoring.progress(len(results), len(systems))
                employ(ready)
    rows = []
    for index in sorted(results):
        result = results[index]
        if isinstance(result, Exception):
            raise result
        rows.append(result)
    return rows


@contextmanager
def _workers(count: int) -> Iterator[dict[BaseProcess, Connection]]:
    """Yield this many scoring processes with their connections, and end them afterwards."""
    from multiprocessing import get_context

    # Not fork: threads of linear algebra libraries do not survive it.
    context = get_context("spawn")
    connections: dict[BaseProcess, Connection] = {}
    try:
        with _interruptions_blocked():
            for _ in range(count):
                ours, theirs = context.Pipe()
                process: BaseProcess = context.Process(target=_serve, args=(theirs, speaks_options()), daemon=True)
                connections[process] = ours  # before it starts, so that it is always ended
                process.start()
                theirs.close()  # then a process that ends closes the last copy
        yield connections
    finally:
        for process, connection in connections.items():
            connection.close()
            if process.pid is not None:
                process.terminate()
                process.join()


@contextmanager
def _interruptions_blocked() -> Iterator[None]:
    """Block Ctrl-C while processes start. They inherit the block, and this process ends them."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    from multiprocessing.resource_tracker import ensure_running

    ensure_running()  # unblocks interruptions if it starts a process
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(connection: Connection, speaks: bool) -> None:
    """Score systems from the connection until it is closed. Errors name options as in the parent process."""
    speak_options(speaks=speaks)
    with suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process ends this one
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        task = connection.recv()
        while True:
            system = connection.recv()
            try:
                result: Rows | Exception = _rows_of(task, system)
            except Exception as error:
                result = error
            try:
                connection.send(result)
            except (TypeError, ValueError, AttributeError) as error:  # cannot be pickled
                connection.send(RuntimeError(f"{printable(system.name)}: {error}: {result!r}"))


def _alive(talk: Callable[[], Any], system: Corpus[Any]) -> Any:
    """Return the result of talking to a process, or raise if the process has ended."""
    try:
        return talk()
    except (EOFError, OSError):
        what = f"the process scoring {printable(system.name)} ended early"
        raise OptionError(
            Problem(opt("jobs"), what, f"It may have run out of memory. Pass {opt('jobs', '1')}.", "process-ended")
        ) from None
