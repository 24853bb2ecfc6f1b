"""Logs of lighteval, made by hand as its code writes them."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outscore.errors import DataError, MissingDependencyError
from tests.logs.kit import Log, LogFile, checked, log_formats
from tests.logs.reading import logs_in, metric_of, standard_error

NAME = "lighteval"
TIME = "2025-11-05T10-11-12.345678"
polars = pytest.importorskip("polars")


def details(scores: Sequence[object], name: str = "extractive_match") -> list[dict[str, Any]]:
    """Return rows as `Detail` of lighteval 0.11 and later becomes them."""
    return [
        {
            "doc": {"query": f"Q{i}", "choices": ["a", "b"], "gold_index": [1], "id": str(i * 2), "specific": None},
            "metric": {name: score},
            "model_response": {"text": [f"answer {i}"], "input": "prompt"},
        }
        for i, score in enumerate(scores)
    ]


def write(
    root: Path, rows: Sequence[Mapping[str, Any]], results: Mapping[str, Any] | None = None, task: str = "gsm8k|5"
) -> Path:
    """Write details, and results, where lighteval puts them."""
    folder = root / "details" / "org" / "m" / TIME
    folder.mkdir(parents=True, exist_ok=True)
    file = BytesIO()
    polars.DataFrame(rows, infer_schema_length=None).write_parquet(file)
    path = folder / f"details_{task}_{TIME}.parquet"
    path.write_bytes(file.getvalue())
    if results is not None:
        beside = root / "results" / "org" / "m"
        beside.mkdir(parents=True, exist_ok=True)
        general = {"lighteval_sha": "abc", "max_samples": 4, "model_config": {"model_name": "org/m"}}
        content = {"config_general": general, "results": results, "versions": {task: 0}}
        (beside / f"results_{TIME}.json").write_text(json.dumps(content, indent=2))
    return path


def only(path: Path) -> Log:
    (log,) = logs_in(path, NAME)
    return log


def test_a_row_is_a_document_and_its_figures_agree(tmp_path: Path) -> None:
    scores = [1.0, 0.0, 1.0, 1.0]
    own = {
        "extractive_match": 0.75,
        "extractive_match_stderr": standard_error({str(i): s for i, s in enumerate(scores)}),
    }
    write(tmp_path, details(scores), {"gsm8k|5": own, "all": own})
    log = only(tmp_path)
    assert (log.system, log.task) == ("org/m", "gsm8k|5")
    assert list(log.item_ids) == ["0", "2", "4", "6"]
    assert checked(log, log.metrics[0])[:3] == (0.75, 0.75, True)
    assert len(log.metrics[0].aggregates) == 2
    assert (log.metrics[0].lowest, log.metrics[0].highest) == (0, 1)
    assert dict(log.facts) == {"task version": "0", "few-shot examples": "5", "limit": "4", "harness version": "abc"}
    assert len(set(log.digests["document"])) == 4


def test_a_file_whose_name_has_no_bars(tmp_path: Path) -> None:
    write(tmp_path, details([1, 0]), {"gsm8k|5": {"extractive_match": 0.5}}, "gsm8k_5")
    log = only(tmp_path)
    assert (log.task, log.notes) == ("gsm8k|5", [])
    assert checked(log, log.metrics[0])[2]


def test_texts(tmp_path: Path) -> None:
    log = only(write(tmp_path, details([1, 0])))
    texts = log_formats()[NAME].texts(log, ["2"])
    assert list(texts) == ["2"]
    assert (texts["2"].input, texts["2"].target, texts["2"].answer) == ("Q1", "b", "answer 1")


def test_without_results_the_folder_names_the_system(tmp_path: Path) -> None:
    log = only(write(tmp_path, details([1, 0])))
    assert log.system == "org/m"
    assert log.metrics[0].aggregates == []


def test_subtasks_count_alike_in_their_average(tmp_path: Path) -> None:
    results = {"mmlu:law|5": {"acc": 0.5}, "mmlu:_average|5": {"acc": 0.25}}
    write(tmp_path, details([True, False], "acc"), results, "mmlu:law|5")
    assert dict(only(tmp_path).groups) == {"mmlu:_average|5": "macro"}


def test_details_from_before_0_11(tmp_path: Path) -> None:
    rows = [
        {"example": f"Q{i}", "full_prompt": f"P{i}", "gold": ["x"], "metrics": {"em": score}, "predictions": ["y"]}
        for i, score in enumerate([1, 0, None])
    ]
    log = only(write(tmp_path, rows, task="lighteval|gsm8k|5"))
    assert list(log.item_ids) == ["0", "1", "2"]
    np.testing.assert_array_equal(metric_of(log, "em").scores, [1, 0, np.nan])
    assert set(log.digests) == {"document", "prompt", "target"}
    texts = log_formats()[NAME].texts(log, ["1"])["1"]
    assert (texts.input, texts.target, texts.answer) == ("Q1", "x", "y")


def test_metrics_of_a_corpus_are_left_out(tmp_path: Path) -> None:
    rows = details([1, 0])
    for one in rows:
        one["metric"] = one["metric"] | {"bleu": {"golds": ["a"], "preds": ["b"]}}
    assert any('"bleu"' in note for note in only(write(tmp_path / "a", rows)).notes)
    for one in rows:
        one["metric"] = {"bleu": {"golds": ["a"], "preds": ["b"]}}
    with pytest.raises(DataError, match="no document has a score"):
        only(write(tmp_path / "b", rows))


def test_an_aggregate_that_is_no_mean_is_explained(tmp_path: Path) -> None:
    write(tmp_path, details([1, 0]), {"gsm8k|5": {"extractive_match": 0.9}})
    log = only(tmp_path)
    assert "does not record how lighteval aggregates" in str(checked(log, log.metrics[0])[3])


def test_results_alone_are_refused(tmp_path: Path) -> None:
    write(tmp_path, details([1, 0]), {"gsm8k|5": {}})
    with pytest.raises(DataError, match="Run lighteval with --save-details"):
        only(tmp_path / "results")


def test_damaged_details(tmp_path: Path) -> None:
    path = write(tmp_path, details([1, 0]))
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(DataError, match="expected Parquet, got unreadable data"):
        only(path)
    path.write_bytes(b"PAR1" * 20)
    with pytest.raises(DataError, match="expected Parquet, got unreadable data"):
        only(path)
    path = write(tmp_path, [{"a": 1}])
    with pytest.raises(DataError, match="expected metrics as fields of a column"):
        only(path)


def test_without_polars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, details([1, 0]))
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingDependencyError, match="pip install polars"):
        only(path)


@pytest.mark.parametrize(
    ("name", "text"), [("details_a.parquet", b"PAR1"), (f"results_{TIME}.json", b'{"results": {}}')]
)
def test_what_is_no_log_of_it(tmp_path: Path, name: str, text: bytes) -> None:
    (tmp_path / name).write_bytes(text)
    assert not log_formats()[NAME].recognizes(LogFile(tmp_path / name))
