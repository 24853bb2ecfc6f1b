"""Results as data: JSON, CSV and Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from outscore.reports import kind_of, loaded
from outscore.results.shown import Shown


def results_to_json(results: Sequence[Any]) -> str:
    """Write results as JSON."""
    return _together(results).to_json()


def results_to_csv(results: Sequence[Any], **rows: Any) -> str:
    """Write the tidy table of results as CSV; `rows` tells what its rows are."""
    return _together(results).to_csv(**rows)


def results_to_parquet(results: Sequence[Any], **rows: Any) -> bytes:
    """Write the tidy table of results as Parquet; `rows` tells what its rows are."""
    return _together(results).to_parquet(**rows)


def _together(results: Sequence[Any]) -> Shown:
    """Return results as one record."""
    record: Shown = results[0] if len(results) == 1 else loaded(kind_of(results[0]).several)(tuple(results))
    return record
