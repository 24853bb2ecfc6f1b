"""A system as a baseline file keeps it: its rows on every metric, in the place of a file that is read and scored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from outscore._dataclasses import dataclass
from outscore.errors import OptionError, Problem
from outscore.metrics import AnyMetric
from outscore.metrics.options import describe_metric
from outscore.naming import listed, printable, quoted
from outscore.readers.reading import Source, SystemFile
from outscore.rows import Rows

if TYPE_CHECKING:
    from outscore.readers.kept_rows import KeptRows  # dozens of metrics, which columns do without

__all__ = ["STORE_SCHEMA", "StoredSystem", "is_newer_store", "is_store", "store_path"]

STORE_SCHEMA: Literal["outscore/gate-store/1"] = "outscore/gate-store/1"
_SCHEMA = re.compile(rb'"schema": ?"(outscore/gate-store/\d+)"')
_HEAD = 4096  # bytes in which the file names its form


def is_store(path: str) -> bool:
    """Tell from its first bytes whether a file keeps a baseline."""
    try:
        with Path(path).open("rb") as file:
            return _SCHEMA.search(file.read(_HEAD)) is not None
    except (OSError, ValueError):
        return False


def is_newer_store(data: bytes) -> bool:
    """Tell whether what a file holds is a baseline in another form than this version writes."""
    schema = _SCHEMA.search(data[:_HEAD])
    return schema is not None and schema[1].decode() != STORE_SCHEMA


def store_path(source: Source) -> str | None:
    """Return the file of a stored baseline that users name; None of any other system."""
    return source.spec if isinstance(source, SystemFile) and is_store(source.spec) else None


@dataclass(frozen=True, eq=False)
class StoredSystem:
    """One run of a system.

    Attributes
    ----------
    path : str
        The file that keeps it.
    rows : mapping from str to Rows or KeptRows
        By metric, as users write it; kept rows of metrics of outputs.
    """

    path: str
    rows: Mapping[str, Rows | KeptRows]

    @property
    def of_outputs(self) -> bool:
        """Whether its rows are those of outputs."""
        return not all(isinstance(rows, Rows) for rows in self.rows.values())

    def rows_on(self, metric: AnyMetric) -> Rows:
        """Return the rows on a metric of columns.

        Raises
        ------
        OptionError
            A metric that it was not stored with.
        """
        rows = self._on(metric)
        if not isinstance(rows, Rows):
            raise self._lacking(metric)
        return rows

    def kept_on(self, metric: AnyMetric | None) -> KeptRows:
        """Return the rows on a metric of outputs; of the only one where none is named.

        Raises
        ------
        OptionError
            A metric that it was not stored with.
        """
        rows = next(iter(self.rows.values())) if metric is None else self._on(metric)
        if rows is None or isinstance(rows, Rows):
            raise self._lacking(metric)
        return rows

    def _on(self, metric: AnyMetric) -> Rows | KeptRows | None:
        return self.rows.get(describe_metric(metric).spec)

    def _lacking(self, metric: AnyMetric | None) -> OptionError:
        spec = "" if metric is None else describe_metric(metric).spec
        what = f"was accepted with {listed(list(self.rows))}, got {quoted(spec)}"
        advice = "Leave --metric out, or accept a baseline with it."
        return OptionError(Problem(printable(self.path), what, advice, "other-metric"))
