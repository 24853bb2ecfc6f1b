# ruff: noqa: E501 (messages stand on one line, as users see them)
"""Clusters and strata from files."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.kit import label_codes
from tests.readers.labelled import read_labels

import outscore
from outscore.data.rows import Missing
from outscore.errors import DataError, OutscoreError
from outscore.metrics import Mean
from outscore.readers import InputFiles, read_system

SCORES = "id,score,doc\na,1,x\nb,0,y\nc,1,x\nd,,y\n"


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "base.csv": SCORES,
        "base.txt": "1\n0\n1\n1\n",
        "twice.csv": "item,score\na,1\na,0\nb,1\nb,0\n",
        "docs.txt": "x, 1\ny\nx, 1\ny\n",
        "three.txt": "x\ny\nx\n",
        "items.tsv": "id\tdoc\tlang\nd\ty\t1\nc\tx\t1.0\nb\ty\t2\na\tx\t2\n",
        "other.tsv": "item\tdoc\nd\ty\nc\tx\nb\ty\na\tx\n",
        "two.csv": "id,doc\nc,x\na,x\nd,y\nb,y\n",
        "noids.csv": "doc,lang\nx,1\ny,1\nx,1\ny,1\n",
        "one.csv": "doc\nx\ny\nx\ny\n",
        "hole.tsv": "id\tdoc\na\tx\nb\t\n",
        "blank.txt": "x\n\ny\n",
        "binary": "\0\1\2",
    }.items():
        Path(name).write_text(text, encoding="utf-8")
    Path("folder").mkdir()


@pytest.mark.parametrize(
    ("spec", "baseline", "labels", "ids"),
    [
        ("doc", "base.csv", "x|y|x|y", "abcd"),
        ("DOC", "base.csv:score", "x|y|x|y", "abcd"),
        ("docs.txt", "base.csv", "x, 1|y|x, 1|y", "abcd"),
        ("docs.txt", "base.txt", "x, 1|y|x, 1|y", None),
        ("docs.txt", "twice.csv", "x, 1|y|x, 1|y", None),
        ("three.txt", "base.csv", "x|y|x", None),
        ("items.tsv:doc", "base.csv", "y|x|y|x", "dcba"),
        ("items.tsv:Lang", "base.csv", "1|1.0|2|2", "dcba"),
        ("items.tsv:doc", "base.txt", "y|x|y|x", "dcba"),
        ("other.tsv:doc", "base.csv", "y|x|y|x", "dcba"),
        ("other.tsv:item", "base.csv", "d|c|b|a", "abcd"),
        ("two.csv", "base.csv", "x|x|y|y", "cadb"),
        ("noids.csv:doc", "base.csv", "x|y|x|y", "abcd"),
        ("one.csv", "base.txt", "x|y|x|y", None),
        ("one.csv:doc", "base.txt", "x|y|x|y", None),
        ("score", "twice.csv", "1|0|1|0", None),
    ],
)
def test_labels(spec: str, baseline: str, labels: str, ids: str | None) -> None:
    read = read_labels(spec, baseline)
    assert read.name == spec
    assert read.labels == tuple(labels.split("|"))
    assert read.item_ids == (None if ids is None else tuple(ids))
    assert read.lines is not None
    assert len(read.lines) == len(read.labels)


@pytest.mark.parametrize("spec", ["doc", "docs.txt", "items.tsv:doc", "noids.csv:doc"])
def test_labels_find_their_items_after_some_are_dropped(spec: str) -> None:
    rows = read_system("base.csv", Mean(), missing=Missing.DROP)
    assert label_codes(read_labels(spec, "base.csv"), rows).tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("spec", "baseline", "message"),
    [
        ("dco", "base.csv", "dco: neither a column of base.csv nor a file. Use a column of the baseline, a file with one label per line, or FILE:COLUMN. [wrong-cluster]"),
        ("folder", "base.csv", "folder: neither a column of base.csv nor a file."),
        ("", "base.csv", '"": neither a column of base.csv nor a file.'),
        ("items.tsv:dco", "base.csv", 'items.tsv: column "dco" not found. Did you mean "doc"? [wrong-column]'),
        ("three.txt:x", "base.csv", 'three.txt: column "x" not found: the file has one value per line and no header.'),
        ("items.tsv", "base.csv", 'items.tsv: expected one column of labels, got 2 ("doc", "lang"). Choose one as FILE:COLUMN. [which-column]'),
        ("hole.tsv:doc", "base.csv", 'hole.tsv:3: field "doc": expected a label, got "". Every item needs one. [missing-label]'),
    ],
)  # fmt: skip
def test_what_is_wrong_with_labels(spec: str, baseline: str, message: str) -> None:
    with pytest.raises(OutscoreError) as caught:
        read_labels(spec, baseline)
    assert str(caught.value).startswith(message)
    assert str(caught.value).isprintable()


def test_a_column_of_ids_that_was_named_is_used() -> None:
    Path("named.csv").write_text("utterance,score,speaker\nu1,1,s\nu2,0,t\n")
    labels = read_labels("speaker", "named.csv", "utterance")
    assert labels.item_ids == ("u1", "u2")
    Path("more.csv").write_text("speaker,utterance\nt,u2\ns,u1\n")
    assert read_labels("more.csv:speaker", "named.csv", "utterance").item_ids == ("u2", "u1")


def test_an_item_has_one_label_in_all_files() -> None:
    Path("moved.csv").write_text("doc,id,score\nx,c,1\nx,a,1\nx,b,1\n")
    Path("same.csv").write_text("doc,id,score\nx,c,0\nx,a,1\ny,b,1\n")
    first = pd.read_csv("base.csv").dropna()
    assert outscore.compare(first, "same.csv", clusters="doc").n_units == 2
    for systems in ((first, "moved.csv"), ("moved.csv", "same.csv")):
        with pytest.raises(DataError) as caught:
            outscore.compare(*systems, clusters="doc")
        [problem] = caught.value.problems
        assert problem.slug == "different-labels"
        assert 'field "doc": expected' in problem.what


def test_a_column_of_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SCORES.encode())))
    files = InputFiles()
    rows = read_system("-", Mean(), missing=Missing.DROP, files=files)
    assert label_codes(read_labels("doc", "-", files=files), rows).tolist() == [0, 1, 0]


@pytest.mark.parametrize("word", ["none", "None"])
def test_none_is_no_clusters_and_no_strata(word: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    frames = [
        pd.DataFrame({"id": range(40), "doc": np.arange(40) // 4, "score": rng.normal(size=40)}) for _ in range(2)
    ]
    without: dict[str, Any] = {"clusters": word, "strata": word}
    for systems in (frames, [frame["score"].to_numpy() for frame in frames]):
        assert outscore.compare(*systems, **without).p_value == outscore.compare(*systems).p_value
    assert (
        outscore.compare(*frames, unpaired=True, **without).p_value == outscore.compare(*frames, unpaired=True).p_value
    )
    assert outscore.score(frames[0], **without).scores[0].n_units == 40
    for name, frame in zip("ab", frames, strict=True):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    board = tmp_path / "board.toml"
    systems_of_board = '[[systems]]\nfile = "a.csv"\n[[systems]]\nfile = "b.csv"\n'
    board.write_text(f'clusters = "doc"\nstrata = "{word}"\n{systems_of_board}')
    assert outscore.rank(board).n_units == 10
    assert outscore.rank(board, clusters=word).n_units == 40
    board.write_text(f'clusters = "{word}"\n{systems_of_board}')
    assert outscore.compare(board, baseline="a", **without).n_units == 40
    assert outscore.study_gain(board, strata=word).n_items == 40


@pytest.mark.parametrize("name", ["document", "doc_id", "cluster"])
@pytest.mark.parametrize("kind", ["files", "wide", "long"])
def test_a_column_of_documents_is_told(name: str, kind: str, tmp_path: Path) -> None:
    """As for logs: items of a table may be correlated if several have the same document."""
    items, rng = np.arange(24), np.random.default_rng(5)
    frames = [pd.DataFrame({"item": items, name: items // 4, "score": rng.normal(size=24)}) for _ in range(2)]
    table = frames[0].rename(columns={"score": "a"}).assign(b=frames[1]["score"])
    if kind == "long":
        table = pd.concat([frame.assign(system=of) for of, frame in zip("ab", frames, strict=True)])
    path = str(tmp_path / "scores.csv")
    table.to_csv(path, index=False)
    systems: Any = frames if kind == "files" else [path]
    baseline: Any = {} if kind == "files" else {"baseline": "a"}
    said = f'clusters="{name}" (6) resamples them together.'

    def is_told(**options: Any) -> bool:
        return any(said in warning for warning in outscore.compare(*systems, **baseline, **options).warnings)

    assert is_told() == (kind == "files" or name != "cluster")  # tables of all systems have a column "cluster"
    assert not is_told(clusters=name)
    assert name == "cluster" or not is_told(strata=name)
    assert name == "cluster" or not is_told(clusters="none")
    alone = [frame.assign(**{name: items}) for frame in frames]  # one item per document
    assert not any("correlated" in warning for warning in outscore.compare(*alone).warnings)
