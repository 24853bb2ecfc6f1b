"""`outscore study`: what BK12 asked of all pairs of a leaderboard, asked of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Annotated, Literal

from cyclopts import App, Parameter

from outscore.cli.arguments import seed as parse_seed
from outscore.cli.arguments import whole_number
from outscore.cli.output import destination, progress_bar, terminal_layout
from outscore.cli.systems import format_of, refuse_options, refuse_overwriting
from outscore.errors import DataError, OptionError, Problem
from outscore.investigations import study_calibration, study_domains, study_gain, study_size, study_transfer
from outscore.leaderboards import Leaderboard
from outscore.naming import quoted
from outscore.readers import Tables
from outscore.readers.boards import Board, Reading, board_of_files, read_board, with_families
from outscore.readers.files import split_spec
from outscore.reports.charts import SUFFIXES, save_chart
from outscore.reports.studies import STUDY_FORMATS, Study, studies_to_json, study_to_text, thresholds_to_csv
from outscore.reports.studies.tables import written
from outscore.results import Estimator, Method, Ties
from outscore.results.studies import Fit, GainStudy
from outscore.significance import Resampling, test_named
from outscore.studies import IsotonicFit, LogisticFit, ScaledFit, StudyOptions, ThresholdRule, WindowRule

__all__ = ["study"]

FORMAT_OF_SUFFIX = {".json": "json", ".csv": "csv", ".md": "markdown"}
RULES: dict[Fit, type[ThresholdRule]] = {
    Fit.WINDOW: WindowRule,
    Fit.ISOTONIC: IsotonicFit,
    Fit.LOGISTIC: LogisticFit,
    Fit.SCALED: ScaledFit,
}

System = Annotated[str, Parameter(name="SYSTEM", allow_leading_hyphen=True)]


@Parameter(name="*")
@dataclass(frozen=True)
class Reads:
    """How systems are read.

    Attributes
    ----------
    metric
        As for outscore compare. May be repeated.
    reference
        A file of references: systems are then files of outputs. May be repeated.
    input_format
        How outputs and references are written, where neither name nor content tells.
    lower_is_better
        For mean and ratio: scores are losses or errors.
    id
        The column of item ids. Guessed by default.
    score
        The column of scores. Guessed by default.
    missing
        What to do about items that a system lacks.
    families
        FILE:COLUMN of a table that holds a family (research group, base model) for every system.
    relations
        FILE:COLUMN of a table that marks some systems, for example as combination, and leaves the others empty. A
        marked system's pairs are a relation of their own.
    cluster
        Items that belong together: a column of the table, a file of one label a line, or FILE:COLUMN.
    stratum
        Parts of the test set whose size is fixed, named like clusters.
    """

    metric: Annotated[list[str] | None, Parameter(alias="-m", negative="")] = None
    reference: Annotated[list[str] | None, Parameter(alias="-r", negative="")] = None
    input_format: str | None = None
    lower_is_better: Annotated[bool, Parameter(negative="")] = False
    id: str | None = None
    score: str | None = None
    missing: Literal["error", "drop"] = "error"
    families: str | None = None
    relations: str | None = None
    cluster: str | None = None
    stratum: str | None = None

    def board(self, systems: Sequence[str]) -> tuple[Leaderboard, dict[str, str]]:
        """Return the leaderboard of files, or of one file of all, and the marks of its systems."""
        reading = Reading(
            metrics=tuple(self.metric or ()),
            references=tuple(self.reference or ()),
            input_format=self.input_format,
            lower_is_better=self.lower_is_better,
            id_column=self.id,
            score_column=self.score,
            clusters=self.cluster,
            strata=self.stratum,
            drop_missing=self.missing == "drop",
        )
        board = _read(systems, reading)
        marks: dict[str, str] = {}
        if self.relations is not None:
            marked = with_families(board, self.relations)
            marks = {each.name: each.family for each in marked.entries if each.family and each.family.strip()}
        if self.families is not None:
            board = with_families(board, self.families)
        return Leaderboard(board, self.missing == "drop"), marks


@Parameter(name="*")
@dataclass(frozen=True)
class Asks:
    """How p-values and thresholds are come by.

    Attributes
    ----------
    test
        bootstrap (default) or another test, one-sided in the direction that the data took.
    fit
        Of thresholds: window (BK12's percentile of the gains of pairs with p near 0.05), or, for boards of few pairs,
        scaled, isotonic or logistic.
    window
        The p-values that count as near 0.05.
    min_pairs
        Thresholds that would rest on fewer pairs are refused.
    method
        auto: exact wherever that is quick; exact: or an error; monte-carlo: sampled.
    n_resamples
        Resamples of a test set where p-values are sampled; by default 1e5 for gain and transfer, 1e4 for each test set
        of size and domains, 1e3 for each of calibration.
    seed
        A whole number, or none to draw one. Default: $OUTSCORE_SEED, or 12345.
    jobs
        Threads. The result does not depend on it.
    ties
        Whether a replicate equal to the threshold counts (>=) or not (>, as BK12).
    estimator
        Of sampled p-values: add-one (c+1)/(r+1), or plain c/r, as BK12.
    confidence_level
        Of the intervals.
    """

    test: Annotated[str, Parameter(alias="-t")] = "bootstrap"
    fit: Fit = Fit.WINDOW
    window: tuple[float, float] = (0.04, 0.06)
    min_pairs: int = 10
    method: Method = Method.AUTO
    n_resamples: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None
    seed: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None
    jobs: int = 1
    ties: Ties = Ties.COUNT
    estimator: Estimator = Estimator.ADD_ONE
    confidence_level: float = 0.95

    def options(self, n_resamples: int) -> StudyOptions:
        """Return what is asked of a study, whose resamples are `n_resamples` by default."""
        if self.jobs < 1:
            raise OptionError(Problem("--jobs", f"expected at least 1, got {self.jobs}", "", "out-of-range"))
        r = n_resamples if self.n_resamples is None else whole_number(self.n_resamples, "--n-resamples")
        return StudyOptions(
            rule=RULES[self.fit](*self.window),
            min_pairs=self.min_pairs,
            test=test_named(self.test),
            resampling=Resampling(self.method, r, parse_seed(self.seed)),
            ties=self.ties,
            estimator=self.estimator,
            confidence_level=self.confidence_level,
        )


@Parameter(name="*")
@dataclass(frozen=True)
class Writes:
    """Where a study goes.

    Attributes
    ----------
    format
        Default: text, or what the name of the output file says (.json, .csv, .md).
    output
        Write to this file; whole, or not at all.
    chart
        Draw a chart into this file: .svg, .png, .pdf, .html or .json.
    quiet
        Print only one sentence, and no progress.
    """

    format: Literal["text", "json", "csv", "markdown"] | None = None
    output: Annotated[str | None, Parameter(alias="-o", allow_leading_hyphen=True)] = None
    chart: str | None = None
    quiet: Annotated[bool, Parameter(alias="-q", negative="")] = False


study = App(name="study", help="Ask of a leaderboard from which gain on systems really differ.")


@study.command
def gain(
    *systems: System,
    reads: Reads | None = None,
    asks: Asks | None = None,
    writes: Writes | None = None,
    table: Literal["pairs", "thresholds"] = "pairs",
) -> None:
    """Show confidence (1 - p) against gain for all pairs, and the gain from which on 95% of them are significant.

    Parameters
    ----------
    systems
        A board or a table of all systems; or the systems' files, at least two.
    reads
        How systems are read.
    asks
        How p-values and thresholds are come by.
    writes
        Where the study goes.
    table
        What csv holds: one row a pair, or one a relation.
    """
    reads, asks, writes = reads or Reads(), asks or Asks(), writes or Writes()
    with _running("gain", systems, reads, asks, writes, n_resamples=100_000) as run:
        board, marks = reads.board(systems)
        found = [study_gain(board, run.options, metric=name, relations=marks) for name in board.metrics]
        if table == "thresholds" and run.format == "csv":
            run.write("\n".join(thresholds_to_csv(each) for each in found))
        else:
            run.report(found)


@study.command
def size(
    *systems: System,
    sizes: str,
    subsets: int = 10,
    reads: Reads | None = None,
    asks: Asks | None = None,
    writes: Writes | None = None,
) -> None:
    """Show the threshold by the size of the test set, and the fit of the 1/sqrt(n) law.

    Parameters
    ----------
    systems
        A board or a table of all systems; or the systems' files, at least two.
    sizes
        Items of smaller test sets, such as 100,200,400.
    subsets
        Random subsets of each size, beside the first items; 0 for none.
    reads
        How systems are read.
    asks
        How p-values and thresholds are come by.
    writes
        Where the study goes.
    """
    reads, asks, writes = reads or Reads(), asks or Asks(), writes or Writes()
    with _running("size", systems, reads, asks, writes, n_resamples=10_000) as run:
        wanted = [whole_number(part, "--sizes") for part in sizes.split(",") if part.strip()]
        board, marks = reads.board(systems)
        run.report(
            [
                study_size(board, wanted, run.options, subsets=subsets, metric=name, relations=marks)
                for name in board.metrics
            ]
        )


@study.command
def domains(
    *boards: Annotated[str, Parameter(name="BOARD", allow_leading_hyphen=True)],
    items: int | None = None,
    subsets: int = 10,
    reads: Reads | None = None,
    asks: Asks | None = None,
    writes: Writes | None = None,
) -> None:
    """Show thresholds of several domains at one size of the test set.

    Parameters
    ----------
    boards
        Boards or tables of all systems, one a domain; or a single one with --stratum.
    items
        Items of each test set; as many as the smallest domain has by default.
    subsets
        Random subsets of each domain.
    reads
        How systems are read.
    asks
        How p-values and thresholds are come by.
    writes
        Where the study goes.
    """
    reads, asks, writes = reads or Reads(), asks or Asks(), writes or Writes()
    with _running("domains", boards, reads, asks, writes, n_resamples=10_000) as run:
        held = _named(boards, reads)
        marks = {name: mark for _, found in held.values() for name, mark in found.items()}
        several = {name: board for name, (board, _) in held.items()}
        given: dict[str, Leaderboard] | Leaderboard = several if len(several) != 1 else next(iter(several.values()))
        metrics = next(iter(several.values())).metrics if several else ("",)
        run.report(
            [
                study_domains(given, run.options, items=items, subsets=subsets, metric=name, relations=marks)
                for name in metrics
            ]
        )


@study.command
def calibration(
    *systems: System,
    items: int | None = None,
    repeats: int = 1000,
    transfer: Annotated[list[str] | None, Parameter(negative="")] = None,
    reads: Reads | None = None,
    asks: Asks | None = None,
    writes: Writes | None = None,
) -> None:
    """Show how often the system that a test set favours is the better one, by p-value.

    The board is taken for the population: test sets are drawn from it with replacement. With --transfer: how many
    pairs keep their sign on other boards, by p-value on this one.

    Parameters
    ----------
    systems
        A board or a table of all systems; or the systems' files, at least two.
    items
        Items of each test set; as many as the board has by default.
    repeats
        Test sets drawn.
    transfer
        Another board of the same systems. May be repeated.
    reads
        How systems are read.
    asks
        How p-values are come by.
    writes
        Where the study goes.
    """
    reads, asks, writes = reads or Reads(), asks or Asks(), writes or Writes()
    r = 100_000 if transfer else 1000
    with _running("calibration", [*systems, *(transfer or ())], reads, asks, writes, n_resamples=r) as run:
        board, _ = reads.board(systems)
        found: list[Study] = []
        for name in board.metrics:
            if transfer:
                others = {label: other for label, (other, _) in _named(transfer, reads).items()}
                called = _label(systems[0]) if len(systems) == 1 else "these systems"
                found.append(study_transfer(board, others, run.options, name=called, metric=name))
            else:
                n = items or len(board.board.entries[0].rows[0])
                found.append(study_calibration(board, run.options, items=n, repeats=repeats, metric=name))
        run.report(found)


def _named(specs: Sequence[str], reads: Reads) -> dict[str, tuple[Leaderboard, dict[str, str]]]:
    labels = [_label(spec) for spec in specs]
    names = labels if len(set(labels)) == len(labels) else list(specs)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise OptionError(Problem(twice, "stands here twice", "Name each board once.", "usage"))
    return {name: reads.board([spec]) for name, spec in zip(names, specs, strict=True)}


def _label(spec: str) -> str:
    """Return a short name of a board: its file's, or its folder's where the file is called board."""
    path = PurePath(split_spec(spec)[0])
    stem = path.name.removesuffix(".gz").rsplit(".", 1)[0]
    return path.parent.name if stem == "board" and path.parent.name else stem


def _read(systems: Sequence[str], reading: Reading) -> Board:
    if len(systems) != 1:
        return board_of_files(systems, reading) if systems else Board((), ())
    path, column = split_spec(systems[0])
    if column is not None or (reading.references and not path.lower().endswith(".toml")):
        what = "expected at least two systems, got one"
        raise DataError(Problem(systems[0], what, "Name more systems, or a board.", "one-system"))
    return read_board(path, reading, Tables())


@dataclass(frozen=True)
class _Run:
    """A study while it runs: what is asked, and where it goes."""

    options: StudyOptions
    writes: Writes
    write: Callable[[str], None]

    @property
    def format(self) -> str:
        return self.writes.format or format_of(self.writes.output, FORMAT_OF_SUFFIX)

    def report(self, found: Sequence[Study]) -> None:
        """Write studies, one a metric, and the chart of the first."""
        if self.writes.chart is not None:
            from outscore.reports.study_charts import study_chart

            save_chart(study_chart(found[0]), self.writes.chart)
        self.write(self._text(found))

    def _text(self, found: Sequence[Study]) -> str:
        if self.format == "json" and len(found) > 1:
            return studies_to_json(found)
        if self.format != "text":
            return "\n".join(STUDY_FORMATS[self.format](each) for each in found)
        if self.writes.quiet:
            return "".join(f"{_one_line(each)}\n" for each in found)
        layout = terminal_layout(to_file=self.writes.output is not None)
        return "\n\n".join(study_to_text(each, width=layout.width, ascii_only=layout.ascii_only) for each in found)


def _one_line(each: Study) -> str:
    said = written(each).lead
    if isinstance(each, GainStudy):
        first = written(each).tables[0].rows[0]
        return f"{said} Threshold {first[-2]} (from {first[-3]} pairs, {first[-1]})."
    return said


@contextmanager
def _running(
    command: str, systems: Sequence[str], reads: Reads, asks: Asks, writes: Writes, *, n_resamples: int
) -> Iterator[_Run]:
    with ExitStack() as stack:
        write = stack.enter_context(destination(writes.output))
        options = asks.options(n_resamples)
        refuse_options(systems, f"study {command}")
        refuse_overwriting(writes.output, [*systems, *(reads.reference or ())])
        refuse_overwriting(writes.chart, [*systems, *(reads.reference or ())])
        if writes.chart is not None and PurePath(writes.chart).suffix.lower() not in SUFFIXES:
            what = f"expected a file name that ends in {', '.join(SUFFIXES)}, got {quoted(writes.chart)}"
            raise OptionError(Problem("--chart", what, "", "chart-format"))
        executor = stack.enter_context(ThreadPoolExecutor(asks.jobs)) if asks.jobs > 1 else None
        with progress_bar(shown=not writes.quiet) as progress:
            resampling = replace(options.resampling, executor=executor, progress=progress)
            yield _Run(replace(options, resampling=resampling), writes, write)
