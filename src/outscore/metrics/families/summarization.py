"""ROUGE, as computed by rouge-score."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import ClassVar, NamedTuple

import numpy as np

from outscore._types import FloatArray
from outscore.errors import DataError, OptionError, Problem, missing_package
from outscore.metrics.base import RatioMetric
from outscore.metrics.families.text import UNICODE_FORM, TextMetric
from outscore.text.naming import nearest, quoted

MEASURES = {"f": "fmeasure", "p": "precision", "r": "recall"}
# Cells, of 8 bytes each, of the table in which rouge-score finds a common subsequence.
MOST_CELLS = 10**8
_WORD = re.compile(r"[a-z0-9]+")
_SHORT = 3  # letters of the longest words that are not stemmed

Words = list[str]


class _Score(NamedTuple):
    """The score of an output against one reference, named as in rouge-score."""

    fmeasure: float
    precision: float
    recall: float

    @classmethod
    def of_hits(cls, hits: int, n_output: int, n_reference: int) -> _Score:
        precision, recall = hits / max(n_output, 1), hits / max(n_reference, 1)
        both = precision + recall
        return cls(2 * precision * recall / both if both > 0 else 0.0, precision, recall)


@dataclass(frozen=True)
class _Rouge(RatioMetric, TextMetric):
    """Base of the ROUGE metrics: the mean of the items' own scores, from 0 to 1.

    A row is (score, 1), so the gain is linear. Of several references the one with the highest F counts, whatever
    `measure` is, as in rouge-score's `score_multi`. Empty outputs and references score 0. rouge-score uses only the
    letters a to z, in lower case, and digits: other scripts score 0.

    Parameters
    ----------
    measure : {"f", "p", "r"}
        F1, precision or recall.
    use_stemmer : bool
        Remove the endings of English words of four letters and more (Porter).
    sentence_separator : str
        Text between sentences, such as ``<q>``, if each line of a file is a summary. It is replaced by a line feed and
        never counts as a word.
    """

    statistics = ("score", "items")
    shared_statistics = ("items",)
    signed = False
    parts = (("score", "items"),)
    numerator = (1.0, 0.0)
    denominator = (0.0, 1.0)
    as_percentage = True
    score_range = (0.0, 1.0)
    higher_is_better = True
    cites = ("lin2004",)
    citation = "Lin 2004; rouge-score (Google Research)"
    extra = "rouge"
    packages = ("rouge-score",)

    # Separates sequences of words that have a table each; None if there is no table.
    between_sequences: ClassVar[str | None] = None

    measure: str = "f"
    use_stemmer: bool = False
    sentence_separator: str = "\n"

    formatting: ClassVar[Mapping[str, str | None]] = {UNICODE_FORM: None}

    def kept_of(self, texts: Sequence[str]) -> tuple[Sequence[str], str]:
        """Return the words of texts before stemming."""
        note = ", all but a to z. Use chrf, which keeps every letter"
        return [" ".join(_WORD.findall(text.lower())) for text in texts], note

    def __post_init__(self) -> None:
        if self.measure not in MEASURES:
            what = f"unknown measure {quoted(self.measure)}"
            raise OptionError(Problem(f"{self.name}:measure", what, nearest(self.measure, MEASURES), "unknown-measure"))
        if not self.sentence_separator:
            what = "empty separator"
            advice = "Omit the option if sentences are separated by line feeds."
            raise OptionError(Problem(f"{self.name}:sentence_separator", what, advice, "empty-separator"))

    def text_rows(self, outputs: Sequence[str], references: tuple[tuple[str, ...], ...]) -> FloatArray:
        # rouge-score is only the reference in tests: importing it and NLTK takes longer than a comparison.
        if find_spec("rouge_score") is None or find_spec("rouge_score.rouge_scorer") is None:
            raise missing_package(self.name, "rouge-score")
        self._refuse_long(outputs, references)
        measure = MEASURES[self.measure]
        scores = [
            getattr(max((self._score(text, output) for text in several), key=lambda score: score.fmeasure), measure)
            for output, several in zip(outputs, references, strict=True)
        ]
        return np.column_stack([scores, np.ones(len(scores))])

    def _score(self, reference: str, output: str) -> _Score:
        """Return the score of an output for one reference."""
        raise NotImplementedError

    def _words(self, text: str) -> Words:
        """Return the words of a text by rouge-score's default tokenizer."""
        words: Words = _WORD.findall(text.lower())
        if not self.use_stemmer:
            return words
        stem = _stemmer()
        stems = (stem(word) if len(word) > _SHORT else word for word in words)
        return [word for word in stems if _WORD.fullmatch(word)]

    def _lines(self, text: str) -> str:
        return text.replace(self.sentence_separator, "\n")

    def _refuse_long(self, outputs: Sequence[str], references: tuple[tuple[str, ...], ...]) -> None:
        """Raise an error for texts for which rouge-score's table would fill the memory."""
        for i, (output, several) in enumerate(zip(outputs, references, strict=True)):
            n_words, n_others = self._longest([output]), self._longest(several)
            if n_words * n_others > MOST_CELLS:
                what = f"expected texts of some {MOST_CELLS**0.5:,.0f} words, got {n_words:,} and {n_others:,}"
                advice = "Check that each line is one summary, or use rouge1 or rouge2."
                raise DataError(Problem(f"[{i}]", what, advice, "too-long"))

    def _longest(self, texts: Sequence[str]) -> int:
        """Return the number of words of the longest sequence, or an upper bound if it is small."""
        if self.between_sequences is None:
            return 0
        parts = [part for text in texts for part in self._lines(text).split(self.between_sequences)]
        most = max(map(len, parts), default=0)
        return most if most < MOST_CELLS**0.5 else max(len(_WORD.findall(part.lower())) for part in parts)


class _RougeN(_Rouge):
    """ROUGE of n-grams: n-grams in both output and reference, each as often as it is in both."""

    n: ClassVar[int]

    def _score(self, reference: str, output: str) -> _Score:
        ours, theirs = (self._sequences(self._words(self._lines(text))) for text in (output, reference))
        hits = sum(min(count, ours[sequence]) for sequence, count in theirs.items())
        return _Score.of_hits(hits, ours.total(), theirs.total())

    def _sequences(self, words: Words) -> Counter[tuple[str, ...]]:
        return Counter(zip(*(words[first:] for first in range(self.n)), strict=False))


@dataclass(frozen=True)
class Rouge1(_RougeN):
    """ROUGE-1 (Lin 2004, section 2): words in common; from 0 to 1, equal to rouge-score's.

    Examples
    --------
    >>> Rouge1().rows(["the cat sat"], [("the cat sat down",)]).round(4)
    array([[0.8571, 1.    ]])
    """

    n = 1
    name = "rouge1"
    title = "ROUGE-1"


@dataclass(frozen=True)
class Rouge2(_RougeN):
    """ROUGE-2 (Lin 2004, section 2): pairs of words in common; from 0 to 1, equal to rouge-score's.

    Examples
    --------
    >>> Rouge2().rows(["the cat sat"], [("the cat sat down",)])
    array([[0.8, 1. ]])
    """

    n = 2
    name = "rouge2"
    title = "ROUGE-2"


@dataclass(frozen=True)
class RougeL(_Rouge):
    """ROUGE-L (Lin 2004, section 3.1): the longest common subsequence of the whole texts; from 0 to 1.

    Examples
    --------
    >>> RougeL(measure="r").rows(["the cat sat"], [("the dog sat",)]).round(4)
    array([[0.6667, 1.    ]])
    """

    name = "rougeL"
    between_sequences = "\0"  # in no text
    title = "ROUGE-L"

    def _score(self, reference: str, output: str) -> _Score:
        theirs, ours = (self._words(self._lines(text)) for text in (reference, output))
        common = _unmatched(theirs, ours)[-1]
        return _Score.of_hits(len(ours) - common.bit_count(), len(ours), len(theirs))


@dataclass(frozen=True)
class RougeLsum(_Rouge):
    """ROUGE-L of summaries (Lin 2004, section 3.2): unions of common subsequences per sentence; from 0 to 1.

    Sentences are lines. Pass `sentence_separator` if a file has one summary per line. If no text has more than one
    sentence, for example because that option was forgotten, the score equals that of `RougeL`.

    Examples
    --------
    >>> metric = RougeLsum(sentence_separator="<q>")
    >>> metric.rows(["a cat sat <q> a dog ran"], [("a dog ran <q> a cat sat",)])
    array([[1., 1.]])
    """

    name = "rougeLsum"
    between_sequences = "\n"
    title = "ROUGE-Lsum"

    def _score(self, reference: str, output: str) -> _Score:
        theirs, ours = (
            [self._words(line) for line in self._lines(text).split("\n") if line] for text in (reference, output)
        )
        # A word counts at most as often as it is in both texts, as in ROUGE-1.5.5.
        left = Counter(word for words in theirs for word in words) & Counter(word for words in ours for word in words)
        hits = 0
        for words in theirs:
            union = {position for sentence in ours for position in _common_subsequence(words, sentence)}
            for position in sorted(union):
                if left[words[position]] > 0:
                    left[words[position]] -= 1
                    hits += 1
        return _Score.of_hits(hits, sum(map(len, ours)), sum(map(len, theirs)))


def _unmatched(reference: Words, output: Words) -> list[int]:
    """Return the table of longest common subsequences in bits: one row for each prefix of the reference.

    The length for the first i words of the reference and the first j of the output is the number of zeros among the j
    lowest bits of row i (Hyyrö 2004, "Bit-parallel LCS-length computation revisited").
    """
    bits_of: dict[str, int] = {}
    for j, word in enumerate(output):
        bits_of[word] = bits_of.get(word, 0) | 1 << j
    row = every = (1 << len(output)) - 1
    rows = [row]
    for word in reference:
        matched = row & bits_of.get(word, 0)
        row = ((row + matched) | (row - matched)) & every
        rows.append(row)
    return rows


def _common_subsequence(reference: Words, output: Words) -> list[int]:
    """Return the places in the reference of the longest common subsequence that rouge-score finds, from its end."""
    rows = _unmatched(reference, output)
    positions = []
    i, j = len(reference), len(output)
    while i and j:
        if reference[i - 1] == output[j - 1]:
            i, j = i - 1, j - 1
            positions.append(i)
        elif _length(rows[i], j - 1) > _length(rows[i - 1], j):
            j -= 1
        else:
            i -= 1
    return positions


def _length(row: int, j: int) -> int:
    return j - (row & ((1 << j) - 1)).bit_count()


@cache
def _stemmer() -> Callable[[str], str]:
    """Return rouge-score's stemmer, with a cache of stems."""
    from nltk.stem.porter import PorterStemmer  # type: ignore[import-untyped]

    return lru_cache(maxsize=2**16)(PorterStemmer().stem)
