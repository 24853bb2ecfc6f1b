"""The metrics of outputs against references, by name, with their options."""

from __future__ import annotations

from typing import Any

from outscore.errors import OptionError, Problem
from outscore.metrics.base import AnyOutputMetric, ColumnMetric
from outscore.metrics.families.alignment import Aer, AlignmentF1, AlignmentPrecision, AlignmentRecall
from outscore.metrics.families.answers import ExactMatch, TokenF1
from outscore.metrics.families.classification import (
    Kappa,
    LabelAccuracy,
    MacroF1,
    MacroPrecision,
    MacroRecall,
    Mcc,
    MicroF1,
    MicroPrecision,
    MicroRecall,
)
from outscore.metrics.families.columns import METRICS
from outscore.metrics.families.constituents import BracketF1, BracketPrecision, BracketRecall
from outscore.metrics.families.dependencies import Clas, Las, Uas
from outscore.metrics.families.regression import Mae, Mse, Pearson, Spearman
from outscore.metrics.families.retrieval import AveragePrecision, Ndcg, PrecisionAt, RecallAt, ReciprocalRank
from outscore.metrics.families.spans import (
    MacroSpanF1,
    MacroSpanPrecision,
    MacroSpanRecall,
    SpanF1,
    SpanPrecision,
    SpanRecall,
)
from outscore.metrics.families.speech import Cer, Wer
from outscore.metrics.families.summarization import Rouge1, Rouge2, RougeL, RougeLsum
from outscore.metrics.families.translation import Bleu, ChrF, ChrFPlusPlus, Ter
from outscore.metrics.options import computed_elsewhere, options_of, parsed
from outscore.options import opt
from outscore.text.aliases import is_computed_elsewhere, own_spec
from outscore.text.naming import nearest, quoted

OUTPUT_METRICS: dict[str, type[AnyOutputMetric[Any, Any]]] = {
    metric.name: metric
    for metric in (
        *(Bleu, ChrF, ChrFPlusPlus, Ter),
        *(Rouge1, Rouge2, RougeL, RougeLsum),
        *(Uas, Las, Clas),
        *(BracketF1, BracketPrecision, BracketRecall),
        *(Aer, AlignmentF1, AlignmentPrecision, AlignmentRecall),
        *(SpanF1, SpanPrecision, SpanRecall, MacroSpanF1, MacroSpanPrecision, MacroSpanRecall),
        *(LabelAccuracy, MicroF1, MicroPrecision, MicroRecall, MacroF1, MacroPrecision, MacroRecall, Mcc, Kappa),
        *(ExactMatch, TokenF1),
        *(Wer, Cer),
        *(AveragePrecision, Ndcg, PrecisionAt, ReciprocalRank, RecallAt),
        *(Pearson, Spearman, Mse, Mae),
    )
}


def output_metric_named(spec: str) -> AnyOutputMetric[Any, Any]:
    """Return the metric that a user writes as ``name``, ``name@k`` or ``name:option=value,option=value``.

    Names are understood in any letter case, and so are those of other tools (`outscore.text.aliases`).

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
        # Dozens of packages may have to be asked: only for a name that is not one of ours.
        from outscore.metrics.plugins import plugged_metric, plugins

        metric = plugged_metric(name, AnyOutputMetric)  # type: ignore[type-abstract]
        if metric is None:
            offer = nearest(name, [*OUTPUT_METRICS, *(plugin.name for plugin in plugins())])
            of_columns = parsed(own_spec(spec, METRICS))[0]
            alike = [one for one in OUTPUT_METRICS if one.endswith(f"-{of_columns}")]
            if is_computed_elsewhere(name):
                offer = computed_elsewhere()
            elif of_columns in METRICS and alike:
                offer = f"It reads columns of counts; of outputs there are {', '.join(alike)}."
            elif of_columns in METRICS or plugged_metric(name, ColumnMetric) is not None:  # type: ignore[type-abstract]
                offer = "It reads columns of scores: leave out the references."
            raise OptionError(
                Problem(opt("metric"), f"unknown metric {quoted(spec)} of outputs", offer, "unknown-metric")
            )
    return metric(**options_of(metric, options)) if options else metric()
