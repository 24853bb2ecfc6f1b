"""The scores of many systems on shared draws, and statistics of them for every pair.

One product per block gives the totals of all systems (BK12, footnote 5). The r × s scores are kept. The gains of pairs
are computed one block at a time, never all r × pairs of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.gains.gain_laws import Hypothesis, Resampling
from outscore.laws.executors import mapped_in_threads
from outscore.laws.resampling import BootstrapScheme
from outscore.laws.tolerances import JUST_ABOVE, JUST_BELOW, MOST_TAIL_VALUES, SCORE_BLOCK
from outscore.metrics import Metric
from outscore.results import Alternative, Ties

if TYPE_CHECKING:
    from concurrent.futures import Executor

_PILOT = 2**12  # samples from which the tails are guessed
_SURE = 4.5  # standard errors between the guess and a quantile


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of systems, the better-scoring system of each first."""

    better: IntArray  # indices of the candidates among the systems, shape (m,)
    worse: IntArray  # indices of the baselines
    gains: FloatArray  # 0 or more; 0 if the scores differ only by rounding
    tolerances: FloatArray  # maximum difference by rounding between gains that are equal in real arithmetic

    def __len__(self) -> int:
        return len(self.gains)


@dataclass(frozen=True, eq=False)
class PairScan:
    """Statistics of the draws for every pair.

    Attributes
    ----------
    n_exceeding : ndarray of int, shape (m,)
        c: number of samples with a gain as far from δ as δ is from 0 (two-sided), or as far above (greater).
    low, high : ndarray, shape (m,)
        Percentiles of the gains.
    reach : ndarray, shape (m,)
        Percentile of |δ* − δ|, the half-width of the symmetric interval.
    """

    n_exceeding: IntArray
    low: FloatArray
    high: FloatArray
    reach: FloatArray


@dataclass(frozen=True, eq=False)
class ScoreDraws:
    """r bootstrap samples of the scores of s systems, from shared draws.

    `deviations` are sampled minus observed scores, shape (s, r), signed so that higher is better.
    """

    deviations: FloatArray
    executor: Executor | None = None

    @property
    def n_resamples(self) -> int:
        return int(self.deviations.shape[1])

    def gains(self, pairs: Pairs, index: int) -> FloatArray:
        """Return the gains of a pair in all samples, shape (r,)."""
        return np.asarray(pairs.gains[index] + self._gains(pairs, index, slice(None)))

    def scan(self, pairs: Pairs, hypothesis: Hypothesis, tail: float) -> PairScan:
        """Return the counts for p-values, and percentiles, of all pairs.

        `tail` is that of the percentiles, (1 − confidence level)/2. Cost: about 3 ns per pair and sample. Memory: up to
        256 MB in addition to the scores.
        """
        m, r = len(pairs), self.n_resamples
        counts = np.zeros(m, dtype=np.int64)
        low, high, reach = np.zeros(m), np.zeros(m), np.zeros(m)
        # Percentiles depend on the tails alone. For each pair, few samples show from where on gains are surely in the
        # tails, and only these gains are kept and partitioned. For few samples that saves nothing: then nothing is kept
        # (∞), and `_ends` gets all gains.
        reaches = np.full(m, np.inf) if r <= 4 * _PILOT else np.array([self._reach(pairs, j, tail) for j in range(m)])
        # About a tenth of the gains is kept per pair, at levels up to 5%.
        chunk = max(1, int(MOST_TAIL_VALUES / (0.1 * r + 1)))
        for start in range(0, m, chunk):
            part = np.arange(start, min(start + chunk, m))
            view = partial(self._block, pairs, part, hypothesis, reaches[part])
            tails: list[list[FloatArray]] = [[] for _ in part]
            # The scores are not sent to other processes: threads share them.
            for block_counts, block_tails in mapped_in_threads(self.executor, view, _blocks(r)):
                counts[part] += block_counts
                for kept, values in zip(tails, block_tails, strict=True):
                    kept.append(values)
            for index, kept in zip(part.tolist(), tails, strict=True):
                # If the guess was wrong, too few gains were kept, and the pair is computed again from all. So a guess
                # costs time, but never a wrong percentile.
                ends = _ends(np.concatenate(kept), r, tail) or _ends(self._gains(pairs, index, slice(None)), r, tail)
                assert ends is not None
                *both, reach[index] = ends
                low[index], high[index] = (pairs.gains[index] + end for end in both)
        return PairScan(counts, low, high, reach)

    def _gains(self, pairs: Pairs, index: int, block: slice) -> FloatArray:
        """Return a pair's gains minus the observed one."""
        return np.asarray(self.deviations[pairs.better[index], block] - self.deviations[pairs.worse[index], block])

    def _reach(self, pairs: Pairs, index: int, tail: float) -> float:
        """Return a distance from δ that both percentiles almost surely exceed, or infinity."""
        return _reach(self._gains(pairs, index, slice(0, _PILOT)), tail)

    def _block(
        self, pairs: Pairs, part: IntArray, hypothesis: Hypothesis, reaches: FloatArray, block: slice
    ) -> tuple[IntArray, list[FloatArray]]:
        """Return counts for p-values, and the values in the tails, of some pairs in one block of samples."""
        counts = np.zeros(len(part), dtype=np.int64)
        tails: list[FloatArray] = []
        two_sided = hypothesis.alternative is Alternative.TWO_SIDED
        reached = np.greater if hypothesis.ties is Ties.STRICT else np.greater_equal
        # Gains that equal the observed one up to rounding count as equal: beyond it for ≥, not for >.
        slack = pairs.tolerances[part] * (1.0 if hypothesis.ties is Ties.STRICT else -1.0)
        limits = pairs.gains[part] + slack
        size = block.stop - block.start
        signed, distance = np.empty(size), np.empty(size)
        beyond = np.empty(size, dtype=bool)
        for position, index in enumerate(part):
            # The arrays are reused for all pairs, so that they stay in the L2 cache (`SCORE_BLOCK`).
            np.subtract(
                self.deviations[pairs.better[index], block], self.deviations[pairs.worse[index], block], out=signed
            )
            np.abs(signed, out=distance)
            extremity = distance if two_sided else signed
            counts[position] = np.count_nonzero(reached(extremity, limits[position], out=beyond))
            tails.append(signed[np.greater_equal(distance, reaches[position], out=beyond)])
        return counts, tails


def draw_scores(
    metric: Metric,
    systems: Sequence[FloatArray],
    strata: AnyArray | None,
    resampling: Resampling,
    *,
    shared: bool = True,
) -> ScoreDraws:
    """Return bootstrap samples of all systems' scores: the metric's scores of the weighted totals of r samples.

    Rows of each system are of shape (n_units, k), all in the same order. `shared` is whether another product needs the
    same draws, as in `BootstrapScheme`.

    Cost: one product of shapes (r, n) and (n, s·k), without repeated columns. Memory: 8rs bytes.
    """
    sign = 1.0 if metric.higher_is_better else -1.0
    observed = sign * np.array([float(metric.score(rows.sum(axis=0))) for rows in systems])
    scheme = BootstrapScheme(len(systems[0]), strata, shared=shared)
    statistic = partial(_deviations, metric, sign, observed)
    deviations = np.empty((len(systems), resampling.n_resamples))
    start = 0
    for values in resampling.engine.batches(scheme, np.column_stack(systems), statistic, resampling.n_resamples):
        deviations[:, start : start + len(values)] = values.T
        start += len(values)
    return ScoreDraws(deviations, resampling.executor)


def _deviations(metric: Metric, sign: float, observed: FloatArray, totals: FloatArray) -> FloatArray:
    """Return the scores of all systems minus the observed ones, shape (b, s·k) to (b, s)."""
    scores = metric.score(totals.reshape(len(totals), len(observed), -1))
    return np.asarray(sign * scores - observed)


def _blocks(r: int) -> list[slice]:
    """Return blocks of r samples."""
    return [slice(start, min(start + SCORE_BLOCK, r)) for start in range(0, r, SCORE_BLOCK)]


def _places(r: int, tail: float) -> tuple[int, int]:
    """Return the numbers of values below the lower and above the upper quantile, as in `SampledLaw.quantile`."""
    lower = min(max(math.ceil(tail * r * JUST_BELOW) - 1, 0), r - 1)
    upper = min(max(math.ceil((1 - tail) * r * JUST_BELOW) - 1, 0), r - 1)
    return lower, r - 1 - upper


def _reach(pilot: FloatArray, tail: float) -> float:
    # The guess is the quantile of a larger tail, by 4.5 standard errors: it fails for one of 300,000 tails.
    share = tail + _SURE * math.sqrt(tail * (1 - tail) / len(pilot))
    below, above = _places(len(pilot), min(share, 0.5))
    ordered = np.partition(pilot, [below, len(pilot) - 1 - above])
    reach = min(-float(ordered[below]), float(ordered[len(pilot) - 1 - above]))
    return reach if reach > 0 else math.inf


def _ends(values: FloatArray, r: int, tail: float) -> tuple[float, float, float] | None:
    """Return both quantiles of r values, and that of their sizes, given the outermost or all; None if too few."""
    below, above = _places(r, tail)
    beyond = min(math.floor(2 * tail * r * JUST_ABOVE), r - 1)  # as in `SampledLaw.reach`
    low, high = values[values < 0], values[values > 0]
    if len(values) == r:
        ordered = np.partition(values, [below, r - 1 - above])
        ends = float(ordered[below]), float(ordered[r - 1 - above])
    elif below >= len(low) or above >= len(high) or beyond >= len(values):
        return None
    else:
        ends = float(np.partition(low, below)[below]), float(np.partition(high, len(high) - 1 - above)[-1 - above])
    last = len(values) - 1 - beyond
    return *ends, float(np.partition(np.abs(values), last)[last])
