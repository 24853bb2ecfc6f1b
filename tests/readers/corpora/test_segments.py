"""Segments of text: every line counts, and every field is what the user means."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.kit import item_format

from outscore.errors import DataError

RECORDS = item_format("jsonl")
SEGMENTS = item_format("text")


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("a\nb\n", ["a", "b"]),
        ("a\nb", ["a", "b"]),
        ("a\n\n", ["a", ""]),
        ("\n", [""]),
        ("\n\na", ["", "", "a"]),
        (" a\x0b\x0c\x1c\x85\u2028 \r\n", [" a\x0b\x0c\x1c\x85\u2028 \r"]),
    ],
)
def test_a_segment_a_line(text: str, items: list[str]) -> None:
    corpus = SEGMENTS.parse(text, "a.txt")
    assert list(corpus.items) == items
    assert list(corpus.lines) == list(range(1, len(items) + 1))
    assert corpus.item_ids is None


def test_an_empty_file_is_no_corpus() -> None:
    for known in (SEGMENTS, RECORDS):
        with pytest.raises(DataError, match=r"^a: .*\[empty\]$"):
            known.parse("", "a")


@settings(max_examples=40)
@given(st.lists(st.text().filter(lambda text: "\n" not in text), min_size=1))
def test_what_is_written_is_read(items: list[str]) -> None:
    assert list(SEGMENTS.parse("".join(f"{item}\n" for item in items), "a").items) == items
    text = "".join(json.dumps({"id": i, "prediction": item}) + "\n" for i, item in enumerate(items))
    corpus = RECORDS.parse(text, "a")
    assert list(corpus.items) == items
    assert corpus.item_ids == tuple(str(i) for i in range(len(items)))


def records(*objects: object) -> str:
    return "\n".join(json.dumps(one) for one in objects)


@pytest.mark.parametrize(
    ("text", "items", "ids"),
    [
        (records({"text": "a"}, {"text": ""}), ["a", ""], None),
        (records({"output": "a", "id": 7, "score": 1}), ["a"], ("7",)),
        (records({"Hypothesis": "a", "model": "m"}), ["a"], None),
        (records({"qid": "q1", "anything": "a"}), ["a"], ("q1",)),
        (records({"segment": "a"}, {"segment": "b"}), ["a", "b"], None),
        ("\n" + records({"text": "a\nb"}) + "\n\n", ["a\nb"], None),
    ],
)
def test_the_field_of_text_is_found(text: str, items: list[str], ids: tuple[str, ...] | None) -> None:
    corpus = RECORDS.parse(text, "a.jsonl")
    assert (list(corpus.items), corpus.item_ids) == (items, ids)
    assert len(corpus.lines) == len(items)


def test_a_field_is_named() -> None:
    text = records({"n": "x", "output": "a", "reference": "b"})
    assert item_format("jsonl", field="reference", id_field="n").parse(text, "a").items == ["b"]
    assert item_format("jsonl", field="reference", id_field="n").parse(text, "a").item_ids == ("x",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (records({"output": "a", "reference": "b"}), r'^a: .*got 2 \("output", "reference"\).*\[which-field\]$'),
        (records({"x": "a", "y": "b"}), "which-field"),
        (records({"text": "a"}, {"text": 5}), r'^a:2: field "text": expected text, got 5\. .*\[not-text\]$'),
        (records({"text": "a"}, {"id": 1}), "got nothing"),
        (records({"text": "a", "id": ""}), "missing-id"),
        ('{"text": ', "^a:1: .*not-json"),
        ("[]", "not-an-object"),
    ],
)
def test_bad_records_are_named(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        RECORDS.parse(text, "a")
    with pytest.raises(DataError, match="wrong-column"):
        item_format("jsonl", field="none").parse(records({"text": "a"}), "a")


def test_records_are_told_from_text() -> None:
    assert RECORDS.sniff('\n {"text": "a"}')
    assert not RECORDS.sniff("{curly} text")
    assert SEGMENTS.sniff("")
