"""Read human and judge labels of systems: two columns of the same tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from outscore.data.rows import Missing, Rows
from outscore.design.options import CROSSED_OPTIONS
from outscore.design.scores import Systems
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics import ColumnMetric
from outscore.options import opt
from outscore.readers.reading import Reading, column_metric, listed_metrics
from outscore.readers.sources import Source
from outscore.text.naming import listed
from outscore.wings.human.powered import LabelledMetric

_WHY = "cannot be combined with human and judge labels"
_NO_TABLES = "applies to columns of tables, not to outputs or logs"
_OF_ITEMS = ("strata", "collapse_strata", "weights", "test_sets", "score_column")
_REFUSED = (*_OF_ITEMS, Missing.ZERO.argument, "skip_unreadable", *(option.argument for option in CROSSED_OPTIONS))


def with_labels(read: Callable[..., Systems], sources: Sequence[Source], metric: object, reading: Reading) -> Systems:
    """Return systems with their rows by human labels, where they have some, and by the judge's labels.

    `reading` names the columns of both, and `read` returns the systems of sources by a metric and such options. Items
    need ids, and a judge's label beside each human one.
    """
    _refuse(sources, reading)
    metrics = [column_metric(spec, reading) for spec in listed_metrics(metric) or ("mean",)]
    by_judge = _read(read, sources, metrics, reading, reading.judge)
    try:
        by_people = _read(read, sources, metrics, reading, reading.human)
    except DataError as error:
        judge = by_judge.rows[0][0]
        if judge.item_ids is None and error.problems[0].slug == "not-a-number":
            raise DataError(_no_ids(judge)) from None
        raise
    if by_judge.strata is not None:
        raise OptionError(Problem(opt("human"), f"strata {_WHY}", "Pass a table without strata.", "not-with-labels"))
    rows = [
        tuple(
            _joined(*both, drops=reading.missing is Missing.DROP) for both in zip(judge_rows, human_rows, strict=True)
        )
        for judge_rows, human_rows in zip(by_judge.rows, by_people.rows, strict=True)
    ]
    return replace(by_judge, metrics=tuple(map(LabelledMetric, metrics)), rows=tuple(rows))


def _read(
    read: Callable[..., Systems],
    sources: Sequence[Source],
    metrics: Sequence[ColumnMetric],
    reading: Reading,
    column: str | None,
) -> Systems:
    """Return systems scored by one label column. If the metric has several, such as a ratio, it is the first."""
    several, drops = len(metrics[0].columns) > 1, reading.missing is Missing.DROP or column == reading.human
    if any((len(metric.columns) > 1) != several for metric in metrics):
        what = "metrics of one column and of several cannot use the same labels"
        raise OptionError(Problem(opt("metric"), what, "Choose metrics of one kind.", "not-with-labels"))
    metric_rows = []
    for metric in metrics if several else ():
        metric_rows.append(copy(metric))
        object.__setattr__(metric_rows[-1], "columns", (column, *metric.columns[1:]))
    how: Any = {"human": None, "judge": None, "lower_is_better": False, Missing.DROP.argument: drops}
    return read(sources, metric_rows or metrics, replace(reading, score_column=None if several else column, **how))


def _refuse(sources: Sequence[Source], reading: Reading) -> None:
    """Raise if an option is missing, or does not fit human and judge labels."""
    for name, other in (("human", "judge"), ("judge", "human")):
        if getattr(reading, name) is None:
            raise OptionError(Problem(opt(other), f"needs {opt(name)}", "Name both columns.", "one-label"))
    if reading.has_references or reading.mapping is not None or any(source.is_log for source in sources):
        raise OptionError(Problem(opt("human"), _NO_TABLES, "Write both labels into a table.", "not-with-labels"))
    reading.refuse(dict.fromkeys(_REFUSED, _WHY), "not-with-labels")


def _joined(judge: Rows, human: Rows, *, drops: bool) -> Rows:
    """Return the rows of a system: whether an item has a human label, its row by it, and by the judge's label."""
    ids, labelled = judge.item_ids, human.item_ids
    if ids is None and judge.cells is None and len(human) == len(judge):  # a data frame, whose items have places
        ids = labelled = tuple(map(str, range(len(judge))))
    if ids is None or labelled is None:
        raise DataError(_no_ids(judge))
    kept = _with_scores(judge)
    row_of = {ids[index]: position for position, index in enumerate(kept)}
    placed = [(row_of.get(labelled[score]), score) for score in _with_scores(human)]
    unknown = [labelled[index] for row, index in placed if row is None]
    if unknown and not drops:
        what = f"{len(unknown)} item(s) have a human label but no judge label: {listed(unknown)}"
        advice = f"Judge all items, or pass {Missing.DROP.option}."
        raise DataError(Problem(judge.where, what, advice, "no-judge"))
    k = judge.values.shape[1]
    values = np.zeros((len(kept), 1 + 2 * k))
    values[:, 1 + k :] = judge.values[kept]
    for row, index in placed:
        if row is not None:
            values[row, 0], values[row, 1 : 1 + k] = 1.0, human.values[index]
    return replace(replace(judge, cells=None).take(np.array(kept)), values=values)


def _no_ids(rows: Rows) -> Problem:
    what = "expected a column of item ids, because items without a human label are left out"
    return Problem(rows.where, what, f"Pass {opt('id_column')}.", "no-ids")


def _with_scores(rows: Rows) -> Sequence[int]:
    """Return the places of the items that have a score; only those of data frames may lack it."""
    return range(len(rows)) if rows.cells is None else np.flatnonzero(~rows.cells.lacking).tolist()
