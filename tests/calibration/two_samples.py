"""Two systems on different items (`--unpaired`): how often the default tests and those by name reject true nulls."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from scipy.stats import binom

import outscore
from outscore.metrics import Ratio
from outscore.results import Alternative
from tests.calibration.populations import Rng, sizes_of
from tests.calibration.sets import FloatArray, Sets, of_ratios, rejected
from tests.significance.kit import FEW, Pair, Right, Sample, TwoSamples, rates_p_value, sample_of

Arm = tuple[FloatArray, FloatArray]  # sums and sizes of the units of one system
Draw = Callable[[Rng, int], Arm]

COUNTS = ((10, 100), (20, 20), (20, 200), (50, 500))


# Binary items: the exact test.


@dataclass(frozen=True)
class Rates:
    """Numbers of items of two systems, and the difference of their rates under the null hypothesis."""

    n_baseline: int
    n_candidate: int
    null: float = 0.0

    def judged(self) -> dict[str, float]:
        """Return the largest levels over a grid of rates: two-sided at 5%, 1% and 0.1%, and one-sided at 5%."""
        n, m = self.n_baseline, self.n_candidate
        tables = [(i, j) for i in range(n + 1) for j in range(m + 1)]
        greater, less = (
            np.array([rates_p_value(Right(i, n), Right(j, m), self.null, side) for i, j in tables])
            for side in (Alternative.GREATER, Alternative.LESS)
        )
        two_sided = np.minimum(2 * np.minimum(greater, less), 1.0)
        low, high = max(0.0, -self.null), min(1.0, 1 - self.null)
        rates = low + (high - low) * np.sin(np.linspace(0, np.pi / 2, 201)) ** 2
        baseline = np.asarray(binom.pmf(np.arange(n + 1), n, rates[:, None]))
        candidate = np.asarray(binom.pmf(np.arange(m + 1), m, rates[:, None] + self.null))
        chances = (baseline[:, :, None] * candidate[:, None, :]).reshape(len(rates), -1)

        def largest(values: FloatArray, alpha: float) -> float:
            return float((chances @ (values <= alpha * (1 + 1e-9))).max())

        return {
            "at_5": largest(two_sided, 0.05),
            "at_1": largest(two_sided, 0.01),
            "at_0.1": largest(two_sided, 0.001),
            "one_sided": max(largest(greater, 0.05), largest(less, 0.05)),
        }


RATES = (
    Rates(10, 10),
    Rates(20, 20),
    Rates(50, 50),
    Rates(5, 50),
    Rates(10, 50),
    Rates(20, 100),
    Rates(20, 20, -0.1),
    Rates(20, 60, -0.1),
    Rates(50, 50, -0.1),
)


# All other scores.


@dataclass(frozen=True)
class Samples:
    """A baseline and a candidate with the same expected score.

    Attributes
    ----------
    name : str
    baseline, candidate : callable
        (rng, units) to the sums and sizes of their units.
    counts : tuple of (int, int)
        Numbers of units of both.
    score_range : tuple of (float, float), optional
        The range of scores, if it is known.
    """

    name: str
    baseline: Draw
    candidate: Draw
    counts: tuple[tuple[int, int], ...] = COUNTS
    score_range: tuple[float, float] | None = None

    @property
    def metric(self) -> Ratio:
        """The sum of scores over the number of items."""
        low, high = self.score_range or (None, None)
        return Ratio(lowest=low, highest=high)

    def judged(self, counts: tuple[int, int], sets: int, seed: int) -> dict[str, float]:
        """Return rates of rejection of the default test, two-sided at 5%, 1% and 0.1%, and one-sided at 5%."""
        rng = np.random.default_rng([seed, *counts, crc32(self.name.encode())])
        drawn = [
            [draw(rng, n) for _ in range(sets)] for draw, n in zip((self.baseline, self.candidate), counts, strict=True)
        ]
        arms = [of_ratios(*(np.stack(part) for part in zip(*each, strict=True))) for each in drawn]
        p, signs = np.empty(sets), np.empty(sets)
        for place in range(sets):
            pair = [each[place] for each in drawn]
            two = TwoSamples((self._sample(arms[0], place, pair[0]), self._sample(arms[1], place, pair[1])))
            # If all scores of each system are equal, there is no p-value.
            p[place] = two.p_value(0.0, Alternative.TWO_SIDED) if two.variance > 0 else 1.0
            signs[place] = np.sign(two.gain)
        if problem := self.problem([each[0] for each in drawn], p[0]):
            raise AssertionError(f"{self.name}, {counts}: {problem}")
        sides = [np.where(signs == sign, p / 2, 1 - p / 2) for sign in (1, -1)]
        return {
            "sets": sets,
            "at_5": rejected(p, 0.05),
            "at_1": rejected(p, 0.01),
            "at_0.1": rejected(p, 0.001),
            "one_sided": max(rejected(side, 0.05) for side in sides),
        }

    def _sample(self, arms: Sets, place: int, arm: Arm) -> Sample:
        spread = arms.spread.at(place)
        if float(spread.variance) > 0 and float(spread.effective) >= FEW:
            return Sample(float(arms.gains[place]), spread, len(arm[0]), is_low=False)
        sums, sizes = arm
        pair = Pair(self.metric, np.column_stack([np.zeros_like(sums), sizes]), np.column_stack([sums, sizes]))
        return sample_of(pair, self.score_range)

    def problem(self, arms: Sequence[Arm], p: float) -> str | None:
        """Return how the public call differs on one data set, or None."""
        found = outscore.compare(*map(np.column_stack, arms), unpaired=True, metric=self.metric)
        theirs = found.comparisons[0].tests[0].p_value
        theirs = 1.0 if math.isnan(theirs) else theirs
        return None if abs(p - theirs) <= 1e-9 * theirs else f"p = {p!r}, by outscore.compare {theirs!r}"


def _items(draw: Callable[[Rng, int], FloatArray]) -> Draw:
    """Items with scores of one distribution."""
    return lambda rng, n: (draw(rng, n), np.ones(n))


def _lognormal(sigma: float) -> Draw:
    return _items(lambda rng, n: rng.lognormal(-(sigma**2) / 2, sigma, n))


def _choice(values: Sequence[float], chances: Sequence[float]) -> Draw:
    return _items(lambda rng, n: rng.choice(np.array(values), n, p=chances))


def _clusters(effect: Callable[[Rng, int], FloatArray]) -> Draw:
    """Clusters of 1 to 9 items with an intraclass correlation of 0.3 of normal effects."""

    def draw(rng: Rng, n: int) -> Arm:
        [sizes] = sizes_of("1-9", rng, (1, n))
        return np.sqrt(0.3) * sizes * effect(rng, n) + np.sqrt(0.7 * sizes) * rng.normal(size=n), sizes

    return draw


def _binary_clusters(right: float) -> Draw:
    """Clusters of 1 to 9 binary items with an intraclass correlation of 0.3."""
    scale = 1 / 0.3 - 1

    def draw(rng: Rng, n: int) -> Arm:
        [sizes] = sizes_of("1-9", rng, (1, n))
        return rng.binomial(sizes.astype(int), rng.beta(right * scale, (1 - right) * scale, n)).astype(float), sizes

    return draw


def _errors(rng: Rng, n: int) -> Arm:
    """Word errors of utterances with lognormal lengths and skewed rates."""
    words = np.ceil(rng.lognormal(2.5, 1, n))
    return rng.poisson(0.1 * words * rng.gamma(0.5, 2, n)).astype(float), words


def _rare(rng: Rng, n: int) -> FloatArray:
    return np.where(rng.random(n) < 0.05, rng.random(n), 0.0)


def _alike(name: str, draw: Draw, score_range: tuple[float, float] | None = None) -> Samples:
    return Samples(name, draw, draw, score_range=score_range)


_CEILING = _choice((1.0, 2.0, 3.0, 4.0, 5.0), (0.02, 0.02, 0.03, 0.08, 0.85))
_FEW_RIGHT, _FEW_GRADED = _choice((0.0, 1.0), (0.95, 0.05)), _items(lambda rng, n: rng.beta(0.5, 9.5, n))
_MOST_RIGHT, _MOST_GRADED = _choice((0.0, 1.0), (0.1, 0.9)), _items(lambda rng, n: rng.beta(9, 1, n))
SAMPLES = (
    _alike("normal", _items(lambda rng, n: rng.normal(size=n))),
    _alike("t with 3 degrees of freedom", _items(lambda rng, n: rng.standard_t(3, n))),
    Samples(
        "normal, standard deviations of 3 and 1",
        _items(lambda rng, n: rng.normal(0, 3, n)),
        _items(lambda rng, n: rng.normal(size=n)),
        ((20, 20), (20, 100), (100, 20)),
    ),
    _alike("exponential", _items(lambda rng, n: rng.exponential(size=n))),
    _alike("lognormal, σ = 1", _lognormal(1.0)),
    _alike("lognormal, σ = 1.5", _lognormal(1.5)),
    Samples("lognormal, σ = 1, and gamma, shape 4", _lognormal(1.0), _items(lambda rng, n: rng.gamma(4, 0.25, n))),
    _alike("grades near the highest", _CEILING),
    _alike("the same, range known", _CEILING, (1.0, 5.0)),
    _alike("5% not 0", _items(_rare)),
    _alike("clusters of 1 to 9, normal effects", _clusters(lambda rng, n: rng.normal(size=n))),
    _alike("clusters of 1 to 9, lognormal effects", _clusters(lambda rng, n: rng.lognormal(size=n))),
    _alike("clusters of 1 to 9, accuracy 0.1", _binary_clusters(0.1), (0.0, 1.0)),
    _alike("clusters of 1 to 9, accuracy 0.5", _binary_clusters(0.5), (0.0, 1.0)),
    _alike("word errors", _errors),
    Samples("binary of mean 0.05 and graded, range not known", _FEW_RIGHT, _FEW_GRADED, ((20, 20),)),
    Samples("the same, range known", _FEW_RIGHT, _FEW_GRADED, ((20, 20),), (0.0, 1.0)),
    Samples("binary of mean 0.9 and graded, range not known", _MOST_RIGHT, _MOST_GRADED, ((20, 20),)),
    Samples("the same as before, range known", _MOST_RIGHT, _MOST_GRADED, ((20, 20),), (0.0, 1.0)),
)


# Tests by name, by public calls.


def by_name(test: str, samples: Samples, counts: tuple[int, int], sets: int, seed: int) -> dict[str, float]:
    """Return how often a named test of two samples of items rejects, two-sided at 5% and at 1%."""
    p = np.empty(sets)
    for place in range(sets):
        rng = np.random.default_rng([seed, place, *counts, crc32(samples.name.encode())])
        arms = [draw(rng, n)[0] for draw, n in zip((samples.baseline, samples.candidate), counts, strict=True)]
        found = outscore.compare(*arms, unpaired=True, tests=test, n_resamples=999, seed=place)
        value = found.comparisons[0].tests[0].p_value
        p[place] = 1.0 if math.isnan(value) else value
    return {"sets": sets, "at_5": rejected(p, 0.05), "at_1": rejected(p, 0.01)}


_NAMED = {samples.name: samples for samples in SAMPLES}
NAMED = tuple(
    (test, _NAMED[name], counts)
    for test in ("permutation", "brunner-munzel")
    for name, counts in (
        ("5% not 0", (10, 100)),
        ("5% not 0", (20, 200)),
        ("lognormal, σ = 1.5", (10, 100)),
        ("lognormal, σ = 1, and gamma, shape 4", (20, 20)),
        ("normal, standard deviations of 3 and 1", (20, 20)),
        ("normal, standard deviations of 3 and 1", (20, 100)),
        ("normal, standard deviations of 3 and 1", (100, 20)),
    )
    # Its null hypothesis is about the share of wins, which is not a half here.
    if (test, name) != ("brunner-munzel", "lognormal, σ = 1, and gamma, shape 4")
)
