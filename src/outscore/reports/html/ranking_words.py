"""What the page of a ranking says in words, and how it writes numbers; each thing once."""

from __future__ import annotations

from outscore.naming import printable
from outscore.numbers import (
    ScoreFormat,
    format_count,
    format_exactly,
    format_level,
    format_p,
    state_p,
)
from outscore.results import Alternative, Correction, RankedPair, Ranking, ranking_format

__all__ = [
    "CORRECTIONS",
    "about",
    "corrected",
    "corrections_of",
    "how",
    "interval_heading",
    "lead",
    "pair_sentence",
    "spread",
]

CORRECTIONS = {
    Correction.MAX_T: "max-T",
    Correction.HOLM: "Holm",
    Correction.BENJAMINI_HOCHBERG: "Benjamini–Hochberg",
    Correction.NONE: "none",
}


def corrections_of(ranking: Ranking) -> list[Correction]:
    """Return the corrections that the ranking has, its own first."""
    left_out = {Correction.MAX_T} if any(pair.p_maxt is None for pair in ranking.pairs) else set()
    return sorted((each for each in Correction if each not in left_out), key=lambda each: each != ranking.correction)


def corrected(correction: Correction) -> str:
    """Say how p-values were corrected: "after max-T correction", "without correction"."""
    if correction is Correction.NONE:
        return "without correction for the number of pairs"
    return f"after {CORRECTIONS[correction]} correction"


def about(ranking: Ranking) -> str:
    """Return what the ranking is about: "bleu, 1,000 items"."""
    n = f"{format_count(ranking.n_items)} items"
    if ranking.n_units != ranking.n_items:
        n += f" in {format_count(ranking.n_units)} clusters"
    direction = [] if ranking.metric.higher_is_better else ["lower is better"]
    unit = " in %" if ranking.metric.as_percentage else ""
    return ", ".join([f"{printable(ranking.metric.spec)}{unit}", *direction, n])


def lead(ranking: Ranking) -> str:
    """Return in one or two sentences which system scores best, and which are not told apart from it."""
    scores, systems = ranking_format(ranking), ranking.systems
    first = systems[0]
    told = (
        f"{printable(first.name)} scores best of {format_count(len(systems))} systems: "
        f"{scores.score(first.score)} ({about(ranking)})."
    )
    level = f"at α = {format_exactly(ranking.alpha)}, {corrected(ranking.correction)}"
    if ranking.correction is not Correction.NONE:
        level += f" over {format_count(len(ranking.pairs))} pairs"
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
    write = scores.gain if gain else scores.score
    return f"{write(low)} to {write(high)}"


def how(ranking: Ranking, pair: RankedPair) -> str:
    """Say how the first p-value of a pair was computed."""
    if pair.exact:
        return "computed exactly"
    resamples = f"{format_count(ranking.n_resamples)} resamples"
    if pair.n_exceeding is None:
        return f"estimated from {resamples}"
    return f"estimated from {format_count(pair.n_exceeding)} of {resamples}"


def pair_sentence(ranking: Ranking, pair: RankedPair, scores: ScoreFormat, of: dict[str, float]) -> str:
    """Return one sentence on a pair; `of` holds the scores of systems by name."""
    sided = "two-sided" if ranking.alternative is Alternative.TWO_SIDED else "one-sided"
    points = " points" if ranking.metric.as_percentage else ""
    tested = f"{sided} {ranking.tests[0]} test, {state_p(pair.p_value, ranking.alpha)}"
    if ranking.correction is not Correction.NONE:
        after = format_p(pair.corrected(ranking.correction), ranking.alpha)
        sign = "" if after[0] in "<>" else "= "
        tested += f", and p {sign}{after} {corrected(ranking.correction)} over {format_count(len(ranking.pairs))} pairs"
    interval = f"{format_level(pair.interval.confidence_level)} interval"
    return (
        f"{printable(pair.candidate)} scores {scores.score(of[pair.candidate])} against "
        f"{scores.score(of[pair.baseline])} for {printable(pair.baseline)} ({about(ranking)}): "
        f"a gain of {scores.gain(pair.gain)}{points} ({interval} "
        f"{spread(pair.interval.low, pair.interval.high, scores, gain=True)}; {tested})."
    )
