"""Rows of several systems at once: in this process, or in several where that pays."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from outscore.metrics.base import AnyOutputMetric, Metric, RecomputedMetric, ResponseMetric
from outscore.metrics.checked import metric_error, metric_failures
from outscore.options import opt, speak_options, speaks_options
from outscore.text.naming import printable

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

_START_UP = 1.0  # seconds in which a process starts, imports what scores text and takes the references in
_TRIED = 25  # items scored in advance, to know how long all of them will take

# What one process is sent at first: the metric, the references, and whether responses are wanted.
_Task = tuple[AnyOutputMetric[Any, Any], Sequence[Any], bool]


@dataclass(frozen=True)
class Scoring:
    """How systems are scored; the rows do not depend on it.

    Attributes
    ----------
    jobs : int
        The most processes to use. They are started only where all systems take several times as long as that.
    progress : callable, optional
        Told after each system how many are done, and of how many.
    """

    jobs: int = 1
    progress: Progress | None = None


def score_systems(
    metric: AnyOutputMetric[Any, Any],
    systems: Sequence[Corpus[Any]],
    references: Sequence[Any],
    *,
    scoring: Scoring | None = None,
    with_responses: bool = False,
) -> list[Rows]:
    """Return the rows of systems whose outputs are in the order of the references.

    Parameters
    ----------
    metric : AnyOutputMetric
    systems : sequence of Corpus
    references : sequence of n references
        As the metric takes them.
    scoring : Scoring, optional
        In this process by default.
    with_responses : bool
        Whether rows are to hold their single responses, where the metric has some.

    Raises
    ------
    DataError
        Outputs that do not fit their references, with file and line; those of the first such system.
    OptionError
        A process that ended before its time.
    """
    scoring = scoring or Scoring()
    task = metric, references, with_responses
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
    metric, references, with_responses = task
    name = printable(system.name)
    lines = system.lines if len(system.lines) else None
    responses: list[Mapping[Any, Sequence[float]]] | None = None
    try:
        with metric_failures(metric.name, f"cannot score the {len(system)} items of {name}", "bad-rows"):
            values = metric.rows(system.items, references)
            if with_responses and isinstance(metric, ResponseMetric):
                responses = [metric.responses(*both) for both in zip(system.items, references, strict=True)]
    except DataError as error:
        raise DataError(*(_completed(problem, name, lines) for problem in error.problems)) from None
    rows, remarks = _checked(metric, values, system, name), tuple(metric.remarks_on_outputs(system.items))
    return Rows(name, rows, system.item_ids, lines, responses=responses, remarks=remarks)


def _checked(metric: AnyOutputMetric[Any, Any], values: AnyArray, system: Corpus[Any], name: str) -> AnyArray:
    """Return the rows that a metric made, if they are one of finite numbers an item; of items, if it is recomputed."""
    n, k = len(system), len(metric.statistics)
    rows = np.asarray(values)
    if isinstance(metric, RecomputedMetric):
        fits, wanted = rows.ndim == 2 and len(rows) == n, f"{n} rows, one an item"
    else:
        fits = rows.shape == (n, k) and rows.dtype.kind in "biuf"
        wanted = f"numbers of shape ({n}, {k}), one row an item and one column a statistic"
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
            more = f", and as wrong ones to {others} more" if others else ""
            what = f"gives {rows[first].tolist()} to {place}{more}: {faults[0].what}"
            raise metric_error(metric.name, what, "bad-rows")
        if n:
            metric.score_of_set(numbers)  # a score that is none is told before anything is resampled
    return numbers


def _completed(problem: Problem, name: str, lines: Sequence[int] | None) -> Problem:
    """Put file and line in the place of the item's index that a metric gave."""
    where = problem.where
    if where.startswith("[") and where.endswith("]") and where[1:-1].isdigit():
        index = int(where[1:-1])
        where = f"{name}:{lines[index]}" if lines is not None else f"{name}{where}"
    return Problem(where, problem.what, problem.advice, problem.slug)


def _pays(task: _Task, systems: Sequence[Corpus[Any]], workers: int) -> bool:
    """Tell whether the processes would save at least the time in which they start."""
    metric, references, _ = task
    system = systems[0]
    n_tried = min(_TRIED, len(system))
    step = max(1, len(system) // n_tried)
    items, golds = system.items[::step], references[::step]
    try:
        metric.rows(items[:2], golds[:2])  # imports what it needs
        started = time.process_time()  # other processes would gain nothing where this one waits for a busy machine
        metric.rows(items, golds)
    except (Exception, SystemExit):  # what is wrong will be found, and said, where all items are scored
        return False
    seconds = (time.process_time() - started) / len(items) * len(system) * len(systems)
    return seconds * (1 - 1 / workers) > 2 * _START_UP


def _sent(task: _Task) -> memoryview | None:
    """Return what a process is sent first, once for all of them; None where none may start, or it cannot be sent."""
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
            # After an error the systems before the one that has it are still scored: theirs would come first.
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
    """Yield so many processes that score systems, each with the connection to it; none is left afterwards."""
    from multiprocessing import get_context

    # Not fork: the threads of linear algebra libraries do not survive it.
    context = get_context("spawn")
    connections: dict[BaseProcess, Connection] = {}
    try:
        with _interruptions_blocked():
            for _ in range(count):
                ours, theirs = context.Pipe()
                process: BaseProcess = context.Process(target=_serve, args=(theirs, speaks_options()), daemon=True)
                connections[process] = ours  # before it starts, so that it is ended whatever happens
                process.start()
                theirs.close()  # so that a process that ends closes the last one
        yield connections
    finally:
        for process, connection in connections.items():
            connection.close()
            if process.pid is not None:
                process.terminate()
                process.join()


@contextmanager
def _interruptions_blocked() -> Iterator[None]:
    """Hold Ctrl-C back while processes start: they take that over, and only this one, which ends them, hears it."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    from multiprocessing.resource_tracker import ensure_running

    ensure_running()  # which lets interruptions through again where it has to start something
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(connection: Connection, speaks: bool) -> None:
    """Score what comes through the connection, until it is closed; errors speak as in the process that started this."""
    speak_options(speaks=speaks)
    with suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one ends it
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
            except (TypeError, ValueError, AttributeError) as error:  # what cannot be pickled
                connection.send(RuntimeError(f"{printable(system.name)}: {error}: {result!r}"))


def _alive(talk: Callable[[], Any], system: Corpus[Any]) -> Any:
    """Return what a talk with a process gives, or say that the process is no more."""
    try:
        return talk()
    except (EOFError, OSError):
        what = f"the process that scored {printable(system.name)} ended before it was done"
        raise OptionError(
            Problem(opt("jobs"), what, f"It may have lacked memory: pass {opt('jobs', '1')}.", "process-ended")
        ) from None
