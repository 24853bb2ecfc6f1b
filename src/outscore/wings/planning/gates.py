"""Planning gates: the items and runs with which an equally good candidate passes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

from outscore._version import __version__
from outscore.data.coercion import choice, number, score_gain, several_numbers, wrong
from outscore.design.options import with_defaults
from outscore.errors import OptionError, Problem
from outscore.gains.crossing import FEWEST_FOR_VERDICT
from outscore.laws.student import normal_quantile
from outscore.options import opt
from outscore.questions.looks import ErrorRate, GateRule, Margins, spent_level
from outscore.questions.signatures import encoded, joined
from outscore.results import Alternative, Claim
from outscore.signatures import declared_alone
from outscore.significance.t_tests import SkewT
from outscore.text.numbers import format_count
from outscore.wings.planning.levels import Level, title_with_margin
from outscore.wings.planning.plans import plan_items
from outscore.wings.planning.populations import Population
from outscore.wings.planning.results import GatePlan, GatePlanRow, GateRunsRow
from outscore.wings.planning.runs import DEFAULT_RUNS, RunVariances

if TYPE_CHECKING:
    from outscore.declared import PlanGateOptions

_LOOKS = (1, 5, 20, 50)
_TARGETS = (0.8, 0.9)


@declared_alone
def plan_gate(
    population: Population | RunVariances, margin: float | str, **options: Unpack[PlanGateOptions]
) -> GatePlan:
    """Return how many items a gate needs to pass a candidate that is as good as the baseline.

    Passing rejects δ ≤ −margin at the level of the check, by the score test if the range of the scores is known,
    else by the skewness-corrected t-test. Checks against a stored baseline share the level, so later ones need more
    items: checks 1, 5, 20 and 50 are reported beside the planned one.

    Parameters
    ----------
    population : Rates, Spread, Pilot or RunVariances
        The items. With `RunVariances` of a pilot with random runs, the number of runs is planned as well.
    margin : float or str
        The largest tolerated loss, in the unit of the score.

    Raises
    ------
    OptionError
        A margin, level or power is out of its range, or no level is left for the check.

    Examples
    --------
    >>> from outscore.wings.planning import Rates
    >>> plan = plan_gate(Rates(hurt=0.05), "2%")
    >>> [(row.look, row.target, row.items) for row in plan.rows[:4]]
    [(1, 0.8, 1994), (1, 0.9, 2659), (5, 0.8, 3633), (5, 0.9, 4517)]
    """
    if not isinstance(population, Population | RunVariances):
        advice = "Pass a pilot, Rates, Spread or RunVariances."
        raise wrong("population", "a population such as outscore.Rates(0.05)", population, advice=advice)
    values = with_defaults("plan_gate", options)
    target, look, looks, seed = (values[name] for name in ("target", "look", "looks", "seed"))
    metric = population.metric
    if isinstance(population, Population):
        size = population.in_unit(margin, opt("margin"))
    else:
        size = score_gain(margin, opt("margin"), metric=metric.name, is_share=metric.as_percentage)
    if not 0 < size < math.inf:
        what = f"expected a positive number, got {size:g}"
        raise OptionError(Problem(opt("margin"), what, "Pass the largest tolerated loss.", "bad-margin"))
    targets = several_numbers(_TARGETS if target is None else target, opt("target"), number)
    error = choice(ErrorRate, values["error"], opt("error"))
    rule = GateRule(Margins(size), number(values["alpha"], opt("alpha")), error, looks)
    levels = _levels(rule, look)
    rows: list[GatePlanRow] = []
    runs: list[GateRunsRow] = []
    notes: list[str] = []
    for which, level in levels:
        for aim in targets:
            _check_target(aim, level)
            if isinstance(population, RunVariances):
                tested = Level(level, alternative=Alternative.GREATER)
                rows += _rows_of_runs(population, size, which, aim, tested)
                runs += _runs_needed(population, size, which, aim, tested)
    if isinstance(population, Population):
        for aim in targets:
            rows_of_gate, gate_notes = _rows_by_check(population, size, look, levels, aim)
            rows += rows_of_gate
            notes += [note for note in gate_notes if note not in notes]
    test = SkewT.name if isinstance(population, RunVariances) else population.claim_tests(Claim.NOT_WORSE, size)[0]
    rows.sort(key=lambda row: (row.look, row.runs or 0, row.target))
    return GatePlan(
        basis=population.basis if isinstance(population, RunVariances) else population.describe(),
        metric=metric,
        margin=size,
        alpha=rule.alpha,
        error=rule.error,
        looks=looks,
        look=look,
        test=test,
        test_title=title_with_margin(test),
        rows=tuple(rows),
        runs_needed=tuple(runs),
        notes=(*_notes(population, rule), *notes),
        seed=seed if isinstance(population, RunVariances) else population.seed,
        version=__version__,
        signature=joined(
            plan="gate",
            tests=test,
            margin=f"{size:.12g}",
            alpha=f"{rule.alpha:g}",
            error=rule.error.value,
            looks=looks,
            look=look,
            power=",".join(f"{aim:g}" for aim in targets),
            sets=None if isinstance(population, RunVariances) else population.n_sets,
            seed=seed if isinstance(population, RunVariances) else population.seed,
            metric=encoded(metric.spec),
            version=__version__,
        ),
    )


def _levels(rule: GateRule, look: int) -> list[tuple[int, float]]:
    """Return the checks to report, including the planned one, with their levels; each level once."""
    if look < 1:
        raise OptionError(Problem(opt("look"), f"expected at least 1, got {look}", "", "out-of-range"))
    if spent_level(rule, look) == 0:
        planned = rule.looks or 1
        what = f"all {format_count(planned)} planned checks are used before check {format_count(look)}"
        raise OptionError(Problem(opt("look"), what, "Plan more checks, or an earlier one.", "looks-spent"))
    levels = {look: spent_level(rule, look)}
    for other in _LOOKS:
        level = spent_level(rule, other)
        if level > 0 and level not in levels.values():
            levels[other] = level
    return sorted(levels.items())


def _rows_by_check(
    population: Population, margin: float, look: int, levels: Sequence[tuple[int, float]], target: float
) -> tuple[list[GatePlanRow], Sequence[str]]:
    """Return the items at every check, and notes.

    Simulated powers take time, so only the planned check is simulated. The others are scaled: n is proportional to
    (z_α + z_power)² for normal means.
    """
    rows: list[GatePlanRow] = []
    notes: Sequence[str] = ()
    simulated: GatePlanRow | None = None
    at_look = dict(levels)[look]
    for which, level in sorted(levels, key=lambda check: check[0] != look):  # the planned check comes first
        if simulated is not None:
            scale = (_reach(level, target) / _reach(at_look, target)) ** 2
            ends = (None if end is None else end * scale for end in (simulated.items_low, simulated.items_high))
            items = math.ceil((simulated.items or 0) * scale)
            rows.append(GatePlanRow(which, level, target, None, items, population.units(items), None, *ends))
            continue
        tested = Level(level, alternative=Alternative.GREATER)
        plan = plan_items(population, 0.0, target=target, level=tested, claim=Claim.NOT_WORSE, margin=margin)
        (row,) = plan.rows
        rows.append(GatePlanRow(which, level, target, None, row.items, row.units, row.power.value, row.low, row.high))
        if row.power.n_sets is not None:
            simulated = rows[-1]
        notes = notes or plan.notes
    if simulated is not None and len(levels) > 1:
        others = "Items at other checks are scaled by (z of the level + z of the power)², not simulated."
        notes = (others, *notes)
    return rows, notes


def _reach(level: float, target: float) -> float:
    """Return the margin in standard errors."""
    return normal_quantile(level) + normal_quantile(1 - target)


def _check_target(target: float, level: float) -> None:
    if not level < target < 1:
        what = f"expected a number above the level ({level:g}) and below 1, got {target:g}"
        raise OptionError(Problem(opt("target"), what, "", "out-of-range"))


def _rows_of_runs(variances: RunVariances, margin: float, look: int, target: float, level: Level) -> list[GatePlanRow]:
    """Return the items by runs, taking the distance of an equally good candidate from δ = −margin as a gain."""
    rows = []
    for runs in DEFAULT_RUNS:
        if runs < FEWEST_FOR_VERDICT:
            continue
        items = variances.fewest_items(runs, margin, target, level)
        power = None if items is None else variances.power(items, runs, margin, level)
        units = None if items is None else math.ceil(variances.units(items) - 1e-9)
        rows.append(GatePlanRow(look, level.alpha, target, runs, items, units, power, None, None))
    return rows


def _runs_needed(variances: RunVariances, margin: float, look: int, target: float, level: Level) -> list[GateRunsRow]:
    if not variances.n_items:
        return []
    runs = variances.fewest_runs(variances.n_items, margin, target, level)
    power = None if runs is None else variances.power(variances.n_items, runs, margin, level)
    return [GateRunsRow(look, level.alpha, target, variances.n_items, runs, power)]


def _notes(population: Population | RunVariances, rule: GateRule) -> Sequence[str]:
    notes = [*population.notes] if isinstance(population, RunVariances) else []
    if rule.looks is None and rule.error is ErrorRate.PER_BASELINE:
        notes.append(
            "Later checks of a stored baseline have a lower level; a new baseline starts again. A candidate "
            f"compared with another system uses all of alpha: plan that with {opt('error', 'per-commit')}."
        )
    return notes
