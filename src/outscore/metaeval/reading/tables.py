"""Human and metric scores from files and arrays: long tables, tables of items and systems, and JSON lines of WMT."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, TypeAlias

import numpy as np

from outscore._types import FloatArray
from outscore.errors import DataError, OptionError, Problem
from outscore.metaeval.judgements import Judgements
from outscore.metaeval.reading.mt_metrics_eval import are_segment_scores, read_segment_scores
from outscore.options import opt
from outscore.readers.base import Table
from outscore.readers.files import lines_in, read_bytes, split_spec
from outscore.readers.registry import InputFiles
from outscore.readers.tabular.cells import number_in, numbers_in, text_in
from outscore.readers.tabular.columns import column_called, describes_items, is_id, named_column
from outscore.readers.tabular.labels import read_labels
from outscore.readers.tabular.tables import ColumnRoles, system_column_of
from outscore.text.naming import distinguished, printable, quoted
from outscore.text.numbers import format_counted

_ITEMS = ("item", "segment", "item_id", "segment_id", "seg_id", "id", "seg", "sentence", "prompt_id", "index", "line")
_DOCUMENTS = ("document", "doc", "document_id", "doc_id", "docid")

Key: TypeAlias = tuple[str, str]  # the test set and the item
Cells: TypeAlias = dict[str, dict[Key, float]]  # scores by system and item


@dataclass(frozen=True)
class MetaReading:
    """How to read scores.

    Attributes
    ----------
    documents : str, optional
        The column of documents, or FILE:COLUMN of another table, or "none".
    test_sets : str, optional
        The column of language pairs or tasks.
    id_column : str, optional
        The column of items.
    as_labels : bool
        Whether scores are labels.
    """

    documents: str | None = None
    test_sets: str | None = None
    id_column: str | None = None
    as_labels: bool = False


def read_judgements(specs: Sequence[str], reading: MetaReading) -> list[Judgements]:
    """Return the judgements of each language pair or task, from the arguments of the command line.

    Raises
    ------
    OptionError
        There is no metric.
    DataError, FileAccessError
        A file cannot be read or parsed.
    """
    if len(specs) < 2 and not (specs and split_spec(specs[0])[1]):
        what = f"expected human scores and at least one metric, got {format_counted(len(specs), 'file')}"
        raise OptionError(Problem(opt("metric"), what, "Pass both: the human scores, then the metrics.", "no-metric"))
    found = read_segment_scores(specs) if are_segment_scores(specs[0]) else _from_tables(specs, reading)
    if reading.documents == "none":
        found = [replace(data, documents=None) for data in found]
    elif reading.documents is not None and any(data.documents is None for data in found):
        found = [_with_documents(data, reading.documents) for data in found]
    for data in found:
        data.check()
    return found


def _with_documents(data: Judgements, spec: str) -> Judgements:
    labels = read_labels(spec, None, item_ids=data.items)
    if labels.item_ids is None:
        if len(labels.labels) != len(data.items):
            what = f"expected one document per item ({len(data.items)}), got {len(labels.labels)}"
            raise DataError(Problem(printable(spec), what, "", "wrong-length"))
        return replace(data, documents=tuple(labels.labels))
    known = dict(zip(labels.item_ids, labels.labels, strict=True))
    missing = [item for item in data.items if item not in known]
    if missing:
        what = f"item {quoted(missing[0])} has no document"
        raise DataError(Problem(printable(spec), what, "Give every item a document.", "missing-label"))
    return replace(data, documents=tuple(known[item] for item in data.items))


@dataclass(frozen=True, eq=False)
class _Source:
    """The scores of a table, by column, system and item.

    Attributes
    ----------
    columns : mapping of str to Cells
    documents : mapping of Key to str
    repeated : int
        Number of cells with several scores, which were averaged.
    """

    columns: Mapping[str, Cells]
    documents: Mapping[Key, str]
    repeated: int = 0


def _from_tables(specs: Sequence[str], reading: MetaReading) -> list[Judgements]:
    files, codes = InputFiles(), dict[str, float]()
    places = [split_spec(spec) for spec in specs]
    sources: dict[str, _Source] = {}
    named: list[tuple[str, str, str]] = []  # name, file, column
    for path, column in places:
        wanted = {one for file, one in places if file == path and one is not None}
        if path not in sources:
            sources[path] = _read(path, wanted, reading, files, codes)
        every = sources[path].columns
        if column is not None:
            named.append((column, path, column))
        elif list(every) == [""]:
            named.append(("", path, ""))
        else:
            known = {(file, one) for _, file, one in named}
            named += [(one, path, one) for one in every if (path, one) not in known and (path, one) not in places]
    (_, human_path, human_column), *others = named
    if not others:  # all other columns of the same table
        source = _read(human_path, set(), reading, files, codes)
        human_called = next((one for one in source.columns if one == human_column), human_column)
        sources[human_path] = source
        others = [(one, human_path, one) for one in source.columns if one != human_called]
    if not others:
        what = "no column of a metric beside the human scores"
        raise OptionError(Problem(printable(human_path), what, "Pass the metric as FILE:COLUMN.", "no-metric"))
    titles = _titles(others)
    metrics = {title: sources[path].columns[column] for title, (_, path, column) in zip(titles, others, strict=True)}
    labels = tuple(codes)
    return _joined(sources[human_path], sources[human_path].columns[human_column], metrics, labels)


def _titles(named: Sequence[tuple[str, str, str]]) -> list[str]:
    """Return the names of metrics: columns, or the parts in which names of files differ."""
    columns = [printable(name) for name, _, _ in named]
    if all(columns) and len(set(columns)) == len(columns):
        return columns
    stems = [PurePath(path).name.split(".") for _, path, _ in named]
    shared = [len(set(parts)) == 1 for parts in zip(*stems, strict=False)] if len(stems) > 1 else []
    short = [
        ".".join(part for place, part in enumerate(parts[:-1]) if not (place < len(shared) and shared[place]))
        or PurePath(path).stem
        for parts, (_, path, _) in zip(stems, named, strict=True)
    ]
    if len(set(short)) < len(short):
        short = distinguished([PurePath(path).parts for _, path, _ in named])
    return [printable(column or text) for column, text in zip(columns, short, strict=True)]


def _read(path: str, wanted: set[str], reading: MetaReading, files: InputFiles, codes: dict[str, float]) -> _Source:
    """Return the scores in a file; all columns of numbers if none is wanted."""
    if PurePath(path).suffix in (".jsonl", ".ndjson") and (nested := _nested(path)) is not None:
        return nested
    table = files.read(path)
    systems = system_column_of(table, ColumnRoles())
    item = _item_column(table, reading.id_column)
    if systems is None and not wanted and item is not None and _is_wide(table, item):
        return _wide(table, item)
    return _long(table, systems, item, wanted, reading, codes)


def _item_column(table: Table, chosen: str | None) -> str | None:
    if chosen is not None:
        return named_column(table, chosen)
    called = (column_called(table, name) for name in _ITEMS)
    return next((one for one in called if one is not None), next((one for one in table.columns if is_id(one)), None))


def _is_wide(table: Table, item: str) -> bool:
    """Return whether each row is an item, so that each column is a system."""
    ids = [text_in(cell) for cell in table.columns[item]]
    return len(set(ids)) == len(ids)


def _wide(table: Table, item: str) -> _Source:
    keys: list[Key] = [("", text_in(cell) or "") for cell in table.columns[item]]
    cells: Cells = {}
    for name in table.columns:
        if name != item and not describes_items(name):
            numbers, _ = numbers_in(table.columns[name])
            cells[printable(name)] = {k: x for k, x in zip(keys, numbers.tolist(), strict=True) if np.isfinite(x)}
    return _Source({"": cells}, {})


def _long(
    table: Table,
    systems: str | None,
    item: str | None,
    wanted: set[str],
    reading: MetaReading,
    codes: dict[str, float],
) -> _Source:
    n = len(table)
    of_systems = [""] * n if systems is None else [text_in(cell) or "" for cell in table.columns[systems]]
    sets = None if reading.test_sets is None else named_column(table, reading.test_sets)
    of_sets = [""] * n if sets is None else [text_in(cell) or "" for cell in table.columns[sets]]
    document = _document_column(table, reading)
    of_documents = None if document is None else [text_in(cell) or "" for cell in table.columns[document]]
    if item is None:
        what = "no column of items found"
        raise DataError(Problem(printable(table.source), what, f"Pass it as {opt('id_column')}.", "no-ids"))
    ids = [text_in(cell) or "" for cell in table.columns[item]]
    if of_documents is not None and document != item:
        ids = [
            f"{document_id} {one}" if document_id else one for document_id, one in zip(of_documents, ids, strict=True)
        ]
    keys: list[Key] = list(zip(of_sets, ids, strict=True))
    taken = {systems, item, sets, document}
    names = wanted or {one for one in table.columns if one not in taken and not describes_items(one)}
    columns, repeated = dict[str, Cells](), 0
    for name in (one for one in [*table.columns, *sorted(names - set(table.columns))] if one in names):
        column = named_column(table, name)
        numbers = _codes(table.columns[column], codes) if reading.as_labels else numbers_in(table.columns[column])[0]
        if not wanted and not np.isfinite(numbers).any():
            continue
        cells, again = _cells(of_systems, keys, numbers)
        columns[name], repeated = cells, repeated + again
    documents = {} if of_documents is None else dict(zip(keys, of_documents, strict=True))
    return _Source(columns, documents, repeated)


def _document_column(table: Table, reading: MetaReading) -> str | None:
    if reading.documents is not None:
        return column_called(table, reading.documents)
    return next((one for name in _DOCUMENTS if (one := column_called(table, name)) is not None), None)


def _codes(cells: Sequence[object], codes: dict[str, float]) -> FloatArray:
    """Return labels as numbers, NaN if a cell is empty."""
    texts = [text_in(cell) for cell in cells]
    for text in sorted({text for text in texts if text}):
        codes.setdefault(text, float(len(codes)))
    return np.array([codes[text] if text else np.nan for text in texts])


def _cells(systems: Sequence[str], keys: Sequence[Key], numbers: FloatArray) -> tuple[Cells, int]:
    """Return mean scores by system and item, and the number of cells with several scores."""
    sums: dict[tuple[str, Key], list[float]] = {}
    for system, key, number in zip(systems, keys, numbers.tolist(), strict=True):
        if np.isfinite(number):
            sums.setdefault((system, key), []).append(number)
    cells: Cells = {}
    for (system, key), values in sums.items():
        cells.setdefault(printable(system), {})[key] = sum(values) / len(values)
    return cells, sum(len(values) > 1 for values in sums.values())


def _nested(path: str) -> _Source | None:
    """Return the scores of JSON lines with an object ``scores`` of systems, each with scores by name; or None."""
    columns: dict[str, Cells] = {}
    documents: dict[Key, str] = {}
    for number, line in enumerate(lines_in(read_bytes(path), path)):
        try:
            record = json.loads(line) if line.strip() else None
        except ValueError:
            return None
        if record is None:
            continue
        scores = record.get("scores") if isinstance(record, dict) else None
        if not isinstance(scores, dict) or not all(isinstance(of, dict) for of in scores.values()):
            return None
        item = next((str(record[name]) for name in (*_ITEMS, "i") if name in record), str(number + 1))
        key = str(record.get("langs") or record.get("language_pair") or ""), item
        document = next((str(record[name]) for name in _DOCUMENTS if name in record), None)
        if document is not None:
            documents[key] = document
        for system, of in scores.items():
            for name, score in of.items():
                value = number_in(score)
                if value is not None:
                    columns.setdefault(name, {}).setdefault(printable(system), {})[key] = value
    return _Source(columns, documents)


def _joined(source: _Source, human: Cells, metrics: Mapping[str, Cells], labels: tuple[str, ...]) -> list[Judgements]:
    """Return the judgements of each test set: systems and items of the human scores that all metrics have."""
    systems = [system for system in human if all(system in of for of in metrics.values())]
    keys = list(dict.fromkeys(key for of in (human, *metrics.values()) for scores in of.values() for key in scores))
    notes = []
    if len(systems) < len(human):
        lacking = ", ".join(system for system in human if system not in systems)
        notes.append(f"Left out systems without scores of all metrics: {lacking}.")
    if not systems:
        what = "no system has scores of people and of all metrics"
        raise DataError(Problem("metrics", what, "Check that systems have the same names in all tables.", "no-items"))
    if source.repeated:
        notes.append(f"Averaged the scores of {format_counted(source.repeated, 'translation')} with several scores.")
    found = []
    for name in dict.fromkeys(test_set for test_set, _ in keys):
        own = [key for key in keys if key[0] == name]
        of_set = [system for system in systems if any(key in human[system] for key in own)]
        documents = tuple(source.documents.get(key, "") for key in own)
        found.append(
            Judgements(
                name=name or "scores",
                systems=tuple(of_set),
                items=tuple(item for _, item in own),
                human=_matrix(human, of_set, own),
                metrics={title: _matrix(of, of_set, own) for title, of in metrics.items()},
                documents=documents if all(documents) else None,
                labels=labels,
                notes=tuple(notes),
            )
        )
    return found


def _matrix(cells: Cells, systems: Sequence[str], keys: Sequence[Key]) -> FloatArray:
    return np.array([[cells[system].get(key, np.nan) for key in keys] for system in systems])


def judgements_from(human: Any, metrics: Mapping[str, Any], documents: Sequence[object] | None = None) -> Judgements:
    """Return the judgements of arrays or data frames of items and systems.

    Raises
    ------
    OptionError
        The arrays have different shapes.
    """
    table, ids, columns = _array(human, "human")
    of_metrics = {}
    for name, scores in metrics.items():
        of_metrics[printable(str(name))] = matrix = _array(scores, str(name))[0]
        if matrix.shape != table.shape:
            what = f"expected an array of shape {table.shape}, as the human scores, got {matrix.shape}"
            raise OptionError(
                Problem(printable(str(name)), what, "Rows are items, columns are systems.", "wrong-shape")
            )
    n, s = table.shape
    names = columns or tuple(f"system {place + 1}" for place in range(s))
    if documents is not None and len(documents) != n:
        what = f"expected one document per item ({n}), got {len(documents)}"
        raise OptionError(Problem(opt("clusters"), what, "", "wrong-length"))
    data = Judgements(
        name="scores",
        systems=names,
        items=ids or tuple(str(place) for place in range(n)),
        human=table.T.copy(),
        metrics={name: matrix.T.copy() for name, matrix in of_metrics.items()},
        documents=None if documents is None else tuple(map(str, documents)),
    )
    data.check()
    return data


def _array(values: Any, name: str) -> tuple[FloatArray, tuple[str, ...], tuple[str, ...]]:
    """Return an array of items and systems, and the names of both if it is a data frame."""
    columns = getattr(values, "columns", None)
    names = () if columns is None else tuple(str(column) for column in columns)
    index = getattr(values, "index", None)
    ids = () if columns is None or index is None else tuple(str(one) for one in index)
    try:
        matrix = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        what = f"expected an array of numbers, got {type(values).__name__}"
        raise OptionError(Problem(printable(name), what, "", "wrong-type")) from None
    if matrix.ndim == 1:
        matrix = matrix[:, None]
    if matrix.ndim != 2:
        what = f"expected an array of items and systems, got {matrix.ndim} dimensions"
        raise OptionError(Problem(printable(name), what, "", "wrong-shape"))
    return matrix, ids, names
