"""What the subcommands that take files of systems share: boards of them, and files that are no options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from outscore.errors import DataError, OptionError, Problem
from outscore.naming import printable
from outscore.readers import Tables
from outscore.readers.files import split_spec
from outscore.resampling import Progress

if TYPE_CHECKING:
    from outscore.readers.boards import Board
    from outscore.readers.inputs import Reading

__all__ = ["board_of", "refuse_options"]


def board_of(systems: Sequence[str], reading: Reading, *, jobs: int = 1, progress: Progress | None = None) -> Board:
    """Return the leaderboard of several files, or of one file of all.

    Raises
    ------
    OutscoreError
        One system alone, a board beside other files, and whatever reading boards can raise.
    """
    from outscore.readers.boards import Board, board_of_files, read_board

    if len(systems) != 1:
        _refuse_boards(systems)
        return board_of_files(systems, reading, jobs=jobs, progress=progress) if systems else Board((), ())
    path, column = split_spec(systems[0])
    if column is not None or (reading.references and not path.lower().endswith(".toml")):
        what = "expected at least two systems, got one"
        raise DataError(Problem(systems[0], what, "Name more systems, or a board.", "one-system"))
    return read_board(path, reading, Tables(), jobs=jobs, progress=progress)


def _refuse_boards(systems: Sequence[str]) -> None:
    """Refuse boards among several files: as a table of scores a board has next to no sense."""
    board = next((spec for spec in systems if spec.lower().endswith(".toml")), None)
    if board is not None:
        what = f"expected one board, or the files of several systems, got a board as one of {len(systems)} files"
        raise OptionError(Problem(printable(board), what, "Name one board alone.", "several-boards"))


def refuse_options(specs: Sequence[str], command: str, *, beside: Sequence[str] = ()) -> None:
    """Refuse systems that were meant as options; - alone is standard input, once among them and the other inputs.

    Raises
    ------
    OptionError
        An unknown option, or standard input for several files.
    """
    for spec in specs:
        if spec.startswith("-") and spec != "-" and not spec.startswith("-:"):
            advice = f"Try 'outscore {command} --help'; a file of this name is ./-NAME."
            raise OptionError(Problem(spec, "unknown option", advice, "usage"))
    if [*specs, *beside].count("-") > 1:
        what = "standard input can be only one of the files"
        raise OptionError(Problem("-", what, "Name its columns as -:COLUMN, or use files.", "usage"))
