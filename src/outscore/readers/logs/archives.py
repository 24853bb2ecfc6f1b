"""Logs in archives, ZIP and tar: unpacked into a folder for temporary files, as long as the program runs."""

from __future__ import annotations

import os
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path, PurePosixPath

from outscore.errors import FileAccessError, OutscoreError, Problem
from outscore.naming import printable
from outscore.readers.files import most_bytes, read_bytes, too_large
from outscore.readers.logs.base import wrong_log
from outscore.readers.logs.zips import Archive
from outscore.readers.packing import archive_stem, unpacked_name

__all__ = ["as_named", "named_archives", "real_path", "unpacked"]

_MOST_FILES = 100_000
_ADVICE = "Unpack it, and name the folder."
# By the path of an archive: its time and size, and the folder that it was unpacked into.
_FOLDERS: dict[str, tuple[tuple[int, int], tempfile.TemporaryDirectory[str], Path]] = {}
_BYTES: dict[str, int] = {}  # of each archive that is unpacked


def unpacked(path: str, suffixes: tuple[str, ...]) -> Path:
    """Return a folder with the files in an archive whose names have one of some endings; unpacked once.

    Raises
    ------
    FileAccessError, DataError
        What is no archive, or a damaged one; more than `most_bytes` in all archives, or very many files.
    """
    status = os.stat(path)  # noqa: PTH116 - a name as a user wrote it
    mark = (status.st_mtime_ns, status.st_size)
    key = os.path.abspath(path)  # noqa: PTH100 - a link is another archive
    if key in _FOLDERS and _FOLDERS[key][0] == mark:
        return _FOLDERS[key][2]
    stem = archive_stem(Path(path).name) or "archive"
    holder = tempfile.TemporaryDirectory(prefix="outscore-", ignore_cleanup_errors=True)
    folder = Path(holder.name, stem)
    folder.mkdir()
    limit = most_bytes() - sum(size for other, size in _BYTES.items() if other != key)
    done = 0
    try:
        for count, (name, data) in enumerate(_members(path, suffixes, limit)):
            done += len(data)
            if done > limit or count >= _MOST_FILES:
                raise (
                    too_large(path, most_bytes())
                    if done > limit
                    else wrong_log(
                        printable(path), f"expected at most {_MOST_FILES:,} files in an archive, got more", _ADVICE
                    )
                )
            place = folder.joinpath(*name.parts)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
    except BaseException as error:
        holder.cleanup()
        if isinstance(error, OSError) and not isinstance(error, OutscoreError):
            what = f"expected an archive that can be unpacked, got: {printable(error.strerror or str(error))}"
            raise FileAccessError(Problem(printable(path), what, _ADVICE, "cannot-read")) from None
        raise
    _FOLDERS[key], _BYTES[key] = (mark, holder, folder), done
    return folder


def _members(path: str, suffixes: tuple[str, ...], limit: int) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield the names and contents of those members of an archive that can be logs."""
    if unpacked_name(Path(path).name).lower().endswith(".zip"):
        with Archive(path) as archive:
            for name in archive.names:
                place = _place(name, suffixes)
                if place is not None:
                    yield place, archive.read(name)
        return
    data = read_bytes(path)
    try:
        with tarfile.open(fileobj=BytesIO(data), mode="r:") as tar:
            for member in tar:
                place = _place(member.name, suffixes)
                if place is None or not member.isreg() or member.issparse():
                    continue
                if member.size > limit:
                    raise too_large(path, most_bytes())
                file = tar.extractfile(member)
                yield place, b"" if file is None else file.read()
    except OutscoreError:
        raise
    except (tarfile.TarError, EOFError, ValueError, RecursionError, UnicodeError) as error:
        what = f"expected a tar archive, got: {printable(str(error))}"
        raise wrong_log(printable(path), what, "Write the archive again.", "damaged-archive") from None


def _place(name: str, suffixes: tuple[str, ...]) -> PurePosixPath | None:
    """Return where a member is put below a folder; None of one that is no log, or that would be put elsewhere."""
    if not unpacked_name(name).lower().endswith(suffixes) or any(mark in name for mark in "\\:\0"):
        return None
    place = PurePosixPath(name)
    parts = [part for part in place.parts if part != "."]
    if place.is_absolute() or not parts or any(part == ".." or part.startswith(".") for part in parts):
        return None
    return None if parts[0] == "__MACOSX" else PurePosixPath(*parts)


def as_named(text: str) -> str:
    """Return text in which the files of archives go by the names of these: ``runs.zip/a/results.json``."""
    for path, (_, _, folder) in _FOLDERS.items():
        for inner in (folder, folder.resolve()):
            text = text.replace(str(inner), _shown(path))
    return text


def _shown(path: str) -> str:
    """Return the path of an archive as users wrote it, if that is shorter: below the working folder."""
    here = os.getcwd() + os.sep  # noqa: PTH109
    return path.removeprefix(here)


def real_path(path: str) -> str:
    """Return where a file is that goes by the name of its archive."""
    for archive, (_, _, folder) in _FOLDERS.items():
        shown = _shown(archive)
        if path.startswith((f"{shown}/", f"{shown}{os.sep}")):
            return str(folder) + path[len(shown) :]
    return path


@contextmanager
def named_archives() -> Iterator[None]:
    """Let errors name the archives of files, not the folders that these were unpacked into."""
    try:
        yield
    except OutscoreError as error:
        if not _FOLDERS:
            raise
        problems = [Problem(as_named(one.where), as_named(one.what), one.advice, one.slug) for one in error.problems]
        raise type(error)(*problems) from error.__cause__
