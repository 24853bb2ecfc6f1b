"""The example of docs/extending.md: a metric of one's own, and its test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import outscore
from outscore.testing import check_metric


@dataclass(frozen=True)
class LengthError(outscore.RatioMetric, outscore.OutputMetric[str, str]):
    """Words too many or too few, per word of the references."""

    tolerance: int = 0  # an option: -m length-error:tolerance=2

    name = "length-error"
    statistics = ("words off", "reference words")
    shared_statistics = ("reference words",)
    numerator, denominator = (1.0, 0.0), (0.0, 1.0)
    higher_is_better = False
    output_type = reference_type = str
    citation = "its formula"

    def rows(self, outputs: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
        lengths = [(len(a.split()), len(b.split())) for a, b in zip(outputs, references, strict=True)]
        return np.array([(max(abs(a - b) - self.tolerance, 0), b) for a, b in lengths], dtype=np.float64)


def test_length_error() -> None:
    outputs, references = ["a b c", "", "a b"], ["a b", "a", "b a"]
    check_metric(LengthError(), outputs, references, corpus_score=2 / 5, perfect=references)
    check_metric(LengthError(tolerance=1), outputs, references, corpus_score=0.0, perfect=references)
