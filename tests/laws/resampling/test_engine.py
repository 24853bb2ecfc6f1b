"""Replicates depend on the seed, the scheme and the resample alone, to the last bit."""

from __future__ import annotations

import math
import multiprocessing
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore._types import AnyArray, FloatArray
from tests.laws.kit import (
    SHARD,
    BootstrapScheme,
    Engine,
    Scheme,
    SwapScheme,
    distinct_columns,
    exactly_summable,
    shard_stream,
)
from tests.laws.resampling.plain import plain_replicates

RNG = np.random.default_rng(0)
N = 150
ROWS: dict[str, FloatArray] = {
    "whole": RNG.integers(0, 50, (N, 4)).astype(float),
    "large whole": RNG.integers(0, 10**9, (N, 2)).astype(float),
    "real": RNG.normal(size=(N, 3)),
    "of all sizes": RNG.standard_cauchy((N, 3)) * [1e-9, 1.0, 1e12],
    "repeated columns": RNG.normal(size=(N, 1)) * np.ones(3),
    "mixed": np.column_stack([RNG.normal(size=N), np.ones(N), np.zeros(N)]),
}
SCHEMES: dict[str, Scheme] = {
    "bootstrap": BootstrapScheme(N),
    "strata": BootstrapScheme(N, np.arange(N) % 2),
    "unequal strata": BootstrapScheme(N, np.repeat([0, 1, 2, 3, 4, 5, 6], [2, 7, 14, 20, 32, 36, 39])),
    "swaps": SwapScheme(N),
}


def totals(sums: FloatArray) -> FloatArray:
    return sums


def ratio(sums: FloatArray) -> FloatArray:
    return np.asarray(sums[:, :1] / (1 + np.abs(sums[:, 1:2])))


class Backwards(Executor):
    """Runs everything at once, the last first."""

    def map(
        self, fn: Callable[..., Any], *iterables: Any, timeout: float | None = None, chunksize: int = 1
    ) -> Iterator[Any]:
        del timeout, chunksize
        results = [fn(*arguments) for arguments in reversed(list(zip(*iterables, strict=True)))]
        return iter(results[::-1])

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        raise NotImplementedError


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_replicates_are_those_of_the_plain_reference(scheme: str, rows: str) -> None:
    found = Engine(5).replicates(SCHEMES[scheme], ROWS[rows], totals, 60)
    np.testing.assert_array_equal(found, plain_replicates(5, SCHEMES[scheme], ROWS[rows], totals, 60))


@pytest.mark.parametrize("rows", ["whole", "real", "of all sizes"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_neither_blocks_nor_executors_nor_their_order_matter(scheme: str, rows: str) -> None:
    r = 20 * SHARD + 17  # two tasks
    expected = Engine(5).replicates(SCHEMES[scheme], ROWS[rows], ratio, r)
    assert expected.shape == (r, 1)
    for block_cells in (1, N, 7 * N, 10**9):
        found = Engine(5, block_cells=block_cells).replicates(SCHEMES[scheme], ROWS[rows], ratio, r)
        np.testing.assert_array_equal(found, expected)
    with ThreadPoolExecutor(3) as threads:
        for executor in (threads, Backwards()):
            found = Engine(5, executor=executor).replicates(SCHEMES[scheme], ROWS[rows], ratio, r)
            np.testing.assert_array_equal(found, expected)


def test_processes_give_the_same_too() -> None:
    r = 17 * SHARD
    expected = Engine(5).replicates(SCHEMES["bootstrap"], ROWS["real"], ratio, r)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as processes:
        found = Engine(5, executor=processes).replicates(SCHEMES["bootstrap"], ROWS["real"], ratio, r)
    np.testing.assert_array_equal(found, expected)


class Sending(Executor):
    """Sends tasks as bytes to three workers, as processes get them, and counts the bytes."""

    _max_workers = 3

    def __init__(self) -> None:
        self.sent: list[int] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        task = pickle.dumps((fn, args, kwargs))
        self.sent.append(len(task))
        fn, args, kwargs = pickle.loads(task)
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@pytest.mark.parametrize("n_shards", [5, 600])
def test_rows_travel_to_processes_once_a_task_and_tasks_are_few(n_shards: int) -> None:
    rows = np.random.default_rng(3).normal(size=(40, 6))
    executor, told = Sending(), []
    engine = Engine(5, executor, lambda done, of: told.append((done, of)))
    found = engine.replicates(BootstrapScheme(40), rows, ratio, n_shards * SHARD)
    np.testing.assert_array_equal(found, Engine(5).replicates(BootstrapScheme(40), rows, ratio, n_shards * SHARD))
    assert len(executor.sent) == len(told) == {5: 1, 600: 11}[n_shards]
    assert told[-1] == (n_shards * SHARD, n_shards * SHARD)
    assert max(executor.sent) < 1.05 * rows.nbytes + 1500
    recomputed = Sending()
    Engine(5, recomputed).recomputed(BootstrapScheme(40), np.asarray, 30 * SHARD)
    assert len(recomputed.sent) == 10


def test_parts_of_a_shard_are_recomputed_apart_and_as_one() -> None:
    scheme, r = BootstrapScheme(40), 20 * SHARD + 17
    assert scheme.shard > SHARD
    weights = Engine(5).recomputed(scheme, np.asarray, r)
    sizes: list[int] = []

    def told(drawn: AnyArray) -> AnyArray:
        sizes.append(len(drawn))
        return drawn

    np.testing.assert_array_equal(Engine(5, Backwards()).recomputed(scheme, told, r), weights)
    assert sorted(sizes) == [17, *[SHARD] * 20]
    rows = np.random.default_rng(3).integers(0, 9, (40, 3)).astype(float)
    np.testing.assert_array_equal(weights @ rows, Engine(5).replicates(scheme, rows, totals, r))


@pytest.mark.parametrize("n", [1, 63, 64, 500, 700, 2000, 10**6, 2**20 + 1, 10**7])
def test_shards_hold_one_or_two_million_weights_or_are_of_8_or_2048(n: int) -> None:
    shard = BootstrapScheme(n).shard
    assert shard in (8, 16, 32, 64, 128, 256, 512, 1024, 2048)
    assert shard == 8 or shard * n <= (2**20 if shard > 256 else 2**21)
    assert shard == 2048 or 2 * shard * n > 2**20


@pytest.mark.parametrize("columns", [1, 13, 32, 33])
@pytest.mark.parametrize("n", [1501, 2500])
def test_products_of_several_parts_and_blocks_are_exact(n: int, columns: int) -> None:
    rows = np.random.default_rng(n).integers(0, 99, (n, columns)).astype(float)
    r = 300
    scheme = BootstrapScheme(n)
    expected = Engine(5).recomputed(scheme, np.asarray, r) @ rows
    for block_cells in (2**19, 2**17, 2**10):
        found = Engine(5, block_cells=block_cells).replicates(scheme, rows, totals, r)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_fewer_resamples_are_the_first_of_more(scheme: str) -> None:
    more = Engine(1).replicates(SCHEMES[scheme], ROWS["real"], totals, 1000)
    for fewer in (1, 255, 256, 257, 300):
        np.testing.assert_array_equal(Engine(1).replicates(SCHEMES[scheme], ROWS["real"], totals, fewer), more[:fewer])


def test_seeds_differ_and_0_is_one_of_them() -> None:
    drawn = [Engine(seed).replicates(SCHEMES["bootstrap"], ROWS["real"], totals, 50) for seed in (0, 0, 1, 2**40)]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert not np.isin(drawn[0], drawn[2]).any()
    assert not np.isin(drawn[0], drawn[3]).any()


def test_streams_of_schemes_and_shards_differ() -> None:
    words = {
        tuple(shard_stream(seed, key, shard).bit_generator.random_raw(4).tolist())
        for seed in (0, 1)
        for key in (1, 2)
        for shard in (0, 1, 2)
    }
    assert len(words) == 12


def test_no_shard_repeats_another() -> None:
    drawn = Engine(3).replicates(SCHEMES["bootstrap"], ROWS["real"], totals, 5 * SHARD)[:, 0]
    assert len(np.unique(drawn)) == len(drawn)


def test_random_numbers_of_others_are_left_alone() -> None:
    before = np.random.get_state()  # noqa: NPY002
    Engine(5).replicates(SCHEMES["bootstrap"], ROWS["real"], totals, 300)
    after = np.random.get_state()  # noqa: NPY002
    assert all(np.array_equal(one, other) for one, other in zip(before, after, strict=True))


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_sums_are_exact_and_rounding_is_what_adding_would_lose(scheme: str, rows: str) -> None:
    given = ROWS[rows]
    held = exactly_summable(SCHEMES[scheme], given).astype(np.float64)
    bound = np.abs(given).max(axis=0) * N
    assert (np.abs(held - given) <= 2.0**-52 * bound).all()
    weights = SCHEMES[scheme].weights(shard_stream(0, 1, 0), 20).astype(float)
    expected = [[math.fsum(row * column) for column in held.T] for row in weights]
    shuffled = np.random.default_rng(1).permutation(N)
    np.testing.assert_array_equal(weights[:, shuffled] @ held[shuffled], expected)


@pytest.mark.parametrize(
    ("largest", "kind"), [(111_848, np.float32), (111_849, np.float64), (1e9, np.float64), (0.5, np.float64)]
)
def test_whole_numbers_are_held_in_the_narrowest_type_that_is_exact(largest: float, kind: type) -> None:
    rows = np.full((N, 1), largest)
    held = exactly_summable(SCHEMES["bootstrap"], rows)
    assert held.dtype == kind
    assert (held == rows).all()


@pytest.mark.parametrize("size", [1e-320, 1e-300, 1e300])
def test_the_smallest_and_largest_scores_do_no_harm(size: float) -> None:
    with np.errstate(all="raise", under="ignore"):
        found = Engine(5).replicates(SCHEMES["swaps"], np.full((N, 1), size), totals, 10)
    assert np.isfinite(found).all()
    assert (found > 0).all()


def test_progress_is_told_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    r = 40 * SHARD + 3
    Engine(0, progress=lambda done, of: told.append((done, of))).replicates(SCHEMES["swaps"], ROWS["whole"], totals, r)
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert told[-1] == (r, r)


@given(st.integers(0, 10**6), st.booleans())
def test_totals_follow_from_distinct_columns(seed: int, whole: bool) -> None:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 5, (7, 3))
    counts = [np.maximum(lengths - order, 0) for order in range(4)]
    rows = np.column_stack([*counts, lengths[:, :1], -lengths, rng.integers(0, 9, (7, 2))]).astype(np.float64)
    rows = rows[:, rng.permutation(rows.shape[1])] if seed % 2 else rows
    if not whole:
        rows[:, ::3] += 0.1
    found = distinct_columns(rows)
    assert found.columns.shape[1] <= np.unique(rows, axis=1).shape[1]
    weights = rng.integers(0, 4, (5, 7)).astype(np.float64)
    assert found.totals((weights @ found.columns).T) == pytest.approx((weights @ rows).T, abs=1e-12)


def test_what_systems_share_is_summed_once() -> None:
    rng = np.random.default_rng(1)
    words = rng.integers(4, 30, (40, 6)).astype(np.float64)
    rows = np.column_stack([np.column_stack([words[:, s], words[:, s] - 1, words[:, s] - 2]) for s in range(6)])
    assert distinct_columns(rows).columns.shape == (40, 7)
