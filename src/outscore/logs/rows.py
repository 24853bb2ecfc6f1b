"""Rows of JSON: lines of a file, or the elements of its one array."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from typing import Any, TypeVar

import msgspec

from outscore.logs.base import LogFile, json_in

Row = TypeVar("Row")


def raw_rows(file: LogFile) -> Iterator[tuple[str, bytes]]:
    """Yield the rows of a file with where each stands: ``file:line``, or ``file[place]`` in an array.

    Raises
    ------
    FileAccessError, DataError
        A file that cannot be read, an array that is no JSON.
    """
    where = file.where
    if not file.head.lstrip().startswith(b"["):
        for number, line in file.lines():
            yield f"{where}:{number}", line
        return
    data = file.data
    try:
        rows = msgspec.json.decode(data, type=list[msgspec.Raw])
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):  # bare tokens, or no array at all
        rows = [msgspec.Raw(json.dumps(row).encode()) for row in json_in(data, where, list[Any])]
    for place, row in enumerate(rows):
        yield f"{where}[{place}]", bytes(row)


def rows_in(file: LogFile, of: Any) -> Iterator[tuple[str, Any]]:
    """Yield the rows of a file as `json_in` decodes them to a type, with where each stands."""
    for where, row in raw_rows(file):
        yield where, json_in(row, where, of)


def first_of_items(rows: Iterable[tuple[str, Row]], items: Collection[str]) -> Iterator[tuple[str, Row]]:
    """Yield the first row of each of some items; rows are read no further than to the last of them.

    Examples
    --------
    >>> list(first_of_items([("a", 1), ("b", 2), ("b", 3)], {"b", "c"}))
    [('b', 2)]
    """
    missing = set(items)
    if not missing:
        return
    for item, row in rows:
        if item in missing:
            missing.discard(item)
            yield item, row
            if not missing:
                return
