"""Large whole numbers beside small ones: p-values against sums of Python's integers, which nothing rounds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import outscore
from outscore.results import TestResult
from tests.conftest import examples
from tests.laws.kit import AtomicLaw, SampledLaw, clopper_pearson, find_step

SCORES = [2, 2, 0, 0, 1, 2, 0, 2, 2, 0], [1, 1, 1, 2, 1, 0, 0, 0, 0, 2]


def sums_of_signs(d: Sequence[int]) -> Counter[int]:
    sums = Counter({0: 1})
    for value in d:
        sums = _shifted(sums, value) + _shifted(sums, -value)
    return sums


def _shifted(sums: Counter[int], value: int) -> Counter[int]:
    return Counter({total + value: times for total, times in sums.items()})


def sums_of_draws(d: Sequence[int]) -> Counter[int]:
    """The sums of n draws, by squaring."""
    power, result, left = Counter(d), Counter({0: 1}), len(d)
    while left:
        result = _product(result, power) if left & 1 else result
        left >>= 1
        power = _product(power, power) if left else power
    return result


def _product(one: Counter[int], other: Counter[int]) -> Counter[int]:
    sums: Counter[int] = Counter()
    for a, times in one.items():
        for b, more in other.items():
            sums[a + b] += times * more
    return sums


def p_of(d: Sequence[int], test: str, alternative: str) -> float:
    sums = sums_of_signs(d) if test == "randomization" else sums_of_draws(d)
    observed = sum(d)
    centre = 0 if test == "randomization" else observed
    met = 0
    for total, times in sums.items():
        gain = total - centre
        reached = {"greater": gain >= observed, "less": gain <= observed, "two-sided": abs(gain) >= abs(observed)}
        met += times * reached[alternative]
    return float(Fraction(met, sum(sums.values())))


def found_for(one: Sequence[int], other: Sequence[int], test: str, alternative: str, **options: Any) -> TestResult:
    result = outscore.compare(np.array(one), np.array(other), tests=test, alternative=alternative, **options)
    found: TestResult = result.comparisons[0].test
    return found


def holds(found: TestResult, p: float) -> bool:
    """Whether the bound of an exact p-value holds, or that of a sampled one at 99.9999%."""
    low, high = found.p_value_low, found.p_value_high
    if found.n_resamples is not None:
        assert found.n_exceeding is not None
        low = min(low, clopper_pearson(found.n_exceeding, found.n_resamples, 0.999999)[0])
        high = clopper_pearson(found.n_exceeding, found.n_resamples, 0.999999)[1]
    return low * (1 - 1e-12) <= p <= high * (1 + 1e-12)


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
@pytest.mark.parametrize("test", ["bootstrap", "randomization"])
@pytest.mark.parametrize("size", [10**3, 10**6, 10**9, 10**12, 10**13])
def test_an_outlier_up_to_1e13_hides_nothing(size: int, test: str, alternative: str) -> None:
    one, other = SCORES[0], [size, *SCORES[1][1:]]
    p = p_of([b - a for a, b in zip(one, other, strict=True)], test, alternative)
    assert found_for(one, other, test, alternative).p_value == pytest.approx(p, rel=1e-9)


large = st.integers(3, 62).flatmap(lambda bits: st.integers(2 ** (bits - 1), 2**bits))
scores = st.one_of(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3), large)


@pytest.mark.slow
@pytest.mark.smoke
@settings(max_examples=examples(60))
@given(
    st.lists(st.tuples(scores, scores), min_size=3, max_size=12),
    st.sampled_from(["bootstrap", "randomization"]),
    st.sampled_from(["greater", "less", "two-sided"]),
    st.sampled_from(["auto", "monte-carlo"]),
)
@example([(0, 2**63 - 1), (1, 0), (2, 1), (0, 1), (1, 1)], "bootstrap", "greater", "auto")
@example([(2**60 + 1, 2**60 + 3), (1, 0), (2, 1), (0, 1), (1, 1), (2, 0)], "bootstrap", "two-sided", "auto")
@example([(2**60 + 1, 2**60 + 3), (1, 0), (1, 0), (0, 1), (1, 1), (1, 0)], "bootstrap", "two-sided", "auto")
@example([(0, 10**15), (0, 10**14), (2, 1), (0, 1), (1, 0), (1, 0)], "randomization", "greater", "monte-carlo")
def test_every_bound_holds_for_integers_up_to_2_to_the_63(
    pairs: list[tuple[int, int]], test: str, alternative: str, method: str
) -> None:
    d = [b - a for a, b in pairs]
    one, other = zip(*pairs, strict=True)
    found = found_for(one, other, test, alternative, method=method, n_resamples=2000)
    assert holds(found, p_of(d, test, alternative))


@settings(max_examples=examples(8))
@given(st.integers(4, 62), st.integers(0, 1000), st.sampled_from(["bootstrap", "randomization"]))
def test_bounds_hold_for_more_items_than_are_counted(bits: int, seed: int, test: str) -> None:
    rng = np.random.default_rng(seed)
    one, other = rng.integers(0, 3, (2, 45)).tolist()
    other[int(rng.integers(45))] = 2**bits + int(rng.integers(2 ** (bits - 1)))
    d = [b - a for a, b in zip(one, other, strict=True)]
    for alternative in ("greater", "less", "two-sided"):
        assert holds(found_for(one, other, test, alternative, n_resamples=2000), p_of(d, test, alternative))


@pytest.mark.parametrize("n", [60, 200])
@pytest.mark.parametrize("size", [10**7, 10**10, 10**13, 10**16])
def test_bounds_hold_where_many_small_differences_differ(n: int, size: int) -> None:
    """The outlier is drawn K times, and the others in a distribution that is a product of polynomials."""
    small = np.random.default_rng(n).integers(-50, 51, n - 1)
    observed = int(small.sum()) + size
    least = int(small.min())
    base = np.bincount(small - least) / (n - 1)
    p = 0.0
    for times in range(20):
        left, power, law = n - times, base, np.ones(1)
        while left:
            law = np.convolve(law, power) if left & 1 else law
            left >>= 1
            power = np.convolve(power, power) if left else power
        share = math.comb(n, times) * (1 / n) ** times * (1 - 1 / n) ** (n - times)
        first = 2 * observed - times * size - (n - times) * least
        p += share * float(law[max(first, 0) :].sum()) if first < len(law) else 0.0
    found = found_for([0] * n, [*small.tolist(), size], "bootstrap", "greater", n_resamples=20_000)
    if found.n_resamples is None:
        assert found.p_value_low * (1 - 1e-9) <= p <= found.p_value_high * (1 + 1e-9)
    else:
        assert holds(found, p)


def test_decimals_beside_an_outlier_are_as_exact_as_whole_numbers() -> None:
    one, other = SCORES[0], [10**11, *SCORES[1][1:]]
    p = p_of([b - a for a, b in zip(one, other, strict=True)], "bootstrap", "greater")
    tenths = [[score / 10 for score in of] for of in (one, other)]
    assert outscore.compare(*tenths, tests="bootstrap", alternative="greater").comparisons[0].tests[
        0
    ].p_value == pytest.approx(p, rel=1e-9)


def test_integers_beyond_2_to_the_63_that_hide_others_are_refused() -> None:
    one, other = SCORES[0], [2**64, *SCORES[1][1:]]
    with pytest.raises(outscore.OutscoreError, match=r"item 1: a score of 1.845e\+19 exceeds 2\^63"):
        outscore.compare([float(score) for score in one], [float(score) for score in other])
    all_large = [[2.0**64 * score for score in of] for of in SCORES]
    assert outscore.compare(*all_large).comparisons[0].test.p_value == pytest.approx(
        outscore.compare(*SCORES).comparisons[0].test.p_value, rel=1e-6
    )


def test_a_blurred_distribution_counts_what_is_near_the_limit_in_its_error() -> None:
    values = np.array([0.0, 1.0, 1.5, 3.0])
    law = AtomicLaw(values, np.full(4, 0.25), tolerance=0.0, how="", least=0.25, relative_error=0.0, blur=0.6)
    assert (law.outside(-math.inf, 1.0).value, law.outside(-math.inf, 1.0).error) == (0.75, 0.5)
    sampled = SampledLaw(values, tolerance=0.0, blur=0.6).outside(-math.inf, 1.0)
    assert (sampled.n_surely, sampled.n_exceeding, sampled.n_possibly) == (1, 3, 3)


def test_a_known_grain_leaves_small_multiples_apart_from_noise() -> None:
    offsets = np.array([0.0, 1e12, 2e12, 1.0])
    assert find_step(offsets) == pytest.approx(1e12)
    assert find_step(offsets, grain=1.0) is None
    assert find_step(offsets[:3], grain=1.0) == pytest.approx(1e12)
