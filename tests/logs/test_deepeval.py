"""Test runs of DeepEval: one that DeepEval 4.3.1 wrote, and small ones as its code writes them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from outscore.errors import DataError
from tests.fuzz.targets import CORPUS
from tests.logs.kit import LogFile, log_formats
from tests.logs.reading import logs_in, metric_of

NAME = "DeepEval"
WRITTEN = CORPUS / "log-DeepEval" / "test_run_20261128_080756.json"


def write(folder: Path, *cases: dict[str, Any], wrapped: bool = True, **more: Any) -> Path:
    run = {"testCases": list(cases), "conversationalTestCases": [], **more}
    path = folder / ".latest_test_run.json"
    path.write_text(json.dumps({"testRunData": run} if wrapped else run))
    return path


def case(question: str, *metrics: tuple[str, float | None, float, bool | None], success: Any = True) -> dict[str, Any]:
    data = [{"name": m[0], "score": m[1], "threshold": m[2], "success": m[3]} for m in metrics]
    return {"name": "test_case_0", "input": question, "success": success, "metricsData": data}


def test_a_run_of_the_tool_itself() -> None:
    (log,) = logs_in(WRITTEN, NAME)
    assert (log.system, log.task, log.named_by_path) == ("made up", "DeepEval", False)
    assert {metric.name: (metric.higher_is_better, metric.scores.tolist()) for metric in log.metrics} == {
        "success": (True, [1, 1, 0, 0]),
        "Exact Match": (True, [1, 1, 0, 0]),
        "Pattern Match": (True, [1, 1, 0, 0]),
        # Its own metric, which passes up to its threshold.
        "Rude": (False, [0, 0, 1, 0.25]),
    }
    assert [one.value for one in log.metrics[0].aggregates] == [0.5]
    texts = log_formats()[NAME].texts(log, {log.item_ids[0]})[log.item_ids[0]]
    assert (texts.input, texts.target, texts.answer) == ("What is 1+1?", "2", "2")


@pytest.mark.parametrize(
    ("name", "score", "passes", "names"),
    [
        ("Bias", 0.2, True, {"Bias": False}),
        ("Bias", 0.2, False, {"Bias": True}),
        ("Bias", 0.9, False, {"Bias": False}),
        ("Bias", 0.5, True, {"Bias/higher-is-better": True, "Bias/lower-is-better": False}),
        ("Bias", None, None, {"Bias/higher-is-better": True, "Bias/lower-is-better": False}),
        ("Faithfulness", 0.5, True, {"Faithfulness": True}),
        ("Tone [GEval]", 0.5, True, {"Tone [GEval]": True}),
    ],
)
def test_the_direction_is_the_side_of_the_threshold_that_passes(
    name: str, score: float | None, passes: bool | None, names: dict[str, bool], tmp_path: Path
) -> None:
    (log,) = logs_in(write(tmp_path, case("a", (name, score, 0.5, passes))), NAME)
    assert {metric.name: metric.higher_is_better for metric in log.metrics[1:]} == names


def test_cases_that_contradict_each_other_leave_the_direction_to_the_user(tmp_path: Path) -> None:
    path = write(tmp_path, case("a", ("Tone", 0.2, 0.5, True)), case("b", ("Tone", 0.9, 0.5, True)))
    assert len(logs_in(path, NAME)[0].metrics) == 3


def test_conversations_and_names(tmp_path: Path) -> None:
    talk = {"name": "t", "scenario": "A refund", "success": False, "metricsData": [], "turns": []}
    path = write(tmp_path, case("a"), conversationalTestCases=[talk], hyperparameters={"model": "gpt"}, wrapped=False)
    (log,) = logs_in(path, NAME)
    assert log.system == "gpt"
    assert [item.split(" [")[0] for item in log.item_ids] == ["a", "A refund"]
    assert log.metrics[0].scores.tolist() == [1, 0]
    assert logs_in(write(tmp_path, case("a")), NAME)[0].system == tmp_path.name


@pytest.mark.parametrize(("cases", "message"), [([], "expected test cases"), ([{"name": None, "input": 3}], "input")])
def test_hostile_runs(cases: list[dict[str, Any]], message: str, tmp_path: Path) -> None:
    path = write(tmp_path, *cases)
    with pytest.raises(DataError, match=message):
        list(log_formats()[NAME].read([LogFile(path)]))


def test_a_run_of_a_public_repository(logs: Callable[[str], Path]) -> None:
    (log,) = logs_in(logs("faults/unknown-others") / "deepeval.latest_test_run.json", NAME)
    assert metric_of(log, "Exact Match").scores.tolist() == metric_of(log, "success").scores.tolist() == [1]
