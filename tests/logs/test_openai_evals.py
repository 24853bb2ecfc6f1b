"""Logs of openai/evals."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outscore.errors import OutscoreError
from outscore.wings.logs.harnesses.openai_evals import OpenAIEvals
from tests.logs.kit import Log, LogFile, NamedLog, inventory_of
from tests.logs.reading import logs_in, metric_of

NAME = "OpenAI Evals"
SPEC = {
    "completion_fns": ["gpt-x"],
    "eval_name": "sums.dev.v0",
    "base_eval": "sums",
    "split": "dev",
    "run_config": {"max_samples": 5, "seed": 1, "command": "oaieval --key sk-secret", "eval_spec": {"cls": "a:Match"}},
    "run_id": "r",
}


def event(sample: object, kind: str, **data: Any) -> dict[str, Any]:
    return {"run_id": "r", "event_id": 0, "sample_id": sample, "type": kind, "data": data, "created_at": "2026"}


def written(folder: Path, events: Sequence[Any], report: Any = None) -> Path:
    path = folder / "a.jsonl"
    lines = [{"spec": SPEC}, *events, *([{"final_report": report}] if report is not None else [])]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def log_in(path: Path) -> Log:
    (log,) = logs_in(path, NAME)
    return log


def test_matches_are_the_accuracy_of_the_final_report(tmp_path: Path) -> None:
    events = [
        event("sums.dev.2", "sampling", prompt="1 + 1", sampled=["2"]),
        event("sums.dev.2", "match", correct=True, expected="2", picked="2"),
        event("sums.dev.0", "match", correct=False, expected="3", picked="4"),
    ]
    log = log_in(written(tmp_path, events, {"accuracy": 0.5, "boostrap_std": 0.3}))
    assert (log.system, log.task, log.item_ids, log.runs) == (
        "gpt-x",
        "sums.dev.v0",
        ["sums.dev.2", "sums.dev.0"],
        None,
    )
    assert metric_of(log, "accuracy").scores.tolist() == [1, 0]
    assert inventory_of([NamedLog(log, None, "")]).entries[0].agrees
    assert log.facts == {"split": "dev", "limit": "5", "seed": "1", "eval class": "a:Match"}
    assert log.notes == []
    assert OpenAIEvals().texts(log, {"sums.dev.2"})["sums.dev.2"].answer == "2"


def test_numbers_of_metrics_events_are_metrics(tmp_path: Path) -> None:
    events = [
        event("s.0", "match", correct=True),
        event("s.0", "metrics", accuracy=1.0, f1_score=0.75, choice="A", flag=True, deep={"a": 1}),
        event("s.1", "match", correct=False),
        event("s.1", "metrics", accuracy=0.0, f1_score=0.25),
    ]
    log = log_in(written(tmp_path, events, {"accuracy": 0.5, "f1_score": 0.5}))
    assert [metric.name for metric in log.metrics] == ["accuracy", "f1_score", "flag"]
    assert all(entry.agrees in (True, None) for entry in inventory_of([NamedLog(log, None, "")]).entries)
    assert log.runs is None


def test_samples_without_scores_have_none(tmp_path: Path) -> None:
    events = [
        event("s.0", "match", correct=True),
        event("s.1", "sampling", prompt="x"),
        event("s.2", "error", type="E"),
    ]
    log = log_in(written(tmp_path, events))
    assert np.array_equal(metric_of(log, "accuracy").scores, [1, np.nan, np.nan], equal_nan=True)
    assert log.n_errors == 1
    assert log.notes == ["comes from a run that is unfinished or was killed: it has no final report"]


def test_several_events_of_a_sample_are_runs(tmp_path: Path) -> None:
    log = log_in(written(tmp_path, [event("s.0", "match", correct=right) for right in (True, False)], {}))
    assert (log.item_ids, log.runs) == (["s.0", "s.0"], ["1", "2"])


@pytest.mark.parametrize(
    "events",
    [
        [],
        [event("s", "sampling", prompt="x")],
        [event([1], "match", correct=True)],
        [event("s", "match", correct="yes")],
        [event("s", "metrics", score="A")],
        [{"sample_id": "s", "type": "match", "data": 3}],
        [{"sample_id": "s", "type": "metrics", "data": [1]}],
        [event("s", "match", correct=True), {"spec": SPEC}],
        [3],
    ],
)
def test_logs_that_cannot_be_understood(tmp_path: Path, events: Any) -> None:
    with pytest.raises(OutscoreError) as caught:
        logs_in(written(tmp_path, events, {}), NAME)
    assert "\n" not in str(caught.value)


def test_logs_alone_are_recognized(tmp_path: Path, logs: Callable[[str], Path]) -> None:
    for content in ('{"spec": {"a": 1}}', '{"spec": "x", "eval_name": "y", "run_id": "z"}', '{"id": 1, "spec": {}}'):
        (tmp_path / "a.jsonl").write_text(content)
        assert not OpenAIEvals().recognizes(LogFile(tmp_path / "a.jsonl"))
    root = logs("promptfoo-made-numersense").parent
    assert not any(OpenAIEvals().recognizes(LogFile(path)) for path in root.rglob("*.jsonl"))
