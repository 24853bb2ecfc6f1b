"""Results in a notebook: static, in its own colours, light or dark."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

from outscore.reports import documents_of
from outscore.reports.documents import Block, Medium, Picture
from outscore.reports.figures import Figure
from outscore.reports.html.blocks import block_contents
from outscore.reports.html.elements import Content, style, tag, write
from outscore.reports.html.forest import forest_drawing
from outscore.reports.html.law import law_drawing
from outscore.reports.html.page import packaged

__all__ = ["results_in_notebook"]


def results_in_notebook(results: Sequence[Any]) -> str:
    """Return what a notebook shows of results of one kind."""
    blocks = [block for document in documents_of(results, Medium.PAGE) for block in document.blocks]
    return write(tag("div", style(packaged("notebook.css")), [_shown(block) for block in blocks], class_="outscore"))


def _shown(block: Block) -> Content:
    return _drawn(block.figure) if isinstance(block, Picture) else block_contents(block)


def _drawn(figure: Figure) -> Content:
    if figure.bars is None:
        return forest_drawing(figure)
    # Ids are those of a whole notebook.
    return law_drawing(figure, 640.0, f"outscore-{zlib.crc32(repr((figure.title, figure.notes)).encode()):x}")
