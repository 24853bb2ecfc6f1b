"""Judgments of LiveBench, made by hand as its code writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outscore.errors import DataError
from tests.logs.kit import LogFile, log_formats
from tests.logs.reading import logs_in

NAME = "LiveBench"


def row(question: str, model: str, score: object, task: str = "zebra_puzzle", **more: Any) -> str:
    base = {"question_id": question, "task": task, "model": model, "score": score, "tstamp": 1.5}
    return json.dumps(base | {"category": "reasoning"} | more) + "\n"


def write(folder: Path, *rows: str, name: str = "ground_truth_judgment.jsonl") -> Path:
    (folder / name).write_text("".join(rows))
    return folder / name


def test_models_and_tasks_of_one_file(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        row("q1", "a", 1),
        row("q2", "a", -1),
        row("q1", "b", 0.25, eval_status="eval_error"),
        row("q3", "a", 0.5, "spatial"),
    )
    logs = {(log.system, log.task): log for log in logs_in(path, NAME)}
    assert list(logs) == [("a", "zebra_puzzle"), ("b", "zebra_puzzle"), ("a", "spatial")]
    first = logs["a", "zebra_puzzle"]
    np.testing.assert_array_equal(first.metrics[0].scores, [1, np.nan])
    assert first.groups == {"reasoning": "macro"}
    assert logs["b", "zebra_puzzle"].notes == ["1 answers failed, and have the score that LiveBench gives them"]


@pytest.mark.parametrize("line", ["3\n", "{\n", row("", "a", 1), row("q", "a", 1, task="")])
def test_hostile_rows_are_one_error(tmp_path: Path, line: str) -> None:
    path = write(tmp_path, row("q1", "a", 1), line)
    with pytest.raises(DataError, match=r"jsonl:2: "):
        logs_in(path, NAME)


def test_scores_of_wrong_types_are_none(tmp_path: Path) -> None:
    (log,) = logs_in(write(tmp_path, row("q1", "a", [1]), row("q2", "a", "x"), row("q3", "a", 1)), NAME)
    np.testing.assert_array_equal(log.metrics[0].scores, [np.nan, np.nan, 1])


def test_what_is_no_log_of_it(tmp_path: Path) -> None:
    known = log_formats()[NAME]
    assert known.recognizes(LogFile(write(tmp_path, row("q1", "a", 1), name="mine.jsonl")))
    plain = {"question_id": "q", "task": "t", "model": "m", "score": 1, "category": "c"}
    assert not known.recognizes(LogFile(write(tmp_path, json.dumps(plain), name="mine.jsonl")))
    bench = {"question_id": 1, "model": "m", "judge": ["j", "s"], "score": 7, "turn": 1, "tstamp": 1.0}
    assert not known.recognizes(LogFile(write(tmp_path, json.dumps(bench), name="gpt-4_single.jsonl")))
