"""Exact laws of binary scores, for thousands of pairs at once.

Where every unit is right or wrong, a unit's difference is +1 (helped), −1 (hurt) or 0, and three counts tell all
about a pair. Under the bootstrap the sum of differences is one of draws from {+1, 0, −1}; under randomization it is
one of as many signs as there are units that differ. The formulas are those of `exact.inversion`, on arrays: the
counts of a table of s systems are one product of matrices, and 20,000 pairs take about a second.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray

__all__ = ["StepSums", "sign_tail"]

_DIGITS = 36.0  # aliasing is pushed below exp(−36) = 2e-16 of the result
_DEAD = 40.0  # a transform below exp(−40) adds nothing
_ROUNDING = 4 * float(np.finfo(np.float64).eps)
_CELLS = 2**19  # nodes held at once
_WIDE = 9.0  # standard deviations to each side that hold all but 1e-18 of a normal law ...
_SKEWED = 30.0  # ... and what a Poisson law of few events needs beyond


def sign_tail(heads: IntArray, tosses: IntArray) -> FloatArray:
    """Return P(B ≥ heads) for B ~ Binomial(tosses, ½), element by element, with relative accuracy."""
    from scipy.special import betainc  # SciPy takes longer to import than most comparisons to compute

    inside = np.clip(heads, 1, np.maximum(tosses, 1))
    tail = betainc(inside, np.maximum(tosses, 1) - inside + 1, 0.5)
    return np.where(heads <= 0, 1.0, np.where(heads > tosses, 0.0, tail))


@dataclass(frozen=True, eq=False)
class StepSums:
    """Sums of draws with replacement from units that count +1, −1 or 0: as many draws as units, m sums at once.

    Parameters
    ----------
    ups, downs : ndarray of int, shape (m,)
        How many units count +1 and −1 in each sum.
    n : int
        How many units, and draws, there are.
    """

    ups: IntArray
    downs: IntArray
    n: int

    @property
    def mean(self) -> IntArray:
        """The means of the sums, shape (m,): whole numbers, the observed sums."""
        return np.asarray(self.ups - self.downs)

    @property
    def highest(self) -> IntArray:
        """The largest possible sums, shape (m,)."""
        best = np.where(self.ups > 0, 1, np.where(self.downs < self.n, 0, -1))
        return np.asarray(self.n * best)

    @property
    def variance(self) -> FloatArray:
        """The variances of the sums, shape (m,)."""
        ups, downs = self.ups, self.downs
        return np.asarray(ups + downs - (ups - downs) ** 2 / self.n)

    @property
    def mirrored(self) -> StepSums:
        """The sums with all signs turned."""
        return StepSums(self.downs, self.ups, self.n)

    def take(self, index: AnyArray) -> StepSums:
        """Return the sums at `index`."""
        return StepSums(self.ups[index], self.downs[index], self.n)

    def at_least(self, limits: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return P(S ≥ limit) and bounds on the absolute errors, shape (m,) each.

        With the law tilted by θ > 0 and nodes t at a spacing of 2π/N,

            P(S ≥ x) = exp(K(θ) − θx) · (1/N) Σ φ_θ(t) exp(−itx) / (1 − exp(−θ − it)),

        up to aliasing (Daniels 1987, eq. 6.1). θ is near the saddlepoint, so that tails of 1e-200 keep their digits.

        Cost: about a hundred nodes a sum, whatever the number of units.
        """
        values, errors = np.zeros(len(limits)), np.zeros(len(limits))
        values[limits <= -self.mirrored.highest] = 1.0
        inside = (limits > -self.mirrored.highest) & (limits <= self.highest)
        above = limits >= self.mean
        for side, sums, x in ((above, self, limits), (~above, self.mirrored, 1 - limits)):
            index = np.flatnonzero(inside & side)
            if len(index):
                values[index], errors[index] = _Tilted(sums.take(index), x[index]).tails()
        lower = inside & ~above
        values[lower] = 1 - values[lower]
        return values, errors

    def at_most(self, limits: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return P(S ≤ limit) and bounds on the absolute errors, shape (m,) each."""
        return self.mirrored.at_least(-limits)

    def quantiles(self, *levels: float) -> IntArray:
        """Return the smallest x with P(S ≤ x) ≥ level, for every level, shape (levels, m).

        The law itself, by one inverse Fourier transform a sum, on a window of 9 standard deviations to each side.
        """
        quantiles = np.zeros((len(levels), len(self.ups)), dtype=np.int64)
        deviations = np.sqrt(self.variance)
        lengths = 2 ** np.ceil(np.log2(2 * (_WIDE * deviations + _SKEWED))).astype(np.int64)
        for length in np.unique(lengths):
            alike = np.flatnonzero(lengths == length)
            for part in np.array_split(alike, max(1, len(alike) * int(length) // _CELLS)):
                first, law = self.take(part)._law(int(length))
                up_to = np.cumsum(law, axis=1)
                for row, level in enumerate(levels):
                    reached = up_to >= level * (1 - 1e-13)
                    quantiles[row, part] = first + np.argmax(reached, axis=1)
        return quantiles

    def _law(self, length: int) -> tuple[IntArray, FloatArray]:
        """Return the smallest value of each window, and the probabilities from there on, shape (m, length)."""
        first = self.mean - length // 2
        spacing = 2 * np.pi / length
        count = min(length // 2 + 1, int(_last_node(self, np.zeros(len(first)), spacing).max()) + 1)
        nodes: FloatArray = spacing * np.arange(count, dtype=np.float64)
        log_transform = _log_transform(self, np.zeros((len(first), 1)), nodes[None, :])
        transform = np.exp(log_transform - 1j * nodes * first[:, None])
        law = np.fft.irfft(np.conj(transform), n=length, axis=1)
        return first, np.maximum(law, 0.0)


def _tilted(sums: StepSums, theta: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the tilted probabilities of +1, 0 and −1, and the log of what they were divided by, of θ's shape each."""
    shape = (-1, *[1] * (theta.ndim - 1))
    up = (sums.ups / sums.n).reshape(shape)
    down = (sums.downs / sums.n).reshape(shape) * np.exp(-2 * theta)
    rest = ((sums.n - sums.ups - sums.downs) / sums.n).reshape(shape) * np.exp(-theta)
    mass = up + down + rest
    return up / mass, rest / mass, down / mass, sums.n * (np.log(mass) + theta)


def _log_transform(sums: StepSums, theta: FloatArray, nodes: FloatArray) -> AnyArray:
    """Return log E_θ exp(itS), shape (m, nodes), for θ of shape (m, 1) and t of shape (m or 1, nodes)."""
    up, rest, down, _ = _tilted(sums, theta)
    turn = np.exp(1j * nodes)
    factor = up * turn + down * np.conj(turn) + rest
    factor[factor == 0] = 1e-300  # whose logarithm is finite
    return np.asarray(sums.n * np.log(factor))


def _last_node(sums: StepSums, theta: FloatArray, spacing: FloatArray | float) -> IntArray:
    """Return the last node, shape (m,), at which the transform may be worth anything.

    log|φ|ⁿ ≤ −n (p₀(p₊ + p₋)(1 − cos t) + p₊p₋(1 − cos 2t)), where 1 − cos t ≥ (2t/π)² up to π/2 and ≥ 1 beyond. Where
    hardly a unit counts 0, the transform comes back at π and all nodes are needed.
    """
    up, rest, down, _ = _tilted(sums, theta)
    whole = sums.n * rest * (up + down)
    half = sums.n * up * down
    decay = (4 / np.pi**2) * (whole + 2 * half)
    reach = np.sqrt(_DEAD / np.maximum(decay, 1e-300))
    reach = np.where((whole < _DEAD) | (reach > np.pi / 2), np.pi, reach)
    return np.asarray(np.ceil(reach / spacing), dtype=np.int64)


class _Tilted:
    """Upper tails at limits x not below the means, each on a contour of its own."""

    def __init__(self, sums: StepSums, x: IntArray) -> None:
        self._sums, self._x = sums, x.astype(np.float64)
        self._theta = self._saddlepoint()
        self._log_size = _tilted(sums, self._theta)[3] - self._theta * self._x
        up, _, down, _ = _tilted(sums, self._theta)
        spread = np.sqrt(sums.n * (up + down - (up - down) ** 2))
        length = (_DIGITS + np.maximum(0.0, -self._log_size)) / self._theta
        # Odd, so that nodes pair up around 0.
        self._length = np.ceil(np.maximum(length, 10 * spread + 4)).astype(np.int64) | 1

    def tails(self) -> tuple[FloatArray, FloatArray]:
        """Return the tails and bounds on their errors, shape (m,) each."""
        last = np.minimum(_last_node(self._sums, self._theta, 2 * np.pi / self._length), (self._length - 1) // 2)
        values, lost = np.zeros(len(last)), np.zeros(len(last))
        for part in self._parts(last):
            values[part], lost[part] = self._inverted(part, last[part])
        return np.clip(values, 0.0, 1.0), self._aliasing() + lost

    def _parts(self, last: IntArray) -> Iterator[AnyArray]:
        """Yield sums that need about as many nodes, not too many at once."""
        order = np.argsort(last, kind="stable")
        start = 0
        while start < len(order):
            stop = start + 1
            while stop < len(order) and (stop - start) * int(last[order[stop]] + 1) < _CELLS:
                stop += max(1, min(256, len(order) - stop - 1))
            yield order[start:stop]
            start = stop

    def _inverted(self, part: AnyArray, last: IntArray) -> tuple[FloatArray, FloatArray]:
        theta, x, length = self._theta[part, None], self._x[part, None], self._length[part, None]
        order = np.arange(int(last.max()) + 1)
        nodes = 2 * np.pi / length * order
        transform = np.exp(_log_transform(self._sums.take(part), theta, nodes) - 1j * nodes * x)
        terms = transform / -np.expm1(-theta - 1j * nodes)
        terms *= np.where(order > last[:, None], 0.0, np.where(order > 0, 2.0, 1.0))
        size = np.exp(self._log_size[part]) / self._length[part]
        # The last bit of every factor, and of the exponent K − θx.
        magnitude = np.abs(terms).sum(axis=1)
        lost = _ROUNDING * (max(self._sums.n, 10.0) + np.abs(theta * x)[:, 0]) * magnitude * size
        return terms.real.sum(axis=1) * size, lost

    def _aliasing(self) -> FloatArray:
        """Bound what P(S ≥ x ± kN) adds (Chernoff)."""
        theta, far = self._theta, self._x + self._length
        exponent = np.min(
            [
                theta * self._length + _tilted(self._sums, factor * theta)[3] - factor * theta * far
                for factor in (1.25, 1.5, 2.0, 3.0)
            ],
            axis=0,
        )
        above = np.where(far <= self._sums.highest, np.exp(np.minimum(exponent, 0.0)), 0.0)
        return np.asarray(np.exp(-theta * self._length) + 2 * above)

    def _saddlepoint(self) -> FloatArray:
        """Return θ with K'(θ) near x, half a step short of the end of the support; any θ > 0 gives the right value."""
        least = 1 / np.sqrt(self._sums.variance)
        aim = np.minimum(self._x, self._sums.highest - 0.5)
        low, high = np.zeros(len(aim)), least.copy()
        for _ in range(60):
            short = self._slope(high) < aim
            if not short.any():
                break
            low, high = np.where(short, high, low), np.where(short, 2 * high, high)
        for _ in range(8):
            middle = (low + high) / 2
            short = self._slope(middle) < aim
            low, high = np.where(short, middle, low), np.where(short, high, middle)
        return np.maximum(high, least)

    def _slope(self, theta: FloatArray) -> FloatArray:
        up, _, down, _ = _tilted(self._sums, theta)
        return np.asarray(self._sums.n * (up - down))
