"""Readers turn files and Python objects into rows and labels."""

from outscore.readers.base import ItemFormat, Table, TableFormat
from outscore.readers.registry import InputFiles, read_table
from outscore.readers.tabular.tables import read_system

__all__ = ["InputFiles", "ItemFormat", "Table", "TableFormat", "read_system", "read_table"]
