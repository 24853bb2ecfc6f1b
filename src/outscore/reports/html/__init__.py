"""Reports as pages: one self-contained file each, to be read in a browser, on a phone, or on paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from outscore.results import ComparisonResult, ItemTable

__all__ = ["results_to_html"]


def results_to_html(results: Sequence[Any], items: Sequence[Sequence[ItemTable]] | None = None) -> str:
    """Write results of one kind as one page that loads nothing.

    Parameters
    ----------
    results : sequence of results
        One a metric.
    items : sequence of sequence of ItemTable, optional
        Of comparisons: the items of each, in their order.
    """
    if isinstance(results[0], ComparisonResult):
        from outscore.reports.html.comparison import comparisons_to_html

        return comparisons_to_html(results, items)
    from outscore.results import Ranking

    if isinstance(results[0], Ranking):
        from outscore.reports.html.ranking import rankings_to_html

        return rankings_to_html(results)
    from outscore.reports.html.overviews import overviews_to_html

    return overviews_to_html(results)
