# ruff: noqa: E501 (messages stand on one line, as users see them)
"""Systems in files: which columns are read, and what cells mean."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path
from typing import Any

import pytest

import outscore
from outscore.data.rows import Missing
from outscore.errors import DataError, OptionError
from outscore.metrics import F1, Accuracy, ColumnMetric, Mean, Ratio
from outscore.readers import InputFiles, read_system


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


MATRIX = "item\tgpt-4o\tllama:8b\nq1\t1\t0\nq2\t0\t1\n"


@pytest.mark.parametrize(
    ("name", "text", "spec", "metric", "options", "ids", "values"),
    [
        ("a.txt", "0.5\n 1e-3 \n-2\n+3.\n", "", Mean(), {}, None, [0.5, 0.001, -2, 3]),
        ("a.txt", "true\nFalse\nTRUE\n", "", Accuracy(), {}, None, [1, 0, 1]),
        ("a.csv", "id,score\nq1,0.5\nq2,1\n", "", Mean(), {}, "q1 q2", [0.5, 1]),
        ("a.csv", "ID,Score\n q1 ,1\nq2, 2 \n", "", Mean(), {}, "q1 q2", [1, 2]),
        ("a.csv", "1\n2\n", "", Mean(), {}, None, [1, 2]),
        ("a.tsv", "Item-ID\tAcc\n1\t1\n2\t0\n", "", Mean(), {}, "1 2", [1, 0]),
        ("a.jsonl", '{"id": 7, "correct": true}\n{"id": 8, "correct": false}\n', "", Mean(), {}, "7 8", [1, 0]),
        ("a.jsonl", '{"id": "7", "score": "0.5"}\n{"id": 8.0, "score": 2}\n', "", Mean(), {}, "7 8", [0.5, 2]),
        ("m.tsv", MATRIX, ":gpt-4o", Mean(), {}, "q1 q2", [1, 0]),
        ("m.tsv", MATRIX, ":llama:8b", Mean(), {}, "q1 q2", [0, 1]),
        ("m.tsv", MATRIX, ":GPT-4O", Mean(), {"score_column": "llama:8b"}, "q1 q2", [1, 0]),
        ("m.tsv", MATRIX, "", Mean(), {"score_column": "llama:8b"}, "q1 q2", [0, 1]),
        # Guesses of the column of scores.
        ("a.csv", "id,accuracy,score\na,1,5\nb,0,6\n", "", Accuracy(), {}, "a b", [1, 0]),
        ("a.csv", "id,score,correct\na,5,1\nb,6,0\n", "", Accuracy(), {}, "a b", [1, 0]),
        ("a.csv", "id,mean,correct\na,5,1\nb,6,0\n", "", Mean(), {}, "a b", [5, 6]),
        ("a.csv", "id,length,EM\na,5,1\nb,6,0\n", "", Mean(), {}, "a b", [1, 0]),
        ("a.csv", "id,text,loss\na,x,1\nb,7,0\n", "", Mean(), {}, "a b", [1, 0]),
        ("a.csv", "id,correct,points\na,Paris,1\nb,Rome,0\n", "", Mean(), {}, "a b", [1, 0]),
        ("a.csv", ",f\n0,1\n1,0\n", "", Mean(), {}, "0 1", [1, 0]),
        # As spreadsheets write where 0,5 is a number.
        ("a.csv", "id;score\nq1;0,5\nq2;-1\n", "", Mean(), {}, "q1 q2", [0.5, -1]),
        ("a.csv", '\ufeffid;old;new\n"a;b";1;2,25\nc;0; 3,0\n', ":new", Mean(), {}, "a;b c", [2.25, 3]),
        ("a.csv", "id;note,score\nq1;a,0.5\nq2;b,1\n", "", Mean(), {"id_column": "id;note"}, "q1;a q2;b", [0.5, 1]),
        # Guesses of the column of ids.
        ("a.csv", "qid,item,score\nx,a,1\ny,b,0\n", "", Mean(), {}, "a b", [1, 0]),
        ("a.csv", "doc_id,score\nx,1\ny,0\n", "", Mean(), {}, "x y", [1, 0]),
        ("a.csv", "topic,score\nx,1\nx,0\n", "", Mean(), {}, None, [1, 0]),
        ("a.csv", "doc_id,score\nx,1\nx,0\n", "", Mean(), {"labels": ("doc_id",)}, None, [1, 0]),
        ("a.csv", "doc_id,seg_id,score\nx,1,1\nx,2,0\n", "", Mean(), {}, "1 2", [1, 0]),
        ("a.csv", "doc_id,item,score\nx,1,1\nx,2,0\n", "", Mean(), {"id_column": "ITEM"}, "1 2", [1, 0]),
        ("a.csv", ",promptId,score\n0,x,1\n1,y,0\n", "", Mean(), {}, "x y", [1, 0]),
        ("a.csv", "token,score\nx,1\ny,0\n", "", Mean(), {}, None, [1, 0]),
        # What is missing.
        ("a.csv", "id,score\na,1\nb,\nc,N/A\nd,null\ne,0\n", "", Mean(), {"missing": Missing.DROP}, "a e", [1, 0]),
    ],
)  # fmt: skip
def test_one_column(
    name: str, text: str, spec: str, metric: ColumnMetric, options: dict[str, Any], ids: str | None, values: list[float]
) -> None:
    spec = write(name, text) + spec
    rows = read_system(spec, metric, **options)
    assert rows.name == spec
    assert rows.item_ids == (None if ids is None else tuple(ids.split()))
    assert rows.values[:, 0].tolist() == values
    assert rows.values.shape == (len(values), 2)


def test_a_metric_of_several_columns_finds_them_by_name() -> None:
    rows = read_system(write("a.csv", "gold,Item,predicted,TP\n5,a,3,2\n4,b,4,1\n"), F1())
    assert rows.values.tolist() == [[2, 3, 5], [1, 4, 4]]
    assert rows.item_ids == ("a", "b")
    assert list(rows.lines or ()) == [2, 3]


def test_items_that_are_dropped_are_remembered() -> None:
    text = "id,tp,predicted,gold\na,1,1,1\nb,1,,1\nc,,,\nd,0,1,1\n"
    rows = read_system(write("a.csv", text), F1(), missing=Missing.DROP)
    assert rows.item_ids == ("a", "d")
    assert list(rows.lines or ()) == [2, 5]
    assert rows.dropped == ("b", "c")
    assert rows.place(1) == "a.csv:5"


@pytest.mark.parametrize(
    ("name", "text", "spec", "metric", "options", "message"),
    [
        # Cells.
        ("b.jsonl", '{"score": 1}\n{"score": "n/a"}\n{"score": null}\n{}\n{"score": [1]}\n{"score": {"a": 1}}\n', "", Mean(), {}, 'b.jsonl:2: field "score": expected a number, got "n/a". Correct the line, or delete it if it is empty. drop_missing=True needs a column of item ids. [not-a-number]\nb.jsonl:3: field "score": expected a number, got nothing. Correct the line, or delete it if it is empty. drop_missing=True needs a column of item ids. [not-a-number]\nb.jsonl:4: field "score": expected a number, got nothing. Correct the line, or delete it if it is empty. drop_missing=True needs a column of item ids. [not-a-number]\nb.jsonl:5: field "score": expected a number, got a list. Correct the line. [not-a-number]\nb.jsonl:6: field "score": expected a number, got an object. For nested fields pass a map: outscore logs --suggest-map b.jsonl suggests one for mapping. [not-a-number]'),
        ("b.jsonl", '{"id": 1, "score": "n/a"}\n{"id": 2, "score": 1}\n', "", Mean(), {}, 'b.jsonl:1: field "score": expected a number, got "n/a". Correct the line, or pass drop_missing=True. [not-a-number]'),
        ("b.txt", "1\n1_000\n0,5\n50%\n٣\n0x10\n", "", Mean(), {}, 'b.txt:2: expected a number, got "1_000". Correct the line. [not-a-number]\nb.txt:3: expected a number, got "0,5". Use a decimal point instead of a comma. [not-a-number]\nb.txt:4: expected a number, got "50%". Correct the line. [not-a-number]\nb.txt:5: expected a number, got "٣". Correct the line. [not-a-number]\nb.txt:6: expected a number, got "0x10".'),
        ("b.txt", "1\nn/a\n", "", Mean(), {"missing": Missing.DROP}, 'b.txt:2: expected a number, got "n/a". Correct the line, or delete it if it is empty. drop_missing=True needs a column of item ids. [not-a-number]'),
        ("b.csv", "id,score\na,1\nb,oops\n", "", Mean(), {"missing": Missing.DROP}, 'b.csv:3: field "score": expected a number, got "oops". Correct the line. [not-a-number]'),
        ("b.csv", 'id,score\na,1\nb,"x\ty\x1b\nz"\n', "", Mean(), {}, 'b.csv:3: field "score": expected a number, got "x\\ty\\x1b\\nz". Correct the line.'),
        ("b.csv", "id,score\na,1\nb," + "x" * 200 + "\n", "", Mean(), {}, f'b.csv:3: field "score": expected a number, got "{"x" * 60}...". Correct the line.'),
        ("b.csv", "id,tp,predicted,gold\na,1,x,1\nb,y,1,z\n", "", F1(), {}, 'b.csv:2: field "predicted": expected a number, got "x". Correct the line. [not-a-number]\nb.csv:3: field "gold": expected a number, got "z". Correct the line. [not-a-number]\nb.csv:3: field "tp": expected a number, got "y".'),
        # What the metric refuses.
        ("b.txt", "1\nnan\n2\ninf\n-Infinity\n1e999\n", "", Mean(), {}, 'b.txt:2: field "score": expected a finite number, got nan. Correct the item, or remove it from both systems. [not-finite]\nb.txt:4: field "score": expected a finite number, got inf. Correct'),
        ("b.jsonl", '{"id": 1, "score": NaN}\n{"id": 2, "score": 1' + "0" * 400 + "}\n", "", Mean(), {}, 'b.jsonl:1: field "score": expected a finite number, got nan. Correct the item, or remove it from both systems. [not-finite]\nb.jsonl:2: field "score": expected a finite number, got inf.'),
        ("b.csv", "id,score\na,1\nb,nan\nc,2\n", "", Mean(), {"missing": Missing.DROP}, 'b.csv:3: field "score": expected a finite number, got nan.'),
        ("b.csv", "id,score\na,1\nb,\n", "", Mean(), {"missing": Missing.DROP}, "b.csv: expected at least 2 items, got 1. One item has no variance. [one-item]"),
        ("b.csv", "id,score\na,na\nb,\n", ":score", Mean(), {"missing": Missing.DROP}, "b.csv:score: expected scores, got none."),
        ("b.txt", "1\n2\n", "", Accuracy(), {}, 'b.txt:2: field "correct": expected 0 or 1, got 2. Use metric="mean"'),
        ("b.csv", "id,tp,predicted,gold\na,1,1,1\nb,2,1,3\n", "", F1(), {}, 'b.csv:3: field "tp": expected at most predicted (1), got 2.'),
        ("b.csv", "numerator,denominator\n1,1\n1,0\n", "", Ratio(), {}, 'b.csv:3: field "denominator": expected a positive number, got 0.'),
        ("b.csv", "numerator,denominator\n0,0\n1,1\n0,0\n", "", Ratio(), {}, 'b.csv:2: field "denominator": expected a positive number, got 0, and the same in 1 more item. Remove these items from both systems. [zero-denominator]'),
        # Ids.
        ("b.csv", "id,score\na,1\n ,2\n", "", Mean(), {}, 'b.csv:3: field "id": expected an item id, got " ". Every item needs one. [missing-id]'),
        ("b.jsonl", '{"id": 1, "score": 1}\n{"score": 1}\n{"id": [1], "score": 1}\n', "", Mean(), {}, 'b.jsonl:2: field "id": expected an item id, got nothing. Every item needs one. [missing-id]\nb.jsonl:3: field "id": expected an item id, got a list.'),
        # Columns.
        ("b.csv", "id,score\na,1\nb,2\n", ":scroe", Mean(), {}, 'b.csv: column "scroe" not found. Did you mean "score"? [wrong-column]'),
        ("b.csv", "id,score\na,1\nb,2\n", ":", Mean(), {}, 'b.csv: column "" not found. Known: id, score. [wrong-column]'),
        ("b.csv", "id,score\na,1\nb,2\n", "", Mean(), {"score_column": "bleu"}, 'b.csv: column "bleu" not found. Known: id, score. [wrong-column]'),
        ("b.csv", "id,score\na,1\nb,2\n", "", Mean(), {"id_column": "itme"}, 'b.csv: column "itme" not found. Known: id, score. [wrong-column]'),
        ("b.csv", "Score,SCORE\n1,1\n2,2\n", "", Mean(), {"score_column": "score"}, 'b.csv: column "score" not found.'),
        ("b.csv", ",".join(f"r{i}" for i in range(100)) + "\n" + ",".join("1" * 100) + "\n", "", Mean(), {"score_column": "zzz"}, 'b.csv: column "zzz" not found. Known: "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11" and 88 more. [wrong-column]'),
        ("b.csv", "id,em,f1\na,1,1\nb,2,2\n", "", Mean(), {}, 'b.csv: expected one column of scores, got several: "em", "f1". Name it with score_column, or as FILE:COLUMN. For several metrics pass score_column="em,f1", for example. [which-column]'),
        ("b.csv", "id,x,y\na,1,1\nb,2,2\n", "", Mean(), {}, 'b.csv: expected one column of scores, got several: "x", "y".'),
        ("b.csv", "id,te\x07xt\na,x\nb,y\n", "", Mean(), {}, 'b.csv: expected one column of scores, got no column of numbers among "id", "te\\x07xt".'),
        ("b.txt", "1\n2\n", "", Mean(), {"score_column": "x"}, 'b.txt: column "x" not found: the file has one value per line and no header. Leave the column name out. [wrong-column]'),
        ("b.txt", "1\n2\n", ":x", Mean(), {}, 'b.txt: column "x" not found: the file has one value'),
        ("b.txt", "1\n2\n", "", Mean(), {"id_column": "id"}, 'b.txt: column "id" not found: the file has one value'),
        ("b.txt", "1\n2\n", "", F1(), {}, 'b.txt: the metric f1 reads the columns tp, predicted, gold: missing "tp", "predicted", "gold", got one value per line and no header.'),
        ("b.csv", "id,tp,gold\na,1,2\n", "", F1(), {}, 'b.csv: the metric f1 reads the columns tp, predicted, gold: missing "predicted", got only "id", "tp", "gold". Add the columns to the table, or choose another metric. [wrong-column]'),
        ("b.csv", "id,tp,gold\na,1,2\n", ":tp", F1(), {}, 'b.csv: the metric f1 reads the columns tp, predicted, gold, not "tp". Leave the column name out. [wrong-column]'),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_system(
    name: str, text: str, spec: str, metric: ColumnMetric, options: dict[str, Any], message: str
) -> None:
    with pytest.raises((DataError, OptionError)) as caught:
        read_system(write(name, text) + spec, metric, **options)
    assert str(caught.value).startswith(message)
    assert all(str(problem).isprintable() for problem in caught.value.problems)


def test_names_of_systems_stay_on_one_line() -> None:
    assert read_system(write("a\nb.txt", "1\n2\n"), Mean()).name == "a\\nb.txt"


def test_gzipped_table_of_systems() -> None:
    Path("m.tsv.gz").write_bytes(gzip.compress(MATRIX.encode()))
    assert read_system("m.tsv.gz:gpt-4o", Mean()).values[:, 0].tolist() == [1, 0]


def test_two_systems_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(MATRIX.encode())))
    files = InputFiles()
    first = read_system("-:gpt-4o", Mean(), files=files)
    second = read_system("-:llama:8b", Mean(), files=files)
    assert first.values[:, 0].tolist() == [1, 0]
    assert second.values[:, 0].tolist() == [0, 1]


ROWS_OF_SYSTEMS = "system,mnli,qqp\nbert,80,90\nroberta,82,91\nxlnet,81,94\n"


@pytest.mark.parametrize("name", ["system", "model"])
def test_systems_in_rows_are_told_of_the_transposed_table(name: str, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(ROWS_OF_SYSTEMS.replace("system", name))
    with pytest.raises(DataError, match=r"each system has one row.*transpose the table.*id_column=.*no-ids"):
        outscore.rank(str(path))
    names = {entry.name for entry in outscore.rank(str(path), id_column=name.upper()).systems}
    assert names == {"mnli", "qqp"}


@pytest.mark.parametrize("name", ["system", "model"])
def test_a_system_in_a_row_is_told_of_the_transposed_table(name: str, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(ROWS_OF_SYSTEMS.replace("system", name))
    with pytest.raises(DataError, match=r"each system has one row.*transpose the table.*no-ids"):
        outscore.compare(f"{path}:bert", f"{path}:xlnet")


@pytest.mark.parametrize("name", ["name", "team"])
def test_a_baseline_in_a_row_is_told_of_the_transposed_table(name: str, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(ROWS_OF_SYSTEMS.replace("system", name))
    with pytest.raises(OptionError, match=r'"bert" is in a row of .* systems are columns: "mnli", "qqp"'):
        outscore.compare(str(path), baseline="bert")
