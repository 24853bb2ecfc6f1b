"""What reports of rankings say, each thing once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from outscore.options import opt
from outscore.reports.documents import (
    Block,
    Document,
    Fact,
    Facts,
    Kind,
    Mark,
    Medium,
    Notes,
    Paragraph,
    Picture,
    Signature,
    Table,
    marked,
    name,
    plain,
    strong,
)
from outscore.reports.figures import LETTER
from outscore.reports.figures.rankings import CORRECTIONS, corrected, matrix_figure, score_figure
from outscore.results import Correction, RankedPair, Ranking, format_corrected_p, interval_title
from outscore.results.comparisons import about_metric
from outscore.results.findings import claims
from outscore.text.naming import in_a_row
from outscore.text.numbers import (
    ScoreFormat,
    format_count,
    format_counted,
    format_exactly,
    format_level,
    format_p,
    format_share,
)

FEW_PAIRS = 28  # so many pairs, those of eight systems, are listed without being asked for

MOST_DRAWN = 60  # systems, in a notebook


def corrections_of(ranking: Ranking, *, plain: bool = True) -> list[Correction]:
    """Return the corrections that the ranking has, its own first; `plain` says whether none counts as one."""
    left_out = set() if plain else {Correction.NONE}
    if any(pair.p_maxt is None for pair in ranking.pairs[:1]):
        left_out.add(Correction.MAX_T)
    corrections = (correction for correction in Correction if correction not in left_out)
    return sorted(corrections, key=lambda correction: correction is not ranking.correction)


def distances(ranking: Ranking) -> list[tuple[str, str]]:
    """Return each system's gain over the next and over the first as text, blank for the last and for the first."""
    systems = ranking.systems
    scores = ranking.score_format.for_column(
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


def gains_format(ranking: Ranking, pairs: Sequence[RankedPair]) -> ScoreFormat:
    """Return how the gains of some pairs, and their intervals, are written in one table."""
    gains = (gain for pair in pairs for gain in (pair.gain, pair.interval.low, pair.interval.high))
    return ranking.score_format.for_column(gains)


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


def interval_heading(ranking: Ranking) -> str:
    """Return the heading of a column of intervals: "95% interval"."""
    return f"{format_level(ranking.systems[0].interval.confidence_level)} interval"


def how(ranking: Ranking, pair: RankedPair) -> str:
    """Say how the first p-value of a pair was computed."""
    if pair.exact:
        return "computed exactly"
    if pair.n_tilted is not None:
        return f"estimated from {format_counted(pair.n_tilted, 'tilted resample')}"
    resamples = format_counted(ranking.n_resamples, "resample")
    if pair.computation is not None:
        return pair.computation if pair.p_beats is None else f"{pair.computation}, its standard error from {resamples}"
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
    interval = f"{format_level(pair.interval.confidence_level)} {interval_title(pair.interval)}"
    return (
        f"{name(pair.candidate)} scores {scores.score(of[pair.candidate])} against "
        f"{scores.score(of[pair.baseline])} for {name(pair.baseline)} ({about(ranking)}): "
        f"a gain of {scores.gain(pair.gain)}{points} ({interval} "
        f"{scores.interval(pair.interval.low, pair.interval.high)}; {tested}){claims(ranking.findings)}."
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


def _p_columns(ranking: Ranking) -> list[tuple[str, list[str]]]:
    """Return the headings and cells of the p-values of all pairs: plain, corrected, and those of further tests."""
    corrections = [Correction.NONE, *corrections_of(ranking, plain=False)]
    titles = ["p", *(f"p ({CORRECTIONS[correction]})" for correction in corrections[1:])]
    columns = [
        (title, [format_corrected_p(ranking, pair, correction) for pair in ranking.pairs])
        for title, correction in zip(titles, corrections, strict=True)
    ]
    for test in ranking.tests[1:]:
        cells = [format_p(pair.other_p_values[test], ranking.alpha) for pair in ranking.pairs]
        columns.append((f"p ({name(test)})", cells))
    return columns


def _explain_groups(ranking: Ranking) -> str:
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


def _explain_clusters(ranking: Ranking, medium: Medium) -> str:
    """Say what clusters mean, and what they do not."""
    count = ranking.systems[-1].cluster
    sentence = (
        "One cluster: nowhere is every system above significantly better than every system below."
        if count == 1
        else f"{count} clusters: every system is significantly better than every system of a later cluster."
    )
    drawn = " Dotted lines part clusters." if medium is Medium.TERMINAL and count > 1 else ""
    return f"{sentence} Within a cluster systems may differ: not being told apart is not transitive.{drawn}"


def ranking_documents(
    rankings: Sequence[Ranking], medium: Medium, *, pairs: bool = False, details: bool = False
) -> list[Document]:
    """Return what a report says of rankings of the same systems, one a metric.

    Parameters
    ----------
    rankings : sequence of Ranking
    medium : Medium
    pairs : bool
        Whether every pair is listed, however many there are.
    details : bool
        Whether several metrics are not only shown in a table, but the ranking by each, too.
    """
    by_metric = [_document(ranking, medium, pairs=pairs) for ranking in rankings]
    if len(rankings) == 1:
        return by_metric
    brief = medium in (Medium.TERMINAL, Medium.PAGE) and not (details or pairs)
    summary = summary_document(rankings, brief=brief, commands=medium is Medium.TERMINAL)
    return [summary] if brief else [summary, *by_metric]


def summary_document(rankings: Sequence[Ranking], *, brief: bool = False, commands: bool = False) -> Document:
    """Return each system's score and ranks on every metric, and what the ranks do not take into account.

    Parameters
    ----------
    rankings : sequence of Ranking
    brief : bool
        Whether it is all that is shown, and so has the warnings and signatures of the rankings.
    commands : bool
        Whether it says which option shows more.
    """
    by_name = [{system.name: system for system in ranking.systems} for ranking in rankings]
    formats = [ranking.score_format for ranking in rankings]
    first = rankings[0]
    cells = [
        [
            (scores.score(same.score), rank_range(same.rank_low, same.rank_high, dash="–"))
            for same in (known[system.name] for system in first.systems)
        ]
        for known, scores in zip(by_name, formats, strict=True)
    ]
    of_sets = all(ranking.test_set is not None for ranking in rankings)
    own_metrics = of_sets and len({ranking.metric.spec for ranking in rankings}) > 1
    once = len({ranking.test_set for ranking in rankings}) == len(rankings)
    what = "test set" if of_sets and (once or not own_metrics) else "metric"
    said = (
        f"{format_count(len(first.systems))} systems by {format_count(len(rankings))} {what}s, in the order of "
        f"{name(first.metric.title)}{claims(first.findings)}. Ranks are those that the tests leave open, corrected "
        f"for all pairs of one {what}, not for there being several {what}s."
    )
    called = [name(system.name) for system in first.systems]
    measures = [name(ranking.metric.heading) for ranking in rankings]
    if what == "test set":
        said = said.replace(f"{len(rankings)} test sets, in", f"{_sets_of(rankings)}, in", 1)
        measures = [_measured(ranking, with_metric=own_metrics) for ranking in rankings]
    if what == "test set" and len(called) < len(rankings):
        rows, headings = cells, called
        called = measures
    else:
        rows, headings = [list(of_system) for of_system in zip(*cells, strict=True)], measures
        what = "system"
    table = Table(
        (what, *(heading for measure in headings for heading in (measure, "ranks"))),
        tuple(
            (first_cell, *(text for cell in row for text in cell)) for first_cell, row in zip(called, rows, strict=True)
        ),
        frozenset(range(1, 2 * len(headings) + 1)),
        title=said,
        folded=2,
    )
    warnings = tuple(f"{name(ranking.metric.title)}: {warning}" for ranking in rankings for warning in ranking.warnings)
    shows = f"{opt('details', True)} shows the intervals, groups and pairs of each metric."
    notes = (shows,) if commands and brief else ()
    blocks: list[Block] = [Paragraph(said, leading=True), table]
    if brief:
        blocks += [Notes(notes, warnings)] if notes or warnings else []
        blocks += [Signature(ranking.signature, ranking.version) for ranking in rankings]
    return Document("All metrics", tuple(blocks))


def _measured(ranking: Ranking, *, with_metric: bool) -> str:
    """Return the test set of a ranking, and its metric where test sets have different ones."""
    test_set = ranking.test_set or ""
    metric = ranking.metric.heading.replace(f" ({test_set})", "", 1)
    return f"{name(test_set)} ({name(metric)})" if with_metric else name(test_set)


def _sets_of(rankings: Sequence[Ranking]) -> str:
    """Return how many test sets there are, and which average over them."""
    first = rankings[0].test_set
    averages = {"average": "their average", "other tasks": "the average over others like them"}
    if first not in averages:
        return f"{format_count(len(rankings))} test sets"
    return f"{format_count(len(rankings) - 1)} test sets and {averages[first]}"


def _document(ranking: Ranking, medium: Medium, *, pairs: bool) -> Document:
    title = f"{format_count(len(ranking.systems))} systems ranked by {name(ranking.metric.title)}"
    return Document(plain(title), tuple(_blocks(ranking, medium, pairs=pairs)))


def _blocks(ranking: Ranking, medium: Medium, *, pairs: bool) -> Iterator[Block]:
    few = len(ranking.pairs) <= FEW_PAIRS
    if medium is not Medium.PAPER:
        yield Paragraph(lead(ranking), leading=True)
    yield _systems_table(ranking, medium)
    if ranking.pairs and (pairs or (few and medium in (Medium.TERMINAL, Medium.MARKUP))):
        yield _pairs_table(ranking, medium)
    elif medium is Medium.TERMINAL:
        yield Picture(matrix_figure(ranking))
    elif medium is Medium.PAGE and len(ranking.systems) <= MOST_DRAWN:
        yield Picture(score_figure(ranking))
    explained = {"groups": _explain_groups(ranking), "clusters": _explain_clusters(ranking, medium)}
    if medium is Medium.TERMINAL:
        warnings = (Fact("warning", warning, Kind.WARNING) for warning in ranking.warnings)
        yield Facts((*(Fact(label, text) for label, text in explained.items()), *warnings))
    else:
        # In a paper the caption explains.
        notes = () if medium is Medium.PAPER else tuple(explained.values())
        yield from [Notes(notes, ranking.warnings)] if notes or ranking.warnings else []
    yield Signature(ranking.signature, ranking.version)


def _systems_table(ranking: Ranking, medium: Medium) -> Table:
    scores, systems = ranking.score_format, ranking.systems
    paper = medium is Medium.PAPER

    dash = "–" if medium in (Medium.PAPER, Medium.PAGE) else "-"
    columns = [
        ("rank", [rank_range(system.rank_low, system.rank_high, dash=dash) for system in systems], True),
        ("system", [name(system.name) for system in systems], False),
    ]
    fitted: tuple[int, ...] = (1,)
    if any(system.family is not None for system in systems):
        columns.append(("family", [name(system.family or "") for system in systems], False))
        # Families that are long give way, too.
        fitted = (1, 2) if max(len(system.family or "") for system in systems) > 12 else (1,)
    texts = [scores.score(system.score) for system in systems]
    if paper:
        best = systems[0].score
        texts = [
            f"{strong(text) if one.score == best else text}{marked(Mark.LETTERS, one.group)}"
            for text, one in zip(texts, systems, strict=True)
        ]
    columns += [
        (name(ranking.metric.heading), texts, not paper),
        (interval_heading(ranking), [scores.scores(one.interval.low, one.interval.high) for one in systems], True),
    ]
    title = f"Ranking by {about(ranking)}. The best score is in bold. {_explain_groups(ranking)}"
    if paper:
        return Table.of_columns(columns, title=title)
    columns.append(("group", [system.group for system in systems], False))
    # What can be read off the other columns is left out where names would be broken; P(best) cannot be.
    spare = tuple((len(columns) + k, times) for k, times in ((0, 2), (1, 2), (2, 1)))
    to_next, to_best = zip(*distances(ranking), strict=True)
    columns += [
        ("to next", list(to_next), True),
        ("to best", list(to_best), True),
        ("P(best)", [share(ranking, system.p_best) for system in systems], True),
    ]
    if medium is Medium.MARKUP:
        columns.append(("cluster", [str(system.cluster) for system in systems], False))
    parted = frozenset(i for i in range(len(systems) - 1) if systems[i].cluster != systems[i + 1].cluster)
    return Table.of_columns(columns, fitted=fitted, spare=spare, parted=parted)


def _pairs_table(ranking: Ranking, medium: Medium) -> Table:
    scores, pairs = gains_format(ranking, ranking.pairs), ranking.pairs
    columns = [
        ("candidate", [name(pair.candidate) for pair in pairs], False),
        ("baseline", [name(pair.baseline) for pair in pairs], False),
        ("gain", [scores.gain(pair.gain) for pair in pairs], True),
        (interval_heading(ranking), [scores.interval(one.interval.low, one.interval.high) for one in pairs], True),
    ]
    if ranking.of_battles:
        columns.append(("P(win)", ["" if one.p_beats is None else f"{one.p_beats:.3f}" for one in pairs], True))
    before, p_columns = len(columns), _p_columns(ranking)
    columns += [(heading, cells, True) for heading, cells in p_columns]
    if medium is not Medium.PAPER:
        counts = ["" if pair.wins is None else f"{pair.wins}/{pair.ties}/{pair.losses}" for pair in pairs]
        columns.append(("W/T/L", counts, medium is Medium.TERMINAL))
    # What is in every other format too is left out first, where names would have no room.
    further = len(ranking.tests) - 1
    after = before + len(p_columns)
    order = (*range(before + 2, after - further), 3, after, *range(after - further, after))
    spare = tuple((place, 1) for place in order)
    return Table.of_columns(columns, title="All pairs of the ranking.", fitted=(0, 1), spare=spare)
