"""Sampled tests of real-valued sums: their p-values, their intervals, and their error rates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import outscore
from outscore import Bootstrap, Mean, Randomization
from outscore._types import FloatArray
from outscore.results import Alternative, Estimator, Method
from outscore.significance import Resampling
from tests import oracles
from tests.laws.kit import StagedLaw, clopper_pearson
from tests.significance.kit import GainLaws, Hypothesis, Pair

QUESTION = Hypothesis(Alternative.TWO_SIDED)
TESTS = [Bootstrap(), Randomization()]


def systems(n: int, seed: int = 1) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    baseline = rng.normal(size=n)
    return baseline, 0.7 * baseline + rng.normal(0.03, 0.7, size=n)


def pair_of(baseline: FloatArray, candidate: FloatArray) -> Pair:
    first, second = (np.column_stack([scores, np.ones(len(scores))]) for scores in (baseline, candidate))
    return Pair(Mean(), first, second)


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
def test_p_is_sampled_with_an_interval_that_holds_the_true_one(test: Any) -> None:
    """At a confidence level of 99.99%, so one false alarm in ten thousand seeds; this one is fixed."""
    baseline, candidate = systems(2000)
    d = candidate - baseline
    result = outscore.compare(baseline, candidate, tests=test.name)
    [found] = result.comparisons[0].tests
    assert found.computation == "Monte Carlo"
    assert found.n_resamples == 4096  # 2²³ weights, in whole tasks
    assert not found.exact
    signs, total = test.name == "randomization", float(d.sum())
    true = 2 * oracles.lattice_tail(d, total, signs=True) if signs else 0.0
    if not signs:  # both tails about the mean
        true = oracles.lattice_tail(d, 2 * total) + 1 - oracles.lattice_tail(d, 0.0)
    assert found.n_exceeding is not None
    low, high = clopper_pearson(found.n_exceeding, found.n_resamples, 0.9999)
    assert low <= true <= high
    assert (found.p_value_low, found.p_value_high) == clopper_pearson(found.n_exceeding, found.n_resamples, 0.95)
    # The interval comes from the same samples, so that it agrees with p.
    assert (found.p_value > 0.05) == (result.comparisons[0].interval.low <= 0 <= result.comparisons[0].interval.high)
    assert not result.comparisons[0].interval.exact


def test_all_samples_are_drawn_if_the_first_do_not_decide() -> None:
    baseline, candidate = systems(400, seed=3)
    found = {}
    for shift in np.linspace(0.0, 0.2, 9).tolist():
        [of_shift] = (
            outscore.compare(baseline, candidate + shift, tests="randomization", n_resamples=60_000)
            .comparisons[0]
            .tests
        )
        found[of_shift.n_resamples] = of_shift.p_value
    assert set(found) == {5 * 4096, 60_000}
    [forced] = (
        outscore.compare(baseline, candidate, tests="randomization", method="monte-carlo", n_resamples=60_000)
        .comparisons[0]
        .tests
    )
    assert forced.n_resamples == 60_000


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
def test_a_grid_is_exact_and_its_samples_agree(test: Any) -> None:
    """At 99.99%, as above."""
    baseline, candidate = (np.round(scores, 3) for scores in systems(300, seed=5))
    [exact] = outscore.compare(baseline, candidate, tests=test.name).comparisons[0].tests
    [sampled] = (
        outscore.compare(baseline, candidate, tests=test.name, method="monte-carlo", n_resamples=50_000)
        .comparisons[0]
        .tests
    )
    assert exact.exact
    assert not sampled.exact
    assert sampled.n_exceeding is not None
    low, high = clopper_pearson(sampled.n_exceeding, 50_000, 0.9999)
    assert low <= exact.p_value <= high


def test_randomization_interval_has_the_quantiles_of_means_of_random_subsets() -> None:
    """By the definition: a null gain is rejected if at most α(r + 1)/2 − 1 of the subsets have a mean up to it."""
    baseline, candidate = systems(200, seed=7)
    pair = pair_of(baseline, candidate)
    laws = GainLaws([pair], Resampling(Method.MONTE_CARLO, 2000, seed=4))
    interval = Randomization().interval(pair, laws, 0.05, QUESTION, Estimator.ADD_ONE)
    assert interval is not None
    totals = laws.subset_totals()
    means = np.sort(totals[:, 0] / totals[:, 1])
    rank = int(0.025 * 2001)
    assert interval.low == pytest.approx(means[rank - 1], abs=1e-12)
    assert interval.high == pytest.approx(means[-rank], abs=1e-12)


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
def test_error_rates_are_nominal(test: Any) -> None:
    """Of 600 sets of 80 symmetric differences without a gain, 5% are significant and 95% of intervals hold 0.

    Randomization keeps its level exactly: more than 5.4 standard errors are one false alarm in ten million, and
    the seed is fixed. The bootstrap of 80 units rejects some 6%, as docs/calibration.md has measured.
    """
    rng = np.random.default_rng(11)
    rejected = missed = 0
    sets, alpha = 600, 0.05
    for seed in range(sets):
        pair = pair_of(np.zeros(80), rng.normal(size=80))
        laws = GainLaws([pair], Resampling(Method.MONTE_CARLO, 999, seed=seed))
        p = test.p_value(pair, laws, QUESTION).value
        interval = test.interval(pair, laws, alpha, QUESTION, Estimator.ADD_ONE)
        rejected += p <= alpha
        missed += not interval.low <= 0 <= interval.high
    expected = 0.05 if test.name == "randomization" else 0.058
    slack = 5.4 * np.sqrt(expected * (1 - expected) / sets)
    assert abs(rejected / sets - expected) < slack
    assert abs(missed / sets - expected) < slack


def test_intervals_of_sums_use_the_first_samples() -> None:
    baseline, candidate = systems(300)
    pair = pair_of(baseline, candidate)
    law: Any = GainLaws([pair], Resampling(n_resamples=100_000, alpha=0.05)).law()
    law = getattr(law, "_law", law)  # of the mirror image
    assert isinstance(law, StagedLaw)
    law.quantile(0.1), law.reach(0.0, 0.05), law.below(0.0)
    assert "_all" not in law.__dict__
