"""Planning of runs: the variance of equation 1 and its inverses, and how often the crossed t test keeps the promise."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outscore
from outscore import Level
from outscore.errors import DataError, OptionError
from outscore.gains.pairing import pair_of
from outscore.wings.planning.runs import _noncentral
from tests.frozen.cases import run
from tests.laws.kit import student_p_value
from tests.planning.kit import RunVariances, plan_of_runs, variances_of
from tests.significance.kit import gain_variance

ORACLE = RunVariances.of_sds(math.sqrt(0.12), 0.006, math.sqrt(0.08))
SDS: Any = {"item_sd": math.sqrt(0.12), "run_sd": 0.006, "interaction_sd": math.sqrt(0.08)}


def scores_of(seed: int = 0, *, n: int = 80, m: int = 4, run_sd: float = 0.6) -> dict[str, np.ndarray]:
    stream = np.random.default_rng(seed)
    items = 70 + stream.normal(0, 8, (n, 1))
    return {
        name: items + gain + stream.normal(0, 5, (n, 1)) + run_sd * stream.normal(size=m) + stream.normal(0, 3, (n, m))
        for name, gain in (("base", 0.0), ("new", 1.5))
    }


@pytest.mark.parametrize(
    ("items", "runs", "error"), [(500, 1, 0.025140), (500, 3, 0.019253), (500, 5, 0.017844), (1000, 3, 0.014048)]
)
def test_the_standard_error_is_equation_1(items: int, runs: int, error: float) -> None:
    exact = math.sqrt(0.12 / items + 2 * 0.006**2 / runs + 2 * 0.08 / (items * runs))
    plan = outscore.plan_runs(gain=0.05, items=items, **SDS)
    (cell,) = [cell for cell in plan.intervals if cell.runs == runs]
    assert cell.standard_error == pytest.approx(exact, rel=1e-12)
    assert round(cell.standard_error, 6) == error
    assert cell.items_share + cell.runs_share + cell.interaction_share == pytest.approx(1, rel=1e-12)


def test_the_share_of_seeds() -> None:
    assert round(ORACLE.parts(1000, 3)[1] / ORACLE.error(1000, 3) ** 2, 3) == 0.122


def test_runs_by_the_normal_law_are_the_formula() -> None:
    plan = outscore.plan_runs(gain=0.05, items=500, **SDS)
    error = 0.05 / (1.959963984540054 + 0.8416212335729143)
    assert plan.rows[0].normal_runs == pytest.approx(
        (2 * 0.006**2 + 2 * 0.08 / 500) / (error**2 - 0.12 / 500), rel=1e-12
    )


def test_no_number_of_runs_will_do_where_items_alone_are_too_few() -> None:
    plan = outscore.plan_runs(gain=0.03, items=[500, 5000], **SDS)
    few, many = plan.rows
    assert (few.runs, few.normal_runs, few.power) == (None, None, None)
    assert many.runs is not None
    assert "With 500 items, no number of runs is enough" in repr(plan).replace("\n", " ")


def test_no_number_of_items_will_do_where_runs_alone_are_too_few() -> None:
    plan = outscore.plan_runs(gain=1.0, items=500, item_sd=1.0, run_sd=1.0)
    assert {one.runs: one.items for one in plan.items_needed}[3] is None
    assert plan.rows[0].runs is not None


def test_the_least_runs_and_items_have_the_power_and_one_fewer_has_not() -> None:
    plan, level = outscore.plan_runs(gain=0.05, items=500, **SDS), Level()
    runs = plan.rows[0].runs
    assert runs is not None
    assert runs > 3
    assert ORACLE.power(500, runs, 0.05, level) >= 0.8 > ORACLE.power(500, runs - 1, 0.05, level)
    for one in plan.items_needed:
        assert one.items is not None
        assert (
            ORACLE.power(one.items, one.runs, 0.05, level) >= 0.8 > ORACLE.power(one.items - 1, one.runs, 0.05, level)
        )


def test_the_cheapest_beats_its_neighbours_and_knows_the_best_proportion() -> None:
    known, level = RunVariances.of_sds(0.35, 0.01, 0.0), Level()
    best = plan_of_runs(known, 0.03, 1000, cost_item=0.1, cost_run=20).cheapest
    assert best is not None
    assert best.items_per_run == pytest.approx(math.sqrt(0.35**2 / 0.1) / math.sqrt(2 * 0.01**2 / 20), rel=1e-12)
    assert best.items is not None
    assert best.runs is not None
    assert best.cost == pytest.approx(0.1 * best.items + 20 * best.runs)
    for m in range(3, 40, 2):
        n = next((n for n in range(2, 20_000, 100) if known.power(n, m, 0.03, level) >= 0.8), None)
        if n is not None:
            assert (best.cost or 0) <= 0.1 * n + 20 * m + 1e-9


def test_costs_with_which_nothing_will_do() -> None:
    plan = plan_of_runs(RunVariances.of_sds(1.0, 0.0), 1e-5, 100, cost_item=1, cost_run=1)
    assert plan.cheapest is not None
    assert plan.cheapest.items is None


def test_a_pilot_tells_the_components_of_a_comparison() -> None:
    scores = outscore.read(scores_of(), runs="random")
    plan = outscore.plan_runs(scores, gain=1.0)
    comparison = outscore.compare(scores).comparisons[0]
    here = next(cell for cell in outscore.plan_runs(scores, gain=1.0, items=80).intervals if cell.runs == 5)
    known = variances_of(scores)
    now = known.parts(80, 4)
    parts = comparison.components
    assert parts is not None
    assert [part / sum(now) for part in now] == pytest.approx([parts.items, parts.runs, parts.interaction], rel=1e-12)
    assert [row.items for row in plan.rows] == [80, 160, 320]
    assert plan.run_sd is not None
    assert comparison.run_sd is not None
    assert plan.run_sd.estimate == pytest.approx(comparison.run_sd.estimate, rel=1e-12)
    assert here.standard_error == pytest.approx(known.error(80, 5), rel=1e-12)
    baseline, candidate = scores.rows[0]
    variance = gain_variance(pair_of(scores.metrics[0], baseline, candidate, scores.design.units, scores.design))
    assert known.error(160, 7) ** 2 == pytest.approx(variance.anew(160, (7, 7)), rel=1e-12)
    assert known.estimated(80, 4)[0] == pytest.approx(variance.total, rel=1e-9)
    assert known.estimated(80, 4)[1] == pytest.approx(variance.total_degrees, rel=1e-9)


def test_what_a_pilot_of_few_runs_leaves_open() -> None:
    data = scores_of(m=3, n=400)
    plan = outscore.plan_runs(data["base"], data["new"], gain=2.0, items=400)
    (row,) = plan.rows
    assert row.runs is not None
    assert row.runs_low is not None
    assert row.runs_low <= row.runs
    assert row.runs_high is None or row.runs_high > row.runs
    assert any("estimated from 3 runs" in note for note in plan.notes)


def test_paired_runs_have_one_factor() -> None:
    stream = np.random.default_rng(3)
    shared = stream.normal(0, 2, 5)
    data = scores_of(m=5)
    data = {name: of + shared for name, of in data.items()}
    both = [
        outscore.plan_runs(data["base"], data["new"], gain=1.0, items=500, pair_runs=paired) for paired in (True, False)
    ]
    assert [plan.paired for plan in both] == [True, False]
    paired, unpaired = (plan.intervals[2].standard_error for plan in both)
    assert paired < unpaired / 1.5


def test_clusters_are_units() -> None:
    data, documents = scores_of(), [f"d{item // 4}" for item in range(80)]
    plan = outscore.plan_runs(data["base"], data["new"], gain=1.0, items=80, clusters=documents)
    scores = outscore.read(data, runs="random", clusters=documents)
    assert variances_of(scores).units(160) == 40
    assert "80 items in 20 clusters" in plan.basis
    with pytest.raises(OptionError, match="out-of-range"):
        outscore.plan_runs(scores, gain=1.0, items=4)


def test_corpus_metrics_by_draws() -> None:
    stream = np.random.default_rng(5)
    gold = stream.integers(1, 5, (60, 1))
    systems = []
    for share in (0.6, 0.75):
        right = stream.binomial(np.broadcast_to(gold, (60, 3)), share)
        systems.append([np.column_stack([right[:, run], gold[:, 0] + 1, gold[:, 0]]) for run in range(3)])
    tables = [
        {"item": [f"q{i}" for _ in of for i in range(60)], "run": [f"{r}" for r in range(3) for _ in range(60)]}
        | {
            name: np.concatenate([rows[:, k] for rows in of]).tolist()
            for k, name in enumerate(("tp", "predicted", "gold"))
        }
        for of in systems
    ]
    pandas = pytest.importorskip("pandas")
    frames = [pandas.DataFrame(table) for table in tables]
    plan = outscore.plan_runs(*frames, metric="f1", run="run", gain="5%", items=[60, 600])
    again = outscore.plan_runs(*frames, metric="f1", run="run", gain="5%", items=[60, 600])
    assert plan == again
    assert plan.metric.as_percentage
    assert plan.seed == 12345


@pytest.mark.parametrize("two_sided", [False, True])
@pytest.mark.parametrize(("shift", "degrees", "beyond"), [(0.1, 2.1, 2.0), (2.0, 7.3, 2.4), (3.3, 499.0, 1.96)])
def test_the_noncentral_law_is_scipys(shift: float, degrees: float, beyond: float, *, two_sided: bool) -> None:
    law = pytest.importorskip("scipy.stats").nct(degrees, shift)
    expected = law.sf(beyond) + (law.cdf(-beyond) if two_sided else 0)
    assert _noncentral(shift, degrees, beyond, two_sided=two_sided) == pytest.approx(expected, rel=1e-9)


def test_large_gains_are_found() -> None:
    assert ORACLE.power(5000, 10, 0.5, Level()) == pytest.approx(1, rel=1e-12)
    assert _noncentral(9.28, 499.0, 2.0, two_sided=True) == pytest.approx(1, rel=1e-9)


REFUSED = [
    ({"items": 100}, "usage"),
    ({"items": 100, "item_sd": 0.1}, "usage"),
    ({"item_sd": 0.1, "run_sd": 0.1}, "missing-items"),
    ({"items": 100, "item_sd": -0.1, "run_sd": 0.1}, "out-of-range"),
    ({"items": 100, "item_sd": 0, "run_sd": 0}, "no-spread"),
    ({"items": 1, "item_sd": 0.1, "run_sd": 0.1}, "out-of-range"),
    ({"items": 100, "item_sd": 0.1, "run_sd": 0.1, "gain": 0}, "out-of-range"),
    ({"items": 100, "item_sd": 0.1, "run_sd": 0.1, "gain": -1}, "out-of-range"),
    ({"items": 100, "item_sd": 0.1, "run_sd": 0.1, "target": 0.01}, "out-of-range"),
    ({"items": 100, "item_sd": 0.1, "run_sd": 0.1, "cost_item": 1}, "usage"),
    ({"items": 100, "item_sd": 0.1, "run_sd": 0.1, "cost_item": 1, "cost_run": 0}, "out-of-range"),
    ({"items": 100, "item_sd": 0.1, "run_sd": 0.1, "metric": "mean"}, "usage"),
    ({"items": 100, "item_sd": 0.1, "run_sd": 0.1, "run": "seed"}, "usage"),
]


@pytest.mark.parametrize(("arguments", "slug"), REFUSED)
def test_what_is_refused(arguments: Any, slug: str) -> None:
    with pytest.raises(OptionError, match=rf"\[{slug}\]"):
        outscore.plan_runs(**{"gain": 0.1, **arguments})


def test_pilots_that_tell_nothing_of_runs_are_refused() -> None:
    data = scores_of()
    one = {name: of[:, :1] for name, of in data.items()}
    refused: list[tuple[Any, Any, str]] = [
        (one, {}, "one-run"),
        ({"base": data["base"], "new": data["new"][:, 0]}, {}, "one-run"),
        (data, {"runs": "fixed"}, "not-random"),
        (data, {"item_sd": 0.1}, "usage"),
        (data, {"test_sets": ["a", "b"] * 40}, "several-test-sets"),
        ({"base": np.ones((10, 3)), "new": np.ones((10, 3))}, {}, "no-spread"),
    ]
    for systems, arguments, slug in refused:
        with pytest.raises((OptionError, DataError), match=rf"\[{slug}\]"):
            outscore.plan_runs(systems["base"], systems["new"], gain=1.0, **arguments)


def test_the_pilots_own_gain_is_told() -> None:
    data = scores_of()
    gain = float(data["new"].mean() - data["base"].mean())
    plan = outscore.plan_runs(data["base"], data["new"], gain=gain)
    assert any("pilot's own" in note for note in plan.notes)


def test_the_command_says_the_same(tmp_path: Path) -> None:
    data = scores_of()
    rows = [f"{name},q{i},s{r},{float(of[i, r])!r}" for name, of in data.items() for i in range(80) for r in range(4)]
    (tmp_path / "pilot.csv").write_text("\n".join(["system,item,seed,score", *rows]) + "\n")
    systems = [f"{tmp_path}/pilot.csv:base", f"{tmp_path}/pilot.csv:new"]
    line = f"plan runs {' '.join(systems)} --run seed --gain 1"
    status, out, err = run(f"{line} --items 500,1000 --format json")
    assert status == 0, err
    plan = outscore.plan_runs(*systems, run="seed", gain=1, items=[500, 1000])
    assert out == plan.to_json()
    for form in ("text", "markdown", "latex", "csv"):
        assert run(f"{line} --format {form}")[0] == 0


def test_it_is_a_page_and_a_chart() -> None:
    plan = outscore.plan_runs(gain=0.05, items=[500, 1000], **SDS)
    assert "Runs needed for a gain" in plan.to_html()
    assert len(plan.records()) == 10
    assert [row["runs_needed"] for row in plan.records()] == [
        next(row.runs for row in plan.rows if row.items == cell.items) for cell in plan.intervals
    ]
    pytest.importorskip("altair")
    assert plan.chart().to_dict()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("item_sd", "run_sd", "interaction_sd", "n", "gain"),
    [
        (0.35, 0.006, 0.28, 500, 0.05),
        (0.35, 0.02, 0.28, 500, 0.05),
        (5.0, 0.6, 3.0, 200, 1.3),
        (1.0, 0.5, 0.0, 100, 1.0),
    ],
)
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_the_planned_runs_have_the_planned_power(
    item_sd: float, run_sd: float, interaction_sd: float, n: int, gain: float, alternative: str
) -> None:
    """The crossed t test itself, on data sets drawn from the model: within the simulation's error, and a point."""
    level = Level(alternative=outscore.Alternative(alternative))
    known = RunVariances.of_sds(item_sd, run_sd, interaction_sd)
    plan = plan_of_runs(known, gain, n, level=level)
    (row,) = plan.rows
    assert row.runs is not None
    assert row.power is not None
    m, sets = row.runs, 4000
    stream = np.random.default_rng(7)
    hits = 0
    for _ in range(sets):
        difference = stream.normal(0, item_sd, n)
        p = _crossed_p(
            run_sd * stream.normal(size=(1, m)) + interaction_sd * stream.normal(size=(n, m)),
            gain
            + difference[:, None]
            + run_sd * stream.normal(size=(1, m))
            + interaction_sd * stream.normal(size=(n, m)),
            level.alternative,
        )
        hits += p <= 0.05
    error = math.sqrt(row.power * (1 - row.power) / sets)
    assert abs(hits / sets - row.power) <= 3 * error + 0.015


def _crossed_p(one: np.ndarray, other: np.ndarray, alternative: outscore.Alternative) -> float:
    """Return the p-value of equation 2, written down plainly."""
    n, m = one.shape
    d = other.mean(axis=1) - one.mean(axis=1)
    of_items = d.var(ddof=1) / n
    whole, squares = of_items, of_items**2 / (n - 1)
    for scores in (one, other):
        runs = scores.mean(axis=0)
        between = runs.var(ddof=1) / m
        rest = scores - scores.mean(axis=1, keepdims=True) - runs + runs.mean()
        interaction = (rest**2).sum() / ((n - 1) * (m - 1)) / (n * m)
        whole += max(between - max(0, (m - 3) / (m - 1)) * interaction, 0)
        squares += between**2 / (m - 1)
    return student_p_value(float(d.mean() / math.sqrt(whole)), float(whole**2 / squares), alternative)
