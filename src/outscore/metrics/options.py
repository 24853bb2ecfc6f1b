"""How users write metrics and formats, ``name:option=value``; the types of options; the names of metrics in results."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass, replace
from functools import cache
from types import MappingProxyType, NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from outscore.errors import OptionError, Problem
from outscore.metrics.base import AnyMetric, AnyOutputMetric
from outscore.options import opt
from outscore.results import MetricDescription
from outscore.text.aliases import OPTION_ALIASES, own_name
from outscore.text.naming import nearest, printable, quoted

_SPEC = re.compile(r"(?P<name>[^:@]+)(?:@(?P<k>[^:]*))?(?::(?P<options>.*))?", re.DOTALL)
_PART = re.compile(
    r'\s*(?P<option>[^=,"]*?)\s*(?:=\s*(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<bare>(?!")[^,]*?)))?\s*(?:,|$)', re.DOTALL
)
_TRUE, _FALSE = frozenset({"true", "yes", "1"}), frozenset({"false", "no", "0"})


@dataclass(frozen=True, slots=True)
class WrittenOption:
    """An option as written; a quoted value is always text.

    `is_cutoff` is true if it was written as ``name@k``.
    """

    option: str
    text: str
    in_quotes: bool = False
    is_cutoff: bool = False


@dataclass(frozen=True, slots=True)
class OptionOwner:
    """The owner of options, for messages."""

    name: str  # the name of the metric or the format
    where: str  # the command-line option or argument, as written by users
    kind: str = "metric"  # "metric" or "format", in the slugs of problems

    def problem(self, kind: str, what: str, advice: str) -> OptionError:
        return OptionError(Problem(self.where, what, advice, f"{kind}-{self.kind}-option"))


def computed_elsewhere() -> str:
    """Return the advice for a metric that other programs compute."""
    return (
        "outscore does not compute it: pass files of its scores, one per segment, without "
        f"{opt('metric')} and {opt('references')}."
    )


def with_cutoff(name: str) -> str:
    """Return a name that ends with a number as ``name@k``.

    Examples
    --------
    >>> with_cutoff("ndcg10")
    'ndcg@10'
    """
    return re.sub(r"(?<=[A-Za-z])(\d+)$", r"@\1", name)


def parsed(spec: str, where: str | None = None) -> tuple[str, list[WrittenOption]]:
    """Return the name and the options of ``name``, ``name@k`` or ``name:option=value,option=value``.

    A value with commas, or with white space at its ends, must be in double quotes, with inner double quotes doubled.
    An option without a value is true. ``name@k`` is short for ``name:k=...``. ``option:value``, as in sacreBLEU's
    signatures, is the same as ``option=value``.

    Examples
    --------
    >>> name, options = parsed('bracket-f1:labelled,delete_label="TOP , :"')
    >>> [(part.option, part.text) for part in options]
    [('labelled', 'true'), ('delete_label', 'TOP , :')]
    """
    match = _SPEC.fullmatch(spec)
    if match is None:
        return spec, []
    options = [] if match["k"] is None else [WrittenOption("k", match["k"], is_cutoff=True)]
    text = match["options"] or ""
    position = 0
    while position < len(text):
        part = _PART.match(text, position)
        if part is None:
            raise OptionError(
                Problem(
                    where or opt("metric"),
                    f"expected a comma or the end after a value in double quotes, got {quoted(text[position:])}",
                    'Double the quotes within: name="say ""so""".',
                    "bad-quotes",
                )
            )
        position = part.end()
        if part["quoted"] is not None:
            options.append(WrittenOption(part["option"], part["quoted"].replace('""', '"'), in_quotes=True))
        elif part["option"] or part["bare"] is not None:
            option, value = part["option"], part["bare"]
            if value is None:
                option, _, value = (text.strip() for text in option.partition(":"))
                value = value or "true"
            options.append(WrittenOption(option, value))
    return match["name"], options


def written(value: object) -> str:
    """Return how a user writes the value of an option, the inverse of `options_of`.

    Values of a tuple are written one by one, each with the option's name.

    Examples
    --------
    >>> written(True), written("zh"), written("TOP , :"), written("none")
    ('true', 'zh', '"TOP , :"', '"none"')
    """
    if value is None or isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    plain = isinstance(value, int | float) or (
        text.strip() == text != "" and text.lower() != "none" and not any(mark in text for mark in ',"')
    )
    return text if plain else '"' + text.replace('"', '""') + '"'


@cache
def option_types(owner: type) -> Mapping[str, Any]:
    """Return the types of the options of a metric or a format, by name: those of its dataclass fields."""
    if not is_dataclass(owner):
        return MappingProxyType({})
    kinds = get_type_hints(owner)
    return MappingProxyType({field.name: kinds[field.name] for field in fields(owner) if field.init})


def options_of(
    owner_class: type, written: Sequence[WrittenOption], owner: OptionOwner | None = None
) -> Mapping[str, object]:
    """Return the values of the given options, converted to the types of the metric's or format's fields.

    Options of metrics may have aliases (`outscore.text.aliases`). An option with several values is repeated. Options
    with a fixed set of texts ignore case.
    """
    owner, types = (
        owner or OptionOwner(str(getattr(owner_class, "name", owner_class.__name__)), opt("metric")),
        option_types(owner_class),
    )
    values: dict[str, object] = {}
    if owner.kind == "metric":
        written = [replace(option, option=own_name(option.option, types, OPTION_ALIASES)) for option in written]
    for entry in written:
        if entry.option not in types and entry.is_cutoff:
            what = f"{owner.name} has no cutoff (@{printable(entry.text)})"
            raise owner.problem("unknown", what, "Leave it out; ndcg@10 has one.")
        if entry.option not in types:
            offer = nearest(entry.option, types) if types else f"{owner.name} has no options."
            raise owner.problem("unknown", f"{owner.name} has no option {quoted(entry.option)}", offer)
        kind = types[entry.option]
        several = next((part for part in (kind, *get_args(kind)) if get_origin(part) is tuple), None)
        before = values.get(entry.option)
        if several is not None and (before is not None or several is kind):
            earlier = before if isinstance(before, tuple) else () if before is None else (before,)
            values[entry.option] = (*earlier, _value(owner, entry, get_args(several)[0]))
        elif entry.option in values:
            what = f"{owner.name}:{entry.option} takes one value, got several"
            raise OptionError(Problem(owner.where, what, "Give it once.", "repeated-option"))
        else:
            values[entry.option] = _value(owner, entry, kind)
    return values


def type_name(kind: Any) -> str:
    """Return the type of an option in words.

    Examples
    --------
    >>> type_name(str | None), type_name(tuple[str, ...]), type_name(bool)
    ('text or none', 'text, repeated', 'true or false')
    """
    names = {str: "text", bool: "true or false", int: "whole number", float: "number", NoneType: "none"}
    if get_origin(kind) is tuple:
        return f"{type_name(get_args(kind)[0])}, repeated"
    parts = [names.get(part) or (type_name(part) if get_origin(part) else str(part)) for part in _kinds(kind)]
    return " or ".join(dict.fromkeys(parts))


def _kinds(kind: Any) -> tuple[Any, ...]:
    """Return the types, and the fixed texts, that a value may have."""
    parts = get_args(kind) or (kind,)
    return tuple(
        part_kind for part in parts for part_kind in (get_args(part) if get_origin(part) is Literal else (part,))
    )


def _value(owner: OptionOwner, written: WrittenOption, kind: Any) -> object:
    """Return the text converted to the type of a field; unchanged if text is among its types."""
    text, kinds = written.text, _kinds(kind)
    if written.in_quotes and str in kinds:
        return text
    # Text is preferred, because sacreBLEU has a tokenizer "none". For no value, the option is left out.
    if text.lower() == "none" and NoneType in kinds and str not in kinds:
        return None
    for type_kind in kinds:
        if type_kind is bool and text.lower() in _TRUE | _FALSE:
            return text.lower() in _TRUE
        for number in (int, float):
            if type_kind is number and text.isascii() and "_" not in text:
                try:
                    return number(text)
                except ValueError:
                    continue
    if str in kinds:
        return text
    choices = [kind for kind in kinds if isinstance(kind, str)]
    for choice in choices:
        if choice.lower() == text.lower():
            return choice
    expected = f"one of {', '.join(choices)}" if choices else type_name(kind)
    what = f"{owner.name}:{written.option} expected {expected}, got {quoted(text)}"
    raise owner.problem("bad", what, "")


_WRITABLE = (bool, int, float, str, type(None))


def describe_metric(metric: AnyMetric) -> MetricDescription:
    """Return the description of a metric in results: its name, its options as named, its reference implementation.

    Options found in the data, such as the labels that occur, are left out, as is the direction, which has its own
    field.

    Examples
    --------
    >>> from outscore.metrics.families.spans import SpanF1
    >>> described = describe_metric(SpanF1(type="person"))
    >>> described.spec, described.title
    ('span-f1:type=person', 'span F1 (type=person)')
    """
    between = metric.score_range  # the described metric may have none
    metric = metric.described
    named, signature = metric, None
    if isinstance(metric, AnyOutputMetric):
        named, signature = metric.origin.named, metric.origin.signature
    spec = spec_of(named, without={"higher_is_better"})
    if signature is None and isinstance(metric, AnyOutputMetric) and metric.packages:
        signature = "|".join([spec, *(f"{package}:{version}" for package, version in versions_of(metric).items())])
    return MetricDescription(
        metric.name, metric.higher_is_better, metric.as_percentage, spec, signature, _title(metric, spec), between
    )


def _title(metric: AnyMetric, spec: str) -> str:
    """Return the name of a metric in reports: its title, with its cutoff and other options."""
    option_names = {field.name for field in _options(metric)}
    if "title" in option_names and metric.title:  # a title passed as an option
        return metric.title
    name, _, options = spec.partition(":")
    plain = str(getattr(type(metric), "name", metric.name))
    title = metric.title + name.removeprefix(plain) if metric.title and name.startswith(plain) else name
    return f"{title} ({options.replace(',', ', ')})" if options else title


def option_values(metric: AnyMetric) -> Mapping[str, object]:
    """Return the values of a metric's options, by name: its dataclass fields.

    Examples
    --------
    >>> from outscore.metrics.families.retrieval import AveragePrecision
    >>> option_values(AveragePrecision(k=10))
    {'k': 10, 'rel': 1}
    """
    return {field.name: getattr(metric, field.name) for field in _options(metric)}


def spec_of(metric: AnyMetric, *, without: Collection[str] = ()) -> str:
    """Return the specification of this metric: its name, and the options that are not at their defaults.

    `output_metric_named` returns an equal metric for it, except that a tuple of one text becomes the text, which means
    the same. Options that cannot be written, such as functions, are left out.

    Options in `without` are left out as well, such as the labels of the data.

    Examples
    --------
    >>> from outscore.metrics.families.translation import Bleu
    >>> from outscore.metrics.families.classification import MacroF1
    >>> from outscore.metrics.families.retrieval import Ndcg
    >>> spec_of(Bleu(tokenize="zh", lowercase=True)), spec_of(Ndcg(k=10)), spec_of(MacroF1(labels=("a", "b")))
    ('bleu:lowercase=true,tokenize=zh', 'ndcg@10', 'macro-f1:labels=a,labels=b')
    """
    # The name of an instance may include its cutoff; in a class without one, k may be a normal option.
    name, parts = str(getattr(type(metric), "name", metric.name)), []
    for field in _options(metric):
        value = getattr(metric, field.name)
        default = field.default if field.default_factory is MISSING else field.default_factory()
        several = value if isinstance(value, tuple) else (value,)
        if (
            field.name == "title"
            or field.name in without
            or not all(isinstance(element, _WRITABLE) for element in several)
        ):
            continue
        if field.name == "name":
            name = str(value)
        elif field.name == "k" and value is not None:
            name = f"{name}@{value}"
        elif value != default or type(value) is not type(default):
            parts += [f"{field.name}={written(element)}" for element in several]
    return ":".join([name, ",".join(parts)]) if parts else name


def versions_of(metric: AnyOutputMetric[Any, Any]) -> Mapping[str, str]:
    """Return the installed versions of the packages that compute this metric's rows; missing ones are left out.

    Examples
    --------
    >>> from outscore.metrics.families.alignment import Aer
    >>> versions_of(Aer())
    {}
    """
    if not metric.packages:
        return {}
    from importlib.metadata import PackageNotFoundError, version

    versions = {}
    for package in metric.packages:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def _options(metric: AnyMetric) -> tuple[Field[Any], ...]:
    """Return the dataclass fields of a metric that are options; a user's metric may not be a dataclass.

    Fields that are not compared are not options: they do not affect the scores.
    """
    return tuple(field for field in fields(metric) if field.init and field.compare) if is_dataclass(metric) else ()
