"""Clusters: items that are drawn and swapped together, in one clustering or two crossed ones; orders within them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from outscore._types import AnyArray, IntArray
from outscore.data.pairing import label_codes, sorted_codes
from outscore.data.rows import Labels, Rows
from outscore.design.base import LabelFactor, NamedLabels

SINGLE_ITEMS = "resamples and swaps single items, and does not support other units"


@dataclass(frozen=True, eq=False)
class Clusters(LabelFactor):
    """The cluster of each item, and optionally its cluster in another, crossed clustering.

    Attributes
    ----------
    codes : ndarray of int, shape (n_items,)
        Codes from 0.
    crossing : ndarray of int, shape (n_items,), optional
        Codes of the other clustering, for example by annotator instead of document.
    """

    crossing: AnyArray | None = None

    name = "clusters"

    @classmethod
    def of(cls, items: Rows, labels: Labels, others: Labels | None = None) -> Clusters:
        """Return the clusters with the given labels."""
        return cls(label_codes(labels, items), None if others is None else label_codes(others, items))

    @property
    def signature(self) -> Mapping[str, str]:
        if self.crossing is None:
            return {}
        return {"clusters": f"{self.codes.max() + 1}x{self.crossing.max() + 1}"}

    @property
    def sampled(self) -> frozenset[str]:
        return frozenset({"cluster"} if self.crossing is None else {"crossed clusters"})

    @property
    def not_drawn(self) -> str:
        if self.crossing is None:
            return SINGLE_ITEMS
        return "supports one clustering: two crossed clusterings need the default test, skew-t, or two-way-t"

    def take(self, index: IntArray) -> Self:
        both = self.codes, self.crossing
        codes, crossing = (None if part is None else np.unique(part[index], return_inverse=True)[1] for part in both)
        assert codes is not None
        return replace(self, codes=codes, crossing=crossing)

    def reordered(self, order: IntArray) -> Self:
        return replace(super().reordered(order), crossing=None if self.crossing is None else self.crossing[order])


@dataclass(frozen=True, eq=False)
class Orders(NamedLabels):
    """The order of the two answers in each verdict of a judge; the verdicts on an item are a cluster.

    Attributes
    ----------
    column : str
        Name of the column of orders.
    """

    column: str = ""

    name = "orders"

    @classmethod
    def of(cls, items: Rows, labels: Labels) -> Orders:
        """Return the orders with the given labels."""
        return cls(*sorted_codes(labels, items), column=labels.name)

    def take(self, index: IntArray) -> Self:
        return replace(self, codes=self.codes[index])

    def complete(self, units: AnyArray) -> IntArray:
        """Return the places of verdicts on items with verdicts in both orders, given the item of each verdict."""
        both = [np.isin(units, units[self.codes == code]) for code in range(2)]
        return np.flatnonzero(both[0] & both[1])
