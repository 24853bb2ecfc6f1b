"""Where work is done: in this thread, on any `concurrent.futures.Executor`, or on a Dask cluster."""

from __future__ import annotations

from outscore.laws.executors.mapping import (
    AnyExecutor,
    completed,
    executor_of,
    mapped,
    mapped_in_threads,
    still_wanted,
    task_size,
)

__all__ = ["AnyExecutor", "completed", "executor_of", "mapped", "mapped_in_threads", "still_wanted", "task_size"]
