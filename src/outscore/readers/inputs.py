"""The systems of a command: score tables, or outputs and kept rows, under one metric or several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from outscore.errors import DataError, FileAccessError, OptionError, Problem
from outscore.metrics import AnyMetric, metric_named, metrics_listed
from outscore.naming import printable
from outscore.readers.kept_files import METRIC_PLACE, in_file_name, is_kept
from outscore.readers.labels import read_labels
from outscore.readers.registry import Tables
from outscore.readers.system_files import SystemFile, called
from outscore.readers.systems import read_system
from outscore.resampling import Progress
from outscore.rows import Labels, Rows, align

if TYPE_CHECKING:
    from outscore.metrics.base import AnyOutputMetric
    from outscore.readers.corpora.registry import Corpora

__all__ = ["Reading", "SystemsRead", "are_outputs", "read_item_labels", "read_systems"]

_M = TypeVar("_M", bound=AnyMetric)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How the files of systems are to be read; the options of `outscore compare`, by the same names.

    Attributes
    ----------
    metrics : tuple of str
        As users write them, several with commas between them, too: of columns, or of outputs where there are
        references. By default that of the kept rows, where a file holds some, or else the mean of scores.
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
    skip_unreadable : bool
        Whether systems that cannot be read are left out, instead of being an error.
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
    skip_unreadable: bool = False

    def __post_init__(self) -> None:
        listed = [one for text in self.metrics for one in metrics_listed(text)]
        object.__setattr__(self, "metrics", tuple(dict.fromkeys(listed)))  # twice the same is once


def are_outputs(specs: Sequence[str], references: Sequence[str]) -> bool:
    """Tell whether systems are outputs or kept rows: there are references, or one of the files holds kept rows."""
    return bool(references) or any(is_kept(spec) for spec in specs)


@dataclass(frozen=True, eq=False)
class SystemsRead:
    """The systems of a command, read.

    Attributes
    ----------
    files : list of SystemFile
        Without those that could not be read and were to be skipped.
    metrics : list of AnyMetric
        Each once.
    rows : list of lists of Rows
        For each metric those of every system, under its name.
    notes : tuple of str
        What a reader of the results must know of how systems were read: which of them were left out, and why.
    left_out : mapping of str to str
        Why, by the files' specs.
    """

    files: list[SystemFile]
    metrics: list[AnyMetric]
    rows: list[list[Rows]]
    notes: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def specs(self) -> list[str]:
        """The systems' files, or columns of files."""
        return [file.spec for file in self.files]

    @property
    def names(self) -> list[str]:
        """What the systems are called."""
        return [rows.name for rows in self.rows[0]]

    def with_first(self, place: int) -> SystemsRead:
        """Return the same with the system at `place` before all others."""
        order = [place, *(other for other in range(len(self.files)) if other != place)]
        return replace(
            self, files=[self.files[i] for i in order], rows=[[systems[i] for i in order] for systems in self.rows]
        )


def read_systems(
    files: Sequence[SystemFile],
    reading: Reading,
    *,
    with_responses: bool = False,
    tables: Tables | None = None,
    corpora: Corpora | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> SystemsRead:
    """Return the rows of every system on every metric, each under the system's name.

    Parameters
    ----------
    files : sequence of SystemFile
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
        As `read_outputs` and `read_system`; fewer than two systems that can be read.
    """
    outputs = are_outputs([file.spec for file in files], reading.references)
    if outputs:
        _refuse_for_outputs(reading)
        # Dozens of metrics and formats: who compares columns does not wait for them.
        from outscore.readers.corpora.registry import Corpora

        corpora = corpora or Corpora()
        read = partial(
            _read_outputs, reading=reading, with_responses=with_responses, corpora=corpora, jobs=jobs, progress=progress
        )
    else:
        read = partial(_read_tables, reading=reading, tables=tables or Tables())
    kept, left_out = list(files), {}
    try:
        found = read([file.spec for file in kept])
    except (FileAccessError, DataError):
        if not reading.skip_unreadable:
            raise
        left_out = _unreadable([file.spec for file in files], read)
        kept = [file for file in files if file.spec not in left_out]
        if not left_out or not kept:
            raise  # it is nothing that is wrong with some of them
        found = read([file.spec for file in kept])
    if reading.skip_unreadable and not outputs:
        others = _unpaired(found[0][1], drop_missing=reading.drop_missing)
        places = [place for place, file in enumerate(kept) if place not in others]
        left_out |= {kept[place].spec: why for place, why in others.items()}
        kept = [kept[place] for place in places]
        found = [(metric, [systems[place] for place in places]) for metric, systems in found]
    if left_out and len(kept) < 2:
        what = f"expected at least two systems that can be read, got {len(kept)} of {len(files)}"
        first = next(iter(left_out.values()))
        raise DataError(Problem("--skip-unreadable", f"{what}; {first}", "Mend the others.", "one-system"))
    names = [rows.name for rows in called(kept, found[0][1])]
    return SystemsRead(
        kept,
        [metric for metric, _ in found],
        [
            [replace(mine, name=name) for mine, name in zip(called(kept, systems), names, strict=True)]
            for _, systems in found
        ],
        tuple(f"Left out: {why}." for why in left_out.values()),
        left_out,
    )


_Read: TypeAlias = list[tuple[AnyMetric, list[Rows]]]


def _read_outputs(
    specs: Sequence[str],
    *,
    reading: Reading,
    with_responses: bool,
    corpora: Corpora,
    jobs: int,
    progress: Progress | None,
) -> _Read:
    from outscore.metrics.outputs import output_metric_named, spec_of
    from outscore.readers.outputs import read_outputs
    from outscore.readers.scoring import Scoring

    scoring = Scoring(jobs, progress)
    found: _Read = []
    named: list[AnyOutputMetric[Any, Any] | None] = [*_once([output_metric_named(name) for name in reading.metrics])]
    for metric in named or [None]:
        fitted, outputs = read_outputs(
            [_of_metric(spec, None if metric is None else spec_of(metric)) for spec in specs],
            reading.references,
            metric,
            format_name=reading.input_format,
            scoring=scoring,
            with_responses=with_responses,
            corpora=corpora,
        )
        found.append((fitted, outputs))
    return found


def _read_tables(specs: Sequence[str], *, reading: Reading, tables: Tables) -> _Read:
    metrics = [metric_named(name, lower_is_better=reading.lower_is_better) for name in reading.metrics or ("mean",)]
    return [
        (
            of,
            [
                read_system(
                    spec,
                    of,
                    id_column=reading.id_column,
                    score_column=reading.score_column,
                    drop_missing=reading.drop_missing,
                    tables=tables,
                )
                for spec in specs
            ],
        )
        for of in _once(metrics)
    ]


def _once(metrics: Sequence[_M]) -> list[_M]:
    """Return metrics without those that are equal to an earlier one, by whatever name."""
    found: list[_M] = []
    for metric in metrics:
        if metric not in found:
            found.append(metric)
    return found


def _unreadable(specs: Sequence[str], read: Callable[[Sequence[str]], _Read]) -> dict[str, str]:
    """Return why systems cannot be read, by their specs: of those that cannot be read by themselves."""
    found = {}
    for spec in specs:
        try:
            read([spec])
        except (FileAccessError, DataError) as error:
            found[spec] = _reason(spec, error.problems[0])
    return found


def _reason(spec: str, problem: Problem) -> str:
    place = problem.where if problem.where.startswith(printable(spec)) else f"{printable(spec)}: {problem.where}"
    return f"{place}: {problem.what}"


def _unpaired(systems: Sequence[Rows], *, drop_missing: bool) -> dict[int, str]:
    """Return why systems cannot be paired, by place: of those whose items are not the ones that most systems have."""
    items = [len(rows) if rows.item_ids is None else frozenset(rows.item_ids) for rows in systems]
    usual = systems[items.index(Counter(items).most_common(1)[0][0])]
    found = {}
    for place, rows in enumerate(systems):
        try:
            align([usual, rows], drop_missing=drop_missing)
        except DataError as error:
            own = [problem for problem in error.problems if problem.where != usual.where]
            found[place] = _reason(rows.where, (own or error.problems)[0])
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
