"""The default rule of outscore in plain NumPy: from the scores of two systems to p, interval and verdict.

This program is for reading and for checking. It imports nothing of outscore, and the tests compare outscore with it. A
system is an array of item scores, shape (n,), or of numerators and denominators, shape (n, 2), whose sums divide to a
score, such as edits and words for WER. Items may be in clusters (then clusters are the units) or in strata (then their
sizes are fixed). docs/statistics/default.md explains the formulas.

    gain, p, (low, high), verdict = compare(baseline, candidate, clusters=documents)
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Ends = tuple[float, float]
NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)  # of Gauss-Legendre quadrature on [-1, 1]


def compare(
    baseline: ArrayLike,
    candidate: ArrayLike,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    alpha: float = 0.05,
    score_range: Ends = (-math.inf, math.inf),
) -> tuple[float, float, Ends, str]:
    """Return the gain, its two-sided p-value, its interval at level 1 - alpha, and the verdict."""
    a, b = rows_of(baseline), rows_of(candidate)
    binary = clusters is None and strata is None and all(np.isin(rows, (0, 1)).all() for rows in (a, b))
    if clusters is not None:  # the rows of a cluster are the sums of its items' rows
        a, b = summed(a, clusters), summed(b, clusters)
    gain = ratio(b) - ratio(a)
    if binary and np.all(a[:, 1] == 1) and np.all(b[:, 1] == 1):
        p, low, high = of_binary_items(b[:, 0] - a[:, 0], alpha)
    else:
        influences, degrees = influences_of(a, b, strata)
        few = strata is not None and np.unique(strata, return_counts=True)[1].min() < 10
        p, low, high = of_influences(gain, influences, degrees, alpha, cautious=few)
        width = score_range[1] - score_range[0]  # the largest possible gain
        low, high = max(low, -width), min(high, width)
    verdict = "inconclusive" if p > alpha or gain == 0 else "better" if gain > 0 else "worse"
    return gain, p, (low, high), verdict


# Rows, scores and influences.


def rows_of(scores: ArrayLike) -> Array:
    """Return numerators and denominators, shape (n, 2). The denominator of an item score is 1."""
    rows = np.asarray(scores, dtype=np.float64)
    return rows if rows.ndim == 2 else np.column_stack([rows, np.ones(len(rows))])


def summed(rows: Array, labels: ArrayLike) -> Array:
    """Return the sums of the rows with the same label."""
    _, codes = np.unique(labels, return_inverse=True)
    return np.array([rows[codes == code].sum(axis=0) for code in range(codes.max() + 1)])


def ratio(rows: Array) -> float:
    """Return the score of a system: the sum of its numerators divided by the sum of its denominators."""
    return float(rows[:, 0].sum() / rows[:, 1].sum())


def influences_of(a: Array, b: Array, strata: ArrayLike | None = None) -> tuple[Array, float]:
    """Return the influence of each unit on the gain, and the degrees of freedom of the sum of their squares.

    Without strata u = (gain - gain without the unit) * sqrt(1 - h), where h is the proportion of the unit in the sizes
    of all units, and the size of a unit is its denominator in both systems. For a mean the squares sum to the CR2
    variance (Bell and McCaffrey 2002), and the degrees of freedom are Satterthwaite's. In strata the influences are
    centred in each stratum of n units, and multiplied by sqrt(n / (n - 1)).
    """
    gain, sizes = ratio(b) - ratio(a), a[:, 1] + b[:, 1]
    h = sizes / sizes.sum()
    without = np.array([ratio(np.delete(b, i, 0)) - ratio(np.delete(a, i, 0)) for i in range(len(a))])
    if strata is None:
        leverage = h**2 / (1 - h)
        degrees = 1 / ((h**2).sum() + leverage.sum() ** 2 - (leverage**2).sum())
        return (gain - without) * np.sqrt(1 - h), degrees
    owed, influences, parts = (gain - without) * (1 - h), np.zeros(len(h)), []
    for stratum in np.unique(strata):
        of = np.asarray(strata) == stratum
        n = of.sum()
        influences[of] = (owed[of] - owed[of].mean()) * math.sqrt(n / (n - 1))
        parts.append(((influences[of] ** 2).sum(), n - 1))
    # Satterthwaite (1946): the squared sum of variances over the sum of the squares, each divided by its degrees.
    variance = sum(part for part, _ in parts)
    return influences, variance**2 / sum(part**2 / n for part, n in parts) if variance else sum(n for _, n in parts)


# The t-test of influences, corrected for skewness.


def of_influences(
    gain: float, influences: Array, design_degrees: float, alpha: float, *, cautious: bool = False
) -> tuple[float, float, float]:
    """Return p and the ends of the interval. `cautious` corrects for skewness that may be chance."""
    influences = np.where(np.abs(influences) < 1e-12 * np.abs(influences).max(initial=1e-300), 0.0, influences)
    if np.allclose(influences, 0, atol=1e-14 * max(abs(gain), 1e-300)):  # all units show the same gain: a sign test
        p = 1.0 if gain == 0 else min(1.0, 2 * 0.5 ** len(influences))
        if gain == 0:
            return p, 0.0, 0.0
        # Signs say nothing about the size, so 0 is the only finite end.
        return p, 0.0 if p <= alpha and gain > 0 else -math.inf, 0.0 if p <= alpha and gain < 0 else math.inf
    variance = (influences**2).sum()
    skewness = (influences**3).sum() / variance**1.5
    effective = variance**2 / (influences**4).sum()  # units with normal influences count a third each
    error = math.sqrt(variance)

    def shape(against: bool) -> tuple[float, float]:
        """Return s and the degrees of freedom, on the side that skewness is against and on the other."""
        explained = min(effective * skewness**2, 1 - 1e-12)  # of the kurtosis, by the skewness
        chance = 2 / 3 / effective**2  # the variance of the skewness of normal units
        threshold = chance if cautious else max((2 / (effective + 4)) ** 2, chance)
        beyond_chance = math.sqrt(max(skewness**2 - threshold, 0.0))
        raised = beyond_chance * (1 + min(12 / effective, (12 / effective) ** 2))  # few units hide skewness
        s = min(raised, (3 - explained) / 2) if against else 0.0
        own_degrees = 3 * effective / (1 - explained ** (1 if against else 5)) - 1
        return s, max(min(design_degrees, own_degrees), 1.0)

    t = gain / error
    s, degrees = shape(against=t * skewness < 0)
    corrected = abs(t) if s < 1e-9 else max(3 / (2 * s) * math.log1p(2 * s * abs(t) / 3) - s / 6, 0.0)

    def end(side: int) -> float:
        """Return the end below the gain (side -1) or above it (side 1)."""
        s, degrees = shape(against=side * skewness > 0)
        q = student_quantile(alpha / 2, degrees)
        reach = q if s < 1e-9 else 3 / (2 * s) * math.expm1(2 * s / 3 * (q + s / 6))
        return gain + side * error * reach

    return min(1.0, 2 * student_tail(corrected, degrees)), end(-1), end(1)


def student_tail(t: float, degrees: float) -> float:
    """Return P(T > t) for t >= 0, by Gauss-Legendre quadrature of the density.

    With T = sqrt(v) tan(x) the tail is the integral of cos(x)^(v - 1) from x = atan(t / sqrt(v)) to pi/2. The pieces
    grow by a factor of 2, because the integrand falls fast where t or v is large.
    """
    start = math.atan(t / math.sqrt(degrees))
    width, total = math.pi / 2 - start, 0.0
    first = min(width, 1 / (1 + degrees * math.tan(start) + math.sqrt(degrees)))
    pieces = [0.0, *(first * 2**k for k in range(60) if first * 2**k < width), width]
    log_at_start = (degrees - 1) * math.log(math.cos(start)) if start < math.pi / 2 else -math.inf
    for low, high in pairwise(pieces):
        x = start + low + (high - low) * (NODES + 1) / 2
        values = np.exp((degrees - 1) * np.log(np.cos(x)) - log_at_start)
        total += (high - low) / 2 * float(WEIGHTS @ values)
    log_constant = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2) - math.log(math.pi) / 2
    return math.exp(log_constant + log_at_start) * total


def student_quantile(tail: float, degrees: float) -> float:
    """Return the t with P(T > t) = tail, for tails below 1/2, by bisection."""
    low, high = 0.0, 1.0
    while student_tail(high, degrees) > tail:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if student_tail(middle, degrees) > tail else (low, middle)
    return (low + high) / 2


# Binary items: exact randomization.


def of_binary_items(differences: Array, alpha: float) -> tuple[float, float, float]:
    """Return p and the ends of the interval for differences of -1, 0 and 1.

    The exact randomization test is the binomial test of the wins among the items that differ (McNemar's exact test).
    The interval has all gains that randomization does not reject. If all items that differ point one way, permutations
    have no item that points the other way, and the interval is widened to hold Tango's score interval.
    """
    n, wins, losses = len(differences), int((differences > 0).sum()), int((differences < 0).sum())
    if wins + losses == 0:
        return 1.0, -tango_end(0, 0, n, alpha / 2), tango_end(0, 0, n, alpha / 2)
    most, of = max(wins, losses), wins + losses
    p = min(1.0, 2 * sum(math.comb(of, k) for k in range(most, of + 1)) / 2**of)
    low = randomization_end(wins, losses, n, alpha / 2)
    high = -randomization_end(losses, wins, n, alpha / 2)
    if not losses or not wins:
        low, high = min(low, -tango_end(losses, wins, n, alpha / 2)), max(high, tango_end(wins, losses, n, alpha / 2))
    return p, low, high


def randomization_end(wins: int, losses: int, n: int, level: float) -> float:
    """Return the smallest gain x that randomization does not reject against larger ones.

    Flipping the signs of d - x on a random subset S of the items gives at least the observed gain if and only if the
    sum of d over S is at most x |S|. So the p-value of x is P(W - L <= x (W + L + T)) with binomial numbers of wins,
    losses and ties in S. It rises with x.
    """
    if 0.5**n > level:  # the empty subset suffices
        return -math.inf
    of_wins, of_losses, of_ties = (binomial_half(count) for count in (wins, losses, n - wins - losses))
    i, j = np.arange(wins + 1)[:, None], np.arange(losses + 1)[None, :]
    ties = np.arange(n - wins - losses + 1)

    def p_value(x: float) -> float:
        met = i[..., None] - j[..., None] <= x * (i[..., None] + j[..., None] + ties) + 1e-12 * n
        return float(np.einsum("i,j,k,ijk->", of_wins, of_losses, of_ties, met, optimize=True))

    low, high = -1.0, (wins - losses) / n
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if p_value(middle) > level else (middle, high)
    return high


def binomial_half(n: int) -> Array:
    """Return the probabilities of 0 to n successes of probability 1/2."""
    return np.array([math.comb(n, k) / 2**n for k in range(n + 1)])


def tango_end(wins: int, losses: int, n: int, level: float) -> float:
    """Return the upper end of Tango's (1998) score interval of (wins - losses) / n, by bisection."""
    z = normal_quantile(level)

    def exceeds(x: float) -> bool:
        # The variance of wins - losses at a gain x, given the maximum likelihood estimate q of the proportion of wins.
        b = -(2 * n + wins - losses) * x - wins - losses
        q = (math.sqrt(max(b * b - 8 * n * wins * x * (1 + x), 0.0)) - b) / (4 * n)
        variance = n * (2 * q - x * (1 + x))
        return n * x - (wins - losses) > z * math.sqrt(max(variance, 0.0))

    low, high = (wins - losses) / n, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if exceeds(middle) else (middle, high)
    return high


def normal_quantile(tail: float) -> float:
    """Return the z with P(Z > z) = tail, by bisection of the complementary error function."""
    low, high = 0.0, 40.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if math.erfc(middle / math.sqrt(2)) / 2 > tail else (low, middle)
    return (low + high) / 2
