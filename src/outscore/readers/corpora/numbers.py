"""Numbers to be predicted, and predictions of them."""

from __future__ import annotations

import math

from outscore.errors import DataError, Problem
from outscore.items import Corpus
from outscore.naming import printable, quoted
from outscore.readers.base import empty
from outscore.readers.cells import number_in
from outscore.readers.corpora.base import CorpusFormat

__all__ = ["Numbers"]


class Numbers(CorpusFormat[float]):
    r"""One number a line, without a header and without ids.

    Examples
    --------
    >>> Numbers().parse("0.5\n-3\n", "scores.txt").items
    [0.5, -3.0]
    """

    name = "numbers"
    item_type = float

    def sniff(self, text: str) -> bool:
        return number_in(text.lstrip(" \t\n").partition("\n")[0]) is not None

    def parse(self, text: str, source: str) -> Corpus[float]:
        cells = [line.strip(" \t") for line in text.rstrip(" \t\n").split("\n")]
        if cells == [""]:
            raise empty(source, "an empty file")
        values = [number_in(cell) for cell in cells]
        problems = [
            Problem(
                f"{printable(source)}:{number}",
                f"expected a finite number, got {quoted(cell) if cell else 'a blank line'}",
                "Write one number a line.",
                "blank-line" if not cell else "not-a-number" if value is None else "not-finite",
            )
            for number, (cell, value) in enumerate(zip(cells, values, strict=True), start=1)
            if value is None or not math.isfinite(value)
        ]
        if problems:
            raise DataError(*problems)
        return Corpus(source, [value for value in values if value is not None], range(1, len(cells) + 1))
