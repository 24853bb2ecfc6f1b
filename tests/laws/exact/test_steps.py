"""Exact laws of many binary pairs at once, against enumeration in fractions and the law of one pair."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import outscore
from outscore.laws.exact.steps import StepSums, sign_tail
from tests.laws.kit import bootstrap_law

Law = dict[int, Fraction]


def convolved(law: Law, other: Law) -> Law:
    found: Law = {}
    for x, p in law.items():
        for y, q in other.items():
            found[x + y] = found.get(x + y, Fraction(0)) + p * q
    return found


def true_law(table: tuple[int, int, int]) -> Law:
    """The law of draws from (helped, hurt, size), one draw at a time."""
    up, down, size = table
    law = {0: Fraction(1)}
    step = {value: Fraction(count, size) for value, count in ((1, up), (-1, down), (0, size - up - down)) if count}
    for _ in range(size):
        law = convolved(law, step)
    return law


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, int, int]:
    size = draw(st.integers(1, 36))
    up = draw(st.integers(0, size))
    return up, draw(st.integers(0, size - up)), size


def sums_of(*tables: tuple[int, int, int]) -> StepSums:
    """Sums of tables of one size."""
    ups, downs = (np.array([table[k] for table in tables]) for k in (0, 1))
    return StepSums(ups, downs, tables[0][2])


@settings(max_examples=30)
@given(tables())
def test_tails_and_quantiles_are_those_of_enumeration(table: tuple[int, int, int]) -> None:
    law, sums = true_law(table), sums_of(table)
    for limit in range(-table[2] - 1, table[2] + 2):
        true = sum((p for value, p in law.items() if value >= limit), Fraction(0))
        (found,), (error,) = sums.at_least(np.array([limit]))
        assert abs(found - float(true)) <= error + 1e-15 * float(true) + 1e-300
        assert found == pytest.approx(float(true), rel=1e-11, abs=1e-13)
        (below,), _ = sums.at_most(np.array([-limit]))
        opposite = sum((p for value, p in law.items() if value <= -limit), Fraction(0))
        assert below == pytest.approx(float(opposite), rel=1e-11, abs=1e-13)
    for level in (Fraction(1, 40), Fraction(1, 2), Fraction(39, 40)):
        reached = Fraction(0)
        for value in sorted(law):
            reached += law[value]
            if reached >= level * (1 - Fraction(1, 10**13)):
                break
        assert sums.quantiles(float(level))[0, 0] == value


def test_reaches_are_those_of_one_mean_from_whole_numbers() -> None:
    ups, downs, n = np.array([5, 0, 12, 30]), np.array([3, 4, 12, 10]), 60
    for level in (0.05, 0.2):
        for ups_of, downs_of, q in zip(ups, downs, StepSums(ups, downs, n).reaches(level), strict=True):
            d = np.repeat([1.0, -1.0, 0.0], [ups_of, downs_of, n - ups_of - downs_of])
            law = bootstrap_law(d, np.ones(n))
            assert law is not None
            assert q == round(law.reach(d.mean(), level) * n)


def test_small_tails_keep_their_digits() -> None:
    # P(S ≥ 2D) for n draws that are +1 with probability a/n: a binomial tail, added up in whole numbers.
    n, helped, limits = 400, np.array([5, 40, 100]), np.array([60, 160, 300])
    sums = StepSums(helped, np.zeros(3, dtype=np.int64), n)
    found, errors = sums.at_least(limits)
    for k, (a, limit) in enumerate(zip(helped.tolist(), limits.tolist(), strict=True)):
        true = Fraction(sum(comb(n, i) * a**i * (n - a) ** (n - i) for i in range(limit, n + 1)), n**n)
        assert float(true) < 1e-30
        assert found[k] == pytest.approx(float(true), rel=1e-11)
        assert errors[k] <= 1e-9 * found[k]


def test_many_pairs_are_each_what_one_pair_is() -> None:
    rng = np.random.default_rng(4)
    n, m = 900, 40
    ups = rng.integers(1, 200, m)
    downs = np.maximum(ups - rng.integers(0, 60, m), 0)
    sums = StepSums(ups, downs, n)
    gains = ups - downs
    upper, _ = sums.at_least(2 * gains)
    lower, _ = sums.at_most(np.zeros(m, dtype=np.int64))
    low, high = sums.quantiles(0.025, 0.975)
    for k in range(m):
        d = np.repeat([1.0, -1.0, 0.0], [ups[k], downs[k], n - ups[k] - downs[k]])
        law = bootstrap_law(d, np.ones(n))
        assert law is not None
        if gains[k] > 0:
            p = law.outside(0.0, 2 * gains[k] / n).value
            assert upper[k] + lower[k] == pytest.approx(p, rel=1e-10)
        assert (low[k], high[k]) == (round(law.quantile(0.025) * n), round(law.quantile(0.975) * n))


def test_sums_that_all_units_share_are_certain() -> None:
    sums = sums_of((3, 0, 3), (0, 3, 3), (0, 0, 3))
    values, errors = sums.at_least(np.array([3, -2, 0]))
    assert values.tolist() == [1.0, 0.0, 1.0]
    assert errors.tolist() == [0.0, 0.0, 0.0]
    assert sums.quantiles(0.025).tolist() == [[3, -3, 0]]


@given(st.integers(0, 60), st.integers(-2, 62))
def test_sign_tails_are_binomial(tosses: int, heads: int) -> None:
    true = Fraction(sum(comb(tosses, k) for k in range(max(heads, 0), tosses + 1)), 2**tosses)
    (found,) = sign_tail(np.array([heads]), np.array([tosses]))
    assert found == (float(true) if tosses < 54 else pytest.approx(float(true), rel=1e-13, abs=0))


@pytest.mark.parametrize("table", [(3, 2, 9), (17, 11, 40), (60, 52, 300), (130, 118, 248)])
def test_the_law_of_one_mean_is_that_of_whole_numbers(table: tuple[int, int, int]) -> None:
    """The law of one pair, against the powers of h·z² + u·z + t as one whole number."""
    up, down, n = table
    law = bootstrap_law(np.repeat([1.0, -1.0, 0.0], [up, down, n - up - down]), np.ones(n))
    assert law is not None
    counts = power(table)
    observed, total = up - down, n**n

    def share(low: int, high: int) -> float:
        return float(Fraction(sum(count for s, count in counts.items() if s <= low or s >= high), total))

    for low, high in ((0, 2 * observed), (-observed, 3 * observed), (-n, observed + n // 3)):
        assert law.outside(low / n, high / n).value == pytest.approx(share(low, high), rel=1e-12)
        assert law.outside(low / n, high / n, strict=True).value == pytest.approx(share(low - 1, high + 1), rel=1e-12)
    for level in (0.2, 0.05, 1e-7):
        q = round(n * law.reach(observed / n, level))
        assert share(observed - q - 1, observed + q + 1) <= level * (1 + 1e-9)
        assert q == 0 or share(observed - q, observed + q) > level * (1 - 1e-9)
        place = round(n * law.quantile(level))
        assert share(place, n + 1) >= level * (1 - 1e-9)
        assert share(place - 1, n + 1) < level * (1 + 1e-9)
    edges = [(observed + k * max(n // 40, 1) - 0.5) / n for k in range(-5, 7)]
    bins = law.histogram(edges)
    assert sum(bins) == pytest.approx(1.0)
    inner = [share(math.floor(edge * n), n + 1) for edge in edges[1:-1]]
    assert bins == pytest.approx(np.diff([0.0, *inner, 1.0]).tolist(), abs=1e-13)


def power(table: tuple[int, int, int]) -> dict[int, int]:
    """The number of ways to each sum of n draws: the digits of (t + u·B + h·B²)ⁿ to a base B above all of them."""
    up, down, n = table
    bits = n * n.bit_length() + 1
    value = ((up << 2 * bits) + ((n - up - down) << bits) + down) ** n
    mask = (1 << bits) - 1
    return {k - n: (value >> k * bits) & mask for k in range(2 * n + 1)}


@pytest.mark.parametrize(("n", "helped", "hurt"), [(800, 45, 12), (1000, 80, 30), (1500, 90, 30)])
def test_small_p_values_of_right_or_wrong_pairs_are_those_of_long_sums(n: int, helped: int, hurt: int) -> None:
    """Against sums of 45 digits, over how many draws differ and how many of these are helped."""
    baseline, candidate = np.zeros(n), np.zeros(n)
    candidate[:helped], baseline[helped : helped + hurt] = 1, 1
    asked = {"metric": "accuracy", "tests": "bootstrap", "alternative": "greater"}
    test = outscore.compare(baseline, candidate, **asked).comparisons[0].test  # type: ignore[call-overload]
    with localcontext() as context:
        context.prec = 45
        differing = helped + hurt
        share, right = Decimal(differing) / n, Decimal(helped) / differing
        expected = Decimal(0)
        for k in range(2 * (helped - hurt), differing + 8 * math.isqrt(differing) + 40):
            first = (k + 2 * (helped - hurt) + 1) // 2
            tail = sum(math.comb(k, i) * right**i * (1 - right) ** (k - i) for i in range(first, k + 1))
            expected += math.comb(n, k) * share**k * (1 - share) ** (n - k) * tail
        assert abs(Decimal(test.p_value) / expected - 1) < Decimal("5e-13")
