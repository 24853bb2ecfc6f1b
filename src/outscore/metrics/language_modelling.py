"""What a language model's log-loss says: perplexity and bits per byte."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from outscore._types import FloatArray
from outscore.metrics.base import ColumnMetric, Fault, RatioMetric

__all__ = ["BitsPerByte", "Perplexity"]

_LARGEST_LOSS = 700.0  # nats a unit: e to the power of more overflows, and no model is that bad


class _Losses:
    """Rows of (log-loss in nats, count of the units that it is of), one a document."""

    columns: ClassVar[tuple[str, ...]]
    higher_is_better = False
    score_range = (0.0, math.inf)

    def faults(self, columns: FloatArray) -> Sequence[Fault]:
        unit = self.columns[1]
        faults = []
        for i, (loss, count) in enumerate(columns.tolist()):
            if count < 1 or count != math.floor(count):
                what = f'field "{unit}": expected a positive count (1, 2, ...), got {count:g}'
                faults.append(Fault(i, what, "Leave the item out of all systems.", "not-a-count"))
            elif loss < 0:
                what = f'field "log_loss": expected at least 0, got {loss:g}'
                faults.append(Fault(i, what, "Turn the sign of log-likelihoods.", "negative"))
            elif loss > _LARGEST_LOSS * count:
                what = f'field "log_loss": expected at most {_LARGEST_LOSS:g} nats on average, got {loss / count:g}'
                faults.append(Fault(i, what, "Give sums of natural logarithms; check the columns.", "loss-too-large"))
        return faults


@dataclass(frozen=True)
class BitsPerByte(_Losses, RatioMetric, ColumnMetric):
    """Bits per byte of text: Σ log-loss / (ln 2 · Σ bytes), lower is better.

    Comparable between models with different tokens, which perplexity is not. A row holds (log_loss, bytes): the
    summed log-loss of a document in nats, and the bytes of its UTF-8.

    Examples
    --------
    >>> import numpy as np
    >>> round(float(BitsPerByte().score(np.array([69.3147, 100.0]))), 4)
    1.0
    """

    name = "bits-per-byte"
    title = "bits per byte"
    columns = ("log_loss", "bytes")
    statistics = ("log_loss", "bytes")
    numerator = (1 / math.log(2), 0.0)
    denominator = (0.0, 1.0)
    citation = "Gao et al. 2020 (The Pile, arXiv:2101.00027), section 3.1; lm-evaluation-harness' bits_per_byte"


@dataclass(frozen=True)
class Perplexity(_Losses, ColumnMetric):
    """The perplexity per token: exp(Σ log-loss / Σ tokens), lower is better; 1 is a model that is never surprised.

    A row holds (log_loss, tokens): the summed log-loss of a document in nats, and how many tokens it is of. Compare
    only models with the same tokens; count words as `tokens` for the perplexity per word, or take `BitsPerByte`.
    The score is no ratio of sums but a function of one, so that its gain is not linear.

    Examples
    --------
    >>> import numpy as np
    >>> round(float(Perplexity().score(np.array([[69.3147, 40.0], [0.0, 60.0]]).sum(axis=0))), 4)
    2.0
    """

    name = "perplexity"
    score_range = (1.0, math.inf)
    columns = ("log_loss", "tokens")
    statistics = ("log_loss", "tokens")
    citation = (
        "Jelinek, Mercer, Bahl & Baker 1977 (JASA 62:S63); Jurafsky & Martin, Speech and Language Processing, 3.3"
    )

    def score(self, totals: FloatArray) -> FloatArray:
        loss, count = totals[..., 0], totals[..., 1]
        return np.asarray(np.exp(np.divide(loss, count, out=np.zeros(np.shape(count)), where=count > 0)))
