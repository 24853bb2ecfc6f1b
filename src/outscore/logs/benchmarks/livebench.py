"""Logs of LiveBench: ``ground_truth_judgment.jsonl``, a row an answer."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import numpy as np

from outscore.logs.base import Log, LogFile, LogFormat, LogMetric, as_score, name_in, wrong_log
from outscore.logs.heads import keys_at
from outscore.logs.rows import rows_in
from outscore.logs.values import filled, range_of

_KEYS = frozenset(("question_id", "task", "model", "score", "category"))
_FILE = "ground_truth_judgment.jsonl"


class LiveBench(LogFormat):
    """Judgments of LiveBench, with the models of a task in one file: a question is an item.

    A score of -1 is none, as LiveBench has it; an answer whose generation or scoring failed has 0 in the file. Made
    after LiveBench's code; tested on judgements of LiveBench/LiveBench at fc6c608.
    """

    name = "LiveBench"
    suffixes = (".jsonl",)

    def recognizes(self, file: LogFile) -> bool:
        keys = keys_at(file.head).keys()
        return keys >= _KEYS and (file.name == _FILE or "tstamp" in keys)

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        for file in files:
            yield from _logs_in(file)


class _Row(msgspec.Struct):
    question_id: Any
    task: Any
    model: Any
    score: Any = None
    category: Any = None
    subtask: Any = None
    eval_status: Any = None
    error: Any = None


class _Answers:
    """What a file says of one model on one task."""

    def __init__(self, category: str) -> None:
        self.category = category
        self.items: list[str] = []
        self.scores = array("d")
        self.subtasks: list[str] = []
        self.n_failed = 0


def _logs_in(file: LogFile) -> Iterable[Log]:
    answers: dict[tuple[str, str], _Answers] = {}
    for where, row in rows_in(file, _Row):
        item, model, task = name_in(row.question_id), name_in(row.model), name_in(row.task)
        if not (item and model and task):
            raise wrong_log(where, "expected names as question_id, model and task, got something else")
        of = answers.setdefault((model, task), _Answers(name_in(row.category)))
        score = as_score(row.score)
        of.items.append(item)
        of.scores.append(math.nan if score == -1 else score)
        of.subtasks.append(name_in(row.subtask))
        of.n_failed += bool(row.eval_status or row.error)
    for (model, task), of in answers.items():
        scores = np.array(of.scores)
        yield Log(
            path=str(file.path),
            system=model,
            task=task,
            item_ids=of.items,
            metrics=[LogMetric(name="score", scores=scores, is_main=True, **range_of(scores))],
            labels=filled({"subtask": of.subtasks}),
            groups={of.category: "macro"} if of.category and of.category != task else {},
            notes=[f"{of.n_failed:,} answers failed, and score as LiveBench has them"] if of.n_failed else [],
        )
