"""The records of a log, as readers add them: items, runs, scores, labels and digests."""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from sys import intern
from typing import Any, TypedDict, Unpack

import numpy as np

from outscore._types import FloatArray
from outscore.data.rows import RunDesign
from outscore.wings.logs.base import Log, LogMetric, wrong_log
from outscore.wings.logs.values import MetadataLabels, filled

_NAN = array("d", [math.nan])  # extending by an array takes a tenth of the time of an iterator
_NOTHING: Mapping[str, str] = {}


class Details(TypedDict, total=False):
    """Other data of a log, as `Log` describes them."""

    cluster: str | None
    facts: Mapping[str, str]
    apart: Sequence[str]
    named_by_path: bool
    groups: Mapping[str, str]
    notes: Sequence[str]
    n_unlisted: int
    is_secondary: bool
    needs_total: bool
    label_of: Callable[[str], Mapping[str, str]] | None


@dataclass(eq=False)
class RecordBuilder:
    """The records of one system on one task.

    A reader adds records one by one, and scores by the place of the record, in any order. A missing score is NaN.
    """

    most: int = 10_000  # the largest number of metrics
    metrics_are: str = "metrics"  # their name in the error on too many of them
    slug: str = "too-many-metrics"  # the slug of that error
    # items, runs: one per record; the run is empty if the format has none.
    items: list[str] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    # labels, digests: one per record, from `add`.
    labels: dict[str, list[str]] = field(default_factory=dict)
    digests: dict[str, list[str]] = field(default_factory=dict)
    # Free metadata, one mapping per record; `labels` includes the useful ones.
    metadata: MetadataLabels = field(default_factory=MetadataLabels)
    n_errors: int = 0  # records that ended in an error and have no scores
    # By metric, the scores up to the last record with one.
    columns: dict[Any, array[float]] = field(default_factory=dict)
    index_of: dict[Hashable, int] = field(default_factory=dict)  # of records that were added with a key
    _times: defaultdict[Hashable, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))

    def __len__(self) -> int:
        return len(self.items)

    def add(
        self,
        item: str,
        run: str = "",
        scores: Mapping[str, float] | None = None,
        *,
        labels: Mapping[str, str] = _NOTHING,
        digests: Mapping[str, str] = _NOTHING,
        key: Hashable = None,
    ) -> int:
        """Add a record, with its key in `index_of`, and return its index. All records have these labels and digests."""
        index = len(self.items)
        self.items.append(intern(item))
        self.runs.append(intern(run))
        if index == 0:
            self.labels |= {name: [] for name in labels}
            self.digests |= {name: [] for name in digests}
        for name, value in labels.items():
            self.labels[name].append(value)
        for name, value in digests.items():
            self.digests[name].append(value)
        if scores is not None:
            for metric, score in scores.items():
                self.score(index, metric, score)
        if key is not None:
            self.index_of[key] = index
        return index

    def time(self, item: str, key: Hashable = None) -> int:
        """Return the number of earlier calls for this item, from 0."""
        times = self._times[key]
        time = times[item] = times.get(item, -1) + 1
        return time

    def score(self, index: int, metric: Hashable, value: float, where: str = "") -> None:
        """Set the score of the record at a place; the first value that is not NaN counts."""
        column = self.columns.get(metric)
        if column is None:
            if len(self.columns) >= self.most:
                what = f"expected at most {self.most:,} {self.metrics_are}, got more"
                raise wrong_log(where, what, slug=self.slug)
            column = self.columns[metric] = array("d")
        n_missing = index - len(column)
        if n_missing >= 0:
            if n_missing:
                column.extend(_NAN * n_missing)
            column.append(value)
        elif math.isnan(column[index]):
            column[index] = value

    def scores(self, metric: Hashable) -> FloatArray:
        """Return the scores of a metric, one per record."""
        scores = np.full(len(self), np.nan)
        column = self.columns.get(metric, ())
        scores[: len(column)] = column
        return scores

    def log(
        self,
        path: str | Path,
        system: str,
        task: str,
        metrics: Sequence[LogMetric],
        *,
        runs_are: RunDesign | None = None,
        has_runs: bool | None = None,
        **details: Unpack[Details],
    ) -> Log:
        """Return the log of all records. By default items have runs if runs differ."""
        has_runs = len(set(self.runs)) > 1 if has_runs is None else has_runs
        return Log(
            path=str(path),
            system=system,
            task=task,
            item_ids=self.items,
            metrics=metrics,
            runs=self.runs if has_runs else None,
            runs_are=runs_are if has_runs else None,
            n_errors=self.n_errors,
            labels=filled(self.labels),
            digests=filled(self.digests),
            **details,
        )
