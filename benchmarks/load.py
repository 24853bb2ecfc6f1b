"""Measure commands under load: long files of doubles, thousands of systems, thousands of comparisons in one process."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from large import measured
from measuring import QUICK, pretty, table

# Memory after a tenth of the comparisons and after all.
SMALL = """
import sys, numpy as np, outscore
memory = lambda: int(open("/proc/self/statm").read().split()[1]) * 4096 / 1e6
rng, n, seen = np.random.default_rng(0), int(sys.argv[1]), []
for k in range(n):
    before = rng.normal(size=50)
    result = outscore.compare(before, before + rng.normal(size=50))
    result.interval, result.p_value
    if k in (n // 10, n - 1):
        seen.append(memory())
print(*seen)
"""


def doubles(folder: Path, n: int) -> list[str]:
    """Write two systems of real scores with all digits, one a line, and return the names of the files."""
    rng = np.random.default_rng(1)
    first = rng.normal(size=n)
    names = []
    for name, scores in (("a", first), ("b", 0.5 * first + 0.8 * rng.normal(size=n) + 0.001)):
        path = folder / f"{name}.txt"
        with path.open("w") as file:
            for at in range(0, n, 10**6):
                file.write("\n".join(map(repr, scores[at : at + 10**6].tolist())) + "\n")
        names.append(str(path))
    return names


def board(folder: Path, n_systems: int, n_items: int) -> str:
    """Write a table of right and wrong answers, one column per system, and return its name."""
    rng = np.random.default_rng(0)
    ease = 0.6 * rng.normal(size=n_systems) - 1.2 * rng.normal(size=(n_items, 1))
    right = (rng.random((n_items, n_systems)) < 1 / (1 + np.exp(-ease))).astype(int)
    lines = [",".join(["item", *(f"s{k}" for k in range(n_systems))])]
    lines += [",".join([f"i{i}", *map(str, row)]) for i, row in enumerate(right.tolist())]
    path = folder / "board.csv"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def main() -> None:
    n, n_systems, n_items, n_small = (10**5, 100, 200, 200) if QUICK else (10**7, 2_000, 1_000, 10_000)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        wall, cpu, peak, _ = measured("-m", "outscore", "compare", *doubles(Path(folder), n))
        rows.append(
            (f"`compare`, {n:,} doubles with all digits, txt", f"{pretty(wall)} ({pretty(cpu)})", f"{peak:.0f} MB")
        )
        wall, cpu, peak, _ = measured("-m", "outscore", "rank", board(Path(folder), n_systems, n_items))
        what = f"`rank`, {n_systems:,} systems on {n_items:,} items, right or wrong"
        rows.append((what, f"{pretty(wall)} ({pretty(cpu)})", f"{peak:.0f} MB"))
    wall, cpu, _, output = measured("-c", SMALL, str(n_small))
    early, late = map(float, output.split())
    what = f"`outscore.compare`, {n_small:,} times 50 real scores in one process"
    rows.append((what, f"{pretty(wall)} ({pretty(cpu)})", f"{early:.0f} MB after a tenth, {late:.0f} MB after all"))
    print(table(("what", "time", "memory"), rows))
    print("\nSeconds on the wall, in brackets those of all processors together; the largest memory of the process.")


if __name__ == "__main__":
    main()
