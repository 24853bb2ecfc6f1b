"""Numbers, one a line."""

from __future__ import annotations

import pytest
from tests.kit import item_format

from outscore.errors import DataError


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
