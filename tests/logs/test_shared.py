"""What readers of logs share: files beside a log, folders that name systems, rows, values, labels."""

from __future__ import annotations

from pathlib import Path

import pytest

from outscore.errors import DataError
from outscore.wings.logs.files import beside
from tests.logs.kit import LogFile, json_in


@pytest.mark.parametrize("name", ["", ".", "..", "../a.json", "/etc/passwd", "a\\b", "a\0", "no.json", "x" * 5000])
def test_names_of_no_file_beside(tmp_path: Path, name: str) -> None:
    assert beside(tmp_path, name) is None


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
