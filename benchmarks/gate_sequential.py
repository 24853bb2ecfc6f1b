"""Measure a sequential gate: error rates, power and items needed.

`python benchmarks/gate_sequential.py --write` writes docs/calibration/gate-sequential.csv and its table in
docs/gate-measured.md, some ten minutes on one core; `--count 500` is a trial run. The cells below are part of
`benchmarks/calibration.py`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from math import log
from statistics import NormalDist

import figures
import numpy as np
import numpy.typing as npt

from outscore.results import Alternative, Claim
from outscore.wings.gating.sequential import EProcess
from outscore.wings.planning import Level
from outscore.wings.planning.levels import Margin
from outscore.wings.planning.powers import exact_margin_power

FloatArray = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Draw = Callable[[np.random.Generator], FloatArray]

N, MARGIN, LOOKS = 2_000, 0.03, 20
LEVEL = 0.05
TARGET = log(1 / LEVEL)
_TOGETHER = 500  # sets whose wealth is computed at once
_Z = NormalDist().inv_cdf
SEED = 1
HEADER = ("items", "differ_percent", "margin_points", "loss", "sequential", "six_fixed_bets", "one_check", "items_used")
# Items, proportion of items on which systems differ, margin. The fixed test passes an equal candidate in 65% or more.
DESIGNS = (
    (200, 0.02, 0.03),
    (200, 0.10, 0.10),
    (200, 0.30, 0.10),
    (500, 0.02, 0.02),
    (500, 0.10, 0.05),
    (500, 0.30, 0.05),
    (1_000, 0.04, 0.02),
    (1_000, 0.20, 0.04),
    (2_000, 0.02, 0.01),
    (2_000, 0.10, 0.03),
    (2_000, 0.24, 0.03),
    (2_000, 0.30, 0.03),
    (5_000, 0.05, 0.01),
    (5_000, 0.10, 0.02),
    (5_000, 0.30, 0.02),
)
SIX_BETS = np.geomspace(0.05, 0.3, 6)


def binary(helped: float, hurt: float, n: int = N) -> Draw:
    """Return items with these proportions of wins and losses."""

    def draw(rng: np.random.Generator) -> FloatArray:
        u = rng.random(n)
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


def wealths(d: FloatArray, margin: float) -> FloatArray:
    """Return ln E of sets of differences, shape (sets, n), after every item."""
    return EProcess(margin, d.shape[1], LEVEL, len(d)).add(d)


def wealths_of_six(d: FloatArray, margin: float) -> FloatArray:
    """Return ln of the mean wealth of six fixed bets, for differences of −1, 0 and 1."""
    helped, hurt = np.cumsum(d > 0, axis=1), np.cumsum(d < 0, axis=1)
    same = np.arange(1, d.shape[1] + 1) - helped - hurt
    total = np.zeros(d.shape)
    for bet in SIX_BETS / (1 - margin):
        steps = (np.log1p(bet * (margin + change)) for change in (1, -1, 0))
        total += np.exp(sum(count * step for count, step in zip((helped, hurt, same), steps, strict=True)))
    return np.log(total / len(SIX_BETS))


def stops(reached: Flags) -> tuple[Flags, npt.NDArray[np.int64]]:
    """Return which sets reach 1/α, and after how many items, or all."""
    hit = np.asarray(reached.any(axis=1))
    return hit, np.where(hit, reached.argmax(axis=1) + 1, reached.shape[1])


def shares(draw: Draw, margin: float, sign: float, count: int, rng: np.random.Generator) -> tuple[FloatArray, float]:
    """Return how often each test rejects, and after how many items the e-process does on average."""
    at = np.arange(N // LOOKS, N + 1, N // LOOKS)
    rejected, items = np.zeros(4), 0.0
    for start in range(0, count, _TOGETHER):
        d = sign * np.stack([draw(rng) for _ in range(min(_TOGETHER, count - start))])
        hit, used = stops(wealths(d, margin) >= TARGET)
        items += used.sum()
        mean = np.cumsum(d + margin, axis=1)[:, at - 1] / at
        variance = np.cumsum((d + margin) ** 2, axis=1)[:, at - 1] / at - mean**2
        z = mean / np.sqrt(np.maximum(variance, 1e-9) / at)
        single = z[:, -1] > _Z(0.95)
        several = ((z > _Z(limit)).any(axis=1) for limit in (0.95, 1 - 0.05 / LOOKS))
        rejected += [part.sum() for part in (hit, *several, single)]
    return rejected / count, items / count


CELLS: tuple[tuple[str, Draw, float, float], ...] = (
    ("passing, loss of the margin: 4% wins, 7% losses", binary(0.04, 0.07), MARGIN, 1.0),
    ("12% wins, 15% losses", binary(0.12, 0.15), MARGIN, 1.0),
    ("no wins, 3% losses", binary(0.0, 0.03), MARGIN, 1.0),
    ("graded, −1 to 1", graded, MARGIN, 1.0),
    ("small gains, 5% lose a whole point", rare, MARGIN, 1.0),
    ("sorted by topic, in file order", by_topic(shuffled=False), MARGIN, 1.0),
    ("sorted by topic, in random order", by_topic(shuffled=True), MARGIN, 1.0),
    ("failing, equal systems: 5% wins, 5% losses", binary(0.05, 0.05), 0.0, -1.0),
    ("12% wins, 12% losses", binary(0.12, 0.12), 0.0, -1.0),
    ("**power** of passing, equal: 5% wins, 5% losses", binary(0.05, 0.05), MARGIN, 1.0),
    ("12% wins, 12% losses", binary(0.12, 0.12), MARGIN, 1.0),
    ("7% wins, 5% losses", binary(0.07, 0.05), MARGIN, 1.0),
    ("**power** of failing: 4% wins, 10% losses", binary(0.04, 0.10), 0.0, -1.0),
)


def measured(n: int, differing: float, margin: float, loss: float, count: int) -> tuple[float, float, float, float]:
    """Return how often the gate, six bets and one check pass a candidate with this true loss, and the gate's items."""
    hurt = max((differing + loss) / 2, loss)
    helped = max((differing - loss) / 2, 0.0)
    rng = np.random.default_rng(SEED)
    draw = binary(helped, hurt, n)
    passed, six, items = 0, 0, 0.0
    for start in range(0, count, _TOGETHER):
        d = np.stack([draw(rng) for _ in range(min(_TOGETHER, count - start))])
        hit, used = stops(wealths(d, margin) >= TARGET)
        passed, items = passed + int(hit.sum()), items + float(used.sum())
        six += int((wealths_of_six(d, margin) >= TARGET).any(axis=1).sum())
    once = exact_margin_power(
        n, helped, hurt, Margin(Claim.NOT_WORSE, margin), Level(LEVEL, alternative=Alternative.GREATER)
    )
    return passed / count, six / count, once.value, items / count


def rows(count: int) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the data file: each design with no loss, half the margin lost, and the margin lost."""
    for n, differing, margin in DESIGNS:
        for loss in (0.0, margin / 2, margin):
            passed, six, once, items = measured(n, differing, margin, loss, count)
            rates = (f"{100 * rate:.1f}" for rate in (passed, six, once))
            points = (f"{100 * share:g}" for share in (differing, margin, loss))
            yield str(n), *points, *rates, "" if loss else f"{items:.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--write", action="store_true", help="the data file, and its table in docs/gate-measured.md")
    given = parser.parse_args()
    found = []
    for row in rows(given.count):
        print(", ".join(row), flush=True)
        found.append(row)
    if given.write:
        figures.write("gate-sequential", HEADER, found)
        figures.renew()


if __name__ == "__main__":
    main()
