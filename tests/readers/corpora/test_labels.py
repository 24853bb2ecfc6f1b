"""Files of labels."""

from __future__ import annotations

import pytest
from tests.kit import GoldLabel, Label, item_format

from outscore.errors import DataError

GOLD = item_format("gold-labels")
PREDICTED = item_format("labels")

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
    outputs, references = PREDICTED.parse(text, source), GOLD.parse(text, source)
    assert list(outputs.items) == predicted
    assert list(references.items) == gold
    assert {type(label) for label in outputs.items} == {Label}
    assert {type(label) for label in references.items} == {GoldLabel}
    assert outputs.item_ids == references.item_ids == ids
    assert list(outputs.lines) == list(references.lines) == lines
    assert outputs.name == source


def test_a_named_column() -> None:
    assert item_format("labels", column="label").parse(BOTH, "a.csv").items == ["x", "x"]
    with pytest.raises(DataError, match=r'^a.csv: column "lable" not found. Did you mean "label"\?'):
        item_format("labels", column="lable").parse(BOTH, "a.csv")


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
        PREDICTED.parse(text, source)
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
    assert PREDICTED.parse(text, source).items == ["x", "", "y", "", "z"]
    with pytest.raises(DataError, match=r"^a\.\w+:[23]: .*\[(blank-line|missing-label)\]"):
        GOLD.parse(text.replace("gold", "y").replace("pred", "gold"), source)


def test_sniffing() -> None:
    assert PREDICTED.sniff("x\ny")
    assert not GOLD.sniff(" \n")
