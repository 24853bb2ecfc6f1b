"""Charts of plans: what they show, and that files of them are made without a network."""

from __future__ import annotations

import json
from typing import Any

import pytest

from outscore.planning import Rates, plan_gain, plan_items, plan_power, plan_table
from outscore.reports.charts import chart_bytes
from outscore.reports.plan_charts import plan_chart
from outscore.significance import Bootstrap

pytest.importorskip("altair", reason="charts need the extra [plots]")
pytest.importorskip("vl_convert", reason="charts need the extra [plots]")


def written(chart: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(chart_bytes(chart, ".json"))
    return found


def values_in(specification: dict[str, Any]) -> list[dict[str, Any]]:
    """The data of the only data set."""
    found: list[dict[str, Any]] = []

    def look(part: Any) -> None:
        if isinstance(part, dict):
            if "values" in part and isinstance(part["values"], list):
                found.extend(part["values"])
            for value in part.values():
                look(value)
        elif isinstance(part, list):
            for value in part:
                look(value)

    look(specification)
    return found


def test_a_table_is_a_panel_for_each_size_and_a_line_for_each_gain() -> None:
    table = plan_table([100, 500, 2000, 10_000], [1, 2], hurt_percents=[0, 10])
    specification = written(plan_chart(table))
    values = values_in(specification)
    panels = ["100 items", "500 items", "2,000 items", "10,000 items"]
    assert specification["facet"]["sort"] == panels
    assert list(dict.fromkeys(value["items"] for value in values)) == panels
    assert {value["gain"] for value in values} == {"+1%", "+2%"}
    assert [value["p"] for value in values[: len(table.rows)]] == [row.p_value for row in table.rows]
    assert "uncentred" in specification["title"]


def test_power_is_drawn_against_items_or_gain() -> None:
    for items, gains, axis in (([100, 1000], [0.02], "items"), ([500], [0.01, 0.02, 0.04], "gain")):
        specification = written(plan_chart(plan_power(Rates(0.05), items, gains, tests=[Bootstrap()])))
        assert specification["spec"]["layer"][0]["encoding"]["x"]["field"] == axis
        assert "5% hurt" in " ".join(specification["title"]["subtitle"])
    assert values_in(specification)[0]["gain"] == pytest.approx(1.0)  # points


def test_the_inverses_are_drawn() -> None:
    for plan in (plan_gain(Rates(0.05), [100, 1000]), plan_items(Rates(0.05), [0.02, 0.04])):
        specification = written(plan_chart(plan))
        assert "80% power" in specification["title"]["text"]
        assert specification["title"]["subtitle"] == ["Items are right or wrong: 5% hurt, independently."]
        assert len(values_in(specification)) == 6
