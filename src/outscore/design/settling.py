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
from outscore.data.rows import Missing, MissingTreatment, Rows, RunDesign
from outscore.design.crossed import CrossedFactor
from outscore.design.design import Design
from outscore.design.runs import Runs
from outscore.design.strata import Strata, StratumWeights
from outscore.errors import OptionError, Problem
from outscore.metrics import AnyMetric, ColumnMetric, Metric, RatioMetric
from outscore.options import opt
from outscore.text.naming import quoted

_Kind = TypeVar("_Kind", bound=CrossedFactor)


@dataclass(frozen=True)
class Declaration:
    """The user's declarations of crossed factors, missing scores and weights.

    Attributes
    ----------
    crossed : tuple of CrossedFactor
        Runs, templates, ..., in the order of `FACTORS`.
    missing : Missing
        What happens to items and scores that a system lacks.
    weights : str or mapping, optional
        "macro", "size", or the weights of the strata by name.
    """

    crossed: tuple[CrossedFactor, ...] = ()
    missing: Missing = Missing.ERROR
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

    def settled(self, metric: AnyMetric, systems: Sequence[Rows]) -> tuple[AnyMetric, list[Rows]]:
        """Return systems without missing cells, with samples reduced to one score per item.

        Raise DataError if runs have no claim, a cell has no item, systems have different levels or lack significantly
        different proportions of their cells, or there are too few samples for the reducer. Raise OptionError if the
        metric has no rows.
        """
        # Systems without runs, of which none lacks a score, do not come here.
        from outscore.design.missing import complete, counted, refuse_unequal_cells, zeroed

        # Systems of one table share one ids object.
        all_ids = {id(ids): ids for rows in systems for ids in (rows.item_ids or (), rows.dropped)}
        items = tuple(dict.fromkeys(item for ids in all_ids.values() for item in ids))
        if self.crossed:
            systems = [replace(rows, missing=counted(rows, len(items), self._treatment)) for rows in systems]
        if self.missing is Missing.ZERO:
            systems = [zeroed(metric, rows, items) for rows in systems]
        systems = [self._declared(rows) for rows in systems]
        if not self.crossed:
            # Only systems in memory have empty cells without a factor.
            return metric, [
                rows if rows.cells is None else replace(complete(rows, self.missing), cells=None) for rows in systems
            ]
        if not isinstance(metric, Metric):
            what = f"{metric.name} has no additive statistics, so it cannot be averaged over {self.crossed[0].plural}"
            raise OptionError(Problem(opt("metric"), what, "Choose another metric.", "recomputed-metric"))
        for factor in self.crossed:
            systems = [factor.placed(rows) for rows in systems]
        for factor in self.crossed:
            factor.check(systems)
        reducer = None if self.samples is None else self.samples.reducer or Reducer("mean")
        any_number = reducer is not None and reducer.of_subsets and len(self.crossed) == 1
        if self.missing is Missing.ERROR and not any_number:
            refuse_unequal_cells(systems)
        if reducer is not None:
            metric, systems = self._reduced(metric, systems, reducer)
            if len(self.crossed) == 1:
                return metric, list(systems)
        return metric, [complete(rows, self.missing) for rows in systems]

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

    @property
    def _treatment(self) -> MissingTreatment:
        """The treatment of missing cells, as results report it."""
        if self.missing is Missing.ZERO:
            return MissingTreatment.ZERO
        averages = self.samples is not None and len(self.crossed) == 1
        return MissingTreatment.AVERAGED if averages else MissingTreatment.DROPPED

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


def _cell_by_cell(rows: Rows, reduced: Callable[[Rows], Rows]) -> Rows:
    """Return a system with its samples reduced, separately for each level of the other factors."""
    cells = rows.cells
    assert cells is not None
    others = [axis.name for axis in cells.axes if axis.name != Runs.name]
    if not others:
        return reduced(rows)
    nothing = np.full_like(rows.values, np.nan)
    parts = [reduced(replace(rows, values=nothing, cells=of_level)) for _, of_level in cells.split(others)]
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
    from outscore.design.missing import names_of  # as above

    cells = rows.cells
    assert cells is not None
    ids, lacking = names_of(rows), cells.lacking
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
            f"unless samples are missing because they failed ({Missing.ZERO.option})."
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

    `systems` are aligned, with cells if the design has axes. The rows of the cells are kept as well, as those of the
    metric of one cell. Raise OptionError if the metric has no rows. Raise DataError if the score of a stratum is
    undefined in more than 1% of its bootstrap samples.
    """
    axes, strata = [factor.name for factor in design.axes], design.get(Strata)
    if not axes and not design.is_weighted:
        return metric, list(systems)
    from outscore.metrics.families.averages import mean_of_cells

    if not isinstance(metric, Metric):
        what = f"{metric.name} has no additive statistics, so it cannot be averaged over strata or runs"
        raise OptionError(Problem(opt("metric"), what, "Choose another metric.", "recomputed-metric"))
    cells = [system.cells if axes and system.cells is not None else Cells((), system.values) for system in systems]
    if strata is not None and strata.weights is not None:
        metric, weighted = strata.weighted(metric, [of.values for of in cells], design.units)
        cells = [replace(of, values=rows) for of, rows in zip(cells, weighted, strict=True)]
    if not axes:
        return metric, [replace(system, values=own.values) for system, own in zip(systems, cells, strict=True)]
    parts = [[own.values for _, own in of.split(axes)] for of in cells]
    if any(len(axis) > 1 for of in cells for axis in of.axes if axis.name not in axes):
        metric, rows = mean_of_cells(metric, [part for of in parts for part in of])
        left = iter(rows)
        parts = [[next(left) for _ in of] for of in parts]
    else:
        parts = [[next(each(part)) for part in of] for of in parts]
    cells = [of.reduced(axes, own) for of, own in zip(cells, parts, strict=True)]
    over, values = mean_of_cells(metric, [of.values for of in cells])
    return over, [replace(system, values=own, cells=of) for system, own, of in zip(systems, values, cells, strict=True)]
