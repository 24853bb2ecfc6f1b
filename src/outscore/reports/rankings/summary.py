"""Rankings of the same systems on several metrics, side by side."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.numbers import format_count
from outscore.reports.documents import Document, TextTable
from outscore.reports.rankings.wording import distances, interval_heading, rank_range, share
from outscore.results import Ranking, ranking_format

__all__ = ["summary_document", "systems_table"]


def summary_document(rankings: Sequence[Ranking], *, details: bool = True) -> Document:
    """Return each system's score and ranks on every metric, and what the ranks do not take into account."""
    by_name = [{system.name: system for system in ranking.systems} for ranking in rankings]
    formats = [ranking_format(ranking) for ranking in rankings]
    headings = ["system"]
    for ranking in rankings:
        unit = " (%)" if ranking.metric.as_percentage else ""
        headings += [f"{ranking.metric.title}{unit}", "ranks"]
    first = rankings[0]
    rows = []
    for system in first.systems:
        row = [system.name]
        for known, shown in zip(by_name, formats, strict=True):
            found = known[system.name]
            row += [shown.score(found.score), rank_range(found.rank_low, found.rank_high, dash="–")]
        rows.append(tuple(row))
    said = (
        f"{format_count(len(first.systems))} systems by {format_count(len(rankings))} metrics, in the order of "
        f"{first.metric.title}. Ranks are those that the tests leave open, corrected for all pairs of one metric, not "
        "for there being several metrics."
    )
    table = TextTable(tuple(headings), tuple(rows), frozenset(range(1, len(headings))))
    warnings = tuple(f"{ranking.metric.title}: {warning}" for ranking in rankings for warning in ranking.warnings)
    notes = () if details else ("--details shows the intervals, groups and pairs of each metric.",)
    return Document("All metrics", (said,), (table,), notes, () if details else warnings, "", first.version, said)


def systems_table(ranking: Ranking) -> TextTable:
    """Return the systems of a ranking as a table of text."""
    shown = ranking_format(ranking)
    unit = " (%)" if ranking.metric.as_percentage else ""
    families = any(system.family is not None for system in ranking.systems)
    headings = ["ranks", "system", *(["family"] if families else []), f"{ranking.metric.title}{unit}"]
    headings += [interval_heading(ranking), "groups", "to best", "P(best)"]
    rows = []
    for system, (_, to_best) in zip(ranking.systems, distances(ranking), strict=True):
        row = [rank_range(system.rank_low, system.rank_high, dash="–"), system.name]
        row += [system.family or ""] if families else []
        row += [shown.score(system.score), shown.scores(system.interval.low, system.interval.high), system.group]
        rows.append((*row, to_best, share(ranking, system.p_best)))
    right = {place for place, heading in enumerate(headings) if heading not in {"system", "family", "groups"}}
    return TextTable(tuple(headings), tuple(rows), frozenset(right))
