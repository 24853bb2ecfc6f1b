"""Systems as units: the scores of two metrics are swapped system by system, for claims about new systems.

A row is a system. Its scores are in columns of its own, so that sums over systems are the scores of all systems, and
the same statistics are computed from them. All 2^S swaps of up to 20 systems are enumerated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from outscore._types import FloatArray, IntArray
from outscore.errors import NotApplicableError, Problem
from outscore.gains.gain_laws import GainLaws, Hypothesis
from outscore.gains.pair import Pair
from outscore.options import opt
from outscore.significance.p_values import PValue
from outscore.significance.randomization import Randomization
from outscore.wings.metaeval.agreement.confidence import sign_p_values
from outscore.wings.metaeval.agreement.correlations import pairs_of
from outscore.wings.metaeval.agreement.statistics import (
    AccT,
    Measured,
    OfSystems,
    Pooled,
    Spa,
    Statistic,
    lacking,
    of_moments,
    rows_of_moments,
)
from outscore.wings.metaeval.agreement.ties import Pairs, best_epsilons
from outscore.wings.metaeval.agreement.totals import OfMeans, OfPairs, OfTotals, normal_p_values
from outscore.wings.metaeval.judgements import Judgements, standardised

MOST_ENUMERATED = 20  # systems


@dataclass(frozen=True)
class SystemSwaps(Randomization):
    """The paired randomization test with all 2^S swaps of S systems.

    A swap and its complement exchange the two scores, so both come from one score of each swap. Totals of all swaps
    are sums of the totals of two halves of the systems.
    """

    def p_value(self, pair: Pair, laws: GainLaws, hypothesis: Hypothesis) -> PValue[float]:
        if not isinstance(pair.metric, OfTotals) or pair.n_units > MOST_ENUMERATED:
            return super().p_value(pair, laws, hypothesis)
        scores = scores_of_swaps(pair.metric, pair.candidate, pair.baseline)
        gains = scores - scores[::-1]
        count = int((np.abs(gains) >= abs(gains[0]) - pair.tolerance).sum())
        return PValue(count / len(gains), "exact: all swaps", least=2.0 ** (1 - pair.n_units))


def scores_of_swaps(metric: OfTotals, rows: FloatArray, other_rows: FloatArray) -> FloatArray:
    """Return the scores of all swaps of n rows, shape (2ⁿ,). Bit k of an index is 1 if row k is the other metric's."""
    half, score = len(rows) // 2, metric.function
    low, high = (_subset_sums(other_rows[part] - rows[part]) for part in (slice(half), slice(half, None)))
    low = low + rows.sum(axis=0)
    return score.of_sums(low, high) if isinstance(score, OfPairs) else np.concatenate([score(low + at) for at in high])


def _subset_sums(rows: FloatArray) -> FloatArray:
    sums = np.zeros((1, rows.shape[1]))
    for row in rows:
        sums = np.concatenate([sums, sums + row])
    return sums


def measured_by_system(statistic: Statistic, data: Judgements) -> Measured:
    """Return the metric of a statistic and rows of systems instead of segments.

    Raises NotApplicableError for a mean over segments of correlations, or a statistic of labels.
    """
    segments, s = statistic.segments(data), len(data.systems)
    m, lowest = len(data.metrics), -1.0
    notes, epsilons = lacking(data), dict[str, float]()
    match statistic:
        case Pooled():
            function, rows = of_moments, [rows_of_moments(data, name).sum(axis=1) for name in data.metrics]
        case OfSystems():
            notes = statistic.notes(data)
            function, there = OfMeans(s, statistic.correlation), np.eye(s)
            human = np.diag(standardised(np.nanmean(data.human, axis=1)))
            means = (np.diag(standardised(data.means(name))) for name in data.metrics)
            rows = [np.concatenate([human, there, mean, there], axis=1) for mean in means]
        case AccT() | Spa():
            if isinstance(statistic, AccT):
                tables, epsilons = _agreement_by_pairs(data, statistic)
            else:
                tables, notes = _confidence_by_pairs(data, segments), ()
            function, lowest = OfPairs(*tables), 0.0
            rows = list(np.eye(m * s).reshape(m, s, m * s))
        case _:
            what = f"{statistic.name} has no scores of single systems"
            advice = "Use acc-t, spa, pearson, or a statistic of systems."
            raise NotApplicableError(Problem(opt("systems", "sampled"), what, advice, "no-system-scores"))
    metric = OfTotals(statistic.name, statistic.title, rows[0].shape[1], function, lowest)
    return Measured(metric, np.arange(s), dict(zip(data.metrics, rows, strict=True)), epsilons, notes)


def _agreement_by_pairs(data: Judgements, statistic: AccT) -> tuple[tuple[FloatArray, FloatArray], dict[str, float]]:
    """Return for two systems, with one or two metrics, the pairs of translations that agree with people, and all pairs.

    Scores are standardised, and so is ε. Pairs of scores of two metrics are tied by the mean of both ε, and weigh the
    mean of what pairs of each metric weigh in the segment.
    """
    epsilons, scores, thresholds = {}, [], []
    for name, raw in data.metrics.items():
        best = best_epsilons(Pairs.of(data.human, raw))[0]
        epsilons[name] = best if isinstance(statistic.epsilon, str) else statistic.epsilon
        scores.append(standardised(raw))
        thresholds.append(epsilons[name] / (float(np.nanstd(raw)) or 1.0))
    # Rounding must not separate scores whose difference is ε.
    ties = np.array(thresholds) * (1 + 1e-9) + 1e-12
    every, m, s = np.array(scores), len(scores), len(data.systems)
    agreement, weights = np.zeros((2, m, s, m, s))
    n_pairs = np.array([np.isfinite(pairs_of(data.human) + pairs_of(raw)).sum(axis=0) for raw in data.metrics.values()])
    metric_weights = np.divide(1.0, n_pairs, out=np.zeros(n_pairs.shape), where=n_pairs > 0)
    segment_weights = (metric_weights[:, None] + metric_weights) / 2  # by the metrics of both systems
    for i, j in zip(*np.triu_indices(s, 1), strict=True):
        human = np.sign(data.human[i] - data.human[j])
        gaps = every[:, None, i] - every[None, :, j]
        gaps = np.where(np.abs(gaps) <= (ties[:, None, None] + ties[None, :, None]) / 2, 0.0, gaps)
        both = np.isfinite(gaps) & np.isfinite(human)
        agreement[:, i, :, j] = np.where(both & (np.sign(gaps) == human), segment_weights, 0.0).sum(axis=-1)
        weights[:, i, :, j] = np.where(both, segment_weights, 0.0).sum(axis=-1)
    return (agreement, weights), epsilons


def _confidence_by_pairs(data: Judgements, segments: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return 1 − |pʰ − pᵐ| of all pairs of systems, with the scores of one or two metrics.

    Those of one metric are exact, and those of two from a normal distribution.
    """
    scores = np.array([standardised(raw)[:, segments] for raw in data.metrics.values()])
    m, s = len(scores), len(data.systems)
    expected = sign_p_values(pairs_of(data.human[:, segments]))
    agreement, weights = np.zeros((2, m, s, m, s))
    exact = [sign_p_values(pairs_of(score)) for score in scores]
    for index, (i, j) in enumerate(zip(*np.triu_indices(s, 1), strict=True)):
        gaps = scores[:, None, i] - scores[None, :, j]
        p = normal_p_values(gaps.sum(axis=-1), np.square(gaps).sum(axis=-1))
        p[np.diag_indices(m)] = [values[index] for values in exact]
        agreement[:, i, :, j] = 1 - np.abs(expected[index] - p)
        weights[:, i, :, j] = 1.0
    return agreement, weights
