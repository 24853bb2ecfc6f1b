"""Scores of systems on the items of a test set: the input of every analysis."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from outscore._types import AnyArray, IntArray
from outscore.data.cells import Cells
from outscore.data.coercion import LARGEST_NUMBER, score_gain
from outscore.data.pairing import align, check_ids, hint_on_ids, labels_of, with_places
from outscore.data.rows import Labels, Missing, Rows
from outscore.design import Design
from outscore.design.clusters import Orders
from outscore.design.constant import Constant
from outscore.design.settling import Declaration, averaged
from outscore.design.strata import Strata
from outscore.design.test_sets import TestSets
from outscore.errors import DataError, NotApplicableError, OptionError, Problem
from outscore.metrics import AnyMetric, Metric, RatioMetric
from outscore.options import opt
from outscore.text.aliases import own_spec
from outscore.text.naming import listed, nearest, printable, quoted

if TYPE_CHECKING:
    from outscore.data.items import ItemTexts, Texts
    from outscore.results.audit import PairingAudit

_BY_POSITION = "Not all systems have item ids: items are paired by position."


@dataclass(frozen=True, eq=False)
class Systems:
    """Systems as they were read, each with its own items.

    Attributes
    ----------
    rows : tuple of tuples of Rows
        For each metric, those of every system.
    families : tuple of str or None
        Systems of one family are expected to be correlated, such as those of one research group or base model.
    clusters, strata : Labels, optional
        Labels of the first system's items.
    notes : tuple of str
        Notes for users on how the systems were read.
    texts : callable, optional
        For outputs: returns the texts that were read and written, for each metric.
    declared : Declaration
        The user's declarations of runs, samples and strata.
    test_sets : Labels, optional
        Labels of the first system's items.
    other_clusters : Labels, optional
        Labels of the first system's items, crossed with `clusters`.
    orders : Labels, optional
        The order in which a judge saw the answers, of the first system's items. Clusters are then the items judged.
    audit : PairingAudit, optional
        For systems in logs: how they were paired.
    read_texts : callable, optional
        For systems in logs: returns the inputs and answers of some items, by system and item.
    fingerprint : callable, optional
        For systems in logs: identifies the items beyond their ids, to compare them with those of other logs.
    ratings : mapping of tuple of str to sequence of float
        The ratings of each system and item whose mean is its score.

    Raises
    ------
    DataError
        If an item id is repeated.
    """

    metrics: tuple[AnyMetric, ...]
    rows: tuple[tuple[Rows, ...], ...]
    families: tuple[str | None, ...]
    clusters: Labels | None = None
    strata: Labels | None = None
    notes: tuple[str, ...] = ()
    texts: Callable[[], Sequence[Texts | None]] | None = None
    declared: Declaration = field(default_factory=Declaration)
    test_sets: Labels | None = None
    other_clusters: Labels | None = None
    orders: Labels | None = None
    audit: PairingAudit | None = None
    read_texts: Callable[[Collection[str]], Mapping[str, Mapping[str, ItemTexts]]] | None = None
    fingerprint: Callable[[], str] | None = None
    ratings: Mapping[tuple[str, str], Sequence[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        named = [system for systems in self.rows for system in systems if system.item_ids is not None]
        if named:
            check_ids(named)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the systems, in the order given."""
        return tuple(rows.name for rows in self.rows[0])

    @property
    def on_a_design(self) -> bool:
        """Whether labels or declarations describe the items or runs, in addition to their scores."""
        several = any(system.cells is not None for rows in self.rows for system in rows)
        labelled = (self.clusters, self.strata, self.test_sets) != (None, None, None)
        return several or labelled or self.declared != Declaration()

    def noting(self, notes: Sequence[str]) -> Systems:
        """Return the same systems with notes before their own."""
        return replace(self, notes=(*notes, *self.notes)) if notes else self

    def ordered(self, places: Sequence[int]) -> Systems:
        """Return some of the systems, or all in another order; labels stay with their items."""
        return replace(
            self,
            rows=tuple(tuple(rows[index] for index in places) for rows in self.rows),
            families=tuple(self.families[index] for index in places),
            texts=None if self.texts is None else partial(_texts_ordered, self.texts, places),
            **self._labels(self.rows[0][0]),  # type: ignore[arg-type]
        )

    def _labels(self, items: Rows) -> dict[str, Labels]:
        """Return the existing labels, with the ids of the first system's items, by attribute."""
        labels = {name: getattr(self, name) for name in ("clusters", "strata", "test_sets", "other_clusters", "orders")}
        return {name: given.with_ids_of(items) for name, given in labels.items() if given is not None}

    def paired(self) -> Scores:
        """Return the systems' scores, paired item by item.

        Raise DataError if a system lacks items that are not to be left out, labels do not match the items, or a stratum
        of one unit is not to be merged.
        """
        declared, metrics, systems = self.declared, self.metrics, self.rows
        drops = declared.missing is Missing.DROP
        in_cells = any(system.cells is not None for rows in systems for system in rows)
        if drops and (self.orders is not None or declared.crossed or in_cells):
            # Items that are left out of one system must not move those of another.
            systems = tuple(map(with_places, systems))
        labels = self._labels(systems[0][0])
        by_position = len({rows.item_ids is None for rows in systems[0]}) == 2
        if declared.crossed or declared.missing is Missing.ZERO or in_cells:
            reduced = [declared.settled(metric, rows) for metric, rows in zip(metrics, systems, strict=True)]
            metrics, systems = zip(*reduced, strict=True)
        aligned = [align(rows, declared.missing) for rows in systems]
        if any(rows[0].item_ids != aligned[0][0].item_ids for rows in aligned):
            # Metrics of several columns may lack other items than metrics of one.
            every = align([system for rows in aligned for system in rows], declared.missing)
            aligned = [every[start : start + len(self.names)] for start in range(0, len(every), len(self.names))]
        of_orders: Sequence[str] = ()
        n_shared = len(aligned[0][0])
        if n_shared == 1:  # of logs, cached rows, or systems that share no more
            item = f" ({quoted(aligned[0][0].item_ids[0])})" if aligned[0][0].item_ids else ""
            what = f"expected at least 2 items in all systems, got 1{item}"
            raise DataError(Problem(aligned[0][0].where, what, "One item has no variance.", "one-item"))
        if "orders" in labels:
            aligned, of_orders = _in_both_orders(aligned, labels, drops=drops)
        first, of_clusters, of_strata = aligned[0][0], labels.get("clusters"), labels.get("strata")
        design, on_strata = Design.of_items(first, of_clusters, of_strata, labels.get("other_clusters"))
        test_sets = TestSets.of(first, labels["test_sets"]) if "test_sets" in labels else None
        if declared.weights is not None:
            strata = design.get(Strata)
            if strata is None:
                what = "needs strata, got none"
                raise OptionError(Problem(opt("weights"), what, f"Pass {opt('strata')}.", "no-strata"))
            design = design.having(strata.weighing(declared.weights))
        orders = Orders.of(first, labels["orders"]) if "orders" in labels else None
        design = design.having(orders, test_sets, *declared.crossed)
        notes = [*self.notes]
        if drops:
            seen = {item for rows in systems for system in rows for item in (*(system.item_ids or ()), *system.dropped)}
            if len(seen) > n_shared and self.audit is None:
                first, *others = systems[0]
                hints = (hint_on_ids(first.item_ids or (), other.item_ids or ()) for other in others)
                hint = next(filter(None, hints), "")
                notes.append(f"Left out {len(seen) - n_shared} item(s) that not all systems have. {hint}".rstrip())
        notes += [*of_orders, *on_strata]
        if by_position:
            notes.append(_BY_POSITION)
        if declared.crossed or declared.weights is not None:
            of_metrics = [averaged(metric, rows, design) for metric, rows in zip(metrics, aligned, strict=True)]
            metrics, systems = zip(*of_metrics, strict=True)
        else:
            systems = tuple(map(tuple, aligned))
        rows = tuple(map(tuple, systems))
        return Scores(tuple(metrics), rows, self.families, design, tuple(notes), self.audit, self.ratings)


def _in_both_orders(
    systems: list[list[Rows]], labels: Mapping[str, Labels], *, drops: bool
) -> tuple[list[list[Rows]], Sequence[str]]:
    """Return systems without the items that were judged in one order only, which are an error unless left out."""
    first = systems[0][0]
    orders, units = Orders.of(first, labels["orders"]), labels_of(labels["clusters"], first)
    kept = orders.complete(np.array(units))
    complete = {units[index] for index in kept.tolist()}
    lost = list(dict.fromkeys(unit for unit in units if unit not in complete))
    if not lost:
        return systems, ()
    if not drops:
        what = f"{len(lost)} item(s) have verdicts in one of the two orders only: {listed(lost)}"
        advice = f"Add the other verdicts, or pass {Missing.DROP.option} to leave these items out."
        raise DataError(Problem(first.where, what, advice, "missing-order"))
    note = f"Left out {len(lost)} item(s) with verdicts in one of the two orders only."
    return [[rows.take(kept) for rows in on_metric] for on_metric in systems], [note]


def _texts_ordered(texts: Callable[[], Sequence[Texts | None]], places: Sequence[int]) -> Sequence[Texts | None]:
    return [
        None if part is None else replace(part, outputs=[part.outputs[index] for index in places]) for part in texts()
    ]


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of systems on the same items: for one or more metrics, rows of sufficient statistics and a design.

    Create them with `outscore.read`.

    Attributes
    ----------
    rows : tuple of tuples of Rows
        For each metric, those of every system, item by item in the order of the design.
    families : tuple of str or None
        One per system; None if unknown.
    design : Design
        The items.
    notes : tuple of str
        Notes for users on how the systems were read and paired.
    audit : PairingAudit, optional
        For systems in logs of evaluation harnesses: how they were paired.
    ratings : mapping of tuple of str to sequence of float
        The ratings of each system and item whose mean is its score.

    Examples
    --------
    >>> from outscore import read
    >>> scores = read({"old": [1, 0, 0, 1], "new": [1, 1, 0, 1]}, metric="accuracy")
    >>> scores.names, scores.values().shape, scores.design.n_items
    (('old', 'new'), (2, 4, 2), 4)
    """

    metrics: tuple[AnyMetric, ...]
    rows: tuple[tuple[Rows, ...], ...]
    families: tuple[str | None, ...]
    design: Design
    notes: tuple[str, ...] = ()
    audit: PairingAudit | None = None
    ratings: Mapping[tuple[str, str], Sequence[float]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.families)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the systems, in the order given."""
        return tuple(rows.name for rows in self.rows[0])

    def values(self, metric: str | None = None) -> AnyArray:
        """Return the sufficient statistics, shape (systems, items, statistics), on one metric, by default the first."""
        return np.stack([rows.values for rows in self.rows[self.place_of(metric)]])

    def on(self, metric: AnyMetric | str | None) -> Scores:
        """Return the scores on one metric only, by default the first.

        Raises
        ------
        OptionError
            If the metric is unknown.
        """
        index = self.place_of(metric)
        return replace(self, metrics=(self.metrics[index],), rows=(self.rows[index],))

    def place_of(self, metric: AnyMetric | str | None) -> int:
        """Return the index of a metric, given it or its name; 0 by default."""
        if metric is None:
            return 0
        names = [known_metric.name for known_metric in self.metrics]
        if not isinstance(metric, str):
            for known in (list(self.metrics), [known_metric.described for known_metric in self.metrics]):
                if metric in known:
                    return known.index(metric)
            what = f"expected one of the metrics of the scores, got {metric!r}"
            raise OptionError(Problem("metric", what, f"Known: {', '.join(names)}.", "unknown-metric"))
        if metric not in names:
            metric = own_spec(metric, [name.partition("@")[0] for name in names])
        if metric not in names:
            what = f"unknown metric {quoted(metric)}"
            raise OptionError(Problem("metric", what, nearest(metric, names), "unknown-metric"))
        return names.index(metric)

    def ordered(self, places: Sequence[int]) -> Scores:
        """Return some of the systems, or all in another order."""
        return replace(
            self,
            rows=tuple(tuple(rows[index] for index in places) for rows in self.rows),
            families=tuple(self.families[index] for index in places),
        )

    def against(self, constant: float | str) -> Scores:
        """Return the scores with a constant baseline as the first system.

        Parameters
        ----------
        constant : float or str
            In the unit of the score, such as 0.5 for preferences without a preferred side; for proportions also "50%".

        Raises
        ------
        OptionError
            If it is not a number or out of the metric's range, or items have no scores of the metric.
        NotApplicableError
            If the systems have different item weights.
        """
        placed = [_with_constant(metric, rows, constant) for metric, rows in zip(self.metrics, self.rows, strict=True)]
        metrics, rows, values = zip(*placed, strict=True)
        if len(set(values)) > 1:
            what = "a constant is in the unit of one metric, but there are several"
            raise OptionError(Problem(opt("against"), what, "Compare on one metric at a time.", "several-metrics"))
        design = self.design.having(Constant(values[0]))
        return replace(self, metrics=metrics, rows=rows, families=(None, *self.families), design=design)

    def on_items(self, index: IntArray) -> Scores:
        """Return the scores on some of the items, in that order."""
        rows = tuple(tuple(system.take(index) for system in systems) for systems in self.rows)
        return replace(self, rows=rows, design=self.design.take(index), audit=None)

    def audit_on(self, metric: AnyMetric) -> PairingAudit | None:
        """Return how logs were paired, for one metric."""
        return None if self.audit is None else self.audit.on(metric.name)

    def metric_with_rows(self, what: str) -> Metric:
        """Return the first metric, which must have additive statistics.

        Raises
        ------
        OptionError
            If it has none; `what` completes the message.
        """
        metric = self.metrics[0]
        if isinstance(metric, Metric):
            return metric
        lack = f"{metric.name} has no additive statistics, {what}"
        raise OptionError(Problem(opt("metric"), lack, "Choose another metric.", "recomputed-metric"))

    def refuse_test_sets(self, what: str) -> None:
        """Raise an error if there are several test sets; `what` is the reason.

        Raises
        ------
        OptionError
        """
        if self.design.test_sets is not None:
            advice = "Leave it out, or pass the items of one test set."
            raise OptionError(Problem(opt("test_sets"), what, advice, "several-test-sets"))

    def refuse_new_levels(self, what: str, advice: str = "Pass") -> None:
        """Raise an error if runs, templates, ... are random; `what` is the reason.

        Raises
        ------
        OptionError
        """
        for factor in self.design.new_levels:
            option = opt(factor.plural, factor.word_of(factor.claim))
            why = f"{what}, but scores on other {factor.plural} would differ"
            raise OptionError(
                Problem(option, why, f"{advice} {opt(factor.plural, 'fixed')}.", f"{factor.plural}-random")
            )

    def check_names(self) -> None:
        """Raise an error for fewer than two systems, duplicate names, or rows of another metric.

        Raises
        ------
        DataError
        """
        if len(self) < 2:
            what = f"expected at least two systems, got {f'one: {quoted(self.names[0])}' if self.names else 'none'}"
            raise DataError(Problem("leaderboard", what, "Pass more systems, or a leaderboard file.", "one-system"))
        twice = [name for name, times in Counter(self.names).items() if times > 1]
        if twice:
            advice = "Give each system a name of its own."
            problems = [(f"duplicate system name {quoted(name)}", advice, "duplicate-system") for name in twice]
            raise DataError(*(Problem("leaderboard", *problem) for problem in problems))
        for metric, systems in zip(self.metrics, self.rows, strict=True):
            width = len(metric.statistics) if isinstance(metric, Metric) else None
            for rows in systems:
                if width is not None and rows.values.shape[1] != width:
                    got = rows.values.shape[1]
                    what = f"expected rows of {metric.name} with {width} statistics, got rows with {got}"
                    advice = "Pass rows of one metric for all systems."
                    raise DataError(Problem(printable(rows.name), what, advice, "wrong-rows"))


def score_gain_of(value: object, argument: str, metric: AnyMetric, systems: Sequence[Rows]) -> float:
    """Return a gain, loss, margin or constant in the unit of a metric's score, as `score_gain` does.

    Per cent are also accepted if the metric is not a proportion but all items score 0 or 1: 1% is 0.01.
    """
    in_per_cent = isinstance(value, str) and "%" in value and len(systems) > 0
    is_share = metric.as_percentage or (in_per_cent and all(_are_right_or_wrong(metric, rows) for rows in systems))
    return score_gain(value, argument, metric=metric.name, is_share=is_share)


def _are_right_or_wrong(metric: AnyMetric, rows: Rows) -> bool:
    """Return whether all item scores are 0 or 1 in every cell, and the metric has no other range."""
    if not isinstance(metric, RatioMetric) or metric.score_range not in (None, (0, 1)):
        return False
    values = rows.values if rows.cells is None else rows.cells.values
    tops, bottoms = values @ np.asarray(metric.numerator), values @ np.asarray(metric.denominator)
    return bool(((tops == 0) | (tops == 1) | np.isnan(tops)).all() and ((bottoms == 1) | np.isnan(bottoms)).all())


def _with_constant(
    metric: AnyMetric, systems: tuple[Rows, ...], constant: float | str
) -> tuple[AnyMetric, tuple[Rows, ...], float]:
    """Return a metric, and rows of it preceded by those of a constant: the constant times the items' weights."""
    value = score_gain_of(constant, opt("against"), metric, systems)
    linear = isinstance(metric, RatioMetric) and (metric.numerator, metric.denominator) == ((1.0, 0.0), (0.0, 1.0))
    if not isinstance(metric, RatioMetric) or not linear:
        what = f"{metric.name} has no item scores that could be {value:g}"
        raise OptionError(Problem(opt("against"), what, "Use a mean, such as accuracy.", "no-constant"))
    low, high = metric.score_range or (-math.inf, math.inf)
    low, high = max(low, -LARGEST_NUMBER), min(high, LARGEST_NUMBER)
    if not (math.isfinite(value) and low <= value <= high):
        what = f"expected a number from {low:g} to {high:g}, the range of {metric.name}, got {value:g}"
        raise OptionError(Problem(opt("against"), what, "", "out-of-range"))
    first = systems[0]
    scored = (first.values if first.cells is None else first.cells.values)[..., 0]
    if value == 0.5 and -1 in scored and np.isin(scored, (-1, 0, 1)).all():
        what = f"the scores of {first.name} are only 1, 0 and -1, so a tie is 0, not 0.5"
        advice = f"If they are wins, ties and losses, pass {opt('against', '0')}, or write them as 1, 0.5 and 0."
        raise OptionError(Problem(opt("against"), what, advice, "not-halves"))
    for other in systems[1:]:
        if not np.array_equal(other.values[:, 1], first.values[:, 1]):
            what = f"{first.name} and {other.name} have different item weights, so no constant fits both"
            raise NotApplicableError(
                Problem(opt("against"), printable(what), "Compare them one by one.", "unlike-weights")
            )

    def constant_rows(rows: AnyArray) -> AnyArray:
        return np.stack([value * rows[..., 1], rows[..., 1]], axis=-1)

    cells = first.cells
    if cells is not None:
        cells = Cells(cells.axes, constant_rows(cells.values), averaged=cells.averaged)
    variance = None if first.sampling_variance is None else np.zeros(len(first))
    baseline = Rows(f"{value:g}", constant_rows(first.values), first.item_ids, cells=cells, sampling_variance=variance)
    from outscore.metrics.families.averages import AveragedRatio

    # A constant has no counts of successes and trials.
    averaged = AveragedRatio(metric) if metric.is_proportion else metric
    return averaged, (baseline, *systems), value
