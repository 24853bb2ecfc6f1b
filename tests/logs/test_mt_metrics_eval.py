"""Scores of segments as mt-metrics-eval keeps them, made by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import outscore
from outscore.errors import DataError, OutscoreError
from tests.logs.conftest import BESIDE
from tests.logs.kit import LogFile, checked, log_formats
from tests.logs.reading import logs_in, metric_of

NAME = "mt-metrics-eval"


def write(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_metrics_and_people_on_the_segments_of_a_test_set(tmp_path: Path) -> None:
    root = tmp_path / "wmt22"
    write(root / "metric-scores/en-de/COMET-refA.seg.score", "A\t0.5", "A\t0.75", "A 1", "B 0.25", "B 0", "B 0.5")
    write(root / "metric-scores/en-de/COMET-refA.sys.score", "A 0.75", "B 0.3")
    write(root / "human-scores/en-de.mqm.seg.score", "A -1.0", "A None", "A 0", "B -5", "B None", "B 0")
    write(root / "documents/en-de.docs", "news doc1", "news doc1", "social doc2")
    a, b = logs_in(tmp_path, NAME)
    assert (a.system, a.task, b.system) == ("A", "wmt22 en-de", "B")
    assert a.item_ids == ["1", "2", "3"]
    assert {metric.name for metric in a.metrics} == {"COMET-refA", "mqm"}
    np.testing.assert_array_equal(metric_of(a, "mqm").scores, [-1, np.nan, 0])
    assert a.labels == {"document": ["doc1", "doc1", "doc2"], "domain": ["news", "news", "social"]}
    assert a.cluster == "document"
    assert checked(a, metric_of(a, "COMET-refA"))[2]
    assert "is not the mean over segments" in str(checked(b, metric_of(b, "COMET-refA"))[3])


def errors(*of: tuple[str, str, float | None]) -> str:
    """Return a rating as mt-metrics-eval writes it."""
    spans = [
        {"start": 0, "end": 3, "category": kind, "severity": severity, "score": score, "is_source_error": False}
        for kind, severity, score in of
    ]
    return json.dumps({"errors": spans})


def ratings(path: Path) -> Path:
    """Write ratings of two systems, and of one that nobody rated."""
    two = errors(("accuracy/mistranslation", "major", 5), ("fluency/punctuation", "minor", 0.1))
    unscored = errors(("accuracy/omission", "major", None), ("fluency/punctuation", "minor", None))
    a = [f"A\t{errors()}\trater1", "A\tNone", f"A\t{two}\trater2"]
    b = [f"B\t{errors(('style/awkward', 'minor', 1.0))}", "B\tNone", f"B\t{unscored}"]
    return write(path, *a, *b, *["synthetic_ref\tNone"] * 3)


def test_ratings_have_the_negative_sum_of_the_scores_of_their_errors(tmp_path: Path) -> None:
    path = ratings(tmp_path / "wmt23" / "human-scores" / "en-de.mqm.merged.seg.rating")
    write(tmp_path / "wmt23/documents/en-de.docs", "news doc1", "news doc1", "social doc2")
    logs = [log for log in logs_in(path, NAME) if log.system]
    assert [(log.system, log.task, log.metrics[0].name, log.cluster) for log in logs] == [
        ("A", "wmt23 en-de", "mqm.merged", "document"),
        ("B", "wmt23 en-de", "mqm.merged", "document"),
    ]
    np.testing.assert_allclose([log.metrics[0].scores for log in logs], [[0, np.nan, -5.1], [-1, np.nan, -5.1]])
    scores = outscore.read(str(path))
    assert (scores.names, scores.design.n_items) == (("A", "B"), 2)
    assert any(note.endswith('has no scores of "synthetic_ref", which are left out.') for note in scores.notes)
    for line in ("A\t3", 'A\t{"errors": 3}', 'A\t{"errors": [{"severity": "dreadful"}]}', "A", "A\tNone\tr\tx"):
        path = write(tmp_path / "m.seg.rating", f"A\t{errors()}", line)
        with pytest.raises(DataError, match=r"rating:2: expected a system and a rating"):
            logs_in(path, NAME)


def test_a_file_anywhere(tmp_path: Path) -> None:
    path = write(tmp_path / "mine" / "my-metric.seg.score", "A 1", "B 2")
    assert [(log.system, log.task, log.metrics[0].name) for log in logs_in(path, NAME)] == [
        ("A", "mine", "my-metric"),
        ("B", "mine", "my-metric"),
    ]


def test_hostile_lines_are_one_error(tmp_path: Path) -> None:
    for line in ("A", "A b", "A 1 2", "A 1_0", "A nan", "A inf", "\x1b[31m"):
        path = write(tmp_path / "m.seg.score", "A 1", line)
        with pytest.raises(DataError, match=r"score:2: expected a system and a score"):
            logs_in(path, NAME)


def test_what_is_no_log_of_it(tmp_path: Path) -> None:
    known = log_formats()[NAME]
    assert not known.recognizes(LogFile(write(tmp_path / "m.sys.score", "A 1")))
    assert not known.recognizes(LogFile(write(tmp_path / "m.seg.score", "no score")))


def made_set(folder: Path) -> Path:
    """Write a test set of three metrics, of which people's does not score the reference."""
    root = folder / "wmt22"
    a, b = [f"A\t{i % 3}" for i in range(12)], [f"B\t{i % 2}" for i in range(12)]
    reference = [f"synthetic_ref\t{i % 4}" for i in range(12)]
    write(root / "human-scores/en-de.mqm.seg.score", *a, *b)
    write(root / "human-scores/en-de.mqm.sys.score", "A 1", "B 0.5")
    write(root / "metric-scores/en-de/COMET-src.seg.score", *a, *b, *reference)
    write(root / "metric-scores/en-de/COMET-src.sys.score", "A 1", "B 0.5", "synthetic_ref 1.5")
    write(root / "metric-scores/en-de/chrF-refA.seg.score", *a, *b)
    return folder


def test_systems_that_a_metric_does_not_score_are_left_out_and_named(tmp_path: Path) -> None:
    scores = outscore.read(str(made_set(tmp_path)), metric="mqm")
    assert scores.names == ("A", "B")
    assert any('no scores of "synthetic_ref", which are left out' in note for note in scores.notes)
    assert outscore.read(str(tmp_path), metric="COMET-src").names == ("A", "B", "synthetic_ref")
    with pytest.raises(OutscoreError, match=r'unknown metric "mmqm".*Did you mean "mqm"'):
        outscore.read(str(tmp_path), metric="mmqm")


def test_only_files_of_the_metric_that_is_asked_for_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made_set(tmp_path)
    read: list[str] = []
    lines = LogFile.lines

    def noted(file: LogFile) -> Iterator[tuple[int, bytes]]:
        read.append(file.name)
        return lines(file)

    monkeypatch.setattr(LogFile, "lines", noted)
    assert outscore.read(str(tmp_path), metric="mqm", task="wmt22 en-de").names == ("A", "B")
    assert [name for name in read if name.endswith(".seg.score")] == ["en-de.mqm.seg.score"]


def test_the_real_set_is_ranked_by_its_human_scores() -> None:
    root = BESIDE.parent / "data" / "meta-wmt23-en-de"
    if not root.is_dir():
        pytest.skip(f"no {root}")
    scores = outscore.read(str(root), metric="mqm")
    assert (len(scores.names), len(scores.rows[0][0])) == (13, 460)
    assert any('"synthetic_ref"' in note for note in scores.notes)
