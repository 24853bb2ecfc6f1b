"""Logs of tau-bench and tau2-bench."""

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
from tests.logs.kit import Log, log_formats
from tests.logs.reading import item_means, logs_in, metric_of, standard_error

INFO = {
    "git_commit": "abc",
    "num_trials": 2,
    "user_info": {"implementation": "user_simulator", "llm": "gpt-4.1", "llm_args": {"temperature": 0.0}},
    "agent_info": {"implementation": "llm_agent", "llm": "claude", "llm_args": {"api_key": "secret", "top_p": 0.9}},
    "environment_info": {"domain_name": "retail", "policy": "text"},
}


def _read(path: Path, data: Any, name: str = "tau-bench") -> Log:
    path.write_text(json.dumps(data))
    (log,) = logs_in(path, name)
    return log


def _trial(task_id: Any, trial: Any, reward: Any, **info: Any) -> dict[str, Any]:
    return {"task_id": task_id, "reward": reward, "info": info, "traj": [], "trial": trial}


def _simulation(task: Any, trial: int, reward: Any, reason: str = "user_stop") -> dict[str, Any]:
    info = None if reward is None else {"reward": reward}
    return {"id": f"{task}-{trial}", "task_id": task, "trial": trial, "termination_reason": reason, "reward_info": info}


def test_trials_are_samples(logs: Callable[[str], Path]) -> None:
    (log,) = logs_in(logs("taubench-airline"), "tau-bench")
    assert (log.system, log.task, log.runs_are) == ("gpt-4o", "tau-bench airline", RunDesign.SAMPLES)
    metric = metric_of(log, "success")
    means = item_means(log, metric)
    assert (len(log), len(means), set(log.runs or ())) == (200, 50, {"0", "1", "2", "3"})
    assert standard_error(means) == pytest.approx(0.05221619109284876, abs=1e-12)
    counts = [round(4 * mean) for mean in means.values()]
    for k, wanted in ((1, 0.42), (2, 0.2733333333333333), (3, 0.22), (4, 0.2)):
        assert np.mean([math.comb(c, k) / math.comb(4, k) for c in counts]) == pytest.approx(wanted, abs=1e-12)
    assert len(set(log.digests["document"])) == 50
    texts = log_formats()["tau-bench"].texts(log, ["3"])["3"]
    assert texts.input
    assert texts.answer


def test_success_is_a_reward_of_1_and_errors_have_the_reward_that_was_written(tmp_path: Path) -> None:
    trials = [_trial(0, 0, 0.5), _trial(0, 1, 1.0000001), _trial(1, 0, 0.0, error="x"), _trial(1, 1, None)]
    log = _read(tmp_path / "m.json", trials)
    assert np.array_equal(metric_of(log, "reward").scores, [0.5, 1.0000001, 0, np.nan], equal_nan=True)
    assert np.array_equal(metric_of(log, "success").scores, [0, 1, 0, np.nan], equal_nan=True)
    assert len(log.notes) == 1


@pytest.mark.parametrize(
    ("name", "actions", "system", "task"),
    [
        ("sonnet-35-new-retail.json", [], "sonnet-35-new", "tau-bench retail"),
        ("m.json", ["cancel_pending_order"], "m", "tau-bench retail"),
        ("m.json", ["other"], "m", "tau-bench"),
        (
            "tool-calling-gpt-4o-0.0_range_0--1_user-gpt-4o-llm_0701120000.json",
            ["book_reservation"],
            "tool-calling-gpt-4o",
            "tau-bench airline",
        ),
    ],
)
def test_names(name: str, actions: list[str], system: str, task: str, tmp_path: Path) -> None:
    described = {"instruction": "x", "actions": [{"name": action, "kwargs": {}} for action in actions]}
    log = _read(tmp_path / name, [_trial(0, 0, 1.0, task=described)])
    assert (log.system, log.task) == (system, task)


def test_tau2_leaves_out_what_was_not_evaluated(tmp_path: Path) -> None:
    simulations = [
        _simulation("0", 0, 1.0),
        _simulation("0", 1, 0.0, "infrastructure_error"),
        _simulation("1", 0, 0.5),
        _simulation("1", 1, None),
    ]
    tasks = [{"id": "0", "user_scenario": {"a": 1, "b": 2}}, {"id": "1", "user_scenario": {"b": 3}}]
    run = {"timestamp": "", "info": INFO, "tasks": tasks, "simulations": simulations}
    log = _read(tmp_path / "run.json", run, "tau2-bench")
    assert (log.system, log.task, log.n_errors) == ("claude", "tau2 retail", 1)
    assert np.array_equal(metric_of(log, "reward").scores, [1, np.nan, 0.5, np.nan], equal_nan=True)
    assert log.runs == ["0", "1", "0", "1"]
    assert len(set(log.digests["document"])) == 2
    assert "secret" not in str(log.facts)
    assert log.facts["agent settings"] == "top_p 0.9"


def test_tau2_with_a_folder_of_simulations(tmp_path: Path) -> None:
    index = [{"id": "a", "task_id": "0", "trial": 0, "reward": 1.0, "termination_reason": "user_stop"}]
    log = _read(tmp_path / "results.json", {"info": INFO, "tasks": [], "simulation_index": index}, "tau2-bench")
    assert metric_of(log, "reward").scores.tolist() == [1]
    (tmp_path / "simulations").mkdir()
    (tmp_path / "simulations" / "a.json").write_text(json.dumps(_simulation("7", 0, 0.0)))
    log = _read(tmp_path / "results.json", {"info": INFO, "tasks": []}, "tau2-bench")
    assert list(log.item_ids) == ["7"]


@pytest.mark.parametrize(
    ("trials", "message"),
    [
        ([_trial(0, 0, 1.0), _trial([1], 0, 1.0)], "task_id"),
        ([_trial(0, 0, 1.0), 3], "not a log of this format"),
        ([_trial(0, 0, 1.0), _trial(0, 0, 1.0) | {"info": 3}], "not a log of this format"),
    ],
)
def test_hostile_trials(trials: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message):
        _read(tmp_path / "m.json", trials)


def test_a_run_of_tau2_without_simulations_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="expected simulations"):
        _read(tmp_path / "run.json", {"info": INFO, "tasks": [], "simulations": []}, "tau2-bench")
