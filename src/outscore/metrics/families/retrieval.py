"""Measures of ranked retrieval, each a mean over the queries that have judgements."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from outscore._types import BoolArray, FloatArray
from outscore.data.items import Corpus, Judgements, RankedDocuments
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics.base import OutputMetric, RatioMetric
from outscore.options import opt
from outscore.text.naming import listed, printable


def over_judged_queries(run: Corpus[RankedDocuments], qrels: Corpus[Judgements]) -> Corpus[RankedDocuments]:
    """Return a run with one ranking for every query of the qrels, in their order.

    A query that the run lacks gets an empty ranking, which every measure scores 0: the mean is over all judged
    queries, as with ``trec_eval -c`` and ir-measures, so that no system gains by staying silent.
    """
    queries = run.item_ids or tuple(map(str, range(len(run))))
    judged = qrels.item_ids or tuple(map(str, range(len(qrels))))
    places = {query: place for place, query in enumerate(queries)}
    judged_queries = set(judged)
    unknown = [query for query in queries if query not in judged_queries]
    if unknown:
        first = places[unknown[0]]
        raise DataError(
            Problem(
                printable(run.name) + (f":{run.lines[first]}" if len(run.lines) else f"[{first}]"),
                f"{len(unknown)} queries without judgements in {printable(qrels.name)}: {listed(unknown)}",
                "Give the qrels of this run's topics, or leave these queries out of the run.",
                "unknown-query",
            )
        )
    items = [run.items[places[query]] if query in places else RankedDocuments() for query in judged]
    lines = [run.lines[places[query]] if query in places else 1 for query in judged] if len(run.lines) else ()
    return replace(run, items=items, lines=lines, item_ids=qrels.item_ids)


@dataclass(frozen=True)
class _QueryMetric(OutputMetric[RankedDocuments, Judgements], RatioMetric):
    """What the measures share: a row of (score, 1) a query, of its first k documents, all where k is None.

    A query without any relevant document scores 0 and counts, as in trec_eval. The name of an instance ends in its
    cutoff: "ndcg" is the metric, "ndcg@10" the one with k = 10.
    """

    k: int | None = None

    statistics = ("score", "queries")
    shared_statistics = ("queries",)
    signed = False
    parts = (("score", "queries"),)
    as_percentage = True
    score_range = (0.0, 1.0)
    higher_is_better = True
    output_type = RankedDocuments
    reference_type = Judgements
    numerator = (1.0, 0.0)
    denominator = (0.0, 1.0)

    def paired(self, outputs: Corpus[RankedDocuments], references: Corpus[Judgements]) -> Corpus[RankedDocuments]:
        """Return a run with one ranking for every judged query."""
        return over_judged_queries(outputs, references)

    def __post_init__(self) -> None:
        if self.k is not None:
            _check(type(self).name, "k", self.k)
            object.__setattr__(self, "name", f"{type(self).name}@{self.k}")

    def remarks_on_outputs(self, outputs: Sequence[RankedDocuments]) -> Sequence[str]:
        """Return for how many judged queries a run has no documents."""
        n_absent = sum(not output.documents for output in outputs)
        if not n_absent:
            return ()
        return (f"has no documents for {n_absent} of {len(outputs)} judged queries; they score 0, as in trec_eval -c.",)

    @abstractmethod
    def of_query(self, grades: FloatArray, judged: FloatArray) -> float:
        """Return the score of one query from the grades of its documents as ranked, and of all judged ones, falling."""

    def rows(self, outputs: Sequence[RankedDocuments], references: Sequence[Judgements]) -> FloatArray:
        rows = np.ones((len(outputs), 2))
        for row, output, reference in zip(rows, outputs, references, strict=True):
            grades = [reference.grades.get(document, 0) for document in output.documents[: self.k]]
            judged = sorted(reference.grades.values(), reverse=True)
            row[0] = self.of_query(np.array(grades, dtype=np.float64), np.array(judged, dtype=np.float64))
        return rows


@dataclass(frozen=True)
class _BinaryMetric(_QueryMetric):
    """A measure for which a document is relevant or not: its grade is at least `rel`, or it is not."""

    rel: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        _check(type(self).name, "rel", self.rel)

    @abstractmethod
    def of_hits(self, hits: BoolArray, n_relevant: int) -> float:
        """Return the score of one query from whether its documents as ranked are relevant, and how many are."""

    def of_query(self, grades: FloatArray, judged: FloatArray) -> float:
        hits = grades >= self.rel
        return self.of_hits(hits, int((judged >= self.rel).sum())) if hits.any() else 0.0


@dataclass(frozen=True)
class AveragePrecision(_BinaryMetric):
    """Mean average precision: at each relevant document the precision so far, over all relevant ones.

    Parameters
    ----------
    k : int, optional
        How many documents of a ranking count; all by default.
    rel : int
        The lowest grade that is relevant.

    Examples
    --------
    >>> ranking, judgements = RankedDocuments(("a", "x", "b")), Judgements({"a": 1, "b": 2, "c": 1, "n": 0})
    >>> round(float(AveragePrecision().rows([ranking], [judgements])[0, 0]), 4)  # (1/1 + 2/3) / 3
    0.5556
    """

    name = "ap"
    title = "MAP"
    citation = "Buckley & Voorhees 2005 (TREC: Experiment and Evaluation, chapter 3); trec_eval's map, ir-measures' AP"

    def of_hits(self, hits: BoolArray, n_relevant: int) -> float:
        ranks = np.flatnonzero(hits) + 1
        return float((np.arange(1, len(ranks) + 1) / ranks).sum() / n_relevant)


@dataclass(frozen=True)
class ReciprocalRank(_BinaryMetric):
    """Mean reciprocal rank: one over the rank of the first relevant document, 0 where there is none.

    Documents of equal score stand in trec_eval's order with a cutoff, too. ir-measures leaves RR@k to MS MARCO's
    script and gives it such documents in the opposite order, so that the two differ by such ties.

    Parameters
    ----------
    k : int, optional
        How many documents of a ranking count; all by default.
    rel : int
        The lowest grade that is relevant.

    Examples
    --------
    >>> ReciprocalRank().rows([RankedDocuments(("x", "a"))], [Judgements({"a": 1})]).tolist()
    [[0.5, 1.0]]
    """

    name = "rr"
    title = "MRR"
    citation = "Voorhees 1999 (TREC-8 question answering track); trec_eval's recip_rank, ir-measures' RR"

    def of_hits(self, hits: BoolArray, n_relevant: int) -> float:
        del n_relevant
        return float(1 / (hits.argmax() + 1))


@dataclass(frozen=True)
class PrecisionAt(_BinaryMetric):
    """Precision at k: the share of relevant documents among k places, also where the ranking is shorter.

    Parameters
    ----------
    k : int, optional
        The number of places; where it is none, that of the documents returned (trec_eval's set_P).
    rel : int
        The lowest grade that is relevant.

    Examples
    --------
    >>> PrecisionAt(4).rows([RankedDocuments(("x", "a"))], [Judgements({"a": 1})]).tolist()
    [[0.25, 1.0]]
    """

    k: int | None = 10

    name = "p"
    title = "P"
    citation = "Buckley & Voorhees 2005 (TREC: Experiment and Evaluation, chapter 3); trec_eval's P, ir-measures' P@k"

    def of_hits(self, hits: BoolArray, n_relevant: int) -> float:
        del n_relevant
        return float(hits.sum() / (self.k or len(hits)))


@dataclass(frozen=True)
class RecallAt(_BinaryMetric):
    """Recall at k: the share of the relevant documents that is among the first k.

    Parameters
    ----------
    k : int, optional
        How many documents of a ranking count; where it is none, all (trec_eval's set_recall).
    rel : int
        The lowest grade that is relevant.

    Examples
    --------
    >>> RecallAt(2).rows([RankedDocuments(("x", "a", "b"))], [Judgements({"a": 1, "b": 1})]).tolist()
    [[0.5, 1.0]]
    """

    k: int | None = 100

    name = "recall"
    title = "Recall"
    citation = (
        "Buckley & Voorhees 2005 (TREC: Experiment and Evaluation, chapter 3); trec_eval's recall, ir-measures' R@k"
    )

    def of_hits(self, hits: BoolArray, n_relevant: int) -> float:
        return float(hits.sum() / n_relevant)


@dataclass(frozen=True)
class Ndcg(_QueryMetric):
    """Normalized discounted cumulative gain: Σ grade / log2(rank + 1), over that of the best ranking possible.

    The gain of a document is its grade (not 2 to its power), and 0 for negative grades, as in trec_eval.

    Parameters
    ----------
    k : int, optional
        How many documents of a ranking, and of the best one, count; where it is none, all.

    Examples
    --------
    >>> ranking, judgements = RankedDocuments(("x", "a")), Judgements({"a": 2, "x": 0})
    >>> round(float(Ndcg(10).rows([ranking], [judgements])[0, 0]), 4)  # 1 / log2(3)
    0.6309
    """

    k: int | None = 10

    name = "ndcg"
    title = "nDCG"
    citation = "Järvelin & Kekäläinen 2002 (TOIS 20:4), discounted as trec_eval's ndcg_cut and ir-measures' nDCG@k do"

    def of_query(self, grades: FloatArray, judged: FloatArray) -> float:
        best = _discounted(judged[: self.k])
        return _discounted(grades) / best if best > 0 else 0.0


def _discounted(grades: FloatArray) -> float:
    return float((grades.clip(0) / np.log2(np.arange(2, len(grades) + 2))).sum())


def _check(metric: str, option: str, value: int) -> None:
    if value < 1:
        raise OptionError(
            Problem(
                opt("metric", metric),
                f"{option}: expected a whole number of at least 1, got {value}",
                "Choose another one.",
                f"bad-{option}",
            )
        )
