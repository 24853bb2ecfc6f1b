"""The lists of metrics, of formats of input and of the forms of JSON, and one of each in full."""

from __future__ import annotations

import json
import math
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from itertools import groupby
from typing import ClassVar

from outscore.metrics.descriptions import Description, Exactness, Kind, Option
from outscore.options import opt
from outscore.reports.markdown import escape
from outscore.results.record import doc, encode, json_text, record
from outscore.text.naming import printable

# The names of the formats that hold items of a type: those of `--input-format`.
Formats = Mapping[type, Sequence[str]]

_NARROWEST = 20  # narrower, words would be broken
_NARROWEST_TABLE = 72
_NARROWEST_LINES = 60
_PROSE = 100
_NUMBERED = re.compile(r"(.*?)(\d+)")
_HEADINGS = ("metric", "a row holds", "bootstrap", "randomization")


@record
class ItemsOf:
    """The items that a metric scores."""

    type: str = doc("The type of the items, in Python.")
    formats: tuple[str, ...] = doc("The file formats that hold them.")


@record
class ExactUnder:
    """When p-values of the two tests are exact."""

    bootstrap: Exactness
    randomization: Exactness


@record
class ListedMetric:
    """A metric, and in what files its items may be."""

    json_keys: ClassVar = (
        "name=metric.name kind=metric.kind summary=metric.summary columns=metric.columns outputs references "
        "takes_several_references=metric.takes_several_references extra=metric.extra statistics=metric.statistics "
        "higher_is_better=metric.higher_is_better as_percentage=metric.as_percentage score_range=metric.score_range "
        "exact citation options=metric.options origin=metric.origin spec=metric.spec"
    )

    metric: Description
    outputs: ItemsOf | None = doc("The outputs that it takes. None for metrics of columns.")
    references: ItemsOf | None = doc("The references that it takes. None for metrics of columns.")

    @property
    def exact(self) -> ExactUnder:
        """When p-values of the two tests are exact."""
        return ExactUnder(self.metric.bootstrap, self.metric.randomization)

    @property
    def citation(self) -> str | None:
        """The publication or tool that it follows; None if it is only a formula."""
        return self.metric.citation or None


@record
class MetricList:
    """Metrics and their options.

    Written by outscore metrics as JSON.
    """

    schema: ClassVar = "outscore/metrics/1"

    metrics: tuple[ListedMetric, ...] = doc("In the order of the list that people are shown.")


def list_to_text(metrics: Sequence[Description], formats: Formats, *, width: int = 80) -> str:
    """Write what metrics there are as tables, one for every kind of input, or below 72 columns as paragraphs.

    The first word of a table's row is the name of a metric.
    """
    from rich.console import Console
    from rich.table import Table

    out = StringIO()
    console = Console(file=out, width=max(width, _NARROWEST), color_system=None, highlight=False, emoji=False)

    def fill(line: str, indent: str = "") -> None:
        columns = min(console.width, _PROSE)
        text = textwrap.fill(
            line, columns, initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False
        )
        console.print(text, markup=False, soft_wrap=True)

    for inputs, group in _by_inputs(metrics, formats):
        fill(inputs)
        console.print()
        rows = [
            (printable(metric.spec), _statistics(metric), metric.bootstrap.value, metric.randomization.value)
            for metric in group
        ]
        if width >= _NARROWEST_TABLE:
            table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False)
            for heading in _HEADINGS:
                table.add_column(heading, overflow="fold", no_wrap=heading != "a row holds")
            for row in rows:
                table.add_row(*row)
            console.print(table, markup=False)
        else:
            for name, statistics, bootstrap, randomization in rows:
                fill(f"{name}  {statistics}; bootstrap: {bootstrap}; randomization: {randomization}")
        console.print()
        references = _references(group)
        if len(references) == 1:
            fill(f"Reference: {references[0][1]}")
        else:
            fill("References")
            for names, reference in references:
                fill(f"{names}: {reference}", "  ")
        console.print()
    for line in _legend():
        fill(line)
    return _without_trailing_blanks(out.getvalue())


def list_to_markdown(metrics: Sequence[Description], formats: Formats) -> str:
    """Write what metrics there are as tables of GitHub-flavoured Markdown, one for every kind of input."""
    parts = []
    for inputs, group in _by_inputs(metrics, formats):
        lines = [_HEADINGS, tuple("---" for _ in _HEADINGS)]
        lines += [
            (
                f"`{printable(metric.spec)}`",
                _prose(_statistics(metric)),
                metric.bootstrap.value,
                metric.randomization.value,
            )
            for metric in group
        ]
        parts += [f"**{_prose(inputs)}**", "\n".join(f"| {' | '.join(line)} |" for line in lines)]
        references = _references(group)
        alike = [f"- Reference of {_prose(names)}: {_prose(reference)}" for names, reference in references]
        parts.append("\n".join(alike) if len(alike) > 1 else f"Reference: {_prose(references[0][1])}")
    return "\n\n".join([*parts, "\n".join(f"- {_prose(line)}" for line in _legend())]) + "\n"


def list_to_json(metrics: Sequence[Description], formats: Formats) -> str:
    """Write all that is known of metrics as JSON (schema "outscore/metrics/1")."""

    def side(kind: type | None) -> ItemsOf | None:
        return None if kind is None else ItemsOf(kind.__name__, tuple(formats.get(kind, ())))

    listed = (ListedMetric(metric, side(metric.output_type), side(metric.reference_type)) for metric in metrics)
    return json.dumps(encode(MetricList(tuple(listed))), indent=2) + "\n"


def metric_to_text(metric: Description, formats: Formats, *, width: int = 80) -> str:
    """Write all that is known of one metric as text."""
    columns = min(max(width, _NARROWEST), _PROSE)
    narrow = columns < _NARROWEST_TABLE

    def filled(text: str, indent: str = "") -> str:
        if text[:1].isspace():  # a formula
            return text
        return textwrap.fill(text, columns, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)

    parts = [filled(f"{printable(metric.spec)}: {metric.summary}"), *(filled(text) for text in metric.details)]
    facts = list(_facts(metric, formats))
    label = max(len(name) for name, _ in facts) + 2
    lines = [
        textwrap.fill(
            text,
            columns,
            initial_indent=f"{name}: " if narrow else name.ljust(label),
            subsequent_indent=" " * (2 if narrow else label),
            break_on_hyphens=False,
        )
        for name, text in facts
    ]
    parts.append("\n".join(lines))
    if metric.options:
        paragraphs = [
            "\n".join(_option(option, columns) for option in alike) + (f"\n{filled(text, ' ' * 6)}" if text else "")
            for text, alike in _options(metric)
        ]
        parts.append("\n".join(["Options, with their defaults:", *paragraphs]))
    return "\n\n".join(parts) + "\n"


def _option(option: Option, columns: int) -> str:
    setting = f"  {option.name}{'=' if option.default else ''}{option.default}"
    line = f"{setting}  ({option.type})"
    return line if len(line) <= columns else f"{setting}\n      ({option.type})"


def metric_to_markdown(metric: Description, formats: Formats) -> str:
    """Write all that is known of one metric as Markdown."""
    parts = [f"## `{printable(metric.spec)}`", _prose(metric.summary)]
    parts += [f"```\n{text}\n```" if text[:1].isspace() else _prose(text) for text in metric.details]
    parts.append("\n".join(f"- {name}: {_prose(text)}" for name, text in _facts(metric, formats)))
    if metric.options:
        rows = [(f"`{option.name}`", option.type, option.default, option.description) for option in metric.options]
        lines = ["| option | type | default | |", "| --- | --- | --- | --- |"]
        lines += [
            f"| {name} | {_prose(kind)} | {_prose(default)} | {_prose(text)} |" for name, kind, default, text in rows
        ]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _by_inputs(metrics: Sequence[Description], formats: Formats) -> Iterator[tuple[str, list[Description]]]:
    """Yield metrics in their order, in groups that need the same."""
    for inputs, group in groupby(metrics, key=lambda metric: _needs(metric, formats)):
        yield inputs, list(group)


def _references(group: Sequence[Description]) -> list[tuple[str, str]]:
    """Return the references of metrics, each said once, with the names of those that have it; first that of "all"."""
    names: dict[str, list[str]] = {}
    for metric in group:
        for part in _reference(metric).split("; "):
            names.setdefault(part, []).append(printable(metric.spec))
    parts: dict[str, list[str]] = {}
    for part, those in names.items():
        parts.setdefault("all" if len(those) == len(group) else ", ".join(those), []).append(part)
    listed = [(those, "; ".join(several)) for those, several in parts.items()]
    return sorted(listed, key=lambda metric: metric[0] != "all")


def _needs(metric: Description, formats: Formats) -> str:
    """Say what a metric reads, what has to be installed, and who registers it."""
    several = " (one or several)" if metric.takes_several_references else ""
    if metric.output_type is None or metric.reference_type is None:
        needs = "Columns of a table"
    else:
        outputs, references = (_read_from(side, formats) for side in (metric.output_type, metric.reference_type))
        needs = f"Outputs: {outputs}; references{several}: {references}"
        if outputs == references:
            needs = f"Outputs and references{several}: {outputs}"
    extra = f"; needs {' and '.join(metric.packages)}" if metric.extra else ""
    return f"{needs}{extra}" + (f"; registered by {printable(metric.origin)}" if metric.origin else "")


def _read_from(side: type, formats: Formats) -> str:
    """Return the formats that hold such items; without any, they can only be passed in Python."""
    return ", ".join(formats.get(side, ())) or f"{side.__name__} in Python"


def _statistics(metric: Description) -> str:
    if metric.kind is Kind.RECOMPUTED:
        return "the item itself: no sums, recomputed on every resample"
    return ", ".join(_condensed(metric.statistics))


def _condensed(statistics: Sequence[str]) -> list[str]:
    """Return names that differ in a number at their end once, with the range of the numbers: "matches_1-4"."""
    ranges: dict[str, list[str]] = {}
    for name in statistics:
        match = _NUMBERED.fullmatch(name)
        ranges.setdefault(match[1] if match else name, []).extend([match[2]] if match else [])
    return [
        name + ("-".join(numbers[:: max(len(numbers) - 1, 1)]) if numbers else "") for name, numbers in ranges.items()
    ]


def _reference(metric: Description) -> str:
    return printable(metric.citation) or "its formula"


def _legend() -> Iterator[str]:
    for exactness in Exactness:
        yield f"{exactness.value}: p-values are {exactness.sentence}."
    yield "All that is not exact is sampled. Tests on per-item scores do not depend on the metric."
    yield "One metric in full, with its options: `outscore metrics NAME`."


def _facts(metric: Description, formats: Formats) -> Iterator[tuple[str, str]]:
    yield "reads", _needs(metric, formats) + (f": {', '.join(metric.columns)}" if metric.columns else "")
    unit = (
        "shown as a percentage, a fraction in JSON and Python" if metric.as_percentage else "in the unit of the score"
    )
    yield "score", f"{'higher' if metric.higher_is_better else 'lower'} is better; {unit}"
    yield "range", _range(metric)
    yield "a row holds", _statistics(metric)
    yield "bootstrap", metric.bootstrap.sentence
    yield "randomization", metric.randomization.sentence
    yield "reference", _reference(metric)


def _range(metric: Description) -> str:
    """Say between what the score of an item lies."""
    if metric.score_range is None:
        has_range = {"lowest", "highest"} <= {option.name for option in metric.options}
        return "not known" + (", unless lowest and highest say it" if has_range else "")
    low, high = metric.score_range
    if math.isinf(high):
        return f"{low:g} or more"
    return f"{high:g} or less" if math.isinf(low) else f"{low:g} to {high:g}"


def _options(metric: Description) -> Iterator[tuple[str, list[Option]]]:
    """Yield options next to each other that are described together."""
    for text, alike in groupby(metric.options, key=lambda option: option.description):
        yield text, list(alike)


def _prose(text: str) -> str:
    """Return text with code between backticks kept, and the rest escaped."""
    return "".join(part if part[0] == "`" else escape(part) for part in re.split(r"(`[^`|]+`)", text) if part)


def _without_trailing_blanks(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


@record
class FormatDescription:
    """The description of a format."""

    name: str = doc("As `input_format` takes it.")
    title: str = doc("As people call it.")
    summary: str = doc("One sentence or two.")
    details: tuple[str, ...] = doc("Paragraphs.")
    extensions: tuple[str, ...] = doc("Those of files that are taken for it, whatever they hold.")
    outputs_of: tuple[str, ...] = doc("The metrics whose outputs may be in this format.")
    references_of: tuple[str, ...] = doc("The metrics whose references may be in this format.")
    options: tuple[Option, ...] = doc("In the order of their declaration.")


@record
class FormatList:
    """Formats of outputs and references.

    Written by outscore formats as JSON.
    """

    schema: ClassVar = "outscore/formats/1"

    formats: tuple[FormatDescription, ...] = doc("In the order of the list that people are shown.")


def formats_to_text(formats: Sequence[FormatDescription], *, width: int = 80) -> str:
    """Write a list of formats, a few lines for each.

    Lines without an indent begin with the name of a format, except the last.
    """
    parts = []
    for description in formats:
        facts = [description.summary, _read_by(description)]
        if description.extensions:
            facts.append(f"Files: {', '.join(description.extensions)}")
        if description.options:
            facts.append(f"Options: {', '.join(option.name for option in description.options)}")
        parts.append("\n".join([_heading(description), *(_filled(fact, width) for fact in facts)]))
    end = (
        f"One format in full, with its options: outscore formats NAME. Use: {opt('input_format')} NAME:OPTION=VALUE,..."
    )
    return "\n\n".join([*parts, _filled(end, width, indent="")]) + "\n"


def format_to_text(description: FormatDescription, *, width: int = 80) -> str:
    """Write all that is known of one format."""
    parts = [
        _heading(description),
        *(_filled(text, width, indent="") for text in (description.summary, *description.details)),
    ]
    facts = [_read_by(description)]
    if description.extensions:
        facts.append(f"Files that are taken for it: {', '.join(description.extensions)}.")
    parts.append("\n".join(_filled(fact, width, indent="") for fact in facts))
    if description.options:
        first = description.options[0].name
        lines = [f"Options, as in {opt('input_format')} {description.name}:{first}=VALUE, with their defaults:"]
        for text, alike in groupby(description.options, key=lambda option: option.description):
            lines += [
                f"  {option.name}{'=' if option.default else ''}{option.default}  ({option.type})" for option in alike
            ]
            lines += [_filled(text, width, indent=" " * 6)] if text else []
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def formats_to_json(formats: Sequence[FormatDescription]) -> str:
    """Write all that is known of formats as JSON (schema "outscore/formats/1")."""
    return json_text(FormatList(tuple(formats)))


def _heading(description: FormatDescription) -> str:
    return (
        description.name
        if description.title.lower() == description.name
        else f"{description.name}: {description.title}"
    )


def _read_by(description: FormatDescription) -> str:
    """Say which metrics read a format, and whether as outputs, as references, or both."""
    if description.outputs_of == description.references_of:
        return f"Outputs and references of {', '.join(description.outputs_of)}."
    sides = (("Outputs", description.outputs_of), ("References", description.references_of))
    return " ".join(f"{side} of {', '.join(names)}." for side, names in sides if names)


def _filled(text: str, width: int, *, indent: str = "  ") -> str:
    columns = min(max(width, _NARROWEST_LINES), _PROSE)
    return textwrap.fill(text, columns, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


def schemas_to_text(titles: Mapping[str, str], *, width: int = 80) -> str:
    """Write what forms there are, each with its title, and how to get one.

    Where columns are few, titles go on in a second line.
    """
    columns = min(max(width, _NARROWEST_LINES), 120)
    label = max(map(len, titles)) + 2
    lines = [
        textwrap.fill(title, columns, initial_indent=name.ljust(label), subsequent_indent=" " * label)
        for name, title in titles.items()
    ]
    end = "The JSON Schema of one: outscore schema NAME, with or without the version."
    return "\n".join([*lines, "", textwrap.fill(end, columns)]) + "\n"
