"""What is drawn of studies and plans, and that charts and pages draw the same."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from outscore import Rates, Spread, plan_power
from outscore.reports import chart_of
from tests.reports.kit import LOOKS, Figure, Form, Series, figure_drawing, looks_for, write
from tests.reports.written import figure_of
from tests.studies.made import (
    OVERVIEWS,
    PLANS,
    a_calibration_study,
    a_domain_study,
    a_gain_study,
    a_plan_table,
    a_size_study,
    a_transfer_study,
)


def series_of(figure: Figure) -> list[Series]:
    return [series for panel in figure.panels for series in panel.series]


def test_every_pair_near_a_doubt_is_a_mark_of_its_relation() -> None:
    study = a_gain_study()
    figure = figure_of(study)
    furthest = 2 * max(pair.gain for pair in study.pairs if pair.p_value > 0.01)
    for series in series_of(figure):
        near = [pair for pair in study.pairs if pair.relation == series.name and pair.gain <= furthest]
        assert [mark.x for mark in series.marks] == pytest.approx([100 * pair.gain for pair in near])
        assert [mark.y for mark in series.marks] == [max(1 - pair.p_value, 0.5) for pair in near]
        assert [mark.said.split(":")[0] for mark in series.marks] == [
            f"{pair.candidate} over {pair.baseline}" for pair in near
        ]
    thresholds = {each.relation: each.threshold for each in study.thresholds}
    held = {series.name: series.at for series in series_of(figure) if series.at is not None}
    assert held == {name: pytest.approx(100 * (thresholds[name] or 0)) for name in held}
    assert held


def test_sizes_are_drawn_beside_the_law() -> None:
    study = a_size_study()
    figure = figure_of(study)
    assert figure.x.log
    assert figure.y.log
    for series in series_of(figure):
        fit = next(fit for fit in study.fits if (fit.order, fit.relation) == ("random", series.name))
        assert fit.slope is not None
        assert {mark.x for mark in series.marks} <= {40, 80, 160}
        assert series.curve[0] == pytest.approx((40, 100 * fit.slope / 40**0.5))


def test_domains_and_bins_are_rows() -> None:
    domains, transfer = figure_of(a_domain_study()), figure_of(a_transfer_study())
    assert domains.y.names[0] == "news"
    assert {mark.y for series in series_of(domains) for mark in series.marks} <= {0, 1}
    assert [series.name for series in series_of(transfer)] == ["there", "board"]
    assert transfer.y.names[0] == "0.00125 to 0.0025" or transfer.y.names[0].startswith("0 to")
    assert transfer.x.form is Form.SHARE


def test_calibration_is_drawn_beside_its_promise() -> None:
    study = a_calibration_study()
    right, promise = series_of(figure_of(study))
    assert [mark.y for mark in right.marks] == [each.share for each in study.bins if each.n_tests]
    assert all(y == 1 - x for x, y in promise.curve)


def test_a_table_is_a_panel_for_each_size_and_a_line_for_each_gain() -> None:
    table = a_plan_table()
    figure = figure_of(table)
    assert [panel.name for panel in figure.panels] == ["100 items", "500 items", "2,000 items", "10,000 items"]
    assert list(figure.kinds) == ["+0.5%", "+1%", "+2%"]
    drawn = sorted(mark.y for series in series_of(figure) for mark in series.marks)
    assert drawn == sorted(row.p_value for row in table.rows)
    assert [level.low for level in figure.levels] == [0.05]


def test_power_is_drawn_against_items_or_gain() -> None:
    by_items, by_gain, gains, items = (figure_of(plan()) for plan in PLANS.values())
    assert (by_items.x.title, by_items.x.log) == ("items", True)
    assert list(by_items.kinds) == ["+2", "+4"]
    assert by_gain.x.title == "gain in accuracy (points)"
    assert [mark.x for mark in by_gain.panels[0].series[0].marks] == [1.0, 2.0, 4.0]
    assert gains.title == "Smallest gain detected with 80% power"
    assert items.title == "Items needed for 80% power"
    assert any("5% losses" in note for note in items.notes)
    assert [panel.name for panel in by_items.panels] == ["randomization", "bootstrap", "paired-t"]


def on_curve(series: Series, x: float) -> float:
    xs, ys = zip(*series.curve, strict=True)
    return float(np.interp(x, xs, ys))


@pytest.mark.parametrize(
    ("items", "gains"), [([500, 1000, 2000], [0.02]), ([500], [0.01, 0.03, 0.05]), ([700], [0.02])], ids=str
)
def test_curves_of_power_go_through_the_powers(items: list[int], gains: list[float]) -> None:
    for series in series_of(figure_of(plan_power(Rates(0.05), items, gains))):
        assert not series.joined
        for mark in series.marks:
            assert on_curve(series, mark.x) == pytest.approx(mark.y, abs=0.02)
        assert series.curve[0][0] < series.marks[0].x < series.marks[-1].x * 1.4 < series.curve[-1][0]


def test_the_curve_through_one_power_tells_those_of_other_sizes() -> None:
    [series] = series_of(figure_of(plan_power(Rates(0.05), 1000, 0.02, tests="randomization")))
    for items in (300, 3000):
        known = plan_power(Rates(0.05), items, 0.02, tests="randomization").rows[0].power.value
        assert on_curve(series, items) == pytest.approx(known, abs=0.04)


def test_powers_of_one_have_no_curve() -> None:
    plan = plan_power(Spread(0.1), 1000, 0.5, tests="paired-t")
    assert plan.rows[0].power.value == 1
    [series] = series_of(figure_of(plan))
    assert series.curve == ()


def rows_of(chart: Any) -> list[dict[str, Any]]:
    """All data of a chart."""
    found: list[dict[str, Any]] = []

    def look(part: Any) -> None:
        if isinstance(part, dict):
            found.extend(part.get("values", []) if isinstance(part.get("values"), list) else [])
            for value in part.values():
                look(value)
        elif isinstance(part, list):
            for value in part:
                look(value)

    look(json.loads(chart.to_json()))
    return [row for row in found if isinstance(row, dict) and "kind" in row]


@pytest.mark.parametrize("kind", OVERVIEWS)
def test_charts_and_pages_draw_the_same_marks(kind: str) -> None:
    pytest.importorskip("altair", reason="charts need the extra [plots]")
    pytest.importorskip("vl_convert", reason="charts need the extra [plots]")
    from tests.reports.kit import chart_bytes

    result = OVERVIEWS[kind]()
    figure = figure_of(result)
    said = sorted(mark.said for series in series_of(figure) for mark in series.marks)
    assert said
    chart = chart_of([result])
    assert sorted(row["said"] for row in rows_of(chart) if row["kind"] == "mark") == said
    page = write(figure_drawing(figure, "plot"))
    assert len(re.findall('class="mark-point[^>]*><title>', page)) == len(said)
    if kind == "gain study":
        drawn = chart_bytes(chart, ".svg").decode()
        assert drawn.startswith("<svg")
        assert figure.title in drawn


def test_places_of_marks_follow_the_axes() -> None:
    page = write(figure_drawing(figure_of(PLANS["gain"]()), "plot"))
    found = [tuple(map(float, each)) for each in re.findall(r'translate\(([\d.]+) ([\d.]+)\)" class="mark-point', page)]
    # 100 items to the left of 1,000, and their larger gain above (smaller y).
    for (left, high), (right, low) in zip(found[::2], found[1::2], strict=True):
        assert left < right
        assert high < low


def test_all_pairs_are_drawn_where_no_relation_has_a_threshold() -> None:
    study = a_domain_study()
    first = study.points[0].domain
    points = tuple(
        replace(point, threshold=replace(point.threshold, threshold=None if hidden else 0.05, low=None, high=None))
        for point in study.points
        for hidden in [point.domain == first and point.threshold.relation != "all"]
    )
    series = series_of(figure_of(replace(study, points=points)))
    drawn = {each.name: {mark.y for mark in each.marks} for each in series}
    assert drawn == {"all": {0}, "same-family": {1}, "different-family": {1}}


def test_looks_differ_however_many_there_are() -> None:
    looks = looks_for(64)
    assert len({(look.colour, look.shape) for look in looks}) == 64
    assert tuple(looks[: len(LOOKS)]) == LOOKS
    study = a_gain_study()
    names = [f"mark {i}" for i in range(12)]
    pairs = tuple(replace(pair, relation=names[i % 12]) for i, pair in enumerate(study.pairs))
    thresholds = tuple(replace(study.thresholds[0], relation=name) for name in names)
    kinds = figure_of(replace(study, pairs=pairs, thresholds=thresholds)).kinds
    assert len({(look.colour, look.shape) for look in kinds.values()}) == len(kinds)


def test_nothing_to_draw_is_said() -> None:
    pytest.importorskip("altair", reason="charts need the extra [plots]")
    study = a_size_study()
    points = tuple(replace(point, threshold=replace(point.threshold, threshold=None)) for point in study.points)
    nothing = replace(study, points=points, fits=())
    assert figure_of(nothing).is_empty
    assert "nothing to draw" in chart_of([nothing]).to_json()
    assert "nothing to draw" in write(figure_drawing(figure_of(nothing), "plot"))


def test_several_results_are_charts_one_below_the_other() -> None:
    pytest.importorskip("altair", reason="charts need the extra [plots]")
    found = json.loads(chart_of([a_gain_study(), a_size_study()]).to_json())
    assert [part["title"]["text"] for part in found["vconcat"]] == [
        "Confidence against gain",
        "Threshold by size of the test set",
    ]
