"""CoNLL-U and CoNLL-X: what is read, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kit import item_format

from outscore.errors import DataError, OutscoreError

CONLLU = item_format("conllu")
CONLLX = item_format("conllx")


def row(number: object, form: str = "a", head: object = 0, relation: str = "dep") -> str:
    return f"{number}\t{form}\t_\tX\t_\t_\t{head}\t{relation}\t_\t_\n"


TEXT = (
    "# newdoc\n# sent_id = one\n# text = al rey 1 000\n"
    + row("1-2", "al", "_") + row(1, "a", 3) + row(2, "el", 3) + row("2.1", "", "_") + row(3, "rey")
    + row(4, "1\u00a0000", 3, "nummod:x") + "\n\n# sent_id=two\n" + row(1, "Sí")
)  # fmt: skip


def test_sentences_are_read() -> None:
    corpus = CONLLU.parse(TEXT, "a.conllu")
    assert corpus.item_ids == ("one", "two")
    assert list(corpus.lines) == [1, 12]
    assert [tree.text for tree in corpus.items] == ["alrey1000", "Sí"]
    found = [(w.form, w.tag, w.head, w.relation, w.start, w.end, w.in_multiword) for w in corpus.items[0].words]
    assert found == [
        ("a", "X", 3, "dep", 0, 2, True),
        ("el", "X", 3, "dep", 0, 2, True),
        ("rey", "X", 0, "dep", 2, 5, False),
        ("1000", "X", 3, "nummod:x", 5, 9, False),
    ]


@pytest.mark.parametrize("second", ["", "# sent_id = one\n"])
def test_ids_that_tell_nothing_are_none(second: str) -> None:
    corpus = CONLLU.parse("# sent_id = one\n" + row(1) + "\n" + second + row(1), "a.conllu")
    assert corpus.item_ids is None
    assert len(corpus) == 2


def test_conll_x_has_several_roots() -> None:
    assert len(CONLLX.parse(row(1) + row(2), "a.conll").items[0].words) == 2


@pytest.mark.parametrize(
    ("text", "line", "message", "slug"),
    [
        ("1\ta\t_\n", 1, "expected 10 columns separated by tabs, got 3", "wrong-columns"),
        (row(1) + row(3), 2, 'expected the word number 2, got "3"', "wrong-number"),
        (row(0), 1, 'expected the word number 1, got "0"', "wrong-number"),
        (row("x"), 1, 'expected the word number 1, got "x"', "wrong-number"),
        (row("9" * 5000), 1, "expected the word number 1, got ", "wrong-number"),
        (row(1, " \u00a0"), 1, "the form (second column) is empty", "empty-form"),
        (row(1, head="_"), 1, 'expected the number of a head in column 7, got "_"', "not-a-head"),
        (row(1, head=-1), 1, 'expected the number of a head in column 7, got "-1"', "not-a-head"),
        (row(1) + row(2, head=3), 2, "expected a head from 0 to 2, got 3", "head-outside"),
        (row(1, head=2) + row(2, head=1), 1, "the sentence has no root (head 0)", "no-root"),
        (row(1) + row(2), 2, "expected one root (head 0), got a second one (first at line 1)", "several-roots"),
        (row(1) + row(2, head=3) + row(3, head=2), 2, "word 2 is in a cycle of heads", "cycle"),
        (row(1) + row(2, head=2), 2, "word 2 is in a cycle of heads", "cycle"),
        (row("2-3") + row(1), 1, 'expected a range that starts with 1, got "2-3"', "wrong-range"),
        (row("1-2") + row("1-2"), 2, 'expected a range that starts with 1, got "1-2" inside another', "wrong-range"),
        (row("1-2") + row(1), 1, "the token ends at word 2, but the sentence has 1", "wrong-range"),
        ("# nothing\n\n", None, "expected one line per item, got no sentence", "empty"),
        ("", None, "expected one line per item, got no sentence", "empty"),
    ],
)
def test_bad_sentences(text: str, line: int | None, message: str, slug: str) -> None:
    with pytest.raises(DataError) as caught:
        CONLLU.parse(text, "a.conllu")
    (problem,) = caught.value.problems
    assert problem.where == ("a.conllu" if line is None else f"a.conllu:{line}")
    assert problem.what.startswith(message)
    assert problem.slug == slug


def test_every_bad_sentence_is_told() -> None:
    with pytest.raises(DataError) as caught:
        CONLLU.parse((row(1) + row(2) + "\n") * 12, "a.conllu")
    assert len(caught.value.problems) == 12


def test_a_long_chain_of_heads() -> None:
    n = 20_000
    text = "".join(row(i, head=i + 1) for i in range(1, n)) + row(n)
    assert len(CONLLU.parse(text, "a.conllu").items[0].words) == n


def test_sniffing() -> None:
    assert CONLLU.sniff(TEXT)
    assert CONLLU.sniff(row("1-2", "al", "_") + row(1) + row(2))
    assert not CONLLU.sniff(row(1))
    assert CONLLX.sniff("\n" + row(1))
    assert not CONLLX.sniff("1\ta\tB-LOC\n")
    assert not CONLLU.sniff("")


pieces = st.sampled_from(
    [row(1), row(2, head=1), row(2, head=2), row("1-2", "ab"), row("3-4"), row("1.1"), row(3, head=2), "\n", "\t", "#",
     "# sent_id = x\n", "1", "\u2028", "\x85", "\x0c", " ", "_", "a"]
)  # fmt: skip


def check(error: OutscoreError) -> None:
    assert all(str(problem).isprintable() for problem in error.problems)


@given(st.one_of(st.text(), st.lists(pieces).map("".join)), st.sampled_from([CONLLU, CONLLX]))
def test_any_text_is_sentences_or_an_error(text: str, format_: Any) -> None:
    format_.sniff(text)
    try:
        corpus = format_.parse(text, "a\n.conllu")
    except OutscoreError as error:
        check(error)
        return
    assert len(corpus) == len(corpus.lines) > 0
    for tree in corpus.items:
        assert all(0 <= word.head <= len(tree.words) for word in tree.words)
        assert all(0 <= word.start < word.end <= len(tree.text) for word in tree.words)
