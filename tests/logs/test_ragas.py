"""Results of ragas: a CSV and JSON records that ragas 0.4.3 and pandas wrote, and documents of scripts around it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outscore
from outscore.errors import DataError, OptionError
from tests.fuzz.targets import CORPUS
from tests.logs.kit import LogFile, log_formats
from tests.logs.reading import logs_in

NAME = "ragas"
FOLDER = CORPUS / "log-ragas"


@pytest.mark.parametrize("name", ["ragas.csv", "ragas.json"])
def test_results_of_the_tool_itself(name: str) -> None:
    (log,) = logs_in(FOLDER / name, NAME)
    assert [item.split(" [")[0] for item in log.item_ids][1:] == [
        'Who wrote "Emma"?',
        "How high is K2?",
        "What is 2+2?",
    ]
    scores = {metric.name: (metric.higher_is_better, metric.scores.tolist()) for metric in log.metrics}
    assert np.array_equal(scores.pop("faithfulness")[1], [1, 0.5, np.nan, 0.75], equal_nan=True)
    assert scores == {
        "noise_sensitivity(mode=relevant)": (False, [0, 0.25, 0.5, 0]),
        "exact_match": (True, [0, 1, 0, 1]),
        "politeness/higher-is-better": (True, [0, 1, 1, 1]),
        "politeness/lower-is-better": (False, [0, 1, 1, 1]),
    }
    texts = log_formats()[NAME].texts(log, {log.item_ids[2]})[log.item_ids[2]]
    assert (texts.input, texts.target, texts.answer) == ("How high is K2?", "8,611 m", "I do not know, sorry.")


def test_systems_are_paired_by_question_in_any_order(tmp_path: Path) -> None:
    header, *rows = (FOLDER / "ragas.csv").read_text().replace("\ncontext", " context").splitlines()
    for name, own in (("old", rows), ("new", [row.replace(",0.5,", ",0.75,") for row in reversed(rows)])):
        (tmp_path / f"{name}.csv").write_text("\n".join([header, *own]) + "\n")
    paths = str(tmp_path / "old.csv"), str(tmp_path / "new.csv")
    result = outscore.compare(*paths, metric="exact_match")
    assert (result.n_items, result.comparisons[0].gain) == (4, 0)
    with pytest.raises(OptionError, match="-m politeness/higher-is-better"):
        outscore.compare(*paths, metric="politeness")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("id,question,score\n1,Why?,0.5\n", "a.csv"),
        ("user_input,politeness\nWhy?,1\n", "a.csv"),
        ("system,faithfulness\nx,1\n", "a.csv"),
        ('{"question": "q", "score": 1}\n', "a.jsonl"),
        ('{"samples": [{"question": "q", "score": 1}]}', "a.json"),
        ('"user_input', "a.csv"),
    ],
)
def test_other_tables_are_no_logs(text: str, name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    assert not log_formats()[NAME].recognizes(LogFile(tmp_path / name))


def test_columns_of_texts_and_indexes_are_no_metrics(tmp_path: Path) -> None:
    rows = [{"id": n, "user_input": f"q{n}", "faithfulness": n / 2, "note": ["1", "x"][n], "n": None} for n in range(2)]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (log,) = logs_in(path, NAME)
    assert (log.system, [metric.name for metric in log.metrics]) == ("a", ["faithfulness"])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"user_input": "", "faithfulness": 1}], "user_input"),
        ([{"user_input": "q", "faithfulness": "high"}], "expected scores of questions"),
    ],
)
def test_hostile_rows(rows: list[dict[str, Any]], message: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(rows))
    with pytest.raises(DataError, match=message):
        logs_in(tmp_path / "a.json", NAME)


def test_cells_that_are_too_long_are_one_error(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"user_input,faithfulness,response\nq,1,{'x' * 200_000}\n")
    with pytest.raises(DataError, match="too-long"):
        logs_in(tmp_path / "a.csv", NAME)


def test_a_document_of_a_public_repository(logs: Callable[[str], Path]) -> None:
    path = logs("faults/unknown-others") / "ragas_results.json"
    (log,) = logs_in(path, NAME)
    summary = json.loads(path.read_text())["summary"]
    assert {metric.name: pytest.approx(metric.scores.mean(), abs=1e-9) for metric in log.metrics} == summary
    assert {metric.name: metric.aggregates[0].value for metric in log.metrics} == summary


@pytest.mark.parametrize("missing", ["n/a", "NaN", "", "NA"])
def test_a_word_for_a_missing_score_is_no_text(missing: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("user_input,faithfulness\n" + "".join(f"q{n},{missing if n == 3 else 0.5}\n" for n in range(8)))
    (log,) = logs_in(path, NAME)
    assert [metric.name for metric in log.metrics] == ["faithfulness"]
    assert np.isnan(log.metrics[0].scores).tolist() == [n == 3 for n in range(8)]


def test_text_among_numbers_is_no_silent_loss(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = [f"q{n},{'high' if n == 3 else 0.5},1\n" for n in range(8)]
    path.write_text("user_input,faithfulness,exact_match\n" + "".join(rows))
    with pytest.raises(DataError, match=r'csv:5: field "faithfulness": expected a number, as in most rows, got "high"'):
        logs_in(path, NAME)
    path.write_text("user_input,grade,exact_match\n" + "".join(rows))
    (log,) = logs_in(path, NAME)
    assert [metric.name for metric in log.metrics] == ["exact_match"]
    assert [note.partition(":")[0] for note in log.notes] == ["has a field that is not read as scores"]
