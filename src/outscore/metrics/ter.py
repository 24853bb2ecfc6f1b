"""TER, as sacreBLEU computes it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from outscore._types import FloatArray
from outscore.metrics.base import RatioMetric
from outscore.metrics.text import refuse_empty, whole_clauses
from outscore.metrics.translation import TranslationMetric, sacrebleu_metrics

if TYPE_CHECKING:
    from sacrebleu.metrics.ter import TER

__all__ = ["Ter"]


@dataclass(frozen=True)
class Ter(RatioMetric, TranslationMetric):
    """Translation edit rate (Snover et al. 2006), in edits per 100 words, equal to sacreBLEU's corpus score.

    100 · edits / reference length: insertions, deletions, substitutions and shifts of phrases; section 2.2 of the
    paper. With several references, the edits to the closest one and the mean of their lengths. It may exceed 100.

    A row holds (edits, reference length in words). The length is the same for both systems, so that the gain is
    linear and its laws are exact.

    Extraction takes milliseconds a segment, sacreBLEU's own search for shifts.

    Parameters
    ----------
    normalized : bool
        Tokenize, decode XML's characters.
    no_punct : bool
        Remove punctuation.
    asian_support : bool
        Split and clean Chinese, Japanese and Korean, where `normalized` or `no_punct` is given.
    case_sensitive : bool

    Examples
    --------
    >>> metric = Ter()
    >>> rows = metric.rows(["The cat sat on the mat."], [("The cat sat on a mat.",)])
    >>> rows
    array([[1., 6.]])
    >>> round(float(metric.score(rows.sum(axis=0))), 4)
    16.6667
    """

    name = "ter"
    title = "TER"
    statistics = ("edits", "reference_length")
    shared_statistics = ("reference_length",)
    signed = False
    numerator = (100.0, 0.0)
    denominator = (0.0, 1.0)
    higher_is_better = False
    score_range = (0.0, math.inf)
    citation = "Snover et al. 2006; Post 2018 (sacreBLEU)"

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False

    def fitted(self, references: Sequence[tuple[str, ...]], outputs: Sequence[Sequence[str]]) -> Self:
        """Return this metric; without a single word in the references it is no rate of anything.

        sacreBLEU scores such references 100 where there is an edit and 0 where there is none.
        """
        del outputs
        refuse_empty(references, self.name)
        return self

    def item_scores(self, rows: FloatArray) -> FloatArray:
        """Return each segment's TER, shape (n,); for an empty reference 100 if there is an edit, as sacreBLEU does."""
        return np.where(rows[:, 1] == 0, np.where(rows[:, 0] > 0, 100.0, 0.0), self.score(rows))

    def remark_on_script(self, script: str) -> str | None:
        splits = script in ("Chinese", "Japanese")
        if splits and self.normalized and self.asian_support:
            return None
        return whole_clauses(script, self.name, "ter:normalized,asian_support" if splits else "chrf")

    def _scorer(self) -> TER:
        scorer: TER = sacrebleu_metrics(self.name).TER(**asdict(self))
        return scorer
