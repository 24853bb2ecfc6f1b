"""Reports on judges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from outscore.reports.documents import Document, Table, name, overview
from outscore.reports.documents.layouts import Column, counts, names, numbers, table
from outscore.text.naming import in_a_row
from outscore.text.numbers import format_count, format_counted, format_level, format_p, state_p
from outscore.wings.judging.results import (
    AgreementOfRaters,
    Difference,
    FirstPosition,
    Judge,
    JudgesResult,
    Proportion,
    WinRate,
)
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
    shown = [
        coefficient
        for coefficient in result.agreement
        if len(coefficient.raters) != 2 or coefficient.measure != "fleiss-kappa"
    ]
    tables = [_judges(result, level)] if any(judge.consistency or judge.flips for judge in result.judges) else []
    if shown:
        tables.append(_agreement(shown, level))
    if result.left_out and len({left_out_person.person for left_out_person in result.left_out}) <= _MANY_PEOPLE:
        tables.append(_left_out(result))
    if len(result.wins) > 1:
        tables.append(_wins(result, level))
    if 1 < len(result.comparison) <= _MANY_PAIRS:
        tables.append(_pairs(result, level))
    if result.errors:
        tables.append(_errors(result, level))
    first, *others = _sentences(result)
    return overview(
        result,
        "Judges",
        [" ".join([first, *others])],
        tables,
        result.notes,
        caption=f"Judges on {format_counted(result.n_items, 'item')}.",
    )


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _ends(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:.3f} to {high:.3f}"


def _percent(value: float) -> str:
    return f"{100 * value:.1f}%"


def _share(proportion: Proportion | None) -> str:
    return (
        ""
        if proportion is None
        else f"{_percent(proportion.value)} ({100 * proportion.low:.0f} to {100 * proportion.high:.0f})"
    )


def _raters(agreement: AgreementOfRaters) -> str:
    if agreement.raters == (PEOPLE,):
        return "people among themselves"
    return agreement.between if len(agreement.raters) == 2 else format_counted(len(agreement.raters), "judge")


def _sentences(result: JudgesResult) -> Iterator[str]:
    """Yield the answer: agreement with people or among judges, then position bias, consistency and flips."""
    interval = f"{format_level(1 - result.alpha)} interval"
    main = "agreement" if result.level == "nominal" else "krippendorff-alpha"
    coefficients = [
        agreement for agreement in result.agreement if agreement.measure == main and agreement.value is not None
    ]
    people = [agreement for agreement in coefficients if PEOPLE in agreement.raters[1:]]
    among = [agreement for agreement in coefficients if agreement.raters == (PEOPLE,)]
    if people or coefficients:
        best = max(people or coefficients, key=lambda agreement: agreement.value or 0.0)
        second = [
            agreement
            for agreement in result.agreement
            if agreement.raters == best.raters and agreement.measure == "krippendorff-alpha"
        ]
        sentences = [
            f"{_TITLES[agreement.measure]} {_number(agreement.value)} "
            f"({interval} {_ends(agreement.low, agreement.high)})"
            for agreement in dict.fromkeys((best, *second))
            if agreement.value is not None
        ]
        who = f"Agreement of {name(best.raters[0])} with people" if people else f"Agreement of {name(_raters(best))}"
        if len(people) > 1:
            who = f"{name(best.raters[0])} agrees best with people of {format_counted(len(people), 'judge')}"
        yield f"{who}: {' and '.join(sentences)}, {format_counted(best.n_items, 'item')}."
    for agreement in among if people else ():
        ends = f" ({interval} {_ends(agreement.low, agreement.high)})" if agreement.low is not None else ""
        yield f"People agree with each other: {_TITLES[agreement.measure]} {_number(agreement.value)}{ends}."
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
        finding = "favour the answer shown first" if position.share > 0.5 else "favour the answer shown second"
        finding = finding if position.p_value <= result.alpha else "show no significant position bias"
        yield (
            f"Verdicts {finding}: {_percent(position.share)} are for the first place ({interval} "
            f"{_percent(position.low)} to {_percent(position.high)}; {format_count(position.first)} items favour it, "
            f"{format_count(position.second)} the second, sign test {state_p(position.p_value, result.alpha)})."
        )
    parts = [
        f"{_percent(share.value)} of {what}"
        for share, what in (
            (result.consistency, "verdicts are the same in both orders"),
            (result.flips, "pairs of repetitions disagree"),
        )
        if share
    ]
    if parts:
        yield f"{in_a_row(parts)}."
    alike = [error for error in result.errors if error.p_value is not None and error.p_value > result.alpha]
    if alike:
        sentences = [
            f"{name(agreement.judge)} ({state_p(agreement.p_value or 1.0, result.alpha)})" for agreement in alike
        ]
        yield f"No significant difference of errors between systems: {in_a_row(sentences)}."
    if not (coefficients or position or parts or result.wins):
        yield f"{format_counted(len(result.judges), 'judge')} on {format_counted(result.n_items, 'item')}."


def _agreement(shown: Sequence[AgreementOfRaters], level: str) -> Table:
    """Return the table of agreement."""
    columns: list[Column[AgreementOfRaters]] = [
        names("raters", _raters),
        Column("measure", lambda coefficient: _TITLES[coefficient.measure]),
        numbers("value", lambda coefficient: _number(coefficient.value)),
        numbers(level, lambda coefficient: _ends(coefficient.low, coefficient.high)),
    ]
    return table(shown, columns, caption="Agreement", parted=lambda coefficient: coefficient.raters)


def _judges(result: JudgesResult, level: str) -> Table:
    """Return the table of judges, with the columns that are known."""

    def position(write: Callable[[FirstPosition], str]) -> Callable[[Judge], str]:
        return lambda judge: "" if judge.first_position is None else write(judge.first_position)

    columns: list[Column[Judge]] = [
        names("judge", lambda judge: judge.name),
        numbers("same in both orders", lambda judge: _share(judge.consistency), if_any=True),
        numbers("for the first place", position(lambda bias: _percent(bias.share)), if_any=True),
        numbers("p", position(lambda bias: format_p(bias.p_value, result.alpha)), if_any=True),
        numbers("repetitions disagree", lambda judge: _share(judge.flips), if_any=True),
    ]
    return table(result.judges, columns, caption=f"Order and repetition ({level} in brackets)")


def _wins(result: JudgesResult, level: str) -> Table:
    """Return the table of how often the main answer wins."""
    columns: list[Column[WinRate]] = [
        names("verdicts of", lambda win: win.rater),
        numbers("wins", lambda win: _percent(win.share)),
        numbers(level, lambda win: f"{_percent(win.low)} to {_percent(win.high)}"),
        numbers("p", lambda win: format_p(win.p_value, result.alpha)),
        Column("test", lambda win: win.test),
    ]
    return table(result.wins, columns, caption=f"Wins of {name(result.wins[0].answer)}, with ties as half")


def _left_out(result: JudgesResult) -> Table:
    """Return the table of the agreement of each person, and of judges, with the other people."""
    values = {(left_out.person, left_out.rater): left_out.value for left_out in result.left_out}
    items = {left_out.person: left_out.n_items for left_out in result.left_out if left_out.rater == left_out.person}

    def judge(rater: str) -> Column[str]:
        return numbers(name(rater), lambda person: _number(values.get((person, rater))))

    columns: list[Column[str]] = [
        names("person", lambda person: person),
        counts("items", lambda person: items.get(person, 0)),
        numbers("the person", lambda person: _number(values.get((person, person)))),
        *map(judge, dict.fromkeys(rater for person, rater in values if rater != person)),
    ]
    caption = f"With the other people, each person left out: {_TITLES[result.left_out[0].measure]}"
    return table(dict.fromkeys(person for person, _ in values), columns, caption=caption)


def _errors(result: JudgesResult, level: str) -> Table:
    """Return the table of errors by judge and system."""
    rates = {(error.judge, rate.system, rate.measure): rate for error in result.errors for rate in error.rates}

    def measured(measure: str) -> Column[tuple[str, str]]:
        def cell(row: tuple[str, str]) -> str:
            rate = rates.get((*row, measure))
            return "" if rate is None else f"{rate.value:.2f}{_in_brackets(rate.low, rate.high)}"

        return numbers(measure, cell)

    columns: list[Column[tuple[str, str]]] = [
        names("judge", lambda row: row[0]),
        names("system", lambda row: row[1]),
        *map(measured, dict.fromkeys(measure for _, _, measure in rates)),
    ]
    rows = dict.fromkeys((judge, system) for judge, system, _ in rates)
    return table(rows, columns, caption=f"Errors by system ({level} in brackets)", parted=lambda row: row[0])


def _in_brackets(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" ({low:.2f} to {high:.2f})"


def _pairs(result: JudgesResult, level: str) -> Table:
    """Return the table of pairs of judges."""
    columns: list[Column[Difference]] = [
        names("judge", lambda pair: pair.higher),
        names("above", lambda pair: pair.lower),
        numbers("difference", lambda pair: _number(pair.difference)),
        numbers(level, lambda pair: _ends(pair.low, pair.high)),
        numbers("p", lambda pair: format_p(pair.p_value, result.alpha), gives_way=1),
        numbers("p (max-t)", lambda pair: format_p(pair.corrected_p_value, result.alpha)),
    ]
    caption = f"Judges by {_TITLES[result.comparison[0].measure]} with people"
    return table(result.comparison, columns, caption=caption)
