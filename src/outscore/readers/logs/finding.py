"""Which logs stand in the files and folders that a user names."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from outscore.errors import OutscoreError
from outscore.naming import printable
from outscore.readers.files import is_folder, refuse_unreadable
from outscore.readers.logs.base import Log, LogFile, LogFormat, wrong_log
from outscore.readers.logs.distinct import distinctions
from outscore.readers.logs.registry import format_of_log, log_formats

__all__ = ["NamedLog", "are_logs", "logs_in", "logs_of_object"]


@dataclass(frozen=True, eq=False)
class NamedLog:
    """A log, and where it was found.

    Attributes
    ----------
    log : Log
    format : LogFormat, optional
        None of a log that a program passed.
    spec : str
        The file or folder as the user named it.
    distinction : str
        What tells its system from others of the same name.
    """

    log: Log
    format: LogFormat | None
    spec: str
    distinction: str = ""

    @property
    def system(self) -> str:
        """The name of its system, unlike those of others in the same folder."""
        return f"{self.log.system} ({self.distinction})" if self.distinction else self.log.system


def are_logs(path: str) -> bool:
    """Tell whether a file is a log of a harness, or a folder holds one, in whatever depth.

    A pointer of Git LFS in the place of a file that could be one is one, which cannot be read.

    Raises
    ------
    FileAccessError
        A folder that may not be read.
    """

    def is_one(file: LogFile) -> bool:
        try:
            return format_of_log(file) is not None
        except OutscoreError:
            return True

    return any(map(is_one, _files(path)))


def logs_in(path: str, left_out: list[str] | None = None, *, by_path: bool = True) -> list[NamedLog]:
    """Return the logs in a file or a folder, those of different systems by different names.

    Parameters
    ----------
    path : str
    left_out : list of str, optional
        Where to say which files cannot be read, and why, in the place of raising.
    by_path : bool
        Whether logs of one name in several files may be of several systems, as of `distinctions`.

    Raises
    ------
    FileAccessError, DataError
        Files, folders and logs that cannot be read; no log at all.
    """
    by_format: dict[str, tuple[LogFormat, list[LogFile]]] = {}
    for file in _files(path, left_out):
        try:
            known = format_of_log(file)
        except OutscoreError as error:
            if left_out is None:
                raise
            left_out.append(_why_left_out(file, error))
            continue
        if known is not None:
            by_format.setdefault(known.name, (known, []))[1].append(file)
    found = [(known, log) for known, files in by_format.values() for log in _read(known, files, left_out)]
    if not found:
        refuse_unreadable(path)
        if left_out:
            raise wrong_log(printable(path), f"expected logs that can be read, got none: {left_out[-1]}", slug="no-log")
        place = "a folder" if is_folder(path) else "a file"
        what = f"expected the log of a harness, got {place} in which there is none that is known"
        raise wrong_log(printable(path), what, f"Known: {', '.join(log_formats())}.", "no-log")
    added = distinctions([log for _, log in found], by_path=by_path)
    return [NamedLog(log, known, path, own) for (known, log), own in zip(found, added, strict=True)]


def _read(known: LogFormat, files: Sequence[LogFile], left_out: list[str] | None) -> list[Log]:
    """Return the logs in files of one format; without those that cannot be read, where that is wanted."""
    while files:
        try:
            return list(known.read(files))
        except OutscoreError as error:
            if left_out is None:
                raise
            unreadable = _about(error, files) or [_first_unreadable(known, files)]
            left_out += [_why_left_out(file, error) for file in unreadable]
            files = [file for file in files if file not in unreadable]
    return []


def _about(error: OutscoreError, files: Sequence[LogFile]) -> list[LogFile]:
    """Return the file that an error names; none where it names another one, as one that belongs to a log."""
    where = error.problems[0].where
    return [file for file in files if where == file.where or where.startswith((f"{file.where}:", f"{file.where}["))]


def _first_unreadable(known: LogFormat, files: Sequence[LogFile]) -> LogFile:
    """Return the first of files that cannot be read together with which they cannot: by bisection."""
    readable, unreadable = 0, len(files)  # how many of them, from the first on
    while unreadable - readable > 1:
        middle = (readable + unreadable) // 2
        try:
            for _ in known.read(files[:middle]):
                pass
        except OutscoreError:
            unreadable = middle
        else:
            readable = middle
    return files[unreadable - 1]


def _why_left_out(file: LogFile, error: OutscoreError) -> str:
    """Say that a file is left out, and why; where the error is about another file, which."""
    problem = error.problems[0]
    if _about(error, [file]):
        return f"{problem.where} is left out: {problem.what}."
    return f"{file.where} is left out: {problem.where}: {problem.what}."


def logs_of_object(data: object) -> list[Log]:
    """Return the logs that an object of a harness's own holds, or a frame of samples that it made.

    Raises
    ------
    DataError
        Another object of that harness, or a log without samples.
    """
    from outscore.readers.logs.inspect import log_of_object, logs_of_frame

    logs = log_of_object(data) or logs_of_frame(data)
    if logs is None:
        what = f"expected a log, got an object of type {type(data).__name__}"
        raise wrong_log("systems", what, "Pass an EvalLog with its samples, or their data frame.", "wrong-type")
    return logs


def _files(path: str, left_out: list[str] | None = None) -> Iterator[LogFile]:
    """Yield the files whose names can be those of logs: all of a folder, sorted, but for hidden folders."""
    suffixes = tuple({suffix for known in log_formats().values() for suffix in known.suffixes})
    root = Path(path)
    if not path or not is_folder(path):
        if root.name.lower().removesuffix(".gz").endswith(suffixes) and os.path.isfile(path):  # noqa: PTH113
            yield LogFile(root)
        return

    def refuse(error: OSError) -> None:
        """Refuse a folder that may not be read: what it holds would be left out without a word."""
        try:
            refuse_unreadable(str(error.filename))
        except OutscoreError as unreadable:
            if left_out is None:
                raise
            left_out.append(_why_left_out(LogFile(Path(error.filename)), unreadable))

    for folder, folders, names in os.walk(root, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            file = Path(folder, name)
            if name.lower().removesuffix(".gz").endswith(suffixes) and os.path.isfile(file):  # noqa: PTH113
                yield LogFile(file, root)
