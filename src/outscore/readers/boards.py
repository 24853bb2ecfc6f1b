"""Leaderboard files (TOML), and families of systems."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from outscore.data.coercion import described
from outscore.data.rows import Missing
from outscore.design.options import options_of_function
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics import AnyMetric
from outscore.options import Option, leave_out, opt
from outscore.readers.base import Table
from outscore.readers.files import decoded, is_readable, read_bytes, split_spec
from outscore.readers.reading import Families, Files, Reading, listed_metrics
from outscore.readers.registry import InputFiles
from outscore.readers.sources import Source
from outscore.readers.tabular.cells import in_words, is_missing, text_in
from outscore.text.naming import nearest, printable, quoted

_NAME_COLUMNS = ("system", "name", "model", "id")


def families_named(
    names: Sequence[str], families: Families, otherwise: Sequence[str | None], files: InputFiles | None = None
) -> tuple[str | None, ...]:
    """Return the families of systems: those that users name, else those already known.

    `families` is a mapping from name to family, or ``FILE:COLUMN``; see `families_of`. `otherwise` has one per system,
    used if `families` has none. Raise OptionError for an unknown system, or an object that is not a mapping. Raise
    DataError as `families_of` does.
    """
    if families is None:
        return tuple(otherwise)
    if isinstance(families, str):
        return families_of(names, families, files)
    if not isinstance(families, Mapping):
        raise _wrong(f"expected a mapping from names to families, got {described(families)}")
    by_name: dict[str, str | None] = {}
    for key, family in families.items():
        name = printable(str(key))
        if name not in names:
            what = f"unknown system {quoted(name)}"
            raise OptionError(Problem("families", what, nearest(name, names), "unknown-system"))
        if not (family is None or isinstance(family, str | int)):
            raise _wrong(f"expected the family of {quoted(name)} as text, got {described(family)}")
        by_name[name] = None if family is None else str(family).strip() or None
    return tuple(by_name.get(name, family) for name, family in zip(names, otherwise, strict=True))


def families_of(names: Sequence[str], spec: str, files: InputFiles | None = None) -> tuple[str | None, ...]:
    """Return the families of systems, or other marks, from a table with one row per system.

    `spec` is ``FILE:COLUMN``, or ``FILE`` for its column `family` or `group`. The column of names is the one that holds
    most of the systems' names. An empty cell means that the family is unknown. Raise DataError for a table that cannot
    be read, has no such column, or lacks a system, and for a system with two families.
    """
    path, column = split_spec(spec)
    table = (files or InputFiles()).file(path).table()
    if column is None:
        column = next((name for name in ("family", "group") if name in table.columns), None)
    if column is None or column not in table.columns:
        what = f"expected a column {quoted(column or 'family')}, got none"
        raise DataError(
            Problem(printable(path), what, nearest(column or "family", map(str, table.columns)), "wrong-column")
        )
    rows_of_names: dict[str, list[int]] = {}
    for candidate in (*(name for name in _NAME_COLUMNS if name in table.columns), *table.columns):
        places = {} if candidate == column else _places(table, candidate, names)
        if len(places) > len(rows_of_names):
            rows_of_names = places
    lacking = [name for name in names if name not in rows_of_names]
    if lacking:
        shown = ", ".join(quoted(name) for name in lacking[:3]) + (" and more" if len(lacking) > 3 else "")
        what = f"{len(lacking)} of the {len(names)} systems are missing: {shown}"
        raise DataError(Problem(printable(path), what, "Add a row for each system.", "missing-system"))
    return tuple(_one(table, column, name, rows_of_names[name]) for name in names)


def _wrong(what: str) -> OptionError:
    return OptionError(Problem("families", what, "", "wrong-type"))


def _places(table: Table, column: str, names: Sequence[str]) -> dict[str, list[int]]:
    """Return the rows of each system whose name is in this column."""
    wanted = set(names)
    places: dict[str, list[int]] = {}
    for index, cell in enumerate(table.columns[column]):
        name = text_in(cell)
        if name in wanted:
            places.setdefault(str(name), []).append(index)
    return places


def _one(table: Table, column: str, system: str, indices: Sequence[int]) -> str | None:
    """Return the one value of a system's rows, or None if it is missing."""
    cells = [table.columns[column][index] for index in indices]
    families = [None if is_missing(cell) else str(cell).strip() for cell in cells]
    other = next((i for i, family in enumerate(families) if family != families[0]), None)
    if other is None:
        return families[0]
    here, before = ("nothing" if family is None else quoted(family) for family in (families[other], families[0]))
    what = f"system {quoted(system)}: expected one {printable(column)}, got {here} here and {before} at "
    raise DataError(
        Problem(table.place(indices[other]), what + table.place(indices[0]), "Remove one of them.", "two-families")
    )


# The options of reading by key, listed under "data" in --help-all.
_OPTIONS = {option.key: option for option in options_of_function("read").values() if option.key}
_KEYS = ("metrics", "references", "systems", "missing", *_OPTIONS)
_SYSTEM_KEYS = ("name", "file", "family")

# Keys with many dotted parts. tomllib takes quadratic time in their number. An unclosed quote ends with its line,
# so that this pattern takes linear time.
_PART = re.compile(r"""[\w-]++|"(?:[^"\\\n]|\\.)*+"?|'[^'\n]*+'?""")
_DOTTED = re.compile(rf"(?:{_PART.pattern})(?:[ \t]*+\.[ \t]*+(?:{_PART.pattern}))*+")
_MOST_PARTS = 100


def _has_long_keys(toml: str) -> bool:
    """Return whether a key has so many parts that tomllib would take very long, or all memory."""
    return any(len(_PART.findall(key[0])) > _MOST_PARTS for key in _DOTTED.finditer(toml))


_ADVICE = "See the documentation of leaderboard files."


def read_toml(path: str, advice: str) -> dict[str, Any]:
    """Return the content of a TOML file. Errors end with `advice`. May raise FileAccessError or DataError."""
    text, name = decoded(read_bytes(path), path), printable(path)
    if _has_long_keys(text):
        what = f"expected keys of at most {_MOST_PARTS} dotted parts, got more"
        raise DataError(Problem(name, what, advice, "unknown-key"))
    try:
        return tomllib.loads(text)
    except RecursionError:
        what = "expected TOML, got arrays or tables that are nested too deeply"
    except ValueError as error:  # a TOMLDecodeError, or an integer of thousands of digits
        what = f"not valid TOML: {printable(str(error))}"
    raise DataError(Problem(name, what, advice, "not-toml"))


@dataclass(frozen=True)
class BoardFiles:
    """The systems and options in a leaderboard file, not yet read.

    Attributes
    ----------
    families : list of str or None
        One per source.
    reading : Reading
        The options of the file, overridden by those of the caller.
    """

    sources: list[Source]
    families: list[str | None]
    metrics: tuple[AnyMetric | str, ...]
    reading: Reading


@contextmanager
def board_files(path: str, metrics: Sequence[AnyMetric | str], reading: Reading) -> Iterator[BoardFiles]:
    """Yield the systems named in a leaderboard file (TOML), and how to read them.

    Options of `reading` override those in the file. Inside this context, a problem with an option that comes from the
    file is reported as a problem of the file. Raise FileAccessError, DataError or OptionError for a file that cannot be
    read or understood, unknown keys, or files named in it that do not exist.
    """
    board = _Toml(path)
    try:
        yield board.files(metrics, reading)
    except OptionError as error:
        raise OptionError(*(board.own(problem, reading) for problem in error.problems)) from None


class _Toml:
    """A leaderboard file. Its paths are relative to its folder."""

    def __init__(self, path: str) -> None:
        self._path, self._name = path, printable(path)
        self._content = read_toml(path, _ADVICE)

    def files(self, metrics: Sequence[AnyMetric | str], reading: Reading) -> BoardFiles:
        """Return the systems and how to read them."""
        self._check_keys(self._content, _KEYS, "")
        systems = self._systems()
        sources = [
            Source.of(self._resolved(str(system["file"])), str(system["name"]) if "name" in system else None)
            for system in systems
        ]
        references = tuple(self._resolved(spec) for spec in self._texts("references"))
        named = [] if reading.skip_unreadable else [str(system["file"]) for system in systems]
        self._check_files([*self._texts("references"), *named])
        completed = replace(
            reading,
            references=reading.references if reading.has_references else Files(references) or None,
            **{option.argument: getattr(reading, option.argument) or self._own(option) for option in _OPTIONS.values()},  # type: ignore[arg-type]
        )
        missing = self._text("missing")
        if missing is not None and reading.missing is Missing.ERROR:
            if missing not in ("error", "drop", "zero"):
                raise self._wrong(f"expected error, drop or zero for missing, got {quoted(missing)}", "wrong-type")
            how: dict[str, Any] = {} if missing == "error" else {Missing(missing).argument: True}
            completed = replace(completed, **how)
        families = [None if "family" not in system else str(system["family"]) for system in systems]
        return BoardFiles(
            sources, families, tuple(metrics) or listed_metrics(list(self._texts("metrics")) or None), completed
        )

    def own(self, problem: Problem, reading: Reading) -> Problem:
        """Return a problem with an option as a problem with its key, if the option comes from the file."""
        key = next((key for key, option in _OPTIONS.items() if problem.where == opt(option.argument)), None)
        if key is None or key not in self._content or getattr(reading, _OPTIONS[key].argument):
            return problem
        advice = problem.advice.replace(leave_out(), f"Remove {key} from the leaderboard file.")
        return replace(problem, where=f"{self._name}: {key}", advice=advice)

    def _systems(self) -> list[dict[str, Any]]:
        systems = self._content.get("systems")
        if not isinstance(systems, list) or not systems or not all(isinstance(system, dict) for system in systems):
            raise self._wrong("expected one [[systems]] table per system, got none", "no-systems")
        for number, system in enumerate(systems, start=1):
            self._check_keys(system, _SYSTEM_KEYS, f"system {number}: ")
            for key, value in system.items():
                if not isinstance(value, str) or not value.strip():
                    raise self._wrong(f"system {number}: expected text for {key}, got {in_words(value)}", "wrong-type")
            if "file" not in system:
                raise self._wrong(f"system {number}: expected a file, got none", "no-file")
        return systems

    def _check_keys(self, keys: Mapping[str, Any], known: Sequence[str], where: str) -> None:
        unknown = [key for key in keys if key not in known]
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
                        f"file {quoted(spec)} not found",
                        "Paths are relative to the folder of the leaderboard file.",
                        "missing-file",
                    )
                    for spec in absent
                )
            )

    def _resolved(self, spec: str) -> str:
        return str(Path(self._path).parent / spec)

    def _own(self, option: Option) -> str | bool | None:
        """Return an option from the file. Paths of labels are relative to its folder."""
        if option.type == "flag":
            return self._flag(option.key)
        spec = self._text(option.key)
        if not option.labels or spec is None or not is_readable(split_spec(self._resolved(spec))[0]):
            return spec
        return self._resolved(spec)

    def _text(self, key: str) -> str | None:
        value = self._content.get(key)
        if value is not None and not isinstance(value, str):
            raise self._wrong(f"expected text for {key}, got {in_words(value)}", "wrong-type")
        return value

    def _texts(self, key: str) -> tuple[str, ...]:
        value = self._content.get(key, [])
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list) or not all(isinstance(part, str) for part in values):
            raise self._wrong(f"expected a list of strings for {key}, got {in_words(value)}", "wrong-type")
        return tuple(values)

    def _flag(self, key: str) -> bool:
        value = self._content.get(key, False)
        if not isinstance(value, bool):
            raise self._wrong(f"expected true or false for {key}, got {in_words(value)}", "wrong-type")
        return value

    def _wrong(self, what: str, slug: str) -> DataError:
        return DataError(Problem(self._name, what, _ADVICE, slug))
