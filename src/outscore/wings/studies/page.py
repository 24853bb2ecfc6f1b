"""The table of all pairs of a study of gains, in its HTML report."""

from __future__ import annotations

from collections.abc import Iterator

from outscore.reports.documents import Table
from outscore.reports.html.blocks import table_of
from outscore.reports.html.elements import Content, data_block, tag
from outscore.reports.html.page import boxed, explorer, search
from outscore.text.naming import printable
from outscore.text.numbers import format_p
from outscore.wings.studies.documents import threshold_format
from outscore.wings.studies.results import GainStudy

ON_A_PAGE = 50


def pairs_of_study(study: GainStudy, identifier: str) -> Iterator[Content]:
    """Yield all pairs as a sortable and searchable table, and a plain one without scripts."""
    shown = threshold_format(study.setting, study.thresholds)
    columns = [("better", "text"), ("worse", "text"), ("gain", "number"), ("p", "number"), ("relation", "text")]
    pairs = sorted(study.pairs, key=lambda pair: (pair.p_value, -pair.gain))
    cells = [
        [printable(pair.candidate) for pair in pairs],
        [printable(pair.baseline) for pair in pairs],
        [shown.gain(pair.gain) for pair in pairs],
        [format_p(pair.p_value) for pair in pairs],
        [printable(pair.relation or "unknown") for pair in pairs],
    ]
    values = [None, None, [pair.gain for pair in pairs], [pair.p_value for pair in pairs], None]
    tools = search(f"{identifier}-search", "names of systems")
    yield explorer("All pairs", columns, source=identifier, size=ON_A_PAGE, tools=tools, class_="rows")
    data = {
        "columns": [{"title": name, "kind": kind, "low": name == "p"} for name, kind in columns],
        "cells": cells,
        "values": values,
    }
    yield data_block(identifier, data)
    right = frozenset(place for place, (_, kind) in enumerate(columns) if kind == "number")
    plain_table = Table(tuple(name for name, _ in columns), tuple(zip(*cells, strict=True)), right)
    yield tag("noscript", boxed("All pairs", table_of(plain_table)))
