"""A pilot as the population: two systems' rows of any metric, drawn from to make test sets of other sizes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from numbers import Integral

import numpy as np

from outscore._types import AnyArray, BoolArray, FloatArray
from outscore.design import Units
from outscore.errors import DataError, OptionError, Problem
from outscore.given import wrong
from outscore.metrics import Metric, metric_named
from outscore.metrics.specs import describe_metric
from outscore.numbers import format_count, score_format
from outscore.planning import decisions as deciding
from outscore.planning import right_or_wrong
from outscore.planning.checking import check_decisions
from outscore.planning.levels import Level
from outscore.planning.margins import Margin, exact_margin_power
from outscore.planning.populations import INDEPENDENCE, Observed, Population
from outscore.planning.tilting import Tilting, worth
from outscore.resampling import Progress
from outscore.resampling.engine import shards_a_task
from outscore.resampling.streams import SHARD, shard_stream
from outscore.results import MetricDescription
from outscore.results.plans import Power, PowerCheck
from outscore.rows import Rows
from outscore.significance import Bootstrap, Randomization, SignificanceTest
from outscore.significance.base import Question
from outscore.significance.p_values import clopper_pearson
from outscore.significance.pair import Pair
from outscore.significance.score_test import reach_of
from outscore.strata import members_of, shared_out

__all__ = ["Pilot", "Simulation", "pilot_of"]

_STREAM = 7  # the key of these draws among those that share a seed
_BLOCK_CELLS = 2**17  # weights at once: what is computed from them stays in the L2 cache
_MOST_UNITS = 10**7
_FEWEST_UNITS = 2
_FAR = 0.5  # of the pilot's units
# Units on which the systems differ: with 10, detectable gains of BLEU and F1 were off by a factor of 0.45 to 1.7 (90%
# of pilots drawn from real ones), with 50 by one of 0.73 to 1.47, and fewer still may make any gain look detectable.
_FEWEST_DIFFERING, _FEW_DIFFERING = 10, 50
# Units that carry the spread: with 3, the standard error is 58% of the variance, and so of the items needed. More may
# not be asked for: of pilots from one heavy-tailed population, those with many effective units have missed its tail.
_FEWEST_EFFECTIVE = 3.0


# What `benchmarks/pilot_optimism.py` measures.
OPTIMISM = (
    "A pilot cannot tell of large differences that it has not met. Where 80% power was promised, test sets "
    "planned from pilots of 30, 100 and 300 units had 79%, 80% and 80% on average with normal differences, 73%, "
    "79% and 81% with heavy tails (t, 3 degrees of freedom), and 69%, 75% and 77% where large losses are rare "
    "(lognormal)."
)


@dataclass(frozen=True)
class Simulation:
    """How test sets are simulated.

    Attributes
    ----------
    n_sets : int
        Test sets for every power.
    seed : int
        Non-negative.
    n_checks : int
        On how many of them the tests themselves are run, to check the shortcut.
    executor : concurrent.futures.Executor, optional
        Where sets are drawn; results do not depend on it.
    progress : callable, optional
        Told how many sets are done, and of how many.
    """

    n_sets: int = 4_000
    seed: int = 12345
    n_checks: int = 0
    executor: Executor | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        if self.executor is not None and not callable(getattr(self.executor, "map", None)):
            raise wrong("executor", "a concurrent.futures.Executor", self.executor)
        for option, value, least, most in (
            ("--n-sets", self.n_sets, 100, 10**6),
            ("--checks", self.n_checks, 0, self.n_sets),
            ("--seed", self.seed, 0, 10**40),
        ):
            if not (isinstance(value, Integral) and least <= value <= most):
                what = f"expected a whole number from {format_count(least)} to {format_count(most)}, got {value}"
                raise OptionError(Problem(option, what, "", "out-of-range"))
        for name in ("n_sets", "seed", "n_checks"):  # NumPy's whole numbers are no JSON
            object.__setattr__(self, name, int(getattr(self, name)))


@dataclass(frozen=True, eq=False)
class Pilot(Population):
    """Test sets to come, as draws with replacement from the units of a pilot.

    A test set of m units is m draws from the pilot's rows, clusters whole; another true gain than the pilot's own is
    given to it by tilting (see `Tilting`), so that what one unit differs from the next by stays that of real systems.
    On every simulated set the test's decision is found from weighted moments (see `decisions`). Of items that are
    right or wrong, one by one, powers are exact instead.

    Parameters
    ----------
    pair : Pair
        Of units: items, or clusters with their rows summed.
    n_items : int
        Items in all units.
    names : tuple of (str, str)
        Of baseline and candidate.
    simulation : Simulation
    remarks : tuple of str
        What was done to the items or their strata.
    """

    pair: Pair
    n_items: int
    names: tuple[str, str] = ("baseline", "candidate")
    simulation: Simulation = field(default_factory=Simulation)
    remarks: tuple[str, ...] = ()

    default_tests = (Bootstrap(), Randomization())

    @property
    def metric(self) -> MetricDescription:  # type: ignore[override]
        return describe_metric(self.pair.metric)

    @property
    def seed(self) -> int | None:  # type: ignore[override]
        return None if self._binary else self.simulation.seed

    @property
    def n_sets(self) -> int | None:  # type: ignore[override]
        return None if self._binary else self.simulation.n_sets

    @property
    def observed(self) -> Observed:  # type: ignore[override]
        pair, percentage = self.pair, self.pair.metric.as_percentage
        # The normal interval, which is about as wide as the one that a comparison rounds by.
        width = 2 * 1.96 * self._tilting.spread / math.sqrt(pair.n_units)
        scores = [pair.baseline_score, pair.candidate_score]
        shown = score_format(scores, [width], [pair.gain], percentage=percentage, add_up=True)
        return Observed(self.n_items, pair.gain, shown.decimals + 2 * percentage)

    @cached_property
    def _binary(self) -> bool:
        return self.pair.binary and self.pair.n_units == self.n_items and self.pair.strata is None

    @cached_property
    def fewest_units(self) -> int:  # type: ignore[override]
        """The least number of units of which every stratum has two, at its share."""
        if self.pair.strata is None:
            return _FEWEST_UNITS
        sizes = np.bincount(self.pair.strata)
        least = _FEWEST_UNITS * len(sizes)
        while shared_out(sizes, least).min() < _FEWEST_UNITS:
            least += 1
        return least

    @cached_property
    def _reach(self) -> tuple[float, float]:
        return reach_of(self.pair)

    @cached_property
    def _tilting(self) -> Tilting:
        return Tilting(self.pair)

    def describe(self) -> str:
        units = "" if self.pair.n_units == self.n_items else f" in {format_count(self.pair.n_units)} clusters"
        return (
            f"A pilot of {format_count(self.n_items)} items{units}{self._in_strata}: {self.names[1]} against "
            f"{self.names[0]}, {self.pair.metric.name}."
        )

    @property
    def _in_strata(self) -> str:
        if self.pair.strata is None:
            return ""
        return f", in {format_count(int(self.pair.strata.max()) + 1)} strata, whose shares test sets keep"

    def notes(self, gains: Sequence[float]) -> Sequence[str]:
        n = self.pair.n_units
        error = math.sqrt((_kurtosis(self._tilting.influence) - 1) / (4 * n))
        units = format_count(n)
        found = [
            *self.remarks,
            f"The pilot's {units} units tell the spread of the gain to within about ±{200 * error:.0f}% (two standard "
            "errors), and with it the detectable gain; items needed to within twice that.",
        ]
        found.append(OPTIMISM)
        if self.pair.n_differing < _FEW_DIFFERING:
            found.append(
                f"The systems differ on {self.pair.n_differing} of these units only. So few may tell half of the "
                "spread, or half as much again, whatever their error says: take a larger pilot."
            )
        farthest = min(worth(self._tilting.to(gain)) for gain in gains)
        if farthest < _FAR * self.pair.n_units:
            found.append(
                f"The gain asked for is far from the pilot's own: what is told rests on units worth {farthest:.0f} of "
                f"its {units}."
            )
        return found

    def obstacle(self, test: SignificanceTest) -> str | None:
        if test.assumes_independence:
            return INDEPENDENCE
        if not deciding.knows(test):
            return "is not known to planning"
        return test.obstacle(self.pair, Question())

    def units(self, items: int) -> int:
        units = round(items * self.pair.n_units / self.n_items)
        if _FEWEST_UNITS <= units < self.fewest_units:
            what = (
                f"{format_count(items)} items are {format_count(units)} units, expected at least "
                f"{format_count(self.fewest_units)}: of fewer, the smallest of the pilot's strata would not have 2"
            )
            raise OptionError(Problem("--items", what, "Collapse strata, or plan more items.", "out-of-range"))
        if not _FEWEST_UNITS <= units <= _MOST_UNITS:
            what = f"{format_count(items)} items are {format_count(units)} of the pilot's units, expected 2 to 10^7"
            raise OptionError(Problem("--items", what, "", "out-of-range"))
        return units

    def largest_gain(self) -> float:
        return self._tilting.gain(self._tilting.steepest)

    def deviation(self, gain: float) -> float:
        variance = self._tilting.variance(self._tilting.to(min(gain, self.largest_gain())))
        return self._tilting.spread * math.sqrt(max(variance, 1.0) * self.n_items / self.pair.n_units)

    def powers(self, tests: Sequence[SignificanceTest], items: int, gain: float, level: Level) -> list[Power]:
        self.check_gain(gain)
        tilted = self._tilting.to(gain)
        units = self._worth_units(self.units(items), tilted)
        if self._binary and self.pair.linear is not None:
            d = self.pair.linear.d
            helped, hurt = float(tilted[d > 0].sum()), float(tilted[d < 0].sum())
            return [right_or_wrong.exact_power(test, units, helped, hurt, level) for test in tests]
        return self._simulated(tests, tilted, units, gain, level)

    def margin_power(self, margin: Margin, items: int, gain: float, level: Level) -> Power:
        margin.check(gain)
        tilted = self._tilting.to(gain)
        units = self._worth_units(self.units(items), tilted)
        if self._binary and self.pair.linear is not None and margin.size < 1:
            d = self.pair.linear.d
            return exact_margin_power(units, float(tilted[d > 0].sum()), float(tilted[d < 0].sum()), margin, level)
        return self._simulated([replace(margin, reach=self._reach)], tilted, units, gain, level)[0]

    def _worth_units(self, units: int, tilted: FloatArray) -> int:
        """Return how many units to draw for a test set of so many, so that its gain spreads as much as the pilot's.

        Tilting makes the units rarer that pulled the pilot's gain away from the one asked for, most of all a few large
        ones, which are what the spread comes from: a smaller spread is no finding, and fewer units undo it.
        """
        return max(self.fewest_units, round(units * min(self._tilting.variance(tilted), 1.0)))

    def _simulated(
        self, tests: Sequence[SignificanceTest | Margin], tilted: FloatArray, units: int, gain: float, level: Level
    ) -> list[Power]:
        simulation = self.simulation
        n_shards = -(-simulation.n_sets // SHARD)
        alone = replace(simulation, executor=None, progress=None)  # what a process can be sent
        step = shards_a_task(simulation.executor, n_shards, 1)
        tasks = [range(start, min(start + step, n_shards)) for start in range(0, n_shards, step)]
        work = partial(_shards, self.pair, tests, tilted, units, level, alone)
        run = map if simulation.executor is None else simulation.executor.map
        gains: list[FloatArray] = []
        found: list[list[BoolArray]] = [[] for _ in tests]
        checks = [PowerCheck(0, 0, 0) for _ in tests]
        for shard, part in enumerate(chain.from_iterable(run(work, tasks))):
            gains.append(part.gains)
            for j in range(len(tests)):
                found[j].append(part.found[j])
                checks[j] = _added(checks[j], part.checks[j])
            if simulation.progress is not None:
                simulation.progress(min((shard + 1) * SHARD, simulation.n_sets), simulation.n_sets)
        every = np.concatenate(gains)
        return [
            _power(np.concatenate(part), every, None if isinstance(test, Margin) else gain, check)
            for test, part, check in zip(tests, found, checks, strict=True)
        ]


def pilot_of(
    metric: Metric | str,
    baseline: Rows,
    candidate: Rows,
    *,
    clusters: AnyArray | None = None,
    strata: AnyArray | None = None,
    simulation: Simulation | None = None,
    remarks: Sequence[str] = (),
) -> Pilot:
    """Return the population that two systems' rows, aligned item by item, are a pilot of.

    Parameters
    ----------
    metric : Metric or str
        A metric, or the name of one of columns.
    baseline, candidate : Rows
        Of that metric, shape (n, k) each, as `outscore.rows.align` leaves them.
    clusters : ndarray of int, shape (n,), optional
        Codes; their rows are summed, and clusters are drawn whole.
    strata : ndarray of int, shape (n,), optional
        Codes; test sets keep the strata's shares of the units.
    simulation : Simulation, optional
    remarks : sequence of str
        What the caller has to say about the data.

    Raises
    ------
    OptionError
        Rows that are not the metric's, or not paired; a cluster code too many or too few; an unknown metric.
    DataError
        Systems that score the same on every unit, or differ on fewer than 10, or whose spread is that of fewer than 3
        effective units: they tell nothing of the spread. Fewer than two clusters, or
        a stratum of one.
    """
    metric = metric_named(metric) if isinstance(metric, str) else metric
    _check_rows(metric, baseline, candidate, clusters, strata)
    units = Units(len(baseline), clusters, strata)
    pair = Pair(metric, units.sums(baseline.values), units.sums(candidate.values), units.strata)
    pilot = Pilot(pair, len(baseline), (baseline.name, candidate.name), simulation or Simulation(), tuple(remarks))
    if not pilot._tilting.influence.any():
        raise DataError(
            Problem(
                candidate.name,
                f"differs from {baseline.name} on no unit, or on all alike: such a pilot tells nothing of the spread",
                "Take two systems that differ.",
                "no-spread",
            )
        )
    if pair.n_differing < _FEWEST_DIFFERING:
        what = (
            f"expected a pilot in which the systems differ on at least {_FEWEST_DIFFERING} {units.name}s, got "
            f"{pair.n_differing} of {pair.n_units}: fewer tell next to nothing of the spread"
        )
        raise DataError(Problem(candidate.name, what, "Take a larger pilot.", "small-pilot"))
    effective = pilot._tilting.effective_units
    if effective < _FEWEST_EFFECTIVE:
        what = (
            f"expected a pilot whose spread at least {_FEWEST_EFFECTIVE:.0f} effective units carry, got "
            f"{effective:.1f} of {pair.n_units} units: a few large differences make it, and more may be to come"
        )
        raise DataError(Problem(candidate.name, what, "Take a larger pilot.", "few-effective-units"))
    return pilot


def _check_rows(
    metric: Metric, baseline: Rows, candidate: Rows, clusters: AnyArray | None, strata: AnyArray | None
) -> None:
    wide = len(metric.statistics)
    for rows in (baseline, candidate):
        if np.ndim(rows.values) != 2 or rows.values.shape[1] != wide:
            what = f"expected rows of {metric.name}, shape (n, {wide}), got shape {np.shape(rows.values)}"
            raise OptionError(Problem(rows.name, what, "The metric makes them: rows_of.", "wrong-shape"))
    if len(candidate) != len(baseline):
        what = f"expected as many rows as {baseline.name} has, {len(baseline)}, got {len(candidate)}"
        raise OptionError(Problem(candidate.name, what, "Pair them by outscore.rows.align.", "wrong-shape"))
    for name, codes in (("clusters", clusters), ("strata", strata)):
        if codes is not None and np.shape(codes) != (len(baseline),):
            what = f"expected a code for each of {len(baseline)} items, got shape {np.shape(codes)}"
            raise OptionError(Problem(name, what, "", "wrong-shape"))


def _kurtosis(influence: FloatArray) -> float:
    """Return the kurtosis of standardized values without the bias of few; at least 3, a normal law's.

    That of a few values is small by chance, and never more than their number: they would seem to tell the spread
    better than they do.
    """
    n = len(influence)
    excess = float((influence**4).mean()) - 3
    return 3 + max((n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * excess + 6), 0.0)


@dataclass(frozen=True, eq=False)
class _Part:
    gains: FloatArray
    found: list[BoolArray]
    checks: list[PowerCheck]


def _shards(
    pair: Pair,
    tests: Sequence[SignificanceTest | Margin],
    tilted: FloatArray,
    units: int,
    level: Level,
    simulation: Simulation,
    shards: Sequence[int],
) -> list[_Part]:
    return [_shard(pair, tests, tilted, units, level, simulation, shard) for shard in shards]


def _shard(
    pair: Pair,
    tests: Sequence[SignificanceTest | Margin],
    tilted: FloatArray,
    units: int,
    level: Level,
    simulation: Simulation,
    shard: int,
) -> _Part:
    count = min(SHARD, simulation.n_sets - shard * SHARD)
    gains: list[FloatArray] = []
    found: list[list[BoolArray]] = [[] for _ in tests]
    checks = [PowerCheck(0, 0, 0) for _ in tests]
    first = shard * SHARD
    for weights in _drawn(shard_stream(simulation.seed, _STREAM, shard), count, units, tilted, pair.strata):
        sets = deciding.TestSets(pair, weights)
        gains.append(sets.gains)
        checked = weights[: max(0, min(len(weights), simulation.n_checks - first))]
        for j, test in enumerate(tests):
            if isinstance(test, Margin):
                significant = test.decisions(sets, level)
            else:
                significant = deciding.decisions(test, sets, level)
            found[j].append(significant)
            if len(checked):
                seed = simulation.seed + first
                more = check_decisions(test, pair, checked, significant[: len(checked)], level, seed)
                checks[j] = _added(checks[j], more)
        first += len(weights)
    return _Part(np.concatenate(gains), [np.concatenate(part) for part in found], checks)


def _drawn(
    stream: np.random.Generator, count: int, units: int, tilted: FloatArray, strata: AnyArray | None
) -> Iterator[FloatArray]:
    """Yield weights of test sets, strata keeping their shares, block by block so that memory stays bounded."""
    members = [np.arange(len(tilted))] if strata is None else members_of(strata)
    sizes = shared_out(np.array([len(part) for part in members]), units)
    height = max(1, _BLOCK_CELLS // len(tilted))
    for top in range(0, count, height):
        drawn = np.empty((min(height, count - top), len(tilted)))
        for part, size in zip(members, sizes, strict=True):
            drawn[:, part] = stream.multinomial(size, tilted[part] / tilted[part].sum(), size=len(drawn))
        yield drawn


def _added(one: PowerCheck, other: PowerCheck) -> PowerCheck:
    return PowerCheck(one.n_sets + other.n_sets, one.n_more + other.n_more, one.n_fewer + other.n_fewer)


def _power(significant: BoolArray, gains: FloatArray, gain: float | None, check: PowerCheck) -> Power:
    """Return the power; without a gain, of a claim that is not one, errors of type S and M have no meaning."""
    n_sets, hits = len(significant), int(significant.sum())
    low, high = clopper_pearson(hits, n_sets, 0.95)
    wrong = int((significant & (gains < 0)).sum())
    return Power(
        value=hits / n_sets,
        low=low,
        high=high,
        type_s=wrong / hits if hits and gain is not None else None,
        type_m=float(np.abs(gains[significant]).mean()) / gain if hits and gain is not None else None,
        reversed=float((gains < 0).mean()),
        computation=f"{format_count(n_sets)} simulated test sets",
        n_sets=n_sets,
        check=check if check.n_sets else None,
    )
