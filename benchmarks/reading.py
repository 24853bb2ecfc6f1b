"""Measure the time and the memory of reading many items: one process a file and reader, for its own peak."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from measuring import QUICK, apart, peak, pretty, print_json, table, told


def python_lines(path: str) -> int:
    with Path(path).open(encoding="utf-8") as file:
        return len([float(line) for line in file])


def python_json(path: str) -> int:
    with Path(path).open(encoding="utf-8") as file:
        return len([json.loads(line)["score"] for line in file])


def ours(path: str) -> int:
    from outscore.metrics import METRICS
    from outscore.readers import read_system

    return len(read_system(path, METRICS["mean"]()))


# One file is written for each, with as many lines as were measured before; and how Python reads it.
FILES: Mapping[str, tuple[str, int, Callable[[int, float], str], str]] = {
    "scores, one a line": ("txt", 10**7, lambda _, score: f"{score:.6f}\n", "`float(line)` of each"),
    "JSON Lines of id and score": (
        "jsonl",
        10**6,
        lambda i, score: f'{{"id": "q{i}", "score": {score:.6f}}}\n',
        "`json.loads(line)` of each",
    ),
}
PEERS = {"txt": python_lines, "jsonl": python_json}


def write(path: Path, count: int, line: Callable[[int, float], str]) -> None:
    scores = np.random.default_rng(1).random(count)
    with path.open("w") as file:
        file.writelines(line(i, score) for i, score in enumerate(scores))


def measure(reader: str, path: str, small: str) -> None:
    """Print what reading a file takes, beyond what it took to read a small one."""
    read = ours if reader == "outscore" else PEERS[Path(path).suffix[1:]]
    read(small)  # all that is imported late
    before, start = peak(), time.process_time()
    n = read(path)
    print_json({"n": n, "seconds": time.process_time() - start, "memory": peak() - before})


def main() -> None:
    """Measure everything and print the section."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for what, (suffix, count, line, peer) in FILES.items():
            told(what)
            path, small = Path(folder) / f"a.{suffix}", Path(folder) / f"small.{suffix}"
            write(path, count // 10 if QUICK else count, line)
            write(small, 10, line)
            one, other = (apart(__file__, "--measure", reader, path, small) for reader in ("outscore", "Python"))
            rows.append(
                (
                    f"{what}, {one['n']:,} items",
                    f"{pretty(one['seconds'])}, {one['memory']:.0f} MB",
                    f"{pretty(other['seconds'])}, {other['memory']:.0f} MB ({peer})",
                    f"**{one['seconds'] / other['seconds']:.2f} ×**",
                )
            )
    print("One process a reading: processor seconds, and how much more memory it took than a file of ten lines did.\n")
    print(table(("what", "outscore", "Python", "ratio"), rows))


if __name__ == "__main__":
    if "--measure" in sys.argv:
        start = sys.argv.index("--measure") + 1
        measure(*sys.argv[start : start + 3])
    else:
        main()
