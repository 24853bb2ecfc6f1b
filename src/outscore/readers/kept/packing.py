"""Compressed files: detect the compression by content and name, and decompress."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from typing import IO, Any

PACKED_SUFFIXES = (".gz", ".xz", ".zst", ".bz2")
LONGEST_MARK = 10
ARCHIVE_SUFFIXES = (".zip", ".tar", ".tgz", ".txz")
_GZIP, _XZ, _ZSTD, _BZIP2 = map(re.compile, (rb"\x1f\x8b", rb"\xfd7zXZ\0", rb"\x28\xb5\x2f\xfd", rb"BZh[1-9]1AY&SY"))
_AT_ONCE = 2**18
_MOST_MEMORY = 2**28  # limit for xz, whose files declare the memory they need
_MOST_STREAMS = 2**16


def compression_of(head: bytes) -> str | None:
    """Return the compression detected from the first bytes: gzip, xz, zstd or bzip2, or None."""
    marks = (("gzip", _GZIP), ("xz", _XZ), ("zstd", _ZSTD), ("bzip2", _BZIP2))
    return next((name for name, mark in marks if mark.match(head)), None)


def unpacked_name(name: str) -> str:
    """Return a file name without the suffix of its compression.

    Examples
    --------
    >>> unpacked_name("scores.csv.xz"), unpacked_name("scores.csv")
    ('scores.csv', 'scores.csv')
    """
    suffix = next((suffix for suffix in PACKED_SUFFIXES if name.lower().endswith(suffix)), "")
    return name[: len(name) - len(suffix)]


def archive_stem(name: str) -> str | None:
    """Return the name of an archive without its suffixes, or None if it is not an archive.

    Examples
    --------
    >>> archive_stem("runs.tar.gz"), archive_stem("runs.zip"), archive_stem("runs.json.gz")
    ('runs', 'runs', None)
    """
    plain = unpacked_name(name)
    suffix = next((suffix for suffix in ARCHIVE_SUFFIXES if plain.lower().endswith(suffix)), None)
    return None if suffix is None else plain[: -len(suffix)] or plain


def unpacking(file: IO[bytes]) -> IO[bytes]:
    """Return a file object of the decompressed content, or the file itself if it is not compressed.

    The file is at its start and seekable. Reading damaged data raises OSError, EOFError or ValueError.
    """
    head = file.read(LONGEST_MARK)
    file.seek(0)
    compression = compression_of(head)
    if compression is None:
        return file
    if compression == "gzip":
        import gzip

        return gzip.GzipFile(fileobj=file)  # type: ignore[return-value]
    return io.BufferedReader(_Unpacked(file, _maker(compression)), _AT_ONCE)


def _maker(compression: str) -> Callable[[], Any]:
    """Return a function that makes a decompressor for one stream."""
    if compression == "xz":
        import lzma

        return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, _MOST_MEMORY)
    if compression == "zstd":
        return zstd().ZstdDecompressor  # type: ignore[no-any-return]
    import bz2

    return bz2.BZ2Decompressor


def zstd() -> Any:
    """Return the zstd module, which is in the standard library since Python 3.14."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


class _Unpacked(io.RawIOBase):
    """The content of concatenated compressed streams, decompressed on demand."""

    def __init__(self, file: IO[bytes], maker: Callable[[], Any]) -> None:
        self._file, self._maker = file, maker
        self._stream, self._streams = maker(), 1

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._some(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def _some(self, size: int) -> bytes:
        """Return some bytes, none at the end."""
        try:
            while True:
                rest = b""
                if self._stream.eof:
                    rest = self._stream.unused_data.lstrip(b"\0") or self._file.read(_AT_ONCE).lstrip(b"\0")
                    if not rest:
                        return b""
                    self._streams += 1
                    if self._streams > _MOST_STREAMS:
                        raise ValueError(f"more than {_MOST_STREAMS:,} compressed streams")
                    self._stream = self._maker()
                elif self._stream.needs_input:
                    rest = self._file.read(_AT_ONCE)
                    if not rest:
                        raise EOFError("truncated compressed data")
                data: bytes = self._stream.decompress(rest, size)
                if data:
                    return data
        except (OSError, EOFError, ValueError):
            raise
        except Exception as error:  # each module has its own errors
            raise OSError(str(error)) from None
