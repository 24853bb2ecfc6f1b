"""BK12's p-values of all pairs: one-sided, in the observed direction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from outscore._types import BoolArray, FloatArray, IntArray
from outscore.gains.gain_laws import Hypothesis, Resampling
from outscore.gains.score_draws import Pairs, ScoreDraws, draw_scores
from outscore.gains.tables import SystemTable
from outscore.laws.exact.enumeration import rarest_draw
from outscore.questions.ranks.all_pairs import ExactLaws, outcomes_of_pairs
from outscore.results import Alternative, Estimator, Method, Ties
from outscore.significance.base import SignificanceTest
from outscore.significance.bootstrap import Bootstrap
from outscore.significance.p_values import PValues
from outscore.wings.studies.systems import StudySystems

_CELLS = 2**16  # gains per block: they stay in the L2 cache


@dataclass(frozen=True, eq=False)
class PairTests:
    """Tests of pairs of systems, on one test set or on several in sequence.

    Attributes
    ----------
    better, worse : ndarray of int, shape (m,)
        Places of the candidate, which scores higher, and of the baseline among the systems.
    gains : ndarray, shape (m,)
        ≥ 0.
    p_values : ndarray, shape (m,)
        One per pair.
    exact : bool
        Whether all p-values are exact rather than sampled.
    bounds : ndarray of bool, shape (m,), optional
        Marks p-values whose statistic no resample reached. Their value, 1/(r + 1) or 1/r, is only an approximate
        upper bound. None if there are no such p-values.
    """

    better: IntArray
    worse: IntArray
    gains: FloatArray
    p_values: FloatArray
    exact: bool
    bounds: BoolArray | None = None

    def __len__(self) -> int:
        return len(self.gains)

    @property
    def valued(self) -> BoolArray:
        """Which p-values are not bounds, shape (m,)."""
        return np.ones(len(self), dtype=bool) if self.bounds is None else ~self.bounds

    @staticmethod
    def joined(parts: list[PairTests]) -> PairTests:
        """Return the tests of several test sets as one."""
        columns = [[part.better, part.worse, part.gains, part.p_values, ~part.valued] for part in parts]
        better, worse, gains, p_values, bounds = (np.concatenate(column) for column in zip(*columns, strict=True))
        return PairTests(better, worse, gains, p_values, all(part.exact for part in parts), bounds)


def pair_tests(
    systems: StudySystems,
    resampling: Resampling,
    *,
    test: SignificanceTest | None = None,
    ties: Ties = Ties.COUNT,
    estimator: Estimator = Estimator.ADD_ONE,
    many: bool = False,
) -> PairTests:
    """Test every pair: H0: δ ≤ 0, δ the gain of the better-scoring system of the pair.

    p = P(δ* ≥ 2δ), BK12's Figure 1 with ≥ for >. As the data choose the direction, it is at most about ½ and, for
    equally good systems, half as large as a valid p-value.

    Cost: one product of shapes (r, n) and (n, s·k), and 2 ns per pair and resample. Memory: 8rs bytes.

    With `many` test sets, exact distributions are used only if they take microseconds per pair: for binary scores.
    """
    test = test or Bootstrap()
    hypothesis = Hypothesis(Alternative.GREATER, 0.0, ties)
    order = SystemTable.order(systems.metric, systems.rows)
    table = SystemTable(systems.metric, [systems.rows[i] for i in order], systems.strata)
    pairs = table.pairs

    def counted() -> IntArray:
        draws = draw_scores(table.metric, table.rows, table.strata, resampling)
        return counts_beyond(draws, pairs, ties)

    if many and isinstance(test, Bootstrap) and resampling.method is not Method.EXACT:
        exact = table.steps is not None and resampling.method is Method.AUTO
        if exact:
            p_values, bounds = _of_binary(table, ties), np.zeros(len(pairs), dtype=bool)
        else:
            counts = counted()
            p_values, bounds = _estimated(counts, resampling.n_resamples, estimator), (counts == 0) & ~table.identical
        p_values = np.where(table.identical, 1.0, p_values)
    else:
        laws = ExactLaws(table, resampling)
        outcomes = outcomes_of_pairs(
            test, table, hypothesis, resampling, exact=laws, counted=counted, spreads=table.spreads
        )
        p_values, bounds = PValues(outcomes, estimator).values, outcomes.n_exceeding == 0
        exact = outcomes.n_resamples is None and not outcomes.asymptotic.any()
    return PairTests(order[pairs.better], order[pairs.worse], pairs.gains, p_values, exact, bounds)


def _of_binary(table: SystemTable, ties: Ties) -> FloatArray:
    """Return P(S ≥ 2D) for sums S of binary differences that add up to D in the data, without an object per pair."""
    steps = table.steps
    assert steps is not None
    values, _ = steps.at_least(2 * np.maximum(steps.mean, 0) + int(ties is Ties.STRICT))
    return np.maximum(values, rarest_draw(None, steps.n))


def _estimated(counts: IntArray, r: int, estimator: Estimator) -> FloatArray:
    return (counts + 1) / (r + 1) if estimator is Estimator.ADD_ONE else np.maximum(counts, 1) / r


def counts_beyond(draws: ScoreDraws, pairs: Pairs, ties: Ties) -> IntArray:
    """Return the number of resamples with δ* − δ ≥ δ for each pair, shape (m,)."""
    strict = ties is Ties.STRICT
    limits = pairs.gains + pairs.tolerances * (1.0 if strict else -1.0)
    counts = np.zeros(len(pairs), dtype=np.int64)
    starts = np.searchsorted(pairs.better, np.unique(pairs.better))
    blocks = list(zip(starts, [*starts[1:], len(pairs)], strict=True))
    for start, stop in blocks:
        width = max(1, _CELLS // (stop - start))
        one, others = pairs.better[start], pairs.worse[start:stop]
        contiguous = len(others) == others[-1] - others[0] + 1
        chosen = slice(int(others[0]), int(others[-1]) + 1) if contiguous else others
        for left in range(0, draws.n_resamples, width):
            block = slice(left, left + width)
            gains = draws.deviations[one, block] - draws.deviations[chosen, block]
            limit = limits[start:stop, None]
            counts[start:stop] += np.count_nonzero(gains > limit if strict else gains >= limit, axis=1)
    return counts
