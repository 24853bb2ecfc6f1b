"""The documents of rankings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from outscore.reports.documents import (
    Block,
    Document,
    Fact,
    Facts,
    Medium,
    Notes,
    Paragraph,
    Picture,
    Signature,
    Table,
    message,
    name,
    plain,
)
from outscore.reports.figures import LETTER
from outscore.reports.figures.rankings import matrix_figure, score_figure
from outscore.results import Correction, Ranking, format_corrected_p
from outscore.results.findings import facts
from outscore.text.numbers import (
    format_count,
    format_p,
    format_share,
)
from outscore.words.comparisons import interval_heading
from outscore.words.rankings import (
    ALL_PAIRS,
    CORRECTIONS,
    about,
    as_chosen,
    emulation_title,
    explain_emulation,
    explain_groups,
    explain_summary,
    explain_tiers,
    first_place,
    lead,
    pair_ends,
    see_details,
    see_more,
    short_notes,
    summary,
)

FEW_PAIRS = 28  # the pairs of eight systems; up to here all pairs are listed by default

MOST_DRAWN = 60  # systems, in a notebook


def corrections_of(ranking: Ranking, *, plain: bool = True) -> list[Correction]:
    """Return the corrections that the ranking has, its own first; `plain` includes p-values without correction."""
    left_out = set() if plain else {Correction.NONE}
    if any(pair.p_maxt is None for pair in ranking.pairs[:1]):
        left_out.add(Correction.MAX_T)
    corrections = (correction for correction in Correction if correction not in left_out)
    return sorted(corrections, key=lambda correction: correction is not ranking.correction)


def distances(ranking: Ranking) -> list[tuple[str, str]]:
    """Return each system's gain over the next and over the first as text; blank for the last and for the first."""
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
    """Return a rank interval: "3-6", or "51" for a single rank."""
    return str(low) if low == high else f"{low}{dash}{high}"


def share(ranking: Ranking, probability: float) -> str:
    """Return P(best) in per cent: below 1/r if it was found in none of r resamples, above 1 - 1/r if in all."""
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
    """Return the documents of rankings of the same systems, one per metric, after one of all metrics.

    Parameters
    ----------
    pairs : bool
        Whether every pair is listed, however many there are.
    details : bool
        On a terminal: whether all is shown, and not only what decides.
    """
    by_metric = [_document(ranking, medium, pairs=pairs, details=details) for ranking in rankings]
    if len(rankings) == 1 or medium is Medium.PAPER:
        return by_metric
    brief = medium in (Medium.TERMINAL, Medium.PAGE) and not (details or pairs)
    summary = summary_document(rankings, brief=brief, commands=medium is Medium.TERMINAL)
    return [summary] if brief else [summary, *by_metric]


def summary_document(rankings: Sequence[Ranking], *, brief: bool = False, commands: bool = False) -> Document:
    """Return the document of each system's score and ranks by every metric.

    Parameters
    ----------
    brief : bool
        Whether no other document follows: then this one has the warnings of the rankings.
    commands : bool
        Whether it names the option that shows more, in place of the signatures.
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
    what = "dataset" if _by_test_set(rankings) else "metric"
    called, measures = [name(system.name) for system in first.systems], measures_of(rankings)
    said, explained = summary(rankings, what), explain_summary(rankings, what)
    if what == "dataset" and len(called) < len(rankings):
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
        title=f"{said} {explained}",
        folded=2,
    )
    of_metrics = [(name(ranking.metric.title), text) for ranking in rankings for text in ranking.warnings]
    warnings = tuple(type(text)(f"{metric}: {text}") for metric, text in of_metrics)
    blocks: list[Block] = [Paragraph(said, leading=True), table]
    if commands and brief:
        facts = (*map(message, warnings), Fact("details", see_more()))
        blocks.append(Facts((Fact("note", explained), *facts)))
    else:
        blocks.append(Notes((explained,), warnings if brief else ()))
        blocks += [Signature(ranking.signature, ranking.version) for ranking in rankings] if brief else []
    return Document("All metrics", tuple(blocks))


def _by_test_set(rankings: Sequence[Ranking]) -> bool:
    """Return whether rankings differ by their test sets, rather than by their metrics."""
    of_sets = all(ranking.test_set is not None for ranking in rankings)
    once = len({ranking.test_set for ranking in rankings}) == len(rankings)
    return of_sets and (once or len({ranking.metric.spec for ranking in rankings}) == 1)


def measures_of(rankings: Sequence[Ranking]) -> list[str]:
    """Return the metrics of rankings, or their test sets if there are several."""
    if len(rankings) == 1 or not _by_test_set(rankings):
        return [name(ranking.metric.heading) for ranking in rankings]
    own_metrics = len({ranking.metric.spec for ranking in rankings}) > 1
    return [_measured(ranking, with_metric=own_metrics) for ranking in rankings]


def _measured(ranking: Ranking, *, with_metric: bool) -> str:
    """Return the test set of a ranking, and its metric if the test sets have different ones."""
    test_set = ranking.test_set or ""
    metric = ranking.metric.heading.replace(f" ({test_set})", "", 1)
    return f"{name(test_set)} ({name(metric)})" if with_metric else name(test_set)


def _document(ranking: Ranking, medium: Medium, *, pairs: bool, details: bool) -> Document:
    title = f"{format_count(len(ranking.systems))} systems ranked by {name(ranking.metric.title)}"
    blocks = _on_a_terminal(ranking, pairs=pairs, details=details)
    return Document(plain(title), tuple(blocks if medium is Medium.TERMINAL else _blocks(ranking, medium, pairs=pairs)))


def _on_a_terminal(ranking: Ranking, *, pairs: bool, details: bool) -> Iterator[Block]:
    yield Paragraph(lead(ranking), leading=True)
    yield _systems_table(ranking, Medium.TERMINAL, details=details)
    if ranking.pairs and (pairs or (details and len(ranking.pairs) <= FEW_PAIRS)):
        yield _pairs_table(ranking, Medium.TERMINAL)
    elif details:
        yield Picture(matrix_figure(ranking))
    chosen = first_place(ranking)
    rest = [Fact("first place", chosen)] if chosen is not None else []
    rest += [Fact(label, sentence) for label, sentence in facts(ranking.findings)]
    rest += map(message, ranking.warnings)
    if ranking.emulated is not None:
        yield emulation_table(ranking, dash="-")
        rest.insert(0, Fact(ranking.emulated.tool, explain_emulation(ranking)))
    if details:
        yield Facts((Fact("group", explain_groups(ranking)), Fact("tier", explain_tiers(ranking)), *rest))
        yield Signature(ranking.signature, ranking.version)
    else:
        notes = (Fact(label, text) for label, text in short_notes(ranking))
        yield Facts((*notes, *rest, Fact("details", see_details())))


def _blocks(ranking: Ranking, medium: Medium, *, pairs: bool) -> Iterator[Block]:
    if medium is not Medium.PAPER:
        yield Paragraph(lead(ranking), leading=True)
    yield _systems_table(ranking, medium)
    if ranking.pairs and (pairs or (medium is Medium.MARKUP and len(ranking.pairs) <= FEW_PAIRS)):
        yield _pairs_table(ranking, medium)
    elif medium is Medium.PAGE and len(ranking.systems) <= MOST_DRAWN:
        yield Picture(score_figure(ranking))
    # In a paper the caption explains.
    notes = () if medium is Medium.PAPER else (explain_groups(ranking), explain_tiers(ranking))
    chosen = first_place(ranking)
    notes = notes if chosen is None else (chosen, *notes)
    notes = (*notes, *(sentence for _, sentence in facts(ranking.findings) if medium is not Medium.PAPER))
    if ranking.emulated is not None:
        yield emulation_table(ranking, dash="–" if medium in (Medium.PAPER, Medium.PAGE) else "-")
        notes = (*notes, explain_emulation(ranking))
    yield from [Notes(notes, ranking.warnings)] if notes or ranking.warnings else []
    yield Signature(ranking.signature, ranking.version)


def _systems_table(ranking: Ranking, medium: Medium, *, details: bool = True) -> Table:
    """Return the systems; without `details` only the columns that decide."""
    scores, systems = ranking.score_format, ranking.systems
    dash = "–" if medium in (Medium.PAPER, Medium.PAGE) else "-"
    columns = [
        ("rank", [rank_range(system.rank_low, system.rank_high, dash=dash) for system in systems], True),
        ("system", [name(system.name) for system in systems], False),
    ]
    fitted: tuple[int, ...] = (1,)
    if any(system.family is not None for system in systems):
        columns.append(("family", [name(system.family or "") for system in systems], False))
        # Long families are broken as well.
        fitted = (1, 2) if max(len(system.family or "") for system in systems) > 12 else (1,)
    columns += [
        (
            "score" if medium is Medium.TERMINAL else name(ranking.metric.heading),
            [scores.score(system.score) for system in systems],
            True,
        ),
        (
            interval_heading(ranking.systems[0].interval),
            [scores.scores(one.interval.low, one.interval.high) for one in systems],
            True,
        ),
    ]
    columns.append(("group", [system.group for system in systems], False))
    if medium is Medium.PAPER:
        return Table.of_columns(columns, title=f"Ranking by {about(ranking)}. {explain_groups(ranking)}")
    if medium is Medium.MARKUP or (medium is Medium.TERMINAL and systems[-1].cluster > 1):
        columns.append(("tier", [str(system.cluster) for system in systems], True))
    # Left out where names would be broken: families, and distances, which follow from the scores.
    spare: tuple[tuple[int, int], ...] = ((2, 2),) if columns[2][0] == "family" and not details else ()
    if details:
        spare += tuple((len(columns) + k, times) for k, times in ((0, 2), (1, 2), (2, 1)))
        to_next, to_best = zip(*distances(ranking), strict=True)
        columns += [
            ("to next", list(to_next), True),
            ("to best", list(to_best), True),
            ("P(best)", [share(ranking, system.p_best) for system in systems], True),
        ]
        if systems[0].is_overstated:
            spare += ((len(columns), 2),)
            columns.append(("as chosen", as_chosen(ranking), True))
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
            [pair_ends(one, scores) for one in pairs],
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
    # Columns that every other format has are left out first, if names have too little room.
    further = len(ranking.tests) - 1
    after = before + len(p_columns)
    order = (*range(before + 2, after - further), 3, after, *range(after - further, after))
    spare = tuple((place, 1) for place in order)
    return Table.of_columns(columns, title=ALL_PAIRS, fitted=(0, 1), spare=spare)
