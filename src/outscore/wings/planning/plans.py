"""The power of a test set, and its inverses: the detectable gain, and the number of items needed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, Unpack

from outscore._version import __version__
from outscore.data.coercion import LARGEST_NUMBER, MOST_ITEMS, Numbers, several_numbers, sizes_of, wrong
from outscore.design.options import with_defaults
from outscore.errors import NotApplicableError, OptionError, Problem
from outscore.gains.influence import enough_units
from outscore.laws.law import illinois
from outscore.options import opt
from outscore.questions.signatures import encoded, joined
from outscore.results import Alternative, Claim
from outscore.signatures import declared_alone
from outscore.significance import BY_NAME, TESTS, SignificanceTest, test_named
from outscore.significance.auto import Auto
from outscore.significance.score_test import ScoreTest
from outscore.significance.t_tests import InfluenceT
from outscore.text.aliases import TEST_ALIASES, own_name
from outscore.text.naming import nearest, quoted
from outscore.text.numbers import format_count
from outscore.wings.planning.levels import Level, Margin, level_of, title_with_margin
from outscore.wings.planning.populations import OWN_GAIN, Observed, Population
from outscore.wings.planning.results import (
    GainPlan,
    GainRow,
    ItemsPlan,
    ItemsRow,
    Plan,
    PlanQuestion,
    PlanRow,
    Power,
    PowerPlan,
)

if TYPE_CHECKING:
    from outscore.declared import PlanGainOptions, PlanItemsOptions, PlanPowerOptions

Tests: TypeAlias = Sequence[SignificanceTest | str] | SignificanceTest | str
AnyPlan = TypeVar("AnyPlan", bound=Plan)
_NORMAL = NormalDist()
_NOISE = 0.5  # in standard errors: tolerance of a simulated search
_TEETH = 16
_ROUGH = 30
_OBSERVED = 5e-3  # of the gain
_SAME_SIZE = 0.05
_MORE_DECIMALS = 3  # than a comparison shows
_MOST_STEPS = 80
_NEWTON_STEPS = 5
_CERTAIN = 6.0  # probits beyond which a power counts as 0 or 1


@declared_alone
def plan_power(
    population: Population,
    items: int | Iterable[int],
    gain: Numbers | None = None,
    **options: Unpack[PlanPowerOptions],
) -> PowerPlan:
    """Return the power of tests: the probability that a true gain is significant.

    For a claim with a margin, it is the probability that the claim is shown.

    Parameters
    ----------
    population : Population
        `Rates`, `Spread` or a `Pilot`.
    items : int or iterable of int
        Sizes of test sets, at least 2.
    gain : float or str, or iterable of them
        True gains, positive, in the unit of the score: the smallest of interest, not an observed one. For not-worse
        and equivalent, any gain at which the claim is true; by default 0 (equally good systems).

    Raises
    ------
    OptionError
        A number is out of range; the population cannot have the gain; or the gain is the pilot's own, on about as
        many items (to 5%). That would be "observed power", which only restates the p-value (Hoenig & Heisey 2001).
    NotApplicableError
        The power of a test cannot be computed.

    Examples
    --------
    >>> from outscore.wings.planning import Rates
    >>> row = plan_power(Rates(hurt=0.05), 1000, 0.02).rows[0]
    >>> row.test, round(row.power.value, 3), round(row.power.type_m, 2)
    ('randomization', 0.412, 1.52)
    """
    sizes, values = sizes_of(items), with_defaults("plan_power", options)
    if claimed := _claimed(values, population):
        level = _tests_and_level(population, (), values["level"])[1]
        rows = [
            PlanRow(claimed.test, n, population.units(n), g, population.margin_power(claimed, n, g, level))
            for n in sizes
            for g in _gains(_expected_gain(population) if gain is None else gain, population)
        ]
        return _plan(PowerPlan, population, level, None, rows, claimed)
    tests, level = _tests_and_level(population, values["tests"], values["level"])
    gains = _gains(gain, population)
    for g in gains:
        population.check_gain(g)
        for n in sizes:
            refuse_observed(population, n, g)
    rows = []
    for n in sizes:
        for g in gains:
            powers = population.powers(tests, n, g, level)
            rows += [
                PlanRow(test.name, n, population.units(n), g, value) for test, value in zip(tests, powers, strict=True)
            ]
    return _plan(PowerPlan, population, level, None, rows, tests)


@declared_alone
def plan_gain(population: Population, items: int | Iterable[int], **options: Unpack[PlanGainOptions]) -> GainPlan:
    """Return the smallest true gain that tests detect with a given power and number of items.

    Parameters
    ----------
    population, items
        As for `plan_power`.

    Raises
    ------
    OptionError, NotApplicableError
        As for `plan_power`, or no possible gain of the population has this power.

    Examples
    --------
    >>> from outscore.wings.planning import Rates
    >>> round(plan_gain(Rates(hurt=0.05), 500).rows[0].gain, 4)
    0.0498
    """
    values = with_defaults("plan_gain", options)
    tests, level = _tests_and_level(population, values["tests"], values["level"])
    target = level.target(values["target"])
    rows: list[GainRow] = []
    missing = []
    for n in sizes_of(items):
        for test in tests:
            row = _gain_row(population, test, n, target, level)
            if row is None:
                missing.append(f"{test.name} with {format_count(n)} items")
            else:
                rows.append(row)
    notes = (
        [f"No gain{_up_to_largest(population)} is detected with this power by {', '.join(missing)}."] if missing else []
    )
    if not rows:
        raise OptionError(Problem(opt("items"), notes[0].rstrip("."), "Use more items.", "impossible-gain"))
    return _plan(GainPlan, population, level, target, rows, tests, notes)


@declared_alone
def plan_items(population: Population, gain: Numbers | None = None, **options: Unpack[PlanItemsOptions]) -> ItemsPlan:
    """Return how many items tests need to detect a true gain, or to show a claim, with a given power.

    Parameters
    ----------
    population, gain
        As for `plan_power`.

    Raises
    ------
    OptionError, NotApplicableError
        As for `plan_power`, or more than 10⁷ items are needed.

    Notes
    -----
    The power of tests with discrete p-values is a sawtooth function of the size. The result is the smallest size
    from which 16 consecutive sizes have the power.

    Examples
    --------
    >>> from outscore.wings.planning import Rates
    >>> plan_items(Rates(hurt=0.05), 0.02).rows[0].items
    2438
    >>> plan_items(Rates(hurt=0.05), claim="not-worse", margin=0.01).rows[0].items
    6203
    """
    values = with_defaults("plan_items", options)
    if claimed := _claimed(values, population):
        level = _tests_and_level(population, (), values["level"])[1]
        target = level.target(values["target"])
        gains = _gains(_expected_gain(population) if gain is None else gain, population)
        rows = [_items_row(population, claimed, g, target, level) for g in gains]
        return _plan(ItemsPlan, population, level, target, rows, claimed)
    tests, level = _tests_and_level(population, values["tests"], values["level"])
    target = level.target(values["target"])
    rows = []
    for g in _gains(gain, population):
        population.check_gain(g)
        rows += [_items_row(population, test, g, target, level) for test in tests]
    return _plan(ItemsPlan, population, level, target, rows, tests)


def _up_to_largest(population: Population) -> str:
    largest = population.largest_gain()
    if not math.isfinite(largest):
        return ""
    return f" up to {100 * largest:.4g} points" if population.metric.as_percentage else f" up to {largest:.4g}"


def _gain_row(
    population: Population, test: SignificanceTest, items: int, target: float, level: Level
) -> GainRow | None:
    powers: dict[float, Power] = {}

    def probit_of(gain: float) -> float:
        powers[gain] = population.powers([test], items, gain, level)[0]
        return _probit(powers[gain].value)

    largest = min(population.largest_gain(), LARGEST_NUMBER)
    aim = _probit(target)
    wanted = _probit(1 - level.tail) + aim
    guess = min(wanted * population.deviation(1e-3 * min(largest, 1.0)) / math.sqrt(items), 0.99 * largest)
    guess = min(wanted * population.deviation(guess) / math.sqrt(items), largest)
    noise = _noise(population, target)
    at = crossing(
        probit_of,
        aim,
        guess,
        1e-3 * guess,
        largest,
        width=1e-9 if noise == 0 else 1e-3,
        near_enough=_NOISE * noise,
        slope=0.0 if noise == 0 else math.sqrt(items) / population.deviation(guess),
    )
    if at is None:
        return None
    if noise == 0:
        return GainRow(test.name, items, population.units(items), at, powers[at])
    # The search ends near the target, one Newton step from it: the interval is centred there.
    per_probit = population.deviation(at) / math.sqrt(items)
    off = _probit(powers[at].value) - aim
    middle, margin = at - off * per_probit, 1.96 * noise * per_probit
    low, high = max(min(middle - margin, at), 0.0), max(middle + margin, at)
    return GainRow(test.name, items, population.units(items), at, powers[at], low, high)


def _items_row(
    population: Population, test: SignificanceTest | Margin, gain: float, target: float, level: Level
) -> ItemsRow:
    powers: dict[int, Power] = {}

    def power_on(items: int) -> Power:
        if items not in powers:
            if isinstance(test, Margin):
                powers[items] = population.margin_power(test, items, gain, level)
            else:
                powers[items] = population.powers([test], items, gain, level)[0]
        return powers[items]

    def items_of(root: float) -> int:
        return max(least, math.ceil(root**2 - 1e-9))

    aim = _probit(target)
    name = test.test if isinstance(test, Margin) else test.name
    if isinstance(test, Margin):
        test.check(gain)
        # Both of two tests must reject: with a gain of 0, each may miss half of the total.
        effect = test.distance(gain)
        wanted = _probit(1 - level.per_comparison) + (
            _probit((1 + target) / 2) if test.equivalent and gain == 0 else aim
        )
    else:
        effect, wanted = gain, _probit(1 - level.tail) + aim
    deviation = population.deviation(gain)
    per_unit = 1000 / population.units(1000)
    least = math.ceil(population.fewest_units * per_unit)
    noise = _noise(population, target)
    most = MOST_ITEMS * min(per_unit, 1.0)
    guess = min(max(wanted * deviation / effect, math.sqrt(least)), math.sqrt(most))
    root = crossing(
        lambda root: _probit(power_on(items_of(root)).value),
        aim,
        guess,
        math.sqrt(least),
        math.sqrt(most),
        width=1e-7 if noise == 0 else 1e-3,
        near_enough=_NOISE * noise,
        slope=0.0 if noise == 0 else effect / deviation,
    )
    if root is None:
        name, size = ("margin", test.size) if isinstance(test, Margin) else ("gain", gain)
        what = f"a {name} of {size:g} would need more than {format_count(int(most))} items"
        raise OptionError(Problem(opt(name), what, f"Use a larger {name}, or a lower power.", "impossible-gain"))
    items = items_of(root)
    if noise == 0:
        items = first_steady(lambda n: power_on(n).value >= target, items, least, _TEETH)
        return ItemsRow(name, items, population.units(items), gain, power_on(items))
    per_probit = deviation / effect
    middle, margin = root + (aim - _probit(power_on(items).value)) * per_probit, 1.96 * noise * per_probit
    low, high = max(min(middle - margin, root), 0.0) ** 2, max(middle + margin, root) ** 2
    return ItemsRow(name, items, population.units(items), gain, power_on(items), low, high)


def _noise(population: Population, target: float) -> float:
    """Return the standard error of a simulated power, in probits; 0 if powers are computed."""
    n_sets = population.n_sets
    if n_sets is None:
        return 0.0
    return math.sqrt(target * (1 - target) / n_sets) / _NORMAL.pdf(_probit(target))


def _probit(p: float) -> float:
    return _NORMAL.inv_cdf(min(max(p, 1e-12), 1 - 1e-12))


def _plan(
    kind: type[AnyPlan],
    population: Population,
    level: Level,
    target: float | None,
    rows: Sequence[PlanRow],
    tests: Sequence[SignificanceTest] | Margin,
    notes: Sequence[str] = (),
) -> AnyPlan:
    claimed, title = None, ""
    if isinstance(tests, Margin):
        claimed, title = tests, title_with_margin(tests.test)
    else:
        title = next(test.titled() for test in tests if test.name == rows[0].test)
    return kind(
        basis=population.describe(),
        metric=population.metric,
        alternative=Alternative.GREATER if claimed else level.alternative,
        alpha=level.alpha,
        comparisons=level.comparisons,
        target=target,
        rows=tuple(rows),
        test_title=title,
        notes=(
            *notes,
            *(() if claimed else own_gain(kind.question, population, rows)),
            *warnings_of(level, rows),
            *population.notes([row.gain for row in rows]),
        ),
        seed=population.seed,
        version=__version__,
        claim=claimed.claim if claimed else Claim.BETTER,
        margin=claimed.size if claimed else None,
        signature=joined(
            plan=kind.question.value,
            tests=",".join(dict.fromkeys(row.test for row in rows)),
            claim=claimed.claim.value if claimed else None,
            margin=f"{claimed.size:.12g}" if claimed else None,
            alternative=None if claimed else level.alternative.value,
            alpha=f"{level.alpha:g}",
            comparisons=level.comparisons,
            power=None if target is None else f"{target:g}",
            sets=population.n_sets,
            seed=population.seed,
            metric=encoded(population.metric.spec),
            version=__version__,
        ),
    )


def _claimed(values: Mapping[str, Any], population: Population) -> Margin | None:
    """Return the claim with a margin, or None for the claim of being better."""
    claim, margin = values["claim"], values["margin"]
    if claim is Claim.BETTER:
        if margin is not None:
            what = "applies only to the claims not-worse and equivalent"
            raise OptionError(Problem(opt("margin"), what, f"Pass one with {opt('claim')}, or leave it out.", "usage"))
        return None
    if margin is None:
        what = f"the claim {claim} needs the largest tolerated loss"
        raise OptionError(Problem(opt("margin"), what, "Pass it.", "missing-margin"))
    _check_population(population)
    claimed = Margin(claim, population.in_unit(margin, opt("margin")))
    supported = population.claim_tests(claim, claimed.size)
    named = {test if isinstance(test, str) else test.name for test in _several(values["tests"])} - {Auto.name}
    named = named or {supported[0]}
    if len(named) > 1 or not named <= {*supported}:
        what = f"plans for the claim {claim} use {' or '.join(supported)}, got {', '.join(sorted(named))}"
        raise OptionError(Problem(opt("tests"), what, f"Leave it out for {supported[0]}.", "not-applicable"))
    return replace(claimed, test=named.pop())


def _check_population(population: object) -> None:
    if not isinstance(population, Population):
        expected, advice = "a population such as outscore.Rates(0.05)", "Pass a pilot, Rates or Spread."
        raise wrong("population", expected, population, advice=advice)


def _expected_gain(population: Population) -> float:
    """Return the default true gain of a claim with a margin: the one that the assumptions imply, or 0."""
    return population.implied_gain or 0.0


def _gains(gain: Numbers | None, population: Population) -> list[float]:
    if gain is None:
        raise OptionError(Problem(opt("gain"), "the smallest gain of interest is missing", "", "missing-gain"))
    return several_numbers(gain, opt("gain"), population.in_unit)


def _tests_and_level(
    population: Population, tests: Tests, level: Level | None
) -> tuple[Sequence[SignificanceTest], Level]:
    """Return the tests and the level, after checking them and the population."""
    _check_population(population)
    return _planned_tests(population, tests), level_of(level)


def _planned_tests(population: Population, tests: Tests) -> Sequence[SignificanceTest]:
    named = (planned_test(test, lambda kind: population.obstacle(kind) is None) for test in _several(tests))
    chosen = list(dict.fromkeys(population.default_tests[0] if isinstance(test, Auto) else test for test in named))
    for test in chosen:
        obstacle = (
            "needs a claim with a margin; pass both" if isinstance(test, ScoreTest) else population.obstacle(test)
        )
        if obstacle:
            raise NotApplicableError(
                Problem(opt("tests", test.name), f"it {obstacle}", "Choose another test.", "not-applicable")
            )
    return chosen or population.default_tests


def _several(tests: Tests) -> Sequence[SignificanceTest | str]:
    several = [tests] if isinstance(tests, (str, SignificanceTest)) else tests
    if isinstance(several, list | tuple) and all(isinstance(test, (str, SignificanceTest)) for test in several):
        return several
    raise wrong("tests", 'tests such as outscore.Randomization() or "randomization"', tests)


def planned_test(test: SignificanceTest | str, applies: Callable[[SignificanceTest], bool]) -> SignificanceTest:
    """Return a test, or the test of this name; errors suggest the nearest name that applies."""
    if isinstance(test, SignificanceTest):
        return test
    if not isinstance(test, str):
        raise wrong("test", 'a test such as outscore.Randomization() or "randomization"', test)
    known_names = [*TESTS, *BY_NAME]
    if own_name(test, known_names, TEST_ALIASES) not in known_names:
        names = [name for name, kind in TESTS.items() if applies(kind())]
        raise OptionError(Problem(opt("tests"), f"unknown test {quoted(test)}", nearest(test, names), "unknown-test"))
    return test_named(test)


def own_gain(question: PlanQuestion, population: Population, rows: Sequence[PlanRow]) -> Sequence[str]:
    """Return a note if the pilot's own gain is planned for."""
    if question is PlanQuestion.GAIN or not any(_is_observed(population, row.gain) for row in rows):
        return []
    return [OWN_GAIN]


def warnings_of(level: Level, rows: Sequence[PlanRow]) -> Sequence[str]:
    """Return notes on these powers: few units, and several comparisons."""
    warnings = []
    few = enough_units(level.per_comparison)
    if any(row.units < few and row.test.startswith("bootstrap") for row in rows):
        warnings.append(
            f"With fewer than {few} units, the bootstrap has too many false positives, which inflate its power. "
            "Plan with the default test."
        )
    if any(row.units < _ROUGH and row.power.n_sets is not None and _by_shortcut(row.test) for row in rows):
        warnings.append(
            f"With fewer than {_ROUGH} units, the moment approximation is rough. Check it with {opt('n_checks')}, "
            "which runs the tests themselves."
        )
    if level.comparisons > 1:
        m = format_count(level.comparisons)
        warnings.append(
            f"Each of {m} comparisons is tested at α/{m} = {level.per_comparison:.4g}. Holm's correction rejects "
            "at least as much, so the actual power is this or more."
        )
    return warnings


def _by_shortcut(test: str) -> bool:
    """Return whether a test decides differently on simulated test sets; t-tests do not."""
    return not isinstance(test_named(test), InfluenceT)


def _is_observed(population: Population, gain: float) -> bool:
    observed = population.observed
    if observed is None:
        return False
    return abs(gain - observed.gain) <= _OBSERVED * abs(gain) or _is_rounded(gain, observed)


def _is_rounded(gain: float, observed: Observed) -> bool:
    """Return whether this is the observed gain as a comparison prints it, or with a few more digits."""
    for decimals in range(observed.decimals, observed.decimals + _MORE_DECIMALS + 1):
        unit = 10.0**-decimals
        whole = math.isclose(gain, round(gain / unit) * unit, rel_tol=1e-9)
        if whole and abs(gain - observed.gain) <= unit / 2 * (1 + 1e-9):
            return True
    return False


def refuse_observed(population: Population, items: int, gain: float) -> None:
    """Refuse the observed gain on as many items: the power there only restates the p-value."""
    observed = population.observed
    if observed is None or not _is_observed(population, gain):
        return
    if abs(items - observed.items) > _SAME_SIZE * observed.items:
        return
    raise OptionError(
        Problem(
            opt("gain"),
            f"{gain:g} is the observed gain of these {format_count(observed.items)} items. Power at it on as many "
            'items ("observed power") restates the p-value: it is about one half if p is near alpha, and less if '
            "p is larger, for any systems (Hoenig & Heisey 2001)",
            "Pass the smallest gain of interest. For the gain in these data, see its interval in outscore compare.",
            "observed-power",
        )
    )


def crossing(
    probit_of: Callable[[float], float],
    target: float,
    guess: float,
    low: float,
    high: float,
    *,
    width: float,
    near_enough: float = 0.0,
    slope: float = 0.0,
) -> float | None:
    """Return the smallest x in [low, high] at which the function reaches its target, or None.

    On the probit scale, powers are nearly linear in the gain and in the root of the items, so false position needs
    few steps.

    The function increases with x, up to noise; 0 < low ≤ guess ≤ high. `width` is relative to x. Values within
    `near_enough` probits of the target count as on it. With a `slope`, in probits per unit of x, Newton steps come
    first.
    """

    def excess(x: float) -> float:
        return max(-_CERTAIN, min(_CERTAIN, probit_of(x))) - target

    for _ in range(_NEWTON_STEPS if slope > 0 else 0):
        off = excess(guess)
        if abs(off) <= near_enough:
            return guess
        guess = min(max(guess - off / slope, low), high)
    below, above = low, min(max(guess, low), high)
    reached = excess(above)
    if abs(reached) <= near_enough:
        return above
    while reached < 0:
        if above >= high:
            return None
        below, above = above, min(1.4 * above, high)
        short, reached = reached, excess(above)
        if abs(reached) <= near_enough:
            return above
    if below == low:
        short = excess(low)
        if short >= 0:
            return low
    return illinois(
        excess,
        (below, short),
        (above, reached),
        lambda low, high: high - low <= width * high,
        halving=4,
        steps=_MOST_STEPS,
        near_enough=near_enough,
    )


def first_steady(enough: Callable[[int], bool], near: int, least: int, run: int) -> int:
    """Return the smallest number near `near` from which `run` consecutive numbers are enough.

    Powers of tests with discrete p-values are sawtooth functions (Chernick & Liu 2002), so numbers after the first
    sufficient one may be insufficient.
    """
    start, count, number = near, 0, near
    while count < run:
        if enough(number):
            count += 1
        else:
            start, count = number + 1, 0
        number += 1
    while start > least and enough(start - 1):
        start -= 1
    return start
