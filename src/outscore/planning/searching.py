"""Finding where a power that grows reaches a target."""

from __future__ import annotations

from collections.abc import Callable

from outscore.laws import illinois

__all__ = ["crossing", "first_steady"]

_MOST_STEPS = 80
_NEWTON_STEPS = 5
_CERTAIN = 6.0  # probits beyond which a power is as good as 0 or 1


def crossing(
    probit_of: Callable[[float], float],
    target: float,
    guess: float,
    low: float,
    high: float,
    *,
    width: float,
    near_enough: float = 0.0,
    slope: float = 0.0,
) -> float | None:
    """Return the least x in [low, high] at which the function reaches its target, or None where it does not.

    On the scale of probits powers are nearly straight lines in the gain, and in the root of the items, so that false
    position finds them in a few steps.

    The function grows with x, up to noise; 0 < low ≤ guess ≤ high. `width` is relative to x; within `near_enough` of
    the target, in probits, is on it. With a `slope`, in probits a unit of x, Newton's steps are tried first.
    """

    def excess(x: float) -> float:
        return max(-_CERTAIN, min(_CERTAIN, probit_of(x))) - target

    for _ in range(_NEWTON_STEPS if slope > 0 else 0):
        off = excess(guess)
        if abs(off) <= near_enough:
            return guess
        guess = min(max(guess - off / slope, low), high)
    below, above = low, min(max(guess, low), high)
    reached = excess(above)
    if abs(reached) <= near_enough:
        return above
    while reached < 0:
        if above >= high:
            return None
        below, above = above, min(1.4 * above, high)
        short, reached = reached, excess(above)
        if abs(reached) <= near_enough:
            return above
    if below == low:
        short = excess(low)
        if short >= 0:
            return low
    return illinois(
        excess,
        (below, short),
        (above, reached),
        lambda low, high: high - low <= width * high,
        halving=4,
        steps=_MOST_STEPS,
        near_enough=near_enough,
    )


def first_steady(enough: Callable[[int], bool], near: int, least: int, run: int) -> int:
    """Return the least number near `near` from which on `run` numbers in a row are enough.

    Powers of tests with discrete p-values rise in saw teeth (Chernick & Liu 2002), so that the first number that is
    enough may be followed by some that are not.
    """
    start, count, number = near, 0, near
    while count < run:
        if enough(number):
            count += 1
        else:
            start, count = number + 1, 0
        number += 1
    while start > least and enough(start - 1):
        start -= 1
    return start
