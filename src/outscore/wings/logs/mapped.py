"""Logs in any table of records, by a map of its fields, and suggested maps."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from outscore.data.coercion import described
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics.families.columns import METRICS, direction_of
from outscore.metrics.outputs import OUTPUT_METRICS, output_metric_named
from outscore.metrics.registry import metric_named
from outscore.options import opt, speaking_options
from outscore.readers.base import Cell, Table, normal_name
from outscore.readers.boards import read_toml
from outscore.readers.registry import File, InputFiles
from outscore.readers.sources import file_stem
from outscore.readers.tabular.cells import Scores, in_words, is_missing, note_on, scores_in, text_in
from outscore.readers.tabular.columns import counts_rows, describes_items, is_id
from outscore.readers.tabular.records import are_lines, records_in, splits, value_at
from outscore.readers.tabular.tables import REPEATED, SYSTEM_COLUMNS
from outscore.text.aliases import own_spec
from outscore.text.naming import nearest, printable, quoted
from outscore.wings.logs.base import Log, LogFile, LogFormat, LogMetric, name_in, wrong_log
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import ANSWERS, range_of

_DIRECTIONS = {"higher": True, "lower": False}
_UNKNOWN = "?"  # what users have to fill in; no map is used before
_FIELDS = ("item", "system", "task", "run", "records")
_TASK = "all"  # the name of the task of records without one


@dataclass(frozen=True)
class FieldMap:
    """The fields of records, as dotted paths."""

    where: str  # the file of the map, for messages
    item: str
    metrics: Mapping[str, bool]  # by field of scores, whether higher scores are better. The first is the main one.
    # system, task, run: without a system, the file names it.
    system: str | None = None
    task: str | None = None
    run: str | None = None
    records: str | None = None  # the path of the list of records
    labels: tuple[str, ...] = ()  # fields by which items may be correlated or grouped

    @classmethod
    def of(cls, given: object) -> FieldMap:
        """Return the map in a TOML file, or in a mapping with the same keys.

        Raises
        ------
        FileAccessError, DataError, OptionError
            The map cannot be read, is incomplete, or has unknown keys.
        """
        if isinstance(given, str | os.PathLike):
            path = os.fspath(given)
            return cls._checked(printable(path), read_toml(path, "Write a map of fields."))
        if not isinstance(given, Mapping):
            what = f"expected a file or a mapping, got {described(given)}"
            raise OptionError(Problem(opt("mapping"), what, "", "wrong-type"))
        return cls._checked(opt("mapping"), given)

    @classmethod
    def _checked(cls, where: str, content: Mapping[str, Any]) -> FieldMap:
        keys = (*_FIELDS, "labels", "metrics")
        for key, value in content.items():
            if key not in keys:
                raise _wrong(where, f"unknown key {quoted(str(key))}", nearest(str(key), keys), "unknown-key")
            is_text = isinstance(value, str) and bool(value.strip())
            if key in _FIELDS and (not is_text or value == _UNKNOWN):
                got = in_words(value)
                raise _wrong(f"{where}: {key}", f"expected the name of a field, got {got}", "Name it, or omit the key.")
        labels, metrics = content.get("labels", []), content.get("metrics")
        if not isinstance(labels, list | tuple) or not all(isinstance(label, str) for label in labels):
            raise _wrong(f"{where}: labels", f"expected a list of fields, got {in_words(labels)}", "")
        if "item" not in content:
            raise _wrong(where, "the key item is missing", 'Name the field of item ids: item = "id".')
        if not isinstance(metrics, Mapping) or not metrics:
            raise _wrong(where, "the table [metrics] is missing", 'Name fields of scores: score = "higher" or "lower".')
        directions = dict(_flat(metrics))
        for name, direction in directions.items():
            if direction not in (*_DIRECTIONS,):
                what = f'expected "higher" or "lower" (the better scores), got {in_words(direction)}'
                raise _wrong(f"{where}: metrics: {printable(name)}", what, "Fill it in, or remove the line.")
        fields = {key: content[key] for key in _FIELDS if key in content}
        return cls(
            where,
            metrics={name: _DIRECTIONS[direction] for name, direction in directions.items()},
            labels=tuple(labels),
            **fields,
        )


def _wrong(where: str, what: str, advice: str, slug: str = "wrong-map") -> DataError:
    return DataError(Problem(where, what, advice, slug))


def _flat(metrics: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the fields of nested tables by dotted path: TOML reads a.b = "higher" as a table."""
    for key, value in metrics.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


@dataclass(frozen=True, eq=False)
class Mapped(LogFormat):
    """Records in JSON, JSON Lines, CSV, TSV or Parquet, by a map that the user wrote."""

    name = "mapped records"
    suffixes = (".json", ".jsonl", ".ndjson", ".jsonlines", ".csv", ".tsv", ".tab", ".parquet", ".pq")

    fields: FieldMap

    def recognizes(self, file: LogFile) -> bool:
        del file
        return True

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        for file in files:
            yield from self._logs_in(file)

    def _logs_in(self, file: LogFile) -> Iterator[Log]:
        fields, inputs = self.fields, InputFiles(self.fields.records)
        table = inputs.file(str(file.path)).table()
        notes_on_file = inputs.notes
        named = {key: self._cells(table, key, getattr(fields, key)) for key in ("item", "system", "task", "run")}
        labels = {label: self._cells(table, "labels", label) for label in fields.labels}
        scores = {metric: self._scores(table, metric) for metric in fields.metrics}
        verbal = dict.fromkeys(note_on(column.words) for column in scores.values() if column.words)
        logs: dict[tuple[str, str], RecordBuilder] = {}
        otherwise = {"system": file_stem(str(file.path)), "task": _TASK, "run": ""}
        for row in range(len(table)):
            names = {key: otherwise[key] if cells is None else _name(cells[row]) for key, cells in named.items()}
            empty = next((key for key in names if named[key] is not None and not names[key]), None)
            if empty is not None:
                what = f"field {quoted(getattr(fields, empty))}: expected the name of the {empty}, got "
                raise wrong_log(table.place(row), what + in_words((named[empty] or ())[row]))
            records = logs.setdefault((names["system"], names["task"]), RecordBuilder())
            records.add(
                names["item"],
                names["run"],
                {metric: float(column.numbers[row]) for metric, column in scores.items()},
                labels={label: _name(cells[row]) for label, cells in labels.items() if cells is not None},
            )
        for (system, task), records in logs.items():
            metrics = [
                LogMetric(
                    name=metric,
                    aliases=[metric.rpartition(".")[2]],
                    scores=column,
                    higher_is_better=higher,
                    is_main=not rank,
                    **range_of(column if {*column[~np.isnan(column)].tolist()} <= {0.0, 1.0} else None),
                )
                for rank, (metric, higher) in enumerate(fields.metrics.items())
                for column in (records.scores(metric),)
            ]
            notes = [*(notes_on_file if fields.records is None else ()), *verbal]
            yield records.log(file.path, system, task, metrics, named_by_path=fields.system is None, notes=notes)

    def _scores(self, table: Table, metric: str) -> Scores:
        """Return the scores of a metric, NaN if they are missing."""
        cells = self._cells(table, "metrics", metric) or ()
        scores = scores_in(cells)
        for row in scores.lacking:
            cell = cells[row]
            if not is_missing(cell):
                what = f"field {quoted(metric)}: expected {scores.expected}, got {in_words(cell)}"
                advice = "Correct the record, or remove the metric from the map."
                raise DataError(Problem(table.place(row), what, advice, "not-a-number"))
        return scores

    def _cells(self, table: Table, key: str, path: str | None) -> Sequence[Cell] | None:
        """Return the cells of the field at a path, for a key of the map; None without a path."""
        cells = None if path is None else cells_at(table, path)
        if path is not None and (cells is None or all(map(is_missing, cells))):
            has = "has no value" if cells is not None else "not found"
            what = f"field {quoted(path)} {has} in {printable(table.source)}"
            raise _wrong(f"{self.fields.where}: {key}", what, nearest(path, fields_of(table)), "unknown-field")
        return cells


def _name(cell: Cell) -> str:
    """Return a cell as a name: truth values are labels as well."""
    return str(cell).lower() if isinstance(cell, bool) else name_in(text_in(cell))


def cells_at(table: Table, path: str) -> Sequence[Cell] | None:
    """Return the cells of a field, at the dotted path of nested ones; None if no record has it."""
    for column, rest in splits(path):
        if column in table.columns:
            cells = table.columns[column]
            inner = [_inner(cell, rest) for cell in cells] if rest else cells
            return None if rest and all(cell is None for cell in inner) else inner
    return None


def _inner(cell: Cell, path: str) -> Cell:
    try:
        return value_at(cell, path)
    except KeyError:
        return None


_DEPTH, _GLANCE = 3, 50  # keys of a nested field; records that show which fields there are


def fields_of(table: Table) -> list[str]:
    """Return the fields of a table's records, nested ones by their dotted path."""

    def inside(path: str, cells: Sequence[Cell], depth: int) -> Iterator[str]:
        objects = [cell for cell in cells if isinstance(cell, dict)]
        if not objects or depth == _DEPTH:
            yield path
        for key in dict.fromkeys(str(key) for record in objects for key in record) if depth < _DEPTH else ():
            yield from inside(f"{path}.{key}", [record.get(key) for record in objects], depth + 1)

    return [path for name, cells in table.columns.items() for path in inside(name, cells[:_GLANCE], 1)]


# Names of fields by role, besides those of tables.
_TASKS = ("task", "task_name", "dataset", "dataset_name", "benchmark", "test_set", "subset")
_GOLD = ("answer", "gold", "target", "label", "reference", "expected", "ground_truth")
_PREDICTED = ("pred", "prediction", "predicted", "predicted_answer", "model_answer", "output", "response")
_UUID = re.compile(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_LONGEST_LABEL = 60  # characters: longer texts are inputs and answers


@dataclass(eq=False)
class _Suggestion:
    """The fields of a table by their likely role."""

    table: Table
    cells: dict[str, Sequence[Cell]] = field(default_factory=dict)

    def called(self, names: Iterable[str]) -> str | None:
        """Return the field with one of some names, in their order."""
        fields = {normal_name(path.rpartition(".")[2]): path for path in reversed(self.cells)}
        return next((fields[name] for name in names if name in fields), None)

    def texts(self, path: str) -> list[str]:
        return [_name(cell) for cell in self.cells[path]]

    def names_items(self, path: str, beside: Sequence[str]) -> bool:
        """Return whether a field differs between records that other fields do not distinguish."""
        rows = [*zip(*map(self.texts, (path, *beside)), strict=True)]
        return len({*rows}) == len(rows) and all(row[0] for row in rows)

    def is_random(self, path: str) -> bool:
        """Return whether a field has universally unique ids, which differ between runs of an item."""
        return all(map(_UUID.fullmatch, self.texts(path)))

    def is_score(self, path: str) -> bool:
        cells = self.cells[path]
        numbers, lacking = scores_in(cells)[:2]
        values = numbers[~np.isnan(numbers)]
        name = path.rpartition(".")[2]
        return (
            len(values) > 0
            and all(is_missing(cells[row]) for row in lacking)
            and not (describes_items(name) or is_id(name) or name.endswith(("index", "idx")) or counts_rows(numbers))
        )

    def is_label(self, path: str) -> bool:
        texts = self.texts(path) if not ANSWERS.search(path) else []
        return 1 < len({*texts}) <= len(texts) / 2 and all(text and len(text) <= _LONGEST_LABEL for text in texts)


def suggested_map(path: str) -> str:
    """Return a map of the fields in a file, as TOML with comments on what is unsure; DataError if it has no records."""
    file = InputFiles().file(path)
    records, *others = _lists_in(file)
    file.records = records
    table = file.table()
    if table.bare:
        what = "expected records with fields, got single values"
        raise DataError(Problem(printable(path), what, "Such files need no map.", "no-records"))
    suggestion = _Suggestion(table, {name: cells for name in fields_of(table) if (cells := cells_at(table, name))})
    lines = [f"# A map of {printable(path)} for outscore. Check it, and replace each {quoted(_UNKNOWN)}.", ""]

    def write(key: str, value: str | None, comment: str = "") -> None:
        text = f"{key} = {_toml(value or _UNKNOWN)}"
        lines.append(f"{text}  # {comment}" if comment else text)

    if records is not None:
        write("records", records, f"also in the file: {', '.join(map(str, others))}" if others else "")
    system = suggestion.called(["system", *(name for name in SYSTEM_COLUMNS if name != "run")])
    run, task = suggestion.called(REPEATED), suggestion.called(_TASKS)
    beside = [name for name in (system, run, task) if name is not None]
    free = [name for name in suggestion.cells if name not in beside]
    named = [name for name in free if is_id(name.rpartition(".")[2])]
    unique = [name for name in free if suggestion.names_items(name, beside)]
    order = sorted(
        dict.fromkeys((*named, *unique)),
        key=lambda name: (suggestion.is_random(name), name not in named, name not in unique),
    )
    item = next(iter(order), None)
    scores = [name for name in free if name != item and suggestion.is_score(name)]
    repeats = "its values repeat: name the field of runs as run, or of systems as system"
    unsure = "" if item in named else "unsure: the field that identifies an item"
    write("item", item, repeats if item in named and item not in unique else unsure)
    if system is not None:
        write("system", system)
    else:
        lines.append("# system is the name of the file, as no field names it.")
    for key, name in (("task", task), ("run", run)):
        if name is not None:
            write(key, name)
    labels = [name for name in free if name not in (item, *scores) and suggestion.is_label(name)]
    if labels:
        lines.append(f"labels = [{', '.join(map(_toml, labels))}]  # possible clusters and strata")
    lines += ["", "[metrics]  # the first is the main one; remove fields that are not scores"]
    for name in sorted(scores, key=lambda name: known_direction(name) is None):
        higher = known_direction(name)
        direction = _UNKNOWN if higher is None else "higher" if higher else "lower"
        lines.append(f'{_toml(name)} = "{direction}"' + ("  # higher or lower is better?" if higher is None else ""))
    if not scores:
        lines.append(f'"{_UNKNOWN}" = "{_UNKNOWN}"  # no field looks like a score')
        gold, predicted = suggestion.called(_GOLD), suggestion.called(_PREDICTED)
        if gold and predicted:
            a = f"{printable(path)}:{gold}", f"{printable(path)}:{predicted}", f"OTHER.json:{predicted}"
            with speaking_options():
                within = [opt("records", records)] if records else []
            lines.append(f"# Predictions need no map: outscore compare -m accuracy -r {' '.join([*a, *within])}")
    return "\n".join([*lines, ""])


def _lists_in(file: File) -> list[str | None]:
    """Return the paths of the lists of records in a file, longest first; None for a file that is one itself."""
    try:
        text = file.text.strip() if file.data.lstrip().startswith(b"{") else ""
        lists = records_in(json.loads(text)) if text and not are_lines(text) else {}
    except (ValueError, RecursionError):  # reading the table says why
        lists = {}
    return [path or None for path in sorted(lists, key=lambda path: len(lists[path].rows), reverse=True)] or [None]


def known_direction(name: str) -> bool | None:
    """Return whether higher scores of the metric of this name are better; None if that is unknown.

    Examples
    --------
    >>> known_direction("scores.BLEU"), known_direction("wer"), known_direction("is_correct"), known_direction("size")
    (True, False, True, None)
    """
    name = normal_name(name.rpartition(".")[2])
    for specs, made in ((METRICS, metric_named), (OUTPUT_METRICS, output_metric_named)):
        spec = own_spec(name, specs)
        if re.split("[:@]", spec)[0] in specs and spec not in ("mean", "ratio"):
            return bool(made(spec).higher_is_better)
    return direction_of(name)


def _toml(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
