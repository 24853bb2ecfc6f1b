"""Write a part of docs/design/idea.md: the functions that matter in a comparison, and how many it enters.

Without options it checks the page. --write writes it, unless a count has grown; --write --more writes it in any case.
--list prints all functions of the first comparison by file, in the order of their first calls.
"""

from __future__ import annotations

import gc
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "design" / "idea.md"
BEGIN, END = "<!-- written by docs/walk.py -->\n", "<!-- end -->\n"

# What is traced, and the folder in which it runs.
COMPARISONS = {
    "outscore compare -m bleu -r reference.txt base.1.txt new.1.txt": "examples/designs",
    "outscore compare baseline.txt experimental.txt": "examples/jansen",
    "outscore.compare([1, 0, 0, 1], [1, 1, 0, 1])": ".",
}

# The functions that matter, by file and name, with what is said of the value that each returns.
MATTER: dict[tuple[str, str], Callable[[Any], str]] = {
    ("cli/compare.py", "compare"): lambda _: "nothing: it calls the functions below and prints the last text",
    ("readers/door.py", "read_compared"): lambda read: f"`Systems`: {' and '.join(read.names)}, with their items",
    ("metrics/families/text.py", "TextMetric.rows"): lambda rows: (
        f"an array of shape {rows.shape}: per item {rows.shape[1]} sufficient statistics"
    ),
    ("design/scores.py", "Systems.paired"): lambda scores: (
        f"`Scores`: {len(scores)} systems on the {scores.design.n_items} items of one `Design`"
    ),
    ("questions/comparing.py", "compare_scores"): lambda results: (
        f"a list of one `ComparisonResult` per metric: here the verdict is *{results[0].comparisons[0].verdict}*"
    ),
    ("gains/pairing.py", "pair_of"): lambda pair: f"a `Pair` of {pair.n_units} units, with a gain of {pair.gain:+.3g}",
    ("significance/auto.py", "default_test"): lambda test: (
        f"the test `{type(test).__name__}`, `{test.name}` in results"
    ),
    ("significance/t_tests.py", "InfluenceT.p_value"): lambda p: (
        f"a `PValue`: p = {p.probability:.3g}, from the {p.how}"
    ),
    ("gains/pair.py", "Pair.spread"): lambda spread: (
        f"a `Spread`: standard error {float(spread.variance) ** 0.5:.3g}, {float(spread.effective):.3g} effective units"
    ),
    ("reports/__init__.py", "documents_of"): lambda documents: (
        f"a `Document` of {len(documents[0].blocks)} blocks: sentences, facts, a table, a figure"
    ),
    ("reports/text.py", "documents_to_text"): lambda text: f"the text of the report, {text.count(chr(10))} lines",
}

ABOUT = """
Methods and properties count as functions. Functions that run while a module is imported do not count. Neither do
comprehensions, lambdas and generated methods. The depth is the largest number of functions that run at once.
`python docs/walk.py --list` prints them all.
"""


@dataclass
class Walk:
    """What a comparison enters: names of functions by file, each in the order of first calls.

    Attributes
    ----------
    files : dict from str to list of str
    n_functions, depth : int
    matter : list of [file, name, what it returns]
    """

    files: dict[str, list[str]]
    n_functions: int
    depth: int
    matter: list[list[str]]

    @property
    def counts(self) -> list[int]:
        return [self.n_functions, len(self.files), self.depth]


class Tracer:
    """A profiler that notes the functions of the package."""

    def __init__(self) -> None:
        found = find_spec("outscore")
        assert found is not None
        assert found.origin is not None
        self.root = os.path.dirname(found.origin) + os.sep  # noqa: PTH120 - as frames have it
        self.seen: dict[tuple[str, str], None] = {}
        self.handed: dict[tuple[str, str], str] = {}
        self.depth = 0

    def __call__(self, frame: FrameType, event: str, value: Any) -> None:
        code = frame.f_code
        if event not in ("call", "return") or not self._is_function(frame):
            return
        key = code.co_filename.removeprefix(self.root).replace(os.sep, "/"), code.co_qualname.replace("<locals>.", "")
        if event == "return":
            if key in MATTER and key in self.seen and key not in self.handed:
                sys.setprofile(None)  # what is said of a value calls functions, too
                self.handed[key] = MATTER[key](value)
                sys.setprofile(self)
            return
        level, above = 1, frame.f_back
        while above is not None:
            if above.f_code.co_filename.startswith(self.root):
                if above.f_code.co_name == "<module>":
                    return
                level += self._is_function(above)
            above = above.f_back
        self.depth = max(self.depth, level)
        self.seen.setdefault(key)

    def _is_function(self, frame: FrameType) -> bool:
        code = frame.f_code
        return code.co_filename.startswith(self.root) and not code.co_name.startswith("<")

    def walk(self) -> Walk:
        files: dict[str, list[str]] = {}
        for file, name in self.seen:
            files.setdefault(file, []).append(name)
        matter = [[*key, handed] for key in self.seen if (handed := self.handed.get(key)) is not None]
        return Walk(files, len(self.seen), self.depth, matter)


def traced(comparison: str) -> Walk:
    """Carry out a comparison in this process, and return what it enters."""
    os.sched_getaffinity = lambda pid: {0}  # on any machine: with several cores, scoring in processes is considered
    gc.disable()
    tracer = Tracer()
    if comparison.startswith("outscore "):
        from outscore.cli import main

        sys.setprofile(tracer)
        try:
            main(comparison.split()[1:])
        except SystemExit as end:
            sys.setprofile(None)
            if end.code:
                raise
    else:
        import outscore

        asked = compile(comparison, "<comparison>", "eval")
        sys.setprofile(tracer)
        eval(asked, {"outscore": outscore})
    sys.setprofile(None)
    return tracer.walk()


def walk_of(comparison: str) -> Walk:
    """Return what a comparison enters in a process of its own, in which nothing was computed before."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("OUTSCORE")}
    environment |= {"COLUMNS": "80", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, str(Path(__file__).resolve()), "--trace", comparison]
    folder = ROOT / COMPARISONS[comparison]
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False)
    if run.returncode:
        raise SystemExit(run.stderr)
    return Walk(**json.loads(run.stdout.splitlines()[-1]))


def page_of(walks: dict[str, Walk]) -> str:
    """Return the page, with the part that this script writes."""
    lines = ["These are the main functions, in the order of their first calls:", ""]
    for place, (file, name, handed) in enumerate(walks[next(iter(walks))].matter, start=1):
        lines.append(f"{place}. `{name}` in `{file}` returns {handed}.")
    lines += ["", "A comparison enters so many functions:", ""]
    lines += ["| comparison | functions | files | depth |", "|---|---:|---:|---:|"]
    for comparison, walk in walks.items():
        lines.append(f"| `{comparison}` | {' | '.join(map(str, walk.counts))} |")
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    return before + BEGIN + "\n".join(lines) + "\n" + ABOUT + END + rest.partition(END)[2]


def counts_on(page: str) -> dict[str, list[int]]:
    """Return the counts of functions, files and depth that a page has, by comparison."""
    rows = re.findall(r"^\| `(outscore.*)` \| (\d+) \| (\d+) \| (\d+) \|$", page, re.MULTILINE)
    return {comparison: [int(count) for count in counts] for comparison, *counts in rows}


def grown(walks: dict[str, Walk], page: str) -> Iterable[str]:
    """Yield the comparisons that enter more functions or files than a page says, or deeper ones, a line each."""
    for comparison, before in counts_on(page).items():
        counts = walks[comparison].counts if comparison in walks else before
        if any(now > then for now, then in zip(counts, before, strict=True)):
            yield f"{comparison}: functions, files and depth were {before}, and are {counts}"


def main() -> int:
    """Check the page, or write it."""
    if sys.argv[1:2] == ["--trace"]:
        print("\n" + json.dumps(asdict(traced(sys.argv[2]))))
        return 0
    if "--list" in sys.argv:
        for file, names in walk_of(next(iter(COMPARISONS))).files.items():
            print(f"{file}: {', '.join(names)}")
        return 0
    walks = {comparison: walk_of(comparison) for comparison in COMPARISONS}
    before = PAGE.read_text(encoding="utf-8")
    more, after = [*grown(walks, before)], page_of(walks)
    if "--write" in sys.argv and (not more or "--more" in sys.argv):
        PAGE.write_text(after, encoding="utf-8")
        return 0
    if more:
        print("\n".join(more), "Enter fewer functions, or allow it with --write --more.", sep="\n")
    elif after != before:
        print(f"{PAGE.relative_to(ROOT)} is not what this script writes: python docs/walk.py --write")
    return int(after != before)


if __name__ == "__main__":
    sys.exit(main())
