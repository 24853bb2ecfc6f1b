"""Archives of logs: entries of ZIP files as bytes, and ZIP and tar files unpacked into a temporary folder."""

from __future__ import annotations

import os
import tarfile
import tempfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath
from struct import Struct
from types import TracebackType

from outscore.errors import DataError, FileAccessError, OutscoreError, Problem
from outscore.readers.files import most_bytes, read_bytes, refuse_written, too_large
from outscore.readers.kept.packing import archive_stem, unpacked_name
from outscore.readers.kept.packing import zstd as zstd_module
from outscore.text.naming import printable, quoted
from outscore.wings.logs.base import wrong_log

# APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12, 4.3.14 to 4.3.16.
_END, _END_64, _PLACE_64 = b"PK\5\6", b"PK\6\6", b"PK\6\7"
_END_FIELDS = Struct("<4s4H2LH")
_END_64_FIELDS = Struct("<4sQ2H2L4Q")
_PLACE_64_FIELDS = Struct("<4sLQL")
_ENTRY_FIELDS = Struct("<4s6H3L5H2L")
_LENGTHS = Struct("<3H")  # of the name, the extra fields and the comment, at offset 28 of an entry
_FULL, _FULL_64 = 0xFFFF, 0xFFFFFFFF
_ENCRYPTED = 1
_STORED, _DEFLATED, _ZSTD = 0, 8, 93
_LONGEST_COMMENT = 2**16
# A frame holds hundreds of MiB; a large number of frames is an attack on run time.
_MOST_FRAMES = 1024
_DAMAGED = "Fetch or write the file again: its end is missing or damaged."


class Archive:
    """A ZIP file with access to single entries.

    Names are compared, never used as paths. If several entries have one name, the last counts. An entry larger than
    declared, or a total above `most_bytes`, is refused. Raises DataError if the file is not a ZIP file or its end is
    missing, and OptionError if it is still being written.
    """

    def __init__(self, path: str) -> None:
        refuse_written(path)
        self.where = printable(path)
        self._most = self._left = most_bytes()
        self._file = Path(path).open("rb")  # noqa: SIM115 - closed by __exit__
        try:
            self._directory, self._shift = self._read_directory()
            self._offsets = self._offsets_in(self._directory)
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
        return self._offsets.keys()

    def __contains__(self, name: str) -> bool:
        return name in self._offsets

    def size(self, name: str) -> int:
        """Return the declared size of an entry in bytes."""
        return self._described(name)[3]

    def read(self, name: str) -> bytes:
        """Return the content of an entry.

        Raises
        ------
        DataError
            The data are damaged, the compression method is unknown, or the size exceeds the declared or allowed one.
        """
        method, checksum, packed, size, offset = self._described(name)
        if size > self._left or packed > self._most:
            raise too_large(f"{self.where}:{name}", self._most)
        self._file.seek(offset)
        head = self._file.read(30)
        if len(head) < 30 or not head.startswith(b"PK\3\4"):
            raise self._damaged(name, "the header is missing at the offset in the directory")
        start = self._file.seek(int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little"), 1)
        if packed > os.fstat(self._file.fileno()).st_size - start:
            raise self._damaged(name, "fewer bytes than the directory declares")
        data = self._file.read(packed)
        data = self._unpacked(name, method, data, size)
        if len(data) != size or zlib.crc32(data) != checksum:
            raise self._damaged(name, "size or checksum differ from the directory")
        self._left -= size
        return data

    def _unpacked(self, name: str, method: int, data: bytes, size: int) -> bytes:
        """Return at most one byte more than declared."""
        if method == _STORED:
            return data
        if method == _DEFLATED:
            try:
                return zlib.decompressobj(-zlib.MAX_WBITS).decompress(data, size + 1)
            except zlib.error as error:
                raise self._damaged(name, str(error)) from None
        if method == _ZSTD:
            return self._of_frames(name, data, size)
        what = f"entry {quoted(name)}: expected stored, deflated or zstd data, got method {method}"
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
                        raise self._damaged(name, "an incomplete frame")
                data = stream.unused_data if stream.eof else b""
        except zstd.ZstdError as error:
            raise self._damaged(name, str(error)) from None
        return b"".join(parts)

    def _read_directory(self) -> tuple[bytes, int]:
        """Return the central directory, and the shift of all offsets if bytes precede the ZIP file."""
        size = self._file.seek(0, 2)
        start = max(0, size - _LONGEST_COMMENT - _END_FIELDS.size)
        self._file.seek(start)
        tail = self._file.read()
        end_record = tail.rfind(_END)
        if end_record < 0 or end_record + _END_FIELDS.size > len(tail):
            begins = self._begins_as_zip()
            what = "expected a ZIP file, got " + ("one without its end, as if its writer was killed" if begins else "")
            raise wrong_log(self.where, what if begins else f"{what}something else", _DAMAGED, "no-zip-end")
        *_, length, offset, _ = _END_FIELDS.unpack_from(tail, end_record)
        count, end = _END_FIELDS.unpack_from(tail, end_record)[4], start + end_record
        place_64 = end_record - _PLACE_64_FIELDS.size
        if (count == _FULL or _FULL_64 in (length, offset)) and place_64 >= 0 and tail.startswith(_PLACE_64, place_64):
            end = start + place_64 - _END_64_FIELDS.size
            self._file.seek(max(end, 0))
            record = self._file.read(_END_64_FIELDS.size)
            if end < 0 or len(record) < _END_64_FIELDS.size or not record.startswith(_END_64):
                raise wrong_log(self.where, "the end of the ZIP file is damaged", _DAMAGED, "no-zip-end")
            *_, length, offset = _END_64_FIELDS.unpack(record)
        shift = end - length - offset
        if shift < 0 or length > end:
            raise wrong_log(self.where, "the directory of the ZIP file is truncated", _DAMAGED, "no-zip-end")
        if length > self._most:
            raise too_large(self.where, self._most)
        self._file.seek(end - length)
        return self._file.read(length), shift

    def _begins_as_zip(self) -> bool:
        self._file.seek(0)
        return self._file.read(4) == b"PK\3\4"

    def _offsets_in(self, directory: bytes) -> dict[str, int]:
        """Return the places of the entries in the directory; nothing else is unpacked, as there may be millions."""
        offsets: dict[str, int] = {}
        start, end = 0, len(directory)
        while start + _ENTRY_FIELDS.size <= end:
            name, extra, comment = _LENGTHS.unpack_from(directory, start + 28)
            begin = start + _ENTRY_FIELDS.size
            if not directory.startswith(b"PK\1\2", start) or begin + name > end:
                break
            # Python and all writers of logs mark names as UTF-8; other encodings are kept distinct.
            offsets[directory[begin : begin + name].decode("utf-8", "backslashreplace")] = start
            start = begin + name + extra + comment
        if start != end:
            raise wrong_log(self.where, "the directory of the ZIP file is damaged", _DAMAGED, "no-zip-end")
        return offsets

    def _described(self, name: str) -> tuple[int, int, int, int, int]:
        """Return an entry's method, checksum, size packed and unpacked, and its offset in the file."""
        start = self._offsets[name]
        fields = _ENTRY_FIELDS.unpack_from(self._directory, start)
        flags, method, checksum, packed, size, n_name, n_extra = fields[3], fields[4], *fields[7:12]
        offset = fields[16]
        if flags & _ENCRYPTED:
            raise wrong_log(
                self.where, f"entry {quoted(name)}: expected plain data, got encrypted ones", slug="encrypted"
            )
        if _FULL_64 in (packed, size, offset):
            begin = start + _ENTRY_FIELDS.size + n_name
            size, packed, offset = self._wide(name, self._directory[begin : begin + n_extra], size, packed, offset)
        return method, checksum, packed, size, offset + self._shift

    def _wide(self, name: str, extra: bytes, *narrow: int) -> list[int]:
        """Return the 64-bit numbers of sizes that are too large for 32 bits (ZIP64, header 1)."""
        while len(extra) >= 4:
            kind, length = int.from_bytes(extra[:2], "little"), int.from_bytes(extra[2:4], "little")
            if kind == 1:
                wide = [int.from_bytes(extra[4 + i : 12 + i], "little") for i in range(0, length - 7, 8)]
                if len(wide) >= narrow.count(_FULL_64):
                    rest = iter(wide)
                    return [next(rest) if number == _FULL_64 else number for number in narrow]
            extra = extra[4 + length :]
        raise self._damaged(name, "sizes are missing in the directory")

    def _damaged(self, name: str, reason: str) -> DataError:
        what = f"entry {quoted(name)}: damaged data ({printable(reason)})"
        return wrong_log(self.where, what, _DAMAGED, "damaged-zip")


_MOST_FILES = 100_000
_NOT_IN_NAMES = "\\\0:" if os.name == "nt" else "\\\0"
_ADVICE = "Unpack it, and pass the folder."


@dataclass(frozen=True)
class _Unpacked:
    """An archive, and the folder that it was unpacked into."""

    shown: str  # the path of the archive as a user wrote it
    mark: tuple[int, int]  # the time and size of the archive
    holder: tempfile.TemporaryDirectory[str]  # removes the folder when the program ends
    folder: Path
    size: int  # how many bytes were unpacked


_UNPACKED: dict[str, _Unpacked] = {}  # by the whole path of the archive


def unpacked(path: str, suffixes: tuple[str, ...], limit: int) -> tuple[Path, int]:
    """Return a folder with the files of an archive that have certain suffixes, in lower case, and their size in bytes.

    An unchanged archive is unpacked once. Archives with more than `limit` bytes, or too many files, are refused.
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
            target = folder.joinpath(*name.parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    except BaseException as error:
        holder.cleanup()
        if isinstance(error, OSError) and not isinstance(error, OutscoreError):
            what = f"expected an archive that can be unpacked, got: {printable(error.strerror or str(error))}"
            raise FileAccessError(Problem(printable(path), what, _ADVICE, "cannot-read")) from None
        raise
    _UNPACKED[key] = _Unpacked(path, mark, holder, folder, done)
    return folder, done


def _members(path: str, suffixes: tuple[str, ...], limit: int) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield the names and contents of the members of an archive that may be logs."""
    if unpacked_name(Path(path).name).lower().endswith(".zip"):
        with Archive(path) as archive:
            for name in archive.names:
                target = _target(name, suffixes)
                if target is not None:
                    yield target, archive.read(name)
        return
    data = read_bytes(path)
    try:
        with tarfile.open(fileobj=BytesIO(data), mode="r:") as tar:
            for member in tar:
                target = _target(member.name, suffixes)
                if target is None or not member.isreg() or member.issparse():
                    continue
                if member.size > limit:
                    raise too_large(path, most_bytes())
                file = tar.extractfile(member)
                yield target, b"" if file is None else file.read()
    except OutscoreError:
        raise
    except (tarfile.TarError, EOFError, ValueError, RecursionError, UnicodeError) as error:
        what = f"expected a tar archive, got: {printable(str(error))}"
        raise wrong_log(printable(path), what, "Write the archive again.", "damaged-archive") from None


def _target(name: str, suffixes: tuple[str, ...]) -> PurePosixPath | None:
    """Return the path of a member below a folder; None if it is not a log, or would be outside of the folder."""
    if not unpacked_name(name).lower().endswith(suffixes) or any(mark in name for mark in _NOT_IN_NAMES):
        return None
    path = PurePosixPath(name)
    parts = [part for part in path.parts if part != "."]
    if path.is_absolute() or not parts or any(part == ".." or part.startswith(".") for part in parts):
        return None
    return None if parts[0] == "__MACOSX" else PurePosixPath(*parts)


def as_named(text: str) -> str:
    """Return text with the paths of unpacked files replaced by archive names: ``runs.zip/a/results.json``."""
    for unpacked_archive in _UNPACKED.values():
        for folder in (unpacked_archive.folder, unpacked_archive.folder.resolve()):
            text = text.replace(str(folder), unpacked_archive.shown)
    return text


def real_path(path: str) -> str:
    """Return the path of a file that is named by its archive."""
    for unpacked_archive in _UNPACKED.values():
        if path.startswith((f"{unpacked_archive.shown}/", f"{unpacked_archive.shown}{os.sep}")):
            return str(unpacked_archive.folder) + path[len(unpacked_archive.shown) :]
    return path


@contextmanager
def named_archives() -> Iterator[None]:
    """Replace the folders of unpacked archives in errors by the names of the archives."""
    try:
        yield
    except OutscoreError as error:
        if not _UNPACKED:
            raise
        problems = [
            Problem(as_named(problem.where), as_named(problem.what), problem.advice, problem.slug)
            for problem in error.problems
        ]
        raise type(error)(*problems) from error.__cause__
