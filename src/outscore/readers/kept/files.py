"""The file format of cached rows, NumPy's .npz: convert arrays and a header to bytes and back."""

from __future__ import annotations

import json
import math
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.errors import DataError, OptionError, Problem
from outscore.readers.files import most_bytes, read_bytes, too_large
from outscore.text.naming import printable, quoted

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

_HEADER, _VALUES, _LINES, _ITEMS = "outscore.header", "outscore.values", "outscore.lines", "outscore.items"
_LARGEST_WHOLE = 2**53
_LONGEST_NAME = 80
EXTENSION = ".npz"
_ZIP_MARK, _PARQUET_MARK = b"PK\x03\x04", b"PAR1"
_HEAD = 64  # bytes in which a zip names its first entry
_FOOT = 2**16  # bytes in which Parquet names its columns: outscore wrote at most some dozens

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


def to_npz(content: Packed) -> bytes:
    """Return the bytes of a file, which depend only on the content.

    It is a zip of NumPy arrays without pickled objects: the header as UTF-8 JSON, values, ids and lines.
    """
    arrays: dict[str, AnyArray] = {_HEADER: _json(content.header), _VALUES: _narrowest(content.values)}
    if content.lines is not None:
        arrays[_LINES] = _narrowest(np.asarray(content.lines, dtype=np.int64))
    if content.item_ids is not None:
        arrays[_ITEMS] = _json(content.item_ids)
    file = BytesIO()
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def from_npz(data: bytes, source: str) -> Packed:
    """Return the content of the bytes. Raise DataError for damaged data, or data in another format."""
    import zipfile  # slow to import

    if data.startswith(_PARQUET_MARK):
        raise not_kept_rows(source, "a Parquet file")
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


def check_kept_name(path: str) -> None:
    """Raise OptionError if `path` does not end in .npz."""
    if not path.lower().endswith(EXTENSION):
        what = f"expected a file name that ends in {EXTENSION}, got {quoted(PurePath(path).name)}"
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

    Rows that earlier versions cached in Parquet are recognized, so that reading them is an error that says what to do.
    Pipes and standard input are not read.
    """
    if path.lower().removesuffix(".gz").endswith(EXTENSION):
        return True
    try:
        if not Path(path).is_file():
            return False
        with Path(path).open("rb") as file:
            head = file.read(_HEAD)
            if head.startswith(_PARQUET_MARK):  # its description of columns is at the end
                file.seek(-min(_FOOT, file.seek(0, 2)), 2)
                return _HEADER.encode() in file.read()
            return head.startswith(_ZIP_MARK) and _HEADER.encode() in head
    except (OSError, ValueError):
        return False


def unpacked(path: str) -> Packed:
    """Return the content of a file of cached rows.

    Raise FileAccessError for an unreadable file. Raise DataError for a damaged file, or a file of another kind.
    """
    return from_npz(read_bytes(path), path)


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
    """Return the content of a file after checking that it can be rows. May raise DataError."""
    if not isinstance(header, dict):
        raise not_kept_rows(source, "a header that is not a JSON object")
    if values.ndim != 2 or values.dtype.kind not in "iuf":
        raise not_kept_rows(source, f"values of shape {values.shape} and type {values.dtype}")
    if len(values) < 2:
        raise not_kept_rows(source, f"{len(values)} item(s)")
    if not np.isfinite(values).all():
        raise not_kept_rows(source, "values that are not finite")
    if ids is not None and not (
        isinstance(ids, list) and len(ids) == len(values) and all(isinstance(item_id, str) for item_id in ids)
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
