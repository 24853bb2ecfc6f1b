"""The effect of the position of an answer: verdicts of a judge who saw the same two answers in both orders."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from outscore._types import FloatArray
from outscore.laws.exact.steps import sign_tail

_PLACE = re.compile(r"(?:(.+?)[\s_-]*)?(first|1st|second|2nd)")
_SYSTEM, _OTHER = {"new", "candidate", "ours", "system"}, {"base", "baseline", "old", "other", "reference"}
_POSITIONS = ({"0", "1"}, {"1", "2"})  # of a column called position


@dataclass(frozen=True)
class PositionEffect:
    """The effect of the position of an answer."""

    share: float  # the proportion of verdicts for the answer shown first, with ties as half
    first: int  # number of items whose verdict is better for a system if its answer is shown first
    second: int  # number of items whose verdict is better for it if its answer is shown second
    p_value: float  # of the exact sign test of these two numbers, two-sided; 1 if the orders agree on all items


def position_effect(shown_first: FloatArray, shown_second: FloatArray) -> PositionEffect:
    """Return the effect of the position of a system's answers.

    Null hypothesis: among the m items whose two orders disagree, the first and the second position are equally likely
    to be the better one. Their number is Binomial(m, ½).

    Parameters
    ----------
    shown_first, shown_second : ndarray, shape (n_items,)
        The system's verdicts if its answer is shown first and second: 1 for a win, 0 for a loss, ½ for a tie.

    Examples
    --------
    >>> position_effect(np.array([1.0, 1.0, 1.0, 0.0]), np.array([0.0, 0.0, 0.0, 0.0]))
    PositionEffect(share=0.875, first=3, second=0, p_value=0.25)
    """
    first = int(np.count_nonzero(shown_first > shown_second))
    second = int(np.count_nonzero(shown_first < shown_second))
    share = 0.5 + float(np.sum(shown_first - shown_second)) / (2 * len(shown_first))
    return PositionEffect(share, first, second, sign_p_value(first, second))


def sign_p_value(wins: int, losses: int) -> float:
    """Return the two-sided p-value of the exact sign test, min(1, 2 P(B ≥ max)) with B ~ Binomial(wins + losses, ½).

    Examples
    --------
    >>> sign_p_value(3, 0), sign_p_value(2, 2), sign_p_value(0, 0)
    (0.25, 1.0, 1.0)
    """
    if wins == losses:
        return 1.0
    return float(min(1.0, 2 * sign_tail(np.array([max(wins, losses)]), np.array([wins + losses]))[0]))


def order_with_first(names: Sequence[str], column: str, system: str) -> int | None:
    """Return the index of the order in which the answer of `system` is shown first, or None if it is not certain.

    `names` are those of the two orders, `column` that of their column.

    Examples
    --------
    >>> order_with_first(("gpt-first", "gpt-second"), "order", "gpt"), order_with_first(("1", "2"), "position", "gpt")
    (0, 0)
    >>> order_with_first(("1", "2"), "order", "gpt") is None
    True
    """
    names, called = [name.strip().lower() for name in names], system.strip().lower()
    if column.strip().lower() == "position" and set(names) in _POSITIONS:
        return 0
    system_names, other_names = {*_SYSTEM, called}, _OTHER - {called}
    if set(names) == {"ab", "ba"}:
        names = [f"{name[0]}-first" for name in names]
        other_names |= {"a", "b"} - {called} if called in ("a", "b") else set()
    orders = set()
    for index, name in enumerate(names):
        match = _PLACE.fullmatch(name)
        who = "" if match is None else match[1] or called
        if match is None or who not in system_names | other_names:
            return None
        orders.add(index if (match[2] in ("first", "1st")) == (who in system_names) else 1 - index)
    return orders.pop() if len(orders) == 1 else None
