"""Reports: pure functions from results to text, one file a format.

Every report ends with exactly one newline, and every name in it is escaped for its format.
"""

from __future__ import annotations

from collections.abc import Callable

from outscore.reports.json_report import several_to_json, to_json
from outscore.reports.latex import to_latex
from outscore.reports.markdown import to_markdown
from outscore.results import ComparisonResult

__all__ = ["FORMATS", "several_to_json", "to_json", "to_latex", "to_markdown", "to_text"]


def to_text(result: ComparisonResult, *, width: int = 80, color: bool = False, ascii_only: bool = False) -> str:
    """Write a comparison for a terminal, or for a file that people read.

    Parameters
    ----------
    result : ComparisonResult
    width : int
        Columns of the terminal; at least 72 are used. Prose keeps to 100.
    color : bool
        Whether to write ANSI escapes. Nothing is said by colour alone.
    ascii_only : bool
        For output encodings that lack block characters: only ASCII comes back, names included.

    Returns
    -------
    str
        No line is wider than `width` but the last, the signature, which is kept whole so that it can be copied.
    """
    # rich takes longer to import than all other formats take to write: only who reads text waits for it.
    from outscore.reports.terminal import to_text as write

    return write(result, width=width, color=color, ascii_only=ascii_only)


FORMATS: dict[str, Callable[[ComparisonResult], str]] = {
    "text": to_text,
    "json": to_json,
    "markdown": to_markdown,
    "latex": to_latex,
}
