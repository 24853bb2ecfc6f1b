"""The drawing of a law keeps its mass where it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.results import ComparisonResult, Histogram, Interval, IntervalMethod
from tests.reports.kit import Bars, Chart, Figure, Flag, Scale, Span, draw_bars

INTERVAL = Interval(-0.5, 0.5, 0.95, IntervalMethod.PERCENTILE, exact=True)


def draw(
    law: Histogram, marks: Sequence[tuple[float, str]], interval: Interval, label: str, **room: Any
) -> Chart | None:
    bars = Bars(law.edges, law.probabilities, ("worse", "better"))
    flags = tuple(Flag(at, said, "zero") for at, said in marks)
    span = Span(interval.low, interval.high, label)
    return draw_bars(Figure("", (), Scale(""), Scale(""), (), bars=bars, flags=flags, span=span), **room)


def chart_of(histogram: Histogram, columns: int = 60, rows: int = 5, ascii_only: bool = False) -> Chart:
    chart = draw(
        histogram, [(0.0, "0"), (0.1, "+0.1")], INTERVAL, "95%", columns=columns, rows=rows, ascii_only=ascii_only
    )
    assert chart is not None
    return chart


def heights(chart: Chart) -> list[int]:
    """Return the height of each column in eighths of a row."""
    return [sum(" ▁▂▃▄▅▆▇█".find(cell) for cell in column if cell != "┊") for column in zip(*chart.bars, strict=True)]


@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=150).filter(lambda weights: max(weights) > 0.01),
    st.integers(20, 100),
    st.floats(-1, 1),
)
def test_columns_are_as_high_as_their_bins(weights: list[float], columns: int, start: float) -> None:
    m = len(weights)
    histogram = Histogram(tuple(start + i / m for i in range(m + 1)), tuple(weights), exact=True)
    chart = chart_of(histogram, columns)
    drawn = heights(chart)
    assert len({len(bar) for bar in chart.bars} | {len(chart.axis)}) == 1
    assert len(drawn) <= columns
    assert max(drawn) in (39, 40)
    if m <= columns:  # every bin has the same number of columns, all of its height
        wide = len(drawn) // m
        assert wide * m == len(drawn)
        for i, weight in enumerate(weights):
            for height in drawn[i * wide : (i + 1) * wide]:
                assert height == pytest.approx(weight / max(weights) * 40, abs=1.01)


@given(st.floats(-3, 3))
def test_marks_stand_where_they_belong_or_point_outside(value: float) -> None:
    histogram = Histogram((-1.0, -0.5, 0.0, 0.5, 1.0), (0.1, 0.4, 0.4, 0.1), exact=True)
    chart = draw(histogram, [(value, "x")], INTERVAL, "95%", columns=32, rows=2)
    assert chart is not None
    if value < -1 - 1e-6:
        assert chart.labels[0] == "◂ x"
        assert "┬" not in chart.axis
    elif value > 1:
        assert chart.labels[0].endswith("x ▸")
    elif value >= -1:
        assert chart.axis.count("┬") == 1
        assert chart.axis.index("┬") == pytest.approx((value + 1) / 2 * 32, abs=1)
        assert chart.labels[0].index("x") == chart.axis.index("┬")


def test_labels_that_would_overlap_stand_beside_or_below_one_another() -> None:
    histogram = Histogram((-1.0, -0.5, 0.0, 0.5, 1.0), (0.1, 0.4, 0.4, 0.1), exact=True)
    chart = draw(histogram, [(0.0, "0"), (0.01, "near"), (-0.01, "also")], INTERVAL, "95%", columns=32, rows=2)
    assert chart is not None
    assert len(chart.labels) == 4
    assert ["0" in chart.labels[0], "near" in chart.labels[1], "also" in chart.labels[2]] == [True] * 3


@pytest.mark.parametrize(
    "histogram",
    [
        Histogram((), (), exact=True),
        Histogram((0.0, 0.0), (1.0,), exact=True),
        Histogram((-0.001, 0.001), (1.0,), exact=True),
        Histogram((0.0, 0.0, 0.0), (0.5, 0.5), exact=True),
        Histogram((0.0, math.nan, 1.0), (0.5, 0.5), exact=True),
        Histogram((0.0, 0.5, 1.0), (0.0, 0.0), exact=True),
    ],
)
def test_there_is_nothing_to_draw(histogram: Histogram) -> None:
    assert draw(histogram, [(0.0, "0")], INTERVAL, "95%", columns=40, rows=4) is None


def test_an_interval_beyond_the_chart_is_cut_off(results: dict[str, ComparisonResult]) -> None:
    histogram = results["jansen"].comparisons[0].histogram
    wide = replace(INTERVAL, low=-5.0, high=5.0)
    chart = draw(histogram, [(0.0, "0")], wide, "a label", columns=40, rows=4)
    assert chart is not None
    assert chart.labels[1] == "├" + "─" * 32 + "┤"
    assert chart.labels[2].strip() == "a label"


def test_zero_is_marked_through_the_chart() -> None:
    chart = chart_of(Histogram((-1.0, 0.0, 1.0, 2.0), (0.1, 0.2, 0.7), exact=True), columns=24, rows=4)
    assert chart.zero == 8
    assert [bar[8] for bar in chart.bars] == ["┊", "┊", "▁", "█"]


def test_a_chart_in_ascii_is_ascii() -> None:
    chart = chart_of(Histogram((-1.0, 0.0, 1.0, 2.0), (0.1, 0.2, 0.7), exact=True), ascii_only=True)
    assert "".join([*chart.bars, chart.axis, *chart.labels]).isascii()
