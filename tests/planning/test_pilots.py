"""Powers from a pilot: against closed forms, against the tests themselves, and what has to be refused."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta

from outscore import Level, Pilot, Rates, Spread, plan_gain, plan_gate, plan_items, plan_power
from outscore.errors import DataError, NotApplicableError, OptionError
from outscore.metrics import Accuracy, Mean
from outscore.results import Alternative
from outscore.significance import (
    Bootstrap,
    BootstrapUncentred,
    McNemar,
    PairedT,
    Randomization,
    Sign,
    SignificanceTest,
    TwoSampleT,
    Wilcoxon,
)
from tests.planning.kit import OPTIMISM, Simulation
from tests.planning.populations import clustered, pilot, real_f1, skewed

GREATER, TWO_SIDED = Level(alternative=Alternative.GREATER), Level(alternative=Alternative.TWO_SIDED)
QUICK = Simulation(n_sets=2_000, seed=1)


def standard_error(share: float, n_sets: int) -> float:
    return float(np.sqrt(max(share * (1 - share), 1e-4) / n_sets))


def test_a_pilot_of_normal_differences_has_the_power_of_their_standard_deviation() -> None:
    """4 standard errors of 5,000 sets: false alarms 6e-5 each."""
    differences = np.random.default_rng(0).normal(0.1, 1, 800)
    population = pilot(Mean(), np.zeros(800), differences, simulation=Simulation(5_000, 3))
    gain = 0.2
    sd = population.deviation(gain)
    tests = [PairedT(), Bootstrap(), Randomization()]
    for level in (GREATER, TWO_SIDED):
        plans = [plan_power(of, 150, gain, tests=tests, level=level) for of in (population, Spread(sd))]
        for simulated, known in ((a.power, b.power) for a, b in zip(plans[0].rows, plans[1].rows, strict=True)):
            assert abs(simulated.value - known.value) < 4 * standard_error(known.value, 5_000)
            assert simulated.low < known.value + 0.01
            assert simulated.high > known.value - 0.01
            assert simulated.type_m == pytest.approx(known.type_m, rel=0.02)
            assert simulated.reversed == pytest.approx(known.reversed, abs=0.005)


def test_right_or_wrong_pilots_have_exact_powers() -> None:
    helped, hurt, same = 60, 40, 900
    baseline = np.repeat([0, 1, 1], [helped, hurt, same])
    candidate = np.repeat([1, 0, 1], [helped, hurt, same])
    population = pilot(Accuracy(), baseline, candidate)
    tests = [Bootstrap(), McNemar(), Sign(), PairedT()]
    found = plan_power(population, 1500, 0.02 + 1e-12, tests=tests)
    known = plan_power(Rates(0.04, 0.06), 1500, 0.02, tests=tests)
    assert found.seed is None
    assert [row.power.value for row in found.rows] == pytest.approx([row.power.value for row in known.rows], rel=1e-6)
    # For another gain the rates move against each other, their product over what is unchanged squared staying.
    tilted = plan_power(population, 1500, 0.04, tests=[McNemar()]).rows[0].power
    u = np.roots([60 * 0.96, -900 * 0.04, -40 * 1.04]).max()
    whole = 60 * u + 40 / u + 900
    expected = plan_power(Rates(40 / u / whole, 60 * u / whole), 1500, 0.04, tests=[McNemar()]).rows[0].power
    assert tilted.value == pytest.approx(expected.value, rel=1e-8)


SHORTCUT_TESTS: list[SignificanceTest] = [Bootstrap(), BootstrapUncentred(), Randomization()]


@pytest.mark.slow
@pytest.mark.parametrize("level", [GREATER, TWO_SIDED, Level(0.01, 1, Alternative.GREATER)], ids=str)
def test_the_shortcut_decides_as_the_tests_do_on_f1(level: Level) -> None:
    """The test itself is a simulation within the simulation: a few of 150 decisions differ by its noise alone."""
    population = real_f1(Simulation(256, 5, n_checks=150))
    for row in plan_power(population, 300, 0.06, tests=SHORTCUT_TESTS, level=level).rows:
        check = row.power.check
        assert check is not None
        assert check.n_sets == 150
        assert check.n_more + check.n_fewer <= 7
        assert abs(check.n_more - check.n_fewer) <= 6


@pytest.mark.slow
@pytest.mark.parametrize("level", [GREATER, TWO_SIDED], ids=str)
def test_the_shortcut_decides_as_the_exact_tests_do_on_skewed_means(level: Level) -> None:
    population = skewed(300, simulation=Simulation(256, 5, n_checks=20))
    tests = [*SHORTCUT_TESTS, PairedT(), Sign(), Wilcoxon()]
    for row in plan_power(population, 80, 0.25, tests=tests, level=level).rows:
        check = row.power.check
        assert check is not None
        assert check.n_more + check.n_fewer <= (0 if row.test in ("paired-t", "sign") else 1), row


def test_the_shortcut_decides_as_the_exact_tests_do_on_whole_numbers_in_clusters() -> None:
    """Whole numbers have ties with the threshold, which count."""
    rng = np.random.default_rng(8)
    clusters = np.repeat(np.arange(80), 3)
    baseline, candidate = rng.integers(0, 2, 240), rng.integers(0, 2, 240)
    population = pilot(Accuracy(), baseline, candidate, clusters=clusters, simulation=Simulation(256, 6, n_checks=200))
    for row in plan_power(population, 150, 0.1, tests=[*SHORTCUT_TESTS, Sign()]).rows:
        assert row.units == 50
        check = row.power.check
        assert check is not None
        assert check.n_more + check.n_fewer <= 2, row


def test_without_a_gain_tests_keep_their_level() -> None:
    """A gain of next to nothing: the power is the level. 4,000 sets; 4 standard errors are 0.014."""
    for row in plan_power(real_f1(Simulation(4_000, 9)), 1000, 1e-6, tests=[Bootstrap(), Randomization()]).rows:
        assert abs(row.power.value - 0.05) < 0.014
        assert row.power.reversed == pytest.approx(0.5, abs=0.035)


def test_clusters_cost_power() -> None:
    whole, alone = (clustered(named=named, simulation=QUICK) for named in (True, False))
    found, naive = (plan_power(population, 200, 0.3, tests=[Bootstrap()]).rows[0] for population in (whole, alone))
    assert (found.units, naive.units) == (40, 200)
    assert found.power.value < naive.power.value - 0.2
    # The design effect of 5 items that share half of their variance is 1 + 4·½ = 3.
    assert whole.deviation(0.2) / alone.deviation(0.2) == pytest.approx(3**0.5, rel=0.15)


def test_the_detectable_gain_of_f1_has_the_power_and_shrinks_with_the_root_of_the_items() -> None:
    population = real_f1(Simulation(3_000, 7))
    plan = plan_gain(population, [400, 1600], tests=[Randomization()])
    small, large = plan.rows
    assert small.gain / large.gain == pytest.approx(2, rel=0.1)
    for row in plan.rows:
        assert row.low is not None
        assert row.high is not None
        assert row.low < row.gain < row.high
        assert (row.high - row.low) / row.gain < 0.1
        again = plan_power(real_f1(Simulation(3_000, 8)), row.items, row.gain, tests=[Randomization()]).rows[0].power
        assert abs(again.value - 0.8) < 0.035
    needed = plan_items(population, small.gain, tests=[Randomization()]).rows[0]
    assert needed.low is not None
    assert needed.high is not None
    assert needed.low < 400 < needed.high
    assert plan.metric.as_percentage


def results(plan: Any) -> list[tuple[float, float | None, float]]:
    return [(row.power.value, row.power.type_m, row.power.reversed) for row in plan.rows]


def test_the_same_seed_gives_the_same_powers_on_any_executor() -> None:
    alone = results(plan_power(skewed(200, simulation=QUICK), [60, 120], 0.2))
    with ThreadPoolExecutor(2) as threads:
        assert results(plan_power(skewed(200, simulation=replace(QUICK, executor=threads)), [60, 120], 0.2)) == alone
    with ProcessPoolExecutor(1) as processes:
        assert results(plan_power(skewed(200, simulation=replace(QUICK, executor=processes)), [60, 120], 0.2)) == alone
    assert results(plan_power(skewed(200, simulation=replace(QUICK, seed=0)), [60, 120], 0.2)) != alone


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    simulation = replace(QUICK, progress=lambda done, total: told.append((done, total)))
    plan_power(skewed(100, simulation=simulation), 50, 0.2, tests=[PairedT()])
    assert told[-1] == (2_000, 2_000)
    assert len(told) == 8


def test_the_power_that_a_pilot_itself_had_is_refused() -> None:
    population = skewed(120, simulation=QUICK)
    own = population.observed.gain
    with pytest.raises(OptionError, match=r"Hoenig & Heisey 2001.*\[observed-power\]"):
        plan_power(population, 120, own)
    with pytest.raises(OptionError, match="observed-power"):
        plan_power(population, [60, 120], [0.3, own * 1.001])
    assert plan_power(population, 240, own, tests=[PairedT()]).rows[0].power.value > 0


def test_gains_beyond_what_a_pilot_can_stand_for_are_refused() -> None:
    population = real_f1(QUICK)
    with pytest.raises(OptionError, match=r"expected a gain above 0 and up to 0\.\d+ \(a fraction") as caught:
        plan_power(population, 500, 0.99)
    assert caught.value.problems[0].slug == "impossible-gain"
    for gain in (0.0, -0.01):
        with pytest.raises(OptionError, match="above 0"):
            plan_power(population, 500, gain)
    with pytest.raises(OptionError, match="No gain up to"):
        plan_gain(population, 4, tests=[Randomization()])  # whose least p-value is 1/16
    far = plan_power(population, 500, 0.9 * population.largest_gain(), tests=[Randomization()])
    assert any("depends on an effective number" in note for note in far.notes)


def test_pilots_without_spread_are_refused() -> None:
    scores = np.arange(10.0)
    for other in (scores, scores + 0.1):
        with pytest.raises(DataError, match="the variance cannot be estimated"):
            pilot(Mean(), scores, other)
    with pytest.raises(DataError, match="at least 2 clusters"):
        pilot(Mean(), scores, scores[::-1], clusters=np.zeros(10, dtype=int))


def test_pilots_of_few_units_that_differ_are_refused_or_warned_of() -> None:
    def on(differing: int) -> Pilot:
        changes = np.resize([1, 1, 0], differing)
        baseline = np.concatenate([1 - changes, np.ones(100, dtype=int)])
        return pilot(Accuracy(), baseline, np.concatenate([changes, np.ones(100, dtype=int)]))

    (imprecise,) = [note for note in plan_power(on(9), 300, 0.05).notes if "imprecise" in note]
    # Clopper and Pearson's interval of 9 of 109.
    ends = [float(beta.ppf(*of)) for of in ((0.025, 9, 101), (0.975, 10, 100))]
    assert f"only 9 of 109 units. In the population {100 * ends[0]:.1f}% to {100 * ends[1]:.1f}%" in imprecise
    assert f"{ends[0] * 109 / 9:.2g} to {ends[1] * 109 / 9:.2g} times as many" in imprecise
    with pytest.raises(DataError, match="at least 10 items, got 9 of 9"):
        pilot(Accuracy(), [0, 0, 0, 1] + [0] * 5, [1, 1, 1, 0] + [1] * 5)
    few, enough = (plan_power(on(differing), 300, 0.05).notes for differing in (10, 50))
    assert any("differ on only 10 of these units" in note for note in few)
    assert not any("of these units" in note for note in enough)


@pytest.mark.parametrize("wins", [0, 3, 6, 9])
def test_a_gate_can_be_planned_from_few_items_that_differ(wins: int) -> None:
    differing = np.repeat([1, 0], [wins, 9 - wins])
    baseline = np.concatenate([1 - differing, np.ones(391, dtype=int)])
    candidate = np.concatenate([differing, np.ones(391, dtype=int)])
    plan = plan_gate(pilot(Accuracy(), baseline, candidate), "2%")
    assert sum("This plan is imprecise" in note for note in plan.notes) == 1
    # An equal candidate differs on about as many items, half of them wins.
    exact = plan_gate(Rates(9 / 800), "2%")
    assert plan.rows[0].items == pytest.approx(exact.rows[0].items, rel=0.1)


def test_a_margin_in_per_cent_is_clear_for_a_pilot_of_0_and_1() -> None:
    baseline, candidate = [1, 0] * 50, [0, 1] * 20 + [1, 0] * 30
    of_mean, of_accuracy = (plan_gate(pilot(metric, baseline, candidate), "5%") for metric in (Mean(), Accuracy()))
    assert (of_mean.margin, of_mean.rows) == (0.05, of_accuracy.rows)
    with pytest.raises(OptionError, match="is not a proportion"):
        plan_gate(pilot(Mean(), baseline, [3 * score for score in candidate]), "5%")


def test_a_pilot_whose_spread_one_unit_makes_is_refused() -> None:
    """30 differences of 0.2 and one of -5: tilted to a gain of 0.19 the one is left out, and 2 items seem enough."""
    with pytest.raises(DataError, match=r"at least 3 effective units, got 1\.1 of 31 .*\[few-effective-units\]"):
        pilot(Mean(), np.zeros(31), np.array([0.2] * 30 + [-5.0]))


def test_effective_units_are_those_that_carry_the_spread() -> None:
    def effective(differences: object) -> float:
        values = np.asarray(differences, dtype=float)
        return pilot(Mean(), np.zeros(len(values)), values)._tilting.effective_units

    assert effective(np.resize([1, -1], 40)) == pytest.approx(40)
    assert effective([*np.resize([1, -1], 40), *np.zeros(60)]) == pytest.approx(40)
    assert effective(np.random.default_rng(0).normal(0, 1, 9_000)) == pytest.approx(3_000, rel=0.1)


def test_gains_that_would_leave_the_spread_out_are_refused() -> None:
    """100 units of 0.2 and 6 of -5: a gain of 0.19 leaves next to nothing of the 6."""
    population = pilot(Mean(), np.zeros(106), np.array([0.2] * 100 + [-5.0] * 6), simulation=QUICK)
    assert population.largest_gain() < 0.15
    for gain in (0.19, 0.2):
        with pytest.raises(OptionError, match="impossible-gain"):
            plan_items(population, gain)
    gains = np.random.default_rng(1).exponential(1, 200)  # and towards smaller gains than the pilot's own
    with pytest.raises(
        OptionError, match=r"exclude those with large differences \(possible gains: 0\.\d+.*beyond-pilot"
    ):
        plan_items(pilot(Mean(), np.zeros(200), gains, simulation=QUICK), 0.05)


def test_tilting_makes_no_test_set_tell_more_than_the_pilot() -> None:
    """Large losses are rare: a larger gain makes them rarer still, and the spread must not shrink with them."""
    differences = -np.random.default_rng(5).lognormal(0, 1, 300)
    population = pilot(Mean(), np.zeros(300), differences - differences.mean(), simulation=QUICK)
    own = float(differences.std())
    assert population.deviation(0.3) == pytest.approx(own)
    planned = plan_items(population, 0.3, tests=[PairedT()]).rows[0].items
    known = plan_items(Spread(own), 0.3, tests=[PairedT()]).rows[0].items
    assert 0.95 * known < planned < 1.3 * known  # skewed test sets need more than normal ones


def test_plans_from_pilots_say_how_much_too_much_they_promise() -> None:
    assert OPTIMISM in plan_gain(skewed(200, simulation=QUICK), 100, tests=[PairedT()]).notes
    assert not any("promise" in note for note in plan_gain(Spread(1.0), 100, tests=[PairedT()]).notes)


def test_no_pilot_claims_to_tell_the_spread_exactly() -> None:
    """Differences of +1 and -1 alone have a kurtosis of 1, which would tell the spread to within nothing."""
    population = pilot(Accuracy(), np.resize([0, 1], 20), np.resize([1, 0], 20))
    [note] = [note for note in population.notes([0.1]) if "estimates the standard deviation of the gain" in note]
    # Two standard errors of 20 normal values: 2/sqrt(2 * 20).
    assert "±32%" in note


def test_tests_that_do_not_fit_are_refused() -> None:
    population = real_f1(QUICK)
    for test, reason in (
        (PairedT(), "different denominators"),
        (TwoSampleT(), "independent"),
        (McNemar(), "binary items"),
    ):
        with pytest.raises(NotApplicableError, match=reason):
            plan_power(population, 500, 0.02, tests=[test])


def test_a_pilot_whose_candidate_is_worse_still_plans_for_gains() -> None:
    population = pilot(Mean(), np.zeros(200), np.random.default_rng(1).normal(-0.05, 1, 200), simulation=QUICK)
    assert isinstance(population, Pilot)
    row = plan_power(population, 400, 0.15, tests=[PairedT()]).rows[0]
    known = plan_power(Spread(population.deviation(0.15)), 400, 0.15, tests=[PairedT()]).rows[0]
    assert row.power.value == pytest.approx(known.power.value, abs=0.05)


def test_settings_out_of_range() -> None:
    for n_sets, seed, n_checks in ((10, 1, 0), (200, 1, -1), (200, -1, 0), (200, 1, 300)):
        with pytest.raises(OptionError):
            Simulation(n_sets, seed, n_checks)
