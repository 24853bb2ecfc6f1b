"""Readers turn files and Python objects into rows and labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outscore.readers.base import ItemFormat, Table, TableFormat
from outscore.readers.registry import InputFiles, read_table
from outscore.readers.tabular.tables import read_system

if TYPE_CHECKING:
    from outscore.readers.in_memory import labels_from, system_from
    from outscore.readers.tabular.labels import read_labels


def __getattr__(name: str) -> object:
    """Import readers of objects and labels on demand; files of scores do not need them."""
    if name in {"labels_from", "system_from"}:
        from outscore.readers import in_memory

        return getattr(in_memory, name)
    if name == "read_labels":
        from outscore.readers.tabular.labels import read_labels

        return read_labels
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "InputFiles",
    "ItemFormat",
    "Table",
    "TableFormat",
    "labels_from",
    "read_labels",
    "read_system",
    "read_table",
    "system_from",
]
