"""Rankings from pairwise comparisons: Bradley-Terry strengths by maximum likelihood, with users as units.

The comparisons of one user are correlated, so users are the units. P-values and intervals are those of the
skewness-corrected t-test (`SkewT`), from the influences of users on the strengths. Users are resampled for P(best),
and to detect infinite differences of strengths.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore._version import __version__
from outscore.errors import DataError, NotApplicableError, OptionError, Problem
from outscore.gains.gain_laws import Resampling
from outscore.gains.score_draws import Pairs
from outscore.laws.resampling import BootstrapScheme
from outscore.laws.resampling.schemes import Weights
from outscore.options import leave_out, opt
from outscore.questions.chosen import as_chosen, first_place
from outscore.questions.ranks.groups import ranked_systems
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
from outscore.significance.corrections import benjamini_hochberg, holm
from outscore.significance.intervals import agreeing_ends
from outscore.significance.t_tests import SkewT
from outscore.text.naming import in_roles, printable, quoted
from outscore.wings.battles.influences import Influences, KnownContrasts
from outscore.wings.battles.metric import BRADLEY_TERRY, TIE, Battles, connected, parts_of, reachable, strengths
from outscore.words.warnings import FALSE_DISCOVERY

_FEWEST_UNITS = 5
_FEWEST_RESAMPLES = 20
_MEASURED_MAX_T = 10  # smallest number of units in the evaluation of max-T
_INFINITE = 1e9  # beyond all finite strengths
_MOST_DENSE = 2**22  # dense win counts of units; more are stored as sparse
_BLOCK = 2**22  # weights, or cells of matrices, per block
_MOST_NAMED = 3


def rank_battles(battles: Battles, settings: RankingSettings) -> Ranking:
    """Return the ranking of systems by their pairwise comparisons.

    The null hypothesis of every pair is equal strength over the population of users. The score of a system is its
    strength, in natural log odds with mean 0 over systems; the gain of a pair is the difference. An end of an interval
    is infinite if at least α/2 of the resamples are unbounded on that side.

    Strengths do not exist if some systems won or lost all comparisons with the others. At least 5 units are needed.
    Test, alternative, interval and others are fixed; other settings are refused.

    Cost: one product of the units' counts and r weights, and some 5 solutions of s equations per resample. Per pair of
    systems 10 ns per pair of systems that met, 30 per unit, and 1 per unit and pair of systems that it compared.
    Memory: 8rs bytes, 256 per unit, and 0.4 GB at most.
    """
    _refuse(settings)
    _check(battles)
    theta = strengths(battles.wins[None])[0]
    order: IntArray = np.array(sorted(range(len(theta)), key=lambda i: (-round(theta[i] / TIE), i)))
    names = [battles.systems[i] for i in order]
    families = [battles.families[i] if battles.families else None for i in order]
    s, alpha, resampling = len(names), settings.alpha, settings.resampling
    scores, samples = theta[order], _Drawn(battles, theta, order, resampling)
    better, worse = np.triu_indices(s, 1)
    gains = scores[better] - scores[worse]
    gains[gains <= TIE * max(1.0, float(np.ptp(theta)))] = 0.0
    influences, test = Influences(battles, theta), SkewT()

    contrasts = np.eye(s)[order]
    tested = influences.tested(contrasts[better] - contrasts[worse], alpha, resampling.executor)
    p_values, low, high = _tests_of_pairs(battles, tested, samples, (better, worse), gains, alpha)
    entering = np.maximum(tested.cautious, p_values)
    correction = settings.correction
    if correction is None:
        correction = Correction.MAX_T if settings.max_t and battles.n_units >= _MEASURED_MAX_T else Correction.HOLM
    corrected, draws = None, NormalDraws(influences.covariance[np.ix_(order, order)], resampling.seed)
    if settings.max_t:
        corrected = max_t(
            p_values,
            entering,
            Pairs(better, worse, gains, np.full(len(gains), TIE)),
            draws,
            tested.effective,
            two_sided=True,
            alpha=alpha,
            most=resampling.n_resamples,
            executor=resampling.executor,
        )
    p_maxt = None if corrected is None else corrected.p_values
    pairs = _ranked_pairs(battles, order, (better, worse, gains, low, high, p_values), entering, p_maxt, alpha)
    better_than = np.zeros((s, s), dtype=bool)
    for i, j, pair in zip(better.tolist(), worse.tolist(), pairs, strict=True):
        better_than[i, j] = pair.gain > 0 and pair.corrected(correction) <= alpha
    tested_strengths = influences.tested(contrasts - 1 / s, alpha, resampling.executor)
    ends_below, ends_above = samples.infinite_strengths
    lows = np.where(ends_below >= alpha / 2, -np.inf, tested_strengths.low).tolist()
    highs = np.where(ends_above >= alpha / 2, np.inf, tested_strengths.high).tolist()
    intervals = [Interval(*ends, 1 - alpha, test.name, exact=False) for ends in zip(lows, highs, strict=True)]
    gain_matrix = np.zeros((s, s))
    gain_matrix[better, worse] = gains

    def at(system: int, share: float) -> Interval:
        tested_system = influences.tested((contrasts - 1 / s)[[system]], share * alpha, None)
        return replace(intervals[system], low=float(tested_system.low[0]), high=float(tested_system.high[0]))

    systems = as_chosen(
        ranked_systems(names, families, scores, gain_matrix, better_than, intervals, samples.shares_of_best),
        first_place(gain_matrix[0], draws, alpha / 2),
        at,
        higher_is_better=True,
    )
    return Ranking(
        metric=BRADLEY_TERRY,
        n_items=len(battles),
        n_units=battles.n_units,
        tests=(test.name,),
        test_title=test.titled(),
        alternative=Alternative.TWO_SIDED,
        correction=correction,
        alpha=alpha,
        systems=systems,
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
        warnings=tuple(_warnings(battles, samples, tested.variance, correction)),
    )


def _ranked_pairs(
    battles: Battles,
    order: IntArray,
    columns: Sequence[AnyArray],
    entering: FloatArray,
    p_maxt: FloatArray | None,
    alpha: float,
) -> list[RankedPair]:
    """Return all pairs; `columns` are better and worse system, gain, ends of the interval and p-value of each."""
    names = [battles.systems[i] for i in order]
    families = [battles.families[i] if battles.families else None for i in order]
    listed = [column.tolist() for column in columns]
    *_, p_values = listed
    p_values_maxt = [None] * len(p_values) if p_maxt is None else p_maxt.tolist()
    adjusted = (holm(p_values, entering), benjamini_hochberg(p_values), p_values_maxt)
    outcomes = battles.outcomes[:, order][:, :, order]
    pairs = []
    for i, j, gain, below, above, p, p_holm, p_bh, p_max in zip(*listed, *adjusted, strict=True):
        lost, tied, won = outcomes[:, i, j].tolist()
        grouped = families[i] is not None and families[j] is not None
        pairs.append(
            RankedPair(
                baseline=names[j],
                candidate=names[i],
                gain=gain,
                interval=Interval(below, above, 1 - alpha, SkewT.name, exact=False),
                wins=won,
                ties=tied,
                losses=lost,
                p_value=p,
                p_holm=p_holm,
                p_bh=p_bh,
                p_maxt=p_max,
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
    return pairs


def _tests_of_pairs(
    battles: Battles,
    exact: KnownContrasts,
    samples: _Drawn,
    pairs: tuple[IntArray, IntArray],
    gains: FloatArray,
    alpha: float,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the p-value of each pair and the ends of its interval, infinite if resamples give no bound."""
    alike = (exact.variance == 0) & (gains > 0)  # the sign test of all units
    p_values = np.where(alike, math.ldexp(1.0, 1 - battles.n_units), np.where(gains == 0, 1.0, exact.p_values))
    p_values = np.maximum(p_values, float(np.finfo(np.float64).tiny))
    infinite_below, infinite_above = samples.infinite_differences(*pairs)
    p_values = np.maximum(p_values, np.minimum(2 * infinite_below, 1.0))
    low = np.where(alike | (infinite_below >= alpha / 2), -np.inf, exact.low)
    high = np.where(alike | (infinite_above >= alpha / 2), np.inf, exact.high)
    return p_values, *agreeing_ends(low, high, gains, 0.0, p_values, alpha)


def _refuse(settings: RankingSettings) -> None:
    """Refuse settings that apply only to other rankings."""
    if [type(test) for test in settings.tests] not in ([Auto], [SkewT]):
        named = ",".join(test.name for test in settings.tests)
        what = f"pairwise comparisons are tested by {SkewT.name}, got {named}"
        raise OptionError(Problem(opt("tests"), what, leave_out(), "not-for-battles"))
    if settings.resampling.method is Method.EXACT:
        what = "strengths have no exact distribution"
        raise NotApplicableError(Problem(opt("method", "exact"), what, leave_out(), "no-exact-law"))
    if settings.resampling.n_resamples < _FEWEST_RESAMPLES:
        what = f"expected {_FEWEST_RESAMPLES} or more, got {settings.resampling.n_resamples}"
        raise OptionError(Problem(opt("n_resamples"), what, "Use more resamples.", "out-of-range"))
    options: Sequence[tuple[str, Any, Sequence[Any]]] = (
        (opt("alternative"), settings.alternative, (Alternative.TWO_SIDED,)),
        (opt("ties"), settings.ties, (Ties.COUNT,)),
        (opt("estimator"), settings.estimator, (Estimator.ADD_ONE,)),
        (opt("interval"), settings.interval, (IntervalMethod.TEST,)),
    )
    for option, value, possible in options:
        if value not in possible:
            what = f"expected {possible[-1]} with pairwise comparisons, got {value}"
            raise OptionError(Problem(option, what, leave_out(), "not-for-battles"))


def _check(battles: Battles) -> None:
    where = printable(battles.source)
    if not connected(battles.wins[None])[0]:
        what = f"strengths need chains of wins from every system to every other one, got parts: {_named_parts(battles)}"
        raise DataError(Problem(where, what, "Leave systems out, or add comparisons.", "not-connected"))
    if battles.n_units < _FEWEST_UNITS:
        units = "users (clusters)" if battles.unit == "cluster" else "battles"
        what = f"expected at least {_FEWEST_UNITS} {units} to resample, got {battles.n_units}"
        raise DataError(Problem(where, what, "Collect more users.", "few-clusters"))


def _named_parts(battles: Battles) -> str:
    """Describe the strongly connected parts of the systems."""
    wins, parts = battles.wins, parts_of(battles.wins)
    paths = reachable(wins[None])[0]
    sentences = []
    for part in parts:
        others = [i for i in range(len(wins)) if i not in part]
        beaten, beat = paths[np.ix_(others, part)].any(), paths[np.ix_(part, others)].any()
        sentence = {
            (False, False): "never met the others",
            (False, True): "never lost to the others",
            (True, False): "never beat the others",
            (True, True): "in between",
        }[bool(beaten), bool(beat)]
        shown = ", ".join(quoted(battles.systems[i]) for i in part[:_MOST_NAMED])
        more = f" and {len(part) - _MOST_NAMED} more" if len(part) > _MOST_NAMED else ""
        sentences.append(f"{shown}{more} ({sentence})")
    further = [f"and {len(sentences) - 2 * _MOST_NAMED} more"] if len(sentences) > 2 * _MOST_NAMED else []
    return "; ".join([*sentences[: 2 * _MOST_NAMED], *further])


class _Drawn:
    """Strengths on resampled units; `n_infinite` is the number of resamples that are not connected by wins."""

    def __init__(self, battles: Battles, theta: FloatArray, order: IntArray, resampling: Resampling) -> None:
        statistic = _Strengths(battles, theta)
        strengths_drawn = resampling.engine.recomputed(
            BootstrapScheme(battles.n_units), statistic, resampling.n_resamples
        )
        self._drawn = np.ascontiguousarray(strengths_drawn[:, order].T)
        self.n_resamples = self._drawn.shape[1]
        infinite = self._drawn.max(axis=0) >= _INFINITE
        self._levels = self._drawn[:, infinite]
        self.n_infinite = self._levels.shape[1]

    @cached_property
    def shares_of_best(self) -> FloatArray:
        """Proportion of resamples in which each system is the strongest, with ties split."""
        best = self._drawn >= self._drawn.max(axis=0) - TIE
        return np.asarray((best / best.sum(axis=0)).mean(axis=1))

    def infinite_differences(self, better: IntArray, worse: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the proportions of resamples in which a difference of strengths is −∞, and +∞; shape (m,) each."""

        def proportions(stronger: IntArray, weaker: IntArray) -> FloatArray:
            pairs = zip(stronger, weaker, strict=True)
            counts = [np.count_nonzero(self._levels[i] < self._levels[j]) for i, j in pairs]
            return np.asarray(np.array(counts) / self.n_resamples)

        return proportions(better, worse), proportions(worse, better)

    @property
    def infinite_strengths(self) -> tuple[FloatArray, FloatArray]:
        """The proportions of resamples in which a strength, of mean 0, may be −∞, and +∞; shape (s,) each."""
        if not self.n_infinite:
            return np.zeros(len(self._levels)), np.zeros(len(self._levels))
        below, above = self._levels < self._levels.max(axis=0), self._levels > self._levels.min(axis=0)
        return below.sum(axis=1) / self.n_resamples, above.sum(axis=1) / self.n_resamples


class _Strengths:
    """From weights of units to strengths, shape (b, s).

    If the systems of a resample are not connected by wins, some differences of strengths are infinite. Each system
    then has `_INFINITE` times the number of systems reached from it by chains of wins, including itself, which
    exceeds that of any infinitely weaker system.

    Counts are twice those of wins, so they are integers and their sums are exact in any order.
    """

    def __init__(self, battles: Battles, theta: FloatArray) -> None:
        s, n_units = len(battles.systems), battles.n_units
        cells = np.concatenate([battles.first * s + battles.second, battles.second * s + battles.first])
        counts, units = np.concatenate([battles.halves, 2 - battles.halves]), np.tile(battles.units, 2)
        positive = counts > 0
        self._cells, cell_of = np.unique(cells[positive], return_inverse=True)
        self._theta = theta
        k = len(self._cells)
        width = max(1, _BLOCK // 256)
        self._parts: list[tuple[slice, Any]] = []
        # Of each (unit, cell) one count; in the order of units.
        keys, inverse = np.unique(units[positive] * k + cell_of, return_inverse=True)
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
            drawn_strengths[top : top + height] = self._levels_of(wins.reshape(-1, s, s))
        return drawn_strengths

    def _levels_of(self, wins: FloatArray) -> FloatArray:
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


def _warnings(battles: Battles, samples: _Drawn, variances: FloatArray, correction: Correction) -> list[str]:
    """Return notes for readers, in full sentences."""
    warnings = [*battles.notes, *in_roles(battles.columns)]
    if battles.unit == "battle":
        warnings.append(
            "Comparisons are assumed to be independent. If a user or judge made several, intervals are too "
            f"narrow: pass the column of users with {opt('clusters')}."
        )
    r, lacking = samples.n_resamples, samples.n_infinite
    if lacking:
        warnings.append(
            f"In {lacking:,} of {r:,} resamples ({lacking / r:.1%}) the systems are not connected by wins, so "
            "some strengths are infinite. An interval is unbounded on a side if at least α/2 of the resamples "
            "are."
        )
    if (variances == 0).any():
        warnings.append(
            f"Some pairs of systems have the same difference in all {battles.unit}s; their p-values are those "
            "of the sign test."
        )
    if correction is Correction.BH:
        warnings.append(FALSE_DISCOVERY)
    return warnings
