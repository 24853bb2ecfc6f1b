"""Metrics of spans against seqeval and the published figures of the WNUT 2017 systems."""

from __future__ import annotations

import csv
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.errors import DataError
from tests.kit import Corpus, TaggedSentence, item_format, output_metrics

MacroSpanF1, SpanF1, MacroSpanPrecision, SpanPrecision, MacroSpanRecall, SpanRecall = output_metrics(
    "macro-span-f1 span-f1 macro-span-precision span-precision macro-span-recall span-recall"
)

SYSTEMS = ["Arcada", "Drexel-CCI", "FLYTXT", "MIC-CIS", "SJTU-Adapt", "SpinningBytes", "UH-RiTUAL"]
TYPES = ("LOC", "ORG", "PER")
MACRO: dict[str, Any] = {"precision": MacroSpanPrecision, "recall": MacroSpanRecall, "f1": MacroSpanF1}
METRICS: list[Any] = [SpanF1(), SpanPrecision(), SpanRecall(), SpanF1("PER"), *(kind(TYPES) for kind in MACRO.values())]

spans = st.frozensets(st.tuples(st.integers(0, 3), st.integers(4, 6), st.sampled_from(TYPES)), max_size=6)
sentences = st.builds(TaggedSentence, st.none(), spans)
pairs = st.lists(st.tuples(sentences, sentences), max_size=6)


def tags_in(path: Path) -> list[list[str]]:
    blocks = path.read_text("utf-8").strip("\n").split("\n\n")
    return [[line.rpartition("\t")[2] for line in block.split("\n")] for block in blocks]


def read(path: Path, **options: Any) -> Corpus[TaggedSentence]:
    return item_format("tags", **options).parse(path.read_text("utf-8"), path.name)


@pytest.mark.parametrize("system", SYSTEMS)
def test_counts_are_conllevals_and_seqevals(data: Callable[[str], Path], system: str) -> None:
    seqeval = pytest.importorskip("seqeval.metrics.sequence_labeling")
    strictly = pytest.importorskip("seqeval.scheme")

    folder = data("ner-wnut17")
    gold_path, path = folder / "gold.bio", folder / "systems" / f"{system}.bio"
    gold, output = read(gold_path), read(path)
    assert len(gold) == 1287
    assert SpanF1().paired(output, gold) is output
    gold_tags, tags = tags_in(gold_path), tags_in(path)
    for corpus, sequences in ((gold, gold_tags), (output, tags)):
        for sentence, sequence in zip(corpus.items, sequences, strict=True):
            assert sentence.spans == {(start, end + 1, kind) for kind, start, end in seqeval.get_entities(sequence)}

    totals = SpanF1().rows(output.items, gold.items).sum(axis=0)
    with (folder / "systems.tsv").open(encoding="utf-8", newline="") as table:
        published = next(row for row in csv.DictReader(table, delimiter="\t") if row["system"] == system)
    assert totals.tolist() == [int(published[name]) for name in ("correct", "found", "gold")]
    assert f"{100 * float(SpanF1().score(totals)):.2f}" == published["published_F1_pct"]
    assert float(SpanF1().score(totals)) == pytest.approx(seqeval.f1_score(gold_tags, tags), abs=1e-9)
    assert float(SpanPrecision().score(totals)) == pytest.approx(seqeval.precision_score(gold_tags, tags), abs=1e-9)
    assert float(SpanRecall().score(totals)) == pytest.approx(seqeval.recall_score(gold_tags, tags), abs=1e-9)

    types = sorted({kind for corpus in (gold, output) for item in corpus.items for _, _, kind in item.spans})
    *by_type, support = seqeval.precision_recall_fscore_support(gold_tags, tags, zero_division=0)
    for metric_type, expected_by_type in zip((SpanPrecision, SpanRecall, SpanF1), by_type, strict=True):
        for kind, expected, n_gold in zip(types, expected_by_type, support, strict=True):
            rows = metric_type(kind).rows(output.items, gold.items).sum(axis=0)
            assert rows[2] == n_gold
            assert float(metric_type(kind).score(rows)) == pytest.approx(expected, abs=1e-9)
    for name, macro_type in MACRO.items():
        macro = macro_type().with_types(gold.items, output.items)
        expected = getattr(seqeval, f"{name}_score")(gold_tags, tags, average="macro", zero_division=0)
        assert float(macro.score(macro.rows(output.items, gold.items).sum(axis=0))) == pytest.approx(expected, abs=1e-9)

    # seqeval's strict mode passes over ill-formed spans.
    iob2_gold, iob2 = read(gold_path, scheme="IOB2"), read(path, scheme="IOB2")
    entities = [strictly.Entities(given, strictly.IOB2).entities for given in (gold_tags, tags)]
    theirs = [
        [{(entity.start, entity.end, entity.tag) for entity in sentence} for sentence in part] for part in entities
    ]
    assert [[item.spans for item in corpus.items] for corpus in (iob2_gold, iob2)] == theirs
    strict = SpanF1().rows(iob2.items, iob2_gold.items).sum(axis=0)
    expected = seqeval.f1_score(gold_tags, tags, mode="strict", scheme=strictly.IOB2)
    assert float(SpanF1().score(strict)) == pytest.approx(expected, abs=1e-9)
    ill_formed = {"MIC-CIS": 13, "SpinningBytes": 34}.get(system, 0)
    if ill_formed:
        with pytest.raises(DataError) as caught:
            read(path, strict=True)
        assert len(caught.value.problems) == ill_formed
    else:
        read(path, strict=True)


def test_macro_as_seqeval_where_a_system_has_a_type_of_its_own() -> None:
    seqeval = pytest.importorskip("seqeval.metrics.sequence_labeling")
    gold = [["B-PER", "O", "B-LOC"], ["O", "B-PER", "I-PER"]]
    outputs = [[["B-PER", "O", "B-LOC"], ["O", "O", "B-PER"]], [["B-PER", "B-ART", "O"], ["O", "B-PER", "I-PER"]]]

    def items(tags: list[list[str]]) -> list[TaggedSentence]:
        text = "\n\n".join("\n".join(f"x\t{tag}" for tag in sentence) for sentence in tags)
        return list(item_format("tags").parse(text, "x").items)

    for name, kind in MACRO.items():
        metric = kind().with_types(items(gold), *map(items, outputs))
        assert metric.types == ("ART", "LOC", "PER")
        for tags in outputs:
            totals = metric.rows(items(tags), items(gold)).sum(axis=0)
            expected = getattr(seqeval, f"{name}_score")(gold, tags, average="macro", zero_division=0)
            assert float(metric.score(totals)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("metric", METRICS, ids=repr)
@given(pairs)
def test_rows_are_what_their_responses_add_up_to(
    metric: Any, given: list[tuple[TaggedSentence, TaggedSentence]]
) -> None:
    given = [*given, (SOME, SOME)]  # the references have a span of every type
    outputs, references = [output for output, _ in given], [gold for _, gold in given]
    rows = metric.rows(outputs, references)
    assert rows.shape == (len(given), len(metric.statistics))
    shared = metric.rows([TaggedSentence(None, frozenset())] * len(references), references)
    for row, start, output, gold in zip(rows, shared, outputs, references, strict=True):
        assert row.tolist() == np.sum([start, *metric.responses(output, gold).values()], axis=0).tolist()
    assert np.array_equal(rows[::-1], metric.rows(outputs[::-1], references[::-1]))  # each item on its own
    merged, gold = (
        TaggedSentence(
            None, frozenset((10 * i + s, 10 * i + e, k) for i, item in enumerate(side) for s, e, k in item.spans)
        )
        for side in (outputs, references)
    )
    assert np.array_equal(metric.rows([merged], [gold])[0], rows.sum(axis=0))  # additivity
    assert np.array_equal(metric.score(np.stack([rows, 2 * rows]))[0], [float(metric.score(row)) for row in rows])
    scores = metric.score(rows)
    assert ((scores >= 0) & (scores <= 1)).all()
    assert pickle.loads(pickle.dumps(metric)) == metric


SOME = TaggedSentence(None, frozenset((0, 4, kind) for kind in TYPES))
EMPTY = TaggedSentence(("a",), frozenset())


@pytest.mark.parametrize(
    "metric", [SpanF1(), SpanPrecision(), SpanRecall(), MacroSpanF1(TYPES), MacroSpanF1()], ids=repr
)
def test_no_spans_and_no_items(metric: Any) -> None:
    k = len(metric.statistics)
    assert metric.rows([], []).shape == (0, k)
    rows = metric.rows([EMPTY], [EMPTY])
    assert float(metric.score(rows.sum(axis=0))) == 0
    assert metric.item_scores(rows).tolist() == [1.0]
    assert metric.score(np.zeros((3, 2, k))).tolist() == [[0.0, 0.0]] * 3


@pytest.mark.parametrize("metric", [SpanF1(), MacroSpanF1(TYPES)], ids=repr)
def test_tokens_that_differ_are_refused(metric: Any) -> None:
    other, longer = TaggedSentence(("b",), frozenset()), TaggedSentence(("a", "b"), frozenset())
    with pytest.raises(
        DataError, match=r'^\[1\]: token 1: expected "a" as in the reference, got "b"\..*\[different-tok'
    ):
        metric.rows([EMPTY, other], [EMPTY, EMPTY])
    with pytest.raises(DataError, match=r"token 2: expected the end of the sentence .* got \"b\""):
        metric.rows([longer], [EMPTY])
    with pytest.raises(DataError, match=r"token 2: expected \"b\" .* got the end of the sentence"):
        metric.rows([EMPTY], [longer])


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(DataError, match=r"span-f1:type: .*Known: LOC, ORG, PER\. \[unknown-type\]"):
        SpanF1("PERS").rows([SOME], [SOME])
    with pytest.raises(DataError, match=r"\[0\]: got a span of type .* \[unknown-type\]"):
        MacroSpanF1(("PER",)).rows([SOME], [SOME])


def test_sentences_in_memory_have_no_lines() -> None:
    gold, other = (
        Corpus("a", [TaggedSentence(("A", "B"), frozenset()), TaggedSentence((last,), frozenset())], lines=())
        for last in ("C", "D")
    )
    assert SpanF1().paired(gold, gold).items == gold.items
    with pytest.raises(DataError, match=r"^\[1\]: token 1: .*different-tokens"):
        SpanF1().rows(SpanF1().paired(other, gold).items, gold.items)


@pytest.mark.parametrize(
    ("types", "refused"), [(("per",), True), (("PERSON", "LOCATION"), True), (("LOC", "x"), False)]
)
@pytest.mark.parametrize("metric", [SpanF1(), MacroSpanF1()])
def test_outputs_without_a_type_of_the_references_are_refused(
    metric: Any, types: tuple[str, ...], refused: bool
) -> None:
    gold = [TaggedSentence(("Ada", "Rome"), frozenset({(0, 1, "PER"), (1, 2, "LOC")}))] * 3
    outputs = [TaggedSentence(("Ada", "Rome"), frozenset((i, i + 1, of) for i, of in enumerate(types)))] * 3
    nothing = [TaggedSentence(("Ada", "Rome"), frozenset())] * 3
    metric.check_outputs(nothing, gold)  # neither found spans
    metric.check_outputs(outputs, nothing)
    if not refused:
        metric.check_outputs(outputs, gold)
        return
    with pytest.raises(DataError, match=r"references' types \"LOC\", \"PER\": got .*same case.*\[not-labels\]"):
        metric.check_outputs(outputs, gold)
