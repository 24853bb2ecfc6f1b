"""Bracketed trees: what is read, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kit import item_format

from outscore.errors import DataError, OutscoreError

SPREAD = """( (S
    (NP-SBJ (DT The) (NN cat))
    (VP (VBZ sleeps)))
)

(())
(S (N a) (N\u00a0b\u2028c d))
"""


def test_trees_are_read_across_lines() -> None:
    corpus = item_format("brackets").parse(SPREAD, "a.mrg")
    assert list(corpus.lines) == [1, 6, 7]
    assert corpus.item_ids is None
    assert corpus.items[0].words == ("The", "cat", "sleeps")
    assert corpus.items[0].tags == ("DT", "NN", "VBZ")
    assert corpus.items[0].brackets == (("NP-SBJ", 0, 2), ("VP", 2, 3), ("S", 0, 3), ("", 0, 3))
    assert corpus.items[1].words == ()
    assert corpus.items[2].tags == ("N", "N\u00a0b\u2028c")


def test_a_deep_tree() -> None:
    depth = 50_000
    (tree,) = item_format("brackets").parse("(X " * depth + "(N a)" + ")" * depth, "a.mrg").items
    assert len(tree.brackets) == depth


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(S (N a))\n(S (N b)\n(S (N c))\n", "a.mrg:2: the tree that starts here is not closed: 1 bracket(s) are open"),
        ("(S (N a))\n(S (N b)))\n", "a.mrg:2: closing bracket without an opening one. Correct the tree. [unbalanced-b"),
        ("(S (N a))\nb (S (N c))", 'a.mrg:2: expected brackets around the word "b", got none'),
        ("(S (N a) b)", 'a.mrg:1: expected brackets around the word "b", got none'),
        ("(S\n(N a b))", 'a.mrg:2: expected brackets around the word "b", got none'),
        ("(S (N a (N b)))", 'a.mrg:1: expected ) after the word "a", got "(N"'),
        ("\n \n", "a.mrg: expected one line per item, got no tree"),
        ("", "a.mrg: expected one line per item, got no tree"),
    ],
)
def test_bad_trees(text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        item_format("brackets").parse(text, "a.mrg")
    assert str(caught.value).startswith(message)


def test_sniffing() -> None:
    assert item_format("brackets").sniff("\n  (S (N a))")
    assert not item_format("brackets").sniff("a (S)")


pieces = st.sampled_from(["(", ")", "(S", "(N a)", " ", "\n", "a", "\u2028", "\x0c", "\x85", "()"])


def check(error: OutscoreError) -> None:
    assert all(str(problem).isprintable() for problem in error.problems)


@given(st.one_of(st.text(), st.lists(pieces).map("".join)))
def test_any_text_is_trees_or_an_error(text: str) -> None:
    try:
        corpus = item_format("brackets").parse(text, "a\n.mrg")
    except OutscoreError as error:
        check(error)
        return
    assert len(corpus) == len(corpus.lines) > 0
    for tree in corpus.items:
        assert len(tree.words) == len(tree.tags)
        assert all(0 <= start <= end <= len(tree.words) for _, start, end in tree.brackets)
    assert sum(len(tree.words) + len(tree.brackets) for tree in corpus.items) == text.count("(")
