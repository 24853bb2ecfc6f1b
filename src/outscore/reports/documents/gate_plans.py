"""What reports of a planned gate say, each thing once."""

from __future__ import annotations

from outscore.numbers import (
    ScoreFormat,
    format_count,
    format_exactly,
    format_level,
    format_probability,
    score_decimals,
)
from outscore.reports.documents import Document, Table, name, overview
from outscore.results.gate_plans import GatePlan, GatePlanRow
from outscore.results.gates import ErrorRate

_TITLE = "Items that a gate needs"


def gate_plan_document(plan: GatePlan) -> Document:
    """Return what a report says of a planned gate."""
    targets = list(dict.fromkeys(row.target for row in plan.rows))
    firsts = [row for row in plan.rows if row.target == targets[0]]
    by_place = {(row.look, row.runs, row.target): row for row in plan.rows}
    clusters = any(row.units not in (None, row.items) for row in plan.rows)
    of_runs = any(row.runs is not None for row in firsts)
    columns = [
        ("look", [format_count(row.look) for row in firsts], True),
        ("level", [f"{row.level:.4g}" for row in firsts], True),
        *([("runs", [format_count(row.runs or 1) for row in firsts], True)] if of_runs else []),
    ]
    for target in targets:
        rows = [by_place[row.look, row.runs, target] for row in firsts]
        columns.append((f"items for {format_level(target)}", [_items(row) for row in rows], True))
        if clusters:
            units = ["" if row.units is None else format_count(row.units) for row in rows]
            columns.append((f"clusters for {format_level(target)}", units, True))
    tables = [Table.of_columns(columns, caption="by look at a stored baseline")]
    if plan.runs_needed:
        needed = plan.runs_needed
        tables.append(
            Table.of_columns(
                [
                    ("look", [format_count(row.look) for row in needed], True),
                    ("power sought", [format_level(row.target) for row in needed], True),
                    ("runs needed", [_count(row.runs) for row in needed], True),
                    ("power", ["" if row.power is None else format_probability(row.power) for row in needed], True),
                ],
                caption=f"runs of each system on the pilot's {format_count(needed[0].items)} items",
            )
        )
    assumed = f"{plan.basis} {_spending(plan)}"
    return overview(
        _TITLE,
        (_answer(plan), assumed),
        tables,
        [
            _explained(plan),
            *([_SIMULATED] if any(row.items_low is not None for row in plan.rows) else []),
            *plan.notes,
        ],
        warnings=(),
        signature=plan.signature,
        version=plan.version,
        caption=f"{_TITLE}. {assumed}",
    )


_SIMULATED = "What stands in brackets is what the simulation leaves open, at 95%."


def _explained(plan: GatePlan) -> str:
    """Return what passing is."""
    source = " (Tango 1998)" if plan.test == "score" else ""
    of_runs = " on new items and new runs, of which it takes 3 at least" if plan.rows[0].runs is not None else ""
    return (
        f"An equal candidate passes where the {plan.test_title} rejects that it is worse by the margin or "
        f"more{source}{of_runs}. Of several metrics or tasks each has to pass, so that all together do so less often."
    )


def _spending(plan: GatePlan) -> str:
    where = "commit" if plan.error is ErrorRate.PER_COMMIT else "baseline"
    alpha = f"α = {format_exactly(plan.alpha)}"
    if plan.looks is not None:
        return f"{alpha} over {format_count(plan.looks)} planned looks at a {where}, all of one level."
    if plan.error is ErrorRate.PER_COMMIT:
        return f"{alpha} for the one look at a commit."
    return f"{alpha} over all looks at a baseline; look k has α/(k(k+1))."


def _answer(plan: GatePlan) -> str:
    """Return what is needed at the look that was asked for; of new runs with the fewest."""
    rows = [row for row in plan.rows if row.look == plan.look]
    fewest = min((row.runs or 0 for row in rows if row.items is not None), default=None)
    sizes = ScoreFormat(score_decimals(plan.margin * plan.metric.factor), plan.metric.as_percentage)
    points = " points" if plan.metric.as_percentage else ""
    of = "" if plan.metric.name in ("mean", "accuracy") else f" of {name(plan.metric.title)}"
    at = f"At look {format_count(plan.look)} (level {rows[0].level:.4g})"
    margin = f"a margin of {sizes.size(plan.margin)}{points}{of}"
    if fewest is None:
        return f"{at} no number of items will do for an equal candidate to pass with {margin}."
    told = [row for row in rows if (row.runs or 0) == fewest and row.items is not None]
    about = "about " if told[0].items_low is not None else ""
    on = " and ".join(f"{about}{format_count(row.items or 0)} items in {format_level(row.target)}" for row in told)
    runs = f", with {format_count(fewest)} runs of each system" if fewest else ""
    return f"{at} an equal candidate passes with {margin} on {on} of cases{runs}."


def _items(row: GatePlanRow) -> str:
    text = _count(row.items)
    if row.items_low is not None and row.items_high is not None:
        text += f" ({format_count(int(row.items_low))} to {format_count(int(row.items_high) + 1)})"
    return text


def _count(number: int | None) -> str:
    return "none will do" if number is None else format_count(number)
