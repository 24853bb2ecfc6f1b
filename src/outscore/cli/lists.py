"""`outscore metrics`, `formats`, `schema` and `skill`: lists, and their entries in full."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from outscore.cli import arguments
from outscore.cli.output import destination, terminal_layout
from outscore.cli.streams import complain
from outscore.errors import OptionError, Problem
from outscore.metrics import METRICS
from outscore.metrics.base import AnyMetric
from outscore.metrics.options import parsed
from outscore.metrics.registry import RANKED_ELSEWHERE
from outscore.readers.base import ItemFormat
from outscore.readers.registry import item_formats
from outscore.text.aliases import own_spec
from outscore.text.naming import nearest, quoted
from outscore.wings import from_wing, has_wing

if TYPE_CHECKING:
    from outscore.reports.lists import FormatDescription


@arguments.from_table("metrics")
def metrics(name: str | None = None, /, **options: Any) -> None:
    """List the metrics, or show one in full with its options.

    The full entry shows a metric's input, its sufficient statistics, the tests with exact p-values and the reference
    implementation with the same scores. The list includes metrics that other packages register.

    Parameters
    ----------
    name
        Metric, such as bleu. Default: list all.
    """
    from outscore.metrics.descriptions import describe
    from outscore.metrics.outputs import OUTPUT_METRICS
    from outscore.metrics.plugins import plugins
    from outscore.reports import lists as reports

    wanted = (
        None if name is None else parsed(own_spec(own_spec(name, [*METRICS, *RANKED_ELSEWHERE]), OUTPUT_METRICS))[0]
    )
    ours: list[type[AnyMetric]] = [*METRICS.values(), *OUTPUT_METRICS.values()]
    descriptions = [describe(metric) for metric in ours if wanted in {None, metric.name}]
    elsewhere = [
        from_wing(place_of_wing)()
        for ranked, place_of_wing in RANKED_ELSEWHERE.items()
        if wanted in {None, ranked} and has_wing(place_of_wing.partition(".")[0])
    ]
    descriptions[len(METRICS) if wanted is None else 0 : 0] = elsewhere
    others = list(plugins())
    problems: list[Problem] = []
    for plugin in others:
        try:
            if wanted in {None, plugin.name}:
                descriptions.append(describe(plugin.load(), plugin.distribution))
        except OptionError as error:
            problems.extend(error.problems)
    if problems and not descriptions:
        raise OptionError(*problems)
    if not descriptions:
        metric_names = [*METRICS, *RANKED_ELSEWHERE, *OUTPUT_METRICS, *(plugin.name for plugin in others)]
        what = f"unknown metric {quoted(name or '')}"
        raise OptionError(Problem("outscore metrics", what, nearest(name or "", metric_names), "unknown-metric"))
    formats = {
        side: [key for key, one_format in item_formats().items() if one_format.item_type is side]
        for description in descriptions
        for side in (description.output_type, description.reference_type)
        if side is not None
    }
    width = terminal_layout(to_file=options.get("output") is not None)["width"]
    with destination(options.get("output")) as write:
        if options.get("format") == "json":
            write(reports.list_to_json(descriptions, formats))
        elif options.get("format") == "markdown":
            pages = [reports.metric_to_markdown(description, formats) for description in descriptions]
            write(reports.list_to_markdown(descriptions, formats) if wanted is None else "\n".join(pages))
        else:
            texts = [reports.metric_to_text(description, formats, width=width) for description in descriptions]
            write(reports.list_to_text(descriptions, formats, width=width) if wanted is None else "\n\n".join(texts))
    for problem in problems:
        complain(str(problem))  # a broken package must not hide other metrics


@arguments.from_table("formats")
def formats(name: str | None = None, /, **options: Any) -> None:
    """List the formats of outputs and references, or show one in full with its options.

    A format is usually recognized by the file's name or first lines. Otherwise, or to set options, pass --input-format
    NAME:OPTION=VALUE,...

    Parameters
    ----------
    name
        Format, such as tags. Default: list all.
    """
    from outscore.reports.lists import format_to_text, formats_to_json, formats_to_text

    wanted, known_formats = None if name is None else parsed(name, "outscore formats")[0], item_formats()
    if wanted is not None and wanted not in known_formats:
        what = f"unknown format {quoted(wanted)}"
        raise OptionError(Problem("outscore formats", what, nearest(wanted, known_formats), "unknown-format"))
    descriptions = [_described(key, known) for key, known in known_formats.items() if wanted in {None, key}]
    width = terminal_layout(to_file=options.get("output") is not None)["width"]
    with destination(options.get("output")) as write:
        if options.get("format") == "json":
            write(formats_to_json(descriptions))
        elif wanted is None:
            write(formats_to_text(descriptions, width=width))
        else:
            write(format_to_text(descriptions[0], width=width))


def _described(name: str, item_format: ItemFormat[Any]) -> FormatDescription:
    from outscore.metrics.descriptions import described_options, documented
    from outscore.metrics.outputs import OUTPUT_METRICS
    from outscore.reports.lists import FormatDescription

    # Base classes document what formats share.
    documents = [
        documented(class_)
        for class_ in type(item_format).__mro__
        if issubclass(class_, ItemFormat) and class_ is not ItemFormat
    ]
    return FormatDescription(
        name,
        item_format.name,
        " ".join(summary for summary, _ in documents if summary),
        tuple(text for _, details in documents for text in details),
        item_format.extensions,
        tuple(metric.name for metric in OUTPUT_METRICS.values() if metric.output_type is item_format.item_type),
        tuple(metric.name for metric in OUTPUT_METRICS.values() if metric.reference_type is item_format.item_type),
        described_options(type(item_format)),
    )


@arguments.from_table("schema")
def schema(name: str | None = None, /, **options: Any) -> None:
    """List the JSON formats of results, or print the JSON Schema of one.

    Every JSON object has the key "schema" with the name and version of its format. Within a version, keys may be added
    but are not removed or changed in meaning.

    Parameters
    ----------
    name
        JSON format, such as study-gain or outscore/study-gain/1. Default: list all.
    """
    from outscore.reports.lists import schemas_to_text
    from outscore.schemas import names, schema_of, schema_text

    if name is None:
        width = terminal_layout(to_file=options.get("output") is not None)["width"]
        text = schemas_to_text({form: schema_of(form)["title"] for form in names()}, width=width)
    else:
        text = schema_text(name)
    with destination(options.get("output")) as write:
        write(text)


@arguments.from_table("skill")
def skill(name: str | None = None, /, **options: Any) -> None:
    """Print the folder with the files for coding agents, or one of these files.

    SKILL.md explains when to use outscore, the commands, how to read a result, and pitfalls. llms.txt lists the
    pages of the documentation. To install the skill, copy the folder, for example to .claude/skills/outscore.

    Parameters
    ----------
    name
        File, such as SKILL.md. Default: print the folder.
    """
    folder = Path(__file__).parent.parent / "skills" / "outscore"
    files = {path.name: path for path in sorted(folder.iterdir())}
    if name is not None and name not in files:
        what = f"unknown file {quoted(name)}"
        raise OptionError(Problem("outscore skill", what, nearest(name, files), "unknown-file"))
    with destination(options.get("output")) as write:
        write(f"{folder}\n" if name is None else files[name].read_text(encoding="utf-8"))
