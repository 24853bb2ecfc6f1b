"""Scores of systems by themselves: in one call, and as the command line reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from outscore.arguments import DEFAULT_SEED, alpha_of, given_systems, named_candidates, several_metrics
from outscore.errors import OptionError, Problem
from outscore.given import choice, whole
from outscore.metrics import AnyMetric
from outscore.results import Method
from outscore.results.scores import Scores, SystemScore
from outscore.rows import Labels, Rows, align_items
from outscore.significance import Resampling
from outscore.significance.system_scores import score_rows, scores_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

__all__ = ["score", "score_metrics"]


def score(
    *systems: object,
    metric: AnyMetric | str | list[Any] | tuple[Any, ...] | None = None,
    references: object = None,
    method: Method | str = Method.AUTO,
    n_resamples: int = 100_000,
    seed: int = DEFAULT_SEED,
    alpha: float | None = None,
    confidence_level: float | None = None,
    clusters: object = None,
    strata: object = None,
    collapse_strata: bool = False,
    drop_missing: bool = False,
    names: Sequence[str] | None = None,
    input_format: str | None = None,
    lower_is_better: bool = False,
    id_column: str | None = None,
    score_column: str | None = None,
    executor: Executor | None = None,
) -> Scores:
    """Score systems by themselves, each with an interval of its score.

    Whether one of them is better than another is a question for `outscore.compare`, which pairs them.

    Parameters
    ----------
    *systems : array, list, mapping from item id to score, dataframe, series, Rows, str or path
        As `outscore.compare` takes a baseline and candidates. One or several, or one mapping from names to systems,
        list of systems, or data frame whose columns are the systems. Without clusters and strata they need not have
        the same items.
    metric, references, n_resamples, seed, names, input_format, lower_is_better, id_column, score_column, executor
        As for `outscore.compare`.
    method : {"auto", "exact", "monte-carlo"}
        Of the bootstrap law of a score.
    alpha, confidence_level : float, optional
        Of the intervals: one sets both. 0.05 by default.
    clusters, strata, collapse_strata
        As for `outscore.compare`: labels of the first system's items.
    drop_missing : bool
        With clusters or strata: score the items that all systems have.

    Returns
    -------
    Scores
        Wilson's interval for right-or-wrong items; else from the bootstrap law of the score, or from t where units are
        few (`Interval.method` says which).

    Raises
    ------
    DataError
        Numbers that are not finite, a system of one item, labels that do not fit.
    OptionError
        An argument out of its range, or an unknown name.

    Examples
    --------
    >>> found = score([1, 1, 1, 0, 1, 1, 0, 1, 1, 1], metric="accuracy").scores[0]
    >>> found.score, round(found.interval.low, 3), round(found.interval.high, 3), found.interval.method
    (0.8, 0.49, 0.943, 'wilson')
    """
    one_column = score_column is not None or id_column is not None
    each, own_names = named_candidates(references, systems, metric, references, one_column=one_column)
    if not each:
        raise OptionError(Problem("score", "expected at least one system, got none", "", "no-system"))
    resampling = Resampling(
        choice(Method, method, "method"), whole(n_resamples, "n_resamples"), whole(seed, "seed"), executor
    )
    default_names = ["system"] if len(each) == 1 else [f"system {i + 1}" for i in range(len(each))]
    given = [
        given_systems(
            each,
            one,
            references,
            names=own_names if names is None else names,
            default_names=default_names,
            input_format=input_format,
            lower_is_better=lower_is_better,
            id_column=id_column,
            score_column=score_column,
            drop_missing=drop_missing,
        )
        for one in several_metrics(metric) or [metric]
    ]
    return score_metrics(
        [one.metric for one in given],
        [one.systems for one in given],
        resampling,
        alpha_of(alpha, confidence_level),
        clusters=given[0].labels(clusters, "clusters"),
        strata=Labels.collapsing(given[0].labels(strata, "strata"), collapse_strata),
        drop_missing=drop_missing,
    )


def score_metrics(
    metrics: Sequence[AnyMetric],
    rows: Sequence[Sequence[Rows]],
    resampling: Resampling,
    alpha: float,
    *,
    clusters: Labels | None = None,
    strata: Labels | None = None,
    drop_missing: bool = False,
    notes: Sequence[str] = (),
) -> Scores:
    """Return the scores of all systems on several metrics.

    Parameters
    ----------
    metrics : sequence of AnyMetric
    rows : sequence of sequences of Rows
        For each metric those of every system.
    resampling, alpha
        As `score_rows` takes them.
    clusters, strata : Labels, optional
        Of the first system's items; with them systems are aligned, without them each has items of its own.
    drop_missing : bool
    notes : sequence of str
        What is to be said of how systems were read.
    """
    found: list[SystemScore] = []
    warnings = list(notes)
    for metric, systems in zip(metrics, rows, strict=True):
        cluster_codes = stratum_codes = None
        if clusters is not None or strata is not None:
            items = align_items(systems, clusters=clusters, strata=strata, drop_missing=drop_missing)
            systems, cluster_codes, stratum_codes = items.systems, items.clusters, items.strata
            warnings += items.notes
        scores, told = score_rows(metric, systems, resampling, alpha, clusters=cluster_codes, strata=stratum_codes)
        found += scores
        warnings += told
    if len({one.n_items for one in found}) > 1:
        warnings.append("Not all systems are scored on as many items: their scores may not be comparable.")
    return scores_of(found, resampling, alpha, "item" if clusters is None else "cluster", warnings)
