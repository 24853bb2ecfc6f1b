"""Discrete distributions by random words: almost every 16-bit word is looked up, the few others are resolved exactly.

2ᵇ words are divided among the values of a distribution in proportion to their probabilities. A value with 3.7 words
gets three in the table. The remainders of all values add up to a whole number of words. Such a word is resolved by one
draw of 53 bits from the distribution of the remainders.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import fsum
from typing import TypeAlias

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray

Law: TypeAlias = tuple[AnyArray, FloatArray]  # values and their probabilities

_WORD = 16
_FRACTION = 53  # bits of the draw that resolves a word
_THE_ONLY = np.zeros(1, dtype=np.uint16)
_LEAST = 1e-40  # smaller probabilities have no place in a table: a draw of 53 bits cannot resolve them


@dataclass(frozen=True, eq=False)
class WordLaws:
    """One or more distributions over 2ᵇ words each, side by side.

    Attributes
    ----------
    bits : int
        b, at most 16.
    values : ndarray, shape (laws · 2ᵇ,)
        By word.
    resolved : ndarray of uint16, shape (laws,)
        Number of words with a value; those from there on are left over.
    rest : WordLaws or Fractions
        The distributions of the remainders.
    """

    bits: int
    values: AnyArray
    resolved: AnyArray
    rest: WordLaws | Fractions

    @classmethod
    def of(cls, laws: Sequence[Law], bits: int, *bits_of_rest: int) -> WordLaws:
        """Return tables with words in proportion to the probabilities of each distribution, which add up to 1.

        The remainders have tables of their own if there are `bits_of_rest`.
        """
        tables, resolved, rests = [], [], []
        for values, chances in laws:
            words = chances * 2**bits
            whole = np.floor(words).astype(np.int64)
            if whole.sum() == 2**bits:  # so that there is always a remainder
                whole[np.argmax(whole)] -= 1
            resolved.append(whole.sum())
            tables.append(np.resize(np.repeat(values, whole), 2**bits))
            rest = words - whole
            rests.append((values, rest / rest.sum()))
        if bits_of_rest:
            return cls(bits, np.concatenate(tables), np.array(resolved, dtype=np.uint16), cls.of(rests, *bits_of_rest))
        ends = [np.cumsum(rest) for _, rest in rests]
        shares = [np.rint(end / end[-1] * 2.0**_FRACTION).astype(np.uint64) for end in ends]
        # All distributions are one ascending array: the index of a distribution is in the bits above its fractions, and
        # one search serves them all.
        above = [part + np.uint64(law << _FRACTION) for law, part in enumerate(shares)]
        fractions = Fractions(np.concatenate([values for values, _ in rests]), np.concatenate(above))
        return cls(bits, np.concatenate(tables), np.array(resolved, dtype=np.uint16), fractions)

    def draw(self, stream: np.random.Generator, size: int, laws: AnyArray = _THE_ONLY) -> AnyArray:
        """Draw independently from the distributions in turn, repeatedly, shape (size,).

        `size` is a multiple of the number of distributions in turn. `laws` are their indices, by default the only one.
        """
        columns = len(laws)
        words = stream.bit_generator.random_raw(-(-size // 4)).view(np.uint16)[:size]
        words = words.reshape(size // max(columns, 1), columns)
        if self.bits < _WORD:
            words >>= np.uint16(_WORD - self.bits)
        places = np.flatnonzero(words >= self.resolved[laws])
        if len(self.resolved) > 1:
            words += laws << np.uint16(self.bits)
        # No word is beyond the table, and this mode checks least.
        values = np.take(self.values, words.reshape(-1), mode="wrap")
        in_turn = laws if columns == 1 else laws[places % columns]
        values[places] = self.rest.draw(stream, len(places), in_turn)
        return values


@dataclass(frozen=True, eq=False)
class Fractions:
    """One or more distributions by fractions of 53 bits, side by side.

    Attributes
    ----------
    values : ndarray
        Values of all distributions, one after the other.
    ends : ndarray of uint64
        Cumulative probabilities in 2⁻⁵³, those of each distribution above those of the one before.
    """

    values: AnyArray
    ends: AnyArray

    def draw(self, stream: np.random.Generator, size: int, laws: AnyArray = _THE_ONLY) -> AnyArray:
        """Draw like `WordLaws`, from one distribution or as many as numbers."""
        fractions = stream.bit_generator.random_raw(size) >> np.uint64(64 - _FRACTION)
        fractions += laws.astype(np.uint64) << np.uint64(_FRACTION)
        return np.asarray(self.values[np.searchsorted(self.ends, fractions, side="right")])


def _poisson(mean: float) -> FloatArray:
    """Return the probabilities of the counts 0, 1, … under Poisson(mean), except very small ones.

    Only additions, products and quotients are used, which are bit-identical on every machine.
    """
    chances = [1.0]
    while len(chances) < mean or chances[-1] > _LEAST:
        chances.append(chances[-1] * mean / len(chances))
    law = np.array(chances) / fsum(chances)
    return law[: np.flatnonzero(law > _LEAST)[-1] + 1]


@lru_cache(maxsize=32)
def poisson_fours(rate: float) -> WordLaws:
    """Return the distribution of four independent Poisson(rate) counts, each a byte of a 32-bit number; about 3 MB.

    Fours with a probability below 10⁻⁴⁰ are left out.
    """
    chances = _poisson(rate)
    values = np.arange(len(chances), dtype=np.uint32)
    for bits in (8, 16):  # two counts side by side, and two of these
        # Likely values first: a search then looks at few places, which stay in the cache.
        order = np.argsort(-chances, kind="stable")
        values, chances = values[order], chances[order]
        both = np.multiply.outer(chances, chances)
        likely = both > _LEAST
        values, chances = np.add.outer(values << np.uint32(bits), values)[likely], both[likely]
    return WordLaws.of([(values, chances)], _WORD, _WORD - 2)


@cache
def _poisson_single(mean: float) -> Law:
    chances = _poisson(mean)
    return np.arange(len(chances), dtype=np.uint8), chances


def poisson_singles(rate: float, sizes: IntArray) -> WordLaws:
    """Return the distributions of Poisson(rate · size) counts, up to 64 sizes of at most 64, with tables of 64 KB."""
    bits = _WORD - (len(sizes) - 1).bit_length()
    return WordLaws.of([_poisson_single(rate * size) for size in sizes.tolist()], bits, bits)
