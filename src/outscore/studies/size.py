"""Thresholds by the size of the test set, and the 1/√n law (BK12, Figures 9 and 10)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from outscore.errors import OptionError, Problem
from outscore.results.studies import PartOrder, SizeFit, SizePoint, SizeStudy
from outscore.studies.boards import StudyOptions, few_units_notes, gains_near_alpha, spread_of, thresholds_of
from outscore.studies.drawn_sets import TestSet, subsets_of, tests_on
from outscore.studies.pair_tests import PairTests
from outscore.studies.systems import StudySystems

__all__ = ["size_study"]


def size_study(
    systems: StudySystems,
    sizes: Sequence[int],
    options: StudyOptions,
    *,
    subsets: int = 10,
    notes: Sequence[str] = (),
) -> SizeStudy:
    """Return thresholds of the first n items and of random subsets of n items, for several n.

    The tests on all random subsets of a size are put together, and the threshold comes from them all: for one of them
    alone few pairs would have a p-value near 0.05.

    Parameters
    ----------
    systems : StudySystems
    sizes : sequence of int
        Units of each test set; each from 2 to all of them.
    options : StudyOptions
    subsets : int
        Random subsets of each size; 0 for none. The whole set is no random subset: it is taken once, as the first n
        units, and counts in the fits of both orders.
    notes : sequence of str

    Raises
    ------
    OptionError
        No sizes, or one beyond the test set.

    Notes
    -----
    Cost: (1 + subsets) times that of `pair_tests` for each size, with r = `options.resampling.n_resamples`.
    """
    chosen = sorted(set(sizes))
    if not chosen:
        raise OptionError(Problem("--sizes", "expected sizes such as 100,200,400, got none", "", "no-sizes"))
    for size in chosen:
        systems.check_size(size, "--sizes")
    if subsets < 0:
        raise OptionError(Problem("--subsets", f"expected at least 0, got {subsets}", "", "out-of-range"))
    seed, n = options.resampling.seed, systems.n_units
    random = list(subsets_of(n, chosen, subsets, seed))
    plans: list[tuple[int, PartOrder, list[TestSet]]] = []
    for size, drawn in zip(chosen, random, strict=True):
        plans.append((size, PartOrder.INITIAL, [TestSet(np.arange(size), seed)]))
        if drawn and size < n:
            plans.append((size, PartOrder.RANDOM, drawn))
    total, done = sum(len(sets) for *_, sets in plans), 0
    points: list[SizePoint] = []
    exact = True
    for size, order, sets in plans:
        by_set = []
        for tests in tests_on(systems, sets, options):
            by_set.append(tests)
            done += 1
            if options.resampling.progress is not None:
                options.resampling.progress(done, total)
        joined = PairTests.joined(by_set)
        exact &= joined.exact
        for threshold in thresholds_of(systems, joined, options):
            low, middle = spread_of(gains_near_alpha(systems, joined, threshold.relation, options))
            points.append(SizePoint(size, order, len(sets), threshold, low, middle))
    return SizeStudy(
        setting=options.setting(systems, exact=exact),
        n_items=systems.n_items,
        n_units=n,
        n_systems=len(systems),
        points=tuple(points),
        fits=tuple(
            _fit(relation, order, points, n)
            for order in (PartOrder.INITIAL, *([PartOrder.RANDOM] if subsets else []))
            for relation in systems.relations
        ),
        signature=options.signature(systems, "size", exact=exact, sizes=",".join(map(str, chosen)), subsets=subsets),
        warnings=(*notes, *few_units_notes(chosen, systems.unit, options)),
    )


def _fit(relation: str, order: PartOrder, points: Sequence[SizePoint], n_units: int) -> SizeFit:
    """Return the least-squares slope of threshold = slope / √items, its R² about the mean, and the exponent."""
    measured = [
        (point.items, point.threshold.threshold)
        for point in points
        if (point.order is order or point.items == n_units)
        and point.threshold.relation == relation
        and point.threshold.threshold
    ]
    if len(measured) < 2:
        return SizeFit(relation, order, None, None, None, len(measured))
    items, thresholds = (np.array(column, dtype=np.float64) for column in zip(*measured, strict=True))
    roots = items**-0.5
    slope = float(roots @ thresholds / (roots @ roots))
    residual = float(((thresholds - slope * roots) ** 2).sum())
    spread = float(((thresholds - thresholds.mean()) ** 2).sum())
    exponent = float(np.polyfit(np.log(items), np.log(thresholds), 1)[0])
    return SizeFit(relation, order, slope, 1 - residual / spread if spread > 0 else None, exponent, len(measured))
