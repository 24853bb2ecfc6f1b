"""Incomplete beta functions, their quantiles and binomial tails: against exact sums and SciPy's."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betainc, betaincc, betaincinv

from outscore.laws.beta import binomial_at_least, log_tails, quantiles
from tests.conftest import examples
from tests.laws.kit import proportion_ends, proportions_ends

# Of the same x, as a double: what its rounding changes is some 1e-16 times the slope of ln I.
PARAMETERS = st.floats(-2, 6).map(lambda power: 10.0**power)


def exact_at_least(k: int, n: int, chance: float) -> Fraction:
    p = Fraction(chance)
    return sum((math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1)), Fraction(0))


@settings(max_examples=examples(200))
@given(n=st.integers(1, 120), share=st.floats(0, 1), chance=st.integers(1, 2**20 - 1))
def test_binomial_tails_are_the_exact_sums(n: int, share: float, chance: int) -> None:
    p, k = chance / 2**20, round(share * n)
    counts = np.array([k, n - k], dtype=float)
    least, most = binomial_at_least(counts, counts[::-1], np.array([p, 1 - p])).tolist()
    assert least == pytest.approx(float(exact_at_least(k, n, p)), rel=3e-14)
    assert most == pytest.approx(float(exact_at_least(n - k, n, 1 - p)), rel=3e-14)


@pytest.mark.parametrize(("k", "n"), [(1009, 1010), (1000, 1010), (900, 1000), (2100, 4000), (5000, 10_000)])
def test_tails_of_many_keep_their_digits(k: int, n: int) -> None:
    """The sums are of whole numbers: P(X ≥ k) = Σ C(n, i)/2ⁿ."""
    whole = sum(math.comb(n, i) for i in range(k, n + 1))
    found = float(binomial_at_least(np.array(k), np.array(n - k), 0.5))
    assert found == pytest.approx(float(Fraction(whole, 2**n)), rel=2e-13)


@settings(max_examples=examples(300))
@given(a=PARAMETERS, b=PARAMETERS, off=st.floats(-30, 30))
def test_tails_are_those_of_scipy(a: float, b: float, off: float) -> None:
    odds = math.log(a / b) + off * math.sqrt(1 / a + 1 / b)
    x = 1 / (1 + math.exp(-min(max(odds, -600), 30)))
    lower, upper = (math.exp(float(tail)) for tail in log_tails(*map(np.array, (a, b, x, 1 - x))))
    # SciPy's own error is up to 1e-11 of small tails of large parameters, and -0.4% at 1e-300.
    assert lower == pytest.approx(float(betainc(a, b, x)), rel=1e-10, abs=1e-250)
    assert upper == pytest.approx(float(betaincc(a, b, x)), rel=1e-10, abs=1e-250)
    assert lower + upper == pytest.approx(1.0, abs=1e-15)


def test_tails_at_the_ends() -> None:
    lower, upper = log_tails(np.array(3.0), np.array(2.0), np.array([0.0, 1.0]), np.array([1.0, 0.0]))
    assert lower.tolist() == [-math.inf, 0.0]
    assert upper.tolist() == [0.0, -math.inf]
    assert binomial_at_least(np.array([0, 2, 0]), np.array([2, 0, 2]), np.array([0.5, 0.0, 1.0])).tolist() == [1, 0, 1]


@settings(max_examples=examples(300))
@given(a=PARAMETERS, b=PARAMETERS, power=st.floats(0.31, 250), low=st.booleans())
def test_quantiles_have_their_tails(a: float, b: float, power: float, low: bool) -> None:
    small = 10.0**-power
    levels = (small, 1 - small) if low else (1 - small, small)
    x = float(quantiles(*map(np.array, (a, b, *levels))))
    if not 1e-300 < x < 1 - 1e-9:
        return
    tails = [math.exp(float(tail)) for tail in log_tails(*map(np.array, (a, b, x, 1 - x)))]
    # x is known to its last digit, and ln I to so many more as its slope is steep.
    steep = (a + b) * max(1.0, 1 / (1 - x))
    assert tails[not low] == pytest.approx(small, rel=1e-11 + 1e-15 * steep)


@given(right=st.integers(0, 500), wrong=st.integers(0, 500), tail=st.sampled_from([0.025, 0.05, 0.0005, 1e-9]))
def test_ends_of_proportions_are_those_of_scipy(right: int, wrong: int, tail: float) -> None:
    low, high = proportion_ends(right, wrong, tail)
    assert low == (pytest.approx(float(betaincinv(right, wrong + 1, tail)), rel=1e-9) if right else 0.0)
    assert high == (pytest.approx(float(betaincinv(right + 1, wrong, 1 - tail)), rel=1e-9) if wrong else 1.0)


def test_many_at_once_are_each_alone() -> None:
    rng = np.random.default_rng(0)
    right, wrong = (rng.integers(0, 300, 200).astype(float) for _ in range(2))
    together = np.column_stack(proportions_ends(right, wrong, 0.025))
    alone = [proportion_ends(one, other, 0.025) for one, other in zip(right, wrong, strict=True)]
    assert together == pytest.approx(np.array(alone), rel=1e-14)
