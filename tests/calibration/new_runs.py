"""Equally good systems with several runs, on items or clusters of unequal sizes: the default test of new runs.

Runs are drawn with the items: a result is meant to hold for new runs on new items.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from zlib import crc32

import numpy as np

import outscore
from outscore.results import Alternative
from tests.calibration.populations import NUMBERS, sizes_of
from tests.calibration.runs import Procedures
from tests.calibration.sets import FloatArray
from tests.significance.kit import NORMAL_KURTOSIS, Leverage, Spread, combined, joined, skew_p_values


@dataclass(frozen=True, eq=False)
class RunSets:
    """Data sets of two systems, run by run.

    Attributes
    ----------
    systems : sequence of ndarray, shape (sets, m, n)
        What each unit adds to the numerator of each run's score.
    sizes : ndarray, shape (n,) or (sets, n)
    paired : bool
        Whether run r of both systems shares its draw.
    """

    systems: Sequence[FloatArray]
    sizes: FloatArray
    paired: bool = False

    @property
    def gains(self) -> FloatArray:
        one, other = (sums.mean(axis=1).sum(axis=-1) / self.sizes.sum(axis=-1) for sums in self.systems)
        return np.asarray(other - one)

    def spread(self) -> Spread:
        """Return what units and runs tell of each gain."""
        if self.sizes.ndim == 1:
            return _spread(self._drawn, self.sizes)
        each = zip(*self._drawn, self.sizes, strict=True)
        return joined([_spread(systems, sizes) for *systems, sizes in each])

    @property
    def _drawn(self) -> Sequence[FloatArray]:
        """The runs that are drawn on their own: those of each system, or the differences of paired ones."""
        return [self.systems[1] - self.systems[0]] if self.paired else self.systems

    def p_values(self) -> FloatArray:
        """Return the two-sided p-values of the default test, shape (sets,)."""
        spread = self.spread()
        t = self.gains / np.sqrt(spread.variance)
        return skew_p_values(t, spread, Alternative.TWO_SIDED)

    def problem(self, place: int) -> str | None:
        """Return how the public call differs on one data set, or None."""
        sizes = np.broadcast_to(self.sizes, self.systems[0].shape[::2])[place]
        rows = [
            np.stack([np.column_stack([sums[place, run], sizes]) for run in range(sums.shape[1])], axis=1)
            for sums in self.systems
        ]
        found = outscore.compare(*rows, metric="ratio", runs="random", pair_runs=self.paired, n_resamples=99)
        ours, theirs = float(self.p_values()[place]), found.comparisons[0].tests[0].p_value
        # Some are drawn in single precision, and outscore reads such numbers as the shortest decimals that print them.
        return None if abs(ours - theirs) <= 1e-6 * theirs else f"p = {ours!r}, by outscore.compare {theirs!r}"


def _spread(systems: Sequence[FloatArray], sizes: FloatArray) -> Spread:
    """Return the spread of gains over new units and new runs of each, given shapes (..., m, n) and (n,)."""
    leverage, whole = Leverage(sizes), sizes.sum()
    means, parts = [], []
    for sums in systems:
        m = sums.shape[-2]
        scores = sums.sum(axis=-1) / whole
        influences = leverage.influences((sums - scores[..., None] * sizes) / (whole - sizes))
        means.append(influences.mean(axis=-2))
        between = scores.var(axis=-1, ddof=1) / m
        rest = np.asarray(leverage.spread(influences - means[-1][..., None, :]).variance)
        interaction = rest.sum(axis=-1) / (m * (m - 1))
        beyond = np.atleast_1d(np.maximum(between - max(0.0, (m - 3) / (m - 1)) * interaction, 0.0))
        skewness, effective, degrees = (np.full_like(beyond, of) for of in (0.0, m / NORMAL_KURTOSIS, m - 1.0))
        parts.append(Spread(np.sqrt(beyond), skewness, effective, degrees, np.zeros(len(beyond), dtype=bool)))
    units = means[0] if len(means) == 1 else means[1] - means[0]
    return combined([joined([leverage.spread(units)]), *parts])


def cluster_runs(kind: str, n: int, ratio: float, count: int, *, m: int = 5, seed: int = 0) -> Iterator[RunSets]:
    """Draw normal scores on clusters of items, with an intraclass correlation of 0.3.

    Parameters
    ----------
    kind : str
        Of `sizes_of`.
    n : int
        Clusters.
    ratio : float
        The variance that one run of each system adds to the gain, over that of the items of one run.
    count : int
    m : int
        Runs per system.
    seed : int
    """
    most = max(NUMBERS // (n * m), 1)
    for start in range(0, count, most):
        rng = np.random.default_rng([seed, n, start, int(10 * ratio), crc32(kind.encode())])
        shape = (min(most, count - start), n)
        sizes = sizes_of(kind, rng, shape)
        whole = sizes.sum(axis=1)
        spread = np.sqrt(ratio * ((sizes**2).sum(axis=1) * 0.6 + whole * 1.4)) / whole

        def system(rng: np.random.Generator, sizes: FloatArray, spread: FloatArray) -> FloatArray:
            sets, n = sizes.shape
            own = sqrt(0.3) * sizes * rng.normal(size=sizes.shape) + np.sqrt(0.35 * sizes) * rng.normal(
                size=sizes.shape
            )
            each = np.sqrt(0.35 * sizes)[:, None] * rng.normal(size=(sets, m, n))
            runs = spread[:, None] * rng.normal(size=(sets, m))
            return np.asarray(own[:, None] + each + sizes[:, None] * runs[..., None])

        systems = [system(rng, sizes, spread) for _ in range(2)]
        yield RunSets(systems, sizes[0] if bool((sizes == sizes[:1]).all()) else sizes)


def item_rows(
    kind: str,
    n: int,
    rng: np.random.Generator,
    *,
    systems: int = 2,
    m: int = 5,
    ratio: float = 0.0,
    binary: bool = False,
) -> tuple[list[FloatArray], list[str]]:
    """Return scores of each system, shape (items, runs), and the cluster of each item, for public calls."""
    sizes = sizes_of(kind, rng, (1, n))[0].astype(int)
    codes = np.repeat(np.arange(n), sizes)
    items = len(codes)
    spread = sqrt(ratio * ((sizes**2.0).sum() * 0.6 + items * 1.4)) / items
    drawn = []
    for _ in range(systems):
        own = sqrt(0.3) * rng.normal(size=n)[codes] + sqrt(0.35) * rng.normal(size=items)
        scores = own[:, None] + sqrt(0.35) * rng.normal(size=(items, m)) + spread * rng.normal(size=m)
        drawn.append((scores > 0).astype(float) if binary else scores)
    return drawn, [f"c{code}" for code in codes]


def of_procedures(procedures: Procedures, count: int, *, paired: bool = False, seed: int = 0) -> Iterator[RunSets]:
    """Draw data sets of items and runs of `tests.calibration.runs`."""
    for systems in procedures.batches(count, seed):
        yield RunSets([scores.swapaxes(1, 2) for scores in systems], np.ones(procedures.n), paired)
