"""Rows of sufficient statistics of one system, labels of items, and the pairing of systems by item id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.errors import DataError, Problem

__all__ = ["Labels", "Rows", "align", "align_labels"]


def _place(name: str, lines: Sequence[int] | None, index: int) -> str:
    return f"{name}[{index}]" if lines is None else f"{name}:{lines[index]}"


@dataclass(frozen=True, eq=False)
class Rows:
    """The sufficient statistics of one system, one row an item.

    Attributes
    ----------
    name : str
        What the user calls the system: a file name, a column, "baseline".
    values : ndarray, shape (n, k)
        One row an item; the metric says what the k columns hold.
    item_ids : tuple of str, optional
        One id an item, in the order of the rows; None where items are known by position only.
    lines : sequence of int, optional
        The line (from 1) of the file that each row came from; None for rows that came from memory.
    """

    name: str
    values: FloatArray
    item_ids: tuple[str, ...] | None = None
    lines: Sequence[int] | None = None

    def __len__(self) -> int:
        return len(self.values)

    def place(self, index: int) -> str:
        """Say where row `index` came from: ``scores.csv:17``, or ``baseline[16]`` for arrays."""
        return _place(self.name, self.lines, index)

    def take(self, index: IntArray) -> Rows:
        """Return the rows at `index`, in that order."""
        return replace(
            self,
            values=self.values[index],
            item_ids=None if self.item_ids is None else tuple(self.item_ids[i] for i in index),
            lines=None if self.lines is None else [self.lines[i] for i in index],
        )


@dataclass(frozen=True, eq=False)
class Labels:
    """One label an item: its cluster or its stratum.

    Attributes
    ----------
    name : str
        Where the labels came from.
    labels : tuple of str
        One label an item.
    item_ids : tuple of str, optional
        The items that the labels belong to; None where they are given by position.
    """

    name: str
    labels: tuple[str, ...]
    item_ids: tuple[str, ...] | None = None


def _positions(name: str, ids: tuple[str, ...], lines: Sequence[int] | None) -> dict[str, int]:
    positions: dict[str, int] = {}
    problems = []
    for index, item in enumerate(ids):
        if item in positions:
            first = _place(name, lines, positions[item])
            problems.append(
                Problem(
                    _place(name, lines, index),
                    f'item id "{item}" stands here a second time (first at {first})',
                    "Give every item one row, or name the right id column with --id.",
                    "duplicate-id",
                )
            )
        else:
            positions[item] = index
    if problems:
        raise DataError(*problems)
    return positions


def _some(ids: Sequence[str]) -> str:
    shown = ", ".join(f'"{item}"' for item in ids[:3])
    return shown + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")


def align(systems: Sequence[Rows], *, drop_missing: bool = False) -> list[Rows]:
    """Pair systems: return their rows in one common order of items.

    By item id where every system has ids (the order is the first system's), by position otherwise.

    Parameters
    ----------
    systems : sequence of Rows
        The first is the baseline.
    drop_missing : bool
        Keep only the items that all systems have, instead of raising.

    Raises
    ------
    DataError
        Lengths that differ (by position), duplicate ids, no id in common, or ids that one side lacks.
    """
    first = systems[0]
    if any(system.item_ids is None for system in systems):
        for other in systems[1:]:
            if len(other) != len(first):
                raise DataError(
                    Problem(
                        other.name,
                        f"expected {len(first)} items as in {first.name}, got {len(other)}",
                        "Without item ids in both, items are paired by position: "
                        "give both the same items in the same order.",
                        "different-lengths",
                    )
                )
        return list(systems)

    positions = [_positions(system.name, system.item_ids or (), system.lines) for system in systems]
    common = [item for item in positions[0] if all(item in other for other in positions[1:])]
    for system, held in zip(systems[1:], positions[1:], strict=True):
        if not held.keys() & positions[0].keys():
            mine, theirs = next(iter(positions[0]), ""), next(iter(held), "")
            raise DataError(
                Problem(
                    system.name,
                    f'no item id in common with {first.name} (for example "{theirs}" here, "{mine}" there)',
                    "Name the id columns with --id, or check that both hold the same test set.",
                    "no-shared-ids",
                )
            )
    if not common:
        raise DataError(
            Problem(
                first.name, "no item id is common to all systems", "Compare fewer systems at once.", "no-shared-ids"
            )
        )
    if not drop_missing:
        everywhere = set(common)
        problems = []
        for having, held in zip(systems, positions, strict=True):
            extra = [item for item in held if item not in everywhere]
            if extra:
                lacking = next(s.name for s, p in zip(systems, positions, strict=True) if extra[0] not in p)
                problems.append(
                    Problem(
                        lacking,
                        f"lacks {len(extra)} item(s) that {having.name} has: {_some(extra)}",
                        "Add them, or pass --missing drop to compare on the common items.",
                        "missing-ids",
                    )
                )
        if problems:
            raise DataError(*problems)
    return [
        system.take(np.array([held[item] for item in common], dtype=np.int64))
        for system, held in zip(systems, positions, strict=True)
    ]


def align_labels(labels: Labels, rows: Rows) -> AnyArray:
    """Return one integer code an item of `rows`: items with equal labels get equal codes.

    Codes count from 0 in the order in which labels first appear.

    Raises
    ------
    DataError
        Labels by position whose number differs from the items', duplicate ids, or an item without a label.
    """
    if labels.item_ids is None or rows.item_ids is None:
        if len(labels.labels) != len(rows):
            raise DataError(
                Problem(
                    labels.name,
                    f"expected {len(rows)} labels, one an item, got {len(labels.labels)}",
                    "Give one label a line, in the order of the items, or a table with item ids.",
                    "different-lengths",
                )
            )
        found: Sequence[str] = labels.labels
    else:
        positions = _positions(labels.name, labels.item_ids, None)
        absent = [item for item in rows.item_ids if item not in positions]
        if absent:
            raise DataError(
                Problem(
                    labels.name,
                    f"lacks {len(absent)} item(s) that {rows.name} has: {_some(absent)}",
                    "Give every item a label.",
                    "missing-ids",
                )
            )
        found = [labels.labels[positions[item]] for item in rows.item_ids]
    codes: dict[str, int] = {}
    return np.array([codes.setdefault(label, len(codes)) for label in found], dtype=np.int64)
