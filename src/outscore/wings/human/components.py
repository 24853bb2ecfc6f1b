"""Variance components of human scores: documents, raters and segments, by moments from a pilot."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.errors import DataError, OptionError, Problem
from outscore.options import opt
from outscore.readers.base import Conventions, Table
from outscore.readers.tabular.cells import note_on, scores_in, text_in
from outscore.readers.tabular.columns import SURE_SCORES, column_called, id_column_of, named_column
from outscore.readers.tabular.ratings import large_strata, of_task
from outscore.text.naming import in_roles, printable, quoted
from outscore.text.numbers import format_counted

_MOST_CELLS = 2500  # systems times documents for the estimate of leniency: the size of its matrices


@dataclass(frozen=True)
class PilotColumns:
    """What the user names: columns of documents, raters, domains and scores, and the task."""

    document: str | None = None
    rater: str | None = None
    domain: str | None = None
    score: str | None = None
    task: str | None = None


@dataclass(frozen=True)
class Ratings:
    """The ratings of a pilot, one row per rating, as codes."""

    # All of shape (n,): codes from 0.
    systems: AnyArray
    documents: AnyArray
    items: AnyArray
    raters: AnyArray
    domains: AnyArray
    scores: FloatArray  # shape (n,): one score per rating

    notes: tuple[str, ...] = ()  # what was left out or merged

    @classmethod
    def of(cls, table: Table, columns: PilotColumns) -> Ratings:
        """Return the ratings in a table.

        Raises
        ------
        DataError, OptionError
            A column that is missing; scores that are no numbers; several tasks, of which none is named.
        """
        conventions = table.conventions or Conventions()
        if columns.task is not None and conventions.task is None:
            what, advice = "does not apply to a table without tasks", "Leave it out."
            raise OptionError(Problem(opt("task"), what, advice, "no-tasks"))
        table, notes = of_task(table, columns.task), [*conventions.notes]
        document = columns.document or conventions.clusters or column_called(table, "document")
        if document is None:
            what = f"no column of documents in {printable(table.source)}"
            raise OptionError(
                Problem(opt("clusters"), what, f"Pass it as {opt('clusters', 'COLUMN')}.", "no-documents")
            )
        document = named_column(table, document)
        rater = columns.rater or conventions.levels.get("rater") or column_called(table, "rater")
        system = named_column(table, "system")
        beside = [column for column in (system, document, rater) if column is not None]
        item = column_called(table, "item") or id_column_of(table, None, beside=beside) or named_column(table, "item")
        score = columns.score or next(filter(None, (column_called(table, name) for name in SURE_SCORES)), "score")
        table, scores, note = _scored(table, named_column(table, score))
        notes += note
        roles = {"system": system, "document": document, "item": item, "rater": rater, "score": score}
        notes += in_roles(roles)
        domain = columns.domain or conventions.strata
        if domain is not None and columns.domain is None:
            table, domain, merged = large_strata(table, domain, document)
            notes += [merged] if merged else []
        return cls(
            systems=_codes(table, system),
            documents=_codes(table, document),
            items=_codes(table, document, item),  # ids of items may start anew in each document
            raters=_codes(table, *([system, document] if rater is None else [rater])),  # unknown: one for each
            domains=np.zeros(len(table), dtype=np.int64) if domain is None else _codes(table, domain),
            scores=scores,
            notes=tuple(notes),
        )

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


def _scored(table: Table, column: str) -> tuple[Table, FloatArray, list[str]]:
    """Return the rows with a score, the scores, and a note on the others."""
    there = [index for index, cell in enumerate(table.columns[column]) if text_in(cell) is not None]
    notes = [f"{format_counted(len(table) - len(there), 'row')} without a score left out."]
    if len(there) == len(table):
        notes = []
    if not there:
        what = f"expected scores in column {quoted(column)}, got none"
        raise DataError(Problem(printable(table.source), what, "Use a pilot with scores.", "no-scores"))
    table = table.take(there)
    numbers, wrong, words = scores_in(table.columns[column])
    notes += [note_on(words)] if words else []
    if wrong:
        what = f"expected a number as score, got {quoted(str(table.columns[column][wrong[0]]))}"
        raise DataError(Problem(table.place(wrong[0]), what, "Fix the line.", "not-a-number"))
    scores, what_expected = np.asarray(numbers, dtype=np.float64), f"field {quoted(column)}: expected a finite number"
    infinite = np.flatnonzero(~np.isfinite(scores)).tolist()
    if infinite:
        whats = [(row, f"{what_expected}, got {scores[row]}") for row in infinite]
        raise DataError(*(Problem(table.place(at), what, "Correct the score.", "not-finite") for at, what in whats))
    return table, scores, notes


def _codes(table: Table, *columns: str) -> AnyArray:
    """Return a code per row, equal for rows with the same texts."""
    codes: dict[tuple[str, ...], int] = {}
    texts = zip(
        *([text_in(cell) or "" for cell in table.columns[named_column(table, name)]] for name in columns), strict=True
    )
    return np.array([codes.setdefault(key, len(codes)) for key in texts], dtype=np.int64)


@dataclass(frozen=True)
class Components:
    """The variance components of the difference of two systems, and the sizes of a pilot."""

    document: float  # variance of the difference between documents, including that of one rating per document
    segment: float  # variance of the difference between segments of a document
    # Variance of a score between raters. It is part of `document` if the two systems have different raters.
    leniency: float
    different: float  # the proportion of raters of a document that two systems do not share
    rating: float  # variance of the difference between documents that ratings by more raters divide
    ratings: float  # ratings of each document of a system in the pilot, by different raters: the harmonic mean
    documents: int
    segments: int
    raters: int
    # of_documents, of_segments: the factors of `document` and `segment` in the variance of a gain, for the pilot's
    # design.
    of_documents: float
    of_segments: float

    def variance(self, documents: int, ratings: int) -> float:
        """Return the variance of a difference in score with so many documents, and ratings of each by other raters."""
        in_pilot = self.of_documents * self.document + self.of_segments * self.segment
        more = self.of_documents * self.rating * (1 / ratings - 1 / self.ratings)
        least = in_pilot * min(1, self.ratings / ratings)
        return max(in_pilot + more, least) * self.documents / documents


def components_of(ratings: Ratings) -> Components:
    """Return the variance components of a pilot, averaged over all pairs of systems.

    Documents and segments are separated by the one-way analysis of variance of differences, domain by domain (Searle,
    Casella & McCulloch 1992, section 3.6). This needs two systems, and a domain with two documents.
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
    raters = _of_raters(ratings)
    return Components(
        document=max(float(np.mean(between)), 0.0),
        segment=float(np.mean(within)),
        leniency=raters.leniency,
        different=raters.different,
        rating=raters.rating,
        ratings=raters.ratings,
        documents=len(np.unique(documents)),
        segments=len(documents),
        raters=len(np.unique(ratings.raters)),
        of_documents=float(of_documents),
        of_segments=float(of_segments),
    )


def _of_pair(differences: FloatArray, documents: AnyArray, domains: AnyArray) -> tuple[float, float] | None:
    """Return the variance of differences between and within documents, or None if one cannot be estimated."""
    is_finite = np.isfinite(differences)
    sums = np.zeros(2)  # of squares within documents, and between them
    freedom = np.zeros(2)
    spread = 0.0
    for domain in np.unique(domains):
        in_domain = is_finite & (domains == domain)
        if not in_domain.any():
            continue
        values, codes = differences[in_domain], np.unique(documents[in_domain], return_inverse=True)[1]
        sizes = np.bincount(codes)
        means = np.bincount(codes, values) / sizes
        sums += ((values - means[codes]) ** 2).sum(), (sizes * (means - values.mean()) ** 2).sum()
        freedom += len(values) - len(sizes), len(sizes) - 1
        spread += len(values) - (sizes**2).sum() / len(values)
    if not freedom.all():
        return None
    within, between = sums / freedom
    return float((between - within) * freedom[1] / spread), float(within)


@dataclass(frozen=True)
class _Raters:
    """The fields of `Components` that are about raters."""

    leniency: float
    different: float
    rating: float
    ratings: float


def _of_raters(ratings: Ratings) -> _Raters:
    """Return how raters vary and how systems share them.

    In a pilot with several raters per document their means of the document show what a rating varies by; leniency that
    two systems share cancels in their difference. With one rating only the variance of leniency is known.
    """
    means: dict[tuple[int, int], dict[int, list[float]]] = {}
    for system, document, rater, score in zip(
        ratings.systems.tolist(), ratings.documents.tolist(), ratings.raters.tolist(), ratings.scores.tolist(),
        strict=True,
    ):  # fmt: skip
        means.setdefault((system, document), {}).setdefault(rater, []).append(score)
    cells = {
        cell: {rater: float(np.mean(scores)) for rater, scores in by_rater.items()} for cell, by_rater in means.items()
    }
    by_document: dict[int, list[dict[int, float]]] = {}
    for (_, document), by_rater in cells.items():
        by_document.setdefault(document, []).append(by_rater)
    shared = [
        len(first.keys() & second.keys()) / math.sqrt(len(first) * len(second))
        for several in by_document.values()
        for first, second in combinations(several, 2)
    ]
    different = 1 - float(np.mean(shared)) if shared else 0.0
    n_ratings = 1 / float(np.mean([1 / len(by_rater) for by_rater in cells.values()]))
    repeated = {cell: by_rater for cell, by_rater in cells.items() if len(by_rater) > 1}
    if not repeated:
        leniency = _leniency(cells, within=False) if different > 0 else 0.0
        return _Raters(leniency, different, 2 * leniency * different, n_ratings)
    freedom = sum(len(by_rater) - 1 for by_rater in repeated.values())
    spread = sum(float(np.var([*by_rater.values()])) * len(by_rater) for by_rater in repeated.values()) / freedom
    leniency = min(_leniency(repeated, within=True), spread)
    return _Raters(leniency, different, 2 * (spread - leniency * (1 - different)), n_ratings)


def _leniency(cells: Mapping[tuple[int, int], Mapping[int, float]], *, within: bool) -> float:
    """Return the variance between raters from mean scores by system, document and rater.

    Residuals of one rater have the variance between raters as their covariance: residuals after the mean of each system
    and document (`within`), which needs several raters, or else after systems and documents. Two quadratic forms are
    equated with their expectations (Rao's MINQUE with identity weights), so that the fit causes no bias.
    """
    chosen = list(cells)
    most = _MOST_CELLS * len(cells) // sum(map(len, cells.values()))
    if len(chosen) > most:  # the order of a file may put systems and raters together
        drawn = np.random.default_rng(0).choice(len(chosen), most, replace=False)
        chosen = [chosen[index] for index in np.sort(drawn)]
    rows = [(cell, rater, mean) for cell in chosen for rater, mean in cells[cell].items()]
    levels = np.unique([rater for _, rater, _ in rows], return_inverse=True)[1]
    if levels.max() + 1 in (1, len(rows)):
        return 0.0
    if within:
        same = _indicators(np.repeat(np.arange(len(chosen)), [len(cells[cell]) for cell in chosen]))
        rest = np.eye(len(rows)) - same / same.sum(axis=0) @ same.T
    else:
        design = np.hstack([_indicators([cell[index] for cell, _, _ in rows]) for index in (0, 1)])
        rest = np.eye(len(rows)) - design @ np.linalg.pinv(design)
    rater_columns = _indicators(levels)
    residual = rest @ np.array([mean for _, _, mean in rows])
    # Quadratic forms y'My and y'MZZ'My, and their expectations by the variances of raters and of the rest.
    z = rest @ rater_columns
    forms = np.array([residual @ residual, ((rater_columns.T @ residual) ** 2).sum()])
    crossed = rater_columns.T @ z
    expected = np.array(
        [[np.trace(crossed), np.trace(rest)], [(crossed**2).sum(), np.trace(crossed)]], dtype=np.float64
    )
    try:
        variance = float(np.linalg.solve(expected, forms)[0])
    except np.linalg.LinAlgError:
        return 0.0
    return max(variance, 0.0)


def _indicators(codes: Sequence[int] | AnyArray) -> FloatArray:
    codes_used = np.unique(codes, return_inverse=True)[1]
    return np.eye(codes_used.max() + 1)[codes_used]
