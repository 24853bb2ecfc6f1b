"""Texts of items, each held once however often it is shown, and cut where together they would be too long."""

from __future__ import annotations

from outscore.numbers import format_count
from outscore.reports.html.elements import shown

__all__ = ["TextPool"]

MOST_BYTES = 5_000_000  # of all texts of a page together
SHORTEST = 40


class TextPool:
    """Collects the texts of a page; each gets a number.

    Parameters
    ----------
    most_bytes : int
        What all texts together may take, as long as `SHORTEST` characters of each are left.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._numbers: dict[str, int] = {}
        self._most_bytes = most_bytes
        self._longest: int | None = None

    def add(self, text: str) -> int:
        """Return the number of a text. Texts are added before any is asked for."""
        return self._numbers.setdefault(shown(text), len(self._numbers))

    @property
    def longest(self) -> int:
        """How many characters of a text are shown: as many as leave all texts together short enough."""
        if self._longest is None:
            low, high = SHORTEST, max(map(len, self._numbers), default=SHORTEST)
            if self._size(high) > self._most_bytes:
                while high - low > 1:
                    middle = (low + high) // 2
                    low, high = (middle, high) if self._size(middle) <= self._most_bytes else (low, middle)
                high = low
            self._longest = high
        return self._longest

    def _size(self, longest: int) -> int:
        return sum(len(text[:longest].encode()) for text in self._numbers)

    @property
    def is_cut(self) -> bool:
        """Whether any text is cut."""
        return any(len(text) > self.longest for text in self._numbers)

    def cut(self, text: str) -> str:
        """Return a text as it is shown, cut where it is too long, saying so."""
        text = shown(text)
        more = len(text) - self.longest
        return text if more <= 0 else f"{text[: self.longest]} … [{format_count(more)} more characters]"

    def all(self) -> list[str]:
        """Return all texts by their numbers."""
        return [self.cut(text) for text in self._numbers]
