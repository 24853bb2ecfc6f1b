"""Plans in every format: one fixture, the same facts."""

from __future__ import annotations

import pytest

from outscore import Rates, plan_gain, plan_power, plan_table
from outscore.results import Alternative, MetricDescription
from outscore.wings.planning.results import (
    GainPlan,
    GainRow,
    Plan,
    PlanTable,
    PlanTableLimit,
    PlanTableRow,
    Power,
    PowerCheck,
)
from tests.reports.written import to_markdown, to_text


@pytest.fixture
def table() -> PlanTable:
    rows = (
        PlanTableRow(100, 2.0, 0.0, 2, 0, 0.1326195558947525),
        PlanTableRow(100, 2.0, 5.0, 7, 5, 0.3322562595012475),
        PlanTableRow(100, 5.0, 0.0, 5, 0, 0.005920529220334592),
        PlanTableRow(2000, 2.0, 0.0, 40, 0, 2.8e-18),
        PlanTableRow(2000, 2.0, 5.0, 140, 100, 0.049996),
    )
    notes = ("Something was left out.",)
    test = ("bootstrap-uncentred", "uncentred paired bootstrap test")
    limits = (
        PlanTableLimit(100, 2.0, 2, None, None, 49),
        PlanTableLimit(100, 5.0, 5, 0, 0.005920529220334592, 47),
        PlanTableLimit(2000, 2.0, 40, 980, 0.049996, 980),
    )
    return PlanTable(*test, Alternative.GREATER, 0.05, rows, notes, "0.1.0", "plan:table|x", limits)


@pytest.fixture
def plan() -> Plan:
    exact = Power(0.8004, 0.8004, 0.8004, 0.00002, 1.137, 0.0048, "exact: trinomial")
    sampled = Power(0.8, 0.787, 0.812, 0.0, 1.141, 0.0, "4,000 simulated test sets", 4000, PowerCheck(200, 1, 2))
    return GainPlan(
        basis="A pilot of 1,287 items: b|c against a, span-f1.",
        metric=MetricDescription("span-f1", higher_is_better=True, as_percentage=True),
        alternative=Alternative.TWO_SIDED,
        alpha=0.05,
        comparisons=4,
        target=0.8,
        rows=(
            GainRow("bootstrap", 500, 500, 0.0425, exact),
            GainRow("randomization", 500, 50, 0.0437, sampled, 0.0421, 0.0452),
        ),
        test_title="paired bootstrap test",
        notes=("A note.",),
        seed=12345,
        version="0.1.0",
        signature="plan:gain|x",
    )


def test_markdown_escapes_names(plan: Plan, table: PlanTable) -> None:
    text = to_markdown([plan])
    assert "b\\|c against a" in text
    assert "| test | items | clusters | gain (points) | power | type S | type M | reversed |" in text
    assert "| --- | ---: |" in text
    assert "\\* marks p" in to_markdown([table])
    # A cell begins no line: what would begin a list there stands as it is.
    assert "&#" not in to_markdown([table])
    assert "| 0.1326" in to_markdown([table])
    assert "| +4.25 |" in text


def test_plans_are_data_frames_and_show_themselves(plan: Plan, table: PlanTable) -> None:
    frame = plan.to_dataframe(backend="pandas")
    assert list(frame["power"]) == [0.8004, 0.8]
    assert list(frame["check_n_more"])[1] == 1
    assert list(table.to_dataframe(backend="polars")["p_value"]) == [row.p_value for row in table.rows]
    assert repr(plan).startswith("500 items detect")
    assert '<td class="text">randomization</td>' in plan._repr_html_()


def test_a_power_that_rounds_to_one_is_not_certain() -> None:
    text = to_text([plan_power(Rates(0.05), 100_000, 0.05, tests="randomization")])
    assert ">99.9%" in text
    assert "100%" not in text


def test_a_notebook_shows_captions_and_notes() -> None:
    assert plan_table([100, 500], [0.05, 0.1])._repr_html_().count("<h4>100 items</h4>") == 2  # drawn, and as a table
    assert "too many false positives" in plan_gain(Rates(hurt=0.05), 20)._repr_html_()
