"""Histograms of exact laws, against the exact probability below each edge."""

from __future__ import annotations

import numpy as np
import pytest

from outscore._types import AnyArray, FloatArray
from tests.laws.kit import bootstrap_law

RNG = np.random.default_rng(3)
CASES: dict[str, tuple[FloatArray, AnyArray | None]] = {
    "on a grid": (np.round(RNG.normal(0.1, 2, 400)), None),
    "on a fine grid": (np.round(RNG.normal(0.01, 0.1, 200), 3), None),
    "in strata": (np.round(RNG.normal(0.1, 1, 400), 2), np.arange(400) % 4),
    "an outlier": (np.r_[np.round(RNG.normal(0.1, 1, 399), 1), 200.0], None),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("width", [2.0, 4.0, 12.0])
def test_bars_are_those_of_the_exact_law(name: str, width: float) -> None:
    d, strata = CASES[name]
    law = bootstrap_law(d, np.ones(len(d)), strata)
    assert law is not None
    edges = (float(d.mean()) + law.spread() * np.linspace(-width, width, 12)).tolist()
    tails = [[law.outside(-np.inf, edge, strict=strict) for strict in (False, True)] for edge in edges[1:-1]]
    above = [sum(tail.value for tail in both) / 2 for both in tails]
    bins = law.histogram(edges)
    assert sum(bins) == pytest.approx(1)
    np.testing.assert_allclose(bins, np.diff([0.0, *(1 - part for part in above), 1.0]), atol=1e-10)


def test_half_of_a_tie_lies_below_an_edge() -> None:
    d = np.round(RNG.normal(0.1, 2, 60))
    law = bootstrap_law(d, np.ones(60))
    assert law is not None
    at = float(d.mean())
    tail = law.outside(-np.inf, at).value, law.outside(-np.inf, at, strict=True).value
    assert tail[0] - tail[1] > 1e-3
    assert law.histogram([-9, at, 9])[0] == pytest.approx(1 - sum(tail) / 2, abs=1e-9)
