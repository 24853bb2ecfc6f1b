"""What tests and intervals do on many data sets of one population."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from nulls import Population

from outscore.results import Alternative, Claim, Estimator, IntervalMethod, Method, Ties
from outscore.significance import (
    Bootstrap,
    BootstrapUncentred,
    McNemar,
    PairedT,
    Randomization,
    Resampling,
    Sign,
    SignificanceTest,
    Wilcoxon,
)
from outscore.significance.base import Outcome, PairLaws, Question
from outscore.significance.claims import questions
from outscore.significance.gain_laws import GainLaws
from outscore.significance.intervals import gain_interval
from outscore.significance.p_values import p_value
from outscore.significance.pair import Pair

FloatArray = npt.NDArray[np.float64]

PAIRED = (Bootstrap(), BootstrapUncentred(), Randomization(), PairedT(), Sign(), Wilcoxon(), McNemar())
N_RESAMPLES = 1999  # r + 1 is a multiple of 1/α: an add-one p-value can equal α, and quantiles fall on replicates
_BATCH = 100


@dataclass(frozen=True)
class Ask:
    """What is asked of every data set: a claim with its alternative or margin."""

    claim: Claim = Claim.BETTER
    alternative: Alternative = Alternative.GREATER
    margin: float | None = None

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


def pairs_of(population: Population, n: int, count: int, rng: np.random.Generator) -> list[Pair]:
    baseline, candidate = population.draw(rng, count, n)
    return [Pair(population.metric, one, other) for one, other in zip(baseline, candidate, strict=True)]


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

    Binary data sets are asked for their exact laws, once for each that differs; the others for `N_RESAMPLES`
    resamples. A batch of data sets shares its draws, as the systems of one comparison do: independent data
    sets stay all but independent, and every p-value is what `outscore.compare` gives with the batch's seed.

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
    limit = slow or {}
    known: dict[bytes, tuple[dict[tuple[str, Ask], float], dict[IntervalMethod, tuple[float, float]]]] = {}
    for batch, start in enumerate(range(0, count, _BATCH)):
        rng = np.random.default_rng([seed, n, batch])
        pairs = pairs_of(population, n, min(_BATCH, count - start), rng)
        method = Method.AUTO if population.binary else Method.MONTE_CARLO
        shared = GainLaws(pairs, Resampling(method, N_RESAMPLES, seed=int(rng.integers(2**32))))
        for i, pair in enumerate(pairs):
            key = np.sort(pair.columns[:, 0]).tobytes()
            if population.binary and key in known:
                p_values, ends = known[key]
            else:
                laws = PairLaws(GainLaws([pair], shared.resampling), 0) if population.binary else PairLaws(shared, i)
                chosen = [test for test in tests if start + i < limit.get(test.name, count)]
                p_values = _p_values(pair, laws, chosen, asks)
                ends = _intervals(pair, laws, intervals)
                known[key] = p_values, ends
            for asked, value in p_values.items():
                found.setdefault(asked, []).append(value)
            for how, pair_of_ends in ends.items():
                limits[how].append(pair_of_ends)
    return Measured(
        population,
        n,
        count,
        {asked: np.array(values) for asked, values in found.items()},
        {how: np.array(values) for how, values in limits.items()},
    )


def _p_values(
    pair: Pair, laws: PairLaws, tests: Sequence[SignificanceTest], asks: Sequence[Ask]
) -> dict[tuple[str, Ask], float]:
    return {
        (test.name, ask): max(estimate(test.outcome(pair, laws, question)) for question in ask.questions())
        for test in tests
        for ask in asks
        if not any(test.obstacle(pair, question) for question in ask.questions())
    }


def estimate(outcome: Outcome) -> float:
    """Return the p-value of an outcome, without the bracket, which costs ten times as much where sampled."""
    found = outcome.probability
    if found.n_resamples is None or found.n_exceeding is None:
        return p_value(outcome, Estimator.ADD_ONE).value
    value = (found.n_exceeding + 1) / (found.n_resamples + 1)
    return min(value * (2 if outcome.doubled else 1), 1.0)


def _intervals(
    pair: Pair, laws: PairLaws, methods: Sequence[IntervalMethod]
) -> dict[IntervalMethod, tuple[float, float]]:
    found = {}
    for method in methods:
        interval = gain_interval(pair, laws.bootstrap(), 0.95, method)
        found[method] = interval.low, interval.high
    return found
