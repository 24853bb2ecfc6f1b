"""Exact match and token F1: values worked by hand, an independent evaluation, and published accuracies."""

from __future__ import annotations

import csv
import json
import pickle
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from outscore.metrics.families.answers import ExactMatch, TokenF1, normalized
from tests.kit import Answer, GoldAnswers, item_format


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The Cat", "cat"),
        ("a.m.", "am"),  # punctuation goes first: no article
        ("A-Team, an  other\tthe", "ateam other"),
        ("theatre Anna", "theatre anna"),
        ("l’État – c’est moi", "l’état – c’est moi"),  # ASCII punctuation alone
        ("a\u00a0b", "b"),
        ("100% of $5", "100 of 5"),
        ("the a an", ""),
        ("ÄA the", "äa"),
    ],
)
def test_normalized(text: str, words: str) -> None:
    assert normalized(text) == words


@pytest.mark.parametrize(
    ("answer", "gold", "exact", "f1"),
    [
        ("Denver Broncos", ("Denver Broncos", "Denver Broncos", "Denver Broncos"), 1, 1),
        ("the Denver Broncos!", ("denver broncos",), 1, 1),
        ("Broncos", ("Denver Broncos",), 0, Fraction(2, 3)),  # P = 1, R = 1/2
        ("gold gold gold", ("gold", "gold gold and blue"), 0, Fraction(4, 7)),  # 2/4 with one, 4/7 with the other
        ("red", ("blue", "green"), 0, 0),
        ("", (), 1, 1),  # no answer, and none given
        ("something", (), 0, 0),
        ("", ("something",), 0, 0),
        ("the", (), 1, 1),  # nothing is left of it
        ("", ("the", "..."), 1, 1),  # no gold answer is left: SQuAD 2.0 takes the question for one without
        ("the", ("the", "cat"), 0, 0),  # "the" is dropped, "cat" is not matched
    ],
)
def test_by_hand(answer: str, gold: tuple[str, ...], exact: int, f1: Fraction) -> None:
    assert ExactMatch().rows([answer], [gold]).tolist() == [[exact, 1]]
    np.testing.assert_allclose(TokenF1().rows([answer], [gold]), [[float(f1), 1]], atol=1e-15)


@pytest.mark.parametrize(
    ("answer", "gold", "exact", "f1"),
    [
        ("A b", ("a b",), 0, 0.5),
        ("' '", ("' '",), 1, 1),
        ("", ("", "x"), 1, 1),
        ("", (), 1, 1),
        ("the", ("the",), 1, 1),
    ],
)
def test_as_they_are(answer: str, gold: tuple[str, ...], exact: float, f1: float) -> None:
    assert ExactMatch(normalize=False).rows([answer], [gold])[0, 0] == exact
    assert TokenF1(normalize=False).rows([answer], [gold])[0, 0] == f1


def words_of(text: str) -> list[str]:
    """Split an answer by another road than `normalized`: character by character."""
    kept = "".join(c for c in text.lower() if not (c.isascii() and c.isprintable() and not c.isalnum() and c != " "))
    words, word = [], ""
    for c in kept + " ":
        if c.isspace():
            words.append(word)
            word = ""
        else:
            word += c
    return [found for found in words if found not in {"", "a", "an", "the"}]


def f1_of(answer: list[str], gold: list[str]) -> Fraction:
    if not answer or not gold:
        return Fraction(answer == gold)
    left, shared = list(gold), 0
    for word in answer:
        if word in left:
            left.remove(word)
            shared += 1
    if not shared:
        return Fraction(0)
    precision, recall = Fraction(shared, len(answer)), Fraction(shared, len(gold))
    return 2 * precision * recall / (precision + recall)


pieces = st.sampled_from(
    ["the", "a", "an", "cat", "Cat", "42", " ", " ", "\t", ".", "-", "é", "THE", "'", "\u2003", ""]
)
texts = st.lists(pieces, max_size=8).map("".join)


def check(answers: Sequence[str], golds: Sequence[Sequence[str]]) -> None:
    exact, f1 = [], []
    for answer, gold in zip(answers, golds, strict=True):
        kept = [words for words in map(words_of, gold) if words] or [[]]
        exact.append(int(any(words_of(answer) == words for words in kept)))
        f1.append(max(f1_of(words_of(answer), words) for words in kept))
    assert ExactMatch().rows(answers, golds)[:, 0].tolist() == exact
    np.testing.assert_allclose(TokenF1().rows(answers, golds)[:, 0], [float(x) for x in f1], atol=1e-14)
    total = TokenF1().score(TokenF1().rows(answers, golds).sum(axis=0))
    assert float(total) == pytest.approx(float(sum(f1, start=Fraction(0)) / len(f1)), abs=1e-9)


@settings(max_examples=40)
@given(st.lists(st.tuples(texts, st.lists(texts, max_size=3).map(tuple)), min_size=1, max_size=5))
@example([("the the cat", ("cat the cat",))])
def test_equal_to_an_independent_evaluation(items: list[tuple[str, tuple[str, ...]]]) -> None:
    answers, golds = zip(*items, strict=True)
    check(answers, golds)


def unquoted(text: str) -> str:
    """Return an answer as ZeroEval compares it: line feeds escaped, outer quotes off."""
    return text.replace("\n", "\\n").strip("'\"")


def test_the_published_accuracies_of_eight_language_models(data: Callable[[str], Path]) -> None:
    folder = data("llm-cruxeval")
    with (folder / "systems.tsv").open(encoding="utf-8", newline="") as file:
        published = {row["system"]: row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)}
    paths = sorted((folder / "predictions").iterdir())
    assert len(paths) == 8
    as_they_are = {}
    for path in paths:
        text = path.read_text(encoding="utf-8")
        outputs, gold = (
            item_format("answers").parse(text, path.name),
            item_format("gold-answers").parse(text, path.name),
        )
        assert outputs.item_ids == gold.item_ids == tuple(f"crux-test-#{i}" for i in range(800))
        metric = ExactMatch(normalize=False)
        as_they_are[path.stem] = int(metric.rows(outputs.items, gold.items)[:, 0].sum())
        # Without its quotes the gold answer '' is empty, and a model that gave no answer (null) still wrong.
        nulls = [json.loads(line)["prediction"] is None for line in text.split("\n") if line]
        answers = ["(null)" if null else unquoted(answer) for answer, null in zip(outputs.items, nulls, strict=True)]
        rows = metric.rows(answers, [tuple(map(unquoted, texts)) for texts in gold.items])
        correct = int(rows[:, 0].sum())
        assert correct == int(published[path.stem]["correct"])
        assert 100 * float(metric.score(rows.sum(axis=0))) == pytest.approx(
            float(published[path.stem]["published_accuracy_pct"]), abs=0.005 + 1e-9
        )
        check(outputs.items, gold.items)
    # Strings that are equal to the last quote are fewer: what ZeroEval compares is not what the file holds.
    assert as_they_are == {
        "Meta-Llama-3.1-70B-Instruct": 413,
        "Meta-Llama-3.1-8B-Instruct": 208,
        "Qwen2.5-72B-Instruct": 491,
        "Qwen2.5-7B-Instruct": 280,
        "claude-3-5-haiku-20241022": 446,
        "claude-3-5-sonnet-20241022": 559,
        "gpt-4o-2024-08-06": 598,
        "gpt-4o-mini-2024-07-18": 485,
    }


@pytest.mark.parametrize("metric", [ExactMatch(), TokenF1(), ExactMatch(normalize=False), TokenF1(normalize=False)])
def test_rows_add_up_and_scores_are_vectorised(metric: ExactMatch | TokenF1) -> None:
    outputs = [Answer("a b c"), Answer(""), Answer("d")]
    golds = [GoldAnswers(("b c", "c")), GoldAnswers(), GoldAnswers(("e",))]
    rows = metric.rows(outputs, golds)
    assert rows.shape == (3, len(metric.statistics))
    assert np.array_equal(np.vstack([metric.rows([o], [g]) for o, g in zip(outputs, golds, strict=True)]), rows)
    weights = np.array([[1.0, 1, 1], [2, 1, 0], [0, 0, 0]])
    scores = metric.score(weights @ rows)
    assert scores.tolist() == [float(metric.score(w @ rows)) for w in weights]
    assert scores[2] == 0
    assert metric.rows([], []).shape == (0, 2)
    assert pickle.loads(pickle.dumps((metric, outputs, golds))) == (metric, outputs, golds)


def test_a_single_gold_answer_needs_no_tuple() -> None:
    assert TokenF1().rows(["river Loire"], ["the river Loire"])[0, 0] == 1
