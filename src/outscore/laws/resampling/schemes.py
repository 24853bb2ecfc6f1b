"""Resampling schemes: weights of units, and the random streams from which they are drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import ceil, frexp, ldexp
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.data.strata import members_of, scales
from outscore.laws.resampling.words import poisson_fours

Weights = npt.NDArray[np.uint8]
# Samples are drawn in shards of so many, each from its own stream, so that results are bit-identical for any block
# size, order, number of threads and executor. Bootstrap shards of few units are larger, because a call of NumPy
# costs as much as a thousand weights.
SHARD = 256
LARGEST_SHARD = 2048
_WEIGHTS_OF_SHARD = 2**20
# Shards of very many units are smaller, because their weights are held several times while they are drawn. Below eight
# samples the calls of NumPy would cost more than memory for some 40 bytes per unit.
_MOST_WEIGHTS, _SMALLEST_SHARD = 2**21, 8
_FEWEST_FOR_TABLE = 16  # units: below this a table costs more than it saves
_MARGIN = 1.3  # standard deviations by which Poisson totals stay below the number of draws, on average
_SPARE = 9  # one extra vector per this many is drawn, to replace those that are left out


class Scheme(ABC):
    """A way of drawing weights for n units.

    Attributes
    ----------
    key : int
        Part of the seed of its streams.
    shard : int
        Number of samples from one stream.
    scales : tuple of (ndarray, shape (n_units,), float), or None
        Weights of a drawn unit, as multiples over one divisor; None if they are 1. Σ w is at most n_units.
    """

    key: ClassVar[int]
    n_units: int
    shard: int = SHARD
    scales: tuple[FloatArray, float] | None = None

    @abstractmethod
    def weights(self, stream: np.random.Generator, count: int) -> Weights:
        """Draw `count` independent weight vectors, shape (count, n_units), small non-negative integers."""


def shard_of(columns: int) -> int:
    """Return the best number of vectors of `columns` weights to draw from one stream, a power of two."""
    columns = max(columns, 1)
    most = min(max(_WEIGHTS_OF_SHARD // columns, SHARD), LARGEST_SHARD)
    most = min(most, max(_MOST_WEIGHTS // columns, _SMALLEST_SHARD))
    return 1 << most.bit_length() - 1


def shard_stream(seed: int, scheme_key: int, shard: int) -> np.random.Generator:
    """Return the generator of one shard."""
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(scheme_key, shard))))


@dataclass(frozen=True)
class SwapScheme(Scheme):
    """Weights of 0 and 1 with probability ½ each: 1 where the two systems' rows are swapped."""

    n_units: int

    key = 2

    def weights(self, stream: np.random.Generator, count: int) -> Weights:
        size = count * self.n_units
        words = stream.bit_generator.random_raw(-(-size // 64)).view(np.uint8)
        return np.unpackbits(words, count=size).reshape(count, self.n_units)


@dataclass(frozen=True, eq=False)
class BootstrapScheme(Scheme):
    """Weights ~ Multinomial(n; 1/n, …, 1/n); with strata Multinomial(n_h − 1; 1/n_h, …), × n_h/(n_h − 1), in each.

    Parameters
    ----------
    strata : ndarray of int, shape (n_units,), optional
        Codes of at least two units each.
    whole : bool
        For items that are drawn themselves and cannot have the weight n_h/(n_h − 1): each stratum has as many whole
        units as before. The last one is another draw with probability (n_h − 2)/(2n_h − 2), else one of those already
        drawn. The variance of their sum is that of the n_h − 1 weighted draws.
    shared : bool
        Whether other products need the same draws. If not, the engine may draw distinct rows instead, if that is
        faster: the distribution of the totals is the same.
    """

    n_units: int
    strata: AnyArray | None = None
    whole: bool = False
    shared: bool = True

    key = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "shard", shard_of(self.n_units))
        if self.strata is not None and not self.whole:
            object.__setattr__(self, "scales", scales(self.strata))

    def weights(self, stream: np.random.Generator, count: int) -> Weights:
        if self.strata is None:
            return multinomial_weights(stream, count, self.n_units)
        drawn = np.empty((count, self.n_units), dtype=np.uint8)
        for members in members_of(self.strata):
            n = len(members)
            part = multinomial_weights(stream, count, n, n - 1)
            if self.whole:
                _add_last(part, stream)
            drawn[:, members] = part
        return drawn


def _add_last(drawn: Weights, stream: np.random.Generator) -> None:
    """Add one unit to each row of n − 1 draws: another draw, or a random one of those drawn."""
    count, n = drawn.shape
    anew = stream.random(count) < (n - 2) / (2 * n - 2)
    places = stream.integers(0, np.where(anew, n, n - 1))
    again = (np.cumsum(drawn, axis=1, dtype=np.int64) <= places[:, None]).sum(axis=1)
    drawn[np.arange(count), np.where(anew, places, again)] += np.uint8(1)


def plain_multinomial_weights(stream: np.random.Generator, count: int, n: int, draws: int | None = None) -> Weights:
    """Draw multinomial weights by counting uniform draws, n or `draws`: the reference, shape (count, n)."""
    drawn = np.zeros((count, n), dtype=np.uint8)
    picks = stream.integers(0, n, size=(count, n if draws is None else draws), dtype=np.int32)
    np.add.at(drawn, (np.arange(count)[:, None], picks), np.uint8(1))
    return drawn


def multinomial_weights(stream: np.random.Generator, count: int, n: int, draws: int | None = None) -> Weights:
    """Draw weights ~ Multinomial(n; 1/n, …, 1/n) exactly, shape (count, n), at about 1 ns per weight.

    Independent Poisson(λ) counts with λ a little below 1 are drawn in fours by 16-bit words; see `topped_up`.
    """
    draws = n if draws is None else draws
    if n < _FEWEST_FOR_TABLE:
        return plain_multinomial_weights(stream, count, n, draws)
    rate = poisson_rate(n, draws)
    counts = partial(poisson_counts, stream, rate, n)
    return topped_up(count, draws, counts, partial(uniform_picks, stream, n))


def poisson_counts(stream: np.random.Generator, rate: float, n: int, rows: int) -> Weights:
    """Draw independent Poisson counts, shape (rows, n)."""
    size = rows * n
    return poisson_fours(rate).draw(stream, -(-size // 4)).view(np.uint8)[:size].reshape(rows, n)


def poisson_rate(n: int, draws: int) -> float:
    """Return λ, so far below draws/n that the sum of n Poisson(λ) counts exceeds `draws` about one time in ten.

    1 − λ is one of four fractions per octave, so that many different n share few tables.
    """
    part, exponent = frexp(1 - (draws - _MARGIN * draws**0.5) / n)
    return 1 - ldexp(ceil(8 * part) / 8, exponent)


def topped_up(
    count: int,
    draws: int,
    counts: Callable[[int], Weights],
    picks: Callable[[int], AnyArray],
) -> Weights:
    """Turn independent Poisson counts into multinomial ones of `draws` each, shape (count, columns).

    Given its sum m a vector of Poisson counts is Multinomial(m), and a multinomial plus single draws is multinomial
    again. Vectors with a sum above `draws` are left out and replaced by the next ones.

    Parameters
    ----------
    counts : callable
        Draws vectors of counts, shape (b, columns).
    picks : callable
        Draws columns with probabilities proportional to their mean counts.
    """
    # 16 bits are summed twice as fast, and no total reaches four times its mean.
    totalled = partial(np.add.reduce, axis=1, dtype=np.uint16 if draws < 2**14 else np.uint32)
    drawn = counts(count + count // _SPARE + 1)
    totals = totalled(drawn).astype(np.int64)
    while len(within := np.flatnonzero(totals <= draws)) < count:
        lacking = count - len(within)
        more = counts(lacking + lacking // _SPARE + 1)
        totals = np.concatenate([totals[within], totalled(more).astype(np.int64)])
        drawn = np.concatenate([drawn[within], more])
    # The replacements among the first depend only on totals, and so do the single draws.
    gaps = np.flatnonzero(totals[:count] > draws)
    spare = within[count - len(gaps) : count]
    drawn[gaps], totals[gaps] = drawn[spare], totals[spare]
    drawn, lack = drawn[:count], draws - totals[:count]
    places = np.repeat(np.arange(count, dtype=np.int64) * drawn.shape[1], lack)
    places += picks(len(places))
    # A Python int would use NumPy's slow path of mixed types.
    np.add.at(drawn.reshape(-1), places, np.uint8(1))
    return drawn


def uniform_picks(stream: np.random.Generator, n: int, size: int) -> IntArray:
    """Draw uniformly from 0 … n − 1, shape (size,), in the narrowest dtype, which is fastest."""
    return np.asarray(stream.integers(0, n, size=size, dtype=np.uint16 if n <= 2**16 else np.uint32))
