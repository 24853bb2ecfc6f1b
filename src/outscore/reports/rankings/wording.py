"""What the text reports of a ranking say in words, each thing once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from outscore.numbers import format_exactly, format_p, format_share
from outscore.reports.html.ranking_words import CORRECTIONS
from outscore.results import Correction, RankedPair, Ranking

__all__ = ["FEW_PAIRS", "explain_clusters", "explain_groups", "listed_pairs", "p_headings", "p_values", "rank_range"]

FEW_PAIRS = 28  # so many pairs, those of eight systems, are listed without being asked for

Write = Callable[[str], str]


def rank_range(low: int, high: int, *, dash: str = "-") -> str:
    """Return a rank interval: "3-6", or "51" where it is one rank."""
    return str(low) if low == high else f"{low}{dash}{high}"


def share(probability: float) -> str:
    """Return a probability in per cent; 0% and 100% only where it is just that."""
    return format_share(round(probability * 10**9), 10**9)


def listed_pairs(ranking: Ranking, *, every: bool) -> Sequence[RankedPair]:
    """Return the pairs that a report lists: all where they are few or asked for, else none."""
    return ranking.pairs if every or len(ranking.pairs) <= FEW_PAIRS else ()


def p_headings(ranking: Ranking) -> list[str]:
    """Return the headings of a pair's p-values: plain, corrected, and those of further tests."""
    shown = [f"p ({CORRECTIONS[each]})" for each in shown_corrections(ranking)]
    return ["p", *shown, *(f"p ({test})" for test in ranking.tests[1:])]


def p_values(ranking: Ranking, pair: RankedPair) -> list[str]:
    """Return a pair's p-values as text, in the order of `p_headings`."""
    corrected = [pair.corrected(each) for each in shown_corrections(ranking)]
    return [format_p(p, ranking.alpha) for p in (pair.p_value, *corrected, *pair.other_p_values)]


def shown_corrections(ranking: Ranking) -> list[Correction]:
    """Return the corrections that a list of pairs shows: all that there are, the ranking's own first."""
    there = [Correction.HOLM, Correction.BENJAMINI_HOCHBERG]
    if all(pair.p_maxt is not None for pair in ranking.pairs):
        there.insert(0, Correction.MAX_T)
    return sorted(there, key=lambda each: each is not ranking.correction)


def explain_groups(ranking: Ranking, *, number: Write = str) -> str:
    """Say what letters and rank intervals mean."""
    level = number(f"α = {format_exactly(ranking.alpha)}")
    how = (
        "without correction"
        if ranking.correction is Correction.NONE
        else f"after {CORRECTIONS[ranking.correction]} correction"
    )
    return (
        f"Two systems share a letter unless their scores differ significantly at {level} {how}; ranks are all those "
        "that these tests leave open. A letter shared is no evidence that two systems are equal."
    )


def explain_clusters(ranking: Ranking) -> str:
    """Say what clusters mean, and what they do not."""
    count = ranking.systems[-1].cluster
    told = (
        "One cluster: nowhere is every system above significantly better than every system below."
        if count == 1
        else f"{count} clusters: every system is significantly better than every system of a later cluster."
    )
    return f"{told} Within a cluster systems may differ: not being told apart is not transitive."
