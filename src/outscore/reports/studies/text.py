"""Studies as text for a terminal, or for a file that people read, and as Markdown."""

from __future__ import annotations

import textwrap

from rich.cells import cell_len

from outscore.naming import printable
from outscore.reports.markdown import escape, escape_cell
from outscore.reports.markdown import table as table_of
from outscore.reports.studies.tables import Study, StudyText, TextTable, written
from outscore.reports.terminal import NARROWEST, PLAIN, PROSE

__all__ = ["study_to_markdown", "study_to_text"]

GAP = "  "
ALSO_PLAIN = str.maketrans({"─": "-", "√": "sqrt ", "·": "*", "−": "-", "–": "-"})


def study_to_text(study: Study, *, width: int = 80, ascii_only: bool = False) -> str:
    """Write a study as text: a sentence, tables, notes, the signature.

    Parameters
    ----------
    study : Study
    width : int
        Columns of the terminal; at least 72 are used. A table that needs more is not broken.
    ascii_only : bool
        For output encodings that lack signs: only ASCII comes back.
    """
    said = written(study)
    prose = min(max(width, NARROWEST), PROSE)
    parts = [textwrap.fill(printable(said.lead), prose)]
    parts += [_aligned(table) for table in said.tables]
    parts.append("\n".join(textwrap.fill(printable(note), prose, subsequent_indent=GAP) for note in said.notes))
    parts.append(f"signature  {printable(said.signature)}")
    text = "\n\n".join(parts) + "\n"
    if ascii_only:
        text = text.translate(PLAIN).translate(ALSO_PLAIN).encode("ascii", "backslashreplace").decode()
    return text


def study_to_markdown(study: Study) -> str:
    """Write a study as GitHub-flavoured Markdown: a sentence, tables, notes, the signature."""
    said: StudyText = written(study)
    parts = [escape(said.lead)]
    for table in said.tables:
        headings = [escape_cell(heading) for heading in table.headings]
        rows = [[escape_cell(cell) for cell in row] for row in table.rows]
        parts.append(table_of(headings, rows, right=[headings[place] for place in table.right]))
    parts.append("\n".join(f"- {escape(note)}" for note in said.notes))
    return "\n\n".join([*parts, f"`{printable(said.signature).replace('`', ' ')}`"]) + "\n"


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
