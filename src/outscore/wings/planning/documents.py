"""Reports of plans."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from outscore.options import opt
from outscore.questions.looks import ErrorRate
from outscore.reports.documents import Document, Table, name, overview
from outscore.reports.documents.layouts import Column, counts, names, numbers, table
from outscore.results import Alternative, Claim
from outscore.text.naming import in_a_row
from outscore.text.numbers import (
    ScoreFormat,
    format_count,
    format_counted,
    format_exactly,
    format_factor,
    format_level,
    format_p,
    format_probability,
    score_decimals,
)
from outscore.wings.planning.results import (
    GatePlan,
    GatePlanRow,
    GateRunsRow,
    ItemsOfRuns,
    Plan,
    PlanQuestion,
    PlanRow,
    PlanTable,
    PlanTableLimit,
    PlanTableRow,
    Power,
    RunsCell,
    RunsPlan,
    RunsRow,
)

SIGNIFICANT = "*"
PAGE, GAP = 80, 2  # columns
FEW_SIZES, FEW_ROWS = 4, 3  # of an answer
AIM = 0.8  # the power that most studies plan for
ALMOST = 1e-9


def plan_document(plan: Plan | PlanTable) -> Document:
    """Return the report of a plan."""
    return _table_document(plan) if isinstance(plan, PlanTable) else _plan_document(plan)


def _level(plan: Plan | RunsPlan) -> str:
    over = f" over {format_count(plan.comparisons)} comparisons" if plan.comparisons > 1 else ""
    return f"α = {format_exactly(plan.alpha)}{over}"


def _unit(plan: Plan | RunsPlan | GatePlan) -> str:
    """Return the unit after a gain in a sentence: " points of BLEU", empty for a mean."""
    metric_words = "" if plan.metric.name in ("mean", "accuracy") else f" of {name(plan.metric.title)}"
    return f"{' points' if plan.metric.as_percentage else ''}{metric_words}"


def _table_document(plan: PlanTable) -> Document:
    sizes = list(dict.fromkeys(row.items for row in plan.rows))
    gains = sorted({row.gain for row in plan.rows})
    what = f"{plan.alternative.sided} {plan.test_title}"
    mark = f"{SIGNIFICANT} marks p ≤ {format_exactly(plan.alpha)}"
    head = f"expected p-values ({what}, exact; {mark}), by percentage of losses"

    def document(sentence: str, parts: Sequence[Table]) -> Document:
        title = "expected p-values"
        few = len(sizes) <= FEW_SIZES
        answer = (" ".join(_by_size(plan) if few else _by_gain(plan)), sentence)
        tables = parts if few else [_limits(plan), *parts]
        return overview(plan, title, answer, tables, plan.notes, caption=sentence)

    def cell(row: PlanTableRow | None) -> str:
        if row is None:
            return ""
        return f"{format_p(row.p_value, plan.alpha)}{SIGNIFICANT if row.p_value <= plan.alpha else ' '}"

    if len(sizes) == len(gains) == 1:
        columns: list[Column[PlanTableRow]] = [
            numbers("losses %", lambda row: _share(row.hurt_percent)),
            counts("wins", lambda row: row.helped),
            counts("losses", lambda row: row.hurt),
            numbers("p ", cell),
        ]
        sentence = f"{head}, for a gain of {_points(gains[0])} on {format_count(sizes[0])} items."
        return document(sentence, [table(plan.rows, columns)])
    row_at = {(row.items, row.gain, row.hurt_percent): row for row in plan.rows}
    shares = list(dict.fromkeys(row.hurt_percent for row in plan.rows))

    def parts(caption: str, columns: Iterable[tuple[str, int, float]]) -> Iterator[Table]:
        """Yield one table, or several if the columns do not fit on a page."""
        kept = [column for column in columns if any((column[1], column[2], share) in row_at for share in shares)]
        cells = [(f"{title} ", *(cell(row_at.get((n, g, share))) for share in shares)) for title, n, g in kept]
        left = ("losses %", *(_share(share) for share in shares))
        runs = list(_beside(left, cells))
        for number, run in enumerate(runs, 1):
            headings, *rows = zip(left, *run, strict=True)
            part = f"{caption}, part {number} of {len(runs)}".lstrip(", ") if len(runs) > 1 else caption
            yield Table(headings, tuple(rows), frozenset(range(len(headings))), part)

    if len(gains) == 1:
        sentence = f"{head} and the number of items, for a gain of {_points(gains[0])}."
        tables = list(parts("", [(f"{format_count(n)} items", n, gains[0]) for n in sizes]))
    else:
        sentence = f"{head} and the gain."
        by_size = (parts(f"{format_count(n)} items", [(_points(g), n, g) for g in gains]) for n in sizes)
        tables = [part for several in by_size for part in several]
    return document(sentence, tables)


def _beside(left: Sequence[str], columns: Sequence[tuple[str, ...]]) -> Iterator[list[tuple[str, ...]]]:
    """Yield runs of columns that fit on a page next to the first column."""
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
    """Yield, for each size, the largest numbers of losses at which its gains are significant."""
    for items in dict.fromkeys(limit.items for limit in table.limits):
        limits = sorted((limit for limit in table.limits if limit.items == items), key=lambda limit: limit.gain)
        parts = ", ".join(f"{_points(limit.gain)} {_losses(limit)}" for limit in limits)
        yield f"Significant with {format_count(items)} items: {parts}."


def _limits(plan: PlanTable) -> Table:
    """Return the largest numbers of losses by size and gain, for many sizes."""
    columns: list[Column[PlanTableLimit]] = [
        counts("items", lambda limit: limit.items),
        numbers("gain", lambda limit: _points(limit.gain)),
        numbers("most losses", lambda limit: "never" if limit.hurt is None else format_count(limit.hurt)),
        counts("of at most", lambda limit: limit.possible),
    ]
    limits = sorted(plan.limits, key=lambda limit: (limit.items, limit.gain))
    return table(limits, columns, caption="largest numbers of losses at which a gain is significant")


def _losses(limit: PlanTableLimit) -> str:
    if limit.hurt is None:
        return "never"
    if limit.hurt == limit.possible:
        return "with any number of losses"
    if limit.hurt == 0:
        return f"only without losses ({format_counted(limit.gained, 'win')})"
    losses = "1 loss" if limit.hurt == 1 else f"{format_count(limit.hurt)} losses"
    return f"with at most {losses} ({format_count(limit.hurt + limit.gained)} wins)"


def _by_gain(table: PlanTable) -> Iterator[str]:
    """Yield, for each gain, the size from which it is significant, with the fewest and the most losses."""
    for gain in sorted({row.gain for row in table.rows}):
        gain_rows = [row for row in table.rows if row.gain == gain]
        parts = []
        for share in sorted({min(map(_hurt, gain_rows)), max(map(_hurt, gain_rows))}):
            rows = sorted((row for row in gain_rows if row.hurt_percent == share), key=lambda row: -row.items)
            largest = list(takewhile(lambda row: row.p_value <= table.alpha, rows))
            start = f"from {format_count(largest[-1].items)} items" if largest else "at none of these sizes"
            parts.append(f"{start} with {_share(share)} losses")
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
    simulated, tests_gain = any(row.power.n_sets is not None for row in plan.rows), plan.margin is None
    columns: list[Column[PlanRow]] = [
        names("test", lambda row: row.test, fitted=False),
        numbers("items", lambda row: _items(row, plan)),
        counts("clusters", lambda row: row.units, shown=any(row.units != row.items for row in plan.rows)),
        numbers(f"gain{unit}", lambda row: _gain(row, plan, gains)),
        numbers("power", lambda row: _power(row.power, plan)),
        numbers("type S", lambda row: "" if row.power.type_s is None else _type_s(row.power, plan), shown=tests_gain),
        numbers(
            "type M", lambda row: "" if row.power.type_m is None else format_factor(row.power.type_m), shown=tests_gain
        ),
        numbers("reversed", lambda row: _probability(row.power.reversed, row.power), shown=tests_gain),
    ]
    sides = "Two one-sided" if plan.claim is Claim.EQUIVALENT else plan.alternative.sided.capitalize()
    assumed = f"{plan.basis} {sides} tests at {_level(plan)}."
    notes = [*_explained(plan, simulated=simulated), *_checks(plan), *plan.notes]
    title = _TITLES[plan.question]
    answer, caption = (_answer(plan, gains), assumed), f"{title}. {assumed}"
    return overview(plan, title, answer, (table(plan.rows, columns),), notes, caption=caption)


_TITLES = {
    PlanQuestion.POWER: "Power of a test set",
    PlanQuestion.GAIN: "Gains that a test set detects",
    PlanQuestion.ITEMS: "Items needed for a gain",
}


def _explained(plan: Plan, *, simulated: bool) -> Sequence[str]:
    """Return the explanation of the columns."""
    if plan.margin is None:
        return [*_EXPLAINED, *([f"{_SIMULATED} {_shortcut()}"] if simulated else [])]
    simulation = [_SIMULATED] if simulated else []
    if plan.claim is Claim.EQUIVALENT:
        null = "that the gain is at least the margin in size"
    else:
        null = "a loss of the margin or more"
    test = plan.rows[0].test
    source = " (Tango 1998)" if test == "score" else ""
    return [f"power: proportion of test sets on which the {plan.test_title} rejects {null}{source}.", *simulation]


_EXPLAINED = (
    "type S: proportion of significant test sets whose gain has the wrong sign.",
    "type M: factor by which the gain of significant test sets is too large, on average.",
    "reversed: proportion of test sets on which the better system scores lower.",
)
_SIMULATED = "Ranges in parentheses are 95% confidence intervals for the simulation error."


def _shortcut() -> str:
    return (
        "The power can be off by one more percentage point, because the test is approximated on simulated test sets "
        f"({opt('n_checks')} checks this)."
    )


def gain_format(plan: Plan) -> ScoreFormat:
    """Return the format of a plan's gains, as fine as the smallest one needs."""
    smallest = min(abs(row.gain) or math.inf for row in plan.rows)
    if plan.margin is not None:
        smallest = min(smallest, plan.margin)
    # Two significant digits, and one more for gains that were searched for.
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
    """Return the answer of the first test in at most three sentences."""
    test = plan.test_title
    unit = _unit(plan)
    aim = "" if plan.target is None else f"{format_level(plan.target)} power"
    sentences = []
    for row in _telling([row for row in plan.rows if row.test == plan.rows[0].test], plan.question)[:FEW_ROWS]:
        n, gain = format_count(row.items), f"{gains.gain(row.gain)}{unit}"
        # A simulated search ends when the power is within its noise of the target.
        about = "" if row.power.n_sets is None else "about "
        if plan.margin is not None:
            margin = f"{gains.gain(plan.margin).removeprefix('+')}{unit}"
            what = "equivalent" if plan.claim is Claim.EQUIVALENT else "not worse"
            shown = f"that the candidate is {what}, with a margin of {margin},"
            true = f"where the true gain is {gains.gain(row.gain) if row.gain else '0'}"
            if plan.question is PlanQuestion.POWER:
                share = _probability(row.power.value, row.power)
                sentences.append(f"With {n} items, the {test} shows {shown} in {share} of test sets, {true}.")
            else:
                sentences.append(f"Showing {shown} needs {n} items for {about}{aim} ({test}), {true}.")
        elif plan.question is PlanQuestion.POWER:
            share = _probability(row.power.value, row.power)
            sentences.append(f"With {n} items, the {test} detects a true gain of {gain} in {share} of test sets.")
        elif plan.question is PlanQuestion.GAIN:
            sentences.append(f"{n} items detect a true gain of {gain} with {about}{aim} ({test}).")
        else:
            sentences.append(f"A true gain of {gain} needs {n} items for {about}{aim} ({test}).")
    return " ".join(sentences)


def _telling(rows: Sequence[PlanRow], question: PlanQuestion) -> Sequence[PlanRow]:
    """Return the most informative rows: for each gain, the first with high power, or else the highest."""
    if question is not PlanQuestion.POWER or len(rows) <= FEW_ROWS:
        return rows
    telling = []
    for gain in dict.fromkeys(row.gain for row in rows):
        by_size = sorted((row for row in rows if row.gain == gain), key=lambda row: row.items)
        telling.append(next((row for row in by_size if row.power.value >= AIM), by_size[-1]))
    return telling


def _probability(p: float, power: Power) -> str:
    """Return a probability of a simulation or distribution, which is 0 or 1 only after rounding."""
    return format_probability(p if power.n_sets is not None else min(max(p, ALMOST), 1 - ALMOST), power.n_sets)


def _power(power: Power, plan: Plan) -> str:
    """Return a power, with the range of a simulated one."""
    ends = ""
    if power.n_sets is not None and plan.question is PlanQuestion.POWER:
        ends = f" ({format_probability(power.low)} to {format_probability(power.high)})"
    return f"{_probability(power.value, power)}{ends}"


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
                f"{test}: on {format_count(n_sets)} simulated test sets, the test itself was significant on "
                f"{more} more and {fewer} fewer than the approximation."
            )
    return sentences


_EXPLAINED_OF_RUNS = (
    "power: of the crossed t test, by Student's noncentral t distribution with Satterthwaite's degrees of freedom "
    "for these numbers of items and runs. With two runs there is no verdict, so at least 3 are planned. With one "
    "run, the interval assumes that the run sd is known."
)


def run_plan_document(plan: RunsPlan) -> Document:
    """Return the report of planned runs."""
    spreads = spread_format(plan)
    points = " (points)" if plan.metric.as_percentage else ""
    ranges = any(row.runs_low is not None or row.runs_high is not None for row in plan.rows)
    needed: list[Column[RunsRow]] = [
        counts("items", lambda row: row.items),
        numbers("runs needed", lambda row: _count(row.runs)),
        numbers("range from the pilot", _range, shown=ranges),
        numbers("power", lambda row: "" if row.power is None else format_probability(row.power)),
    ]
    level = format_level(1 - plan.alpha / plan.comparisons)
    intervals: list[Column[RunsCell]] = [
        counts("items", lambda cell: cell.items),
        counts("runs", lambda cell: cell.runs),
        numbers(f"standard error{points}", lambda cell: spreads.score(cell.standard_error)),
        numbers(f"{level} ±", lambda cell: _width(cell.half_width, spreads)),
        numbers("power", lambda cell: "" if cell.power is None else format_probability(cell.power)),
        numbers("of items", lambda cell: f"{cell.items_share:.0%}"),
        numbers("of runs", lambda cell: f"{cell.runs_share:.0%}"),
        numbers("of both", lambda cell: f"{cell.interaction_share:.0%}"),
    ]
    items: list[Column[ItemsOfRuns]] = [
        counts("runs", lambda row: row.runs),
        numbers("items needed", lambda row: _count(row.items)),
    ]
    assumed = f"{plan.basis} {plan.alternative.sided.capitalize()} tests at {_level(plan)}."
    return overview(
        plan,
        "Runs needed for a gain",
        (_answer_of_runs(plan), assumed),
        (
            table(plan.rows, needed, caption="runs of each system"),
            table(plan.intervals, intervals, caption="intervals of the gain, and sources of their variance"),
            table(plan.items_needed, items, caption="items by runs of each system"),
        ),
        [*_notes_of_runs(plan, spreads), *plan.notes],
        caption=f"Runs needed for a gain. {assumed}",
    )


def spread_format(plan: RunsPlan) -> ScoreFormat:
    """Return the format of standard errors, as fine as the smallest one needs."""
    smallest = min((cell.standard_error for cell in plan.intervals if cell.standard_error > 0), default=1.0)
    return ScoreFormat(score_decimals(smallest * plan.metric.factor) + 1, plan.metric.as_percentage)


def _answer_of_runs(plan: RunsPlan) -> str:
    gains = ScoreFormat(score_decimals(plan.gain * plan.metric.factor), plan.metric.as_percentage)
    gain = f"{gains.gain(plan.gain)}{_unit(plan)}"
    possible = [row for row in plan.rows if row.runs is not None]
    never = [format_count(row.items) for row in plan.rows if row.runs is None]
    sentences = []
    if possible:
        (least, *others), each = possible[:3], "pairs of runs" if plan.paired else "runs of each system"
        runs = [f"{format_count(least.runs or 0)} {each} on {format_count(least.items)} items"]
        runs += [f"{format_count(row.runs or 0)} on {format_count(row.items)}" for row in others]
        sentences.append(
            f"A true gain of {gain} needs {in_a_row(runs)} for {format_level(plan.target)} power (crossed t test)."
        )
    if never:
        on = in_a_row(never[:3])
        sentences.append(
            f"{'With' if possible else f'A true gain of {gain}: with'} {on} items, no number of runs is enough, "
            "because the variance between items is too large."
        )
    best = plan.cheapest
    if best is not None and best.items is not None and best.runs is not None and best.cost is not None:
        sentences.append(
            f"The cheapest plan has {format_count(best.items)} items with {format_count(best.runs)} runs of each "
            f"system, at {format_exactly(round(best.cost, 6))}."
        )
    return " ".join(sentences)


def _notes_of_runs(plan: RunsPlan, spreads: ScoreFormat) -> Iterator[str]:
    yield _EXPLAINED_OF_RUNS
    points = " points" if plan.metric.as_percentage else ""
    if plan.run_sd is not None:
        sd = plan.run_sd
        yield (
            "run sd: the standard deviation of the score between the pilot's runs is "
            f"{spreads.score(sd.estimate)}{points} (95%: {spreads.score(sd.low)} to {spreads.score(sd.high)})."
        )
    best = plan.cheapest
    if best is not None and best.items_per_run is not None:
        ratio = f"{best.items_per_run:.3g}"
        yield f"At these costs, the best ratio of items to runs is {ratio} to 1, ignoring their interaction."
    if best is not None and best.items is None:
        yield "No numbers of items and runs have this power, at any cost."
    if plan.comparisons > 1:
        m = format_count(plan.comparisons)
        yield f"Each of {m} comparisons is tested at α/{m} = {plan.alpha / plan.comparisons:.4g}."


def _count(number: int | None) -> str:
    return "not possible" if number is None else format_count(number)


def _range(row: RunsRow) -> str:
    if row.runs_low is None:
        return "not possible"
    return f"{format_count(row.runs_low)} to {'any number' if row.runs_high is None else format_count(row.runs_high)}"


def _width(value: float, spreads: ScoreFormat) -> str:
    return spreads.score(value) if math.isfinite(value) else "unbounded"


_TITLE_OF_GATE = "Items needed for a gate"


def gate_plan_document(plan: GatePlan) -> Document:
    """Return the report of a planned gate."""
    targets = list(dict.fromkeys(row.target for row in plan.rows))
    firsts = [row for row in plan.rows if row.target == targets[0]]
    row_at = {(row.look, row.runs, row.target): row for row in plan.rows}
    clusters = any(row.units not in (None, row.items) for row in plan.rows)

    def of_target(target: float) -> list[Column[GatePlanRow]]:
        level = format_level(target)
        return [
            numbers(f"items for {level}", lambda row: _items_of_gate(row_at[row.look, row.runs, target])),
            counts(f"clusters for {level}", lambda row: row_at[row.look, row.runs, target].units, shown=clusters),
        ]

    columns: list[Column[GatePlanRow]] = [
        counts("check", lambda row: row.look),
        numbers("level", lambda row: f"{row.level:.4g}"),
        counts("runs", lambda row: row.runs or 1, shown=any(row.runs is not None for row in firsts)),
        *(column for target in targets for column in of_target(target)),
    ]
    tables = [table(firsts, columns, caption=gate_rows_name(plan))]
    if plan.runs_needed:
        needed: list[Column[GateRunsRow]] = [
            counts("check", lambda row: row.look),
            numbers("power", lambda row: format_level(row.target)),
            numbers("runs needed", lambda row: _count(row.runs)),
            numbers("power", lambda row: "" if row.power is None else format_probability(row.power)),
        ]
        pilot = f"runs of each system with the pilot's {format_count(plan.runs_needed[0].items)} items"
        tables.append(table(plan.runs_needed, needed, caption=pilot))
    assumed = f"{plan.basis} {_spending(plan)}"
    simulated = [_SIMULATED] if any(row.items_low is not None for row in plan.rows) else []
    return overview(
        plan,
        _TITLE_OF_GATE,
        (_answer_of_gate(plan), assumed),
        tables,
        [_explained_of_gate(plan), *simulated, *plan.notes],
        caption=f"{_TITLE_OF_GATE}. {assumed}",
    )


def _explained_of_gate(plan: GatePlan) -> str:
    """Return how a gate passes."""
    source = " (Tango 1998)" if plan.test == "score" else ""
    runs_words = " over new items and new runs, at least 3 of each system" if plan.rows[0].runs is not None else ""
    return (
        f"A candidate passes if the {plan.test_title} rejects a loss of the margin or more{source}{runs_words}. The "
        "powers hold for an equally good candidate. With several metrics or tasks, all have to pass, which "
        "happens less often."
    )


def gate_rows_name(plan: GatePlan) -> str:
    """Return what the rows of the plan are: checks of a stored baseline, or of one commit."""
    if plan.error is ErrorRate.PER_BASELINE:
        return "by check against a stored baseline"
    return "for one comparison per commit" if plan.looks is None else "by check of a commit"


def _spending(plan: GatePlan) -> str:
    where = "commit" if plan.error is ErrorRate.PER_COMMIT else "baseline"
    alpha = f"α = {format_exactly(plan.alpha)}"
    if plan.looks is not None:
        return f"{alpha} over {format_count(plan.looks)} planned checks of a {where}, all at the same level."
    if plan.error is ErrorRate.PER_COMMIT:
        return f"{alpha} for the only check of a commit."
    return f"{alpha} over all checks of a baseline; check k has level α/(k(k+1))."


def _answer_of_gate(plan: GatePlan) -> str:
    """Return the requirements at the planned check; for new runs, those with the fewest."""
    rows = [row for row in plan.rows if row.look == plan.look]
    fewest = min((row.runs or 0 for row in rows if row.items is not None), default=None)
    sizes = ScoreFormat(score_decimals(plan.margin * plan.metric.factor), plan.metric.as_percentage)
    at = f"At check {format_count(plan.look)} (level {rows[0].level:.4g})"
    margin = f"a margin of {sizes.size(plan.margin)}{_unit(plan)}"
    if fewest is None:
        return f"{at}, no number of items is enough for an equally good candidate to pass with {margin}."
    fewest_rows = [row for row in rows if (row.runs or 0) == fewest and row.items is not None]
    about = "about " if fewest_rows[0].items_low is not None else ""
    on = " and ".join(
        f"{about}{format_count(row.items or 0)} items in {format_level(row.target)}" for row in fewest_rows
    )
    runs = f", with {format_count(fewest)} runs of each system" if fewest else ""
    return f"{at}, an equally good candidate passes with {margin} on {on} of cases{runs}."


def _items_of_gate(row: GatePlanRow) -> str:
    text = _count(row.items)
    if row.items_low is not None and row.items_high is not None:
        text += f" ({format_count(int(row.items_low))} to {format_count(int(row.items_high) + 1)})"
    return text
