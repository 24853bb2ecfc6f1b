"""Formats of logs that installed packages register."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from outscore.data.items import ItemTexts
from outscore.errors import OptionError, OutscoreError, Problem
from outscore.logs.base import Log, LogFile, LogFormat
from outscore.readers.reading import LOG_SUFFIXES
from outscore.text.naming import listed, printable, quoted

GROUP = "outscore.logs"


@dataclass(frozen=True)
class LogPlugin:
    """A format of logs that another package registers.

    Attributes
    ----------
    name : str
        As people call the harness.
    distribution : str
        The package that registers it, with its version.
    """

    name: str
    distribution: str
    entry_point: EntryPoint

    def load(self) -> LogFormat:
        """Return the format; whatever it raises later is an error of one line that names its package.

        Raises
        ------
        OptionError
            An entry point that is no format of logs.
        """
        with self.failures("cannot be loaded"):
            known = self.entry_point.load()
        if inspect.isclass(known) and issubclass(known, LogFormat):
            if inspect.isabstract(known):
                raise self.broken(f"does not define {', '.join(sorted(known.__abstractmethods__))}")
            with self.failures("cannot be made"):
                known = known()
        if not isinstance(known, LogFormat):
            raise self.broken("is no class that derives from LogFormat, and no RowFormat")
        if getattr(known, "name", None) != self.name:
            raise self.broken(f"has another name of its own: {quoted(str(getattr(known, 'name', '')))}")
        suffixes = known.suffixes
        are_texts = isinstance(suffixes, tuple) and all(isinstance(one, str) for one in suffixes)
        if not (are_texts and suffixes and all(one == one.lower() and one.endswith(LOG_SUFFIXES) for one in suffixes)):
            wanted = f"a tuple of suffixes in lower case that end in {listed(list(LOG_SUFFIXES))}"
            raise self.broken(f"is expected to have {wanted}; it is {suffixes!r}")
        return _Plugged(self, known)

    @contextmanager
    def failures(self, what: str) -> Iterator[None]:
        """Turn any exception into an error of one line; errors of outscore itself pass."""
        try:
            yield
        except (OutscoreError, MemoryError):
            raise
        except (Exception, SystemExit) as error:  # a package may do anything
            reason = " ".join(str(error).split())
            raise self.broken(f"{what}: {type(error).__name__}{': ' if reason else ''}{printable(reason)}") from error

    def broken(self, what: str) -> OptionError:
        """Return the error that says what is wrong with the format."""
        where = f"{printable(self.distribution)}: {GROUP}: {printable(self.name)}"
        what = f"{quoted(self.entry_point.value)} {what}"
        return OptionError(Problem(where, what, "Mend or remove that package.", "broken-format"))


class _Plugged(LogFormat):
    """A format of another package."""

    def __init__(self, plugin: LogPlugin, known: LogFormat) -> None:
        self.name, self.suffixes = known.name, known.suffixes
        self._plugin, self._known = plugin, known

    def recognizes(self, file: LogFile) -> bool:
        with self._plugin.failures(f"cannot look at {file.where}"):
            return bool(self._known.recognizes(file))

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        others = f" and {len(files) - 1:,} more" if len(files) > 1 else ""
        with self._plugin.failures(f"cannot read {files[0].where}{others}"):
            for log in self._known.read(files):
                if not isinstance(log, Log):
                    raise self._plugin.broken(f"reads a {type(log).__name__} where a Log is expected")
                yield log

    def asked_for(self, files: Sequence[LogFile], tasks: Sequence[str], metrics: Sequence[str]) -> Sequence[LogFile]:
        with self._plugin.failures("cannot choose files"):
            return self._known.asked_for(files, tasks, metrics)

    def texts(self, log: Log, items: Collection[str]) -> Mapping[str, ItemTexts]:
        with self._plugin.failures(f"cannot read the texts of {printable(log.path)}"):
            return self._known.texts(log, items)


def plugins() -> Iterator[LogPlugin]:
    """Yield the formats that installed packages register, by name; nothing is imported yet."""
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
        of = entry.dist
        yield LogPlugin(entry.name, "an unknown package" if of is None else f"{of.name} {of.version}", entry)


@cache
def plugged_formats(own: frozenset[str] = frozenset()) -> Mapping[str, LogFormat]:
    """Return the formats of installed packages by name, without those of outscore's own names.

    Raises
    ------
    OptionError
        A name that two packages register, or a format that cannot be loaded.
    """
    by_name: dict[str, dict[str, LogPlugin]] = {}
    for plugin in plugins():
        if plugin.name not in own:
            by_name.setdefault(plugin.name, {})[plugin.entry_point.value] = plugin
    formats = {}
    for name, registered in by_name.items():
        if len(registered) > 1:
            owners = " and ".join(printable(plugin.distribution) for plugin in registered.values())
            what = f"the log format {quoted(name)} is registered by {owners}"
            raise OptionError(Problem(GROUP, what, "Remove one of them.", "ambiguous-format"))
        formats[name] = next(iter(registered.values())).load()
    return formats
