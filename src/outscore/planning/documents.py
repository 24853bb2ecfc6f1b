"""What reports of plans say, each thing once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from outscore.options import opt
from outscore.planning.results import Plan, PlanQuestion, PlanRow, PlanTable, PlanTableRow, Power
from outscore.reports.documents import Document, Table, name, overview
from outscore.results import Alternative, Claim
from outscore.text.numbers import (
    ScoreFormat,
    format_count,
    format_exactly,
    format_factor,
    format_level,
    format_p,
    format_probability,
    score_decimals,
)

SIGNIFICANT = "*"
PAGE, GAP = 80, 2  # columns
FEW_SIZES, FEW_ROWS = 4, 3  # of which an answer can tell
AIM = 0.8  # the power that most plan for
ALMOST = 1e-9


def plan_document(plan: Plan | PlanTable) -> Document:
    """Return what a report says of a plan."""
    return _table_document(plan) if isinstance(plan, PlanTable) else _plan_document(plan)


def _table_document(table: PlanTable) -> Document:
    sizes = list(dict.fromkeys(row.items for row in table.rows))
    gains = sorted({row.gain for row in table.rows})
    what = f"{table.alternative.sided} {table.test_title}"
    mark = f"{SIGNIFICANT} marks p ≤ {format_exactly(table.alpha)}"
    head = f"p-values to expect ({what}, exact; {mark}), by the share of items hurt"

    def document(sentence: str, parts: Sequence[Table]) -> Document:
        title = "p-values to expect"
        answer = _by_size(table) if len(sizes) <= FEW_SIZES else _by_gain(table)
        said = (" ".join(answer), sentence)
        return overview(
            title,
            said,
            parts,
            table.notes,
            warnings=(),
            signature=table.signature,
            version=table.version,
            caption=sentence,
        )

    def cell(row: PlanTableRow | None) -> str:
        if row is None:
            return ""
        return f"{format_p(row.p_value, table.alpha)}{SIGNIFICANT if row.p_value <= table.alpha else ' '}"

    if len(sizes) == len(gains) == 1:
        rows = tuple(
            (_share(row.hurt_percent), format_count(row.helped), format_count(row.hurt), cell(row))
            for row in table.rows
        )
        sentence = f"{head}, for a gain of {_points(gains[0])} on {format_count(sizes[0])} items."
        return document(sentence, [Table(("hurt %", "helped", "hurt", "p "), rows, frozenset(range(4)))])
    known = {(row.items, row.gain, row.hurt_percent): row for row in table.rows}
    shares = list(dict.fromkeys(row.hurt_percent for row in table.rows))

    def parts(caption: str, columns: Iterable[tuple[str, int, float]]) -> Iterator[Table]:
        """Yield one table, or several where the columns would not stand beside one another on a page."""
        kept = [column for column in columns if any((column[1], column[2], share) in known for share in shares)]
        said = [(f"{title} ", *(cell(known.get((n, g, share))) for share in shares)) for title, n, g in kept]
        left = ("hurt %", *(_share(share) for share in shares))
        runs = list(_beside(left, said))
        for place, run in enumerate(runs, 1):
            headings, *rows = zip(left, *run, strict=True)
            part = f"{caption}, part {place} of {len(runs)}".lstrip(", ") if len(runs) > 1 else caption
            yield Table(headings, tuple(rows), frozenset(range(len(headings))), part)

    if len(gains) == 1:
        sentence = f"{head} and the number of items, for a gain of {_points(gains[0])}."
        tables = list(parts("", [(f"{format_count(n)} items", n, gains[0]) for n in sizes]))
    else:
        sentence = f"{head} and the gain."
        by_size = (parts(f"{format_count(n)} items", [(_points(g), n, g) for g in gains]) for n in sizes)
        tables = [table for several in by_size for table in several]
    return document(sentence, tables)


def _beside(left: Sequence[str], columns: Sequence[tuple[str, ...]]) -> Iterator[list[tuple[str, ...]]]:
    """Yield runs of columns that fit into a page beside the one on the left."""
    start = max(map(len, left))
    run: list[tuple[str, ...]] = []
    width = start
    for column in columns:
        more = GAP + max(map(len, column))
        if run and width + more > PAGE:
            yield run
            run, width = [], start
        run.append(column)
        width += more
    if run:
        yield run


def _by_size(table: PlanTable) -> Iterator[str]:
    """Yield for each size up to which share of items hurt its gains are significant."""
    for items in dict.fromkeys(row.items for row in table.rows):
        parts = []
        for gain in sorted({row.gain for row in table.rows if row.items == items}):
            rows = sorted((row for row in table.rows if (row.items, row.gain) == (items, gain)), key=_hurt)
            least = list(takewhile(lambda row: row.p_value <= table.alpha, rows))
            if len(least) == len(rows):
                parts.append(f"{_points(gain)} always")
            elif least:
                parts.append(f"{_points(gain)} to {_share(least[-1].hurt_percent)} hurt")
            else:
                parts.append(f"{_points(gain)} never")
        yield f"Significant on {format_count(items)} items: {', '.join(parts)}."


def _by_gain(table: PlanTable) -> Iterator[str]:
    """Yield for each gain from which size on it is significant, with the fewest and with the most items hurt."""
    for gain in sorted({row.gain for row in table.rows}):
        of_gain = [row for row in table.rows if row.gain == gain]
        parts = []
        for share in sorted({min(map(_hurt, of_gain)), max(map(_hurt, of_gain))}):
            rows = sorted((row for row in of_gain if row.hurt_percent == share), key=lambda row: -row.items)
            largest = list(takewhile(lambda row: row.p_value <= table.alpha, rows))
            start = f"from {format_count(largest[-1].items)} items on" if largest else "on none of these sizes"
            parts.append(f"{start} with {_share(share)} hurt")
        yield f"{_points(gain)} is significant {', '.join(parts)}."


def _hurt(row: PlanTableRow) -> float:
    return row.hurt_percent


def _share(percent: float) -> str:
    return f"{format_exactly(percent)}%"


def _points(percent: float) -> str:
    return f"+{format_exactly(percent)}%"


def _plan_document(plan: Plan) -> Document:
    gains = gain_format(plan)
    unit = " (points)" if plan.metric.as_percentage else ""
    simulated = any(row.power.n_sets is not None for row in plan.rows)
    clusters = any(row.units != row.items for row in plan.rows)
    headings = ["test", "items", *(["clusters"] if clusters else []), f"gain{unit}", "power"]
    if plan.margin is None:
        headings += ["type S", "type M", "reversed"]
    rows = []
    for row in plan.rows:
        p = row.power
        cells = [
            name(row.test),
            _items(row, plan),
            *([format_count(row.units)] if clusters else []),
            _gain(row, plan, gains),
        ]
        bracket = ""
        if p.n_sets is not None and plan.question is PlanQuestion.POWER:
            bracket = f" ({format_probability(p.low)} to {format_probability(p.high)})"
        cells.append(_probability(p.value, p) + bracket)
        if plan.margin is None:
            cells.append("" if p.type_s is None else _type_s(p, plan))
            cells.append("" if p.type_m is None else format_factor(p.type_m))
            cells.append(_probability(p.reversed, p))
        rows.append(cells)
    level = f"α = {format_exactly(plan.alpha)}"
    if plan.comparisons > 1:
        level += f" over {format_count(plan.comparisons)} comparisons"
    sides = "Two one-sided" if plan.claim is Claim.EQUIVALENT else plan.alternative.sided.capitalize()
    assumed = f"{plan.basis} {sides} tests at {level}."
    notes = [*_explained(plan, simulated=simulated), *_checks(plan), *plan.notes]
    table = Table(tuple(headings), tuple(map(tuple, rows)), frozenset(range(1, len(headings))))
    title = _TITLES[plan.question]
    said, caption = (_answer(plan, gains), assumed), f"{title}. {assumed}"
    return overview(
        title,
        said,
        (table,),
        notes,
        warnings=(),
        signature=plan.signature,
        version=plan.version,
        caption=caption,
    )


_TITLES = {
    PlanQuestion.POWER: "Power of a test set",
    PlanQuestion.GAIN: "Gains that a test set detects",
    PlanQuestion.ITEMS: "Items that a gain needs",
}


def _explained(plan: Plan, *, simulated: bool) -> Sequence[str]:
    """Return what the columns hold."""
    if plan.margin is None:
        return [f"{_EXPLAINED} {_SIMULATED} {_shortcut()}" if simulated else _EXPLAINED]
    simulation = [f"{_SIMULATED.removesuffix(';')}."] if simulated else []
    if plan.claim is Claim.EQUIVALENT:
        null = "that the gain is a margin or more, up or down"
    else:
        null = "that it is worse by a margin or more"
    test = plan.rows[0].test
    source = " (Tango 1998)" if test == "score" else ""
    return [f"power: on how many test sets the {plan.test_title} rejects {null}{source}.", *simulation]


_EXPLAINED = (
    "type S: of the significant test sets, how many point the wrong way (none where tests are one-sided); type M: by "
    "which factor their gain overstates the true one on average; reversed: on how many test sets the better system "
    "scores worse."
)
_SIMULATED = "What stands in brackets or as a range is what the simulation leaves open, at 95%;"


def _shortcut() -> str:
    return (
        f"beside it, the shortcut that decides on simulated test sets may be off by a point ({opt('n_checks')} runs "
        "the tests themselves)."
    )


def gain_format(plan: Plan) -> ScoreFormat:
    """Return how gains of a plan are written: as finely as the smallest asks for."""
    smallest = min(abs(row.gain) or math.inf for row in plan.rows)
    if plan.margin is not None:
        smallest = min(smallest, plan.margin)
    # Two significant digits, and one more of gains that were sought.
    decimals = score_decimals(smallest * plan.metric.factor) + (plan.question is PlanQuestion.GAIN)
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


def _answer(plan: Plan, gains: ScoreFormat) -> str:
    """Return the answer of the first test in three sentences at most."""
    test = plan.test_title
    points = " points" if plan.metric.as_percentage else ""
    of = "" if plan.metric.name in ("mean", "accuracy") else f" of {name(plan.metric.title)}"
    aim = "" if plan.target is None else f"{format_level(plan.target)} power"
    said = []
    for row in _telling([row for row in plan.rows if row.test == plan.rows[0].test], plan.question)[:FEW_ROWS]:
        n, gain = format_count(row.items), f"{gains.gain(row.gain)}{points}{of}"
        # A simulated search ends where the power is within its noise of the target.
        about = "" if row.power.n_sets is None else "about "
        if plan.margin is not None:
            margin = f"{gains.gain(plan.margin).removeprefix('+')}{points}{of}"
            what = "equivalent" if plan.claim is Claim.EQUIVALENT else "not worse"
            shown = f"that the candidate is {what}, with a margin of {margin},"
            true = f"where the true gain is {gains.gain(row.gain) if row.gain else '0'}"
            if plan.question is PlanQuestion.POWER:
                share = _probability(row.power.value, row.power)
                said.append(f"On {n} items the {test} shows {shown} in {share} of test sets, {true}.")
            else:
                said.append(f"Showing {shown} needs {n} items for {about}{aim} ({test}), {true}.")
        elif plan.question is PlanQuestion.POWER:
            share = _probability(row.power.value, row.power)
            said.append(f"On {n} items the {test} finds a true gain of {gain} in {share} of test sets.")
        elif plan.question is PlanQuestion.GAIN:
            said.append(f"{n} items detect a true gain of {gain} with {about}{aim} ({test}).")
        else:
            said.append(f"A true gain of {gain} needs {n} items for {about}{aim} ({test}).")
    return " ".join(said)


def _telling(rows: Sequence[PlanRow], question: PlanQuestion) -> Sequence[PlanRow]:
    """Return the rows that say most: of many powers, for each gain the first that is high, or else the highest."""
    if question is not PlanQuestion.POWER or len(rows) <= FEW_ROWS:
        return rows
    telling = []
    for gain in dict.fromkeys(row.gain for row in rows):
        by_size = sorted((row for row in rows if row.gain == gain), key=lambda row: row.items)
        telling.append(next((row for row in by_size if row.power.value >= AIM), by_size[-1]))
    return telling


def _probability(p: float, power: Power) -> str:
    """Return a probability of a simulation or of a law: rounding alone makes 0 or 1 of either."""
    return format_probability(p if power.n_sets is not None else min(max(p, ALMOST), 1 - ALMOST), power.n_sets)


def _type_s(power: Power, plan: Plan) -> str:
    assert power.type_s is not None
    if plan.alternative is not Alternative.TWO_SIDED:
        return format_probability(0.0)
    hits = None if power.n_sets is None else round(power.value * power.n_sets)
    return format_probability(power.type_s, hits)


def _checks(plan: Plan) -> list[str]:
    sentences = []
    for test in dict.fromkeys(row.test for row in plan.rows):
        checks = [row.power.check for row in plan.rows if row.test == test and row.power.check is not None]
        if checks:
            n_sets, more, fewer = (
                sum(check.n_sets for check in checks),
                sum(check.n_more for check in checks),
                sum(check.n_fewer for check in checks),
            )
            sentences.append(
                f"{test}: run on {format_count(n_sets)} of the simulated test sets, the test itself was significant on "
                f"{more} more and {fewer} fewer of them than the shortcut."
            )
    return sentences
