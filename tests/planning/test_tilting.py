"""Tilting: the population has the gain asked for, and is the nearest to the pilot that has."""

from __future__ import annotations

import numpy as np
import pytest

from outscore._types import FloatArray
from tests.planning.kit import Tilting, gradients, worth
from tests.planning.populations import real_f1, skewed


@pytest.mark.parametrize("gain", [0.001, 0.011, 0.05, 0.2])
def test_the_population_has_the_gain(gain: float) -> None:
    pair = real_f1().pair
    weights = Tilting(pair).to(gain)
    assert weights.sum() == pytest.approx(1)
    assert (weights > 0).all()
    assert float(pair.gains(weights[None] @ pair.columns)[0]) == pytest.approx(gain, rel=1e-9)


def test_its_own_gain_leaves_a_pilot_as_it_is() -> None:
    pair = real_f1().pair
    np.testing.assert_allclose(Tilting(pair).to(pair.gain), 1 / 1287, rtol=1e-6)
    assert worth(Tilting(pair).to(pair.gain)) == pytest.approx(1287)


def test_no_other_population_of_the_units_with_that_gain_is_nearer() -> None:
    """The divergence is convex: it is least where every way that keeps sum and gain leads up."""
    pair = skewed(40, seed=2).pair
    assert pair.linear is not None
    d, aim = pair.linear.d, 0.4
    weights = Tilting(pair).to(aim)
    assert weights @ d == pytest.approx(aim)

    def divergence(w: FloatArray) -> float:
        return float((w * np.log(40 * w)).sum())

    kept = np.linalg.qr(np.column_stack([np.ones(40), d]))[0]
    for way in np.random.default_rng(0).normal(size=(200, 40)):
        along = way - kept @ (kept.T @ way)
        along *= 1e-3 * weights.min() / np.abs(along).max()
        assert divergence(weights + along) > divergence(weights)
        assert divergence(weights - along) > divergence(weights)


def test_the_influence_is_what_leaving_a_unit_out_does() -> None:
    pair = real_f1().pair
    tilting = Tilting(pair)
    columns = pair.columns
    without = pair.gains(columns.sum(axis=0) - columns)
    jackknife = (pair.gain - without) * (len(columns) - 1)
    assert np.corrcoef(jackknife, tilting.influence)[0, 1] > 0.9999
    assert tilting.spread == pytest.approx(float(jackknife.std()), rel=5e-3)


def test_slopes_are_right_also_where_a_total_is_0() -> None:
    totals = np.array([[4.0, 0.0, 10.0], [0.0, 3.0, 0.0]])
    found = gradients(lambda t: t[:, 0] * t[:, 1] + t[:, 2] ** 2, totals)
    np.testing.assert_allclose(found, [[0, 4, 20], [3, 0, 0]], atol=1e-4)
