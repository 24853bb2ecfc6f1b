"""Measure `outscore compare` of two systems with 10⁶ and 10⁷ items, beside what Polars needs to read the same files.

Each row is a process of its own; Polars reads just before and just after it, and the quicker of the two counts.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
from measuring import QUICK, pretty, table

from outscore._types import FloatArray

READ = {
    "txt": "[pl.read_csv(name, has_header=False) for name in sys.argv[1:]]",
    "parquet": "[pl.read_parquet(name) for name in sys.argv[1:]]",
}
POLARS = "import sys, time, polars as pl; t = time.perf_counter(); x = {}; print(time.perf_counter() - t)"
# What is left when all is imported: a comparison of two short files goes first.
AFTER_IMPORT = """
import sys, time
from outscore.cli.running import command_of, run
def compare(*names):
    run(command_of(["compare", *names, "-o", sys.argv[3]]))
compare(*sys.argv[4:])
t = time.perf_counter(); compare(*sys.argv[1:3]); print(time.perf_counter() - t)
"""


def systems(kind: str, n: int) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(1)
    if kind == "right or wrong":
        first = (rng.random(n) < 0.7).astype(np.float64)
        return first, np.where(rng.random(n) < 0.9, first, (rng.random(n) < 0.7005).astype(np.float64))
    first = rng.integers(0, 10**6, n) / 1e6
    second: FloatArray = np.clip(first + rng.normal(0.0001, 0.2, n), 0, 1)
    return first, second.round(6)


def write(folder: Path, kind: str, n: int) -> dict[str, list[str]]:
    """Write both systems in every form, and return the files' names by form."""
    names: dict[str, list[str]] = {"txt": [], "parquet": []}
    for name, scores in zip("ab", systems(kind, n), strict=True):
        frame = pl.DataFrame({"score": scores if kind == "real" else scores.astype(np.int64)})
        for form, of_form in names.items():
            path = folder / f"{name}-{kind[:4]}-{n}.{form}"
            if form == "txt":
                frame.write_csv(path, include_header=False, float_precision=6)
            else:
                frame.write_parquet(path)
            of_form.append(str(path))
    return names


def measured(*command: str) -> tuple[float, float, float, str]:
    """Return the wall time and the processors' time of a process in seconds, its peak memory in MB, and its output."""
    start = time.perf_counter()
    with subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"failed: {' '.join(command)}")
    return time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e6, output


def main() -> None:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for n in (10**5,) if QUICK else (10**6, 10**7):
            for kind in ("right or wrong", "real"):
                short = write(Path(folder), kind, 100)
                for form, names in write(Path(folder), kind, n).items():
                    polars = ["-c", POLARS.format(READ[form]), *names]
                    before = measured(*polars)
                    wall, cpu, peak, _ = measured("-m", "outscore", "compare", *names)
                    after = measured(*polars)
                    told = measured("-c", AFTER_IMPORT, *names, str(Path(folder) / "out.txt"), *short[form])[3]
                    best, best_cpu = min(before[0], after[0]), min(before[1], after[1])
                    rows.append(
                        (
                            f"{n:,} {kind}, {form}",
                            f"{pretty(wall)} ({pretty(cpu)})",
                            pretty(float(told)),
                            f"{pretty(best)} ({pretty(best_cpu)})",
                            f"{wall / best:.1f} × ({cpu / best_cpu:.1f} ×)",
                            f"{peak:.0f} MB",
                        )
                    )
                    for name in names:
                        Path(name).unlink()
    print(table(("items, scores, files", "`compare`", "after import", "Polars", "ratio", "peak"), rows))
    print(
        "\nSeconds on the wall, in brackets those of all processors together. Polars is a process that imports it and "
        "reads the same\ntwo files, with both cores. Targets: 3 × Polars and 1 GB for 10⁷; for 10⁶ 3 s of real numbers "
        "and 0.3 s of right or wrong."
    )


if __name__ == "__main__":
    main()
