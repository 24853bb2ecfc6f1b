"""Leaderboards from what users have: a board file, one table of all systems, or one file a system."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from outscore.errors import DataError, OptionError, Problem
from outscore.metrics import Metric, metric_named
from outscore.naming import nearest, printable, quoted
from outscore.readers.base import Table
from outscore.readers.cells import in_words
from outscore.readers.files import is_readable, read_bytes, split_spec, text_in
from outscore.readers.inputs import Reading, read_item_labels, read_systems
from outscore.readers.labels import read_labels
from outscore.readers.long_tables import entries_of_table
from outscore.readers.registry import Tables
from outscore.readers.system_files import SystemFile
from outscore.resampling import Progress
from outscore.rows import Labels, Rows

__all__ = ["Board", "BoardFiles", "Entry", "board_files", "board_of_files", "board_of_table", "read_board"]

_KEYS = ("metrics", "references", "format", "lower_is_better", "id", "score", "clusters", "strata", "systems")
_KEY_OF_OPTION = {"--lower-is-better": "lower_is_better", "--id": "id", "--score": "score"}
_FIELD_OF_KEY = {"id": "id_column", "score": "score_column"}  # of `Reading`, where it is called otherwise
_SYSTEM_KEYS = ("name", "file", "family")

# A part of a key, bare or quoted, and parts with dots between them; a quote without an end is one to that of its line,
# so that no character is looked at twice. The time of tomllib is quadratic in the number of a key's parts.
_PART = re.compile(r"""[\w-]++|"(?:[^"\\\n]|\\.)*+"?|'[^'\n]*+'?""")
_DOTTED = re.compile(rf"(?:{_PART.pattern})(?:[ \t]*+\.[ \t]*+(?:{_PART.pattern}))*+")
_MOST_PARTS = 100


@dataclass(frozen=True, eq=False)
class Entry:
    """One system of a leaderboard.

    Attributes
    ----------
    name : str
    family : str or None
        Systems of one family are expected to be correlated: one research group, one base model.
    rows : tuple of Rows
        One a metric, in the order of the board's metrics.
    """

    name: str
    family: str | None
    rows: tuple[Rows, ...]


@dataclass(frozen=True, eq=False)
class Board:
    """The systems of a leaderboard, read.

    Attributes
    ----------
    metrics : tuple of Metric
    entries : tuple of Entry
    clusters, strata : Labels or None
    notes : tuple of str
        What a reader of the ranking must know about how it was read.
    """

    metrics: tuple[Metric, ...]
    entries: tuple[Entry, ...]
    clusters: Labels | None = None
    strata: Labels | None = None
    notes: tuple[str, ...] = ()


def read_board(
    path: str, reading: Reading, tables: Tables | None = None, *, jobs: int = 1, progress: Progress | None = None
) -> Board:
    """Return the leaderboard in a file: a board (TOML), or one table of all systems.

    Parameters
    ----------
    path : str
        A name that ends in .toml is a board; everything else is a table, ``-`` standard input.
    reading : Reading
        What is given here goes before what the board says.
    tables : Tables, optional
    jobs, progress
        As for `board_of_files`.

    Raises
    ------
    FileAccessError, DataError, OptionError
        A file that cannot be read or understood; keys and metrics that are unknown; files that the board names and
        that are not there.
    """
    if PurePath(path).suffix.lower() != ".toml":
        tables = tables or Tables()
        return board_of_table(tables.read(path), reading, tables)
    with board_files(path, reading) as found:
        return board_of_files(found.files, found.reading, families=found.families, jobs=jobs, progress=progress)


def board_of_table(table: Table, reading: Reading, tables: Tables | None = None) -> Board:
    """Return the leaderboard in one table: long (system, item, score) or wide (one column a system).

    Parameters
    ----------
    table : Table
    reading : Reading
        Clusters and strata are columns of the table, or files; `cluster` and `stratum` by default where they are there.
    tables : Tables, optional
    """
    metrics = tuple(
        metric_named(name, lower_is_better=reading.lower_is_better) for name in reading.metrics or ("mean",)
    )
    found = [
        entries_of_table(
            table,
            metric,
            id_column=reading.id_column,
            score_column=reading.score_column,
            clusters=reading.clusters,
            strata=reading.strata,
            drop_missing=reading.drop_missing,
        )
        for metric in metrics
    ]
    first = found[0]
    entries = tuple(
        Entry(name, first.families[place], tuple(each.rows[place] for each in found))
        for place, name in enumerate(first.names)
    )
    ids = entries[0].rows[0].item_ids if entries else None
    labels = [
        own
        if own is not None or spec is None
        else read_labels(spec, None, reading.id_column, item_ids=ids, tables=tables)
        for own, spec in ((first.clusters, reading.clusters), (first.strata, reading.strata))
    ]
    return Board(metrics, entries, labels[0], labels[1], first.notes)


def board_of_files(
    files: Sequence[SystemFile],
    reading: Reading,
    *,
    families: Sequence[str | None] | None = None,
    tables: Tables | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Board:
    """Return the leaderboard of systems that stand in a file each, or in a column each, as for `outscore compare`.

    Parameters
    ----------
    files : sequence of SystemFile
    reading : Reading
    families : sequence of str or None, optional
        One a file.
    tables : Tables, optional
    jobs : int
        The most processes that score outputs.
    progress : callable, optional
        Told how many systems are scored, and of how many.
    """
    tables = tables or Tables()
    read = read_systems(files, reading, tables=tables, jobs=jobs, progress=progress)
    for metric in read.metrics:
        if not isinstance(metric, Metric):
            raise OptionError(
                Problem(
                    "--metric",
                    f"{metric.name} has no statistics that add up, and systems on it cannot be ranked together",
                    "Compare pairs of them with outscore compare.",
                    "recomputed-metric",
                )
            )
    known = dict(zip(files, families or [None] * len(files), strict=True))
    entries = tuple(
        Entry(name, known[file], tuple(systems[place] for systems in read.rows))
        for place, (file, name) in enumerate(zip(read.files, read.names, strict=True))
    )
    clusters, strata = read_item_labels(read.specs, read.rows[0], reading, tables)
    metrics = tuple(metric for metric in read.metrics if isinstance(metric, Metric))
    return Board(metrics, entries, clusters, strata, read.notes)


@dataclass(frozen=True)
class BoardFiles:
    """What a board file names, not yet read.

    Attributes
    ----------
    files : list of SystemFile
    families : list of str or None
        One a file.
    reading : Reading
        What the board says, and what goes before it.
    """

    files: list[SystemFile]
    families: list[str | None]
    reading: Reading


@contextmanager
def board_files(path: str, reading: Reading) -> Iterator[BoardFiles]:
    """Yield the systems that a board file (TOML) names, and how they are read.

    Within, what is wrong with an option is told as wrong with the board, where it is the board that says it.

    Parameters
    ----------
    path : str
    reading : Reading
        What is given here goes before what the board says.

    Raises
    ------
    FileAccessError, DataError, OptionError
        As `read_board`.
    """
    board = _Toml(path)
    try:
        yield board.files(reading)
    except OptionError as error:
        raise OptionError(*(board.own(problem, reading) for problem in error.problems)) from None


class _Toml:
    """A board file; paths in it are relative to its own folder."""

    def __init__(self, path: str) -> None:
        self._path, self._name = path, printable(path)
        text = text_in(read_bytes(path), path)
        if any(len(_PART.findall(key[0])) > _MOST_PARTS for key in _DOTTED.finditer(text)):
            what = f"expected keys of at most {_MOST_PARTS} parts with dots between them, got more"
            raise self._wrong(what, "unknown-key")
        try:
            self._held = tomllib.loads(text)
        except RecursionError:
            raise self._wrong("expected TOML, got arrays or tables that are nested too deeply", "not-toml") from None
        except ValueError as error:  # TOMLDecodeError, and that of an integer of thousands of digits
            raise self._wrong(f"expected TOML, got text that is none: {printable(str(error))}", "not-toml") from None

    def files(self, reading: Reading) -> BoardFiles:
        """Return the systems, and how they are read."""
        self._check_keys(self._held, _KEYS, "")
        systems = self._systems()
        files = [
            SystemFile(self._resolved(str(system["file"])), str(system["name"]) if "name" in system else None)
            for system in systems
        ]
        references = tuple(self._resolved(spec) for spec in self._texts("references"))
        named = [] if reading.skip_unreadable else [str(system["file"]) for system in systems]
        self._check_files([*self._texts("references"), *named])
        told = replace(
            reading,
            metrics=reading.metrics or self._texts("metrics"),
            references=reading.references or references,
            input_format=reading.input_format or self._text("format"),
            lower_is_better=reading.lower_is_better or self._flag("lower_is_better"),
            id_column=reading.id_column or self._text("id"),
            score_column=reading.score_column or self._text("score"),
            clusters=reading.clusters or self._labels_spec("clusters"),
            strata=reading.strata or self._labels_spec("strata"),
        )
        return BoardFiles(files, [None if "family" not in each else str(each["family"]) for each in systems], told)

    def own(self, problem: Problem, reading: Reading) -> Problem:
        """Return what is wrong with an option as wrong with the board's key, where it is the board that gave it."""
        key = _KEY_OF_OPTION.get(problem.where)
        if key is None or key not in self._held or getattr(reading, _FIELD_OF_KEY.get(key, key)):
            return problem
        advice = problem.advice.replace("Leave the option out.", f"Leave {key} out of the board.")
        return replace(problem, where=f"{self._name}: {key}", advice=advice)

    def _systems(self) -> list[dict[str, Any]]:
        systems = self._held.get("systems")
        if not isinstance(systems, list) or not systems or not all(isinstance(system, dict) for system in systems):
            raise self._wrong("expected a [[systems]] for every system, got none", "no-systems")
        for place, system in enumerate(systems, start=1):
            self._check_keys(system, _SYSTEM_KEYS, f"system {place}: ")
            for key, value in system.items():
                if not isinstance(value, str) or not value.strip():
                    raise self._wrong(f"system {place}: expected text for {key}, got {in_words(value)}", "wrong-type")
            if "file" not in system:
                raise self._wrong(f"system {place}: expected a file, got none", "no-file")
        return systems

    def _check_keys(self, held: Mapping[str, Any], known: Sequence[str], where: str) -> None:
        unknown = [key for key in held if key not in known]
        if unknown:
            raise DataError(
                *(
                    Problem(self._name, f"{where}unknown key {quoted(key)}", nearest(key, known), "unknown-key")
                    for key in unknown
                )
            )

    def _check_files(self, specs: Sequence[str]) -> None:
        absent = [spec for spec in specs if not is_readable(split_spec(self._resolved(spec))[0])]
        if absent:
            raise DataError(
                *(
                    Problem(
                        self._name,
                        f"names the file {quoted(spec)}, which cannot be found",
                        "Paths in a board are relative to its own folder.",
                        "missing-file",
                    )
                    for spec in absent
                )
            )

    def _resolved(self, spec: str) -> str:
        return str(Path(self._path).parent / spec)

    def _labels_spec(self, key: str) -> str | None:
        """Return a column of the systems' own tables as it stands, and a file relative to the board."""
        spec = self._text(key)
        if spec is None or not is_readable(split_spec(self._resolved(spec))[0]):
            return spec
        return self._resolved(spec)

    def _text(self, key: str) -> str | None:
        value = self._held.get(key)
        if value is not None and not isinstance(value, str):
            raise self._wrong(f"expected text for {key}, got {in_words(value)}", "wrong-type")
        return value

    def _texts(self, key: str) -> tuple[str, ...]:
        value = self._held.get(key, [])
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
            raise self._wrong(f"expected a list of texts for {key}, got {in_words(value)}", "wrong-type")
        return tuple(values)

    def _flag(self, key: str) -> bool:
        value = self._held.get(key, False)
        if not isinstance(value, bool):
            raise self._wrong(f"expected true or false for {key}, got {in_words(value)}", "wrong-type")
        return value

    def _wrong(self, what: str, slug: str) -> DataError:
        return DataError(Problem(self._name, what, "See the documentation of boards.", slug))
