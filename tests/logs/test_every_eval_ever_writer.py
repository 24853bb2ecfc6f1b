"""Scores of systems as records of Every Eval Ever."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import outscore
from outscore.errors import OptionError
from outscore.reports import report
from outscore.wings.logs.harnesses.every_eval_ever_writer import file_of_record, results_to_records
from tests.logs.conftest import logs  # noqa: F401 - a fixture

EEE = "every-eval-ever"
ROWS = [("q1", 1, 0), ("q2", 1, 1), ("q3", 0, 0), ("q4", 1, 0), ("q5", 0, 1), ("q6", 1, 0)]


@pytest.fixture
def valid(logs: Callable[[str], Path]) -> Callable[[Any], None]:  # noqa: F811
    """Return what checks a record against the schema of Every Eval Ever itself."""
    schema = json.loads((logs("eee-made-from-lmeval") / "eval.schema.json").read_text())
    return jsonschema.Draft7Validator(schema).validate


@pytest.fixture
def systems(tmp_path: Path) -> tuple[str, str]:
    """Return the files of two systems."""
    for column, name in enumerate(("old", "new"), 1):
        lines = "".join(f"{row[0]},{row[column]}\n" for row in ROWS * 1)
        (tmp_path / f"{name}.csv").write_text(f"id,score\n{lines}")
    return str(tmp_path / "old.csv"), str(tmp_path / "new.csv")


def records(*results: Any) -> list[dict[str, Any]]:
    """Return the records as they are read again."""
    parsed = json.loads(report(results, EEE))
    return parsed if isinstance(parsed, list) else [parsed]


def test_a_score_has_its_standard_error_and_its_interval(
    systems: tuple[str, str], valid: Callable[[Any], None]
) -> None:
    result = outscore.score(systems[0], metric="accuracy")
    (record,) = records(result)
    valid(record)
    (of,) = record["evaluation_results"]
    scores = np.array([row[1] for row in ROWS])
    error = scores.std(ddof=1) / math.sqrt(len(scores))
    (score,) = result.scores
    assert of["score_details"]["score"] == pytest.approx(scores.mean(), abs=1e-15)
    assert of["score_details"]["uncertainty"] == {
        "standard_error": {"value": pytest.approx(error, abs=1e-15), "method": "analytic"},
        "confidence_interval": {
            "lower": score.interval.low,
            "upper": score.interval.high,
            "confidence_level": 0.95,
            "method": "clopper-pearson, exact",
        },
        "num_samples": 6,
    }
    config = of["metric_config"]
    assert (config["min_score"], config["max_score"], config["lower_is_better"]) == (0, 1, False)
    assert record["eval_library"]["name"] == "outscore"


def test_the_standard_error_of_clusters_is_that_of_harnesses(tmp_path: Path, valid: Callable[[Any], None]) -> None:
    values = np.random.default_rng(1).integers(1, 11, 80)
    lines = "".join(f"q{i},{value},{i // 2}\n" for i, value in enumerate(values))
    (tmp_path / "a.csv").write_text(f"id,score,doc\n{lines}")
    (record,) = records(outscore.score(str(tmp_path / "a.csv"), metric="mean", clusters="doc"))
    valid(record)
    details = record["evaluation_results"][0]["score_details"]
    sums = (values - values.mean()).reshape(-1, 2).sum(axis=1)
    error = math.sqrt((sums**2).sum() * 40 / 39) / 80
    assert details["uncertainty"]["standard_error"]["value"] == pytest.approx(error, abs=1e-12)
    assert details["details"] == {"clusters": "40"}
    assert "score_type" not in record["evaluation_results"][0]["metric_config"]  # of unknown range


def test_a_ranking_has_the_intervals_of_its_scores(systems: tuple[str, str], valid: Callable[[Any], None]) -> None:
    ranking = outscore.rank(*systems, metric="accuracy", n_resamples=500)
    found = records(ranking)
    assert [record["model_info"]["id"] for record in found] == [system.name for system in ranking.systems]
    for record, system in zip(found, ranking.systems, strict=True):
        valid(record)
        uncertainty = record["evaluation_results"][0]["score_details"]["uncertainty"]
        assert uncertainty["confidence_interval"]["lower"] == system.interval.low
        assert uncertainty["confidence_interval"]["method"] == "clopper-pearson, exact"
        assert uncertainty["num_samples"] == 6


def test_a_comparison_has_the_gain_in_words(systems: tuple[str, str], valid: Callable[[Any], None]) -> None:
    result = outscore.compare(*systems, metric="accuracy")
    baseline, candidate = records(result)
    valid(baseline)
    valid(candidate)
    assert "details" not in baseline["evaluation_results"][0]["score_details"]
    details = candidate["evaluation_results"][0]["score_details"]["details"]
    (comparison,) = result.comparisons
    assert (details["gain"], details["gain_over"]) == (repr(comparison.gain), comparison.baseline)


def test_several_metrics_are_results_of_one_record(systems: tuple[str, str], valid: Callable[[Any], None]) -> None:
    (record,) = records(outscore.score(systems[0], metric=["accuracy", "mean"]))
    valid(record)
    ids = [of["evaluation_result_id"] for of in record["evaluation_results"]]
    assert ids == ["accuracy:accuracy", "mean:mean"]


def test_the_task_of_logs_is_the_name_of_the_evaluation(
    logs: Callable[[str], Path],  # noqa: F811
    valid: Callable[[Any], None],
) -> None:
    found = records(outscore.score(str(logs("mtbench-llama2-finetunes"))))
    assert len(found) == 5
    for record in found:
        valid(record)
        assert record["evaluation_results"][0]["evaluation_name"] == "mt_bench"
        assert record["evaluation_results"][0]["metric_config"]["max_score"] == 10


def test_what_holds_no_scores_is_refused() -> None:
    with pytest.raises(OptionError, match="no-scores"):
        results_to_records([object()])


@pytest.mark.parametrize(
    ("model", "parts"),
    [
        ({"id": "org/model", "developer": "org"}, ("org", "model")),
        ({"id": "model"}, ("unknown", "model")),
        ({"id": "../..", "developer": "../"}, ("_", "unknown")),
        ({"id": "a:b\\c", "developer": "x" * 300}, ("x" * 100, "a_b_c")),
    ],
)
def test_files_are_called_as_every_eval_ever_calls_them(model: dict[str, str], parts: tuple[str, str]) -> None:
    *folders, name = file_of_record({"model_info": model})
    assert tuple(folders) == parts
    assert name.endswith(".json")
    assert name[14] == "4"  # a UUID of version 4


def test_the_day_can_be_said(systems: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1750000001")
    (record,) = records(outscore.score(systems[0], metric="accuracy"))
    assert record["retrieved_timestamp"] == "1750000001"
    assert record["evaluation_id"].endswith("/1750000001")
