"""A system stored in a baseline file: its rows on each metric, used in place of a file that is scored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from outscore._types import FloatArray
from outscore.data.rows import Rows
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics import AnyMetric
from outscore.metrics.base import ColumnMetric, Metric, RatioMetric, fault_of_scale
from outscore.metrics.options import describe_metric
from outscore.options import opt
from outscore.text.naming import listed, printable, quoted

if TYPE_CHECKING:
    from outscore.readers.kept.rows import KeptRows  # imports dozens of metrics

STORE_SCHEMA: Literal["outscore/gate-store/2"] = "outscore/gate-store/2"
FORMER_STORE_SCHEMA = "outscore/gate-store/1"  # an inconclusive outcome was "undecided"
_SCHEMA = re.compile(rb'"schema": ?"(outscore/gate-store/\d+)"')
_RESTORE = "Restore the file, or delete it and accept a new baseline."
_SAME = 1e-9  # averages of runs are rounded
_HEAD = 4096  # the format is named within these first bytes


def is_store(path: str) -> bool:
    """Return from its first bytes whether a file is a baseline file."""
    try:
        with Path(path).open("rb") as file:
            return _SCHEMA.search(file.read(_HEAD)) is not None
    except (OSError, ValueError):
        return False


def is_newer_store(data: bytes) -> bool:
    """Return whether a file holds a baseline in a format that this version does not know."""
    schema = _SCHEMA.search(data[:_HEAD])
    return schema is not None and schema[1].decode() not in (STORE_SCHEMA, FORMER_STORE_SCHEMA)


def damaged_store(path: str, what: str) -> DataError:
    """Return the error of an invalid baseline file."""
    return DataError(Problem(printable(path), printable(what), _RESTORE, "bad-store"))


def _fault(values: FloatArray, metric: AnyMetric) -> str | None:
    """Return what is wrong with the rows of a metric, shape (n, k), or None."""
    if not isinstance(metric, Metric) or values.shape[1] != len(metric.statistics):
        return f"{values.shape[1]} numbers each"
    faults = metric.faults_of_rows(values)
    fault = next(faults, fault_of_scale(values) if isinstance(metric, ColumnMetric) else None)
    if fault is not None:
        return fault.what
    if "items" in metric.shared_statistics and (values[:, metric.statistics.index("items")] != 1).any():
        return "counts of items that are not 1"
    if not isinstance(metric, RatioMetric) or metric.score_range is None:
        return None
    (low, high), scores = metric.score_range, metric.item_scores(values)
    if ((scores < low - _SAME) | (scores > high + _SAME)).any():
        return f"expected {low:g} to {high:g}, got {scores[np.argmax(np.maximum(low - scores, scores - high))]:g}"
    return None


@dataclass(frozen=True, eq=False)
class StoredSystem:
    """One run of a system.

    Attributes
    ----------
    path : str
        The baseline file.
    rows : mapping from str to Rows or KeptRows
        By metric, as users write it; `KeptRows` for metrics of outputs.
    """

    path: str
    rows: Mapping[str, Rows | KeptRows]

    @property
    def of_outputs(self) -> bool:
        """Whether its rows were computed from outputs."""
        return not all(isinstance(rows, Rows) for rows in self.rows.values())

    def rows_on(self, metric: AnyMetric) -> Rows:
        """Return the rows on a metric of columns. Raise OptionError for a metric that was not stored."""
        rows = self._on(metric)
        if not isinstance(rows, Rows):
            raise self._lacking(metric)
        self._check(rows, metric)
        return rows

    def kept_on(self, metric: AnyMetric | None) -> KeptRows:
        """Return the rows on a metric of outputs, by default the only one.

        Raise OptionError for a metric that was not stored.
        """
        rows = next(iter(self.rows.values())) if metric is None else self._on(metric)
        if rows is None or isinstance(rows, Rows):
            raise self._lacking(metric)
        self._check(rows.rows, rows.metric)
        return rows

    def _check(self, rows: Rows, metric: AnyMetric) -> None:
        """Raise if rows are impossible, because the file may have been edited."""
        what = _fault(rows.values, metric)
        if what is not None:
            raise damaged_store(self.path, f"impossible scores of {describe_metric(metric).spec}: {what}")

    def _on(self, metric: AnyMetric) -> Rows | KeptRows | None:
        return self.rows.get(describe_metric(metric).spec)

    def _lacking(self, metric: AnyMetric | None) -> OptionError:
        spec = "" if metric is None else describe_metric(metric).spec
        what = f"was accepted with {listed(list(self.rows))}, got {quoted(spec)}"
        advice = f"Leave {opt('metric')} out, or accept a baseline with it."
        return OptionError(Problem(printable(self.path), what, advice, "other-metric"))
