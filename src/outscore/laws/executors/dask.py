"""A Dask cluster as an executor: data that tasks share are sent once, and lost results are computed again."""

from __future__ import annotations

import re
import sys
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future, InvalidStateError, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from importlib.util import find_spec
from operator import call
from threading import Thread
from typing import TYPE_CHECKING, Any

from outscore._version import __version__
from outscore.data.coercion import wrong
from outscore.errors import ClusterError, OptionError, Problem, missing_package
from outscore.text.naming import printable, quoted

if TYPE_CHECKING:
    import distributed

_PATIENCE = 10.0  # seconds to wait for a scheduler's answer: enough for one in another building
_WORKERS_PATIENCE = 30.0  # seconds to wait for the first worker: a process needs some to import what it uses
_ADDRESS = re.compile(r"dask://(?=(\[[0-9A-Fa-f:.]+\]|[\w.-]+):[1-9]\d{0,4}$)")


def cluster_of(value: object, where: str) -> DaskExecutor:
    """Return the cluster of an address, a client or an executor of one, without connecting; see `executor_of`."""
    if isinstance(value, str):
        if not _ADDRESS.match(value):
            what = f"expected dask://HOST:PORT, got {quoted(value)}"
            raise OptionError(Problem(where, what, "Pass the address of a Dask scheduler.", "bad-executor"))
        if find_spec("distributed") is None:
            raise missing_package(where, "distributed")
        return DaskExecutor(printable(value), value, {})
    from distributed import Client
    from distributed.cfexecutor import ClientExecutor

    # No public attributes of an executor tell its client and options.
    client, options = (value._client, value._kwargs) if isinstance(value, ClientExecutor) else (value, {})
    if not isinstance(client, Client) or client.asynchronous:
        raise wrong(where, "a distributed.Client that is not asynchronous, or an executor of one", value)
    return DaskExecutor("the Dask cluster", client, options)


class DaskExecutor(Executor):
    """A Dask cluster; each function is sent once. `name` is for errors, `options` are those of ``get_executor``.

    It differs from Dask's own executor, whose futures never end if the scheduler is lost while a result is fetched.
    A connection to an address is opened on demand and closed when this object is garbage-collected.
    """

    most_pieces = 256  # per task: its result stays small, and little is lost with a worker

    def __init__(self, name: str, client: str | distributed.Client, options: Mapping[str, Any]) -> None:
        self._name, self._source, self._options = name, client, {**options, "pure": False}
        self._sent: weakref.WeakKeyDictionary[Callable[..., Any], distributed.Future] = weakref.WeakKeyDictionary()
        self._close: Callable[[], object] | None = None

    @cached_property
    def _client(self) -> distributed.Client:
        """The connection to a cluster whose workers have this version of outscore."""
        client = self._opened(self._source) if isinstance(self._source, str) else self._source
        with self._noticing_loss():
            with suppress(TimeoutError):
                client.wait_for_workers(1, timeout=_WORKERS_PATIENCE)
            versions = client.run(_version, on_error="return")
        if not versions:
            what = f"no workers joined within {_WORKERS_PATIENCE:.0f} s"
            raise self._error(what, "Start workers, and try again.", "no-workers")
        for worker, version in versions.items():
            if version != __version__:
                what = f"worker {worker} runs outscore {version}, but this is {__version__}"
                if isinstance(version, BaseException):
                    what = f"worker {worker} cannot run outscore: {version}"
                advice = f"Install outscore {__version__} on all workers, because results depend on the version."
                raise self._error(what, advice, "other-version")
        return client

    def _opened(self, address: str) -> distributed.Client:
        import asyncio

        from distributed import Client
        from distributed.comm import connect

        address = _ADDRESS.sub("tcp://", address)

        async def knock() -> None:
            # Dask has no time limit for handshakes.
            comm = await asyncio.wait_for(connect(address, timeout=_PATIENCE), _PATIENCE)
            await comm.close()

        try:
            # A client without an answer takes minutes to close and prints warnings, so try the address first.
            with ThreadPoolExecutor(1) as thread:  # outside any running event loop, such as a notebook's
                thread.submit(asyncio.run, knock()).result()
            client = Client(address, timeout=_PATIENCE, set_as_default=False, name="outscore")
        except (OSError, ValueError, OverflowError):  # TimeoutError is an OSError; a port above 65535 overflows
            what = f"no Dask scheduler answered within {_PATIENCE:.0f} s"
            raise self._error(what, "Check the address, and that the scheduler is running.", "no-cluster") from None
        self._close = finalizer = weakref.finalize(self, _close, client)
        finalizer.atexit = False  # no thread starts at exit, where the connection ends anyway
        return client

    @property
    def n_workers(self) -> int:
        """Total number of threads of all workers."""
        client = self._client
        with self._noticing_loss():
            return sum(client.nthreads().values()) or 1

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Close the connection if this object opened it. A later task opens another one."""
        del wait, cancel_futures
        if self._close is not None:
            self._sent.clear()
            self.__dict__.pop("_client", None)
            self._close()

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Future[Any]:  # type: ignore[override]
        """Return the future of ``fn(*args)``; `fn` is sent with its first task."""
        from distributed.protocol.pickle import dumps, loads

        client = self._client
        with self._noticing_loss(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)  # intended
            if fn not in self._sent:
                # A task that unpickles bytes, not scattered: Dask repeats it when all workers with its result are
                # lost, and counts how often one task has killed its worker.
                self._sent[fn] = client.submit(loads, dumps(fn), **self._options)
                client.replicate([self._sent[fn]])
            task = client.submit(call, self._sent[fn], *args, **self._options)
        ended = Future[Any]()
        ended.add_done_callback(lambda ended: task.release() if ended.cancelled() else None)
        task.add_done_callback(partial(self._settle, ended))
        return ended

    def _settle(self, ended: Future[Any], task: distributed.Future) -> None:
        """Give a future the outcome of Dask's."""
        from distributed.scheduler import KilledWorker

        with suppress(InvalidStateError):  # nobody waits for it any more
            try:
                error = task.exception() if task.status == "error" else None
                if error is None:
                    ended.set_result(task.result())
                    return
            except Exception:
                error = self._lost()
            if isinstance(error, KilledWorker):
                times, worker = error.allowed_failures + 1, error.last_worker.address
                what = f"a task was lost with its worker {times} times, the last one {worker}"
                advice = "Look into the workers' logs: they may have too little memory or time."
                error = self._error(what, advice, "lost-workers")
            ended.set_exception(error)

    @contextmanager
    def _noticing_loss(self) -> Iterator[None]:
        """Turn the loss of the scheduler into a one-line error; within it only the scheduler is called, no task."""
        from distributed.client import ClosedClientError, FutureCancelledError

        try:
            yield
        except (OSError, ClosedClientError, FutureCancelledError):
            raise self._lost() from None

    def _lost(self) -> ClusterError:
        return self._error("the connection to its scheduler is lost", "Restart it, and try again.", "lost-cluster")

    def _error(self, what: str, advice: str, slug: str) -> ClusterError:
        return ClusterError(Problem(self._name, what, advice, slug))


def _close(client: distributed.Client) -> None:
    """Close a connection in a thread of its own.

    Garbage is collected in any thread: that of a starting connection holds the lock that closing waits for.
    """

    def close() -> None:
        with suppress(Exception):  # the cluster may be lost
            client.close()

    Thread(target=close, name="outscore closes", daemon=True).start()


def _version() -> str:
    return __version__


def still_wanted() -> bool:
    """Return, within a task, whether its worker and client still want it; true outside of workers."""
    if "distributed" not in sys.modules:
        return True
    from distributed import Status, get_worker

    try:
        worker = get_worker()
    except ValueError:
        return True
    state = worker.state.tasks.get(worker.get_current_task())
    return worker.status in (Status.running, Status.paused) and state is not None and state.state != "cancelled"
