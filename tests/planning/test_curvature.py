"""The curvature of a score, against the moments of bootstrap replicates."""

from __future__ import annotations

import numpy as np
import pytest

from outscore.planning.curvature import FLAT, curvature_of
from outscore.planning.gradients import gradients
from outscore.planning.tilting import Tilting
from tests.planning.populations import real_f1, skewed


def test_the_mean_and_the_skewness_of_replicates_are_those_of_the_expansion() -> None:
    """60,000 replicates of 60 units, from the pilot's sentences tilted to +15 points.

    Standard errors: 0.004 of the shift, 0.010 of the skewness. Without the curvature the skewness would be 0.12 more.
    """
    pair, units = real_f1().pair, 60
    tilted = Tilting(pair).to(0.15)
    rng = np.random.default_rng(3)
    gains = np.concatenate(
        [pair.gains(rng.multinomial(units, tilted, size=3_000).astype(float) @ pair.columns) for _ in range(20)]
    )
    mean = tilted @ pair.columns
    values = pair.columns @ gradients(pair.gains, units * mean[None])[0]
    values = values - tilted @ values
    linear = float(tilted @ values**3 / (tilted @ values**2) ** 1.5) / units**0.5
    found = curvature_of(pair, tilted, units)
    spread = gains.std()
    skewness = float(((gains - gains.mean()) ** 3).mean() / spread**3)
    assert skewness == pytest.approx(linear + float(np.asarray(found.skewness)), abs=0.04)
    assert abs(skewness - linear) > 0.08
    assert (gains.mean() - 0.15) / spread == pytest.approx(float(np.asarray(found.shift)), abs=0.015)
    assert float(np.asarray(found.shift)) < -0.02


def test_it_is_of_the_order_of_one_over_the_root_of_the_units() -> None:
    pair = real_f1().pair
    equal = np.full(pair.n_units, 1 / pair.n_units)
    small, large = (curvature_of(pair, equal, units) for units in (100, 400))
    assert np.asarray(small.shift) / np.asarray(large.shift) == pytest.approx(2, rel=1e-3)
    assert np.asarray(small.skewness) / np.asarray(large.skewness) == pytest.approx(2, rel=1e-3)
    assert abs(float(np.asarray(small.skewness))) > 1e-3


def test_linear_gains_are_flat() -> None:
    pair = skewed(50).pair
    assert curvature_of(pair, np.full(50, 0.02), 50) == FLAT
