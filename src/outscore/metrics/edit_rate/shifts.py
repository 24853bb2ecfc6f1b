"""The search for shifts of the translation edit rate: which phrases may move where, and which move is best."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from outscore._types import BoolArray, IntArray
from outscore.metrics.edit_rate.distance import Alignment, Rotations, Rows, aligned, rotated_rows
from outscore.metrics.edit_rate.layout import BEAM, LONGEST, Layout, numbered, ranges

_FARTHEST = 50  # words between a phrase and its match, as in Tercom
_MOST = 1000  # candidates per pair, as in sacreBLEU: a pair with more is not shifted further
_PAIRS_AT_ONCE = 1 << 17
_ROWS_AT_ONCE = 1 << 19
_CELLS_AT_ONCE = 1 << 24  # cells of edit matrices per block


def n_edits(outputs: Sequence[str], references: Sequence[str]) -> IntArray:
    """Return the edits of translation edit rate, shape (n,), of n outputs and references of space-separated words.

    They equal sacreBLEU's `translation_edit_rate`: the shifts of a greedy search (Snover et al. 2006, figure 1), plus
    the edit distance after them. Both are Tercom's, with sacreBLEU's limits.

    Examples
    --------
    >>> n_edits(["on the mat sat the cat", "a b"], ["the cat sat on the mat", ""]).tolist()
    [2, 2]
    """
    distinct = {pair: number for number, pair in enumerate(dict.fromkeys(zip(outputs, references, strict=True)))}
    edits = np.zeros(len(distinct), np.int64)
    words = numbered([text for pair in distinct for text in pair])
    searched = []
    for number, (output, reference) in enumerate(distinct):
        n_rows, n_columns = len(words[2 * number]), len(words[2 * number + 1])
        if n_rows == 0 or n_columns == 0:
            edits[number] = n_rows + n_columns
        elif n_columns / n_rows > 2 * BEAM:
            edits[number] = _of_short_output(output, reference)
        elif output != reference:
            searched.append(number)
    sizes = np.array([len(words[2 * k]) * len(words[2 * k + 1]) for k in searched])
    for block in _blocks(sizes, _CELLS_AT_ONCE):
        batch = searched[block]
        edits[batch] = _searched(Layout.of([words[2 * k] for k in batch], [words[2 * k + 1] for k in batch]))
    return edits[[distinct[pair] for pair in zip(outputs, references, strict=True)]]


def _of_short_output(output: str, reference: str) -> int:
    """Return sacreBLEU's own edits, for a reference so long that the band is wider than a machine word."""
    from sacrebleu.metrics.lib_ter import translation_edit_rate

    return int(translation_edit_rate(output.split(), reference.split())[0])


def _blocks(sizes: IntArray, most: int) -> list[slice]:
    """Return slices of items, each of about `most` in total, or of one item."""
    ends = np.flatnonzero(np.diff(np.cumsum(sizes) // most)) + 1
    bounds = [0, *ends.tolist(), len(sizes)]
    return [slice(*pair) for pair in pairwise(bounds)] if len(sizes) else []


def _searched(layout: Layout) -> IntArray:
    """Return the edits of pairs, shape (n,), after applying the best shift until none reduces the edit distance."""
    n = len(layout.n_rows)
    rows, active, nothing = Rows(layout), np.arange(n), np.zeros(n, np.int64)
    distances = np.zeros(n, np.int64)
    unshifted = Rotations(active, nothing, nothing, nothing)
    for block in _blocks(layout.n_rows, _ROWS_AT_ONCE):
        rotated = rotated_rows(rows, unshifted.only(block))
        rows.take(rotated, np.arange(len(rotated.order)))
        distances[active[block][rotated.order]] = rotated.distances
    n_shifts, n_candidates = np.zeros(n, np.int64), np.zeros(n, np.int64)
    while len(active):
        rotations, ranks = _candidates(rows, active, n_candidates)
        active = _shift(rows, rotations, ranks, distances)
        n_shifts[active] += 1
    return n_shifts + distances


class _Phrases(NamedTuple):
    """Phrases of outputs that match elsewhere in the reference, each array of shape (k,)."""

    pair: IntArray
    start: IntArray
    length: IntArray
    target: IntArray  # index of the first target of the phrase, in a list of the targets of all outputs
    n_targets: IntArray  # number of its targets, which are consecutive in the list


def _candidates(rows: Rows, pairs: IntArray, n_candidates: IntArray) -> tuple[Rotations, IntArray]:
    """Return the distinct shifts to try, and their ranks among shifts of equal gain: 0 goes first.

    Candidates are added to `n_candidates`; pairs with too many get none.
    """
    layout = rows.layout
    alignment = aligned(rows, pairs)
    is_new = np.append(True, np.diff(alignment.before) != 0)
    is_new[layout.column] = True
    targets, n_targets = alignment.before[is_new], np.cumsum(is_new) - 1
    parts = []
    words, keys, n_keys = _near_errors(rows, alignment)
    for block in _blocks(n_keys, _PAIRS_AT_ONCE):
        phrases = _phrases(rows, alignment, n_targets, words[block], keys[block], n_keys[block])
        n_candidates += np.bincount(phrases.pair, phrases.n_targets, len(n_candidates)).astype(np.int64)
        parts.append(phrases)
    if not parts:
        nothing = np.zeros(0, np.int64)
        return Rotations(nothing, nothing, nothing, nothing), nothing
    phrases = _Phrases(*map(np.concatenate, zip(*parts, strict=True)))
    phrases = _Phrases(*(part[n_candidates[phrases.pair] < _MOST] for part in phrases))

    pair, start, length = (np.repeat(part, phrases.n_targets) for part in phrases[:3])
    target = targets[ranges(phrases.target, phrases.n_targets)]
    # A phrase moves before an earlier place, or behind the words up to a later one. Within itself it moves on by as
    # many words as the target is from its start, as in Tercom.
    back, end = target < start, start + length
    ahead = np.where(target > end, target, np.minimum(length + target, layout.n_rows[pair]))
    rotations = Rotations(pair, np.where(back, target, start), np.where(back, start, end), np.where(back, end, ahead))
    return _distinct(layout, rotations, length, start, target)


def _distinct(
    layout: Layout, rotations: Rotations, length: IntArray, start: IntArray, target: IntArray
) -> tuple[Rotations, IntArray]:
    """Return each distinct rotation that changes something, and its rank: longer and earlier phrases go first."""
    order = np.lexsort((target, start, -length))
    order = order[rotations.end[order] > rotations.middle[order]]
    ordered, most = rotations.only(order), int(layout.n_rows.max()) + 1
    position = (layout.row[ordered.pair] + ordered.start) * most + ordered.middle
    key = position * most + ordered.end
    _, first = np.unique(key, return_index=True)
    return ordered.only(first), first


def _near_errors(rows: Rows, alignment: Alignment) -> tuple[IntArray, IntArray, IntArray]:
    """Return the words that an error follows within reach, and their matches in reach: first key and number."""
    layout = rows.layout
    n = len(layout.pair)
    words = np.flatnonzero((rows.words[:n] > 0) & (_to_error(alignment.output_wrong)[:n] < LONGEST))
    pair = layout.pair[words]
    position, last = words - layout.row[pair], layout.n_columns[pair] - 1
    nearest = np.minimum(np.maximum(position - _FARTHEST, 0), last)
    farthest = np.minimum(position + _FARTHEST, last)
    key = rows.words[words] * len(layout.pair_of_column) + layout.column[pair]
    first = np.searchsorted(layout.keys, key + nearest)
    n_keys = np.searchsorted(layout.keys, key + farthest, side="right") - first
    return words, first, n_keys


def _to_error(wrong: BoolArray) -> IntArray:
    """Return the distance from each place to the next error."""
    indices = np.arange(len(wrong))
    after = np.where(wrong, indices, len(wrong) + LONGEST)
    return np.minimum.accumulate(after[::-1])[::-1] - indices


def _phrases(
    rows: Rows, alignment: Alignment, n_targets: IntArray, words: IntArray, keys: IntArray, n_keys: IntArray
) -> _Phrases:
    """Return phrases that start with such words and have an error, as has the matching phrase of the reference."""
    layout = rows.layout
    word = np.repeat(words, n_keys)
    match = layout.keys[ranges(keys, n_keys)] % len(layout.pair_of_column)
    pair = layout.pair[word]
    start = word - layout.row[pair]
    shortest = np.maximum(_to_error(alignment.output_wrong)[word], _to_error(alignment.reference_wrong)[match]) + 1
    # A phrase must not move within itself.
    room = alignment.before[match + 1] - 1 - start
    longest = np.where(room >= 0, np.minimum(room, LONGEST), LONGEST)
    possible = np.flatnonzero(shortest <= longest)
    word, match, pair, start, shortest, longest = (
        part[possible] for part in (word, match, pair, start, shortest, longest)
    )
    length, alike = np.ones_like(word), np.arange(len(word))
    for k in range(1, LONGEST):
        alike = alike[rows.words[word[alike] + k] == layout.reference[match[alike] + k]]
        if len(alike) == 0:
            break
        length[alike] = k + 1
    n_lengths = np.maximum(np.minimum(length, longest) - shortest + 1, 0)
    pair, start, match = (np.repeat(part, n_lengths) for part in (pair, start, match))
    length = ranges(shortest, n_lengths)
    target = n_targets[match]
    return _Phrases(pair, start, length, target, n_targets[match + length] - target + 1)


def _shift(rows: Rows, rotations: Rotations, ranks: IntArray, distances: IntArray) -> IntArray:
    """Apply the shift of each pair that reduces its distance most, if any, and return the shifted pairs."""
    layout = rows.layout
    reached = np.zeros(len(ranks), np.int64)
    blocks = _blocks(layout.n_rows[rotations.pair] - rotations.start, _ROWS_AT_ONCE)
    for block in blocks:
        rotated = rotated_rows(rows, rotations.only(block))
        reached[block][rotated.order] = rotated.distances
    order = np.lexsort((ranks, reached, rotations.pair))
    order = order[np.append(True, np.diff(rotations.pair[order]) != 0)[: len(order)]]
    best = order[reached[order] < distances[rotations.pair[order]]]
    chosen = rotations.only(best)
    if len(blocks) == 1:
        where = np.empty_like(rotated.order)
        where[rotated.order] = np.arange(len(where))
        rows.take(rotated, where[best])
    else:  # the rows of other blocks are not kept
        for block in _blocks(layout.n_rows[chosen.pair], _ROWS_AT_ONCE):
            rotated = rotated_rows(rows, chosen.only(block))
            rows.take(rotated, np.arange(len(rotated.order)))
    rows.rotate(chosen)
    distances[chosen.pair] = reached[best]
    return chosen.pair
