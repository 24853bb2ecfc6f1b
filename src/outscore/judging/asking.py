"""How far verdicts of judges can be trusted: `outscore.judges`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import combinations
from typing import Any

import numpy as np

from outscore._types import FloatArray, IntArray
from outscore._version import __version__
from outscore.asking import DEFAULT_SEED, alpha_of
from outscore.data.arguments import typed
from outscore.data.coercion import check_level, whole, wrong
from outscore.judging.measures import (
    SHARE,
    agreement_of,
    cases_of,
    compared,
    counts_of,
    first_position,
    flipped,
    proportion,
    rates_compared,
    same_in_both_orders,
    score_interval,
    summed,
)
from outscore.judging.results import AgreementOfRaters, Difference, ErrorRate, Errors, Judge, JudgesResult
from outscore.judging.verdicts import PEOPLE, Verdicts, read_verdicts
from outscore.metrics import RatioMetric
from outscore.metrics.families.raters import Alpha
from outscore.options import opt
from outscore.questions.ranks.inquiry import RankingSettings
from outscore.questions.signatures import joined
from outscore.significance import Resampling
from outscore.significance.p_values import holm
from outscore.text.naming import in_roles
from outscore.text.numbers import format_counted, state_p


class _Measure(RatioMetric):
    """A measure of errors: rows of (right verdicts or differences, verdicts)."""

    statistics = ("sum", "verdicts")
    numerator, denominator = (1.0, 0.0), (0.0, 1.0)
    higher_is_better, score_range = True, (0.0, 1.0)

    def __init__(self, name: str, lowest: float = 0.0, highest: float = 1.0) -> None:
        self.name, self.score_range = name, (lowest, highest)  # type: ignore[misc]


@dataclass(frozen=True)
class JudgesQuestion:
    """How far the verdicts of judges can be trusted; fields are arguments of `judges`."""

    columns: Mapping[str, str] = field(default_factory=dict)
    level: str | None = None
    positions: bool = False
    alpha: float = 0.05
    resampling: Resampling = field(default_factory=Resampling)

    def answer(self, source: object) -> JudgesResult:
        """Return what verdicts in a file or data frame show of their judges."""
        data = read_verdicts(source, self.columns, self.level, positions=self.positions)
        every, alpha, n_items = np.arange(len(data.item)), self.alpha, int(data.item.max()) + 1
        of_judges = [np.flatnonzero(data.judge == code) for code in range(len(data.judges))]
        rated = [of[data.human[of] >= 0] for of in of_judges]
        judges = tuple(
            Judge(
                name,
                len(of),
                proportion(*same_in_both_orders(data, of), alpha),
                first_position(data, of, alpha),
                proportion(*flipped(data, of), alpha),
            )
            for name, of in zip(data.judges, of_judges, strict=True)
        )
        agreement: list[AgreementOfRaters] = []
        for name, of in zip(data.judges, rated, strict=True):
            agreement += agreement_of(data, (name, PEOPLE), of, alpha) if len(of) else []
        agreement += agreement_of(data, data.judges, None, alpha) if len(judges) > 1 else []
        together = first_position(data, every, alpha)
        comparison, not_compared = self._comparison(data, rated)
        errors = tuple(self._errors(data, name, of) for name, of in zip(data.judges, rated, strict=True) if len(of))
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
                *not_compared,
                *in_roles(data.columns),
            ),
        )

    @property
    def _ranking(self) -> RankingSettings:
        return RankingSettings(resampling=self.resampling, alpha=self.alpha)

    def _comparison(self, data: Verdicts, rated: list[IntArray]) -> tuple[tuple[Difference, ...], tuple[str, ...]]:
        """Return all pairs of judges, by agreement with people on the cases that all of them judged; and notes."""
        case, those = cases_of(data), [of for of in rated if len(of)]
        shared = reduce(np.intersect1d, (case[of] for of in those)) if len(those) > 1 else np.array([])
        alpha, rows, items = Alpha(tuple(data.values.tolist()), data.level), dict[str, FloatArray](), np.array([])
        for of in those if len(shared) else ():
            own = of[np.isin(case[of], shared)]
            own, name = own[np.argsort(case[own])], data.judges[data.judge[own[0]]]
            items = data.item[own]
            same = (data.verdict[own] == data.human[own]).astype(np.float64)
            is_nominal = data.level == "nominal"
            rows[name] = SHARE.rows(same[:, None]) if is_nominal else alpha.rows(counts_of(data, own)[0])
        if len(np.unique(items)) < 2:
            note = "Fewer than 2 items have verdicts of people and all judges, so judges are not compared."
            return (), (note,) if len(those) > 1 else ()
        if data.level == "nominal":
            return tuple(compared(SHARE, rows, items, "agreement", self._ranking)), ()
        known = {name: of for name, of in rows.items() if alpha.disagreements(of.sum(axis=0))[1] > 0}
        notes = tuple(
            f"{of} and people gave one verdict only, so {of} is not compared." for of in rows if of not in known
        )
        return tuple(compared(alpha, known, items, alpha.name, self._ranking)) if len(known) > 1 else (), notes

    def _errors(self, data: Verdicts, judge: str, of: IntArray) -> Errors:
        """Return a judge's errors by system, and all pairs of systems."""
        rates, differences = list[ErrorRate](), list[Difference]()
        items = data.item[of]
        for metric, rows in _measures(data, of):
            by_system = {}
            for code, name in enumerate(data.systems):
                own = (data.system[of] == code) & (rows[:, 1] > 0)
                if not own.any():
                    continue
                n = len(np.unique(items[own]))
                found = score_interval(metric, summed(rows[own], items[own]), np.arange(n), self.alpha)
                rates.append(ErrorRate(name, metric.name, *found, n))
                by_system[name] = summed(rows * own[:, None], items)
            if len(np.unique(items[rows[:, 1] > 0])) < 2:
                continue
            if len(by_system) > 1 and metric.name == "bias":
                differences += compared(metric, by_system, np.unique(items), "bias", self._ranking)
                continue
            ordered = sorted(by_system, key=lambda name: -float(metric.score(by_system[name].sum(axis=0))))
            pairs = [
                rates_compared(metric.name, one, other, (by_system[one], by_system[other]), self.alpha)
                for one, other in combinations(ordered, 2)
                if ((by_system[one] + by_system[other])[:, 1] > 0).sum() > 1
            ]
            corrected = holm([pair.p_value for pair in pairs])
            differences += [replace(pair, corrected_p_value=p) for pair, p in zip(pairs, corrected, strict=True)]
        tested = _tested(differences)
        factor = len({one.measure for one in tested})
        p = min((factor * one.corrected_p_value for one in tested), default=None)
        return Errors(judge, tuple(rates), tuple(differences), None if p is None else min(p, 1.0))


def _measures(data: Verdicts, of: IntArray) -> Iterator[tuple[RatioMetric, FloatArray]]:
    """Yield the measures of a judge's errors, with a row (numerator, denominator) for each verdict."""
    verdict, human = data.verdict[of], data.human[of]
    if not data.are_numbers:
        yield _Measure("agreement"), np.column_stack([verdict == human, np.ones(len(of))]).astype(np.float64)
        return
    own, people = data.values[verdict], data.values[human]
    if data.is_binary:
        for name, value in (("sensitivity", 1.0), ("specificity", 0.0)):
            counts = people == value
            yield _Measure(name), np.column_stack([counts * (1 - np.abs(own - value)), counts]).astype(np.float64)
    span = float(np.ptp(data.values)) or 1.0
    yield _Measure("bias", -span, span), np.column_stack([own - people, np.ones(len(of))])


def _tested(differences: Sequence[Difference]) -> Sequence[Difference]:
    """Return the differences that the test of differential error is about."""
    return [one for one in differences if one.measure in ("sensitivity", "specificity")] or differences


def _biased(errors: tuple[Errors, ...], alpha: float) -> Iterator[str]:
    """Yield which judges' errors differ between systems."""
    for one in errors:
        if one.p_value is not None and one.p_value <= alpha:
            largest = min(_tested(one.differences), key=lambda pair: pair.corrected_p_value)
            yield (
                f"The errors of {one.judge} differ between systems ({state_p(one.p_value, alpha)}), so a comparison of "
                f"these systems by its verdicts is biased. The clearest difference: {largest.measure} is higher for "
                f"{largest.higher} than for {largest.lower} by {largest.difference:.2f}."
            )


def _lacking(data: Verdicts, judges: tuple[Judge, ...], position: bool) -> Iterator[str]:
    """Yield what cannot be computed, and why."""
    if not any(judge.consistency for judge in judges):
        if data.level == "nominal" or data.order.any():
            yield "No item was judged in two orders, so position bias and consistency cannot be measured."
    elif not position and not data.is_binary:
        said = "Verdicts are not of two answers or a tie, so only consistency is measured."
        is_place = data.are_numbers and {*data.values.tolist()} <= {0.5, 1.0, 2.0}
        yield said + (f" If 1 and 2 are the places, pass {opt('positions', True)}." if is_place else "")
    elif not position:
        yield (
            "The orders do not tell which answer was shown first, so only consistency is measured. Name the orders "
            "such as AB and BA, or with the answer shown first."
        )
    people = (data.human >= 0).any()
    if not people and len(judges) == 1:
        yield "One judge and no verdicts of people: there is no agreement to compute. Add a column human or a judge."
    elif not people:
        yield "No verdicts of people: only agreement among judges can be computed."
    unrated = int((data.human < 0).sum())
    if people and unrated:
        yield f"{format_counted(unrated, 'verdict')} without one of people do not count for agreement with people."


def ask_judges(
    columns: Mapping[str, str] | None = None,
    level: str | None = None,
    *,
    positions: bool = False,
    alpha: float | None = None,
    seed: int = DEFAULT_SEED,
) -> JudgesQuestion:
    """Return the question of `outscore.judges`; options are its arguments."""
    columns = columns or {}
    if not isinstance(columns, Mapping) or not all(isinstance(name, str) for pair in columns.items() for name in pair):
        raise wrong(opt("columns"), "names of columns by role", columns)
    if not isinstance(level, str | None):
        raise wrong(opt("level"), "the name of a level", level)
    check_level(level_of_tests := alpha_of(alpha, None))
    return JudgesQuestion(columns, level, positions, level_of_tests, Resampling(seed=whole(seed, "seed")))


@typed
def judges(
    verdicts: Any,
    *,
    columns: Mapping[str, str] | None = None,
    level: str | None = None,
    positions: bool = False,
    alpha: float | None = None,
    seed: int = DEFAULT_SEED,
) -> JudgesResult:
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
    columns : mapping of str to str, optional
        Names of columns by role, such as {"judge": "annotator"}, if they do not have the usual names.
    level : {"nominal", "ordinal", "interval", "ratio"}, optional
        The level of measurement. Default: nominal for labels and verdicts of 0, 0.5 and 1, ordinal for whole numbers of
        up to 10 values, else interval.
    positions : bool
        Whether verdicts such as A and B name places (A is the answer shown first). By default they name answers, except
        for the words first and second.
    alpha : float, optional
        Level of tests; intervals have the confidence level 1 − alpha. 0.05 by default.
    seed : int
        Random seed of sampled p-values.

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
    question = ask_judges(columns, level, positions=positions, alpha=alpha, seed=seed)
    return question.answer(os.fspath(verdicts) if hasattr(verdicts, "__fspath__") else verdicts)
