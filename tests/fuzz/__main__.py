"""Mutate files for as long as it is wanted: ``python -m tests.fuzz --minutes 60``."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tests.fuzz.targets import targets
from tests.fuzz.trying import Failure, tried

_AT_ONCE = 5.0  # seconds for one reader, then comes the next


def _tell(line: str) -> None:
    print(line[:1500], flush=True)  # noqa: T201


def main() -> int:
    """Try files until the time is over; print how many there were, and what went wrong with which."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--target", help="one reader only")
    parser.add_argument("--number", type=int, help="one file only, of the target")
    parser.add_argument("--out", type=Path, help="a folder for the files that went wrong")
    asked = parser.parse_args()
    chosen = [target for target in targets() if asked.target in (None, target.name)]
    counts = dict.fromkeys((target.name for target in chosen), 0)
    failures: dict[tuple[str, str], Failure] = {}
    rounds = 1 if asked.number is not None else max(1, round(asked.minutes * 60 / _AT_ONCE / len(chosen)))
    seconds = 0.0 if asked.number is not None else asked.minutes * 60 / rounds / len(chosen)
    for _ in range(rounds):
        for target in chosen:
            with tempfile.TemporaryDirectory() as folder:
                first = counts[target.name] if asked.number is None else asked.number
                for failure in tried(target, asked.seed, Path(folder), seconds, first):
                    counts[target.name] += 1
                    if failure is not None:
                        key = target.name, failure.what[-200:]
                        if key not in failures:
                            _tell(f"{target.name} --seed {failure.seed} --number {failure.number}: {failure.what}")
                        failures.setdefault(key, failure)
    for failure in failures.values():
        if asked.out is not None:
            asked.out.mkdir(parents=True, exist_ok=True)
            (asked.out / f"{failure.target}-{failure.number}-{failure.name}").write_bytes(failure.data)
    for name, count in counts.items():
        _tell(f"{count:9,}  {name}")
    _tell(f"{sum(counts.values()):9,}  files, {len(failures)} kinds of failures")
    return bool(failures)


if __name__ == "__main__":
    raise SystemExit(main())
