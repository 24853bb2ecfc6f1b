"""The metrics by name."""

from __future__ import annotations

import re
from typing import Any

from outscore.aliases import COMPUTED_ELSEWHERE_ADVICE, is_computed_elsewhere, own_spec
from outscore.errors import OptionError, Problem
from outscore.metrics.base import ColumnMetric
from outscore.metrics.battles import NAME as BATTLES
from outscore.metrics.columns import METRICS, Mean, Ratio
from outscore.metrics.options import options_of, parsed
from outscore.naming import nearest, quoted


def metric_named(spec: str, *, lower_is_better: bool = False) -> ColumnMetric:
    """Return the metric that a user writes as ``name`` or ``name:option=value,option=value``.

    Parameters
    ----------
    spec : str
        Its name is one of `METRICS` in any letter case or another name of it (`outscore.aliases`), or that of a metric
        that an installed package registers.
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
    Mean(lowest=None, highest=None, higher_is_better=False)
    """
    name, written = parsed(own_spec(spec, [*METRICS, BATTLES]))
    metric = METRICS.get(name)
    if metric is None:
        from outscore.metrics.plugins import plugged_metric

        metric = plugged_metric(name, ColumnMetric)  # type: ignore[type-abstract]
    if metric is None:
        advice = nearest(name, [*METRICS, BATTLES])
        if name == BATTLES:
            raise OptionError(Problem("--metric", f"{name} ranks battles", "Use outscore rank.", "not-for-battles"))
        if is_computed_elsewhere(name):
            advice = COMPUTED_ELSEWHERE_ADVICE
        elif is_metric(spec):
            advice = "It compares outputs with references: name them with --reference."
        raise OptionError(Problem("--metric", f"unknown metric {quoted(spec)} of columns", advice, "unknown-metric"))
    if lower_is_better and metric is not Mean and metric is not Ratio:
        what = f"{name} knows its direction"
        raise OptionError(Problem("--lower-is-better", what, "Leave the option out.", "wrong-direction"))
    options: dict[str, Any] = dict(options_of(metric, written))
    if lower_is_better:
        options["higher_is_better"] = False
    return metric(**options)


def metrics_listed(text: str) -> list[str]:
    """Return the metrics of a list with commas, which may also stand between the options of one.

    A comma ends a metric's options where what follows is the name of a metric and no option of it.

    Examples
    --------
    >>> metrics_listed("bleu,chrf"), metrics_listed("bleu:lowercase,tokenize=zh,chrf")
    (['bleu', 'chrf'], ['bleu:lowercase,tokenize=zh', 'chrf'])
    """
    specs: list[str] = []
    for part in re.findall(r'(?:[^,"]|"[^"]*"?)+', text):
        if specs and ":" in specs[-1] and (re.match(r"[^:@]*=", part) or not is_metric(part.strip())):
            specs[-1] += f",{part}"
        elif part.strip():
            specs.append(part.strip())
    return specs or [text]


def is_metric(spec: str) -> bool:
    """Tell whether a metric goes by this name, whether it is one of columns or of outputs."""
    if parsed(own_spec(spec, [*METRICS, BATTLES]))[0] in {*METRICS, BATTLES}:
        return True
    from outscore.metrics.outputs import OUTPUT_METRICS
    from outscore.metrics.plugins import plugins

    return parsed(own_spec(spec, OUTPUT_METRICS))[0] in {*OUTPUT_METRICS, *(plugin.name for plugin in plugins())}
