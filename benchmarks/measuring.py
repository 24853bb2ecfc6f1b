"""What the benchmarks share: clocks, peaks of memory, work to compare with, and Markdown.

A script prints tables in Markdown, which `run.py` keeps and of which docs/benchmarks.md shows some lines. With
`--quick` it shows that it works, and its figures mean little.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("OUTSCORE_DATA", ROOT.parent / "shared" / "data"))
QUICK = "--quick" in sys.argv


@dataclass(frozen=True)
class Line:
    """A figure beside that of a peer."""

    what: str
    ours: str
    peer: str
    ratio: str
    target: str


def _repeated(clock: Callable[[], float], run: Callable[[], object], repeats: int) -> list[float]:
    times = []
    for _ in range(1 if QUICK else repeats):
        start = clock()
        run()
        times.append(clock() - start)
    return times


def seconds(run: Callable[[], object], *, repeats: int) -> float:
    """Return the median wall time of a run, in seconds."""
    return statistics.median(_repeated(time.perf_counter, run, repeats))


def cpu_seconds(run: Callable[[], object], *, repeats: int) -> float:
    """Return the least processor time of several runs, all threads together, in seconds."""
    return min(_repeated(time.process_time, run, repeats))


def timed(run: Callable[[], object]) -> tuple[float, float]:
    """Return wall and processor seconds of one run."""
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - wall, time.process_time() - cpu


def process_cpu_seconds(
    commands: Mapping[str, Sequence[str]], *, repeats: int, folder: str, environment: Mapping[str, str]
) -> dict[str, list[float]]:
    """Return the user and system seconds of whole processes of Python, in turns of which the first does not count.

    Not on Windows.
    """
    import resource

    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(2 if QUICK else repeats + 1):
        for name, argv in commands.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, *argv], cwd=folder, env=environment, check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times[name].append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return {name: each[1:] for name, each in times.items()}


def peak() -> float:
    """Return the MB that this program has held at most; of Linux, for a process also inherits what its parent held."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def product_seconds() -> float:
    """Return the least seconds of several products of a float32 matrix, 4,000 × 2,000, with its transpose."""
    left = np.random.default_rng(0).random((4000, 2000), dtype=np.float32)
    return min(timed(lambda: left @ left.T)[0] for _ in range(5))


PRODUCT = "a float32 product of 4,000 × 2,000 with its transpose"


def apart(script: str, *arguments: object, python: str = sys.executable, **environment: str) -> Any:
    """Run a script in a process of its own, and return the JSON that it prints last."""
    command = [python, script, *map(str, arguments), *(["--quick"] if QUICK else [])]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=os.environ | environment)
    return json.loads(done.stdout.splitlines()[-1])


def pretty(value: float) -> str:
    return f"{value * 1e3:.3g} ms" if value < 1 else f"{value:.3g} s"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def table_of_lines(lines: Sequence[Line]) -> str:
    cells = (astuple(line) for line in lines)
    rows = [(what, ours, peer, f"**{ratio}**", target) for what, ours, peer, ratio, target in cells]
    return table(("what", "outscore", "peer", "ratio", "target"), rows)


def told(what: str) -> None:
    """Say on standard error how far a script is."""
    print(what, file=sys.stderr, flush=True)


def print_json(figures: Mapping[str, object]) -> None:
    """Print what `apart` returns."""
    print(json.dumps(figures))
