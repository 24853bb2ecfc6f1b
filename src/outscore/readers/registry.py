"""The formats by name of the file, or by its first line."""

from __future__ import annotations

from pathlib import PurePath

from outscore.readers.base import Table, TableFormat
from outscore.readers.delimited import Csv, Tsv
from outscore.readers.files import first_line, read_bytes
from outscore.readers.jsonl import JsonLines
from outscore.readers.parquet import Parquet
from outscore.readers.plain import Plain

__all__ = ["FORMATS", "Tables", "format_named", "format_of", "read_table"]

# In the order of sniffing: the surest mark first, and last what takes anything.
FORMATS: tuple[TableFormat, ...] = (Parquet(), JsonLines(), Tsv(), Csv(), Plain())


def format_named(path: str) -> TableFormat | None:
    """Return the format that the extension of `path` means, ``.gz`` aside; None for any other extension.

    Examples
    --------
    >>> format_named("scores.tsv.gz").name, format_named("scores.txt")
    ('TSV', None)
    """
    extension = PurePath(path.lower().removesuffix(".gz")).suffix
    return next((known for known in FORMATS if extension in known.extensions), None)


def format_of(path: str, data: bytes) -> TableFormat:
    """Return the format that the name says, or else the first that recognizes `data`.

    Examples
    --------
    >>> format_of("scores.txt", b"0.5").name, format_of("-", b'{"score": 1}').name
    ('plain', 'JSON Lines')
    """
    head = first_line(data)
    return format_named(path) or next(known for known in FORMATS if known.sniff(head))


def read_table(path: str) -> Table:
    """Return the table in the file `path`, of whatever format; ``-`` is standard input.

    Raises
    ------
    FileAccessError
        A file that cannot be read.
    DataError
        A file that cannot be understood, or is empty.
    MissingDependencyError
        Parquet without polars.
    """
    data = read_bytes(path)
    return format_of(path, data).parse(data, path)


class Tables:
    """The tables of one command, each read once: standard input cannot be read again."""

    def __init__(self) -> None:
        self._known: dict[str, Table] = {}

    def read(self, path: str) -> Table:
        """Return the table in the file `path`, as `read_table` does."""
        if path not in self._known:
            self._known[path] = read_table(path)
        return self._known[path]
