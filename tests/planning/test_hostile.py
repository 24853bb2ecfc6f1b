"""What planning makes of names, empty lists, and input that does not fit: an answer, or one line that says why."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import outscore
from outscore import Level, Rates, Rows, Spread, compare, plan_gain, plan_items, plan_power, plan_table
from outscore.errors import OptionError
from outscore.metrics import F1, Mean
from outscore.results import Alternative, comparison_format
from outscore.significance import Bootstrap, Sign
from tests.planning.kit import Simulation
from tests.planning.populations import pilot, skewed
from tests.reports.written import to_json


def name_of(alternative: str) -> Any:
    return alternative


def test_the_alternative_by_name_is_the_alternative() -> None:
    named = Level(alternative=name_of("two-sided"))
    assert named == Level(alternative=Alternative.TWO_SIDED)
    assert named.two_sided
    assert named == Level()
    one_sided = Level(alternative=name_of("greater"))
    one, other = (plan_power(Rates(0.05), 500, 0.02, level=level).rows for level in (named, one_sided))
    assert all(a.power.value < b.power.value for a, b in zip(one, other, strict=True))
    table = plan_table(100, 0.02, alternative=name_of("two-sided"))
    assert table.alternative is Alternative.TWO_SIDED


def test_tests_and_metrics_by_name() -> None:
    by_name = plan_power(Rates(0.05), 500, 0.02, tests=["bootstrap", "sign"])
    assert by_name == plan_power(Rates(0.05), 500, 0.02, tests=[Bootstrap(), Sign()])
    assert plan_gain(Rates(0.05), 500, tests="sign") == plan_gain(Rates(0.05), 500, tests=[Sign()])
    assert plan_table(100, 0.02, test="sign") == plan_table(100, 0.02, test=Sign())
    one, other = (outscore.pilot(np.zeros(12), range(12), metric=metric) for metric in ("mean", Mean()))
    assert one.metric == other.metric


def f1_pilot(*shapes: tuple[int, ...]) -> object:
    return outscore.pilot(*(Rows(f"s{i}", np.ones(shape)) for i, shape in enumerate(shapes)), metric=F1())


def loose(function: Callable[..., object]) -> Any:
    return function


@pytest.mark.parametrize(
    ("ask", "slug"),
    [
        (lambda: Level(alternative=name_of("less")), "wrong-alternative"),
        (lambda: Level(alternative=name_of("both")), "wrong-alternative"),
        (lambda: loose(Level)(comparisons=2.5), "out-of-range"),
        (lambda: loose(Level)(comparisons="2"), "out-of-range"),
        (lambda: loose(Level)(alpha="0.05"), "out-of-range"),
        (lambda: plan_power(Rates(0.05), [], 0.02), "missing"),
        (lambda: plan_power(Rates(0.05), 500, []), "missing"),
        (lambda: loose(plan_power)(Rates(0.05), "500", 0.02), "not-a-number"),
        (lambda: loose(plan_power)(Rates(0.05), 500, None), "missing-gain"),
        (lambda: plan_power(Rates(0.05), 500, 0.02, tests=["bootstrp"]), "unknown-test"),
        (lambda: plan_items(Rates(0.05), []), "missing"),
        (lambda: plan_gain(Rates(0.05), []), "missing"),
        (lambda: plan_table([], 0.02), "missing"),
        (lambda: plan_table(100, 0.02, hurt_percents=[]), "missing"),
        (lambda: outscore.pilot(np.zeros((3, 3)), np.ones((3, 3)), metric="f2"), "unknown-metric"),
        (lambda: f1_pilot((9, 2), (9, 2)), "wrong-columns"),
        (lambda: f1_pilot((9,), (9,)), "wrong-columns"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_line(ask: Callable[[], object], slug: str) -> None:
    with pytest.raises(OptionError) as caught:
        ask()
    assert caught.value.problems[0].slug == slug


def test_refusals_name_what_is_wrong() -> None:
    with pytest.raises(OptionError, match=r"^hurt: expected less than half"):
        Rates(0.6)
    with pytest.raises(OptionError, match=r"^hurt_percents: expected percentages"):
        plan_table(100, 0.02, hurt_percents=[120])
    with pytest.raises(OptionError, match=r"finite number .*, got nan") as caught:
        Spread(float("nan"))
    assert "identical" not in str(caught.value)
    with pytest.raises(OptionError, match="identical"):
        Spread(0.0)


def test_repeats_are_planned_once() -> None:
    assert plan_power(Rates(0.05), [500, 500], [0.02, 0.02]) == plan_power(Rates(0.05), 500, 0.02)
    assert plan_power(Rates(0.05), 500, 0.02, tests=["sign", Sign()]) == plan_power(
        Rates(0.05), 500, 0.02, tests="sign"
    )
    assert plan_items(Rates(0.05), [0.05, 0.05], tests="sign") == plan_items(Rates(0.05), 0.05, tests="sign")
    assert plan_gain(Rates(0.05), [500, 500], tests="sign") == plan_gain(Rates(0.05), 500, tests="sign")
    assert plan_table([100, 100], [0.01, "1%"], hurt_percents=[1, 1]) == plan_table(100, 0.01, hurt_percents=[1])


def test_unknown_tests_are_told_those_that_apply() -> None:
    with pytest.raises(OptionError, match=r"bootstrap-uncentred, randomization, paired-t, cr2-t, skew-t[.]"):
        plan_power(Spread(1.0), 100, 0.5, tests="foo")
    with pytest.raises(OptionError, match=r"wilcoxon, mcnemar[.]"):
        plan_table(100, 0.02, test="foo")


def test_no_gain_is_called_infinite() -> None:
    plan = plan_gain(Spread(0.4), 2, tests=["paired-t", "randomization"])
    assert any(note == "No gain is detected with this power by randomization with 2 items." for note in plan.notes)


def test_the_gain_that_a_comparison_shows_is_the_observed_one() -> None:
    """The gain is 1.0853…: a comparison shows +1.09, and +1.085 with more decimals."""
    differences = np.random.default_rng(3).normal(0, 8, 400)
    population = pilot(Mean(), np.zeros(400), differences - differences.mean() + 1.0853)
    shown = compare(np.zeros(400), differences - differences.mean() + 1.0853, n_resamples=1000).comparisons[0]
    assert comparison_format(shown).gain(shown.gain) == "+1.09"
    for gain in (1.09, 1.085, 1.0853):
        with pytest.raises(OptionError, match="observed-power"):
            plan_power(population, 400, gain)
    for gain in (1.0, 1.12, 1.15):
        assert plan_power(population, 400, gain, tests="paired-t").rows


def test_observed_power_is_not_evaded_by_a_few_items() -> None:
    population = pilot(Mean(), np.zeros(120), np.random.default_rng(3).normal(0.2, 1, 120))
    own = population.observed.gain
    for items in (119, 121, 126, 114):
        with pytest.raises(OptionError, match="observed-power"):
            plan_power(population, items, own)
    planned = plan_power(population, 240, own, tests=["paired-t"])
    assert any("pilot's own" in note for note in planned.notes)
    assert any("pilot's own" in note for note in plan_items(population, own, tests=["paired-t"]).notes)
    assert not any(
        "own, which may be due to chance" in note
        for note in plan_power(population, 240, own * 1.1, tests=["sign"]).notes
    )


def test_the_interval_of_what_was_sought_has_its_middle_where_the_target_is() -> None:
    population = skewed(200)
    for test in ("paired-t", "randomization"):
        row = plan_gain(population, 100, tests=test).rows[0]
        assert row.low is not None
        assert row.high is not None
        middle = (row.low + row.high) / 2
        # A power above the target puts the gain below what was tried, and the other way round.
        assert np.sign(middle - row.gain) == np.sign(0.8 - row.power.value)
        assert row.low < row.gain < row.high


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: loose(plan_power)(0.05, 100, 0.02), r"population: expected a population such as .*, got 0\.05"),
        (lambda: loose(plan_gain)(Rates, 100), "population: .* got the class Rates"),
        (lambda: loose(plan_items)(Rates(0.05), 0.02, level=0.05), r"level: expected a Level such as .*, got 0\.05"),
        (
            lambda: loose(plan_gain)(Rates(0.05), 100, target="much"),
            r'^target: expected a number, .* got "much"',
        ),
        (lambda: loose(Rates)(5), r"^hurt: .* so 5 is too large\. For 5%, write 5% or 0\.05"),
        (lambda: loose(Rates)(0.05, "7 of 100"), r'^helped: expected a number, .* got "7 of 100"'),
        (lambda: loose(Spread)(None), r"^sd: expected a number, .* got None"),
        (lambda: plan_power(Rates(0.05), 10**400, 0.02), r"^items: expected a finite number of at most 1e\+100"),
        (lambda: loose(Simulation)(n_sets=1000.5), r"^n_sets: expected a whole number .*, got 1000\.5"),
    ],
)
def test_what_is_no_population_level_or_number_is_named(ask: Callable[[], object], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        ask()


def test_numbers_of_any_kind_make_data_frames_and_json() -> None:
    single, whole, sizes = loose(np.float32), loose(np.int64), np.array([100, 200])
    level = Level(single(0.05), whole(2))
    plans: list[Any] = [
        plan_items(Spread(4), [1, 0.5]),
        plan_power(Rates(single(0.05)), sizes, np.array([0.25, 0.125], dtype=np.float32), level=level),
        plan_power(Rates(0), sizes, np.array([0.5]), level=level),
        plan_gain(skewed(30), whole(100), target=single(0.8), tests="paired-t"),
        plan_table(np.array([100]), [0.02, 0.005, single(0.0625)], hurt_percents=[0, 2.5]),
    ]
    for plan in plans:
        for backend in filter(find_spec, ("polars", "pandas", "pyarrow")):
            assert len(plan.to_dataframe(backend=backend)) == len(plan.rows)
        json.loads(to_json([plan]))
