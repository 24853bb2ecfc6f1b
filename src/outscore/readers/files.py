"""From a name on the command line to bytes, and from bytes to lines of text."""

from __future__ import annotations

import sys
from pathlib import Path

from outscore.errors import DataError, FileAccessError, Problem
from outscore.naming import printable
from outscore.readers.base import empty
from outscore.readers.written import refuse_written

__all__ = ["STANDARD_INPUT", "first_line", "is_readable", "lines_in", "read_bytes", "split_spec"]

STANDARD_INPUT = "-"
GZIP = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def is_readable(path: str) -> bool:
    """Tell whether `path` is standard input or anything but a directory that exists: a pipe will do."""
    if path == STANDARD_INPUT:
        return True
    try:
        return Path(path).exists() and not Path(path).is_dir()
    except (OSError, ValueError):  # too long a name; a null character or a lone surrogate in it
        return False


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


def read_bytes(path: str) -> bytes:
    """Return what the file `path` holds, decompressed where it is gzip; ``-`` is standard input.

    Raises
    ------
    FileAccessError
        A file that is missing, may not be read, is a directory, or is gzip and damaged.
    OptionError
        A file that is about to be written.
    """
    refuse_written(path)
    try:
        if path == STANDARD_INPUT:
            # A replaced sys.stdin may have no bytes to give.
            data = b"" if sys.stdin is None else getattr(sys.stdin, "buffer", sys.stdin).read()
            data = data.encode() if isinstance(data, str) else data
        else:
            data = Path(path).read_bytes()
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from None
    except ValueError as error:  # a null character or a lone surrogate in the name
        raise _unreadable(path, str(error)) from None
    return _decompressed(data, path) if data.startswith(GZIP) else data


def _decompressed(data: bytes, path: str) -> bytes:
    import gzip
    import zlib

    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, f"damaged gzip data: {error}") from None


def _unreadable(path: str, reason: str) -> FileAccessError:
    return FileAccessError(
        Problem(
            printable(path) or '""',
            f"expected a file that can be read, got: {printable(reason)}",
            "Check the path and its permissions.",
            "cannot-read",
        )
    )


def first_line(data: bytes) -> bytes:
    """Return the first line of `data`, without a byte order mark and surrounding white space."""
    return data[: data.find(b"\n") if b"\n" in data else None].removeprefix(BYTE_ORDER_MARK).strip(b" \r")


def text_in(data: bytes, source: str) -> str:
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
                "Give scores as text, CSV, TSV, JSON Lines or Parquet (named .parquet).",
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
                "Save the file as UTF-8.",
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
        As `text_in`, or no line that is not blank.
    """
    # Not splitlines(), which also splits at form feeds and other marks that may stand inside a value.
    lines = [line.removesuffix("\r") for line in text_in(data, source).split("\n")]
    while lines and not lines[-1].strip(" "):
        lines.pop()
    if not lines:
        raise empty(printable(source), "an empty file")
    return lines
