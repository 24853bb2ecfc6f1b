"""Logs of LiveBench: ``ground_truth_judgment.jsonl``, one row per answer."""

from __future__ import annotations

import math

from outscore.wings.logs.base import as_score
from outscore.wings.logs.row_format import RowFormat


def _score(value: object) -> float:
    """Return a score; -1 means that it is missing."""
    score = as_score(value)
    return math.nan if score == -1 else score


# The models of a task are in one file. An answer with a failed generation or scoring has the score 0. Based on
# LiveBench's code; tested on judgements of LiveBench/LiveBench at fc6c608.
LIVE_BENCH = RowFormat(
    name="LiveBench",
    marks=frozenset(("question_id", "task", "model", "score", "category")),
    is_one=lambda file, keys: file.name == "ground_truth_judgment.jsonl" or "tstamp" in keys,
    item="question_id",
    system="model",
    task="task",
    scores={"score": "score"},
    score_of=_score,
    labels={"subtask": "subtask"},
    group="category",
    failed=("eval_status", "error"),
    failures="answers failed, and have the score that LiveBench gives them",
)
