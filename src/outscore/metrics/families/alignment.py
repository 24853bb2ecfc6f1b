"""Alignment error rate, precision, recall and F1 of word alignments with sure and possible links."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from outscore._types import FloatArray
from outscore.data.items import Alignment, Corpus, GoldAlignment
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics.base import RatioMetric, ResponseMetric
from outscore.options import opt
from outscore.text.naming import nearest, printable, quoted

GoldLinks: TypeAlias = Literal["both", "sure", "possible"]

# Coefficients of the statistics: |A|, |A∩S|, |A∩P|, |S|, |P|.
_A, _A_AND_S, _A_AND_P, _S, _P = (tuple(row) for row in np.eye(5).tolist())


def over_gold_pairs(outputs: Corpus[Alignment], gold: Corpus[GoldAlignment]) -> Corpus[Alignment]:
    """Return a system's alignments of the gold sentence pairs, in their order.

    Only files with one line per link (NAACL) have ids of pairs. A pair without links has no line in such a file. It
    gets an empty alignment here, because it cannot be distinguished from a missing pair.
    """
    by_pair = dict(zip(outputs.item_ids or (), zip(outputs.items, outputs.lines, strict=True), strict=True))
    gold_pairs = set(gold.item_ids or ())
    unknown = [
        (pair, line) for pair, (alignment, line) in by_pair.items() if pair not in gold_pairs and alignment.links
    ]
    if unknown:
        raise DataError(
            Problem(
                f"{printable(outputs.name)}:{unknown[0][1]}",
                f"{len(unknown)} sentence pairs that {printable(gold.name)} does not have: "
                + ", ".join(quoted(pair) for pair, _ in unknown[:3])
                + (f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""),
                "Add these pairs to the gold file. If they have no gold links, pass "
                f"{opt('input_format')} naacl:n_pairs=NUMBER.",
                "unknown-pair",
            )
        )
    first_line = min((line for _, line in by_pair.values()), default=1)
    kept = [by_pair.get(pair, (Alignment(frozenset()), first_line)) for pair in gold.item_ids or ()]
    return replace(
        outputs, items=[alignment for alignment, _ in kept], lines=[line for _, line in kept], item_ids=gold.item_ids
    )


class _Alignments(ResponseMetric[Alignment, GoldAlignment]):
    """Base of the metrics of alignments: rows are the sizes of A, A∩S, A∩P, S and P, where P includes S."""

    statistics = ("links", "links_and_sure", "links_and_possible", "sure", "possible")
    shared_statistics = ("sure", "possible")
    signed = False
    parts = (
        ("links_and_sure", "links"),
        ("links_and_sure", "sure"),
        ("links_and_possible", "links"),
        ("links_and_possible", "possible"),
        ("sure", "possible"),
    )
    output_type = Alignment
    reference_type = GoldAlignment
    higher_is_better = True
    as_percentage = True
    score_range = (0.0, 1.0)
    cites = ("och2003", "mihalcea2003")
    citation = (
        "Och and Ney 2003, A Systematic Comparison of Various Statistical Alignment Models, section 6; "
        "Mihalcea and Pedersen 2003, An Evaluation Exercise for Word Alignment (WPT), section 4"
    )

    def paired(self, outputs: Corpus[Alignment], references: Corpus[GoldAlignment]) -> Corpus[Alignment]:
        """Return a system's alignments in the order of the gold, matched by pair number if both sides have it."""
        if outputs.item_ids is None or references.item_ids is None:
            return super().paired(outputs, references)
        return over_gold_pairs(outputs, references)

    def responses(self, output: Alignment, reference: GoldAlignment) -> Mapping[Hashable, Sequence[float]]:
        return {
            link: (1.0, float(link in reference.sure), float(link in reference.possible), 0.0, 0.0)
            for link in output.links
        }

    def rows(self, outputs: Sequence[Alignment], references: Sequence[GoldAlignment]) -> FloatArray:
        """Return the sizes of A, A∩S, A∩P, S and P of each sentence pair, shape (n, 5)."""
        sizes = [
            (len(a.links), len(a.links & g.sure), len(a.links & g.possible), len(g.sure), len(g.possible))
            for a, g in zip(outputs, references, strict=True)
        ]
        return np.array(sizes, dtype=np.float64).reshape(-1, 5)


class _OfGoldLinks(_Alignments):
    """Base of precision, recall and F1, with an option for which gold links count."""

    links: GoldLinks

    def __post_init__(self) -> None:
        choices = ("both", "sure", "possible")
        if self.links not in choices:
            raise OptionError(
                Problem(
                    f"{self.name}:links",
                    f"expected one of {', '.join(choices)}, got {self.links!r}",
                    nearest(str(self.links), choices),
                    "unknown-option",
                )
            )


@dataclass(frozen=True)
class Aer(RatioMetric, _Alignments):
    """The alignment error rate, from 0 to 1: AER = 1 − (|A∩S| + |A∩P|) / (|A| + |S|). Lower is better.

    A are the system's links, S the sure and P the possible gold links, where P includes S. It is a function of two
    counts, so it has an exact distribution under randomization. Without possible links it is 1 − F1. A system can
    lower AER by giving fewer links (Fraser and Marcu 2007): also report precision and recall.

    Examples
    --------
    >>> system = Alignment(frozenset({(0, 0), (1, 1), (2, 1)}))
    >>> gold = GoldAlignment(sure=frozenset({(0, 0), (1, 2)}), possible=frozenset({(1, 1)}))
    >>> metric = Aer()
    >>> metric.rows([system], [gold]).tolist()
    [[3.0, 1.0, 2.0, 2.0, 3.0]]
    >>> round(float(metric.score(metric.rows([system], [gold]).sum(axis=0))), 4)
    0.4
    """

    name = "aer"
    title = "AER"
    higher_is_better = False
    numerator = (1.0, -1.0, -1.0, 1.0, 0.0)
    denominator = (1.0, 0.0, 0.0, 1.0, 0.0)

    def item_scores(self, rows: FloatArray) -> FloatArray:
        """Return each item's own score, shape (n,); 0 if neither side has links."""
        return self.score(rows)


@dataclass(frozen=True)
class AlignmentPrecision(RatioMetric, _OfGoldLinks):
    """The proportion of the system's links that are correct, from 0 to 1: |A∩P| / |A|.

    Attributes
    ----------
    links : {"both", "possible", "sure"}
        Which gold links are correct. "both" (Och and Ney 2003) and "possible" (P_P of the 2003 shared task) count
        possible links as correct; "sure" (P_S of the shared task) counts only sure links: |A∩S| / |A|. In the shared
        task, systems could mark links as sure or possible. Here all links of a system count.

    Examples
    --------
    >>> import numpy as np
    >>> mgiza = np.array([5489.0, 3698.0, 5242.0, 4038.0, 17438.0])  # grow-diagonal-final, Hansards
    >>> round(float(AlignmentPrecision().score(mgiza)), 3)
    0.955
    """

    links: GoldLinks = "both"

    name = "alignment-precision"
    title = "alignment precision"
    denominator = _A
    is_proportion = True

    @property
    def numerator(self) -> tuple[float, ...]:  # type: ignore[override]
        return _A_AND_S if self.links == "sure" else _A_AND_P


@dataclass(frozen=True)
class AlignmentRecall(RatioMetric, _OfGoldLinks):
    """The proportion of the gold links that the system found, from 0 to 1: |A∩S| / |S|.

    Attributes
    ----------
    links : {"both", "possible", "sure"}
        Which gold links are to be found: "both" (Och and Ney 2003) and "sure" (R_S of the shared task) mean the sure
        links, "possible" (R_P of the shared task) means all: |A∩P| / |P|.

    Examples
    --------
    >>> import numpy as np
    >>> mgiza = np.array([5489.0, 3698.0, 5242.0, 4038.0, 17438.0])
    >>> round(float(AlignmentRecall().score(mgiza)), 3)
    0.916
    """

    links: GoldLinks = "both"

    name = "alignment-recall"
    title = "alignment recall"
    is_proportion = True

    @property
    def numerator(self) -> tuple[float, ...]:  # type: ignore[override]
        return _A_AND_P if self.links == "possible" else _A_AND_S

    @property
    def denominator(self) -> tuple[float, ...]:  # type: ignore[override]
        return _P if self.links == "possible" else _S


@dataclass(frozen=True)
class AlignmentF1(_OfGoldLinks):
    """The harmonic mean of precision and recall of links, from 0 to 1: 2PR / (P + R), 0 if P + R is 0.

    With both kinds of gold links it is not a ratio of two sums, because P and R count matches with different sets.
    Its p-values are enumerated for few sentences and sampled otherwise. For exact p-values use `Aer`.

    Attributes
    ----------
    links : {"both", "possible", "sure"}
        "both" computes P with the possible and R with the sure links, as in Och and Ney 2003 (Fraser and Marcu 2007,
        equation 4 with α = ½). The 2003 shared task has two F-measures, each with the same links for P and R: "sure"
        (F_S) and "possible" (F_P).

    Examples
    --------
    >>> import numpy as np
    >>> mgiza = np.array([5489.0, 3698.0, 5242.0, 4038.0, 17438.0])
    >>> [round(float(AlignmentF1(links).score(mgiza)), 3) for links in ("both", "sure", "possible")]
    [0.935, 0.776, 0.457]
    """

    links: GoldLinks = "both"

    name = "alignment-f1"
    title = "alignment F1"

    def score(self, totals: FloatArray) -> FloatArray:
        precision, recall = AlignmentPrecision(self.links).score(totals), AlignmentRecall(self.links).score(totals)
        both = precision + recall
        return np.asarray(np.divide(2 * precision * recall, both, out=np.zeros(np.shape(both)), where=both > 0))

    def item_scores(self, rows: FloatArray) -> FloatArray:
        """Return each item's own score, shape (n,); 1 if neither side has links."""
        wanted = rows @ np.asarray(AlignmentRecall(self.links).denominator)
        return np.where((rows[:, 0] == 0) & (wanted == 0), 1.0, self.score(rows))
