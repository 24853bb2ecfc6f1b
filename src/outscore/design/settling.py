"""From cells as read to one row per item and system: samples reduced, levels averaged, strata weighted.

All later code works on rows of sufficient statistics, without runs or weights. These are included in the rows and in
the metric that scores their totals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np

from outscore.data.cells import Cells, each
from outscore.data.reducers import Reducer
from outscore.data.rows import MissingCells, MissingTreatment, Rows, RunDesign
from outscore.design.crossed import CrossedFactor
from outscore.design.design import Design
from outscore.design.runs import Runs
from outscore.design.strata import Strata, StratumWeights
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics import AnyMetric, ColumnMetric, Metric, RatioMetric
from outscore.options import opt
from outscore.text.naming import listed, quoted

_Kind = TypeVar("_Kind", bound=CrossedFactor)


@dataclass(frozen=True)
class Declaration:
    """The user's declarations of crossed factors, missing scores and weights.

    Attributes
    ----------
    crossed : tuple of CrossedFactor
        Runs, templates, ..., in the order of `FACTORS`.
    drops_missing : bool
        Whether items that lack a cell are left out. Otherwise they are an error.
    zeroes_missing : bool
        Whether missing scores are 0.
    weights : str or mapping, optional
        "macro", "size", or the weights of the strata by name.
    """

    crossed: tuple[CrossedFactor, ...] = ()
    drops_missing: bool = False
    zeroes_missing: bool = False
    weights: StratumWeights | None = None

    def get(self, kind: type[_Kind]) -> _Kind | None:
        """Return the crossed factor of a kind, or None."""
        return next((factor for factor in self.crossed if isinstance(factor, kind)), None)

    @property
    def samples(self) -> Runs | None:
        """The runs, if they are samples of items."""
        runs = self.get(Runs)
        return runs if runs is not None and runs.claim is RunDesign.SAMPLES else None

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes that cells can have."""
        return tuple(factor.name for factor in self.crossed)

    @property
    def axis_of_files(self) -> str:
        """The axis of several files of one system: runs, if there are any or nothing is declared."""
        return next(iter(self.axes), Runs.name)

    def settled(self, metric: AnyMetric, systems: Sequence[Rows]) -> tuple[AnyMetric, list[Rows]]:
        """Return systems without missing cells, with samples reduced to one score per item.

        Raises
        ------
        DataError
            If runs have no claim, a cell has no item, systems have different levels or lack significantly different
            proportions of their cells, or there are too few samples for the reducer.
        OptionError
            If the metric has no rows.
        """
        # Systems of one table share one ids object.
        all_ids = {id(ids): ids for rows in systems for ids in (rows.item_ids or (), rows.dropped)}
        items = tuple(dict.fromkeys(item for ids in all_ids.values() for item in ids))
        if self.crossed:
            systems = [replace(rows, missing=self._missing(rows, len(items))) for rows in systems]
        if self.zeroes_missing:
            systems = [_zeroed(metric, rows, items) for rows in systems]
        systems = [self._declared(rows) for rows in systems]
        if not self.crossed:
            # Only systems in memory have empty cells without a factor.
            return metric, [
                rows if rows.cells is None else replace(self._complete(rows), cells=None) for rows in systems
            ]
        if not isinstance(metric, Metric):
            what = f"{metric.name} has no additive statistics, so it cannot be averaged over {self.crossed[0].plural}"
            raise OptionError(Problem(opt("metric"), what, "Choose another metric.", "recomputed-metric"))
        for factor in self.crossed:
            systems = [factor.placed(rows) for rows in systems]
        if self.drops_missing:
            systems = _by_place(systems)
        for factor in self.crossed:
            factor.check(systems)
        reducer = None if self.samples is None else self.samples.reducer or Reducer("mean")
        any_number = reducer is not None and reducer.of_subsets and len(self.crossed) == 1
        if not (self.zeroes_missing or self.drops_missing or any_number):
            _check_shares(systems)
        if reducer is not None:
            metric, systems = self._reduced(metric, systems, reducer)
            if len(self.crossed) == 1:
                return metric, list(systems)
        return metric, [self._complete(rows) for rows in systems]

    def _declared(self, rows: Rows) -> Rows:
        """Return a system without undeclared axes, which must have one level."""
        cells = rows.cells
        for axis in () if cells is None else cells.axes:
            if axis.name not in self.axes:
                if len(axis) > 1:
                    raise Runs.undeclared(rows, axis)
                assert cells is not None
                cells = cells.without(axis.name)
        return rows if cells is rows.cells else replace(rows, cells=cells)

    def _missing(self, rows: Rows, n_items: int) -> MissingCells:
        """Return the number of cells that a system lacks."""
        lacking = np.zeros((1, len(rows))) if rows.cells is None else rows.cells.lacking
        n_cells = lacking[..., 0].size
        cells = n_cells * (n_items if rows.item_ids is not None else len(rows))
        averages = self.samples is not None and len(self.crossed) == 1
        treated = MissingTreatment.AVERAGED if averages else MissingTreatment.DROPPED
        treated = MissingTreatment.ZERO if self.zeroes_missing else treated
        return MissingCells(int(lacking.sum()) + cells - lacking.size, cells, treated)

    def _complete(self, rows: Rows) -> Rows:
        """Return a system without the items that lack a cell."""
        cells = rows.cells
        assert cells is not None
        lacking = cells.lacking
        empty = np.argwhere(lacking.all(axis=-1))
        if len(empty):
            names = [axis.name for axis in cells.axes]
            what = f"has no scores of {cells.called(empty[0].tolist())}: expected every {' with every '.join(names)}"
            advice = f"Add them, or leave out that {' or '.join(names)}."
            raise DataError(Problem(rows.where, what, advice, "missing-cells"))
        incomplete = np.flatnonzero(lacking.any(axis=tuple(range(len(cells.axes)))))
        if len(incomplete) == 0:
            return rows
        ids = _ids_of(rows)
        lost = [ids[place] for place in incomplete.tolist()]
        if not self.drops_missing:
            first = cells.called(np.argwhere(lacking[..., incomplete[0]])[0].tolist())
            what = f"{len(lost)} item(s) lack a score in some of the {cells.counted}: {listed(lost)}; the first "
            what += f"lacks that of {first}"
            drop, zero = opt("drop_missing", True), opt("zero_missing", True)
            advice = f"Add them, or pass {drop} to leave these items out, {zero} to score them 0."
            raise DataError(Problem(rows.where, what, advice, "missing-cells"))
        kept = rows.take(np.setdiff1d(np.arange(len(rows)), incomplete))
        return replace(kept, dropped=(*rows.dropped, *lost))

    def _reduced(self, metric: Metric, systems: Sequence[Rows], reducer: Reducer) -> tuple[AnyMetric, list[Rows]]:
        if not isinstance(metric, ColumnMetric) or len(metric.columns) > 1:
            if reducer.kind != "mean" or any(rows.cells is not None and rows.cells.lacking.any() for rows in systems):
                what = f"{metric.name} has no scores of single samples, which {reducer.name} needs"
                raise OptionError(
                    Problem(opt("reduce"), what, "Use a metric with one column of scores.", "not-reducible")
                )
            return metric, [_cell_by_cell(rows, _mean_of_samples) for rows in systems]
        from outscore.metrics.families.averages import AveragedRatio  # needed only with runs or weights

        return AveragedRatio(metric) if isinstance(metric, RatioMetric) else metric, [
            _cell_by_cell(rows, partial(_with_scores, metric, reducer=reducer)) for rows in systems
        ]


def _by_place(systems: Sequence[Rows]) -> Sequence[Rows]:
    """Return systems without item ids unless all have them, so that items are left out of all systems."""
    named = next((rows for rows in systems if rows.item_ids is not None), systems[0])
    if all(rows.item_ids is not None for rows in systems) or len(set(map(len, systems))) > 1:
        return systems
    ids = named.item_ids or tuple(str(place + 1) for place in range(len(named)))
    return [rows if rows.item_ids is not None else replace(rows, item_ids=ids) for rows in systems]


def _check_shares(systems: Sequence[Rows]) -> None:
    """Raise an error if systems lack significantly different proportions of their cells."""
    from outscore.laws.exact.missing import Lacking, refuse_unequal_shares

    lacking = []
    for rows in systems:
        assert rows.cells is not None
        assert rows.missing is not None
        example = ""
        for *place, item in np.argwhere(rows.cells.lacking)[:1].tolist():
            example = f" (the first is that of {rows.cells.called(place)} on item {quoted(_ids_of(rows)[item])})"
        shares = (("scores", rows.missing.count, rows.missing.cells),)
        lacking.append(Lacking(rows.where, rows.name, shares, example))
    refuse_unequal_shares(lacking, "compare without them")


def _ids_of(rows: Rows) -> Sequence[str]:
    """Return the names of items in messages: their ids, or else their places."""
    return rows.item_ids or tuple(str(place + 1) for place in range(len(rows)))


def _zeroed(metric: AnyMetric, rows: Rows, items: Sequence[str]) -> Rows:
    """Return a system with a score of every item in every cell, 0 if it was missing."""
    present = set(items if rows.item_ids is None else rows.item_ids)
    lost = [item for item in items if item not in present]
    cells = Cells((), rows.values) if rows.cells is None else rows.cells
    lacking = np.zeros(len(rows), dtype=bool) if rows.cells is None else cells.lacking
    n_lacking = int(lacking.sum()) + len(lost) * lacking[..., 0].size
    if n_lacking == 0:
        return rows
    if not isinstance(metric, ColumnMetric) or len(metric.columns) > 1:
        what = f"{metric.name} has no item scores that could be 0"
        raise OptionError(Problem(opt("zero_missing"), what, f"Use {opt('drop_missing', True)}.", "no-zero"))
    nothing = metric.rows(np.zeros((1, 1)))[0]
    added = (*lacking.shape[:-1], len(lost))
    values = np.where(lacking[..., None], nothing, cells.values)
    values = np.concatenate([values, np.broadcast_to(nothing, (*added, len(nothing)))], axis=-2)
    # A missing answer votes for no answer, and is selected last.
    answers, selectors = (
        None if of is None else np.concatenate([np.where(lacking, filler, of), np.full(added, filler)], axis=-1)
        for of, filler in ((cells.answers, ""), (cells.selectors, -np.inf))
    )
    zeroed = replace(cells, values=values, answers=answers, selectors=selectors)
    remarks = (*rows.remarks, f"{n_lacking} missing score(s) count as 0.")
    ids = None if rows.item_ids is None else (*rows.item_ids, *lost)
    means, kept = (zeroed.means, zeroed) if cells.axes else (values, None)
    return replace(rows, values=means, item_ids=ids, lines=None, dropped=(), cells=kept, remarks=remarks)


def _cell_by_cell(rows: Rows, reduced: Callable[[Rows], Rows]) -> Rows:
    """Return a system with its samples reduced, separately for each level of the other factors."""
    cells = rows.cells
    assert cells is not None
    others = [axis.name for axis in cells.axes if axis.name != Runs.name]
    if not others:
        return reduced(rows)
    nothing = np.full_like(rows.values, np.nan)
    parts = [reduced(replace(rows, values=nothing, cells=own)) for _, own in cells.split(others)]
    within = [part.sampling_variance for part in parts if part.sampling_variance is not None]
    whole = cells.reduced(others, [part.values for part in parts])
    return replace(
        rows,
        values=whole.means,
        cells=whole,
        sampling_variance=np.sum(within, axis=0) / len(parts) ** 2 if within else None,
        remarks=tuple(dict.fromkeys(remark for part in parts for remark in part.remarks)),
    )


def _mean_of_samples(rows: Rows) -> Rows:
    assert rows.cells is not None
    return replace(rows, values=rows.cells.values.mean(axis=0))


def _with_scores(metric: ColumnMetric, rows: Rows, reducer: Reducer) -> Rows:
    """Return a system with one score per item, reduced from its samples."""
    cells = rows.cells
    assert cells is not None
    ids, lacking = _ids_of(rows), cells.lacking
    samples = np.where(lacking, np.nan, cells.values[..., 0])
    scores = reducer.reduced(
        samples, cells.answers, cells.selectors, place=lambda item: f"{rows.where}, item {quoted(ids[item])}"
    )
    lost = int(lacking.sum())
    missing = f"{lost} of {lacking.size} samples are missing; the items concerned are scored by their other samples."
    if reducer.of_subsets:
        fewest, most = np.sort((~lacking).sum(axis=0))[[0, -1]]
        missing = (
            f"has {fewest} to {most} samples per item. {reducer.name} is unbiased for any number from {reducer.k} on, "
            f"unless samples are missing because they failed ({opt('zero_missing', True)})."
        )
    remarks = filter(None, [missing if lost else None, reducer.remark(samples)])
    return replace(
        rows,
        values=metric.rows(scores[:, None]),
        sampling_variance=reducer.within_variance(samples),
        remarks=(*rows.remarks, *remarks),
    )


def averaged(metric: AnyMetric, systems: Sequence[Rows], design: Design) -> tuple[AnyMetric, list[Rows]]:
    """Return the metric and the rows that give the averages of a design, over weighted strata, then over levels.

    The rows of the cells are kept as well, as those of the metric of one cell.

    Parameters
    ----------
    systems : sequence of Rows
        Aligned, with cells if the design has axes.

    Raises
    ------
    OptionError
        If the metric has no rows.
    DataError
        If the score of a stratum is undefined in more than 1% of its bootstrap samples.
    """
    axes, strata = [factor.name for factor in design.axes], design.get(Strata)
    if not axes and not design.is_weighted:
        return metric, list(systems)
    from outscore.metrics.families.averages import mean_of_cells

    if not isinstance(metric, Metric):
        what = f"{metric.name} has no additive statistics, so it cannot be averaged over strata or runs"
        raise OptionError(Problem(opt("metric"), what, "Choose another metric.", "recomputed-metric"))
    cells = [one.cells if axes and one.cells is not None else Cells((), one.values) for one in systems]
    if strata is not None and strata.weights is not None:
        metric, weighted = strata.weighted(metric, [of.values for of in cells], design.units)
        cells = [replace(of, values=rows) for of, rows in zip(cells, weighted, strict=True)]
    if not axes:
        return metric, [replace(one, values=own.values) for one, own in zip(systems, cells, strict=True)]
    parts = [[own.values for _, own in of.split(axes)] for of in cells]
    if any(len(axis) > 1 for of in cells for axis in of.axes if axis.name not in axes):
        metric, rows = mean_of_cells(metric, [part for of in parts for part in of])
        left = iter(rows)
        parts = [[next(left) for _ in of] for of in parts]
    else:
        parts = [[next(each(part)) for part in of] for of in parts]
    cells = [of.reduced(axes, own) for of, own in zip(cells, parts, strict=True)]
    over, values = mean_of_cells(metric, [of.values for of in cells])
    return over, [replace(one, values=own, cells=of) for one, own, of in zip(systems, values, cells, strict=True)]
