"""How far verdicts of judges can be trusted: `outscore.judges`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import combinations
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from outscore._types import FloatArray, IntArray
from outscore._version import __version__
from outscore.asking import alpha_of, ask_comparison
from outscore.data.coercion import check_level, wrong
from outscore.data.rows import Labels, Rows
from outscore.design.options import with_defaults
from outscore.design.scores import Systems
from outscore.metrics import RatioMetric
from outscore.metrics.families.columns import Mean
from outscore.options import opt
from outscore.questions.item_tables import ScoredItems
from outscore.questions.ranks.inquiry import RankingSettings
from outscore.questions.signatures import joined
from outscore.readers.reading import Reading
from outscore.signatures import declared_alone
from outscore.significance import Resampling
from outscore.significance.corrections import holm
from outscore.text.naming import in_roles
from outscore.text.numbers import format_counted, state_p
from outscore.wings.judging.measures import (
    SHARE,
    Ratings,
    agreement_of,
    cases_of,
    compared,
    first_position,
    flipped,
    proportion,
    rates_compared,
    same_in_both_orders,
    score_interval,
    summed,
)
from outscore.wings.judging.results import (
    AgreementOfRaters,
    Difference,
    ErrorRate,
    Errors,
    Judge,
    JudgesResult,
    LeftOut,
    WinRate,
)
from outscore.wings.judging.verdicts import PEOPLE, Verdicts, read_verdicts

if TYPE_CHECKING:
    from outscore.declared import JudgesOptions


class _Measure(RatioMetric):
    """A measure of errors: rows of (right verdicts or differences, verdicts)."""

    statistics = ("sum", "verdicts")
    numerator, denominator = (1.0, 0.0), (0.0, 1.0)
    higher_is_better, score_range = True, (0.0, 1.0)

    def __init__(self, name: str, lowest: float = 0.0, highest: float = 1.0) -> None:
        self.name, self.score_range = name, (lowest, highest)  # type: ignore[misc]


@dataclass(frozen=True)
class JudgesQuestion:
    """The options of a check of judges, which are the arguments of `judges`, and its answer."""

    columns: Mapping[str, str] = field(default_factory=dict)
    level: str | None = None
    positions: bool = False
    records: str | None = None
    alpha: float = 0.05
    resampling: Resampling = field(default_factory=Resampling)
    people: tuple[str, ...] = ()

    def answer(self, source: object) -> JudgesResult:
        """Return the result for the verdicts in a file or data frame."""
        data = read_verdicts(
            source, self.columns, self.level, positions=self.positions, records=self.records, people=self.people
        )
        beside = data.beside(data.people)
        every, alpha, n_items = np.arange(len(data.item)), self.alpha, int(data.item.max()) + 1
        rows_by_judge = [np.flatnonzero(data.judge == code) for code in range(len(data.judges))]
        rated = [np.flatnonzero(beside.judge == code) for code in range(len(data.judges))]
        judges = tuple(
            Judge(
                name,
                len(judge),
                proportion(*same_in_both_orders(data, judge), alpha),
                first_position(data, judge, alpha),
                proportion(*flipped(data, judge), alpha),
            )
            for name, judge in zip(data.judges, rows_by_judge, strict=True)
        )
        agreement: list[AgreementOfRaters] = []
        for name, rows_of_judge in zip(data.judges, rated, strict=True):
            agreement += agreement_of(beside, (name, PEOPLE), rows_of_judge, alpha) if len(rows_of_judge) else []
        people, left_out = data.people, tuple[LeftOut, ...]()
        if people is not None and len(np.unique(cases_of(people))) < len(people.item):
            agreement += self._among(people)
            left_out = tuple(self._left_out(people, beside)) if len(people.judges) > 1 else ()
        agreement += agreement_of(data, data.judges, None, alpha) if len(judges) > 1 else []
        together = first_position(data, every, alpha)
        comparison, not_compared = self._comparison(beside, rated)
        errors = tuple(
            self._errors(beside, name, rows_of_judge)
            for name, rows_of_judge in zip(data.judges, rated, strict=True)
            if len(rows_of_judge)
        )
        return JudgesResult(
            tuple(agreement),
            together,
            proportion(*same_in_both_orders(data, every), alpha),
            proportion(*flipped(data, every), alpha),
            judges,
            comparison,
            errors if data.systems else (),
            data.level,
            n_items,
            alpha,
            self.resampling.seed,
            joined(
                judges=len(judges),
                n=n_items,
                unit="item",
                interval="clopper-pearson,korn-graubard,score",
                level=f"{1 - alpha:g}",
                scale=data.level,
                seed=self.resampling.seed,
                version=__version__,
            ),
            __version__,
            tuple(_biased(errors, alpha) if data.systems else ()),
            (
                *data.notes,
                *_lacking(data, judges, together is not None),
                *_of_people(data),
                *not_compared,
                *in_roles(data.columns, always=True),
            ),
            tuple(self._wins(data)),
            left_out,
        )

    @property
    def _ranking(self) -> RankingSettings:
        return RankingSettings(resampling=self.resampling, alpha=self.alpha)

    def _among(self, people: Verdicts) -> Iterator[AgreementOfRaters]:
        """Yield the agreement of people with each other. Raw agreement is over all pairs of verdicts, as for judges."""
        pairs = people.beside(people)
        raw = proportion((pairs.verdict == pairs.human).astype(np.float64), pairs.item, self.alpha)
        for coefficient in agreement_of(people, (PEOPLE,), None, self.alpha):
            if coefficient.measure == "agreement" and raw is not None:
                yield replace(coefficient, value=raw.value, low=raw.low, high=raw.high)
            else:
                yield coefficient

    def _left_out(self, people: Verdicts, beside: Verdicts) -> Iterator[LeftOut]:
        """Yield the agreement of each person with the other people, and of each judge with them on the same outputs."""
        others = people.beside(people)
        outputs = np.concatenate(
            [np.column_stack([verdicts.item, verdicts.system, verdicts.part]) for verdicts in (others, beside)]
        )
        codes = np.unique(outputs, axis=0, return_inverse=True)[1].ravel()
        for person, name in enumerate(people.judges):
            person_rows = np.flatnonzero((others.judge == person) & (others.who != person))
            there = np.isin(codes[len(others.item) :], codes[person_rows]) & (beside.who != person)
            raters = [(name, others, person_rows)]
            raters += [
                (judge, beside, np.flatnonzero(there & (beside.judge == code)))
                for code, judge in enumerate(beside.judges)
            ]
            for rater, data, chosen in raters:
                if not len(chosen):
                    continue
                for result in agreement_of(data, (rater, PEOPLE), chosen, self.alpha, only_main=True):
                    yield LeftOut(name, rater, result.measure, result.value, result.low, result.high, result.n_items)

    def _wins(self, data: Verdicts) -> Iterator[WinRate]:
        """Yield how often the main answer wins, by judge and by people, each compared with 0.5."""
        if not data.answer:
            return
        raters = [(name, data, data.judge == code) for code, name in enumerate(data.judges)]
        raters += [] if data.people is None else [(PEOPLE, data.people, np.ones(len(data.people.item), dtype=bool))]
        question: Any = ask_comparison(Reading(), against=0.5, alpha=self.alpha, seed=self.resampling.seed)
        for name, verdicts, chosen in raters:
            items = verdicts.item[chosen]
            several = len(np.unique(items)) < len(items)
            labels = Labels("item", tuple(map(str, items.tolist()))) if several else None
            rows = Rows(name, Mean().rows(verdicts.values[verdicts.verdict[chosen]][:, None]))
            if len(np.unique(items)) < 2:
                continue
            systems = Systems((Mean(),), ((rows,),), (None,), clusters=labels)
            (result,) = question.answer(ScoredItems(systems.paired().against(0.5)))
            (comparison,) = result.comparisons
            low, high = (0.5 + end for end in (comparison.interval.low, comparison.interval.high))
            n, test = len(np.unique(items)), comparison.test
            yield WinRate(
                name, data.answer, comparison.gain + 0.5, low, high, comparison.p_value, test.name, n, test.title
            )

    def _comparison(self, data: Verdicts, rated: list[IntArray]) -> tuple[tuple[Difference, ...], tuple[str, ...]]:
        """Return all pairs of judges, by agreement with people on the cases that all of them judged; and notes."""
        case, those = cases_of(data), [rows_of_judge for rows_of_judge in rated if len(rows_of_judge)]
        shared = (
            reduce(np.intersect1d, (case[rows_of_judge] for rows_of_judge in those)) if len(those) > 1 else np.array([])
        )
        rows, items, alpha = dict[str, FloatArray](), np.array([]), None
        for rows_of_judge in those if len(shared) else ():
            shared_rows = rows_of_judge[np.isin(case[rows_of_judge], shared)]
            shared_rows, name = shared_rows[np.argsort(case[shared_rows])], data.judges[data.judge[shared_rows[0]]]
            items = data.item[shared_rows]
            same = (data.verdict[shared_rows] == data.human[shared_rows]).astype(np.float64)
            if data.level == "nominal":
                rows[name] = SHARE.rows(same[:, None])
            else:
                alpha, rows_of = Ratings.of(data, shared_rows).alpha(data)
                rows[name] = rows_of(slice(None))
        if len(np.unique(items)) < 2:
            note = "Fewer than 2 items have verdicts of people and all judges, so judges are not compared."
            return (), (note,) if len(those) > 1 else ()
        if alpha is None:
            return tuple(compared(SHARE, rows, items, "agreement", self._ranking)), ()
        defined = {
            name: rows_of_judge
            for name, rows_of_judge in rows.items()
            if alpha.disagreements(rows_of_judge.sum(axis=0))[1] > 0
        }
        notes = tuple(
            f"{row} and people gave one verdict only, so {row} is not compared." for row in rows if row not in defined
        )
        return tuple(compared(alpha, defined, items, alpha.name, self._ranking)) if len(defined) > 1 else (), notes

    def _errors(self, data: Verdicts, judge: str, rows_of_judge: IntArray) -> Errors:
        """Return a judge's errors by system, and all pairs of systems."""
        rates, differences = list[ErrorRate](), list[Difference]()
        items = data.item[rows_of_judge]
        for metric, rows in _measures(data, rows_of_judge):
            by_system = {}
            for code, name in enumerate(data.systems):
                in_system = (data.system[rows_of_judge] == code) & (rows[:, 1] > 0)
                if not in_system.any():
                    continue
                n = len(np.unique(items[in_system]))
                interval = score_interval(metric, summed(rows[in_system], items[in_system]), np.arange(n), self.alpha)
                rates.append(ErrorRate(name, metric.name, *interval, n))
                by_system[name] = summed(rows * in_system[:, None], items)
            if len(np.unique(items[rows[:, 1] > 0])) < 2:
                continue
            if len(by_system) > 1 and metric.name == "bias":
                differences += compared(metric, by_system, np.unique(items), "bias", self._ranking)
                continue
            ordered = sorted(by_system, key=lambda name: -float(metric.score(by_system[name].sum(axis=0))))
            pairs = [
                rates_compared(metric.name, first, second, (by_system[first], by_system[second]), self.alpha)
                for first, second in combinations(ordered, 2)
                if ((by_system[first] + by_system[second])[:, 1] > 0).sum() > 1
            ]
            corrected = holm([pair.p_value for pair in pairs])
            differences += [replace(pair, corrected_p_value=p) for pair, p in zip(pairs, corrected, strict=True)]
        tested = _tested(differences)
        factor = len({difference.measure for difference in tested})
        p = min((factor * difference.corrected_p_value for difference in tested), default=None)
        return Errors(judge, tuple(rates), tuple(differences), None if p is None else min(p, 1.0))


def _measures(data: Verdicts, rows_of_judge: IntArray) -> Iterator[tuple[RatioMetric, FloatArray]]:
    """Yield the measures of a judge's errors, with a row (numerator, denominator) for each verdict."""
    verdict, human = data.verdict[rows_of_judge], data.human[rows_of_judge]
    if not data.are_numbers:
        yield _Measure("agreement"), np.column_stack([verdict == human, np.ones(len(rows_of_judge))]).astype(np.float64)
        return
    by_judge, people = data.values[verdict], data.values[human]
    if data.is_binary:
        for name, value in (("sensitivity", 1.0), ("specificity", 0.0)):
            counts = people == value
            yield _Measure(name), np.column_stack([counts * (1 - np.abs(by_judge - value)), counts]).astype(np.float64)
    span = float(np.ptp(data.values)) or 1.0
    yield _Measure("bias", -span, span), np.column_stack([by_judge - people, np.ones(len(rows_of_judge))])


def _tested(differences: Sequence[Difference]) -> Sequence[Difference]:
    """Return the differences that the test of differential error is about."""
    return [
        difference for difference in differences if difference.measure in ("sensitivity", "specificity")
    ] or differences


def _biased(errors: tuple[Errors, ...], alpha: float) -> Iterator[str]:
    """Yield which judges' errors differ between systems."""
    for error in errors:
        if error.p_value is not None and error.p_value <= alpha:
            largest = min(_tested(error.differences), key=lambda pair: pair.corrected_p_value)
            yield (
                f"The errors of {error.judge} differ between systems ({state_p(error.p_value, alpha)}), so a "
                f"comparison of these systems by its verdicts is biased. The clearest difference: {largest.measure} "
                f"is higher for {largest.higher} than for {largest.lower} by {largest.difference:.2f}."
            )


def _lacking(data: Verdicts, judges: tuple[Judge, ...], position: bool) -> Iterator[str]:
    """Yield what cannot be computed, and why."""
    if not any(judge.consistency for judge in judges):
        if data.level == "nominal" or data.order.any():
            yield "No item was judged in two orders, so position bias and consistency cannot be measured."
    elif not position and not data.is_binary:
        message = "Verdicts are not of two answers or a tie, so only consistency is measured."
        is_place = data.are_numbers and {*data.values.tolist()} <= {0.5, 1.0, 2.0}
        yield message + (f" If 1 and 2 are the places, pass {opt('positions', True)}." if is_place else "")
    elif not position:
        yield (
            "The orders do not tell which answer was shown first, so only consistency is measured. Name the orders "
            "such as AB and BA, or with the answer shown first."
        )
    if data.people is None and len(judges) == 1:
        yield "One judge and no verdicts of people: there is no agreement to compute. Add a column human or a judge."
    elif data.people is None:
        yield "No verdicts of people: only agreement among judges can be computed."


def _of_people(data: Verdicts) -> Iterator[str]:
    """Yield notes on the people, and on verdicts without a verdict of a person."""
    if data.people is None:
        return
    outputs = [np.column_stack([verdicts.item, verdicts.system, verdicts.part]) for verdicts in (data.people, data)]
    codes = np.unique(np.concatenate(outputs), axis=0, return_inverse=True)[1].ravel()
    theirs, ours = np.split(codes, [len(data.people.item)])
    most = int(np.bincount(theirs).max())
    if most > 1:
        yield (
            f"Up to {most} people judged an item. Agreement of a judge with people is the mean over the verdicts of "
            "people."
        )
        if len(data.people.judges) < most:
            yield "People have no names of their own, so none of them can be left out."
    unrated = int((~np.isin(ours, theirs)).sum())
    if unrated:
        yield f"{format_counted(unrated, 'verdict')} without one of people do not count for agreement with people."


def ask_judges(**given: Any) -> JudgesQuestion:
    """Return the question of `outscore.judges`, from its arguments."""
    values = with_defaults("judges", given)
    columns, people = values["columns"] or {}, values["people"]
    if not all(isinstance(column, str) for column in columns.values()):
        raise wrong(opt("columns"), "names of columns by role", columns)
    names = ",".join([people] if isinstance(people, str) else people).split(",")
    patterns = tuple(name for part in names if (name := part.strip()))
    check_level(level := alpha_of(values))
    resampling = Resampling(seed=values["seed"])
    return JudgesQuestion(columns, values["level"], values["positions"], values["records"], level, resampling, patterns)


@declared_alone
def judges(verdicts: Any, **options: Unpack[JudgesOptions]) -> JudgesResult:
    """Return how far judges can be trusted: consistency, position bias, flips, agreement, errors by system.

    >>> import pandas as pd
    >>> verdicts = pd.DataFrame({
    ...     "item": [1, 1, 2, 2, 3, 3, 4, 4], "order": ["AB", "BA"] * 4,
    ...     "verdict": ["A", "A", "A", "B", "B", "B", "A", "B"], "human": ["A", "A", "B", "B", "B", "B", "A", "A"],
    ... })
    >>> result = judges(verdicts)
    >>> result.consistency.value, result.first_position.share, result.first_position.p_value
    (0.5, 0.75, 0.5)

    Parameters
    ----------
    verdicts : str, path or data frame
        A long table with a row per verdict: columns item, judge, order, repetition, verdict, human, system. All but
        item and verdict are optional.

    Returns
    -------
    JudgesResult

    Raises
    ------
    DataError, FileAccessError
        Verdicts that cannot be read, or several where there can be one.
    OptionError
        An unknown name or level.
    """
    question = ask_judges(**options)
    return question.answer(os.fspath(verdicts) if hasattr(verdicts, "__fspath__") else verdicts)
