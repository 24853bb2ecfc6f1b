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


def test_random_runs_are_the_crossed_t(outscore: Runner, folder: Path) -> None:
    result = answer(outscore, "compare long.csv:A long.csv:B --run run --runs random -t crossed-t")
    (comparison,) = result["comparisons"]
    (test,) = comparison["tests"]
    a, b = scores(folder, "A"), scores(folder, "B")
    d = b.mean(axis=1) - a.mean(axis=1)
    items = d.var(ddof=1) / N
    parts = []
    for y in (a, b):
        between = y.mean(axis=0).var(ddof=1) / M
        e = y - y.mean(axis=1, keepdims=True) - y.mean(axis=0) + y.mean()
        parts.append((between, (e**2).sum() / ((N - 1) * (M - 1)) / (N * M)))
    beyond = [max(v - (M - 3) / (M - 1) * e, 0.0) for v, e in parts]
    whole = items + sum(beyond)
    df = whole**2 / (items**2 / (N - 1) + sum(v**2 / (M - 1) for v, _ in parts))
    assert test["name"] == "crossed-t"
    assert test["df"] == pytest.approx(df, rel=1e-12)
    assert test["p_value"] == pytest.approx(2 * stats.t.sf(abs(d.mean()) / whole**0.5, df), rel=1e-11)
    assert sum(comparison["components"].values()) == pytest.approx(1, abs=1e-12)
    assert "runs:random|m:4,4|paired:no" in result["signature"]
    assert comparison["sentence"].count("new runs on new items") == 1


def test_fixed_runs_are_exact_on_averages(outscore: Runner, folder: Path) -> None:
    fixed = answer(outscore, "compare long.csv:A long.csv:B --run run --runs fixed -t bootstrap,randomization")
    a, b = (scores(folder, system).sum(axis=1) for system in "AB")
    for name, values in (("a", a), ("b", b)):
        (folder / f"{name}.txt").write_text("".join(f"{value:g}\n" for value in values))
    sums = answer(outscore, "compare a.txt b.txt -t bootstrap,randomization")
    for of_runs, of_sums in zip(fixed["comparisons"][0]["tests"], sums["comparisons"][0]["tests"], strict=True):
        assert of_runs["exact"]
        assert of_runs["p_value"] == pytest.approx(of_sums["p_value"], rel=1e-9)


def test_runs_that_nobody_declares_are_asked_about(outscore: Runner, folder: Path) -> None:
    for line in ("compare long.csv:A long.csv:B", "rank long.csv", "compare long.csv:A long.csv:B --run run"):
        run = outscore(*line.split())
        assert run.status == 2
        assert "[runs-undeclared]" in run.err
        assert all(word in run.err for word in ("samples", "fixed", "random"))


def test_samples_are_reduced(outscore: Runner, folder: Path) -> None:
    result = answer(outscore, "compare long.csv:A long.csv:B --run run --runs samples --reduce pass@2 -t bootstrap")
    right = scores(folder, "B").sum(axis=1)
    expected = 1 - (M - right) * (M - right - 1) / (M * (M - 1))
    assert result["comparisons"][0]["candidate_score"] == pytest.approx(expected.mean(), rel=1e-13)
    assert result["comparisons"][0]["tests"][0]["exact"]
    assert "reduce:pass@2" in result["signature"]


def test_strata_weigh_the_same(outscore: Runner, folder: Path) -> None:
    text = (folder / "once.csv").read_text().replace(",t1,", ",t0,").replace(",t2,", ",t0,")
    (folder / "unequal.csv").write_text(text)
    result = answer(outscore, "compare unequal.csv:A unequal.csv:B --stratum task --weights macro -t bootstrap")
    rows = [line.split(",") for line in text.splitlines()[1:]]
    means = [
        np.mean([float(r[4]) for r in rows if r[0] == "B" and r[3] == task]) for task in sorted({r[3] for r in rows})
    ]
    comparison = result["comparisons"][0]
    assert comparison["candidate_score"] == pytest.approx(np.mean(means), rel=1e-13)
    assert comparison["tests"][0]["computation"].startswith("exact")
    assert "weights:macro|draws:n-1" in result["signature"]


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


def test_rankings_and_scores_of_test_sets(outscore: Runner, folder: Path) -> None:
    ranked = answer(outscore, "rank once.csv --test-set task --tasks fixed --runs fixed")
    assert ranked["results"][0]["test_set"] == "average"
    assert len(ranked["results"]) == 7
    scored = answer(outscore, "score once.csv:A once.csv:B --test-set task --runs fixed")
    assert {one["test_set"] for one in scored["scores"]} == {"average", *(f"t{i}" for i in range(6))}


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
        ("compare once.csv:A once.csv:B --runs random --run run", "one-run"),
        ("compare long.csv:A long.csv:B --runs random -t bootstrap", "not-applicable"),
        ("compare long.csv:A long.csv:B --runs random --interval bca", "runs-random"),
        ("compare long.csv:A long.csv:B --runs fixed --run-sd 0.1", "not-random"),
        ("compare long.csv:A long.csv:B --runs fixed --reduce pass@2", "not-samples"),
        ("compare long.csv:A long.csv:B --runs samples --reduce pass@9", "few-samples"),
        ("compare long.csv:A long.csv:B --runs fixed --unpaired", "unpaired"),
        ("compare once.csv:A once.csv:B --runs fixed --weights macro", "no-strata"),
        ("compare once.csv:A once.csv:B --runs fixed --tasks fixed", "no-test-sets"),
        ("compare long.csv:A long.csv:B --runs random --test-set task --combination fisher", "fisher-dependent"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_line(outscore: Runner, folder: Path, line: str, slug: str) -> None:
    run = outscore(*line.split())
    assert run.status == 2
    assert f"[{slug}]" in run.err
    assert run.out == ""
