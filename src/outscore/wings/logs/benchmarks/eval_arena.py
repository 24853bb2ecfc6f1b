"""Logs of eval-arena: JSON Lines with the proportion of correct answers of each model to each example."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import numpy as np

from outscore.data.rows import RunDesign
from outscore.wings.logs.base import Log, LogFile, LogFormat, LogMetric, as_score, name_in, wrong_log
from outscore.wings.logs.files import keys_at, rows_in
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import SHARE

_KEYS = frozenset(("benchmark_id", "model", "example_id"))
_MOST_SAMPLES = 2**24
_WHOLE = 1e-6


class EvalArena(LogFormat):
    """Rows of benchmark, model and example, with the proportion of correct answers and their number.

    Several answers to an example are samples; the file has only the number of correct ones. Based on eval-arena's
    code; tested on files of crux-eval/eval-arena (1c869f4, 7f92b6e).
    """

    name = "eval-arena"
    suffixes = (".jsonl",)

    def recognizes(self, file: LogFile) -> bool:
        keys = keys_at(file.head).keys()
        return keys >= _KEYS and ("pass1" in keys or "correct" in keys)

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        for file in files:
            yield from _logs_in(file)


class _Row(msgspec.Struct):
    benchmark_id: Any
    model: Any
    example_id: Any
    pass1: Any = None
    count: Any = None
    correct: Any = None


def _logs_in(file: LogFile) -> Iterable[Log]:
    examples = defaultdict[tuple[str, str], RecordBuilder](RecordBuilder)
    for where, row in rows_in(file, _Row):
        item, model, task = name_in(row.example_id), name_in(row.model), name_in(row.benchmark_id)
        if not (item and model and task):
            raise wrong_log(where, "expected names as benchmark_id, model and example_id")
        count = 1.0 if row.count is None else as_score(row.count)
        share = as_score(row.pass1)
        if math.isnan(share) and count > 0:
            share = as_score(row.correct) / count
        if share < 0 or share > 1 or count < 0:
            raise wrong_log(where, f"expected a proportion of correct answers from 0 to 1, got {share:g} of {count:g}")
        examples[model, task].add(item, scores={"share": share, "count": count})
    for (model, task), records in examples.items():
        yield _log_of(file, model, task, records)


def _log_of(file: LogFile, model: str, task: str, records: RecordBuilder) -> Log:
    scores, counts = records.scores("share"), records.scores("count")
    with np.errstate(invalid="ignore", over="ignore"):
        right = scores * counts
    # If proportions correspond to whole numbers of answers, these are separate samples in any order.
    is_count = (counts == np.round(counts)) & (counts > 0)
    with np.errstate(invalid="ignore"):  # for infinities, which are not whole numbers
        whole = np.isfinite(right) & (np.abs(right - np.round(right)) < _WHOLE) & is_count
    if whole.all() and (counts > 1).any() and counts.sum() <= _MOST_SAMPLES:
        n = counts.astype(np.int64)
        examples = np.repeat(np.arange(len(n)), n)
        within = np.arange(len(examples)) - np.repeat(np.cumsum(n) - n, n)
        scores = (within < np.round(right)[examples]).astype(np.float64)
        records.items = [records.items[index] for index in examples.tolist()]
        records.runs = [str(run) for run in within.tolist()]
    metric = LogMetric(name="pass1", scores=scores, is_main=True, **SHARE)
    return records.log(file.path, model, task, [metric], runs_are=RunDesign.SAMPLES)
