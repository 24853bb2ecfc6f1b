"""Finding logs in files and folders, and naming their systems."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path, PurePath

from outscore.data.coercion import described
from outscore.errors import DataError, FileAccessError, OutscoreError, Problem
from outscore.options import suggest_map
from outscore.readers.files import is_folder, most_bytes, refuse_unreadable
from outscore.readers.kept.packing import ARCHIVE_SUFFIXES, PACKED_SUFFIXES, archive_stem, unpacked_name
from outscore.text.naming import printable
from outscore.wings.logs.archives import as_named, named_archives, unpacked
from outscore.wings.logs.base import (
    Log,
    LogFile,
    LogFormat,
    leads_out,
    link_problem,
    links_of,
    without_scores,
    wrong_log,
)
from outscore.wings.logs.files import first_keys
from outscore.wings.logs.registry import format_of_log, log_formats, names_of_formats

_OTHER_ARCHIVES = ("7z", "rar")
_OTHER_PACKINGS = ("br", "lz4", "lz", "lzma", "z")


@dataclass(frozen=True, eq=False)
class NamedLog:
    """A log, with its place."""

    log: Log
    format: LogFormat | None  # None for a log that a program passed
    spec: str  # the file or folder as the user named it
    distinction: str = ""  # text that distinguishes the system from others of the same name
    follow_links: bool = False  # whether links that lead out of the folder are followed, also when texts are read

    @property
    def system(self) -> str:
        """The name of its system, unique among those in the same folder."""
        return f"{self.log.system} ({self.distinction})" if self.distinction else self.log.system


def are_logs(path: str) -> bool:
    """Return whether a file is a log of a harness, or a folder or archive contains one at any depth.

    A Git LFS pointer in place of a possible log counts as an unreadable log.
    """

    def is_log(file: LogFile) -> bool:
        try:
            return format_of_log(file) is not None
        except OutscoreError:
            return True

    links: list[str] = []
    try:
        # Whether links are followed is known only when the logs are read. Folders of outputs contain no folders.
        with links_of(path, follow_links=False):
            return any(map(is_log, _files(path, [], links=links))) or any(
                is_folder(link) or is_log(LogFile(Path(link), Path(path))) for link in links
            )
    except DataError:  # of an archive
        return True


def logs_in(
    path: str,
    left_out: list[str] | None = None,
    *,
    by_path: bool = True,
    tasks: Sequence[str] = (),
    metrics: Sequence[str] = (),
    mapping: object = None,
    follow_links: bool = False,
) -> list[NamedLog]:
    """Return the logs in a file, a folder or an archive, with distinct names for distinct systems.

    Messages on unreadable files are added to `left_out`; without it, these are errors. With `by_path`, logs of one name
    in several files may be several systems, as in `distinctions`. Files of other tasks and metrics than the requested
    ones need not be read; the logs may contain more. A `mapping` of fields applies to all files. Links that lead out of
    the folder are followed only with `follow_links`; otherwise a note says what is left out.
    """
    failures: list[_Failure] | None = None if left_out is None else []
    with named_archives(), links_of(path, follow_links=follow_links):
        mapped = None if mapping is None else _mapped(mapping)
        logs = [(log_format, _as_named(log)) for log_format, log in _found_in(path, failures, tasks, metrics, mapped)]
    if left_out is not None:
        left_out += [as_named(failure.reason) for failure in failures or ()]
    scored = [log for _, log in logs if log.metrics]
    added = distinctions(scored, by_path=by_path)
    parts = zip(scored, named_by_files(scored, added), added, strict=True)
    named = {id(log): (renamed, part) for log, renamed, part in parts}
    return [
        NamedLog(renamed, format_, path, part if renamed is log else "", follow_links)
        for format_, log in logs
        for renamed, part in [named.get(id(log), (log, ""))]
    ]


def _mapped(mapping: object) -> LogFormat:
    from outscore.wings.logs.mapped import FieldMap, Mapped  # few logs need a map

    return Mapped(FieldMap.of(mapping))


def _as_named(log: Log) -> Log:
    """Return a log that is named by its archive, if it is in one."""
    shown = as_named(log.path)
    return log if shown == log.path else replace(log, path=shown, notes=[as_named(note) for note in log.notes])


@dataclass(frozen=True)
class _Failure:
    """A file that is left out: the message with the reason, and the error."""

    reason: str
    error: OutscoreError


def _found_in(
    path: str,
    failures: list[_Failure] | None,
    tasks: Sequence[str],
    metrics: Sequence[str],
    mapped: LogFormat | None,
) -> list[tuple[LogFormat | None, Log]]:
    """Return all logs with their formats, and notes on files that are left out; errors are raised if not tolerated."""
    by_format: dict[str, tuple[LogFormat, list[LogFile]]] = {}
    notes: list[Log] = []
    pointers: list[OutscoreError] = []
    unknown: LogFile | None = None
    links: list[str] = []
    suffixes = None if mapped is None else mapped.suffixes if is_folder(path) else ("",)
    for file in _files(path, notes, failures, links, suffixes):
        try:
            log_format = mapped or format_of_log(file)
        except OutscoreError as error:
            if error.problems[0].slug == "lfs-pointer":
                pointers.append(error)
            elif failures is None:
                raise
            else:
                failures.append(_failure(file, error))
            continue
        if log_format is not None:
            by_format.setdefault(log_format.name, (log_format, []))[1].append(file)
        else:
            unknown = unknown or file
    if pointers:
        pointer = pointers[0] if len(pointers) == 1 else _pointers(path, pointers)
        if failures is None:
            raise pointer
        problem = pointer.problems[0]
        failures.insert(0, _Failure(f"{problem.where} is left out: {problem.what}. {problem.advice}", pointer))
    logs: list[tuple[LogFormat | None, Log]] = [
        (log_format, log)
        for log_format, files in by_format.values()
        for log in _read(log_format, log_format.asked_for(files, tasks, metrics), failures)
    ]
    logs += [(None, note) for note in notes]
    if links:  # first, as results whose samples are links have another fault
        logs.insert(0, (None, without_scores(link_problem(links), Path(links[0]))))
    fault = next((log.fault for _, log in logs if log.fault is not None), None)
    if fault is not None and not any(log.metrics for _, log in logs):
        raise DataError(fault)
    if not logs:
        if failures:
            raise failures[0].error
        refuse_unreadable(path)
        source_kind = "a folder" if is_folder(path) else "a file"
        what = f"unrecognized log format in {source_kind}"
        advice = f"Known formats: {', '.join(names_of_formats())}."
        shown = path if unknown is None else str(unknown.path)
        is_table = unpacked_name(shown.lower()).endswith((".csv", ".tsv")) and not is_folder(shown)
        if is_table or (unknown is not None and first_keys(unknown.head)):
            advice += f" Other records need a map: {suggest_map(shown)}"
        raise wrong_log(printable(path), what, advice, "no-log")
    return logs


def _pointers(path: str, errors: Sequence[OutscoreError]) -> DataError:
    """Return one error for all Git LFS pointers in a folder."""
    what = f"{len(errors):,} files are Git LFS pointers instead of logs, the first {errors[0].problems[0].where}"
    return DataError(Problem(printable(path), what, "Run git lfs pull to get the files.", "lfs-pointer"))


def _read(log_format: LogFormat, files: Sequence[LogFile], failures: list[_Failure] | None) -> list[Log]:
    """Return the logs in files of one format; without unreadable ones, if these are tolerated."""
    while files:
        try:
            return list(log_format.read(files))
        except OutscoreError as error:
            if failures is None:
                raise
            unreadable = _about(error, files) or [_first_unreadable(log_format, files)]
            failures += [_failure(file, error) for file in unreadable]
            files = [file for file in files if file not in unreadable]
    return []


def _about(error: OutscoreError, files: Sequence[LogFile]) -> list[LogFile]:
    """Return the file that an error names; None if it names another file."""
    where = error.problems[0].where
    return [file for file in files if where == file.where or where.startswith((f"{file.where}:", f"{file.where}["))]


def _first_unreadable(log_format: LogFormat, files: Sequence[LogFile]) -> LogFile:
    """Return the first unreadable file, found by bisection, with its error."""
    readable, unreadable = 0, len(files)  # number of files, from the first
    while unreadable - readable > 1:
        middle = (readable + unreadable) // 2
        try:
            for _ in log_format.read(files[:middle]):
                pass
        except OutscoreError:
            unreadable = middle
        else:
            readable = middle
    return files[unreadable - 1]


def _failure(file: LogFile, error: OutscoreError) -> _Failure:
    """Return why a file is left out, and which other file the error names."""
    problem = error.problems[0]
    what = problem.what.removesuffix(".")
    about_it = bool(_about(error, [file]))
    reason = (
        f"{problem.where} is left out: {what}." if about_it else f"{file.where} is left out: {problem.where}: {what}."
    )
    return _Failure(reason, error)


def logs_of_object(data: object) -> list[Log]:
    """Return the logs in an object of a harness, or in its data frame of samples. Logs without samples are refused."""
    from outscore.wings.logs.harnesses.inspect import log_of_object, logs_of_frame

    logs = log_of_object(data) or logs_of_frame(data)
    if logs is None:
        what = f"expected a log, got {described(data)}"
        raise wrong_log("systems", what, "Pass an EvalLog with its samples, or their data frame.", "wrong-type")
    return logs


def _files(
    path: str,
    notes: list[Log],
    failures: list[_Failure] | None = None,
    links: list[str] | None = None,
    suffixes: tuple[str, ...] | None = None,
) -> Iterator[LogFile]:
    """Yield the files whose names may be those of logs, sorted; hidden folders are skipped.

    This includes files in archives. Notes list the archives in a folder that are left out, and `links` what may be
    logs behind links that are not followed. Unreadable folders are errors unless tolerated.
    """
    suffixes = suffixes or tuple({suffix for log_format in log_formats().values() for suffix in log_format.suffixes})
    root = Path(path)
    if not path or not is_folder(path):
        if not os.path.isfile(path):  # noqa: PTH113
            return
        if archive_stem(root.name) is None:
            if unpacked_name(root.name.lower()).endswith(suffixes):
                yield LogFile(root, root)
            notes += _packed_otherwise(root, suffixes)
            return
        root, _ = unpacked(path, suffixes, most_bytes())
    left = most_bytes()  # over all archives in a folder
    out: list[str] = []
    for folder, names in _folders(root, failures, out):
        there = {*names}
        for name in names:
            file, stem = Path(folder, name), archive_stem(name)
            if not os.path.isfile(file) or unpacked_name(name) in there - {name}:  # noqa: PTH113
                continue
            if unpacked_name(name.lower()).endswith(suffixes):
                yield LogFile(file, root)
            elif stem is not None and stem not in there and not is_folder(str(Path(folder, stem))):
                try:
                    inner, size = unpacked(str(file), suffixes, left)
                except (DataError, FileAccessError) as error:
                    # It may have no logs.
                    problem = error.problems[0]
                    notes.append(without_scores(replace(problem, what=f"is left out: {problem.what}"), file))
                    continue
                left -= size
                for within, inner_names in _folders(inner):
                    yield from (LogFile(Path(within, name), root) for name in inner_names)
            else:
                notes += _packed_otherwise(file, suffixes)
    if links is not None:
        may_be_logs = (*suffixes, *ARCHIVE_SUFFIXES)
        links += [link for link in out if is_folder(link) or unpacked_name(link.lower()).endswith(may_be_logs)]


def _packed_otherwise(file: Path, suffixes: tuple[str, ...]) -> Sequence[Log]:
    """Return a note on a log or archive with unsupported compression; None for another file."""
    stem, _, packing = file.name.lower().rpartition(".")
    if packing not in _OTHER_ARCHIVES and not (packing in _OTHER_PACKINGS and stem.endswith((*suffixes, ".tar"))):
        return []
    what = "is left out, as its compression is not supported"
    advice = f"Unpack it, or compress it as one of {', '.join(PACKED_SUFFIXES)}, .zip."
    return [without_scores(Problem(printable(str(file)), what, advice, "packed"), file)]


def _folders(
    root: Path, failures: list[_Failure] | None = None, left_out: list[str] | None = None
) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield a folder and its subfolders, each with its names: each once, those behind links last.

    Links that may not be followed are listed in `left_out`.
    """

    def refuse(error: OSError) -> None:
        """Refuse an unreadable folder; its content would be skipped silently."""
        try:
            refuse_unreadable(str(error.filename))
        except OutscoreError as unreadable:
            if failures is None:
                raise
            failures.append(_failure(LogFile(Path(error.filename)), unreadable))

    seen: set[tuple[int, int]] = set()
    waiting = [str(root)]
    while waiting:
        for folder, folders, names in os.walk(waiting.pop(0), onerror=refuse):
            status = os.stat(folder)  # noqa: PTH116
            if (status.st_dev, status.st_ino) in seen:
                folders.clear()
                continue
            seen.add((status.st_dev, status.st_ino))
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            links = [os.path.join(folder, name) for name in folders if os.path.islink(os.path.join(folder, name))]  # noqa: PTH114, PTH118
            # A link to a parent folder would lead to everything next to the root.
            links = [link for link in links if not root.resolve().is_relative_to(Path(link).resolve())]
            outer = {link for link in links if leads_out(link)}
            waiting += [link for link in links if link not in outer]
            links = [os.path.join(folder, name) for name in names if os.path.islink(os.path.join(folder, name))]  # noqa: PTH114, PTH118
            outer |= {link for link in links if leads_out(link)}
            if left_out is not None:
                left_out += sorted(outer)
            yield folder, sorted(name for name in names if os.path.join(folder, name) not in outer)  # noqa: PTH118


_WORD = re.compile(r"[-_. ]")
_DIGITS = re.compile(r"[0-9]+")


def distinctions(logs: Sequence[Log], *, by_path: bool = True) -> list[str]:
    """Return a suffix for the name of each log's system, empty if the name is unique.

    Logs of one system on one task belong to several systems if they differ in facts listed in `Log.apart`: an agent, an
    argument of the task. If only the path names the system (`Log.named_by_path`), other paths are other systems, unless
    the user declares logs as runs (`by_path` is false). As few facts or folders are added as needed. Other logs of one
    name are runs of one system.
    """
    added = [""] * len(logs)
    for indices in _alike(logs, added):
        facts = [{name: log.facts[name] for name in log.apart if name in log.facts} for log in _logs_at(logs, indices)]
        for index, part in zip(indices, _parts(logs, indices, facts), strict=True):
            added[index] = ", ".join(f"{name.rpartition('argument ')[2]} {value}" for name, value in part.items())
    for indices in _alike(logs, added) if by_path else ():
        if all(log.named_by_path for log in _logs_at(logs, indices)):
            folders = _parts(logs, indices, _folders_of_logs(_logs_at(logs, indices)))
            for index, part in zip(indices, folders, strict=True):
                path = "/".join(part[key] for key in sorted(part))
                added[index] = ", ".join(filter(None, (added[index], path)))
    return added


def named_by_files(logs: Sequence[Log], added: Sequence[str]) -> list[Log]:
    """Return logs whose systems are named by the differing part of their file names, where that makes names unique.

    This holds for logs that have their name from a common folder, and no other logs with the name of a file. Names
    that differ only in numbers may be those of runs. `added` are the `distinctions` of the logs.
    """
    by_system: dict[str, list[int]] = {}
    for index, log in enumerate(logs):
        by_system.setdefault(log.system, []).append(index)
    named = list(logs)
    for system, indices in by_system.items():
        names = _names_of_files(_logs_at(logs, indices))
        from_folder = all(
            log.named_by_path and system not in PurePath(log.path).name for log in _logs_at(logs, indices)
        )
        are_numbers = len({_DIGITS.sub("", name) for name in names}) < len(set(names))
        are_added = names == [added[index] for index in indices]
        if from_folder and are_added and not are_numbers and by_system.keys().isdisjoint(names):
            for index, name in zip(indices, names, strict=True):
                named[index] = replace(logs[index], system=name)
    return named


def _logs_at(logs: Sequence[Log], indices: Iterable[int]) -> list[Log]:
    return [logs[index] for index in indices]


def _alike(logs: Sequence[Log], added: Sequence[str]) -> list[list[int]]:
    """Return the places of the logs of each name for which a task has several."""
    by_name: dict[tuple[str, str], list[int]] = {}
    for index, log in enumerate(logs):
        by_name.setdefault((log.system, added[index]), []).append(index)
    return [indices for indices in by_name.values() if len({logs[index].task for index in indices}) < len(indices)]


def _parts(logs: Sequence[Log], indices: Sequence[int], values: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """Return the few values of each log that distinguish the logs of a task."""
    by_task: dict[str, list[Mapping[str, str]]] = {}
    for index, value in zip(indices, values, strict=True):
        by_task.setdefault(logs[index].task, []).append(value)
    telling = dict.fromkeys(key for values_of_task in by_task.values() for key in _telling(values_of_task))
    keys_of_task = {
        task: {key for facts_of_log in values_of_task for key in facts_of_log}
        for task, values_of_task in by_task.items()
    }
    return [
        {key: value.get(key, "not set") for key in telling if key in keys_of_task[logs[index].task]}
        for index, value in zip(indices, values, strict=True)
    ]


def _telling(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Return a smallest set of keys whose values distinguish all rows that differ in some key."""

    def kinds(keys: Iterable[str]) -> int:
        return len({tuple(row.get(key) for key in keys) for row in rows})

    keys = [key for key in dict.fromkeys(key for row in rows for key in row) if kinds([key]) > 1]
    most = kinds(keys)
    for key in keys:
        if kinds([key]) == most:
            return [key]
    for key in reversed(keys):
        rest = [other_key for other_key in keys if other_key != key]
        if kinds(rest) == most:
            keys = rest
    return keys


def _folders_of_logs(logs: Sequence[Log]) -> list[Mapping[str, str]]:
    """Return the folders in the path of each log, innermost first, its name, and all its folders, in path order.

    Common folders are left out.
    """
    paths = [PurePath(log.path) for log in logs]
    names = _names_of_files(logs)
    folders = [path.parts[:-1] for path in paths]
    start = _n_shared(folders)
    depth = min(map(len, folders))
    return [
        {f"folder {level:03}": printable(folder[level]) for level in reversed(range(start, depth))}
        | {"name": name, "all": printable("/".join(folder[start:])) or "."}
        for folder, name in zip(folders, names, strict=True)
    ]


def _names_of_files(logs: Sequence[Log]) -> list[str]:
    """Return the part of the file name of each log that differs."""
    names = [PurePath(log.path).name.removesuffix(".gz") for log in logs]
    return list(map(printable, _without_common_words([name.rpartition(".")[0] or name for name in names])))


def _without_common_words(names: Sequence[str]) -> list[str]:
    """Return names without common leading words, if words that begin with a letter are left.

    Examples
    --------
    >>> _without_common_words(["results_gpt_5", "results_claude"]), _without_common_words(["run_1", "run_2"])
    (['gpt_5', 'claude'], ['run_1', 'run_2'])
    """
    words = [_WORD.split(name) for name in names]
    start = sum(len(word) + 1 for word in words[0][: _n_shared(words)])
    rest = [name[start:] for name in names]
    return rest if all(name[:1].isalpha() for name in rest) else list(names)


def _n_shared(rows: Sequence[Sequence[str]]) -> int:
    """Return the number of leading entries that are the same in all rows."""
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, zip(*rows, strict=False)))
