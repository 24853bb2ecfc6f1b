"""What is said of rankings: the best system, a pair, and what stands above tables and drawings and below them."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.options import opt
from outscore.results import Alternative, Correction, RankedPair, Ranking, format_corrected_p
from outscore.text.naming import in_a_row, name, printable
from outscore.text.numbers import ScoreFormat, format_count, format_counted, format_exactly, format_level
from outscore.words.comparisons import about_metric, claims, interval_heading, interval_title

ALL_PAIRS = "All pairs of the ranking."
AMONG_BEST = {True: "not significantly worse than the best", False: "significantly worse"}
CORRECTIONS = {
    Correction.MAX_T: "max-T",
    Correction.HOLM: "Holm",
    Correction.BH: "Benjamini–Hochberg",
    Correction.NONE: "none",
}


def corrected(correction: Correction) -> str:
    """Say how p-values were corrected: "after max-T correction", "without correction"."""
    if correction is Correction.NONE:
        return "without correction for the number of pairs"
    return f"after {CORRECTIONS[correction]} correction"


def about(ranking: Ranking) -> str:
    """Return what the ranking is about: "bleu, 1,000 items"."""
    n = format_counted(ranking.n_items, "battle" if ranking.of_battles else "item")
    if ranking.n_units != ranking.n_items:
        n += f" in {format_counted(ranking.n_units, 'cluster')}"
    return ", ".join([*about_metric(ranking.metric, ranking.over, name), n])


def lead(ranking: Ranking) -> str:
    """Return in one or two sentences which system scores best, and which are not told apart from it."""
    scores, systems = ranking.score_format, ranking.systems
    first = systems[0]
    sentence = (
        f"{name(first.name)} scores best of {format_counted(len(systems), 'system')}: "
        f"{scores.score(first.score)} ({about(ranking)})."
    )
    level = f"at α = {format_exactly(ranking.alpha)}, {corrected(ranking.correction)}"
    if ranking.correction is not Correction.NONE:
        level += f" over {format_counted(len(ranking.pairs), 'pair')}"
    level += claims(ranking.findings)
    others = [name(system.name) for system in systems[1:] if system.among_best]
    if not others:
        return f"{sentence} Every other system scores significantly worse, {level}."
    if len(others) == len(systems) - 1 and len(others) > 1:
        return f"{sentence} The data do not tell any other system apart from it, {level}."
    named = in_a_row(others)
    if len(others) > 6:
        named = f"{', '.join(others[:5])} and {format_count(len(others) - 5)} more"
    return f"{sentence} The data do not tell {named} apart from it, {level}."


def how(ranking: Ranking, pair: RankedPair) -> str:
    """Say how the first p-value of a pair was computed."""
    if pair.exact:
        return "computed exactly"
    resamples = format_counted(ranking.n_resamples, "resample")
    if pair.computation is not None:
        return pair.computation if pair.p_beats is None else f"{pair.computation}, its standard error from {resamples}"
    if pair.n_exceeding is None:
        return f"estimated from {resamples}"
    return f"estimated from {format_count(pair.n_exceeding)} of {resamples}"


def pair_sentence(ranking: Ranking, pair: RankedPair, scores: ScoreFormat, of: dict[str, float]) -> str:
    """Return one sentence on a pair; `of` holds the scores of systems by name."""
    tested = f"{ranking.alternative.sided} {ranking.tests[0]} test, {_stated(ranking, pair, Correction.NONE)}"
    if ranking.correction is not Correction.NONE:
        tested += (
            f", and {_stated(ranking, pair, ranking.correction)} {corrected(ranking.correction)} over "
            f"{format_counted(len(ranking.pairs), 'pair')}"
        )
    interval = f"{format_level(pair.interval.confidence_level)} {interval_title(pair.interval)}"
    return (
        f"{name(pair.candidate)} scores {scores.score(of[pair.candidate])} against "
        f"{scores.score(of[pair.baseline])} for {name(pair.baseline)} ({about(ranking)}): "
        f"a gain of {scores.gain(pair.gain)}{ranking.metric.points} ({interval} "
        f"{scores.interval(pair.interval.low, pair.interval.high)}; {tested}){claims(ranking.findings)}."
    )


def _stated(ranking: Ranking, pair: RankedPair, correction: Correction) -> str:
    p = format_corrected_p(ranking, pair, correction)
    return f"p {p}" if p[0] in "<>≤" else f"p = {p}"


def explain_groups(ranking: Ranking) -> str:
    """Say what letters and rank intervals mean."""
    level = f"α = {format_exactly(ranking.alpha)}"
    how = (
        "without correction"
        if ranking.correction is Correction.NONE
        else f"after {CORRECTIONS[ranking.correction]} correction"
    )
    if ranking.correction is Correction.MAX_T:
        how += f" from {format_count(ranking.n_resamples)} {'resamples' if ranking.of_battles else 'normal draws'}"
    return (
        f"Two systems share a letter unless their scores differ significantly at {level} {how}; ranks are all those "
        "that these tests leave open. A letter shared is no evidence that two systems are equal."
    )


def explain_clusters(ranking: Ranking, *, dotted: bool) -> str:
    """Say what clusters mean, and what they do not.

    Parameters
    ----------
    ranking : Ranking
    dotted : bool
        Whether lines part them.
    """
    count = ranking.systems[-1].cluster
    sentence = (
        "One cluster: nowhere is every system above significantly better than every system below."
        if count == 1
        else f"{count} clusters: every system is significantly better than every system of a later cluster."
    )
    drawn = " Dotted lines part clusters." if dotted and count > 1 else ""
    return f"{sentence} Within a cluster systems may differ: not being told apart is not transitive.{drawn}"


def summary(rankings: Sequence[Ranking], what: str) -> str:
    """Return what a table of several rankings holds, one per metric or test set, as `what` says."""
    first, count = rankings[0], f"{format_count(len(rankings))} {what}s"
    averages = {"average": "their average", "other tasks": "the average over others like them"}
    if what == "test set" and first.test_set in averages:
        count = f"{format_count(len(rankings) - 1)} test sets and {averages[first.test_set]}"
    return (
        f"{format_count(len(first.systems))} systems by {count}, in the order of {name(first.metric.title)}"
        f"{claims(first.findings)}. Ranks are those that the tests leave open, corrected for all pairs of one {what}, "
        f"not for there being several {what}s."
    )


def paper_caption(ranking: Ranking) -> str:
    """Return the caption of the systems in a paper."""
    return f"Ranking by {about(ranking)}. The best score is in bold. {explain_groups(ranking)}"


def score_caption(ranking: Ranking) -> tuple[str, str, str]:
    """Return what is said below the scores: always, of groups as bars, and of groups as letters."""
    said = (
        f"Scores with their {interval_heading(ranking.systems[0].interval)}s, best first. "
        f"Filled: not told apart from the best {corrected(ranking.correction)}; hollow: significantly worse. "
        "Intervals of two scores may overlap although the two systems differ: tests compare them "
        "item by item, intervals do not."
    )
    if len({system.cluster for system in ranking.systems}) > 1:
        said += (
            " Dashed lines part clusters: every system above one is significantly better than every system below it. "
            "Within a cluster systems may differ, too."
        )
    return (
        said,
        " Each bar at the right is a group: systems on the same bar do not differ significantly.",
        " Letters at the right are groups: systems that share one do not differ significantly.",
    )


def heat_caption(correction: Correction) -> str:
    """Say what the cells are, under a correction."""
    return (
        "Each cell is a pair: the system of its row scores at least as well as that of its column. "
        f"p-values {corrected(correction)}."
    )


def columns(ranking: Ranking) -> tuple[str, ...]:
    """Say what the columns of the systems mean."""
    test = f"{ranking.alternative.sided} {printable(ranking.tests[0])} test"
    if ranking.alternative is not Alternative.TWO_SIDED:
        test += ", whose direction was taken from the data, pair by pair (as BK12 do),"
    return (
        f"★: not told apart from the best system by the {test} at α = {format_exactly(ranking.alpha)}, "
        f"{corrected(ranking.correction)}.",
        "Ranks: the best and the worst rank that the tests leave open. Not told apart does not mean equal.",
        "To next, to best: the system's gain over the next one, and over the first.",
        "P(best): in how many resampled test sets it scores best.",
        "Groups: two systems that share a letter do not differ significantly, all others do.",
    )


def pairs_shown(shown: int, every: int, best: int) -> str:
    """Say which pairs are shown, where not all are: all of the best systems, and some of others."""
    return (
        f"{format_count(shown)} of {format_count(every)} pairs: neighbours in the order of scores, the best system "
        f"with every other, and the best {best} with each other. JSON holds all of them, and so does CSV with "
        f"{opt('pairs', True)}."
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
    """Say how to see more than a table of several metrics."""
    return f"{opt('details', True)} shows the intervals, groups and pairs of each metric."


def matrix_title(n_shown: int, n_systems: int) -> str:
    """Return the title of the p-values of pairs, of which those of the best systems may be shown only."""
    return "p-values of all pairs" if n_shown == n_systems else f"p-values of the best {n_shown} systems"


def p_levels_said(bounds: Sequence[float]) -> tuple[str, ...]:
    """Return what shades of p-values mean."""
    texts = [format_exactly(bound) for bound in bounds]
    return (f"p > {texts[0]}: not significant", *(f"p ≤ {text}" for text in texts))


def not_drawn(what: str) -> str:
    """Say why there is nothing to draw."""
    return f"the {what} are not finite, and are not drawn"
