"""Descriptions of metrics, taken from their classes and docstrings."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields, replace
from enum import Enum
from typing import get_origin

import numpy as np

from outscore.metrics.base import (
    AnyMetric,
    AnyOutputMetric,
    ColumnMetric,
    Metric,
    RatioMetric,
    RecomputedMetric,
)
from outscore.metrics.options import option_types, spec_of, type_name, written
from outscore.results.record import Null, doc, record

_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
_AS_THERE = re.compile(r"\bAs (?:in |for )?`(\w+)`")  # a reference to another docstring of the module


class Kind(Enum):
    """The input that a metric is computed from."""

    COLUMNS = "columns"
    OUTPUTS = "outputs"
    RECOMPUTED = "recomputed"


class Exactness(Enum):
    """Whether p-values of a test are exact for a metric, as a short name and in a sentence."""

    ALWAYS = "exact"
    COUNTS = "counts"
    SHARED = "shared"
    FEW_DRAWN = "12 units"
    FEW_SWAPPED = "20 units"
    FEWER_DRAWN = "8 units"
    FEWER_SWAPPED = "13 units"
    NEVER = "never"

    @property
    def sentence(self) -> str:
        """Return when p-values are exact; otherwise they are sampled."""
        return _SENTENCES[self]


_SENTENCES = {
    Exactness.ALWAYS: "exact at any size, because all systems have the same denominators",
    Exactness.COUNTS: "exact if the statistics are whole numbers and the grid of totals has at most 8 million cells, "
    "or if both systems have the same denominators",
    Exactness.SHARED: "exact if both systems have the same denominator for every item",
    Exactness.FEW_DRAWN: "exact by enumeration up to 12 units, or more if some are equal",
    Exactness.FEW_SWAPPED: "exact by enumeration if at most 20 units differ",
    Exactness.FEWER_DRAWN: "exact by enumeration up to 8 units",
    Exactness.FEWER_SWAPPED: "exact by enumeration if at most 13 units differ",
    Exactness.NEVER: "never exact",
}


@record
class Option:
    """An option of a metric."""

    name: str = doc("As written by users.")
    type: str = doc('Type in words: "whole number", "text or none".')
    default: str = doc("As written by users; empty if there is none.")
    description: str = doc("May be empty.")


@record
class Description:
    """The description of a metric."""

    name: str = doc("Name of the metric.")
    spec: str = doc('Specification with the default options, such as "ndcg@10".')
    kind: Kind = doc(
        "Input: columns of numbers, outputs with additive statistics, or outputs scored again on every sample."
    )
    summary: str = doc("One line.")
    details: tuple[str, ...] = doc("Paragraphs. Those with formulas have indented lines.")
    columns: tuple[str, ...] = doc("Columns that a metric of columns reads; empty for others.")
    output_type: type | None = doc("Types of outputs and references, for metrics of outputs.")
    reference_type: type | None = doc("Types of outputs and references, for metrics of outputs.")
    takes_several_references: bool = doc("Whether an item may have several references.")
    extra: str | None = doc("The extra of outscore that it requires. None if it requires no extra.")
    packages: tuple[str, ...] = doc("The packages that compute its rows, by their names on PyPI.")
    statistics: tuple[str, ...] = doc(
        'Columns of a row, with the default options. Columns per label or type are listed once, for "LABEL" or "TYPE".'
    )
    bootstrap: Exactness = doc(
        "When p-values of the bootstrap are exact: at any size, for whole numbers, for shared denominators, or up to a "
        "number of units."
    )
    randomization: Exactness = doc("The same for randomization.")
    higher_is_better: bool = doc("Whether higher scores are better.")
    as_percentage: bool = doc("Whether reports show scores as percentages.")
    score_range: tuple[Null, Null] | None = doc(
        "The lowest and the highest possible score, with the default options. An end without a bound is infinite, in "
        "JSON None. None if unknown."
    )
    citation: str = doc("May be empty.")
    options: tuple[Option, ...] = doc("In the order of their declaration.")
    origin: str | None = doc("The package that registers it. None for metrics of outscore.", default=None)


def describe(metric: type[AnyMetric], origin: str | None = None) -> Description:
    """Return the description of a metric, from its class's attributes, base classes and docstring."""
    default = metric()
    sections = _sections(inspect.getdoc(metric))
    output_metric = default if isinstance(default, AnyOutputMetric) else None
    return Description(
        name=metric.name,
        spec=spec_of(default),
        kind=(
            Kind.RECOMPUTED
            if isinstance(default, RecomputedMetric)
            else Kind.COLUMNS
            if output_metric is None
            else Kind.OUTPUTS
        ),
        summary=_for_users(_joined(sections["Summary"]), metric),
        details=tuple(_for_users(part, metric) for part in _paragraphs(sections["Details"], sections.get("Notes", ""))),
        columns=default.columns if isinstance(default, ColumnMetric) else (),
        output_type=None if output_metric is None else output_metric.output_type,
        reference_type=None if output_metric is None else output_metric.reference_type,
        takes_several_references=output_metric is not None and output_metric.takes_several_references,
        extra=None if output_metric is None else output_metric.extra,
        packages=() if output_metric is None else output_metric.packages,
        statistics=_statistics(default),
        bootstrap=_under_bootstrap(default),
        randomization=_under_randomization(default),
        higher_is_better=default.higher_is_better,
        as_percentage=default.as_percentage,
        score_range=default.score_range,
        citation=_joined(getattr(metric, "citation", "")),
        options=described_options(metric),
        origin=origin,
    )


def _statistics(metric: AnyMetric) -> tuple[str, ...]:
    """Return the columns of a row; for columns per label, those of one label named LABEL."""
    occur = {
        name: (name.removesuffix("s").upper(),)
        for name, kind in option_types(type(metric)).items()
        if get_origin(kind) is tuple and getattr(metric, name) == ()
    }
    return tuple(replace(metric, **occur).statistics)  # type: ignore[type-var]


def _under_bootstrap(metric: AnyMetric) -> Exactness:
    if isinstance(metric, RecomputedMetric):
        return Exactness.FEWER_DRAWN
    if not isinstance(metric, RatioMetric):
        return Exactness.FEW_DRAWN
    return Exactness.ALWAYS if _shares_denominators(metric) else Exactness.SHARED


def _under_randomization(metric: AnyMetric) -> Exactness:
    if isinstance(metric, RecomputedMetric):
        return Exactness.FEWER_SWAPPED
    if not isinstance(metric, RatioMetric):
        return Exactness.FEW_SWAPPED
    if _shares_denominators(metric):
        return Exactness.ALWAYS
    coefficients = np.array([metric.numerator, metric.denominator])
    # The ratio is a function of two counts only if its coefficients keep them whole numbers.
    return Exactness.COUNTS if np.array_equal(coefficients, np.rint(coefficients)) else Exactness.SHARED


def _shares_denominators(metric: Metric) -> bool:
    assert isinstance(metric, RatioMetric)
    used = [name for name, weight in zip(metric.statistics, metric.denominator, strict=True) if weight]
    return set(used) <= set(metric.shared_statistics)


def documented(owner: type) -> tuple[str, tuple[str, ...]]:
    """Return the summary and the paragraphs of a class's own docstring."""
    sections = _sections(vars(owner).get("__doc__"))
    return _joined(sections["Summary"]), _paragraphs(sections["Details"])


def _sections(docstring: str | None) -> dict[str, str]:
    """Return the sections of a docstring by their titles, and what precedes them as "Summary" and "Details"."""
    start, *sections = _SECTION.split(inspect.cleandoc(docstring or ""))
    summary, _, details = start.partition("\n")
    return {"Summary": summary, "Details": details, **dict(zip(sections[::2], sections[1::2], strict=True))}


def _parameters(docstring: str | None) -> Iterator[tuple[str, str]]:
    """Yield the names of parameters and attributes with their descriptions."""
    sections = _sections(docstring)
    for title in ("Parameters", "Attributes"):
        for entry in re.split(r"\n(?=\S)", sections.get(title, "").strip()):
            names, _, text = entry.partition("\n")
            yield from ((name.strip(), _joined(text)) for name in names.partition(":")[0].split(","))


def described_options(owner: type) -> tuple[Option, ...]:
    """Return the options of a metric or a format: its dataclass fields, with descriptions from docstrings."""
    texts, kinds = _option_texts(owner), option_types(owner)
    by_name = {field.name: field for field in fields(owner) if field.init} if kinds else {}
    return tuple(
        Option(name, type_name(kind), _default(by_name[name]), _for_users(texts.get(name, ""), owner))
        for name, kind in kinds.items()
    )


def _default(field: Field[object]) -> str:
    value = field.default_factory() if field.default_factory is not MISSING else field.default
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ", ".join(written(part) for part in value)
    return written(value).replace("\n", r"\n")


def _option_texts(metric: type, seen: frozenset[type] = frozenset()) -> dict[str, str]:
    """Return the descriptions of options by name: from the class, its bases, and docstrings that it refers to."""
    texts: dict[str, str] = {}
    for base in metric.__mro__:
        # Not inspect.getdoc, which would return the docstring of a base for a class without one.
        for name, text in _parameters(base.__dict__.get("__doc__")):
            texts.setdefault(name, text)
    for text, names in [(metric.__doc__ or "", None), *((text, {name}) for name, text in texts.items())]:
        reference = _AS_THERE.search(text)
        other = reference and vars(sys.modules[metric.__module__]).get(reference[1])
        if isinstance(other, type) and other not in seen | {metric}:
            there = _option_texts(other, seen | {metric})
            texts |= {name: there[name] for name in there if name in (names or there.keys() - texts.keys())}
    return texts


def _for_users(text: str, owner: type) -> str:
    """Return the text with class names of metrics replaced by the names that users write."""
    namespace = vars(sys.modules[owner.__module__])

    def name(match: re.Match[str]) -> str:
        other = namespace.get(match[1])
        is_metric = isinstance(other, type) and issubclass(other, AnyMetric) and hasattr(other, "name")
        return f"`{other.name}`" if is_metric else match[0]  # type: ignore[union-attr]

    return re.sub(r"`(\w+)`", name, text)


def _joined(text: str) -> str:
    return " ".join(text.replace("``", "`").split())


def _paragraphs(*texts: str) -> tuple[str, ...]:
    parts = [part.rstrip() for text in texts for part in re.split(r"\n\s*\n", text.strip("\n").replace("``", "`"))]
    return tuple(
        part if part[0].isspace() else " ".join(part.removesuffix("::").split()) + (":" if part.endswith("::") else "")
        for part in parts
        if part.strip()
    )
