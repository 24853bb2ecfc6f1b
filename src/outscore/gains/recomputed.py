"""A pair of systems on a metric without sufficient statistics: scores are recomputed on resampled items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.design import Units
from outscore.gains.pair import Pair, pseudo_values
from outscore.laws.tolerances import LEFT_OUT_AT_ONCE, NOISE, RECOMPUTED_BLOCK
from outscore.metrics.base import RecomputedMetric

_PLAIN = (bool, int, float, complex, str, bytes)


class RecomputedPair(Pair):
    """A baseline and a candidate whose items themselves are drawn and swapped.

    Parameters
    ----------
    baseline, candidate : ndarray, shape (n_items, c)
        The rows of the items.
    known : ndarray, shape (2, n_units), optional
        The scores of both systems without each unit, if known.
    """

    metric: RecomputedMetric[Any, Any]  # type: ignore[assignment]

    def __init__(
        self,
        metric: RecomputedMetric[Any, Any],
        baseline: AnyArray,
        candidate: AnyArray,
        units: Units,
        known: FloatArray | None = None,
    ) -> None:
        super().__init__(metric, baseline, candidate, units.strata)  # type: ignore[arg-type]
        self.units: Units
        self.known: FloatArray | None
        self.__dict__.update(units=units, known=known, n_units=units.count)

    @cached_property
    def sizes(self) -> FloatArray:
        if self.units.clusters is None:
            return np.ones(self.n_units)
        return np.bincount(self.units.clusters, minlength=self.n_units).astype(np.float64)

    @cached_property
    def mirrored(self) -> RecomputedPair:
        without = self.__dict__.get("_without", self.known)
        known = None if without is None else without[::-1]
        mirrored = RecomputedPair(self.metric, self.candidate, self.baseline, self.units, known)
        # Known scores are not computed again.
        for mine, its in (("baseline_score", "candidate_score"), ("candidate_score", "baseline_score")):
            if mine in self.__dict__:
                mirrored.__dict__[its] = self.__dict__[mine]
        return mirrored

    @property
    def favours_baseline(self) -> bool:
        return self.gain < 0

    @property
    def n_differing(self) -> int:
        return len(self.differing)

    @cached_property
    def differing(self) -> AnyArray:
        """The units with an item on which the systems differ: only they need to be swapped."""
        items = np.array(
            [
                any(not _same(x, y) for x, y in zip(rows, other_rows, strict=True))
                for rows, other_rows in zip(self.baseline, self.candidate, strict=True)
            ]
        )
        if self.units.clusters is None:
            return np.flatnonzero(items)
        return np.unique(self.units.clusters[items])

    @cached_property
    def tolerance(self) -> float:
        return NOISE * max(abs(self.baseline_score), abs(self.candidate_score))

    def gains(self, weights: AnyArray) -> FloatArray:
        """Return the gains of samples, given the count of every unit, shape (r, n_units) to (r,)."""
        baseline, candidate = recomputed_scores(self.metric, [self.baseline, self.candidate], self.units, weights).T
        return np.asarray(self.sign * (candidate - baseline))

    @cached_property
    def _without(self) -> FloatArray:
        """The systems' scores without each unit."""
        if self.known is not None:
            return self.known
        return scores_without(self.metric, [self.baseline, self.candidate], self.units)

    @cached_property
    def jackknife(self) -> FloatArray:
        return np.asarray(self.sign * (self._without[1] - self._without[0]))

    @cached_property
    def pseudo_scores(self) -> tuple[FloatArray, FloatArray]:
        baseline, candidate = self._without
        return (
            self.sign * pseudo_values(self.baseline_score, baseline),
            self.sign * pseudo_values(self.candidate_score, candidate),
        )

    @property
    def columns(self) -> FloatArray:
        """Unit vectors: all units differ, and the totals of samples are the weights of the units."""
        return np.eye(self.n_units)

    def changes(self, null_gain: float) -> FloatArray:
        """Return unit vectors, so that their sums show which `differing` units are swapped."""
        del null_gain
        return np.eye(self.n_differing)

    def gains_after(self, swapped: AnyArray, null_gain: float = 0.0) -> FloatArray:
        """Return the gains after swaps of `differing` units, 1 where swapped, shape (r, n_differing) to (r,)."""
        del null_gain
        gains = np.empty(len(swapped))
        sides = list(zip(*(self.metric.sides(rows) for rows in (self.baseline, self.candidate)), strict=True))
        for some in _blocks(np.arange(len(swapped)), len(self.baseline)):
            of_units = np.zeros((len(some), self.n_units), dtype=bool)
            of_units[:, self.differing] = swapped[some]
            exchanged = self.units.of_items(of_units)
            mixed = [
                (_where(exchanged, candidate, baseline), _where(exchanged, baseline, candidate))
                for baseline, candidate in sides
            ]
            baseline, candidate = zip(*mixed, strict=True)
            gains[some] = self.sign * (self.metric.scores_of_sides(candidate) - self.metric.scores_of_sides(baseline))
        return gains


def scores_without(metric: RecomputedMetric[Any, Any], systems: Sequence[AnyArray], units: Units) -> FloatArray:
    """Return the systems' scores without each unit, shape (s, n_units)."""
    return np.array([_scores_without(metric, rows, units) for rows in systems])


def _scores_without(metric: RecomputedMetric[Any, Any], rows: AnyArray, units: Units) -> FloatArray:
    """Return a system's scores without each unit, shape (n_units,).

    Leaving out either of two equal neighbours gives the same items in the same order.
    """
    places, new = np.arange(units.count), np.ones(units.count, dtype=bool)
    if units.clusters is None:
        new[1:] = ~_equal_neighbours(rows)
    distinct = np.flatnonzero(new)
    some = (distinct[start : start + LEFT_OUT_AT_ONCE] for start in range(0, len(distinct), LEFT_OUT_AT_ONCE))
    kept = ((places != left_out[:, None]).astype(np.int64) for left_out in some)
    scores = np.concatenate([recomputed_scores(metric, [rows], units, weights)[:, 0] for weights in kept])
    return np.asarray(scores[np.cumsum(new) - 1])


def _equal_neighbours(rows: AnyArray) -> AnyArray:
    """Return which rows, shape (n, c), are indistinguishable from the one before, shape (n − 1,)."""
    if rows.dtype == object:
        pairs = zip(rows[1:], rows[:-1], strict=True)
        return np.array([all(map(_interchangeable, row, before)) for row, before in pairs], dtype=bool)
    # −0 equals 0, but a metric may tell them apart, for example by 1/x.
    return np.asarray(((rows[1:] == rows[:-1]) & (np.signbit(rows[1:]) == np.signbit(rows[:-1]))).all(axis=1))


def _interchangeable(first: object, second: object) -> bool:
    """Return whether two items are the same, or plain objects with equal `repr`."""
    # 1, 1.0 and True are equal, but may be scored differently. Other objects may be equal without being the same.
    return first is second or (type(first) is type(second) and type(first) in _PLAIN and repr(first) == repr(second))


def recomputed_scores(
    metric: RecomputedMetric[Any, Any], systems: Sequence[AnyArray], units: Units, weights: AnyArray
) -> FloatArray:
    """Return the systems' scores on samples, given the count of every unit, shape (r, n_units) to (r, s)."""
    # A metric without sums scores only whole test sets, so weights become lists of items, in which a unit of weight w
    # stands w times. Test sets of one size are scored in one call.
    counts = units.of_items(weights).astype(np.int64)
    sizes = counts.sum(axis=1)
    scores = np.empty((len(counts), len(systems)))
    sides_of_all = [metric.sides(rows) for rows in systems]
    for size in np.unique(sizes):  # clusters of different sizes give test sets of different sizes
        of_size = np.flatnonzero(sizes == size)
        for some in _blocks(of_size, int(size)):
            items = np.tile(np.arange(counts.shape[1]), len(some))
            index = np.repeat(items, counts[some].ravel()).reshape(len(some), int(size))
            for system, sides in enumerate(sides_of_all):
                scores[some, system] = metric.scores_of_sides([side[index] for side in sides])
    return scores


def _blocks(resamples: AnyArray, size: int) -> Iterator[AnyArray]:
    """Yield blocks of samples of `size` items that need little memory together."""
    count = max(1, RECOMPUTED_BLOCK // size)
    return (resamples[start : start + count] for start in range(0, len(resamples), count))


def _where(chosen: AnyArray, where_chosen: AnyArray, elsewhere: AnyArray) -> AnyArray:
    """Return items of `one` where chosen, shape (b, n), else of `other`, shapes (n, ...) to (b, n, ...)."""
    return np.where(chosen.reshape(chosen.shape + (1,) * (where_chosen.ndim - 1)), where_chosen, elsewhere)


def _same(first: object, second: object) -> bool:
    """Return whether two outputs are equal; incomparable ones count as different, which only costs time."""
    try:
        return bool(first == second)
    except (TypeError, ValueError):
        return first is second
