"""Test sets, tasks or languages with scores of their own."""

from __future__ import annotations

from dataclasses import dataclass

from outscore._types import IntArray
from outscore.data.pairing import label_codes, labels_of
from outscore.data.rows import Labels, Rows
from outscore.design.base import NamedLabels


@dataclass(frozen=True, eq=False)
class TestSets(NamedLabels):
    """The test set of each item."""

    name = "test sets"
    __test__ = False

    @classmethod
    def of(cls, items: Rows, labels: Labels) -> TestSets:
        """Return the test sets with the given labels."""
        return cls(label_codes(labels, items), tuple(dict.fromkeys(labels_of(labels, items))))

    def take(self, index: IntArray) -> None:
        """Return None, because some of the items are one test set, or a sample without test sets."""
        del index
