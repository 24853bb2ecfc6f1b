"""What a law claims, held against what is true."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from outscore.laws import Law, Probability
from tests import oracles

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


def true_tails(law: oracles.Law, threshold: Fraction) -> dict[str, Fraction]:
    return {
        ">=": oracles.event_probability(law, lambda value: value >= threshold),
        ">": oracles.event_probability(law, lambda value: value > threshold),
        "<=": oracles.event_probability(law, lambda value: value <= threshold),
        "<": oracles.event_probability(law, lambda value: value < threshold),
    }


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
    for threshold in thresholds:
        found, expected = tails(law, float(threshold * Fraction(scale))), true_tails(true, threshold)
        for event, probability in found.items():
            check(probability, expected[event], relative=relative, absolute=absolute)
