"""Numbers, one a line."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kit import item_format

from outscore.errors import DataError, OutscoreError

pieces = st.sampled_from(["\n", " ", "0", "1", "-", ".", "e9", "nan", "inf", "true", "x", "_", "\r", "\0", "\x85", "१"])
texts = st.one_of(st.text(), st.lists(pieces, max_size=30).map("".join))


def check(error: OutscoreError) -> None:
    assert all(str(problem).isprintable() for problem in error.problems)


def test_numbers() -> None:
    corpus = item_format("numbers").parse(" 1.5\n-2e3\n7\n\n", "a.txt")
    assert (corpus.items, list(corpus.lines), corpus.item_ids) == ([1.5, -2000.0, 7.0], [1, 2, 3], None)
    assert item_format("numbers").sniff("\n0.5\n")
    assert not item_format("numbers").sniff("a\n")
    assert not item_format("numbers").sniff("")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (" \n", r"a\.txt: .* \[empty\]"),
        ("1\n\n2\n", r"a\.txt:2: .* got a blank line.* \[blank-line\]"),
        ("1\nn/a\n", r'a\.txt:2: expected a finite number, got "n/a".* \[not-a-number\]'),
        ("1\nnan\n", r"a\.txt:2: .* \[not-finite\]"),
        ("1e999\n", r"a\.txt:1: .* \[not-finite\]"),
    ],
)
def test_bad_input(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        item_format("numbers").parse(text, "a.txt")


@given(texts)
def test_any_text_is_a_corpus_or_an_error(text: str) -> None:
    assert item_format("numbers").sniff(text) in (True, False)
    try:
        corpus = item_format("numbers").parse(text, "a\n.txt")
    except OutscoreError as error:
        check(error)
    else:
        assert 0 < len(corpus) == len(corpus.lines)
        assert all(math.isfinite(value) for value in corpus.items)
