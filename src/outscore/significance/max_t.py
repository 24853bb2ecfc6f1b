"""Step-down max-T over all pairs of many systems, every replicate in units of its own standard error.

The largest of many t statistics is mostly one whose standard error came out too small. Replicates that are all divided
by the observed standard errors know nothing of that: with 50 units and 25 equal systems they call a pair different in
some 15% of the test sets where 5% is meant. Two remedies, by what they cost:

- Few units: each replicate is divided by the standard error that its own draws say (the bootstrap-t; Romano & Wolf
  2005, section 4.2), from one more product with the squares of the pairs' differences.
- Many units: the replicates are nearly normal, and the observed t, which is not quite, is put on their scale.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.executors import mapped_in_threads
from outscore.resampling import BootstrapScheme, Engine
from outscore.resampling.schemes import LARGEST_SHARD
from outscore.results import Alternative
from outscore.significance.base import Question
from outscore.significance.corrections import step_down_p_values
from outscore.significance.gain_laws import Resampling
from outscore.significance.score_draws import Pairs, ScoreDraws, blocks
from outscore.significance.tables import AnyTable

__all__ = [
    "DecidedMaxT",
    "decided_p_values",
    "is_studentised",
    "most_pairs_measured",
    "normal_scores",
    "statistics_of",
    "studentised_p_values",
]

_MANY_UNITS = 200  # from where on docs/calibration.md shows that the normal scale does
_MOST_CELLS = 2**21  # pairs × units: a column of squares for every pair is multiplied by every resample
_MEASURED = ((50, 1225), (200, 4950))  # units at least, pairs at most
_LEAST_VARIANCE = 0.5  # of a replicate, relative to the observed one
_CHUNK = 2**18  # values held at once, a few times over
_FIRST_LOOK = 10 * LARGEST_SHARD  # resamples before the decisions are looked at
_RISK = 0.001
_UNCLEAR = 200  # of so many pairs one may stay unclear
_TOGETHER = 256  # pairs of which all, or none, may reach their thresholds
_SINGLE = 1e-6  # relatively: statistics of whole numbers are computed in single precision


def statistics_of(pairs: Pairs, errors: FloatArray) -> FloatArray:
    """Return δ/se of all pairs, shape (m,); without any spread 0 where δ = 0, else infinity."""
    scales = np.divide(1.0, errors, out=np.zeros(len(pairs)), where=errors > 0)
    return np.where(errors > 0, pairs.gains * scales, np.where(pairs.gains > 0, np.inf, 0.0))


def is_studentised(table: AnyTable) -> bool:
    """Whether replicates are divided by their own standard errors; otherwise the observed t is put on their scale.

    Never with strata, of which one of two units tells nothing of its own variance.
    """
    n = table.n_units
    return table.strata is None and n < _MANY_UNITS and n * len(table.pairs) <= _MOST_CELLS


def most_pairs_measured(table: AnyTable) -> int:
    """Return for how many pairs on so many units docs/calibration.md shows that max-T keeps its level; 0 for none."""
    return max((pairs for units, pairs in _MEASURED if table.n_units >= units), default=0)


def normal_scores(statistics: FloatArray, table: AnyTable) -> FloatArray:
    """Return Φ⁻¹(F(t)) of statistics t ≥ 0, shape (m,), with F Student's law of as many degrees as units less strata.

    Without strata `statistics` have n, not n − 1, in the variance.
    """
    from scipy.special import ndtri, stdtr  # SciPy takes longer to import than many rankings to compute

    if table.strata is None:
        degrees, factor = table.n_units - 1, np.sqrt(1 - 1 / table.n_units)
    else:
        degrees, factor = max(table.n_units - len(np.unique(table.strata)), 1), 1.0
    return np.asarray(-ndtri(stdtr(degrees, -factor * statistics)))


@dataclass(frozen=True, eq=False)
class DecidedMaxT:
    """Step-down max-T from as many resamples as its decisions need.

    Attributes
    ----------
    p_values : ndarray, shape (m,)
    draws : ScoreDraws
        The resamples that were drawn.
    """

    p_values: FloatArray
    draws: ScoreDraws


def decided_p_values(
    draw: Callable[[int, int], ScoreDraws],
    pairs: Pairs,
    errors: FloatArray,
    thresholds: FloatArray,
    question: Question,
    alpha: float,
    most: int,
) -> DecidedMaxT:
    """Return step-down max-T p-values on the scale of the observed standard errors, as `ScoreDraws.scan` does.

    The number of resamples doubles until the decisions at α are clear (Gandy 2009), or `most` are drawn. A decision is
    clear where the Clopper-Pearson interval of p leaves α out, at a level at which it differs from that of endlessly
    many resamples with a probability of 0.001 at most, over all looks together. One pair in 200 may stay unclear: of
    half a million some always do. These are decided as they then stand.

    Parameters
    ----------
    draw : callable
        From the first resample, a multiple of 256, and the last to scores under those from the one to before the other.
    pairs : Pairs
    errors, thresholds : ndarray, shape (m,)
        As of `ScoreDraws.scan`.
    question : Question
        two-sided or greater.
    alpha : float
    most : int

    Notes
    -----
    Cost: a few passes over m × r numbers, 1 ns each pair and resample. Memory: that of the draws, twice.
    """
    m = len(pairs)
    order = np.argsort(thresholds, kind="stable")  # ascending, as steps down are counted
    scan = _MaxScan.of(pairs, order, errors, thresholds, two_sided=question.alternative is Alternative.TWO_SIDED)
    parts: list[ScoreDraws] = []
    reached = np.zeros(m, dtype=np.int64)
    r = look = 0
    while True:
        look += 1
        before, r = r, min(_FIRST_LOOK * 2 ** (look - 1), most)
        part = draw(before, r)
        for counts in mapped_in_threads(part.executor, partial(scan.counts, part), blocks(part.n_resamples)):
            reached += counts
        parts.append(part)
        if r == most or _unclear(reached, r, alpha, _RISK / (look * (look + 1))) <= m // _UNCLEAR:
            break
    p_values = np.empty(m)
    p_values[order] = step_down_p_values(reached, r)
    deviations = parts[0].deviations if len(parts) == 1 else np.concatenate([part.deviations for part in parts], axis=1)
    return DecidedMaxT(p_values, replace(parts[0], deviations=deviations))


def _unclear(counts: IntArray, r: int, alpha: float, risk: float) -> int:
    """Return of how many of these counts of r resamples the interval holds α, each wrong with this risk at most."""
    from scipy.special import bdtr, bdtrc

    # Clopper and Pearson's holds α unless P(C ≤ c) or P(C ≥ c) under α is below half the risk.
    distinct, times = np.unique(counts, return_counts=True)
    below, above = bdtr(distinct, r, alpha), np.where(distinct > 0, bdtrc(distinct - 1.0, r, alpha), 1.0)
    return int(times[(below > risk / 2) & (above > risk / 2)].sum())


@dataclass(frozen=True, eq=False)
class _MaxScan:
    """Counts, for pairs in ascending order of their statistics, when the largest so far of a resample reaches one."""

    better: Sequence[int]
    worse: Sequence[int]
    scales: AnyArray
    thresholds: AnyArray
    two_sided: bool

    @classmethod
    def of(
        cls, pairs: Pairs, order: IntArray, errors: FloatArray, thresholds: FloatArray, *, two_sided: bool
    ) -> _MaxScan:
        scales = np.divide(1.0, errors, out=np.zeros(len(errors)), where=errors > 0)
        within = (thresholds - pairs.tolerances * scales)[order] * (1 - _SINGLE)
        return cls(pairs.better[order].tolist(), pairs.worse[order].tolist(), scales[order], within, two_sided)

    def counts(self, draws: ScoreDraws, block: slice) -> IntArray:
        """Return the counts of one block of resamples, shape (m,)."""
        deviations = np.ascontiguousarray(draws.deviations[:, block])
        scales = (draws.unit * self.scales).astype(deviations.dtype)
        thresholds = self.thresholds.astype(deviations.dtype)
        m, size = len(scales), deviations.shape[1]
        counts = np.zeros(m, dtype=np.int64)
        largest, value = np.full(size, -np.inf, deviations.dtype), np.empty(size, deviations.dtype)

        def go(start: int, stop: int, *, count: bool) -> None:
            for j in range(start, stop):
                np.subtract(deviations[self.better[j]], deviations[self.worse[j]], out=value)
                if self.two_sided:
                    np.abs(value, out=value)
                np.multiply(value, scales[j], out=value)
                np.maximum(largest, value, out=largest)
                if count:
                    counts[j] = np.count_nonzero(largest >= thresholds[j])

        for start in range(0, m, _TOGETHER):
            stop = min(start + _TOGETHER, m)
            if thresholds[stop - 1] <= largest.min():  # all of the block reach these
                counts[start:stop] = size
                go(start, stop, count=False)
            elif thresholds[start] > largest.max():  # perhaps none reaches these
                before = largest.copy()
                go(start, stop, count=False)
                if thresholds[start] <= largest.max():
                    largest[:] = before
                    go(start, stop, count=True)
            else:
                go(start, stop, count=True)
        return counts


def studentised_p_values(
    table: AnyTable, draws: ScoreDraws, errors: FloatArray, alternative: Alternative, resampling: Resampling
) -> FloatArray:
    """Return step-down max-T p-values of all pairs, shape (m,), from studentised replicates.

    The statistics are δ/se and (δ* − δ)/(se · √(v*/v)), two-sided their sizes: v = Σ (uᵢ − ū)² with uᵢ the
    difference between the influences of unit i on the two systems' scores, v* the same of the units that were drawn.
    v*/v is at least ½. A replicate that drew none of the few units on which two systems differ has v* = 0 and would be
    infinitely far off; without the floor such pairs decide about all others. With 50 units of normal scores v*/v is
    below ½ in one replicate of 200.

    Parameters
    ----------
    table : AnyTable
        Without strata.
    draws : ScoreDraws
        Of the table, by the same resampling, and shared.
    errors : ndarray, shape (m,)
        se: the standard deviations of the pairs' gains under the bootstrap; 0 where rounding is all.
    alternative : Alternative
        two-sided or greater.
    resampling : Resampling

    Notes
    -----
    Cost: a product of shapes (r, n) and (n, m), and some 10 ns a pair and resample. Memory: 8nm bytes.
    """
    assert draws.shared
    pairs, r = table.pairs, resampling.n_resamples
    statistics = statistics_of(pairs, errors)
    order = np.argsort(statistics, kind="stable")  # ascending, as steps down are counted
    better, worse = pairs.better[order], pairs.worse[order]
    influences = table.influences()
    squares = (influences[:, better] - influences[:, worse]) ** 2
    variances = squares.sum(axis=0)
    # An influence that is no number says nothing of the variance, nor does one of 0.
    known = np.isfinite(variances) & (variances > 0) & (errors[order] > 0)
    scales = np.divide(1.0, errors[order], out=np.zeros(len(order)), where=errors[order] > 0)
    count = _Reaching(
        table.n_units,
        better,
        worse,
        scales,
        np.where(known, variances, 0.0),
        statistics[order] - pairs.tolerances[order] * scales,
        alternative is Alternative.TWO_SIDED,
    )
    columns = np.column_stack([np.nan_to_num(influences), np.where(known, squares, 0.0)])
    engine = Engine(resampling.seed, resampling.executor, resampling.progress)
    exceeding = np.zeros(len(order), dtype=np.int64)
    for counts in engine.batches(BootstrapScheme(table.n_units), columns, count, r, draws.deviations):
        exceeding += counts.sum(axis=0).astype(np.int64)
    p_values = np.empty(len(order))
    p_values[order] = step_down_p_values(exceeding, r)
    return p_values


@dataclass(frozen=True, eq=False)
class _Reaching:
    """Counts the resamples in which the largest statistic of a pair and all smaller ones reaches its threshold.

    Pairs are in ascending order of their statistics. All is squared, signs kept, which spares the roots.
    """

    n_units: int
    better: IntArray
    worse: IntArray
    scales: FloatArray
    variances: FloatArray
    thresholds: FloatArray
    two_sided: bool

    def __call__(self, totals: FloatArray, deviations: FloatArray) -> FloatArray:
        """Return the counts of one block of resamples, shape (1, m).

        Parameters
        ----------
        totals : ndarray, shape (b, s + m)
            Of the influences and of the squares.
        deviations : ndarray, shape (s, b)
            Of the scores.
        """
        m = len(self.better)
        influences, squares = totals.T[:-m], totals.T[-m:]
        limits = self.thresholds * np.abs(self.thresholds)
        largest = np.full(len(totals), -np.inf)
        counts = np.zeros(m)
        for part in _parts(m, len(totals)):
            better, worse = self.better[part], self.worse[part]
            distance = (deviations[better] - deviations[worse]) * self.scales[part, None]
            distance *= distance if self.two_sided else np.abs(distance)
            distance /= self._relative_variances(part, influences[better] - influences[worse], squares[part])
            np.maximum(distance[0], largest, out=distance[0])
            np.maximum.accumulate(distance, axis=0, out=distance)
            largest = distance[-1]
            counts[part] = np.count_nonzero(distance >= limits[part, None], axis=1)
        return counts[None, :]

    def _relative_variances(self, part: slice, sums: FloatArray, squares: AnyArray) -> FloatArray:
        """Return v*/v, at least ½, of some pairs, shape (pairs, b); 1 where v is not known."""
        variances = self.variances[part, None]
        sums *= sums
        sums /= -self.n_units
        sums += squares
        relative = np.divide(sums, variances, out=np.ones_like(sums), where=variances > 0)
        return np.maximum(relative, _LEAST_VARIANCE, out=relative)


def _parts(m: int, height: int) -> Sequence[slice]:
    size = max(1, _CHUNK // height)
    return [slice(start, min(start + size, m)) for start in range(0, m, size)]
