"""Tables of columns that scripts sort and search, each with a plain table for readers without scripts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from outscore.reports.documents import plain
from outscore.reports.documents.layouts import AnyRow, Column, table
from outscore.reports.html.blocks import filterable, stacked, table_of
from outscore.reports.html.elements import Content, Element, data_block, tag
from outscore.reports.html.page import boxed, name_of

ON_A_PAGE = 50  # rows


def column_data(columns: Sequence[Column[AnyRow]], rows: Sequence[AnyRow]) -> dict[str, Any]:
    """Return columns as a script reads them."""
    return {
        "columns": [{"title": plain(c.heading), "kind": _kind(c), "low": c.ascending} for c in columns],
        "cells": [[plain(column.cell(row)) for row in rows] for column in columns],
        "values": [None if c.value is None else [_finite(c.value(row)) for row in rows] for c in columns],
    }


def _kind(column: Column[AnyRow]) -> str:
    return "number" if column.number else "text"


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def explorer(
    label: str,
    columns: Sequence[Column[AnyRow]],
    *,
    source: str,
    tools: Content,
    size: int = ON_A_PAGE,
    class_: str = "",
    table_class: str | None = None,
) -> Element:
    """Return the frame of a table that is hidden until a script fills it.

    `said` names the table for screen readers. `source` is the id of its `data_block`. `tools` are controls above the
    table, such as `search`. `size` is the number of rows per page. A script finds it by `class_`.
    """
    head = [
        tag("th", tag("button", plain(c.heading), type="button"), scope="col", class_=_kind(c), aria_sort="none")
        for c in columns
    ]
    return tag(
        "div",
        tag("div", tools, class_="tools"),
        tag("p", role="status", class_="count"),
        boxed(label, tag("table", tag("thead", tag("tr", head)), class_=table_class)),
        tag("div", class_="pager"),
        class_=f"explorer {class_}".rstrip(),
        hidden=True,
        data_source=source,
        data_size=size,
    )


def explored(
    label: str,
    columns: Sequence[Column[AnyRow]],
    rows: Sequence[AnyRow],
    source: str,
    class_: str,
    more: Mapping[str, Any] | None = None,
) -> Iterator[Content]:
    """Yield a table of rows with names of systems, its data with `more` for a script, and the plain table."""
    tools = search(source.replace("-data", "-search"), "names of systems")
    kind = stacked([plain(column.heading) for column in columns]).lstrip()
    yield explorer(label, columns, source=source, tools=tools, class_=class_, table_class=kind or None)
    yield data_block(source, {**column_data(columns, rows), **(more or {})})
    yield tag("noscript", boxed(label, table_of(table(rows, columns))))


def search(identifier: str, placeholder: str) -> Element:
    """Return a field for words that rows must contain."""
    field = tag("input", type="search", id=identifier, placeholder=placeholder)
    return tag("label", "Search ", field)


def choice(legend: str, name: str, options: Iterable[tuple[str, str]], chosen: str, class_: str = "") -> Element:
    """Return a choice of one of some values, each with its text."""
    labels = [
        tag("label", tag("input", type="radio", name=name, value=value, checked=value == chosen), tag("span", text))
        for value, text in options
    ]
    return tag("fieldset", tag("legend", legend), labels, class_=f"choice {class_}".rstrip())


def sortable(
    columns: Sequence[Column[AnyRow]], rows: Sequence[AnyRow], cells: Mapping[str, Callable[[AnyRow], Element]]
) -> Element:
    """Return a table that a script sorts; it is sorted by its first column. `cells` writes cells of some headings."""
    head = [
        tag(
            "th",
            plain(column.heading),
            scope="col",
            class_=_kind(column),
            data_first="ascending" if column.ascending else None,
            data_sorted=None if index else "ascending",
        )
        for index, column in enumerate(columns)
    ]

    def cell(column: Column[AnyRow], row: AnyRow) -> Element:
        if column.heading in cells:
            return cells[column.heading](row)
        text = plain(column.cell(row))
        if column.value is None:
            return tag("td", name_of(text))
        data = repr(column.value(row)).replace("inf", "Infinity") if text else None
        return tag("td", text, class_="number", data_value=data)

    body = [tag("tr", [cell(column, row) for column in columns]) for row in rows]
    return tag(
        "table", tag("thead", tag("tr", head)), tag("tbody", body), class_=f"sortable systems{filterable(len(body))}"
    )
