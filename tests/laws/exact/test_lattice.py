"""Grids are found where there are grids, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.kit import find_step


@pytest.mark.parametrize(
    ("offsets", "step"),
    [
        ([0, 1, 2], 1.0),
        ([0, 4, 6], 2.0),
        ([0, 0.1, 0.1 + 0.2], 0.1),
        ([0, 0.25, 1.75], 0.25),
        ([0, 1e-7, 3e-7], 1e-7),
        ([0, 1234.568, 0.002], 0.002),
        ([0, 1 / 3, 1], 1 / 3),
        ([0, 2 / 3, 5 / 7], 1 / 21),
        ([0, 1 / 30011], 1 / 30011),
        ([0, 1 / 9, 1 / 11, 1 / 13], 1 / 1287),
        ([0, 2**0.5, 3 * 2**0.5], 2**0.5),
        ([0, 1, 1.000001], 1e-6),
        ([3e-6, 1, 2], 1e-6),
    ],
)
def test_finds_the_step(offsets: list[float], step: float) -> None:
    assert find_step(np.array(offsets)) == pytest.approx(step, rel=1e-9)


@pytest.mark.parametrize(
    "offsets",
    [
        [0.0, 0.0],
        [0, 1, 2**0.5, 3**0.5],
        [0, 1, 2, 2**0.5],
        [0, 1, 3e-8],  # finer than 2⁻²²
        [0, 1, 2 + 1e-9],
        np.random.default_rng(0).normal(size=50) ** 2,
    ],
)
def test_finds_none(offsets: list[float]) -> None:
    assert find_step(np.array(offsets)) is None


@given(st.lists(st.integers(0, 300), min_size=1, max_size=8), st.integers(1, 97), st.sampled_from([1, 0.001, 3.7, 1e3]))
def test_every_offset_is_a_multiple(numerators: list[int], denominator: int, scale: float) -> None:
    offsets = np.array(numerators) / denominator * scale
    step = find_step(offsets)
    if not any(numerators):
        assert step is None
    else:
        assert step is not None
        np.testing.assert_allclose(offsets, np.rint(offsets / step) * step, rtol=0, atol=1e-11 * offsets.max())
        # The largest such step: it divides the numerators' greatest common divisor, and no more.
        assert step == pytest.approx(np.gcd.reduce(numerators) / denominator * scale, rel=1e-9)


def test_noise_of_large_scores_is_no_grid_of_its_own() -> None:
    scores = 1000 + np.array([0.1, 0.2, 0.7])
    assert find_step(scores - scores.min(), magnitude=1000.7) == pytest.approx(0.1)
