"""Thresholds by size and by domain, on data whose law is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from outscore import StudyOptions
from outscore.errors import OptionError
from outscore.significance import Resampling
from tests.studies.boards import ACCURACY, answers, board_of, normal_board
from tests.studies.kit import (
    ALL_PAIRS,
    PartOrder,
    SizeFit,
    StudySystems,
    by_stratum,
    domain_study,
    drawn_from,
    gain_study,
    size_study,
    subsets_of,
)

OPTIONS = StudyOptions(resampling=Resampling(n_resamples=1000))


def fit_of(fits: tuple[SizeFit, ...], order: PartOrder) -> SizeFit:
    return next(fit for fit in fits if fit.order is order and fit.relation == ALL_PAIRS)


def test_thresholds_follow_the_law_of_one_over_root_n() -> None:
    """Independent normal scores of deviation 1: a pair needs 1.645 √(2/n), and so does the 95th percentile, nearly.

    30 systems, 3 sizes, 8 subsets each. The slope is within 15% of 1.645 √2 and the exponent within 0.12 of −½: some 4
    standard errors each, from repeated runs with other seeds.
    """
    systems = normal_board(np.linspace(0, 0.4, 30), 3200, seed=1)
    study = size_study(systems, [100, 400, 1600], OPTIONS, subsets=8)
    fit = fit_of(study.fits, PartOrder.RANDOM)
    assert fit.n_sizes == 3
    assert fit.slope == pytest.approx(norm.isf(0.05) * 2**0.5, rel=0.15)
    assert fit.exponent == pytest.approx(-0.5, abs=0.12)
    assert fit.r_squared is not None
    assert fit.r_squared > 0.95


def test_the_first_items_of_the_whole_set_are_the_gain_study() -> None:
    systems = board_of(answers(20, 200, seed=2, spread=1.0), ACCURACY)
    whole = size_study(systems, [100, 200], OPTIONS, subsets=0).points
    part = gain_study(systems.take(np.arange(100)), OPTIONS).thresholds
    assert [point.threshold.threshold for point in whole if point.items == 200] == [
        each.threshold for each in gain_study(systems, OPTIONS).thresholds
    ]
    assert [point.threshold for point in whole if point.items == 100] == list(part)
    assert {point.order for point in whole} == {PartOrder.INITIAL}


def test_the_fit_is_least_squares() -> None:
    systems = normal_board(np.linspace(0, 0.4, 20), 400, seed=3)
    study = size_study(systems, [100, 200, 400], replace(OPTIONS, min_pairs=2), subsets=4)
    known = [
        (point.items, point.threshold.threshold)
        for point in study.along(PartOrder.RANDOM)
        if point.threshold.relation == ALL_PAIRS
    ]
    assert len(known) == 3
    items, thresholds = (np.array(column, dtype=float) for column in zip(*known, strict=True))
    (slope,), residual, *_ = np.linalg.lstsq(items[:, None] ** -0.5, thresholds, rcond=None)
    fit = fit_of(study.fits, PartOrder.RANDOM)
    assert fit.slope == pytest.approx(float(slope))
    spread = float(((thresholds - thresholds.mean()) ** 2).sum())
    assert fit.r_squared == pytest.approx(1 - float(residual[0]) / spread)


def test_the_whole_set_stands_once_and_counts_in_both_laws() -> None:
    systems = normal_board(np.linspace(0, 0.4, 20), 200, seed=3)
    study = size_study(systems, [200, 100, 100, 200], replace(OPTIONS, min_pairs=1), subsets=3)
    every = [point for point in study.points if point.threshold.relation == ALL_PAIRS]
    found = [(point.items, point.order, point.n_test_sets) for point in every]
    assert found == [(100, PartOrder.INITIAL, 1), (100, PartOrder.RANDOM, 3), (200, PartOrder.INITIAL, 1)]
    assert [point.items for point in study.along(PartOrder.RANDOM) if point in every] == [100, 200]
    assert {fit_of(study.fits, order).n_sizes for order in PartOrder} == {2}


def test_subsets_of_all_sizes_are_beginnings_of_one_order() -> None:
    small, large = subsets_of(50, [10, 30], 4, seed=5)
    for few, many in zip(small, large, strict=True):
        assert set(few.index) < set(many.index)
        assert len(set(few.index)) == 10
        assert few.seed == many.seed
    assert len({tuple(each.index) for each in small}) == 4


@pytest.mark.parametrize("sizes", [[], [1], [50, 101]])
def test_sizes_beyond_the_test_set_are_refused(sizes: list[int]) -> None:
    systems = board_of(answers(3, 100, seed=6), ACCURACY)
    with pytest.raises(OptionError, match=r"^sizes"):
        size_study(systems, sizes, OPTIONS)


def test_domains_of_one_kind_have_one_threshold_and_noisier_ones_larger_ones() -> None:
    """Deviations of 1 and 2: the threshold doubles. 20 systems, 6 subsets of 150 items; tolerance about 4 errors."""
    gains = np.linspace(0, 0.8, 20)
    quiet = normal_board(gains, 300, seed=7).named("quiet")
    noisy = normal_board(2 * gains, 600, seed=8, deviation=2.0).named("noisy")
    study = domain_study([quiet, noisy], OPTIONS, items=150, subsets=6)
    found = {p.domain: p.threshold.threshold for p in study.points if p.threshold.relation == ALL_PAIRS}
    assert found["quiet"] is not None
    assert found["noisy"] is not None
    assert found["noisy"] / found["quiet"] == pytest.approx(2, rel=0.2)
    assert study.items == 150


def test_domains_take_the_size_of_the_smallest() -> None:
    domains = [normal_board(np.linspace(0, 1, 6), n, seed=n).named(f"{n}") for n in (40, 90)]
    study = domain_study(domains, OPTIONS, subsets=3)
    assert study.items == 40
    assert {point.domain: point.n_test_sets for point in study.points} == {"40": 1, "90": 3}


def strata_board() -> StudySystems:
    return replace(board_of(answers(6, 90, seed=9), ACCURACY), strata=np.repeat([0, 1, 2], [20, 30, 40]))


def test_strata_are_domains() -> None:
    domains = by_stratum(strata_board(), ["news", "web", "mail"])
    assert [(each.source, each.n_units) for each in domains] == [("news", 20), ("web", 30), ("mail", 40)]
    assert domain_study(domains, OPTIONS, subsets=2).items == 20


def test_draws_keep_the_shares_of_strata() -> None:
    systems = strata_board()
    for test_set in drawn_from(systems, 45, 3, seed=1):
        assert systems.strata is not None
        assert np.bincount(systems.strata[test_set.index]).tolist() == [10, 15, 20]
    for test_set in drawn_from(systems, 10, 3, seed=1):
        assert len(test_set.index) == 10


@pytest.mark.parametrize(("count", "items"), [(1, None), (2, 41)])
def test_single_domains_and_large_sizes_are_refused(count: int, items: int | None) -> None:
    domains = [normal_board(np.linspace(0, 1, 3), 40, seed=seed) for seed in range(count)]
    with pytest.raises(OptionError):
        domain_study(domains, OPTIONS, items=items)


def test_one_board_without_strata_is_no_set_of_domains() -> None:
    with pytest.raises(OptionError, match="strata"):
        by_stratum(board_of(answers(3, 40, seed=1), ACCURACY), [])
