"""Logs of MT-bench."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outscore.errors import DataError
from tests.logs.kit import LogFile, format_of_log, log_formats
from tests.logs.reading import item_means, logs_in, standard_error

NAME = "MT-bench"

# Means and standard errors over turns by the sets' own check; rows with a score, and the mean of show_result.
ORACLE: Mapping[str, Mapping[str, tuple[float, float | None, int, float]]] = {
    "mtbench-llama2-finetunes": {
        "finetune_llama2_chat_7b": (4.625, 0.26462712582664394, 160, 4.625),
        "finetune_llama2_chat_7b_Attention": (5.146875, 0.2858562139589802, 160, 5.146875),
        "finetune_llama2_chat_7b_FFNet": (5.10625, 0.2708443696348386, 160, 5.10625),
        "llama2_7b": (3.96875, 0.2624901727720236, 160, 3.96875),
        "llama2_chat_7b": (6.190625, 0.2881596846065514, 160, 6.190625),
    },
    "mtbench-llama3-griffin": {
        "Meta-Llama-3-8B-Instruct-Griffin": (2.7, 0.1997541728218673, 160, 2.7),
        "Meta-Llama-3-8B-Instruct-Normal": (7.76875, None, 166, 7.843373493975903),
    },
}


def grade(question: int, score: object, turn: int = 1, model: str = "a", **more: object) -> dict[str, object]:
    """Return a row of single grades."""
    prompt = (
        f"Judge.\n\n[Question]\nquestion {question}\n\n[The Start of Assistant's Answer]\nanswer\n"
        "[The End of Assistant's Answer]"
    )
    return {
        "question_id": question,
        "model": model,
        "judge": ["gpt-4", "single-v1"],
        "user_prompt": prompt,
        "judgment": "Rating: [[5]]",
        "score": score,
        "turn": turn,
        "tstamp": 1.0,
        **more,
    }


def pair(question: int, models: Sequence[str], winners: Sequence[object], **more: object) -> dict[str, object]:
    """Return a row of verdicts on two answers."""
    return {
        "question_id": question,
        "model_1": models[0],
        "model_2": models[1],
        "g1_winner": winners[0],
        "g2_winner": winners[1],
        "judge": ["gpt-4", "pair-v2"],
        "g1_user_prompt": f"[User Question]\nquestion {question}\n\n[The Start of Assistant A's Answer]\nx",
        "turn": 1,
        "tstamp": 1.0,
        **more,
    }


def written(folder: Path, rows: Sequence[Any], name: str = "gpt-4_single.jsonl") -> Path:
    """Write judgements where FastChat does."""
    path = folder / "data" / "mt_bench" / "model_judgment" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


@pytest.mark.parametrize("name", ORACLE)
def test_means_are_those_of_the_sets(logs: Callable[[str], Path], name: str) -> None:
    read = {log.system: log for log in logs_in(logs(name), NAME)}
    assert read.keys() == ORACLE[name].keys()
    for system, (mean, error, rows, shown) in ORACLE[name].items():
        log = read[system]
        (metric,) = log.metrics
        means = item_means(log, metric)
        assert len(means) == 160
        assert np.mean(list(means.values())) == pytest.approx(mean, abs=1e-12)
        if error is not None:  # where no question was judged twice
            assert standard_error(means) == pytest.approx(error, abs=1e-12)
        scored = metric.scores[~np.isnan(metric.scores)]
        assert len(scored) == rows
        assert scored.mean() == pytest.approx(shown, abs=1e-12)
        assert (metric.name, metric.lowest, metric.highest) == ("score", 1, 10)


def test_a_turn_that_is_null_is_the_first(tmp_path: Path) -> None:
    (log,) = logs_in(written(tmp_path, [{**grade(81, 5), "turn": None}, grade(82, 6)]), NAME)
    assert log.item_ids == ["81 turn 1", "82 turn 1"]
    assert log.labels["turn"] == ["1", "1"]


def test_turns_of_a_question_are_a_cluster(logs: Callable[[str], Path]) -> None:
    read = {log.system: log for log in logs_in(logs("mtbench-llama2-finetunes"), NAME)}
    a, b = read["finetune_llama2_chat_7b"], read["llama2_chat_7b"]
    assert a.cluster == "question"
    assert len(set(a.labels["question"])) == 80
    assert set(a.labels["category"]) >= {"writing", "math", "stem"}
    cluster = dict(zip(a.item_ids, a.labels["question"], strict=True))
    means = [item_means(log, log.metrics[0]) for log in (a, b)]
    differences = {item: means[0][item] - means[1][item] for item in cluster}
    mean = float(np.mean(list(differences.values())))
    sums: dict[str, float] = defaultdict(float)
    for item, difference in differences.items():
        sums[cluster[item]] += difference - mean
    error = np.sqrt(sum(one**2 for one in sums.values()) * 80 / 79) / 160
    assert mean == pytest.approx(-1.565625, abs=1e-12)
    assert error == pytest.approx(0.30384351421633, abs=1e-12)


def test_a_grade_that_was_not_given_is_no_score(tmp_path: Path) -> None:
    rows = [grade(81, -1), grade(81, 8), grade(82, -1), grade(82, 7, turn=2), grade(83, 9.5), grade(83, 9.5)]
    (log,) = logs_in(written(tmp_path, rows), NAME)
    assert log.item_ids == ["81 turn 1", "82 turn 1", "82 turn 2", "83 turn 1", "83 turn 1"]
    np.testing.assert_array_equal(log.metrics[0].scores, [8, np.nan, 7, 9.5, 9.5])


def test_judged_twice_without_a_grade_is_one_item_without_a_score_left_in(tmp_path: Path) -> None:
    (log,) = logs_in(written(tmp_path, [grade(81, -1), grade(81, -1)]), NAME)
    assert np.isnan(log.metrics[0].scores).all()


def test_grades_out_of_range_are_told(tmp_path: Path) -> None:
    (log,) = logs_in(written(tmp_path, [grade(81, 0), grade(82, 100)]), NAME)
    assert log.metrics[0].lowest is None
    assert log.notes == ["scores from 0 to 100 instead of 1 to 10"]


def test_systems_and_judges_are_logs_of_their_own(tmp_path: Path) -> None:
    rows = [grade(81, 8), grade(81, 7, model="b"), grade(81, 5, judge=["claude-v1", "single-v1"])]
    read = logs_in(written(tmp_path, rows), NAME)
    assert [(log.system, log.facts["judge"], log.task) for log in read] == [
        ("a", "gpt-4", "mt_bench"),
        ("b", "gpt-4", "mt_bench"),
        ("a", "claude-v1", "mt_bench"),
    ]


def test_texts_are_what_the_judge_was_shown(tmp_path: Path) -> None:
    (log,) = logs_in(written(tmp_path, [grade(81, 8), grade(82, 8)]), NAME)
    texts = log_formats()[NAME].texts(log, ["82 turn 1"])
    assert {item: (of.input, of.answer) for item, of in texts.items()} == {"82 turn 1": ("question 82", "answer")}


def test_the_same_question_has_the_same_digest_whatever_the_answer(tmp_path: Path) -> None:
    other = str(grade(81, 1)["user_prompt"]).replace("answer", "[Question]\nmine\n\n[The Start")
    read = logs_in(written(tmp_path, [grade(81, 8), grade(81, 7, model="b", user_prompt=other)]), NAME)
    assert read[0].digests == read[1].digests != {}


def scores_of(path: Path) -> Mapping[str, Mapping[str, float]]:
    """Return the scores of each system by item."""
    return {
        log.system: dict(zip(log.item_ids, log.metrics[0].scores.tolist(), strict=True)) for log in logs_in(path, NAME)
    }


def test_verdicts_against_a_baseline(tmp_path: Path) -> None:
    rows = [
        pair(81, ("a", "base"), ("model_1", "model_1")),
        pair(82, ("a", "base"), ("model_2", "model_2")),
        pair(83, ("a", "base"), ("model_1", "model_2")),
        pair(84, ("a", "base"), ("tie", "tie")),
        pair(85, ("a", "base"), ("tie", "model_1")),
        pair(81, ("b", "base"), ("model_1", "error"), turn=2),
    ]
    path = written(tmp_path, rows, "gpt-4_pair.jsonl")
    read = scores_of(path)
    assert read["a"] == {"81 turn 1": 1, "82 turn 1": 0, "83 turn 1": 0.5, "84 turn 1": 0.5, "85 turn 1": 0.5}
    assert list(read["b"]) == ["81 turn 2"]
    assert np.isnan(read["b"]["81 turn 2"])
    (log, _) = logs_in(path, NAME)
    assert log.facts == {"judge": "gpt-4", "reference": "base"}
    assert (log.metrics[0].name, log.cluster) == ("win_rate", "question")


def test_two_systems_alone_have_the_second_for_a_baseline(tmp_path: Path) -> None:
    assert list(scores_of(written(tmp_path, [pair(81, ("a", "b"), ("tie", "tie"))], "x_pair.jsonl"))) == ["a"]


def test_verdicts_of_all_pairs_are_items_against_each_opponent(tmp_path: Path) -> None:
    rows = [
        pair(81, ("a", "b"), ("model_1", "model_1")),
        pair(81, ("a", "c"), ("model_1", "model_1")),
        pair(81, ("b", "c"), ("model_2", "model_2")),
    ]
    assert scores_of(written(tmp_path, rows, "gpt-4_pair.jsonl")) == {
        "a": {"81 turn 1 against b": 1, "81 turn 1 against c": 1},
        "b": {"81 turn 1 against a": 0, "81 turn 1 against c": 0},
        "c": {"81 turn 1 against a": 0, "81 turn 1 against b": 1},
    }


@pytest.mark.parametrize(
    "rows",
    [
        [{**grade(81, 1), "question_id": [3]}],
        [{**grade(81, 1), "model": None}],
        [{**grade(81, 1), "turn": {}}],
        [grade(81, 1), 7],
        [pair(81, ("a", ""), ("tie", "tie"))],
        [{**pair(81, ("a", "b"), ("tie", "tie")), "question_id": None}],
    ],
)
def test_what_is_wrong_is_one_error(tmp_path: Path, rows: list[Any]) -> None:
    with pytest.raises(DataError, match=r"single\.jsonl:\d"):
        logs_in(written(tmp_path, rows), NAME)


@pytest.mark.parametrize(
    "row",
    [
        {"question_id": 1, "model": "a", "judge": "gpt", "score": 1},
        {"question_id": 1, "category": "writing", "turns": ["a", "b"]},
        {"question_id": 1, "task": "t", "model": "a", "score": 1, "turn": 1, "category": "math"},
        {"question_id": 1, "model_a": "a", "model_b": "b", "winner": "tie", "judge": ["u"]},
        {"id": 1, "score": 1, "judge": [1]},
    ],
)
def test_other_files_are_left_alone(tmp_path: Path, row: object) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(f"{json.dumps(row)}\n")
    assert format_of_log(LogFile(path)) is None
