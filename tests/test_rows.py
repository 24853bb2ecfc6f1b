"""Pairing of systems and labels by item id or by position."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore import Labels, Rows
from outscore.data.rows import Missing
from outscore.errors import DataError
from tests.kit import align, label_codes, printable, quoted


def rows(name: str, ids: str | None, first: float = 0.0, n: int | None = None) -> Rows:
    """Rows whose values are the code of their id, or 0, 1, 2, ... where there are none."""
    codes = [ord(item) for item in ids] if ids is not None else list(range(n or 0))
    values = np.array(codes, dtype=np.float64).reshape(-1, 1) + first
    return Rows(name, values, None if ids is None else tuple(ids))


def letters(aligned: Rows) -> str:
    return "".join(chr(int(value)) for value in aligned.values[:, 0])


@pytest.mark.parametrize(
    ("systems", "drop", "expected"),
    [
        (["abc", "abc"], False, ["abc", "abc"]),
        (["abc", "cab"], False, ["abc", "abc"]),
        (["cab", "abc", "bca"], False, ["cab", "cab", "cab"]),
        (["abcd", "dxcb"], True, ["bcd", "bcd"]),
        (["abcd", "abcd", "ad"], True, ["ad", "ad", "ad"]),
    ],
)
def test_pairs_by_id_in_the_order_of_the_first(systems: list[str], drop: bool, expected: list[str]) -> None:
    aligned = align([rows(f"s{i}", ids) for i, ids in enumerate(systems)], Missing.DROP if drop else Missing.ERROR)
    assert [letters(system) for system in aligned] == expected
    assert {system.item_ids for system in aligned} == {tuple(expected[0])}


def test_a_system_without_ids_is_paired_by_position_while_others_are_paired_by_id() -> None:
    bare, first, other = align([rows("bare", None, n=3), rows("first", "abc"), rows("other", "cab")])
    assert bare.values[:, 0].tolist() == [0, 1, 2]
    assert letters(first) == letters(other) == "abc"


def test_dropping_by_id_drops_the_same_positions() -> None:
    bare, first, other = align([rows("bare", None, n=3), rows("first", "abc"), rows("other", "ca")], Missing.DROP)
    assert bare.values[:, 0].tolist() == [0, 2]
    assert letters(first) == letters(other) == "ac"


def test_one_system_with_ids_is_paired_by_position_even_if_they_repeat() -> None:
    first, bare = align([rows("first", "aab"), rows("bare", None, n=3)])
    assert letters(first) == "aab"
    assert len(bare) == 3


@pytest.mark.parametrize(
    ("systems", "drop", "message"),
    [
        ([rows("a", None, n=3), rows("b", None, n=2)], False, "b: expected 3 items as in a, got 2. Without"),
        ([rows("a", "abc"), rows("b", None, n=2)], True, "b: expected 3 items as in a, got 2. Without"),
        (
            [rows("a", "abc"), rows("b", "xyz")],
            True,
            'b: no item id in common with a (for example "x" here, "a" there)',
        ),
        (
            [rows("a", "xyz"), rows("b", "abc"), rows("c", "bcd")],
            True,
            'a: no item id is common to all 3 systems. Without "a", the others share 2 items. Compare fewer',
        ),
        (
            [rows("a", "ab"), rows("b", "abc"), rows("c", "x"), rows("d", "bx")],
            True,
            'c: no item id is common to all 4 systems. Without "c", the others share 1 item. Compare fewer',
        ),
        (
            [rows("a", "abc"), rows("b", "ABC")],
            False,
            'Write ids the same way in both files: "A" may be "a" (and 2 more). Choose the id',
        ),
        (
            [rows("a", "abcd"), rows("b", "abCd")],
            False,
            'Write ids the same way in both files: "C" may be "c". Add them',
        ),
        ([rows("a", "abcC"), rows("b", "abCd")], False, 'b: 1 item(s) are missing that a has: "c". Add them'),
        ([rows("a", "abc"), rows("b", "ac")], False, 'b: 1 item(s) are missing that a has: "b". Add them'),
        (
            [rows("a", "ab"), rows("b", "abxyzw"), rows("c", "ab")],
            False,
            'c: 4 item(s) are missing that other systems have: "x", "y", "z" and 1 more.',
        ),
        ([rows("a", "aba"), rows("b", "ab")], True, 'a[2]: duplicate item id "a" (first at a[0]).'),
        ([rows("a", "aab"), rows("b", "aab")], True, 'a[1]: duplicate item id "a" (first at a[0]).'),
    ],
)
def test_pairing_problems_name_the_offenders(systems: list[Rows], drop: bool, message: str) -> None:
    with pytest.raises(DataError) as caught:
        align(systems, Missing.DROP if drop else Missing.ERROR)
    assert message in str(caught.value)


@given(st.permutations("abcdefgh"), st.permutations("abcdefgh"))
def test_order_of_the_items_does_not_matter(first: list[str], second: list[str]) -> None:
    aligned = align([rows("a", "".join(first)), rows("b", "".join(second))])
    assert letters(aligned[0]) == letters(aligned[1]) == "".join(first)


def test_rows_know_their_place() -> None:
    values = np.zeros((2, 1))
    assert Rows("a.csv", values, lines=[2, 4]).place(1) == "a.csv:4"
    assert Rows("baseline", values).place(1) == "baseline[1]"
    assert Rows("a.csv", values, lines=[2, 4]).take(np.array([1])).place(0) == "a.csv:4"


@pytest.mark.parametrize(
    ("labels", "ids", "items", "expected"),
    [
        ("xyx", None, "abc", [0, 1, 0]),
        ("xyx", "abc", "abc", [0, 1, 0]),
        ("xyx", "cba", "ac", [0, 0]),
        ("zyx", "cba", "abc", [0, 1, 2]),
        ("xyx", "cba", None, [0, 1, 0]),
    ],
)
def test_labels_become_codes(labels: str, ids: str | None, items: str | None, expected: list[int]) -> None:
    given = Labels("cluster", tuple(labels), None if ids is None else tuple(ids))
    assert label_codes(given, rows("a", items, n=3)).tolist() == expected


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (Labels("docs.txt", ("x", "y")), "docs.txt: expected 3 labels, one per item, got 2."),
        (Labels("t:doc", ("x", "y"), ("a", "b")), 't:doc: 1 item(s) of a are missing: "c".'),
        (
            Labels("t:doc", ("x", "y", "z"), ("a", "b", "a"), (2, 3, 5)),
            't:doc:5: duplicate item id "a" (first at t:doc:2).',
        ),
    ],
)
def test_label_problems_name_the_offenders(labels: Labels, message: str) -> None:
    with pytest.raises(DataError) as caught:
        label_codes(labels, rows("a", "abc"))
    assert message in str(caught.value)


@given(st.text())
def test_what_is_shown_stays_on_one_line(text: str) -> None:
    assert printable(text).isprintable()
    assert quoted(text).isprintable()
    assert len(quoted(text)) <= 65


def test_long_text_is_shortened() -> None:
    assert quoted("x" * 60) == f'"{"x" * 60}"'
    assert quoted("x" * 61) == f'"{"x" * 60}..."'
