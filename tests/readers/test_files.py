"""From names to bytes to lines."""

from __future__ import annotations

import gzip
import io
import os
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from tests.kit import GoldAnswers, GoldLabel, Label, Table, parquet_bytes
from tests.readers.kit import held_back, lines_in, read_bytes, split_spec
from tests.readers.labelled import read_labels

from outscore.errors import DataError, FileAccessError
from outscore.metrics import Mean
from outscore.readers import InputFiles, read_system, read_table


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def standard_input(data: bytes) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"1\n2\n", ["1", "2"]),
        (b"1\n2", ["1", "2"]),
        (b"1\r\n2\r\n", ["1", "2"]),
        (b"1\n2\n\n  \n\n", ["1", "2"]),
        (b"1\n\n2\n", ["1", "", "2"]),
        (b"\xef\xbb\xbf1\n2\n", ["1", "2"]),
        ("a\u2028b\x0bc\x0cd\x85e\nf".encode(), ["a\u2028b\x0bc\x0cd\x85e", "f"]),
        (b"1\t\n\t\n", ["1\t", "\t"]),
    ],
)
def test_lines_end_at_line_feeds_and_nowhere_else(data: bytes, lines: list[str]) -> None:
    assert lines_in(data, "a.txt") == lines


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "a.txt: expected one line per item, got an empty file. Check that this is the right file. [empty]"),
        (b"\xef\xbb\xbf\n\n", "a.txt: expected one line per item, got an empty file."),
        (
            b"1\n2\ncaf\xe9\n",
            "a.txt:3: expected UTF-8 text, got byte 0xE9 at offset 7. "
            'Save the file as UTF-8 (in a spreadsheet program: "CSV UTF-8"). [not-utf8]',
        ),
        (b"\xef\xbb\xbf\xff", "a.txt:1: expected UTF-8 text, got byte 0xFF at offset 3."),
        ("1\n2\n".encode("utf-16"), "a.txt:1: expected UTF-8 text, got byte 0xFF at offset 0."),
        (b"\xed\xa0\x80", "a.txt:1: expected UTF-8 text, got byte 0xED at offset 0."),
        (b"PK\x03\x04\x14\x00", "a.txt: expected text, got binary data (a NUL byte at offset 5)."),
        (b"\x89PNG\r\n\x1a\n\x00", "a.txt: expected text, got binary data (a NUL byte at offset 8)."),
    ],
)
def test_what_is_not_text_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(DataError) as caught:
        lines_in(data, "a.txt")
    assert str(caught.value).startswith(message)


def test_standard_error_is_held_back_and_dropped_by_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    with held_back():
        os.write(2, b"first\n")
        assert capfd.readouterr().err == ""
    assert capfd.readouterr().err == "first\n"
    with suppress(ValueError), held_back():
        os.write(2, b"second\n")
        raise ValueError
    os.write(2, b"third\n")
    assert capfd.readouterr().err == "third\n"


@pytest.mark.parametrize("name", ["a.txt.gz", "a.txt"])
def test_gzip_is_seen_through(name: str) -> None:
    Path(name).write_bytes(gzip.compress(b"1\n2\n"))
    assert read_bytes(name) == b"1\n2\n"


def test_gzip_on_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", standard_input(gzip.compress(b"1\n2\n")))
    assert list(read_table("-").columns[""]) == ["1", "2"]


def test_a_replaced_standard_input_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("é\n"))
    assert read_bytes("-") == "é\n".encode()
    monkeypatch.setattr(sys, "stdin", None)
    assert read_bytes("-") == b""


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("missing.txt", "missing.txt: cannot read file: No such file or directory."),
        ("missing.tsv:gpt", "missing.tsv:gpt: cannot read file: No such file or directory."),
        ("folder", "folder: cannot read file: Is a directory."),
        ("cut.gz", "cut.gz: cannot read file: damaged gzip data: "),
        ("flipped.gz", "flipped.gz: cannot read file: damaged gzip data: "),
        ("a\0b", "a\\x00b: cannot read file: embedded null byte."),
        ("a\ud800b", "a\\ud800b: cannot read file: "),
        ("two\nlines", "two\\nlines: cannot read file: No such file"),
        ("x" * 300, "x" * 300 + ": cannot read file: File name too long."),
        ("", '"": cannot read file: '),
    ],
)
def test_what_cannot_be_read_is_said_in_one_line(path: str, message: str) -> None:
    Path("folder").mkdir()
    whole = gzip.compress(b"0.5\n" * 100)
    Path("cut.gz").write_bytes(whole[:-9])
    Path("flipped.gz").write_bytes(whole[:12] + b"\xff\xff\xff" + whole[15:])
    with pytest.raises(FileAccessError) as caught:
        read_bytes(split_spec(path)[0])
    assert str(caught.value).startswith(message)
    assert str(caught.value).endswith(" [cannot-read]")
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("spec", "path", "column"),
    [
        ("a.tsv", "a.tsv", None),
        ("a.tsv:gpt-4o", "a.tsv", "gpt-4o"),
        ("a.tsv:x:y", "a.tsv", "x:y"),
        ("a.tsv:", "a.tsv", ""),
        ("b:c", "b:c", None),
        ("b:c:d", "b:c", "d"),
        ("b:d", "b:d", None),
        ("folder:x", "folder:x", None),
        ("-", "-", None),
        ("-:x", "-", "x"),
    ],
)
def test_a_column_follows_the_longest_name_of_a_file(spec: str, path: str, column: str | None) -> None:
    Path("folder").mkdir()
    Path("a.tsv").write_text("x\n")
    Path("b:c").write_text("x\n")
    assert split_spec(spec) == (path, column)


def test_standard_input_may_be_scores_labels_and_items_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", standard_input(b"1\n2\n2\n"))
    files = InputFiles()
    assert read_system("-", Mean(), files=files).values[:, 0].tolist() == [1.0, 2.0, 2.0]
    assert tuple(read_labels("-", "-", files=files).labels) == ("1", "2", "2")
    assert files.read("-", float).items == [1.0, 2.0, 2.0]
    assert files.read("-", GoldLabel).items == ["1", "2", "2"]


def test_a_table_of_several_types_of_items_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.csv").write_text("id,gold,pred\na,x,y\nb,y,y\n")
    files = InputFiles()
    table = files.file("a.csv").table()
    Path("a.csv").write_text("something else")
    assert files.read("a.csv:gold", GoldLabel).items == ["x", "y"]
    assert files.read("a.csv", Label).items == ["y", "y"]
    assert files.file("a.csv").table() is table


def test_columns_of_parquet_are_items() -> None:
    table = Table(
        {"id": ["a", "b"], "gold": ["x", "y"], "pred": ["x", None], "human": [0.5, 2], "answers": [["x"], []]}, {}
    )
    Path("a.parquet").write_bytes(parquet_bytes(table, "a"))
    for kind, column, items in (
        (GoldLabel, "", ["x", "y"]),
        (Label, "", ["x", ""]),
        (float, "", [0.5, 2.0]),
        (str, ":gold", ["x", "y"]),
        (GoldAnswers, "", [("x",), ()]),
    ):
        corpus = InputFiles().read(f"a.parquet{column}", kind)
        assert (corpus.items, corpus.item_ids, list(corpus.lines)) == (items, ("a", "b"), [1, 2])
    with pytest.raises(DataError, match=r'^a\.parquet:2: field "pred": expected text, got nothing'):
        InputFiles().read("a.parquet:pred", str)
