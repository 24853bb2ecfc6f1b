"""What one item is, on the side of the outputs and on that of the references, where it is more than a line of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

__all__ = ["Corpus"]

Item = TypeVar("Item")


@dataclass(frozen=True, eq=False)
class Corpus(Generic[Item]):
    """The items of one file, outputs or references.

    Attributes
    ----------
    name : str
        As the user typed it.
    items : sequence
        In the order of the file.
    lines : sequence of int
        The line (from 1) on which each item begins.
    item_ids : tuple of str, optional
        One id an item; None where items are known by position only.
    """

    name: str
    items: Sequence[Item]
    lines: Sequence[int]
    item_ids: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self.items)
