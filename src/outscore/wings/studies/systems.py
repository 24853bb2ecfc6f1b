"""The systems of a study on a test set, the relations of pairs, and test sets drawn from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.data.strata import members_of, merged_strata, shared_out
from outscore.design.scores import Scores
from outscore.errors import DataError, OptionError, Problem
from outscore.gains.canonical import in_canonical_order
from outscore.metrics import Metric, RatioMetric
from outscore.options import opt
from outscore.text.naming import quoted
from outscore.wings.studies.results import ALL_PAIRS, DIFFERENT_FAMILY, SAME_FAMILY

_UNKNOWN = ("family unknown", "unknown")  # how reports name pairs of no relation
MOST_SUBSETS = 10**6  # far more than a threshold or a proportion needs, and some hours of one core
_KEY = 6  # of the random streams for test sets


@dataclass(frozen=True, eq=False)
class StudySystems:
    """Systems on the units that are resampled: items, or clusters of them.

    Attributes
    ----------
    rows : tuple of ndarray, shape (n_units, k)
        Rows of the units, one array per system.
    kinds : tuple of str or None
        Marks of some systems, such as combined ones. A pair with a marked system has that relation, whatever the
        families; with two different marks, the relation is "a/b".
    strata : ndarray of int, shape (n_units,), optional
        Codes of the units' strata.
    sizes : ndarray of int, shape (n_units,), optional
        Number of items in each unit; None if units are items.
    unit : str
        "item" or "cluster".
    source : str
        The user's name of this test set.
    """

    metric: Metric
    names: tuple[str, ...]
    rows: tuple[FloatArray, ...]
    families: tuple[str | None, ...]
    kinds: tuple[str | None, ...]
    strata: AnyArray | None
    sizes: IntArray | None = None
    unit: str = "item"
    source: str = "board"

    @classmethod
    def of_scores(
        cls, scores: Scores, kinds: Sequence[str | None] | None = None, *, source: str = "board"
    ) -> StudySystems:
        """Return the systems of scores on one metric.

        Parameters
        ----------
        scores : Scores
            Scores of at least two systems with different names.
        kinds : sequence of str or None, optional
            One mark per system.

        Raises
        ------
        DataError
            There are fewer than two systems or clusters, a cluster is in several strata, or a stratum has one unit.
        OptionError
            A kind is ambiguous, or the metric has no sufficient statistics that can be summed.
        """
        for kind in dict.fromkeys(kind for kind in kinds or () if kind):
            _check_kind(kind)
        if len(scores) < 2:
            raise DataError(
                Problem(source, f"expected at least two systems, got {len(scores)}", "Pass more.", "one-system")
            )
        scores.refuse_test_sets("studies are for one task, got several")
        scores.refuse_new_levels("studies test pairs over items only")
        metric = scores.metric_with_rows("so its pairs cannot be studied")
        systems, design = in_canonical_order(scores.rows[0], scores.design)
        units = design.units
        return cls(
            metric=metric,
            names=scores.names,
            rows=tuple(units.sums(system.values) for system in systems),
            families=scores.families,
            kinds=(None,) * len(scores) if kinds is None else tuple(kinds),
            strata=units.strata,
            sizes=None if units.clusters is None else np.bincount(units.clusters),
            unit=units.name,
            source=source,
        )

    def __len__(self) -> int:
        return len(self.names)

    @property
    def n_units(self) -> int:
        return len(self.rows[0])

    @property
    def n_items(self) -> int:
        return self.n_units if self.sizes is None else int(self.sizes.sum())

    @cached_property
    def largest_gain(self) -> float | None:
        """The largest difference between scores on test sets of these units; None if unknown.

        A ratio of sums lies between the smallest and the largest ratio of a single unit.
        """
        metric = self.metric
        if isinstance(metric, RatioMetric):
            bottom = np.asarray(metric.denominator)
            if all((rows @ bottom >= 0).all() for rows in self.rows):
                scores = [metric.score(rows) for rows in self.rows]
                return float(max(values.max() for values in scores) - min(values.min() for values in scores))
        return 1.0 if metric.as_percentage and metric.higher_is_better else None

    @property
    def scores(self) -> FloatArray:
        """The systems' scores, shape (s,)."""
        return np.array([float(self.metric.score(rows.sum(axis=0))) for rows in self.rows])

    def named(self, source: str) -> StudySystems:
        """Return the same under another name of the test set."""
        return replace(self, source=source)

    def take(self, index: IntArray) -> StudySystems:
        """Return the systems on some units, in that order; a unit may come several times.

        Strata with a single unit left are merged, as their variance cannot be estimated.
        """
        codes = merged_strata(None if self.strata is None else self.strata[index], merge=True)
        sizes = None if self.sizes is None else self.sizes[index]
        return replace(self, rows=tuple(rows[index] for rows in self.rows), strata=codes, sizes=sizes)

    def relation(self, system: int, other_system: int) -> str | None:
        """Return the relation of two systems, or None if a family is unknown."""
        marks = {mark for mark in (self.kinds[system], self.kinds[other_system]) if mark}
        if marks:
            return "/".join(sorted(marks))
        first, second = self.families[system], self.families[other_system]
        if first is None or second is None:
            return None
        return SAME_FAMILY if first == second else DIFFERENT_FAMILY

    @property
    def relations(self) -> tuple[str, ...]:
        """All pairs, same and different family, and any further relations."""
        s = len(self)
        relations = {self.relation(i, j) for i in range(s) for j in range(i + 1, s)}
        further = sorted(name for name in relations if name not in {None, SAME_FAMILY, DIFFERENT_FAMILY})
        return (ALL_PAIRS, SAME_FAMILY, DIFFERENT_FAMILY, *map(str, further))

    def check_size(self, size: int, option: str) -> None:
        """Refuse a size that no subset of these units can have.

        Raises
        ------
        OptionError
        """
        if not 2 <= size <= self.n_units:
            what = f"expected 2 to {self.n_units}, the {self.unit}s of {self.source}, got {size}"
            advice = "A single unit has no variance." if size < 2 else "Leave out sizes beyond the test set."
            raise OptionError(Problem(option, what, advice, "out-of-range"))


def _check_kind(kind: str) -> None:
    """Refuse a mark whose relation would be ambiguous."""
    taken = (ALL_PAIRS, SAME_FAMILY, DIFFERENT_FAMILY, *_UNKNOWN)
    if kind.strip().casefold() in taken:
        what = f"a mark cannot be called {quoted(kind)}: {', '.join(taken)} have a fixed meaning"
        raise OptionError(Problem(opt("relations"), what, "Rename the mark.", "reserved-name"))
    if "/" in kind:
        what = f'a mark cannot contain "/", which joins the two marks of a pair, got {quoted(kind)}'
        raise OptionError(Problem(opt("relations"), what, "Rename the mark.", "reserved-name"))


@dataclass(frozen=True, eq=False)
class TestSet:
    """Units of a test set, and the seed of its resamples."""

    index: IntArray
    seed: int


def subsets_of(n: int, sizes: Sequence[int], count: int, seed: int) -> Iterator[list[TestSet]]:
    """Yield, for each size, `count` random subsets of n units without replacement.

    The t-th subsets of all sizes are prefixes of one permutation, so sizes are compared on nested items.
    """
    streams = [_stream(seed, t) for t in range(count)]
    orders = [(stream.permutation(n), int(stream.integers(2**32))) for stream in streams]
    for size in sizes:
        yield [TestSet(np.sort(order[:size]), own_seed) for order, own_seed in orders]


def drawn_from(systems: StudySystems, size: int, count: int, seed: int) -> Iterator[TestSet]:
    """Yield test sets of `size` units drawn with replacement, with the proportions of strata kept.

    Without replacement, a test set of 1,600 of 2,000 items would be nearly the population, and its tests too often
    correct.
    """
    for t in range(count):
        stream = _stream(seed, t)
        if systems.strata is None:
            index = stream.integers(systems.n_units, size=size)
        else:
            members = members_of(systems.strata)
            counts = shared_out(np.array([len(part) for part in members]), size)
            index = np.concatenate([stream.choice(part, size=k) for part, k in zip(members, counts, strict=True)])
        yield TestSet(index, int(stream.integers(2**32)))


def _stream(seed: int, t: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_KEY, t)))
