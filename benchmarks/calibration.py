"""Measure how often tests reject true nulls and how often intervals cover: docs/calibration.md and docs/calibration.

`python benchmarks/calibration.py` measures everything at full size, some 40 minutes on two cores, and writes the pages
and the data files, among them docs/calibration/results.json. `--results FILE` keeps what is measured in FILE, so that a
run that was stopped goes on. With docs/calibration/results.json it measures nothing and writes the pages again.
`--again GROUP` measures a group of a complete file again, `--group GROUP` only measures this group, and `--list` lists
all groups. `--quick` takes a few minutes and is a trial run. `--sets` is the number of data sets per cell of the
default test, 10,000 at full size. Tasks that cost more take a fixed part of it, and the pages state how many.

The script also renews the figures that other pages quote (`calibration_claims.quoted`), and checks statements such as
"at most 7%" (`calibration_claims.claims`). If one does not hold, it lists it and ends with an exit status of 1.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # tasks are small and run side by side
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import calibration_claims  # noqa: E402
import calibration_pages  # noqa: E402
import calibration_tables  # noqa: E402
import calibration_tasks  # noqa: E402
import figures  # noqa: E402
import numpy as np  # noqa: E402
import scipy  # noqa: E402
from tests.calibration import real  # noqa: E402

import outscore  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
FULL, QUICK = 10_000, 200
LEAST = 4  # data sets per cell
PATIENCE = 60.0  # seconds after which a task is worth a line of its own

TASKS = calibration_tasks.tasks()
GROUPS = tuple(dict.fromkeys(map(calibration_tasks.group_of, TASKS)))


def measured(given: tuple[str, int]) -> tuple[str, Any, float]:
    """Return what one task finds, and its seconds of processor time."""
    name, sets = given
    share, task = TASKS[name]
    start = time.process_time()
    found = task(max(round(share * sets), LEAST))
    return name, found, time.process_time() - start


def measure(names: list[str], sets: int, workers: int, path: Path | None, results: dict[str, Any]) -> None:
    """Measure tasks into `results`, and keep them in a file."""
    wanted = [(name, sets) for name in names if name not in results]
    if not wanted:
        return
    total: dict[str, float] = defaultdict(float)
    with multiprocessing.Pool(workers) as pool:
        for done, (name, found, seconds) in enumerate(pool.imap_unordered(measured, wanted), start=1):
            results[name] = found
            total[calibration_tasks.group_of(name)] += seconds
            if seconds > PATIENCE or done % 50 == 0 or done == len(wanted):
                print(f"{done} of {len(wanted)}: {name}, {seconds:.0f} s", file=sys.stderr, flush=True)
            if path is not None:
                path.write_text(json.dumps(results), encoding="utf-8")
    seconds_of = ", ".join(f"{group} {seconds:.0f}" for group, seconds in sorted(total.items(), key=lambda of: -of[1]))
    print(f"seconds of processor time: {seconds_of}", file=sys.stderr)


def written(results: dict[str, Any], docs: Path) -> None:
    """Write the pages and the data files into a folder."""
    folder = docs / "calibration"
    folder.mkdir(parents=True, exist_ok=True)
    for place, page in calibration_pages.pages(results).items():
        (docs / place).write_text(page, encoding="utf-8")
    for name, of in calibration_tables.FILES.items():
        figures.write(name, of.columns.split(), of.rows(results), folder)
    lines = (
        f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(of, ensure_ascii=False)}" for name, of in results.items()
    )
    (folder / "results.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main() -> int:
    """Measure, write the pages if all is measured, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help=f"a trial run: --sets {QUICK}")
    size.add_argument("--sets", type=int, default=FULL, help="data sets per cell of the default test")
    parser.add_argument("--group", action="append", default=[], choices=GROUPS, help="only measure this group")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT", help="tasks whose name contains TEXT")
    parser.add_argument("--again", action="append", default=[], choices=GROUPS, help="measure a group of FILE again")
    parser.add_argument("--list", action="store_true", help="list the groups and their numbers of tasks")
    parser.add_argument("--results", type=Path, metavar="FILE", help="results: those in it are not measured again")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "docs", help="folder of the pages")
    given = parser.parse_args()
    if given.list:
        for group, times in Counter(map(calibration_tasks.group_of, TASKS)).items():
            print(f"{group}: {times}")
        return 0
    results: dict[str, Any] = {}
    if given.results is not None and given.results.exists():
        results = json.loads(given.results.read_text(encoding="utf-8"))
        results = {name: of for name, of in results.items() if calibration_tasks.group_of(name) not in given.again}
        unmeasured = [name for name in TASKS if name not in results]
        if unmeasured and results.get("version") != outscore.__version__:
            parser.error(f"{given.results} has results of outscore {results.get('version')}: name another file")
    else:
        software = {"numpy": np.__version__, "scipy": scipy.__version__, "python": platform.python_version()}
        results |= {"version": outscore.__version__, "software": software}
    for line in real.corpora()[1]:
        print(line, file=sys.stderr)
    names = [
        name
        for name in TASKS
        if (not given.group or calibration_tasks.group_of(name) in given.group)
        and (not given.only or any(text in name for text in given.only))
    ]
    measure(names, QUICK if given.quick else given.sets, given.workers, given.results, results)
    if missing := [name for name in TASKS if name not in results]:
        print(f"the pages are not written: {len(missing)} tasks are not measured, as {missing[0]}", file=sys.stderr)
        return 0
    written(results, given.output)
    if given.output.resolve() == ROOT / "docs":
        figures.renew()
        for quoted in calibration_claims.quoted():
            path = ROOT / quoted.place
            path.write_text(quoted.renewed(path.read_text(encoding="utf-8"), results), encoding="utf-8")
    broken = calibration_claims.broken_claims(results)
    print(*broken, sep="\n", file=sys.stderr)
    return int(bool(broken))


if __name__ == "__main__":
    raise SystemExit(main())
