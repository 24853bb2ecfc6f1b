"""Sums of independent terms on a grid, such as counts and decimals, and the exact distribution of a gain of them.

A term is a pair of whole numbers (x, y): a difference and a weight, or a numerator and a denominator. For means the
second number is 0. Two sums suffice: that of n draws with replacement (the bootstrap), and that of terms that are each
taken or not with probability ½ (randomization).

For every value of y, the event that a gain is at least g is that x is at least some number. With the distribution
tilted by θ, and nodes u = 2πj/N and v = 2πk/M that resolve all but 2e-16 of it,

    P(x ≥ t(y)) = Σ_y exp(K(θ) − θ₂y) (1/N) Σ_j G_j(y) Σ_{x ≥ t(y)} exp(−(θ₁ + iu_j)x),
    G_j(y) = (1/M) Σ_k φ_θ(u_j, v_k) exp(−iv_k y),

where the sum over x is a geometric one. Without a tilt this gives all probabilities to some 1e-15. Small ones are
computed with the θ of the saddlepoint (Daniels 1987), so that a tail of 1e-200 has as many digits as one of 0.1.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np

from outscore._types import AnyArray, BoolArray, FloatArray, IntArray
from outscore.data.strata import members_of
from outscore.laws.law import Law, Probability, first_reaching_smoothly
from outscore.laws.tolerances import LAST_BITS, MOST_GRID_CELLS

# What lies beyond the window of a distribution, and nodes that are left out, are below exp(−37) = 1e-16 of the result,
# the rounding error of a double.
_DIGITS = 37.0
# Four nodes per oscillation of the widest term: the bound between nodes is then tight enough for a few dozen terms.
_CELLS_PER_STEP, _FEWEST_CELLS = 4, 64
# Nanoseconds of one value at one node, of one cell of a Fourier transform, and of one of its powers as well, measured.
# They only choose the method.
_NODE_COST, _CELL_COST, _POWER_COST = 2, 32, 100
# Nanoseconds of everything else at one node: its powers, its place in a geometric sum, and its phases in two tails.
_WHOLE_NODE_COST = 250
_CHEAP = 3e7  # nanoseconds: nobody notices them beside the 200 milliseconds that Python and NumPy take to start
_NODES, _VALUES, _FACTORS = 2048, 2**10, 64  # multiplied at once: blocks that stay in the processor's cache
_NEGLIGIBLE = 1e-30  # a transform below this contributes nothing, whatever its remaining factors
# Complex products below this many operations stay in one thread of the linear algebra library. More threads cost more
# than they save, especially on a busy machine.
_ONE_THREAD_PRODUCT = 2**16
_CLOSE_ENOUGH = 0.01  # relative error of a tilt: the result is right with any, and most precise at the saddlepoint
_STEEPEST = 2.0**12  # largest tilt of a term: the exponent of a tail keeps eleven digits
_HALVINGS = 40  # of the bracket of a tilt, of which about eight are usual
# Tilts, in standard deviations, of which the best bounds a tail.
_TRIALS = np.concatenate([-(2.0 ** np.arange(-2, 5, 0.5)), 2.0 ** np.arange(-2, 5, 0.5)])
_HIGHEST = 700.0  # exponents of a double
_TURNS = 20  # of the direction of a tilt; two or three are usual
_COUNTABLE = 2.0**-40  # probabilities that are multiples of this or more are rounded to them


class TermSum(ABC):
    """S − E S, where S is a sum of independent pairs of whole numbers.

    Attributes
    ----------
    low, high : ndarray, shape (2,)
        The ends of the support, which is on low + ℤ².
    variance : ndarray, shape (2,)
        Variances of both numbers.
    n_terms : int
        Number of independent terms; rounding errors grow with it.
    n_values : int
        Number of distinct values in one evaluation of the transform; its cost.
    width : ndarray of int, shape (2,)
        The largest distance between two values of a term.
    """

    low: FloatArray
    high: FloatArray
    variance: FloatArray
    n_terms: int
    n_values: int
    width: IntArray

    @abstractmethod
    def cumulants(self, theta: FloatArray) -> tuple[float, FloatArray, FloatArray, FloatArray]:
        """Return K(θ) = log E exp(θS), and of the distribution tilted by θ the mean, the variances and the reach.

        The reach is the largest distance of a term from its mean.
        """

    @abstractmethod
    def transform(self, theta: FloatArray, v: float, spacing: float, first: int, count: int) -> AnyArray:
        """Return E_θ exp(i(uX + vY)) at u = spacing·(first, …, first + count − 1)."""

    @abstractmethod
    def whole_transform(self, theta: FloatArray, lengths: IntArray) -> AnyArray | None:
        """Return the transform at all nodes, shape (M, N/2 + 1), if there is a fast way."""

    @abstractmethod
    def decay(self, theta: FloatArray, cells: IntArray) -> FloatArray:
        """Return a lower bound A of −2 log |E_θ exp(i(uX + vY))| at so many nodes, shape (M, N/2 + 1)."""

    @property
    def cells(self) -> IntArray:
        """Numbers of nodes at which the decay is surveyed, powers of 2; 1 for a number that is always 0."""
        least = np.maximum(_CELLS_PER_STEP * self.width, _FEWEST_CELLS)
        return np.asarray(np.where(self.width > 0, 2 ** np.ceil(np.log2(least)).astype(np.int64), 1))


@dataclass(frozen=True, eq=False)
class _Draws:
    """n draws with replacement: the distinct values, centred, shape (m, 2), with their probabilities."""

    values: FloatArray
    probabilities: FloatArray
    n: int

    def tilted(self, theta: FloatArray) -> tuple[FloatArray, float]:
        """Return the probabilities tilted by θ, and log E exp(θv)."""
        exponents = self.values @ theta
        largest = float(exponents.max())
        weights = self.probabilities * np.exp(exponents - largest)
        mass = float(weights.sum())
        return weights / mass, largest + math.log(mass)

    def transform(self, weights: FloatArray, lengths: IntArray) -> AnyArray:
        """Return E exp(−i(ux + vy)) of one draw, counted from the least values, at all nodes."""
        places = np.rint(self.values - self.values.min(axis=0)).astype(np.int64) % lengths
        spread = np.bincount(places[:, 1] * lengths[0] + places[:, 0], weights, minlength=int(lengths.prod()))
        return _transform(spread, lengths)


class DrawnSum(TermSum):
    """The sum of pairs drawn with replacement, as many as there are; with strata one fewer from each.

    Parameters
    ----------
    pairs : ndarray of int, shape (n, 2)
        With strata, multiplied by the weight of a draw (`outscore.data.strata.scales`), so that the mean is right.
    strata : ndarray of int, shape (n,), optional
        Codes; each stratum is drawn from separately.
    counts : ndarray of int, shape (n,), optional
        How often each pair occurs, without strata, if `pairs` are distinct and sorted.

    Attributes
    ----------
    mean : ndarray, shape (2,)
        E S.
    """

    def __init__(self, pairs: IntArray, strata: AnyArray | None = None, counts: IntArray | None = None) -> None:
        groups = [pairs] if strata is None else [pairs[members] for members in members_of(strata)]
        self.mean = self.low = self.high = self.variance = np.zeros(2)
        self._groups: list[_Draws] = []
        for group in groups:
            distinct, times = _counted(group) if counts is None else (group.astype(np.float64), counts)
            n_units = int(times.sum())
            n, probabilities = n_units - (strata is not None), times / n_units
            mean = probabilities @ distinct
            centred = distinct - mean
            self._groups.append(_Draws(centred, probabilities, n))
            self.mean = self.mean + n * mean
            self.low = self.low + n * centred.min(axis=0)
            self.high = self.high + n * centred.max(axis=0)
            self.variance = self.variance + n * (probabilities @ centred**2)
        self.n_terms = sum(draws.n for draws in self._groups)
        self.n_values = sum(len(draws.values) for draws in self._groups)
        self.width = np.max([np.rint(np.ptp(draws.values, axis=0)) for draws in self._groups], axis=0).astype(np.int64)

    def cumulants(self, theta: FloatArray) -> tuple[float, FloatArray, FloatArray, FloatArray]:
        total, mean, variance, reach = 0.0, np.zeros(2), np.zeros(2), np.zeros(2)
        for draws in self._groups:
            weights, log_mass = draws.tilted(theta)
            of_one = weights @ draws.values
            apart = draws.values - of_one
            total += draws.n * log_mass
            mean += draws.n * of_one
            variance += draws.n * (weights @ apart**2)
            reach = np.maximum(reach, np.abs(apart).max(axis=0))
        return total, mean, variance, reach

    def transform(self, theta: FloatArray, v: float, spacing: float, first: int, count: int) -> AnyArray:
        result = np.ones(count, dtype=np.complex128)
        for draws in self._groups:
            weights: AnyArray = draws.tilted(theta)[0]
            if v:
                weights = weights * np.exp(1j * v * draws.values[:, 1])
            of_one = np.zeros(count, dtype=np.complex128)
            for start in range(0, len(weights), _VALUES):
                part = slice(start, start + _VALUES)
                of_one += _mean_powers(draws.values[part, 0], weights[part], spacing, first, count)
            result *= np.abs(of_one) ** draws.n * np.exp(1j * (draws.n * np.angle(of_one)))
        return result

    def whole_transform(self, theta: FloatArray, lengths: IntArray) -> AnyArray:
        result = np.ones((int(lengths[1]), int(lengths[0]) // 2 + 1), dtype=np.complex128)
        n, m = lengths.tolist()
        u, v = 2 * math.pi / n * np.arange(n // 2 + 1), 2 * math.pi * np.fft.fftfreq(m)
        for draws in self._groups:
            of_one = np.conj(draws.transform(draws.tilted(theta)[0], lengths))
            shift = draws.n * draws.values.min(axis=0)
            angles = draws.n * np.angle(of_one) + np.add.outer(v * shift[1], u * shift[0])
            result *= np.abs(of_one) ** draws.n * np.exp(1j * angles)
        return result

    def decay(self, theta: FloatArray, cells: IntArray) -> FloatArray:
        # |φ|²ⁿ ≤ exp(−n (1 − |φ|²)), and 1 − |φ|² = 2 E sin²(t(v − v')/2) for two independent draws.
        total = np.zeros((int(cells[1]), int(cells[0]) // 2 + 1))
        for draws in self._groups:
            transform = draws.transform(draws.tilted(theta)[0], cells)
            total += draws.n * (1 - (transform.real**2 + transform.imag**2))
        return np.maximum(total, 0.0)


class SwitchedSum(TermSum):
    """The sum of ±pair/2 over pairs of whole numbers, each sign with probability ½.

    Pairs, shape (m, 2), are nowhere (0, 0). The sign of a whole pair has no effect.
    """

    def __init__(self, pairs: IntArray) -> None:
        turned = (pairs[:, 0] < 0) | ((pairs[:, 0] == 0) & (pairs[:, 1] < 0))
        distinct, counts = _counted(np.where(turned[:, None], -pairs, pairs))
        order = np.argsort(-counts, kind="stable")  # frequent pairs first: most nodes decay early
        self._pairs, self._counts = distinct[order], counts[order]
        self.n_terms, self.n_values = len(pairs), len(distinct)
        self.width = np.abs(pairs).max(axis=0)
        self.high = np.abs(pairs).sum(axis=0) / 2
        self.low = -self.high
        self.variance = self._counts @ self._pairs**2 / 4

    def cumulants(self, theta: FloatArray) -> tuple[float, FloatArray, FloatArray, FloatArray]:
        half = self._pairs @ theta / 2
        size = np.abs(half)
        total = float(self._counts @ (size + np.log1p(np.exp(-2 * size)) - math.log(2.0)))
        slopes = np.tanh(half)
        mean = (self._counts * slopes) @ self._pairs / 2
        reach = (np.abs(self._pairs) * (1 + np.abs(slopes[:, None]))).max(axis=0) / 2
        return total, mean, (self._counts * (1 - slopes**2)) @ self._pairs**2 / 4, reach

    def transform(self, theta: FloatArray, v: float, spacing: float, first: int, count: int) -> AnyArray:
        result = np.ones(count, dtype=np.complex128)
        width = max(math.isqrt(count), 1)
        for start in range(0, self.n_values, _FACTORS):
            pairs, counts = self._pairs[start : start + _FACTORS], self._counts[start : start + _FACTORS]
            # E_θ exp(itX) = cosh((θ + it)v/2) / cosh(θv/2) = cos(tv/2) + i tanh(θv/2) sin(tv/2)
            small, large = _power_tables(pairs[:, 0] / 2, spacing, first, count, width)
            if v:
                large *= np.exp(0.5j * v * pairs[:, 1])
            factors = (large[:, None, :] * small[None, :, :]).reshape(-1, len(pairs))[:count]
            factors.imag *= np.tanh(pairs @ theta / 2)
            if counts.max() > 1:
                factors = np.abs(factors) ** counts * np.exp(1j * (counts * np.angle(factors)))
            result *= factors.prod(axis=1)
            if np.abs(result).max() < _NEGLIGIBLE:  # all remaining factors are at most 1
                break
        return result

    def whole_transform(self, theta: FloatArray, lengths: IntArray) -> None:
        del theta, lengths

    def decay(self, theta: FloatArray, cells: IntArray) -> FloatArray:
        # |cos(tv/2) + i tanh(θv/2) sin(tv/2)|² = 1 − sin²(tv/2) sech²(θv/2), and −log(1 − x) ≥ x.
        weights = self._counts / np.cosh(np.minimum(np.abs(self._pairs @ theta) / 2, 300.0)) ** 2
        places = self._pairs.astype(np.int64) % cells
        spread = np.bincount(places[:, 1] * cells[0] + places[:, 0], weights, minlength=int(cells.prod()))
        return np.asarray(np.maximum(weights.sum() - _transform(spread, cells).real, 0.0) / 2)


class Tilted:
    """A sum's distribution tilted by θ, on a window with all but 4e-16 of it, as its transform in x for every y.

    Probabilities are precise near the tilted mean.
    """

    def __init__(self, total: TermSum, theta: FloatArray) -> None:
        self._total, self._theta = total, theta
        self._log_mass, mean, variance, reach = total.cumulants(theta)
        self._sd = np.sqrt(variance)
        # Bernstein's inequality: a tail beyond h is at most exp(−h²/(2V + 2rh/3)) for terms up to r from their means.
        linear = _DIGITS * reach / 3
        half = linear + np.sqrt(linear**2 + 2 * _DIGITS * variance)
        low = total.low + np.maximum(np.floor(mean - half - total.low), 0.0)
        high = total.low + np.minimum(np.ceil(mean + half - total.low), np.rint(total.high - total.low))
        sizes = [round(size) for size in (high - low + 1).tolist()]
        self.lengths = np.array([_fast_length(size) for size in sizes], dtype=np.int64)
        self._first, self._stop = float(low[0]), float(high[0]) + 1
        self.y: FloatArray = low[1] + np.arange(sizes[1])

    @cached_property
    def _runs(self) -> list[tuple[int, IntArray, IntArray]]:
        """The places of v, and of each the first and last places of runs of u up to π, where the transform matters.

        A is a sum of squares of sines Σ a² sin²(t·w/2), so √A is the length of a vector. Between nodes it changes by at
        most the standard deviations times the changes of u and v.
        """
        cells, lengths = self._total.cells, self.lengths
        least = math.sqrt(2 * (_DIGITS + math.log(lengths.prod())))
        height = np.sqrt(self._total.decay(self._theta, cells)) - math.pi * float((self._sd / cells).sum())
        opened: BoolArray = height < least
        of_y = np.rint(np.arange(lengths[1]) * (cells[1] / lengths[1])).astype(np.int64) % cells[1]
        scale, runs, ends = lengths[0] / cells[0], [], {}
        for k in np.flatnonzero(np.asarray(opened.any(axis=1))[of_y]).tolist():
            row = int(of_y[k])
            if row not in ends:
                changes = np.diff(opened[row].astype(np.int8), prepend=0, append=0)
                first, last = np.flatnonzero(changes == 1), np.flatnonzero(changes == -1) - 1
                starts = np.maximum(np.ceil((first - 0.5) * scale).astype(np.int64), 0)
                stops = np.minimum(np.floor((last + 0.5) * scale).astype(np.int64), lengths[0] // 2)
                kept = starts <= stops
                starts, stops = starts[kept], stops[kept]
                starts[1:] = np.maximum(starts[1:], stops[:-1] + 1)  # runs may share a node at their ends
                ends[row] = starts, stops
            runs.append((k, *ends[row]))
        return runs

    @cached_property
    def _n_nodes(self) -> float:
        return sum(float((stops - starts + 1).sum()) for _, starts, stops in self._runs)

    @property
    def _at_nodes(self) -> float:
        """The cost of evaluating the transform at these nodes, in nanoseconds."""
        return _NODE_COST * self._total.n_values * self._n_nodes

    def affordable(self, most: float) -> bool:
        """Return whether all nodes cost at most so many nanoseconds; without a survey if that alone costs more."""
        return _CELL_COST * float(self._total.cells.prod()) <= most and self.cost <= most

    @property
    def cost(self) -> float:
        """The cost of all nodes, in nanoseconds; infinite if they are too many."""
        survey = float(self._total.cells.prod())
        if max(survey, (self._stop - self._first) * len(self.y)) > MOST_GRID_CELLS:
            return math.inf
        by_fft = _POWER_COST * float(self.lengths.prod()) if isinstance(self._total, DrawnSum) else math.inf
        return _CELL_COST * survey + _WHOLE_NODE_COST * self._n_nodes + min(self._at_nodes, by_fft)

    @cached_property
    def _terms(self) -> tuple[FloatArray, AnyArray, FloatArray, float]:
        """The nodes u, G_j(y)/N over 1 − exp(−θ₁ − iu_j), shape (rows, nodes), the first column without, and an error.

        Nodes with a mirror image have twice the weight. The column is that of a geometric sum of ones, at u = 0 without
        a tilt; its place in the matrix is 0. The error is that of any probability by rounding, for terms of size 1.
        """
        n, m = self.lengths.tolist()
        whole, v = None, 2 * math.pi * np.fft.fftfreq(m)
        if _POWER_COST * n * m < self._at_nodes:
            whole = self._total.whole_transform(self._theta, self.lengths)
        if whole is None:
            v = v[[k for k, _, _ in self._runs]]
            matters = np.zeros(n // 2 + 1, dtype=np.bool_)
            for _, starts, stops in self._runs:
                for first, last in zip(starts.tolist(), stops.tolist(), strict=True):
                    matters[first : last + 1] = True
            j = np.flatnonzero(matters)
            whole = np.zeros((len(v), len(j)), dtype=np.complex128)
            for row, node, (_, starts, stops) in zip(whole, v.tolist(), self._runs, strict=True):
                for start, values in self._evaluated(node, starts, stops):
                    column = int(np.searchsorted(j, start))
                    row[column : column + len(values)] = values
        else:
            j = np.arange(whole.shape[1])
        # 0 and π have no mirror image.
        whole *= np.where((j == 0) | (2 * j == n), 1.0, 2.0) / (n * m)
        sizes = np.abs(whole).sum(axis=0)
        if len(self.y) > 1:
            whole = _product(np.exp(-1j * np.outer(self.y, v)), whole)
        u = 2 * math.pi / n * j
        is_flat = self._theta[0] == 0 and j[0] == 0
        with np.errstate(divide="ignore", invalid="ignore"):
            factors = 1 / -np.expm1(-self._theta[0] - 1j * u)
        flat = np.zeros(len(self.y))
        if is_flat:
            flat, factors[0] = whole[:, 0].real.copy(), 0.0
        whole *= factors
        # Rounding of every factor and phase.
        span, farthest = self._stop - self._first, max(abs(self._first), abs(self._stop))
        factors[0] = span if is_flat else factors[0]
        relative = max(self._total.n_terms, 10) + u * farthest
        return u, whole, flat, LAST_BITS * float((relative * np.abs(factors)) @ sizes)

    def _evaluated(self, v: float, starts: IntArray, stops: IntArray) -> Iterator[tuple[int, AnyArray]]:
        spacing = 2 * math.pi / int(self.lengths[0])
        for first, last in zip(starts.tolist(), stops.tolist(), strict=True):
            for start in range(first, last + 1, _NODES):
                count = min(_NODES, last + 1 - start)
                yield start, self._total.transform(self._theta, v, spacing, start, count)

    @cached_property
    def _bounds(self) -> FloatArray:
        """Chernoff's bounds of the logarithms of P(y), shape (rows,)."""
        bounds = np.zeros(len(self.y))
        if len(self.y) > 1 and self._theta.any():
            for step in _TRIALS / max(float(self._sd[1]), 1e-9):
                log_mass = self._total.cumulants(self._theta + np.array([0.0, step]))[0]
                bounds = np.minimum(bounds, log_mass - self._log_mass - step * self.y)
        return bounds

    def tail(self, firsts: FloatArray, *, upper: bool) -> tuple[float, float]:
        """Return P(x ≥ first(y)), or P(x < first(y)), and a bound on its absolute error."""
        (u, sums, flat, rounding), theta = self._terms, self._theta
        limits = np.clip(firsts, self._first, self._stop)
        begins, ends = (limits, self._stop) if upper else (self._first, limits)
        scales = [self._log_mass - theta[1] * self.y - theta[0] * places for places in (begins, ends)]
        # Of an event with a curved boundary, rows far from the mean have weights that magnify their rounding errors.
        likely = np.where(begins < ends, scales[0] if upper else scales[1], -np.inf) + self._bounds
        largest = float(likely.max())
        kept = likely >= largest - _DIGITS - math.log(len(likely))
        scales = [np.exp(np.where(kept, np.minimum(scale, _HIGHEST), -np.inf)) for scale in scales]
        nearest, farthest = float(limits.min()), float(limits.max())
        # The real part of a product is the inner product with the conjugate.
        phases = np.exp(1j * np.outer(np.arange(nearest, farthest + 1), u))[(limits - nearest).astype(np.intp)]
        at_limits = np.einsum("ij,ij->i", sums.view(np.float64), phases.view(np.float64))
        at_end = (sums @ np.exp(-1j * u * (self._stop if upper else self._first))).real
        at_begins, at_ends = (at_limits, at_end) if upper else (at_end, at_limits)
        value = float((scales[0] * (at_begins + flat * (ends - begins)) - scales[1] * at_ends).sum())
        # Rounding of all terms, and of the exponent K − θ·s.
        farthest = abs(self._log_mass) + float(np.abs(theta) @ np.maximum(self._total.high, -self._total.low))
        error = rounding * float((scales[0] + scales[1]).sum()) + LAST_BITS * farthest * abs(value)
        return min(max(value, 0.0), 1.0), error + 8 * math.exp(min(largest, 0.0) - _DIGITS)


class SumLaw(Law):
    """The distribution of a gain of a sum: for every y, the gain does not decrease with x.

    Parameters
    ----------
    total : TermSum
        The sum, whose first number decides the gain for each value of the second.
    least : float
        As for `Law`.
    is_counted : bool
        Whether all probabilities are multiples of `least`.
    """

    exact = True
    how = "exact: lattice"

    def __init__(self, total: TermSum, *, least: float, is_counted: bool = False) -> None:
        self._total, self.least, self._is_counted = total, least, is_counted and least >= _COUNTABLE
        self._middle = Tilted(total, np.zeros(2))

    @abstractmethod
    def boundary(self, gain: float, y: FloatArray) -> FloatArray:
        """Return the x at which a gain is reached, for every y."""

    @abstractmethod
    def gain_of_mean(self) -> float:
        """Return the gain at the mean of the sum."""

    def ties(self, gain: float, x: FloatArray, y: FloatArray) -> AnyArray:
        """Return −1, 0 or 1: how the gains at points next to a boundary compare with `gain`."""
        del gain, y
        return np.zeros(len(x), dtype=np.int64)

    near = 1e-5  # maximum distance of a point from the boundary that is compared by `ties`
    # Tails from here on are computed without a tilt. Of thousands of terms their absolute error is some 1e-12, which
    # leaves them eleven digits.
    near_tail = 0.1

    @property
    def is_cheap(self) -> bool:
        """Whether a p-value costs next to nothing."""
        return self.affordable(_CHEAP)

    def affordable(self, most: float) -> bool:
        """Return whether it costs at most so many nanoseconds."""
        return self._middle.affordable(most)

    def firsts(self, gain: float, y: FloatArray, *, strict: bool) -> FloatArray:
        """Return the smallest x with at least this gain, or with more if `strict`, for every y."""
        low = self._total.low[0]
        with np.errstate(invalid="ignore"):
            places = self.boundary(gain, y) - low
        highest = round(float(self._total.high[0] - low))
        places = np.clip(places, -2.0, highest + 2.0)
        nearest = np.rint(places)
        near = np.flatnonzero((np.abs(places - nearest) <= self.near) & (nearest >= 0) & (nearest <= highest))
        firsts = np.ceil(places)
        order = self.ties(gain, low + nearest[near], y[near])
        firsts[near] = nearest[near] + (order < 0 if not strict else order <= 0)
        return np.asarray(low + firsts)

    def outside(self, low: float, high: float, *, strict: bool = False) -> Probability:
        y = self._middle.y
        stops, firsts = self.firsts(low, y, strict=not strict), self.firsts(high, y, strict=strict)
        if (stops >= firsts).all():
            return Probability(1.0)  # no point lies between; the ends of a gain of 0 may be apart by rounding
        upper, upper_error = self._tail(high, firsts, strict=strict, upper=True)
        lower, lower_error = self._tail(low, stops, strict=not strict, upper=False)
        value, error = min(lower + upper, 1.0), upper_error + lower_error
        if self._is_counted:
            return Probability(round(value / self.least) * self.least)
        return Probability(value, error=error)

    def _tail(self, gain: float, firsts: FloatArray, *, strict: bool, upper: bool) -> tuple[float, float]:
        """Return P(G ≥ gain), or with > if `strict`, or 1 minus that, and a bound on its error, given its `firsts`."""
        if math.isinf(gain):
            return (0.0, 0.0) if (gain > 0) == upper else (1.0, 0.0)
        low, high = self._total.low[0], self._total.high[0]
        if len(firsts) == 1 and (firsts[0] > high + 0.5 if upper else firsts[0] < low + 0.5):
            return 0.0, 0.0
        value, error = self._middle.tail(firsts, upper=upper)
        if value >= self.near_tail:
            return value, error
        tilted = Tilted(self._total, self._tilt(gain, upper=upper))
        small, smaller_error = tilted.tail(self.firsts(gain, tilted.y, strict=strict), upper=upper)
        return (small, smaller_error) if smaller_error < error else (value, error)

    def _tilt(self, gain: float, *, upper: bool) -> FloatArray:
        """Return the tilt whose mean is the likeliest point with about that gain; any gives the right value.

        There it is orthogonal to the boundary, so that to first order no point beyond is likelier.
        """
        total, sign = self._total, 1.0 if upper else -1.0
        low, high = total.low[0] + 0.5, total.high[0] - 0.5
        theta, mean = np.zeros(2), np.zeros(2)

        def excess(theta: FloatArray) -> float:
            mean = total.cumulants(theta)[1]
            return sign * float(mean[0] - np.clip(self.boundary(gain, mean[1:])[0], low, high))

        for _ in range(_TURNS):
            near = self.boundary(gain, mean[1] + np.array([-0.5, 0.5])) if len(self._middle.y) > 1 else np.zeros(2)
            direction = sign * np.array([1.0, float(near[0] - near[1])])
            steepest = min(_STEEPEST / max(float(np.abs(direction) @ total.width), 1.0), _HIGHEST)
            below, above = 0.0, min(1 / math.sqrt(float(direction**2 @ total.variance)), steepest)
            while excess(above * direction) < 0 and above < steepest:
                below, above = above, min(2 * above, steepest)
            for _ in range(_HALVINGS):
                if above - below <= _CLOSE_ENOUGH * above:
                    break
                middle = (below + above) / 2
                below, above = (middle, above) if excess(middle * direction) < 0 else (below, middle)
            before, theta = theta, above * direction
            mean = total.cumulants(theta)[1]
            if np.abs(theta - before).max() <= _CLOSE_ENOUGH * np.abs(theta).max() or len(self._middle.y) == 1:
                break
        return theta

    def _up_to(self, gain: float, *, strict: bool) -> float:
        """Return P(G ≤ gain), or P(G < gain) if `strict`, to about 1e-14, for quantiles and charts."""
        return self._middle.tail(self.firsts(gain, self._middle.y, strict=not strict), upper=False)[0]

    def below(self, value: float) -> float:
        return (self._up_to(value, strict=True) + self._up_to(value, strict=False)) / 2

    def beyond(self, low: float, high: float) -> float:
        return self._up_to(low, strict=True) + 1 - self._up_to(high, strict=False)

    def spread(self) -> float:
        mean, y = self.gain_of_mean(), np.zeros(1)
        per_unit = 1e-3 * max(abs(mean), 1e-3)
        slope = float(self.boundary(mean + per_unit, y)[0] - self.boundary(mean, y)[0]) / per_unit
        return math.sqrt(float(self._total.variance[0])) / slope

    def quantile(self, level: float) -> float:
        spread = self.spread()
        guess = self.gain_of_mean() + NormalDist().inv_cdf(level) * spread
        return first_reaching_smoothly(lambda x: self._up_to(x, strict=False), level, guess, spread)


def _counted(pairs: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the distinct pairs, shape (m, 2), in order, and the number of each."""
    low = pairs.min(axis=0)
    width = int(np.ptp(pairs[:, 1])) + 1
    codes = np.sort((pairs[:, 0] - low[0]) * width + pairs[:, 1] - low[1])  # np.unique would import numpy.ma
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    codes, counts = codes[starts], np.diff(starts, append=len(codes))
    distinct = np.column_stack([codes // width + low[0], codes % width + low[1]])
    return distinct.astype(np.float64), counts.astype(np.float64)


def _transform(spread: AnyArray, lengths: IntArray) -> AnyArray:
    """Return the Fourier transform of values by place, shape (M · N,) to (M, N/2 + 1)."""
    return np.fft.rfft(spread)[None] if lengths[1] == 1 else np.fft.rfft2(spread.reshape(lengths[::-1]))


def _product(first: AnyArray, second: AnyArray) -> AnyArray:
    """Return the product of two complex matrices, some rows at a time."""
    rows = max(1, _ONE_THREAD_PRODUCT // second.size)
    return np.concatenate([first[at : at + rows] @ second for at in range(0, len(first), rows)])


def _mean_powers(values: FloatArray, weights: AnyArray, spacing: float, first: int, count: int) -> AnyArray:
    """Return Σ w exp(itv) at the nodes t = spacing·(first + k), shape (count,)."""
    small, large = _power_tables(values, spacing, first, count, max(math.isqrt(count), 1))
    return np.asarray(_product(large * weights, small.T).ravel()[:count])


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


def _fast_length(least: int) -> int:
    """Return a power of 2, or three times one, of at least `least`: lengths of fast Fourier transforms."""
    power = 1 << (least - 1).bit_length()
    return 3 * power // 4 if 3 * power // 4 >= least else power
