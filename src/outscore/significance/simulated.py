"""Decisions of tests on many simulated test sets at once, without resampling each of them.

A test set of m units drawn from a pilot's n is a vector of weights on the pilot's rows. Whether a test is significant
on it follows from weighted moments. The resampling distribution of the set is a distribution of sums, and its first
four cumulants give the tail to within O(1/m) (Edgeworth's expansion).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from statistics import NormalDist

import numpy as np

from outscore._types import FloatArray, IntArray
from outscore.data.strata import members_of
from outscore.gains.influence import FEW_IN_STRATUM, Spread, cr2_degrees, satterthwaite
from outscore.gains.pair import Pair
from outscore.gains.skewness import skew_reach
from outscore.laws.exact.lattice import find_step
from outscore.laws.tolerances import NOISE

_ALL = 1 - 1e-12  # of a set's size: without a unit this large there is no score
# Samples of normal numbers, their sizes, and the root of the number of pairs of κ and m for larger sizes. 10,240 and
# 64² are multiples of 64 · 2, the strips and parts of strips into which samples are sorted. The power of one sample per
# part differs by at most 0.4 points from that of all.
_SAMPLES, _MOST_DRAWN, _GRID = 10_240, 100, 64
_STRIPS, _PARTS = 64, 2
_DIGITS = 9  # of limits near 2, whose rounding errors are near 1e-14
_USUAL_TAIL = 0.025  # at which samples are sorted by their limits: that of two sides at 5%
_PAIRS = 128  # minimum number of pairs of opposite points at which a score is evaluated


@dataclass(frozen=True)
class Curvature:
    """How the bootstrap distribution of a function differs from that of its line, in standard deviations of the line.

    Attributes
    ----------
    shift : float or ndarray
        Shift of the mean: E δ* − δ.
    stretch : float or ndarray
        Standard deviation of δ*.
    skewness : float or ndarray
        Third cumulant, beyond that of the line.
    """

    shift: float | FloatArray
    stretch: float | FloatArray
    skewness: float | FloatArray


FLAT = Curvature(0.0, 1.0, 0.0)


@dataclass(frozen=True)
class Line:
    """A straight line through a function of totals, and the function's curvature about it.

    Attributes
    ----------
    slopes : ndarray, shape (b, columns)
        One line per row of totals.
    odd_stretch : ndarray, shape (b,)
        The stretch of the function's odd part, f(T + Δ) − f(T − Δ), which has neither shift nor skewness.
    """

    slopes: FloatArray
    curvature: Curvature
    odd_stretch: FloatArray


def line_through(
    value_of: Callable[[FloatArray], FloatArray], totals: FloatArray, covariance: FloatArray, least: FloatArray
) -> Line:
    """Return the line that best fits a function of totals over their bootstrap distribution.

    A derivative describes the function at one point only. Bootstrap samples cover its neighbourhood, which may include
    a kink: BLEU has one where the output is as long as the reference. So the function is evaluated at points that have
    the mean and covariance of the bootstrap samples, T ± C^½z, with z in orthogonal directions and with the lengths of
    normal vectors (a cubature, Genz & Monahan 1998). The line is the least-squares fit, E ∇f for normal samples. Shift,
    stretch and skewness are the moments of the residual. Without a kink they are those of the expansion by second
    derivatives (Hall 1992, section 2.4).

    Parameters
    ----------
    value_of : callable
        From totals, shape (r, columns), to values, shape (r,).
    totals : ndarray, shape (b, columns)
        The points of the function.
    covariance : ndarray, shape (b, columns, columns)
        Covariance of the bootstrap samples of each.
    least : ndarray, shape (columns,)
        Lower bounds of the totals: 0 for counts.
    """
    columns = totals.shape[1]
    directions = _directions(columns)
    root, inverse = symmetric_roots(covariance)
    steps = directions @ root

    def values(points: FloatArray) -> FloatArray:
        return np.asarray(value_of(np.maximum(points, least).reshape(-1, columns)).reshape(points.shape[:2]))

    up, down, middle = values(totals[:, None] + steps), values(totals[:, None] - steps), value_of(totals)
    odd, even = (up - down) / 2, (up + down) / 2 - middle[:, None]
    # The directions of a basis are orthogonal, so least squares is a sum.
    slopes = np.einsum("bkl,bl->bk", inverse, odd @ directions / (directions[:, 0] @ directions[:, 0]))
    rest = odd - np.einsum("bpk,bk->bp", steps, slopes)
    shift = even.mean(axis=1)
    even = even - shift[:, None]
    variance = np.maximum(np.einsum("bk,bkl,bl->b", slopes, covariance, slopes), 0.0)
    deviation = np.sqrt(variance)

    def relative(moment: FloatArray, unit: FloatArray) -> FloatArray:
        return np.divide(moment, unit, out=np.zeros(len(moment)), where=unit > 0)

    odd_part, even_part = (relative((part**2).mean(axis=1), variance) for part in (rest, even))
    skewness = relative((3 * odd**2 * even + even**3).mean(axis=1), deviation**3)
    bent = Curvature(relative(shift, deviation), np.sqrt(1 + odd_part + even_part), skewness)
    return Line(slopes, bent, np.sqrt(1 + odd_part))


@cache
def _directions(columns: int) -> FloatArray:
    """Return points, shape (p, columns): several random orthogonal bases, each with its own length.

    Their second moments are exactly those of a normal vector, and their lengths are quantiles of its length.
    """
    from scipy.special import gammaincinv

    rng = np.random.default_rng(0)
    n_bases = math.ceil(_PAIRS / columns)
    squares = 2 * gammaincinv(columns / 2, (np.arange(n_bases) + 0.5) / n_bases)
    lengths = np.sqrt(squares * columns / squares.mean())
    return np.concatenate([length * np.linalg.qr(rng.normal(size=(columns, columns)))[0] for length in lengths])


def symmetric_roots(covariance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the symmetric square roots of matrices and their inverses, both 0 in directions without variance.

    Unlike other roots they do not depend on the signs of eigenvectors, which differ between processors.
    """
    values, vectors = np.linalg.eigh(covariance)
    kept = values > NOISE * values.max(axis=1, keepdims=True)
    root = np.sqrt(np.where(kept, values, 0.0))
    inverse = np.divide(1.0, root, out=np.zeros_like(root), where=kept)
    transposed = np.swapaxes(vectors, 1, 2)
    return (vectors * root[:, None]) @ transposed, (vectors * inverse[:, None]) @ transposed


@cache
def _normal_draws() -> FloatArray:
    return np.random.default_rng(0).standard_normal((_MOST_DRAWN, _SAMPLES))


@lru_cache(maxsize=64)
def normal_spreads(n: int) -> Spread:
    """Return spreads of n normal numbers, as arrays of equally likely entries.

    κ and m do not depend on the numbers' mean and variance (Basu 1955). For small n the numbers are drawn. Those of n
    are the first of those of n + 1, so that powers grow smoothly. For large n, κ and m are nearly normal (Fisher 1930).
    """
    if n <= _MOST_DRAWN:
        values = _normal_draws()[:n] - _normal_draws()[:n].mean(axis=0)
        squares = values * values
        second = squares.sum(axis=0)
        skewness, effective = (squares * values).sum(axis=0) / second**1.5, second**2 / (squares * squares).sum(axis=0)
    else:
        z = np.array([NormalDist().inv_cdf((i + 0.5) / _GRID) for i in range(_GRID)])
        third, fourth = (part.ravel() for part in np.meshgrid(z, z))
        skewness = third * math.sqrt(6 * (n - 2) / ((n + 1) * (n + 3)) / n)
        variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
        effective = n / (3 * (n - 1) / (n + 1) + fourth * math.sqrt(variance))
    # κ and −κ are equally likely. One sample represents others with nearly the same two limits.
    skewness = -np.abs(skewness)
    reaches = skew_reach(_USUAL_TAIL, Spread(1.0, skewness, effective, n - 1.0))
    # Many limits are equal but for rounding. Last digits, which depend on the processor, must not decide their order.
    against, otherwise = (np.round(reach, _DIGITS) for reach in reaches)
    order = np.argsort(against, kind="stable").reshape(_STRIPS, -1)
    parts = np.argsort(otherwise[order], axis=1, kind="stable")
    order = np.take_along_axis(order, parts, axis=1).reshape(_STRIPS * _PARTS, -1)
    chosen = order[:, order.shape[1] // 2]
    return Spread(1.0, np.concatenate([skewness[chosen], -skewness[chosen]]), np.tile(effective[chosen], 2), n - 1.0)


@dataclass(frozen=True, eq=False)
class SimulatedSets:
    """Simulated test sets: the number of copies of each of the pilot's units in each set.

    Attributes
    ----------
    pair : Pair
        The pilot.
    weights : ndarray, shape (b, n)
        Whole numbers; every row adds up to the m units of a test set.
    """

    pair: Pair
    weights: FloatArray

    @cached_property
    def totals(self) -> FloatArray:
        return self.weights @ self.pair.columns

    @cached_property
    def gains(self) -> FloatArray:
        """δ of each test set, shape (b,)."""
        return self.pair.gains(self.totals)

    @cached_property
    def strata(self) -> list[IntArray]:
        """The indices of each stratum's units in the pilot; all units if there are no strata."""
        n = self.pair.n_units
        return [np.arange(n)] if self.pair.strata is None else members_of(self.pair.strata)

    def stretches(self) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
        """Yield the indices of each stratum, its size m_h in each set, and the size of a bootstrap sample of it."""
        fewer = 0 if self.pair.strata is None else 1
        for members in self.strata:
            size = self.weights[:, members].sum(axis=1)
            yield members, size, size - fewer

    @cached_property
    def grid(self) -> float:
        """The step of the differences if all draws weigh the same and the differences lie on a grid; else 0."""
        if not self.pair.equal_weights or self.pair.linear is None or self.pair.strata is not None:
            return 0.0
        d = self.pair.linear.d
        return find_step(d - d.min(), float(np.abs(d).max())) or 0.0

    def spread(self) -> Spread:
        """Return the spread of the gain over the units of each set, in arrays of shape (b,).

        It equals `Pair.spread` of the pair that the set makes.
        """
        weights, sizes = self.weights, self.pair.sizes
        total = (weights @ sizes)[:, None]
        # Per copy of a unit, so that a unit drawn twice is two units of the simulated set.
        share = np.where(total > 0, sizes / np.where(total > 0, total, 1.0), 1 / weights.sum(axis=1, keepdims=True))
        rest = np.where(share < _ALL, 1 - share, 1.0)
        values, tolerance = self._owed(rest)
        if self.pair.strata is None:
            one_has_all = ((share >= _ALL) & (weights > 0)).any(axis=1)
            values = values / np.sqrt(rest)
        else:
            one_has_all = np.zeros(len(weights), dtype=bool)
            values = self._centred_in_strata(values)
        values = np.where((np.abs(values) <= tolerance[:, None]) | (weights == 0), 0.0, values)
        unknown = one_has_all | ~np.isfinite(values).all(axis=1)
        values[unknown] = 0.0
        largest = np.abs(values).max(axis=1)
        values /= np.where(largest > 0, largest, 1.0)[:, None]
        squares = values * values
        second = np.einsum("bn,bn->b", weights, squares)
        third, fourth = (np.einsum("bn,bn,bn->b", weights, squares, part) for part in (values, squares))
        degrees = cr2_degrees(share, rest, weights) if self.pair.strata is None else self._degrees_of_strata(squares)
        smallest = np.min([size for _, size, _ in self.stretches()], axis=0)
        moments = Spread.of_sums(second, third, fourth, np.where(unknown, 1.0, degrees), largest)
        return replace(
            moments,
            error=np.where(unknown, np.inf, moments.error),
            cautious=(self.pair.strata is not None) & (smallest < FEW_IN_STRATUM),
        )

    def _owed(self, rest: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return each unit's contribution to each gain, (dᵢ − δℓᵢ)/Σℓ, shape (b, n), and its rounding error.

        If the gain is not linear, it is the change of the gain when the unit is left out, times the weight of the
        other units.
        """
        linear = self.pair.linear
        if linear is not None:
            bottom = self.weights @ linear.shared
            bottom = np.where(bottom > 0, bottom, 1.0)
            owed = (linear.d - self.gains[:, None] * linear.shared) / bottom[:, None]
            return owed, NOISE * (self.weights @ np.abs(linear.d)) / bottom
        owed = np.zeros_like(rest)
        # Units that a set lacks have no influence on it. In small sets that leaves out most evaluations of the metric.
        sets, units = in_set = np.nonzero(self.weights)
        without = self.pair.gains(self.totals[sets] - self.pair.columns[units])
        owed[in_set] = (self.gains[sets] - without) * rest[in_set]
        return owed, np.full(len(rest), self.pair.tolerance)

    def _centred_in_strata(self, values: FloatArray) -> FloatArray:
        """Return the influences of units in strata: centred in each stratum, times √(n_h/(n_h − 1))."""
        centred = np.empty_like(values)
        for members, size, draws in self.stretches():
            values_here = values[:, members]
            mean = np.einsum("bn,bn->b", self.weights[:, members], values_here) / size
            centred[:, members] = (values_here - mean[:, None]) * np.sqrt(size / draws)[:, None]
        return centred

    def _degrees_of_strata(self, squares: FloatArray) -> FloatArray:
        """Return the degrees of freedom of each set by its strata, given the squared influences."""
        return satterthwaite(
            [
                (np.einsum("bn,bn->b", self.weights[:, members], squares[:, members]), draws)
                for members, _, draws in self.stretches()
            ]
        )

    def upper(self) -> FloatArray:
        """Return P(δ* ≥ 2δ) of each set: the recentred bootstrap."""
        return self._bootstrap_tail(2.0)

    def lower(self) -> FloatArray:
        """Return P(δ* ≤ 0) of each set: the uncentred bootstrap."""
        return self._bootstrap_tail(0.0)

    def _bootstrap_tail(self, multiple: float) -> FloatArray:
        """Return P(δ* ≥ 2δ), or P(δ* ≤ 0), where δ > 0; mirrored where δ < 0."""
        linear = self.pair.linear
        sign = np.sign(self.gains)
        curvature = FLAT
        if linear is not None:
            # δ* ≥ c is Σ w(d − cℓ) ≥ 0, an event of a sum.
            values = linear.d - multiple * self.gains[:, None] * linear.shared
        else:
            curvature = self._line.curvature
            # Linear about the set's own totals, with the mean placed so that the event is beyond 0.
            m = self.weights.sum(axis=1, keepdims=True)
            values = self.influence + (1 - multiple) * self.gains[:, None] / m
        # If the gain is positive, multiple 2 gives the upper event and 0 the lower.
        direction = sign if multiple == 0.0 else -sign
        bent = Curvature(curvature.shift * direction, curvature.stretch, curvature.skewness * direction)
        return _sum_beyond(self, values * direction[:, None], bent)

    @property
    def influence(self) -> FloatArray:
        """The influence of each unit on the gain about the totals of each set, shape (b, n), with mean 0 per set."""
        values = self._line.slopes @ self.pair.columns.T
        m = self.weights.sum(axis=1, keepdims=True)
        return np.asarray(values - np.einsum("bn,bn->b", self.weights, values)[:, None] / m)

    @cached_property
    def _line(self) -> Line:
        """The line through the gain about the totals of each set, over its bootstrap distribution."""
        columns = self.pair.columns
        covariance = np.zeros((*self.totals.shape, columns.shape[1]))
        for members, size, draws in self.stretches():
            part, weights = columns[members], self.weights[:, members]
            totals = weights @ part
            squares = _squares(weights, part) - totals[:, :, None] * (totals / size[:, None])[:, None]
            covariance += squares * (size / draws)[:, None, None]
        return line_through(self.pair.gains, self.totals, covariance, _least(columns))

    def swapped(self) -> FloatArray:
        """Return P(δ' ≥ |δ|) of each set under random swaps."""
        stretch: float | FloatArray = 1.0
        if self.pair.linear is not None:
            squares = self.pair.linear.d**2
            second, fourth = self.weights @ squares, self.weights @ squares**2
            statistic = np.abs(self.totals[:, 0])
        else:
            k = self.pair.baseline.shape[1]
            # A swap moves both systems' totals about their mean by half of the difference of the unit's rows. The gain
            # is twice the odd part of the score there.
            middle = (self.totals[:, :k] + self.totals[:, k:]) / 2
            apart = self.pair.candidate - self.pair.baseline
            line = line_through(
                self.pair.metric.score, middle, _squares(self.weights, apart / 2), _least(self.pair.baseline)
            )
            values, stretch = line.slopes @ apart.T, line.odd_stretch
            statistic = np.abs(self.gains)
            squares = values * values
            second = np.einsum("bn,bn->b", self.weights, squares)
            fourth = np.einsum("bn,bn,bn->b", self.weights, squares, squares)
        spread = np.sqrt(second)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(spread > 0, statistic / (spread * stretch), 0.0)
            excess = np.where(spread > 0, -2 * fourth / second**2, 0.0)
            # Sums of signs move by two steps of the grid.
            half = np.where(spread > 0, self.grid / spread, 0.0)
        tail = np.where(spread > 0, _edgeworth(z, np.zeros_like(z), excess, half), 1.0)
        # The set itself is one of the 2ᵐ swaps of m units that differ, so no p-value is smaller.
        differ = (self.pair.baseline != self.pair.candidate).any(axis=1)
        return np.asarray(np.maximum(tail, 0.5 ** (self.weights @ differ.astype(float))))

    @cached_property
    def differing(self) -> tuple[FloatArray, FloatArray]:
        """The numbers of wins and losses in each set."""
        d = self.pair.changes(0.0)[:, 0]
        return self.weights @ (d > 0).astype(float), self.weights @ (d < 0).astype(float)


def _least(rows: FloatArray) -> FloatArray:
    """Return lower bounds of sums of rows, shape (columns,): 0 for counts."""
    return np.where((rows >= 0).all(axis=0), 0.0, -np.inf)


def _squares(weights: FloatArray, columns: FloatArray) -> FloatArray:
    """Return Σ w x x' of each set, shape (b, columns, columns), as one product of matrices."""
    n, k = columns.shape
    # Outer products of rows once, weighted for all sets by one product of matrices.
    squares = (columns[:, :, None] * columns[:, None, :]).reshape(n, k * k)
    return np.asarray((weights @ squares).reshape(-1, k, k))


def _sum_beyond(sets: SimulatedSets, values: FloatArray, bent: Curvature) -> FloatArray:
    """Return P(Σ w*u ≤ 0) for bootstrap weights w* on each set, shape (b,), from the cumulants of its draws."""
    weights = sets.weights
    total = np.einsum("bn,bn->b", weights, values)
    second, third, fourth = (np.zeros(len(weights)) for _ in range(3))
    for members, m, draws in sets.stretches():
        weights_here = weights[:, members]
        centred = values[:, members] - (np.einsum("bn,bn->b", weights_here, values[:, members]) / m)[:, None]
        powers = centred * centred
        # Cumulants of one draw, times powers of its weight.
        variance = np.einsum("bn,bn->b", weights_here, powers) / m
        weight = m / draws
        second += draws * weight**2 * variance
        third += draws * weight**3 * np.einsum("bn,bn,bn->b", weights_here, powers, centred) / m
        fourth += draws * weight**4 * (np.einsum("bn,bn,bn->b", weights_here, powers, powers) / m - 3 * variance**2)
    size = np.maximum(np.abs(values).max(axis=1), 1e-300)
    spread = np.sqrt(second)
    # A set of equal units has no spread, and its sum is on one side of 0 for certain.
    real = spread > NOISE * size * np.sqrt(weights.sum(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(real, total / spread, 0.0) + bent.shift
        skewness = np.where(real, third / (second * spread), 0.0) + bent.skewness
        excess = np.where(real, fourth / second**2, 0.0)
        half = np.where(real, sets.grid / 2 / spread, 0.0)
    # The lower tail of a sum is the upper tail of its mirror image.
    tail = _edgeworth(z / bent.stretch, -skewness / bent.stretch**3, excess / bent.stretch**4, half)
    return np.where(real, tail, np.where(total > NOISE * size * weights.sum(axis=1), 0.0, 1.0))


def _edgeworth(z: FloatArray, skewness: FloatArray, excess: FloatArray, shift: FloatArray) -> FloatArray:
    """Return P(Z ≥ z) of a standardized sum with these cumulants and a shifted mean.

    Φ(−z) + φ(z) [κ₃/6 He₂ + κ₄/24 He₃ + κ₃²/72 He₅ + shift] (Feller, vol. 2, section XVI.4). A shift of half a grid
    step adds half of the atom at z.
    """
    from scipy.special import ndtr

    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    he2, he3, he5 = z**2 - 1, z**3 - 3 * z, z**5 - 10 * z**3 + 15 * z
    more = skewness / 6 * he2 + excess / 24 * he3 + skewness**2 / 72 * he5
    return np.asarray(ndtr(-z) + density * (more + shift))
