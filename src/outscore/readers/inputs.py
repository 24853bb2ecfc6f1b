"""The systems of a command: score tables, or outputs and kept rows, under one metric or several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from outscore.errors import OptionError, Problem
from outscore.metrics import AnyMetric, metric_named
from outscore.naming import printable
from outscore.readers.files import split_spec
from outscore.readers.kept_files import METRIC_PLACE, in_file_name, is_kept
from outscore.readers.labels import read_labels
from outscore.readers.registry import Tables
from outscore.readers.systems import read_system
from outscore.resampling import Progress
from outscore.rows import Labels, Rows

if TYPE_CHECKING:
    from outscore.readers.corpora.registry import Corpora

__all__ = ["Reading", "are_outputs", "read_item_labels", "read_systems"]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How the files of systems are to be read; the options of `outscore compare`, by the same names.

    Attributes
    ----------
    metrics : tuple of str
        As users write them: of columns, or of outputs where there are references. By default that of the kept rows,
        where a file holds some, or else the mean of scores.
    references : tuple of str
        Files; with any, systems are outputs or kept rows.
    input_format : str, optional
        Of outputs and references, as for `read_corpus`.
    lower_is_better : bool
        For mean and ratio.
    id_column, score_column : str, optional
        Of score tables.
    clusters, strata : str, optional
        A column, a file of one label a line, or FILE:COLUMN.
    collapse_strata : bool
        Whether strata of one unit are merged, instead of being an error.
    drop_missing : bool
        Whether items that a system lacks are left out, instead of being an error.
    """

    metrics: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    input_format: str | None = None
    lower_is_better: bool = False
    id_column: str | None = None
    score_column: str | None = None
    clusters: str | None = None
    strata: str | None = None
    collapse_strata: bool = False
    drop_missing: bool = False


def are_outputs(specs: Sequence[str], references: Sequence[str]) -> bool:
    """Tell whether systems are outputs or kept rows: there are references, or one of the files holds kept rows."""
    return bool(references) or any(is_kept(spec) for spec in specs)


def read_systems(
    specs: Sequence[str],
    reading: Reading,
    *,
    with_responses: bool = False,
    tables: Tables | None = None,
    corpora: Corpora | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> list[tuple[AnyMetric, list[Rows]]]:
    """Return, for each metric, the metric and the rows of every system.

    Parameters
    ----------
    specs : sequence of str
        One a system: FILE, or FILE:COLUMN. In names of kept rows "{metric}" stands for that of the metric.
    reading : Reading
    with_responses : bool
        Whether the rows of outputs are to hold their single responses.
    tables : Tables, optional
        Where tables that were read are kept.
    corpora : Corpora, optional
        Where files of outputs and references that were read are kept.
    jobs : int
        The most processes that score outputs.
    progress : callable, optional
        Told how many systems are scored, and of how many.

    Raises
    ------
    FileAccessError, DataError, OptionError, MissingDependencyError
        As `read_outputs` and `read_system`.
    """
    if are_outputs(specs, reading.references):
        _refuse_for_outputs(reading)
        # Dozens of metrics and formats: who compares columns does not wait for them.
        from outscore.metrics.outputs import output_metric_named, spec_of
        from outscore.readers.corpora.registry import Corpora
        from outscore.readers.outputs import read_outputs
        from outscore.readers.scoring import Scoring

        corpora, scoring = corpora or Corpora(), Scoring(jobs, progress)
        read: list[tuple[AnyMetric, list[Rows]]] = []
        for metric in [output_metric_named(name) for name in reading.metrics] if reading.metrics else [None]:
            fitted, outputs = read_outputs(
                [_of_metric(spec, None if metric is None else spec_of(metric)) for spec in specs],
                reading.references,
                metric,
                format_name=reading.input_format,
                scoring=scoring,
                with_responses=with_responses,
                corpora=corpora,
            )
            read.append((fitted, [_named_for_all(rows, spec) for rows, spec in zip(outputs, specs, strict=True)]))
        return read
    tables = tables or Tables()
    found: list[tuple[AnyMetric, list[Rows]]] = []
    for name in reading.metrics or ("mean",):
        of = metric_named(name, lower_is_better=reading.lower_is_better)
        systems = [
            read_system(
                spec,
                of,
                id_column=reading.id_column,
                score_column=reading.score_column,
                drop_missing=reading.drop_missing,
                tables=tables,
            )
            for spec in specs
        ]
        found.append((of, _named_shortly(specs, systems)))
    return found


def read_item_labels(
    specs: Sequence[str], systems: Sequence[Rows], reading: Reading, tables: Tables | None = None
) -> tuple[Labels | None, Labels | None]:
    """Return the clusters and the strata of systems' items.

    Parameters
    ----------
    specs : sequence of str
        As for `read_systems`. Where they name tables, labels may be columns of the first.
    systems : sequence of Rows
        That were read.
    reading : Reading
    tables : Tables, optional
        The same as `read_systems` was given.

    Raises
    ------
    FileAccessError, DataError, MissingDependencyError
        As `read_labels`.
    """
    table = None if are_outputs(specs, reading.references) else specs[0]
    clusters, strata = (
        None
        if spec is None
        else read_labels(spec, table, reading.id_column, item_ids=systems[0].item_ids, tables=tables)
        for spec in (reading.clusters, reading.strata)
    )
    return clusters, Labels.collapsing(strata, reading.collapse_strata)


def _of_metric(spec: str, metric: str | None) -> str:
    """Return the name of a system's file of kept rows of a metric.

    Raises
    ------
    OptionError
        No metric for a name that is to have one.
    """
    if METRIC_PLACE not in spec or Path(spec).exists():
        return spec
    if metric is None:
        what = f"expected --metric for {METRIC_PLACE}, got none"
        raise OptionError(Problem(printable(spec), what, "Name the metrics of the rows.", "no-metric"))
    return spec.replace(METRIC_PLACE, in_file_name(metric))


def _named_for_all(rows: Rows, spec: str) -> Rows:
    """Return rows under a name that is the same for all metrics."""
    return replace(rows, name=printable(spec).replace(METRIC_PLACE, "*")) if METRIC_PLACE in spec else rows


def _refuse_for_outputs(reading: Reading) -> None:
    """Refuse what is told of score tables where there are none, rather than to leave it unheard."""
    for option, given, why in (
        ("--lower-is-better", reading.lower_is_better, "metrics of outputs know their direction"),
        ("--id", reading.id_column, "outputs are paired by the ids in their files, or else line by line"),
        ("--score", reading.score_column, "outputs hold no scores"),
        ("--missing drop", reading.drop_missing, "every system needs an output for every reference"),
    ):
        if given:
            raise OptionError(Problem(option, why, "Leave the option out.", "not-for-outputs"))


def _named_shortly(specs: Sequence[str], systems: list[Rows]) -> list[Rows]:
    """Name systems by their columns where all stand in one table."""
    parts = [split_spec(spec) for spec in specs]
    if len({path for path, _ in parts}) > 1 or any(column is None for _, column in parts):
        return systems
    return [replace(rows, name=column or rows.name) for rows, (_, column) in zip(systems, parts, strict=True)]
