"""ROUGE, as rouge-score computes it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from outscore._types import FloatArray
from outscore.errors import DataError, OptionError, Problem, missing_package
from outscore.metrics.base import RatioMetric
from outscore.metrics.families.text import TextMetric
from outscore.text.naming import nearest, quoted

MEASURES = {"f": "fmeasure", "p": "precision", "r": "recall"}
# Cells of the table in which rouge-score looks for a common subsequence, of 8 bytes each.
MOST_CELLS = 10**8
_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True)
class _Rouge(RatioMetric, TextMetric):
    """What the ROUGE metrics share: the mean of the items' own scores, fractions of 1.

    A row holds (score, 1), so that the gain is linear. Of several references the one with the highest F counts, as in
    rouge-score's `score_multi`, whatever `measure` is. Empty outputs and references score 0. rouge-score keeps nothing
    of a text but the letters a to z, in lower case, and digits: other scripts score 0.

    Parameters
    ----------
    measure : {"f", "p", "r"}
        F1, precision or recall.
    use_stemmer : bool
        Strip the endings of English words of four letters and more (Porter).
    sentence_separator : str
        What stands between sentences where a summary is one line of a file, such as ``<q>``: it is taken for a line
        feed and never for a word.
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
    citation = "Lin 2004; rouge-score (Google Research)"
    extra = "rouge"
    packages = ("rouge-score",)

    # What separates sequences of words that have a table each; None where there is no table.
    between_sequences: ClassVar[str | None] = None

    measure: str = "f"
    use_stemmer: bool = False
    sentence_separator: str = "\n"

    def remark_on_script(self, script: str) -> str:
        return f"The references are {script}, and {self.name} keeps only the letters a to z and digits: use chrf."

    def __post_init__(self) -> None:
        if self.measure not in MEASURES:
            what = f"unknown measure {quoted(self.measure)}"
            raise OptionError(Problem(f"{self.name}:measure", what, nearest(self.measure, MEASURES), "unknown-measure"))
        if not self.sentence_separator:
            what = "expected some text between sentences, got none"
            advice = "Leave the option out where a line feed separates them."
            raise OptionError(Problem(f"{self.name}:sentence_separator", what, advice, "empty-separator"))

    def text_rows(self, outputs: Sequence[str], references: tuple[tuple[str, ...], ...]) -> FloatArray:
        scorer, measure = self._scorer(), MEASURES[self.measure]
        self._refuse_long(outputs, references)
        scores = [
            getattr(
                scorer.score_multi([self._lines(text) for text in several], self._lines(output))[self.name], measure
            )
            for output, several in zip(outputs, references, strict=True)
        ]
        return np.column_stack([scores, np.ones(len(scores))])

    def _lines(self, text: str) -> str:
        return text.replace(self.sentence_separator, "\n")

    def _refuse_long(self, outputs: Sequence[str], references: tuple[tuple[str, ...], ...]) -> None:
        """Refuse texts of which the table of rouge-score would fill the memory."""
        for i, (output, several) in enumerate(zip(outputs, references, strict=True)):
            n_words, n_others = self._longest([output]), self._longest(several)
            if n_words * n_others > MOST_CELLS:
                what = f"expected texts of some {MOST_CELLS**0.5:,.0f} words, got {n_words:,} and {n_others:,}"
                advice = "Check that a line is one summary, or take rouge1 or rouge2."
                raise DataError(Problem(f"[{i}]", what, advice, "too-long"))

    def _longest(self, texts: Sequence[str]) -> int:
        """Return the most words of a sequence, or what is no fewer where that is few."""
        if self.between_sequences is None:
            return 0
        parts = [part for text in texts for part in self._lines(text).split(self.between_sequences)]
        most = max(map(len, parts), default=0)
        return most if most < MOST_CELLS**0.5 else max(len(_WORD.findall(part.lower())) for part in parts)

    def _scorer(self) -> Any:
        try:
            from rouge_score.rouge_scorer import RougeScorer  # type: ignore[import-untyped]
        except ImportError:
            raise missing_package(self.name, "rouge-score") from None
        return RougeScorer([self.name], use_stemmer=self.use_stemmer)


@dataclass(frozen=True)
class Rouge1(_Rouge):
    """ROUGE-1 (Lin 2004, section 2): words in common; a fraction of 1, equal to rouge-score's.

    Examples
    --------
    >>> Rouge1().rows(["the cat sat"], [("the cat sat down",)]).round(4)
    array([[0.8571, 1.    ]])
    """

    name = "rouge1"
    title = "ROUGE-1"


@dataclass(frozen=True)
class Rouge2(_Rouge):
    """ROUGE-2 (Lin 2004, section 2): pairs of words in common; a fraction of 1, equal to rouge-score's.

    Examples
    --------
    >>> Rouge2().rows(["the cat sat"], [("the cat sat down",)])
    array([[0.8, 1. ]])
    """

    name = "rouge2"
    title = "ROUGE-2"


@dataclass(frozen=True)
class RougeL(_Rouge):
    """ROUGE-L (Lin 2004, section 3.1): the longest common subsequence of the whole texts; a fraction of 1.

    Examples
    --------
    >>> RougeL(measure="r").rows(["the cat sat"], [("the dog sat",)]).round(4)
    array([[0.6667, 1.    ]])
    """

    name = "rougeL"
    between_sequences = "\0"  # in no text
    title = "ROUGE-L"


@dataclass(frozen=True)
class RougeLsum(_Rouge):
    """ROUGE-L of summaries (Lin 2004, section 3.2): unions of common subsequences, sentence by sentence; of 1.

    Sentences are lines; give `sentence_separator` where a file has a summary on each line. Where no text holds more
    than one sentence, as when that option was forgotten, the score is that of `RougeL`.

    Examples
    --------
    >>> metric = RougeLsum(sentence_separator="<q>")
    >>> metric.rows(["a cat sat <q> a dog ran"], [("a dog ran <q> a cat sat",)])
    array([[1., 1.]])
    """

    name = "rougeLsum"
    between_sequences = "\n"
    title = "ROUGE-Lsum"
