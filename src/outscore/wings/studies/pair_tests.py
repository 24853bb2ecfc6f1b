"""BK12's p-values of all pairs: one-sided, in the observed direction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from outscore._types import BoolArray, FloatArray, IntArray
from outscore.gains.gain_laws import Hypothesis, Resampling
from outscore.gains.score_draws import Pairs, ScoreDraws, draw_scores
from outscore.gains.tables import SystemTable
from outscore.questions.ranks.all_pairs import ExactLaws, p_values_of_pairs
from outscore.results import Alternative, Estimator, Method, Ties
from outscore.significance.base import SignificanceTest
from outscore.significance.bootstrap import Bootstrap
from outscore.significance.p_values import PValue
from outscore.wings.studies.systems import StudySystems

_CELLS = 2**16  # gains per block: they stay in the L2 cache


@dataclass(frozen=True, eq=False)
class PairTests:
    """Tests of pairs of systems, on one test set or on several in sequence."""

    # Both of shape (m,): places of the candidate, which scores higher, and of the baseline among the systems.
    better: IntArray
    worse: IntArray
    gains: FloatArray  # shape (m,): ≥ 0
    p_values: FloatArray  # shape (m,): one per pair
    exact: bool  # whether all p-values are exact rather than sampled
    # Shape (m,): marks p-values whose statistic no resample reached. Their value, 1/(r + 1) or 1/r, is only an
    # approximate upper bound. None if there are no such p-values.
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

    derived = resampling.method is Method.EXACT or (table.steps is not None and resampling.method is Method.AUTO)
    if many and isinstance(test, Bootstrap) and not derived:
        p = PValue.of_counts(counted(), resampling.n_resamples).with_identical(table.identical)
    else:
        exact_laws = ExactLaws(table, resampling)
        p = p_values_of_pairs(test, exact_laws, hypothesis, counted=counted, spreads=table.spreads)
    p_values, exact = p.estimated(estimator).value, p.n_resamples is None and not p.is_asymptotic.any()
    bounds = np.equal(p.n_exceeding, 0)
    return PairTests(order[pairs.better], order[pairs.worse], pairs.gains, p_values, exact, bounds)


def counts_beyond(draws: ScoreDraws, pairs: Pairs, ties: Ties) -> IntArray:
    """Return the number of resamples with δ* − δ ≥ δ for each pair, shape (m,)."""
    strict = ties is Ties.STRICT
    limits = pairs.gains + pairs.tolerances * (1.0 if strict else -1.0)
    counts = np.zeros(len(pairs), dtype=np.int64)
    starts = np.searchsorted(pairs.better, np.unique(pairs.better))
    blocks = list(zip(starts, [*starts[1:], len(pairs)], strict=True))
    for start, stop in blocks:
        width = max(1, _CELLS // (stop - start))
        better, others = pairs.better[start], pairs.worse[start:stop]
        contiguous = len(others) == others[-1] - others[0] + 1
        chosen = slice(int(others[0]), int(others[-1]) + 1) if contiguous else others
        for left in range(0, draws.n_resamples, width):
            block = slice(left, left + width)
            gains = draws.deviations[better, block] - draws.deviations[chosen, block]
            limit = limits[start:stop, None]
            counts[start:stop] += np.count_nonzero(gains > limit if strict else gains >= limit, axis=1)
    return counts
