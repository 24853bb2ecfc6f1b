"""Human labels of some items, and a judge's labels of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from outscore._types import IntArray
from outscore.data.rows import Rows
from outscore.design.base import Factor
from outscore.results import PredictionPowered
from outscore.text.numbers import format_count


@dataclass(frozen=True)
class Labelled(Factor):
    """Which items have human labels, as far as the score depends on it: λ and the numbers of labels.

    Attributes
    ----------
    powered : PredictionPowered
    remarks : tuple of str
        Warnings about the labels.
    """

    powered: PredictionPowered
    remarks: tuple[str, ...] = ()

    name = "human"

    @property
    def signature(self) -> Mapping[str, str]:
        labels = f"{self.powered.n_labelled}+{self.powered.n_unlabelled}"
        return {"labels": labels, "lambda": f"{self.powered.lambda_:.12g}"}

    def over(self, systems: Sequence[Rows]) -> str | None:
        del systems
        human, judge = self.powered.n_labelled, self.powered.n_labelled + self.powered.n_unlabelled
        return f"prediction-powered with {format_count(human)} human and {format_count(judge)} judge labels"

    def take(self, index: IntArray) -> None:
        del index
