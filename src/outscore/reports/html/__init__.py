"""Reports as pages: one self-contained file each, to be read in a browser, on a phone, or on paper."""

from __future__ import annotations

from outscore.reports.html.comparison import several_to_html, to_html
from outscore.reports.html.ranking import ranking_to_html, several_rankings_to_html

__all__ = ["ranking_to_html", "several_rankings_to_html", "several_to_html", "to_html"]
