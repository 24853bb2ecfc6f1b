"""Step-down max-T over all pairs of many systems, from normal samples of their scores.

The largest of many statistics is compared with its distribution if all systems were equal (Westfall & Young 1993;
Romano & Wolf 2005). Each pair's p-value is put on the normal scale, z = Φ⁻¹(1 − p/2). The joint distribution is that of
normal scores with the covariances of the units' influences. A fraction of 6/m of each pair's variance, with m its
effective number of units, is made independent, because few units overstate the correlation of pairs.
docs/calibration.md has the family-wise error rates.
"""

from __future__ import annotations

import math
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.gains.score_draws import Pairs
from outscore.laws.beta import binomial_at_least
from outscore.laws.executors import mapped_in_threads
from outscore.laws.student import normal_quantiles
from outscore.laws.tolerances import NOISE, SINGLE_NOISE
from outscore.significance.corrections import step_down_p_values

# Of a pair's variance, over its effective units. 6 was measured: with 2 the family-wise error of 40 AP runs on 50
# topics is 10.0%, with 4 8.9%, with 6 8.3%. From 20 units on it costs at most 2 points of power (docs/calibration.md).
_OWN_SHARE = 6.0
_NEGLIGIBLE = 0.01  # shares so small are left in the common part
_SMALLEST = 1e-60  # variance of a pair beside the largest: draws of 1e-30 are exact in single precision, from 1e-38 on
_BLOCK = 2**13  # draws at once
_FIRST_LOOK = 2 * _BLOCK  # samples before the decisions are checked
_RISK = 0.001
_CLEAR = 10  # standard deviations: beyond them a decision is clear at any risk
_UNCLEAR = 200  # of so many pairs one may stay unclear
_TOGETHER = 256  # pairs of which all, or none, may reach their thresholds
# From so many pairs on, only the few values that noise can lift above the running maxima are computed, once these are
# this high. Noise of few units reaches so far that nearly all values would be computed.
_MANY_PAIRS, _HIGH = 400_000, 2.4
_UNUSUAL = 0.02  # of the pairs, those of least variance: without them the variances are similar
_WIDER = 1.001  # for rounding in single precision
_STREAM = 5
_UNREACHED = 9.0  # standard deviations: one of 4·10¹⁸ draws is larger, so the pairs beyond it are not drawn
_FARTHEST = 6.0  # standard deviations: one draw in 5·10⁸ of the noise is larger
_ONE_THREAD, _FEW_SYSTEMS = 2**19, 128  # so many operations stay in one thread of the linear algebra library
_KEPT = 2**22  # errors of draws that are kept
_MOST_DRAWN = 2**26  # errors for the shares of first places: 100,000 samples of 650 systems, fewer of more


@dataclass(frozen=True, eq=False)
class NormalDraws:
    """Normal samples of the errors of all systems' scores, in blocks that depend only on the seed."""

    # The covariance of the scores, turned so that higher is better, in multiples of the unit's square.
    covariance: FloatArray
    seed: int
    # The samples are in multiples of it. They are in single precision, which has a range of 10⁻³⁸ to 10³⁸ only.
    unit: float = 1.0
    _kept: dict[int, AnyArray] = field(default_factory=dict, repr=False)

    @cached_property
    def _root(self) -> AnyArray:
        """The symmetric root of the covariance, which does not depend on the choice of eigenvectors."""
        values, vectors = np.linalg.eigh(self.covariance)
        return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T, dtype=np.float32)

    def stream(self, block: int) -> np.random.Generator:
        """Return the random stream of a block."""
        return np.random.Generator(np.random.SFC64(np.random.SeedSequence(self.seed, spawn_key=(_STREAM, block))))

    def errors(self, block: int, stream: np.random.Generator | None = None) -> AnyArray:
        """Return a block of samples, shape (s, b): the first ones of its stream."""
        if stream is None and block in self._kept:
            return self._kept[block]
        stream = stream or self.stream(block)
        s = len(self._root)
        normal = stream.standard_normal((s, _BLOCK), dtype=np.float32)
        errors = np.empty_like(normal)
        width = _ONE_THREAD // s**2 if s <= _FEW_SYSTEMS else _BLOCK
        for first in range(0, _BLOCK, width):
            np.matmul(self._root, normal[:, first : first + width], out=errors[:, first : first + width])
        if (block + 1) * errors.size <= _KEPT:
            self._kept[block] = errors
        return errors

    def shares_of_best(self, scores: FloatArray, n_draws: int) -> FloatArray:
        """Return the proportion of samples in which each system scores best, shape (s,). Equal systems share it."""
        shares, scores = np.zeros(len(scores)), scores / self.unit
        n_blocks = min(-(-n_draws // _BLOCK), max(_FIRST_LOOK // _BLOCK, _MOST_DRAWN // (_BLOCK * len(scores))))
        equal = SINGLE_NOISE * float(np.sqrt(np.diag(self.covariance).max())) + NOISE * float(np.abs(scores).max())
        for block in range(n_blocks):
            drawn = scores[:, None] + self.errors(block)
            best = drawn >= drawn.max(axis=0) - equal
            shares += (best / best.sum(axis=0)).sum(axis=1)
        return shares / (n_blocks * _BLOCK)


@dataclass(frozen=True, eq=False)
class MaxT:
    """Step-down max-T p-values."""

    p_values: FloatArray  # at least the uncorrected p-values of the pairs
    n_draws: int


def max_t(
    p_values: FloatArray,
    entering: FloatArray,
    pairs: Pairs,
    draws: NormalDraws,
    effective: FloatArray,
    *,
    two_sided: bool,
    alpha: float,
    most: int,
    executor: Executor | None = None,
) -> MaxT:
    """Return the step-down max-T p-values of all pairs.

    The number of samples doubles until the decisions at α are clear (Gandy 2009), or `most` is reached. A decision is
    clear if the Clopper-Pearson interval of p excludes α. The level of the interval is chosen such that the decision
    differs from that of infinitely many samples with a probability of at most 0.001 over all checks. One pair in 200
    may stay unclear.

    Parameters
    ----------
    p_values : ndarray, shape (m,)
        Of the pairs. Corrected ones are not smaller, and that of a single pair is the same.
    entering : ndarray, shape (m,)
        The p-values that are compared with the samples, see `Inquiry.entering`.
    effective : ndarray, shape (m,)
        The effective number of units of each pair.

    Notes
    -----
    Cost: 1 ns per pair and sample, and 1 more for pairs of fewer than 200 effective units.
    """
    m = len(pairs)
    thresholds = normal_quantiles(np.maximum(entering, 1e-300) / (2 if two_sided else 1))
    order = np.argsort(thresholds, kind="stable")  # ascending, as steps down are counted
    scan = _Scan.of(pairs, order, draws, thresholds, effective, two_sided=two_sided)
    reached, done, look = np.zeros(m, dtype=np.int64), 0, 0
    n_blocks = max(1, -(-most // _BLOCK))
    while True:
        look += 1
        before, done = done, min(_FIRST_LOOK // _BLOCK * 2 ** (look - 1), n_blocks)
        for counts in mapped_in_threads(executor, scan.counts, range(before, done)):
            reached += counts
        if done == n_blocks or _unclear(reached, done * _BLOCK, alpha, _RISK / (look * (look + 1))) <= m // _UNCLEAR:
            break
    adjusted = np.empty(m)
    adjusted[order] = step_down_p_values(reached, done * _BLOCK)
    return MaxT(np.maximum(adjusted, p_values) if m > 1 else p_values, done * _BLOCK)


def _unclear(counts: IntArray, r: int, alpha: float, risk: float) -> int:
    """Return the number of these counts of r samples whose interval contains α, each wrong with at most this risk."""
    # Clopper and Pearson's holds α unless P(C ≤ c) or P(C ≥ c) under α is below half the risk.
    centre = alpha * r
    near = counts[np.abs(counts - centre) < _CLEAR * (1 + math.sqrt(centre * (1 - alpha)))]
    distinct, times = np.unique(near, return_counts=True)
    below = binomial_at_least(r - distinct, distinct, 1 - alpha)
    above = binomial_at_least(distinct, r - distinct, alpha)
    return int(times[(below > risk / 2) & (above > risk / 2)].sum())


@dataclass(frozen=True, eq=False)
class _Scan:
    """Counts of samples whose running maximum reaches a statistic, for pairs in ascending order of their statistics."""

    draws: NormalDraws
    better: IntArray
    worse: IntArray
    scales: AnyArray
    noise: AnyArray  # its standard deviation, in units of that of the pair's gain
    thresholds: AnyArray
    two_sided: bool

    @classmethod
    def of(
        cls,
        pairs: Pairs,
        order: IntArray,
        draws: NormalDraws,
        thresholds: FloatArray,
        effective: FloatArray,
        *,
        two_sided: bool,
    ) -> _Scan:
        own_share = np.minimum(_OWN_SHARE / effective, 1.0)
        own_share = np.where(own_share < _NEGLIGIBLE, 0.0, own_share)
        variances = np.diag(draws.covariance)
        either = variances[pairs.better] + variances[pairs.worse]
        variance = either - 2 * draws.covariance[pairs.better, pairs.worse]
        some = variance > 1e-12 * either
        # The shared draws of these pairs would be 0, so they have only their own.
        own_share = np.where(some & (variance < _SMALLEST), 1.0, own_share)
        scales = np.sqrt(np.divide(1 - own_share, variance, out=np.zeros(len(own_share)), where=some))
        # Pairs without variance have p-values of their own, and draws: only those with p = 1 need none.
        noise = np.sqrt(np.where(some | (thresholds > 0), own_share, 0.0))
        single = [part[order].astype(np.float32) for part in (scales, noise, thresholds)]
        return cls(draws, pairs.better[order], pairs.worse[order], single[0], single[1], single[2], two_sided)

    def counts(self, block: int) -> IntArray:
        """Return the counts of one block of draws, shape (m,)."""
        stream = self.draws.stream(block)
        errors = self.draws.errors(block, stream)
        largest = np.full(errors.shape[1], -np.inf, np.float32)
        counts = np.zeros(len(self.scales), dtype=np.int64)
        m = int(np.searchsorted(self.thresholds, _UNREACHED))
        done, farthest = 0, _FARTHEST * float(self.noise.max(initial=0.0))
        while done < m and not (self.two_sided and m - done >= _MANY_PAIRS and largest.min() - farthest >= _HIGH):
            stop = min(done + _TOGETHER, m)
            self._add_counts(counts, slice(done, stop), errors, largest, stream)
            done = stop
        if done < m:
            counts[done:m] = self._counts_of_records(slice(done, m), errors, largest, stream)
        return counts

    def _add_counts(
        self, counts: IntArray, at: slice, errors: AnyArray, largest: AnyArray, stream: np.random.Generator
    ) -> None:
        """Count, pair by pair, the draws whose running maximum reaches the pair's statistic, and update the maximum."""
        size = len(largest)
        value, gap, reaches = np.empty(size, np.float32), np.empty(size, np.float32), np.empty(size, dtype=bool)
        everywhere = bool(self.thresholds[at.stop - 1] <= largest.min())  # all draws reach these
        columns = (self.better, self.worse, self.scales, self.noise)
        for j, (better, worse, scale, noise) in enumerate(
            zip(*(column[at].tolist() for column in columns), strict=True)
        ):
            np.subtract(errors[better], errors[worse], out=value)
            np.multiply(value, scale, out=value)
            if self.two_sided:
                np.abs(value, out=value)
            if noise:
                np.subtract(value, largest, out=gap)
                some = np.flatnonzero(gap > -_FARTHEST * noise)  # no noise could make others the running maximum
                value[some] += noise * stream.standard_normal(len(some), dtype=np.float32)
                if self.two_sided:
                    np.abs(value, out=value)
            np.maximum(largest, value, out=largest)
            row = at.start + j
            reached = np.greater_equal(largest, self.thresholds[row], out=reaches)
            counts[row] = size if everywhere else np.count_nonzero(reached)

    def _counts_of_records(
        self, at: slice, errors: AnyArray, largest: AnyArray, stream: np.random.Generator
    ) -> IntArray:
        """Return the counts of many pairs, given high running maxima before them, from the few values above these.

        The differences of most pairs have a similar variance, so a high value needs a system far from the middle of its
        draw. Only pairs with such a system are computed. The few pairs of less variance are computed on all draws.
        """
        better, worse, thresholds = self.better[at], self.worse[at], self.thresholds[at]
        usual = self.scales[at] <= np.quantile(self.scales[at], 1 - _UNUSUAL)
        s, farthest = len(errors), _FARTHEST * float(self.noise[at].max())
        index_of = np.full((s, s), -1, dtype=np.int32)
        scales, noise = np.zeros((s, s), dtype=np.float32), np.zeros((s, s), dtype=np.float32)
        for system, opponent in ((better[usual], worse[usual]), (worse[usual], better[usual])):
            index_of[system, opponent] = np.flatnonzero(usual)
            scales[system, opponent], noise[system, opponent] = self.scales[at][usual], self.noise[at][usual]
        records = [(np.arange(len(largest)), np.zeros(len(largest), dtype=np.int64), largest)]

        def record(draws: IntArray, places: IntArray, values: AnyArray, shares: AnyArray) -> None:
            noisy = np.abs(values + shares * stream.standard_normal(len(values), dtype=np.float32))
            high = noisy > largest[draws]
            records.append((draws[high], places[high], noisy[high]))

        for j in np.flatnonzero(~usual).tolist():
            values = np.abs((errors[better[j]] - errors[worse[j]]) * self.scales[at][j])
            draws = np.flatnonzero(values > largest - _FARTHEST * self.noise[at][j])
            record(draws, np.full(len(draws), j), values[draws], self.noise[at][j])
        widest = float(scales.max())
        for draw, (drawn, floor) in enumerate(zip(np.ascontiguousarray(errors.T), largest.tolist(), strict=True)):
            middle = np.median(drawn)
            far = np.flatnonzero(np.abs(drawn - middle) * widest * _WIDER >= (floor - farthest) / 2)
            values = np.abs(drawn[far, None] - drawn) * scales[far]
            row, column = np.nonzero(values > floor - farthest)
            system = far[row]
            # A pair of two such systems is met twice.
            once = (system < column) | (np.abs(drawn[column] - middle) * widest * _WIDER < (floor - farthest) / 2)
            row, column, system = row[once], column[once], system[once]
            record(np.full(len(system), draw), index_of[system, column], values[row, column], noise[system, column])
        draws, places, highs = (np.concatenate(parts) for parts in zip(*records, strict=True))
        return _reached(draws, places, highs, thresholds)


def _reached(draws: IntArray, places: IntArray, values: AnyArray, thresholds: AnyArray) -> IntArray:
    """Return how many draws reach each ascending threshold with the largest of their values up to its index."""
    order = np.lexsort((values, places, draws))
    draws, places = draws[order], places[order]
    # Running maxima of all draws at once: each draw is shifted above the one before.
    shift = np.float64(draws) * (2.0 * float(values.max()) + 1)
    highest = np.maximum.accumulate(values[order] + shift)
    rises = np.concatenate([[True], highest[1:] > highest[:-1]])
    draws, places, highest = draws[rises], places[rises], (highest - shift)[rises].astype(np.float32)
    until = np.where(np.append(draws[1:] == draws[:-1], False), np.append(places[1:], 0), len(thresholds))
    until = np.minimum(until, np.searchsorted(thresholds, highest, side="right"))
    steps = np.zeros(len(thresholds) + 1, dtype=np.int64)
    some = until > places
    np.add.at(steps, places[some], 1)
    np.add.at(steps, until[some], -1)
    return np.cumsum(steps)[:-1]
