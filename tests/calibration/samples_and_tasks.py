"""Samples of items, and several test sets: populations, and how often k̂ counts too many."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

from outscore import Mean
from tests.calibration.nulls import Population, Systems
from tests.kit import at_least, reducer_named

FloatArray = npt.NDArray[np.float64]


def _with_ones(scores: FloatArray) -> FloatArray:
    return np.stack([scores, np.ones_like(scores)], axis=-1)


def nested(spec: str, n_samples: int, *, sharp: bool) -> Population:
    """Reduced samples that are right with each item's own probability, the same for both systems where `sharp`.

    Otherwise four items in ten have another one for each system: items differ, and the means agree.
    """
    reducer = reducer_named(spec)

    def draw(rng: np.random.Generator, count: int, n: int) -> Systems:
        one = rng.beta(0.4, 0.6, (count, n))
        other = one if sharp else np.where(rng.random((count, n)) < 0.6, one, rng.beta(0.4, 0.6, (count, n)))
        reduced = [
            reducer.reduced((rng.random((n_samples, count * n)) < p.ravel()).astype(float)).reshape(count, n)
            for p in (one, other)
        ]
        return _with_ones(reduced[0]), _with_ones(reduced[1])

    null = "items are alike" if sharp else "items differ"
    return Population(f"{spec} of {n_samples}, {null}", Mean(), draw)


def tasks(gains: str) -> Population:
    """Gains of tasks drawn at random, of mean 0 and variance 1, each measured with an error of its own size."""

    def draw(rng: np.random.Generator, count: int, n: int) -> Systems:
        shape = (count, n)
        match gains:
            case "normal":
                true = rng.normal(size=shape)
            case "exponential":
                true = rng.exponential(size=shape) - 1
            case _:
                true = rng.standard_t(3, size=shape) / np.sqrt(3)
        found = true + np.exp(rng.normal(-1, 0.7, shape)) * rng.normal(size=shape)
        return _with_ones(np.zeros(shape)), _with_ones(found)

    return Population(f"tasks: {gains}", Mean(), draw, continuous=True)


def p_values(n_sets: int, n_gains: int, correlation: float, count: int, seed: int) -> FloatArray:
    """Return one-sided p-values, shape (count, n_sets), of which the first n_gains are of gains of 3 errors."""
    rng = np.random.default_rng([seed, n_sets, n_gains, int(100 * correlation)])
    z = np.sqrt(1 - correlation) * rng.normal(size=(count, n_sets))
    z += np.sqrt(correlation) * rng.normal(size=(count, 1))
    z[:, :n_gains] += 3
    return np.asarray(norm.sf(z))


def counted(p: FloatArray, method: str) -> npt.NDArray[np.int64]:
    """Return k̂ of each row, shape (count,)."""
    return np.array([at_least(row, 0.05, method).count for row in p.tolist()])
