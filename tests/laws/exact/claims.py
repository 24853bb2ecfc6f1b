"""What a law claims, held against what is true."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate

from tests import oracles
from tests.laws.kit import Law, Probability

__all__ = ["INFINITY", "check", "check_law", "tails"]

INFINITY = math.inf
SMALLEST = Fraction(1, 10**300)  # what floating point can tell from 0


def tails(law: Law, threshold: float) -> dict[str, Probability]:
    """The four one-sided probabilities at a threshold."""
    return {
        ">=": law.outside(-INFINITY, threshold),
        ">": law.outside(-INFINITY, threshold, strict=True),
        "<=": law.outside(threshold, INFINITY),
        "<": law.outside(threshold, INFINITY, strict=True),
    }


def true_tails(law: oracles.Law, thresholds: Sequence[Fraction]) -> Iterator[dict[str, Fraction]]:
    """Yield the four at each threshold, as shares of whole numbers that are added up once."""
    values = sorted(law)
    whole = math.lcm(*(chance.denominator for chance in law.values()))
    up_to = [0, *accumulate(law[value].numerator * (whole // law[value].denominator) for value in values)]
    for threshold in thresholds:
        before, until = bisect_left(values, threshold), bisect_right(values, threshold)
        counts = {
            ">=": up_to[-1] - up_to[before],
            ">": up_to[-1] - up_to[until],
            "<=": up_to[until],
            "<": up_to[before],
        }
        yield {event: Fraction(count, whole) for event, count in counts.items()}


def check(claimed: Probability, true: Fraction | float, *, relative: float = 1e-9, absolute: float = 1e-12) -> None:
    """The bound holds, and the value is as close as is asked for, relatively or absolutely."""
    error = abs(Fraction(claimed.value) - Fraction(true))
    last_bits = 4 * Fraction(math.ulp(claimed.value))
    assert error <= Fraction(claimed.error) + last_bits, "the error bound does not hold"
    assert error <= max(Fraction(relative) * Fraction(true), Fraction(absolute), SMALLEST)
    assert 0 <= claimed.value <= 1


def check_law(
    law: Law,
    true: oracles.Law,
    thresholds: Iterable[Fraction],
    *,
    scale: float | Fraction = 1,
    relative: float = 1e-9,
    absolute: float = 1e-12,
) -> None:
    """Hold all one-sided tails of a law of X·scale against the true law of X."""
    points = list(thresholds)
    for threshold, expected in zip(points, true_tails(true, points), strict=True):
        found = tails(law, float(threshold * Fraction(scale)))
        for event, probability in found.items():
            check(probability, expected[event], relative=relative, absolute=absolute)
