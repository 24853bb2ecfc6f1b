"""Logs of OpenCompass, made by hand as its code writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outscore.errors import DataError
from tests.kit import RunDesign
from tests.logs.kit import Log, LogFile, checked, log_formats
from tests.logs.reading import logs_in

NAME = "OpenCompass"


def write(folder: Path, content: object, text: str | None = None) -> Path:
    path = folder / "results" / "my-model" / "gsm8k.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=4) if text is None else text)
    return path


def only(path: Path) -> Log:
    (log,) = logs_in(path, NAME)
    return log


def detail(correct: object, **more: Any) -> dict[str, Any]:
    """Return a question as `format_details` has it."""
    texts = {"prompt": "Q", "origin_prediction": "A", "predictions": "4", "references": "5"}
    return texts | {"correct": correct} | more


def test_details_by_number_and_an_accuracy_in_per_cent(tmp_path: Path) -> None:
    details = {"type": "GEN", "0": detail(True), "1": detail(False), "2": detail(True)}
    log = only(write(tmp_path, {"accuracy": 200 / 3, "details": details}))
    assert (log.system, log.task) == ("my-model", "gsm8k")
    assert log.item_ids == ["0", "1", "2"]
    assert checked(log, log.metrics[0])[2]
    assert log.runs is None
    texts = log_formats()[NAME].texts(log, ["1"])["1"]
    assert (texts.input, texts.target, texts.answer) == ("Q", "5", "4")


def test_replicas_are_samples(tmp_path: Path) -> None:
    details = [
        {"example_abbr": f"_{i}", "pred": ["1", "2"], "answer": ["1", "1"], "correct": [True, i == 0]} for i in range(3)
    ]
    log = only(write(tmp_path, {"accuracy (2 runs average)": 400 / 6, "G-Pass@2_1.0": 33.3, "details": details}))
    assert log.item_ids == ["_0", "_0", "_1", "_1", "_2", "_2"]
    assert log.runs == ["0", "1"] * 3
    assert log.runs_are is RunDesign.SAMPLES
    assert checked(log, log.metrics[0])[2]


def test_details_without_a_verdict_are_unscored(tmp_path: Path) -> None:
    log = only(
        write(tmp_path, {"accuracy": 50, "details": [{"is_correct": True}, {"pred": "a"}, {"is_correct": "yes"}]})
    )
    np.testing.assert_array_equal(log.metrics[0].scores, [1, np.nan, np.nan])


@pytest.mark.parametrize(
    "text",
    [
        '{"details": [{"correct": true}',
        '{"details": [3, {"correct": true}]}',
        '{"accuracy": 3, "details": {"a": "correct", "b": 3, "correct": null}}',
        '{"details": {"0": {"correct": true, "pred": ' + "[" * 100_000 + "}}}",
    ],
)
def test_hostile_results_are_one_error(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, None, text)
    with pytest.raises(DataError) as error:
        only(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "text",
    ['{"accuracy": 50}', '[{"details": {"correct": 1}}]', '{"details": [], "accuracy": 1}', '{"id": 1, "score": 2}'],
)
def test_what_is_no_log_of_it(tmp_path: Path, text: str) -> None:
    assert not log_formats()[NAME].recognizes(LogFile(write(tmp_path, None, text)))
