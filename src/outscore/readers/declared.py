"""From what users say of factors, labels, weights and metrics to objects, for the readers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from outscore.data.coercion import wrong
from outscore.data.rows import Labels
from outscore.design.options import declared_factors
from outscore.design.settling import Declaration
from outscore.design.strata import StratumWeights
from outscore.errors import OptionError, Problem
from outscore.metrics import AnyMetric, ColumnMetric, metric_named
from outscore.options import opt
from outscore.readers.files import is_readable, split_spec
from outscore.readers.reading import Reading
from outscore.readers.registry import InputFiles
from outscore.readers.tabular.columns import column_called, named_column, texts_of
from outscore.readers.tabular.tables import ColumnRoles
from outscore.text.naming import nearest, quoted


def declared_of(reading: Reading, files: InputFiles) -> Declaration:
    """Return what is said of crossed factors, of what is missing, and of strata.

    Raises
    ------
    OptionError
        What contradicts itself.
    """
    crossed = declared_factors(reading)
    if reading.drop_missing and reading.zero_missing:
        what = "expected one way with what is missing, got two"
        raise OptionError(Problem(opt("drop_missing"), what, "Drop it, or score it 0.", "two-ways"))
    weights = None if reading.weights is None else _weights(reading.weights, files)
    return Declaration(crossed, reading.drop_missing, reading.zero_missing, weights)


def roles_of(reading: Reading, declared: Declaration) -> ColumnRoles:
    """Return what the user says of the columns of tables."""
    labels = (
        of if isinstance(of, str) else labels_in_memory(of, "clusters" if name == "other_clusters" else name)
        for name, of in reading.labellings.items()
    )
    test_sets = reading.test_sets if isinstance(reading.test_sets, str) else None
    roles = ColumnRoles(labels=tuple(labels), test_sets=test_sets)
    if not declared.crossed:
        return roles
    said = {factor.name: getattr(reading, factor.name) for factor in declared.crossed}
    samples = declared.samples
    return replace(
        roles,
        named={name: column for name, column in said.items() if column is not None},
        declared=declared.axes,
        beside=None if samples is None or samples.reducer is None else samples.reducer.needs,
    )


def _weights(weights: object, files: InputFiles) -> StratumWeights:
    """Return weights of strata: by a name, a mapping, or a table of one row a stratum."""
    if isinstance(weights, str) and weights in {"macro", "size"}:
        return weights
    if isinstance(weights, Mapping):
        return {str(name): _share(share, str(name)) for name, share in weights.items()}
    if not isinstance(weights, str):
        raise wrong("weights", '"macro", "size", a table, or a mapping from strata to shares', weights)
    path, column = split_spec(weights)
    if not is_readable(path):
        what = f"expected macro, size or a table of weights, got {quoted(weights)}"
        raise OptionError(Problem(opt("weights"), what, nearest(weights, ["macro", "size"]), "unknown-weights"))
    table = files.read(path)
    share = named_column(table, column or "weight")
    strata = next((name for name in ("stratum", "strata") if column_called(table, name) is not None), None)
    names = texts_of(table, named_column(table, strata or "stratum"), "the name of a stratum", "missing-stratum")
    return {name: _share(cell, name) for name, cell in zip(names, table.columns[share], strict=True)}


def _share(cell: object, name: str) -> Fraction:
    try:
        share = Fraction(str(cell).strip())
    except (ValueError, ZeroDivisionError):
        what = f"expected a number as the weight of {quoted(name)}, got {quoted(str(cell))}"
        raise OptionError(Problem(opt("weights"), what, "Give each stratum its share.", "bad-weight")) from None
    return share


def labels_in_memory(data: object, argument: str) -> Labels:
    """Return the labels that a program passed."""
    from outscore.readers.in_memory import labels_from  # what programs pass, which the command line does without

    return labels_from(data, argument)


def column_metric(metric: AnyMetric | str, reading: Reading) -> ColumnMetric:
    """Return a metric of columns, by its name or itself."""
    if isinstance(metric, str):
        return metric_named(metric, lower_is_better=reading.lower_is_better)
    if reading.lower_is_better:
        what = "only mean and ratio by name are told the direction; other metrics know it"
        advice = "Leave it out, or pass outscore.Mean(higher_is_better=False)."
        raise OptionError(Problem("lower_is_better", what, advice, "wrong-direction"))
    if not isinstance(metric, ColumnMetric):
        raise wrong("metric", "a metric of columns or of outputs", metric)
    if not type(metric).__module__.startswith("outscore.metrics."):
        from outscore.metrics.plugins import check_declared  # of programs, which pass metrics themselves

        check_declared(metric)
    return metric
