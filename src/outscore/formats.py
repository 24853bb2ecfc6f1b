"""The formats of reports. A new format is one file in `reports` and one line of `FORMATS`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

__all__ = ["FORMATS", "Format", "Medium"]


class Medium(StrEnum):
    """Where a document is read; this determines its contents and their order."""

    TERMINAL = "terminal"
    DETAILS = "details"  # a terminal, in full
    MARKUP = "markup"
    PAPER = "paper"
    PAGE = "page"  # or a notebook

    @property
    def is_terminal(self) -> bool:
        """Whether it shows only characters, without bold type."""
        return self in (Medium.TERMINAL, Medium.DETAILS)

    @property
    def in_full(self) -> Medium:
        """The medium on which all is shown."""
        return Medium.DETAILS if self.is_terminal else self


@dataclass(frozen=True)
class Format:
    """A format of reports.

    Attributes
    ----------
    writer : str or callable
        Writes documents, or results if there is no medium. Text is ``module:name``.
    suffixes : tuple of str
        Of the names of its files.
    medium : Medium, optional
        Whose documents it writes. Without one it has neither the table of systems and metrics nor `outscore` methods.
    options : tuple of str
        Options of reports that the writer takes.
    prose : bool
        Whether it can write only the paragraph on methods, by the function `prose` in the module of the writer.
    comment : str
        The beginning of a comment, in formats of papers: the paragraph on methods then has citations.
    binary : bool
        Whether it is written as bytes.
    """

    writer: str | Callable[..., Any]
    suffixes: tuple[str, ...] = ()
    medium: Medium | None = None
    options: tuple[str, ...] = ()
    prose: bool = False
    comment: str = ""
    binary: bool = False


_TEXT = ("width", "color", "ascii_only")
_ROWS = ("pairs", "thresholds")
_PAPER = ("bare",)

# By name, in the order of the help. A file .html would be taken for a report.
FORMATS: dict[str, Format] = {
    "text": Format("outscore.reports.text:documents_to_text", ("", ".txt"), Medium.TERMINAL, _TEXT, prose=True),
    "json": Format("outscore.reports.data:results_to_json", (".json",)),
    "csv": Format("outscore.reports.data:results_to_csv", (".csv",), options=_ROWS),
    "parquet": Format("outscore.reports.data:results_to_parquet", (".parquet",), options=_ROWS, binary=True),
    "markdown": Format("outscore.reports.markdown:documents_to_markdown", (".md",), Medium.MARKUP, prose=True),
    "latex": Format("outscore.reports.latex:documents_to_latex", (".tex",), Medium.PAPER, _PAPER, True, "%"),
    "typst": Format("outscore.reports.typst:documents_to_typst", (".typ",), Medium.PAPER, _PAPER, True, "//"),
    "html": Format("outscore.reports.html.tables:documents_to_tables", (), Medium.PAPER),
    "bibtex": Format("outscore.reports.methods:results_to_bibtex", (".bib",)),
}
