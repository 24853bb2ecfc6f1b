"""Results of rankings: every pair of many systems, on shared draws."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from outscore.results.comparisons import Alternative, Interval, MetricDescription

__all__ = ["Correction", "RankedPair", "RankedSystem", "Ranking"]

RANKING_SCHEMA = "outscore/ranking/1"


class Correction(StrEnum):
    """How p-values of all pairs are corrected for there being many."""

    MAX_T = "max-t"
    HOLM = "holm"
    BENJAMINI_HOCHBERG = "bh"
    NONE = "none"


@dataclass(frozen=True)
class RankedSystem:
    """One system of a ranking.

    Attributes
    ----------
    name : str
    family : str or None
    score : float
    interval : Interval
        Of the score, from the bootstrap.
    rank : int
        By score, from 1; systems of equal score share the better rank.
    rank_low, rank_high : int
        The best and the worst rank that the corrected tests leave open: 1 + the number of systems that are
        significantly better, and the number of systems less those that are significantly worse.
    group : str
        Letters; two systems that share one are not significantly different.
    cluster : int
        From 1: a new one begins where a system is significantly worse than all systems above it (as at WMT).
        Not transitive: within a cluster systems may differ significantly.
    among_best : bool
        Whether it is not significantly worse than the best-scoring system.
    p_best : float
        Share of bootstrap replicates in which it scores best; ties share.
    gain_to_next, gain_to_best : float
        How far it scores above the next system (0 for the last), and how far below the first.
    """

    name: str
    family: str | None
    score: float
    interval: Interval
    rank: int
    rank_low: int
    rank_high: int
    group: str
    cluster: int
    among_best: bool
    p_best: float
    gain_to_next: float
    gain_to_best: float


@dataclass(frozen=True)
class RankedPair:
    """One pair of a ranking: the candidate is the system that scores better, so that gain ≥ 0.

    Attributes
    ----------
    baseline, candidate : str
    gain : float
    interval : Interval
        Of the gain.
    wins, ties, losses : int or None
        Items on which the candidate's own score is better, the same, worse; None where items have no scores.
    p_value, p_holm, p_bh : float
        Of the ranking's first test: plain, and corrected over all pairs.
    p_maxt : float or None
        Step-down max-T over all pairs (Westfall & Young 1993; Romano & Wolf 2005); None where it was left out.
    exact : bool
        Whether `p_value` was derived rather than sampled.
    n_exceeding : int or None
        c of r resamples, where sampled.
    p_value_low, p_value_high : float
        The error bound where exact, Clopper–Pearson at 95% where sampled.
    other_p_values : tuple of float
        Plain p-values of the ranking's further tests, in their order.
    same_family : bool or None
        None where a family is not known.
    """

    baseline: str
    candidate: str
    gain: float
    interval: Interval
    wins: int | None
    ties: int | None
    losses: int | None
    p_value: float
    p_holm: float
    p_bh: float
    p_maxt: float | None
    exact: bool
    n_exceeding: int | None
    p_value_low: float
    p_value_high: float
    other_p_values: tuple[float, ...]
    same_family: bool | None

    def corrected(self, correction: Correction) -> float:
        """Return the p-value under a correction; Holm's where max-T was left out."""
        match correction:
            case Correction.MAX_T:
                return self.p_holm if self.p_maxt is None else self.p_maxt
            case Correction.HOLM:
                return self.p_holm
            case Correction.BENJAMINI_HOCHBERG:
                return self.p_bh
            case Correction.NONE:
                return self.p_value


@dataclass(frozen=True)
class Ranking:
    """Many systems on one metric, and all their pairs.

    Attributes
    ----------
    metric : MetricDescription
    n_items, n_units : int
        Units are clusters where there are clusters, else items.
    tests : tuple of str
        Names; the first one's p-values are corrected, and give groups and ranks.
    alternative : Alternative
        two-sided by default; "greater" reproduces BK12, with the direction of each pair taken from the data.
    correction : Correction
        The one that ranks, groups and verdicts go by.
    alpha : float
    systems : tuple of RankedSystem
        Best first.
    pairs : tuple of RankedPair
        Every pair once, in the order of the candidate's and then the baseline's rank.
    n_resamples : int
        r, where sampled.
    seed : int
    signature : str
    version : str
    warnings : tuple of str
    """

    metric: MetricDescription
    n_items: int
    n_units: int
    tests: tuple[str, ...]
    alternative: Alternative
    correction: Correction
    alpha: float
    systems: tuple[RankedSystem, ...]
    pairs: tuple[RankedPair, ...]
    n_resamples: int
    seed: int
    signature: str
    version: str
    warnings: tuple[str, ...] = ()
    schema: str = field(default=RANKING_SCHEMA)
