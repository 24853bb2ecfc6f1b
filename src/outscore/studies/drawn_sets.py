"""Many test sets from one: subsets of it, or draws from it as from a population."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from outscore._types import IntArray
from outscore.strata import members_of, shared_out
from outscore.studies.boards import StudyOptions
from outscore.studies.pair_tests import PairTests
from outscore.studies.systems import StudySystems

__all__ = ["TestSet", "drawn_from", "subsets_of", "tests_on"]

_KEY = 6  # of the random streams of test sets


@dataclass(frozen=True, eq=False)
class TestSet:
    """Units of a test set, and the seed of its resamples."""

    index: IntArray
    seed: int


def subsets_of(n: int, sizes: Sequence[int], count: int, seed: int) -> Iterator[list[TestSet]]:
    """Yield, for each size, `count` random subsets of n units without replacement.

    The t-th subsets of all sizes are beginnings of one permutation, so that sizes are compared on the same items.
    """
    streams = [_stream(seed, t) for t in range(count)]
    orders = [(stream.permutation(n), int(stream.integers(2**32))) for stream in streams]
    for size in sizes:
        yield [TestSet(np.sort(order[:size]), own_seed) for order, own_seed in orders]


def drawn_from(systems: StudySystems, size: int, count: int, seed: int) -> Iterator[TestSet]:
    """Yield test sets of `size` units drawn with replacement: i.i.d. from the units, strata keeping their shares.

    Without replacement a test set of 1,600 of 2,000 items would be nearly the population itself, and tests on it far
    too often right.
    """
    for t in range(count):
        stream = _stream(seed, t)
        if systems.strata is None:
            index = stream.integers(systems.n_units, size=size)
        else:
            members = members_of(systems.strata)
            counts = shared_out(np.array([len(part) for part in members]), size)
            index = np.concatenate([stream.choice(part, size=k) for part, k in zip(members, counts, strict=True)])
        yield TestSet(index, int(stream.integers(2**32)))


def tests_on(
    systems: StudySystems, sets: Iterator[TestSet] | Sequence[TestSet], options: StudyOptions
) -> Iterator[PairTests]:
    """Yield the tests of all pairs on each test set, in order; side by side on threads where there are some."""
    work = partial(_tests, systems, options)
    executor = options.resampling.executor
    if isinstance(executor, ThreadPoolExecutor):
        return executor.map(work, sets)
    return map(work, sets)


def _tests(systems: StudySystems, options: StudyOptions, test_set: TestSet) -> PairTests:
    resampling = replace(options.resampling, seed=test_set.seed, executor=None, progress=None)
    return options.tests(systems.take(test_set.index), resampling, many=True)


def _stream(seed: int, t: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_KEY, t)))
