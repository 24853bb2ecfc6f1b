"""Kaldi's transcripts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kit import item_format

from outscore.errors import DataError, OutscoreError

pieces = st.sampled_from(["\n", " ", "\t", "utt-1", "u2", "a", "\r", "\0", "\x85", "\u2028", "\x1c", "é"])
texts = st.one_of(st.text(), st.lists(pieces, max_size=30).map("".join))


def check(error: OutscoreError) -> None:
    assert all(str(problem).isprintable() for problem in error.problems)


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


@given(texts)
def test_any_text_is_a_corpus_or_an_error(text: str) -> None:
    try:
        corpus = item_format("kaldi").parse(text, "a\n.txt")
    except OutscoreError as error:
        check(error)
    else:
        assert 0 < len(corpus) == len(corpus.lines) == len(set(corpus.item_ids or ()))
