"""ROUGE: rouge-score's scores of items, and their mean."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outscore.errors import DataError, MissingDependencyError, OptionError
from outscore.metrics.families.summarization import MEASURES, MOST_CELLS, Rouge1, Rouge2, RougeL, RougeLsum
from tests.kit import item_format

rouge_scorer = pytest.importorskip("rouge_score.rouge_scorer")

Find = Callable[[str], Path]
METRICS = [Rouge1, Rouge2, RougeL, RougeLsum]


def segments(path: Path) -> list[str]:
    return list(item_format("text").parse(path.read_bytes().decode(), path.name).items)


@pytest.mark.parametrize("use_stemmer", [False, True])
@pytest.mark.parametrize("most", [5, pytest.param(100, marks=pytest.mark.exhaustive)])
def test_every_system_of_realsumm_scores_as_in_rouge_score(data: Find, use_stemmer: bool, most: int) -> None:
    folder = data("summ-realsumm")
    references = segments(folder / "reference.txt")[:most]
    names = [metric.name for metric in METRICS]
    scorer = rouge_scorer.RougeScorer(names, use_stemmer=use_stemmer)
    for path in sorted((folder / "systems").iterdir()):
        outputs = segments(path)[:most]
        found = [
            scorer.score(reference.replace(" <q> ", "\n"), output.replace(" <q> ", "\n"))
            for reference, output in zip(references, outputs, strict=True)
        ]
        for metric_type in METRICS:
            measure = {Rouge1: "f", Rouge2: "p", RougeL: "r", RougeLsum: "f"}[metric_type]
            metric = metric_type(measure=measure, use_stemmer=use_stemmer, sentence_separator=" <q> ")
            expected = [getattr(scores[metric.name], MEASURES[measure]) for scores in found]
            rows = metric.rows(outputs, [(reference,) for reference in references])
            assert rows[:, 0].tolist() == expected, (path.stem, metric.name)
            assert metric.score(rows.sum(axis=0)) == pytest.approx(np.mean(expected), abs=1e-12)


def test_the_published_scores_of_another_rouge_are_near(data: Find) -> None:
    # ROUGE-1.5.5 has another tokenizer: the data's README says by how much rouge-score differs.
    folder = data("summ-realsumm")
    header, *lines = (folder / "systems.tsv").read_text("utf-8").rstrip("\n").split("\n")
    references = [(text,) for text in segments(folder / "reference.txt")]
    metric = Rouge1(use_stemmer=True, sentence_separator="<q>")
    for line in lines[:2]:
        fields = dict(zip(header.split("\t"), line.split("\t"), strict=True))
        rows = metric.rows(segments(folder / "systems" / f"{fields['system']}.txt"), references)
        assert metric.score(rows.sum(axis=0)) == pytest.approx(float(fields["mean_rouge_1_f"]), abs=0.008)


texts = st.lists(st.sampled_from(["a", "cat", "cats", "sat.", "<q>", "É", "\n", ""]), max_size=8).map(" ".join)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(METRICS), st.sampled_from(sorted(MEASURES)), st.booleans(), texts, st.lists(texts, min_size=1))
def test_several_references_as_in_rouge_score(
    metric_type: type[Rouge1], measure: str, use_stemmer: bool, output: str, several: list[str]
) -> None:
    metric = metric_type(measure=measure, use_stemmer=use_stemmer)
    scorer = rouge_scorer.RougeScorer([metric.name], use_stemmer=use_stemmer)
    expected = getattr(scorer.score_multi(several, output)[metric.name], MEASURES[measure])
    assert metric.rows([output, ""], [tuple(several), ("x",)]).tolist() == [[expected, 1.0], [0.0, 1.0]]


@pytest.mark.parametrize("metric_type", METRICS)
def test_a_metric_like_any_other(metric_type: type[Rouge1]) -> None:
    metric = metric_type(use_stemmer=True)
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert metric.rows([], []).shape == (0, 2)
    assert metric.score(np.zeros((3, 4, 2))).tolist() == [[0.0] * 4] * 3
    rows = metric.rows(["a b c", ""], [("a b d",), ("a",)])
    assert np.array_equal(rows[:1], metric.rows(["a b c"], [("a b d",)]))
    assert np.array_equal(metric.item_scores(rows), rows[:, 0])
    with pytest.raises(DataError, match="different-lengths"):
        metric.rows(["a"], [])


def test_a_separator_is_no_word() -> None:
    assert Rouge1().rows(["a <q> b"], [("x <q> y",)])[0, 0] > 0
    assert Rouge1(sentence_separator="<q>").rows(["a <q> b"], [("x <q> y",)])[0, 0] == 0


@pytest.mark.parametrize("metric", [RougeL(), RougeLsum()])
def test_texts_that_would_fill_the_memory_are_refused(metric: RougeL | RougeLsum) -> None:
    text = "a " * int(MOST_CELLS**0.5 + 1)
    with pytest.raises(DataError, match=r"\[1\]: expected texts of some 10,000 words.*too-long"):
        metric.rows(["a", text], [("a",), (text,)])
    short = text.replace("a a", "a\na") if isinstance(metric, RougeLsum) else "aa" * len(text)
    assert metric.rows([short, short], [("a",), ("b",)]).shape == (2, 2)


def test_bad_options_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match=r"rougeL:measure: .*unknown-measure"):
        RougeL(measure="g")
    with pytest.raises(OptionError, match="empty-separator"):
        RougeLsum(sentence_separator="")
    monkeypatch.setitem(sys.modules, "rouge_score.rouge_scorer", None)
    with pytest.raises(MissingDependencyError, match=r"pip install rouge-score \["):
        Rouge2().rows(["a"], [("a",)])
