"""A metric on a few items of a test set, and how a property that it lacks is told."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, TypeVar, cast

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.errors import MissingDependencyError, OptionError, Problem
from outscore.metrics.base import AnyMetric, AnyOutputMetric, ColumnMetric, OutputMetric

__all__ = [
    "SAME",
    "SEED",
    "Case",
    "case_of",
    "cases_of",
    "checked_rows",
    "expect",
    "fail",
    "kind_of",
    "metric_failing",
    "resampled",
]

SAME = 1e-12  # of one row or score computed twice, relative
SEED = 12345
_N_DRAWS = 32

M = TypeVar("M", bound=AnyMetric)


@dataclass(frozen=True)
class Case(Generic[M]):
    """A metric on a small test set, whatever kind of metric it is."""

    metric: M
    outputs: Any
    references: Sequence[Any]

    @property
    def n_items(self) -> int:
        return len(self.outputs)

    @property
    def selection(self) -> list[int]:
        """All items and then the first half once more, backwards: what guards a whole set has reason to let pass."""
        return [*range(self.n_items), *reversed(range(self.n_items // 2 + 1))]

    def selected(self, items: Sequence[int] | AnyArray) -> tuple[Any, ...]:
        """Return the outputs and references of these items, or their columns alone."""
        if isinstance(self.outputs, np.ndarray):
            return (self.outputs[np.asarray(items, dtype=np.intp)],)
        return [self.outputs[i] for i in items], [self.references[i] for i in items]

    def rows(self, items: Sequence[int] | AnyArray) -> AnyArray:
        """Return the rows that the metric makes of these items."""
        assert isinstance(self.metric, AnyOutputMetric | ColumnMetric)
        return self.metric.rows(*self.selected(items))

    def score(self, items: Sequence[int] | AnyArray) -> float:
        """Return the score of the test set that consists of these items."""
        return self.metric.score_of_set(self.rows(items))


def case_of(metric: M, outputs: Any, references: Sequence[Any] | None) -> Case[M]:
    """Return a metric on one system, told what occurs in it."""
    return cases_of(metric, references, outputs)[0]


def cases_of(metric: M, references: Sequence[Any] | None, *systems: Any) -> list[Case[M]]:
    """Return a case a system; the metric has been told what occurs in any of them."""
    fitted_metric: AnyMetric = metric
    if isinstance(metric, ColumnMetric):
        if references is not None:
            raise _cannot("references", f"{metric.name} is a metric of columns, which has none", "Leave them out.")
        tables = [np.asarray(system, dtype=np.float64) for system in systems]
        per_system: list[Any] = [table.reshape(len(table), -1) for table in tables]
    elif isinstance(metric, AnyOutputMetric):
        references = [] if references is None else list(references)
        per_system = [list(system) for system in systems]
        fitted_metric = metric.fitted(references, per_system)
    else:
        raise _cannot(
            type(metric).__name__,
            "expected an instance of ColumnMetric, OutputMetric or RecomputedMetric",
            "Derive the metric from one of them.",
        )
    cases = [Case(cast("M", fitted_metric), outputs, references or ()) for outputs in per_system]
    for case in cases:
        expected = cases[0].n_items if references is None else len(references)
        if case.n_items != expected:
            raise _cannot("outputs", f"expected {expected}, one for each reference, got {case.n_items}", "Give all.")
        if case.n_items < 3:
            raise _cannot("outputs", f"expected at least 3 items, got {case.n_items}", "Give more.")
    return cases


def _cannot(where: str, what: str, advice: str) -> OptionError:
    return OptionError(Problem(where, what, advice, "cannot-check"))


def checked_rows(case: Case[Any]) -> FloatArray:
    """Return the rows of all items, once they are known to be finite floats of shape (n, k)."""
    assert isinstance(case.metric, OutputMetric | ColumnMetric)
    k = len(case.metric.statistics)
    wanted = f"rows of 64-bit floats of shape {(case.n_items, k)}, one column a statistic"
    with metric_failing(case.metric, wanted):
        rows = case.rows(range(case.n_items))
    fits = isinstance(rows, np.ndarray) and rows.dtype == np.float64 and rows.shape == (case.n_items, k)
    expect(fits, case.metric, wanted, f"got {kind_of(rows)}")
    expect(bool(np.isfinite(rows).all()), case.metric, "rows of finite numbers", "there are others")
    return rows


def resampled(rows: FloatArray) -> FloatArray:
    """Return the totals of some resamples, shape (32, k); always the same ones."""
    n = len(rows)
    weights = np.random.default_rng(SEED).multinomial(n, np.full(n, 1 / n), size=_N_DRAWS)
    return np.asarray(weights @ rows, dtype=np.float64)


def kind_of(value: object) -> str:
    """Return what kind of array, or of anything else, was found."""
    if isinstance(value, np.ndarray | np.generic):
        return f"{value.dtype} of shape {value.shape}"
    return type(value).__name__


@contextmanager
def metric_failing(metric: AnyMetric, wanted: str) -> Iterator[None]:
    """Tell an error or a warning of the metric's own as what it failed to give."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)  # of NumPy: division by zero, overflow, NaN
            yield
    except MissingDependencyError:
        raise
    except OptionError as error:  # what a metric did wrong, as users are told it
        cause = error.__cause__
        fail(metric, wanted, error.problems[0].what if cause is None else f"{type(cause).__name__}: {cause}", error)
    except Exception as error:
        fail(metric, wanted, f"{type(error).__name__}: {error}", error)


def expect(holds: bool, metric: AnyMetric, wanted: str, happened: str) -> None:
    """Raise the AssertionError that says what is expected of a metric, and what happened, unless it holds."""
    if not holds:
        fail(metric, wanted, happened)


def fail(metric: AnyMetric, wanted: str, happened: str, cause: BaseException | None = None) -> NoReturn:
    """Raise the AssertionError that says what is expected of a metric, and what happened."""
    name = getattr(metric, "name", type(metric).__name__)
    raise AssertionError(f"{name}: expected {wanted}; {happened}.") from cause
