"""The conclusions of WMT's rules from human scores, printed beside a ranking for comparison only."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from outscore._types import AnyArray, BoolArray, FloatArray, IntArray
from outscore.data.rows import Rows
from outscore.design.scores import Scores
from outscore.design.strata import Strata
from outscore.errors import NotApplicableError, Problem
from outscore.metrics import AnyMetric
from outscore.options import opt
from outscore.questions.ranks.groups import clusters, rank_intervals
from outscore.readers.tabular.human import domain_of
from outscore.results.rankings import EmulatedSystem, Emulation, Ranking
from outscore.text.naming import printable

Ratings = Sequence[FloatArray]  # of a system: those of each segment


@dataclass(frozen=True)
class Rule:
    """The rule of a year."""

    tool: str
    level: float  # the p-values below it are significant
    # Maps the ratings of two systems, the better one first, and the domains of segments to a p-value.
    p_value: Callable[[Ratings, Ratings, AnyArray], float]
    # Maps the ratings of a system to its score. If None, it is that of the ranking.
    score: Callable[[Ratings], float] | None
    # Maps the matrix of significant wins, systems in the order of their scores, to the ends of rank intervals and
    # tiers.
    ranks: Callable[[BoolArray], tuple[IntArray, IntArray, IntArray]]
    what_differs: str


def _wilcoxon_p(differences: FloatArray, alternative: Literal["two-sided", "greater"]) -> float:
    """Return the p-value of Wilcoxon's signed-rank test as SciPy computes it; 1 for no differences."""
    from scipy.stats import wilcoxon

    if not differences.any():
        return 1.0
    with warnings.catch_warnings():  # of samples that are small, or have ties
        warnings.simplefilter("ignore")
        return float(wilcoxon(differences, alternative=alternative).pvalue)


def _means(ratings: Ratings) -> FloatArray:
    return np.array([segment.mean() for segment in ratings])


def _stouffer_by_domain(ratings: Ratings, others: Ratings, domains: AnyArray) -> float:
    from scipy.stats import norm

    differences = _means(ratings) - _means(others)
    p_values = [_wilcoxon_p(differences[domains == domain], "two-sided") for domain in np.unique(domains)]
    z = [norm.isf(p) for p in p_values]
    return float(norm.sf(sum(z) / np.sqrt(len(z))))


def _crossed(ratings: Ratings, others: Ratings, domains: AnyArray) -> float:
    """Return the p-value of the differences between each rating of a segment and each of the other system's."""
    del domains
    differences = [np.subtract.outer(rating, other).ravel() for rating, other in zip(ratings, others, strict=True)]
    return _wilcoxon_p(np.concatenate(differences), "greater")


def _bootstrapped(ratings: Ratings, others: Ratings, domains: AnyArray) -> float:
    """Return the smaller p-value of a paired and an unpaired bootstrap of segments."""
    del domains
    rng = np.random.default_rng(0)  # WMT's code has no seed
    means, other_means = _means(ratings), _means(others)
    paired = bca_p([means - other_means], rng) if (means > other_means).any() else 1.0
    return min(paired, bca_p([means, -other_means], rng))


def bca_p(samples: Sequence[FloatArray], rng: np.random.Generator, n: int = 100) -> float:
    """Return the smallest one-sided level at which SciPy's BCa interval for the sum of means is above 0.

    See Efron & Tibshirani (1993, section 14.3). WMT26 draws n = 100 bootstrap samples.
    """
    from scipy.special import ndtr, ndtri

    sizes, centred = [len(sample) for sample in samples], [sample - sample.mean() for sample in samples]
    spread = sum((deviations**2).sum() / size**2 for deviations, size in zip(centred, sizes, strict=True))
    if min(sizes) < 2 or spread == 0:
        return 1.0
    acceleration = sum((deviations**3).sum() / size**3 for deviations, size in zip(centred, sizes, strict=True)) / (
        6 * spread**1.5
    )
    bootstrap_sums = sum(sample[rng.integers(0, len(sample), (n, len(sample)))].mean(axis=1) for sample in samples)
    sums, score = np.sort(bootstrap_sums), sum(sample.mean() for sample in samples)
    bias = ndtri((np.mean(sums < score) + np.mean(sums <= score)) / 2)
    z = ndtri(np.interp(0.0, sums, np.linspace(0, 1, n))) - bias
    if not np.isfinite(z):  # no sum, or each one, is above 0
        return 1 / (n + 1) if sums[0] > 0 else 1.0
    return float(ndtr(z / (1 + acceleration * z) - bias))


def _counted(better: BoolArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return rank intervals by numbers of wins and losses, and the tiers."""
    return *rank_intervals(better), clusters(better)


def _walked(better: BoolArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return rank intervals that end at the nearest significantly better or worse system, and their tiers."""
    s = len(better)
    lows = [next((above + 2 for above in range(i - 1, -1, -1) if better[above, i]), 1) for i in range(s)]
    highs = [next((below for below in range(i + 1, s) if better[i, below]), s) for i in range(s)]
    begins = [True, *(max(highs[:i]) <= i < min(lows[i:]) for i in range(1, s))]
    return np.array(lows), np.array(highs), np.cumsum(begins)


_SEGMENTS = (
    "It tests segments one by one, although segments of a document are not independent, and does not correct for the "
    "number of pairs."
)
RULES: Mapping[str, Rule] = {
    "wmt24": Rule(
        "WMT24",
        0.05,
        _stouffer_by_domain,
        None,
        _counted,
        f"{_SEGMENTS} It also combines two-sided p-values of domains, so opposite differences add up. "
        "On real ratings without a true difference it rejects more than half of the pairs at a nominal 5%.",
    ),
    # 08-compute_clusters.py of wmt-conference/wmt25-general-mt at 1b42381: with two waves of ratings, it tests the
    # differences within each wave together with those between the waves.
    "wmt25": Rule(
        "WMT25",
        0.05 / 2,
        _crossed,
        lambda ratings: float(np.concatenate(ratings).mean()),
        _walked,
        f"{_SEGMENTS} Several ratings of a segment count in all combinations, as if they were segments. "
        "On real ratings without a true difference it rejects 30% of the pairs or more at a nominal 5%.",
    ),
    # 02b-analyze_results.py of wmt-conference/wmt26-general-mt at 040f2c4. It prints a lowest rank of s - 1 instead of
    # s for systems that beat none of the others, a slip that is not repeated here.
    "wmt26": Rule(
        "WMT26",
        0.05,
        _bootstrapped,
        lambda ratings: float(_means(ratings).mean()),
        lambda better: (*_walked(better)[:2], clusters(better)),
        f"{_SEGMENTS} It takes the better of two one-sided bootstrap tests with 100 samples each, so that other random "
        "samples give other conclusions. On real ratings without a true difference it rejects 35% of the pairs or more "
        "at a nominal 5%. WMT26 also leaves out raters whom others contradict, which is not done here.",
    ),
}


def emulated(name: str, scores: Scores, ranking: Ranking) -> Emulation:
    """Return what the rule of a year ("wmt24", "wmt25", "wmt26") concludes about a ranking by the first metric.

    A metric without scores per item raises a NotApplicableError.
    """
    rule, metric = RULES[name], scores.metrics[0]
    sign = 1.0 if metric.higher_is_better else -1.0
    ratings = {rows.name: _ratings_of(metric, rows, scores, sign) for rows in scores.rows[0]}
    domains, order, score_of = _domains(scores), [system.name for system in ranking.systems], rule.score
    ties = {frozenset((pair.candidate, pair.baseline)) for pair in ranking.pairs if pair.gain == 0}
    if score_of is not None:
        order, ties = sorted(order, key=lambda system: -score_of(ratings[system])), set()
    better = np.zeros((len(order), len(order)), dtype=bool)
    p_values: dict[frozenset[str], float] = {}
    for above, below in combinations(range(len(order)), 2):
        pair = frozenset((order[above], order[below]))
        p_values[pair] = rule.p_value(ratings[order[above]], ratings[order[below]], domains)
        better[above, below] = p_values[pair] < rule.level and pair not in ties
    lows, highs, tiers = rule.ranks(better)
    systems = [
        EmulatedSystem(
            name=system.name,
            rank_low=int(lows[rank_index]),
            rank_high=int(highs[rank_index]),
            wins=int(better[rank_index].sum()),
            losses=int(better[:, rank_index].sum()),
            tier=int(tiers[rank_index]),
        )
        for system, rank_index in ((system, order.index(system.name)) for system in ranking.systems)
    ]
    pair_p_values = tuple(p_values[frozenset((pair.candidate, pair.baseline))] for pair in ranking.pairs)
    return Emulation(
        tool=rule.tool,
        n_significant=sum(p < rule.level for p in pair_p_values),
        systems=tuple(systems),
        p_values=pair_p_values,
        what_differs=rule.what_differs,
    )


def _ratings_of(metric: AnyMetric, rows: Rows, scores: Scores, sign: float) -> Ratings:
    """Return the ratings of each item, signed so that higher is better: several if its score is their mean."""
    item_scores: Any = metric.item_scores(rows.values)
    if item_scores is None:
        what = f"compares scores of segments, and {printable(metric.name)} has none"
        raise NotApplicableError(Problem(opt("emulate"), what, "Rank human scores.", "no-item-scores"))
    means = np.asarray(item_scores, dtype=np.float64)
    ids: Sequence[str] = rows.item_ids or ()
    several = [np.array(scores.ratings.get((rows.name, item), ())) for item in ids if scores.ratings]
    if several and all(map(len, several)) and np.allclose([ratings.mean() for ratings in several], means):
        return [sign * ratings for ratings in several]
    return list(sign * means[:, None])


def _domains(scores: Scores) -> AnyArray:
    """Return the domain of each item, from the names of documents or else the strata, which may merge small domains."""
    ids: Sequence[str] = scores.rows[0][0].item_ids or ()
    domains = [domain_of(item) for item in ids]
    if domains and all(domains):
        return np.unique(domains, return_inverse=True)[1]
    strata = scores.design.get(Strata)
    return np.zeros(scores.design.n_items, dtype=np.int64) if strata is None else strata.codes
