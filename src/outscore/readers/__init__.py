"""Readers turn files and Python objects into rows and labels."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from outscore.readers.base import ItemFormat, Table, TableFormat
from outscore.readers.registry import InputFiles, read_table
from outscore.readers.tabular.tables import read_system

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        return import_module("outscore.former").module_attribute(__name__, name)


__all__ = ["InputFiles", "ItemFormat", "Table", "TableFormat", "read_system", "read_table"]
