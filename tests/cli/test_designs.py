"""Runs, samples, weights and test sets on the command line: what outside checks rely on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.running import Runner

N, M = 120, 4


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A long table of runs, and one of test sets, in the folder that is worked in."""
    monkeypatch.chdir(tmp_path)
    stream = np.random.default_rng(5)
    hard, lines = stream.normal(size=N), []
    for system, ability in (("A", 0.0), ("B", 0.4), ("C", 0.2)):
        own = hard + 0.5 * stream.normal(size=N) + ability
        for run in range(M):
            right = own + 0.1 * stream.normal() + 0.5 * stream.normal(size=N) > 0
            lines += [f"{system},q{i},{run},t{i % 6},{int(right[i])}" for i in range(N)]
    stream.shuffle(lines)
    (tmp_path / "long.csv").write_text("\n".join(["system,item,run,task,score", *lines]) + "\n")
    once = [line for line in lines if line.split(",")[2] == "0"]
    (tmp_path / "once.csv").write_text("\n".join(["system,item,run,task,score", *once]).replace(",0,t", ",1,t") + "\n")
    return tmp_path


def answer(outscore: Runner, line: str) -> dict[str, Any]:
    run = outscore(*line.split(), "--format", "json")
    assert run.status == 0, run.err
    result: dict[str, Any] = json.loads(run.out)
    return result


def scores(folder: Path, system: str) -> np.ndarray[Any, Any]:
    """The scores of a system, shape (N, M), read without outscore."""
    cells = [line.split(",") for line in (folder / "long.csv").read_text().splitlines()[1:]]
    found = np.zeros((N, M))
    for name, item, run, _, score in cells:
        if name == system:
            found[int(item[1:]), int(run)] = float(score)
    return found


@pytest.mark.parametrize("tasks", ["count", "fixed", "random"])
def test_test_sets_are_counted_and_averaged(outscore: Runner, folder: Path, tasks: str) -> None:
    result = answer(outscore, f"compare once.csv:A once.csv:B --test-set task --tasks {tasks} --runs fixed")
    (both,) = result["comparisons"]
    assert len(both["test_sets"]) == 6
    assert both["k_hat"] == len(both["better_on"]) == sum(row["verdict"] == "better" for row in both["test_sets"])
    gains = np.array([row["gain"] for row in both["test_sets"]])
    if tasks == "count":
        assert "average" not in both
        return
    assert both["average"]["gain"] == pytest.approx(gains.mean(), rel=1e-12)
    if tasks == "random":
        first, flips = both["average"]["tests"]
        assert first["p_value"] == pytest.approx(stats.ttest_1samp(gains, 0).pvalue, rel=1e-10)
        signs = 1 - 2 * ((np.arange(64)[:, None] >> np.arange(6)) & 1)
        assert flips["p_value"] == pytest.approx((np.abs(signs @ gains) >= abs(gains.sum()) - 1e-12).mean(), rel=1e-12)
    else:
        assert both["average"]["tests"][0]["computation"].startswith("exact")


def test_rankings_of_random_runs_take_holm(outscore: Runner, folder: Path) -> None:
    ranking = answer(outscore, "rank long.csv --run run --runs random")
    assert (ranking["tests"], ranking["correction"]) == (["skew-t"], "holm")
    pairs = {(pair["candidate"], pair["baseline"]): pair for pair in ranking["pairs"]}
    alone = answer(outscore, "compare long.csv:A long.csv:B --run run --runs random")["comparisons"][0]["tests"][0]
    assert pairs["B", "A"]["p_value"] == pytest.approx(alone["p_value"], rel=1e-12)
    refused = outscore("rank", "long.csv", "--runs", "random", "--correction", "max-t")
    assert "max-t does not support new runs" in refused.err


@pytest.mark.parametrize(
    ("line", "slug"),
    [
        ("compare long.csv:A long.csv:B --runs random --interval bca", "runs-random"),
        ("compare long.csv:A long.csv:B --runs fixed --run-sd 0.1", "not-random"),
        ("compare long.csv:A long.csv:B --runs fixed --unpaired", "unpaired"),
        ("compare long.csv:A long.csv:B --runs random --test-set task --combination fisher", "fisher-dependent"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_line(outscore: Runner, folder: Path, line: str, slug: str) -> None:
    run = outscore(*line.split())
    assert run.status == 2
    assert f"[{slug}]" in run.err
    assert run.out == ""
