"""Rankings of the same systems on several metrics, side by side."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.numbers import format_count
from outscore.reports.documents import Document, TextTable
from outscore.reports.rankings.wording import rank_range
from outscore.results import Ranking, ranking_format

__all__ = ["summary_document"]


def summary_document(rankings: Sequence[Ranking]) -> Document:
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
    return Document("All metrics", (said,), (table,), (), (), "", first.version, said)
