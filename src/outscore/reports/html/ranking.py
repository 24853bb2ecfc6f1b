"""Rankings as a page: the systems, their scores, all pairs as a heat map, their gains, and a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from outscore.naming import printable
from outscore.numbers import format_count, format_exactly
from outscore.reports.documents import Paragraph, Signature, Table
from outscore.reports.documents.rankings import (
    distances,
    interval_heading,
    lead,
    places_of_groups,
    rank_range,
    share,
    summary_document,
)
from outscore.reports.figures import LETTER
from outscore.reports.figures.rankings import corrected, gain_figure, matrix_figure, score_figure
from outscore.reports.html.blocks import block_contents, table_of
from outscore.reports.html.elements import Content, Element, tag
from outscore.reports.html.forest import fits_beside, forest_figure
from outscore.reports.html.heatmap import FEW, correction_switch, heat_caption, heat_figure
from outscore.reports.html.page import boxed, callout, name_of, page, section
from outscore.reports.html.pairs import PairsView
from outscore.reports.html.plot import figure_drawing
from outscore.results import Alternative, Correction, Ranking, ranking_format

__all__ = ["rankings_to_html"]

SCRIPTS = ("base.js", "tip.js", "explorer.js", "ranking.js")
SPARE = ("to next", "cluster")  # columns that can be read off others, and are not shown where windows are narrow

STAR = tag("span", "\u00a0★", class_="star", title="not told apart from the best")


def rankings_to_html(rankings: Sequence[Ranking]) -> str:
    """Write rankings of the same systems, one a metric, as one self-contained page.

    Returns
    -------
    str
        HTML that loads nothing, and in which text of users is shown and never run. Without a script all tables
        and drawings are there; with one they can be sorted, searched and pointed at. About 1 kB a pair.
    """
    several = len(rankings) > 1
    first = rankings[0]
    count = format_count(len(first.systems))
    metrics = ", ".join(printable(ranking.metric.title) for ranking in rankings)
    title = f"{count} systems ranked by {metrics}"
    contents: list[Content] = [tag("h1", title)]
    if several:
        summary = summary_document(rankings)
        said = [block_contents(block) for block in summary.blocks if isinstance(block, Paragraph)]
        tables = [table_of(block) for block in summary.blocks if isinstance(block, Table)]
        contents.append(section("all", summary.title, said, boxed(summary.title, tables)))
    for k, ranking in enumerate(rankings):
        parts = [tag("div", *_parts(ranking, f"r{k}", level=3 if several else 2), class_="ranked")]
        if several:
            contents.append(section(f"r{k}", printable(ranking.metric.title), *parts))
        else:
            contents.append(tag("article", *parts, id=f"r{k}"))
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
    return page(title, contents, sections=sections, scripts=SCRIPTS, wide=True)


def _parts(ranking: Ranking, prefix: str, *, level: int) -> list[Content]:
    broad = "broad" if len(ranking.systems) > FEW else None
    scores = score_figure(ranking)
    # Where windows are broad the two drawings stand side by side.
    left, right = ("left", "right") if ranking.pairs and fits_beside(scores) else (None, None)
    parts: list[Content] = [
        block_contents(Paragraph(lead(ranking), leading=True)),
        [callout(warning) for warning in ranking.warnings],
        section(f"{prefix}-systems", "Systems", _systems(ranking), _explanation(ranking), level=level),
        section(f"{prefix}-scores", scores.title, forest_figure(scores, _caption(ranking)), level=level, class_=left),
    ]
    if ranking.pairs:
        matrix, gains = matrix_figure(ranking), gain_figure(ranking)
        switches = [
            correction_switch(ranking, f"{prefix}-heat", ranking.correction),
            # BK12's p-values are uncorrected; a script moves the marks for other ones.
            correction_switch(ranking, f"{prefix}-gains", Correction.NONE),
        ]
        caption = tag("p", heat_caption(ranking.correction), class_="note", data_caption="")
        heat = [switches[0], heat_figure(matrix, f"{prefix}-heat"), caption]
        drawn = [switches[1], figure_drawing(gains, f"{prefix}-points")]
        parts += [
            section(f"{prefix}-p", matrix.title, heat, level=level, class_=broad),
            section(f"{prefix}-gains", gains.title, drawn, level=level, class_=right),
            section(f"{prefix}-pairs", "All pairs", *PairsView(ranking, prefix).contents(), level=level),
        ]
    parts.append(block_contents(Signature(ranking.signature)))
    return parts


def _caption(ranking: Ranking) -> tuple[str, str, str]:
    """Return what is said below the scores: always, of groups as bars, and of groups as letters."""
    said = (
        f"Scores with their {interval_heading(ranking)}s, best first. Filled: not told apart from the best "
        f"{corrected(ranking.correction)}; hollow: significantly worse. Intervals of two scores may overlap although "
        "the two systems differ: tests compare them item by item, intervals do not."
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


def _systems(ranking: Ranking) -> Element:
    families = any(system.family is not None for system in ranking.systems)
    clusters = len({system.cluster for system in ranking.systems}) > 1
    unit = " (%)" if ranking.metric.as_percentage else ""
    heads: list[tuple[str, str, str | None]] = [
        ("rank", "number", "ascending"),
        ("system", "text", None),
        (f"{printable(ranking.metric.title)}{unit}", "number", None),
        ("groups", "text", None),
        (interval_heading(ranking), "number", None),
        ("ranks", "number", "ascending"),
        *([("family", "text", None)] if families else []),
        ("to next", "number", None),
        ("to best", "number", None),
        ("P(best)", "number", None),
        *([("cluster", "number", "ascending")] if clusters else []),
    ]
    rows = _rows(ranking, families=families, clusters=clusters)
    head = [
        tag(
            "th",
            name,
            scope="col",
            class_=f"{kind} spare" if name in SPARE else kind,
            data_first=first,
            data_sorted="ascending" if name == "rank" else None,
        )
        for name, kind, first in heads
    ]
    return boxed("Systems", tag("table", tag("thead", tag("tr", head)), tag("tbody", rows), class_="sortable systems"))


def _rows(ranking: Ranking, *, families: bool, clusters: bool) -> Iterator[Element]:
    scores = ranking_format(ranking)
    for system, (to_next, to_best), place in zip(
        ranking.systems, distances(ranking), places_of_groups(ranking), strict=True
    ):
        low, high = system.rank_low, system.rank_high
        star = STAR if system.among_best else None
        yield tag(
            "tr",
            _number(format_count(system.rank), system.rank),
            tag(
                "th",
                tag("span", name_of(printable(system.name)), star, class_="name"),
                scope="row",
            ),
            _number(scores.score(system.score), system.score),
            tag("td", _letters(system.group), class_="groups", data_value=place),
            _number(scores.scores(system.interval.low, system.interval.high), system.interval.low),
            _number(rank_range(low, high, dash="–"), (low + high) / 2),
            tag("td", name_of(printable(system.family or ""))) if families else None,
            _number(to_next, system.gain_to_next, spare=True),
            _number(to_best, -system.gain_to_best),
            _number(share(ranking, system.p_best), system.p_best),
            _number(format_count(system.cluster), system.cluster, spare=True) if clusters else None,
        )


def _letters(group: str) -> Content:
    """Return letters between which a line may end, but not before the number of one."""
    return [[tag("wbr") if k else None, letter] for k, letter in enumerate(LETTER.findall(group))]


def _number(text: str, value: float, *, spare: bool = False) -> Element:
    return tag("td", text, class_="number spare" if spare else "number", data_value=repr(value) if text else None)


def _explanation(ranking: Ranking) -> Element:
    test = f"{ranking.alternative.sided} {printable(ranking.tests[0])} test"
    if ranking.alternative is not Alternative.TWO_SIDED:
        test += ", whose direction was taken from the data, pair by pair (as BK12 do),"
    items = (
        f"★: not told apart from the best system by the {test} at α = {format_exactly(ranking.alpha)}, "
        f"{corrected(ranking.correction)}.",
        "Ranks: the best and the worst rank that the tests leave open. Not told apart does not mean equal.",
        "To next, to best: the system's gain over the next one, and over the first.",
        "P(best): in how many resampled test sets it scores best.",
        "Groups: two systems that share a letter do not differ significantly, all others do.",
    )
    return tag(
        "details",
        tag("summary", "What the columns mean"),
        tag("ul", [tag("li", item) for item in items]),
        class_="printed",
    )
