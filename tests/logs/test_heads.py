"""Keys at the beginning of JSON that need not be whole."""

from __future__ import annotations

import pytest

from outscore.wings.logs.files import first_keys, first_of_array, keys_at


@pytest.mark.parametrize(
    ("head", "keys"),
    [
        (b"{}", {}),
        (b"", {}),
        (b"[1]", {}),
        (b'  {"a": 1, "b"', {"a": 8}),
        (b'{"a": "x\\"y", "b": [1, {"c": 2}], "d": {}}', {"a": 6, "b": 19, "d": 39}),
        (b'{"a": {"b": "}"}, "c": 1', {"a": 6, "c": 23}),
        (b'{"a": 1, "a": 2}', {"a": 6}),
        (b'{"a" 1, "b": 2}', {}),
        (b'{"\\u0061": 1}', {"a": 11}),
        (b'{"a": "\\', {"a": 6}),
    ],
)
def test_keys_of_an_object(head: bytes, keys: dict[str, int]) -> None:
    assert keys_at(head) == keys


@pytest.mark.parametrize(
    ("head", "keys", "whole"),
    [
        (b"", "", False),
        (b'{"a": "\\"b\\": 1", "c": [{"d": 1}], "e": 1}{"f": 1}', "a c e", True),
        (b' [ {"a": 1}, {"b": 2}]', "a", True),
        (b'{"a": 1, "b', "a", False),
        (b'{"a": "b', "a", False),
        (b'[[{"a": 1}]]', "", False),
        (b'[1, {"a": 1}]', "", False),
        (b"[" * 60_000, "", False),
        (b'{"a": ' * 9_000, "a", False),
        (b"}" * 9_000, "", False),
        (b'{"\xff\xfe": 1, "a": 1}', " a", True),
    ],
)
def test_keys_of_the_first_object(head: bytes, keys: str, whole: bool) -> None:
    first = first_keys(head)
    assert (" ".join(first), first.is_whole) == (keys, whole)


def test_how_values_begin() -> None:
    keys = keys_at(b'{"a": "x", "b": [1], "c": 2, "d":')
    assert [keys.mark(key) for key in "abcde"] == ['"', "[", "2", "", ""]


def test_the_first_element_of_an_array() -> None:
    assert first_of_array(b' [ {"a": 1}') == 3
    assert first_of_array(b"[") == 1
    assert first_of_array(b"{}") is None


@pytest.mark.parametrize("unit", [b'\\"', b'"', b"[", b"{", b'{"a":', b'"a",', b"\\", b" "])
def test_the_first_key_of_long_heads(unit: bytes) -> None:
    head = b'{"a": "' + unit * (2**16 // len(unit))
    assert keys_at(head)["a"] == 6
