"""Logs of HELM."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outscore.errors import DataError
from tests.logs.kit import Log, LogFile, checked, log_formats
from tests.logs.reading import item_means, logs_in, metric_of

NAME = "HELM"


def stat(name: str, mean: float | None, split: str = "test", count: int = 1, **more: Any) -> dict[str, Any]:
    """Return a statistic as HELM writes it: without keys that are None."""
    figures = {} if mean is None else {"mean": mean, "min": mean, "max": mean}
    return {"name": {"name": name, "split": split, **more}, "count": count, "sum": (mean or 0) * count, **figures}


def instance(item: object, stats: Sequence[Mapping[str, Any]], trial: int = 0, **more: Any) -> dict[str, Any]:
    return {"instance_id": item, **more, "train_trial_index": trial, "stats": list(stats)}


def write(
    folder: Path,
    instances: object,
    stats: object = None,
    name: str = "mmlu:subject=law,model=org_m",
    groups: Sequence[str] = ("mmlu",),
    indent: int | None = 2,
) -> Path:
    """Write a folder of a run."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "per_instance_stats.json").write_text(json.dumps(instances, indent=indent))
    if stats is not None:
        (folder / "stats.json").write_text(json.dumps(stats, indent=indent))
    spec = {"name": name, "scenario_spec": {}, "adapter_spec": {"model": "org/m"}, "groups": list(groups)}
    (folder / "run_spec.json").write_text(json.dumps(spec, indent=indent))
    return folder


def by_task(folder: Path) -> Mapping[str, Log]:
    return {log.task: log for log in logs_in(folder, NAME)}


def test_means_are_those_of_stats_split_by_split(logs: Callable[[str], Path]) -> None:
    read = logs_in(logs("helm-eee-fixtures"), NAME)
    assert len(read) == 5
    for log in read:
        for metric in log.metrics:
            (own,) = metric.aggregates
            means = item_means(log, metric)
            assert np.mean(list(means.values())) == pytest.approx(own.value, abs=1e-12)
            assert checked(log, metric)[2]


def test_the_valid_split_is_a_task_of_its_own(logs: Callable[[str], Path]) -> None:
    tasks = {log.task: log for log in logs_in(logs("helm-eee-fixtures"), NAME)}
    test, valid = (tasks[f"mmlu:subject=philosophy,method=multiple_choice_joint{end}"] for end in ("", " (valid)"))
    assert (len(test), len(valid)) == (9, 1)
    assert metric_of(test, "exact_match").scores.mean() == pytest.approx(1 / 9)
    assert test.system == "openai/gpt2"
    assert [metric.name for metric in test.metrics if metric.is_main] == ["exact_match"]
    narrative = tasks["narrative_qa"]
    assert metric_of(narrative, "f1_score").is_main
    assert metric_of(narrative, "f1_score").scores.mean() == pytest.approx(0.17424242424242425, abs=1e-12)


def test_a_main_split_that_is_not_test(logs: Callable[[str], Path]) -> None:
    (log,) = (one for one in logs_in(logs("helm-eee-fixtures"), NAME) if "pythia" in one.system)
    assert log.task == "commonsense:dataset=hellaswag,method=multiple_choice_joint"
    assert metric_of(log, "exact_match").scores.mean() == pytest.approx(0.3)


def test_texts_and_hashes_are_those_of_the_requests(logs: Callable[[str], Path]) -> None:
    (log,) = (one for one in logs_in(logs("helm-eee-fixtures"), NAME) if "pythia" in one.system)
    texts = log_formats()[NAME].texts(log, ["id44874"])["id44874"]
    assert texts.input is not None
    assert texts.input.startswith("Personal Care and Style")
    assert texts.target is not None
    assert texts.answer is not None
    assert texts.answer.startswith("B. ")
    assert len(set(log.digests["document"])) == len(log)


def test_what_is_no_score_is_left_out(logs: Callable[[str], Path]) -> None:
    names = {metric.name for log in logs_in(logs("helm-eee-fixtures"), NAME) for metric in log.metrics}
    assert not names & {"num_prompt_tokens", "inference_runtime", "batch_size", "logprob", "max_prob"}


def test_trials_are_runs_and_metrics_of_helm_are_put_together(tmp_path: Path) -> None:
    instances = [
        *(instance(f"id{i}", [stat("exact_match", float(trial))], trial) for trial in range(2) for i in range(3)),
        *(
            instance(f"id{i}", [stat("num_bytes", 3), stat("f1_score", 0.5)], trial)
            for trial in range(2)
            for i in range(3)
        ),
    ]
    (log,) = by_task(write(tmp_path, instances, [stat("exact_match", 0.5), stat("num_instances", 3)])).values()
    assert log.item_ids == ["id0", "id1", "id2"] * 2
    assert log.runs == ["0", "0", "0", "1", "1", "1"]
    assert log.runs_are is None
    assert checked(log, metric_of(log, "exact_match"))[2]
    assert metric_of(log, "f1_score").scores.tolist() == [0.5] * 6


def test_perturbed_instances_are_left_out(tmp_path: Path) -> None:
    typos = {"name": "typos", "robustness": True}
    instances = [
        instance("id0", [stat("exact_match", 1)]),
        instance("id0", [stat("exact_match", 0, perturbation=typos)], perturbation=typos),
    ]
    stats = [stat("exact_match", 0.0, perturbation=typos), stat("exact_match", 1.0)]
    (log,) = by_task(write(tmp_path, instances, stats)).values()
    assert log.item_ids == ["id0"]
    assert metric_of(log, "exact_match").aggregates[0].value == 1
    assert log.notes == ["1 records of perturbed instances are left out"]


def test_a_count_of_0_is_no_score(tmp_path: Path) -> None:
    instances = [instance("id0", [stat("exact_match", None, count=0)]), instance("id1", [stat("exact_match", 1)])]
    (log,) = by_task(write(tmp_path, instances)).values()
    np.testing.assert_array_equal(metric_of(log, "exact_match").scores, [np.nan, 1])


def test_the_main_metric_of_gsm_is_what_the_run_has(tmp_path: Path) -> None:
    for name, metric in (("a", "exact_match_indicator"), ("b", "final_number_exact_match")):
        stats = [stat("exact_match", 0), stat(metric, 1)]
        (log,) = by_task(write(tmp_path / name, [instance("id0", stats)], name="gsm:model=m", groups=["gsm"])).values()
        assert log.task == "gsm"
        assert [one.name for one in log.metrics if one.is_main] == [metric]


def test_boolq_is_reported_on_valid(tmp_path: Path) -> None:
    instances = [instance(f"id{i}", [stat("quasi_exact_match", 1, split)]) for i, split in enumerate(("test", "valid"))]
    assert list(by_task(write(tmp_path, instances, name="boolq:model=m", groups=["boolq"]))) == [
        "boolq",
        "boolq (test)",
    ]


@pytest.mark.parametrize("cut", [1, 40, 300])
@pytest.mark.parametrize("indent", [None, 2])
def test_a_run_that_was_cut_off_names_the_byte(tmp_path: Path, cut: int, indent: int | None) -> None:
    instances = [instance(f"id{i}", [stat("exact_match", 1)]) for i in range(9)]
    folder = write(tmp_path, instances, indent=indent)
    path = folder / "per_instance_stats.json"
    path.write_bytes(path.read_bytes()[:-cut])
    size = path.stat().st_size
    with pytest.raises(
        DataError, match="JSON with its end missing" if indent is None else f"incomplete: {size:,}.bytes"
    ):
        by_task(folder)


def test_instances_are_read_part_by_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outscore.wings.logs.base._AT_ONCE", 500)
    instances = [instance(f"id{i}", [stat("exact_match", i % 2)]) for i in range(50)]
    (log,) = by_task(write(tmp_path, instances)).values()
    assert len(log) == 50
    assert metric_of(log, "exact_match").scores.mean() == 0.5


@pytest.mark.parametrize(
    "instances",
    [
        [{"instance_id": "a", "stats": 3}],
        [{"instance_id": ["a"], "stats": []}],
        [{"instance_id": "a", "stats": [{"name": 3}]}],
        [{"instance_id": "a", "train_trial_index": {}, "stats": [{"name": {"name": "m", "split": 3}}]}],
        [{"instance_id": "a", "train_trial_index": 0, "stats": [stat(f"m{i}", 1) for i in range(500)]}],
        [{"instance_id": "a", "perturbation": {"name": "p"}, "stats": []}],
    ],
)
def test_hostile_runs_are_one_error(tmp_path: Path, instances: object) -> None:
    folder = write(tmp_path, instances)
    with pytest.raises(DataError) as error:
        by_task(folder)
    assert "\n" not in str(error.value)


def test_a_folder_without_instances_is_refused(tmp_path: Path) -> None:
    write(tmp_path, [instance("a", [stat("m", 1)])])
    (tmp_path / "per_instance_stats.json").unlink()
    with pytest.raises(DataError, match=r"per_instance_stats[.]json is missing next to it"):
        by_task(tmp_path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("stats.json", '{"mean": 3}'),
        ("stats.json", '[{"id": "a", "score": 1}]'),
        ("run_spec.json", '{"name": "a"}'),
        ("per_instance_stats.json", '[{"id": "a", "score": 1}]'),
        ("scores.json", '[{"instance_id": "a", "train_trial_index": 0, "stats": []}]'),
    ],
)
def test_what_is_no_run_of_helm(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert not log_formats()[NAME].recognizes(LogFile(tmp_path / name))
