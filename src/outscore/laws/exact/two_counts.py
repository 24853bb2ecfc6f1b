"""The exact randomization distribution of metrics that are a ratio of two counts: F1, precision, AER.

A swap keeps the sum of the two systems' rows, so one system's two counts determine the other's. The change of the
candidate's counts is a sum of independent pairs, each taken with probability ½. Its transform is a product of cosines
on a two-dimensional grid, inverted by one Fourier transform.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from outscore._types import BoolArray, FloatArray, IntArray
from outscore.laws.law import AtomicLaw, Law, Probability
from outscore.laws.tolerances import EPSILON, MOST_TWO_COUNT_CELLS

# A sum of signs is sub-Gaussian with its own variance, tilted or not: the probability beyond 9 standard deviations on
# either axis is less than 4·exp(−9²/2) = 1e-17.
_WINDOW = 9.0
_OUTSIDE = 4 * float(np.exp(-(_WINDOW**2) / 2))
_NEGLIGIBLE = 1e-25
_COUNTABLE = 40  # with at most this many pairs, probabilities can be rounded to multiples of 2⁻ᵐ
_TURNS = 20
_STEEPEST = 64.0
_SMALL = 1e-6  # smaller tails are computed from the tilted distribution, for relative accuracy


@dataclass(frozen=True, eq=False)
class TwoCounts:
    """Two systems' counts per unit: score = numerator / denominator of the sums, 0 for 0/0.

    Attributes
    ----------
    baseline, candidate : ndarray of int, shape (n, 2)
        Numerators and denominators.
    sign : int
        1 if higher is better, −1 if lower is.
    """

    baseline: IntArray
    candidate: IntArray
    sign: int = 1


def two_count_swap_law(counts: TwoCounts) -> Law | None:
    """Return the distribution of the gain under swaps with probability ½, or None if its grid is too large.

    Cost: the number of relevant grid cells times the number of distinct pairs of changes; 3,500 sentences take about
    50 ms.
    """
    change = counts.candidate - counts.baseline
    change = change[(change != 0).any(axis=1)]
    if len(change) == 0:
        return None
    # A pair and its negative are equivalent under random signs.
    flipped = (change[:, 0] < 0) | ((change[:, 0] == 0) & (change[:, 1] < 0))
    folded = np.where(flipped[:, None], -change, change)
    pairs, times = np.unique(folded, axis=0, return_counts=True)
    # Common pairs first: their cosines have high powers, which leave few nodes of the transform alive for the others.
    order = np.argsort(-times, kind="stable")
    pairs, times = pairs[order], times[order]
    sd = np.sqrt((pairs**2 * times[:, None]).sum(axis=0)) / 2
    steps = np.maximum(np.gcd.reduce(pairs, axis=0), 1)
    if np.prod(2 * _WINDOW * sd / steps + 3) > MOST_TWO_COUNT_CELLS:
        return None
    return _TwoCountLaw(counts, pairs, times)


class _TwoCountLaw(Law):
    """The distribution by its cells; small tails are computed again from the distribution tilted towards them."""

    exact = True
    how = "exact: two counts"

    def __init__(self, counts: TwoCounts, pairs: IntArray, times: IntArray) -> None:
        self._pairs, self._times = pairs, times
        self._counts = counts
        # All numerators and denominators follow from the sum of both systems and the candidate's part of it:
        # (sum ± Σ s·pair) / 2 with signs s.
        self._both = (counts.baseline + counts.candidate).sum(axis=0)
        candidate_totals = counts.candidate.sum(axis=0)
        # As fractions: two ratios of large counts may differ by less than rounding.
        scores = self._exact_scores(2 * candidate_totals - self._both)
        self._observed = scores[0] - scores[1]
        self._threshold = counts.sign * float(self._observed)
        self._tolerance = 1e-14 * max(1.0, float(abs(scores[0]) + abs(scores[1])))
        self._m = int(times.sum())
        self.least = max(0.5**self._m, float(np.finfo(np.float64).tiny))
        points, probabilities, noise = self._cells(np.zeros(2))
        self._noise = noise * len(points) + _OUTSIDE
        self._relative_error = 1e-12 + 4 * EPSILON * self._m
        self._law = AtomicLaw(
            self._gains(points), probabilities, tolerance=self._tolerance, how=self.how, least=self.least
        )

    def outside(self, low: float, high: float, *, strict: bool = False) -> Probability:
        value = self._law.outside(low, high, strict=strict).value
        # Probabilities are multiples of 2⁻ᵐ, and rounding to the nearest removes all error of the transform.
        if self._m <= _COUNTABLE:
            return Probability(round(value * 2**self._m) / 2**self._m)
        probability = Probability(value, error=self._noise + value * self._relative_error)
        # The error of the transform is absolute, some 1e-16 for each cell: a small tail would be all error.
        if value >= _SMALL:
            return probability
        # Swapping everything changes the sign of the gain: the lower tail is the upper tail of the mirrored limit.
        tails = [self._tilted_tail(limit, strict=strict) for limit in (high, -low) if np.isfinite(limit)]
        error = sum(error for _, error in tails)
        return Probability(sum(value for value, _ in tails), error) if error < self._noise else probability

    def quantile(self, level: float) -> float:
        return self._law.quantile(level)

    def below(self, value: float) -> float:
        return self._law.below(value)

    def _exact_scores(self, difference: IntArray) -> tuple[Fraction, Fraction]:
        """Return the scores of candidate and baseline if the difference of their totals is `difference`."""
        up, down = (
            Fraction(int(n), int(d)) if d else Fraction(0)
            for n, d in ((self._both + difference) // 2, (self._both - difference) // 2)
        )
        return up, down

    def _gains(self, points: IntArray) -> FloatArray:
        """Return the gains at differences of totals, shape (m, 2); those equal to ±δ are bit-identical to it.

        Ratios of counts can differ by less than rounding: near the threshold they are compared as fractions.
        """
        up, down = (self._both + points) / 2, (self._both - points) / 2
        scores = [
            np.divide(part[:, 0], part[:, 1], out=np.zeros(len(points)), where=part[:, 1] > 0) for part in (up, down)
        ]
        gains: FloatArray = (scores[0] - scores[1]) * self._counts.sign
        threshold = abs(self._threshold)
        near = 1e-10 * np.maximum(np.abs(scores[0]) + np.abs(scores[1]), 1.0)
        # Both signs of the threshold count: two-sided tests and mirrored tails have a limit on either side.
        for index in np.flatnonzero(np.abs(np.abs(gains) - threshold) < near):
            up_exact, down_exact = self._exact_scores(points[index])
            apart = abs(up_exact - down_exact) - abs(self._observed)
            away = 0 if apart == 0 else 4 * self._tolerance * (1 if apart > 0 else -1)
            gains[index] = np.copysign(threshold + away, gains[index])
        return gains

    def _cells(self, theta: FloatArray) -> tuple[IntArray, FloatArray, float]:
        """Return the cells of the distribution tilted by θ: points (m, 2), probabilities (m,), and their error."""
        pairs, times = self._pairs, self._times
        slopes = np.tanh(pairs @ theta)
        mean = (times * slopes) @ pairs
        sd = np.sqrt((pairs**2).T @ times)
        # Σ s·pair and Σ pair have the same parity, pair by pair: count in steps of 2·gcd from Σ pair.
        total = times @ pairs
        steps = 2 * np.maximum(np.gcd.reduce(pairs, axis=0), 1)
        ends = np.abs(pairs.T) @ times
        start = np.floor((np.maximum(mean - _WINDOW * sd, -ends) - total) / steps).astype(np.int64)
        size = np.ceil((np.minimum(mean + _WINDOW * sd, ends) - total) / steps).astype(np.int64) - start + 1
        first = total + start * steps

        rows, columns = int(size[0]), int(size[1])
        angle = (2 * np.pi * np.fft.fftfreq(rows) / steps[0], 2 * np.pi * np.fft.rfftfreq(columns) / steps[1])
        grid_u, grid_v = (part.ravel() for part in np.meshgrid(*angle, indexing="ij"))
        transform = np.exp(-1j * (grid_u * first[0] + grid_v * first[1]))
        # The transform is a product of cosines, and nearly everywhere 0 after a few pairs. Only nodes that are left are
        # multiplied.
        alive = np.arange(len(transform))
        for pair, count, slope in zip(pairs, times, slopes, strict=True):
            phase = grid_u[alive] * pair[0] + grid_v[alive] * pair[1]
            factor = np.cos(phase) + 1j * slope * np.sin(phase)
            transform[alive] *= np.abs(factor) ** count * np.exp(1j * (count * np.angle(factor)))
            alive = alive[np.abs(transform[alive]) > _NEGLIGIBLE]
        kept = np.zeros_like(transform)
        kept[alive] = transform[alive]
        law = np.fft.irfft2(np.conj(kept.reshape(rows, -1)), s=(rows, columns))
        points = np.stack(
            np.meshgrid(first[0] + steps[0] * np.arange(rows), first[1] + steps[1] * np.arange(columns), indexing="ij"),
            axis=-1,
        ).reshape(-1, 2)
        # No sum exceeds these, nor do the errors, denominators minus numerators.
        inside: BoolArray = (np.abs(points) <= ends).all(axis=1)
        inside &= np.abs(points[:, 1] - points[:, 0]) <= np.abs(pairs[:, 1] - pairs[:, 0]) @ times
        # The error of the transform spreads evenly over the cells.
        noise = EPSILON * math.log2(2 * law.size) * float(np.linalg.norm(law)) / law.size**0.5
        return points[inside], np.maximum(law.ravel()[inside], 0.0), noise

    def _log_mass(self, theta: FloatArray) -> float:
        half = np.abs(self._pairs @ theta)
        return float(self._times @ (half + np.log1p(np.exp(-2 * half)) - np.log(2.0)))

    def _tilted_tail(self, limit: float, *, strict: bool) -> tuple[float, float]:
        """Return P(gain >= limit) for a limit far above the mean, and its error."""
        theta = self._tilt_towards(limit)
        points, probabilities, noise = self._cells(theta)
        gains = self._gains(points)
        event = gains > limit + self._tolerance if strict else gains >= limit - self._tolerance
        log_mass = self._log_mass(theta)
        weights = np.exp(log_mass - points[event] @ theta)
        value = float(probabilities[event] @ weights)
        error = noise * float(weights.sum()) + _OUTSIDE * float(weights.max(initial=0.0))
        return value, error + value * (self._relative_error + 4 * EPSILON * abs(log_mass))

    def _tilt_towards(self, limit: float) -> FloatArray:
        """Return the tilt whose mean is the likeliest point with about that gain.

        There the tilt is along the gain's gradient, so that to first order no point with that gain or more is
        likelier.
        """
        mean = theta = np.zeros(2)
        for _ in range(_TURNS):
            gradient = self._gradient(mean)
            # Tilts by more than some 64 leave every pair certain: the mean does not move any more.
            direction = gradient / max(float(np.abs(self._pairs @ gradient).max()), 1e-300)
            low, high = 0.0, 1.0
            while self._gain_at(self._mean(high * direction)) < limit and high < _STEEPEST:
                low, high = high, 2 * high
            while high - low > 1e-3 * high:
                middle = (low + high) / 2
                low, high = (middle, high) if self._gain_at(self._mean(middle * direction)) < limit else (low, middle)
            before, theta = theta, high * direction
            mean = self._mean(theta)
            if np.abs(self._pairs @ (theta - before)).max() <= 1e-3 * high:
                break
        return theta

    def _mean(self, theta: FloatArray) -> FloatArray:
        return np.asarray((self._times * np.tanh(self._pairs @ theta)) @ self._pairs)

    def _gain_at(self, mean: FloatArray) -> float:
        up, down = self._both + mean, self._both - mean
        ratio = [float(part[0] / part[1]) if part[1] > 0 else 0.0 for part in (up, down)]
        return (ratio[0] - ratio[1]) * self._counts.sign

    def _gradient(self, mean: FloatArray) -> FloatArray:
        """Return the direction of steepest ascent of the gain."""
        parts = [part for part in (self._both + mean, self._both - mean) if part[1] > 0]
        slopes = [np.array([1.0, -part[0] / part[1]]) / part[1] for part in parts]
        return np.asarray(sum(slopes, np.zeros(2)) * self._counts.sign)
