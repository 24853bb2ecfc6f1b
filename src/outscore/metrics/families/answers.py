"""Question answering as in SQuAD: exact match and token F1."""

from __future__ import annotations

import re
import string
from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from outscore._types import FloatArray
from outscore.data.items import Answer, GoldAnswers
from outscore.metrics.base import OutputMetric, RatioMetric
from outscore.metrics.families.text import unspaced_script, whole_clauses

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


def normalized(text: str) -> str:
    """Return `text` in lower case, without ASCII punctuation, English articles and extra white space.

    Punctuation is removed first, so "a.m." becomes "am", not an article (Rajpurkar et al. 2016, section 6.1).

    Examples
    --------
    >>> normalized("The  Eiffel-Tower, a tower.")
    'eiffeltower tower'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


@dataclass(frozen=True)
class _BestOfAnswers(RatioMetric, OutputMetric[str, Sequence[str]]):
    """The mean over questions of the score against the best of its gold answers. A row holds (score, 1)."""

    normalize: bool = True

    output_type = Answer
    reference_type = GoldAnswers
    statistics = ("score", "items")
    shared_statistics = ("items",)
    signed = False
    parts = (("score", "items"),)
    numerator = (1.0, 0.0)
    denominator = (0.0, 1.0)
    as_percentage = True
    score_range = (0.0, 1.0)
    higher_is_better = True
    cites = ("rajpurkar2016",)
    citation = (
        "Rajpurkar et al. 2016, SQuAD: 100,000+ Questions for Machine Comprehension of Text; "
        "Rajpurkar, Jia & Liang 2018, Know What You Don't Know; evaluate-v2.0.py"
    )

    @abstractmethod
    def _compare(self, answer: str, gold: str) -> float:
        """Return the score of an answer, between 0 and 1, both sides normalized."""

    def _score(self, answer: str, gold: Sequence[str]) -> float:
        answers = [gold] if isinstance(gold, str) else list(gold)
        if self.normalize:
            answer = normalized(answer)
            # An answer that is empty after normalization is no answer (evaluate-v2.0.py, get_raw_scores).
            answers = [text for text in map(normalized, answers) if text]
        return max(self._compare(answer, text) for text in answers or [""])

    def rows(self, outputs: Sequence[str], references: Sequence[Sequence[str]]) -> FloatArray:
        scores = [self._score(answer, gold) for answer, gold in zip(outputs, references, strict=True)]
        return np.column_stack([np.array(scores, dtype=np.float64), np.ones(len(scores))])


@dataclass(frozen=True)
class ExactMatch(_BestOfAnswers):
    """The proportion of questions whose answer is equal to a gold answer, from 0 to 1.

    A row is (1 or 0, 1). Equals "exact" of SQuAD 2.0's evaluation. SQuAD 1.1 differs only for gold answers that are
    empty after normalization, such as "The": it keeps them, while SQuAD 2.0 and this metric ignore them.

    Parameters
    ----------
    normalize : bool
        Ignore case, punctuation and articles on both sides, as in SQuAD. Otherwise compare the texts unchanged.

    Notes
    -----
    For a question without gold answers the empty answer is correct (SQuAD 2.0).

    Examples
    --------
    >>> metric = ExactMatch()
    >>> metric.rows(["The Loire.", "Nantes", ""], [("Loire", "river Loire"), ("Tours",), ()])[:, 0].tolist()
    [1.0, 0.0, 1.0]
    """

    name = "exact-match"
    title = "exact match"
    is_proportion = True

    def _compare(self, answer: str, gold: str) -> float:
        return float(answer == gold)


@dataclass(frozen=True)
class TokenF1(_BestOfAnswers):
    """The mean F1 of the words of answers and gold answers, from 0 to 1.

    A row is (F1, 1), with F1 = 2 × shared words / (words of the answer + words of the gold answer). Repeated words
    count repeatedly, and the best gold answer counts. Equals "f1" of SQuAD 2.0's evaluation. SQuAD 1.1 gives 0
    instead of 1 if both sides are empty.

    Parameters
    ----------
    normalize : bool
        Ignore case, punctuation and articles on both sides, as in SQuAD. Otherwise only split texts at white space.

    Notes
    -----
    For a question without gold answers the score is 1 if the answer is empty, otherwise 0 (SQuAD 2.0).

    Examples
    --------
    >>> metric = TokenF1()
    >>> metric.rows(["the river Loire", "Nantes", ""], [("Loire", "the Loire river in France"), ("Tours",), ()])[:, 0]
    array([0.66666667, 0.        , 1.        ])
    """

    name = "token-f1"
    title = "token F1"

    def remarks_on_references(self, references: Sequence[Sequence[str]]) -> Sequence[str]:
        """Return a warning if the references are in a script without spaces between words."""
        script = unspaced_script(text for gold in references for text in ([gold] if isinstance(gold, str) else gold))
        return () if script is None else (whole_clauses(script, self.name, "chrf"),)

    def _compare(self, answer: str, gold: str) -> float:
        words, gold_words = answer.split(), gold.split()
        if not words or not gold_words:
            return float(words == gold_words)
        return 2 * (Counter(words) & Counter(gold_words)).total() / (len(words) + len(gold_words))
