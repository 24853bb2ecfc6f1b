"""What a metric has to say of itself before anything is computed."""

from __future__ import annotations

from collections.abc import Iterator

from outscore.metrics.base import AnyMetric, AnyOutputMetric, ColumnMetric, Metric, RatioMetric
from outscore.metrics.checked import metric_error
from outscore.naming import printable

__all__ = ["check_declared", "faults_of_declaration"]


def faults_of_declaration(metric: AnyMetric) -> Iterator[tuple[str, str]]:
    """Yield what is expected of a metric's attributes and what they are instead: name, statistics, direction, types.

    Where a metric is made by its author, each is told as a failed test (`outscore.testing.check_declaration`); where
    it is used, the first stops the comparison.
    """
    name = getattr(metric, "name", None)
    if not (isinstance(name, str) and name) or any(c.isspace() or c in ':=,"' for c in name):
        yield "to have a name without spaces, colons, commas and quotes", f"it is {name!r}"
    for what in ("higher_is_better", "as_percentage"):
        value = getattr(metric, what, None)
        if not isinstance(value, bool):
            yield f"to say {what}: True or False", f"it is {value!r}"
    bounds = getattr(metric, "score_range", None)
    if bounds is not None and not _is_range(bounds):
        yield "to have a score_range of two numbers, the lower one first, or None", f"it is {bounds!r}"
    if isinstance(metric, ColumnMetric):
        columns = getattr(metric, "columns", None)
        if not (_are_texts(columns) and columns):
            yield "to name its columns in a tuple", f"they are {columns!r}"
    if isinstance(metric, AnyOutputMetric):
        for what, wanted in (("output_type", type), ("reference_type", type), ("citation", str)):
            value = getattr(metric, what, None)
            if not isinstance(value, wanted):
                yield f"to have a {what}", f"it is {value!r}"
    if isinstance(metric, Metric):
        yield from _faults_of_statistics(metric)


def _faults_of_statistics(metric: Metric) -> Iterator[tuple[str, str]]:
    statistics = getattr(metric, "statistics", None)
    if not isinstance(statistics, tuple) or not _are_texts(statistics):
        yield "to name its statistics in a tuple", f"got {statistics!r}"
        return
    unknown = set(metric.shared_statistics) - set(statistics)
    if unknown:
        yield "to share statistics that it has", f"{sorted(unknown)} are not among them"
    if isinstance(metric, RatioMetric):
        for what in ("numerator", "denominator"):
            length = len(getattr(metric, what, ()))
            if length != len(statistics):
                got = f"there are {length} for {len(statistics)} statistics"
                yield f"one coefficient a statistic in its {what}", got


def check_declared(metric: AnyMetric) -> None:
    """Raise the error that names the first fault of a metric's declaration, if there is one."""
    for wanted, got in faults_of_declaration(metric):
        name = printable(str(getattr(metric, "name", None) or type(metric).__name__))
        raise metric_error(name, f"expected {wanted}; {got}", "broken-metric")


def _is_range(bounds: object) -> bool:
    if not isinstance(bounds, tuple) or len(bounds) != 2:
        return False
    return all(isinstance(end, int | float) and not isinstance(end, bool) for end in bounds) and bounds[0] < bounds[1]


def _are_texts(values: object) -> bool:
    return isinstance(values, tuple) and all(isinstance(value, str) for value in values)
