"""The rules that stand in one place each: p-values of events, intervals, corrections, verdicts."""

from __future__ import annotations

from itertools import combinations
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from scipy import stats

import outscore
from outscore import Alternative, Claim, Verdict
from outscore.results import Estimator
from tests.kit import format_p
from tests.laws.kit import clopper_pearson
from tests.significance.kit import PValue, holm, verdict

RNG = np.random.default_rng(7)


@pytest.mark.parametrize(("c", "r"), [(0, 1), (1, 1), (0, 50), (3, 50), (50, 50), (500, 10_000), (1, 10**8)])
@pytest.mark.parametrize("level", [0.95, 0.999])
def test_clopper_and_pearson(c: int, r: int, level: float) -> None:
    expected = stats.binomtest(c, r).proportion_ci(level, method="exact")
    # SciPy finds its limits by bisection, to some nine digits.
    assert clopper_pearson(c, r, level) == pytest.approx((expected.low, expected.high), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(("c", "add_one", "plain"), [(0, 1 / 100, 1 / 99), (4, 5 / 100, 4 / 99), (99, 1.0, 1.0)])
def test_estimators(c: int, add_one: float, plain: float) -> None:
    sampled = PValue.of_counts(c, 99)
    assert sampled.estimated(Estimator.ADD_ONE).value == add_one
    assert sampled.estimated(Estimator.PLAIN).value == plain
    assert sampled.limits == clopper_pearson(c, 99, 0.95)


def test_doubled_probabilities_stay_probabilities() -> None:
    for value in (0.3, 0.5, 0.9999):
        found = PValue(value, "exact", 1e-9, factor=2)
        assert found.value == min(2 * value, 1)
        assert 0 <= found.limits[0] <= found.value <= found.limits[1] <= 1


def test_a_probability_is_1_only_where_that_is_certain() -> None:
    found = PValue(1.0, "exact", 1e-12)
    assert (found.value, found.limits[1]) == (1 - 2.0**-53, 1)
    assert format_p(found.value) == "> 0.9999"
    assert PValue(1.0, "exact").value == 1


def test_a_loss_that_all_but_every_swap_exceeds_is_not_certain() -> None:
    """400 items hurt and 1 helped: p = 1 − 2⁻⁴⁰¹, and 1 to every double."""
    baseline, candidate = [1] * 400 + [0] * 101, [0] * 400 + [1] + [0] * 100
    result = outscore.compare(
        baseline, candidate, metric="accuracy", tests=["randomization", "paired-t", "sign"], alternative="greater"
    )
    assert all(test.n_resamples is None and test.p_value < 1 for test in result.comparisons[0].tests)
    assert "p > 0.9999, exact" in result.sentences[0]


@pytest.mark.parametrize("tests", ["all"])
def test_identical_systems_are_certain(tests: str) -> None:
    systems = [[1, 0, 1, 1, 0, 1, 0, 0, 1, 1] * 5] * 2
    for alternative in ("greater", "two-sided"):
        result = outscore.compare(*systems, metric="accuracy", tests=tests, alternative=alternative)
        for test in result.comparisons[0].tests:
            assert test.p_value == 1 or (test.assumes_independence and test.p_value == 0.5), test.name


def test_an_exact_probability_of_nothing_is_that_of_the_rarest_resample() -> None:
    found = PValue(0.0, "exact", least=2.0**-30)
    assert (found.value, *found.limits) == (2.0**-30, 0, 2.0**-30)


def _by_closed_testing(p_values: list[float]) -> list[float]:
    """Holm's adjustment as what it is: p of i is the largest Bonferroni p of all sets of hypotheses that hold i."""
    m = range(len(p_values))
    sets = [chosen for size in range(1, len(p_values) + 1) for chosen in combinations(m, size)]
    return [max(min(1.0, len(s) * min(p_values[j] for j in s)) for s in sets if i in s) for i in m]


@pytest.mark.parametrize("m", [1, 2, 3, 5, 8])
def test_holm_is_closed_testing_with_bonferroni(m: int) -> None:
    for _ in range(30):
        p_values = [float(p) for p in RNG.random(m) ** 3]
        if m > 2:
            p_values[1] = p_values[0]
        assert holm(p_values) == pytest.approx(_by_closed_testing(p_values))


def test_candidates_are_adjusted_test_by_test() -> None:
    baseline = RNG.normal(size=60)
    candidates = [baseline + RNG.normal(gain, 1, 60) for gain in (0.1, 0.4, 0.6)]
    result = outscore.compare(baseline, *candidates, tests=["bootstrap", "paired-t"])
    for j in range(2):
        plain = [comparison.tests[j].p_value for comparison in result.comparisons]
        adjusted = [comparison.tests[j].adjusted_p_value for comparison in result.comparisons]
        assert adjusted == pytest.approx(_by_closed_testing(plain))
        for candidate, p in zip(candidates, plain, strict=True):
            alone = outscore.compare(baseline, candidate, tests=["bootstrap", "paired-t"])
            assert alone.comparisons[0].tests[j].p_value == p


@pytest.mark.parametrize(
    ("claim", "alternative", "gain", "expected"),
    [
        (Claim.BETTER, Alternative.GREATER, 0.1, Verdict.BETTER),
        (Claim.BETTER, Alternative.LESS, -0.1, Verdict.WORSE),
        (Claim.BETTER, Alternative.TWO_SIDED, 0.1, Verdict.BETTER),
        (Claim.BETTER, Alternative.TWO_SIDED, -0.1, Verdict.WORSE),
        (Claim.NOT_WORSE, Alternative.GREATER, -0.01, Verdict.NOT_WORSE),
        (Claim.EQUIVALENT, Alternative.LESS, 0.01, Verdict.EQUIVALENT),
    ],
)
def test_verdicts(claim: Claim, alternative: Alternative, gain: float, expected: Verdict) -> None:
    assert verdict(claim, alternative, 0.05, gain, 0.05) is expected
    assert verdict(claim, alternative, 0.0500001, gain, 0.05) is Verdict.INCONCLUSIVE


def test_an_insignificant_difference_is_not_called_equality() -> None:
    one, other = RNG.integers(0, 2, 30), RNG.integers(0, 2, 30)
    assert outscore.compare(one, other, alternative="two-sided").comparisons[0].verdict is Verdict.INCONCLUSIVE
    for claim in ("not-worse", "equivalent"):
        wide, narrow = (
            outscore.compare(one, other, claim=claim, margin=margin).comparisons[0].verdict for margin in (0.8, 0.01)
        )
        assert wide == claim.replace("-", " ")
        assert narrow is Verdict.INCONCLUSIVE


def test_the_interval_inverts_the_uncentred_test() -> None:
    one, other = RNG.normal(size=80), RNG.normal(0.3, 1, 80)
    for level in (0.8, 0.9, 0.95, 0.99):
        asked: dict[str, Any] = {"tests": "bootstrap-uncentred", "alternative": "greater", "interval": "percentile"}
        comparison = outscore.compare(one, other, confidence_level=level, **asked).comparisons[0]
        assert (comparison.interval.low > 0) == (comparison.test.p_value < (1 - level) / 2)
        wider = outscore.compare(one, other, confidence_level=(1 + level) / 2, **asked).comparisons[0].interval
        assert wider.low < comparison.interval.low < comparison.gain < comparison.interval.high < wider.high


def _bca_by_hand(gains: Any, without: Any, gain: float, level: float) -> tuple[float, float]:
    """Efron (1987): percentiles at Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z)))."""
    normal = NormalDist()
    bias = normal.inv_cdf(float(np.mean(gains < gain) + np.mean(gains == gain) / 2))
    influence = without.mean() - without
    a = (influence**3).sum() / (6 * (influence**2).sum() ** 1.5)
    z = [bias + normal.inv_cdf(tail) for tail in ((1 - level) / 2, (1 + level) / 2)]
    return tuple(float(np.quantile(gains, normal.cdf(bias + x / (1 - a * x)))) for x in z)  # type: ignore[return-value]


def test_bca_of_a_skewed_mean_agrees_with_scipy_and_the_formula() -> None:
    """The ends from 200,000 samples are right to about 0.02 standard errors of the gain; 0.1 are allowed."""
    n = 40
    d = np.round(RNG.exponential(1, n) ** 2, 2)  # sums of decimals have exact distributions
    exact = outscore.compare(np.zeros(n), d, interval="bca").comparisons[0].interval
    assert exact.exact
    gains = d[RNG.integers(0, n, (200_000, n))].mean(axis=1)
    by_hand = _bca_by_hand(gains, (d.sum() - d) / (n - 1), float(d.mean()), 0.95)
    scipys = stats.bootstrap((d,), np.mean, n_resamples=20_000, method="BCa", rng=RNG).confidence_interval
    slack = 0.1 * float(d.std()) / n**0.5
    assert (exact.low, exact.high) == pytest.approx(by_hand, abs=slack)
    assert (exact.low, exact.high) == pytest.approx((scipys.low, scipys.high), abs=2 * slack)
    percentile = outscore.compare(np.zeros(n), d, interval="percentile").comparisons[0].interval
    assert exact.low > percentile.low
    assert exact.high > percentile.high


def test_bca_of_f1() -> None:
    gold = RNG.poisson(2, 60)
    tp = [RNG.binomial(gold, part) for part in (0.5, 0.6)]
    one, other = (np.column_stack([t, t + RNG.poisson(0.7, 60), gold]) for t in tp)
    found = outscore.compare(one, other, metric="f1", interval="bca", n_resamples=100_000).comparisons[0]
    assert not found.interval.exact

    def gains(weights: Any) -> Any:
        before, after = weights @ one, weights @ other
        return 2 * after[..., 0] / (after[..., 1] + after[..., 2]) - 2 * before[..., 0] / (
            before[..., 1] + before[..., 2]
        )

    drawn = gains(RNG.multinomial(60, np.full(60, 1 / 60), 100_000))
    by_hand = _bca_by_hand(drawn, gains(1 - np.eye(60)), found.gain, 0.95)
    assert (found.interval.low, found.interval.high) == pytest.approx(by_hand, abs=0.06 * float(drawn.std()))


@pytest.mark.parametrize("interval", ["percentile", "basic", "bca"])
def test_intervals_without_spread_are_points(interval: str) -> None:
    for systems in (([1, 2, 3], [2, 3, 4]), ([1, 2, 3], [1, 2, 3])):
        comparison = outscore.compare(*systems, interval=interval).comparisons[0]
        assert comparison.interval.low == comparison.interval.high == comparison.gain


def test_the_histogram_is_the_law() -> None:
    one, other = RNG.integers(0, 2, 50), RNG.integers(0, 2, 50)
    exact = outscore.compare(one, other, metric="accuracy").comparisons[0].histogram
    sampled = outscore.compare(one, other, metric="accuracy", method="monte-carlo", n_resamples=50_000).comparisons[0]
    assert sum(exact.probabilities) == pytest.approx(1)
    gains = (other - one)[RNG.integers(0, 50, (50_000, 50))].mean(axis=1)
    edges = [-np.inf, *exact.edges[1:-1], np.inf]
    shares = np.histogram(gains, edges)[0] / 50_000
    # 24 bins at 5 standard errors: one false alarm in 70,000.
    assert np.abs(np.array(exact.probabilities) - shares).max() < 5 * (0.25 / 50_000) ** 0.5
    assert sum(sampled.histogram.probabilities) == pytest.approx(1)
