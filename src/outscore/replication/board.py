"""The board of all finished systems in a folder, as TOML that `outscore rank` and `outscore study` read."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outscore.errors import DataError, Problem
from outscore.naming import printable
from outscore.results.replications import FinishedRun

__all__ = ["BOARD", "BoardHead", "read_board", "write_board"]

BOARD = "board.toml"
_SYSTEMS = "systems"
_HEAD = "# Written by outscore replicate. Other keys and other systems than its own are kept when it writes again.\n"


@dataclass(frozen=True)
class BoardHead:
    """What a board says besides its systems; what is empty stays as the board has it."""

    references: Sequence[str] = ()
    metrics: Sequence[str] = ()


def write_board(directory: Path, records: Iterable[FinishedRun], head: BoardHead) -> tuple[Path, list[str]] | None:
    """Write ``board.toml`` with every system in `records`, each family together, larger training sets first.

    Return the board, and the family of every system on it; None, and no file, where there is no system.
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
    """Return the board that is in `directory`, empty where there is none."""
    path = directory / BOARD
    try:
        board = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError and TOMLDecodeError are ValueErrors
        what = f"expected TOML, got: {printable(str(error))}"
        raise DataError(Problem(printable(str(path)), what, "Repair it, or delete it.", "not-toml")) from None
    systems = board.get(_SYSTEMS, [])
    if not (isinstance(systems, list) and all(isinstance(system, dict) for system in systems)):
        what = f"expected [[{_SYSTEMS}]] tables, got something else"
        raise DataError(Problem(printable(str(path)), what, "Repair it, or delete it.", "bad-board"))
    return board


def _others(board: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the systems that the user has added: all that do not lie in a folder of a run."""
    return [system for system in board.get(_SYSTEMS, []) if not _is_run(system)]


def _is_run(system: dict[str, Any]) -> bool:
    folder, _, file = str(system.get("file", "")).partition("/")
    return folder == system.get("name") and file.startswith("out.")


def _seen_from(directory: Path, file: str) -> str:
    try:
        return Path(os.path.relpath(file, directory)).as_posix()
    except ValueError:  # on another drive
        return Path(file).resolve().as_posix()
