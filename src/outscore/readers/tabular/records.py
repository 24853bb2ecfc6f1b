"""JSON documents as tables: lists of records, objects by item id, objects of columns, and lists inside an object."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from outscore.errors import DataError, OptionError, Problem
from outscore.metrics.families.columns import METRICS
from outscore.options import leave_out, opt
from outscore.readers.base import normal_name
from outscore.readers.tabular.cells import grades_of
from outscore.readers.tabular.columns import SURE_SCORES, USUAL_SCORES, is_id, refuse_summaries
from outscore.text.naming import Note, listed, printable, quoted

_DEPTH = 3  # keys from the document to its records; deeper lists are usually parts of one record
_MOST_KEYS = 20  # of a path: each dot could also be part of a key
_SPACE = " \t\r\n"
_SPACES = re.compile(f"[{_SPACE}]*")
# Fields of one record or of a summary: an object with one of them does not map ids to scores.
_FIELDS = {*METRICS, *SURE_SCORES, *USUAL_SCORES, *(name for metric in METRICS.values() for name in metric.columns)}


class Records(NamedTuple):
    """The records of a document, and what are its items if its keys were read as columns without being sure."""

    rows: Sequence[object]
    transposed: str = ""


def rows_of_document(
    text: str, path: str | None, source: str, decoder: json.JSONDecoder
) -> tuple[Iterable[object], str]:
    """Return the records of a document, and a note on where they were found, if that is not obvious.

    Parameters
    ----------
    text : str
        Without surrounding white space.
    path : str, optional
        The dotted path of the records. By default, the only list of objects, at most three keys deep.
    source : str
        For messages.

    Raises
    ------
    ValueError, RecursionError
        The text is not JSON. In an array, this is raised by the iteration.
    DataError, OptionError
        There are several lists or none; the path does not lead to records.
    """
    if path is None and text.startswith("["):
        return _elements(text, decoder), ""
    where = printable(source)
    document = json.JSONDecoder(object_pairs_hook=partial(_object, where)).decode(text)
    if path is not None:
        found = {path: _named(document, path, where)}
    else:
        found = records_in(document)
        if not found and isinstance(document, dict) and all(map(_is_score, document.values())):
            refuse_summaries([*document], where)
        if not found and isinstance(document, dict) and document and ("\n" not in text or _has_fields(document)):
            found = {"": Records([document])}
    if len(found) != 1:
        raise _unclear(found, document, where)
    [(path, (rows, transposed))] = found.items()
    if transposed:
        return rows, Note(f"The keys of the JSON file were read as columns, and {transposed} as items.")
    return rows, Note(f"Records were read from {quoted(path)} in the JSON file.") if path else ""


def _object(where: str, pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object of a document. Duplicate keys are refused: neither value can be trusted."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        what = f"duplicate key {quoted(next(key for key in counts if counts[key] > 1))} in an object"
        raise DataError(Problem(where, what, "Give each key one value.", "duplicate-field"))
    return fields


def splits(path: str) -> Iterator[tuple[str, str]]:
    """Yield a dotted path as its first key and the rest, the longest key first."""
    keys = path.split(".", _MOST_KEYS)
    for length in range(len(keys), 0, -1):
        yield ".".join(keys[:length]), ".".join(keys[length:])


def value_at(value: object, path: str) -> object:
    """Return the value at a dotted path of keys and of places in lists. Keys may contain dots.

    Raises
    ------
    KeyError

    Examples
    --------
    >>> value_at({"a.b": {"c": [5, 7]}}, "a.b.c.1")
    7
    """
    for head, rest in splits(path):
        inner: object = None
        if isinstance(value, Mapping) and head in value:
            inner = value[head]
        elif isinstance(value, list) and head.isdecimal() and int(head) < len(value):
            inner = value[int(head)]
        else:
            continue
        return value_at(inner, rest) if rest else inner
    raise KeyError(path)


def records_in(document: object) -> dict[str, Records]:
    """Return what can be the records of a document, by dotted path: its whole, else lists of objects in it, else more.

    Examples
    --------
    >>> [*records_in({"q1": 1, "q2": 0})[""].rows]
    [{'id': 'q1', 'score': 1}, {'id': 'q2', 'score': 0}]
    >>> [*records_in({"run": {"items": [{"id": "q1"}]}, "errors": [{"id": "q2"}]})]
    ['run.items', 'errors']
    """
    whole = _records(document)
    if whole is not None:
        return {"": whole}
    inner = [*_inside(document)]
    lists = {path: Records(value) for path, value in inner if _are_objects(value)}
    several = ((path, _records(value)) for path, value in inner if isinstance(value, dict) and len(value) > 1)
    return lists or {path: records for path, records in several if records is not None}


def _inside(document: object, path: str = "", depth: int = 1) -> Iterator[tuple[str, Any]]:
    """Yield the values inside an object with their paths, outer ones first."""
    for key, value in document.items() if isinstance(document, dict) else ():
        yield f"{path}{key}", value
        if depth < _DEPTH:
            yield from _inside(value, f"{path}{key}.", depth + 1)


def _are_objects(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(record, dict) for record in value)


def _records(value: object) -> Records | None:
    """Return the records of a value that is one of the forms of a table, or None."""
    if isinstance(value, list):
        return Records(value) if _are_objects(value) else None
    if not isinstance(value, dict) or not value:
        return None
    cells = [*value.values()]
    columns, data = value.get("columns"), value.get("data")
    if isinstance(columns, list) and isinstance(data, list) and all(_is_row(row, len(columns)) for row in data):
        return Records([dict(zip(map(str, columns), row, strict=True)) for row in data])
    if isinstance(cells[0], list) and cells[0] and all(_is_row(column, len(cells[0])) for column in cells):
        places = "" if _has_fields(value) else "the places in their lists"
        return Records([dict(zip(value, row, strict=True)) for row in zip(*cells, strict=True)], places)
    graded = bool(grades_of(cell if isinstance(cell, str) else "" for cell in cells if cell is not None))
    scored = graded or (all(map(_is_score, cells)) and any(cell is not None for cell in cells))
    if scored and not _has_fields(value):
        return Records([{"id": key, "score": cell} for key, cell in value.items()])
    if len(cells) > 1 and all(isinstance(record, dict) and record for record in cells):
        return _by_key(value)
    return None


def _by_key(value: Mapping[str, dict[str, object]]) -> Records | None:
    """Return the records of an object of objects: one per item, or one per column as data frames write them."""
    shared = set.intersection(*map(set, value.values()))
    keys = [*dict.fromkeys(key for inner in value.values() for key in inner)]
    if 2 * len(shared) < len(keys):  # parts of a document have few keys in common
        return None
    counted = keys == [*map(str, range(len(keys)))]
    if counted or (
        len(keys) > len(value)
        and not _has_fields(dict.fromkeys(keys))
        and all(_is_score(cell) for inner in value.values() for cell in inner.values())
    ):
        rows = [{name: inner.get(key) for name, inner in value.items()} for key in keys]
        rows = rows if counted else [{"id": key, **row} for key, row in zip(keys, rows, strict=True)]
        return Records(rows, "the keys inside them")
    if _has_fields(value):
        return None
    name = "id" if not any("id" in inner for inner in value.values()) else "key"
    return Records([{name: key, **inner} for key, inner in value.items()])


def _is_score(cell: object) -> bool:
    return cell is None or isinstance(cell, bool | int | float)


def _is_row(value: object, length: int) -> bool:
    """Return whether a value is a list of this length without objects and lists."""
    return isinstance(value, list) and len(value) == length and not any(isinstance(cell, dict | list) for cell in value)


def _has_fields(value: Mapping[str, object]) -> bool:
    """Return whether a key is the usual name of an id or a score."""
    return any(normal_name(key) in _FIELDS or is_id(key) for key in value)


def _named(document: object, path: str, where: str) -> Records:
    """Return the records at the path that the user named."""
    try:
        value = value_at(document, path)
    except KeyError:
        known = [*records_in(document)]
        what, slug = f"the path {quoted(path)} is not in {where}", "unknown-path"
        advice = f"Known: {listed(known)}." if any(known) else leave_out()
        raise OptionError(Problem(opt("records"), what, advice, slug)) from None
    records = _records(value)
    if records is None and isinstance(value, list) and value:
        records = Records(value)
    if records is None:
        what = f"expected a list of records at {quoted(path)} in {where}"
        raise OptionError(Problem(opt("records"), what, "Name another path.", "no-records"))
    return records


def _unclear(found: Mapping[str, Records], document: object, where: str) -> DataError:
    """Return the error of a document with several lists of records, or none."""
    if found:
        paths = sorted(found, key=lambda path: len(found[path].rows), reverse=True)
        what = f"expected one list of records, got several: {listed(paths)}"
        return DataError(Problem(where, what, f"Choose one with {opt('records', paths[0])}.", "which-records"))
    got = f"an object with {listed([*document])}" if isinstance(document, dict) and document else "none"
    advice = 'Write [{"id": "q1", "score": 0.5}, ...], or {"q1": 0.5, ...}.'
    return DataError(Problem(where, f"expected a list of records, got {got}", advice, "no-records"))


def are_lines(text: str) -> bool:
    """Return whether a text has an object on each line, rather than one document."""
    first, _, rest = text.partition("\n")
    if not (rest and first.startswith("{")):
        return False
    try:
        return rest.lstrip(_SPACE).startswith("{") or bool(json.loads(first))
    except (ValueError, RecursionError):
        return False


def _elements(text: str, decoder: json.JSONDecoder) -> Iterator[object]:
    """Yield the elements of the array in a text one by one: all together would take several times the memory."""
    place = _after_space(text, 1)
    while not text.startswith("]", place):
        value, place = decoder.raw_decode(text, place)
        yield value
        place = _after_space(text, place)
        if text.startswith(",", place):
            place = _after_space(text, place + 1)
            if text.startswith("]", place):
                raise json.JSONDecodeError("Illegal trailing comma before end of array", text, place)
        elif not text.startswith("]", place):
            raise json.JSONDecodeError("Expecting ',' delimiter", text, place)
    if place + 1 < len(text):
        raise json.JSONDecodeError("Extra data", text, place + 1)


def _after_space(text: str, place: int) -> int:
    return _SPACES.match(text, place).end()  # type: ignore[union-attr]
