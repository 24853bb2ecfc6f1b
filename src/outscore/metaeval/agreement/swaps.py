"""Systems as units: the scores of two metrics are swapped system by system, for claims about new systems.

A row is a system. Its scores are in columns of its own, so that sums over systems are the scores of all systems, and
the same statistics are computed from them. All 2^S swaps of up to 20 systems are enumerated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from outscore._types import FloatArray, IntArray
from outscore.errors import NotApplicableError, Problem
from outscore.gains.gain_laws import Question
from outscore.gains.pair import AnyPair, Pair
from outscore.laws.law import Probability
from outscore.metaeval.agreement import correlations
from outscore.metaeval.agreement.confidence import sign_p_values
from outscore.metaeval.agreement.correlations import pairs_of
from outscore.metaeval.agreement.statistics import (
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
from outscore.metaeval.agreement.ties import Pairs, best_epsilons
from outscore.metaeval.agreement.totals import DECIMALS, OfPairs, OfSwaps, OfTotals, normal_p_values
from outscore.metaeval.judgements import Judgements, standardised
from outscore.options import opt
from outscore.significance.base import Outcome, PairLaws
from outscore.significance.randomization import Randomization

MOST_ENUMERATED = 20  # systems


@dataclass(frozen=True)
class SystemSwaps(Randomization):
    """The paired randomization test with all 2^S swaps of S systems.

    A swap and its complement exchange the two scores, so both come from one score of each swap. Totals of all swaps
    are sums of the totals of two halves of the systems.
    """

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        if not isinstance(pair, Pair) or not isinstance(pair.metric, OfTotals) or pair.n_units > MOST_ENUMERATED:
            return super().outcome(pair, laws, question)
        scores = scores_of_swaps(pair.metric, pair.candidate, pair.baseline)
        gains = scores - scores[::-1]
        count = int((np.abs(gains) >= abs(gains[0]) - pair.tolerance).sum())
        return Outcome(Probability(count / len(gains)), "exact: all swaps", least=2.0 ** (1 - pair.n_units))


def scores_of_swaps(metric: OfTotals, one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the scores of all swaps of n rows, shape (2^n,). Bit k of a place tells whether row k is of the other."""
    function = metric.function
    if isinstance(function, OfPairs):
        return function.of_swaps(*(int(rows[:, : len(one)].max()) for rows in (one, other)))
    half = len(one) // 2
    low, high = (_subset_sums(other[part] - one[part]) for part in (slice(half), slice(half, None)))
    low = low + one.sum(axis=0)
    return np.concatenate([function(low + shift) for shift in high])


def _subset_sums(rows: FloatArray) -> FloatArray:
    sums = np.zeros((1, rows.shape[1]))
    for row in rows:
        sums = np.concatenate([sums, sums + row])
    return sums


def measured_by_system(statistic: Statistic, data: Judgements) -> Measured:
    """Return the metric of a statistic and rows of systems instead of segments.

    Raises
    ------
    NotApplicableError
        A mean over segments of correlations, or a statistic of labels.
    DataError
        As `Statistic.segments`.
    """
    statistic.segments(data)
    s, notes = len(data.systems), lacking(data)
    places: IntArray = np.arange(s)
    epsilons: dict[str, float] = {}
    match statistic:
        case Pooled():
            rows = {name: rows_of_moments(data, name).sum(axis=1) for name in data.metrics}
            return Measured(OfTotals(statistic.name, statistic.title, 6, of_moments, -1.0), places, rows, notes=notes)
        case OfSystems():
            human = standardised(np.nanmean(data.human, axis=1))
            means = {name: standardised(_system_means(data, name)) for name in data.metrics}
            notes = lacking(data, "so that its means are over fewer outputs")
            if statistic.is_smooth:
                rows = {name: _moments(human, own) for name, own in means.items()}
                return Measured(
                    OfTotals(statistic.name, statistic.title, 6, of_moments, -1.0), places, rows, notes=notes
                )
            human, scores = human.round(DECIMALS), np.array(list(means.values())).round(DECIMALS)
            tables = _ranks_by_pairs(statistic, human, scores)
            if tables is None:
                rows = {name: _in_columns(own) for name, own in zip(means, scores, strict=True)}
                function = OfSwaps(human, statistic.correlation)
                return Measured(
                    OfTotals(statistic.name, statistic.title, 2 * s, function, -1.0), places, rows, notes=notes
                )
        case AccT():
            tables, epsilons = _agreement_by_pairs(data, statistic)
        case Spa():
            tables, notes = _confidence_by_pairs(data, statistic.segments(data)), ()
        case _:
            what = f"{statistic.name} has no scores of single systems"
            advice = "Use acc-t, spa, pearson, or a statistic of systems."
            raise NotApplicableError(Problem(opt("systems", "sampled"), what, advice, "no-system-scores"))
    rows = {name: _in_columns(np.full(s, float(code))) for code, name in enumerate(data.metrics)}
    lowest = -1.0 if isinstance(statistic, OfSystems) else 0.0
    metric = OfTotals(statistic.name, statistic.title, 2 * s, OfPairs(*tables), lowest)
    return Measured(metric, places, rows, epsilons, notes)


def _in_columns(scores: FloatArray) -> FloatArray:
    """Return one row per system, with its score and 1 in columns of its own, shape (S, 2S)."""
    return np.concatenate([np.diag(scores), np.eye(len(scores))], axis=1)


def _moments(x: FloatArray, y: FloatArray) -> FloatArray:
    return np.column_stack([np.ones(len(x)), y, x, y * y, x * x, x * y])


def _system_means(data: Judgements, metric: str) -> FloatArray:
    own = data.system_scores.get(metric)
    return np.asarray(np.nanmean(data.metrics[metric], axis=1) if own is None else own)


def _ranks_by_pairs(
    statistic: OfSystems, human: FloatArray, scores: FloatArray
) -> tuple[FloatArray, FloatArray] | None:
    """Return what each pair of systems adds to a correlation of ranks and to its denominator.

    None if two systems are tied by metrics. The denominators of correlations are then no sums over pairs.
    """
    s = len(human)
    order = np.sign(scores[:, :, None, None] - scores[None, None])
    same = np.eye(s, dtype=bool)[None, :, None, :]
    people = np.sign(human[:, None] - human)
    pairs = s * (s - 1) / 2
    agreement = people[None, :, None, :] * order
    if statistic.correlation is correlations.pairwise_accuracy:
        return (people[None, :, None, :] == order).astype(np.float64), np.ones_like(order)
    if ((order == 0) & ~same).any():
        return None
    if statistic.correlation is correlations.spearman:
        ranks = people.sum(axis=1) / 2
        agreement = (ranks[:, None] - ranks)[None, :, None, :] * order / 2
        total = math.sqrt(float(ranks @ ranks) * s * (s * s - 1) / 12)
    elif statistic.correlation is correlations.kendall_b:
        total = math.sqrt((people != 0).sum() / 2 * pairs)
    else:
        distinct = len(np.unique(human))
        total = s * s * (distinct - 1) / (2 * distinct)
    return agreement, np.full_like(agreement, total / pairs)


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
    known_pairs = np.array(
        [np.isfinite(pairs_of(data.human) + pairs_of(raw)).sum(axis=0) for raw in data.metrics.values()]
    )
    own_weights = np.divide(1.0, known_pairs, out=np.zeros(known_pairs.shape), where=known_pairs > 0)
    of_segment = (own_weights[:, None] + own_weights) / 2  # by the metrics of both systems
    for i, j in zip(*np.triu_indices(s, 1), strict=True):
        human = np.sign(data.human[i] - data.human[j])
        gaps = every[:, None, i] - every[None, :, j]
        gaps = np.where(np.abs(gaps) <= (ties[:, None, None] + ties[None, :, None]) / 2, 0.0, gaps)
        known = np.isfinite(gaps) & np.isfinite(human)
        agreement[:, i, :, j] = np.where(known & (np.sign(gaps) == human), of_segment, 0.0).sum(axis=-1)
        weights[:, i, :, j] = np.where(known, of_segment, 0.0).sum(axis=-1)
    return (agreement, weights), epsilons


def _confidence_by_pairs(data: Judgements, places: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return 1 − |pʰ − pᵐ| of all pairs of systems, with the scores of one or two metrics.

    Those of one metric are exact, and those of two from a normal distribution.
    """
    scores = np.array([standardised(raw)[:, places] for raw in data.metrics.values()])
    m, s = len(scores), len(data.systems)
    expected = sign_p_values(pairs_of(data.human[:, places]))
    agreement = np.zeros((m, s, m, s))
    exact = [sign_p_values(pairs_of(own)) for own in scores]
    for place, (i, j) in enumerate(zip(*np.triu_indices(s, 1), strict=True)):
        gaps = scores[:, None, i] - scores[None, :, j]
        p = normal_p_values(gaps.sum(axis=-1), np.square(gaps).sum(axis=-1))
        p[np.diag_indices(m)] = [of[place] for of in exact]
        agreement[:, i, :, j] = 1 - np.abs(expected[place] - p)
    return agreement, np.ones_like(agreement)
