"""A Dask cluster as an executor: what all tasks share is sent once, and what workers lose is computed again."""

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
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar
from urllib.parse import urlsplit

from outscore._version import __version__
from outscore.data.coercion import wrong
from outscore.errors import ClusterError, OptionError, Problem, missing_package
from outscore.text.naming import printable, quoted

if TYPE_CHECKING:
    import distributed

_SCHEME = "dask"
_PATIENCE = 10.0  # seconds for a scheduler to answer
_WORKERS_PATIENCE = 30.0  # seconds for the first worker to come
_AHEAD = 4  # tasks a thread of a worker that are under way or waiting there
_MOST_PIECES = 256  # of a task: what it returns stays small, and little is lost with a worker

Task = TypeVar("Task")
Returned = TypeVar("Returned")


def cluster_of(value: object, where: str) -> DaskExecutor:
    """Return the cluster that a text, a client or an executor of a client stands for; nothing is sent yet.

    Raises
    ------
    OptionError
        A text that is not ``dask://HOST:PORT``, an asynchronous client, or another object of the package.
    MissingDependencyError
        Without the package distributed.
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
        client, options = value._client, value._kwargs  # it has no public names for them
    if not isinstance(client, Client) or client.asynchronous:
        raise wrong(where, "a distributed.Client that is not asynchronous, or an executor of one", value)
    return DaskExecutor("the Dask cluster", client, options)


def _address(text: str, where: str) -> str:
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:  # a port that is none
        host = port = None
    if not host or not port or text != f"{_SCHEME}://{parts.netloc}" or parts.username is not None:
        what = f"expected dask://HOST:PORT, got {quoted(text)}"
        raise OptionError(Problem(where, what, "Name the scheduler of a Dask cluster.", "bad-executor"))
    return f"tcp://{parts.netloc}"


class DaskExecutor(Executor):
    """A Dask cluster.

    Parameters
    ----------
    name : str
        What it is called in errors.
    client : str or distributed.Client
        The address of a scheduler, to which a connection is made when it is needed, and closed when nothing holds this
        object any longer; or a connection of somebody else's, which is left open.
    options : mapping, optional
        Of all tasks: those of `distributed.Client.get_executor`.
    """

    most_pieces = _MOST_PIECES

    def __init__(self, name: str, client: str | distributed.Client, options: Mapping[str, Any] | None = None) -> None:
        self._name = printable(name)
        self._source = client
        self._options = {**(options or {}), "pure": False}
        self._close: Callable[[], object] | None = None

    @cached_property
    def _client(self) -> distributed.Client:
        """The connection, to a cluster with workers that run this version of outscore."""
        client = self._connected(self._source) if isinstance(self._source, str) else self._source
        with self._losses_told():
            if not client.nthreads():
                try:
                    client.wait_for_workers(1, timeout=_WORKERS_PATIENCE)
                except TimeoutError:
                    what = f"has no workers, and none came in {_WORKERS_PATIENCE:.0f} s"
                    raise self._error(what, "Start some, and call again.", "no-workers") from None
            versions = client.run(_version, on_error="return")
        for worker, version in versions.items():
            if version != __version__:
                what = f"its worker {worker} runs outscore {version}, and this is {__version__}"
                if isinstance(version, BaseException):
                    what = f"its worker {worker} cannot run outscore: {version}"
                advice = f"Install outscore {__version__} on all workers: results depend on the version."
                raise self._error(what, advice, "other-version")
        return client

    def _connected(self, address: str) -> distributed.Client:
        from distributed import Client

        try:
            # A client that nobody answers takes minutes to close, and tells of it: somebody else knocks.
            with ThreadPoolExecutor(1) as thread:  # where no event loop runs, as it does in notebooks
                thread.submit(asyncio.run, _knock(address)).result()
            client = Client(address, timeout=_PATIENCE, set_as_default=False, name="outscore")
        except (OSError, ValueError):  # TimeoutError is an OSError
            what = f"no Dask scheduler answers there ({_PATIENCE:.0f} s)"
            raise self._error(what, "Check the address, and that the scheduler runs.", "no-cluster") from None
        self._close = weakref.finalize(self, _closed, client)
        return client

    @property
    def n_workers(self) -> int:
        """Threads of all workers together."""
        with self._losses_told():
            return sum(self._client.nthreads().values()) or 1

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Close the connection, if it is this object's own."""
        del wait, cancel_futures
        if self._close is not None:
            self.__dict__.pop("_client", None)
            with suppress(Exception):  # of a cluster that is lost
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
        """Yield each task with how it ended, in the order in which they end; `work` is sent once."""
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
        """Yield the arguments of each task with how it ended, a bounded number of them ahead of what was asked for."""
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
        """Tell in a line that the scheduler is lost; only what asks it, and no work of a task, is done within."""
        from distributed.client import ClosedClientError, FutureCancelledError

        try:
            yield
        except (OSError, ClosedClientError, FutureCancelledError, _LostError) as error:
            if isinstance(error, ClusterError):
                raise
            self._tell_loss()

    def _tell_loss(self) -> NoReturn:
        raise self._error(
            "the connection to its scheduler is lost", "Start it again, and call again.", "lost-cluster"
        ) from None

    def _error(self, what: str, advice: str, slug: str) -> ClusterError:
        return ClusterError(Problem(self._name, what, advice, slug))


class _LostError(Exception):
    """Tasks are cancelled that nobody here has cancelled."""


class _UnderWay:
    """Tasks on a cluster that have not been seen to end, and what they share."""

    def __init__(self, client: distributed.Client, work: Callable[..., Any], options: Mapping[str, Any]) -> None:
        from distributed import as_completed
        from distributed.protocol.pickle import dumps, loads

        self._client, self._options = client, options
        self._ended = as_completed(loop=client.loop)
        self._tasks: dict[distributed.Future, tuple[int, tuple[Any, ...]]] = {}
        # A task that makes it of bytes, and not what is scattered: Dask makes it again when all who have it are lost,
        # and counts how often one task has ended its worker.
        self._shared = self._submitted(loads, dumps(work))
        client.replicate([self._shared])

    def __len__(self) -> int:
        return len(self._tasks)

    def _submitted(self, function: Callable[..., Any], *arguments: Any) -> distributed.Future:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)  # it is what is to be sent
            return self._client.submit(function, *arguments, **self._options)

    def submit(self, place: int, task: tuple[Any, ...]) -> None:
        future = self._submitted(call, self._shared, *task)
        self._tasks[future] = (place, task)
        self._ended.add(future)

    def next(self) -> tuple[int, tuple[Any, ...], Future[Any]]:
        """Wait for a task to end; return its place, its arguments and how."""
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
        """Let go of all that is under way: what nobody waits for, workers end or do not begin."""
        for future in (*self._tasks, self._shared):
            future.release()
        self._tasks.clear()


async def _knock(address: str) -> None:
    """Shake hands with a scheduler.

    Raises
    ------
    OSError
        Nobody answers, or not as Dask does.
    """
    from distributed.comm import connect

    comm = await asyncio.wait_for(connect(address, timeout=_PATIENCE), _PATIENCE)  # Dask waits for hands for ever
    await comm.close()


def _closed(client: distributed.Client) -> None:
    """Close a connection in whatever thread garbage is collected: its own one does not wait for itself."""
    closing = client.close()
    if closing is not None:
        client.loop.add_callback(lambda: closing)


def _version() -> str:
    return __version__


def _told(error: BaseException) -> BaseException:
    """Return the error of a task, that of one that lost worker after worker in a line."""
    from distributed.scheduler import KilledWorker

    if not isinstance(error, KilledWorker):
        return error
    times = error.allowed_failures + 1
    what = f"a task was lost with its worker {times} times, the last one {error.last_worker.address}"
    advice = "Look into the workers' logs: they may have too little memory or time."
    return ClusterError(Problem("the Dask cluster", what, advice, "lost-workers"))


def task_is_wanted() -> bool:
    """Tell, within a task, whether its worker goes on and its client has not let it go; true outside of workers."""
    from distributed import Status, get_worker

    try:
        worker = get_worker()
    except ValueError:
        return True
    state = worker.state.tasks.get(worker.get_current_task())
    return worker.status in (Status.running, Status.paused) and state is not None and state.state != "cancelled"
