"""Logs in archives, ZIP and tar: unpacked into a folder for temporary files, as long as the program runs."""

from __future__ import annotations

import os
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath

from outscore.errors import FileAccessError, OutscoreError, Problem
from outscore.logs.base import wrong_log
from outscore.logs.zips import Archive
from outscore.readers.files import most_bytes, read_bytes, too_large
from outscore.readers.kept.packing import archive_stem, unpacked_name
from outscore.text.naming import printable

_MOST_FILES = 100_000
_NOT_IN_NAMES = "\\\0:" if os.name == "nt" else "\\\0"
_ADVICE = "Unpack it, and name the folder."


@dataclass(frozen=True)
class _Unpacked:
    """An archive, and the folder that it was unpacked into.

    Attributes
    ----------
    shown : str
        The path of the archive as a user wrote it.
    mark : tuple of int
        The time and size of the archive.
    holder : TemporaryDirectory
        Removes the folder when the program ends.
    folder : Path
    size : int
        How many bytes were unpacked.
    """

    shown: str
    mark: tuple[int, int]
    holder: tempfile.TemporaryDirectory[str]
    folder: Path
    size: int


_UNPACKED: dict[str, _Unpacked] = {}  # by the whole path of the archive


def unpacked(path: str, suffixes: tuple[str, ...], limit: int) -> tuple[Path, int]:
    """Return a folder with the files in an archive whose names have one of some endings, and how many bytes they have.

    An archive that has not changed is unpacked once.

    Parameters
    ----------
    path : str
    suffixes : tuple of str
        In lower case.
    limit : int
        How many bytes may be unpacked.

    Raises
    ------
    FileAccessError, DataError
        A file that is not an archive, or is damaged; more bytes than the limit, or very many files.
    """
    status = os.stat(path)  # noqa: PTH116 - a name as a user wrote it
    mark = (status.st_mtime_ns, status.st_size)
    key = os.path.abspath(path)  # noqa: PTH100 - a link is another archive
    if key in _UNPACKED and _UNPACKED[key].mark == mark and _UNPACKED[key].size <= limit:
        return _UNPACKED[key].folder, _UNPACKED[key].size
    stem = archive_stem(Path(path).name) or "archive"
    holder = tempfile.TemporaryDirectory(prefix="outscore-", ignore_cleanup_errors=True)
    folder = Path(holder.name, stem)
    folder.mkdir()
    done = 0
    try:
        for count, (name, data) in enumerate(_members(path, suffixes, limit)):
            done += len(data)
            if done > limit:
                raise too_large(path, most_bytes())
            if count >= _MOST_FILES:
                what = f"expected at most {_MOST_FILES:,} files in an archive, got more"
                raise wrong_log(printable(path), what, _ADVICE)
            place = folder.joinpath(*name.parts)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
    except BaseException as error:
        holder.cleanup()
        if isinstance(error, OSError) and not isinstance(error, OutscoreError):
            what = f"expected an archive that can be unpacked, got: {printable(error.strerror or str(error))}"
            raise FileAccessError(Problem(printable(path), what, _ADVICE, "cannot-read")) from None
        raise
    _UNPACKED[key] = _Unpacked(path, mark, holder, folder, done)
    return folder, done


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
    if not unpacked_name(name).lower().endswith(suffixes) or any(mark in name for mark in _NOT_IN_NAMES):
        return None
    place = PurePosixPath(name)
    parts = [part for part in place.parts if part != "."]
    if place.is_absolute() or not parts or any(part == ".." or part.startswith(".") for part in parts):
        return None
    return None if parts[0] == "__MACOSX" else PurePosixPath(*parts)


def as_named(text: str) -> str:
    """Return text in which the files of archives go by the names of these: ``runs.zip/a/results.json``."""
    for one in _UNPACKED.values():
        for folder in (one.folder, one.folder.resolve()):
            text = text.replace(str(folder), one.shown)
    return text


def real_path(path: str) -> str:
    """Return where a file is that goes by the name of its archive."""
    for one in _UNPACKED.values():
        if path.startswith((f"{one.shown}/", f"{one.shown}{os.sep}")):
            return str(one.folder) + path[len(one.shown) :]
    return path


@contextmanager
def named_archives() -> Iterator[None]:
    """Let errors name the archives of files, not the folders that these were unpacked into."""
    try:
        yield
    except OutscoreError as error:
        if not _UNPACKED:
            raise
        problems = [Problem(as_named(one.where), as_named(one.what), one.advice, one.slug) for one in error.problems]
        raise type(error)(*problems) from error.__cause__
