"""Pharaoh files, and links that lie outside their sentences."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.kit import Alignment, Corpus, GoldAlignment, item_format
from tests.readers.kit import check_links

from outscore.errors import DataError

PHARAOH = item_format("pharaoh")
GOLD = item_format("pharaoh-gold")


def test_one_line_a_pair() -> None:
    corpus = PHARAOH.parse("0-0 1-2\n\n1p0\t3-3 3-3\n\n", "a.txt")
    assert [set(item.links) for item in corpus.items] == [{(0, 0), (1, 2)}, set(), {(1, 0), (3, 3)}, set()]
    assert list(corpus.lines) == [1, 2, 3, 4]
    assert corpus.item_ids is None


def test_sure_and_possible_links() -> None:
    gold = item_format("pharaoh-gold", one_based=True).parse("1-1 2p1 3?1 2-2 2p2", "gold").items[0]
    assert gold == GoldAlignment(frozenset({(0, 0), (1, 1)}), frozenset({(0, 0), (1, 1), (1, 0), (2, 0)}))
    assert gold == GoldAlignment(gold.sure, frozenset({(1, 0), (2, 0)}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0-0\n0-0 -1-2", r'a\.txt:2: expected links such as 0-0 or 1p2, got "-1-2"\. .*\[malformed-link\]'),
        ("1-", r'a\.txt:1: .*got "1-"\. .*\[malformed-link\]'),
        ("٣-1", r"a\.txt:1: .*\[malformed-link\]"),
        ("", r"a\.txt: .*\[empty\]"),
    ],
)
def test_malformed_links_are_told_with_their_line(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        PHARAOH.parse(text, "a.txt")


def test_position_zero_where_positions_count_from_one() -> None:
    with pytest.raises(DataError, match=r'a:2: expected positions that count from 1, got "1-0"\..*\[position-zero\]'):
        item_format("pharaoh", one_based=True).parse("1-1\n1-0", "a")


def test_sniffing() -> None:
    assert PHARAOH.sniff("\n 0-0 1p1\nwhatever")
    assert not PHARAOH.sniff("0001 1 1 S")
    assert not GOLD.sniff("\n\n")


def test_links_outside_the_sentence() -> None:
    corpus = Corpus("a.txt", [Alignment(frozenset({(0, 1)})), Alignment(frozenset())], [4, 5])
    check_links(corpus, ["a", ""], ["b\u00a0b c", ""])
    with pytest.raises(
        DataError, match=r"^a\.txt:4: target token 2 is aligned, but the sentence has 1\..*\[outside-sent"
    ):
        check_links(corpus, ["a", ""], ["b\u00a0c", ""])
    gold = Corpus("gold", [GoldAlignment(frozenset(), frozenset({(2, 0)}))], [1])
    with pytest.raises(DataError, match=r"^gold:1: source token 3 is aligned"):
        check_links(gold, ["a b"], ["c"])
    with pytest.raises(DataError, match=r"^gold: expected 1 target sentences, one per alignment, got 2\."):
        check_links(gold, ["a b"], ["c", "d"])


@pytest.mark.parametrize("link", ["5000-1", "1p5000"])
def test_a_link_that_no_sentence_can_have_is_refused_where_the_sentences_are_not_known(
    link: str, tmp_path: Path
) -> None:
    side = "source" if link.startswith("5") else "target"
    for known in (PHARAOH, GOLD):
        with pytest.raises(DataError, match=rf"^a\.txt:2: {side} token 5001 is aligned, .*:{side}=FILE.*outside-sent"):
            known.parse(f"0-0\n{link}\n", "a.txt")
    (tmp_path / "long").write_text("a\n" + "a " * 5001 + "\n")
    known = item_format("pharaoh", source=str(tmp_path / "long"), target=str(tmp_path / "long"))
    assert len(known.parse(f"0-0\n{link}\n", "a.txt")) == 2
