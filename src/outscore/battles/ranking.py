"""Battles ranked: strengths by Bradley and Terry's maximum likelihood, with users resampled whole.

The battles of one user share their taste, so that users are the units, not battles. P-values and intervals are those of
the t-test corrected for skewness (`SkewT`), from the influences of users on the strengths. Users are resampled for
P(best), and to see how often a difference of two strengths is infinite.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.polynomial import Polynomial

from outscore._types import AnyArray, FloatArray, IntArray
from outscore._version import __version__
from outscore.battles.metric import BRADLEY_TERRY, connected, parts_of, reachable, strengths
from outscore.errors import DataError, NotApplicableError, OptionError, Problem
from outscore.gains.gain_laws import Resampling
from outscore.gains.influence import Spread, cr2_degrees, without_rounding
from outscore.gains.score_draws import Pairs
from outscore.gains.skewness import skew_statistic
from outscore.laws.executors import mapped_in_threads
from outscore.laws.resampling import BootstrapScheme, Engine
from outscore.laws.resampling.schemes import Weights
from outscore.laws.student import student_p_values
from outscore.options import leave_out, opt
from outscore.questions.ranks.groups import FALSE_DISCOVERY_WARNING, ranked_systems
from outscore.questions.ranks.inquiry import RankingSettings
from outscore.questions.ranks.max_t import NormalDraws, max_t
from outscore.questions.signatures import joined
from outscore.results import (
    Alternative,
    Correction,
    Estimator,
    Interval,
    IntervalMethod,
    Method,
    RankedPair,
    Ranking,
    Ties,
)
from outscore.significance.auto import Auto
from outscore.significance.intervals import agreeing_ends
from outscore.significance.p_values import benjamini_hochberg, holm
from outscore.significance.t_tests import SkewT
from outscore.text.naming import printable, quoted

if TYPE_CHECKING:
    from concurrent.futures import Executor

_FEWEST_UNITS = 5
_FEWEST_RESAMPLES = 20
_MEASURED_MAX_T = 10  # units from which on max-T was measured
_TIE = 1e-10  # a smaller difference of two strengths is what Newton's method leaves
_HALVINGS, _MOST_STEPS = 60, 100
_CLOSE = 1e-11
_FLAT = 0.1  # changes of log odds for which the series has an error below 1e-9 of the change of the expected wins
_FURTHER = 4.0
_INFINITE = 1e9  # beyond all finite strengths
_MOST_DENSE = 2**22  # win counts of all units; more are held as the few that are not 0
_BLOCK = 2**22  # weights, or cells of matrices, at once
_CELLS = 2**21  # changes of log odds at once
_CACHED = 2**16  # numbers that a processor keeps close
_MOST_NAMED = 3


def _polynomials(count: int) -> list[Polynomial]:
    """Return R with p⁽ᵐ⁾/m! = p′R(1 − 2p), m = 1, ..., of the logistic function p."""
    z = Polynomial([0, 1])
    found = [Polynomial([1])]
    for m in range(2, count + 1):
        found.append((z * found[-1] + (z**2 - 1) / 2 * found[-1].deriv()) / m)
    return found


_POLYNOMIALS = _polynomials(6)


@dataclass(frozen=True, eq=False)
class Battles:
    """Battles between systems, in an order that does not depend on that of the table.

    Attributes
    ----------
    source : str
        Where they come from, for messages.
    systems : tuple of str
        Names, sorted.
    first, second : ndarray of int, shape (n,)
        The systems of each battle, by their places: first < second.
    halves : ndarray of int, shape (n,)
        Twice what the first one got: 2 won, 1 tie, 0 lost.
    units : ndarray of int, shape (n,)
        Whose each battle is, from 0: users in the order of their names, or of battles by themselves each its own.
    unit : str
        "cluster" where users are known, else "battle".
    families : tuple of str or None
        One a system.
    """

    source: str
    systems: tuple[str, ...]
    first: IntArray
    second: IntArray
    halves: IntArray
    units: IntArray
    unit: str
    families: tuple[str | None, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.halves)

    @property
    def n_units(self) -> int:
        return int(self.units.max()) + 1

    @cached_property
    def wins(self) -> FloatArray:
        """The matrix of wins, shape (s, s), ties half and half: of the system of a row over that of a column."""
        s = len(self.systems)
        flat = np.bincount(self.first * s + self.second, self.halves, s * s)
        flat += np.bincount(self.second * s + self.first, 2 - self.halves, s * s)
        return flat.reshape(s, s) / 2

    @cached_property
    def outcomes(self) -> IntArray:
        """How often the system of a row lost to that of a column, tied with it, and won: shape (3, s, s)."""
        s = len(self.systems)
        one = np.bincount((self.halves * s + self.first) * s + self.second, minlength=3 * s * s).reshape(3, s, s)
        return np.asarray(one + one[::-1].transpose(0, 2, 1))


def rank_battles(battles: Battles, settings: RankingSettings) -> Ranking:
    """Return the ranking of systems by their battles.

    Null hypothesis of every pair: over the population of users both have one strength. The score of a system is its
    strength, the gain of a pair a difference of two, with mean 0 over systems: natural logarithms of odds. An end of an
    interval is infinite where at least α/2 of the resamples put no bound on that side.

    Parameters
    ----------
    battles : Battles
    settings : RankingSettings
        Test, alternative, interval and the like are what they are: others are refused.

    Raises
    ------
    DataError
        Systems without strengths, as some of them won or lost all battles with the others; fewer than 5 units.
    OptionError, NotApplicableError
        A setting that battles have not.

    Notes
    -----
    Cost: one product of the units' counts and r weights, and some 5 solutions of s equations per resample. Per pair of
    systems 10 ns per pair of systems that met, 30 per unit, and 1 per unit and pair of systems that it compared.
    Memory: 8rs bytes, 256 per unit, and 0.4 GB at most.
    """
    _refuse(settings)
    _check(battles)
    theta = strengths(battles.wins[None])[0]
    order: IntArray = np.array(sorted(range(len(theta)), key=lambda i: (-round(theta[i] / _TIE), i)))
    names = [battles.systems[i] for i in order]
    families = [battles.families[i] if battles.families else None for i in order]
    s, alpha, resampling = len(names), settings.alpha, settings.resampling
    scores, drawn = theta[order], _Drawn(battles, theta, order, resampling)
    better, worse = np.triu_indices(s, 1)
    gains = scores[better] - scores[worse]
    gains[gains <= _TIE * max(1.0, float(np.ptp(theta)))] = 0.0
    influences, test = _Influences(battles, theta), SkewT()

    contrasts = np.eye(s)[order]
    known = influences.known(contrasts[better] - contrasts[worse], alpha, resampling.executor)
    alike = (known.variance == 0) & (gains > 0)  # the sign test of all units
    p_values = np.where(alike, math.ldexp(1.0, 1 - battles.n_units), np.where(gains == 0, 1.0, known.p_values))
    p_values = np.maximum(p_values, float(np.finfo(np.float64).tiny))
    infinite_below, infinite_above = drawn.infinite_differences(better, worse)
    p_values = np.maximum(p_values, np.minimum(2 * infinite_below, 1.0))
    low = np.where(alike | (infinite_below >= alpha / 2), -np.inf, known.low)
    high = np.where(alike | (infinite_above >= alpha / 2), np.inf, known.high)
    low, high = agreeing_ends(low, high, gains, 0.0, p_values, alpha)
    correction = settings.correction
    if correction is None:
        correction = Correction.MAX_T if settings.max_t and battles.n_units >= _MEASURED_MAX_T else Correction.HOLM
    corrected = None
    if settings.max_t:
        corrected = max_t(
            p_values,
            Pairs(better, worse, gains, np.full(len(gains), _TIE)),
            NormalDraws(influences.covariance[np.ix_(order, order)], resampling.seed),
            known.effective,
            two_sided=True,
            alpha=alpha,
            most=resampling.n_resamples,
            executor=resampling.executor,
        )
    adjusted_holm, adjusted_bh = holm(p_values.tolist()), benjamini_hochberg(p_values.tolist())
    lost, tied, won = battles.outcomes[:, order][:, :, order]
    pairs = []
    for index, (i, j) in enumerate(zip(better.tolist(), worse.tolist(), strict=True)):
        gain, p = float(gains[index]), float(p_values[index])
        grouped = families[i] is not None and families[j] is not None
        pairs.append(
            RankedPair(
                baseline=names[j],
                candidate=names[i],
                gain=gain,
                interval=Interval(float(low[index]), float(high[index]), 1 - alpha, test.name, exact=False),
                wins=int(won[i, j]),
                ties=int(tied[i, j]),
                losses=int(lost[i, j]),
                p_value=p,
                p_holm=adjusted_holm[index],
                p_bh=adjusted_bh[index],
                p_maxt=None if corrected is None else float(corrected.p_values[index]),
                exact=False,
                n_exceeding=None,
                p_value_low=p,
                p_value_high=p,
                other_p_values={},
                same_family=families[i] == families[j] if grouped else None,
                computation="asymptotic",
                p_beats=float(1 / (1 + np.exp(-gain))),
            )
        )
    better_than = np.zeros((s, s), dtype=bool)
    for i, j, pair in zip(better.tolist(), worse.tolist(), pairs, strict=True):
        better_than[i, j] = pair.gain > 0 and pair.corrected(correction) <= alpha
    of_strengths = influences.known(contrasts - 1 / s, alpha, resampling.executor)
    below, above = drawn.infinite_strengths
    ends = (
        np.where(below >= alpha / 2, -np.inf, of_strengths.low),
        np.where(above >= alpha / 2, np.inf, of_strengths.high),
    )
    intervals = [
        Interval(float(below), float(above), 1 - alpha, test.name, exact=False)
        for below, above in zip(*ends, strict=True)
    ]
    gain_matrix = np.zeros((s, s))
    gain_matrix[better, worse] = gains
    return Ranking(
        metric=BRADLEY_TERRY,
        n_items=len(battles),
        n_units=battles.n_units,
        tests=(test.name,),
        alternative=Alternative.TWO_SIDED,
        correction=correction,
        alpha=alpha,
        systems=ranked_systems(names, families, scores, gain_matrix, better_than, intervals, drawn.shares_of_best),
        pairs=tuple(pairs),
        n_resamples=resampling.n_resamples,
        seed=resampling.seed,
        signature=joined(
            test=test.name,
            alternative=Alternative.TWO_SIDED.value,
            r=resampling.n_resamples,
            n=battles.n_units,
            unit=battles.unit,
            seed=resampling.seed,
            metric=BRADLEY_TERRY.spec,
            systems=s,
            correction=correction.value,
            maxt=f"r={corrected.n_draws}" if correction is Correction.MAX_T and corrected is not None else None,
            version=__version__,
        ),
        version=__version__,
        warnings=tuple(_warnings(battles, drawn, known.variance, correction)),
    )


class _Influences:
    """What each unit contributes to the strengths.

    Of a contrast c of the strengths, with value δ, other values δ₀ are tested along a = I⁻¹c, the direction in which
    the strengths change least else. I is the information of all battles, and I_g that of unit g. The score equations
    aᵀS_g, wins less expected wins, add up to 0 at δ, and to E(δ₀) at δ₀. To E unit g contributes u_g + ℓ_gE, with u_g
    its aᵀS_g at δ and ℓ_g = aᵀI_ga/aᵀIa its share of the information.

    Parameters
    ----------
    battles : Battles
    theta : ndarray, shape (s,)
        The strengths.
    """

    def __init__(self, battles: Battles, theta: FloatArray) -> None:
        from scipy.sparse import csr_array

        s = len(theta)
        cells, places = np.unique(battles.first * s + battles.second, return_inverse=True)
        self._theta, (self._first, self._second) = theta, np.divmod(cells, s)
        k = len(cells)
        self._log_odds = theta[self._first] - theta[self._second]
        expected, missed = _expit(self._log_odds), _expit(-self._log_odds)
        keys, inverse = np.unique(battles.units * k + places, return_inverse=True)
        owners, own = np.divmod(keys, k)
        counts = np.bincount(inverse).astype(np.float64)
        residuals = np.bincount(inverse, battles.halves) / 2 - counts * expected[own]
        self._scores = csr_array(
            (
                np.concatenate([residuals, -residuals]),
                (np.tile(owners, 2), np.concatenate([self._first[own], self._second[own]])),
            ),
            shape=(battles.n_units, s),
        )
        self._information = csr_array(
            (counts * (expected * missed)[own], (owners, own)),
            shape=(battles.n_units, k),
        )
        self._counts = np.bincount(places).astype(np.float64)
        self._won, self._lost = self._counts * expected, self._counts * missed
        # p⁽ᵐ⁾/m! of the logistic function p, m = 1, ..., times the number of battles.
        self._series = self._counts * expected * missed * np.array([of(missed - expected) for of in _POLYNOMIALS])
        whole = np.zeros((s, s))
        whole[self._first, self._second] = self._information.sum(axis=0)
        whole += whole.T
        self._inverse = np.linalg.inv(np.diag(whole.sum(axis=1)) - whole + 1 / s)

    @cached_property
    def covariance(self) -> FloatArray:
        """The covariance of the strengths, shape (s, s)."""
        influences = self._scores @ self._inverse
        return np.asarray(influences.T @ influences)

    def known(self, contrasts: FloatArray, alpha: float, executor: Executor | None) -> _Known:
        """Return what is known of contrasts of strengths, shape (c, s).

        Along a, most log odds change so little that a few terms of a series give the expected wins. The logistic
        function is computed only of the steep cells, mostly those of the two systems.
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
        return _Known(equations.p_values(values[0]), values[1], values[2], equations.effective, equations.variance)

    def _changes(self, along: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
        """Yield by how much the log odds of some cells change along a, given as (s, c)."""
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
            np.ascontiguousarray(np.asarray(of).T) for of in (self._scores @ along, self._information @ squares)
        )
        return _Equations(*_sums_and_degrees(influences, sizes), low, high)

    def _values(self, contrasts: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return E(0), and the values of contrasts with the excesses low and high, shape (3, c)."""
        along, values = self._inverse @ contrasts.T, contrasts @ self._theta
        found = np.array([np.zeros(len(values)), np.full(len(values), -np.inf), np.full(len(values), np.inf)])
        # E falls by 1 where δ₀ rises by 1, at δ.
        reach = np.maximum(np.abs(values), 2 * np.nanmax(np.abs([low, high, np.zeros(len(values))]), axis=0)) + _TIE
        left = np.arange(len(values))
        while len(left):
            path = self._path(along[:, left], contrasts[left], values[left], reach[left])
            found[0, left] = path.excess(np.zeros(len(left)))[0]
            beyond = np.zeros(len(left), dtype=bool)
            for place, (wanted, side) in enumerate(((low, -1.0), (high, 1.0)), 1):
                known = np.isfinite(wanted[left])
                at = path.value(np.where(known, wanted[left], 0.0), side)
                found[place, left] = np.where(known, at, side * np.inf)
                beyond |= known & ~np.isfinite(at)
            left = left[beyond & (reach[left] < _INFINITE)]
            reach[left] *= _FURTHER
        return found

    def _path(self, along: FloatArray, contrasts: FloatArray, values: FloatArray, reach: FloatArray) -> _Path:
        c = len(values)
        variance = (along * contrasts.T).sum(axis=0)
        steepest = _FLAT * variance / reach
        moments = np.zeros((len(self._series), c))
        steep: list[tuple[IntArray, IntArray, FloatArray]] = []
        for rows, changes in self._changes(along):
            places = np.flatnonzero(np.abs(changes) > steepest)
            cells, columns = np.divmod(places, c)
            flat = changes.reshape(-1)
            steep.append((cells + rows.start, columns, flat[places]))
            flat[places] = 0.0
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
class _Known:
    """What is known of contrasts of strengths.

    Attributes
    ----------
    p_values : ndarray, shape (c,)
        Two-sided, of the hypothesis that the contrast is 0.
    low, high : ndarray, shape (c,)
        The ends of the intervals.
    effective : ndarray, shape (c,)
        Numbers of units that carry the variance.
    variance : ndarray, shape (c,)
    """

    p_values: FloatArray
    low: FloatArray
    high: FloatArray
    effective: FloatArray
    variance: FloatArray


@dataclass(frozen=True, eq=False)
class _Path:
    """Contrasts of strengths along the directions a: how many wins, weighted by a, are in excess of those expected.

    Attributes
    ----------
    values : ndarray, shape (c,)
        δ.
    reach : ndarray, shape (c,)
        The series hold for values that differ from δ by no more.
    moments : ndarray, shape (m, c)
        Of all flat cells: −E is the polynomial of δ₀ − δ with these coefficients, from the first power on.
    columns : ndarray of int, shape (e,)
        To which contrast each steep cell belongs.
    log_odds, weights, slopes : ndarray, shape (e,)
        Of the steep cells: the log odds at δ, the number of battles times what a win counts, and the change of the log
        odds with δ₀.
    """

    values: FloatArray
    reach: FloatArray
    moments: FloatArray
    columns: IntArray
    log_odds: FloatArray
    weights: FloatArray
    slopes: FloatArray

    @cached_property
    def _expected(self) -> FloatArray:
        return _expit(self.log_odds)

    def excess(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return E(δ₀), shape (c,), and by how much it falls with δ₀. It is 0 at δ."""
        by, c = values - self.values, len(values)
        then = _expit(self.log_odds + by[self.columns] * self.slopes)
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
    """The sums over units of products of u and ℓ that tests of contrasts need.

    Attributes
    ----------
    sums : ndarray, shape (12, c)
        Of u², uℓ, ℓ², u³, ..., ℓ⁴. Both are divided by √(1 − ℓ), as for the CR2 variance (`Leverage`).
    degrees : ndarray, shape (c,)
        Of the design.
    low, high : ndarray, shape (c,)
        E(δ₀) as δ₀ goes to −∞, and to ∞.
    """

    sums: FloatArray
    degrees: FloatArray
    low: FloatArray
    high: FloatArray

    @classmethod
    def joined(cls, parts: Sequence[_Equations]) -> _Equations:
        """Return those of several blocks of contrasts as one."""
        return cls(*(np.concatenate([getattr(part, one.name) for part in parts], axis=-1) for one in fields(cls)))

    @property
    def variance(self) -> FloatArray:
        return np.asarray(self.sums[0])

    @property
    def effective(self) -> FloatArray:
        """The effective numbers of units at δ."""
        return np.asarray(self.spread(np.zeros(len(self.degrees))).effective)

    def spread(self, excess: FloatArray) -> Spread:
        """Return the spread of E, with the skewness and the effective number of what units contribute at δ₀.

        Of a nearly undefeated system few units have any loss at δ. Where fewer wins are expected of it, all do.
        """
        e, (two, three, four) = excess, np.split(self.sums, [3, 7])
        second = two[0] + e * (2 * two[1] + e * two[2])
        third = three[0] + e * (3 * three[1] + e * (3 * three[2] + e * three[3]))
        fourth = four[0] + e * (4 * four[1] + e * (6 * four[2] + e * (4 * four[3] + e * four[4])))
        return replace(Spread.of_sums(second, third, fourth, self.degrees), variance=self.variance)

    def p_values(self, excess: FloatArray) -> FloatArray:
        """Return the two-sided p-values of values δ₀ with this E(δ₀); without variance 0 but for E = 0."""
        spread = self.spread(excess)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(excess == 0, 0.0, excess / np.sqrt(spread.variance))
        return student_p_values(skew_statistic(t, spread), spread.degrees, Alternative.TWO_SIDED)

    def last_held(self, limit: FloatArray, alpha: float) -> FloatArray:
        """Return the furthest E from 0 to its limit that is not rejected; NaN where none is rejected.

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

    The variance is infinite where one unit has all the size.
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
    alone = (rest <= _TIE).any(axis=1)
    rest[alone] = 1.0
    root = np.sqrt(rest)
    u, size = np.where(np.abs(influences) <= _TIE, 0.0, influences) / root, share / root
    uu, us, ss = u * u, u * size, size * size
    pairs = [(u, u), (u, size), (size, size), (u, uu), (u, us), (u, ss), (size, ss)]
    pairs += [(uu, uu), (uu, us), (us, us), (us, ss), (ss, ss)]
    sums = np.array([np.einsum("cn,cn->c", one, other) for one, other in pairs])
    sums[:, alone] = np.array([math.inf, *[0.0] * 11])[:, None]
    return sums, np.where(alone, 1.0, cr2_degrees(share, rest))


def _expit(log_odds: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-log_odds)))


def _refuse(settings: RankingSettings) -> None:
    """Refuse what is asked of other rankings, and that battles cannot be asked."""
    if [type(test) for test in settings.tests] not in ([Auto], [SkewT]):
        named = ",".join(test.name for test in settings.tests)
        what = f"battles are tested by {SkewT.name}, got {named}"
        raise OptionError(Problem(opt("tests"), what, leave_out(), "not-for-battles"))
    if settings.resampling.method is Method.EXACT:
        what = "strengths of battles have no exact law"
        raise NotApplicableError(Problem(opt("method", "exact"), what, leave_out(), "no-exact-law"))
    if settings.resampling.n_resamples < _FEWEST_RESAMPLES:
        what = f"expected {_FEWEST_RESAMPLES} or more, got {settings.resampling.n_resamples}"
        raise OptionError(Problem(opt("n_resamples"), what, "Draw more.", "out-of-range"))
    options: Sequence[tuple[str, Any, Sequence[Any]]] = (
        (opt("alternative"), settings.alternative, (Alternative.TWO_SIDED,)),
        (opt("ties"), settings.ties, (Ties.COUNT,)),
        (opt("estimator"), settings.estimator, (Estimator.ADD_ONE,)),
        (opt("interval"), settings.interval, (IntervalMethod.TEST,)),
    )
    for option, value, possible in options:
        if value not in possible:
            what = f"expected {possible[-1]} with battles, got {value}"
            raise OptionError(Problem(option, what, leave_out(), "not-for-battles"))


def _check(battles: Battles) -> None:
    where = printable(battles.source)
    if not connected(battles.wins[None])[0]:
        what = (
            "expected chains of wins from every system to every other one, without which there are no strengths, got "
            f"parts: {_told(battles)}"
        )
        raise DataError(Problem(where, what, "Leave systems out, or add battles.", "not-connected"))
    if battles.n_units < _FEWEST_UNITS:
        units = "users (clusters)" if battles.unit == "cluster" else "battles"
        what = f"expected at least {_FEWEST_UNITS} {units} to resample, got {battles.n_units}"
        raise DataError(Problem(where, what, "Ask more users.", "few-clusters"))


def _told(battles: Battles) -> str:
    """Say of each strongly connected part of the systems what it never did."""
    wins, parts = battles.wins, parts_of(battles.wins)
    paths = reachable(wins[None])[0]
    told = []
    for part in parts:
        others = [i for i in range(len(wins)) if i not in part]
        beaten, beat = paths[np.ix_(others, part)].any(), paths[np.ix_(part, others)].any()
        said = {
            (False, False): "never met any other",
            (False, True): "never lost to any other",
            (True, False): "never beat any other",
            (True, True): "in between",
        }[bool(beaten), bool(beat)]
        shown = ", ".join(quoted(battles.systems[i]) for i in part[:_MOST_NAMED])
        more = f" and {len(part) - _MOST_NAMED} more" if len(part) > _MOST_NAMED else ""
        told.append(f"{shown}{more} ({said})")
    further = [f"and {len(told) - 2 * _MOST_NAMED} more"] if len(told) > 2 * _MOST_NAMED else []
    return "; ".join([*told[: 2 * _MOST_NAMED], *further])


class _Drawn:
    """What resamples of units tell of the strengths.

    Attributes
    ----------
    n_resamples : int
    n_infinite : int
        In how many the systems are not connected by wins.
    """

    def __init__(self, battles: Battles, theta: FloatArray, order: IntArray, resampling: Resampling) -> None:
        engine = Engine(resampling.seed, resampling.executor, resampling.progress)
        statistic = _Strengths(battles, theta)
        drawn = engine.recomputed(BootstrapScheme(battles.n_units), statistic, resampling.n_resamples)
        self._drawn = np.ascontiguousarray(drawn[:, order].T)
        self.n_resamples = self._drawn.shape[1]
        infinite = self._drawn.max(axis=0) >= _INFINITE
        self._levels = self._drawn[:, infinite]
        self.n_infinite = self._levels.shape[1]

    @cached_property
    def shares_of_best(self) -> FloatArray:
        """Share of resamples in which each system is the strongest, ties shared."""
        best = self._drawn >= self._drawn.max(axis=0) - _TIE
        return np.asarray((best / best.sum(axis=0)).mean(axis=1))

    def infinite_differences(self, better: IntArray, worse: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the shares of resamples in which the difference of two strengths is −∞, and +∞; shape (m,) each."""
        ends = (
            (np.array([np.count_nonzero(self._levels[i] < self._levels[j]) for i, j in zip(one, other, strict=True)]))
            for one, other in ((better, worse), (worse, better))
        )
        below, above = (counts / self.n_resamples for counts in ends)
        return below, above

    @property
    def infinite_strengths(self) -> tuple[FloatArray, FloatArray]:
        """The shares of resamples in which a strength, of mean 0, may be −∞, and +∞; shape (s,) each."""
        if not self.n_infinite:
            return np.zeros(len(self._levels)), np.zeros(len(self._levels))
        below, above = self._levels < self._levels.max(axis=0), self._levels > self._levels.min(axis=0)
        return below.sum(axis=1) / self.n_resamples, above.sum(axis=1) / self.n_resamples


class _Strengths:
    """From weights of units to strengths, shape (b, s).

    Where the systems of a resample are not connected by wins, the differences of some strengths are infinite. Each
    system then has `_INFINITE` times the number of systems that chains of wins lead to from it, itself included: more
    than any that it is infinitely stronger than.

    Counts are twice those of wins, whole numbers, so that their sums are exact in any order.
    """

    def __init__(self, battles: Battles, theta: FloatArray) -> None:
        s, n_units = len(battles.systems), battles.n_units
        cells = np.concatenate([battles.first * s + battles.second, battles.second * s + battles.first])
        counts, units = np.concatenate([battles.halves, 2 - battles.halves]), np.tile(battles.units, 2)
        positive = counts > 0
        self._cells, places = np.unique(cells[positive], return_inverse=True)
        self._theta = theta
        k = len(self._cells)
        width = max(1, _BLOCK // 256)
        self._parts: list[tuple[slice, Any]] = []
        # Of each (unit, cell) one count; in the order of units.
        keys, inverse = np.unique(units[positive] * k + places, return_inverse=True)
        values = np.bincount(inverse, counts[positive])
        owners = keys // k
        for left in range(0, n_units, width):
            right = min(left + width, n_units)
            here = slice(*np.searchsorted(owners, [left, right]))
            part = values[here], owners[here] - left, keys[here] % k
            self._parts.append(
                (slice(left, right), _matrix(*part, (right - left, k), dense=n_units * k <= _MOST_DENSE))
            )

    def __call__(self, weights: Weights) -> FloatArray:
        totals = np.zeros((len(weights), len(self._cells)))
        for part, rows in self._parts:
            totals += (rows.T @ weights[:, part].T.astype(np.float64)).T
        s = len(self._theta)
        drawn_strengths = np.empty((len(weights), s))
        height = max(1, _BLOCK // (s * s))
        for top in range(0, len(weights), height):
            some = totals[top : top + height]
            wins = np.zeros((len(some), s * s))
            wins[:, self._cells] = some / 2
            drawn_strengths[top : top + height] = self._of(wins.reshape(-1, s, s))
        return drawn_strengths

    def _of(self, wins: FloatArray) -> FloatArray:
        finite = connected(wins)
        theta = np.empty(wins.shape[:2])
        if finite.any():
            theta[finite] = strengths(wins[finite], self._theta)
        if not finite.all():
            theta[~finite] = _INFINITE * reachable(wins[~finite]).sum(axis=2)
        return theta


def _matrix(values: AnyArray, rows: AnyArray, columns: AnyArray, shape: tuple[int, int], *, dense: bool) -> Any:
    if dense:
        matrix = np.zeros(shape)
        matrix[rows, columns] = values
        return matrix
    from scipy.sparse import csc_array

    return csc_array((values, (rows, columns)), shape=shape)


def _warnings(battles: Battles, drawn: _Drawn, variances: FloatArray, correction: Correction) -> list[str]:
    """Return what a reader must know, in full sentences."""
    warnings = []
    if battles.unit == "battle":
        warnings.append(
            "Battles were taken to be independent; those of one user or judge are not, and intervals are then too "
            f"narrow. Name the column of users with {opt('clusters')}."
        )
    r, lacking = drawn.n_resamples, drawn.n_infinite
    if lacking:
        warnings.append(
            f"In {lacking:,} of {r:,} resamples ({lacking / r:.1%}) the systems are not connected by wins, and some "
            "strengths are infinite. An interval has no end on a side on which at least α/2 of the resamples have none."
        )
    if (variances == 0).any():
        warnings.append(
            f"Some systems differ by the same in all {battles.unit}s: their p-values are those of the sign test."
        )
    if correction is Correction.BH:
        warnings.append(FALSE_DISCOVERY_WARNING)
    return warnings
