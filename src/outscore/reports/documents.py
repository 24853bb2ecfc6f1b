"""Reports made of sentences, tables of text and notes: what studies and plans say, and how it is written."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from outscore.naming import printable
from outscore.reports import latex, markdown
from outscore.reports.terminal import NARROWEST, PLAIN, PROSE

__all__ = [
    "Document",
    "TextTable",
    "documents_to_latex",
    "documents_to_markdown",
    "documents_to_text",
]

GAP = "  "


@dataclass(frozen=True)
class TextTable:
    """A table of text.

    Attributes
    ----------
    headings : tuple of str
    rows : tuple of tuple of str
        Names of users as they stand.
    right : frozenset of int
        Columns of numbers.
    caption : str
    """

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int]
    caption: str = ""


@dataclass(frozen=True)
class Document:
    """What a report says.

    Attributes
    ----------
    title : str
        A few words, for pages.
    paragraphs : tuple of str
        The first one is the answer.
    tables : tuple of TextTable
    notes : tuple of str
        What a reader must know to understand the tables.
    warnings : tuple of str
    signature : str
        Empty where what follows has its own.
    caption : str
        What the tables show, for where they stand without the paragraphs.
    version : str
        Of outscore.
    """

    title: str
    paragraphs: tuple[str, ...]
    tables: tuple[TextTable, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    signature: str
    version: str
    caption: str


def documents_to_text(documents: Sequence[Document], *, width: int = 80, ascii_only: bool = False) -> str:
    """Write documents as text.

    Parameters
    ----------
    documents : sequence of Document
    width : int
        Columns of the terminal; at least 72 are used, and at most 100 by sentences. A table that needs more is not
        broken.
    ascii_only : bool
        For output encodings that lack signs: only ASCII comes back.
    """
    prose = min(max(width, NARROWEST), PROSE)
    text = "\n\n".join(_text(document, prose) for document in documents)
    return text.translate(PLAIN).encode("ascii", "backslashreplace").decode() if ascii_only else text


def _text(document: Document, width: int) -> str:
    def filled(text: str, first: str = "", other: str = "") -> str:
        said = printable(text)
        return textwrap.fill(said, width, initial_indent=first, subsequent_indent=other, break_on_hyphens=False)

    parts = [filled(paragraph) for paragraph in document.paragraphs]
    for table in document.tables:
        parts += [filled(table.caption)] if table.caption else []
        parts.append(_aligned(table))
    notes = [*document.notes, *(f"Warning: {warning}" for warning in document.warnings)]
    parts += ["\n".join(filled(note, "- ", GAP) for note in notes)] if notes else []
    parts += [f"signature  {printable(document.signature)}"] if document.signature else []
    return "\n\n".join(parts) + "\n"


def _aligned(table: TextTable) -> str:
    lines = [[printable(cell) for cell in line] for line in (table.headings, *table.rows)]
    widths = [max(cell_len(cell) for cell in column) for column in zip(*lines, strict=True)]
    lines.insert(1, ["─" * width for width in widths])
    return "\n".join(
        GAP.join(
            " " * (width - cell_len(cell)) + cell if place in table.right else cell + " " * (width - cell_len(cell))
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def documents_to_markdown(documents: Sequence[Document]) -> str:
    """Write documents as GitHub-flavoured Markdown."""
    return "\n".join(_markdown(document) for document in documents)


def _markdown(document: Document) -> str:
    parts = [markdown.escape(paragraph) for paragraph in document.paragraphs]
    for table in document.tables:
        parts += [markdown.escape(table.caption)] if table.caption else []
        parts.append(_markdown_table(table))
    notes = [*map(markdown.escape, document.notes)]
    notes += [f"**Warning:** {markdown.escape(warning)}" for warning in document.warnings]
    parts += ["\n".join(f"- {note}" for note in notes)] if notes else []
    parts += [f"`{printable(document.signature).replace('`', ' ')}`"] if document.signature else []
    return "\n\n".join(parts) + "\n"


def _markdown_table(table: TextTable) -> str:
    headings, *rows = ([markdown.escape_cell(cell.strip()) for cell in line] for line in (table.headings, *table.rows))
    return markdown.table(headings, rows, right=[headings[place] for place in table.right])


def documents_to_latex(documents: Sequence[Document], *, bare: bool = False) -> str:
    """Write the tables of documents for a paper (booktabs), and what else they say as comments."""
    return "\n".join([latex.NEEDS, *(line for document in documents for line in _latex(document, bare=bare))]) + "\n"


def _latex(document: Document, *, bare: bool) -> list[str]:
    lines = [f"% outscore {document.version}: {printable(document.signature)}"] if document.signature else []
    lines += [f"% {printable(paragraph)}" for paragraph in document.paragraphs]
    lines += [f"% {printable(note)}" for note in document.notes]
    lines += [f"% Warning: {printable(warning)}" for warning in document.warnings]
    for table in document.tables:
        lines += _latex_table(table, f"{document.caption} {_ended(table.caption)}".strip(), bare=bare)
    return lines


def _ended(caption: str) -> str:
    return f"{caption.rstrip(':.')}." if caption else ""


def _latex_table(table: TextTable, caption: str, *, bare: bool) -> list[str]:
    """Return the lines of a table (booktabs)."""
    aligned = "".join("r" if place in table.right else "l" for place in range(len(table.headings)))
    rows = [
        [latex.math(cell.strip()) if place in table.right else latex.escape(cell) for place, cell in enumerate(row)]
        for row in table.rows
    ]
    return latex.table(
        latex.escape(caption), aligned, [latex.escape(latex.capital(each)) for each in table.headings], rows, bare=bare
    )
