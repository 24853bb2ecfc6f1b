"""Arguments of programs and commands: systems and their files, metrics, references, and reading options."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Sized
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

from outscore.data.coercion import described, wrong
from outscore.data.rows import Labels, Rows, is_none
from outscore.design.options import CrossedOptions, declared_factors, said_of
from outscore.design.settling import Declaration
from outscore.design.strata import StratumWeights
from outscore.errors import DataError, FileAccessError, OptionError, OutscoreError, Problem
from outscore.metrics import AnyMetric, ColumnMetric, metric_named, metrics_listed
from outscore.metrics.base import is_shipped
from outscore.metrics.families.columns import METRICS, ColumnMean, direction_of
from outscore.options import leave_out, opt
from outscore.readers.base import Table
from outscore.readers.files import STANDARD_INPUT, is_folder, is_readable, split_spec
from outscore.readers.kept.files import METRIC_PLACE, is_kept
from outscore.readers.kept.packing import ARCHIVE_SUFFIXES, PACKED_SUFFIXES
from outscore.readers.registry import InputFiles, item_formats, table_formats
from outscore.readers.tabular.cells import grades_of
from outscore.readers.tabular.columns import column_called, counts_rows, describes_items, named_column, texts_of
from outscore.text.naming import distinguished, listed, nearest, printable, quoted
from outscore.wings import from_wing, has_wing

if TYPE_CHECKING:
    from outscore.laws.resampling import Progress

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


@dataclass(frozen=True)
class SystemFile:
    """A system as named on the command line.

    Attributes
    ----------
    spec : str
        ``FILE`` or ``FILE:COLUMN``. In names of cached rows, "{metric}" is a placeholder for the metric.
    name : str, optional
        The user's name for it, from ``NAME=FILE`` or a leaderboard file.
    runs : tuple of str
        Files of its runs, from ``NAME=FILE,FILE,...``; `spec` is the first. The log of ``LOG:SYSTEM``.
    is_log : bool
        Whether it is an evaluation log, or a folder of logs.
    system : str, optional
        The system of ``LOG:SYSTEM``, as the log names it.
    """

    spec: str
    name: str | None = None
    runs: tuple[str, ...] = ()
    is_log: bool = False
    system: str | None = None


def system_files(arguments: Sequence[str]) -> list[SystemFile]:
    """Return the systems named by arguments: ``FILE``, ``FILE:COLUMN``, ``LOG:SYSTEM``, ``NAME=FILE``, or a folder.

    A file that is named both alone and by its folder is one system.

    Raises
    ------
    DataError
        An empty folder, or one that contains folders or files of several kinds.
    OptionError
        A name without a file, or one name for several files.
    """
    systems: list[SystemFile] = []
    alone = {Path(split_name(argument)[1]).absolute() for argument in arguments}
    for argument in arguments:
        name, spec = split_name(argument)
        if name is not None and not name.strip():
            raise OptionError(Problem(printable(argument), "expected NAME=FILE, got no name", "Add a name.", "no-name"))
        runs = _run_files(spec) if "," in spec else ()
        if runs:
            of_logs = all(is_log(file) for file in runs)
            systems.append(SystemFile(runs[0], None if name is None else name.strip(), runs, of_logs))
            continue
        if spec and is_log(spec):
            systems.append(SystemFile(spec, None if name is None else name.strip(), is_log=True))
            continue
        log, system = _split_log(spec)
        if system is not None:
            systems.append(SystemFile(spec, None if name is None else name.strip(), (log,), True, system))
            continue
        files = [spec]
        if spec and is_folder(spec):
            files = [file for file in _files_in(spec) if Path(file).absolute() not in alone]
        if name is not None and len(files) > 1:
            what = f"expected one file for the name {printable(name)}, got a folder of {len(files)} files"
            raise OptionError(Problem(printable(spec), what, "Pass each file as NAME=FILE.", "several-files"))
        systems += [SystemFile(file, None if name is None else name.strip()) for file in files]
    return systems


def is_board(path: str) -> bool:
    """Return whether a file is a leaderboard file."""
    return path.lower().endswith(".toml")


def is_log(path: str) -> bool:
    """Return whether a file or folder has logs. Log formats are imported only if the name can be that of a log."""
    if not is_folder(path) and (not _NAME_OF_LOGS.search(path) or _is_other_csv(path)):
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


def names_in_log(path: str, **how: object) -> list[str]:
    """Return the names of the systems in a log file or folder, read with these arguments of `logs_in`."""
    logs = from_wing("logs.finding:logs_in")(path, [], **how)
    return list(dict.fromkeys(one.system for one in logs if one.log.metrics))


def _split_log(spec: str) -> tuple[str, str | None]:
    """Split ``LOG:SYSTEM`` into the log and the system, which is None for other files.

    If the log can also be read as a table, the name must be that of a system in the log, as it may be a column.
    """
    path = spec
    while ":" in path and not is_readable(path):
        path = path.rpartition(":")[0]
        if is_log(path):
            system = spec[len(path) + 1 :]
            is_table = PurePath(path).suffix.lower() in _known_endings()
            may_be_column = is_table and system not in names_in_log(path) and _has_columns(path)
            return (spec, None) if may_be_column else (path, system)
    return spec, None


def _has_columns(path: str) -> bool:
    """Return whether a file can be read as a table."""
    try:
        InputFiles().read(path)
    except OutscoreError:
        return False
    return True


def _run_files(spec: str) -> tuple[str, ...]:
    """Return the files of several runs (``FILE,FILE,...`` or ``FILE:COLUMN,...``), or () if the spec is one file.

    Raises
    ------
    OptionError
        A file is named twice.
    """
    parts = tuple(part.strip() for part in spec.split(","))
    there = [is_readable(split_spec(part)[0]) for part in parts]
    # A column name may contain commas. Then the text after a comma is not a file.
    one_file = is_readable(spec) or (is_readable(split_spec(spec)[0]) and not all(there))
    if len(parts) < 2 or one_file or not any(there):
        return ()
    if len(set(parts)) < len(parts):
        what = "the same file is given for two runs"
        raise OptionError(Problem(printable(spec), what, "Pass the file of each run once.", "duplicate-run"))
    return parts


def split_name(argument: str) -> tuple[str | None, str]:
    """Split ``NAME=FILE`` into name and file.

    The name is None if the whole argument is an existing file, so file names may contain =.

    Examples
    --------
    >>> split_name("new=-"), split_name("new=runs/a.txt"), split_name("runs/lr=0.1.txt")
    (('new', '-'), ('new', 'runs/a.txt'), (None, 'runs/lr=0.1.txt'))
    """
    if "=" not in argument or is_readable(split_spec(argument)[0]) or is_folder(argument):
        return None, argument
    for place in (place for place, sign in enumerate(argument) if sign == "="):
        rest = argument[place + 1 :]
        if rest and (is_readable(split_spec(rest)[0]) or is_folder(rest) or _run_files(rest)):
            return argument[:place], rest
    name, _, rest = argument.partition("=")
    return (None, argument) if "/" in name or os.sep in name else (name, rest)


def called(sources: Sequence[Source], systems: Sequence[Rows]) -> list[Rows]:
    """Return rows named after their systems: the user's names, else short forms of the file names.

    Cached rows are named after the file of outputs that was scored. Messages still use the file names.

    Parameters
    ----------
    systems : sequence of Rows
        Named after their files.
    """
    files = [(source, rows) for source, rows in zip(sources, systems, strict=True) if isinstance(source, SystemFile)]
    scored = [rows.source if rows.source and is_kept(file.spec) else file.spec for file, rows in files]
    # Outputs of the same name in different folders are distinguished by the files of their rows.
    if len(set(scored)) < len(scored):
        scored = [file.spec.replace(f".{METRIC_PLACE}", "") for file, _ in files]
    short = iter(_short(scored) if scored else ())
    named = []
    for source, rows in zip(sources, systems, strict=True):
        usual = rows.name
        if isinstance(source, SystemFile):
            usual, origin = next(short), rows.source or (rows.name if rows.lines is not None else None)
            rows = replace(rows, path=rows.path or rows.name, source=origin)
        named.append(replace(rows, name=printable(source.name or usual)))
    return named


def _short(specs: Sequence[str]) -> list[str]:
    """Return column names if all systems are in one table, else file names without folders and endings if distinct.

    Endings are removed only if the names stay distinct: a single ending, or one of a known format.
    """
    parts = [split_spec(spec) for spec in specs]
    paths = list(dict.fromkeys(path for path, _ in parts))
    if len(paths) == 1 and all(column is not None for _, column in parts):
        return [str(column) for _, column in parts]
    names = {path: _GZIPPED.sub("", PurePath(path).name) or path for path in paths}
    endings = {PurePath(name).suffix for name in names.values()}
    only = len(endings) == 1 and _ENDING.fullmatch(next(iter(endings)))
    known = endings if only else endings & _known_endings()
    bare = {path: PurePath(name).stem if PurePath(name).suffix in known else name for path, name in names.items()}
    stems = bare if len(set(bare.values())) == len(set(names.values())) else names
    stems |= {STANDARD_INPUT: "stdin"}
    alone = len(paths) == len(parts)
    return distinguished(
        [
            (*PurePath(path).parts[:-1], stems[path], *(() if alone or column is None else (column,)))
            for path, column in parts
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


def _known_endings() -> set[str]:
    """Return the endings of known formats. This imports dozens of formats."""
    several = (*item_formats().values(), *table_formats().values())
    return {".txt", ".npz", *(ending for known in several for ending in known.extensions)}


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
        raise DataError(
            Problem(where, "expected a folder of files, got an empty one", "Check the path.", "empty-folder")
        )
    if folders:
        what = f"expected a folder of files, got one that contains {folders} folder(s)"
        raise DataError(Problem(where, what, advice, "mixed-folder"))
    known = _known_endings() | {".toml"}
    kinds = Counter(
        ending if (ending := PurePath(_GZIPPED.sub("", entry.name)).suffix.lower()) in known else ""
        for entry in entries
    )
    if len(kinds) > 1:
        kinds_listed = ", ".join(
            f"{times} {ending or 'without a known ending'}" for ending, times in kinds.most_common()
        )
        what = f"expected files of one format, one per system, got {kinds_listed}"
        raise DataError(Problem(where, what, advice, "mixed-folder"))
    return [str(entry) for entry in entries]


# A mapping from the systems' names, or FILE:COLUMN of a table.
Families: TypeAlias = Mapping[str, str] | str | None


class Files(tuple[str, ...]):
    """Names of files. Whether the files exist is not checked."""


@dataclass(frozen=True, kw_only=True)
class Reading(CrossedOptions):
    """How to read systems: the arguments of `outscore.read` by the same names, including those of crossed factors.

    Attributes
    ----------
    references : object
        Reference files (`Files`), or references in memory. If given, systems are outputs or cached rows.
    clusters, strata : labels of any kind, or str, optional
        A str is a column, a file with one label per line, FILE:COLUMN, or none. Two clusters values are crossed.
    collapse_strata : bool
        Whether to merge strata of one unit instead of raising.
    names : sequence of str, optional
        Of the systems.
    input_format : str, optional
        Format of outputs and references, as for `read_corpus`.
    lower_is_better : bool
        For mean and ratio.
    id_column, score_column : str, optional
        For score tables.
    records : str, optional
        The dotted path of the records in JSON documents.
    drop_missing : bool
        Whether to leave out items with a missing score instead of raising.
    skip_unreadable : bool
        Whether to leave out systems that cannot be read instead of raising.
    zero_missing : bool
        Whether missing items score 0.
    weights : str or mapping, optional
        "macro", "size", a table as FILE or FILE:COLUMN, or the proportions of strata by name.
    test_sets : labels of any kind, or str, optional
        As for strata.
    task : str or sequence of str, optional
        For logs: the tasks or groups of tasks to read.
    mapping : str or mapping, optional
        A map of fields, by which files of any format are read like logs.
    total : int or str, optional
        For logs that only list solved items: the number of items, or a file of their ids.
    duplicates : {"first", "last"}, optional
        For logs: which record of an item to use if several have different scores.
    follow_links : bool
        For logs: whether to follow links that lead out of a folder of logs.
    orders : str, optional
        The column of the order in which a judge saw two answers. Readers find it; users do not name it.
    human, judge : str, optional
        Columns of human labels, which may be empty, and of a judge's labels.
    unpaired : bool
        Whether items need not be paired. Questions set it.
    """

    references: object = None
    families: Families = None
    clusters: object = None
    strata: object = None
    collapse_strata: bool = False
    names: Sequence[str | None] | None = None
    input_format: str | None = None
    lower_is_better: bool = False
    id_column: str | None = None
    score_column: str | None = None
    records: str | None = None
    drop_missing: bool = False
    skip_unreadable: bool = False
    zero_missing: bool = False
    weights: object = None
    test_sets: object = None
    task: str | Sequence[str] | None = None
    mapping: object = None
    total: int | str | None = None
    duplicates: str | None = None
    follow_links: bool = False
    orders: str | None = None
    human: str | None = None
    judge: str | None = None
    unpaired: bool = False

    @property
    def beyond_items(self) -> Mapping[str, bool]:
        """Whether options of crossed factors, weights and test sets are used, by name."""
        options = {"weights": self.weights, "test_set": self.test_sets, **said_of(self)}
        return {option: value is not None and value is not False for option, value in options.items()}

    @property
    def tells_of_levels(self) -> bool:
        """Whether an option is of crossed factors."""
        return any(value is not None and value is not False for value in said_of(self).values())

    @property
    def labellings(self) -> dict[str, object]:
        """The options that are labels, by the attribute of `Systems` that holds them."""
        clusters, others = self.clusters, None
        several = clusters if isinstance(clusters, list | tuple) and len(clusters) == 2 else ()
        if several and all(isinstance(of, str | Labels) or (isinstance(of, Sized) and len(of) > 1) for of in several):
            clusters, others = several
        given = {"clusters": clusters, "other_clusters": others, "strata": self.strata, "test_sets": self.test_sets}
        given["orders"] = self.orders
        return {of: labels for of, labels in given.items() if not (labels is None or self._is_none(of))}

    def _is_none(self, name: str) -> bool:
        """Return whether an option says that items have no clusters, or no strata."""
        return name in ("clusters", "strata") and is_none(getattr(self, name))

    def refuse(self, whys: Mapping[str, str], slug: str) -> None:
        """Raise if options are given that do not apply to these systems; `whys` maps names to reasons.

        Raises
        ------
        OptionError
        """
        for name, why in whys.items():
            value = None if self._is_none(name) else getattr(self, name)
            if value is not None and value is not False and (name != "references" or self.has_references):
                raise OptionError(Problem(opt(name), why, leave_out(), slug))

    def by_default(self, *, clusters: str | None = None, strata: str | None = None) -> tuple[Reading, list[str]]:
        """Return the options with the defaults of a format, and a note on those that apply.

        Parameters
        ----------
        clusters : str, optional
            The column of clusters, such as documents.
        strata : str, optional
            What items of one stratum share, such as a domain. Their macro average is the score unless weights are
            given.
        """
        reading, said = self, list[str]()
        if clusters is not None and self.clusters is None:
            reading = replace(reading, clusters=clusters)
            said.append(f"items of one {clusters} are resampled together ({opt('clusters', clusters)})")
        if strata is not None and self.strata is None:
            reading = replace(reading, strata=strata, weights=self.weights or "macro")
            if self.weights is None:
                options = f"{opt('strata', strata)} and {opt('weights', 'macro')}"
                said.append(f"the score is the macro average over each {strata} ({options})")
        return reading, [f"By default {' and '.join(said)}."] if said else []

    @property
    def has_references(self) -> bool:
        return not (self.references is None or (isinstance(self.references, list | tuple) and not self.references))


@dataclass(frozen=True)
class Work:
    """How to do the reading, and what to return besides rows. No result depends on it.

    Attributes
    ----------
    source : str, optional
        A file with one source text per item.
    jobs : int
        Maximum number of processes that score outputs.
    progress : callable, optional
        Called with the number of systems scored so far, and the total.
    """

    source: str | None = None
    jobs: int = 1
    progress: Progress | None = None


@dataclass(frozen=True, eq=False)
class InMemory:
    """A system passed as an object, and its name."""

    data: object
    name: str | None = None

    @property
    def is_log(self) -> bool:
        """Whether it is a log object of its harness: an `EvalLog` of Inspect, or its data frame of samples."""
        if type(self.data).__module__.partition(".")[0] in _HARNESSES:
            return True
        columns = getattr(self.data, "columns", None)
        return columns is not None and not callable(columns) and {*_LOG_COLUMNS} <= {*map(str, columns)}


Source: TypeAlias = SystemFile | InMemory


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
        As `system_files`.
    """
    objects = [one for system in systems for one in _log_objects(system)]
    if objects:
        others = [system for system in systems if not _log_objects(system)]
        return [*objects, *(source for system in others for source in _one_source(system))]
    *first, last = systems or [None]
    if not systems or len(systems) > 2:
        return [source for system in systems for source in _one_source(system)]
    beside = first[0] if first else references
    sources = [source for system in first for source in _one_source(system)]
    if named and not first and isinstance(last, Mapping):
        return [_named_source(data, str(name)) for name, data in last.items()]
    frame = None if one_column or named or references is not None else _columns_of_frame(last, beside)
    if frame is not None:
        return [*sources, *(InMemory(data, name) for name, data in frame.items())]
    if (
        isinstance(last, Mapping)
        and last
        and _are_systems(list(last.values()), last, beside, metric, references, several)
    ):
        return [*sources, *(_named_source(data, str(name)) for name, data in last.items())]
    if isinstance(last, list | tuple) and last and _are_systems(last, last, beside, metric, references, several):
        return [*sources, *(source for data in last for source in _one_source(data))]
    return [*sources, *_one_source(last)]


def _log_objects(data: object) -> Sequence[Source]:
    """Return log objects of a harness, from a single object, a list, or a mapping from names."""
    if isinstance(data, Mapping):
        named = [_named_source(one, str(name)) for name, one in data.items()]
        return named if any(isinstance(one, InMemory) and one.is_log for one in named) else []
    own = [InMemory(one) for one in (data if isinstance(data, list | tuple) else (data,))]
    return own if own and all(one.is_log for one in own) else []


def _one_source(data: object) -> Sequence[Source]:
    return system_files([os.fspath(data)]) if isinstance(data, str | os.PathLike) else [InMemory(data)]


def _named_source(data: object, name: str) -> Source:
    name = printable(name)
    if not isinstance(data, str | os.PathLike):
        return InMemory(data, name)
    return SystemFile(os.fspath(data), name, is_log=is_log(os.fspath(data)))


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
    n = len(beside) if isinstance(beside, Sized) else None
    if references is not None:
        return lengths == {n} and (isinstance(container, Mapping) or len(values) != n)
    if several or _width(metric) > 1:  # an item is a row of numbers, and a system is a list of rows
        return all(_holds_rows(value) for value in values)
    return lengths != {1}


def _is_file(value: object) -> bool:
    return isinstance(value, str) and (Path(value).exists() or Path(split_spec(value)[0]).exists())


def _holds_rows(value: object) -> bool:
    if hasattr(value, "shape"):
        return len(value.shape) >= 2
    items = list(value.values()) if isinstance(value, Mapping) else value
    return isinstance(items, Sequence) and bool(items) and isinstance(items[0], Sized)


def _width(metric: object) -> int:
    """Return how many columns a metric reads, 1 if unknown."""
    known = METRICS.get(metric.partition(":")[0]) if isinstance(metric, str) else metric
    return len(getattr(known, "columns", ("score",)))


def _columns_of_frame(data: object, beside: object) -> Mapping[str, object] | None:
    """Return the columns of a data frame if all of them are systems, else None."""
    if isinstance(data, list | tuple | Mapping | str | os.PathLike) or type(data).__module__ == "numpy":
        return None
    import narwhals as nw

    frame, other = (nw.from_native(one, pass_through=True, eager_only=True) for one in (data, beside))
    if not isinstance(frame, nw.DataFrame) or isinstance(other, nw.DataFrame):
        return None
    if not all(dtype.is_numeric() or dtype == nw.Boolean for dtype in frame.schema.values()):
        return None
    columns = [(str(name), column) for name, column in zip(frame.columns, frame.iter_columns(), strict=True)]
    if any(describes_items(name) for name, _ in columns) or (columns and counts_rows(columns[0][1].to_numpy())):
        return None
    return {printable(name): column.to_native() for name, column in columns}


def listed_metrics(metric: object) -> tuple[AnyMetric | str, ...]:
    """Return a list of metrics, as names or objects; may be empty.

    Raises
    ------
    OptionError
        An object is not a metric.
    """
    several = metric if isinstance(metric, list | tuple) else () if metric is None else (metric,)
    metrics: list[AnyMetric | str] = []
    for one in several:
        if isinstance(one, type) and issubclass(one, AnyMetric):
            what = f"expected a metric, got the class {one.__name__}"
            raise OptionError(Problem("metric", what, f"Call it: {one.__name__}().", "wrong-type"))
        if callable(one) and not isinstance(one, AnyMetric):
            name = getattr(one, "__name__", "f")
            name = name if name.isidentifier() else "f"
            what = f"expected a metric, got the function {name}"
            advice = f"Wrap it: outscore.Recomputed({name}, higher_is_better=True), where {name}(outputs, references) "
            advice += "returns the score, or higher_is_better=False if lower scores are better."
            raise OptionError(Problem("metric", what, advice, "wrong-type"))
        if not isinstance(one, AnyMetric | str):
            raise wrong("metric", 'a metric such as outscore.F1() or "f1"', one)
        if isinstance(one, str):
            metrics += metrics_listed(one) if "," in one else [one.strip() or one]
        else:
            metrics.append(one)
    if metric is not None and not metrics:
        raise wrong("metric", "at least one metric", metric)
    return tuple(once(metrics) if len(metrics) > 1 else metrics)


def once(metrics: Sequence[Any]) -> list[Any]:
    """Return metrics without duplicates, which may be written differently."""
    kept: list[Any] = []
    for metric in metrics:
        if metric not in kept:
            kept.append(metric)
    return kept


def reference_files(references: object, of_files: bool = False) -> Sequence[str] | None:
    """Return the files of references, or None if the references are in memory.

    A list of strings is a list of files if all of them exist. A single string is a file if all systems are files.

    Parameters
    ----------
    of_files : bool
        Whether all systems are files.
    """
    if isinstance(references, Files):
        return references
    several = [references] if isinstance(references, str | os.PathLike) else references
    if not isinstance(several, list | tuple) or not all(isinstance(one, str | os.PathLike) for one in several):
        return None
    files = [os.fspath(one) for one in several]
    sure = isinstance(references, str) or not any(isinstance(one, str) for one in several)
    return files if sure or (of_files and len(files) == 1) or all(map(is_readable, files)) else None


def declared_of(reading: Reading, files: InputFiles) -> Declaration:
    """Return the declared crossed factors, treatment of missing scores, and strata.

    Raises
    ------
    OptionError
        Options contradict each other.
    """
    crossed = declared_factors(reading)
    if reading.drop_missing and reading.zero_missing:
        what = "expected one treatment of missing scores, got two"
        raise OptionError(Problem(opt("drop_missing"), what, "Drop them, or score them 0.", "two-ways"))
    weights = None if reading.weights is None else _weights(reading.weights, files)
    return Declaration(crossed, reading.drop_missing, reading.zero_missing, weights)


def _weights(weights: object, files: InputFiles) -> StratumWeights:
    """Return weights of strata from a name, a mapping, or a table with one row per stratum."""
    if isinstance(weights, str) and weights in {"macro", "size"}:
        return weights
    if isinstance(weights, Mapping):
        return {str(name): _share(share, str(name)) for name, share in weights.items()}
    if not isinstance(weights, str):
        raise wrong("weights", '"macro", "size", a table, or a mapping from strata to proportions', weights)
    path, column = split_spec(weights)
    if not is_readable(path):
        what = f"expected macro, size or a table of weights, got {quoted(weights)}"
        raise OptionError(Problem(opt("weights"), what, nearest(weights, ["macro", "size"]), "unknown-weights"))
    table = files.read(path)
    share = named_column(table, column or "weight")
    strata = next((name for name in ("stratum", "strata") if column_called(table, name) is not None), None)
    names = texts_of(table, named_column(table, strata or "stratum"), "the name of a stratum", "missing-stratum")
    return {name: _share(cell, name) for name, cell in zip(names, table.columns[share], strict=True)}


def _share(cell: object, name: str) -> Fraction:
    try:
        share = Fraction(str(cell).strip())
    except (ValueError, ZeroDivisionError):
        what = f"expected a number as the weight of {quoted(name)}, got {described(cell)}"
        raise OptionError(Problem(opt("weights"), what, "Give each stratum a number.", "bad-weight")) from None
    return share


def column_metric(metric: AnyMetric | str, reading: Reading) -> ColumnMetric:
    """Return a metric of columns, given as a name or an object."""
    if isinstance(metric, str):
        return metric_named(metric, lower_is_better=reading.lower_is_better)
    if reading.lower_is_better:
        what = "applies only to the metrics mean and ratio, given by name"
        advice = "Leave it out, or pass outscore.Mean(higher_is_better=False)."
        raise OptionError(Problem("lower_is_better", what, advice, "wrong-direction"))
    if not isinstance(metric, ColumnMetric):
        raise wrong("metric", "a metric of columns or of outputs", metric)
    if not is_shipped(metric):
        from outscore.metrics.plugins import check_declared  # only programs pass metric objects

        check_declared(metric)
    return metric


def column_metrics(
    metrics: Sequence[AnyMetric | str], reading: Reading, table: Callable[[], Table | None]
) -> tuple[list[ColumnMetric], str | None]:
    """Return the metrics of columns, and the column of scores if there is one for all of them.

    Several columns of scores (``a,b``) and metrics with the name of a column are means of these columns.

    Parameters
    ----------
    table : callable
        Returns a table of the systems; None if they are no tables.
    """
    chosen, higher = reading.score_column, not reading.lower_is_better
    known = table() if chosen is not None and "," in chosen else None
    if chosen is not None and known is not None and column_called(known, chosen) is None:
        parts = [part.strip() for part in chosen.split(",")]
        if {*metrics} - {"mean", *parts}:
            what, advice = "several columns are metrics themselves", f"Leave {opt('metric')} out."
            raise OptionError(Problem(opt("score_column"), what, advice, "several-metrics"))
        means = (ColumnMean(name=named_column(known, part), higher_is_better=higher) for part in parts)
        return _in_one_direction(once(list(means))), None
    found: list[ColumnMetric] = []
    for metric in metrics or ("mean",):
        own, wrong_name = None, None
        try:
            own = column_metric(metric, reading)
        except OptionError as error:  # unless this is the name of a column
            wrong_name = error
        if isinstance(metric, str) and (own is None or len(own.columns) > 1):
            known = table()
            column = None if known is None else column_called(known, metric)
            if known is not None and column is not None and (own is None or not _has_all(known, own.columns)):
                own = ColumnMean(name=column, higher_is_better=higher)
        if own is None:
            assert wrong_name is not None
            raise wrong_name
        found.append(own)
    return _in_one_direction(once(found) if len(found) > 1 else found), chosen


def _in_one_direction(metrics: list[ColumnMetric]) -> list[ColumnMetric]:
    """Return metrics; raise if their names tell different directions, of which the columns have one."""
    known = {metric.name: direction_of(metric.name) for metric in metrics}
    read = [known[metric.name] is (not metric.higher_is_better) for metric in metrics if isinstance(metric, ColumnMean)]
    higher, lower = ([name for name, better in known.items() if better is side] for side in (True, False))
    if not (higher and lower and any(read)):
        return metrics
    what = f"by their names, higher is better for {listed(higher)} and lower is better for {listed(lower)}"
    advice = f"Score them one at a time, with {opt('lower_is_better', True)} for {listed(lower)}."
    raise OptionError(Problem(opt("score_column"), what, advice, "directions"))


def _has_all(table: Table, names: Sequence[str]) -> bool:
    return all(column_called(table, name) is not None for name in names)


def own_name(data: object) -> str | None:
    """Return the name of rows or of a series; None of what has none."""
    if isinstance(data, Rows):
        return data.name
    name = getattr(data, "name", None)
    return printable(name) if isinstance(name, str) and name and hasattr(data, "to_list") else None


def reason_of(spec: str, problem: Problem) -> str:
    """Return why a system cannot be read, with the file."""
    place = problem.where if problem.where.startswith(printable(spec)) else f"{printable(spec)}: {problem.where}"
    return f"{place}: {problem.what}"


def tables_of_ratings(paths: Sequence[str], reading: Reading, files: InputFiles) -> dict[str, Table]:
    """Return the tables that `ratings.settled` prepares. Errors are left to the reader of the system."""
    found: dict[str, Table] = {}
    for path in paths:
        with suppress(OutscoreError):
            table = files.file(path).table()
            found |= {path: table} if table.conventions is not None or reading.tells_of_levels else {}
    return found
