"""A pair of systems on a metric without sufficient statistics: scores are recomputed on resampled items."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.metrics.base import RecomputedMetric
from outscore.significance.pair import AnyPair
from outscore.significance.units import Units

__all__ = ["RecomputedPair"]

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class RecomputedPair(AnyPair):
    """A baseline and a candidate whose items are drawn and swapped themselves.

    Attributes
    ----------
    metric : RecomputedMetric
    baseline, candidate : ndarray, shape (n_items, c)
        The rows of the items: what the metric scores.
    units : Units
    """

    metric: RecomputedMetric[Any, Any]
    baseline: AnyArray
    candidate: AnyArray
    units: Units

    @property
    def strata(self) -> AnyArray | None:  # type: ignore[override]
        return self.units.strata

    @property
    def n_units(self) -> int:
        return self.units.count

    @property
    def n_differing(self) -> int:
        return len(self.differing)

    @cached_property
    def differing(self) -> AnyArray:
        """The units with an item on which the systems differ: only they need be swapped."""
        items = np.array(
            [
                any(not _same(x, y) for x, y in zip(one, other, strict=True))
                for one, other in zip(self.baseline, self.candidate, strict=True)
            ]
        )
        if self.units.clusters is None:
            return np.flatnonzero(items)
        return np.unique(self.units.clusters[items])

    @cached_property
    def baseline_score(self) -> float:  # type: ignore[override]
        return self.metric.score_of_set(self.baseline)

    @cached_property
    def candidate_score(self) -> float:  # type: ignore[override]
        return self.metric.score_of_set(self.candidate)

    @cached_property
    def gain(self) -> float:  # type: ignore[override]
        return self._gain(self.baseline_score, self.candidate_score)

    @cached_property
    def tolerance(self) -> float:  # type: ignore[override]
        return _ROUNDING * max(abs(self.baseline_score), abs(self.candidate_score))

    def gains(self, weights: AnyArray) -> FloatArray:
        """Return the gains of resamples that hold every unit so often, shape (r, n_units) to (r,)."""
        found = []
        for drawn in self.units.of_items(weights):
            index = np.repeat(np.arange(len(self.baseline)), drawn.astype(np.int64))
            found.append(
                self._gain(
                    self.metric.score_of_set(self.baseline[index]), self.metric.score_of_set(self.candidate[index])
                )
            )
        return np.array(found)

    def jackknife(self) -> FloatArray:
        return self.gains(1 - np.eye(self.n_units, dtype=np.int64))

    def gains_after(self, swapped: AnyArray) -> FloatArray:
        """Return the gains after swaps of `differing` units, 1 where swapped, shape (r, n_differing) to (r,)."""
        found = []
        for bits in swapped:
            of_units = np.zeros(self.n_units, dtype=bool)
            of_units[self.differing] = bits
            exchanged = self.units.of_items(of_units)[:, None]
            found.append(
                self._gain(
                    self.metric.score_of_set(np.where(exchanged, self.candidate, self.baseline)),
                    self.metric.score_of_set(np.where(exchanged, self.baseline, self.candidate)),
                )
            )
        return np.array(found)

    def _gain(self, baseline: float, candidate: float) -> float:
        return self.sign * (candidate - baseline)


def _same(one: object, other: object) -> bool:
    """Say whether two outputs are equal; what cannot be compared counts as different, which only costs time."""
    try:
        return bool(one == other)
    except (TypeError, ValueError):
        return one is other
