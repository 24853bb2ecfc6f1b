"""`replicate`: draw training sets, run a trainer on each, keep the valid outputs, and write the leaderboard file."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from outscore.asking import DEFAULT_SEED
from outscore.data.coercion import number, whole
from outscore.data.items import Corpus
from outscore.data.pairing import pair_corpora
from outscore.errors import ClusterError, FileAccessError, OptionError, OutscoreError, Problem
from outscore.laws.executors import AnyExecutor, completed, executor_of
from outscore.metrics import metric_named
from outscore.metrics.base import AnyOutputMetric, ColumnMetric
from outscore.metrics.outputs import output_metric_named
from outscore.options import opt
from outscore.readers.kept.files import is_kept
from outscore.readers.reading import Files, Reading, listed_metrics
from outscore.readers.registry import InputFiles
from outscore.readers.tabular.tables import read_system
from outscore.text.naming import printable, quoted
from outscore.text.numbers import format_count, format_seconds
from outscore.wings.replication.elsewhere import Brought, Errand, files_of, values_of, write_sets
from outscore.wings.replication.results import FinishedRun, Recipe, ReplicateRun, Replication, RunStatus, Unit
from outscore.wings.replication.runs import (
    LOG,
    BoardHead,
    RunFolder,
    read_board,
    records_in,
    refuse_other_recipes,
    settle,
    sole_use,
    write_board,
)
from outscore.wings.replication.trainers import Command, Exit, Job, run_jobs
from outscore.wings.replication.training_sets import Draw, TrainingSet, check_aligned, planned_draws, read_training_set


@dataclass(frozen=True, eq=False)
class OutputCheck:
    """Checks that outputs can be read, and match their references or each other."""

    reading: Reading  # how the leaderboard file will be read
    # Each metric of outputs, with the references as it reads them. Empty without references or metrics.
    golds: Sequence[tuple[AnyOutputMetric[Any, Any], Corpus[Any]]] = ()
    columns: Sequence[ColumnMetric] = ()  # the metrics of score tables. Empty with references, or without metrics.

    @classmethod
    def of(cls, metrics: Sequence[str], references: Files, reading: Reading) -> OutputCheck:
        """Look the metrics up and read the references."""
        if not references:
            lower = reading.lower_is_better
            return cls(reading, columns=[metric_named(name, lower_is_better=lower) for name in metrics])
        files = InputFiles()
        golds: list[tuple[AnyOutputMetric[Any, Any], Corpus[Any]]] = []
        for metric in map(output_metric_named, metrics):
            if len(references) > 1 and not metric.takes_several_references:
                what = f"{metric.name} takes one reference, got {len(references)}"
                raise OptionError(Problem(opt("references"), what, "Pass one file.", "several-references"))
            first, *others = (files.read(path, metric.reference_type, reading.input_format) for path in references)
            for other in others:
                pair_corpora(other, first)
            golds.append((metric, first))
        return cls(reading, golds)

    def problem(self, output: Path, beside: Path | None = None) -> str:
        """Return why the outputs in a file cannot be ranked; empty if they can."""
        if is_kept(str(output)):
            return ""
        files = InputFiles()
        try:
            for metric, gold in self.golds:
                metric.paired(files.read(str(output), metric.output_type, self.reading.input_format), gold)
            counts = [self._n_items(output, metric) for metric in self.columns]
        except OutscoreError as error:
            first = error.problems[0]
            # Without its folder, which will be renamed.
            return f"{first.where.removeprefix(printable(str(output.parent)) + os.sep)}: {first.what}"
        if counts and beside is not None and not is_kept(str(beside)):
            with suppress(OutscoreError):  # it may have been made before a metric was given
                expected = self._n_items(beside, self.columns[0])
                if expected != counts[0]:
                    items = "1 item" if expected == 1 else f"{format_count(expected)} items"
                    as_in = printable(beside.parent.name)
                    return f"{output.name}: expected {items}, as in {as_in}, got {format_count(counts[0])}"
        return ""

    def _n_items(self, output: Path, metric: ColumnMetric) -> int:
        """Return the number of items of a score table, after checking that the metric can read it."""
        reading = self.reading
        return len(read_system(str(output), metric, id_column=reading.id_column, score_column=reading.score_column))


_UNSAFE = frozenset('/\\:*?"<>|{}')


def replicate(
    command: Sequence[str],
    train: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    sizes: Sequence[float] = (1.0, 0.5, 0.25),
    replicates: int = 10,
    seed: int = DEFAULT_SEED,
    family: str | None = None,
    unit: Unit | None = None,
    header: int | None = None,
    suffix: str | None = None,
    references: Sequence[str | os.PathLike[str]] = (),
    metrics: Sequence[str] = (),
    jobs: int | None = None,
    executor: AnyExecutor | None = None,
    timeout: float | None = None,
    redo: bool = False,
    keep_training_sets: bool = False,
    progress: Callable[[int, int], None] | None = None,
    ended: Callable[[ReplicateRun], None] | None = None,
) -> Replication:
    """Train a family of systems on resampled training sets, and list them in a leaderboard file.

    Each training set holds size · n items drawn with replacement from the n items of `train` (BK12, section 3.2.1).
    The draws depend on the seed, the number of items drawn and the number of the replicate, not on the trainer:
    families with the same seed have the same training sets.

    A run works in the folder ``out/NAME.part``, which becomes ``out/NAME`` when it is finished: NAME is
    FAMILY-SIZE-NUMBER. Repeating the call continues it: finished runs are kept, unfinished or failed ones are run
    again, and further sizes or replicates are added. Other families in the folder are kept; ``out/board.toml``
    lists all.

    Parameters
    ----------
    command : sequence of str
        The trainer, as a list of words; no shell is used. It is run in the current working directory with empty
        standard input, and must write the outputs for the test set to ``{out}``. Placeholders: ``{train}``,
        ``{train2}`` and so on, ``{out}``, ``{seed}`` (a number below 2³¹, different for each run), ``{name}``.
    train : sequence of path
        One file, or several that are aligned by item and drawn together. May be ``.gz``; drawn sets are uncompressed.
    out : path
        A folder, created if it does not exist.
    sizes : sequence of float
        Fractions of the training set, in (0, 1].
    replicates : int
        Number of training sets of each size.
    seed : int
        Random seed, at least 0.
    family : str, optional
        Name of the base command. Default: that of its script or program.
    unit : Unit, optional
        Type of items. Default: from the file names.
    header : int, optional
        Number of header lines of every file.
    suffix : str, optional
        Suffix of the output files, for example ``.conllu``. Default: that of the first reference, else ``.txt``.
    references : sequence of path
        References of the leaderboard file. Default: those of an existing one.
    metrics : sequence of str
        Metrics of the leaderboard file, likewise. A run fails if they cannot read its outputs, or if the number of
        outputs differs from that of the references (without references, from that of finished runs).
    jobs : int, optional
        Number of parallel runs. Default: 1, or as many as the executor has workers.
    executor : concurrent.futures.Executor, distributed.Client or str, optional
        Where runs are made, as for `outscore.compare`; usually a Dask cluster. Each run is a task, which is
        repeated if its worker is lost. Training files are sent once; ``{out}`` and the log are sent back, so no
        shared file system is needed. Programs and files of the command must exist there; local copies must be
        identical.
    timeout : float, optional
        Time limit per run in seconds. After it, the process group is ended, except for processes that have started
        their own session.
    redo : bool
        Repeat the runs of this call, finished or not. A finished run is replaced only if the new one succeeds.
    keep_training_sets : bool
        Keep the drawn sets, which are otherwise deleted after the run.
    progress : callable, optional
        Called with the number of finished runs and the total.
    ended : callable, optional
        Called with each run of this call.

    Returns
    -------
    Replication
        The result, which lists failed runs; they do not stop the others.

    Raises
    ------
    OptionError
        An option is out of its range, a metric is unknown, the command lacks placeholders, or the folder has runs
        of this family with other settings.
    DataError
        A training file has no items, files are not aligned, or references cannot be read.
    FileAccessError
        A file cannot be read, or a folder cannot be written.
    ClusterError
        A cluster cannot be reached, or is lost; finished runs are kept.
    """
    running_on = executor_of(executor)
    if jobs is not None and jobs < 1:
        raise OptionError(Problem(opt("jobs"), f"expected at least 1, got {jobs}", "", "out-of-range"))
    if timeout is not None and not timeout > 0:
        raise OptionError(Problem(opt("timeout"), f"expected more than 0 seconds, got {timeout!r}", "", "out-of-range"))
    if header is not None and header < 0:
        raise OptionError(Problem(opt("header"), f"expected 0 or more lines, got {header}", "", "out-of-range"))
    if not train:
        raise OptionError(Problem(opt("train"), "expected a file", "", "usage"))
    template = Command(tuple(command), len(train), elsewhere=running_on is not None)
    family = _checked_family(template.short_name if family is None else family)
    suffix = _checked_suffix(_default_suffix(references) if suffix is None else suffix)
    head = BoardHead([_checked_reference(os.fspath(reference)) for reference in references], metrics)
    sets = [read_training_set(os.fspath(path), unit, header) for path in train]
    check_aligned(sets)
    seed, shares = whole(seed, opt("seed")), [number(size, opt("sizes")) for size in sizes]
    draws = planned_draws(len(sets[0]), shares, whole(replicates, opt("replicates")), seed)
    recipe = Recipe(
        command=template.words,
        files=template.file_digests(),
        train=[train_set.digest for train_set in sets],
        units=[train_set.unit.value for train_set in sets],
        headers=[train_set.header for train_set in sets],
        seed=seed,
        suffix=suffix,
    )
    try:
        # Errors should come before hours of training.
        check = _output_check(Path(out), head)
        plan = _Plan(Path(out), family, template, sets, recipe, keep_training_sets, check)
        plan.directory.mkdir(parents=True, exist_ok=True)
        with sole_use(plan.directory, family) as handles:
            settle(plan.directory, family)
            runs = plan.kept_runs(draws, redo=redo)
            try:
                plan.make_missing(draws, runs, _Making(jobs, running_on, timeout, progress, ended, handles))
            finally:  # an interrupted call writes the leaderboard file as well
                board = write_board(plan.directory, records_in(plan.directory).values(), head)
    except OutscoreError:
        raise
    except OSError as error:
        where = printable(os.fspath(error.filename or out))
        reason = (error.strerror or str(error)).lower()
        raise FileAccessError(Problem(where, f"cannot write: {reason}", "", "cannot-write")) from None
    path, families = board or (None, [])
    return Replication(
        family=family,
        directory=str(plan.directory),
        board=None if path is None else str(path),
        n_systems=len(families),
        families=sorted({family for family in families if family}),
        train=[train_set.source for train_set in sets],
        unit=sets[0].unit.plural,
        n_items=len(sets[0]),
        seed=seed,
        runs=[runs[plan.name(draw)] for draw in draws],
    )


@dataclass(frozen=True)
class _Making:
    """How runs are made; this does not change the result."""

    n_parallel: int | None
    executor: Executor | None
    timeout: float | None
    progress: Callable[[int, int], None] | None
    ended: Callable[[ReplicateRun], None] | None
    handles: Sequence[int]


@dataclass(frozen=True, eq=False)
class _Plan:
    """One family in one folder."""

    directory: Path
    family: str
    command: Command
    sets: Sequence[TrainingSet]
    recipe: Recipe
    keep_training_sets: bool
    check: OutputCheck

    def name(self, draw: Draw) -> str:
        return f"{self.family}-{draw.size!r}-{draw.replicate:02d}"

    def kept_runs(self, draws: Sequence[Draw], *, redo: bool) -> dict[str, ReplicateRun]:
        """Return the finished runs of `draws`; refuse other runs of the family, and folders that are not runs."""
        records = {name: record for name, record in records_in(self.directory).items() if record.family == self.family}
        lost = {name for name, record in records.items() if not (self.directory / name / record.output).is_file()}
        again = {self.name(draw) for draw in draws} & ({*records} if redo else lost)
        others = [record for name, record in records.items() if name not in again]
        refuse_other_recipes(others, self.recipe, str(self.directory), redo=redo)
        runs: dict[str, ReplicateRun] = {}
        for draw in draws:
            name = self.name(draw)
            folder = self.directory / name
            if name in again:
                continue
            if name in records:
                record, output = records[name], str(folder / records[name].output)
                runs[name] = self._run(draw, RunStatus.KEPT, Exit(record.exit_status, record.seconds), folder, output)
            elif folder.exists():
                what = "expected a run of this family, got something else"
                raise OptionError(
                    Problem(printable(str(folder)), what, f"Move it away, or pass another {opt('out')}.", "not-a-run")
                )
        return runs

    def make_missing(self, draws: Sequence[Draw], runs: dict[str, ReplicateRun], making: _Making) -> None:
        """Make the missing runs of `draws`, and add them."""
        missing = [draw for draw in draws if self.name(draw) not in runs]
        made = {self.name(draw) for draw in missing}
        finished = [
            self.directory / name / record.output
            for name, record in records_in(self.directory).items()
            if name not in made
        ]

        def note(draw: Draw, exit_: Exit) -> None:
            run = self._ended(draw, exit_, making.timeout, finished[0] if finished else None)
            runs[run.name] = run
            if run.output is not None:
                finished.append(Path(run.output))
            if making.ended is not None:
                making.ended(run)
            if making.progress is not None:
                making.progress(len(runs), len(draws))

        if making.progress is not None:
            making.progress(len(runs), len(draws))
        if making.executor is not None:
            self._make_elsewhere(missing, making, making.executor, note)
            return
        jobs = {self._job(draw): draw for draw in missing}
        run_jobs(
            list(jobs),
            making.n_parallel or 1,
            making.timeout,
            lambda job, exit_: note(jobs[job], exit_),
            making.handles,
        )

    def _make_elsewhere(
        self, draws: Sequence[Draw], making: _Making, executor: Executor, note: Callable[[Draw, Exit], None]
    ) -> None:
        errand = Errand(self.command, self.sets, self.recipe.suffix, self.recipe.files, making.timeout)
        named = [(self.name(draw), draw) for draw in draws]
        for (name, draw), ended in completed(executor, errand, named, making.n_parallel):
            try:
                brought = ended.result()
            except ClusterError as error:
                if error.problems[0].slug != "lost-workers":  # the others are of the cluster, not only of this run
                    raise
                brought = Brought(Exit(None, 0.0, problem=error.problems[0].what), None, b"")
            folder = RunFolder(self.directory, name)
            folder.begin()
            if self.keep_training_sets:
                write_sets(self.sets, draw, folder.part)
            (folder.part / LOG).write_bytes(brought.log)
            if brought.output is not None:
                (folder.part / f"out{self.recipe.suffix}").write_bytes(brought.output)
            note(draw, brought.exit)

    def _job(self, draw: Draw) -> Job:
        folder = RunFolder(self.directory, self.name(draw))
        values = values_of(folder.part, self.sets, self.recipe.suffix, folder.name, draw)

        def prepare() -> None:
            folder.begin()
            write_sets(self.sets, draw, folder.part)

        return Job(tuple(self.command.filled(values)), folder.part / LOG, prepare)

    def _ended(self, draw: Draw, exit_: Exit, timeout: float | None, beside: Path | None) -> ReplicateRun:
        """Keep the outputs of a run if they are valid and match the outputs `beside` them on the leaderboard."""
        folder = RunFolder(self.directory, self.name(draw))
        output = folder.part / f"out{self.recipe.suffix}"
        problem = _problem_of(exit_, folder, output, timeout) or self.check.problem(output, beside)
        if problem or exit_.status is None:
            folder.fail()
            if folder.finished.exists():
                problem += "; the earlier run is kept"
            status = RunStatus.TIMED_OUT if exit_.timed_out else RunStatus.FAILED
            return self._run(draw, status, exit_, folder.failed, None, problem)
        _replace_link(output)
        if not self.keep_training_sets:
            for file in files_of(folder.part, self.sets):
                file.unlink(missing_ok=True)
        record = FinishedRun(
            name=folder.name,
            family=self.family,
            size=draw.size,
            n_items=draw.n_items,
            replicate=draw.replicate,
            recipe=self.recipe,
            exit_status=exit_.status,
            seconds=exit_.seconds,
            output=output.name,
        )
        folder.finish(record)
        return self._run(draw, RunStatus.FINISHED, exit_, folder.finished, str(folder.finished / output.name))

    def _run(
        self, draw: Draw, status: RunStatus, exit_: Exit, folder: Path, output: str | None, problem: str = ""
    ) -> ReplicateRun:
        return ReplicateRun(
            name=self.name(draw),
            size=draw.size,
            n_items=draw.n_items,
            replicate=draw.replicate,
            status=status,
            exit_status=exit_.status,
            seconds=exit_.seconds,
            output=output,
            log=str(folder / LOG),
            problem=problem,
        )


def _replace_link(output: Path) -> None:
    """Replace a link by a copy of its file, because the target may change."""
    if output.is_symlink():
        copy = output.with_name(f".{output.name}.copy")
        shutil.copyfile(output, copy)
        copy.replace(output)


def _problem_of(exit_: Exit, folder: RunFolder, output: Path, timeout: float | None) -> str:
    if exit_.problem:
        return f"could not be started: {exit_.problem}"
    if exit_.timed_out and timeout is not None:
        return f"not finished after {format_seconds(timeout)}"
    if exit_.status is not None and exit_.status < 0:
        return f"ended by {_signal_name(-exit_.status)}"
    if exit_.status:
        return f"exit status {exit_.status}"
    if not folder.is_there:
        return "its folder, in which {out} belongs, was removed or replaced"
    if not output.is_file():
        return "nothing was written to {out}"
    return "" if output.stat().st_size else "the file {out} is empty"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _output_check(directory: Path, head: BoardHead) -> OutputCheck:
    """Return the check of outputs, by the metrics and references given, or else those of the leaderboard file."""
    board = read_board(directory)
    references = head.references or [str(directory / reference) for reference in _texts(board.get("references"))]
    reading = Reading(
        input_format=_text(board.get("format")),
        lower_is_better=board.get("lower_is_better") is True,
        id_column=_text(board.get("id")),
        score_column=_text(board.get("score")),
    )
    metrics = [str(metric) for metric in listed_metrics(list(head.metrics or _texts(board.get("metrics"))) or None)]
    return OutputCheck.of(metrics, Files(references), reading)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _texts(value: object) -> Sequence[str]:
    values = [value] if isinstance(value, str) else value
    return [text for text in values if isinstance(text, str)] if isinstance(values, list) else []


def _default_suffix(references: Sequence[str | os.PathLike[str]]) -> str:
    suffix = PurePath(os.fspath(references[0]).removesuffix(".gz")).suffix if references else ""
    return suffix or ".txt"


def _checked_reference(path: str) -> str:
    if not Path(path).is_file():
        what = "expected a file that can be read, found none"
        raise FileAccessError(Problem(printable(path), what, "Check the path.", "cannot-read"))
    try:
        path.encode()
    except UnicodeEncodeError:
        what = "expected a name that is text, as a board must hold it"
        raise OptionError(Problem(printable(path), what, "Rename the file.", "not-utf8")) from None
    return path


def _checked_family(family: str) -> str:
    if not family or not family.isprintable() or family != family.strip() or family[0] in ".-" or _UNSAFE & {*family}:
        what = f"expected a name that can also name a folder, got {quoted(family)}"
        raise OptionError(Problem(opt("family"), what, "Use letters, digits, dots and hyphens.", "bad-family"))
    return family


def _checked_suffix(suffix: str) -> str:
    if not suffix.startswith(".") or not suffix.isprintable() or suffix.strip() != suffix or _UNSAFE & {*suffix}:
        what = f"expected a file suffix such as .conllu, got {quoted(suffix)}"
        raise OptionError(Problem(opt("suffix"), what, "", "bad-suffix"))
    return suffix
