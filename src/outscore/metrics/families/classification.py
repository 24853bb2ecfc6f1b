"""Classification: accuracy, precision, recall and F1 (micro, macro, of one class), Matthews' φ, Cohen's kappa."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.data.items import GoldLabel, Label
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics.base import OutputMetric, RatioMetric
from outscore.text.naming import listed, nearest, quoted

_SCIKIT_LEARN = "Pedregosa et al. 2011, Scikit-learn: Machine Learning in Python (JMLR 12)"


def labels_of(references: Iterable[str], *outputs: Iterable[str]) -> tuple[str, ...]:
    """Return all labels in the references or in any system's outputs, each once, sorted.

    If all labels are numbers, they are sorted by value, so that the weights of `Kappa` use the right order of 2 and
    10. Otherwise they are sorted as text. The empty label, of outputs without an answer, comes last.

    Examples
    --------
    >>> labels_of(["pos", "neg"], ["pos", "pos"], ["neg", "other"])
    ('neg', 'other', 'pos')
    >>> labels_of(["1", "10", "2"])
    ('1', '2', '10')
    """
    occurring = {str(label) for labels in (references, *outputs) for label in labels}
    named, lacking = sorted(occurring - {""}), ("",) if "" in occurring else ()
    try:
        values = {label: float(label) for label in named}
    except ValueError:
        return (*named, *lacking)
    named.sort(key=lambda label: (values[label] != values[label], values[label]))  # "nan" last
    return (*named, *lacking)


def _right(outputs: Sequence[str], references: Sequence[str]) -> FloatArray:
    """Return 1 where an output equals its reference, else 0; shape (n,)."""
    return np.array([a == b for a, b in zip(outputs, references, strict=True)], dtype=np.float64)


class _Classified(OutputMetric[str, str]):
    """Base of the metrics of labels: one label per item on both sides."""

    output_type = Label
    reference_type = GoldLabel
    higher_is_better = True

    def check_outputs(self, outputs: Sequence[str], references: Sequence[str]) -> None:
        """Raise a DataError if no output is a label of the references, or if they are probabilities of 0 and 1.

        The empty label is no answer, and a system may have none. If all references have one label, a system may
        predict another one.
        """
        labels, given = {*references}, {*outputs} - {""}
        unknown = given - labels
        if not unknown or not (_are_probabilities(labels, given) or (unknown == given and len(labels) > 1)):
            return
        some = [label for label in dict.fromkeys(outputs) if label in unknown]
        what = f"{self.name} compares labels, but {'no output is' if unknown == given else 'not all outputs are'} "
        what += f"one of the labels {listed(sorted(labels))}: got {listed(some)}"
        advice = "Write outputs like the references. Turn probabilities into labels by a threshold, or pass a metric "
        advice += "of probabilities from Python, such as AUC, the Brier score or log-loss."
        raise DataError(Problem("outputs", what, advice, "not-labels"))


def _are_probabilities(labels: Collection[str], outputs: Collection[str]) -> bool:
    """Return whether the labels are 0 and 1, and the outputs numbers from 0 to 1 with fractions among them."""
    try:
        values = [float(text) for text in outputs]
        binary = {float(label) for label in labels} <= {0.0, 1.0}
    except ValueError:
        return False
    return binary and all(0 <= value <= 1 for value in values) and any(0 < value < 1 for value in values)


def _check_named(
    metric: str, named: Collection[str], references: Sequence[str], outputs: Iterable[Sequence[str]]
) -> None:
    """Raise an error for labels that occur in neither references nor outputs, such as misspelled ones."""
    occurring = labels_of(references, *outputs) if named else ()
    problems = [
        Problem(
            f"{metric}:labels",
            f"unknown label {quoted(label)}: it occurs in no reference and no output",
            nearest(label, occurring),
            "unknown-label",
        )
        for label in named
        if label not in occurring
    ]
    if problems:
        raise DataError(*problems)


@dataclass(frozen=True)
class LabelAccuracy(RatioMetric, _Classified):
    """The proportion of items whose label equals the reference, from 0 to 1.

    A row is (correct, 1). Equals scikit-learn's `accuracy_score`.

    Examples
    --------
    >>> metric = LabelAccuracy()
    >>> float(metric.score(metric.rows(["a", "b", "b", "c"], ["a", "b", "c", "c"]).sum(axis=0)))
    0.75
    """

    name = "accuracy"
    statistics = ("correct", "items")
    shared_statistics = ("items",)
    signed = False
    parts = (("correct", "items"),)
    numerator = (1.0, 0.0)
    denominator = (0.0, 1.0)
    is_proportion = True
    as_percentage = True
    score_range = (0.0, 1.0)
    cites = ("pedregosa2011",)
    citation = f"{_SCIKIT_LEARN}; accuracy_score"

    def rows(self, outputs: Sequence[str], references: Sequence[str]) -> FloatArray:
        right = _right(outputs, references)
        return np.column_stack([right, np.ones(len(right))])


@dataclass(frozen=True)
class _Micro(RatioMetric, _Classified):
    labels: str | tuple[str, ...] = ()

    statistics = ("tp", "predicted", "gold")
    shared_statistics = ("gold",)
    signed = False
    parts = (("tp", "predicted"), ("tp", "gold"))
    as_percentage = True
    score_range = (0.0, 1.0)

    def fitted(self, references: Sequence[str], outputs: Sequence[Sequence[str]]) -> Self:
        """Return this metric, after checking that its labels occur."""
        _check_named(self.name, [self.labels] if isinstance(self.labels, str) else self.labels, references, outputs)
        return self

    def rows(self, outputs: Sequence[str], references: Sequence[str]) -> FloatArray:
        right = _right(outputs, references)
        counted: Collection[str] = {self.labels} if isinstance(self.labels, str) else set(self.labels)
        predicted, gold = (
            np.array([not counted or label in counted for label in labels], dtype=np.float64)
            for labels in (outputs, references)
        )
        return np.column_stack([right * gold, predicted, gold])


@dataclass(frozen=True)
class MicroPrecision(_Micro):
    """The proportion of predicted labels that are correct, from 0 to 1, over the labels that count.

    A row is (tp, predicted, gold), each 0 or 1. Equals scikit-learn's
    ``precision_score(labels=..., average="micro", zero_division=0)``.

    Parameters
    ----------
    labels : str or tuple of str
        The labels that count: one, for the precision of that class, or several, such as all but "none".
        By default all labels count, and the score is the accuracy.

    Examples
    --------
    >>> metric = MicroPrecision(labels="pos")
    >>> float(metric.score(metric.rows(["pos", "pos", "neg", "neg"], ["pos", "neg", "pos", "neg"]).sum(axis=0)))
    0.5
    """

    name = "micro-precision"
    title = "micro precision"
    numerator = (1.0, 0.0, 0.0)
    denominator = (0.0, 1.0, 0.0)
    is_proportion = True
    cites = ("pedregosa2011",)
    citation = f"{_SCIKIT_LEARN}; precision_score"


@dataclass(frozen=True)
class MicroRecall(_Micro):
    """The proportion of gold labels that were predicted, from 0 to 1, over the labels that count.

    A row is (tp, predicted, gold), each 0 or 1. Equals scikit-learn's
    ``recall_score(labels=..., average="micro", zero_division=0)``.

    Parameters
    ----------
    labels : str or tuple of str
        As in `MicroPrecision`.

    Examples
    --------
    >>> metric = MicroRecall(labels="pos")
    >>> float(metric.score(metric.rows(["pos", "neg", "neg", "neg"], ["pos", "pos", "pos", "pos"]).sum(axis=0)))
    0.25
    """

    name = "micro-recall"
    title = "micro recall"
    numerator = (1.0, 0.0, 0.0)
    denominator = (0.0, 0.0, 1.0)
    is_proportion = True
    cites = ("pedregosa2011",)
    citation = f"{_SCIKIT_LEARN}; recall_score"


@dataclass(frozen=True)
class MicroF1(_Micro):
    """The harmonic mean of micro precision and recall, from 0 to 1: 2 tp / (predicted + gold).

    A row is (tp, predicted, gold), each 0 or 1. Equals scikit-learn's
    ``f1_score(labels=..., average="micro", zero_division=0)``.

    Parameters
    ----------
    labels : str or tuple of str
        As in `MicroPrecision`.

    Examples
    --------
    >>> metric = MicroF1(labels=("pos", "neg"))
    >>> outputs, references = ["pos", "neg", "none", "neg"], ["pos", "none", "none", "neg"]
    >>> float(metric.score(metric.rows(outputs, references).sum(axis=0)))
    0.8
    """

    name = "micro-f1"
    title = "micro F1"
    numerator = (2.0, 0.0, 0.0)
    denominator = (0.0, 1.0, 1.0)
    cites = ("pedregosa2011",)
    citation = f"{_SCIKIT_LEARN}; f1_score"


def _codes(labels: Sequence[str], classes: Sequence[str]) -> IntArray:
    """Return the index of each label among the `classes`, and len(classes) for others; shape (n,)."""
    index = {label: code for code, label in enumerate(classes)}
    return np.array([index.get(label, len(index)) for label in labels], dtype=np.int64)


def _indicators(codes: IntArray, size: int) -> FloatArray:
    """Return a 1 in the column of each code below `size`, zeros elsewhere; shape (n, size)."""
    return np.asarray(codes[:, None] == np.arange(size), dtype=np.float64)


@dataclass(frozen=True)
class _PerLabel(_Classified):
    """Base of the metrics with columns per label, which are fixed before any row is computed."""

    labels: tuple[str, ...] = ()

    def fitted(self, references: Sequence[str], outputs: Sequence[Sequence[str]]) -> Self:
        """Return this metric with the labels of the references and of all systems, if none were given."""
        return self if self.labels else replace(self, labels=labels_of(references, *outputs))

    counts: ClassVar[tuple[str, ...]]
    signed = False

    @property
    def statistics(self) -> tuple[str, ...]:  # type: ignore[override]
        """One column per count and label, such as "gold[pos]"."""
        return tuple(f"{count}[{label}]" for count in self.counts for label in self.labels)

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:  # type: ignore[override]
        whole = [count for count in ("predicted", "gold") if "tp" in self.counts]
        return tuple((f"tp[{label}]", f"{count}[{label}]") for count in whole for label in self.labels)

    def _check_labels(self) -> None:
        if not self.labels:
            raise OptionError(
                Problem(
                    self.name,
                    "expected the labels of all systems, got none",
                    "Pass labels=labels_of(references, *outputs).",
                    "no-labels",
                )
            )


@dataclass(frozen=True)
class _Macro(_PerLabel):
    counts = ("tp", "predicted", "gold")
    as_percentage = True
    score_range = (0.0, 1.0)
    top: ClassVar[tuple[float, float, float]]
    bottom: ClassVar[tuple[float, float, float]]

    def fitted(self, references: Sequence[str], outputs: Sequence[Sequence[str]]) -> Self:
        """Return this metric with all labels by default, after checking that given labels occur."""
        _check_named(self.name, self.labels, references, outputs)
        return super().fitted(references, outputs)

    def rows(self, outputs: Sequence[str], references: Sequence[str]) -> FloatArray:
        self._check_labels()
        size = len(self.labels)
        predicted, gold = (_indicators(_codes(labels, self.labels), size) for labels in (outputs, references))
        return np.hstack([_right(outputs, references)[:, None] * gold, predicted, gold])

    def _by_label(self, totals: FloatArray) -> FloatArray:
        """Return the totals in shape (..., L labels, 3 counts)."""
        totals = np.asarray(totals, dtype=np.float64)
        return np.swapaxes(totals.reshape(*totals.shape[:-1], 3, len(self.labels)), -1, -2)

    def score(self, totals: FloatArray) -> FloatArray:
        counts = self._by_label(totals)
        tops, bottoms = counts @ np.array(self.top), counts @ np.array(self.bottom)
        # scikit-learn's zero_division=0: a label that only one side has scores 0
        scores = np.divide(tops, bottoms, out=np.zeros_like(tops), where=bottoms > 0)
        n_labels = (counts[..., 1] + counts[..., 2] > 0).sum(axis=-1)
        return np.asarray(scores.sum(axis=-1) / np.maximum(n_labels, 1))

    def item_scores(self, rows: FloatArray) -> FloatArray:
        """Return 1 for correct items and for items without a label that counts, else 0; shape (n,)."""
        counts = self._by_label(rows)
        return np.asarray((counts[..., 1] == counts[..., 2]).all(axis=-1), dtype=np.float64)


@dataclass(frozen=True)
class MacroPrecision(_Macro):
    """The mean precision of the labels, from 0 to 1: Σ tpₗ / predictedₗ divided by their number.

    A row is tp, predicted and gold of every label, k = 3L. Equals scikit-learn's
    ``precision_score(labels=..., average="macro", zero_division=0)``; see `MacroF1` for which labels count.

    Parameters
    ----------
    labels : tuple of str
        As in `MacroF1`.

    Examples
    --------
    >>> metric = MacroPrecision(labels=("neg", "pos"))
    >>> outputs, references = ["pos", "pos", "neg", "pos"], ["pos", "neg", "neg", "neg"]
    >>> float(metric.score(metric.rows(outputs, references).sum(axis=0)).round(4))
    0.6667
    """

    name = "macro-precision"
    title = "macro precision"
    top = (1.0, 0.0, 0.0)
    bottom = (0.0, 1.0, 0.0)
    cites = ("pedregosa2011",)
    citation = f"{_SCIKIT_LEARN}; precision_score"


@dataclass(frozen=True)
class MacroRecall(_Macro):
    """The mean recall of the labels, from 0 to 1: Σ tpₗ / goldₗ divided by their number.

    A row is tp, predicted and gold of every label, k = 3L. Equals scikit-learn's
    ``recall_score(labels=..., average="macro", zero_division=0)``; see `MacroF1` for which labels count.

    Parameters
    ----------
    labels : tuple of str
        As in `MacroF1`.

    Examples
    --------
    >>> metric = MacroRecall(labels=("neg", "pos"))
    >>> outputs, references = ["pos", "pos", "neg", "neg"], ["pos", "neg", "neg", "neg"]
    >>> float(metric.score(metric.rows(outputs, references).sum(axis=0)).round(4))
    0.8333
    """

    name = "macro-recall"
    title = "macro recall"
    top = (1.0, 0.0, 0.0)
    bottom = (0.0, 0.0, 1.0)
    cites = ("pedregosa2011",)
    citation = f"{_SCIKIT_LEARN}; recall_score"


@dataclass(frozen=True)
class MacroF1(_Macro):
    """The mean F1 of the labels, from 0 to 1: Σ 2 tpₗ / (predictedₗ + goldₗ) divided by their number.

    A row is tp, predicted and gold of every label, k = 3L. Equals scikit-learn's
    ``f1_score(average="macro", zero_division=0)``: the mean is over the labels in the references or in this system's
    outputs. A label that only this system predicts has an F1 of 0. A label that only other systems predict does not
    count. The same rule holds in every bootstrap sample: a rare label that was not drawn has no F1. Counting it as 0
    would bias all samples downwards.

    Parameters
    ----------
    labels : tuple of str
        The labels that count, by default all: the columns of the rows, equal for all compared systems. In
        scikit-learn, a label in `labels` that neither side has adds a 0 to the mean; here it is left out.

    Examples
    --------
    >>> metric = MacroF1(labels=("neg", "pos"))
    >>> outputs, references = ["pos", "pos", "neg", "neg"], ["pos", "neg", "neg", "neg"]
    >>> float(metric.score(metric.rows(outputs, references).sum(axis=0)).round(4))
    0.7333
    """

    name = "macro-f1"
    title = "macro F1"
    top = (2.0, 0.0, 0.0)
    bottom = (0.0, 1.0, 1.0)
    cites = ("pedregosa2011",)
    citation = f"{_SCIKIT_LEARN}; f1_score"


@dataclass(frozen=True)
class _Agreement(_PerLabel):
    """Base of agreement metrics: rows are (disagreement, predicted of every label, gold of every label).

    Only the margins of the confusion matrix and its weighted off-diagonal sum are needed: 1 + 2L numbers instead of
    L².
    """

    counts = ("predicted", "gold")
    score_range = (-1.0, 1.0)

    @property
    def statistics(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("disagreement", *super().statistics)

    def _distance(self, first: AnyArray, second: AnyArray) -> FloatArray:
        """Return the disagreement of labels, given their places."""
        return np.asarray(first != second, dtype=np.float64)

    def rows(self, outputs: Sequence[str], references: Sequence[str]) -> FloatArray:
        self._check_labels()
        size = len(self.labels)
        predicted, gold = (_codes(labels, self.labels) for labels in (outputs, references))
        problems = [
            Problem(
                f"[{i}]",
                f"expected a label of the metric, got {quoted(labels[int(i)])}",
                "Pass labels=labels_of(references, *outputs).",
                "unknown-label",
            )
            for labels, codes in ((outputs, predicted), (references, gold))
            for i in np.flatnonzero(codes == size)
        ]
        if problems:
            raise DataError(*problems)
        disagreement = self._distance(predicted, gold)
        return np.column_stack([disagreement, _indicators(predicted, size), _indicators(gold, size)])

    def _parts(self, totals: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the disagreement, shape (...), and the counts predicted and gold, shape (..., L)."""
        totals = np.asarray(totals, dtype=np.float64)
        size = len(self.labels)
        return totals[..., 0], totals[..., 1 : 1 + size], totals[..., 1 + size :]

    def item_scores(self, rows: FloatArray) -> FloatArray:
        """Return minus each item's disagreement, shape (n,); one item has no agreement of its own."""
        return 0.0 - rows[:, 0]


@dataclass(frozen=True)
class Mcc(_Agreement):
    """Matthews' correlation coefficient, between −1 and 1, for any number of labels.

    With c of n items correct, and each label predicted pₗ times and gold gₗ times (Gorodkin 2004)::

        (c n − Σ pₗ gₗ) / √((n² − Σ pₗ²)(n² − Σ gₗ²))

    It is 0 if a side has one label only. Equals scikit-learn's `matthews_corrcoef`.

    Parameters
    ----------
    labels : tuple of str
        All labels of references and systems, by default those that occur. Extra labels have no effect.

    Examples
    --------
    >>> metric = Mcc(labels=("neg", "pos"))
    >>> outputs, references = ["pos", "pos", "neg", "neg"], ["pos", "neg", "neg", "neg"]
    >>> float(metric.score(metric.rows(outputs, references).sum(axis=0)).round(4))
    0.5774
    """

    name = "mcc"
    title = "MCC"
    cites = ("gorodkin2004", "pedregosa2011")
    citation = f"Gorodkin 2004, Comparing two K-category assignments; {_SCIKIT_LEARN}; matthews_corrcoef"

    def score(self, totals: FloatArray) -> FloatArray:
        wrong, predicted, gold = self._parts(totals)
        n = gold.sum(axis=-1)
        covariance = (n - wrong) * n - (predicted * gold).sum(axis=-1)
        variances = (n**2 - (predicted**2).sum(axis=-1)) * (n**2 - (gold**2).sum(axis=-1))
        return np.asarray(
            np.divide(
                covariance, np.sqrt(np.maximum(variances, 0.0)), out=np.zeros(np.shape(covariance)), where=variances > 0
            )
        )


_WEIGHTS = ("linear", "quadratic")


@dataclass(frozen=True)
class Kappa(_Agreement):
    """Cohen's kappa of outputs and references, at most 1, and 0 for the agreement expected by chance.

    κ = 1 − Σ wᵢⱼ nᵢⱼ / Σ wᵢⱼ pᵢ gⱼ / n, with nᵢⱼ items predicted i whose reference is j, and margins p and g
    (Cohen 1968). Equals scikit-learn's ``cohen_kappa_score(labels=..., weights=...)``, with one exception: if both
    sides have only one label, the same, scikit-learn returns nan and this metric 0.

    Parameters
    ----------
    labels : tuple of str
        All labels of references and systems, by default those that occur. With weights, their order is the scale. A
        step of the scale that does not occur still counts, so name all labels.
    weights : {None, "linear", "quadratic"}
        Disagreement of labels i and j: 1 if they differ, |i − j|, or (i − j)².

    Examples
    --------
    >>> outputs, references = ["1", "2", "3", "3"], ["1", "3", "3", "2"]
    >>> for weights in None, "linear", "quadratic":
    ...     metric = Kappa(labels=("1", "2", "3"), weights=weights)
    ...     print(round(float(metric.score(metric.rows(outputs, references).sum(axis=0))), 4))
    0.2
    0.4286
    0.6364
    """

    weights: str | None = None

    name = "kappa"
    title = "Cohen's kappa"
    cites = ("cohen1960", "pedregosa2011")
    citation = f"Cohen 1960; Cohen 1968, Weighted kappa; {_SCIKIT_LEARN}; cohen_kappa_score"

    def __post_init__(self) -> None:
        if self.weights == "none":
            object.__setattr__(self, "weights", None)
        if self.weights is not None and self.weights not in _WEIGHTS:
            what = f"expected weights linear or quadratic, or none, got {quoted(str(self.weights))}"
            raise OptionError(Problem("kappa", what, nearest(str(self.weights), _WEIGHTS), "unknown-weights"))

    def rows(self, outputs: Sequence[str], references: Sequence[str]) -> FloatArray:
        lacking = [] if self.weights is None else [i for i, label in enumerate(outputs) if not label]
        if lacking:
            what = f"empty label: kappa with {self.weights} weights needs a position on the scale for every label"
            advice = "Add the missing labels, or use no weights."
            raise DataError(*(Problem(f"[{i}]", what, advice, "missing-label") for i in lacking))
        return super().rows(outputs, references)

    def _distance(self, first: AnyArray, second: AnyArray) -> FloatArray:
        if self.weights is None:
            return super()._distance(first, second)
        steps = np.abs(np.asarray(first, dtype=np.float64) - second)
        return steps if self.weights == "linear" else steps**2

    def disagreements(self, totals: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the observed and the expected weighted disagreement of totals, shape (..., k), in sums over items."""
        observed, predicted, gold = self._parts(totals)
        n = gold.sum(axis=-1)
        if self.weights is None:  # without a matrix of all pairs of labels
            by_chance = predicted.sum(axis=-1) * n - (predicted * gold).sum(axis=-1)
        else:
            codes = np.arange(len(self.labels))
            by_chance = ((predicted @ self._distance(codes[:, None], codes)) * gold).sum(axis=-1)
        return observed, by_chance / np.where(n > 0, n, 1.0)

    def largest(self, totals: FloatArray) -> float:
        """Return the largest possible ratio of the disagreement on one item and the expected one."""
        _, _, gold = self._parts(totals)
        most = float(self._distance(np.array(0), np.array(len(self.labels) - 1)))
        return float(most * gold.sum() / self.disagreements(totals)[1])

    def score(self, totals: FloatArray) -> FloatArray:
        observed, by_chance = self.disagreements(totals)
        ratio = np.divide(observed, by_chance, out=np.ones(np.shape(by_chance)), where=by_chance > 0)
        return np.asarray(1 - ratio)
