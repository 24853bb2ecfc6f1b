"""Outputs and references from Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.kit import (
    Alignment,
    Answer,
    Corpus,
    DependencyTree,
    GoldAlignment,
    GoldAnswers,
    GoldLabel,
    Judgements,
    Label,
    RankedDocuments,
    TaggedSentence,
    Utterance,
)
from tests.readers.kit import corpus_from

from outscore.errors import DataError


@pytest.mark.parametrize(
    ("given", "item_type", "expected"),
    [
        ("a b", str, "a b"),
        (3, float, 3.0),
        (np.float32(0.5), float, 0.5),
        ("a b", Utterance, Utterance("a b")),
        ("pos", Label, Label("pos")),
        (1, GoldLabel, GoldLabel("1")),
        ("x", Answer, Answer("x")),
        ("x", GoldAnswers, GoldAnswers(("x",))),
        (["x", "y"], GoldAnswers, GoldAnswers(("x", "y"))),
        ([(0, 1)], Alignment, Alignment(frozenset({(0, 1)}))),
        ({(0, 1)}, GoldAlignment, GoldAlignment(frozenset({(0, 1)}))),
        (
            ["B-PER", "I-PER", "O", "B-LOC"],
            TaggedSentence,
            TaggedSentence(None, frozenset({(0, 2, "PER"), (3, 4, "LOC")})),
        ),
        ([], TaggedSentence, TaggedSentence(None, frozenset())),
        ({"d1": 1.0, "d2": 2.0}, RankedDocuments, RankedDocuments(("d2", "d1"))),
        (["d1", "d2", "d1"], RankedDocuments, RankedDocuments(("d1", "d2"))),
        ({"d1": 1}, Judgements, Judgements({"d1": 1})),
    ],
)
def test_what_stands_for_an_item(given: Any, item_type: type, expected: object) -> None:
    found = corpus_from([given], item_type, "baseline").items[0]
    assert found == expected
    assert type(found) is type(expected)
    assert corpus_from([found], item_type, "baseline").items[0] is found


@pytest.mark.parametrize(
    ("data", "ids"),
    [
        (["x", "y"], None),
        (("x", "y"), None),
        ({"q1": "x", 2: "y"}, ("q1", "2")),
        (np.array(["x", "y"]), None),
        (pd.Series(["x", "y"]), None),
        (pl.Series(["x", "y"]), None),
    ],
)
def test_what_holds_items(data: Any, ids: tuple[str, ...] | None) -> None:
    corpus = corpus_from(data, str, "baseline")
    assert list(corpus.items) == ["x", "y"]
    assert corpus.item_ids == ids
    assert corpus_from(corpus, str, "other") is corpus


@pytest.mark.parametrize(
    ("data", "item_type", "message"),
    [
        (["x", 1], str, r"baseline\[1\]: expected text, got 1"),
        ("x", str, 'expected a list with one text per item, got "x"'),
        ({"x", "y"}, str, "got a set of 2 values"),
        ([None], float, "expected number, got None"),
        (["1"], float, 'expected number, got "1"'),
        ([1.5], Label, "expected label, got 1.5"),
        (["0-0"], Alignment, "expected alignment"),
        ([["B-PER", "x y"]], TaggedSentence, "expected tagged sentence"),
        ([["B-PER", "nonsense"]], TaggedSentence, "expected tagged sentence"),
        ([3], RankedDocuments, "expected ranked documents"),
        ([["d1"]], Judgements, "expected judgements"),
        (["(S x)"], DependencyTree, "expected dependency tree"),
    ],
)
def test_what_is_refused(data: Any, item_type: type, message: str) -> None:
    with pytest.raises(DataError, match=message):
        corpus_from(data, item_type, "baseline")


def test_anything_goes_for_metrics_of_objects() -> None:
    corpus: Corpus[object] = corpus_from([1, None, "x"], object, "baseline")
    assert list(corpus.items) == [1, None, "x"]
