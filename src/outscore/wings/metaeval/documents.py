"""Reports of meta-evaluation: metrics by their agreement with people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from outscore.reports.documents import Block, Document, Fact, Facts, Paragraph, Table, message, name, overview
from outscore.reports.documents.rankings import FEW_PAIRS, rank_range
from outscore.text.naming import printable
from outscore.text.numbers import ScoreFormat, format_count, format_counted, format_p
from outscore.wings.metaeval.results import Emulation, MetaResult, OtherSystems
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
    caption = _caption(result)
    if brief:
        blocks: list[Block] = [replace(table, title=f"{caption} {table.caption}".strip()) for table in tables]
        facts = [Fact(label, text) for label, text in _short_notes(result)]
        facts += [Fact("note", note) for note in notes]
        facts += map(message, result.warnings)
        shown = "pairs and the signature" if result.pairs else "the signature"
        facts.append(Fact("details", f"{details()} shows {shown}."))
        return Document(title, (Paragraph(lead, leading=True), *blocks, Facts(tuple(facts))))
    return overview(
        title,
        [lead],
        tables,
        [*([_explained(result)] if result.pairs else []), *notes],
        warnings=result.warnings,
        signature=result.signature,
        version=result.version,
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


def _caption(result: MetaResult) -> str:
    return f"Metrics by {result.title} ({_about(result)})."


def _metrics(result: MetaResult, scores: ScoreFormat) -> Table:
    metrics = result.metrics
    columns = [
        ("rank", [rank_range(one.rank_low, one.rank_high) for one in metrics], True),
        ("metric", [name(one.name) for one in metrics], False),
        (name(result.statistic), [scores.score(one.score) for one in metrics], True),
        (
            interval_heading(metrics[0].interval),
            [scores.scores(one.interval.low, one.interval.high) for one in metrics],
            True,
        ),
        ("group", [one.group for one in metrics], False),
    ]
    if not result.pairs:
        columns = columns[1:4]
    if any(one.epsilon is not None for one in metrics):
        columns.append(("ties up to", ["" if one.epsilon is None else f"{one.epsilon:.4g}" for one in metrics], True))
    for task in metrics[0].tasks:
        columns.append((name(task), [scores.score(one.tasks[task]) for one in metrics], True))
    place = next(place for place, column in enumerate(columns) if column[0] == "metric")
    parted = frozenset(i for i in range(len(metrics) - 1) if metrics[i].tier != metrics[i + 1].tier)
    return Table.of_columns(columns, fitted=(place,), parted=parted)


def _pairs(result: MetaResult, scores: ScoreFormat) -> Table:
    pairs = result.pairs
    columns = [
        ("better", [name(pair.better) for pair in pairs], False),
        ("worse", [name(pair.worse) for pair in pairs], False),
        ("gain", [scores.gain(pair.gain) for pair in pairs], True),
        (
            interval_heading(pairs[0].interval),
            [scores.interval(one.interval.low, one.interval.high) for one in pairs],
            True,
        ),
        ("p", [format_p(pair.p_value, result.alpha) for pair in pairs], True),
    ]
    if result.correction.value != "none":
        cells = [format_p(pair.corrected_p_value, result.alpha) for pair in pairs]
        columns.append((f"p ({CORRECTIONS[result.correction]})", cells, True))
    return Table.of_columns(columns, caption="All pairs of metrics", fitted=(0, 1), spare=((3, 1),))


def _emulated(result: MetaResult, emulation: Emulation, scores: ScoreFormat) -> Table:
    """Return the output of another program beside our ranks and p-values; p-values are of neighbours in its list."""
    own = {metric.name: metric for metric in result.metrics}
    tested = {(pair.better, pair.worse): pair for pair in emulation.pairs}
    order = [metric.name for metric in emulation.metrics]
    columns = [
        ("metric", [name(one.name) for one in emulation.metrics], False),
        ("score", [scores.score(one.score) for one in emulation.metrics], True),
    ]
    if emulation.pairs:
        neighbours = [None, *(tested[pair] for pair in pairwise(order))]
        columns += [
            ("rank", ["" if one.rank is None else str(one.rank) for one in emulation.metrics], True),
            ("our ranks", [rank_range(own[one].rank_low, own[one].rank_high) for one in order], True),
            ("p to the one above", ["" if one is None else format_p(one.p_value) for one in neighbours], True),
            ("our p", ["", *(_own_p(result, *pair) for pair in pairwise(order))], True),
        ]
    else:
        columns.append(("our score", [scores.score(own[one].score) for one in order], True))
    return Table.of_columns(columns, caption=f"Results of {emulation.program}", fitted=(0,))


def _own_p(result: MetaResult, one: str, other: str) -> str:
    return format_p(result.pair(one, other).corrected_p_value, result.alpha)
