"""Results in a notebook: static, in its own colours, light or dark."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence

from outscore.naming import printable
from outscore.reports import metric_table, wording
from outscore.reports.documents import TextTable
from outscore.reports.html.elements import Content, Element, style, tag, write
from outscore.reports.html.forest import forest_drawing
from outscore.reports.html.law import law_drawing
from outscore.reports.html.page import packaged
from outscore.reports.html.tables import text_table
from outscore.reports.overviews import Overview, document_of
from outscore.reports.rankings import wording as of_rankings
from outscore.reports.rankings.summary import summary_document, systems_table
from outscore.results import Comparison, ComparisonResult, Ranking, test_cells

__all__ = ["comparisons_in_notebook", "overview_in_notebook", "rankings_in_notebook"]

MOST_DRAWN = 60  # systems


def comparisons_in_notebook(results: Sequence[ComparisonResult]) -> str:
    """Return one comparison with its law and its tests, or the table of several."""
    every = [c for result in results for c in result.comparisons]
    if len(every) == 1:
        c = every[0]
        return _shown(
            tag("p", c.sentence, class_="lead"),
            tag("p", _verdict(c), ". ", wording.explain_verdict(c)),
            _warnings(c.warnings),
            law_drawing(c, 640.0, f"outscore-{zlib.crc32(c.sentence.encode()):x}"),
            _table([[tag("td", cell) for cell in row] for row in test_cells(c)[1:]], test_cells(c)[0])
            if c.tests
            else None,
            _signatures(results),
        )
    many, several = metric_table.with_candidates(results), len(results) > 1
    first = every[0]
    heads = [*(["metric"] if several else []), "candidate", "baseline", "score", "gain"]
    heads += [wording.interval_heading(first), "p (Holm)" if many else "p", "verdict"]
    rows = []
    for c, row in zip(every, metric_table.rows(results), strict=True):
        numbers = (row.baseline_score, row.candidate_score, row.gain, row.interval, row.p)
        rows.append(
            [
                tag("td", printable(row.metric)) if several else None,
                tag("td", printable(row.candidate), class_="name"),
                [tag("td", number, class_="number") for number in numbers],
                tag("td", _verdict(c)),
            ]
        )
    said = metric_table.lead(results) if several else wording.summary(results[0])
    notes = [(kind, note) for kind, note in wording.notes_on(results) if kind != "details"]
    return _shown(
        tag("p", said, class_="lead"),
        _table(rows, heads, numbers=set(heads) - {"metric", "candidate", "verdict"}),
        _warnings(note for kind, note in notes if kind == "warning"),
        [tag("p", f"{kind}: {printable(note)}", class_="note") for kind, note in notes if kind != "warning"],
        _signatures(results),
    )


def rankings_in_notebook(rankings: Sequence[Ranking]) -> str:
    """Return the systems of a ranking and their scores drawn, or the table of rankings on several metrics."""
    if len(rankings) > 1:
        summary = summary_document(rankings)
        said = tag("p", printable(summary.paragraphs[0]), class_="lead")
        return _shown(said, _tables(summary.tables), _signatures(rankings))
    ranking = rankings[0]
    return _shown(
        tag("p", of_rankings.lead(ranking), class_="lead"),
        _warnings(ranking.warnings),
        _tables([systems_table(ranking)]),
        forest_drawing(ranking) if len(ranking.systems) <= MOST_DRAWN else None,
        tag("p", of_rankings.explain_groups(ranking), class_="note"),
        _signatures(rankings),
    )


def overview_in_notebook(result: Overview) -> str:
    """Return the sentences and tables of a study or a plan."""
    document = document_of(result)
    first, *others = document.paragraphs
    return _shown(
        tag("p", printable(first), class_="lead"),
        [tag("p", printable(paragraph)) for paragraph in others],
        _warnings(document.warnings),
        _tables(document.tables),
        tag("ul", [tag("li", printable(note)) for note in document.notes], class_="note") if document.notes else None,
        tag("p", tag("code", printable(document.signature))),
    )


def _shown(*contents: Content) -> str:
    return write(tag("div", style(packaged("notebook.css")), *contents, class_="outscore"))


def _verdict(c: Comparison) -> Element:
    return tag("b", c.verdict.value, class_=c.verdict.value.replace(" ", "-"))


def _warnings(warnings: Iterable[str]) -> Content:
    return [tag("p", tag("b", "Warning: "), printable(warning), class_="warning") for warning in warnings]


def _signatures(results: Sequence[ComparisonResult] | Sequence[Ranking]) -> Content:
    return [tag("p", tag("code", printable(result.signature))) for result in results]


def _tables(tables: Iterable[TextTable]) -> Content:
    return [
        [
            tag("p", tag("b", printable(table.caption))) if table.caption else None,
            tag("div", text_table(table), class_="scroll"),
        ]
        for table in tables
    ]


def _table(rows: Iterable[Content], heads: Sequence[str], numbers: Iterable[str] = ()) -> Element:
    right = set(numbers)
    head = [tag("th", name, class_="number" if name in right else None) for name in heads]
    table = tag("table", tag("thead", tag("tr", head)), tag("tbody", [tag("tr", row) for row in rows]))
    return tag("div", table, class_="scroll")
