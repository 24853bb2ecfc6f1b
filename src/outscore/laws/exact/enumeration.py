"""Distributions by enumeration of all samples, for few units and any metric."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb, exp, lgamma, log, prod

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.data.strata import members_of, scales, sizes_of
from outscore.laws.law import AtomicLaw, Law
from outscore.laws.tolerances import GLANCE, MOST_COMPOSITIONS, MOST_SWAPS

ENUMERATION = "exact: enumeration"

GainOfTotals = Callable[[FloatArray], FloatArray]


def enumerated_bootstrap_law(
    rows: FloatArray,
    gain_of: GainOfTotals,
    strata: AnyArray | None = None,
    *,
    tolerance: float,
    blur: float = 0.0,
    most: int = MOST_COMPOSITIONS,
) -> Law | None:
    """Return the distribution over all multisets of draws from the units, or None if there are too many.

    n units are drawn; with strata one fewer from each, with weights n_h/(n_h − 1) (`outscore.data.strata`).

    Parameters
    ----------
    rows : ndarray, shape (n, columns)
        Rows that identify units: equal rows are one kind of draw.
    gain_of : callable
        From totals, shape (r, columns), to gains, shape (r,).
    strata : ndarray of int, shape (n,), optional
        Codes; each stratum is drawn from separately.
    tolerance : float
        Gains this close are equal.
    blur : float
        As for `AtomicLaw`.
    most : int
        Maximum number of multisets.
    """
    groups, divisor, fewer = [rows], 1.0, 0
    if strata is not None:
        multiples, divisor = scales(strata)
        groups, fewer = [rows[members] * multiples[members, None] for members in members_of(strata)], 1
    draws = [len(group) - fewer for group in groups]
    # Usually the first units show that there are too many kinds: n draws of k kinds make C(n + k − 1, n) multisets.
    for glance in (GLANCE, len(rows)):
        kinds = [np.unique(group[:glance], axis=0, return_counts=True) for group in groups]
        ways = 1
        for n, (_, counts) in zip(draws, kinds, strict=True):
            ways *= comb(n + min(len(counts), GLANCE) - 1, n)
            if ways > most:
                return None
    totals, log_probability = np.zeros((1, rows.shape[1])), np.zeros(1)
    for n, (distinct, counts) in zip(draws, kinds, strict=True):
        drawn, more = _multisets(counts, n)
        totals = (totals[:, None] + drawn @ distinct).reshape(len(totals) * len(drawn), rows.shape[1])
        log_probability = np.add.outer(log_probability, more).ravel()
    return AtomicLaw(
        gain_of(totals / divisor),
        np.exp(log_probability),
        tolerance=tolerance,
        how=ENUMERATION,
        least=rarest_draw(strata, len(rows)),
        blur=blur,
        # Rounding of log n! and similar terms limits the accuracy of the probabilities.
        relative_error=1e-13 + 1e-15 * lgamma(len(rows) + 1),
    )


def enumerated_crossed_law(
    systems: Sequence[FloatArray],
    score: GainOfTotals,
    sign: float,
    *,
    paired: bool,
    tolerance: float,
) -> Law | None:
    """Return the distribution of a gain over all draws of units and of runs, or None if there are too many.

    Parameters
    ----------
    systems : sequence of two ndarrays, shape (m, n, k)
        Rows of the baseline and of the candidate, run by run; a system's score is the mean over its runs.
    score : callable
        From totals, shape (..., k), to scores.
    sign : float
        1 if higher is better, −1 if lower is.
    paired : bool
        Whether both systems' runs are drawn together.
    tolerance : float
        Gains this close are equal.
    """
    n = systems[0].shape[1]
    draws = [n, *(len(runs) for runs in (systems[:1] if paired else systems))]
    if prod(comb(2 * drawn - 1, drawn) for drawn in draws) > MOST_COMPOSITIONS:
        return None
    (of_units, log_units), *of_runs = (_multisets(np.ones(drawn, dtype=np.int64), drawn) for drawn in draws)
    of_runs = of_runs * 2 if paired else of_runs
    means = [
        score(np.einsum("wn,mnk->wmk", of_units, rows)) @ (runs.T / len(rows))
        for rows, (runs, _) in zip(systems, of_runs, strict=True)
    ]
    if paired:
        gains, log_probability = means[1] - means[0], np.add.outer(log_units, of_runs[0][1])
    else:
        gains = means[1][:, None, :] - means[0][:, :, None]
        log_probability = log_units[:, None, None] + np.add.outer(of_runs[0][1], of_runs[1][1])
    return AtomicLaw(
        sign * gains.ravel(),
        np.exp(log_probability.ravel()),
        tolerance=tolerance,
        how=ENUMERATION,
        least=max(exp(-sum(drawn * log(drawn) for drawn in draws)), float(np.finfo(np.float64).tiny)),
    )


def rarest_draw(strata: AnyArray | None, n: int) -> float:
    """Return the probability of one ordered sample of n units, drawn stratum by stratum; never 0."""
    fewer = 0 if strata is None else 1
    exponent = sum((size - fewer) * log(size) for size in sizes_of(strata, n))
    return max(exp(-exponent), float(np.finfo(np.float64).tiny))


def _multisets(counts: IntArray, n: int) -> tuple[AnyArray, FloatArray]:
    """Return all ways of drawing n of Σ counts units, shape (ways, kinds), and their log-probabilities."""
    size, kinds = int(counts.sum()), len(counts)
    left = np.array([n])
    log_probability = np.array([lgamma(n + 1)])
    drawn = np.zeros((1, 0), dtype=np.int32)
    log_factorial = np.array([lgamma(k + 1) for k in range(n + 1)])
    for kind in range(kinds):
        last = kind == kinds - 1
        choices = np.ones_like(left) if last else left + 1
        parent = np.repeat(np.arange(len(left)), choices)
        if last:
            count = left
        else:
            starts = np.concatenate([[0], np.cumsum(choices)[:-1]])
            count = np.arange(len(parent)) - starts[parent]
        log_probability = log_probability[parent] + count * np.log(counts[kind] / size) - log_factorial[count]
        drawn = np.column_stack([drawn[parent], count.astype(np.int32)])
        left = left[parent] - count
    return drawn, log_probability


def enumerated_swap_law(
    changes: FloatArray, gain_of: GainOfTotals, *, tolerance: float, blur: float = 0.0, most: int = MOST_SWAPS
) -> Law | None:
    """Return the distribution over all 2^m swaps of the m units on which systems differ, or None if too many.

    Parameters
    ----------
    changes : ndarray, shape (n, columns)
        Change of the totals when a unit is swapped.
    gain_of : callable
        From sums of changes, shape (r, columns), to gains, shape (r,).
    tolerance : float
        Gains this close are equal.
    blur : float
        As for `AtomicLaw`.
    most : int
        Maximum number of swaps.
    """
    differing = changes[(changes != 0).any(axis=1)]
    m = len(differing)
    if m >= most.bit_length():
        return None
    values, probability = gain_of(subset_sums(differing)), 0.5**m
    return AtomicLaw(
        values,
        np.full(len(values), probability),
        tolerance=tolerance,
        how=ENUMERATION,
        least=probability,
        blur=blur,
    )


def subset_sums(rows: FloatArray) -> FloatArray:
    """Return the sums of all subsets of m rows, shape (2^m, columns)."""
    sums = np.zeros((1, rows.shape[1]))
    for row in rows:
        sums = np.concatenate([sums, sums + row])
    return sums
