"""Rankings as GitHub-flavoured Markdown."""

from __future__ import annotations

from outscore.naming import printable
from outscore.reports.markdown import escape, escape_cell, table
from outscore.reports.rankings import wording
from outscore.reports.rankings.wording import interval_heading, lead
from outscore.results import Ranking, ranking_format

__all__ = ["ranking_to_markdown"]


def ranking_to_markdown(ranking: Ranking, *, pairs: bool = False) -> str:
    """Write a ranking as Markdown: a sentence, a table of the systems, one of the pairs where they are few, notes.

    Parameters
    ----------
    ranking : Ranking
    pairs : bool
        Whether to list all pairs however many there are.
    """
    parts = [escape(lead(ranking)), _systems(ranking)]
    if wording.listed_pairs(ranking, every=pairs):
        parts.append(_pairs(ranking))
    notes = [wording.explain_groups(ranking), wording.explain_clusters(ranking)]
    notes += [f"Warning: {warning}" for warning in ranking.warnings]
    parts.append("\n".join(f"- {escape(note)}" for note in notes))
    return "\n\n".join([*parts, f"`{printable(ranking.signature).replace('`', ' ')}`"]) + "\n"


def _systems(ranking: Ranking) -> str:
    scores = ranking_format(ranking)
    unit = " (%)" if ranking.metric.as_percentage else ""
    families = any(system.family is not None for system in ranking.systems)
    score = f"{escape(ranking.metric.title)}{unit}"
    numbers = [score, interval_heading(ranking), "to next", "to best", "P(best)"]
    headings = ["rank", "system", *(["family"] if families else []), *numbers[:2], "group", *numbers[2:], "cluster"]
    rows = []
    for system, distances in zip(ranking.systems, wording.distances(ranking), strict=True):
        row = [wording.rank_range(system.rank_low, system.rank_high), escape_cell(system.name)]
        row += [escape_cell(system.family or "")] if families else []
        row += [scores.score(system.score)]
        row += [scores.scores(system.interval.low, system.interval.high), system.group]
        rows.append([*row, *distances, wording.share(ranking, system.p_best), str(system.cluster)])
    return table(headings, rows, right=["rank", *numbers])


def _pairs(ranking: Ranking) -> str:
    scores = wording.gains_format(ranking)
    numbers = ["gain", interval_heading(ranking), *wording.p_headings(ranking)]
    headings = ["candidate", "baseline", *numbers, "W/T/L"]
    rows = []
    for pair in ranking.pairs:
        row = [escape_cell(pair.candidate), escape_cell(pair.baseline), scores.gain(pair.gain)]
        row.append(scores.interval(pair.interval.low, pair.interval.high))
        counts = "" if pair.wins is None else f"{pair.wins}/{pair.ties}/{pair.losses}"
        rows.append([*row, *wording.p_values(ranking, pair), counts])
    return table(headings, rows, right=numbers)
