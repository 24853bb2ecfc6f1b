"""Logs of AlpacaEval."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outscore.errors import DataError
from tests.logs.kit import LogFile, format_of_log, log_formats
from tests.logs.reading import item_means, logs_in, standard_error

NAME = "AlpacaEval"

# System, rows, scored, win rate and its standard error in per cent, as the sets' own check computes them.
ORACLE = {
    "alpacaeval-v1-gpt4": [
        ("alpaca-7b", 805, 805, 26.459627329192546, 1.5357114697480003),
        ("minichat-3b", 805, 804, 48.818407960199, 1.758472313521605),
        ("phi-2", 805, 799, 30.663329161451813, 1.6056202651534166),
        ("text_davinci_001", 805, 804, 15.17412935323383, 1.2351078922768493),
    ],
    "alpacaeval-v2-weighted": [
        ("NullModel", 805, 805, 76.9197918037267, 0.9090102449682643),
        ("alpaca-7b", 805, 805, 2.591450540223603, 0.4870855382635108),
        ("alpaca-7b_concise", 804, 804, 1.9911763835447762, 0.4437510223659488),
        ("alpaca-7b_verbose", 802, 802, 2.9331016025062344, 0.5302092824422211),
        ("gpt-3.5-turbo-0301", 805, 805, 9.622453295105588, 0.9129656686751645),
        ("gpt-3.5-turbo-1106", 805, 805, 9.177964561962733, 0.8904117511864436),
        ("gpt4_1106_preview", 805, 805, 50.0, 0.0),
    ],
}


def row(instruction: str, preference: object, **more: object) -> dict[str, object]:
    """Return a row of annotations."""
    return {
        "instruction": instruction,
        "output_1": "one",
        "generator_1": "reference",
        "dataset": "koala",
        "output_2": "two",
        "generator_2": "system",
        "annotator": "judge",
        "preference": preference,
        **more,
    }


def written(folder: Path, rows: Any, system: str = "system", annotator: str = "judge") -> Path:
    """Write annotations where AlpacaEval does."""
    path = folder / "results" / system / annotator / "annotations.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows))
    return path


@pytest.mark.parametrize("name", ORACLE)
def test_win_rates_are_those_of_the_leaderboard(logs: Callable[[str], Path], name: str) -> None:
    read = logs_in(logs(name), NAME)
    assert [log.system for log in read] == [system for system, *_ in ORACLE[name]]
    for log, (_, rows, scored, rate, error) in zip(read, ORACLE[name], strict=True):
        (metric,) = log.metrics
        means = item_means(log, metric)
        assert (len(log), len(means), len(set(log.item_ids))) == (rows, scored, rows)
        assert 100 * np.mean(list(means.values())) == pytest.approx(rate, abs=1e-9)
        assert 100 * standard_error(means) == pytest.approx(error, abs=1e-9)
        own = {of.statistic: of.value / of.scale for of in metric.aggregates}
        assert own == {"mean": pytest.approx(rate / 100, abs=1e-9), "stderr": pytest.approx(error / 100, abs=1e-9)}
        assert {of.n for of in metric.aggregates} == {scored}


def test_instructions_have_the_same_name_in_all_systems(logs: Callable[[str], Path]) -> None:
    read = logs_in(logs("alpacaeval-v2-weighted"), NAME)
    items = [set(log.item_ids) for log in read]
    assert (len(set.intersection(*items)), len(set.union(*items))) == (802, 805)
    digests = {pair for log in read for pair in zip(log.item_ids, log.digests["document"], strict=True)}
    assert len(digests) == 805


def test_a_pair_is_the_oracles(logs: Callable[[str], Path]) -> None:
    read = {log.system: item_means(log, log.metrics[0]) for log in logs_in(logs("alpacaeval-v1-gpt4"), NAME)}
    a, b = read["minichat-3b"], read["phi-2"]
    differences = {item: a[item] - b[item] for item in a.keys() & b.keys()}
    assert len(differences) == 798
    assert np.mean(list(differences.values())) == pytest.approx(0.18233082706766918, abs=1e-12)
    assert standard_error(differences) == pytest.approx(0.021490018662183818, abs=1e-12)


def test_a_name_that_differs_from_the_folder_is_said(logs: Callable[[str], Path]) -> None:
    notes = {log.system: log.notes for log in logs_in(logs("alpacaeval-v2-weighted"), NAME)}
    assert notes.pop("NullModel") == ["names the system example, and its folder NullModel"]
    assert not any(notes.values())


def test_draws_and_judgements_that_failed(tmp_path: Path) -> None:
    preferences = [0, 1.5, None, 1, 2.0, float("nan"), "1.25"]
    path = written(tmp_path, [row(f"question {place}", one) for place, one in enumerate(preferences)])
    (log,) = logs_in(path, NAME)
    expected = [0.5, 0.5, np.nan, 0, 1, np.nan, 0.25]
    np.testing.assert_array_equal(log.metrics[0].scores, expected)
    assert log.facts == {"judge": "judge", "reference": "reference"}
    assert (log.task, log.system) == ("judge", "system")


def test_files_that_were_turned_around(tmp_path: Path) -> None:
    rows = [row("question", 1.25, generator_1="system", generator_2="reference")]
    (log,) = logs_in(written(tmp_path, rows), NAME)
    assert (log.system, log.facts["reference"]) == ("system", "reference")
    assert log.metrics[0].scores.tolist() == [0.75]
    assert log.notes == ["generator_1 is system, so preferences are inverted"]
    (texts,) = log_formats()[NAME].texts(log, log.item_ids).values()
    assert (texts.input, texts.target, texts.answer) == ("question", "two", "one")


def test_long_instructions_are_told_apart(tmp_path: Path) -> None:
    long = "word " * 100
    (log,) = logs_in(written(tmp_path, [row(long + end, 1) for end in ("a", "b", "\n\x1b[31m")]), NAME)
    assert len(set(log.item_ids)) == 3
    assert all(item.startswith("word word ") and len(item) < 64 and item.isprintable() for item in log.item_ids)


def test_of_a_table_only_what_lies_in_the_named_folder_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, [row("a", 1), row("b", 2)])
    board = tmp_path / "judge_leaderboard.csv"
    board.write_text(",win_rate,standard_error,n_total\nsystem,50.0,50.0,2\nother,1,2,3\n")
    (log,) = logs_in(tmp_path, NAME)
    assert [(one.statistic, one.value, one.n, one.scale) for one in log.metrics[0].aggregates] == [
        ("mean", 50.0, 2, 100.0),
        ("stderr", 50.0, 2, 100.0),
    ]
    (log,) = logs_in(path, NAME)
    assert not log.metrics[0].aggregates
    board.write_text("nonsense\n\x00")
    (log,) = logs_in(tmp_path, NAME)
    assert not log.metrics[0].aggregates


@pytest.mark.parametrize(
    "rows",
    [
        [row("a", 3)],
        [row("a", -1)],
        [row("a", float("inf"))],
        [{**row("a", 1), "instruction": ["a"]}],
        [row("a", 1), 3],
    ],
)
def test_what_is_wrong_is_one_error(tmp_path: Path, rows: list[Any]) -> None:
    with pytest.raises(DataError, match=r"annotations\.json"):
        logs_in(written(tmp_path, rows), NAME)


def test_a_file_elsewhere_must_name_its_system(tmp_path: Path) -> None:
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps([row("a", 1), row("b", 1, generator_2="other")]))
    assert [log.system for log in logs_in(path, NAME)] == ["system", "other"]
    path.write_text(json.dumps([row("a", 1, generator_2=None)]))
    with pytest.raises(DataError, match="generator_2"):
        logs_in(path, NAME)


@pytest.mark.parametrize(
    "text",
    [
        '[{"instruction": "a", "output": "b", "generator": "c"}]',
        '[{"id": "a", "score": 1}]',
        '{"instruction": "a", "nested": {"generator_1": 1, "generator_2": 2, "preference": 1}}',
        '[[{"instruction": 1, "generator_1": 1, "generator_2": 2, "preference": 1}]]',
        '"generator_1"',
        "",
    ],
)
def test_other_files_are_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "annotations.json"
    path.write_text(text)
    assert format_of_log(LogFile(path)) is None


def test_answers_longer_than_what_is_looked_at(tmp_path: Path) -> None:
    path = written(tmp_path, [row("a", 2, output_1="x" * 100_000)])
    assert len(logs_in(path, NAME)) == 1
