"""Logs of HumanEval."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outscore.data.rows import RunDesign
from outscore.errors import DataError
from outscore.logs.base import Log
from outscore.logs.registry import log_formats
from tests.logs.reading import logs_in


def _read(folder: Path, *passed: tuple[Any, Any], name: str = "gpt.jsonl_results.jsonl") -> Log:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [
        {"task_id": item, "completion": f"c{k}", "result": "x", "passed": ok} for k, (item, ok) in enumerate(passed)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (log,) = logs_in(path, "HumanEval")
    return log


def test_rows_of_a_task_are_its_samples(tmp_path: Path) -> None:
    log = _read(tmp_path, ("HumanEval/0", True), ("HumanEval/1", False), ("HumanEval/0", False), ("HumanEval/1", None))
    assert (log.system, log.task) == ("gpt", "HumanEval")
    assert (log.runs, log.runs_are) == (["0", "0", "1", "1"], RunDesign.SAMPLES)
    assert np.array_equal(log.metrics[0].scores, [1, 0, 0, np.nan], equal_nan=True)
    assert log_formats()["HumanEval"].texts(log, {"HumanEval/1"})["HumanEval/1"].answer == "c1"


@pytest.mark.parametrize(
    ("name", "system"),
    [("results/codellama_7b_results.jsonl", "codellama_7b"), ("m/results/samples.jsonl_results.jsonl", "m")],
)
def test_files_called_samples_are_named_by_their_folder(name: str, system: str, tmp_path: Path) -> None:
    assert _read(tmp_path, ("HumanEval/0", True), name=name).system == system


@pytest.mark.parametrize(("item", "passed", "message"), [(None, True, "task_id"), ("a", "yes", "true or false")])
def test_hostile_rows(item: Any, passed: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message):
        _read(tmp_path, ("HumanEval/0", True), (item, passed))
