# ruff: noqa: E501 (messages stand on one line, as users see them)
"""What every format makes of a file, and how formats are told apart."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.kit import format_of
from tests.readers.kit import numbers_in

from outscore.errors import DataError, MissingDependencyError
from outscore.readers import Table


def parse(name: str, data: str | bytes) -> Table:
    data = data.encode() if isinstance(data, str) else data
    return format_of(name, data).parse(data, name)


def parquet(**columns: Any) -> bytes:
    buffer = io.BytesIO()
    pl.DataFrame(columns).write_parquet(buffer)
    return buffer.getvalue()


def cells(table: Table) -> dict[str, list[Any]]:
    return {name: list(column) for name, column in table.columns.items()}


@pytest.mark.parametrize(
    ("name", "data", "columns", "lines"),
    [
        ("a.txt", " 0.5 \n1\n", {"": ["0.5", "1"]}, [1, 2]),
        ("a.csv", "id,score\nq1,0.5\nq2,1\n", {"id": ["q1", "q2"], "score": ["0.5", "1"]}, [2, 3]),
        ("a.csv", " id , score\r\nq1, 0.5\r\n", {"id": ["q1"], "score": [" 0.5"]}, [2]),
        ("a.csv", "\ufeffid,score\nq1,1\n", {"id": ["q1"], "score": ["1"]}, [2]),
        ("a.csv", 'text,score\n"a\nb, ""c""",1\nd,2\n', {"text": ['a\nb, "c"', "d"], "score": ["1", "2"]}, [2, 4]),
        ("a.csv", ",score\n0,1\n", {"": ["0"], "score": ["1"]}, [2]),
        ("a.csv", "score\n1\n2\n", {"score": ["1", "2"]}, [2, 3]),
        ("a.csv", "item,1,2\nq,0,1\n", {"item": ["q"], "1": ["0"], "2": ["1"]}, [2]),
        ("a.CSV.GZ", "id,score\nq1,1\n", {"id": ["q1"], "score": ["1"]}, [2]),
        ("a.tsv", 'token\tscore\n"\t1\n"\t2\n', {"token": ['"', '"'], "score": ["1", "2"]}, [2, 3]),
        ("a.tsv", 'text\tscore\n"a ""b"""\t1\n', {"text": ['a "b"'], "score": ["1"]}, [2]),
        ("a.tsv", 'text\tscore\n"a" b\t1\n"c"\t2\n', {"text": ['"a" b', '"c"'], "score": ["1", "2"]}, [2, 3]),
        ("a.tsv", 'text\tscore\n"a\t""b"\t1\nd\t2\n', {"text": ['a\t"b', "d"], "score": ["1", "2"]}, [2, 3]),
        ("a.tsv", 'text\tscore\n"a\nb"\t1\nd\t2\n', {"text": ["a\nb", "d"], "score": ["1", "2"]}, [2, 4]),
        ("a.tsv", "a\tb\n\t1\n2\t\n", {"a": ["", "2"], "b": ["1", ""]}, [2, 3]),
        ("a.jsonl", '{"id": 1, "ok": true}\n\n{"id": 2, "x": null}\n', {"id": [1, 2], "ok": [True, None], "x": [None, None]}, [1, 3]),
        ("a.parquet", parquet(id=["a", "b"], score=[1.0, None]), {"id": ["a", "b"], "score": [1.0, None]}, [1, 2]),
    ],
)  # fmt: skip
def test_tables(name: str, data: str | bytes, columns: dict[str, list[Any]], lines: list[int]) -> None:
    table = parse(name, data)
    assert cells(table) == columns
    assert list(table.lines or ()) == lines
    assert table.bare == (name == "a.txt")


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.txt", "-"])
@pytest.mark.parametrize("data", ["0.5\n1\n", "nan\n1\n", "n/a\n1\n", "TRUE\nfalse\n"])
def test_a_column_of_numbers_needs_no_header(name: str, data: str) -> None:
    table = parse(name, data)
    assert table.bare
    assert cells(table) == {"": data.split()}
    assert list(table.lines or ()) == [1, 2]


@pytest.mark.parametrize(
    ("name", "data", "format_name"),
    [
        ("-", b"0.5\n", "plain"),
        ("a.txt", b"", "plain"),
        ("a.scores", b"0,5\n", "plain"),
        ("a.txt", b"id,score\n", "CSV"),
        ("a.txt", b"id\tscore, raw\n", "TSV"),
        ("-", b'\xef\xbb\xbf {"id": 1, "t": "a\tb"}\n', "JSON"),
        ("a.json", b"[\n", "JSON"),
        ("a.jsonl", b"[\n", "JSON"),
        ("a.jsonl", b"{\n", "JSON Lines"),
        ("a", b"PAR1...", "Parquet"),
        ("a.csv", b'{"id": 1}', "CSV"),
        ("a.tab", b"", "TSV"),
        ("a.ndjson.gz", b"", "JSON Lines"),
        ("a.gz", b"a,b\n", "CSV"),
        ("csv", b"1\n", "plain"),
    ],
)
def test_the_name_says_the_format_or_else_the_first_line(name: str, data: bytes, format_name: str) -> None:
    assert format_of(name, data).name == format_name


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.txt", "1\n\n2\n \n3\n", "a.txt:2: expected a value, got a blank line. Write one value per line. [blank-line]\na.txt:4: "),
        ("a.csv", "id,score\n", "a.csv: expected one line per item, got only a header. Check"),
        ("a.csv", "id,score\nq1\nq2,1\nq3,1,2\n", "a.csv:2: expected 2 cells as on the first line, got 1. Write the same number of cells on every line. Quote cells that contain the delimiter. [ragged-row]\na.csv:4: expected 2 cells as on the first line, got 3."),
        ("a.csv", 'id,score\n"q\n1",1\nq2\n', "a.csv:4: expected 2 cells"),
        ("a.csv", "1\n2,3\n", "a.csv:2: expected 1 cell as on the first line, got 2."),
        ("a.csv", "id,score\n\nq2,1\n", "a.csv:2: expected a record, got a blank line. Delete the line, or fill it in. [blank-line]"),
        ("a.csv", "\nid,score\nq2,1\n", "a.csv:1: expected a record, got a blank line."),
        ("a.csv", "0.5,1\n0.7,2\n", 'a.csv:1: expected column names, got numbers ("0.5", ...). Write the column names on the first line. [no-header]'),
        ("a.csv", "id,score, id\nq1,1,2\n", 'a.csv:1: duplicate column "id" (2 times). Rename all but one. [duplicate-column]'),
        ("a.csv", 'id,score\nq1,1\n"q2,1\nq3,1\n', "a.csv:3: not valid CSV: unexpected end of data. Close every quote,"),
        ("a.csv", 'id,score\n"q1"x,1\n', "a.csv:2: not valid CSV: "),
        ("a.csv", "id,score\rq1,1\rq2,2", "a.csv:1: not valid CSV: "),
        ("a.tsv", "id\tscore\nq1\nq2\t1\t\n", "a.tsv:2: expected 2 cells as on the first line, got 1."),
        ("a.tsv", 'id\tscore\n"q1\nq2\t1\n', "a.tsv:2: expected 2 cells as on the first line, got 1."),
        ("a.jsonl", '{"id": 1}\n{"id": \n[1]\n7\nnull\n"x"\n', 'a.jsonl:2: expected one JSON object, got text that is not JSON (Expecting value at character 8). Write one item per line, such as {"id": "q1", "score": 0.5}. [not-json]\na.jsonl:3: expected one JSON object, got a list. Write one item per line, such as {"id": "q1", "score": 0.5}. [not-an-object]\na.jsonl:4: expected one JSON object, got 7.'),
        ("a.jsonl", '{"score": 1, "score": 2}\n', "a.jsonl:1: expected one JSON object, got a duplicate field."),
        ("a.jsonl", "[" * 100000, "a.jsonl: expected JSON, got JSON that is nested too deeply"),
        ("a.jsonl", '{"score": ' + "1" * 5000 + "}", "a.jsonl:1: expected one JSON object, got JSON that is nested too deeply or has too long a number."),
        ("a.jsonl", "{}\n{}\n", "a.jsonl: expected one line per item, got objects without fields."),
        ("a.jsonl", "".join(f'{{"q{i}": 1}}\n' for i in range(10001)), "a.jsonl: expected the same fields on every line, got 1063 different fields on 1063 line(s)."),
        ("a.parquet", b"", "a.parquet: expected one line per item, got an empty file."),
        ("a.parquet", b"PAR1xyz", "a.parquet: cannot read Parquet data: no Parquet mark at both ends. Write the file again. [not-parquet]"),
        ("a.parquet", b"PAR1xyzxyzxyzPAR1", "a.parquet: cannot read Parquet data: "),
        ("a.parquet", parquet(score=[1.0])[:-8], "a.parquet: cannot read Parquet data: "),
        ("a.parquet", parquet(score=[]), "a.parquet: expected one line per item, got no records."),
        ("two\nlines.txt", "1\n\n2", "two\\nlines.txt:2: expected a value"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file(name: str, data: str | bytes, message: str) -> None:
    with pytest.raises(DataError) as caught:
        parse(name, data)
    assert str(caught.value).startswith(message)


def test_of_many_problems_three_of_a_kind_are_told() -> None:
    for n in (3, 10):
        with pytest.raises(DataError) as caught:
            parse("a.csv", "id,score\n" + "q\n" * n)
        assert len(str(caught.value).splitlines()) == n
    with pytest.raises(DataError) as caught:
        parse("a.csv", "id,score\n" + "q\n" * 25_000)
    assert len(caught.value.problems) == 25_000
    assert len(str(caught.value).splitlines()) == 4
    assert str(caught.value).splitlines()[-2:] == [
        "a.csv:4: expected 2 cells as on the first line, got 1. "
        "Write the same number of cells on every line. Quote cells that contain the delimiter. [ragged-row]",
        "... and 24,997 more like these.",
    ]


def test_without_polars_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    with pytest.raises(
        MissingDependencyError, match=r"needs the package polars.* Run: pip install polars \["
    ) as caught:
        parse("a.parquet", b"PAR1")
    assert str(caught.value).startswith("a.parquet: ")


@pytest.mark.parametrize(
    "values",
    [[0, 1, 2**53 - 1], [0, 2**53 + 1], [0.5, float("inf")], [True, False], [1, None], [0.5, None]],
)  # fmt: skip
def test_cells_of_parquet_are_those_of_the_file(values: list[Any]) -> None:
    table = parse("a.parquet", parquet(score=values))
    column = table.columns["score"]
    assert [repr(cell) for cell in column] == list(map(repr, values))
    assert (column[1], column[:1], len(column)) == (values[1], values[:1], len(values))
    numbers, lacking = numbers_in(column)
    other, as_text = numbers_in(list(values))
    assert np.array_equal(numbers, other, equal_nan=True)
    assert lacking == as_text
