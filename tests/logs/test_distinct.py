"""Names of systems in a folder whose logs call several systems the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outscore
from tests.frozen.cases import run
from tests.logs.kit import Log, LogMetric, distinctions, named_by_files


def _log(task: str = "t", path: str = "x.json", system: str = "m", **facts: str) -> Log:
    return Log(
        path=path,
        system=system,
        task=task,
        item_ids=["1"],
        metrics=[LogMetric(name="score", scores=np.array([1.0]))],
        facts=facts,
        apart=[name for name in facts if name != "seed"],
        named_by_path=not facts,
    )


def test_names_that_will_do_stay_as_they_are() -> None:
    assert distinctions([_log("a", agent="x"), _log("b", agent="y"), _log("a", system="n")]) == ["", "", ""]


def test_one_fact_is_added_where_it_tells_all_apart() -> None:
    logs = [_log(agent=agent, retries=str(len(agent)), temperature="0") for agent in ("x", "yy", "zzz")]
    assert distinctions(logs) == ["agent x", "agent yy", "agent zzz"]
    # The task of one system alone has the same name.
    assert distinctions([*logs, _log("other", agent="x")])[3] == "agent x"


def test_several_facts_are_added_where_one_is_not_enough() -> None:
    logs = [_log(agent=agent, temperature=of, same="1") for agent in "xy" for of in "01"]
    assert distinctions(logs) == [f"agent {agent}, temperature {of}" for agent in "xy" for of in "01"]


def test_an_argument_goes_by_its_name_and_may_not_be_set() -> None:
    logs = [_log(**{"task argument shots": "5"}), _log(agent="x")]
    assert distinctions(logs) == ["shots 5", "shots not set"]


def test_what_differs_between_runs_of_one_system_is_not_added() -> None:
    assert distinctions([_log(agent="x", seed="1"), _log(agent="x", seed="2")]) == ["", ""]


@pytest.mark.parametrize(
    ("paths", "added"),
    [
        (["a/gpt.json", "b/gpt.json"], ["a", "b"]),
        (["2024-07-20/m/x.json", "2024-07-25/m/x.json"], ["2024-07-20", "2024-07-25"]),
        (["m/results_claude45.json.gz", "m/results_gpt5.json"], ["claude45", "gpt5"]),
        (["m/gpt.json", "m/gpt-4.1.json"], ["gpt", "gpt-4.1"]),
        (["a/x/g.json", "a/y/g.json", "b/x/g.json"], ["a/x", "a/y", "b/x"]),
        (["logs/g.json", "logs/b/c/g.json"], [".", "b/c"]),
        (["g.json", "g.json"], ["", ""]),
    ],
)
def test_paths_are_added_where_they_name_the_system(paths: list[str], added: list[str]) -> None:
    logs = [_log(path=path) for path in paths]
    assert distinctions(logs) == added
    assert distinctions(logs, by_path=False) == [""] * len(logs)


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["m/results_JoyCode.json", "m/results_Refact.ai_Agent.json"], ["JoyCode", "Refact.ai_Agent"]),
        (["m/a/x.json", "m/b/x.json"], ["m", "m"]),  # of folders
        (["m/run1.json", "m/run2.json"], ["m", "m"]),  # may be runs
        (["m/m_small.json", "m/m_large.json"], ["m", "m"]),  # named after the file
        (["m/a.json", "m/b.json", "other"], ["m", "m", "a"]),  # another system has that name
    ],
)
def test_the_part_of_the_file_name_that_differs_is_the_name_of_systems_in_a_folder(
    paths: list[str], names: list[str]
) -> None:
    logs = [_log(path=path) if "." in path else _log(path=path, system="a") for path in paths]
    assert [log.system for log in named_by_files(logs, distinctions(logs))] == names


def _resolved(folder: Path, **systems: int) -> Path:
    folder.mkdir()
    for name, n in systems.items():
        ids = [f"django__django-{place}" for place in range(n)]
        (folder / f"results_{name}.json").write_text(json.dumps({"no_logs": [], "resolved": ids}))
    return folder


def test_reports_in_a_folder_are_named_by_their_files_without_a_warning(tmp_path: Path) -> None:
    scores = outscore.read(str(_resolved(tmp_path / "reports", JoyCode=30, TRAE=35)), total=50)
    assert scores.names == ("JoyCode", "TRAE")
    assert not any("same name" in note for note in scores.notes)


def test_a_folder_is_the_same_for_all_tasks() -> None:
    logs = [_log(task, f"{day}/m/{task}.json") for task in "uv" for day in ("mon", "tue") if task + day != "vtue"]
    assert distinctions(logs) == ["mon", "tue", "mon"]


def _human_eval(folder: Path, name: str, passed: Mapping[str, int]) -> None:
    for place, n in passed.items():
        path = folder / place / f"{name}.jsonl_results.jsonl"
        path.parent.mkdir(exist_ok=True)
        rows = [{"task_id": f"HumanEval/{k}", "completion": "", "result": "", "passed": k < n} for k in range(30)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_human_eval_files_of_one_name_in_two_folders_are_ranked(tmp_path: Path) -> None:
    _human_eval(tmp_path, "gpt", {"v1": 10, "v2": 20})
    _human_eval(tmp_path, "llama", {"v1": 15})
    scores = outscore.read(str(tmp_path))
    assert scores.names == ("gpt (v1)", "llama", "gpt (v2)")
    told = [note for note in scores.notes if "pass runs" in note]
    assert told == [
        'Logs of the same name are treated as several systems: "gpt (v1)", "gpt (v2)". If they are runs, pass runs.'
    ]
    status, out, _ = run(f"rank {tmp_path} --format json")
    assert (status, "gpt (v1)" in out) == (0, True)


def test_runs_of_one_name_stay_one_system(tmp_path: Path) -> None:
    _human_eval(tmp_path, "gpt", {"v1": 10, "v2": 20})
    assert outscore.read(str(tmp_path), runs="fixed").names == ("gpt",)
    files = ",".join(str(path) for path in sorted(tmp_path.rglob("*.jsonl")))
    assert outscore.read(f"mine={files}", runs="fixed").names == ("mine",)


def _tau2(path: Path, agent: str, rewards: list[float]) -> None:
    side = {"llm": "m", "implementation": agent, "llm_args": {"temperature": 0.0}}
    info = {"num_trials": 1, "agent_info": side, "user_info": side, "environment_info": {"domain_name": "airline"}}
    simulations = [{"task_id": str(k), "trial": 0, "reward_info": {"reward": one}} for k, one in enumerate(rewards)]
    path.write_text(json.dumps({"info": info, "simulations": simulations}))


def test_agents_of_one_model_are_systems_of_their_own(tmp_path: Path) -> None:
    for place, agent in enumerate(("llm_agent", "retry_agent", "context_agent")):
        _tau2(tmp_path / f"{place}.json", agent, [float(k % 3 <= place) for k in range(24)])
    names = ("m (agent llm_agent)", "m (agent retry_agent)", "m (agent context_agent)")
    assert outscore.read(str(tmp_path)).names == names
    assert outscore.read(str(tmp_path), runs="fixed").names == names
    _tau2(tmp_path / "3.json", "llm_agent", [0.0] * 24)
    assert "[several-logs]" in run(f"rank {tmp_path}")[2]


def _inspect(path: Path, **more: Any) -> None:
    spec = {"task": "sums", "created": "2026-01-01", "model": "org/m", **more}
    samples = [
        {"id": k, "epoch": 1, "input": f"q{k}", "target": "t", "scores": {"match": {"value": "CI"[k % 2]}}}
        for k in range(24)
    ]
    path.write_text(json.dumps({"version": 2, "status": "success", "eval": spec, "samples": samples}))


def test_inspect_runs_that_differ_in_an_argument_are_systems_of_their_own(tmp_path: Path) -> None:
    for shots in (0, 5):
        _inspect(tmp_path / f"{shots}.json", task_args={"shots": shots, "seed": shots}, task_version=shots)
    assert outscore.read(str(tmp_path)).names == ("org/m (shots 0)", "org/m (shots 5)")


def test_inspect_runs_that_differ_in_a_seed_alone_are_runs(tmp_path: Path) -> None:
    for seed in (0, 5):
        _inspect(tmp_path / f"{seed}.json", model_generate_config={"seed": seed})
    assert "[several-logs]" in run(f"rank {tmp_path}")[2]


@pytest.mark.parametrize(
    ("name", "names"),
    [
        (
            "faults/tau2-four-agents-one-model",
            [f"gemini/gemini-2.5-flash (agent {one}_agent)" for one in ("llm", "context", "enhanced", "retry")],
        ),
        ("faults/swe-bench-pro-two-files", ["claude45", "gpt5"]),
    ],
)
def test_systems_of_real_folders(name: str, names: list[str], logs: Callable[[str], Path]) -> None:
    assert list(outscore.read(str(logs(name))).names) == names
