"""Metrics of other packages, registered as entry points of the group "outscore.metrics"."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

from outscore.errors import OptionError, Problem
from outscore.metrics.base import AnyMetric, AnyOutputMetric, ColumnMetric
from outscore.metrics.declarations import faults_of_declaration
from outscore.naming import printable, quoted

__all__ = ["GROUP", "Plugin", "plugged_metric", "plugins"]

GROUP = "outscore.metrics"
M = TypeVar("M", bound=AnyMetric)


@dataclass(frozen=True)
class Plugin:
    """A metric that another package registers.

    Attributes
    ----------
    name : str
        As users write it.
    distribution : str
        The package that registers it, with its version.
    """

    name: str
    distribution: str
    entry_point: EntryPoint

    def load(self) -> type[AnyMetric]:
        """Return the metric's class."""
        try:
            metric = self.entry_point.load()
        except (Exception, SystemExit) as error:  # a package may do anything while it is imported
            reason = " ".join(str(error).split())
            what = f"cannot be loaded: {type(error).__name__}{': ' if reason else ''}{printable(reason)}"
            raise self._broken(what) from error
        if not (inspect.isclass(metric) and issubclass(metric, AnyOutputMetric | ColumnMetric)):
            raise self._broken("is no class that derives from OutputMetric, RecomputedMetric or ColumnMetric")
        if inspect.isabstract(metric):
            missing = ", ".join(sorted(metric.__abstractmethods__))
            raise self._broken(f"does not define {missing}")
        if not is_dataclass(metric) or not metric.__dataclass_params__.frozen:
            raise self._broken("is no frozen dataclass, so that its options and its equality are not known")
        required = [f.name for f in fields(metric) if f.init and f.default is MISSING and f.default_factory is MISSING]
        if required:
            raise self._broken(f"has no default for its option {', '.join(required)}")
        if getattr(metric, "name", None) != self.name:
            raise self._broken(f"has another name of its own: {quoted(str(getattr(metric, 'name', '')))}")
        try:
            fault = next(faults_of_declaration(metric()), None)
        except (Exception, SystemExit) as error:  # its options may refuse their own defaults
            raise self._broken(f"cannot be made: {type(error).__name__}: {printable(str(error))}") from error
        if fault is not None:
            raise self._broken(f"is expected {fault[0]}; {fault[1]}")
        return metric

    def _broken(self, what: str) -> OptionError:
        return OptionError(
            Problem(
                f"{printable(self.distribution)}: {GROUP}: {printable(self.name)}",
                f"{quoted(self.entry_point.value)} {what}",
                "Mend or remove that package.",
                "broken-metric",
            )
        )


def plugins() -> Iterator[Plugin]:
    """Yield the metrics that installed packages register, by name; nothing is imported yet."""
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
        of = entry.dist
        yield Plugin(entry.name, "an unknown package" if of is None else f"{of.name} {of.version}", entry)


def plugged_metric(name: str, kind: type[M]) -> type[M] | None:
    """Return the class of that name and kind that an installed package registers, None where there is none."""
    registered = {plugin.entry_point.value: plugin for plugin in plugins() if plugin.name == name}
    if len(registered) > 1:
        owners = " and ".join(printable(plugin.distribution) for plugin in registered.values())
        what = f"the metric {quoted(name)} is registered by {owners}"
        raise OptionError(Problem("--metric", what, "Remove one of them.", "ambiguous-metric"))
    for plugin in registered.values():
        metric = plugin.load()
        if issubclass(metric, kind):
            return metric
    return None
