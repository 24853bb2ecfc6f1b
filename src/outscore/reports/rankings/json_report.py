"""Rankings as JSON (schema "outscore/ranking/1"), for programs.

Keys may be added within a version; they are listed after those that were there before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from outscore.reports.json_report import written
from outscore.results import Interval, RankedPair, RankedSystem, Ranking

__all__ = ["ranking_to_json", "rankings_to_json"]


def ranking_to_json(ranking: Ranking) -> str:
    """Write a ranking as JSON: systems best first, and every pair once, with a gain ≥ 0.

    Floats have all their digits, scores are fractions and gains their differences, never percentages. What is not
    known is null.
    """
    return written(_ranking(ranking))


def rankings_to_json(rankings: Sequence[Ranking]) -> str:
    """Write rankings on several metrics (schema "outscore/rankings/1"): an object with a list of them."""
    return written({"schema": "outscore/rankings/1", "results": [_ranking(ranking) for ranking in rankings]})


def _ranking(ranking: Ranking) -> dict[str, Any]:
    return {
        "schema": ranking.schema,
        "systems": [_system(system) for system in ranking.systems],
        "pairs": [_pair(pair, ranking) for pair in ranking.pairs],
        "version": ranking.version,
        "signature": ranking.signature,
        "metric": asdict(ranking.metric),
        "n_items": ranking.n_items,
        "n_units": ranking.n_units,
        "tests": list(ranking.tests),
        "alternative": ranking.alternative.value,
        "correction": ranking.correction.value,
        "alpha": ranking.alpha,
        "n_resamples": ranking.n_resamples,
        "seed": ranking.seed,
        "warnings": list(ranking.warnings),
    }


def _interval(interval: Interval) -> dict[str, Any]:
    return {
        "low": interval.low,
        "high": interval.high,
        "confidence_level": interval.confidence_level,
        "method": interval.method,
        "exact": interval.exact,
    }


def _system(system: RankedSystem) -> dict[str, Any]:
    return {
        "name": system.name,
        "family": system.family,
        "score": system.score,
        "interval": _interval(system.interval),
        "rank": system.rank,
        "rank_low": system.rank_low,
        "rank_high": system.rank_high,
        "group": system.group,
        "cluster": system.cluster,
        "among_best": system.among_best,
        "p_best": system.p_best,
        "gain_to_next": system.gain_to_next,
        "gain_to_best": system.gain_to_best,
    }


def _pair(pair: RankedPair, ranking: Ranking) -> dict[str, Any]:
    return {
        "baseline": pair.baseline,
        "candidate": pair.candidate,
        "gain": pair.gain,
        "interval": _interval(pair.interval),
        "p_value": pair.p_value,
        "p_holm": pair.p_holm,
        "p_bh": pair.p_bh,
        "p_maxt": pair.p_maxt,
        "exact": pair.exact,
        "same_family": pair.same_family,
        "wins": pair.wins,
        "ties": pair.ties,
        "losses": pair.losses,
        "n_exceeding": pair.n_exceeding,
        "p_value_low": pair.p_value_low,
        "p_value_high": pair.p_value_high,
        "other_p_values": dict(zip(ranking.tests[1:], pair.other_p_values, strict=True)),
        "is_bound": pair.is_bound,
    }
