"""HTML reports of rankings: the systems, their scores, and all pairs as a heat map, by gain, and in a table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from outscore.reports.documents import Notes, Paragraph, Signature, Table, plain
from outscore.reports.documents.layouts import chosen, facts_of
from outscore.reports.documents.rankings import (
    SYSTEMS_ON_A_PAGE,
    corrections_of,
    emulation_table,
    p_columns,
    pair_columns,
    places_of_groups,
    summary_document,
    system_columns,
)
from outscore.reports.figures import LETTER, Cell, Cells, Figure, p_levels
from outscore.reports.figures.rankings import (
    MOST_IN_MATRIX,
    gain_figure,
    matrix_figure,
    readable_pairs,
    score_figure,
)
from outscore.reports.html.blocks import block_contents, table_of
from outscore.reports.html.drawing import figure_drawing
from outscore.reports.html.elements import Content, Element, tag
from outscore.reports.html.explorers import choice, explored, sortable
from outscore.reports.html.forest import forest_figure
from outscore.reports.html.page import Chapter, Section, boxed, name_of, report_page, section, warned
from outscore.results import Correction, RankedPair, RankedSystem, Ranking
from outscore.text.naming import printable
from outscore.text.numbers import format_bracket, format_count
from outscore.words.rankings import (
    CELLS,
    CORRECTIONS,
    explain_emulation,
    first_place,
    how,
    lead,
    p_values,
    pair_sentence,
    pairs_shown,
    score_caption,
)
from outscore.words.rankings import (
    columns as explained_columns,
)

SCRIPTS = ("base.js", "tip.js", "explorer.js", "ranking.js")
STAR = tag("span", "\u00a0★", class_="star", title="not significantly worse than the best")

MARKS = ("·", "*", "**", "***")  # of levels, for readers who cannot distinguish shades
# Numbers of systems: cells have p-values up to the first, are small beyond the second, and have only shades beyond the
# last.
FEW, MANY, MOST = 14, 30, 70


def rankings_to_html(rankings: Sequence[Ranking], title: str | None = None) -> str:
    """Return rankings of the same systems, one per metric, as one self-contained HTML report.

    It loads nothing and never runs text of users. Without a script all tables and drawings are shown; with one they can
    be sorted, searched and pointed at. It has about 1 kB per pair.
    """
    first, before = rankings[0], list[Content]()
    metrics = ", ".join(printable(ranking.metric.title) for ranking in rankings)
    title = title or f"{format_count(len(first.systems))} systems ranked by {metrics}"
    if len(rankings) > 1:
        summary = summary_document(rankings)
        answer = [block_contents(block) for block in summary.blocks if isinstance(block, Paragraph | Notes)]
        tables = [table_of(block) for block in summary.blocks if isinstance(block, Table)]
        before.append(section("all", summary.title, answer[0], boxed(summary.title, tables), answer[1:]))
    return report_page(
        title,
        [_chapter(ranking, f"r{k}") for k, ranking in enumerate(rankings)],
        prefix="r",
        footer=f"Written by outscore {first.version}, seed {first.seed}.",
        scripts=SCRIPTS,
        before=before,
        links=[("all", "All metrics")],
    )


def _chapter(ranking: Ranking, prefix: str) -> Chapter:
    first, findings = first_place(ranking), [fact.text for fact in facts_of(ranking.findings)]
    lead_parts = [Paragraph(lead(ranking), leading=True), *map(Paragraph, (*([first] if first else []), *findings))]
    return Chapter(
        printable(ranking.metric.title),
        [*map(block_contents, lead_parts), warned(ranking.warnings)],
        list(_sections(ranking, prefix)),
        end=block_contents(Signature(ranking.signature)),
    )


def _sections(ranking: Ranking, prefix: str) -> Iterator[Section]:
    scores = score_figure(ranking)
    yield Section("systems", "Systems", [_systems(ranking), _explanation(ranking)], "below")
    yield Section("scores", scores.title, forest_figure(scores, score_caption(ranking)), "beside", "Scores")
    if ranking.pairs:
        matrix, gains = matrix_figure(ranking), gain_figure(ranking, ranking.correction)
        # Both figures have the correction of the letters and stars, until a reader chooses another one for both.
        correction = tag("span", f"{p_values(ranking.correction)}.", data_correction="")
        switch, points = (
            correction_switch(ranking, prefix),
            figure_drawing(replace(gains, notes=()), f"{prefix}-points"),
        )
        yield Section("gains", gains.title, [switch, points, tag("p", correction, class_="note")], "beside", "Gains")
        heat, caption = heat_figure(matrix, f"{prefix}-heat"), tag("p", f"{CELLS} ", correction, class_="note")
        broad = "broad" if len(ranking.systems) > FEW else None
        yield Section("p", matrix.title, [heat, caption], "beside", "p-values", broad)
        yield _pairs(ranking, prefix)
    if ranking.emulated is not None:
        emulated = emulation_table(ranking)
        explanation = block_contents(Paragraph(explain_emulation(ranking)))
        yield Section("emulated", ranking.emulated.tool, [boxed(emulated.title, [table_of(emulated)]), explanation])


def _systems(ranking: Ranking) -> Element:
    def system(ranked: RankedSystem) -> Element:
        star = STAR if ranked.among_best else None
        return tag("th", tag("span", name_of(printable(ranked.name)), star, class_="name"), scope="row")

    def group(ranked: RankedSystem) -> Element:
        return tag("td", _letters(ranked.group), class_="groups", data_value=places[ranked.name])

    places = places_of_groups(ranking)
    shown = [column for column in chosen(system_columns(ranking), SYSTEMS_ON_A_PAGE) if column.shown]
    return boxed("Systems", sortable(shown, ranking.systems, {"system": system, "group": group}))


def _letters(group: str) -> Content:
    """Return letters with possible line breaks between them, but not before the number of one."""
    return [[tag("wbr") if k else None, letter] for k, letter in enumerate(LETTER.findall(group))]


def _explanation(ranking: Ranking) -> Element:
    return tag(
        "details",
        tag("summary", "Meaning of the columns"),
        tag("ul", [tag("li", item) for item in explained_columns(ranking)]),
        class_="printed",
    )


def correction_switch(ranking: Ranking, prefix: str) -> Element:
    """Return the switch between corrections of the figures of pairs, for a script."""
    options = [(correction.value, CORRECTIONS[correction]) for correction in corrections_of(ranking)]
    switch = choice("Correction", f"{prefix}-correction", options, ranking.correction.value, "corrections")
    return tag("div", switch, class_="tools scripted", hidden=True)


def heat_figure(figure: Figure, identifier: str) -> Content:
    """Return a matrix with its legend. Rows are the better, columns the worse system of a pair."""
    matrix = figure.cells or Cells((), (), (), "", 0)
    names = matrix.names
    plain = len(names) <= FEW
    columns = [tag("th", tag("span", name), scope="col", title=name) for name in names[1:]]
    cells: list[list[Cell]] = [[] for _ in names]
    for cell in sorted(matrix.cells, key=lambda cell: cell.column):
        cells[cell.row].append(cell)
    rows = []
    for i, name in enumerate(names[:-1]):
        # Names are beside the diagonal. In narrow windows they are at the left, and stay in sight.
        head = tag("th", tag("span", name), scope="row", title=name)
        beside = tag("td", tag("span", name), class_="beside-diagonal", aria_hidden="true", colspan=i + 1)
        row = [
            tag("td", cell.said if plain else MARKS[cell.level], class_=f"l{cell.level}", data_pair=cell.place)
            for cell in cells[i]
        ]
        rows.append(tag("tr", head, beside, row))
    size = "plain-p" if plain else "marks" + " dense" * (len(names) > MANY) + " tiny" * (len(names) > MOST)
    table = tag(
        "table",
        tag("caption", "p-values of all pairs, the better system to the left", class_="unseen"),
        tag("thead", tag("tr", tag("td"), tag("td"), columns)),
        tag("tbody", rows),
        class_=f"heat {size}",
        id=identifier,
    )
    return [_legend(matrix), boxed(figure.title, table, class_="heat-box")]


def _legend(matrix: Cells) -> Element:
    return tag(
        "ul",
        [tag("li", tag("i", MARKS[k], class_=f"l{k}"), text) for k, text in enumerate(matrix.levels)],
        class_="legend levels",
    )


# Headings of the table of pairs, by the key of the column.
_SHORT = {"candidate": "better", "baseline": "worse", "interval": "interval", Correction.BH.value: "p (BH)"}


def _pairs(ranking: Ranking, prefix: str) -> Section:
    """Return the pairs as a table to sort and search, with what a script shows of each."""
    pairs, scores, declared = readable_pairs(ranking), ranking.score_format, pair_columns(ranking, " / ")
    keys = ["candidate", "baseline", "gain", "interval", "p_win", *p_columns(ranking, ranking.correction), "outcomes"]
    keys.append("family")
    shown = [key for key in keys if declared[key].shown and any(map(declared[key].cell, pairs))]
    places = {system.name: i for i, system in enumerate(ranking.systems)}
    score_of = {system.name: system.score for system in ranking.systems}
    title = "All pairs" if len(pairs) == len(ranking.pairs) else "Pairs"
    note = None
    if len(pairs) < len(ranking.pairs):
        note = tag("p", pairs_shown(len(pairs), len(ranking.pairs), MOST_IN_MATRIX), class_="note")
    more = {
        "rows": [places[pair.candidate] for pair in pairs],
        "others": [places[pair.baseline] for pair in pairs],
        "sentences": [plain(pair_sentence(ranking, pair, scores, score_of)) for pair in pairs],
        "ends": [_ends(pair) for pair in pairs],
        "how": [how(ranking, pair) for pair in pairs],
        "brackets": [_bracket(pair, ranking.alpha) for pair in pairs],
        "corrections": [
            {
                "key": correction.value,
                "name": CORRECTIONS[correction],
                "said": f"{p_values(correction)}.",
                "column": shown.index(correction.value),
            }
            for correction in corrections_of(ranking)
        ],
        "correction": ranking.correction.value,
        "bounds": list(p_levels(ranking.alpha)),
        "marks": list(MARKS),
    }
    columns = [replace(declared[key], heading=_SHORT.get(key, declared[key].heading)) for key in shown]
    table = explored(title, columns, pairs, f"{prefix}-data", "pairs", more)
    return Section("pairs", title, [note, list(table)])


def _ends(pair: RankedPair) -> list[float | None]:
    """Return the interval of a gain, with the gain between its ends; it is left out if another quantity is tested."""
    low, high = (None, None) if pair.sign is not None else (pair.interval.low, pair.interval.high)
    return [end if end is not None and math.isfinite(end) else None for end in (low, pair.gain, high)]


def _bracket(pair: RankedPair, alpha: float) -> str:
    if pair.computation == "asymptotic" and pair.p_beats is None:
        return ""
    return format_bracket(pair.p_value_low, pair.p_value, pair.p_value_high, alpha, bound=pair.exact)
