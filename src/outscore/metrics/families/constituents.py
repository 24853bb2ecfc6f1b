"""Brackets of constituency trees, scored as by EVALB."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from outscore._types import FloatArray
from outscore.data.items import BracketedTree
from outscore.errors import DataError, Problem
from outscore.metrics.base import RatioMetric, ResponseMetric
from outscore.text.naming import quoted

Bracket: TypeAlias = tuple[str, int, int]

_TAIL = str.maketrans("=", "-")  # EVALB cuts a label at its first "-" or "="


@dataclass(frozen=True)
class _Brackets(RatioMetric, ResponseMetric[BracketedTree, BracketedTree]):
    """Base of bracket precision, recall and F1: rows are (matched, test, gold), counts of brackets per sentence.

    A bracket is a label, up to its first "-" or "=", over a range of words. A tree is a multiset of brackets. Tags of
    words and brackets without words do not count. EVALB does not score sentences whose parse is missing (status 2)
    or has other words than the gold tree (status 1, "Length unmatch", "Words unmatch"). All their counts are 0,
    including those of gold brackets.
    """

    statistics = ("matched", "test", "gold")
    signed = False
    parts = (("matched", "test"), ("matched", "gold"))
    as_percentage = True
    score_range = (0.0, 1.0)
    higher_is_better = True
    output_type = BracketedTree
    reference_type = BracketedTree
    cites = ("black1991",)
    citation = (
        "Black et al. 1991, A Procedure for Quantitatively Comparing the Syntactic Coverage of English Grammars; "
        "Sekine and Collins, EVALB"
    )

    labelled: bool = True
    delete_label: str = "TOP -NONE- , : `` '' ."
    eq_label: str = "ADVP=PRT"
    max_error: int = 10
    skip: bool = True

    @cached_property
    def _representatives(self) -> dict[str, str]:
        classes = [group.split("=") for group in self.eq_label.split()]
        return {label: group[0] for group in classes for label in group}

    @cached_property
    def _deleted_tags(self) -> frozenset[str]:
        return frozenset(self.delete_label.split())

    @cached_property
    def _deleted_labels(self) -> frozenset[str]:
        return frozenset(self._representatives.get(label, label) for label in self._deleted_tags)

    def _words(self, tree: BracketedTree) -> list[str]:
        return [word for word, tag in zip(tree.words, tree.tags, strict=True) if tag not in self._deleted_tags]

    def _brackets(self, tree: BracketedTree) -> Counter[Bracket]:
        """Return the count of each bracket of the tree, in positions of words that are kept."""
        kept = [0]  # number of kept words before each position
        for tag in tree.tags:
            kept.append(kept[-1] + (tag not in self._deleted_tags))
        counts: Counter[Bracket] = Counter()
        for full, first, last in tree.brackets:
            label = full.translate(_TAIL).partition("-")[0]
            label = self._representatives.get(label, label)
            start, end = kept[first], kept[last]
            if start < end and label not in self._deleted_labels:
                counts[label if self.labelled else "", start, end] += 1
        return counts

    def responses(self, output: BracketedTree, reference: BracketedTree) -> Mapping[Hashable, Sequence[float]]:
        """Return a row for every bracket of the output: (whether it is matched, 1, 0).

        The key is label, start, end and the number of equal brackets before it.
        """
        gold = self._brackets(reference)
        words = self._words(output)
        if not words or words != self._words(reference):
            return {"no parse": (0, 0, -gold.total())} if self.skip else {}
        return {
            (*bracket, k): (k < gold[bracket], 1, 0)
            for bracket, count in self._brackets(output).items()
            for k in range(count)
        }

    def rows(self, outputs: Sequence[BracketedTree], references: Sequence[BracketedTree]) -> FloatArray:
        """Return the rows (matched, test, gold), shape (n, 3)."""
        problems = []
        for index, (output, reference) in enumerate(zip(outputs, references, strict=True)):
            got, expected = self._words(output), self._words(reference)
            if got and got != expected:
                problems.append(_other_words(index, got, expected))
        if len(problems) > self.max_error:
            raise DataError(*problems)
        rows = np.zeros((len(outputs), 3))
        for row, output, reference in zip(rows, outputs, references, strict=True):
            row[2] = self._brackets(reference).total()
            for response in self.responses(output, reference).values():
                row += response
        return rows

    def item_scores(self, rows: FloatArray) -> FloatArray:
        """Return each sentence's own score, shape (n,); 0 if it is left out, as in EVALB's output."""
        return self.score(rows)


def _other_words(index: int, got: Sequence[str], expected: Sequence[str]) -> Problem:
    if len(got) != len(expected):
        what = f"expected a tree over {len(expected)} words as in the gold tree, got {len(got)}"
    else:
        k = next(k for k in range(len(got)) if got[k] != expected[k])
        what = f"expected {quoted(expected[k])} as word {k + 1}, as in the gold tree, got {quoted(got[k])}"
    advice = "Check that the files belong together, or raise max_error to leave such sentences out."
    return Problem(f"[{index}]", what, advice, "different-words")


@dataclass(frozen=True)
class BracketF1(_Brackets):
    """The harmonic mean of bracket precision and recall, from 0 to 1: 2 matched / (test + gold).

    Parameters
    ----------
    labelled : bool
        Whether labels must agree (EVALB's LABELED).
    delete_label : str
        Labels that do not count, separated by spaces (EVALB's DELETE_LABEL). Words with such a tag are deleted from
        the sentence, which removes punctuation.
    eq_label : str
        Classes of equal labels, as ``A=B``, separated by spaces (EVALB's EQ_LABEL).
    max_error : int
        Maximum number of sentences with other words than the gold tree (EVALB's MAX_ERROR).
    skip : bool
        Whether sentences without a valid parse are left out, as in EVALB. Otherwise their gold brackets count as
        missed, so that a parser gains nothing by not answering.

    Notes
    -----
    The defaults are those of EVALB's COLLINS.prm. For none of its rules use ``delete_label="", eq_label=""``.

    EVALB's EQ_WORD and QUOTE_LABEL, which COLLINS.prm does not use, and its statistics of short sentences are not
    supported. EVALB stops at the second error beyond MAX_ERROR, this metric at the first. EVALB's EQ_LABEL is not
    transitive.

    For swapping responses (Yeh 2000), a missing parse is a response that removes the gold brackets.

    Examples
    --------
    >>> from outscore.readers.corpora.brackets import Brackets
    >>> gold = Brackets().parse("(S (NP (D the) (N cat)) (VP (V sleeps)))", "gold").items
    >>> parse = Brackets().parse("(S (NP (D the)) (VP (N cat) (V sleeps)))", "parse").items
    >>> BracketF1().rows(parse, gold)
    array([[1., 3., 3.]])
    """

    name = "bracket-f1"
    title = "bracket F1"
    numerator = (2.0, 0.0, 0.0)
    denominator = (0.0, 1.0, 1.0)


@dataclass(frozen=True)
class BracketPrecision(_Brackets):
    """The proportion of a parser's brackets that are in the gold tree, from 0 to 1: matched / test. As `BracketF1`."""

    name = "bracket-precision"
    title = "bracket precision"
    numerator = (1.0, 0.0, 0.0)
    denominator = (0.0, 1.0, 0.0)
    is_proportion = True


@dataclass(frozen=True)
class BracketRecall(_Brackets):
    """The proportion of the gold brackets that a parser found, from 0 to 1: matched / gold. As `BracketF1`."""

    name = "bracket-recall"
    title = "bracket recall"
    numerator = (1.0, 0.0, 0.0)
    denominator = (0.0, 0.0, 1.0)
    is_proportion = True
