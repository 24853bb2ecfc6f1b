"""Settings of all tests, and the selection that `pytest -m smoke` runs."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.metrics.conftest import data
from tests.parsing import keep_signatures

__all__ = ["data"]

# Workers of xdist take all cores. Threads of the linear algebra library beside them take as much of a core to wait as
# to compute: tests that draw many data sets need twice the processor time. Workers and processes of tests inherit it;
# NumPy, which reads it, is not loaded yet. tests/significance/test_reproducibility.py has more threads.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Else every process that a test starts compiles all of outscore.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# How tests run the command, wherever they are.
pytest_plugins = ["tests.running"]

# Programs of their own, which load inspect_ai for seconds; doctests are looked for in every module.
collect_ignore = ["logs/inspect_ended.py", "logs/inspect_runs.py"]

# A test is as slow as the machine is busy: what takes long is not what is wrong. Examples are the same in every run, so
# that many of them find no more than few; `python -m tests.fuzz` tries others.
settings.register_profile("outscore", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("smoke", deadline=None, derandomize=True, max_examples=3)
settings.load_profile("outscore")
keep_signatures()


def pytest_configure(config: pytest.Config) -> None:
    """Of `pytest -m smoke` load only files with tests that are marked so: to load all takes longer than to run them."""
    if config.option.markexpr != "smoke":
        return
    settings.load_profile("smoke")
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        files = sorted(Path(__file__).parent.rglob("test_*.py"))
        config.args[:] = [str(path) for path in files if "pytest.mark.smoke" in path.read_text(encoding="utf-8")]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes long: no worker is left with it when the others are done."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect no garbage while modules and tests are loaded, nor later among these millions of objects, which stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def examples(most: int) -> int:
    """Return how many examples a property is tried on: few in the smoke selection."""
    return min(most, settings().max_examples)


@pytest.fixture
def order_as_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """The canonical order of two systems of several is another: keep the order given, to have the same draws."""
    for module in ("comparing", "ranks.ranking"):
        name = f"outscore.questions.{module}.in_canonical_order"
        monkeypatch.setattr(name, lambda systems, design: (systems, design))


@pytest.fixture
def hang_ups() -> Iterator[None]:
    """Let SIGHUP end processes. Those of nohup ignore it, and so do the processes that they start."""
    if not hasattr(signal, "SIGHUP"):
        yield
        return
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)
