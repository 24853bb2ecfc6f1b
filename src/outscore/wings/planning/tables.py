"""Tables of p-values by the number of losses (Jansen), and the largest numbers at which gains are significant."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Unpack

import numpy as np

from outscore._types import FloatArray
from outscore._version import __version__
from outscore.data.coercion import Numbers, per_cent, several_numbers, share, sizes_of
from outscore.design.options import with_defaults
from outscore.errors import NotApplicableError, OptionError, Problem
from outscore.gains.gain_laws import GainLaws, Hypothesis
from outscore.gains.pair import Pair
from outscore.metrics import Accuracy
from outscore.options import opt
from outscore.questions.signatures import joined
from outscore.results import Alternative, Method
from outscore.signatures import declared_alone
from outscore.significance import Resampling, SignificanceTest
from outscore.significance.auto import Auto
from outscore.text.numbers import format_count, format_exactly
from outscore.wings.planning.levels import Level
from outscore.wings.planning.plans import planned_test
from outscore.wings.planning.populations import Rates
from outscore.wings.planning.results import PlanTable, PlanTableLimit, PlanTableRow

if TYPE_CHECKING:
    from outscore.declared import PlanTableOptions

HURT_PERCENTS = tuple(range(20))
_FURTHEST_INTEGER = 0.1  # of the requested gain, or percentage of losses: a count further off is no answer
_MOST_NAMED = 4
_LARGE = 20.0  # per cent: a larger gain in right answers is more often a percentage without its sign


@declared_alone
def plan_table(items: int | Iterable[int], gain: Numbers, **options: Unpack[PlanTableOptions]) -> PlanTable:
    """Return the largest number of losses at which a gain is significant, and its p-value by the number of losses.

    The more losses, the less significant the same gain: +5% of 200 items may be 10 wins and no losses, or 48 wins
    and 38 losses. Each p-value is that of a test set with exactly these numbers of wins and losses. With
    ``test="bootstrap-uncentred", alternative="greater"`` it is Jansen's table (example 3), exact where he simulated it.

    Parameters
    ----------
    items : int or iterable of int
        Sizes of test sets, at least 2.
    gain : float or str, or iterable of them
        Gains as proportions of the items, 0.02 or "2%", positive. Each is rounded to whole items, with a note. If
        that changes the gain by more than a tenth, this size and gain are left out.

    Raises
    ------
    OptionError
        Sizes, gains or percentages are out of range, or no gain is possible at any size.
    NotApplicableError
        The test assumes independent systems: its p-value depends on more than the wins and losses.

    Notes
    -----
    Cost: about a millisecond per row, for any size.

    Examples
    --------
    >>> table = plan_table(200, "5%", hurt_percents=[0, 5])
    >>> [(row.helped, row.hurt, round(row.p_value, 4)) for row in table.rows]
    [(10, 0, 0.002), (20, 10, 0.0987)]
    >>> [(limit.gained, limit.hurt, round(limit.p_value, 4)) for limit in table.limits]
    [(10, 5, 0.0414)]
    """
    values = with_defaults("plan_table", options)
    alpha, test = values["alpha"], values["test"]
    test = planned_test(Auto() if test is None else test, lambda kind: not (kind.assumes_independence or kind.requires))
    if isinstance(test, Auto):
        test = Rates.default_tests[0]
    _check_test(test)
    level = Level(alpha, 1, values["alternative"])
    taken: list[str] = []
    sizes, gains = sizes_of(items), several_numbers(gain, opt("gain"), partial(_in_per_cent, notes=taken))
    percents = HURT_PERCENTS if values["hurt_percents"] is None else values["hurt_percents"]
    shares = several_numbers(percents, opt("hurt_percents"), per_cent)
    _check_percentages(gains, shares)
    rows: list[PlanTableRow] = []
    limits: list[PlanTableLimit] = []
    notes: list[str] = []
    impossible = 0
    for n, percent in product(sizes, gains):
        gained, remark = _gained(n, percent)
        if remark:
            notes.append(remark)
        if gained is None:
            continue
        limits.append(_limit(n, percent, gained, test, level))
        for hurt_percent in shares:
            hurt = _hurt(n, hurt_percent)
            helped = hurt + gained
            if helped + hurt > n:
                impossible += 1
                continue
            p = expected_p_value(n, helped, hurt, test, level.alternative)
            rows.append(PlanTableRow(n, percent, hurt_percent, helped, hurt, p))
    if not rows:
        advice = "Use more items." if notes else "Use smaller gains or percentages."
        what = notes[0].removesuffix(": left out.") if notes else "there would be more wins and losses than items"
        raise OptionError(Problem(opt("gain"), what, advice, "impossible-gain"))
    notes += _rounded_shares(rows)
    if impossible:
        notes.append(f"{impossible} row(s) were left out, as they would have more wins and losses than items.")
    alternative = level.alternative
    signed = joined(
        plan="table", test=test.name, alternative=alternative.value, r="exact", alpha=f"{alpha:g}", version=__version__
    )
    return PlanTable(
        test.name, test.titled(), alternative, alpha, tuple(rows), (*taken, *notes), __version__, signed, tuple(limits)
    )


def expected_p_value(items: int, helped: int, hurt: int, test: SignificanceTest, alternative: Alternative) -> float:
    """Return the exact p-value of a binary test set with these counts."""
    pair = _pair(items, helped, hurt)
    return test.p_value(pair, GainLaws([pair], Resampling(Method.EXACT)), Hypothesis(alternative)).value


def _limit(items: int, percent: float, gained: int, test: SignificanceTest, level: Level) -> PlanTableLimit:
    """Return the largest number of losses at which p ≤ α: one more win with one more loss never lowers p."""
    possible = (items - gained) // 2
    largest: tuple[int | None, float | None] = (None, None)
    low, high = 0, possible
    while low <= high:
        hurt = (low + high) // 2
        p = expected_p_value(items, hurt + gained, hurt, test, level.alternative)
        if p <= level.alpha:
            largest, low = (hurt, p), hurt + 1
        else:
            high = hurt - 1
    return PlanTableLimit(items, percent, gained, *largest, possible)


def _pair(items: int, helped: int, hurt: int) -> Pair:
    """Return systems that differ on these items only; a paired test ignores the others."""
    baseline, candidate = np.ones(items), np.ones(items)
    baseline[:helped] = 0.0
    candidate[helped : helped + hurt] = 0.0
    metric = Accuracy()
    return Pair(metric, _rows(baseline), _rows(candidate))


def _rows(right: FloatArray) -> FloatArray:
    return Accuracy().rows(right[:, None])


def _gained(items: int, percent: float) -> tuple[int | None, str]:
    """Return the gain in whole items and a note; None if rounding changes the gain too much."""
    wanted = items * percent / 100
    gained = math.floor(wanted + 0.5)
    if abs(gained - wanted) <= 1e-9 * wanted:
        return gained, ""
    equation = f"{format_exactly(percent)}% of {format_count(items)} items is {format_exactly(wanted)} items"
    if gained == 0 or abs(gained - wanted) > _FURTHEST_INTEGER * wanted:
        return None, f"{equation}, and no integer is near enough: left out."
    return gained, f"{equation}: rounded to {format_count(gained)} ({100 * gained / items:.4g}%)."


def _hurt(items: int, percent: float) -> int:
    return math.floor(items * percent / 100 + 0.5)


def _rounded_shares(rows: Sequence[PlanTableRow]) -> Iterator[str]:
    """Yield, for each size, the percentages of losses that rounding to whole items changes by more than a tenth."""
    for items in dict.fromkeys(row.items for row in rows):
        shares = dict.fromkeys(row.hurt_percent for row in rows if row.items == items)
        changed = [
            f"{format_exactly(share)}% is {format_count(hurt)} ({100 * hurt / items:.4g}%)"
            for share in shares
            if abs((hurt := _hurt(items, share)) - items * share / 100) > _FURTHEST_INTEGER * items * share / 100
        ]
        if changed:
            more = f", and {len(changed) - _MOST_NAMED} more" if len(changed) > _MOST_NAMED else ""
            named = ", ".join(changed[:_MOST_NAMED])
            yield f"Losses are rounded to whole items: with {format_count(items)} items, {named}{more}."


def _in_per_cent(gain: object, option: str, notes: list[str]) -> float:
    """Return a proportion as a percentage, with the digits as written; a note on a large one that has no %."""
    percent = float(Decimal(repr(share(gain, option, of="a gain in right answers"))) * 100)
    if percent >= _LARGE and "%" not in str(gain):
        written = format_exactly(percent / 100)
        notes.append(f"{written} was read as {format_exactly(percent)}%. For {written}%, write {written}%.")
    return percent


def _check_test(test: SignificanceTest) -> None:
    if test.assumes_independence:
        raise NotApplicableError(
            Problem(
                opt("tests", test.name),
                "it assumes independent systems, so its p-value depends on more than the wins and losses",
                "Choose a paired test, such as bootstrap or randomization.",
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
            what = f"expected percentages from 0 to 100, got {percent:g}"
            raise OptionError(Problem(opt("hurt_percents"), what, "", "out-of-range"))
