"""Columns and layouts: a column is declared once, and a layout lists what each medium shows of a kind of result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any, Generic, TypeAlias, TypeVar

from outscore.reports.documents import Block, Document, Fact, Facts, Signature, Table, name
from outscore.results.findings import Finding
from outscore.text.numbers import format_count

Row = TypeVar("Row", contravariant=True)
AnyRow = TypeVar("AnyRow")
# From results of one kind to documents; `pairs` tells whether a ranking lists all pairs.
Write: TypeAlias = Callable[..., list[Document]]


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column of a table."""

    heading: str
    cell: Callable[[Row], str]  # from a row to its text
    number: bool = False  # whether cells are numbers, which are aligned at the right
    fitted: bool = False  # whether cells are folded if there is little room
    gives_way: int = 0  # the order in which columns are left out if there is little room, 1 first; 0 if never
    shown: bool = True  # whether the table has it
    if_any: bool = False  # whether the table has it only if a cell has text
    value: Callable[[Row], float | None] | None = None  # from a row to the number by which HTML reports sort
    ascending: bool = False  # whether HTML reports sort it first with small numbers on top


def names(heading: str, text: Callable[[AnyRow], str | None], **options: Any) -> Column[AnyRow]:
    """Return a column of names given by users, folded if there is little room; None leaves a cell empty."""
    return Column(heading, lambda row: name(text(row) or ""), **{"fitted": True, **options})


def numbers(heading: str, cell: Callable[[AnyRow], str], **options: Any) -> Column[AnyRow]:
    """Return a column of numbers that are already text."""
    return Column(heading, cell, number=True, **options)


def counts(heading: str, count: Callable[[AnyRow], int | None], **options: Any) -> Column[AnyRow]:
    """Return a column of whole numbers; None leaves a cell empty."""
    return numbers(heading, lambda row: "" if (number := count(row)) is None else format_count(number), **options)


def table(
    rows: Iterable[AnyRow],
    columns: Iterable[Column[AnyRow]],
    *,
    parted: Callable[[AnyRow], object] | None = None,
    **others: Any,
) -> Table:
    """Return the table of some rows.

    A line is drawn between rows for which `parted` returns different values. `others` are other fields of `Table`.
    """
    rows = list(rows)
    parts = [(column, [column.cell(row) for row in rows]) for column in columns if column.shown]
    parts = [(column, cells) for column, cells in parts if any(cells) or not column.if_any]
    giving = sorted((column.gives_way, index) for index, (column, _) in enumerate(parts) if column.gives_way)
    keys = [] if parted is None else list(map(parted, rows))
    return Table(
        tuple(column.heading for column, _ in parts),
        tuple(zip(*(cells for _, cells in parts), strict=True)),
        frozenset(index for index, (column, _) in enumerate(parts) if column.number),
        fitted=tuple(index for index, (column, _) in enumerate(parts) if column.fitted),
        spare=tuple(index for _, index in giving),
        parted=frozenset(index for index, (key, following) in enumerate(pairwise(keys)) if key != following),
        **others,
    )


@dataclass(frozen=True)
class Layout:
    """What each `Medium` shows of results of one kind: a function from results to documents for each."""

    terminal: Write
    details: Write
    markup: Write
    paper: Write
    page: Write


def chosen(columns: Mapping[str, Column[AnyRow]], names: str) -> list[Column[AnyRow]]:
    """Return the columns of these names, with blanks between them."""
    return [columns[column] for column in names.split()]


def joined(parts: Iterable[Block | Fact]) -> Iterator[Block]:
    """Yield blocks, with facts that follow each other as one block."""
    for are_facts, group in groupby(parts, key=lambda part: isinstance(part, Fact)):
        if are_facts:
            yield Facts(tuple(part for part in group if isinstance(part, Fact)))
        else:
            yield from (part for part in group if not isinstance(part, Fact))


def known_fact(label: str, text: str | None) -> Iterator[Fact]:
    """Yield a fact if it is known."""
    if text is not None:
        yield Fact(label, text)


def facts_of(findings: Iterable[Finding]) -> Iterator[Fact]:
    """Yield the findings that reports print."""
    return (Fact(finding.label, finding.sentence) for finding in findings if finding.sentence is not None)


def signatures(result: Any) -> list[Signature]:
    """Return the signatures of the metric, if it has one, and of the result."""
    metric, signature = result.metric, Signature(result.signature, result.version)
    of_metric = None if metric.signature is None else Signature(metric.signature, result.version, name(metric.spec))
    return [signature] if of_metric is None else [of_metric, signature]
