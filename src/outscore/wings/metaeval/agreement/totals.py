"""Statistics of agreement as metrics: rows of segments, and the score of their sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.metrics import Metric, RatioMetric
from outscore.wings.metaeval.agreement.correlations import Correlation, pairs_of, pearson

_DECIMALS = 10  # of means of standardised scores


class MeanOfSegments(RatioMetric):
    """A mean over segments, or a ratio of sums: rows of (numerator, denominator)."""

    statistics = ("agreement", "weight")
    numerator = (1.0, 0.0)
    denominator = (0.0, 1.0)
    higher_is_better = True

    def __init__(self, name: str, title: str, lowest: float = 0.0) -> None:
        self.name, self.title = name, title  # type: ignore[misc]
        self._lowest = lowest

    @property
    def score_range(self) -> tuple[float, float]:
        return self._lowest, 1.0

    def item_scores(self, rows: FloatArray) -> FloatArray:
        """Return the score of each segment, shape (n,); 0 if it has none."""
        return self.score(rows)


class OfTotals(Metric):
    """A function of `width` = k sums over segments: from totals, shape (..., k), to scores, shape (...).

    The lowest possible score is `lowest`, the highest is 1.
    """

    higher_is_better = True

    def __init__(
        self, name: str, title: str, width: int, function: Callable[[FloatArray], FloatArray], lowest: float = 0.0
    ) -> None:
        self.name, self.title, self.function = name, title, function  # type: ignore[misc]
        self._lowest = lowest
        self.statistics = tuple(f"sum {column + 1}" for column in range(width))  # type: ignore[misc]

    @property
    def score_range(self) -> tuple[float, float]:
        return self._lowest, 1.0

    def score(self, totals: FloatArray) -> FloatArray:
        return np.asarray(self.function(np.asarray(totals, dtype=np.float64)))

    def item_scores(self, rows: AnyArray) -> None:
        del rows


def _means(sums: FloatArray, counts: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(counts > 0, sums / counts, np.nan)


@dataclass(frozen=True)
class OfMeans:
    """A correlation of the human and the metric's means of S systems.

    Rows hold the human scores, how many there are, the metric's scores, and how many there are: S numbers each.
    """

    n_systems: int
    correlation: Correlation

    def __call__(self, totals: FloatArray) -> FloatArray:
        s, flat = self.n_systems, totals.reshape(-1, totals.shape[-1]).T
        human, metric = _means(flat[:s], flat[s : 2 * s]), _means(flat[2 * s : 3 * s], flat[3 * s :])
        if self.correlation is not pearson:  # rounding must not break ties
            human, metric = human.round(_DECIMALS), metric.round(_DECIMALS)
        return np.nan_to_num(self.correlation(human, metric)).reshape(totals.shape[:-1])


@dataclass(frozen=True)
class SoftAccuracy:
    """Soft pairwise accuracy of S systems from sums, with p-values from a normal distribution.

    Rows hold the human scores, the metric's scores, the squares of all pairs' differences in both, the excess of the
    exact value over that of a normal distribution, and 1: 2S + S(S − 1) + 2 numbers.
    """

    n_systems: int

    def __call__(self, totals: FloatArray) -> FloatArray:
        s = self.n_systems
        flat, m = totals.reshape(-1, totals.shape[-1]).T, s * (s - 1) // 2
        human = normal_p_values(pairs_of(flat[:s]), flat[2 * s : 2 * s + m])
        metric = normal_p_values(pairs_of(flat[s : 2 * s]), flat[2 * s + m : 2 * s + 2 * m])
        excess = np.nan_to_num(_means(flat[-2], flat[-1]))
        return np.asarray(1 - np.abs(human - metric).mean(axis=0) + excess).reshape(totals.shape[:-1])


def normal_p_values(sums: FloatArray, squares: FloatArray) -> FloatArray:
    """Return the one-sided p-values of sums of differences under random signs, from a normal distribution."""
    from scipy.special import ndtr

    z = np.divide(-sums, np.sqrt(np.maximum(squares, 0.0)), out=np.zeros(np.shape(sums)), where=squares > 0)
    return np.asarray(ndtr(z))


def best_of_curve(totals: FloatArray) -> FloatArray:
    """Return the largest acc-t of several ε: rows hold the agreeing pairs at each, and all pairs."""
    best, every = totals[..., :-1].max(axis=-1), totals[..., -1]
    return np.asarray(np.divide(best, every, out=np.zeros(np.shape(every)), where=every > 0))


@dataclass(frozen=True)
class OfPairs:
    """A mean over pairs of systems that are units themselves, each with the scores of one of m metrics.

    Rows hold 1 in the column of their metric and system: mS numbers.
    """

    # Both of shape (m, S, m, S): what a pair i < j of systems adds to the numerator and the denominator, by the metrics
    # of both; else 0.
    agreement: FloatArray
    weights: FloatArray

    def __call__(self, totals: FloatArray) -> FloatArray:
        every = np.zeros((1, totals.shape[-1]))
        return self.of_sums(totals.reshape(-1, totals.shape[-1]), every).reshape(totals.shape[:-1])

    def of_sums(self, totals: FloatArray, other_totals: FloatArray) -> FloatArray:
        """Return the scores of all sums of two totals, shapes (p, mS) and (q, mS) to (qp,)."""
        used = np.flatnonzero((totals != 0).any(axis=0) | (other_totals != 0).any(axis=0))
        totals, other_totals, sums = totals[:, used], other_totals[:, used], []
        for table in (self.agreement, self.weights):
            pair_values = table.reshape(len(table) * table.shape[1], -1)[np.ix_(used, used)]
            within = [((side @ pair_values) * side).sum(axis=1) for side in (totals, other_totals)]
            sums.append(
                (within[1][:, None] + within[0] + other_totals @ (pair_values + pair_values.T) @ totals.T).ravel()
            )
        top, bottom = sums
        return np.asarray(np.divide(top, bottom, out=np.zeros(len(top)), where=bottom > 0))


@dataclass(frozen=True, eq=False)
class Averaged:
    """The weighted mean of several metrics, each with columns of its own."""

    parts: tuple[tuple[slice, Metric, float], ...]

    def __call__(self, totals: FloatArray) -> FloatArray:
        return np.asarray(sum(weight * metric.score(totals[..., columns]) for columns, metric, weight in self.parts))
