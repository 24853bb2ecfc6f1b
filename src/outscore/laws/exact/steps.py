"""Exact distributions of binary scores, for thousands of pairs at once.

With binary scores, a unit's difference is +1 (win), −1 (loss) or 0 (tie), and three counts describe a pair. Under the
bootstrap the sum of differences is a sum of draws from {+1, 0, −1}. Under randomization it is a sum of random signs,
one per unit that differs. The formulas are those of `exact.sums`, on arrays. The counts of a table of s systems
are one matrix product, and 20,000 pairs take about a second.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.laws.beta import binomial_at_least
from outscore.laws.tolerances import LAST_BITS

_DIGITS = 36.0  # aliasing is pushed below exp(−36) = 2e-16 of the result
_DEAD = 40.0  # a transform below exp(−40) contributes nothing
_CELLS = 2**19  # nodes held at once
_TOGETHER = 32  # sums are grouped by their numbers of nodes, in such steps
_FEW_TOSSES = 54  # 2⁵³ is the largest power up to which all whole numbers are doubles
_WIDE = 9.0  # standard deviations on each side with all but 1e-18 of a normal distribution ...
_SKEWED = 30.0  # ... and what a Poisson distribution of few events needs beyond them


def sign_tail(heads: IntArray, tosses: IntArray) -> FloatArray:
    """Return P(B ≥ heads) for B ~ Binomial(tosses, ½), element by element, with relative accuracy."""
    few = tosses < _FEW_TOSSES
    tail = _tails_of_few()[np.where(few, tosses, 0), np.clip(heads, 0, _FEW_TOSSES)]
    many = np.flatnonzero(~few)
    if len(many):
        # Many pairs of systems have the same numbers of wins and losses.
        width = int(heads.max(initial=0)) + 1
        kinds, codes = np.unique(np.maximum(tosses - heads, 0)[many] * width + heads[many], return_inverse=True)
        tail[many] = binomial_at_least(kinds % width, kinds // width, 0.5)[codes]
    return np.where(heads > tosses, 0.0, tail)


@cache
def _tails_of_few() -> FloatArray:
    """Return P(B ≥ heads) for fewer than 54 tosses, by tosses and heads: exact, as sums of whole numbers over 2ⁿ."""
    ways = np.zeros((_FEW_TOSSES, _FEW_TOSSES + 1))
    ways[:, 0] = 1
    for tosses in range(1, _FEW_TOSSES):
        ways[tosses, 1:] = ways[tosses - 1, 1:] + ways[tosses - 1, :-1]
    return np.asarray(ways[:, ::-1].cumsum(axis=1)[:, ::-1] * 0.5 ** np.arange(_FEW_TOSSES)[:, None])


@dataclass(frozen=True, eq=False)
class StepSums:
    """Sums of as many draws with replacement as there are units, of +1, −1 and 0; m sums at once.

    Parameters
    ----------
    ups, downs : ndarray of int, shape (m,)
        Numbers of units +1 and −1 in each sum.
    n : int
        Number of units and of draws.

    Attributes
    ----------
    mean : ndarray of int, shape (m,)
        The observed sums.
    variance : ndarray, shape (m,)
        Variances of the sums.
    highest : ndarray of int, shape (m,)
        The largest possible sums.
    """

    ups: IntArray
    downs: IntArray
    n: int
    mean: IntArray = field(init=False)
    variance: FloatArray = field(init=False)
    highest: IntArray = field(init=False)

    def __post_init__(self) -> None:
        ups, downs, n = self.ups, self.downs, self.n
        highest = n * np.where(ups > 0, 1, np.where(downs < n, 0, -1))
        self.__dict__.update(mean=ups - downs, variance=ups + downs - (ups - downs) ** 2 / n, highest=highest)

    @property
    def mirrored(self) -> StepSums:
        """The sums with all signs changed."""
        return StepSums(self.downs, self.ups, self.n)

    def take(self, index: AnyArray) -> StepSums:
        """Return the sums at `index`."""
        return StepSums(self.ups[index], self.downs[index], self.n)

    def at_least(self, limits: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return P(S ≥ limit) and bounds on the absolute errors, shape (m,) each.

        With the distribution tilted by θ > 0 and nodes t at a spacing of 2π/N,

            P(S ≥ x) = exp(K(θ) − θx) · (1/N) Σ φ_θ(t) exp(−itx) / (1 − exp(−θ − it)),

        up to aliasing (Daniels 1987, eq. 6.1). θ is near the saddlepoint, so that tails of 1e-200 keep their digits.

        Cost: about a hundred nodes per sum, whatever the number of units.
        """
        values, errors = np.zeros(len(limits)), np.zeros(len(limits))
        lowest = -self.n * np.where(self.downs > 0, 1, np.where(self.ups < self.n, 0, -1))
        values[limits <= lowest] = 1.0
        # From the near side of the mean, so that small tails keep their digits.
        above = limits >= self.mean
        ups, downs = np.where(above, self.ups, self.downs), np.where(above, self.downs, self.ups)
        index = np.flatnonzero((limits > lowest) & (limits <= self.highest))
        if len(index):
            x = np.where(above, limits, 1 - limits)[index]
            values[index], errors[index] = _upper_tails(StepSums(ups[index], downs[index], self.n), x)
            lower = index[~above[index]]
            values[lower] = 1 - values[lower]
        return values, errors

    def at_most(self, limits: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return P(S ≤ limit) and bounds on the absolute errors, shape (m,) each."""
        return self.mirrored.at_least(-limits)

    def outside(self, low: IntArray, high: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return P(S ≤ low) + P(S ≥ high), at most 1, and bounds on the absolute errors, shape (m,) each."""
        ups, downs = np.concatenate([self.ups, self.downs]), np.concatenate([self.downs, self.ups])
        values, errors = StepSums(ups, downs, self.n).at_least(np.concatenate([high, -low]))
        m = len(low)
        return np.minimum(values[:m] + values[m:], 1.0), errors[:m] + errors[m:]

    @property
    def lengths(self) -> IntArray:
        """Number of values around the mean with all but 1e-18 of each distribution, shape (m,): powers of 2."""
        widths = 2 * (_WIDE * np.sqrt(self.variance) + _SKEWED)
        return np.asarray(2 ** np.ceil(np.log2(widths)).astype(np.int64))

    def quantiles(self, *levels: float) -> IntArray:
        """Return the smallest x with P(S ≤ x) ≥ level, for every level, shape (levels, m).

        Computed by one inverse Fourier transform per sum, on a window of 9 standard deviations to each side.
        """
        quantiles = np.zeros((len(levels), len(self.ups)), dtype=np.int64)
        for part, first, law in self._laws():
            up_to = np.cumsum(law, axis=1)
            for row, level in enumerate(levels):
                quantiles[row, part] = first + np.argmax(up_to >= level * (1 - 1e-13), axis=1)
        return quantiles

    def reaches(self, level: float) -> IntArray:
        """Return the smallest q >= 0 with P(|S − mean| > q) <= level, shape (m,), computed as in `quantiles`."""
        reaches = np.zeros(len(self.ups), dtype=np.int64)
        for part, _, law in self._laws():
            middle = law.shape[1] // 2
            folded = law[:, middle:].copy()
            folded[:, 1:] += law[:, middle - 1 : 0 : -1]
            reaches[part] = np.argmax(np.cumsum(folded, axis=1) >= (1 - level) * (1 - 1e-13), axis=1)
        return reaches

    def _laws(self) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
        """Yield the places of sums with windows of one length, and their `law`, in blocks."""
        lengths = self.lengths
        for length in sorted({*lengths.tolist()}):
            alike = np.flatnonzero(lengths == length)
            for part in np.array_split(alike, max(1, len(alike) * length // _CELLS)):
                yield part, *self.take(part).law(length)

    def law(self, length: int) -> tuple[IntArray, FloatArray]:
        """Return the smallest value of each window, and the probabilities from there on, shape (m, length)."""
        first = self.mean - length // 2
        spacing = 2 * np.pi / length
        steps = _Steps.of(self, np.zeros(len(first)))
        count = min(length // 2 + 1, int(steps.last_node(spacing).max()) + 1)
        nodes: FloatArray = spacing * np.arange(count, dtype=np.float64)
        transform = np.exp(steps.log_transform(nodes[None, :]) - 1j * nodes * first[:, None])
        law = np.fft.irfft(np.conj(transform), n=length, axis=1)
        return first, np.maximum(law, 0.0)


@dataclass(frozen=True, eq=False)
class _Steps:
    """The probabilities of +1, 0 and −1 tilted by θ, and K(θ), each of θ's shape, for sums of n."""

    up: FloatArray
    rest: FloatArray
    down: FloatArray
    log_mass: FloatArray
    n: int

    @classmethod
    def of(cls, sums: StepSums, theta: FloatArray) -> _Steps:
        shape = (-1, *[1] * (theta.ndim - 1))
        shrunk = np.exp(-theta)
        up = (sums.ups / sums.n).reshape(shape)
        down = (sums.downs / sums.n).reshape(shape) * shrunk**2
        rest = ((sums.n - sums.ups - sums.downs) / sums.n).reshape(shape) * shrunk
        mass = up + down + rest
        return cls(up / mass, rest / mass, down / mass, sums.n * (np.log(mass) + theta), sums.n)

    def log_transform(self, nodes: FloatArray, part: AnyArray | slice = slice(None)) -> AnyArray:
        """Return log E_θ exp(itS), shape (m, nodes), at t of shape (m or 1, nodes)."""
        up, rest, down = (p[part, None] for p in (self.up, self.rest, self.down))
        both, sines, halves = up + down, np.sin(nodes), np.sin(nodes / 2) ** 2
        real, imaginary = 1 - 2 * both * halves, (up - down) * sines
        # 1 − |φ|² without cancellation, where φ is near 1 and n times its logarithm counts.
        lost = 4 * (rest * both * halves + up * down * sines**2)
        left = np.where(lost < 0.5, 1 - lost, np.maximum(real**2 + imaginary**2, 1e-300))
        log_size = np.where(lost < 0.5, np.log1p(-np.minimum(lost, 0.5)), np.log(left)) / 2
        return np.asarray(self.n * (log_size + 1j * np.arctan2(imaginary, real)))

    def last_node(self, spacing: FloatArray | float) -> IntArray:
        """Return the last node, shape (m,), at which the transform may matter.

        log|φ|ⁿ ≤ −n (p₀(p₊ + p₋)(1 − cos t) + p₊p₋(1 − cos 2t)), where 1 − cos t ≥ (2t/π)² up to π/2 and ≥ 1 beyond.
        If hardly any unit is 0, the transform returns at π and all nodes are needed.
        """
        whole = self.n * self.rest * (self.up + self.down)
        decay = (4 / np.pi**2) * (whole + 2 * self.n * self.up * self.down)
        reach = np.sqrt(_DEAD / np.maximum(decay, 1e-300))
        reach = np.where((whole < _DEAD) | (reach > np.pi / 2), np.pi, reach)
        return np.asarray(np.ceil(reach / spacing), dtype=np.int64)


def _upper_tails(sums: StepSums, limits: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return P(S ≥ x) at limits x not below the means, each on a contour of its own, and bounds on the errors."""
    x = limits.astype(np.float64)
    theta = _saddlepoint(sums, x)
    steps = _Steps.of(sums, theta)
    log_size = steps.log_mass - theta * x
    spread = np.sqrt(sums.n * (steps.up + steps.down - (steps.up - steps.down) ** 2))
    needed = (_DIGITS + np.maximum(0.0, -log_size)) / theta
    # Odd, so that nodes pair up around 0.
    length = np.ceil(np.maximum(needed, 10 * spread + 4)).astype(np.int64) | 1
    last = np.minimum(steps.last_node(2 * np.pi / length), (length - 1) // 2)
    values, lost = np.zeros(len(last)), np.zeros(len(last))
    for part, count in _parts(last):
        order, tilt, limit = np.arange(count), theta[part, None], x[part, None]
        nodes = 2 * np.pi / length[part, None] * order
        turned = 1j * nodes
        terms = np.exp(steps.log_transform(nodes, part) - limit * turned) / -np.expm1(-tilt - turned)
        terms *= np.where(order > last[part, None], 0.0, np.where(order > 0, 2.0, 1.0))
        size = np.exp(log_size[part]) / length[part]
        # Rounding of every factor, and of the exponent K − θx.
        magnitude = np.abs(terms).sum(axis=1)
        values[part] = terms.real.sum(axis=1) * size
        lost[part] = LAST_BITS * (max(sums.n, 10.0) + np.abs(tilt * limit)[:, 0]) * magnitude * size
    # Aliasing from P(S ≥ x ± kN) (Chernoff).
    far = x + length
    above = np.zeros(len(far))
    index = np.flatnonzero(far <= sums.highest)
    if len(index):
        further = theta[index, None] * np.array([1.25, 1.5, 2.0, 3.0])
        exponents = _Steps.of(sums.take(index), further).log_mass - further * far[index, None]
        nearest = theta[index] * length[index] + exponents.min(axis=1)
        above[index] = np.exp(np.minimum(nearest, 0.0))
    aliasing = np.exp(-theta * length) + 2 * above
    return np.clip(values, 0.0, 1.0), aliasing + lost


def _saddlepoint(sums: StepSums, x: FloatArray) -> FloatArray:
    """Return θ with K'(θ) = x, half a step short of the end of the support; any θ > 0 gives the right value.

    n(p₊z − p₋/z) = x(p₊z + p₀ + p₋/z) is quadratic in z = exp(θ).
    """
    aim = np.minimum(x, sums.highest - 0.5)
    a, c = sums.ups * (sums.n - aim), sums.downs * (sums.n + aim)
    b = (sums.n - sums.ups - sums.downs) * aim
    root = np.sqrt(b * b + 4 * a * c)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(b >= 0, (b + root) / (2 * a), 2 * c / (root - b))
    return np.asarray(np.log(np.maximum(z, np.exp(1 / np.sqrt(sums.variance)))))


def _parts(last: IntArray) -> Iterator[tuple[AnyArray, int]]:
    """Yield blocks of sums that need about as many nodes, and the number of nodes.

    The number depends only on the sum itself, as does the order in which its terms are added up.
    """
    counts = (last // _TOGETHER + 1) * _TOGETHER
    for count in sorted({*counts.tolist()}):  # np.unique would import masked arrays, which is slow
        alike = np.flatnonzero(counts == count)
        for part in np.array_split(alike, -(-len(alike) * count // _CELLS)):
            yield part, count
