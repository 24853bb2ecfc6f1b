"""What the default test and its interval do on populations chosen to hurt: few units, unequal ones, skewed ones."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from zlib import crc32

import numpy as np
import numpy.typing as npt

from outscore import Mean, Ratio
from outscore.results import Alternative, Estimator, Method
from outscore.significance import Bootstrap, PairedT, Randomization, Resampling, RobustT, SkewT
from outscore.significance.auto import choose
from outscore.significance.base import PairLaws, Question
from outscore.significance.gain_laws import GainLaws
from outscore.significance.p_values import p_value
from outscore.significance.pair import Pair
from outscore.significance.score_test import ScoreTest
from tests.calibration.nulls import (
    EXCHANGEABLE,
    Population,
    Systems,
    binary_alike,
    exponential,
    f1,
    f1_unlike,
    lognormal,
    normal,
)

FloatArray = npt.NDArray[np.float64]
N_RESAMPLES = 999


def unequal_lengths(sigma: float = 1.3) -> Population:
    """Errors per word in sentences of lognormal length, of varying difficulty."""

    def draw(rng: np.random.Generator, count: int, n: int) -> Systems:
        words = np.ceil(rng.lognormal(3, sigma, size=(count, n)))
        expected = 0.1 * words * rng.gamma(2, 1 / 2, size=(count, n))
        one, other = (np.stack([rng.poisson(expected).astype(float), words], axis=-1) for _ in range(2))
        return one, other

    return Population(f"error rate, lengths lognormal ({sigma:g})", Ratio(higher_is_better=False), draw)


def one_huge() -> Population:
    """The first sentence has 3,000 words, the others 5 to 40; errors go with the sentence."""

    def draw(rng: np.random.Generator, count: int, n: int) -> Systems:
        words = rng.integers(5, 41, size=(count, n)).astype(float)
        words[:, 0] = 3000
        one, other = (np.stack([0.2 * words + rng.normal(size=(count, n)) * 0.1 * words, words], -1) for _ in range(2))
        return one, other

    return Population("error rate, one sentence of 3,000 words", Ratio(higher_is_better=False), draw)


def unequal_clusters() -> Population:
    """Clusters of 1 to 50 items, growing by a factor; intraclass correlation of the differences 0.3."""

    def draw(rng: np.random.Generator, count: int, n: int) -> Systems:
        sizes = np.round(np.geomspace(1, 50, n)) * np.ones((count, 1))
        shared, own = rng.normal(size=(2, count, n))
        differences = np.sqrt(0.3) * sizes * shared + np.sqrt(0.7 * sizes) * own
        baseline = rng.normal(size=(count, n))
        return np.stack([baseline, sizes], -1), np.stack([baseline + differences, sizes], -1)

    return Population("clusters of 1 to 50 items", Mean(), draw)


def rare_wins(*, bounded: bool) -> Population:
    """Grades that lose a quarter on 32% of the items and win all on 8%: half of small test sets show few wins."""

    def draw(rng: np.random.Generator, count: int, n: int) -> Systems:
        kind = rng.random((count, n))
        baseline = np.where(kind < 0.08, 0.0, 0.5)
        candidate = baseline + np.where(kind < 0.08, 1.0, np.where(kind < 0.4, -0.25, 0.0))
        return tuple(np.stack([part, np.ones_like(part)], -1) for part in (baseline, candidate))  # type: ignore[return-value]

    metric = Mean(lowest=0.0, highest=1.0) if bounded else Mean()
    return Population(f"rare wins, range {'' if bounded else 'not '}known", metric, draw, symmetric=False)


@dataclass(frozen=True)
class Judged:
    """What the default did on many data sets.

    Attributes
    ----------
    count : int
    rejected, rejected_1 : int
        Data sets on which a verdict was given at 5% and at 1%.
    covered : int
        Intervals at 95% that hold the true gain.
    tests : Counter
        How often each test was taken, at 5%.
    """

    count: int
    rejected: int
    rejected_1: int
    covered: int
    tests: Counter[str]


def judge(
    population: Population, n: int, count: int, *, alternative: Alternative = Alternative.TWO_SIDED, seed: int = 0
) -> Judged:
    """Let the default judge data sets of a population, at 5% and at 1%."""
    question, tests = Question(alternative), Counter[str]()
    rejected = {0.05: 0, 0.01: 0}
    covered = 0
    for index in range(count):
        rng = np.random.default_rng([seed, n, index, crc32(str(population).encode())])
        baseline, candidate = population.draw(rng, 1, n)
        pair = Pair(population.metric, baseline[0], candidate[0])
        # Exact laws of counts cost next to nothing; others are sampled, and hold the same level.
        method = Method.AUTO if population.exact else Method.MONTE_CARLO
        laws = PairLaws(GainLaws([pair], Resampling(method, N_RESAMPLES, seed=index)), 0)
        for alpha in rejected:
            choice = choose(pair, laws, question, unit="item", alpha=alpha, estimator=Estimator.ADD_ONE)
            p = p_value(choice.test.outcome(pair, laws, question), Estimator.ADD_ONE).value
            rejected[alpha] += p <= alpha and pair.gain != 0
            if alpha == 0.05:
                tests[choice.test.name] += 1
                slack = 1e-9 * max(abs(pair.gain), 1e-3)
                interval, _ = choice.interval(pair, laws, [question], alpha, Estimator.ADD_ONE)
                covered += interval.low - slack <= population.gain <= interval.high + slack
    return Judged(count, rejected[0.05], rejected[0.01], covered, tests)


OWN = (Bootstrap(), Randomization(), PairedT(), RobustT(), SkewT(), ScoreTest())


def own_coverage(population: Population, n: int, count: int, *, seed: int = 0) -> dict[str, int]:
    """Return how many of the tests' own intervals at 95%, two-sided, hold the true gain, test by test."""
    question, held = Question(Alternative.TWO_SIDED), Counter[str]()
    for index in range(count):
        rng = np.random.default_rng([seed, n, index, crc32(str(population).encode())])
        baseline, candidate = population.draw(rng, 1, n)
        pair = Pair(population.metric, baseline[0], candidate[0])
        method = Method.AUTO if population.exact else Method.MONTE_CARLO
        laws = PairLaws(GainLaws([pair], Resampling(method, N_RESAMPLES, seed=index)), 0)
        for test in OWN:
            interval = None
            if test.obstacle(pair, question) is None:
                interval = test.interval(pair, laws, 0.05, question, Estimator.ADD_ONE)
            if interval is not None:
                slack = 1e-9 * max(abs(pair.gain), 1e-3)
                held[test.name] += interval.low - slack <= population.gain <= interval.high + slack
    return held


# Where the default is measured: every population of the other tables, and those chosen to hurt, with few units.
FEW = (8, 12, 20, 50)
USUAL = (20, 50, 200)
FEW_CLUSTERS = (5, 8, 12, 20, 30)
HURTING = (
    normal(),
    lognormal(),
    exponential(),
    unequal_lengths(),
    one_huge(),
    rare_wins(bounded=True),
    rare_wins(bounded=False),
)
ORDINARY = (
    *(population for population in EXCHANGEABLE if population != normal()),
    f1_unlike(),
    binary_alike(0.02),
    f1(0.03),
)


def cells() -> list[tuple[Population, int]]:
    """Return populations and numbers of units."""
    return [
        *((population, n) for n in USUAL for population in ORDINARY),
        *((population, n) for n in (*FEW, 200) for population in HURTING),
        *((unequal_clusters(), n) for n in FEW_CLUSTERS),
    ]
