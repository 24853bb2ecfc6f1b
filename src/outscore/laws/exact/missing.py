"""Missing samples and runs: whether two systems lack different proportions of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from outscore.errors import DataError, Problem
from outscore.options import opt

_LEVEL = 0.05
_AS_LIKELY = 1e-10  # relative difference below which two probabilities are equal up to rounding


def shares_differ(missing_a: int, n_a: int, missing_b: int, n_b: int) -> float:
    """Return the two-sided p-value of Fisher's exact test of two proportions (Fisher 1935).

    Given the total number missing, that of one system is hypergeometric if the proportions are equal. p is the
    probability of all counts that are no more likely than the observed one. If the proportions differ, the remaining
    data are not a fair sample: time-outs and answers that cannot be parsed are mostly wrong answers.

    Parameters
    ----------
    missing_a, missing_b : int
        Numbers of missing cells of each system.
    n_a, n_b : int
        Numbers of cells that each system should have.

    Returns
    -------
    float
        In (0, 1].

    Raises
    ------
    ValueError
        If more cells are missing than exist, or fewer than none.

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
    """The numbers of missing values of a system.

    Attributes
    ----------
    where, name : str
        The system's place in errors, and its name in their text.
    shares : tuple of (str, int, int)
        (kind, number missing, total) for each kind, such as "items".
    example : str
        Example of a missing value, such as " (the first is that of ...)".
    """

    where: str
    name: str
    shares: tuple[tuple[str, int, int], ...]
    example: str = ""


def refuse_unequal_shares(systems: Sequence[Lacking], drop: str) -> None:
    """Raise an error for systems that lack significantly different proportions.

    Such values are rarely missing at random. Each system is compared with the first one, at a level of 5% over all
    systems (Bonferroni).

    Parameters
    ----------
    systems : sequence of Lacking
        With proportions of the same kinds.
    drop : str
        Describes what leaving out missing values does.

    Raises
    ------
    DataError
        For the first system that differs; the message names the system that lacks more.
    """
    first, *others = systems
    for other in others:
        for (what, missing_first, n_first), (_, missing, n) in zip(first.shares, other.shares, strict=True):
            if shares_differ(missing_first, n_first, missing, n) > _LEVEL / len(others):
                continue
            pair = [(first, missing_first, n_first), (other, missing, n)]
            (less, fewer, n_less), (more, count, n_more) = sorted(pair, key=lambda own: own[1] / own[2])
            lacks = f"lacks {count:,} of {n_more:,} {what}{more.example}, {less.name} {fewer:,} of {n_less:,}"
            text = f"{lacks}: the proportions differ significantly, so values are not missing at random"
            zero, dropped = opt("zero_missing", True), opt("drop_missing", True)
            advice = f"Pass {zero} to score missing values 0, or {dropped} to {drop}."
            raise DataError(Problem(more.where, text, advice, "unequally-missing"))
