"""Which logs stand in the files and folders that a user names."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from outscore.errors import DataError, FileAccessError, OutscoreError
from outscore.naming import printable
from outscore.readers.files import is_folder, refuse_unreadable
from outscore.readers.logs.base import Log, LogFile, LogFormat, wrong_log
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
    """

    log: Log
    format: LogFormat | None
    spec: str


def are_logs(path: str) -> bool:
    """Tell whether a file is a log of a harness, or a folder holds one, in whatever depth.

    A pointer of Git LFS in the place of a file that could be one is one, which cannot be read.

    Raises
    ------
    FileAccessError
        A file or folder that may not be read.
    """

    def is_one(file: LogFile) -> bool:
        try:
            return format_of_log(file) is not None
        except DataError:
            return True

    return any(map(is_one, _files(path)))


def logs_in(
    path: str, left_out: list[str] | None = None, *, tasks: Sequence[str] = (), metrics: Sequence[str] = ()
) -> list[NamedLog]:
    """Return the logs in a file or a folder.

    Parameters
    ----------
    path : str
    left_out : list of str, optional
        Where to say which files cannot be read, and why, in the place of raising.
    tasks, metrics : sequences of str
        What is asked for, as users name it. Files of other tasks and metrics need not be read; the logs may hold more.

    Raises
    ------
    FileAccessError, DataError
        Files, folders and logs that cannot be read; no log at all.
    """
    by_format: dict[str, tuple[LogFormat, list[LogFile]]] = {}
    for file in _files(path):
        try:
            known = format_of_log(file)
        except DataError as error:
            if left_out is None:
                raise
            left_out.append(_why_left_out(error))
            continue
        if known is not None:
            by_format.setdefault(known.name, (known, []))[1].append(file)
    logs = [
        NamedLog(log, known, path)
        for known, files in by_format.values()
        for log in _read(known, known.asked_for(files, tasks, metrics), left_out)
    ]
    fault = next((one.log.fault for one in logs if one.log.fault is not None), None)
    if fault is not None and not any(one.log.metrics for one in logs):
        raise DataError(fault)
    if not logs:
        refuse_unreadable(path)
        if left_out:
            raise wrong_log(printable(path), f"expected logs that can be read, got none: {left_out[-1]}", slug="no-log")
        place = "a folder" if is_folder(path) else "a file"
        what = f"expected the log of a harness, got {place} in which there is none that is known"
        raise wrong_log(printable(path), what, f"Known: {', '.join(log_formats())}.", "no-log")
    return logs


def _read(known: LogFormat, files: Sequence[LogFile], left_out: list[str] | None) -> list[Log]:
    """Return the logs in files of one format; without those that cannot be read, where that is wanted."""
    while files:
        try:
            return list(known.read(files))
        except (FileAccessError, DataError) as error:
            where = error.problems[0].where
            readable = [file for file in files if where != file.where and not where.startswith(f"{file.where}:")]
            if left_out is None or len(readable) == len(files):
                raise
            left_out.append(_why_left_out(error))
            files = readable
    return []


def _why_left_out(error: OutscoreError) -> str:
    problem = error.problems[0]
    return f"{problem.where} is left out: {problem.what}."


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


def _files(path: str) -> Iterator[LogFile]:
    """Yield the files whose names can be those of logs: all of a folder, sorted, but for hidden folders."""
    suffixes = tuple({suffix for known in log_formats().values() for suffix in known.suffixes})
    root = Path(path)
    if not path or not is_folder(path):
        if root.name.lower().removesuffix(".gz").endswith(suffixes) and os.path.isfile(path):  # noqa: PTH113
            yield LogFile(root)
        return
    for folder, folders, names in os.walk(root, onerror=_refuse_folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            file = Path(folder, name)
            if name.lower().removesuffix(".gz").endswith(suffixes) and os.path.isfile(file):  # noqa: PTH113
                yield LogFile(file, root)


def _refuse_folder(error: OSError) -> None:
    """Refuse a folder that may not be read: what it holds would be left out without a word."""
    refuse_unreadable(str(error.filename))
