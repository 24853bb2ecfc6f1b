"""What tests and intervals do on many data sets of one population."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
import numpy.typing as npt

from outscore.results import Alternative, Claim, IntervalMethod, Method, Ties
from outscore.significance import (
    Bootstrap,
    BootstrapUncentred,
    ChiSquared,
    McNemar,
    PairedT,
    Randomization,
    Resampling,
    Sign,
    SignificanceTest,
    TwoProportion,
    TwoSampleT,
    Wilcoxon,
)
from outscore.significance.intervals import gain_interval
from tests.calibration.nulls import Population
from tests.laws.kit import BootstrapScheme, Engine
from tests.significance.kit import GainLaws, Hypothesis, Pair, bootstrap_exceeding, hypotheses_of

FloatArray = npt.NDArray[np.float64]

INDEPENDENT = (TwoSampleT(), TwoProportion(), ChiSquared())
PAIRED = (Bootstrap(), BootstrapUncentred(), Randomization(), PairedT(), Sign(), Wilcoxon(), McNemar())
N_RESAMPLES = 1999  # r + 1 is a multiple of 1/α: an add-one p-value can equal α, and quantiles fall on replicates
# Data sets that share draws: products of at most 16 columns stay in one thread of the linear algebra library, which
# is many times faster on a busy machine. A mean takes one column a data set and one for all, F1 takes five.
_BATCHES = {"mean": 15, "ratio": 8}
_BATCH = 3


@dataclass(frozen=True)
class Ask:
    """What is asked of every data set: a claim with its alternative or margin."""

    claim: Claim = Claim.BETTER
    alternative: Alternative = Alternative.GREATER
    margin: float | None = None

    def __str__(self) -> str:
        return self.alternative if self.margin is None else f"{self.claim} by {self.margin:g}"

    def questions(self) -> Sequence[Hypothesis]:
        return hypotheses_of(self.claim, self.alternative, self.margin, Ties.COUNT)


GREATER, LESS, TWO_SIDED = (Ask(alternative=alternative) for alternative in Alternative)


@dataclass(frozen=True)
class Measured:
    """The p-values and intervals of many data sets.

    Attributes
    ----------
    population : Population
    n, count : int
        Units a data set, and data sets.
    p_values : mapping from (test, ask) to ndarray, shape (m,)
        m is `count`, or fewer for a test that is slow there.
    intervals : mapping from method to ndarray, shape (count, 2)
    """

    population: Population
    n: int
    count: int
    p_values: Mapping[tuple[str, Ask], FloatArray]
    intervals: Mapping[IntervalMethod, FloatArray]

    @property
    def tests(self) -> Sequence[str]:
        return list(dict.fromkeys(test for test, _ in self.p_values))

    def rejected(self, test: str, ask: Ask, alpha: float) -> tuple[int, int]:
        """Return how many data sets are rejected at level alpha, and of how many."""
        found = self.p_values[test, ask]
        return int((found <= alpha * (1 + 1e-12)).sum()), len(found)

    def rate(self, test: str, ask: Ask, alpha: float) -> float:
        rejected, count = self.rejected(test, ask, alpha)
        return rejected / count

    def covered(self, method: IntervalMethod) -> int:
        """Return how many intervals hold the true gain; one that ends there holds it."""
        low, high = self.intervals[method].T
        return int(((low <= self.population.gain + 1e-12) & (high >= self.population.gain - 1e-12)).sum())


def draw_batches(population: Population, n: int, count: int, seed: int) -> Iterator[tuple[list[Pair], Resampling]]:
    """Draw data sets batch by batch, and for each batch the seed of the draws that its data sets share."""
    size = _BATCHES.get(population.metric.name, _BATCH)
    for index, start in enumerate(range(0, count, size)):
        rng = np.random.default_rng([seed, n, index, crc32(str(population).encode())])
        baseline, candidate = population.draw(rng, min(size, count - start), n)
        pairs = [
            Pair(population.metric, one, other, population.strata)
            for one, other in zip(baseline, candidate, strict=True)
        ]
        yield pairs, Resampling(Method.MONTE_CARLO, N_RESAMPLES, seed=int(rng.integers(2**32)))


def measure(
    population: Population,
    n: int,
    count: int,
    *,
    asks: Sequence[Ask] = (GREATER, TWO_SIDED),
    tests: Sequence[SignificanceTest] = PAIRED,
    intervals: Sequence[IntervalMethod] = (),
    slow: Mapping[str, int] | None = None,
    seed: int = 0,
) -> Measured:
    """Draw data sets and ask tests and intervals about each.

    Discrete data sets are asked for their exact laws, equal ones once; the others for `N_RESAMPLES` resamples.
    A batch of data sets shares its draws, as the candidates of one comparison do: independent data sets stay
    all but independent, and every p-value is what `outscore.compare` gives with the batch's seed.

    Parameters
    ----------
    population : Population
    n, count : int
        Units a data set, and data sets.
    asks, tests, intervals : sequences
        Tests that do not apply are left out.
    slow : mapping from name to int, optional
        Tests that are asked of so many data sets only.
    seed : int
    """
    found: dict[tuple[str, Ask], list[float]] = {}
    limits: dict[IntervalMethod, list[tuple[float, float]]] = {method: [] for method in intervals}
    # Paired tests and intervals of a mean see the differences alone, in any order.
    remember = population.exact and not (population.sizes or any(test.assumes_independence for test in tests))
    known: dict[bytes, _Answers] = {}
    done = 0
    for pairs, resampling in draw_batches(population, n, count, seed):
        shared = GainLaws(pairs, resampling)
        for i, pair in enumerate(pairs):
            chosen = [test for test in tests if done < (slow or {}).get(test.name, count)]
            done += 1
            laws = GainLaws([pair], Resampling()) if population.exact else shared.of_pair(i)
            key = np.sort(pair.columns[:, 0]).tobytes() if remember else b""
            answers = known.get(key) or _answers(pair, laws, chosen, asks, intervals)
            if remember:
                known[key] = answers
            names = {test.name for test in chosen}
            for asked, value in answers.p_values.items():
                if asked[0] in names:
                    found.setdefault(asked, []).append(value)
            for how, ends in answers.intervals.items():
                limits[how].append(ends)
    return Measured(
        population,
        n,
        count,
        {asked: np.array(values) for asked, values in found.items()},
        {how: np.array(values) for how, values in limits.items()},
    )


@dataclass(frozen=True)
class _Answers:
    """What tests and intervals say of one data set."""

    p_values: Mapping[tuple[str, Ask], float]
    intervals: Mapping[IntervalMethod, tuple[float, float]]


def _answers(
    pair: Pair,
    laws: GainLaws,
    tests: Sequence[SignificanceTest],
    asks: Sequence[Ask],
    methods: Sequence[IntervalMethod],
) -> _Answers:
    p_values = {
        (test.name, ask): max(test.p_value(pair, laws, question).value for question in ask.questions())
        for test in tests
        for ask in asks
        if not any(test.obstacle(pair, question) for question in ask.questions())
    }
    found = [gain_interval(pair, laws.law(), 0.95, method) for method in methods]
    ends = {method: (interval.low, interval.high) for method, interval in zip(methods, found, strict=True)}
    return _Answers(p_values, ends)


def all_drawn_rejected(population: Population, count: int, *, seed: int = 0) -> tuple[int, int]:
    """Return how many data sets, and of how many, are rejected at 5% where each stratum's n_h units are n_h draws.

    That is the bootstrap without the correction for strata, two-sided, of gains that are means.
    """
    rejected, n = 0, sum(population.sizes)
    for pairs, resampling in draw_batches(population, n, count, seed):
        rng = np.random.default_rng(resampling.seed)
        parts = [rng.multinomial(size, np.full(size, 1 / size), size=N_RESAMPLES) for size in population.sizes]
        d = np.column_stack([pair.columns[:, 0] for pair in pairs])
        off = np.abs(np.concatenate(parts, axis=1) @ (d / n) - d.mean(axis=0))
        exceeding = (off >= np.abs(d.mean(axis=0)) - 1e-12).sum(axis=0)
        rejected += int(((exceeding + 1) / (N_RESAMPLES + 1) <= 0.05 * (1 + 1e-12)).sum())
    return rejected, count


def sacrebleu_p_values(population: Population, n: int, count: int, *, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """Return two-sided p-values of the paired bootstrap by sacreBLEU's formula and by ours, from the same replicates.

    What makes them differ is said at `bootstrap_exceeding`: p is half of what it should be, or so.
    """
    theirs, ours = [], []
    for pairs, resampling in draw_batches(population, n, count, seed):
        columns = np.column_stack([pair.columns[:, 0] for pair in pairs])
        totals = Engine(resampling.seed).replicates(BootstrapScheme(n), columns, lambda found: found, N_RESAMPLES)
        exceeding = bootstrap_exceeding(totals / n, np.array([pair.gain for pair in pairs]))
        theirs.append((exceeding + 1) / (N_RESAMPLES + 1))
        laws = GainLaws(pairs, resampling)
        question = Hypothesis(Alternative.TWO_SIDED)
        ours.append([Bootstrap().p_value(pair, laws.of_pair(i), question).value for i, pair in enumerate(pairs)])
    return np.concatenate(theirs), np.concatenate(ours)
