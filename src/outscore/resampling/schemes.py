"""Resampling schemes: weights on units, and the random streams that they are drawn from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache, cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from outscore._types import AnyArray, FloatArray
from outscore.strata import members_of, scales

__all__ = [
    "SHARD",
    "BootstrapScheme",
    "Scheme",
    "SwapScheme",
    "Weights",
    "multinomial_weights",
    "plain_multinomial_weights",
    "shard_stream",
]

Weights = npt.NDArray[np.uint8]
# Resamples are drawn in shards of this many, each from its own stream, so that results are the same to the
# last bit for any block size, order, number of threads and executor.
SHARD = 256
_FEWEST_FOR_TABLE = 64  # below this the plain way is as fast
_WORDS = 2**16
_UNRESOLVED = 0xFFFF
_MARGIN = 3.0  # standard deviations by which the Poisson totals stay below n


class Scheme(ABC):
    """A way of drawing weights for n units.

    Attributes
    ----------
    key : int
        Part of the seed of its streams.
    n_units : int
    scales : tuple of (ndarray, shape (n_units,), float), or None
        What a drawn unit weighs, as multiples over one divisor; None where weights are as drawn. Σ w is at most
        n_units.
    """

    key: ClassVar[int]
    n_units: int
    scales: tuple[FloatArray, float] | None = None

    @abstractmethod
    def weights(self, stream: np.random.Generator, count: int) -> Weights:
        """Draw `count` independent weight vectors, shape (count, n_units), small non-negative integers."""


def shard_stream(seed: int, scheme_key: int, shard: int) -> np.random.Generator:
    """Return the generator of one shard."""
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(scheme_key, shard))))


@dataclass(frozen=True)
class SwapScheme(Scheme):
    """Weights of 0 and 1 with probability ½ each: 1 where the two systems' rows are swapped.

    Parameters
    ----------
    n_units : int
    """

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
    n_units : int
    strata : ndarray of int, shape (n_units,), optional
        Codes of at least two units each.
    whole : bool
        For scores of items that are drawn themselves and cannot weigh n_h/(n_h − 1): as many whole units as each
        stratum has, the last of which is with probability (n_h − 2)/(2n_h − 2) one more draw, else a drawn one again.
        The variance of their sum is that of the n_h − 1 weighted draws.
    """

    n_units: int
    strata: AnyArray | None = None
    whole: bool = False

    key = 1

    @cached_property
    def scales(self) -> tuple[FloatArray, float] | None:  # type: ignore[override]
        return None if self.strata is None or self.whole else scales(self.strata)

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
    """Add one unit to each row of n − 1 draws: one more draw, or one of those drawn, each as often as it was."""
    count, n = drawn.shape
    anew = stream.random(count) < (n - 2) / (2 * n - 2)
    places = stream.integers(0, np.where(anew, n, n - 1))
    again = (np.cumsum(drawn, axis=1, dtype=np.int64) <= places[:, None]).sum(axis=1)
    drawn[np.arange(count), np.where(anew, places, again)] += np.uint8(1)


def plain_multinomial_weights(stream: np.random.Generator, count: int, n: int, draws: int | None = None) -> Weights:
    """Draw multinomial weights by counting n uniform draws, or `draws`: the reference, shape (count, n)."""
    drawn = np.zeros((count, n), dtype=np.uint8)
    picks = stream.integers(0, n, size=(count, n if draws is None else draws), dtype=np.int32)
    np.add.at(drawn, (np.arange(count)[:, None], picks), np.uint8(1))
    return drawn


def multinomial_weights(stream: np.random.Generator, count: int, n: int, draws: int | None = None) -> Weights:
    """Draw weights ~ Multinomial(n; 1/n, …, 1/n) exactly, shape (count, n), at 1 to 2 ns a weight.

    Independent Poisson(λ) counts with λ a little below 1 come in pairs from a table over 16-bit words; then uniform
    draws top each resample up to n, or to `draws`. Given its sum m a vector of Poisson counts is Multinomial(m), and a
    multinomial topped up with uniform draws is multinomial again. Resamples beyond that are drawn anew.
    """
    draws = n if draws is None else draws
    if n < _FEWEST_FOR_TABLE:
        return plain_multinomial_weights(stream, count, n, draws)
    table = _poisson_table(1 - _MARGIN / n**0.5)
    drawn = table.draw(stream, count, n)
    # 16 bits are summed twice as fast, and a Poisson total does not come to four times its mean.
    totals = drawn.sum(axis=1, dtype=np.uint16 if n < 2**14 else np.uint32).astype(np.int64)
    while len(beyond := np.flatnonzero(totals > draws)):
        drawn[beyond] = table.draw(stream, len(beyond), n)
        totals[beyond] = drawn[beyond].sum(axis=1, dtype=np.uint32)
    lacking = draws - totals
    picks = stream.integers(0, n, size=int(lacking.sum()), dtype=np.int32)
    starts = np.repeat(np.arange(count, dtype=np.int64) * n, lacking)
    # A bare 1 would take NumPy's slow path of mixed types.
    np.add.at(drawn.reshape(-1), starts + picks, np.uint8(1))
    return drawn


@dataclass(frozen=True, eq=False)
class _PoissonTable:
    """Pairs of Poisson counts by 16-bit words: as many words a pair as fit, the rest resolved by a second draw.

    A pair of counts is held as two bytes of a 16-bit number.
    """

    pairs: AnyArray
    rest_pairs: AnyArray
    rest_cumulative: FloatArray

    def draw(self, stream: np.random.Generator, rows: int, n: int) -> Weights:
        size = rows * n
        halves = -(-size // 2)
        words = stream.bit_generator.random_raw(-(-halves // 4)).view(np.uint16)[:halves]
        drawn = np.take(self.pairs, words, mode="wrap")
        open_places = np.flatnonzero(drawn == _UNRESOLVED)
        uniform = stream.random(len(open_places))
        drawn[open_places] = self.rest_pairs[np.searchsorted(self.rest_cumulative, uniform, side="right")]
        return drawn.view(np.uint8)[:size].reshape(rows, n)


@cache
def _poisson_table(rate: float) -> _PoissonTable:
    """Split 2¹⁶ words among the pairs of counts in proportion to Poisson(rate) × Poisson(rate), exactly.

    The whole words of a pair go into the table. What is left of all pairs together is a whole number of words:
    such a word is resolved by a draw from the left-overs. Counts above 40 have a probability below 1e-48 and
    are left out.
    """
    counts = np.arange(41)
    log_factorials = np.concatenate([[0.0], np.cumsum(np.log(counts[1:]))])
    single = np.exp(counts * np.log(rate) - log_factorials)
    single /= single.sum()
    words = np.multiply.outer(single, single).ravel() * _WORDS
    pairs = np.add.outer(counts * 256, counts).ravel().astype(np.uint16)
    whole = np.floor(words).astype(np.int64)
    table = np.full(_WORDS, _UNRESOLVED, dtype=np.uint16)
    table[: whole.sum()] = np.repeat(pairs, whole)
    rest = words - whole
    cumulative = np.cumsum(rest / rest.sum())
    cumulative[-1] = 1.0
    return _PoissonTable(table, pairs, cumulative)
