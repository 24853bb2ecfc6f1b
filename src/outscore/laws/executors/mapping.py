"""One function over many tasks, in this thread or on an executor; what is computed does not depend on which."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from outscore.data.coercion import wrong
from outscore.options import opt

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future


class _Client(Protocol):
    """What a `distributed.Client` can do, for annotations that do not need the package."""

    def get_executor(self, **kwargs: Any) -> Executor: ...


AnyExecutor: TypeAlias = "Executor | _Client | str"

_TASKS_PER_WORKER = 4  # of another process: enough for workers to end at about the same time

Task = TypeVar("Task")
Returned = TypeVar("Returned")


def executor_of(value: AnyExecutor | None, where: str | None = None) -> Executor | None:
    """Return the executor that a program or a user names; None for this thread.

    Parameters
    ----------
    value : concurrent.futures.Executor, distributed.Client or str, optional
        A client of Dask, or an executor of one, is asked as a cluster: data are sent to it once, and not with every
        task. So is ``dask://HOST:PORT``, to whose scheduler the connection is made when there is something to compute,
        and closed when nothing holds the executor any longer.
    where : str
        What it is called in errors; by default as the option.

    Raises
    ------
    OptionError
        A text that names no scheduler, an asynchronous client, or an object of another kind.
    MissingDependencyError
        The name of a cluster without the package distributed.
    """
    where = where or opt("executor")
    if isinstance(value, str) or type(value).__module__.partition(".")[0] == "distributed":
        from outscore.laws.executors.dask import cluster_of

        return cluster_of(value, where)
    if value is not None and not callable(getattr(value, "map", None)):
        raise wrong(where, "a concurrent.futures.Executor, a distributed.Client or dask://HOST:PORT", value)
    return value  # type: ignore[return-value]


def mapped(executor: Executor | None, work: Callable[..., Returned], *iterables: Iterable[Any]) -> Iterator[Returned]:
    """Return what ``map(work, *iterables)`` returns, in this order, computed on the executor.

    A cluster is sent `work` once; to processes of a pool it travels with every task.
    """
    return map(work, *iterables) if executor is None else executor.map(work, *iterables)


def mapped_in_threads(
    executor: Executor | None, work: Callable[[Task], Returned], tasks: Iterable[Task]
) -> Iterator[Returned]:
    """Return what `mapped` does of work that shares memory: on threads, or else in this one."""
    return mapped(executor if _is_of_threads(executor) else None, work, tasks)


def completed(
    executor: Executor, work: Callable[[Task], Returned], tasks: Iterable[Task], at_once: int | None = None
) -> Iterator[tuple[Task, Future[Returned]]]:
    """Yield each task with how it ended, in the order in which they end; at most `at_once` wait or run at a time."""
    from outscore.laws.executors.dask import DaskExecutor

    if isinstance(executor, DaskExecutor):
        yield from executor.completed(work, tasks, at_once)
        return
    from concurrent.futures import FIRST_COMPLETED, wait

    waiting, running = iter(tasks), dict[Any, Task]()
    try:
        while True:
            free = None if at_once is None else at_once - len(running)
            running |= {executor.submit(work, task): task for task in islice(waiting, free)}
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future
    finally:
        for future in running:
            future.cancel()


def task_size(executor: Executor | None, n_pieces: int, fewest: int) -> int:
    """Return of how many pieces of work a task is best made, `fewest` at least where there are as many.

    All data travel with each task to a pool of processes, and a cluster is asked for each: there are few tasks a worker
    then, however many pieces.
    """
    if executor is None or _is_of_threads(executor):
        return fewest
    workers = getattr(executor, "n_workers", None) or getattr(executor, "_max_workers", None) or os.cpu_count() or 1
    size = max(fewest, -(-n_pieces // (_TASKS_PER_WORKER * workers)))
    most = getattr(executor, "most_pieces", None)
    return size if most is None else max(fewest, min(size, most))


def still_wanted() -> bool:
    """Tell, within a task, whether anybody waits for what it returns; where that is not known somebody does."""
    if "distributed" not in sys.modules:
        return True
    from outscore.laws.executors.dask import task_is_wanted

    return task_is_wanted()


def _is_of_threads(executor: Executor | None) -> bool:
    if executor is None:
        return False
    from concurrent.futures import ThreadPoolExecutor  # which takes long, and is there once there is an executor

    return isinstance(executor, ThreadPoolExecutor)
