"""N-grams shared by outputs and references, counted in arrays for many texts at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from outscore._types import AnyArray, IntArray

END = 0  # after each text of a reference
FOREIGN = 1  # after each output, and for each of its tokens that is in no reference
FIRST = 2  # number of the first token of the references
_BLOCK = 1 << 15  # tokens sorted at once: few enough for the processor's cache
_WORD = 64  # bits


@dataclass(frozen=True)
class Tokens:
    """The tokens of n texts as numbers: one text after the other, each followed by END or FOREIGN."""

    numbers: AnyArray  # shape (t + n,): equal numbers for equal tokens
    ends: IntArray  # shape (n,): position at which each text ends

    @property
    def lengths(self) -> IntArray:
        """The number of tokens of each text, shape (n,)."""
        return np.asarray(np.diff(self.ends, prepend=-1) - 1)

    def part(self, first: int, last: int) -> AnyArray:
        """Return the numbers of the texts from `first` up to and excluding `last`."""
        begin = 0 if first == 0 else int(self.ends[first - 1]) + 1
        return self.numbers[begin : int(self.ends[last - 1]) + 1]


def ngrams(lengths: IntArray, longest: int) -> IntArray:
    """Return the numbers of n-grams of texts of these lengths, shape (n,) to (n, N), for each order up to `longest`."""
    return np.asarray(np.maximum(lengths[:, None] - np.arange(longest), 0))


def shared_ngrams(outputs: Tokens, references: Sequence[Tokens], longest: int, *, clipped: bool = False) -> IntArray:
    """Return the number of n-grams of up to `longest` = N tokens that each output shares with each of its R references.

    The count of an n-gram is the smaller of its counts in both texts; the shape is (R, n, N). A text without tokens
    stands for a missing reference. With `clipped`, all references count together, R = 1: the count of an n-gram is the
    smaller of that in the output and the largest one in a reference.

    All n-grams of a block of texts are sorted at once, for all orders: the tokens of the longest are the digits of one
    number, below that of the text, so that n-grams with a common beginning are adjacent. N-grams that include an end
    are never shared, because outputs and references have different ends.
    """
    n = len(outputs.ends)
    shared = np.zeros((1 if clipped else len(references), n, longest), dtype=np.int64)
    if longest == 0:
        return shared
    texts = [outputs, *references]
    most = max(int(tokens.numbers.max()) for tokens in texts)
    sizes = np.array([tokens.lengths + 1 for tokens in texts])
    for first, last in _blocks(sizes.sum(axis=0)):
        parts = [tokens.part(first, last) for tokens in texts]
        numbers, bits = np.concatenate(parts), most.bit_length()
        if not _fits(last - first, bits * longest, len(references)):
            numbers, bits = _renumbered(numbers, len(parts[0]), most)
        block = _Block(numbers.astype(np.uint64), bits, sizes[:, first:last], clipped=clipped)
        block.count(shared[:, first:last])
    return shared


def _blocks(sizes: IntArray) -> Iterator[tuple[int, int]]:
    """Yield (first, last + 1) of blocks of texts with few tokens in total, at least one text per block."""
    before = np.concatenate([[0], np.cumsum(sizes)])
    first = 0
    while first < len(sizes):
        last = max(first + 1, int(np.searchsorted(before, before[first] + _BLOCK, side="right")) - 1)
        yield first, last
        first = last


def _fits(n_heads: int, bits: int, n_references: int) -> bool:
    return (n_heads - 1).bit_length() + bits + n_references.bit_length() <= _WORD


def _renumbered(numbers: AnyArray, n_output: int, most: int) -> tuple[AnyArray, int]:
    """Return smaller numbers for the tokens of this block's references, and the bits of the largest."""
    table = np.full(most + 1, FOREIGN)
    present = np.zeros(most + 1, dtype=np.bool_)
    present[numbers[n_output:]] = True
    distinct = np.flatnonzero(present)
    table[distinct] = np.arange(FOREIGN, FOREIGN + len(distinct))
    table[END] = END
    return table[numbers], len(distinct).bit_length()


class _Block:
    """The tokens of some outputs, followed by those of each of their references.

    The largest digit has `bits` bits. `sizes`, shape (1 + R, m), are the numbers of digits of each text.
    """

    def __init__(self, digits: AnyArray, bits: int, sizes: IntArray, *, clipped: bool) -> None:
        n_sources, n_texts = sizes.shape
        self._digits, self._bits, self._clipped = digits, bits, clipped
        self._texts = np.repeat(np.tile(np.arange(n_texts, dtype=np.uint64), n_sources), sizes.ravel())
        self._sources = np.repeat(np.arange(n_sources, dtype=np.uint64), sizes.sum(axis=1))
        self._source_bits = (n_sources - 1).bit_length()
        self._sizes = sizes
        self._begins = np.cumsum(sizes.sum(axis=0)) - sizes.sum(axis=0)  # of each text in the sorted array

    def count(self, shared: IntArray) -> None:
        """Write the numbers of shared n-grams into `shared`, shape (R, m, N)."""
        longest = shared.shape[-1]
        # If an n-gram does not fit into a word, its first tokens are sorted and replaced by their rank.
        heads, n_heads, done = self._texts, self._sizes.shape[1], 0
        while done < longest:
            room = _WORD - self._source_bits - (n_heads - 1).bit_length()
            orders = min(longest - done, room // self._bits)
            keys = self._keys(heads, done, orders)
            order = None if done + orders == longest else np.argsort(keys)
            if order is None:
                keys.sort()
            else:
                keys = keys[order]
            sources = keys & np.uint64((1 << self._source_bits) - 1)
            keys >>= np.uint64(self._source_bits)
            ends = self._count_sorted(keys, sources, orders, shared[..., done : done + orders])
            done += orders
            if order is not None:
                heads, n_heads = np.empty_like(keys), len(ends)
                heads[order] = np.repeat(np.arange(n_heads, dtype=np.uint64), np.diff(ends, prepend=-1))

    def _keys(self, heads: AnyArray, skipped: int, orders: int) -> AnyArray:
        """Return head, the tokens after the skipped ones, and source, of each place, as digits of one number."""
        length, bits = len(self._digits), np.uint64(self._bits)
        padded = np.zeros(length + orders, dtype=np.uint64)
        padded[: max(length - skipped, 0)] = self._digits[skipped:]
        keys = heads << bits
        keys |= padded[:length]
        for position in range(1, orders):
            keys <<= bits
            keys |= padded[position : length + position]
        keys <<= np.uint64(self._source_bits)
        keys |= self._sources
        return keys

    def _count_sorted(self, keys: AnyArray, sources: AnyArray, orders: int, shared: IntArray) -> IntArray:
        """Count the shared n-grams by sorted keys; return where each of the longest n-grams ends in them."""
        changes = keys[1:] ^ keys[:-1]
        in_source = [sources == source for source in range(len(self._sizes))]
        if self._clipped and len(in_source) > 2:
            so_far = [np.cumsum(flags, dtype=np.int32) for flags in in_source]
        else:
            in_output = in_source[0].astype(np.int8)
            so_far = [np.cumsum(in_output - flags, dtype=np.int32) for flags in in_source[1:]]
        for order in range(orders):
            below = self._bits * (orders - 1 - order)
            ends = np.append(np.flatnonzero(changes >= np.uint64(1 << below)), len(keys) - 1)
            first = np.searchsorted(ends, self._begins)
            counts = [np.diff(totals[ends], prepend=np.int32(0)) for totals in so_far]
            if self._clipped and len(in_source) > 2:
                both = np.minimum(counts[0], np.maximum.reduce(counts[1:]))
                shared[0, :, order] = np.add.reduceat(both, first)
            else:
                # The smaller of two counts is half of their sum minus their difference.
                for reference, difference in enumerate(counts):
                    differences = np.add.reduceat(np.abs(difference), first)
                    sums = self._sizes[0] + self._sizes[1 + reference]
                    shared[reference, :, order] = (sums - differences) // 2
        return ends
