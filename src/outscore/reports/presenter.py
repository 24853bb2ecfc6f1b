"""The functions by which results display themselves; `outscore.results.shown` calls them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from outscore.reports import answers, chart_of, report
from outscore.reports import methods_of as methods
from outscore.words.comparisons import write_sentence as sentence

__all__ = ["answers", "chart_of", "in_notebook", "methods", "page", "report", "sentence"]


def page(results: Sequence[Any], title: str | None = None) -> str:
    """Return results as one HTML report."""
    from outscore.reports.html import results_to_html

    return results_to_html(results, title=title)


def in_notebook(results: Sequence[Any]) -> str:
    """Return what a notebook shows of results, as HTML."""
    from outscore.reports.html import results_in_notebook

    return results_in_notebook(results)
