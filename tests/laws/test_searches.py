"""The search for quantiles, and how often it asks."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.kit import first_reaching_smoothly

NORMAL = NormalDist()


@given(st.floats(0.001, 0.999), st.floats(-2, 2), st.floats(-0.3, 0.3))
def test_smooth_quantiles_take_few_evaluations(level: float, off: float, skewness: float) -> None:
    asked = []

    def share(x: float) -> float:
        asked.append(x)
        return NORMAL.cdf(x - skewness * math.tanh(x) ** 2)

    found = first_reaching_smoothly(share, level, NORMAL.inv_cdf(level) + off, 1.0)
    assert len(asked) <= 12
    assert share(found) >= level * (1 - 1e-12)
    assert share(found - 2e-10) < level


@given(st.floats(0.01, 0.99), st.integers(2, 40))
def test_quantiles_of_steps_are_the_first_that_reach(level: float, n: int) -> None:
    values = np.sort(np.random.default_rng(n).normal(size=n))
    probabilities = np.arange(1, n + 1) / n

    def share(x: float) -> float:
        return float(np.searchsorted(values, x, side="right")) / n

    found = first_reaching_smoothly(share, level, NORMAL.inv_cdf(level), 1.0)
    right = values[np.argmax(probabilities >= level * (1 - 1e-13))]
    assert found == pytest.approx(right, abs=2e-10)
