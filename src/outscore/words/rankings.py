"""The sentences of rankings: the best system, a pair, captions and notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from outscore.results import Alternative, Correction, RankedPair, RankedSystem, Ranking, format_corrected_p
from outscore.text.naming import in_a_row, name
from outscore.text.numbers import ScoreFormat, format_count, format_counted, format_exactly, score_format
from outscore.words.comparisons import (
    STRICT_TIES,
    about_metric,
    claims,
    counted_items,
    details,
    interval_heading,
    with_ends,
)

ALL_PAIRS = "All pairs of the ranking."
AMONG_BEST = {True: "not significantly worse than the best", False: "significantly worse"}
AVERAGES = {"average": "the average", "other tasks": "the average over other tasks"}
CORRECTIONS = {
    Correction.MAX_T: "max-T",
    Correction.HOLM: "Holm",
    Correction.BH: "Benjamini–Hochberg",
    Correction.NONE: "none",
}


def corrected(correction: Correction) -> str:
    """Return how p-values were corrected: "after max-T correction", "without correction"."""
    if correction is Correction.NONE:
        return "without correction for the number of pairs"
    return f"after {CORRECTIONS[correction]} correction"


def about(ranking: Ranking) -> str:
    """Return what the ranking is about: "bleu, 1,000 items"."""
    return ", ".join([*about_metric(ranking.metric, ranking.over, name), items_of(ranking)])


def items_of(ranking: Ranking) -> str:
    """Return the number of items, and of their clusters if there are any."""
    n_clusters = None if ranking.n_units == ranking.n_items else ranking.n_units
    return counted_items(ranking.n_items, n_clusters, "pairwise comparison" if ranking.of_battles else "item")


def lead(ranking: Ranking) -> str:
    """Return one sentence: the best-scoring system, and the systems that do not differ significantly from it."""
    systems = ranking.systems
    first = systems[0]
    sentence = (
        f"{name(first.name)} scores best of {format_counted(len(systems), 'system')}: "
        f"{ranking.score_format.score(first.score)} ({about(ranking)})"
    )
    others = [name(system.name) for system in systems[1:] if system.among_best]
    better = better_than(others, len(systems))
    if not others and len(systems) == 2:
        better = f"significantly better than {name(systems[1].name)}"
    tested = f"{ranking_test(ranking)}, {at_level(ranking.alpha, ranking.correction, len(ranking.pairs))}"
    return f"{sentence}, {better} ({tested}){claims(ranking.findings)}."


def ranking_test(ranking: Ranking) -> str:
    """Return the test of a ranking: "two-sided paired randomization test"."""
    direction = "" if ranking.alternative is Alternative.TWO_SIDED else " in the observed direction"
    ties = f" {STRICT_TIES}" if "ties:strict" in ranking.signature.split("|") else ""
    return f"{ranking.alternative.sided} {ranking.test_title}{direction}{ties}"


def first_place(ranking: Ranking) -> str | None:
    """Return one sentence on what the first place owes to having been chosen, or None if that is negligible."""
    first = [system for system in ranking.systems if system.is_overstated]
    if not first:
        return None
    intervals = [system.interval_as_chosen or system.interval for system in first]
    # Decimals of the table follow the intervals of gains, which may be much wider than those of scores.
    reaches = [system.interval.reach(system.score) for system in first]
    scores = score_format([first[0].score], reaches, percentage=ranking.metric.as_percentage)
    scores = max(scores, ranking.score_format, key=lambda form: form.decimals)
    ends = scores.scores(min(interval.low for interval in intervals), max(interval.high for interval in intervals))
    level, count = intervals[0].level, format_count(len(ranking.systems))
    unit, items = "%" if ranking.metric.as_percentage else "", "comparisons" if ranking.of_battles else "items"
    score, expected = scores.apart(first[0].score, expected_score(ranking, first[0]))
    come = f"{_named([name(system.name) for system in first])} {'comes' if len(first) == 1 else 'come'}"
    return (
        f"{come} first by choice among {count}: expect about {expected}{unit} on new {items} ({level}: {ends}) "
        f"rather than {score}{unit}."
    )


def expected_score(ranking: Ranking, system: RankedSystem) -> float:
    """Return the score of a system in first place less its overstatement."""
    sign = 1 if ranking.metric.higher_is_better else -1
    return system.score - sign * (system.overstatement or 0.0)


def as_chosen(ranking: Ranking, system: RankedSystem) -> str:
    """Return the expected score of a system in first place and its interval; empty for others."""
    scores, interval = ranking.score_format, system.interval_as_chosen
    if interval is None:
        return ""
    return f"{scores.score(expected_score(ranking, system))} ({scores.scores(interval.low, interval.high)})"


def at_level(alpha: float, correction: Correction, n_pairs: int) -> str:
    """Return the level of a ranking: "α = 0.05, after max-T correction over 6 pairs"."""
    level = f"α = {format_exactly(alpha)}"
    if n_pairs > 1:
        over = "" if correction is Correction.NONE else f" over {format_count(n_pairs)} pairs"
        level += f", {corrected(correction)}{over}"
    return level


def better_than(others: Sequence[str], count: int) -> str:
    """Return whether the first of `count` is better than all but `others`: "but not significantly better than x"."""
    if not others:
        return "significantly better than every other"
    if len(others) == count - 1 and len(others) > 1:
        return "but not significantly better than any other"
    return f"but not significantly better than {_named(others)}"


def _named(systems: Sequence[str]) -> str:
    """Return the names of systems in a row, the first five of many."""
    if len(systems) <= 6:
        return in_a_row(systems)
    return f"{', '.join(systems[:5])} and {format_count(len(systems) - 5)} more"


def how(ranking: Ranking, pair: RankedPair) -> str:
    """Return how the first p-value of a pair was computed."""
    if pair.exact:
        return "an upper bound" if pair.is_bound else "exact"
    resamples = format_counted(ranking.n_resamples, "resample")
    if pair.computation is not None:
        return pair.computation if pair.p_beats is None else f"{pair.computation}, standard error from {resamples}"
    if pair.n_exceeding is None:
        return f"estimated from {resamples}"
    return f"estimated from {format_count(pair.n_exceeding)} of {resamples}"


def pair_sentence(ranking: Ranking, pair: RankedPair, scores: ScoreFormat, scores_by_name: dict[str, float]) -> str:
    """Return one sentence on a pair; `of` holds the scores of systems by name."""
    evidence = f"{ranking_test(ranking)}, {_stated(ranking, pair, Correction.NONE)}"
    if ranking.correction is not Correction.NONE:
        evidence += (
            f", and {_stated(ranking, pair, ranking.correction)} {corrected(ranking.correction)} over "
            f"{format_counted(len(ranking.pairs), 'pair')}"
        )
    sentence = (
        f"{name(pair.candidate)} scores {scores.score(scores_by_name[pair.candidate])} against "
        f"{scores.score(scores_by_name[pair.baseline])} for {name(pair.baseline)} ({about(ranking)}): "
        f"a gain of {scores.gain(pair.gain)}{ranking.metric.points}"
    )
    if pair.sign is not None:
        favoured = pair.candidate if pair.sign > 0 else pair.baseline if pair.sign < 0 else "neither"
        sentence += f", which was not tested. The test favours {name(favoured)}"
        return f"{sentence} ({evidence}){claims(ranking.findings)}."
    ends = scores.interval(pair.interval.low, pair.interval.high)
    interval = with_ends(pair.interval, ends)
    return f"{sentence} ({interval}; {evidence}){claims(ranking.findings)}."


def pair_ends(pair: RankedPair, scores: ScoreFormat) -> str:
    """Return the ends of a pair's interval in a table; empty if the test does not test the gain."""
    return "" if pair.sign is not None else scores.interval(pair.interval.low, pair.interval.high)


def _stated(ranking: Ranking, pair: RankedPair, correction: Correction) -> str:
    p = format_corrected_p(ranking, pair, correction)
    return f"p {p}" if p[0] in "<>≤" else f"p = {p}"


def explain_groups(ranking: Ranking) -> str:
    """Return the meaning of letters and rank intervals."""
    none = ranking.correction is Correction.NONE
    how = "no correction" if none else f"{CORRECTIONS[ranking.correction]} correction"
    if len(ranking.pairs) > 1 and not none:
        how += f" over {format_count(len(ranking.pairs))} pairs"
    if ranking.correction is Correction.MAX_T:
        how += f" from {format_count(ranking.n_resamples)} {'resamples' if ranking.of_battles else 'normal samples'}"
    return (
        f"Two systems share a letter unless they differ significantly (α = {format_exactly(ranking.alpha)}, {how}). "
        "Sharing a letter does not show that two systems are equal. Rank intervals come from the significant pairs."
    )


def explain_tiers(ranking: Ranking) -> str:
    """Return what tiers mean, and what they do not."""
    count = ranking.systems[-1].cluster
    sentence = (
        "One tier: at no rank is every system above significantly better than every system below."
        if count == 1
        else f"{count} tiers: every system is significantly better than every system of a lower tier."
    )
    return f"{sentence} Systems of the same tier may still differ significantly."


def short_notes(ranking: Ranking) -> Iterator[tuple[str, str]]:
    """Yield the meanings of the columns of the systems: the heading, and one line."""
    yield "rank", "from the significant pairs"
    yield "group", "systems that share a letter do not differ significantly"
    if ranking.systems[-1].cluster > 1:
        yield "tier", "every system is significantly better than those of lower tiers"


def summary(rankings: Sequence[Ranking], what: str) -> str:
    """Return the best systems and their numbers of metrics or datasets (`what`), and the test of the ranks."""
    averaged = rankings[0].test_set in AVERAGES
    best = Counter(ranking.systems[0].name for ranking in rankings[averaged:]).most_common()
    first = rankings[0].systems[0].name if averaged else best[0][0]
    on, count = "on" if what == "dataset" else "by", len(rankings) - averaged
    every = "both" if count == 2 else f"all {format_count(count)}"
    counted = [f"{on} {every if k == count else f'{k} of {count}'} {what}s" for system, k in best if system == first]
    others = [f"{name(system)} {on} {k}" for system, k in best if system != first][:5]
    tests = " or the ".join(dict.fromkeys(map(ranking_test, rankings)))
    levels = dict.fromkeys(at_level(r.alpha, r.correction, len(r.pairs)) for r in rankings)
    ahead = [_is_ahead(ranking.systems, first) for ranking in rankings]
    better = f"significantly better than {'every' if len(rankings[0].systems) > 2 else 'the'} other"
    k = sum(ahead[averaged:])
    on_some = f"{on} {'none of the' if k == 0 else every if k == count else f'{k} of {count}'} {what}s"
    on_average = f"on average{', and' if k else ', but'} " if averaged and ahead[0] else ""
    not_so = ", but not on average" if averaged and k and not ahead[0] else ""
    about_all = f"({_on(rankings[averaged:], what)}){claims(rankings[0].findings)}"
    return (
        f"{name(first)} scores best of {format_counted(len(rankings[0].systems), 'system')} "
        f"{' and '.join([*(['on average'] if averaged else []), *counted])}"
        f"{f'; {in_a_row(others)}' if others else ''} {about_all}. It is {better} {on_average}{on_some}{not_so}. "
        f"Ranks are from the {tests} ({' or '.join(levels)}, for each {what} separately)."
    )


def _on(rankings: Sequence[Ranking], what: str) -> str:
    """Return the items of several rankings, and the metric if they are on datasets: "accuracy in %, 6 items each"."""
    first, sizes = rankings[0], list(dict.fromkeys(map(items_of, rankings)))
    if what == "metric":
        return " or ".join(sizes)
    n_items = format_counted(sum(ranking.n_items for ranking in rankings), "item")
    measured = []
    if len({ranking.metric.spec for ranking in rankings}) == 1:
        measured = about_metric(replace(first.metric, title=first.metric.spec), first.over, name)
    return ", ".join([*measured, f"{sizes[0]} each" if len(sizes) == 1 else f"{n_items} in all"])


def _is_ahead(systems: Sequence[RankedSystem], first: str) -> bool:
    """Return whether a system comes first and is significantly better than all others."""
    return systems[0].name == first and not any(system.among_best for system in systems[1:])


def explain_summary(rankings: Sequence[Ranking]) -> str:
    """Return the order of the systems in the table of several metrics or datasets."""
    first = rankings[0]
    return f"Systems are ordered by {AVERAGES.get(first.test_set or '', name(first.metric.title))}."


def score_caption(ranking: Ranking) -> tuple[str, str, str]:
    """Return the captions of the scores: the part for all, that for groups as bars, that for groups as letters."""
    caption = (
        f"Scores with their {interval_heading(ranking.systems[0].interval)}s, best first. "
        f"Filled: not significantly worse than the best {corrected(ranking.correction)}. Hollow: significantly worse. "
        "Two systems may differ significantly although their intervals overlap, because the tests pair their items."
    )
    if len({system.cluster for system in ranking.systems}) > 1:
        caption += (
            " Dashed lines separate tiers: every system above a line is significantly better than every system below "
            "it. Systems of the same tier may still differ significantly."
        )
    return (
        caption,
        " Systems on the same bar at the right do not differ significantly.",
        " Systems that share a letter at the right do not differ significantly.",
    )


CELLS = "Each cell is a pair. The system of its row scores at least as well as the system of its column."


def p_values(correction: Correction) -> str:
    """Return what the p-values of a figure are: "p-values after max-T correction"."""
    return f"p-values {corrected(correction)}"


def columns(ranking: Ranking) -> tuple[str, ...]:
    """Return the meanings of the columns of the systems."""
    test = f"{ranking.alternative.sided} {ranking.test_title}"
    if ranking.alternative is not Alternative.TWO_SIDED:
        test += ", whose direction is taken from the data for each pair (as in BK12),"
    return (
        f"★: not significantly worse than the best system, by the {test} at α = {format_exactly(ranking.alpha)} "
        f"{corrected(ranking.correction)}.",
        "Rank: the best and the worst rank, given the significant pairs.",
        "Group: two systems share a letter unless they differ significantly. Sharing a letter does not show that two "
        "systems are equal.",
        "Tier: every system is significantly better than every system of a lower tier. Systems of the same tier may "
        "still differ significantly.",
        "To next, to best: the system's gain over the next one, and over the first.",
        "P(best): the proportion of resampled test sets in which the system scores best.",
    )


def pairs_shown(shown: int, every: int, best: int) -> str:
    """Return which pairs are shown, if not all: all pairs of the best systems, and some others."""
    return (
        f"{format_count(shown)} of {format_count(every)} pairs: neighbours by score, the best system with every "
        f"other, and the best {best} with each other. JSON lists all pairs, as do CSV and Parquet with pairs."
    )


def explain_emulation(ranking: Ranking) -> str:
    """Say what another tool's rule finds, and why it differs."""
    emulated = ranking.emulated
    assert emulated is not None
    pairs = format_count(len(ranking.pairs))
    ours = sum(system.rank_low - 1 for system in ranking.systems)
    return (
        f"{emulated.tool}'s rule finds {format_count(emulated.n_significant)} of {pairs} pairs significantly "
        f"different, the ranking {format_count(ours)}. {emulated.what_differs} The ranking is the result."
    )


def emulation_title(ranking: Ranking) -> str:
    """Return the title of the table in WMT's form, with the emulated conclusions beside."""
    assert ranking.emulated is not None
    return (
        f"Rank intervals, scores, wins and losses, and tiers, with those of {ranking.emulated.tool}'s rule (emulated)."
    )


def see_more() -> str:
    """Return how to see more than a table of several metrics."""
    return f"{details()} shows the intervals, groups and pairs of each metric."


def see_details() -> str:
    """Return how to see more of one ranking."""
    return f"{details()} shows pairs, P(best) and the signature."


def matrix_title(n_shown: int, n_systems: int) -> str:
    """Return the title of the p-values of pairs, of which only those of the best systems may be shown."""
    return "p-values of all pairs" if n_shown == n_systems else f"p-values of the best {n_shown} systems"


def p_levels_said(bounds: Sequence[float]) -> tuple[str, ...]:
    """Return the meanings of the shades of p-values."""
    texts = [format_exactly(bound) for bound in bounds]
    return (f"p > {texts[0]}: not significant", *(f"p ≤ {text}" for text in texts))


def not_drawn(what: str) -> str:
    """Return why there is nothing to draw."""
    return f"the {what} are not finite and cannot be drawn"
