"""Files of one value a line."""

from __future__ import annotations

from outscore.errors import DataError, Problem
from outscore.naming import printable
from outscore.readers.base import Table, TableFormat
from outscore.readers.files import lines_in
from outscore.readers.number_lines import number_table

__all__ = ["Plain"]


class Plain(TableFormat):
    """One value a line, without a header: scores, or labels. Whatever is nothing else is this."""

    name = "plain"

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
