"""Histograms of exact laws, against the exact probability below each edge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore._types import AnyArray, FloatArray
from outscore.laws.exact.linear import _LinearLaw
from outscore.laws.exact.sums import DrawnSum
from tests.kit import Law, bootstrap_law

RNG = np.random.default_rng(3)
LENGTHS = RNG.integers(1, 30, 400).astype(np.float64)
COUNTS = np.round(RNG.normal(0.02 * LENGTHS, 0.3 * np.sqrt(LENGTHS)))
FEW_COUNTS = np.where(RNG.random(400) < 0.05, COUNTS, 0.0)
ONE = np.ones(400)

CASES: dict[str, tuple[FloatArray, FloatArray, AnyArray | None, float]] = {
    "real": (RNG.normal(0.1, 1, 400), ONE, None, 2e-8),
    "few real": (RNG.normal(0.1, 1, 49), np.ones(49), None, 2e-8),
    "skewed": (RNG.exponential(1, 100) ** 2 - 1.5, np.ones(100), None, 2e-8),
    "a heavy atom": (np.where(RNG.random(400) < 0.8, 0.0, RNG.normal(0.1, 1, 400)), ONE, None, 2e-8),
    "on a grid": (np.round(RNG.normal(0.1, 2, 400)), ONE, None, 2e-8),
    "on a fine grid": (np.round(RNG.normal(0.01, 0.1, 200), 3), np.ones(200), None, 2e-8),
    "in strata": (RNG.normal(0.1, 1, 400), ONE, np.arange(400) % 4, 2e-8),
    "counts over lengths": (COUNTS, LENGTHS, None, 6e-5),
    "few counts over lengths": (FEW_COUNTS, LENGTHS, None, 6e-5),
    "counts over lengths in strata": (COUNTS, LENGTHS, np.arange(400) % 3, 6e-5),
    "real over lengths": (RNG.normal(0.02 * LENGTHS, 1.0), LENGTHS + RNG.random(400), None, 1e-6),
}


def _plainly(law: Law, edges: list[float]) -> tuple[FloatArray, FloatArray]:
    """Return what `Law.histogram` says, by the exact law below each edge, one by one, and bounds on the errors."""
    assert isinstance(law, _LinearLaw)
    tails = [law.lower_tail(edge) for edge in edges[1:-1]]
    errors = [0.0, *(tail.error for tail in tails), 0.0]
    bins = np.diff([0.0, *((tail.inclusive + tail.exclusive) / 2 for tail in tails), 1.0])
    return bins, np.add(errors[:-1], errors[1:])


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("width", [2.0, 4.0])
def test_bars_are_those_of_the_exact_law(name: str, width: float) -> None:
    d, shared, strata, error = CASES[name]
    law = bootstrap_law(d, shared, strata)
    assert law is not None
    gain = float(d.sum() / shared.sum())
    edges = (gain + law.spread() * np.linspace(-width, width, 12)).tolist()
    if law.step is not None:
        edges = [(np.floor(edge / law.step) + 0.5) * law.step for edge in edges]
    bins = law.histogram(edges)
    assert sum(bins) == pytest.approx(1)
    exact, bounds = _plainly(law, edges)
    assert (np.abs(np.array(bins) - exact) < error + bounds).all()


def test_half_of_a_tie_lies_below_an_edge() -> None:
    d = np.round(RNG.normal(0.1, 2, 60))
    law = bootstrap_law(d, np.ones(60))
    assert law is not None
    at = float(d.mean())
    tail = law.outside(-np.inf, at).value, law.outside(-np.inf, at, strict=True).value
    assert tail[0] - tail[1] > 1e-3
    assert law.histogram([-9, at, 9])[0] == pytest.approx(1 - sum(tail) / 2, abs=1e-9)


@given(st.integers(0, 10_000), st.sampled_from([3, 20, 49, 200]), st.sampled_from([0.0, 0.5, -1.0]))
def test_no_value_is_larger_between_nodes_of_a_survey_than_bounds_say(seed: int, n: int, theta: float) -> None:
    """|φ| at any t of a cell is at most what `near_bounds` makes of the decay at its node."""
    rng = np.random.default_rng(seed)
    total = DrawnSum(rng.normal(size=n) * np.where(rng.random(n) < 0.5, 0.01, 1.0))
    spacing = 0.25 / np.sqrt(total.variance / n)
    tilt = theta / np.sqrt(total.variance)
    decay = total.decay(tilt, 2 * np.pi / spacing, 2**12)
    bounds = total.near_bounds(tilt, decay, spacing / 2)
    nodes = rng.integers(1, len(decay), 50)
    for node in nodes.tolist():
        t = (node + rng.uniform(-0.5, 0.5)) * spacing
        height = abs(total.transform(tilt, t, 1, 1)[0])
        assert height <= np.exp(bounds[node]) * (1 + 1e-9) + 1e-300
    dead = total.dead_decay(tilt, 36.0, spacing / 2)
    assert (bounds[decay > dead] <= -36.0 + 1e-9).all()


@pytest.mark.parametrize(("n", "cells"), [(60, 2**12), (60, 2**13), (60, 2**14), (60, 2**18), (3000, 2**16)])
def test_transforms_on_many_nodes_are_right_to_some_percent_in_parts_too(n: int, cells: int) -> None:
    values = RNG.normal(size=n)
    total = DrawnSum(values)
    period = 8 * np.pi * np.sqrt(total.variance / n)
    decay = total.decay(0.0, period, cells)
    nodes = np.linspace(0, cells // 4 - 1, 200).astype(int)
    exact = [total.decay_at(0.0, 2 * np.pi * node / period) for node in nodes.tolist()]
    assert np.abs(decay[nodes] - exact).max() <= 0.015 * n
