"""Files of answers and gold answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.kit import Answer, GoldAnswers, item_format

from outscore.errors import DataError

GOLD = item_format("gold-answers")
PREDICTED = item_format("answers")
PREDICTIONS = item_format("squad-predictions")
QUESTIONS = item_format("squad")

SQUAD: dict[str, Any] = {
    "version": "v2.0",
    "data": [
        {"title": "T", "paragraphs": [
            {"context": "c", "qas": [
                {"question": "?", "id": "q1", "answers": [{"text": "a", "answer_start": 0}, {"text": "A b"}]},
                {"question": "?", "id": 2, "answers": [], "is_impossible": True, "plausible_answers": [{"text": "z"}]},
            ]},
            {"context": "d", "qas": [{"question": "q1", "id": "é3", "answers": [{"text": "q1"}]}]},
        ]},
    ],
}  # fmt: skip


@pytest.mark.parametrize("indent", [None, 1])
def test_squad(indent: int | None) -> None:
    text = json.dumps(SQUAD, indent=indent, ensure_ascii=False)
    corpus = QUESTIONS.parse(text, "dev.json")
    assert list(corpus.items) == [("a", "A b"), (), ("q1",)]
    assert {type(item) for item in corpus.items} == {GoldAnswers}
    assert corpus.item_ids == ("q1", "2", "é3")
    assert QUESTIONS.sniff(text)
    lines = text.split("\n")
    for line, item in zip(corpus.lines, corpus.item_ids, strict=True):
        assert f'"{item}"' in lines[line - 1] or item == "2"  # a number: the line of the id before


def test_squad_predictions() -> None:
    text = '{"q1": "a b ",\n"q2": null,\n"q3": 7}'
    corpus = PREDICTIONS.parse(text, "system.json")
    assert list(corpus.items) == ["a b ", "", "7"]
    assert {type(item) for item in corpus.items} == {Answer}
    assert (corpus.item_ids, list(corpus.lines)) == (("q1", "q2", "q3"), [1, 2, 3])
    assert PREDICTIONS.sniff(text)
    assert not QUESTIONS.sniff(text)
    assert not PREDICTED.sniff(text)


BOTH = '{"id": "q1", "answers": ["a", "b"], "prediction": " x "}\n{"id": "q2", "answers": [], "prediction": null}\n'


@pytest.mark.parametrize(
    ("text", "source", "predicted", "gold", "ids"),
    [
        (BOTH, "a.jsonl", [" x ", ""], [("a", "b"), ()], ("q1", "q2")),
        (BOTH, "-", [" x ", ""], [("a", "b"), ()], ("q1", "q2")),
        ("Nantes, in France\n\nParis\n", "a.txt", ["Nantes, in France", "", "Paris"],
         [("Nantes, in France",), (), ("Paris",)], None),
        ("id,answer\n1,\"a, b\"\n2,", "a.csv", ["a, b", ""], [("a, b",), ()], ("1", "2")),
        ('{"answers": {"text": ["u", "v"], "answer_start": [0, 1]}, "prediction_text": "u"}', "a.jsonl", ["u"],
         [("u", "v")], None),
        ('{"answer": 7}\n{"answer": true}', "a.jsonl", ["7", "True"], [("7",), ("True",)], None),
    ],
)  # fmt: skip
def test_fields(
    text: str, source: str, predicted: list[str], gold: list[tuple[str, ...]], ids: tuple[str, ...] | None
) -> None:
    outputs, references = PREDICTED.parse(text, source), GOLD.parse(text, source)
    assert list(outputs.items) == predicted
    assert list(references.items) == gold
    assert outputs.item_ids == references.item_ids == ids
    assert PREDICTED.sniff(text) is (text.count("\n") > 0 or source != "a.jsonl")


def test_a_named_column() -> None:
    assert item_format("answers", column="x").parse('{"x": "1", "prediction": "2"}\n', "a.jsonl").items == ["1"]


@pytest.mark.parametrize(
    ("form", "text", "message"),
    [
        (PREDICTED, "", "a: expected one line per item, got an empty file. "
         "Check that this is the right file. [empty]"),
        (PREDICTED, '{"id": 1, "prediction": "x"}\n{"id": 2, "prediction": ["x"]}', 'a:2: field "prediction": '
         "expected an answer, got a list. Correct the line. [not-an-answer]"),
        (GOLD, '{"answers": [{}]}\n{"answers": "b"}', 'a:1: field "answers": '
         "expected an answer or a list of answers, got a list. Correct the line. [not-an-answer]"),
        (GOLD, '{"u": 1, "v": 2}', 'a: expected one column of answers, got 2 ("u", "v"). '
         'Call it "answers", or choose one as FILE:COLUMN. [which-column]'),
        (PREDICTIONS, '{"a": "x",\n"b": ["x"]}', 'a:2: question "b": expected an answer, got a list. '
         'Write one object of ids and answers, such as {"q1": "Nantes"}. [not-an-answer]'),
        (PREDICTIONS, '{"a": "x",\n"a": "y"}', 'a: duplicate name "a" in an object. '
         "Give every question one answer. [duplicate-field]"),
        (PREDICTIONS, '{"a": "x",\n"b" "y"}', "a:2: not valid JSON "
         "(Expecting ':' delimiter at character 5). "
         'Write one object of ids and answers, such as {"q1": "Nantes"}. [not-json]'),
        (PREDICTIONS, "[1]", "a: expected an object, got a list. "
         'Write one object of ids and answers, such as {"q1": "Nantes"}. [not-an-object]'),
        (PREDICTIONS, "{}", "a: expected one line per item, got an object without fields. "
         "Check that this is the right file. [empty]"),
        (QUESTIONS, '{"data": [{"paragraphs": [{"qas": 1}]}]}', "a: data[0].paragraphs[0].qas: "
         "expected a list, got 1. Write SQuAD JSON, or JSON Lines with id and answers. [not-squad]"),
        (QUESTIONS, '{"data": [{"paragraphs": [{"qas": [{"answers": []}]}]}]}',
         'a: data[0].paragraphs[0].qas[0]: expected a question with an "id", got nothing. '
         "Write SQuAD JSON, or JSON Lines with id and answers. [not-squad]"),
        (QUESTIONS, '{"data": [{"paragraphs": []}]}', "a: expected one line per item, got no questions. "
         "Check that this is the right file. [empty]"),
    ],
)  # fmt: skip
def test_errors(form: Any, text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        form.parse(text, "a")
    assert str(caught.value) == message
