"""Logs of eval-arena, made by hand as its README has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from outscore.errors import DataError
from tests.kit import RunDesign
from tests.logs.kit import LogFile, log_formats
from tests.logs.reading import item_means, logs_in

NAME = "eval-arena"


def row(example: str, model: str = "m", benchmark: str = "b", **more: Any) -> str:
    return json.dumps({"benchmark_id": benchmark, "model": model, "example_id": example} | more) + "\n"


def write(folder: Path, *rows: str) -> Path:
    (folder / "a.jsonl").write_text("".join(rows))
    return folder / "a.jsonl"


def test_answers_are_samples(tmp_path: Path) -> None:
    path = write(tmp_path, row("e1", pass1=0.8, correct=4, count=5), row("e2", pass1=1, correct=2, count=2))
    (log,) = logs_in(path, NAME)
    assert log.item_ids == ["e1"] * 5 + ["e2"] * 2
    assert log.runs == ["0", "1", "2", "3", "4", "0", "1"]
    assert log.runs_are is RunDesign.SAMPLES
    assert item_means(log, log.metrics[0]) == {"e1": 0.8, "e2": 1}


def test_one_answer_an_example_is_no_run(tmp_path: Path) -> None:
    logs = logs_in(
        write(tmp_path, row("e1", pass1=1, count=1), row("e2", pass1=0), row("e1", "n", correct=1, count=1)), NAME
    )
    assert [(log.system, log.runs, log.metrics[0].scores.tolist()) for log in logs] == [
        ("m", None, [1, 0]),
        ("n", None, [1]),
    ]


def test_shares_that_are_of_no_whole_number_stay_shares(tmp_path: Path) -> None:
    (log,) = logs_in(write(tmp_path, row("e1", pass1=0.3, count=2), row("e2", pass1=1, count=1e300)), NAME)
    assert log.runs is None
    assert log.metrics[0].scores.tolist() == [0.3, 1]


@pytest.mark.parametrize("more", [{"pass1": 2}, {"pass1": -1}, {"correct": 5, "count": 2}, {"pass1": 1, "count": -3}])
def test_shares_out_of_range(tmp_path: Path, more: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="expected a proportion of correct answers from 0 to 1"):
        logs_in(write(tmp_path, row("e1", pass1=1), row("e2", **more)), NAME)


@pytest.mark.parametrize("line", ["3\n", "{\n", row("")])
def test_hostile_rows_are_one_error(tmp_path: Path, line: str) -> None:
    with pytest.raises(DataError, match=r"jsonl:2: "):
        logs_in(write(tmp_path, row("e1", pass1=1), line), NAME)


def test_what_is_no_log_of_it(tmp_path: Path) -> None:
    for line in ('{"id": "q", "score": 1}', '{"benchmark_id": "b", "model": "m", "example_id": "e"}', "[1]"):
        assert not log_formats()[NAME].recognizes(LogFile(write(tmp_path, line)))
