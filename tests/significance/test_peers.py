"""What peers get wrong (DESIGN.md, section 3), each with its own test; how often it misleads is in calibration."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import permutation_test

import outscore
from tests import oracles

PAIRED = ("bootstrap", "bootstrap-uncentred", "randomization", "paired-t", "sign", "wilcoxon", "mcnemar")


def _p_values(baseline: object, candidate: object, *tests: str, **options: Any) -> list[float]:
    result = outscore.compare(baseline, candidate, tests=tests, **options)
    return [test.p_value for test in result.comparisons[0].tests]


def test_gains_are_centred_before_their_size_is_taken() -> None:
    """sacreBLEU's P(|δ*| − mean |δ*| ≥ |δ|) is not P(|δ* − δ| ≥ |δ|), but much less where δ is not far from 0."""
    d = [1] * 6 + [-1] * 3 + [0] * 11
    law = oracles.convolved_draws(d)
    gain = Fraction(sum(d))
    right = oracles.event_probability(law, lambda total: abs(total - gain) >= abs(gain))
    mean_size = sum((abs(total) * chance for total, chance in law.items()), Fraction(0))
    wrong = oracles.event_probability(law, lambda total: abs(total) - mean_size >= abs(gain))
    (ours,) = _p_values([0] * 20, d, "bootstrap", alternative="two-sided")
    assert ours == pytest.approx(float(right), rel=1e-12)
    assert wrong < right / 2


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
@pytest.mark.parametrize("method", ["exact", "monte-carlo"])
def test_identical_systems_have_p_1(method: str, alternative: str) -> None:
    """A strict > gives the smallest p-value there is to a system that is compared with itself."""
    scores = [0, 1, 1, 0, 1, 0, 0, 1]
    options = {"metric": "accuracy", "alternative": alternative, "method": method, "n_resamples": 999}
    assert _p_values(scores, scores, *PAIRED, **options) == [1.0] * len(PAIRED)
    rows = [(1, 2, 3), (0, 1, 2), (2, 2, 2)]
    options["metric"] = "f1"
    assert _p_values(rows, rows, *PAIRED[:3], **options) == [1.0] * 3
    strict = _p_values(scores, scores, "bootstrap", method="monte-carlo", n_resamples=999, ties="strict")
    assert strict == [0.001]


def test_a_seed_of_0_is_a_seed() -> None:
    one, other = np.random.default_rng(0).normal(size=(2, 50))

    def replicates(seed: int) -> outscore.Comparison:
        result = outscore.compare(one, other, tests="bootstrap", method="monte-carlo", n_resamples=500, seed=seed)
        assert result.seed == seed
        assert f"seed:{seed}|" in result.signature
        return result.comparisons[0]

    assert replicates(0) == replicates(0)
    assert replicates(0).interval != replicates(1).interval


@pytest.mark.parametrize("method", ["exact", "monte-carlo"])
def test_both_systems_are_resampled_together(method: str) -> None:
    """The items differ a hundred times more than the systems do: drawn separately they would drown the gain."""
    rng = np.random.default_rng(1)
    baseline = rng.normal(0, 100, 200).round(2)  # sums of decimals have exact distributions
    candidate = (baseline + rng.normal(0.5, 1, 200)).round(2)
    comparison = outscore.compare(
        baseline, candidate, tests=["bootstrap", "randomization", "two-sample-t"], method=method, n_resamples=5000
    ).comparisons[0]
    assert comparison.tests[0].p_value < 1e-3
    assert comparison.tests[1].p_value < 1e-3
    assert comparison.tests[2].p_value > 0.4
    assert comparison.interval.high - comparison.interval.low == pytest.approx(2 * 1.96 / 200**0.5, rel=0.15)


@pytest.mark.parametrize("method", ["auto", "monte-carlo"])
@pytest.mark.parametrize("n", [2, 20, 2000])
def test_p_is_never_0(n: int, method: str) -> None:
    for alternative in ("greater", "two-sided"):
        for ties in ("count", "strict"):
            found = _p_values(
                [0] * n,
                [1] * n,
                *PAIRED,
                metric="accuracy",
                method=method,
                n_resamples=99,
                ties=ties,
                alternative=alternative,
            )
            assert min(found) > 0


def test_the_direction_is_the_callers() -> None:
    """A worse candidate has a large p against "greater", not the small one of the direction that the data have."""
    rng = np.random.default_rng(2)
    baseline, candidate = rng.normal(0.5, 1, 100), rng.normal(0, 1, 100)
    tests = ("bootstrap", "bootstrap-uncentred", "randomization", "paired-t", "sign", "wilcoxon", "two-sample-t")
    assert min(_p_values(baseline, candidate, *tests, alternative="greater")) > 0.9
    assert max(_p_values(baseline, candidate, *tests, alternative="less")) < 0.1
    for alternative, verdict in (("greater", "inconclusive"), ("less", "worse"), ("two-sided", "worse")):
        comparison = outscore.compare(baseline, candidate, alternative=alternative).comparisons[0]
        assert comparison.tests[0].alternative == alternative
        assert comparison.verdict == verdict
    assert outscore.compare(baseline, candidate).comparisons[0] == comparison


@pytest.mark.parametrize("d", [[0.1, 0.2, -0.3], [0.1, 0.1, 0.1, -0.3]])
def test_a_gain_of_nearly_0_does_not_lose_its_ties(d: list[float]) -> None:
    """The sum is 0, but 2.8e-17 in floating point, and SciPy's tolerance is relative to that.

    `scipy.stats.permutation_test` (as of 1.17) then leaves out of its count the swaps that give 0 or −2.8e-17.
    """
    true = oracles.event_probability(oracles.sign_sums(oracles.fractions(d)), lambda total: total >= 0)
    (exact,) = _p_values([0] * len(d), d, "randomization", alternative="greater")
    assert exact == true
    scipys = permutation_test(
        (np.array(d), np.zeros(len(d))),
        lambda a, b, axis: (a - b).mean(axis=axis),
        permutation_type="samples",
        alternative="greater",
        n_resamples=10**6,
        vectorized=True,
    )
    assert scipys.pvalue < true
    [sampled] = outscore.compare(
        [0] * len(d), d, tests="randomization", alternative="greater", method="monte-carlo", n_resamples=20_000
    ).comparisons
    r = sampled.tests[0].n_resamples or 0
    share = (sampled.tests[0].n_exceeding or 0) / r
    assert abs(share - float(true)) < 5 * 0.5 / r**0.5  # one false alarm in two million


def test_ties_of_sampled_decimals_are_ties() -> None:
    """Sums of 0.1, 0.2, 0.7 in any order equal each other; counted by their last bits, half of them would not."""
    rng = np.random.default_rng(3)
    d = rng.choice([-0.7, -0.2, -0.1, 0.1, 0.2, 0.7], 25)
    whole = np.rint(10 * d).astype(int)
    for ties in ("count", "strict"):
        for test in ("bootstrap", "randomization"):
            counts = [
                outscore.compare(np.zeros(25), values, tests=test, ties=ties, method="monte-carlo", n_resamples=3000)
                .comparisons[0]
                .tests[0]
                .n_exceeding
                for values in (d, whole, d / 3)
            ]
            assert len(set(counts)) == 1
