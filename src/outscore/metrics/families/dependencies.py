"""Attachments of words in dependency trees, counted as in the CoNLL 2018 evaluation."""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from outscore._types import FloatArray
from outscore.data.items import DependencyTree, Word
from outscore.errors import DataError, Problem
from outscore.metrics.base import RatioMetric, ResponseMetric
from outscore.text.naming import quoted

# Relations between content words: Nivre and Fang 2017, and the list of the CoNLL 2018 evaluation.
_CONTENT = frozenset(
    ("nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl", "advmod",
     "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound", "list", "parataxis",
     "orphan", "goeswith", "reparandum", "root", "dep")
)  # fmt: skip
_SHOWN = 20


class _Attachments(RatioMetric, ResponseMetric[DependencyTree, DependencyTree]):
    """Base of the attachment scores: rows are (correct, system, gold), counts of words per sentence.

    The score is the F1 of aligned words, 2 correct / (system + gold). If system and gold have the same words, it is the
    proportion of correct words. A word is correct if it is aligned with a gold word (`aligned_words`), its head is
    aligned with that word's head or both are roots, and the relations agree.

    Sentences must be the same in system and gold, but the words in them may differ. The CoNLL 2018 evaluation also
    allows different sentences, because it concatenates the file. Then there are no items to compare systems on.
    """

    statistics = ("correct", "system", "gold")
    shared_statistics = ("gold",)
    signed = False
    parts = (("correct", "system"), ("correct", "gold"))
    numerator = (2.0, 0.0, 0.0)
    denominator = (0.0, 1.0, 1.0)
    as_percentage = True
    score_range = (0.0, 1.0)
    higher_is_better = True
    output_type = DependencyTree
    reference_type = DependencyTree

    def _counts(self, word: Word) -> bool:
        """Return whether the metric includes the word."""
        raise NotImplementedError

    def _relation(self, word: Word) -> str:
        """Return the relation that must agree."""
        raise NotImplementedError

    def responses(self, output: DependencyTree, reference: DependencyTree) -> Mapping[Hashable, Sequence[float]]:
        """Return a row for every word of the output: (whether it is correct, 1, 0).

        The key is the word, its head and its relation. An aligned word is identified by the number of its gold word,
        the root by 0, any other word by its place in the text.
        """
        gold_of = aligned_words(output, reference)
        names: list[Hashable] = [0]
        first = 0  # index of the first word of the current token
        for i, word in enumerate(output.words):
            if word.start != output.words[first].start:
                first = i
            key = (word.start, word.end, i - first, word.form)
            names.append(gold_of[i] + 1 if i in gold_of else key)
        rows: dict[Hashable, Sequence[float]] = {}
        for i, word in enumerate(output.words):
            if self._counts(word):
                attachment = names[word.head], self._relation(word)
                gold = reference.words[gold_of[i]] if i in gold_of else None
                correct = gold is not None and attachment == (gold.head, self._relation(gold)) and self._counts(gold)
                rows[names[i + 1], *attachment] = correct, 1, 0
        return rows

    def rows(self, outputs: Sequence[DependencyTree], references: Sequence[DependencyTree]) -> FloatArray:
        """Return the rows (correct, system, gold), shape (n, 3)."""
        pairs = enumerate(zip(outputs, references, strict=True))
        problems = [_other_text(i, output, gold) for i, (output, gold) in pairs if output.text != gold.text]
        if problems:
            raise DataError(*problems)
        rows = np.zeros((len(outputs), len(self.statistics)))
        for row, output, gold in zip(rows, outputs, references, strict=True):
            if _same_words(output, gold):
                row[:] = self._row_of_same_words(output, gold)
            else:
                row[:] = np.sum(list(self.responses(output, gold).values()), axis=0)
                row[2] += sum(map(self._counts, gold.words))
        return rows

    def _row_of_same_words(self, output: DependencyTree, gold: DependencyTree) -> Sequence[float]:
        """Return the row if every word is aligned with the one at its place: a faster way to sum `responses`."""
        counted, relation = self._counts, self._relation
        correct = sum(
            ours.head == theirs.head and relation(ours) == relation(theirs) and counted(ours) and counted(theirs)
            for ours, theirs in zip(output.words, gold.words, strict=True)
        )
        return correct, sum(map(counted, output.words)), sum(map(counted, gold.words))


def _same_words(output: DependencyTree, gold: DependencyTree) -> bool:
    """Return whether each word of the output is aligned with the gold word at its place, as by `aligned_words`."""
    spans = [(word.start, word.end, word.in_multiword) for word in output.words]
    others = [(word.start, word.end, word.in_multiword) for word in gold.words]
    return spans == others and len(set(spans)) == len(spans) and not any(inside for *_, inside in spans)


def _other_text(index: int, output: DependencyTree, gold: DependencyTree) -> Problem:
    pairs = enumerate(zip(output.text, gold.text, strict=False))
    k = next((k for k, (a, b) in pairs if a != b), min(len(output.text), len(gold.text)))
    excerpts = [quoted(text[k : k + _SHOWN]) for text in (gold.text, output.text)]
    return Problem(
        f"[{index}]",
        f"expected the characters of the gold sentence, {excerpts[0]}, got {excerpts[1]} from character {k + 1} on",
        "Check that sentences are in the same order, and that their words spell the same text.",
        "different-text",
    )


def _is_punctuation(form: str) -> bool:
    return all(unicodedata.category(c).startswith("P") for c in form)


@dataclass(frozen=True)
class Uas(_Attachments):
    """The unlabelled attachment score, from 0 to 1: F1 of words with the correct head.

    Parameters
    ----------
    punctuation : bool
        Whether punctuation counts: words of characters in Unicode's categories P only, as in eval.pl of the CoNLL
        shared tasks of 2006 and 2007 without its option -p. Symbols such as "$", "+" and "`" are not punctuation.

    Examples
    --------
    >>> from outscore.data.items import DependencyTree, Word
    >>> gold = DependencyTree("ab", (Word("a", "_", 2, "det", 0, 1), Word("b", "_", 0, "root", 1, 2)))
    >>> parse = DependencyTree("ab", (Word("a", "_", 0, "root", 0, 1), Word("b", "_", 1, "obj", 1, 2)))
    >>> Uas().rows([parse, gold], [gold, gold])
    array([[0., 2., 2.],
           [2., 2., 2.]])
    """

    name = "uas"
    title = "UAS"
    cites = ("buchholz2006", "zeman2018")
    citation = "Buchholz and Marsi 2006 (CoNLL-X); Zeman et al. 2018, conll18_ud_eval.py"

    punctuation: bool = True

    def _counts(self, word: Word) -> bool:
        return self.punctuation or not _is_punctuation(word.form)

    def _relation(self, word: Word) -> str:
        del word
        return ""


@dataclass(frozen=True)
class Las(_Attachments):
    """The labelled attachment score, from 0 to 1: F1 of words with the correct head and relation.

    Parameters
    ----------
    punctuation : bool
        Whether words that consist of punctuation only count, as in `Uas`.
    subtypes : bool
        Whether the part of a relation after ":" must agree. The CoNLL 2018 evaluation ignores it.
    """

    name = "las"
    title = "LAS"
    cites = ("buchholz2006", "zeman2018")
    citation = "Buchholz and Marsi 2006 (CoNLL-X); Zeman et al. 2018, conll18_ud_eval.py"

    punctuation: bool = True
    subtypes: bool = False

    def _counts(self, word: Word) -> bool:
        return self.punctuation or not _is_punctuation(word.form)

    def _relation(self, word: Word) -> str:
        return word.relation if self.subtypes else _universal(word.relation)


@dataclass(frozen=True)
class Clas(_Attachments):
    """The content-word labelled attachment score, from 0 to 1: LAS of words with relations of content words.

    A system's word counts by its own relation, so totals differ between systems even if words do not. Relations that
    are not in Universal Dependencies do not count.

    Parameters
    ----------
    subtypes : bool
        Whether the part of a relation after ":" must agree. The CoNLL 2018 evaluation ignores it.
    """

    name = "clas"
    title = "CLAS"
    cites = ("nivre2017", "zeman2018")
    citation = "Nivre and Fang 2017; Zeman et al. 2018, conll18_ud_eval.py"

    subtypes: bool = False

    def _counts(self, word: Word) -> bool:
        return _universal(word.relation) in _CONTENT

    def _relation(self, word: Word) -> str:
        return word.relation if self.subtypes else _universal(word.relation)


def _universal(relation: str) -> str:
    return relation.partition(":")[0]


def aligned_words(system: DependencyTree, gold: DependencyTree) -> dict[int, int]:
    """Return the gold word of every word of the system that has one, by index from 0.

    Words are aligned if they are the same characters of the text. Words of multiword tokens are not in the text. They
    are aligned by a longest common subsequence of forms, ignoring case, within each multiword span: the smallest range
    of characters that no multiword token of either side partly overlaps (Zeman et al. 2018, section 3). Among several
    subsequences, the one that skips gold words first is used.

    conll18_ud_eval.py finds the spans while it walks over both sides. It therefore also includes words in front of a
    span that one gold word covers, or a word that begins with it and ends after it. This matters only if their forms
    equal those of words in the token, which happened in none of 2,077 English sentences split at random.
    """
    gold_at = {(word.start, word.end): g for g, word in enumerate(gold.words)}
    gold_of = {s: gold_at[w.start, w.end] for s, w in enumerate(system.words) if (w.start, w.end) in gold_at}
    for start, end in _multiword_spans(system, gold):
        inside = [[i for i, w in enumerate(t.words) if start <= w.start and w.end <= end] for t in (system, gold)]
        for s in inside[0]:
            gold_of.pop(s, None)
        forms = [[t.words[i].form.lower() for i in indices] for t, indices in zip((system, gold), inside, strict=True)]
        gold_of.update((inside[0][s], inside[1][g]) for s, g in _common_subsequence(*forms))
    return gold_of


def _multiword_spans(*trees: DependencyTree) -> list[tuple[int, int]]:
    """Return the spans of multiword tokens, with overlapping spans merged."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted({(w.start, w.end) for tree in trees for w in tree.words if w.in_multiword}):
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _common_subsequence(system: Sequence[str], gold: Sequence[str]) -> list[tuple[int, int]]:
    """Return the pairs of indices of a longest common subsequence, in order."""
    longest = [[0] * (len(gold) + 1) for _ in range(len(system) + 1)]  # for the rest from (s, g) on
    for s in reversed(range(len(system))):
        for g in reversed(range(len(gold))):
            both = longest[s + 1][g + 1] + 1 if system[s] == gold[g] else 0
            longest[s][g] = max(both, longest[s + 1][g], longest[s][g + 1])
    pairs = []
    s = g = 0
    while s < len(system) and g < len(gold):
        if system[s] == gold[g]:
            pairs.append((s, g))
            s, g = s + 1, g + 1
        elif longest[s][g] == longest[s][g + 1]:
            g += 1
        else:
            s += 1
    return pairs
