"""Cells: the rows of a system for each level of crossed factors, with one axis per factor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.text.naming import quoted


@dataclass(frozen=True)
class Axis:
    """A factor that is crossed with items, such as runs, and its levels.

    Attributes
    ----------
    name : str
        Name of one level, such as "run".
    levels : tuple of str
        Sorted, so that results do not depend on the order of names.
    """

    name: str
    levels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.levels)

    @property
    def counted(self) -> str:
        """The number of levels as text: "5 runs"."""
        return f"{len(self)} {self.name}{'' if len(self) == 1 else 's'}"


@dataclass(frozen=True, eq=False)
class Cells:
    """The rows of one system for each item and each tuple of levels.

    Attributes
    ----------
    values : ndarray, shape (levels of the first axis, ..., n, k)
        NaN if an item lacks a cell.
    answers : ndarray of object, shape (levels, ..., n), optional
        Answers for reducers that vote; None if an item lacks a cell.
    selectors : ndarray, shape (levels, ..., n), optional
        Values by which a reducer selects one of the samples.
    averaged : tuple of Axis
        Factors over which the cells were averaged or reduced.
    """

    axes: tuple[Axis, ...]
    values: FloatArray
    answers: AnyArray | None = None
    selectors: FloatArray | None = None
    averaged: tuple[Axis, ...] = ()

    @property
    def lacking(self) -> AnyArray:
        """Whether items lack a cell, shape (levels, ..., n)."""
        return np.isnan(self.values[..., 0])

    def axis(self, name: str) -> Axis | None:
        """Return a factor, averaged or not; None if items are not crossed with it."""
        return next((axis for axis in (*self.axes, *self.averaged) if axis.name == name), None)

    def each(self) -> Iterator[FloatArray]:
        """Yield the rows of each cell, shape (n, k), with the last axis varying fastest."""
        return each(self.values)

    @property
    def means(self) -> FloatArray:
        """The mean of each item's cells, shape (n, k)."""
        over = tuple(range(len(self.axes)))
        counts = np.maximum((~self.lacking).sum(axis=over), 1)
        return np.asarray(np.nansum(self.values, axis=over) / counts[:, None])

    @property
    def _telling(self) -> Sequence[Axis]:
        """The axes with several levels, or the only axis."""
        return [axis for axis in self.axes if len(axis) > 1] or self.axes[:1]

    def called(self, place: Sequence[int]) -> str:
        """Return the name of a cell in messages: 'run "1" with template "a"'."""
        telling = self._telling
        names = (
            f"{axis.name} {quoted(axis.levels[at])}"
            for axis, at in zip(self.axes, place, strict=True)
            if axis in telling
        )
        return " with ".join(names)

    @property
    def counted(self) -> str:
        """The number of cells as text: "5 runs", "12 cells of 3 runs and 4 templates"."""
        telling = self._telling
        if len(telling) == 1:
            return telling[0].counted
        return f"{self.lacking[..., 0].size} cells of {' and '.join(axis.counted for axis in telling)}"

    def take(self, index: IntArray) -> Cells:
        """Return the cells of the items at `index`, in that order."""
        answers, selectors = (None if part is None else part[..., index] for part in (self.answers, self.selectors))
        return replace(self, values=self.values[..., index, :], answers=answers, selectors=selectors)

    def without(self, name: str) -> Cells | None:
        """Return the cells without an axis of one level; None if no axis is left."""
        index = [axis.name for axis in self.axes].index(name)
        axes = (*self.axes[:index], *self.axes[index + 1 :])
        at = (slice(None),) * index + (0,)
        answers, selectors = (None if part is None else part[at] for part in (self.answers, self.selectors))
        left = replace(self, axes=axes, values=self.values[at], answers=answers, selectors=selectors)
        return left if axes else None

    def split(self, kept: Sequence[str]) -> Iterator[tuple[tuple[int, ...], Cells]]:
        """Yield each tuple of levels of the `kept` axes, with the cells of the other axes."""
        places: list[Sequence[int | slice]] = [
            range(len(axis)) if axis.name in kept else [slice(None)] for axis in self.axes
        ]
        others = tuple(axis for axis in self.axes if axis.name not in kept)
        for place in product(*places):
            answers, selectors = (None if part is None else part[place] for part in (self.answers, self.selectors))
            cells = replace(self, axes=others, values=self.values[place], answers=answers, selectors=selectors)
            yield tuple(at for at in place if isinstance(at, int)), cells

    def reduced(self, kept: Sequence[str], parts: Sequence[FloatArray]) -> Cells:
        """Return cells with the `kept` axes, given the rows of each tuple of levels as in `split`.

        Each tuple has an array of shape (n, k).
        """
        axes = tuple(axis for axis in self.axes if axis.name in kept)
        values = np.empty((*map(len, axes), *parts[0].shape))
        for place, part in zip(np.ndindex(*map(len, axes)), parts, strict=True):
            values[place] = part
        others = tuple(axis for axis in self.axes if axis.name not in kept)
        return Cells(axes, values, averaged=(*self.averaged, *others))


def each(values: FloatArray) -> Iterator[FloatArray]:
    """Yield the rows of each cell, shape (n, k), of an array of all cells, shape (levels, ..., n, k)."""
    return (values[place] for place in np.ndindex(*values.shape[:-2]))


def margin(values: FloatArray, kept: int, n_axes: int) -> FloatArray:
    """Return means over all leading axes but one. The order of levels does not change any bit.

    Parameters
    ----------
    values : ndarray, shape (levels, ..., further axes)
        One value per tuple of levels.
    kept : int
        The axis to keep.
    n_axes : int
        Number of axes of levels.
    """
    moved = np.moveaxis(values, kept, 0)
    for _ in range(n_axes - 1):
        moved = mean_of(moved, axis=1)
    return moved


def mean_of(values: FloatArray, axis: int = 0) -> FloatArray:
    """Return means over an axis. The order of its levels does not change any bit."""
    return np.asarray(np.sort(values, axis=axis).sum(axis=axis) / values.shape[axis])
