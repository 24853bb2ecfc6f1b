"""What a cluster costs and brings: 1, 2 and 4 workers on this machine beside one thread, and an empty task."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from distributed import Client, LocalCluster
from measuring import QUICK, table, told

import outscore
from outscore.laws.executors import executor_of, mapped
from outscore.laws.resampling import BootstrapScheme, Engine
from outscore.metrics import metric_named
from outscore.results import Method
from outscore.significance import Resampling
from outscore.wings.studies import StudyOptions

# Dask has workers give every freed block back to the system, which costs resampling three times its time.
MALLOC = {"MALLOC_TRIM_THRESHOLD_": "268435456", "MALLOC_MMAP_THRESHOLD_": "33554432"}
N_EMPTY = 400
DATA = np.zeros(12_500_000)  # 100 MB


def counts(seed: int, right: float) -> Any:
    """Rows of F1 of 2,000 items: true positives, false positives, false negatives."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(1, 6, 2000)
    hits = rng.binomial(gold, right)
    return np.column_stack([hits, rng.integers(0, 3, 2000), gold - hits])


ROWS = counts(1, 0.70), counts(2, 0.71)
BOARD = {f"s{i}": np.random.default_rng(i).normal(0.05 * i, 1, 1000) for i in range(12)}


def bootstrap(executor: Any, r: int = 10**6) -> str:
    """F1 of two systems on 2,000 items, a million resamples."""
    rows = np.column_stack(ROWS).astype(float)
    gains = Engine(5, executor).replicates(BootstrapScheme(2000), rows, _f1_gains, r)
    return str(float(gains.sum()))


def _f1_gains(totals: Any) -> Any:
    """Return the gains of the second system, shape (b, 1)."""
    metric: Any = metric_named("f1")
    return (metric.score(totals[:, 3:]) - metric.score(totals[:, :3]))[:, None]


def study(executor: Any) -> str:
    """Calibration of a board: 12 systems, 1,000 items, 100 test sets of 1,000 resamples each."""
    options = StudyOptions(resampling=Resampling(Method.MONTE_CARLO, 1000, executor=executor))
    return outscore.study_calibration(BOARD, options, metric="mean", repeats=100).to_json()


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return how many seconds the work takes, and what it returns."""
    start = time.perf_counter()
    value = work()
    return time.perf_counter() - start, value


def nothing(_: int) -> None:
    """Do nothing."""


def warm(_: int) -> None:
    """Load what the others need."""
    bootstrap(None, 1000)


def all_of(executor: Any, work: Callable[..., object], tasks: Iterable[int]) -> list[object]:
    """Have all tasks done."""
    return list(mapped(executor, work, tasks))


class _Holds:
    """A task that holds data, and does nothing with it."""

    def __init__(self, data: Any) -> None:
        self.data = data

    def __call__(self, _: int) -> None:
        pass


def main() -> None:
    """Measure everything and print the section."""
    os.environ |= MALLOC
    alone = [timed(partial(work, None)) for work in (bootstrap, study)]
    rows: list[tuple[str, ...]] = [("one thread, no cluster", f"{alone[0][0]:.2f} s", f"{alone[1][0]:.2f} s", "", "")]
    for n in (1, 2) if QUICK else (1, 2, 4):
        told(f"{n} workers")
        with (
            LocalCluster(n_workers=n, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0") as made,
            Client(made, set_as_default=False) as client,
        ):
            executor = executor_of(client)
            all_of(executor, warm, range(4 * n))
            there = [timed(partial(work, executor)) for work in (bootstrap, study)]
            assert [value for _, value in there] == [value for _, value in alone], "the same bits"
            empty, _ = timed(partial(all_of, executor, nothing, range(N_EMPTY)))
            sent, _ = timed(partial(all_of, executor, _Holds(DATA), [0]))
            took = [(one, one / first) for (one, _), (first, _) in zip(there, alone, strict=True)]
            shown = [f"{one:.2f} s (**{ratio:.2f} ×**)" for one, ratio in took]
            workers = "1 worker" if n == 1 else f"{n} workers"
            rows.append((workers, *shown, f"{1000 * empty / N_EMPTY:.1f} ms", f"{sent:.2f} s"))
    print("Workers of one thread on this machine, beside one thread; each measured once. The results are the same bits")
    print("in all lines. What a cluster costs elsewhere: [cluster.md](cluster.md#costs).\n")
    print(table(("", "F1, r = 10⁶", "calibration, 100 test sets", "an empty task", "100 MB to all workers"), rows))


if __name__ == "__main__":
    main()
