"""Tables of MLflow: one that MLflow 3.17 wrote, and small ones as its code writes them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outscore.errors import DataError
from tests.frozen.cases import run
from tests.fuzz.targets import CORPUS
from tests.logs.kit import LogFile, log_formats
from tests.logs.reading import logs_in, metric_of

NAME = "MLflow"
WRITTEN = CORPUS / "log-MLflow" / "eval_results_table.json"


def write(folder: Path, columns: list[str], *rows: list[Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "eval_results_table.json"
    path.write_text(json.dumps({"columns": columns, "data": rows}))
    return path


def test_a_table_of_the_tool_itself() -> None:
    (log,) = logs_in(WRITTEN, NAME)
    assert [item.split(" [")[0] for item in log.item_ids] == ["What is 1+1?", "What is 2+2?", "What is 3+4?"]
    assert {metric.name: (metric.higher_is_better, metric.scores.tolist()) for metric in log.metrics} == {
        "length/higher-is-better": (True, [1, 4, 1]),
        "length/lower-is-better": (False, [1, 4, 1]),
    }
    texts = log_formats()[NAME].texts(log, {log.item_ids[1]})[log.item_ids[1]]
    assert (texts.input, texts.target, texts.answer) == ("What is 2+2?", "4", "four")


def test_directions_are_those_that_mlflow_declares(tmp_path: Path) -> None:
    names = ["toxicity/v1", "faithfulness/v1", "rougeLsum/v1", "ndcg_at_3", "ari_grade_level/v1"]
    columns = ["inputs", "outputs", "latency", *(f"{name}/score" for name in names), "faithfulness/v1/justification"]
    path = write(tmp_path / "run7" / "artifacts", columns, ["q", "a", 1.5, 0.1, 4, 0.5, True, None, "because"])
    (log,) = logs_in(path, NAME)
    assert log.system == "run7"
    assert {metric.name: metric.higher_is_better for metric in log.metrics} == {
        "latency": False,
        "toxicity": False,
        "faithfulness": True,
        "rougeLsum": True,
        "ndcg_at_3": True,
        "ari_grade_level": False,
    }
    assert np.array_equal([metric.scores[0] for metric in log.metrics], [1.5, 0.1, 4, 0.5, 1, np.nan], equal_nan=True)


def test_an_unknown_direction_is_asked_for(tmp_path: Path) -> None:
    columns, of_each = ["inputs", "outputs", "tone/v1/score"], {"a": [0, 0, 0, 0, 0], "b": [1, 2, 1, 2, 1]}
    first, second = (
        write(tmp_path / name, columns, *([f"q{place}", "x", score] for place, score in enumerate(scores)))
        for name, scores in of_each.items()
    )
    for metric in ("", "-m tone"):
        status, _, err = run(f"compare {first} {second} {metric}")
        assert status == 2
        assert "-m tone/higher-is-better, -m tone/lower-is-better" in err
    assert "+1.4" in run(f"compare {first} {second} -m tone/higher-is-better -q")[1]
    assert "-1.4" in run(f"compare {first} {second} -m tone/lower-is-better -q")[1]


def test_inputs_of_several_columns_name_an_item(tmp_path: Path) -> None:
    path = write(
        tmp_path, ["city", "year", "outputs", "exact_match/v1/score"], ["Rome", 1, "x", 1], ["Rome", 2, "x", 0]
    )
    (log,) = logs_in(path, NAME)
    assert len(set(log.item_ids)) == 2


@pytest.mark.parametrize(
    ("columns", "rows"), [(["a", "latency"], [["q"]]), (["inputs", "outputs"], [["q", "a"]]), (["a/score"], [])]
)
def test_hostile_tables(columns: list[str], rows: list[list[Any]], tmp_path: Path) -> None:
    with pytest.raises(DataError, match="expected a table of inputs and scores"):
        list(log_formats()[NAME].read([LogFile(write(tmp_path, columns, *rows))]))


def test_a_table_of_a_public_repository(logs: Callable[[str], Path]) -> None:
    (log,) = logs_in(logs("faults/unknown-others") / "mlflow.eval_results_table.json", NAME)
    correctness = metric_of(log, "answer_correctness")
    assert np.isnan(correctness.scores).sum() == 6
    assert np.nanmean(correctness.scores) == 2.5
    assert len(set(log.item_ids)) == 10
