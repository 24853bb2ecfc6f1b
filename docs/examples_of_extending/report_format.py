"""A format of reports: Org mode. It writes every kind of result, as all formats do, with all warnings."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.formats import FORMATS, Format, Medium
from outscore.reports.documents import Block, Document, Facts, Heading, Notes, Paragraph, Signature, Table, plain


def documents_to_org(documents: Sequence[Document]) -> str:
    """Write documents in Org mode."""
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
        case Facts(facts):
            return "\n".join(f"- {plain(fact.sentence)}" for fact in facts)
        case Notes(notes, warnings):
            return "\n".join(f"- {plain(text)}" for text in (*notes, *warnings))
        case Signature(text):
            return f"~{text}~"
    return ""


FORMATS["org"] = Format(documents_to_org, (".org",), Medium.MARKUP)
