"""Metrics of columns of numbers: means and ratios, counts of responses, losses of language models."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from outscore._types import FloatArray
from outscore.data.blocks import ONE_BLOCK
from outscore.data.coercion import LARGEST_NUMBER
from outscore.errors import OptionError, Problem
from outscore.metrics.base import ColumnMetric, Fault, RatioMetric
from outscore.options import opt
from outscore.text.numbers import format_counted
from outscore.words.warnings import other_direction


def _beside_ones(scores: FloatArray) -> FloatArray:
    """Return rows of (score, 1), shape (n, 2); if there are many, each column is contiguous."""
    rows = np.ones((len(scores), 2), order="F" if len(scores) > ONE_BLOCK else "C")
    rows[:, 0] = scores
    return rows


_LARGEST_LOSS = 700.0  # nats per unit: exp of more overflows, and no model is that bad


@dataclass(frozen=True, kw_only=True)
class Bounded:
    """Options for the range of scores, for metrics whose range only the user knows.

    Parameters
    ----------
    lowest, highest : float, optional
        The lowest and the highest possible score of an item. Claims with a margin need both, to bound losses that are
        possible but not in the test set.
    """

    lowest: float | None = None
    highest: float | None = None

    name: ClassVar[str]

    def __post_init__(self) -> None:
        for option, value in (("lowest", self.lowest), ("highest", self.highest)):
            if value is not None and not math.isfinite(value):
                what = f"{self.name}:{option} expected a finite number, got {value:g}"
                raise OptionError(
                    Problem(opt("metric"), what, "Omit the option if there is no bound.", "bad-metric-option")
                )
        if self.lowest is not None and self.highest is not None and not self.lowest < self.highest:
            what = f"{self.name}:lowest expected a number below highest={self.highest:g}, got {self.lowest:g}"
            raise OptionError(Problem(opt("metric"), what, "", "bad-metric-option"))

    @property
    def score_range(self) -> tuple[float, float] | None:
        """The lowest and the highest score of an item; None if neither is known."""
        if self.lowest is None and self.highest is None:
            return None
        return (
            -math.inf if self.lowest is None else self.lowest,
            math.inf if self.highest is None else self.highest,
        )

    def out_of_range(self, scores: FloatArray, column: int | None = None) -> Iterator[Fault]:
        """Yield the items whose scores, shape (n,), are not between the lowest and the highest."""
        if self.score_range is None:
            return
        low, high = self.score_range
        for i in np.flatnonzero((scores < low) | (scores > high)):
            bounds = " and ".join(
                f"{word} {bound:g}" for word, bound in (("at least", low), ("at most", high)) if math.isfinite(bound)
            )
            yield Fault(
                int(i),
                f"expected a score of {bounds}, got {scores[i]:g}",
                "Correct the score, or the range.",
                "out-of-range",
                column=column,
            )


@dataclass(frozen=True)
class Mean(Bounded, RatioMetric, ColumnMetric):
    """The mean of one number per item, in the unit of the scores.

    A row is (score, 1). Because it includes the number of items, clusters are weighted by their number of items.

    Parameters
    ----------
    higher_is_better : bool
        Set it to false for losses and error rates.
    lowest, highest : float, optional
        The lowest and the highest possible score of an item. Claims with a margin need both, to bound losses that are
        possible but not in the test set.

    Examples
    --------
    >>> import numpy as np
    >>> metric = Mean()
    >>> float(metric.score(metric.rows(np.array([[1.0], [0.0], [0.5]])).sum(axis=0)))
    0.5
    """

    higher_is_better: bool = True

    name = "mean"
    columns = ("score",)
    statistics = ("score", "items")
    shared_statistics = ("items",)
    numerator = (1.0, 0.0)
    denominator = (0.0, 1.0)

    def rows(self, columns: FloatArray) -> FloatArray:
        return _beside_ones(columns[:, 0])

    def faults(self, columns: FloatArray) -> Sequence[Fault]:
        return list(self.out_of_range(columns[:, 0], column=0))


@dataclass(frozen=True)
class NamedMean(Mean):
    """The mean of scores with a name of their own, such as those in the logs of a harness.

    Parameters
    ----------
    title : str
        Name in reports. Defaults to `name`.
    of_test_sets : tuple of (str, str, str)
        (test set, name, title) of each metric, if test sets have different metrics.
    """

    name: str = "mean"  # type: ignore[misc]
    title: str = ""  # type: ignore[misc]
    of_test_sets: tuple[tuple[str, str, str], ...] = ()

    @property
    def described(self) -> NamedMean:
        """The metric to report: without the range that the format of a log sets."""
        return replace(self, lowest=None, highest=None, of_test_sets=())

    def on_test_set(self, test_set: str) -> NamedMean:
        setting = next((entry for entry in self.of_test_sets if entry[0] == test_set), None)
        return self if setting is None else replace(self, name=setting[1], title=setting[2], of_test_sets=())


# Words such as time and error are the quantity only at the end of a name: not in time_management and error_detection.
_LOWER = re.compile(
    r"_((perplexity|ppl|wer|cer|ter|bits_per_byte|bpb|edit_distance|(log_?)?loss|nll|brier|mse|rmse|mae)_"
    r"|(errors?(_rate)?|latency|duration|seconds|(?<!_real_)(?<!_on_)time|costs?|price)"
    r"(_(m?s|us|ns|secs?|seconds|minutes|hours|usd|eur|p?[0-9]+))?_+$)"
)
_HIGHER = re.compile(
    r"_(acc|accuracy|f1|bleu|chrf|comet|rouge_?[12l]?|meteor|em|exact_match|correct|passed|success|precision|recall"
    r"|ndcg|mrr|auc|reward|likes|correctness|pass|resolved|solved|win|match)_"
)


def direction_of(name: str) -> bool | None:
    """Return whether higher scores are better, by words in the name of a metric; None if no word shows it.

    Examples
    --------
    >>> direction_of("word_ppl"), direction_of("Latency (s)"), direction_of("token-f1"), direction_of("quality")
    (False, False, True, None)
    >>> direction_of("time_management"), direction_of("total_time_ms"), direction_of("real_time")
    (None, False, None)
    """
    normal = f"_{re.sub('[^a-z0-9]+', '_', name.lower())}_"
    directions = {better for better, words in ((False, _LOWER), (True, _HIGHER)) if words.search(normal)}
    return directions.pop() if len(directions) == 1 else None


@dataclass(frozen=True)
class ColumnMean(NamedMean):
    """The mean of a column that the user named, as one of several metrics."""


def warnings_on_direction(metric: object, column: str) -> list[str]:
    """Return a warning if the name of a column of scores suggests another direction than that of its mean."""
    better = direction_of(column)
    if not isinstance(metric, Mean) or better in (None, metric.higher_is_better):
        return []
    return [other_direction(column, higher=better is True)]


@dataclass(frozen=True)
class Ratio(Bounded, RatioMetric, ColumnMetric):
    """The sum of numerators over the sum of denominators: word error rate, attachment score, a weighted mean.

    A row is (numerator, denominator); denominators are positive.

    Parameters
    ----------
    higher_is_better : bool
        Set it to false for error rates.
    lowest, highest : float, optional
        The lowest and the highest possible score of an item. Claims with a margin need both, to bound losses that are
        possible but not in the test set.

    Examples
    --------
    >>> import numpy as np
    >>> float(Ratio().score(np.array([[3.0, 10.0], [1.0, 30.0]]).sum(axis=0)))
    0.1
    """

    higher_is_better: bool = True

    name = "ratio"
    columns = ("numerator", "denominator")
    statistics = ("numerator", "denominator")
    numerator = (1.0, 0.0)
    denominator = (0.0, 1.0)

    def faults(self, columns: FloatArray) -> Sequence[Fault]:
        what, advice = 'field "denominator": expected a positive number, got', "Remove the item from both systems."
        negative = np.flatnonzero(columns[:, 1] < 0)
        faults = [Fault(int(i), f"{what} {columns[i, 1]:g}", advice, "negative") for i in negative]
        zero = np.flatnonzero(columns[:, 1] == 0)
        if len(zero):
            advice = advice if len(zero) == 1 else "Remove these items from both systems."
            more = "" if len(zero) == 1 else f", and the same in {format_counted(len(zero) - 1, 'more item')}"
            faults.append(Fault(int(zero[0]), f"{what} 0{more}", advice, "zero-denominator"))
        elif not faults and (smallest := float(columns[:, 1].min())) < 1 / LARGEST_NUMBER:  # the ratio may overflow
            what = f'field "denominator": expected a number of at least {1 / LARGEST_NUMBER:g}, got {smallest:g}'
            faults.append(Fault(int(columns[:, 1].argmin()), what, advice, "out-of-scale"))
        return faults or list(self.out_of_range(columns[:, 0] / columns[:, 1]))


@dataclass(frozen=True)
class Accuracy(RatioMetric, ColumnMetric):
    """The proportion of correct items, from 0 to 1, given one column of 0 (incorrect) and 1 (correct).

    A row is (correct, 1).

    Examples
    --------
    >>> import numpy as np
    >>> metric = Accuracy()
    >>> float(metric.score(metric.rows(np.array([[1.0], [0.0], [1.0], [1.0]])).sum(axis=0)))
    0.75
    """

    name = "accuracy"
    columns = ("correct",)
    statistics = ("correct", "items")
    shared_statistics = ("items",)
    numerator = (1.0, 0.0)
    denominator = (0.0, 1.0)
    is_proportion = True
    as_percentage = True
    score_range = (0.0, 1.0)
    higher_is_better = True

    def rows(self, columns: FloatArray) -> FloatArray:
        return _beside_ones(columns[:, 0])

    def faults(self, columns: FloatArray) -> Sequence[Fault]:
        return [
            Fault(
                int(i),
                f"expected 0 or 1, got {columns[i, 0]:g}",
                f"Use {opt('metric', 'mean')} for graded scores.",
                "not-binary",
                column=0,
            )
            for i in np.flatnonzero((columns[:, 0] != 0) & (columns[:, 0] != 1))
        ]


class _Retrieved(RatioMetric, ColumnMetric):
    """Base of precision, recall and F1: rows are (tp, predicted, gold), counts of responses per item."""

    columns = ("tp", "predicted", "gold")
    statistics = ("tp", "predicted", "gold")
    as_percentage = True
    score_range = (0.0, 1.0)
    higher_is_better = True

    def faults(self, columns: FloatArray) -> Sequence[Fault]:
        faults = []
        for j, column in enumerate(self.columns):
            for i in np.flatnonzero((columns[:, j] < 0) | (columns[:, j] != np.floor(columns[:, j]))):
                slug = "negative" if columns[i, j] < 0 else "not-a-count"
                what = f'field "{column}": expected a count (0, 1, 2, ...), got {columns[i, j]:g}'
                faults.append(Fault(int(i), what, "Correct the line.", slug))
        for j in (1, 2):
            for i in np.flatnonzero(columns[:, 0] > columns[:, j]):
                what = f'field "tp": expected at most {self.columns[j]} ({columns[i, j]:g}), got {columns[i, 0]:g}'
                faults.append(Fault(int(i), what, "Check that the columns are not swapped.", "tp-too-large"))
        return sorted(faults, key=lambda fault: fault.index)


@dataclass(frozen=True)
class Precision(_Retrieved):
    """The proportion of predicted responses that are correct, from 0 to 1: tp / predicted.

    Examples
    --------
    >>> import numpy as np
    >>> round(float(Precision().score(np.array([47.0, 95.0, 103.0]))), 3)
    0.495
    """

    name = "precision"
    numerator = (1.0, 0.0, 0.0)
    denominator = (0.0, 1.0, 0.0)
    is_proportion = True


@dataclass(frozen=True)
class Recall(_Retrieved):
    """The proportion of gold responses that were found, from 0 to 1: tp / gold.

    Examples
    --------
    >>> import numpy as np
    >>> round(float(Recall().score(np.array([47.0, 95.0, 103.0]))), 3)
    0.456
    """

    name = "recall"
    numerator = (1.0, 0.0, 0.0)
    denominator = (0.0, 0.0, 1.0)
    is_proportion = True


@dataclass(frozen=True)
class F1(_Retrieved):
    """The harmonic mean of precision and recall, from 0 to 1: 2 tp / (predicted + gold).

    Examples
    --------
    >>> import numpy as np
    >>> round(float(F1().score(np.array([47.0, 95.0, 103.0]))), 3)
    0.475
    """

    name = "f1"
    title = "F1"
    numerator = (2.0, 0.0, 0.0)
    denominator = (0.0, 1.0, 1.0)


class _Losses:
    """Base of metrics of log-loss: rows are (log-loss in nats, number of bytes or tokens), one per document."""

    columns: ClassVar[tuple[str, ...]]
    higher_is_better = False
    score_range = (0.0, math.inf)

    def faults(self, columns: FloatArray) -> Sequence[Fault]:
        unit = self.columns[1]
        faults = []
        for i, (loss, count) in enumerate(columns.tolist()):
            if count < 1 or count != math.floor(count):
                what = f'field "{unit}": expected a positive count (1, 2, ...), got {count:g}'
                faults.append(Fault(i, what, "Remove the item from all systems.", "not-a-count"))
            elif loss < 0:
                what = f'field "log_loss": expected at least 0, got {loss:g}'
                faults.append(Fault(i, what, "Change the sign of log-likelihoods.", "negative"))
            elif loss > _LARGEST_LOSS * count:
                what = f'field "log_loss": expected at most {_LARGEST_LOSS:g} nats on average, got {loss / count:g}'
                faults.append(Fault(i, what, "Pass sums of natural logarithms; check the columns.", "loss-too-large"))
        return faults


@dataclass(frozen=True)
class BitsPerByte(_Losses, RatioMetric, ColumnMetric):
    """Bits per byte of text: Σ log-loss / (ln 2 · Σ bytes), lower is better.

    Unlike perplexity, it can be compared between models with different tokens. A row is (log_loss, bytes): the
    summed log-loss of a document in nats, and its length in UTF-8 bytes.

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
    cites = ("gao2020",)
    citation = "Gao et al. 2020 (The Pile, arXiv:2101.00027), section 3.1; lm-evaluation-harness' bits_per_byte"


@dataclass(frozen=True)
class Perplexity(_Losses, ColumnMetric):
    """The perplexity per token: exp(Σ log-loss / Σ tokens), at least 1; lower is better.

    A row is (log_loss, tokens): the summed log-loss of a document in nats, and its number of tokens. Compare only
    models with the same tokens. For the perplexity per word, count words as `tokens`; otherwise use `BitsPerByte`.
    The score is a function of a ratio of sums, so the gain is not linear.

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
    cites = ("jelinek1977",)
    citation = (
        "Jelinek, Mercer, Bahl & Baker 1977 (JASA 62:S63); Jurafsky & Martin, Speech and Language Processing, 3.3"
    )

    def score(self, totals: FloatArray) -> FloatArray:
        loss, count = totals[..., 0], totals[..., 1]
        return np.asarray(np.exp(np.divide(loss, count, out=np.zeros(np.shape(count)), where=count > 0)))


METRICS: dict[str, type[ColumnMetric]] = {
    metric.name: metric for metric in (Mean, Accuracy, Ratio, Precision, Recall, F1, Perplexity, BitsPerByte)
}
