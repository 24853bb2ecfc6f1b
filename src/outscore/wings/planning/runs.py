"""The number of runs needed for a gain: its variance with other numbers of items and runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from outscore._version import __version__
from outscore.data.coercion import MOST_ITEMS, number, score_gain, sizes_of
from outscore.data.rows import RunDesign
from outscore.design.scores import Scores
from outscore.errors import OptionError, Problem
from outscore.gains.canonical import in_canonical_order
from outscore.gains.crossing import FEWEST_FOR_VERDICT, crossing_of
from outscore.gains.pairing import pair_of
from outscore.gains.variance import GainVariance, gain_variance
from outscore.laws.student import normal_quantile, sd_factors, student_quantile
from outscore.metrics.options import describe_metric
from outscore.options import opt
from outscore.questions.signatures import encoded, joined
from outscore.results import MetricDescription, RunSd
from outscore.significance.crossed import quadrature
from outscore.text.naming import printable
from outscore.text.numbers import format_count, format_exactly
from outscore.wings.planning.levels import Level, level_of
from outscore.wings.planning.populations import OWN_GAIN, check_pilot
from outscore.wings.planning.results import CheapestRuns, ItemsOfRuns, RunsCell, RunsPlan, RunsRow

DEFAULT_RUNS = (1, 2, 3, 5, 10)
_TIMES = (1, 2, 4)  # the pilot's items
_MOST_RUNS = 10**6
_FEW_RUNS = 10  # below which the interval of a standard deviation is too wide to plan with
_RISES = 20  # consecutive increases of the cost after which the search ends


@dataclass(frozen=True)
class RunFactorVariance:
    """The variance that a run of a system, or a pair of runs, adds to a gain."""

    runs: float  # τ²: the run effect, which all items of the run share
    interaction: float  # ω²: the interaction of units and runs


@dataclass(frozen=True)
class RunVariances:
    """σ²_D, τ² and ω² of a gain over items and runs: its variance is σ²_D/n + Σ τ²/m + Σ ω²/(n·m) (equation 1)."""

    items: float  # σ²_D: the variance over units of the systems' differences
    factors: tuple[RunFactorVariance, ...]  # one per system; a single one for paired runs
    metric: MetricDescription
    basis: str  # the source of the variances, in a sentence
    # n_items, n_units: size of the pilot; 0 without a pilot.
    n_items: int = 0
    n_units: int = 0
    degrees: float = 0.0  # degrees of freedom of the variance over the pilot's units
    n_runs: tuple[int, ...] = ()  # the pilot's runs, one number per factor
    run_sd: RunSd | None = None  # the pilot's standard deviation of a run's score
    spread: tuple[float, float] = (1.0, 1.0)  # factors of the variance between runs at the ends of its 95% interval
    gain: float | None = None  # the pilot's gain
    notes: tuple[str, ...] = ()

    @classmethod
    def of_sds(cls, item_sd: object, run_sd: object, interaction_sd: object = 0.0) -> RunVariances:
        """Return the variances from known standard deviations, the same for both systems.

        σ_D (`item_sd`) is that of the differences between the systems' expected scores per item, τ (`run_sd`) that of
        the score between runs over many items, and ω (`interaction_sd`) that of the interaction of items and runs.
        """
        named = ((opt("item_sd"), item_sd), (opt("run_sd"), run_sd), (opt("interaction_sd"), interaction_sd))
        item, run, both = (_deviation(value, option) for option, value in named)
        if item == run == both == 0:
            what = "expected a standard deviation above 0, got none"
            raise OptionError(Problem(opt("item_sd"), what, "With no variance, one item is enough.", "no-spread"))
        basis = (
            f"Standard deviations: {_shown(item)} of the score differences between items; {_shown(run)} of the "
            f"score between runs; {_shown(both)} of the interaction of items and runs."
        )
        factor = RunFactorVariance(run**2, both**2)
        metric = MetricDescription("mean", higher_is_better=True, as_percentage=False, spec="mean", title="mean")
        return cls(item**2, (factor, factor), metric, basis)

    def units(self, items: int) -> float:
        """Return the number of units, such as clusters, of so many items."""
        return items * self.n_units / self.n_items if self.n_items else float(items)

    def parts(self, items: int, runs: float) -> tuple[float, float, float]:
        """Return the parts of the gain's variance with m runs of each system: items, runs and interaction."""
        n = self.units(items)
        return (
            self.items / n,
            math.fsum(factor.runs for factor in self.factors) / runs,
            math.fsum(factor.interaction for factor in self.factors) / (n * runs),
        )

    def error(self, items: int, runs: float) -> float:
        """Return √V, the standard error of the gain."""
        return math.sqrt(math.fsum(self.parts(items, runs)))

    def estimated(self, items: int, runs: float) -> tuple[float, float]:
        """Return the expected variance of the crossed t test, and its degrees of freedom.

        With few runs it counts the interaction twice: c(m) of `significance.variance.LevelsPart`.
        """
        n = self.units(items)
        item_part, _, interaction = self.parts(items, runs)
        within = item_part + interaction
        if runs == 1:  # with a known standard deviation
            return within + self.parts(items, runs)[1], self._degrees(n)
        share = max(0.0, (runs - 3) / (runs - 1))
        between = [(factor.runs + factor.interaction / n) / runs for factor in self.factors]
        beyond = [
            whole - share * factor.interaction / (n * runs) for whole, factor in zip(between, self.factors, strict=True)
        ]
        variance = within + math.fsum(beyond)
        squares = within**2 / self._degrees(n) + math.fsum(part**2 for part in between) / (runs - 1)
        return variance, variance**2 / squares if squares > 0 else self._degrees(n)

    def _degrees(self, units: float) -> float:
        """Return the degrees of freedom of the variance over units: n − 1, or as many per unit as in the pilot."""
        if not self.n_units or self.degrees >= self.n_units - 1:
            return max(units - 1, 1.0)
        return max(self.degrees * units / self.n_units, 1.0)

    def reach(self, items: int, runs: int, level: Level) -> float:
        """Return the expected half width of the interval of the gain."""
        variance, degrees = self.estimated(items, runs)
        return student_quantile(level.tail, degrees) * math.sqrt(variance)

    def power(self, items: int, runs: float, gain: float, level: Level) -> float:
        """Return the power of the crossed t test, from the noncentral t distribution."""
        true = self.error(items, runs)
        variance, degrees = self.estimated(items, runs)
        if true == 0:
            return float(gain > 0)
        beyond = student_quantile(level.tail, degrees) * math.sqrt(variance) / true
        return _noncentral(gain / true, degrees, beyond, two_sided=level.two_sided)

    def fewest_runs(self, items: int, gain: float, target: float, level: Level) -> int | None:
        """Return the fewest runs of each system with the power; None if no number of runs has it."""
        return _fewest(lambda runs: self.power(items, runs, gain, level) >= target, FEWEST_FOR_VERDICT, _MOST_RUNS)

    def fewest_items(self, runs: int, gain: float, target: float, level: Level) -> int | None:
        """Return the fewest items with the power at this number of runs; None if no number has it."""
        least = 2 if not self.n_units else math.ceil(2 * self.n_items / self.n_units)
        return _fewest(lambda items: self.power(items, runs, gain, level) >= target, least, MOST_ITEMS)

    def scaled(self, factor: float) -> RunVariances:
        """Return a copy with the variance between the pilot's runs times a factor."""
        n = self.n_units
        factors = tuple(
            RunFactorVariance(
                max((variance.runs + variance.interaction / n) * factor - variance.interaction / n, 0.0),
                variance.interaction,
            )
            for variance in self.factors
        )
        return RunVariances(self.items, factors, self.metric, self.basis, self.n_items, n, self.degrees)


def variances_of(scores: Scores) -> RunVariances:
    """Return the variance of a gain from the random runs of a baseline and a candidate on one metric and task.

    Each system needs two runs or more.
    """
    check_pilot(scores)
    design = scores.design
    if design.runs is not RunDesign.RANDOM:
        got = "no runs" if design.runs is None else f"runs {design.runs}"
        what = f"planning new runs needs a pilot with random runs, got {got}"
        raise OptionError(Problem(opt("runs"), what, f"Pass {opt('runs', 'random')}, or leave it out.", "not-random"))
    scores.refuse_test_sets("plans of runs are for one task, got several")
    (baseline, candidate), design = in_canonical_order(scores.rows[0], scores.design)
    crossing = crossing_of(scores.metrics[0], [baseline, candidate], design.units, design)
    assert crossing is not None
    (factor, *others), n_runs = crossing.factors, crossing.n_levels(0)
    for other in others:
        what = f"plans of runs do not support random {other.plural}"
        raise OptionError(Problem(opt(other.plural, "random"), what, f"Pass {opt(other.plural, 'fixed')}.", "not-runs"))
    if min(n_runs) < 2:
        what = f"expected at least two runs of each system, got {' and '.join(map(str, n_runs))}"
        advice = f"Add runs, or pass {opt('item_sd')}, {opt('run_sd')} and {opt('interaction_sd')} instead of a pilot."
        raise OptionError(Problem("pilot", what, advice, "one-run"))
    pair = pair_of(scores.metrics[0], baseline, candidate, design.units, design)
    variance = gain_variance(pair)
    if variance.total == 0:
        what = f"differs from {printable(baseline.name)} on no unit of any run, or by the same amount on all"
        raise OptionError(Problem(printable(candidate.name), what, "Use two systems that differ.", "no-spread"))
    n = variance.n_units
    factors = tuple(
        RunFactorVariance(factor.beyond_interaction * factor.n_levels, factor.interaction * n * factor.n_levels)
        for factor in variance.factors
    )
    return RunVariances(
        variance.components[0] * n,
        factors,
        describe_metric(scores.metrics[0]),
        _basis(scores, n, n_runs, paired=factor.is_shared),
        design.n_items,
        n,
        variance.degrees,
        tuple(factor.n_levels for factor in variance.factors),
        _run_sd(variance),
        _spread(variance),
        pair.gain,
        scores.notes,
    )


def _basis(scores: Scores, n_units: int, n_runs: Sequence[int], *, paired: bool) -> str:
    units = "" if n_units == scores.design.n_items else f" in {format_count(n_units)} clusters"
    baseline, candidate = scores.names
    return (
        f"A pilot of {format_count(scores.design.n_items)} items{units}: {printable(candidate)} ({n_runs[1]} runs) "
        f"against {printable(baseline)} ({n_runs[0]} runs{', paired' if paired else ''}), {scores.metrics[0].name}."
    )


def _run_sd(variance: GainVariance) -> RunSd:
    estimate, degrees = variance.level_sd("run")
    low, high = sd_factors(degrees, 0.05)
    return RunSd(estimate, estimate * low, estimate * high)


def _spread(variance: GainVariance) -> tuple[float, float]:
    """Return the ends of the 95% interval of the variance between runs, relative to the estimate."""
    between = [(factor.between * factor.n_levels, factor.degrees) for factor in variance.factors]
    whole = math.fsum(part for part, _ in between)
    if whole == 0:
        return 1.0, 1.0
    degrees = whole**2 / math.fsum(part**2 / its_degrees for part, its_degrees in between)
    low, high = sd_factors(degrees, 0.05)
    return low**2, high**2


def plan_of_runs(
    variances: RunVariances,
    gain: float | str,
    items: int | Iterable[int] | None = None,
    *,
    target: float | str = 0.8,
    level: Level | None = None,
    cost_item: float | str | None = None,
    cost_run: float | str | None = None,
    runs: Sequence[int] = DEFAULT_RUNS,
    seed: int | None = None,
) -> RunsPlan:
    """Return the runs of each system needed for a gain: `outscore.plan_runs` for variances.

    Intervals are for the numbers in `runs`. `seed` is the one with which the variances were drawn, if any.
    """
    level = level_of(level)
    wanted = level.target(target)
    metric = variances.metric
    size = score_gain(gain, opt("gain"), metric=metric.name, is_share=metric.as_percentage)
    if not 0 < size < math.inf:
        raise OptionError(Problem(opt("gain"), f"expected a positive gain, got {size:g}", "", "out-of-range"))
    if items is None:
        if not variances.n_items:
            what = "expected sizes of test sets, as there is no pilot"
            raise OptionError(Problem(opt("items"), what, "Pass one or more.", "missing-items"))
        sizes = [times * variances.n_items for times in _TIMES]
    else:
        sizes = sizes_of(items)
    for n in sizes:
        if variances.units(n) < 2:
            what = f"{format_count(n)} items are {variances.units(n):.2g} of the pilot's clusters, expected 2"
            raise OptionError(Problem(opt("items"), what, "", "out-of-range"))

    def find(assumed: RunVariances, n: int) -> int | None:
        return assumed.fewest_runs(n, size, wanted, level)

    ends = [variances.scaled(factor) for factor in variances.spread] if variances.n_runs else []
    rows = []
    for n in sizes:
        fewest = find(variances, n)
        open_ = [find(end, n) for end in ends] or [None, None]
        power = None if fewest is None else variances.power(n, fewest, size, level)
        rows.append(RunsRow(n, fewest, power, open_[0], open_[1], _by_normal_law(variances, n, size, wanted, level)))
    cells = []
    for n in sizes:
        for m in runs:
            parts = variances.parts(n, m)
            whole = math.fsum(parts)
            power = variances.power(n, m, size, level) if m >= FEWEST_FOR_VERDICT else None
            reach = variances.reach(n, m, level)
            shares = [part / whole for part in parts] if whole > 0 else [0.0, 0.0, 0.0]
            cells.append(RunsCell(n, m, math.sqrt(whole), reach, power, *shares))
    needed = tuple(
        ItemsOfRuns(m, variances.fewest_items(m, size, wanted, level)) for m in runs if m >= FEWEST_FOR_VERDICT
    )
    return RunsPlan(
        basis=variances.basis,
        metric=metric,
        alternative=level.alternative,
        alpha=level.alpha,
        comparisons=level.comparisons,
        target=wanted,
        gain=size,
        paired=len(variances.factors) == 1,
        rows=tuple(rows),
        intervals=tuple(cells),
        items_needed=needed,
        item_sd=math.sqrt(variances.items),
        run_effect_sd=math.sqrt(math.fsum(factor.runs for factor in variances.factors) / len(variances.factors)),
        interaction_sd=math.sqrt(
            math.fsum(factor.interaction for factor in variances.factors) / len(variances.factors)
        ),
        run_sd=variances.run_sd,
        cheapest=_cheapest(variances, cost_item, cost_run, size, wanted, level),
        notes=tuple(_notes(variances, size, ends)),
        seed=seed,
        version=__version__,
        signature=joined(
            plan="runs",
            tests="crossed-t",
            alternative=level.alternative.value,
            alpha=f"{level.alpha:g}",
            comparisons=level.comparisons,
            power=f"{wanted:g}",
            gain=f"{size:.12g}",
            runs="random",
            paired="yes" if len(variances.factors) == 1 else "no",
            m=",".join(map(str, variances.n_runs)) or None,
            seed=seed,
            metric=encoded(metric.spec),
            version=__version__,
        ),
    )


def _notes(variances: RunVariances, gain: float, ends: Sequence[RunVariances]) -> list[str]:
    notes = [*variances.notes]
    if ends and min(variances.n_runs) < _FEW_RUNS:
        low, high = variances.spread
        few = min(variances.n_runs)
        notes.append(
            f"The variance between runs is estimated from {few} runs: it may be {low:.2g} to {high:.3g} times as "
            "large (95%, normal runs). The range of runs needed reflects this."
        )
    if variances.n_runs and all(factor.runs == 0 for factor in variances.factors):
        notes.append(
            "The pilot's runs vary no more than expected by chance from their items. That does not prove that "
            "runs never vary."
        )
    if variances.n_runs and variances.items == 0:
        notes.append(
            "The pilot's items vary no more than expected from their runs. By chance, more items seem to add "
            "no precision."
        )
    if variances.gain is not None and math.isclose(gain, variances.gain, rel_tol=5e-3):
        notes.append(OWN_GAIN)
    return notes


def _noncentral(shift: float, degrees: float, beyond: float, *, two_sided: bool) -> float:
    """Return P(T > c), or P(|T| > c), of the noncentral t distribution: E Φ(shift − c·√(χ²/ν)) by quadrature.

    SciPy's function is NaN in the far tail.
    """
    from scipy.special import chdtri, ndtr

    levels, weights = quadrature()
    scale = beyond * np.sqrt(chdtri(degrees, levels) / degrees)
    power = weights @ ndtr(shift - scale) + (weights @ ndtr(-shift - scale) if two_sided else 0.0)
    return min(float(power), 1.0)


def _fewest(is_enough: Callable[[int], bool], least: int, most: int) -> int | None:
    """Return the smallest sufficient number, by doubling and halving; None if it is beyond the limit."""
    low, high = least - 1, least
    while not is_enough(high):
        if high >= most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def _by_normal_law(variances: RunVariances, items: int, gain: float, target: float, level: Level) -> float | None:
    """Return (Σ τ² + Σ ω²/n)/(SE² − σ²_D/n) with SE = δ/(z_α + z_power): the runs if all variances were known."""
    error = gain / (normal_quantile(level.tail) + normal_quantile(1 - target))
    item_part, run_part, interaction = variances.parts(items, 1)
    left = error**2 - item_part
    return (run_part + interaction) / left if left > 0 else None


def _cheapest(
    variances: RunVariances, cost_item: object, cost_run: object, gain: float, target: float, level: Level
) -> CheapestRuns | None:
    """Return the cheapest numbers of items and runs that have the power; None without costs."""
    if cost_item is None and cost_run is None:
        return None
    if cost_item is None or cost_run is None:
        lacking = opt("cost_item") if cost_item is None else opt("cost_run")
        what = "expected the cost of an item and that of a run of each system, got only one"
        raise OptionError(Problem(lacking, what, "Pass both, in the same unit.", "usage"))
    item, run = _cost(cost_item, opt("cost_item")), _cost(cost_run, opt("cost_run"))
    run_variance = math.fsum(factor.runs for factor in variances.factors)
    ratio = math.sqrt(variances.items / item) / math.sqrt(run_variance / run) if run_variance > 0 else None
    best: tuple[float, int, int] | None = None
    rises, last = 0, math.inf
    for m in range(FEWEST_FOR_VERDICT, _MOST_RUNS):
        if (best is not None and run * m >= best[0]) or rises >= _RISES:
            break
        n = variances.fewest_items(m, gain, target, level)
        if n is None:
            if best is None and variances.power(MOST_ITEMS, _MOST_RUNS, gain, level) < target:
                break
            continue
        whole = item * n + run * m
        rises, last = (rises + 1 if whole > last else 0), whole
        if best is None or whole < best[0]:
            best = (whole, n, m)
    if best is None:
        return CheapestRuns(None, None, None, ratio)
    return CheapestRuns(best[1], best[2], best[0], ratio)


def _cost(value: object, option: str) -> float:
    cost = number(value, option)
    if not 0 < cost < math.inf:
        raise OptionError(Problem(option, f"expected a positive cost, got {cost:g}", "", "out-of-range"))
    return cost


def _deviation(value: object, option: str) -> float:
    sd = number(value, option)
    if not 0 <= sd < math.inf:
        raise OptionError(
            Problem(option, f"expected a standard deviation of 0 or more, got {sd:g}", "", "out-of-range")
        )
    return sd


def _shown(sd: float) -> str:
    return format_exactly(float(f"{sd:.6g}"))
