"""Planning of a gate: that an equal candidate passes as often as is promised, at the level of each look."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import outscore
from outscore import Rates, Spread, plan_gate
from outscore.errors import OptionError
from outscore.options import speaking_options
from tests.frozen.cases import run
from tests.gating.kit import GateOutcome, GateRule, Look, Margins, gate_scores, spent_level
from tests.planning.kit import RunVariances, variances_of
from tests.reports.written import to_json


def passes(data: list[dict[str, np.ndarray]], margin: float, level: float, **reading: object) -> float:
    """How often the gate itself passes."""
    rule, look = GateRule(Margins(margin)), Look(1, 1, level)
    outcomes = [gate_scores(outscore.read(one, **reading), rule, look).outcome for one in data]  # type: ignore[arg-type]
    return outcomes.count(GateOutcome.PASSED) / len(outcomes)


@pytest.mark.slow
@pytest.mark.parametrize(("look", "target"), [(1, 0.9), (5, 0.8)])
def test_the_gate_passes_equal_candidates_as_often_as_is_planned(look: int, target: float) -> None:
    """Right or wrong, 5% helped and hurt, margin 12 points; 4,000 sets, of which many are alike.

    Four standard errors are 2.5 points at 80%, 1.9 at 90%: one of 10,000 runs is further off by chance.
    """
    plan = plan_gate(Rates(hurt=0.05), 0.12, target=target, look=look)
    (row,) = [row for row in plan.rows if row.look == look]
    assert row.items is not None
    assert row.power == pytest.approx(target, abs=0.04)
    helped, hurt = np.random.default_rng(look).multinomial(row.items, [0.05, 0.05, 0.9], size=4_000).T[:2]
    shown: dict[tuple[int, int], bool] = {}
    for counts in zip(helped.tolist(), hurt.tolist(), strict=True):
        if counts not in shown:
            change = np.repeat([1, -1, 0], [*counts, row.items - sum(counts)])
            data = {"base": (change < 0).astype(int), "new": (change > 0).astype(int)}
            shown[counts] = passes([data], 0.12, row.level, metric="accuracy") == 1
    power = np.mean([shown[counts] for counts in zip(helped.tolist(), hurt.tolist(), strict=True)])
    assert power == pytest.approx(row.power, abs=4 * math.sqrt(target * (1 - target) / 4_000))


@pytest.mark.slow
def test_from_a_pilot_and_from_a_standard_deviation() -> None:
    """Graded scores from 0 to 1, margin 0.04, look 1; 150 sets.

    Four standard errors are 13 points, and a pilot of 400 items adds what it leaves open.
    """
    rng = np.random.default_rng(3)

    def draw(n: int) -> dict[str, np.ndarray]:
        ease = rng.beta(2, 2, n)
        return {name: np.clip(ease + rng.normal(0, 0.15, n), 0, 1) for name in ("base", "new")}

    many = draw(10**6)
    sd = float((many["new"] - many["base"]).std())
    (row,) = plan_gate(Spread(sd), 0.04, target=0.8, looks=2).rows
    assert row.items is not None
    metric = "mean:lowest=0,highest=1"
    power = passes([draw(row.items) for _ in range(150)], 0.04, row.level, metric=metric)
    assert power == pytest.approx(0.8, abs=4 * math.sqrt(0.16 / 150))
    one = draw(400)
    (of_pilot,) = plan_gate(
        outscore.pilot(one["base"], one["new"], metric=metric, n_sets=1_000), 0.04, target=0.8, looks=2
    ).rows
    assert of_pilot.items == pytest.approx(row.items, rel=0.25)
    assert of_pilot.items_low < of_pilot.items < of_pilot.items_high  # type: ignore[operator]


@pytest.mark.slow
def test_runs_that_are_planned_are_enough() -> None:
    """Runs with an effect of their own, 5 of each system; 100 sets: four standard errors are 16 points."""
    rng = np.random.default_rng(6)
    known = RunVariances.of_sds(0.3, 0.01, 0.2)
    rows = plan_gate(known, 0.1, target=0.8, looks=2).rows
    (row,) = [row for row in rows if row.runs == 5]
    assert row.items is not None
    data = []
    for _ in range(100):
        ease = rng.normal(0.5, 0.2, (row.items, 1))
        own = rng.normal(0, 0.3 / math.sqrt(2), (2, row.items, 1))
        cells = ease + own + rng.normal(0, 0.01, (2, 1, 5)) + rng.normal(0, 0.2, (2, row.items, 5))
        data.append({"base": cells[0], "new": cells[1]})
    assert passes(data, 0.1, row.level, runs="random") == pytest.approx(0.8, abs=0.16)


def test_looks_are_spent_as_the_gate_spends_them() -> None:
    plan = plan_gate(Rates(hurt=0.02), "3%", look=7, target=["80%", 0.9])
    assert [row.look for row in plan.rows] == [1, 1, 5, 5, 7, 7, 20, 20, 50, 50]
    rule = GateRule(Margins(0.03))
    assert all(row.level == spent_level(rule, row.look) for row in plan.rows)
    alone = outscore.plan_items(
        outscore.Rates(hurt=0.02),
        claim="not-worse",
        margin=0.03,
        level=outscore.Level(0.05 / 56, alternative=outscore.Alternative.GREATER),
    )
    assert next(row.items for row in plan.rows if row.look == 7) == alone.rows[0].items
    assert [(row.look, row.level) for row in plan_gate(Rates(0.02), 0.03, looks=20, target=0.8).rows] == [(1, 0.0025)]
    by_commit = plan_gate(Rates(0.02), 0.03, error="per-commit", target=0.8)
    assert [(row.look, row.level) for row in by_commit.rows] == [(1, 0.05)]


def test_other_looks_of_a_simulated_pilot_are_scaled() -> None:
    rng = np.random.default_rng(1)
    graded = rng.beta(2, 2, (2, 200))
    plan = plan_gate(outscore.pilot(*graded, metric="mean:lowest=0,highest=1", n_sets=200), 0.1, target=0.8)
    exact = plan_gate(Spread(float((graded[1] - graded[0]).std())), 0.1, target=0.8)
    for row, other in zip(plan.rows, exact.rows, strict=True):
        assert row.items == pytest.approx(other.items, rel=0.15)
        assert (row.power is None) == (row.look != 1)
    assert any("not simulated" in note for note in plan.notes)


def test_runs_of_a_pilot() -> None:
    stream = np.random.default_rng(0)
    systems = {
        name: stream.normal(0, 5, (80, 1)) + stream.normal(0, 0.6, 4) + stream.normal(0, 3, (80, 4)) for name in "ab"
    }
    plan = plan_gate(variances_of(outscore.read(systems, runs="random")), 2.0, target=0.8)
    first = [row for row in plan.rows if row.look == 1]
    assert [row.runs for row in first] == [3, 5, 10]
    items = [row.items for row in first]
    assert items == sorted(items, reverse=True)  # type: ignore[type-var]
    assert len(plan.runs_needed) == 4
    assert plan.runs_needed[0].items == 80
    # As for a gain of the margin: the same distance from what is rejected.
    gain = outscore.plan_runs(
        outscore.read(systems, runs="random"),
        gain=2.0,
        level=outscore.Level(0.025, alternative=outscore.Alternative.GREATER),
    )
    assert {one.runs: one.items for one in gain.items_needed} == {row.runs: row.items for row in first}


def test_no_number_of_items_will_do() -> None:
    plan = plan_gate(RunVariances.of_sds(1.0, 1.0), 0.1, looks=1)
    assert {(row.items, row.units, row.power) for row in plan.rows if row.runs == 3} == {(None, None, None)}
    assert "not possible" in str(plan)


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        ({"margin": 0}, "margin"),
        ({"margin": -0.1}, "margin"),
        ({"margin": 2}, "margin"),
        ({"look": 0}, "look"),
        ({"looks": 3, "look": 4}, "look"),
        ({"error": "per-commit", "look": 2}, "look"),
        ({"looks": 0}, "looks"),
        ({"alpha": 1.0}, "alpha"),
        ({"error": "weekly"}, "error"),
        ({"target": 0.01}, "target"),
        ({"target": 1.0}, "target"),
        ({"target": []}, "target"),
    ],
)
def test_what_is_refused(arguments: dict[str, object], option: str) -> None:
    with pytest.raises(OptionError, match=rf"^{option}: "):
        plan_gate(Rates(0.05), **{"margin": 0.02, **arguments})  # type: ignore[arg-type]


def test_the_command_line_says_the_same() -> None:
    status, out, _ = run("plan gate --helped 4% --hurt 4% --margin 3% --look 2 --power 80%,0.9 --format json")
    assert status == 0
    with speaking_options():
        made = plan_gate(Rates(hurt=0.04), "3%", look=2)
    assert json.loads(out) == json.loads(to_json(made))
    status, _, err = run("plan gate --helped 4% --hurt 5% --margin 3%")
    assert (status, err) == (
        2,
        "--helped: a candidate as good as the baseline has as many wins as losses, got 4% wins. Pass only --hurt. "
        "[usage]\n",
    )
    status, out, _ = run("plan gate --helped 4% --margin 3%")
    assert "At check 1 (level 0.025), an equally good candidate passes" in " ".join(out.split())
