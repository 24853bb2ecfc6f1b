"""What reports of rankings say, each thing once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
from outscore.reports.figures.rankings import matrix_figure, score_figure
from outscore.results import Correction, Ranking, format_corrected_p
from outscore.text.numbers import (
    format_count,
    format_p,
    format_share,
)
from outscore.words.comparisons import interval_heading
from outscore.words.rankings import (
    ALL_PAIRS,
    CORRECTIONS,
    emulation_title,
    explain_clusters,
    explain_emulation,
    explain_groups,
    lead,
    paper_caption,
    see_more,
    summary,
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
    scores = ranking.score_format
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
    called = [name(system.name) for system in first.systems]
    measures = [name(ranking.metric.heading) for ranking in rankings]
    if what == "test set":
        measures = [_measured(ranking, with_metric=own_metrics) for ranking in rankings]
    said = summary(rankings, what)
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
    shows = see_more()
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


def _document(ranking: Ranking, medium: Medium, *, pairs: bool) -> Document:
    title = f"{format_count(len(ranking.systems))} systems ranked by {name(ranking.metric.title)}"
    return Document(plain(title), tuple(_blocks(ranking, medium, pairs=pairs)))


def _blocks(ranking: Ranking, medium: Medium, *, pairs: bool) -> Iterator[Block]:
    few, terminal = len(ranking.pairs) <= FEW_PAIRS, medium is Medium.TERMINAL
    if medium is not Medium.PAPER:
        yield Paragraph(lead(ranking), leading=True)
    yield _systems_table(ranking, medium)
    if ranking.pairs and (pairs or (few and medium in (Medium.TERMINAL, Medium.MARKUP))):
        yield _pairs_table(ranking, medium)
    elif medium is Medium.TERMINAL:
        yield Picture(matrix_figure(ranking))
    elif medium is Medium.PAGE and len(ranking.systems) <= MOST_DRAWN:
        yield Picture(score_figure(ranking))
    explained = {"groups": explain_groups(ranking), "clusters": explain_clusters(ranking, dotted=terminal)}
    if ranking.emulated is not None:
        yield emulation_table(ranking, dash="–" if medium in (Medium.PAPER, Medium.PAGE) else "-")
        explained[ranking.emulated.tool] = explain_emulation(ranking)
    if medium is Medium.TERMINAL:
        warnings = (Fact("warning", warning, Kind.WARNING) for warning in ranking.warnings)
        yield Facts((*(Fact(label, text) for label, text in explained.items()), *warnings))
    else:
        # In a paper the caption explains.
        emulated = [explained[ranking.emulated.tool]] if ranking.emulated is not None else []
        notes = tuple(emulated) if medium is Medium.PAPER else tuple(explained.values())
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
        (
            interval_heading(ranking.systems[0].interval),
            [scores.scores(one.interval.low, one.interval.high) for one in systems],
            True,
        ),
    ]
    if paper:
        return Table.of_columns(columns, title=paper_caption(ranking))
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


def emulation_table(ranking: Ranking, *, dash: str) -> Table:
    """Return the table of WMT's papers, with what the emulated rule concludes in its last columns."""
    emulated, systems, n = ranking.emulated, ranking.systems, len(ranking.systems)
    assert emulated is not None
    theirs = [
        (rank_range(one.rank_low, one.rank_high, dash=dash), f"{one.wins}/{one.losses}", str(one.tier))
        for one in emulated.systems
    ]
    columns = [
        ("rank", [rank_range(one.rank_low, one.rank_high, dash=dash) for one in systems], True),
        ("system", [name(one.name) for one in systems], False),
        ("score", [ranking.score_format.score(one.score) for one in systems], True),
        ("wins/losses", [f"{n - one.rank_high}/{one.rank_low - 1}" for one in systems], True),
        ("tier", [str(one.cluster) for one in systems], True),
        *(
            (f"{emulated.tool}: {heading}", list(cells), True)
            for heading, cells in zip(("rank", "W/L", "tier"), zip(*theirs, strict=True), strict=True)
        ),
    ]
    parted = frozenset(i for i in range(n - 1) if systems[i].cluster != systems[i + 1].cluster)
    return Table.of_columns(columns, title=emulation_title(ranking), fitted=(1,), parted=parted)


def _pairs_table(ranking: Ranking, medium: Medium) -> Table:
    scores, pairs = ranking.score_format, ranking.pairs
    columns = [
        ("candidate", [name(pair.candidate) for pair in pairs], False),
        ("baseline", [name(pair.baseline) for pair in pairs], False),
        ("gain", [scores.gain(pair.gain) for pair in pairs], True),
        (
            interval_heading(ranking.systems[0].interval),
            [scores.interval(one.interval.low, one.interval.high) for one in pairs],
            True,
        ),
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
    return Table.of_columns(columns, title=ALL_PAIRS, fitted=(0, 1), spare=spare)
