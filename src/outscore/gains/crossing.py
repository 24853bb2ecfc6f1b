"""The cells of systems on the same units: the score of each run, template, ... of each system."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.data.cells import each
from outscore.data.rows import Rows
from outscore.design import CrossedFactor, Design, Units
from outscore.metrics import AnyMetric, Metric, RatioMetric
from outscore.words import warnings

FEWEST_FOR_VERDICT = 3  # runs, templates, raters or clusters of a clustering: two are too few to estimate a variance


@dataclass(frozen=True, eq=False)
class Crossing:
    """The cells of systems on the same units, with one axis per crossed factor.

    Attributes
    ----------
    metric : Metric
        The metric of a single cell.
    factors : tuple of CrossedFactor
        One per axis; either all are random or none.
    systems : tuple of ndarray, shape (levels of the first factor, ..., n_units, k)
        Systems may have different numbers of levels of a factor that they do not share.
    strata : ndarray of int, shape (n_units,), optional
        Codes of the units' strata.
    has_constant : bool
        Whether the first system is a constant, with equal cells.
    whole : Crossing, optional
        All systems that were read together; these are at `places`. Results for all of them are cached in its `memo`.
    """

    metric: Metric
    factors: tuple[CrossedFactor, ...]
    systems: tuple[FloatArray, ...]
    strata: AnyArray | None = None
    has_constant: bool = False
    whole: Crossing | None = None
    places: tuple[int, ...] = ()
    memo: dict[object, Any] = field(default_factory=dict, repr=False)

    def of(self, *places: int) -> Crossing:
        """Return the cells of some of the systems."""
        systems = tuple(self.systems[index] for index in places)
        numbers = tuple(self.places[index] for index in places) if self.whole is not None else places
        # The copy has a memo of its own: keys of a memo do not name systems. What holds for all systems, such as their
        # draws, is computed by `whole` and shared.
        return replace(self, systems=systems, whole=self.whole or self, places=numbers, memo={})

    def computed(self, what: object, compute: Callable[[], Any]) -> Any:
        """Return a result for all systems together, computed once."""
        if what not in self.memo:
            self.memo[what] = compute()
        return self.memo[what]

    @property
    def is_random(self) -> bool:
        """Whether the claim is about new levels as well."""
        return self.factors[0].is_random

    @property
    def sizes(self) -> FloatArray:
        """The weight of each unit, shape (n_units,): its denominator if all systems share it."""
        return np.ones(self.n_units) if self.shared is None else self.shared

    @property
    def drawn(self) -> tuple[FloatArray, ...]:
        """The cells of all systems except a constant."""
        return self.systems[1:] if self.has_constant and len(self.systems) > 1 else self.systems

    def n_levels(self, axis: int) -> tuple[int, ...]:
        """Return the number of levels of a factor in each system."""
        return tuple(rows.shape[axis] for rows in self.systems)

    @property
    def fewest(self) -> tuple[int, CrossedFactor]:
        """The smallest number of levels of a factor in a system, and the factor."""
        counts = [min(self.n_levels(axis)) for axis in range(len(self.factors))]
        return min(counts), self.factors[int(np.argmin(counts))]

    def withheld(self, rate: str) -> str | None:
        """Return why two levels of a factor give no verdict, with the error rate; None if there are more."""
        few, factor = self.fewest
        if not self.is_random:
            return None
        where = "If only those of one system differ"
        return no_verdict_of(few, factor.plural, where, rate, warnings.add_level(factor.name))

    def rough(self, title: str | None, error_rates: Sequence[str], shared_rates: Sequence[str]) -> list[str]:
        """Return a sentence with the error rates of a test if a factor has 3 or 4 levels."""
        few, factor = self.fewest
        if not self.is_random:
            return []
        if factor.always_shared:
            return rough_of(few, factor.plural, title, "they matter much", shared_rates)
        return rough_of(few, factor.plural, title, f"only the {factor.plural} of one system vary", error_rates)

    @property
    def n_units(self) -> int:
        return int(self.systems[0].shape[-2])

    @property
    def sign(self) -> float:
        """1 if higher is better, −1 if lower is."""
        return 1.0 if self.metric.higher_is_better else -1.0

    @property
    def signature(self) -> Mapping[str, str]:
        """The part of a signature on the levels of the systems."""
        return signature_of_levels(self.factors, [self.n_levels(axis) for axis in range(len(self.factors))])

    @cached_property
    def shared(self) -> FloatArray | None:
        """The denominators, shape (n_units,), common to all cells of all systems, or None."""
        if not isinstance(self.metric, RatioMetric):
            return None
        bottoms = [rows @ np.asarray(self.metric.denominator) for rows in self.systems]
        # One cell stands for all if all are equal to it. Denominators that are all 0 are not shared: they would be
        # divided by.
        shared = next(each(bottoms[0][..., None]))[:, 0]
        return shared if shared.any() and all((bottom == shared).all() for bottom in bottoms) else None


def no_verdict_of(few: int, plural: str, where: str, rate: str, advice: str) -> str | None:
    """Return the reason why two runs, raters, clusters, ... give no verdict; None for other numbers."""
    # One level is an error elsewhere (`variance.one_level`): it has no variance. Two have one that is too uncertain.
    return warnings.two_levels(plural, where, rate, advice) if few == FEWEST_FOR_VERDICT - 1 else None


def rough_of(few: int, plural: str, title: str | None, where: str, rates: Sequence[str]) -> list[str]:
    """Return a sentence on error rates if few levels were sampled; `rates` are those of three, four, ... levels."""
    index = few - FEWEST_FOR_VERDICT
    return [warnings.few_levels(few, plural, title, where, rates[index])] if 0 <= index < len(rates) else []


def signature_of_levels(factors: Sequence[CrossedFactor], counts: Sequence[Sequence[int]]) -> Mapping[str, str]:
    """Return the part of a signature on crossed factors, given the numbers of levels of each system."""
    parts = {}
    for factor, of_systems in zip(factors, counts, strict=True):
        parts[factor.symbol] = str(of_systems[0]) if factor.always_shared else ",".join(map(str, of_systems))
        if not factor.always_shared:
            parts["paired"] = "yes" if factor.is_shared else "no"
    return parts


def crossing_of(metric: AnyMetric, systems: Sequence[Rows], units: Units, design: Design) -> Crossing | None:
    """Return the cells of systems, summed per unit; None if there are no crossed factors."""
    if not design.axes:
        return None
    from outscore.metrics.families.averages import Averaged

    assert isinstance(metric, Averaged)
    cells = tuple(units.sums(system.cells.values) for system in systems if system.cells is not None)
    return Crossing(metric.metric, design.axes, cells, units.strata, design.against is not None)
