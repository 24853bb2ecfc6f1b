"""What docs/calibration.md measures: one task per cell, each a function of a number of data sets."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from math import comb
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import gate_sequential
import numpy as np
from scipy.stats import multinomial
from tests.calibration import (
    arenas,
    boards,
    chosen,
    default,
    new_runs,
    nulls,
    own_scores,
    populations,
    real,
    two_samples,
)
from tests.calibration.margins import passing, size
from tests.calibration.measuring import (
    GREATER,
    INDEPENDENT,
    LESS,
    TWO_SIDED,
    Ask,
    Measured,
    measure,
    sacrebleu_p_values,
)
from tests.calibration.runs import Procedures
from tests.calibration.sets import FloatArray, Sets, exact_p_values, of_binary, of_means, rejected

import outscore
from outscore.gains.gain_laws import GainLaws, Hypothesis
from outscore.gains.pair import Pair
from outscore.laws.student import student_p_values
from outscore.results import Alternative, Claim, IntervalMethod
from outscore.significance import (
    Bootstrap,
    BootstrapUncentred,
    PairedT,
    Randomization,
    Resampling,
    ScoreTest,
    SignificanceTest,
)

Result = dict[str, Any]
Task = Callable[[int], Result]

SEED = 1  # tests/calibration draws from 0
ALPHAS = (0.05, 0.01)
SIZES = (20, 50, 200)
INTERVALS = (IntervalMethod.PERCENTILE, IntervalMethod.BASIC, IntervalMethod.BCA)
AT_A_MARGIN: tuple[SignificanceTest, ...] = (ScoreTest(), Bootstrap(), Randomization())
MARGINS = ((30, 0.1), (50, 0.05), (100, 0.02), (100, 0.05), (200, 0.02), (500, 0.01))
HELPED = (0.0, 0.01, 0.05)
MARGIN_POWER = ((200, 0.02, 0.0), (200, 0.05, 0.02), (500, 0.02, 0.02), (1000, 0.02, 0.02))
MULTIPLE = (1, 20, 50)  # comparisons of which the smallest p-value is looked at
RHO = (0.0, 0.5, 2.0, 8.0)
RATIOS = (0.0, 0.5, 2.0)
CLUSTER_RUNS = [(kind, n) for kind in ("equal", "1-9", "lognormal", "one with half") for n in (10, 20, 50)]
PLANS = ((164, 0.005, 0.05), (64, 0.005, 0.1), (500, 0.002, 0.014), (1000, 0.01, 0.02))


class WrongError(AssertionError):
    """A data set on which the vectorised default is not the public call."""


def check(sets: Sets | new_runs.RunSets, what: str) -> None:
    """Hold the first data set to the public call."""
    problem = sets.problem(0)
    if problem is not None:
        raise WrongError(f"{what}: {problem}")


def tasks() -> dict[str, tuple[float, Task]]:
    """Return all tasks by name: how many data sets each draws for one of the default's, and what it does."""
    found: dict[str, tuple[float, Task]] = {}
    for population in populations.EVERY.values():
        for n in population.counts:
            found[f"default/{population.name}/{n}"] = 1.0, partial(_default, population, n)
    for corpus in real.corpora()[0]:
        for n in corpus.counts:
            found[f"real/{corpus.name}/{n}"] = 0.4, partial(_real, corpus, n)
    for name in ("normal", "t with 3 degrees of freedom", "exponential", "lognormal, σ = 1", "grades 1 to 5"):
        found[f"small/{name}"] = 20.0, partial(_small_levels, name)
    found["against"] = 0.2, _against
    for board in boards.every():
        found[f"boards/{board.name}/{board.systems}"] = board.sets, partial(_board, board)
    for arena in arenas.ARENAS:
        share = 0.1 if arena.seen else 0.04
        found[f"arenas/{arena.name}/{'apart' if any(arena.strengths) else 'equal'}"] = share, partial(_arena, arena)
    for kind, n in CLUSTER_RUNS:
        for ratio in RATIOS:
            found[f"runs/{kind}/{n}/{ratio:g}"] = 0.4, partial(_cluster_runs, kind, n, ratio)
    found["runs/lognormal, binary/20/0"] = 0.1, _binary_runs
    for procedures in procedures_():
        found[f"procedures/{procedures!r}"] = 0.2, partial(_procedures, procedures)
    for scored in own_scores.SCORED:
        found[f"scores/{scored.name}"] = 0.2, partial(_score, scored)
    for cell in power_cells():
        found[f"power/{cell.name}/{cell.n}/{cell.sign:+d}"] = 0.5, partial(_power, cell)
    for lost, n in BINARY_POWER:
        found[f"power/binary, {lost:.2%} lost/{n}"] = 0.5, partial(_binary_power, lost, n)
    for n in (10, 20, 30, 50, 100):
        found[f"binary/{n}"] = 0.0, partial(_binary_coverage, n)
    for n, hurt, gain in PLANS:
        found[f"plan/{n}/{hurt:g}/{gain:g}"] = 0.0, partial(_plan, n, hurt, gain)
    for choice in chosen.CHOICES:
        found[f"chosen/{choice.name}/{choice.n}"] = choice.sets, partial(_choice, choice)
    for rates in two_samples.RATES:
        found[f"unpaired/{rates!r}"] = 0.0, partial(_rates_of_two, rates)
    for samples in two_samples.SAMPLES:
        for counts in samples.counts:
            found[f"unpaired/{samples.name}/{counts}"] = 0.3, partial(_two_samples, samples, counts)
    for test, samples, counts in two_samples.NAMED:
        found[f"unpaired/{test}/{samples.name}/{counts}"] = 0.06, partial(_by_name, test, samples, counts)
    found.update(_named())
    return found


def group_of(name: str) -> str:
    """Return the group of a task: its name up to the first slash."""
    return name.partition("/")[0]


# The default.


def _checked(batches: Iterator[Sets], what: str) -> Iterator[Sets]:
    for place, sets in enumerate(batches):
        if place == 0:
            check(sets, what)
        yield sets


def _default(population: populations.Population, n: int, count: int) -> Result:
    return asdict(default.judged(_checked(population.drawn(n, count, SEED), f"{population.name}, n = {n}")))


def _real(corpus: real.Corpus | real.Pairs, n: int, count: int) -> Result:
    batches = _checked(corpus.drawn(n, count, SEED), f"{corpus.name}, n = {n}")
    return asdict(default.judged(batches, corpus.gain)) | {"gain": corpus.gain}


def _small_levels(name: str, count: int) -> Result:
    """Return how often p-values of 50 items are below α/k, as a multiple of α/k."""
    batches = populations.EVERY[name].drawn(50, count, SEED)
    p = np.concatenate([sets.p_values() for sets in batches])
    return {"sets": len(p), **{str(k): rejected(p, 0.05 / k) * k / 0.05 for k in MULTIPLE}}


def _against(count: int) -> Result:
    """Return how often Holm calls any of 50 independent candidates, 50 normal items each, different from a constant."""
    rng = np.random.default_rng(SEED)
    p = np.stack([of_means(rng.normal(size=(50, 50))).p_values() for _ in range(count)])
    candidates = {f"c{place:02}": row for place, row in enumerate(rng.normal(size=(5, 50)))}
    found = outscore.compare(candidates, against=0, n_resamples=99).comparisons
    ours = of_means(np.stack(list(candidates.values()))).p_values()
    if not np.allclose(ours, [one.tests[0].p_value for one in found], rtol=1e-7):
        raise WrongError("against a constant: p-values differ from those of outscore.compare")
    return {"sets": count, "error": float((p.min(axis=1) <= 0.05 / 50).mean())}


# Many systems, and battles.


def _board(board: boards.Board, count: int) -> Result:
    return asdict(boards.judge(board, count, SEED))


def _arena(arena: arenas.Arena, count: int) -> Result:
    return asdict(arenas.judge(arena, count, SEED))


# Runs.


def procedures_() -> list[Procedures]:
    """Return the cells of systems with several runs on single items."""
    alike = [
        Procedures(kind, n, (m, m), (rho, rho))
        for kind in ("binary", "real", "skew")
        for n in (50, 500)
        for m in (3, 5, 10)
        for rho in RHO
    ]
    alone = [Procedures("real", 500, (m, m), (0.0, rho)) for m in (2, 3, 4, 5, 10) for rho in (0.5, 2.0, 8.0)]
    uneven = [Procedures("real", 500, m, (rho, rho)) for m in ((3, 10), (5, 8)) for rho in (0.0, 2.0)]
    paired = [Procedures("real", 500, (m, m), (rho, rho), shared=True) for m in (3, 5, 10) for rho in (0.0, 2.0, 8.0)]
    odd = [
        Procedures("real", 500, (m, m), (0.0, 8.0), seeds=seeds) for seeds in ("exponential", "bad") for m in (3, 5, 10)
    ]
    return [*alike, *alone, *uneven, *paired, *odd]


def _rates(p: FloatArray) -> Result:
    return {"sets": len(p), "at_5": rejected(p, 0.05), "at_1": rejected(p, 0.01)}


def _cluster_runs(kind: str, n: int, ratio: float, count: int) -> Result:
    found = []
    for place, sets in enumerate(new_runs.cluster_runs(kind, n, ratio, count, seed=SEED)):
        if place == 0:
            check(sets, f"runs, {kind}, {n} clusters")
        found.append(sets.p_values())
    return _rates(np.concatenate(found))


def _binary_runs(count: int) -> Result:
    p = []
    for index in range(count):
        rng = np.random.default_rng([SEED, index])
        rows, names = new_runs.item_rows("lognormal", 20, rng, binary=True)
        found = outscore.compare(*rows, runs="random", clusters=names, metric="accuracy", n_resamples=99)
        p.append(found.comparisons[0].tests[0].p_value)
    return _rates(np.array(p))


def _procedures(procedures: Procedures, count: int) -> Result:
    found, of_items = [], []
    drawn = new_runs.of_procedures(procedures, count, paired=procedures.shared, seed=SEED)
    for place, sets in enumerate(drawn):
        if place == 0:
            check(sets, str(procedures))
        found.append(sets.p_values())
        one, other = (scores.mean(axis=1) for scores in sets.systems)
        of_items.append(of_means(other - one).p_values())
    return _rates(np.concatenate(found)) | {"items": rejected(np.concatenate(of_items), 0.05)}


# Scores and first places.


def _choice(choice: chosen.Choice, count: int) -> Result:
    return asdict(chosen.judge(choice, count, SEED))


def _score(scored: own_scores.Scored, count: int) -> Result:
    return asdict(own_scores.judge(scored, count, SEED))


# Two systems on different items.


def _rates_of_two(rates: two_samples.Rates, count: int) -> Result:
    del count
    return rates.judged()


def _two_samples(samples: two_samples.Samples, counts: tuple[int, int], count: int) -> Result:
    return samples.judged(counts, count, SEED)


def _by_name(test: str, samples: two_samples.Samples, counts: tuple[int, int], count: int) -> Result:
    return two_samples.by_name(test, samples, counts, count, SEED)


# Power: where Student's t finds 80%.

_Draw = Callable[[np.random.Generator, tuple[int, int]], Sets]


@dataclass(frozen=True)
class Power:
    """Gains that Student's t finds in 80% of the sets: on the long or the short side of a distribution, or both."""

    name: str
    n: int
    sign: int
    draw: _Draw


def power_cells() -> Iterator[Power]:
    """Yield the cells of scores that are not binary, simulated and real."""
    for name, sizes in (
        ("normal", (12, 20, 30, 50, 200)),
        ("t with 3 degrees of freedom", (20, 50, 200)),
        ("grades 1 to 5", (20, 50)),
        ("zero-inflated", (20,)),
        ("word errors, lengths lognormal", (50,)),
        ("exponential", (20, 50, 200)),
        ("lognormal, σ = 1", (50, 200)),
        ("clusters of 1 to 9", (20,)),
        ("lognormal clusters", (50,)),
    ):
        for n in sizes:
            for sign in (1, -1) if name.startswith(SKEWED) else (1,):
                yield Power(name, n, sign, populations.EVERY[name].draw)
    for corpus in real.corpora()[0]:
        if isinstance(corpus, real.Pairs) and corpus.name.startswith(REAL_POWER):
            for n in corpus.counts:
                yield Power(corpus.name, n, 1, corpus.draw)


SKEWED = ("exponential", "lognormal,")
REAL_POWER = ("AP, TREC-8: all", "ROUGE-2", "litePyramid", "MQM", "COMET")
BINARY_POWER = tuple((lost / 100, n) for lost, n in ((15, 20), (15, 30), (15, 50), (15, 200), (1, 50), (0.25, 200)))


def _student(sets: Sets, alternative: Alternative, gain: float = 0.0) -> FloatArray:
    """Return p-values of Student's t with the variance and degrees of freedom of the design; gains move by `gain`."""
    spread = sets.spread
    variance = np.asarray(spread.variance)
    t = np.divide(sets.gains + gain, np.sqrt(variance), out=np.zeros(len(sets)), where=variance > 0)
    return student_p_values(t, np.asarray(spread.design_degrees), alternative)


def _power(cell: Power, count: int) -> Result:
    """Return the power of Student's t and of the default, and t's with tails that an oracle cuts to 2.5% each."""
    sets = cell.draw(np.random.default_rng([SEED, cell.n]), (count, cell.n))
    side = Alternative.GREATER if cell.sign > 0 else Alternative.LESS

    def found(gain: float, level: float) -> float:
        return float((_student(sets, side, cell.sign * gain) <= level).mean())

    low, high = 0.0, 10.0
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if found(middle, 0.025) < 0.8 else (low, middle)
    p = sets.p_values(null=-cell.sign * high)
    default = float(((p <= 0.05) & (cell.sign * sets.gains > -high)).mean())
    cut = min(0.025, float(np.quantile(_student(sets, side), 0.025)))
    return {"sets": count, "gain": high, "t": found(high, 0.025), "cut": found(high, cut), "default": default}


def _binary_power(lost: float, n: int, count: int) -> Result:
    def found(gain: float) -> tuple[float, float]:
        u = np.random.default_rng([SEED, n]).random((count, n))
        sets = of_binary(np.where(u < lost, -1.0, np.where(u < 2 * lost + gain, 1.0, 0.0)))
        plain = _student(sets, Alternative.GREATER) <= 0.025
        return float(plain.mean()), float(((sets.p_values() <= 0.05) & (sets.gains > 0)).mean())

    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if found(middle)[0] < 0.8 else (low, middle)
    student, own = found(high)
    return {"sets": count, "gain": high, "t": student, "default": own}


def binary_rates() -> list[tuple[float, float]]:
    """Return rates of wins and losses at which the coverage of intervals is summed."""
    rates = (0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3, 0.5)
    return [(win, loss) for win in rates for loss in rates if win >= loss and 0 < win + loss <= 1]


def _binary_coverage(n: int, count: int) -> Result:
    """Return the least coverage of the interval of a gain of n binary items over the rates, exactly."""
    del count
    wins, losses = (part.ravel() for part in np.mgrid[: n + 1, : n + 1])
    possible = wins + losses <= n
    wins, losses = wins[possible], losses[possible]
    low, high = np.empty(len(wins)), np.empty(len(wins))
    for place, (won, lost) in enumerate(zip(wins.tolist(), losses.tolist(), strict=True)):
        if won >= lost:  # the others by exchange of the systems
            systems = [rows[:, 0] for rows in nulls.right_or_wrong(won, lost, n)]
            interval = outscore.compare(*systems, metric="accuracy", n_resamples=99).comparisons[0].interval
            mirrored = (wins == lost) & (losses == won)
            low[mirrored], high[mirrored] = -interval.high, -interval.low
            low[place], high[place] = interval.low, interval.high
    covered = {}
    for win, loss in binary_rates():
        chances = multinomial(n, [win, loss, 1 - win - loss]).pmf(np.column_stack([wins, losses, n - wins - losses]))
        truth = win - loss
        covered[f"{win:g}, {loss:g}"] = float(chances[(low <= truth + 1e-12) & (truth - 1e-12 <= high)].sum())
    at = min(covered, key=lambda rates: covered[rates])
    return {"least": covered[at], "at": at, "mean": float(np.mean(list(covered.values())))}


def _plan(n: int, hurt: float, gain: float, count: int) -> Result:
    """Return the power that `plan` states for binary items, and that of the default, exactly."""
    del count
    wins, losses = (part.ravel() for part in np.mgrid[: n + 1, : n + 1])
    possible = wins + losses <= n
    wins, losses = wins[possible], losses[possible]
    chances = multinomial(n, [hurt + gain, hurt, 1 - 2 * hurt - gain]).pmf(
        np.column_stack([wins, losses, n - wins - losses])
    )
    kept = chances > 1e-12
    p = exact_p_values(wins[kept], losses[kept], Alternative.TWO_SIDED)
    power = float(chances[kept][(p <= 0.05) & (wins > losses)[kept]].sum())
    stated = {row.test: row.power.value for row in outscore.plan_power(outscore.Rates(hurt=hurt), n, gain).rows}
    return {"exact": power, "stated": stated}


# Tests by name.


def _named() -> dict[str, tuple[float, Task]]:
    found: dict[str, tuple[float, Task]] = {}
    for population in (*nulls.EXCHANGEABLE, *nulls.ONLY_EQUAL, nulls.clusters_ignored()):
        for n in SIZES:
            found[f"named/{population}/{n}"] = 0.1, partial(_levels, population, n)
    for population in nulls.GAINS:
        for n in SIZES:
            found[f"gains/{population}/{n}"] = 0.1, partial(_coverage, population, n)
    for population in (nulls.normal(), nulls.student(), nulls.f1(), nulls.clustered()):
        for n in (10, 20, 30, 50, 100, 200):
            found[f"few/{population}/{n}"] = 0.2, partial(_few, population, n)
    for differing in (3, 4, 5, 6, 8, 10, 15, 20, 30, 50):
        found[f"differing/{differing}"] = 0.0, partial(_differing, differing)
    for population in nulls.BEHIND:
        found[f"behind/{population}"] = 0.1, partial(_behind, population, 200)
    for population in nulls.FEW_LOSSES:
        for n in (100, 200):
            found[f"losses/{population}/{n}"] = 0.1, partial(_few_losses, population, n)
    for n, margin in MARGINS:
        for helped in HELPED:
            found[f"margin/{n}/{margin:g}/{helped:g}"] = 0.0, partial(_margin, n, margin, helped)
    for n, most_lost, far in MARGIN_POWER:
        found[f"margin power/{n}/{most_lost:g}/{far:g}"] = 0.0, partial(_margin_power, n, most_lost, far)
    for population in independent():
        found[f"independent/{population}"] = 0.2, partial(_independent, population)
    found["sacrebleu"] = 0.4, _sacrebleu
    for index in range(len(gate_sequential.CELLS)):
        found[f"gate/{index}"] = 0.2, partial(_gate, index)
    return found


def _told(found: Measured, intervals: bool = False) -> Result:
    rates = {
        f"{test}|{ask}|{alpha:g}": found.rejected(test, ask, alpha) for test, ask in found.p_values for alpha in ALPHAS
    }
    covered = {f"covered|{method}": found.covered(method) for method in INTERVALS} if intervals else {}
    return {"sets": found.count, **rates, **covered}


def _levels(population: nulls.Population, n: int, count: int) -> Result:
    skewed = population.name.startswith("skewed")
    slow = {} if population.exact else {"wilcoxon": {20: count, 50: count // 5}.get(n, count // 10)}
    asks = (GREATER, LESS, TWO_SIDED) if skewed else (GREATER, TWO_SIDED)
    return _told(measure(population, n, count, asks=asks, intervals=INTERVALS, slow=slow, seed=SEED), intervals=True)


def _coverage(population: nulls.Population, n: int, count: int) -> Result:
    return _told(measure(population, n, count, tests=(), intervals=INTERVALS, seed=SEED), intervals=True)


def _few(population: nulls.Population, n: int, count: int) -> Result:
    return _told(measure(population, n, count, tests=(Bootstrap(), BootstrapUncentred()), seed=SEED))


def _differing(differing: int, count: int, n: int = 1000) -> Result:
    """Return how often tests reject, one-sided, where so many binary items differ: exactly."""
    del count
    tests: tuple[SignificanceTest, ...] = (Bootstrap(), BootstrapUncentred(), Randomization(), PairedT())
    totals = {f"{test.name}|{alpha:g}": 0 for test in tests for alpha in ALPHAS}
    for wins in range(differing + 1):
        pair = Pair(outscore.Mean(), *nulls.right_or_wrong(wins, differing - wins, n))
        laws = GainLaws([pair], Resampling())
        for test in tests:
            p = test.p_value(pair, laws, Hypothesis()).value
            for alpha in ALPHAS:
                totals[f"{test.name}|{alpha:g}"] += comb(differing, wins) * (p <= alpha)
    return {name: float(total / 2**differing) for name, total in totals.items()}


def _claims(population: nulls.Population) -> list[Ask]:
    return [Ask(claim, margin=-population.gain) for claim in (Claim.NOT_WORSE, Claim.EQUIVALENT)]


def _behind(population: nulls.Population, n: int, count: int) -> Result:
    tests = (Bootstrap(), BootstrapUncentred(), Randomization(), PairedT())
    return _told_of_claims(measure(population, n, count, asks=_claims(population), tests=tests, seed=SEED))


def _few_losses(population: nulls.Population, n: int, count: int) -> Result:
    return _told_of_claims(measure(population, n, count, asks=_claims(population), tests=AT_A_MARGIN, seed=SEED))


def _told_of_claims(found: Measured) -> Result:
    return {
        "sets": found.count,
        "margin": -found.population.gain,
        **{f"{test}|{ask.claim}": found.rejected(test, ask, 0.05) for test, ask in found.p_values},
    }


def _margin(n: int, margin: float, helped: float, count: int) -> Result:
    del count
    losses, found = nulls.Losses(n, margin, helped), {}
    for test in AT_A_MARGIN:
        # Thousands of exact distributions, to learn what larger proportions of losses show.
        if not (test.resamples and n * helped > 10):
            found[test.name] = [size(test, claim, losses) for claim in (Claim.NOT_WORSE, Claim.EQUIVALENT)]
    return found


def _margin_power(n: int, margin: float, differing: float, count: int) -> Result:
    del count
    equal = nulls.Losses(n, 0.0, differing)  # as many wins as losses: a margin of 0 makes them so
    return {
        str(claim): [passing(ScoreTest(), claim, margin, equal, alpha) for alpha in ALPHAS]
        for claim in (Claim.NOT_WORSE, Claim.EQUIVALENT)
    }


def independent() -> list[nulls.Population]:
    """Return nulls, and gains of 2.8 standard errors, at three correlations of the systems' scores."""
    kinds = ((nulls.binary_independent, 0.42), (nulls.binary_correlated, 0.21), (nulls.binary_alike, 0.042))
    return [
        *(nulls.normal(correlation) for correlation in (0.0, 0.5, 0.9)),
        *(kind() for kind, _ in kinds),
        *(nulls.normal(r, gain=2.8 * float(np.sqrt(2 * (1 - r) / 200))) for r in (0.0, 0.5, 0.9)),
        *(kind(gain=2.8 * float(np.sqrt(differing / 200))) for kind, differing in kinds[:2]),
    ]


def _independent(population: nulls.Population, count: int) -> Result:
    tests = (*INDEPENDENT, PairedT())
    return _told(measure(population, 200, count, tests=tests, asks=(TWO_SIDED,), seed=SEED))


def _sacrebleu(count: int) -> Result:
    theirs, ours = sacrebleu_p_values(nulls.normal(), 200, count, seed=SEED)
    return {"sets": count, "theirs": rejected(theirs, 0.05), "ours": rejected(ours, 0.05)}


def _gate(index: int, count: int) -> Result:
    name, draw, margin, sign = gate_sequential.CELLS[index]
    rng = np.random.default_rng([SEED, index])
    found, looked = gate_sequential.shares(draw, margin, sign, count, rng)
    return {"name": name, "sets": count, "rates": [float(rate) for rate in found], "items": looked}
