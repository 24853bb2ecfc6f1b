"""How often the 95% interval that `outscore.score` prints holds a system's true score, near a bound above all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import outscore
from outscore._types import AnyArray
from tests.calibration.new_runs import item_rows
from tests.calibration.populations import Rng, sizes_of

Draw = Callable[[Rng], tuple[AnyArray, dict[str, Any]]]


@dataclass(frozen=True)
class Scored:
    """A system whose true score is known.

    Attributes
    ----------
    name : str
    truth : float
    draw : callable
        rng to one test set and keyword arguments of `outscore.score`.
    """

    name: str
    truth: float
    draw: Draw


@dataclass
class Held:
    """Counts over test sets: intervals that hold the truth, that lie below and above it, and of no width."""

    sets: int = 0
    held: int = 0
    below: int = 0
    above: int = 0
    points: int = 0


def judge(scored: Scored, count: int, seed: int = 0) -> Held:
    """Score `count` test sets."""
    found = Held()
    for index in range(count):
        values, asked = scored.draw(np.random.default_rng([seed, index]))
        interval = outscore.score(values, n_resamples=999, seed=index, **asked).scores[0].interval
        slack = 1e-9 * max(abs(scored.truth), 1e-3)
        below, above = interval.high < scored.truth - slack, interval.low > scored.truth + slack
        found.sets += 1
        found.held += not (below or above)
        found.below += below
        found.above += above
        found.points += interval.high - interval.low < 1e-12
    return found


def ceiling(n: int, metric: str | None) -> Scored:
    """Graded scores of which 98% are 1 or 0.999, and the others 0."""

    def draw(rng: Rng) -> tuple[AnyArray, dict[str, Any]]:
        return np.where(rng.random(n) < 0.02, 0.0, np.where(rng.random(n) < 0.5, 1.0, 0.999)), {"metric": metric}

    known = "range known" if metric else "range not known"
    return Scored(f"graded, 98% near 1, 2% at 0, {known}, n = {n}", 0.98 * 0.9995, draw)


def binary(n: int, error: float) -> Scored:
    def draw(rng: Rng) -> tuple[AnyArray, dict[str, Any]]:
        return (rng.random(n) >= error) * 1.0, {"metric": "accuracy"}

    return Scored(f"accuracy, error rate {error:g}, n = {n}", 1 - error, draw)


def clusters(n: int, size: int, right: float) -> Scored:
    """Clusters of which 30% are right or wrong as a whole."""

    def draw(rng: Rng) -> tuple[AnyArray, dict[str, Any]]:
        whole = np.repeat(rng.random(n) < 0.3, size)
        x = np.where(whole, np.repeat(rng.random(n) < right, size), rng.random(n * size) < right) * 1.0
        return x, {"metric": "accuracy", "clusters": [f"c{place // size}" for place in range(n * size)]}

    return Scored(f"accuracy {right:g}, {n} clusters of {size}", right, draw)


def beta_clusters(kind: str, n: int, right: float, icc: float) -> Scored:
    """Clusters of unequal sizes with an accuracy of their own."""
    scale = 1 / icc - 1

    def draw(rng: Rng) -> tuple[AnyArray, dict[str, Any]]:
        sizes = sizes_of(kind, rng, (1, n))[0].astype(int)
        codes = np.repeat(np.arange(n), sizes)
        own = rng.beta(right * scale, (1 - right) * scale, n)[codes]
        return (rng.random(len(codes)) < own) * 1.0, {"metric": "accuracy", "clusters": [f"c{code}" for code in codes]}

    return Scored(f"accuracy {right:g}, {n} clusters, {kind}, correlation {icc:g}", right, draw)


def strata(n_strata: int, size: int, right: float, weights: str | None = None) -> Scored:
    def draw(rng: Rng) -> tuple[AnyArray, dict[str, Any]]:
        names = [f"h{place // size:02}" for place in range(n_strata * size)]
        asked = {"metric": "accuracy", "strata": names, **({"weights": weights} if weights else {})}
        return (rng.random(n_strata * size) < right) * 1.0, asked

    named = ", macro" if weights else ""
    return Scored(f"accuracy {right:g}, {n_strata} strata of {size}{named}", right, draw)


def f1(n: int, recall: float, precision: float) -> Scored:
    def draw(rng: Rng) -> tuple[AnyArray, dict[str, Any]]:
        gold = rng.poisson(2, n)
        found = rng.binomial(gold, recall)
        spurious = rng.poisson(2 * recall * (1 / precision - 1), n)
        return np.stack([found, found + spurious, gold], axis=1).astype(float), {"metric": "f1"}

    truth = 2 * recall * precision / (recall + precision)
    return Scored(f"F1, recall {recall:g}, precision {precision:g}, n = {n}", truth, draw)


def lognormal(n: int, sigma: float) -> Scored:
    def draw(rng: Rng) -> tuple[AnyArray, dict[str, Any]]:
        return rng.lognormal(0, sigma, n), {}

    return Scored(f"lognormal scores, σ = {sigma:g}, n = {n}", float(np.exp(sigma**2 / 2)), draw)


def rare_losses(n: int) -> Scored:
    def draw(rng: Rng) -> tuple[AnyArray, dict[str, Any]]:
        return 1 - 10.0 * (rng.random(n) < 0.02), {}

    return Scored(f"1, and −9 on 2% of the items, n = {n}", 0.8, draw)


def runs(kind: str, n: int) -> Scored:
    def draw(rng: Rng) -> tuple[AnyArray, dict[str, Any]]:
        [rows], names = item_rows(kind, n, rng, systems=1, ratio=0.02)
        return rows, {"runs": "random", "clusters": names}

    return Scored(f"new runs, {n} clusters, {kind}", 0.0, draw)


KNOWN = "mean:lowest=0,highest=1"
SCORED = (
    ceiling(30, KNOWN),
    ceiling(100, KNOWN),
    ceiling(30, None),
    ceiling(100, None),
    binary(20, 0.0088),
    binary(100, 0.00178),
    binary(1000, 0.000178),
    binary(100, 0.02),
    clusters(20, 5, 0.98),
    clusters(30, 5, 0.95),
    clusters(50, 4, 0.98),
    clusters(100, 2, 0.99),
    clusters(12, 10, 0.95),
    beta_clusters("20 each", 10, 0.95, 0.3),
    beta_clusters("20 each", 10, 0.8, 0.5),
    beta_clusters("20 each", 10, 0.95, 0.5),
    beta_clusters("20 each", 20, 0.8, 0.5),
    beta_clusters("20 each", 50, 0.8, 0.5),
    beta_clusters("20 each", 20, 0.95, 0.5),
    beta_clusters("20 each", 50, 0.95, 0.5),
    beta_clusters("lognormal", 60, 0.95, 0.3),
    beta_clusters("5 of 30, others of 1", 405, 0.6, 0.5),
    strata(5, 20, 0.98),
    strata(20, 5, 0.95, "macro"),
    f1(20, 0.7, 0.7),
    f1(50, 0.95, 0.95),
    f1(100, 0.98, 0.98),
    f1(30, 0.2, 0.4),
    lognormal(30, 1.0),
    lognormal(100, 1.5),
    lognormal(500, 1.5),
    rare_losses(100),
    runs("lognormal", 20),
    runs("one with half", 20),
)
