"""Documents as HTML: only their tables, to be pasted into a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from outscore.reports.documents import Document, Table, capital, plain, remarks
from outscore.reports.html.blocks import marked_text
from outscore.reports.html.elements import shown, tag, write


def documents_to_tables(documents: Sequence[Document]) -> str:
    """Write the tables of documents as HTML that needs no style sheet, and everything else as comments above them."""
    lines: list[str] = []
    for document in documents:
        # Two hyphens would end a comment.
        lines += [f"<!-- {shown(remark).replace('--', '- -')} -->" for remark in remarks(document, plain)]
        for block in document.blocks:
            if isinstance(block, Table):
                lines += ["<table>", *_lines(block), "</table>"]
    return "\n".join(lines) + "\n"


def _lines(table: Table) -> Iterator[str]:
    def row(texts: Sequence[str], *, heads: bool = False) -> str:
        cells = [
            tag(
                "th" if heads or not index else "td",
                marked_text(text.strip()),
                scope="col" if heads else None if index else "row",
                style=f"text-align: {'right' if index in table.right else 'left'}",
            )
            for index, text in enumerate(texts)
        ]
        return write(tag("tr", cells))

    yield write(tag("caption", marked_text(table.title or table.caption)))
    yield f"<thead>{row([capital(heading) for heading in table.headings], heads=True)}</thead>"
    yield "<tbody>"
    yield from map(row, table.rows)
    yield "</tbody>"
