"""Plans as tables of text, and those as plain text, Markdown, CSV or JSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any

from outscore.naming import printable
from outscore.numbers import (
    ScoreFormat,
    format_count,
    format_exactly,
    format_factor,
    format_level,
    format_p,
    format_probability,
    score_decimals,
)
from outscore.reports.markdown import escape, escape_cell
from outscore.results import Alternative
from outscore.results.plans import Plan, PlanQuestion, PlanRow, PlanTable, PlanTableRow, Power

__all__ = ["PLAN_FORMATS", "plan_to_csv", "plan_to_json", "plan_to_markdown", "plan_to_text"]

SIGNIFICANT = "*"
_WORDS = {
    "bootstrap": "paired bootstrap",
    "bootstrap-uncentred": "uncentred paired bootstrap",
    "randomization": "paired randomization test",
    "paired-t": "paired t test",
    "sign": "sign test",
    "wilcoxon": "Wilcoxon's test",
    "mcnemar": "McNemar's test",
}


@dataclass(frozen=True)
class _Sheet:
    """A table of text with a caption above it."""

    caption: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class _Document:
    """What a plan says: sentences, tables, notes."""

    sentences: Sequence[str]
    sheets: Sequence[_Sheet]
    notes: Sequence[str]


def plan_to_text(plan: Plan | PlanTable, *, width: int = 80, ascii_only: bool = False) -> str:
    """Write a plan for a terminal: no line is wider than `width`, but where a table has to be."""
    from textwrap import fill

    document = _document(plan)
    width = min(max(width, 72), 100)
    parts = [fill(sentence, width, break_on_hyphens=False) for sentence in document.sentences]
    for sheet in document.sheets:
        caption = [fill(sheet.caption, width), ""] if sheet.caption else []
        parts.append("\n".join([*caption, *_aligned(sheet)]))
    notes = [fill(note, width, subsequent_indent="  ", initial_indent="- ") for note in document.notes]
    parts += ["\n".join(notes)] if notes else []
    text = "\n\n".join(parts) + "\n"
    if ascii_only:
        text = text.translate(_PLAIN).encode("ascii", "backslashreplace").decode("ascii")
    return text


_PLAIN = str.maketrans({"≤": "<=", "±": "+/-", "α": "alpha", "─": "-", "λ": "lambda"})


def _aligned(sheet: _Sheet) -> list[str]:
    table = [sheet.headings, *sheet.rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    left = {0} if sheet.headings[0] == "test" else set()
    lines = [
        "  ".join(
            cell.ljust(w) if j in left else cell.rjust(w) for j, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in table
    ]
    return [lines[0], "─" * len(lines[0]), *(line.rstrip() for line in lines[1:])]


def plan_to_markdown(plan: Plan | PlanTable) -> str:
    """Write a plan as Markdown."""
    document = _document(plan)
    parts = [escape(sentence) for sentence in document.sentences]
    for sheet in document.sheets:
        rules = ["---" if heading == "test" else "---:" for heading in sheet.headings]
        headings, *rows = ([escape_cell(cell.strip()) for cell in row] for row in (sheet.headings, *sheet.rows))
        lines = ["| " + " | ".join(row) + " |" for row in (headings, rules, *rows)]
        caption = f"{escape(sheet.caption)}\n\n" if sheet.caption else ""
        parts.append(caption + "\n".join(lines))
    if document.notes:
        parts.append("\n".join(f"- {escape(note)}" for note in document.notes))
    return "\n\n".join(parts) + "\n"


def plan_to_csv(plan: Plan | PlanTable) -> str:
    """Write the rows of a plan as CSV, one line each, with all digits; what is unknown is empty."""
    rows = (
        [_table_row(row) for row in plan.rows] if isinstance(plan, PlanTable) else [_flat(plan, r) for r in plan.rows]
    )
    out = StringIO()
    writer = csv.DictWriter(out, list(dict.fromkeys(key for row in rows for key in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def plan_to_json(plan: Plan | PlanTable) -> str:
    """Write a plan as JSON (schemas "outscore/plan-table/1", "-power/1", "-gain/1" and "-items/1")."""
    if isinstance(plan, PlanTable):
        whole: dict[str, Any] = {
            "schema": plan.schema,
            "rows": [_table_row(row) for row in plan.rows],
            "test": plan.test,
            "alternative": plan.alternative.value,
            "alpha": plan.alpha,
            "notes": list(plan.notes),
            "version": plan.version,
        }
    else:
        whole = {
            "schema": plan.schema,
            "rows": [_row(plan, row) for row in plan.rows],
            "basis": plan.basis,
            "metric": {
                "name": plan.metric.name,
                "higher_is_better": plan.metric.higher_is_better,
                "as_percentage": plan.metric.as_percentage,
            },
            "alternative": plan.alternative.value,
            "alpha": plan.alpha,
            "comparisons": plan.comparisons,
            "level": plan.level,
            "target": plan.target,
            "notes": list(plan.notes),
            "seed": plan.seed,
            "version": plan.version,
        }
    return json.dumps(whole, indent=2, allow_nan=False) + "\n"


PLAN_FORMATS: dict[str, Callable[[Plan | PlanTable], str]] = {
    "text": plan_to_text,
    "json": plan_to_json,
    "csv": plan_to_csv,
    "markdown": plan_to_markdown,
}


def _table_row(row: PlanTableRow) -> dict[str, Any]:
    return {
        "items": row.items,
        "gain": row.gain,
        "hurt_percent": row.hurt_percent,
        "helped": row.helped,
        "hurt": row.hurt,
        "p_value": row.p_value,
    }


def _flat(plan: Plan, row: PlanRow) -> dict[str, Any]:
    found = _row(plan, row)
    check = found.pop("check")
    return found | {f"check_{key}": value for key, value in (check or {}).items()}


def _row(plan: Plan, row: PlanRow) -> dict[str, Any]:
    power = row.power
    found: dict[str, Any] = {
        "test": row.test,
        "items": row.items,
        "units": row.units,
        "gain": row.gain,
        "power": power.value,
        "power_low": power.low,
        "power_high": power.high,
        "type_s": power.type_s,
        "type_m": power.type_m,
        "reversed": power.reversed,
        "computation": power.computation,
        "n_sets": power.n_sets,
    }
    if plan.question is not PlanQuestion.POWER:
        found |= {f"{plan.question}_low": row.low, f"{plan.question}_high": row.high}
    check = power.check
    found["check"] = None
    if check is not None:
        found["check"] = {"n_sets": check.n_sets, "n_more": check.n_more, "n_fewer": check.n_fewer}
    return found


def _document(plan: Plan | PlanTable) -> _Document:
    return _table_document(plan) if isinstance(plan, PlanTable) else _plan_document(plan)


def _table_document(table: PlanTable) -> _Document:
    sizes = list(dict.fromkeys(row.items for row in table.rows))
    gains = list(dict.fromkeys(row.gain for row in table.rows))
    side = "two" if table.alternative is Alternative.TWO_SIDED else "one"
    what = f"{side}-sided {_WORDS.get(table.test, table.test)}"
    mark = f"{SIGNIFICANT} marks p ≤ {format_exactly(table.alpha)}"
    head = f"p-values to expect ({what}, exact; {mark}), by the share of items hurt"

    def cell(row: PlanTableRow | None) -> str:
        if row is None:
            return ""
        return f"{format_p(row.p_value, table.alpha)}{SIGNIFICANT if row.p_value <= table.alpha else ' '}"

    if len(sizes) == len(gains) == 1:
        rows = [
            [_share(row.hurt_percent), format_count(row.helped), format_count(row.hurt), cell(row)]
            for row in table.rows
        ]
        sheets = [_Sheet("", ["hurt %", "helped", "hurt", "p "], rows)]
        sentence = f"{head}, for a gain of {_points(gains[0])} on {format_count(sizes[0])} items."
        return _Document([sentence], sheets, table.notes)
    known = {(row.items, row.gain, row.hurt_percent): row for row in table.rows}
    shares = list(dict.fromkeys(row.hurt_percent for row in table.rows))

    def sheet(caption: str, columns: Iterable[tuple[str, int, float]]) -> _Sheet:
        kept = [column for column in columns if any((column[1], column[2], share) in known for share in shares)]
        rows = [[_share(share), *(cell(known.get((n, g, share))) for _, n, g in kept)] for share in shares]
        return _Sheet(caption, ["hurt %", *(f"{name} " for name, _, _ in kept)], rows)

    if len(gains) == 1:
        sentence = f"{head} and the number of items, for a gain of {_points(gains[0])}."
        sheets = [sheet("", [(f"{format_count(n)} items", n, gains[0]) for n in sizes])]
    else:
        sentence = f"{head} and the gain."
        sheets = [sheet(f"{format_count(n)} items", [(_points(g), n, g) for g in gains]) for n in sizes]
    return _Document([sentence], sheets, table.notes)


def _share(percent: float) -> str:
    return f"{format_exactly(percent)}%"


def _points(percent: float) -> str:
    return f"+{format_exactly(percent)}%"


def _plan_document(plan: Plan) -> _Document:
    gains = _gain_format(plan)
    unit = " (points)" if plan.metric.as_percentage else ""
    simulated = any(row.power.n_sets is not None for row in plan.rows)
    clusters = any(row.units != row.items for row in plan.rows)
    headings = ["test", "items", *(["clusters"] if clusters else []), f"gain{unit}", "power"]
    headings += ["type S", "type M", "reversed"]
    rows = []
    for row in plan.rows:
        p = row.power
        cells = [row.test, _items(row, plan), *([format_count(row.units)] if clusters else []), _gain(row, plan, gains)]
        bracket = ""
        if p.n_sets is not None and plan.question is PlanQuestion.POWER:
            bracket = f" ({format_probability(p.low)} to {format_probability(p.high)})"
        cells.append(format_probability(p.value, p.n_sets) + bracket)
        cells.append("" if p.type_s is None else _type_s(p, plan))
        cells.append("" if p.type_m is None else format_factor(p.type_m))
        rows.append([*cells, format_probability(p.reversed, p.n_sets)])
    side = "two" if plan.alternative is Alternative.TWO_SIDED else "one"
    level = f"α = {format_exactly(plan.alpha)}"
    if plan.comparisons > 1:
        level += f" over {format_count(plan.comparisons)} comparisons"
    assumed = f"{plan.basis} {side.capitalize()}-sided tests at {level}."
    notes = [_EXPLAINED_SIMULATED if simulated else _EXPLAINED, *_checks(plan), *plan.notes]
    return _Document([*_sentences(plan, gains), assumed], [_Sheet("", headings, rows)], notes)


_EXPLAINED = (
    "type S: of the significant test sets, how many point the wrong way (none where tests are one-sided); type M: by "
    "which factor their gain overstates the true one on average; reversed: on how many test sets the better system "
    "scores worse."
)
_EXPLAINED_SIMULATED = f"{_EXPLAINED} What stands in brackets or as a range is what the simulation leaves open, at 95%."


def _gain_format(plan: Plan) -> ScoreFormat:
    scale = 100 if plan.metric.as_percentage else 1
    smallest = min(row.gain for row in plan.rows)
    # Two significant digits, and one more of gains that were sought.
    decimals = score_decimals(smallest * scale) + (plan.question is PlanQuestion.GAIN)
    return ScoreFormat(decimals, plan.metric.as_percentage)


def _items(row: PlanRow, plan: Plan) -> str:
    text = format_count(row.items)
    if plan.question is PlanQuestion.ITEMS and row.low is not None and row.high is not None:
        text += f" ({format_count(int(row.low))} to {format_count(int(row.high) + 1)})"
    return text


def _gain(row: PlanRow, plan: Plan, gains: ScoreFormat) -> str:
    text = gains.gain(row.gain)
    if plan.question is PlanQuestion.GAIN and row.low is not None and row.high is not None:
        text += f" ({gains.gain(row.low)} to {gains.gain(row.high)})"
    return text


def _sentences(plan: Plan, gains: ScoreFormat) -> list[str]:
    """Return the answer of the first test in a sentence for each size and gain, three at most."""
    first = [row for row in plan.rows if row.test == plan.rows[0].test][:3]
    test = _WORDS.get(first[0].test, printable(first[0].test))
    points = " points" if plan.metric.as_percentage else ""
    name = "" if plan.metric.name in ("mean", "accuracy") else f" of {printable(plan.metric.name)}"
    aim = "" if plan.target is None else f"{format_level(plan.target)} power"
    said = []
    for row in first:
        n, gain = format_count(row.items), f"{gains.gain(row.gain)}{points}{name}"
        # A simulated search ends where the power is within its noise of the target.
        about = "" if row.power.n_sets is None else "about "
        if plan.question is PlanQuestion.POWER:
            share = format_probability(row.power.value, row.power.n_sets)
            said.append(f"On {n} items the {test} finds a true gain of {gain} in {share} of test sets.")
        elif plan.question is PlanQuestion.GAIN:
            said.append(f"{n} items detect a true gain of {gain} with {about}{aim} ({test}).")
        else:
            said.append(f"A true gain of {gain} needs {n} items for {about}{aim} ({test}).")
    return [" ".join(said)]


def _type_s(power: Power, plan: Plan) -> str:
    assert power.type_s is not None
    if plan.alternative is not Alternative.TWO_SIDED:
        return format_probability(0.0)
    hits = None if power.n_sets is None else round(power.value * power.n_sets)
    return format_probability(power.type_s, hits)


def _checks(plan: Plan) -> list[str]:
    found = []
    for test in dict.fromkeys(row.test for row in plan.rows):
        checks = [row.power.check for row in plan.rows if row.test == test and row.power.check is not None]
        if checks:
            n_sets, more, fewer = (
                sum(check.n_sets for check in checks),
                sum(check.n_more for check in checks),
                sum(check.n_fewer for check in checks),
            )
            found.append(
                f"{test}: run on {format_count(n_sets)} of the simulated test sets, the test itself was significant on "
                f"{more} more and {fewer} fewer of them than the shortcut."
            )
    return found
