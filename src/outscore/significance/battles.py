"""Battles ranked: strengths by Bradley and Terry's maximum likelihood, with users resampled whole.

The battles of one user share their taste, so that users are drawn, not battles: of 30 users with 50 battles each an
interval that takes battles for independent holds the truth in 77% of the test sets where 95% is meant, one of users in
94%. Few users need more than percentiles: all is from t = d/(se · √(U/(U − 1))) with U − 1 degrees of freedom, d a
difference of two strengths and se its standard deviation under the bootstrap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore._version import __version__
from outscore.errors import DataError, NotApplicableError, OptionError, Problem
from outscore.metrics.battles import BRADLEY_TERRY, connected, parts_of, reachable, strengths
from outscore.naming import printable, quoted
from outscore.resampling import BootstrapScheme, Engine
from outscore.resampling.schemes import Weights
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
from outscore.significance.bootstrap import Bootstrap
from outscore.significance.corrections import benjamini_hochberg, holm, step_down_counts, step_down_p_values
from outscore.significance.gain_laws import Resampling
from outscore.significance.groups import FALSE_DISCOVERY_WARNING, ranked_systems
from outscore.significance.p_values import student_p_value, student_quantile
from outscore.significance.ranking import RankingSettings
from outscore.significance.signatures import joined

__all__ = ["Battles", "rank_battles"]

_TEST = "t"
_FEWEST_UNITS = 5
_FEWEST_RESAMPLES = 20
_MEASURED_MAX_T = 10  # units from which on max-T keeps its level; with 5 it calls equal systems different in some 7%
_TIE = 1e-10  # a smaller difference of two strengths is what Newton's method leaves
_NORMAL_95 = 1.96  # standard deviations to each side that hold 95% of a normal law
_MOST_DENSE = 2**22  # win counts of all units; more are held as the few that are not 0
_BLOCK = 2**22  # weights, or cells of matrices, at once
_MOST_NAMED = 3


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
    strength, the gain of a pair a difference of two, with mean 0 over systems: natural logarithms of odds.

    Parameters
    ----------
    battles : Battles
    settings : RankingSettings
        Test, alternative, interval and the like are what they are: others are refused.

    Raises
    ------
    DataError
        Systems without strengths, as some of them won or lost all battles with the others; fewer than 5 units; users
        of whom so few connect the systems that hardly a resample has strengths.
    OptionError, NotApplicableError
        A setting that battles have not.

    Notes
    -----
    Cost: one product of the units' counts and r weights, and some 5 solutions of s equations a resample. Memory: 8rs
    bytes, 256 a unit, and 0.4 GB at most.
    """
    _refuse(settings)
    _check(battles)
    law = _StrengthLaw(battles, settings.resampling)
    names = [battles.systems[i] for i in law.order]
    families = [battles.families[i] if battles.families else None for i in law.order]
    s, alpha, correction = len(names), settings.alpha, settings.correction
    if correction is None:
        correction = Correction.MAX_T if settings.max_t and battles.n_units >= _MEASURED_MAX_T else Correction.HOLM
    degrees, factor = battles.n_units - 1, np.sqrt(battles.n_units / (battles.n_units - 1))
    reach = factor * student_quantile(1 - alpha / 2, degrees)
    r = settings.resampling.n_resamples
    blur = _NORMAL_95 / np.sqrt(2 * max(law.n_finite, 1))  # of a standard error from so many resamples, relatively

    statistics = _statistics(law.gains, law.errors * factor)
    p_values = [_p_value(t, degrees) for t in statistics]
    adjusted_holm, adjusted_bh = holm(p_values), benjamini_hochberg(p_values)
    p_maxt = np.maximum(law.max_t(statistics, degrees), p_values) if settings.max_t else None
    lost, tied, won = battles.outcomes[:, law.order][:, :, law.order]
    pairs = []
    for index, (better, worse) in enumerate(law.pairs):
        gain, t, own = float(law.gains[index]), float(statistics[index]), reach * float(law.errors[index])
        known = families[better] is not None and families[worse] is not None
        pairs.append(
            RankedPair(
                baseline=names[worse],
                candidate=names[better],
                gain=gain,
                interval=Interval(gain - own, gain + own, 1 - alpha, _TEST, exact=False),
                wins=int(won[better, worse]),
                ties=int(tied[better, worse]),
                losses=int(lost[better, worse]),
                p_value=p_values[index],
                p_holm=adjusted_holm[index],
                p_bh=adjusted_bh[index],
                p_maxt=None if p_maxt is None else float(p_maxt[index]),
                exact=False,
                n_exceeding=None,
                p_value_low=_p_value(t * (1 + blur), degrees),
                p_value_high=_p_value(t * max(1 - blur, 0.0), degrees),
                other_p_values={},
                same_family=families[better] == families[worse] if known else None,
                computation="asymptotic",
                p_beats=float(1 / (1 + np.exp(-gain))),
            )
        )
    better_than = np.zeros((s, s), dtype=bool)
    for (better, worse), pair in zip(law.pairs, pairs, strict=True):
        better_than[better, worse] = pair.gain > 0 and pair.corrected(correction) <= alpha
    spreads = [reach * float(error) for error in law.strength_errors]
    intervals = [
        Interval(float(score) - own, float(score) + own, 1 - alpha, _TEST, exact=False)
        for score, own in zip(law.scores, spreads, strict=True)
    ]
    gains = np.zeros((s, s))
    gains[tuple(zip(*law.pairs, strict=True))] = law.gains
    return Ranking(
        metric=BRADLEY_TERRY,
        n_items=len(battles),
        n_units=battles.n_units,
        tests=(_TEST,),
        alternative=Alternative.TWO_SIDED,
        correction=correction,
        alpha=alpha,
        systems=ranked_systems(names, families, law.scores, gains, better_than, intervals, law.shares_of_best),
        pairs=tuple(pairs),
        n_resamples=r,
        seed=settings.resampling.seed,
        signature=joined(
            test=_TEST,
            alternative=Alternative.TWO_SIDED.value,
            r=r,
            n=battles.n_units,
            unit=battles.unit,
            seed=settings.resampling.seed,
            metric=BRADLEY_TERRY.spec,
            systems=s,
            correction=correction.value,
            maxt=f"r={r}" if correction is Correction.MAX_T else None,
            version=__version__,
        ),
        version=__version__,
        warnings=tuple(_warnings(battles, law, correction)),
    )


def _refuse(settings: RankingSettings) -> None:
    """Refuse what is asked of other rankings, and that battles cannot be asked."""
    if [type(test) for test in settings.tests] != [Bootstrap]:
        named = ",".join(test.name for test in settings.tests)
        what = f"battles are tested by t, with standard errors from the bootstrap, got {named}"
        raise OptionError(Problem("--test", what, "Leave the option out.", "not-for-battles"))
    if settings.resampling.method is Method.EXACT:
        what = "strengths of battles have no exact law"
        raise NotApplicableError(Problem("--method exact", what, "Leave the option out.", "no-exact-law"))
    if settings.resampling.n_resamples < _FEWEST_RESAMPLES:
        what = f"expected {_FEWEST_RESAMPLES} or more for standard errors, got {settings.resampling.n_resamples}"
        raise OptionError(Problem("--n-resamples", what, "Draw more.", "out-of-range"))
    options: Sequence[tuple[str, Any, Sequence[Any]]] = (
        ("--alternative", settings.alternative, (Alternative.TWO_SIDED,)),
        ("--ties", settings.ties, (Ties.COUNT,)),
        ("--estimator", settings.estimator, (Estimator.ADD_ONE,)),
        ("--interval", settings.interval, (IntervalMethod.TEST,)),
    )
    for option, value, possible in options:
        if value not in possible:
            what = f"expected {possible[-1]} with battles, whose pairs are tested by t, got {value}"
            raise OptionError(Problem(option, what, "Leave the option out.", "not-for-battles"))


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


class _StrengthLaw:
    """The strengths, best first, and what resamples tell of them.

    Attributes
    ----------
    order : ndarray of int, shape (s,)
        The systems' places in the battles.
    scores, strength_errors : ndarray, shape (s,)
    pairs : list of (int, int), length m
        The better and the worse one.
    gains, errors : ndarray, shape (m,)
        Differences of two strengths, and their standard deviations over resamples that have strengths.
    n_finite : int
        How many have.
    shares_of_best : ndarray, shape (s,)
    """

    def __init__(self, battles: Battles, resampling: Resampling) -> None:
        theta = strengths(battles.wins[None])[0]
        self.order: IntArray = np.array(sorted(range(len(theta)), key=lambda i: (-round(theta[i] / _TIE), i)))
        self.scores = theta[self.order]
        s = len(theta)
        self.pairs = [(i, j) for i in range(s) for j in range(i + 1, s)]
        differences = np.array([self.scores[i] - self.scores[j] for i, j in self.pairs])
        self.gains = np.where(differences <= _TIE * max(1.0, float(np.ptp(theta))), 0.0, differences)
        engine = Engine(resampling.seed, resampling.executor, resampling.progress)
        statistic = _Strengths(battles, theta)
        drawn = engine.recomputed(BootstrapScheme(battles.n_units), statistic, resampling.n_resamples)
        self._drawn = np.ascontiguousarray(drawn[:, self.order].T)
        self._finite = np.asarray(np.isfinite(self._drawn).all(axis=0))
        self.n_finite = int(self._finite.sum())
        if self.n_finite < 2 or 2 * self.n_finite < len(drawn):
            what = (
                f"expected users of whom most resamples connect all systems by wins, got strengths in {self.n_finite} "
                f"of {len(drawn)}"
            )
            advice = "Leave systems of few battles out, or ask more users."
            raise DataError(Problem(printable(battles.source), what, advice, "not-connected"))
        self._moved = self._drawn[:, self._finite] - self.scores[:, None]
        self.strength_errors = self._moved.std(axis=1, ddof=1)
        self.errors = np.array([(self._moved[i] - self._moved[j]).std(ddof=1) for i, j in self.pairs])

    @cached_property
    def shares_of_best(self) -> FloatArray:
        """Share of resamples in which each system is the strongest; of those without strengths, a part nobody beats."""
        largest = self._drawn.max(axis=0)
        best = np.isinf(largest) & (self._drawn == largest)
        best |= self._drawn >= largest - _TIE
        return np.asarray((best / best.sum(axis=0)).mean(axis=1))

    def max_t(self, statistics: FloatArray, degrees: int) -> FloatArray:
        """Return step-down max-T p-values of all pairs, shape (m,).

        Replicates are (d* − d)/se, nearly normal, and the observed t is put on their scale, Φ⁻¹(F(t)) with F Student's
        law. A resample without strengths lies infinitely far off.
        """
        from scipy.special import ndtri, stdtr  # SciPy takes longer to import than many rankings to compute

        order = np.argsort(statistics, kind="stable")
        scaled = -ndtri(stdtr(degrees, -statistics[order]))
        r = self._drawn.shape[1]
        largest = np.full(self.n_finite, -np.inf)
        counts = step_down_counts(scaled, (self._distances(index) for index in order), largest)
        p_values = np.empty(len(order))
        p_values[order] = step_down_p_values(counts + (r - self.n_finite), r)
        return p_values

    def _distances(self, pair: int) -> FloatArray:
        i, j = self.pairs[pair]
        error = self.errors[pair]
        return np.abs(self._moved[i] - self._moved[j]) / error if error > _TIE else np.zeros(self.n_finite)


class _Strengths:
    """From weights of units to strengths, shape (b, s); ±∞ of a resample without: +∞ of parts that nobody else beats.

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
            paths = reachable(wins[~finite])
            unbeaten = (paths | ~paths.transpose(0, 2, 1)).all(axis=2)
            theta[~finite] = np.where(unbeaten, np.inf, -np.inf)
        return theta


def _matrix(values: AnyArray, rows: AnyArray, columns: AnyArray, shape: tuple[int, int], *, dense: bool) -> Any:
    if dense:
        matrix = np.zeros(shape)
        matrix[rows, columns] = values
        return matrix
    from scipy.sparse import csc_array

    return csc_array((values, (rows, columns)), shape=shape)


def _statistics(gains: FloatArray, errors: FloatArray) -> FloatArray:
    """Return t of all pairs, shape (m,): without any spread 0 where the gain is 0, else infinity."""
    spread = np.where(gains > 0, np.inf, 0.0)
    return np.divide(gains, errors, out=spread, where=errors > _TIE)


def _p_value(t: float, degrees: int) -> float:
    """Return the two-sided p-value of a t statistic, never 0."""
    return max(student_p_value(float(t), degrees, Alternative.TWO_SIDED), float(np.finfo(np.float64).tiny))


def _warnings(battles: Battles, law: _StrengthLaw, correction: Correction) -> list[str]:
    """Return what a reader must know, in full sentences."""
    warnings = []
    if battles.unit == "battle":
        warnings.append(
            "Battles were resampled as if they were independent; those of one user or judge are not, and intervals are "
            "then too narrow. Name the column of users with --cluster."
        )
    r = law._drawn.shape[1]
    lacking = r - law.n_finite
    if lacking:
        warnings.append(
            f"In {lacking:,} of {r:,} resamples ({lacking / r:.1%}) the systems are not connected by wins, so that "
            "strengths are infinite: max-T counts them as beyond every gain, standard errors leave them out."
        )
    if (law.errors <= _TIE).any():
        warnings.append("Differences of some systems are the same in all resamples: their p-values say no more.")
    if correction is Correction.BH:
        warnings.append(FALSE_DISCOVERY_WARNING)
    return warnings
