"""Folders of runs with their records, and the leaderboard file of their systems."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from outscore.errors import DataError, OptionError, Problem
from outscore.options import opt
from outscore.readers.boards import read_toml
from outscore.results.record import encode
from outscore.text.naming import printable, quoted
from outscore.wings.replication.results import FinishedRun, Recipe

LOG = "log.txt"
_RECORD = "run.json"
_PART, _REPLACED = ".part", ".replaced"
_PATIENCE = 0.5  # seconds: a process that has just been ended may hold its lock a moment longer
BOARD = "board.toml"
_SYSTEMS = "systems"
_HEAD = "# Written by outscore replicate. Keys and systems that it did not write are kept on rewriting.\n"


@dataclass(frozen=True)
class RunFolder:
    """A run's folder under its three names.

    A run works in NAME.part. The folder is renamed at the end, so a folder NAME is always a finished run;
    NAME.failed keeps the log of a failed one. A repeated run replaces the finished one at its end; for that moment
    the old one is NAME.replaced.
    """

    directory: Path
    name: str

    @property
    def finished(self) -> Path:
        return self.directory / self.name

    @property
    def part(self) -> Path:
        return self.directory / f"{self.name}{_PART}"

    @property
    def failed(self) -> Path:
        return self.directory / f"{self.name}.failed"

    @property
    def replaced(self) -> Path:
        return self.directory / f"{self.name}{_REPLACED}"

    @property
    def is_there(self) -> bool:
        """Whether NAME.part is a folder: a trainer may have removed or replaced it."""
        return self.part.is_dir() and not self.part.is_symlink()

    def begin(self) -> None:
        """Create an empty NAME.part, removing an unfinished run."""
        _remove(self.part)
        self.part.mkdir(parents=True)

    def finish(self, record: FinishedRun) -> None:
        """Write the record and take the final name, replacing an earlier run."""
        # Words of a command need not be valid Unicode: other bytes are escaped and restored.
        text = json.dumps(encode(record), indent=1) + "\n"
        (self.part / _RECORD).write_text(text, encoding="ascii", newline="\n")
        if self.finished.exists():
            self.finished.rename(self.replaced)
        self.part.rename(self.finished)
        self.settle()
        _remove(self.failed)

    def fail(self) -> None:
        """Keep the folder as NAME.failed; the trainer may have removed it."""
        _remove(self.failed)
        if not self.is_there:
            _remove(self.part)
            self.part.mkdir(parents=True)
            (self.part / LOG).write_text("The trainer removed its folder, and the log in it.\n", encoding="ascii")
        self.part.rename(self.failed)

    def settle(self) -> None:
        """Remove the replaced run, or restore its name if an interruption left no other."""
        if not self.replaced.exists():
            return
        if self.finished.exists():
            shutil.rmtree(self.replaced)
        else:
            self.replaced.rename(self.finished)


def _remove(path: Path) -> None:
    """Remove a folder, or a file in its place; targets of links are kept."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def settle(directory: Path, family: str) -> None:
    """Clean up after an interruption; only one call works on a family, and it begins with this."""
    name_of_run = re.compile(rf"{re.escape(family)}-(\d+\.\d+|\d+(\.\d+)?e-\d+)-\d{{2,}}")
    replaced = [path.parent.name.removesuffix(_REPLACED) for path in directory.glob(f"*{_REPLACED}/{_RECORD}")]
    begun = [path.name.removesuffix(_PART) for path in directory.glob(f"*{_PART}")]
    for name in (*replaced, *begun):
        if name_of_run.fullmatch(name):
            folder = RunFolder(directory, name)
            folder.settle()
            _remove(folder.part)


def records_in(directory: Path) -> dict[str, FinishedRun]:
    """Return the records of all finished runs in `directory`, by name."""
    records: dict[str, FinishedRun] = {}
    for path in sorted(directory.glob(f"*/{_RECORD}")):
        name = path.parent.name
        if name.endswith((_PART, ".failed", _REPLACED)):
            continue
        try:
            # Records of earlier versions are UTF-8 without escapes.
            content = json.loads(path.read_text(encoding="utf-8", errors="surrogateescape"))
            if content.pop("schema") != FinishedRun.schema:
                continue
            record = FinishedRun(**{**content, "recipe": Recipe(**content["recipe"])})
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            what = "expected the record of a run, got something else"
            advice = "Delete its folder to repeat the run."
            raise DataError(Problem(printable(str(path)), what, advice, "bad-record")) from None
        records[name] = record
    return records


def refuse_other_recipes(records: Sequence[FinishedRun], recipe: Recipe, directory: str, *, redo: bool) -> None:
    """Refuse to add to systems with other settings."""
    for record in records:
        difference = _difference(record.recipe, recipe)
        if difference:
            advice = (
                f"{opt('redo')} does not cover {printable(record.name)}: include it in the call, delete its "
                f"folder, or pass another {opt('family')}."
                if redo
                else f"Pass another {opt('family')} or {opt('out')}, or {opt('redo')} to repeat its runs."
            )
            what = f"holds runs of the family {quoted(record.family)} with {difference}"
            raise OptionError(Problem(printable(directory), what, advice, "other-recipe"))


def _difference(old: Recipe, new: Recipe) -> str:
    if list(old.command) != list(new.command):
        pairs = zip_longest(map(quoted, old.command), map(quoted, new.command), fillvalue="nothing")
        before, after = next(pair for pair in pairs if pair[0] != pair[1])
        return f"another command: {before} instead of {after}"
    # New and missing files are accepted, as the trainer itself may write them.
    for name in sorted({*old.files} & {*new.files}):
        if old.files[name] != new.files[name]:
            return f"another content of the file {printable(name)}"
    if list(old.train) != list(new.train):
        return "another training set"
    if list(old.units) != list(new.units) or list(old.headers) != list(new.headers):
        return f"items that were {' and '.join(old.units)}, with {max(old.headers)} lines of header"
    if old.seed != new.seed:
        return f"the seed {old.seed}, not {new.seed}"
    if old.suffix != new.suffix:
        return f"outputs named {quoted(f'out{old.suffix}')}"
    return ""


@contextmanager
def sole_use(directory: Path, family: str) -> Iterator[Sequence[int]]:
    """Keep a second call from working on the same family at the same time.

    The operating system releases the lock when the process and all heirs of the handle have ended. So a trainer
    that outlives its call keeps the lock; it would write into later runs. On Windows there is no lock.

    Yields the handles for trainers to inherit.
    """
    if sys.platform == "win32":
        yield ()
        return
    import fcntl

    handle = os.open(directory / f".{family}.lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        last = time.monotonic() + _PATIENCE
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() < last:
                    time.sleep(_PATIENCE / 10)
                    continue
                what = f"another call, or a trainer that it left running, is making runs of the family {quoted(family)}"
                advice = f"Wait for it, end it, or pass another {opt('family')}."
                raise OptionError(Problem(printable(str(directory)), what, advice, "in-use")) from None
        yield (handle,)
        # All trainers have ended; background processes that they left must not keep the lock.
        fcntl.flock(handle, fcntl.LOCK_UN)
    finally:
        os.close(handle)


@dataclass(frozen=True)
class BoardHead:
    """The content of a leaderboard file besides its systems; empty values keep those of the file."""

    references: Sequence[str] = ()
    metrics: Sequence[str] = ()


def write_board(directory: Path, records: Iterable[FinishedRun], head: BoardHead) -> tuple[Path, list[str]] | None:
    """Write ``board.toml`` with every system in `records`, each family together, larger training sets first.

    Return the leaderboard file, and the family of every system; None, without a file, if there is no system.
    """
    import tomli_w

    board = read_board(directory)
    path = directory / BOARD
    ours = [
        {"name": record.name, "file": f"{record.name}/{record.output}", "family": record.family}
        for record in sorted(records, key=lambda r: (r.family, -r.n_items, r.replicate))
    ]
    systems = [*_others(board), *ours]
    if not systems:
        path.unlink(missing_ok=True)
        return None
    if head.references:
        board["references"] = [_seen_from(directory, reference) for reference in head.references]
    if head.metrics:
        board["metrics"] = list(head.metrics)
    board.pop(_SYSTEMS, None)
    board[_SYSTEMS] = systems
    part = path.with_name(f".{BOARD}.part")
    part.write_text(_HEAD + tomli_w.dumps(board), encoding="utf-8", newline="\n")
    part.replace(path)
    return path, [str(system.get("family", "")) for system in systems]


def read_board(directory: Path) -> dict[str, Any]:
    """Return the leaderboard file in `directory`; may be empty."""
    path = directory / BOARD
    if not path.exists():
        return {}
    board = read_toml(str(path), "Repair it, or delete it.")
    systems = board.get(_SYSTEMS, [])
    if not (isinstance(systems, list) and all(isinstance(system, dict) for system in systems)):
        what = f"expected [[{_SYSTEMS}]] tables, got something else"
        raise DataError(Problem(printable(str(path)), what, "Repair it, or delete it.", "bad-board"))
    return board


def _others(board: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the systems that the user has added: all outside of folders of runs."""
    return [system for system in board.get(_SYSTEMS, []) if not _is_run(system)]


def _is_run(system: dict[str, Any]) -> bool:
    folder, _, file = str(system.get("file", "")).partition("/")
    return folder == system.get("name") and file.startswith("out.")


def _seen_from(directory: Path, file: str) -> str:
    try:
        return Path(os.path.relpath(file, directory)).as_posix()
    except ValueError:  # on another drive
        return Path(file).resolve().as_posix()
