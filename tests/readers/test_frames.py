# ruff: noqa: E501 (messages stand on one line, as users see them)
"""Systems and labels from Python objects."""

from __future__ import annotations

from array import array
from collections import deque
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.readers.kit import labels_from, system_from

import outscore
from outscore import Labels, Rows
from outscore.errors import DataError, OptionError
from outscore.metrics import F1, ColumnMetric, Mean


class _Tensor:
    """Like a tensor on a device that NumPy cannot see."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError("can't convert\ncuda tensor")


class _Array:
    """Like an array of another library."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array([1, 0])


masked: Any = np.ma.masked_array  # its stubs take no lists
HUGE = 10**5000  # too long for Python to write
SCORES = pd.Series([1.0, 0.0])
FRAME = {"item": ["a", "b"], "score": [1, 0]}


@pytest.mark.parametrize(
    ("data", "ids"),
    [
        ([1, 0], None),
        ((1.0, False), None),
        ([True, False], None),
        (range(1, -1, -1), None),
        (deque([1, 0]), None),
        (array("d", [1, 0]), None),
        ({"x": 1, "y": 0}.values(), None),
        ([np.float32(1), np.int8(0)], None),
        ([np.bool_(True), Decimal(0)], None),
        ([Fraction(1), 0], None),
        ([[1], (0,)], None),
        ([np.array([1]), [0]], None),
        (np.array([1, 0], dtype=np.uint8), None),
        (np.array([True, False]), None),
        (np.array([[1.0], [0.0]]), None),
        (np.array([1, 0], dtype=np.longdouble), None),
        (np.array([1, 0], dtype=object), None),
        (np.array([[1], [0]], dtype=object), None),
        (masked([1, 0], mask=[False, False]), None),
        (_Array(), None),
        ({"a": 1, "b": 0}, "ab"),
        ({1: [1], 2.0: [0]}, "12"),
        (SCORES, "01"),
        (SCORES[::-1].iloc[::-1], "01"),
        (pd.Series({"a": 1, "b": 0}), "ab"),
        (pd.Series([1, 0], index=pd.Index([7, 8], name="item")), "78"),
        (pd.Series([1, 0], index=[7, 8]), "78"),
        (pd.Series([1, 0], index=[7, 7]), None),
        (pd.Series([1, 0], index=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])), None),
        (pd.Series([True, False], dtype="boolean"), "01"),
        (pl.Series("item", [1, 0]), None),
        (pd.DataFrame(FRAME), "ab"),
        (pd.DataFrame(FRAME).set_index("item"), "ab"),
        (pd.DataFrame({"score": [1, 0]}, index=["a", "b"]), "ab"),
        (pd.DataFrame({"score": [1, 0], "qid": ["c", "d"]}, index=["a", "b"]), "cd"),
        (pd.DataFrame({"f": [1, 0]}, index=[5, 6]), "56"),
        (pd.DataFrame({"item": ["a", "b"], "f": [1, 0]}), "ab"),
        (pd.DataFrame({"item": ["a", "b"], "f": [1, 0]}, index=pd.Index([5, 6], name="n")), "ab"),
        (pd.DataFrame({"f": [1, 0]}, index=pd.Index([5, 6], name="utterance")), "56"),
        (pl.DataFrame(FRAME), "ab"),
        (pl.LazyFrame(FRAME), "ab"),
        (pl.DataFrame({"item": [1, 2], "x": [1, 0], "text": ["", "z"]}), "12"),
        (pl.DataFrame({"score": ["1", "0"]}), None),
        (Rows("other", np.array([[1.0], [0.0]]), ("a", "b")), "ab"),
    ],
)
def test_numbers_from_memory(data: Any, ids: str | None) -> None:
    rows = system_from(data, Mean(), name="baseline")
    assert rows.values.tolist() == [[1, 1], [0, 1]]
    assert rows.item_ids == (None if ids is None else tuple(ids))
    assert rows.name == ("other" if isinstance(data, Rows) else "baseline")
    assert rows.place(1) == f"{rows.name}[1]"


COUNTS = [[1, 2, 3], [0, 1, 1]]


@pytest.mark.parametrize(
    "data",
    [
        COUNTS,
        tuple(map(tuple, COUNTS)),
        np.array(COUNTS),
        np.array(COUNTS, dtype=object),
        {"a": COUNTS[0], "b": COUNTS[1]},
        pd.DataFrame(COUNTS, columns=["TP", "predicted", "gold"]),
        pl.DataFrame({"gold": [3, 1], "predicted": [2, 1], "tp": [1, 0], "id": ["a", "b"]}),
        Rows("x", np.array(COUNTS, dtype=np.float64)),
    ],
    ids=lambda data: type(data).__name__,
)
def test_rows_of_several_columns(data: Any) -> None:
    assert system_from(data, F1(), name="baseline").values.tolist() == COUNTS


def test_columns_of_a_frame_are_chosen_by_name() -> None:
    frame = pl.DataFrame({"key": ["k", "k"], "utterance": ["a", "b"], "x": [1, 0], "y": [5, 6]})
    rows = system_from(frame, Mean(), name="baseline", id_column="utterance", score_column="X")
    assert rows.item_ids == ("a", "b")
    assert rows.values[:, 0].tolist() == [1, 0]


def test_what_the_user_holds_is_copied() -> None:
    counts = np.array(COUNTS, dtype=np.float64)
    rows = system_from(counts, F1(), name="baseline")
    counts[0, 0] = 0
    assert rows.values[0, 0] == 1


@pytest.mark.parametrize(
    ("data", "metric", "message"),
    [
        ([1, "x", None, "1"], Mean(), 'baseline[1]: expected a number, got "x". Correct the item, or remove it from both systems. [not-a-number]\nbaseline[2]: expected a number, got nothing. Correct it, or pass drop_missing=True to leave the item out of all systems, or zero_missing=True to score it 0. [not-a-number]\nbaseline[3]: expected a number, got "1".'),
        ([1, object()], Mean(), "baseline[1]: expected a number, got a value of type object."),
        ([1, 1j], Mean(), "baseline[1]: expected a number, got a value of type complex."),
        ([1, [[1]]], Mean(), "baseline[1]: expected a number, got a list."),
        ([1, {"score": 1}], Mean(), "baseline[1]: expected a number, got an object."),
        ([1, Decimal("sNaN")], Mean(), "baseline[1]: expected a number, got a value of type Decimal."),
        (np.array(["a", "1"]), Mean(), 'baseline[0]: expected a number, got "a".'),
        (np.array([1, None]), Mean(), "baseline[1]: expected a number, got nothing."),
        (np.array([1, 1j]), Mean(), "baseline[0]: expected a number, got a value of type complex128."),
        (np.array([1, 2], dtype="datetime64[D]"), Mean(), "baseline[0]: expected a number, got a value of type datetime64."),
        (masked([1, 2, 3], mask=[0, 1, 0]), Mean(), "baseline[1]: expected a value, got a masked one. Correct the item, or remove it from both systems. [not-a-number]"),
        (masked(COUNTS, mask=[[0, 0, 0], [1, 1, 0]]), F1(), "baseline[1]: expected a value, got a masked one."),
        ([np.ma.masked, 1], Mean(), "baseline[0]: expected a number, got a value of type MaskedConstant."),
        ({"a": 1, "b": "x"}, Mean(), 'baseline[1]: expected a number, got "x".'),
        ({"a": 1, None: 2}, Mean(), "baseline[1]: expected an item id, got nothing. Every item needs one. [missing-id]"),
        ({"a": 1, ("b", 1): 2}, Mean(), "baseline[1]: expected an item id, got a value of type tuple."),
        (pl.Series([1, None]), Mean(), "baseline[1]: expected a number, got nothing."),
        (pd.Series([1, None], dtype="Int64"), Mean(), "baseline[1]: expected a number, got NA. Correct it, or pass drop_missing=True to leave the item out of all systems, or zero_missing=True to score it 0."),
        (pl.DataFrame({"id": ["a", "b"], "score": [1, None]}), Mean(), 'baseline[1]: field "score": expected a number, got nothing. Correct it, or pass drop_missing=True to leave the item out of all systems, or zero_missing=True to score it 0. [not-a-number]'),
        (pd.DataFrame({"id": ["a", pd.NA], "score": [1, 2]}), Mean(), 'baseline[1]: field "id": expected an item id, got '),
        ([1, float("nan")], Mean(), 'baseline[1]: field "score": expected a finite number, got nan.'),
        ([1, 10**400], Mean(), 'baseline[1]: field "score": expected a finite number, got inf.'),
        ([1, HUGE], Mean(), 'baseline[1]: field "score": expected a finite number, got inf.'),
        ([1, -(10**400)], Mean(), 'baseline[1]: field "score": expected a finite number, got -inf.'),
        (np.array([1, np.finfo(np.longdouble).max]), Mean(), 'baseline[1]: field "score": expected a finite number, got inf.'),
        (pd.Series([1, None]), Mean(), 'baseline[1]: field "score": expected a finite number, got nan.'),
        ([], Mean(), "baseline: expected scores, got none."),
        ([], F1(), "baseline: expected scores, got none."),
        (np.zeros((0, 3)), F1(), "baseline: expected scores, got none."),
        ({}, Mean(), "baseline: expected scores, got none."),
        ([1], Mean(), "baseline: expected at least 2 items, got 1."),
        ([1, 2], F1(), "baseline: the metric f1 takes 3 column(s) (tp, predicted, gold), got 1."),
        (np.zeros((3, 2)), Mean(), "baseline: the metric mean takes 1 column(s) (score), got 2."),
        (np.zeros((3, 0)), Mean(), "baseline: the metric mean takes 1 column(s) (score), got 0."),
        ([[], []], Mean(), "baseline: the metric mean takes 1 column(s) (score), got 0."),
        ([[1, 2, 3], [1, 2]], F1(), "baseline[1]: expected 3 number(s) as in baseline[0], got 2. Give every item the same number of values. [wrong-shape]"),
        (np.zeros((2, 2, 2)), Mean(), "baseline: expected scores of shape (n,) or (n, columns), got shape (2, 2, 2). Pass one value per item. [wrong-shape]"),
        (np.array(3.0), Mean(), "baseline: expected scores of shape (n,) or (n, columns), got shape ()."),
        (np.zeros(3, dtype=[("a", float)]), Mean(), "baseline: expected scores of shape (n,) or (n, columns), got records with fields."),
        (np.float64(3), Mean(), "baseline: expected scores of shape (n,) or (n, columns), got shape ()."),
        ((x for x in [1, 2]), Mean(), "baseline: expected scores, one per item in order, got an object of type generator. Pass a list in the order of the items. [wrong-type]"),
        ({1, 2}, Mean(), "baseline: expected scores, one per item in order, got a set of 2 values."),
        (None, Mean(), "baseline: expected scores, one per item in order, got None."),
        (3, Mean(), "baseline: expected scores, one per item in order, got 3."),
        ("a.txt", Mean(), "baseline: expected scores, one per item in order, got text. To read a file, use"),
        (b"12", Mean(), "baseline: expected scores, one per item in order, got text."),
        (_Tensor(), Mean(), 'baseline: expected scores, one per item in order, got an object of type _Tensor. NumPy reports: "can\'t convert\\ncuda tensor". [wrong-type]'),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), Mean(), "baseline: expected a data frame that narwhals can read, got: "),
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), Mean(), "baseline: expected columns with different names, got duplicates. Rename all but one. [duplicate-column]"),
        (pl.DataFrame({"a": [1, 2], "b": [1, 2]}), Mean(), 'baseline: expected one column of scores, got several: "a", "b". Name it with score_column. For several metrics pass score_column="a,b", for example. [which-column]'),
        (pl.DataFrame({"score": []}), Mean(), "baseline: expected scores, got none."),
        (pl.DataFrame(), Mean(), "baseline: expected one column of scores, got no column of numbers"),
        (Rows("x", np.array([[1.0], [np.inf]]), lines=(2, 3)), Mean(), 'x:3: field "score": expected a finite number, got inf.'),
    ],
)  # fmt: skip
def test_what_is_wrong_in_memory(data: Any, metric: ColumnMetric, message: str) -> None:
    with pytest.raises((DataError, OptionError)) as caught:
        system_from(data, metric, name="baseline")
    assert str(caught.value).startswith(message)
    assert all(str(problem).isprintable() for problem in caught.value.problems)


@pytest.mark.parametrize("options", [{"id_column": "x"}, {"score_column": "x"}])
@pytest.mark.parametrize("data", [[1, 2], {"a": 1}, np.zeros(2), pl.Series([1, 2])])
def test_columns_are_for_frames(data: Any, options: dict[str, Any]) -> None:
    with pytest.raises(DataError, match=r'expected a data frame with a column "x", got .*\[wrong-column\]'):
        system_from(data, Mean(), name="baseline", **options)


@pytest.mark.parametrize(
    ("data", "labels", "ids"),
    [
        ([1, "1", 1.0, " x "], "1 1 1 x", None),
        (np.array([1.0, 2.5]), "1 2.5", None),
        (np.array(["a", "b"]), "a b", None),
        (pd.Series(["a", "b"], dtype="category"), "a b", None),
        (pd.Series({"i": "a", "j": "b"}), "a b", "ij"),
        (pl.Series([1, 2]), "1 2", None),
        ({"i": 1, "j": 2}, "1 2", "ij"),
        ([True, np.int64(3)], "True 3", None),
        ([], "", None),
        (Labels("doc", ("a", "b"), ("i", "j")), "a b", "ij"),
    ],
)
def test_labels_from_memory(data: Any, labels: str, ids: str | None) -> None:
    read = labels_from(data, "cluster")
    assert read.labels == tuple(labels.split())
    assert read.item_ids == (None if ids is None else tuple(ids))
    assert read.name == ("doc" if isinstance(data, Labels) else "cluster")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (["a", None, ""], 'cluster[1]: expected a label, got nothing. Every item needs one. [missing-label]\ncluster[2]: expected a label, got "".'),
        ([1.0, float("nan")], "cluster[1]: expected a label, got nan."),
        ([pd.NA], "cluster[0]: expected a label, got NA."),
        ([pd.NaT], "cluster[0]: expected a label, got a value of type NaTType."),
        ([("a", 1)], "cluster[0]: expected a label, got a value of type tuple."),
        ([HUGE], "cluster[0]: expected a label, got a value of type int."),
        ([["a"]], "cluster[0]: expected a label, got a list."),
        (np.zeros((2, 2)), "cluster: expected labels of shape (n,), got shape (2, 2). Pass one value per item. [wrong-shape]"),
        (pl.DataFrame({"doc": ["a"]}), "cluster: expected labels, one per item in order, got a DataFrame of 1 row and 1 column. Choose one of its columns. [wrong-type]"),
        ("doc", "cluster: expected labels, one per item in order, got text."),
        ({1, 2}, "cluster: expected labels, one per item in order, got a set of 2 values."),
    ],
)  # fmt: skip
def test_what_is_wrong_with_labels_in_memory(data: Any, message: str) -> None:
    with pytest.raises(DataError) as caught:
        labels_from(data, "cluster")
    assert str(caught.value).startswith(message)


def test_names_of_columns_may_be_numbers() -> None:
    frame = pd.DataFrame({0: [1, 0, 1, 1], 1: [0, 1, 1, 0]})
    [found] = outscore.compare(frame, baseline="0")
    assert (found.baseline, found.candidate, found.gain) == ("0", "1", -0.25)
    with pytest.raises(OptionError, match=r'unknown system "a"\. Known: 0, 1, 2, 3'):
        outscore.compare(pd.DataFrame([[1, 0, 1, 1], [0, 1, 1, 0]], index=["a", "b"]), baseline="a")
