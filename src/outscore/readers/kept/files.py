"""File formats of cached rows, NumPy's .npz and Parquet: convert arrays and a header to bytes and back."""

from __future__ import annotations

import json
import math
import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePath
from typing import IO, TYPE_CHECKING, Any, ClassVar

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.errors import DataError, OptionError, Problem
from outscore.options import opt
from outscore.readers.files import most_bytes, read_bytes, too_large
from outscore.results.record import Table, parquet_bytes
from outscore.text.naming import printable, quoted

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

_HEADER, _VALUES, _LINES, _ITEMS = "outscore.header", "outscore.values", "outscore.lines", "outscore.items"
_LARGEST_WHOLE = 2**53
_LONGEST_NAME = 80
_LONGEST_MARK = 4

# Placeholder for the metric in file names.
METRIC_PLACE = "{metric}"


@dataclass(frozen=True, eq=False)
class Packed:
    """The content of a file of cached rows.

    Attributes
    ----------
    header : mapping
        Any JSON; "statistics" are the names of the columns of `values`.
    values : ndarray of float, shape (n, k)
        One row per item.
    """

    header: Mapping[str, Any]
    values: FloatArray
    item_ids: tuple[str, ...] | None
    lines: Sequence[int] | None


class KeptFormat(ABC):
    """A file format of cached rows."""

    name: ClassVar[str]
    extension: ClassVar[str]
    mark: ClassVar[bytes]  # the first bytes of every npz or Parquet file

    @abstractmethod
    def recognizes(self, file: IO[bytes]) -> bool:
        """Return from a few bytes whether a file that starts with the mark has cached rows in this format."""

    @abstractmethod
    def packed(self, content: Packed) -> bytes:
        """Return the bytes of the file. They depend only on the content."""

    @abstractmethod
    def unpacked(self, data: bytes, source: str) -> Packed:
        """Return the content of the bytes.

        Raises
        ------
        DataError
            Damaged data, or data in another format.
        """


class Npz(KeptFormat):
    """A zip of NumPy arrays without pickled objects: the header as UTF-8 JSON, values, ids and lines."""

    name = "npz"
    extension = ".npz"
    mark = b"PK\x03\x04"

    def recognizes(self, file: IO[bytes]) -> bool:
        return _HEADER.encode() in file.read(64)

    def packed(self, content: Packed) -> bytes:
        arrays: dict[str, AnyArray] = {_HEADER: _json(content.header), _VALUES: _narrowest(content.values)}
        if content.lines is not None:
            arrays[_LINES] = _narrowest(np.asarray(content.lines, dtype=np.int64))
        if content.item_ids is not None:
            arrays[_ITEMS] = _json(content.item_ids)
        file = BytesIO()
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
        return file.getvalue()

    def unpacked(self, data: bytes, source: str) -> Packed:
        import zipfile  # slow to import

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                with zipfile.ZipFile(BytesIO(data)) as archive:
                    if sum(part.file_size for part in archive.infolist()) > most_bytes():
                        raise too_large(source, most_bytes())
                    for part in archive.infolist():
                        _check_array(archive, part, source)
                with np.load(BytesIO(data), allow_pickle=False) as arrays:
                    if _HEADER not in arrays.files:
                        raise not_kept_rows(source, "arrays of another program")
                    header = _from_json(arrays[_HEADER])
                    # An entry that is not an array is returned as bytes.
                    values, names = np.asarray(arrays[_VALUES]), set(arrays.files)
                    ids = _from_json(arrays[_ITEMS]) if _ITEMS in names else None
                    lines = np.asarray(arrays[_LINES]) if _LINES in names else None
        except DataError:
            raise
        except Exception as error:
            # For damaged data zipfile, zlib, ast and NumPy raise a dozen types of errors.
            raise not_kept_rows(source, f"data that cannot be read ({type(error).__name__})") from None
        return checked_content(source, header, values, ids, lines)


def _check_array(archive: ZipFile, part: ZipInfo, source: str) -> None:
    """Raise if the header of an array claims more data than its entry has. NumPy allocates memory before it reads."""
    with archive.open(part) as file:
        try:
            version = np.lib.format.read_magic(file)
        except ValueError:
            return  # not an array
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(file)
    if math.prod(shape) * dtype.itemsize > part.file_size:
        raise not_kept_rows(source, f"an array of shape {shape} in {part.file_size:,} bytes")


class KeptParquet(KeptFormat):
    """A table with one record per item: one column per statistic, and the columns header, items and lines.

    Every record has the header, so that any program that copies the table preserves it.
    """

    name = "parquet"
    extension = ".parquet"
    mark = b"PAR1"

    def recognizes(self, file: IO[bytes]) -> bool:
        size = file.seek(0, 2)
        file.seek(max(0, size - 8))
        length, mark = int.from_bytes(file.read(4), "little"), file.read()
        if mark != self.mark or length > size - 12:  # truncated, so this is not a length
            return False
        file.seek(size - 8 - length)
        return _HEADER.encode() in file.read(length)

    def packed(self, content: Packed) -> bytes:
        columns: dict[str, Sequence[object] | AnyArray] = {}
        if content.item_ids is not None:
            columns[_ITEMS] = content.item_ids
        if content.lines is not None:
            columns[_LINES] = np.asarray(content.lines, dtype=np.int64)
        for j, name in enumerate(content.header["statistics"]):
            columns[name if name not in columns else f"{name} ({j})"] = _narrowest(content.values[:, j])
        columns[_HEADER] = [json.dumps(content.header)] * len(content.values)
        try:
            return parquet_bytes(Table(columns, {}), "Parquet")
        except UnicodeEncodeError as error:
            what = f"expected item ids that can be stored in Parquet, got {quoted(error.object)}"
            raise OptionError(
                Problem(opt("output"), what, "Use a file name that ends in .npz.", "unknown-text")
            ) from None

    def unpacked(self, data: bytes, source: str) -> Packed:
        from outscore.readers.tabular.formats import Parquet

        table = Parquet().parse(data, source)
        columns = dict(table.columns)
        headers = set(map(str, columns.pop(_HEADER, ())))
        if len(headers) != 1:
            raise not_kept_rows(source, f"a table with {len(headers)} headers of cached scores")
        ids, lines = columns.pop(_ITEMS, None), columns.pop(_LINES, None)
        try:
            header = json.loads(headers.pop())
            cells = [np.array(cells, dtype=np.float64) for cells in columns.values()]
            values = np.column_stack([np.empty((len(table), 0)), *cells])
            numbers = None if lines is None else np.array(lines)
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            raise not_kept_rows(source, f"data that cannot be read ({type(error).__name__})") from None
        return checked_content(source, header, values, None if ids is None else list(ids), numbers)


KEPT_FORMATS: dict[str, KeptFormat] = {known.name: known for known in (Npz(), KeptParquet())}


def kept_format_named(path: str) -> KeptFormat:
    """Return the format with the extension of `path`.

    Raises
    ------
    OptionError
        An unknown extension.
    """
    name = PurePath(path).name.lower()
    for known in KEPT_FORMATS.values():
        if name.endswith(known.extension):
            return known
    names = " or ".join(known.extension for known in KEPT_FORMATS.values())
    what = f"expected a file name that ends in {names}, got {quoted(PurePath(path).name)}"
    raise OptionError(Problem(printable(path) or '""', what, "Pass such a name with -o.", "unknown-kept-format"))


def in_file_name(spec: str) -> str:
    """Return the name and options of a metric in a form for file names.

    Examples
    --------
    >>> in_file_name("bleu:tokenize=zh")
    'bleu-tokenize=zh'
    """
    name = re.sub(r"[^\w.+@=,-]+", "-", spec)
    if len(name) <= _LONGEST_NAME:
        return name
    import hashlib  # slow to import

    return f"{name[:_LONGEST_NAME]}-{hashlib.sha256(spec.encode()).hexdigest()[:8]}"


def is_kept(path: str) -> bool:
    """Return whether the file `path` has cached rows, from its extension .npz or a few of its bytes.

    A name with a placeholder for the metric is judged by its extension. Pipes and standard input are not read.
    """
    if METRIC_PLACE in path and path.lower().endswith(tuple(known.extension for known in KEPT_FORMATS.values())):
        return True
    if path.lower().removesuffix(".gz").endswith(Npz.extension):
        return True
    try:
        if not Path(path).is_file():
            return False
        with Path(path).open("rb") as file:
            head = file.read(_LONGEST_MARK)
            file.seek(0)
            return any(head.startswith(known.mark) and known.recognizes(file) for known in KEPT_FORMATS.values())
    except (OSError, ValueError):
        return False


def is_parquet(path: str) -> bool:
    """Return whether the file `path` starts like Parquet, even if damaged. Pipes and standard input are not read."""
    from outscore.readers.tabular.formats import Parquet

    try:
        if not Path(path).is_file():
            return False
        with Path(path).open("rb") as file:
            return Parquet().sniff(file.read(4))
    except (OSError, ValueError):
        return False


def unpacked(path: str) -> Packed:
    """Return the content of a file of cached rows.

    Raises
    ------
    FileAccessError
        An unreadable file.
    DataError
        A damaged file, or a file of another kind.
    MissingDependencyError
        Parquet without polars.
    """
    from outscore.readers.tabular.formats import Parquet

    data = read_bytes(path)
    known = KeptParquet() if Parquet().sniff(data) else Npz()
    return known.unpacked(data, path)


def not_kept_rows(source: str, got: str) -> DataError:
    """Return the error of a file without usable rows."""
    return DataError(
        Problem(
            printable(source),
            f"expected scores cached by outscore, got {got}",
            "Write them again with outscore rows.",
            "not-kept-rows",
        )
    )


def checked_content(source: str, header: Any, values: AnyArray, ids: Any, lines: AnyArray | None) -> Packed:
    """Return the content of a file after checking that it can be rows.

    Raises
    ------
    DataError
    """
    if not isinstance(header, dict):
        raise not_kept_rows(source, "a header that is not a JSON object")
    if values.ndim != 2 or values.dtype.kind not in "iuf":
        raise not_kept_rows(source, f"values of shape {values.shape} and type {values.dtype}")
    if len(values) < 2:
        raise not_kept_rows(source, f"{len(values)} item(s)")
    if not np.isfinite(values).all():
        raise not_kept_rows(source, "values that are not finite")
    if ids is not None and not (
        isinstance(ids, list) and len(ids) == len(values) and all(isinstance(one, str) for one in ids)
    ):
        raise not_kept_rows(source, "item ids that are not one text per item")
    if lines is not None and not (lines.shape == (len(values),) and lines.dtype.kind in "iu"):
        raise not_kept_rows(source, "line numbers that are not one whole number per item")
    return Packed(
        header,
        values.astype(np.float64),
        None if ids is None else tuple(ids),
        None if lines is None else [int(line) for line in lines],
    )


def _json(value: object) -> AnyArray:
    return np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)


def _from_json(array: AnyArray) -> Any:
    return json.loads(array.tobytes().decode())


def _narrowest(values: AnyArray) -> AnyArray:
    """Return whole numbers in the narrowest integer type, other values unchanged."""
    exact = bool((values == np.trunc(values)).all() and (np.abs(values) <= _LARGEST_WHOLE).all())
    if not values.size or not exact or (values.dtype.kind == "f" and np.signbit(values[values == 0]).any()):
        return values
    low, high = int(values.min()), int(values.max())
    kinds = (np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.int64)
    return values.astype(next(kind for kind in kinds if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max))
