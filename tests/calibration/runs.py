"""Systems with several runs whose procedures are equally good: populations, and what the variance of a gain is made of.

`Parts` has the mean squares of a table of items and runs, a second opinion on outscore's variances.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from math import exp, sqrt
from typing import NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt
from scipy.stats import multivariate_normal, norm, t

from outscore import F1, Mean
from outscore.metrics import Metric
from outscore.results import Alternative, Method, RunLaw
from outscore.significance import Bootstrap, Resampling, SkewT
from outscore.significance.crossed import CrossedT
from tests.kit import RunDesign, Runs, output_metric
from tests.significance.kit import (
    Crossing,
    GainLaws,
    GainVariance,
    Hypothesis,
    LevelsPart,
    Pair,
    StratumMean,
    mean_of_cells,
    of_normal,
)

FloatArray = npt.NDArray[np.float64]
Sets = tuple[FloatArray, FloatArray]  # scores of the baseline and of the candidate, shape (count, n, m) each
_NUMBERS = 4_000_000  # of one batch of sets
_RANDOM = (Runs(RunDesign.RANDOM),)
_LATENT = sqrt(1.5**2 + 0.7**2 + 0.7**2)


@dataclass(frozen=True)
class Procedures:
    """Two procedures of one mean: items × runs with item effects that both share, half of σ₁² interaction.

    Attributes
    ----------
    kind : {"real", "skew", "binary"}
        Scores are normal, have lognormal item effects, or are right or wrong (probit).
    n : int
    m : tuple of int
        Runs of the baseline and of the candidate.
    rho : tuple of float
        nτ²/σ₁² of each, σ₁² the variance over items of the difference of one run each.
    seeds : {"normal", "exponential", "bad"}
        Of run effects; of "bad" ones one in ten is far below the others. All have the same variance.
    shared : bool
        Whether half of the variance of a run's effect is that of the run of the same number of the other system.
    """

    kind: str
    n: int
    m: tuple[int, int]
    rho: tuple[float, float]
    seeds: str = "normal"
    shared: bool = False

    def __str__(self) -> str:
        rho = "; ".join(f"{of:g}" for of in dict.fromkeys(self.rho))
        m = ", ".join(map(str, dict.fromkeys(self.m)))
        return f"{self.kind}, n = {self.n}, m = {m}, rho = {rho}"

    def batches(self, count: int, seed: int = 0) -> Iterator[Sets]:
        """Draw data sets."""
        rng = np.random.default_rng([seed, crc32(repr(self).encode())])
        size = max(1, min(2000, _NUMBERS // (self.n * sum(self.m))))
        for start in range(0, count, size):
            yield self.draw(rng, min(size, count - start))

    def draw(self, rng: np.random.Generator, count: int) -> Sets:
        def normal(*shape: int) -> FloatArray:
            return rng.standard_normal((count, *shape), dtype=np.float32)  # type: ignore[return-value]

        common = self._effects(rng, count, min(self.m))
        items, sets = normal(self.n, 1), []
        for m, rho in zip(self.m, self.rho, strict=True):
            effects = self._effects(rng, count, m)
            if self.shared:
                effects = np.sqrt(0.5) * (effects + common)
            effects = (sqrt(rho / self.n) * effects)[:, None].astype(np.float32)
            if self.kind == "binary":
                scale = np.float32(sqrt(_difference()) / (norm.pdf(0.5 / _LATENT) / _LATENT))
                own = np.float32(0.7) * normal(self.n, 1) + np.float32(0.7) * normal(self.n, m)
                sets.append((np.float32(1.5) * items + own + np.float32(0.5) + scale * effects > 0).astype(np.float64))
                continue
            own = normal(self.n, 1)
            if self.kind == "skew":
                own = (np.exp(np.float32(0.8) * own) - exp(0.32)) / sqrt((exp(0.64) - 1) * exp(0.64))
            sets.append((items + 0.5 * own + np.float32(0.5) * normal(self.n, m) + effects).astype(np.float64))
        return sets[0], sets[1]

    def _effects(self, rng: np.random.Generator, count: int, m: int) -> FloatArray:
        """Return effects of mean 0 and variance 1, shape (count, m)."""
        match self.seeds:
            case "exponential":
                return rng.exponential(size=(count, m)) - 1
            case "bad":
                return np.asarray((0.1 - (rng.random((count, m)) < 0.1)) / 0.3, dtype=np.float64)
        return rng.normal(size=(count, m))

    @property
    def components(self) -> tuple[float, float, float]:
        """σ²_D, and τ² and ω² of each system, of normal scores."""
        assert self.kind == "real"
        assert self.rho[0] == self.rho[1]
        return 0.5, self.rho[0] / self.n, 0.25


@cache
def _difference() -> float:
    """Return the variance of the difference of two systems' one run on an item that is right or wrong."""
    h, r = 0.5 / _LATENT, 1.5**2 / _LATENT**2
    both = float(multivariate_normal([0, 0], [[1, r], [r, 1]]).cdf([h, h]))
    return float(2 * (norm.cdf(h) - both))


class Parts(NamedTuple):
    """The gains of many sets and what their variances are made of, shape (count,) each; of runs per factor."""

    gain: FloatArray
    items: FloatArray
    between: tuple[FloatArray, ...]
    interaction: tuple[FloatArray, ...]
    n: int
    m: tuple[int, ...]

    @property
    def variance(self) -> FloatArray:
        total = self.items
        for between, interaction, m in zip(self.between, self.interaction, self.m, strict=True):
            total = total + np.maximum(between - max(0.0, (m - 3) / (m - 1)) * interaction, 0)
        return total

    @property
    def degrees(self) -> FloatArray:
        below = self.items**2 / (self.n - 1)
        for between, m in zip(self.between, self.m, strict=True):
            below = below + between**2 / (m - 1)
        return np.asarray(self.variance**2 / below)

    def crossed_t(self) -> FloatArray:
        """Return two-sided p-values of the crossed t test."""
        return np.asarray(2 * t.sf(np.abs(self.gain) / np.sqrt(self.variance), self.degrees))

    def items_t(self) -> FloatArray:
        """Return two-sided p-values of the t test over items, as of runs that are fixed."""
        return np.asarray(2 * t.sf(np.abs(self.gain) / np.sqrt(self.items), self.n - 1))


def parts(one: FloatArray, other: FloatArray, *, paired: bool = False) -> Parts:
    """Return what the gains of many sets vary by, by mean squares."""
    n, by_item = one.shape[1], other.mean(axis=2) - one.mean(axis=2)
    between, interaction, runs = [], [], []
    for scores in [other - one] if paired else [one, other]:
        m = scores.shape[2]
        of_items, of_runs = scores.mean(axis=2), scores.mean(axis=1)
        # Σ (y − y_i)² less n Σ (y_r − y)²: what neither items nor runs explain
        within = np.einsum("dim,dim->d", scores, scores) - m * (of_items**2).sum(axis=1)
        squares = within - n * ((of_runs - of_runs.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
        between.append(of_runs.var(axis=1, ddof=1) / m)
        interaction.append(squares / ((n - 1) * (m - 1)) / (n * m))
        runs.append(m)
    items = by_item.var(axis=1, ddof=1) / n
    return Parts(by_item.mean(axis=1), items, tuple(between), tuple(interaction), n, tuple(runs))


def fiducial_p(procedures: Procedures, count: int, seed: int = 0) -> FloatArray:
    """Return the p-values of the crossed t test by the sum of t laws, shape (count,): of outscore itself."""
    test, found = CrossedT(RunLaw.FIDUCIAL), []
    for sets in procedures.batches(count, seed):
        for one, other in zip(*sets, strict=True):
            systems = tuple(np.stack([each.T, np.ones_like(each.T)], axis=-1) for each in (one, other))
            over, rows = mean_of_cells(Mean(), systems)
            pair = Pair(over, rows[0], rows[1], crossing=Crossing(Mean(), _RANDOM, systems))
            laws = GainLaws([pair], Resampling())
            found.append(test.p_value(pair, laws, Hypothesis(Alternative.TWO_SIDED)).value)
    return np.array(found)


# Corpus metrics: the law in weights, of outscore itself.


@dataclass(frozen=True)
class CorpusRuns:
    """Two procedures on a metric whose statistics add up, with runs, and maybe strata of which the mean is taken.

    Attributes
    ----------
    name : str
    metric : Metric
    draw : callable
        (rng, n, m, τ) to the rows of one system after another, shape (m, n, k) each.
    tau : float
        The standard deviation of a run's effect on the logit.
    sizes : tuple of int
        Of strata, whose mean is taken; none for one.
    """

    name: str
    metric: Metric
    draw: Callable[[np.random.Generator, int, int, float], tuple[FloatArray, FloatArray]]
    tau: float
    sizes: tuple[int, ...] = ()

    def measure(self, n: int, m: int, count: int, n_resamples: int = 299, seed: int = 0) -> tuple[FloatArray, ...]:
        """Return p-values of the default test and of the bootstrap of items, shape (count,) each."""
        found = []
        strata = np.repeat(np.arange(len(self.sizes)), self.sizes) if self.sizes else None
        weights = (1 / max(len(self.sizes), 1),) * len(self.sizes)
        metric = StratumMean(self.metric, weights) if self.sizes else self.metric
        rng = np.random.default_rng([seed, n, m, crc32(f"{self.name}{self.tau}{self.sizes}".encode())])
        for index in range(count):
            systems = self.draw(rng, n, m, self.tau)
            if isinstance(metric, StratumMean):
                assert strata is not None
                systems = metric.placed(systems[0], strata), metric.placed(systems[1], strata)
            crossing = Crossing(metric, _RANDOM, systems, strata)
            over, rows = mean_of_cells(metric, systems)
            pair = Pair(over, rows[0], rows[1], strata, crossing=crossing)
            laws = GainLaws([pair], Resampling(Method.MONTE_CARLO, n_resamples, seed=index))
            question = Hypothesis(Alternative.TWO_SIDED)
            found.append([test.p_value(pair, laws, question).value for test in (SkewT(), Bootstrap())])
        return tuple(np.array(found).T)


def _logits(rng: np.random.Generator, items: FloatArray, m: int, tau: float) -> FloatArray:
    """Return one system's chances of being right, shape (m, n)."""
    n = len(items)
    effects = rng.normal(0, 0.5, n) + rng.normal(0, tau, (m, 1)) + rng.normal(0, 0.5, (m, n))
    return np.asarray(1 / (1 + np.exp(-(0.8 + items + effects))))


def _f1(rng: np.random.Generator, n: int, m: int, tau: float) -> tuple[FloatArray, FloatArray]:
    items, gold = rng.normal(0, 1.2, n), 1 + rng.poisson(1.0, n)
    systems = []
    for _ in range(2):
        p = _logits(rng, items, m, tau)
        right = rng.binomial(np.broadcast_to(gold, p.shape), p)
        predicted = right + rng.poisson(0.8 * (1 - p))
        systems.append(np.stack([right, predicted, np.broadcast_to(gold, p.shape)], axis=-1).astype(np.float64))
    return systems[0], systems[1]


def _bleu(rng: np.random.Generator, n: int, m: int, tau: float) -> tuple[FloatArray, FloatArray]:
    """Return made-up n-gram counts: of the n-grams of one order, those that match begin one of the next."""
    items, lengths = rng.normal(0, 0.8, n), rng.integers(8, 30, n)
    systems = []
    for _ in range(2):
        p = _logits(rng, items, m, tau)
        own = np.maximum(np.rint(lengths * np.exp(rng.normal(0, 0.1, p.shape))), 5).astype(np.int64)
        ngrams = [own - order for order in range(4)]
        matches, chance = [rng.binomial(own, p)], np.sqrt(p)
        for order in range(1, 4):
            matches.append(rng.binomial(np.minimum(matches[-1], ngrams[order]), chance))
        counts = [own, np.broadcast_to(lengths, p.shape), *matches, *ngrams]
        systems.append(np.stack(counts, axis=-1).astype(np.float64))
    return systems[0], systems[1]


def f1_runs(tau: float, sizes: tuple[int, ...] = ()) -> CorpusRuns:
    """F1 of some spans an item."""
    return CorpusRuns("F1", F1(), _f1, tau, sizes)


def bleu_runs(tau: float, sizes: tuple[int, ...] = ()) -> CorpusRuns:
    """BLEU of counts that nobody translated."""
    return CorpusRuns("BLEU", output_metric("bleu"), _bleu, tau, sizes)


# What is planned with the components of a pilot.


def planned(pilot: Procedures, n: int, m: int, count: int, seed: int = 0) -> tuple[FloatArray, float]:
    """Return standard errors of m runs of n items as pilots foretell them, shape (count,), and the true one."""
    foretold = []
    for sets in pilot.batches(count, seed):
        of = parts(*sets)
        for index in range(len(of.gain)):
            factors = tuple(
                LevelsPart(*_RANDOM, runs, float(between[index]), float(interaction[index]))
                for runs, between, interaction in zip(of.m, of.between, of.interaction, strict=True)
            )
            variance = GainVariance((of_normal(float(of.items[index]), of.n - 1.0),), of.n, factors, {})
            foretold.append(sqrt(variance.anew(n, (m, m))))
    items, runs, interaction = pilot.components
    return np.array(foretold), sqrt(items / n + 2 * runs / m + 2 * interaction / (n * m))
