"""From what was read to one row an item and system: samples reduced, runs averaged, strata weighted.

Everything after this works on rows of sufficient statistics, as if there were neither runs nor weights: those are in
the rows, and in the metric that scores their totals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TypeAlias

import numpy as np

from outscore._dataclasses import dataclass
from outscore._types import FloatArray
from outscore.design import Design
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics import AnyMetric, ColumnMetric, Metric, RatioMetric
from outscore.naming import listed, nearest, quoted
from outscore.reducers import Reducer
from outscore.rows import MissingCells, MissingTreatment, Rows, RunDesign, Runs

__all__ = ["Declaration", "StratumWeights", "averaged", "weights_of"]

# A name, or ω_h by stratum.
StratumWeights: TypeAlias = str | Mapping[str, Fraction]

_MOST_CELLS = 2**28  # numbers of one metric's rows when every stratum has columns of its own: 2 GiB
_SHARE_UNDEFINED = 0.01  # of the draws of a stratum: beyond it the macro average of a ratio has no validated law
_UNEQUALLY_MISSING = 0.05


@dataclass(frozen=True)
class Declaration:
    """What a user says of the runs, samples and strata of the systems.

    Attributes
    ----------
    runs : RunDesign, optional
        What the runs are; needed where there are any.
    reducer : Reducer, optional
        Of samples to one score an item; the mean by default.
    paired_runs : bool
        Whether run r of all systems shares its seed.
    drops_missing : bool
        Whether items that lack a run are left out, instead of being an error.
    zeroes_missing : bool
        Whether what a system lacks scores 0.
    weights : str or mapping, optional
        "macro", "size", or the shares of the strata by name.
    templates : RunDesign, optional
        What is claimed of templates, fixed or random.
    """

    runs: RunDesign | None = None
    reducer: Reducer | None = None
    paired_runs: bool = False
    drops_missing: bool = False
    zeroes_missing: bool = False
    weights: StratumWeights | None = None
    templates: RunDesign | None = None

    def settled(self, metric: AnyMetric, systems: Sequence[Rows]) -> tuple[AnyMetric, list[Rows]]:
        """Return systems without missing cells, samples reduced to one score an item.

        Raises
        ------
        DataError
            Runs that nobody says what they are; a run without an item; paired runs of different names; systems that
            lack significantly different shares of their cells; too few samples for the reducer.
        OptionError
            A declaration of runs of which there are none, or of a metric that has no rows.
        """
        # Systems of one table have the same ids, not only equal ones.
        all_ids = {id(ids): ids for rows in systems for ids in (rows.item_ids or (), rows.dropped)}
        items = tuple(dict.fromkeys(item for ids in all_ids.values() for item in ids))
        if self.runs is not None or self.templates is not None:
            systems = [replace(rows, missing=self._missing(rows, len(items))) for rows in systems]
        if self.zeroes_missing:
            systems = [_zeroed(metric, rows, items) for rows in systems]
        several = [rows for rows in systems if rows.runs is not None and len(rows.runs) > 1]
        if self.runs is None and several:
            raise _undeclared(several[0])
        if self.runs is None and self.templates is None:
            return metric, [replace(rows, runs=None) for rows in systems]
        if not isinstance(metric, Metric):
            what = f"{metric.name} has no statistics that add up, and runs are averaged by them"
            raise OptionError(Problem("--metric", what, "Name another metric.", "recomputed-metric"))
        systems = [rows if rows.runs is not None else replace(rows, runs=_one_run(rows)) for rows in systems]
        if self.drops_missing:
            systems = _by_place(systems)
        if self.templates is not None:
            _check_templates(systems, self.templates)
        if not (self.zeroes_missing or self.drops_missing):
            _check_shares(systems)
        if self.runs is RunDesign.SAMPLES:
            metric, systems = self._reduced(metric, systems)
            return metric, systems if self.templates is None else [self._complete(rows) for rows in systems]
        if self.paired_runs:
            _check_paired(systems)
        return metric, [self._complete(rows) for rows in systems]

    def _missing(self, rows: Rows, n_items: int) -> MissingCells:
        """Return how many cells a system lacks of those that others have, too."""
        lacking = np.zeros((1, len(rows))) if rows.runs is None else rows.runs.lacking
        cells = len(lacking) * (n_items if rows.item_ids is not None else len(rows))
        averages = self.runs is RunDesign.SAMPLES and not self.templates
        treated = MissingTreatment.AVERAGED if averages else MissingTreatment.DROPPED
        treated = MissingTreatment.ZERO if self.zeroes_missing else treated
        return MissingCells(int(lacking.sum()) + cells - lacking.size, cells, treated)

    def _complete(self, rows: Rows) -> Rows:
        """Return a system without the items that lack a run."""
        assert rows.runs is not None
        lacking = rows.runs.lacking
        if lacking.all(axis=1).any():
            cell = rows.runs.cells[int(np.flatnonzero(lacking.all(axis=1))[0])]
            what = f"has no score at all of {cell}: expected every run with every template"
            raise DataError(Problem(rows.where, what, "Add it, or leave out that run or template.", "missing-cells"))
        lost_in = {int(item): int(cell) for cell, item in reversed(np.argwhere(lacking).tolist())}
        incomplete = np.flatnonzero(lacking.any(axis=0))
        if len(incomplete) == 0:
            return rows
        ids = _ids_of(rows)
        lost = [ids[place] for place in incomplete.tolist()]
        if not self.drops_missing:
            first = rows.runs.cells[lost_in[int(incomplete[0])]]
            what = f"{len(lost)} item(s) lack a score in some of the {rows.runs.counted}: {listed(lost)}; the first "
            what += f"lacks that of {first}"
            advice = "Add them, or pass --missing drop to leave these items out, --missing zero to score them 0."
            raise DataError(Problem(rows.where, what, advice, "missing-cells"))
        kept = rows.take(np.flatnonzero(~lacking.any(axis=0)))
        return replace(kept, dropped=(*rows.dropped, *lost))

    def _reduced(self, metric: Metric, systems: Sequence[Rows]) -> tuple[AnyMetric, list[Rows]]:
        reducer = self.reducer or Reducer("mean")
        if not isinstance(metric, ColumnMetric) or len(metric.columns) > 1:
            if reducer.kind != "mean" or any(rows.runs is not None and rows.runs.lacking.any() for rows in systems):
                what = f"{metric.name} is no score of one sample, of which {reducer.name} could be taken"
                raise OptionError(Problem("--reduce", what, "Reduce scores of one column.", "not-reducible"))
            return metric, [_by_template(rows, _mean_of_samples) for rows in systems]
        from outscore.metrics.averages import AveragedRatio  # imported where there are runs or weights

        return AveragedRatio(metric) if isinstance(metric, RatioMetric) else metric, [
            _by_template(rows, partial(_with_scores, metric, reducer=reducer)) for rows in systems
        ]


def _check_templates(systems: Sequence[Rows], claim: RunDesign) -> None:
    """Refuse systems that do not meet the same templates."""
    of_systems = [() if rows.runs is None else rows.runs.templates for rows in systems]
    for rows, own in zip(systems, of_systems, strict=True):
        if len(own) < 2 and (not own or claim is RunDesign.RANDOM):
            got = f"one: {quoted(own[0])}" if own else "none"
            what = f"expected at least 2 templates, got {got}"
            advice = "Name their column with --template; one does not tell how templates vary."
            raise DataError(Problem(rows.where, what, advice, "one-template"))
        if own != of_systems[0]:
            apart = sorted(set(own) ^ set(of_systems[0]))
            what = f"expected the templates of {systems[0].name}, got others: {listed(apart)} in one of them alone"
            advice = "All systems must meet the same templates, by the same names."
            raise DataError(Problem(rows.where, what, advice, "different-templates"))


def _by_place(systems: Sequence[Rows]) -> Sequence[Rows]:
    """Return systems whose items have ids if not all do: items are then left out of all systems, not of one alone."""
    named = next((rows for rows in systems if rows.item_ids is not None), systems[0])
    if all(rows.item_ids is not None for rows in systems) or len(set(map(len, systems))) > 1:
        return systems
    ids = named.item_ids or tuple(str(place + 1) for place in range(len(named)))
    return [rows if rows.item_ids is not None else replace(rows, item_ids=ids) for rows in systems]


def _one_run(rows: Rows) -> Runs:
    return Runs(("1",), rows.values[None])


def _undeclared(rows: Rows) -> DataError:
    assert rows.runs is not None
    what = (
        f"{len(rows.runs)} runs an item, and nobody says what they are. --runs samples: answers drawn item by item, as "
        "with a temperature. --runs fixed: all items of a run share a seed or checkpoint, and the claim is about these "
        "very runs. --runs random: likewise, and the claim is about other seeds, too"
    )
    return DataError(Problem(rows.where, what, "Pass --runs.", "runs-undeclared"))


def _check_paired(systems: Sequence[Rows]) -> None:
    """Refuse systems of which a run has no fellow in the others: nothing tells which of them shares its seed."""
    first, *others = systems
    assert first.runs is not None
    for other in others:
        assert other.runs is not None
        if other.runs.names != first.runs.names:
            what = (
                f"expected runs of the same names as {first.name} has, {listed(first.runs.names)}, to pair them, got "
                f"{listed(other.runs.names)}"
            )
            raise DataError(
                Problem(other.where, what, "Name runs by their seeds, or leave out --pair-runs.", "unpaired-runs")
            )


def _check_shares(systems: Sequence[Rows]) -> None:
    """Refuse systems that lack significantly different shares of their cells: what is missing is rarely at random."""
    from outscore.exact.missing import shares_differ

    counts = [(rows.missing.count, rows.missing.cells) for rows in systems if rows.missing is not None]
    for (lost, cells), rows in zip(counts[1:], systems[1:], strict=True):
        if counts[0][0] == lost == 0:
            continue
        if shares_differ(counts[0][0], counts[0][1], lost, cells) <= _UNEQUALLY_MISSING:
            assert rows.runs is not None
            where = ""
            for cell, item in np.argwhere(rows.runs.lacking)[:1].tolist():
                where = f" (the first is that of {rows.runs.cells[cell]} on item {quoted(_ids_of(rows)[item])})"
            what = (
                f"lacks {lost} of {cells} scores{where}, {systems[0].name} {counts[0][0]} of {counts[0][1]}: shares "
                "that differ by more than chance, so that what is missing is not missing at random"
            )
            advice = "Pass --missing zero to score what is missing 0, or --missing drop to go on without it."
            raise DataError(Problem(rows.where, what, advice, "unequally-missing"))


def _ids_of(rows: Rows) -> Sequence[str]:
    """Return what messages call items: their ids, or else their places."""
    return rows.item_ids or tuple(str(place + 1) for place in range(len(rows)))


def _zeroed(metric: AnyMetric, rows: Rows, items: Sequence[str]) -> Rows:
    """Return a system in which every item, in every run, has a score: 0 where it had none."""
    present = set(items if rows.item_ids is None else rows.item_ids)
    lost = [item for item in items if item not in present]
    lacking = np.zeros((1, len(rows)), dtype=bool) if rows.runs is None else rows.runs.lacking
    n_lacking = int(lacking.sum()) + len(lost) * len(lacking)
    if n_lacking == 0:
        return rows
    if not isinstance(metric, ColumnMetric) or len(metric.columns) > 1:
        what = f"{metric.name} has no score of an item that could be 0"
        raise OptionError(Problem("--missing zero", what, "Use --missing drop.", "no-zero"))
    values = rows.values[None] if rows.runs is None else rows.runs.values
    nothing = metric.rows(np.zeros((1, 1)))[0]
    added = np.broadcast_to(nothing, (len(values), len(lost), len(nothing)))
    values = np.concatenate([np.where(lacking[..., None], nothing, values), added], axis=1)
    runs = None
    if rows.runs is not None:
        # What was not answered votes for no answer, and is selected last.
        answers, selectors = (
            None
            if of is None
            else np.concatenate([np.where(lacking, filler, of), np.full(added.shape[:2], filler)], axis=1)
            for of, filler in ((rows.runs.answers, ""), (rows.runs.selectors, -np.inf))
        )
        runs = replace(rows.runs, values=values, answers=answers, selectors=selectors)
    remarks = (*rows.remarks, f"{n_lacking} missing score(s) count as 0.")
    ids = None if rows.item_ids is None else (*rows.item_ids, *lost)
    return replace(rows, values=values.mean(axis=0), item_ids=ids, lines=None, dropped=(), runs=runs, remarks=remarks)


def _by_template(rows: Rows, reduced: Callable[[Rows], Rows]) -> Rows:
    """Return a system whose samples were reduced: as one run of each template, where there are any."""
    runs = rows.runs
    if runs is None or not runs.templates:
        return reduced(rows)
    n_templates = len(runs.templates)
    parts = []
    for place in range(n_templates):
        cells = slice(place, None, n_templates)
        answers, selectors = (None if of is None else of[cells] for of in (runs.answers, runs.selectors))
        own = Runs(runs.names, runs.values[cells], answers, selectors)
        parts.append(reduced(replace(rows, values=np.full_like(rows.values, np.nan), runs=own)))
    within = [part.sampling_variance for part in parts if part.sampling_variance is not None]
    values = np.stack([part.values for part in parts])
    return replace(
        rows,
        values=values.mean(axis=0),
        runs=Runs(("1",), values, templates=runs.templates, averaged=runs.names),
        sampling_variance=np.sum(within, axis=0) / n_templates**2 if within else None,
        remarks=tuple(dict.fromkeys(remark for part in parts for remark in part.remarks)),
    )


def _mean_of_samples(rows: Rows) -> Rows:
    return rows if rows.runs is None else replace(rows, values=rows.runs.values.mean(axis=0))


def _with_scores(metric: ColumnMetric, rows: Rows, reducer: Reducer) -> Rows:
    """Return a system with one score an item, reduced from its samples."""
    runs = rows.runs
    assert runs is not None
    ids = _ids_of(rows)
    samples = np.where(runs.lacking, np.nan, runs.values[:, :, 0])
    scores = reducer.reduced(
        samples, runs.answers, runs.selectors, place=lambda item: f"{rows.where}, item {quoted(ids[item])}"
    )
    lost, cells = int(runs.lacking.sum()), runs.lacking.size
    missing = f"{cells - lost} of {cells} samples are there: items of which some are missing go by the others."
    remarks = filter(None, [missing if lost else None, reducer.remark(samples)])
    return replace(
        rows,
        values=metric.rows(scores[:, None]),
        sampling_variance=reducer.within_variance(samples),
        remarks=(*rows.remarks, *remarks),
    )


def averaged(metric: AnyMetric, systems: Sequence[Rows], design: Design) -> tuple[AnyMetric, list[Rows]]:
    """Return the metric and the rows that give the averages of a design: over weighted strata, then over runs.

    The rows of runs are kept beside them, as those of the metric of one run.

    Parameters
    ----------
    metric : AnyMetric
    systems : sequence of Rows
        Aligned; with runs where the design has some.
    design : Design

    Raises
    ------
    OptionError
        A metric without rows.
    DataError
        A stratum whose score is undefined in more than 1% of its draws.
    """
    of_runs = bool(design.factors)
    if design.weights is None and not of_runs:
        return metric, list(systems)
    from outscore.metrics.averages import run_mean

    if not isinstance(metric, Metric):
        what = f"{metric.name} has no statistics that add up, and averages over strata or runs are taken by them"
        raise OptionError(Problem("--metric", what, "Name another metric.", "recomputed-metric"))
    rows = [one.runs.values if of_runs and one.runs is not None else one.values[None] for one in systems]
    if design.weights is not None:
        metric, rows = _weighted(metric, rows, design)
    if not of_runs:
        return metric, [replace(one, values=own[0]) for one, own in zip(systems, rows, strict=True)]
    runs = [replace(one.runs, values=own) for one, own in zip(systems, rows, strict=True) if one.runs is not None]
    metric, runs = _of_factors(metric, runs, design)
    over, values = run_mean(metric, [of.values for of in runs])
    return over, [replace(one, values=own, runs=of) for one, own, of in zip(systems, values, runs, strict=True)]


def _of_factors(metric: Metric, systems: Sequence[Runs], design: Design) -> tuple[Metric, list[Runs]]:
    """Return runs with templates as those of the design's factors alone: over the other one scores are averaged."""
    if not any(of.templates for of in systems) or len(design.factors) == 2:
        return metric, list(systems)
    from outscore.metrics.averages import run_mean

    cells = [of.values.reshape(len(of), len(of.templates), *of.values.shape[1:]) for of in systems]
    names = [of.names for of in systems]
    if design.factors == ("template",):
        names, cells = [of.templates for of in systems], [of.swapaxes(0, 1) for of in cells]
    # What is averaged lies on the second axis.
    if any(of.shape[1] > 1 for of in cells):
        metric, rows = run_mean(metric, [cell for of in cells for cell in of])
        left = iter(rows)
        cells = [np.stack([next(left) for _ in of])[:, None] for of in cells]
    others = [of.names if name is of.templates else of.templates for name, of in zip(names, systems, strict=True)]
    return metric, [
        Runs(name, cell[:, 0], averaged=of.averaged or other)
        for name, cell, of, other in zip(names, cells, systems, others, strict=True)
    ]


def _weighted(metric: Metric, systems: Sequence[FloatArray], design: Design) -> tuple[Metric, list[FloatArray]]:
    """Return the weighted mean of strata as a metric, and rows for it; shape (m, n, k) of each system.

    Ratios whose denominators are the same for all units of a stratum are linear: a row weighs ω_h/n_h. Of other metrics
    every stratum has columns of its own.
    """
    from outscore.metrics.averages import AveragedRatio, StratumMean, stratum_multiples

    assert design.weights is not None
    assert design.strata is not None
    strata, weights = design.strata, design.weights
    if isinstance(metric, RatioMetric):
        sizes = _common_sizes(metric, systems, design)
        if sizes is not None:
            whole = stratum_multiples(weights, [Fraction(size) for size in sizes])
            scale = whole if whole is not None else np.array(weights, dtype=np.float64) / sizes * sizes.sum()
            return AveragedRatio(metric), [rows * scale[strata][:, None] for rows in systems]
        _check_defined(metric, systems, design)
    over = StratumMean(metric, tuple(map(float, weights)))
    if sum(rows.size for rows in systems) * len(weights) > _MOST_CELLS:
        what = (
            f"{len(weights)} strata of {design.n_items} items with a {metric.name} of each are more than memory holds"
        )
        raise DataError(Problem("--weights", what, "Merge strata.", "too-many-strata"))
    return over, [over.placed(rows, strata) for rows in systems]


def _common_sizes(metric: RatioMetric, systems: Sequence[FloatArray], design: Design) -> FloatArray | None:
    """Return Σℓ of each stratum, where all its units have the same denominator in all systems; else None."""
    units, bottom = design.units, np.asarray(metric.denominator)
    of_units = [units.sums(run) @ bottom for rows in systems for run in rows]
    first = of_units[0]
    if units.strata is None or not all(np.array_equal(other, first) for other in of_units):
        return None
    sizes: FloatArray = np.bincount(units.strata, weights=first).astype(np.float64)
    if any(np.ptp(first[units.strata == h]) != 0 for h in range(len(sizes))) or not (sizes > 0).all():
        return None
    return sizes


def _check_defined(metric: RatioMetric, systems: Sequence[FloatArray], design: Design) -> None:
    """Refuse strata whose denominator is 0 in more than 1% of their draws."""
    units, bottom = design.units, np.asarray(metric.denominator)
    if units.strata is None:
        return
    for rows in systems:
        for run in rows:
            empty = units.sums(run) @ bottom == 0
            counts = np.bincount(units.strata)
            shares = (np.bincount(units.strata, weights=empty) / counts) ** (counts - 1)
            if shares.max() > _SHARE_UNDEFINED:
                name = design.stratum_names[int(shares.argmax())]
                what = (
                    f"the {metric.name} of stratum {quoted(name)} is undefined in {shares.max():.1%} of its draws: "
                    "their average has no law that was validated"
                )
                raise DataError(
                    Problem("--weights", what, "Merge small strata, or use --weights size.", "undefined-stratum")
                )


def weights_of(declared: StratumWeights | None, design: Design) -> tuple[Fraction, ...] | None:
    """Return ω_h of each stratum, which add up to 1; None where items of all strata weigh the same.

    Raises
    ------
    OptionError
        Weights without strata; an unknown name; a stratum without a weight; weights that are no shares.
    """
    if declared is None:
        return None
    if design.strata is None:
        what = "expected strata to weigh, got none"
        raise OptionError(Problem("--weights", what, "Name them with --stratum.", "no-strata"))
    names = design.stratum_names
    if isinstance(declared, str):
        if declared not in ("macro", "size"):
            what = f"expected macro, size or a table of weights, got {quoted(declared)}"
            raise OptionError(Problem("--weights", what, nearest(declared, ["macro", "size"]), "unknown-weights"))
        counts = np.bincount(design.strata) if declared == "size" else np.ones(len(names), dtype=np.int64)
        return tuple(Fraction(count, int(counts.sum())) for count in counts.tolist())
    # A stratum that was merged from several weighs what they weigh together.
    parts = {name: name.split(" + ") if name not in declared else [name] for name in names}
    absent = [part for name in names for part in parts[name] if part not in declared]
    if absent:
        what = f"{len(absent)} strata have no weight: {listed(absent)}"
        raise OptionError(Problem("--weights", what, "Give each stratum its share.", "missing-weight"))
    weights = [sum((Fraction(declared[part]) for part in parts[name]), Fraction()) for name in names]
    total = sum(weights, Fraction())
    if any(weight < 0 for weight in weights) or total <= 0:
        what = "expected weights of 0 or more, not all of them 0"
        raise OptionError(Problem("--weights", what, "Give each stratum its share.", "bad-weight"))
    return tuple(weight / total for weight in weights)
