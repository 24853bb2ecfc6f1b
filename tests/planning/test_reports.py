"""Plans in every format: one fixture, the same facts."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from typing import Any

import pytest

from outscore import Rates, plan_gain, plan_power, plan_table
from outscore.reports import documents_of
from outscore.results import Alternative, MetricDescription
from tests.planning.kit import (
    GainPlan,
    GainRow,
    ItemsPlan,
    ItemsRow,
    Plan,
    PlanRow,
    PlanTable,
    PlanTableLimit,
    PlanTableRow,
    Power,
    PowerCheck,
    PowerPlan,
)
from tests.reports.written import to_csv, to_json, to_latex, to_markdown, to_text


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


def _parts(plan: Plan, row: type[PlanRow]) -> dict[str, Any]:
    """Return what a plan was made of, for one that answers another question."""
    return {**vars(plan), "rows": tuple(row(**vars(one)) for one in plan.rows)}


def test_the_json_of_a_plan(plan: Plan) -> None:
    found = json.loads(to_json([plan]))
    assert found["schema"] == "outscore/plan-gain/1"
    assert found["level"] == pytest.approx(0.0125)
    assert found["rows"][1] == {
        "test": "randomization",
        "items": 500,
        "units": 50,
        "gain": 0.0437,
        "power": 0.8,
        "power_low": 0.787,
        "power_high": 0.812,
        "type_s": 0.0,
        "type_m": 1.141,
        "reversed": 0.0,
        "computation": "4,000 simulated test sets",
        "n_sets": 4000,
        "gain_low": 0.0421,
        "gain_high": 0.0452,
        "check": {"n_sets": 200, "n_more": 1, "n_fewer": 2},
    }
    assert found["rows"][0]["check"] is None
    assert "power_low" in json.loads(to_json([PowerPlan(**_parts(plan, PlanRow))]))["rows"][0]
    assert "items_low" in json.loads(to_json([ItemsPlan(**_parts(plan, ItemsRow))]))["rows"][0]


def test_csv_is_tidy(table: PlanTable, plan: Plan) -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv([table]))))
    assert len(rows) == 5
    assert float(rows[1]["p_value"]) == 0.3322562595012475
    rows = list(csv.DictReader(io.StringIO(to_csv([plan]))))
    assert rows[1]["check_n_sets"] == "200"
    assert rows[0]["check_n_sets"] == ""
    assert rows[0]["gain_low"] == ""
    assert float(rows[1]["gain"]) == 0.0437


def test_the_text_of_a_table_marks_what_is_significant(table: PlanTable) -> None:
    text = to_text([table])
    lines = text.splitlines()
    assert "100 items" in lines
    assert "2,000 items" in lines
    assert lines[lines.index("100 items") + 2].split() == ["losses", "%", "+2%", "+5%"]
    assert lines[lines.index("100 items") + 4].split() == ["0%", "0.1326", "0.0059*"]
    assert lines[lines.index("100 items") + 5].split() == ["5%", "0.3323"]
    flat = " ".join(text.split())
    # No rounding across alpha, and never 0.
    assert "0.049996*" in text
    assert "< 1e-12*" in text
    assert "\n- Something was left out.\n" in text
    assert (
        "Significant with 100 items: +2% never, +5% only without losses (5 wins). "
        "Significant with 2,000 items: +2% with any number of losses." in flat
    )
    assert max(map(len, lines)) <= 80


def test_one_size_and_one_gain_show_helped_and_hurt(table: PlanTable) -> None:
    text = to_text([replace(table, rows=table.rows[:2])])
    assert "for a gain of +2% on 100 items" in " ".join(text.split())
    assert "losses %  wins  losses       p" in text
    assert ["5%", "7", "5", "0.3323"] in [line.split() for line in text.splitlines()]


def test_several_sizes_and_one_gain_stand_side_by_side(table: PlanTable) -> None:
    text = to_text([replace(table, rows=(*table.rows[:2], *table.rows[3:]))])
    assert ["losses", "%", "100", "items", "2,000", "items"] in [line.split() for line in text.splitlines()]


def test_the_text_of_a_plan(plan: Plan) -> None:
    text = to_text([plan])
    flat = " ".join(text.split())
    assert flat.startswith("500 items detect a true gain of +4.25 points of span-f1 with 80% power (paired")
    assert "Two-sided tests at α = 0.05 over 4 comparisons." in flat
    rows = [line.split() for line in text.splitlines()]
    assert "In all rows: items 500." in flat
    assert ["bootstrap", "500", "+4.25", "80.0%", "<0.1%", "1.14", "0.5%"] in rows
    # 0 of 3,200 significant sets, and 0 of 4,000 sets, are not 0%.
    assert ["randomization", "50", "+4.37", "(+4.21", "to", "+4.52)", "80.0%", "<0.1%", "1.14", "<0.1%"] in rows
    assert "1 more and 2 fewer" in flat
    assert "- A note. signature plan:gain|" in flat
    needed = " ".join(to_text([ItemsPlan(**_parts(plan, ItemsRow))]).split())
    assert needed.startswith("A true gain of +4.3 points of span-f1 needs 500 items for 80% power (paired")
    told = " ".join(to_text([PowerPlan(**{**_parts(plan, PlanRow), "target": None})]).split())
    assert told.startswith(
        "With 500 items, the paired bootstrap test detects a true gain of +4.3 points of span-f1 in 80.0%"
    )
    assert "80.0% (78.7% to 81.2%)" in told


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


def test_latex_holds_the_tables_and_says_the_rest_in_comments(plan: Plan, table: PlanTable) -> None:
    text = to_latex([plan])
    assert r"bootstrap & 500 & 500 & $+4.25$ & 80.0\% & $<$0.1\%" in text
    assert "% outscore 0.1.0: plan:gain|x" in text
    assert "% A note." in text
    assert to_latex([table]).count(r"\begin{tabular}") == 2


def test_plans_are_data_frames_and_show_themselves(plan: Plan, table: PlanTable) -> None:
    frame = plan.to_dataframe(backend="pandas")
    assert list(frame["power"]) == [0.8004, 0.8]
    assert list(frame["check_n_more"])[1] == 1
    assert list(table.to_dataframe(backend="polars")["p_value"]) == [row.p_value for row in table.rows]
    assert repr(plan).startswith("500 items detect")
    assert '<td class="text">randomization</td>' in plan._repr_html_()


def test_the_answer_of_a_table_is_by_size_or_by_gain() -> None:
    [few] = documents_of([plan_table([100, 500], [0.01, 0.02], hurt_percents=[0, 5])])
    assert few.lead == (
        "Significant with 100 items: +1% never, +2% never. Significant with 500 items: +1% never, +2% with at most 5 "
        "losses (15 wins)."
    )
    [many] = documents_of([plan_table([100, 200, 500, 1000, 2000], [0.01, 0.02], hurt_percents=[0, 5])])
    assert many.lead == (
        "+1% is significant from 1,000 items with 0% losses, at none of these sizes with 5% losses. +2% is "
        "significant from 500 items with 0% losses, from 2,000 items with 5% losses."
    )


def test_many_powers_are_told_where_they_become_high() -> None:
    said = documents_of([plan_power(Rates(0.05), [250, 500, 1000, 2000], [0.01, 0.02, 0.04])])[0].lead
    assert re.findall(r"[Ww]ith ([\d,]+) items", said) == ["2,000", "2,000", "1,000"]


def test_a_power_that_rounds_to_one_is_not_certain() -> None:
    text = to_text([plan_power(Rates(0.05), 100_000, 0.05, tests="randomization")])
    assert ">99.9%" in text
    assert "100%" not in text


def test_captions_say_what_tables_show() -> None:
    captions = re.findall(r"caption{(.*)}", to_latex([plan_table([100, 500], [0.05, 0.1])]))
    assert all(each.startswith("expected p-values") for each in captions)
    assert [each.split(". ")[-1] for each in captions] == ["100 items.", "500 items."]


def test_a_notebook_shows_captions_and_notes() -> None:
    assert plan_table([100, 500], [0.05, 0.1])._repr_html_().count("<h4>100 items</h4>") == 2  # drawn, and as a table
    assert "too many false positives" in plan_gain(Rates(hurt=0.05), 20)._repr_html_()
