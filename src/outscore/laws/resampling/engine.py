"""The engine: weights @ rows, shard by shard.

The rows of all systems are side by side, so that one product per block gives the totals of all systems from the same
draws (BK12, footnote 5). Columns whose totals follow from others are left out. Memory is bounded by the block, whatever
the number of samples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.laws.executors import mapped, task_size
from outscore.laws.resampling.groups import grouped
from outscore.laws.resampling.schemes import SHARD, BootstrapScheme, Scheme, Weights, shard_stream

if TYPE_CHECKING:
    from concurrent.futures import Executor

Statistic = Callable[[FloatArray], FloatArray]
WeightStatistic = Callable[[Weights], FloatArray]
Progress = Callable[[int, int], None]

_BLOCK_CELLS = 2**19  # weights in one block
_BLOCK_HEIGHT = 64  # minimum number of samples in one block
# Products below this many operations stay in one thread of the linear algebra library. With few columns more threads
# cost more than they save, especially on a busy machine. With more columns, products are large enough for several
# threads.
_ONE_THREAD_PRODUCT = 2**19
_FEW_COLUMNS = 32
_ONE_BY_ONE = 2  # columns: products of matrices and vectors are three times as fast as those of such narrow matrices
_TOGETHER_OF_FEW_COLUMNS = 2048  # samples per call: fewer calls cost less, and threads wait for each other's
_TOGETHER = 256  # samples per call with many columns, whose statistics may be very large
_RESAMPLES_PER_TASK = 4096  # keeps the overhead of an executor small


@dataclass(frozen=True, eq=False)
class DistinctColumns:
    """Distinct columns, and the mapping from their totals to those of all columns."""

    columns: AnyArray  # each column once, shape (n, distinct)
    codes: IntArray  # the distinct column of each column: itself or its difference from the one before
    differing: list[IntArray]  # columns that are differences, in the order in which they can be completed

    def totals(self, distinct: FloatArray) -> FloatArray:
        """Return the totals of all columns, shape (all, b), from those of the distinct ones, shape (distinct, b)."""
        totals = distinct[self.codes]
        for columns in self.differing:
            totals[columns] += totals[columns - 1]
        return totals


def distinct_columns(rows: FloatArray) -> DistinctColumns:
    """Return the columns of rows without repetition, shape (n, all) to (n, distinct) at most.

    A column that another system also has is summed once, such as the length of a shared reference. So is a column of
    whole numbers whose difference from its neighbour repeats: in every system's output, a segment has one bigram fewer
    than words. Totals of whole numbers are exact, so results do not depend on how they are computed.
    """
    from hashlib import blake2b  # not needed if distributions are exact

    rows = np.ascontiguousarray(rows.T) + 0.0  # adding 0 turns −0 into 0
    # Columns are compared by digests: copies would take the memory of all rows again.
    keys = [blake2b(row.tobytes(), digest_size=16).digest() for row in rows]
    whole = (rows == np.rint(rows)).all(axis=1)
    steps = [b""] + [
        blake2b((row - before).tobytes(), digest_size=16).digest() if both_whole else b""
        for row, before, both_whole in zip(rows[1:], rows[:-1], whole[1:] & whole[:-1], strict=True)
    ]
    times, times_of_steps = Counter(keys), Counter(steps)
    differs = [
        bool(step) and times[key] == 1 and (step in times or times_of_steps[step] > 1)
        for key, step in zip(keys, steps, strict=True)
    ]
    depth = np.zeros(len(rows), dtype=np.int64)
    places: dict[bytes, int] = {}
    firsts: list[FloatArray] = []
    codes = []
    for j, differing in enumerate(differs):
        if differing:
            depth[j] = depth[j - 1] + 1
        codes.append(places.setdefault(steps[j] if differing else keys[j], len(places)))
        if len(places) > len(firsts):
            firsts.append(rows[j] - rows[j - 1] if differing else rows[j])
    distinct = np.array(firsts).reshape(len(firsts), rows.shape[1]).T
    levels = [np.flatnonzero(depth == level) for level in range(1, int(depth.max(initial=0)) + 1)]
    return DistinctColumns(distinct, np.array(codes, dtype=np.int64), levels)


@dataclass(frozen=True)
class Engine:
    """Draws samples of a statistic of weighted totals.

    Parameters
    ----------
    seed : int
        Non-negative; 0 is a seed like any other.
    executor : concurrent.futures.Executor, optional
        Computes shards; by default this thread. Results do not depend on it.
    progress : callable, optional
        Called with the number of samples done and their total.
    block_cells : int
        Number of weights multiplied at once. Results do not depend on it.
    """

    seed: int
    executor: Executor | None = None
    progress: Progress | None = None
    block_cells: int = _BLOCK_CELLS

    def replicates(self, scheme: Scheme, rows: FloatArray, statistic: Statistic, n_resamples: int) -> FloatArray:
        """Return the statistic of the totals of r samples, shape (r, m), given one row per unit.

        The statistic maps totals, shape (b, columns), to values, shape (b, m), row by row. It must be picklable if the
        executor needs that.
        """
        return np.concatenate(list(self.batches(scheme, rows, statistic, n_resamples)))

    def batches(
        self,
        scheme: Scheme,
        rows: FloatArray,
        statistic: Callable[..., FloatArray],
        n_resamples: int,
    ) -> Iterator[FloatArray]:
        """Yield what `replicates` returns, in order, a few thousand samples at a time.

        A statistic that returns one line for many samples, such as counts of them, gives one line per call.
        """
        distinct = distinct_columns(rows)
        # Totals are divided by the common divisor of the weights.
        weighed = distinct.columns if scheme.scales is None else distinct.columns * scheme.scales[0][:, None]
        columns = exactly_summable(scheme, weighed)
        # If no other product needs the draws, they can be those of the distinct rows.
        if isinstance(scheme, BootstrapScheme) and not scheme.shared and scheme.strata is None:
            groups = grouped(rows)
            if groups is not None:
                scheme, columns = groups[0], columns[groups[1]]
        summable = replace(distinct, columns=np.ascontiguousarray(columns))
        work = partial(_run_shards, self.seed, scheme, summable, statistic, self.block_cells, n_resamples)
        return self._in_tasks(work, scheme.shard, n_resamples, max(1, _RESAMPLES_PER_TASK // scheme.shard))

    def recomputed(self, scheme: Scheme, statistic: WeightStatistic, n_resamples: int) -> FloatArray:
        """Return a statistic of the weights themselves, shape (r, m), for statistics that totals do not determine.

        It maps weights, shape (b, n_units), to values, shape (b, m), row by row. The samples are those of `replicates`.
        """
        work = partial(_recompute_parts, self.seed, scheme, statistic, n_resamples)
        # A statistic of weights is slow: a large shard is drawn by several tasks, each for its part.
        return np.concatenate(list(self._in_tasks(work, SHARD, n_resamples, 1)))

    def _in_tasks(
        self, work: Callable[..., FloatArray], shard: int, n_resamples: int, fewest: int
    ) -> Iterator[FloatArray]:
        """Yield the results of work on so many shards at a time; rows it does not need are freed by then."""
        n_shards = -(-n_resamples // shard)
        step = fewest if self.executor is None else task_size(self.executor, n_shards, fewest)
        starts = range(0, n_shards, step)
        stops = [min(start + step, n_shards) for start in starts]
        for stop, part in zip(stops, mapped(self.executor, work, starts, stops), strict=True):
            yield part
            if self.progress is not None:
                self.progress(min(stop * shard, n_resamples), n_resamples)


def exactly_summable(scheme: Scheme, rows: FloatArray) -> AnyArray:
    """Return the rows with a dtype and on a grid for which all weighted totals are exact.

    Exact sums do not depend on their order, so results are bit-identical for any block size, number of threads and
    linear algebra library. Whole numbers are unchanged, as float32 if totals stay below 2²⁴. Other columns are rounded
    to multiples of a power of two, 2⁻⁵² of the largest possible total: about the rounding error of sums in double
    precision.
    """
    bound = np.abs(rows).max(axis=0, initial=0.0) * scheme.n_units  # weights add up to at most n_units
    whole = (rows == np.rint(rows)).all(axis=0)
    if whole.all() and bound.max(initial=0.0) < 2**24:
        return rows.astype(np.float32)
    # The largest possible total then has 52 bits above the grid: all partial sums are doubles without rounding.
    exponents = np.maximum(np.frexp(bound)[1] - 52, -1074)  # there is no smaller power of two
    grid = np.where(whole & (exponents <= 0), 1.0, np.ldexp(1.0, exponents))
    return np.rint(rows / grid) * grid


def _run_shards(
    seed: int,
    scheme: Scheme,
    distinct: DistinctColumns,
    statistic: Callable[..., FloatArray],
    block_cells: int,
    n_resamples: int,
    first: int,
    last: int,
) -> FloatArray:
    values: list[FloatArray] = []
    product = _Product(distinct.columns, scheme.shard, block_cells)
    divisor = 1.0 if scheme.scales is None else scheme.scales[1]
    together = _TOGETHER_OF_FEW_COLUMNS if distinct.columns.shape[1] <= _FEW_COLUMNS else _TOGETHER
    at_once = max(1, together // scheme.shard)
    for start in range(first, last, at_once):
        parts = []
        for shard in range(start, min(start + at_once, last)):
            # A shard is drawn whole even if its end is not needed: its draws must not depend on r.
            drawn = scheme.weights(shard_stream(seed, scheme.key, shard), scheme.shard)
            parts.append(product.columns(drawn[: n_resamples - shard * scheme.shard]))
        totals = np.concatenate(parts, axis=1)
        if divisor != 1:
            totals /= divisor
        # Columns are contiguous in memory, because statistics work on whole columns.
        tops = range(0, totals.shape[1], together)
        values += [statistic(distinct.totals(totals[:, top : top + together]).T) for top in tops]
    return np.concatenate(values)


def _recompute_parts(
    seed: int, scheme: Scheme, statistic: WeightStatistic, n_resamples: int, first: int, last: int
) -> FloatArray:
    values: list[FloatArray] = []
    for shard in range(first * SHARD // scheme.shard, -(-last * SHARD // scheme.shard)):
        drawn, start = scheme.weights(shard_stream(seed, scheme.key, shard), scheme.shard), shard * scheme.shard
        end = min(last * SHARD, n_resamples) - start
        tops = range(max(0, first * SHARD - start), min(end, scheme.shard), SHARD)
        values += [statistic(drawn[top : min(top + SHARD, end)]) for top in tops]
    return np.concatenate(values)


class _Product:
    """Products of weights and rows, block by block in the same memory; sums are exact in any order."""

    def __init__(self, rows: AnyArray, shard: int, block_cells: int) -> None:
        n, columns = rows.shape
        # A block has so many weights that it stays in the cache with its part of the rows, and is high enough for a
        # fast product.
        strips = -(-shard // max(_BLOCK_HEIGHT, block_cells // n))
        height = -(-shard // strips)
        blocks = -(-n // max(1, block_cells // height))
        width = -(-n // blocks)
        # The parts of a block are multiplied one by one within one call.
        operations = height * width * columns
        parts = max(1, -(-operations // _ONE_THREAD_PRODUCT)) if columns <= _FEW_COLUMNS else 1
        width = -(-width // parts) * parts
        self._columns, self._parts = columns, parts
        # Products at once: all columns, or one after the other.
        at_once = 1 if columns <= _ONE_BY_ONE else columns
        self._rows = np.zeros((columns // at_once, blocks, parts, width // parts, at_once), dtype=rows.dtype)
        for index, some in enumerate(np.split(rows, columns // at_once, axis=1)):
            self._rows[index].reshape(-1, at_once)[:n] = some
        self._block = np.zeros((height, width), dtype=rows.dtype)

    def columns(self, weights: Weights) -> FloatArray:
        """Return (weights @ rows)ᵀ, shape (columns, count)."""
        totals = np.zeros((self._columns, len(weights)))
        height, width = self._block.shape
        for top in range(0, len(weights), height):
            strip = weights[top : top + height]
            block = self._block[: len(strip)]
            factors = block.reshape(len(strip), self._parts, -1).swapaxes(0, 1)
            for part in range(self._rows.shape[1]):
                drawn = strip[:, part * width : (part + 1) * width]
                # Weights are drawn as bytes, and converted block by block into the same memory: all of them as floats
                # would take eight times as much. Columns beyond the last unit meet rows of 0.
                block[:, : drawn.shape[1]] = drawn
                sums = [np.add.reduce(np.matmul(factors, rows[part])).T for rows in self._rows]
                totals[:, top : top + height] += np.concatenate(sums)
        return totals
