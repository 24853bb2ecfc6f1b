"""Small clusters on this machine."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.running import outscore

__all__ = ["outscore"]

PATIENCE = 120.0  # seconds after which something hangs; nothing is measured by it


def wait_for(condition: Callable[[], bool]) -> None:
    last = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < last, "waited in vain"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two processes of one thread, which come back when they are killed; a task that kills two is given up."""
    distributed = pytest.importorskip("distributed")
    dask = pytest.importorskip("dask")
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        ) as running,
    ):
        yield running


@pytest.fixture
def address(cluster: Any) -> str:
    """The cluster as users name it."""
    return str(cluster.scheduler_address).replace("tcp://", "dask://")


@dataclass(frozen=True)
class Apart:
    """A scheduler and a worker in processes of their own."""

    address: str
    scheduler: subprocess.Popen[bytes]


@pytest.fixture
def apart(tmp_path: Path) -> Iterator[Apart]:
    """A cluster whose scheduler can be killed."""
    file = tmp_path / "scheduler.json"
    with (
        _running("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file)) as scheduler,
        _running("worker", "--no-nanny", "--nthreads", "2", "--host", "127.0.0.1", "--scheduler-file", str(file)),
    ):
        wait_for(lambda: file.exists() and bool(file.read_text()))
        yield Apart(json.loads(file.read_text())["address"].replace("tcp://", "dask://"), scheduler)


@contextmanager
def _running(name: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{name}", "--no-dashboard", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
