"""Metrics: rows of items, and the score of totals."""

from __future__ import annotations

from outscore.metrics.accuracy import Accuracy
from outscore.metrics.base import AnyMetric, ColumnMetric, Fault, Metric, RatioMetric
from outscore.metrics.mean import Mean
from outscore.metrics.ratio import Ratio
from outscore.metrics.registry import METRICS, metric_named, metrics_listed
from outscore.metrics.retrieved import F1, Precision, Recall

__all__ = [
    "F1",
    "METRICS",
    "Accuracy",
    "AnyMetric",
    "ColumnMetric",
    "Fault",
    "Mean",
    "Metric",
    "Precision",
    "Ratio",
    "RatioMetric",
    "Recall",
    "metric_named",
    "metrics_listed",
]
