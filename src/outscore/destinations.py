"""Files that are written atomically."""

from __future__ import annotations

import os
import re
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from outscore.errors import FileAccessError, Problem
from outscore.readers.files import to_be_written

_PART = ".part"


@contextmanager
def file_destination(path: str, option: str = "-o") -> Iterator[Callable[[bytes], None]]:
    """Yield a function that writes the bytes of a file atomically.

    The file is opened before the computation under a temporary name and renamed when it is complete. An error or
    interruption leaves no half-written file and does not change an old one. Until then, reading the file or writing it
    by another option is an error, and so is a file that cannot be written.
    """
    with to_be_written(path, option), _replaced(path, option) as write:
        yield write


@contextmanager
def _replaced(path: str, option: str) -> Iterator[Callable[[bytes], None]]:
    given = Path(path)
    try:
        target = given.resolve()  # write the target of a link, and keep the link
    except (OSError, ValueError) as error:
        raise cannot_write(path, option, error) from None
    try:
        if given.is_dir():
            raise IsADirectoryError(21, "is a directory")
        if given.exists() and not os.access(given, os.W_OK):
            raise PermissionError(13, "permission denied")
        if given.exists() and not given.is_file():
            # A device or pipe cannot be replaced, so it is written directly.
            yield lambda data: _write_on(given, data)
            return
        _remove_abandoned(target)
        handle, part = _part_of(target)
    except OSError as error:
        raise cannot_write(path, option, error) from None
    try:
        yield lambda data: _write(part, data)
        part.chmod(target.stat().st_mode if target.exists() else 0o666 & ~_umask())
        if sys.platform == "win32":  # Windows cannot rename an open file
            os.close(handle)
            handle = None
        part.replace(target)
    except FileAccessError:
        raise  # another file, which was to be read
    except OSError as error:
        raise cannot_write(path, option, error) from None
    finally:
        if handle is not None:
            os.close(handle)
        with suppress(FileNotFoundError):
            part.unlink()


def _part_of(target: Path) -> tuple[int | None, Path]:
    """Create the temporary file of `target`, which is locked while it is open."""
    while True:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=_PART)
        _lock(handle, wait=True)
        # Another process may have removed it before it was locked.
        if sys.platform == "win32" or os.fstat(handle).st_nlink:
            return handle, Path(name)
        os.close(handle)


def _remove_abandoned(target: Path) -> None:
    """Remove temporary files of `target` that killed processes left behind, which are no longer locked."""
    if sys.platform == "win32":
        return
    ours = re.compile(rf"{re.escape(f'.{target.name}.')}\w{{8}}{re.escape(_PART)}")
    with suppress(OSError):  # the folder cannot be listed
        for part in target.parent.iterdir():
            if ours.fullmatch(part.name):
                _remove_unlocked(part)


def _remove_unlocked(part: Path) -> None:
    with suppress(OSError):
        handle = os.open(part, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            status = os.fstat(handle)
            if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and _lock(handle):
                part.unlink()
        finally:
            os.close(handle)


def _lock(handle: int, *, wait: bool = False) -> bool:
    """Lock a file until it is closed, and return whether that was possible."""
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:  # another process has it, or the file system has no locks
        return False
    return True


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def _write_on(path: Path, data: bytes) -> None:
    """Write to a device or pipe, up to the point where it is closed."""
    with suppress(BrokenPipeError):
        path.write_bytes(data)


def cannot_write(path: str, option: str, error: OSError | ValueError) -> FileAccessError:
    """Return the error of an output file that cannot be written. A path with a character of no file is a ValueError."""
    reason = (getattr(error, "strerror", None) or str(error)).lower()
    advice = f"Pass another file with {option}."
    return FileAccessError(Problem(path or '""', f"cannot write: {reason}", advice, "cannot-write"))
