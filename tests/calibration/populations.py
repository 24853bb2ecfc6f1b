"""Populations on which the default test is measured: in all of them the two systems are equally good.

Each draws many data sets at once. Those of `CHOSEN` were looked at when the rule was chosen, those of `APART` were not.
Those of `HARD` and `SMALL_STRATA` were made to find out where the rule fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np

from outscore import F1
from tests.calibration.sets import (
    FloatArray,
    IntArray,
    Sets,
    of_binary,
    of_binary_strata,
    of_means,
    of_ratios,
    of_rows,
    of_strata,
)

Shape = tuple[int, int]
Draw = Callable[[np.random.Generator, Shape], Sets]
Rng = np.random.Generator

NUMBERS = 1_000_000  # of units drawn at once


@dataclass(frozen=True)
class Population:
    """Where data sets come from.

    Attributes
    ----------
    name : str
    draw : callable
        (rng, (sets, units)) to `Sets`.
    counts : tuple of int
        The numbers of units on which it is measured.
    """

    name: str
    draw: Draw
    counts: tuple[int, ...]

    def drawn(self, n: int, count: int, seed: int) -> Iterator[Sets]:
        """Draw data sets of n units, batch by batch."""
        most = max(NUMBERS // n, 1)
        for start in range(0, count, most):
            rng = np.random.default_rng([seed, n, start, crc32(self.name.encode())])
            yield self.draw(rng, (min(most, count - start), n))


# Items.


def lognormal(sigma: float) -> Draw:
    """Differences that are lognormal less their mean: a few large wins against many small losses."""
    return lambda rng, shape: of_means(rng.lognormal(0, sigma, shape) - np.exp(sigma**2 / 2))


def signed_lognormal(rng: Rng, shape: Shape) -> Sets:
    return of_means(rng.choice([-1.0, 1.0], shape) * rng.lognormal(size=shape))


def latency(rng: Rng, shape: Shape) -> Sets:
    """Times of equal mean, of which those of one system alone vary."""
    return of_means(rng.lognormal(0, 1, shape) * (rng.lognormal(-0.5, 1, shape) - 1))


def grades(rng: Rng, shape: Shape) -> Sets:
    """Grades of two systems around a quality that they share."""
    quality = rng.normal(size=shape)
    one, other = (np.clip(np.round(3.6 + 0.8 * quality + 0.8 * rng.normal(size=shape)), 1, 5) for _ in range(2))
    return of_means(other - one)


def unlike_grades(rng: Rng, shape: Shape) -> Sets:
    """A system with bad and very good grades against one with middling ones, 0.1 taken off so that means agree."""
    one = rng.choice([3.0, 4.0, 5.0], shape, p=[0.3, 0.4, 0.3])
    return of_means(rng.choice([1.0, 4.0, 5.0], shape, p=[0.15, 0.3, 0.55]) - one - 0.1)


def binary(correlation: float, accuracy: float = 0.8) -> Draw:
    """Binary scores of two systems of one accuracy."""
    differing = 2 * accuracy * (1 - accuracy) * (1 - correlation)

    def draw(rng: Rng, shape: Shape) -> Sets:
        u = rng.random(shape)
        return of_binary(np.where(u < differing / 2, 1.0, np.where(u < differing, -1.0, 0.0)))

    return draw


def _inflated(rng: Rng, shape: Shape, zeros: float, ones: float) -> FloatArray:
    u = rng.random(shape)
    return np.where(u < zeros, 0.0, np.where(u > 1 - ones, 1.0, rng.beta(2, 3, shape)))


def zero_inflated(rng: Rng, shape: Shape) -> Sets:
    """Scores between 0 and 1, of which many are 0 and some are 1."""
    return of_means(_inflated(rng, shape, 0.3, 0.1) - _inflated(rng, shape, 0.3, 0.1))


def unlike_inflated(rng: Rng, shape: Shape) -> Sets:
    """Such scores of mean 0.4 against a beta distribution of that mean."""
    return of_means(_inflated(rng, shape, 0.3, 0.2) - rng.beta(4, 6, shape))


def rare_wins(rng: Rng, shape: Shape) -> Sets:
    """A whole point won on 5% of the items, and up to 0.1 lost on the others: the mean is 0."""
    won = rng.random(shape) < 0.05
    return of_means(np.where(won, 1.0, -0.1 * rng.random(shape)) - 0.0025)


def word_errors(rng: Rng, shape: Shape) -> Sets:
    """Errors per word, lengths lognormal, of utterances that are hard for one system or the other."""
    words = np.ceil(rng.lognormal(2.5, 1, shape))
    rate = np.clip(0.12 + 0.08 * rng.normal(size=shape), 0.01, 1)
    one, other = (rng.binomial(words.astype(int), rate) for _ in range(2))
    return of_ratios((one - other).astype(float), words)


def hallucinations(share: float, length: int = 60) -> Draw:
    """Errors per word of a recogniser that is better, but for a few outputs with 60 more errors."""

    def draw(rng: Rng, shape: Shape) -> Sets:
        words = 1 + rng.poisson(18, shape)
        one = rng.binomial(words, 0.08)
        other = rng.binomial(words, 0.08 - share * length / 19) + np.where(rng.random(shape) < share, length, 0)
        return of_ratios((one - other).astype(float), words.astype(float))

    return draw


def f1(*, unlike: bool) -> Draw:
    """F1 of sentences with two spans on average; unlike systems of equal F1 by recall and by precision."""

    def draw(rng: Rng, shape: Shape) -> Sets:
        gold = rng.poisson(2, shape)
        systems = []
        for recall, spurious in ((0.7, 0.6), (0.9, 2 * (1.8 / 0.7 - 1.9)) if unlike else (0.7, 0.6)):
            found = rng.binomial(gold, recall)
            systems.append(np.stack([found, found + rng.poisson(spurious, shape), gold], axis=-1).astype(float))
        defined = (systems[0][:, :, 1:].sum(axis=(1, 2)) > 0) & (systems[1][:, :, 1:].sum(axis=(1, 2)) > 0)
        return of_rows(F1(), *(rows[defined] for rows in systems))

    return draw


# Clusters: n counts them, and their rows are sums over items.


def sizes_of(kind: str, rng: Rng, shape: Shape) -> FloatArray:
    """Return the numbers of items of clusters, shape (sets, clusters)."""
    place = np.broadcast_to(np.arange(shape[1]), shape)
    match kind:
        case "equal":
            return np.full(shape, 5.0)
        case "20 each":
            return np.full(shape, 20.0)
        case "1-9":
            return rng.integers(1, 10, shape).astype(float)
        case "lognormal":
            return np.ceil(rng.lognormal(1.5, 1.2, shape))
        case "one with half":
            return np.where(place == 0, 5.0 * (shape[1] - 1), 5.0)
        case "5 of 30, others of 1":
            return np.where(place < 5, 30.0, 1.0)
        case "5 of 60, others of 1":
            return np.where(place < 5, 60.0, 1.0)
        case "2 of 100, others of 1":
            return np.where(place < 2, 100.0, 1.0)
        case "4 of 50, others of 1":
            return np.where(place < 4, 50.0, 1.0)
        case "Zipf 60":
            return np.maximum(np.round(60 / (place + 1.0) ** 0.7), 1)
        case "Zipf 200":
            return np.maximum(np.floor(200 / (place + 1.0) ** 0.9), 1)
    raise ValueError(kind)


def clusters(kind: str, icc: float = 0.3) -> Draw:
    """Normal differences with an intraclass correlation."""

    def draw(rng: Rng, shape: Shape) -> Sets:
        sizes = sizes_of(kind, rng, shape)
        shared, own = rng.normal(size=(2, *shape))
        return of_ratios(np.sqrt(icc) * sizes * shared + np.sqrt((1 - icc) * sizes) * own, sizes)

    return draw


def binary_clusters(kind: str, icc: float = 0.3) -> Draw:
    """Binary scores of 85% accuracy, which each system's clusters raise or lower."""

    def draw(rng: Rng, shape: Shape) -> Sets:
        sizes, scale = sizes_of(kind, rng, shape), 1 / icc - 1
        one, other = (rng.binomial(sizes.astype(int), rng.beta(0.85 * scale, 0.15 * scale, shape)) for _ in range(2))
        return of_ratios((other - one).astype(float), sizes)

    return draw


def skewed_clusters(rng: Rng, shape: Shape) -> Sets:
    """Clusters of 5 items whose effects are exponential less their mean."""
    sizes = np.full(shape, 5.0)
    effects = 5 * 0.6 * (rng.exponential(size=shape) - 1)
    return of_ratios(effects + np.sqrt(5) * 0.8 * rng.normal(size=shape), sizes)


# Strata of equal weight: n counts items.


def strata(sizes: Sequence[int], *, right: float | None = None) -> Draw:
    """Normal differences, or those of binary scores of one accuracy, averaged over strata."""
    codes = _codes(sizes)

    def draw(rng: Rng, shape: Shape) -> Sets:
        if right is None:
            return of_strata(rng.normal(size=shape), codes)
        one, other = (rng.random(shape) < right for _ in range(2))
        return of_binary_strata(np.subtract(other, one, dtype=np.float64), codes)

    return draw


def _codes(sizes: Sequence[int]) -> IntArray:
    return np.repeat(np.arange(len(sizes)), sizes)


def skewed_strata(sizes: Sequence[int], name: str, weights: Sequence[float] | None = None) -> Draw:
    """Differences of one distribution, averaged over strata with equal or given weights."""
    codes = _codes(sizes)
    return lambda rng, shape: of_strata(DISTRIBUTIONS[name](rng, shape), codes, weights)


# Populations that had no part in choosing the rule.


def two_kinds(rng: Rng, shape: Shape) -> Sets:
    """Normal differences, of which a tenth is 3 larger, less the mean."""
    return of_means(rng.normal(size=shape) + 3.0 * (rng.random(shape) < 0.1) - 0.3)


def unlike_word_errors(rng: Rng, shape: Shape) -> Sets:
    """Errors per word of one system that makes them evenly, and of one that makes them in some utterances."""
    words = np.ceil(rng.gamma(2, 10, shape))
    one, other = rng.poisson(0.1 * words), rng.poisson(0.1 * words * rng.gamma(0.5, 2, shape))
    return of_ratios((one - other).astype(float), words)


def unlike_costs(rng: Rng, shape: Shape) -> Sets:
    """Costs of equal mean with a lognormal and a gamma distribution."""
    base = rng.lognormal(0, 0.7, shape)
    return of_means(base * (rng.lognormal(-0.18, 0.6, shape) - rng.gamma(2, 0.5, shape)))


def unlike_points(rng: Rng, shape: Shape) -> Sets:
    """Grades from 1 to 5 of mean 4.15 with different spreads."""
    values = np.arange(1.0, 6.0)
    one = rng.choice(values, shape, p=[0.0, 0.05, 0.25, 0.2, 0.5])
    return of_means(rng.choice(values, shape, p=[0.05, 0.05, 0.1, 0.3, 0.5]) - one)


def ties(share: float) -> Draw:
    """Ties, and exponential differences less their mean."""
    return lambda rng, shape: of_means(np.where(rng.random(shape) < share, 0.0, rng.exponential(size=shape) - 1))


def rare_parts(rng: Rng, shape: Shape) -> Sets:
    """Normal differences with a large exponential part in 2% of the items, less the mean."""
    return of_means(rng.normal(size=shape) + np.where(rng.random(shape) < 0.02, rng.exponential(10, shape), 0.0) - 0.2)


def time_outs(rng: Rng, shape: Shape) -> Sets:
    """Times of equal mean: a system that takes 30 times as long for 1% of the items is faster for the others."""
    usual, shared = np.exp(0.25), rng.lognormal(0, 0.5, shape)
    one, other = (shared * rng.lognormal(0, 0.5, shape) for _ in range(2))
    late = 30 * usual
    other = np.where(rng.random(shape) < 0.01, late, other * (usual - 0.01 * late) / (0.99 * usual))
    return of_means(other - one)


def ceiling(rng: Rng, shape: Shape) -> Sets:
    """A judge's grades from 1 to 10 with mean 9.4: a system with 10 or a bad grade against one with 9 or 10."""
    one = rng.choice([9.0, 10.0], shape, p=[0.6, 0.4])
    other = np.where(rng.random(shape) < 0.9, 10.0, rng.choice([2.0, 4.0, 6.0], shape))
    return replace(of_means(other - one), systems=lambda place: (one[place], other[place]))


N = (8, 12, 20, 30, 50, 100, 200, 500)
N_APART = (12, 20, 30, 50, 100, 200)

ITEMS = (
    Population("normal", lambda rng, shape: of_means(rng.normal(size=shape)), N),
    Population("t with 3 degrees of freedom", lambda rng, shape: of_means(rng.standard_t(3, shape)), N),
    Population("± lognormal", signed_lognormal, N),
    Population("exponential", lambda rng, shape: of_means(rng.exponential(size=shape) - 1), N),
    Population("lognormal, σ = 1", lognormal(1.0), N),
    Population("lognormal, σ = 1.5", lognormal(1.5), N),
    Population("lognormal, σ = 2", lognormal(2.0), N),
    Population("latency, unlike systems", latency, N),
    Population("grades 1 to 5", grades, N),
    Population("grades, unlike systems", unlike_grades, N),
    Population("binary, r = 0", binary(0.0), N),
    Population("binary, r = 0.5", binary(0.5), N),
    Population("binary, r = 0.9", binary(0.9), N),
    Population("zero-inflated", zero_inflated, N),
    Population("zero-inflated, unlike systems", unlike_inflated, N),
    Population("rare wins", rare_wins, N),
    Population("word errors, lengths lognormal", word_errors, N),
    Population("F1", f1(unlike=False), N),
    Population("F1, unlike systems", f1(unlike=True), N),
    Population("hallucinations, 1%", hallucinations(0.01), (200, 500, 1000)),
    Population("hallucinations, 0.2%", hallucinations(0.002), (500, 1000)),
)
CLUSTERS = (
    Population("clusters of 1 to 9", clusters("1-9"), (5, 8, 12, 20, 50, 200)),
    Population("clusters of 1 to 9, binary", binary_clusters("1-9"), (5, 8, 12, 20, 50, 200)),
    Population("lognormal clusters", clusters("lognormal"), (5, 8, 12, 20, 50, 200, 400)),
    Population("lognormal clusters, binary", binary_clusters("lognormal"), (5, 8, 12, 20, 50, 200, 400)),
    Population("one cluster with half of the items", clusters("one with half"), (5, 8, 20, 50, 200)),
    Population("5 clusters of 30, others of 1", clusters("5 of 30, others of 1"), (55, 105, 405)),
    Population("the same, correlation 1", clusters("5 of 30, others of 1", 1.0), (405,)),
    Population("5 clusters of 60, others of 1", clusters("5 of 60, others of 1"), (1005,)),
    Population("the same, correlation 1 (60)", clusters("5 of 60, others of 1", 1.0), (1005,)),
    Population("Zipf clusters, 60/r^0.7", clusters("Zipf 60"), (300,)),
)
_SIZES = ((5, 5, 300), (3,) * 10 + (300,), (5,) * 10 + (500,), (10, 20, 40, 80, 350), (5,) * 4)


def _named(sizes: Sequence[int]) -> str:
    kinds = {size: sizes.count(size) for size in dict.fromkeys(sizes)}
    return ", ".join(f"{size}" if times == 1 else f"{times} of {size}" for size, times in kinds.items())


STRATA = tuple(
    Population(f"strata: {_named(sizes)}{', binary' if right else ''}", strata(sizes, right=right), (sum(sizes),))
    for sizes in _SIZES
    for right in (None, 0.8)
)
CHOSEN = (*ITEMS, *CLUSTERS, *STRATA)
APART = (
    Population("gamma, shape 0.5", lambda rng, shape: of_means(rng.gamma(0.5, size=shape) - 0.5), N_APART),
    Population("Pareto, index 3", lambda rng, shape: of_means(rng.pareto(3, shape) - 0.5), N_APART),
    Population(
        "beta, unlike systems",
        lambda rng, shape: of_means(rng.beta(2, 8, shape) - rng.beta(0.5, 2, shape)),
        N_APART,
    ),
    Population("normal, 10% 3 larger", two_kinds, N_APART),
    Population("word errors, unlike systems", unlike_word_errors, N_APART),
    Population("costs, unlike systems", unlike_costs, N_APART),
    Population("60% ties, skewed rest", ties(0.6), N_APART),
    Population("5-point grades, unlike systems", unlike_points, N_APART),
    Population("Zipf clusters, 200/r^0.9", clusters("Zipf 200", 0.36), (12, 30, 100)),
    Population("clusters with exponential effects", skewed_clusters, (30, 100)),
)
HARD = (
    Population("80% ties, skewed rest", ties(0.8), (20, 50, 100, 200, 500)),
    Population("normal, 2% much larger", rare_parts, (20, 50, 100, 200, 500)),
    Population("time-outs, 1%", time_outs, (50, 200, 500, 1000)),
    Population("a judge's grades near the highest, unlike systems", ceiling, (20, 50, 100, 200)),
    Population("2 clusters of 100, others of 1", clusters("2 of 100, others of 1"), (52, 102)),
    Population("4 clusters of 50, others of 1", clusters("4 of 50, others of 1"), (54, 104)),
)
DISTRIBUTIONS: dict[str, Callable[[Rng, Shape], FloatArray]] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "exponential": lambda rng, shape: rng.exponential(size=shape) - 1,
    "lognormal, σ = 1": lambda rng, shape: rng.lognormal(size=shape) - np.exp(0.5),
}
_SMALL = ((2,) * 5, (2,) * 10, (2,) * 20, (2,) * 50, (3,) * 4, (3,) * 10, (4,) * 5, (5,) * 10, (3, 3, 300), (6, 8, 250))
SMALL_STRATA = tuple(
    Population(f"strata: {_named(sizes)}, {name}", skewed_strata(sizes, name), (sum(sizes),))
    for sizes in _SMALL
    for name in DISTRIBUTIONS
) + tuple(
    Population(
        f"strata: 40, 2 of 5, weights 0.4, 0.3, 0.3, {name}", skewed_strata((40, 5, 5), name, (0.4, 0.3, 0.3)), (50,)
    )
    for name in DISTRIBUTIONS
)
EVERY = {population.name: population for population in (*CHOSEN, *APART, *HARD, *SMALL_STRATA)}
