"""The curvature of a score, against the moments of bootstrap replicates."""

from __future__ import annotations

import numpy as np
import pytest

from outscore.planning.curvature import FLAT, curvature_of
from outscore.planning.gradients import gradients
from tests.planning.populations import real_f1, skewed


def test_the_mean_and_the_skewness_of_replicates_are_those_of_the_expansion() -> None:
    """300,000 replicates of 150 units, drawn from the pilot's 1,287 sentences.

    Standard errors: 0.002 of the shift, 0.005 of the skewness; what the expansion leaves out is of their order.
    """
    pair, units = real_f1().pair, 150
    equal = np.full(pair.n_units, 1 / pair.n_units)
    rng = np.random.default_rng(3)
    gains = np.concatenate(
        [pair.gains(rng.multinomial(units, equal, size=3_000).astype(float) @ pair.columns) for _ in range(100)]
    )
    values = pair.columns @ gradients(pair.gains, units * pair.columns.mean(axis=0)[None])[0]
    values = values - values.mean()
    linear = float((values**3).mean() / (values**2).mean() ** 1.5) / units**0.5
    found = curvature_of(pair, equal, units)
    spread = gains.std()
    assert float(((gains - gains.mean()) ** 3).mean() / spread**3) == pytest.approx(
        linear + float(np.asarray(found.skewness)), abs=0.03
    )
    assert (gains.mean() - pair.gain) / spread == pytest.approx(float(np.asarray(found.shift)), abs=0.01)


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
