"""Measure reading samples of lm-evaluation-harness beside Python's json, line by line, in one process each.

The file is made by repeating the rows of a real file of samples under new document ids, each with as long a prompt as
few-shot prompts are.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from measuring import QUICK, apart, peak, pretty, print_json, table

FOLDER = Path(__file__).resolve().parent.parent / "examples" / "logs" / "lm-eval"
NAME = "samples_arithmetic_2026-11-22T12-00-00.000000.jsonl"


def write(path: Path, size: int, prompt: int) -> None:
    """Write rows until there are `size` bytes."""
    source = sorted(FOLDER.rglob("samples_sums_*.jsonl"))[0]
    rows = [json.loads(line) for line in source.read_text("utf-8").splitlines()]
    many = 1 + max(row["doc_id"] for row in rows)
    times, written = 0, 0
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            for row in rows:
                text = row["arguments"]["gen_args_0"]["arg_0"]
                long = (text + "\n\n") * (prompt // len(text) + 1)
                arguments = {"gen_args_0": {**row["arguments"]["gen_args_0"], "arg_0": long}}
                written += file.write(
                    json.dumps({**row, "doc_id": row["doc_id"] + many * times, "arguments": arguments}) + "\n"
                )
            times += 1


def measure(reader: str, path: Path) -> None:
    """Print the mean of a metric, the seconds of one processor, and the memory beyond what imports take."""
    from outscore.wings.logs.base import LogFile
    from outscore.wings.logs.registry import log_formats

    known = log_formats()["lm-evaluation-harness"]
    before, start = peak(), time.process_time()
    if reader == "outscore":
        (log,) = known.read([LogFile(path)])
        scores = log.metrics[0].scores.tolist()
    else:
        scores = []
        with path.open(encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                if row["filter"] == "strict-match":
                    scores.append(row["exact_match"])
    seconds = time.process_time() - start
    print_json({"n": len(scores), "mean": sum(scores) / len(scores), "seconds": seconds, "memory": peak() - before})


def main() -> None:
    """Measure everything and print the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=20 if QUICK else 200)
    parser.add_argument("--prompt", type=int, default=5000, help="characters of a prompt")
    parser.add_argument("--quick", action="store_true", help="a tenth of the samples")
    parser.add_argument("--measure", nargs=2, help="one reading in this process")
    chosen = parser.parse_args()
    if chosen.measure:
        measure(chosen.measure[0], Path(chosen.measure[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / NAME
        write(path, chosen.megabytes * 10**6, chosen.prompt)
        size = path.stat().st_size / 1e6
        of = {reader: apart(__file__, "--measure", reader, path) for reader in ("outscore", "json")}
    assert of["outscore"]["mean"] == of["json"]["mean"]
    first = of["outscore"]["seconds"]
    rows = []
    for name, one in of.items():
        took = f"{pretty(one['seconds'])}, {size / one['seconds']:.0f} MB/s"
        what = "`json.loads(line)` of each" if name == "json" else name
        rows.append((what, took, f"**{one['seconds'] / first:.1f} ×**", f"{one['memory']:.0f} MB"))
    print(f"{size:.0f} MB of samples of lm-evaluation-harness with prompts of {chosen.prompt:,} characters,")
    print(f"{of['json']['n']:,} documents: processor seconds, and how much more memory the process took than")
    print("imports.\n")
    print(table(("reader", "took", "of outscore's time", "memory"), rows))


if __name__ == "__main__":
    main()
