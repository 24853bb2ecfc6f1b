"""The documents of rankings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from operator import itemgetter

from outscore.reports.documents import (
    Block,
    Document,
    Fact,
    Facts,
    Notes,
    Paragraph,
    Picture,
    Signature,
    Table,
    message,
    name,
)
from outscore.reports.documents.layouts import (
    Column,
    Layout,
    Write,
    chosen,
    counts,
    facts_of,
    joined,
    known_fact,
    names,
    numbers,
    table,
)
from outscore.reports.figures import LETTER
from outscore.reports.figures.rankings import matrix_figure, score_figure
from outscore.results import Correction, RankedPair, RankedSystem, Ranking, format_corrected_p
from outscore.results.rankings import EmulatedSystem
from outscore.text.naming import printable
from outscore.text.numbers import format_count, format_p, format_share
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
    ranking_test,
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


def places_of_groups(ranking: Ranking) -> dict[str, int]:
    """Return, by the names of systems, the places of their letters in the order of letters: a1 comes after z."""
    keys = {
        system.name: [(int(letter[1:] or 0), letter[0]) for letter in LETTER.findall(system.group)]
        for system in ranking.systems
    }
    order = sorted(keys.values())
    return {system: order.index(key) for system, key in keys.items()}


def rank_range(low: int, high: int) -> str:
    """Return a rank interval: "3–6", or "51" for a single rank."""
    return str(low) if low == high else f"{low}–{high}"


def share(ranking: Ranking, probability: float) -> str:
    """Return P(best) in per cent: below 1/r if it was found in none of r resamples, above 1 - 1/r if in all."""
    r = ranking.n_resamples
    if len(ranking.systems) == 1 or 1e-9 < probability < 1 - 1e-9:
        return format_share(round(probability * 10**9), 10**9)
    return f"<{format_share(1, r).lstrip('<')}" if probability < 0.5 else f">{format_share(r - 1, r).lstrip('>')}"


def summary_document(rankings: Sequence[Ranking], *, brief: bool = False, commands: bool = False) -> Document:
    """Return the document of each system's score and ranks by every metric.

    It is `brief` if no other document follows: then it has the warnings of the rankings. With `commands` it names the
    option that shows more, in place of the signatures.
    """
    by_name = [{system.name: system for system in ranking.systems} for ranking in rankings]
    formats = [ranking.score_format for ranking in rankings]
    first = rankings[0]
    cells = [
        [
            (scores.score(same.score), rank_range(same.rank_low, same.rank_high))
            for same in (systems_by_name[system.name] for system in first.systems)
        ]
        for systems_by_name, scores in zip(by_name, formats, strict=True)
    ]
    what = "dataset" if _by_test_set(rankings) else "metric"
    called, measures = [name(system.name) for system in first.systems], measures_of(rankings)
    sentence, explained = summary(rankings, what), explain_summary(rankings)
    if what == "dataset" and len(called) < len(rankings):
        rows, headings = cells, called
        called = measures
    else:
        rows, headings = [list(of_system) for of_system in zip(*cells, strict=True)], measures
        what = "system"
    texts = [(first_cell, *chain.from_iterable(row)) for first_cell, row in zip(called, rows, strict=True)]
    under = [heading for measure in headings for heading in (measure, "ranks")]
    columns = [numbers(heading, itemgetter(number)) for number, heading in enumerate(under, 1)]
    shown = table(texts, [Column(what, itemgetter(0)), *columns], title=f"{sentence} {explained}", folded=2)
    of_metrics = [(name(ranking.metric.title), text) for ranking in rankings for text in ranking.warnings]
    warnings = tuple(type(text)(f"{metric}: {text}") for metric, text in of_metrics)
    blocks: list[Block] = [Paragraph(sentence, leading=True), shown]
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


_SYSTEMS = "rank system family score interval group other_tier"
_SYSTEMS_IN_FULL = f"{_SYSTEMS} to_next to_best p_best as_chosen"
_SYSTEMS_IN_MARKUP = "rank system family metric interval group tier to_next to_best p_best as_chosen"
_SYSTEMS_IN_A_PAPER = "rank system family metric interval group"
SYSTEMS_ON_A_PAGE = "rank system metric interval group other_tier family to_next to_best p_best as_chosen"


def system_columns(ranking: Ranking) -> Mapping[str, Column[RankedSystem]]:
    """Return the columns of tables of systems."""
    scores, systems = ranking.score_format, ranking.systems
    first, last, families = systems[0], systems[-1], [system.family for system in systems]
    places = cache(partial(places_of_groups, ranking))
    # Long families are broken as well.
    long = max(len(family or "") for family in families) > 12
    score: Column[RankedSystem] = numbers(
        "", lambda system: scores.score(system.score), value=lambda system: system.score
    )
    tier: Column[RankedSystem] = counts(
        "tier", lambda system: system.cluster, value=lambda system: system.cluster, ascending=True
    )
    return {
        "rank": numbers(
            "rank",
            lambda system: rank_range(system.rank_low, system.rank_high),
            value=lambda system: system.rank,
            ascending=True,
        ),
        "system": names("system", lambda system: system.name),
        "family": names(
            "family",
            lambda system: system.family,
            fitted=long,
            shown=any(f is not None for f in families),
            gives_way=5,
        ),
        "score": replace(score, heading="score"),
        "metric": replace(score, heading=name(ranking.metric.heading)),
        "interval": numbers(
            interval_heading(ranking.systems[0].interval),
            lambda system: scores.scores(system.interval.low, system.interval.high),
            value=lambda system: system.interval.low,
        ),
        "group": Column("group", lambda system: system.group, value=lambda system: places()[system.name]),
        "tier": tier,
        "other_tier": replace(tier, shown=ranking.systems[-1].cluster > 1),
        "to_next": numbers(
            "to next",
            lambda system: "" if system is last else scores.gain(system.gain_to_next),
            value=lambda system: system.gain_to_next,
            gives_way=1,
        ),
        "to_best": numbers(
            "to best",
            lambda system: "" if system is first else scores.gain(-system.gain_to_best),
            value=lambda system: -system.gain_to_best,
            gives_way=2,
        ),
        "p_best": numbers(
            "P(best)",
            lambda system: share(ranking, system.p_best),
            value=lambda system: system.p_best,
            gives_way=3,
        ),
        "as_chosen": numbers(
            "as chosen",
            lambda system: as_chosen(ranking, system),
            value=lambda system: system.score,
            shown=bool(ranking.systems[0].is_overstated),
            gives_way=4,
        ),
    }


def _systems_table(ranking: Ranking, columns: str, title: str = "") -> Table:
    shown = chosen(system_columns(ranking), columns)
    return table(ranking.systems, shown, parted=lambda system: system.cluster, title=title)


_FAMILY = {True: "same", False: "different", None: "not known"}


def pair_columns(ranking: Ranking, between: str = "/") -> Mapping[str, Column[RankedPair]]:
    """Return the columns of tables of pairs, with `between` numbers of wins, ties and losses.

    Columns of p-values have the keys of their corrections, those of further tests the names of these.
    """
    scores, alpha = ranking.score_format, ranking.alpha
    has_families = any(pair.same_family is not None for pair in ranking.pairs)
    kept = corrections_of(ranking, plain=False)[0]  # the one that stays where there is little room

    def corrected(correction: Correction) -> Column[RankedPair]:
        return numbers(
            "p" if correction is Correction.NONE else f"p ({CORRECTIONS[correction]})",
            lambda pair: format_corrected_p(ranking, pair, correction),
            value=lambda pair: 1.0 if pair.opposed else pair.corrected(correction),
            ascending=True,
            gives_way=0 if correction is kept else 4 if correction is Correction.NONE else 1,
        )

    def other(test: str) -> Column[RankedPair]:
        return numbers(
            f"p ({name(test)})",
            lambda pair: format_p(pair.other_p_values[test], alpha),
            value=lambda pair: pair.other_p_values[test],
            ascending=True,
            gives_way=3,
        )

    return {
        "candidate": names("candidate", lambda pair: pair.candidate),
        "baseline": names("baseline", lambda pair: pair.baseline),
        "gain": numbers("gain", lambda pair: scores.gain(pair.gain), value=lambda pair: pair.gain),
        "interval": numbers(
            interval_heading(ranking.systems[0].interval),
            lambda pair: pair_ends(pair, scores),
            value=lambda pair: pair.interval.low,
        ),
        "p_win": numbers(
            "P(win)",
            lambda pair: "" if pair.p_beats is None else f"{pair.p_beats:.3f}",
            value=lambda pair: pair.p_beats,
            shown=ranking.of_battles,
        ),
        **{correction.value: corrected(correction) for correction in corrections_of(ranking)},
        **{test: other(test) for test in ranking.tests[1:]},
        "outcomes": numbers(
            "W/T/L",
            lambda pair: "" if pair.wins is None else f"{pair.wins}{between}{pair.ties}{between}{pair.losses}",
            value=lambda pair: None if pair.wins is None or pair.losses is None else pair.wins - pair.losses,
            gives_way=2,
        ),
        "family": Column("family", lambda pair: _FAMILY[pair.same_family], shown=has_families),
    }


def p_columns(ranking: Ranking, first: Correction) -> list[str]:
    """Return the keys of the columns of p-values, those of a correction first."""
    corrections = sorted(corrections_of(ranking), key=lambda correction: correction is not first)
    return [*(correction.value for correction in corrections), *ranking.tests[1:]]


def _pairs_table(ranking: Ranking, *, paper: bool = False, markup: bool = False) -> Table:
    columns = pair_columns(ranking)
    p_values = p_columns(ranking, Correction.NONE)
    keys = ["candidate", "baseline", "gain", "interval", "p_win", *p_values, *([] if paper else ["outcomes"])]
    columns = {**columns, "outcomes": replace(columns["outcomes"], number=not markup)}
    return table(ranking.pairs, [columns[key] for key in keys], title=ALL_PAIRS)


def _in_brief(ranking: Ranking, *, pairs: bool) -> Iterator[Block | Fact]:
    yield Paragraph(lead(ranking), leading=True)
    yield _systems_table(ranking, _SYSTEMS)
    if ranking.pairs and pairs:
        yield _pairs_table(ranking)
    emulated = _emulated(ranking)
    yield from emulated[:1]
    yield from (Fact(label, text) for label, text in short_notes(ranking))
    yield from (*emulated[1:], *_facts(ranking), Fact("details", see_details()))


def _in_full(ranking: Ranking, *, pairs: bool) -> Iterator[Block | Fact]:
    yield Paragraph(lead(ranking), leading=True)
    yield _systems_table(ranking, _SYSTEMS_IN_FULL)
    listed = ranking.pairs and (pairs or len(ranking.pairs) <= FEW_PAIRS)
    yield _pairs_table(ranking) if listed else Picture(matrix_figure(ranking))
    emulated = _emulated(ranking)
    yield from emulated[:1]
    yield from (Fact("group", explain_groups(ranking)), Fact("tier", explain_tiers(ranking)))
    yield from (*emulated[1:], *_facts(ranking))
    yield Signature(ranking.signature, ranking.version)


def _emulated(ranking: Ranking) -> tuple[Block | Fact, ...]:
    """Return what another tool concludes, as a table and a fact."""
    if ranking.emulated is None:
        return ()
    return emulation_table(ranking), Fact(ranking.emulated.tool, explain_emulation(ranking))


def _facts(ranking: Ranking) -> Iterator[Fact]:
    yield from known_fact("first place", first_place(ranking))
    yield from facts_of(ranking.findings)
    yield from map(message, ranking.warnings)


def _in_markup(ranking: Ranking, *, pairs: bool) -> Iterator[Block | Fact]:
    yield Paragraph(lead(ranking), leading=True)
    yield _systems_table(ranking, _SYSTEMS_IN_MARKUP)
    if ranking.pairs and (pairs or len(ranking.pairs) <= FEW_PAIRS):
        yield _pairs_table(ranking, markup=True)
    yield from _notes(ranking, explain_groups(ranking), explain_tiers(ranking))


def _in_a_paper(ranking: Ranking, *, pairs: bool) -> Iterator[Block | Fact]:
    title = f"Ranking by {about(ranking)} ({ranking_test(ranking)}). {explain_groups(ranking)}"
    yield _systems_table(ranking, _SYSTEMS_IN_A_PAPER, title)
    if ranking.pairs and pairs:
        yield _pairs_table(ranking, paper=True)
    yield from _notes(ranking)


def _on_a_page(ranking: Ranking, *, pairs: bool) -> Iterator[Block | Fact]:
    yield Paragraph(lead(ranking), leading=True)
    yield _systems_table(ranking, SYSTEMS_ON_A_PAGE)
    if ranking.pairs and pairs:
        yield _pairs_table(ranking, markup=True)
    elif len(ranking.systems) <= MOST_DRAWN:
        yield Picture(score_figure(ranking))
    yield from _notes(ranking, explain_groups(ranking), explain_tiers(ranking))


def _notes(ranking: Ranking, *explanations: str) -> Iterator[Block]:
    """Yield the notes and the signature. In a paper the caption explains, and no finding is a note."""
    texts = [fact.text for fact in facts_of(ranking.findings)] if explanations else []
    emulated = [] if ranking.emulated is None else [explain_emulation(ranking)]
    if ranking.emulated is not None:
        yield emulation_table(ranking)
    notes = (*filter(None, [first_place(ranking)]), *explanations, *texts, *emulated)
    if notes or ranking.warnings:
        yield Notes(notes, ranking.warnings)
    yield Signature(ranking.signature, ranking.version)


def _each(rankings: Sequence[Ranking], write: Callable[..., Iterator[Block | Fact]], *, pairs: bool) -> list[Document]:
    """Return a document for each ranking."""
    documents = []
    for ranking in rankings:
        title = f"{format_count(len(ranking.systems))} systems ranked by {printable(ranking.metric.title)}"
        documents.append(Document(title, tuple(joined(write(ranking, pairs=pairs)))))
    return documents


def _summarized(write: Callable[..., Iterator[Block | Fact]], **brief: bool) -> Write:
    """Return what writes rankings on several metrics after their summary, or in brief only the summary."""

    def documents(rankings: Sequence[Ranking], *, pairs: bool) -> list[Document]:
        if len(rankings) == 1:
            return _each(rankings, write, pairs=pairs)
        if brief and not pairs:
            return [summary_document(rankings, **brief)]
        return [summary_document(rankings), *_each(rankings, write, pairs=pairs)]

    return documents


RANKINGS = Layout(
    terminal=_summarized(_in_brief, brief=True, commands=True),
    details=_summarized(_in_full),
    markup=_summarized(_in_markup),
    paper=lambda rankings, *, pairs: _each(rankings, _in_a_paper, pairs=pairs),
    page=_summarized(_on_a_page, brief=True),
)


def emulation_table(ranking: Ranking) -> Table:
    """Return the table of WMT's papers, with what the emulated rule concludes in its last columns."""
    emulated, n = ranking.emulated, len(ranking.systems)
    assert emulated is not None
    tool, shown = emulated.tool, system_columns(ranking)

    def of_rule(heading: str, cell: Callable[[EmulatedSystem], str]) -> Column[RankedSystem]:
        cells = {system.name: cell(system) for system in emulated.systems}
        return numbers(f"{tool}: {heading}", lambda system: cells[system.name])

    columns = [
        *chosen(shown, "rank system score"),
        numbers("wins/losses", lambda system: f"{n - system.rank_high}/{system.rank_low - 1}"),
        shown["tier"],
        of_rule("rank", lambda system: rank_range(system.rank_low, system.rank_high)),
        of_rule("W/L", lambda system: f"{system.wins}/{system.losses}"),
        of_rule("tier", lambda system: str(system.tier)),
    ]
    title = emulation_title(ranking)
    return table(ranking.systems, columns, parted=lambda system: system.cluster, title=title)
