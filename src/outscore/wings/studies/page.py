"""The table of all pairs of a study of gains, in its HTML report."""

from __future__ import annotations

from collections.abc import Iterator

from outscore.reports.documents.layouts import Column, names, numbers
from outscore.reports.html.elements import Content
from outscore.reports.html.explorers import explored
from outscore.text.numbers import format_p
from outscore.wings.studies.documents import threshold_format
from outscore.wings.studies.results import GainStudy, StudyPair


def pairs_of_study(study: GainStudy, identifier: str) -> Iterator[Content]:
    """Yield all pairs as a sortable and searchable table, and a plain one without scripts."""
    shown = threshold_format(study.setting, study.thresholds)
    columns: list[Column[StudyPair]] = [
        names("better", lambda pair: pair.candidate),
        names("worse", lambda pair: pair.baseline),
        numbers("gain", lambda pair: shown.gain(pair.gain), value=lambda pair: pair.gain),
        numbers("p", lambda pair: format_p(pair.p_value), value=lambda pair: pair.p_value, ascending=True),
        names("relation", lambda pair: pair.relation or "unknown"),
    ]
    pairs = sorted(study.pairs, key=lambda pair: (pair.p_value, -pair.gain))
    yield from explored("All pairs", columns, pairs, identifier, "rows")
