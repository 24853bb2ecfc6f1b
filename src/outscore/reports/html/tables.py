"""Tables of text on a page."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.naming import printable
from outscore.reports.documents import TextTable
from outscore.reports.html.elements import Element, tag

__all__ = ["text_table"]


def text_table(table: TextTable) -> Element:
    """Return a table as it stands."""

    def cells(line: Sequence[str], name: str, scope: str | None = None) -> list[Element]:
        return [
            tag(name, printable(cell.strip()), scope=scope, class_="number" if place in table.right else "text")
            for place, cell in enumerate(line)
        ]

    head = tag("thead", tag("tr", cells(table.headings, "th", "col")))
    body = tag("tbody", [tag("tr", cells(row, "td")) for row in table.rows])
    return tag("table", head, body, class_="said")
