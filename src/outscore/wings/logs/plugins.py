"""Formats of logs from installed packages."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from outscore.data.items import ItemTexts
from outscore.errors import OptionError, OutscoreError, Problem
from outscore.readers.sources import LOG_SUFFIXES
from outscore.text.naming import listed, printable, quoted
from outscore.wings.logs.base import Log, LogFile, LogFormat

GROUP = "outscore.logs"


@dataclass(frozen=True)
class LogPlugin:
    """An entry point for a format of logs."""

    name: str  # the name of the harness
    distribution: str  # the package that registers it, with its version
    entry_point: EntryPoint

    def load(self) -> LogFormat:
        """Return the format; its exceptions become one-line errors that name its package."""
        with self.failures("cannot be loaded"):
            format_ = self.entry_point.load()
        if inspect.isclass(format_) and issubclass(format_, LogFormat):
            if inspect.isabstract(format_):
                raise self.broken(f"does not define {', '.join(sorted(format_.__abstractmethods__))}")
            with self.failures("cannot be instantiated"):
                format_ = format_()
        if not isinstance(format_, LogFormat):
            raise self.broken("is neither a class that derives from LogFormat, nor a RowFormat")
        if getattr(format_, "name", None) != self.name:
            raise self.broken(f"has a different name: {quoted(str(getattr(format_, 'name', '')))}")
        suffixes = format_.suffixes
        are_texts = isinstance(suffixes, tuple) and all(isinstance(suffix, str) for suffix in suffixes)
        if not (
            are_texts
            and suffixes
            and all(suffix == suffix.lower() and suffix.endswith(LOG_SUFFIXES) for suffix in suffixes)
        ):
            wanted = f"a tuple of lower-case suffixes that end in {listed(list(LOG_SUFFIXES))}"
            raise self.broken(f"needs {wanted}; it has {suffixes!r}")
        return _Plugged(self, format_)

    @contextmanager
    def failures(self, what: str) -> Iterator[None]:
        """Turn any exception into a one-line error; errors of outscore pass."""
        try:
            yield
        except (OutscoreError, MemoryError):
            raise
        except (Exception, SystemExit) as error:  # packages may raise anything
            reason = " ".join(str(error).split())
            raise self.broken(f"{what}: {type(error).__name__}{': ' if reason else ''}{printable(reason)}") from error

    def broken(self, what: str) -> OptionError:
        """Return an error on the format."""
        where = f"{printable(self.distribution)}: {GROUP}: {printable(self.name)}"
        what = f"{quoted(self.entry_point.value)} {what}"
        return OptionError(Problem(where, what, "Fix or remove that package.", "broken-format"))


class _Plugged(LogFormat):
    """A format of another package."""

    def __init__(self, plugin: LogPlugin, format_: LogFormat) -> None:
        self.name, self.suffixes = format_.name, format_.suffixes
        self._plugin, self._format = plugin, format_

    def recognizes(self, file: LogFile) -> bool:
        with self._plugin.failures(f"cannot inspect {file.where}"):
            return bool(self._format.recognizes(file))

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        others = f" and {len(files) - 1:,} more" if len(files) > 1 else ""
        with self._plugin.failures(f"cannot read {files[0].where}{others}"):
            for log in self._format.read(files):
                if not isinstance(log, Log):
                    raise self._plugin.broken(f"returns a {type(log).__name__} instead of a Log")
                yield log

    def asked_for(self, files: Sequence[LogFile], tasks: Sequence[str], metrics: Sequence[str]) -> Sequence[LogFile]:
        with self._plugin.failures("cannot choose files"):
            return self._format.asked_for(files, tasks, metrics)

    def texts(self, log: Log, items: Collection[str]) -> Mapping[str, ItemTexts]:
        with self._plugin.failures(f"cannot read the texts of {printable(log.path)}"):
            return self._format.texts(log, items)


def plugins() -> Iterator[LogPlugin]:
    """Yield the formats of installed packages, by name, without importing them."""
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
        package = entry.dist
        yield LogPlugin(
            entry.name, "an unknown package" if package is None else f"{package.name} {package.version}", entry
        )


@cache
def plugged_formats(excluded: frozenset[str] = frozenset()) -> Mapping[str, LogFormat]:
    """Return the formats of installed packages by name, except for names of outscore's own formats.

    Two packages with the same name are refused.
    """
    by_name: dict[str, dict[str, LogPlugin]] = {}
    for plugin in plugins():
        if plugin.name not in excluded:
            by_name.setdefault(plugin.name, {})[plugin.entry_point.value] = plugin
    formats = {}
    for name, registered in by_name.items():
        if len(registered) > 1:
            owners = " and ".join(printable(plugin.distribution) for plugin in registered.values())
            what = f"the log format {quoted(name)} is registered by {owners}"
            raise OptionError(Problem(GROUP, what, "Remove one of them.", "ambiguous-format"))
        formats[name] = next(iter(registered.values())).load()
    return formats
