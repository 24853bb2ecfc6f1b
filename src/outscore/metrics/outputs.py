"""The metrics of outputs against references, by name, with their options."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any, get_args, get_type_hints

from outscore.errors import OptionError, Problem
from outscore.metrics.alignment import Aer, AlignmentF1, AlignmentPrecision, AlignmentRecall
from outscore.metrics.answers import ExactMatch, TokenF1
from outscore.metrics.base import OutputMetric
from outscore.metrics.bleu import Bleu
from outscore.metrics.chrf import ChrF, ChrFPlusPlus
from outscore.metrics.classification import (
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
from outscore.metrics.constituents import BracketF1, BracketPrecision, BracketRecall
from outscore.metrics.dependencies import Clas, Las, Uas
from outscore.metrics.regression import Mae, Mse, Pearson
from outscore.metrics.retrieval import AveragePrecision, Ndcg, PrecisionAt, RecallAt, ReciprocalRank
from outscore.metrics.spans import MacroSpanF1, SpanF1, SpanPrecision, SpanRecall
from outscore.metrics.speech import Cer, Wer
from outscore.metrics.summarization import Rouge1, Rouge2, RougeL, RougeLsum
from outscore.metrics.ter import Ter
from outscore.naming import nearest, quoted

__all__ = ["OUTPUT_METRICS", "output_metric_named"]

OUTPUT_METRICS: dict[str, type[OutputMetric[Any, Any]]] = {
    metric.name: metric
    for metric in (
        *(Bleu, ChrF, ChrFPlusPlus, Ter),
        *(Rouge1, Rouge2, RougeL, RougeLsum),
        *(Uas, Las, Clas),
        *(BracketF1, BracketPrecision, BracketRecall),
        *(Aer, AlignmentF1, AlignmentPrecision, AlignmentRecall),
        *(SpanF1, SpanPrecision, SpanRecall, MacroSpanF1),
        *(LabelAccuracy, MicroF1, MicroPrecision, MicroRecall, MacroF1, MacroPrecision, MacroRecall, Mcc, Kappa),
        *(ExactMatch, TokenF1),
        *(Wer, Cer),
        *(AveragePrecision, Ndcg, PrecisionAt, ReciprocalRank, RecallAt),
        *(Pearson, Mse, Mae),
    )
}
_SPEC = re.compile(r"(?P<name>[^:@]+)(?:@(?P<k>[^:]*))?(?::(?P<options>.*))?")


def output_metric_named(spec: str) -> OutputMetric[Any, Any]:
    """Return the metric that a user writes as ``name``, ``name@k`` or ``name:option=value,option=value``.

    Raises
    ------
    OptionError
        An unknown metric or option, or a value that the option cannot take; the nearest name is offered.

    Examples
    --------
    >>> output_metric_named("bleu:tokenize=zh,lowercase=true").tokenize
    'zh'
    >>> output_metric_named("ndcg@10").name
    'ndcg@10'
    """
    match = _SPEC.fullmatch(spec)
    name = match["name"] if match else spec
    metric = OUTPUT_METRICS.get(name)
    if match is None or metric is None:
        offer = nearest(name, OUTPUT_METRICS)
        raise OptionError(Problem("--metric", f"unknown metric {quoted(spec)} of outputs", offer, "unknown-metric"))
    kinds = get_type_hints(metric)
    known = {field.name: kinds[field.name] for field in fields(metric)}  # type: ignore[arg-type]
    given = [("k", match["k"])] if match["k"] is not None else []
    for part in (match["options"] or "").split(","):
        if part:
            option, equals, value = part.partition("=")
            given.append((option.strip(), value.strip() if equals else "true"))
    options = {}
    for option, value in given:
        if option not in known:
            offer = nearest(option, known) if known else "It has none."
            raise OptionError(
                Problem("--metric", f"{name} has no option {quoted(option)}", offer, "unknown-metric-option")
            )
        options[option] = _value(name, option, value, known[option])
    return metric(**options)


def _value(metric: str, option: str, text: str, kind: Any) -> object:
    """Return what `text` says for a field of that type; text itself where the type has text in it."""
    kinds = get_args(kind) or (kind,)
    if text.lower() == "none" and type(None) in kinds:
        return None
    for one in kinds:
        if one is bool and text.lower() in {"true", "yes", "1", "false", "no", "0"}:
            return text.lower() in {"true", "yes", "1"}
        for number in (int, float):
            if one is number:
                try:
                    return number(text)
                except ValueError:
                    continue
    if any(one is str or one == text for one in kinds):
        return text
    names = ", ".join(str(getattr(one, "__name__", one)) for one in kinds)
    raise OptionError(
        Problem("--metric", f"{metric}:{option} expected {names}, got {quoted(text)}", "", "bad-metric-option")
    )
