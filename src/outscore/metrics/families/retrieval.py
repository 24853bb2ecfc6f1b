"""Measures of ranked retrieval, each a mean over the judged queries."""

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

    A query that is missing in the run gets an empty ranking, which scores 0. The mean is over all judged queries, as in
    ``trec_eval -c`` and ir-measures, so that no system gains by leaving out queries. Queries without judgements are
    left out, with a note, as official runs have more queries than are judged.

    Raises
    ------
    DataError
        No query of the run has judgements.
    """
    queries = run.item_ids or tuple(map(str, range(len(run))))
    judged = qrels.item_ids or tuple(map(str, range(len(qrels))))
    index_of = {query: index for index, query in enumerate(queries)}
    judged_queries = set(judged)
    unknown = [query for query in queries if query not in judged_queries]
    if len(unknown) == len(queries):
        what = f"no query has judgements in {printable(qrels.name)}: {listed(unknown)}"
        raise DataError(Problem(printable(run.name), what, "Use the qrels of this run's topics.", "unknown-query"))
    have, were = ("has", "was") if len(unknown) == 1 else ("have", "were")
    left_out = (
        f"{len(unknown):,} of {len(queries):,} queries {have} no judgements and {were} left out, as in trec_eval."
    )
    items = [run.items[index_of[query]] if query in index_of else RankedDocuments() for query in judged]
    lines = [run.lines[index_of[query]] if query in index_of else 1 for query in judged] if len(run.lines) else ()
    notes = (*run.notes, *((left_out,) if unknown else ()))
    return replace(run, items=items, lines=lines, item_ids=qrels.item_ids, notes=notes)


@dataclass(frozen=True)
class _QueryMetric(OutputMetric[RankedDocuments, Judgements], RatioMetric):
    """Base of the measures: rows are (score, 1) per query, from its first k documents, or all if k is None.

    A query without relevant documents scores 0 and counts, as in trec_eval. The name of an instance includes its
    cutoff: "ndcg" is the metric, "ndcg@10" is the metric with k = 10.
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

    def remarks_on_references(self, references: Sequence[Judgements]) -> Sequence[str]:
        """Return a warning with the number of judged queries without relevant documents."""
        lowest = getattr(self, "rel", 1)
        n_without = sum(max(reference.grades.values(), default=0) < lowest for reference in references)
        if not n_without:
            return ()
        what = f"{n_without} of {len(references)} judged queries have no relevant documents in the qrels; "
        return (f"{what}all systems score 0 on them, as in trec_eval.",)

    def remarks_on_outputs(self, outputs: Sequence[RankedDocuments]) -> Sequence[str]:
        """Return a warning with the number of judged queries for which a run has no documents."""
        n_absent = sum(not output.documents for output in outputs)
        if not n_absent:
            return ()
        return (f"has no documents for {n_absent} of {len(outputs)} judged queries; they score 0, as in trec_eval -c.",)

    @abstractmethod
    def of_query(self, grades: FloatArray, judged: FloatArray) -> float:
        """Return the score of a query, given the grades of its ranked documents, and of all judged ones, descending."""

    def rows(self, outputs: Sequence[RankedDocuments], references: Sequence[Judgements]) -> FloatArray:
        rows = np.ones((len(outputs), 2))
        for row, output, reference in zip(rows, outputs, references, strict=True):
            grades = [reference.grades.get(document, 0) for document in output.documents[: self.k]]
            judged = sorted(reference.grades.values(), reverse=True)
            row[0] = self.of_query(np.array(grades, dtype=np.float64), np.array(judged, dtype=np.float64))
        return rows


@dataclass(frozen=True)
class _BinaryMetric(_QueryMetric):
    """A measure of binary relevance: a document is relevant if its grade is at least `rel`."""

    rel: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        _check(type(self).name, "rel", self.rel)

    @abstractmethod
    def of_hits(self, hits: BoolArray, n_relevant: int) -> float:
        """Return the score of a query, given the relevance of its ranked documents, and the number of relevant ones."""

    def of_query(self, grades: FloatArray, judged: FloatArray) -> float:
        hits = grades >= self.rel
        return self.of_hits(hits, int((judged >= self.rel).sum())) if hits.any() else 0.0


@dataclass(frozen=True)
class AveragePrecision(_BinaryMetric):
    """Mean average precision: the mean of the precision at each relevant document, 0 for those not retrieved.

    Parameters
    ----------
    k : int, optional
        Number of ranked documents that count; all by default.
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
    cites = ("buckley2005",)
    citation = "Buckley & Voorhees 2005 (TREC: Experiment and Evaluation, chapter 3); trec_eval's map, ir-measures' AP"

    def of_hits(self, hits: BoolArray, n_relevant: int) -> float:
        ranks = np.flatnonzero(hits) + 1
        return float((np.arange(1, len(ranks) + 1) / ranks).sum() / n_relevant)


@dataclass(frozen=True)
class ReciprocalRank(_BinaryMetric):
    """Mean reciprocal rank: one over the rank of the first relevant document, 0 if there is none.

    Documents of equal score are in trec_eval's order, even with a cutoff. For RR@k, ir-measures uses MS MARCO's script
    with such documents in the opposite order, so results can differ if there are ties.

    Parameters
    ----------
    k : int, optional
        Number of ranked documents that count; all by default.
    rel : int
        The lowest grade that is relevant.

    Examples
    --------
    >>> ReciprocalRank().rows([RankedDocuments(("x", "a"))], [Judgements({"a": 1})]).tolist()
    [[0.5, 1.0]]
    """

    name = "rr"
    title = "MRR"
    cites = ("voorhees1999",)
    citation = "Voorhees 1999 (TREC-8 question answering track); trec_eval's recip_rank, ir-measures' RR"

    def of_hits(self, hits: BoolArray, n_relevant: int) -> float:
        del n_relevant
        return float(1 / (hits.argmax() + 1))


@dataclass(frozen=True)
class PrecisionAt(_BinaryMetric):
    """Precision at k: the relevant documents among the first k, divided by k even if the ranking is shorter.

    Parameters
    ----------
    k : int, optional
        Number of places; by default the number of documents returned (trec_eval's set_P).
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
    cites = ("buckley2005",)
    citation = "Buckley & Voorhees 2005 (TREC: Experiment and Evaluation, chapter 3); trec_eval's P, ir-measures' P@k"

    def of_hits(self, hits: BoolArray, n_relevant: int) -> float:
        del n_relevant
        return float(hits.sum() / (self.k or len(hits)))


@dataclass(frozen=True)
class RecallAt(_BinaryMetric):
    """Recall at k: the proportion of the relevant documents that are among the first k.

    Parameters
    ----------
    k : int, optional
        Number of ranked documents that count; all by default (trec_eval's set_recall).
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
    cites = ("buckley2005",)
    citation = (
        "Buckley & Voorhees 2005 (TREC: Experiment and Evaluation, chapter 3); trec_eval's recall, ir-measures' R@k"
    )

    def of_hits(self, hits: BoolArray, n_relevant: int) -> float:
        return float(hits.sum() / n_relevant)


@dataclass(frozen=True)
class Ndcg(_QueryMetric):
    """Normalized discounted cumulative gain: Σ grade / log2(rank + 1), divided by that of the ideal ranking.

    The gain of a document is its grade (not 2 to its power), and 0 for negative grades, as in trec_eval.

    Parameters
    ----------
    k : int, optional
        Number of documents that count, of the ranking and of the ideal one; all by default.

    Examples
    --------
    >>> ranking, judgements = RankedDocuments(("x", "a")), Judgements({"a": 2, "x": 0})
    >>> round(float(Ndcg(10).rows([ranking], [judgements])[0, 0]), 4)  # 1 / log2(3)
    0.6309
    """

    k: int | None = 10

    name = "ndcg"
    title = "nDCG"
    cites = ("jarvelin2002",)
    citation = "Järvelin & Kekäläinen 2002 (TOIS 20:4), discounted as in trec_eval's ndcg_cut and ir-measures' nDCG@k"

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
                "Choose another value.",
                f"bad-{option}",
            )
        )
