"""Power by simulation: test sets drawn from a pilot, with the tests themselves run on some as a check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np

from outscore._types import AnyArray, BoolArray, FloatArray
from outscore.data.strata import members_of, shared_out
from outscore.errors import OptionError, Problem
from outscore.gains.gain_laws import GainLaws, Hypothesis
from outscore.gains.pair import Pair
from outscore.laws.executors import executor_of, mapped, task_size
from outscore.laws.law import clopper_pearson
from outscore.laws.resampling import Progress
from outscore.laws.resampling.schemes import SHARD, shard_stream
from outscore.options import opt
from outscore.questions.claims import hypotheses_of
from outscore.results import Ties
from outscore.significance import Resampling, SignificanceTest
from outscore.significance.base import DecidesDraws
from outscore.significance.registry import test_named
from outscore.significance.simulated import SimulatedSets
from outscore.text.numbers import format_count
from outscore.wings.planning.levels import Level, Margin
from outscore.wings.planning.results import Power, PowerCheck

if TYPE_CHECKING:
    from concurrent.futures import Executor

_STREAM = 7  # the key of these draws among those that share a seed
_BLOCK_CELLS = 2**17  # weights per block, so that intermediate results stay in the L2 cache
_N_RESAMPLES = 2_000


@dataclass(frozen=True)
class Simulation:
    """How test sets are simulated."""

    n_sets: int = 4_000  # number of test sets per power
    seed: int = 12345  # random seed, at least 0
    n_checks: int = 0  # number of test sets on which the tests themselves are run, to check the approximation
    executor: Executor | None = None  # where sets are drawn, as for `outscore.pilot`; results do not depend on it
    progress: Progress | None = None  # called with the number of finished sets and the total

    def __post_init__(self) -> None:
        object.__setattr__(self, "executor", executor_of(self.executor))
        for option, value, least, most in (
            (opt("n_sets"), self.n_sets, 100, 10**6),
            (opt("n_checks"), self.n_checks, 0, self.n_sets),
            (opt("seed"), self.seed, 0, 10**40),
        ):
            if not (isinstance(value, Integral) and least <= value <= most):
                what = f"expected a whole number from {format_count(least)} to {format_count(most)}, got {value}"
                raise OptionError(Problem(option, what, "", "out-of-range"))
        for name in ("n_sets", "seed", "n_checks"):  # NumPy integers are not JSON
            object.__setattr__(self, name, int(getattr(self, name)))


def simulated_powers(
    tests: Sequence[DecidesDraws],
    pair: Pair,
    tilted: FloatArray,
    units: int,
    gain: float | None,
    level: Level,
    simulation: Simulation,
) -> list[Power]:
    """Return the powers of tests on sets of `units` units, drawn with probabilities `tilted`. Claims have no gain."""
    n_shards = -(-simulation.n_sets // SHARD)
    alone = replace(simulation, executor=None, progress=None)  # objects that can be sent to a process
    step = task_size(simulation.executor, n_shards, 1)
    tasks = [range(start, min(start + step, n_shards)) for start in range(0, n_shards, step)]
    work = partial(_shards, pair, tests, tilted, units, level, alone)
    gains: list[FloatArray] = []
    decisions: list[list[BoolArray]] = [[] for _ in tests]
    checks = [PowerCheck(0, 0, 0) for _ in tests]
    for shard, part in enumerate(chain.from_iterable(mapped(simulation.executor, work, tasks))):
        gains.append(part.gains)
        for j in range(len(tests)):
            decisions[j].append(part.decisions[j])
            checks[j] = _added(checks[j], part.checks[j])
        if simulation.progress is not None:
            simulation.progress(min((shard + 1) * SHARD, simulation.n_sets), simulation.n_sets)
    every = np.concatenate(gains)
    return [_power(np.concatenate(part), every, gain, check) for part, check in zip(decisions, checks, strict=True)]


@dataclass(frozen=True, eq=False)
class _Part:
    gains: FloatArray
    decisions: list[BoolArray]
    checks: list[PowerCheck]


def _shards(
    pair: Pair,
    tests: Sequence[DecidesDraws],
    tilted: FloatArray,
    units: int,
    level: Level,
    simulation: Simulation,
    shards: Sequence[int],
) -> list[_Part]:
    return [_shard(pair, tests, tilted, units, level, simulation, shard) for shard in shards]


def _shard(
    pair: Pair,
    tests: Sequence[DecidesDraws],
    tilted: FloatArray,
    units: int,
    level: Level,
    simulation: Simulation,
    shard: int,
) -> _Part:
    count = min(SHARD, simulation.n_sets - shard * SHARD)
    gains: list[FloatArray] = []
    decisions: list[list[BoolArray]] = [[] for _ in tests]
    checks = [PowerCheck(0, 0, 0) for _ in tests]
    first = shard * SHARD
    for weights in _drawn(shard_stream(simulation.seed, _STREAM, shard), count, units, tilted, pair.strata):
        sets = SimulatedSets(pair, weights)
        gains.append(sets.gains)
        checked = weights[: max(0, min(len(weights), simulation.n_checks - first))]
        for j, test in enumerate(tests):
            significant = test.decides_draws(sets, level.per_comparison, two_sided=level.two_sided)
            decisions[j].append(significant)
            if len(checked):
                seed = simulation.seed + first
                more = _check(test, pair, checked, significant[: len(checked)], level, seed)
                checks[j] = _added(checks[j], more)
        first += len(weights)
    return _Part(np.concatenate(gains), [np.concatenate(part) for part in decisions], checks)


def _drawn(
    stream: np.random.Generator, count: int, units: int, tilted: FloatArray, strata: AnyArray | None
) -> Iterator[FloatArray]:
    """Yield weights of test sets with the proportions of strata kept, in blocks that bound memory."""
    members = [np.arange(len(tilted))] if strata is None else members_of(strata)
    sizes = shared_out(np.array([len(part) for part in members]), units)
    height = max(1, _BLOCK_CELLS // len(tilted))
    for top in range(0, count, height):
        drawn = np.empty((min(height, count - top), len(tilted)))
        for part, size in zip(members, sizes, strict=True):
            drawn[:, part] = stream.multinomial(size, tilted[part] / tilted[part].sum(), size=len(drawn))
        yield drawn


def _added(first: PowerCheck, second: PowerCheck) -> PowerCheck:
    return PowerCheck(first.n_sets + second.n_sets, first.n_more + second.n_more, first.n_fewer + second.n_fewer)


def _power(significant: BoolArray, gains: FloatArray, gain: float | None, check: PowerCheck) -> Power:
    """Return the power; claims with a margin have no type S and type M errors."""
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


def _significant(test: DecidesDraws, pair: Pair, weights: FloatArray, level: Level, seed: int) -> bool:
    """Return whether a test is significant on the test set that contains unit i weights[i] times.

    A test without an exact distribution draws 2,000 resamples, a simulation within the simulation.
    """
    index = np.repeat(np.arange(pair.n_units), weights.astype(np.int64))
    strata = None if pair.strata is None else pair.strata[index]
    drawn = Pair(pair.metric, pair.baseline[index], pair.candidate[index], strata)
    laws = GainLaws([drawn], Resampling(n_resamples=_N_RESAMPLES, seed=seed))
    run: object = test
    hypotheses: Sequence[Hypothesis] = [Hypothesis(level.alternative)]
    if isinstance(test, Margin):
        run, hypotheses = test_named(test.test), hypotheses_of(test.claim, level.alternative, test.size, Ties.COUNT)
    assert isinstance(run, SignificanceTest)
    p_values = [run.p_value(drawn, laws, hypothesis) for hypothesis in hypotheses]
    if any((p.sign or 0) * drawn.gain < 0 for p in p_values):
        return False  # no verdict: the mean points the other way
    return all(p.value <= level.per_comparison for p in p_values)


def _check(
    test: DecidesDraws, pair: Pair, weights: FloatArray, decisions: BoolArray, level: Level, seed: int
) -> PowerCheck:
    """Compare decisions, shape (b,), with those of the test itself on the same sets, weights of shape (b, n)."""
    itself = np.array([_significant(test, pair, row, level, seed + i) for i, row in enumerate(weights)])
    return PowerCheck(len(weights), int((itself & ~decisions).sum()), int((decisions & ~itself).sum()))
