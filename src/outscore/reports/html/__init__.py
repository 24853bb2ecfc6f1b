"""HTML reports, one self-contained file each, and the display of results in notebooks."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from outscore.reports import documents_of, figures_of, kind_of, loaded
from outscore.reports.documents import Block, Document, Picture, Table
from outscore.reports.figures import Figure
from outscore.reports.html.blocks import block_contents
from outscore.reports.html.drawing import figure_drawing, law_drawing
from outscore.reports.html.elements import Content, style, tag, write
from outscore.reports.html.forest import forest_drawing
from outscore.reports.html.page import boxed, packaged
from outscore.results import ItemTable

__all__ = ["results_in_notebook", "results_to_html"]

_MOST_DRAWN = 40_000  # bytes of a drawing in a notebook


def results_to_html(
    results: Sequence[Any], items: Sequence[Sequence[ItemTable]] | None = None, *, title: str | None = None
) -> str:
    """Return results of one kind, one per metric, as one HTML report that loads nothing.

    `items` are those of each comparison, in their order. The title is by default made from the names of the systems.
    """
    page: str = loaded(kind_of(results[0]).page)(results, title=title, **({} if items is None else {"items": items}))
    return page


def results_in_notebook(results: Sequence[Any]) -> str:
    """Return what a notebook shows of results of one kind, without a script, in the notebook's colours.

    Drawings of more than 40 kB are only in the HTML report, so that notebooks stay small.
    """
    documents = documents_of(results)
    pictured = any(isinstance(block, Picture) for document in documents for block in document.blocks)
    # Several metrics are shown as a table.
    figures = [] if pictured or (kind_of(results[0]).together and len(results) > 1) else figures_of(results)
    contents: list[Content] = []
    for k, document in enumerate(documents):
        blocks = list(document.blocks)
        first = next((index for index, block in enumerate(blocks) if isinstance(block, Table)), len(blocks))
        drawings = [_figure(figure, document) for figure in figures[k : k + 1]]
        contents += [*map(_block, blocks[:first]), drawings, *map(_block, blocks[first:])]
    return write(tag("div", style(packaged("notebook.css")), contents, class_="outscore"))


def _block(block: Block) -> Content:
    return _drawn(block.figure) if isinstance(block, Picture) else block_contents(block)


def _figure(figure: Figure, document: Document) -> Content:
    """Return the drawing of a result, without notes that are in its document."""
    figure = replace(figure, notes=document.not_said(figure.notes))
    if len(write(figure_drawing(figure, _identifier(figure))).encode()) > _MOST_DRAWN:
        return tag(
            "p", f"{figure.title}: too large for a notebook. Write an HTML report with .to_html(path).", class_="note"
        )
    return [tag("h4", figure.title), figure_drawing(figure, _identifier(figure))]


def _drawn(figure: Figure) -> Content:
    drawing = forest_drawing(figure) if figure.bars is None else law_drawing(figure, 640.0, _identifier(figure))
    return boxed(figure.title, drawing)


def _identifier(figure: Figure) -> str:
    # Ids must be unique in a notebook.
    return f"outscore-{zlib.crc32(repr((figure.title, figure.notes)).encode()):x}"
