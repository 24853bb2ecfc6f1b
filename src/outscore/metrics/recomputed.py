"""Any function of outputs and references as a metric."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from outscore.metrics.base import RecomputedMetric

__all__ = ["Recomputed"]


@dataclass(frozen=True)
class Recomputed(RecomputedMetric[Any, Any]):
    """A metric that is whatever a function of a test set returns, recomputed on every resample.

    Outputs and references may be anything. Where items are large, or scored by a program that keeps them, let them be
    indices into what it keeps.

    Parameters
    ----------
    function : callable
        From the outputs and the references of a test set, lists of equal length, to its score. It is called with items
        repeated and left out as they are drawn, and with items of two systems mixed; its result must depend on nothing
        else, and not on the order of the items.
    name : str
    higher_is_better : bool

    Examples
    --------
    The share of different outputs, which is no sum over items:

    >>> import outscore
    >>> distinct = Recomputed(lambda outputs, references: len(set(outputs)) / len(outputs), name="distinct")
    >>> systems = [["yes", "yes", "no", "no", "no", "yes"], ["yes", "no", "maybe", "never", "often", "yes"]]
    >>> result = outscore.compare(*systems, references=range(6), metric=distinct, tests="randomization")
    >>> result.comparisons[0].gain, result.comparisons[0].tests[0].p_value
    (0.5, 0.125)
    """

    citation = "the function given"
    output_type = object
    reference_type = object

    function: Callable[[Sequence[Any], Sequence[Any]], float]
    name: str = "recomputed"  # type: ignore[misc]
    higher_is_better: bool = True

    def score_of(self, outputs: Sequence[Any], references: Sequence[Any]) -> float:
        return self.function(outputs, references)
