"""Logs of aider's benchmark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outscore.errors import DataError
from tests.logs.reading import logs_in, metric_of


def _write(folder: Path, **result: Any) -> None:
    folder.mkdir(parents=True)
    (folder / ".aider.results.json").write_text(json.dumps(result))


def _outcome(*outcomes: Any, **more: Any) -> dict[str, Any]:
    return {
        "testcase": "x",
        "model": "gpt",
        "edit_format": "diff",
        "commit_hash": "abc",
        "tests_outcomes": outcomes,
    } | more


def test_the_folder_of_a_run_is_a_system(tmp_path: Path) -> None:
    run = tmp_path / "2024-12-21-18-41-00--gpt"
    practice = "exercises/practice"
    _write(run / "python" / practice / "zipper", **_outcome(True))
    _write(run / "go" / practice / "zipper", **_outcome(False, True))
    _write(run / "go" / practice / "bowling", **_outcome(False, False))
    _write(run / "rust" / practice / "grep", exception="Traceback")
    (log,) = logs_in(tmp_path, "aider")
    assert log.system == run.name
    scores = {name: dict(zip(log.item_ids, metric_of(log, name).scores, strict=True)) for name in ("pass_1", "pass_2")}
    assert scores["pass_1"] == {
        "go/bowling": 0,
        "go/zipper": 0,
        "python/zipper": 1,
        "rust/grep": pytest.approx(np.nan, nan_ok=True),
    }
    assert scores["pass_2"]["go/zipper"] == 1
    assert metric_of(log, "pass_2").is_main
    assert log.n_errors == 1
    assert log.labels["language"] == ["go", "go", "python", "rust"]
    assert log.facts == {"edit format": "diff", "commit": "abc"}


def test_exercises_without_languages_and_two_runs(tmp_path: Path) -> None:
    for run in ("a", "b"):
        _write(tmp_path / run / "bowling", **_outcome(run == "a"))
    read = logs_in(tmp_path, "aider")
    assert [(log.system, list(log.item_ids), log.metrics[0].scores.tolist()) for log in read] == [
        ("a", ["bowling"], [1.0]),
        ("b", ["bowling"], [0.0]),
    ]


def test_two_models_in_one_run_are_noted(tmp_path: Path) -> None:
    _write(tmp_path / "run" / "a", **_outcome(True))
    _write(tmp_path / "run" / "b", **_outcome(True, model="other"))
    (log,) = logs_in(tmp_path, "aider")
    assert list(log.notes) == ['different models in one run: "gpt", "other"']


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (_outcome("yes"), "true or false"),
        ({"testcase": "x", "tests_outcomes": 3}, "not a log of this format"),
        ({"exception": "x"}, "got only exceptions"),
    ],
)
def test_hostile_results(result: Any, message: str, tmp_path: Path) -> None:
    _write(tmp_path / "run" / "a", **result)
    with pytest.raises(DataError, match=message):
        logs_in(tmp_path, "aider")
