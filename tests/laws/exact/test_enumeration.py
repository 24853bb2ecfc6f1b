"""Laws by enumeration, and what all laws of finitely many values have in common."""

from __future__ import annotations

from fractions import Fraction
from math import comb, isclose, prod

import numpy as np
import pytest

from outscore._types import FloatArray
from tests import oracles
from tests.laws.exact.claims import INFINITY, check, check_law
from tests.laws.kit import (
    MOST_SWITCHED_UNITS,
    AtomicLaw,
    SampledLaw,
    enumerated_bootstrap_law,
    enumerated_swap_law,
    swap_law,
)

BASELINE = [(1, 2, 3), (0, 1, 2), (2, 2, 2), (1, 1, 1), (0, 0, 1)]
CANDIDATE = [(2, 3, 3), (1, 2, 2), (1, 2, 2), (1, 1, 1), (0, 1, 1)]


def _f1_gains(totals: FloatArray) -> FloatArray:
    scores = [2 * part[:, 0] / np.maximum(part[:, 1] + part[:, 2], 1) for part in (totals[:, :3], totals[:, 3:])]
    return scores[1] - scores[0]


def test_the_bootstrap_of_any_metric_by_all_its_draws() -> None:
    law = enumerated_bootstrap_law(np.column_stack([BASELINE, CANDIDATE]).astype(float), _f1_gains, tolerance=1e-12)
    assert law is not None
    before, after = ([oracles.fractions(row) for row in system] for system in (BASELINE, CANDIDATE))
    true = oracles.bootstrap_law(before, after, oracles.f1)
    gain = oracles.f1(oracles.totals(after)) - oracles.f1(oracles.totals(before))
    check_law(law, true, [gain, 2 * gain, Fraction(0), max(true), min(true)], absolute=0)
    for level in (0.01, 0.025, 0.5, 0.975):
        assert law.quantile(level) == pytest.approx(float(oracles.quantile(true, Fraction(level))), abs=1e-12)


@pytest.mark.parametrize("strata", [[0, 0, 1, 1, 1], [2, 0, 2, 0, 2], [0, 0, 0, 0, 0]])
def test_strata_are_drawn_from_one_by_one(strata: list[int]) -> None:
    rows = np.column_stack([BASELINE, CANDIDATE]).astype(float)
    law = enumerated_bootstrap_law(rows, _f1_gains, np.array(strata), tolerance=1e-12)
    assert law is not None
    before, after = ([oracles.fractions(row) for row in system] for system in (BASELINE, CANDIDATE))
    true = oracles.bootstrap_law(before, after, oracles.f1, strata)
    check_law(law, true, [Fraction(0), max(true), min(true), *sorted(true)[:9]], absolute=0)
    assert law.least == pytest.approx(prod(float(size) ** (1 - size) for size in np.bincount(strata) if size))


def test_the_swaps_of_any_metric_by_all_of_them() -> None:
    low, high = np.array(BASELINE, dtype=float), np.array(CANDIDATE, dtype=float)
    law = enumerated_swap_law(
        high - low,
        lambda taken: _f1_gains(np.column_stack([low.sum(axis=0) + taken, high.sum(axis=0) - taken])),
        tolerance=1e-12,
    )
    assert law is not None
    before, after = ([oracles.fractions(row) for row in system] for system in (BASELINE, CANDIDATE))
    true = oracles.swap_law(before, after, oracles.f1)
    gain = oracles.f1(oracles.totals(after)) - oracles.f1(oracles.totals(before))
    check_law(law, true, [gain, -gain, Fraction(0)], absolute=0)


@pytest.mark.parametrize(("n", "hits"), [(2000, 3), (20_000, 40), (50_000, 7)])
def test_many_units_of_two_kinds(n: int, hits: int) -> None:
    """A binomial law. Counts beyond 32,767 overflowed once; the last bits of log n! are part of the error."""
    rows = np.zeros((n, 1))
    rows[:hits] = 1
    law = enumerated_bootstrap_law(rows, lambda totals: totals[:, 0], tolerance=1e-9)
    assert law is not None
    below = (
        sum(Fraction(comb(n, k) * hits**k * (n - hits) ** (n - k), n**n) for k in range(hits)) if n < 10_000 else None
    )
    claimed = law.outside(-INFINITY, hits)
    if below is not None:
        check(claimed, 1 - below, relative=1e-10)
    else:
        from scipy.stats import binom

        assert isclose(claimed.value, float(binom.sf(hits - 1, n, hits / n)), rel_tol=1e-9)


def test_too_many_ways_are_not_enumerated() -> None:
    rng = np.random.default_rng(0)
    assert enumerated_bootstrap_law(rng.normal(size=(13, 1)), lambda t: t[:, 0], tolerance=0.0) is None
    many = rng.normal(size=(200_000, 1))  # the number of ways alone would have 400,000 binary digits
    assert enumerated_bootstrap_law(many, lambda t: t[:, 0], tolerance=0.0) is None
    several = rng.normal(size=(MOST_SWITCHED_UNITS + 1, 1))
    assert enumerated_swap_law(several, lambda t: t[:, 0], tolerance=0.0) is None
    several[0] = 0  # what does not differ needs no swap
    assert enumerated_swap_law(several, lambda t: t[:, 0], tolerance=0.0) is not None


@pytest.mark.parametrize("units", [1, 2, 7, 12, 15])
def test_all_signs_of_few_units_are_enumerated(units: int) -> None:
    d = np.random.default_rng(units).normal(0.3, 1, units)
    law = swap_law(d, np.ones(units))
    assert law is not None
    exact = [Fraction(value) for value in d.tolist()]
    true = {value / units: chance for value, chance in oracles.sign_sums(exact).items()}
    total = sum(exact, Fraction(0)) / units
    check_law(law, true, [total, -total, Fraction(0), max(true)], absolute=0)
    assert law.least == 0.5**units
    assert law.quantile(0.3) == pytest.approx(float(oracles.quantile(true, Fraction(3, 10))), abs=1e-9)


def test_up_to_twenty_units_off_any_grid_are_enumerated() -> None:
    d = np.abs(np.random.default_rng(1).normal(1, 0.2, MOST_SWITCHED_UNITS + 1))
    law = swap_law(d[1:], np.ones(len(d) - 1))
    assert law is not None
    assert law.how == "exact: enumeration"
    assert law.outside(-INFINITY, d[1:].mean()).value == 0.5**MOST_SWITCHED_UNITS
    assert law.outside(-d[1:].mean(), d[1:].mean()).value == 2 * 0.5**MOST_SWITCHED_UNITS
    assert swap_law(d, np.ones(len(d))) is None


def test_an_atomic_law_and_its_samples_answer_alike() -> None:
    values = np.array([0.0, 1.0, 1.0 + 1e-15, 2.0, 5.0])
    chances = np.array([0.2, 0.1, 0.2, 0.4, 0.1])
    atomic = AtomicLaw(values, chances, tolerance=1e-12, how="exact: test", least=0.1)
    sampled = SampledLaw(np.repeat(values, [2, 1, 2, 4, 1]), tolerance=1e-12)
    for low, high in ((-INFINITY, 1.0), (1.0, INFINITY), (1.0, 2.0), (0.5, 5.0), (2.0, 2.0), (-1.0, 6.0)):
        for strict in (False, True):
            expected = atomic.outside(low, high, strict=strict).value
            assert sampled.outside(low, high, strict=strict).value == pytest.approx(expected)
    for level in (0.1, 0.2, 0.21, 0.5, 0.9, 0.91):
        assert atomic.quantile(level) == pytest.approx(sampled.quantile(level))
    assert atomic.below(1.0) == pytest.approx(sampled.below(1.0)) == pytest.approx(0.35)
    assert atomic.histogram([0, 0.5, 1.5, 6]) == pytest.approx(sampled.histogram([0, 0.5, 1.5, 6]))


def test_a_million_atoms_keep_their_digits() -> None:
    rng = np.random.default_rng(3)
    weights = rng.integers(1, 1000, 10**6)
    law = AtomicLaw(np.arange(10.0**6), weights / weights.sum(), tolerance=0.1, how="exact: test", least=1e-12)
    for start in (0, 500_000, 999_990):
        expected = Fraction(int(weights[start:].sum()), int(weights.sum()))
        check(law.outside(-INFINITY, start), expected, relative=1e-13)
