"""Draws that are the same everywhere, and a file of lines."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any


class Draws:
    """Draws that no version of Python or NumPy changes: all come from `random.Random.random`."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def whole(self, below: int) -> int:
        return int(self._random() * below)

    def share(self) -> float:
        return self._random()

    def bump(self) -> float:
        """Return a number around 0 that is nearly normal."""
        return round(sum(self._random() for _ in range(12)) - 6, 3)

    def one(self, things: Sequence[Any]) -> Any:
        return things[self.whole(len(things))]


def write(path: Path | str, lines: Iterable[object]) -> None:
    Path(path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
