"""The metrics of outputs against references, by name, with their options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from outscore.errors import OptionError, Problem
from outscore.metrics.base import AnyOutputMetric, ColumnMetric
from outscore.metrics.families.columns import METRICS
from outscore.metrics.options import computed_elsewhere, options_of, parsed, with_cutoff
from outscore.options import opt
from outscore.text.aliases import is_computed_elsewhere, own_spec
from outscore.text.naming import nearest, quoted

# The class of each metric, by its module in `families`.
_PLACES = {
    "bleu": "translation:Bleu",
    "chrf": "translation:ChrF",
    "chrf++": "translation:ChrFPlusPlus",
    "ter": "translation:Ter",
    "rouge1": "summarization:Rouge1",
    "rouge2": "summarization:Rouge2",
    "rougeL": "summarization:RougeL",
    "rougeLsum": "summarization:RougeLsum",
    "uas": "dependencies:Uas",
    "las": "dependencies:Las",
    "clas": "dependencies:Clas",
    "bracket-f1": "constituents:BracketF1",
    "bracket-precision": "constituents:BracketPrecision",
    "bracket-recall": "constituents:BracketRecall",
    "aer": "alignment:Aer",
    "alignment-f1": "alignment:AlignmentF1",
    "alignment-precision": "alignment:AlignmentPrecision",
    "alignment-recall": "alignment:AlignmentRecall",
    "span-f1": "spans:SpanF1",
    "span-precision": "spans:SpanPrecision",
    "span-recall": "spans:SpanRecall",
    "macro-span-f1": "spans:MacroSpanF1",
    "macro-span-precision": "spans:MacroSpanPrecision",
    "macro-span-recall": "spans:MacroSpanRecall",
    "accuracy": "classification:LabelAccuracy",
    "micro-f1": "classification:MicroF1",
    "micro-precision": "classification:MicroPrecision",
    "micro-recall": "classification:MicroRecall",
    "macro-f1": "classification:MacroF1",
    "macro-precision": "classification:MacroPrecision",
    "macro-recall": "classification:MacroRecall",
    "mcc": "classification:Mcc",
    "kappa": "classification:Kappa",
    "exact-match": "answers:ExactMatch",
    "token-f1": "answers:TokenF1",
    "wer": "speech:Wer",
    "cer": "speech:Cer",
    "ap": "retrieval:AveragePrecision",
    "ndcg": "retrieval:Ndcg",
    "p": "retrieval:PrecisionAt",
    "rr": "retrieval:ReciprocalRank",
    "recall": "retrieval:RecallAt",
    "pearson": "regression:Pearson",
    "spearman": "regression:Spearman",
    "mse": "regression:Mse",
    "mae": "regression:Mae",
}


class _Registry(Mapping[str, type[AnyOutputMetric[Any, Any]]]):
    """The classes of metrics by name; a module is imported on first access."""

    def __getitem__(self, name: str) -> type[AnyOutputMetric[Any, Any]]:
        module, _, class_name = _PLACES[name].partition(":")
        metric: type[AnyOutputMetric[Any, Any]] = getattr(
            import_module(f"outscore.metrics.families.{module}"), class_name
        )
        return metric

    def __contains__(self, name: object) -> bool:
        return name in _PLACES

    def __iter__(self) -> Iterator[str]:
        return iter(_PLACES)

    def __len__(self) -> int:
        return len(_PLACES)


OUTPUT_METRICS = _Registry()


def output_metric_named(spec: str) -> AnyOutputMetric[Any, Any]:
    """Return the metric that a user writes as ``name``, ``name@k`` or ``name:option=value,option=value``.

    Names ignore case. Names of other tools are aliases (`outscore.text.aliases`).

    Examples
    --------
    >>> output_metric_named("bleu:tokenize=zh,lowercase=true").tokenize
    'zh'
    >>> output_metric_named("ndcg@10").name
    'ndcg@10'
    >>> output_metric_named("BLEU:tok:zh").tokenize, output_metric_named("ndcg_cut_10").name
    ('zh', 'ndcg@10')
    """
    name, options = parsed(own_spec(spec, OUTPUT_METRICS))
    metric = OUTPUT_METRICS.get(name)
    if metric is None:
        # Reading the entry points of all packages is slow: only for names that are not built in.
        from outscore.metrics.plugins import plugged_metric, plugins

        metric = plugged_metric(name, AnyOutputMetric)  # type: ignore[type-abstract]
        if metric is None:
            offer = nearest(name, [*OUTPUT_METRICS, *(plugin.name for plugin in plugins())])
            column_name = parsed(own_spec(spec, METRICS))[0]
            alike = [name_of_output for name_of_output in OUTPUT_METRICS if name_of_output.endswith(f"-{column_name}")]
            if is_computed_elsewhere(name):
                offer = computed_elsewhere()
            elif parsed(own_spec(with_cutoff(name), OUTPUT_METRICS))[0] in OUTPUT_METRICS:
                offer = f"Did you mean {quoted(with_cutoff(name))}?"
            elif column_name in METRICS and alike:
                offer = f"It needs columns of counts; for outputs use {', '.join(alike)}."
            elif column_name in METRICS or plugged_metric(name, ColumnMetric) is not None:  # type: ignore[type-abstract]
                offer = "It needs columns of scores: leave out the references."
            raise OptionError(
                Problem(opt("metric"), f"unknown metric {quoted(spec)} of outputs", offer, "unknown-metric")
            )
    return metric(**options_of(metric, options)) if options else metric()
