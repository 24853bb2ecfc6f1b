"""Systems as units: the scores of two metrics are swapped system by system, for claims about new systems.

A row is a system. Its scores are in columns of its own, so that sums over systems are the scores of all systems, and
the same statistics are computed from them. All 2^S swaps of up to 20 systems are enumerated.
"""

from __future__ import annotations

import numpy as np

from outscore._types import FloatArray, IntArray
from outscore.errors import NotApplicableError, Problem
from outscore.metaeval.agreement.confidence import sign_p_values
from outscore.metaeval.agreement.correlations import pairs_of
from outscore.metaeval.agreement.statistics import (
    AccT,
    Measured,
    OfSystems,
    Pooled,
    Spa,
    Statistic,
    complete_segments,
    of_moments,
    rows_of_moments,
)
from outscore.metaeval.agreement.ties import Pairs, best_epsilons
from outscore.metaeval.agreement.totals import OfPairs, OfSwaps, OfTotals, normal_p_values
from outscore.metaeval.judgements import Judgements
from outscore.options import opt

MOST_ENUMERATED = 20  # systems


def measured_by_system(statistic: Statistic, data: Judgements) -> Measured:
    """Return the metric of a statistic and rows of systems instead of segments.

    Raises
    ------
    NotApplicableError
        The statistic is a mean over segments of correlations, or a statistic of labels.
    """
    s = len(data.systems)
    places: IntArray = np.arange(s)
    match statistic:
        case Pooled():
            rows = {name: rows_of_moments(data, name).sum(axis=1) for name in data.metrics}
            return Measured(OfTotals(statistic.name, statistic.title, 6, of_moments, -1.0), places, rows)
        case OfSystems():
            human = np.nanmean(data.human, axis=1)
            rows = {name: _in_columns(_standardised(_system_means(data, name))) for name in data.metrics}
            function = OfSwaps(human, statistic.correlation)
            return Measured(OfTotals(statistic.name, statistic.title, 2 * s, function, -1.0), places, rows)
        case AccT():
            tables, epsilons = _agreement_by_pairs(data, statistic)
        case Spa():
            tables, epsilons = _confidence_by_pairs(data), {}
        case _:
            what = f"{statistic.name} has no scores of single systems"
            advice = "Use acc-t, spa, pearson, or a statistic of systems."
            raise NotApplicableError(Problem(opt("systems", "sampled"), what, advice, "no-system-scores"))
    rows = {name: _in_columns(np.full(s, float(code))) for code, name in enumerate(data.metrics)}
    metric = OfTotals(statistic.name, statistic.title, 2 * s, OfPairs(*tables))
    return Measured(metric, places, rows, epsilons)


def _in_columns(scores: FloatArray) -> FloatArray:
    """Return one row per system, with its score and 1 in columns of its own, shape (S, 2S)."""
    return np.concatenate([np.diag(scores), np.eye(len(scores))], axis=1)


def _standardised(scores: FloatArray) -> FloatArray:
    return np.asarray((scores - scores.mean()) / (scores.std() or 1.0))


def _system_means(data: Judgements, metric: str) -> FloatArray:
    own = data.system_scores.get(metric)
    return np.asarray(np.nanmean(data.metrics[metric], axis=1) if own is None else own)


def _agreement_by_pairs(data: Judgements, statistic: AccT) -> tuple[tuple[FloatArray, FloatArray], dict[str, float]]:
    """Return for two systems, with one or two metrics, the pairs of translations that agree with people, and all pairs.

    Scores are standardised, and so is ε. Pairs of scores of two metrics are tied by the mean of both ε.
    """
    epsilons, scores, thresholds = {}, [], []
    for name, raw in data.metrics.items():
        best = best_epsilons(Pairs.of(data.human, raw))[0]
        epsilons[name] = best if isinstance(statistic.epsilon, str) else statistic.epsilon
        scores.append(data.standardised(name))
        thresholds.append(epsilons[name] / (float(np.nanstd(raw)) or 1.0))
    # Rounding must not separate scores whose difference is ε.
    ties = np.array(thresholds) * (1 + 1e-9) + 1e-12
    every, m, s = np.array(scores), len(scores), len(data.systems)
    agreement, weights = np.zeros((2, m, s, m, s))
    counts = np.isfinite(pairs_of(data.human)).sum(axis=0)
    of_segment = np.divide(1.0, counts, out=np.zeros(len(counts)), where=counts > 0)
    for i, j in zip(*np.triu_indices(s, 1), strict=True):
        human = np.sign(data.human[i] - data.human[j])
        gaps = every[:, None, i] - every[None, :, j]
        gaps = np.where(np.abs(gaps) <= (ties[:, None, None] + ties[None, :, None]) / 2, 0.0, gaps)
        known = np.isfinite(gaps) & np.isfinite(human)
        agreement[:, i, :, j] = np.where(known & (np.sign(gaps) == human), of_segment, 0.0).sum(axis=-1)
        weights[:, i, :, j] = np.where(known, of_segment, 0.0).sum(axis=-1)
    return (agreement, weights), epsilons


def _confidence_by_pairs(data: Judgements) -> tuple[FloatArray, FloatArray]:
    """Return 1 − |pʰ − pᵐ| of all pairs of systems, with the scores of one or two metrics.

    Those of one metric are exact, and those of two from a normal distribution.
    """
    places = complete_segments(data)
    scores = np.array([data.standardised(name)[:, places] for name in data.metrics])
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
