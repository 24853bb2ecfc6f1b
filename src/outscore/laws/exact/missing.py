"""Missing samples and runs: whether two systems lack different proportions of them."""

from __future__ import annotations

import numpy as np

_AS_LIKELY = 1e-10  # relative difference below which two probabilities are equal up to rounding


def shares_differ(missing_a: int, n_a: int, missing_b: int, n_b: int) -> float:
    """Return the two-sided p-value of Fisher's exact test of two proportions (Fisher 1935), in (0, 1].

    Of n cells that each system should have, so many are missing: a ValueError is raised if more are. Given the total
    number missing, that of one system is hypergeometric if the proportions are equal. p is the probability of all
    counts that are no more likely than the observed one. If the proportions differ, the remaining data are not a fair
    sample: time-outs and answers that cannot be parsed are mostly wrong answers.

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
    # Ratios of successive probabilities are added up as logarithms: the probabilities of large tables underflow.
    here = missing_a - low
    # Relative to the observed count, outwards from it.
    before, after = -np.cumsum(steps[:here][::-1])[::-1], np.cumsum(steps[here:])
    logs = np.concatenate([before, [0.0], after])
    weights = np.exp(logs - logs.max())
    p = float(weights[logs <= _AS_LIKELY].sum() / weights.sum())
    return min(max(p, float(np.finfo(np.float64).tiny)), 1.0)
