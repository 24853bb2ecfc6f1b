"""Soft pairwise accuracy (spa; Thompson et al. 2024), from the p-values of people and of a metric.

spa = 1 − mean over pairs of systems of |pʰ − pᵐ|, with the one-sided p-values of the paired randomization of signs.
Ties count half (mid-p), so that the order of the systems does not matter.
"""

from __future__ import annotations

import numpy as np

from outscore._types import FloatArray
from outscore.laws.exact import swap_law
from outscore.laws.exact.lattice import find_step
from outscore.laws.resampling import Engine, SwapScheme

_REACH = 9.0  # standard deviations: a sum of signs is further from 0 with a probability below 1e-17
_FEW = 8.0  # with fewer effective differences, `swap_law` is used
_NEGLIGIBLE, _SMALL = 1e-12, 1e-7  # of φ where the integral ends, and of what it may return to
_PROBES = 1 + 50 * np.modf(np.arange(1, 65) * 0.6180339887498949)[0]  # further on, spread evenly
_MOST_NODES = 512
_FURTHER = 8, 64  # times the usual nodes: φ of few large and many small differences decays late
_N_SAMPLES = 2**14  # p has a standard error of at most 0.004; few of many pairs of systems need them


def sign_p_values(differences: FloatArray) -> FloatArray:
    """Return P(Σ±d > Σd) + P(Σ±d = Σd)/2 of many sets of differences, shape (m, n) to (m,).

    By inversion of the characteristic function φ(t) = Π cos(t dₖ) (Gil-Pelaez 1951): p = ½ − ∫ sin(ts) φ(t)/t dt / π
    over t > 0. On a grid of step u, φ returns at all multiples of π/u, and u cot(ut) instead of 1/t adds up all
    returns. `swap_law` is used for few differences, and if φ does not decay. Without it, p is sampled.

    Examples
    --------
    >>> sign_p_values(np.array([[1.0, 1.0, 1.0], [1.0, -1.0, 0.0]])).round(12).tolist()
    [0.0625, 0.5]
    """
    p = np.full(len(differences), np.nan)
    steps = [find_step(np.abs(d[d != 0])) if d.any() else None for d in differences]
    squares = np.square(differences)
    variances = squares.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        effective = variances**2 / np.square(squares).sum(axis=1)
    for index, (d, step) in enumerate(zip(differences, steps, strict=True)):
        if not variances[index] > 0:
            p[index] = 0.5
        elif effective[index] > _FEW:
            p[index] = _inverted(d, step, float(variances[index]))
        if np.isnan(p[index]):
            p[index] = _of_few(d, steps[index], float(variances[index]))
    return np.asarray(p.clip(0.0, 1.0))


def _of_few(d: FloatArray, step: float | None, variance: float) -> float:
    """Return the p-value of one set in which few differences decide."""
    law = swap_law(d, np.ones(len(d)))
    if law is not None:
        return law.below(-float(d.mean()))
    for further in _FURTHER:
        p = _inverted(d, step, variance, further)
        if not np.isnan(p):
            return p
    return _sampled(d)


def _inverted(d: FloatArray, step: float | None, variance: float, further: int = 1) -> float:
    """Return the p-value of one set; NaN if φ does not decay within some times the usual nodes, or rises again."""
    deviation, total = float(np.sqrt(variance)), float(d.sum())
    if abs(total) > _REACH * deviation:
        return 0.0 if total > 0 else 1.0
    spacing = 2 * np.pi / (abs(total) + _REACH * deviation)
    count = int(np.ceil(1.2 * further * _REACH / deviation / spacing))
    end = np.inf if step is None else np.pi / (2 * step)
    if end / spacing <= _MOST_NODES:  # a whole period: exact up to rounding
        count = int(np.ceil(end / spacing))
        spacing = end / count
    nodes = (np.arange(count) + 0.5) * spacing
    transform = np.cos(nodes[:, None] * np.abs(d)).prod(axis=1)
    if end / spacing > _MOST_NODES and abs(transform[-1]) > _NEGLIGIBLE:
        return float("nan")
    if step is None and np.abs(np.cos(nodes[-1] * _PROBES[:, None] * d).prod(axis=1)).max() > _SMALL:
        return float("nan")
    kernel = 1 / nodes if step is None else step / np.tan(step * nodes)
    return float(0.5 - (np.sin(nodes * total) * transform * kernel).sum() * spacing / np.pi)


def _sampled(d: FloatArray) -> float:
    """Return the p-value of one set from random signs; the seed is fixed, so that equal sets have equal values."""
    sums = Engine(0).replicates(SwapScheme(len(d)), d[:, None], np.asarray, _N_SAMPLES)[:, 0]
    # Σ±d > Σd if and only if the sum of those whose sign is changed is negative.
    tie = 1e-12 * float(np.abs(d).sum())
    return float((np.count_nonzero(sums < -tie) + np.count_nonzero(sums <= tie)) / 2 / _N_SAMPLES)
