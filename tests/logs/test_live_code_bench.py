"""Logs of LiveCodeBench."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outscore.errors import DataError
from tests.kit import RunDesign
from tests.logs.kit import Log, checked, log_formats
from tests.logs.reading import item_means, logs_in, standard_error

NAME = "LiveCodeBench"


def _read(path: Path, data: Any) -> list[Log]:
    path.write_text(json.dumps(data))
    return logs_in(path, NAME)


def _performance(question: Any, model: str, score: Any) -> dict[str, Any]:
    return {"question_id": question, "model": model, "date": 1, "difficulty": "easy", "pass@1": score}


def test_the_runner_has_a_verdict_a_sample(logs: Callable[[str], Path]) -> None:
    wanted = {
        "O1-Mini-2024-09-12 (N=1)": (0.6840909090909091, 0.015679908856262793),
        "O1-Preview-2024-09-12 (N=1)": (0.5556818181818182, 0.01675967908834906),
    }
    read = {log.system: log for log in logs_in(logs("livecodebench-evalall-o1"), NAME)}
    assert read.keys() == wanted.keys()
    for system, log in read.items():
        means = item_means(log, log.metrics[0])
        assert len(means) == 880
        assert np.mean(list(means.values())) == pytest.approx(wanted[system][0], abs=1e-12)
        assert standard_error(means) == pytest.approx(wanted[system][1], abs=1e-12)
        assert checked(log, log.metrics[0])[2]
        assert (log.runs, log.task) == (None, "LiveCodeBench codegeneration")


def test_the_site_has_per_cent(logs: Callable[[str], Path]) -> None:
    read = {log.system: log for log in logs_in(logs("livecodebench-codegen-2024_02"), NAME)}
    assert len(read) == 16
    assert len(read["Claude-Instant-1"]) == 348
    log = read["GPT-4-0613"]
    means = item_means(log, log.metrics[0])
    assert np.mean(list(means.values())) == pytest.approx(36.6189111747851, abs=1e-12)
    assert standard_error(means) == pytest.approx(2.4130813205439363, abs=1e-12)
    assert (log.metrics[0].lowest, log.metrics[0].highest, log.cluster) == (0, 100, None)
    contests = dict(zip(log.item_ids, log.labels["contest"], strict=True))
    assert contests["1873_A"] == contests["1873_B"] == "1873"


def test_rows_of_a_question_are_items_of_a_cluster(logs: Callable[[str], Path]) -> None:
    read = {log.system: log for log in logs_in(logs("livecodebench-testgen"), NAME)}
    assert len(read) == 37
    a, b = read["Claude-3-Opus"], read["GPT-4O-2024-05-13"]
    assert len(set(a.item_ids)) == 442
    assert (a.cluster, len(set(a.labels["question"]))) == ("question", 182)
    assert a.item_ids == b.item_ids
    differences = a.metrics[0].scores - b.metrics[0].scores
    assert differences.mean() == pytest.approx(-15.701357466063348, abs=1e-12)
    _, questions = np.unique(a.labels["question"], return_inverse=True)
    sums = np.bincount(questions, differences - differences.mean())
    error = math.sqrt((sums**2).sum() * 182 / 181) / 442
    assert error == pytest.approx(1.9160119067341919, abs=1e-12)


def test_samples_and_verdicts_of_tests(tmp_path: Path) -> None:
    row = {"question_id": 5, "contest_id": "c", "question_content": "q", "code_list": ["x", "y"]}
    rows = [
        row | {"graded_list": [True, [1, True]], "pass@1": 1.0},
        row | {"question_id": "6", "graded_list": [[1, -2], []]},
    ]
    folder = tmp_path / "gpt"
    folder.mkdir()
    (log,) = _read(folder / "Scenario.codegeneration_2_0.2_eval_all.json", rows)
    assert (log.system, log.runs_are, log.runs) == ("gpt", RunDesign.SAMPLES, ["0", "1", "0", "1"])
    assert np.array_equal(log.metrics[0].scores, [1, 1, 0, np.nan], equal_nan=True)
    assert log_formats()[NAME].texts(log, ["6"])["6"].answer == "x"


def test_tests_of_a_question_and_samples_of_execution_are_items(tmp_path: Path) -> None:
    rows = [{"question_id": "1", "test_id": k, "graded_list": [k == 0], "pass@1": float(k == 0)} for k in range(2)]
    (log,) = _read(tmp_path / "Scenario.testoutputprediction_1_0.2_eval_all.json", rows)
    assert (list(log.item_ids), log.cluster) == (["1#0", "1#1"], "question")
    rows = [{"question_id": "1", "id": f"sample_{k}", "graded_list": [True], "pass@1": 1.0} for k in range(2)]
    (log,) = _read(tmp_path / "Scenario.codeexecution_1_0.2_eval_all.json", rows)
    assert (list(log.item_ids), log.cluster) == (["sample_0", "sample_1"], "question")


def test_rows_that_one_model_has_twice_are_duplicates(tmp_path: Path) -> None:
    rows = [_performance(1, "A", 10), _performance(1, "A", 20), _performance(1, "B", 10)]
    first, _ = _read(tmp_path / "site.json", {"performances": rows})
    assert (list(first.item_ids), first.cluster) == (["1", "1"], None)


def _execution(sample: str, question: int, model: str, score: float, cot: float) -> dict[str, Any]:
    return {"model": model, "sample_id": sample, "question_id": question, "Pass@1": score, "date": 1, "Pass@1-COT": cot}


def test_samples_of_code_execution_are_items_of_their_question(tmp_path: Path) -> None:
    rows = [
        _execution(f"sample_{k}", 2777 + k // 2, model, 10.0 * k, 100.0 if model == "A" else -1.0)
        for model in ("A", "B")
        for k in range(4)
    ]
    a, b = _read(tmp_path / "performances_execution.json", {"performances": rows})
    assert (a.system, a.task, b.system) == ("A", "LiveCodeBench execution", "B")
    assert list(a.item_ids) == list(b.item_ids) == [f"sample_{k}" for k in range(4)]
    assert (a.cluster, list(a.labels["question"])) == ("question", ["2777", "2777", "2778", "2778"])
    assert [(one.name, one.is_main) for one in a.metrics] == [("pass@1", True), ("pass@1-COT", False)]
    assert [one.scores.tolist() for one in a.metrics] == [[0, 10, 20, 30], [100, 100, 100, 100]]
    assert [one.name for one in b.metrics] == ["pass@1"]  # -1: B was not run with a chain of thought


def test_a_score_of_minus_one_is_no_score(tmp_path: Path) -> None:
    rows = [{"question_id": k, "model": "A", "Pass@1": score} for k, score in enumerate((50.0, -1.0))]
    (log,) = _read(tmp_path / "site.json", {"performances": rows})
    assert np.array_equal(log.metrics[0].scores, [50, np.nan], equal_nan=True)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([_performance(3, "A", 10), _performance("3", "A", 20)], "one form of an id"),
        ([_performance([3], "A", 10)], "question_id"),
        ([_performance(3, "A", 101)], "percentage"),
        ([_performance(3, "A", -2)], "percentage"),
        ([_performance(3, "", 10)], "model"),
        ([_performance(3, "A", 10), 3], "not a log of this format"),
    ],
)
def test_hostile_sites(rows: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message):
        _read(tmp_path / "site.json", {"performances": rows})


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"graded_list": [True]}, "question_id"),
        ({"question_id": "a"}, "graded_list"),
        ({"question_id": "a", "graded_list": []}, "with verdicts"),
        ({"question_id": "a", "graded_list": 3}, "not a log of this format"),
    ],
)
def test_hostile_runs(row: Any, message: str, tmp_path: Path) -> None:
    first = {"question_id": "1", "output_list": [], "graded_list": []}
    with pytest.raises(DataError, match=message):
        _read(tmp_path / "x_eval_all.json", [first, row])
