"""The properties that are expected of a metric, each a function; one that it lacks is told in an AssertionError."""

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
    ResponseMetric,
)
from outscore.metrics.plugins import faults_of_declaration

SAME = 1e-12  # of one row or score computed twice, relative
SEED = 12345
_N_DRAWS = 32
M = TypeVar("M", bound=AnyMetric)
# The score that a reference implementation gives: of any outputs and references, or of the given ones.
CorpusScore: TypeAlias = Callable[..., float] | float
_EQUAL = 1e-9  # of scores by different implementations, relative


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


def check_metric(
    metric: AnyMetric,
    outputs: Any,
    references: Sequence[Any] | None = None,
    *,
    corpus_score: CorpusScore | None = None,
    perfect: Sequence[Any] | None = None,
) -> None:
    """Check all that is expected of a metric, as far as it applies to one of this kind.

    Parameters
    ----------
    metric : ColumnMetric, OutputMetric or RecomputedMetric
        With the options that are to be checked. It is told the labels or types that occur, as by `compare`.
    outputs : sequence of n outputs, or ndarray of shape (n, number of columns)
        Of one system, at least 3; some right, some wrong, and best one empty. The columns of a `ColumnMetric`.
    references : sequence of n references, optional
        Tuples of references where the metric takes several; nothing for a `ColumnMetric`.
    corpus_score : callable or float, optional
        What a reference implementation makes of outputs and references (of the columns, for a `ColumnMetric`).
        A function is also asked about other selections of the same items.
    perfect : sequence of n outputs, optional
        Outputs of a system without errors.

    Raises
    ------
    AssertionError
        For the first property that the metric lacks.
    OptionError
        Fewer than 3 items, not as many outputs as references, or references of a `ColumnMetric`.

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
    if isinstance(metric, ResponseMetric):
        check_responses(metric, outputs, references)
    check_pickling(metric, outputs, references)
    if corpus_score is not None:
        check_corpus_score(metric, outputs, references, corpus_score=corpus_score)
    if perfect is not None:
        check_direction(metric, outputs, references, perfect=perfect)
        if isinstance(metric, Metric):
            check_shared_statistics(metric, outputs, references, others=perfect)


def check_declaration(metric: AnyMetric) -> None:
    """Check what a metric says of itself: its name, statistics, direction, types, and the coefficients of a ratio.

    A metric is a frozen dataclass, its options are the fields: they are read and written by name, two metrics with
    equal options are equal, and none changes while it is used.
    """
    expect(
        is_dataclass(metric) and metric.__dataclass_params__.frozen,
        metric,
        "to be a frozen dataclass",
        f"{type(metric).__name__} is none",
    )
    for wanted, got in faults_of_declaration(metric):
        fail(metric, wanted, got)


def check_additivity(metric: Metric, outputs: Any, references: Sequence[Any] | None = None) -> None:
    """Check that an item's row depends on that item alone, so that the rows of any selection are known beforehand.

    The rows of a concatenation are the concatenated rows, whatever the order, and however often an item stands there.
    That is what lets a test set be resampled without looking at its outputs again. A metric that normalizes by the
    mean of all items, or that gives an item the difference to the one before, has no such rows.
    """
    case = case_of(metric, outputs, references)
    rows = checked_rows(case)
    order = case.selection
    with metric_failing(metric, f"rows of {len(order)} items, some of them twice and in another order"):
        reordered = case.rows(order)
    same = reordered.shape == (len(order), rows.shape[1]) and np.allclose(reordered, rows[order], rtol=SAME, atol=SAME)
    happened = "an item got another row where other items stood around it"
    expect(same, metric, "rows that depend on their own item alone", happened)


def check_corpus_score(
    metric: AnyMetric, outputs: Any, references: Sequence[Any] | None = None, *, corpus_score: CorpusScore
) -> None:
    """Check that the score of the summed rows is that of a reference implementation, to 1e-9.

    A function is also asked about selections in which some items stand twice: another score, such as the mean of the
    items' own, may equal that of one test set by chance.
    """
    case = case_of(metric, outputs, references)
    everything = list(range(case.n_items))
    selections = [everything, case.selection, [*everything, *everything[1::2]]]
    for items in selections if callable(corpus_score) else selections[:1]:
        expected = float(corpus_score(*case.selected(items)) if callable(corpus_score) else corpus_score)
        score = case.score(items)
        equal = math.isclose(score, expected, rel_tol=_EQUAL, abs_tol=_EQUAL)
        happened = f"on {len(items)} items the rows score {score!r}, the implementation {expected!r}"
        expect(equal, metric, "the score of the summed rows to be the corpus score", happened)


def check_vectorisation(metric: Metric, outputs: Any, references: Sequence[Any] | None = None) -> None:
    """Check that `score` maps totals of shape (..., k) to scores of shape (...), each as if it stood alone.

    With no, one and two leading axes, with none left in an axis, in any memory layout, as 64-bit floats. Thousands
    of resamples are scored in one call, in blocks of unknown size. The totals are left as they were; `item_scores`
    gives a score for each row, or None for all.
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
            expect(np.array_equal(part, before), metric, "to leave the totals as they are", "score changed them")
            is_float = isinstance(scores, np.ndarray | np.floating) and scores.dtype == np.float64
            expect(is_float, metric, f"{wanted}, as 64-bit floats", f"got {kind_of(scores)}")
            expect(np.shape(scores) == expected.shape, metric, wanted, f"got shape {np.shape(scores)}")
            close = np.allclose(scores, expected, rtol=_EQUAL, atol=SAME)
            expect(close, metric, "every score to be that of its totals alone", "it depends on the totals beside it")
    with metric_failing(metric, "item_scores of rows"):
        own = metric.item_scores(rows)
    expect(
        own is None or own.shape == (case.n_items,),
        metric,
        "item_scores of shape (n,), or None",
        f"got {kind_of(own)}",
    )


def check_monotone(metric: Metric, outputs: Any, references: Sequence[Any] | None = None) -> None:
    """Check that totals of any kind have a finite score, and that the denominator of a ratio only grows.

    Totals that occur: none at all (the row of an empty item), a single row, sums of the first items, sums of items
    drawn with replacement, in which an item may be missing or stand several times. None may give NaN, infinity or a
    warning. A ratio's denominator is a count or a sum of lengths or weights: no row may take from it, as a ratio
    with a negative denominator is no score.
    """
    case = case_of(metric, outputs, references)
    metric = case.metric
    rows = checked_rows(case)
    if isinstance(metric, RatioMetric):
        taken = np.flatnonzero(rows @ np.asarray(metric.denominator) < 0)
        happened = f"item {taken[0] if len(taken) else ''} takes from it: {rows[taken[:1]].tolist()}"
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
    expect(own is None or bool(np.isfinite(own).all()), metric, "finite item_scores", "there are others")


def check_ratio(metric: RatioMetric, outputs: Any, references: Sequence[Any] | None = None) -> None:
    """Check that the score of a ratio is its numerator over its denominator, and 0 where that is 0.

    Exact laws, gains and tests of proportions are derived from the coefficients alone: a `score` that is another
    formula, if only for totals without a denominator, would be compared by one and shown by the other.
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
        happened = f"for {totals.tolist()} it is {score!r}, and not {expected!r}"
        expect(same, metric, "a score of numerator / denominator, 0 without denominator", happened)


def check_pickling(metric: AnyMetric, outputs: Any, references: Sequence[Any] | None = None) -> None:
    """Check that a pickled metric comes back equal, and scores as before: processes are sent metrics so.

    The class must be found by its name, at the top of a module; what is kept to save time must not count in `==`.
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
    """Check that a system without errors does not score worse than the given one, by `higher_is_better`."""
    ordinary, best = cases_of(metric, references, outputs, perfect)
    scores = [case.score(range(case.n_items)) for case in (ordinary, best)]
    gain = (scores[1] - scores[0]) * (1 if metric.higher_is_better else -1)
    wanted = f"perfect outputs not to score worse than others, with higher_is_better={metric.higher_is_better}"
    expect(gain >= -SAME * abs(scores[0]), metric, wanted, f"they score {scores[1]!r}, the others {scores[0]!r}")


def check_shared_statistics(
    metric: Metric, outputs: Any, references: Sequence[Any] | None = None, *, others: Sequence[Any]
) -> None:
    """Check that the statistics that a metric calls shared are the same for two systems.

    They tell users beforehand whether p-values will be exact; whether they are is found in the rows themselves.
    """
    cases = cases_of(metric, references, outputs, others)
    metric = cases[0].metric
    rows = [checked_rows(case) for case in cases]
    for statistic in metric.shared_statistics:
        j = metric.statistics.index(statistic)
        same = np.array_equal(rows[0][:, j], rows[1][:, j])
        expect(same, metric, f"the shared statistic {statistic!r} to be the same for all systems", "it differs")


def check_responses(
    metric: ResponseMetric[Any, Any], outputs: Sequence[Any], references: Sequence[Any] | None = None
) -> None:
    """Check that an item's row is what its reference contributes plus the rows of the system's responses.

    Responses are swapped one by one on that ground (Yeh 2000, section 3.3).
    """
    case = case_of(metric, outputs, references)
    metric = case.metric
    for i, row in enumerate(checked_rows(case)):
        shared = np.asarray(metric.shared_row(case.references[i]), dtype=np.float64)
        responses = metric.responses(case.outputs[i], case.references[i])
        total = shared + sum((np.asarray(part, dtype=np.float64) for part in responses.values()), np.zeros(len(row)))
        same = np.allclose(total, row, rtol=SAME, atol=SAME)
        happened = f"item {i} has {row.tolist()}, its parts add up to {total.tolist()}"
        expect(same, metric, "a row to be shared_row plus all responses", happened)


def check_recomputation(
    metric: RecomputedMetric[Any, Any], outputs: Sequence[Any], references: Sequence[Any] | None = None
) -> None:
    """Check that the score of a set of items is one finite number, the same every time, whatever their order.

    That takes the place of additivity: a resampled test set holds some items several times and others not at all,
    in no particular order, down to one item over and over. Sets of numbers that are scored together (`scores_of`)
    score as each does alone.
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
        happened = f"got {together.ravel().tolist()}, alone {alone}"
        expect(same, metric, "test sets scored together to score as each does alone", happened)
