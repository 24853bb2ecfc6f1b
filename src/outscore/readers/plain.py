"""Files of one value a line; those of numbers, however long, are arrays, and text only where it is asked for."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import cached_property
from io import BytesIO
from typing import overload

import numpy as np

from outscore._types import FloatArray, IntArray
from outscore.errors import DataError, Problem
from outscore.naming import printable
from outscore.readers.base import Table, TableFormat
from outscore.readers.files import BYTE_ORDER_MARK, lines_in

__all__ = ["NumberLines", "Plain", "number_table"]

# No blank among them, so that a line of two numbers is none of them.
_OF_NUMBERS = b"0123456789+-.eE\n"


class NumberLines(Sequence[str]):
    """The lines of a file, each of which is one number.

    As text they take ten times the memory, and most of the time of reading them.

    Attributes
    ----------
    numbers : ndarray, shape (n,)
        What `float` makes of the lines, to the last bit.
    """

    def __init__(self, data: bytes, numbers: FloatArray) -> None:
        self._data = data
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[str]:
        return (line.decode("ascii").rstrip("\n") for line in BytesIO(self._data))

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        start, end = self._ends[range(len(self))[index] : len(self._ends)][:2]
        return self._data[start + 1 : end].decode("ascii")

    @cached_property
    def _ends(self) -> IntArray:
        """Where lines end, with the place in front of the first of them."""
        ends = np.flatnonzero(np.frombuffer(self._data, dtype=np.uint8) == ord("\n"))
        return np.concatenate([[-1], ends, [len(self._data)]])


def number_table(data: bytes, source: str) -> Table | None:
    """Return a file in which each line is a number, in ASCII and without blanks around it; None for any other.

    Blank lines may stand at the end alone.
    """
    data = data.removeprefix(BYTE_ORDER_MARK).rstrip(b"\n\r ")
    if data[:64].translate(None, _OF_NUMBERS + b"\r"):
        return None
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if not data or data.startswith(b"\n") or b"\n\n" in data or data.translate(None, _OF_NUMBERS):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)  # which NumPy before 2.4 gives of what is no number
            numbers = np.fromstring(data, sep="\n")
    except (ValueError, DeprecationWarning):
        return None
    # A line holds at least one number, so that as many numbers as lines are one on each: not 1.5.3, nor 1-2.
    if len(numbers) != data.count(b"\n") + 1:
        return None
    return Table(source, {"": NumberLines(data, numbers)}, range(1, len(numbers) + 1), bare=True)


class Plain(TableFormat):
    """One value a line, without a header: scores, or labels. Whatever is nothing else is this."""

    name = "plain"
    names_columns = False

    def sniff(self, first_line: bytes) -> bool:
        del first_line
        return True

    def parse(self, data: bytes, source: str) -> Table:
        numbers = number_table(data, source)
        if numbers is not None:
            return numbers
        lines = lines_in(data, source)
        cells = [line.strip() for line in lines]
        blank = [
            Problem(
                f"{printable(source)}:{number}",
                "expected a value, got a blank line",
                "Write one value a line.",
                "blank-line",
            )
            for number, cell in enumerate(cells, start=1)
            if not cell
        ]
        if blank:
            raise DataError(*blank)
        return Table(source, {"": cells}, range(1, len(cells) + 1), bare=True)
