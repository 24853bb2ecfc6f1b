"""The entries of a ZIP file as bytes, never on disk: deflated, or zstd, which zipfile knows from Python 3.14 on."""

from __future__ import annotations

import os
import zlib
from collections.abc import Collection
from pathlib import Path
from struct import Struct
from types import TracebackType

from outscore.errors import DataError
from outscore.logs.base import wrong_log
from outscore.readers.files import most_bytes, refuse_written, too_large
from outscore.readers.kept.packing import zstd as zstd_module
from outscore.text.naming import printable, quoted

# APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12, 4.3.14 to 4.3.16.
_END, _END_64, _PLACE_64 = b"PK\5\6", b"PK\6\6", b"PK\6\7"
_END_FIELDS = Struct("<4s4H2LH")
_END_64_FIELDS = Struct("<4sQ2H2L4Q")
_PLACE_64_FIELDS = Struct("<4sLQL")
_ENTRY_FIELDS = Struct("<4s6H3L5H2L")
_LENGTHS = Struct("<3H")  # of the name, the extra fields and the comment, at 28 of an entry
_FULL, _FULL_64 = 0xFFFF, 0xFFFFFFFF
_ENCRYPTED = 1
_STORED, _DEFLATED, _ZSTD = 0, 8, 93
_LONGEST_COMMENT = 2**16
# One frame holds hundreds of MiB: many of them are there to take time.
_MOST_FRAMES = 1024
_ADVICE = "Fetch or write the file again: its end is missing or damaged."


class Archive:
    """A ZIP file, of which single entries are read.

    Names are compared, never used as paths. Of several entries of one name the last counts, as for those who write
    them. An entry that decompresses to more than it declares, or all that are read to more than `most_bytes`, is
    refused.

    Parameters
    ----------
    path : str

    Raises
    ------
    DataError
        What is no ZIP file, or one without an end.
    FileAccessError, OptionError
        A file that cannot be read, or that is about to be written.
    """

    def __init__(self, path: str) -> None:
        refuse_written(path)
        self.where = printable(path)
        self._most = self._left = most_bytes()
        self._file = Path(path).open("rb")  # noqa: SIM115 - closed by __exit__
        try:
            self._directory, self._shift = self._read_directory()
            self._places = self._places_in(self._directory)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Archive:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    @property
    def names(self) -> Collection[str]:
        """The names of all entries, in the order of the directory."""
        return self._places.keys()

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def size(self, name: str) -> int:
        """Return how many bytes an entry declares to hold."""
        return self._described(name)[3]

    def read(self, name: str) -> bytes:
        """Return what an entry holds.

        Raises
        ------
        DataError
            Damaged data, a method of compression that is not known, more than is declared or allowed.
        """
        method, checksum, packed, size, offset = self._described(name)
        if size > self._left or packed > self._most:
            raise too_large(f"{self.where}:{name}", self._most)
        self._file.seek(offset)
        head = self._file.read(30)
        if len(head) < 30 or not head.startswith(b"PK\3\4"):
            raise self._damaged(name, "no header where the directory says")
        start = self._file.seek(int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little"), 1)
        if packed > os.fstat(self._file.fileno()).st_size - start:
            raise self._damaged(name, "less data than the directory says")
        data = self._file.read(packed)
        data = self._unpacked(name, method, data, size)
        if len(data) != size or zlib.crc32(data) != checksum:
            raise self._damaged(name, "data of another size or checksum than the directory says")
        self._left -= size
        return data

    def _unpacked(self, name: str, method: int, data: bytes, size: int) -> bytes:
        """Return at most one byte more than is declared."""
        if method == _STORED:
            return data
        if method == _DEFLATED:
            try:
                return zlib.decompressobj(-zlib.MAX_WBITS).decompress(data, size + 1)
            except zlib.error as error:
                raise self._damaged(name, str(error)) from None
        if method == _ZSTD:
            return self._of_frames(name, data, size)
        what = f"entry {quoted(name)}: expected data that are stored, deflated or zstd, got method {method}"
        raise wrong_log(self.where, what, slug="compression-method")

    def _of_frames(self, name: str, data: bytes, size: int) -> bytes:
        zstd = zstd_module()
        parts: list[bytes] = []
        left, frames = size + 1, 0
        try:
            while data and left > 0:
                frames += 1
                if frames > _MOST_FRAMES:
                    raise self._damaged(name, f"more than {_MOST_FRAMES:,} frames")
                stream = zstd.ZstdDecompressor()
                while not stream.eof and left > 0:
                    part = stream.decompress(data, left)
                    data = b""
                    parts.append(part)
                    left -= len(part)
                    if not part and stream.needs_input and not stream.eof:
                        raise self._damaged(name, "a frame without an end")
                data = stream.unused_data if stream.eof else b""
        except zstd.ZstdError as error:
            raise self._damaged(name, str(error)) from None
        return b"".join(parts)

    def _read_directory(self) -> tuple[bytes, int]:
        """Return the central directory, and how far all offsets are off: by what stands before the ZIP file."""
        size = self._file.seek(0, 2)
        start = max(0, size - _LONGEST_COMMENT - _END_FIELDS.size)
        self._file.seek(start)
        tail = self._file.read()
        place = tail.rfind(_END)
        if place < 0 or place + _END_FIELDS.size > len(tail):
            begins = self._begins_as_zip()
            what = "expected a ZIP file, got " + (
                "one without its end, as of a writer that was killed" if begins else ""
            )
            raise wrong_log(self.where, what if begins else f"{what}something else", _ADVICE, "no-zip-end")
        *_, length, offset, _ = _END_FIELDS.unpack_from(tail, place)
        count, end = _END_FIELDS.unpack_from(tail, place)[4], start + place
        place_64 = place - _PLACE_64_FIELDS.size
        if (count == _FULL or _FULL_64 in (length, offset)) and place_64 >= 0 and tail.startswith(_PLACE_64, place_64):
            end = start + place_64 - _END_64_FIELDS.size
            self._file.seek(max(end, 0))
            record = self._file.read(_END_64_FIELDS.size)
            if end < 0 or len(record) < _END_64_FIELDS.size or not record.startswith(_END_64):
                raise wrong_log(self.where, "expected a ZIP file, got one whose end is damaged", _ADVICE, "no-zip-end")
            *_, length, offset = _END_64_FIELDS.unpack(record)
        shift = end - length - offset
        if shift < 0 or length > end:
            raise wrong_log(self.where, "expected a ZIP file, got one whose directory is cut", _ADVICE, "no-zip-end")
        if length > self._most:
            raise too_large(self.where, self._most)
        self._file.seek(end - length)
        return self._file.read(length), shift

    def _begins_as_zip(self) -> bool:
        self._file.seek(0)
        return self._file.read(4) == b"PK\3\4"

    def _places_in(self, directory: bytes) -> dict[str, int]:
        """Return where the directory describes each entry; nothing else is unpacked, for there may be millions."""
        places: dict[str, int] = {}
        place, end = 0, len(directory)
        while place + _ENTRY_FIELDS.size <= end:
            name, extra, comment = _LENGTHS.unpack_from(directory, place + 28)
            begin = place + _ENTRY_FIELDS.size
            if not directory.startswith(b"PK\1\2", place) or begin + name > end:
                break
            # Python and all writers of logs mark names as UTF-8; what is none stays apart from what is.
            places[directory[begin : begin + name].decode("utf-8", "backslashreplace")] = place
            place = begin + name + extra + comment
        if place != end:
            raise wrong_log(
                self.where, "expected a ZIP file, got one whose directory is damaged", _ADVICE, "no-zip-end"
            )
        return places

    def _described(self, name: str) -> tuple[int, int, int, int, int]:
        """Return an entry's method, checksum, size packed and unpacked, and its offset in the file."""
        place = self._places[name]
        fields = _ENTRY_FIELDS.unpack_from(self._directory, place)
        flags, method, checksum, packed, size, n_name, n_extra = fields[3], fields[4], *fields[7:12]
        offset = fields[16]
        if flags & _ENCRYPTED:
            raise wrong_log(
                self.where, f"entry {quoted(name)}: expected plain data, got encrypted ones", slug="encrypted"
            )
        if _FULL_64 in (packed, size, offset):
            begin = place + _ENTRY_FIELDS.size + n_name
            size, packed, offset = self._wide(name, self._directory[begin : begin + n_extra], size, packed, offset)
        return method, checksum, packed, size, offset + self._shift

    def _wide(self, name: str, extra: bytes, *narrow: int) -> list[int]:
        """Return numbers in place of those that are too large for 32 bits (ZIP64, header 1)."""
        while len(extra) >= 4:
            kind, length = int.from_bytes(extra[:2], "little"), int.from_bytes(extra[2:4], "little")
            if kind == 1:
                wide = [int.from_bytes(extra[4 + i : 12 + i], "little") for i in range(0, length - 7, 8)]
                if len(wide) >= narrow.count(_FULL_64):
                    rest = iter(wide)
                    return [next(rest) if number == _FULL_64 else number for number in narrow]
            extra = extra[4 + length :]
        raise self._damaged(name, "no sizes in the directory")

    def _damaged(self, name: str, reason: str) -> DataError:
        what = f"entry {quoted(name)}: expected whole data, got damaged ones ({printable(reason)})"
        return wrong_log(self.where, what, _ADVICE, "damaged-zip")
