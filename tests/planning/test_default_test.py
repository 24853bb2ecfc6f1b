"""Plans state the power of the test that a comparison takes by default."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.stats import multinomial

import outscore
from outscore import Level, Pilot, Rates, Spread, plan_gate, plan_items, plan_power, plan_table
from outscore._types import FloatArray
from outscore.errors import OptionError
from outscore.metrics import Accuracy, Mean
from outscore.results import Alternative, Claim
from outscore.significance import PairedT, RobustT, SkewT
from tests.planning.kit import Margin, Simulation, normal_margin_power, normal_power
from tests.planning.populations import clustered, length_pilot, pilot, real_f1, skewed
from tests.significance.kit import Leverage, Pair, SimulatedSets


def of_words(n: int = 40) -> Pair:
    """Errors in sentences of lognormal lengths, those of both systems alike."""
    rng = np.random.default_rng(9)
    words = np.ceil(rng.lognormal(2.5, 0.8, n))
    one, other = (np.column_stack([rng.binomial(words.astype(int), rate), words]).astype(float) for rate in (0.3, 0.2))
    return Pair(Mean(higher_is_better=False), one, other)


def in_strata() -> Pair:
    words = of_words(45)
    return Pair(words.metric, words.baseline, words.candidate, np.repeat([0, 1, 2], [5, 12, 28]))


PAIRS = {
    "mean": skewed(50).pair,
    "clusters": clustered(30).pair,
    "words": of_words(),
    "strata": in_strata(),
    "F1": real_f1().pair,
    "BLEU": length_pilot().pair,
}


def drawn(pair: Pair, units: int, count: int) -> FloatArray:
    """Weights of test sets, at least two units of each stratum."""
    rng = np.random.default_rng(11)
    weights = np.zeros((count, pair.n_units))
    strata = np.zeros(pair.n_units, dtype=int) if pair.strata is None else pair.strata
    for code in np.unique(strata):
        members = np.flatnonzero(strata == code)
        share = max(2, units * len(members) // pair.n_units)
        weights[:, members] = rng.multinomial(share, np.full(len(members), 1 / len(members)), size=count)
    return weights


def made(pair: Pair, weights: FloatArray) -> Pair:
    index = np.repeat(np.arange(pair.n_units), weights.astype(int))
    strata = None if pair.strata is None else pair.strata[index]
    return Pair(pair.metric, pair.baseline[index], pair.candidate[index], strata)


@pytest.mark.parametrize("name", PAIRS)
def test_a_simulated_set_has_the_spread_of_the_pair_that_it_makes(name: str) -> None:
    pair = PAIRS[name]
    weights = drawn(pair, 40, 6)
    found = SimulatedSets(pair, weights).spread()
    for i, row in enumerate(weights):
        expected, own = made(pair, row).spread, found.at(i)
        for moment in ("variance", "skewness", "effective", "design_degrees", "cautious"):
            assert getattr(own, moment) == pytest.approx(getattr(expected, moment), rel=1e-9, abs=1e-12)


def test_sets_of_one_unit_with_all_the_size_or_of_equal_gains_are_known() -> None:
    rows = np.array([[1.0, 4.0], [0.0, 0.0], [1.0, 1.0]])
    pair = Pair(Mean(), np.zeros_like(rows) + rows * [0, 1], rows)
    spread = SimulatedSets(pair, np.array([[1.0, 2.0, 0.0], [3.0, 0.0, 0.0]])).spread()
    assert np.isinf(np.asarray(spread.variance)[0])
    assert np.asarray(spread.variance)[1] == 0
    assert list(SkewT().decides_draws(SimulatedSets(pair, np.array([[3.0, 0, 0]])), 0.05, two_sided=True)) == [False]
    assert list(SkewT().decides_draws(SimulatedSets(pair, np.array([[9.0, 0, 0]])), 0.05, two_sided=True)) == [True]


def stratified(simulation: Simulation) -> Pilot:
    """Skewed differences in three strata, the smallest of which has fewer than ten units in a test set of 40."""
    d = np.random.default_rng(3).lognormal(0, 0.6, 90) - 1
    return pilot(Mean(), np.zeros(90), d, strata=np.repeat([0, 1, 2], [10, 24, 56]), simulation=simulation)


MADE = {"mean": partial(skewed, 60), "clusters": clustered, "F1": real_f1, "strata": stratified}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_the_default_decides_on_simulated_sets_as_it_does_itself(make: Any) -> None:
    population = make(simulation=Simulation(100, n_checks=100))
    assert population.default_tests[0].name == "skew-t"
    (row,) = plan_power(population, 40, 0.3 * population.largest_gain(), tests=["skew-t"]).rows
    assert row.power.check is not None
    assert (row.power.check.n_sets, row.power.check.n_more, row.power.check.n_fewer) == (100, 0, 0)
    assert 0 < row.power.value < 1


@pytest.mark.parametrize("n", [5, 8, 10, 12, 20, 50, 200])
@pytest.mark.parametrize("level", [Level(), Level(0.01), Level(0.05, 1, Alternative.GREATER)], ids=str)
def test_the_power_for_normal_differences_is_that_of_simulation(n: int, level: Level) -> None:
    """20,000 sets (2,000 of 200): within 1 point, or three standard errors where these are more."""
    gain, count = 2.9 / n**0.5, 20_000 if n < 100 else 4_000
    differences = np.random.default_rng(n).normal(gain, 1, (count, n))
    gains = differences.mean(axis=1)
    spread = Leverage(np.ones(n)).spread((differences - gains[:, None]) / np.sqrt(n * (n - 1)))
    found = SkewT().rejects(gains, n, spread, level.alpha, level.alternative).mean()
    power = normal_power(SkewT(), n, gain, 1.0, level).value
    assert power == pytest.approx(found, abs=max(0.01, 3 * (power * (1 - power) / count) ** 0.5))
    assert power < normal_power(PairedT(), n, gain, 1.0, level).value
    assert normal_power(RobustT(), n, gain, 1.0, level) == normal_power(PairedT(), n, gain, 1.0, level)


@pytest.mark.parametrize("claim", [Claim.NOT_WORSE, Claim.EQUIVALENT])
@pytest.mark.parametrize(("n", "size"), [(10, 1.2), (20, 0.7)])
def test_the_power_to_show_a_claim_of_normal_differences_is_that_of_simulation(
    claim: Claim, n: int, size: float
) -> None:
    count = 20_000
    differences = np.random.default_rng(2).normal(0.1, 1, (count, n))
    gains = differences.mean(axis=1)
    spread = Leverage(np.ones(n)).spread((differences - gains[:, None]) / np.sqrt(n * (n - 1)))
    shown = SkewT().rejects(gains + size, n, spread, 0.05, Alternative.GREATER)
    if claim is Claim.EQUIVALENT:
        shown &= SkewT().rejects(gains - size, n, spread, 0.05, Alternative.LESS)
    power = normal_margin_power(n, 0.1, 1.0, Margin(claim, size, test="skew-t"), Level()).value
    assert power == pytest.approx(shown.mean(), abs=0.01)


def test_the_power_of_right_or_wrong_items_is_the_sum_over_comparisons() -> None:
    n, helped, hurt = 24, 0.45, 0.05
    found = 0.0
    for h in range(n + 1):
        for t in range(n - h + 1):
            mass = multinomial.pmf([h, t, n - h - t], n, [helped, hurt, 1 - helped - hurt])
            if mass > 1e-6:
                baseline, candidate = np.zeros(n), np.zeros(n)
                candidate[:h], baseline[h : h + t] = 1, 1
                result = outscore.compare(baseline, candidate, metric="accuracy")
                found += mass * (result.comparisons[0].test.p_value <= 0.05)
    (row, *_) = plan_power(Rates(hurt), n, helped - hurt).rows
    assert row.test == "randomization"
    assert row.power.value == pytest.approx(found, abs=1e-4)


def compared(population: Pilot, **options: Any) -> str:
    """The name of the test that a comparison of a pilot's systems takes."""
    pair = population.pair
    result = outscore.compare(*(pair.metric.score(rows) for rows in (pair.baseline, pair.candidate)), **options)
    return str(result.comparisons[0].test.name)


def test_plans_begin_with_the_test_that_compare_takes() -> None:
    rng = np.random.default_rng(8)
    right = [(rng.random(120) < share).astype(float) for share in (0.5, 0.7)]
    binary = pilot(Accuracy(), *right)
    halves = np.repeat(np.arange(40), 3)
    for population, options in (
        (binary, {"metric": "accuracy"}),
        (pilot(Accuracy(), *right, clusters=halves), {}),
        (skewed(60), {"metric": "mean"}),
    ):
        first = plan_power(population, 100, 0.1).rows[0].test
        own = outscore.compare(*right, metric="accuracy", clusters=halves) if not options else None
        expected = compared(population, **options) if own is None else own.comparisons[0].test.name
        assert first == expected
    assert [row.test for row in plan_power(Spread(1.0), 50, 0.5).rows] == ["skew-t", "bootstrap", "paired-t"]
    assert [row.test for row in plan_power(binary, 100, 0.1, tests="auto").rows] == ["randomization"]


@pytest.mark.parametrize("metric", ["mean", "mean:lowest=-20,highest=20"])
def test_claims_with_a_margin_are_planned_with_the_test_that_compare_takes(metric: str) -> None:
    rng = np.random.default_rng(5)
    baseline = rng.normal(0, 1, 200)
    candidate = baseline + rng.normal(0.05, 0.5, 200)
    population = outscore.pilot(baseline, candidate, metric=metric, n_sets=400, n_checks=20)
    (row,) = plan_power(population, 200, 0.0, claim="not-worse", margin=0.1).rows
    result = outscore.compare(baseline, candidate, metric=metric, claim="not-worse", margin=0.1)
    assert row.test == result.comparisons[0].test.name == ("skew-t" if metric == "mean" else "score")
    assert row.power.check is not None
    assert row.power.check.n_more + row.power.check.n_fewer <= (0 if row.test == "skew-t" else 2)
    assert plan_gate(population, 0.2).test == row.test


def test_claims_are_planned_with_another_test_on_request_where_it_is_known() -> None:
    rows = [plan_items(Spread(0.4), 0.0, claim="not-worse", margin=0.05, tests=test).rows[0] for test in ((), "score")]
    assert [row.test for row in rows] == ["skew-t", "score"]
    assert rows[0].items == pytest.approx(rows[1].items, rel=0.02)
    with pytest.raises(OptionError, match="use skew-t or score, got bootstrap"):
        plan_power(Spread(0.4), 100, 0.0, claim="equivalent", margin=0.05, tests="bootstrap")
    with pytest.raises(OptionError, match="use score, got skew-t"):
        plan_power(Rates(0.05), 100, 0.0, claim="equivalent", margin=0.05, tests="skew-t")


def test_tables_know_the_default_test_by_auto() -> None:
    auto, named = (plan_table(100, 0.05, hurt_percents=[2], test=test) for test in ("auto", "randomization"))
    assert auto == named
    with pytest.raises(OptionError, match=r"paired-t, cr2-t, skew-t, sign, wilcoxon, mcnemar[.]"):
        plan_table(100, 0.05, test="foo")


def test_what_is_said_names_the_test() -> None:
    assert "20 items, the skewness-corrected t-test detects" in str(plan_power(Spread(1.0), 20, 0.7))
    assert "items, the paired randomization test detects" in str(plan_power(Rates(0.05), 100, 0.05))
    assert "skewness-corrected t-test shows that" in str(plan_power(Spread(1.0), 90, claim="not-worse", margin=0.5))
    assert "passes if the skewness-corrected t-test rejects" in str(plan_gate(Spread(1.0), 0.5, target=0.8))
    assert "passes if the score test rejects" in str(plan_gate(Rates(0.05), 0.1, target=0.8))
