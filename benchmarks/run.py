"""Measure outscore, and write docs/benchmarks.md: each group a script of its own, in a process of its own.

    python benchmarks/run.py                        # all groups, about half an hour on a quiet machine
    python benchmarks/run.py compare ranking        # these; the figures of others stay as they are
    python benchmarks/run.py --page                 # measures nothing, and writes the page again
    python benchmarks/run.py --quick                # shows in some minutes that all work, and writes nothing
    python benchmarks/run.py versions --python ~/py312/bin/python --python ~/py313/bin/python

docs/calibration/benchmarks.json has all that the scripts print, and the page the lines that decide. A further group is
a script that prints Markdown and takes `--quick`, and its entry in `GROUPS`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy

import outscore

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
DATA = ROOT / "docs" / "calibration" / "benchmarks.json"
Line = Sequence[str]


def whole(line: Line) -> Line:
    """Return a line as it is."""
    return line


def without_target(line: Line) -> Line:
    return line[:-1]


def least_seconds(line: Line) -> Line:
    """Return a line of whole commands with the least processor seconds only."""
    what, ours, peer, ratio, _ = line
    name = peer.partition(") ")[2].strip("`")
    first = re.match(r"\*\*[\d.]+\*\*", ratio)
    return [what, ours.partition(",")[0], f"{peer.partition(',')[0]}, `{name}`", first[0] if first else ratio]


@dataclass(frozen=True)
class Group:
    """A section of the page, and the script that measures it.

    Attributes
    ----------
    name, title : str
    script : str
    about : str
        What the figures are.
    columns : sequence of str
    shown : sequence of str
        Beginnings of the lines that the page shows; all if empty.
    cells : callable
        A line of the script to the cells of the page.
    on_page : bool
        Whether the page has this section, and not only the data file.
    """

    name: str
    title: str
    script: str
    about: str
    columns: Sequence[str]
    shown: Sequence[str] = ()
    cells: Callable[[Line], Line] = whole
    on_page: bool = True

    def section(self, tables: Sequence[dict[str, Any]]) -> str:
        """Return the section of the page."""
        lines: list[Line] = [line for of in tables for line in of["rows"]]
        if self.shown:
            found = [line for start in self.shown for line in lines if line[0].startswith(start)]
            lines = found
        rows = [self.columns, ["---"] * len(self.columns), *map(self.cells, lines)]
        table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
        return f"## {self.title}\n\n{self.about}\n\n{table}\n"


_OF_PEER = ("what", "outscore", "peer", "ratio")
GROUPS = (
    Group(
        "commands",
        "Whole commands",
        "commands.py",
        "Least processor seconds of whole processes, from start to text, in turns. outscore reads, scores, tests and\n"
        "computes the interval. sacreBLEU, SciPy and ranx test too; the other peers only read or score both.",
        _OF_PEER,
        (
            "`compare -m bleu`, WMT24 en-cs, 997 segments, p",
            "`compare -m bleu,chrf,ter`, WMT24 en-cs, 997 segments, p",
            "`compare -m wer`",
            "`compare -m span-f1`",
            "`compare -m rouge1",
            "`compare -m ndcg@10`",
            "`compare -m accuracy`",
            "`compare -m exact`",
            "`rank`, 16 systems",
            "`rank -m accuracy`, 60 systems",
            "`gate -m accuracy`",
        ),
        least_seconds,
    ),
    Group(
        "compare",
        "Two systems, beside SciPy and NumPy",
        "compare.py",
        "In one process, on the same data. The peers' 10⁴ resamples give a p-value to two digits; outscore's is exact.",
        _OF_PEER,
        (
            "exact bootstrap p, mean, n = 2,000, real",
            "exact randomization p, mean, n = 2,000, real",
            "`outscore.compare(a, b)`, n = 2,000, real",
            "`outscore.compare(a, b)`, n = 49",
            "paired bootstrap of F1, n = 2,000, per",
        ),
        without_target,
    ),
    Group(
        "metrics",
        "Metrics of outputs, beside sacreBLEU and seqeval",
        "metrics.py",
        "In one process, on WMT21 de-en and WNUT 2017; least processor time. Tests start from extracted statistics.",
        _OF_PEER,
        (
            "paired bootstrap of bleu, n = 2,000, per",
            "paired randomization of bleu, n = 2,000, per",
            "extraction of bleu",
            "span F1",
        ),
        without_target,
    ),
    Group(
        "functions",
        "Functions as metrics, beside a plain loop",
        "functions.py",
        "A metric that is a Python function, recomputed for each resample.",
        _OF_PEER,
        cells=without_target,
    ),
    Group(
        "ranking",
        "Rankings",
        "ranking.py",
        "Seconds on the wall with two threads, and in brackets those of all processors. Time grows in proportion to\n"
        "resamples, items and systems; pairs cost about 3 ns per pair and resample.",
        ("what", "took", "peak memory"),
        (
            "31 systems",
            "150 systems",
            "`outscore rank` of",
        ),
        without_target,
    ),
    Group(
        "studies",
        "Studies",
        "studies.py",
        "One thread, from cached scores; in brackets the seconds of all processors.",
        ("what", "took", "beside a float32 product of 4,000 × 2,000 with its transpose", "peak memory"),
        on_page=False,
    ),
    Group(
        "reading",
        "Reading scores",
        "reading.py",
        "Processor seconds, and the memory beyond that for a file of ten lines.",
        ("what", "outscore", "Python", "ratio"),
        on_page=False,
    ),
    Group(
        "bounds",
        "Files and scores made to be slow",
        "bounds.py",
        "Processor seconds to read or refuse a file, or of two resampling tests of 1,000 differences; the slowest.",
        ("what", "time"),
        ("CSV, 9,999", "Inspect, 20,000 names", "bootstrap and randomization, integers"),
        on_page=False,
    ),
    Group(
        "large",
        "Comparing millions of items",
        "large.py",
        "Whole processes. Polars is a process that imports it and reads the same two files.",
        ("items, scores, files", "`compare`", "Polars", "ratio", "peak"),
        ("1,000,000 real, parquet", "10,000,000 right or wrong, txt", "10,000,000 real, parquet"),
        lambda line: [line[0], line[1], *line[3:]],
    ),
    Group(
        "load",
        "Load",
        "load.py",
        "Seconds on the wall, in brackets those of all processors; the largest memory of the process.",
        ("what", "time", "memory"),
    ),
    Group(
        "logs",
        "Reading logs of Inspect",
        "logs.py",
        "A log of 5,000 samples, 9 MB unpacked: processor seconds, and the memory beyond that for two samples.",
        ("reader", "took", "of outscore's time", "memory"),
        on_page=False,
    ),
    Group(
        "logs-lm-eval",
        "Reading samples of lm-evaluation-harness",
        "logs_lm_eval.py",
        "200 MB of samples, 15,795 documents: processor seconds, and the memory beyond that for imports.",
        ("reader", "took", "of outscore's time", "memory"),
        on_page=False,
    ),
    Group(
        "cluster",
        "A cluster",
        "cluster.py",
        "Workers of one thread on one machine of two cores; the results are the same bits.",
        ("", "F1, r = 10⁶", "calibration, 100 test sets", "an empty task", "100 MB to all workers"),
        on_page=False,
    ),
    Group(
        "versions",
        "Versions of Python",
        "versions.py",
        "In bold how many times as long it takes as work of NumPy's in the same process.",
        ("what", "Python 3.11.7", "Python 3.12.1", "Python 3.13.0"),
        ("`outscore.compare", "`outscore compare"),
        lambda line: [line[0].partition(", beside")[0], *line[1:]],
        on_page=False,
    ),
)


def load() -> str:
    return " ".join(f"{average:.1f}" for average in os.getloadavg())


def tables_of(text: str) -> list[dict[str, Any]]:
    """Return the tables of a text in Markdown."""
    found = []
    for block in re.findall(r"(?:^\|.*\|$\n?)+", text, re.MULTILINE):
        header, _, *rows = [[cell.strip() for cell in line[1:-1].split("|")] for line in block.splitlines()]
        found.append({"header": header, "rows": rows})
    return found


def measured(group: Group, options: list[str]) -> dict[str, Any]:
    """Run the script of a group, and return its tables and notes, and where it ran."""
    before, start = load(), time.perf_counter()
    command = [sys.executable, str(Path(__file__).parent / group.script), *options]
    body = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    minutes = (time.perf_counter() - start) / 60
    print(body, flush=True)
    return {
        "tables": tables_of(body),
        "notes": [block for block in body.split("\n\n") if not block.startswith("|")],
        "measured": f"outscore {outscore.__version__}, Python {platform.python_version()}, NumPy {np.__version__}, "
        f"SciPy {scipy.__version__}; {len(os.sched_getaffinity(0))} cores, {platform.machine()}; "
        f"load (of 1, 5 and 15 minutes) {before} before and {load()} after {minutes:.1f} minutes",
    }


def page(results: dict[str, Any]) -> str:
    """Return the page."""
    places = sorted({of["measured"].partition("; load")[0] for of in results.values()})
    sections = [
        group.section(results[group.name]["tables"]) for group in GROUPS if group.on_page and group.name in results
    ]
    head = f"""# Benchmarks

This page shows how fast outscore is and how much memory it takes, mostly beside another program. **Ratios** also hold
on other machines; seconds do not. [benchmarks.json](calibration/benchmarks.json) has all figures, also of studies,
logs, clusters, versions of Python, and files made to be slow.

```sh
python benchmarks/run.py                    # measures all and writes this page, half an hour
python benchmarks/run.py ranking logs       # measures only these two sections
```

Measured with {"; ".join(places)}.
"""
    return "\n".join([head, *sections])


def main() -> int:
    names = [group.name for group in GROUPS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", choices=[*names, []], metavar="GROUP", help=f"of {', '.join(names)}")
    parser.add_argument("--quick", action="store_true", help="small sizes; prints the figures, and writes nothing")
    parser.add_argument("--page", action="store_true", help="measure nothing, and write the page again")
    parser.add_argument("--python", action="append", default=[], help="for versions: a further interpreter")
    chosen = parser.parse_args()
    results = json.loads(DATA.read_text(encoding="utf-8"))
    failed = []
    for group in GROUPS:
        if chosen.page or (chosen.groups and group.name not in chosen.groups):
            continue
        print(f"{group.name} ...", file=sys.stderr, flush=True)
        pythons = chosen.python if group.name == "versions" else []
        options = [*(["--quick"] if chosen.quick else []), *(part for path in pythons for part in ("--python", path))]
        try:
            results[group.name] = measured(group, options)
        except subprocess.CalledProcessError:  # it has said why
            failed.append(group.name)
            continue
        if not chosen.quick:
            DATA.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if not chosen.quick:
        PAGE.write_text(page(results), encoding="utf-8")
    if failed:
        print(f"failed, and left as they were: {', '.join(failed)}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
