"""Lines through scores and what they leave out, against closed forms and against the moments of replicates."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from outscore import Level, plan_power
from outscore._types import FloatArray
from outscore.results import Alternative
from outscore.significance import Bootstrap, BootstrapUncentred, Randomization
from tests.planning.kit import Simulation, Tilting
from tests.planning.populations import length_pilot, real_f1
from tests.significance.kit import line_through

ANYWHERE = np.full(2, -np.inf)


def test_a_straight_line_is_found_and_leaves_nothing_out() -> None:
    slopes = np.array([2.0, -3.0])
    line = line_through(lambda totals: totals @ slopes, np.ones((1, 2)), np.array([[[4.0, 1], [1, 2]]]), ANYWHERE)
    assert line.slopes[0] == pytest.approx(slopes)
    assert np.asarray(line.curvature.shift)[0] == pytest.approx(0, abs=1e-12)
    assert np.asarray(line.curvature.stretch)[0] == pytest.approx(1)
    assert np.asarray(line.curvature.skewness)[0] == pytest.approx(0, abs=1e-12)


def test_a_parabola_shifts_the_mean_by_half_the_trace_of_its_second_derivatives() -> None:
    covariance = np.array([[[0.04, 0.01], [0.01, 0.09]]]) / 1e4
    line = line_through(lambda totals: totals[:, 0] + (totals**2).sum(axis=1), np.zeros((1, 2)), covariance, ANYWHERE)
    assert line.slopes[0] == pytest.approx([1, 0])
    assert np.asarray(line.curvature.shift)[0] == pytest.approx(0.0013 / 0.2)
    # 3 v'Hv with v = Cg: 6 (0.04² + 0.01²), over the cube of 0.2, and a hundredth of it.
    assert np.asarray(line.curvature.skewness)[0] == pytest.approx(0.06 * 0.0017 / 0.008, rel=0.1)


@pytest.mark.parametrize("away", [-1.0, 0.0, 0.5])
def test_a_kink_counts_as_far_as_replicates_reach_beyond_it(away: float) -> None:
    """For Y ~ Normal(a, 1): E d min(Y, 0)/dY = Φ(−a), E min(Y, 0) = aΦ(−a) − φ(a)."""

    def kinked(totals: FloatArray) -> FloatArray:
        return totals[:, 0] + np.minimum(totals[:, 1], 0)

    line = line_through(kinked, np.array([[0.0, away]]), np.eye(2)[None], ANYWHERE)
    below, density = NormalDist().cdf(-away), NormalDist().pdf(away)
    assert line.slopes[0] == pytest.approx([1, below], abs=0.06)
    shift = away * below - density - min(away, 0)
    assert np.asarray(line.curvature.shift)[0] * (1 + below**2) ** 0.5 == pytest.approx(shift, abs=0.03)


def test_the_mean_and_the_skewness_of_replicates_are_those_of_line_and_curvature() -> None:
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
    apart = pair.columns - mean
    covariance = units * (apart.T * tilted) @ apart
    line = line_through(pair.gains, units * mean[None], covariance[None], np.zeros(6))
    values = apart @ line.slopes[0]
    linear = float(tilted @ values**3 / (tilted @ values**2) ** 1.5) / units**0.5
    shift, bent = float(np.asarray(line.curvature.shift)[0]), float(np.asarray(line.curvature.skewness)[0])
    spread = gains.std()
    skewness = float(((gains - gains.mean()) ** 3).mean() / spread**3)
    assert skewness == pytest.approx(linear + bent, abs=0.04)
    assert abs(skewness - linear) > 0.08
    assert (gains.mean() - 0.15) / spread == pytest.approx(shift, abs=0.015)
    assert shift < -0.02


def test_columns_without_variance_have_no_part() -> None:
    line = line_through(
        lambda totals: totals.sum(axis=1), np.ones((2, 2)), np.diag([1.0, 0])[None] * [[[1]], [[0]]], ANYWHERE
    )
    assert line.slopes == pytest.approx(np.array([[1.0, 0], [0, 0]]))
    assert np.asarray(line.curvature.stretch) == pytest.approx(1)


@pytest.mark.slow
def test_the_shortcut_decides_as_the_tests_do_where_bleu_has_its_kink() -> None:
    """Outputs as long as their references: slopes at a point would take 23 and 31 of 300 decisions too few."""
    population = length_pilot(Simulation(300, 5, n_checks=300))
    tests = [Bootstrap(), BootstrapUncentred(), Randomization()]
    for row in plan_power(population, 200, 1.0, tests=tests, level=Level(alternative=Alternative.GREATER)).rows:
        check = row.power.check
        assert check is not None
        assert abs(check.n_more - check.n_fewer) <= 9, row
