"""The ratio d(S)/ℓ(S) of a random subset of units, which inverts randomization.

Flipping the signs of dᵢ − δ₀ℓᵢ on a subset S of units, each in it with probability ½, gives a gain at least as large as
the observed one if and only if d(S) ≤ δ₀ℓ(S). So the p-value of δ₀ against larger gains is P(d(S) ≤ δ₀ℓ(S)), that
against smaller ones P(d(S) ≥ δ₀ℓ(S)), and the limits of δ are quantiles of one ratio: Hartigan's typical values (1969).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.exact.linear import swap_law

__all__ = ["UnboundedError", "step_ratio_quantiles", "subset_share"]

_TIE = 1e-12
_MOST_HALVED = 26  # units whose subsets are counted half by half: two times 2¹³
_MOST_COMBINATIONS = 300_000  # of counts in all groups of equal units but the largest
_LEAST_DISTINCT = 64  # differences whose characteristic function surely dies
_WINDOW = 8.5  # standard deviations of a count; what is outside has a probability of 2e-17

Share = Callable[[float], float]


class UnboundedError(Exception):
    """The error bound of an exact probability is too wide: sampling does better."""


def subset_share(d: FloatArray, shared: FloatArray) -> Share | None:
    """Return the function x ↦ P(d(S) <= x·ℓ(S)), exact to ten digits, or None where sampling does better.

    The function raises `UnboundedError` where that turns out at some x only.

    Parameters
    ----------
    d, shared : ndarray, shape (n,)
        ℓ ≥ 0. The empty subset meets the event at every x.

    Notes
    -----
    Few units are counted half by half; units of few kinds by how many of each kind are in S; many different ones by the
    inversion of a characteristic function.
    """
    if len(d) <= _MOST_HALVED:
        return _halved(d, shared)
    kinds, counts = np.unique(np.column_stack([d, shared]), axis=0, return_counts=True)
    if len(kinds) >= _LEAST_DISTINCT:
        return _inverted(d, shared)
    widths = np.minimum(counts + 1, np.ceil(_WINDOW * np.sqrt(counts)) + 1)
    if math.prod(widths.tolist()) / widths.max() <= _MOST_COMBINATIONS:
        return _counted(kinds, counts)
    return None


def _halved(d: FloatArray, shared: FloatArray) -> Share:
    half = len(d) // 2
    left, right = ((_subset_sums(d[part]), _subset_sums(shared[part])) for part in (slice(half), slice(half, None)))
    size = float(np.abs(d).sum())

    def share(x: float) -> float:
        tolerance = _TIE * (size + abs(x) * float(shared.sum()))
        rest = np.sort(right[0] - x * right[1])
        below = np.searchsorted(rest, tolerance - (left[0] - x * left[1]), side="right")
        return float(below.sum()) / 2.0 ** len(d)

    return share


def _subset_sums(values: FloatArray) -> FloatArray:
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums, sums + value])
    return sums


def _counted(kinds: FloatArray, counts: AnyArray) -> Share:
    from scipy.special import bdtr, gammaln

    order = np.argsort(counts)
    *others, largest = order.tolist()
    sums, weights = np.zeros((1, 2)), np.ones(1)
    for kind in others:
        m = int(counts[kind])
        reach = math.ceil(_WINDOW * math.sqrt(m) / 2)
        k = np.arange(max(0, m // 2 - reach), min(m, m - m // 2 + reach) + 1)
        probability = np.exp(gammaln(m + 1) - gammaln(k + 1) - gammaln(m - k + 1) - m * math.log(2))
        sums = (sums[:, None, :] + k[:, None] * kinds[kind]).reshape(-1, 2)
        weights = (weights[:, None] * probability).ravel()
    m, (d, shared) = int(counts[largest]), kinds[largest]
    size = float(counts @ np.abs(kinds[:, 0])), float(counts @ kinds[:, 1])

    def share(x: float) -> float:
        # K of the largest kind are in S: the event is K·v <= rest.
        v = d - x * shared
        tolerance = _TIE * (size[0] + abs(x) * size[1])
        rest = x * sums[:, 1] - sums[:, 0] + tolerance
        if abs(v) <= tolerance / m:
            return float(weights @ (rest >= 0))
        limit = np.clip(rest / v, -1, m + 1)
        at_most = np.floor(limit)
        below = np.where(at_most < 0, 0.0, bdtr(np.clip(at_most, 0, m), m, 0.5))
        if v > 0:
            return float(weights @ below)
        before = np.ceil(limit) - 1
        return float(weights @ (1 - np.where(before < 0, 0.0, bdtr(np.clip(before, 0, m), m, 0.5))))

    return share


def _inverted(d: FloatArray, shared: FloatArray) -> Share:
    whole = float(shared.sum())
    gain = float(d.sum()) / whole

    def share(x: float) -> float:
        law = swap_law(d, shared, x, probe=(gain,), count_all=False)
        if law is None:
            raise UnboundedError
        # Flipping S takes 2(d − xℓ)(S) from the whole: its gain is at least the observed one where that is <= 0.
        return law.outside(-math.inf, gain).value

    return share


def step_ratio_quantiles(ups: FloatArray, downs: FloatArray, n: int, level: float) -> FloatArray:
    """Return the quantiles of d(S)/|S| of many pairs of binary systems, shape (m,), to a thousandth of their spread.

    d counts +1 on `ups` of the n units and −1 on `downs`. D = d(S) has the distribution of a binomial count; given D,
    the size of S is taken for normal, with its exact mean and variance.

    Parameters
    ----------
    ups, downs : ndarray, shape (m,)
    n : int
    level : float
        In (0, ½).

    Notes
    -----
    Cost: some 10 passes over m × the values of D that are likely.
    """
    from scipy.special import gammaln, ndtr, ndtri

    differing, gain = ups + downs, (ups - downs) / n
    width = int(np.ceil(_WINDOW * np.sqrt(differing.max(initial=1.0)))) + 2
    offsets = np.arange(-width // 2, width // 2 + 1)
    counts = np.floor(differing / 2)[:, None] + offsets
    inside = (counts >= 0) & (counts <= differing[:, None])
    counts = np.where(inside, counts, 0.0)
    total = differing[:, None]
    logs = gammaln(total + 1) - gammaln(counts + 1) - gammaln(total - counts + 1) - total * math.log(2)
    weights = np.where(inside, np.exp(logs), 0.0)
    values = counts - downs[:, None]  # of D
    slope = np.divide(ups - downs, differing, out=np.zeros(len(ups)), where=differing > 0)[:, None]
    mean = n / 2 + slope * (values - (ups - downs)[:, None] / 2)
    spread = np.sqrt(np.maximum(n / 4 - slope**2 * total / 4, 0.25))

    def share(x: FloatArray) -> FloatArray:
        """Return P(D <= x·|S|)."""
        step = np.where(np.abs(x) < _TIE, np.where(x < 0, -_TIE, _TIE), x)[:, None]
        size = values / step
        larger = ndtr((mean - size + 0.5) / spread)
        smaller = ndtr((size - mean + 0.5) / spread)
        below = np.where(step > 0, np.where(values <= 0, 1.0, larger), np.where(values < 0, smaller, 0.0))
        return np.asarray((weights * below).sum(axis=1))

    error = np.sqrt(np.maximum(differing - (ups - downs) ** 2 / n, 0.25)) / n
    low, high = gain + (float(ndtri(level)) - 6.0) * error, gain.copy()
    for _ in range(16):
        middle = (low + high) / 2
        above = share(middle) > level
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.where(differing > 0, np.maximum(high, -1.0), 0.0)
