"""One metric and task of a gate as plain text: for logs, and for reports of tests."""

from __future__ import annotations

from dataclasses import replace

from outscore.gating.documents import check_document
from outscore.gating.results import GateCheck, GateResult
from outscore.reports.documents import Paragraph
from outscore.reports.text import documents_to_text
from outscore.text.naming import printable

_WIDTH = 100


def check_text(result: GateResult, check: GateCheck) -> tuple[str, str]:
    """Return what is said of one metric and task: the sentence on one line, and the items hurt most in a table.

    The table is empty where no items were hurt, or where the check passed. All signs can be printed.
    """
    document = check_document(result, check)
    tables = tuple(block for block in document.blocks if not isinstance(block, Paragraph))
    lines = documents_to_text([replace(document, blocks=tables)], width=_WIDTH).strip("\n").splitlines()
    return document.lead, "\n".join(map(printable, lines))
