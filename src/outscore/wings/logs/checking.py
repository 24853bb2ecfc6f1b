"""Checks of logs: scores of items, and whether the harness's figures agree with them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from outscore._types import FloatArray, IntArray
from outscore._version import __version__
from outscore.data.reducers import reducer_named
from outscore.errors import DataError, OptionError
from outscore.metrics.base import fault_of_scale
from outscore.options import opt
from outscore.text.naming import printable
from outscore.wings.logs.base import Aggregate, Log, LogMetric, coded
from outscore.wings.logs.finding import NamedLog
from outscore.wings.logs.results import Inventory, InventoryEntry, shared_notes
from outscore.wings.logs.values import proposed_labels

_AGREE = 1e-9  # relative, and absolute near 0
_MOST_CELLS = 2**26


def _no_total() -> str:
    return f"lists only items that score, without their total; pass {opt('total')} to compare and rank"


def duplicates_in(log: Log) -> int:
    """Return the number of records that repeat an item and run."""
    cells = set(log.item_ids) if log.runs is None else set(zip(log.item_ids, log.runs, strict=True))
    return len(log) - len(cells)


def item_means(codes: IntArray, scores: FloatArray, n: int) -> FloatArray:
    """Return the mean of each of n items' scores, NaN if an item has none."""
    there = ~np.isnan(scores)
    counts = np.bincount(codes[there], minlength=n)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.bincount(codes[there], scores[there], minlength=n) / counts


def checked(log: Log, metric: LogMetric) -> tuple[float | None, float | None, bool | None, str | None]:
    """Return our score, the harness's, whether all its figures agree with ours, and in one line why not.

    Figures that cannot be computed from scores are not compared; without any other, `agrees` is None. It is also
    None if the harness uses another aggregation than the mean, and the figures differ.
    """
    ids, codes = log.items
    means = item_means(codes, metric.scores, len(ids))
    scored = means[~np.isnan(means)]
    n_all = len(scored) + log.n_unlisted
    finite = metric.scores[np.isfinite(metric.scores)]
    scale = fault_of_scale(finite[:, None])
    if scale is not None and float(np.abs(finite).max()) > 1:  # a harness writes 2e-308 for 0
        return None, None, None, scale.what
    score = float(scored.sum() / n_all) if n_all and not log.needs_total else None
    aggregate_mean = next(
        (aggregate for aggregate in metric.aggregates if aggregate.statistic.startswith("mean")), None
    )
    harness = None if aggregate_mean is None else aggregate_mean.value / aggregate_mean.scale
    agree: list[bool] = []
    explanation = None
    for aggregate in metric.aggregates:
        value = _statistic(aggregate, log, metric, means, codes)
        if value is None or math.isnan(aggregate.value):
            continue
        ours = value * aggregate.scale
        agree.append(math.isclose(ours, aggregate.value, rel_tol=_AGREE, abs_tol=_AGREE))
        if not agree[-1] and explanation is None:
            explanation = f"the harness has {aggregate.statistic} {aggregate.value:.6g}, these scores have {ours:.6g}"
            if aggregate.n is not None and aggregate.n != n_all:
                explanation = f"computed over {aggregate.n:,} items, of which this log has {n_all:,}"
            elif metric.explanation is not None:
                explanation = metric.explanation
    if (
        aggregate_mean is not None
        and aggregate_mean.statistic == "mean-of-records"
        and score is not None
        and explanation is None
    ):
        agree.append(math.isclose(score, aggregate_mean.value / aggregate_mean.scale, rel_tol=_AGREE, abs_tol=_AGREE))
        explanation = None if agree[-1] else "the harness averages over all answers, not over items"
    if not all(agree) and metric.aggregation is not None:
        return score, harness, None, explanation
    return score, harness, all(agree) if agree else None, explanation


def _statistic(aggregate: Aggregate, log: Log, metric: LogMetric, means: FloatArray, codes: IntArray) -> float | None:
    """Return our value of a figure of the harness; None if it cannot be computed from these scores."""
    items = np.concatenate([means[~np.isnan(means)], np.zeros(log.n_unlisted)])
    n = len(items)
    if n == 0:
        return None
    if aggregate.statistic == "mean":
        return math.fsum(items.tolist()) / n
    if aggregate.statistic == "mean-of-records":
        return float(np.nanmean(metric.scores))
    if aggregate.statistic == "stderr":
        return float(np.std(items, ddof=1) / math.sqrt(n)) if n > 1 else 0.0
    if aggregate.statistic == "clustered-stderr":
        return _clustered(aggregate, log, means, codes)
    try:
        reducer = reducer_named(aggregate.statistic)
        if reducer.needs is not None:
            return None
        return float(reducer.reduced(_samples(codes, metric.scores, len(means))).mean())
    except (OptionError, DataError, MemoryError):
        return None


def _clustered(aggregate: Aggregate, log: Log, means: FloatArray, codes: IntArray) -> float | None:
    """Return (Σ_c (Σ dev)²·C/(C − 1))^½/n."""
    labels = log.labels.get(aggregate.cluster or "")
    if labels is None or log.n_unlisted:
        return None
    label_of = dict(zip(codes.tolist(), labels, strict=True))
    there = np.flatnonzero(~np.isnan(means))
    _, clusters = coded([label_of[item] for item in there.tolist()])
    deviations = np.bincount(clusters, means[there] - means[there].mean())
    count = len(deviations)
    if count < 2:
        return 0.0
    return float(math.sqrt((deviations**2).sum() * count / (count - 1)) / len(there))


def _samples(codes: IntArray, scores: FloatArray, n: int) -> FloatArray:
    """Return scores as samples of items, shape (m, n'), for items that have one; NaN for missing samples.

    Raises MemoryError if one item has far more samples than others.
    """
    there = ~np.isnan(scores)
    codes, scores = codes[there], scores[there]
    order = np.argsort(codes, kind="stable")
    codes, scores = codes[order], scores[order]
    counts = np.bincount(codes, minlength=n)
    m = int(counts.max(initial=0))
    if m * n > _MOST_CELLS:
        raise MemoryError
    rank = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
    samples = np.full((m, n), np.nan)
    samples[rank, codes] = scores
    return samples[:, counts > 0]


def inventory_of(logs: Sequence[NamedLog]) -> Inventory:
    """Return the content of logs, one entry per system, task and metric."""
    entries, notes = [], []
    for named in logs:
        log = named.log
        if not log.metrics:
            notes += [(note, printable(log.path)) for note in log.notes or ["has no scores"]]
        n_duplicates = duplicates_in(log)
        for metric in log.metrics:
            score, harness, agrees, explanation = checked(log, metric)
            unscored = int(np.isnan(metric.scores).sum())
            n_items, n_runs = _counts(log, metric)
            entries.append(
                InventoryEntry(
                    named.system,
                    log.task,
                    metric.name,
                    n_items=n_items + log.n_unlisted,
                    n_runs=n_runs,
                    n_unscored=max(unscored - log.n_errors, 0),
                    n_errors=log.n_errors,
                    score=score,
                    harness_score=harness,
                    agrees=agrees,
                    explanation=explanation,
                    aggregation=metric.aggregation if agrees is None else None,
                    groups=tuple(log.groups) or None,
                    aliases=tuple(metric.aliases),
                    format="memory" if named.format is None else named.format.name,
                    path=printable(log.path),
                    is_main=metric.is_main or len(log.metrics) == 1,
                    lowest=metric.lowest,
                    highest=metric.highest,
                    higher_is_better=metric.higher_is_better,
                    n_duplicates=n_duplicates,
                    runs_are=log.runs_are,
                    labels=tuple(proposed_labels(log)),
                    notes=(*log.notes, _no_total()) if log.needs_total else tuple(log.notes),
                )
            )
    return Inventory(tuple(entries), __version__, tuple(shared_notes(notes)))


def _counts(log: Log, metric: LogMetric) -> tuple[int, int]:
    """Return the number of items with a score, and the largest number of runs of an item."""
    ids, codes = log.items
    n_items = len(np.unique(codes[~np.isnan(metric.scores)]))
    if log.runs is None:
        return n_items, min(1, len(ids))
    cells = set(zip(codes.tolist(), log.runs, strict=True))
    return n_items, int(np.bincount([item for item, _ in cells]).max(initial=0))
