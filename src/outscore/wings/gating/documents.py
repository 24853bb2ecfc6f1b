"""The reports of a gate: its outcome, every metric and task, and the items with the largest losses."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from outscore.options import opt
from outscore.questions.looks import ErrorRate
from outscore.reports.documents import Document, Table, name, overview, plain, strong, verdict
from outscore.reports.documents.layouts import Column, counts, names, numbers, table
from outscore.reports.text import documents_to_text
from outscore.text.naming import printable
from outscore.text.numbers import (
    ScoreFormat,
    format_count,
    format_counted,
    format_p,
    format_probability,
    score_format,
)
from outscore.wings.gating.results import POWER_SETS, GateCheck, GateOutcome, GateResult, HurtItem
from outscore.words.comparisons import claims

_WIDTH = 100  # of tables in plain text
_MOST_NAMED = 6  # checks in a sentence


def gate_document(result: GateResult) -> Document:
    """Return the report of a gate."""
    checks = result.checks
    formats = [check_format(check) for check in checks]
    tasks, units = any(check.test_set is not None for check in checks), len({c.metric.title for c in checks}) > 1
    rows, level = list(zip(checks, formats, strict=True)), result.level
    columns: list[Column[tuple[GateCheck, ScoreFormat]]] = [
        names("task", lambda row: row[0].test_set, shown=tasks),
        Column("metric", lambda row: _metric(row[0]), fitted=not tasks, shown=units or not tasks),
        counts("items", lambda row: row[0].n_items, gives_way=1),
        numbers("baseline", lambda row: row[1].score(row[0].baseline_score), gives_way=3),
        numbers("candidate", lambda row: row[1].score(row[0].candidate_score), gives_way=4),
        numbers("gain", lambda row: row[1].gain(row[0].gain)),
        numbers(
            _interval_heading(result), lambda row: _interval(*row), shown=any(c.interval is not None for c in checks)
        ),
        numbers("margin", lambda row: row[1].size(row[0].margin)),
        Column("p pass", lambda row: format_p(row[0].p_pass, level)),
        Column("p fail", lambda row: format_p(row[0].adjusted_p_fail, level)),
        # The outcome of a single check is in the first line, so it leaves room for the baseline.
        Column("outcome", lambda row: verdict(row[0].outcome.value), gives_way=2 if len(rows) == 1 else 0),
    ]
    return overview(
        result,
        f"Gate: {result.outcome.value}",
        [_sentence(result, result.outcome, rows), " ".join(filter(None, (_look(result), _rules(result))))],
        [table(rows, columns), *_hurt_tables(rows)],
        _notes(result),
        caption=f"The gate: {name(result.candidate)} against {name(result.baseline)}.",
    )


def check_text(result: GateResult, check: GateCheck) -> tuple[str, str]:
    """Return the sentence on one metric and task, on one line, and a table of the largest losses.

    The table is empty if no item lost or the check passed. All characters are printable.
    """
    rows = [(check, check_format(check))]
    lines = documents_to_text([Document("", tuple(_hurt_tables(rows)))], width=_WIDTH).strip("\n").splitlines()
    return plain(_sentence(result, check.outcome, rows)), "\n".join(map(printable, lines))


def check_format(check: GateCheck) -> ScoreFormat:
    """Return the format of the scores and gains of one metric and task."""
    interval, scores = check.interval, [check.baseline_score, check.candidate_score]
    gains = [check.gain] if interval is None else [check.gain, interval.low, interval.high]
    form = score_format(
        scores,
        [] if interval is None else [interval.reach(check.gain)],
        gains,
        percentage=check.metric.as_percentage,
        thresholds=(-check.margin,),
    )
    # Both scores are side by side, so 79.3, 78.3 and -1.1 would look wrong.
    return form.adding_up(scores, check.gain).adding_up(scores, check.gain, parts=20)


def _metric(check: GateCheck) -> str:
    percent = " %" if check.metric.as_percentage else ""
    return f"{name(check.metric.title)}{percent}{'' if check.metric.higher_is_better else ', lower is better'}"


def _interval_heading(result: GateResult) -> str:
    interval = result.checks[0].interval
    return "interval" if interval is None else f"{_level(interval.confidence_level)} interval"


def _level(level: float) -> str:
    """Write the level of an interval, which is seldom a round number for one of several checks."""
    return f"{100 * level:.4g}%"


def _interval(check: GateCheck, scores: ScoreFormat) -> str:
    return "" if check.interval is None else scores.interval(check.interval.low, check.interval.high)


def _hurt_tables(rows: Sequence[tuple[GateCheck, ScoreFormat]]) -> list[Table]:
    """Return the largest losses of each metric and task that did not pass."""
    failed = [row for row in rows if row[0].items_hurt and row[0].outcome is not GateOutcome.PASSED]
    return [_hurt_table(check, scores) for check, scores in failed]


def _hurt_table(check: GateCheck, scores: ScoreFormat) -> Table:
    changes = [(check.helped, "wins"), (check.hurt, "losses"), (check.unchanged, "ties")]
    counts = ", ".join(f"{format_count(count)} {kind}" for count, kind in changes if count is not None)
    columns: list[Column[HurtItem]] = [
        names("item", lambda item: item.item),
        numbers("baseline", lambda item: scores.score(item.baseline)),
        numbers("candidate", lambda item: scores.score(item.candidate)),
    ]
    more = check.items_hurt[-1].n_unlisted  # such as wrong answers
    some = f"{format_count(len(check.items_hurt))} of the largest losses" if more else "Largest losses"
    caption = f"{some} in {name(check.name)}{f' ({counts})' if counts else ''}:"
    return table(check.items_hurt, columns, caption=caption, indented=True, collapsed=True)


def _sentence(result: GateResult, outcome: GateOutcome, rows: Sequence[tuple[GateCheck, ScoreFormat]]) -> str:
    """Return the outcome of the gate, or of one metric and task, in a sentence."""
    candidate, baseline = name(result.candidate), name(result.baseline)
    counted = result.counted_as(outcome)
    word = strong(outcome.value.capitalize()) + ("" if counted is outcome else f" (counts as {counted.value})")
    clause = claims(result.findings)
    if len(rows) == 1:
        ((check, scores),) = rows
        return f"{word}: {_sentence_on(check, scores, candidate, baseline)}{clause}.{_remarks(result, outcome, rows)}"
    rows_of_outcome = [row for row in rows if row[0].outcome is outcome]
    if outcome is GateOutcome.PASSED:
        return (
            f"{word}: {candidate} is not worse than {baseline} by the margin or more in {_of_one_metric(result)}any of "
            f"{len(rows)} {_kinds(result)}{clause}.{_remarks(result, outcome, rows)}"
        )
    listed = ", ".join(
        f"{name(check.name)} ({scores.gain(check.gain)})" for check, scores in rows_of_outcome[:_MOST_NAMED]
    )
    more = f" and {len(rows_of_outcome) - _MOST_NAMED} more" if len(rows_of_outcome) > _MOST_NAMED else ""
    counts = f"in {len(rows_of_outcome)} of {len(rows)} {_kinds(result)}{clause}: {listed}{more}"
    if result.outcome is GateOutcome.FAILED:
        return f"{word}: {candidate} is worse than {baseline} {counts}.{_remarks(result, outcome, rows)}"
    return (
        f"{word}: {candidate} may be as good as {baseline}, or worse by the margin or more, "
        f"{counts}.{_remarks(result, outcome, rows)}"
    )


def _remarks(result: GateResult, outcome: GateOutcome, rows: Sequence[tuple[GateCheck, ScoreFormat]]) -> str:
    """Return remarks on outcomes that readers may not expect, with names if there are several metrics or tasks."""
    sentences = ""
    for remark, remarkable in (
        ("Significantly worse, but by less than the margin", _is_worse_within_margin),
        ("The loss is significant, but may be less than the margin", _may_lose_less),
    ):
        names = [name(check.name) for check, _ in rows if remarkable(result, check)]
        listed = f": {', '.join(names[:_MOST_NAMED])}" if len(rows) > 1 else ""
        sentences += f" {remark}{listed}." if names else ""
    if outcome is GateOutcome.INCONCLUSIVE and result.level:
        sentences += " Test more items."
    return sentences


def _is_worse_within_margin(result: GateResult, check: GateCheck) -> bool:
    return check.outcome is GateOutcome.PASSED and check.adjusted_p_fail <= result.level


def _may_lose_less(_: GateResult, check: GateCheck) -> bool:
    highest = check.gain if check.interval is None else check.interval.high
    return check.outcome is GateOutcome.FAILED and highest > -check.margin


def _margin(check: GateCheck, scores: ScoreFormat) -> str:
    return f"{scores.size(check.margin)}{' points' if check.metric.as_percentage else ''}"


def _kinds(result: GateResult) -> str:
    """Return "metrics", "tasks" or both, whichever has several."""
    several = [
        kind
        for kind, names in (
            ("metrics", {check.metric.spec for check in result.checks}),
            ("tasks", {check.test_set for check in result.checks}),
        )
        if len(names) > 1
    ]
    return " and ".join(several)


def _of_one_metric(result: GateResult) -> str:
    """Return the name of the metric if there is only one; the table then has no column for it."""
    titles = {check.metric.title for check in result.checks}
    return f"{name(titles.pop())} on " if len(titles) == 1 else ""


def _sentence_on(check: GateCheck, scores: ScoreFormat, candidate: str, baseline: str) -> str:
    """Return the outcome of one metric and task in words."""
    points = " points" if check.metric.as_percentage else ""
    margin, about = _margin(check, scores), name(check.name)
    facts = f"gain {scores.gain(check.gain)}{points}"
    if check.interval is not None and math.isfinite(check.interval.low) and math.isfinite(check.interval.high):
        facts += f", {_level(check.interval.confidence_level)} interval {_interval(check, scores)}"
    match check.outcome:
        case GateOutcome.PASSED:
            return f"{candidate} is not worse than {baseline} by {margin} or more in {about} ({facts})"
        case GateOutcome.FAILED:
            return f"{candidate} is worse than {baseline} in {about} ({facts})"
        case GateOutcome.INCONCLUSIVE:
            return f"{candidate} may be as good as {baseline}, or worse by {margin} or more, in {about} ({facts})"


def _look(result: GateResult) -> str:
    """Return the number of this check, its level and its tests."""
    level, alpha = f"{result.level:.4g}", f"{result.alpha:g}"
    where = "baseline" if result.error is ErrorRate.PER_BASELINE else "commit"
    planned = "" if result.looks is None else f" of {format_count(result.looks)}"
    tests = f"both tests ({', '.join(sorted({check.test for check in result.checks}))}) at level {level}"
    sentence = f"Check {format_count(result.look)}{planned} of this {where}: {tests}"
    if result.total_looks == 0:
        sentence = f"B{tests.removeprefix('b')}"
    sentence += f" ({alpha} over all checks)." if result.level != result.alpha else "."
    if result.level:
        sentence += (
            f" If p pass ≤ {level}, a loss of the margin or more is ruled out. If p fail ≤ {level}, the candidate is "
            "significantly worse."
        )
    if result.n_runs > 1:
        sentence += f" The candidate's scores are means over {format_count(result.n_runs)} runs of this commit."
    if result.sequential is not None:
        stop = result.sequential
        sentence += (
            f" {format_count(stop.n_read)} of {format_counted(stop.n_items, 'item')} were checked, in random "
            f"order (seed {stop.seed})."
        )
    return sentence


def _rules(result: GateResult) -> str:
    """Return which file of rules was read; options override it."""
    return "" if result.rules_file is None else f"Rules read from {name(result.rules_file)}; options override them."


def _notes(result: GateResult) -> Sequence[str]:
    notes = []
    if len(result.checks) > 1:
        notes.append(
            f"All {_kinds(result)} must pass, each at the full level; one failure fails the gate. p fail is "
            "corrected by Holm's method over all of them."
        )
    if result.outcome is GateOutcome.INCONCLUSIVE and result.inconclusive is None and result.level:
        notes.append(
            "outscore plan gate computes how many items an equally good candidate needs to pass. To settle "
            f"inconclusive results meanwhile, pass {opt('inconclusive', 'pass')} or {opt('inconclusive', 'fail')}."
        )
    notes += _powers(result.checks)
    if all(check.helped == 0 and check.hurt == 0 for check in result.checks):
        notes.append(
            "Both systems have the same score on every item. If their answers vary between runs, check that this "
            "is not the same run twice."
        )
    return notes


def _powers(checks: Sequence[GateCheck]) -> Iterator[str]:
    """Yield how often equally good candidates pass with sequential checks and with a single one."""
    for check in checks:
        if check.equal_passes is None or check.equal_passes_at_once is None:
            continue
        in_sequence, at_once = (
            format_probability(p, POWER_SETS) for p in (check.equal_passes, check.equal_passes_at_once)
        )
        where = f" in {name(check.name)}" if len(checks) > 1 else ""
        yield (
            f"An equally good candidate with gains and losses as large as these passes{where} in about {in_sequence} "
            f"of cases. Without {opt('sequential', True)}, by one check of all items, it passes in about "
            f"{at_once} (simulated)."
        )
