"""Which items a training set is drawn from: a function of seed, size and number alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from outscore.errors import OptionError, Problem
from outscore.numbers import format_count

__all__ = ["Draw", "planned_draws"]

_KEY = 0x7265706C  # sets these streams apart from those of the schemes
_WORD = 32


@dataclass(frozen=True)
class Draw:
    """A training set to draw.

    Attributes
    ----------
    size : float
        The share of the whole set, in (0, 1].
    n_items : int
        Items drawn, with replacement.
    replicate : int
        From 1.
    seed : int
    """

    size: float
    n_items: int
    replicate: int
    seed: int

    def indices(self, n: int) -> npt.NDArray[np.int64]:
        """Return `n_items` independent draws from 0 to n − 1, each equally likely.

        They depend on the seed, `n_items`, `replicate` and n alone: not on the trainer, other sizes or the order of
        runs. Two trainers get the same training sets, so that they can be compared on them. Only raw words of
        the generator are used, which NumPy keeps the same in all versions; they are brought into range by multiplying
        and shifting, and the few that would make some items likelier are drawn again (Lemire 2019, algorithm 5).
        """
        words = np.random.Philox(np.random.SeedSequence(self.seed, spawn_key=(_KEY, self.n_items, self.replicate)))
        mask, factor = np.uint64(2**_WORD - 1), np.uint64(n)
        threshold = np.uint64(2**_WORD % n)
        products = (words.random_raw(self.n_items) >> np.uint64(_WORD)) * factor
        while len(unfair := np.flatnonzero((products & mask) < threshold)):
            products[unfair] = (words.random_raw(len(unfair)) >> np.uint64(_WORD)) * factor
        return (products >> np.uint64(_WORD)).astype(np.int64)

    @property
    def trainer_seed(self) -> int:
        """A seed for the trainer itself, in [0, 2³¹), different from run to run."""
        spawned = np.random.SeedSequence(self.seed, spawn_key=(_KEY, self.n_items, self.replicate, 1))
        return int(spawned.generate_state(1)[0] >> 1)


def planned_draws(n: int, sizes: Sequence[float], replicates: int, seed: int) -> Sequence[Draw]:
    """Return the draws of all sizes, by size as given, then by number.

    Sizes are shares in (0, 1]; a share of more than the whole would only repeat items. Half items are rounded to even.
    """
    if seed < 0:
        raise OptionError(Problem("--seed", f"expected 0 or more, got {seed}", "", "out-of-range"))
    if replicates < 1:
        raise OptionError(Problem("--replicates", f"expected at least 1, got {replicates}", "", "out-of-range"))
    if not sizes:
        raise OptionError(Problem("--sizes", "expected a size", "Pass --sizes 1.0,0.5 for example.", "out-of-range"))
    drawn: dict[int, float] = {}
    for size in sizes:
        if not (math.isfinite(size) and 0 < size <= 1):
            what = f"expected shares of the training set above 0 and at most 1, got {size!r}"
            raise OptionError(Problem("--sizes", what, "Half of it is 0.5.", "out-of-range"))
        n_items = round(size * n)
        if n_items == 0:
            what = f"{size!r} of {format_count(n)} items is less than one item"
            raise OptionError(Problem("--sizes", what, "Give a larger size.", "out-of-range"))
        if n_items in drawn:
            what = f"{drawn[n_items]!r} and {size!r} both draw {format_count(n_items)} items"
            raise OptionError(Problem("--sizes", what, "Leave one out.", "duplicate-size"))
        drawn[n_items] = size
    return [
        Draw(size, n_items, replicate, seed)
        for n_items, size in drawn.items()
        for replicate in range(1, replicates + 1)
    ]
