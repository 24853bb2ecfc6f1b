"""Bit-parallel edit distances of many shifted outputs at once: a row of an edit matrix is two machine words.

Row i of the matrix is stored as differences of neighbouring columns (Myers 1999, in the form of Hyyrö 2003): a bit of
`rising` is set if a column exceeds the one before by 1, a bit of `falling` if it is 1 less. Outside the band distances
are infinite. They are represented by values that never win: left of the band a column grows with each row, and right
of the band each column exceeds the one before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from outscore._types import BoolArray, IntArray
from outscore.metrics.edit_rate.layout import ONES, Layout, ranges


class Rotations(NamedTuple):
    """Outputs in which two adjacent phrases are exchanged, each array of shape (k,).

    The words from `start` to `middle` move behind those from `middle` to `end`.
    """

    pair: IntArray
    start: IntArray
    middle: IntArray
    end: IntArray

    def only(self, chosen: IntArray | slice) -> Rotations:
        """Return the chosen rotations."""
        return Rotations(self.pair[chosen], self.start[chosen], self.middle[chosen], self.end[chosen])


class Rows:
    """The outputs with all shifts so far, and the rows of their edit matrix.

    Attributes
    ----------
    words : ndarray, shape (rows + 10,)
        The words of `Layout`, as reordered by shifts.
    rising, falling : ndarray, shape (rows,)
        The differences of neighbouring columns.
    grown : ndarray, shape (rows,)
        The distance at the row's `base` minus that at the `base` of the row above.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout, self.words = layout, layout.words.copy()
        n = len(layout.pair)
        self.rising, self.falling, self.grown = np.full(n, -1), np.zeros(n, np.int64), np.zeros(n, np.int64)

    def take(self, rotated: Rotated, which: IntArray) -> None:
        """Copy the rows of rotated outputs, at most one per pair."""
        n_rows = rotated.n_rows[which]
        step, which = ranges(np.zeros_like(n_rows), n_rows), np.repeat(which, n_rows)
        rows = rotated.first[which] + step
        at = rotated.block[step + 1] + which
        self.rising[rows], self.falling[rows] = rotated.rising[at], rotated.falling[at]
        self.grown[rows] = rotated.grown[at - rotated.block[1]]

    def rotate(self, rotations: Rotations) -> None:
        """Exchange phrases, at most once per output; `take` copies their rows."""
        pair, start, _, end = rotations
        which, step = np.repeat(np.arange(len(pair)), end - start), ranges(np.zeros_like(start), end - start)
        position = (self.layout.row[pair] + start)[which] + step
        self.words[position] = self.words[position + _moves(rotations, which, step)]


class Rotated(NamedTuple):
    """The rows of rotated outputs below the first changed word, step by step; the longest come first.

    Step s of all outputs is in `rising` and `falling` from `block[s]` on; step 0 is the last unchanged row.
    """

    order: IntArray
    distances: IntArray
    first: IntArray
    n_rows: IntArray
    block: IntArray
    rising: IntArray
    falling: IntArray
    grown: IntArray


def rotated_rows(rows: Rows, rotations: Rotations) -> Rotated:
    """Return the rows and the edit distances of rotated outputs."""
    layout = rows.layout
    n_rows = layout.n_rows[rotations.pair] - rotations.start
    order = np.argsort(-n_rows, kind="stable")
    n_rows = n_rows[order]
    rotations = rotations.only(order)
    pair, start = rotations.pair, rotations.start
    n = len(pair)
    at_step = np.searchsorted(-n_rows, -np.arange(n_rows[0]))  # number of outputs with at least that many rows
    block = np.append(0, n + np.append(0, np.cumsum(at_step)))
    step = np.repeat(np.arange(n_rows[0]), at_step)
    which = ranges(np.zeros_like(at_step), at_step)
    last_unchanged = layout.row[pair] + start
    row = last_unchanged[which] + step + 1
    matches = layout.matches(rows.words[row - 1 + _moves(rotations, which, step)], row)
    moved, beyond = layout.moved[row], layout.beyond[row]

    rising, falling = np.empty(block[-1], np.int64), np.empty(block[-1], np.int64)
    rising[:n], falling[:n] = rows.rising[last_unchanged], rows.falling[last_unchanged]
    _fill(rising, falling, block, matches, moved, beyond)

    grown = np.ones(len(row), np.int64)
    moving = np.flatnonzero(moved)
    above = block[step[moving]] + which[moving]
    grown[moving] += _rise(rising[above], falling[above], moved[moving])
    at_base = np.cumsum(rows.grown)
    distances = at_base[last_unchanged] - at_base[layout.row[pair]] + n_rows
    distances += np.bincount(which[moving], grown[moving] - 1, minlength=n).astype(np.int64)
    bottom = block[n_rows] + np.arange(n)
    to_go = layout.n_columns[pair] - layout.base[layout.row[pair] + layout.n_rows[pair]]
    distances += _rise(rising[bottom], falling[bottom], to_go)
    return Rotated(order, distances, last_unchanged + 1, n_rows, block, rising, falling, grown)


def _moves(rotations: Rotations, which: IntArray, step: IntArray) -> IntArray:
    """Return how far to the front the word at `step` of each rotation was moved; negative if to the back."""
    _, start, middle, end = rotations
    swapped = (end - middle)[which]
    return np.where(step < swapped, (middle - start)[which], np.where(step < (end - start)[which], -swapped, 0))


def _rise(rising: IntArray, falling: IntArray, n_columns: IntArray) -> IntArray:
    """Return the increase of the distance over the first columns of a row."""
    bits = ONES[n_columns]
    return np.asarray(np.bitwise_count(rising & bits).astype(np.int64) - np.bitwise_count(falling & bits))


def _fill(
    rising: IntArray, falling: IntArray, block: IntArray, matches: IntArray, moved: IntArray, beyond: IntArray
) -> None:
    """Compute all rows, step by step, each from the one above."""
    n = int(block[1])
    bounds = block.tolist()
    moves = np.logical_or.reduceat(moved > 0, block[1:-1] - n).tolist()
    zeros, down, across = np.empty((3, n), np.int64)
    for step, does_move in enumerate(moves):
        above, low, high = bounds[step], bounds[step + 1], bounds[step + 2]
        k = high - low
        here, up, fall = rising[above : above + k], rising[low:high], falling[low:high]
        fell = falling[above : above + k]
        if does_move:
            by = moved[low - n : high - n]
            here, fell = here >> by, fell >> by
        zero, vertical, carry = zeros[:k], down[:k], across[:k]
        # Where the diagonal costs nothing: a match, or a carry along rising columns.
        np.bitwise_or(matches[low - n : high - n], fell, out=carry)
        np.bitwise_and(carry, here, out=zero)
        zero += here
        zero ^= here
        zero |= carry
        # Where the row exceeds the one above (vertical), and where it is less (carry).
        np.bitwise_or(here, zero, out=vertical)
        np.invert(vertical, out=vertical)
        vertical |= fell
        np.bitwise_and(here, zero, out=carry)
        vertical <<= 1
        vertical |= 1
        carry <<= 1
        np.bitwise_and(vertical, zero, out=fall)
        vertical |= zero
        np.invert(vertical, out=vertical)
        np.bitwise_or(carry, vertical, out=up)
        up |= beyond[low - n : high - n]


class Alignment(NamedTuple):
    """The errors in outputs and references, and the alignment of their words."""

    output_wrong: BoolArray  # shape (rows,): whether each word of the outputs is an error
    reference_wrong: BoolArray  # shape (columns,): whether each word of the references is an error
    # Shape (columns,): number of output words up to and including the one aligned with the word before this column.
    before: IntArray


def aligned(rows: Rows, pairs: IntArray) -> Alignment:
    """Return the alignments of pairs; among edits of equal cost a substitution goes first, then a deletion."""
    layout = rows.layout
    pairs = pairs[np.argsort(-layout.n_rows[pairs], kind="stable")]
    n_rows = layout.n_rows[pairs]
    at_step = np.searchsorted(-n_rows, -np.arange(n_rows[0]))
    step = np.repeat(np.arange(n_rows[0]), at_step)
    which = ranges(np.zeros_like(at_step), at_step)
    row = (layout.row[pairs] + n_rows)[which] - step
    moved, base = layout.moved[row], layout.base[row]
    here, fell = rows.rising[row - 1] >> moved, rows.falling[row - 1] >> moved
    matches = layout.matches(rows.words[row - 1], row)
    zero = matches | fell
    zero |= ((zero & here) + here) ^ here
    diagonal = (matches | ~zero) & layout.may_match[row]
    either = diagonal | ((fell | ~(here | zero)) & ~layout.beyond[row])
    diagonal <<= 1

    left, is_diagonal = np.empty_like(row), np.empty_like(row)  # the column at which the path leaves the row above
    column, low = layout.n_columns[pairs], 0
    for k in at_step.tolist():
        high = low + k
        # Insertions lead to the last column so far with a step from the row above.
        _, n_bits = np.frexp((either[low:high] & ONES[column[:k] - base[low:high]]).astype(np.float64))
        is_diagonal[low:high] = (diagonal[low:high] >> n_bits) & 1
        column = base[low:high] + n_bits - is_diagonal[low:high]
        left[low:high] = column
        low = high

    position = layout.column[pairs][which] + left
    right = (is_diagonal == 1) & (rows.words[row - 1] == layout.reference[position])
    output_wrong = np.zeros(len(layout.words), np.bool_)
    output_wrong[row[~right] - 1] = True
    reference_wrong = np.zeros(len(layout.reference), np.bool_)
    reference_wrong[ranges(layout.column[pairs], layout.n_columns[pairs])] = True
    reference_wrong[position[right]] = False
    inner = left < layout.n_columns[pairs][which]
    n_left = np.cumsum(np.bincount(position[inner] + 1, minlength=len(layout.pair_of_column)))
    return Alignment(output_wrong, reference_wrong, n_left - n_left[layout.column][layout.pair_of_column])
