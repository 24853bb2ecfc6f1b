"""What is a log of a format, and what is not: files of all kinds, tried with formats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.logs.kit import LogFile, log_formats

ROOT = Path(__file__).resolve().parents[2]


def ordinary_files() -> Iterator[Path]:
    """Yield the files of examples and of the fuzz corpus that are no logs."""
    for folder in (ROOT / "examples", ROOT / "tests" / "fuzz" / "corpus"):
        for path in sorted(folder.rglob("*")):
            logs = any(part == "logs" or part.startswith("log-") for part in path.relative_to(folder).parts)
            if path.is_file() and not logs:
                yield path


def recognized(path: Path, names: Sequence[str]) -> set[str]:
    """Return those of some formats that take a file for a log of theirs, whatever its name ends with."""
    formats = log_formats()
    return {name for name in names if formats[name].recognizes(LogFile(path))}


def files_of_sets(logs: Callable[[str], Path]) -> Iterator[Path]:
    """Yield all files of all sets of logs."""
    root = logs("swebench-verified-resolved").parent
    yield from (path for path in sorted(root.rglob("*")) if path.is_file())
