"""Missing samples and runs: whether two systems lack unequal shares of them."""

from __future__ import annotations

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


def unequally_missing(one: tuple[int, int], other: tuple[int, int], n_tests: int = 1) -> bool:
    """Return whether two systems lack significantly different shares, given how many cells of how many each lacks.

    The level of 5% is kept over so many tests (Bonferroni).
    """
    return shares_differ(*one, *other) <= _LEVEL / n_tests


def unequal_shares(where: str, lacks: str, drop: str) -> DataError:
    """Return why systems that lack unequal shares are refused: what is missing is rarely missing at random.

    Parameters
    ----------
    where : str
        The system.
    lacks : str
        How much it and another one lack.
    drop : str
        What leaving them out does.
    """
    what = f"{lacks}: shares that differ by more than chance, so that what is missing is not missing at random"
    advice = f"Pass {opt('zero_missing', True)} to score what is missing 0, or {opt('drop_missing', True)} to {drop}."
    return DataError(Problem(where, what, advice, "unequally-missing"))
