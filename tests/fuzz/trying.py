"""Mutated files, one by one: a result or an error of one line a problem, in bounded time and memory, and no trace."""

from __future__ import annotations

import os
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from random import Random
from types import FrameType
from typing import NoReturn

from outscore.errors import OutscoreError
from tests.fuzz.calls import calls
from tests.fuzz.environments import environments
from tests.fuzz.targets import Target, targets, wrong_line

__all__ = ["Trial", "every_target", "once", "trials"]

# Of the processor, which a busy machine gives more slowly and seldom needs more of; some need 1 s, see docs/fuzzing.md.
MOST_SECONDS = 30.0
MOST_MEMORY = 400 * 2**20  # more than before it, for a file of at most 256 KiB
_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True)
class Trial:
    """A mutated file and how it was read; `target`, `seed` and `number` make it again.

    Attributes
    ----------
    target : str
    seed, number : int
    name : str
        Of the file.
    data : bytes
    refused : bool
        Whether it was refused by an error of the user's.
    seconds : float
        Of the processor.
    failure : str, optional
        What is wrong with how it is handled.
    """

    target: str
    seed: int
    number: int
    name: str
    data: bytes
    refused: bool
    seconds: float
    failure: str | None


def every_target() -> Sequence[Target]:
    """Return all readers, public functions and circumstances of commands."""
    return [*targets(), *calls(), *environments()]


def trials(target: Target, seed: int, folder: Path, first: int = 0) -> Iterator[Trial]:
    """Yield trial after trial, without end.

    Parameters
    ----------
    target : Target
    seed : int
        File number i is a function of the corpus of the target, the seed and i alone.
    folder : Path
        Empty; files are written there.
    first : int
        The number of the first file.
    """
    target.prepare(folder)
    beside = {path.name: path.read_bytes() for path in folder.iterdir()}
    number = first
    while True:
        random = Random(f"{target.name} {seed} {number}")
        name, data = target.case(random)
        refused, seconds, failure = once(target, folder, beside, name, data, random)
        yield Trial(target.name, seed, number, name, data, refused, seconds, failure)
        number += 1


def once(
    target: Target, folder: Path, beside: Mapping[str, bytes], name: str, data: bytes, random: Random
) -> tuple[bool, float, str | None]:
    """Read a file; return whether it was refused, the seconds, and what is wrong. What stands `beside` it stays so."""
    path = folder / name
    path.write_bytes(data)
    before = _states(folder)
    refused, failure = False, None
    memory, start = _memory(), time.process_time()
    with _standard_error() as written, redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        try:
            with warnings.catch_warnings(), _ended_after(MOST_SECONDS):
                warnings.simplefilter("error")
                target.read(str(path), random)
        except OutscoreError as error:
            refused = True
            failure = next(filter(None, map(wrong_line, map(str, error.problems[:100]))), None)
        except KeyboardInterrupt:
            raise
        except BaseException:  # SystemExit, panics of polars, what takes too long
            failure = traceback.format_exc(limit=-6)
        trace = out.getvalue() + err.getvalue() + written()
        trace = "".join(line for line in trace.splitlines(keepends=True) if not line.endswith("[renamed]\n"))
    if "panicked at" in trace:  # a thread of polars may tell that it panicked when its error has been told already
        trace = ""
    seconds, memory = time.process_time() - start, _memory() - memory
    if failure is None and trace:
        failure = f"wrote to standard output or error: {trace[:2_000]!r}"
    if failure is None and memory > MOST_MEMORY:
        failure = f"took {memory >> 20} MiB of memory"
    after = _states(folder)
    if failure is None and not target.writes and after != before:
        changed = sorted(key for key in {*before, *after} if before.get(key) != after.get(key))
        failure = f"wrote or removed {', '.join(changed)}"
    for key in {name, *(key for key in {*before, *after} if before.get(key) != after.get(key))}:
        (folder / key).unlink(missing_ok=True)
        if key in beside:
            (folder / key).write_bytes(beside[key])
    return refused, seconds, failure


class _TooSlow(BaseException):
    """Raised where time is over; no reader may take it for an error in a file."""


@contextmanager
def _ended_after(seconds: float) -> Iterator[None]:
    """End what takes more than so many seconds of the processor, where the system can."""

    def end(number: int, frame: FrameType | None) -> NoReturn:
        raise _TooSlow(f"took more than {seconds:g} s of the processor")

    if not hasattr(signal, "setitimer"):
        yield
        return
    usual = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, usual)


@contextmanager
def _standard_error() -> Iterator[Callable[[], str]]:
    """Yield what tells what was written to standard error by code that is not Python."""
    usual = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)

        def written() -> str:
            file.seek(0)
            return file.read().decode(errors="replace")

        try:
            yield written
        finally:
            os.dup2(usual, 2)
            os.close(usual)


def _states(folder: Path) -> dict[str, tuple[int, int]]:
    """Return sizes and times of the files in a folder, by name."""
    return {entry.name: (entry.stat().st_size, entry.stat().st_mtime_ns) for entry in os.scandir(folder)}


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT
