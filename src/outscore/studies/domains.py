"""Thresholds of test sets of one size from several domains (BK12, Figure 11)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from outscore.errors import OptionError, Problem
from outscore.results.studies import DomainPoint, DomainStudy
from outscore.studies.boards import StudyOptions, few_units_notes, gains_near_alpha, spread_of, thresholds_of
from outscore.studies.drawn_sets import subsets_of, tests_on
from outscore.studies.pair_tests import PairTests
from outscore.studies.systems import StudySystems

__all__ = ["by_stratum", "domain_study"]


def by_stratum(systems: StudySystems, names: Sequence[str]) -> list[StudySystems]:
    """Return one test set a stratum.

    Parameters
    ----------
    systems : StudySystems
    names : sequence of str
        Of the strata, in the order of their codes.

    Raises
    ------
    OptionError
        There are no strata.
    """
    if systems.strata is None:
        raise OptionError(
            Problem(
                "study domains",
                "expected several boards, or one with strata, got one without",
                "Name a column of domains with --stratum.",
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
    """Return the thresholds of several domains at one size of the test set.

    Thresholds shrink with the size of the test set, so that only equal sizes can be compared: of every domain random
    subsets of `items` units are taken, and the threshold comes from the tests on all of them together.

    Parameters
    ----------
    domains : sequence of StudySystems
        At least two, on one metric; `source` names each. The systems need not be the same.
    options : StudyOptions
    items : int, optional
        By default the units of the smallest domain.
    subsets : int
        Of each domain; one that has no more than `items` units is taken as it is.
    notes : sequence of str

    Raises
    ------
    OptionError
        A single domain, different metrics or units, or more items than a domain has.
    """
    if len(domains) < 2:
        raise OptionError(
            Problem("study domains", f"expected at least two domains, got {len(domains)}", "Name more.", "one-domain")
        )
    metrics = sorted({domain.metric.name for domain in domains})
    if len(metrics) > 1:
        what = f"expected one metric in all domains, got {' and '.join(metrics)}"
        raise OptionError(Problem("study domains", what, "Name it with -m.", "several-metrics"))
    if len({domain.unit for domain in domains}) > 1:
        one, other = (next(domain for domain in domains if domain.unit == unit) for unit in ("item", "cluster"))
        what = f"expected sizes in one unit, got items in {one.source} and clusters in {other.source}"
        raise OptionError(Problem("study domains", what, "Name clusters of both, or of neither.", "several-units"))
    if subsets < 1:
        raise OptionError(Problem("--subsets", f"expected at least 1, got {subsets}", "", "out-of-range"))
    smallest = min(domains, key=lambda domain: domain.n_units)
    size = smallest.n_units if items is None else items
    smallest.check_size(size, "--items")
    points: list[DomainPoint] = []
    exact, done = True, 0
    total = sum(subsets if domain.n_units > size else 1 for domain in domains)
    for domain in domains:
        (sets,) = subsets_of(domain.n_units, [size], subsets, options.resampling.seed)
        by_set = []
        for tests in tests_on(domain, sets if domain.n_units > size else sets[:1], options):
            by_set.append(tests)
            done += 1
            if options.resampling.progress is not None:
                options.resampling.progress(done, total)
        joined = PairTests.joined(by_set)
        exact &= joined.exact
        for threshold in thresholds_of(domain, joined, options):
            low, middle = spread_of(gains_near_alpha(domain, joined, threshold.relation, options))
            points.append(
                DomainPoint(
                    domain=domain.source,
                    n_items=domain.n_items,
                    n_units=domain.n_units,
                    items=size,
                    n_test_sets=len(by_set),
                    score=float(domain.scores.mean()),
                    threshold=threshold,
                    low_gain=low,
                    median_gain=middle,
                )
            )
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
