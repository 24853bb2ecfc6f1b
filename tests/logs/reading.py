"""What tests of all formats of logs share."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.logs.kit import Log, LogFile, LogMetric, format_of_log, log_formats


def logs_in(path: Path, format_name: str) -> list[Log]:
    """Return the logs in a file or folder; every file that is of a format at all is of this one."""
    paths = sorted(path.rglob("*")) if path.is_dir() else [path]
    files = [LogFile(file, path) for file in paths if file.is_file()]
    formats = [format_of_log(file) for file in files]
    known = log_formats()[format_name]
    assert {one for one in formats if one is not None} <= {known}
    return list(known.read([file for file, one in zip(files, formats, strict=True) if one is known]))


def item_means(log: Log, metric: LogMetric) -> dict[str, float]:
    """Return the mean of each item's scores, of items that have one."""
    scores: dict[str, list[float]] = {}
    for item, score in zip(log.item_ids, metric.scores.tolist(), strict=True):
        if not np.isnan(score):
            scores.setdefault(item, []).append(score)
    return {item: float(np.mean(of)) for item, of in scores.items()}


def standard_error(means: dict[str, float]) -> float:
    """Return that of the mean over items, with n - 1."""
    return float(np.std(list(means.values()), ddof=1) / np.sqrt(len(means)))


def metric_of(log: Log, name: str) -> LogMetric:
    """Return a metric by its name."""
    return next(metric for metric in log.metrics if metric.name == name)
