"""The items that a report shows: scores, and texts if known."""

from __future__ import annotations

import math
from collections.abc import Sequence, Sized
from dataclasses import fields
from typing import Any

from outscore.results.record import doc, record

MOST_ITEMS = 20_000  # on one page


@record
class ItemTable:
    """The items of one comparison, in the order of the test set.

    Every field except the first is None if unknown.

    Raises
    ------
    ValueError
        A field does not have one entry per item.
    """

    item_ids: Sequence[str] = doc("Ids, or line numbers if items have no ids.")
    baseline_scores: Sequence[float] | None = doc("The score of each item, in the unit of the metric.", default=None)
    candidate_scores: Sequence[float] | None = doc("The score of each item, in the unit of the metric.", default=None)
    differences: Sequence[float] | None = doc(
        "The gain on each item; negative for losses, also for metrics where lower is better.", default=None
    )
    sources: Sequence[str] | None = None
    references: Sequence[Sequence[str]] | None = doc("One or several per item.", default=None)
    baseline_outputs: Sequence[str] | None = None
    candidate_outputs: Sequence[str] | None = None
    test_sets: Sequence[str] | None = doc("The name of each item's test set, if there are several.", default=None)

    def __post_init__(self) -> None:
        for field in fields(self):
            column: Sized | None = getattr(self, field.name)
            if column is not None and len(column) != len(self.item_ids):
                raise ValueError(f"{field.name}: expected one entry per item, {len(self.item_ids)}, got {len(column)}")

    def __len__(self) -> int:
        return len(self.item_ids)

    def on(self, places: Sequence[int]) -> ItemTable:
        """Return some of the items."""
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        some: dict[str, Any] = {
            name: None if column is None else [column[index] for index in places] for name, column in columns.items()
        }
        return ItemTable(**some)

    def most_changed(self, count: int) -> list[int]:
        """Return the places of the items that changed most, up to a number."""
        if len(self) <= count:
            return list(range(len(self)))
        changes = [
            0.0 if math.isnan(difference) else abs(difference) for difference in self.differences or [0.0] * len(self)
        ]
        return sorted(lowest([-change for change in changes], count))


def lowest(values: Sequence[float], count: int) -> list[int]:
    """Return the places of the lowest values, at most `count`, the lowest first.

    Of equal values that do not all fit, as of wrong answers, some are taken that are spread over the test set.

    Examples
    --------
    >>> lowest([0, -1, -1, -2, -1, -1, 0], 3), lowest([3, 1, 2], 2)
    ([3, 2, 5], [1, 2])
    """
    order = sorted(range(len(values)), key=lambda index: (values[index], index))
    if count <= 0 or len(order) <= count:
        return order[: max(count, 0)]
    limit = values[order[count - 1]]
    lower = [index for index in order if values[index] < limit]
    equal = [index for index in order if values[index] == limit]
    room = count - len(lower)
    return [*lower, *(equal[(2 * k + 1) * len(equal) // (2 * room)] for k in range(room))]
