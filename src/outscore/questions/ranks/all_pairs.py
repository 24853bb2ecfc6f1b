"""One test of all pairs of many systems: exact if that is fast, else on resamples that all pairs share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.errors import NotApplicableError, Problem
from outscore.gains.gain_laws import GainLaws, Hypothesis, Resampling
from outscore.gains.influence import Spread
from outscore.gains.pair import Pair
from outscore.gains.tables import RecomputedTable, SystemTable
from outscore.laws.resampling import SwapScheme
from outscore.laws.tolerances import MOST_COMPOSITIONS
from outscore.metrics import Metric
from outscore.options import opt
from outscore.results import Alternative, Interval, Method, Ties
from outscore.significance.base import SignificanceTest, TakesTables
from outscore.significance.bootstrap import Bootstrap
from outscore.significance.p_values import IDENTICAL, PValue
from outscore.significance.randomization import Randomization
from outscore.significance.t_tests import InfluenceT

# Exact distributions of sums take some 20 ms per pair, those of two counts up to 30 µs per pair and unit, those that
# are enumerated 1 µs per pair and resample. Sampling, which all pairs share, is faster beyond about a second.
_MOST_EXACT_PAIRS = 45
_MOST_BINARY_PAIRS = 435  # whose distributions are tables of counts
_MOST_EXACT_UNITS = 200_000
_MOST_ENUMERATED = 2**22  # resamples of all pairs together
_TOGETHER = 32  # pairs per call of a test that does not support tables

Counted = Callable[[], IntArray]
IntervalOf = Callable[[Pair, GainLaws], Interval | None]


class ExactLaws:
    """The exact distributions of the pairs of a table, one pair at a time, as each may have a million values.

    `interval_of` returns the interval of a pair from its bootstrap distribution, if that is cheap.
    """

    def __init__(self, table: SystemTable, resampling: Resampling, interval_of: IntervalOf | None = None) -> None:
        self.table, self.resampling, self._interval_of = table, resampling, interval_of
        self._last: tuple[int, Pair, GainLaws] | None = None
        self._intervals: dict[int, Interval | None] = {}

    @cached_property
    def wanted(self) -> bool:
        """Whether pairs have their own exact distributions, instead of being sampled together."""
        table, method = self.table, self.resampling.method
        m, n = len(table.pairs), table.n_units
        most = _MOST_EXACT_PAIRS if table.steps is None else _MOST_BINARY_PAIRS
        few = m <= most and (table.linear or m * n <= _MOST_EXACT_UNITS)
        return method is Method.EXACT or (method is Method.AUTO and few and table.derivable)

    @property
    def inverts(self) -> bool:
        """Whether randomization intervals are exact, which takes a dozen distributions per pair."""
        few = len(self.table.pairs) <= _MOST_EXACT_PAIRS or self.table.steps is not None
        return self.resampling.method is Method.EXACT or (self.wanted and few)

    def of(self, index: int) -> tuple[Pair, GainLaws]:
        """Return a pair and its distributions, which raise `NotApplicableError` if they are not exact."""
        if self._last is None or self._last[0] != index:
            self._last = None  # before the next ones are found
            pair = self.table.pair(index)
            insisted = self.resampling.method is Method.EXACT
            most = MOST_COMPOSITIONS if insisted else min(MOST_COMPOSITIONS, _MOST_ENUMERATED // len(self.table.pairs))
            laws = GainLaws([pair], replace(self.resampling, method=Method.EXACT), most=most)
            self._last = index, pair, laws
        return self._last[1:]

    def p_value(self, test: SignificanceTest, hypothesis: Hypothesis, index: int) -> PValue[float] | None:
        """Return the p-value of a pair from its exact distributions; None if it has to be sampled."""
        if self.table.identical[index]:
            return IDENTICAL
        if not self.wanted:
            return None
        try:
            p = test.p_value(*self.of(index), hypothesis)
        except NotApplicableError:
            if self.resampling.method is Method.EXACT:
                raise
            return None
        if isinstance(test, Bootstrap):
            self.interval(index)  # while the distribution is in memory
        return p

    def interval(self, index: int) -> Interval | None:
        """Return the interval of a pair from its exact distribution, or None. Intervals are kept."""
        if self._interval_of is None or not self.wanted:
            return None
        if index not in self._intervals:
            try:
                self._intervals[index] = self._interval_of(*self.of(index))
            except NotApplicableError:
                self._intervals[index] = None
        return self._intervals[index]


def p_values_of_pairs(
    test: SignificanceTest, exact: ExactLaws, hypothesis: Hypothesis, *, counted: Counted, spreads: Callable[[], Spread]
) -> PValue[AnyArray]:
    """Return the p-values of a test for all pairs of a table. Systems with the same rows have a p-value of 1.

    The hypothesis is about the better-scoring system of each pair. On demand, `counted` returns the numbers of
    resamples in the event of the recentred bootstrap, shape (m,), and `spreads` the spreads of the gains. A test that
    does not fit a pair raises `NotApplicableError`, and so does an exact p-value that is required and not possible.
    """
    return _p_values(test, exact, hypothesis, counted, spreads).with_identical(exact.table.identical)


def _p_values(
    test: SignificanceTest, exact: ExactLaws, hypothesis: Hypothesis, counted: Counted, spreads: Callable[[], Spread]
) -> PValue[AnyArray]:
    table, resampling = exact.table, exact.resampling
    if isinstance(test, TakesTables) and resampling.method is not Method.MONTE_CARLO:
        steps = table.steps if isinstance(test, Bootstrap) else table.flips
        if steps is not None:
            return test.p_values_of_table(steps, hypothesis)
    if isinstance(test, InfluenceT) and table.common is None:
        _check_applies(test, table.pair(0), hypothesis)
        return test.p_values_of_spreads(table, spreads(), hypothesis)
    # Without sufficient statistics, pairs cannot share swaps.
    swaps = isinstance(test, Randomization) and not isinstance(table, RecomputedTable)
    if not (swaps or isinstance(test, Bootstrap)):
        return _one_by_one(test, table, hypothesis, resampling)
    places = range(len(table.pairs))
    p_values = [
        exact.p_value(test, hypothesis, index) for index in (resampling.reporting(places) if exact.wanted else places)
    ]
    missing = [index for index, p in enumerate(p_values) if p is None]
    if missing:
        counts = swap_counts(table, np.array(missing), hypothesis, resampling) if swaps else counted()[missing]
        for index, count in zip(missing, counts.tolist(), strict=True):
            p_values[index] = PValue.of_counts(count, resampling.n_resamples)
    return PValue.of_pairs([p for p in p_values if p is not None])


def _one_by_one(
    test: SignificanceTest, table: SystemTable, hypothesis: Hypothesis, resampling: Resampling
) -> PValue[AnyArray]:
    """Run a test pair by pair, some pairs at a time, because sampled distributions hold all resamples."""
    p_values = []
    for start in range(0, len(table.pairs), _TOGETHER):
        pairs = [table.pair(index) for index in range(start, min(start + _TOGETHER, len(table.pairs)))]
        laws = GainLaws(pairs, resampling)
        for index, pair in enumerate(pairs):
            _check_applies(test, pair, hypothesis)
            p_values.append(test.p_value(pair, laws.of_pair(index), hypothesis))
            if resampling.progress is not None:
                resampling.progress(len(p_values), len(table.pairs))
    return PValue.of_pairs(p_values)


def _check_applies(test: SignificanceTest, pair: Pair, hypothesis: Hypothesis) -> None:
    """Refuse a test that does not fit a pair."""
    obstacle = test.obstacle(pair, hypothesis)
    if obstacle is not None:
        what = f"it {obstacle}"
        raise NotApplicableError(Problem(opt("tests", test.name), what, "Use another test.", "not-applicable"))


def swap_counts(table: SystemTable, chosen: IntArray, hypothesis: Hypothesis, resampling: Resampling) -> IntArray:
    """Return the number of swaps with a gain at least as extreme as observed, of r, per chosen pair, shape (chosen,).

    All pairs share the bits. With T the totals of a system's rows on swapped units, swapping two systems gives
    A − T_A + T_B and B − T_B + T_A. Units on which all systems agree need no swap.

    Notes
    -----
    Cost: one product of matrices, then two scores per pair and resample.
    """
    differing = np.any([(rows != table.rows[0]).any(axis=1) for rows in table.rows[1:]], axis=0)
    if not differing.any():
        differing[0] = True
    rows = np.column_stack([rows[differing] for rows in table.rows])
    whole = np.array([rows.sum(axis=0) for rows in table.rows])
    statistic = partial(_swaps_beyond, table.metric, table.sign, whole, _by_better(table, chosen), hypothesis)
    counts = np.zeros(len(chosen))
    for beyond in resampling.engine.batches(SwapScheme(int(differing.sum())), rows, statistic, resampling.n_resamples):
        counts += beyond.sum(axis=0)
    return counts.astype(np.int64)


def _by_better(table: SystemTable, chosen: IntArray) -> list[tuple[int, IntArray, FloatArray, FloatArray]]:
    """Return the chosen pairs grouped by their better system: its index, the other systems, gains and tolerances."""
    pairs = table.pairs
    better = pairs.better[chosen]
    by_better = []
    for system in np.unique(better):
        index = chosen[better == system]
        by_better.append((int(system), pairs.worse[index], pairs.gains[index], pairs.tolerances[index]))
    return by_better


def _swaps_beyond(
    metric: Metric,
    sign: float,
    whole: FloatArray,
    chosen: Sequence[tuple[int, IntArray, FloatArray, FloatArray]],
    hypothesis: Hypothesis,
    taken: FloatArray,
) -> FloatArray:
    """Count the swaps, whose totals are `taken`, shape (b, s·k), that meet the event of each pair, shape (1, pairs)."""
    totals = taken.reshape(len(taken), *whole.shape)
    counts = []
    for better, worse, gains, tolerances in chosen:
        moved = totals[:, worse] - totals[:, [better]]
        reached = sign * (metric.score(whole[better] + moved) - metric.score(whole[worse] - moved))
        if hypothesis.alternative is Alternative.TWO_SIDED:
            reached = np.abs(reached)
        beyond = reached > gains + tolerances if hypothesis.ties is Ties.STRICT else reached >= gains - tolerances
        counts.append(np.count_nonzero(beyond, axis=0))
    return np.concatenate(counts)[None, :].astype(np.float64)
