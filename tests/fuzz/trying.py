"""Mutated files, one by one: a result or an error of one line a problem, in bounded time and memory."""

from __future__ import annotations

import resource
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from outscore.errors import OutscoreError
from tests.fuzz.targets import Target

__all__ = ["Failure", "tried"]

MOST_SECONDS = 4.0  # of the processor, twice, for one file of at most 256 KiB: the machine may be very busy
MOST_MEMORY = 400 * 2**20  # more than before it
LONGEST_LINE = 2_000
_SLOW = "took a processor for "
_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True)
class Failure:
    """A file that is handled otherwise than promised; `target`, `seed` and `number` make it again."""

    target: str
    seed: int
    number: int
    name: str
    data: bytes
    what: str


def tried(target: Target, seed: int, folder: Path, seconds: float, first: int = 0) -> Iterator[Failure | None]:
    """Yield, for one mutated file after the other, what is wrong with how it is handled, None where nothing is.

    Parameters
    ----------
    target : Target
    seed : int
        File number i is a function of the target, the seed and i alone.
    folder : Path
        Empty; files are written there.
    seconds : float
        When to stop.
    first : int
        The number of the first file.
    """
    target.prepare(folder)
    last = time.monotonic() + seconds
    number = first
    while number == first or time.monotonic() < last:
        random = Random(f"{target.name} {seed} {number}")
        name, data = target.case(random)
        path = folder / name
        path.write_bytes(data)
        state = random.getstate()
        what = _wrong(target, str(path), random)
        if what is not None and what.startswith(_SLOW):  # the first to need a package waits until it is imported
            random.setstate(state)
            what = _wrong(target, str(path), random)
        path.unlink()
        yield None if what is None else Failure(target.name, seed, number, name, data, what)
        number += 1


def _wrong(target: Target, path: str, random: Random) -> str | None:
    memory, start = _memory(), time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            target.read(path, random)
    except OutscoreError as error:
        for problem in error.problems[:100]:
            line = str(problem)
            if not (line.isprintable() and line.endswith(f" [{problem.slug}]") and len(line) <= LONGEST_LINE):
                return f"a problem that is no line: {line[:LONGEST_LINE]!r}"
    except (Exception, SystemExit):
        return traceback.format_exc(limit=-6)
    seconds, memory = time.process_time() - start, _memory() - memory
    if seconds > MOST_SECONDS:
        return f"{_SLOW}{seconds:.1f} s"
    return f"took {memory >> 20} MiB of memory" if memory > MOST_MEMORY else None


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT
