"""Logs of Every Eval Ever."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outscore.errors import DataError
from tests.logs.kit import LogFile, format_of_log, log_formats
from tests.logs.reading import item_means, logs_in, metric_of, standard_error

NAME = "Every Eval Ever"

UUID = "f3a1c0de-4b2e-4c1a-9f6d-1b7e5a2c8d40"


def sample(item: object, score: object, **more: object) -> dict[str, object]:
    """Return a sample."""
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "e1",
        "model_id": "org/model",
        "evaluation_name": "bench",
        "sample_id": item,
        "sample_hash": f"hash of {item}",
        "interaction_type": "single_turn",
        "input": {"raw": f"What is {item}?", "reference": ["yes", "no"]},
        "output": {"raw": ["an answer"]},
        "answer_attribution": [],
        "evaluation": {"score": score, "is_correct": False},
        **more,
    }


def result(score: float, **config: object) -> dict[str, Any]:
    """Return a result with the configuration of its metric."""
    return {
        "evaluation_name": "bench",
        "source_data": {"dataset_name": "data", "source_type": "other"},
        "metric_config": {"lower_is_better": False, "metric_name": "accuracy", **config},
        "score_details": {"score": score, "uncertainty": {"num_samples": 2}},
    }


def record(*results: dict[str, Any], **more: object) -> dict[str, Any]:
    """Return a record."""
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "e1",
        "retrieved_timestamp": "1750000001",
        "source_metadata": {"source_type": "evaluation_run"},
        "eval_library": {"name": "inspect_ai", "version": "0.3"},
        "model_info": {"name": "model", "id": "org/model"},
        "evaluation_results": list(results),
        **more,
    }


def written(folder: Path, samples: Sequence[Any], of: Any = None, name: str = UUID) -> Path:
    """Write samples, and a record beside them."""
    path = folder / f"{name}_samples.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in samples))
    if of is not None:
        (folder / f"{name}.json").write_text(json.dumps(of))
    return path


def test_means_and_standard_errors_are_the_records_own(logs: Callable[[str], Path]) -> None:
    read = logs_in(logs("eee-made-from-lmeval"), NAME)
    assert len(read) == 9
    assert {log.task for log in read} == {
        "gsm8k_replay/strict-match",
        "gsm8k_replay/flexible-extract",
        "numersense_larger",
    }
    for log in read:
        (metric,) = log.metrics
        means = item_means(log, metric)
        own = {of.statistic: of.value for of in metric.aggregates}
        assert {of.n for of in metric.aggregates} == {len(means)} == {len(log)}
        assert sum(means.values()) / len(means) == pytest.approx(own["mean"], abs=1e-12)
        assert standard_error(means) == pytest.approx(own["stderr"], abs=1e-12)
        assert (metric.lowest, metric.highest) == (0, 1)


def test_of_two_results_of_one_name_samples_have_the_first_metric(logs: Callable[[str], Path]) -> None:
    (log,) = (
        one
        for one in logs_in(logs("eee-made-from-lmeval"), NAME)
        if one.task == "numersense_larger" and "gemma" in one.system
    )
    assert [metric.name for metric in log.metrics] == ["acc"]
    assert log.metrics[0].aggregates[0].value == 0.9333333333333333
    assert not log.notes


def test_the_projects_own_example(logs: Callable[[str], Path]) -> None:
    (log,) = logs_in(logs("eee-fixtures"), NAME)
    assert (log.system, log.task, log.item_ids) == ("demo-org/demo-model", "demo-source.demo_bench", ["demo_0001"])
    assert log.metrics[0].name == "accuracy"
    (texts,) = log_formats()[NAME].texts(log, log.item_ids).values()
    assert (texts.input, texts.target, texts.answer) == ("What is 2 + 2?", "4", "The answer is 4.")


def test_means_alone_are_refused(logs: Callable[[str], Path]) -> None:
    with pytest.raises(DataError, match=r"samples are missing next to the results.*\[no-samples\]"):
        logs_in(logs("eee-fixtures") / "tests" / "data" / "98ea850e-7019-4728-a558-8b1819ec47c2.json", NAME)


def test_a_result_is_found_by_its_id(tmp_path: Path) -> None:
    rows = [sample(item, 1, evaluation_result_id=of) for item in ("a", "b") for of in ("x", "y")]
    rows[3]["evaluation"] = {"score": 0.25, "is_correct": True}
    results = [
        result(0.625, metric_name="f1") | {"evaluation_result_id": "y"},
        result(1.0) | {"evaluation_result_id": "x"},
    ]
    (log,) = logs_in(written(tmp_path, rows, record(*results)), NAME)
    assert log.item_ids == ["a", "b"]
    assert [metric.name for metric in log.metrics] == ["accuracy", "f1"]
    assert metric_of(log, "f1").scores.tolist() == [1, 0.25]
    assert metric_of(log, "f1").aggregates[0].value == 0.625
    assert log.facts == {"harness version": "inspect_ai 0.3", "dataset": "data"}


def test_the_only_result_is_it_whatever_its_name(tmp_path: Path) -> None:
    of = result(0.5) | {"evaluation_name": "inspect/bench"}
    (log,) = logs_in(written(tmp_path, [sample("a", 1), sample("b", 0)], record(of)), NAME)
    assert log.metrics[0].aggregates[0].value == 0.5


def test_results_that_cannot_be_told_apart_are_said(tmp_path: Path) -> None:
    (log,) = logs_in(written(tmp_path, [sample("a", 1)], record(result(0.5), result(1.0, metric_name="f1"))), NAME)
    assert log.metrics[0].name == "score"
    assert not log.metrics[0].aggregates
    assert log.notes == ['samples of "bench" do not name their result: 2 results have this name']


def test_the_score_is_not_whether_it_is_correct(tmp_path: Path) -> None:
    rows = [sample("a", 0.25), sample("b", None), sample("c", True), sample("d", 1, error="timeout"), sample("e", 0)]
    del rows[4]["evaluation"]
    (log,) = logs_in(written(tmp_path, rows), NAME)
    np.testing.assert_array_equal(log.metrics[0].scores, [0.25, np.nan, 1, np.nan, np.nan])
    assert log.n_errors == 1


def test_an_unknown_level_is_no_score(tmp_path: Path) -> None:
    of = result(3.0, score_type="levels", level_names=["low", "high"], has_unknown_level=True)
    (log,) = logs_in(written(tmp_path, [sample("a", -1), sample("b", 3)], record(of)), NAME)
    np.testing.assert_array_equal(log.metrics[0].scores, [np.nan, 3])


def test_results_in_per_cent_of_samples_in_shares(tmp_path: Path) -> None:
    of = result(50.0, min_score=0, max_score=100)
    (log,) = logs_in(written(tmp_path, [sample("a", 1), sample("b", 0)], record(of)), NAME)
    (metric,) = log.metrics
    assert (metric.lowest, metric.highest, metric.aggregates[0].scale) == (0, 1, 100)


def test_ranges_and_directions(tmp_path: Path) -> None:
    of = result(3.0, lower_is_better=True, min_score=0, max_score="Infinity")
    (log,) = logs_in(written(tmp_path, [sample("a", 1), sample("b", 5)], record(of)), NAME)
    (metric,) = log.metrics
    assert (metric.lowest, metric.highest, metric.higher_is_better) == (0, None, False)


def test_an_item_that_stands_twice_is_left_so(tmp_path: Path) -> None:
    (log,) = logs_in(written(tmp_path, [sample("a", 1), sample("b", 0), sample("a", 0)]), NAME)
    assert log.item_ids == ["a", "b", "a"]
    assert log.runs is None


def test_metadata_are_labels(tmp_path: Path) -> None:
    rows = [sample(item, 1, metadata={"subject": item[0], "id": item, "filter": "x"}) for item in ("a1", "a2", "b1")]
    (log,) = logs_in(written(tmp_path, rows), NAME)
    assert log.labels == {"metadata.subject": ["a", "a", "b"]}
    assert log.digests == {"document": ["hash of a1", "hash of a2", "hash of b1"]}


def test_a_record_finds_its_samples(tmp_path: Path) -> None:
    path = written(tmp_path, [sample("a", 1), sample("b", 0)], record(result(0.5)))
    (log,) = logs_in(tmp_path / f"{UUID}.json", NAME)
    assert log.path == str(path)
    shutil.move(path, tmp_path / "other_samples.jsonl")
    place = {"format": "jsonl", "file_path": "data/a/b/c/other_samples.jsonl"}
    (tmp_path / f"{UUID}.json").write_text(json.dumps(record(result(0.5), detailed_evaluation_results=place)))
    (log,) = logs_in(tmp_path / f"{UUID}.json", NAME)
    assert log.metrics[0].aggregates[0].value == 0.5


@pytest.mark.parametrize("place", ["../secret_samples.jsonl", "/etc/passwd", "..", "", "a\0b", "data/.."])
def test_no_record_leads_out_of_its_folder(tmp_path: Path, place: str) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    written(tmp_path, [sample("a", 1)], name="secret")
    of = record(result(0.5), detailed_evaluation_results={"format": "jsonl", "file_path": place})
    (inner / "x.json").write_text(json.dumps(of))
    with pytest.raises(DataError, match="no-samples"):
        logs_in(inner / "x.json", NAME)


def test_a_store_by_digests(tmp_path: Path) -> None:
    for folder in ("67", "a0"):
        (tmp_path / folder).mkdir()
    (tmp_path / "67" / "x.json").write_text(json.dumps(record(result(0.5))))
    written(tmp_path / "a0", [sample("a", 1), sample("b", 0)])
    (log,) = logs_in(tmp_path, NAME)
    assert log.metrics[0].aggregates[0].value == 0.5


@pytest.mark.parametrize(
    "row",
    [
        {**sample("a", 1), "sample_id": ["a"]},
        {**sample("a", 1), "model_id": None},
        {**sample("a", 1), "evaluation_name": {}},
        {**sample("a", 1), "evaluation": [1]},
        {**sample("a", 1), "metadata": 3},
        3,
    ],
)
def test_what_is_wrong_is_one_error(tmp_path: Path, row: Any) -> None:
    with pytest.raises(DataError, match=r"_samples\.jsonl:2"):
        logs_in(written(tmp_path, [sample("b", 1), row]), NAME)


@pytest.mark.parametrize("of", [3, record({"metric_config": 3}), record() | {"evaluation_results": {}}, [[]]])
def test_a_record_of_another_form_is_one_error(tmp_path: Path, of: Any) -> None:
    path = written(tmp_path, [sample("b", 1)], of)
    with pytest.raises(DataError, match=rf"{UUID}\.json"):
        logs_in(path, NAME)


@pytest.mark.parametrize(
    "of",
    [
        {"schema_version": "0.3.0", "evaluation_id": "x"},
        {"schema": "outscore/scores/1", "scores": []},
        {"object_path": "flat", "eval_schema_version": "0.2.2"},
    ],
)
def test_other_files_are_left_alone(tmp_path: Path, of: object) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(of))
    assert format_of_log(LogFile(path)) is None


def test_the_digest_of_a_document_is_not_that_of_its_prompt(tmp_path: Path) -> None:
    hashes = {"doc_hash": "d" * 64, "prompt_hash": "p" * 64, "target_hash": "t" * 64}
    (log,) = logs_in(written(tmp_path, [sample(item, 1, metadata=hashes) for item in "ab"]), NAME)
    assert log.digests == {name: [name[0] * 16] * 2 for name in ("document", "prompt", "target")}
    (log,) = logs_in(written(tmp_path, [sample("a", 1, metadata=hashes), sample("b", 1)]), NAME)
    assert log.digests == {"document": ["hash of a", "hash of b"]}
