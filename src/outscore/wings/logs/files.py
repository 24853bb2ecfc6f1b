"""Files of logs: their first keys, their rows, and the files and folders around them."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Collection, Generator, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from outscore.errors import DataError
from outscore.readers.kept.packing import PACKED_SUFFIXES
from outscore.readers.tabular.formats import unreadable_record
from outscore.text.naming import printable
from outscore.wings.logs.base import LogFile, json_in

# A string cut off at the end is also a token, so that no text is scanned twice.
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[{}\[\],]', re.DOTALL)
_SPACE = b" \t\r\n"


class Keys(dict[str, int]):
    """The keys of an object, with the positions of their values."""

    is_whole: bool = False  # whether the object ends in these bytes, so that it has no other keys

    def __init__(self, head: bytes) -> None:
        super().__init__()
        self._head = head

    def mark(self, key: str) -> str:
        """Return the first character of a key's value, a bracket or a quote; empty if the key is missing."""
        start = self.get(key, len(self._head))
        return self._head[start : start + 1].decode("ascii", "replace")


def keys_at(head: bytes, start: int = 0) -> Keys:
    """Return the keys of the object at a position; empty if no object begins there.

    Values of objects and arrays begin at their bracket. For a duplicate key, the first position is returned.

    Examples
    --------
    >>> keys = keys_at(b'{"a": [1, {"b": 2}], "c": {"d')
    >>> dict(keys), keys.mark("a"), keys.is_whole
    ({'a': 6, 'c': 26}, '[', False)
    """
    keys = Keys(head)

    def scanned() -> Iterator[tuple[str, int]]:
        keys.is_whole = yield from each_key(head, start)

    for key, value_start in scanned():
        keys.setdefault(key, value_start)
    return keys


def first_keys(head: bytes) -> Keys:
    """Return the keys of the first object of a file: of one object, of lines of them, or of an array of them.

    Examples
    --------
    >>> keys = first_keys(b'[{"id": 3, "games": [{"score": 1}]}, {"te')
    >>> sorted(keys), keys.is_whole
    (['games', 'id'], True)
    """
    return keys_at(head, first_of_array(head) or 0)


def each_key(head: bytes, start: int = 0) -> Generator[tuple[str, int], None, bool]:
    """Yield the keys of the object at a position, with the positions of their values, lazily.

    The generator returns whether the object ends in these bytes.

    Examples
    --------
    >>> next(each_key(b'{"a": 1, "b": [2, 3'))
    ('a', 6)
    """
    start = _after_space(head, start)
    if head[start : start + 1] != b"{":
        return False
    depth, expected = 0, False
    for token in _TOKEN.finditer(head, start):
        match token[0][:1]:
            case b"{" | b"[":
                depth += 1
                expected = depth == 1
            case b"}" | b"]":
                depth -= 1
                if depth <= 0:
                    return True
            case b",":
                expected = depth == 1
            case _ if depth == 1 and expected:
                expected = False
                colon = _after_space(head, token.end())
                if head[colon : colon + 1] != b":":
                    return False
                yield _text(token[0]), _after_space(head, colon + 1)
    return False


def first_of_array(head: bytes, start: int = 0) -> int | None:
    """Return the position of the first element of the array at a position; None if no array begins there.

    Examples
    --------
    >>> first_of_array(b' [ {"a": 1}'), first_of_array(b"{}")
    (3, None)
    """
    start = _after_space(head, start)
    return _after_space(head, start + 1) if head[start : start + 1] == b"[" else None


def _after_space(head: bytes, start: int) -> int:
    """Return the position of the first non-blank byte at or after a position."""
    while head[start : start + 1] and head[start] in _SPACE:
        start += 1
    return start


def _text(token: bytes) -> str:
    """Return the text of a string of JSON, empty if it is not one."""
    try:
        return msgspec.json.decode(token, type=str)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""


Row = TypeVar("Row")


def raw_rows(file: LogFile) -> Iterator[tuple[str, bytes]]:
    """Yield the rows of a file with their places: ``file:line``, or ``file[place]`` in an array.

    A file that cannot be read raises a FileAccessError, and an array that is not JSON a DataError.
    """
    where = file.where
    if not file.head.lstrip().startswith(b"["):
        for number, line in file.lines():
            yield f"{where}:{number}", line
        return
    data = file.data
    try:
        rows = msgspec.json.decode(data, type=list[msgspec.Raw])
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):  # bare tokens, or not an array
        rows = [msgspec.Raw(json.dumps(row).encode()) for row in json_in(data, where, list[Any])]
    for index, row in enumerate(rows):
        yield f"{where}[{index}]", bytes(row)


def rows_in(file: LogFile, type_: Any) -> Iterator[tuple[str, Any]]:
    """Yield the rows of a file, decoded to a type by `json_in`, with their places."""
    for where, row in raw_rows(file):
        yield where, json_in(row, where, type_)


def first_of_items(rows: Iterable[tuple[str, Row]], items: Collection[str]) -> Iterator[tuple[str, Row]]:
    """Yield the first row of each of the given items. Reading stops when all are found.

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


def beside(folder: Path, name: str) -> LogFile | None:
    """Return the file of a name in one folder, compressed or not, or None.

    The name may come from a log: names with a separator, or only of dots, are refused.
    """
    if name in ("", ".", "..") or any(mark in name for mark in "/\\\0"):
        return None
    try:
        paths = (folder / f"{name}{suffix}" for suffix in ("", *PACKED_SUFFIXES))
        return next((LogFile(path) for path in paths if path.is_file()), None)
    except OSError:  # an impossible file name
        return None


def whole_path(path: Path) -> Path:
    """Return the absolute path, without ".."; its folders may name a system; links are kept."""
    return Path(os.path.abspath(path))  # noqa: PTH100 (a link to the folder of a system has its own name)


def named_folder(folder: Path, but: Collection[str] = ()) -> Path:
    """Return a folder or its nearest parent that can name a system; some names are excluded."""
    folder = whole_path(folder)
    return next(
        (parent for parent in (folder, *folder.parents) if parent.name and parent.name.lower() not in but), folder
    )


def folder_name(folder: Path, but: Collection[str] = ()) -> str:
    """Return the name of the `named_folder`, or "".

    Examples
    --------
    >>> folder_name(Path("/runs/gpt-4/logs"), but={"logs"})
    'gpt-4'
    """
    name = named_folder(folder, but).name
    return "" if name.lower() in but else name


def path_name(file: LogFile, stem: str, but: Collection[str] = ()) -> str:
    """Return the name of a system that only the path names: part of the file's name, else that of its folder."""
    return printable(stem) or printable(folder_name(file.path.parent, but)) or "unnamed"


def csv_rows(file: LogFile, text: str | None = None) -> Iterator[tuple[str, list[str]]]:
    """Yield the records of a CSV file, or of its first bytes, with their places.

    A file that cannot be read raises a FileAccessError, and one that is not CSV a DataError.
    """
    reader = csv.reader(io.StringIO(file.data.decode(errors="replace") if text is None else text, newline=""))
    while True:
        where = f"{file.where}:{reader.line_num + 1}"
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise unreadable_record(where, str(error)) from None
        if row:
            yield where, row


def csv_header(file: LogFile) -> list[str]:
    """Return the header of a CSV file, from its first bytes; empty if there is none."""
    try:
        return next((row for _, row in csv_rows(file, file.head.decode(errors="replace"))), [])
    except DataError:
        return []
