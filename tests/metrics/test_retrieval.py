"""Measures of ranked retrieval equal those of trec_eval, through ir-measures."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outscore import compare
from outscore.errors import DataError, OptionError
from outscore.metrics.families.retrieval import (
    AveragePrecision,
    Ndcg,
    PrecisionAt,
    RecallAt,
    ReciprocalRank,
    over_judged_queries,
)
from tests.kit import Corpus, Judgements, RankedDocuments, item_format

ir = pytest.importorskip("ir_measures")

UNJUDGED = Path(__file__).resolve().parents[3] / "shared" / "cases" / "trec-unjudged"

Measure = AveragePrecision | Ndcg | PrecisionAt | RecallAt | ReciprocalRank

MEASURES: list[tuple[Measure, Any]] = [
    (AveragePrecision(), ir.AP),
    (AveragePrecision(rel=2), ir.AP(rel=2)),
    (AveragePrecision(k=20), ir.AP @ 20),
    (Ndcg(), ir.nDCG @ 10),
    (Ndcg(k=20), ir.nDCG @ 20),
    (Ndcg(k=None), ir.nDCG),
    (PrecisionAt(), ir.P @ 10),
    (PrecisionAt(k=5, rel=2), ir.P(rel=2) @ 5),
    (PrecisionAt(k=None), ir.SetP),
    (ReciprocalRank(), ir.RR),
    (RecallAt(), ir.R @ 100),
    (RecallAt(k=None), ir.SetR),
]


def check(run: dict[str, dict[str, float]], qrels: dict[str, dict[str, int]]) -> None:
    queries = tuple(qrels)
    given_run = Corpus("run", [RankedDocuments.by_score(s) for s in run.values()], range(1, len(run) + 1), tuple(run))
    judged = Corpus("qrels", [Judgements(grades) for grades in qrels.values()], range(len(qrels)), queries)
    outputs = over_judged_queries(given_run, judged).items
    assert Ndcg().paired(given_run, judged).items == outputs
    theirs: dict[tuple[Any, str], float] = {
        (found.measure, found.query_id): found.value for found in ir.iter_calc([m for _, m in MEASURES], qrels, run)
    }
    means = ir.calc_aggregate([m for _, m in MEASURES], qrels, run)
    for ours, measure in MEASURES:
        rows = ours.rows(outputs, judged.items)
        expected = [theirs.get((measure, query), 0.0) for query in queries]
        np.testing.assert_allclose(rows[:, 0], expected, rtol=0, atol=1e-9, err_msg=str(measure))
        assert (rows[:, 1] == 1).all()
        assert abs(float(ours.score(rows.sum(axis=0))) - means[measure]) < 1e-9, measure


def test_all_runs_score_as_in_trec_eval(data: Callable[[str], Path]) -> None:
    root = data("ir-robust03-runs")
    qrels = item_format("qrels").parse((root / "qrels.txt").read_text(encoding="utf-8"), "qrels.txt")
    assert qrels.item_ids is not None
    grades = {q: dict(item.grades) for q, item in zip(qrels.item_ids, qrels.items, strict=True)}
    published = {}
    for line in (root / "systems.tsv").read_text(encoding="utf-8").rstrip("\n").split("\n")[1:]:
        system, *figures = line.split("\t")
        published[system] = [float(figure) for figure in figures[3:]]
    runs = sorted((root / "runs").glob("*.run"))
    assert {path.stem for path in runs} == published.keys()
    for path in runs:
        text = path.read_text(encoding="utf-8")
        scores: dict[str, dict[str, float]] = {}
        for query, _, document, _, score, _ in (line.split() for line in text.rstrip("\n").split("\n")):
            scores.setdefault(query, {})[document] = float(score)
        check(scores, grades)
        read = over_judged_queries(item_format("trec-run").parse(text, path.name), qrels)
        assert [ranking.documents for ranking in read.items] == [
            RankedDocuments.by_score(scores[query]).documents for query in qrels.item_ids
        ]
        rr, rr10 = (metric.rows(read.items, qrels.items)[:, 0] for metric in (ReciprocalRank(), ReciprocalRank(k=10)))
        assert rr10.tolist() == np.where(rr >= 0.1, rr, 0.0).tolist()
        measures = AveragePrecision(), PrecisionAt(10), Ndcg(10), Ndcg(20), ReciprocalRank()
        found = [float(m.score(m.rows(read.items, qrels.items).sum(axis=0))) for m in measures]
        assert [round(value, 6) for value in found] == published[path.stem]


documents = st.sampled_from([*"abcdefé", "a1", "a10", "a9"])
# Few distinct scores, some of which are equal only in 32 bits.
scores = st.sampled_from([0.0, -0.0, 1.0, 1.0 + 1e-9, 1.0 + 1e-6, -1.0, 2.0**24, 2.0**24 + 1])
rankings = st.dictionaries(documents, scores, min_size=1)
# trec_eval reads beyond its memory, and may never end, where all grades of a query are negative.
judgements = st.dictionaries(documents, st.integers(-2, 3)).map(lambda grades: {**grades, "unseen": 0})


@settings(max_examples=40)
@given(st.dictionaries(st.sampled_from("12345"), st.tuples(rankings, judgements), min_size=1), st.data())
def test_ties_unjudged_documents_and_silent_queries(
    both: dict[str, tuple[dict[str, float], dict[str, int]]], more: st.DataObject
) -> None:
    answered = more.draw(st.sets(st.sampled_from(sorted(both)), min_size=1))
    check({q: both[q][0] for q in answered}, {q: grades for q, (_, grades) in both.items()})


def test_rows_are_of_their_queries_alone_and_nothing_scores_nothing() -> None:
    outputs = [RankedDocuments(("a", "b")), RankedDocuments(), RankedDocuments(("c",))]
    references = [Judgements({"b": 1}), Judgements({"a": 1}), Judgements({"c": 0})]
    for metric, _ in MEASURES:
        rows = metric.rows(outputs, references)
        assert rows.tolist() == [metric.rows([a], [b])[0].tolist() for a, b in zip(outputs, references, strict=True)]
        assert metric.rows([RankedDocuments(("a",))], [Judgements({"a": -2})]).tolist() == [[0.0, 1.0]]
        assert rows[1:].tolist() == [[0.0, 1.0], [0.0, 1.0]]
        assert metric.rows([], []).shape == (0, 2)
        assert metric.score(np.zeros((2, 3, 2))).tolist() == [[0.0] * 3] * 2
        assert pickle.loads(pickle.dumps(metric)) == metric
        assert pickle.loads(pickle.dumps(metric)).name == metric.name


def test_names_tell_the_cutoff() -> None:
    assert (Ndcg.name, Ndcg().name, Ndcg(k=None).name) == ("ndcg", "ndcg@10", "ndcg")
    assert (PrecisionAt(5).name, RecallAt().name, ReciprocalRank().name) == ("p@5", "recall@100", "rr")


@pytest.mark.parametrize(("options", "slug"), [({"k": 0}, "bad-k"), ({"rel": 0}, "bad-rel")])
def test_bad_options(options: dict[str, int], slug: str) -> None:
    with pytest.raises(OptionError, match=rf"expected a whole number of at least 1, got 0.*\[{slug}\]"):
        AveragePrecision(**options)


def test_queries_without_judgements_are_left_out_with_their_number() -> None:
    run = item_format("trec-run").parse("".join(f"q{i} Q0 a 1 1 x\n" for i in range(5)) + "301 Q0 a 1 1 x\n", "my.run")
    judged = over_judged_queries(run, item_format("qrels").parse("301 0 a 1\n302 0 a 1\n", "qrels.txt"))
    assert judged.items == [RankedDocuments(("a",)), RankedDocuments()]
    assert (judged.item_ids, list(judged.lines)) == (("301", "302"), [6, 1])
    assert judged.notes == ("5 of 6 queries have no judgements and were left out, as in trec_eval.",)


def test_a_run_of_other_queries_is_refused() -> None:
    run = item_format("trec-run").parse("".join(f"q{i} Q0 a 1 1 x\n" for i in range(5)), "my.run")
    with pytest.raises(DataError) as caught:
        over_judged_queries(run, item_format("qrels").parse("301 0 a 1\n", "qrels.txt"))
    assert str(caught.value) == (
        'my.run: no query has judgements in qrels.txt: "q0", "q1", "q2" and 2 more. '
        "Use the qrels of this run's topics. [unknown-query]"
    )


def test_runs_with_unjudged_queries_score_as_in_ir_measures() -> None:
    ranked = {"a": 3.0, "b": 2.0, "c": 1.0}
    check({"301": ranked, "302": ranked, "q9": ranked}, {"301": {"b": 1}, "302": {"a": 1, "c": 2}})


@pytest.mark.skipif(not UNJUDGED.is_dir(), reason="needs the shared cases")
def test_the_case_of_an_unjudged_query() -> None:
    files = [str(UNJUDGED / name) for name in ("a.run", "b_extra.run")]
    result = compare(*files, references=str(UNJUDGED / "q.qrels"), metric="ap")
    assert (result.baseline_score, result.candidate_score) == pytest.approx((0.306114, 0.337859), abs=5e-7)
    assert "b_extra: 1 of 31 queries has no judgements and was left out, as in trec_eval." in result.warnings


@pytest.mark.parametrize(("documents", "n_absent"), [([("d1",), ("d2",)], 0), ([("d1",), ()], 1), ([(), ()], 2)])
def test_queries_without_documents_are_told(documents: list[tuple[str, ...]], n_absent: int) -> None:
    said = list(Ndcg().remarks_on_outputs([RankedDocuments(of_query) for of_query in documents]))
    assert len(said) == bool(n_absent)
    assert all(f"no documents for {n_absent} of 2 judged queries" in remark for remark in said)


@pytest.mark.parametrize(("metric", "n_without"), [(Ndcg(), 1), (AveragePrecision(), 1), (AveragePrecision(rel=2), 2)])
def test_queries_without_relevant_documents_are_told_and_score_0(metric: Any, n_without: int) -> None:
    qrels = {"1": {"a": 0}, "2": {"a": 1}, "3": {"a": 2}}
    rows = metric.rows([RankedDocuments(("a",))] * 3, [Judgements(grades) for grades in qrels.values()])
    (said,) = metric.remarks_on_references([Judgements(grades) for grades in qrels.values()])
    assert f"{n_without} of 3 judged queries have no relevant documents" in said
    assert rows.tolist() == [[0.0, 1.0]] * n_without + [[1.0, 1.0]] * (3 - n_without)
    check({query: {"a": 1.0} for query in qrels}, qrels)
    assert not Ndcg().remarks_on_references([Judgements({"a": 0, "b": 1})])
