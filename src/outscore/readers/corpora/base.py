"""What a format of outputs or references is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Generic, Self, TypeVar

from outscore.items import Corpus

__all__ = ["CorpusFormat"]

Item = TypeVar("Item")


class CorpusFormat(ABC, Generic[Item]):
    """A format that holds items of one type.

    Attributes
    ----------
    name : str
        As people call it: "CoNLL-U".
    item_type : type
        Of the items: what a metric names as its `output_type` or `reference_type`.
    extensions : tuple of str
        File names that surely mean it, lower case, with the dot.
    """

    name: ClassVar[str]
    item_type: ClassVar[type]
    extensions: ClassVar[tuple[str, ...]] = ()

    def of_column(self, column: str) -> Self | None:
        """Return this format, reading the column that the user named; None where the format has no columns."""
        del column
        return None

    @abstractmethod
    def sniff(self, text: str) -> bool:
        """Say whether the text looks like this format; asked where no extension tells."""

    @abstractmethod
    def parse(self, text: str, source: str) -> Corpus[Item]:
        """Return the items of a file.

        `text` was decoded from UTF-8, and lines end in a line feed alone (split on nothing else).

        Raises
        ------
        DataError
            With source and line, all problems in one error.
        """
