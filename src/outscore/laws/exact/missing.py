"""Missing samples and runs: whether two systems lack unequal shares of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from outscore.errors import DataError, Problem
from outscore.options import opt

_LEVEL = 0.05
_AS_LIKELY = 1e-10  # so close, relatively, two probabilities are equal but for rounding


def shares_differ(missing_a: int, n_a: int, missing_b: int, n_b: int) -> float:
    """Return the two-sided p-value of Fisher's exact test of two shares (Fisher 1935).

    Given how many are missing in all, those of one system are hypergeometric if the shares are equal; p is the
    probability of all counts that are no more likely than the observed one. Where the shares differ what is there is no
    fair sample: time-outs and answers that cannot be parsed are mostly wrong answers.

    Parameters
    ----------
    missing_a, missing_b : int
        How many cells each system lacks.
    n_a, n_b : int
        How many it should have.

    Returns
    -------
    float
        In (0, 1].

    Raises
    ------
    ValueError
        Where more are missing than there should be, or fewer than none.

    Examples
    --------
    >>> round(shares_differ(1, 10, 6, 10), 6)
    0.057276
    """
    if not (0 <= missing_a <= n_a and 0 <= missing_b <= n_b):
        raise ValueError("expected 0 <= missing <= n of both systems")
    missing = missing_a + missing_b
    low, high = max(0, missing - n_b), min(missing, n_a)
    x = np.arange(low, high, dtype=np.float64)  # each count but the last, to the next
    steps = np.log((n_a - x) * (missing - x) / ((x + 1) * (n_b - missing + x + 1)))
    here = missing_a - low
    # Relative to the observed count, outwards from it.
    before, after = -np.cumsum(steps[:here][::-1])[::-1], np.cumsum(steps[here:])
    logs = np.concatenate([before, [0.0], after])
    weights = np.exp(logs - logs.max())
    p = float(weights[logs <= _AS_LIKELY].sum() / weights.sum())
    return min(max(p, float(np.finfo(np.float64).tiny)), 1.0)


@dataclass(frozen=True)
class Lacking:
    """How much a system lacks of what it should have.

    Attributes
    ----------
    where, name : str
        The system, as the start of an error names it and as its text does.
    shares : tuple of (str, int, int)
        Of what, such as "items", how many are missing, and of how many.
    example : str
        Says which is missing, such as " (the first is that of ...)".
    """

    where: str
    name: str
    shares: tuple[tuple[str, int, int], ...]
    example: str = ""


def refuse_unequal_shares(systems: Sequence[Lacking], drop: str) -> None:
    """Refuse systems that lack significantly different shares: what is missing is rarely missing at random.

    Each system is compared with the first one. The level of 5% is kept over all systems (Bonferroni).

    Parameters
    ----------
    systems : sequence of Lacking
        With shares of the same kinds.
    drop : str
        What leaving out what is missing does.

    Raises
    ------
    DataError
        Of the first system that differs; it names the one that lacks more.
    """
    first, *others = systems
    for other in others:
        for (what, missing_first, n_first), (_, missing, n) in zip(first.shares, other.shares, strict=True):
            if shares_differ(missing_first, n_first, missing, n) > _LEVEL / len(others):
                continue
            pair = [(first, missing_first, n_first), (other, missing, n)]
            (less, fewer, n_less), (more, count, n_more) = sorted(pair, key=lambda own: own[1] / own[2])
            lacks = f"lacks {count:,} of {n_more:,} {what}{more.example}, {less.name} {fewer:,} of {n_less:,}"
            text = f"{lacks}: shares that differ by more than chance, so that what is missing is not missing at random"
            zero, dropped = opt("zero_missing", True), opt("drop_missing", True)
            advice = f"Pass {zero} to score what is missing 0, or {dropped} to {drop}."
            raise DataError(Problem(more.where, text, advice, "unequally-missing"))
