"""Files of the NAACL 2003 shared task."""

from __future__ import annotations

import pytest
from tests.kit import GoldAlignment, item_format

from outscore.errors import DataError


def test_one_line_a_link_in_any_order() -> None:
    gold = item_format("naacl-gold").parse("0012 2 1 P 0.5\n\n0010 1 1 S\n12\t1 1\n0012 1 1 P", "gold")
    assert gold.items == [
        GoldAlignment(frozenset({(0, 0)})),
        GoldAlignment(frozenset()),
        GoldAlignment(frozenset({(0, 0)}), frozenset({(1, 0)})),
    ]
    assert gold.item_ids == ("10", "11", "12")
    assert gold.lines == [3, 3, 1]


def test_pairs_without_links_at_either_end() -> None:
    corpus = item_format("naacl", n_pairs=3).parse("2 1 1 1e-3", "a")
    assert [len(item.links) for item in corpus.items] == [0, 1, 0]
    assert corpus.item_ids == ("1", "2", "3")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1 1\n1 -1 2 S", r'a\.wa:2: expected PAIR SOURCE TARGET .* got "1 -1 2 S"\. .*\[malformed-link\]'),
        ("1 1 1 Q", r"a\.wa:1: .*\[malformed-link\]"),
        ("1 0 1 S", r"a\.wa:1: .*\[position-zero\]"),
        ("0 1 1 S", r"a\.wa:1: expected sentence pairs from 1, got 0\. .*\[outside-corpus\]"),
        (
            "1 1 1\n999999999 1 1",
            r"a\.wa:2: expected sentence pairs from 1 to 1000000, got 999999999.*\[outside-corpus\]",
        ),
        ("\n", r"a\.wa: .*\[empty\]"),
    ],
)
def test_bad_lines_are_told(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        item_format("naacl").parse(text, "a.wa")
    with pytest.raises(DataError, match=r"from 1 to 2, got 3"):
        item_format("naacl", n_pairs=2).parse("3 1 1", "a.wa")


def test_sniffing() -> None:
    assert item_format("naacl").sniff("\n0001 1 1 S 0.2\n")
    assert not item_format("naacl").sniff("0-0 1-1")
    assert not item_format("naacl").sniff("")
