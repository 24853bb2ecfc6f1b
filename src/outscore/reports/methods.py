"""The paragraph on methods for a paper, and the works that it cites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from outscore.errors import OptionError, Problem
from outscore.formats import FORMATS
from outscore.metrics.families.columns import METRICS
from outscore.metrics.outputs import OUTPUT_METRICS
from outscore.metrics.registry import CITED_ELSEWHERE
from outscore.options import leave_out, opt
from outscore.reports import kind_of, loaded
from outscore.reports.documents import Document, Paragraph, name, plain
from outscore.reports.text import documents_to_text
from outscore.significance.registry import BY_NAME, TESTS
from outscore.significance.unpaired import UNPAIRED_TESTS
from outscore.words.methods import Works
from outscore.words.references import bibliography, cited_once, spelt_out

NEEDS_NATBIB = r"% Needs \usepackage{natbib} in the preamble."


def keys_of_test(name: str) -> Sequence[str]:
    """Return the works of a test by its name; none of one that is not ours."""
    test = TESTS.get(name) or BY_NAME.get(name) or UNPAIRED_TESTS.get(name)
    return () if test is None else test.cites


def keys_of_metric(name: str) -> Sequence[str]:
    """Return the works of a metric by its name, such as "ndcg@10"; none of one that is not ours."""
    plain_name, at, _ = name.partition("@")
    if name in CITED_ELSEWHERE:
        return CITED_ELSEWHERE[name]
    metrics: Mapping[str, Any] = METRICS if plain_name in METRICS and not at else OUTPUT_METRICS
    return tuple(metrics[plain_name].cites) if plain_name in metrics else ()


def write_methods(results: Sequence[Any], path: str | None, format_name: str, **layout: Any) -> str:
    """Return what `reports.methods_of` returns; `place` is that of what writes the paragraph, if there is one."""
    if path is None:
        what = "applies to comparisons, rankings and scores of all items"
        raise OptionError(Problem(opt("methods"), what, leave_out(), "no-methods"))
    chosen = FORMATS[format_name]
    text, keys = cited_once(loaded(path)(results, Works(keys_of_test, keys_of_metric, signed=not chosen.comment)))
    if format_name == "bibtex":
        return bibliography(keys, results[0].version)
    if format_name == "text" and layout:
        return documents_to_text([Document("Methods", (Paragraph(spelt_out(text)),))], **layout)
    if not chosen.prose:
        names = ", ".join([*(format_title for format_title, format_ in FORMATS.items() if format_.prose), "bibtex"])
        what = f"{format_name} has no paragraph on methods"
        raise OptionError(Problem(opt("methods"), what, f"Choose one of the formats {names}.", "no-methods"))
    needs = [NEEDS_NATBIB] if format_name == "latex" else []
    prose = loaded(f"{str(chosen.writer).partition(':')[0]}:prose")
    # Of papers, where a signature is too long for a line of text.
    remarks = (
        [f"{chosen.comment} Signature of {plain(signature)}" for signature in _signatures(results)]
        if chosen.comment
        else []
    )
    return "".join(f"{line}\n" for line in [*needs, prose(text if chosen.comment else spelt_out(text)), *remarks])


def results_to_bibtex(results: Sequence[Any]) -> str:
    """Write the works that the paragraph on methods cites."""
    return write_methods(results, kind_of(results[0]).methods, "bibtex")


def _signatures(results: Sequence[Any]) -> list[str]:
    """Return the metrics that have a signature of their own, each with it."""
    metrics = [
        score.metric for result in results for score in (result.scores if hasattr(result, "scores") else [result])
    ]
    signatures = {metric.title: metric.signature for metric in metrics if metric.signature is not None}
    return [f"{name(title)}: {name(signature)}" for title, signature in signatures.items()]
