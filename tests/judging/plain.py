"""Coefficients of agreement as their papers define them, pair by pair, and the ratings that the papers print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import permutations

import polars as pl

Units = Sequence[Sequence[float]]  # the ratings of each unit, without missing ones

# Krippendorff's 3 coders × 15 units, as in Wikipedia's article on his alpha.
KRIPPENDORFF = (
    "* * * * * 3 4 1 2 1 1 3 3 * 3",
    "1 * 2 1 3 3 4 3 * * * * * * *",
    "* * 2 1 3 4 4 * 2 1 1 3 3 * 4",
)
# Gwet's 4 raters × 12 units (Handbook of inter-rater reliability; R's irrCAC, cac.raw4raters).
GWET = (
    "1 2 3 3 2 1 4 1 2 * * *",
    "1 2 3 3 2 2 4 1 2 5 * *",
    "* 3 3 3 2 3 4 2 2 5 1 3",
    "1 2 3 3 2 4 4 1 2 5 1 *",
)


def table(raters: Sequence[str]) -> pl.DataFrame:
    """Return ratings as a long table of items, judges and scores."""
    rows = [
        {"item": f"u{unit}", "judge": f"coder {rater}", "score": int(rating)}
        for rater, ratings in enumerate(raters)
        for unit, rating in enumerate(ratings.split())
        if rating != "*"
    ]
    return pl.DataFrame(rows)


def units_of(raters: Sequence[str]) -> list[list[float]]:
    """Return the ratings of each unit."""
    columns = zip(*(ratings.split() for ratings in raters), strict=True)
    return [[float(rating) for rating in unit if rating != "*"] for unit in columns]


def alpha(units: Units, level: str) -> float:
    """Return Krippendorff's alpha: the mean δ² of pairs within units over that of all pairs of ratings."""
    paired = [unit for unit in units if len(unit) > 1]
    every = [rating for unit in paired for rating in unit]
    times = Counter(every)

    def square(one: float, other: float) -> float:
        low, high = min(one, other), max(one, other)
        if level == "nominal":
            return float(one != other)
        if level == "ordinal":
            between = sum(n for rating, n in times.items() if low <= rating <= high)
            return (between - (times[low] + times[high]) / 2) ** 2
        if level == "interval":
            return (one - other) ** 2
        return ((one - other) / (one + other)) ** 2 if one + other else 0.0

    within = sum(square(*pair) / (len(unit) - 1) for unit in paired for pair in permutations(unit, 2))
    between = sum(square(*pair) for pair in permutations(every, 2))
    return 1 - (within / len(every)) / (between / (len(every) * (len(every) - 1)))


def by_chance(units: Units, n_values: int, kind: str) -> float:
    """Return Fleiss' kappa or Gwet's AC1 (Gwet 2014, chapter 2)."""
    paired = [unit for unit in units if len(unit) > 1]
    same = [sum(a == b for a, b in permutations(unit, 2)) / (len(unit) * (len(unit) - 1)) for unit in paired]
    rated = [unit for unit in units if unit]
    values = {rating for unit in rated for rating in unit}
    shares = [sum(list(unit).count(value) / len(unit) for unit in rated) / len(rated) for value in values]
    agreed = sum(same) / len(same)
    chance = sum(p * p for p in shares) if kind == "fleiss" else sum(p * (1 - p) for p in shares) / (n_values - 1)
    return (agreed - chance) / (1 - chance)


def kappa(pairs: Sequence[tuple[float, float]], *, linear: bool) -> float:
    """Return Cohen's kappa of pairs of ratings, with disagreements 1, or |i − j| in steps of the values that occur."""
    values = sorted({rating for pair in pairs for rating in pair})

    def weight(one: float, other: float) -> float:
        return abs(values.index(one) - values.index(other)) if linear else float(one != other)

    observed = sum(weight(*pair) for pair in pairs) / len(pairs)
    expected = sum(weight(one, other) for one, _ in pairs for _, other in pairs) / len(pairs) ** 2
    return 1 - observed / expected
