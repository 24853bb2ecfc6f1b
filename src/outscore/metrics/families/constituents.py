"""Brackets of constituency trees, compared as EVALB does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from outscore._types import FloatArray
from outscore.data.items import BracketedTree
from outscore.errors import DataError, Problem
from outscore.metrics.base import RatioMetric, ResponseMetric
from outscore.text.naming import quoted

Bracket: TypeAlias = tuple[str, int, int]

_TAIL = str.maketrans("=", "-")  # EVALB cuts a label at its first "-" or "="


@dataclass(frozen=True)
class _Brackets(RatioMetric, ResponseMetric[BracketedTree, BracketedTree]):
    """What bracket precision, recall and F1 share: rows of (matched, test, gold), counts of brackets in a sentence.

    A bracket is a label, without what follows "-" or "=", over a range of words; a tree is a multiset of them. Tags of
    words are no brackets, and brackets without words do not count. EVALB has no scores for sentences whose parse is
    missing (its status 2) or is over other words than the gold tree (status 1, "Length unmatch", "Words unmatch"):
    all their counts are 0, those of the gold brackets too.
    """

    statistics = ("matched", "test", "gold")
    signed = False
    parts = (("matched", "test"), ("matched", "gold"))
    as_percentage = True
    score_range = (0.0, 1.0)
    higher_is_better = True
    output_type = BracketedTree
    reference_type = BracketedTree
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
        """Return how often each bracket that counts stands in the tree, in positions of words that are kept."""
        kept = [0]  # how many words are kept before each position
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

    def shared_row(self, reference: BracketedTree) -> Sequence[float]:
        """Return (0, 0, gold brackets)."""
        return 0, 0, self._brackets(reference).total()

    def responses(self, output: BracketedTree, reference: BracketedTree) -> Mapping[Hashable, Sequence[float]]:
        """Return a row for every bracket of the output: (whether it is matched, 1, 0).

        The key is label, start, end and how often the bracket stood there before.
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
        return super().rows(outputs, references)

    def item_scores(self, rows: FloatArray) -> FloatArray:
        """Return each sentence's own score, shape (n,); 0 for one that is left out, as EVALB prints it."""
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
    """The harmonic mean of bracket precision and recall, a fraction of 1: 2 matched / (test + gold).

    Parameters
    ----------
    labelled : bool
        Whether labels must agree (EVALB's LABELED).
    delete_label : str
        Labels that do not count, with spaces between them (EVALB's DELETE_LABEL). A word with such a tag is deleted
        from the sentence, which is how punctuation is left out.
    eq_label : str
        Classes of equal labels, as ``A=B``, with spaces between them (EVALB's EQ_LABEL).
    max_error : int
        The most sentences over other words than the gold tree that are let pass (EVALB's MAX_ERROR).
    skip : bool
        Whether sentences without a valid parse are left out, as by EVALB. If not, their gold brackets are counted as
        missed, so that a parser gains nothing by not answering.

    Notes
    -----
    The defaults are those of EVALB's COLLINS.prm. With none of its rules: ``delete_label="", eq_label=""``.

    In EVALB, but not here: EQ_WORD and QUOTE_LABEL, which COLLINS.prm does not use, and statistics of short sentences.
    EVALB gives up at the second error beyond MAX_ERROR, here it is the first; and its EQ_LABEL is not transitive.

    As responses (Yeh 2000), a missing parse is one of its own, which takes the gold brackets away.

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
    """The share of a parser's brackets that are in the gold tree, a fraction of 1: matched / test. As `BracketF1`."""

    name = "bracket-precision"
    title = "bracket precision"
    numerator = (1.0, 0.0, 0.0)
    denominator = (0.0, 1.0, 0.0)
    is_proportion = True


@dataclass(frozen=True)
class BracketRecall(_Brackets):
    """The share of the gold brackets that a parser found, a fraction of 1: matched / gold. As `BracketF1`."""

    name = "bracket-recall"
    title = "bracket recall"
    numerator = (1.0, 0.0, 0.0)
    denominator = (0.0, 0.0, 1.0)
    is_proportion = True
