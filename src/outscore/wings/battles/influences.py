"""The influence of each user on the strengths, with p-values and intervals for contrasts of strengths."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.polynomial import Polynomial

from outscore._types import FloatArray, IntArray
from outscore.gains.influence import Spread, cr2_degrees, without_rounding
from outscore.gains.skewness import skew_p_values
from outscore.laws.executors import mapped_in_threads
from outscore.results import Alternative
from outscore.wings.battles.metric import TIE, Battles

if TYPE_CHECKING:
    from concurrent.futures import Executor

_FLAT = 0.1  # largest change of log odds for which the series has a relative error below 1e-9
_FURTHER = 4.0
_CELLS = 2**21  # number of log odds per block
_CACHED = 2**16  # values that fit into the cache
_HALVINGS, _MOST_STEPS = 60, 100
_CLOSE = 1e-11
_INFINITE = 1e9  # beyond all finite strengths


def _polynomials(count: int) -> list[Polynomial]:
    """Return R with p⁽ᵐ⁾/m! = p′R(1 − 2p), m = 1, ..., of the logistic function p."""
    z = Polynomial([0, 1])
    polynomials = [Polynomial([1])]
    for m in range(2, count + 1):
        polynomials.append((z * polynomials[-1] + (z**2 - 1) / 2 * polynomials[-1].deriv()) / m)
    return polynomials


_POLYNOMIALS = _polynomials(6)


class Influences:
    """The contribution of each unit to the strengths theta, shape (s,).

    For a contrast c of the strengths with value δ, other values δ₀ are tested along a = I⁻¹c, the direction in
    which the strengths otherwise change least. I is the information of all comparisons, and I_g that of unit g. The
    score equations aᵀS_g, wins less expected wins, sum to 0 at δ, and to E(δ₀) at δ₀. Unit g contributes u_g + ℓ_gE
    to E, with u_g its aᵀS_g at δ and ℓ_g = aᵀI_ga/aᵀIa its fraction of the information.
    """

    def __init__(self, battles: Battles, theta: FloatArray) -> None:
        from scipy.sparse import csr_array

        s = len(theta)
        cells, cell_of = np.unique(battles.first * s + battles.second, return_inverse=True)
        self._theta, (self._first, self._second) = theta, np.divmod(cells, s)
        k = len(cells)
        self._log_odds = theta[self._first] - theta[self._second]
        expected, missed = expit(self._log_odds), expit(-self._log_odds)
        keys, inverse = np.unique(battles.units * k + cell_of, return_inverse=True)
        owners, columns = np.divmod(keys, k)
        counts = np.bincount(inverse).astype(np.float64)
        residuals = np.bincount(inverse, battles.halves) / 2 - counts * expected[columns]
        self._scores = csr_array(
            (
                np.concatenate([residuals, -residuals]),
                (np.tile(owners, 2), np.concatenate([self._first[columns], self._second[columns]])),
            ),
            shape=(battles.n_units, s),
        )
        self._information = csr_array(
            (counts * (expected * missed)[columns], (owners, columns)),
            shape=(battles.n_units, k),
        )
        self._counts = np.bincount(cell_of).astype(np.float64)
        self._won, self._lost = self._counts * expected, self._counts * missed
        # p⁽ᵐ⁾/m! of the logistic function p, m = 1, ..., times the number of comparisons.
        self._series = (
            self._counts * expected * missed * np.array([polynomial(missed - expected) for polynomial in _POLYNOMIALS])
        )
        whole = np.zeros((s, s))
        whole[self._first, self._second] = self._information.sum(axis=0)
        whole += whole.T
        self._inverse = np.linalg.inv(np.diag(whole.sum(axis=1)) - whole + 1 / s)

    @cached_property
    def covariance(self) -> FloatArray:
        """The covariance of the strengths, shape (s, s)."""
        influences = self._scores @ self._inverse
        return np.asarray(influences.T @ influences)

    def tested(self, contrasts: FloatArray, alpha: float, executor: Executor | None) -> KnownContrasts:
        """Return p-values and intervals of contrasts of strengths, shape (c, s).

        Along a, most log odds change so little that a few terms of a series give the expected wins. The logistic
        function is computed only for the steep cells, mostly those of the two systems.
        """
        width = max(1, _CELLS // max(self._information.shape))
        blocks = [slice(start, start + width) for start in range(0, len(contrasts), width)]

        def equations_of(block: slice) -> _Equations:
            return self._equations(contrasts[block])

        equations = _Equations.joined(list(mapped_in_threads(executor, equations_of, blocks)))
        low, high = (equations.last_held(limit, alpha) for limit in (equations.low, equations.high))

        def values_of(block: slice) -> FloatArray:
            return self._values(contrasts[block], low[block], high[block])

        values = np.concatenate(list(mapped_in_threads(executor, values_of, blocks)), axis=1)
        return KnownContrasts(
            equations.p_values(values[0]),
            values[1],
            values[2],
            equations.effective,
            equations.variance,
            equations.p_values(values[0], cautious=True),
        )

    def _changes(self, along: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
        """Yield the changes of the log odds of some cells along a, given as (s, c)."""
        height = max(1, _CACHED // along.shape[1])
        for start in range(0, len(self._first), height):
            rows = slice(start, start + height)
            changes = along.take(self._first[rows], axis=0)
            changes -= along.take(self._second[rows], axis=0)
            yield rows, changes

    def _equations(self, contrasts: FloatArray) -> _Equations:
        along = self._inverse @ contrasts.T
        squares = np.empty((len(self._first), len(contrasts)))
        low, high = np.zeros((2, len(contrasts)))
        for rows, changes in self._changes(along):
            np.square(changes, out=squares[rows])
            up = np.maximum(changes, 0.0)
            down = up - changes
            low += self._won[rows] @ up + self._lost[rows] @ down
            high -= self._lost[rows] @ up + self._won[rows] @ down
        influences, sizes = (
            np.ascontiguousarray(np.asarray(product).T)
            for product in (self._scores @ along, self._information @ squares)
        )
        return _Equations(*_sums_and_degrees(influences, sizes), low, high)

    def _values(self, contrasts: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return E(0), and the values of contrasts with the excesses low and high, shape (3, c)."""
        along, values = self._inverse @ contrasts.T, contrasts @ self._theta
        results = np.array([np.zeros(len(values)), np.full(len(values), -np.inf), np.full(len(values), np.inf)])
        # E falls by 1 as δ₀ rises by 1, at δ.
        reach = np.maximum(np.abs(values), 2 * np.nanmax(np.abs([low, high, np.zeros(len(values))]), axis=0)) + TIE
        left = np.arange(len(values))
        while len(left):
            path = self._path(along[:, left], contrasts[left], values[left], reach[left])
            results[0, left] = path.excess(np.zeros(len(left)))[0]
            beyond = np.zeros(len(left), dtype=bool)
            for number, (wanted, side) in enumerate(((low, -1.0), (high, 1.0)), 1):
                is_finite = np.isfinite(wanted[left])
                at = path.value(np.where(is_finite, wanted[left], 0.0), side)
                results[number, left] = np.where(is_finite, at, side * np.inf)
                beyond |= is_finite & ~np.isfinite(at)
            left = left[beyond & (reach[left] < _INFINITE)]
            reach[left] *= _FURTHER
        return results

    def _path(self, along: FloatArray, contrasts: FloatArray, values: FloatArray, reach: FloatArray) -> _Path:
        c = len(values)
        variance = (along * contrasts.T).sum(axis=0)
        steepest = _FLAT * variance / reach
        moments = np.zeros((len(self._series), c))
        steep: list[tuple[IntArray, IntArray, FloatArray]] = []
        for rows, changes in self._changes(along):
            flat_indices = np.flatnonzero(np.abs(changes) > steepest)
            cells, columns = np.divmod(flat_indices, c)
            flat = changes.reshape(-1)
            steep.append((cells + rows.start, columns, flat[flat_indices]))
            flat[flat_indices] = 0.0
            power = np.square(changes)
            for moment, series in zip(moments, self._series[:, rows], strict=True):
                moment += series @ power
                power *= changes
        cells, columns, changed = (np.concatenate(parts) for parts in zip(*steep, strict=True))
        return _Path(
            values,
            reach,
            moments / variance ** np.arange(1, len(moments) + 1)[:, None],
            columns,
            self._log_odds[cells],
            self._counts[cells] * changed,
            changed / variance[columns],
        )


@dataclass(frozen=True, eq=False)
class KnownContrasts:
    """P-values and intervals of contrasts of strengths; `cautious` p-values enter corrections."""

    p_values: FloatArray
    low: FloatArray
    high: FloatArray
    effective: FloatArray
    variance: FloatArray
    cautious: FloatArray


@dataclass(frozen=True, eq=False)
class _Path:
    """Contrasts of strengths along directions a: the observed minus the expected wins, weighted by a."""

    values: FloatArray  # shape (c,): δ
    reach: FloatArray  # shape (c,): the series hold for values that differ from δ by no more
    # Shape (m, c): of all flat cells: −E is the polynomial of δ₀ − δ with these coefficients, from the first power on.
    moments: FloatArray
    columns: IntArray  # shape (e,): to which contrast each steep cell belongs
    # All of shape (e,): of the steep cells: the log odds at δ, the number of battles times what a win counts, and the
    # change of the log odds with δ₀.
    log_odds: FloatArray
    weights: FloatArray
    slopes: FloatArray

    @cached_property
    def _expected(self) -> FloatArray:
        return expit(self.log_odds)

    def excess(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return E(δ₀), shape (c,), and its decrease per unit of δ₀. It is 0 at δ."""
        by, c = values - self.values, len(values)
        then = expit(self.log_odds + by[self.columns] * self.slopes)
        excess = np.bincount(self.columns, self.weights * (self._expected - then), c)
        falls = np.bincount(self.columns, self.weights * self.slopes * then * (1 - then), c)
        series, slope = np.zeros((2, c))
        for moment in self.moments[::-1]:
            slope = slope * by + series
            series = series * by + moment
        return excess - series * by, falls + slope * by + series

    def value(self, wanted: FloatArray, side: float) -> FloatArray:
        """Return the δ₀ of an excess, shape (c,), on one side of δ, by Newton's method; ±∞ beyond the reach."""
        near, far = self.values, self.values + side * self.reach
        beyond = side * (self.excess(far)[0] - wanted) > 0
        at = np.where(beyond, near, self.values - wanted)
        for _ in range(_MOST_STEPS):
            excess, falls = self.excess(at)
            further = side * (excess - wanted) > 0
            near, far = np.where(further, at, near), np.where(further, far, at)
            with np.errstate(divide="ignore", invalid="ignore"):
                next_at = at + (excess - wanted) / falls
            within = (side * next_at >= side * near) & (side * next_at <= side * far)
            next_at = np.where(within, next_at, (near + far) / 2)
            moved = np.abs(next_at - at) > _CLOSE * np.maximum(1.0, np.abs(at))
            at = np.where(beyond, at, next_at)
            if not (moved & ~beyond).any():
                break
        return np.where(beyond, side * np.inf, at)


@dataclass(frozen=True, eq=False)
class _Equations:
    """The sums over units of products of u and ℓ that tests of contrasts need."""

    # Shape (12, c): sums of u², uℓ, ℓ², u³, ..., ℓ⁴. Both are divided by √(1 − ℓ), as for the CR2 variance
    # (`Leverage`).
    sums: FloatArray
    degrees: FloatArray  # shape (c,): of the design
    # Both of shape (c,): E(δ₀) as δ₀ goes to −∞, and to ∞.
    low: FloatArray
    high: FloatArray

    @classmethod
    def joined(cls, parts: Sequence[_Equations]) -> _Equations:
        """Concatenate several blocks of contrasts."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts], axis=-1) for field in fields(cls)))

    @property
    def variance(self) -> FloatArray:
        return np.asarray(self.sums[0])

    @property
    def effective(self) -> FloatArray:
        """The effective numbers of units at δ."""
        return np.asarray(self.spread(np.zeros(len(self.degrees))).effective)

    def spread(self, excess: FloatArray) -> Spread:
        """Return the spread of E, with the skewness and effective number of the units' contributions at δ₀.

        For a nearly undefeated system, few units have any loss at δ. If fewer wins are expected, all units contribute.
        """
        e, (two, three, four) = excess, np.split(self.sums, [3, 7])
        second = two[0] + e * (2 * two[1] + e * two[2])
        third = three[0] + e * (3 * three[1] + e * (3 * three[2] + e * three[3]))
        fourth = four[0] + e * (4 * four[1] + e * (6 * four[2] + e * (4 * four[3] + e * four[4])))
        return replace(Spread.of_sums(second, third, fourth, self.degrees), error=np.sqrt(self.variance))

    def p_values(self, excess: FloatArray, *, cautious: bool = False) -> FloatArray:
        """Return the two-sided p-values of null values δ₀ from E(δ₀). Without variance, p is 1 if E = 0, else 0."""
        spread = replace(self.spread(excess), cautious=cautious)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(excess == 0, 0.0, excess / spread.error)
        return skew_p_values(t, spread, Alternative.TWO_SIDED)

    def last_held(self, limit: FloatArray, alpha: float) -> FloatArray:
        """Return the largest |E|, up to its limit and with its sign, that is not rejected; NaN if none is rejected.

        √(−ln p) is nearly linear in E, so that most steps are those of the secant; every third one halves.
        """
        near, far, at = np.zeros(len(limit)), limit.copy(), np.full(len(limit), np.nan)
        wanted = math.sqrt(-math.log(alpha))
        below, above = np.full(len(limit), -wanted), np.full(len(limit), np.inf)
        left = np.arange(len(limit))
        for step in range(_HALVINGS):
            share = -below[left] / (above[left] - below[left])
            share = np.where((share > 0) & (share < 1) & (step % 3 < 2), share, 0.5)
            tried = near[left] + (far[left] - near[left]) * share
            some = replace(self, sums=self.sums[:, left], degrees=self.degrees[left])
            with np.errstate(divide="ignore"):
                miss = np.sqrt(-np.log(some.p_values(tried))) - wanted
            held, at[left] = miss < 0, tried
            near[left], below[left] = np.where(held, (tried, miss), (near[left], below[left]))
            far[left], above[left] = np.where(held, (far[left], above[left]), (tried, miss))
            left = left[np.abs(miss) > _CLOSE / 100]
            if not len(left):
                break
        return np.where(far == limit, np.nan, at)


def _sums_and_degrees(influences: FloatArray, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the sums of `_Equations`, and the degrees of freedom of the design (`Leverage`), from shape (c, n).

    The variance is infinite if one unit contributes everything.
    """
    sums, degrees = np.empty((12, len(sizes))), np.empty(len(sizes))
    height = max(1, _CACHED // sizes.shape[1])
    for start in range(0, len(sizes), height):
        some = slice(start, start + height)
        sums[:, some], degrees[some] = _of_some(influences[some], sizes[some])
    return sums, degrees


def _of_some(influences: FloatArray, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
    share = sizes / sizes.sum(axis=1, keepdims=True)
    rest = without_rounding(share)
    alone = (rest <= TIE).any(axis=1)
    rest[alone] = 1.0
    root = np.sqrt(rest)
    u, size = np.where(np.abs(influences) <= TIE, 0.0, influences) / root, share / root
    uu, us, ss = u * u, u * size, size * size
    pairs = [(u, u), (u, size), (size, size), (u, uu), (u, us), (u, ss), (size, ss)]
    pairs += [(uu, uu), (uu, us), (us, us), (us, ss), (ss, ss)]
    sums = np.array([np.einsum("cn,cn->c", left, right) for left, right in pairs])
    sums[:, alone] = np.array([math.inf, *[0.0] * 11])[:, None]
    return sums, np.where(alone, 1.0, cr2_degrees(share, rest))


def expit(log_odds: FloatArray) -> FloatArray:
    """Return the probabilities of log odds."""
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-log_odds)))
