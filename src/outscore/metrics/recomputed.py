"""Any function of a test set as a metric."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.data.coercion import wrong
from outscore.metrics.base import RecomputedMetric
from outscore.metrics.checked import checked_score, checked_scores, metric_error

_SAME_SCORE = 1e-9  # of one test set, scored alone and together with others


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
    vectorized : bool, optional
        Whether the function scores many test sets at once, as in `scipy.stats.bootstrap`. It is then called with arrays
        and ``axis=-1``. Arrays of shape (n,) hold one test set, those of shape (b, n) hold b, and it returns b scores.
        They are arrays of numbers or of objects. By default a function with a parameter `axis` is vectorized.

    Notes
    -----
    A comparison calls the function twice per resample, once per system. Tests and intervals that need the jackknife,
    such as the default, also call it for each system without each item. Equal items that are neighbours in the
    canonical order have the same score without either, which is computed once.

    A vectorized function gets at most 65,536 items at once, or one test set if that is larger. Its scores of the first
    two resamples are compared with those of one test set at a time.

    Examples
    --------
    The share of different outputs, which is no sum over items:

    >>> import outscore
    >>> distinct = Recomputed(lambda outputs, references: len(set(outputs)) / len(outputs), name="distinct")
    >>> systems = [["yes", "yes", "no", "no", "no", "yes"], ["yes", "no", "maybe", "never", "often", "yes"]]
    >>> result = outscore.compare(*systems, references=range(6), metric=distinct, tests="randomization")
    >>> result.comparisons[0].gain, result.comparisons[0].tests[0].p_value
    (0.5, 0.125)

    A function that scores many test sets at once:

    >>> def accuracy(outputs, references, axis):
    ...     return (outputs == references).mean(axis=axis)
    >>> systems = [[0, 1, 1, 0, 1, 0], [1, 1, 1, 0, 0, 1]]
    >>> result = outscore.compare(*systems, references=[1, 1, 1, 0, 0, 0], metric=Recomputed(accuracy, "accuracy"))
    >>> round(result.comparisons[0].gain, 4)
    0.1667
    """

    citation = "the function given"
    output_type = object
    reference_type = object

    function: Callable[..., Any]
    name: str = "recomputed"  # type: ignore[misc]
    higher_is_better: bool = True
    vectorized: bool | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not (self.vectorized is None or isinstance(self.vectorized, bool)):
            raise wrong("vectorized", "True, False or None", self.vectorized)

    @cached_property
    def _at_once(self) -> bool:
        """Whether the function scores many test sets at once."""
        return _has_axis(self.function) if self.vectorized is None else self.vectorized

    def score_of(self, outputs: Sequence[Any], references: Sequence[Any]) -> Any:
        if not self._at_once:
            return self.function(outputs, references)
        return self.function(_array_of(outputs), _array_of(references), axis=-1)

    def sides(self, rows: AnyArray) -> tuple[AnyArray, ...]:
        """Return the rows, and of a vectorized function the outputs and the references, each an array of its own."""
        return tuple(_array_of(side.tolist()) for side in rows.T) if self._at_once else (rows,)

    def scores_of_sides(self, sides: Sequence[AnyArray]) -> FloatArray:
        """Return the scores of b test sets, shape (b,), all at once if the function can.

        Raises
        ------
        OptionError
            As `score_of_set`; scores of another shape, or other scores than of one test set at a time.
        """
        if not self._at_once:
            return super().scores_of_sides(sides)
        first: list[float] = []
        if "_compared" not in self.__dict__:
            sets = (tuple(side[place].copy() for side in sides) for place in range(min(2, len(sides[0]))))
            first = [checked_score(self.name, partial(self.function, *one, axis=-1)) for one in sets]
        advice = "Make it compute along `axis`, or pass vectorized=False."
        scores = checked_scores(self.name, partial(self.function, *sides, axis=-1), len(sides[0]), advice)
        for alone, together in zip(first, scores.tolist(), strict=False):
            if not math.isclose(alone, together, rel_tol=_SAME_SCORE, abs_tol=_SAME_SCORE):
                what = f"scores a test set {together!r} together with others, and {alone!r} alone"
                raise metric_error(self.name, what, "bad-score", advice)
        self.__dict__["_compared"] = True
        return scores


def _has_axis(function: Callable[..., object]) -> bool:
    from inspect import signature  # which is not needed where no function is a metric

    try:
        return "axis" in signature(function).parameters
    except (TypeError, ValueError):  # of some that are written in C nothing is known
        return False


def _array_of(items: Sequence[object]) -> AnyArray:
    """Return items as an array, shape (n,): of numbers if all are such, else of objects."""
    kinds = {type(item) for item in items}
    if kinds and all(issubclass(kind, int | float | np.bool_ | np.integer | np.floating) for kind in kinds):
        numbers = np.asarray(items)
        if numbers.dtype.kind in "biu" or any(issubclass(kind, float | np.floating) for kind in kinds):
            return numbers
    objects = np.empty(len(items), dtype=object)
    objects[:] = items
    return objects
