"""Reports: pure functions from results to text, one file a format.

Every report ends with exactly one newline, and every name in it is escaped for its format.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from outscore.reports.latex import several_to_latex, to_latex
from outscore.reports.markdown import several_to_markdown, to_markdown
from outscore.results import ComparisonResult, ComparisonResults

__all__ = [
    "FORMATS",
    "SEVERAL_FORMATS",
    "several_to_latex",
    "several_to_markdown",
    "several_to_text",
    "to_latex",
    "to_markdown",
    "to_text",
]


def to_text(
    result: ComparisonResult,
    *,
    width: int = 80,
    color: bool = False,
    ascii_only: bool = False,
    details: bool = False,
) -> str:
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
    details : bool
        Whether several candidates or metrics are not only shown in a table, but each by itself, too.

    Returns
    -------
    str
        No line is wider than `width` but the last, signatures, which are kept whole so that they can be copied.
    """
    # rich takes longer to import than all other formats take to write: only who reads text waits for it.
    from outscore.reports.terminal import to_text as write

    return write(result, width=width, color=color, ascii_only=ascii_only, details=details)


def several_to_text(
    results: Sequence[ComparisonResult],
    *,
    width: int = 80,
    color: bool = False,
    ascii_only: bool = False,
    details: bool = False,
) -> str:
    """Write comparisons on several metrics as text: a table of all of them and, with details, the report on each.

    Parameters are those of `to_text`.
    """
    from outscore.reports.terminal import several_to_text as write

    return write(results, width=width, color=color, ascii_only=ascii_only, details=details)


FORMATS: dict[str, Callable[[ComparisonResult], str]] = {
    "text": to_text,
    "json": ComparisonResult.to_json,
    "csv": ComparisonResult.to_csv,
    "markdown": to_markdown,
    "latex": to_latex,
}

# The same, of comparisons of the same systems on several metrics.
SEVERAL_FORMATS: dict[str, Callable[[Sequence[ComparisonResult]], str]] = {
    "text": several_to_text,
    "json": lambda results: ComparisonResults(tuple(results)).to_json(),
    "csv": lambda results: ComparisonResults(tuple(results)).to_csv(),
    "markdown": several_to_markdown,
    "latex": several_to_latex,
}
