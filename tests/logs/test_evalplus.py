"""Logs of EvalPlus, EvalPerf and BigCodeBench."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outscore.errors import DataError
from tests.kit import RunDesign
from tests.logs.kit import Log, checked, log_formats
from tests.logs.reading import item_means, logs_in, metric_of, standard_error


def _sample(base: Any, plus: Any) -> dict[str, Any]:
    return {"task_id": "HumanEval/0", "solution": f"def f(): {base}", "base_status": base, "plus_status": plus}


def _read(path: Path, data: Any, name: str = "EvalPlus") -> Log:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data))
    (log,) = logs_in(path, name)
    return log


def test_evalperf_has_the_means_of_its_summaries(logs: Callable[[str], Path]) -> None:
    read = {log.system: log for log in logs_in(logs("evalplus-evalperf"), "EvalPerf")}
    wanted = {
        "Qwen--Qwen2.5-7B-Instruct": (112, 1.6605832138935532),
        "claude-3-5-sonnet-20240620": (108, 2.015047745624961),
        "google--gemma-2-9b-it": (91, 2.4643992661266902),
        "gpt-4o-2024-08-06": (111, 1.4304873077958853),
        "gpt-4o-mini-2024-07-18": (112, 1.9063339766925513),
        "meta-llama--Llama-3.1-8B-Instruct": (103, 1.697155170455236),
    }
    assert read.keys() == wanted.keys()
    for system, log in read.items():
        n, error = wanted[system]
        means = item_means(log, metric_of(log, "dps"))
        assert len(means) == n
        assert standard_error(means) == pytest.approx(error, abs=1e-12)
        assert len(log) == 118
        assert [checked(log, metric)[2] for metric in log.metrics] == [True] * 3
        assert all(metric.highest == 100 for metric in log.metrics)


def test_places_in_the_list_are_samples(tmp_path: Path) -> None:
    results = {
        "hash": "abc",
        "eval": {
            "HumanEval/0": [_sample("pass", "pass"), _sample("pass", "fail")],
            "HumanEval/1": [_sample("fail", "pass"), _sample("timeout", "timeout")],
        },
        "pass_at_k": {"base": {"pass@1": 0.5, "pass@2": 0.5}, "plus": {"pass@1": 0.25, "pass@2": 0.5}},
    }
    log = _read(tmp_path / "org--m_vllm_temp_0.8-sanitized_eval_results.json", results)
    assert (log.system, log.task) == ("org--m-sanitized", "HumanEval+")
    assert (log.runs, log.runs_are) == (["0", "1", "0", "1"], RunDesign.SAMPLES)
    assert metric_of(log, "base").scores.tolist() == [1, 1, 0, 0]
    assert metric_of(log, "plus").scores.tolist() == [1, 0, 0, 0]  # plus needs the base tests, too
    assert metric_of(log, "plus").is_main
    assert [checked(log, metric)[2] for metric in log.metrics] == [True, True]
    assert log.facts == {"backend": "vllm", "temperature": "0.8", "data set": "abc"}
    assert log_formats()["EvalPlus"].texts(log, ["HumanEval/1"])["HumanEval/1"].answer == "def f(): fail"


def test_base_tests_alone_have_no_plus(tmp_path: Path) -> None:
    log = _read(tmp_path / "m_eval_results.json", {"eval": {"Mbpp/2": [_sample("pass", None)]}})
    assert [metric.name for metric in log.metrics] == ["base"]
    assert (log.task, log.runs) == ("MBPP+", None)


def test_the_layout_before_0_2_1(tmp_path: Path) -> None:
    old = {"nfiles": 2, "base": [["success", [True]], ["failed", None]], "plus": [["failed", []], ["success", []]]}
    log = _read(tmp_path / "humaneval" / "m_temp_0.0" / "eval_results.json", {"eval": {"HumanEval/0": old}})
    assert log.system == "m_temp_0.0"
    assert metric_of(log, "base").scores.tolist() == [1, 0]
    assert metric_of(log, "plus").scores.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("name", "system"),
    [
        ("m/samples_eval_results.json", "m"),
        ("m/humaneval/samples-sanitized_eval_results.json", "m-sanitized"),
        ("phi_1_samples_eval_results.json", "phi_1_samples"),
    ],
)
def test_files_called_samples_are_named_by_their_folder(name: str, system: str, tmp_path: Path) -> None:
    assert _read(tmp_path / name, {"eval": {"HumanEval/0": [_sample("pass", "fail")]}}).system == system


def test_failed_tests_may_hold_nan(tmp_path: Path) -> None:
    results = {"eval": {"HumanEval/0": [_sample("pass", "fail") | {"plus_fail_tests": [[float("nan")]]}]}}
    log = _read(tmp_path / "m_eval_results.json", results)
    assert metric_of(log, "plus").scores.tolist() == [0]


def test_bigcodebench(tmp_path: Path) -> None:
    stem = "m--bigcodebench-hard-instruct--vllm-0.0-1-sanitized_calibrated"
    samples = {
        f"BigCodeBench/{k}": [{"solution": "x", "status": status, "details": {}}]
        for k, status in enumerate(("pass", "fail", "pass", "timeout"))
    }
    (tmp_path / f"{stem}_pass_at_k.json").write_text('{"pass@1": 0.5, "model": "m"}')
    log = _read(tmp_path / f"{stem}_eval_results.json", {"date": "", "eval": samples}, "BigCodeBench")
    assert (log.system, log.task) == ("m", "BigCodeBench hard-instruct")
    assert checked(log, log.metrics[0])[:3] == (0.5, 0.5, True)


def test_tasks_without_a_measure_have_no_score(tmp_path: Path) -> None:
    rows = {"HumanEval/0": {"dps": None, "dps_norm": None, "pass@1": 3.0}, "HumanEval/1": {"dps": 50, "dps_norm": 1}}
    log = _read(tmp_path / "m_evalperf_results.json", {"n_samples": 100, "min_correct": 10, "eval": rows}, "EvalPerf")
    assert np.isnan(metric_of(log, "dps").scores).tolist() == [True, False]
    assert np.isnan(metric_of(log, "pass@1").scores).tolist() == [False, True]
    assert log.facts == {"n samples": "100", "min correct": "10"}


@pytest.mark.parametrize(
    ("judged", "message"),
    [
        ({"a": [_sample("pass", "pass")], "b": 3}, "not a log of this format"),
        ({"a": [_sample(None, None)]}, "with a status"),
        ({"a": [_sample("pass", 1), 4]}, "not a log of this format"),
        ({"a": {"nfiles": 1, "base": [["success"], ["x"]], "plus": [["success"]]}}, "as many results"),
    ],
)
def test_hostile_files(judged: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message):
        _read(tmp_path / "m_eval_results.json", {"eval": judged})
