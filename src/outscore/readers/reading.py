"""Arguments of programs and commands beside the systems: metrics, references, and reading options."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from outscore.data.coercion import described, wrong
from outscore.data.rows import Labels, Missing, is_none
from outscore.design.options import ReadingOptions, crossed_options, declared_factors
from outscore.design.settling import Declaration
from outscore.design.strata import StratumWeights
from outscore.errors import OptionError, Problem
from outscore.metrics import AnyMetric, ColumnMetric, metric_named, metrics_listed
from outscore.metrics.base import is_shipped
from outscore.metrics.families.columns import ColumnMean, Mean, direction_of
from outscore.options import leave_out, opt
from outscore.readers.base import Table
from outscore.readers.files import is_readable, split_spec
from outscore.readers.registry import InputFiles
from outscore.readers.tabular.columns import column_called, named_column, texts_of
from outscore.text.naming import listed, nearest, quoted

if TYPE_CHECKING:
    from outscore.laws.resampling import Progress

# A mapping from the systems' names, or FILE:COLUMN of a table.
Families: TypeAlias = Mapping[str, str] | str | None


# The ways to treat missing items and scores that users may choose; the default is an error.
_TREATMENTS = (Missing.DROP, Missing.ZERO)


class Files(tuple[str, ...]):
    """Names of files. Whether the files exist is not checked."""


@dataclass(frozen=True, kw_only=True)
class Reading(ReadingOptions):
    """How to read systems: the arguments of `outscore.read` by the same names, from the table of options.

    Attributes
    ----------
    references : object
        Reference files (`Files`), or references in memory. If given, systems are outputs or cached rows.
    orders : str, optional
        The column of the order in which a judge saw two answers. Readers find it; users do not name it.
    unpaired : bool
        Whether items need not be paired. Questions set it.
    """

    orders: str | None = None
    unpaired: bool = False

    @property
    def beyond_items(self) -> Mapping[str, bool]:
        """Whether options of crossed factors, weights and test sets are used, by name."""
        labels = {"weights": self.weights is not None, "test_set": self.test_sets is not None}
        return labels | dict.fromkeys(crossed_options(self), True)

    @property
    def labellings(self) -> dict[str, object]:
        """The options that are labels, by the attribute of `Systems` that holds them."""
        clusters, others = self.clusters, None
        several = clusters if isinstance(clusters, list | tuple) and len(clusters) == 2 else ()
        if several and all(isinstance(by, str | Labels) or (isinstance(by, Sized) and len(by) > 1) for by in several):
            clusters, others = several
        given = {"clusters": clusters, "other_clusters": others, "strata": self.strata, "test_sets": self.test_sets}
        given["orders"] = self.orders
        return {name: labels for name, labels in given.items() if not (labels is None or self._is_none(name))}

    def _is_none(self, name: str) -> bool:
        """Return whether an option says that items have no clusters, or no strata."""
        return name in ("clusters", "strata") and is_none(getattr(self, name))

    def refuse(self, whys: Mapping[str, str], slug: str) -> None:
        """Raise OptionError if options are given that do not apply to these systems; `whys` maps names to reasons."""
        for name, why in whys.items():
            value = getattr(self, name)
            if value is None or value is False or self._is_none(name):
                continue
            if name != "references" or self.has_references:
                raise OptionError(Problem(opt(name), why, leave_out(), slug))

    def by_default(self, *, clusters: str | None = None, strata: str | None = None) -> tuple[Reading, list[str]]:
        """Return the options with the defaults of a format, and a note on those that apply.

        `clusters` is the column of clusters, such as documents. `strata` is what items of one stratum share, such as a
        domain; their macro average is the score unless weights are given.
        """
        reading, defaults = self, list[str]()
        if clusters is not None and self.clusters is None:
            reading = replace(reading, clusters=clusters)
            defaults.append(f"items of one {clusters} are resampled together ({opt('clusters', clusters)})")
        if strata is not None and self.strata is None:
            reading = replace(reading, strata=strata, weights=self.weights or "macro")
            if self.weights is None:
                options = f"{opt('strata', strata)} and {opt('weights', 'macro')}"
                defaults.append(f"the score is the macro average over each {strata} ({options})")
        return reading, [f"By default {' and '.join(defaults)}."] if defaults else []

    @property
    def missing(self) -> Missing:
        """What happens to missing items and scores."""
        return next((missing for missing in _TREATMENTS if getattr(self, missing.argument)), Missing.ERROR)

    @property
    def has_references(self) -> bool:
        return not (self.references is None or (isinstance(self.references, list | tuple) and not self.references))


@dataclass(frozen=True)
class Work:
    """How to do the reading, and what to return besides rows. No result depends on it.

    Attributes
    ----------
    source : str, optional
        A file with one source text per item.
    jobs : int
        Maximum number of processes that score outputs.
    progress : callable, optional
        Called with the number of systems scored so far, and the total.
    """

    source: str | None = None
    jobs: int = 1
    progress: Progress | None = None


def listed_metrics(metric: object) -> tuple[AnyMetric | str, ...]:
    """Return a list of metrics, as names or objects; may be empty. Raise OptionError if an object is not a metric."""
    several = metric if isinstance(metric, list | tuple) else () if metric is None else (metric,)
    metrics: list[AnyMetric | str] = []
    for metric_given in several:
        if isinstance(metric_given, type) and issubclass(metric_given, AnyMetric):
            what = f"expected a metric, got the class {metric_given.__name__}"
            raise OptionError(Problem("metric", what, f"Call it: {metric_given.__name__}().", "wrong-type"))
        if callable(metric_given) and not isinstance(metric_given, AnyMetric):
            name = getattr(metric_given, "__name__", "f")
            name = name if name.isidentifier() else "f"
            what = f"expected a metric, got the function {name}"
            advice = f"Wrap it: outscore.Recomputed({name}, higher_is_better=True), where {name}(outputs, references) "
            advice += "returns the score, or higher_is_better=False if lower scores are better."
            raise OptionError(Problem("metric", what, advice, "wrong-type"))
        if not isinstance(metric_given, AnyMetric | str):
            raise wrong("metric", 'a metric such as outscore.F1() or "f1"', metric_given)
        if isinstance(metric_given, str):
            metrics += metrics_listed(metric_given) if "," in metric_given else [metric_given.strip() or metric_given]
        else:
            metrics.append(metric_given)
    if metric is not None and not metrics:
        raise wrong("metric", "at least one metric", metric)
    return tuple(once(metrics) if len(metrics) > 1 else metrics)


def once(metrics: Sequence[Any]) -> list[Any]:
    """Return each metric once. Equal ones may be written differently."""
    kept: list[Any] = []
    for metric in metrics:
        if metric not in kept:
            kept.append(metric)
    return kept


def reference_files(references: object, of_files: bool = False) -> Sequence[str] | None:
    """Return the files of references, or None if the references are in memory.

    A list of strings is a list of files if all of them exist. A single string is a file if all systems are files, as
    `of_files` says.
    """
    if isinstance(references, Files):
        return references
    several = [references] if isinstance(references, str | os.PathLike) else references
    if not isinstance(several, list | tuple) or not all(isinstance(file, str | os.PathLike) for file in several):
        return None
    files = [os.fspath(file) for file in several]
    sure = isinstance(references, str) or not any(isinstance(file, str) for file in several)
    return files if sure or (of_files and len(files) == 1) or all(map(is_readable, files)) else None


def declared_of(reading: Reading, files: InputFiles) -> Declaration:
    """Return the declared crossed factors, treatment of missing scores, and strata.

    Raise OptionError if options contradict each other.
    """
    crossed = declared_factors(reading)
    if all(getattr(reading, missing.argument) for missing in _TREATMENTS):
        what = "expected one treatment of missing scores, got two"
        raise OptionError(Problem(opt(Missing.DROP.argument), what, "Drop them, or score them 0.", "two-ways"))
    weights = None if reading.weights is None else _weights(reading.weights, files)
    return Declaration(crossed, reading.missing, weights)


def _weights(weights: object, files: InputFiles) -> StratumWeights:
    """Return weights of strata from a name, a mapping, or a table with one row per stratum."""
    if isinstance(weights, str) and weights in {"macro", "size"}:
        return weights
    if isinstance(weights, Mapping):
        return {str(name): _share(share, str(name)) for name, share in weights.items()}
    if not isinstance(weights, str):
        raise wrong("weights", '"macro", "size", a table, or a mapping from strata to proportions', weights)
    path, column = split_spec(weights)
    if not is_readable(path):
        what = f"expected macro, size or a table of weights, got {quoted(weights)}"
        raise OptionError(Problem(opt("weights"), what, nearest(weights, ["macro", "size"]), "unknown-weights"))
    table = files.file(path).table()
    share = named_column(table, column or "weight")
    strata = next((name for name in ("stratum", "strata") if column_called(table, name) is not None), None)
    names = texts_of(table, named_column(table, strata or "stratum"), "the name of a stratum", "missing-stratum")
    return {name: _share(cell, name) for name, cell in zip(names, table.columns[share], strict=True)}


def _share(cell: object, name: str) -> Fraction:
    try:
        share = Fraction(str(cell).strip())
    except (ValueError, ZeroDivisionError):
        what = f"expected a number as the weight of {quoted(name)}, got {described(cell)}"
        raise OptionError(Problem(opt("weights"), what, "Give each stratum a number.", "bad-weight")) from None
    return share


def column_metric(metric: AnyMetric | str, reading: Reading) -> ColumnMetric:
    """Return a metric of columns, given as a name or an object."""
    if isinstance(metric, str):
        return metric_named(metric, lower_is_better=reading.lower_is_better)
    if reading.lower_is_better:
        what = "applies only to the metrics mean and ratio, given by name"
        advice = "Leave it out, or pass outscore.Mean(higher_is_better=False)."
        raise OptionError(Problem("lower_is_better", what, advice, "wrong-direction"))
    if not isinstance(metric, ColumnMetric):
        raise wrong("metric", "a metric of columns or of outputs", metric)
    if not is_shipped(metric):
        from outscore.metrics.plugins import check_declared  # only programs pass metric objects

        check_declared(metric)
    return metric


def column_metrics(
    metrics: Sequence[AnyMetric | str], reading: Reading, table: Callable[[], Table | None]
) -> tuple[list[ColumnMetric], str | None]:
    """Return the metrics of columns, and the column of scores if there is one for all of them.

    Several columns of scores (``a,b``) and metrics with the name of a column are means of these columns. `table`
    returns a table of the systems, or None if they are no tables.
    """
    chosen, higher = reading.score_column, not reading.lower_is_better
    known = table() if chosen is not None and "," in chosen else None
    if chosen is not None and known is not None and column_called(known, chosen) is None:
        parts = [part.strip() for part in chosen.split(",")]
        if {*metrics} - {"mean", *parts}:
            what, advice = "several columns are metrics themselves", f"Leave {opt('metric')} out."
            raise OptionError(Problem(opt("score_column"), what, advice, "several-metrics"))
        means = (ColumnMean(name=named_column(known, part), higher_is_better=higher) for part in parts)
        return _in_one_direction(once(list(means))), None
    if not metrics:
        return [Mean(higher_is_better=higher)], chosen
    resolved_metrics: list[ColumnMetric] = []
    for metric in metrics:
        resolved, wrong_name = None, None
        try:
            resolved = column_metric(metric, reading)
        except OptionError as error:  # unless this is the name of a column
            wrong_name = error
        if isinstance(metric, str) and (resolved is None or len(resolved.columns) > 1):
            known = table()
            column = None if known is None else column_called(known, metric)
            if (
                known is not None
                and column is not None
                and (resolved is None or None in [column_called(known, name) for name in resolved.columns])
            ):
                resolved = ColumnMean(name=column, higher_is_better=higher)
        if resolved is None:
            assert wrong_name is not None
            raise wrong_name
        resolved_metrics.append(resolved)
    return resolved_metrics if len(resolved_metrics) == 1 else _in_one_direction(once(resolved_metrics)), chosen


def _in_one_direction(metrics: list[ColumnMetric]) -> list[ColumnMetric]:
    """Return metrics; raise if their names tell different directions, of which the columns have one."""
    known = {metric.name: direction_of(metric.name) for metric in metrics}
    read = [known[metric.name] is (not metric.higher_is_better) for metric in metrics if isinstance(metric, ColumnMean)]
    higher, lower = ([name for name, better in known.items() if better is side] for side in (True, False))
    if not (higher and lower and any(read)):
        return metrics
    what = f"by their names, higher is better for {listed(higher)} and lower is better for {listed(lower)}"
    advice = f"Score them one at a time, with {opt('lower_is_better', True)} for {listed(lower)}."
    raise OptionError(Problem(opt("score_column"), what, advice, "directions"))
