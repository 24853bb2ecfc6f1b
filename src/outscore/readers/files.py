"""From a name on the command line to bytes, and from bytes to lines of text; and files that are about to be written."""

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
    """A file that is to be written: its name as typed, the option that names it, and how it is known again."""

    name: str
    option: str
    place: Path
    identity: tuple[int, int] | None


# Which files a command reads is known only once it reads them: boards name others. So each is looked at then.
_WRITTEN: ContextVar[tuple[_Written, ...]] = ContextVar("_WRITTEN", default=())


@contextmanager
def to_be_written(path: str, option: str) -> Iterator[None]:
    """Refuse, while this lasts, every attempt to read the file `path`, or to write it by another option as well.

    Devices and pipes are no concern: they hold nothing that could be lost.

    Raises
    ------
    OptionError
        A file that another option writes.
    """
    place = Path(path).resolve()
    new = _Written(path, option, place, _identity(path))
    if place.exists() and new.identity is None:
        yield
        return
    others = _WRITTEN.get()
    twice = next((one for one in others if one.place == place or _same(one.identity, new.identity)), None)
    if twice is not None:
        what = f"is to be written by {twice.option} already"
        raise OptionError(Problem(printable(path), what, f"Name another file with {option}.", "same-output"))
    token = _WRITTEN.set((*others, new))
    try:
        yield
    finally:
        _WRITTEN.reset(token)


def refuse_written(path: str) -> None:
    """Refuse to read a file that is to be written; ``-`` is what stands behind standard input.

    Raises
    ------
    OptionError
    """
    written = _WRITTEN.get()
    if not written:
        return
    identity = _identity(path)
    for one in written:
        if _same(one.identity, identity):
            advice = f"Name another file with {one.option}."
            raise OptionError(
                Problem(printable(one.name), "is one of the files that are read", advice, "overwrites-input")
            )


def _identity(path: str) -> tuple[int, int] | None:
    """Return what all names of a regular file share; None for anything else, and where there is nothing."""
    try:
        status = os.fstat(sys.stdin.fileno()) if path == "-" else os.stat(path)  # noqa: PTH116 - descriptors, too
    except (OSError, ValueError, AttributeError):  # no such name can be; a standard input that is no file
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _same(one: tuple[int, int] | None, other: tuple[int, int] | None) -> bool:
    return one is not None and one == other


STANDARD_INPUT = "-"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")

# What no file of scores or outputs comes near, and what endless streams and compressed zeros do.
MOST_BYTES = 2**31
LIMIT = "OUTSCORE_MAX_BYTES"
_LIMIT = re.compile(r"(\d{1,15})([KMGT]?)B?", re.IGNORECASE)
_PART_OF_MEMORY = 2  # what is read stands in memory twice, at least: as bytes and as what they say
_AT_ONCE = 2**20


def is_readable(path: str) -> bool:
    """Tell whether `path` is standard input or anything but a directory that exists: a pipe will do."""
    if path == STANDARD_INPUT:
        return True
    try:
        return Path(path).exists() and not Path(path).is_dir()
    except (OSError, ValueError):  # too long a name; a null character or a lone surrogate in it
        return False


def is_folder(path: str) -> bool:
    """Tell whether `path` is a folder; of what stands in a folder that may not be read, that it is none."""
    return os.path.isdir(path)  # noqa: PTH112 - Path.is_dir raises there


def refuse_unreadable(path: str) -> None:
    """Refuse a name that no file or folder has, and a file or folder that may not be read; nothing else is opened.

    Raises
    ------
    FileAccessError
    """
    try:
        kind = os.stat(path).st_mode  # noqa: PTH116 - of "" there is no Path
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
    """Split ``FILE:COLUMN`` into file and column; the column is None where all of `spec` names a file.

    A name may hold colons itself, so that the longest part in front of a colon that is a file is the file. Where
    there is none, all of `spec` is taken for the name of a file, one that is missing.

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
    """Return how many bytes of one file are read at most, decompressed.

    2 GiB, or half of the memory that is available where that is less; or what the environment variable
    OUTSCORE_MAX_BYTES says, a number with K, M, G or T behind it or without.

    Raises
    ------
    OptionError
        A variable that says something else.
    """
    limit = os.environ.get(LIMIT, "").strip()
    if not limit:
        try:
            with Path("/proc/meminfo").open(encoding="ascii") as file:
                fields = dict(line.split(":", 1) for line in file)
            return min(MOST_BYTES, (int(fields["MemAvailable"].split()[0]) << 10) // _PART_OF_MEMORY)
        except (OSError, ValueError, KeyError, IndexError):  # the system does not tell
            return MOST_BYTES
    parts = _LIMIT.fullmatch(limit)
    if parts is None or not int(parts[1]):
        what = f"expected a number of bytes such as 8G, got {quoted(limit)}"
        raise OptionError(Problem(LIMIT, what, "Mend the variable, or unset it.", "bad-limit"))
    return int(parts[1]) << 10 * " KMGT".index(parts[2].upper() or " ")


def too_large(source: str, most: int) -> DataError:
    """Return the error of a file that holds more than `most` bytes."""
    shown = f"{most >> 20:,} MiB" if most >= 1 << 20 else f"{most:,} bytes"
    advice = f"Give a smaller file, or raise the limit by the environment variable {LIMIT}, such as {LIMIT}=8G."
    return DataError(Problem(printable(source), f"expected at most {shown}, got more", advice, "too-large"))


def read_bytes(path: str) -> bytes:
    """Return what the file `path` holds, decompressed if it is gzip, xz, zstd or bzip2; ``-`` is standard input.

    Raises
    ------
    FileAccessError
        A file that is missing, may not be read, is a directory, or is compressed and damaged.
    DataError
        A file of more than `most_bytes`.
    OptionError
        A file that is about to be written.
    """
    if _WRITTEN.get():
        refuse_written(path)
    try:
        if path == STANDARD_INPUT:
            # A replaced sys.stdin may have no bytes to give.
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
    """Return all that comes from a stream of bytes or text, which may be without end."""
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
            f"expected a file that can be read, got: {printable(reason)}",
            "Check the path and its permissions.",
            "cannot-read",
        )
    )


_ONE_AT_A_TIME = Lock()


@contextmanager
def held_back() -> Iterator[None]:
    """Hold back what is written to standard error meanwhile, by whatever language: an error ends it, and drops it.

    Threads of polars that panic at a damaged file write there, and then raise.
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
    """Return the first line of `data`, without a byte order mark and surrounding white space."""
    return data[: data.find(b"\n") if b"\n" in data else None].removeprefix(BYTE_ORDER_MARK).strip(b" \r")


def decoded(data: bytes, source: str) -> str:
    r"""Return UTF-8 text without its byte order mark, line ends made ``\n``.

    Raises
    ------
    DataError
        Bytes that are not UTF-8 (the first is named), or binary data.
    """
    source = printable(source)
    nul = data.find(b"\0")
    if nul >= 0 and not data.startswith(UTF_16):
        raise DataError(
            Problem(
                source,
                f"expected text, got binary data (a NUL byte at offset {nul})",
                "Give scores as text, CSV, TSV, JSON Lines or Parquet (named .parquet); save a spreadsheet as CSV.",
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
                'Save the file as UTF-8 (of a spreadsheet: "CSV UTF-8").',
                "not-utf8",
            )
        ) from None
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def lines_in(data: bytes, source: str) -> list[str]:
    r"""Return the lines of UTF-8 text, split at ``\n`` and nowhere else, without blank lines at the end.

    Line i stands in the file at line i + 1.

    Raises
    ------
    DataError
        As `decoded`, or no line that is not blank.
    """
    # Not splitlines(), which also splits at form feeds and other marks that may stand inside a value.
    lines = [line.removesuffix("\r") for line in decoded(data, source).split("\n")]
    while lines and not lines[-1].strip(" "):
        lines.pop()
    if not lines:
        raise empty(printable(source), "an empty file")
    return lines
