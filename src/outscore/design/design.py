"""A design: the items of a test set and their factors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from outscore._types import AnyArray, IntArray
from outscore.data.rows import Labels, Rows, RunDesign
from outscore.design.base import Factor, Units
from outscore.design.clusters import Clusters
from outscore.design.constant import Constant
from outscore.design.crossed import CrossedFactor, over_levels
from outscore.design.registry import place_of
from outscore.design.runs import Runs
from outscore.design.strata import Strata
from outscore.design.test_sets import TestSets
from outscore.errors import OptionError, Problem, WithFormerNames
from outscore.options import opt

_Kind = TypeVar("_Kind", bound=Factor)


@dataclass(frozen=True, eq=False)
class Design(WithFormerNames):
    """The items of a test set, and their factors.

    Attributes
    ----------
    ids : tuple of str, optional
        One per item; None if items are identified only by position.
    factors : tuple of Factor
        Clusters, strata, runs, ...: each at most once, in the order of `FACTORS`.
    unit : str
        Name of an item: "item", or "task".
    given : ndarray of int, shape (n_units,), optional
        The places of the units before they were sorted.
    clusters : ndarray of int, shape (n_items,), or None
        Codes from 0 of items that are drawn and swapped together; None with crossed clusterings.
    crossed_clusters : tuple of two ndarrays of int, shape (n_items,), or None
        Codes of two crossed clusterings, such as documents and annotators.
    strata : ndarray of int, shape (n_items,), or None
        Codes from 0 of parts whose size is fixed.
    stratum_names : tuple of str
        The labels of the strata, in the order of their codes.
    is_weighted : bool
        Whether strata have weights other than those of their items.
    test_sets : ndarray of int, shape (n_items,), or None
        Codes from 0 of test sets with scores of their own.
    test_set_names : tuple of str
        In the order of their codes.
    against : float or None
        The score of the first system, the baseline, on every item, if it is a constant.
    crossed : tuple of CrossedFactor
        The factors that items are crossed with: runs, templates, raters.
    new_levels : tuple of CrossedFactor
        Those with a claim about new levels as well.
    axes : tuple of CrossedFactor
        Those that cells have axes for: the random ones, or else the first fixed one. A fixed factor beside a random
        one is averaged over.
    sampled : frozenset of str
        What was sampled, named as in `SignificanceTest.samples`: "item" or "cluster", and crossed factors.
    parts : mapping
        The design's part of a signature, except its units.
    """

    n_items: int
    ids: tuple[str, ...] | None = None
    factors: tuple[Factor, ...] = ()
    unit: str = "item"
    given: IntArray | None = None
    clusters: AnyArray | None = field(default=None, init=False, repr=False)
    crossed_clusters: tuple[AnyArray, AnyArray] | None = field(default=None, init=False, repr=False)
    strata: AnyArray | None = field(default=None, init=False, repr=False)
    stratum_names: tuple[str, ...] = field(default=(), init=False, repr=False)
    is_weighted: bool = field(default=False, init=False, repr=False)
    test_sets: AnyArray | None = field(default=None, init=False, repr=False)
    test_set_names: tuple[str, ...] = field(default=(), init=False, repr=False)
    against: float | None = field(default=None, init=False, repr=False)
    crossed: tuple[CrossedFactor, ...] = field(init=False, repr=False)
    new_levels: tuple[CrossedFactor, ...] = field(init=False, repr=False)
    axes: tuple[CrossedFactor, ...] = field(init=False, repr=False)
    sampled: frozenset[str] = field(init=False, repr=False)
    parts: Mapping[str, str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        facts: dict[str, object] = {}
        for factor in self.factors:
            match factor:
                case Clusters(codes=codes, crossing=None):
                    facts["clusters"] = codes
                case Clusters(codes=codes, crossing=crossing):
                    facts["crossed_clusters"] = codes, crossing
                case Strata(codes=codes, names=names, weights=weights):
                    facts |= {"strata": codes, "stratum_names": names, "is_weighted": weights is not None}
                case TestSets(codes=codes, names=names):
                    facts |= {"test_sets": codes, "test_set_names": names}
                case Constant(value=value):
                    facts["against"] = value
        crossed = tuple(factor for factor in self.factors if isinstance(factor, CrossedFactor))
        new = tuple(factor for factor in crossed if factor.is_random)
        axes = new or tuple(factor for factor in crossed if factor.is_fixed)[:1]
        sampled = frozenset[str]().union(*(factor.sampled for factor in self.factors))
        if not any(unit.startswith("cluster") for unit in sampled):
            sampled |= {"item"}
        parts = {key: value for factor in self.factors for key, value in factor.signature.items()}
        vars(self).update(facts, crossed=crossed, new_levels=new, axes=axes, sampled=sampled, parts=parts)

    def get(self, kind: type[_Kind]) -> _Kind | None:
        """Return the factor of a kind, or None."""
        return next((factor for factor in self.factors if isinstance(factor, kind)), None)

    def having(self, *factors: Factor | None) -> Design:
        """Return the design with factors replacing those of their kinds."""
        by_kind = {type(factor): factor for factor in (*self.factors, *factors) if factor is not None}
        return replace(self, factors=tuple(sorted(by_kind.values(), key=place_of)))

    def without(self, *kinds: type[Factor]) -> Design:
        """Return the design without the factors of some kinds."""
        return replace(self, factors=tuple(factor for factor in self.factors if not isinstance(factor, kinds)))

    @cached_property
    def units(self) -> Units:
        """The units that are resampled and swapped: items or clusters.

        Raise OptionError if there are two crossed clusterings, which cannot both be drawn.
        """
        if self.crossed_clusters is not None:
            what = "two crossed clusterings apply only to outscore compare"
            raise OptionError(Problem(opt("clusters"), what, "Pass one clustering.", "two-way"))
        return Units(self.n_items, self.clusters, self.strata, self.unit, self.given)

    def take(self, index: IntArray) -> Design:
        """Return the design of some of the items, in that order."""
        ids = None if self.ids is None else tuple(self.ids[index_of_item] for index_of_item in index.tolist())
        factors = (factor.take(index) for factor in self.factors)
        return Design(len(index), ids, tuple(factor for factor in factors if factor is not None))

    def reordered(self, order: IntArray, clusters: IntArray | None, given: IntArray) -> Design:
        """Return the design with its items in another order and other codes of their clusters.

        Parameters
        ----------
        order : ndarray of int, shape (n_items,)
            The previous place of each item.
        clusters : ndarray of int, shape (n_items,), optional
            Codes of the items in their new order.
        given : ndarray of int, shape (n_units,)
            The previous place, or the code, of each unit.
        """
        design = replace(self, ids=None, factors=tuple(factor.reordered(order) for factor in self.factors), given=given)
        return design if clusters is None else design.having(Clusters(clusters))

    @property
    def n_weightless(self) -> int:
        """The number of items in strata of weight 0."""
        strata = self.get(Strata)
        if strata is None or strata.weights is None:
            return 0
        return int(np.isin(strata.codes, [code for code, weight in enumerate(strata.weights) if weight == 0]).sum())

    @property
    def runs(self) -> RunDesign | None:
        """The claim about runs, or that they are samples; None if there are none."""
        return None if (runs := self.get(Runs)) is None else runs.claim

    def undrawn(self, samples: frozenset[str]) -> Sequence[str]:
        """Return the reasons why a test that allows for `samples` does not apply, one per factor it leaves out."""
        return [factor.not_drawn for factor in self.factors if not factor.sampled <= samples]

    def over(self, systems: Sequence[Rows]) -> str | None:
        """Return the averages that scores are, and how samples were reduced, in words."""
        others = [factor.over(systems) for factor in self.factors if factor not in self.crossed]
        return ", ".join(filter(None, (*over_levels(self.crossed, systems), *others))) or None

    @classmethod
    def of_items(
        cls, items: Rows, clusters: Labels | None, strata: Labels | None, others: Labels | None = None
    ) -> tuple[Design, tuple[str, ...]]:
        """Return the design of some items, those of any system, and notes on changes to their strata.

        `others` is a second clustering, crossed with the first. Raise OptionError if items in two crossed clusterings
        have strata. Raise DataError if labels do not match the items, or a stratum of one unit is not to be merged.
        """
        clustered = None if clusters is None else Clusters.of(items, clusters, others)
        design = cls(len(items), items.item_ids).having(clustered)
        if strata is None:
            return design, ()
        if clustered is not None and clustered.crossing is not None:
            what = "strata are not supported with two crossed clusterings"
            raise OptionError(Problem(opt("strata"), what, "Leave it out, or pass one clustering.", "two-way"))
        of_strata, notes = Strata.of(items, strata, design.clusters)
        return design.having(of_strata), notes
