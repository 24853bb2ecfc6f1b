"""Measure what the default test finds beside the paired t-test, and print the table of docs/statistics/power.md.

`python benchmarks/power.py` takes some ten minutes on one core; `--sets 100` is a trial run. Gains are those that the
t-test finds on 80% of the sets. Where its level is wrong, as for skewed differences, so is that power.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.special import stdtrit

import outscore
from outscore._types import FloatArray, IntArray
from outscore.planning import Rates, plan_gain

TARGET = 0.8
SEARCH = 8_000  # sets on which gains are sought
# Baselines and candidates of n items with a gain, shape (2, n); of binary ones it is the share helped.
Draw = Callable[[np.random.Generator, int, float], FloatArray]
Noise = Callable[[np.random.Generator, int], FloatArray]


def _shifted(noise: Noise, rng: np.random.Generator, n: int, gain: float) -> FloatArray:
    return np.stack([np.zeros(n), noise(rng, n) + gain])


def _exponential(sign: int, rng: np.random.Generator, n: int) -> FloatArray:
    return np.asarray(sign * (rng.exponential(1, n) - 1))


def _lognormal(sign: int, rng: np.random.Generator, n: int) -> FloatArray:
    return np.asarray(sign * (rng.lognormal(0, 1, n) - np.exp(0.5)))


def _grades(rng: np.random.Generator, n: int, gain: float) -> FloatArray:
    """Grades of 1 to 5, of which the candidate's are often off by one, and raised by one with probability `gain`."""
    baseline = rng.integers(1, 6, n)
    moved = baseline + rng.choice([-1, 0, 1], n, p=[0.25, 0.5, 0.25]) + (rng.random(n) < gain)
    return np.stack([baseline, np.clip(moved, 1, 5)]).astype(float)


def _binary(hurt: float, rng: np.random.Generator, n: int, gain: float) -> FloatArray:
    kind = rng.choice(3, n, p=[hurt, hurt + gain, 1 - 2 * hurt - gain])
    same = (rng.random(n) < 0.5).astype(float)
    return np.stack([np.where(kind == 0, 1.0, np.where(kind == 1, 0.0, same)), np.where(kind == 2, same, kind)])


POPULATIONS: list[tuple[str, str, tuple[int, ...], Draw]] = [
    ("normal differences", "mean", (12, 20, 30, 50, 200), partial(_shifted, lambda rng, n: rng.normal(size=n))),
    ("t, 3 degrees of freedom", "mean", (20, 50, 200), partial(_shifted, lambda rng, n: rng.standard_t(3, n))),
    ("grades of 1 to 5", "mean", (20, 50), _grades),
    ("exponential, large gains are rare", "mean", (20, 50, 200), partial(_shifted, partial(_exponential, 1))),
    ("exponential, large losses are rare", "mean", (20, 50, 200), partial(_shifted, partial(_exponential, -1))),
    ("lognormal, large gains are rare", "mean", (50, 200), partial(_shifted, partial(_lognormal, 1))),
    ("lognormal, large losses are rare", "mean", (200,), partial(_shifted, partial(_lognormal, -1))),
    ("binary, 15% losses", "accuracy", (20, 30, 50, 200), partial(_binary, 0.15)),
    ("binary, 1% losses", "accuracy", (50,), partial(_binary, 0.01)),
    ("binary, 0.25% losses", "accuracy", (200,), partial(_binary, 0.0025)),
]


def found_by_t(draw: Draw, n: int, gain: float) -> float:
    """Return how often the two-sided paired t-test finds a gain; the same draws for every gain."""
    hits = 0
    for seed in range(SEARCH):
        baseline, candidate = draw(np.random.default_rng(seed), n, gain)
        d = candidate - baseline
        hits += bool(d.mean() * np.sqrt(n) >= -stdtrit(n - 1, 0.025) * d.std(ddof=1) and d.any())
    return hits / SEARCH


def gain_found(metric: str, draw: Draw, n: int) -> float:
    """Return the gain that the t-test finds on 80% of the sets."""
    if metric == "accuracy":
        assert isinstance(draw, partial)
        return plan_gain(Rates(draw.args[0]), n, target=TARGET, tests="paired-t").rows[0].gain
    low, high = 0.0, 1.0
    while found_by_t(draw, n, high) < TARGET:
        low, high = high, 1.5 * high
    for _ in range(9):
        middle = (low + high) / 2
        low, high = (middle, high) if found_by_t(draw, n, middle) < TARGET else (low, middle)
    return (low + high) / 2


def decisions(metric: str, draw: Draw, n: int, gain: float, n_sets: int) -> tuple[str, IntArray]:
    """Return the name of the default test, and whether the t-test and it find the gain, shape (n_sets, 2)."""
    found, default = np.zeros((n_sets, 2), dtype=int), ""
    for i in range(n_sets):
        baseline, candidate = draw(np.random.default_rng([n, i]), n, gain)
        compared = outscore.compare(baseline, candidate, metric=metric, tests=["auto", "paired-t"]).comparisons[0]
        first, second = compared.tests
        default = first.name
        found[i] = [test.p_value <= 0.05 and compared.gain > 0 for test in (second, first)]
    return default, found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=2_000)
    given = parser.parse_args()
    print(f"Two-sided tests at 5%, {given.sets:,} test sets per row.\n")
    print("| differences | items | default | power of paired t, % | power of the default, % | loss, points (± s.e.) |")
    print("|---|---:|---|---:|---:|---:|")
    for name, metric, sizes, draw in POPULATIONS:
        for n in sizes:
            default, found = decisions(metric, draw, n, gain_found(metric, draw, n), given.sets)
            t, own = 100 * found.mean(axis=0)
            lost = found[:, 0] - found[:, 1]
            error = 100 * lost.std() / np.sqrt(given.sets)
            print(f"| {name} | {n} | `{default}` | {t:.1f} | {own:.1f} | {t - own:.1f} ± {error:.1f} |", flush=True)
            name = ""


if __name__ == "__main__":
    main()
