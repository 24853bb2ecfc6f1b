"""Columns of tags under every scheme, and JSON Lines of spans."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kit import item_format, output_metric

from outscore.errors import DataError

SPANS = item_format("jsonl-spans")
TAGS = item_format("tags")


def tags_of(letters: str) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(["O", *(f"{letter}-{kind}" for letter in letters for kind in "XY")]), min_size=1)


def text_of(tags: list[str]) -> str:
    return "".join(f"w\t{tag}\n" for tag in tags)


def spans_in(tags: list[str], **options: Any) -> set[tuple[int, int, str]]:
    return set(item_format("tags", **options).parse(text_of(tags), "x").items[0].spans)


@given(tags_of("IBES"))
def test_by_default_the_rules_are_conllevals(tags: list[str]) -> None:
    seqeval = pytest.importorskip("seqeval.metrics.sequence_labeling")

    assert spans_in(tags) == {(start, end + 1, kind) for kind, start, end in seqeval.get_entities(tags)}


@pytest.mark.parametrize(("scheme", "letters"), [("IOB2", "IB"), ("IOBES", "IBES"), ("BILOU", "IBLU")])
def test_a_scheme_counts_what_is_well_formed_in_it(scheme: Any, letters: str) -> None:
    seqeval = pytest.importorskip("seqeval.scheme")

    @given(tags_of(letters))
    def check(tags: list[str]) -> None:
        found = seqeval.Tokens(tags, getattr(seqeval, scheme)).entities
        expected = {(entity.start, entity.end, entity.tag) for entity in found}
        assert spans_in(tags, scheme=scheme) == expected
        if expected == spans_in(tags):
            assert spans_in(tags, scheme=scheme, strict=True) == expected
        else:
            with pytest.raises(DataError, match=r"\[ill-formed-span\]"):
                spans_in(tags, scheme=scheme, strict=True)

    check()


@given(tags_of("IB"))
def test_iob1(tags: list[str]) -> None:
    seqeval = pytest.importorskip("seqeval.scheme")

    try:
        found = spans_in(tags, scheme="IOB1", strict=True)
    except DataError:
        return
    entities = seqeval.Tokens(tags, seqeval.IOB1).entities
    assert found == {(entity.start, entity.end, entity.tag) for entity in entities} == spans_in(tags)


def test_iob1_passes_over_a_b_that_separates_nothing() -> None:
    assert spans_in(["I-X", "B-X", "I-X", "O", "B-X", "I-X", "I-Y"], scheme="IOB1") == {
        (0, 1, "X"), (1, 3, "X"), (6, 7, "Y")
    }  # fmt: skip


def test_columns() -> None:
    text = "-DOCSTART- -X- O O\n\nNew York\tNNP\tB-LOC\t\n.\t.\tO\n\n \n-DOCSTART-\nU.N.\tNNP\t I-NP\tI\nx\u00a0y\ty\tO"
    corpus = TAGS.parse(text, "a.conll")
    assert [item.tokens for item in corpus.items] == [("New York", "."), ("U.N.", "x\u00a0y")]
    assert [set(item.spans) for item in corpus.items] == [{(0, 1, "LOC")}, {(0, 1, "_")}]
    assert corpus.lines == [3, 8]
    spaced = TAGS.parse("U.N. NNP I-NP  B-ORG \nx\u00a0y y O", "a.conll").items[0]
    assert spaced.tokens == ("U.N.", "x\u00a0y")
    assert set(spaced.spans) == {(0, 1, "ORG")}


@pytest.mark.parametrize(
    ("options", "text", "message"),
    [
        ({}, "a\tO\nb\n", r'a\.bio:2: expected a token and a tag such as O or B-PER, got "b"\. .*\[malformed-tag\]'),
        ({}, "a PER\n", r"a\.bio:1: .*\[malformed-tag\]"),
        ({}, "\tO\n", r"a\.bio:1: .*\[malformed-tag\]"),
        (
            {"scheme": "IOB2"},
            "a\tS-X\n",
            r'a\.bio:1: expected a tag of IOB2 \(O, I-, B-\), got "S-X"\. .*\[not-in-scheme\]',
        ),
        (
            {"strict": True},
            "a\tO\n\nb\tO\nc\tI-X\n",
            r'a\.bio:4: .*got I- of "X" that continues no .*\[ill-formed-span\]',
        ),
        (
            {"scheme": "IOB2", "strict": True},
            "a\tB-X\nb\tI-Y\n",
            r'a\.bio:2: .*scheme IOB2, got I- of "Y" that continues',
        ),
        ({"scheme": "BILOU", "strict": True}, "a\tB-X\nb\tI-X\nc\tO", r'a\.bio:2: .* a span of "X" without an end'),
        (
            {"scheme": "IOB1", "strict": True},
            "a\tB-X\n",
            r'a\.bio:1: .*got B- of "X" that continues no span of that type',
        ),
        ({}, "\n\n-DOCSTART- O\n", r"a\.bio: .*\[empty\]"),
    ],
)
def test_bad_columns_are_told_with_their_line(options: dict[str, Any], text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        item_format("tags", **options).parse(text, "a.bio")


def test_every_malformed_line_is_told() -> None:
    with pytest.raises(DataError) as caught:
        TAGS.parse("a\tO\nb\tPER\nc\tPER\n\tO\n\tO\n", "a.bio")
    assert [problem.where for problem in caught.value.problems] == [f"a.bio:{line}" for line in (2, 3, 4, 5)]


def test_tokens_that_differ_are_told_with_their_line() -> None:
    gold = TAGS.parse("a\tO\n\nb\tO\nc\tO\n", "gold.bio")
    assert output_metric("span-f1").paired(gold, gold) is gold
    with pytest.raises(
        DataError, match=r'^a\.bio:5: token 2: expected "c" as in the reference, got "d"\..*\[different-to'
    ):
        output_metric("span-f1").paired(TAGS.parse("a\tO\n\n\nb\tO\nd\tO\n", "a.bio"), gold)
    with pytest.raises(DataError, match=r"^a\.bio: expected 2 items as in gold\.bio, got 1\..*\[different-lengths\]"):
        output_metric("span-f1").paired(TAGS.parse("a\tO\n", "a.bio"), gold)
    # A blank line too few: where the sentences grew together says more than their number.
    with pytest.raises(DataError, match=r'^a\.bio:2: token 2: expected the end of the sentence .*, got "b"'):
        output_metric("span-f1").paired(TAGS.parse("a\tO\nb\tO\nc\tO\n", "a.bio"), gold)
    lines = [SPANS.parse(f'{{"tokens": ["x", "{c}"], "spans": []}}\n' * 2, "a.jsonl") for c in "yz"]
    with pytest.raises(DataError, match=r'^a\.jsonl:1: token 2: expected "y"'):
        output_metric("span-f1").paired(lines[1], lines[0])


def test_json_lines() -> None:
    text = '{"id": "a", "tokens": ["x", "y"], "spans": [[0, 2, "PER"], [0, 1, "LOC"]]}\n\n{"id": 2, "spans": []}\n'
    corpus = SPANS.parse(text, "a.jsonl")
    assert corpus.item_ids == ("a", "2")
    assert corpus.lines == [1, 3]
    assert corpus.items[0].tokens == ("x", "y")
    assert [set(item.spans) for item in corpus.items] == [{(0, 2, "PER"), (0, 1, "LOC")}, set()]
    assert corpus.items[1].tokens is None


@pytest.mark.parametrize(
    ("line", "got"),
    [
        ("[1]", "a list"),
        ("{", "text that is not JSON"),
        ('{"id": "a"}', 'nothing for "spans"'),
        ('{"spans": [[1, 1, "X"]]}', r'the span "\[1, 1, '),
        ('{"spans": [[-1, 1, "X"]]}', "the span"),
        ('{"spans": [[false, true, "X"]]}', "the span"),
        ('{"spans": [[0, 1, ""]]}', "the span"),
        ('{"spans": [[0, 1]]}', "the span"),
        ('{"tokens": ["a"], "spans": [[0, 2, "X"]]}', "a span that ends after token 2 of 1"),
        ('{"tokens": "ab", "spans": []}', '"tokens" that are not a list of strings'),
    ],
)
def test_bad_json_is_told_with_its_line(line: str, got: str) -> None:
    with pytest.raises(
        DataError, match=rf"^a\.jsonl:2: expected one JSON object with spans, got {got}.*\[malformed-spans\]"
    ):
        SPANS.parse(f'{{"spans": []}}\n{line}', "a.jsonl")


def test_ids_on_some_lines_only() -> None:
    with pytest.raises(DataError, match=r'^a:2: .*got no "id", although other lines have one'):
        SPANS.parse('{"id": 1, "spans": []}\n{"spans": []}', "a")


def test_sniffing() -> None:
    assert TAGS.sniff("\n-DOCSTART- -X- O\n\nEU NNP B-ORG\n")
    assert not TAGS.sniff("a plain sentence")
    assert SPANS.sniff('{"id": 1, "spans": []}')
    assert not SPANS.sniff('{"label": 1}')


NOTATIONS = {
    "LOC-B": lambda tag: tag if tag == "O" else "-".join(tag.split("-", 1)[::-1]),
    "B_LOC": lambda tag: tag.replace("-", "_", 1),
    "LOC_B": lambda tag: tag if tag == "O" else "_".join(tag.split("-", 1)[::-1]),
    "lowercase": str.lower,
    "LOC": lambda tag: tag.partition("-")[2] or tag,
}
WRITTEN = ["B-PER", "I-PER", "O", "B-LOC", "B-ORG", "O"]  # spans of a type do not touch, so LOC is the same


@pytest.mark.parametrize("notation", NOTATIONS)
def test_another_notation_is_named_and_read(notation: str) -> None:
    text = text_of(list(map(NOTATIONS[notation], WRITTEN)))
    with pytest.raises(DataError) as error:
        TAGS.parse(text, "a.bio")
    assert f"tags:notation={notation}" in error.value.problems[0].advice
    columns = item_format("tags", notation=notation)
    assert columns.parse(text, "a.bio").items == columns.parse(text_of(WRITTEN), "ref.bio").items
    assert columns.parse(text_of(WRITTEN), "ref.bio").items == TAGS.parse(text_of(WRITTEN), "ref.bio").items


@pytest.mark.parametrize(
    "tags", [["B-LOC", "LOC-B", "O"], ["U_B", "O"], ["NN", "VBZ"], ["B_LOC", "LOC-B"], ["O", "1.5"]]
)
def test_doubtful_tags_name_no_notation(tags: list[str]) -> None:
    with pytest.raises(DataError) as error:
        TAGS.parse(text_of(tags), "a.bio")
    assert "notation" not in error.value.problems[0].advice
