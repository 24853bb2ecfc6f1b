"""What tests and intervals do on many data sets of one population."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from nulls import Population

from outscore.resampling import BootstrapScheme, Engine
from outscore.results import Alternative, Claim, Estimator, IntervalMethod, Method, Ties
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
from outscore.significance.base import Outcome, PairLaws, Question
from outscore.significance.claims import questions
from outscore.significance.gain_laws import GainLaws
from outscore.significance.intervals import gain_interval
from outscore.significance.p_values import p_value
from outscore.significance.pair import Pair

FloatArray = npt.NDArray[np.float64]

INDEPENDENT = (TwoSampleT(), TwoProportion(), ChiSquared())
PAIRED = (Bootstrap(), BootstrapUncentred(), Randomization(), PairedT(), Sign(), Wilcoxon(), McNemar())
N_RESAMPLES = 1999  # r + 1 is a multiple of 1/α: an add-one p-value can equal α, and quantiles fall on replicates
_BATCH = 100


@dataclass(frozen=True)
class Ask:
    """What is asked of every data set: a claim with its alternative or margin."""

    claim: Claim = Claim.BETTER
    alternative: Alternative = Alternative.GREATER
    margin: float | None = None

    def __str__(self) -> str:
        return self.alternative if self.margin is None else f"{self.claim} by {self.margin:g}"

    def questions(self) -> Sequence[Question]:
        return questions(self.claim, self.alternative, self.margin, Ties.COUNT)


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


def draw_batch(population: Population, n: int, count: int, seed: int, index: int) -> tuple[list[Pair], Resampling]:
    """Draw data sets, and the seed of the draws that they share where they are resampled."""
    rng = np.random.default_rng([seed, n, index])
    baseline, candidate = population.draw(rng, count, n)
    pairs = [Pair(population.metric, one, other) for one, other in zip(baseline, candidate, strict=True)]
    return pairs, Resampling(Method.MONTE_CARLO, N_RESAMPLES, seed=int(rng.integers(2**32)))


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
    known: dict[bytes, _Answers] = {}
    for batch, start in enumerate(range(0, count, _BATCH)):
        pairs, resampling = draw_batch(population, n, min(_BATCH, count - start), seed, batch)
        shared = GainLaws(pairs, resampling)
        for i, pair in enumerate(pairs):
            chosen = [test for test in tests if start + i < (slow or {}).get(test.name, count)]
            if population.exact:
                # Paired tests and intervals of a mean see the differences alone, in any order.
                key = np.sort(pair.columns[:, 0]).tobytes()
                if key not in known:
                    known[key] = _answers(pair, PairLaws(GainLaws([pair], Resampling()), 0), chosen, asks, intervals)
                answers = known[key]
            else:
                answers = _answers(pair, PairLaws(shared, i), chosen, asks, intervals)
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
    laws: PairLaws,
    tests: Sequence[SignificanceTest],
    asks: Sequence[Ask],
    methods: Sequence[IntervalMethod],
) -> _Answers:
    p_values = {
        (test.name, ask): max(estimate(test.outcome(pair, laws, question)) for question in ask.questions())
        for test in tests
        for ask in asks
        if not any(test.obstacle(pair, question) for question in ask.questions())
    }
    found = [gain_interval(pair, laws.bootstrap(), 0.95, method) for method in methods]
    return _Answers(p_values, {interval.method: (interval.low, interval.high) for interval in found})


def estimate(outcome: Outcome) -> float:
    """Return the p-value of an outcome, without the bracket, which costs ten times as much where sampled."""
    found = outcome.probability
    if found.n_resamples is None or found.n_exceeding is None:
        return p_value(outcome, Estimator.ADD_ONE).value
    value = (found.n_exceeding + 1) / (found.n_resamples + 1)
    return min(value * (2 if outcome.doubled else 1), 1.0)


def sacrebleu_p_values(population: Population, n: int, count: int, *, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """Return two-sided p-values of the paired bootstrap by sacreBLEU's formula and by ours, from the same replicates.

    sacreBLEU 2 takes the sizes |δ*| of the replicates, subtracts their mean, and counts how many of the results
    exceed |δ|. The mean of the sizes is near |δ| where |δ| is large, so that one tail is as it should be and the
    other is missing: p is half of what it should be, or so.
    """
    theirs, ours = [], []
    for batch, start in enumerate(range(0, count, _BATCH)):
        pairs, resampling = draw_batch(population, n, min(_BATCH, count - start), seed, batch)
        columns = np.column_stack([pair.columns[:, 0] for pair in pairs])
        totals = Engine(resampling.seed).replicates(BootstrapScheme(n), columns, lambda found: found, N_RESAMPLES)
        sizes = np.abs(totals / n)
        gains = np.array([pair.gain for pair in pairs])
        exceeding = (sizes - sizes.mean(axis=0) > np.abs(gains)).sum(axis=0)
        theirs.append((exceeding + 1) / (N_RESAMPLES + 1))
        laws = GainLaws(pairs, resampling)
        question = Question(Alternative.TWO_SIDED)
        ours.append([estimate(Bootstrap().outcome(pair, PairLaws(laws, i), question)) for i, pair in enumerate(pairs)])
    return np.concatenate(theirs), np.concatenate(ours)
