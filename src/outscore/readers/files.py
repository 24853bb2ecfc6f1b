"""Read files as bytes, decode bytes to lines of text, and protect files that are about to be written."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import IO

from outscore.errors import DataError, FileAccessError, OptionError, OutscoreError, Problem
from outscore.readers.base import empty
from outscore.readers.kept.packing import LONGEST_MARK, compression_of, unpacking
from outscore.text.naming import printable, quoted


@dataclass(frozen=True)
class _Written:
    """A file that a command will write: its name as typed, the option that names it, and its identity."""

    name: str
    option: str
    place: Path
    identity: tuple[int, int] | None


# A command learns only while reading which files it reads, as some are named in other files. So each is checked then.
_WRITTEN: ContextVar[tuple[_Written, ...]] = ContextVar("_WRITTEN", default=())


@contextmanager
def to_be_written(path: str, option: str) -> Iterator[None]:
    """Within this context, refuse to read the file `path`, or to write it by another option.

    Devices and pipes are not checked. Raise OptionError if another option writes the same file.
    """
    resolved = Path(path).resolve()
    new = _Written(path, option, resolved, _identity(path))
    if resolved.exists() and new.identity is None:
        yield
        return
    others = _WRITTEN.get()
    twice = next((other for other in others if other.place == resolved or _same(other.identity, new.identity)), None)
    if twice is not None:
        what = f"would be written by {twice.option} as well"
        raise OptionError(Problem(printable(path), what, f"Choose another file for {option}.", "same-output"))
    token = _WRITTEN.set((*others, new))
    try:
        yield
    finally:
        _WRITTEN.reset(token)


def refuse_written(path: str) -> None:
    """Raise OptionError if a file to be read is also to be written. ``-`` is the file behind standard input."""
    written = _WRITTEN.get()
    if not written:
        return
    identity = _identity(path)
    for file in written:
        if _same(file.identity, identity):
            advice = f"Choose another file for {file.option}."
            raise OptionError(Problem(printable(file.name), "is also an input file", advice, "overwrites-input"))


def _identity(path: str) -> tuple[int, int] | None:
    """Return the identity of a regular file, the same for all its names; None for anything else."""
    try:
        status = os.fstat(sys.stdin.fileno()) if path == "-" else os.stat(path)  # noqa: PTH116 - also descriptors
    except (OSError, ValueError, AttributeError):  # an impossible name, or a standard input that is not a file
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _same(identity: tuple[int, int] | None, other: tuple[int, int] | None) -> bool:
    return identity is not None and identity == other


STANDARD_INPUT = "-"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")

# More than any file of scores or outputs has, but endless streams and compressed zeros exceed it.
MOST_BYTES = 2**31
LIMIT = "OUTSCORE_MAX_BYTES"
_LIMIT = re.compile(r"(\d{1,15})([KMGT]?)B?", re.IGNORECASE)
_PART_OF_MEMORY = 2  # data are in memory at least twice: as bytes and decoded
_AT_ONCE = 2**20


def is_readable(path: str) -> bool:
    """Return whether `path` is standard input or exists and is not a directory. Pipes count."""
    if path == STANDARD_INPUT:
        return True
    try:
        return Path(path).exists() and not Path(path).is_dir()
    except (OSError, ValueError):  # an impossible name: too long, a null character, a lone surrogate
        return False


def is_folder(path: str) -> bool:
    """Return whether `path` is a folder. False if its parent folder may not be read."""
    return os.path.isdir(path)  # noqa: PTH112 - Path.is_dir raises there


def refuse_unreadable(path: str) -> None:
    """Raise FileAccessError if a file or folder does not exist or may not be read. Other files are not opened."""
    try:
        kind = os.stat(path).st_mode  # noqa: PTH116 - Path("") is the current folder
        if stat.S_ISREG(kind):
            with Path(path).open("rb"):
                pass
        elif stat.S_ISDIR(kind):
            next(Path(path).iterdir(), None)
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from None
    except ValueError as error:  # a null character or a lone surrogate in the name
        raise _unreadable(path, str(error)) from None


def split_spec(spec: str) -> tuple[str, str | None]:
    """Split ``FILE:COLUMN`` into file and column. The column is None if all of `spec` is a file.

    File names may contain colons: the longest part before a colon that is a file is the file. If there is none,
    all of `spec` is taken as the name of a missing file.

    Examples
    --------
    >>> split_spec("-:gpt-4o"), split_spec("-"), split_spec("no/such.tsv:gpt-4o")
    (('-', 'gpt-4o'), ('-', None), ('no/such.tsv:gpt-4o', None))
    """
    if is_readable(spec):
        return spec, None
    path = spec
    while ":" in path:
        path = path.rpartition(":")[0]
        if is_readable(path):
            return path, spec[len(path) + 1 :]
    return spec, None


def most_bytes() -> int:
    """Return the maximum size of a decompressed file in bytes.

    It is 2 GiB, or half of the available memory if that is less. The environment variable OUTSCORE_MAX_BYTES overrides
    it: a number, optionally followed by K, M, G or T. Raise OptionError if the variable has another value.
    """
    limit = os.environ.get(LIMIT, "").strip()
    if not limit:
        try:
            with Path("/proc/meminfo").open(encoding="ascii") as file:
                fields = dict(line.split(":", 1) for line in file)
            return min(MOST_BYTES, (int(fields["MemAvailable"].split()[0]) << 10) // _PART_OF_MEMORY)
        except (OSError, ValueError, KeyError, IndexError):  # the system does not report it
            return MOST_BYTES
    parts = _LIMIT.fullmatch(limit)
    if parts is None or not int(parts[1]):
        what = f"expected a size such as 8G, got {quoted(limit)}"
        raise OptionError(Problem(LIMIT, what, "Correct the variable, or unset it.", "bad-limit"))
    return int(parts[1]) << 10 * " KMGT".index(parts[2].upper() or " ")


def too_large(source: str, most: int) -> DataError:
    """Return the error of a file that is larger than `most` bytes."""
    shown = f"{most >> 20:,} MiB" if most >= 1 << 20 else f"{most:,} bytes"
    advice = f"Use a smaller file, or raise the limit with the environment variable {LIMIT}, such as {LIMIT}=8G."
    return DataError(Problem(printable(source), f"expected at most {shown}, got more", advice, "too-large"))


def read_bytes(path: str) -> bytes:
    """Return the bytes of the file `path`, decompressed from gzip, xz, zstd or bzip2; ``-`` is standard input.

    Raise FileAccessError for a file that is missing, unreadable, a directory, or damaged compressed data. Raise
    DataError for a file larger than `most_bytes`. Raise OptionError for a file that is about to be written.
    """
    if _WRITTEN.get():
        refuse_written(path)
    try:
        if path == STANDARD_INPUT:
            # A replaced sys.stdin may not provide bytes.
            data = b"" if sys.stdin is None else _read(getattr(sys.stdin, "buffer", sys.stdin), path)
        else:
            with Path(path).open("rb") as file:
                status = os.fstat(file.fileno())
                if stat.S_ISREG(status.st_mode) and status.st_size > most_bytes():
                    raise too_large(path, most_bytes())
                data = _read(file, path)
    except OutscoreError:
        raise
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from None
    except ValueError as error:  # a null character or a lone surrogate in the name
        raise _unreadable(path, str(error)) from None
    compression = compression_of(data[:LONGEST_MARK])
    return data if compression is None else _decompressed(data, path, compression)


def _read(file: IO[bytes] | IO[str], source: str) -> bytes:
    """Return all bytes of a stream of bytes or text, up to the limit."""
    most, content = most_bytes(), BytesIO()
    while part := file.read(_AT_ONCE):
        content.write(part.encode() if isinstance(part, str) else part)
        if content.tell() > most:
            raise too_large(source, most)
    return content.getvalue()


def _decompressed(data: bytes, path: str, compression: str) -> bytes:
    import zlib

    try:
        return _read(unpacking(BytesIO(data)), path)
    except OutscoreError:
        raise
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise _unreadable(path, f"damaged {compression} data: {error}") from None


def _unreadable(path: str, reason: str) -> FileAccessError:
    return FileAccessError(
        Problem(
            printable(path) or '""',
            f"cannot read file: {printable(reason)}",
            "Check the path and its permissions.",
            "cannot-read",
        )
    )


_ONE_AT_A_TIME = Lock()


@contextmanager
def held_back() -> Iterator[None]:
    """Hold back what is written to standard error, and drop it if an error is raised.

    Threads of polars panic at a damaged file. They write there before they raise.
    """
    import tempfile

    with _ONE_AT_A_TIME:
        try:
            usual = os.dup(2)
        except OSError:  # it is closed
            usual = None
        if usual is None:
            yield
            return
        with tempfile.TemporaryFile() as file:
            os.dup2(file.fileno(), 2)
            try:
                yield
            finally:
                os.dup2(usual, 2)
                os.close(usual)
            file.seek(0)
            while part := file.read(_AT_ONCE):
                os.write(2, part)


def first_line(data: bytes) -> bytes:
    """Return the first line of `data`, without a byte order mark or surrounding white space."""
    return data[: data.find(b"\n") if b"\n" in data else None].removeprefix(BYTE_ORDER_MARK).strip(b" \r")


def decoded(data: bytes, source: str) -> str:
    r"""Return UTF-8 text without its byte order mark, with line ends ``\n``.

    Raise DataError for bytes that are not UTF-8 (the first is named), or binary data.
    """
    source = printable(source)
    nul = data.find(b"\0")
    if nul >= 0 and not data.startswith(UTF_16):
        raise DataError(
            Problem(
                source,
                f"expected text, got binary data (a NUL byte at offset {nul})",
                "Use text, CSV, TSV, JSON Lines or Parquet (named .parquet). Save a spreadsheet as CSV.",
                "not-text",
            )
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(
            Problem(
                f"{source}:{line}",
                f"expected UTF-8 text, got byte 0x{data[error.start]:02X} at offset {error.start}",
                'Save the file as UTF-8 (in a spreadsheet program: "CSV UTF-8").',
                "not-utf8",
            )
        ) from None
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def lines_in(data: bytes, source: str) -> list[str]:
    r"""Return the lines of UTF-8 text, split only at ``\n``, without blank lines at the end.

    Line i of the result is line i + 1 of the file. Raise DataError as `decoded` does, or for a file of blank lines.
    """
    # Not splitlines(), which also splits at form feeds and other characters that a value may contain.
    lines = [line.removesuffix("\r") for line in decoded(data, source).split("\n")]
    while lines and not lines[-1].strip(" "):
        lines.pop()
    if not lines:
        raise empty(printable(source), "an empty file")
    return lines
