"""Logs of Arena-Hard, made by what its writer does."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outscore.errors import DataError
from tests.logs.kit import LogFile, format_of_log, log_formats
from tests.logs.reading import logs_in, metric_of

NAME = "Arena-Hard"


def prompt(question: str) -> str:
    """Return what a judge is shown."""
    return (
        f"<|User Prompt|>\n{question}\n\n<|The Start of Assistant A's Answer|>\nbase\n<|The End of Assistant A's "
        "Answer|>\n\n<|The Start of Assistant B's Answer|>\nmine\n<|The End of Assistant B's Answer|>"
    )


def of_v01(question: str, verdicts: Sequence[object]) -> dict[str, object]:
    """Return a row of v0.1."""
    games = [{"user_prompt": prompt(question), "judgment": "...", "score": verdict} for verdict in verdicts]
    return {"question_id": question, "model": "a", "judge": "gpt-4-1106-preview", "games": games}


def of_v20(question: str, verdicts: Sequence[object], category: str = "hard_prompt") -> dict[str, object]:
    """Return a row of v2.0."""
    messages = [{"role": "system", "content": "..."}, {"role": "user", "content": prompt(question)}]
    games = [
        None if verdict == "failed" else {"score": verdict, "judgment": {"answer": "..."}, "prompt": messages}
        for verdict in verdicts
    ]
    more = {"judge": "gpt-4.1", "model": "a", "baseline": "o3-mini-2025-01-31"}
    return {"uid": question, "category": category, **more, "games": games}


def written(folder: Path, rows: Sequence[Any], judge: str = "gpt-4.1") -> Path:
    """Write judgements where Arena-Hard does."""
    path = folder / "model_judgment" / judge / "a.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def test_verdicts_of_both_games_are_averaged(tmp_path: Path) -> None:
    verdicts = [
        ("B>>A", "A>>B"),  # much better in both orders
        ("B>A", "A>B"),
        ("A=B", "A=B"),
        ("A>>B", "B>>A"),
        ("B>A", "B>A"),  # whoever is B
        ("A<<B", "A=B"),
        ("B<A", "B=A"),
    ]
    rows = [of_v01(f"q{place}", games) for place, games in enumerate(verdicts)]
    (log,) = logs_in(written(tmp_path, rows), NAME)
    assert metric_of(log, "score").scores.tolist() == [1, 0.75, 0.5, 0, 0.5, 0.75, 0.375]
    assert metric_of(log, "win_rate").scores.tolist() == [1, 1, 0.5, 0, 0.5, 0.75, 0.25]
    assert [metric.is_main for metric in log.metrics] == [True, False]
    assert (log.system, log.task) == ("a", "arena-hard-v0.1")
    assert log.facts == {"judge": "gpt-4-1106-preview"}


def test_a_game_without_a_verdict_leaves_no_score(tmp_path: Path) -> None:
    verdicts: list[tuple[object, ...]] = [(None, "A>B"), ("failed", "A>B"), ("A>B",), ("A>>>B", "A>B"), (3, "A>B")]
    rows = [of_v20(f"q{place}", games) for place, games in enumerate(verdicts)]
    (log,) = logs_in(written(tmp_path, [*rows, {**rows[0], "uid": "q9", "games": None}]), NAME)
    assert np.isnan(metric_of(log, "score").scores).all()
    assert len(log) == 6


def test_categories_are_tasks_with_their_own_baseline(tmp_path: Path) -> None:
    rows = [of_v20("q1", ("A=B", "A=B")), {**of_v20("q2", ("A=B", "A=B"), "creative_writing"), "baseline": "gemini"}]
    read = logs_in(written(tmp_path, rows), NAME)
    assert [(log.task, log.facts["reference"]) for log in read] == [
        ("arena-hard-v2.0/hard_prompt", "o3-mini-2025-01-31"),
        ("arena-hard-v2.0/creative_writing", "gemini"),
    ]


@pytest.mark.parametrize("of", [of_v01, of_v20])
def test_texts_and_digests(tmp_path: Path, of: Any) -> None:
    (log,) = logs_in(written(tmp_path, [of("q1", ("A=B", "A=B")), of("q2", ("A=B", "A=B"))]), NAME)
    assert len(set(log.digests["document"])) == 2
    (texts,) = log_formats()[NAME].texts(log, ["q2"]).values()
    assert (texts.input, texts.target, texts.answer) == ("q2", "base", "mine")


@pytest.mark.parametrize("change", [{"uid": []}, {"model": 0.0, "uid": None}, {"model": ""}, {"games": 3}])
def test_what_is_wrong_is_one_error(tmp_path: Path, change: dict[str, Any]) -> None:
    with pytest.raises(DataError, match=r"a\.jsonl:1"):
        logs_in(written(tmp_path, [{**of_v20("q1", ("A=B", "A=B")), **change}]), NAME)


@pytest.mark.parametrize("row", [{"model": "a", "games": 3}, {"uid": 1, "conversation_a": [], "games": []}])
def test_other_files_are_left_alone(tmp_path: Path, row: object) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(f"{json.dumps(row)}\n")
    assert format_of_log(LogFile(path)) is None
