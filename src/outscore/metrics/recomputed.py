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

_SAME_SCORE = 1e-9  # tolerance for a test set scored alone and together with others


@dataclass(frozen=True)
class Recomputed(RecomputedMetric[Any, Any]):
    """A metric that is any function of a test set, recomputed on every sample.

    Outputs and references may be anything. If items are large, or are scored by a program that stores them, use
    indices as items.

    Parameters
    ----------
    function : callable
        From the outputs and the references of a test set, lists of equal length, to its score. It is called with items
        repeated and left out, and with items of two systems mixed. The result must depend on nothing else, and not on
        the order of the items.
    name : str
        For results.
    higher_is_better : bool
        False for losses and error rates. By default True, with a note in the result.
    vectorized : bool, optional
        Whether the function scores many test sets at once, as in `scipy.stats.bootstrap`. It is then called with arrays
        and ``axis=-1``. Arrays of shape (n,) are one test set; arrays of shape (b, n) are b test sets, for which it
        returns b scores. The arrays have numbers or objects. By default a function with a parameter `axis` is
        vectorized.

    Notes
    -----
    A comparison calls the function twice per sample, once per system. Tests and intervals that need the jackknife,
    such as the default test, also call it for each system without each item. Equal items that are adjacent in the
    canonical order have the same jackknife score, which is computed once.

    A vectorized function gets at most 65,536 items at once, or one test set if that is larger. Its scores of the first
    two samples are compared with those of one test set at a time.

    Examples
    --------
    The proportion of distinct outputs, which is not a sum over items:

    >>> import outscore
    >>> distinct = Recomputed(lambda outputs, references: len(set(outputs)) / len(outputs), name="distinct")
    >>> systems = [["yes", "yes", "no", "no", "no", "yes"], ["yes", "no", "maybe", "never", "often", "yes"]]
    >>> result = outscore.compare(*systems, references=range(6), metric=distinct, tests="randomization")
    >>> result.gain, result.p_value
    (0.5, 0.125)

    A function that scores many test sets at once:

    >>> def accuracy(outputs, references, axis):
    ...     return (outputs == references).mean(axis=axis)
    >>> systems = [[0, 1, 1, 0, 1, 0], [1, 1, 1, 0, 0, 1]]
    >>> result = outscore.compare(*systems, references=[1, 1, 1, 0, 0, 0], metric=Recomputed(accuracy, "accuracy"))
    >>> round(result.gain, 4)
    0.1667
    """

    citation = "the function given"
    output_type = object
    reference_type = object

    function: Callable[..., Any]
    name: str = "recomputed"  # type: ignore[misc]
    higher_is_better: bool = None  # type: ignore[assignment]  # unknown until `__post_init__`
    vectorized: bool | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.higher_is_better is None:
            object.__setattr__(self, "higher_is_better", True)
            self.__dict__["_is_assumed"] = True
        if not (self.vectorized is None or isinstance(self.vectorized, bool)):
            raise wrong("vectorized", "True, False or None", self.vectorized)

    @cached_property
    def _at_once(self) -> bool:
        """Whether the function scores many test sets at once."""
        return _has_axis(self.function) if self.vectorized is None else self.vectorized

    def remarks_on_references(self, references: Sequence[Any]) -> Sequence[str]:
        """Return the direction if the user did not state it."""
        del references
        if "_is_assumed" not in self.__dict__:
            return ()
        return (
            f"Higher scores of {self.name} count as better. If lower scores are better, pass outscore.Recomputed(..., "
            "higher_is_better=False).",
        )

    def score_of(self, outputs: Sequence[Any], references: Sequence[Any]) -> Any:
        if not self._at_once:
            return self.function(outputs, references)
        return self.function(_array_of(outputs), _array_of(references), axis=-1)

    def sides(self, rows: AnyArray) -> tuple[AnyArray, ...]:
        """Return the rows or, for a vectorized function, outputs and references as separate arrays."""
        return tuple(_array_of(side.tolist()) for side in rows.T) if self._at_once else (rows,)

    def scores_of_sides(self, sides: Sequence[AnyArray]) -> FloatArray:
        """Return the scores of b test sets, shape (b,), all at once if the function is vectorized.

        Raises
        ------
        OptionError
            As for `score_of_set`, or if the scores have another shape or differ from those of one test set at a time.
        """
        if not self._at_once:
            return super().scores_of_sides(sides)
        first: list[float] = []
        if "_compared" not in self.__dict__:
            sets = (tuple(side[index].copy() for side in sides) for index in range(min(2, len(sides[0]))))
            first = [checked_score(self.name, partial(self.function, *sides_of_set, axis=-1)) for sides_of_set in sets]
        advice = "Make it compute along `axis`, or pass vectorized=False."
        scores = checked_scores(self.name, partial(self.function, *sides, axis=-1), len(sides[0]), advice)
        for alone, together in zip(first, scores.tolist(), strict=False):
            if not math.isclose(alone, together, rel_tol=_SAME_SCORE, abs_tol=_SAME_SCORE):
                what = f"scores a test set {together!r} together with others, but {alone!r} alone"
                raise metric_error(self.name, what, "bad-score", advice)
        self.__dict__["_compared"] = True
        return scores


def _has_axis(function: Callable[..., object]) -> bool:
    from inspect import signature  # needed only if a function is a metric

    try:
        return "axis" in signature(function).parameters
    except (TypeError, ValueError):  # some functions in C have no signature
        return False


def _array_of(items: Sequence[object]) -> AnyArray:
    """Return items as an array, shape (n,): of numbers if that loses no digits, else of objects."""
    kinds = {type(item) for item in items}
    if kinds and all(issubclass(kind, int | float | np.bool_ | np.integer | np.floating) for kind in kinds):
        numbers = np.asarray(items)
        if numbers.dtype.kind in "biu" or any(issubclass(kind, float | np.floating) for kind in kinds):
            return numbers
    objects = np.empty(len(items), dtype=object)
    objects[:] = items
    return objects
