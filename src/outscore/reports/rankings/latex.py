"""Rankings as LaTeX tables (booktabs) to be put into a paper."""

from __future__ import annotations

from outscore.naming import printable
from outscore.reports.latex import NEEDS, bold, capital, escape, math, table
from outscore.reports.rankings import wording
from outscore.reports.rankings.wording import about, interval_heading
from outscore.results import Ranking, ranking_format

__all__ = ["ranking_to_latex"]


def ranking_to_latex(ranking: Ranking, *, pairs: bool = False, bare: bool = False) -> str:
    """Write a ranking as a table of the systems: the best score in bold, letters of groups as superscripts.

    Parameters
    ----------
    ranking : Ranking
    pairs : bool
        Whether to add a table of all pairs.
    bare : bool
        Whether to write the tabular alone; its caption is a comment.
    """
    lines = [
        NEEDS,
        f"% outscore {ranking.version}: {printable(ranking.signature)}",
        *(f"% Warning: {printable(warning)}" for warning in ranking.warnings),
        *_systems(ranking, bare=bare),
    ]
    if pairs and ranking.pairs:
        lines += ["", *_pairs(ranking, bare=bare)]
    return "\n".join(lines) + "\n"


def _systems(ranking: Ranking, *, bare: bool) -> list[str]:
    scores = ranking_format(ranking)
    unit = r" (\%)" if ranking.metric.as_percentage else ""
    families = any(system.family is not None for system in ranking.systems)
    headings = ["Rank", "System", *(["Family"] if families else []), f"{escape(capital(ranking.metric.title))}{unit}"]
    headings.append(math(interval_heading(ranking)))
    rows = []
    for system in ranking.systems:
        row = [wording.rank_range(system.rank_low, system.rank_high, dash="--"), escape(system.name)]
        row += [escape(system.family or "")] if families else []
        score = bold(math(scores.score(system.score)), system.score == ranking.systems[0].score)
        row.append(f"{score}\\textsuperscript{{{_letters(system.group)}}}")
        rows.append([*row, math(scores.scores(system.interval.low, system.interval.high))])
    explained = wording.explain_groups(ranking, number=math)
    caption = f"Ranking by {escape(about(ranking))}. The best score is in bold. {explained}"
    return table(caption, f"rl{'l' if families else ''}lr", headings, rows, bare=bare)


def _letters(group: str) -> str:
    """Return letters with their numbers, if any, below them: a1 is another letter than a."""
    return "".join(f"$_{{{sign}}}$" if sign.isdigit() else sign for sign in group)


def _pairs(ranking: Ranking, *, bare: bool) -> list[str]:
    scores = wording.gains_format(ranking)
    headings = [
        "Candidate",
        "Baseline",
        "Gain",
        math(interval_heading(ranking)),
        *map(math, wording.p_headings(ranking)),
    ]
    rows = []
    for pair in ranking.pairs:
        interval = math(scores.interval(pair.interval.low, pair.interval.high))
        row = [escape(pair.candidate), escape(pair.baseline), math(scores.gain(pair.gain)), interval]
        rows.append([*row, *map(math, wording.p_values(ranking, pair))])
    columns = f"llrr{'l' * len(wording.p_headings(ranking))}"
    return table("All pairs of the ranking.", columns, headings, rows, bare=bare)
