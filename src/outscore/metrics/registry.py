"""The metrics by name."""

from __future__ import annotations

import re
from typing import Any

from outscore.errors import OptionError, Problem
from outscore.metrics.base import ColumnMetric
from outscore.metrics.families.columns import METRICS, Mean, Ratio
from outscore.metrics.options import computed_elsewhere, options_of, parsed, with_cutoff
from outscore.options import leave_out, opt
from outscore.text.aliases import is_computed_elsewhere, own_spec
from outscore.text.naming import nearest, quoted

# Metrics that only `outscore rank` supports, and the modules with their descriptions.
RANKED_ELSEWHERE = {"bradley-terry": "battles.metric:description"}
CITED_ELSEWHERE = {"bradley-terry": ("bradley1952",)}  # keys of the works that a methods paragraph cites for them


def metric_named(spec: str, *, lower_is_better: bool = False) -> ColumnMetric:
    """Return the metric that a user writes as ``name`` or ``name:option=value,option=value``.

    The name is one of `METRICS` in any case, an alias (`outscore.text.aliases`), or the name of a metric that an
    installed package registers. `lower_is_better` is for `mean` and `ratio`, which have no direction of their own.
    OptionErrors suggest the nearest name.

    Examples
    --------
    >>> metric_named("mean:higher_is_better=false")
    Mean(lowest=None, highest=None, higher_is_better=False)
    """
    name, written = parsed(own_spec(spec, [*METRICS, *RANKED_ELSEWHERE]))
    metric = METRICS.get(name)
    if metric is None:
        from outscore.metrics.plugins import plugged_metric

        metric = plugged_metric(name, ColumnMetric)  # type: ignore[type-abstract]
    if metric is None:
        advice = nearest(name, [*METRICS, *RANKED_ELSEWHERE])
        if name in RANKED_ELSEWHERE:
            what = f"{name} ranks pairwise comparisons"
            raise OptionError(Problem(opt("metric"), what, "Use outscore rank.", "not-for-battles"))
        if is_computed_elsewhere(name):
            advice = computed_elsewhere()
        elif is_metric(spec):
            raise _without_references(spec)
        elif is_metric(with_cutoff(name)):
            advice = f"Did you mean {quoted(with_cutoff(name))}?"
        raise OptionError(Problem(opt("metric"), f"unknown metric {quoted(spec)} of columns", advice, "unknown-metric"))
    if lower_is_better and metric is not Mean and metric is not Ratio:
        what = f"{name} has its own direction"
        raise OptionError(Problem(opt("lower_is_better"), what, leave_out(), "wrong-direction"))
    options: dict[str, Any] = dict(options_of(metric, written)) if written else {}
    if lower_is_better:
        options["higher_is_better"] = False
    return metric(**options)


def _without_references(spec: str) -> OptionError:
    """Return the error of a metric of outputs without references."""
    from outscore.data.items import Judgements
    from outscore.metrics.outputs import OUTPUT_METRICS

    kind = OUTPUT_METRICS.get(parsed(own_spec(spec, OUTPUT_METRICS))[0])
    what, advice = (
        f"{spec} needs {opt('references')}",
        "It compares outputs with references. They may be a column of the same table.",
    )
    if kind is not None and kind.reference_type is Judgements:
        what, advice = f"{spec} needs qrels", f"Pass {opt('references')}."
    return OptionError(Problem(opt("metric"), what, advice, "unknown-metric"))


def metrics_listed(text: str) -> list[str]:
    """Return the metrics of a comma-separated list, in which commas may also separate the options of a metric.

    A comma ends a metric's options if the next word is the name of a metric and not of an option.

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
    """Return whether a metric of columns or of outputs has this name."""
    if parsed(own_spec(spec, [*METRICS, *RANKED_ELSEWHERE]))[0] in {*METRICS, *RANKED_ELSEWHERE}:
        return True
    from outscore.metrics.outputs import OUTPUT_METRICS
    from outscore.metrics.plugins import plugins

    return parsed(own_spec(spec, OUTPUT_METRICS))[0] in {*OUTPUT_METRICS, *(plugin.name for plugin in plugins())}
