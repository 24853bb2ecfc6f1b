"""What readers of logs share: files beside a log, folders that name systems, rows, values, labels."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from outscore.errors import DataError
from outscore.wings.logs.base import json_in
from outscore.wings.logs.files import beside, first_of_items, folder_name, raw_rows
from outscore.wings.logs.values import MetadataLabels, aggregates_of, last_answer, number_in, range_of
from tests.kit import LogFile


def test_the_folder_that_names_a_system() -> None:
    assert folder_name(Path("/runs/gpt/Logs"), {"logs"}) == "gpt"
    assert folder_name(Path("/"), {"logs"}) == ""
    assert folder_name(Path("/logs/logs"), {"logs"}) == ""


@pytest.mark.parametrize("name", ["", ".", "..", "../a.json", "/etc/passwd", "a\\b", "a\0", "no.json", "x" * 5000])
def test_names_of_no_file_beside(tmp_path: Path, name: str) -> None:
    assert beside(tmp_path, name) is None


def test_a_file_beside_may_be_packed(tmp_path: Path) -> None:
    (tmp_path / "a.json.gz").touch()
    file = beside(tmp_path, "a.json")
    assert file is not None
    assert file.name == "a.json"


def test_rows_are_lines_or_elements(tmp_path: Path) -> None:
    lines, array = tmp_path / "a.jsonl", tmp_path / "a.json"
    lines.write_text('{"a": 1}\n\n{"a": 2}')
    array.write_text(' [{"a": 1}, {"a":-Infinity}]')
    assert list(raw_rows(LogFile(lines))) == [(f"{lines}:1", b'{"a": 1}'), (f"{lines}:3", b'{"a": 2}')]
    assert list(raw_rows(LogFile(array))) == [(f"{array}[0]", b'{"a": 1}'), (f"{array}[1]", b'{"a": -Infinity}')]


def test_rows_are_read_no_further_than_to_the_last_item() -> None:
    rows = iter([("a", 1), ("b", 2), ("a", 3), ("c", 4)])
    assert list(first_of_items(rows, {"a", "b"})) == [("a", 1), ("b", 2)]
    assert next(rows) == ("a", 3)
    assert list(first_of_items(rows, set())) == []
    assert next(rows) == ("c", 4)


def test_a_pointer_is_no_log_however_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n")
    file = LogFile(path)
    for read in (lambda: file.head, lambda: file.data, lambda: list(file.lines())):
        with pytest.raises(DataError, match="12,345 bytes"):
            read()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b'{"a": [NaN, "NaN", -Infinity, -1]}', {"a": [None, "NaN", None, -1]}),
        (b'"NaN \\" Infinity"', 'NaN " Infinity'),
        (b"NaN", None),
    ],
)
def test_bare_tokens_as_null(text: bytes, value: object) -> None:
    assert json_in(text, "x", bare_as_null=True) == value


@pytest.mark.parametrize("text", [b"NaN NaN", b"Infinity]", b"[" * 100_000 + b"NaN", b'{"a": NaN'])
def test_what_is_no_json_even_without_bare_tokens(text: bytes) -> None:
    for as_null in (True, False):
        with pytest.raises(DataError, match="expected JSON"):
            json_in(text, "x", bare_as_null=as_null)


def test_numbers_and_figures() -> None:
    assert [number_in(value) for value in (1, 0.5)] == [1.0, 0.5]
    assert all(math.isnan(number_in(value)) for value in (True, "1", None, [1]))
    own = aggregates_of({"mean": 50, "stderr": "N/A", "pass@2": math.inf}, 3, 100.0)
    assert [(of.statistic, of.value, of.n, of.scale) for of in own] == [("mean", 50.0, 3, 100.0)]


def test_a_range_holds_all_scores_or_none() -> None:
    nan = math.nan
    assert range_of(np.array([0.0, nan, 1.0])) == {"lowest": 0.0, "highest": 1.0}
    assert range_of(np.array([1.5, 1.0]), 1.0, 2.0) == {"lowest": 1.0, "highest": 2.0}
    for scores in (None, np.array([0.0, 1.1]), np.array([-0.1]), np.array([0.5, math.inf])):
        assert range_of(scores) == {"lowest": None, "highest": None}


def test_labels_that_tell_something() -> None:
    labels = MetadataLabels()
    same = {"same": "x", "long": "y" * 300, "list": [1]}
    for place in range(4):
        labels.add(same | {"half": place // 2, "own": f"q{place}", "odd": place % 2 == 1})
    assert labels.telling(["a", "b", "c", "d"]) == {
        "metadata.half": ["0", "0", "1", "1"],
        "metadata.odd": ["false", "true", "false", "true"],
    }
    assert labels.telling(["a", "b", "c", "d"], but="true") == {"metadata.half": ["0", "0", "1", "1"]}


def test_what_was_said_last() -> None:
    said = [{"role": "assistant", "content": text} for text in ("a", "b", None)]
    assert last_answer([*said, {"role": "user", "content": "c"}, 3]) == "b"
    assert last_answer("text") is None
