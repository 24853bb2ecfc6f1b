"""Errors of predicted numbers, and their correlation with references such as human ratings."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.data.coercion import LARGEST_NUMBER, as_written
from outscore.errors import DataError, Problem
from outscore.metrics.base import OutputMetric, RatioMetric, RecomputedMetric

_LARGEST_OFFSET = 1e3  # beyond this many standard deviations from 0, means leave moments too few digits
_SMALL_OFFSET = 16.0  # within this many, moments lose at most about two digits
_CONSTANT = 1e-13  # rounding error of the variance of equal numbers, relative to their squares


def _checked(numbers: Sequence[float], side: str = "") -> FloatArray:
    values = as_written(np.asarray(numbers, dtype=np.float64))
    problems = [
        Problem(
            f"{side}[{i}]",  # for an output only the index: readers add its line
            f"expected a finite number of at most {LARGEST_NUMBER:g} in size, got {values[i]:g}",
            "Correct it, or scale all systems and references.",
            "out-of-scale" if np.isfinite(values[i]) else "not-finite",
        )
        for i in np.flatnonzero(~(np.abs(values) <= LARGEST_NUMBER))
    ]
    if problems:
        raise DataError(*problems)
    return values


class _MeanOfErrors(OutputMetric[float, float], RatioMetric):
    """A mean of errors: rows are (error, 1)."""

    statistics = ("error", "items")
    shared_statistics = ("items",)
    signed = False
    higher_is_better = False
    score_range = (0.0, math.inf)
    output_type = float
    reference_type = float
    numerator = (1.0, 0.0)
    denominator = (0.0, 1.0)

    @abstractmethod
    def errors(self, differences: FloatArray) -> FloatArray:
        """Return the errors of outputs, given their differences from the references, shape (n,) to (n,)."""

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
    title = "MSE"
    cites = ("pedregosa2011",)
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
    title = "MAE"
    cites = ("pedregosa2011",)
    citation = "sklearn.metrics.mean_absolute_error"

    def errors(self, differences: FloatArray) -> FloatArray:
        return np.abs(differences)


@dataclass(frozen=True)
class Pearson(OutputMetric[float, float]):
    """Pearson's correlation r of outputs x and references y, in [-1, 1].

    r = (n Σxy − Σx Σy) / √((n Σx² − (Σx)²) (n Σy² − (Σy)²)), and 0 if either side is constant (SciPy: NaN).

    A row is (1, x, y, x², y², xy). The moments are about offsets, not about means: each system has its own mean, and
    rows about different means cannot be swapped between systems. If the mean is far from the offset, digits are lost,
    2 log10(distance / standard deviation) of them. r is accurate to 1e-9 up to 100 standard deviations and to 1e-8 up
    to 1,000. Larger distances are rejected.

    Parameters
    ----------
    output_offset, reference_offset : float
        Numbers subtracted from all outputs and all references; the correlation does not depend on them. By default
        they are set if all numbers of a side are far from 0, so that only systems far from each other are rejected.

    Raises
    ------
    DataError
        If numbers are not finite, exceed 1e100, or have a mean more than 1,000 standard deviations from the offset.

    Examples
    --------
    >>> metric = Pearson()
    >>> round(float(metric.score(metric.rows([1.0, 2.0, 4.0], [1.0, 3.0, 4.0]).sum(axis=0))), 4)
    0.9286
    """

    output_offset: float = 0.0
    reference_offset: float = 0.0

    name = "pearson"
    title = "Pearson's r"
    statistics = ("items", "x", "y", "x²", "y²", "xy")
    higher_is_better = True
    score_range = (-1.0, 1.0)
    output_type = float
    reference_type = float
    cites = ("pearson1896",)
    citation = "Pearson 1896 (Phil. Trans. R. Soc. A 187); scipy.stats.pearsonr"

    def rows(self, outputs: Sequence[float], references: Sequence[float]) -> FloatArray:
        x, y = _checked(outputs) - self.output_offset, _checked(references, "references") - self.reference_offset
        _check_offset(x, "[0]")
        _check_offset(y, "references")
        return np.column_stack([np.ones(len(x)), x, y, x * x, y * y, x * y])

    def fitted(self, references: Sequence[float], outputs: Sequence[Sequence[float]]) -> Self:
        """Return this metric with offsets near the means of all systems' outputs and of the references."""
        _refuse_constant(references, self.name)
        return replace(
            self,
            output_offset=self.output_offset or _offset_of([value for system in outputs for value in system]),
            reference_offset=self.reference_offset or _offset_of(references),
        )

    def refitted(self, rows: AnyArray, to: Self) -> AnyArray:
        """Return rows about other offsets: moments of x + a and y + b are sums of those of x and y."""
        a, b = self.output_offset - to.output_offset, self.reference_offset - to.reference_offset
        if a == b == 0:
            return rows
        n, x, y, xx, yy, xy = rows.T
        moved = x + a, y + b, xx + a * (2 * x + a), yy + b * (2 * y + b), xy + a * y + b * x + a * b
        _check_offset(moved[0], "")
        _check_offset(moved[1], "references")
        return np.column_stack([n, *moved])

    def item_scores(self, rows: AnyArray) -> None:
        del rows  # one item has no correlation

    def remarks(self, rows: AnyArray) -> Sequence[str]:
        return _remarks_on(rows[:, 1])

    def score(self, totals: FloatArray) -> FloatArray:
        n, x, y, xx, yy, xy = np.moveaxis(totals, -1, 0)
        spread_x, spread_y = n * xx - x * x, n * yy - y * y
        varies = (spread_x > _CONSTANT * n * xx) & (spread_y > _CONSTANT * n * yy)
        # Two roots, because the product may overflow.
        scale = np.sqrt(np.where(varies, spread_x, 1.0)) * np.sqrt(np.where(varies, spread_y, 1.0))
        return np.asarray(np.where(varies, (n * xy - x * y) / scale, 0.0).clip(-1.0, 1.0))


def _refuse_constant(references: Sequence[float], metric: str) -> None:
    if len(references) > 1 and all(reference == references[0] for reference in references):
        what = f"the {metric} of the whole set is undefined: all references are {references[0]:g}"
        raise DataError(Problem("references", what, "Check that this is the right file.", "constant-references"))


def _remarks_on(outputs: FloatArray) -> Sequence[str]:
    if np.ptp(outputs) > 0:
        return ()
    return ("All outputs are the same number: their correlation is undefined, and the score is set to 0.",)


def _offset_of(numbers: Sequence[float]) -> float:
    """Return a round number near the mean of numbers that are far from 0; 0 for other or invalid numbers."""
    values = np.asarray(numbers, dtype=np.float64)
    if not len(values) or not (np.abs(values) <= LARGEST_NUMBER).all():
        return 0.0
    mean, deviation = float(values.mean()), float(values.std())
    if not _SMALL_OFFSET * deviation < abs(mean):
        return 0.0
    # A multiple of a power of two: subtracting it adds no digits, and whole numbers stay whole.
    step = 2.0 ** math.floor(math.log2(max(deviation, np.spacing(abs(mean)))))
    return round(mean / step) * step


def _check_offset(values: FloatArray, where: str) -> None:
    if len(values) < 2 or np.ptp(values) == 0:
        return
    mean, deviation = float(values.mean()), float(values.std())
    if abs(mean) > _LARGEST_OFFSET * deviation:
        raise DataError(
            Problem(
                where,
                f"expected a mean at most {_LARGEST_OFFSET:g} standard deviations from that of all systems, "
                f"got one that is {abs(mean):g} away with a standard deviation of {deviation:g}",
                "Subtract a constant from this system's numbers, which does not change their correlation.",
                "large-offset",
            )
        )


@dataclass(frozen=True)
class Spearman(RecomputedMetric[float, float]):
    """Spearman's rank correlation ρ, in [-1, 1]: Pearson's correlation of the ranks, with mean ranks for ties.

    0 if either side is constant (SciPy: NaN). The rank of an item depends on all others, so there are no rows.

    Examples
    --------
    >>> round(Spearman().score_of([1.0, 2.0, 4.0, 8.0], [1.0, 3.0, 2.0, 4.0]), 4)
    0.8
    """

    name = "spearman"
    title = "Spearman's rho"
    higher_is_better = True
    score_range = (-1.0, 1.0)
    output_type = float
    reference_type = float
    cites = ("spearman1904",)
    citation = "Spearman 1904 (Am. J. Psychol. 15:1); scipy.stats.spearmanr"

    def rows(self, outputs: Sequence[float], references: Sequence[float]) -> FloatArray:
        return np.column_stack([_checked(outputs), _checked(references, "references")])

    def fitted(self, references: Sequence[float], outputs: Sequence[Sequence[float]]) -> Self:
        """Return this metric, after checking that the references are not all equal."""
        del outputs
        _refuse_constant(references, self.name)
        return self

    def remarks(self, rows: AnyArray) -> Sequence[str]:
        return _remarks_on(rows[:, 0])

    def score_of(self, outputs: Sequence[float], references: Sequence[float]) -> float:
        both = (np.asarray(side, dtype=np.float64)[None] for side in (outputs, references))
        return float(self.scores_of(*both)[0])

    def scores_of(self, outputs: AnyArray, references: AnyArray) -> AnyArray:
        from scipy.stats import rankdata

        if outputs.size == 0:
            return np.zeros(outputs.shape[:-1])
        # Mean ranks are multiples of one half, so sums about their mean, (n + 1)/2, are exact.
        x, y = (rankdata(side, axis=-1) - (side.shape[-1] + 1) / 2 for side in (outputs, references))
        xx, yy, xy = ((first * second).sum(axis=-1) for first, second in ((x, x), (y, y), (x, y)))
        varies = (xx > 0) & (yy > 0)
        return np.asarray(np.divide(xy, np.sqrt(xx) * np.sqrt(yy), out=np.zeros(varies.shape), where=varies))
