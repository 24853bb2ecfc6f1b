"""Leaderboards: many systems on one test set, and their rankings."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack, overload

import numpy as np

from outscore.aliases import own_spec
from outscore.arguments import DEFAULT_SEED, alpha_of, given_systems, given_tests, several_metrics
from outscore.errors import NotApplicableError, OptionError, Problem
from outscore.given import choice, whole, wrong
from outscore.metrics import AnyMetric, ColumnMetric, Metric, metric_named
from outscore.metrics.base import AnyOutputMetric
from outscore.metrics.specs import spec_of
from outscore.naming import nearest, printable, quoted
from outscore.readers import Tables, labels_from, read_system, system_from
from outscore.readers.board_arguments import Families, column_named, with_given_families, with_given_labels
from outscore.readers.board_checks import check_board
from outscore.readers.boards import Board, Entry, board_of_files, board_of_table, read_board
from outscore.readers.frames import table_from
from outscore.readers.inputs import Reading
from outscore.readers.system_files import system_files
from outscore.results import Alternative, Correction, Estimator, Method, Ranking, Rankings, Ties
from outscore.rows import AlignedItems, Labels, align_items
from outscore.significance import Resampling, SignificanceTest
from outscore.significance.ranking import RankingSettings, rank_rows

__all__ = ["Leaderboard", "rank"]


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """Many systems on the same items, on one metric or several.

    Make one with `read`, `from_scores` or `from_dataframe`.

    Attributes
    ----------
    board : Board
        The systems with their names, families and rows, the metrics, and the items' clusters and strata.
    drop_missing : bool
        Whether items that some system lacks are left out, instead of being an error.

    Raises
    ------
    DataError
        Fewer than two systems, two of one name, or rows of different metrics.

    Examples
    --------
    >>> scores = {"old": [1, 0, 0, 1, 0, 0], "new": [1, 1, 0, 1, 1, 1], "other": [0, 1, 0, 1, 0, 0]}
    >>> ranking = Leaderboard.from_scores(scores, metric="accuracy").rank(tests="randomization")
    >>> [(system.name, system.rank, system.group) for system in ranking.systems]
    [('new', 1, 'a'), ('old', 2, 'a'), ('other', 2, 'a')]
    """

    board: Board
    drop_missing: bool = False

    def __post_init__(self) -> None:
        check_board(self.board)

    @property
    def names(self) -> tuple[str, ...]:
        """The systems' names, in the order given."""
        return tuple(entry.name for entry in self.board.entries)

    @property
    def families(self) -> tuple[str | None, ...]:
        """The systems' families; None where one is not known."""
        return tuple(entry.family for entry in self.board.entries)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics."""
        return tuple(metric.name for metric in self.board.metrics)

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        *,
        metrics: str | Sequence[str] = (),
        references: str | Sequence[str] = (),
        families: Families = None,
        clusters: object = None,
        strata: object = None,
        collapse_strata: bool = False,
        input_format: str | None = None,
        lower_is_better: bool = False,
        id_column: str | None = None,
        score_column: str | None = None,
        drop_missing: bool = False,
    ) -> Leaderboard:
        """Return the leaderboard in a file: a board (TOML), or one table of all systems (CSV, TSV, JSONL, Parquet).

        What is given here goes before what a board says; the arguments are the options of `outscore rank`. Families
        may be a mapping, and clusters and strata labels, too, as for `from_scores`.
        """
        reading = Reading(
            metrics=(metrics,) if isinstance(metrics, str) else tuple(metrics),
            references=(references,) if isinstance(references, str) else tuple(references),
            input_format=input_format,
            lower_is_better=lower_is_better,
            id_column=id_column,
            score_column=score_column,
            clusters=column_named(clusters),
            strata=column_named(strata),
            drop_missing=drop_missing,
        )
        board = with_given_labels(read_board(os.fspath(path), reading), clusters, strata, collapse_strata)
        return cls(with_given_families(board, families), drop_missing)

    @classmethod
    def from_scores(
        cls,
        systems: Mapping[str, object],
        *,
        metric: ColumnMetric | str = "mean",
        families: Families = None,
        clusters: object = None,
        strata: object = None,
        collapse_strata: bool = False,
        id_column: str | None = None,
        score_column: str | None = None,
        drop_missing: bool = False,
    ) -> Leaderboard:
        """Return the leaderboard of systems in memory.

        Parameters
        ----------
        systems : mapping from name to array, list, mapping from item id, dataframe, series, Rows, or path
            Each as `outscore.compare` takes it.
        metric : ColumnMetric or str
        families : mapping from name to family, or FILE:COLUMN, optional
        clusters, strata : sequence, mapping from item id, series or Labels, optional
            One label an item of the first system.
        collapse_strata : bool
            Merge strata of one item, or cluster, rather than to refuse them; as for `outscore.compare`.
        id_column, score_column : str, optional
        drop_missing : bool
        """
        if not isinstance(systems, Mapping):
            raise wrong("systems", "a mapping from names to scores", systems)
        of = _column_metric(metric)
        tables = Tables()
        entries = []
        for name, data in systems.items():
            called = printable(str(name))
            if isinstance(data, str | os.PathLike):
                rows = read_system(
                    os.fspath(data),
                    of,
                    id_column=id_column,
                    score_column=score_column,
                    drop_missing=drop_missing,
                    tables=tables,
                )
            else:
                rows = system_from(data, of, name=called, id_column=id_column, score_column=score_column)
            entries.append(Entry(called, None, (replace(rows, name=called),)))
        labels = [
            None if given is None else labels_from(given, called)
            for given, called in ((clusters, "clusters"), (strata, "strata"))
        ]
        board = Board((of,), tuple(entries), labels[0], Labels.collapsing(labels[1], collapse_strata))
        return cls(with_given_families(board, families), drop_missing)

    @classmethod
    def from_dataframe(
        cls,
        frame: object,
        *,
        metric: str = "mean",
        lower_is_better: bool = False,
        families: Families = None,
        clusters: object = None,
        strata: object = None,
        collapse_strata: bool = False,
        id_column: str | None = None,
        score_column: str | None = None,
        drop_missing: bool = False,
    ) -> Leaderboard:
        """Return the leaderboard in a data frame of any library that narwhals knows.

        Parameters
        ----------
        frame : data frame
            Long: columns `system`, item ids, scores, and perhaps `family`, `cluster`, `stratum`. Wide: one column a
            system, and perhaps one of item ids.
        metric : str
        lower_is_better : bool
        families : mapping from name to family, or FILE:COLUMN, optional
            Of systems that it names; others keep the family that the frame gives them.
        clusters, strata : str, or as `from_scores` takes them, optional
            Names of columns; `cluster` and `stratum` where they are there. Or one label an item of the first system.
        collapse_strata : bool
            As for `from_scores`.
        id_column, score_column : str, optional
        drop_missing : bool
        """
        table = table_from(frame, "frame")
        if table is None:
            raise wrong("frame", "a data frame", frame)
        reading = Reading(
            metrics=(metric,),
            lower_is_better=lower_is_better,
            id_column=id_column,
            score_column=score_column,
            clusters=column_named(clusters),
            strata=column_named(strata),
            drop_missing=drop_missing,
        )
        board = with_given_labels(board_of_table(table, reading), clusters, strata, collapse_strata)
        return cls(with_given_families(board, families), drop_missing)

    def rank(
        self,
        *,
        metric: str | None = None,
        tests: SignificanceTest | str | Sequence[SignificanceTest | str] = "bootstrap",
        method: Method | str = Method.AUTO,
        n_resamples: int = 100_000,
        seed: int = DEFAULT_SEED,
        alternative: Alternative | str = Alternative.TWO_SIDED,
        ties: Ties | str = Ties.COUNT,
        estimator: Estimator | str = Estimator.ADD_ONE,
        correction: Correction | str | None = None,
        max_t: bool = True,
        alpha: float | None = None,
        confidence_level: float | None = None,
        executor: Executor | None = None,
    ) -> Ranking:
        """Test every pair of systems on shared draws, correct for there being many, and rank.

        Parameters
        ----------
        metric : str, optional
            Which one, where there are several; the first by default.
        tests : SignificanceTest or str, or a sequence of them
            The first one's p-values are corrected, and give ranks and groups.
        method : {"auto", "exact", "monte-carlo"}
        n_resamples : int
            For p-values that are sampled, max-T, intervals and P(best).
        seed : int
        alternative : {"two-sided", "greater"}
            two-sided, because the direction of a pair comes from the data. greater is BK12's.
        ties, estimator
            As for `outscore.compare`.
        correction : {"max-t", "holm", "bh", "none"}, optional
            What ranks and groups go by; max-t where the first test is the bootstrap, else holm.
        max_t : bool
            Whether to compute max-T.
        alpha, confidence_level : float, optional
            Level of ranks and groups, and of intervals, 1 − alpha: one sets both. 0.05 by default.
        executor : concurrent.futures.Executor, optional
            Where resamples are computed; the result does not depend on it.

        Raises
        ------
        DataError
            Systems that lack items of others.
        OptionError
            An argument out of its range, or an unknown name.
        NotApplicableError
            A test that does not fit the metric, or no exact law under ``method="exact"``.
        """
        settings = RankingSettings(
            tests=given_tests(tests),
            resampling=Resampling(
                choice(Method, method, "method"), whole(n_resamples, "n_resamples"), whole(seed, "seed"), executor
            ),
            alternative=choice(Alternative, alternative, "alternative"),
            ties=choice(Ties, ties, "ties"),
            estimator=choice(Estimator, estimator, "estimator"),
            correction=None if correction is None else choice(Correction, correction, "correction"),
            max_t=max_t,
            alpha=alpha_of(alpha, confidence_level),
        )
        return self.ranking(settings, metric=metric)

    def ranking(self, settings: RankingSettings, *, metric: str | None = None) -> Ranking:
        """Rank by settings; see `rank`."""
        found = self.aligned(metric)
        return rank_rows(
            found.metric,
            found.items.systems,
            settings,
            families=self.families,
            clusters=found.items.clusters,
            strata=found.items.strata,
            notes=found.notes,
        )

    def aligned(self, metric: str | None = None) -> AlignedSystems:
        """Return the systems' rows on one metric, by default the first, paired item by item.

        Raises
        ------
        DataError
            Systems that lack items of others, or labels that do not fit them.
        OptionError
            An unknown metric.
        """
        names = self.metrics
        if metric is not None and metric not in names:
            metric = own_spec(metric, [name.partition("@")[0] for name in names])
        if metric is not None and metric not in names:
            raise OptionError(
                Problem("metric", f"unknown metric {quoted(metric)}", nearest(metric, names), "unknown-metric")
            )
        place = 0 if metric is None else names.index(metric)
        board = self.board
        found = align_items(
            [entry.rows[place] for entry in board.entries],
            clusters=board.clusters,
            strata=board.strata,
            drop_missing=self.drop_missing,
        )
        return AlignedSystems(board.metrics[place], found, (*board.notes, *found.notes))


@dataclass(frozen=True, eq=False)
class AlignedSystems:
    """Systems on one metric, in one order of items.

    Attributes
    ----------
    metric : Metric
    items : AlignedItems
    notes : tuple of str
    """

    metric: Metric
    items: AlignedItems
    notes: tuple[str, ...]


class _RankOptions(TypedDict, total=False):
    """What `rank` takes beside the systems and the metric."""

    references: object
    families: Families
    clusters: object
    strata: object
    collapse_strata: bool
    input_format: str | None
    id_column: str | None
    score_column: str | None
    drop_missing: bool
    tests: SignificanceTest | str | Sequence[SignificanceTest | str]
    method: Method | str
    n_resamples: int
    seed: int
    alternative: Alternative | str
    ties: Ties | str
    estimator: Estimator | str
    correction: Correction | str | None
    max_t: bool
    alpha: float | None
    confidence_level: float | None
    executor: Executor | None


@overload
def rank(systems: object, *, metric: AnyMetric | str | None = None, **options: Unpack[_RankOptions]) -> Ranking: ...
@overload
def rank(systems: object, *, metric: list[Any] | tuple[Any, ...], **options: Unpack[_RankOptions]) -> Rankings: ...
def rank(
    systems: Leaderboard | Mapping[str, object] | str | os.PathLike[str] | object,
    *,
    metric: AnyMetric | str | list[Any] | tuple[Any, ...] | None = None,
    references: object = None,
    families: Families = None,
    clusters: object = None,
    strata: object = None,
    collapse_strata: bool = False,
    input_format: str | None = None,
    id_column: str | None = None,
    score_column: str | None = None,
    drop_missing: bool = False,
    tests: SignificanceTest | str | Sequence[SignificanceTest | str] = "bootstrap",
    method: Method | str = Method.AUTO,
    n_resamples: int = 100_000,
    seed: int = DEFAULT_SEED,
    alternative: Alternative | str = Alternative.TWO_SIDED,
    ties: Ties | str = Ties.COUNT,
    estimator: Estimator | str = Estimator.ADD_ONE,
    correction: Correction | str | None = None,
    max_t: bool = True,
    alpha: float | None = None,
    confidence_level: float | None = None,
    executor: Executor | None = None,
) -> Ranking | Rankings:
    """Rank many systems: every pair tested on shared draws, corrected for there being many, and put into groups.

    Parameters
    ----------
    systems : mapping, data frame, path, list of paths or Leaderboard
        A mapping from names to what `outscore.compare` takes, one table of all systems, a board file, or one file a
        system.
    metric : AnyMetric or str, or a list of them, optional
        "mean" by default, or what a board says; of a Leaderboard one of its own. Of a list each ranks, on the same
        draws.
    references : str, path, list, series or mapping, optional
        What outputs are scored against, as for `outscore.compare`: systems are outputs then.
    families : mapping from name to family, or FILE:COLUMN, optional
    clusters, strata : optional
        As `Leaderboard.from_scores` takes them; or the name of a column of a data frame or of a file.
    input_format : str, optional
        Of files of outputs and references.
    collapse_strata, id_column, score_column, drop_missing
        As for `Leaderboard.from_scores`.
    tests, method, n_resamples, seed, alternative, ties, estimator, correction, max_t, alpha, confidence_level, executor
        As for `Leaderboard.rank`.

    Returns
    -------
    Ranking
        Of a list of metrics `Rankings`, which holds one each.

    Raises
    ------
    DataError, NotApplicableError
        As `Leaderboard.rank` and the ways to make one.
    OptionError
        The same, and what cannot apply: how to read a Leaderboard, which has been read.

    Examples
    --------
    >>> ranking = rank({"a": [1, 0, 0, 1], "b": [1, 1, 0, 1], "c": [1, 0, 0, 1]}, metric="accuracy", n_resamples=1000)
    >>> [round(pair.p_holm, 3) for pair in ranking.pairs]
    [1.0, 1.0, 1.0]
    """
    several = several_metrics(metric)
    rankings = []
    for one in several or [metric]:
        of_board = None
        if isinstance(systems, Leaderboard):
            _refuse_as_read(
                references=references,
                clusters=clusters,
                strata=strata,
                collapse_strata=collapse_strata,
                input_format=input_format,
                id_column=id_column,
                score_column=score_column,
                drop_missing=drop_missing,
            )
            board = Leaderboard(with_given_families(systems.board, families), systems.drop_missing)
            of_board = None if one is None else _metric_of(systems, one)
        else:
            told = _Told(
                families=families,
                clusters=clusters,
                strata=strata,
                collapse_strata=collapse_strata,
                input_format=input_format,
                id_column=id_column,
                score_column=score_column,
                drop_missing=drop_missing,
            )
            board = _leaderboard_of(systems, one, references, told)
        rankings.append(
            board.rank(
                metric=of_board,
                tests=tests,
                method=method,
                n_resamples=n_resamples,
                seed=seed,
                alternative=alternative,
                ties=ties,
                estimator=estimator,
                correction=correction,
                max_t=max_t,
                alpha=alpha,
                confidence_level=confidence_level,
                executor=executor,
            )
        )
    return rankings[0] if several is None else Rankings(tuple(rankings))


@dataclass(frozen=True, eq=False, kw_only=True)
class _Told:
    """What `rank` is told of systems beside the metric and the references; see there."""

    families: Families
    clusters: object
    strata: object
    collapse_strata: bool
    input_format: str | None
    id_column: str | None
    score_column: str | None
    drop_missing: bool


def _leaderboard_of(systems: object, metric: AnyMetric | str | None, references: object, told: _Told) -> Leaderboard:
    """Return the leaderboard of whatever `rank` takes."""
    paths = [systems] if isinstance(systems, str | os.PathLike) else systems
    if isinstance(paths, list | tuple) and paths and all(isinstance(path, str | os.PathLike) for path in paths):
        return _read(paths, metric, references, told)
    if isinstance(systems, Mapping) and (references is not None or isinstance(metric, AnyOutputMetric)):
        return _of_outputs(systems, metric, references, told)
    if isinstance(systems, Sequence | np.ndarray):
        raise wrong("systems", "a mapping from names, a data frame, a path, paths or a Leaderboard", systems)
    if references is not None:
        raise wrong("systems", "a mapping from names to outputs, or paths of them", systems)
    if told.input_format is not None:
        raise wrong("input_format", "none, as systems are scores", told.input_format)
    if isinstance(systems, Mapping):
        return Leaderboard.from_scores(
            systems,
            metric="mean" if metric is None else _column_metric(metric),
            families=told.families,
            clusters=told.clusters,
            strata=told.strata,
            collapse_strata=told.collapse_strata,
            id_column=told.id_column,
            score_column=told.score_column,
            drop_missing=told.drop_missing,
        )
    return Leaderboard.from_dataframe(
        systems,
        metric="mean" if metric is None else _metric_name(metric),
        lower_is_better=_lower(metric),
        families=told.families,
        clusters=told.clusters,
        strata=told.strata,
        collapse_strata=told.collapse_strata,
        id_column=told.id_column,
        score_column=told.score_column,
        drop_missing=told.drop_missing,
    )


def _read(
    paths: Sequence[str | os.PathLike[str]], metric: AnyMetric | str | None, references: object, told: _Told
) -> Leaderboard:
    """Return the leaderboard in one file, or in one file a system."""
    gold = [references] if isinstance(references, str | os.PathLike) else [] if references is None else references
    if not isinstance(gold, list | tuple) or not all(isinstance(one, str | os.PathLike) for one in gold):
        raise wrong("references", "a path, or a list of them, as systems are files", references)
    reading = Reading(
        metrics=() if metric is None else (_metric_name(metric),),
        references=tuple(map(os.fspath, gold)),
        input_format=told.input_format,
        lower_is_better=_lower(metric),
        id_column=told.id_column,
        score_column=told.score_column,
        clusters=column_named(told.clusters),
        strata=column_named(told.strata),
        drop_missing=told.drop_missing,
    )
    specs = [os.fspath(path) for path in paths]
    board = read_board(specs[0], reading) if len(specs) == 1 else board_of_files(system_files(specs), reading)
    board = with_given_labels(board, told.clusters, told.strata, told.collapse_strata)
    return Leaderboard(with_given_families(board, told.families), told.drop_missing)


def _of_outputs(
    systems: Mapping[str, object], metric: AnyMetric | str | None, references: object, told: _Told
) -> Leaderboard:
    """Return the leaderboard of outputs, in memory or in files, by their names."""
    names = [printable(str(name)) for name in systems]
    given = given_systems(
        list(systems.values()),
        metric,
        references,
        names=names,
        input_format=told.input_format,
        id_column=told.id_column,
        score_column=told.score_column,
        drop_missing=told.drop_missing,
    )
    if not isinstance(given.metric, Metric):
        what = f"{given.metric.name} has no rows that add up"
        raise NotApplicableError(Problem("metric", what, "Compare the systems two by two.", "not-applicable"))
    entries = tuple(Entry(name, None, (rows,)) for name, rows in zip(names, given.systems, strict=True))
    clusters, strata = given.labels(told.clusters, "clusters"), given.labels(told.strata, "strata")
    board = Board((given.metric,), entries, clusters, Labels.collapsing(strata, told.collapse_strata))
    return Leaderboard(with_given_families(board, told.families), told.drop_missing)


def _refuse_as_read(**given: object) -> None:
    """Refuse what tells how scores are read where they have been read, rather than to leave it unheard."""
    for argument, value in given.items():
        if value is not None and value is not False:
            what = "it tells how a leaderboard is read, and this one has been"
            raise OptionError(Problem(argument, what, "Pass it where the leaderboard is made.", "already-read"))


def _column_metric(metric: AnyMetric | str) -> ColumnMetric:
    of = metric_named(metric) if isinstance(metric, str) else metric
    if not isinstance(of, ColumnMetric):
        raise wrong("metric", 'a metric such as outscore.F1() or "f1"', metric)
    return of


def _metric_name(metric: AnyMetric | str) -> str:
    """Return a metric as a file's metrics are named, which says all of it."""
    if isinstance(metric, str):
        return metric
    if isinstance(metric, AnyOutputMetric):
        return spec_of(metric)
    name = _column_metric(metric).name
    if metric_named(name, lower_is_better=_lower(metric)) != metric:
        what = f"expected a metric that its name says all of, got {metric!r}"
        raise OptionError(Problem("metric", what, "Rank a mapping from names to scores with it.", "unnamed-metric"))
    return name


def _metric_of(leaderboard: Leaderboard, metric: AnyMetric | str) -> str:
    if isinstance(metric, str):
        return metric
    if metric not in leaderboard.board.metrics:
        what = f"expected one of the leaderboard's own, got {metric!r}"
        advice = f"Known: {', '.join(leaderboard.metrics)}."
        raise OptionError(Problem("metric", what, advice, "unknown-metric"))
    return metric.name


def _lower(metric: AnyMetric | str | None) -> bool:
    return isinstance(metric, ColumnMetric) and not metric.higher_is_better and metric.name in ("mean", "ratio")
