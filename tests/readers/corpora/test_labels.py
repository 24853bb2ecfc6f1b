"""Files of labels."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from outscore.data.items import GoldLabel, Label
from outscore.errors import DataError, OutscoreError
from outscore.readers.corpora.simple import GoldLabels, PredictedLabels

BOTH = 'id,label,gold,pred\nq1,x,yes,no\nq2,x,"a, b",no\n'


@pytest.mark.parametrize(
    ("text", "source", "predicted", "gold", "ids", "lines"),
    [
        ("pos\nneg, a bit\n\n", "a.txt", ["pos", "neg, a bit"], ["pos", "neg, a bit"], None, [1, 2]),
        ("1\n0", "-", ["1", "0"], ["1", "0"], None, [1, 2]),
        (BOTH, "a.csv", ["no", "no"], ["yes", "a, b"], ("q1", "q2"), [2, 3]),
        ("label\tqid\nx\t1\ny\t2", "a.tsv.gz", ["x", "y"], ["x", "y"], ("1", "2"), [2, 3]),
        ("item,sentiment\n1,x\n2,y", "a.csv", ["x", "y"], ["x", "y"], ("1", "2"), [2, 3]),
        ('{"y_pred": 1, "y_true": true}\n\n{"y_pred": 2.0, "y_true": "no"}', "-", ["1", "2"], ["True", "no"], None,
         [1, 3]),
        ("0\n1\n1", "a.csv", ["0", "1", "1"], ["0", "1", "1"], None, [1, 2, 3]),
        ("a\x85b\u2028c\nd", "a", ["a\x85b\u2028c", "d"], ["a\x85b\u2028c", "d"], None, [1, 2]),
    ],
)  # fmt: skip
def test_labels(
    text: str, source: str, predicted: list[str], gold: list[str], ids: tuple[str, ...] | None, lines: list[int]
) -> None:
    outputs, references = PredictedLabels().parse(text, source), GoldLabels().parse(text, source)
    assert list(outputs.items) == predicted
    assert list(references.items) == gold
    assert {type(label) for label in outputs.items} == {Label}
    assert {type(label) for label in references.items} == {GoldLabel}
    assert outputs.item_ids == references.item_ids == ids
    assert list(outputs.lines) == list(references.lines) == lines
    assert outputs.name == source


def test_a_named_column() -> None:
    assert PredictedLabels("label").parse(BOTH, "a.csv").items == ["x", "x"]
    with pytest.raises(DataError, match=r'^a.csv: column "lable" not found. Did you mean "label"\?'):
        PredictedLabels("lable").parse(BOTH, "a.csv")


@pytest.mark.parametrize(
    ("text", "source", "message"),
    [
        ("", "a.txt", "a.txt: expected one line per item, got an empty file. "
         "Check that this is the right file. [empty]"),
        ("u,v\nx,y", "a.csv", 'a.csv: expected one column of labels, got 2 ("u", "v"). '
         'Call it "prediction", or choose one as FILE:COLUMN. [which-column]'),
        ("id\nx", "a.csv", 'a.csv: expected one column of labels, got 0. Call it "prediction", '
         'or choose one as FILE:COLUMN. [which-column]'),
        ("pos\nneg\npos", "a.csv", "a.csv:1: expected column names, got what looks like an item "
         '("pos"). Write the column names on the first line, such as "prediction". [no-header]'),
        ('{"id": 1, "pred": ["x"]}', "-", '-:1: field "pred": expected a label, got a list. '
         "Every item needs one. [missing-label]"),
        ("id,pred\n,x", "a.csv",
         'a.csv:2: field "id": expected an item id, got "". Every item needs one. [missing-id]'),
    ],
)  # fmt: skip
def test_errors(text: str, source: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        PredictedLabels().parse(text, source)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("x\n\ny\n \nz\n\n", "a.txt"),  # blank lines at the end are none
        ("pred,gold\nx,x\n,x\ny,x\n  ,x\nz,x", "a.csv"),
        ('{"pred": "x"}\n{"pred": null}\n{"pred": "y"}\n{"pred": ""}\n{"pred": "z"}', "a.jsonl"),
    ],
)
def test_an_output_may_be_no_answer_and_a_gold_label_may_not(text: str, source: str) -> None:
    assert PredictedLabels().parse(text, source).items == ["x", "", "y", "", "z"]
    with pytest.raises(DataError, match=r"^a\.\w+:[23]: .*\[(blank-line|missing-label)\]"):
        GoldLabels().parse(text.replace("gold", "y").replace("pred", "gold"), source)


def test_sniffing() -> None:
    assert PredictedLabels().sniff("x\ny")
    assert not GoldLabels().sniff(" \n")


pieces = st.sampled_from(["\n", "\r", "\t", ",", '"', "{", "}", "[", ":", " ", "id", "pred", "gold", '"id": ',
    '"pred": ', "x", "1", "nan", "null", "\0", "\x85", "\u2028", "é"])  # fmt: skip
anything = st.one_of(st.text(), st.lists(pieces, max_size=30).map("".join))


def check(error: OutscoreError) -> None:
    assert all(str(problem).isprintable() for problem in error.problems)


@settings(max_examples=40, deadline=None)
@given(anything, st.sampled_from(["a", "-", "a.csv", "a.tsv", "a.jsonl"]), st.sampled_from([None, "pred", ""]))
@example('{"pred": {}}', "-", None)
def test_any_text_is_labels_or_an_error(text: str, source: str, column: str | None) -> None:
    for form in (PredictedLabels(column), GoldLabels(column)):
        form.sniff(text)
        try:
            corpus = form.parse(text, source)
        except OutscoreError as error:
            check(error)
            continue
        assert len(corpus) == len(corpus.lines) > 0
        assert all(corpus.items) or isinstance(form, PredictedLabels)
        assert corpus.item_ids is None or len(corpus.item_ids) == len(corpus)
        assert corpus.lines[-1] <= text.count("\n") + 1
