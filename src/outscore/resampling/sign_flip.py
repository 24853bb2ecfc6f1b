"""Randomization weights: which units are swapped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from outscore.resampling.base import Scheme, Weights

__all__ = ["SwapScheme"]


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
