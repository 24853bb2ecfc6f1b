"""Sums of independent terms on a grid, such as decimals: their generating functions and exact tail probabilities.

Two sums suffice for all linear gains: the sum of n draws with replacement (the bootstrap), and the sum of values that
are each taken or not with probability ½ (randomization). Both are centred on their mean and counted in steps.

With the distribution tilted by θ > 0 and N nodes t = 2πk/N,

    P(S ≥ x) = exp(K(θ) − θx) · (1/N) Σ φ_θ(t) exp(−itx) / (1 − exp(−θ − it)),

up to aliasing (Daniels 1987, eq. 6.1): the tail of the convolution of all terms. θ is near the saddlepoint, so that a
tail of 1e-200 has the same relative accuracy as one of 0.1.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from outscore._types import AnyArray, BoolArray, FloatArray, IntArray
from outscore.data.strata import members_of
from outscore.laws.exact.lattice import find_step

# Aliasing and truncation are pushed below exp(−36) = 2e-16 of the result, the rounding error of a double.
_DIGITS = 36.0
# Tails from here on come from one contour with an absolute error of some 1e-15, which leaves them twelve digits.
# Smaller ones need contours of their own.
_NEAR_TAIL = 1e-3
_FARTHEST = 8.0  # standard deviations below the mean up to which that contour serves charts and quantiles
_NO_TERM = 1e-20  # of the sum of all terms: smaller ones are left out
_ROUNDING = 4 * float(np.finfo(np.float64).eps)
# Four nodes per oscillation of the widest term: the bound between nodes is then tight enough for a few dozen terms.
_CELLS_PER_STEP, _FEWEST_CELLS = 4, 64
# Nanoseconds of one value at one node, of one cell of a Fourier transform, and of one of its powers as well, measured.
# They only choose the method.
_NODE_COST, _CELL_COST, _POWER_COST = 2, 32, 100
MOST_CELLS = 2**24  # of a sum: some 100 MB
_NODES, _VALUES, _FACTORS = 2048, 2**10, 64  # multiplied at once: blocks that stay in the processor's cache
_HARDLY_TILTED = 0.5  # of the decay that is left: with more, the survey of the untilted distribution is good enough
_NEGLIGIBLE = 1e-30  # a transform below this contributes nothing, whatever its remaining factors
# Complex products below this many operations stay in one thread of the linear algebra library. More threads cost more
# than they save, especially on a busy machine.
_ONE_THREAD_PRODUCT = 2**16


class GridSum(ABC):
    """S − E S in steps, where S is a sum of independent terms on a grid.

    Attributes
    ----------
    step : float or None
        The support is on low + ℤ in these steps; None if it is on no useful grid, and then there are no tails.
    low, high : float
        The ends of the support.
    variance : float
    n_terms : int
        Number of independent terms; rounding errors grow with it.
    n_values : int
        Number of distinct values in one evaluation of the transform; its cost.
    width : int
        The largest distance between two values of a term.
    """

    step: float | None
    low: float
    high: float
    variance: float
    n_terms: int
    n_values: int
    width: int

    @abstractmethod
    def cumulants(self, theta: float) -> tuple[float, float, float]:
        """Return K(θ) = log E exp(θS), K'(θ) and K''(θ): the mean and the variance of the distribution tilted by θ."""

    @abstractmethod
    def transform(self, theta: float, spacing: float, first: int, count: int) -> AnyArray:
        """Return E_θ exp(itS) of the distribution tilted by θ at t = spacing·(first, …, first + count − 1)."""

    def whole_transform(self, theta: float, period: int) -> AnyArray | None:
        """Return the transform at all nodes t = 2πk/period with k ≤ period/2, if there is a fast way."""
        del theta, period
        return None

    @abstractmethod
    def decay(self, theta: float, cells: int) -> FloatArray:
        """Return a lower bound A of −2 log |E_θ exp(itS)| at t = 2πk/cells, shape (cells/2 + 1,)."""

    @abstractmethod
    def left_of_decay(self, theta: float) -> float:
        """Return the least proportion of the untilted A that is left when tilted by θ, at any t."""

    @abstractmethod
    def mirrored(self) -> GridSum:
        """Return −S."""

    @property
    def cells(self) -> int:
        """Number of nodes at which the decay is surveyed, a power of 2."""
        return 1 << (max(_CELLS_PER_STEP * self.width, _FEWEST_CELLS) - 1).bit_length()

    @cached_property
    def _untilted_decay(self) -> FloatArray:
        return self.decay(0.0, self.cells)

    def open_nodes(self, theta: float, period: int, least: float) -> tuple[IntArray, IntArray]:
        """Return the first and last k of runs of nodes t = 2πk/period up to π where −log |φ_θ(t)| may be below `least`.

        A is a sum of squares of sines Σ a² sin²(tu/2), so √A is the length of a vector, and it changes by at most
        ½ √(Σ a²u²), the standard deviation of S, times the change of t. Between the nodes of the survey nothing is
        missed.
        """

        def is_open(decay: FloatArray, variance: float, left: float = 1.0) -> BoolArray:
            between = math.sqrt(variance) * math.pi / self.cells
            return np.asarray(math.sqrt(left) * (np.sqrt(decay) - between) < math.sqrt(2 * least))

        left = self.left_of_decay(theta)
        opened = is_open(self._untilted_decay, self.variance, left)
        if left < _HARDLY_TILTED and 4 * np.count_nonzero(opened) > len(opened):
            # The bound for all tilts is too wide here: survey the tilted distribution itself.
            opened = is_open(self.decay(theta, self.cells), self.cumulants(theta)[2])
        changes = np.diff(opened.astype(np.int8), prepend=0, append=0)
        first, last = np.flatnonzero(changes == 1), np.flatnonzero(changes == -1) - 1
        scale = period / self.cells
        starts = np.maximum(np.ceil((first - 0.5) * scale).astype(np.int64), 0)
        stops = np.minimum(np.floor((last + 0.5) * scale).astype(np.int64), period // 2)
        kept = starts <= stops
        starts, stops = starts[kept], stops[kept]
        starts[1:] = np.maximum(starts[1:], stops[:-1] + 1)  # runs may share a node at their ends
        return starts, stops


@dataclass(frozen=True, eq=False)
class _Draws:
    """n draws with replacement: the distinct values, centred and ascending, with their probabilities."""

    values: FloatArray
    probabilities: FloatArray
    n: int

    def tilted(self, theta: float) -> tuple[FloatArray, float]:
        """Return the probabilities tilted by θ, and log E exp(θv)."""
        exponents = theta * self.values
        largest = float(exponents.max())
        weights = self.probabilities * np.exp(exponents - largest)
        mass = float(weights.sum())
        return weights / mass, largest + math.log(mass)


class DrawnSum(GridSum):
    """The sum of values drawn with replacement, as many as there are; with strata one fewer from each.

    Parameters
    ----------
    values : ndarray, shape (n,)
        With strata, multiplied by the weight of a draw (`outscore.data.strata.scales`), so that the mean is right.
    strata : ndarray of int, shape (n,), optional
        Codes; each stratum is drawn from separately.
    grain : float, optional
        As for `Precision`.
    """

    def __init__(self, values: FloatArray, strata: AnyArray | None = None, grain: float | None = None) -> None:
        groups = [values] if strata is None else [values[members] for members in members_of(strata)]
        fewer = 0 if strata is None else 1
        lowest = [float(group.min()) for group in groups]
        offsets = [group - least for group, least in zip(groups, lowest, strict=True)]
        every = offsets[0] if len(offsets) == 1 else np.concatenate(offsets)
        self.step = find_step(every, float(np.abs(values).max()), grain)
        self.mean = self.low = self.high = self.variance = 0.0
        self.n_terms = len(values) - fewer * len(groups)
        self._groups: list[_Draws] = []
        for group, least in zip(offsets, lowest if self.step is not None else [], strict=False):
            assert self.step is not None
            counts = np.bincount(np.rint(group / self.step).astype(np.int64))
            distinct = np.flatnonzero(counts)
            n, probabilities = len(group) - fewer, counts[distinct] / len(group)
            mean = float(probabilities @ distinct)
            centred = distinct - mean
            self._groups.append(_Draws(np.asarray(centred, dtype=np.float64), probabilities, n))
            self.mean += n * (least + mean * self.step)
            self.low += n * float(centred[0])
            self.high += n * float(centred[-1])
            self.variance += n * float(probabilities @ centred**2)
        self.n_values = sum(len(draws.values) for draws in self._groups)
        self.width = max((round(float(np.ptp(draws.values))) for draws in self._groups), default=0)

    def cumulants(self, theta: float) -> tuple[float, float, float]:
        total = mean = variance = 0.0
        for draws in self._groups:
            weights, log_mass = draws.tilted(theta)
            of_one = float(weights @ draws.values)
            total += draws.n * log_mass
            mean += draws.n * of_one
            variance += draws.n * float(weights @ (draws.values - of_one) ** 2)
        return total, mean, variance

    def transform(self, theta: float, spacing: float, first: int, count: int) -> AnyArray:
        result = np.ones(count, dtype=np.complex128)
        for draws in self._groups:
            weights, _ = draws.tilted(theta)
            of_one = np.zeros(count, dtype=np.complex128)
            for start in range(0, len(weights), _VALUES):
                part = slice(start, start + _VALUES)
                of_one += _mean_powers(draws.values[part], weights[part], spacing, first, count)
            result *= np.abs(of_one) ** draws.n * np.exp(1j * (draws.n * np.angle(of_one)))
        return result

    def whole_transform(self, theta: float, period: int) -> AnyArray:
        result = np.ones(period // 2 + 1, dtype=np.complex128)
        for draws in self._groups:
            places, weights = _places(draws.values) % period, draws.tilted(theta)[0]
            of_one = np.conj(np.fft.rfft(np.bincount(places, weights=weights, minlength=period)))
            shift = 2 * math.pi / period * draws.n * float(draws.values[0])
            angles = draws.n * np.angle(of_one) + shift * np.arange(len(of_one))
            result *= np.abs(of_one) ** draws.n * np.exp(1j * angles)
        return result

    def decay(self, theta: float, cells: int) -> FloatArray:
        # |φ|²ⁿ ≤ exp(−n (1 − |φ|²)), and 1 − |φ|² = 2 E sin²(t(v − v')/2) for two independent draws.
        total = np.zeros(cells // 2 + 1)
        for draws in self._groups:
            weights = draws.tilted(theta)[0] if theta else draws.probabilities
            transform = np.fft.rfft(np.bincount(_places(draws.values), weights=weights, minlength=cells))
            total += draws.n * (1 - (transform.real**2 + transform.imag**2))
        return np.maximum(total, 0.0)

    def left_of_decay(self, theta: float) -> float:
        # 1 − |φ|² = Σ pᵢpⱼ(1 − cos t(vᵢ − vⱼ)), and tilting multiplies each pᵢ by exp(θvᵢ)/M.
        least = (
            min(theta * float(d.values[0]), theta * float(d.values[-1])) - d.tilted(theta)[1] for d in self._groups
        )
        return math.exp(2 * min(least))

    def mirrored(self) -> DrawnSum:
        assert self._untilted_decay is not None  # both share it
        other = copy(self)
        other._groups = [_Draws(-draws.values[::-1], draws.probabilities[::-1], draws.n) for draws in self._groups]
        other.mean, other.low, other.high = -self.mean, -self.high, -self.low
        return other


class SwitchedSum(GridSum):
    """The sum of ±v/2 over values v, each sign with probability ½.

    Parameters
    ----------
    values : ndarray, shape (m,)
        Zeros and signs have no effect.
    grain : float, optional
        As for `Precision`.
    """

    def __init__(self, values: FloatArray, grain: float | None = None) -> None:
        sizes = np.abs(values[values != 0])
        self.step = find_step(sizes, grain=grain)
        self.multiples = (
            np.zeros(0, dtype=np.int64) if self.step is None else np.rint(sizes / self.step).astype(np.int64)
        )
        counts = np.bincount(self.multiples)
        distinct = np.flatnonzero(counts)
        order = np.argsort(-counts[distinct], kind="stable")  # frequent values first: most nodes decay early
        self._sizes: FloatArray = distinct[order].astype(np.float64)
        self._counts = counts[distinct][order]
        self.n_terms = len(sizes)
        self.n_values = len(distinct)
        self.width = int(self._sizes.max(initial=0.0))
        self.high = float(self._counts @ self._sizes) / 2
        self.low = -self.high
        self.variance = float(self._counts @ self._sizes**2) / 4

    def cumulants(self, theta: float) -> tuple[float, float, float]:
        half = np.abs(theta) * self._sizes / 2
        total = float(self._counts @ (half + np.log1p(np.exp(-2 * half)) - np.log(2.0)))
        slopes = np.sign(theta) * np.tanh(half)
        mean = float(self._counts @ (self._sizes / 2 * slopes))
        return total, mean, float(self._counts @ (self._sizes**2 / 4 * (1 - slopes**2)))

    def transform(self, theta: float, spacing: float, first: int, count: int) -> AnyArray:
        result = np.ones(count, dtype=np.complex128)
        width = max(math.isqrt(count), 1)
        for start in range(0, self.n_values, _FACTORS):
            sizes, counts = self._sizes[start : start + _FACTORS], self._counts[start : start + _FACTORS]
            # E_θ exp(itX) = cosh((θ + it)v/2) / cosh(θv/2) = cos(tv/2) + i tanh(θv/2) sin(tv/2)
            small, large = _power_tables(sizes / 2, spacing, first, count, width)
            factors = (large[:, None, :] * small[None, :, :]).reshape(-1, len(sizes))[:count]
            factors.imag *= np.tanh(theta * sizes / 2)
            if counts.max() > 1:
                factors = np.abs(factors) ** counts * np.exp(1j * (counts * np.angle(factors)))
            result *= factors.prod(axis=1)
            if np.abs(result).max() < _NEGLIGIBLE:  # all remaining factors are at most 1
                break
        return result

    def decay(self, theta: float, cells: int) -> FloatArray:
        # |cos(tv/2) + i tanh(θv/2) sin(tv/2)|² = 1 − sin²(tv/2) sech²(θv/2), and −log(1 − x) ≥ x.
        weights = self._counts / np.cosh(np.minimum(abs(theta) * self._sizes / 2, 300.0)) ** 2
        spread = np.bincount(self._sizes.astype(np.int64), weights=weights, minlength=cells)
        return np.asarray(np.maximum(weights.sum() - np.fft.rfft(spread).real, 0.0) / 2)

    def left_of_decay(self, theta: float) -> float:
        return 1 / math.cosh(min(abs(theta) * self.width / 2, 300.0)) ** 2

    def mirrored(self) -> SwitchedSum:
        return self


def _places(centred: FloatArray) -> IntArray:
    """Return the steps of values above the least."""
    return np.asarray(np.rint(centred - centred[0]), dtype=np.int64)


def _mean_powers(values: FloatArray, weights: FloatArray, spacing: float, first: int, count: int) -> AnyArray:
    """Return Σ w exp(itv) at the nodes t = spacing·(first + k), shape (count,)."""
    small, large = _power_tables(values, spacing, first, count, max(math.isqrt(count), 1))
    large *= weights
    rows = max(1, _ONE_THREAD_PRODUCT // small.size)
    parts = [large[at : at + rows] @ small.T for at in range(0, len(large), rows)]
    return np.concatenate(parts).ravel()[:count]


def _power_tables(values: FloatArray, spacing: float, first: int, count: int, width: int) -> tuple[AnyArray, AnyArray]:
    """Return exp(itv) at t = spacing·b for b < width, and at t = spacing·(first + a·width) for all a that are needed.

    Nodes are first + a·width + b. The exponential of a sum is a product, so two small tables of powers replace
    count × values exponentials.
    """
    base = np.exp(1j * spacing * values)
    small = _powers(base, width)
    large = _powers(small[-1] * base, -(-count // width))
    large *= np.exp(1j * spacing * first * values)
    return small, large


def _powers(base: AnyArray, count: int) -> AnyArray:
    """Return base⁰, base¹, …, shape (count, len(base))."""
    table = np.empty((count, len(base)), dtype=np.complex128)
    table[0] = 1.0
    for power in range(1, count):
        np.multiply(table[power - 1], base, out=table[power])  # ten times as fast as multiply.accumulate
    return table


class Tails:
    """The tails of a sum on a grid, and bounds on their absolute errors.

    Cost: about a hundred nodes times the number of distinct values, once for the middle and once for every threshold
    far from it, and one Fourier transform as long as four times the range of a term.

    Parameters
    ----------
    total : GridSum
    turned : Tails, optional
        Those of −S.
    """

    def __init__(self, total: GridSum, turned: Tails | None = None) -> None:
        self._total, self._turned = total, turned
        self._sd = math.sqrt(total.variance)
        self._known: dict[int, tuple[float, float]] = {}

    def affordable(self, most: float) -> bool:
        """Return whether the middle costs at most so many nanoseconds."""
        survey = _CELL_COST * self._total.cells
        return survey <= most and self._central.period <= MOST_CELLS and survey + self._central.cost <= most

    def at_least(self, place: int) -> tuple[float, float]:
        """Return P(S ≥ low + place) and a bound on its absolute error; both tails have relative accuracy."""
        if place not in self._known:
            x = self._total.low + place
            if x < 0:
                # From the near side of the mean, so that small tails keep their digits.
                value, error = self.mirror._upper(1 - x)
                self._known[place] = 1 - value, error + _ROUNDING
            else:
                self._known[place] = self._upper(x)
        return self._known[place]

    def at_most(self, place: int) -> tuple[float, float]:
        """Return P(S ≤ low + place) and a bound on its absolute error."""
        return self.mirror.at_least(round(self._total.high - self._total.low) - place)

    def about_at_most(self, place: int) -> float:
        """Return P(S ≤ low + place) to about 1e-12, for quantiles and charts."""
        x = self._total.low + place
        return 1 - self._middle(x + 1)[0] if x > -_FARTHEST * self._sd else self.at_most(place)[0]

    @cached_property
    def mirror(self) -> Tails:
        """The tails of −S."""
        total = self._total.mirrored()
        return self if total is self._total else self._turned or Tails(total, self)

    @cached_property
    def _central(self) -> _Contour:
        return _Contour(self._total, 1 / self._sd, 0.0)

    def _middle(self, x: float) -> tuple[float, float]:
        """Return P(S ≥ x) from a contour that serves both tails."""
        if self._turned is None:
            return self._central.tail(x)
        value, error = self._turned._middle(1 - x)
        return 1 - value, error + _ROUNDING

    def _upper(self, x: float) -> tuple[float, float]:
        total = self._total
        if x > total.high + 0.5:
            return 0.0, 0.0
        # A skewed sum can have far smaller tails near its mean than a normal one.
        value, error = self._middle(x) if x <= 4 * self._sd else (0.0, 0.0)
        if value >= _NEAR_TAIL:
            return value, error
        # At the end of the support the saddlepoint goes to infinity; stop half a step before it.
        return _Contour(total, _saddlepoint(total, min(x, total.high - 0.5)), x).tail(x)


class _Contour:
    """The nodes of one contour: the transform times the kernel, for every threshold near `lowest`.

    Parameters
    ----------
    total : GridSum
    theta : float
        θ, positive.
    lowest : float
        The lowest threshold whose small tail will be needed.
    """

    def __init__(self, total: GridSum, theta: float, lowest: float) -> None:
        self._total, self._theta = total, theta
        self._log_mass = total.cumulants(theta)[0]
        log_size = self._log_mass - theta * lowest
        length = (_DIGITS + max(0.0, -log_size)) / theta
        longest = max(1e3 * math.sqrt(total.variance), 2 * length)
        while self._aliasing(lowest, length) > math.exp(-_DIGITS + min(log_size, 0.0)) and length < longest:
            length *= 1.25
        self.period = _fast_length(math.ceil(length))
        self._reach = max(total.high, -total.low)

    @cached_property
    def _runs(self) -> tuple[IntArray, IntArray]:
        """The first and last nodes of the runs that may matter: all others together are below exp(−36)."""
        return self._total.open_nodes(self._theta, self.period, _DIGITS + math.log(self.period))

    @cached_property
    def _at_nodes(self) -> float:
        """The cost of evaluating the transform at these nodes, in nanoseconds."""
        first, last = self._runs
        return _NODE_COST * self._total.n_values * float((last - first + 1).sum())

    @property
    def cost(self) -> float:
        """The cost of all nodes, in nanoseconds."""
        by_fft = _POWER_COST * self.period if isinstance(self._total, DrawnSum) else math.inf
        return min(self._at_nodes, by_fft)

    @cached_property
    def _terms(self) -> tuple[FloatArray, AnyArray, float]:
        """The nodes, the terms of the sum over them that matter, and the sum of the sizes of all."""
        spacing, whole = 2 * math.pi / self.period, None
        if self.cost < self._at_nodes:
            whole = self._total.whole_transform(self._theta, self.period)
        if whole is None:
            blocks = [
                (start, self._total.transform(self._theta, spacing, start, min(_NODES, last + 1 - start)))
                for first, last in zip(*(ends.tolist() for ends in self._runs), strict=True)
                for start in range(first, last + 1, _NODES)
            ]
            k = np.concatenate([start + np.arange(len(block)) for start, block in blocks])
            transform = np.concatenate([block for _, block in blocks])
        else:
            k, transform = np.arange(len(whole)), whole
        nodes: FloatArray = spacing * k.astype(np.float64)
        # A node and its mirror image have conjugate terms; 0 and π have no mirror image.
        times = np.where((k == 0) | (2 * k == self.period), 1.0, 2.0)
        terms = times * transform / -np.expm1(-self._theta - 1j * nodes)
        sizes = np.abs(terms)
        magnitude = float(sizes.sum())
        kept = sizes > _NO_TERM * magnitude
        return nodes[kept], terms[kept], magnitude

    def tail(self, x: float) -> tuple[float, float]:
        """Return P(S ≥ x) and a bound on its absolute error: aliasing, truncation and rounding."""
        nodes, terms, magnitude = self._terms
        size = math.exp(self._log_mass - self._theta * x) / self.period
        phases = nodes * x
        value = float((terms.real * np.cos(phases) + terms.imag * np.sin(phases)).sum())
        # Rounding of every factor, of the phases t·(S − x), and of the exponent K − θx.
        lost = _ROUNDING * max(self._total.n_terms, 10) * magnitude
        lost += _ROUNDING * self._reach * (float(np.abs(terms) @ nodes) + self._theta * abs(value))
        truncated = math.exp(-_DIGITS) / -math.expm1(-self._theta) + _NO_TERM * self.period * magnitude
        return min(max(size * value, 0.0), 1.0), self._aliasing(x, self.period) + size * (truncated + lost)

    def _aliasing(self, x: float, length: float) -> float:
        """Return a bound on the aliasing of P(S ≥ x), from P(S ≥ x ± k·length)."""
        total, theta = self._total, self._theta
        below, above = math.exp(-theta * length), 0.0
        if x + length <= total.high:
            exponent = min(
                theta * length + total.cumulants(factor * theta)[0] - factor * theta * (x + length)
                for factor in (1.5, 2.0, 3.0, 5.0)
            )
            above = math.exp(exponent) if exponent < 0 else 1.0
        return below + 2 * above


def _fast_length(least: int) -> int:
    """Return a power of 2, or three times one, of at least `least`: lengths of fast Fourier transforms."""
    power = 1 << (least - 1).bit_length()
    return 3 * power // 4 if 3 * power // 4 >= least else power


def _saddlepoint(total: GridSum, x: float) -> float:
    """Return θ with K'(θ) near x, to about one per cent; any θ > 0 gives the right value."""
    sd = math.sqrt(total.variance)
    low, high = 0.0, max(x / total.variance, 0.1 / sd)
    while total.cumulants(high)[1] < x:
        low, high = high, 2 * high
        if high * sd > 1e9:
            return high
    for _ in range(40):
        if high - low <= 0.01 * high:
            break
        middle = (low + high) / 2
        if total.cumulants(middle)[1] < x:
            low = middle
        else:
            high = middle
    return max(high, 1 / sd)
