"""Tables of many rows that a script sorts, searches and turns the pages of."""

from __future__ import annotations

from collections.abc import Iterable

from outscore.reports.html.elements import Content, Element, tag
from outscore.reports.html.page import boxed

__all__ = ["explorer", "search"]


def explorer(
    said: str,
    columns: Iterable[tuple[str, str]],
    *,
    source: str,
    size: int,
    tools: Content,
    class_: str = "",
    table_class: str | None = None,
) -> Element:
    """Return the frame of a table, which is hidden until a script fills it.

    Parameters
    ----------
    said : str
        What the table is called by a screen reader.
    columns : iterable of (str, str)
        Their headings, and "text" or "number".
    source : str
        The id of its `data_block`.
    size : int
        Rows on a page.
    tools : Content
        What stands above it, such as `search`.
    class_ : str
        What a script knows it by, where it needs more than an explorer does.
    table_class : str, optional
    """
    head = [
        tag("th", tag("button", title, type="button"), scope="col", class_=kind, aria_sort="none")
        for title, kind in columns
    ]
    return tag(
        "div",
        tag("div", tools, class_="tools"),
        tag("p", role="status", class_="count"),
        boxed(said, tag("table", tag("thead", tag("tr", head)), class_=table_class)),
        tag("div", class_="pager"),
        class_=f"explorer {class_}".rstrip(),
        hidden=True,
        data_source=source,
        data_size=size,
    )


def search(identifier: str, placeholder: str) -> Element:
    """Return a field for words that rows must hold."""
    field = tag("input", type="search", id=identifier, placeholder=placeholder)
    return tag("label", "Search ", field)
