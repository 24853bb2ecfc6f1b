"""What the reports of a ranking say in words, and how they write its numbers; each thing once."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from outscore.naming import printable
from outscore.numbers import (
    ScoreFormat,
    format_count,
    format_counted,
    format_exactly,
    format_level,
    format_p,
    format_share,
)
from outscore.results import (
    Correction,
    RankedPair,
    Ranking,
    format_corrected_p,
    ranking_format,
)

__all__ = [
    "CORRECTIONS",
    "FEW_PAIRS",
    "LETTER",
    "about",
    "corrected",
    "corrections_of",
    "distances",
    "explain_clusters",
    "explain_groups",
    "gains_format",
    "how",
    "interval_heading",
    "lead",
    "listed_pairs",
    "p_headings",
    "p_values",
    "pair_sentence",
    "places_of_groups",
    "rank_range",
    "share",
    "spread",
]

FEW_PAIRS = 28  # so many pairs, those of eight systems, are listed without being asked for
LETTER = re.compile(r"[a-z]\d*")  # of a group: a to z, then a1 to z1, and so on

CORRECTIONS = {
    Correction.MAX_T: "max-T",
    Correction.HOLM: "Holm",
    Correction.BH: "Benjamini–Hochberg",
    Correction.NONE: "none",
}

Write = Callable[[str], str]


def corrections_of(ranking: Ranking, *, plain: bool = True) -> list[Correction]:
    """Return the corrections that the ranking has, its own first; `plain` says whether none counts as one."""
    left_out = set() if plain else {Correction.NONE}
    if any(pair.p_maxt is None for pair in ranking.pairs):
        left_out.add(Correction.MAX_T)
    held = (each for each in Correction if each not in left_out)
    return sorted(held, key=lambda each: each is not ranking.correction)


def distances(ranking: Ranking) -> list[tuple[str, str]]:
    """Return each system's gain over the next and over the first as text, blank for the last and for the first."""
    systems = ranking.systems
    scores = ranking_format(ranking).for_column(
        gain for system in systems for gain in (system.gain_to_next, system.gain_to_best)
    )
    return [
        (
            "" if system is systems[-1] else scores.gain(system.gain_to_next),
            "" if system is systems[0] else scores.gain(-system.gain_to_best),
        )
        for system in systems
    ]


def places_of_groups(ranking: Ranking) -> list[int]:
    """Return for each system the place of its letters in the order of letters: a1 comes after z."""
    keys = [
        [(int(letter[1:] or 0), letter[0]) for letter in LETTER.findall(system.group)] for system in ranking.systems
    ]
    order = sorted(map(tuple, keys))
    return [order.index(tuple(key)) for key in keys]


def gains_format(ranking: Ranking) -> ScoreFormat:
    """Return how the gains of all pairs, and their intervals, are written in one table."""
    gains = (gain for pair in ranking.pairs for gain in (pair.gain, pair.interval.low, pair.interval.high))
    return ranking_format(ranking).for_column(gains)


def corrected(correction: Correction) -> str:
    """Say how p-values were corrected: "after max-T correction", "without correction"."""
    if correction is Correction.NONE:
        return "without correction for the number of pairs"
    return f"after {CORRECTIONS[correction]} correction"


def about(ranking: Ranking) -> str:
    """Return what the ranking is about: "bleu, 1,000 items"."""
    n = format_counted(ranking.n_items, "item")
    if ranking.n_units != ranking.n_items:
        n += f" in {format_counted(ranking.n_units, 'cluster')}"
    direction = [] if ranking.metric.higher_is_better else ["lower is better"]
    unit = " in %" if ranking.metric.as_percentage else ""
    return ", ".join([f"{printable(ranking.metric.title)}{unit}", *direction, n])


def lead(ranking: Ranking) -> str:
    """Return in one or two sentences which system scores best, and which are not told apart from it."""
    scores, systems = ranking_format(ranking), ranking.systems
    first = systems[0]
    told = (
        f"{printable(first.name)} scores best of {format_counted(len(systems), 'system')}: "
        f"{scores.score(first.score)} ({about(ranking)})."
    )
    level = f"at α = {format_exactly(ranking.alpha)}, {corrected(ranking.correction)}"
    if ranking.correction is not Correction.NONE:
        level += f" over {format_counted(len(ranking.pairs), 'pair')}"
    others = [printable(system.name) for system in systems[1:] if system.among_best]
    if not others:
        return f"{told} Every other system scores significantly worse, {level}."
    if len(others) == len(systems) - 1 and len(others) > 1:
        return f"{told} The data do not tell any other system apart from it, {level}."
    named = " and ".join([", ".join(others[:-1]), others[-1]] if len(others) > 1 else others)
    if len(others) > 6:
        named = f"{', '.join(others[:5])} and {format_count(len(others) - 5)} more"
    return f"{told} The data do not tell {named} apart from it, {level}."


def interval_heading(ranking: Ranking) -> str:
    """Return the heading of a column of intervals: "95% interval"."""
    return f"{format_level(ranking.systems[0].interval.confidence_level)} interval"


def spread(low: float, high: float, scores: ScoreFormat, *, gain: bool = False) -> str:
    """Return an interval of a score or of a gain."""
    return scores.interval(low, high) if gain else scores.scores(low, high)


def how(ranking: Ranking, pair: RankedPair) -> str:
    """Say how the first p-value of a pair was computed."""
    if pair.exact:
        return "computed exactly"
    resamples = format_counted(ranking.n_resamples, "resample")
    if pair.n_exceeding is None:
        return f"estimated from {resamples}"
    return f"estimated from {format_count(pair.n_exceeding)} of {resamples}"


def pair_sentence(ranking: Ranking, pair: RankedPair, scores: ScoreFormat, of: dict[str, float]) -> str:
    """Return one sentence on a pair; `of` holds the scores of systems by name."""
    points = " points" if ranking.metric.as_percentage else ""
    tested = f"{ranking.alternative.sided} {ranking.tests[0]} test, {_stated(ranking, pair, Correction.NONE)}"
    if ranking.correction is not Correction.NONE:
        tested += (
            f", and {_stated(ranking, pair, ranking.correction)} {corrected(ranking.correction)} over "
            f"{format_counted(len(ranking.pairs), 'pair')}"
        )
    interval = f"{format_level(pair.interval.confidence_level)} interval"
    return (
        f"{printable(pair.candidate)} scores {scores.score(of[pair.candidate])} against "
        f"{scores.score(of[pair.baseline])} for {printable(pair.baseline)} ({about(ranking)}): "
        f"a gain of {scores.gain(pair.gain)}{points} ({interval} "
        f"{spread(pair.interval.low, pair.interval.high, scores, gain=True)}; {tested})."
    )


def _stated(ranking: Ranking, pair: RankedPair, correction: Correction) -> str:
    p = format_corrected_p(ranking, pair, correction)
    return f"p {p}" if p[0] in "<>≤" else f"p = {p}"


def rank_range(low: int, high: int, *, dash: str = "-") -> str:
    """Return a rank interval: "3-6", or "51" where it is one rank."""
    return str(low) if low == high else f"{low}{dash}{high}"


def share(ranking: Ranking, probability: float) -> str:
    """Return P(best) in per cent; one that none or all of r resamples showed is below 1/r, or above 1 - 1/r."""
    r = ranking.n_resamples
    if len(ranking.systems) == 1 or 1e-9 < probability < 1 - 1e-9:
        return format_share(round(probability * 10**9), 10**9)
    return f"<{format_share(1, r).lstrip('<')}" if probability < 0.5 else f">{format_share(r - 1, r).lstrip('>')}"


def listed_pairs(ranking: Ranking, *, every: bool) -> Sequence[RankedPair]:
    """Return the pairs that a report lists: all where they are few or asked for, else none."""
    return ranking.pairs if every or len(ranking.pairs) <= FEW_PAIRS else ()


def p_headings(ranking: Ranking) -> list[str]:
    """Return the headings of a pair's p-values: plain, corrected, and those of further tests."""
    shown = [f"p ({CORRECTIONS[each]})" for each in corrections_of(ranking, plain=False)]
    return ["p", *shown, *(f"p ({test})" for test in ranking.tests[1:])]


def p_values(ranking: Ranking, pair: RankedPair) -> list[str]:
    """Return a pair's p-values as text, in the order of `p_headings`."""
    first = format_corrected_p(ranking, pair, Correction.NONE)
    others = (format_p(p, ranking.alpha) for p in pair.other_p_values.values())
    return [first, *(format_corrected_p(ranking, pair, each) for each in corrections_of(ranking, plain=False)), *others]


def explain_groups(ranking: Ranking, *, number: Write = str) -> str:
    """Say what letters and rank intervals mean."""
    level = number(f"α = {format_exactly(ranking.alpha)}")
    how = (
        "without correction"
        if ranking.correction is Correction.NONE
        else f"after {CORRECTIONS[ranking.correction]} correction"
    )
    if ranking.correction is Correction.MAX_T:
        how += f" from {number(format_count(ranking.n_resamples))} resamples"
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
