"""The influence of each unit on a gain or a score, and the moments of these influences."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import numpy as np

from outscore._types import AnyArray, BoolArray, FloatArray, IntArray
from outscore.data.blocks import blocks
from outscore.data.strata import members_of

# docs/calibration.md: from this number of units the bootstrap keeps a level of 5%, or of 1%.
_ENOUGH_UNITS, _ENOUGH_UNITS_AT_ONE_PERCENT = 50, 100
ENOUGH_DIFFERING = 10  # the same, for units on which systems differ
NORMAL_KURTOSIS = 3.0  # n normal units have an effective number of n/3
_LEAST_DEGREES = 1.0
# A stratum of 3 units shows 41% of its skewness, one of 8 shows 80%. With fewer than 10 in the smallest stratum, the
# lower threshold of skewness rejects 1 to 2 points less of true nulls and costs 0.4 to 2.8 points of power.
FEW_IN_STRATUM = 10


def enough_units(alpha: float) -> int:
    """Return the number of effective units from which the bootstrap keeps a level of alpha."""
    return _ENOUGH_UNITS if alpha > 0.01 else _ENOUGH_UNITS_AT_ONE_PERCENT


def effective_units(sizes: FloatArray) -> float:
    """Return Kish's effective number of units, (Σℓ)²/Σℓ²: n for equal sizes, near 1 if one unit dominates."""
    largest = float(sizes.max(initial=0.0))
    if largest == 0 or sizes.min() == largest:
        return float(len(sizes))
    shares = sizes / largest
    return float(shares.sum() ** 2 / (shares @ shares))


def largest_share(sizes: FloatArray) -> float:
    """Return the largest size divided by the sum of all; 0 if all are 0."""
    whole = float(sizes.sum())
    return float(sizes.max(initial=0.0)) / whole if whole > 0 else 0.0


@dataclass(frozen=True, eq=False)
class Spread:
    """The moments of estimates over units. All are numbers, or arrays of one shape with one entry per estimate.

    Attributes
    ----------
    error : float or ndarray
        √V with V = Σ uᵢ², the standard error. Infinite if one unit has all the weight, because the variance between
        units is then unknown. V itself would overflow for scores of 10¹⁶⁰.
    skewness : float or ndarray
        κ = Σ uᵢ³ / V^1.5, the skewness of the estimate; 0 if V is 0.
    effective : float or ndarray
        m = V² / Σ uᵢ⁴: the effective number of units with the variance; 1 if one unit has all of it.
    design_degrees : float or ndarray
        Satterthwaite's degrees of freedom of V from the design: sizes of units, strata.
    cautious : bool or ndarray of bool
        Whether the test also corrects for skewness that may be chance: in strata of few units, and in corrected
        p-values of many pairs, whose tails are so far out that small skewness counts.
    """

    error: float | FloatArray
    skewness: float | FloatArray
    effective: float | FloatArray
    design_degrees: float | FloatArray
    cautious: bool | BoolArray = False

    @classmethod
    def of_sums(
        cls,
        second: float | FloatArray,
        third: float | FloatArray,
        fourth: float | FloatArray,
        design_degrees: float | FloatArray,
        unit: float | FloatArray = 1.0,
        *,
        cautious: bool | BoolArray = False,
    ) -> Spread:
        """Return the spread with these sums of powers of influences, which are in multiples of `unit`."""
        # Fourth powers underflow before squares do. Then the spread is too small to have a shape.
        some = (np.asarray(second) > 0) & (np.asarray(fourth) > 0)
        square = np.where(some, second, 1.0)
        skewness = np.where(some, third / square**1.5, 0.0)
        effective = np.where(some, square**2 / np.where(some, fourth, 1.0), 1.0)
        return cls(np.sqrt(second) * unit, skewness, effective, design_degrees, cautious)

    @property
    def variance(self) -> FloatArray:
        """V."""
        return np.square(self.error)

    @property
    def degrees(self) -> FloatArray:
        """min(ν of the design, 3m − 1), at least 1: degrees of freedom of V if the units were normal."""
        normal_degrees = NORMAL_KURTOSIS * np.asarray(self.effective) - 1
        return np.maximum(np.minimum(self.design_degrees, normal_degrees), _LEAST_DEGREES)

    @property
    def plain(self) -> Spread:
        """The spread without skewness, and with the design's degrees of freedom."""
        return Spread(self.error, 0.0, np.inf, self.design_degrees)

    def at(self, index: int) -> Spread:
        """Return the spread of one of several estimates."""
        error, skewness, effective, degrees, cautious = (part[index] for part in np.broadcast_arrays(*_parts(self)))
        return Spread(float(error), float(skewness), float(effective), float(degrees), bool(cautious))


def _parts(spread: Spread) -> tuple[AnyArray, ...]:
    return tuple(np.asarray(getattr(spread, part.name)) for part in fields(spread))


def _added(parts: Sequence[float | FloatArray]) -> FloatArray:
    return np.asarray(np.sum(np.asarray(parts), axis=0))


def satterthwaite(
    parts: Sequence[tuple[float | FloatArray, float | FloatArray]],
    whole: float | FloatArray | None = None,
    added: Callable[[Sequence[float | FloatArray]], float | FloatArray] = _added,
) -> FloatArray:
    """Return whole²/Σ part²/ν, after Satterthwaite (1946); Σ ν if the variance is 0.

    `parts` are variances with their degrees of freedom, `whole` is the total variance, by default their sum, and
    `added` the sum function: `math.fsum` gives the same result in any order.

    Examples
    --------
    >>> float(satterthwaite([(1.0, 4.0), (1.0, 4.0)]))
    8.0
    """
    whole = np.asarray(added([part for part, _ in parts]) if whole is None else whole)
    positive = np.where(whole > 0, whole, 1.0)
    with np.errstate(invalid="ignore"):  # for infinite variances
        shares = np.asarray(added([(part / positive) ** 2 / nu for part, nu in parts]))
    every = np.broadcast_to(np.asarray(added([nu for _, nu in parts]), dtype=np.float64), shares.shape)
    return np.asarray(np.divide(1.0, shares, out=every.copy(), where=(shares > 0) & (whole > 0)))


def without_rounding(shares: FloatArray) -> FloatArray:
    """Return 1 − h of each unit, given the units' proportions h of all sizes, shape (..., n).

    For the largest unit it is the sum of the others, because 1 − h would be mostly rounding error for h near 1.
    """
    rest = 1 - shares
    largest = shares.argmax(axis=-1)[..., None]
    others = shares.copy()
    np.put_along_axis(others, largest, 0.0, axis=-1)
    np.put_along_axis(rest, largest, others.sum(axis=-1, keepdims=True), axis=-1)
    return np.asarray(rest)


def cr2_degrees(shares: FloatArray, rest: FloatArray, times: FloatArray | None = None) -> FloatArray:
    """Return Satterthwaite's degrees of freedom of CR2, 1/(Σh² + (Σa)² − Σa²) with a = h²/(1 − h), shape (...).

    `shares` is h and `rest` 1 − h, nowhere 0, `times` how often each unit occurs, once by default, shape (..., n) each.
    """
    a = shares**2 / rest
    times = np.ones_like(a) if times is None else times
    largest = np.where(times > 0, a, 0.0).argmax(axis=-1)[..., None]
    most = np.take_along_axis(a, largest, axis=-1)[..., 0]
    others = np.array(times, dtype=np.float64)
    np.put_along_axis(others, largest, np.take_along_axis(others, largest, axis=-1) - 1, axis=-1)
    less = (others * a).sum(axis=-1)
    # (Σa)² − Σa², without subtracting the largest square, which would leave only rounding error.
    crossed = (2 * most + less) * less - (others * a * a).sum(axis=-1)
    return np.asarray(1 / ((times * shares * shares).sum(axis=-1) + crossed))


def of_normal(variance: float, degrees: float) -> Spread:
    """Return the spread of an estimate with a known variance and the degrees of freedom of a normal sample."""
    return Spread(np.sqrt(variance), 0.0, (degrees + 1) / NORMAL_KURTOSIS, degrees)


def joined(spreads: Sequence[Spread]) -> Spread:
    """Return several spreads as one, whose fields are arrays with one entry per estimate, shape (m,)."""
    of_each = (np.broadcast_arrays(*_parts(spread)) for spread in spreads)
    columns = zip(*([np.atleast_1d(part) for part in parts] for parts in of_each), strict=True)
    return Spread(*map(np.concatenate, columns))


def combined(parts: Sequence[Spread]) -> Spread:
    """Return the spread of a sum of independent parts, such as units and runs, with Satterthwaite's degrees.

    Third and fourth cumulants add up, so that 1/m = Σ (V_c/V)²/m_c.
    """
    if len(parts) == 1:
        return parts[0]
    # An infinite variance is the whole, and shares of it are NaN.
    unknown = next((part for part in parts if np.isinf(part.error).any()), None)
    if unknown is not None:
        return unknown
    # Relative to the largest part: squares of standard errors of 1e160 would overflow.
    largest = np.max([np.asarray(part.error) for part in parts], axis=0)
    squares = [np.square(part.error / np.where(largest > 0, largest, 1.0)) for part in parts]
    whole = np.sum(squares, axis=0)
    shares = [square / np.where(whole > 0, whole, 1.0) for square in squares]
    skewness = np.sum([share**1.5 * part.skewness for share, part in zip(shares, parts, strict=True)], axis=0)
    rarity = np.sum([share**2 / part.effective for share, part in zip(shares, parts, strict=True)], axis=0)
    effective = np.divide(1.0, rarity, out=np.full(np.shape(rarity), np.inf), where=rarity > 0)
    # Each part keeps the degrees of its design. Those of few effective units follow from `effective`
    # (`Spread.degrees`).
    degrees = satterthwaite([(share, part.design_degrees) for share, part in zip(shares, parts, strict=True)])
    cautious = np.any(np.broadcast_arrays(*(part.cautious for part in parts)), axis=0)
    return Spread(largest * np.sqrt(whole), skewness, np.where(whole > 0, effective, 1.0), degrees, cautious)


class Leverage:
    """Influences from leave-one-out estimates, scaled so that their squares add up to an unbiased variance.

    With hᵢ = ℓᵢ/Σℓ the proportion of unit i in all sizes, uᵢ = (δ − δ₍ᵢ₎)·√(1 − hᵢ). For a mean of items in clusters
    these are the terms of the CR2 variance (Bell & McCaffrey 2002), which is unbiased if items are independent. Strata
    are centred separately, with n_h/(n_h − 1) instead of 1/(1 − hᵢ).

    Parameters
    ----------
    sizes : ndarray, shape (n,)
        ℓ, not negative.
    strata : ndarray of int, shape (n,), optional
        Codes of the units' strata.

    Attributes
    ----------
    one_has_all : bool
        Whether one unit has all the weight, so that the estimate is undefined without it.
    design_degrees : float
        Satterthwaite's degrees of freedom from sizes, without strata.
    """

    one_has_all = False

    def __init__(self, sizes: FloatArray, strata: AnyArray | None = None) -> None:
        self._share = sizes / sizes.sum() if sizes.any() else np.full(len(sizes), 1 / len(sizes))
        self._members: list[IntArray] = [] if strata is None else members_of(strata)
        self.design_degrees = _LEAST_DEGREES
        # Without strata the sample shows its own skewness. Many strata of few units hide it, however many units there
        # are.
        self.cautious = min(map(len, self._members), default=FEW_IN_STRATUM) < FEW_IN_STRATUM
        if strata is None:
            self._rest = without_rounding(self._share)  # 1 − h
            self.one_has_all = float(self._rest.min()) == 0
            if not self.one_has_all:
                self.design_degrees = float(cr2_degrees(self._share, self._rest))

    def influences(self, gaps: FloatArray) -> FloatArray:
        """Return u, shape (..., n), given δ − δ₍ᵢ₎."""
        if not self._members:
            return np.asarray(gaps * np.sqrt(self._rest))
        owed = gaps * (1 - self._share)  # (dᵢ − δℓᵢ)/Σℓ of a ratio
        values = np.zeros_like(owed)
        for members in self._members:
            n, members_owed = len(members), owed[..., members]
            values[..., members] = (members_owed - members_owed.mean(axis=-1, keepdims=True)) * math.sqrt(n / (n - 1))
        return np.asarray(values)

    def spread(self, values: FloatArray) -> Spread:
        """Return the moments of influences, shape (..., n), with infinite variance if one unit has all the weight."""
        if self.one_has_all:
            return _unknown(values.shape[:-1])
        # Relative to the largest influence: fourth powers of influences of 1e-90 would underflow.
        largest = np.abs(values).max(axis=-1, initial=0.0)
        squares = (values / np.where(largest > 0, largest, 1.0)[..., None]) ** 2
        third = np.copysign(squares**1.5, values).sum(axis=-1)
        sums = squares.sum(axis=-1), third, (squares * squares).sum(axis=-1)
        degrees: float | FloatArray
        if self._members:
            parts = [(squares[..., members].sum(axis=-1), len(members) - 1) for members in self._members]
            degrees = satterthwaite(parts)
        else:
            degrees = self.design_degrees
        return Spread.of_sums(*sums, degrees, largest, cautious=self.cautious)


def spread_of_gaps(leverage: Leverage, gaps: FloatArray, tolerance: FloatArray | float) -> Spread:
    """Return the spread of estimates given δ − δ₍ᵢ₎, shape (..., n); influences within the tolerance count as 0.

    The variance is infinite if the estimate is undefined without some unit.
    """
    if not np.isfinite(gaps).all():
        return _unknown(gaps.shape[:-1])
    values = leverage.influences(gaps)
    return leverage.spread(np.where(np.abs(values) <= tolerance, 0.0, values))


def _unknown(shape: tuple[int, ...]) -> Spread:
    """Return the spread of estimates whose variance is unknown."""
    return Spread(np.full(shape, math.inf), np.zeros(shape), np.ones(shape), _LEAST_DEGREES)


def spread_of_many(d: FloatArray, size: float, gain: float, tolerance: float) -> Spread:
    """Return the moments of (dᵢ − δℓ)·√(1 − 1/n)/((n − 1)·ℓ), for very many units of one size ℓ."""
    n, mean = len(d), gain * size
    scale = math.sqrt(1 - 1 / n) / ((n - 1) * size)
    negligible = tolerance / scale
    # Block by block, since each array of all units would have to be fetched from memory again.
    largest = max(max(float(d[at].max()) - mean, mean - float(d[at].min())) for at in blocks(n))
    if largest <= negligible:
        return Spread(0.0, 0.0, 1.0, float(n - 1))
    second = third = fourth = 0.0
    for at in blocks(n):
        off = d[at] - mean
        off[np.abs(off) <= negligible] = 0.0
        off /= largest
        squares = off * off
        second += float(squares.sum())
        third += float(squares @ off)
        fourth += float(squares @ squares)
    return Spread.of_sums(second, third, fourth, float(n - 1), largest * scale)


def spread_of_steps(n: int, ups: int | IntArray, downs: int | IntArray) -> Spread:
    """Return the spread of means of n units of +1, −1 or 0, given the numbers of +1 and −1."""
    up, down = np.asarray(ups, dtype=np.float64), np.asarray(downs, dtype=np.float64)
    # Deviations from the mean are multiplied by n, which makes them whole. So squares are exact up to about 100,000
    # units, and a pair of systems has the same digits in every command.
    off = up - down
    second, third, fourth = (
        up * (n - off) ** power + down * (-n - off) ** power + (n - up - down) * (-off) ** power for power in (2, 3, 4)
    )
    return Spread.of_sums(second, third, fourth, float(n - 1), math.sqrt(1 - 1 / n) / (n * (n - 1.0)))
