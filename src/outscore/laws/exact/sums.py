"""Sums of independent terms with finitely many values, by their generating functions.

Two sums suffice for all linear gains: the sum of n draws with replacement (the bootstrap), and the sum of values that
are each taken or not with probability ½ (randomization). Both are centred on their mean.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.data.blocks import blocks
from outscore.data.strata import members_of
from outscore.laws.exact.lattice import find_step

DECAY_ERROR = 0.015
MANY_VALUES = 2**14  # from this many distinct values on, a few points replace them if they are accurate enough
_POINTS, _MOST_TURN = 20, 1.5
_NEGLIGIBLE = 1e-30
_MANY_KINDS = 200
_MIDDLE = 1 / 6  # of the values: enough for the decay of the whole, and close to each other
_FEW_KINDS = 30
_FEWEST_CELLS = 64
_PART = 2**13  # cells of one part of a long Fourier transform
_NEAR = 16  # one of this many nodes is near 0
_BLOCK, _CHUNK = 128, 64  # nodes and values multiplied at once
# Complex products below this many operations stay in one thread of the linear algebra library. More threads cost more
# than they save, especially on a busy machine.
_ONE_THREAD_PRODUCT = 2**17


class CentredSum(ABC):
    """S − E S, where S is a sum of independent terms.

    Attributes
    ----------
    low, high : float
        The ends of its support.
    step : float or None
        The support is on low + step·ℤ; None if it is on no useful grid.
    variance : float
    n_terms : int
        Number of independent terms; rounding errors grow with it.
    n_values : int
        Number of distinct values in one evaluation of the transform; its cost.
    grain : float or None
        All values differ by multiples of it, if that is known although the step is too fine to be used.
    atom : tuple of (float, float)
        A point and its probability, the heaviest that needs no search: all terms at their likeliest value.
    """

    low: float
    high: float
    step: float | None
    variance: float
    n_terms: int
    n_values: int
    grain: float | None = None
    atom: tuple[float, float]

    @abstractmethod
    def cumulants(self, theta: float) -> tuple[float, float]:
        """Return K(θ) = log E exp(θS) and its derivative K'(θ), the mean of the distribution tilted by θ."""

    @abstractmethod
    def transform(self, theta: float, spacing: float, first: int, count: int) -> AnyArray:
        """Return E_θ exp(itS) of the distribution tilted by θ at t = spacing·(first, …, first + count − 1)."""

    def whole_transform(self, theta: float, period: int) -> AnyArray | None:
        """Return the transform at all nodes t = 2πk/(period·step) with k ≤ period/2, if there is a fast way."""
        del theta, period
        return None

    @abstractmethod
    def decay(self, theta: float, period: float, cells: int) -> FloatArray:
        """Return the decay of the transform tilted by θ at t = 2πk/period, shape (cells // 4,).

        Up to errors of `DECAY_ERROR` per term, |E_θ exp(itS)| ≤ exp(−decay), with near equality for small decay.
        """

    def near_bounds(self, theta: float, decay: FloatArray, reach: float) -> FloatArray:
        """Return upper bounds of log |E_θ exp(itS)| within a distance from nodes of such `decay`, in its shape."""
        del theta, reach
        return np.zeros_like(decay)

    def dead_decay(self, theta: float, negligible: float, reach: float) -> float:
        """Return the `decay` from which `near_bounds` are below −negligible, or infinity."""
        del theta, negligible, reach
        return math.inf

    @abstractmethod
    def decay_at(self, theta: float, t: float) -> float:
        """Return the exact decay at one t."""

    @abstractmethod
    def undecayed(self, theta: float) -> float:
        """Return the least proportion of the untilted decay that is left when tilted by θ, for any t."""

    def least_decay(self, theta: float, period: float, cells: int, begin: int, end: int | None, wanted: float) -> float:
        """Return a lower bound of `decay` from node `begin` to `end`, at the one-time cost of the untilted decay.

        0 if it cannot be as large as `wanted`.
        """
        if self.undecayed(theta) * self.n_terms / 2 <= wanted:
            return 0.0
        error = DECAY_ERROR * self.n_terms
        if end is None:
            quickly = self.undecayed(theta) * self._least_by_few(period, cells, begin) - error
            if quickly > wanted:
                return quickly
        least = float(self.untilted_decay(period, cells)[begin:end].min(initial=math.inf)) - error
        return self.undecayed(theta) * least - error

    def _least_by_few(self, period: float, cells: int, begin: int) -> float:
        """Return a lower bound of the untilted decay from node `begin` on, estimated from few values."""
        del period, cells, begin
        return 0.0

    def untilted_decay(self, period: float, cells: int) -> FloatArray:
        """Return `decay` of the untilted distribution, computed once: the period is always the same."""
        if cells not in self._untilted:
            self._untilted[cells] = self.decay(0.0, period, cells)
        return self._untilted[cells]

    @cached_property
    def _untilted(self) -> dict[int, FloatArray]:
        """The untilted decay by the number of cells; −S shares it."""
        return {}

    @abstractmethod
    def heights(self, t: FloatArray) -> FloatArray:
        """Return |E exp(itS)| at every t, without tilting, shape (len(t),)."""

    @abstractmethod
    def refined(self, t: FloatArray) -> FloatArray:
        """Return, near every t, the one at which the terms' values times t are nearest to one phase."""

    @abstractmethod
    def far_level(self) -> float:
        """Return the root mean square of the transform over all t, for values without a common grid.

        For such values the phases t·v run through all combinations (Weyl), and the mean of |φ|² is the
        probability that two independent sums have the same terms.
        """

    @abstractmethod
    def mirrored(self) -> CentredSum:
        """Return −S."""

    @abstractmethod
    def rounded(self, step: float) -> tuple[CentredSum, CentredSum]:
        """Return two sums that add up to this one: the terms rounded to a grid, and the rounded part."""

    @abstractmethod
    def magnified(self, step: float, factor: float) -> CentredSum:
        """Return the sum of the terms rounded to a grid, plus `factor` times the rounded part."""

    @abstractmethod
    def selections(self) -> Iterable[FloatArray]:
        """Return small selections of the terms' values, as offsets from the least, for finding coarse grids."""


@dataclass(frozen=True, eq=False)
class _Stratum:
    """n draws with replacement from `size` values: the distinct ones, centred, with their probabilities."""

    values: FloatArray
    probabilities: FloatArray
    n: int
    size: int

    @cached_property
    def reach(self) -> float:
        """Half the distance between the least and the largest value."""
        return abs(float(self.values[-1] - self.values[0])) / 2

    def enough(self, s: float) -> tuple[FloatArray, FloatArray]:
        """Return values and weights with Σ w·exp(zv) = E exp(zv) for |z| ≤ s, few points if there are many values.

        It is the mean of the polynomial through exp(zv) at 20 Chebyshev points. With r the values' reach, its error is
        at most 2·(sr)²⁰exp(sr)/(2²⁰·20!), which is less than rounding.
        """
        if len(self.values) <= MANY_VALUES or s * self.reach > _MOST_TURN:
            return self.values, self.probabilities
        return self._few

    def tilted(self, theta: float, t: float) -> tuple[FloatArray, FloatArray]:
        """Return the same for the distribution tilted by θ, for exp(iuv) with |u| ≤ t."""
        values, probabilities = self.enough(math.hypot(theta, t))
        exponents = theta * values
        weights = probabilities * np.exp(exponents - exponents.max())
        weights /= weights.sum()
        return values, weights

    @cached_property
    def _few(self) -> tuple[FloatArray, FloatArray]:
        angles = np.pi * (np.arange(_POINTS) + 0.5) / _POINTS
        degrees = np.arange(_POINTS)
        middle = float(self.values[0] + self.values[-1]) / 2
        moments = np.zeros(_POINTS)  # of Chebyshev polynomials
        for at in blocks(len(self.values)):
            x, p = (self.values[at] - middle) / self.reach, self.probabilities[at]
            before, now, twice = np.ones(len(x)), x, 2 * x
            moments[0] += p.sum()
            for degree in range(1, _POINTS):
                moments[degree] += p @ now
                before, now = now, twice * now - before
        moments[1:] *= 2
        return middle + self.reach * np.cos(angles), np.cos(np.outer(angles, degrees)) @ moments / _POINTS


def _distinct(offsets: FloatArray, step: float | None) -> tuple[FloatArray, IntArray]:
    """Return the distinct offsets, ascending, in steps of the grid if there is one, and their counts."""
    if step is None:
        ordered = np.sort(offsets)
        if (ordered[1:] != ordered[:-1]).all():
            return ordered, np.broadcast_to(np.int64(1), ordered.shape)
        return np.unique(offsets, return_counts=True)
    if len(offsets) <= MANY_VALUES:
        return np.unique(np.rint(offsets / step), return_counts=True)
    multiples = np.empty(len(offsets), dtype=np.int64)
    for at in blocks(len(offsets)):
        multiples[at] = np.rint(offsets[at] / step)
    counts = np.bincount(multiples)
    distinct = np.flatnonzero(counts)
    return distinct.astype(np.float64), counts[distinct]


class DrawnSum(CentredSum):
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
        self._fewer = 0 if strata is None else 1
        lowest = [group.min() for group in groups]
        offsets = [group - least for group, least in zip(groups, lowest, strict=True)]
        every = offsets[0] if len(offsets) == 1 else np.concatenate(offsets)
        self.step, self.grain = find_step(every, float(np.abs(values).max()), grain), grain
        del every
        self._strata: list[_Stratum] = []
        self.mean = self.low = self.high = self.variance = 0.0
        self.n_terms = len(values) - self._fewer * len(groups)
        for least, group in zip(lowest, groups, strict=True):
            distinct, counts = _distinct(offsets.pop(0), self.step)
            scaled = distinct if self.step is None else distinct * self.step
            self._add(scaled, counts / len(group), float(least), len(group))
        self.n_values = sum(len(stratum.values) for stratum in self._strata)

    @classmethod
    def of_kinds(cls, kinds: Iterable[tuple[FloatArray, IntArray]], *, stratified: bool) -> DrawnSum:
        """Return the sum of values given per stratum with their counts, treated as if on no grid."""
        total = cls.__new__(cls)
        total._fewer, total._strata, total.step, total.grain = int(stratified), [], None, None
        total.mean = total.low = total.high = total.variance = 0.0
        for values, counts in kinds:
            order = np.argsort(values)
            size = int(counts.sum())
            total._add(values[order], counts[order] / size, 0.0, size)
        total.n_terms = sum(stratum.n for stratum in total._strata)
        total.n_values = sum(len(stratum.values) for stratum in total._strata)
        return total

    def _add(self, values: FloatArray, probabilities: FloatArray, least: float, size: int) -> None:
        """Add a stratum of `size` units with these distinct values above the least, ascending."""
        n = size - self._fewer
        mean = float(probabilities @ values)
        centred = np.subtract(values, mean, out=values)
        self._strata.append(_Stratum(centred, probabilities, n, size))
        self.mean += n * (least + mean)
        self.low += n * float(centred[0])
        self.high += n * float(centred[-1])
        self.variance += n * float(probabilities @ centred**2)

    @cached_property
    def atom(self) -> tuple[float, float]:  # type: ignore[override]
        point, log_probability = 0.0, 0.0
        for stratum in self._strata:
            likeliest = int(np.argmax(stratum.probabilities))
            point += stratum.n * float(stratum.values[likeliest])
            log_probability += stratum.n * float(np.log(stratum.probabilities[likeliest]))
        return point, float(np.exp(log_probability))

    def cumulants(self, theta: float) -> tuple[float, float]:
        total = slope = 0.0
        for stratum in self._strata:
            values, probabilities = stratum.enough(abs(theta))
            exponents = theta * values
            largest = exponents.max()
            weights = probabilities * np.exp(exponents - largest)
            mass = weights.sum()
            total += stratum.n * float(largest + np.log(mass))
            slope += stratum.n * float(weights @ values / mass)
        return total, slope

    def transform(self, theta: float, spacing: float, first: int, count: int) -> AnyArray:
        # Nodes are first + a·width + b. The exponential of a sum is a product, so two small tables of powers and one
        # matrix product replace count × n_values exponentials.
        width = max(math.isqrt(count), 1)
        result = np.ones(count, dtype=np.complex128)
        for stratum in self._strata:
            values, weights = stratum.tilted(theta, spacing * (first + count))
            base = np.exp(1j * spacing * values)
            small = _powers(base, width)
            large = _powers(small[-1] * base, -(-count // width))
            start = weights * np.exp(1j * spacing * first * values)
            large *= start
            rows = max(1, _ONE_THREAD_PRODUCT // small.size)
            parts = [large[at : at + rows] @ small.T for at in range(0, len(large), rows)]
            one = np.concatenate(parts).ravel()[:count]
            result *= np.abs(one) ** stratum.n * np.exp(1j * (stratum.n * np.angle(one)))
        return result

    def whole_transform(self, theta: float, period: int) -> AnyArray | None:
        assert self.step is not None
        result = np.ones(period // 2 + 1, dtype=np.complex128)
        for stratum in self._strata:
            values, weights = stratum.tilted(theta, math.inf)
            places = np.rint((values - values[0]) / self.step).astype(np.int64) % period
            one = np.conj(np.fft.rfft(np.bincount(places, weights=weights, minlength=period)))
            shift = 2 * math.pi / (period * self.step) * stratum.n * float(values[0])
            angles = stratum.n * np.angle(one) + shift * np.arange(len(one))
            result *= np.abs(one) ** stratum.n * np.exp(1j * angles)
        return result

    def decay(self, theta: float, period: float, cells: int) -> FloatArray:
        total = np.zeros(cells // 4)
        for stratum in self._strata:
            tilted = stratum.tilted(theta, math.inf) if theta else (stratum.values, stratum.probabilities)
            transform = _on_many_nodes(*tilted, period, cells)
            # |φ|ⁿ = exp(n/2 · log |φ|²), and log x ≤ x − 1.
            total += stratum.n * (1 - np.abs(transform) ** 2) / 2
        return total

    def near_bounds(self, theta: float, decay: FloatArray, reach: float) -> FloatArray:
        sizes = np.sqrt(np.maximum(1 - 2 * decay / self.n_terms, 0.0)) + self._unseen(theta, reach)
        return self.n_terms * np.log(np.minimum(sizes, 1.0))

    def dead_decay(self, theta: float, negligible: float, reach: float) -> float:
        size = math.exp(-negligible / self.n_terms) - self._unseen(theta, reach)
        return self.n_terms * (1 - size * size) / 2 if size > 0 else math.inf

    def _unseen(self, theta: float, reach: float) -> float:
        """Return the possible increase of |φ| of one draw within some distance of a node of the survey.

        It changes by at most the draw's standard deviation times the change of t. Logarithm and square root are
        concave, so the strata's root mean square bounds the whole. With few draws that is far below exp(−decay).
        """
        variance = 0.0
        for stratum in self._strata:
            values, weights = stratum.tilted(theta, 0.0)
            variance += stratum.n * float(weights @ (values - weights @ values) ** 2)
        return DECAY_ERROR + reach * math.sqrt(variance / self.n_terms)

    def decay_at(self, theta: float, t: float) -> float:
        total = 0.0
        for stratum in self._strata:
            values, weights = stratum.tilted(theta, t)
            total += stratum.n * (1 - abs(complex(weights @ np.exp(1j * t * values))) ** 2) / 2
        return total

    def _least_by_few(self, period: float, cells: int, begin: int) -> float:
        # Use only values in the middle, of mass m: |φ| ≤ 1 − m + m|φ_m|. They are so close to each other that few nodes
        # suffice for all t: |φ_m| changes by at most their standard deviation times the change of t. Only near 0, where
        # they have not decayed yet, all values are needed.
        if len(self._strata) > 1 or self.n_terms < _MANY_KINDS:
            return 0.0
        (stratum,) = self._strata
        up_to = np.cumsum(stratum.probabilities)
        middle = slice(*np.searchsorted(up_to, [(1 - _MIDDLE) / 2, (1 + _MIDDLE) / 2]).tolist())
        values, weights = stratum.values[middle], stratum.probabilities[middle]
        if len(values) < _FEW_KINDS:
            return 0.0
        if -cells not in self._untilted:
            mass = float(weights.sum())
            weights = weights / mass
            spread = math.sqrt(float(weights @ (values - weights @ values) ** 2))
            share = spread / math.sqrt(self.variance / self.n_terms)
            fewer = 2 ** math.ceil(math.log2(cells * share))
            if not _FEWEST_CELLS <= fewer < cells:  # adjacent values on a grid do not show its returns
                return 0.0
            transform = _on_many_nodes(values, weights, period * share, fewer)
            largest = float(np.abs(transform[int(share * cells / _NEAR / 4) :]).max()) + 0.125 + DECAY_ERROR
            self._untilted[-cells] = np.array([self.n_terms * (1 - (1 - mass * max(1 - largest, 0.0)) ** 2) / 2])
        near = self.untilted_decay(period, cells // _NEAR)[begin:] - DECAY_ERROR * self.n_terms
        return float(min(near.min(initial=math.inf), self._untilted[-cells][0]))

    def undecayed(self, theta: float) -> float:
        # 1 − |φ|² = Σ pᵢpⱼ(1 − cos t(vᵢ − vⱼ)), and tilting multiplies each pᵢ by exp(θvᵢ)/M.
        least = 0.0
        for stratum in self._strata:
            values, probabilities = stratum.enough(abs(theta))
            ends = theta * stratum.values[[0, -1]]
            mass = float(probabilities @ np.exp(theta * values - ends.max()))
            least = min(least, float(ends.min() - ends.max()) - math.log(mass))
        return math.exp(2 * least)

    def heights(self, t: FloatArray) -> FloatArray:
        result = np.ones(len(t))
        for stratum in self._strata:
            directions = np.exp(1j * t[:, None] * stratum.values)
            result *= np.abs(directions @ stratum.probabilities) ** stratum.n
        return result

    def refined(self, t: FloatArray) -> FloatArray:
        slope, curvature = np.zeros(len(t)), np.zeros(len(t))
        for stratum in self._strata:
            values, weights = stratum.values, stratum.n * stratum.probabilities
            phases = t[:, None] * values
            centres = np.arctan2(np.sin(phases) @ weights, np.cos(phases) @ weights)
            off = np.remainder(phases - centres[:, None] + np.pi, 2 * np.pi) - np.pi
            kept = weights * (np.abs(off) < np.pi / 2)
            mass = kept.sum(axis=1)
            around = values - (kept @ values / np.where(mass > 0, mass, 1.0))[:, None]
            slope += np.einsum("ij,ij,ij->i", kept, off, around)
            curvature += np.einsum("ij,ij,ij->i", kept, around, around)
        return t - np.divide(slope, curvature, out=np.zeros(len(t)), where=curvature > 0)

    def far_level(self) -> float:
        # Counts of n draws are Poisson(λ) given their sum: two such draws coincide with probability at most
        # 2πn · ∏ exp(−2λ) I₀(2λ).
        log_square = 0.0
        for stratum in self._strata:
            kinds = len(stratum.values)
            if kinds > _MANY_KINDS:
                # Every kind is one unit at least, λ ≥ 1, and its factor at most that of λ = 1.
                log_square += math.log(2 * math.pi * stratum.n) + kinds * math.log(0.3086)
                continue
            twice = 2 * stratum.n * stratum.probabilities
            coincide = np.where(
                twice > 50,
                1 / np.sqrt(2 * np.pi * twice),
                np.i0(np.minimum(twice, 50)) * np.exp(-np.minimum(twice, 50)),
            )
            log_square += float(np.log(2 * np.pi * stratum.n) + np.log(coincide).sum())
        return math.exp(min(log_square, 0.0) / 2)

    def mirrored(self) -> DrawnSum:
        assert self._untilted is not None  # both share it
        other = copy(self)
        other.__dict__.pop("atom", None)
        other._strata = [_Stratum(-s.values[::-1], s.probabilities[::-1], s.n, s.size) for s in self._strata]
        other.mean, other.low, other.high = -self.mean, -self.high, -self.low
        return other

    def rounded(self, step: float) -> tuple[CentredSum, CentredSum]:
        on_grid, off, codes = self._split(step)
        return DrawnSum(on_grid, codes), DrawnSum(off, codes)

    def magnified(self, step: float, factor: float) -> CentredSum:
        on_grid, off, codes = self._split(step)
        return DrawnSum(on_grid + factor * off, codes)

    def _split(self, step: float) -> tuple[FloatArray, FloatArray, AnyArray | None]:
        exact, codes = self._expanded()
        origins = np.array([s.values[np.argmax(s.probabilities)] for s in self._strata])[codes]
        multiples = np.rint((exact - origins) / step) * step  # the likeliest value does not move
        return origins + multiples, (exact - origins) - multiples, codes if self._fewer else None

    def _expanded(self) -> tuple[FloatArray, AnyArray]:
        """Return the centred values one by one, shape (n,), and the codes of their strata."""
        values = [np.repeat(s.values, np.rint(s.probabilities * s.size).astype(np.int64)) for s in self._strata]
        return np.concatenate(values), np.repeat(np.arange(len(values)), [len(v) for v in values])

    def selections(self) -> Iterable[FloatArray]:
        for stratum in self._strata:
            for picked in _selections(stratum.values, stratum.probabilities, stratum.n):
                yield picked - picked.min()


class SwitchedSum(CentredSum):
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
        self.step, self.grain = find_step(sizes, grain=grain), grain
        distinct, counts = np.unique(sizes if self.step is None else np.rint(sizes / self.step), return_counts=True)
        order = np.argsort(-counts, kind="stable")  # frequent values first: most nodes decay early
        self._sizes: FloatArray = distinct[order] * (1.0 if self.step is None else self.step)
        self._counts = counts[order]
        self.n_terms = len(sizes)
        self.n_values = len(distinct)
        self.high = float(self._counts @ self._sizes) / 2
        self.low = -self.high
        self.variance = float(self._counts @ self._sizes**2) / 4
        self.atom = (self.high, 0.5 ** len(sizes))

    @property
    def sizes(self) -> FloatArray:
        """The values without signs, one by one, shape (n_terms,)."""
        return np.repeat(self._sizes, self._counts)

    def cumulants(self, theta: float) -> tuple[float, float]:
        half = np.abs(theta) * self._sizes / 2
        total = float(self._counts @ (half + np.log1p(np.exp(-2 * half)) - np.log(2.0)))
        return total, float(self._counts @ (self._sizes / 2 * np.tanh(theta * self._sizes / 2)))

    def transform(self, theta: float, spacing: float, first: int, count: int) -> AnyArray:
        return np.concatenate(
            [
                self._block(theta, spacing, at, min(_BLOCK, first + count - at))
                for at in range(first, first + count, _BLOCK)
            ]
        )

    def _block(self, theta: float, spacing: float, first: int, count: int) -> AnyArray:
        """Return the transform at `count` nodes, stopping when it is negligible at all of them."""
        result = np.ones(count, dtype=np.complex128)
        width = math.isqrt(count)
        for start in range(0, self.n_values, _CHUNK):
            sizes, counts = self._sizes[start : start + _CHUNK], self._counts[start : start + _CHUNK]
            # E_θ exp(itX) = cosh((θ + it)v/2) / cosh(θv/2) = cos(tv/2) + i tanh(θv/2) sin(tv/2)
            base = np.exp(0.5j * spacing * sizes)
            small = _powers(base, width)
            large = _powers(small[-1] * base, -(-count // width))
            large *= np.exp(0.5j * spacing * first * sizes)
            factors = (large[:, None, :] * small[None, :, :]).reshape(-1, len(sizes))[:count]
            factors.imag *= np.tanh(theta * sizes / 2)
            if counts.max() > 1:
                factors = np.abs(factors) ** counts * np.exp(1j * (counts * np.angle(factors)))
            result *= factors.prod(axis=1)
            # All remaining factors are at most 1, so a transform this small contributes nothing to ten digits.
            if np.abs(result).max() < _NEGLIGIBLE:
                break
        return result

    def decay(self, theta: float, period: float, cells: int) -> FloatArray:
        # |cos(tv/2) + i tanh(θv/2) sin(tv/2)|² = 1 − (1 − cos tv)/2 · sech²(θv/2), and log x ≤ x − 1.
        weights = self._counts / self._damping(theta)
        return np.asarray(weights.sum() - _on_many_nodes(self._sizes, weights, period, cells).real) / 4

    def decay_at(self, theta: float, t: float) -> float:
        weights = self._counts / self._damping(theta)
        return float(weights @ (1 - np.cos(t * self._sizes))) / 4

    def undecayed(self, theta: float) -> float:
        return float(1 / self._damping(theta).max(initial=1.0))

    def _damping(self, theta: float) -> FloatArray:
        """Return cosh²(θv/2), by which tilting divides the decay of each value."""
        return np.asarray(np.cosh(np.minimum(np.abs(theta) * self._sizes / 2, 300.0)) ** 2)

    def heights(self, t: FloatArray) -> FloatArray:
        return np.asarray((np.abs(np.cos(t[:, None] * (self._sizes / 2))) ** self._counts).prod(axis=1))

    def refined(self, t: FloatArray) -> FloatArray:
        off = np.remainder(t[:, None] * self._sizes + np.pi, 2 * np.pi) - np.pi
        weights = self._counts * (np.abs(off) < np.pi / 2)
        slope, curvature = (weights * off) @ self._sizes, weights @ self._sizes**2
        return t - np.divide(slope, curvature, out=np.zeros(len(t)), where=curvature > 0)

    def far_level(self) -> float:
        # The mean of cos²ᶜ is C(2c, c)/4ᶜ, at most 1/√(πc).
        return math.exp(float(np.log(np.minimum(0.5, 1 / np.sqrt(np.pi * self._counts))).sum()) / 2)

    def mirrored(self) -> SwitchedSum:
        return self

    def rounded(self, step: float) -> tuple[CentredSum, CentredSum]:
        exact = self.sizes
        on_grid = np.rint(exact / step) * step
        return SwitchedSum(on_grid), SwitchedSum(exact - on_grid)

    def magnified(self, step: float, factor: float) -> CentredSum:
        exact = self.sizes
        on_grid = np.rint(exact / step) * step
        return SwitchedSum(on_grid + factor * (exact - on_grid))

    def selections(self) -> Iterable[FloatArray]:
        return _selections(self._sizes, self._counts / self._counts.sum(), self.n_terms)


def _selections(values: FloatArray, probabilities: FloatArray, n: int) -> Iterable[FloatArray]:
    """Yield selections of six values, spread evenly over their probability.

    A few dozen terms off a grid destroy its returns. If n is large, these few are rarely selected, and two selections
    suffice.
    """
    cumulative = np.cumsum(probabilities)
    for offset in (0.1, 0.6) if n >= 1000 else (0.1, 0.35, 0.6, 0.85):
        places = np.searchsorted(cumulative, (np.arange(6) + offset) / 6)
        yield values[np.minimum(places, len(values) - 1)]


def _on_many_nodes(values: FloatArray, weights: FloatArray, period: float, cells: int) -> AnyArray:
    """Return Σ w exp(itv) at t = 2πk/period for k < cells/4, by fast Fourier transforms, accurate to a few per cent.

    Each value is spread over four cells by the cubic B-spline, whose own transform sinc⁴ is divided out again. Aliasing
    from beyond the last cell is at most (k/(cells − k))⁴ of the whole, 1/81 at the last node. Many nodes are computed
    in parts, each around a node of its own: transforms that stay in the processor's cache take a third of the time.
    """
    in_parts = cells > _PART and len(values) <= MANY_VALUES
    size = _PART if in_parts else cells
    if len(values) > MANY_VALUES:
        spread: AnyArray = np.zeros(cells)
        count = max(cells, MANY_VALUES)  # of the values at once, so that adding the cells costs no more than they do
        for at in range(0, len(values), count):
            _, first, splines = _splines(values[at : at + count], period, cells)
            for shift, spline in enumerate(splines):
                some = weights[at : at + count] * spline / 6
                spread += np.bincount((first + shift) % cells, weights=some, minlength=cells)
        return np.conj(np.fft.rfft(spread)[: cells // 4]) / _spline_transform(cells)[cells // 4 :]
    places, first, splines = _splines(values, period, size)
    around = ((first + np.arange(4)[:, None]) % size).ravel()
    shares = weights * np.array(splines) / 6
    if not in_parts:
        spread = np.bincount(around, weights=shares.ravel(), minlength=cells)
        return np.conj(np.fft.rfft(spread)[: cells // 4]) / _spline_transform(cells)[cells // 4 :]
    result = np.empty(cells // 4, dtype=np.complex128)
    spread, scale = np.empty(size, dtype=np.complex128), 1 / _spline_transform(size)
    turn = np.exp(2j * np.pi * np.remainder(places * (size // 4), 1.0))  # to the middle of the first part
    step = np.exp(2j * np.pi * np.remainder(places * (size // 2), 1.0))
    for part in result.reshape(-1, size // 2):
        turned = shares * turn
        spread.real = np.bincount(around, weights=turned.real.ravel(), minlength=size)
        spread.imag = np.bincount(around, weights=turned.imag.ravel(), minlength=size)
        transform = np.fft.ifft(spread, norm="forward")
        np.multiply(transform[-(size // 4) :], scale[: size // 4], out=part[: size // 4])
        np.multiply(transform[: size // 4], scale[size // 4 :], out=part[size // 4 :])
        turn *= step
    return result


def _splines(values: FloatArray, period: float, cells: int) -> tuple[FloatArray, IntArray, tuple[FloatArray, ...]]:
    """Return the places of values in the period, their first cells, and six times their shares of four cells."""
    places = np.remainder(values / period, 1.0)
    cell = np.floor(places * cells)
    f = places * cells - cell
    square, cube = f * f, f * f * f  # the power operator takes ten times as long
    shares = ((1 - f) * (1 - f) * (1 - f), 3 * cube - 6 * square + 4, -3 * cube + 3 * square + 3 * f + 1, cube)
    return places, cell.astype(np.int64) - 1, shares


@cache
def _spline_transform(cells: int) -> FloatArray:
    """Return the transform of the cubic B-spline from a quarter of the cells before 0 to a quarter after it."""
    return np.asarray(np.sinc(np.arange(-(cells // 4), cells // 4) / cells) ** 4)


def _powers(base: AnyArray, count: int) -> AnyArray:
    """Return base⁰, base¹, …, shape (count, len(base))."""
    table = np.empty((count, len(base)), dtype=np.complex128)
    table[0] = 1.0
    for power in range(1, count):
        np.multiply(table[power - 1], base, out=table[power])  # ten times as fast as multiply.accumulate
    return table
