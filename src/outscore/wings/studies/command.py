"""`outscore study`: the analyses of BK12 for all pairs of a leaderboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Annotated, Literal

from cyclopts import App, Parameter

from outscore.cli.arguments import computing, seed_of
from outscore.cli.mistakes import refuse_mistaken
from outscore.cli.output import Writes, progress_bar, writing
from outscore.cli.reading import BoardReads
from outscore.data.coercion import whole_number
from outscore.design.scores import Scores
from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.readers.boards import families_of
from outscore.readers.files import split_spec
from outscore.results import Estimator, Method, Ties
from outscore.significance import Resampling, test_named
from outscore.wings.studies import IsotonicFit, LogisticFit, ScaledFit, StudyOptions, ThresholdRule, WindowRule
from outscore.wings.studies.investigations import (
    study_calibration,
    study_domains,
    study_gain,
    study_size,
    study_transfer,
)
from outscore.wings.studies.results import Fit

RULES: dict[Fit, type[ThresholdRule]] = {
    Fit.WINDOW: WindowRule,
    Fit.ISOTONIC: IsotonicFit,
    Fit.LOGISTIC: LogisticFit,
    Fit.SCALED: ScaledFit,
}


@Parameter(name="*")
@dataclass(frozen=True)
class Reads(BoardReads):
    """How systems are read, and which of them form additional relations.

    Attributes
    ----------
    relations
        FILE:COLUMN of a table that marks some systems, for example as combination, and leaves the others empty.
        Pairs with a marked system form a separate relation.
    """

    relations: str | None = None

    def marks(self, scores: Scores) -> dict[str, str]:
        """Return the marks of systems, by their names."""
        if self.relations is None:
            return {}
        marks = families_of(scores.names, self.relations)
        return {name: mark for name, mark in zip(scores.names, marks, strict=True) if mark is not None}


@Parameter(name="*")
@dataclass(frozen=True)
class Asks:
    """How p-values and thresholds are computed.

    Attributes
    ----------
    test
        bootstrap (default) or another test, one-sided in the observed direction.
    fit
        Rule for thresholds: window (BK12's percentile of the gains of pairs with p near 0.05), or, for leaderboards
        with few pairs, scaled, isotonic or logistic.
    window
        The p-values that count as near 0.05.
    min_pairs
        The smallest number of pairs for a threshold.
    method
        auto: exact if that is fast; exact: always exact, or an error; monte-carlo: sampled.
    n_resamples
        Resamples per test set for sampled p-values. Default: 1e5 for gain and transfer, 1e4 for size and domains,
        1e3 for calibration.
    seed
        Random seed, or none for a random seed. Default: $OUTSCORE_SEED, or 12345.
    jobs
        Threads; they do not change the result.
    executor
        As for outscore compare.
    ties
        Whether a resample equal to the observed value counts (>=) or not (>, as in BK12).
    estimator
        Estimator of sampled p-values: add-one, (c+1)/(r+1), or plain, c/r, as in BK12.
    confidence_level
        Confidence level of the intervals.
    """

    test: Annotated[str, Parameter(alias="-t")] = "bootstrap"
    fit: Fit = Fit.WINDOW
    window: tuple[float, float] = (0.04, 0.06)
    min_pairs: int = 10
    method: Method = Method.AUTO
    n_resamples: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None
    seed: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None
    jobs: int = 1
    executor: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None
    ties: Ties = Ties.COUNT
    estimator: Estimator = Estimator.ADD_ONE
    confidence_level: float = 0.95

    def options(self, n_resamples: int) -> StudyOptions:
        """Return the options of a study, with `n_resamples` as the default number of resamples."""
        r = whole_number(self.n_resamples or str(n_resamples), opt("n_resamples"))
        resampling = Resampling(self.method, r, seed_of(self.seed))
        return StudyOptions(
            rule=RULES[self.fit](*self.window),
            min_pairs=self.min_pairs,
            test=test_named(self.test),
            resampling=resampling,
            ties=self.ties,
            estimator=self.estimator,
            confidence_level=self.confidence_level,
        )


System = Annotated[str, Parameter(name="SYSTEM", allow_leading_hyphen=True)]


study = App(
    name="study",
    help="Analyse a leaderboard: from which gain do systems differ significantly?",
)


@study.command
def gain(
    *systems: System,
    reads: Reads = Reads(),
    asks: Asks = Asks(),
    writes: Writes = Writes(),  # noqa: B008 - frozen
    table: Literal["pairs", "thresholds"] | None = None,
) -> None:
    """Show confidence (1 - p) against gain for all pairs, and the gain above which 95% are significant.

    Parameters
    ----------
    systems
        A leaderboard file or a table of all systems; or at least two system files.
    table
        Content of csv and parquet: one row per pair (default), or one per relation.
    """
    if table is not None and writes.chosen not in ("csv", "parquet"):
        what = f"applies to csv and parquet, and the format is {writes.chosen}"
        raise OptionError(Problem(opt("table"), what, f"Leave it out, or add {opt('format', 'csv')}.", "usage"))
    with _running("gain", systems, reads, asks, writes, n_resamples=100_000) as run:
        board = reads.scores(systems)
        marks = reads.marks(board)
        results = [study_gain(board, run.options, metric=metric, relations=marks) for metric in board.metrics]
        run.write(*results, thresholds=table == "thresholds")


@study.command
def size(
    *systems: System,
    sizes: str,
    subsets: int = 10,
    reads: Reads = Reads(),
    asks: Asks = Asks(),
    writes: Writes = Writes(),  # noqa: B008 - frozen
) -> None:
    """Show the threshold by the size of the test set, with a fit of 1/sqrt(n).

    Parameters
    ----------
    systems
        A leaderboard file or a table of all systems; or at least two system files.
    sizes
        Sizes of smaller test sets in items (or clusters), such as 100,200,400.
    subsets
        Number of random subsets of each size, besides the first items; 0 for none.
    """
    with _running("size", systems, reads, asks, writes, n_resamples=10_000) as run:
        wanted = [whole_number(part, opt("sizes")) for part in sizes.split(",") if part.strip()]
        board = reads.scores(systems)
        run.write(
            *(
                study_size(board, wanted, run.options, subsets=subsets, metric=metric, relations=reads.marks(board))
                for metric in board.metrics
            )
        )


@study.command
def domains(
    *boards: Annotated[str, Parameter(name="BOARD", allow_leading_hyphen=True)],
    items: int | None = None,
    subsets: int = 10,
    reads: Reads = Reads(),
    asks: Asks = Asks(),
    writes: Writes = Writes(),  # noqa: B008 - frozen
) -> None:
    """Compare thresholds between domains at the same size of the test set.

    Parameters
    ----------
    boards
        Leaderboard files or tables of all systems, one per domain; or a single one, or system outputs, with --stratum.
    items
        Items (or clusters) of each test set. Default: those of the smallest domain.
    subsets
        Number of random subsets of each domain.
    """
    with _running("domains", boards, reads, asks, writes, n_resamples=10_000) as run:
        # Outputs with a common reference are the systems of one leaderboard, whose strata are the domains.
        several = {"board": reads.scores(boards)} if reads.reference else _named(boards, reads)
        marks = {name: mark for scores in several.values() for name, mark in reads.marks(scores).items()}
        domains_or_board: Mapping[str, Scores] | Scores = several if len(several) != 1 else next(iter(several.values()))
        metrics = [metric.name for metric in next(iter(several.values())).metrics] if several else [""]
        run.write(
            *(
                study_domains(domains_or_board, run.options, items=items, subsets=subsets, metric=name, relations=marks)
                for name in metrics
            )
        )


@study.command
def calibration(
    *systems: System,
    items: int | None = None,
    repeats: int | None = None,
    transfer: list[str] | None = None,
    transfer_from: str | None = None,
    reads: Reads = Reads(),
    asks: Asks = Asks(),
    writes: Writes = Writes(),  # noqa: B008 - frozen
) -> None:
    """Show how often the system with the higher score is the better one, by p-value.

    The leaderboard is the population: test sets are drawn from it with replacement. With --transfer or
    --transfer-from, this command is outscore study transfer.

    Parameters
    ----------
    systems
        A leaderboard file or a table of all systems; or at least two system files.
    items
        Items (or clusters) of each test set. Default: those of the leaderboard.
    repeats
        Number of test sets drawn. Default: 1000.
    transfer
        As --to of outscore study transfer.
    transfer_from
        As --from of outscore study transfer.
    """
    if transfer or transfer_from is not None:
        drawn = [name for name, value in ((opt("items"), items), (opt("repeats"), repeats)) if value is not None]
        if drawn:
            what = f"does not apply with {opt('others') if transfer else opt('stratum')}, which draws no test sets"
            raise OptionError(Problem(", ".join(drawn), what, "Leave it out.", "usage"))
        _transferred(systems, transfer or (), transfer_from, reads, asks, writes, named=(opt("others"), opt("stratum")))
        return
    _refuse_thresholds(reads, asks, windows=True)
    times = 1000 if repeats is None else repeats
    with _running("calibration", systems, reads, asks, writes, n_resamples=1000) as run:
        board = reads.scores(systems)
        run.write(
            *(
                study_calibration(board, run.options, items=items, repeats=times, metric=metric)
                for metric in board.metrics
            )
        )


@study.command
def transfer(
    *systems: System,
    to: list[str] | None = None,
    from_: Annotated[str | None, Parameter(name="--from")] = None,
    reads: Reads = Reads(),
    asks: Asks = Asks(),
    writes: Writes = Writes(),  # noqa: B008 - frozen
) -> None:
    """Show how many gains keep their sign on other test sets, by p-value.

    Other test sets are other leaderboards of the same systems, or other strata of one leaderboard, such as its domains.

    Parameters
    ----------
    systems
        A leaderboard file or a table of all systems; or at least two system files.
    to
        Another leaderboard of the same systems, on which signs are compared. May be repeated.
    from_
        With --stratum: take p-values from this stratum, such as news, and compare signs on each of the others.
    """
    if not to and from_ is None:
        what = "expected other test sets for comparing signs, got none"
        raise OptionError(
            Problem(
                "study transfer", what, f"Pass leaderboards with {opt('to')}, or a stratum with {opt('from')}.", "usage"
            )
        )
    _transferred(systems, to or (), from_, reads, asks, writes, named=(opt("to"), opt("from")))


def _transferred(
    systems: Sequence[str],
    to: Sequence[str],
    stratum: str | None,
    reads: Reads,
    asks: Asks,
    writes: Writes,
    *,
    named: tuple[str, str],
) -> None:
    """Run the transfer study; its two options are called `named`."""
    if to and stratum is not None:
        what = "signs are compared on other leaderboards or on other strata, not on both"
        raise OptionError(Problem(named[1], what, f"Leave out one of {named[0]} and {named[1]}.", "usage"))
    _refuse_thresholds(reads, asks, windows=False)
    with _running("transfer", [*systems, *to], reads, asks, writes, n_resamples=100_000) as run:
        board = reads.scores(systems)
        if stratum is not None:
            run.write(
                *(study_transfer(board, None, run.options, stratum=stratum, metric=metric) for metric in board.metrics)
            )
            return
        others = _named(to, reads)
        called = _label(systems[0]) if len(systems) == 1 else "these systems"
        run.write(*(study_transfer(board, others, run.options, name=called, metric=metric) for metric in board.metrics))


def _refuse_thresholds(reads: Reads, asks: Asks, *, windows: bool) -> None:
    """Refuse options of thresholds and relations for a study that has none."""
    default = Asks()
    is_set = {
        opt("families"): reads.families is not None,
        opt("relations"): reads.relations is not None,
        opt("rule"): asks.fit is not default.fit,
        opt("min_pairs"): asks.min_pairs != default.min_pairs,
        opt("window"): not windows and asks.window != default.window,
    }
    unused = [option for option, said in is_set.items() if said]
    if unused:
        what = "applies to thresholds and relations, which this study does not have"
        raise OptionError(Problem(", ".join(unused), what, "Leave it out.", "usage"))


def _named(specs: Sequence[str], reads: Reads) -> dict[str, Scores]:
    labels = [_label(spec) for spec in specs]
    names = labels if len(set(labels)) == len(labels) else list(specs)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise OptionError(Problem(twice, "is listed twice", "List each leaderboard once.", "usage"))
    return {name: reads.scores([spec]) for name, spec in zip(names, specs, strict=True)}


def _label(spec: str) -> str:
    """Return a short name of a leaderboard: its file's, or its folder's if the file is called board."""
    path = PurePath(split_spec(spec)[0])
    stem = path.name.removesuffix(".gz").rsplit(".", 1)[0]
    return path.parent.name if stem == "board" and path.parent.name else stem


@dataclass(frozen=True)
class _Run:
    """A running study: its options, and its output."""

    options: StudyOptions
    write: Callable[..., None]


@contextmanager
def _running(
    command: str, systems: Sequence[str], reads: Reads, asks: Asks, writes: Writes, *, n_resamples: int
) -> Iterator[_Run]:
    with writing(writes) as write:
        options = asks.options(n_resamples)
        _, pool = computing(asks.jobs, asks.executor)
        refuse_mistaken(systems, f"study {command}", metrics=reads.metric, references=reads.reference)
        with pool as executor, progress_bar(shown=not writes.quiet) as progress:
            resampling = replace(options.resampling, executor=executor, progress=progress)
            yield _Run(replace(options, resampling=resampling), write)
