"""HTML reports of studies, plans, gates and scores: the answer, a drawing, tables, and all pairs of a study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from outscore.reports import documents_of, figures_of, kind_of, loaded
from outscore.reports.documents import Document, Notes, Paragraph, Signature, Table
from outscore.reports.html.blocks import block_contents
from outscore.reports.html.drawing import figure_drawing
from outscore.reports.html.elements import tag
from outscore.reports.html.page import Chapter, Section, report_page
from outscore.text.naming import printable

SCRIPTS = ("base.js", "tip.js", "explorer.js", "overview.js")


def overviews_to_html(results: Sequence[Any], title: str | None = None) -> str:
    """Return a plan, or studies of one metric each, as one self-contained HTML report.

    It loads nothing and never runs text of users. Without a script all drawings and tables are shown. With one,
    pointing at a mark shows its values, and pairs can be sorted and searched.
    """
    documents = documents_of(results)
    title = title or ("Studies" if len(results) > 1 else printable(documents[0].title))
    chapters = [
        Chapter(
            printable(document.title),
            [
                [block_contents(block) for block in document.blocks if isinstance(block, Paragraph)],
                [block_contents(Notes((), block.warnings)) for block in document.blocks if isinstance(block, Notes)],
            ],
            list(_sections(result, document, f"s{k}")),
            end=[block_contents(block) for block in document.blocks if isinstance(block, Signature)],
        )
        for k, (result, document) in enumerate(zip(results, documents, strict=True))
    ]
    footer = f"Written by outscore {results[0].version}."
    return report_page(title, chapters, prefix="s", footer=footer, scripts=SCRIPTS)


def _sections(result: Any, document: Document, prefix: str) -> Iterator[Section]:
    tables = [tag("div", block_contents(block)) for block in document.blocks if isinstance(block, Table)]
    notes = [block_contents(Notes(block.notes)) for block in document.blocks if isinstance(block, Notes)]
    yield Section("numbers", "Numbers", [tag("div", tables, class_="tables"), notes], "below")
    for figure in figures_of([result]):
        figure = replace(figure, notes=document.not_said(figure.notes))
        yield Section("drawing", figure.title, figure_drawing(figure, f"{prefix}-plot"), "beside", "Drawing")
    pairs_at = kind_of(result).pairs
    if pairs_at is not None:
        yield Section("pairs", "All pairs", list(loaded(pairs_at)(result, f"{prefix}-data")))
