"""How surely a gain, or a score, is known: what each unit contributes to it, and the moments of these influences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.data.blocks import ONE_BLOCK, blocks
from outscore.data.strata import members_of
from outscore.gains.pair import AnyPair, SharedDenominators

# docs/calibration.md: from where on the bootstrap keeps a level of 5%, and one of 1%.
_ENOUGH_UNITS, _ENOUGH_UNITS_AT_ONE_PERCENT = 50, 100
ENOUGH_DIFFERING = 10  # units on which systems differ, likewise
NORMAL_KURTOSIS = 3.0  # n normal units have an effective number of n/3
_LEAST_DEGREES = 1.0


def enough_units(alpha: float) -> int:
    """Return from how many effective units on the bootstrap keeps a level of alpha."""
    return _ENOUGH_UNITS if alpha > 0.01 else _ENOUGH_UNITS_AT_ONE_PERCENT


def effective_units(sizes: FloatArray) -> float:
    """Return Kish's effective number of units, (Σℓ)²/Σℓ²: n for units of one size, near 1 where one outweighs all."""
    largest = float(sizes.max(initial=0.0))
    if largest == 0 or sizes.min() == largest:
        return float(len(sizes))
    shares = sizes / largest
    return float(shares.sum() ** 2 / (shares @ shares))


def largest_share(sizes: FloatArray) -> float:
    """Return the largest size over the sum of all; 0 where all are 0."""
    whole = float(sizes.sum())
    return float(sizes.max(initial=0.0)) / whole if whole > 0 else 0.0


@dataclass(frozen=True, eq=False)
class Spread:
    """The moments of an estimate that its units imply. All are numbers, or arrays of one shape, one entry an estimate.

    Attributes
    ----------
    variance : float or ndarray
        V = Σ uᵢ². Infinite where one unit has all the size: nothing tells how units differ.
    skewness : float or ndarray
        κ = Σ uᵢ³ / V^1.5, the skewness of the estimate; 0 without variance.
    effective : float or ndarray
        m = V² / Σ uᵢ⁴: how many units carry the variance; 1 where one does.
    design_degrees : float or ndarray
        Satterthwaite's degrees of freedom of V from the design: sizes of units, strata.
    """

    variance: float | FloatArray
    skewness: float | FloatArray
    effective: float | FloatArray
    design_degrees: float | FloatArray

    @property
    def degrees(self) -> FloatArray:
        """ν = min(design's, 3m − 1), at least 1: no more than the units that carry the variance are worth."""
        own = NORMAL_KURTOSIS * np.asarray(self.effective) - 1
        return np.maximum(np.minimum(self.design_degrees, own), _LEAST_DEGREES)

    @property
    def plain(self) -> Spread:
        """The same without skewness, and with the design's degrees of freedom."""
        return Spread(self.variance, 0.0, np.inf, self.design_degrees)

    def at(self, index: int) -> Spread:
        """Return the spread of one of several estimates."""
        variance, skewness, effective, degrees = np.broadcast_arrays(
            self.variance, self.skewness, self.effective, self.design_degrees
        )
        return Spread(float(variance[index]), float(skewness[index]), float(effective[index]), float(degrees[index]))


def of_normal(variance: float, degrees: float) -> Spread:
    """Return the spread of an estimate whose variance is known as that of so many normal numbers less one."""
    return Spread(variance, 0.0, (degrees + 1) / NORMAL_KURTOSIS, degrees)


def joined(spreads: Sequence[Spread]) -> Spread:
    """Return the spreads of several estimates, or of groups of them, as one of arrays, shape (m,)."""
    of_each = (np.broadcast_arrays(one.variance, one.skewness, one.effective, one.design_degrees) for one in spreads)
    columns = zip(*([np.atleast_1d(part) for part in parts] for parts in of_each), strict=True)
    return Spread(*map(np.concatenate, columns))


def combined(parts: Sequence[Spread]) -> Spread:
    """Return the spread of a sum of independent parts, such as units and runs, with Satterthwaite's degrees.

    Third moments add up; the effective number is that of normal units of as many degrees.
    """
    if len(parts) == 1:
        return parts[0]
    unknown = next((part for part in parts if np.isinf(part.variance).any()), None)
    if unknown is not None:
        return unknown
    variance = np.sum([np.asarray(part.variance) for part in parts], axis=0)
    third = np.sum([part.skewness * np.asarray(part.variance) ** 1.5 for part in parts], axis=0)
    positive = np.where(variance > 0, variance, 1.0)
    shares = np.sum([(part.variance / positive) ** 2 / part.degrees for part in parts], axis=0)
    every = np.sum([part.degrees for part in parts], axis=0)
    degrees = np.divide(1.0, shares, out=np.array(every, dtype=np.float64), where=shares > 0)
    return Spread(variance, third / positive**1.5, (degrees + 1) / NORMAL_KURTOSIS, degrees)


class Leverage:
    """From what an estimate loses without each unit to influences, whose squares add up to an unbiased variance.

    With hᵢ = ℓᵢ/Σℓ the share of unit i in all sizes, uᵢ = (δ − δ₍ᵢ₎)·√(1 − hᵢ): for a mean of items in clusters the
    terms of the CR2 variance (Bell & McCaffrey 2002), unbiased where items are independent. Strata are centred
    separately, with n_h/(n_h − 1) in place of 1/(1 − hᵢ).

    Parameters
    ----------
    sizes : ndarray, shape (n,)
        ℓ, not negative.
    strata : ndarray of int, shape (n,), optional
    """

    def __init__(self, sizes: FloatArray, strata: AnyArray | None = None) -> None:
        self._share = sizes / sizes.sum() if sizes.any() else np.full(len(sizes), 1 / len(sizes))
        self._members: list[IntArray] = [] if strata is None else members_of(strata)

    @cached_property
    def _rest(self) -> FloatArray:
        """1 − h, of the largest unit without its rounding."""
        first = int(self._share.argmax())
        rest = 1 - self._share
        rest[first] = np.delete(self._share, first).sum()
        return rest

    @property
    def one_has_all(self) -> bool:
        """Whether one unit has all the size: without it there is no estimate."""
        return not self._members and float(self._rest.min()) == 0

    def influences(self, gaps: FloatArray) -> FloatArray:
        """Return u, shape (..., n), given δ − δ₍ᵢ₎."""
        if not self._members:
            return np.asarray(gaps * np.sqrt(self._rest))
        owed = gaps * (1 - self._share)  # (dᵢ − δℓᵢ)/Σℓ of a ratio
        values = np.zeros_like(owed)
        for members in self._members:
            n, own = len(members), owed[..., members]
            values[..., members] = (own - own.mean(axis=-1, keepdims=True)) * math.sqrt(n / (n - 1))
        return np.asarray(values)

    def spread(self, values: FloatArray) -> Spread:
        """Return the moments of influences, shape (..., n); of infinite variance where one unit has all the size."""
        if self.one_has_all:
            return _unknown(values.shape[:-1])
        largest = np.abs(values).max(axis=-1, initial=0.0)
        squares = (values / np.where(largest > 0, largest, 1.0)[..., None]) ** 2
        second = squares.sum(axis=-1)
        some = np.where(second > 0, second, 1.0)
        third = np.copysign(squares**1.5, values).sum(axis=-1)
        fourth = np.where(second > 0, (squares * squares).sum(axis=-1), 1.0)
        effective = np.where(second > 0, some**2 / fourth, 1.0)
        return Spread(second * largest**2, third / some**1.5, effective, self._design_degrees(squares))

    def _design_degrees(self, squares: FloatArray) -> float | FloatArray:
        """Return 1/(Σh² + (Σa)² − Σa²) with a = h²/(1 − h); with strata V²/Σ V_h²/(n_h − 1)."""
        if not self._members:
            return self.design_degrees
        parts = [(squares[..., members].sum(axis=-1), len(members) - 1) for members in self._members]
        whole = np.sum([part for part, _ in parts], axis=0)
        shares = np.sum([(part / np.where(whole > 0, whole, 1.0)) ** 2 / nu for part, nu in parts], axis=0)
        every = float(sum(nu for _, nu in parts))
        return np.asarray(np.divide(1.0, shares, out=np.full(np.shape(shares), every), where=shares > 0))

    @cached_property
    def design_degrees(self) -> float:
        """Satterthwaite's degrees of freedom from sizes, without strata."""
        if self.one_has_all:
            return _LEAST_DEGREES
        first = int(self._share.argmax())
        leverage = self._share**2 / self._rest
        others = np.delete(leverage, first)
        # (Σa)² − Σa², of which the largest square would leave nothing but its rounding.
        crossed = (2 * leverage[first] + others.sum()) * others.sum() - (others**2).sum()
        return 1 / float((self._share**2).sum() + crossed)


def spread_of_gaps(leverage: Leverage, gaps: FloatArray, tolerance: FloatArray | float) -> Spread:
    """Return the spread of estimates given δ − δ₍ᵢ₎, shape (..., n); influences within the tolerance are rounding.

    Of infinite variance where the estimate is not defined without some unit.
    """
    if not np.isfinite(gaps).all():
        return _unknown(gaps.shape[:-1])
    values = leverage.influences(gaps)
    return leverage.spread(np.where(np.abs(values) <= tolerance, 0.0, values))


def _unknown(shape: tuple[int, ...]) -> Spread:
    """Return the spread of estimates of which nothing tells how units differ."""
    return Spread(np.full(shape, math.inf), np.zeros(shape), np.ones(shape), _LEAST_DEGREES)


def spread_of(pair: AnyPair) -> Spread:
    """Return the spread of a pair's gain over its units.

    Cost: n scores, next to nothing for binary scores; n × n for metrics that are recomputed.
    """
    if pair.strata is None and pair.linear is not None:
        if pair.linear.steps is not None:
            return spread_of_steps(pair.n_units, *pair.linear.steps)
        if pair.equal_weights and pair.n_units > ONE_BLOCK:
            return _of_many(pair, pair.linear)
    return spread_of_gaps(Leverage(pair.sizes, pair.strata), pair.gain - pair.jackknife(), pair.tolerance)


def _of_many(pair: AnyPair, linear: SharedDenominators) -> Spread:
    """Return the moments of (dᵢ − δℓ)·√(1 − 1/n)/((n − 1)·ℓ), of very many units of one size ℓ."""
    n, size = pair.n_units, float(linear.shared[0])
    mean = pair.gain * size
    scale = math.sqrt(1 - 1 / n) / ((n - 1) * size)
    negligible = pair.tolerance / scale
    largest = max(max(float(linear.d[at].max()) - mean, mean - float(linear.d[at].min())) for at in blocks(n))
    if largest <= negligible:
        return Spread(0.0, 0.0, 1.0, float(n - 1))
    second = third = fourth = 0.0
    for at in blocks(n):
        off = linear.d[at] - mean
        off[np.abs(off) <= negligible] = 0.0
        off /= largest
        squares = off * off
        second += float(squares.sum())
        third += float(squares @ off)
        fourth += float(squares @ squares)
    return Spread(second * (largest * scale) ** 2, third / second**1.5, second**2 / fourth, float(n - 1))


def spread_of_steps(n: int, ups: int | IntArray, downs: int | IntArray) -> Spread:
    """Return the spread of means of n units that count +1, −1 or 0, by how many count what."""
    up, down = np.asarray(ups, dtype=np.float64), np.asarray(downs, dtype=np.float64)
    off = up - down
    second, third, fourth = (
        up * (n - off) ** power + down * (-n - off) ** power + (n - up - down) * (-off) ** power for power in (2, 3, 4)
    )
    some = second > 0
    scale = (1 - 1 / n) / (n * (n - 1.0)) ** 2
    skewness = np.where(some, third / np.where(some, second, 1.0) ** 1.5, 0.0)
    effective = np.where(some, second**2 / np.where(some, fourth, 1.0), 1.0)
    return Spread(second * scale, skewness, effective, float(n - 1))
