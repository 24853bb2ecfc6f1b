"""The gain above which systems differ significantly: on a test set, by its size, and by domain (BK12, section 3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.text.numbers import format_count
from outscore.wings.studies.boards import StudyOptions, few_units_notes, gains_near_alpha, spread_of, thresholds_of
from outscore.wings.studies.pair_tests import PairTests
from outscore.wings.studies.results import (
    DomainPoint,
    DomainStudy,
    GainStudy,
    PartOrder,
    SizeFit,
    SizePoint,
    SizeStudy,
    StudyPair,
    Threshold,
)
from outscore.wings.studies.systems import MOST_SUBSETS, StudySystems, TestSet, subsets_of


def gain_study(systems: StudySystems, options: StudyOptions, *, notes: Sequence[str] = ()) -> GainStudy:
    """Return the p-values of all pairs by gain, and thresholds by relation; the notes come before the warnings.

    Cost: that of `pair_tests`, and a bootstrap over systems. 150 systems and 2,000 items with 10⁵ resamples take
    well under a minute (docs/benchmarks.md).
    """
    tests = options.tests(systems)
    pairs = tuple(
        StudyPair(
            baseline=systems.names[worse],
            candidate=systems.names[better],
            gain=float(gain),
            p_value=float(p),
            relation=systems.relation(int(better), int(worse)),
        )
        for better, worse, gain, p in zip(tests.better, tests.worse, tests.gains, tests.p_values, strict=True)
    )
    return GainStudy(
        setting=options.setting(systems, exact=tests.exact),
        n_items=systems.n_items,
        n_units=systems.n_units,
        n_systems=len(systems),
        pairs=pairs,
        thresholds=thresholds_of(systems, tests, options),
        signature=options.signature(systems, "gain", exact=tests.exact),
        warnings=(*notes, *few_units_notes([systems.n_units], systems.unit, options)),
    )


def size_study(
    systems: StudySystems,
    sizes: Sequence[int],
    options: StudyOptions,
    *,
    subsets: int = 10,
    notes: Sequence[str] = (),
) -> SizeStudy:
    """Return thresholds of the first n items and of random subsets of n items, as `outscore.study_size`.

    The whole set is not a random subset: it is used once, as the first n units, and counts in the fits of both
    orders. The tests on all random subsets of a size are pooled for the threshold, as in a single subset few pairs
    have a p-value near 0.05.

    Cost: (1 + subsets) times that of `pair_tests` for each size, with r = `options.resampling.n_resamples`.
    """
    chosen = sorted(set(sizes))
    if not chosen:
        raise OptionError(Problem(opt("sizes"), "expected sizes such as 100,200,400, got none", "", "no-sizes"))
    for size in chosen:
        systems.check_size(size, opt("sizes"))
    if not 0 <= subsets <= MOST_SUBSETS:
        what = f"expected 0 to {format_count(MOST_SUBSETS)}, got {subsets}"
        raise OptionError(Problem(opt("subsets"), what, "", "out-of-range"))
    seed, n = options.resampling.seed, systems.n_units
    random = list(subsets_of(n, chosen, subsets, seed))
    plans: list[tuple[int, PartOrder, list[TestSet]]] = []
    for size, subset in zip(chosen, random, strict=True):
        plans.append((size, PartOrder.INITIAL, [TestSet(np.arange(size), seed)]))
        if subset and size < n:
            plans.append((size, PartOrder.RANDOM, subset))
    points: list[SizePoint] = []
    exact = True
    lots = [(systems, sets) for *_, sets in plans]
    for (size, order, sets), (all_exact, thresholds) in zip(plans, _thresholds_of_lots(lots, options), strict=True):
        exact &= all_exact
        points += [SizePoint(size, order, len(sets), *entry) for entry in thresholds]
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


def by_stratum(systems: StudySystems, names: Sequence[str]) -> list[StudySystems]:
    """Return one test set per stratum, by the names of the strata in the order of their codes."""
    if systems.strata is None:
        raise OptionError(
            Problem(
                "study domains",
                "expected several leaderboards, or one with strata, got one without",
                f"Pass a column of domains with {opt('strata')}.",
                "one-domain",
            )
        )
    return [systems.take(np.flatnonzero(systems.strata == code)).named(name) for code, name in enumerate(names)]


def domain_study(
    domains: Sequence[StudySystems],
    options: StudyOptions,
    *,
    items: int | None = None,
    subsets: int = 10,
    notes: Sequence[str] = (),
) -> DomainStudy:
    """Return the thresholds of several domains at one size of the test set, as `outscore.study_domains`.

    Thresholds decrease with the size of the test set, so only equal sizes are comparable. Random subsets of `items`
    units are drawn from every domain, and their tests are pooled for the threshold. A domain with at most `items`
    units is used as it is. The systems of the domains may differ.
    """
    if len(domains) < 2:
        raise OptionError(
            Problem("study domains", f"expected at least two domains, got {len(domains)}", "Pass more.", "one-domain")
        )
    metrics = sorted({domain.metric.name for domain in domains})
    if len(metrics) > 1:
        what = f"expected one metric in all domains, got {' and '.join(metrics)}"
        raise OptionError(Problem("study domains", what, "Pass it with -m.", "several-metrics"))
    if len({domain.unit for domain in domains}) > 1:
        item_domain, cluster_domain = (
            next(domain for domain in domains if domain.unit == unit) for unit in ("item", "cluster")
        )
        what = f"expected sizes in one unit, got items in {item_domain.source} and clusters in {cluster_domain.source}"
        raise OptionError(Problem("study domains", what, "Pass clusters for both, or for neither.", "several-units"))
    if not 1 <= subsets <= MOST_SUBSETS:
        what = f"expected 1 to {format_count(MOST_SUBSETS)}, got {subsets}"
        raise OptionError(Problem(opt("subsets"), what, "", "out-of-range"))
    smallest = min(domains, key=lambda domain: domain.n_units)
    size = smallest.n_units if items is None else items
    smallest.check_size(size, opt("items"))
    lots = []
    for domain in domains:
        (sets,) = subsets_of(domain.n_units, [size], subsets, options.resampling.seed)
        lots.append((domain, sets if domain.n_units > size else sets[:1]))
    points: list[DomainPoint] = []
    exact = True
    for (domain, sets), (all_exact, thresholds) in zip(lots, _thresholds_of_lots(lots, options), strict=True):
        exact &= all_exact
        points += [
            DomainPoint(
                domain=domain.source,
                n_items=domain.n_items,
                n_units=domain.n_units,
                items=size,
                n_test_sets=len(sets),
                score=float(domain.scores.mean()),
                threshold=threshold,
                low_gain=low,
                median_gain=middle,
            )
            for threshold, low, middle in thresholds
        ]
    first = domains[0]
    return DomainStudy(
        setting=options.setting(first, exact=exact),
        items=size,
        n_items=sum(domain.n_items for domain in domains),
        n_units=sum(domain.n_units for domain in domains),
        n_systems=len({name for domain in domains for name in domain.names}),
        points=tuple(points),
        signature=options.signature(
            first,
            "domains",
            exact=exact,
            systems=",".join(str(len(domain)) for domain in domains),
            n=",".join(str(domain.n_units) for domain in domains),
            items=size,
            subsets=subsets,
        ),
        warnings=(*notes, *few_units_notes([size], first.unit, options)),
    )


def _thresholds_of_lots(
    lots: Sequence[tuple[StudySystems, Sequence[TestSet]]], options: StudyOptions
) -> Iterator[tuple[bool, list[tuple[Threshold, float | None, float | None]]]]:
    """Yield, for each group of test sets, the results of their pooled tests.

    These are whether all are exact and, by relation, the threshold with the 5th percentile and the median of the
    gains with p near the level.
    """
    total, done = sum(len(sets) for _, sets in lots), 0
    for systems, sets in lots:
        by_set = []
        for tests in options.tests_on(systems, sets):
            by_set.append(tests)
            done += 1
            if options.resampling.progress is not None:
                options.resampling.progress(done, total)
        joined = PairTests.joined(by_set)
        thresholds = thresholds_of(systems, joined, options)
        near = [gains_near_alpha(systems, joined, threshold.relation, options) for threshold in thresholds]
        spreads = map(spread_of, near)
        yield joined.exact, [(threshold, *spread) for threshold, spread in zip(thresholds, spreads, strict=True)]
