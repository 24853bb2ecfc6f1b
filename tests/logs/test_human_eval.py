"""Logs of HumanEval."""

from __future__ import annotations

import json
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outscore
from outscore.errors import DataError
from tests.kit import RunDesign
from tests.logs.kit import Log, log_formats
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


def test_pass_at_k_takes_unequal_numbers_of_samples(tmp_path: Path) -> None:
    items = [f"HumanEval/{place}" for place in range(30)]
    old = [(item, sample < place % 5) for place, item in enumerate(items) for sample in range(5)]
    new = [(item, sample < place % 4) for place, item in enumerate(items) for sample in range(3 + 2 * (place % 2))]
    for name, passed in (("old", old), ("new", new)):
        _read(tmp_path, *passed, name=f"{name}_results.jsonl")
    files = [str(tmp_path / f"{name}_results.jsonl") for name in ("old", "new")]
    result = outscore.compare(*files, reduce="pass@3")
    expected = np.mean([1 - comb(5 - place % 5, 3) / comb(5, 3) for place in range(30)])
    n = [3 + 2 * (place % 2) for place in range(30)]
    assert result.baseline_score == pytest.approx(expected)
    assert result.candidate_score == pytest.approx(
        np.mean([1 - comb(n[place] - min(place % 4, n[place]), 3) / comb(n[place], 3) for place in range(30)])
    )
    with pytest.raises(DataError, match="unequally-missing"):
        outscore.compare(*files)
