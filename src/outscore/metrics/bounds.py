"""Options that say between which numbers the scores of items lie."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from outscore._types import FloatArray
from outscore.errors import OptionError, Problem
from outscore.metrics.base import Fault

__all__ = ["Bounded"]


@dataclass(frozen=True, kw_only=True)
class Bounded:
    """What metrics of columns share whose range only their users know.

    Parameters
    ----------
    lowest, highest : float, optional
        The lowest and the highest score that an item can have. Claims with a margin need both: without them losses
        that were not seen are not bounded.
    """

    lowest: float | None = None
    highest: float | None = None

    name: ClassVar[str]

    def __post_init__(self) -> None:
        for option, value in (("lowest", self.lowest), ("highest", self.highest)):
            if value is not None and not math.isfinite(value):
                what = f"{self.name}:{option} expected a finite number, got {value:g}"
                raise OptionError(Problem("--metric", what, "Leave out what has no bound.", "bad-metric-option"))
        if self.lowest is not None and self.highest is not None and not self.lowest < self.highest:
            what = f"{self.name}:lowest expected a number below highest={self.highest:g}, got {self.lowest:g}"
            raise OptionError(Problem("--metric", what, "", "bad-metric-option"))

    @property
    def score_range(self) -> tuple[float, float] | None:
        """The lowest and the highest score of an item; None where neither is known."""
        if self.lowest is None and self.highest is None:
            return None
        return (
            -math.inf if self.lowest is None else self.lowest,
            math.inf if self.highest is None else self.highest,
        )

    def out_of_range(self, scores: FloatArray, column: int | None = None) -> Iterator[Fault]:
        """Yield the items whose scores, shape (n,), are not between the lowest and the highest."""
        low, high = self.score_range or (-math.inf, math.inf)
        for i in np.flatnonzero((scores < low) | (scores > high)):
            bounds = " and ".join(
                f"{word} {bound:g}" for word, bound in (("at least", low), ("at most", high)) if math.isfinite(bound)
            )
            yield Fault(
                int(i),
                f"expected a score of {bounds}, as the metric says, got {scores[i]:g}",
                "Mend the score, or the range.",
                "out-of-range",
                column=column,
            )
