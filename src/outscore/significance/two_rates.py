"""The exact unconditional test of two independent proportions, and its interval, in NumPy.

Of n₁ and n₂ items i and j score 1. The null hypothesis is p₂ − p₁ = d. Tables (i, j) are ordered by the
skewness-corrected score statistic (Gart & Nam 1990; Laud 2017). With the maximum-likelihood rates whose difference is d
(Farrington & Manning 1990),

    V = p₁q₁/n₁ + p₂q₂/n₂
    s = (j/n₂ − i/n₁ − d)/√V
    k = (p₂q₂(1 − 2p₂)/n₂² − p₁q₁(1 − 2p₁)/n₁²)/(6·V^1.5)
    T = (√(1 + 4k(k + s)) − 1)/(2k), and s if k = 0

P(T ≥ t) depends on the unknown rate p₁ as well. The p-value is its maximum over the rates that i + j leaves possible,
plus the probability of any other rate (Berger & Boos 1994). A rate is possible unless Chernoff and Hoeffding's bound
gives i + j a probability of at most 1e-9. So the level holds for every size and every rate, except that the maximum is
taken over a grid of rates that is refined twice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from outscore._types import FloatArray, IntArray
from outscore.laws.student import normal_quantile
from outscore.results import Alternative
from outscore.significance.base import tail_of

_IMPOSSIBLE = 1e-9  # probability of all rates that are left out, which is added to p
_N_RATES, _N_REFINED, _REFINEMENTS = 32, 9, 2  # the largest probability is then known to about 1e-3 of its value
_TIED = 1e-7  # difference in T of mirror tables, which rounding of the rates' cubic equation leaves
_FARTHEST = 7.8  # standard deviations of a count: all others have a probability of about 1e-14
_FEW = 20  # counts around the window, for rare events, whose counts are not normal
_NO_VARIANCE = 1e-14  # V of rates within 1e-9 of 0 or 1 at 1e5 items; one right item of 2e5 has 2.5e-11
_NO_SKEWNESS = 1e-9  # k, below which T is s: T = s + k(1 - s²), and rounding has a part of 1e-16/k in it
_CERTAIN = 1e6  # T if V is 0 and the difference is not d: beyond all others; with d = 0 they are below √(n₁ + n₂)
_NO_EXCESS = 1e-12  # a difference of rates that is d but for rounding; others are 1/(n₁n₂) = 2.5e-11 or more from 0
_HALVINGS = 40  # to 1e-12 of the range, the rounding errors of rates
_FIRST_STEP = 0.02  # of the distance to the gain: the score's own end is rarely further from the exact one
_PRECISION = 1e-5  # of an end, relative to its distance from the gain
_EDGE = 1 - 1e-9  # the largest difference at which rates can be computed


@dataclass(frozen=True)
class Right:
    """The number of items that score 1, and of all items."""

    count: int
    of: int

    @property
    def rate(self) -> float:
        """The proportion."""
        return self.count / self.of


def smallest_p(alternative: Alternative) -> float:
    """Return the smallest p-value that the test can show."""
    return _IMPOSSIBLE * (2 if alternative is Alternative.TWO_SIDED else 1)


def rates_p_value(baseline: Right, candidate: Right, gain: float, alternative: Alternative) -> float:
    """Return the p-value of the null hypothesis that the difference of the rates is `gain`.

    "less" is "greater" with the systems exchanged, and the two-sided p-value is twice the smaller one-sided one.
    """
    match alternative:
        case Alternative.GREATER:
            return _at_least(baseline, candidate, gain)
        case Alternative.LESS:
            return _at_least(candidate, baseline, -gain)
        case Alternative.TWO_SIDED:
            return min(2 * min(_at_least(baseline, candidate, gain), _at_least(candidate, baseline, -gain)), 1.0)


def rates_interval(baseline: Right, candidate: Right, alpha: float, alternative: Alternative) -> tuple[float, float]:
    """Return the differences of the rates that the test does not reject at level alpha.

    An end that a one-sided test does not bound is infinite.
    """
    tail = tail_of(alpha, alternative)
    low = -math.inf if alternative is Alternative.LESS else _lower_end(baseline, candidate, tail)
    high = math.inf if alternative is Alternative.GREATER else -_lower_end(candidate, baseline, tail)
    return low, high


def corrected_score(baseline: Right, candidate: Right, gain: float) -> float:
    """Return T of the observed counts."""
    i, j = np.asarray(baseline.count), np.asarray(candidate.count)
    return float(_order(i, baseline.of, j, candidate.of, gain))


def _rates(i: IntArray, n1: int, j: IntArray, n2: int, d: float) -> tuple[FloatArray, FloatArray]:
    """Return the maximum-likelihood rates with p₂ − p₁ = d: the root of a cubic equation within their range."""
    if d == 0:
        pooled = (i + j) / (n1 + n2)
        return pooled, pooled
    ratio, x, y = n1 / n2, i / n1, j / n2
    a, b = 1 + ratio, -(1 + ratio + y + ratio * x + d * (ratio + 2))
    c, e = d * d + d * (2 * y + ratio + 1) + y + ratio * x, -y * d * (1 + d)
    centre = b / (3 * a)
    v = centre**3 - b * c / (6 * a * a) + e / (2 * a)
    u = np.sqrt(np.maximum(centre**2 - c / (3 * a), 0.0)) * np.where(v < 0, -1.0, 1.0)
    some = np.where(u == 0, 1.0, u)
    # All three roots are real. This branch of the arc cosine is the one between the bounds (Farrington & Manning 1990).
    angle = (np.pi + np.arccos(np.clip(np.where(u == 0, 0.0, v / some**3), -1.0, 1.0))) / 3
    p2 = np.clip(2 * u * np.cos(angle) - centre, max(d, 0.0), min(1 + d, 1.0))
    return p2 - d, p2


def _order(i: IntArray, n1: int, j: IntArray, n2: int, d: float) -> FloatArray:
    """Return T of tables, shape (m,): large values are evidence for p₂ − p₁ > d."""
    p1, p2 = _rates(i, n1, j, n2, d)
    v1, v2 = p1 * (1 - p1) / n1, p2 * (1 - p2) / n2
    v, excess = v1 + v2, j / n2 - i / n1 - d
    some = v > _NO_VARIANCE
    safe = np.where(some, v, 1.0)
    certain = np.sign(excess) * (np.abs(excess) > _NO_EXCESS) * _CERTAIN
    s = np.where(some, excess / np.sqrt(safe), certain)
    k = np.where(some, (v2 * (1 - 2 * p2) / n2 - v1 * (1 - 2 * p1) / n1) / safe**1.5 / 6, 0.0)
    skewed = np.abs(k) >= _NO_SKEWNESS
    k = np.where(skewed, k, 1.0)
    return np.where(skewed, (np.sqrt(np.maximum(1 + 4 * k * (k + s), 0.0)) - 1) / (2 * k), s)


def _at_least(baseline: Right, candidate: Right, d: float) -> float:
    """Return the maximum over possible rates of P(T ≥ t), plus the probability of the other rates."""
    n1, n2 = baseline.of, candidate.of
    observed = corrected_score(baseline, candidate, d) - _TIED
    rates = _possible_rates(baseline, candidate, d)
    rows, cols = _window(n1, rates), _window(n2, rates + d)
    # T increases with the candidate's count. So the event is, for each count of the baseline, a tail of the candidate's
    # counts, and a rate needs one cumulated sum and one product instead of a sum over all tables.
    first = _first_that_reaches(observed, rows, n1, cols, n2, d) - cols[0]
    ways = _log_ways(n1, rows), _log_ways(n2, cols)

    def probabilities(rates: FloatArray) -> FloatArray:
        above = np.zeros((len(rates), len(cols) + 1))
        above[:, :-1] = np.cumsum(_binomial(n2, cols, ways[1], rates + d)[:, ::-1], axis=1)[:, ::-1]
        return np.asarray((_binomial(n1, rows, ways[0], rates) * above[:, first]).sum(axis=1))

    p = probabilities(rates)
    for _ in range(_REFINEMENTS):
        # The probability is a smooth function of the rate, with several bumps. The grid finds the highest one, and is
        # refined around it.
        best = int(p.argmax())
        rates = np.linspace(rates[max(best - 1, 0)], rates[min(best + 1, len(rates) - 1)], _N_REFINED)
        p = probabilities(rates)
    return min(float(p.max()) + _IMPOSSIBLE, 1.0)


def _possible_rates(baseline: Right, candidate: Right, d: float) -> FloatArray:
    """Return a grid of the baseline's rates at which the number of all items that score 1 is not too improbable.

    N·KL(share, mean rate) ≤ ln(2/1e-9), where KL is the divergence of two Bernoulli distributions. The grid is even on
    the arcsine scale, on which a proportion has the same variance everywhere.
    """
    low, high, n = max(0.0, -d), min(1.0, 1 - d), baseline.of + candidate.of
    # The number of all items that score 1 bounds the rates: given d, its mean depends on the baseline's rate alone.
    share, shift = (baseline.count + candidate.count) / n, d * candidate.of / n

    def is_possible(rate: float) -> bool:
        mean = min(max(rate + shift, 1e-15), 1 - 1e-15)
        divergence = (share * math.log(share / mean) if share > 0 else 0.0) + (
            (1 - share) * math.log((1 - share) / (1 - mean)) if share < 1 else 0.0
        )
        return n * divergence <= math.log(2 / _IMPOSSIBLE)

    ends = []
    for outer in (low, high):
        inner = min(max(share - shift, low), high)
        if is_possible(outer):
            inner = outer
        else:
            for _ in range(_HALVINGS):
                middle = (inner + outer) / 2
                inner, outer = (middle, outer) if is_possible(middle) else (inner, middle)
        ends.append(inner)
    first, last = (math.asin(math.sqrt(min(max((end - low) / (high - low), 0.0), 1.0))) for end in ends)
    return np.asarray(low + (high - low) * np.sin(np.linspace(first, last, _N_RATES)) ** 2)


def _window(n: int, rates: FloatArray) -> IntArray:
    """Return the counts of n items that are not too improbable at any of the rates."""
    reach = _FARTHEST * np.sqrt(np.maximum(n * rates * (1 - rates), 0.0)) + _FEW
    low, high = math.floor(float((n * rates - reach).min())), math.ceil(float((n * rates + reach).max()))
    return np.arange(max(low, 0), min(high, n) + 1)


def _first_that_reaches(t: float, rows: IntArray, n1: int, cols: IntArray, n2: int, d: float) -> IntArray:
    """Return, for each count of the baseline, the candidate's smallest count with T ≥ t, by bisection."""
    left, right = np.full(len(rows), cols[0]), np.full(len(rows), cols[-1] + 1)
    for _ in range(len(cols).bit_length()):
        middle = (left + right) // 2
        reached, is_open = _order(rows, n1, np.minimum(middle, n2), n2, d) >= t, left < right
        right, left = np.where(is_open & reached, middle, right), np.where(is_open & ~reached, middle + 1, left)
    return right


def _log_ways(n: int, counts: IntArray) -> FloatArray:
    """Return ln C(n, k) of successive counts; relative to the first, so that large n loses few digits."""
    first = int(counts[0])
    steps = np.log((n - counts[1:] + 1) / counts[1:])
    start = math.lgamma(n + 1) - math.lgamma(first + 1) - math.lgamma(n - first + 1)
    return np.asarray(start + np.concatenate([[0.0], np.cumsum(steps)]))


def _binomial(n: int, counts: IntArray, log_ways: FloatArray, rates: FloatArray) -> FloatArray:
    """Return the binomial probabilities of counts, one row per rate."""
    # Clipped, since 0 · ln 0 is NaN. The exponentials of such large logarithms are 0 all the same.
    inside = np.clip(rates, 1e-300, 1 - 1e-16)[:, None]
    return np.exp(log_ways + counts * np.log(inside) + (n - counts) * np.log1p(-inside))


def _lower_end(baseline: Right, candidate: Right, tail: float) -> float:
    """Return the smallest difference that the one-sided test does not reject, next to the score's own end.

    p is not monotone in the difference, and may cross the level several times within a few thousandths. The search goes
    outwards from the end of the asymptotic score test. The end is on the side of 0 that the p-value of 0 shows.
    """
    gain, critical = candidate.rate - baseline.rate, normal_quantile(tail)
    if gain <= -_EDGE:
        return -1.0

    def excess(d: float) -> float:
        """Return ln(p/tail): at most 0 if the difference is rejected."""
        return math.log(_at_least(baseline, candidate, d) / tail)

    below, above = -_EDGE, gain
    if gain > 0 and excess(0.0) <= 0:
        below = 0.0
    elif gain > 0:
        above = 0.0
    outer, inner = below, above
    for _ in range(_HALVINGS):
        middle = (outer + inner) / 2
        reached = corrected_score(baseline, candidate, middle) >= critical
        outer, inner = (middle, inner) if reached else (outer, middle)
    # The exact end is near the score's. Steps outwards double until p crosses the level.
    start, at_start = outer, excess(outer)
    step = max(_FIRST_STEP * (gain - start), _PRECISION)
    while True:
        end = min(max(start + (step if at_start <= 0 else -step), below), above)
        at_end = excess(end)
        if end in (below, above) or (at_end <= 0) != (at_start <= 0):
            break
        start, at_start, step = end, at_end, 2 * step
    if end == -_EDGE and at_end > 0:
        return -1.0
    (outer, at_outer), (inner, at_inner) = sorted([(start, at_start), (end, at_end)])
    precision, halve = _PRECISION * (gain - outer), False
    while inner - outer > precision:
        # ln p is nearly linear, except where tables change places: then the interval is halved.
        share = 0.5 if halve or not at_outer <= 0 < at_inner else at_outer / (at_outer - at_inner)
        width = inner - outer
        middle = min(max(outer + share * width, outer + precision / 2), inner - precision / 2)
        at_middle = excess(middle)
        if at_middle <= 0:
            outer, at_outer = middle, at_middle
        else:
            inner, at_inner = middle, at_middle
        halve = inner - outer > width / 2
    return inner
