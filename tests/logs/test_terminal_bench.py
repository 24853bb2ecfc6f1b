"""Runs of terminal-bench and trials of Harbor, written by the classes of terminal-bench 0.2 and Harbor."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outscore.errors import DataError
from tests.fuzz.targets import CORPUS
from tests.kit import RunDesign
from tests.logs.kit import LogFile, inventory_of, log_formats
from tests.logs.kit import logs_found as named_logs_in
from tests.logs.reading import logs_in

RUN = CORPUS / "log-terminal-bench"
TRIALS = CORPUS / "log-Harbor"


def test_a_run_with_its_metadata(tmp_path: Path) -> None:
    shutil.copy(RUN / "results.json", tmp_path)
    shutil.copy(RUN / "beside-run_metadata.json", tmp_path / "run_metadata.json")
    (log,) = logs_in(tmp_path, "terminal-bench")
    assert (log.system, log.task, log.runs_are) == ("terminus (made/up)", "terminal-bench-core", RunDesign.SAMPLES)
    assert log.item_ids == ["hello", "hello", "mail", "mail", "kernel", "kernel"]
    assert log.metrics[0].scores.tolist() == [1, 1, 0, 1, 0, 0]
    (entry,) = inventory_of(named_logs_in(str(tmp_path))).entries
    assert entry.agrees  # accuracy and pass@2
    assert {one.statistic for one in log.metrics[0].aggregates} == {"mean-of-records", "pass@2"}
    assert entry.notes == ("trials without a verdict, which count as unresolved: 1",)


def test_without_metadata_the_path_names_the_system(tmp_path: Path) -> None:
    for name, system in (
        ("agent-7/2025-08-27__22-13-13_results.json", "agent-7"),
        ("agent-8/results/results.json", "agent-8"),
        ("runs/terminus.results.json", "terminus"),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        shutil.copy(RUN / "results.json", path)
        assert [log.system for log in logs_in(path, "terminal-bench")] == [system]


def job(folder: Path, **changes: Any) -> Path:
    """Write the trials of a job as Harbor stores them."""
    for path in TRIALS.iterdir():
        trial = folder / path.stem
        trial.mkdir(parents=True)
        (trial / "result.json").write_text(json.dumps(json.loads(path.read_text()) | changes))
    (folder / "result.json").write_text('{"id": "0", "n_total_trials": 4, "stats": {}}')
    return folder


def test_the_trials_of_a_job_are_one_log(tmp_path: Path) -> None:
    (log,) = logs_in(job(tmp_path), "Harbor")
    assert (log.system, log.task, log.n_errors) == ("terminus-2 (up)", "made-up", 1)
    assert (log.item_ids, log.runs) == (["hello", "hello", "kernel", "mail"], ["0", "1", "0", "0"])
    assert np.array_equal(log.metrics[0].scores, [1, 0.5, np.nan, 0], equal_nan=True)
    assert (log.metrics[0].name, log.metrics[0].is_main) == ("reward", True)


def test_agents_and_datasets_are_apart(tmp_path: Path) -> None:
    job(tmp_path / "a")
    job(tmp_path / "b", agent_info={"name": "codex"}, source=None)
    assert [(log.system, log.task) for log in logs_in(tmp_path, "Harbor")] == [
        ("terminus-2 (up)", "made-up"),
        ("codex", "Harbor"),
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"agent_info": None}, "agent_info"),
        ({"task_name": ""}, "task_name"),
        ({"verifier_result": {}}, "rewards"),
        ({"reward_valid": False}, "rewards"),
    ],
)
def test_hostile_trials(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message):
        logs_in(job(tmp_path, **changes), "Harbor")


@pytest.mark.parametrize(("results", "message"), [([], "results of tasks"), ([{"is_resolved": True}], "task_id")])
def test_hostile_runs(results: list[Any], message: str, tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text(json.dumps({"results": results}))
    with pytest.raises(DataError, match=message):
        list(log_formats()["terminal-bench"].read([LogFile(tmp_path / "results.json")]))


def test_five_runs_of_a_public_leaderboard(logs: Callable[[str], Path]) -> None:
    found = logs_in(logs("faults/unknown-terminal-bench"), "terminal-bench")
    assert [log.metrics[0].scores.mean() for log in found] == [0.4875, 0.45, 0.4875, 0.425, 0.4125]
    assert all(entry.agrees for entry in inventory_of(named_logs_in(str(Path(found[0].path).parent))).entries)
