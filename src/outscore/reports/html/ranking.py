"""HTML reports of rankings: the systems, their scores, and all pairs as a heat map, by gain, and in a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from outscore.reports.documents import Notes, Paragraph, Signature, Table, plain
from outscore.reports.documents.rankings import (
    corrections_of,
    distances,
    emulation_table,
    places_of_groups,
    rank_range,
    share,
    summary_document,
)
from outscore.reports.figures import LETTER, Cell, Cells, Figure, p_levels
from outscore.reports.figures.rankings import (
    MOST_IN_MATRIX,
    gain_figure,
    matrix_figure,
    readable_pairs,
    score_figure,
)
from outscore.reports.html.blocks import block_contents, filterable, table_of
from outscore.reports.html.drawing import figure_drawing
from outscore.reports.html.elements import Content, Element, data_block, tag
from outscore.reports.html.forest import fits_beside, forest_figure
from outscore.reports.html.page import boxed, explorer, name_of, page, search, section, warned
from outscore.results import Correction, RankedPair, Ranking, format_corrected_p
from outscore.results.findings import facts
from outscore.text.naming import printable
from outscore.text.numbers import format_bracket, format_count, format_p
from outscore.words.comparisons import interval_heading
from outscore.words.rankings import (
    CORRECTIONS,
    as_chosen,
    columns,
    explain_emulation,
    first_place,
    heat_caption,
    how,
    lead,
    pair_ends,
    pair_sentence,
    pairs_shown,
    score_caption,
)

SCRIPTS = ("base.js", "tip.js", "explorer.js", "ranking.js")
STAR = tag("span", "\u00a0★", class_="star", title="not significantly worse than the best")

MARKS = ("·", "*", "**", "***")  # of levels, for readers who cannot distinguish shades
# Numbers of systems: cells have p-values up to the first, are small beyond the second, and have only shades beyond the
# last.
FEW, MANY, MOST = 14, 30, 70
ON_A_PAGE = 50


def rankings_to_html(rankings: Sequence[Ranking], title: str | None = None) -> str:
    """Return rankings of the same systems, one per metric, as one self-contained HTML report.

    Returns
    -------
    str
        HTML that loads nothing and never runs text of users. Without a script all tables and drawings are shown; with
        one they can be sorted, searched and pointed at. About 1 kB per pair.
    """
    several = len(rankings) > 1
    first = rankings[0]
    count = format_count(len(first.systems))
    metrics = ", ".join(printable(ranking.metric.title) for ranking in rankings)
    title = title or f"{count} systems ranked by {metrics}"
    contents: list[Content] = [tag("h1", title)]
    if several:
        summary = summary_document(rankings)
        said = [block_contents(block) for block in summary.blocks if isinstance(block, Paragraph | Notes)]
        tables = [table_of(block) for block in summary.blocks if isinstance(block, Table)]
        contents.append(section("all", summary.title, said[0], boxed(summary.title, tables), said[1:]))
    for k, ranking in enumerate(rankings):
        parts = _parts(ranking, f"r{k}", level=3 if several else 2)
        if several:
            contents.append(section(f"r{k}", printable(ranking.metric.title), *parts, class_="paired"))
        else:
            contents.append(tag("article", *parts, id=f"r{k}", class_="paired"))
    contents.append(tag("footer", f"Written by outscore {first.version}, seed {first.seed}."))
    sections = (
        [("all", "All metrics"), *((f"r{k}", printable(ranking.metric.title)) for k, ranking in enumerate(rankings))]
        if several
        else [
            ("r0-systems", "Systems"),
            ("r0-scores", "Scores"),
            *(
                [("r0-p", "p-values"), ("r0-gains", "Gains"), ("r0-pairs", "All pairs")]
                if len(first.systems) > 1
                else []
            ),
        ]
    )
    return page(title, contents, sections=sections, scripts=SCRIPTS)


def _parts(ranking: Ranking, prefix: str, *, level: int) -> list[Content]:
    scores = score_figure(ranking)
    # On wide screens the systems are beside their scores, and the heat map beside the gains.
    left, right = ("left", "right") if fits_beside(scores) else (None, None)
    side = "left" if len(ranking.systems) <= MANY else ""
    broad = f"{side} broad".lstrip() if len(ranking.systems) > FEW else side
    drawn = forest_figure(scores, score_caption(ranking))
    parts: list[Content] = [
        block_contents(Paragraph(lead(ranking), leading=True)),
        *(block_contents(Paragraph(sentence)) for sentence in [first_place(ranking)] if sentence is not None),
        *(block_contents(Paragraph(sentence)) for _, sentence in facts(ranking.findings)),
        warned(ranking.warnings),
        section(f"{prefix}-systems", "Systems", _systems(ranking), _explanation(ranking), level=level, class_=left),
        section(f"{prefix}-scores", scores.title, drawn, level=level, class_=right),
    ]
    if ranking.pairs:
        matrix, gains, view = matrix_figure(ranking), gain_figure(ranking), PairsView(ranking, prefix)
        switches = [
            correction_switch(ranking, f"{prefix}-heat", ranking.correction),
            # BK12's p-values are uncorrected; a script moves the marks for other ones.
            correction_switch(ranking, f"{prefix}-gains", Correction.NONE),
        ]
        caption = tag("p", heat_caption(ranking.correction), class_="note", data_caption="")
        heat = [switches[0], heat_figure(matrix, f"{prefix}-heat"), caption]
        points = [switches[1], figure_drawing(gains, f"{prefix}-points")]
        parts += [
            section(f"{prefix}-p", matrix.title, heat, level=level, class_=broad),
            section(f"{prefix}-gains", gains.title, points, level=level, class_="right" if side else None),
            section(f"{prefix}-pairs", view.title, *view.contents(), level=level),
        ]
    if ranking.emulated is not None:
        emulated = emulation_table(ranking, dash="–")
        said = block_contents(Paragraph(explain_emulation(ranking)))
        parts.append(
            section(f"{prefix}-emulated", ranking.emulated.tool, boxed(emulated.title, [table_of(emulated)]), said)
        )
    parts.append(block_contents(Signature(ranking.signature)))
    return parts


def _systems(ranking: Ranking) -> Element:
    families = any(system.family is not None for system in ranking.systems)
    tiers = ranking.systems[-1].cluster > 1
    heads: list[tuple[str, str, str | None]] = [
        ("rank", "number", "ascending"),
        ("system", "text", None),
        (printable(ranking.metric.heading), "number", None),
        (interval_heading(ranking.systems[0].interval), "number", None),
        ("group", "text", None),
        *([("tier", "number", "ascending")] if tiers else []),
        *([("family", "text", None)] if families else []),
        ("to next", "number", None),
        ("to best", "number", None),
        ("P(best)", "number", None),
        *([("as chosen", "number", None)] if ranking.systems[0].is_overstated else []),
    ]
    rows = _rows(ranking, families=families, tiers=tiers)
    head = [
        tag(
            "th",
            name,
            scope="col",
            class_=kind,
            data_first=first,
            data_sorted="ascending" if name == "rank" else None,
        )
        for name, kind, first in heads
    ]
    class_ = f"sortable systems{filterable(len(ranking.systems))}"
    return boxed("Systems", tag("table", tag("thead", tag("tr", head)), tag("tbody", rows), class_=class_))


def _rows(ranking: Ranking, *, families: bool, tiers: bool) -> Iterator[Element]:
    scores = ranking.score_format
    for system, (to_next, to_best), place, chosen in zip(
        ranking.systems, distances(ranking), places_of_groups(ranking), as_chosen(ranking), strict=True
    ):
        star = STAR if system.among_best else None
        yield tag(
            "tr",
            _number(rank_range(system.rank_low, system.rank_high, dash="–"), system.rank),
            tag(
                "th",
                tag("span", name_of(printable(system.name)), star, class_="name"),
                scope="row",
            ),
            _number(scores.score(system.score), system.score),
            _number(scores.scores(system.interval.low, system.interval.high), system.interval.low),
            tag("td", _letters(system.group), class_="groups", data_value=place),
            _number(format_count(system.cluster), system.cluster) if tiers else None,
            tag("td", name_of(printable(system.family or ""))) if families else None,
            _number(to_next, system.gain_to_next),
            _number(to_best, -system.gain_to_best),
            _number(share(ranking, system.p_best), system.p_best),
            _number(chosen, system.score) if ranking.systems[0].is_overstated else None,
        )


def _letters(group: str) -> Content:
    """Return letters with possible line breaks between them, but not before the number of one."""
    return [[tag("wbr") if k else None, letter] for k, letter in enumerate(LETTER.findall(group))]


def _number(text: str, value: float) -> Element:
    data = repr(value).replace("inf", "Infinity") if text else None
    return tag("td", text, class_="number", data_value=data)


def _explanation(ranking: Ranking) -> Element:
    return tag(
        "details",
        tag("summary", "Meaning of the columns"),
        tag("ul", [tag("li", item) for item in columns(ranking)]),
        class_="printed",
    )


def correction_switch(ranking: Ranking, prefix: str, chosen: Correction) -> Element:
    """Return the switch between corrections of one figure, for a script."""
    options = [
        tag(
            "label",
            tag(
                "input", type="radio", name=f"{prefix}-correction", value=correction.value, checked=correction == chosen
            ),
            tag("span", CORRECTIONS[correction]),
        )
        for correction in corrections_of(ranking)
    ]
    choice = tag("fieldset", tag("legend", "Correction"), options, class_="choice corrections")
    return tag("div", choice, class_="tools scripted", hidden=True)


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


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the table of pairs: its text, and the number by which it is sorted."""

    title: str
    kind: str
    text: Callable[[RankedPair], str]
    value: Callable[[RankedPair], float | None] | None = None
    low: bool = False  # whether it is first sorted with small numbers on top


class PairsView:
    """The pairs of one ranking."""

    def __init__(self, ranking: Ranking, prefix: str) -> None:
        self.ranking, self.prefix = ranking, prefix
        self.pairs = readable_pairs(ranking)
        self.scores = ranking.score_format
        self.corrections = corrections_of(ranking)
        self.columns = list(self._columns())

    @property
    def title(self) -> str:
        return "All pairs" if len(self.pairs) == len(self.ranking.pairs) else "Pairs"

    def contents(self) -> Iterator[Content]:
        """Yield the contents of the section of pairs."""
        if len(self.pairs) < len(self.ranking.pairs):
            said = pairs_shown(len(self.pairs), len(self.ranking.pairs), MOST_IN_MATRIX)
            yield tag("p", said, class_="note")
        yield self._explorer()
        yield data_block(f"{self.prefix}-data", self._data())
        yield tag("noscript", self._plain())

    def _columns(self) -> Iterator[_Column]:
        ranking, scores, alpha = self.ranking, self.scores, self.ranking.alpha
        yield _Column("better", "text", lambda pair: printable(pair.candidate))
        yield _Column("worse", "text", lambda pair: printable(pair.baseline))
        yield _Column("gain", "number", lambda pair: scores.gain(pair.gain), lambda pair: _finite(pair.gain))
        yield _Column(
            "interval",
            "number",
            lambda pair: pair_ends(pair, scores),
            lambda pair: _finite(pair.interval.low),
        )
        if ranking.of_battles:
            yield _Column("P(win)", "number", lambda pair: f"{pair.p_beats:.3f}", lambda pair: pair.p_beats)
        for correction in self.corrections:
            yield _p_column(ranking, correction)
        for test in ranking.tests[1:]:
            yield _other_column(f"p ({test})", alpha, test)
        if any(pair.wins is not None for pair in self.pairs):
            yield _Column("W/T/L", "number", _outcomes, _surplus)
        if any(pair.same_family is not None for pair in self.pairs):
            yield _Column("family", "text", lambda pair: _FAMILY[pair.same_family])

    def _data(self) -> dict[str, Any]:
        ranking, scores = self.ranking, self.scores
        place = {system.name: i for i, system in enumerate(ranking.systems)}
        of = {system.name: system.score for system in ranking.systems}
        titles = [column.title for column in self.columns]
        pairs = self.pairs
        return {
            "columns": [{"title": column.title, "kind": column.kind, "low": column.low} for column in self.columns],
            "cells": [[column.text(pair) for pair in pairs] for column in self.columns],
            "values": [None if column.value is None else list(map(column.value, pairs)) for column in self.columns],
            "rows": [place[pair.candidate] for pair in pairs],
            "others": [place[pair.baseline] for pair in pairs],
            "sentences": [plain(pair_sentence(ranking, pair, scores, of)) for pair in pairs],
            "ends": [
                [None, _finite(pair.gain), None]
                if pair.sign is not None  # the interval is not of what the test tests
                else [_finite(pair.interval.low), _finite(pair.gain), _finite(pair.interval.high)]
                for pair in pairs
            ],
            "how": [how(ranking, pair) for pair in pairs],
            "brackets": [_bracket(pair, ranking.alpha) for pair in pairs],
            "corrections": [
                {
                    "key": correction.value,
                    "name": CORRECTIONS[correction],
                    "said": heat_caption(correction),
                    "column": titles.index(_title(correction)),
                }
                for correction in self.corrections
            ],
            "correction": ranking.correction.value,
            "bounds": list(p_levels(ranking.alpha)),
            "marks": list(MARKS),
        }

    def _explorer(self) -> Element:
        return explorer(
            self.title,
            [(column.title, column.kind) for column in self.columns],
            source=f"{self.prefix}-data",
            size=ON_A_PAGE,
            tools=search(f"{self.prefix}-search", "names of systems"),
            class_="pairs",
        )

    def _plain(self) -> Element:
        head = [tag("th", column.title, scope="col", class_=column.kind) for column in self.columns]
        rows = [
            tag("tr", [tag("td", column.text(pair), class_=column.kind) for column in self.columns])
            for pair in self.pairs
        ]
        return boxed(self.title, tag("table", tag("thead", tag("tr", head)), tag("tbody", rows)))


_FAMILY = {True: "same", False: "different", None: "not known"}


def _title(correction: Correction) -> str:
    short = {Correction.NONE: "p", Correction.BH: "p (BH)"}
    return short.get(correction, f"p ({CORRECTIONS[correction]})")


def _p_column(ranking: Ranking, correction: Correction) -> _Column:
    return _Column(
        _title(correction),
        "number",
        lambda pair: format_corrected_p(ranking, pair, correction),
        lambda pair: 1.0 if pair.opposed else _finite(pair.corrected(correction)),
        low=True,
    )


def _other_column(title: str, alpha: float, test: str) -> _Column:
    return _Column(
        title,
        "number",
        lambda pair: format_p(pair.other_p_values[test], alpha),
        lambda pair: _finite(pair.other_p_values[test]),
        low=True,
    )


def _bracket(pair: RankedPair, alpha: float) -> str:
    if pair.computation == "asymptotic" and pair.p_beats is None:
        return ""
    return format_bracket(pair.p_value_low, pair.p_value, pair.p_value_high, alpha, bound=pair.exact)


def _outcomes(pair: RankedPair) -> str:
    counts = [count for count in (pair.wins, pair.ties, pair.losses) if count is not None]
    return " / ".join(map(format_count, counts))


def _surplus(pair: RankedPair) -> float | None:
    return None if pair.wins is None or pair.losses is None else pair.wins - pair.losses


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
