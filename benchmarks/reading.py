"""Measure the time and the memory of reading many items: one process a file, so that each has its own peak."""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

# One file is written for each, with as many lines as were measured before.
FILES: Mapping[str, tuple[str, int, Callable[[int, float], str]]] = {
    "scores, one a line": ("txt", 10**7, lambda _, score: f"{score:.6f}\n"),
    "JSON Lines of id and score": ("jsonl", 10**6, lambda i, score: f'{{"id": "q{i}", "score": {score:.6f}}}\n'),
}


def write(path: Path, count: int, line: Callable[[int, float], str]) -> None:
    scores = np.random.default_rng(1).random(count)
    with path.open("w") as file:
        file.writelines(line(i, score) for i, score in enumerate(scores))


def measure(path: str) -> None:
    """Print what reading the file takes, beyond what the imports do."""
    from outscore.metrics import METRICS
    from outscore.readers import read_system

    metric, before = METRICS["mean"](), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    rows = read_system(path, metric)
    seconds = time.process_time() - start
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024**2
    print(f"{len(rows)} {seconds:.2f} {memory:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", help="measure this one file in this process")
    asked = parser.parse_args()
    if asked.file is not None:
        measure(asked.file)
        return
    with tempfile.TemporaryDirectory() as folder:
        for what, (suffix, count, line) in FILES.items():
            path = Path(folder) / f"a.{suffix}"
            write(path, count, line)
            told = subprocess.run(
                [sys.executable, __file__, str(path)], capture_output=True, text=True, check=True
            ).stdout.split()
            print(f"{what}: {int(told[0]):,} items, {told[1]} s of one processor, {told[2]} GiB more than before")


if __name__ == "__main__":
    main()
