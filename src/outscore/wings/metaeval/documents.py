"""Reports of meta-evaluation: metrics by their agreement with people."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise

from outscore.reports.documents import Block, Document, Fact, Facts, Paragraph, Table, message, name, overview
from outscore.reports.documents.layouts import Column, names, numbers, table
from outscore.reports.documents.rankings import FEW_PAIRS, rank_range
from outscore.text.naming import printable
from outscore.text.numbers import ScoreFormat, format_count, format_counted, format_p
from outscore.wings.metaeval.results import (
    EmulatedMetric,
    Emulation,
    MetaResult,
    MetricPair,
    OtherSystems,
    RankedMetric,
)
from outscore.words.comparisons import details, interval_heading
from outscore.words.rankings import CORRECTIONS, at_level, better_than


def meta_document(result: MetaResult, *, brief: bool = False) -> Document:
    """Return the report of a meta-evaluation: the answer, metrics, and pairs or what another program prints.

    If `brief`, pairs and the signature are left out, and notes are short facts.
    """
    scores, emulation = result.score_format, result.emulation
    title, lead, tables = f"Metrics by {printable(result.title)}", _lead(result, scores), [_metrics(result, scores)]
    if 0 < len(result.pairs) <= FEW_PAIRS and not brief:
        tables.append(_pairs(result, scores))
    notes = [*result.notes]
    if emulation is not None:
        tables.append(_emulated(result, emulation, scores))
        notes += emulation.differences
    caption = f"Metrics by {result.title} ({_about(result)})."
    if brief:
        blocks: list[Block] = [replace(shown, title=f"{caption} {shown.caption}".strip()) for shown in tables]
        facts = [Fact(label, text) for label, text in _short_notes(result)]
        facts += [Fact("note", note) for note in notes]
        facts += map(message, result.warnings)
        shown = "pairs and the signature" if result.pairs else "the signature"
        facts.append(Fact("details", f"{details()} shows {shown}."))
        return Document(title, (Paragraph(lead, leading=True), *blocks, Facts(tuple(facts))))
    return overview(
        result,
        title,
        [lead],
        tables,
        [*([_explained(result)] if result.pairs else []), *notes],
        caption=caption,
    )


def _short_notes(result: MetaResult) -> Iterator[tuple[str, str]]:
    """Yield the meanings of the columns, and the units."""
    if result.pairs:
        yield "rank", "from the significant pairs"
        yield "group", "metrics that share a letter do not differ significantly"
    yield "unit", format_counted(result.n_units, result.unit)


def _about(result: MetaResult) -> str:
    """Return the data of the scores: "en-de, 12 systems, 460 segments in 190 documents"."""
    if len(result.tasks) > 1:
        return f"average of {format_counted(len(result.tasks), 'task')}"
    (task,) = result.tasks
    parts = [] if task.name == "scores" else [name(task.name)]
    parts.append(format_counted(task.n_systems, "system"))
    segments = format_counted(task.n_segments, "segment")
    parts.append(
        f"{segments} in {format_counted(result.n_units, 'document')}" if result.unit == "document" else segments
    )
    return ", ".join(parts)


def _lead(result: MetaResult, scores: ScoreFormat) -> str:
    first = result.metrics[0]
    title = "acc-t" if result.statistic == "acc-t" else result.title
    if not result.pairs:
        ends = scores.scores(first.interval.low, first.interval.high)
        return (
            f"{name(first.name)} agrees with people: {title} {scores.score(first.score)} "
            f"({interval_heading(first.interval)} {ends}; {_about(result)})."
        )
    others = [name(metric.name) for metric in result.metrics[1:] if metric.rank_low == 1]
    level = at_level(result.alpha, result.correction, len(result.pairs))
    claim = ", for other systems as well" if result.systems is OtherSystems.SAMPLED else ""
    return (
        f"{name(first.name)} agrees best with people of {format_counted(len(result.metrics), 'metric')}: {title} "
        f"{scores.score(first.score)} ({_about(result)}), {better_than(others, len(result.metrics))} ({level}{claim})."
    )


def _explained(result: MetaResult) -> str:
    units = {"document": "documents", "segment": "segments", "system": "systems"}[result.unit]
    return (
        f"The units are {format_count(result.n_units)} {units}. Two metrics share a letter unless they differ "
        "significantly. Sharing a letter does not show that they are equal. Ranks come from the significant pairs."
    )


def _metrics(result: MetaResult, scores: ScoreFormat) -> Table:
    metrics, ranked = result.metrics, bool(result.pairs)

    def of_task(task: str) -> Column[RankedMetric]:
        return numbers(name(task), lambda metric: scores.score(metric.tasks[task]))

    columns: list[Column[RankedMetric]] = [
        numbers("rank", lambda metric: rank_range(metric.rank_low, metric.rank_high), shown=ranked),
        names("metric", lambda metric: metric.name),
        numbers(name(result.statistic), lambda metric: scores.score(metric.score)),
        numbers(
            interval_heading(metrics[0].interval),
            lambda metric: scores.scores(metric.interval.low, metric.interval.high),
        ),
        Column("group", lambda metric: metric.group, shown=ranked),
        numbers("ties up to", lambda metric: "" if metric.epsilon is None else f"{metric.epsilon:.4g}", if_any=True),
        *map(of_task, metrics[0].tasks),
    ]
    return table(metrics, columns, parted=lambda metric: metric.tier)


def _pairs(result: MetaResult, scores: ScoreFormat) -> Table:
    interval, correction = interval_heading(result.pairs[0].interval), result.correction
    corrected = correction.value != "none"
    columns: list[Column[MetricPair]] = [
        names("better", lambda pair: pair.better),
        names("worse", lambda pair: pair.worse),
        numbers("gain", lambda pair: scores.gain(pair.gain)),
        numbers(interval, lambda pair: scores.interval(pair.interval.low, pair.interval.high)),
        numbers("p", lambda pair: format_p(pair.p_value, result.alpha), gives_way=int(corrected)),
        numbers(
            f"p ({CORRECTIONS[correction]})",
            lambda pair: format_p(pair.corrected_p_value, result.alpha),
            shown=corrected,
        ),
    ]
    return table(result.pairs, columns, caption="All pairs of metrics")


def _emulated(result: MetaResult, emulation: Emulation, scores: ScoreFormat) -> Table:
    """Return the output of another program beside our ranks and p-values; p-values are of neighbours in its list."""
    ours = {metric.name: metric for metric in result.metrics}
    tested, ranked = {(pair.better, pair.worse): pair for pair in emulation.pairs}, bool(emulation.pairs)
    above = {lower.name: upper.name for upper, lower in pairwise(emulation.metrics)}

    def ranks(metric: EmulatedMetric) -> str:
        return rank_range(ours[metric.name].rank_low, ours[metric.name].rank_high)

    def neighbour(write: Callable[[str, str], str]) -> Callable[[EmulatedMetric], str]:
        return lambda metric: write(above[metric.name], metric.name) if metric.name in above else ""

    columns: list[Column[EmulatedMetric]] = [
        names("metric", lambda metric: metric.name),
        numbers("score", lambda metric: scores.score(metric.score)),
        numbers("rank", lambda metric: "" if metric.rank is None else str(metric.rank), shown=ranked),
        numbers("our ranks", ranks, shown=ranked),
        numbers("p to the one above", neighbour(lambda *pair: format_p(tested[pair].p_value)), shown=ranked),
        numbers("our p", neighbour(lambda *pair: _our_p(result, *pair)), shown=ranked),
        numbers("our score", lambda metric: scores.score(ours[metric.name].score), shown=not ranked),
    ]
    return table(emulation.metrics, columns, caption=f"Results of {emulation.program}")


def _our_p(result: MetaResult, first: str, second: str) -> str:
    return format_p(result.pair(first, second).corrected_p_value, result.alpha)
