"""Measure how long files and scores take that were made to be slow: each once took seconds to minutes."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from measuring import QUICK, cpu_seconds, pretty, table, told

import outscore
from outscore.errors import OutscoreError

SIZE = 100 if QUICK else 1  # sizes are divided by it


def repeated(text: str, times: int) -> str:
    return text * (times // SIZE)


def columns(rows: int) -> str:
    count = 9_999 // SIZE
    lines = [",".join(["id", *(f"system {i}" for i in range(count))])]
    return "\n".join(lines + [f"q{i},{','.join(['1'] * count)}" for i in range(rows)])


def inspect_log(samples: int, metrics_each: int) -> bytes:
    """Return an .eval log of Inspect whose samples have metrics of their own names."""
    header = {"version": 2, "status": "success", "eval": {"task": "t", "created": "2025", "model": "m"}}
    rows = [{"id": i, "epoch": 1, "scores": {f"k{i * metrics_each}": {"value": "C"}}} for i in range(samples // SIZE)]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("header.json", json.dumps(header))
        archive.writestr("summaries.json", json.dumps(rows))
        for i in range(samples // SIZE):
            archive.writestr(f"samples/{i}_epoch_1.json", "{}")
    return packed.getvalue()


FILES: dict[str, tuple[str, Callable[[], str | bytes]]] = {
    "TOML, an integer of 5,000 digits": ("a.toml", lambda: f"metrics = {repeated('1', 5_000)}\n"),
    "TOML, 50,000 nested arrays": ("a.toml", lambda: f"metrics = {repeated('[', 50_000)}\n"),
    "TOML, a key of 40,000 parts": ("a.toml", lambda: f"{repeated('a.', 40_000)}a = 1\n"),
    "TOML, 200,000 quotation marks": ("a.toml", lambda: repeated("'\"", 100_000)),
    "CSV, 40,000 columns": ("a.csv", lambda: f"{repeated('c,', 40_000)}c\n"),
    "CSV, 9,999 systems": ("a.csv", lambda: columns(3)),
    "JSON Lines, a new field on each of 9,999 lines": (
        "a.jsonl",
        lambda: "".join(f'{{"q{i}": {i}}}\n' for i in range(9_999 // SIZE)),
    ),
    "Inspect, 20,000 samples": ("a.eval", lambda: inspect_log(20_000, 0)),
    "Inspect, 20,000 names of metrics": ("a.eval", lambda: inspect_log(20_000, 1)),
}


def scores() -> dict[str, np.ndarray]:
    rng, n = np.random.default_rng(20240229), 1000 // min(SIZE, 10)
    return {
        "5 of 1,000 differences are not 0": np.r_[rng.normal(0.5, 1, 5), np.zeros(n - 5)],
        "integers and one irrational number": np.r_[2**0.5, rng.integers(-3, 4, n - 1)],
        "one outlier of 10,000 standard deviations": np.r_[1e4, rng.normal(size=n - 1)],
        "Cauchy": rng.standard_cauchy(n),
    }


def read(path: Path) -> None:
    with contextlib.suppress(OutscoreError):  # most are refused
        outscore.read(path)


def resampled(d: np.ndarray) -> None:
    for test in outscore.compare(np.zeros(len(d)), d, metric="mean", tests=["bootstrap", "randomization"])[0].tests:
        assert test.p_value > 0


def main() -> None:
    """Measure everything and print the section."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for what, (name, made) in FILES.items():
            told(what)
            path, content = Path(folder) / name, made()
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            rows.append((what, pretty(cpu_seconds(partial(read, path), repeats=3))))
    for what, d in scores().items():
        told(what)
        rows.append((f"bootstrap and randomization, {what}", pretty(cpu_seconds(partial(resampled, d), repeats=3))))
    print("Processor seconds to read or refuse a file, or of two resampling tests of 1,000 differences.\n")
    print(table(("what", "time"), rows))


if __name__ == "__main__":
    main()
