"""HTML reports of studies, plans, gates and scores: the answer, a drawing, tables, and all pairs of a study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from outscore.reports import documents_of, figures_of, kind_of, loaded
from outscore.reports.documents import Document, Medium, Notes, Paragraph, Signature, Table, plain
from outscore.reports.html.blocks import block_contents, key_first
from outscore.reports.html.drawing import figure_drawing
from outscore.reports.html.elements import Content, Element, tag
from outscore.reports.html.page import page, section
from outscore.text.naming import printable

SCRIPTS = ("base.js", "tip.js", "explorer.js", "overview.js")


def overviews_to_html(results: Sequence[Any], title: str | None = None) -> str:
    """Return a plan, or studies of one metric each, as one self-contained HTML report.

    Returns
    -------
    str
        HTML that loads nothing and never runs text of users. Without a script all drawings and tables are shown. With
        one, pointing at a mark shows its values, and pairs can be sorted and searched.
    """
    documents = documents_of(results, Medium.PAGE)
    several = len(results) > 1
    title = title or ("Studies" if several else printable(documents[0].title))
    contents: list[Content] = [tag("h1", title)]
    sections = []
    for k, (result, document) in enumerate(zip(results, documents, strict=True)):
        prefix, level = f"s{k}", 3 if several else 2
        named = list(_sections(result, document, prefix, level=level))
        heads = [block_contents(block) for block in document.blocks if isinstance(block, Paragraph)]
        warnings = [block_contents(Notes((), block.warnings)) for block in document.blocks if isinstance(block, Notes)]
        signatures = [block_contents(block) for block in document.blocks if isinstance(block, Signature)]
        parts: list[Content] = [heads, warnings, *(part for _, _, part in named), signatures]
        if several:
            contents.append(section(prefix, printable(document.title), *parts, class_="paired"))
            sections.append((prefix, printable(document.title)))
        else:
            contents.append(tag("article", *parts, id=prefix, class_="paired"))
            sections += [(identifier, name) for identifier, name, _ in named]
    contents.append(tag("footer", f"Written by outscore {documents[0].version or results[0].version}."))
    return page(title, contents, sections=sections, scripts=SCRIPTS)


def _sections(result: Any, document: Document, prefix: str, *, level: int) -> Iterator[tuple[str, str, Element]]:
    heard = " ".join(plain(block.text) for block in document.blocks if isinstance(block, Paragraph))
    figures = figures_of([result])
    for figure in figures:
        figure = replace(figure, notes=tuple(note for note in figure.notes if note not in heard))
        drawing = figure_drawing(figure, f"{prefix}-plot")
        drawn = section(f"{prefix}-drawing", figure.title, drawing, level=level, class_="left")
        yield f"{prefix}-drawing", "Drawing", drawn
    tables = [tag("div", block_contents(key_first(block))) for block in document.blocks if isinstance(block, Table)]
    notes = [block_contents(Notes(block.notes)) for block in document.blocks if isinstance(block, Notes)]
    beside = tag("div", tables, class_="tables")
    right = "right" if figures else None
    numbers = section(f"{prefix}-numbers", "Numbers", beside, notes, level=level, class_=right)
    yield f"{prefix}-numbers", "Numbers", numbers
    place = kind_of(result).pairs
    if place is not None:
        pairs = section(f"{prefix}-pairs", "All pairs", *loaded(place)(result, f"{prefix}-data"), level=level)
        yield f"{prefix}-pairs", "All pairs", pairs
