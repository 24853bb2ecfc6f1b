"""The ratio d(S)/ℓ(S) of a random subset of units, which inverts randomization.

Flipping the signs of dᵢ − δ₀ℓᵢ on a subset S of units, each in it with probability ½, gives a gain at least as large as
the observed one if and only if d(S) ≤ δ₀ℓ(S). So the p-value of δ₀ against larger gains is P(d(S) ≤ δ₀ℓ(S)), and
against smaller ones P(d(S) ≥ δ₀ℓ(S)). The limits of δ are quantiles of one ratio: Hartigan's typical values (1969).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.laws.exact.linear import step_counts
from outscore.laws.tolerances import MOST_COMBINATIONS, MOST_SWAPS, MOST_SWITCHED_UNITS

_TIE = 1e-12
_FEW = 64  # units of binary systems whose subsets are enumerated
_NEAR, _CLOSE = 0.25, 1e-3  # standard errors: the range in which a quantile is searched, and its tolerance
_HALVINGS = 60
_PAIRS = 2**11  # pairs per block
_ERFC = (
    *(0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807),
    *(-0.18628806, 0.09678418, 0.37409196, 1.00002368, -1.26551223),
)
_WINDOW = 8.5  # standard deviations of a count, with all but 2e-17 of the probability
_UNLIKELY = 1e-22  # of half a million combinations of counts

Share = Callable[[float], float]


def subset_share(d: FloatArray, shared: FloatArray) -> Share | None:
    """Return the function x ↦ P(d(S) <= x·ℓ(S)), exact to ten digits, or None if it has to be sampled.

    d and ℓ have the shape (n,), and ℓ ≥ 0. The empty subset meets the event at every x. Units of few kinds are
    enumerated by the number of each kind in S.
    """
    steps = step_counts(d, shared)
    # np.unique(d) would import numpy.ma. Each kind but the largest has at least two counts.
    most = MOST_SWAPS if len(d) <= MOST_SWITCHED_UNITS else MOST_COMBINATIONS
    if steps is None and np.count_nonzero(np.diff(np.sort(d))) >= most.bit_length():
        return None
    kinds, counts = _kinds(d, shared, steps)
    widths = np.minimum(counts + 1, np.ceil(_WINDOW * np.sqrt(counts)) + 1)
    return _counted(kinds, counts) if math.prod(widths.tolist()) / widths.max() <= most else None


def _kinds(d: FloatArray, shared: FloatArray, steps: tuple[int, int] | None) -> tuple[FloatArray, AnyArray]:
    """Return the distinct pairs of d and ℓ, shape (kinds, 2), and the number of units with each."""
    if steps is None:
        return np.unique(np.column_stack([d, shared]), axis=0, return_counts=True)
    counts = np.array([*steps, len(d) - sum(steps)])
    return np.array([[1.0, 1.0], [-1.0, 1.0], [0.0, 1.0]])[counts > 0], counts[counts > 0]


def _counted(kinds: FloatArray, counts: AnyArray) -> Share:
    *others, largest = np.argsort(counts).tolist()
    gained, chosen, weights = np.zeros(1), np.zeros(1), np.ones(1)  # d(S) and ℓ(S) of all kinds but the largest
    for kind in others:
        first, probabilities = _likely_counts(int(counts[kind]))
        k = first + np.arange(len(probabilities))
        gained, chosen = (
            np.add.outer(total, k * each).ravel() for total, each in zip((gained, chosen), kinds[kind], strict=True)
        )
        weights = np.multiply.outer(weights, probabilities).ravel()
    likely = weights > _UNLIKELY
    gained, chosen, weights = gained[likely], chosen[likely], weights[likely]
    m, (d, shared) = int(counts[largest]), kinds[largest]
    first, probabilities = _likely_counts(m)
    below = np.concatenate([[0.0], np.cumsum(probabilities)])  # P(K < first), P(K < first + 1), ...
    last = len(probabilities)
    size = float(counts @ np.abs(kinds[:, 0])), float(counts @ kinds[:, 1])
    places = np.empty_like(gained)

    def share(x: float) -> float:
        # K of the largest kind are in S: the event is K·v <= rest.
        v = d - x * shared
        tolerance = _TIE * (size[0] + abs(x) * size[1])
        if abs(v) <= tolerance / m:
            return float(weights[x * chosen - gained + tolerance >= 0].sum())
        # The event is K <= rest/v, or K >= rest/v where v < 0. Truncation is rounding down, except for places below 0,
        # which are moved to 0.
        np.subtract((x / abs(v)) * chosen, gained / abs(v), out=places)
        places[:] += tolerance / abs(v) + (1 - first if v > 0 else first + last)
        chances = below if v > 0 else 1 - below[::-1]
        # Not a dot product: threads of the linear algebra library would take eight times as much processor time.
        return float((weights * chances.take(places.astype(np.intp), mode="clip")).sum())

    return share


def _likely_counts(m: int) -> tuple[int, FloatArray]:
    """Return the smallest likely count of a random subset of m units, and the probabilities from there on."""
    reach = math.ceil(_WINDOW * math.sqrt(m) / 2)
    k = np.arange(max(0, m // 2 - reach), min(m, m - m // 2 + reach) + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log((m - k[:-1]) / (k[:-1] + 1)))])
    probabilities = np.exp(logs - logs.max())
    return int(k[0]), probabilities / probabilities.sum()


def score_variance(ups: FloatArray, downs: FloatArray, n: int, gain: float | FloatArray) -> FloatArray:
    """Return the variance of ups − downs given a gain per unit of δ, from Tango's (1998) estimates, shape (m,).

    It is n (2q + δ (1 − δ)), where q is the maximum likelihood estimate of the proportion of downs: the larger root of
    2n q² + B q − downs δ (1 − δ) = 0 with B = (2n − ups + downs) δ − ups − downs.
    """
    b = (2 * n - ups + downs) * gain - ups - downs
    share = (np.sqrt(np.maximum(b * b + 8 * n * downs * gain * (1 - gain), 0.0)) - b) / (4 * n)
    return np.asarray(np.maximum(n * (2 * share + gain * (1 - gain)), 0.0))


def score_ends(ups: FloatArray, downs: FloatArray, n: int, critical: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends of Tango's (1998) score intervals of (ups − downs)/n, by bisection, shape (m,) each.

    `critical` is the quantile of the normal distribution that the score statistic T(δ) has at the ends, positive.
    """

    def lower(ups: FloatArray, downs: FloatArray) -> FloatArray:
        low, high = np.full(len(ups), -1.0), np.full(len(ups), 1.0)
        for _ in range(_HALVINGS):
            gain = (low + high) / 2
            reached = ups - downs - n * gain > critical * np.sqrt(score_variance(ups, downs, n, gain))
            low, high = np.where(reached, gain, low), np.where(reached, high, gain)
        return np.asarray((low + high) / 2)

    # Exchanged systems mirror the ends to the last bit.
    return lower(ups, downs), -lower(downs, ups)


def step_ratio_quantiles(ups: FloatArray, downs: FloatArray, n: int, level: float) -> FloatArray:
    """Return the quantiles of d(S)/|S| of many pairs of binary systems, at a level in (0, ½), shape (m,).

    d is +1 on `ups` of the n units and −1 on `downs`. Up to 64 units, all counts are summed, and quantiles are exact to
    a thousandth of a standard error. With more units D = d(S) has the distribution of a binomial count and, given D,
    the size of S is approximated by a normal distribution with its exact mean and variance. From 200 units on, that
    changes an interval of typical width by about 0.5% of it.

    Cost: about 10 passes over m × the likely values of D.
    """
    quantiles = np.empty(len(ups))
    # Pairs with similar numbers of differing units together, because they need as many values.
    order = np.argsort(ups + downs, kind="stable")
    for start in range(0, len(order), _PAIRS):
        part = order[start : start + _PAIRS]
        quantiles[part] = _quantiles(ups[part], downs[part], n, level)
    return quantiles


def _quantiles(ups: FloatArray, downs: FloatArray, n: int, level: float) -> FloatArray:
    if 0.5**n > level:  # the empty subset suffices
        return np.full(len(ups), -np.inf)
    differing, gain = ups + downs, (ups - downs) / n
    share = _share_of_few(ups, downs, n) if n <= _FEW else _share_of_many(ups, downs, n, level)
    error = np.sqrt(np.maximum(differing - (ups - downs) ** 2 / n, 0.25)) / n
    low, high = np.full(len(ups), -1.0), gain.copy()
    # Start from the normal approximation, which is usually close.
    reach = NormalDist().inv_cdf(level)
    near = gain + reach * error
    near = gain + reach * np.sqrt(np.maximum(differing - 2 * near * (ups - downs) + near**2 * n, 0.0)) / n
    trials = [near - _NEAR * error, near + _NEAR * error]
    while True:
        for trial in trials:
            middle = np.clip(trial, low, high)
            above = share(middle) > level
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        if (high - low <= _CLOSE * error).all():
            return np.where(differing > 0, high, 0.0)
        trials = [(low + high) / 2]


def _share_of_few(ups: FloatArray, downs: FloatArray, n: int) -> Callable[[FloatArray], FloatArray]:
    """Return the function x ↦ P(d(S) <= x·|S|) of many pairs, by the counts of S in all three kinds of units."""
    tails = np.zeros((n + 1, n + 2))  # P(W >= w) of Binomial(e, ½)
    for e in range(n + 1):
        tails[e, : e + 1] = np.cumsum([math.comb(e, w) * 0.5**e for w in range(e, -1, -1)])[::-1]
    up, down = (np.arange(int(counts.max(initial=0)) + 1) for counts in (ups, downs))
    masses = -np.diff(tails, axis=1)
    weights = masses[ups.astype(int)][:, up, None] * masses[downs.astype(int)][:, None, down]
    gained, chosen = up[:, None] - down, up[:, None] + down
    alike = (n - ups - downs).astype(int)[:, None, None]

    def share(x: FloatArray) -> FloatArray:
        step = x[:, None, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            least = gained / step - chosen
        # At least this many of the ties are in S, or, if x < 0, at most this many.
        at_least = tails[alike, np.clip(np.ceil(least - _TIE), 0, n + 1).astype(int)]
        at_most = 1 - tails[alike, np.clip(np.floor(least + _TIE) + 1, 0, n + 1).astype(int)]
        met = np.where(step > 0, at_least, np.where(step < 0, at_most, gained <= 0))
        return np.asarray((weights * met).sum(axis=(1, 2)))

    return share


def _share_of_many(ups: FloatArray, downs: FloatArray, n: int, level: float) -> Callable[[FloatArray], FloatArray]:
    """Return the function x ↦ P(d(S) <= x·|S|) of many pairs, |S| given d(S) taken as normal."""
    differing = ups + downs
    # A window that leaves out at most a thousandth of the level.
    width = int(np.ceil(-NormalDist().inv_cdf(level / 1000) * np.sqrt(differing.max(initial=1.0)))) + 2
    offsets = np.arange(-width // 2, width // 2 + 1)
    counts = np.floor(differing / 2)[:, None] + offsets
    total = differing[:, None]
    inside = (counts >= 0) & (counts <= total)
    counts = np.where(inside, counts, 0.0)
    logs = np.cumsum(
        np.log((total - counts + 1) / np.maximum(counts, 1.0), where=counts > 0, out=np.zeros_like(counts)), axis=1
    )
    weights = np.where(inside, np.exp(logs - logs.max(axis=1, keepdims=True)), 0.0)
    weights /= weights.sum(axis=1, keepdims=True)
    values = counts - downs[:, None]  # of D
    slope = np.divide(ups - downs, differing, out=np.zeros(len(ups)), where=differing > 0)[:, None]
    mean = n / 2 + slope * (values - (ups - downs)[:, None] / 2)
    spread = np.sqrt(np.maximum(n / 4 - slope**2 * total / 4, 0.25))

    def share(x: FloatArray) -> FloatArray:
        step = np.where(np.abs(x) < _TIE, np.where(x < 0, -_TIE, _TIE), x)[:, None]
        # |S| >= D/x if x > 0, and |S| <= D/x if x < 0.
        below = _normal_below((np.sign(step) * (mean - values / step) + 0.5) / spread)
        below = np.where(step > 0, np.where(values <= 0, 1.0, below), np.where(values < 0, below, 0.0))
        return np.asarray((weights * below).sum(axis=1))

    return share


def _normal_below(z: FloatArray) -> FloatArray:
    """Return the standard normal distribution function, to 1.2e-7 of it, and 0 below 1e-17 (Press et al. 1992, erfcc).

    SciPy has all digits, but importing it takes longer than a comparison.
    """
    below = np.where(z > 0, 1.0, 0.0)
    near = np.abs(z) < _WINDOW
    size = np.abs(z[near]) / math.sqrt(2)
    t = 1 / (1 + size / 2)
    tail = t / 2 * np.exp(np.polyval(_ERFC, t) - size * size)
    below[near] = np.abs(below[near] - tail)
    return below
