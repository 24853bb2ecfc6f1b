"""Errors of predicted numbers, and their correlation with the right ones; correlations of metrics with people too."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

import numpy as np

from outscore._types import FloatArray
from outscore.errors import DataError, Problem
from outscore.metrics.base import OutputMetric, RatioMetric

__all__ = ["Mae", "Mse", "Pearson", "RecomputedMetric", "Spearman"]

Output = TypeVar("Output")
Reference = TypeVar("Reference")

_LARGEST = 1e100  # squares of larger numbers overflow
_LARGEST_OFFSET = 1e3  # means larger than this many standard deviations leave moments too few digits
_CONSTANT = 1e-13  # what rounding leaves of the variance of equal numbers, relative to their squares


def _checked(numbers: Sequence[float], side: str = "") -> FloatArray:
    values = np.asarray(numbers, dtype=np.float64)
    problems = [
        Problem(
            f"{side}[{i}]",  # of an output, the index alone: readers know its line
            f"expected a finite number of at most {_LARGEST:g} in size, got {values[i]:g}",
            "Mend it, or scale all systems and references.",
            "out-of-scale" if np.isfinite(values[i]) else "not-finite",
        )
        for i in np.flatnonzero(~(np.abs(values) <= _LARGEST))
    ]
    if problems:
        raise DataError(*problems)
    return values


class _MeanOfErrors(OutputMetric[float, float], RatioMetric):
    """A mean of errors: rows of (error, 1)."""

    statistics = ("error", "items")
    higher_is_better = False
    output_type = float
    reference_type = float
    numerator = (1.0, 0.0)
    denominator = (0.0, 1.0)

    @abstractmethod
    def errors(self, differences: FloatArray) -> FloatArray:
        """Return the errors of outputs that differ from their references by so much, shape (n,) to (n,)."""

    def rows(self, outputs: Sequence[float], references: Sequence[float]) -> FloatArray:
        errors = self.errors(_checked(outputs) - _checked(references, "references"))
        return np.column_stack([errors, np.ones(len(errors))])


@dataclass(frozen=True)
class Mse(_MeanOfErrors):
    """The mean squared error, in squared units of the references.

    Examples
    --------
    >>> metric = Mse()
    >>> float(metric.score(metric.rows([1.0, 2.0], [1.0, 4.0]).sum(axis=0)))
    2.0
    """

    name = "mse"
    citation = "sklearn.metrics.mean_squared_error"

    def errors(self, differences: FloatArray) -> FloatArray:
        return np.square(differences)


@dataclass(frozen=True)
class Mae(_MeanOfErrors):
    """The mean absolute error, in units of the references.

    Examples
    --------
    >>> metric = Mae()
    >>> float(metric.score(metric.rows([1.0, 2.0], [1.0, 4.0]).sum(axis=0)))
    1.0
    """

    name = "mae"
    citation = "sklearn.metrics.mean_absolute_error"

    def errors(self, differences: FloatArray) -> FloatArray:
        return np.abs(differences)


@dataclass(frozen=True)
class Pearson(OutputMetric[float, float]):
    """Pearson's correlation r of outputs x and references y, in [-1, 1].

    r = (n Σxy − Σx Σy) / √((n Σx² − (Σx)²) (n Σy² − (Σy)²)), and 0 where either side is constant (SciPy: NaN).

    A row holds (1, x, y, x², y², xy). The moments are taken about 0, not about means: a mean would be each system's
    own, and rows about different means cannot be swapped between systems. That loses digits, 2 log10(mean / standard
    deviation) of them: r is good to 1e-9 up to a mean of 100 standard deviations, to 1e-8 up to 1,000, and beyond
    that numbers are refused. One item has no correlation:
    its own score is 0.

    Raises
    ------
    DataError
        Numbers that are not finite, beyond 1e100, or whose mean is more than 1,000 standard deviations from 0.

    Examples
    --------
    >>> metric = Pearson()
    >>> round(float(metric.score(metric.rows([1.0, 2.0, 4.0], [1.0, 3.0, 4.0]).sum(axis=0))), 4)
    0.9286
    """

    name = "pearson"
    statistics = ("items", "x", "y", "x²", "y²", "xy")
    higher_is_better = True
    output_type = float
    reference_type = float
    citation = "Pearson 1896 (Phil. Trans. R. Soc. A 187); scipy.stats.pearsonr"

    def rows(self, outputs: Sequence[float], references: Sequence[float]) -> FloatArray:
        x, y = _checked(outputs), _checked(references, "references")
        _check_offset(x, "[0]")
        _check_offset(y, "references")
        return np.column_stack([np.ones(len(x)), x, y, x * x, y * y, x * y])

    def score(self, totals: FloatArray) -> FloatArray:
        n, x, y, xx, yy, xy = np.moveaxis(totals, -1, 0)
        spread_x, spread_y = n * xx - x * x, n * yy - y * y
        varies = (spread_x > _CONSTANT * n * xx) & (spread_y > _CONSTANT * n * yy)
        # One root each: their product may overflow.
        scale = np.sqrt(np.where(varies, spread_x, 1.0)) * np.sqrt(np.where(varies, spread_y, 1.0))
        return np.asarray(np.where(varies, (n * xy - x * y) / scale, 0.0).clip(-1.0, 1.0))


def _check_offset(values: FloatArray, where: str) -> None:
    if len(values) < 2 or np.ptp(values) == 0:
        return
    mean, deviation = float(values.mean()), float(values.std())
    if abs(mean) > _LARGEST_OFFSET * deviation:
        raise DataError(
            Problem(
                where,
                f"expected numbers whose mean is at most {_LARGEST_OFFSET:g} standard deviations from 0, "
                f"got a mean of {mean:g} and a standard deviation of {deviation:g}",
                "Subtract a constant from those of all systems, which changes no correlation.",
                "large-offset",
            )
        )


class RecomputedMetric(ABC, Generic[Output, Reference]):
    """A metric of outputs that has no rows: its score is recomputed on every resampled test set.

    Attributes
    ----------
    name, higher_is_better, as_percentage, output_type, reference_type, citation
        As for `OutputMetric`.
    """

    name: ClassVar[str]
    higher_is_better: ClassVar[bool] = True
    as_percentage: ClassVar[bool] = False
    output_type: ClassVar[type]
    reference_type: ClassVar[type]
    citation: ClassVar[str]

    @abstractmethod
    def score_of(self, outputs: Sequence[Output], references: Sequence[Reference]) -> float:
        """Return the score of a test set: the items as they are, or as drawn, each as often as it was."""


@dataclass(frozen=True)
class Spearman(RecomputedMetric[float, float]):
    """Spearman's rank correlation ρ, in [-1, 1]: Pearson's of the ranks, equal numbers sharing their mean rank.

    0 where either side is constant (SciPy: NaN). The rank of an item depends on all others, so there are no rows.

    Examples
    --------
    >>> round(Spearman().score_of([1.0, 2.0, 4.0, 8.0], [1.0, 3.0, 2.0, 4.0]), 4)
    0.8
    """

    name = "spearman"
    output_type = float
    reference_type = float
    citation = "Spearman 1904 (Am. J. Psychol. 15:1); scipy.stats.spearmanr"

    def score_of(self, outputs: Sequence[float], references: Sequence[float]) -> float:
        from scipy.stats import rankdata

        # Mean ranks are halves of whole numbers: about their mean, (n + 1)/2, all sums are exact.
        x, y = (rankdata(_checked(side)) - (len(side) + 1) / 2 for side in (outputs, references))
        scale = np.sqrt(x @ x) * np.sqrt(y @ y)
        return float(x @ y / scale) if scale > 0 else 0.0
