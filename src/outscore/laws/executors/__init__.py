"""Executors: this thread, any `concurrent.futures.Executor`, or a Dask cluster."""

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
