"""Metrics: from items to rows of statistics, and from totals to scores."""

from __future__ import annotations

from outscore.metrics.base import AnyMetric, ColumnMetric, Fault, Metric, RatioMetric
from outscore.metrics.families.columns import F1, METRICS, Accuracy, Mean, Precision, Ratio, Recall
from outscore.metrics.registry import metric_named, metrics_listed

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
