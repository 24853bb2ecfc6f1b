"""Word and character error rates of speech recognition."""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Self

import numpy as np

from outscore._types import FloatArray
from outscore.data.items import Utterance
from outscore.errors import missing_package
from outscore.metrics.base import OutputMetric, RatioMetric
from outscore.metrics.families.text import (
    CASE,
    PUNCTUATION,
    UNICODE_FORM,
    refuse_empty,
    remark_on_empty,
    remark_on_letters,
    sampled,
    unspaced_script,
    whole_clauses,
)

_SPACES = re.compile(r"\s\s+")


@dataclass(frozen=True)
class _ErrorRate(OutputMetric[str, str], RatioMetric):
    """Base of both error rates: rows are (edits, reference length); jiwer's transformations apply to both sides.

    An item with an empty reference adds its insertions to the edits and nothing to the length, as in jiwer. If all
    references are empty, jiwer returns the number of insertions, which is not a rate. The score here is then 0, as for
    every ratio with a denominator of 0.
    """

    to_lower_case: bool = False
    expand_common_english_contractions: bool = False
    remove_kaldi_non_words: bool = False
    remove_punctuation: bool = False

    higher_is_better = False
    as_percentage = True
    score_range = (0.0, math.inf)
    extra = "asr"
    packages = ("jiwer", "rapidfuzz")
    output_type = Utterance
    reference_type = Utterance
    numerator = (1.0, 0.0)
    denominator = (0.0, 1.0)

    def fitted(self, references: Sequence[str], outputs: Sequence[Sequence[str]]) -> Self:
        """Return this metric, after checking that the references have words."""
        del outputs
        refuse_empty(references, self.name)
        return self

    @property
    def formatting(self) -> Mapping[str, str | None]:
        every = {CASE: "to_lower_case", PUNCTUATION: "remove_punctuation", UNICODE_FORM: None}
        return {kind: option for kind, option in every.items() if option is None or not getattr(self, option)}

    def remarks_on_references(self, references: Sequence[str]) -> Sequence[str]:
        """Return warnings of letters that transformations drop, and of empty references."""
        some = sampled(references)
        note = f" ({', '.join(self._wanted())})"
        dropped = remark_on_letters(self.name, some, self._transformed(some), note) if self._wanted() else ()
        return (*dropped, *remark_on_empty("reference", references))

    def remarks_on_outputs(self, outputs: Sequence[str]) -> Sequence[str]:
        """Return the number of empty outputs, if there are any."""
        return remark_on_empty("output", outputs)

    @abstractmethod
    def _units(self, segment: str) -> Sequence[str]:
        """Return the units of a segment, split as by jiwer's default."""

    def rows(self, outputs: Sequence[str], references: Sequence[str]) -> FloatArray:
        try:
            from rapidfuzz.distance import Levenshtein
        except ImportError:
            raise missing_package(self.name, *self.packages) from None
        if find_spec("jiwer") is None:
            raise missing_package(self.name, *self.packages)
        outputs_units, references_units = (
            list(map(self._units, self._transformed(segments))) for segments in (outputs, references)
        )
        rows = np.zeros((len(outputs_units), 2))
        for row, output, reference in zip(rows, outputs_units, references_units, strict=True):
            row[:] = Levenshtein.distance(reference, output), len(reference)
        return rows

    def _transformed(self, segments: Sequence[str]) -> Sequence[str]:
        """Return segments after the chosen transformations."""
        if not (wanted := self._wanted()) or not segments:
            return segments
        from jiwer import transforms

        steps = [getattr(transforms, name)() for name in wanted]
        transformed: Sequence[str] = transforms.Compose(steps)(list(segments))
        return transformed

    def _wanted(self) -> Sequence[str]:
        """Return the names of the chosen transformations of jiwer, in their order."""
        return [
            name
            for wanted, name in (
                (self.to_lower_case, "ToLowerCase"),
                (self.expand_common_english_contractions, "ExpandCommonEnglishContractions"),
                (self.remove_kaldi_non_words, "RemoveKaldiNonWords"),
                (self.remove_punctuation, "RemovePunctuation"),
            )
            if wanted
        ]

    def item_scores(self, rows: FloatArray) -> FloatArray:
        """Return each item's own rate, shape (n,); for an empty reference the number of insertions, as in jiwer."""
        return np.where(rows[:, 1] == 0, rows[:, 0], self.score(rows))


@dataclass(frozen=True)
class Wer(_ErrorRate):
    """The word error rate of a corpus, at least 0: substitutions, deletions and insertions per reference word.

    A row is (edits, words of the reference); edits are the Levenshtein distance. The mean of the utterances' rates is
    a different score: it gives short utterances more weight, and may rank systems differently.

    Parameters
    ----------
    to_lower_case, expand_common_english_contractions, remove_kaldi_non_words, remove_punctuation : bool
        jiwer's transformations of these names, applied to outputs and references in this order; the first three
        are those of its `wer_standardize`.

    Raises
    ------
    MissingDependencyError
        If jiwer, of the extra ``asr``, is not installed.

    Examples
    --------
    >>> metric = Wer()
    >>> rows = metric.rows(["the cat sat", "oh"], ["the cat sat down", ""])
    >>> rows.tolist(), float(metric.score(rows.sum(axis=0)))
    ([[1.0, 4.0], [1.0, 0.0]], 0.5)
    """

    name = "wer"
    title = "WER"
    statistics = ("edits", "reference words")
    shared_statistics = ("reference words",)
    signed = False
    cites = ("morris2004",)
    citation = "Morris, Maier & Green 2004 (Interspeech), equation 1; jiwer.wer"

    def _units(self, segment: str) -> Sequence[str]:
        words = segment.split()
        if " ".join(words) == segment:  # only single spaces; jiwer keeps other white space within words
            return words
        return [word for word in _SPACES.sub(" ", segment).strip().split(" ") if word]

    def remarks_on_references(self, references: Sequence[str]) -> Sequence[str]:
        """Return warnings about references in a script without spaces between words, of dropped letters, and empty."""
        script = unspaced_script(references)
        clauses = () if script is None else (whole_clauses(script, self.name, "cer"),)
        return (*clauses, *super().remarks_on_references(references))


@dataclass(frozen=True)
class Cer(_ErrorRate):
    """The character error rate of a corpus, at least 0: edits per character of the references.

    A row is (edits, characters of the reference). Spaces within a segment are characters, as in jiwer. Characters are
    Unicode code points.

    Parameters
    ----------
    to_lower_case, expand_common_english_contractions, remove_kaldi_non_words, remove_punctuation : bool
        As for `Wer`.

    Raises
    ------
    MissingDependencyError
        If jiwer, of the extra ``asr``, is not installed.

    Examples
    --------
    >>> Cer(to_lower_case=True).rows(["The cat"], ["the bat "]).tolist()
    [[1.0, 7.0]]
    """

    name = "cer"
    title = "CER"
    statistics = ("edits", "reference characters")
    shared_statistics = ("reference characters",)
    signed = False
    cites = ("morris2004",)
    citation = "Morris, Maier & Green 2004 (Interspeech), equation 1, on characters; jiwer.cer"

    def _units(self, segment: str) -> Sequence[str]:
        return segment.strip()
