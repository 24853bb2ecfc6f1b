"""What a metric is: rows of items, and the score of totals."""

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
from outscore.data.coercion import as_written
from outscore.data.pairing import pair_corpora
from outscore.data.rows import Rows
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics.checked import checked_score, checked_scores, metric_error
from outscore.text.naming import quoted

if TYPE_CHECKING:
    from outscore.data.items import Corpus, ReferenceDigest

Output = TypeVar("Output")
Reference = TypeVar("Reference")

LARGEST_NUMBER = 1e100  # that any reader takes: squares and products of larger numbers overflow
_LARGEST_STATISTIC = LARGEST_NUMBER**2  # a square of such a number
_SAME = 1e-9  # of one score computed twice


@dataclass(frozen=True, slots=True)
class Fault:
    """What a metric finds wrong with one item's columns; the caller knows the file and the line.

    Attributes
    ----------
    index : int
    what, advice, slug : str
        As of `Problem`.
    column : int, optional
        The column that is wrong, where `what` leaves its name to the caller, who knows how the table calls it.
    """

    index: int
    what: str
    advice: str
    slug: str
    column: int | None = None


def is_shipped(metric: AnyMetric) -> bool:
    """Tell whether a metric is one of the package's own, whose declaration needs no check."""
    return type(metric).__module__.startswith("outscore.metrics.")


class AnyMetric(ABC):
    """What all metrics have, whether their rows add up (`Metric`) or not (`RecomputedMetric`).

    Attributes
    ----------
    name : str
        The name on the command line and in JSON.
    title : str
        What papers call it, "BLEU"; reports for people write this. The name by default.
    statistics : tuple of str
        What the k columns of a row hold.
    higher_is_better : bool
        Gains are turned so that a positive gain always means that the candidate is better.
    as_percentage : bool
        Whether people are shown 100 times the score; JSON and Python always hold the score itself.
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    statistics: ClassVar[tuple[str, ...]]
    as_percentage: ClassVar[bool] = False
    higher_is_better: bool
    swappable: ClassVar[bool] = True  # whether exchanging the rows of an item makes sense

    @property
    def score_range(self) -> tuple[float, float] | None:
        """The lowest and the highest score possible, of an item and so of a test set; infinite without a bound.

        None where the metric does not know: a column of numbers may hold any. Metrics that know set an attribute.
        """
        return None

    @property
    def described(self) -> AnyMetric:
        """The metric that users know: itself, but for an average of another one's scores."""
        return self

    def on_test_set(self, test_set: str) -> Self:
        """Return the metric of one test set, where test sets have metrics of their own."""
        del test_set
        return self

    @abstractmethod
    def score_of_set(self, rows: AnyArray) -> float:
        """Return the score of the test set that has these rows, shape (n, k)."""

    @abstractmethod
    def item_scores(self, rows: AnyArray) -> FloatArray | None:
        """Return each item's own score, shape (n,), for counting helped and hurt items; None where it has none."""

    def remarks(self, rows: AnyArray) -> Sequence[str]:
        """Return what users should know of the score of a system with these rows; results hold it as warnings."""
        del rows
        return ()


class Metric(AnyMetric):
    """A score of summed rows.

    A metric maps each item to a row of k sufficient statistics, and the sum of rows to a score.
    Every test, interval and report works on that alone.

    Attributes
    ----------
    shared_statistics : tuple of str
        Those of the statistics that are the same for every system, whatever it answers: how many items there are,
        how long the references. A ratio over them alone has exact laws.
    signed : bool
        Whether statistics may be negative: not where all of them are counts, sizes or errors.
    parts : tuple of (str, str)
        Statistics of which the first is at most the second in every item: what is right, and what was answered.
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
            Sums of rows; leading axes are free.

        Returns
        -------
        ndarray, shape (...)
        """

    def score_of_set(self, rows: AnyArray) -> float:
        """Return the score of the summed rows.

        Raises
        ------
        OptionError
            A score that is no finite number, or an error of the metric's own.
        """
        return checked_score(self.name, lambda: self.score(rows.sum(axis=0)))

    def item_scores(self, rows: AnyArray) -> FloatArray | None:
        return self.score(rows)

    def faults_of_rows(self, rows: FloatArray) -> Iterator[Fault]:
        """Yield what is wrong with rows, shape (n, k), whoever made them: what no item can have."""
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
        places = {name: j for j, name in enumerate(names)}
        for part, whole in self.parts:
            left, right = rows[:, places[part]], rows[:, places[whole]]
            for i in np.flatnonzero(left > right + _SAME * np.abs(right)).tolist():
                yield _of_row(i, part, f"at most {whole} ({right[i]:g})", left[i], "part-too-large")


def fault_of_scale(columns: FloatArray) -> Fault | None:
    """Return what is wrong with the size of finite numbers, shape (n, k), that any reader has read; None if nothing is.

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
    """Return totals @ coefficients, shape (..., k) to (...); of many rows, where that is a column, that column."""
    used = [place for place, coefficient in enumerate(coefficients) if coefficient]
    if totals.ndim == 2 and len(totals) > ONE_BLOCK and len(used) == 1 and coefficients[used[0]] == 1:
        return totals[:, used[0]]
    return np.asarray(totals @ np.asarray(coefficients))


def _of_row(index: int, statistic: str, expected: str, got: float, slug: str) -> Fault:
    return Fault(index, f"statistic {quoted(statistic)}: expected {expected}, got {got:g}", "", slug)


class RatioMetric(Metric):
    """A metric whose score is one weighted sum of statistics over another.

    score(T) = (numerator · T) / (denominator · T), and 0 where the denominator is 0. Exact laws are derived from that
    formula alone, so that `score` is not to be overridden; another formula is a `Metric`.

    Means, accuracies, error rates, precision, recall and F are all of this form. Where the two systems
    share the denominators item by item, their gain is linear in the weights of the items; otherwise two
    counts describe it. Both have exact laws.

    Attributes
    ----------
    numerator, denominator : tuple of float
        One coefficient a statistic, length k.
    is_proportion : bool
        Whether the score counts successes among the denominator's trials, so that tests of two
        proportions can be computed from the totals.
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
            As for any metric; a `score` of the metric's own that is another formula.
        """
        totals = rows.sum(axis=0)
        score, ratio = checked_score(self.name, lambda: self.score(totals)), float(RatioMetric.score(self, totals))
        if not math.isclose(score, ratio, rel_tol=_SAME, abs_tol=_SAME):
            what = f"scores {score!r} where numerator / denominator is {ratio!r}: a RatioMetric has no other formula"
            raise metric_error(self.name, what, "bad-score")
        return score

    def faults_of_rows(self, rows: FloatArray) -> Iterator[Fault]:
        """Yield what is wrong with rows, denominators below 0 among it."""
        yield from super().faults_of_rows(rows)
        bottoms = rows @ np.asarray(self.denominator)
        for i in np.flatnonzero(bottoms < 0).tolist():
            yield Fault(i, f"expected a denominator of 0 or more, got {bottoms[i]:g}", "", "negative-denominator")

    def item_scores(self, rows: FloatArray) -> FloatArray:
        """Return each item's own score, shape (n,); the best one where there was nothing to get wrong."""
        nothing = combined(rows, self.denominator) == 0
        if not nothing.any():
            return self.score(rows)
        return np.where(nothing, 1.0 if self.higher_is_better else 0.0, self.score(rows))


class ColumnMetric(Metric):
    """A metric whose rows are read from the columns of a table.

    Attributes
    ----------
    columns : tuple of str
        The columns that a table must have, in order; a metric of one column reads bare files of one
        number a line as well.
    """

    columns: ClassVar[tuple[str, ...]]

    def rows(self, columns: FloatArray) -> FloatArray:
        """Return the rows, shape (n, k), of items whose columns have shape (n, number of columns)."""
        return columns

    def faults(self, columns: FloatArray) -> Sequence[Fault]:
        """Return what is wrong with the columns of each item; they are known to be finite."""
        del columns
        return ()

    def rows_of(self, table: Rows, fields: Sequence[str] | None = None) -> Rows:
        """Turn the columns of a table into this metric's rows, checked.

        Parameters
        ----------
        table : Rows
            `values` holds the columns, shape (n, number of columns).
        fields : sequence of str, optional
            How the table calls them; by default as the metric does.

        Raises
        ------
        DataError
            No items or only one, a number that is not finite, or columns that this metric refuses.
        OptionError
            Another number of columns than this metric has.
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
                    "Give these columns in this order, or name another metric.",
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
                        "Correct the item, or remove it from both systems.",
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
    """What is known of the rows that a metric is used on.

    Attributes
    ----------
    named : AnyOutputMetric
        The metric as a user named it, without what `fitted` found in the data.
    signature : str, optional
        Of what computed the rows, where that is not outscore alone.
    remarks : tuple of str
        What users should know of how the metric reads these references; results hold it as warnings.
    digest : callable, optional
        That returns the digest of the references.
    """

    named: AnyOutputMetric[Any, Any]
    signature: str | None = None
    remarks: tuple[str, ...] = ()
    digest: Callable[[], ReferenceDigest] | None = field(default=None, compare=False)


class AnyOutputMetric(AnyMetric, Generic[Output, Reference]):
    """A metric that compares a system's outputs with references, whether its rows add up or not.

    Its options are the fields of a frozen dataclass, with their reference implementation's names and defaults.
    `statistics` may depend on them.

    Attributes
    ----------
    output_type, reference_type : type
        What one output and one reference are: `str` for a segment of text, or a type of `outscore.data.items`.
        Readers are found by these types.
    takes_several_references : bool
        Whether an item may have several references; then `rows` gets a tuple of them for every item.
    citation : str
        The paper, and the reference implementation whose corpus score is equalled.
    extra : str, optional
        The extra of outscore that installs what `rows` needs: "mt" for ``outscore[mt]``.
    packages : tuple of str
        The packages that compute the rows: another version of them may give other rows.
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
        """Return this metric with what the rows of all systems must share fixed, such as the set of labels."""
        del references, outputs
        return self

    def reference_signature(self, references: Sequence[Reference]) -> str | None:
        """Return the signature that the reference implementation itself gives its score, None where it gives none."""
        del references
        return None

    def remarks_on_references(self, references: Sequence[Reference]) -> Sequence[str]:
        """Return what users should know of how the metric reads the references of a test set."""
        del references
        return ()

    def remarks_on_outputs(self, outputs: Sequence[Output]) -> Sequence[str]:
        """Return what users should know of how the metric reads the outputs of a system."""
        del outputs
        return ()

    @property
    def origin(self) -> Origin:
        """What is known of the rows; the metric itself where nothing else is."""
        origin: Origin | None = self.__dict__.get("_origin")
        return origin or Origin(self)

    def with_origin(self, origin: Origin) -> Self:
        """Return an equal metric that knows where its rows come from."""
        metric = copy(self)
        metric.__dict__["_origin"] = origin
        return metric

    def refitted(self, rows: AnyArray, to: Self) -> AnyArray | None:
        """Return rows of this metric, shape (n, k), as those of the same metric that was fitted to other systems.

        None where that cannot be done: rows that were made apart then do not go together.
        """
        return rows if to == self else None

    @abstractmethod
    def rows(self, outputs: Sequence[Output], references: Sequence[Reference]) -> AnyArray:
        """Return one row an item, shape (n, k).

        Parameters
        ----------
        outputs : sequence of n outputs
        references : sequence of n references, or of n tuples of references where the metric takes several

        Raises
        ------
        DataError
            Outputs that do not fit their references, such as other tokens; the place is the index of the item,
            "[3]", which readers complete with file and line.
        """


class OutputMetric(Metric, AnyOutputMetric[Output, Reference]):
    """A metric of outputs whose rows are sufficient statistics: they add up, and the score is one of their sums.

    Metrics whose score is a ratio of sums derive from `RatioMetric` as well.
    """

    @abstractmethod
    def rows(self, outputs: Sequence[Output], references: Sequence[Reference]) -> FloatArray:
        """Return the rows of sufficient statistics, shape (n, k); see `AnyOutputMetric.rows`."""


class RecomputedMetric(AnyOutputMetric[Output, Reference]):
    """A metric of outputs that has no sufficient statistics: its score is recomputed on every resampled test set.

    Rank correlations are of this kind, and whatever only a call tells. A row holds the item itself, its output and
    its reference; resampling repeats rows, and randomization exchanges them. Every test that samples works, at the
    cost of two scores a resample; exact laws exist for few items.
    """

    statistics = ("output", "reference")

    @abstractmethod
    def score_of(self, outputs: Sequence[Output], references: Sequence[Reference]) -> float:
        """Return the score of a test set: the items as they are, or as drawn, each as often as it was."""

    def rows(self, outputs: Sequence[Output], references: Sequence[Reference]) -> AnyArray:
        """Return the items themselves, shape (n, 2): of floats where both sides are numbers, else of objects."""
        numbers = self.output_type is float and self.reference_type is float
        rows = np.empty((len(outputs), 2), dtype=np.float64 if numbers else object)
        for row, output, reference in zip(rows, outputs, references, strict=True):
            row[0], row[1] = output, reference
        return rows

    def scores_of(self, outputs: AnyArray, references: AnyArray) -> AnyArray:
        """Return the scores of several test sets of numbers, shape (..., n) of both sides to (...).

        Resampling asks for a few hundred at once. By default they are computed one by one, with `score_of`; a metric
        that is computed faster together overrides it.
        """
        sets = (side.reshape(-1, side.shape[-1]) for side in (outputs, references))
        scores = [checked_score(self.name, partial(self.score_of, *both)) for both in zip(*sets, strict=True)]
        return np.asarray(scores).reshape(outputs.shape[:-1])

    def score_of_set(self, rows: AnyArray) -> float:
        """Return the score of a test set.

        Raises
        ------
        OptionError
            A score that is no finite number, or an error of the metric's own.
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
            return np.array([self.score_of_set(one) for one in rows])
        # Each side of a set together in memory, whatever the number of sets: sums do not depend on their company.
        outputs, references = np.ascontiguousarray(np.moveaxis(rows, -1, 0))
        return checked_scores(self.name, lambda: self.scores_of(outputs, references), len(rows))

    def sides(self, rows: AnyArray) -> tuple[AnyArray, ...]:
        """Return what `scores_of_sides` needs of rows, shape (n, 2): arrays with the items along their first axis."""
        return (rows,)

    def scores_of_sides(self, sides: Sequence[AnyArray]) -> FloatArray:
        """Return the scores of b test sets, whose items are of `sides` and along the second axis, shape (b,)."""
        (rows,) = sides
        return self.scores_of_sets(rows)

    def item_scores(self, rows: AnyArray) -> None:
        del rows


class ResponseMetric(OutputMetric[Output, Reference]):
    """A metric whose outputs are sets of responses: spans, brackets, links, attachments.

    An item's row is what its reference contributes whatever the system answers, plus the rows of the responses
    that the system gave. That is what lets responses be swapped one by one (Yeh 2000, section 3.3).
    """

    @abstractmethod
    def shared_row(self, reference: Reference) -> Sequence[float]:
        """Return what the reference alone contributes, length k: the counts of gold responses."""

    @abstractmethod
    def responses(self, output: Output, reference: Reference) -> Mapping[Hashable, Sequence[float]]:
        """Return the row, length k, of every response in the output, by what the response is.

        Two systems that give the same response give it under the same key.
        """

    def rows(self, outputs: Sequence[Output], references: Sequence[Reference]) -> FloatArray:
        """Return the rows, shape (n, k): `shared_row` plus all `responses` of an item."""
        rows = np.array([self.shared_row(reference) for reference in references], dtype=np.float64)
        rows = rows.reshape(len(references), len(self.statistics))
        for row, output, reference in zip(rows, outputs, references, strict=True):
            for response in self.responses(output, reference).values():
                row += response
        return rows
