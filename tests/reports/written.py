"""Results in each format, as tests write them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from outscore.reports import FORMATS, figures_of, report
from outscore.reports.html import results_to_html


def written(format_name: str, results: Any, **layout: Any) -> str:
    """Write one result or several."""
    text: str = report(results if isinstance(results, Sequence) else [results], format_name, **layout)
    return text


def figure_of(result: Any) -> Any:
    """Return what is drawn of a result."""
    [figure] = figures_of([result])
    return figure


def to_html(results: Any, items: Any = None) -> str:
    """Write one result or several as a page, with the items of each."""
    if isinstance(results, Sequence):
        return results_to_html(results, items)
    return results_to_html([results], None if items is None else [items])


to_text, to_markdown, to_latex, to_json, to_csv = (
    partial(written, name) for name in ("text", "markdown", "latex", "json", "csv")
)
WRITERS = {name: partial(written, name) for name, one in FORMATS.items() if not one.binary}
