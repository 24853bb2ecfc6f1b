"""What is drawn of a planned gate."""

from __future__ import annotations

from outscore.naming import printable
from outscore.numbers import format_count, format_level
from outscore.reports.figures import Figure, Form, Mark, Panel, Scale, Series, looks_for
from outscore.results.gate_plans import GatePlan


def gate_plan_figure(plan: GatePlan) -> Figure:
    """Return the items needed against the look, a line for each power; of new runs with the fewest."""
    fewest = min((row.runs or 0 for row in plan.rows if row.items is not None), default=0)
    targets = list(dict.fromkeys(row.target for row in plan.rows))
    series = []
    for target, look in zip(targets, looks_for(len(targets)), strict=True):
        marks = tuple(
            Mark(row.look, row.items, f"look {format_count(row.look)}: {format_count(row.items)} items")
            for row in plan.rows
            if row.target == target and (row.runs or 0) == fewest and row.items is not None
        )
        series.append(Series(format_level(target), look, marks, joined=True))
    of = f" with {format_count(fewest)} runs of each system" if fewest else ""
    return Figure(
        "Items with which an equal candidate passes",
        (printable(plan.basis), f"by look at a stored baseline{of}"),
        Scale("look", Form.COUNT),
        Scale("items", Form.COUNT, low=0.0),
        (Panel("", tuple(series)),),
        "power",
    )
