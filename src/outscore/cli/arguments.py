"""Values of options that are more than a word: sizes like 1e6, seeds like none, threads or a cluster to compute on."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from outscore.arguments import DEFAULT_SEED
from outscore.data.coercion import whole_number
from outscore.errors import OptionError, Problem
from outscore.laws.executors import executor_of
from outscore.options import speak_options
from outscore.results import Method
from outscore.significance import Resampling

if TYPE_CHECKING:
    from concurrent.futures import Executor

SEED_VARIABLE = "OUTSCORE_SEED"
EXECUTOR_VARIABLE = "OUTSCORE_EXECUTOR"


def option(**said: Any) -> Any:
    """Return what the annotation of an option says beside its type, as cyclopts takes it, which alone asks for it."""
    from cyclopts import Parameter

    return Parameter(**said)


def whole_numbers(texts: Sequence[str], option: str) -> list[int]:
    """Return the whole numbers of an option that takes several, as 100,500 or by repetition."""
    return [whole_number(part, option) for part in several(texts)]


def several(texts: Sequence[str]) -> list[str]:
    """Return the values of an option that takes several, as 1%,2% or by repetition."""
    return [part.strip() for text in texts for part in text.split(",")]


def processes_and_threads(jobs: int | None) -> tuple[int, int]:
    """Return how many processes may score outputs, and how many threads resample.

    By default all cores score, which is soon done and done once, and one thread resamples.

    Raises
    ------
    OptionError
        Less than one.
    """
    if jobs is None:
        return _cores(), 1
    return threads(jobs), jobs


def threads(jobs: int) -> int:
    """Return the number of threads that --jobs asks for, at least 1.

    Raises
    ------
    OptionError
        Less than one.
    """
    if jobs < 1:
        raise OptionError(Problem("--jobs", f"expected at least 1, got {jobs}", "", "out-of-range"))
    return jobs


def _cores() -> int:
    with suppress(AttributeError):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def seed_of(text: str | None) -> int:
    """Return the seed of an option, of the environment variable OUTSCORE_SEED, or the default, in this order.

    "none" draws one.
    """
    where = "--seed"
    if text is None and os.environ.get(SEED_VARIABLE):
        text, where = os.environ[SEED_VARIABLE], SEED_VARIABLE
    if text is None:
        return DEFAULT_SEED
    if text.strip().lower() == "none":
        import secrets

        return secrets.randbits(32)
    return whole_number(text, where)


def resampling_of(method: Method, n_resamples: str, seed: str | None) -> Resampling:
    """Return what --method, --n-resamples and --seed say."""
    return Resampling(method, whole_number(n_resamples, "--n-resamples"), seed_of(seed))


def cluster_of(text: str | None) -> Executor | None:
    """Return the cluster of an option, of the environment variable OUTSCORE_EXECUTOR, or none, in this order.

    Nothing is asked of it yet.

    Raises
    ------
    OptionError, MissingDependencyError
        As `executor_of`.
    """
    if text is None and os.environ.get(EXECUTOR_VARIABLE):
        return executor_of(os.environ[EXECUTOR_VARIABLE], EXECUTOR_VARIABLE)
    return executor_of(text)


@contextmanager
def computing(n_threads: int, cluster: Executor | None) -> Iterator[Executor | None]:
    """Yield the cluster, or else so many threads to compute on; None where it is one."""
    if cluster is not None:
        import logging

        level = logging.root.manager.disable
        logging.disable()  # what is lost is told in one line, and not as it happens by all who lose it
        try:
            with cluster:
                yield cluster
        finally:
            logging.disable(level)
        return
    if n_threads == 1:
        yield None
        return
    from concurrent.futures import ThreadPoolExecutor  # who computes on one thread does not wait for it

    with ThreadPoolExecutor(n_threads, initializer=speak_options) as executor:
        yield executor
