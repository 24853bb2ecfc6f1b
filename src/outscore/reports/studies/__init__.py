"""Reports of studies: pure functions from results to text."""

from __future__ import annotations

from collections.abc import Callable

from outscore.reports.studies.data import studies_to_json, study_to_csv, study_to_json, thresholds_to_csv
from outscore.reports.studies.tables import Study
from outscore.reports.studies.text import study_to_markdown, study_to_text

__all__ = [
    "STUDY_FORMATS",
    "Study",
    "studies_to_json",
    "study_to_csv",
    "study_to_json",
    "study_to_markdown",
    "study_to_text",
    "thresholds_to_csv",
]

STUDY_FORMATS: dict[str, Callable[[Study], str]] = {
    "text": study_to_text,
    "json": study_to_json,
    "csv": study_to_csv,
    "markdown": study_to_markdown,
}
