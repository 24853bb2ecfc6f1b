"""Studies and plans as a page: the answer, a drawing, tables, and all pairs of a study of gains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from outscore.naming import printable
from outscore.numbers import format_p
from outscore.reports import documents_of, figures_of
from outscore.reports.documents import Document, Medium, Notes, Paragraph, Signature, Table, plain
from outscore.reports.documents.studies import threshold_format
from outscore.reports.html.blocks import block_contents, table_of
from outscore.reports.html.drawing import figure_drawing
from outscore.reports.html.elements import Content, Element, data_block, tag
from outscore.reports.html.page import boxed, explorer, page, search, section
from outscore.results.studies import GainStudy

SCRIPTS = ("base.js", "tip.js", "explorer.js", "overview.js")
ON_A_PAGE = 50


def overviews_to_html(results: Sequence[Any]) -> str:
    """Write a plan, or studies of one metric each, as one self-contained page.

    Returns
    -------
    str
        HTML that loads nothing, and in which text of users is shown and never run. Without a script all drawings and
        tables are there; with one, marks tell what they are when they are pointed at, and pairs can be sorted and
        searched.
    """
    documents = documents_of(results, Medium.PAGE)
    several = len(results) > 1
    title = printable(documents[0].title)
    contents: list[Content] = [tag("h1", "Studies" if several else title)]
    sections = []
    for k, (result, document) in enumerate(zip(results, documents, strict=True)):
        prefix, level = f"s{k}", 3 if several else 2
        named = list(_sections(result, document, prefix, level=level))
        heads = [block_contents(block) for block in document.blocks if isinstance(block, Paragraph)]
        warnings = [block_contents(Notes((), block.warnings)) for block in document.blocks if isinstance(block, Notes)]
        signatures = [block_contents(block) for block in document.blocks if isinstance(block, Signature)]
        parts: list[Content] = [heads, warnings, *(part for _, _, part in named), signatures]
        if several:
            contents.append(section(prefix, printable(document.title), *parts))
            sections.append((prefix, printable(document.title)))
        else:
            contents.append(tag("article", *parts, id=prefix))
            sections += [(identifier, name) for identifier, name, _ in named]
    contents.append(tag("footer", f"Written by outscore {documents[0].version or results[0].version}."))
    return page("Studies" if several else title, contents, sections=sections, scripts=SCRIPTS)


def _sections(result: Any, document: Document, prefix: str, *, level: int) -> Iterator[tuple[str, str, Element]]:
    heard = " ".join(plain(block.text) for block in document.blocks if isinstance(block, Paragraph))
    for figure in figures_of([result]):
        figure = replace(figure, notes=tuple(note for note in figure.notes if note not in heard))
        drawn = section(f"{prefix}-drawing", figure.title, figure_drawing(figure, f"{prefix}-plot"), level=level)
        yield f"{prefix}-drawing", "Drawing", drawn
    tables = [tag("div", block_contents(block)) for block in document.blocks if isinstance(block, Table)]
    notes = [block_contents(Notes(block.notes)) for block in document.blocks if isinstance(block, Notes)]
    beside = tag("div", tables, class_="tables")
    yield f"{prefix}-numbers", "Numbers", section(f"{prefix}-numbers", "Numbers", beside, notes, level=level)
    if isinstance(result, GainStudy):
        pairs = section(f"{prefix}-pairs", "All pairs", *_pairs(result, f"{prefix}-data"), level=level)
        yield f"{prefix}-pairs", "All pairs", pairs


def _pairs(study: GainStudy, identifier: str) -> Iterator[Content]:
    """Yield all pairs as a table to sort and search, and a plain one for where no script runs."""
    shown = threshold_format(study.setting, study.thresholds)
    columns = [("better", "text"), ("worse", "text"), ("gain", "number"), ("p", "number"), ("relation", "text")]
    pairs = sorted(study.pairs, key=lambda pair: (pair.p_value, -pair.gain))
    cells = [
        [printable(pair.candidate) for pair in pairs],
        [printable(pair.baseline) for pair in pairs],
        [shown.gain(pair.gain) for pair in pairs],
        [format_p(pair.p_value) for pair in pairs],
        [printable(pair.relation or "not known") for pair in pairs],
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
