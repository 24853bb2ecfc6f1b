"""Systems' outputs and their references to rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from outscore.errors import DataError, OptionError, Problem
from outscore.items import Corpus
from outscore.metrics.base import OutputMetric
from outscore.naming import printable
from outscore.readers.corpora.registry import read_corpus
from outscore.rows import Rows, pair_corpora

__all__ = ["read_outputs"]


def read_outputs(
    specs: Sequence[str],
    references: Sequence[str],
    metric: OutputMetric[Any, Any],
    *,
    format_name: str | None = None,
) -> tuple[OutputMetric[Any, Any], list[Rows]]:
    """Return the rows of systems whose outputs stand in files, and the metric that they belong to.

    Rows are in the order of the references. The metric is the one given, or what it becomes when it is told the
    labels or types that occur.

    Parameters
    ----------
    specs : sequence of str
        One file a system; its name becomes that of the rows.
    references : sequence of str
        One file, or several where the metric takes several references.
    metric : OutputMetric
    format_name : str, optional
        As for `read_corpus`.

    Raises
    ------
    FileAccessError, DataError
        Files that cannot be read or understood, outputs that do not fit their references (with file and line),
        fewer than two items.
    OptionError
        Several references for a metric that takes one.
    """
    if len(references) > 1 and not metric.takes_several_references:
        what = f"{metric.name} takes one reference, got {len(references)}"
        raise OptionError(Problem("--reference", what, "Name one file.", "several-references"))
    gold = [read_corpus(path, metric.reference_type, format_name) for path in references]
    first = gold[0]
    sets: Sequence[Any] = first.items
    if metric.takes_several_references:
        sets = list(zip(first.items, *(pair_corpora(other, first).items for other in gold[1:]), strict=True))
    outputs = [metric.paired(read_corpus(path, metric.output_type, format_name), first) for path in specs]
    if len(first) < 2:
        raise DataError(
            Problem(
                printable(first.name), f"expected at least 2 items, got {len(first)}", "One has no spread.", "one-item"
            )
        )
    fitted = metric.fitted(sets, [system.items for system in outputs])
    return fitted, [_rows_of(fitted, system, sets) for system in outputs]


def _rows_of(metric: OutputMetric[Any, Any], system: Corpus[Any], references: Sequence[Any]) -> Rows:
    name = printable(system.name)
    lines = system.lines if len(system.lines) else None
    try:
        values = metric.rows(system.items, references)
    except DataError as error:
        raise DataError(*(_completed(problem, name, lines) for problem in error.problems)) from None
    return Rows(name, values, system.item_ids, lines)


def _completed(problem: Problem, name: str, lines: Sequence[int] | None) -> Problem:
    """Put file and line in the place of the item's index that a metric gave."""
    where = problem.where
    if where.startswith("[") and where.endswith("]") and where[1:-1].isdigit():
        index = int(where[1:-1])
        where = f"{name}:{lines[index]}" if lines is not None else f"{name}{where}"
    return Problem(where, problem.what, problem.advice, problem.slug)
