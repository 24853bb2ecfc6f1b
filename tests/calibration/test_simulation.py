"""The simulation itself: it asks what `outscore.compare` asks, and its populations have the gains they claim."""

from __future__ import annotations

import numpy as np
import pytest

import outscore
from outscore.results import Alternative, Claim, IntervalMethod, Method
from tests.calibration.checks import attained_level
from tests.calibration.measuring import GREATER, N_RESAMPLES, TWO_SIDED, Ask, draw_batches, measure
from tests.calibration.nulls import (
    BEHIND,
    EXCHANGEABLE,
    GAINS,
    ONLY_EQUAL,
    Population,
    binary_correlated,
    cluster_codes,
    clustered,
    clusters_ignored,
    error_rate,
    f1,
    graded,
    normal,
)
from tests.significance.kit import Pair

pytestmark = pytest.mark.slow


def compared(population: Population, pair: Pair, test: str, ask: Ask, seed: int) -> outscore.Comparison:
    width = {"mean": 1}.get(population.metric.name, pair.baseline.shape[1])
    assert isinstance(population.metric, outscore.ColumnMetric)
    result = outscore.compare(
        pair.baseline[:, :width],
        pair.candidate[:, :width],
        metric=population.metric,
        tests=test,
        method=Method.AUTO if population.exact else Method.MONTE_CARLO,
        n_resamples=N_RESAMPLES,
        seed=seed,
        alternative=ask.alternative if ask.claim is Claim.BETTER else Alternative.TWO_SIDED,
        claim=ask.claim,
        margin=ask.margin,
        interval=IntervalMethod.PERCENTILE,
    )
    return result.comparisons[0]


@pytest.mark.usefixtures("order_as_given")
@pytest.mark.parametrize("population", [normal(), graded(), binary_correlated(), error_rate(), f1()], ids=str)
@pytest.mark.parametrize("ask", [GREATER, TWO_SIDED, Ask(Claim.EQUIVALENT, margin=0.02)], ids=str)
def test_p_values_and_intervals_are_those_of_compare(population: Population, ask: Ask) -> None:
    measured = measure(population, 70, 1, asks=[ask], intervals=[IntervalMethod.PERCENTILE])
    [(pairs, resampling)] = draw_batches(population, 70, 1, 0)
    for (test, _), p_values in measured.p_values.items():
        comparison = compared(population, pairs[0], test, ask, resampling.seed)
        assert comparison.tests[0].p_value == pytest.approx(p_values[0], rel=1e-12)
        interval = comparison.interval.low, comparison.interval.high
        assert tuple(measured.intervals[IntervalMethod.PERCENTILE][0]) == pytest.approx(interval, rel=1e-9, abs=1e-12)


def test_summed_rows_of_clusters_are_what_compare_makes_of_them() -> None:
    sums = [rows[0] for rows in clustered().draw(np.random.default_rng(0), 1, 12)]
    items = [rows[0, :, 0] for rows in clusters_ignored().draw(np.random.default_rng(0), 1, 12)]
    tests = ["bootstrap", "randomization", "paired-t", "wilcoxon"]
    of_items = outscore.compare(*items, clusters=cluster_codes(12), tests=tests, method="monte-carlo")
    of_sums = outscore.compare(*sums, metric="ratio", tests=tests, method="monte-carlo")
    assert of_items.n_units == of_sums.n_units == 12
    for one, other in zip(of_items.comparisons[0].tests, of_sums.comparisons[0].tests, strict=True):
        assert one.p_value == pytest.approx(other.p_value, rel=1e-12)


@pytest.mark.parametrize("population", [*EXCHANGEABLE, *ONLY_EQUAL, *GAINS, *BEHIND, clusters_ignored()], ids=str)
def test_the_true_gain_is_what_is_said(population: Population) -> None:
    gains = np.array([pair.gain for pairs, _ in draw_batches(population, 1000, 200, 1) for pair in pairs])
    assert abs(gains.mean() - population.gain) < 5 * gains.std(ddof=1) / np.sqrt(len(gains))


def test_correlations_are_what_is_said() -> None:
    for population, r12 in ((normal(0.9), 0.9), (normal(0.0), 0.0), (binary_correlated(), 0.5)):
        [(pairs, _)] = draw_batches(population, 100_000, 1, 1)
        scores = pairs[0].scores
        assert scores is not None
        assert np.corrcoef(*scores)[0, 1] == pytest.approx(r12, abs=0.02)


def test_attained_levels_of_twenty_differences() -> None:
    assert attained_level("sign", 20, GREATER, 0.05) == pytest.approx(21700 / 2**20)
    assert attained_level("sign", 20, TWO_SIDED, 0.05) == pytest.approx(2 * 21700 / 2**20)
    assert attained_level("wilcoxon", 20, Ask(alternative=Alternative.LESS), 0.05) == pytest.approx(0.0487, abs=1e-4)
