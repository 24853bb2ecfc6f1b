"""Candidates whose items arrive one by one: reading them, their baseline, and counting the check."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import IO, TypeAlias

import numpy as np

from outscore.data.coercion import as_written
from outscore.design.scores import Scores
from outscore.errors import DataError, NotApplicableError, OptionError, Problem
from outscore.metrics import AnyMetric, ColumnMetric
from outscore.metrics.base import fault_of_scale
from outscore.metrics.families.columns import NamedMean
from outscore.options import opt
from outscore.questions.looks import GateRule, look_at_two
from outscore.readers.base import Cell, Table, check_width, empty
from outscore.readers.door import Request
from outscore.readers.files import BYTE_ORDER_MARK
from outscore.readers.reading import Reading, Work
from outscore.readers.sources import Source
from outscore.readers.tabular.cells import GRADES, alternatives, in_words, is_missing, score_in, text_in
from outscore.readers.tabular.columns import id_column_of, score_columns_of
from outscore.readers.tabular.formats import check_header, json_decoder, json_record, unreadable_record
from outscore.text.naming import printable, quoted
from outscore.wings.gating import stores
from outscore.wings.gating.gates import (
    check_baseline,
    commit_at_work,
    look_at,
    looking,
    merged_systems,
    on_metrics,
    one_system,
    read_like,
    refuse_stored_options,
)
from outscore.wings.gating.results import GateOutcome, GateResult
from outscore.wings.gating.sequential import SequentialGate
from outscore.wings.gating.stores import StoredLook

# Its place, its id, and its scores by the names of metrics.
StreamedItem: TypeAlias = tuple[str, str, dict[str, float]]
_LONGEST = 2**24  # bytes per line, so that memory is bounded


class StreamedItems:
    """The items of a stream, JSON lines or CSV with a header, each as soon as its line is complete.

    The stream, for example ``sys.stdin.buffer``, is read line by line, on demand. The first item determines which
    columns hold ids and scores, as for a table with only that item; each metric has one column. Names of columns ignore
    case; `score_column` needs a single metric.
    """

    def __init__(
        self,
        stream: IO[bytes],
        metrics: Sequence[AnyMetric],
        *,
        id_column: str | None = None,
        score_column: str | None = None,
        source: str = "-",
    ) -> None:
        self.source = source
        self._stream = stream
        self._columns_of = {metric.name: _column_metric(metric) for metric in metrics}
        self._id_column = id_column
        self._score_column = score_column
        self._line = 0  # the last line read
        self._words: dict[str, Mapping[str, float]] = {}  # of each metric, to which its first score belongs; or none
        if score_column is not None and len(metrics) > 1:
            what = f"one column cannot hold the scores of {len(metrics)} metrics"
            raise OptionError(
                Problem(
                    opt("score_column"), what, "Leave it out, and name the columns like the metrics.", "wrong-column"
                )
            )

    def __iter__(self) -> Iterator[StreamedItem]:
        """Yield the place, the id and the scores of each item, by the names of metrics; refuse an empty stream."""
        columns: tuple[str, dict[str, str]] | None = None
        for line, record in self._records():
            if columns is None:
                columns = self._columns_for(record, line)
            yield self._item(record, f"{printable(self.source)}:{line}", *columns)
        if columns is None:
            raise empty(self.source, "none")

    def _columns_for(self, record: dict[str, Cell], line: int) -> tuple[str, dict[str, str]]:
        """Return the column of ids, and the column of each metric's scores."""
        check_width(len(record), self.source)
        table = Table(self.source, {name: [cell] for name, cell in record.items()}, [line])
        ids = id_column_of(table, self._id_column)
        if ids is None:
            what = "the column of item ids is missing"
            raise DataError(Problem(printable(self.source), what, f"Name it id, or pass {opt('id_column')}.", "no-ids"))
        scores = {
            name: score_columns_of(table, metric, self._score_column, ids)[0]
            for name, metric in self._columns_of.items()
        }
        twice = [column for column in scores.values() if list(scores.values()).count(column) > 1]
        if twice:
            named = " and ".join(name for name, column in scores.items() if column == twice[0])
            what = f"expected a column for each of {named}, got only {quoted(twice[0])}"
            raise DataError(Problem(printable(self.source), what, "Name the columns like the metrics.", "which-column"))
        for name, column in scores.items():
            cell = record[column]
            word = cell.strip().lower() if isinstance(cell, str) else ""
            self._words[name] = next((words for words in GRADES if word in words), {})
        return ids, scores

    def _item(
        self, record: dict[str, Cell], where: str, ids: str, columns: dict[str, str]
    ) -> tuple[str, str, dict[str, float]]:
        item = text_in(record.get(ids))
        if item is None:
            what = f"field {quoted(ids)}: expected an item id, got {in_words(record.get(ids))}"
            raise DataError(Problem(where, what, "Give every item an id.", "missing-id"))
        scores = {}
        for name, column in columns.items():
            cell = record.get(column)
            words = self._words[name]
            number = score_in(cell, words)
            if number is None:
                like = ", as in the first item" if words else ""
                what = f"field {quoted(column)}: expected {alternatives(words)}{like}, got {in_words(cell)}"
                lacks = "Give an item that failed the lowest score." if is_missing(cell) else "Correct the line."
                raise DataError(Problem(where, what, lacks, "not-a-number"))
            if not math.isfinite(number):
                what = f"field {quoted(column)}: expected a finite number, got {number}"
                raise DataError(Problem(where, what, "Correct the score.", "not-finite"))
            scale = fault_of_scale(np.array([[number]]))
            values = as_written(np.array([[number]]))
            for fault in self._columns_of[name].faults(values) if scale is None else (scale,):
                raise DataError(Problem(where, f"field {quoted(column)}: {fault.what}", fault.advice, fault.slug))
            scores[name] = float(values[0, 0])
        return where, item, scores

    def _records(self) -> Iterator[tuple[int, dict[str, Cell]]]:
        """Yield each record, by the names of columns, and the number of its first line."""
        lines = self._lines()
        for first in lines:
            if first.strip():
                break
        else:
            return
        if first.lstrip().startswith(("{", "[")):
            yield from self._json_records(first, lines)
        else:
            yield from self._csv_records(first, lines)

    def _lines(self) -> Iterator[str]:
        """Yield the lines, with their line ends."""
        while raw := self._stream.readline(_LONGEST):
            self._line += 1
            where = f"{printable(self.source)}:{self._line}"
            if len(raw) == _LONGEST:
                what = f"expected a line of less than {_LONGEST // 2**20} MiB"
                raise DataError(Problem(where, what, "Write one item per line.", "too-long"))
            try:
                yield (raw.removeprefix(BYTE_ORDER_MARK) if self._line == 1 else raw).decode("utf-8")
            except UnicodeDecodeError as error:
                what = f"expected UTF-8 text, got byte 0x{error.object[error.start]:02X}"
                raise DataError(Problem(where, what, "Encode the input as UTF-8.", "not-utf8")) from None

    def _json_records(self, first: str, lines: Iterator[str]) -> Iterator[tuple[int, dict[str, Cell]]]:
        decoder = json_decoder()
        for line in chain([first], lines):
            record = json_record(line, self._line, self.source, decoder)
            if isinstance(record, Problem):
                raise DataError(record)
            if record is not None:
                yield self._line, record

    def _csv_records(self, first: str, lines: Iterator[str]) -> Iterator[tuple[int, dict[str, Cell]]]:
        source = printable(self.source)
        reader = csv.reader(chain([first], lines), strict=True)
        header: list[str] | None = None
        while True:
            start = max(self._line, 1) if header is None else self._line + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise unreadable_record(f"{source}:{start}", str(error)) from None
            if not cells:
                continue
            if header is None:
                header = [cell.strip() for cell in cells]
                check_header(header, source)
                continue
            if len(cells) != len(header):
                what = f"expected {len(header)} cells as on the first line, got {len(cells)}"
                advice = "Give every line the same number of cells; quote cells that contain commas."
                raise DataError(Problem(f"{source}:{start}", what, advice, "ragged-row"))
            yield start, dict(zip(header, cells, strict=True))


def gate_stream(gate: SequentialGate, items: Iterable[StreamedItem]) -> GateResult:
    """Return the sequential gate of a stream, which is read until the outcome is certain or it ends.

    A DataError is raised for a line that cannot be read, an unknown or duplicate item, or a score out of its range.
    """
    for where, item, scores in items:
        if gate.add(item, scores, where):
            break
    return gate.result()


def _column_metric(metric: AnyMetric) -> ColumnMetric:
    """Return the type of a metric's score column: for metrics of outputs, precomputed scores."""
    described = metric.described
    if not isinstance(described, ColumnMetric):
        return NamedMean(name=metric.name)
    if len(described.columns) != 1:
        what = f"needs one column of scores per metric, and {metric.name} has {len(described.columns)}"
        raise NotApplicableError(Problem(opt("sequential"), what, f"Leave {opt('sequential')} out.", "not-applicable"))
    return described


def baseline_scores(baseline: Source, metric: object, reading: Reading, work: Work | None = None) -> Scores:
    """Return the scores of a baseline, stored or not, without any candidate."""
    check_baseline(baseline)
    if baseline.is_store:
        refuse_stored_options(baseline.spec, reading, streamed=True)
        return _stored(stores.read_store(baseline.spec), baseline.spec, metric)
    return one_system(Request([baseline], metric or None, reading, work).systems()).paired()


def gate_streamed(
    baseline: Source,
    stream: IO[bytes],
    metric: object,
    reading: Reading,
    rule: GateRule,
    *,
    seed: int,
    commit: str | None = None,
    work: Work | None = None,
) -> GateResult:
    """Return the gate of a stream, JSON lines or CSV, which is read until the outcome is certain.

    A check against a stored baseline is counted when the first item arrives, so an interrupted check counts. Its
    scores are not averaged with other runs, as items may be missing.
    """
    commit = commit_at_work(commit)
    if not baseline.is_store:
        scores = baseline_scores(baseline, metric, reading, work)
        gate = SequentialGate(scores, rule, look_at_two(rule, commit), seed)
        return gate_stream(gate, _items(stream, scores, reading))
    with looking(baseline.spec):
        return _at_stored(baseline.spec, stream, metric, reading, rule, seed, commit)


def _at_stored(
    path: str, stream: IO[bytes], metric: object, reading: Reading, rule: GateRule, seed: int, commit: str | None
) -> GateResult:
    """Return the gate of a stream against a stored baseline; an empty stream does not count as a check."""
    refuse_stored_options(path, reading, streamed=True)
    store = stores.read_store(path)
    scores = _stored(store, path, metric)
    SequentialGate(scores, rule, look_at(store, rule, commit), seed)  # errors before anything is read
    items = iter(_items(stream, scores, read_like(store, reading)))
    first = next(items)
    with stores.locked(path):
        run, store = store.run, stores.read_store(path)
        if store.run != run:
            what = "the baseline was replaced while waiting for the first item"
            raise DataError(Problem(printable(path), what, "Run the gate again.", "other-baseline"))
        look = look_at(store, rule, commit)
        gate = SequentialGate(scores, rule, look, seed)
        entry = StoredLook(look.total, commit, "", look.level, GateOutcome.INCONCLUSIVE)
        stores.write_store(store.with_look(entry, []), path)
    result = gate_stream(gate, chain([first], items))
    with stores.locked(path):
        store = stores.read_store(path)
        # The baseline may have been replaced meanwhile.
        if len(store.looks) >= look.total and store.looks[look.total - 1] == entry:
            looks = [*store.looks]
            looks[look.total - 1] = replace(entry, outcome=result.outcome)
            stores.write_store(replace(store, looks=looks), path)
    return result


def _items(stream: IO[bytes], scores: Scores, reading: Reading) -> StreamedItems:
    return StreamedItems(stream, scores.metrics, id_column=reading.id_column, score_column=reading.score_column)


def _stored(store: stores.Store, path: str, metric: object) -> Scores:
    """Return the scores of a stored baseline."""
    sources = [Source.in_memory(system) for system in stores.stored_systems(store, path, store.runs)]
    systems = Request(sources, store.reading.get("metric"), Reading()).systems()
    return on_metrics(merged_systems(store, path, systems).paired(), metric)
