"""A format of reports: the tables of a result in Org mode. It writes every kind of result, as all formats do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from outscore.reports import FORMATS, Format, Layout, documents_of
from outscore.reports.documents import Block, Heading, Medium, Paragraph, Table, plain


def to_org(results: Sequence[Any], layout: Layout) -> str:
    """Write results in Org mode."""
    documents = documents_of(results, Medium.MARKUP, details=layout.details, pairs=layout.pairs)
    blocks = [text for document in documents for block in document.blocks if (text := _block(block))]
    return "\n\n".join(blocks) + "\n"


def _block(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"{'*' * level} {plain(text)}"
        case Paragraph(text):
            return plain(text)
        case Table(headings, rows):
            lines = [f"| {' | '.join(map(plain, cells))} |" for cells in (headings, *rows)]
            return "\n".join([lines[0], f"|{'+'.join('-' for _ in headings)}|", *lines[1:]])
    return ""


FORMATS["org"] = Format((".org",), to_org)
