"""Declarative formats with one row of JSON per record: keys of the item, the system, the task and the scores."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import msgspec

from outscore.data.items import ItemTexts
from outscore.data.rows import RunDesign
from outscore.wings.logs.base import Log, LogFile, LogFormat, LogMetric, as_score, name_in, wrong_log
from outscore.wings.logs.files import Keys, first_keys, first_of_items, rows_in
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import range_of, text_in


@dataclass(frozen=True, eq=False, kw_only=True)
class RowFormat(LogFormat):
    """A format of files with one JSON object per record, as lines or as an array.

    Rows may lack scores. Each system and task in the rows is a separate log.

    Attributes
    ----------
    marks : frozenset of str
        The keys by which the first row is recognized.
    item : str
        The key of the item.
    system, task : str or callable
        A key; or a function of the file, for the system, and of the first item, for the task.
    scores : mapping from str to str
        By metric, the key of its score; the first metric is the main one. Scores from 0 to 1 are proportions.
    score_of : callable, optional
        Function from a value to a number, NaN if there is no score; ValueError with the expected value.
    is_one : callable, optional
        Further condition on a file and the keys of its first row.
    run : str, optional
        The key of the run. Without it, further rows of an item are copies, unless `repeats` is set.
    repeats : RunDesign, optional
        The kind of runs: rows of an item, in order, or runs of the key.
    labels : mapping from str to str
        By label, its key.
    group : str, optional
        The key of a group of tasks, whose score is the mean of its tasks' scores.
    failed : tuple of str, optional
        Keys that mark a failed record that still has a score; `failures` is the text of the note.
    texts_of : tuple of (str or None)
        The keys of the input, the target and the answer.
    """

    name: str
    marks: frozenset[str]
    item: str
    system: str | Callable[[LogFile], str]
    task: str | Callable[[str], str]
    scores: Mapping[str, str]
    suffixes: tuple[str, ...] = (".jsonl",)
    score_of: Callable[[object], float] = as_score
    is_one: Callable[[LogFile, Keys], bool] = lambda _file, _keys: True
    run: str | None = None
    repeats: RunDesign | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    group: str | None = None
    failed: tuple[str, ...] = ()
    failures: str = "rows failed"
    texts_of: tuple[str | None, str | None, str | None] = (None, None, None)

    @cached_property
    def _names(self) -> list[str]:
        """The keys that must name something in every row."""
        return [key for key in (self.item, self.system, self.task) if isinstance(key, str)]

    def recognizes(self, file: LogFile) -> bool:
        if not all(f'"{mark}"'.encode() in file.head for mark in self.marks):
            return False
        keys = first_keys(file.head)
        return keys.keys() >= self.marks and self.is_one(file, keys)

    def _rows(self, file: LogFile, *keys: str | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield the place of each row, and its values under some keys; nothing else is decoded."""
        wanted = [key for key in dict.fromkeys((*self._names, *keys)) if key is not None]
        names = {f"key_{number}": key for number, key in enumerate(wanted)}
        row_type = msgspec.defstruct("Row", [(name, Any, None) for name in names], rename=names)
        for where, row in rows_in(file, row_type):
            yield where, dict(zip(wanted, msgspec.structs.astuple(row), strict=True))

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        for file in files:
            yield from self._logs_in(file)

    def _logs_in(self, file: LogFile) -> Iterator[Log]:
        logs: dict[tuple[str, ...], tuple[RecordBuilder, str]] = {}
        n_failed: dict[tuple[str, ...], int] = {}
        wanted = (*self.scores.values(), *self.labels.values(), *self.failed, self.run, self.group)
        for where, row in self._rows(file, *wanted):
            item, log_key = name_in(row[self.item]), tuple(name_in(row[key]) for key in self._names[1:])
            if not (item and all(log_key)):
                raise wrong_log(where, self._expected())
            records, _ = logs.setdefault(log_key, (RecordBuilder(), name_in(row[self.group]) if self.group else ""))
            run = "" if self.run is None else name_in(row[self.run])
            if self.run is None and self.repeats is not None:
                run = str(records.time(item))
            try:
                scores = {metric: self.score_of(row[key]) for metric, key in self.scores.items()}
            except ValueError as error:
                raise wrong_log(where, str(error)) from None
            labels = {label: name_in(row[key]) for label, key in self.labels.items()}
            records.add(item, run, scores, labels=labels)
            n_failed[log_key] = n_failed.get(log_key, 0) + any(row[key] for key in self.failed)
        if not logs:
            raise wrong_log(file.where, "expected a row per record, got none", slug="empty")
        for log_key, (records, group) in logs.items():
            names = list(log_key)
            system = self.system(file) if callable(self.system) else names.pop(0)
            task = self.task(records.items[0]) if callable(self.task) else names.pop(0)
            scores_of = {metric: records.scores(metric) for metric in self.scores}
            yield records.log(
                file.path,
                system,
                task,
                [
                    LogMetric(name=metric, scores=scores, is_main=not rank, **range_of(scores))
                    for rank, (metric, scores) in enumerate(scores_of.items())
                ],
                runs_are=self.repeats,
                groups={group: "macro"} if group not in ("", task) else {},
                named_by_path=callable(self.system),
                notes=[f"{n_failed[log_key]:,} {self.failures}"] if n_failed[log_key] else [],
            )

    def _expected(self) -> str:
        *others, last = self._names
        if not others:
            return f'expected a name as "{last}"'
        return f"expected names as {', '.join(others)} and {last}"

    def texts(self, log: Log, items: Collection[str]) -> Mapping[str, ItemTexts]:
        rows = (row for _, row in self._rows(log.file, *self.texts_of))
        named_rows = ((name_in(row[self.item]), row) for row in rows if self._is_of(row, log))
        return {
            item: ItemTexts(*(None if key is None else text_in(row[key]) for key in self.texts_of))
            for item, row in first_of_items(named_rows, items if any(self.texts_of) else ())
        }

    def _is_of(self, row: Mapping[str, Any], log: Log) -> bool:
        keys = ((self.system, log.system), (self.task, log.task))
        return all(callable(key) or name_in(row[key]) == name for key, name in keys)
