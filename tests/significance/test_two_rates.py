"""The exact unconditional test of two rates: against independent values, its level, and its interval."""

from __future__ import annotations

import itertools
import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from outscore.results import Alternative
from tests.laws.kit import MOST_RATE_ITEMS
from tests.significance.kit import Right, corrected_score, rates_interval, rates_p_value, smallest_p

CASES = json.loads((Path(__file__).parent / "unpaired_cases.json").read_text(encoding="utf-8"))
TWO, GREATER, LESS = Alternative.TWO_SIDED, Alternative.GREATER, Alternative.LESS


def counts(case: Any) -> tuple[Right, Right]:
    i, n_a, j, n_b = case["input"]
    return Right(i, n_a), Right(j, n_b)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["kind"] in ("binary two-sided", "binary greater")], ids=str
)
def test_p_values_are_the_reference_s(case: Any) -> None:
    alternative = TWO if case["kind"] == "binary two-sided" else GREATER
    p = rates_p_value(*counts(case), case.get("d", 0.0), alternative)
    assert p == pytest.approx(case["value"], rel=1e-8)
    if case["independent"] is not None:  # a maximum over a grid of 4,000 rates, with another optimizer of the rates
        assert p == pytest.approx(case["independent"], rel=2e-5)


@pytest.mark.parametrize("case", [case for case in CASES if case["kind"] == "binary interval"], ids=str)
def test_intervals_are_the_reference_s(case: Any) -> None:
    ends = rates_interval(*counts(case), 0.05, TWO)
    assert ends == pytest.approx(case["value"], abs=1e-5)


@cache
def p_of_all_tables(n_a: int, n_b: int, gain: float) -> dict[Alternative, Any]:
    """Return the p-values of all tables, shape (n_a + 1, n_b + 1)."""
    found = {}
    for alternative in (GREATER, LESS):
        rows = [
            [rates_p_value(Right(i, n_a), Right(j, n_b), gain, alternative) for j in range(n_b + 1)]
            for i in range(n_a + 1)
        ]
        found[alternative] = np.array(rows)
    found[TWO] = np.minimum(2 * np.minimum(found[GREATER], found[LESS]), 1)
    return found


@pytest.mark.parametrize(("n_a", "n_b", "gain"), [(10, 10, 0.0), (5, 14, 0.0), (7, 9, -0.1)])
@pytest.mark.parametrize("alternative", list(Alternative))
def test_the_level_holds_at_every_rate(n_a: int, n_b: int, gain: float, alternative: Alternative) -> None:
    """The sum over all tables that are rejected, at 400 rates."""
    p = p_of_all_tables(n_a, n_b, gain)[alternative]
    rates = np.linspace(max(0.0, -gain), min(1.0, 1 - gain), 400)
    of_a = binom.pmf(np.arange(n_a + 1)[:, None], n_a, rates)
    of_b = binom.pmf(np.arange(n_b + 1)[:, None], n_b, rates + gain)
    for alpha in (0.05, 0.01, 0.001):
        level = np.einsum("ir,jr,ij->r", of_a, of_b, (p <= alpha).astype(float)).max()
        assert level <= alpha * 1.001  # the rate of the maximum is known to about a thousandth of p
    assert np.einsum("ir,jr,ij->r", of_a, of_b, (p <= 0.05).astype(float)).max() > 0.025  # not idle either


@pytest.mark.parametrize(("n_a", "n_b"), [(10, 10), (5, 14)])
def test_swapped_systems_have_mirrored_p_values(n_a: int, n_b: int) -> None:
    mine, swapped = p_of_all_tables(n_a, n_b, 0.0), p_of_all_tables(n_b, n_a, 0.0)
    np.testing.assert_array_equal(mine[GREATER], swapped[LESS].T)
    np.testing.assert_array_equal(mine[TWO], swapped[TWO].T)
    # So have wrong items in place of right ones, up to the grid of rates.
    np.testing.assert_allclose(mine[GREATER], mine[LESS][::-1, ::-1], rtol=2e-3)


def test_no_wins_of_50_against_10_of_500() -> None:
    """Welch's t-test gives .0015 here, Fisher's exact test .61."""
    a, b = Right(0, 50), Right(10, 500)
    assert rates_p_value(a, b, 0.0, TWO) == pytest.approx(0.4527, abs=5e-5)
    assert rates_interval(a, b, 0.05, TWO) == pytest.approx((-0.042, 0.0365), abs=5e-5)
    assert rates_interval(b, a, 0.05, TWO) == pytest.approx((-0.0365, 0.042), abs=5e-5)


@pytest.mark.parametrize("sizes", [(2, 2), (6, 9), (20, 45), (80, 30)])
def test_p_values_and_intervals_agree_on_zero(sizes: tuple[int, int]) -> None:
    n_a, n_b = sizes
    stream = np.random.default_rng(1)
    tables = list(itertools.product(range(n_a + 1), range(n_b + 1)))
    for place in stream.choice(len(tables), min(len(tables), 9), replace=False):
        a, b = Right(tables[place][0], n_a), Right(tables[place][1], n_b)
        for alternative in Alternative:
            low, high = rates_interval(a, b, 0.05, alternative)
            assert (low <= 0 <= high) == (rates_p_value(a, b, 0.0, alternative) > 0.05)
            assert low <= b.rate - a.rate <= high


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 60), st.integers(1, 60), st.data())
def test_intervals_hold_the_gains_that_are_not_rejected(n_a: int, n_b: int, data: st.DataObject) -> None:
    a, b = (Right(data.draw(st.integers(0, n)), n) for n in (n_a, n_b))
    low, high = rates_interval(a, b, 0.1, TWO)
    assert -1 <= low <= b.rate - a.rate <= high <= 1
    for end, outwards in ((low, -1), (high, 1)):
        if abs(end) < 1:
            assert rates_p_value(a, b, end, TWO) > 0.1 or rates_p_value(a, b, end - outwards * 1e-3, TWO) > 0.1
        beyond = end + outwards * 1e-4
        if abs(beyond) < 1 and abs(end) < 1 and end != 0:
            # p is not monotone, but it crosses the level at the end.
            assert rates_p_value(a, b, beyond, TWO) <= 0.1


def test_all_and_none_of_few_items() -> None:
    for n in (1, 2, 3):
        none, all_of = Right(0, n), Right(n, n)
        assert rates_interval(none, none, 0.05, TWO)[0] == pytest.approx(-rates_interval(none, none, 0.05, TWO)[1])
        assert rates_interval(none, all_of, 0.05, TWO)[1] == 1.0
        assert rates_interval(all_of, none, 0.05, TWO)[0] == -1.0
        assert rates_p_value(none, none, 0.0, TWO) == 1.0
    # Two of two against none of two: at the rate 1/2, 1/16 of all tables for each side.
    assert rates_p_value(Right(0, 2), Right(2, 2), 0.0, TWO) == pytest.approx(1 / 8, rel=1e-6)
    assert corrected_score(Right(0, 2), Right(2, 2), 0.0) == -corrected_score(Right(2, 2), Right(0, 2), 0.0)


def test_the_smallest_p_value_is_a_bound() -> None:
    assert rates_p_value(Right(0, 400), Right(400, 400), 0.0, TWO) == pytest.approx(2e-9, rel=1e-6)
    assert (smallest_p(TWO), smallest_p(GREATER)) == (2e-9, 1e-9)


@pytest.mark.slow
def test_very_many_items_are_as_by_the_normal_distribution() -> None:
    a, b = Right(120_000, MOST_RATE_ITEMS), Right(120_500, MOST_RATE_ITEMS)
    se = math.sqrt(2 * 0.6 * 0.4 / MOST_RATE_ITEMS)
    z = (b.rate - a.rate) / math.sqrt(0.60125 * 0.39875 * 2 / MOST_RATE_ITEMS)
    assert rates_p_value(a, b, 0.0, TWO) == pytest.approx(math.erfc(z / math.sqrt(2)), rel=5e-3)
    low, high = rates_interval(a, b, 0.05, TWO)
    assert (low, high) == pytest.approx((0.0025 - 1.96 * se, 0.0025 + 1.96 * se), abs=1e-5)
