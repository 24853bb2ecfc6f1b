"""One function over many tasks, in this thread or on an executor; results do not depend on which."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from outscore.data.coercion import wrong
from outscore.errors import ClusterError
from outscore.options import opt

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future


class _Client(Protocol):
    """The methods of `distributed.Client` in use, for annotations that do not need the package."""

    def get_executor(self, **kwargs: Any) -> Executor: ...


AnyExecutor: TypeAlias = "Executor | _Client | str"

_TASKS_PER_WORKER = 4  # in other processes: enough for workers to end at about the same time

Task = TypeVar("Task")
Returned = TypeVar("Returned")


def executor_of(value: AnyExecutor | None, where: str | None = None) -> Executor | None:
    """Return the executor for an object or an address; None for this thread.

    Parameters
    ----------
    value : concurrent.futures.Executor, distributed.Client or str, optional
        A client of Dask, or an executor of one, is used as a cluster: data are sent to it once, not with every task.
        The same holds for ``dask://HOST:PORT``. The connection to that scheduler is opened on demand and closed when
        the executor is garbage-collected.
    where : str
        Name in errors; by default that of the option.

    Raises
    ------
    OptionError
        If the text is not the address of a scheduler, the client is asynchronous, or the object has another type.
    MissingDependencyError
        If an address is given but the package distributed is not installed.
    """
    where = where or opt("executor")
    if isinstance(value, str) or type(value).__module__.partition(".")[0] == "distributed":
        from outscore.laws.executors.dask import cluster_of

        return cluster_of(value, where)
    if value is not None and not all(callable(getattr(value, name, None)) for name in ("map", "submit")):
        raise wrong(where, "a concurrent.futures.Executor, a distributed.Client or dask://HOST:PORT", value)
    return value  # type: ignore[return-value]


def mapped(executor: Executor | None, work: Callable[..., Returned], *iterables: Iterable[Any]) -> Iterator[Returned]:
    """Return what ``map(work, *iterables)`` returns, in this order, computed on the executor.

    A cluster gets `work` once; processes of a pool get it with every task. If the executor was shut down before a
    deferred part of a result is read, this thread computes it.
    """
    if executor is None:
        return map(work, *iterables)
    try:
        return executor.map(work, *iterables)
    except RuntimeError as error:
        from concurrent.futures import BrokenExecutor

        if isinstance(error, BrokenExecutor | ClusterError):
            raise
        return map(work, *iterables)


def mapped_in_threads(
    executor: Executor | None, work: Callable[[Task], Returned], tasks: Iterable[Task]
) -> Iterator[Returned]:
    """Return `mapped` for work that shares memory: on threads, or else in this one."""
    return mapped(executor if _is_of_threads(executor) else None, work, tasks)


def completed(
    executor: Executor, work: Callable[[Task], Returned], tasks: Iterable[Task], at_once: int | None = None
) -> Iterator[tuple[Task, Future[Returned]]]:
    """Yield each task with its outcome, in order of completion; at most `at_once` wait or run at a time."""
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
    """Return the number of pieces of work per task, at least `fewest` if there are as many.

    A pool of processes gets all data with each task, and a cluster has a cost per task. With these there are few tasks
    per worker, whatever the number of pieces.
    """
    if executor is None or _is_of_threads(executor):
        return fewest
    workers = getattr(executor, "n_workers", None) or getattr(executor, "_max_workers", None) or os.cpu_count() or 1
    size = max(fewest, -(-n_pieces // (_TASKS_PER_WORKER * workers)))
    most = getattr(executor, "most_pieces", None)
    return size if most is None else max(fewest, min(size, most))


def _is_of_threads(executor: Executor | None) -> bool:
    if executor is None:
        return False
    from concurrent.futures import ThreadPoolExecutor  # slow, and already imported if there is an executor

    return isinstance(executor, ThreadPoolExecutor)
