"""Jansen's table: the p-value to expect, by the share of items hurt."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import product

import numpy as np

from outscore._types import FloatArray
from outscore._version import __version__
from outscore.data.coercion import Numbers, per_cent, several_numbers, share, sizes_of
from outscore.errors import NotApplicableError, OptionError, Problem
from outscore.gains.gain_laws import GainLaws, Question
from outscore.gains.pair import Pair
from outscore.metrics import Accuracy
from outscore.options import opt
from outscore.planning.levels import Level
from outscore.planning.plans import planned_test
from outscore.planning.populations import Rates
from outscore.planning.results import PlanTable, PlanTableRow
from outscore.questions.signatures import joined
from outscore.results import Alternative, Estimator, Method
from outscore.significance import BootstrapUncentred, Resampling, SignificanceTest
from outscore.significance.auto import Auto
from outscore.significance.base import PairLaws
from outscore.significance.p_values import p_value
from outscore.text.numbers import format_count, format_exactly

HURT_PERCENTS = tuple(range(20))
_MOST_ROUNDING = 0.1  # of the gain, or of the share hurt, that was asked for
_MOST_NAMED = 4


def plan_table(
    items: int | Iterable[int],
    gain: Numbers,
    *,
    hurt_percents: Numbers = HURT_PERCENTS,
    test: SignificanceTest | str | None = None,
    alternative: Alternative = Alternative.GREATER,
    alpha: float = 0.05,
) -> PlanTable:
    """Return the p-value to expect of a gain, by how many items are hurt (Jansen's example 3).

    The same gain is the less certain the more items the candidate hurts: +2% of 100 items may be 2 items helped and
    none hurt, or 21 helped and 19 hurt. For every combination the p-value is that of a test set with exactly these
    counts of right and wrong answers, and it is exact.

    Parameters
    ----------
    items : int or iterable of int
        Sizes of test sets, at least 2.
    gain : float or str, or iterable of them
        As a share of the items, 0.02 or "2%", positive. Where it is no whole number of items the nearest is taken, and
        a note says so; where that would change the gain by more than a tenth the combination is left out.
    hurt_percents : float or str, or iterable of them
        Shares of items hurt, in per cent; rounded to whole items, halves up. A note names those that this changes by
        more than a tenth.
    test : SignificanceTest or str, optional
        Of paired systems, or its name; `BootstrapUncentred`, which is Jansen's, by default.
    alternative : Alternative
    alpha : float
        Of reports; no p-value depends on it.

    Raises
    ------
    OptionError
        Sizes, gains or shares out of range, or no combination that is possible.
    NotApplicableError
        A test that assumes independence: its p-value depends on more than the items helped and hurt.

    Notes
    -----
    Cost: about a millisecond a row, whatever the size.

    Examples
    --------
    >>> table = plan_table(100, "2%", hurt_percents=[0, 5])
    >>> [(row.helped, row.hurt, round(row.p_value, 4)) for row in table.rows]
    [(2, 0, 0.1326), (7, 5, 0.3323)]
    """
    test = planned_test(test or BootstrapUncentred(), lambda kind: not (kind.assumes_independence or kind.requires))
    if isinstance(test, Auto):
        test = Rates.default_tests[0]
    _check_test(test)
    level = Level(alpha, 1, alternative)
    sizes, gains = sizes_of(items), several_numbers(gain, opt("gain"), _in_per_cent)
    shares = several_numbers(hurt_percents, opt("hurt_percents"), per_cent)
    _check_percentages(gains, shares)
    rows: list[PlanTableRow] = []
    notes: list[str] = []
    impossible = 0
    for n, percent in product(sizes, gains):
        gained, remark = _gained(n, percent)
        if remark:
            notes.append(remark)
        if gained is None:
            continue
        for hurt_percent in shares:
            hurt = _hurt(n, hurt_percent)
            helped = hurt + gained
            if helped + hurt > n:
                impossible += 1
                continue
            p = expected_p_value(n, helped, hurt, test, level.alternative)
            rows.append(PlanTableRow(n, percent, hurt_percent, helped, hurt, p))
    if not rows:
        advice = "Take more items." if notes else "Take smaller gains or shares."
        what = notes[0].removesuffix(": left out.") if notes else "more items would be helped and hurt than there are"
        raise OptionError(Problem(opt("gain"), what, advice, "impossible-gain"))
    notes += _rounded_shares(rows)
    if impossible:
        notes.append(f"{impossible} row(s) were left out that would help and hurt more items than there are.")
    alternative = level.alternative
    signed = joined(
        plan="table", test=test.name, alternative=alternative.value, r="exact", alpha=f"{alpha:g}", version=__version__
    )
    return PlanTable(test.name, test.titled(), alternative, alpha, tuple(rows), tuple(notes), __version__, signed)


def expected_p_value(items: int, helped: int, hurt: int, test: SignificanceTest, alternative: Alternative) -> float:
    """Return the exact p-value of a test set of right and wrong answers with these counts."""
    pair = _pair(items, helped, hurt)
    question = Question(alternative)
    laws = PairLaws(GainLaws([pair], Resampling(Method.EXACT)), 0)
    return p_value(test.outcome(pair, laws, question), Estimator.ADD_ONE).value


def _pair(items: int, helped: int, hurt: int) -> Pair:
    """Return systems that differ on these items alone; what the others are does not matter to a paired test."""
    baseline, candidate = np.ones(items), np.ones(items)
    baseline[:helped] = 0.0
    candidate[helped : helped + hurt] = 0.0
    metric = Accuracy()
    return Pair(metric, _rows(baseline), _rows(candidate))


def _rows(right: FloatArray) -> FloatArray:
    return Accuracy().rows(right[:, None])


def _gained(items: int, percent: float) -> tuple[int | None, str]:
    """Return the gain in whole items, None where that would be another gain, and what there is to say of it."""
    wanted = items * percent / 100
    gained = math.floor(wanted + 0.5)
    if abs(gained - wanted) <= 1e-9 * wanted:
        return gained, ""
    of = f"{format_exactly(percent)}% of {format_count(items)} items is {format_exactly(wanted)} items"
    if gained == 0 or abs(gained - wanted) > _MOST_ROUNDING * wanted:
        return None, f"{of}, and no whole number of items is near enough: left out."
    return gained, f"{of}: {format_count(gained)} are taken ({100 * gained / items:.4g}%)."


def _hurt(items: int, percent: float) -> int:
    return math.floor(items * percent / 100 + 0.5)


def _rounded_shares(rows: Sequence[PlanTableRow]) -> Iterator[str]:
    """Yield for each size which shares of items hurt became others, by more than a tenth, in whole items."""
    for items in dict.fromkeys(row.items for row in rows):
        shares = dict.fromkeys(row.hurt_percent for row in rows if row.items == items)
        changed = [
            f"{format_exactly(share)}% is {format_count(hurt)} ({100 * hurt / items:.4g}%)"
            for share in shares
            if abs((hurt := _hurt(items, share)) - items * share / 100) > _MOST_ROUNDING * items * share / 100
        ]
        if changed:
            more = f", and {len(changed) - _MOST_NAMED} more" if len(changed) > _MOST_NAMED else ""
            named = ", ".join(changed[:_MOST_NAMED])
            yield f"Items hurt are whole items: of {format_count(items)} items {named}{more}."


def _in_per_cent(gain: object, option: str) -> float:
    """Return the per cent that a share of the items is, with the digits that it was written with."""
    return float(Decimal(repr(share(gain, option, of="a gain in right answers"))) * 100)


def _check_test(test: SignificanceTest) -> None:
    if test.assumes_independence:
        raise NotApplicableError(
            Problem(
                opt("tests", test.name),
                "it takes the two systems for independent, so that its p-value depends on more than the items "
                "helped and hurt",
                "Name a paired test, such as bootstrap or randomization.",
                "not-applicable",
            )
        )


def _check_percentages(gains: Sequence[float], shares: Sequence[float]) -> None:
    for percent in gains:
        if not 0 < percent <= 100:
            what = f"expected a gain above 0 and up to 100 per cent of the items, got {percent:g}"
            raise OptionError(Problem(opt("gain"), what, "Write 2% or 0.02.", "out-of-range"))
    for percent in shares:
        if not 0 <= percent <= 100:
            what = f"expected shares from 0 to 100 per cent, got {percent:g}"
            raise OptionError(Problem(opt("hurt_percents"), what, "", "out-of-range"))
