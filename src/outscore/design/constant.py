"""A baseline that is a constant, such as the score of guessing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from outscore.design.base import Factor


@dataclass(frozen=True)
class Constant(Factor):
    """The constant score of the first system, the baseline, on every item."""

    value: float

    name = "against"

    @property
    def signature(self) -> Mapping[str, str]:
        return {"against": f"{self.value:.12g}"}
