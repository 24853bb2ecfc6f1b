"""The transcripts of sclite."""

from __future__ import annotations

import pytest
from tests.kit import item_format

from outscore.errors import DataError


def test_utterances() -> None:
    corpus = item_format("trn").parse(";; a comment\nhe (uh) hoped (u1)\n(u2)\nthere\t(spk-3) \n", "a.trn")
    assert (corpus.items, corpus.item_ids) == (["he (uh) hoped", "", "there"], ("u1", "u2", "spk-3"))
    assert list(corpus.lines) == [2, 3, 4]


@pytest.mark.parametrize(
    ("text", "looks_alike"),
    [
        ("a (u1)\n(u2)\n;; c\n", True),
        ("a (u1)\n", False),  # a single line may well end in parentheses
        ("a (u1)\nb\n", False),
        ("a (u1)\nb (u1)\n", False),
        ("", False),
    ],
)
def test_sniffing(text: str, looks_alike: bool) -> None:
    assert item_format("trn").sniff(text) is looks_alike


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n \n", r"a\.trn: .* \[empty\]"),
        (";; only\n", r"a\.trn: .* got only comments.* \[empty\]"),
        ("a (u1)\nb c\n", r'a\.trn:2: expected words and an utterance id in parentheses, got "b c".* \[no-utterance\]'),
        ("a { b / c } (u1)\n", r"a\.trn:1: expected words without alternations.* \[no-utterance\]"),
        ("a (u1)\nb (u1)\n", r"a\.trn:2: .* \[duplicate-id\]"),
    ],
)
def test_bad_input(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        item_format("trn").parse(text, "a.trn")
