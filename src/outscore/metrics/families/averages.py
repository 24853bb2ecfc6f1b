"""Averages of another metric: over cells, such as runs, and weighted over strata."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.data.cells import each, mean_of
from outscore.metrics.base import AnyMetric, Metric, RatioMetric

_LARGEST_MULTIPLE = 2**20  # whole numbers times multiples up to this are exact in double precision


class Averaged(Metric):
    """An average of another metric, with its name, direction and unit."""

    metric: Metric

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.metric.name

    @property
    def title(self) -> str:  # type: ignore[override]
        return self.metric.title

    @property
    def as_percentage(self) -> bool:  # type: ignore[override]
        return self.metric.as_percentage

    @property
    def higher_is_better(self) -> bool:  # type: ignore[override]
        return self.metric.higher_is_better

    @property
    def score_range(self) -> tuple[float, float] | None:
        return self.metric.score_range

    @property
    def described(self) -> AnyMetric:
        return self.metric.described


@dataclass(frozen=True)
class AveragedRatio(Averaged, RatioMetric):
    """A ratio whose rows were averaged or weighted, so that counts need not be whole numbers."""

    metric: RatioMetric

    @property
    def statistics(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.metric.statistics

    @property
    def shared_statistics(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.metric.shared_statistics

    @property
    def numerator(self) -> tuple[float, ...]:  # type: ignore[override]
        return self.metric.numerator

    @property
    def denominator(self) -> tuple[float, ...]:  # type: ignore[override]
        return self.metric.denominator


@dataclass(frozen=True)
class CellMean(Averaged):
    """The mean of the scores of a system's cells, such as runs, each computed from its own totals.

    A row has `n_cells` places, each with an indicator of whether the cell exists, and its statistics. So systems may
    have different numbers of cells.

    Parameters
    ----------
    n_cells : int
        The largest number of cells of a system.
    """

    metric: Metric
    n_cells: int

    swappable = False  # cells of two systems have no correspondence

    @cached_property
    def statistics(self) -> tuple[str, ...]:  # type: ignore[override]
        names = ("runs", *self.metric.statistics)
        return tuple(f"{statistic} ({cell + 1})" for cell in range(self.n_cells) for statistic in names)

    def score(self, totals: FloatArray) -> FloatArray:
        there, cell_scores = self._by_cell(totals)
        return _mean_of(np.where(there, self.metric.score(cell_scores), np.nan))

    def item_scores(self, rows: AnyArray) -> FloatArray | None:
        there, cell_scores = self._by_cell(rows)
        scores = [self.metric.item_scores(cell_scores[:, cell]) for cell in range(self.n_cells)]
        if any(score is None for score in scores):
            return None
        return _mean_of(np.where(there, np.stack(scores, axis=1), np.nan))  # type: ignore[arg-type]

    def _by_cell(self, totals: FloatArray) -> tuple[AnyArray, FloatArray]:
        """Return which cells exist, shape (..., m), and their totals, (..., m, k); those of the first elsewhere."""
        parts = totals.reshape(*totals.shape[:-1], self.n_cells, -1)
        there = parts[..., 0] > 0
        return there, np.where(there[..., None], parts[..., 1:], parts[..., :1, 1:])


@dataclass(frozen=True)
class StratumMean(Averaged):
    """A weighted mean of the scores of strata, Σ ω_h · score_h.

    A row has the statistics of its item in the place of its stratum, and 0 elsewhere.

    Parameters
    ----------
    weights : tuple of float
        ω_h, which add up to 1.
    """

    metric: Metric
    weights: tuple[float, ...]

    @cached_property
    def statistics(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(f"{statistic} ({h + 1})" for h in range(len(self.weights)) for statistic in self.metric.statistics)

    def score(self, totals: FloatArray) -> FloatArray:
        return np.asarray(self.metric.score(self._by_stratum(totals)) @ np.asarray(self.weights))

    def item_scores(self, rows: AnyArray) -> FloatArray | None:
        return self.metric.item_scores(self._by_stratum(rows).sum(axis=-2))

    def _by_stratum(self, totals: FloatArray) -> FloatArray:
        return totals.reshape(*totals.shape[:-1], len(self.weights), -1)

    def placed(self, rows: FloatArray, strata: AnyArray) -> FloatArray:
        """Return the rows of items, shape (..., n, k), in the places of their strata, (..., n, H·k)."""
        n, k = rows.shape[-2:]
        placed = np.zeros((*rows.shape[:-1], len(self.weights), k))
        placed[..., np.arange(n), strata, :] = rows
        return placed.reshape(*rows.shape[:-1], -1)


def _mean_of(scores: FloatArray) -> FloatArray:
    """Return the means over the last axis without NaN, independent of order to the last bit."""
    ordered = np.sort(scores, axis=-1)  # NaN last
    return np.asarray(np.nansum(ordered, axis=-1) / (~np.isnan(ordered)).sum(axis=-1))


def mean_of_cells(metric: Metric, systems: Sequence[FloatArray]) -> tuple[Metric, list[FloatArray]]:
    """Return the mean over cells, such as runs, as a metric, and the rows of each system for it.

    If a ratio has the same denominators in all cells of all systems, item by item, it is linear. Its rows are then
    added up over cells, times a common multiple of the numbers of cells, so that whole numbers stay whole. For other
    metrics every cell keeps its own statistics.

    Parameters
    ----------
    systems : sequence of ndarray, shape (levels, ..., n, k)
        The rows of each cell of each system.
    """
    system_cells = [np.stack([*each(rows)]) for rows in systems]
    if isinstance(metric, RatioMetric):
        bottoms = [rows @ np.asarray(metric.denominator) for rows in system_cells]
        if all((bottom == bottoms[0][0]).all() for bottom in bottoms):
            common = math.lcm(*map(len, system_cells))
            if common > _LARGEST_MULTIPLE:
                return AveragedRatio(metric), [mean_of(rows) for rows in system_cells]
            return AveragedRatio(metric), [
                np.sort(rows, axis=0).sum(axis=0) * (common // len(rows)) for rows in system_cells
            ]
    most = max(map(len, system_cells))
    return CellMean(metric, most), [_side_by_side(rows, most) for rows in system_cells]


def _side_by_side(rows: FloatArray, most: int) -> FloatArray:
    m, n, k = rows.shape
    placed = np.zeros((n, most, k + 1))
    placed[:, :m, 0] = 1.0
    placed[:, :m, 1:] = rows.transpose(1, 0, 2)
    return placed.reshape(n, -1)


def stratum_multiples(weights: Sequence[Fraction], sizes: Sequence[Fraction]) -> FloatArray | None:
    """Return whole numbers proportional to ω_h/size_h, or None if they would be too large to be exact."""
    shares = [weight / size for weight, size in zip(weights, sizes, strict=True)]
    divisor = math.lcm(*(share.denominator for share in shares))
    multiples = [share * divisor for share in shares]
    divisor = math.gcd(*(int(multiple) for multiple in multiples))
    whole = np.array([float(multiple / divisor) for multiple in multiples])
    return whole if whole.max() <= _LARGEST_MULTIPLE else None
