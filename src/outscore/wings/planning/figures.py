"""Charts of plans."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import NormalDist

from outscore.reports.figures import Figure, Form, Level, Mark, Panel, Scale, Series, looks_for
from outscore.results import Alternative
from outscore.text.naming import printable
from outscore.text.numbers import format_count, format_exactly, format_level, format_probability, state_p
from outscore.wings.planning.documents import AIM, gain_format, gate_rows_name, spread_format
from outscore.wings.planning.results import GatePlan, Plan, PlanQuestion, PlanRow, PlanTable, PlanTableRow, RunsPlan

NORMAL = NormalDist()
BEYOND = 4  # factors by which curves extend above and below the planned number of items
STEPS = 60


def plan_figure(plan: Plan | PlanTable) -> Figure:
    """Return the chart of a plan.

    For a table: p against the percentage of losses, one line per gain and one panel per size, with a level at α.
    For power: power against items (or against the gain, if there are several gains and one size), with a normal
    curve per gain and a panel per test. For detectable gains and for items needed: one against the other, one line
    per test.
    """
    if isinstance(plan, PlanTable):
        return _table_figure(plan)
    return _power_figure(plan) if plan.question is PlanQuestion.POWER else _inverse_figure(plan)


def _table_figure(table: PlanTable) -> Figure:
    gains, sizes = sorted({row.gain for row in table.rows}), sorted({row.items for row in table.rows})

    def mark(row: PlanTableRow) -> Mark:
        label = (
            f"{format_count(row.items)} items, {format_count(row.helped)} wins and {format_count(row.hurt)} "
            f"losses: {state_p(row.p_value, table.alpha)}"
        )
        return Mark(row.hurt_percent, row.p_value, label)

    panels = []
    for items in sizes:
        series = []
        for gain, look in zip(gains, looks_for(len(gains)), strict=True):
            marks = [mark(row) for row in table.rows if (row.items, row.gain) == (items, gain)]
            marks.sort(key=lambda mark: mark.x)
            series.append(Series(f"+{format_exactly(gain)}%", look, tuple(marks), joined=True))
        panels.append(Panel(f"{format_count(items)} items", tuple(series)))
    return Figure(
        f"expected p-values, {table.alternative.sided} {table.test}",
        (f"by percentage of losses; dotted: p = {format_exactly(table.alpha)}",),
        Scale("losses (%)"),
        Scale("expected p-value", low=0.0),
        tuple(panels),
        "gain",
        (Level(table.alpha, table.alpha, f"p = {format_exactly(table.alpha)}"),),
    )


def _power_figure(plan: Plan) -> Figure:
    scale, shown = plan.metric.factor, gain_format(plan)
    sizes, gains = sorted({row.items for row in plan.rows}), sorted({row.gain for row in plan.rows})
    by_size = len(sizes) > 1 or len(gains) == 1
    amounts = {gain: f"{'' if gain < 0 else '+'}{format_exactly(gain * scale)}" for gain in gains}

    def mark(row: PlanRow) -> Mark:
        power = row.power
        label = (
            f"{row.test}, {format_count(row.items)} items, gain {shown.gain(row.gain)}: "
            f"power {format_probability(power.value, power.n_sets)}"
        )
        open_ = (None, None) if power.n_sets is None else (power.low, power.high)
        return Mark(row.items if by_size else row.gain * scale, power.value, label, *open_)

    panels = []
    for test in dict.fromkeys(row.test for row in plan.rows):
        rows = [row for row in plan.rows if row.test == test]
        lines = (
            [(amounts[gain], [row for row in rows if row.gain == gain]) for gain in gains]
            if by_size
            else [(f"{format_count(sizes[0])} items", rows)]
        )
        series = []
        for (name, line_rows), look in zip(lines, looks_for(len(lines)), strict=True):
            marks = _ordered(map(mark, line_rows))
            series.append(Series(name, look, marks, curve=_curve(marks, _tail(plan), by_size=by_size)))
        panels.append(Panel(printable(test), tuple(series)))
    nearest = "through the point, Φ(a) the level" if len(sizes) == len(gains) == 1 else "fitted to the points"
    law = f"curves: Φ(a + b·{'√items' if by_size else 'gain'}), {nearest}"
    return Figure(
        f"Power of {_tests(plan)}",
        (printable(plan.basis), f"{law}; dotted: {AIM:.0%}"),
        Scale("items", Form.COUNT, log=True) if by_size else Scale(_unit(plan)),
        Scale("power", Form.SHARE, low=0.0, high=1.0),
        tuple(panels),
        _unit(plan) if by_size else "test set",
        (Level(AIM, AIM, f"{AIM:.0%}"),),
    )


def _curve(marks: Sequence[Mark], tail: float, *, by_size: bool) -> tuple[tuple[float, float], ...]:
    """Return points of the power curve Φ(a + b·t), with t the root of the items or the gain.

    The fit is by least squares of probits, weighted by the precision of each power. A single point is fitted with
    Φ(a) = α, the power at a gain of 0.
    """
    points = [(math.sqrt(mark.x) if by_size else mark.x, mark.y) for mark in marks if 0 < mark.y < 1]
    if not points:
        return ()
    probits = [NORMAL.inv_cdf(power) for _, power in points]
    weights = [NORMAL.pdf(z) ** 2 / (power * (1 - power)) for z, (_, power) in zip(probits, points, strict=True)]
    total = sum(weights)
    middle = sum(w * t for w, (t, _) in zip(weights, points, strict=True)) / total
    height = sum(w * z for w, z in zip(weights, probits, strict=True)) / total
    if len(points) > 1:
        spread = sum(w * (t - middle) ** 2 for w, (t, _) in zip(weights, points, strict=True))
        slope = sum(w * (t - middle) * z for w, (t, _), z in zip(weights, points, probits, strict=True)) / spread
    else:
        slope = (height - NORMAL.inv_cdf(tail)) / middle
    first, last = marks[0].x, marks[-1].x
    if by_size:
        low, high = max(first / BEYOND, 2.0), last * BEYOND
        xs = [low * (high / low) ** (i / STEPS) for i in range(STEPS + 1)]
    else:
        xs = [1.5 * last * i / STEPS for i in range(STEPS + 1)]
    return tuple((x, NORMAL.cdf(height + slope * ((math.sqrt(x) if by_size else x) - middle))) for x in xs)


def _tail(plan: Plan) -> float:
    return plan.level / (2 if plan.alternative is Alternative.TWO_SIDED else 1)


def _inverse_figure(plan: Plan) -> Figure:
    scale, shown = plan.metric.factor, gain_format(plan)
    shows_gains = plan.question is PlanQuestion.GAIN

    def mark(row: PlanRow) -> Mark:
        label = f"{row.test}: {format_count(row.items)} items, gain {shown.gain(row.gain)}"
        if shows_gains:
            low, high = (None if end is None else end * scale for end in (row.low, row.high))
            return Mark(row.items, row.gain * scale, label, low, high)
        return Mark(row.gain * scale, row.items, label, row.low, row.high)

    tests = list(dict.fromkeys(row.test for row in plan.rows))
    series = tuple(
        Series(printable(test), look, _ordered(mark(row) for row in plan.rows if row.test == test), joined=True)
        for test, look in zip(tests, looks_for(len(tests)), strict=True)
    )
    items, gain = (
        Scale("items", Form.COUNT, log=True),
        Scale(
            _unit(plan),
            log=not shows_gains and all(row.gain > 0 for row in plan.rows),
            low=0.0 if shows_gains else None,
        ),
    )
    assert plan.target is not None
    target = f"{format_level(plan.target)} power"
    title = f"Smallest gain detected with {target}" if shows_gains else f"Items needed for {target}"
    return Figure(
        title,
        (_tests(plan).capitalize(), printable(plan.basis)),
        *((items, gain) if shows_gains else (gain, items)),
        (Panel("", series),),
        "test",
    )


def _ordered(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    return tuple(sorted(marks, key=lambda mark: mark.x))


def _unit(plan: Plan) -> str:
    return f"gain in {printable(plan.metric.title)}" + (" (points)" if plan.metric.as_percentage else "")


def _tests(plan: Plan) -> str:
    if plan.margin is not None:
        amount = format_exactly(plan.margin * plan.metric.factor)
        return f"the {plan.test_title} of {plan.claim}, margin {amount}, at {format_exactly(plan.alpha)}"
    over = f" over {format_count(plan.comparisons)} comparisons" if plan.comparisons > 1 else ""
    return f"{plan.alternative.sided} tests at {format_exactly(plan.alpha)}{over}"


def run_plan_figure(plan: RunsPlan) -> Figure:
    """Return half the width of the interval against runs of each system, one line per size; the gain as level."""
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
        (printable(plan.basis), f"by runs of each system; dotted: the planned gain, {format_exactly(gain)}"),
        Scale("runs of each system", Form.COUNT),
        Scale(f"±{unit}", low=0.0),
        (Panel("", tuple(series)),),
        "test set",
        (Level(gain, gain, f"gain {format_exactly(gain)}"),),
    )


def gate_plan_figure(plan: GatePlan) -> Figure:
    """Return the items needed against the check, one line per power; for new runs, those with the fewest."""
    fewest = min((row.runs or 0 for row in plan.rows if row.items is not None), default=0)
    targets = list(dict.fromkeys(row.target for row in plan.rows))
    series = []
    for target, look in zip(targets, looks_for(len(targets)), strict=True):
        marks = tuple(
            Mark(row.look, row.items, f"check {format_count(row.look)}: {format_count(row.items)} items")
            for row in plan.rows
            if row.target == target and (row.runs or 0) == fewest and row.items is not None
        )
        series.append(Series(format_level(target), look, marks, joined=True))
    with_runs = f" with {format_count(fewest)} runs of each system" if fewest else ""
    return Figure(
        "Items needed for an equally good candidate to pass",
        (printable(plan.basis), f"{gate_rows_name(plan)}{with_runs}"),
        Scale("check", Form.COUNT),
        Scale("items", Form.COUNT, low=0.0),
        (Panel("", tuple(series)),),
        "power",
    )
