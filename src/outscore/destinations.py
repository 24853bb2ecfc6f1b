"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from outscore.errors import FileAccessError, Problem
from outscore.readers.files import to_be_written

__all__ = ["cannot_write", "file_destination"]


@contextmanager
def file_destination(path: str, option: str = "-o") -> Iterator[Callable[[bytes], None]]:
    """Yield a function that writes the bytes of a file, whole or not at all.

    It is opened before anything is computed, under another name, and takes its own once it is complete: an error or an
    interruption leaves no half-written file, and an old file as it was. Until then it can neither be read nor be
    written by another option: who reads it meets an error before anything is lost.

    Raises
    ------
    FileAccessError, OptionError
        Where it cannot be written, or another option writes it.
    """
    with to_be_written(path, option), _replaced(path, option) as write:
        yield write


@contextmanager
def _replaced(path: str, option: str) -> Iterator[Callable[[bytes], None]]:
    target = Path(path).resolve()  # what a link points to is written, and the link stays
    try:
        if target.is_dir():
            raise IsADirectoryError(21, "it is a directory")
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(13, "permission denied")
        if target.exists() and not target.is_file():
            # A device or a pipe cannot be replaced: it is written to.
            yield lambda data: _write(target, data)
            return
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    except OSError as error:
        raise cannot_write(path, option, error) from None
    part = Path(name)
    try:
        os.close(handle)
        yield lambda data: _write(part, data)
        part.chmod(target.stat().st_mode if target.exists() else 0o666 & ~_umask())
        part.replace(target)
    except FileAccessError:
        raise  # another file, one that was to be read
    except OSError as error:
        raise cannot_write(path, option, error) from None
    finally:
        with suppress(FileNotFoundError):
            part.unlink()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def cannot_write(path: str, option: str, error: OSError) -> FileAccessError:
    """Return the error of a file that an option names."""
    reason = (error.strerror or str(error)).lower()
    advice = f"Name another file with {option}."
    return FileAccessError(Problem(path or '""', f"cannot write: {reason}", advice, "cannot-write"))
