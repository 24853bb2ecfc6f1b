"""Results of rankings: every pair of many systems, on shared draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import median
from typing import Any

from outscore.errors import OptionError, Problem
from outscore.numbers import ScoreFormat, format_p, score_format
from outscore.results.comparisons import Alternative, Interval, MetricDescription
from outscore.results.frames import native_frame
from outscore.results.shown import Shown

__all__ = [
    "Correction",
    "RankedPair",
    "RankedSystem",
    "Ranking",
    "format_corrected_p",
    "ranking_format",
    "ranking_table",
]

RANKING_SCHEMA = "outscore/ranking/1"


class Correction(StrEnum):
    """How p-values of all pairs are corrected for there being many."""

    MAX_T = "max-t"
    HOLM = "holm"
    BH = "bh"
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
        From 1: a new one begins where every system above is significantly better than every system from there on
        (as at WMT). Not transitive: within a cluster systems may differ significantly.
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
    is_bound : bool
        Whether `p_value` is but an upper bound, because no resample reached the gain; so are its corrections then.
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
    is_bound: bool = False

    def corrected(self, correction: Correction) -> float:
        """Return the p-value under a correction.

        Raises
        ------
        OptionError
            max-T, where it was left out.
        """
        match correction:
            case Correction.MAX_T:
                if self.p_maxt is None:
                    what = "max-T was left out of this ranking"
                    raise OptionError(Problem("correction", what, "Rank with max_t=True.", "no-max-t"))
                return self.p_maxt
            case Correction.HOLM:
                return self.p_holm
            case Correction.BH:
                return self.p_bh
            case Correction.NONE:
                return self.p_value


@dataclass(frozen=True, repr=False)
class Ranking(Shown):
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

    def to_dataframe(self, *, pairs: bool = False, backend: Any = None) -> Any:
        """Return the systems, or all pairs, as a data frame of the user's own library.

        Parameters
        ----------
        pairs : bool
            One row a pair instead of one row a system.
        backend : str or module, optional
            Such as "pandas" or "polars"; by default the library that the program has imported already.

        Raises
        ------
        MissingDependencyError
            No data frame library is installed.
        """
        return native_frame(ranking_table(self, pairs=pairs), backend)

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row a system."""
        columns = ranking_table(self)
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def ranking_format(ranking: Ranking) -> ScoreFormat:
    """Return how scores and gains of a ranking are written: as finely as the middle interval of a gain tells apart."""
    widths = [pair.interval.high - pair.interval.low for pair in ranking.pairs]
    held = [width for width in widths if width > 0]
    return score_format(
        [system.score for system in ranking.systems],
        [median(held)] if held else [],
        percentage=ranking.metric.as_percentage,
    )


def format_corrected_p(ranking: Ranking, pair: RankedPair, correction: Correction) -> str:
    """Return a pair's p-value under a correction as text, as a bound where it is no more.

    With r resamples no p-value of max-T is below 1/(r + 1): where none of them reached the gain, all that is known
    is that p is not above it. The other corrections make a bound of a bound.
    """
    p = pair.corrected(correction)
    smallest = 1 / (ranking.n_resamples + 1)
    bound = p <= smallest * (1 + 1e-9) if correction is Correction.MAX_T else pair.is_bound and p < 1
    return format_p(p, ranking.alpha, bound=bound)


def ranking_table(ranking: Ranking, *, pairs: bool = False) -> dict[str, list[object]]:
    """Return the systems, or all pairs, as columns by name: what data frames and CSV files hold.

    The last one, `metric`, tells the rows of several rankings apart.
    """
    columns = _pair_columns(ranking) if pairs else _system_columns(ranking)
    length = len(ranking.pairs if pairs else ranking.systems)
    return {**columns, "metric": [ranking.metric.spec] * length}


def _system_columns(ranking: Ranking) -> dict[str, list[object]]:
    names = ("name", "family", "score", "rank", "rank_low", "rank_high", "group", "cluster", "among_best", "p_best")
    systems = ranking.systems
    columns: dict[str, list[object]] = {name: [getattr(system, name) for system in systems] for name in names}
    columns["interval_low"] = [system.interval.low for system in systems]
    columns["interval_high"] = [system.interval.high for system in systems]
    for name in ("gain_to_next", "gain_to_best"):
        columns[name] = [getattr(system, name) for system in systems]
    return columns


def _pair_columns(ranking: Ranking) -> dict[str, list[object]]:
    pairs = ranking.pairs
    columns: dict[str, list[object]] = {
        name: [getattr(pair, name) for pair in pairs] for name in ("baseline", "candidate", "gain")
    }
    columns["interval_low"] = [pair.interval.low for pair in pairs]
    columns["interval_high"] = [pair.interval.high for pair in pairs]
    names = ("wins", "ties", "losses", "p_value", "p_holm", "p_bh", "p_maxt", "p_value_low", "p_value_high")
    for name in (*names, "exact", "n_exceeding", "same_family", "is_bound"):
        columns[name] = [getattr(pair, name) for pair in pairs]
    for place, test in enumerate(ranking.tests[1:]):
        columns[f"p_{test}"] = [pair.other_p_values[place] for pair in pairs]
    return columns
