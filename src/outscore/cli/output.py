"""Where reports and rows go: standard output, or a file that is written whole or not at all."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from outscore.errors import FileAccessError, Problem
from outscore.resampling import Progress

__all__ = ["Layout", "chart_destination", "destination", "file_destination", "progress_bar", "terminal_layout"]

PIPED_WIDTH = 80


@dataclass(frozen=True)
class Layout:
    """How wide text is, and what it may contain."""

    width: int
    color: bool
    ascii_only: bool


def terminal_layout(*, to_file: bool) -> Layout:
    """Return the layout for standard output, or for a UTF-8 file."""
    if to_file:
        return Layout(PIPED_WIDTH, color=False, ascii_only=False)
    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size((PIPED_WIDTH, 24)).columns if terminal or "COLUMNS" in os.environ else PIPED_WIDTH
    try:
        "█▁─δ±".encode(sys.stdout.encoding or "ascii")
        ascii_only = False
    except (UnicodeEncodeError, LookupError):
        ascii_only = True
    color = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Layout(width, color=color, ascii_only=ascii_only)


@contextmanager
def destination(path: str | None) -> Iterator[Callable[[str], None]]:
    """Yield a function that writes the report, to `path` or to standard output.

    A file is opened before anything is computed, under another name, and takes its own once it is complete:
    an error or an interruption leaves no half-written file, and an old file as it was.

    Raises
    ------
    FileAccessError
        Where the file cannot be written.
    """
    if path is None or path == "-":
        if sys.stdout is None:
            raise FileAccessError(Problem("standard output", "is closed", "Name a file with -o.", "cannot-write"))
        yield _print
        return
    with file_destination(path) as write:
        yield lambda text: write(text.encode())


@contextmanager
def file_destination(path: str) -> Iterator[Callable[[bytes], None]]:
    """Yield a function that writes the bytes of a file, whole or not at all, as `destination` says.

    Raises
    ------
    FileAccessError
        Where the file cannot be written.
    """
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
        raise _cannot_write(path, error) from None
    part = Path(name)
    try:
        os.close(handle)
        yield lambda data: _write(part, data)
        part.chmod(target.stat().st_mode if target.exists() else 0o666 & ~_umask())
        part.replace(target)
    except FileAccessError:
        raise  # another file, one that was to be read
    except OSError as error:
        raise _cannot_write(path, error) from None
    finally:
        with suppress(FileNotFoundError):
            part.unlink()


@contextmanager
def chart_destination(path: str | None) -> Iterator[Callable[[Any], None] | None]:
    """Yield a function that draws an Altair chart into a file, in the format that its name says; None for no file.

    Raises
    ------
    OptionError
        A name that says no format.
    FileAccessError
        Where the file cannot be written.
    MissingDependencyError
        Without Altair and vl-convert.
    """
    if path is None:
        yield None
        return
    from outscore.reports.charts import chart_bytes, checked_suffix

    suffix = checked_suffix(PurePath(path).suffix)
    with file_destination(path) as write:
        yield lambda chart: write(chart_bytes(chart, suffix))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def _print(text: str) -> None:
    encoding = sys.stdout.encoding or "ascii"
    sys.stdout.write(text.encode(encoding, errors="backslashreplace").decode(encoding))


def _cannot_write(path: str, error: OSError) -> FileAccessError:
    reason = (error.strerror or str(error)).lower()
    return FileAccessError(
        Problem(path or '""', f"cannot write: {reason}", "Name another file with -o.", "cannot-write")
    )


@contextmanager
def progress_bar(*, shown: bool, doing: str = "resampling") -> Iterator[Progress | None]:
    """Yield what reports progress to a bar on standard error, or None where no person would see it."""
    if not (shown and sys.stderr is not None and sys.stderr.isatty()):
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=None)

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield advance
