"""What a metric's class says of it: for people who choose one, and for those who read about it."""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import MISSING, Field, dataclass, fields, replace
from enum import Enum
from typing import get_origin

import numpy as np
from docstring_parser import DocstringStyle, parse

from outscore.metrics.base import (
    AnyMetric,
    AnyOutputMetric,
    ColumnMetric,
    Metric,
    RatioMetric,
    RecomputedMetric,
    ResponseMetric,
)
from outscore.metrics.options import option_types, spec_of, type_name, written
from outscore.results.record import Null

_AS_THERE = re.compile(r"\bAs (?:in |for )?`(\w+)`")  # how a docstring refers to another of its module


class Kind(Enum):
    """What a metric is computed from."""

    COLUMNS = "columns"
    OUTPUTS = "outputs"
    RECOMPUTED = "recomputed"


class Exactness(Enum):
    """Whether p-values of a test are exact for a metric: its short name, and in a sentence."""

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
        """Say when p-values are exact; everything else is sampled."""
        return _SENTENCES[self]


_SENTENCES = {
    Exactness.ALWAYS: "exact at any size, as all systems share the denominators of the ratio",
    Exactness.COUNTS: "exact where the statistics are whole numbers and the systems do not differ in so many that the "
    "grid of their totals has more than 8 million cells, or both have the same denominators",
    Exactness.SHARED: "exact where both systems have the same denominators, item by item",
    Exactness.FEW_DRAWN: "exact by enumeration up to 12 units, or more where units are alike",
    Exactness.FEW_SWAPPED: "exact by enumeration where at most 20 units differ",
    Exactness.FEWER_DRAWN: "exact by enumeration up to 8 units",
    Exactness.FEWER_SWAPPED: "exact by enumeration where at most 13 units differ",
    Exactness.NEVER: "never exact",
}


@dataclass(frozen=True)
class Option:
    """An option of a metric.

    Attributes
    ----------
    name : str
        As a user writes it.
    type : str
        What it takes, as people read it: "whole number", "text or none".
    default : str
        As a user would write it; empty where there is none.
    description : str
        What it does; may be empty.
    """

    name: str
    type: str
    default: str
    description: str


@dataclass(frozen=True)
class Description:
    """What there is to know about a metric.

    Attributes
    ----------
    name : str
        The metric's name.
    spec : str
        What a user writes for it with its default options: "ndcg@10".
    kind : Kind
        What it is computed from: columns of numbers, outputs with sums of their own, or outputs anew on every resample.
    summary : str
        One line.
    details : tuple of str
        Paragraphs, formulas among them, which have indented lines.
    columns : tuple of str
        The columns that a metric of columns reads; empty for others.
    output_type, reference_type : type or None
        Of a metric of outputs.
    takes_several_references : bool
        Whether an item may have several references.
    extra : str or None
        The extra of outscore that has to be installed for it. None where none has.
    packages : tuple of str
        The packages that compute its rows, as pip calls them.
    statistics : tuple of str
        What a row holds, with the default options; once for "LABEL" or "TYPE" where there is a column for each.
    bootstrap : Exactness
        When p-values of the bootstrap are exact: at any size, for whole numbers, for shared denominators, or up to so
        many units.
    randomization : Exactness
        When p-values of randomization are exact, in the same words.
    has_responses : bool
        Whether single responses can be swapped.
    higher_is_better : bool
        Whether a higher score is the better one.
    as_percentage : bool
        Whether people are shown scores as percentages.
    score_range : tuple of (float, float) or None
        The lowest and the highest score possible, with the default options; infinite, in JSON None, for an end without
        a bound. None where nothing is known.
    citation : str
        May be empty.
    options : tuple of Option
        In the order of their declaration.
    origin : str or None
        The package that registers it. None for metrics of outscore.
    """

    name: str
    spec: str
    kind: Kind
    summary: str
    details: tuple[str, ...]
    columns: tuple[str, ...]
    output_type: type | None
    reference_type: type | None
    takes_several_references: bool
    extra: str | None
    packages: tuple[str, ...]
    statistics: tuple[str, ...]
    bootstrap: Exactness
    randomization: Exactness
    has_responses: bool
    higher_is_better: bool
    as_percentage: bool
    score_range: tuple[Null, Null] | None
    citation: str
    options: tuple[Option, ...]
    origin: str | None = None


def describe(metric: type[AnyMetric], origin: str | None = None) -> Description:
    """Return what a metric's class says of it: its attributes, its base classes, its docstring."""
    default = metric()
    documentation = parse(inspect.getdoc(metric) or "", style=DocstringStyle.NUMPYDOC)
    of_outputs = default if isinstance(default, AnyOutputMetric) else None
    return Description(
        name=metric.name,
        spec=spec_of(default),
        kind=(
            Kind.RECOMPUTED
            if isinstance(default, RecomputedMetric)
            else Kind.COLUMNS
            if of_outputs is None
            else Kind.OUTPUTS
        ),
        summary=_for_users(_joined(documentation.short_description or ""), metric),
        details=tuple(
            _for_users(part, metric)
            for part in _paragraphs(
                documentation.long_description,
                *(part.description for part in documentation.meta if part.args == ["notes"]),
            )
        ),
        columns=default.columns if isinstance(default, ColumnMetric) else (),
        output_type=None if of_outputs is None else of_outputs.output_type,
        reference_type=None if of_outputs is None else of_outputs.reference_type,
        takes_several_references=of_outputs is not None and of_outputs.takes_several_references,
        extra=None if of_outputs is None else of_outputs.extra,
        packages=() if of_outputs is None else of_outputs.packages,
        statistics=_statistics(default),
        bootstrap=_under_bootstrap(default),
        randomization=_under_randomization(default),
        has_responses=isinstance(default, ResponseMetric),
        higher_is_better=default.higher_is_better,
        as_percentage=default.as_percentage,
        score_range=default.score_range,
        citation=_joined(getattr(metric, "citation", "")),
        options=described_options(metric),
        origin=origin,
    )


def _statistics(metric: AnyMetric) -> tuple[str, ...]:
    """Return what a row holds; where columns are of labels that are found in the data, those of one such label."""
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
    # Two counts determine the ratio only where its coefficients leave them whole numbers.
    return Exactness.COUNTS if np.array_equal(coefficients, np.rint(coefficients)) else Exactness.SHARED


def _shares_denominators(metric: Metric) -> bool:
    assert isinstance(metric, RatioMetric)
    used = [name for name, weight in zip(metric.statistics, metric.denominator, strict=True) if weight]
    return set(used) <= set(metric.shared_statistics)


def documented(of: type) -> tuple[str, tuple[str, ...]]:
    """Return the summary of a class and its paragraphs, as its own docstring has them."""
    docstring = parse(inspect.cleandoc(vars(of).get("__doc__") or ""), style=DocstringStyle.NUMPYDOC)
    return _joined(docstring.short_description or ""), _paragraphs(docstring.long_description)


def described_options(of: type) -> tuple[Option, ...]:
    """Return the options of a metric or a format: the fields of its dataclass, as docstrings tell of them."""
    texts, kinds = _option_texts(of), option_types(of)
    by_name = {field.name: field for field in fields(of) if field.init} if kinds else {}
    return tuple(
        Option(name, type_name(kind), _default(by_name[name]), _for_users(texts.get(name, ""), of))
        for name, kind in kinds.items()
    )


def _default(field: Field[object]) -> str:
    value = field.default_factory() if field.default_factory is not MISSING else field.default
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ", ".join(written(one) for one in value)
    return written(value).replace("\n", r"\n")


def _option_texts(metric: type, seen: frozenset[type] = frozenset()) -> dict[str, str]:
    """Return the descriptions of options by name: the class's own, its bases', and those that it refers to."""
    texts: dict[str, str] = {}
    for base in metric.__mro__:
        # Each class for itself: inspect.getdoc would give one without a docstring that of its base.
        for one in parse(inspect.cleandoc(base.__dict__.get("__doc__") or ""), style=DocstringStyle.NUMPYDOC).params:
            for name in one.arg_name.split(","):
                texts.setdefault(name.strip(), _joined(one.description or ""))
    for text, names in [(metric.__doc__ or "", None), *((text, {name}) for name, text in texts.items())]:
        reference = _AS_THERE.search(text)
        other = reference and vars(sys.modules[metric.__module__]).get(reference[1])
        if isinstance(other, type) and other not in seen | {metric}:
            there = _option_texts(other, seen | {metric})
            texts |= {name: there[name] for name in there if name in (names or there.keys() - texts.keys())}
    return texts


def _for_users(text: str, of: type) -> str:
    """Return text in which metrics go by the names that users write, not by those of their classes."""
    namespace = vars(sys.modules[of.__module__])

    def name(match: re.Match[str]) -> str:
        other = namespace.get(match[1])
        is_metric = isinstance(other, type) and issubclass(other, AnyMetric) and hasattr(other, "name")
        return f"`{other.name}`" if is_metric else match[0]  # type: ignore[union-attr]

    return re.sub(r"`(\w+)`", name, text)


def _joined(text: str) -> str:
    return " ".join(text.replace("``", "`").split())


def _paragraphs(*texts: str | None) -> tuple[str, ...]:
    parts = [part.rstrip() for text in texts if text for part in re.split(r"\n\s*\n", text.replace("``", "`"))]
    return tuple(
        part if part[0].isspace() else " ".join(part.removesuffix("::").split()) + (":" if part.endswith("::") else "")
        for part in parts
        if part.strip()
    )
