"""Checks of the properties that a metric needs; each raises an AssertionError if it fails."""

from __future__ import annotations

import math
import pickle
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, is_dataclass
from typing import Any, Generic, NoReturn, TypeAlias, TypeVar, cast

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.errors import MissingDependencyError, OptionError, Problem
from outscore.metrics.base import (
    AnyMetric,
    AnyOutputMetric,
    ColumnMetric,
    Metric,
    OutputMetric,
    RatioMetric,
    RecomputedMetric,
)
from outscore.metrics.plugins import faults_of_declaration

SAME = 1e-12  # relative error of one row or score computed twice
SEED = 12345
_N_DRAWS = 32
M = TypeVar("M", bound=AnyMetric)
# The score of a reference implementation: a function of outputs and references, or a number for the given ones.
CorpusScore: TypeAlias = Callable[..., float] | float
_EQUAL = 1e-9  # relative error between implementations


@dataclass(frozen=True)
class Case(Generic[M]):
    """A metric on a small test set, for any kind of metric."""

    metric: M
    outputs: Any
    references: Sequence[Any]

    @property
    def n_items(self) -> int:
        return len(self.outputs)

    @property
    def selection(self) -> list[int]:
        """All items and then the first half again, reversed: checks that warn about whole sets do not apply to it."""
        return [*range(self.n_items), *reversed(range(self.n_items // 2 + 1))]

    def selected(self, items: Sequence[int] | AnyArray) -> tuple[Any, ...]:
        """Return the outputs and references of these items, or only their columns."""
        if isinstance(self.outputs, np.ndarray):
            return (self.outputs[np.asarray(items, dtype=np.intp)],)
        return [self.outputs[i] for i in items], [self.references[i] for i in items]

    def rows(self, items: Sequence[int] | AnyArray) -> AnyArray:
        """Return the metric's rows of these items."""
        assert isinstance(self.metric, AnyOutputMetric | ColumnMetric)
        return self.metric.rows(*self.selected(items))

    def score(self, items: Sequence[int] | AnyArray) -> float:
        """Return the score of the test set of these items."""
        return self.metric.score_of_set(self.rows(items))


def case_of(metric: M, outputs: Any, references: Sequence[Any] | None) -> Case[M]:
    """Return a metric on one system, after it was informed of the values in it."""
    return cases_of(metric, references, outputs)[0]


def cases_of(metric: M, references: Sequence[Any] | None, *systems: Any) -> list[Case[M]]:
    """Return one case per system; the metric has been informed of the values in all of them."""
    fitted_metric: AnyMetric = metric
    if isinstance(metric, ColumnMetric):
        if references is not None:
            raise _cannot(
                "references", f"{metric.name} is a metric of columns, which has no references", "Leave them out."
            )
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
            raise _cannot(
                "outputs",
                f"expected {expected}, one for each reference, got {case.n_items}",
                "Pass one output per reference.",
            )
        if case.n_items < 3:
            raise _cannot("outputs", f"expected at least 3 items, got {case.n_items}", "Pass more.")
    return cases


def _cannot(where: str, what: str, advice: str) -> OptionError:
    return OptionError(Problem(where, what, advice, "cannot-check"))


def checked_rows(case: Case[Any]) -> FloatArray:
    """Return the rows of all items, checked to be finite floats of shape (n, k)."""
    assert isinstance(case.metric, OutputMetric | ColumnMetric)
    k = len(case.metric.statistics)
    wanted = f"rows of 64-bit floats of shape {(case.n_items, k)}, one column per statistic"
    with metric_failing(case.metric, wanted):
        rows = case.rows(range(case.n_items))
    fits = isinstance(rows, np.ndarray) and rows.dtype == np.float64 and rows.shape == (case.n_items, k)
    expect(fits, case.metric, wanted, f"got {kind_of(rows)}")
    expect(bool(np.isfinite(rows).all()), case.metric, "rows of finite numbers", "some are not finite")
    return rows


def resampled(rows: FloatArray) -> FloatArray:
    """Return the totals of fixed resamples, shape (32, k)."""
    n = len(rows)
    weights = np.random.default_rng(SEED).multinomial(n, np.full(n, 1 / n), size=_N_DRAWS)
    return np.asarray(weights @ rows, dtype=np.float64)


def kind_of(value: object) -> str:
    """Return a description of an array, or of another object."""
    if isinstance(value, np.ndarray | np.generic):
        return f"{value.dtype} of shape {value.shape}"
    return type(value).__name__


@contextmanager
def metric_failing(metric: AnyMetric, wanted: str) -> Iterator[None]:
    """Report an exception or warning of the metric as a failed check."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)  # of NumPy: division by zero, overflow, NaN
            yield
    except MissingDependencyError:
        raise
    except OptionError as error:  # errors of the metric, as users see them
        cause = error.__cause__
        fail(metric, wanted, error.problems[0].what if cause is None else f"{type(cause).__name__}: {cause}", error)
    except Exception as error:
        fail(metric, wanted, f"{type(error).__name__}: {error}", error)


def expect(holds: bool, metric: AnyMetric, wanted: str, happened: str) -> None:
    """Raise an AssertionError with the expected and the actual behavior, unless the condition holds."""
    if not holds:
        fail(metric, wanted, happened)


def fail(metric: AnyMetric, wanted: str, happened: str, cause: BaseException | None = None) -> NoReturn:
    """Raise an AssertionError with the expected and the actual behavior."""
    name = getattr(metric, "name", type(metric).__name__)
    raise AssertionError(f"{name}: expected {wanted}; {happened}.") from cause


def check_metric(
    metric: AnyMetric,
    outputs: Any,
    references: Sequence[Any] | None = None,
    *,
    corpus_score: CorpusScore | None = None,
    perfect: Sequence[Any] | None = None,
) -> None:
    """Check all properties that apply to this kind of metric.

    Parameters
    ----------
    metric : ColumnMetric, OutputMetric or RecomputedMetric
        The metric, with its options. It is informed of the labels or types that occur, as by `compare`.
    outputs : sequence of n outputs, or ndarray of shape (n, number of columns)
        Outputs of one system, at least 3: some correct, some incorrect, and preferably one empty. For a
        `ColumnMetric`, its columns.
    references : sequence of n references, optional
        References, as tuples if the metric takes several; none for a `ColumnMetric`.
    corpus_score : callable or float, optional
        The score of a reference implementation, or a function of outputs and references (for a `ColumnMetric`, of
        the columns). A function is also called on other selections of the items.
    perfect : sequence of n outputs, optional
        Outputs of a perfect system.

    Raises
    ------
    AssertionError
        A check failed; it is the first that does.
    OptionError
        There are fewer than 3 items, different numbers of outputs and references, or references for a `ColumnMetric`.

    Examples
    --------
    >>> from outscore import Accuracy
    >>> check_metric(Accuracy(), [1, 0, 1, 1], corpus_score=0.75, perfect=[1, 1, 1, 1])
    """
    check_declaration(metric)
    if isinstance(metric, Metric):
        check_additivity(metric, outputs, references)
        check_vectorisation(metric, outputs, references)
        check_monotone(metric, outputs, references)
    if isinstance(metric, RatioMetric):
        check_ratio(metric, outputs, references)
    if isinstance(metric, RecomputedMetric):
        check_recomputation(metric, outputs, references)
    check_pickling(metric, outputs, references)
    if corpus_score is not None:
        check_corpus_score(metric, outputs, references, corpus_score=corpus_score)
    if perfect is not None:
        check_direction(metric, outputs, references, perfect=perfect)
        if isinstance(metric, Metric):
            check_shared_statistics(metric, outputs, references, others=perfect)


def check_declaration(metric: AnyMetric) -> None:
    """Check the attributes of a metric: its name, statistics, direction, types, and the coefficients of a ratio.

    A metric is a frozen dataclass with its options as fields: options have names, metrics with equal options are
    equal, and metrics do not change in use.
    """
    expect(
        is_dataclass(metric) and metric.__dataclass_params__.frozen,
        metric,
        "to be a frozen dataclass",
        f"{type(metric).__name__} is not",
    )
    for wanted, got in faults_of_declaration(metric):
        fail(metric, wanted, got)


def check_additivity(metric: Metric, outputs: Any, references: Sequence[Any] | None = None) -> None:
    """Check that an item's row depends only on that item, so that the rows of any selection are known in advance.

    The rows of a concatenation are the concatenated rows, in any order and with any repetitions. So a test set can
    be resampled without reading its outputs again. Metrics that normalize by the mean of all items, or that depend
    on the previous item, fail.
    """
    case = case_of(metric, outputs, references)
    rows = checked_rows(case)
    order = case.selection
    with metric_failing(metric, f"rows of {len(order)} items, reordered and with repetitions"):
        reordered = case.rows(order)
    same = reordered.shape == (len(order), rows.shape[1]) and np.allclose(reordered, rows[order], rtol=SAME, atol=SAME)
    happened = "an item's row changed with the other items"
    expect(same, metric, "rows that depend only on their own item", happened)


def check_corpus_score(
    metric: AnyMetric, outputs: Any, references: Sequence[Any] | None = None, *, corpus_score: CorpusScore
) -> None:
    """Check that the score of the summed rows is that of a reference implementation, to 1e-9.

    A function is also called on selections with repeated items, as another score, such as the mean of item scores,
    may agree on one test set by chance.
    """
    case = case_of(metric, outputs, references)
    everything = list(range(case.n_items))
    selections = [everything, case.selection, [*everything, *everything[1::2]]]
    for items in selections if callable(corpus_score) else selections[:1]:
        expected = float(corpus_score(*case.selected(items)) if callable(corpus_score) else corpus_score)
        score = case.score(items)
        equal = math.isclose(score, expected, rel_tol=_EQUAL, abs_tol=_EQUAL)
        happened = f"on {len(items)} items, the rows score {score!r}, the implementation {expected!r}"
        expect(equal, metric, "the score of the summed rows to be the corpus score", happened)


def check_vectorisation(metric: Metric, outputs: Any, references: Sequence[Any] | None = None) -> None:
    """Check that `score` maps totals of shape (..., k) to scores of shape (...), each independently.

    This is checked with zero, one and two leading axes, with empty axes, and in any memory layout, for 64-bit
    floats. Thousands of resamples are scored in one call, in blocks of unknown size. The totals must not change;
    `item_scores` returns a score for each row, or None for all.
    """
    case = case_of(metric, outputs, references)
    metric = case.metric
    rows = checked_rows(case)
    totals = resampled(rows).reshape(4, -1, rows.shape[1])
    with metric_failing(metric, "a score of the totals of one test set, shape (k,)"):
        alone = np.array([[float(metric.score(one.copy())) for one in block] for block in totals])
    layouts = {"": totals, " in Fortran's order": np.asfortranarray(totals)}
    for layout, stacked in layouts.items():
        for part, expected in (
            (stacked, alone),
            (stacked[1], alone[1]),
            (stacked[1, 2], alone[1, 2]),
            (stacked[:0], alone[:0]),
        ):
            wanted = f"scores of shape {expected.shape} for totals of shape {part.shape}{layout}"
            before = part.copy()
            with metric_failing(metric, wanted):
                scores = metric.score(part)
            expect(np.array_equal(part, before), metric, "the totals to be unchanged", "score changed them")
            is_float = isinstance(scores, np.ndarray | np.floating) and scores.dtype == np.float64
            expect(is_float, metric, f"{wanted}, as 64-bit floats", f"got {kind_of(scores)}")
            expect(np.shape(scores) == expected.shape, metric, wanted, f"got shape {np.shape(scores)}")
            close = np.allclose(scores, expected, rtol=_EQUAL, atol=SAME)
            expect(close, metric, "every score to depend only on its own totals", "it depends on other totals")
    with metric_failing(metric, "item_scores of rows"):
        own = metric.item_scores(rows)
    expect(
        own is None or own.shape == (case.n_items,),
        metric,
        "item_scores of shape (n,), or None",
        f"got {kind_of(own)}",
    )


def check_monotone(metric: Metric, outputs: Any, references: Sequence[Any] | None = None) -> None:
    """Check that all kinds of totals have a finite score, and that the denominator of a ratio only grows.

    Possible totals are zeros (the row of an empty item), a single row, sums of the first items, and sums of items
    drawn with replacement. None may give NaN, infinity or a warning. A ratio's denominator is a count or a sum of
    lengths or weights, so no row may reduce it.
    """
    case = case_of(metric, outputs, references)
    metric = case.metric
    rows = checked_rows(case)
    if isinstance(metric, RatioMetric):
        taken = np.flatnonzero(rows @ np.asarray(metric.denominator) < 0)
        happened = f"item {taken[0] if len(taken) else ''} reduces it: {rows[taken[:1]].tolist()}"
        expect(len(taken) == 0, metric, "a denominator that grows with every item", happened)
    kinds = {
        "no items": np.zeros((1, rows.shape[1])),
        "single items": rows,
        "the first items": np.cumsum(rows, axis=0),
        "items drawn with replacement": resampled(rows),
    }
    for kind, totals in kinds.items():
        with metric_failing(metric, f"finite scores of {kind}"):
            scores = np.atleast_1d(metric.score(totals))
        odd = np.flatnonzero(~np.isfinite(scores))
        happened = f"got {scores[odd[0]] if len(odd) else ''} for {totals[odd[:1]].tolist()}"
        expect(len(odd) == 0, metric, f"finite scores of {kind}", happened)
    with metric_failing(metric, "finite item_scores"):
        own = metric.item_scores(rows)
    expect(own is None or bool(np.isfinite(own).all()), metric, "finite item_scores", "some are not finite")


def check_ratio(metric: RatioMetric, outputs: Any, references: Sequence[Any] | None = None) -> None:
    """Check that the score of a ratio is its numerator over its denominator, and 0 for a denominator of 0.

    Exact distributions, gains and tests of proportions use only the coefficients, so `score` must be the same
    formula for all totals.
    """
    case = case_of(metric, outputs, references)
    metric = case.metric
    rows = checked_rows(case)
    samples = np.concatenate([np.zeros((1, rows.shape[1])), rows, resampled(rows)])
    nothing = np.where(np.asarray(metric.denominator) != 0, 0.0, samples)
    for totals in np.concatenate([samples, nothing]):
        top, bottom = (float(totals @ np.asarray(part)) for part in (metric.numerator, metric.denominator))
        expected = top / bottom if bottom > 0 else 0.0
        with metric_failing(metric, "a score of numerator / denominator"):
            score = float(metric.score(totals))
        same = math.isclose(score, expected, rel_tol=_EQUAL, abs_tol=SAME)
        happened = f"for {totals.tolist()} it is {score!r}, not {expected!r}"
        expect(same, metric, "a score of numerator / denominator, 0 for a denominator of 0", happened)


def check_pickling(metric: AnyMetric, outputs: Any, references: Sequence[Any] | None = None) -> None:
    """Check that pickling preserves equality and scores of a metric, as needed to send it to processes.

    The class must be at the top level of a module; caches must not count in `==`.
    """
    case = case_of(metric, outputs, references)
    before = case.score(range(case.n_items))
    try:
        back = pickle.loads(pickle.dumps(case.metric))
    except Exception as error:  # whatever a member raises
        fail(metric, "to be pickled", f"{type(error).__name__}: {error}")
    expect(back == case.metric, metric, "to equal itself after pickling", f"got {back!r}, was {case.metric!r}")
    after = Case(back, case.outputs, case.references).score(range(case.n_items))
    expect(after == before, metric, "the same score after pickling", f"got {after!r}, was {before!r}")


def check_direction(
    metric: AnyMetric, outputs: Any, references: Sequence[Any] | None = None, *, perfect: Sequence[Any]
) -> None:
    """Check that a perfect system does not score worse than the given one, by `higher_is_better`."""
    ordinary, best = cases_of(metric, references, outputs, perfect)
    scores = [case.score(range(case.n_items)) for case in (ordinary, best)]
    gain = (scores[1] - scores[0]) * (1 if metric.higher_is_better else -1)
    wanted = f"perfect outputs not to score worse than others, with higher_is_better={metric.higher_is_better}"
    expect(gain >= -SAME * abs(scores[0]), metric, wanted, f"they score {scores[1]!r}, the others {scores[0]!r}")


def check_shared_statistics(
    metric: Metric, outputs: Any, references: Sequence[Any] | None = None, *, others: Sequence[Any]
) -> None:
    """Check that the shared statistics of a metric are the same for two systems.

    They predict whether p-values will be exact; the rows decide.
    """
    cases = cases_of(metric, references, outputs, others)
    metric = cases[0].metric
    rows = [checked_rows(case) for case in cases]
    for statistic in metric.shared_statistics:
        j = metric.statistics.index(statistic)
        same = np.array_equal(rows[0][:, j], rows[1][:, j])
        expect(same, metric, f"the shared statistic {statistic!r} to be the same for all systems", "it differs")


def check_recomputation(
    metric: RecomputedMetric[Any, Any], outputs: Sequence[Any], references: Sequence[Any] | None = None
) -> None:
    """Check that the score of a set of items is a finite number, the same every time and in any order.

    This replaces additivity: a resampled test set has repeated and missing items in any order, possibly a single
    item many times. Sets that are scored together (`scores_of`) must have the same scores as separately.
    """
    case = case_of(metric, outputs, references)
    everything = np.arange(case.n_items)
    score = case.score(everything)
    again = case.score(everything)
    expect(score == again, metric, "the same score for the same items", f"got {score!r}, then {again!r}")
    turned = case.score(np.random.default_rng(SEED).permutation(case.n_items))
    unmoved = math.isclose(turned, score, rel_tol=_EQUAL, abs_tol=SAME)
    expect(unmoved, metric, "a score that does not depend on the order of the items", f"got {score!r}, then {turned!r}")
    draws = np.random.default_rng(SEED).integers(case.n_items, size=(4, case.n_items))
    for items in (everything, *draws, np.zeros_like(everything)):
        with metric_failing(metric, "a finite score of items drawn with replacement"):
            drawn = case.score(items)
        expect(math.isfinite(drawn), metric, "a finite score of items drawn with replacement", f"got {drawn!r}")
    rows = case.rows(everything)
    if rows.dtype == object:
        return
    sets = np.array([rows[items] for items in draws])
    for sides in (sets[..., 0], sets[..., 1]), (sets[:2, None, :, 0], sets[:2, None, :, 1]):
        wanted = f"scores of shape {sides[0].shape[:-1]} for sides of shape {sides[0].shape}"
        with metric_failing(metric, wanted):
            together = np.asarray(case.metric.scores_of(*sides))
            flat = (side.reshape(-1, len(rows)) for side in sides)
            alone = [case.metric.score_of(*both) for both in zip(*flat, strict=True)]
        expect(together.shape == sides[0].shape[:-1], metric, wanted, f"got shape {together.shape}")
        same = np.allclose(together.ravel(), alone, rtol=_EQUAL, atol=SAME)
        happened = f"got {together.ravel().tolist()}, separately {alone}"
        expect(same, metric, "test sets scored together to have the same scores as separately", happened)
