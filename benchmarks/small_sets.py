"""Write the exact coverage of 95% intervals on small binary test sets to docs/cited/small-test-sets.md, in minutes."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from math import sqrt
from pathlib import Path
from typing import Literal

import numpy as np
from scipy.stats import binomtest, multinomial

import outscore

PAGE = Path(__file__).resolve().parent.parent / "docs" / "cited" / "small-test-sets.md"
SIZES = (3, 10, 30, 100, 300)
ACCURACIES = {"95%": [0.95], "1% to 99%": [step / 100 for step in range(1, 100)]}
PAIRS = ((0.1, 0.05), (0.02, 0.01))  # rates of wins and of losses
RARE = 1e-8  # Rarer counts are left out. Together they have less than 0.0002%.
Ends = tuple[float, float]
Interval = Callable[..., Ends]


def normal(total: int, squares: int, n: int) -> Ends:
    """Return the mean ± 1.96 standard errors, from the sample variance with n − 1."""
    error = 1.959964 * sqrt(max(squares / n - (total / n) ** 2, 0) / (n - 1))
    return total / n - error, total / n + error


@cache
def textbook(k: int, n: int, method: Literal["wilson", "exact"]) -> Ends:
    """Return SciPy's interval of Wilson, or of Clopper and Pearson."""
    low, high = binomtest(k, n).proportion_ci(method=method)
    return float(low), float(high)


@cache
def scored(k: int, n: int) -> Ends:
    """Return the interval of `outscore score` for k correct answers."""
    interval = outscore.score([1] * k + [0] * (n - k), metric="accuracy").scores[0].interval
    return interval.low, interval.high


@cache
def compared(wins: int, losses: int, n: int) -> Ends:
    """Return the interval of `outscore compare` for these counts."""
    ties = [1] * (n - wins - losses)
    baseline, candidate = [0] * wins + [1] * losses + ties, [1] * wins + [0] * losses + ties
    interval = outscore.compare(baseline, candidate, metric="accuracy").comparisons[0].interval
    return interval.low, interval.high


def coverage(interval: Interval, n: int, *rates: float) -> float:
    """Return how often, in %, the interval holds the truth. The rates are of correct answers, or of wins and losses."""
    truth = rates[0] - sum(rates[1:])
    counts = np.array([count for count in np.ndindex(*[n + 1] * len(rates)) if sum(count) <= n])
    chances = multinomial.pmf(np.column_stack([counts, n - counts.sum(axis=1)]), n, [*rates, 1 - sum(rates)])
    kept = chances > RARE
    ends = np.array([interval(*count, n) for count in counts[kept].tolist()])
    held = (ends[:, 0] - 1e-9 <= truth) & (truth <= ends[:, 1] + 1e-9)
    return float(100 * chances[kept] @ held / chances[kept].sum())


if __name__ == "__main__":
    wilson, exact = partial(textbook, method="wilson"), partial(textbook, method="exact")
    of_one: list[Interval] = [lambda k, n: normal(k, k, n), wilson, exact, scored]
    of_two: list[Interval] = [lambda wins, losses, n: normal(wins - losses, wins + losses, n), compared]
    rows = ["| items | accuracy | CLT | Wilson | Clopper-Pearson | `score` |", "|---:|---|---:|---:|---:|---:|"]
    for n, name in ((n, name) for n in SIZES for name in ACCURACIES):
        cells = [float(np.mean([coverage(each, n, rate) for rate in ACCURACIES[name]])) for each in of_one]
        rows.append(f"| {n} | {name} | " + " | ".join(f"{cell:.1f}" for cell in cells) + " |")
    rows += ["", "| items | wins | losses | CLT | `compare` |", "|---:|---:|---:|---:|---:|"]
    for n, rates in ((n, rates) for n in SIZES for rates in PAIRS):
        cells = [coverage(each, n, *rates) for each in of_two]
        rows.append(f"| {n} | {rates[0]:.0%} | {rates[1]:.0%} | " + " | ".join(f"{cell:.1f}" for cell in cells) + " |")
    start, end = "<!-- written by benchmarks/small_sets.py -->", "<!-- end -->"
    before, after = re.split(f"{start}.*{end}", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    PAGE.write_text(before + "\n".join([start, "", *rows, "", end]) + after, encoding="utf-8")
