"""Measure how often an inconclusive comparison names the right number of items, for docs/comparing.md.

`python benchmarks/next_step.py` takes some three minutes on one core; `--pilots 20` is a trial run.

The right number is that of 80% power for a true gain of the size that the pilot observed, if everything else is as in
the known population: by the binomial distribution for binary scores, by simulation of the default test for others. It
is met if the single number that is printed is within 20%, or if it lies in the printed range.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.special import ndtri
from scipy.stats import binom

import outscore
from outscore._types import FloatArray
from outscore.gains.influence import Spread
from outscore.gains.skewness import skew_p_values
from outscore.questions.next_step import times_as_many
from outscore.results import Alternative, Claim
from outscore.words.comparisons import rounded_units

TARGET, ALPHA = 0.8, 0.05
SETS = 4_000  # simulated test sets per size: a standard error of 0.6 points of power
STEPS = (0.1, 0.14, 0.2, 0.3)  # gains in standard deviations; for smaller ones the normal distribution is right
Draw = Callable[[np.random.Generator, tuple[int, ...]], FloatArray]

# Differences of mean 0 and variance 1.
POPULATIONS: dict[str, Draw] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "normal, on a fifth of the items": lambda rng, shape: rng.normal(size=shape) * (rng.random(shape) < 0.2) * 5**0.5,
    "grades from -2 to 2": lambda rng, shape: np.asarray(rng.binomial(4, 0.5, shape) - 2.0, dtype=np.float64),
    "t, 5 degrees of freedom": lambda rng, shape: np.asarray(rng.standard_t(5, shape) * 0.6**0.5),
    "exponential, rare large losses": lambda rng, shape: 1.0 - rng.exponential(size=shape),
    "exponential, rare large gains": lambda rng, shape: rng.exponential(size=shape) - 1.0,
}
BINARY = (0.03, 0.08, 0.15, 0.3)  # proportions of items that differ


@cache
def times_normal(population: str, sign: int, step: float) -> float:
    """Return the right number over that of the normal approximation, for a gain of `step` standard deviations."""
    rng = np.random.default_rng([7, int(1_000 * step), sign + 1, list(POPULATIONS).index(population)])
    usual = normal_number(step)
    sizes = [int(usual * times) for times in (0.8, 0.9, 1.0, 1.1, 1.2, 1.35)]
    powers = []
    for n in sizes:
        x = sign * POPULATIONS[population](rng, (SETS, n)) + step
        gains = x.mean(axis=1)
        u = (x - gains[:, None]) / math.sqrt(n * (n - 1))
        spread = Spread.of_sums((u**2).sum(axis=1), (u**3).sum(axis=1), (u**4).sum(axis=1), n - 1.0)
        p = skew_p_values(gains / np.asarray(spread.error), spread, Alternative.TWO_SIDED)
        powers.append(float((p <= ALPHA).mean()))
    slope, start = np.polyfit(np.sqrt(sizes), ndtri(np.clip(powers, 0.01, 0.99)), 1)
    return float(((ndtri(TARGET) - start) / slope) ** 2 / usual)


def normal_number(step: float) -> float:
    return float((ndtri(1 - ALPHA / 2) + ndtri(TARGET)) ** 2 / step**2)


def right_number(population: str, gain: float) -> float:
    """Return the right number for a gain in standard deviations."""
    step, sign = abs(gain), 1 if gain > 0 else -1
    factors = [times_normal(population, sign, one) for one in STEPS]
    return normal_number(step) * float(np.interp(step, [0.0, *STEPS], [1.0, *factors]))


def right_number_of_binary(differing: float, gain: float) -> float:
    """Return the smallest number of items with 80% power of the exact test of wins and losses."""
    gain = abs(gain)
    differing = max(differing, gain)

    def power(n: int) -> float:
        mean, reach = n * differing, 9 * math.sqrt(n * differing)
        m = np.arange(max(int(mean - reach), 1), int(mean + reach) + 10)
        critical = np.asarray(binom.isf(ALPHA / 2, m, 0.5) + 1)  # the least number of wins with P(W ≥ k) ≤ α/2
        critical += binom.sf(critical - 1, m, 0.5) > ALPHA / 2
        wins = (1 + gain / differing) / 2
        return float((binom.pmf(m, n, differing) * binom.sf(critical - 1, m, wins)).sum())

    low, high = 1, 2
    while power(high) < TARGET:
        low, high = high, 2 * high
    while high - low > max(1, low // 500):
        middle = (low + high) // 2
        low, high = (middle, high) if power(middle) < TARGET else (low, middle)
    return float(high)


def pilot(name: str | float, rng: np.random.Generator) -> tuple[float, float, float] | None:
    """Return both ends that are printed and the right number, or None if the verdict is clear or no number printed."""
    n = int(np.exp(rng.uniform(np.log(100), np.log(2_000))))
    true_t = rng.uniform(0, 2.5)
    if isinstance(name, float):
        gain = min(true_t * math.sqrt(name / n), name)
        kinds = rng.choice(3, n, p=[(name - gain) / 2, 1 - name, (name + gain) / 2]) - 1
        base = np.where(kinds == 0, rng.integers(0, 2, n), (kinds < 0).astype(int)).astype(np.float64)
        new = base + kinds
    else:
        base = rng.normal(size=n)
        new = base + POPULATIONS[name](rng, (n,)) + true_t / math.sqrt(n)
    comparison = outscore.compare(base.tolist(), new.tolist()).comparisons[0]
    step = comparison.next_step
    if step is None or not step.is_known:
        return None
    right = (
        right_number_of_binary(name, comparison.gain)
        if isinstance(name, float)
        else right_number(name, comparison.gain)
    )
    low, high = (float(rounded_units(end, n)) for end in (step.low, step.high))
    return low, high, right


# Scores of unpaired systems, of which the candidate's are shifted, with their standard deviation.
UNPAIRED: dict[str, tuple[Draw, float]] = {
    "unpaired, normal": (lambda rng, shape: rng.normal(size=shape), 1.0),
    "unpaired, binary": (lambda rng, shape: np.asarray(rng.random(shape) < 0.3, dtype=np.float64), 0.21**0.5),
    "unpaired, exponential": (lambda rng, shape: rng.exponential(size=shape), 1.0),
}


def unpaired_pilot(name: str, rng: np.random.Generator) -> tuple[float, float, float] | None:
    """Return the same for systems with different numbers of items, as multiples of these."""
    sizes = np.exp(rng.uniform(np.log(100), np.log(2_000), 2)).astype(int)
    draw, spread = UNPAIRED[name]
    base, new = (draw(rng, (n,)) for n in sizes)
    error = spread * math.sqrt((1 / sizes).sum())
    if name == "unpaired, binary":
        new = np.where(rng.random(len(new)) < rng.uniform(0, 2.5) * error / 0.7, 1.0, new)
    else:
        new = new + rng.uniform(0, 2.5) * error
    comparison = outscore.compare(base.tolist(), new.tolist(), unpaired=True).comparisons[0]
    times = times_as_many(comparison, Claim.BETTER, Alternative.TWO_SIDED, ALPHA)
    return None if times is None else (*times, normal_number(comparison.gain / error))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pilots", type=int, default=1_000)
    options = parser.parse_args()
    names: list[str | float] = [*BINARY, *POPULATIONS, *UNPAIRED]
    each, all_met = -(-options.pilots // len(names)), []
    print("population | printed as a range | high/low of ranges | middle/right, median | met")
    for k, name in enumerate(names):
        rng = np.random.default_rng([11, k])
        answers: list[tuple[float, float, float]] = []
        while len(answers) < each:
            answer = unpaired_pilot(name, rng) if isinstance(name, str) and name in UNPAIRED else pilot(name, rng)
            answers += [] if answer is None else [answer]
        low, high, right = np.array(answers).T
        single = low == high
        met = np.where(single, np.abs(low / right - 1) <= 0.2, (low <= right) & (right <= high))
        all_met.append(met)
        title = f"binary, {name:.0%} differ" if isinstance(name, float) else name
        width = np.median((high / low)[~single]) if not single.all() else 1.0
        bias = np.median(np.sqrt(low * high) / right)
        print(f"{title} | {1 - single.mean():.0%} | {width:.1f} | {bias:.2f} | {met.mean():.1%}", flush=True)
    print(f"all {each * len(names):,} pilots: {np.concatenate(all_met).mean():.1%}")


if __name__ == "__main__":
    main()
