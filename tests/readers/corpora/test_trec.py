"""TREC runs and relevance judgements."""

from __future__ import annotations

import pytest
from tests.kit import item_format

from outscore.errors import DataError
from outscore.metrics.families.retrieval import over_judged_queries

JUDGED = item_format("qrels")
RETRIEVED = item_format("trec-run")

RUN = "2 Q0 a 1 0.5 x\n1 Q0 b 1 0.5 x\n\n2\tQ0\tb\t9\t0.5\tx\n2 Q0 é\u2028 3 7 x\n"
QRELS = "2 0 a 1\n1 0 a 0\n2 0 b -1\n"


def test_lines_are_grouped_by_query() -> None:
    run = RETRIEVED.parse(RUN, "a.run")
    assert run.item_ids == ("2", "1")
    assert [item.documents for item in run.items] == [("é\u2028", "b", "a"), ("b",)]
    assert list(run.lines) == [1, 2]
    qrels = JUDGED.parse(QRELS, "qrels.txt")
    assert qrels.item_ids == ("2", "1")
    assert [item.grades for item in qrels.items] == [{"a": 1, "b": -1}, {"a": 0}]


@pytest.mark.parametrize("blank", ["\r", "\v", "\f", "\x1c", "\x1f", "\x85", "\u2028", "\xa0"])
def test_only_spaces_and_tabs_part_fields(blank: str) -> None:
    run = RETRIEVED.parse(f"1 Q0 a{blank}b 1 0.5 x\n", "a.run")
    assert [item.documents for item in run.items] == [(f"a{blank}b",)]


def test_sniffing_tells_them_apart() -> None:
    assert RETRIEVED.sniff(RUN)
    assert not RETRIEVED.sniff(QRELS)
    assert JUDGED.sniff("\n" + QRELS)
    assert not JUDGED.sniff(RUN)
    assert not JUDGED.sniff("four words of text\n")
    assert not RETRIEVED.sniff("")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n \n", r"a: expected one line per item, got an empty file.* \[empty\]"),
        (
            QRELS,
            r"a:1: expected 6 fields \(query Q0 document rank score tag\), got 4\. Is this a TREC run\? \[wrong-fi",
        ),
        ("1 Q0 a 1 high x\n", r'a:1: field "score": expected a finite number, got "high".* \[not-a-number\]'),
        ("1 Q0 a 1 nan x\n", r"a:1: .* \[not-a-number\]"),
        ("1 Q0 a 1 2 x\n1 Q0 a 2 1 x\n", r'a:2: duplicate document "a" for query "1".* \[duplicate-document\]'),
    ],
)
def test_bad_runs(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        RETRIEVED.parse(text, "a")


@pytest.mark.parametrize("grade", ["x", "1.5", "nan", "inf", "1e10", "9" * 5000])
def test_bad_grades(grade: str) -> None:
    with pytest.raises(DataError, match=r'a:1: field "grade": expected a whole number .* \[not-a-number\]'):
        JUDGED.parse(f"1 0 a {grade}\n", "a")


@pytest.mark.parametrize(
    ("ranks", "scores", "reverses"),
    [
        ("123", (0.1, 0.2, 0.3), True),  # distances
        ("321", (0.3, 0.2, 0.1), True),
        ("123", (0.3, 0.2, 0.1), False),
        ("123", (0.1, 0.3, 0.2), False),
        ("111", (0.1, 0.2, 0.3), False),
        ("123", (0.1, 0.1, 0.1), False),
        ("xyz", (0.1, 0.2, 0.3), False),
    ],
)
def test_ranks_in_the_reverse_order_of_scores_are_told(ranks: str, scores: tuple[float, ...], reverses: bool) -> None:
    for queries in ("1", "12"):
        lines = [
            f"{q} Q0 d{n} {of[0]} {of[1]} t\n" for q in queries for n, of in enumerate(zip(ranks, scores, strict=True))
        ]
        corpus = RETRIEVED.parse("".join(lines), "my.run")
        assert len(corpus.notes) == reverses
        judged = over_judged_queries(corpus, JUDGED.parse("1 0 d1 1\n2 0 d1 1\n", "qrels.txt"))
        assert judged.notes == corpus.notes
    usual = RETRIEVED.parse("".join([*lines, "3 Q0 a 1 9 t\n3 Q0 b 2 8 t\n"]), "my.run")
    assert usual.notes == ()  # one query has ranks that agree
