"""Try files, calls and circumstances for as long as it is wanted: ``python -m tests.fuzz --minutes 60``."""

from __future__ import annotations

import argparse
import csv
import re
import resource
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from outscore import __version__
from tests.fuzz.targets import Target
from tests.fuzz.trying import Trial, every_target, trials

_AT_ONCE = 5.0  # seconds for one reader, then comes the next
_MEMORY = 8 * 2**30  # what takes more is a MemoryError, and not the end of all that runs on the machine
_PAGE = Path(__file__).parents[2] / "docs" / "fuzzing.md"
_FIGURES = _PAGE.parent / "calibration" / "fuzzing.csv"
_SUMMARY = re.compile(r"(?<=<!-- tried -->\n).*?(?=<!-- /tried -->)", re.DOTALL)


@dataclass
class _Tally:
    """What came of the files of one reader."""

    target: Target
    n_tried: int = 0
    n_refused: int = 0
    slowest: float = 0.0
    failures: dict[str, Trial] = field(default_factory=dict)

    @property
    def row(self) -> tuple[str, str, str, str]:
        """Name, files, percentage of those read without an error, and seconds of the slowest."""
        read = 100 * (self.n_tried - self.n_refused) / max(self.n_tried, 1)
        return self.target.name, str(self.n_tried), f"{read:.0f}", f"{self.slowest:.1f}"

    def add(self, trial: Trial, folder: Path) -> None:
        """Count a file; the first that fails in its way is kept, with what makes it again."""
        self.n_tried += 1
        self.n_refused += trial.refused
        self.slowest = max(self.slowest, trial.seconds)
        if trial.failure is None or trial.failure[-200:] in self.failures:
            return
        self.failures[trial.failure[-200:]] = trial
        again = f"python -m tests.fuzz --reader '{trial.target}' --seed {trial.seed} --number {trial.number}"
        folder.mkdir(parents=True, exist_ok=True)
        stem = f"{trial.target}-{trial.seed}-{trial.number}"
        (folder / f"{stem}-{trial.name}").write_bytes(trial.data)
        (folder / f"{stem}.txt").write_text(f"{again}\n\n{trial.failure}\n", encoding="utf-8")
        _tell(f"{again}\n{trial.failure[:1500]}")


def _tell(line: str) -> None:
    print(line, flush=True)  # noqa: T201


def _summary(tallies: Sequence[_Tally], minutes: float, seed: int) -> str:
    """Return what was tried, in a sentence."""
    n_tried, n_failures = sum(one.n_tried for one in tallies), sum(len(one.failures) for one in tallies)
    wrong = f"{n_failures} of them handled wrongly" if n_failures else "none of them handled wrongly"
    call = f"python -m tests.fuzz --minutes {minutes:g} --seed {seed}"
    return f"`{call}`, outscore {__version__}: {n_tried:,} files of {len(tallies)} readers, {wrong}.\n"


def main() -> int:
    """Try files until the time is over; print how many there were, and what went wrong with which."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--reader", help="one reader, call-FUNCTION or environment-NAME only")
    parser.add_argument("--number", type=int, help="one file only, of the reader")
    parser.add_argument("--out", type=Path, default=Path("build/fuzz"), help="a folder for what is handled wrongly")
    parser.add_argument("--write", action="store_true", help=f"{_FIGURES.name}, and the summary in {_PAGE.name}")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    tallies = [_Tally(target) for target in every_target() if options.reader in (None, target.name)]
    if options.number is not None:
        turns, seconds = 1, 0.0
    else:
        turns = max(1, round(options.minutes * 60 / _AT_ONCE / len(tallies)))
        seconds = options.minutes * 60 / turns / len(tallies)
    for _ in range(turns):
        for tally in tallies:
            with tempfile.TemporaryDirectory() as folder:
                last = time.monotonic() + seconds
                first = tally.n_tried if options.number is None else options.number
                for trial in trials(tally.target, options.seed, Path(folder), first):
                    tally.add(trial, options.out)
                    if time.monotonic() >= last:
                        break
    for tally in tallies:
        _tell(", ".join(tally.row))
    summary = _summary(tallies, options.minutes, options.seed)
    _tell(summary)
    if options.write:
        with _FIGURES.open("w", encoding="utf-8", newline="") as file:
            header = ("reader", "files", "read_percent", "slowest_seconds")
            csv.writer(file, lineterminator="\n").writerows([header, *(tally.row for tally in tallies)])
        _PAGE.write_text(_SUMMARY.sub(lambda _: summary, _PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    return any(tally.failures for tally in tallies)


if __name__ == "__main__":
    raise SystemExit(main())
