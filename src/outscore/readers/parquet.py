"""Parquet files, with the optional package polars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from types import ModuleType
from typing import Any

from outscore.errors import DataError, Problem, missing_package
from outscore.naming import printable
from outscore.readers.base import Table, TableFormat, check_width, empty
from outscore.readers.files import most_bytes, too_large

__all__ = ["Parquet", "parquet_bytes"]

MAGIC = b"PAR1"
_BYTES_OF_CELL = 8


class Parquet(TableFormat):
    """A Parquet file; its "lines" are its records, counted from 1."""

    name = "Parquet"
    extensions = (".parquet", ".pq")

    def sniff(self, first_line: bytes) -> bool:
        return first_line.startswith(MAGIC)

    def parse(self, data: bytes, source: str) -> Table:
        polars = _polars(source)
        if not data:
            raise empty(source, "an empty file")
        # What bears no mark at both ends is not worth a try.
        if not (data.startswith(MAGIC) and data.endswith(MAGIC)):
            raise _damaged(source, "no Parquet mark at both ends")
        try:
            # A few bytes may stand for very many equal cells.
            lazy = polars.scan_parquet(BytesIO(data))
            check_width(len(lazy.collect_schema()), source)
            if lazy.select(polars.len()).collect().item() * len(lazy.collect_schema()) * _BYTES_OF_CELL > most_bytes():
                raise too_large(source, most_bytes())
            frame = polars.read_parquet(BytesIO(data))
        except DataError:
            raise
        except (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError, ValueError) as error:
            raise _damaged(source, str(error).partition("\n")[0]) from None
        if not frame.height:
            raise empty(source, "no records")
        return Table(source, frame.to_dict(as_series=False), range(1, frame.height + 1))


def parquet_bytes(columns: Mapping[str, Sequence[object] | Any], source: str = "Parquet") -> bytes:
    """Return a Parquet file of columns, sequences or arrays of one length.

    Raises
    ------
    MissingDependencyError
        Without polars, on behalf of the file `source`.
    """
    file = BytesIO()
    _polars(source).DataFrame(dict(columns)).write_parquet(file)
    return file.getvalue()


def _polars(source: str) -> ModuleType:
    try:
        import polars
    except ImportError:
        raise missing_package(printable(source), "polars", "frames") from None
    return polars


def _damaged(source: str, reason: str) -> DataError:
    return DataError(
        Problem(
            printable(source),
            f"expected Parquet, got data that cannot be read: {printable(reason)}",
            "Write the file again.",
            "not-parquet",
        )
    )
