"""chrF and chrF++, as sacreBLEU computes them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from outscore._types import FloatArray
from outscore.errors import OptionError, Problem
from outscore.metrics.text import whole_clauses
from outscore.metrics.translation import LONGEST, TranslationMetric, sacrebleu_metrics

if TYPE_CHECKING:
    from sacrebleu.metrics.chrf import CHRF

__all__ = ["ChrF", "ChrFPlusPlus"]

_EPSILON = 1e-16  # sacreBLEU's, after chrF++.py


@dataclass(frozen=True)
class ChrF(TranslationMetric):
    """chrF (Popović 2015), from 0 to 100, equal to sacreBLEU's corpus score.

    (1 + β²) · P · R / (β² · P + R), P and R the means of the precisions and recalls of all orders in which both texts
    have n-grams; equation 1 of the paper. Of several references sacreBLEU takes, for each segment, the one with the
    highest score.

    A row holds, for every order of characters and then of words, the n-grams of the output, of the reference, and
    those that match. The gain is not linear. Scores differ from sacreBLEU's in their last bits at most (relative
    1e-14): precisions are summed in another order.

    Parameters
    ----------
    char_order, word_order : int
        The longest n-grams of characters and of words; a `word_order` of 2 makes chrF++.
    beta : int
        How many times more recall counts than precision.
    lowercase : bool
    whitespace : bool
        Whether n-grams of characters take in white space.
    eps_smoothing : bool
        Take the mean of the orders' F scores, those without n-grams as almost 0, as chrF++.py and NLTK do.

    Examples
    --------
    >>> metric = ChrF()
    >>> rows = metric.rows(["The cat sat on the mat."], [("The cat sat on a mat.",)])
    >>> rows[:, :3]
    array([[18., 16., 15.]])
    >>> round(float(metric.score(rows.sum(axis=0))), 4)
    71.4225
    """

    name = "chrf"
    title = "chrF"
    higher_is_better = True
    score_range = (0.0, 100.0)
    citation = "Popović 2015; Post 2018 (sacreBLEU)"

    char_order: int = 6
    word_order: int = 0
    beta: int = 2
    lowercase: bool = False
    whitespace: bool = False
    eps_smoothing: bool = False

    def __post_init__(self) -> None:
        orders = self.char_order, self.word_order
        if min(orders) < 0 or max(orders) > LONGEST or max(orders) == 0:
            what = f"expected orders from 0 to {LONGEST}, not both 0, got {self.char_order} and {self.word_order}"
            advice = "The defaults are 6 and 0; 6 and 2 for chrf++."
            raise OptionError(Problem(f"{self.name}:char_order, word_order", what, advice, "out-of-range"))

    @property
    def statistics(self) -> tuple[str, ...]:  # type: ignore[override]
        orders = [f"char_{n + 1}" for n in range(self.char_order)] + [f"word_{n + 1}" for n in range(self.word_order)]
        return tuple(f"{what}_{order}" for order in orders for what in ("output", "reference", "matches"))

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:  # type: ignore[override]
        orders = [name.removeprefix("matches_") for name in self.statistics if name.startswith("matches_")]
        return tuple((f"matches_{order}", f"{whole}_{order}") for order in orders for whole in ("output", "reference"))

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the scores of totals, shape (..., k) to (...); 0 where no order counts."""
        counts = totals.reshape(*totals.shape[:-1], self.char_order + self.word_order, 3)
        in_output, in_reference, matches = counts[..., 0], counts[..., 1], counts[..., 2]
        factor = self.beta**2
        if self.eps_smoothing:
            precisions = _ratio(matches, in_output, _EPSILON)
            recalls = _ratio(matches, in_reference, _EPSILON)
            return np.asarray(100.0 * _f(precisions, recalls, factor, _EPSILON).sum(axis=-1) / counts.shape[-2])
        counted = (in_output > 0) & (in_reference > 0)
        n_counted = np.maximum(counted.sum(axis=-1), 1)
        precision = np.where(counted, _ratio(matches, in_output), 0.0).sum(axis=-1) / n_counted
        recall = np.where(counted, _ratio(matches, in_reference), 0.0).sum(axis=-1) / n_counted
        return np.asarray(100.0 * _f(precision, recall, factor))

    def remark_on_script(self, script: str) -> str | None:
        return None if self.word_order == 0 else whole_clauses(script, f"{self.name}, which counts words too,", "chrf")

    def _scorer(self) -> CHRF:
        scorer: CHRF = sacrebleu_metrics(self.name).CHRF(**asdict(self))
        return scorer


@dataclass(frozen=True)
class ChrFPlusPlus(ChrF):
    """chrF++ (Popović 2017), from 0 to 100: `ChrF` with single words and pairs of words.

    Examples
    --------
    >>> metric = ChrFPlusPlus()
    >>> rows = metric.rows(["The cat sat on the mat."], [("The cat sat on a mat.",)])
    >>> round(float(metric.score(rows.sum(axis=0))), 4)
    72.6591
    """

    name = "chrf++"
    title = "chrF++"
    citation = "Popović 2017; Post 2018 (sacreBLEU)"

    word_order: int = 2


def _ratio(part: FloatArray, whole: FloatArray, otherwise: float = 0.0) -> FloatArray:
    return np.asarray(np.divide(part, whole, out=np.full(whole.shape, otherwise), where=whole > 0))


def _f(precision: FloatArray, recall: FloatArray, factor: int, otherwise: float = 0.0) -> FloatArray:
    return _ratio((1 + factor) * precision * recall, factor * precision + recall, otherwise)
