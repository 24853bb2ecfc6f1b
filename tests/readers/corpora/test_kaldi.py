"""Kaldi's transcripts."""

from __future__ import annotations

import pytest
from tests.kit import item_format

from outscore.errors import DataError


def test_utterances() -> None:
    corpus = item_format("kaldi").parse("u1 he  hoped\u2028so\nu2\n\tu3\tthere \n\n", "text")
    assert (corpus.items, corpus.item_ids) == (["he  hoped\u2028so", "", "there"], ("u1", "u2", "u3"))
    assert list(corpus.lines) == [1, 2, 3]


def test_it_is_guessed_only_by_ids_that_hold_digits_and_never_repeat() -> None:
    assert item_format("kaldi").sniff("u1 he hoped\nu2 there\n")
    assert not item_format("kaldi").sniff("he hoped\nthere was\n")
    assert not item_format("kaldi").sniff("u1 he hoped\nu1 there\n")
    assert not item_format("kaldi").sniff("u1 he hoped\n")
    assert item_format("kaldi").extensions == (".kaldi",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"a\.kaldi: expected one line per item, got an empty file.* \[empty\]"),
        ("u1 a\n\nu2 b\n", r"a\.kaldi:2: expected an utterance, got a blank line.* \[blank-line\]"),
        ("u1 a\nu1 b\n", r'a\.kaldi:2: duplicate utterance id "u1" \(first at a\.kaldi:1\).* \[duplicate-id\]'),
    ],
)
def test_bad_input(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        item_format("kaldi").parse(text, "a.kaldi")
