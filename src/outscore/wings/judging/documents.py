"""Reports on judges."""

from __future__ import annotations

from collections.abc import Iterator

from outscore.reports.documents import Document, Table, name, overview
from outscore.text.naming import in_a_row
from outscore.text.numbers import format_count, format_counted, format_level, format_p, state_p
from outscore.wings.judging.results import AgreementOfRaters, JudgesResult, Proportion
from outscore.wings.judging.verdicts import PEOPLE

_TITLES = {
    "agreement": "raw agreement",
    "cohen-kappa": "Cohen's kappa",
    "gwet-ac1": "Gwet's AC1",
    "fleiss-kappa": "Fleiss' kappa",
    "krippendorff-alpha": "Krippendorff's alpha",
}
_MANY_PAIRS = 28
_MANY_PEOPLE = 20


def judges_document(result: JudgesResult) -> Document:
    """Return the report on judges: the answer, each judge, agreement, comparisons and errors."""
    level = f"{format_level(1 - result.alpha)} interval"
    shown = [one for one in result.agreement if len(one.raters) != 2 or one.measure != "fleiss-kappa"]
    tables = [_judges(result, level)] if any(one.consistency or one.flips for one in result.judges) else []
    if shown:
        columns = [
            ("raters", [name(_raters(one)) for one in shown], False),
            ("measure", [_TITLES[one.measure] for one in shown], False),
            ("value", [_number(one.value) for one in shown], True),
            (level, [_ends(one.low, one.high) for one in shown], True),
        ]
        parted = frozenset(i for i in range(len(shown) - 1) if shown[i].raters != shown[i + 1].raters)
        tables.append(Table.of_columns(columns, caption="Agreement", fitted=(0,), parted=parted))
    if result.left_out and len({one.person for one in result.left_out}) <= _MANY_PEOPLE:
        tables.append(_left_out(result))
    if len(result.wins) > 1:
        tables.append(_wins(result, level))
    if 1 < len(result.comparison) <= _MANY_PAIRS:
        tables.append(_pairs(result, level))
    if result.errors:
        tables.append(_errors(result, level))
    first, *others = _sentences(result)
    return overview(
        "Judges",
        [" ".join([first, *others])],
        tables,
        result.notes,
        warnings=result.warnings,
        signature=result.signature,
        version=result.version,
        caption=f"Judges on {format_counted(result.n_items, 'item')}.",
    )


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _ends(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:.3f} to {high:.3f}"


def _percent(value: float) -> str:
    return f"{100 * value:.1f}%"


def _share(of: Proportion | None) -> str:
    return "" if of is None else f"{_percent(of.value)} ({100 * of.low:.0f} to {100 * of.high:.0f})"


def _raters(of: AgreementOfRaters) -> str:
    if of.raters == (PEOPLE,):
        return "people among themselves"
    return of.between if len(of.raters) == 2 else format_counted(len(of.raters), "judge")


def _sentences(result: JudgesResult) -> Iterator[str]:
    """Yield the answer: agreement with people or among judges, then position bias, consistency and flips."""
    interval = f"{format_level(1 - result.alpha)} interval"
    main = "agreement" if result.level == "nominal" else "krippendorff-alpha"
    known = [one for one in result.agreement if one.measure == main and one.value is not None]
    people = [one for one in known if PEOPLE in one.raters[1:]]
    among = [one for one in known if one.raters == (PEOPLE,)]
    if people or known:
        best = max(people or known, key=lambda one: one.value or 0.0)
        second = [one for one in result.agreement if one.raters == best.raters and one.measure == "krippendorff-alpha"]
        told = [
            f"{_TITLES[one.measure]} {_number(one.value)} ({interval} {_ends(one.low, one.high)})"
            for one in dict.fromkeys((best, *second))
            if one.value is not None
        ]
        who = f"Agreement of {name(best.raters[0])} with people" if people else f"Agreement of {name(_raters(best))}"
        if len(people) > 1:
            who = f"{name(best.raters[0])} agrees best with people of {format_counted(len(people), 'judge')}"
        yield f"{who}: {' and '.join(told)}, {format_counted(best.n_items, 'item')}."
    for one in among if people else ():
        ends = f" ({interval} {_ends(one.low, one.high)})" if one.low is not None else ""
        yield f"People agree with each other: {_TITLES[one.measure]} {_number(one.value)}{ends}."
    if len(result.comparison) == 1:
        (pair,) = result.comparison
        yield (
            f"{name(pair.higher)} exceeds {name(pair.lower)} by {_number(pair.difference)} ({interval} "
            f"{_ends(pair.low, pair.high)}, {state_p(pair.p_value, result.alpha)}), "
            f"{'significantly' if pair.p_value <= result.alpha else 'not significantly'}."
        )
    if len(result.wins) == 1:
        (win,) = result.wins
        yield (
            f"{name(win.answer)} wins {_percent(win.share)} of verdicts, with ties as half ({interval} "
            f"{_percent(win.low)} to {_percent(win.high)}; {win.title} against 50%, "
            f"{state_p(win.p_value, result.alpha)})."
        )
    position = result.first_position
    if position is not None:
        found = "favour the answer shown first" if position.share > 0.5 else "favour the answer shown second"
        found = found if position.p_value <= result.alpha else "show no significant position bias"
        yield (
            f"Verdicts {found}: {_percent(position.share)} are for the first place ({interval} "
            f"{_percent(position.low)} to {_percent(position.high)}; {format_count(position.first)} items favour it, "
            f"{format_count(position.second)} the second, sign test {state_p(position.p_value, result.alpha)})."
        )
    parts = [
        f"{_percent(of.value)} of {what}"
        for of, what in (
            (result.consistency, "verdicts are the same in both orders"),
            (result.flips, "pairs of repetitions disagree"),
        )
        if of
    ]
    if parts:
        yield f"{in_a_row(parts)}."
    alike = [one for one in result.errors if one.p_value is not None and one.p_value > result.alpha]
    if alike:
        told = [f"{name(one.judge)} ({state_p(one.p_value or 1.0, result.alpha)})" for one in alike]
        yield f"No significant difference of errors between systems: {in_a_row(told)}."
    if not (known or position or parts or result.wins):
        yield f"{format_counted(len(result.judges), 'judge')} on {format_counted(result.n_items, 'item')}."


def _judges(result: JudgesResult, level: str) -> Table:
    """Return the table of judges, with the columns that are known."""
    judges = result.judges
    positions = [one.first_position for one in judges]
    columns = [
        ("judge", [name(one.name) for one in judges], False),
        ("same in both orders", [_share(one.consistency) for one in judges], True),
        ("for the first place", ["" if one is None else _percent(one.share) for one in positions], True),
        ("p", ["" if one is None else format_p(one.p_value, result.alpha) for one in positions], True),
        ("repetitions disagree", [_share(one.flips) for one in judges], True),
    ]
    known = [column for column in columns if any(column[1])]
    return Table.of_columns(known, caption=f"Order and repetition ({level} in brackets)", fitted=(0,))


def _wins(result: JudgesResult, level: str) -> Table:
    """Return the table of how often the main answer wins."""
    wins = result.wins
    columns = [
        ("verdicts of", [name(one.rater) for one in wins], False),
        ("wins", [_percent(one.share) for one in wins], True),
        (level, [f"{_percent(one.low)} to {_percent(one.high)}" for one in wins], True),
        ("p", [format_p(one.p_value, result.alpha) for one in wins], True),
        ("test", [one.test for one in wins], False),
    ]
    return Table.of_columns(columns, caption=f"Wins of {name(wins[0].answer)}, with ties as half", fitted=(0,))


def _left_out(result: JudgesResult) -> Table:
    """Return the table of the agreement of each person, and of judges, with the other people."""
    found = {(one.person, one.rater): one.value for one in result.left_out}
    people = list(dict.fromkeys(person for person, _ in found))
    items = {one.person: one.n_items for one in result.left_out if one.rater == one.person}
    columns = [
        ("person", [name(person) for person in people], False),
        ("items", [format_count(items.get(person, 0)) for person in people], True),
        ("the person", [_number(found.get((person, person))) for person in people], True),
    ]
    columns += [
        (name(judge), [_number(found.get((person, judge))) for person in people], True)
        for judge in dict.fromkeys(rater for person, rater in found if rater != person)
    ]
    measure = _TITLES[result.left_out[0].measure]
    return Table.of_columns(columns, caption=f"With the other people, each person left out: {measure}", fitted=(0,))


def _errors(result: JudgesResult, level: str) -> Table:
    """Return the table of errors by judge and system."""
    rates = {(of.judge, one.system, one.measure): one for of in result.errors for one in of.rates}
    rows = list(dict.fromkeys((judge, system) for judge, system, _ in rates))
    columns = [
        ("judge", [name(judge) for judge, _ in rows], False),
        ("system", [name(system) for _, system in rows], False),
    ]
    for measure in dict.fromkeys(measure for _, _, measure in rates):
        found = [rates.get((*row, measure)) for row in rows]
        cells = ["" if one is None else f"{one.value:.2f}{_in_brackets(one.low, one.high)}" for one in found]
        columns.append((measure, cells, True))
    parted = frozenset(i for i in range(len(rows) - 1) if rows[i][0] != rows[i + 1][0])
    return Table.of_columns(columns, caption=f"Errors by system ({level} in brackets)", fitted=(0, 1), parted=parted)


def _in_brackets(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" ({low:.2f} to {high:.2f})"


def _pairs(result: JudgesResult, level: str) -> Table:
    """Return the table of pairs of judges."""
    pairs = result.comparison
    columns = [
        ("judge", [name(one.higher) for one in pairs], False),
        ("above", [name(one.lower) for one in pairs], False),
        ("difference", [_number(one.difference) for one in pairs], True),
        (level, [_ends(one.low, one.high) for one in pairs], True),
        ("p", [format_p(one.p_value, result.alpha) for one in pairs], True),
        ("p (max-t)", [format_p(one.corrected_p_value, result.alpha) for one in pairs], True),
    ]
    caption = f"Judges by {_TITLES[pairs[0].measure]} with people"
    return Table.of_columns(columns, caption=caption, fitted=(0, 1), spare=((3, 1),))
