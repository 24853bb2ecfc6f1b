"""The scores of many systems on shared draws, and what they say of every pair.

One product a block gives the totals of all systems (BK12, footnote 5); scores are kept, r × s of them, and gains
of pairs are looked at a block at a time: never r × pairs of them at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.executors import mapped_in_threads
from outscore.metrics import Metric
from outscore.resampling import BootstrapScheme, Engine
from outscore.results import Alternative, Ties
from outscore.significance.base import Question
from outscore.significance.corrections import step_down_counts, step_down_p_values
from outscore.significance.gain_laws import Resampling

if TYPE_CHECKING:
    from concurrent.futures import Executor

__all__ = ["PairScan", "Pairs", "ScoreDraws", "blocks", "draw_right", "draw_scores"]

_BLOCK = 2**14  # resamples looked at at once: three such arrays stay in the L2 cache
_PILOT = 2**12  # resamples from which the tails are guessed
_SURE = 4.5  # standard errors between the guess and a quantile
_MOST_SCORES = 2**22  # looked at at once
_MOST_VALUES = 2**25  # values in tails that are kept at once
_CANCELLED = 1e-8  # a variance so much smaller than those of the two systems is computed from the gains


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of systems, the better-scoring system of each first.

    Attributes
    ----------
    better, worse : ndarray of int, shape (m,)
        Places of the candidate and of the baseline among the systems.
    gains : ndarray, shape (m,)
        ≥ 0; 0 where rounding alone makes a difference.
    tolerances : ndarray, shape (m,)
        How far apart two gains can be that are equal in real arithmetic.
    """

    better: IntArray
    worse: IntArray
    gains: FloatArray
    tolerances: FloatArray

    def __len__(self) -> int:
        return len(self.gains)


@dataclass(frozen=True, eq=False)
class PairScan:
    """What the draws say of every pair.

    Attributes
    ----------
    n_exceeding : ndarray of int, shape (m,)
        c: resamples whose gain is as far from δ as δ is from 0 (two-sided), or as far above (greater).
    p_maxt : ndarray or None
        Step-down max-T over all pairs.
    low, high : ndarray, shape (m,)
        Percentiles of the gains.
    reach : ndarray, shape (m,)
        How far from δ the resamples lie that are in neither tail, were these of one size: of |δ* − δ| the percentile.
    """

    n_exceeding: IntArray
    p_maxt: FloatArray | None
    low: FloatArray
    high: FloatArray
    reach: FloatArray


@dataclass(frozen=True, eq=False)
class ScoreDraws:
    """r replicates of the scores of s systems, from shared draws.

    Attributes
    ----------
    observed : ndarray, shape (s,)
        The scores themselves, turned so that higher is better.
    deviations : ndarray, shape (s, r)
        Replicates less the observed scores, in double precision, or in single where they are whole numbers.
    common : tuple of (float, ndarray), optional
        The score of what was left out of all systems' rows, and its deviations, shape (r,): gains have no part in it.
    unit : float
        What 1 in `deviations` is in the unit of scores: sums of right answers are kept as whole numbers.
    shared : bool
        Whether another product by `BootstrapScheme` has the same draws.
    """

    observed: FloatArray
    deviations: AnyArray
    executor: Executor | None = None
    common: tuple[float, FloatArray] | None = None
    unit: float = 1.0
    shared: bool = True

    @property
    def n_resamples(self) -> int:
        return int(self.deviations.shape[1])

    def quantiles(self, system: int, tail: float) -> tuple[float, float]:
        """Return the quantiles of a system's scores at `tail` and 1 − `tail`."""
        observed, deviations = self.observed[system], self.deviations[system]
        if self.common is not None:
            observed, deviations = observed + self.common[0], deviations + self.common[1]
        low, high = _tail_quantiles(deviations, tail)
        return float(observed + self.unit * low), float(observed + self.unit * high)

    def gains(self, pairs: Pairs, index: int) -> FloatArray:
        """Return the gains of a pair under all resamples, shape (r,)."""
        return np.asarray(pairs.gains[index] + self._gains(pairs, index, slice(None)))

    def shares_of_best(self, tolerance: float) -> FloatArray:
        """Return the share of resamples in which each system scores best, shape (s,); systems that tie share it."""
        # Whole numbers, by how many systems tie, so that the blocks do not matter.
        counts: dict[int, IntArray] = {}
        for block in blocks(self.n_resamples, max(1, _MOST_SCORES // len(self.observed))):
            scores = self.unit * self.deviations[:, block].astype(np.float64, copy=False) + self.observed[:, None]
            best = scores >= scores.max(axis=0) - tolerance
            tying = best.sum(axis=0)
            for number in np.unique(tying).tolist():
                firsts = best[:, tying == number].sum(axis=1)
                counts[number] = counts.get(number, np.zeros(len(firsts), dtype=np.int64)) + firsts
        shares = np.sum([counts[number] / number for number in sorted(counts)], axis=0)
        return np.asarray(shares / self.n_resamples)

    def standard_errors(self, pairs: Pairs) -> FloatArray:
        """Return the standard deviations of the pairs' gains over the resamples, shape (m,); 0 where rounding is all.

        From the covariances of the scores: one product of matrices for all pairs.
        """
        r = self.n_resamples
        products = np.zeros((len(self.observed), len(self.observed)))
        for block in blocks(r):
            part = self.deviations[:, block]
            products += part @ part.T
        means = self.deviations.mean(axis=1)
        covariance = self.unit**2 * (products / r - np.multiply.outer(means, means))
        variances = np.diag(covariance)
        both = variances[pairs.better] + variances[pairs.worse]
        variance = both - 2 * covariance[pairs.better, pairs.worse]
        for index in np.flatnonzero(variance <= _CANCELLED * both):
            variance[index] = float(np.var(self._gains(pairs, int(index), slice(None))))
        errors = np.sqrt(np.maximum(variance, 0.0))
        return np.where(errors <= pairs.tolerances, 0.0, errors)

    def scan(
        self,
        pairs: Pairs,
        question: Question,
        tail: float,
        errors: FloatArray | None = None,
        thresholds: FloatArray | None = None,
    ) -> PairScan:
        """Look at the gains of all pairs: counts for p-values, max-T, percentiles.

        max-T takes the statistics (δ* − δ)/se, two-sided |δ* − δ|/se, with se the standard deviation of the pair's
        gain under the bootstrap, so that pairs of systems that are alike weigh as much as pairs of systems that are
        not (Romano & Wolf 2005, section 4.2).

        Parameters
        ----------
        pairs : Pairs
        question : Question
            two-sided or greater.
        tail : float
            Of the percentiles: (1 − confidence level)/2.
        errors : ndarray, shape (m,), optional
            se; 0 where rounding is all, whose statistics are 0. Not needed without max-T.
        thresholds : ndarray, shape (m,), optional
            The observed statistics, which those of replicates reach or do not; without them there is no max-T.

        Notes
        -----
        Cost: about 3 ns a pair and resample. Memory: up to 256 MB beside the scores.
        """
        m, r = len(pairs), self.n_resamples
        assert self.unit == 1  # sums of right answers need no looking at: their laws are known
        max_t = errors is not None and thresholds is not None
        scales = np.zeros(m) if errors is None else np.divide(1.0, errors, out=np.zeros(m), where=errors > 0)
        thresholds = np.zeros(m) if thresholds is None else thresholds
        order = np.argsort(thresholds, kind="stable")  # ascending, as step-down counts want it
        counts, reached = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
        low, high, reach = np.zeros(m), np.zeros(m), np.zeros(m)
        largest = np.full(r, -np.inf)
        reaches = np.full(m, np.inf) if r <= 4 * _PILOT else np.array([self._reach(pairs, j, tail) for j in range(m)])
        chunk = max(1, int(_MOST_VALUES / (0.1 * r + 1)))
        for start in range(0, m, chunk):
            part = order[start : start + chunk]
            view = partial(
                self._block, pairs, part, question, scales[part], thresholds[part], reaches[part], largest, max_t
            )
            tails: list[list[FloatArray]] = [[] for _ in part]
            # The scores are not sent to other processes: threads share them.
            for block_counts, block_reached, block_tails in mapped_in_threads(self.executor, view, blocks(r)):
                counts[part] += block_counts
                reached[part] += block_reached
                for kept, values in zip(tails, block_tails, strict=True):
                    kept.append(values)
            for index, kept in zip(part, tails, strict=True):
                ends = _ends(np.concatenate(kept), r, tail) or _ends(self._gains(pairs, index, slice(None)), r, tail)
                assert ends is not None
                *both, reach[index] = ends
                low[index], high[index] = (pairs.gains[index] + end for end in both)
        p_maxt = None
        if max_t:
            p_maxt = np.empty(m)
            p_maxt[order] = step_down_p_values(reached[order], r)
        return PairScan(counts, p_maxt, low, high, reach)

    def _gains(self, pairs: Pairs, index: int, block: slice) -> FloatArray:
        """Return a pair's gains less the observed one."""
        one, other = self.deviations[pairs.better[index], block], self.deviations[pairs.worse[index], block]
        return np.asarray(self.unit * (one - other))

    def _reach(self, pairs: Pairs, index: int, tail: float) -> float:
        """Return a distance from δ beyond which both percentiles lie almost surely; infinity where there is none."""
        return _reach(self._gains(pairs, index, slice(0, _PILOT)), tail)

    def _block(
        self,
        pairs: Pairs,
        part: IntArray,
        question: Question,
        scales: FloatArray,
        thresholds: FloatArray,
        reaches: FloatArray,
        largest: FloatArray,
        max_t: bool,
        block: slice,
    ) -> tuple[IntArray, IntArray, list[FloatArray]]:
        """Return counts for p and for max-T, and the values in the tails, of some pairs in one block of resamples."""
        counts = np.zeros(len(part), dtype=np.int64)
        tails: list[FloatArray] = []
        two_sided = question.alternative is Alternative.TWO_SIDED
        reached = np.greater if question.ties is Ties.STRICT else np.greater_equal
        slack = pairs.tolerances[part] * (1.0 if question.ties is Ties.STRICT else -1.0)
        limits = pairs.gains[part] + slack

        size = block.stop - block.start
        signed, distance, scaled = np.empty(size), np.empty(size), np.empty(size)
        beyond = np.empty(size, dtype=bool)

        def statistics_of_pairs() -> Iterator[FloatArray]:
            for place, index in enumerate(part):
                np.subtract(
                    self.deviations[pairs.better[index], block], self.deviations[pairs.worse[index], block], out=signed
                )
                np.abs(signed, out=distance)
                extremity = distance if two_sided else signed
                counts[place] = np.count_nonzero(reached(extremity, limits[place], out=beyond))
                tails.append(signed[np.greater_equal(distance, reaches[place], out=beyond)])
                if max_t:
                    yield np.multiply(extremity, scales[place], out=scaled)

        within = thresholds - pairs.tolerances[part] * scales
        steps = step_down_counts(within, statistics_of_pairs(), largest[block])
        return counts, steps, tails


def draw_scores(
    metric: Metric,
    systems: Sequence[FloatArray],
    strata: AnyArray | None,
    resampling: Resampling,
    common: FloatArray | None = None,
    *,
    shared: bool = True,
) -> ScoreDraws:
    """Return replicates of all systems' scores: what `metric` makes of the weighted totals of r resamples.

    Parameters
    ----------
    metric : Metric
    systems : sequence of ndarray, shape (n_units, k)
        Rows of the units of each system, all in the same order.
    strata : ndarray of int, shape (n_units,), optional
    resampling : Resampling
    common : ndarray, shape (n_units, k), optional
        What was left out of all systems' rows.
    shared : bool
        Whether another product is to have the same draws.

    Notes
    -----
    Cost: one product of shapes (r, n) and (n, s·k), less what columns repeat. Memory: 8rs bytes.
    """
    sign = 1.0 if metric.higher_is_better else -1.0
    if common is not None:
        # As another system: the denominators of any one are those of all.
        systems = [*systems, systems[0] * (common == 0).all(axis=0) + common]
    observed = sign * np.array([float(metric.score(rows.sum(axis=0))) for rows in systems])
    scheme = BootstrapScheme(len(systems[0]), strata, shared=shared)
    engine = Engine(resampling.seed, resampling.executor, resampling.progress)
    statistic = partial(_deviations, metric, sign, observed)
    deviations = np.empty((len(systems), resampling.n_resamples))
    start = 0
    for values in engine.batches(scheme, np.column_stack(systems), statistic, resampling.n_resamples):
        deviations[:, start : start + len(values)] = values.T
        start += len(values)
    if common is not None:
        left_out = float(observed[-1]), deviations[-1]
        return ScoreDraws(observed[:-1], deviations[:-1], resampling.executor, left_out, shared=shared)
    return ScoreDraws(observed, deviations, resampling.executor, shared=shared)


def draw_right(
    right: AnyArray, sign: float, resampling: Resampling, *, start: int = 0, stop: int | None = None
) -> ScoreDraws:
    """Return replicates of the shares of right answers: those from `start`, whole shards, to `stop`.

    Parameters
    ----------
    right : ndarray, shape (s, n_units)
        1 or 0.
    sign : float
        1, or −1 where lower is better.
    resampling : Resampling

    Notes
    -----
    Cost: one product of shapes (r, n) and (n, s). Memory: 4rs bytes.
    """
    s, n = right.shape
    stop = resampling.n_resamples if stop is None else stop
    observed = right.sum(axis=1, dtype=np.float64)
    engine = Engine(resampling.seed, resampling.executor, resampling.progress)
    statistic = partial(_whole_deviations, sign, observed)
    deviations = np.empty((s, stop - start), dtype=np.float32)
    done = 0
    for values in engine.batches(BootstrapScheme(n), right.T, statistic, stop, start=start):
        deviations[:, done : done + len(values)] = values.T
        done += len(values)
    return ScoreDraws(sign * observed / n, deviations, resampling.executor, unit=1 / n)


def _whole_deviations(sign: float, observed: FloatArray, totals: FloatArray) -> FloatArray:
    return np.asarray(sign * (totals - observed), dtype=np.float32)


def _deviations(metric: Metric, sign: float, observed: FloatArray, totals: FloatArray) -> FloatArray:
    """Return the scores of all systems less the observed ones, shape (b, s·k) to (b, s)."""
    scores = metric.score(totals.reshape(len(totals), len(observed), -1))
    return np.asarray(sign * scores - observed)


def blocks(r: int, size: int = _BLOCK) -> list[slice]:
    """Return r resamples in parts that are looked at at once."""
    return [slice(start, min(start + size, r)) for start in range(0, r, size)]


def _places(r: int, tail: float) -> tuple[int, int]:
    """Return how many values lie below the lower quantile and above the upper one: as `SampledLaw.quantile` counts."""
    lower = min(max(math.ceil(tail * r * (1 - 1e-13)) - 1, 0), r - 1)
    upper = min(max(math.ceil((1 - tail) * r * (1 - 1e-13)) - 1, 0), r - 1)
    return lower, r - 1 - upper


def _reach(pilot: FloatArray, tail: float) -> float:
    share = tail + _SURE * math.sqrt(tail * (1 - tail) / len(pilot))
    below, above = _places(len(pilot), min(share, 0.5))
    ordered = np.partition(pilot, [below, len(pilot) - 1 - above])
    reach = min(-float(ordered[below]), float(ordered[len(pilot) - 1 - above]))
    return reach if reach > 0 else math.inf


def _ends(values: FloatArray, r: int, tail: float) -> tuple[float, float, float] | None:
    """Return both quantiles of r values, and that of their sizes; of values the outermost or all, None if too few."""
    below, above = _places(r, tail)
    beyond = min(math.floor(2 * tail * r * (1 + 1e-13)), r - 1)  # as `SampledLaw.reach` counts
    low, high = values[values < 0], values[values > 0]
    if len(values) == r:
        ordered = np.partition(values, [below, r - 1 - above])
        ends = float(ordered[below]), float(ordered[r - 1 - above])
    elif below >= len(low) or above >= len(high) or beyond >= len(values):
        return None
    else:
        ends = float(np.partition(low, below)[below]), float(np.partition(high, len(high) - 1 - above)[-1 - above])
    place = len(values) - 1 - beyond
    return *ends, float(np.partition(np.abs(values), place)[place])


def _tail_quantiles(deviations: FloatArray, tail: float) -> tuple[float, float]:
    r = len(deviations)
    reach = _reach(deviations[:_PILOT], tail) if r > 4 * _PILOT else math.inf
    ends = _ends(deviations[np.abs(deviations) >= reach], r, tail) or _ends(deviations, r, tail)
    assert ends is not None
    return ends[:2]
