"""The interface of a metric: from items to rows of statistics, and from totals to scores."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

import numpy as np

from outscore._types import AnyArray, FloatArray
from outscore.data.blocks import ONE_BLOCK
from outscore.data.coercion import LARGEST_NUMBER, as_written
from outscore.data.pairing import pair_corpora
from outscore.data.rows import Missing, Rows
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics.checked import checked_score, checked_scores, metric_error
from outscore.text.naming import quoted

if TYPE_CHECKING:
    from outscore.data.items import Corpus, ReferenceDigest

Output = TypeVar("Output")
Reference = TypeVar("Reference")

_LARGEST_STATISTIC = LARGEST_NUMBER**2  # a square of such a number
_SAME = 1e-9  # tolerance for one score computed in two ways


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in the columns of one item. The caller adds the file and the line.

    Attributes
    ----------
    index : int
        Index of the item.
    what, advice, slug : str
        As in `Problem`.
    column : int, optional
        Index of the faulty column, if the caller is to add the column's name to `what`.
    """

    index: int
    what: str
    advice: str
    slug: str
    column: int | None = None


def is_shipped(metric: AnyMetric) -> bool:
    """Return whether a metric is one of the package's own, whose declaration needs no check."""
    return type(metric).__module__.startswith("outscore.metrics.")


class AnyMetric(ABC):
    """Base of all metrics, with additive rows (`Metric`) or without (`RecomputedMetric`).

    Attributes
    ----------
    name : str
        Name on the command line and in JSON.
    title : str
        Name in papers and reports, such as "BLEU". Defaults to `name`.
    statistics : tuple of str
        Names of the k columns of a row.
    cites : tuple of str
        Keys of the works that a methods paragraph cites (``words/references.bib``).
    higher_is_better : bool
        Whether higher scores are better. The sign of gains is set so that a positive gain is always better.
    as_percentage : bool
        Whether reports show 100 times the score. JSON and Python always have the score itself.
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    statistics: ClassVar[tuple[str, ...]]
    cites: ClassVar[tuple[str, ...]] = ()
    as_percentage: ClassVar[bool] = False
    higher_is_better: bool
    swappable: ClassVar[bool] = True  # whether two systems can exchange the rows of an item
    has_unit_scores: ClassVar[bool] = True  # whether a row is the score of its unit, not a part of an estimate
    fits_systems: ClassVar[bool] = False  # whether `on_systems` makes rows from those of the compared systems

    @property
    def score_range(self) -> tuple[float, float] | None:
        """The lowest and the highest possible score of an item or a test set; infinite if not bounded.

        None if unknown, as for a column of numbers. Metrics with a known range set an attribute.
        """
        return None

    @property
    def takes_range(self) -> bool:
        """Whether it has the options lowest and highest, because only the user knows the range of its scores."""
        return "lowest" in getattr(self, "__dataclass_fields__", {})

    @property
    def described(self) -> AnyMetric:
        """The metric to report: itself, or the metric whose scores it averages."""
        return self

    def on_test_set(self, test_set: str) -> Self:
        """Return the metric of one test set, for metrics that differ between test sets."""
        del test_set
        return self

    def on_systems(self, systems: Sequence[Rows], design: Any) -> tuple[Metric, Sequence[Rows], Any]:
        """Return metric, rows and design of systems that are compared, for metrics that depend on all of them."""
        raise NotImplementedError

    @abstractmethod
    def score_of_set(self, rows: AnyArray) -> float:
        """Return the score of the test set with these rows, shape (n, k)."""

    @abstractmethod
    def item_scores(self, rows: AnyArray) -> FloatArray | None:
        """Return each item's own score, shape (n,), for counting wins and losses; None if items have no scores."""

    def remarks(self, rows: AnyArray) -> Sequence[str]:
        """Return warnings about the score of a system with these rows."""
        del rows
        return ()


class Metric(AnyMetric):
    """A metric whose score is a function of summed rows.

    It maps each item to a row of k sufficient statistics, and the sum of rows to a score. Every test, interval and
    report needs only these two functions.

    Attributes
    ----------
    shared_statistics : tuple of str
        Statistics that are equal for all systems, such as the number of items or the length of references. A ratio
        with such a denominator has exact distributions.
    signed : bool
        Whether statistics can be negative. False for counts, sizes and errors.
    parts : tuple of (str, str)
        Pairs of statistics of which the first is at most the second in every item, such as correct and predicted.
    """

    shared_statistics: ClassVar[tuple[str, ...]] = ()
    signed: ClassVar[bool] = True
    parts: tuple[tuple[str, str], ...] = ()

    @abstractmethod
    def score(self, totals: FloatArray) -> FloatArray:
        """Return the score of totals.

        Parameters
        ----------
        totals : ndarray, shape (..., k)
            Sums of rows, with any leading axes.

        Returns
        -------
        ndarray, shape (...)
        """

    def score_of_set(self, rows: AnyArray) -> float:
        """Return the score of the summed rows.

        Raises
        ------
        OptionError
            If the score is not finite, or the metric raises an error.
        """
        return checked_score(self.name, lambda: self.score(rows.sum(axis=0)))

    def item_scores(self, rows: AnyArray) -> FloatArray | None:
        return self.score(rows)

    def faults_of_rows(self, rows: FloatArray) -> Iterator[Fault]:
        """Yield the faults of rows, shape (n, k), such as statistics that are not finite or negative."""
        names = self.statistics
        bad = ~np.isfinite(rows)
        for i, j in np.argwhere(bad).tolist():
            yield _of_row(i, names[j], "a finite number", rows[i, j], "not-finite")
        for i, j in np.argwhere(~bad & (np.abs(rows) > _LARGEST_STATISTIC)).tolist():
            what = f"a number of at most {_LARGEST_STATISTIC:g} in size"
            yield _of_row(i, names[j], what, rows[i, j], "out-of-scale")
        if not self.signed:
            for i, j in np.argwhere(rows < 0).tolist():
                yield _of_row(i, names[j], "0 or more", rows[i, j], "negative")
        column_of = {name: j for j, name in enumerate(names)}
        for part, whole in self.parts:
            left, right = rows[:, column_of[part]], rows[:, column_of[whole]]
            for i in np.flatnonzero(left > right + _SAME * np.abs(right)).tolist():
                yield _of_row(i, part, f"at most {whole} ({right[i]:g})", left[i], "part-too-large")


def advice_on_missing() -> str:
    """Return what to do about a missing score in memory."""
    drop, zero = Missing.DROP.option, Missing.ZERO.option
    return f"Correct it, or pass {drop} to leave the item out of all systems, or {zero} to score it 0."


def fault_of_scale(columns: FloatArray) -> Fault | None:
    """Return the fault of finite numbers, shape (n, k), that are too large or too small; None if there is none.

    Examples
    --------
    >>> fault_of_scale(np.array([[1.0], [-1e300]])).index
    1
    """
    largest = max(-float(columns.min()), float(columns.max())) if columns.size else 0.0
    if not (largest > LARGEST_NUMBER or 0 < largest < 1 / LARGEST_NUMBER):
        return None
    return Fault(
        int(np.abs(columns).max(axis=1).argmax()),
        f"expected numbers between 1e-100 and 1e100 in size, got {largest:g}",
        "Scale the scores of all systems.",
        "out-of-scale",
    )


def combined(totals: FloatArray, coefficients: Sequence[float]) -> FloatArray:
    """Return totals @ coefficients, shape (..., k) to (...); a view of one column where that is the product."""
    used = [index for index, coefficient in enumerate(coefficients) if coefficient]
    if totals.ndim == 2 and len(totals) > ONE_BLOCK and len(used) == 1 and coefficients[used[0]] == 1:
        return totals[:, used[0]]
    return np.asarray(totals @ np.asarray(coefficients))


def _of_row(index: int, statistic: str, expected: str, got: float, slug: str) -> Fault:
    return Fault(index, f"statistic {quoted(statistic)}: expected {expected}, got {got:g}", "", slug)


class RatioMetric(Metric):
    """A metric whose score is a ratio of two weighted sums of statistics.

    score(T) = (numerator · T) / (denominator · T), and 0 if the denominator is 0. Exact distributions are derived from
    this formula, so `score` must not be overridden. For any other formula derive from `Metric`.

    Means, accuracies, error rates, precision, recall and F are of this form. If the two systems have the same
    denominator for every item, their gain is linear in the weights of the items. Otherwise it is a function of two
    counts. Both have exact distributions.

    Attributes
    ----------
    numerator, denominator : tuple of float
        One coefficient per statistic, length k.
    is_proportion : bool
        Whether the score is a number of successes divided by a number of trials, as tests of two proportions need.
    """

    numerator: ClassVar[tuple[float, ...]]
    denominator: ClassVar[tuple[float, ...]]
    is_proportion: ClassVar[bool] = False

    def score(self, totals: FloatArray) -> FloatArray:
        top, bottom = combined(totals, self.numerator), combined(totals, self.denominator)
        if totals.ndim == 2 and len(totals) > ONE_BLOCK and (bottom == 1).all():
            return top
        return np.asarray(np.divide(top, bottom, out=np.zeros(np.shape(bottom)), where=bottom > 0))

    def score_of_set(self, rows: AnyArray) -> float:
        """Return the ratio of the summed rows.

        Raises
        ------
        OptionError
            As for any metric, or if an overridden `score` computes another formula.
        """
        totals = rows.sum(axis=0)
        score, ratio = checked_score(self.name, lambda: self.score(totals)), float(RatioMetric.score(self, totals))
        if not math.isclose(score, ratio, rel_tol=_SAME, abs_tol=_SAME):
            what = f"returned {score!r}, but numerator / denominator is {ratio!r}: derive from Metric instead"
            raise metric_error(self.name, what, "bad-score")
        return score

    def faults_of_rows(self, rows: FloatArray) -> Iterator[Fault]:
        """Yield the faults of rows, including denominators below 0."""
        yield from super().faults_of_rows(rows)
        bottoms = rows @ np.asarray(self.denominator)
        for i in np.flatnonzero(bottoms < 0).tolist():
            yield Fault(i, f"expected a denominator of 0 or more, got {bottoms[i]:g}", "", "negative-denominator")

    def item_scores(self, rows: FloatArray) -> FloatArray:
        """Return each item's own score, shape (n,); the best possible score if its denominator is 0."""
        nothing = combined(rows, self.denominator) == 0
        if not nothing.any():
            return self.score(rows)
        return np.where(nothing, 1.0 if self.higher_is_better else 0.0, self.score(rows))


class ColumnMetric(Metric):
    """A metric computed from the columns of a table.

    Attributes
    ----------
    columns : tuple of str
        Required columns, in order. A metric of one column also reads files with one number per line.
    """

    columns: ClassVar[tuple[str, ...]]

    def rows(self, columns: FloatArray) -> FloatArray:
        """Return the rows, shape (n, k), of items with columns of shape (n, number of columns)."""
        return columns

    def faults(self, columns: FloatArray) -> Sequence[Fault]:
        """Return the faults of the columns of each item; all numbers are finite."""
        del columns
        return ()

    def rows_of(self, table: Rows, fields: Sequence[str] | None = None) -> Rows:
        """Return the rows of this metric for the columns of a table, after checking them.

        Parameters
        ----------
        table : Rows
            `values` are the columns, shape (n, number of columns).
        fields : sequence of str, optional
            Their names in the table. By default those of the metric.

        Raises
        ------
        DataError
            If there are fewer than two items, a number is not finite, or the metric rejects the columns.
        OptionError
            If the number of columns is not the metric's.
        """
        columns, fields = table.values, fields or self.columns
        if len(columns) == 0:
            raise DataError(
                Problem(table.name, "expected scores, got none", "Check that this is the right file.", "empty")
            )
        width = columns.shape[1] if columns.ndim == 2 else 1
        if columns.ndim != 2 or width != len(self.columns):
            raise OptionError(
                Problem(
                    table.name,
                    f"the metric {self.name} takes {len(self.columns)} column(s) ({', '.join(self.columns)}), "
                    f"got {width}",
                    "Pass each system with these columns in this order, or choose another metric.",
                    "wrong-columns",
                )
            )
        if len(columns) == 1:
            raise DataError(
                Problem(table.name, "expected at least 2 items, got 1", "One item has no variance.", "one-item")
            )
        low, high = float(columns.min()), float(columns.max())
        if not (math.isfinite(low) and math.isfinite(high)):
            bad = np.argwhere(~np.isfinite(columns))
            raise DataError(
                *(
                    Problem(
                        table.place(int(i)),
                        f"field {quoted(fields[int(j)])}: expected a finite number, got {columns[i, j]}",
                        advice_on_missing()
                        if table.lines is None and math.isnan(columns[i, j])
                        else "Correct the item, or remove it from both systems.",
                        "not-finite",
                    )
                    for i, j in bad
                )
            )
        scale = fault_of_scale(columns)
        columns = columns if scale is not None else as_written(columns)
        faults = self.faults(columns) if scale is None else (scale,)
        if faults:
            raise DataError(
                *(
                    Problem(
                        table.place(fault.index),
                        fault.what if fault.column is None else f"field {quoted(fields[fault.column])}: {fault.what}",
                        fault.advice,
                        fault.slug,
                    )
                    for fault in faults
                )
            )
        rows = self.rows(columns)
        if isinstance(self, RatioMetric) and not combined(rows, self.denominator).sum() > 0:
            raise DataError(
                Problem(
                    table.name,
                    f"the {self.name} of the whole set is undefined: its denominator is zero",
                    "Check that the counts are not all zero.",
                    "zero-denominator",
                )
            )
        return replace(table, values=rows)


@dataclass(frozen=True)
class Origin:
    """The origin of the rows that a metric is used on."""

    named: AnyOutputMetric[Any, Any]  # the metric as named by the user, without what `fitted` found in the data
    signature: str | None = None  # signature of the tool that computed the rows, if that is not outscore
    remarks: tuple[str, ...] = ()  # warnings about how the metric treats these references
    # Returns the digest of the references.
    digest: Callable[[], ReferenceDigest] | None = field(default=None, compare=False)


class AnyOutputMetric(AnyMetric, Generic[Output, Reference]):
    """A metric that compares a system's outputs with references, with or without additive rows.

    Its options are the fields of a frozen dataclass, with the names and defaults of the reference implementation.
    `statistics` may depend on them.

    Attributes
    ----------
    output_type, reference_type : type
        Types of one output and one reference: `str` for a segment of text, or a type of `outscore.data.items`.
        Readers are chosen by these types.
    takes_several_references : bool
        Whether an item may have several references. If so, `rows` gets a tuple of references for every item.
    citation : str
        The paper, and the reference implementation with the same corpus score.
    extra : str, optional
        The extra of outscore with the packages that `rows` needs: "mt" for ``outscore[mt]``.
    packages : tuple of str
        The packages that compute the rows, whose version may affect them.
    """

    output_type: ClassVar[type]
    reference_type: ClassVar[type]
    takes_several_references: ClassVar[bool] = False
    citation: ClassVar[str]
    extra: ClassVar[str | None] = None
    packages: ClassVar[tuple[str, ...]] = ()

    def paired(self, outputs: Corpus[Output], references: Corpus[Any]) -> Corpus[Output]:
        """Return a system's outputs in the order of the references."""
        return pair_corpora(outputs, references)

    def fitted(self, references: Sequence[Reference], outputs: Sequence[Sequence[Output]]) -> Self:
        """Return this metric with everything fixed that all systems must share, such as the set of labels."""
        del references, outputs
        return self

    def reference_signature(self, references: Sequence[Reference]) -> str | None:
        """Return the reference implementation's signature of its score, None if it has none."""
        del references
        return None

    def check_outputs(self, outputs: Sequence[Output], references: Sequence[Reference]) -> None:
        """Raise a DataError at "outputs" if the outputs of a system are not of the type that the metric takes."""
        del outputs, references

    @property
    def formatting(self) -> Mapping[str, str | None]:
        """The kinds of formatting in texts that count as errors, with the option to ignore each, None without one.

        Keys are those of `outscore.metrics.families.text.without`.
        """
        return {}

    def remarks_on_references(self, references: Sequence[Reference]) -> Sequence[str]:
        """Return warnings about how the metric treats the references of a test set."""
        del references
        return ()

    def remarks_on_outputs(self, outputs: Sequence[Output]) -> Sequence[str]:
        """Return warnings about how the metric treats the outputs of a system."""
        del outputs
        return ()

    @property
    def origin(self) -> Origin:
        """The origin of the rows; by default only the metric itself."""
        origin: Origin | None = self.__dict__.get("_origin")
        return origin or Origin(self)

    def with_origin(self, origin: Origin) -> Self:
        """Return an equal metric with this origin of its rows."""
        metric = copy(self)
        metric.__dict__["_origin"] = origin
        return metric

    def refitted(self, rows: AnyArray, to: Self) -> AnyArray | None:
        """Return rows of this metric, shape (n, k), converted to the same metric fitted to other systems.

        None if that is impossible: rows that were computed separately are then incompatible.
        """
        return rows if to == self else None

    @abstractmethod
    def rows(self, outputs: Sequence[Output], references: Sequence[Reference]) -> AnyArray:
        """Return one row per item, shape (n, k).

        Parameters
        ----------
        outputs : sequence of n outputs
            Of the items of a test set.
        references : sequence of n references, or of n tuples of references if the metric takes several
            In the order of the outputs.

        Raises
        ------
        DataError
            If outputs do not match their references, for example in their tokens. The place is the index of the item,
            "[3]", which readers replace by file and line.
        """


class OutputMetric(Metric, AnyOutputMetric[Output, Reference]):
    """A metric of outputs whose rows are sufficient statistics: the score is a function of their sum.

    Metrics whose score is a ratio of sums derive from `RatioMetric` as well.
    """

    @abstractmethod
    def rows(self, outputs: Sequence[Output], references: Sequence[Reference]) -> FloatArray:
        """Return the rows of sufficient statistics, shape (n, k); see `AnyOutputMetric.rows`."""


class RecomputedMetric(AnyOutputMetric[Output, Reference]):
    """A metric of outputs without sufficient statistics: its score is recomputed on every resampled test set.

    Rank correlations are an example, and functions of a whole test set. A row is the item itself, its output and its
    reference; resampling repeats rows, and randomization exchanges them. Every test based on sampling works, and costs
    two scores per sample. Exact distributions exist for few items.
    """

    statistics = ("output", "reference")

    @abstractmethod
    def score_of(self, outputs: Sequence[Output], references: Sequence[Reference]) -> float:
        """Return the score of a test set, in which items may be repeated or left out."""

    def rows(self, outputs: Sequence[Output], references: Sequence[Reference]) -> AnyArray:
        """Return the items themselves, shape (n, 2): of floats if both sides are numbers, else of objects."""
        numbers = self.output_type is float and self.reference_type is float
        rows = np.empty((len(outputs), 2), dtype=np.float64 if numbers else object)
        for row, output, reference in zip(rows, outputs, references, strict=True):
            row[0], row[1] = output, reference
        return rows

    def scores_of(self, outputs: AnyArray, references: AnyArray) -> AnyArray:
        """Return the scores of several test sets of numbers, shape (..., n) of both sides to (...).

        Resampling calls it with a few hundred test sets at once. By default each is scored by `score_of`. Override it
        if many can be scored faster together.
        """
        sets = (side.reshape(-1, side.shape[-1]) for side in (outputs, references))
        scores = [checked_score(self.name, partial(self.score_of, *both)) for both in zip(*sets, strict=True)]
        return np.asarray(scores).reshape(outputs.shape[:-1])

    def score_of_set(self, rows: AnyArray) -> float:
        """Return the score of a test set.

        Raises
        ------
        OptionError
            If the score is not finite, or the metric raises an error.
        """
        if rows.dtype == object:
            outputs, references = rows.T
            return checked_score(self.name, lambda: self.score_of(outputs.tolist(), references.tolist()))
        return float(self.scores_of_sets(rows[None])[0])

    def scores_of_sets(self, rows: AnyArray) -> FloatArray:
        """Return the scores of b test sets, shape (b, n, 2) to (b,).

        Raises
        ------
        OptionError
            As `score_of_set`.
        """
        if rows.dtype == object:
            return np.array([self.score_of_set(row) for row in rows])
        # Each side contiguous, whatever the number of sets, so that sums do not depend on it.
        outputs, references = np.ascontiguousarray(np.moveaxis(rows, -1, 0))
        return checked_scores(self.name, lambda: self.scores_of(outputs, references), len(rows))

    def sides(self, rows: AnyArray) -> tuple[AnyArray, ...]:
        """Return the arguments of `scores_of_sides` for rows, shape (n, 2): arrays with items along the first axis."""
        return (rows,)

    def scores_of_sides(self, sides: Sequence[AnyArray]) -> FloatArray:
        """Return the scores of b test sets, shape (b,), given `sides` with items along the second axis."""
        (rows,) = sides
        return self.scores_of_sets(rows)

    def item_scores(self, rows: AnyArray) -> None:
        del rows


class ResponseMetric(OutputMetric[Output, Reference]):
    """A metric whose outputs are sets of responses: spans, brackets, links, attachments.

    An item's row is the contribution of its reference plus the rows of the system's responses. So
    the test "randomization-by-response" can swap them one by one.
    """

    @abstractmethod
    def responses(self, output: Output, reference: Reference) -> Mapping[Hashable, Sequence[float]]:
        """Return the row, length k, of every response in the output, keyed by the response.

        Equal responses of two systems must have equal keys.
        """
