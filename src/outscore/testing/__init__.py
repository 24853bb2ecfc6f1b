"""Checks of custom metrics: the properties that tests and intervals rely on.

Call `check_metric` from your tests with some items of a real test set. Each property can also be checked
separately. A failed check raises AssertionError with the expected and the actual behavior::

    from outscore.testing import check_metric

    def test_my_metric():
        check_metric(MyMetric(), outputs, references, corpus_score=reference_implementation, perfect=references)

For a `ColumnMetric`, pass its columns in place of outputs, and no references. A `RecomputedMetric` has no rows that
can be summed, so other properties are checked (`check_recomputation`).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from outscore.testing.checks import (
    CorpusScore,
    check_additivity,
    check_corpus_score,
    check_declaration,
    check_direction,
    check_metric,
    check_monotone,
    check_pickling,
    check_ratio,
    check_recomputation,
    check_shared_statistics,
    check_vectorisation,
)

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        return import_module("outscore.former").module_attribute(__name__, name)


__all__ = [
    "CorpusScore",
    "check_additivity",
    "check_corpus_score",
    "check_declaration",
    "check_direction",
    "check_metric",
    "check_monotone",
    "check_pickling",
    "check_ratio",
    "check_recomputation",
    "check_shared_statistics",
    "check_vectorisation",
]
