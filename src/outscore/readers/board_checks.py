"""What makes the systems of a board comparable at all."""

from __future__ import annotations

from collections import Counter

from outscore.errors import DataError, Problem
from outscore.naming import printable, quoted
from outscore.readers.boards import Board

__all__ = ["check_board"]


def check_board(board: Board) -> None:
    """Check that there are several systems, each with a name of its own and rows of the board's metrics.

    Raises
    ------
    DataError
    """
    names = [entry.name for entry in board.entries]
    if len(names) < 2:
        what = f"expected at least two systems, got {f'one: {quoted(names[0])}' if names else 'none'}"
        raise DataError(Problem("leaderboard", what, "Name more systems, or a board.", "one-system"))
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        advice = "Give each its own name."
        told = [(f"two systems are called {quoted(name)}", advice, "duplicate-system") for name in twice]
        raise DataError(*(Problem("leaderboard", *each) for each in told))
    for place, metric in enumerate(board.metrics):
        width = len(metric.statistics)
        for entry in board.entries:
            got = entry.rows[place].values.shape[1]
            if got != width:
                what = f"expected rows of {metric.name}, which hold {width} statistics, got rows of {got}"
                advice = "Give all systems rows of one metric."
                raise DataError(Problem(printable(entry.name), what, advice, "wrong-rows"))
