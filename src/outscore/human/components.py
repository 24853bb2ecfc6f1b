"""Variance components of human scores: documents, raters and segments, by moments from a pilot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.errors import DataError, OptionError, Problem
from outscore.options import opt
from outscore.readers.base import Table
from outscore.readers.tabular.cells import numbers_in, text_in
from outscore.readers.tabular.columns import column_called, named_column
from outscore.readers.tabular.ratings import large_strata
from outscore.text.naming import printable

_MOST_CELLS = 2500  # systems times documents for the estimate of leniency: the size of its matrices


@dataclass(frozen=True)
class Ratings:
    """The ratings of a pilot, one row per rating, as codes.

    Attributes
    ----------
    systems, documents, items, raters, domains : ndarray of int, shape (n,)
    scores : ndarray, shape (n,)
    """

    systems: AnyArray
    documents: AnyArray
    items: AnyArray
    raters: AnyArray
    domains: AnyArray
    scores: FloatArray

    @classmethod
    def of(cls, table: Table, *, clusters: str | None, rater: str | None, strata: str | None) -> Ratings:
        """Return the ratings in a table, from the columns that users name or that the format defines.

        Raises
        ------
        DataError, OptionError
            A column is missing, or a score is not a number.
        """
        known = table.conventions
        document = clusters or (None if known is None else known.clusters) or column_called(table, "document")
        if document is None:
            what = f"no column of documents in {printable(table.source)}"
            raise OptionError(
                Problem(opt("clusters"), what, f"Pass it as {opt('clusters', 'COLUMN')}.", "no-documents")
            )
        document = named_column(table, document)
        raters = rater or (None if known is None else known.levels.get("rater")) or column_called(table, "rater")
        domains = strata or (None if known is None else known.strata)
        if domains is not None and strata is None:
            table, domains, _ = large_strata(table, domains, document)
        numbers, lacking = numbers_in(table.columns[named_column(table, "score")])
        if lacking:
            what = "expected a number as score"
            raise DataError(Problem(table.place(lacking[0]), what, "Fix the line.", "not-a-number"))
        names = [named_column(table, name) for name in ("system", document, "item")]
        codes = [_codes(table, name) for name in names]
        raters_of = np.arange(len(table)) if raters is None else _codes(table, named_column(table, raters))
        in_domains = (
            np.zeros(len(table), dtype=np.int64) if domains is None else _codes(table, named_column(table, domains))
        )
        return cls(codes[0], codes[1], codes[2], raters_of, in_domains, np.asarray(numbers, dtype=np.float64))

    def averaged(self) -> tuple[FloatArray, AnyArray, AnyArray]:
        """Return mean scores, shape (systems, items), NaN without any, and the document and the domain of each item."""
        shape = self.systems.max() + 1, self.items.max() + 1
        sums, counts = np.zeros(shape), np.zeros(shape)
        np.add.at(sums, (self.systems, self.items), self.scores)
        np.add.at(counts, (self.systems, self.items), 1)
        documents, domains = np.zeros((2, shape[1]), dtype=np.int64)
        documents[self.items], domains[self.items] = self.documents, self.domains
        with np.errstate(invalid="ignore"):
            return sums / counts, documents, domains


def _codes(table: Table, column: str) -> AnyArray:
    texts = [text_in(cell) or "" for cell in table.columns[column]]
    return np.unique(texts, return_inverse=True)[1]


@dataclass(frozen=True)
class Components:
    """The variance components of the difference of two systems, and the sizes of a pilot.

    Attributes
    ----------
    document : float
        Variance of the difference between documents, including that of one rating per document.
    segment : float
        Variance of the difference between segments of a document.
    leniency : float
        Variance of a score between raters. It is part of `document` if the two systems have different raters.
    different : float
        The proportion of documents on which two systems have different raters.
    documents : int
    segments : int
    raters : int
    of_documents, of_segments : float
        The factors of `document` and `segment` in the variance of a gain, for the pilot's design.
    """

    document: float
    segment: float
    leniency: float
    different: float
    documents: int
    segments: int
    raters: int
    of_documents: float
    of_segments: float

    def variance(self, documents: int, ratings: int) -> float:
        """Return the variance of a gain, given the number of documents and of ratings of each by different raters."""
        saved = 2 * self.leniency * self.different * (1 - 1 / ratings)
        of_document = max(self.document - saved, 0.0)
        in_pilot = self.of_documents * of_document + self.of_segments * self.segment
        return in_pilot * self.documents / documents


def components_of(ratings: Ratings) -> Components:
    """Return the variance components of a pilot, averaged over all pairs of systems.

    Documents and segments are separated by the one-way analysis of variance of differences, domain by domain (Searle,
    Casella & McCulloch 1992, section 3.6).

    Raises
    ------
    DataError
        There are fewer than two systems, or every domain has fewer than two documents.
    """
    scores, documents, domains = ratings.averaged()
    if len(scores) < 2:
        raise DataError(Problem("pilot", "expected at least two systems, got one", "", "one-system"))
    between, within = [], []
    for first, second in combinations(range(len(scores)), 2):
        pair = _of_pair(scores[first] - scores[second], documents, domains)
        if pair is not None:
            between.append(pair[0])
            within.append(pair[1])
    if not between:
        what = "expected at least two documents in a domain and two segments in a document"
        raise DataError(Problem("pilot", what, "Use a larger pilot.", "small-pilot"))
    several = np.unique(domains)
    weight = 1 / len(several)
    of_documents = of_segments = 0.0
    for domain in several:
        sizes = np.bincount(documents[domains == domain])
        n = sizes.sum()
        of_documents += weight**2 * (sizes**2).sum() / n**2
        of_segments += weight**2 / n
    leniency, different = _of_raters(ratings)
    return Components(
        document=max(float(np.mean(between)), 0.0),
        segment=float(np.mean(within)),
        leniency=leniency,
        different=different,
        documents=len(np.unique(documents)),
        segments=len(documents),
        raters=len(np.unique(ratings.raters)),
        of_documents=float(of_documents),
        of_segments=float(of_segments),
    )


def _of_pair(differences: FloatArray, documents: AnyArray, domains: AnyArray) -> tuple[float, float] | None:
    """Return the variance of differences between and within documents, or None if one cannot be estimated."""
    known = np.isfinite(differences)
    sums = np.zeros(2)  # of squares within documents, and between them
    freedom = np.zeros(2)
    spread = 0.0
    for domain in np.unique(domains):
        own = known & (domains == domain)
        if not own.any():
            continue
        values, codes = differences[own], np.unique(documents[own], return_inverse=True)[1]
        sizes = np.bincount(codes)
        means = np.bincount(codes, values) / sizes
        sums += ((values - means[codes]) ** 2).sum(), (sizes * (means - values.mean()) ** 2).sum()
        freedom += len(values) - len(sizes), len(sizes) - 1
        spread += len(values) - (sizes**2).sum() / len(values)
    if not freedom.all():
        return None
    within, between = sums / freedom
    return float((between - within) * freedom[1] / spread), float(within)


def _of_raters(ratings: Ratings) -> tuple[float, float]:
    """Return the variance between raters, and the proportion of documents on which two systems have different raters.

    Residuals of document means, after systems and documents, of one rater on different systems and documents have the
    variance between raters as their covariance. The two quadratic forms are equated with their expectations (Rao's
    MINQUE with identity weights), so that fitting systems and documents causes no bias.
    """
    cells: dict[tuple[int, int], list[tuple[int, float]]] = {}
    for system, document, rater, score in zip(
        ratings.systems.tolist(),
        ratings.documents.tolist(),
        ratings.raters.tolist(),
        ratings.scores.tolist(),
        strict=True,
    ):
        cells.setdefault((system, document), []).append((rater, score))
    usual = {cell: Counter(rater for rater, _ in of).most_common(1)[0][0] for cell, of in cells.items()}
    by_document: dict[int, list[int]] = {}
    for (_, document), rater in usual.items():
        by_document.setdefault(document, []).append(rater)
    pairs = [one != other for of in by_document.values() for one, other in combinations(of, 2)]
    different = float(np.mean(pairs)) if pairs else 0.0
    kept = list(cells)[:_MOST_CELLS]
    means = np.array([np.mean([score for _, score in cells[cell]]) for cell in kept])
    levels = np.unique([usual[cell] for cell in kept], return_inverse=True)[1]
    if different == 0 or levels.max() + 1 in (1, len(kept)):
        return 0.0, different
    design = np.hstack([_indicators([cell[place] for cell in kept]) for place in (0, 1)])
    rest = np.eye(len(kept)) - design @ np.linalg.pinv(design)
    of_raters = _indicators(levels)
    residual = rest @ means
    # Quadratic forms y'My and y'MZZ'My, and their expectations by the variances of raters and of the rest.
    z = rest @ of_raters
    forms = np.array([residual @ residual, ((of_raters.T @ residual) ** 2).sum()])
    crossed = of_raters.T @ z
    expected = np.array(
        [[np.trace(crossed), np.trace(rest)], [(crossed**2).sum(), np.trace(crossed)]], dtype=np.float64
    )
    try:
        variance = float(np.linalg.solve(expected, forms)[0])
    except np.linalg.LinAlgError:
        return 0.0, different
    return max(variance, 0.0), different


def _indicators(codes: Sequence[int] | AnyArray) -> FloatArray:
    known = np.unique(codes, return_inverse=True)[1]
    return np.eye(known.max() + 1)[known]
