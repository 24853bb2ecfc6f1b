"""What a resampling scheme is: weights on units, and nothing else."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from outscore._types import FloatArray

__all__ = ["Scheme", "Weights"]

Weights = npt.NDArray[np.uint8]


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
