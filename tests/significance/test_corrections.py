"""Corrections for many comparisons, against their definitions and SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from outscore._types import FloatArray
from tests.significance.kit import benjamini_hochberg, holm, step_down_p_values

P_VALUES = st.lists(st.sampled_from([0.0, 1e-9, 0.004, 0.01, 0.02, 0.03, 0.2, 0.5, 1.0]), min_size=1, max_size=12)


def plain_max_t(statistics: FloatArray, replicates: FloatArray) -> list[float]:
    """Romano and Wolf's Algorithm 4.1 as it is written: hypothesis by hypothesis, the most significant first."""
    r = len(replicates)
    order = sorted(range(len(statistics)), key=lambda j: -statistics[j])
    adjusted = [0.0] * len(statistics)
    before = 0.0
    for place, j in enumerate(order):
        rest = order[place:]
        count = sum(max(replicate[k] for k in rest) >= statistics[j] for replicate in replicates.tolist())
        before = max(before, (count + 1) / (r + 1))
        adjusted[j] = before
    return adjusted


@given(P_VALUES)
def test_holm_is_closed_bonferroni(p_values: list[float]) -> None:
    # Each hypothesis is rejected where every intersection that holds it is, by Bonferroni: the largest m·min p.
    m = len(p_values)
    for index, adjusted in enumerate(holm(p_values)):
        worst = 0.0
        for subset in range(1, 2**m):
            members = [k for k in range(m) if subset >> k & 1]
            if index in members:
                worst = max(worst, min(1.0, len(members) * min(p_values[k] for k in members)))
        assert adjusted == pytest.approx(worst, rel=1e-12)


@given(P_VALUES)
def test_benjamini_hochberg_is_scipys(p_values: list[float]) -> None:
    assert benjamini_hochberg(p_values) == pytest.approx(scipy.stats.false_discovery_control(p_values), rel=1e-12)


@given(P_VALUES)
def test_corrections_lie_between_the_plain_p_value_and_bonferroni(p_values: list[float]) -> None:
    for plain, bh, by_holm in zip(p_values, benjamini_hochberg(p_values), holm(p_values), strict=True):
        assert plain <= bh * (1 + 1e-12)
        assert bh <= by_holm * (1 + 1e-12)
        assert by_holm <= min(1.0, len(p_values) * plain) * (1 + 1e-12)


def step_down_max_t(statistics: FloatArray, replicates: FloatArray) -> FloatArray:
    """The adjusted p-values of statistics in any order, of replicates of shape (r, m)."""
    order = np.argsort(statistics, kind="stable")
    largest = np.maximum.accumulate(replicates[:, order], axis=1)
    counts = np.count_nonzero(largest >= statistics[order], axis=0)
    adjusted = np.empty(len(statistics))
    adjusted[order] = step_down_p_values(counts, len(replicates))
    return adjusted


@given(st.integers(1, 7), st.integers(1, 30), st.integers(0, 10**6))
def test_max_t_is_the_plain_loop(m: int, r: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    statistics = np.round(np.abs(rng.normal(size=m)) * 2, 1)
    replicates: FloatArray = np.round(np.abs(rng.normal(size=(r, m))), 1).astype(np.float64)  # with ties
    assert step_down_max_t(statistics, replicates).tolist() == pytest.approx(plain_max_t(statistics, replicates))


def test_max_t_never_rejects_what_has_no_spread() -> None:
    replicates = np.array([[0.0, 1.0], [0.0, 3.0], [0.0, 0.5]])
    assert step_down_max_t(np.array([0.0, 2.0]), replicates).tolist() == [1.0, 0.5]
    assert step_down_max_t(np.array([np.inf, 2.0]), replicates).tolist() == [0.25, 0.5]


def test_max_t_of_equal_statistics_pays_for_one_and_holm_for_all() -> None:
    rng = np.random.default_rng(1)
    one = np.abs(rng.normal(size=999))
    same = np.repeat(one[:, None], 10, axis=1)
    plain = (np.count_nonzero(one >= 2.2) + 1) / 1000
    assert step_down_max_t(np.full(10, 2.2), same) == pytest.approx(np.full(10, plain))
    assert holm([plain] * 10)[0] == pytest.approx(10 * plain)
