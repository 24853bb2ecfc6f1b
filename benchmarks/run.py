"""Measure outscore, and write docs/benchmarks.md: each group a script of its own, in a process of its own.

    python benchmarks/run.py                        # all groups, about half an hour on a quiet machine
    python benchmarks/run.py compare ranking        # these; the sections of others stay as they are
    python benchmarks/run.py --quick                # shows in some minutes that all work, and writes nothing
    python benchmarks/run.py versions --python ~/py312/bin/python --python ~/py313/bin/python

A further group is a script that prints the body of its section and takes `--quick`, and its line in `GROUPS`.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy

import outscore

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"


@dataclass(frozen=True)
class Group:
    """A section of the page, and the script that measures it."""

    name: str
    title: str
    script: str

    @property
    def begin(self) -> str:
        return f"<!-- measured by benchmarks/run.py {self.name} -->"

    @property
    def end(self) -> str:
        return f"<!-- end of {self.name} -->"


GROUPS = (
    Group("commands", "Whole commands", "commands.py"),
    Group("compare", "Two systems, beside SciPy and NumPy", "compare.py"),
    Group("metrics", "Metrics of outputs, beside sacreBLEU and seqeval", "metrics.py"),
    Group("functions", "Functions as metrics, beside a plain loop", "functions.py"),
    Group("ranking", "Rankings", "ranking.py"),
    Group("studies", "Studies", "studies.py"),
    Group("reading", "Reading scores", "reading.py"),
    Group("bounds", "Files and scores made to be slow", "bounds.py"),
    Group("large", "Comparing millions of items", "large.py"),
    Group("load", "Load", "load.py"),
    Group("logs", "Reading logs of Inspect", "logs.py"),
    Group("logs-lm-eval", "Reading samples of lm-evaluation-harness", "logs_lm_eval.py"),
    Group("cluster", "A cluster", "cluster.py"),
    Group("versions", "Versions of Python", "versions.py"),
)


def load() -> str:
    return " ".join(f"{average:.1f}" for average in os.getloadavg())


def section(group: Group, options: list[str]) -> str:
    """Run the script of a group, and return its section."""
    before, start = load(), time.perf_counter()
    command = [sys.executable, str(Path(__file__).parent / group.script), *options]
    body = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    minutes = (time.perf_counter() - start) / 60
    return f"""{group.begin}
## {group.title}

{body}

outscore {outscore.__version__}, Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__};
{len(os.sched_getaffinity(0))} cores, {platform.machine()}; load (of 1, 5 and 15 minutes) {before} before and {load()}
after {minutes:.1f} minutes.
{group.end}
"""


def with_section(page: str, group: Group, text: str) -> str:
    """Return the page with the section of a group in its place among the others, and these as they are."""
    if group.begin in page:
        top, _, rest = page.partition(group.begin)
        return top + text + rest.partition(f"{group.end}\n")[2]
    later = GROUPS[GROUPS.index(group) + 1 :]
    following = next((other.begin for other in later if other.begin in page), None)
    if following is None:
        return f"{page.rstrip()}\n\n{text}"
    top, _, rest = page.partition(following)
    return f"{top}{text}\n{following}{rest}"


def main() -> int:
    names = [group.name for group in GROUPS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", choices=[*names, []], metavar="GROUP", help=f"of {', '.join(names)}")
    parser.add_argument("--quick", action="store_true", help="small sizes; prints the sections, and writes nothing")
    parser.add_argument("--python", action="append", default=[], help="for versions: a further interpreter")
    chosen = parser.parse_args()
    failed = []
    for group in GROUPS:
        if chosen.groups and group.name not in chosen.groups:
            continue
        print(f"{group.name} ...", file=sys.stderr, flush=True)
        pythons = chosen.python if group.name == "versions" else []
        options = [*(["--quick"] if chosen.quick else []), *(part for path in pythons for part in ("--python", path))]
        try:
            text = section(group, options)
        except subprocess.CalledProcessError:  # it has said why
            failed.append(group.name)
            continue
        print(text, flush=True)
        if not chosen.quick:
            PAGE.write_text(with_section(PAGE.read_text("utf-8"), group, text), encoding="utf-8")
    if failed:
        print(f"failed, and left as they were: {', '.join(failed)}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
