"""Tails of the trinomial bootstrap law, against binomial sums and against the exact laws of `outscore.exact`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from outscore.exact import bootstrap_law
from outscore.planning.trinomial import at_least, at_most


def by_binomials(n: int, helped: int, hurt: int, least: int) -> float:
    """P(S ≥ x), given how many of the draws differ."""
    if helped + hurt == 0:
        return float(least <= 0)
    m = np.arange(n + 1)
    needed = np.ceil((m + least) / 2)
    return float(binom.pmf(m, n, (helped + hurt) / n) @ binom.sf(needed - 1, m, helped / (helped + hurt)))


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int, int]:
    n = draw(st.integers(2, 300))
    differing = draw(st.integers(1, n))
    helped = draw(st.integers((differing + 1) // 2, differing))
    return n, helped, differing - helped


@settings(max_examples=200)
@given(counts(), st.floats(0, 1))
def test_upper_tails_beyond_the_mean(data: tuple[int, int, int], share: float) -> None:
    n, helped, hurt = data
    least = helped - hurt + round(share * (n - helped + hurt))
    found = at_least(n, np.array([helped]), np.array([hurt]), np.array([least]))[0]
    assert found == pytest.approx(by_binomials(n, helped, hurt, least), rel=1e-9, abs=1e-300)


@settings(max_examples=100)
@given(counts())
def test_lower_tails_at_zero(data: tuple[int, int, int]) -> None:
    n, helped, hurt = data
    found = at_most(n, np.array([helped]), np.array([hurt]), np.array([0]))[0]
    assert found == pytest.approx(by_binomials(n, hurt, helped, 0), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(("n", "helped", "hurt"), [(500, 10, 7), (2000, 140, 100), (10_000, 450, 400), (50, 30, 20)])
def test_it_is_the_law_that_a_comparison_uses(n: int, helped: int, hurt: int) -> None:
    d = np.repeat([1.0, -1.0, 0.0], [helped, hurt, n - helped - hurt])
    law = bootstrap_law(d, np.ones(n))
    assert law is not None
    gain = (helped - hurt) / n
    upper = at_least(n, np.array([helped]), np.array([hurt]), np.array([2 * (helped - hurt)]))[0]
    assert upper == pytest.approx(law.outside(-np.inf, 2 * gain).value, rel=1e-10)
    lower = at_most(n, np.array([helped]), np.array([hurt]), np.array([0]))[0]
    assert lower == pytest.approx(law.outside(0.0, np.inf).value, rel=1e-10)


def test_many_data_sets_at_once_are_each_as_alone() -> None:
    rng = np.random.default_rng(3)
    differing = rng.integers(0, 400, size=700)
    helped = rng.integers((differing + 1) // 2, differing + 1)
    hurt = differing - helped
    together = at_most(400, helped, hurt, np.zeros_like(helped))
    alone = [at_most(400, helped[i : i + 1], hurt[i : i + 1], np.array([0]))[0] for i in range(0, 700, 50)]
    np.testing.assert_allclose(together[::50], alone, rtol=1e-11)
    assert ((together >= 0) & (together <= 1)).all()


def test_far_ends() -> None:
    helped, hurt = np.array([3, 3, 0, 5]), np.array([0, 1, 2, 0])
    assert at_least(5, helped, hurt, np.array([5, 6, 0, 5])) == pytest.approx([0.6**5, 0.0, 0.6**5, 1.0], rel=1e-12)
    assert at_least(5, helped, hurt, np.array([-5, -5, -5, -6])) == pytest.approx([1.0] * 4)
