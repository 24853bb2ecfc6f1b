"""Clusters: items that are drawn and swapped together, in one clustering or in two that cross."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from outscore._types import AnyArray, IntArray
from outscore.data.pairing import label_codes
from outscore.data.rows import Labels, Rows
from outscore.design.base import LabelFactor

SINGLE_ITEMS = "resamples and swaps single items, and knows no other units"


@dataclass(frozen=True, eq=False)
class Clusters(LabelFactor):
    """The cluster of each item, and perhaps the one of another clustering, such as documents and annotators.

    Attributes
    ----------
    codes : ndarray of int, shape (n_items,)
        From 0 on.
    crossing : ndarray of int, shape (n_items,), optional
        Codes of the other clustering.
    """

    crossing: AnyArray | None = None

    name = "clusters"

    @classmethod
    def of(cls, items: Rows, labels: Labels, others: Labels | None = None) -> Clusters:
        """Return the clusters that labels name."""
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
        return "knows one clustering: two that cross need the default test, skew-t, or two-way-t"

    def take(self, index: IntArray) -> Self:
        codes, crossing = (
            None if of is None else np.unique(of[index], return_inverse=True)[1] for of in (self.codes, self.crossing)
        )
        assert codes is not None
        return replace(self, codes=codes, crossing=crossing)

    def reordered(self, order: IntArray) -> Self:
        return replace(super().reordered(order), crossing=None if self.crossing is None else self.crossing[order])
