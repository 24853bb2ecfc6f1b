"""A Dask cluster as an executor: shared data are sent once, and lost results are computed again."""

from __future__ import annotations

import asyncio
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cached_property
from importlib.util import find_spec
from itertools import islice
from operator import call
from threading import Thread
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar
from urllib.parse import urlsplit

from outscore._version import __version__
from outscore.data.coercion import wrong
from outscore.errors import ClusterError, OptionError, Problem, missing_package
from outscore.text.naming import printable, quoted

if TYPE_CHECKING:
    import distributed

_SCHEME = "dask"
_PATIENCE = 10.0  # seconds to wait for a scheduler's answer
_WORKERS_PATIENCE = 30.0  # seconds to wait for the first worker
_AHEAD = 4  # tasks per worker thread, running or waiting
_MOST_PIECES = 256  # per task: its result stays small, and little is lost with a worker

Task = TypeVar("Task")
Returned = TypeVar("Returned")


def cluster_of(value: object, where: str) -> DaskExecutor:
    """Return the cluster for an address, a client or an executor of a client, without connecting yet.

    Raises
    ------
    OptionError
        If the text is not ``dask://HOST:PORT``, the client is asynchronous, or the object is of another type.
    MissingDependencyError
        If the package distributed is not installed.
    """
    if isinstance(value, str):
        address = _address(value, where)
        if find_spec("distributed") is None:
            raise missing_package(where, "distributed")
        return DaskExecutor(value, address)
    from distributed import Client
    from distributed.cfexecutor import ClientExecutor

    client, options = value, {}
    if isinstance(value, ClientExecutor):
        client, options = value._client, value._kwargs  # no public attributes exist
    if not isinstance(client, Client) or client.asynchronous:
        raise wrong(where, "a distributed.Client that is not asynchronous, or an executor of one", value)
    return DaskExecutor("the Dask cluster", client, options)


def _address(text: str, where: str) -> str:
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:  # an invalid port
        host = port = None
    if not host or not port or text != f"{_SCHEME}://{parts.netloc}" or parts.username is not None:
        what = f"expected dask://HOST:PORT, got {quoted(text)}"
        raise OptionError(Problem(where, what, "Pass the address of a Dask scheduler.", "bad-executor"))
    return f"tcp://{parts.netloc}"


class DaskExecutor(Executor):
    """A Dask cluster.

    Parameters
    ----------
    name : str
        Name in errors.
    client : str or distributed.Client
        The address of a scheduler, or a connection of the caller. A connection to an address is opened on demand and
        closed when this object is garbage-collected. A caller's connection stays open.
    options : mapping, optional
        Options of all tasks, as for `distributed.Client.get_executor`.
    """

    most_pieces = _MOST_PIECES

    def __init__(self, name: str, client: str | distributed.Client, options: Mapping[str, Any] | None = None) -> None:
        self._name = printable(name)
        self._source = client
        self._options = {**(options or {}), "pure": False}
        self._close: weakref.finalize[[distributed.Client], DaskExecutor] | None = None

    @cached_property
    def _client(self) -> distributed.Client:
        """The connection to a cluster whose workers have this version of outscore."""
        client = self._connected(self._source) if isinstance(self._source, str) else self._source
        with self._losses_told():
            if not client.nthreads():
                try:
                    client.wait_for_workers(1, timeout=_WORKERS_PATIENCE)
                except TimeoutError:
                    what = f"no workers joined within {_WORKERS_PATIENCE:.0f} s"
                    raise self._error(what, "Start workers, and try again.", "no-workers") from None
            versions = client.run(_version, on_error="return")
        for worker, version in versions.items():
            if version != __version__:
                what = f"worker {worker} runs outscore {version}, but this is {__version__}"
                if isinstance(version, BaseException):
                    what = f"worker {worker} cannot run outscore: {version}"
                advice = f"Install outscore {__version__} on all workers, because results depend on the version."
                raise self._error(what, advice, "other-version")
        return client

    def _connected(self, address: str) -> distributed.Client:
        from distributed import Client

        try:
            # A client without an answer takes minutes to close and prints warnings, so try the address first.
            with ThreadPoolExecutor(1) as thread:  # outside any running event loop, such as a notebook's
                thread.submit(asyncio.run, _knock(address)).result()
            client = Client(address, timeout=_PATIENCE, set_as_default=False, name="outscore")
        except (OSError, ValueError):  # TimeoutError is an OSError
            what = f"no Dask scheduler answered within {_PATIENCE:.0f} s"
            raise self._error(what, "Check the address, and that the scheduler is running.", "no-cluster") from None
        self._close = weakref.finalize(self, _closed, client)
        self._close.atexit = False  # no thread starts at exit, where the connection ends anyway
        return client

    @property
    def n_workers(self) -> int:
        """Total number of threads of all workers."""
        with self._losses_told():
            return sum(self._client.nthreads().values()) or 1

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Close the connection if this object opened it."""
        del wait, cancel_futures
        if self._close is not None:
            self.__dict__.pop("_client", None)
            self._close()

    def map(
        self,
        fn: Callable[..., Returned],
        *iterables: Iterable[Any],
        timeout: float | None = None,
        chunksize: int = 1,
        **more: Any,
    ) -> Iterator[Returned]:
        """Yield what ``map(fn, *iterables)`` yields; `fn` is sent once."""
        del timeout, chunksize, more
        for _, future in self._ended(fn, zip(*iterables, strict=False), None, in_order=True):
            yield future.result()

    def completed(
        self, work: Callable[[Task], Returned], tasks: Iterable[Task], at_once: int | None = None
    ) -> Iterator[tuple[Task, Future[Returned]]]:
        """Yield each task with its outcome, in order of completion; `work` is sent once."""
        for (task,), future in self._ended(work, ((task,) for task in tasks), at_once, in_order=False):
            yield task, future

    def _ended(
        self,
        work: Callable[..., Returned],
        tasks: Iterable[tuple[Any, ...]],
        at_once: int | None,
        *,
        in_order: bool,
    ) -> Iterator[tuple[tuple[Any, ...], Future[Returned]]]:
        """Yield the arguments of each task with its outcome, with a bounded number of tasks submitted ahead."""
        at_once = at_once or _AHEAD * self.n_workers
        with self._losses_told():
            under_way = _UnderWay(self._client, work, self._options)
        waiting, early, due = enumerate(tasks), dict[int, tuple[tuple[Any, ...], Future[Returned]]](), 0
        try:
            while True:
                with self._losses_told():
                    for place, task in islice(waiting, max(0, at_once - len(under_way) - len(early))):
                        under_way.submit(place, task)
                    if not len(under_way):
                        return
                    place, task, ended = under_way.next()
                if not in_order:
                    yield task, ended
                    continue
                early[place] = (task, ended)
                while due in early:
                    yield early.pop(due)
                    due += 1
        finally:
            under_way.release()

    @contextmanager
    def _losses_told(self) -> Iterator[None]:
        """Turn the loss of the scheduler into a one-line error; within it only the scheduler is called, no task."""
        from distributed.client import ClosedClientError, FutureCancelledError

        try:
            yield
        except (OSError, ClosedClientError, FutureCancelledError, _LostError) as error:
            if isinstance(error, ClusterError):
                raise
            self._tell_loss()

    def _tell_loss(self) -> NoReturn:
        raise self._error(
            "the connection to its scheduler is lost", "Restart it, and try again.", "lost-cluster"
        ) from None

    def _error(self, what: str, advice: str, slug: str) -> ClusterError:
        return ClusterError(Problem(self._name, what, advice, slug))


class _LostError(Exception):
    """Tasks were cancelled by somebody else."""


class _UnderWay:
    """Tasks running on a cluster, and their shared data."""

    def __init__(self, client: distributed.Client, work: Callable[..., Any], options: Mapping[str, Any]) -> None:
        from distributed import as_completed
        from distributed.protocol.pickle import dumps, loads

        self._client, self._options = client, options
        self._ended = as_completed(loop=client.loop)
        self._tasks: dict[distributed.Future, tuple[int, tuple[Any, ...]]] = {}
        # Shared data are a task that unpickles bytes, not scattered: Dask repeats it when all workers with its result
        # are lost, and counts how often one task has killed its worker.
        self._shared = self._submitted(loads, dumps(work))
        client.replicate([self._shared])

    def __len__(self) -> int:
        return len(self._tasks)

    def _submitted(self, function: Callable[..., Any], *arguments: Any) -> distributed.Future:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)  # intended
            return self._client.submit(function, *arguments, **self._options)

    def submit(self, place: int, task: tuple[Any, ...]) -> None:
        future = self._submitted(call, self._shared, *task)
        self._tasks[future] = (place, task)
        self._ended.add(future)

    def next(self) -> tuple[int, tuple[Any, ...], Future[Any]]:
        """Wait for a task to end; return its place, its arguments and its future."""
        future = next(self._ended)
        ended = Future[Any]()
        if future.status == "error":
            ended.set_exception(_told(future.exception()))
        elif future.status == "finished":
            ended.set_result(future.result())
        else:
            raise _LostError
        return *self._tasks.pop(future), ended

    def release(self) -> None:
        """Cancel all tasks."""
        for future in (*self._tasks, self._shared):
            future.release()
        self._tasks.clear()


async def _knock(address: str) -> None:
    """Check that a scheduler answers.

    Raises
    ------
    OSError
        If there is no answer, or not one of Dask.
    """
    from distributed.comm import connect

    comm = await asyncio.wait_for(connect(address, timeout=_PATIENCE), _PATIENCE)  # Dask has no timeout for handshakes
    await comm.close()


def _closed(client: distributed.Client) -> None:
    """Close a connection in a thread of its own.

    Garbage is collected in any thread: that of a starting connection holds the lock that closing waits for.
    """

    def close() -> None:
        with suppress(Exception):  # the cluster may be lost
            client.close()

    Thread(target=close, name="outscore closes", daemon=True).start()


def _version() -> str:
    return __version__


def _told(error: BaseException) -> BaseException:
    """Return the error of a task, in one line if it was lost with several workers."""
    from distributed.scheduler import KilledWorker

    if not isinstance(error, KilledWorker):
        return error
    times = error.allowed_failures + 1
    what = f"a task was lost with its worker {times} times, the last one {error.last_worker.address}"
    advice = "Look into the workers' logs: they may have too little memory or time."
    return ClusterError(Problem("the Dask cluster", what, advice, "lost-workers"))


def task_is_wanted() -> bool:
    """Return, within a task, whether its worker and client still want it; true outside of workers."""
    from distributed import Status, get_worker

    try:
        worker = get_worker()
    except ValueError:
        return True
    state = worker.state.tasks.get(worker.get_current_task())
    return worker.status in (Status.running, Status.paused) and state is not None and state.state != "cancelled"
