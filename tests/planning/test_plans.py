"""Power and its inverses: that they are inverses, and how many comparisons change them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from outscore import Level, Rates, Spread, plan_gain, plan_items, plan_power
from outscore.errors import NotApplicableError, OptionError
from outscore.results import Alternative
from outscore.significance import Bootstrap, ChiSquared, McNemar, PairedT, Randomization, Sign, Wilcoxon
from tests.planning.kit import PlanQuestion, exact_power

GREATER = Level(alternative=Alternative.GREATER)


@pytest.mark.slow
@pytest.mark.parametrize("population", [Rates(0.05), Rates(0.0), Spread(0.4)], ids=str)
@pytest.mark.parametrize("items", [60, 700, 20_000])
@pytest.mark.parametrize("target", [0.5, 0.8, 0.99])
def test_the_detectable_gain_has_the_power(population: Any, items: int, target: float) -> None:
    plan = plan_gain(population, items, target=target)
    for row in plan.rows:
        assert row.power.value == pytest.approx(target, abs=1e-6)
        assert row.low is row.high is None
    again = plan_power(population, items, plan.rows[0].gain).rows[0].power
    assert again.value == pytest.approx(target, abs=1e-6)


@pytest.mark.parametrize(("gain", "hurt"), [(0.1, 0.0), (0.2, 0.1), (0.05, 0.02), (0.02, 0.05)])
def test_the_items_needed_are_the_fewest(gain: float, hurt: float) -> None:
    for row in plan_items(Rates(hurt), gain, tests=[Bootstrap(), McNemar()]).rows:
        test = Bootstrap() if row.test == "bootstrap" else McNemar()
        sizes = range(max(2, row.items - 60), row.items + 17)
        enough = [exact_power(test, n, hurt + gain, hurt, Level()).value >= 0.8 for n in sizes]
        assert all(enough[-17:])
        assert not enough[-18]
        assert not any(enough[:20])


def test_saw_teeth_do_not_mislead() -> None:
    """Where every item differs, 151 items have the power and 155 do not: the answer is where it stays."""
    row = plan_items(Rates(0.4, 0.6), 0.2, tests=[Bootstrap()]).rows[0]
    powers = [exact_power(Bootstrap(), n, 0.6, 0.4, Level()).value for n in range(140, row.items + 17)]
    assert all(value >= 0.8 for value in powers[-17:])
    assert any(value >= 0.8 for value in powers[: row.items - 140])
    assert powers[row.items - 141] < 0.8


@pytest.mark.parametrize("answer", [plan_gain, plan_items])
def test_more_comparisons_ask_for_more(answer: Callable[..., object]) -> None:
    given = 500 if answer is plan_gain else 0.03
    found = []
    for level in (GREATER, Level(), Level(comparisons=10)):
        plan = answer(Rates(0.05), given, tests=[Randomization()], level=level)
        row = plan.rows[0]  # type: ignore[attr-defined]
        found.append(row.gain if answer is plan_gain else row.items)
    assert found == sorted(found)
    assert found[0] < found[1] < found[2]


def test_the_level_of_ten_comparisons_is_a_tenth() -> None:
    one = plan_power(Rates(0.05), 800, 0.03, level=Level(0.005))
    ten = plan_power(Rates(0.05), 800, 0.03, level=Level(0.05, 10))
    assert [row.power for row in one.rows] == [row.power for row in ten.rows]
    assert ten.level == pytest.approx(0.005)
    assert any("Holm" in note for note in ten.notes)
    assert not any("Holm" in note for note in one.notes)


def test_plans_tell_what_they_rest_on() -> None:
    plan = plan_power(Rates(0.05, 0.07), [30, 100], 0.02)
    assert plan.question is PlanQuestion.POWER
    assert plan.schema == "outscore/plan-power/1"
    assert plan.basis == "Scores are binary: 5% losses, 7% wins; items are independent."
    assert [(row.items, row.test) for row in plan.rows[:4]] == [
        (30, "randomization"),
        (30, "bootstrap"),
        (30, "paired-t"),
        (100, "randomization"),
    ]
    assert any("too many false positives" in note for note in plan.notes)
    assert not plan_power(Rates(0.05), 100, 0.02).notes


def test_equal_tests_of_right_or_wrong_items_have_equal_powers() -> None:
    tests = [Randomization(), Sign(), McNemar(), Wilcoxon()]
    assert len({row.power.value for row in plan_power(Rates(0.05), 300, 0.03, tests=tests).rows}) == 1


@pytest.mark.parametrize(
    ("ask", "slug"),
    [
        (lambda: Rates(0.5, 0.6), "rates-above-1"),
        (lambda: Rates(5.0), "not-a-share"),
        (lambda: Rates(-0.1), "out-of-range"),
        (lambda: plan_power(Rates(0.1, 0.1), 100, 0.02), "no-gain"),
        (lambda: plan_items(Rates(0.1, 0.05), 0.02), "no-gain"),
        (lambda: Spread(0.0), "out-of-range"),
        (lambda: Spread(float("nan")), "out-of-range"),
        (lambda: plan_power(Rates(0.4), 100, 0.3), "impossible-gain"),
        (lambda: plan_power(Rates(0.1), 100, 2.0), "not-a-share"),
        (lambda: plan_power(Rates(0.1), 1, 0.1), "out-of-range"),
        (lambda: plan_power(Rates(0.1), 10**8, 0.1), "out-of-range"),
        (lambda: plan_power(Spread(1.0), 10, float("nan")), "out-of-range"),
        (lambda: plan_gain(Rates(0.1), 3), "impossible-gain"),
        (lambda: plan_gain(Rates(0.1), 100, target=0.04), "out-of-range"),
        (lambda: plan_gain(Rates(0.1), 100, target=1.0), "out-of-range"),
        (lambda: plan_items(Rates(0.1), 1e-6), "impossible-gain"),
        (lambda: Level(0.0), "out-of-range"),
        (lambda: Level(0.7), "out-of-range"),
        (lambda: Level(comparisons=0), "out-of-range"),
        (lambda: Level(alternative=Alternative.LESS), "wrong-alternative"),
    ],
)
def test_what_makes_no_sense_is_refused(ask: Callable[[], object], slug: str) -> None:
    with pytest.raises(OptionError) as caught:
        ask()
    assert caught.value.problems[0].slug == slug


def test_tests_without_a_known_power_are_refused() -> None:
    with pytest.raises(NotApplicableError, match="independent"):
        plan_power(Rates(0.1), 100, 0.05, tests=[ChiSquared()])
    with pytest.raises(NotApplicableError, match="more than the mean"):
        plan_power(Spread(1.0), 100, 0.05, tests=[Sign()])


def test_gains_are_reversed_less_often_the_more_items_there_are() -> None:
    rows = plan_power(Spread(1.0), [10, 100, 1000], 0.1, tests=[PairedT()]).rows
    assert (np.diff([row.power.reversed for row in rows]) < 0).all()
    assert (np.diff([row.power.type_m or 0.0 for row in rows]) < 0).all()


def test_the_largest_gain_is_told_in_the_unit_of_the_others() -> None:
    with pytest.raises(OptionError, match="No gain up to 100 points is detected"):
        plan_gain(Rates(0.0), 2, tests="randomization")


def test_many_comparisons_are_written_as_other_counts() -> None:
    notes = plan_power(Rates(0.05), 800, 0.03, level=Level(comparisons=1000)).notes
    assert any(note.startswith("Each of 1,000 comparisons is tested at α/1,000 =") for note in notes)


@pytest.mark.parametrize("claim", ["not-worse", "equivalent"])
def test_systems_as_good_as_each_other_are_the_case_of_a_claim_with_a_margin(claim: str) -> None:
    equal = plan_items(Rates(0.05, 0.05), claim=claim, margin="2%").rows[0]
    assert (equal.gain, equal.items) == (0.0, plan_items(Rates(0.05), claim=claim, margin="2%").rows[0].items)
    assert plan_power(Rates(0.05, 0.05), equal.items, claim=claim, margin="2%").rows[0].power.value >= 0.8


def test_rates_state_the_true_gain_of_a_claim_with_a_margin() -> None:
    worse = plan_items(Rates(0.05, 0.04), claim="not-worse", margin="2%").rows[0]
    assert worse.gain == pytest.approx(-0.01)
    assert worse.items == plan_items(Rates(0.05), -0.01, claim="not-worse", margin="2%").rows[0].items
