"""Metrics of other packages: checks of their declarations, and metrics that packages register."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, TypeVar

from outscore.errors import OptionError, Problem
from outscore.metrics.base import AnyMetric, AnyOutputMetric, ColumnMetric, Metric, RatioMetric
from outscore.metrics.checked import metric_error
from outscore.options import opt
from outscore.text.naming import printable, quoted

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def faults_of_declaration(metric: AnyMetric) -> Iterator[tuple[str, str]]:
    """Yield the faults of a metric's declaration, each as what was expected and what was found.

    `outscore.testing.check_declaration` reports each to the author of a metric. In use, the first one raises an error.
    """
    name = getattr(metric, "name", None)
    if not (isinstance(name, str) and name) or any(c.isspace() or c in ':=,"' for c in name):
        yield "to have a name without spaces, colons, commas and quotes", f"it is {name!r}"
    for what in ("higher_is_better", "as_percentage"):
        value = getattr(metric, what, None)
        if not isinstance(value, bool):
            yield f"to have {what} True or False", f"it is {value!r}"
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
        yield "to have shared_statistics among its statistics", f"{sorted(unknown)} are not"
    if isinstance(metric, RatioMetric):
        for what in ("numerator", "denominator"):
            length = len(getattr(metric, what, ()))
            if length != len(statistics):
                got = f"there are {length} for {len(statistics)} statistics"
                yield f"one coefficient per statistic in its {what}", got


def check_declared(metric: AnyMetric) -> None:
    """Raise an error about the first fault of a metric's declaration, if there is one."""
    for wanted, got in faults_of_declaration(metric):
        name = printable(str(getattr(metric, "name", None) or type(metric).__name__))
        raise metric_error(name, f"expected {wanted}; {got}", "broken-metric")


def _is_range(bounds: object) -> bool:
    if not isinstance(bounds, tuple) or len(bounds) != 2:
        return False
    return all(isinstance(end, int | float) and not isinstance(end, bool) for end in bounds) and bounds[0] < bounds[1]


def _are_texts(values: object) -> bool:
    return isinstance(values, tuple) and all(isinstance(value, str) for value in values)


GROUP = "outscore.metrics"
M = TypeVar("M", bound=AnyMetric)


@dataclass(frozen=True)
class Plugin:
    """A metric that another package registers."""

    name: str  # name as written by users
    distribution: str  # the package that registers it, with its version
    entry_point: EntryPoint

    def load(self) -> type[AnyMetric]:
        """Return the metric's class."""
        import inspect

        try:
            metric = self.entry_point.load()
        except (Exception, SystemExit) as error:  # an import may raise anything
            reason = " ".join(str(error).split())
            what = f"cannot be loaded: {type(error).__name__}{': ' if reason else ''}{printable(reason)}"
            raise self._broken(what) from error
        if not (inspect.isclass(metric) and issubclass(metric, AnyOutputMetric | ColumnMetric)):
            raise self._broken("is not a class derived from OutputMetric, RecomputedMetric or ColumnMetric")
        if inspect.isabstract(metric):
            missing = ", ".join(sorted(metric.__abstractmethods__))
            raise self._broken(f"does not define {missing}")
        if not is_dataclass(metric) or not metric.__dataclass_params__.frozen:
            raise self._broken("is not a frozen dataclass")
        required = [f.name for f in fields(metric) if f.init and f.default is MISSING and f.default_factory is MISSING]
        if required:
            raise self._broken(f"has no default for its option {', '.join(required)}")
        if getattr(metric, "name", None) != self.name:
            raise self._broken(f"has a different name: {quoted(str(getattr(metric, 'name', '')))}")
        try:
            fault = next(faults_of_declaration(metric()), None)
        except (Exception, SystemExit) as error:  # its options may reject their own defaults
            raise self._broken(f"cannot be created: {type(error).__name__}: {printable(str(error))}") from error
        if fault is not None:
            raise self._broken(f"is expected {fault[0]}; {fault[1]}")
        return metric

    def _broken(self, what: str) -> OptionError:
        return OptionError(
            Problem(
                f"{printable(self.distribution)}: {GROUP}: {printable(self.name)}",
                f"{quoted(self.entry_point.value)} {what}",
                "Fix or remove that package.",
                "broken-metric",
            )
        )


def plugins() -> Iterator[Plugin]:
    """Yield the metrics that installed packages register, by name, without importing them."""
    from importlib.metadata import entry_points  # slow, and not needed for metrics of outscore

    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
        distribution = entry.dist
        yield Plugin(
            entry.name,
            "an unknown package" if distribution is None else f"{distribution.name} {distribution.version}",
            entry,
        )


def plugged_metric(name: str, kind: type[M]) -> type[M] | None:
    """Return the class of that name and kind that an installed package registers, or None."""
    registered = {plugin.entry_point.value: plugin for plugin in plugins() if plugin.name == name}
    if len(registered) > 1:
        owners = " and ".join(printable(plugin.distribution) for plugin in registered.values())
        what = f"the metric {quoted(name)} is registered by {owners}"
        raise OptionError(Problem(opt("metric"), what, "Remove one of them.", "ambiguous-metric"))
    for plugin in registered.values():
        metric = plugin.load()
        if issubclass(metric, kind):
            return metric
    return None
