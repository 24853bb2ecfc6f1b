"""Systems as users and programs pass them: each argument or object is parsed once, to a `Source`.

A source says where a system is: a file and a column, the files of its runs, or an object. How it is read is decided by
the doors of `readers.door`, and no later code looks at the text of an argument again.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Sized
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from outscore.data.rows import Rows
from outscore.errors import DataError, FileAccessError, OptionError, OutscoreError, Problem
from outscore.metrics.families.columns import METRICS
from outscore.readers.files import STANDARD_INPUT, is_folder, is_readable, split_spec
from outscore.readers.kept.files import METRIC_PLACE, is_kept
from outscore.readers.kept.packing import ARCHIVE_SUFFIXES, PACKED_SUFFIXES
from outscore.readers.registry import item_formats, read_table, table_formats
from outscore.readers.tabular.cells import grades_of
from outscore.readers.tabular.columns import counts_rows, describes_items
from outscore.text.naming import distinguished, printable
from outscore.wings import from_wing, has_wing

if TYPE_CHECKING:
    from outscore.readers.kept.stored import StoredSystem  # the command line has none

# How logs in memory are recognized: the package of their class, and the columns of a frame.
_HARNESSES = ("inspect_ai",)
_LOG_COLUMNS = ("eval_id", "sample_id", "epoch")
# Endings of log file names; a test compares them with the formats.
LOG_SUFFIXES = (".eval", ".json", ".jsonl", ".parquet", ".seg.score", ".seg.rating")
# CSV is a log only with one of these columns; formats of logs are not imported for other tables.
CSV_LOG, _COLUMNS_OF_LOGS = ".csv", re.compile(rb"Named Scores|user_input|question")

_LOGS, _PACKED = ("|".join(map(re.escape, of)) for of in ((*LOG_SUFFIXES, CSV_LOG, *ARCHIVE_SUFFIXES), PACKED_SUFFIXES))
_NAME_OF_LOGS = re.compile(rf"({_LOGS})({_PACKED})?\Z", re.IGNORECASE)
_GZIPPED = re.compile(r"\.gz\Z", re.IGNORECASE)
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]*")  # not the .1 of "gpt-4.1"


@dataclass(frozen=True, eq=False)
class Source:
    """A system as it was passed, parsed once.

    Attributes
    ----------
    spec : str
        ``FILE``, ``FILE:COLUMN`` or ``LOG:SYSTEM`` as the user typed it, for messages. The first of several files.
        Empty for an object. "{metric}" in a name of cached rows is a placeholder for the metric.
    name : str, optional
        The user's name for it, from ``NAME=FILE``, a leaderboard file or a mapping.
    path : str, optional
        The file or folder; None for an object.
    column : str, optional
        What follows ``FILE:``: a column of a table, or a system of a long table or a log.
    parts : tuple of Source
        The files of one system, such as its runs, from ``NAME=FILE,FILE,...``.
    is_part : bool
        Whether it is one of these files.
    folder : str, optional
        The folder that the user named for its files, of which this is one.
    is_log : bool
        Whether it is an evaluation log, a folder of logs, or a log object of a harness.
    data : object
        The object.
    """

    spec: str = ""
    name: str | None = None
    path: str | None = None
    column: str | None = None
    parts: tuple[Source, ...] = ()
    is_part: bool = False
    folder: str | None = None
    is_log: bool = False
    data: object = None

    @classmethod
    def of(cls, spec: str, name: str | None = None) -> Source:
        """Return the source of ``FILE`` or ``FILE:COLUMN``."""
        return cls(spec, name, *split_spec(spec))

    @classmethod
    def named(cls, argument: str) -> Source:
        """Return the source of ``NAME=FILE``, or of the whole argument, if that is a file or has no such name.

        File names may contain =. So the name ends before the first = that a file, a folder or files of runs follow.

        Examples
        --------
        >>> [(source.name, source.spec) for source in map(Source.named, ["new=-", "new=a.txt", "runs/lr=0.1.txt"])]
        [('new', '-'), ('new', 'a.txt'), (None, 'runs/lr=0.1.txt')]
        """
        whole = cls.of(argument)
        if "=" not in argument or whole.is_there:
            return whole
        for index in (index for index, sign in enumerate(argument) if sign == "="):
            rest = cls.of(argument[index + 1 :], argument[:index])
            if rest.spec and (rest.is_there or ("," in rest.spec and _files_of_runs(rest))):
                return rest
        name, _, spec = argument.partition("=")
        return whole if "/" in name or os.sep in name else cls.of(spec, name)

    @classmethod
    def in_memory(cls, data: object, name: str | None = None) -> Source:
        """Return the source of an object."""
        return cls(name=name, data=data, is_log=_is_log_object(data))

    @cached_property
    def stored(self) -> StoredSystem | None:
        """The object, if it is a system from a baseline file."""
        if self.data is None:
            return None
        from outscore.readers.kept.stored import StoredSystem  # files have none

        return self.data if isinstance(self.data, StoredSystem) else None

    @property
    def is_there(self) -> bool:
        """Whether its file or folder exists."""
        return self.path is not None and (is_readable(self.path) or is_folder(self.path))

    @cached_property
    def is_kept(self) -> bool:
        """Whether its file has cached rows."""
        return self.path is not None and is_kept(self.spec)

    @cached_property
    def is_store(self) -> bool:
        """Whether its file is a baseline file of a gate."""
        from outscore.readers.kept.stored import is_store  # only gates have such files

        return self.path is not None and is_store(self.path)

    @property
    def is_board(self) -> bool:
        """Whether its file is a leaderboard file."""
        return self.spec.lower().endswith(".toml")

    @property
    def files(self) -> tuple[Source, ...]:
        """Its files, one by one, or itself."""
        return self.parts or (self,)

    @property
    def place(self) -> tuple[str, str | None]:
        """Its file and column."""
        return str(self.path), self.column

    @property
    def shown(self) -> str:
        """Its name in messages."""
        return self.name or "one system" if self.path is None else printable(self.spec)

    @property
    def paths(self) -> tuple[str, ...]:
        """Its files of logs; empty for an object."""
        return tuple(part.spec for part in self.parts) or (() if self.path is None else (self.path,))

    @property
    def as_log(self) -> Source:
        """The same file or folder, read like a log: ``FILE:SYSTEM`` is one of its systems."""
        if self.column is None and not (self.parts or self.is_there):
            return replace(self._in_folder(lambda _: True) or self, is_log=True)
        return replace(self, is_log=True)

    def _in_folder(self, wanted: Callable[[str], bool]) -> Source | None:
        """Return the source of ``FOLDER:SYSTEM``, or None if no such folder exists."""
        folder = self.spec
        while ":" in folder:
            folder = folder.rpartition(":")[0]
            if is_folder(folder) and wanted(folder):
                return replace(self, path=folder, column=self.spec[len(folder) + 1 :])
        return None


def _files_of_runs(source: Source) -> tuple[Source, ...]:
    """Return the files of several runs (``FILE,FILE,...`` or ``FILE:COLUMN,...``), or () if the spec is one file.

    Raise OptionError if a file is named twice.
    """
    parts = tuple(replace(Source.of(part.strip()), is_part=True) for part in source.spec.split(","))
    there = [part.path is not None and is_readable(part.path) for part in parts]
    # A column name may contain commas. Then the text after a comma is not a file.
    whole_is_there = source.path is not None and is_readable(source.path)
    if not any(there) or (whole_is_there and (source.column is None or not all(there))):
        return ()
    if len({part.spec for part in parts}) < len(parts):
        what = "the same file is given for two runs"
        raise OptionError(Problem(printable(source.spec), what, "Pass the file of each run once.", "duplicate-run"))
    return parts


def sources_named(arguments: Sequence[str]) -> list[Source]:
    """Return the systems named by arguments: ``FILE``, ``FILE:COLUMN``, ``LOG:SYSTEM``, ``NAME=FILE``, or a folder.

    A file that is named both alone and by its folder is one system. Raise DataError for an empty folder, or one that
    contains folders or files of several kinds. Raise OptionError for a name without a file, or one name for several
    files.
    """
    sources = [_whole(argument) for argument in arguments]
    if not any(source.folder is not None for source in sources):
        return sources
    alone = {Path(source.spec).absolute() for source in sources if not source.parts}
    systems: list[Source] = []
    for source in sources:
        if source.folder is None:
            systems.append(source)
            continue
        files = [file for file in _files_in(source.folder) if Path(file).absolute() not in alone]
        if source.name is not None and len(files) > 1:
            what = f"expected one file for the name {printable(source.name)}, got a folder of {len(files)} files"
            advice = "Pass each file as NAME=FILE."
            raise OptionError(Problem(printable(source.folder), what, advice, "several-files"))
        systems += [replace(source, spec=file, path=file) for file in files]
    return systems


def _whole(argument: str) -> Source:
    """Return the source of one argument; a folder of outputs or tables is not yet replaced by its files."""
    source = Source.named(argument)
    if source.name is not None:
        if not source.name.strip():
            raise OptionError(Problem(printable(argument), "expected NAME=FILE, got no name", "Add a name.", "no-name"))
        source = replace(source, name=source.name.strip())
    parts = _files_of_runs(source) if "," in source.spec else ()
    if parts:
        first = parts[0]
        of_logs = all(part.column is None and _is_log(part.spec) for part in parts)
        return Source(first.spec, source.name, first.path, first.column, parts, is_log=of_logs)
    path = source.path or ""
    if source.column is None and not is_readable(path):
        if is_folder(path):
            return replace(source, is_log=True) if _is_log(path) else replace(source, folder=path)
        of_folder = source._in_folder(_is_log)
        return source if of_folder is None else replace(of_folder, is_log=True)
    if not _is_log(path):
        return source
    # If a log can also be read as a table, what follows it must be a system in the log, as it may be a column.
    may_be_column = source.column is not None and PurePath(path).suffix.lower() in _known_endings()
    if may_be_column and source.column not in names_in_log(path) and _has_columns(path):
        return source
    return replace(source, is_log=True)


def _is_log(path: str) -> bool:
    """Return whether a file or folder has logs. Log formats are imported only if the name can be that of a log."""
    if not (_NAME_OF_LOGS.search(path) and not _is_other_csv(path)) and not is_folder(path):
        return False
    return has_wing("logs") and bool(from_wing("logs.finding:are_logs")(path))


def _is_other_csv(path: str) -> bool:
    """Return whether a file is a CSV whose first bytes have no column by which logs are recognized."""
    if not path.lower().endswith(CSV_LOG) or not os.path.isfile(path):  # noqa: PTH113
        return False
    with suppress(OSError), Path(path).open("rb") as file:
        head = file.read(2**16).replace(b"\0", b"")  # as many bytes as formats of logs look at, perhaps in UTF-16
        return _COLUMNS_OF_LOGS.search(head) is None
    return True


def _is_log_object(data: object) -> bool:
    """Return whether an object is a log of its harness: an `EvalLog` of Inspect, or its data frame of samples."""
    if type(data).__module__.partition(".")[0] in _HARNESSES:
        return True
    columns = getattr(data, "columns", None)
    return columns is not None and not callable(columns) and {*_LOG_COLUMNS} <= {*map(str, columns)}


def names_in_log(path: str, **how: object) -> list[str]:
    """Return the names of the systems in a log file or folder, read with these arguments of `logs_in`."""
    logs = from_wing("logs.finding:logs_in")(path, [], **how)
    return list(dict.fromkeys(system.system for system in logs if system.log.metrics))


def _has_columns(path: str) -> bool:
    """Return whether a file can be read as a table."""
    try:
        read_table(path)
    except OutscoreError:
        return False
    return True


def _known_endings() -> set[str]:
    """Return the endings of known formats. This imports dozens of formats."""
    several = (*item_formats().values(), *table_formats().values())
    return {".txt", ".npz", *(ending for known_format in several for ending in known_format.extensions)}


def _files_in(folder: str) -> list[str]:
    """Return the files of a folder, sorted by name, without hidden files."""
    where = printable(folder)
    try:
        entries = sorted(entry for entry in Path(folder).iterdir() if not entry.name.startswith("."))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        what = f"cannot read folder: {reason}"
        raise FileAccessError(Problem(where, what, "Check its permissions.", "cannot-read")) from None
    folders = sum(entry.is_dir() for entry in entries)
    advice = "Name the files, for example with a pattern: FOLDER/*.txt."
    if not entries:
        what = "expected a folder of files, got an empty one"
        raise DataError(Problem(where, what, "Check the path.", "empty-folder"))
    if folders:
        what = f"expected a folder of files, got one that contains {folders} folder(s)"
        raise DataError(Problem(where, what, advice, "mixed-folder"))
    known = _known_endings() | {".toml"}
    endings = [PurePath(_GZIPPED.sub("", entry.name)).suffix.lower() for entry in entries]
    kinds = Counter(ending if ending in known else "" for ending in endings)
    if len(kinds) > 1:
        got = ", ".join(f"{times} {ending or 'without a known ending'}" for ending, times in kinds.most_common())
        what = f"expected files of one format, one per system, got {got}"
        raise DataError(Problem(where, what, advice, "mixed-folder"))
    return [str(entry) for entry in entries]


def called(sources: Sequence[Source], systems: Sequence[Rows]) -> list[Rows]:
    """Return rows named after their systems: the user's names, else short forms of the file names.

    The rows come named after their files. Cached rows are named after the file of outputs that was scored. Messages
    still use the file names.
    """
    files = [(source, rows) for source, rows in zip(sources, systems, strict=True) if source.path is not None]
    scored = [rows.source if rows.source and source.is_kept else source.spec for source, rows in files]
    places = [
        source.place if name == source.spec else split_spec(name)
        for name, (source, _) in zip(scored, files, strict=True)
    ]
    # Outputs of the same name in different folders are distinguished by the files of their rows.
    if len(set(scored)) < len(scored):
        places = [(str(source.path).replace(f".{METRIC_PLACE}", ""), source.column) for source, _ in files]
    short = iter(_short(places) if places else ())
    named = []
    for source, rows in zip(sources, systems, strict=True):
        usual = rows.name
        if source.path is not None:
            usual, origin = next(short), rows.source or (rows.name if rows.lines is not None else None)
            rows = replace(rows, path=rows.path or rows.name, source=origin)
        named.append(replace(rows, name=printable(source.name or usual)))
    return named


def _short(places: Sequence[tuple[str, str | None]]) -> list[str]:
    """Return column names if all systems are in one table, else file names without folders and endings if distinct.

    Endings are removed only if the names stay distinct: a single ending, or one of a known format.
    """
    paths = list(dict.fromkeys(path for path, _ in places))
    if len(paths) == 1 and all(column is not None for _, column in places):
        return [str(column) for _, column in places]
    names = {path: _GZIPPED.sub("", PurePath(path).name) or path for path in paths}
    endings = {PurePath(name).suffix for name in names.values()}
    only = len(endings) == 1 and _ENDING.fullmatch(next(iter(endings)))
    known = endings if only else endings & _known_endings()
    bare = {path: PurePath(name).stem if PurePath(name).suffix in known else name for path, name in names.items()}
    stems = bare if len(set(bare.values())) == len(set(names.values())) else names
    stems |= {STANDARD_INPUT: "stdin"}
    alone = len(paths) == len(places)
    return distinguished(
        [
            (*PurePath(path).parts[:-1], stems[path], *(() if alone or column is None else (column,)))
            for path, column in places
        ]
    )


def file_stem(path: str) -> str:
    """Return the name of a file without its folder and without the endings of known formats.

    Examples
    --------
    >>> file_stem("out/gpt-4.1.txt.gz"), file_stem("out/gpt-4.1"), file_stem("-")
    ('gpt-4.1', 'gpt-4.1', 'stdin')
    """
    name = PurePath("stdin" if path == STANDARD_INPUT else _GZIPPED.sub("", path))
    return name.stem if name.suffix.lower() in _known_endings() else name.name


def own_name(data: object) -> str | None:
    """Return the name of rows or of a series; None of what has none."""
    if isinstance(data, Rows):
        return data.name
    name = getattr(data, "name", None)
    return printable(name) if isinstance(name, str) and name and hasattr(data, "to_list") else None


def sources_of(
    systems: Sequence[object],
    *,
    metric: object = None,
    references: object = None,
    one_column: bool = False,
    named: bool = False,
    several: bool = False,
) -> list[Source]:
    """Return a list of single systems.

    One argument, or one after a baseline, may hold several: a mapping from names to systems, a list of systems,
    or a data frame whose columns are all numbers, one per system.

    Parameters
    ----------
    systems : sequence
        Files, as on the command line, or objects in memory.
    metric, references : object
        As for `outscore.read`.
    one_column : bool
        Whether columns of frames were named, which makes a frame one system.
    named : bool
        Whether every mapping maps names to systems, and every frame is a table of all systems.
    several : bool
        Whether an item may have several numbers, one per run or sample.

    Raises
    ------
    DataError, OptionError
        As `sources_named`.
    """
    logs = [(system, _log_objects(system)) for system in systems]
    if any(objects for _, objects in logs):
        others = [source for system, objects in logs if not objects for source in _one_source(system)]
        return [*(source for _, objects in logs for source in objects), *others]
    *first, last = systems or [None]
    if not systems or len(systems) > 2:
        return [source for system in systems for source in _one_source(system)]
    beside = first[0] if first else references
    sources = [source for system in first for source in _one_source(system)]
    if named and not first and isinstance(last, Mapping):
        return [_named_source(data, str(name)) for name, data in last.items()]
    frame = None if one_column or named or references is not None else _columns_of_frame(last, beside)
    if frame is not None:
        return [*sources, *(Source.in_memory(data, name) for name, data in frame.items())]
    if isinstance(last, Mapping | list | tuple) and last:
        values = [*last.values()] if isinstance(last, Mapping) else last
        if _are_systems(values, last, beside, metric, references, several):
            if isinstance(last, Mapping):
                return [*sources, *(_named_source(data, str(name)) for name, data in last.items())]
            return [*sources, *(source for data in last for source in _one_source(data))]
    return [*sources, *_one_source(last)]


def _log_objects(data: object) -> Sequence[Source]:
    """Return log objects of a harness, from a single object, a list, or a mapping from names."""
    if isinstance(data, Mapping):
        named = [_named_source(log, str(name)) for name, log in data.items()]
        return named if any(source.is_log and source.path is None for source in named) else []
    sources = [Source.in_memory(log) for log in (data if isinstance(data, list | tuple) else (data,))]
    return sources if sources and all(source.is_log for source in sources) else []


def _one_source(data: object) -> Sequence[Source]:
    return sources_named([os.fspath(data)]) if isinstance(data, str | os.PathLike) else [Source.in_memory(data)]


def _named_source(data: object, name: str) -> Source:
    name = printable(name)
    if not isinstance(data, str | os.PathLike):
        return Source.in_memory(data, name)
    path = os.fspath(data)
    return replace(Source.of(path, name), is_log=_is_log(path))


def _are_systems(
    values: Sequence[object], container: object, beside: object, metric: object, references: object, several: bool
) -> bool:
    """Return whether values are one per system, rather than one per item of a single system."""
    if isinstance(container, Mapping) and isinstance(beside, Mapping) and container.keys() & beside.keys():
        return False  # a mapping from item ids
    if isinstance(beside, str | os.PathLike):
        return all(isinstance(value, os.PathLike) or _is_file(value) for value in values)
    if all(isinstance(value, Rows | os.PathLike) for value in values):
        return True
    if any(isinstance(value, str | bytes) or not isinstance(value, Sized) for value in values):
        if references is not None or not all(isinstance(value, str) for value in values):
            return False
        from outscore.data.verdicts import word_value  # only for lists of strings

        # "pass" is a score, and "A" beside "tie" a verdict.
        scored = any(grades_of([str(value)]) for value in values) or None not in map(word_value, map(str, values))
        return not scored or all(map(_is_file, values))
    lengths = {len(value) for value in values if isinstance(value, Sized)}
    n = len(beside) if isinstance(beside, Sized) and getattr(beside, "shape", None) != () else None
    if references is not None:
        return lengths == {n} and (isinstance(container, Mapping) or len(values) != n)
    if several or _width(metric) > 1:  # an item is a row of numbers, and a system is a list of rows
        return all(_holds_rows(value) for value in values)
    return lengths != {1}


def _is_file(value: object) -> bool:
    return isinstance(value, str) and Source.of(value).is_there


def _holds_rows(value: object) -> bool:
    if hasattr(value, "shape"):
        return len(value.shape) >= 2
    items = list(value.values()) if isinstance(value, Mapping) else value
    return isinstance(items, Sequence) and bool(items) and isinstance(items[0], Sized)


def _width(metric: object) -> int:
    """Return how many columns a metric reads, 1 if unknown."""
    metric_class = METRICS.get(metric.partition(":")[0]) if isinstance(metric, str) else metric
    return len(getattr(metric_class, "columns", ("score",)))


def _columns_of_frame(data: object, beside: object) -> Mapping[str, object] | None:
    """Return the columns of a data frame if all of them are systems, else None."""
    if isinstance(data, list | tuple | Mapping | str | os.PathLike) or type(data).__module__ == "numpy":
        return None
    import narwhals as nw

    frame, other = (nw.from_native(given, pass_through=True, eager_only=True) for given in (data, beside))
    if not isinstance(frame, nw.DataFrame) or isinstance(other, nw.DataFrame):
        return None
    if not all(dtype.is_numeric() or dtype == nw.Boolean for dtype in frame.schema.values()):
        return None
    columns = [(str(name), column) for name, column in zip(frame.columns, frame.iter_columns(), strict=True)]
    if any(describes_items(name) for name, _ in columns) or (columns and counts_rows(columns[0][1].to_numpy())):
        return None
    return {printable(name): column.to_native() for name, column in columns}
