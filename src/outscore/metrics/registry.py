"""The metrics by name."""

from __future__ import annotations

from typing import Any

from outscore.errors import OptionError, Problem
from outscore.metrics.accuracy import Accuracy
from outscore.metrics.base import ColumnMetric
from outscore.metrics.language_modelling import BitsPerByte, Perplexity
from outscore.metrics.mean import Mean
from outscore.metrics.options import options_of, parsed
from outscore.metrics.ratio import Ratio
from outscore.metrics.retrieved import F1, Precision, Recall
from outscore.naming import nearest, quoted

__all__ = ["METRICS", "metric_named"]

METRICS: dict[str, type[ColumnMetric]] = {
    metric.name: metric for metric in (Mean, Accuracy, Ratio, Precision, Recall, F1, Perplexity, BitsPerByte)
}


def metric_named(spec: str, *, lower_is_better: bool = False) -> ColumnMetric:
    """Return the metric that a user writes as ``name`` or ``name:option=value,option=value``.

    Parameters
    ----------
    spec : str
        Its name is one of `METRICS`, or that of a metric that an installed package registers.
    lower_is_better : bool
        For `mean` and `ratio`, which do not know what they measure.

    Raises
    ------
    OptionError
        An unknown name or option (the nearest one is offered), a value that the option cannot take, or a direction
        for a metric that has its own.

    Examples
    --------
    >>> metric_named("mean:higher_is_better=false")
    Mean(higher_is_better=False)
    """
    name, given = parsed(spec)
    metric = METRICS.get(name)
    if metric is None:
        from outscore.metrics.outputs import OUTPUT_METRICS
        from outscore.metrics.plugins import plugged_metric, plugins

        metric = plugged_metric(name, ColumnMetric)  # type: ignore[type-abstract]
    if metric is None:
        advice = nearest(name, METRICS)
        if name in {*OUTPUT_METRICS, *(plugin.name for plugin in plugins())}:
            advice = "It compares outputs with references: name them with --reference."
        raise OptionError(Problem("--metric", f"unknown metric {quoted(spec)} of columns", advice, "unknown-metric"))
    if lower_is_better and metric is not Mean and metric is not Ratio:
        what = f"{name} knows its direction"
        raise OptionError(Problem("--lower-is-better", what, "Leave the option out.", "wrong-direction"))
    options: dict[str, Any] = dict(options_of(metric, given))
    if lower_is_better:
        options["higher_is_better"] = False
    return metric(**options)
