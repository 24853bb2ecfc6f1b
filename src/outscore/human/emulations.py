"""The conclusions of WMT's rules from human scores, printed beside a ranking for comparison only."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from outscore._types import AnyArray, FloatArray
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

_LEVEL = 0.05  # the level of WMT


@dataclass(frozen=True)
class Rule:
    """The rule of a year.

    Attributes
    ----------
    tool : str
    p_value : callable
        Maps differences of segments and their domains to a two-sided p-value.
    what_differs : str
    """

    tool: str
    p_value: Callable[[FloatArray, AnyArray], float]
    what_differs: str


def wilcoxon_p(differences: FloatArray) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test as SciPy computes it; 1 for no differences."""
    from scipy.stats import wilcoxon

    if not differences.any():
        return 1.0
    with warnings.catch_warnings():  # of samples that are small, or have ties
        warnings.simplefilter("ignore")
        return float(wilcoxon(differences).pvalue)


def _over_segments(differences: FloatArray, domains: AnyArray) -> float:
    del domains
    return wilcoxon_p(differences)


def _stouffer_by_domain(differences: FloatArray, domains: AnyArray) -> float:
    from scipy.stats import norm

    p_values = [wilcoxon_p(differences[domains == domain]) for domain in np.unique(domains)]
    z = [norm.isf(p) for p in p_values]
    return float(norm.sf(sum(z) / np.sqrt(len(z))))


_SEGMENTS = (
    "It tests segments one by one, although segments of a document are not independent, and does not correct for the "
    "number of pairs."
)
RULES: Mapping[str, Rule] = {
    "wmt24": Rule(
        "WMT24",
        _stouffer_by_domain,
        f"{_SEGMENTS} It also combines two-sided p-values of domains, so opposite differences add up. "
        "On real ratings without a true difference it rejects more than half of the pairs at a nominal 5%.",
    ),
    "wmt25": Rule(
        "WMT25",
        _over_segments,
        f"{_SEGMENTS} On real ratings without a true difference it rejects 30% of the pairs or more at a nominal 5%.",
    ),
}


def emulated(name: str, scores: Scores, ranking: Ranking) -> Emulation:
    """Return what the rule of a year concludes about the systems of a ranking.

    Parameters
    ----------
    name : str
        "wmt24" or "wmt25".
    scores : Scores
    ranking : Ranking
        The ranking by the first metric of the scores.

    Raises
    ------
    NotApplicableError
        The metric has no scores per item.
    """
    rule, metric = RULES[name], scores.metrics[0]
    of_systems = dict(zip(scores.names, (_item_scores(metric, rows) for rows in scores.rows[0]), strict=True))
    domains, sign = _domains(scores), 1.0 if metric.higher_is_better else -1.0
    order = [system.name for system in ranking.systems]
    better = np.zeros((len(order), len(order)), dtype=bool)
    p_values = []
    for pair in ranking.pairs:
        p = rule.p_value(sign * (of_systems[pair.candidate] - of_systems[pair.baseline]), domains)
        p_values.append(p)
        better[order.index(pair.candidate), order.index(pair.baseline)] = p < _LEVEL and pair.gain > 0
    lows, highs = rank_intervals(better)
    systems = [
        EmulatedSystem(
            name=system,
            rank_low=int(low),
            rank_high=int(high),
            wins=int(better[place].sum()),
            losses=int(better[:, place].sum()),
            tier=int(tier),
        )
        for place, (system, low, high, tier) in enumerate(zip(order, lows, highs, clusters(better), strict=True))
    ]
    return Emulation(
        tool=rule.tool,
        n_significant=sum(p < _LEVEL for p in p_values),
        systems=tuple(systems),
        p_values=tuple(p_values),
        what_differs=rule.what_differs,
    )


def _item_scores(metric: AnyMetric, rows: Rows) -> FloatArray:
    scores: Any = metric.item_scores(rows.values)
    if scores is None:
        what = f"compares scores of segments, and {printable(metric.name)} has none"
        raise NotApplicableError(Problem(opt("emulate"), what, "Rank human scores.", "no-item-scores"))
    return np.asarray(scores, dtype=np.float64)


def _domains(scores: Scores) -> AnyArray:
    """Return the domain of each item, from the names of documents or else the strata, which may merge small domains."""
    ids: Sequence[str] = scores.rows[0][0].item_ids or ()
    domains = [domain_of(item) for item in ids]
    if domains and all(domains):
        return np.unique(domains, return_inverse=True)[1]
    strata = scores.design.get(Strata)
    return np.zeros(scores.design.n_items, dtype=np.int64) if strata is None else strata.codes
