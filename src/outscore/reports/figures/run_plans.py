"""What is drawn of planned runs."""

from __future__ import annotations

import math

from outscore.naming import printable
from outscore.numbers import format_count, format_exactly
from outscore.reports.documents.run_plans import spread_format
from outscore.reports.figures import Figure, Form, Level, Mark, Panel, Scale, Series, looks_for
from outscore.results.run_plans import RunsPlan


def run_plan_figure(plan: RunsPlan) -> Figure:
    """Return half the width of the interval against runs of each system, a line for each size; the gain as level."""
    factor, spreads = plan.metric.factor, spread_format(plan)
    sizes = [row.items for row in plan.rows]
    series = []
    for items, look in zip(sizes, looks_for(len(sizes)), strict=True):
        marks = tuple(
            Mark(
                cell.runs,
                cell.half_width * factor,
                f"{format_count(items)} items, {format_count(cell.runs)} runs: ± {spreads.score(cell.half_width)}",
            )
            for cell in plan.intervals
            if cell.items == items and math.isfinite(cell.half_width)
        )
        series.append(Series(f"{format_count(items)} items", look, marks, joined=True))
    gain = plan.gain * factor
    unit = " (points)" if plan.metric.as_percentage else ""
    return Figure(
        "Half the width of the interval of the gain",
        (printable(plan.basis), f"by runs of each system; dotted: the gain planned for, {format_exactly(gain)}"),
        Scale("runs of each system", Form.COUNT),
        Scale(f"±{unit}", low=0.0),
        (Panel("", tuple(series)),),
        "test set",
        (Level(gain, gain, f"gain {format_exactly(gain)}"),),
    )
