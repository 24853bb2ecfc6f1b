"""Measure reading a large log of Inspect beside Inspect's own readers, one process a reading, for its own peak.

Give an ``.eval`` log: its samples are repeated, each time with other ids and inputs, until there are as many as wanted.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from measuring import QUICK, apart, peak, pretty, print_json, table, told

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "logs" / "inspect" / "adds-well.eval"


def repeated(source: Path, target: Path, n: int) -> None:
    """Write a log with n samples, those of another over and over, by Inspect itself."""
    from inspect_ai.log import read_eval_log, write_eval_log

    log: Any = read_eval_log(str(source))
    samples = log.samples
    log.samples = [
        one.model_copy(update={"id": f"{one.id}-{turn}", "input": f"{turn}: {one.input}"})
        for turn, one in ((i // len(samples), samples[i % len(samples)]) for i in range(n))
    ]
    write_eval_log(log, str(target))


def ours(path: str) -> int:
    from outscore.wings.logs.base import LogFile
    from outscore.wings.logs.registry import format_of_log

    file = LogFile(Path(path))
    known = format_of_log(file)
    assert known is not None
    return sum(len(log) for log in known.read([file]))


def whole(path: str) -> int:
    from inspect_ai.log import read_eval_log

    return len(read_eval_log(path).samples or ())


def summaries(path: str) -> int:
    from inspect_ai.log import read_eval_log_sample_summaries

    return len(read_eval_log_sample_summaries(path))


READINGS: Mapping[str, Callable[[str], int]] = {
    "outscore": ours,
    "inspect_ai.log.read_eval_log": whole,
    "inspect_ai.log.read_eval_log_sample_summaries": summaries,
}


def measure(name: str, path: str, small: str, times: int) -> None:
    """Print the least time of several, and what the process takes beyond what it took for a small log."""
    warnings.simplefilter("ignore")
    reading = READINGS[name]
    reading(small)  # all that is imported late
    before = peak()
    seconds = []
    for _ in range(times):
        begin = time.process_time()
        n = reading(path)
        seconds.append(time.process_time() - begin)
    print_json({"n": n, "seconds": min(seconds), "memory": peak() - before})


def main() -> None:
    """Measure everything and print the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log", type=Path, default=EXAMPLE)
    parser.add_argument("-n", type=int, default=500 if QUICK else 5_000, help="samples")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="a tenth of the samples")
    parser.add_argument("--measure", nargs=3, help="one reading in this process, of a log, after a small one")
    options = parser.parse_args()
    if options.measure is not None:
        name, path, small = options.measure
        measure(name, path, small, options.times)
        return
    with tempfile.TemporaryDirectory() as folder:
        path, small = Path(folder) / "large.eval", Path(folder) / "small.eval"
        warnings.simplefilter("ignore")
        repeated(options.log, path, options.n)
        repeated(options.log, small, 2)
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
        told(f"{options.n:,} samples")
        of = {name: apart(__file__, "--times", options.times, "--measure", name, path, small) for name in READINGS}
        first = of["outscore"]["seconds"]
        rows = [
            (f"`{name}`", pretty(one["seconds"]), f"**{one['seconds'] / first:.1f} ×**", f"{one['memory']:.0f} MB")
            for name, one in of.items()
        ]
        sizes = f"{path.stat().st_size / 1e6:.0f} MB, {unpacked / 1e6:.0f} MB unpacked"
        print(f"An Inspect log of {options.n:,} samples, {sizes}: the least processor seconds of")
        print(f"{options.times}, and how much more memory the process took than for two samples.\n")
        print(table(("reader", "took", "of outscore's time", "memory"), rows))


if __name__ == "__main__":
    main()
