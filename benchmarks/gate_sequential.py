"""Measure a sequential gate: error rates, power and items needed, as a table in Markdown.

`python benchmarks/gate_sequential.py` takes some ten minutes on one core; `--count 500` is a trial run.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from math import log, sqrt
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from outscore.gating.sequential import EProcess

FloatArray = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator], FloatArray]

N, MARGIN, LOOKS = 2_000, 0.03, 20
_Z = NormalDist().inv_cdf


def either(helped: float, hurt: float) -> Draw:
    """Return items with these proportions of wins and losses."""

    def draw(rng: np.random.Generator) -> FloatArray:
        u = rng.random(N)
        return (u < helped).astype(float) - (u > 1 - hurt)

    return draw


def graded(rng: np.random.Generator) -> FloatArray:
    """Differences of grades, all over −1 to 1."""
    return rng.beta(2, 2, N) * 1.94 - 1


def rare(rng: np.random.Generator) -> FloatArray:
    """Small gains, and total losses of 5% of the items."""
    return np.where(rng.random(N) < 0.05, -1.0, 0.02 / 0.95)


def by_topic(*, shuffled: bool) -> Draw:
    """A first half that gains 6 points and a second one that loses 12."""

    def draw(rng: np.random.Generator) -> FloatArray:
        u, first = rng.random(N), np.arange(N) < N // 2
        d = (u < np.where(first, 0.10, 0.04)).astype(float) - (u > 1 - np.where(first, 0.04, 0.16))
        return rng.permutation(d) if shuffled else d

    return draw


def shares(draw: Draw, margin: float, sign: float, count: int, rng: np.random.Generator) -> tuple[FloatArray, float]:
    """Return how often each test rejects, and after how many items the e-process does on average."""
    at = np.arange(N // LOOKS, N + 1, N // LOOKS)
    rejected, items = np.zeros(4), 0
    for _ in range(count):
        d = sign * draw(rng)
        hits = np.flatnonzero(EProcess(margin).add(d) >= log(20))
        items += int(hits[0]) + 1 if len(hits) else N
        mean = np.cumsum(d + margin)[at - 1] / at
        variance = np.cumsum((d + margin) ** 2)[at - 1] / at - mean**2
        z = mean / np.sqrt(np.maximum(variance, 1e-9) / at)
        rejected += [len(hits) > 0, (z > _Z(0.95)).any(), (z > _Z(1 - 0.05 / LOOKS)).any(), z[-1] > _Z(0.95)]
    return rejected / count, items / count


CELLS: tuple[tuple[str, Draw, float, float], ...] = (
    ("passing, loss of the margin: 4% wins, 7% losses", either(0.04, 0.07), MARGIN, 1.0),
    ("12% wins, 15% losses", either(0.12, 0.15), MARGIN, 1.0),
    ("no wins, 3% losses", either(0.0, 0.03), MARGIN, 1.0),
    ("graded, −1 to 1", graded, MARGIN, 1.0),
    ("small gains, 5% lose a whole point", rare, MARGIN, 1.0),
    ("sorted by topic, in file order", by_topic(shuffled=False), MARGIN, 1.0),
    ("sorted by topic, in random order", by_topic(shuffled=True), MARGIN, 1.0),
    ("failing, equal systems: 5% wins, 5% losses", either(0.05, 0.05), 0.0, -1.0),
    ("12% wins, 12% losses", either(0.12, 0.12), 0.0, -1.0),
    ("**power** of passing, equal: 5% wins, 5% losses", either(0.05, 0.05), MARGIN, 1.0),
    ("12% wins, 12% losses", either(0.12, 0.12), MARGIN, 1.0),
    ("7% wins, 5% losses", either(0.07, 0.05), MARGIN, 1.0),
    ("**power** of failing: 4% wins, 10% losses", either(0.04, 0.10), 0.0, -1.0),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    count = parser.parse_args().count
    rng = np.random.default_rng(1)
    print("| items | e-process | items used | z, 20 checks | z, 20 checks at α/20 | z, all items once |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, draw, margin, sign in CELLS:
        found, items = shares(draw, margin, sign, count, rng)
        told = [f"{100 * share:.1f} ± {100 * sqrt(share * (1 - share) / count):.1f}" for share in found]
        print(f"| {name} | {told[0]} | {items:.0f} | {told[1]} | {told[2]} | {told[3]} |", flush=True)


if __name__ == "__main__":
    main()
