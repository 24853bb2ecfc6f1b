"""What a resampling scheme is: weights on units, and nothing else."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
import numpy.typing as npt

__all__ = ["Scheme", "Weights"]

Weights = npt.NDArray[np.uint8]


class Scheme(ABC):
    """A way of drawing weights for n units.

    Attributes
    ----------
    key : int
        Part of the seed of its streams.
    n_units : int
    """

    key: ClassVar[int]
    n_units: int

    @abstractmethod
    def weights(self, stream: np.random.Generator, count: int) -> Weights:
        """Draw `count` independent weight vectors, shape (count, n_units), small non-negative integers."""
