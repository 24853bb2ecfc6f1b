"""Values nearly on a grid: what a law says of them holds within the bound that it gives, or sampling takes over."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.kit import bootstrap_law
from tests.laws.exact.near_grids import NearGrid, misses, random_case

_CASES = 2000
_TOGETHER = 50


def _check(seeds: range) -> int:
    answered = 0
    for seed in seeds:
        found = misses(random_case(np.random.default_rng(seed)))
        assert not found, (seed, found)
        answered += found is not None
    return answered


def test_a_selection_of_the_search_has_no_miss() -> None:
    assert _check(range(8)) > 1


@pytest.mark.exhaustive
@pytest.mark.parametrize("start", range(0, _CASES, _TOGETHER))
def test_the_search_has_no_miss(start: int) -> None:
    """Grids of any step, noise of 1e-12 to 1e-3 of it, 15 to 3000 values, draws and signs; intervals, too."""
    assert _check(range(start, start + _TOGETHER)) > 0


@settings(deadline=None, max_examples=5, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32 - 1))
def test_no_other_case_is_missed(seed: int) -> None:
    _check(range(seed, seed + 1))


@pytest.mark.parametrize("noise", [1e-3, 1e-6, 1e-9, 1e-11])
@pytest.mark.parametrize("signs", [False, True])
def test_few_helped_and_hurt_with_noise(noise: float, signs: bool) -> None:
    """23 items helped and 13 hurt: the transform returns at every multiple of 2π, thousands of times.

    The continuous inversion gave 0.048979 ± 6e-13 where 0.0570 is right.
    """
    rng = np.random.default_rng(3)
    n = 300 if signs else 3000
    a = np.r_[np.ones(23), -np.ones(13), np.zeros(n - 36)].astype(np.int64)
    case = NearGrid(a, rng.integers(-8, 9, n), 1.0, noise / 8, signs)
    assert not misses(case)


@pytest.mark.parametrize("noise", [1e-2, 1e-4, 1e-6, 1e-9])
def test_few_helped_and_hurt_with_noise_that_is_nowhere_equal(noise: float) -> None:
    """3,000 different values, nearly all of them next to 0: few of them tell nothing of the grid's returns."""
    rng = np.random.default_rng(0)
    d = np.r_[np.ones(23), -np.ones(13), np.zeros(3000 - 36)] + rng.normal(0, noise, 3000)
    law = bootstrap_law(d, np.ones(3000), probe=(2 * float(d.mean()), 0.0))
    if law is None:
        return
    # 20,000 resamples: within 4.9 standard errors, one false alarm in a million.
    sums = np.concatenate([d[rng.integers(0, 3000, (1000, 3000))].sum(axis=1) for _ in range(20)])
    for x in (2 * float(d.sum()), 0.0):
        found = law.outside(-math.inf, x / 3000)
        slack = found.error + 4.9 * math.sqrt(found.value * (1 - found.value) / 20_000)
        assert abs(float(np.mean(sums >= x)) - found.value) <= slack


def test_float32_grades_in_tenths() -> None:
    """0.9 − 0.7 is not 0.3 − 0.1 in single precision: differences lie 1e-8 beside tenths."""
    rng = np.random.default_rng(5)
    grades = np.arange(11).astype(np.float32) / np.float32(10)
    one, other = (grades[rng.integers(0, 11, 1000)].astype(np.float64) for _ in range(2))
    d = other - one
    a = np.rint(d * 10).astype(np.int64)
    unit = 2.0**-27
    b = np.rint((d - a / 10) / unit)
    law = bootstrap_law(d, np.ones(len(d)), probe=(2 * float(d.mean()), 0.0))
    if law is None:
        return
    # 200,000 resamples: within 4.9 standard errors, one false alarm in a million.
    values, counts = np.unique(d, return_counts=True)
    draws = np.random.default_rng(1).multinomial(len(d), counts / len(d), 200_000) @ values
    assert np.abs(b).max() < 60
    for x in (2 * float(d.sum()), 0.0):
        found = law.outside(-math.inf, x / len(d))
        slack = found.error + 4.9 * math.sqrt(found.value * (1 - found.value) / 200_000)
        assert abs(float(np.mean(draws >= x)) - found.value) <= slack


@pytest.mark.parametrize("n", [200, 10_000])
def test_smooth_values_stay_exact_and_as_precise(n: int) -> None:
    d = np.random.default_rng(n).normal(0.02, 1, n)
    law = bootstrap_law(d, np.ones(n), probe=(2 * float(d.mean()), 0.0))
    assert law is not None
    assert law.outside(-math.inf, 2 * float(d.mean())).error < 1e-11


@pytest.mark.parametrize("size", [1e4, -1e4])
def test_one_huge_outlier_makes_a_grid_of_its_own(size: float) -> None:
    """How often it is drawn decides nearly all: exact where sampling had to do."""
    d = np.r_[size, np.random.default_rng(77).normal(size=999)]
    law = bootstrap_law(d, np.ones(1000), probe=(2 * float(d.mean()), 0.0))
    assert law is not None
    rng = np.random.default_rng(1)
    sums = np.concatenate([d[rng.integers(0, 1000, (1000, 1000))].sum(axis=1) for _ in range(30)])
    for level in (0.01, 0.3, 0.9):
        x = float(np.quantile(sums, level))
        found = law.outside(-math.inf, x / 1000)
        slack = found.error + 5 * math.sqrt(found.value * (1 - found.value) / 30_000)
        assert abs(float(np.mean(sums >= x)) - found.value) <= slack
