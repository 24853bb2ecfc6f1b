"""Parts of scores on several datasets: the scores on each dataset, and scores with datasets as items or strata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from outscore._types import FloatArray
from outscore.data.rows import Rows
from outscore.design import Design
from outscore.design.scores import Scores
from outscore.design.settling import averaged
from outscore.design.strata import Strata
from outscore.design.test_sets import TestSets
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics import AnyMetric, Metric, RatioMetric
from outscore.metrics.families.averages import Averaged
from outscore.options import opt
from outscore.questions.several_tests import check_tasks
from outscore.text.naming import quoted


@dataclass(frozen=True)
class _TaskMean(Averaged, RatioMetric):
    """The mean of the scores of tasks, each counted once."""

    metric: Metric

    statistics = ("score", "tasks")
    shared_statistics = ("tasks",)
    numerator = (1.0, 0.0)
    denominator = (0.0, 1.0)


def by_test_set(scores: Scores) -> list[Scores]:
    """Return the scores on each dataset. A single dataset, or one of a single item, is an error."""
    _check(scores.design)
    test_sets = scores.design.test_sets
    assert test_sets is not None
    return [scores.on_items(np.flatnonzero(test_sets == code)) for code in range(len(scores.design.test_set_names))]


def over_strata(scores: Scores) -> Scores:
    """Return the scores whose average is over these datasets, equally weighted."""
    design, n = scores.design, len(scores.design.test_set_names)
    if design.strata is not None:
        what = "the average over datasets cannot be combined with strata"
        raise OptionError(Problem(opt("strata"), what, f"Omit it, or pass {opt('tasks', 'count')}.", "two-averages"))
    # Strata are sorted by name, so that the order of items does not change their average.
    names = tuple(sorted(design.test_set_names))
    places = np.array([names.index(name) for name in design.test_set_names])
    strata = Strata(places[design.test_sets], names, (Fraction(1, n),) * n, "datasets")
    weighted = design.without(TestSets).having(strata)
    pairs = [
        averaged(_of_one_cell(metric, design), systems, weighted)
        for metric, systems in zip(scores.metrics, scores.rows, strict=True)
    ]
    metrics, rows = zip(*pairs, strict=True)
    return replace(scores, metrics=metrics, rows=tuple(map(tuple, rows)), design=weighted)


def over_tasks(scores: Scores, parts: Sequence[Scores]) -> Scores:
    """Return scores whose items are the tasks."""
    design, names = scores.design, scores.design.test_set_names
    check_tasks(len(names))
    over = Design(len(names), names, design.crossed, unit="task")
    metrics, rows = [], []
    for index, metric in enumerate(scores.metrics):
        of_cells = _of_one_cell(metric, design)
        if not isinstance(of_cells, Metric):
            what = f"{metric.name} has no sufficient statistics"
            raise OptionError(Problem(opt("tasks", "random"), what, "Use another metric.", "recomputed-metric"))
        systems = [
            _of_tasks(of_cells, [part.rows[index][system] for part in parts], names, design)
            for system in range(len(scores))
        ]
        metric, systems = averaged(_TaskMean(of_cells), systems, over)
        metrics.append(metric)
        rows.append(tuple(systems))
    return replace(scores, metrics=tuple(metrics), rows=tuple(rows), design=over)


def _of_one_cell(metric: AnyMetric, design: Design) -> AnyMetric:
    """Return the metric by which one cell, such as a run, is scored."""
    return metric.metric if design.axes and isinstance(metric, Averaged) else metric


def _of_tasks(metric: Metric, parts: Sequence[Rows], names: Sequence[str], design: Design) -> Rows:
    """Return a system whose items are the tasks."""

    def rows(totals: FloatArray) -> FloatArray:
        scores = np.asarray(metric.score(totals), dtype=np.float64)
        return np.stack([scores, np.ones_like(scores)], axis=-1)

    first = parts[0]
    cells = None
    if first.cells is not None and design.axes:
        totals = np.stack([part.cells.values.sum(axis=-2) for part in parts if part.cells is not None], axis=-2)
        cells = replace(first.cells, values=rows(totals), answers=None, selectors=None)
        values = cells.means
    else:
        values = rows(np.stack([part.values.sum(axis=0) for part in parts]))
    return replace(first, values=values, item_ids=tuple(names), lines=None, cells=cells, sampling_variance=None)


def _check(design: Design) -> None:
    names = design.test_set_names
    if design.test_sets is None or len(names) < 2:
        what = f"expected at least two datasets, got {'one: ' + quoted(names[0]) if names else 'none'}"
        raise DataError(
            Problem(opt("test_sets"), what, "Pass a column with the names of the datasets.", "one-test-set")
        )
    if design.is_weighted:
        what = "cannot be combined with several datasets"
        raise OptionError(
            Problem(opt("weights"), what, f"Omit {opt('weights')} or {opt('test_sets')}.", "two-averages")
        )
    sizes = np.bincount(design.test_sets)
    if sizes.min() < 2:
        name = names[int(sizes.argmin())]
        what = f"expected at least 2 items in each dataset, got one in {quoted(name)}"
        raise DataError(Problem(opt("test_sets"), what, "One item does not show how much items vary.", "one-item"))
