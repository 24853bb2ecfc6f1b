"""Strata: tests and intervals keep their level where each stratum is drawn one unit short, and would not otherwise."""

from __future__ import annotations

import pytest

from outscore.results import IntervalMethod
from outscore.significance import Bootstrap, PairedT
from tests.calibration.checks import Check, assert_all, rate_of
from tests.calibration.measuring import GREATER, TWO_SIDED, all_drawn_rejected, measure
from tests.calibration.nulls import FEW_STRATA, STRATIFIED, Population, normal_strata

pytestmark = pytest.mark.slow

COUNT = 100  # benchmarks/calibration.py draws many more


@pytest.mark.parametrize("population", STRATIFIED, ids=str)
def test_strata_are_rejected_at_the_level_of_the_test(population: Population) -> None:
    found = measure(
        population,
        sum(population.sizes),
        COUNT,
        tests=(Bootstrap(), PairedT()),
        intervals=(IntervalMethod.PERCENTILE, IntervalMethod.BCA),
    )
    assert_all(rate_of(found, test, ask, 0.05, 0.03, 0.065) for test in found.tests for ask in (GREATER, TWO_SIDED))
    covered = {method: found.covered(method) for method in found.intervals}
    assert_all(Check(f"{population}: {method}", hits, COUNT, 0.93, 0.97) for method, hits in covered.items())


@pytest.mark.parametrize("population", FEW_STRATA, ids=str)
def test_few_draws_are_left_to_t(population: Population) -> None:
    found = measure(population, sum(population.sizes), 2 * COUNT, tests=(PairedT(),))
    assert_all(
        rate_of(found, "paired-t", ask, alpha, 0.0, 1.2 * alpha)
        for ask in (GREATER, TWO_SIDED)
        for alpha in (0.05, 0.01)
    )


@pytest.mark.parametrize(("sizes", "low"), [([2] * 100, 0.15), ([3] * 40, 0.09), ([4] * 25, 0.07)])
def test_as_many_draws_as_units_reject_far_too_often(sizes: list[int], low: float) -> None:
    population = normal_strata(*sizes)
    hits, trials = all_drawn_rejected(population, 2 * COUNT)
    assert_all([Check(f"{population}: n_h draws", hits, trials, low, 0.25)])
