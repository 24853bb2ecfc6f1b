"""Human and metric scores from files: long tables, tables of items and systems, and JSON Lines of WMT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from pathlib import Path, PurePath

import numpy as np

from outscore._types import FloatArray
from outscore.data.rows import is_none
from outscore.design.registry import crossed_factors
from outscore.errors import DataError, OptionError, Problem
from outscore.options import leave_out, opt
from outscore.readers.base import Conventions, Table, normal_name
from outscore.readers.files import is_readable, split_spec
from outscore.readers.registry import InputFiles
from outscore.readers.tabular.cells import in_words, is_missing, mostly_numbers, number_in, numbers_in, text_in
from outscore.readers.tabular.columns import column_called, describes_items, id_column_of, ids_of, named_column
from outscore.readers.tabular.formats import JsonLines
from outscore.readers.tabular.human import scores_by_system
from outscore.readers.tabular.labels import labels_beside
from outscore.readers.tabular.tables import ColumnRoles, label_texts, system_column_of
from outscore.text.naming import distinguished, in_roles, listed, printable, quoted
from outscore.text.numbers import format_counted
from outscore.wings.metaeval.judgements import Judgements, with_chosen
from outscore.wings.metaeval.reading.mt_metrics_eval import are_segment_scores, read_segment_scores
from outscore.wings.metaeval.reading.sources import Key, Source, check_length, in_two_documents, joined

_JSON_LINES = JsonLines()


@dataclass(frozen=True)
class MetaReading:
    """How to read scores."""

    # The column of clusters, or FILE:COLUMN of another table, or "none". By default documents, if they are known.
    documents: str | None = None
    test_sets: str | None = None  # the column of language pairs or tasks
    id_column: str | None = None  # the column of items
    records: str | None = None  # the dotted path of the records in JSON documents
    as_labels: bool = False  # whether scores are labels
    systems: tuple[str, ...] = ()  # the systems to compare; all if empty

    def refuse_columns(self, why: str) -> None:
        """Raise OptionError if columns are named for scores without such columns."""
        for option in ("test_sets", "id_column", "records"):
            if getattr(self, option) is not None:
                raise OptionError(Problem(opt(option), why, leave_out(), "not-a-table"))


def read_judgements(specs: Sequence[str], reading: MetaReading) -> list[Judgements]:
    """Return the judgements of each language pair or task, from the arguments of the command line.

    It raises an OptionError without a metric or for options that do not apply, and errors of reading files.
    """
    if len(specs) < 2 and not (specs and split_spec(specs[0])[1]):
        what = f"expected human scores and at least one metric, got {format_counted(len(specs), 'file')}"
        raise OptionError(Problem("SCORES", what, "Name both: HUMAN METRIC.", "no-metric"))
    if Path(specs[0]).is_dir():
        what = "expected a file of human scores, got a folder"
        raise OptionError(Problem(printable(specs[0]), what, "Name one of its files.", "not-a-file"))
    if are_segment_scores(specs[0]):
        reading.refuse_columns("applies only to tables")
        judgements, named = read_segment_scores(specs, reading.systems), False
    else:
        tables = _Tables(specs, reading)
        judgements, named = tables.judgements(), tables.has_clusters
    judgements = with_chosen(judgements, reading.systems)
    if is_none(reading.documents):
        return [replace(data, documents=None) for data in judgements]
    if reading.documents is None or named:
        return judgements
    return [replace(data, documents=_labels(data, reading.documents)) for data in judgements]


def _labels(data: Judgements, spec: str) -> tuple[str, ...]:
    """Return the label of each item in another file."""
    if not is_readable(split_spec(spec)[0]):
        what = "neither a column of the scores nor a file"
        raise DataError(Problem(opt("clusters", printable(spec)), what, "", "wrong-cluster"))
    labels = labels_beside(spec, None, item_ids=data.items, files=InputFiles())
    if labels.item_ids is None:
        check_length(printable(spec), "one label per item", len(labels.labels), len(data.items))
        return tuple(labels.labels)
    label_of = dict(zip(labels.item_ids, labels.labels, strict=True))
    return tuple(label_of.get(item, "") for item in data.items)


@dataclass(frozen=True, eq=False)
class _Scores:
    """A table of scores: a row per item and system, or per item with a column per system."""

    table: Table
    reading: MetaReading
    is_long: bool  # a column of scores is named

    @cached_property
    def system(self) -> str | None:
        """The column of systems."""
        return system_column_of(self.table, ColumnRoles())

    @property
    def is_wide(self) -> bool:
        """Whether columns are systems."""
        return self.system is None and not self.is_long

    @cached_property
    def test_set(self) -> str | None:
        """The column of language pairs or tasks."""
        if self.reading.test_sets is not None:
            return named_column(self.table, self.reading.test_sets)
        return None if self.table.conventions is None else self.table.conventions.task

    @cached_property
    def document(self) -> str | None:
        """The column of documents: the first that is called document, doc_id or similar."""
        names = self.table.columns
        return next((name for name in names if normal_name(name).startswith("doc") and describes_items(name)), None)

    @cached_property
    def clusters(self) -> str | None:
        """The column of clusters that the user named, or of documents."""
        named = self.reading.documents
        return self.document if named is None or is_none(named) else column_called(self.table, named)

    @cached_property
    def beside(self) -> list[str]:
        """The columns in which rows with one item id may differ, such as systems and raters."""
        usual = [name for factor in crossed_factors() for name in factor.columns]
        raters = [column_called(self.table, name) for name in usual]
        return [name for name in (self.system, self.test_set, self.document, *raters) if name is not None]

    @cached_property
    def item(self) -> str:
        """The column of items. Rows of several raters share one."""
        column = id_column_of(self.table, self.reading.id_column, beside=self.beside)
        if column is None and self.document is not None:
            column = self.document  # one output per document
        if column is None:
            what = "expected a column of items, got none"
            raise DataError(Problem(printable(self.table.source), what, f"Pass {opt('id_column')}.", "no-ids"))
        return column

    def names(self, column: str | None, *, gaps: bool = False) -> Sequence[str]:
        """Return the names in a column, or "" without a column. Empty cells are a DataError unless gaps are allowed."""
        if column is None:
            return [""] * len(self.table)
        return [text_in(cell) or "" for cell in self.table.columns[column]] if gaps else label_texts(self.table, column)

    @cached_property
    def keys(self) -> list[Key]:
        """The item of each row, with its document."""
        items = ids_of(self.table, self.item)
        documents = self.names(None if self.document == self.item else self.document, gaps=True)
        return [Key(*parts) for parts in zip(self.names(self.test_set), items, documents, strict=True)]

    @property
    def several_sets(self) -> bool:
        """Whether items are of several language pairs or tasks."""
        return len({key.test_set for key in self.keys}) > 1

    @property
    def repeats_across_documents(self) -> bool:
        """Whether items of several documents have the same id."""
        keys = {key for key in self.keys if key.document}
        return len(keys) > len({key[:2] for key in keys})

    @property
    def score_columns(self) -> list[str]:
        """The columns that may be scores."""
        taken = {self.item, self.clusters, *self.beside}
        return [
            name
            for name, cells in self.table.columns.items()
            if name not in taken and not describes_items(name) and (self.reading.as_labels or mostly_numbers(cells))
        ]

    def numbers(self, column: str, codes: Mapping[str, float] | None) -> FloatArray:
        """Return the scores in a column, or the codes of its labels. Empty cells are NaN.

        Raises
        ------
        DataError
            Cells that are not numbers.
        """
        cells = self.table.columns[column]
        if codes is not None:
            return np.array([np.nan if is_missing(cell) else codes[text_in(cell) or ""] for cell in cells])
        values = numbers_in(cells)[0]
        problems = [
            Problem(
                self.table.place(row),
                f"field {quoted(column)}: expected a number, got {in_words(cells[row])}",
                "Correct the line. Leave the cell empty if there is no score.",
                "not-a-number",
            )
            for row in np.flatnonzero(~np.isfinite(values)).tolist()
            if not is_missing(cells[row])
        ]
        if problems:
            raise DataError(*problems)
        return values

    def source(
        self, column: str, name: str, codes: Mapping[str, float] | None, *, by_document: bool, by_set: bool
    ) -> Source:
        """Return the scores of a column, or of all systems if columns are systems."""
        where = printable(self.table.source)
        for needed, column_named, called in ((by_document, self.document, "document"), (by_set, self.test_set, "task")):
            if needed and column_named is None:
                what = f"expected a column of {called}s, because ids of items repeat across {called}s in another table"
                raise DataError(Problem(where, what, f"Add a column called {called}.", f"no-{called}s"))
        row_keys = [
            key._replace(document=key.document * by_document, test_set=key.test_set * by_set) for key in self.keys
        ]
        documents = self._documents(row_keys)
        keys = list(dict.fromkeys(row_keys))
        columns = self.score_columns if self.is_wide else [column]
        numbers = np.concatenate([self.numbers(column, codes) for column in columns])
        names = np.repeat(columns, len(row_keys)).tolist() if self.is_wide else self.names(self.system)
        systems = list(dict.fromkeys(names))
        rows_of, columns_of = ({name: index for index, name in enumerate(names)} for names in (systems, keys))
        at = [rows_of[name] for name in names], [columns_of[key] for key in row_keys] * len(columns)
        there = np.isfinite(numbers)
        sums, counts = np.zeros((2, len(systems), len(keys)))
        np.add.at(sums, at, np.where(there, numbers, 0.0))
        np.add.at(counts, at, there)
        repeated = int((counts > 1).sum())
        if repeated and (self.is_wide or codes is not None):
            item = quoted(str(keys[int(np.argwhere(counts > 1)[0][1])]))
            what = f"{item} has several {'labels' if codes else 'rows'}"
            raise DataError(Problem(where, what, "Give each item one.", "duplicate-id"))
        with np.errstate(invalid="ignore"):
            values = sums / np.where(counts > 0, counts, np.nan)
        return Source(name, where, systems, keys, values, documents, repeated)

    def _documents(self, keys: Sequence[Key]) -> dict[Key, str]:
        documents: dict[Key, str] = {}
        if self.clusters is not None:
            for key, label in zip(keys, self.names(self.clusters, gaps=True), strict=True):
                if label and documents.setdefault(key, label) != label:
                    raise in_two_documents(printable(self.table.source), str(key), documents[key], label)
        return documents


class _Tables:
    """The tables of human scores and metrics, and the columns that are meant."""

    def __init__(self, specs: Sequence[str], reading: MetaReading) -> None:
        files, self.reading = InputFiles(reading.records), reading
        parts = [split_spec(spec) for spec in specs]
        named = {path for path, column in parts if column is not None}
        self.tables = {path: _Scores(_table(path, files, reading), reading, path in named) for path, _ in parts}
        named_columns = [
            (path, named_column(self.tables[path].table, name)) for path, name in parts if name is not None
        ]
        chosen: list[tuple[str, str]] = []
        for path, column in parts:
            table = self.tables[path]
            if column is not None:
                columns = [named_column(table.table, column)]
            else:
                columns = (
                    [""]
                    if table.is_wide
                    else [column for column in table.score_columns if (path, column) not in named_columns]
                )
            if not columns or (not chosen and len(columns) > 1):
                expected = "columns of scores" if chosen else "one column of human scores"
                what = f"expected {expected}, got {listed(columns) or 'none'}"
                raise DataError(Problem(printable(path), what, "Name it as FILE:COLUMN.", "which-column"))
            chosen += [(path, column) for column in columns]
        if len(chosen) == 1:  # all other columns of the same table
            (path, human) = chosen[0]
            chosen += [(path, column) for column in self.tables[path].score_columns if column != human]
        if len(chosen) == 1:
            what = "expected a column of scores of a metric, got none"
            raise OptionError(Problem(printable(path), what, "Name it as FILE:COLUMN.", "no-metric"))
        self.chosen = chosen
        self.notes = files.notes

    @property
    def has_clusters(self) -> bool:
        """Whether a table has the column of clusters."""
        return any(table.clusters is not None for table in self.tables.values())

    def judgements(self) -> list[Judgements]:
        """Return the judgements of each test set."""
        by_document = any(table.repeats_across_documents for table in self.tables.values())
        by_set = self.reading.test_sets is not None or any(table.several_sets for table in self.tables.values())
        codes = self._codes() if self.reading.as_labels else None
        path, column = self.chosen[0]
        human_table = self.tables[path]
        roles = {
            "human": column or None,
            "item": human_table.item,
            "system": human_table.system,
            "document": human_table.document,
        }
        conventions = (table.table.conventions for table in self.tables.values())
        notes = [
            *self.notes,
            *in_roles(roles),
            *(note for convention in conventions if convention is not None for note in convention.notes),
        ]
        human, *metrics = (
            self.tables[path].source(column, name, codes, by_document=by_document, by_set=by_set)
            for (path, column), name in zip(self.chosen, ["human", *_titles(self.chosen)], strict=True)
        )
        return joined(human, metrics, labels=tuple(codes or ()), notes=notes)

    def _codes(self) -> dict[str, float] | None:
        """Return the numbers of labels; None if all labels are numbers themselves."""
        cells = [
            cell
            for path, column in self.chosen
            for column_name in ([column] if column else self.tables[path].score_columns)
            for cell in self.tables[path].table.columns[column_name]
            if not is_missing(cell)
        ]
        if all(number_in(cell) is not None for cell in cells):
            return None
        return {text: float(code) for code, text in enumerate(sorted({text_in(cell) or "" for cell in cells}))}


def _table(path: str, files: InputFiles, reading: MetaReading) -> Table:
    """Return the table in a file; a long one of JSON Lines with an object ``scores`` of systems."""
    if PurePath(path).suffix in JsonLines.extensions:
        records = files.file(path).table(_JSON_LINES)
        if any(isinstance(cell, Mapping) for cell in records.columns.get("scores", ())):
            reading.refuse_columns("does not apply to JSON Lines with scores by system")
            return _flat(records)
    table = files.file(path).table()
    if table.bare:
        what = "expected a table with a column of items, got one value per line"
        raise DataError(Problem(printable(path), what, "", "no-ids"))
    return _unfolded(table)


def _unfolded(table: Table) -> Table:
    """Return a table with a column COLUMN.KEY for each score in nested annotations, as SummEval has; means of lists."""
    columns, means = dict[str, Sequence[object]](), dict[str, None]()
    for column, cells in table.columns.items():
        first = next((cell for cell in cells if cell), None)
        inner = first[0] if isinstance(first, list) else first
        keys = [key for key, cell in inner.items() if number_in(cell) is not None] if isinstance(inner, Mapping) else []
        columns |= {f"{column}.{key}": [_mean_of(cell, key) for cell in cells] for key in keys}
        columns |= {} if keys else {column: cells}
        means |= {column: None} if keys and isinstance(first, list) else {}
    if columns.keys() == table.columns.keys():
        return table
    note = f"Annotations of an output are averaged: {listed(list(means))}."
    return replace(table, columns=columns, conventions=Conventions(notes=(note,) if means else ()))


def _mean_of(cell: object, key: str) -> float | None:
    """Return the mean of the numbers with this key in a mapping or a list of mappings; None without any."""
    several = cell if isinstance(cell, list) else [cell]
    converted = [number_in(entry.get(key)) for entry in several if isinstance(entry, Mapping)]
    numbers = [number for number in converted if number is not None]
    return sum(numbers) / len(numbers) if numbers else None


def _flat(records: Table) -> Table:
    """Return one row per segment and system, with a column for each name of scores."""
    rows = list(scores_by_system(records))
    names = list(dict.fromkeys(name for row in rows for name in row.scores))
    if not names:
        what = 'expected scores as "scores": {"SYSTEM": {"NAME": ...}}, got none'
        raise DataError(Problem(printable(records.source), what, "Check that this is the right file.", "no-ratings"))
    columns: dict[str, list[object]] = {
        "system": [row.system for row in rows],
        "item": [row.item for row in rows],
        "document": [row.document for row in rows],
        "task": [row.task for row in rows],
    }
    kept = {name: cells for name, cells in columns.items() if any(cells)}
    kept |= {name: [row.scores.get(name) for row in rows] for name in names}
    lines = records.lines or range(len(records))
    conventions = Conventions(task="task" if "task" in kept else None)
    return Table(records.source, kept, [lines[row.place] for row in rows], conventions=conventions)


def _titles(chosen: Sequence[tuple[str, str]]) -> list[str]:
    """Return the names of metrics: their columns, or where these are equal, what differs in the names of files."""
    stems = [PurePath(path).name.split(".")[:-1] or [path] for path, _ in chosen]
    firsts = zip(*(stem[:-1] for stem in stems), strict=False)
    shared = sum(1 for _ in takewhile(lambda parts: len(set(parts)) == 1, firsts))
    parts = [
        (*PurePath(path).parts[:-1], ".".join(stem[shared:]), *([column] if column else []))
        for (path, column), stem in zip(chosen, stems, strict=True)
    ]
    return [printable(title) for title in distinguished(parts[1:])]
