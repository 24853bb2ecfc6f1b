"""What reports of planned runs say, each thing once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from outscore.planning.results import RunsPlan, RunsRow
from outscore.reports.documents import Document, Table, name, overview
from outscore.text.numbers import (
    ScoreFormat,
    format_count,
    format_exactly,
    format_level,
    format_probability,
    score_decimals,
)

_EXPLAINED = (
    "power: of the crossed t test, by Student's noncentral law with Satterthwaite's degrees of freedom for these "
    "numbers of items and runs. With two runs it gives no verdict, so that 3 are the fewest planned for; with one its "
    "interval takes the run sd to be known."
)


def run_plan_document(plan: RunsPlan) -> Document:
    """Return what a report says of planned runs."""
    spreads = spread_format(plan)
    points = " (points)" if plan.metric.as_percentage else ""
    ranges = any(row.runs_low is not None or row.runs_high is not None for row in plan.rows)
    needed = Table.of_columns(
        [
            ("items", [format_count(row.items) for row in plan.rows], True),
            ("runs needed", [_runs(row.runs) for row in plan.rows], True),
            *([("as the pilot leaves open", [_range(row) for row in plan.rows], True)] if ranges else []),
            ("power", ["" if row.power is None else format_probability(row.power) for row in plan.rows], True),
        ],
        caption="runs of each system",
    )
    cells = plan.intervals
    intervals = Table.of_columns(
        [
            ("items", [format_count(cell.items) for cell in cells], True),
            ("runs", [format_count(cell.runs) for cell in cells], True),
            (f"standard error{points}", [spreads.score(cell.standard_error) for cell in cells], True),
            (
                f"{format_level(1 - plan.alpha / plan.comparisons)} ±",
                [_width(cell.half_width, spreads) for cell in cells],
                True,
            ),
            ("power", ["" if cell.power is None else format_probability(cell.power) for cell in cells], True),
            ("of items", [f"{cell.items_share:.0%}" for cell in cells], True),
            ("of runs", [f"{cell.runs_share:.0%}" for cell in cells], True),
            ("of both", [f"{cell.interaction_share:.0%}" for cell in cells], True),
        ],
        caption="intervals of the gain, and of what their variance comes",
    )
    items = Table.of_columns(
        [
            ("runs", [format_count(one.runs) for one in plan.items_needed], True),
            (
                "items needed",
                ["none will do" if one.items is None else format_count(one.items) for one in plan.items_needed],
                True,
            ),
        ],
        caption="items by runs of each system",
    )
    level = f"α = {format_exactly(plan.alpha)}"
    if plan.comparisons > 1:
        level += f" over {format_count(plan.comparisons)} comparisons"
    assumed = f"{plan.basis} {plan.alternative.sided.capitalize()} tests at {level}."
    return overview(
        "Runs that a gain needs",
        (_answer(plan), assumed),
        (needed, intervals, items),
        [*_notes(plan, spreads), *plan.notes],
        warnings=(),
        signature=plan.signature,
        version=plan.version,
        caption=f"Runs that a gain needs. {assumed}",
    )


def spread_format(plan: RunsPlan) -> ScoreFormat:
    """Return how standard errors are written: as finely as the smallest asks for."""
    smallest = min((cell.standard_error for cell in plan.intervals if cell.standard_error > 0), default=1.0)
    return ScoreFormat(score_decimals(smallest * plan.metric.factor) + 1, plan.metric.as_percentage)


def _answer(plan: RunsPlan) -> str:
    gains = ScoreFormat(score_decimals(plan.gain * plan.metric.factor), plan.metric.as_percentage)
    of = "" if plan.metric.name in ("mean", "accuracy") else f" of {name(plan.metric.title)}"
    gain = f"{gains.gain(plan.gain)}{' points' if plan.metric.as_percentage else ''}{of}"
    known = [row for row in plan.rows if row.runs is not None]
    never = [format_count(row.items) for row in plan.rows if row.runs is None]
    said = []
    if known:
        (least, *others), each = known[:3], "pairs of runs" if plan.paired else "runs of each system"
        runs = [f"{format_count(least.runs or 0)} {each} on {format_count(least.items)} items"]
        runs += [f"{format_count(row.runs or 0)} on {format_count(row.items)}" for row in others]
        said.append(f"A true gain of {gain} needs {_and(runs)} for {format_level(plan.target)} power (crossed t test).")
    if never:
        on = _and(never[:3])
        said.append(
            f"{'On' if known else f'A true gain of {gain}: on'} {on} items no number of runs will do: "
            "what the items add to the variance is too much by itself."
        )
    best = plan.cheapest
    if best is not None and best.items is not None and best.runs is not None and best.cost is not None:
        said.append(
            f"Cheapest are {format_count(best.items)} items with {format_count(best.runs)} runs of each, at "
            f"{format_exactly(round(best.cost, 6))}."
        )
    return " ".join(said)


def _notes(plan: RunsPlan, spreads: ScoreFormat) -> Iterator[str]:
    yield _EXPLAINED
    points = " points" if plan.metric.as_percentage else ""
    if plan.run_sd is not None:
        sd = plan.run_sd
        yield (
            f"run sd: a run's score varies by {spreads.score(sd.estimate)}{points} (standard deviation) from run to "
            f"run in the pilot (95%: {spreads.score(sd.low)} to {spreads.score(sd.high)})."
        )
    best = plan.cheapest
    if best is not None and best.items_per_run is not None:
        ratio = f"{best.items_per_run:.3g}"
        yield f"At these costs items and runs are best in the proportion {ratio} to 1, but for their interaction."
    if best is not None and best.items is None:
        yield "At no cost is there a number of items and runs with this power."
    if plan.comparisons > 1:
        m = format_count(plan.comparisons)
        yield f"Each of {m} comparisons is tested at α/{m} = {plan.alpha / plan.comparisons:.4g}."


def _and(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _runs(runs: int | None) -> str:
    return "none will do" if runs is None else format_count(runs)


def _range(row: RunsRow) -> str:
    if row.runs_low is None:
        return "none will do"
    return f"{format_count(row.runs_low)} to {'any number' if row.runs_high is None else format_count(row.runs_high)}"


def _width(value: float, spreads: ScoreFormat) -> str:
    return spreads.score(value) if math.isfinite(value) else "unbounded"
