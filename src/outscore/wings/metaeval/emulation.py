"""The results of mt-metrics-eval for the same scores, for comparison with published numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from outscore._types import BoolArray, FloatArray
from outscore.errors import NotApplicableError, Problem
from outscore.laws.beta import binomial_at_least
from outscore.options import opt
from outscore.wings.metaeval.agreement.statistics import AccT, Spa, Statistic
from outscore.wings.metaeval.agreement.ties import Pairs, best_epsilons
from outscore.wings.metaeval.judgements import Judgements
from outscore.wings.metaeval.results import EmulatedMetric, EmulatedPair, Emulation

_PROGRAM = "mt-metrics-eval"
_LEVEL = 0.05
_PERMUTATIONS, _SEED = 1000, 4
_OF_PAIRS = (
    "mt-metrics-eval swaps single pairs of translations, as if they were independent. Pairs of one segment are "
    "correlated, and so are the segments of a document, so its p-values are too small.",
    "mt-metrics-eval samples its p-values. The table has the binomial probabilities that they estimate.",
    "mt-metrics-eval tests one-sided in the observed direction, at 5%, without correction for the number of pairs.",
    "In mt-metrics-eval, a rank ends at the first metric that is significantly worse than a metric of that rank.",
)
_OF_SPA = (
    "mt-metrics-eval samples 1,000 permutations in single precision, and counts ties in full. Its score depends on the "
    "order of the systems, here that of the file.",
    "The significance test and the ranks of mt-metrics-eval are not emulated for spa.",
)


def emulated(program: str, data: Sequence[Judgements], statistics: Sequence[Statistic]) -> Emulation:
    """Return the results of another program, for acc-t or spa on one language pair; else raise NotApplicableError."""
    if len(data) > 1 or len(statistics) > 1 or not isinstance(statistics[0], AccT | Spa):
        what = "applies to acc-t or spa on one language pair"
        advice = "Pass one language pair and one of these statistics."
        raise NotApplicableError(Problem(opt("emulate", program), what, advice, "not-emulated"))
    if isinstance(statistics[0], AccT):
        return _pairs_with_ties(data[0])
    return _soft_accuracy(data[0], statistics[0])


def _pairs_with_ties(data: Judgements) -> Emulation:
    pairs = {name: Pairs.of(data.human, scores) for name, scores in data.metrics.items()}
    epsilons = {name: best_epsilons(pairs_of_metric) for name, pairs_of_metric in pairs.items()}
    scores = {
        name: _mean(pairs_of_metric.agreeing(epsilons[name][0]), pairs_of_metric.complete)
        for name, pairs_of_metric in pairs.items()
    }
    order = sorted(scores, key=lambda name: (-scores[name], name))
    tested = []
    for index, better in enumerate(order):
        for worse in order[index + 1 :]:
            first, smallest = (
                _sign_test(
                    pairs[better].agreeing(epsilons[better][which]), pairs[worse].agreeing(epsilons[worse][which])
                )
                for which in (0, 1)
            )
            tested.append(EmulatedPair(better, worse, *first, None if smallest == first else smallest))
    p = np.ones((len(order), len(order)))
    p[np.triu_indices(len(order), 1)] = [pair.p_value for pair in tested]
    metrics = [
        EmulatedMetric(name, scores[name], epsilons[name][0], rank)
        for name, rank in zip(order, ranks_down_the_list(p), strict=True)
    ]
    return Emulation(_PROGRAM, metrics, tested, _OF_PAIRS)


def _mean(agreeing: BoolArray, complete: BoolArray) -> float:
    counts = complete.sum(axis=0)
    rated = counts > 0
    return float((agreeing.sum(axis=0)[rated] / counts[rated]).mean())


def _sign_test(better: BoolArray, worse: BoolArray) -> tuple[int, int, float]:
    """Return the wins, the discordant pairs, and P(Bin(discordant, ½) ≥ wins)."""
    wins, losses = int((better & ~worse).sum()), int((worse & ~better).sum())
    p = float(binomial_at_least(np.array([wins]), np.array([losses]), 0.5)[0]) if wins + losses else 1.0
    return wins, wins + losses, p


def ranks_down_the_list(p_values: FloatArray, alpha: float = _LEVEL) -> list[int]:
    """Return mt-metrics-eval's ranks of metrics, from p-values of each against those below it, shape (m, m).

    Metrics are in the order of their scores.

    Examples
    --------
    >>> p = np.ones((3, 3))
    >>> p[0, 2] = 0.01
    >>> ranks_down_the_list(p)
    [1, 1, 2]
    """
    ranks, start = list[int](), 0
    for index in range(len(p_values)):
        worse = bool((p_values[start:index, index] <= alpha).any())
        start = index if worse else start
        ranks.append((ranks[-1] if ranks else 1) + worse)
    return ranks


def _soft_accuracy(data: Judgements, statistic: Spa) -> Emulation:
    segments = statistic.segments(data)
    expected = _sampled_p_values(data.human[:, segments])
    scores = {
        name: float(1 - np.abs(expected - _sampled_p_values(metric_scores[:, segments])).mean())
        for name, metric_scores in data.metrics.items()
    }
    order = sorted(scores, key=lambda name: (-scores[name], name))
    return Emulation(_PROGRAM, [EmulatedMetric(name, scores[name], None, None) for name in order], (), _OF_SPA)


def _sampled_p_values(scores: FloatArray) -> FloatArray:
    """Return mt-metrics-eval's p-values of all pairs of systems, with its permutations, in single precision."""
    s, n = scores.shape
    signs = np.rint(np.random.default_rng(_SEED).random(size=(_PERMUTATIONS, n), dtype=np.float32)) * 2 - 1
    single = scores.astype(np.float32)
    observed, permuted = single.sum(axis=1), signs @ single.T
    first, second = np.triu_indices(s, 1)
    return np.asarray((permuted[:, first] - permuted[:, second] >= observed[first] - observed[second]).mean(axis=0))
