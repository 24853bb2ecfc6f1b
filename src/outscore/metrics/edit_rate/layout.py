"""Pairs of an output and a reference as flat arrays: words, bands of edit matrices, windows of matching words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from outscore._types import IntArray

BEAM = 25  # columns on either side of the diagonal, as in Tercom
LONGEST = 10  # words in a shifted phrase, as in Tercom
ONES = np.array([(1 << n) - 1 for n in range(63)])  # the lowest n bits

_STEP = 14  # columns from one window of matches to the next: a row needs 50 of 63 bits, which leaves 13
_PADDING = 5  # windows
_MOST_WINDOWS = 1 << 22


@dataclass(frozen=True)
class Layout:
    """Pairs of an output and a reference, one after the other.

    An output of n words has n + 1 places, before, between and after its words, one per row of its edit matrix. The
    word at a place is the next word. Columns of references are laid out in the same way. In the bits of a row, bit k
    is column `base` + 1 + k.
    """

    # Both of shape (n,): the words of outputs and references.
    n_rows: IntArray
    n_columns: IntArray
    # Both of shape (n,): the first place of each.
    row: IntArray
    column: IntArray
    pair: IntArray  # shape (rows,): the pair of each row
    pair_of_column: IntArray  # shape (columns,): the pair of each column
    words: IntArray  # shape (rows + 10,): the words of the outputs: 0 if not in the reference, −1 after the last one
    # Shape (columns + 10,): the words of the references, numbered from 1, different in every pair; −2 after the last
    # one.
    reference: IntArray
    keys: IntArray  # shape (words,): word and column of every word in references, as word · columns + column, sorted
    base: IntArray  # shape (rows,): the column at which the row's band starts, or the one before it
    moved: IntArray  # shape (rows,): number of columns by which `base` exceeds that of the row above
    may_match: IntArray  # shape (rows,): the bits of columns in which a word may be matched or substituted
    beyond: IntArray  # shape (rows,): the bits of columns behind the band
    _windows: _Windows
    _window_of_row: IntArray
    _bit_of_row: IntArray

    @classmethod
    def of(cls, outputs: Sequence[IntArray], references: Sequence[IntArray]) -> Self:
        """Return the layout of n ≥ 1 outputs and references of at least one word each."""
        n_rows, row, pair, words = _placed(outputs)
        n_columns, column, pair_of_column, reference = _placed(references)
        is_word = reference >= 0
        # Words of different pairs have different numbers.
        vocabulary = 1 + max(int(words.max()), int(reference.max()))
        inside = np.flatnonzero(is_word)
        keys, numbers = np.unique(pair_of_column[inside] * vocabulary + reference[inside], return_inverse=True)
        in_outputs = np.flatnonzero(words >= 0)
        wanted = pair[in_outputs] * vocabulary + words[in_outputs]
        position = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        words[in_outputs] = np.where(keys[position] == wanted, position + 1, 0)
        reference[inside] = numbers + 1
        reference[~is_word] = -2

        base, moved, may_match, beyond = _bands(n_rows, n_columns, row, pair)
        windows = _Windows.of(inside - column[pair_of_column[inside]], numbers, keys // vocabulary, n_columns)
        return cls(
            n_rows,
            n_columns,
            row,
            column,
            pair,
            pair_of_column,
            padded(words, -1),
            padded(reference, -2),
            np.sort((numbers + 1) * len(reference) + inside),
            base,
            moved,
            may_match,
            beyond,
            windows,
            base // _STEP,
            base % _STEP,
        )

    def matches(self, words: IntArray, rows: IntArray) -> IntArray:
        """Return the bits of the columns that match the given word, for each of the given rows."""
        windows = self._windows.look_up(words, self._window_of_row[rows])
        windows >>= self._bit_of_row[rows]
        windows &= self.may_match[rows]
        return windows


def numbered(texts: Sequence[str]) -> list[IntArray]:
    """Return the words of each text as numbers, the same for the same word."""
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    return [np.array([numbers[word] for word in text.split()], dtype=np.int64) for text in texts]


def ranges(starts: IntArray, lengths: IntArray) -> IntArray:
    """Return consecutive whole numbers from each start, `lengths` of them, one range after the other."""
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + lengths, lengths)


def padded(array: IntArray, value: int) -> IntArray:
    """Return an array padded so that it can be read beyond its end."""
    return np.append(array, np.full(LONGEST, value))


def _placed(texts: Sequence[IntArray]) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return the lengths of texts, their first places, and the pair and word of every place, −1 after the last one."""
    lengths = np.array([len(text) for text in texts])
    first = np.append(0, np.cumsum(lengths + 1)[:-1])
    end = np.array([-1])
    words = np.concatenate([part for text in texts for part in (text, end)])
    return lengths, first, np.repeat(np.arange(len(texts)), lengths + 1), words


def _bands(
    n_rows: IntArray, n_columns: IntArray, row: IntArray, pair: IntArray
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return `base`, `moved`, `may_match` and `beyond` of every row, as defined in `Layout`.

    The band of row i has the columns from ⌊i · ratio⌋ − 25 up to and without ⌊i · ratio⌋ + 25. The first row has all
    columns, and the last row has all from the start of its band.
    """
    i = np.arange(len(pair)) - row[pair]
    diagonal = np.floor(i * (n_columns / n_rows)[pair]).astype(np.int64)
    last = n_columns[pair]
    low = np.maximum(diagonal - BEAM, 0)
    high = np.minimum(diagonal + BEAM - 1, last)
    high[row] = n_columns
    high[row + n_rows] = n_columns
    above_low, above_high = np.append(0, low[:-1]), np.append(0, high[:-1])
    base = low - (low > above_low)
    base[row] = 0
    moved = base - np.append(0, base[:-1])
    moved[row] = 0
    # A step down the diagonal must come from inside the band of the row above.
    n_may_match = np.minimum(above_high + 1, high) - base
    n_may_match[row] = 0
    n_inside = high - base
    n_inside[row] = 0
    return base, moved, ONES[n_may_match], ~ONES[n_inside]


@dataclass(frozen=True)
class _Windows:
    """The columns of each word: bit k of window w is column 14w + k. The first word, 0, is in no reference."""

    first_window: IntArray  # shape (words,): the number of each word's first window
    values: IntArray  # the windows
    numbers: IntArray | None = None  # their numbers, sorted. All others are empty. By default no window is left out.

    @classmethod
    def of(cls, column: IntArray, word: IntArray, pair_of_word: IntArray, n_columns: IntArray) -> Self:
        """Return the windows of the words of references, given each word's column, number and pair."""
        n_windows = np.append(n_columns.max(), n_columns[pair_of_word]) // _STEP + _PADDING
        ends = np.cumsum(n_windows)
        first_window = ends - n_windows
        last, bit = first_window[word + 1] + column // _STEP, column % _STEP
        if ends[-1] <= _MOST_WINDOWS:
            numbers, values = None, np.zeros(ends[-1], dtype=np.int64)
        else:
            numbers = np.unique(last[:, None] - np.arange(_PADDING))
            values = np.zeros(len(numbers), dtype=np.int64)
        for k in range(_PADDING):  # windows overlap
            inside = bit + _STEP * k < 63
            number = last[inside] - k
            where = number if numbers is None else np.searchsorted(numbers, number)
            np.add.at(values, where, 1 << (bit[inside] + _STEP * k))
        return cls(first_window, values, numbers)

    def look_up(self, words: IntArray, windows: IntArray) -> IntArray:
        """Return the given windows of words, counted from the first one of each."""
        number = self.first_window[words] + windows
        if self.numbers is None:
            return np.asarray(self.values[number])
        position = np.minimum(np.searchsorted(self.numbers, number), len(self.numbers) - 1)
        return np.where(self.numbers[position] == number, self.values[position], 0)
